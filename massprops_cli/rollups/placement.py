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
from massprops_cli.bodies.rotations import turn_matrices, vector_rotations
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.covariance import Covariances, branch_terms, moved_parameters, packed_covariances
from massprops_cli.rollups.inputs import Placement, RollupInputs

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_EXACT_TURN = 1e-14
"""Cosines this near to 0 or ±1 exchange axes only, so that sigmas remain independent."""


def row_deviations(inputs: RollupInputs) -> _Floats:
    """Return s_m, m s_c, s_I (n, 10) along axes of the rows, 0 without sigma: docs/formulas.md, sections 5 and 12."""
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
    """Return M diag(s) (k, 10, 10) of items (k,): column b is the change of (m, h, J) per sigma of input b.

    Axes of the table: docs/formulas.md, section 12.
    """
    assert inputs.placement is not None
    return np.asarray(turn_matrices(inputs.placement.rotation[items]) * row_deviations(inputs)[items][:, None, :])


def inputs_along_rows(inputs: RollupInputs, items: NDArray[np.intp], sigma: _Floats) -> tuple[_Floats, _Floats]:
    """Return sigmas (10, k), given in axes of the table, along the axes of the rows, where they are independent.

    With the matrices (k, 10, 10) that turn changes back to the axes of the table: docs/formulas.md, section 12.
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
    """Return M V Mᵀ of the items whose own numbers go up and whose axes are turned: docs/formulas.md, section 12."""
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
    """Return what uncertain poses add to the covariances (55, n) of (m, h, J) about the centres; None if all are exact.

    D C Dᵀ, moved upwards by T: docs/formulas.md, sections 5 and 12; UsageError where masses of an assembly cancel.
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
    """Turned axes and uncertain poses of n items."""

    nominal: _Floats  # (10, n) frame of the table; ``InputDistributions.value`` has them along the axes of the rows
    matrices: _Floats  # (n, 10, 10) turn ten deviations from the axes of the rows to those of the table
    origin: _Floats  # (n, 3) length, of the frames of the items
    factor: _Floats | None  # (n, 6, 6) F with F Fᵀ = covariance of the pose, axes of the table: length and rad

    @classmethod
    def of(cls, placed: Placement, nominal: _Floats) -> SamplePlacement:
        """Return the placement of a simulation, nominal values (10, n) in the frame of the table."""
        factor = None
        if placed.covariance is not None:
            values, vectors = np.linalg.eigh(placed.covariance)
            factor = np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
        return cls(nominal, turn_matrices(placed.rotation), placed.origin, factor)

    def is_uncertain(self, item: int) -> bool:
        """Return whether the pose of an item is uncertain."""
        return self.factor is not None and bool(self.factor[item].any())

    def turn(self, drawn: _Floats, items: NDArray[np.int32]) -> _Floats:
        """Turn deviations (10, k, b) of items (k,) from rows to table axes, in place; return nominal values (10, k)."""
        for k, item in enumerate(items.tolist()):
            drawn[1:, k] = self.matrices[item, 1:, 1:] @ drawn[1:, k]
        return self.nominal[:, items]

    def deviates(self, item: int, normal: _Floats) -> PoseDeviates:
        """Return shift and small rotation of a pose, axes of the table, for standard normal deviates (6, b)."""
        assert self.factor is not None
        six = self.factor[item] @ normal
        return PoseDeviates(self.origin[item], six[:3], six[3:])

    def moved(self, total: _Floats, reference: _Floats, by: PoseDeviates) -> _Floats:
        """Move a branch, (10, b) m, h and J about a fixed point (3,), with its uncertain frame.

        R h, R J Rᵀ, R = exp([δθ]ₓ) about the origin of the frame, then the shift: docs/formulas.md, section 12.
        """
        about = np.array(moved_parameters(total, (reference - by.origin).tolist()))
        M = turn_matrices(vector_rotations(by.angles.T))
        about = np.einsum("nab,bn->an", M, about)
        back = [(by.origin - reference)[axis] + by.shift[axis] for axis in range(3)]
        return np.array(moved_parameters(about, back))
