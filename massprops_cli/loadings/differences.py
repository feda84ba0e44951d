"""Sigmas of the difference of two conditions: the deviation of each source is one for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import branch_correlation
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import CorrelationScope
from massprops_cli.rollups.covariance import inputs_along_rows
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, PARAMETER_NAMES, Correlation
from massprops_cli.rollups.leaf_sums import flat_item, input_sigmas, leaf_gradients, result_gradient
from massprops_cli.rollups.shared_uncertainty import joint_deviations, source_deviations
from massprops_cli.rollups.variance_budget import PoseEffects, pose_effects
from massprops_cli.trees.tree import ItemQuantity

_Floats = NDArray[np.float64]


class _Effects(NamedTuple):
    """The effects of one standard deviation of sources on r results; ``moved`` are of all pieces together."""

    keys: Sequence[tuple[str, ...]]  # (s,) item and input of each source that pieces have one by one
    items: NDArray[np.intp]  # (s,)
    effects: _Floats  # (r, s) of one piece
    weight: _Floats  # (s,) independent pieces, or the square of a size
    pieces: _Floats  # (s,) that share the deviation in one row: of poses; 1 else
    shared: Sequence[tuple[str, ...]]  # (g,) label and input of groups and lots
    moved: _Floats  # (r, g)


def difference_sigmas(first: Result, second: Result, item: str, correlate: CorrelationScope) -> _Floats:
    """Return the sigmas (10,) of the difference of an item in two conditions, NaN where not known."""
    found = np.full(10, np.nan)
    a, b = first.bom, second.bom
    is_same = a.tree is b.tree or (a.ids == b.ids and np.array_equal(a.tree.parent, b.tree.parent))
    tables = [(one, _correlation(one, correlate, *((a, b) if is_same else (one, one)))) for one in (a, b)]
    for needs, results in (("mass", slice(0, 1)), ("center", slice(1, 4)), ("inertia", slice(4, 10))):
        try:
            one, other = (_effects(*each, item, needs, PARAMETER_NAMES[results]) for each in tables)
        except UsageError:  # numbers or sigmas of some leaves are missing
            continue
        place = {key: i for i, key in enumerate(one.keys)}
        at = np.array([place.get(key, -1) for key in other.keys], np.intp)
        both = np.flatnonzero(at >= 0)
        at = at[both]
        if is_same:
            weight = _shared_weights(a, b, item)[other.items[both]]
        else:
            weight = np.minimum(one.weight[at], other.weight[both])
        weight = weight * one.pieces[at] * other.pieces[both]
        variance = sum(((of.effects * of.pieces) ** 2 * of.weight).sum(axis=1) for of in (one, other))
        variance = variance - 2 * (one.effects[:, at] * other.effects[:, both] * weight).sum(axis=1)
        sums: dict[tuple[str, ...], _Floats] = {}  # of groups and lots, which all pieces have together
        for sign, of in ((1.0, one), (-1.0, other)):
            for k, key in enumerate(of.shared):
                sums[key] = sums.get(key, 0.0) + sign * of.moved[:, k]
        variance = variance + sum(change**2 for change in sums.values())
        found[results] = np.sqrt(np.maximum(variance, 0.0))
    return found


def _correlation(bom: Bom, correlate: CorrelationScope, a: Bom, b: Bom) -> Correlation:
    """Return the groups of a table; of one with the most pieces of two, so that both have the same groups."""
    count = np.maximum(a.quantity.count, b.quantity.count)
    most = replace(bom, quantity=ItemQuantity(count, a.quantity.measured & b.quantity.measured))
    return branch_correlation(most, correlate, correlate_centers=False) or Correlation.none(len(bom))


def _effects(bom: Bom, sharing: Correlation, item: str, needs: str, names: Sequence[str]) -> _Effects:
    """Return the effects of all sources below an item on results; UsageError where something is missing."""
    inputs, of = bom.rollup_inputs(sharing), bom.item(item)
    assert inputs.sigmas is not None
    flat = flat_item(inputs, of, needs=needs)
    sigma, turn = input_sigmas(flat, inputs.bodies, inputs.sigmas, needs), None
    if inputs.placement is not None and needs != "mass":
        sigma, turn = inputs_along_rows(inputs, flat.items, sigma)
    sigma[1:4] *= flat.mass  # of the first moment
    rows = np.array([result_gradient(name, flat)[1] for name in names])
    gradient = np.array([leaf_gradients(row, flat.arm, len(flat)) for row in rows])  # (r, 10, k)
    gradient = gradient if turn is None else np.einsum("kab,rak->rbk", turn, gradient)
    place = np.full(len(bom), -1, np.intp)
    place[flat.items] = np.arange(len(flat))
    shared, moved, keys, places, effects = list[tuple[str, ...]](), list[_Floats](), [], [], []
    used = {"mass": 1, "center": 4, "inertia": 10}[needs]
    joint, sources = joint_deviations(inputs, along_rows=True), source_deviations(inputs)
    if joint is not None and sources is not None:
        inside = place[joint.items] >= 0
        sigma[:used, place[joint.items[inside]]] = np.sqrt(joint.rest[inside, :used]).T
        vectors = sources.vectors.copy()
        vectors[:, used:] = 0.0
        for k in np.flatnonzero(place[sources.items] >= 0).tolist():
            at = int(place[sources.items[k]])
            change = gradient[:, :, at] @ vectors[k]
            if sources.lot[k] != NO_LOT:
                shared.append(("lot", sources.labels[sources.lot[k]]))
                moved.append(flat.times[at] * change)
            else:
                keys.append((bom.ids[flat.items[at]], str(sources.names[k])))
                places.append(at)
                effects.append(change)
    group = sharing.group[flat.items]
    together = gradient * sigma
    for g in np.unique(group[group != NO_GROUP]).tolist():
        members = np.flatnonzero(group == g)
        for i in sharing.shared_inputs.tolist():
            shared.append((sharing.kinds[g], sharing.labels[g], str(i)))
            moved.append((together[:, i, members] * flat.times[members]).sum(axis=1))
    in_groups = np.flatnonzero(group != NO_GROUP)
    together[:, sharing.shared_inputs[:, None], in_groups] = 0.0
    ids = [bom.ids[i] for i in flat.items.tolist()]
    keys += [(id, name) for name in map(str, range(10)) for id in ids]
    of_leaf = np.concatenate([np.array(places, np.intp), np.tile(np.arange(len(flat)), 10)])
    each = np.concatenate([np.array(effects).reshape(-1, len(rows)).T, together.reshape(len(rows), -1)], axis=1)
    sums = np.array(moved).reshape(-1, len(rows)).T
    made = _Effects(keys, flat.items[of_leaf], each, flat.weight[of_leaf], np.ones(len(of_leaf)), shared, sums)
    poses = None if needs == "mass" else pose_effects(inputs, of, flat, needs)
    return made if poses is None else _with_poses(made, bom, poses, rows)


def _with_poses(made: _Effects, bom: Bom, poses: PoseEffects, rows: _Floats) -> _Effects:
    """Return effects with those of poses, along the axes of their items, on results with gradients (r, 10)."""
    assert bom.poses is not None
    times = bom.quantity.count[poses.items]
    turn = np.kron(np.eye(2), bom.poses.in_root.rotation[poses.items])  # (p, 6, 6)
    values, axes = np.linalg.eigh(turn.swapaxes(1, 2) @ poses.covariance @ turn)
    # the symmetric root is one matrix, whatever axes equal values have
    root = (axes * np.sqrt(np.maximum(values, 0.0))[:, None, :]) @ axes.swapaxes(1, 2)
    effects = np.einsum("ra,pab->rpb", rows, poses.derivatives @ turn @ root).reshape(len(rows), -1)
    of_each = (bom.tree.parent[poses.items], poses.weight / times**2, times)
    items, weight, pieces = (np.repeat(one, 6) for one in of_each)
    return made._replace(
        keys=[*made.keys, *((bom.ids[i], f"pose {axis}") for i in poses.items.tolist() for axis in range(6))],
        items=np.append(made.items, items),
        effects=np.hstack([made.effects, effects]),
        weight=np.append(made.weight, weight),
        pieces=np.append(made.pieces, pieces),
    )


def _shared_weights(first: Bom, second: Bom, item: str) -> _Floats:
    """Return the pieces (n,) of each item in an item that are the same in two conditions, or the product of sizes."""
    a, b = first.quantity, second.quantity
    sizes = a.count * b.count
    pieces = np.sign(sizes) * np.minimum(np.abs(a.count), np.abs(b.count))
    weight = np.where(a.measured & b.measured, sizes, pieces)
    members, below, quantity = first.tree.branch(
        first.item(item), ItemQuantity(np.ones(len(weight)), a.measured, weight)
    )
    found = np.zeros(len(weight))
    found[members] = below.path_quantities(quantity).variance_weight()
    return found
