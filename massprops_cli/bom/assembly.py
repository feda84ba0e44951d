"""What was read of a table → a bill of materials: arrays in the order of its tree, a row for every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.bom.checks import consistency
from massprops_cli.bom.items import item_flags
from massprops_cli.bom.items.correlation_groups import read_correlation_groups
from massprops_cli.bom.items.growth import read_growth
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_column_once
from massprops_cli.bom.items.numbers import (
    SetCells,
    allow_missing_text,
    check_needed_cells,
    check_needed_products,
    fill_blank_coordinates,
    read_quantity_sets,
)
from massprops_cli.bom.items.result_columns import (
    CENTER,
    INERTIA,
    MASS,
    QUANTITY_SETS,
    SIGMA_INERTIA,
    SIGMA_MASS,
    SIGMA_SETS,
    SIGMA_SLICES,
    VALUE_SETS,
    QuantitySet,
)
from massprops_cli.bom.items.sigmas import SigmaInputs, mass_methods, read_sigmas
from massprops_cli.bom.items.variant_columns import ItemTree, read_blank_counts
from massprops_cli.files.table import Mask, Table
from massprops_cli.findings.finding import Findings, Severity
from massprops_cli.tables.account import mapping_commands
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.options import GROWTH_MASSES, POSE_QUANTITIES, TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.items.pose_cells import ItemPoses
    from massprops_cli.bom.items.solid_cells import ItemSolids

_T = TypeVar("_T", bound=np.generic)


class _ItemReindexer:
    """Takes arrays of the m wanted items to arrays of the n items of the tree; a made root comes last."""

    def __init__(self, item_tree: ItemTree) -> None:
        self.item_tree = item_tree
        self.whole = len(item_tree.kept) == len(item_tree.items)

    def take(self, values: NDArray[_T], of_made_root: object) -> NDArray[_T]:
        """Take an array (m, …) of the wanted items to the items of the tree (n, …), with a value for a made root."""
        kept = values if self.whole else values[self.item_tree.kept]
        if not self.item_tree.made:
            return kept
        return np.concatenate([kept, np.full((1, *kept.shape[1:]), of_made_root, dtype=kept.dtype)])

    def texts(self, texts: Sequence[str], of_made_root: str) -> Sequence[str]:
        """Take texts (m,) of the wanted items to the items of the tree (n,), with a text for a made root."""
        kept = texts if self.whole else [texts[i] for i in self.item_tree.kept.tolist()]
        return [*kept, of_made_root] if self.item_tree.made else kept

    def bodies(self, cells: Mapping[str, SetCells], marks: item_flags.ItemFlags) -> Bodies:
        """Build the bodies from cells (m, k): mass (n,), centre (n, 3) and inertia (n, 6), coherent units.

        Tensor entries about own centres, axes of the table; a mask is None if no item that goes up lacks its value.
        """
        mass, has_mass = self._numbers(cells.get(MASS.name), marks)
        center, has_center = self._numbers(cells.get(CENTER.name), marks)
        if center is not None:
            # a coordinate that no cell has where others have a centre is not given by the table
            given = cells[CENTER.name]
            is_missing = given.has.any() & ~given.given.any(axis=0)
            center = np.where(is_missing, np.nan, center)
        inertia, has_inertia = self._numbers(cells.get(INERTIA.name), marks, of_points=False)
        n = len(self.item_tree.kept) + bool(self.item_tree.made)
        products = cells[INERTIA.name].products if INERTIA.name in cells else None
        has_products = None if products is None else self.take(products | marks.is_point | ~marks.goes_up, True)
        return Bodies(
            mass=np.zeros(n) if mass is None else mass[:, 0],
            center=center,
            inertia=inertia,
            is_point=self.take(marks.is_point, False),
            has_mass=has_mass,
            has_center=has_center,
            has_inertia=has_inertia,
            has_products=None if has_products is None or has_products.all() else has_products,
        )

    def sigmas(self, cells: Mapping[str, SetCells], marks: item_flags.ItemFlags) -> Sigmas | None:
        """Build the sigmas of mass (n,), centre (n, 3), inertia (n, 6), coherent units, unknown ones 0 and marked."""
        goes_up, is_point = (self.take(mask, False) for mask in (marks.goes_up, marks.is_point))
        known = np.ones((len(goes_up), 10), bool)
        arrays: list[NDArray[np.float64] | None] = []
        for value, sigma, columns in zip(VALUE_SETS, SIGMA_SETS, SIGMA_SLICES, strict=True):
            part = cells.get(sigma.name) if value.name in cells else None
            if part is None:
                arrays.append(None)
                known[goes_up, columns] = value.name not in cells
                continue
            values, given = self.take(part.values, 0.0), self.take(part.given, False) | ~goes_up[:, None]
            if value is INERTIA:
                given |= is_point[:, None]
                values = _zeroed(values, is_point)
            if value is MASS:  # a mass that is not known does not count, nor does its sigma
                given |= self.take(~cells[MASS.name].has, False)[:, None]
                values = _zeroed(values, self.take(~cells[MASS.name].has & marks.goes_up, False))
            known[:, columns] = given
            arrays.append(values if given.all() else np.where(given, values, 0.0))
        if all(array is None for array in arrays):
            return None
        mass = np.zeros(len(goes_up)) if arrays[0] is None else arrays[0][:, 0]
        return Sigmas(mass, arrays[1], arrays[2], None if known.all() else known)

    def _numbers(
        self, cells: SetCells | None, marks: item_flags.ItemFlags, *, of_points: bool = True
    ) -> tuple[NDArray[np.float64] | None, Mask | None]:
        """Take the values (n, k) of a set, coherent units, 0 where missing, and mark the items that have them (n,)."""
        # no values without columns; no mask if all items that go up have one. Point masses are 0 unless of_points.
        if cells is None:
            return None, None
        values, has = self.take(cells.values, 0.0), self.take(cells.has, False)
        point = self.take(marks.is_point, False)
        if not of_points and point.any():
            values, has = _zeroed(values, point), has | point
        goes_up = self.take(marks.goes_up, False)
        if (has | ~goes_up).all():
            return values, None
        # what is missing or cannot be used is 0 under its mask; assemblies keep what their rows state
        return np.where((has | ~goes_up)[:, None], values, 0.0), has

    def written(
        self, cells: Mapping[str, SetCells], columns: TableColumns
    ) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Collect the values that assembly rows state: column → items (k,) and values (k,) in coherent units."""
        inner = ~self.take(self.item_tree.is_leaf, True)
        stated = {}
        for quantity_set in QUANTITY_SETS:
            if (part := cells.get(quantity_set.name)) is None:
                continue
            for axis, name in enumerate(quantity_set.columns):
                if name not in columns.by_quantity:
                    continue
                if len(where := np.flatnonzero(self.take(part.given[:, axis], False) & inner)):
                    stated[name] = (where, self.take(part.values[:, axis], 0.0)[where])
        return stated


