"""Uncertainty of results: methods, and the samples of a Monte Carlo run as quantities of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.items import result_columns
from massprops_cli.findings.finding import Findings, UsageError, checked_integer
from massprops_cli.options import named_option, wrong_word_text
from massprops_cli.rollups.inputs import (
    DISTRIBUTION_KINDS,
    KIND_NOT_STATED,
    PARAMETER_NAMES,
    PERCENTILES,
    SAMPLED_RESULTS,
    Correlation,
    LeafCounts,
    SampleOptions,
)
from massprops_cli.rollups.rollup import Rollup, roll_up

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.montecarlo.agreement import Agreement, SampleDifference
    from massprops_cli.rollups.montecarlo.samples import SampledDistribution

_Floats = NDArray[np.float64]
SAMPLED_RESULT_NAMES = (*SAMPLED_RESULTS, "I1", "I2", "I3")  # the results of a watched item, the principal moments last
_UNCERTAINTY_METHODS = ("auto", *named_option("uncertainty").words)
CORRELATE_CHOICES = named_option("correlate").words
_MOST_TERMS = 200  # bounded masses whose distributions are added; those of the smallest spread are added as normal ones
_UNEXPLAINED = 1e-9  # share of a variance that is rounding
METHOD_WORDS = ("estimated", "calculated", "reconciled", "weighed")
"""How a mass came to be known, from the least sure to the surest."""
_NOT_STATED = "not_stated"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledResult:
    """The sampled distribution of one result, coherent units; NaN if unknown (docs/formulas.md, section 7)."""

    name: str
    mean: float
    sigma: float
    sigma_error: float  # standard error of ``sigma``
    first_order: float  # sigma by propagation
    shift: float  # mean − value
    shift_error: float  # statistical error of ``shift``
    predicted: float  # shift by second order
    percentiles: _Floats  # (5,) see ``PERCENTILES``
    edges: _Floats  # (b + 1,) of a histogram
    counts: NDArray[np.int64]  # (b,)


@dataclass(frozen=True, slots=True)
class ItemSamples:
    """What was sampled of one item: every result that is defined, and where it differs significantly from theory."""

    item: int
    n: int
    results: Sequence[SampledResult]
    differences: Sequence[SampleDifference]
    id: str = ""
    values: _Floats | None = field(default=None, compare=False, repr=False)  # (n, 13) with ``keep_samples``
    units: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)  # of each column

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of ``values``: mass, Cx … Cz, Ixx … Iyz, kx … kz."""
        return SAMPLED_RESULTS

    @property
    def mass(self) -> _Floats:
        """Samples of the mass ``(n,)``."""
        return self._kept()[:, 0]

    @property
    def center(self) -> _Floats:
        """Samples of the centre of mass ``(n, 3)``, in the axes of the table."""
        return self._kept()[:, 1:4]

    @property
    def inertia(self) -> _Floats:
        """Samples of the inertia tensor ``(n, 3, 3)``, tensor entries about the own centre of mass of each sample."""
        return self._kept()[:, [[4, 7, 8], [7, 5, 9], [8, 9, 6]]]

    @property
    def radii(self) -> _Floats:
        """Samples of the radii of gyration ``(n, 3)``; NaN where a moment is negative."""
        return self._kept()[:, 10:]

    def _kept(self) -> _Floats:
        """Return the samples; raises UsageError if they were not stored."""
        if self.values is None:
            raise UsageError(f"samples of {self.id} are not stored (pass keep_samples=True to rollup)")
        return self.values

    def to_dataframe(self) -> pd.DataFrame:
        """Export the samples, one row each."""
        import pandas as pd

        frame = pd.DataFrame(self._kept(), columns=pd.Index(self.names))
        frame.attrs["units"] = dict(self.units)
        return frame


def requested_samples(result: Result) -> list[ItemSamples]:
    """List the samples of the root and of the requested items, compared with theory (docs/formulas.md, section 7)."""
    sampled, bom = result.rollup.sampled, result.bom
    if sampled is None:
        return []
    from massprops_cli.rollups.leaf_sums import expected_shifts
    from massprops_cli.rollups.montecarlo.agreement import sample_agreement

    shifts = expected_shifts(bom.rollup_inputs(), result.rollup)
    items = [watched.item for watched in sampled.watched]
    compared = sample_agreement(sampled, result.rollup, shifts, items, is_bounded=_has_bounded_inputs(result))
    mass, length, inertia = bom.units_of_body()
    units = {name: mass if name == "mass" else inertia if name[0] == "I" else length for name in SAMPLED_RESULTS}
    found = []
    for watched in sampled.watched:
        differences = [one for one in compared.differences if one.item == watched.item]
        results = _sampled_results(result, watched, compared)
        name = bom.ids[watched.item]
        found.append(ItemSamples(watched.item, watched.n, results, differences, name, watched.kept, units))
    return found


