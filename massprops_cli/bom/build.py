"""Conversion of a table to a bill of materials: its columns, its tree, its numbers, and the findings.

Findings of the file and of the table on the same cell are merged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import room_function
from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.assembly import ItemData, ItemReindexer, assemble_bom, text_subset
from massprops_cli.bom.checks.consistency import (
    CheckedItems,
    check_item_sigmas,
    check_masses,
    check_part_numbers,
    check_pieces,
    check_tensors,
    check_uses,
    has_suspect_tensors,
)
from massprops_cli.bom.checks.excluded_mass import (
    TableReading,
    check_coverage,
    check_zero_quantities,
    report_excluded_mass,
)
from massprops_cli.bom.checks.outliers import check_mass_outliers
from massprops_cli.bom.items.correlation_groups import read_correlation_groups
from massprops_cli.bom.items.growth import read_growth
from massprops_cli.bom.items.item_flags import (
    ItemFlags,
    QuantityRows,
    fill_masses_from_quantities,
    fill_masses_from_row_totals,
    read_item_flags,
    reject_inertia_uncertainties,
    tensors_about_own_centers,
)
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.numbers import (
    NeededSet,
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
    QuantitySet,
)
from massprops_cli.bom.items.sigmas import SigmaInputs, read_sigmas
from massprops_cli.bom.items.variant_columns import (
    ItemTree,
    filter_parent_findings,
    place_root,
    read_blank_counts,
    report_ambiguous_variant,
    variant_columns,
)
from massprops_cli.files.table import SheetInfo, Table
from massprops_cli.findings.catalogue import RULES, STOPS
from massprops_cli.findings.finding import Finding, Findings, Severity, TableError, UsageError
from massprops_cli.rollups.inputs import ShapeDeviations
from massprops_cli.tables.cells.units import NUMBER_QUANTITIES, POSE_QUANTITIES, ROW_TOTAL_QUANTITIES, SIGMA_QUANTITIES
from massprops_cli.tables.columns.cell_parts import split_tuple_columns
from massprops_cli.tables.columns.columns import (
    QuantityColumn,
    TableColumns,
    read_columns,
    show_solid_columns,
    sign_coordinates,
)
from massprops_cli.tables.columns.header import columns_by_reference, find_header_row
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.columns.unread_columns import mapping_commands, unread_number_findings
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.excluded_rows import downgrade_excluded_row_findings, exclude_non_item_rows
from massprops_cli.tables.rows.hierarchy import Hierarchy
from massprops_cli.tables.rows.total_rows import FULL_SCAN_ROWS, TotalRow, label_word_positions
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.items.pose_cells import ItemPoses
    from massprops_cli.bom.items.solid_cells import ItemSolids

_Mask = NDArray[np.bool_]


class _SheetItems(NamedTuple):
    """The items of a sheet: ``table`` is what of it counts, ``options`` are completed by the sheet.

    ``totals`` are the rows left out as totals, margins and limits; ``item_tree`` is the tree of the ``hierarchy``.
    """

    table: Table
    columns: TableColumns
    options: TableOptions
    totals: list[TotalRow]
    hierarchy: Hierarchy
    item_tree: ItemTree


def _find_items(
    table: Table, options: TableOptions, findings: Sequence[Finding], new_findings: Findings
) -> _SheetItems:
    """Find the table on a sheet, its columns, items and tree; raises TableError, with all findings, without a tree."""
    # ``findings`` are those of reading the file
    table = find_table(table, options, new_findings)
    table = split_tuple_columns(table, find_header_row(table, options.map))
    table = sign_coordinates(table, find_header_row(table, options.map), options, new_findings)
    table = show_solid_columns(table, find_header_row(table, options.map), options)
    found_here = Findings()
    columns = read_columns(table, options, found_here)
    if any(f.rule == "MP260" for f in new_findings):  # what is not read for its sides is not missing in addition
        found_here = Findings(f for f in found_here if not (f.rule == "MP212" and f.place.column in columns.header))
    options = replace(
        options,
        inertia_about=columns.inertia_about or options.inertia_about,
        poi=options.poi or columns.poi,
        mass_is=options.mass_is or columns.mass_is,
    )
    new_findings += found_here if options.use_sigmas else [f for f in found_here if f.rule != "MP504"]
    if table.n_rows <= columns.first_row:
        new_findings.report("MP111", "table has a header and no row of data", table.place(0))
        raise TableError([*findings, *new_findings])
    found_here = Findings()
    table, totals = exclude_non_item_rows(table, columns, options, found_here)
    new_findings += found_here
    report_ambiguous_variant(table, columns, options, new_findings)
    named = _option_columns(table, columns, options, new_findings)
    new_findings += unread_number_findings(table, columns, new_findings, named)
    found_here = Findings()
    hierarchy = read_hierarchy(table, columns, options, found_here)
    if "pattern" in columns.by_quantity:
        from massprops_cli.bom.items.pattern_cells import expanded_patterns

        hierarchy = expanded_patterns(hierarchy, table, columns, options, found_here)
    whole = hierarchy
    if options.where:
        hierarchy = _filter_items(hierarchy, table, columns, options, new_findings)
        options = replace(options, assembly_values="ignore")
    of_root = Findings()
    item_tree = place_root(hierarchy, table, options, of_root)
    new_findings += [*filter_parent_findings(found_here, hierarchy, item_tree, table, options.root), *of_root]
    if options.root or options.where:
        kept = {hierarchy.ids[i] for i in item_tree.items.tolist()}
        report_excluded_mass(whole, kept, TableReading(table, columns, options), new_findings)
    if item_tree.tree is None:
        new_findings[:0] = downgrade_excluded_row_findings(findings, table)
        _report_number_cells(table, columns, options, new_findings)
        stops = any(f.severity is Severity.ERROR and RULES[f.rule].effect == STOPS for f in new_findings)
        if not stops:
            new_findings.report("MP309", "tree has no root: every row has a parent")
        raise TableError(new_findings)
    if any(f.rule == "MP114" for f in new_findings):
        raise TableError([*findings, *new_findings])
    return _SheetItems(table, columns, options, totals, hierarchy, item_tree)


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


def _option_columns(
    table: Table, columns: TableColumns, options: TableOptions, new_findings: Sequence[Finding]
) -> set[int]:
    """Return the columns that ``--where`` or another option uses, and those reported as quantities of variants."""
    used = [*options.used]
    if options.where:
        from massprops_cli.tables.rows.row_filter import read_row_condition

        used += [read_row_condition(text).column for text in options.where]
    folded = {name.strip().casefold() for name in used}
    named = {j for j, text in enumerate(columns.header) if text.strip().casefold() in folded}
    named |= {j for name in used for j in columns_by_reference(name, table)}
    return named | set(variant_columns(table, columns) if any(f.rule == "MP253" for f in new_findings) else ())


def _filter_items(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> Hierarchy:
    """Return the hierarchy filtered by ``--where``; stated assembly values are not compared."""
    from massprops_cli.tables.rows.row_filter import filter_hierarchy

    if options.assembly_values in ("own", "stated"):
        raise UsageError(
            f"--where cannot be combined with --assembly-values {options.assembly_values} "
            "(which uses complete assemblies)"
        )
    result = filter_hierarchy(hierarchy, table, columns, options.where, findings)
    if options.root in hierarchy.ids and options.root not in result.ids:
        raise UsageError(f"no row below --root {options.root} matches --where: {'; '.join(options.where)}")
    return result


_ROBOTS = ("urdf", "sdf")
_DAMAGED_CELL_RULES = ("MP116", "MP117")
"""Cells that a spreadsheet program could not, or did not, calculate."""

_CONSEQUENT_RULES = ("MP205", "MP206", "MP502")
"""Findings that follow from such a cell."""


_COMPUTED_COLUMNS = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES)
"""Quantities of which an assembly's own are what the roll-up gives."""


