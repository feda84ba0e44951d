"""What a simulation says of one item, result by result, beside what holds to first and second order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.result_columns import CORRELATIONS, Spread, of_item, sigma_to_first_order
from massprops_cli.findings import Finding, found
from massprops_cli.rollups.leaf_sums import expected_shifts
from massprops_cli.rollups.montecarlo.agreement import Agreement, Difference, agreement
from massprops_cli.rollups.montecarlo.samples import KINDS, NOT_STATED, PERCENTS, RESULTS, Watched

if TYPE_CHECKING:
    from massprops_cli.bom.outcome import Outcome
    from massprops_cli.bom.read import Bom


Floats = NDArray[np.float64]

NAMES = (*RESULTS, "I1", "I2", "I3")
"""The results of a watched item, the principal moments last."""


@dataclass(frozen=True, slots=True)
class SampledResult:
    """The sampled distribution of one result of one item, in coherent units; NaN for what is not known.

    ``sigma`` has the statistical error ``sigma_error`` and stands beside ``first_order``, the sigma by propagation.
    ``shift`` is how far the mean lies from the value, ``shift_error`` its statistical error, ``predicted`` what second
    order expects of it (FORMULAS 6). ``percentiles (5,)`` belong to ``PERCENTS``; ``edges (b + 1,)`` and ``counts
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
    percentiles: Floats
    edges: Floats
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ItemSamples:
    """What was sampled of one item: every result that is defined, and where it differs from theory beyond accident."""

    item: int
    n: int
    results: Sequence[SampledResult]
    differences: Sequence[Difference]


def samples_of(result: Outcome) -> list[ItemSamples]:
    """Give what was sampled of the root and of the items asked for; nothing where nothing was sampled."""
    sampled, bom = result.rollup.sampled, result.bom
    if sampled is None:
        return []
    shifts = expected_shifts(bom.rollup_inputs(), result.rollup)
    items = [watched.item for watched in sampled.watched]
    compared = agreement(sampled, result.rollup, shifts, items, is_bounded=keeps_within_bounds(result))
    found = []
    for watched in sampled.watched:
        differences = [one for one in compared.differences if one.item == watched.item]
        results = sampled_results(result, watched, compared)
        found.append(ItemSamples(watched.item, watched.n, results, differences))
    return found


def keeps_within_bounds(result: Outcome) -> bool:
    """Tell whether some inputs are drawn with another mean or spread than their value and sigma, because of bounds."""
    bom, sampled = result.bom, result.rollup.sampled
    if any(finding.rule == "MP511" for finding in bom.findings):
        return True
    cut = KINDS.index("truncated")
    by_itself = sampled is not None and sampled.sampling.distribution == KINDS[cut]
    if bom.shapes is None:
        return by_itself
    kinds = np.concatenate([bom.shapes.kind, *bom.shapes.bounded.values()])
    return bool((kinds == cut).any() or (by_itself and (kinds == NOT_STATED).any()))


def samples_that_differ(bom: Bom, samples: Sequence[ItemSamples]) -> list[Finding]:
    """Say of every item sampled whether first order is off beyond accident, and the reason that weighs most."""
    findings = []
    for one in samples:
        if not one.differences:
            continue
        worst = max(one.differences, key=lambda difference: abs(difference.errors_off))
        name = bom.ids[one.item]
        what = "sigma" if worst.kind == "sigma" else "mean"
        results = dict.fromkeys(difference.result for difference in one.differences)
        message = (
            f"{name}: samples of {', '.join(results)} differ from first order, most the {what} of {worst.result}, "
            f"by {abs(worst.errors_off):.0f} statistical errors: {worst.reason}"
        )
        row = int(bom.rows[one.item])
        place = bom.table.place(row) if row >= 0 else bom.table.place(bom.columns.header_row)
        findings.append(found("MP518", message, place, item=name, count=len(results)))
    return findings


def sampled_results(result: Outcome, watched: Watched, compared: Agreement) -> list[SampledResult]:
    """Give what was sampled of a watched item, for every result that is defined."""
    columns = compared_columns(result, watched, compared)
    found = []
    for k, name in enumerate(NAMES):
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


def compared_columns(result: Outcome, watched: Watched, compared: Agreement) -> Floats:
    """Give sigma's error, the sigma to first order, the mean's shift, its error, and the shift predicted ``(5, 16)``.

    Principal moments and parts are not among what is compared, and nothing is predicted for them.
    """
    n = max(watched.n, 2)
    columns = np.full((5, len(NAMES)), np.nan)
    columns[0] = watched.sigma_error
    columns[2] = watched.mean - watched.nominal
    columns[3] = watched.sigma / np.sqrt(n)
    columns[1] = sigmas_to_first_order(result, watched.item)
    for k in np.flatnonzero(compared.items == watched.item):
        known = (compared.sigma_error, compared.first_order, compared.shift, compared.shift_error)
        columns[:4, : len(RESULTS)] = [array[k] for array in known]
        columns[4, : len(RESULTS)] = compared.second_order[k]
    return columns


def sigmas_to_first_order(result: Outcome, i: int) -> Floats:
    """Give the sigmas ``(16,)`` of one item by propagation, NaN for what is not known."""
    plain = replace(result, rollup=replace(result.rollup, sampled=None))
    one = of_item(plain.rollup, i)
    found = [sigma_to_first_order(one, f"sigma_{name}") for name in RESULTS]
    principal = plain.body(i).principal_sigmas()
    last = [np.nan] * 3 if principal is None else principal.sigmas.tolist()
    return np.array([np.nan if column is None else float(column[0]) for column in found] + last)


def dictionary_of_samples(result: Outcome, level: int = 1) -> dict[str, Any]:
    """Give everything that was sampled as plain JSON values: how, and of the root and each item asked for what came."""
    sampled = result.rollup.sampled
    assert sampled is not None
    asked = sampled.sampling
    return {
        "samples": asked.samples,
        "seed": asked.seed,
        "distribution": asked.distribution,
        "percents": list(PERCENTS),
        "items": {
            result.bom.ids[one.item]: {
                "correlations": correlations_of(result, one.item),
                "results": {of.name: dictionary_of_result(of, level) for of in one.results},
                "differences": [dictionary_of_difference(difference, level) for difference in one.differences],
            }
            for one in samples_of(result)
        },
    }


def correlations_of(result: Outcome, i: int) -> dict[str, float | None]:
    """Give the sampled correlations of one item's ten numbers by their names, null beside one without error."""
    spread = Spread(of_item(result.rollup, i))
    columns = {name: spread.correlation(*pair) for name, pair in CORRELATIONS.items()}
    return {name: plain(column)[0] for name, column in columns.items() if column is not None}


def dictionary_of_difference(one: Difference, level: int) -> dict[str, Any]:
    """Give where samples and theory differ as plain JSON values; sigmas at a level."""
    times = level if one.kind == "sigma" else 1
    numbers = {"found": times * one.found, "expected": times * one.expected, "error": times * one.error}
    told = {name: number if np.isfinite(number) else None for name, number in numbers.items()}
    return {"result": one.result, "kind": one.kind, **told, "reason": one.reason}


def dictionary_of_result(one: SampledResult, level: int) -> dict[str, Any]:
    """Give one sampled distribution as plain JSON values; sigmas at a level."""
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
        "percentiles": plain(one.percentiles),
        "histogram": {"edges": plain(one.edges), "counts": one.counts.tolist()},
    }


def plain(values: Floats) -> list[float | None]:
    """Give numbers as JSON can hold them; null for what is not known."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