def _has_bounded_inputs(result: Result) -> bool:
    """Return whether bounds change the mean or sigma of some inputs."""
    bom, sampled = result.bom, result.rollup.sampled
    if any(finding.rule == "MP511" for finding in bom.findings):
        return True
    cut = DISTRIBUTION_KINDS.index("truncated")
    by_itself = sampled is not None and sampled.sampling.distribution == DISTRIBUTION_KINDS[cut]
    if bom.shapes is None:
        return by_itself
    kinds = np.concatenate([bom.shapes.kind, *bom.shapes.bounded.values()])
    return bool((kinds == cut).any() or (by_itself and (kinds == KIND_NOT_STATED).any()))


def report_sample_differences(bom: Bom, samples: Sequence[ItemSamples], findings: Findings) -> None:
    """Report items whose samples differ significantly from first order (docs/formulas.md, section 7), and why."""
    for one in samples:
        if not one.differences:
            continue
        worst = max(one.differences, key=lambda difference: abs(difference.errors_off))
        name = bom.ids[one.item]
        what = "sigma" if worst.kind == "sigma" else "mean"
        results = dict.fromkeys(difference.result for difference in one.differences)
        message = (
            f"samples of {', '.join(results)} of {name} differ from first order: {what} of {worst.result} "
            f"by {abs(worst.errors_off):.0f} standard errors ({worst.reason})"
        )
        row = int(bom.rows[one.item])
        place = bom.table.place(row) if row >= 0 else bom.table.place(bom.columns.header_row)
        findings.report("MP518", message, place, item=name, count=len(results))


def _sampled_results(result: Result, watched: SampledDistribution, compared: Agreement) -> list[SampledResult]:
    """Return the sampled distributions of a watched item, for every result that is defined."""
    columns = _comparison_columns(result, watched, compared)
    found = []
    for k, name in enumerate(SAMPLED_RESULT_NAMES):
        if not np.isfinite(watched.mean[k]):
            continue
        numbers: list[Any] = [float(watched.mean[k]), float(watched.sigma[k]), *columns[:, k].tolist()]
        numbers += watched.percentiles[:, k], watched.edges[k], watched.counts[k]
        found.append(SampledResult(name, *numbers))
    return found


def _comparison_columns(result: Result, watched: SampledDistribution, compared: Agreement) -> _Floats:
    """Return sigma's error, sigma to first order, the mean's shift, its error, and the shift predicted ``(5, 16)``."""
    # principal moments and leaves are not compared, and nothing is predicted for them
    n = max(watched.n, 2)
    columns = np.full((5, len(SAMPLED_RESULT_NAMES)), np.nan)
    columns[0] = watched.sigma_error
    columns[2] = watched.mean - watched.nominal
    columns[3] = watched.sigma / np.sqrt(n)
    # sigmas ``(16,)`` of one item by propagation, NaN for what is not known
    plain = replace(result, rollup=replace(result.rollup, sampled=None))
    one = result_columns.single_item_rollup(plain.rollup, watched.item)
    found = [result_columns.first_order_sigma(one, f"sigma_{name}") for name in SAMPLED_RESULTS]
    principal = plain.body(watched.item).principal_sigmas()
    last = [np.nan] * 3 if principal is None else principal.sigmas.tolist()
    columns[1] = np.array([np.nan if column is None else float(column[0]) for column in found] + last)
    for k in np.flatnonzero(compared.items == watched.item):
        known = (compared.sigma_error, compared.first_order, compared.shift, compared.shift_error)
        columns[:4, : len(SAMPLED_RESULTS)] = [array[k] for array in known]
        columns[4, : len(SAMPLED_RESULTS)] = compared.second_order[k]
    return columns


def dictionary_of_samples(result: Result, level: int = 1) -> dict[str, Any]:
    """Export the samples as JSON values: the options, and the results of every requested item."""
    sampled = result.rollup.sampled
    assert sampled is not None
    sampling = sampled.sampling
    return {
        "samples": sampling.samples,
        "seed": sampling.seed,
        "distribution": sampling.distribution,
        "percents": list(PERCENTILES),
        "items": {
            result.bom.ids[one.item]: {
                "correlations": _sampled_correlations(result, one.item),
                "results": {of.name: _dictionary_of_result(of, level) for of in one.results},
                "differences": [_dictionary_of_difference(difference, level) for difference in one.differences],
            }
            for one in requested_samples(result)
        },
    }


