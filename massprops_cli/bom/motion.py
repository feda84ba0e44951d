"""A table in another frame: centres, tensors and sigmas of every row after a rigid motion or a reflection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, TensorEvidence, TensorSlip, phi, principal_axes  # fmt: skip
from massprops_cli.bodies.plausibility import SMALL_REPAIR, UNCHANGED, SlipSearch, nearest_tensors
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.bom.changed_table import ChangedTable, table_with_cells
from massprops_cli.bom.items.item_rows import item_cell_place, item_list_text
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, SIGMA_CENTER, SIGMA_INERTIA, QuantitySet
from massprops_cli.findings.finding import Finding, Findings, Severity, UsageError
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.cell_parts import table_without_views
from massprops_cli.tables.options import BOUNDS

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_Cells = dict[tuple[int, int], float | str]
_Maps = list[tuple[NDArray[np.intp], "Motion"]]
_Reasons = tuple[Mapping[int, Sequence[TensorSlip]], Mapping[int, TensorEvidence]]  # of items: slips and geometry
_FARTHEST = 1e12
"""Translation as a multiple of the extent of the parts, beyond which too few digits of their distances are left."""
_KEPT = 1e-12  # share of the extent of the parts that rounding of a coordinate to 15 digits may change
# sets and their places among the ten numbers
_MOVED_SETS = ((CENTER, slice(1, 4)), (INERTIA, slice(4, 10)))
_SIGMA_SETS = ((SIGMA_CENTER, slice(1, 4)), (SIGMA_INERTIA, slice(4, 10)))
_TENSOR_RULES = ("MP403", "MP404"), ("MP718",)
"""Tensors that no body can have, beyond the rounding of their digits; of another mass in the same geometry."""
_MOST_SHOWN = 8  # slips that a message lists


@dataclass(frozen=True, eq=False)
class Motion:
    """The map x' = R x + t of a table to another frame; lengths in the coherent unit."""

    rotation: _Floats  # R (3, 3), orthonormal; a determinant of −1 is a reflection
    translation: _Floats  # t (3,), in the new axes

    @classmethod
    def of_rotation(cls, rotation: ArrayLike, about: ArrayLike = (0.0, 0.0, 0.0)) -> Motion:
        """Return x' = R (x − p) + p about p (3,) by R (3, 3) (docs/formulas.md, section 12); UsageError if not one."""
        R = Poses.from_cosines(np.zeros((1, 3)), np.asarray(rotation, dtype=float)[None]).rotation[0]
        point = np.asarray(about, dtype=float)
        return cls(R, point - R @ point)

    @classmethod
    def of_mirror(cls, axis: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Motion:
        """Return the reflection in the plane normal to an axis at a point (3,); UsageError for an unknown axis."""
        if axis not in ("x", "y", "z"):
            raise UsageError(f"mirror is not an axis: {axis} (expected x, y or z)")
        R = np.diag([-1.0 if one == axis else 1.0 for one in "xyz"])
        point = np.asarray(about, dtype=float)
        return cls(R, point - R @ point)

    def translated(self, translation: ArrayLike) -> Motion:
        """Return this map followed by a translation (3,) in the new axes."""
        return Motion(self.rotation, self.translation + np.asarray(translation, dtype=float))

    def inverse(self) -> Motion:
        """Return the map back."""
        return Motion(self.rotation.T.copy(), -self.rotation.T @ self.translation)

    def points(self, own: ArrayLike) -> _Floats:
        """Return points (n, 3) in the new frame: R x + t."""
        return np.asarray(np.asarray(own, dtype=float) @ self.rotation.T + self.translation)


def frame_of_axes(axes: ArrayLike, origin: ArrayLike) -> Motion:
    """Return x' = A (x − o), unit axes (3, 3) by rows, origin (3,); UsageError if they are not a rotation."""
    A = Motion.of_rotation(axes).rotation
    return Motion(A, -A @ np.asarray(origin, dtype=float))


def moved_table(bom: Bom, motion: Motion, findings: Findings) -> ChangedTable:
    """Re-express a table in another frame: c' = R c + t, I' = R I Rᵀ (docs/formulas.md, section 12).

    With poses, those of the top items move, and numbers in the frames of items remain.
    """
    items = _row_items(bom)
    cells: _Cells = {}
    _check_translation(bom, motion, findings)
    groups, N = _row_motions(bom, motion, items)
    for of_group, map_of_group in groups:
        _move_numbers(bom, map_of_group, of_group, cells, findings)
    if bom.poses is not None:
        from massprops_cli.bom.pose_motion import move_pose_cells

        move_pose_cells(bom, (motion.rotation, motion.translation, N), cells, findings)
    _move_totals(bom, cells, motion)
    return table_with_cells(bom, cells)


def _extent(centers: _Floats) -> float:
    """Return the largest difference between coordinates of centres (k, 3) along an axis; 0 of one centre or none."""
    known = centers[np.isfinite(centers).all(axis=1)]
    return float(np.ptp(known, axis=0).max()) if len(known) else 0.0


def _check_translation(bom: Bom, motion: Motion, findings: Findings) -> None:
    """Report a translation next to which the distances between the parts are lost in rounding."""
    center, has = bom.bodies.center, bom.bodies.has_center
    leaves = bom.tree.is_leaf() if has is None else bom.tree.is_leaf() & has
    extent = 0.0 if center is None else _extent(np.where(bom.bodies.missing_axes, 0.0, center)[leaves])
    length = float(np.abs(motion.translation).max())
    if extent > 0 and not length <= _FARTHEST * extent:
        message = (
            f"translation {length:.3g} is {length / extent:.2g} times the extent {extent:.3g} of the centres of mass: "
            "their distances are rounded"
        )
        place = item_cell_place(bom.table, bom.columns.header_row, None)
        findings.report("MP733", message, place, remedy="translate by less, or check the unit of the translation")


def _row_motions(bom: Bom, motion: Motion, items: NDArray[np.intp]) -> tuple[_Maps, _Floats | None]:
    """Return the maps of the numbers of the rows, and the reflection N (3, 3) of those in frames of their own."""
    if bom.poses is None:
        return [(items, motion)], None
    from massprops_cli.bom.pose_motion import items_in_frame_of_table

    in_table = items_in_frame_of_table(bom)[items]
    groups = [(items[in_table], motion)] if in_table.any() else []
    if (N := _own_reflection(bom, motion.rotation, items[~in_table])) is not None and not in_table.all():
        groups.append((items[~in_table], Motion(N, np.zeros(3))))
    return groups, N


def _own_reflection(bom: Bom, rotation: _Floats, items: NDArray[np.intp]) -> _Floats | None:
    """Return the reflection N (3, 3) of own axes for R (3, 3): R, or else one that changes no solid; None if proper."""
    if np.linalg.det(rotation) > 0:
        return None
    axes = [np.diag(1.0 - 2.0 * np.eye(3)[k]) for k in range(3)]
    before, has = _written_numbers(bom)
    for N in [rotation, *axes] if np.array_equal(rotation, np.diag(np.diag(rotation))) else axes:
        M = turn_matrices(N)
        if not _turned_solids(bom, items, (before, before @ M.T, has), M).any():
            return np.asarray(N)
    of = f"cannot be mirrored together: {item_list_text(bom.ids, items)}; state their numbers in place of the solids"
    raise UsageError(f"solids that are symmetric across different own axes {of}")


def _move_numbers(bom: Bom, motion: Motion, items: NDArray[np.intp], cells: _Cells, findings: Findings) -> None:
    """Enter the numbers and sigmas of some rows in another frame."""
    M = turn_matrices(motion.rotation)
    before, has = _written_numbers(bom)
    if bom.poses is not None and not has[items, 1:].any():
        return
    _check_columns(bom, motion)
    after = before @ M.T
    after[:, 1:4] += motion.translation
    if (wrong := _turned_solids(bom, items, (before, after, has), M)).any():
        raise UsageError(
            f"solids cannot be turned in their cells: {item_list_text(bom.ids, items[wrong])}; "
            "give their rows poses and the frame own, or state their numbers in place of the solids"
        )
    if bom.options.inertia_about is not None and bom.bodies.inertia is not None:  # about the same coordinates
        point = np.asarray(bom.options.inertia_about, dtype=float)
        for ten in (before, after):
            ten[:, 4:] += ten[:, :1] * phi(ten[:, 1:4] - point)
    for quantity_set, part in _MOVED_SETS:
        _enter_set_cells(bom, cells, quantity_set, (before[:, part], after[:, part]), items[has[items, part.start]])
    if bom.sigmas is not None:
        _enter_sigmas(bom, cells, M, items, findings)  # of independent values: s'² = Σ M² s²


def _turned_solids(
    bom: Bom, items: NDArray[np.intp], numbers: tuple[_Floats, _Floats, NDArray[np.bool_]], M: _Floats
) -> NDArray[np.bool_]:
    """Mark solids (k,) whose computed tensor or deviations would turn: their dimensions cannot state that."""
    named = bom.columns.by_quantity
    before, after, has = numbers
    if not (solids := [named[name].index for name in ("shape", "mesh") if name in named]):
        return np.zeros(len(items), bool)
    is_solid = np.array([any(bom.table.text(int(row), j).strip() for j in solids) for row in bom.rows[items].tolist()])
    blank = _blank_cells(bom, items, INERTIA)
    size = np.abs(before[items, 4:]).max(axis=1, initial=0.0)
    turned = np.abs(after[items, 4:] - before[items, 4:]).max(axis=1, initial=0.0) > 1e-14 * size
    wrong = is_solid & blank & has[items, 4] & turned
    if bom.deviations is not None:
        v = bom.deviations.vectors
        shifts = _blank_cells(bom, items, CENTER) & (np.abs(after - before)[items, 1:4] > 0).any(axis=1)
        moved = np.abs(v @ M.T - v).max(axis=1) > 1e-12 * np.abs(v).max(axis=1)
        wrong |= np.isin(items, bom.deviations.items[moved])
        wrong |= shifts & np.isin(items, bom.deviations.items[v[:, 1:4].any(axis=1)])
    return np.asarray(wrong)


def _blank_cells(bom: Bom, items: NDArray[np.intp], quantity_set: QuantitySet) -> NDArray[np.bool_]:
    """Return which items have only blank cells of a set ``(k,)``."""
    named = bom.columns.by_quantity
    columns = [named[name].index for name in quantity_set.columns if name in named]
    rows = bom.rows[items].tolist()
    return np.array([not any(bom.table.text(row, j).strip() for j in columns) for row in rows], bool)


def _row_items(bom: Bom) -> NDArray[np.intp]:
    """Return one item (k,) of each row; a row that several items use occurs once, a made root not at all."""
    rows = np.asarray(bom.rows)
    first = np.unique(rows, return_index=True)[1]
    return np.asarray(first[rows[first] >= 0])


def _written_numbers(bom: Bom) -> tuple[_Floats, NDArray[np.bool_]]:
    """Return the ten numbers (n, 10) as the rows state them, in their frames and coherent units, and which are known.

    Mass, centre, tensor entries about the own centre; 0 where unknown. A point mass has no tensor.
    """
    bodies, _ = _numbers_of_rows(bom)
    ten, has = np.zeros((len(bom), 10)), np.zeros((len(bom), 10), bool)
    ten[:, 0] = bodies.mass
    has[:, 0] = True if bodies.has_mass is None else bodies.has_mass
    if bodies.center is not None:
        ten[:, 1:4] = np.where(bodies.missing_axes, 0.0, bodies.center)
        has[:, 1:4] = True if bodies.has_center is None else bodies.has_center[:, None]
    if bodies.inertia is not None:
        ten[:, 4:] = bodies.inertia
        known = ~bodies.is_point if bodies.has_inertia is None else bodies.has_inertia & ~bodies.is_point
        has[:, 4:] = known[:, None]
    return ten, has


def _numbers_of_rows(bom: Bom) -> tuple[Bodies, Sigmas | None]:
    """Return all items as their own rows state them, each in the frame of its row."""
    if bom.own_numbers is None:
        return bom.as_written()
    bodies, sigmas = bom.own_numbers
    return replace(bom, bodies=bodies, sigmas=sigmas).as_written()


def _check_columns(bom: Bom, motion: Motion) -> None:
    """Raise if a column cannot hold its numbers in the new frame."""
    named = bom.columns.by_quantity
    if len(missing := [name for name in CENTER.columns if name not in named]) == 3:
        raise UsageError("table has no columns of centres of mass, so there is nothing to transform")
    mixed = (np.abs(motion.rotation) > 0) & ~np.eye(3, dtype=bool)
    for k, name in enumerate(CENTER.columns):
        if name in missing and (mixed[k].any() or mixed[:, k].any() or motion.translation[k] != 0):
            raise UsageError(f"table has no column {name}, which the new frame needs; add it")
    if np.array_equal(motion.rotation, np.eye(3)):
        return
    full = turn_matrices(motion.rotation)[4:, 4:]
    entries = [name in named for name in INERTIA.columns]
    if any(entries[:3]):
        feeds = np.asarray((np.abs(full[:, :3]) > 1e-15).any(axis=1))
        if lacking := [name for k, name in enumerate(INERTIA.columns) if feeds[k] and not entries[k]]:
            raise UsageError(f"table has no column {', '.join(lacking)}, which the turned tensor needs; add blank ones")
    for base in (*CENTER.columns, *INERTIA.columns):
        if (column := named.get(f"sigma_{base}")) is not None and column.percent:
            raise UsageError(f"sigmas in percent cannot be turned: {column.header}; state them in the unit of {base}")
        if (bound := next((end for end in BOUNDS if f"{base}_{end}" in named), None)) is not None:
            raise UsageError(f"bounds cannot be turned: {named[f'{base}_{bound}'].header}; state a sigma instead")


def _enter_set_cells(
    bom: Bom, cells: _Cells, quantity_set: QuantitySet, values: tuple[_Floats, _Floats], items: NDArray[np.intp]
) -> None:
    """Enter changed numbers (n, k), before and after, in unit and sign of each row (docs/formulas.md, section 1)."""
    before, after = values
    scale = np.maximum(np.abs(before).max(axis=1), np.abs(after).max(axis=1)) * 1e-15
    # of coordinates far from the origin, the differences count
    kept = _KEPT * (_extent(after[items]) or np.inf) if quantity_set is CENTER else np.inf
    scale = np.minimum(scale, kept)
    rounded = np.where(np.abs(after) <= scale[:, None], 0.0, after)
    differs = rounded[items] != before[items]
    # a set is complete or blank: the numbers of a solid are entered together
    differs |= (_blank_cells(bom, items, quantity_set) & differs.any(axis=1))[:, None]
    for k, name in enumerate(quantity_set.columns):
        if (column := bom.columns.by_quantity.get(name)) is None:
            continue
        new = rounded[:, k]
        changed = items[differs[:, k]]
        is_product = quantity_set is INERTIA and k >= 3
        unsigned = changed[(bom.sign[changed] == 0) & (new[changed] != 0)] if is_product else changed[:0]
        if len(unsigned):
            ids = item_list_text(bom.ids, unsigned)
            raise UsageError(f"products of inertia of {ids} have no sign convention; fill POIconv, or pass --poi -")
        sign = np.where(bom.sign[changed] > 0, -1.0, 1.0) if is_product else np.ones(len(changed))
        rows = bom.rows[changed]
        numbers = _rounded_numbers(new[changed] * sign / column.sizes(rows), kept / column.sizes(rows))
        cells |= {(row, column.index): number for row, number in zip(rows.tolist(), numbers.tolist(), strict=True)}


def _enter_sigmas(bom: Bom, cells: _Cells, M: _Floats, items: NDArray[np.intp], findings: Findings) -> None:
    """Enter the turned sigmas; what becomes unknown is blank, and lost correlations are reported."""
    _, sigmas = _numbers_of_rows(bom)
    assert sigmas is not None
    n = len(bom)
    known = np.ones((n, 10), bool) if sigmas.known is None else sigmas.known
    lost = np.zeros(n, bool)
    for (quantity_set, part), array in zip(_SIGMA_SETS, (sigmas.center, sigmas.inertia), strict=True):
        columns = [bom.columns.by_quantity.get(name) for name in quantity_set.columns]
        if array is None or not any(columns):
            continue
        own, has = np.nan_to_num(array), known[:, part]
        if part.start == 4:
            has = has & ~bom.bodies.is_point[:, None]
        block = M[part, part]
        variance = (block[None] * own[:, None, :] ** 2) @ block.T
        after = np.sqrt(np.maximum(np.diagonal(variance, axis1=1, axis2=2), 0.0))
        after_known = np.asarray((~has).astype(float) @ (np.abs(block) > 1e-15).T.astype(float) == 0.0)
        off = np.abs(variance - variance * np.eye(len(block))).max(axis=(1, 2))
        lost |= off > 1e-12 * np.maximum(np.diagonal(variance, axis1=1, axis2=2).max(axis=1), 1e-300)
        for k, column in enumerate(columns):
            if column is None:
                continue
            changed = items[(after[items, k] != own[items, k]) | (after_known[items, k] != has[items, k])]
            changed = changed[has[changed].any(axis=1)]
            rows = bom.rows[changed]
            numbers = _rounded_numbers(after[changed, k] / column.sizes(rows))
            for row, number, is_known in zip(rows.tolist(), numbers.tolist(), after_known[changed, k], strict=True):
                cells[row, column.index] = number if is_known else ""
    if len(where := items[lost[items]]):
        named = bom.columns.by_quantity
        column = next(named[name] for name in (*SIGMA_CENTER.columns, *SIGMA_INERTIA.columns) if name in named)
        names = item_list_text(bom.ids, where)
        message = f"turned sigmas of {names} are correlated, and columns of sigmas cannot state correlations"
        place = item_cell_place(bom.table, int(bom.rows[where[0]]), column.index, column.header)
        findings.report("MP715", message, place, item=bom.ids[int(where[0])], count=len(where))


def _rounded_numbers(values: _Floats, kept: float | _Floats = np.inf) -> _Floats:
    """Return numbers with 15 significant digits, with all where that changes a number by more than ``kept``."""
    rounded = np.array([float(f"{value:.15g}") for value in values.tolist()])
    return np.where(np.abs(rounded - values) <= kept, rounded, values) + 0.0


def _move_totals(bom: Bom, cells: _Cells, motion: Motion) -> None:
    """Move the centres of rows that are totals; their tensors turn with them."""
    named = bom.columns.by_quantity
    M, table = turn_matrices(motion.rotation), table_without_views(bom.table)
    for total in bom.totals:
        for quantity_set, part in _MOVED_SETS:
            columns = [named.get(name) for name in quantity_set.columns]
            read = [None if one is None else read_number(table.text(total.row, one.index)) for one in columns]
            if all(number is None for number in read):
                continue
            sizes = [1.0 if one is None else one.size(total.row) for one in columns]
            own = np.array([0.0 if number is None else number * size for number, size in zip(read, sizes, strict=True)])
            moved = M[part, part] @ own + (motion.translation if part.start == 1 else 0.0)
            entries = _rounded_numbers(moved / np.array(sizes)).tolist()
            for k, column in enumerate(columns):
                if column is not None and read[k] is not None and moved[k] != own[k]:
                    cells[total.row, column.index] = entries[k]


def repair_tensors(
    bom: Bom, findings: Findings, geometry: Callable[[Collection[str]], Mapping[str, TensorEvidence]] | None = None
) -> tuple[ChangedTable, NDArray[np.intp], Bom]:
    """Replace faulty tensors by those of the only slip that explains them; without any, by the nearest valid ones.

    ``geometry``: of links by id, inexact of these ids only; else shapes count. Returns table, items (k,), bill.
    """
    before, has = _written_numbers(bom)
    sign = np.where(before[:, 0] < 0, -1.0, 1.0)[:, None]  # of a removed body
    ten = before * np.where(np.isin(np.arange(10), (1, 2, 3)), 1.0, sign)
    has &= np.isin(np.arange(len(bom)), _row_items(bom))[:, None]
    named = ({one.item for one in bom.findings if one.rule in rules} for rules in _TENSOR_RULES)
    invalid, scaled = (has[:, 4] & np.array([id in ids for id in bom.ids], bool) for ids in named)
    of_body = invalid & (before[:, 0] < 0) & (before[:, 4:7] > 0).all(axis=1)  # the sign of either is wrong
    for i in np.flatnonzero(of_body).tolist():
        remedy = "correct the sign of the mass, or of the whole tensor for a removed body"
        _report_tensor(bom, i, f"tensor of {bom.ids[i]} is not changed: its mass is negative", remedy, findings)
    invalid &= ~of_body
    moved = np.zeros_like(ten[:, 4:])
    if (point := bom.options.inertia_about) is not None:
        moved = ten[:, :1] * phi(ten[:, 1:4] - np.asarray(point, dtype=float))
    signs = np.where((bom.sign[:, None] > 0) & (np.arange(6) > 2), -1.0, 1.0)
    search = SlipSearch(ten, has, _arms(bom, ten[:, 1:4]), bom.ids, invalid, scaled, (signs, moved))
    pairs, shown = search.pairs(), bom.geometry
    if geometry is not None:
        by_id = geometry({bom.ids[i] for i in (*np.flatnonzero(invalid).tolist(), *pairs)})
        evidence = {i: by_id[bom.ids[i]] for i in range(len(bom)) if has[i, 4] and bom.ids[i] in by_id}
    else:
        known = () if shown is None else np.flatnonzero(has[:, 4] & (shown[:, :3] > 0).all(axis=1)).tolist()
        evidence = {i: TensorEvidence(shown[i], "the shape or mesh") for i in known if shown is not None}
    slips = search.slips(evidence, pairs)
    if geometry is None:  # the mass may be in the wrong unit
        slips = {i: found for i, found in slips.items() if not any(one.caution == "mass" for one in found)}
    one_slip = {i for i, found in slips.items() if len(found) == 1}
    items = np.array([i for i in _row_items(bom).tolist() if i in one_slip or (invalid[i] and i not in slips)], np.intp)
    after = ten.copy()
    for i in items.tolist():
        after[i, 4:] = _rounded_numbers(slips[i][0].tensor) if i in slips else ten[i, 4:]
    after[items, 4:] = nearest_tensors(after[items, 4:])
    after[:, 4:] *= sign
    cells: _Cells = {}
    _enter_set_cells(bom, cells, INERTIA, (before[:, 4:] + sign * moved, after[:, 4:] + sign * moved), items)
    _report_repairs(bom, items, (before[items, 4:], after[items, 4:]), (slips, evidence), findings)
    _report_open(bom, (slips, evidence), (signs * sign, moved), findings)
    bodies, sigmas = _numbers_of_rows(bom)
    fixed = replace(bom, own_numbers=(replace(bodies, inertia=after[:, 4:]), sigmas))
    return table_with_cells(bom, cells), items, fixed


def findings_after(bom: Bom, changed: ChangedTable) -> list[Finding]:
    """Return the findings of the table with changed cells, which is read again, and those of reading the file."""
    before, after = (bom.from_table(table, bom.options).findings for table in (changed.table, changed.in_place))
    old, new = set(before), set(after)
    return [one for one in bom.findings if one in new or one not in old] + [one for one in after if one not in old]


def _arms(bom: Bom, center: _Floats) -> list[_Floats]:
    """Return the centres (n, 3) from the points that a tensor may be about, along the axes of the rows."""
    arms = [center]
    if bom.options.inertia_about is not None:
        arms.append(center - np.asarray(bom.options.inertia_about, dtype=float))
    if bom.poses is not None:  # the origin of the item above
        numbers, origins = bom.poses.numbers, bom.poses.in_root.translation[bom.tree.parent]
        arms.append(np.einsum("nji,nj->ni", numbers.rotation, numbers.points(center) - origins))
    return arms


def _report_repairs(
    bom: Bom, items: NDArray[np.intp], tensors: tuple[_Floats, _Floats], reasons: _Reasons, findings: Findings
) -> None:
    """Report replaced tensors (k, 6), before and after, with the slip, or with the distance of the nearest one."""
    unit = f" {bom.units.inertia}" if bom.units.inertia else ""
    norms = [np.sqrt((six**2 * [1, 1, 1, 2, 2, 2]).sum(axis=1)) for six in (tensors[0], tensors[1] - tensors[0])]
    before, after = (principal_axes(six).moments for six in tensors)
    for item, old, new, norm, distance in zip(items.tolist(), before, after, *norms, strict=True):
        slips, geometry = reasons[0].get(item), reasons[1].get(item)
        share = distance / norm if norm > 0 else 0.0
        moments = [", ".join(f"{x:.6g}" for x in three.tolist()) for three in (old, new)]
        how = "replaced by the nearest valid one"
        if slips:
            how = f"corrected, {slips[0].words}{f' (compared with {geometry.words})' if geometry else ''}"
        is_large = not slips and share > SMALL_REPAIR
        message = (
            f"tensor of {bom.ids[item]} {how}: distance {distance:.6g}{unit}, "
            f"{100 * share:.3g} % of the tensor; principal moments {moments[0]} before, {moments[1]} after"
        )
        remedy = "find the cause, and enter the tensor from its source" if is_large else None
        _report_tensor(bom, item, message, remedy, findings)


def _report_open(bom: Bom, reasons: _Reasons, cells: tuple[_Floats, _Floats], findings: Findings) -> None:
    """Report the tensors that several slips explain, with the cells (6,) of each: signs (n, 6) × (tensor + moved)."""
    for item, found in reasons[0].items():
        if len(found) == 1:
            continue
        texts = [f"{len(found) - _MOST_SHOWN} more"] * (len(found) > _MOST_SHOWN)
        for one in found[:_MOST_SHOWN][::-1]:
            six = one.tensor
            if len(six):
                six = six if np.isnan(six).any() else nearest_tensors(six[None])[0]
                six = cells[0][item] * (six + cells[1][item]) + 0.0
            shown = ", ".join("unknown" if np.isnan(x) else f"{x:.6g}" for x in six.tolist())
            texts.insert(0, one.words.removeprefix("valid ") + (shown and f": {shown}"))
        count = sum(one.kind != UNCHANGED for one in found)
        unit = f" {bom.units.inertia}" if bom.units.inertia else ""
        compared = f" (compared with {reasons[1][item].words})" if item in reasons[1] else ""
        message = (
            f"tensor of {bom.ids[item]} is not changed: {count} slip{'s explain' if count > 1 else ' explains'} it"
            f"{compared}{unit and f',{unit}'}; "
        )
        signs = ", products with the sign of POIconv" if bom.sign[item] > 0 else ""
        remedy = f"find out which, and enter the tensor (Ixx, Iyy, Izz, Ixy, Ixz, Iyz{signs})"
        _report_tensor(bom, item, message + "; ".join(texts), remedy, findings)


def _report_tensor(bom: Bom, item: int, message: str, remedy: str | None, findings: Findings) -> None:
    """Report a tensor; with a remedy it is a warning."""
    column = bom.columns.by_quantity[INERTIA.columns[0]]
    place = item_cell_place(bom.table, int(bom.rows[item]), column.index, column.header)
    severity = None if remedy is None else Severity.WARNING
    findings.report("MP716", message, place, item=bom.ids[item], severity=severity, remedy=remedy)
