"""The flat oracle: a node's covariance as one sum over all leaves below it, with no levels between.

    V = Σ_independent w_i A_i A_iᵀ + Σ_gh Σ_k R_k[g, h] G_g[:, k] G_h[:, k]ᵀ
    A_i = T(c_node − c_i) L_i,   L_i = diag(s_m, m s_cx … m s_cz, s_Ixx … s_Iyz),   G_g = Σ_i n_i A_i over members

T moves ten additive parameters p = (m, h, J) to another reference point; it is built here from the definition of the
moments, column by column. Everything is in extended precision where the machine has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.oracles.case import ALONE, Case, Floats

Long = np.longdouble
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
CENTERS = slice(1, 4)


def six(matrix: Floats) -> Floats:
    """The entries xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return np.array([matrix[a, b] for a, b in ENTRIES])


def matrix(entries: Floats) -> Floats:
    """The symmetric matrix of six entries.

    >>> six(matrix(np.arange(6.0))).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    """
    full = np.empty((3, 3), entries.dtype)
    for value, (a, b) in zip(entries, ENTRIES, strict=True):
        full[a, b] = full[b, a] = value
    return full


def moved(s: Floats) -> Floats:
    """T(s): the ten parameters about O + s from those about O, J' = J + m (s² 1 − s sᵀ) − (2 s·h 1 − s hᵀ − h sᵀ).

    >>> one, two = np.array([1.0, 2, 3]), np.array([0.5, -1, 4])
    >>> bool((moved(one) @ moved(two) == moved(one + two)).all())
    True
    """
    one = np.eye(3, dtype=s.dtype)
    t = np.eye(10, dtype=s.dtype)
    t[CENTERS, 0] = -s
    t[4:, 0] = six(s @ s * one - np.outer(s, s))
    for a in range(3):
        t[4:, 1 + a] = six(np.outer(s, one[a]) + np.outer(one[a], s) - 2 * s[a] * one)
    return t


@dataclass(frozen=True)
class Node:
    """A node's mass, centre, tensor and covariance ``(10, 10)`` of (m, h, J), about its own centre."""

    mass: Floats
    center: Floats
    tensor: Floats
    covariance: Floats

    @classmethod
    def of(cls, case: Case, node: int) -> Node:
        """Sum everything below one item of a case."""
        ends = list(case.below(node))
        here = case.ten[ends[0].item, CENTERS].astype(Long)  # moments about some leaf keep the digits
        total = np.zeros(10, Long)
        for item, factor, _ in ends:
            own = np.concatenate([case.ten[item, :1], np.zeros(3), case.own_tensor(item)]).astype(Long)
            total += Long(factor) * (moved(here - case.ten[item, CENTERS]) @ own)
        step = total[CENTERS] / total[0] if total[0] else np.zeros(3, Long)
        about = moved(step) @ total
        return cls(about[0], here + step, about[4:], covariance(case, node, here, step))

    def sigma(self, derivative: Floats) -> Floats:
        """sqrt(q V qᵀ) for rows q ``(…, 10)``."""
        variance = np.einsum("...a,ab,...b->...", derivative, self.covariance, derivative)
        return np.sqrt(np.maximum(variance, 0))

    def ten(self) -> Floats:
        """Sigmas of mass, centre and tensor ``(10,)``."""
        scale = np.concatenate([[1], np.full(3, 1 / abs(self.mass)), np.ones(6)])
        return self.sigma(np.eye(10, dtype=Long) * scale)

    def radii(self) -> Floats:
        """Sigmas of k = sqrt(I / m): dk = k (dI / I − dm / m) / 2."""
        rows = np.zeros((3, 10), Long)
        for a in range(3):
            moment = self.tensor[a]
            k = np.sqrt(moment / self.mass)
            rows[a, 4 + a], rows[a, 0] = k / (2 * moment), -k / (2 * self.mass)
        return self.sigma(rows)

    def principal(self) -> tuple[Floats, Floats]:
        """Moments, ascending, and their sigmas: dλ = v·dI v."""
        moments, axes = np.linalg.eigh(matrix(self.tensor).astype(float))
        rows = np.zeros((3, 10), Long)
        for k, v in enumerate(axes.T):
            rows[k, 4:] = [v[a] * v[b] * (1 if a == b else 2) for a, b in ENTRIES]
        return moments, self.sigma(rows)

    def about(self, point: Floats) -> tuple[Floats, Floats]:
        """Tensor about a fixed point, and its sigmas ``(6,)``."""
        t = moved(np.asarray(point, Long) - self.center)
        own = np.concatenate([[self.mass], np.zeros(3), self.tensor])
        return (t @ own)[4:], self.sigma(t[4:])


def covariance(case: Case, node: int, point: Floats, offset: Floats | float = 0.0) -> Floats:
    """V ``(10, 10)`` of one item about a point; ``offset`` from there where their sum would lose digits."""
    v = np.zeros((10, 10), Long)
    shared: dict[int, Floats] = {}
    for item, factor, weight in case.below(node):
        ten, sigma = case.ten[item].astype(Long), case.own_sigma(item).astype(Long)
        sigma[CENTERS] *= ten[0]
        a = moved(point - ten[CENTERS] + offset) @ np.diag(sigma)
        group = int(case.group[item])
        if group == ALONE:
            v += Long(weight) * a @ a.T
            continue
        together = a.copy()
        if not case.shares_centers:
            apart = a[:, CENTERS]
            v += Long(weight) * apart @ apart.T
            together[:, CENTERS] = 0
        shared[group] = shared.get(group, np.zeros((10, 10), Long)) + Long(factor) * together
    for g, one in shared.items():
        for h, other in shared.items():
            rho = correlations(case, g, h)
            if rho.any():
                v += (one * rho) @ other.T
    return v


def correlations(case: Case, g: int, h: int) -> Floats:
    """The correlation of two groups' deviates ``(10,)``, quantity by quantity."""
    if case.coupled is not None and case.matrix is not None:
        at = {int(group): k for k, group in enumerate(case.coupled)}
        if g in at and h in at:
            return case.matrix[:, at[g], at[h]].astype(Long)
    return np.full(10, Long(g == h))
