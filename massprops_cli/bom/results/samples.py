"""Samples of a roll-up, by item, compared with first and second order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import CORRELATIONS, ItemCovariance, first_order_sigma, single_item_rollup
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.rollups.leaf_sums import expected_shifts
from massprops_cli.rollups.montecarlo.agreement import Agreement, SampleDifference, sample_agreement
from massprops_cli.rollups.montecarlo.samples import (
    DISTRIBUTION_KINDS,
    KIND_NOT_STATED,
    PERCENTILES,
    SAMPLED_RESULTS,
    SampledDistribution,
)

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result


_Floats = NDArray[np.float64]

SAMPLED_RESULT_NAMES = (*SAMPLED_RESULTS, "I1", "I2", "I3")
"""The results of a watched item, the principal moments last."""


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


def _comparison_columns(result: Result, watched: SampledDistribution, compared: Agreement) -> _Floats:
    """Return sigma's error, sigma to first order, the mean's shift, its error, and the shift predicted ``(5, 16)``."""
    # principal moments and leaves are not compared, and nothing is predicted for them
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


def _propagated_sigmas(result: Result, i: int) -> _Floats:
    """Return the sigmas ``(16,)`` of one item by propagation, NaN for what is not known."""
    plain = replace(result, rollup=replace(result.rollup, sampled=None))
    one = single_item_rollup(plain.rollup, i)
    found = [first_order_sigma(one, f"sigma_{name}") for name in SAMPLED_RESULTS]
    principal = plain.body(i).principal_sigmas()
    last = [np.nan] * 3 if principal is None else principal.sigmas.tolist()
    return np.array([np.nan if column is None else float(column[0]) for column in found] + last)


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