def _zeroed(values: NDArray[np.float64], where: Mask) -> NDArray[np.float64]:
    """Return values (n, k) with 0 in some rows (n,); no copy if they are 0."""
    return np.where(where[:, None], 0.0, values) if values[where].any() else values


def _text_subset(texts: Sequence[str], chosen: NDArray[np.intp]) -> Sequence[str]:
    """Select the texts at positions (k,); all of them are returned without a copy."""
    return texts if len(chosen) == len(texts) else [texts[i] for i in chosen.tolist()]


def assemble_bom(
    cls: type[Bom],
    table: Table,
    columns: TableColumns,
    options: TableOptions,
    hierarchy: Hierarchy,
    item_tree: ItemTree,
    findings: Findings,
) -> tuple[Bom, NDArray[np.intp]]:
    """Read the items into a Bom, in the order of the tree, coherent units; also the rows (k,) with computed numbers."""
    assert item_tree.tree is not None
    order, chosen = _ItemReindexer(item_tree), item_tree.items
    rows = np.asarray(hierarchy.rows, dtype=np.intp)[chosen]
    items = ItemRows(table, columns, rows, _text_subset(hierarchy.ids, chosen))
    marks = _read_marks(items, hierarchy, item_tree, options, findings)
    cells, stated, as_written, solids = _read_item_cells(items, marks, options, findings)
    part = None if hierarchy.part is None else hierarchy.part[chosen]
    groups, part_numbers = read_correlation_groups(items, marks, part, findings)
    poses, own_numbers = _read_poses(items, hierarchy, options, findings), None
    if poses is None:
        consistency.check_uses(items, part, cells, findings)
    consistency.check_part_numbers(items, item_tree.is_leaf, cells, findings)
    growth = read_growth(items, marks, options, findings)
    deviations = solids.deviations if solids is not None and options.use_sigmas else None
    if poses is not None:
        poses = poses.over(lambda values, _: values[chosen])
        own_numbers = order.bodies(cells, marks), order.sigmas(cells, marks)
        cells = poses.moved_cells(cells, deviations)
    words = mass_methods(items, stated.methods)
    bom = cls(
        **_tree_fields(order, items, hierarchy, marks, options),
        bodies=order.bodies(cells, marks),
        sigmas=order.sigmas(cells, marks),
        written=order.written(as_written, columns),
        findings=(),
        shapes=None if stated.shapes is None else stated.shapes.over(order.take),
        groups=None if groups is None else order.texts(groups, ""),
        part_numbers=None if part_numbers is None else order.texts(part_numbers, ""),
        maturity=None if words is None else order.texts(words, ""),
        growth=None if growth is None else order.take(growth, np.nan),
        deviations=None if deviations is None else deviations.picked(item_tree.kept),
        geometry=None if solids is None else order.take(solids.tensors(len(rows)), np.nan),
        poses=None if poses is None else poses.over(order.take),
        own_numbers=own_numbers,
    )
    owners = np.flatnonzero(order.take(marks.own, False))
    is_used = np.zeros(table.n_rows + 1, bool)  # the last one is the row −1
    is_used[rows[marks.goes_up]] = True
    return _add_own_bodies(bom, owners), rows[~is_used[rows]]


