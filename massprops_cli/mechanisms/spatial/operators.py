"""Spatial operators of a pose as matrices, bodies outermost first, and those of partitioned and aggregated models."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError, name_list
from massprops_cli.mechanisms.spatial.articulated_bodies import force_transfers
from massprops_cli.mechanisms.spatial.spatial_model import SpatialPose, spatial_inertias
from massprops_cli.trees.digraph import Digraph

_Floats = NDArray[np.float64]
_Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class SpatialOperators:
    """The operators of n bodies with f degrees of freedom.

    Attributes
    ----------
    parents : tuple of int
        Number of the parent of each body in canonical order; −1 for bodies with a joint to the ground.
    names : tuple of str
        Names of the bodies.
    degrees : tuple of int
        Number of coordinates of each body; the coordinates are in this order too.
    coordinates : array of int, shape (f,)
        Index of each of them in the order of the file.
    E, H, M : array, shapes (6 n, 6 n), (f, 6 n), (6 n, 6 n)
        Spatial kernel operator, joint map, and spatial inertias; forces are (moment, force) in ground axes.
    """

    parents: tuple[int, ...]
    names: tuple[str, ...]
    degrees: tuple[int, ...]
    coordinates: _Index
    E: _Floats
    H: _Floats
    M: _Floats

    @classmethod
    def of(cls, pose: SpatialPose) -> SpatialOperators:
        """Return the operators of a pose.

        Parameters
        ----------
        pose : SpatialPose
            The pose.

        Returns
        -------
        SpatialOperators
            The operators.
        """
        n = len(pose.up) - 1
        # the ground, position 0, has no number; the outermost position is number 0
        number = n - np.arange(n + 1)
        transfers, inertias = force_transfers(pose.steps), spatial_inertias(*pose.body_moments)
        E, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
        for k in range(1, n + 1):
            own = _block(int(number[k]))
            M[own, own] = inertias[k]
            if pose.up[k]:
                E[_block(int(number[pose.up[k]])), own] = transfers[k]
        owner = pose.model.owner
        order = np.argsort(number[owner], kind="stable")
        H = np.zeros((len(owner), 6 * n))
        for row, column in enumerate(order.tolist()):
            H[row, _block(int(number[owner[column]]))] = pose.joint_map[column]
        bodies = pose.model.mechanism.bodies
        at = pose.model.tree.order[::-1][:-1] - 1
        parents = tuple(int(number[pose.up[k]]) if pose.up[k] else -1 for k in range(n, 0, -1))
        degrees = tuple(int((owner == k).sum()) for k in range(n, 0, -1))
        return cls(parents, tuple(bodies[i].name for i in at.tolist()), degrees, order, E, H, M)

    @cached_property
    def A(self) -> _Floats:
        """The resolvent (1 − E)⁻¹ ``(6 n, 6 n)``: 1 + E + E² + …, finite since E is nilpotent."""
        return _nilpotent_resolvent(self.E)

    def mass_matrix(self) -> _Floats:
        """Return the mass matrix H A M A* H*.

        Returns
        -------
        array, shape (f, f)
            In the canonical order of the coordinates.
        """
        half = self.H @ self.A
        return np.asarray(half @ self.M @ half.T)

    def lyapunov(self) -> _Floats:
        """Return the solution of the forward Lyapunov equation R = E R E* + M.

        Returns
        -------
        array, shape (6 n, 6 n)
            Block diagonal, the composite-body inertias; A M A* = R + (A − 1) R + R (A − 1)*.
        """
        R = self.M.copy()
        for k, parent in enumerate(self.parents):
            if parent >= 0:
                own, above = _block(k), _block(parent)
                R[above, above] += self.E[above, own] @ R[own, own] @ self.E[above, own].T
        return R

    @cached_property
    def _factors(self) -> tuple[_Floats, _Floats, _Floats]:
        """P, D and G by the Riccati recursion, as block-diagonal matrices."""
        P, n_rows = self.M.copy(), len(self.H)
        D, G = np.zeros((n_rows, n_rows)), np.zeros((len(self.E), n_rows))
        row = 0
        for k, (parent, count) in enumerate(zip(self.parents, self.degrees, strict=True)):
            own, rows = _block(k), slice(row, row + count)
            row += count
            h = self.H[rows, own]
            D[rows, rows] = h @ P[own, own] @ h.T
            if count:
                G[own, rows] = np.linalg.solve(D[rows, rows], h @ P[own, own]).T
            left = P[own, own] - G[own, rows] @ D[rows, rows] @ G[own, rows].T
            if parent >= 0:
                above = _block(parent)
                P[above, above] += self.E[above, own] @ left @ self.E[above, own].T
        return P, D, G

    @property
    def P(self) -> _Floats:
        """Articulated-body inertias ``(6 n, 6 n)``: P = E P E* − K D K* + M."""
        return self._factors[0]

    @property
    def D(self) -> _Floats:
        """Innovations H P H* ``(f, f)``, block diagonal."""
        return self._factors[1]

    @property
    def G(self) -> _Floats:
        """Gains P H* D⁻¹ ``(6 n, f)``."""
        return self._factors[2]

    @property
    def K(self) -> _Floats:
        """Shifted gains E G ``(6 n, f)``."""
        return np.asarray(self.E @ self.G)

    @cached_property
    def Psi(self) -> _Floats:
        """Articulated resolvent (1 − E (1 − G H))⁻¹ ``(6 n, 6 n)``."""
        return _nilpotent_resolvent(self.E - self.K @ self.H)

    def innovation_factor(self) -> _Floats:
        """Return 1 + H A K, with M(θ) = (1 + H A K) D (1 + H A K)*.

        Returns
        -------
        array, shape (f, f)
            Lower triangular by blocks, with units on the diagonal.
        """
        return np.asarray(np.eye(len(self.H)) + self.H @ self.A @ self.K)

    def inverse_factor(self) -> _Floats:
        """Return 1 − H Ψ K, the inverse of 1 + H A K, with M(θ)⁻¹ = (1 − H Ψ K)* D⁻¹ (1 − H Ψ K).

        Returns
        -------
        array, shape (f, f)
            Lower triangular by blocks, with units on the diagonal.
        """
        return np.asarray(np.eye(len(self.H)) - self.H @ self.Psi @ self.K)

    def partition(self, members: Collection[str]) -> PartitionedOperators:
        """Divide the model by a path-induced region.

        Parameters
        ----------
        members : collection of str
            Names of the bodies of S.

        Returns
        -------
        PartitionedOperators
            Blocks of children, members and parents.

        Raises
        ------
        UsageError
            A name is unknown, or the region is not path-induced.
        """
        if unknown := sorted(set(members) - set(self.names)):
            raise UsageError(f"body is not in the model: {unknown[0]}")
        graph, chosen = Digraph.from_parents(self.parents), {self.names.index(name) for name in members}
        if between := graph.path_closure(chosen) - chosen:
            named = name_list([self.names[k] for k in sorted(between)], 8)
            raise UsageError(f"region is not path-induced; bodies on paths between its bodies: {named}")
        part = graph.induced_partition(chosen)
        return PartitionedOperators(self, *(np.array(sorted(nodes), np.intp) for nodes in part))


def _nilpotent_resolvent(E: _Floats) -> _Floats:
    """Return (1 − E)⁻¹ = (1 + E) (1 + E²) (1 + E⁴) …, which ends; blocks that vanish are exactly 0."""
    result, power = np.eye(len(E)) + E, E @ E
    while power.any():
        result = result + result @ power
        power = power @ power
    return np.asarray(result)


def _block(k: int) -> slice:
    """Return the rows of body k."""
    return slice(6 * k, 6 * k + 6)


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedOperators:
    """The operators of children C, members S and parents P of a region, each in canonical order.

    With bodies in the order C, S, P: E = [[E_C, 0, 0], [B_S, E_S, 0], [0, B_P, E_P]], and A = [[A_C, 0, 0],
    [A_S B_S A_C, A_S, 0], [A_P B_P A_S B_S A_C, A_P B_P A_S, A_P]].
    """

    whole: SpatialOperators
    children: _Index
    members: _Index
    parents: _Index

    def rows(self, part: _Index) -> _Index:
        """Return the rows of some bodies in E.

        Parameters
        ----------
        part : array of int, shape (k,)
            Numbers of the bodies.

        Returns
        -------
        array of int, shape (6 k,)
            Rows.
        """
        return (6 * part[:, None] + np.arange(6)).reshape(-1)

    def coordinates(self, part: _Index) -> _Index:
        """Return the coordinates of some bodies, in canonical order.

        Parameters
        ----------
        part : array of int, shape (k,)
            Numbers of the bodies.

        Returns
        -------
        array of int
            Indices.
        """
        ends = np.cumsum(self.whole.degrees)
        return np.array([i for k in part for i in range(ends[k] - self.whole.degrees[k], ends[k])], np.intp)

    def block(self, to: _Index, of: _Index) -> _Floats:
        """Return the block of E from some bodies to others: E_S for S and S, B_S for S and C, B_P for P and S.

        Parameters
        ----------
        to, of : array of int
            Numbers of the bodies of the rows and of the columns.

        Returns
        -------
        array, shape (6 k, 6 l)
            The block.
        """
        return np.asarray(self.whole.E[np.ix_(self.rows(to), self.rows(of))])

    def resolvent(self, part: _Index) -> _Floats:
        """Return the resolvent of a part alone, A_C, A_S or A_P.

        Parameters
        ----------
        part : array of int, shape (k,)
            Numbers of its bodies.

        Returns
        -------
        array, shape (6 k, 6 k)
            (1 − E_part)⁻¹.
        """
        return _nilpotent_resolvent(self.block(part, part))

    def model(self, part: _Index) -> SpatialOperators:
        """Return a part as a model of its own, its highest bodies joined to the ground.

        Parameters
        ----------
        part : array of int, shape (k,)
            Numbers of its bodies.

        Returns
        -------
        SpatialOperators
            The operators of the part.
        """
        number = {int(k): i for i, k in enumerate(part)}
        rows, own = self.rows(part), self.coordinates(part)
        return SpatialOperators(
            tuple(number.get(self.whole.parents[k], -1) for k in part.tolist()),
            tuple(self.whole.names[k] for k in part.tolist()),
            tuple(self.whole.degrees[k] for k in part.tolist()),
            self.whole.coordinates[own],
            self.block(part, part),
            self.whole.H[np.ix_(own, rows)],
            self.whole.M[np.ix_(rows, rows)],
        )

    def aggregated(self) -> AggregatedOperators:
        """Return the model in which the region S is one body.

        Returns
        -------
        AggregatedOperators
            E_a = [[E_C, 0, 0], [B_S, 0, 0], [0, B_P A_S, E_P]], H_a = H_S A_S on S; bodies in the order C, S, P.

        Raises
        ------
        UsageError
            The result would not be a tree.
        """
        ground = len(self.whole.parents)  # has the last number
        with_ground = Digraph.from_parents([*(p if p >= 0 else ground for p in self.whole.parents), -1])
        if not with_ground.is_aggregable(set(self.members.tolist())):
            raise UsageError("region cannot be aggregated: its bodies have several parents outside")
        order = [self.children, self.members, self.parents]
        n, s = [6 * len(one) for one in order], slice(6 * len(self.children), 6 * (len(order[0]) + len(order[1])))
        rows = np.concatenate([self.rows(one) for one in order])
        own = np.concatenate([self.coordinates(one) for one in order])
        A_S = self.resolvent(self.members)
        E = self.whole.E[np.ix_(rows, rows)].copy()
        H = self.whole.H[np.ix_(own, rows)].copy()
        E[s, s] = 0.0
        E[n[0] + n[1] :, s] = self.block(self.parents, self.members) @ A_S
        H[:, s] = H[:, s] @ A_S
        return AggregatedOperators(E, H, self.whole.M[np.ix_(rows, rows)], own, rows)


@dataclass(frozen=True, eq=False, repr=False)
class AggregatedOperators:
    """A model with an aggregated body: ``E``, ``H`` and ``M``, and the places of its rows in the whole model."""

    E: _Floats
    H: _Floats
    M: _Floats
    coordinates: _Index
    rows: _Index

    @cached_property
    def A(self) -> _Floats:
        """The resolvent (1 − E_a)⁻¹; H_a A_a = H A, and the mass matrix is that of the whole."""
        return _nilpotent_resolvent(self.E)

    def mass_matrix(self) -> _Floats:
        """Return the mass matrix H_a A_a M_a A_a* H_a*.

        Returns
        -------
        array, shape (f, f)
            Coordinates in the order C, S, P.
        """
        half = self.H @ self.A
        return np.asarray(half @ self.M @ half.T)
