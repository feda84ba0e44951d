"""Contents of the worksheets Rollup, Findings and About, and of a table as a worksheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom import (
    ALLOWANCE_NAMES,
    AXIS_NAMES,
    CORRELATIONS,
    COVERAGE_NAMES,
    PREDICTED_PREFIX,
    PRINCIPAL_NAMES,
    SHARE_PREFIX,
    SIGMA_PRINCIPAL_NAMES,
    coherent_unit,
    derived_column,
    is_sigma_name,
    result_header,
)
from massprops_cli.files import (
    LONGEST_TEXT,
    CellComment,
    CellLook,
    CellValue,
    OutputSheet,
    SheetsFor,
    TableEdit,
    edit_with_file_names,
    file_table,
)
from massprops_cli.findings import Finding, Severity
from massprops_cli.reports.limits import reconciliation_cells
from massprops_cli.reports.page import (
    UNICODE,
    configuration_rows,
    finding_counts_text,
    number_formats,
    sort_by_severity,
    uncertainty_rows,
    units_words,
    value_number_format,
)
from massprops_cli.reports.samples import samples_sheet
from massprops_cli.reports.subtotals import AggregatedColumns
from massprops_cli.tables import NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES
from massprops_cli.trees import preorder_items

if TYPE_CHECKING:
    from massprops_cli.bom import Bom, Result
    from massprops_cli.files import Table
    from massprops_cli.tables import TableColumns


_TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_RADII = ("kx", "ky", "kz")
_DEEPEST_OUTLINE = 7
_SEVERITY_LOOKS = {Severity.ERROR: CellLook.ERROR, Severity.WARNING: CellLook.WARNING, Severity.NOTE: CellLook.NOTE}
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """Optional contents of the tool's own sheets: aggregated columns, sigma level, correlations."""

    other: AggregatedColumns
    sigma_level: int = 1
    correlations: bool = False


def own_sheets(result: Result, findings: Sequence[Finding], options: SheetOptions) -> SheetsFor:
    """Return a function that makes the tool's own sheets from the findings of the writer.

    Parameters
    ----------
    result : Result
        Result of a roll-up.
    findings : sequence of Finding
        Findings of the run.
    options : SheetOptions
        Optional contents of the sheets.

    Returns
    -------
    callable
        Function of a sequence of findings that returns a list of worksheets.
    """
    rolled: list[OutputSheet] = []

    def made(more: Sequence[Finding]) -> list[OutputSheet]:
        if not rolled:
            rolled.append(_rollup_sheet(result, options))
            rolled.append(samples_sheet(result, options.sigma_level))
        every = [*findings, *more]
        return [*rolled, _findings_sheet(every), _about_sheet(result, every, options.sigma_level)]

    return made


def _rollup_sheet(result: Result, options: SheetOptions) -> OutputSheet:
    """Write the results of all items to a sheet, in coherent units, products as tensor entries."""
    bom = result.bom
    other, level = options.other, options.sigma_level
    names, columns = _result_columns(result, options)
    parents = bom.tree.parent.tolist()
    depth = bom.tree.depth()
    texts: list[Sequence[CellValue]] = [list(bom.ids), [bom.ids[p] if p >= 0 else None for p in parents]]
    header: list[CellValue] = ["id", "parent"]
    if bom.names is not None:
        header.append("name")
        texts.append(list(bom.names))
    header += [result_header(name, coherent_unit(result, name), level if is_sigma_name(name) else 1) for name in names]
    header += [f"{rolled.aggregation} {name}" for name, rolled in other.columns]
    columns += [rolled.values for _, rolled in other.columns]
    rows: list[Sequence[CellValue]] = [header]
    rows += zip(*texts, *(column.tolist() for column in columns), strict=True)
    assemblies = np.flatnonzero(~bom.tree.is_leaf()) + 1
    computed = {
        len(texts) + k: assemblies for k, name in enumerate(names) if name.removeprefix("sigma_") in (*_TEN, *_RADII)
    }
    below = _subtotal_rows(result, options, names, len(texts))
    outline = np.concatenate([[0], np.minimum(depth, _DEEPEST_OUTLINE), np.zeros(len(below))]).astype(np.uint8)
    rows += below
    # a filter would sort the subtotals in among the items
    formats = {len(texts) + k: code for k, column in enumerate(columns) if (code := value_number_format(column))}
    return OutputSheet(
        "Rollup",
        rows,
        number_formats=formats,
        computed=computed,
        outline=outline,
        frozen_columns=1,
        autofilter=not below,
        own=True,
    )


