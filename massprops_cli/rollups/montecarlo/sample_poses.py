"""Samples of placed bodies: deviations along the axes of their rows, and uncertain poses that move whole branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import turn_matrices
from massprops_cli.rollups.covariance import moved_parameters
from massprops_cli.rollups.placement import Placement

_Floats = NDArray[np.float64]


class PoseDeviates(NamedTuple):
    """Deviations of one pose in b samples: ``origin (3,)`` of its frame, ``shift (3, b)`` and ``angles (3, b)``."""

    origin: _Floats
    shift: _Floats
    angles: _Floats


@dataclass(frozen=True, eq=False, repr=False)
class SamplePlacement:
    """Turned axes and uncertain poses of n items.

    Attributes
    ----------
    nominal : array, shape (10, n), mass, length, mass × length²
        Values in the frame of the table, as ``InputDistributions.value`` has them along the axes of the rows.
    matrices : array, shape (n, 10, 10), dimensionless
        What turns ten deviations from the axes of the rows to those of the table.
    origin : array, shape (n, 3), length
        Origins of the frames of the items.
    factor : array, shape (n, 6, 6), or None
        F with F Fᵀ = covariance of the pose, axes of the table: length and rad.
    """

    nominal: _Floats
    matrices: _Floats
    origin: _Floats
    factor: _Floats | None

    @classmethod
    def of(cls, placed: Placement, nominal: _Floats) -> SamplePlacement:
        """Return the placement of a simulation.

        Parameters
        ----------
        placed : Placement
            Placement of n items.
        nominal : array, shape (10, n), mass, length, mass × length²
            Values of the ten inputs in the frame of the table.

        Returns
        -------
        SamplePlacement
            By the eigenvectors of each covariance, so that it may be singular.
        """
        factor = None
        if placed.covariance is not None:
            values, vectors = np.linalg.eigh(placed.covariance)
            factor = np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
        return cls(nominal, turn_matrices(placed.rotation), placed.origin, factor)

    def is_uncertain(self, item: int) -> bool:
        """Return whether the pose of an item is uncertain.

        Parameters
        ----------
        item : int
            Item number.

        Returns
        -------
        bool
            False for an exact pose.
        """
        return self.factor is not None and bool(self.factor[item].any())

    def turn(self, drawn: _Floats, items: NDArray[np.int32]) -> _Floats:
        """Turn the deviations of k parts to the axes of the table, in place, and return the nominal values.

        Parameters
        ----------
        drawn : array, shape (10, k, b)
            Deviations along the axes of the rows; changed.
        items : array of int, shape (k,)
            Item numbers.

        Returns
        -------
        array, shape (10, k)
            Nominal values, axes of the table.
        """
        for k, item in enumerate(items.tolist()):
            drawn[1:, k] = self.matrices[item, 1:, 1:] @ drawn[1:, k]
        return self.nominal[:, items]

    def deviates(self, item: int, normal: _Floats) -> PoseDeviates:
        """Return the deviations of a pose.

        Parameters
        ----------
        item : int
            Item number.
        normal : array, shape (6, b)
            Standard normal deviates.

        Returns
        -------
        PoseDeviates
            Shift and small rotation, axes of the table.
        """
        assert self.factor is not None
        six = self.factor[item] @ normal
        return PoseDeviates(self.origin[item], six[:3], six[3:])

    def moved(self, total: _Floats, reference: _Floats, by: PoseDeviates) -> _Floats:
        """Move a branch with its uncertain frame.

        Parameters
        ----------
        total : array, shape (10, b)
            m, h and J of the samples about a point, axes of the table.
        reference : array, shape (3,), length
            That point.
        by : PoseDeviates
            Deviations of the frame.

        Returns
        -------
        array, shape (10, b)
            The same about the same point, after the rotation exp([δθ]ₓ) about the origin of the frame and the shift.

        Notes
        -----
        R h, R J Rᵀ about the origin: docs/formulas.md, section 12.
        """
        about = np.array(moved_parameters(total, (reference - by.origin).tolist()))
        M = turn_matrices(_rotations(by.angles))
        about = np.einsum("nab,bn->an", M, about)
        back = [(by.origin - reference)[axis] + by.shift[axis] for axis in range(3)]
        return np.array(moved_parameters(about, back))


def _rotations(angles: _Floats) -> _Floats:
    """Return the rotations ``(b, 3, 3)`` by vectors of angles ``(3, b)``."""
    size = np.linalg.norm(angles, axis=0)
    x, y, z = angles
    zero = np.zeros_like(size)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    # sin α / α and (1 − cos α) / α², without a division by 0
    first = np.sinc(size / np.pi)[:, None, None]
    second = (np.sinc(size / (2 * np.pi)) ** 2 / 2)[:, None, None]
    return np.asarray(np.eye(3) + first * K + second * (K @ K))
