"""Outcome of a roll-up: mass properties of every item, and samples compared with first and second order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Body, PrincipalAxes, principal_axes_of_bodies
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items import (
    CORRELATIONS,
    ItemCovariance,
    first_order_sigma,
    predicted_rollup,
    principal_moment_sigmas,
    reported_sigmas,
    single_item_rollup,
)
from massprops_cli.bom.results.uncertainty import UncertaintyRequest, mass_shares_by_method, sigmas_by_assumption
from massprops_cli.findings import Finding, Findings, Severity
from massprops_cli.rollups import (
    DISTRIBUTION_KINDS,
    KIND_NOT_STATED,
    PERCENTILES,
    SAMPLED_RESULTS,
    Agreement,
    Correlation,
    Rollup,
    SampledDistribution,
    SampleDifference,
    expected_shifts,
    sample_agreement,
)

if TYPE_CHECKING:
    from massprops_cli.bom.checks import ReconciledTotal


SIGN_CONVENTION_TEXT = "products of inertia are tensor entries: Ixy = −∫xy dm"


@dataclass(frozen=True, eq=False, repr=False)
class RollupOutcome:
    """A bill of materials rolled up.

    ``rollup`` has the arrays; ``findings`` holds those of reading and those of the roll-up; ``written_sign (n,)`` is
    +1 or −1 by the convention each row's products are written in; ``correlation`` states the correlated
    uncertainties, None without any.
    """

    bom: Bom
    rollup: Rollup
    findings: tuple[Finding, ...]
    written_sign: NDArray[np.int8]
    uncertainty_request: UncertaintyRequest = field(default_factory=UncertaintyRequest)
    correlation: Correlation | None = None

    @property
    def root(self) -> Body:
        """The whole tree as one body."""
        return self.body(self.root_item)

    @property
    def root_item(self) -> int:
        """The root's item number."""
        return int(self.bom.tree.order[0])

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_withheld(self) -> bool:
        """Whether a finding is an error that keeps the result from being written."""
        return any(finding.is_withholding for finding in self.findings)

    @property
    def is_partial(self) -> bool:
        """Whether something is missing below an item, so that some result is not that of all leaves."""
        coverage, bodies = self.rollup.coverage, self.rollup.bodies
        whole = [coverage.mass_is_whole] if "mass" in self.bom.columns.by_quantity else []
        whole += [coverage.center_is_whole] if bodies.center is not None else []
        whole += [coverage.inertia_is_whole] if bodies.inertia is not None else []
        return any(not bool(mask.all()) for mask in whole)

    def body(self, i: int) -> Body:
        """Return item ``i`` as a body, with its sigmas and its covariance where they are known."""
        one = single_item_rollup(self.rollup, i)
        covariance = ItemCovariance(one).matrix(0)
        units = self.bom.units_of_body()
        placed = None if one.placed is None else float(one.placed.bodies.mass[0])
        if placed == float(one.bodies.mass[0]):
            placed = None
        return Body.of(
            one.bodies,
            0,
            reported_sigmas(one),
            name=self.bom.ids[i],
            units=units,
            covariance=covariance,
            placed_mass=placed,
        )

    @cached_property
    def assumptions(self) -> Mapping[str, Mapping[str, float]]:
        """Sigmas by assumption on correlation: none, part, all → quantity → sigma of the root.

        Empty where no row counts several times and no part number is repeated.
        """
        return sigmas_by_assumption(self.bom, self.rollup, self.uncertainty_request, self.correlation)

    @cached_property
    def principal(self) -> PrincipalAxes:
        """Principal moments and axes of every item, about its own centre; NaN without a tensor."""
        return principal_axes_of_bodies(self.rollup.bodies)

    @cached_property
    def principal_sigmas(self) -> NDArray[np.float64] | None:
        """Sigmas ``(n, 3)`` of the principal moments of every item, to first order; None where there are none."""
        if self.rollup.bodies.inertia is None:
            return None
        return principal_moment_sigmas(self.rollup, self.principal.axes)

    @cached_property
    def predicted(self) -> Rollup | None:
        """Every item with its growth, rolled up without sigmas; None where nothing states growth."""
        return predicted_rollup(self.bom)

    @cached_property
    def shares_of_mass(self) -> Mapping[str, NDArray[np.float64]]:
        """Shares ``(n,)`` of every item's mass that are estimated, calculated, weighed; empty if not stated."""
        return mass_shares_by_method(self.bom)

    @cached_property
    def totals(self) -> tuple[ReconciledTotal, ...]:
        """The masses and centres that totals and subtotals in the sheet state, and the sums of their rows.

        In the order of the table, each in the unit of its column; it agrees within the rounding of the digits
        written. Empty where ``root`` or ``where`` leaves rows out.

        >>> from massprops_cli.bom.bom import Bom
        >>> from massprops_cli.bom.rollup import rollup
        >>> masses = {"battery": 3.0, "panel": 4.0, "Total": 7.0}
        >>> rows = [{"part": name, "mass [kg]": mass} for name, mass in masses.items()]
        >>> (total,) = rollup(Bom.from_records(rows)).totals
        >>> total.label, total.stated, total.computed, total.unit, total.agrees
        ('Total', 7.0, 7.0, 'kg', True)
        """
        from massprops_cli.bom.checks import reconcile_totals

        return tuple(reconcile_totals(self.bom))

    @cached_property
    def stated_masses(self) -> tuple[ReconciledTotal, ...]:
        """The masses that assembly rows state, and those of their children, as in ``totals``."""
        from massprops_cli.bom.checks import reconcile_assemblies

        return tuple(reconcile_assemblies(self.bom, self.rollup))

    def coverage_column(self, name: str) -> NDArray[np.float64]:
        """Return a coverage of every item: leaves that count, or the share of them (of mass: by mass) that is known."""
        coverage = self.rollup.coverage
        if name == "coverage_leaves":
            return coverage.rows.astype(float)
        if name == "coverage_mass":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(coverage.rows > 0, coverage.known_mass / coverage.rows, np.nan)
        return coverage.mass_share_center if name == "coverage_center" else coverage.mass_share_inertia