def _tree_fields(
    order: _ItemReindexer, items: ItemRows, hierarchy: Hierarchy, marks: item_flags.ItemFlags, options: TableOptions
) -> dict[str, Any]:
    """Return the fields of a Bom that tree, flags and quantities give: arrays (n,) in the order of the tree."""
    tree = order.item_tree
    return {
        "table": items.table,
        "columns": items.columns,
        "options": options,
        "layout": hierarchy.layout,
        "how": hierarchy.how,
        "tree": tree.tree,
        "ids": order.texts(items.ids, tree.made),
        "names": None if hierarchy.names is None else order.texts(_text_subset(hierarchy.names, tree.items), ""),
        "rows": order.take(items.rows, -1),
        "quantity": ItemQuantity(order.take(marks.quantity.count, 1.0), order.take(marks.quantity.measured, False)),
        "stated": order.take(marks.stated, False) if marks.stated.any() else None,
        "extra": None,
        "sign": order.take(
            marks.sign, 0 if "POIconv" in items.columns.by_quantity else item_flags.sign_of_option(options)
        ),
        "point_blank": None if marks.point_blank is None else order.take(marks.point_blank, False),
    }


def _read_marks(
    items: ItemRows, hierarchy: Hierarchy, item_tree: ItemTree, options: TableOptions, findings: Findings
) -> item_flags.ItemFlags:
    """Read flags, signs and quantities; each piece of a pattern is an item of its own."""
    uses = items if hierarchy.edge_rows is None else replace(items, rows=hierarchy.edge_rows[item_tree.items])
    blanks = read_blank_counts(uses, item_tree, options, findings) if options.qty_column else None
    counts = item_flags.read_quantity(uses, findings, item_tree.root, blanks)
    marks = item_flags.read_item_flags(items, uses, item_tree.is_leaf, counts, options, findings)
    if hierarchy.piece is None:
        return marks
    piece, quantity = hierarchy.piece[item_tree.items], marks.quantity
    pieces = ItemQuantity(np.where(piece >= 0, 1.0, quantity.count), quantity.measured & (piece < 0))
    return marks._replace(quantity=pieces)


