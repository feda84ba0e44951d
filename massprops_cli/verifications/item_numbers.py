"""Values of items as arrays with their covariances: radii, principal axes, correlations, other frames and points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.inputs import PARAMETER_NAMES
from massprops_cli.verifications.cells import QUANTITIES, RADII
from massprops_cli.verifications.flat import PAIRS, turned_tensor

_Floats = NDArray[np.float64]
_NEAR = 1e-4  # gap of two moments as a share of the largest below which their axes are rounding
_AXES_AGREE = 1e-11  # of entries of axes that turn a tensor to its moments, which are a share of the largest
_TIE = 1e-9  # difference of two components of an axis below which either is the largest
_LEAST_SPREAD = 1e-7  # share of its terms below which a sigma, the root of their difference, is rounding
_TERMS = 1e-3  # share of the tolerance by which the terms of a variance may differ
_TURNED = 1e-4  # share of the tolerance by which correlations of small sigmas next to large ones may differ
_SWEEPS = 12  # of Jacobi's rotations, which converge in fewer
AXES = tuple(f"axis_{k}{a}" for k in (1, 2, 3) for a in "xyz")
PRINCIPAL = tuple(f"principal_{k}" for k in (1, 2, 3))
RHO = tuple(f"rho_{a}_{b}" for i, a in enumerate(PARAMETER_NAMES) for b in PARAMETER_NAMES[i + 1 :])


class RecomputedNumbers:
    """Ten values (n, 10) of n items, their covariances (n, 13, 13) with the squares of the radii; NaN unknown.

    ``printed`` axes (n, 3, 3) are those of the roll-up, which are used where rounding decides and they are axes.
    """

    def __init__(self, ten: _Floats, covariance: _Floats | None, printed: _Floats | None = None) -> None:
        self.ten, self.covariance, self.printed = ten, covariance, printed
        self.is_apart = False  # method massprops: sigmas of turned parts have no correlations

    def column(self, name: str) -> _Floats | None:
        """Return a number of every item (n,), coherent units; None for a name of another kind."""
        base, found = name.removeprefix("sigma_"), None
        if name in QUANTITIES:
            found = self.ten[:, QUANTITIES.index(name)]
        elif name in RADII:
            found = self.radii[:, RADII.index(name)]
        elif name in (*PRINCIPAL, *AXES):
            moments, axes = self.principal
            found = np.concatenate([moments, axes.reshape(-1, 9)], axis=1)[:, (*PRINCIPAL, *AXES).index(name)]
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.covariance is not None and name in RHO:
                a, b = (PARAMETER_NAMES.index(one) for one in name.removeprefix("rho_").split("_"))
                found = self.covariance[:, a, b] / (self._sigma(a) * self._sigma(b))
            elif self.covariance is not None and base != name:
                if base in QUANTITIES:
                    found = self._sigma(QUANTITIES.index(base))
                elif base in RADII:  # dk = d(k²) / 2k
                    k = RADII.index(base)
                    found = self._sigma(10 + k) / (2 * self.radii[:, k])
                elif base in PRINCIPAL:
                    found = self._principal_sigma(PRINCIPAL.index(base))
        return found

    def _sigma(self, k: int) -> _Floats:
        """Return √V[k, k] (n,)."""
        assert self.covariance is not None
        return np.asarray(np.sqrt(np.maximum(self.covariance[:, k, k], 0.0)))

    @cached_property
    def radii(self) -> _Floats:
        """Radii of gyration (n, 3); NaN for a point."""
        moments = self.ten[:, 4:7]
        with np.errstate(invalid="ignore", divide="ignore"):
            made = np.sqrt(moments / self.ten[:, :1])
        return np.where(((moments == 0).all(axis=1) | np.isnan(made).any(axis=1))[:, None], np.nan, made)

    @cached_property
    def principal(self) -> tuple[_Floats, _Floats]:
        """Moments (n, 3), ascending, and axes (n, 3, 3) by rows: the largest component of the first two is positive."""
        moments, axes = _jacobi(self.ten[:, 4:])
        size = np.abs(axes)
        largest = np.take_along_axis(axes, size.argmax(axis=2)[..., None], axis=2)
        axes = axes * np.where(largest < 0, -1.0, 1.0)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        if self.printed is None:
            return moments, axes
        norm, given = np.abs(moments).max(axis=1), np.nan_to_num(self.printed)
        top = np.sort(size, axis=2)[:, :2]
        free = (np.diff(moments, axis=1) <= _NEAR * norm[:, None]).any(axis=1)
        free |= (top[..., 2] - top[..., 1] < _TIE).any(axis=1)
        A = self.ten[:, 4:][:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        turned, back = given @ A @ np.swapaxes(given, 1, 2), given @ np.swapaxes(given, 1, 2)
        free &= np.abs(turned - moments[:, None] * np.eye(3)).max(axis=(1, 2)) <= _AXES_AGREE * norm
        free &= (np.abs(back - np.eye(3)).max(axis=(1, 2)) <= _AXES_AGREE) & (_volume(given) > 0)
        free &= (given[:, :2].max(axis=2) >= np.abs(given[:, :2]).max(axis=2) - _TIE).all(axis=1)
        return moments, np.where(free[:, None, None], given, axes)

    def _principal_sigma(self, k: int) -> _Floats:
        """Return √(g V gᵀ) (n,): docs/formulas.md, section 5."""
        assert self.covariance is not None
        axis = self.principal[1][:, k]
        g = np.stack([(1 + (a != b)) * axis[:, a] * axis[:, b] for a, b in PAIRS], 1)
        V = self.covariance[:, 4:10, 4:10] * (np.eye(6) if self.is_apart else 1.0)
        return np.asarray(np.sqrt(np.maximum(np.einsum("na,nab,nb->n", g, V, g), 0.0)))

    def about(self, point: Sequence[float]) -> RecomputedNumbers:
        """Return the numbers with tensors about a point (3,), in the same axes: docs/formulas.md, section 2."""
        ten, J, m = self.ten.copy(), np.tile(np.eye(10), (len(self.ten), 1, 1)), self.ten[:, 0]
        d = ten[:, 1:4] - np.array(point)
        for k, (a, b) in enumerate(PAIRS, 4):
            J[:, k, 0] = (d * d).sum(axis=1) * (a == b) - d[:, a] * d[:, b]
            ten[:, k] += m * J[:, k, 0]
            for c in range(3):
                J[:, k, 1 + c] = m * (2 * d[:, c] * (a == b) - d[:, b] * (a == c) - d[:, a] * (b == c))
        if self.covariance is None:
            return RecomputedNumbers(ten, None)
        return RecomputedNumbers(ten, with_squares(ten, J @ self.covariance[:, :10, :10] @ np.swapaxes(J, 1, 2)))

    def scale(self, name: str, sums: _Floats) -> _Floats:
        """Return what differences are relative to (n,); ``sums`` (n, 3) are those of masses, places and tensors."""
        base = name.removeprefix("sigma_").removeprefix("predicted_").replace("allowance_mass", "mass")
        kind = "m" if base == "mass" else base[0] if base in (*QUANTITIES, *RADII, *PRINCIPAL) else ""
        radius = np.nan_to_num(self.radii).max(axis=1)
        if name in RHO and self.covariance is not None:  # rounding of turned covariances
            size, top = [], []
            for k in (PARAMETER_NAMES.index(one) for one in name.removeprefix("rho_").split("_")):
                of = slice(0, 1) if k == 0 else slice(1, 4) if k < 4 else slice(4, 10)
                size.append(self._sigma(k))
                top.append(np.sqrt(np.nan_to_num(self.covariance[:, range(13), range(13)][:, of]).max(axis=1)))
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(np.fmax(1.0, _TURNED * top[0] * top[1] / (size[0] * size[1])))
        if not name.startswith("sigma_"):
            found = {"m": sums[:, 0], "C": sums[:, 1], "I": sums[:, 2], "p": sums[:, 2], "k": radius}
            return np.asarray(found.get(kind, np.full(len(radius), 100.0 if name == "allowance_percent" else 1.0)))
        of_tensor = (*(f"sigma_{q}" for q in QUANTITIES[4:]),)
        near = {"m": (name,), "C": ("sigma_Cx", "sigma_Cy", "sigma_Cz"), "k": [f"sigma_{k}" for k in RADII]}
        spread = [self.column(one) for one in near.get(kind, of_tensor)]
        found = np.nan_to_num(np.array(spread, float)).max(axis=0)
        if kind not in ("k", "p"):
            return np.asarray(found)
        # differences of shared values: the rounding of a variance is that of its terms
        own = np.nan_to_num(np.asarray(self.column(name), float))
        terms = np.nan_to_num([self._sigma(k) for k in range(4, 10)]).max(axis=0)
        if kind == "k":
            terms = np.divide(terms, 2 * self.ten[:, 0] * radius, out=np.zeros(len(terms)), where=radius > 0)
        return np.asarray(np.fmax(found, _TERMS * terms**2 / np.fmax(own, _LEAST_SPREAD * terms + 1e-300)))

    def turned(self, rotation: _Floats, origin: _Floats) -> RecomputedNumbers:
        """Return the numbers in frames (n, 3, 3), (n, 3) of the items' rows."""
        ten, n = self.ten.copy(), len(self.ten)
        back = np.swapaxes(rotation, 1, 2)
        ten[:, 1:4] = np.einsum("nab,nb->na", back, ten[:, 1:4] - origin)
        r = [[back[:, a, b] for b in range(3)] for a in range(3)]
        unit = np.eye(6)[:, :, None]
        turn = np.stack([np.stack(turned_tensor(r, list(one)), 1) for one in unit], 2)
        ten[:, 4:] = np.einsum("nij,nj->ni", turn, ten[:, 4:])
        if self.covariance is None:
            return RecomputedNumbers(ten, None)
        M = np.zeros((n, 10, 10))
        M[:, 0, 0], M[:, 1:4, 1:4], M[:, 4:, 4:] = 1.0, back, turn
        V = M @ self.covariance[:, :10, :10] @ np.swapaxes(M, 1, 2)
        return RecomputedNumbers(ten, with_squares(ten, V))


