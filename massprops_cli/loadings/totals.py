"""Roots of many conditions as sums over leaves; sigmas of the difference of two, in which a source is one for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.changed_table import ChangedTable, changed_table
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import branch_correlation
from massprops_cli.findings.finding import Finding, UsageError, name_list
from massprops_cli.options import CorrelationScope
from massprops_cli.rollups import inputs
from massprops_cli.rollups.covariance import inputs_along_rows
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, PARAMETER_NAMES, Correlation
from massprops_cli.rollups.leaf_sums import flat_item, input_sigmas, leaf_gradients, result_gradient
from massprops_cli.rollups.shared_uncertainty import joint_deviations, source_deviations
from massprops_cli.rollups.subtotals import LabelSubtotals
from massprops_cli.rollups.variance_budget import PoseEffects, pose_effects
from massprops_cli.trees.tree import ItemQuantity

_Floats = NDArray[np.float64]
_SIGNS = np.array([1.0, 1, 1, -1, -1, -1])  # of arms in moments and in products
_SUMS = ("total", "subtotal", "margin")  # rows that state sums of the table as it is
_LEAST_REST = 1e-6  # share of the sizes of the masses below which a condition is rolled up level by level


def root_numbers(result: Result | LabelSubtotals, item: int) -> tuple[_Floats, _Floats]:
    """Return values and sigmas (10,) of an item of a roll-up; NaN where not known."""
    rolled = result.rollup
    numbers = []
    for holder in (rolled.bodies, rolled.sigmas):
        ten = np.full(10, np.nan)
        if holder is not None:
            ten[0] = holder.mass[item]
            ten[1:4] = np.nan if holder.center is None else holder.center[item]
            ten[4:] = np.nan if holder.inertia is None else holder.inertia[item]
        numbers.append(ten)
    bodies, sigmas = rolled.bodies, rolled.sigmas
    for known, columns in (
        (bodies.has_mass, slice(0, 10)),
        (bodies.has_center, slice(1, 4)),
        (bodies.has_inertia, slice(4, 10)),
    ):
        if known is not None and not known[item]:
            numbers[0][columns] = np.nan
    if sigmas is not None and sigmas.known is not None:
        numbers[1][~sigmas.known[item]] = np.nan
    numbers[1][np.isnan(numbers[0])] = np.nan
    return numbers[0], numbers[1]


class CellChanges(NamedTuple):
    """Changes of items by number: other cells in their units, branches that are scaled, and those that are moved."""

    numbers: Mapping[int, Mapping[str, float]]
    scaled: Sequence[tuple[Sequence[int], float]]
    moved: set[int]


@dataclass(frozen=True, eq=False, repr=False)
class ConditionedBom:
    """The table in a condition, as the items that it changes; coherent units."""

    base: Bom
    rows: NDArray[np.intp]  # (k,) items with other numbers or quantities
    bodies: Bodies  # (k,)
    sigmas: Sigmas | None  # (k,)
    quantity: ItemQuantity  # (k,)
    growth: _Floats | None  # (k,)
    findings: tuple[Finding, ...]  # of the condition
    cells: CellChanges
    made: Bom | None = None  # where branches move, or tanks have liquids
    dry: Bom | None = None  # without liquids, where ``made`` has them
    fills: Mapping[str, float] = field(default_factory=dict)  # of tanks that the condition fills, percent

    def changed_table(self, original: Bom) -> ChangedTable:
        """Return the table with the changes in its cells; UsageError for changes that no cell holds."""
        base, (numbers, scaled, moved) = self.base, self.cells
        before = base.quantity.count[self.rows]
        counts = {i: n for i, n, old in zip(self.rows.tolist(), self.quantity.count, before, strict=True) if n != old}
        faults = [f"the motion of {name_list([base.ids[i] for i in sorted(moved)], 3)}"] * bool(moved)
        faults += ["liquids of tanks"] * (self.dry is not None)
        faults += ["positions of joints"] * (base is not original and original.table.source.is_robot)
        faults += ["quantities with --qty-is total"] * (bool(counts) and base.options.qty_is == "total")
        if faults:
            raise UsageError(f"cells of a table cannot hold {' and '.join(faults)}; omit -o to see the condition")
        edits = {item: dict(values) for item, values in numbers.items()}
        for item, count in counts.items():
            if count:
                edits.setdefault(item, {})["qty"] = float(count)
        return changed_table(original, base, edits, scaled, [item for item, count in counts.items() if not count])

    @cached_property
    def bom(self) -> Bom:
        """The table with the changes in its arrays; totals that it states are those of the table as it is."""
        base, rows, growth = self.base, self.rows, self.base.growth
        if self.made is not None:
            return self.made
        count, measured = base.quantity.count.copy(), base.quantity.measured.copy()
        count[rows], measured[rows] = self.quantity.count, self.quantity.measured
        if growth is not None and self.growth is not None:
            growth = growth.copy()
            growth[rows] = self.growth
        is_placed = base.poses is not None  # the rows are in their own frames
        sigmas = base.sigmas
        if sigmas is not None and self.sigmas is not None and not is_placed:
            sigmas = inputs.with_rows(sigmas, (rows, self.sigmas))
        return replace(
            base,
            bodies=base.bodies if is_placed else inputs.with_rows(base.bodies, (rows, self.bodies)),
            sigmas=sigmas,
            quantity=ItemQuantity(count, measured),
            growth=growth,
            deviations=None if base.deviations is None else base.deviations.without(self._other_numbers),
            written={} if len(rows) else base.written,
            totals=tuple(one for one in base.totals if one.kind not in _SUMS or not len(rows)),
            findings=(*base.findings, *self.findings),
        )

    @property
    def _other_numbers(self) -> NDArray[np.intp]:
        """The items (j,) whose mass, centre or tensor is another one."""
        bodies, sigmas = self.base.own_numbers or (self.base.bodies, self.base.sigmas)
        old = _end_numbers(bodies, sigmas, self.rows, is_whole=True)
        differs: NDArray[np.bool_] = (
            old != _end_numbers(self.bodies, self.sigmas, np.arange(len(self.rows)), is_whole=True)
        ).any(axis=0)
        return self.rows[differs]


def flat_totals(
    base: Bom, boms: Sequence[ConditionedBom], *, with_sigmas: bool
) -> tuple[_Floats, _Floats, NDArray[np.intp]] | None:
    """Return values and sigmas (c, 10) of roots as sums over leaves, and the conditions (k,) that need a roll-up.

    None for a table that is not the sum of independent leaves. Missing values are left out, as in a roll-up.
    """
    if not _is_plain(base) or base.bodies.center is None or base.bodies.inertia is None:
        return None
    ends, path = np.flatnonzero(base.tree.end_items(base.stated)), base.tree.path_quantities(base.quantity)
    place = np.full(len(base), -1)
    place[ends] = np.arange(len(ends))
    values, sigmas, rest = np.full((len(boms), 10), np.nan), np.full((len(boms), 10), np.nan), list[int]()
    same = path.count[ends], path.variance_weight()[ends]
    parts = [(base.bodies, base.sigmas), *((one.bodies, one.sigmas) for one in boms)]
    is_whole = all(inputs.is_complete_data(*one) for one in parts)
    numbers = _end_numbers(base.bodies, base.sigmas, ends, is_whole=is_whole)
    for k, one in enumerate(boms):
        if one.made is None and one.base is base and one.bodies.has_products is None:
            which = np.flatnonzero(place[one.rows] >= 0)
            at = place[one.rows[which]]
            before, numbers[:, at] = numbers[:, at], _end_numbers(one.bodies, one.sigmas, which, is_whole=is_whole)
            weights = _end_weights(one, path, place, same)
            values[k], sigmas[k] = _sums(numbers, *weights, with_sigmas=with_sigmas and base.sigmas is not None)
            numbers[:, at] = before
        if np.isnan(values[k]).any():
            rest.append(k)
    return values, sigmas, np.array(rest, np.intp)


def _end_numbers(bodies: Bodies, sigmas: Sigmas | None, at: NDArray[np.intp], *, is_whole: bool) -> _Floats:
    """Return numbers (20, k) of leaves: m, centre, tensor, s_m², (m s_c)², s_I²; tensors of points are 0.

    Not whole (35, k): these of placed leaves, then m, s_m², known m, placed, lacking sigmas of placed (10), of m.
    """
    numbers = np.zeros((20 if is_whole else 35, len(at)))
    is_body = ~bodies.is_point[at]
    for first, holder in ((0, bodies), (10, sigmas)):
        for name, rows in (("mass", 0), ("center", slice(1, 4)), ("inertia", slice(4, 10))):
            if (values := getattr(holder, name, None)) is not None:
                numbers[first : first + 10][rows] = values[at].T
    if not is_whole:
        massive, placed = inputs.has_known_mass(bodies)[at], inputs.is_placed_body(bodies)[at]
        own = np.ones((10, len(at)), bool) if sigmas is None else inputs.own_known_sigmas(bodies, sigmas)[at].T
        solid = placed if bodies.has_inertia is None else placed & bodies.has_inertia[at]
        numbers[20:24] = numbers[0] * massive, numbers[10] ** 2 * (massive & own[0]), massive, placed
        numbers[24:34], numbers[34] = placed & ~own, massive & ~own[0]
        kept = np.array([placed, *[placed] * 3, *[solid] * 6, *(placed & own)])
        numbers[:20] = np.where(kept, numbers[:20], 0.0)
    numbers[4:10] *= is_body
    numbers[11:14] *= numbers[0]
    numbers[14:20] *= is_body
    numbers[10:20] **= 2
    return numbers


def _sums(numbers: _Floats, times: _Floats, weight: _Floats, *, with_sigmas: bool) -> tuple[_Floats, _Floats]:
    """Return values and sigmas (10,) of leaves (20 or 35, k), in quantities (k,) with factors of their variances (k,).

    NaN where masses cancel, and of one point; formulas of one level: SAWE 3360; docs/formulas.md, sections 2 to 4.
    """
    # about the centre of all leaves, where the derivatives by it are 0
    values, sigmas = np.full(10, np.nan), np.full(10, np.nan)
    weighted, center, is_there = times * numbers[0], numbers[1:4], times != 0
    if len(numbers) > 20:  # leaves without a place are at the first one
        first = int(np.argmax(numbers[23]))
        center = np.where(numbers[23] != 0, center, center[:, [first]])
    total = float(weighted.sum())
    own = numbers[4:10] @ times
    if abs(total) <= _LEAST_REST * float(np.abs(weighted).sum()) or not own.any():
        return values, sigmas
    from_first = center - center[:, :1]
    offset = from_first @ weighted / total
    x, y, z = d = from_first - offset[:, None]
    xx, yy, zz = squares = d * d
    arms = np.array([yy + zz, xx + zz, xx + yy, x * y, x * z, y * z])
    values[0], values[1:4] = total, center[:, 0] + offset
    values[4:] = own + (arms @ weighted) * _SIGNS
    if len(numbers) > 20:
        values[0] = numbers[20] @ times if numbers[22] @ is_there else np.nan
    if not with_sigmas:
        return values, sigmas
    of_mass, along = numbers[10] * weight, numbers[11:14] * weight
    crossed = squares @ along.T  # (3, 3) of a square of an arm, and of a first moment
    variance = numbers[14:20] @ weight + (arms * arms) @ of_mass
    for entry, (b, c) in enumerate(((1, 2), (0, 2), (0, 1), (0, 1), (0, 2), (1, 2))):
        variance[entry] += 4 * (crossed[b, b] + crossed[c, c]) if entry < 3 else crossed[c, b] + crossed[b, c]
    sigmas[0], sigmas[4:] = np.sqrt(of_mass.sum()), np.sqrt(variance)
    sigmas[1:4] = np.sqrt(squares @ of_mass + along.sum(axis=1)) / abs(total)
    if len(numbers) > 20:
        lacking = numbers[24:] @ is_there > 0
        sigmas[inputs.SIGMA_NEEDS @ lacking[:10]] = np.nan
        sigmas[0] = np.nan if lacking[10] else np.sqrt(numbers[21] @ weight)
    return values, sigmas


def _is_plain(bom: Bom) -> bool:
    """Return whether a root is the sum of leaves, with independent sigmas along the axes of the table."""
    has_all = bom.sigmas is None or (bom.sigmas.center is not None and bom.sigmas.inertia is not None)
    is_alone = bom.poses is None and bom.deviations is None and bom.branches is None and bom.groups is None
    return bom.bodies.has_products is None and has_all and is_alone


def _end_weights(
    one: ConditionedBom, path: ItemQuantity, place: NDArray[np.intp], same: tuple[_Floats, _Floats]
) -> tuple[_Floats, _Floats]:
    """Return quantities (k,) of ends in the product, and factors of their variances; those of the base are ``same``."""
    old, new, tree = one.base.quantity.picked(one.rows), one.quantity, one.base.tree
    which = np.flatnonzero((old.count != new.count) | (old.measured != new.measured))
    items = one.rows[which]
    if tree.n_children[tree.position[items]].any():  # assemblies have what is below them
        own, ends = tree.path_quantities(one.bom.quantity), place >= 0
        return own.count[ends], own.variance_weight()[ends]
    count, weight = (array.copy() for array in same)
    which = which[place[items] >= 0]  # not those below a weighed assembly
    items = one.rows[which]
    above = tree.parent[items]
    count[place[items]] = new.count[which] * path.count[above]
    weight[place[items]] = new.picked(which).variance_weight() * path.variance_weight()[above]
    return count, weight


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