def _add_own_bodies(bom: Bom, owners: NDArray[np.intp]) -> Bom:
    """Add a leaf with the row's own numbers next to the children of each of some assemblies ``owners (k,)``."""
    if not len(owners):
        return bom
    n, k = len(bom), len(owners)
    at = np.append(np.arange(n), owners)
    extra, is_owner = np.arange(n + k) >= n, np.isin(np.arange(n), owners)
    bodies, sigmas = (None, None) if bom.own_numbers is None else bom.own_numbers
    given = {one.name: getattr(bom, one.name) for one in fields(bom) if getattr(bom, one.name) is not None}
    arrays, texts = ("rows", "sign", "point_blank", "geometry"), ("names", "groups", "part_numbers", "maturity")
    taken: dict[str, Any] = {name: given[name][at] for name in arrays if name in given}
    taken |= {name: [given[name][i] for i in at.tolist()] for name in texts if name in given}
    return replace(
        bom,
        **taken,
        tree=type(bom.tree).from_parents(np.append(bom.tree.parent, owners).astype(np.int32)),
        ids=[*bom.ids, *(f"{bom.ids[i]} (own)" for i in owners.tolist())],
        bodies=at_items(bom.bodies, at),
        sigmas=None if bom.sigmas is None else at_items(bom.sigmas, at),
        quantity=ItemQuantity(np.where(extra, 1.0, bom.quantity.count[at]), ~extra & bom.quantity.measured[at]),
        stated=None if bom.stated is None else ~extra & bom.stated[at],
        extra=extra,
        shapes=None if bom.shapes is None else bom.shapes.over(lambda values, _: values[at]),
        deviations=None if bom.deviations is None else bom.deviations.picked(np.where(~extra & is_owner[at], -1, at)),
        growth=None if bom.growth is None else np.where(~extra & is_owner[at], np.nan, bom.growth[at]),
        poses=None if bom.poses is None else bom.poses.with_own_bodies(owners),
        own_numbers=None
        if bodies is None
        else (at_items(bodies, at), None if sigmas is None else at_items(sigmas, at)),
    )


def _read_poses(items: ItemRows, hierarchy: Hierarchy, options: TableOptions, findings: Findings) -> ItemPoses | None:
    """Read the poses of the hierarchy; None, and no import, for a table without columns of poses."""
    if not any(name in items.columns.by_quantity for name in POSE_QUANTITIES if name != "frame"):
        return None
    from massprops_cli.bom.items.pose_cells import read_item_poses

    rows = np.asarray(hierarchy.rows, dtype=np.intp)
    return read_item_poses(replace(items, rows=rows, ids=hierarchy.ids), hierarchy, options, findings)


def read_item_bodies(
    items: ItemRows, marks: item_flags.ItemFlags, options: TableOptions, findings: Findings
) -> tuple[Bodies, Sigmas | None]:
    """Read and check the numbers of some items, each as a separate body."""
    cells, _, _, _ = _read_item_cells(items, marks, options, findings)
    n = len(items.rows)
    order = _ItemReindexer(ItemTree(np.arange(n), np.arange(n), None, np.ones(n, bool), ""))
    return order.bodies(cells, marks), order.sigmas(cells, marks)


