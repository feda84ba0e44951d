"""Uncertain poses: the 6×6 covariance of a shift and a small rotation in parent axes, and its effect on the numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.bodies import full_tensors, phi, six_entries
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import AngleUnit, Poses, radians
from massprops_cli.bodies.rotations import cross_matrices
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PoseCovariances:
    """Covariances of the poses of n frames.

    Attributes
    ----------
    matrix : array, shape (n, 6, 6), length², length × rad, rad²
        Covariance of (δt_x, δt_y, δt_z, δθ_x, δθ_y, δθ_z), axes of the parent; the rotation is about the own origin.

    Examples
    --------
    >>> bracket = PoseCovariances.from_sigmas([[0.1, 0.1, 0.2]], [[0.0, 0.0, 0.5]], "deg")
    >>> float(bracket.matrix[0, 2, 2].round(12))
    0.04
    """

    matrix: _Floats

    @classmethod
    def from_sigmas(cls, translation: ArrayLike, rotation: ArrayLike, unit: AngleUnit) -> PoseCovariances:
        """Return covariances of independent deviations.

        Parameters
        ----------
        translation : array, shape (n, 3), length
            One standard deviation of each coordinate of the origin.
        rotation : array, shape (n, 3), ``unit``
            One standard deviation of the rotation about each axis of the parent.
        unit : {"deg", "rad"}
            Unit of ``rotation``.

        Returns
        -------
        PoseCovariances
            Diagonal matrices.

        Raises
        ------
        UsageError
            A sigma is negative, or the unit is unknown.
        """
        angles = radians(np.atleast_2d(np.asarray(rotation, dtype=float)), unit)
        sigmas = np.concatenate([np.atleast_2d(np.asarray(translation, dtype=float)), angles], axis=1)
        if not (sigmas >= 0).all():
            raise UsageError("a sigma of a pose is negative or missing")
        return cls(sigmas[:, :, None] ** 2 * np.eye(6))

    def in_root(self, poses: Poses, parent: ArrayLike) -> PoseCovariances:
        """Return the covariances in the axes of the root.

        Parameters
        ----------
        poses : Poses
            n poses in the root, as ``Poses.in_root`` returns them.
        parent : array of int, shape (n,)
            Number of the parent of each item; −1 for a root.

        Returns
        -------
        PoseCovariances
            Each turned by the rotation of the item's parent; those of roots unchanged.
        """
        above = np.asarray(parent, dtype=np.intp)
        R = np.where((above >= 0)[:, None, None], poses.rotation[above], np.eye(3))
        turn = np.zeros((len(R), 6, 6))
        turn[:, :3, :3] = turn[:, 3:, 3:] = R
        return PoseCovariances(turn @ self.matrix @ np.swapaxes(turn, 1, 2))

    def parameter_covariances(self, parameters: ArrayLike, pivot: ArrayLike) -> _Floats:
        """Return the covariances that uncertain poses add to ten parameters.

        Parameters
        ----------
        parameters : array, shape (n, 10)
            (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) of everything below each frame, about a fixed point; axes of
            ``matrix``.
        pivot : array, shape (n, 3), length
            Origin of each frame from that point.

        Returns
        -------
        array, shape (n, 10, 10)
            D C Dᵀ of the same ten parameters about the same point. It is added to the covariance of the branch where
            the branch enters its parent, so that all parts of the branch share it and branches are independent.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        D = pose_derivatives(np.asarray(parameters, dtype=float), np.asarray(pivot, dtype=float))
        return np.asarray(D @ self.matrix @ np.swapaxes(D, 1, 2))

    def in_assemblies(
        self, branches: BodyArray, origins: ArrayLike, parent: ArrayLike, count: ArrayLike | None = None
    ) -> _Floats:
        """Return the covariances that the poses of a tree add to its assemblies.

        Parameters
        ----------
        branches : BodyArray
            What each item weighs with everything below it, as a roll-up returns it; n bodies, axes of the root.
        origins : array, shape (n, 3), length
            Origins of the frames in the root, as ``Poses.in_root`` returns them.
        parent : array of int, shape (n,)
            Number of the parent of each item; −1 for a root.
        count : array, shape (n,), optional
            Pieces of each item in its parent; default: 1. All pieces share the pose of the item; the poses within
            each of them are independent.

        Returns
        -------
        array, shape (n, 10, 10)
            Covariance of (m, h, J) about the centre of each item, to be added to that of its roll-up; 0 for leaves. The
            pose of an item counts from its parent upwards, the same way for everything below it.

        Raises
        ------
        UsageError
            A branch has no centre, or the tree has a loop.

        Notes
        -----
        ``matrix`` is in the axes of the root, as ``PoseCovariances.in_root`` returns it. The covariances go up with the
        T of docs/formulas.md, sections 5 and 12.
        """
        above, at = np.asarray(parent, dtype=np.intp), np.asarray(origins, dtype=float)
        if not np.isfinite(centers := branches.center.astype(float)).all():
            raise UsageError(f"item {int(np.flatnonzero(~np.isfinite(centers).all(axis=1))[0])} has no centre of mass")
        pieces = np.ones(len(above)) if count is None else np.asarray(count, dtype=float)
        V = np.zeros((len(above), 10, 10))
        depth = _depths(above)
        for level in range(int(depth.max(initial=0)), 0, -1):
            items = np.flatnonzero(depth == level)
            up = above[items]
            ten = branches[items].parameters(centers[up])
            own = PoseCovariances(self.matrix[items]).parameter_covariances(ten, at[items] - centers[up])
            T = _point_matrices(centers[up] - centers[items])
            n = pieces[items, None, None]
            np.add.at(V, up, n**2 * own + n * (T @ V[items] @ np.swapaxes(T, 1, 2)))
        return V