def _sampled_correlations(result: Result, i: int) -> dict[str, float | None]:
    """Return the sampled correlations of one item's parameters by name, null without uncertainty."""
    spread = result_columns.ItemCovariance(result_columns.single_item_rollup(result.rollup, i))
    columns = {name: spread.correlation(*pair) for name, pair in result_columns.CORRELATIONS.items()}
    return {name: _json_numbers(column)[0] for name, column in columns.items() if column is not None}


def _dictionary_of_difference(one: SampleDifference, level: int) -> dict[str, Any]:
    """Return where samples and theory differ as plain JSON values; sigmas at a level."""
    times = level if one.kind == "sigma" else 1
    numbers = {
        name: result_columns.finite_or_none(times * getattr(one, name)) for name in ("found", "expected", "error")
    }
    return {"result": one.result, "kind": one.kind, **numbers, "reason": one.reason}


def _dictionary_of_result(one: SampledResult, level: int) -> dict[str, Any]:
    """Return one sampled distribution as plain JSON values; sigmas at a level."""
    numbers = {
        "mean": one.mean,
        "sigma": level * one.sigma,
        "sigma_error": level * one.sigma_error,
        "sigma_first_order": level * one.first_order,
        "shift": one.shift,
        "shift_error": one.shift_error,
        "shift_second_order": one.predicted,
    }
    return {
        **{name: result_columns.finite_or_none(number) for name, number in numbers.items()},
        "percentiles": _json_numbers(one.percentiles),
        "histogram": {"edges": _json_numbers(one.edges), "counts": one.counts.tolist()},
    }


def _json_numbers(values: _Floats) -> list[float | None]:
    """Return numbers as JSON can hold them; null for what is not known."""
    return [result_columns.finite_or_none(value) for value in values.tolist()]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    if unknown := sorted(set(options) - own - drawn):
        raise UsageError(f"option is not known: {unknown[0]} ({', '.join(sorted(own | drawn))})")
    given = {name: value for name, value in options.items() if name in own}
    for name in ("items", "probability", "intervals"):
        value = given.get(name, ())
        given[name] = (value,) if isinstance(value, str) else tuple(value)
    sampled = {name: value for name, value in options.items() if name in drawn}
    for name, least in (("samples", 2), ("seed", 0), ("workers", 1)):
        sampled |= {name: checked_integer(name, sampled[name], least)} if name in sampled else {}
    sampling = SampleOptions(**sampled)
    request = UncertaintyRequest(method=method, sampling=sampling, **given)
    check_keyword_choice("uncertainty", request.method, _UNCERTAINTY_METHODS)
    check_keyword_choice("correlate", request.correlate, CORRELATE_CHOICES)
    check_keyword_choice("distribution", request.sampling.distribution, DISTRIBUTION_KINDS)
    return request


def check_keyword_choice(name: str, value: str, words: tuple[str, ...]) -> None:
    """Check the word of a keyword."""
    if value not in words:
        raise UsageError(wrong_word_text(name, value, words))


def rollup_at_means(bom: Bom) -> Rollup | None:
    """Roll up the means of the inputs, without sigmas; None if they are the values (docs/formulas.md, section 11)."""
    if bom.shapes is None or bom.sigmas is None:
        return None
    from massprops_cli.rollups.montecarlo.distributions import InputDistributions

    moved = InputDistributions.of(bom.bodies, bom.sigmas, bom.shapes, "normal").mean_deviations()
    if not moved.any():
        return None
    bodies = bom.bodies
    center = None if bodies.center is None else bodies.center + moved[1:4].T
    inertia = None if bodies.inertia is None else bodies.inertia + moved[4:].T
    bodies = replace(bodies, mass=bodies.mass + moved[0], center=center, inertia=inertia)
    return roll_up(replace(bom.rollup_inputs(), bodies=bodies), method="none")