def _read_item_cells(
    items: ItemRows, marks: item_flags.ItemFlags, options: TableOptions, findings: Findings
) -> tuple[dict[str, SetCells], SigmaInputs, dict[str, SetCells], ItemSolids | None]:
    """Read and check the columns of the ten quantities and their sigmas, and other statements of uncertainty."""
    # the third result has the cells before tensors are moved to the items' own centres
    sets = [s for s in QUANTITY_SETS if options.use_sigmas or not s.is_sigma]
    n_before = len(findings)
    cells = read_quantity_sets(items, sets, options.mass_is, findings)
    solids, quantities = None, items.columns.by_quantity.keys()
    if {"shape", "dims"} <= quantities or "mesh" in quantities:  # else nothing is imported
        from massprops_cli.bom.items.solid_cells import read_item_solids

        solids = read_item_solids(items, marks, cells, options, findings)
    if options.blank_coordinate and CENTER.name in cells:
        fill_blank_coordinates(items, cells[CENTER.name])
    if MASS.name not in cells and not any(f.rule == "MP203" for f in findings[n_before:]):
        commands = mapping_commands(items.table, items.columns, options)
        remedy = f"run {commands}" if commands else "add a column of masses"
        if solids is not None:
            remedy = "add blank columns with units for what the solids give: mass [kg], Cx [m], …, Ixx [kg*m^2], …"
        place = items.table.place(items.columns.header_row)
        findings.report("MP203", "column of masses is missing", place, remedy=remedy)
    elif MASS.name in cells and options.mass_is != "line":
        item_flags.fill_masses_from_quantities(items, marks, cells[MASS.name], findings)
        item_flags.fill_masses_from_row_totals(items, marks, cells[MASS.name], findings)
    _fill_masses_from_predicted(items, marks, cells.get(MASS.name), options, findings)
    if INERTIA.name in cells:
        # report missing products of inertia, and mark those of which nothing states the sign
        inertia = cells[INERTIA.name]
        check_needed_products(items, inertia, marks.counts & ~marks.is_point, options, findings)
        assert inertia.products is not None
        written = (inertia.values[:, 3:] != 0).any(axis=1) & ~marks.is_point
        inertia.products &= ~written | (marks.sign != 0)
        # turn products of inertia into tensor entries: a cell under ``+`` is their negative
        turned = marks.sign > 0
        if turned.any():
            products = cells[INERTIA.name].values[:, 3:]
            # 0 − x, not −x: what is written 0 stays a plain 0
            np.subtract(0.0, products, out=products, where=turned[:, None])
    as_written = _move_tensors(items, cells, options)
    if solids is not None:
        from massprops_cli.bom.items.solid_cells import check_stated_centers, check_stated_tensors

        check_stated_centers(items, solids, cells, options, findings)
        check_stated_tensors(items, solids, cells, findings)
        solids.enter_tensors(cells, use_sigmas=options.use_sigmas)
    stated = read_sigmas(items, marks, cells, options, findings)
    needs = [(one, cells[one.name], _needed_items(one, cells, marks, options)) for one in sets if one.name in cells]
    choice = allow_missing_text(needs, options)
    for need in needs:
        check_needed_cells(items, need, options, choice, findings)
    shown = None if solids is None else solids.tensors(len(items.rows))
    of_options = options.inertia_about, options.is_strict, options.poi, options.allow_negative_mass
    liquids = {tank.values.get("item") for tank in options.tanks.values()}
    on = consistency.CheckedItems(items, marks.counts, marks.is_point, *of_options, marks.sign, shown, liquids)
    _check_cells(on, marks, cells, findings)
    if marks.uncounted is not None and MASS.name in cells:  # the mass of unknown pieces is unknown
        cells[MASS.name].has &= ~marks.uncounted
    if solids is not None and options.use_sigmas:
        for one in solids.add_sigmas(cells, len(items.rows)):
            check_needed_cells(
                items, (one, cells[one.name], _needed_items(one, cells, marks, options)), options, choice, findings
            )
    return cells, stated, cells | as_written, solids


