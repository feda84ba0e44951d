"""Conversion of a table to a bill of materials: columns, tree, numbers, findings; those on one cell are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli._front import room_function
from massprops_cli.bom.assembly import assemble_bom, report_number_cells
from massprops_cli.bom.checks import assembly_masses
from massprops_cli.bom.checks.consistency import check_placeholder_tensors, check_product_columns, has_suspect_tensors
from massprops_cli.bom.checks.outliers import check_mass_outliers
from massprops_cli.bom.items.growth import with_assembly_growth
from massprops_cli.bom.items.variant_columns import (
    ItemTree,
    filter_parent_findings,
    place_root,
    report_ambiguous_variants,
    variant_columns,
)
from massprops_cli.files.table import SheetInfo, Table
from massprops_cli.findings.finding import Finding, Findings, Severity, TableError, UsageError
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, read_columns, show_made_columns
from massprops_cli.tables.columns.header import columns_by_reference, find_header_row
from massprops_cli.tables.counts import with_computed_columns, with_explained_counts
from massprops_cli.tables.layouts.detection import find_table_of_pages, read_hierarchy, with_robot_column
from massprops_cli.tables.layouts.dotted_numbers import with_referenced_ids
from massprops_cli.tables.options import CENTER_COLUMNS, COMPUTED_COLUMNS, ROW_TOTAL_QUANTITIES, TableOptions
from massprops_cli.tables.rows.excluded_rows import downgrade_excluded_row_findings, exclude_non_item_rows
from massprops_cli.tables.rows.hierarchy import Hierarchy
from massprops_cli.tables.rows.total_rows import FULL_SCAN_ROWS, ITEM_NAMES, TotalRow, label_word_positions

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_DAMAGED_CELL_RULES = ("MP116", "MP117")  # cells that a spreadsheet program could not, or did not, calculate
_CONSEQUENT_RULES = ("MP205", "MP206", "MP502")  # findings that follow from such a cell


def _find_columns(
    table: Table, options: TableOptions, new_findings: Findings
) -> tuple[Table, TableColumns, TableOptions]:
    """Find the table on a sheet and its columns, and complete the options by what its headers state."""
    table = find_table_of_pages(table, options, new_findings)
    options = with_robot_column(table, options)
    table = show_made_columns(table, options, new_findings)
    if any(" " in text for text in options.map.values()):
        table = with_computed_columns(table, find_header_row(table, options.map), options.map)
    found_here = Findings()
    by_headings = read_columns(table, options, found_here)
    if (columns := with_referenced_ids(table, by_headings)) is not by_headings:
        ids = columns.by_quantity["id"].header
        found_here = Findings(f for f in found_here if f.rule != "MP225" or f.place.column != ids)
    if any(f.rule == "MP260" for f in new_findings):  # what is not read for its sides is not missing in addition
        found_here = Findings(f for f in found_here if not (f.rule == "MP212" and f.place.column in columns.header))
    new_findings += found_here if options.use_sigmas else [f for f in found_here if f.rule != "MP504"]
    if options.mass_is == "each":  # by an option, and not by the numbers
        columns = columns._replace(mass_is="")
    options = replace(
        options,
        inertia_about=columns.inertia_about or options.inertia_about,
        poi=options.poi or columns.poi,
        mass_is=options.mass_is or columns.mass_is,
    )
    return table, columns, options


def _find_items(
    table: Table, options: TableOptions, findings: Sequence[Finding], new_findings: Findings
) -> tuple[Table, TableColumns, TableOptions, list[TotalRow], Hierarchy, ItemTree]:
    """Find the table on a sheet, its columns, items, tree, and rows left out as totals; TableError without a tree."""
    table, columns, options = _find_columns(table, options, new_findings)
    if table.n_rows <= columns.first_row:
        new_findings.report("MP111", "table has a header and no row of data", table.place(0))
        raise TableError([*findings, *new_findings])
    table, totals = exclude_non_item_rows(table, columns, options, new_findings)
    report_ambiguous_variants(table, columns, options, new_findings)
    named = option_columns(table, columns, options, new_findings)
    columns = with_explained_counts(table, columns, options, totals, named, new_findings)
    found_here = Findings()
    parts = [f"row:{f.place.line or f.place.row}" for f in new_findings if f.rule == "MP282"]  # whatever their words
    with_parts = replace(options, count_rows=(*options.count_rows, *parts))
    hierarchy = read_hierarchy(table, columns, with_parts, found_here)
    open_places = [place for f in new_findings if f.rule == "MP257" for place in (f.place, *f.related)]
    found_here = Findings(f for f in found_here if f.rule != "MP316" or f.place not in open_places)  # once is enough
    if any(f.rule == "MP252" for f in new_findings) and {*ITEM_NAMES} & {*columns.by_quantity}:  # which masses is open
        found_here = Findings(f for f in found_here if f.rule not in ("MP244", "MP316"))
    if "robot" in columns.by_quantity and len(hierarchy):
        from massprops_cli.bom.items.robot_rows import with_robots

        table, columns, hierarchy = with_robots(table, columns, hierarchy, options, new_findings)
    if "pattern" in columns.by_quantity:
        from massprops_cli.bom.items.pattern_cells import expanded_patterns

        hierarchy = expanded_patterns(hierarchy, table, columns, options, found_here)
    if options.where:
        from massprops_cli.tables.rows.row_filter import filter_hierarchy

        if options.assembly_values in ("own", "stated"):
            raise UsageError(
                f"--where cannot be combined with --config assembly-values={options.assembly_values} "
                "(which uses complete assemblies)"
            )
        result = filter_hierarchy(hierarchy, table, columns, options.where, new_findings)
        if options.root in hierarchy.ids and options.root not in result.ids:
            raise UsageError(f"no row below --root {options.root} matches --where: {'; '.join(options.where)}")
        hierarchy = result
        options = replace(options, assembly_values="ignore")
    of_root = Findings()
    item_tree = place_root(hierarchy, table, options, of_root)
    new_findings += [*filter_parent_findings(found_here, hierarchy, item_tree, table, options.root), *of_root]
    if item_tree.tree is None:
        new_findings[:0] = downgrade_excluded_row_findings(findings, table)
        report_number_cells(table, columns, options, new_findings)
        if not any(f.is_stopping for f in new_findings):
            new_findings.report("MP309", "tree has no root: every row has a parent")
        raise TableError(new_findings)
    if any(f.rule == "MP114" for f in new_findings):
        raise TableError([*findings, *new_findings])
    return table, columns, options, totals, hierarchy, item_tree


def option_columns(
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


def _deduplicate_findings(
    read: Sequence[Finding],
    understood: Sequence[Finding],
    columns: TableColumns,
    info: SheetInfo | None,
    filled: Sequence[int],
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
            is_removed = finding.rule == "MP116" and bool(
                info.computed
            )  # a roll-up removes values that its cells change
            if finding.place.cell in named or (is_removed and finding.severity is Severity.NOTE):
                continue
            if (spot := cell_position(finding.place.cell)) is not None and spot[1] not in used:
                if not is_removed:
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
    if column.quantity not in COMPUTED_COLUMNS:
        return finding
    return replace(
        finding,
        severity=Severity.NOTE,
        message=f"{finding.message}; {column.header or column.quantity} of an assembly is computed from its children",
        remedy="recalculate and save the workbook to compare the value of the formula",
    )


def build_bom(cls: type[Bom], table: Table, options: TableOptions, findings: Sequence[Finding]) -> Bom:
    """Build a Bom from a table."""
    of_robot, findings = Findings(), Findings(findings)
    if table.source.format == "sdf":
        resolve = room_function("massprops_cli.robots.link_inertials", "resolve_robot_table")
        table = resolve(table, findings, is_computed=options.use_auto_inertials)
    if table.source.is_robot:
        room_function("massprops_cli.robots.robot_checks", "check_robot")(table, options, of_robot)
        if options.link_sigmas and options.use_sigmas:
            table = room_function("massprops_cli.bom.items.robot_rows", "with_link_sigmas")(table, options, of_robot)
    try:
        bom = _build_bom(cls, table, options, [*findings, *of_robot])
    except TableError as error:
        raise TableError(_with_complete_hints(error.findings, table, options)) from None
    return replace(bom, findings=tuple(_with_complete_hints(bom.findings, table, options)))


def _with_complete_hints(findings: Sequence[Finding], table: Table, options: TableOptions) -> list[Finding]:
    """Complete the commands in hints with the options that were given."""
    if table.source.is_robot:
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
    if totals:
        from massprops_cli.bom.checks.totals import without_old_totals

        assemblies = hierarchy.rows[np.unique(hierarchy.parents[hierarchy.parents >= 0])].tolist()
        table, totals = without_old_totals(table, columns, assemblies, totals)

    def bom_with(options: TableOptions) -> Bom:
        """Read the items with some options."""
        known = Findings(new_findings)
        bom, computed = assemble_bom(cls, table, columns, options, hierarchy, item_tree, known)
        is_sheet = table.sheet_info is not None
        filled = computed.tolist() if is_sheet and options.assembly_values not in ("own", "stated") else []
        found = _deduplicate_findings(findings, known, columns, table.sheet_info, filled)
        if reported := getattr(table, "reported", None):  # items of robots whose missing mass has a reported cause
            found = [finding for finding in found if finding.rule != "MP206" or finding.item not in reported]
        return _check_against_totals(replace(bom, findings=tuple(found)), totals)

    bom = bom_with(options)
    # coordinates that are blank next to others, each with the finding that reports the rows
    found = [f for f in bom.findings if f.rule == "MP212" and f.item]
    blanks = {name: f for f in found for name in CENTER_COLUMNS if f.message.endswith(f": {name} missing")}
    if options.blank_coordinate or not bom.totals or not blanks:
        return bom
    return _with_zeros_if_totals_agree(bom, bom_with(replace(options, blank_coordinate="0")), blanks)


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
        check_product_columns(bom, findings)
    if bom.totals:
        from massprops_cli.bom.checks.interpretation import report_differing_totals
        from massprops_cli.bom.checks.totals import reconcile_totals

        of_others = (one for one in reconcile_totals(bom) if one.quantity not in ("mass", "line_mass"))
        report_differing_totals(of_others, findings)
    bom = with_assembly_growth(bom.with_findings(findings))
    if any(total.kind == "margin" for total in bom.totals) and "mass" in bom.columns.by_quantity:
        from massprops_cli.bom.checks.interpretation import check_margin_rows

        of_margins = Findings()
        check_margin_rows(bom, of_margins)
        bom = bom.with_findings(of_margins)
    if "mass" not in bom.columns.by_quantity:
        return bom
    findings = Findings()
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported by the roll-up
        # an item with a word for a total in its name or id; a long tree is not searched
        is_searched = bom.layout != "flat" and 1 < len(bom) <= FULL_SCAN_ROWS
        if is_searched and label_word_positions([*(bom.ids if bom.names is None else bom.names)]):
            assembly_masses.check_counted_totals(bom, findings)
            bom, findings = bom.with_findings(findings), Findings()
        check_mass_outliers(bom, findings)
        assembly_masses.check_root_quantity(bom, findings)
        if has_suspect_tensors(bom):
            check_placeholder_tensors(bom, findings)
    return bom.with_findings(findings)
