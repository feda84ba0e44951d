"""What a simulation says of one item, result by result, beside what holds to first and second order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.arrays import of_item, sigma_to_first_order
from massprops_cli.rollup.montecarlo.sampling import PERCENTS, RESULTS, Watched

if TYPE_CHECKING:
    from massprops_cli.bom.outcome import Outcome

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


def sampled_results(result: Outcome, watched: Watched) -> list[SampledResult]:
    """Give what was sampled of a watched item, for every result that is defined."""
    first_order, predicted = sigmas_to_first_order(result, watched.item), shifts_predicted(result, watched.item)
    errors = statistical_errors(result, watched)
    found = []
    for k, name in enumerate(NAMES):
        if np.isfinite(watched.mean[k]):
            found.append(
                SampledResult(
                    name,
                    float(watched.mean[k]),
                    float(watched.sigma[k]),
                    float(errors[k]),
                    first_order.get(name, float("nan")),
                    float(watched.mean[k] - watched.nominal[k]),
                    float(watched.sigma[k] / np.sqrt(watched.n)),
                    predicted.get(name, float("nan")),
                    watched.percentiles[:, k],
                    watched.edges[k],
                    watched.counts[k],
                )
            )
    return found


def statistical_errors(result: Outcome, watched: Watched) -> Floats:
    """Give the statistical errors ``(16,)`` of the sampled sigmas.

    From the samples' fourth moments where they were kept, else as for normal results, σ/√(2(n − 1)).
    """
    errors = watched.sigma / np.sqrt(2 * (watched.n - 1))
    sampled = of_item(result.rollup, watched.item).sampled
    if sampled is not None and len(sampled.sigma_error):
        kept = sampled.sigma_error[0]
        errors[: len(RESULTS)] = np.where(np.isfinite(kept), kept, errors[: len(RESULTS)])
    return np.asarray(errors)


def sigmas_to_first_order(result: Outcome, i: int) -> dict[str, float]:
    """Give the sigmas of one item by propagation."""
    one = of_item(replace(result.rollup, sampled=None), i)
    found = {name: sigma_to_first_order(one, f"sigma_{name}") for name in RESULTS}
    sigmas = {name: float(column[0]) for name, column in found.items() if column is not None}
    principal = replace(result, rollup=replace(result.rollup, sampled=None)).body(i).principal_sigmas()
    if principal is not None:
        sigmas |= dict(zip(NAMES[-3:], principal.sigmas.tolist(), strict=True))
    return sigmas


def shifts_predicted(result: Outcome, i: int) -> dict[str, float]:
    """Give how far second order expects the means of centre and tensor to lie from their values."""
    return {}


def dictionary_of_samples(result: Outcome, level: int = 1) -> dict[str, Any]:
    """Give everything that was sampled as plain JSON values: how, and of the root and each item asked for what came."""
    sampled = result.rollup.sampled
    assert sampled is not None
    asked = sampled.sampling
    items = {}
    for watched in sampled.watched:
        results = sampled_results(result, watched)
        items[result.bom.ids[watched.item]] = {one.name: dictionary_of_result(one, level) for one in results}
    return {
        "samples": asked.samples,
        "seed": asked.seed,
        "distribution": asked.distribution,
        "percents": list(PERCENTS),
        "items": items,
    }


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