def _subtotal_rows(
    result: Result, options: SheetOptions, names: Sequence[str], texts: int
) -> list[Sequence[CellValue]]:
    """Return a blank row, and a row per group under the columns of the items; the first ``texts`` columns are text."""
    other, groups = options.other, options.other.groups
    if groups is None:
        return []
    k = len(groups.labels)
    grouped = replace(result, rollup=groups.rollup)
    found = dict(zip(*_result_columns(grouped, options, of_groups=True), strict=True))
    blank = np.full(k, np.nan)
    columns = [found.get(name, blank)[:k] for name in names]
    columns += [rolled.values[:k] for _, rolled in other.group_columns]
    by = "by " + ", ".join(other.labels)
    values = zip(*(column.tolist() for column in columns), strict=True)
    rest = [None] * (texts - 2)
    rows: list[Sequence[CellValue]] = [[None] * (texts + len(columns))]
    rows += [[", ".join(label), by, *rest, *row] for label, row in zip(groups.labels, values, strict=True)]
    return rows


def _result_columns(
    result: Result, options: SheetOptions, *, of_groups: bool = False
) -> tuple[list[str], list[_Floats]]:
    """Return the names and values of all computed quantities, one value per item; sigmas at a level."""
    # ``of_groups`` omits the quantities of items only: growth, and shares by method
    if "mass" not in result.bom.columns.by_quantity:  # only aggregated columns
        return ["coverage_leaves"], [result.coverage_column("coverage_leaves")]
    names = [quantity for name in (*_TEN, *_RADII) for quantity in (name, f"mean_{name}", f"sigma_{name}")]
    names += [quantity for both in zip(PRINCIPAL_NAMES, SIGMA_PRINCIPAL_NAMES, strict=True) for quantity in both]
    names += [*ALLOWANCE_NAMES, *(PREDICTED_PREFIX + name for name in _TEN)]
    names += [*AXIS_NAMES, *COVERAGE_NAMES, *(SHARE_PREFIX + word for word in result.shares_of_mass)]
    names += CORRELATIONS if options.correlations else ()
    if of_groups:
        names = [name for name in names if not name.startswith((SHARE_PREFIX, PREDICTED_PREFIX, *ALLOWANCE_NAMES))]
    level = options.sigma_level
    found = [(name, values) for name in names if (values := derived_column(result, name)) is not None]
    return [name for name, _ in found], [level * values if is_sigma_name(name) else values for name, values in found]


def _findings_sheet(findings: Sequence[Finding]) -> OutputSheet:
    """Write the findings to a sheet, highest severity first."""
    rows: list[list[CellValue]] = [["severity", "rule", "name", "place", "item", "value", "message", "remedy", "count"]]
    looks = {}
    for finding in sort_by_severity(findings):
        looks[len(rows), 0] = _SEVERITY_LOOKS[finding.severity]
        # without the file's name, so that a roll-up of this very file gives the same sheet
        cells = (replace(finding.place, file=""), finding.item, finding.value, finding.message, finding.remedy)
        texts = [str(cell)[:LONGEST_TEXT] or None for cell in cells]
        rows.append([finding.severity.value, finding.rule, finding.name, *texts, float(finding.count)])
    if len(rows) == 1:
        rows.append(["none", *[None] * 8])
    return OutputSheet("Findings", rows, widths=[10, 8, 22, 28, 18, 18, 60, 50, 8], looks=looks, own=True)


def _about_sheet(result: Result, findings: Sequence[Finding], level: int) -> OutputSheet:
    """Write the conventions of the results to a sheet."""
    from massprops_cli._version import VERSION
    from massprops_cli.bom import SIGN_CONVENTION_TEXT

    bom = result.bom
    totals: list[list[CellValue]] = [[*pair] for pair in reconciliation_cells(result)]
    rows: list[list[CellValue]] = [
        ["massprops", VERSION],
        ["sheet", bom.table.source.sheet or None],
        ["layout", bom.layout],
        ["items", float(len(bom))],
        ["findings", finding_counts_text(findings)],
        ["units", units_words(result, UNICODE)],
        ["frame", "one frame for all items; CG coordinates from its origin"],
        ["inertia", "about the CG of each item"],
        [
            "products",
            SIGN_CONVENTION_TEXT.partition(": ")[2] + " in the sheet Rollup; in the table, the convention of each row",
        ],
        *_uncertainty_cells(result, level),
        *totals,
        [
            "marks",
            "coloured cells of the table are computed; the next run replaces colours and comments",
        ],
    ]
    looks = {(0, 0): CellLook.TITLE, **{(k, 0): CellLook.HEADER for k in range(1, len(rows))}}
    return OutputSheet("About", rows, header_rows=0, widths=[14, 90], looks=looks, autofilter=False, own=True)