def _deduplicate_findings(
    read: Sequence[Finding],
    understood: Sequence[Finding],
    columns: TableColumns,
    info: SheetInfo | None,
    filled: Collection[int] = (),
) -> Sequence[Finding]:
    """Merge the findings of reading a file with those of its table."""
    # An error cell is reported with its item's name where it has one; a blank that is a formula without a value is
    # reported as a formula. In a column that is not read either is a warning, because it gives no number. A formula
    # without a value is a note where the roll-up computes the value: in number columns of the table rows ``filled``.
    damaged = {finding.place.cell for finding in read if finding.rule in _DAMAGED_CELL_RULES}
    if info is None or not damaged:
        return [*read, *understood]
    from massprops_cli.files.workbook.cells import cell_position

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
    kept += [f for f in understood if f.rule not in _CONSEQUENT_RULES or f.count > 1 or f.place.cell not in damaged]
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
        remedy="recalculate and save the workbook to compare the value of the formula",
    )


def build_bom(cls: type[Bom], table: Table, options: TableOptions, findings: Sequence[Finding]) -> Bom:
    """Build a Bom from a table."""
    of_robot = Findings()
    if table.source.format in _ROBOTS:
        room_function("massprops_cli.robots.robot_checks", "check_robot")(table, options, of_robot)
    try:
        bom = _build_bom(cls, table, options, [*findings, *of_robot])
    except TableError as error:
        raise TableError(_with_complete_hints(error.findings, table, options)) from None
    return replace(bom, findings=tuple(_with_complete_hints(bom.findings, table, options)))