def _fill_masses_from_predicted(
    items: ItemRows, marks: item_flags.ItemFlags, masses: SetCells | None, options: TableOptions, findings: Findings
) -> None:
    """Fill the blank masses of items that state a predicted mass, and no growth as a mass: predicted / (1 + growth)."""
    named = items.columns.by_quantity
    predicted, grown = (
        [named[name] for name in names if name in named] for names in (GROWTH_MASSES[2:], GROWTH_MASSES[:2])
    )
    if masses is None or not predicted or not (blank := marks.counts & ~masses.has & ~masses.bad).any():
        return
    if (growth := read_growth(items, marks, options, Findings())) is None:
        return
    column, mass = predicted[0], named["mass"]
    per_row = column.quantity.startswith("line_") - (options.mass_is == "line")
    pieces = np.where(blank, np.abs(marks.quantity.count), 1.0) ** per_row
    basic = items.values(column, items.parsed(column)) / pieces / (1 + growth)
    filled = blank & np.isfinite(basic) & (basic != 0)  # a spreadsheet computes 0 from a blank mass
    for other in grown:
        filled &= np.isnan(items.values(other, items.parsed(other)))
    masses.values[filled, 0] = basic[filled]
    masses.given[filled, 0] = masses.has[filled] = True
    words = f"blank {mass.header} computed as {column.header} / (1 + growth)"
    report_column_once(items, ItemFault("MP280", mass), filled, words, findings)


def _needed_items(
    quantity_set: QuantitySet, cells: dict[str, SetCells], marks: item_flags.ItemFlags, options: TableOptions
) -> Mask:
    """Return which items must have a quantity ``(n,)``: a centre with a mass, a tensor with a centre."""
    needed = marks.counts & ~marks.is_point if quantity_set in (INERTIA, SIGMA_INERTIA) else marks.counts
    if options.is_strict or quantity_set is MASS:
        return needed
    mass, value = cells.get(MASS.name), cells.get(quantity_set.name.removeprefix("sigma_"))
    if mass is not None:
        needed = needed & ~(mass.has & (mass.values[:, 0] == 0)) if quantity_set is not SIGMA_MASS else needed
    if quantity_set is INERTIA and CENTER.name in cells:
        return needed & cells[CENTER.name].has
    return needed & value.has if quantity_set.is_sigma and value is not None else needed


def _move_tensors(items: ItemRows, cells: dict[str, SetCells], options: TableOptions) -> dict[str, SetCells]:
    """Move tensors that are not about the items' own centres there (``inertia-about``); gives them as written."""
    if (point := options.inertia_about) is None or INERTIA.name not in cells:
        return {}
    if options.use_sigmas:
        item_flags.reject_inertia_uncertainties(items.columns, point)
    written = cells[INERTIA.name]
    cells[INERTIA.name] = item_flags.tensors_about_own_centers(cells, point)
    return {INERTIA.name: written}


def _check_cells(
    on: consistency.CheckedItems, marks: item_flags.ItemFlags, cells: dict[str, SetCells], findings: Findings
) -> None:
    """Check what was read for what cannot be."""
    if MASS.name in cells:
        consistency.check_masses(on, cells[MASS.name], findings)
    if INERTIA.name in cells:
        consistency.check_tensors(on, cells, findings)
        pieces = np.where(marks.quantity.measured, 1.0, marks.quantity.count)
        consistency.check_pieces(on, cells, pieces, ~marks.goes_up, findings)
    for quantity_set in SIGMA_SETS:
        if quantity_set.name in cells:
            consistency.check_item_sigmas(on, quantity_set, cells, findings)


def report_number_cells(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> None:
    """Report the cells of number columns that are not numbers, which needs no tree."""
    rows, id_column = np.arange(columns.first_row, table.n_rows), columns.by_quantity.get("id")
    ids = (
        [f"row {k + 1}" for k in range(len(rows))]
        if id_column is None
        else table.texts(id_column.index, columns.first_row)
    )
    items = ItemRows(table, columns, rows, ids)
    of_cells = Findings()
    sets = [s for s in QUANTITY_SETS if options.use_sigmas or not s.is_sigma]
    read_quantity_sets(items, sets, options.mass_is, of_cells)
    findings += [finding for finding in of_cells if finding.severity is Severity.ERROR]
