"""Whose errors are shared in one roll-up, and what that assumption is worth.

How uncertainties are rolled up: the method, whose errors are shared, and what a simulation is to draw.

How much of a mass is estimated, calculated, weighed: shares of the mass at and below every item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.read import Bom
from massprops_cli.bom.result_columns import of_item, sigma_to_first_order
from massprops_cli.bom.sigmas import WEIGHED
from massprops_cli.findings import Finding, UsageError
from massprops_cli.rollups.coverage import Below
from massprops_cli.rollups.inputs import TEN, Correlation
from massprops_cli.rollups.montecarlo.samples import KINDS, Sampling
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import ends_of

if TYPE_CHECKING:
    from massprops_cli.rollups.rollup import Rollup


METHODS = ("auto", "covariance", "massprops", "montecarlo", "none")
CORRELATE = ("none", "part", "all")


@dataclass(frozen=True, slots=True)
class Uncertainties:
    """What is asked of a roll-up beside the sums.

    ``method`` is ``covariance`` (exact to first order), ``massprops`` (level by level, SAWE 3360), ``montecarlo``,
    ``none``, or ``auto``: ``covariance`` when the table states sigmas. ``correlate`` says whose errors are shared:
    ``none``, ``part`` (pieces and uses of one part number) or ``all``; ``correlate_centers``, whether those of centres
    are too; ``correlations`` names a file of correlations between groups. ``items`` are ids whose distributions are
    wanted beside the root's, ``probability`` questions about results (see ``bom.asked``), and ``intervals`` how much an
    interval is to hold: ``95%``.
    """

    method: str = "auto"
    correlate: str = "none"
    correlate_centers: bool = False
    correlations: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    items: tuple[str, ...] = ()
    probability: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()

    @property
    def is_correlated(self) -> bool:
        """Whether errors are asked to be shared, beyond what the table's own column says."""
        return self.correlate != "none" or self.correlate_centers or bool(self.correlations)


def uncertainties_of(method: str, options: Mapping[str, Any]) -> Uncertainties:
    """Make what is asked of keyword arguments; raises UsageError for a name, a word or a number that is none.

    >>> uncertainties_of("montecarlo", {"samples": 500}).sampling.samples
    500
    """
    own = {f.name for f in fields(Uncertainties)} - {"method", "sampling"}
    drawn = {f.name for f in fields(Sampling)}
    unknown = sorted(set(options) - own - drawn)
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}; the options are {', '.join(sorted(own | drawn))}")
    given = {name: value for name, value in options.items() if name in own}
    for name in ("items", "probability", "intervals"):
        value = given.get(name, ())
        given[name] = (value,) if isinstance(value, str) else tuple(value)
    asked = Uncertainties(
        method=method, sampling=Sampling(**{name: value for name, value in options.items() if name in drawn}), **given
    )
    one_of("uncertainty", asked.method, METHODS)
    one_of("correlate", asked.correlate, CORRELATE)
    check_sampling(asked.sampling)
    return asked


