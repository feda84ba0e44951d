"""A table → a bill of materials: what its columns mean, its tree, its numbers, and everything wrong with them.

From the wanted items of a table to the items of its tree: some cannot be reached, a root may be made.

From a sheet to the items of a tree: which table, which of its rows, and what hangs below what.

One story a cell: what reading a workbook and what understanding its table say of the same cell, said once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, Sigmas
from massprops_cli.bom.checks import (
    CheckedItems,
    TableReading,
    apply_stated_meanings,
    check_coverage,
    check_item_sigmas,
    check_mass_outliers,
    check_masses,
    check_part_numbers,
    check_pieces,
    check_tensors,
    check_uses,
    check_zero_quantities,
    report_excluded_mass,
)
from massprops_cli.bom.items import (
    CENTER,
    INERTIA,
    MASS,
    QUANTITY_SETS,
    SIGMA_INERTIA,
    SIGMA_MASS,
    SIGMA_SETS,
    SIGMA_SLICES,
    VALUE_SETS,
    Content,
    CorrelationGroups,
    ItemFlags,
    ItemRows,
    ItemTree,
    NeededSet,
    QuantityRows,
    QuantitySet,
    SetCells,
    SigmaInputs,
    allow_missing_text,
    ask_for_variant,
    check_needed_cells,
    check_needed_products,
    fill_masses_from_quantities,
    filter_parent_findings,
    mass_methods,
    place_root,
    read_blank_counts,
    read_correlation_groups,
    read_growth,
    read_item_flags,
    read_quantity_sets,
    read_sigmas,
    reject_inertia_uncertainties,
    sign_of_option,
    tensors_about_own_centers,
)
from massprops_cli.bom.items.variant_columns import variant_columns
from massprops_cli.files import SheetInfo, Table
from massprops_cli.findings import RULES, STOPS, Finding, Findings, Severity, TableError, UsageError
from massprops_cli.rollups import InputShapes, bodies_at_items, sigmas_at_items
from massprops_cli.tables import (
    FULL_SCAN_ROWS,
    NUMBER_QUANTITIES,
    ROW_TOTAL_QUANTITIES,
    SIGMA_QUANTITIES,
    Hierarchy,
    QuantityColumn,
    TableColumns,
    TableOptions,
    TotalRow,
    columns_by_reference,
    downgrade_excluded_row_findings,
    exclude_non_item_rows,
    find_header_row,
    find_table,
    label_word_positions,
    mapping_commands,
    read_columns,
    read_hierarchy,
    split_tuple_columns,
    unread_number_findings,
)
from massprops_cli.trees import ItemQuantity

_T = TypeVar("_T", bound=np.generic)
_Mask = NDArray[np.bool_]


class ItemReindexer:
    """Takes arrays of the m wanted items to arrays of the n items of the tree; a made root comes last."""

    def __init__(self, planting: ItemTree) -> None:
        self.planting = planting
        self.whole = len(planting.kept) == len(planting.items)

    def take(self, values: NDArray[_T], of_made_root: object) -> NDArray[_T]:
        """Take one value an item, ``(m, …)`` → ``(n, …)``."""
        kept = values if self.whole else values[self.planting.kept]
        if not self.planting.made:
            return kept
        last = np.full((1, *kept.shape[1:]), of_made_root, dtype=kept.dtype)
        return np.concatenate([kept, last])

    def texts(self, texts: Sequence[str], of_made_root: str) -> Sequence[str]:
        """Take one text an item."""
        kept = texts if self.whole else [texts[i] for i in self.planting.kept.tolist()]
        return [*kept, of_made_root] if self.planting.made else kept

    def bodies(self, cells: Mapping[str, SetCells], marks: ItemFlags) -> Bodies:
        """Give the bodies of the items; a mask is made only where an item whose numbers go up lacks a value."""
        mass, has_mass = self.numbers(cells.get(MASS.name), marks)
        center, has_center = self.numbers(cells.get(CENTER.name), marks)
        inertia, has_inertia = self.numbers(cells.get(INERTIA.name), marks, of_points=False)
        n = len(self.planting.kept) + bool(self.planting.made)
        return Bodies(
            mass=np.zeros(n) if mass is None else mass[:, 0],
            center=center,
            inertia=inertia,
            is_point=self.take(marks.is_point, False),
            has_mass=has_mass,
            has_center=has_center,
            has_inertia=has_inertia,
            has_products=self.products(cells.get(INERTIA.name), marks),
        )

    def products(self, inertia: SetCells | None, marks: ItemFlags) -> _Mask | None:
        """Tell whose products of inertia are known ``(n,)``; None when those of all items whose numbers go up."""
        if inertia is None or inertia.products is None:
            return None
        known = self.take(inertia.products | marks.is_point | ~marks.goes_up, True)
        return None if known.all() else known

    def sigmas(self, cells: Mapping[str, SetCells], marks: ItemFlags) -> Sigmas | None:
        """Give the sigmas of the items, or None when there are none; those that are not known are 0."""
        goes_up, is_point = (self.take(mask, False) for mask in (marks.goes_up, marks.is_point))
        known = np.ones((len(goes_up), 10), bool)
        arrays: list[NDArray[np.float64] | None] = []
        for value, sigma, columns in zip(VALUE_SETS, SIGMA_SETS, SIGMA_SLICES, strict=True):
            part = cells.get(sigma.name) if value.name in cells else None
            if part is None:
                arrays.append(None)
                known[goes_up, columns] = value.name not in cells
                continue
            values, given = self.take(part.values, 0.0), self.take(part.given, False)
            if value is INERTIA:
                given = given | is_point[:, None]
                values = np.where(is_point[:, None], 0.0, values)
            if value is MASS:  # a mass that is not known does not count, nor does its sigma
                given = given | self.take(~cells[MASS.name].has, False)[:, None]
                values = np.where(self.take(cells[MASS.name].has | ~marks.goes_up, True)[:, None], values, 0.0)
            known[:, columns] = given | ~goes_up[:, None]
            arrays.append(np.where((given | ~goes_up[:, None]), values, 0.0))
        if all(array is None for array in arrays):
            return None
        mass = np.zeros(len(goes_up)) if arrays[0] is None else arrays[0][:, 0]
        return Sigmas(mass, arrays[1], arrays[2], None if known.all() else known)

    def numbers(
        self, cells: SetCells | None, marks: ItemFlags, *, of_points: bool = True
    ) -> tuple[NDArray[np.float64] | None, _Mask | None]:
        """Give a set's values ``(n, k)``, and which items have them; None when all whose numbers go up do.

        Unless it is a quantity ``of_points``, point masses have it, and it is 0 whatever their cells hold.
        """
        if cells is None:
            return None, None
        values, has = self.take(cells.values, 0.0), self.take(cells.has, False)
        point = self.take(marks.is_point, False)
        if not of_points and point.any():
            values, has = np.where(point[:, None], 0.0, values), has | point
        goes_up = self.take(marks.goes_up, False)
        if has[goes_up].all():
            return values, None
        # what is missing or cannot be used is 0 beside its mask; assemblies keep what their rows state
        return np.where((has | ~goes_up)[:, None], values, 0.0), has

    def shapes(self, shapes: InputShapes) -> InputShapes:
        """Take the distributions and bounds of inputs."""
        return shapes.over(self.take)

    def written(
        self, cells: Mapping[str, SetCells], columns: TableColumns
    ) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Give what assembly rows state: quantity → (items, values)."""
        inner = ~self.take(self.planting.is_leaf, True)
        stated = {}
        for quantity_set in QUANTITY_SETS:
            part = cells.get(quantity_set.name)
            if part is None:
                continue
            for axis, name in enumerate(quantity_set.columns):
                if name not in columns.by_quantity:
                    continue
                where = np.flatnonzero(self.take(part.given[:, axis], False) & inner)
                if len(where):
                    stated[name] = (where, self.take(part.values[:, axis], 0.0)[where])
        return stated