def _volume(axes: _Floats) -> _Floats:
    """Return the determinants (n,) of three vectors (n, 3, 3)."""
    return np.asarray((np.cross(axes[:, 0], axes[:, 1]) * axes[:, 2]).sum(axis=1))


def with_squares(ten: _Floats, V: _Floats) -> _Floats:
    """Return covariances (n, 13, 13) with the squares of the radii, d(k²) = dI/m − I/m² dm, of V (n, 10, 10)."""
    J = np.zeros((len(ten), 13, 10))
    J[:, range(10), range(10)] = 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        for k in range(3):
            J[:, 10 + k, 4 + k], J[:, 10 + k, 0] = 1 / ten[:, 0], -ten[:, 4 + k] / ten[:, 0] ** 2
    J[np.isinf(J)] = np.nan
    return np.asarray(np.einsum("nia,nab,njb->nij", J, V, J))


def _jacobi(six: _Floats) -> tuple[_Floats, _Floats]:
    """Return eigenvalues (n, 3), ascending, and vectors (n, 3, 3) by rows, of tensors (n, 6), by Jacobi's rotations."""
    A = np.nan_to_num(six)[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    vectors = np.tile(np.eye(3), (len(A), 1, 1))
    for p, q in [(0, 1), (0, 2), (1, 2)] * _SWEEPS:
        angle = 0.5 * np.arctan2(2 * A[:, p, q], A[:, q, q] - A[:, p, p])
        turn = np.tile(np.eye(3), (len(A), 1, 1))
        turn[:, p, p] = turn[:, q, q] = np.cos(angle)
        turn[:, p, q], turn[:, q, p] = -np.sin(angle), np.sin(angle)
        A, vectors = turn @ A @ np.swapaxes(turn, 1, 2), turn @ vectors
    moments = A[:, range(3), range(3)]
    order = np.argsort(moments, axis=1, kind="stable")
    unknown = np.isnan(six).any(axis=1)
    moments, vectors = np.take_along_axis(moments, order, 1), np.take_along_axis(vectors, order[..., None], 1)
    moments[unknown], vectors[unknown] = np.nan, np.nan
    return moments, vectors
