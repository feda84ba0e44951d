"""Joints of a tree of bodies as columns of motion, checks of its bodies, and articulated bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.rotations import cross_matrices
from massprops_cli.findings.finding import Findings, Place, UsageError
from massprops_cli.mechanisms.spatial.spatial_model import SpatialPose, spatial_inertias

_Floats = NDArray[np.float64]
_Index = NDArray[np.intp]
_SINGULAR = 1e-13  # an eigenvalue of D below this share of the terms that it is the difference of is 0


def force_transfers(steps: _Floats) -> _Floats:
    """Return transformations (n, 6, 6) of forces to the parent's origin, l (n, 3) before; transposed: velocities."""
    result = np.tile(np.eye(6), (len(steps), 1, 1))
    result[:, :3, 3:] = cross_matrices(steps)
    return result


@dataclass(frozen=True, eq=False, repr=False)
class ArticulatedBodies:
    """The articulated-body quantities of a pose, by position of the bodies, the ground at 0.

    Attributes
    ----------
    pose : SpatialPose
        The pose.
    inertias : array, shape (n + 1, 6, 6)
        P, the articulated-body inertias about the origins, ground axes.
    rows : tuple of array of int
        Coordinates of each body.
    factors : tuple of array
        D of each body.
    gains : tuple of array
        G of each body.
    """

    pose: SpatialPose
    inertias: _Floats
    rows: tuple[_Index, ...]
    factors: tuple[_Floats, ...]
    gains: tuple[_Floats, ...]

    @classmethod
    def of(cls, pose: SpatialPose) -> ArticulatedBodies:
        """Compute the articulated-body inertias from the outermost bodies inward.

        Parameters
        ----------
        pose : SpatialPose
            The pose.

        Returns
        -------
        ArticulatedBodies
            The quantities.

        Raises
        ------
        UsageError
            The mass matrix is not positive definite: a joint moves no inertia, or a negative one.
        """
        for _, _, message in _degenerate_joints(pose)[:1]:
            raise UsageError(message)
        # p, and the coordinates, D and G of every position
        inertias = spatial_inertias(*pose.body_moments)
        up, transfers, n = pose.up, force_transfers(pose.steps), len(pose.up)
        order = np.argsort(pose.model.owner, kind="stable")
        bounds = np.searchsorted(pose.model.owner[order], np.arange(n + 1))
        rows = [order[bounds[k] : bounds[k + 1]] for k in range(n)]
        factors, gains = [np.zeros((0, 0))] * n, [np.zeros((6, 0))] * n
        for k in range(n - 1, 0, -1):
            passed = inertias[k]
            if len(rows[k]):
                h = pose.joint_map[rows[k]]
                turned = inertias[k] @ h.T
                factors[k] = h @ turned
                gains[k] = np.linalg.solve(factors[k], turned.T).T
                passed = inertias[k] - gains[k] @ turned.T
            inertias[up[k]] += transfers[k] @ ((passed + passed.T) / 2) @ transfers[k].T
        return cls(pose, inertias, tuple(rows), tuple(factors), tuple(gains))

    def determinant(self) -> float:
        """Return the determinant of the mass matrix, the product of those of D.

        Returns
        -------
        float
            Positive.
        """
        return float(np.prod([np.linalg.det(one) for one in self.factors if len(one)]))

    def forward_dynamics(self, rates: ArrayLike, forces: ArrayLike, *, gravity: bool = True) -> _Floats:
        """Return the joint accelerations that joint forces give, in O(n).

        Parameters
        ----------
        rates : array, shape (f,)
            Joint velocities.
        forces : array, shape (f,)
            Joint forces T.
        gravity : bool, optional
            Include the weights.

        Returns
        -------
        array, shape (f,)
            Joint accelerations θ̈ with M θ̈ + C = T.
        """
        model = self.pose.model
        own = model.vector(forces, "forces")
        return self.solve(own - self.pose.inverse_dynamics(rates, np.zeros(model.degrees), gravity=gravity))

    def solve(self, forces: ArrayLike) -> _Floats:
        """Return M⁻¹ times joint forces, in O(n).

        Parameters
        ----------
        forces : array, shape (f,)
            Joint forces.

        Returns
        -------
        array, shape (f,)
            Joint accelerations.
        """
        pose, up = self.pose, self.pose.up
        given, steps, joint_map = pose.model.vector(forces, "forces"), pose.steps, pose.joint_map
        n = len(up)
        bias, innovation = np.zeros((n, 6)), np.zeros(len(given))
        for k in range(n - 1, 0, -1):
            rows = self.rows[k]
            passed = bias[k]
            if len(rows):
                left = given[rows] - joint_map[rows] @ bias[k]
                innovation[rows] = np.linalg.solve(self.factors[k], left)
                passed = bias[k] + self.gains[k] @ left
            bias[up[k], :3] += passed[:3] + np.cross(steps[k], passed[3:])
            bias[up[k], 3:] += passed[3:]
        result, moved = np.zeros(len(given)), np.zeros((n, 6))
        for k in range(1, n):
            outer = moved[up[k]].copy()
            outer[3:] += np.cross(outer[:3], steps[k])
            if len(rows := self.rows[k]):
                result[rows] = innovation[rows] - self.gains[k].T @ outer
                outer = outer + joint_map[rows].T @ result[rows]
            moved[k] = outer
        return result

    def inverse(self) -> _Floats:
        """Return the inverse of the mass matrix, column by column.

        Returns
        -------
        array, shape (f, f)
            Symmetric.
        """
        f = self.pose.model.degrees
        columns = np.array([self.solve(one) for one in np.eye(f)]).reshape(f, f)
        return np.asarray((columns + columns.T) / 2)


def _degenerate_joints(pose: SpatialPose) -> list[tuple[str, str, str]]:
    """Return the joints whose factor D is not positive, each with rule and message; none if M is positive definite."""
    model, up, found = pose.model, pose.up, []
    inertias, transfers = spatial_inertias(*pose.body_moments), force_transfers(pose.steps)
    for k in range(len(up) - 1, 0, -1):
        rows = np.flatnonzero(model.owner == k)
        passed = inertias[k]
        if len(rows):
            h = pose.joint_map[rows]
            turned = inertias[k] @ h.T
            # moments of a reduced mechanism may be negative
            scale = np.sqrt(np.maximum((h**2) @ np.abs(np.diag(inertias[k])), np.finfo(float).tiny))
            values, vectors = np.linalg.eigh((h @ turned) / np.outer(scale, scale))
            if not (safe := values > _SINGULAR).all():
                joint = model.joint_of[k]
                rule, message = "MP816", f"mass matrix is singular: joint {joint} moves no inertia"
                if values[0] < -_SINGULAR:
                    rule = "MP826"
                    message = f"mass matrix is not positive definite: joint {joint} moves negative inertia"
                found.append((joint, rule, message))
            half = (turned / scale) @ vectors[:, safe] / np.sqrt(values[safe])
            passed = inertias[k] - half @ half.T
        inertias[up[k]] += transfers[k] @ ((passed + passed.T) / 2) @ transfers[k].T
    return found[::-1]


def check_mass_matrix(pose: SpatialPose, findings: Findings, place: Place | None = None) -> None:
    """Report joints because of which the mass matrix is singular, or not positive definite."""
    where = place or Place(pose.model.mechanism.name or "mechanism")
    for joint, rule, message in _degenerate_joints(pose):
        findings.report(rule, message, where, item=joint)
