"""Contents of the worksheets Rollup, Findings and About, and of a table as a worksheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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
    finding_counts_text,
    number_formats,
    sort_by_severity,
    uncertainty_rows,
    units_words,
    value_number_format,
)
from massprops_cli.reports.rollup_sheet import RunRecord, SheetOptions, rollup_sheet
from massprops_cli.reports.samples import samples_sheet
from massprops_cli.tables import NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES
from massprops_cli.trees import preorder_items

if TYPE_CHECKING:
    from massprops_cli.bom import Bom, Result
    from massprops_cli.files import Table
    from massprops_cli.tables import TableColumns


_DEEPEST_OUTLINE = 7
_LONGEST_TEXT_WIDTH = 36
RECORD_ROWS = ("input", "SHA-256", "date", "command", "configuration")
"""Rows of the sheet About that state the origin of the result."""
_SEVERITY_LOOKS = {Severity.ERROR: CellLook.ERROR, Severity.WARNING: CellLook.WARNING, Severity.NOTE: CellLook.NOTE}


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
            rolled.append(rollup_sheet(result, options))
            rolled.append(samples_sheet(result, options.sigma_level))
        every = [*findings, *more]
        return [*rolled, _findings_sheet(every), _about_sheet(result, every, options)]

    return made


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
    wrapped = dict.fromkeys(range(1, len(rows)), CellLook.WRAPPED)
    widths = [11, 9, 25, 18, 15, 15, 54, 44, 9]
    return OutputSheet("Findings", rows, widths=widths, looks=looks, row_looks=wrapped, own=True)


def _about_sheet(result: Result, findings: Sequence[Finding], options: SheetOptions) -> OutputSheet:
    """Write the conventions of the results to a sheet."""
    from massprops_cli._version import VERSION
    from massprops_cli.bom import SIGN_CONVENTION_TEXT

    bom = result.bom
    totals: list[list[CellValue]] = [[*pair] for pair in reconciliation_cells(result)]
    rows: list[list[CellValue]] = [
        ["massprops", VERSION],
        *_record_cells(options.record),
        ["sheet", bom.table.source.sheet or None],
        ["layout", bom.layout],
        ["items", str(len(bom))],
        ["findings", finding_counts_text(findings)],
        ["units", units_words(result, UNICODE)],
        ["frame", "axes of the table, one frame for all items; CG coordinates from its origin 0,0,0"],
        ["inertia", "about the CG of each item"],
        [
            "products",
            SIGN_CONVENTION_TEXT.partition(": ")[2] + " in the sheet Rollup; in the table, the convention of each row",
        ],
        *_uncertainty_cells(result, options.sigma_level),
        *totals,
        [
            "marks",
            "coloured cells of the table are computed; the next run replaces colours and comments",
        ],
    ]
    looks = {(0, 0): CellLook.TITLE, (0, 1): CellLook.TITLE}
    looks |= {(k, 0): CellLook.HEADER for k in range(1, len(rows))}
    looks |= {(k, 1): CellLook.WRAPPED for k in range(1, len(rows))}
    return OutputSheet("About", rows, header_rows=0, widths=[16, 100], looks=looks, autofilter=False, own=True)


def _record_cells(record: RunRecord) -> list[list[CellValue]]:
    """Return the origin of the result, one row each; nothing for what is not known."""
    return [[name, text] for name, text in zip(RECORD_ROWS, astuple(record), strict=True) if text]


def recorded_run(rows: Sequence[Sequence[str]]) -> RunRecord:
    """Read the origin of a result from the cells of an earlier sheet About.

    Parameters
    ----------
    rows : sequence of sequence of str
        Texts of the sheet.

    Returns
    -------
    RunRecord
        Origin; what the sheet does not state is empty.

    Examples
    --------
    >>> recorded_run([["massprops", "0.1.0"], ["input", "bom.xlsx"]]).source
    'bom.xlsx'
    """
    stated = {row[0]: row[1] for row in rows if len(row) > 1}
    return RunRecord(*(stated.get(name, "") for name in RECORD_ROWS))


def _uncertainty_cells(result: Result, level: int) -> list[list[CellValue]]:
    """Return method, correlation and sigma level of the uncertainty, one row each."""
    return [[name, words] for name, words in uncertainty_rows(result, UNICODE, level)]


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


def result_table_sheet(table: Table, title: str) -> OutputSheet:
    """Write a table that massprops made to a worksheet in the look of its own sheets.

    Parameters
    ----------
    table : Table
        Table with a header.
    title : str
        Name of the sheet.

    Returns
    -------
    OutputSheet
        Worksheet to write.
    """
    from massprops_cli.files import table_sheet

    numbers = {
        column: values[np.isfinite(values)]
        for column in range(table.n_columns)
        if len(values := table.numbers([column], 1)[0].values) and np.isfinite(values).any()
    }
    sheet = table_sheet(table, name=title, numeric=set(numbers))
    formats = {column: code for column, values in numbers.items() if (code := value_number_format(values))}
    looks = {(0, column): CellLook.NUMBER_HEADER for column in numbers}
    widths = [
        float(len(table.text(0, column)) + 3 if column in numbers else _text_width(table, column))
        for column in range(table.n_columns)
    ]
    return replace(sheet, number_formats=formats, looks=looks, widths=[max(w, 11) for w in widths], own=True)


def _text_width(table: Table, column: int) -> int:
    """Return the width of a column of texts in characters; longer texts are cut."""
    return min(max(map(len, table.texts(column, 0)), default=0) + 2, _LONGEST_TEXT_WIDTH)


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
