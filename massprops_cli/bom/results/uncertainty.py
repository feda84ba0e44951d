"""Uncertainty options of a roll-up, the effect of correlation, and the shares of mass by method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.items.result_columns import first_order_sigma, single_item_rollup
from massprops_cli.bom.items.sigmas import WEIGHED
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.options import named_option, wrong_word_text
from massprops_cli.rollups.coverage import LeafCounts
from massprops_cli.rollups.inputs import PARAMETER_NAMES, Correlation
from massprops_cli.rollups.montecarlo.samples import DISTRIBUTION_KINDS, SampleOptions
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import end_items

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.rollups.rollup import Rollup


_UNCERTAINTY_METHODS = ("auto", *named_option("uncertainty").words)
CORRELATE_CHOICES = named_option("correlate").words


@dataclass(frozen=True, slots=True)
class UncertaintyRequest:
    """The uncertainty options of a roll-up."""

    method: str = "auto"  # ``covariance`` (exact to first order) if the table states sigmas; ``massprops``: SAWE 3360
    correlate: str = "none"  # or ``part``: pieces and uses of one part number; ``all``
    correlate_centers: bool = False
    correlations: str = ""  # file of correlations between groups
    sampling: SampleOptions = field(default_factory=SampleOptions)
    items: tuple[str, ...] = ()  # ids whose distributions are requested in addition to the root's
    probability: tuple[str, ...] = ()  # conditions on results
    intervals: tuple[str, ...] = ()  # levels: ``95%``

    @property
    def is_correlated(self) -> bool:
        """Whether correlation is requested in addition to the column of the table."""
        return self.correlate != "none" or self.correlate_centers or bool(self.correlations)


def uncertainty_from_keywords(method: str, options: Mapping[str, Any]) -> UncertaintyRequest:
    """Read the uncertainty options from keyword arguments."""
    own = {f.name for f in fields(UncertaintyRequest)} - {"method", "sampling"}
    drawn = {f.name for f in fields(SampleOptions)}
    unknown = sorted(set(options) - own - drawn)
    if unknown:
        raise UsageError(f"option is not known: {unknown[0]} ({', '.join(sorted(own | drawn))})")
    given = {name: value for name, value in options.items() if name in own}
    for name in ("items", "probability", "intervals"):
        value = given.get(name, ())
        given[name] = (value,) if isinstance(value, str) else tuple(value)
    request = UncertaintyRequest(
        method=method,
        sampling=SampleOptions(**{name: value for name, value in options.items() if name in drawn}),
        **given,
    )
    check_keyword_choice("uncertainty", request.method, _UNCERTAINTY_METHODS)
    check_keyword_choice("correlate", request.correlate, CORRELATE_CHOICES)
    _check_sampling(request.sampling)
    return request


def _check_sampling(sampling: SampleOptions) -> None:
    """Reject sampling options that are not valid."""
    check_keyword_choice("distribution", sampling.distribution, DISTRIBUTION_KINDS)
    for name, least in (("samples", 2), ("seed", 0), ("workers", 1)):
        value = getattr(sampling, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise UsageError(f"{name} is not an integer of {least} or more: {value}")


def check_keyword_choice(name: str, value: str, words: tuple[str, ...]) -> None:
    """Check the word of a keyword."""
    if value not in words:
        raise UsageError(wrong_word_text(name, value, words))


_Floats = NDArray[np.float64]

METHOD_WORDS = ("estimated", "calculated", WEIGHED)
"""How a mass came to be known, from the least sure to the surest."""
_NOT_STATED = "not_stated"


def mass_shares_by_method(bom: Bom, bodies: Bodies | None = None) -> dict[str, _Floats]:
    """Compute the share (n,) of the known mass below every item that each method gave; NaN without mass.

    Absolute masses times quantities, so that a removed piece makes no share larger than 1. Empty without the columns.
    """
    if bom.maturity is None or "mass" not in bom.columns.by_quantity:
        return {}
    methods = np.array([word or _NOT_STATED for word in bom.maturity])
    ends = end_items(bom.tree, bom.stated)
    bodies = bom.bodies if bodies is None else bodies
    size = np.abs(bodies.mass)
    if bodies.has_mass is not None:
        size = size * bodies.has_mass
    below = LeafCounts(bom.tree, ends, None)
    whole = below.total(size, bom.quantity)
    found = set(methods[ends & (size > 0)].tolist())
    others = sorted(found - {*METHOD_WORDS, _NOT_STATED})
    words = [*METHOD_WORDS, *others, *([_NOT_STATED] if _NOT_STATED in found else [])]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {word: below.total(size * (methods == word), bom.quantity) / whole for word in words}


def requested_correlation(bom: Bom, request: UncertaintyRequest, findings: Findings) -> Correlation | None:
    """Build the correlation of the options and the column of groups (docs/formulas.md, section 6)."""
    if bom.groups is None and not request.is_correlated:
        return None
    if bom.groups is None and request.correlate == "none" and not request.correlations:
        raise UsageError("--correlate-centers needs --correlate part or all, or a column corr_group")
    from massprops_cli.bom.items.correlation_groups import item_correlation, read_correlations

    matrix = None
    if request.correlations:
        matrix = read_correlations(bom, request.correlations, findings, correlate_centers=request.correlate_centers)
    sharing = item_correlation(bom, request.correlate, request.correlate_centers, matrix)
    has_branch_groups = bom.branches is not None and bool(bom.branches.groups)
    return None if sharing.is_none and not has_branch_groups else sharing


def _has_repeated_parts(bom: Bom) -> bool:
    """Return whether it matters what is assumed: a row counts several times, or a part number is in several rows."""
    counts = bom.quantity.count[bom.tree.parent >= 0]
    if bool((np.abs(counts) > 1).any()):
        return True
    if bom.part_numbers is None:
        return False
    numbers = [text.strip() for text in bom.part_numbers if text.strip()]
    return len(set(numbers)) < len(numbers)


def sigmas_by_assumption(
    bom: Bom, rolled: Rollup, request: UncertaintyRequest, sharing: Correlation | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Compute the root's first-order sigmas for each correlation (docs/formulas.md, sections 5 and 6)."""
    if bom.sigmas is None or not _has_repeated_parts(bom):
        return {}
    root = int(bom.tree.order[0])
    wanted = [name for name in PARAMETER_NAMES if _is_known_result(rolled, root, name)]
    if not wanted:
        return {}
    found: dict[str, dict[str, float]] = {}
    for word in CORRELATE_CHOICES:
        columns = single_item_rollup(_rollup_under_assumption(word, bom, rolled, request, sharing), root)
        sigmas = {name: first_order_sigma(columns, f"sigma_{name}") for name in wanted}
        found[word] = {name: float(sigma[0]) for name, sigma in sigmas.items() if sigma is not None}
    return found


