"""Samples of another generator: sigmas of a Monte Carlo roll-up against own samples of all leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from massprops_cli.rollups.inputs import Correlation
    from massprops_cli.verifications.cells import TypedTable
    from massprops_cli.verifications.flat import LeafPath

STANDARD_ERRORS = 6.0  # standard errors of two samplings by which sigmas may differ: 2e-9 by chance
_CHUNK = 2_000
_MOST_PIECES = 16  # pieces of one leaf that are sampled one by one; more deviate as one
_OUT = 13
_Floats = NDArray[np.float64]


def _moments(ten: _Floats, frame: tuple[_Floats, _Floats] | None) -> _Floats:
    """Return mass, first and second moments about the origin of the root (10, n) of ten values (10, n)."""
    mass, c, tensor = ten[0], ten[1:4], ten[[4, 7, 8, 7, 5, 9, 8, 9, 6]].reshape(3, 3, -1)
    if frame is not None:
        rotation, origin = frame
        c = rotation @ c + origin[:, None]
        tensor = np.einsum("ai,bj,ijn->abn", rotation, rotation, tensor)
    square = mass * (c * c).sum(axis=0)
    second = tensor - mass * c[:, None] * c[None]
    entries = [second[k, k] + square for k in range(3)] + [second[0, 1], second[0, 2], second[1, 2]]
    return np.stack([mass, *(mass * c), *entries])


def _results(sums: _Floats) -> _Floats:
    """Return mass, centre, tensor about the centre of each sample and radii of gyration (13, n) of moments (10, n)."""
    mass, h = sums[0], sums[1:4]
    c = h / mass
    whole = (h * c).sum(axis=0)
    entries = [sums[4 + k] - whole + h[k] * c[k] for k in range(3)]
    entries += [sums[7] + h[0] * c[1], sums[8] + h[0] * c[2], sums[9] + h[1] * c[2]]
    return np.stack([mass, *c, *entries, *(np.sqrt(one / mass) for one in entries[:3])])


class LeafSamples:
    """Normal samples of all leaves by the generator SFC64, summed flat over every assembly."""

    def __init__(self, typed: TypedTable, paths: list[LeafPath], correlation: Correlation | None, samples: int) -> None:
        self.paths, self.correlation, self.samples = paths, correlation, samples
        self.random = np.random.Generator(np.random.SFC64(37))
        self.ten = np.array([[float(one or 0) for one in row] for row in typed.values])
        self.spread = np.array([[float(one) for one in row] for row in typed.sigmas])
        self.frames = [(np.array(r, float), np.array(t, float)) for r, t in typed.frames]
        self.shared: set[int] = set() if correlation is None else set(correlation.shared_inputs.tolist())

    def sigmas(self) -> dict[int, tuple[_Floats, _Floats]]:
        """Return sigmas and their standard errors (13,) by assembly."""
        powers: dict[int, _Floats] = {}
        origin: dict[int, _Floats] = {}
        for start in range(0, self.samples, _CHUNK):
            sums = self._chunk(min(_CHUNK, self.samples - start))
            with np.errstate(invalid="ignore", divide="ignore"):
                for item, total in sums.items():
                    found = _results(total)
                    d = found - origin.setdefault(item, np.nan_to_num(np.nanmean(found, axis=1)))[:, None]
                    terms = [np.nansum(d**k, axis=1) for k in range(5)]
                    terms[0] = (~np.isnan(d)).sum(axis=1)
                    powers[item] = powers.get(item, 0.0) + np.array(terms)
        return {item: _spread(one) for item, one in powers.items()}

    def _chunk(self, n: int) -> dict[int, _Floats]:
        """Return samples (10, n) of the moments of every assembly."""
        common, sums = self._common_deviates(n), dict[int, _Floats]()
        for path in self.paths:
            leaf, frame = path.leaf, self.frames[path.leaf] if self.frames else None
            group = -1 if self.correlation is None else int(self.correlation.group[leaf])
            for item, times, weight in zip(path.above, path.times, path.weights, strict=True):
                count = int(abs(times)) if weight == abs(times) and 1 < abs(times) <= _MOST_PIECES else 1
                deviates = self.random.standard_normal((10, count, n))
                if count == 1 and times:  # one piece for all: independent deviates of many pieces average
                    deviates *= float(weight) ** 0.5 / abs(float(times))
                if group >= 0:
                    for k in self.shared:
                        deviates[k] = common[group][k]
                ten = self.ten[leaf][:, None, None] + self.spread[leaf][:, None, None] * deviates
                made = _moments(ten.reshape(10, -1), frame).reshape(10, count, n).sum(axis=1)
                made *= float(times) / count
                sums[item] = sums.get(item, 0.0) + made
        return sums

    def _common_deviates(self, n: int) -> dict[int, _Floats]:
        """Return the deviates (10, n) that the members of each group share; those of coupled groups are correlated."""
        of = self.correlation
        if of is None:
            return {}
        made = {int(g): self.random.standard_normal((10, n)) for g in np.unique(of.group[of.group >= 0])}
        coupled = [int(g) for g in of.coupled.tolist()]
        for k in range(10 if coupled else 0):
            values, vectors = np.linalg.eigh(of.matrix[of.matrix_of[k]])
            root: Any = vectors * np.sqrt(np.maximum(values, 0.0))
            drawn = root @ self.random.standard_normal((len(coupled), n))
            for group, one in zip(coupled, drawn, strict=True):
                if group in made:
                    made[group][k] = one
        return made


def _spread(powers: _Floats) -> tuple[_Floats, _Floats]:
    """Return sigmas and their standard errors (13,) of sums of powers 0 to 4 (5, 13) of deviations."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n = powers[0]
        a, b, c, d = powers[1:] / n
        variance = np.maximum(b - a * a, 0.0)
        fourth = d - 4 * a * c + 6 * a * a * b - 3 * a**4
        error = np.sqrt(np.maximum(fourth - variance**2, 0.0) / n) / (2 * np.sqrt(variance))
    return np.sqrt(variance * n / np.maximum(n - 1, 1)), np.nan_to_num(error)