def _with_complete_hints(findings: Sequence[Finding], table: Table, options: TableOptions) -> list[Finding]:
    """Complete the commands in hints with the options that were given."""
    if table.source.format in _ROBOTS:
        findings = room_function("massprops_cli.robots.robot_checks", "robot_findings")(findings, table)
    hints = [options.completed_hint(finding.remedy, table.source) for finding in findings]
    return [
        finding if hint == finding.remedy else replace(finding, remedy=hint)
        for finding, hint in zip(findings, hints, strict=True)
    ]


def _build_bom(cls: type[Bom], table: Table, options: TableOptions, findings: Sequence[Finding]) -> Bom:
    """Read items, numbers and tree, and check them against each other."""
    new_findings = Findings()
    table, columns, options, totals, hierarchy, item_tree = _find_items(table, options, findings, new_findings)
    findings = downgrade_excluded_row_findings(findings, table)
    items = ItemRows(
        table,
        columns,
        np.asarray(hierarchy.rows, dtype=np.intp)[item_tree.items],
        text_subset(hierarchy.ids, item_tree.items),
    )

    def bom_with(options: TableOptions, known: Findings) -> Bom:
        """Read the items with some options, in addition to the known findings."""
        read = _read_items(options, hierarchy, item_tree, items, known)
        filled = _computed_rows(items, read.marks, options)
        found = _deduplicate_findings(findings, known, columns, table.sheet_info, filled)
        return _check_against_totals(assemble_bom(cls, read, found), totals)

    bom = bom_with(options, Findings(new_findings))
    if options.blank_coordinate or not bom.totals or not _blank_axes(bom):
        return bom
    blanks = _blank_axes(bom)
    with_zeros = bom_with(replace(options, blank_coordinate="0"), Findings(new_findings))
    return _with_zeros_if_totals_agree(bom, with_zeros, blanks)


def _blank_axes(bom: Bom) -> dict[str, Finding]:
    """Return the coordinates that are blank next to others, each with the finding that reports the rows."""
    found = [f for f in bom.findings if f.rule == "MP212" and f.item]
    return {name: f for f in found for name in CENTER.columns if f.message.endswith(f": {name} missing")}


def _with_zeros_if_totals_agree(bom: Bom, with_zeros: Bom, blanks: Mapping[str, Finding]) -> Bom:
    """Return the Bom with blank coordinates read as 0 if every stated total of them agrees with that reading."""
    from massprops_cli.bom.checks.totals import reconcile_totals

    stated = [one for one in reconcile_totals(with_zeros) if one.quantity in blanks]
    if {one.quantity for one in stated} != set(blanks) or not all(one.agrees for one in stated):
        return bom
    notes = Findings()
    for name, fault in blanks.items():
        header, count = bom.columns.by_quantity[name].header, sum(one.quantity == name for one in stated)
        message = f"blank {header} read as 0: {count} stated total{'s agree' if count > 1 else ' agrees'} with it"
        notes.report("MP263", message, fault.place, count=fault.count)
    return with_zeros.with_findings(notes)


