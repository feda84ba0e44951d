"""Bodies that are placed by poses: their sigmas along turned axes, and the uncertainty of the poses themselves.

The sigmas of a row are independent along the axes in which the row is given. Along the axes of the table they are
correlated, so each turned leaf goes up with a covariance. An uncertain pose moves everything below its frame as one
rigid body; its covariance is added where that branch enters its parent (docs/formulas.md, section 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, PoseCovariances, Sigmas, full_tensors, phi, turn_matrices
from massprops_cli.findings import UsageError
from massprops_cli.rollups.covariance import Covariances, branch_terms, packed_covariances

if TYPE_CHECKING:
    from massprops_cli.rollups.inputs import RollupInputs

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_EXACT_TURN = 1e-14
"""Cosines this near to 0 or ±1 exchange axes only, so that sigmas remain independent."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Placement:
    """Where the numbers of n items come from.

    Attributes
    ----------
    rotation : array, shape (n, 3, 3), dimensionless
        Axes in which the row of each item is given; column k is axis k in the axes of the table.
    bodies : Bodies
        n bodies in the frames of their rows.
    sigmas : Sigmas or None
        Their sigmas, independent along the axes of the rows; 0 where unknown.
    origin : array, shape (n, 3), length
        Origins of the frames of the items, in the frame of the table.
    covariance : array, shape (n, 6, 6), or None
        Covariance of the shift and the small rotation of each frame, axes of the table: length², length × rad, rad².
    """

    rotation: _Floats
    bodies: Bodies
    sigmas: Sigmas | None
    origin: _Floats
    covariance: _Floats | None

    def own_deviations(self, inputs: RollupInputs) -> _Floats:
        """Return the sigmas of the ten additive parameters of each item along the axes of its row.

        Parameters
        ----------
        inputs : RollupInputs
            Inputs of the n items, in the frame of the table; sigmas that are 0 there are 0 here.

        Returns
        -------
        array, shape (n, 10)
            s_m, m s_c and s_I about the own centres; mass, mass × length, mass × length².
        """
        sigmas, own = inputs.sigmas, self.sigmas
        assert sigmas is not None
        result = np.zeros((len(self.rotation), 10))
        result[:, 0] = sigmas.mass
        if sigmas.center is not None and own is not None and own.center is not None:
            result[:, 1:4] = np.abs(inputs.bodies.mass)[:, None] * own.center * sigmas.center.any(axis=1)[:, None]
        if sigmas.inertia is not None and own is not None and own.inertia is not None:
            counted = sigmas.inertia.any(axis=1) & ~inputs.bodies.is_point
            result[:, 4:] = own.inertia * counted[:, None]
        return result


def turned_leaf_covariances(inputs: RollupInputs, *, all_turns: bool = False) -> Covariances | None:
    """Return the covariances of the items whose own numbers go up and whose axes are turned.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items, with sigmas.
    all_turns : bool, optional
        Include axes that are exchanged only.

    Returns
    -------
    Covariances or None
        About the own centres, axes of the table, without shared uncertainties; None if all sigmas are independent
        along the axes of the table.

    Notes
    -----
    M V Mᵀ: docs/formulas.md, section 12.
    """
    placed, sigmas = inputs.placement, inputs.sigmas
    if placed is None or sigmas is None or (sigmas.center is None and sigmas.inertia is None):
        return None
    size = np.abs(placed.rotation)
    turned = ~(np.minimum(size, np.abs(size - 1)) < _EXACT_TURN).all(axis=(1, 2))
    deviations = placed.own_deviations(inputs)
    which = np.flatnonzero(inputs.ends & (turned | all_turns) & deviations[:, 1:].any(axis=1))
    if not len(which):
        return None
    which = which[np.argsort(inputs.tree.position[which])]
    variances = deviations[which] ** 2
    if not inputs.correlation.is_none:
        shared = inputs.correlation.group[which] >= 0
        variances[np.ix_(shared, [0, 4, 5, 6, 7, 8, 9])] = 0.0
        if inputs.correlation.shares_centers:
            variances[shared, 1:4] = 0.0
    M = turn_matrices(placed.rotation[which])
    V = (M * variances[:, None, :]) @ np.swapaxes(M, 1, 2)
    return Covariances(which.astype(np.int32), np.ascontiguousarray(packed_covariances(V).T))


def joined_covariances(inputs: RollupInputs, *parts: Covariances | None) -> Covariances | None:
    """Return the covariances of several groups of leaves as one value; the first one counts where two have an item.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items.
    *parts : Covariances or None
        Covariances of leaves.

    Returns
    -------
    Covariances or None
        Ascending by position; None without any.
    """
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        return known[0] if known else None
    items, packed = np.concatenate([one.items for one in known]), np.concatenate([one.packed for one in known], axis=1)
    items, first = np.unique(items, return_index=True)
    order = np.argsort(inputs.tree.position[items])
    return Covariances(items[order], packed[:, first[order]])


def pose_covariances(inputs: RollupInputs, rolled: Bodies, no_center: _Mask) -> _Floats | None:
    """Return the covariances that uncertain poses add to the assemblies.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items.
    rolled : Bodies
        n bodies with the sums of the assemblies.
    no_center : array of bool, shape (n,)
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
    if no_center.any():
        raise UsageError("uncertain poses need assemblies with mass: masses of an assembly cancel (--uncertainty none)")
    count, weight, ends = inputs.quantity.count, inputs.quantity.variance_weight(), inputs.ends
    inertia = np.zeros((len(tree), 6)) if rolled.inertia is None else rolled.inertia
    result, uncertain = np.zeros((len(tree), 55)), placed.covariance.any(axis=(1, 2))
    bounds = tree.levels.tolist()
    for low, high in zip(bounds[-2:0:-1], bounds[:1:-1], strict=True):
        items = tree.order[low:high]
        items = items[uncertain[items] | result[items].any(axis=1)]
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