def _shape_subset(shapes: InputShapes, at: NDArray[np.intp]) -> InputShapes:
    """Pick the distributions and bounds of some items."""
    return shapes.over(lambda values, _: values[at])


class _SheetItems(NamedTuple):
    """The items of a sheet: ``table`` is what of it counts, ``options`` are as the sheet itself settles them.

    ``totals`` are the rows left out as totals, margins and limits; ``planting`` is the tree of the ``hierarchy``.
    """

    table: Table
    columns: TableColumns
    options: TableOptions
    totals: list[TotalRow]
    hierarchy: Hierarchy
    planting: ItemTree


def _find_items(table: Table, options: TableOptions, findings: Sequence[Finding]) -> tuple[_SheetItems, Findings]:
    """Find the table on a sheet, its columns, the rows that are items, and their tree; report what was decided.

    ``findings`` are those of reading the file. Raises TableError, with all of them, when there is no tree.
    """
    table, found_here = find_table(table, options)
    said = Findings(found_here)
    table = split_tuple_columns(table, find_header_row(table, options.map))
    columns, found_here = read_columns(table, options)
    options = replace(
        options,
        inertia_about=columns.inertia_about or options.inertia_about,
        mass_is=options.mass_is or columns.mass_is,
    )
    said += found_here if options.use_sigmas else [f for f in found_here if f.rule != "MP504"]
    if table.n_rows <= columns.first_row:
        said.report("MP111", "the table has a header and no row of data", table.place(0))
        raise TableError([*findings, *said])
    table, totals, found_here = exclude_non_item_rows(table, columns, options)
    said += found_here
    ask_for_variant(table, columns, options, said)
    said += unread_number_findings(table, columns, said, _option_columns(table, columns, options, said))
    hierarchy, found_here = read_hierarchy(table, columns, options)
    whole = hierarchy
    if options.where:
        hierarchy = _filter_items(hierarchy, table, columns, options, said)
        options = replace(options, assembly_values="ignore")
    of_root = Findings()
    planting = place_root(hierarchy, table, options, of_root)
    said += [*filter_parent_findings(found_here, hierarchy, planting, table, options.root), *of_root]
    if options.root or options.where:
        kept = {hierarchy.ids[i] for i in planting.items.tolist()}
        report_excluded_mass(whole, kept, TableReading(table, columns, options), said)
    if planting.tree is None:
        said = Findings([*downgrade_excluded_row_findings(findings, table), *said])
        _report_number_cells(table, columns, options, said)
        stops = any(f.severity is Severity.ERROR and RULES[f.rule].effect == STOPS for f in said)
        if not stops:
            said.report("MP309", "no row is a root")
        raise TableError(said)
    if any(f.rule == "MP114" for f in said):
        raise TableError([*findings, *said])
    return _SheetItems(table, columns, options, totals, hierarchy, planting), said