def _read_items(
    options: TableOptions, hierarchy: Hierarchy, item_tree: ItemTree, items: ItemRows, findings: Findings
) -> ItemData:
    """Read every column of the items, and report what is wrong with them."""
    edge_rows = None if hierarchy.edge_rows is None else hierarchy.edge_rows[item_tree.items]
    uses = items if edge_rows is None else replace(items, rows=edge_rows)
    blanks = read_blank_counts(uses, item_tree, options, findings) if options.qty_column else None
    quantities = QuantityRows(uses, item_tree.root, blanks)
    marks = read_item_flags(items, item_tree.is_leaf, options, quantities, findings)
    if hierarchy.piece is not None:
        marks = marks._replace(quantity=_quantities_of_pieces(marks.quantity, hierarchy.piece[item_tree.items]))
    cells, stated, as_written, deviations = _read_item_cells(items, marks, options, findings)
    part = None if hierarchy.part is None else hierarchy.part[item_tree.items]
    sharing = read_correlation_groups(items, marks, part, findings)
    poses = _read_poses(items, hierarchy, options, findings)
    if poses is None:
        check_uses(items, part, cells, findings)
    check_part_numbers(items, item_tree.is_leaf, cells, findings)
    growth = read_growth(items, marks, options, findings)
    read = ItemData(options, hierarchy, item_tree, items, marks, cells, as_written, stated, sharing, growth, deviations)
    if poses is None:
        return read
    poses, order = poses.over(lambda values, _: values[item_tree.items]), ItemReindexer(item_tree)
    own = order.bodies(cells, marks), order.sigmas(cells, marks)
    return read._replace(cells=poses.moved_cells(cells), poses=poses, own_numbers=own)


def _quantities_of_pieces(quantity: ItemQuantity, piece: NDArray[np.intp]) -> ItemQuantity:
    """Return the quantities in which each piece of a pattern is an item of its own."""
    return ItemQuantity(np.where(piece >= 0, 1.0, quantity.count), quantity.measured & (piece < 0))


def _read_poses(items: ItemRows, hierarchy: Hierarchy, options: TableOptions, findings: Findings) -> ItemPoses | None:
    """Read the poses of the hierarchy; None, and no import, for a table without columns of poses."""
    if not any(name in items.columns.by_quantity for name in POSE_QUANTITIES if name != "frame"):
        return None
    from massprops_cli.bom.items.pose_cells import read_item_poses

    rows = np.asarray(hierarchy.rows, dtype=np.intp)
    return read_item_poses(replace(items, rows=rows, ids=hierarchy.ids), hierarchy, options, findings)


def _check_against_totals(bom: Bom, totals: list[TotalRow]) -> Bom:
    """Interpret masses and quantities, and check them against the totals and products of the sheet."""
    # modules that read totals are imported only for a table with totals
    findings = Findings()
    if totals or bom.columns.doubtful:
        from massprops_cli.bom.checks.interpretation import resolve_interpretation

        bom = resolve_interpretation(bom, totals, findings)
        bom, findings = bom.with_findings(findings), Findings()
    elif bom.options.qty_is == "total" or bom.options.mass_is == "line":
        from massprops_cli.bom.checks.interpretation import apply_stated_meanings

        bom = apply_stated_meanings(bom)
    if bom.columns.by_quantity.keys() & ROW_TOTAL_QUANTITIES.keys():
        from massprops_cli.bom.checks.consistency import check_product_columns

        check_product_columns(bom, findings)
    if bom.totals:
        from massprops_cli.bom.checks.totals import check_center_totals

        check_center_totals(bom, findings)
    bom = bom.with_findings(findings)
    if "mass" not in bom.columns.by_quantity:
        return bom
    findings = Findings()
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported by the roll-up
        if bom.layout != "flat" and len(bom) > 1 and _has_total_word(bom):
            from massprops_cli.bom.checks.totals import check_counted_totals

            check_counted_totals(bom, findings)
            bom, findings = bom.with_findings(findings), Findings()
        check_mass_outliers(bom, findings)
        check_zero_quantities(bom, findings)
        check_coverage(bom, findings)
        if has_suspect_tensors(bom):
            from massprops_cli.bom.checks.consistency import check_placeholder_tensors

            check_placeholder_tensors(bom, findings)
    return bom.with_findings(findings)