def mass_chance(result: Result, i: int, low: float, high: float) -> tuple[float, float, float] | None:
    """Return P(low ≤ deviation of a mass ≤ high), its opposite and error, or None: docs/formulas.md, section 11."""
    bom, sigmas = result.bom, result.rollup.sigmas
    if bom.shapes is None or bom.sigmas is None or sigmas is None or result.correlation is not None or bom.branches:
        return None
    from massprops_cli.rollups.montecarlo.distributions import InputDistributions, sum_cdf

    inputs = InputDistributions.of(bom.bodies, bom.sigmas, bom.shapes, "normal")
    path = bom.tree.path_quantities(bom.quantity)
    with np.errstate(divide="ignore", invalid="ignore"):  # n pieces × factor f: count n f, weight of variances n f²
        count, weight = path.count / path.count[i], path.variance_weight() / path.variance_weight()[i]
        factor = weight / count
    below = np.intersect1d(bom.tree.descendants(i), np.flatnonzero(bom.tree.end_items(bom.stated) & (count != 0)))
    items = np.intersect1d(below, inputs.bounded_masses())
    if not len(items) or not np.isfinite(factor[items]).all():
        return None
    n, f = (count / factor)[items], factor[items]
    ends = inputs.ends()[:, 0, items] * f
    ends[[0, 2]] = np.sort(ends[[0, 2]], axis=0)
    spread = n * (f * bom.sigmas.mass[items]) ** 2
    rest = float(sigmas.mass[i]) ** 2 - float(spread.sum())
    if not spread.any() or rest < -_UNEXPLAINED * float(spread.sum()):
        return None
    first, others = np.split(np.argsort(-spread), [_MOST_TERMS])
    variance = float(spread[others].sum()) + (rest if rest > _UNEXPLAINED * float(spread.sum()) else 0.0)
    points = np.array([low, high]) - float(n[others] @ np.nanmean(ends[:, others], axis=0))
    (under, up_to), error = sum_cdf(points, ends[:, first], n[first], variance)
    return up_to - under, under + (1 - up_to), error


def mass_shares_by_method(bom: Bom, bodies: Bodies | None = None) -> dict[str, _Floats]:
    """Compute shares (n,) of the known |mass| × quantity below every item by method; NaN without mass."""
    if bom.maturity is None or "mass" not in bom.columns.by_quantity:
        return {}
    methods = np.array([word or _NOT_STATED for word in bom.maturity])
    ends = bom.tree.end_items(bom.stated)
    bodies = bom.bodies if bodies is None else bodies
    size = np.abs(bodies.mass)
    if bodies.has_mass is not None:
        size = size * bodies.has_mass
    below, pieces = LeafCounts(bom.tree, ends, None), np.abs(bom.quantity.count)
    whole = below.total(size, pieces)
    found = set(methods[ends & (size > 0)].tolist())
    others = sorted(found - {*METHOD_WORDS, _NOT_STATED})
    usual = [word for word in METHOD_WORDS if word != "reconciled" or word in found]
    words = [*usual, *others, *([_NOT_STATED] if _NOT_STATED in found else [])]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {word: below.total(size * (methods == word), pieces) / whole for word in words}


def requested_correlation(bom: Bom, request: UncertaintyRequest, findings: Findings) -> Correlation | None:
    """Build the correlation of the options and the column of groups (docs/formulas.md, section 6)."""
    if bom.groups is None and not request.is_correlated:
        return None
    if bom.groups is None and request.correlate == "none" and not request.correlations:
        raise UsageError("correlate-centers needs --correlate part or all, or a column corr_group")
    from massprops_cli.bom.items.correlation_groups import item_correlation, read_correlations

    matrix = None
    if request.correlations:
        matrix = read_correlations(bom, request.correlations, findings, correlate_centers=request.correlate_centers)
    sharing = item_correlation(bom, request.correlate, request.correlate_centers, matrix)
    has_branch_groups = bom.branches is not None and bool(bom.branches.groups)
    return None if sharing.is_none and not has_branch_groups else sharing


def _has_repeated_parts(bom: Bom) -> bool:
    """Return whether it matters what is assumed: a row counts several times, or a part number is in several rows."""
    if bool((np.abs(bom.quantity.count[bom.tree.parent >= 0]) > 1).any()):
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
    if not (wanted := [name for name in PARAMETER_NAMES if _is_known_result(rolled, root, name)]):
        return {}
    found: dict[str, dict[str, float]] = {}
    for word in CORRELATE_CHOICES:
        columns = result_columns.single_item_rollup(_rollup_under_assumption(word, bom, rolled, request, sharing), root)
        sigmas = {name: result_columns.first_order_sigma(columns, f"sigma_{name}") for name in wanted}
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
    return roll_up(bom.rollup_inputs(item_correlation(bom, word, request.correlate_centers, matrix)))


def _is_known_result(rolled: Rollup, item: int, name: str) -> bool:
    """Return whether a result of an item and its sigma are known."""
    sigmas, bodies = rolled.sigmas, rolled.bodies
    if sigmas is None or (sigmas.known is not None and not sigmas.known[item, PARAMETER_NAMES.index(name)]):
        return False
    if name == "mass":
        return True
    array, has = (sigmas.center, bodies.has_center) if name[0] == "C" else (sigmas.inertia, bodies.has_inertia)
    return array is not None and (has is None or bool(has[item]))