def _depths(parent: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the numbers of ancestors ``(n,)``, by doubling, or raise."""
    depth, above = (parent >= 0).astype(np.intp), parent.copy()
    for _ in range(len(parent).bit_length() + 1):
        if not len(below := np.flatnonzero(above >= 0)):
            return depth
        up = above[below]
        depth[below], above[below] = depth[below] + depth[up], above[up]
    raise UsageError(f"the parents of item {int(np.flatnonzero(above >= 0)[0])} form a loop")


def _point_matrices(step: _Floats) -> _Floats:
    """Return T(s) ``(n, 10, 10)``: ten parameters about a reference point moved by s ``(n, 3)``."""
    T = np.tile(np.eye(10), (len(step), 1, 1))
    T[:, 1:4, 0] = -step
    T[:, 4:, 0] = phi(step)
    for k in range(3):
        outer = np.einsum("i,nj->nij", np.eye(3)[k], step)
        T[:, 4:, 1 + k] = six_entries(outer + np.swapaxes(outer, 1, 2) - 2 * step[:, k, None, None] * np.eye(3))
    return T


def pose_derivatives(parameters: _Floats, pivot: _Floats) -> _Floats:
    """Return ∂(m, h, Jxx Jyy Jzz Jxy Jxz Jyz) (n, 10, 6) by shift, rotation of frames; docs/formulas.md, section 12."""
    # parameters (n, 10) of all below each frame about a fixed point; pivot (n, 3) length: its origin from that point
    # δh = m δt + δθ × h and δJ = 2 (δt·h) 1 − δt hᵀ − h δtᵀ + [δθ]ₓ J − J [δθ]ₓ for a rotation about the reference
    # point; one about another point adds the shift pivot × δθ
    m, h, J = parameters[:, 0], parameters[:, 1:4], full_tensors(parameters[:, 4:])
    D = np.zeros((len(m), 10, 6))
    axes = np.eye(3)
    for k in range(3):
        e = np.broadcast_to(axes[k], h.shape)
        D[:, 1 + k, k] = m
        outer = np.einsum("i,nj->nij", axes[k], h)
        D[:, 4:, k] = six_entries(2 * h[:, k, None, None] * np.eye(3) - outer - np.swapaxes(outer, 1, 2))
        D[:, 1:4, 3 + k] = np.cross(e, h)
        turn = cross_matrices(axes[k])
        D[:, 4:, 3 + k] = six_entries(turn @ J - J @ turn)
    D[:, :, 3:] += D[:, :, :3] @ cross_matrices(pivot)
    return D
