"""Bodies that are placed by poses: their sigmas along turned axes, and the uncertainty of the poses themselves.

The sigmas of a row are independent along the axes in which the row is given. Along the axes of the table they are
correlated, so each turned leaf goes up with a covariance. An uncertain pose moves everything below its frame as one
rigid body; its covariance is added where that branch enters its parent (docs/formulas.md, section 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, phi
from massprops_cli.bodies.pose_uncertainty import PoseCovariances
from massprops_cli.bodies.poses import turn_matrices
from massprops_cli.bodies.rotations import vector_rotations
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.covariance import Covariances, branch_terms, moved_parameters, packed_covariances
from massprops_cli.rollups.inputs import Placement, RollupInputs

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_EXACT_TURN = 1e-14
"""Cosines this near to 0 or ±1 exchange axes only, so that sigmas remain independent."""


def row_deviations(inputs: RollupInputs) -> _Floats:
    """Return s_m, m s_c and s_I of each item along the axes of its row.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items with sigmas.

    Returns
    -------
    array, shape (n, 10)
        0 where the inputs have 0; without a placement along the axes of the table.

    Notes
    -----
    docs/formulas.md, sections 5 and 12.
    """
    placed, sigmas = inputs.placement, inputs.sigmas
    assert sigmas is not None
    own, result = sigmas if placed is None else placed.sigmas, np.zeros((len(inputs.tree), 10))
    result[:, 0] = sigmas.mass
    if sigmas.center is not None and own is not None and own.center is not None:
        result[:, 1:4] = (
            np.abs(inputs.bodies.mass)[:, None] * own.center * np.asarray(sigmas.center.any(axis=1))[:, None]
        )
    if sigmas.inertia is not None and own is not None and own.inertia is not None:
        counted = np.asarray(sigmas.inertia.any(axis=1)) & ~inputs.bodies.is_point
        result[:, 4:] = own.inertia * counted[:, None]
    return result


def turned_deviations(inputs: RollupInputs, items: NDArray[np.int32]) -> _Floats:
    """Return what one standard deviation of each of the ten inputs of some items changes.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items with a placement and sigmas.
    items : array of int, shape (k,)
        Item numbers.

    Returns
    -------
    array, shape (k, 10, 10)
        M diag(s): column b are the changes of (m, h, J) by input b, axes of the table.

    Notes
    -----
    docs/formulas.md, section 12.
    """
    assert inputs.placement is not None
    return np.asarray(turn_matrices(inputs.placement.rotation[items]) * row_deviations(inputs)[items][:, None, :])


def inputs_along_rows(inputs: RollupInputs, items: NDArray[np.intp], sigma: _Floats) -> tuple[_Floats, _Floats]:
    """Return the sigmas of leaves along the axes of their rows, in which they are independent.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items with a placement.
    items : array of int, shape (k,)
        Item numbers of the leaves.
    sigma : array, shape (10, k)
        Sigmas along the axes of the table, 0 where there is none.

    Returns
    -------
    sigma : array, shape (10, k)
        Sigmas along the axes of the rows.
    turn : array, shape (k, 10, 10)
        What turns changes of the ten inputs to the axes of the table.

    Notes
    -----
    docs/formulas.md, section 12.
    """
    assert inputs.placement is not None
    return _sigmas_of_rows(inputs, items, sigma), turn_matrices(inputs.placement.rotation[items])


def _sigmas_of_rows(inputs: RollupInputs, items: NDArray[np.intp], sigma: _Floats) -> _Floats:
    """Return the sigmas of the leaves along the axes of their rows, 0 where ``sigma (10, k)`` has none."""
    assert inputs.placement is not None
    own = inputs.placement.sigmas
    assert own is not None
    result = sigma.copy()
    for array, columns in ((own.center, slice(1, 4)), (own.inertia, slice(4, 10))):
        if array is not None:
            result[columns] = np.where(sigma[columns].any(axis=0), array[items].T, 0.0)
    return result


def turned_leaf_covariances(inputs: RollupInputs, *, all_turns: bool = False) -> Covariances | None:
    """Return the covariances of the items whose own numbers go up and whose axes are turned.

    Notes
    -----
    M V Mᵀ: docs/formulas.md, section 12.
    """
    placed, sigmas = inputs.placement, inputs.sigmas
    if placed is None or sigmas is None or (sigmas.center is None and sigmas.inertia is None):
        return None
    size = np.abs(placed.rotation)
    turned = ~(np.minimum(size, np.abs(size - 1)) < _EXACT_TURN).all(axis=(1, 2))
    deviations = row_deviations(inputs)
    which = np.flatnonzero(inputs.ends & (turned | all_turns) & deviations[:, 1:].any(axis=1))
    if not len(which):
        return None
    which = which[np.argsort(inputs.tree.position[which])]
    variances = deviations[which] ** 2
    if not inputs.correlation.is_none:
        shared = inputs.correlation.group[which] >= 0
        variances[shared, 0] = 0.0
        variances[shared, 4:] = 0.0
        if inputs.correlation.shares_centers:
            variances[shared, 1:4] = 0.0
    V = np.zeros((len(which), 10, 10))
    V[:, 0, 0] = variances[:, 0]
    M = turn_matrices(placed.rotation[which])
    for columns in (slice(1, 4), slice(4, 10)):
        block = M[:, columns, columns]
        V[:, columns, columns] = (block * variances[:, None, columns]) @ np.swapaxes(block, 1, 2)
    return Covariances(which.astype(np.int32), np.ascontiguousarray(packed_covariances(V).T))


def pose_covariances(inputs: RollupInputs, rolled: Bodies, cancelled: _Mask) -> _Floats | None:
    """Return the covariances that uncertain poses add to the assemblies.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items.
    rolled : Bodies
        n bodies with the sums of the assemblies.
    cancelled : array of bool, shape (n,)
        Assemblies whose masses cancel.

    Returns
    -------
    array, shape (55, n), or None
        Covariances of (m, h, J) about the centre of each item, 0 for leaves; None if all poses are exact.

    Raises
    ------
    UsageError
        The masses of an assembly with uncertain poses cancel.

    Notes
    -----
    D C Dᵀ, moved upwards by T: docs/formulas.md, sections 5 and 12. All pieces of an item share its pose; poses inside
    the pieces are independent.
    """
    placed, tree = inputs.placement, inputs.tree
    if placed is None or placed.covariance is None or rolled.center is None:
        return None
    if cancelled.any():
        raise UsageError("uncertain poses need assemblies with mass: masses of an assembly cancel (--uncertainty none)")
    count, weight, ends = inputs.quantity.count, inputs.quantity.variance_weight(), inputs.ends
    inertia = np.zeros((len(tree), 6)) if rolled.inertia is None else rolled.inertia
    result, uncertain = np.zeros((len(tree), 55)), np.asarray(placed.covariance.any(axis=(1, 2)))
    bounds = tree.levels.tolist()
    for low, high in zip(bounds[-2:0:-1], bounds[:1:-1], strict=True):
        items = tree.order[low:high]
        # a branch without mass, or of which nothing is known, has no effect
        items = items[(rolled.mass[items] != 0) & (uncertain[items] | np.asarray(result[items].any(axis=1)))]
        up = tree.parent[items]
        d = rolled.center[items] - rolled.center[up]
        mass = rolled.mass[items, None]
        ten = np.concatenate([mass, mass * d, inertia[items] + mass * phi(d)], axis=1)
        moved = PoseCovariances(placed.covariance[items]).parameter_covariances(
            ten, placed.origin[items] - rolled.center[up]
        )
        own = packed_covariances(moved) * (count[items] ** 2)[:, None]
        below = branch_terms(result[items].T, d.T).T * (weight[items] * ~ends[items])[:, None]
        np.add.at(result, up, own + below)
    return result.T


class PoseDeviates(NamedTuple):
    """Deviations of one pose in b samples: ``origin (3,)`` of its frame, ``shift (3, b)`` and ``angles (3, b)``."""

    origin: _Floats
    shift: _Floats
    angles: _Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
        """Return whether the pose of an item is uncertain."""
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
        M = turn_matrices(vector_rotations(by.angles.T))
        about = np.einsum("nab,bn->an", M, about)
        back = [(by.origin - reference)[axis] + by.shift[axis] for axis in range(3)]
        return np.array(moved_parameters(about, back))
