"""Comparison of samples with first-order sigmas and second-order shifts of the mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.inputs import SAMPLED_RESULTS
from massprops_cli.rollups.montecarlo.samples import FEW_SAMPLES, SampledRollup
from massprops_cli.rollups.rollup import Rollup

_Floats = NDArray[np.float64]
_SIGNIFICANT_SIGMAS = 4.0  # number of standard errors beyond which a difference is significant: chance of 1 in 16,000
_RELEVANT_SIGMA, _RELEVANT_SHIFT = 0.02, 0.1
"""Shares of the sigma below which a difference of sigmas, of means does not matter, however many samples resolve it."""
_ROUNDING_DIFFERENCE = 1e-9  # differences of less than this share of what is compared are rounding
_ROUNDING_SIGMA = 1e-12
"""Sigmas of less than this share of the values are rounding: deviations that cancel leave that much."""
_LARGE_UNCERTAINTY = 0.05  # a relative sigma from which on first order is visibly off
_BOUNDS_CAUSE = "bounds truncate the spread stated by the sigmas, or shift the means from the values"
_CHANCE_CAUSE = "mass is a linear sum: the difference is due to chance, or the samples are too few for a long tail"


class SampleDifference(NamedTuple):
    """One result where samples and theory differ significantly."""

    item: int
    result: str
    kind: str  # sigma or mean
    found: float  # sampled sigma, or shift of the mean; unit of the result
    expected: float  # first-order sigma, or second-order shift, NaN without one
    error: float  # statistical error of found
    reason: str

    @property
    def errors_off(self) -> float:
        """Difference of the samples from first order, which keeps the mean at the value, in statistical errors."""
        away = self.found - self.expected if self.kind == "sigma" else self.found
        return away / self.error if self.error else float(np.copysign(np.inf, away))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement:
    """Sampled and predicted values of k assemblies, (k, 13) in the order and units of ``SAMPLED_RESULTS``."""

    items: NDArray[np.int32]  # (k,)
    sigma: _Floats  # sampled
    sigma_error: _Floats
    first_order: _Floats  # sigmas of the roll-up
    shift: _Floats  # sampled means minus nominal values
    shift_error: _Floats
    second_order: _Floats  # predicted shifts: 0 for masses, NaN for radii of gyration
    is_bounded: bool = False  # bounds truncate some inputs, which no order of propagation includes
    differences: Sequence[SampleDifference] = ()  # significant ones


def sample_agreement(
    sampled: SampledRollup,
    rolled: Rollup,
    shifts: tuple[NDArray[np.int32], _Floats],
    items: Sequence[int],
    *,
    is_bounded: bool = False,
) -> Agreement:
    """Compare samples with first order and its shifts (k,), (k, 9): docs/formulas.md, section 7."""
    _, rows, at = np.intersect1d(sampled.items, shifts[0], return_indices=True)
    requested = np.isin(sampled.items[rows], list(items))
    rows, at = rows[requested], at[requested]
    own = sampled.items[rows]
    radii = np.full((len(rows), 3), np.nan)
    compared = Agreement(
        own, sampled.sigma[rows], sampled.sigma_error[rows], _first_order_sigmas(rolled)[own], sampled.shift[rows],
        sampled.shift_error[rows], np.hstack([np.zeros((len(rows), 1)), shifts[1][at], radii]), is_bounded,
    )  # fmt: skip
    if sampled.sampling.samples < FEW_SAMPLES:
        return compared
    defined = sampled.n[rows] / sampled.sampling.samples
    return replace(
        compared, differences=(*_sigma_differences(compared, rolled, defined), *_mean_differences(compared, rolled))
    )


def _first_order_sigmas(rolled: Rollup) -> _Floats:
    """Return the sigmas of ``SAMPLED_RESULTS`` that a roll-up computed ``(n, 13)``; NaN where it has none."""
    sigmas = np.full((len(rolled.bodies.mass), 13), np.nan)
    if rolled.sigmas is None:
        return sigmas
    sigmas[:, 0] = rolled.sigmas.mass
    if rolled.sigmas.center is not None:
        sigmas[:, 1:4] = rolled.sigmas.center
    if rolled.sigmas.inertia is not None:
        sigmas[:, 4:10] = rolled.sigmas.inertia
    if rolled.sigma_radii is not None:
        sigmas[:, 10:] = rolled.sigma_radii
    return sigmas


def _sigma_differences(compared: Agreement, rolled: Rollup, defined: _Floats) -> Iterator[SampleDifference]:
    """List the sigmas that differ from first order; ``defined (k, 13)`` is the share of samples with a result."""
    sizes = _nominal_sizes(rolled, compared.items)
    sizes[:, 1:4] = sizes[:, 10:]  # samples of a centre are measured from the nominal one, wherever that lies
    dust = np.fmax(_ROUNDING_DIFFERENCE * np.abs(compared.first_order), _ROUNDING_SIGMA * sizes)
    dust = np.fmax(dust, _RELEVANT_SIGMA * compared.sigma)
    off = _is_significant(np.abs(compared.sigma - compared.first_order), compared.sigma_error, dust)
    for k, q in zip(*np.nonzero(off), strict=True):
        item = int(compared.items[k])
        reason = _difference_cause(compared, rolled, int(k), int(q))
        if defined[k, q] < 1.0:
            reason = f"{SAMPLED_RESULTS[q]} is undefined in {_share_percent_text(1.0 - defined[k, q])} of the samples"
        found, expected, error = (float(x[k, q]) for x in (compared.sigma, compared.first_order, compared.sigma_error))
        yield SampleDifference(item, SAMPLED_RESULTS[q], "sigma", found, expected, error, reason)


def _mean_differences(compared: Agreement, rolled: Rollup) -> Iterator[SampleDifference]:
    """List the means that differ from the nominal values, which first order keeps."""
    dust = np.fmax(_ROUNDING_DIFFERENCE * _nominal_sizes(rolled, compared.items), _RELEVANT_SHIFT * compared.sigma)
    shifted = _is_significant(np.abs(compared.shift), compared.shift_error, dust)
    for k, q in zip(*np.nonzero(shifted), strict=True):
        item = int(compared.items[k])
        found, expected, error = (float(x[k, q]) for x in (compared.shift, compared.second_order, compared.shift_error))
        if q == 0 or not np.isfinite(expected):
            reason = _difference_cause(compared, rolled, int(k), int(q))
        elif abs(found - expected) <= _SIGNIFICANT_SIGMAS * error:
            reason = f"second order predicts a shift of {expected:+.3g}"
        else:
            why = _difference_cause(compared, rolled, int(k), int(q))
            reason = f"second order predicts a shift of {expected:+.3g} only: {why}"
        yield SampleDifference(item, SAMPLED_RESULTS[q], "mean", found, expected, error, reason)


def _is_significant(difference: _Floats, error: _Floats, dust: _Floats) -> NDArray[np.bool_]:
    """Return which differences are due neither to chance nor to ``dust``; undefined ones are not significant."""
    with np.errstate(invalid="ignore"):
        return np.asarray((difference > _SIGNIFICANT_SIGMAS * error) & (difference > dust))


def _nominal_sizes(rolled: Rollup, items: NDArray[np.int32]) -> _Floats:
    """Return what rounding is measured by ``(k, 13)``: mass, largest coordinate, largest entry, largest radius."""
    sizes = np.zeros((len(items), 13))
    sizes[:, 0] = np.abs(rolled.bodies.mass[items])
    groups = ((slice(1, 4), rolled.bodies.center), (slice(4, 10), rolled.bodies.inertia), (slice(10, 13), rolled.radii))
    for columns, values in groups:
        if values is not None:
            sizes[:, columns] = np.abs(np.nan_to_num(values[items])).max(axis=1, keepdims=True)
    return sizes


def _difference_cause(compared: Agreement, rolled: Rollup, k: int, result: int) -> str:
    """Return why first order is not sufficient: the largest relative uncertainty, or inputs with bounds."""
    # masses are linear sums: first order neglects nothing, so bounds are the only cause
    if result == 0:
        return _BOUNDS_CAUSE if compared.is_bounded else _CHANCE_CAUSE
    if compared.first_order[k, result] == 0.0:
        return f"first-order sigma of {SAMPLED_RESULTS[result]} is 0; its uncertainty is of second order"
    relative = _relative_uncertainties(rolled, int(compared.items[k]), result, compared.first_order[k])
    size, words = max(relative, default=(0.0, ""))
    causes = [words.format(_share_percent_text(size))] if relative else []
    if compared.is_bounded:
        return "; ".join([_BOUNDS_CAUSE, *(causes if size >= _LARGE_UNCERTAINTY else [])])
    if size >= _LARGE_UNCERTAINTY:
        return causes[0]
    return "; ".join(["the samples are enough to resolve second-order terms, which first order neglects", *causes])


def _relative_uncertainties(rolled: Rollup, item: int, result: int, sigmas: _Floats) -> list[tuple[float, str]]:
    """List the relative uncertainties of one assembly, each with its words."""
    bodies = rolled.bodies
    pairs = [(float(sigmas[0]), float(bodies.mass[item]), "sigma of the mass is {} of its value")]
    if bodies.inertia is not None and result >= 4:
        entry = result if result < 10 else result - 6
        value = float(bodies.inertia[item, entry - 4])
        if entry < 7:
            pairs.append((float(sigmas[entry]), value, f"sigma of {SAMPLED_RESULTS[entry]} is {{}} of its value"))
    if rolled.radii is not None:
        radius = float(np.max(rolled.radii[item]))
        pairs.append(
            (float(np.max(sigmas[1:4])), radius, "sigma of the centre of mass is {} of the radius of gyration")
        )
    return [(s / abs(v), words) for s, v, words in pairs if np.isfinite(s) and np.isfinite(v) and v != 0.0]


def _share_percent_text(share: float) -> str:
    """Return a share as a percentage with two digits."""
    return f"{100 * share:.2g} %"