def _has_total_word(bom: Bom) -> bool:
    """Return whether some item has a word for a total in its name or id; a long tree costs one search."""
    texts = bom.names if bom.names is not None and len(bom) <= FULL_SCAN_ROWS else bom.ids
    return len(bom) <= FULL_SCAN_ROWS and bool(label_word_positions([*texts]))


def _computed_rows(items: ItemRows, marks: ItemFlags, options: TableOptions) -> set[int]:
    """Return the rows of a worksheet whose numbers are computed: no leaf, and none whose own numbers may go up."""
    if items.table.sheet_info is None or options.assembly_values in ("own", "stated"):
        return set()
    # a part used in several places has one row: it is computed only where no use of it needs its numbers
    return set(items.rows.tolist()) - set(items.rows[marks.goes_up].tolist())


def read_item_bodies(
    items: ItemRows, marks: ItemFlags, options: TableOptions, findings: Findings
) -> tuple[Bodies, Sigmas | None]:
    """Read and check the numbers of some items, each as a separate body."""
    cells, _, _, _ = _read_item_cells(items, marks, options, findings)
    n = len(items.rows)
    order = ItemReindexer(ItemTree(np.arange(n), np.arange(n), None, np.ones(n, bool), ""))
    return order.bodies(cells, marks), order.sigmas(cells, marks)


def _read_item_cells(
    items: ItemRows, marks: ItemFlags, options: TableOptions, findings: Findings
) -> tuple[dict[str, SetCells], SigmaInputs, dict[str, SetCells], ShapeDeviations | None]:
    """Read and check the columns of the ten quantities and their sigmas, and other statements of uncertainty."""
    # the third result has the cells before tensors are moved to the items' own centres, the fourth what shapes share
    sets = [s for s in QUANTITY_SETS if options.use_sigmas or not s.is_sigma]
    n_before = len(findings)
    cells = read_quantity_sets(items, sets, findings)
    solids = _read_solids(items, marks, cells, options, findings)
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
        fill_masses_from_quantities(items, marks, cells[MASS.name], findings)
        fill_masses_from_row_totals(items, marks, cells[MASS.name], findings)
    if INERTIA.name in cells:
        _check_products(items, marks, cells[INERTIA.name], options, findings)
        _apply_product_signs(cells[INERTIA.name], marks.sign > 0)
    as_written = _move_tensors(items, cells, options)
    if solids is not None:
        from massprops_cli.bom.items.solid_cells import check_stated_centers, check_stated_tensors

        check_stated_centers(items, solids, cells, options, findings)
        check_stated_tensors(items, solids, cells, findings)
        solids.enter_tensors(cells, use_sigmas=options.use_sigmas)
    stated = read_sigmas(items, marks, cells, options, findings)
    needs = [
        NeededSet(one, cells[one.name], _needed_items(one, cells, marks, options)) for one in sets if one.name in cells
    ]
    choice = allow_missing_text(needs, options)
    for need in needs:
        check_needed_cells(items, need, options, choice, findings)
    _check_cells(items, marks, cells, options, findings)
    if solids is not None and options.use_sigmas:
        solids.add_sigmas(cells, len(items.rows))
    deviations = solids.deviations if solids is not None and options.use_sigmas else None
    return cells, stated, cells | as_written, deviations


def _read_solids(
    items: ItemRows, marks: ItemFlags, cells: dict[str, SetCells], options: TableOptions, findings: Findings
) -> ItemSolids | None:
    """Read the columns of solids, and enter the masses and centres; None, and no import, without such columns."""
    if not ({"shape", "dims"} <= items.columns.by_quantity.keys() or "mesh" in items.columns.by_quantity):
        return None
    from massprops_cli.bom.items.solid_cells import read_item_solids

    return read_item_solids(items, marks, cells, options, findings)


def _needed_items(
    quantity_set: QuantitySet, cells: dict[str, SetCells], marks: ItemFlags, options: TableOptions
) -> _Mask:
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
    on = CheckedItems(items, marks.counts, marks.is_point, options.inertia_about, options.is_strict, options.poi)
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