_Floats = NDArray[np.float64]

SAMPLED_RESULT_NAMES = (*SAMPLED_RESULTS, "I1", "I2", "I3")
"""The results of a watched item, the principal moments last."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledResult:
    """The sampled distribution of one result of one item, in coherent units; NaN for what is not known.

    ``sigma`` has the standard error ``sigma_error``; ``first_order`` is the sigma by propagation.
    ``shift`` is how far the mean lies from the value, ``shift_error`` its statistical error, ``predicted`` what second
    order expects of it (FORMULAS 6). ``percentiles (5,)`` belong to ``PERCENTILES``; ``edges (b + 1,)`` and ``counts
    (b,)`` are a histogram.
    """

    name: str
    mean: float
    sigma: float
    sigma_error: float
    first_order: float
    shift: float
    shift_error: float
    predicted: float
    percentiles: _Floats
    edges: _Floats
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ItemSamples:
    """What was sampled of one item: every result that is defined, and where it differs significantly from theory."""

    item: int
    n: int
    results: Sequence[SampledResult]
    differences: Sequence[SampleDifference]


def requested_samples(result: RollupOutcome) -> list[ItemSamples]:
    """Return what was sampled of the root and of the requested items; empty without samples."""
    sampled, bom = result.rollup.sampled, result.bom
    if sampled is None:
        return []
    shifts = expected_shifts(bom.rollup_inputs(), result.rollup)
    items = [watched.item for watched in sampled.watched]
    compared = sample_agreement(sampled, result.rollup, shifts, items, is_bounded=_has_bounded_inputs(result))
    found = []
    for watched in sampled.watched:
        differences = [one for one in compared.differences if one.item == watched.item]
        results = _sampled_results(result, watched, compared)
        found.append(ItemSamples(watched.item, watched.n, results, differences))
    return found


def _has_bounded_inputs(result: RollupOutcome) -> bool:
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
    """Report of every item sampled whether first order differs significantly, and the main reason."""
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


def _sampled_results(result: RollupOutcome, watched: SampledDistribution, compared: Agreement) -> list[SampledResult]:
    """Return what was sampled of a watched item, for every result that is defined."""
    columns = _comparison_columns(result, watched, compared)
    found = []
    for k, name in enumerate(SAMPLED_RESULT_NAMES):
        if not np.isfinite(watched.mean[k]):
            continue
        error, first_order, shift, shift_error, predicted = columns[:, k].tolist()
        found.append(
            SampledResult(
                name,
                float(watched.mean[k]),
                float(watched.sigma[k]),
                error,
                first_order,
                shift,
                shift_error,
                predicted,
                watched.percentiles[:, k],
                watched.edges[k],
                watched.counts[k],
            )
        )
    return found


def _comparison_columns(result: RollupOutcome, watched: SampledDistribution, compared: Agreement) -> _Floats:
    """Return sigma's error, the sigma to first order, the mean's shift, its error, and the shift predicted ``(5, 16)``.

    Principal moments and parts are not among what is compared, and nothing is predicted for them.
    """
    n = max(watched.n, 2)
    columns = np.full((5, len(SAMPLED_RESULT_NAMES)), np.nan)
    columns[0] = watched.sigma_error
    columns[2] = watched.mean - watched.nominal
    columns[3] = watched.sigma / np.sqrt(n)
    columns[1] = _propagated_sigmas(result, watched.item)
    for k in np.flatnonzero(compared.items == watched.item):
        known = (compared.sigma_error, compared.first_order, compared.shift, compared.shift_error)
        columns[:4, : len(SAMPLED_RESULTS)] = [array[k] for array in known]
        columns[4, : len(SAMPLED_RESULTS)] = compared.second_order[k]
    return columns


def _propagated_sigmas(result: RollupOutcome, i: int) -> _Floats:
    """Return the sigmas ``(16,)`` of one item by propagation, NaN for what is not known."""
    plain = replace(result, rollup=replace(result.rollup, sampled=None))
    one = single_item_rollup(plain.rollup, i)
    found = [first_order_sigma(one, f"sigma_{name}") for name in SAMPLED_RESULTS]
    principal = plain.body(i).principal_sigmas()
    last = [np.nan] * 3 if principal is None else principal.sigmas.tolist()
    return np.array([np.nan if column is None else float(column[0]) for column in found] + last)


def dictionary_of_samples(result: RollupOutcome, level: int = 1) -> dict[str, Any]:
    """Return the samples as plain JSON values: the options, and the results of every requested item."""
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


def _sampled_correlations(result: RollupOutcome, i: int) -> dict[str, float | None]:
    """Return the sampled correlations of one item's parameters by name, null without uncertainty."""
    spread = ItemCovariance(single_item_rollup(result.rollup, i))
    columns = {name: spread.correlation(*pair) for name, pair in CORRELATIONS.items()}
    return {name: _json_numbers(column)[0] for name, column in columns.items() if column is not None}


def _dictionary_of_difference(one: SampleDifference, level: int) -> dict[str, Any]:
    """Return where samples and theory differ as plain JSON values; sigmas at a level."""
    times = level if one.kind == "sigma" else 1
    numbers = {"found": times * one.found, "expected": times * one.expected, "error": times * one.error}
    finite = {name: number if np.isfinite(number) else None for name, number in numbers.items()}
    return {"result": one.result, "kind": one.kind, **finite, "reason": one.reason}


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
        **{name: number if np.isfinite(number) else None for name, number in numbers.items()},
        "percentiles": _json_numbers(one.percentiles),
        "histogram": {"edges": _json_numbers(one.edges), "counts": one.counts.tolist()},
    }


def _json_numbers(values: _Floats) -> list[float | None]:
    """Return numbers as JSON can hold them; null for what is not known."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