def _uncertainty_cells(result: Result, level: int) -> list[list[CellValue]]:
    """Return method, correlation and sigma level of the uncertainty, and the configuration, one row each."""
    rows = uncertainty_rows(result, UNICODE, level) + configuration_rows(result)
    return [[name, words] for name, words in rows]


def finding_comments(bom: Bom, findings: Sequence[Finding]) -> list[CellComment]:
    """Convert findings with a cell in the sheet of the table to comments, one per cell.

    Parameters
    ----------
    bom : Bom
        Bill of materials.
    findings : sequence of Finding
        Findings of the run.

    Returns
    -------
    list of CellComment
        Comments in the order of the cells.
    """
    from massprops_cli.files import cell_position

    texts: dict[tuple[int, int], list[str]] = {}
    for finding in findings:
        place = finding.place
        if not place.cell or (place.sheet and place.sheet != bom.table.source.sheet):
            continue
        position = cell_position(place.cell)
        if position is not None:
            remedy = f"\n{finding.remedy}" if finding.remedy else ""
            texts.setdefault(position, []).append(f"{finding.severity.value} {finding.rule}: {finding.message}{remedy}")
    return [CellComment(row, column, "\n\n".join(parts)) for (row, column), parts in sorted(texts.items())]


def bom_sheet(bom: Bom, filling: TableEdit) -> OutputSheet:
    """Write the completed table to a worksheet; depth-first rows have outline levels.

    Parameters
    ----------
    bom : Bom
        Bill of materials.
    filling : TableEdit
        Changes of the table.

    Returns
    -------
    OutputSheet
        Worksheet to write.
    """
    outline = np.zeros(bom.table.n_rows, dtype=np.uint8)
    order = preorder_items(bom.tree)
    order = order[bom.rows[order] >= 0]
    if (np.diff(bom.rows[order]) > 0).all():
        outline[bom.rows[order]] = np.minimum(bom.tree.depth()[order], _DEEPEST_OUTLINE)
    return plain_sheet(file_table(bom.table), bom.columns, edit_with_file_names(bom.table, filling), outline)


def plain_sheet(
    table: Table, columns: TableColumns, filling: TableEdit, outline: NDArray[np.uint8] | None = None
) -> OutputSheet:
    """Write a table to a worksheet: numbers as numbers, everything else as text.

    Parameters
    ----------
    table : Table
        Table that is read or written.
    columns : TableColumns
        Columns of the table.
    filling : TableEdit
        Changes of the table.
    outline : array of uint8, shape (n_rows,), optional
        Outline level of each row.

    Returns
    -------
    OutputSheet
        Worksheet with the name of the source, else ``BOM``.
    """
    from massprops_cli.files import table_sheet

    name, numeric = table.source.sheet or "BOM", _numeric_columns(table, columns)
    counted = {columns.by_quantity["qty"].index} if "qty" in columns.by_quantity else set()
    sheet = table_sheet(table, filling, name=name, numeric=numeric, outline=outline)
    return replace(sheet, number_formats=number_formats(table, sorted(numeric - counted), columns.first_row))


def _numeric_columns(table: Table, columns: TableColumns) -> set[int]:
    """Return the columns written as numbers: those of quantities, and those whose texts survive a round trip."""
    texts = {
        column.index
        for quantity, column in columns.by_quantity.items()
        if quantity in TEXT_QUANTITIES and quantity not in NUMERIC_TEXT_QUANTITIES
    }
    certain = {
        column.index
        for quantity, column in columns.by_quantity.items()
        if quantity not in TEXT_QUANTITIES or quantity == "qty"
    }
    others = set(range(table.n_columns)) - texts - certain
    # parts of a tuple's cell have columns of their own that the file does not have
    return {j for j in certain if j < table.n_columns} | {
        j for j in others if all(map(_is_round_trip_text, table.texts(j, columns.first_row)))
    }


def _is_round_trip_text(text: str) -> bool:
    """Whether a text is blank, or a number in its shortest form."""
    if not text:
        return True
    from massprops_cli.tables import read_number

    number = read_number(text)
    return number is not None and text in (repr(number), repr(number).removesuffix(".0"))