def check_sampling(sampling: Sampling) -> None:
    """Refuse numbers and words with which nothing can be drawn."""
    one_of("distribution", sampling.distribution, KINDS)
    for name, least in (("samples", 2), ("seed", 0), ("workers", 1)):
        value = getattr(sampling, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise UsageError(f"{name} is {value}; it takes a whole number of at least {least}")


def one_of(name: str, value: str, words: tuple[str, ...]) -> None:
    """Refuse a word that is none of a few."""
    if value not in words:
        raise UsageError(f"{name} is {value}; it can be {', '.join(words)}")


Floats = NDArray[np.float64]

WORDS = ("estimated", "calculated", WEIGHED)
"""How a mass came to be known, from the least sure to the surest."""
NOT_STATED = "not_stated"


def shares_of_mass(bom: Bom, bodies: Bodies | None = None) -> dict[str, Floats]:
    """Give the share ``(n,)`` of the known mass below every item that came about in each way.

    The masses are those of ``bodies``, for instance with growth, else the basic ones of ``bom``.

    The columns ``method`` and ``weighed`` say it. Masses count by their size, times their quantities, so that a removed
    piece cannot make a share larger than 1; what goes up from a stated assembly counts, what is below it does not.
    Shares of one item add up to 1, ``not_stated`` included, which is there when a row with a mass says nothing; NaN
    without mass. No column, no shares.

    >>> from massprops_cli.bom.read import Bom
    >>> parts = [{"id": "a", "parent": "top", "mass": 1.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> shares_of_mass(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    {}
    """
    if bom.maturity is None or "mass" not in bom.columns.by_quantity:
        return {}
    said = np.array([word or NOT_STATED for word in bom.maturity])
    ends = ends_of(bom.tree, bom.stated)
    bodies = bom.bodies if bodies is None else bodies
    size = np.abs(bodies.mass)
    if bodies.has_mass is not None:
        size = size * bodies.has_mass
    below = Below(bom.tree, ends, None)
    whole = below.total(size, bom.quantity)
    found = set(said[ends & (size > 0)].tolist())
    others = sorted(found - {*WORDS, NOT_STATED})
    words = [*WORDS, *others, *([NOT_STATED] if NOT_STATED in found else [])]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {word: below.total(size * (said == word), bom.quantity) / whole for word in words}


def sharing_of(bom: Bom, asked: Uncertainties) -> tuple[Correlation | None, Sequence[Finding]]:
    """Say whose errors are shared, by the options and the table's column of groups; None when nobody's are.

    The findings are those of the file of correlations. Raises UsageError for centres that are to be shared with nobody.
    """
    if bom.groups is None and not asked.is_correlated:
        return None, []
    if bom.groups is None and asked.correlate == "none" and not asked.correlations:
        raise UsageError("--correlate-centers needs shared errors: --correlate part or all, or a column corr_group")
    from massprops_cli.bom.shared_errors import correlation_of, read_correlations

    findings: Sequence[Finding] = []
    matrix = None
    if asked.correlations:
        matrix, findings = read_correlations(bom, asked.correlations, correlate_centers=asked.correlate_centers)
    sharing = correlation_of(bom, asked.correlate, asked.correlate_centers, matrix)
    return None if sharing.is_none else sharing, findings


def is_repeated(bom: Bom) -> bool:
    """Tell whether it matters what is assumed: a row counts several times, or a part number stands in several rows."""
    counts = bom.quantity.count[bom.tree.parent >= 0]
    if bool((np.abs(counts) > 1).any()):
        return True
    if bom.part_numbers is None:
        return False
    numbers = [text.strip() for text in bom.part_numbers if text.strip()]
    return len(set(numbers)) < len(numbers)


def assumptions_of(
    bom: Bom, rolled: Rollup, asked: Uncertainties, sharing: Correlation | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Give the root's sigmas for each assumption: none, part, all → quantity → sigma.

    ``sharing`` is what was in force; groups that it couples stay coupled, but under all there are none. They are exact
    to first order, whatever the method; a quantity that is not known is left out. Empty where nothing is
    repeated, so that it makes no difference, and where nothing is known.
    """
    if bom.sigmas is None or not is_repeated(bom):
        return {}
    root = int(bom.tree.order[0])
    wanted = [name for name in TEN if is_known(rolled, root, name)]
    if not wanted:
        return {}
    found: dict[str, dict[str, float]] = {}
    for word in CORRELATE:
        columns = of_item(rolled_under(word, bom, rolled, asked, sharing), root)
        sigmas = {name: sigma_to_first_order(columns, f"sigma_{name}") for name in wanted}
        found[word] = {name: float(sigma[0]) for name, sigma in sigmas.items() if sigma is not None}
    return found


def rolled_under(word: str, bom: Bom, rolled: Rollup, asked: Uncertainties, sharing: Correlation | None) -> Rollup:
    """Roll up to first order under an assumption on shared errors; what has been so already is taken as it is."""
    if rolled.covariances is not None and asked.correlate == word:
        return rolled
    from massprops_cli.bom.shared_errors import Coupling, correlation_of

    matrix = None
    if sharing is not None and len(sharing.coupled) and word != "all":
        matrix = Coupling(tuple(sharing.labels[group] for group in sharing.coupled.tolist()), sharing.matrix)
    supposed = correlation_of(bom, word, asked.correlate_centers, matrix)
    return roll_up(bom.rollup_inputs(supposed))


def is_known(rolled: Rollup, item: int, name: str) -> bool:
    """Tell whether a result of an item and its sigma are known."""
    sigmas, bodies = rolled.sigmas, rolled.bodies
    if sigmas is None or (sigmas.known is not None and not sigmas.known[item, TEN.index(name)]):
        return False
    if name == "mass":
        return True
    array, has = (sigmas.center, bodies.has_center) if name[0] == "C" else (sigmas.inertia, bodies.has_inertia)
    return array is not None and (has is None or bool(has[item]))