def _report_number_cells(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> None:
    """Report the cells of number columns that are not numbers, which needs no tree."""
    rows, id_column = np.arange(columns.first_row, table.n_rows), columns.by_quantity.get("id")
    ids = (
        [f"row {k + 1}" for k in range(len(rows))]
        if id_column is None
        else table.texts(id_column.index, columns.first_row)
    )
    items = ItemRows(table, columns, rows, ids)
    of_cells = Findings()
    read_quantity_sets(items, [s for s in QUANTITY_SETS if options.use_sigmas or not s.is_sigma], of_cells)
    findings += [finding for finding in of_cells if finding.severity is Severity.ERROR]


def _option_columns(table: Table, columns: TableColumns, options: TableOptions, said: Sequence[Finding]) -> set[int]:
    """Give the columns that ``--where`` or another option uses, and those reported as quantities of variants."""
    used = [*options.used]
    if options.where:
        from massprops_cli.tables import read_row_condition

        used += [read_row_condition(text).column for text in options.where]
    folded = {name.strip().casefold() for name in used}
    named = {j for j, text in enumerate(columns.header) if text.strip().casefold() in folded}
    named |= {j for name in used for j in columns_by_reference(name, table)}
    return named | set(variant_columns(table, columns) if any(f.rule == "MP253" for f in said) else ())


def _filter_items(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> Hierarchy:
    """Keep what ``--where`` asks for; what assemblies state is of all they hold, and cannot count or be compared."""
    from massprops_cli.tables import filter_hierarchy

    if options.assembly_values in ("own", "stated"):
        raise UsageError(f"--where leaves rows out, and --assembly-values {options.assembly_values} counts whole ones")
    result, of_filter = filter_hierarchy(hierarchy, table, columns, options.where)
    findings += of_filter
    if options.root in hierarchy.ids and options.root not in result.ids:
        raise UsageError(f"--where {'; '.join(options.where)}: nothing below --root {options.root} matches")
    return result


_DAMAGED_CELL_RULES = ("MP116", "MP117")
"""Cells that a spreadsheet program could not, or did not, calculate."""

_CONSEQUENT_RULES = ("MP205", "MP206", "MP502")
"""What is said of such a cell because it holds no number."""


_COMPUTED_COLUMNS = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES)
"""Quantities of which an assembly's own are what the roll-up gives."""


def _deduplicate_findings(
    read: Sequence[Finding],
    understood: Sequence[Finding],
    columns: TableColumns,
    info: SheetInfo | None,
    filled: Collection[int] = (),
) -> Sequence[Finding]:
    """Bring together the findings of reading a file and those of understanding its table.

    An error cell is reported with its item's name where it has one; a blank that is a formula without a value is
    reported as that. In a column that is not read either is a warning, because it gives no number. A formula without
    a value is a note where the roll-up computes the value that belongs there: in the number columns of the table rows
    ``filled``.
    """
    spoilt = {finding.place.cell for finding in read if finding.rule in _DAMAGED_CELL_RULES}
    if info is None or not spoilt:
        return [*read, *understood]
    from massprops_cli.files import cell_position

    named = {finding.place.cell for finding in understood if finding.rule in _DAMAGED_CELL_RULES}
    used = {column.index + info.first_column: column for column in columns.by_quantity.values()}
    sheet_rows = {row + info.first_row for row in filled}
    kept = []
    for finding in read:
        if finding.rule in _DAMAGED_CELL_RULES:
            if finding.place.cell in named:
                continue
            spot = cell_position(finding.place.cell)
            if spot is not None and spot[1] not in used:
                kept.append(replace(finding, severity=Severity.WARNING))
                continue
            if finding.rule == "MP116" and spot is not None and spot[0] in sheet_rows:
                kept.append(_assembly_formula_note(finding, used[spot[1]]))
                continue
        kept.append(finding)
    kept += [f for f in understood if f.rule not in _CONSEQUENT_RULES or f.count > 1 or f.place.cell not in spoilt]
    return kept


def _assembly_formula_note(finding: Finding, column: QuantityColumn) -> Finding:
    """Make a note of a formula without a value on an assembly's row, where its column is one that is computed."""
    if column.quantity not in _COMPUTED_COLUMNS:
        return finding
    message = f"{finding.message}; {column.header or column.quantity} of an assembly is computed from its children"
    return replace(
        finding,
        severity=Severity.NOTE,
        message=message,
        remedy="recalculate and save the workbook to have the formula's value compared",
    )


def build_content(table: Table, options: TableOptions, findings: Sequence[Finding]) -> Content:
    """Make sense of a table; ``findings`` are those of reading it.

    Raises TableError when there is no tree at all: no header, no row, no hierarchy.
    """
    (table, columns, options, totals, hierarchy, planting), said = _find_items(table, options, findings)
    findings = downgrade_excluded_row_findings(findings, table)
    items = ItemRows(
        table,
        columns,
        np.asarray(hierarchy.rows, dtype=np.intp)[planting.items],
        _text_subset(hierarchy.ids, planting.items),
    )
    read = _read_items(options, hierarchy, planting, items, said)
    filled = _computed_rows(items, read.marks, options)
    found = _deduplicate_findings(findings, said, columns, table.sheet_info, filled)
    return _check_against_totals(_assemble_content(read, found), totals)


def _read_items(
    options: TableOptions, hierarchy: Hierarchy, planting: ItemTree, items: ItemRows, findings: Findings
) -> _ItemData:
    """Read every column of the items, and report what is wrong with them."""
    edge_rows = None if hierarchy.edge_rows is None else hierarchy.edge_rows[planting.items]
    uses = items if edge_rows is None else replace(items, rows=edge_rows)
    blanks = read_blank_counts(uses, planting, options, findings) if options.qty_column else None
    quantities = QuantityRows(uses, planting.root, blanks)
    marks = read_item_flags(items, planting.is_leaf, options, quantities, findings)
    cells, stated, as_written = read_item_cells(items, marks, options, findings)
    part = None if hierarchy.part is None else hierarchy.part[planting.items]
    sharing = read_correlation_groups(items, marks, part, findings)
    check_uses(items, part, cells, findings)
    check_part_numbers(items, planting.is_leaf, cells, findings)
    growth = read_growth(items, marks, options, findings)
    return _ItemData(options, hierarchy, planting, items, marks, cells, as_written, stated, sharing, growth)


def _check_against_totals(content: Content, totals: list[TotalRow]) -> Content:
    """Say what masses and quantities mean, and hold them against the totals and products that the sheet states.

    What reads totals is loaded for a table that has some.
    """
    findings = Findings()
    if totals or content.columns.doubtful:
        from massprops_cli.bom.checks import resolve_interpretation

        content = resolve_interpretation(content, totals, findings)
        content, findings = content.with_findings(findings), Findings()
    else:
        content = apply_stated_meanings(content)
    if content.columns.by_quantity.keys() & ROW_TOTAL_QUANTITIES.keys():
        from massprops_cli.bom.checks import check_product_columns

        check_product_columns(content, findings)
    if content.totals:
        from massprops_cli.bom.checks import check_center_totals

        check_center_totals(content, findings)
    content = content.with_findings(findings)
    if "mass" not in content.columns.by_quantity:
        return content
    findings = Findings()
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported by the roll-up
        if content.layout != "flat" and len(content) > 1 and _has_total_word(content):
            from massprops_cli.bom.checks import check_counted_totals

            check_counted_totals(content, findings)
            content, findings = content.with_findings(findings), Findings()
        check_mass_outliers(content, findings)
        check_zero_quantities(content, findings)
        check_coverage(content, findings)
    return content.with_findings(findings)


def _has_total_word(content: Content) -> bool:
    """Tell whether some item has a word for a total in its name or id; a long tree costs one search."""
    texts = content.names if content.names is not None and len(content) <= FULL_SCAN_ROWS else content.ids
    return len(content) <= FULL_SCAN_ROWS and bool(label_word_positions([*texts]))


def _computed_rows(items: ItemRows, marks: ItemFlags, options: TableOptions) -> set[int]:
    """Give the rows of a worksheet whose numbers are computed: no leaf, and none whose own numbers may go up."""
    if items.table.sheet_info is None or options.assembly_values in ("own", "stated"):
        return set()
    # a part used in several places has one row: it is computed only where no use of it needs its numbers
    return set(items.rows.tolist()) - set(items.rows[marks.goes_up].tolist())


def _text_subset(texts: Sequence[str], chosen: NDArray[np.intp]) -> Sequence[str]:
    """Pick some texts; all of them costs nothing."""
    if len(chosen) == len(texts):
        return texts
    return [texts[i] for i in chosen.tolist()]


def read_item_cells(
    items: ItemRows, marks: ItemFlags, options: TableOptions, findings: Findings
) -> tuple[dict[str, SetCells], SigmaInputs, dict[str, SetCells]]:
    """Read and check the columns of the ten quantities and their sigmas, and what else is stated of their errors.

    The third is what the cells say before tensors are moved to the items' own centres.
    """
    sets = [s for s in QUANTITY_SETS if options.use_sigmas or not s.is_sigma]
    n_before = len(findings)
    cells = read_quantity_sets(items, sets, findings)
    if MASS.name not in cells and not any(f.rule == "MP203" for f in findings[n_before:]):
        commands = mapping_commands(items.table, items.columns, options)
        remedy = f"type {commands}" if commands else "add a column of masses"
        place = items.table.place(items.columns.header_row)
        findings.report("MP203", "the table has no column of masses", place, remedy=remedy)
    elif MASS.name in cells and options.mass_is != "line":
        fill_masses_from_quantities(items, marks, cells[MASS.name], findings)
    if INERTIA.name in cells:
        _check_products(items, marks, cells[INERTIA.name], options, findings)
        _apply_product_signs(cells[INERTIA.name], marks.sign > 0)
    as_written = _move_tensors(items, cells, options)
    stated = read_sigmas(items, marks, cells, options, findings)
    needs = [
        NeededSet(one, cells[one.name], _needed_items(one, cells, marks, options)) for one in sets if one.name in cells
    ]
    choice = allow_missing_text(needs, options)
    for need in needs:
        check_needed_cells(items, need, options, choice, findings)
    _check_cells(items, marks, cells, options, findings)
    return cells, stated, cells | as_written


def _needed_items(
    quantity_set: QuantitySet, cells: dict[str, SetCells], marks: ItemFlags, options: TableOptions
) -> _Mask:
    """Tell which items must have a quantity ``(n,)``: a centre with a mass, a tensor with a centre."""
    needed = marks.counts & ~marks.is_point if quantity_set in (INERTIA, SIGMA_INERTIA) else marks.counts
    if options.is_strict or quantity_set is MASS:
        return needed
    mass, value = cells.get(MASS.name), cells.get(quantity_set.name.removeprefix("sigma_"))
    if mass is not None:
        needed = needed & ~(mass.has & (mass.values[:, 0] == 0)) if quantity_set is not SIGMA_MASS else needed
    if quantity_set is INERTIA and CENTER.name in cells:
        return needed & cells[CENTER.name].has
    return needed & value.has if quantity_set.is_sigma and value is not None else needed


def _check_products(
    items: ItemRows, marks: ItemFlags, inertia: SetCells, options: TableOptions, findings: Findings
) -> None:
    """Report missing products of inertia, and mark those of which nothing states the sign."""
    check_needed_products(items, inertia, marks.counts & ~marks.is_point, options, findings)
    assert inertia.products is not None
    written = (inertia.values[:, 3:] != 0).any(axis=1) & ~marks.is_point
    inertia.products &= ~written | (marks.sign != 0)


def _move_tensors(items: ItemRows, cells: dict[str, SetCells], options: TableOptions) -> dict[str, SetCells]:
    """Move tensors that are not about the items' own centres there (``--inertia-about``); gives them as written."""
    point = options.inertia_about
    if point is None or INERTIA.name not in cells:
        return {}
    if options.use_sigmas:
        reject_inertia_uncertainties(items.columns, point)
    written = cells[INERTIA.name]
    cells[INERTIA.name] = tensors_about_own_centers(cells, point)
    return {INERTIA.name: written}


def _check_cells(
    items: ItemRows, marks: ItemFlags, cells: dict[str, SetCells], options: TableOptions, findings: Findings
) -> None:
    """Check what was read for what cannot be."""
    on = CheckedItems(items, marks.counts, marks.is_point, options.inertia_about, options.is_strict)
    if MASS.name in cells:
        check_masses(on, cells[MASS.name], findings, allow_negative=options.allow_negative_mass)
    if INERTIA.name in cells:
        check_tensors(on, cells, findings)
        check_pieces(on, cells, marks.quantity, ~marks.goes_up, findings)
    for quantity_set in SIGMA_SETS:
        if quantity_set.name in cells:
            check_item_sigmas(on, quantity_set, cells, findings)


def _apply_product_signs(inertia: SetCells, turned: _Mask) -> None:
    """Turn products of inertia into tensor entries: a cell under ``+`` is their negative."""
    if turned.any():
        products = inertia.values[:, 3:]
        # 0 − x, not −x: what is written 0 stays a plain 0
        np.subtract(0.0, products, out=products, where=turned[:, None])


class _ItemData(NamedTuple):
    """Everything that was read of a table, in the order of its wanted items."""

    options: TableOptions
    hierarchy: Hierarchy
    planting: ItemTree
    items: ItemRows
    marks: ItemFlags
    cells: dict[str, SetCells]
    as_written: dict[str, SetCells]
    stated: SigmaInputs
    sharing: CorrelationGroups
    growth: NDArray[np.float64] | None


def _assemble_content(read: _ItemData, said: Sequence[Finding]) -> Content:
    """Bring everything into the order of the tree's items: those kept, and the made root."""
    options, hierarchy, planting, items, marks, cells, as_written, stated, sharing, growth = read
    assert planting.tree is not None
    grown = ItemReindexer(planting)
    bom = Content(
        table=items.table,
        columns=items.columns,
        options=options,
        layout=hierarchy.layout,
        how=hierarchy.how,
        tree=planting.tree,
        ids=grown.texts(items.ids, planting.made),
        names=None if hierarchy.names is None else grown.texts(_text_subset(hierarchy.names, planting.items), ""),
        rows=grown.take(items.rows, -1),
        bodies=grown.bodies(cells, marks),
        sigmas=grown.sigmas(cells, marks),
        quantity=ItemQuantity(grown.take(marks.quantity.count, 1.0), grown.take(marks.quantity.measured, False)),
        stated=grown.take(marks.stated, False) if marks.stated.any() else None,
        extra=None,
        sign=grown.take(marks.sign, 0 if "POIconv" in items.columns.by_quantity else sign_of_option(options)),
        point_blank=None if marks.point_blank is None else grown.take(marks.point_blank, False),
        written=grown.written(as_written, items.columns),
        findings=tuple(said),
        shapes=None if stated.shapes is None else grown.shapes(stated.shapes),
        groups=None if sharing.groups is None else grown.texts(sharing.groups, ""),
        part_numbers=None if sharing.parts is None else grown.texts(sharing.parts, ""),
        maturity=None if (words := mass_methods(items, stated.methods)) is None else grown.texts(words, ""),
        growth=None if growth is None else grown.take(growth, np.nan),
    )
    return _add_own_bodies(bom, np.flatnonzero(grown.take(marks.own, False)))


def _add_own_bodies(bom: Content, owners: NDArray[np.intp]) -> Content:
    """Give each of some assemblies ``owners (k,)`` a leaf that holds its row's numbers, beside its children."""
    if not len(owners):
        return bom
    n, k = len(bom), len(owners)
    at = np.append(np.arange(n), owners)
    is_owner = np.isin(np.arange(n), owners)
    return replace(
        bom,
        tree=type(bom.tree).from_parents(np.append(bom.tree.parent, owners).astype(np.int32)),
        ids=[*bom.ids, *(f"{bom.ids[i]} (own)" for i in owners.tolist())],
        names=_texts_with_repeats(bom.names, owners),
        rows=bom.rows[at],
        bodies=bodies_at_items(bom.bodies, at),
        sigmas=None if bom.sigmas is None else sigmas_at_items(bom.sigmas, at),
        quantity=ItemQuantity(
            np.append(bom.quantity.count, np.ones(k)), np.append(bom.quantity.measured, np.zeros(k, bool))
        ),
        stated=None if bom.stated is None else np.append(bom.stated, np.zeros(k, bool)),
        extra=np.arange(n + k) >= n,
        sign=bom.sign[at],
        point_blank=None if bom.point_blank is None else bom.point_blank[at],
        shapes=None if bom.shapes is None else _shape_subset(bom.shapes, at),
        groups=_texts_with_repeats(bom.groups, owners),
        part_numbers=_texts_with_repeats(bom.part_numbers, owners),
        maturity=_texts_with_repeats(bom.maturity, owners),
        growth=None if bom.growth is None else np.append(np.where(is_owner, np.nan, bom.growth), bom.growth[owners]),
    )


def _texts_with_repeats(texts: Sequence[str] | None, owners: NDArray[np.intp]) -> Sequence[str] | None:
    """Give the texts of n items, and those of some of them again."""
    return None if texts is None else [*texts, *(texts[i] for i in owners.tolist())]