def _rollup_under_assumption(
    word: str, bom: Bom, rolled: Rollup, request: UncertaintyRequest, sharing: Correlation | None
) -> Rollup:
    """Roll up to first order under an assumption on correlation, unless already done."""
    if rolled.covariances is not None and request.correlate == word:
        return rolled
    from massprops_cli.bom.items.correlation_groups import GroupCorrelations, item_correlation

    matrix = None
    if sharing is not None and len(sharing.coupled) and word != "all":
        names = tuple(sharing.labels[group] for group in sharing.coupled.tolist())
        matrix = GroupCorrelations(names, sharing.matrix, sharing.matrix_of)
    supposed = item_correlation(bom, word, request.correlate_centers, matrix)
    return roll_up(bom.rollup_inputs(supposed))


def _is_known_result(rolled: Rollup, item: int, name: str) -> bool:
    """Return whether a result of an item and its sigma are known."""
    sigmas, bodies = rolled.sigmas, rolled.bodies
    if sigmas is None or (sigmas.known is not None and not sigmas.known[item, PARAMETER_NAMES.index(name)]):
        return False
    if name == "mass":
        return True
    array, has = (sigmas.center, bodies.has_center) if name[0] == "C" else (sigmas.inertia, bodies.has_inertia)
    return array is not None and (has is None or bool(has[item]))
