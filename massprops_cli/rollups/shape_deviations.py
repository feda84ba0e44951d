"""Parts whose ten values deviate together: a radius changes mass, centre and tensor of a part in one step.

A source is an input of a shape: a dimension, a wall, a density or a mass. Its effect is one column of ten deviations.
Own sources give a part a full covariance; the density of a lot is one source of many parts, and goes up as a group
(docs/formulas.md, sections 6 and 12).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.poses import turn_matrices
from massprops_cli.rollups.covariance import Covariances, packed_covariances
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, RollupInputs
from massprops_cli.rollups.poses.placement import row_deviations, turned_leaf_covariances

_Floats = NDArray[np.float64]

_ROUNDING = 1e-9
"""Share of a variance below which what its sources leave is rounding."""


class JointDeviations(NamedTuple):
    """The deviations of some parts about their own centres, for one sigma of each source.

    Attributes
    ----------
    items : array of int, shape (k,)
        Item numbers, ascending by position.
    own : array, shape (k, 10, 10)
        Covariances of (m, hx … hz, Jxx … Jyz) from own sources and from values that no shape gives.
    lot : array, shape (k, 10)
        Deviations for one sigma of the density of the lot; 0 without a lot.
    group : array of int, shape (k,)
        Number of the lot, or ``NO_LOT``.
    """

    items: NDArray[np.intp]
    own: _Floats
    lot: _Floats
    group: NDArray[np.intp]


def joint_deviations(inputs: RollupInputs, *, along_rows: bool = False) -> JointDeviations | None:
    """Return the parts whose values deviate together.

    Parameters
    ----------
    inputs : RollupInputs
        Inputs of n items.
    along_rows : bool, optional
        Deviations along the axes of the rows; default: the axes of the table.

    Returns
    -------
    JointDeviations or None
        None without shapes that are uncertain. A member of a correlation group is not one of them: its group determines
        what it shares.

    Notes
    -----
    δh = m δc about the own centre, turned by M: docs/formulas.md, sections 5 and 12.
    """
    of, sigmas, bodies = inputs.deviations, inputs.sigmas, inputs.bodies
    if of is None or sigmas is None:
        return None
    counts = (inputs.ends & (inputs.correlation.group == NO_GROUP))[of.items]
    if not counts.any():
        return None
    items, source = np.unique(of.items[counts], return_inverse=True)
    scale = np.ones((len(items), 10))
    scale[:, 1:4] = np.abs(bodies.mass[items])[:, None]
    ten = row_deviations(inputs)[items]
    # values without a sigma do not go up: their bodies are not known, or their columns are not read
    vectors = np.where(ten[source] > 0, of.vectors[counts], 0.0) * scale[source]
    each = vectors[:, :, None] * vectors[:, None, :]
    all_sources, own = np.zeros((len(items), 10)), np.zeros((len(items), 10, 10))
    np.add.at(all_sources, source, vectors**2)
    is_lot = of.lot[counts] != NO_LOT
    np.add.at(own, source[~is_lot], each[~is_lot])
    rest = ten**2 - all_sources
    rest[rest <= _ROUNDING * ten**2] = 0.0
    own[:, range(10), range(10)] += rest
    lot, group = np.zeros((len(items), 10)), np.full(len(items), NO_LOT, np.intp)
    lot[source[is_lot]] = vectors[is_lot]
    group[source[is_lot]] = of.lot[counts][is_lot]
    if inputs.placement is not None and not along_rows:
        M = turn_matrices(inputs.placement.rotation[items])
        own, lot = M @ own @ np.swapaxes(M, 1, 2), np.einsum("kab,kb->ka", M, lot)
    order = np.argsort(inputs.tree.position[items], kind="stable")
    return JointDeviations(items[order], own[order], lot[order], group[order])


def own_covariances(inputs: RollupInputs, given: Covariances | None, turned: Covariances | None) -> Covariances | None:
    """Return the covariances of leaves that replace their sigmas, without what groups and lots share.

    Notes
    -----
    docs/formulas.md, section 12.
    """
    joint = joint_deviations(inputs)
    own = None if joint is None else _packed(joint, joint.own)
    return _joined_covariances(inputs, given, own, turned or turned_leaf_covariances(inputs))


def leaf_covariances(inputs: RollupInputs, turned: Covariances | None) -> Covariances | None:
    """Return the covariances of leaves from all sources, those of groups and lots included.

    Notes
    -----
    docs/formulas.md, section 12.
    """
    joint = joint_deviations(inputs)
    if joint is None:
        return turned
    matrices = joint.own + joint.lot[:, :, None] * joint.lot[:, None, :]
    return _joined_covariances(inputs, _packed(joint, matrices), turned)


def _packed(joint: JointDeviations, matrices: _Floats) -> Covariances:
    """Return matrices ``(k, 10, 10)`` as covariances of the parts."""
    return Covariances(joint.items.astype(np.int32), np.ascontiguousarray(packed_covariances(matrices).T))


def _joined_covariances(inputs: RollupInputs, *parts: Covariances | None) -> Covariances | None:
    """Return the covariances of groups of leaves by position; the first one counts where two have an item."""
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        return known[0] if known else None
    items, packed = np.concatenate([one.items for one in known]), np.concatenate([one.packed for one in known], axis=1)
    items, first = np.unique(items, return_index=True)
    order = np.argsort(inputs.tree.position[items])
    return Covariances(items[order], packed[:, first[order]])
