"""Tables as worksheets: a completed table, one as it was read, and tables of results, with formats for print."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table, TableEdit, edit_with_file_names, file_table
from massprops_cli.files.workbook.sheet_xml import CellLook, OutputSheet
from massprops_cli.files.workbook.writer import table_sheet
from massprops_cli.reports.page import conventions
from massprops_cli.reports.sheets import DEEPEST_OUTLINE, LONGEST_TITLE, filled_decimals, page_header, run_date
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.options import NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result


def bom_sheet(result: Result, filling: TableEdit, record: Mapping[str, str]) -> OutputSheet:
    """Write the completed table to a worksheet; depth-first rows have outline levels."""
    bom = result.bom
    outline = np.zeros(bom.table.n_rows, dtype=np.uint8)
    order = bom.tree.preorder_items()
    order = order[bom.rows[order] >= 0]
    if (np.diff(bom.rows[order]) > 0).all():
        outline[bom.rows[order]] = np.minimum(bom.tree.depth()[order], DEEPEST_OUTLINE)
    sheet = plain_sheet(file_table(bom.table), bom.columns, edit_with_file_names(bom.table, filling), outline)
    edits = filling.columns(file_table(bom.table).n_columns)
    numbers = ((one.column, one.values) for one in edits if isinstance(one.values, np.ndarray))
    codes = {column: conventions.value_number_format(values) for column, values in numbers}
    return replace(
        sheet,
        number_formats={**codes, **sheet.number_formats},
        decimals=filled_decimals(result, filling),
        page_header=page_header(bom, record),
    )


def plain_sheet(
    table: Table, columns: TableColumns, filling: TableEdit, outline: NDArray[np.uint8] | None = None
) -> OutputSheet:
    """Write a table to a worksheet named like its source, else ``BOM``; levels (n_rows,); numbers stay numbers."""
    # columns written as numbers: those of quantities, and those whose texts survive a round trip
    places = {quantity: column.index for quantity, column in columns.by_quantity.items()}
    texts = {j for name, j in places.items() if name in TEXT_QUANTITIES and name not in NUMERIC_TEXT_QUANTITIES}
    certain = {j for name, j in places.items() if name not in TEXT_QUANTITIES or name == "qty"}
    # parts of a tuple's cell have columns of their own that the file does not have
    of_file = set(range(table.n_columns))
    others = of_file - texts - certain
    plain = {j for j in others if all(map(_is_round_trip_text, table.texts(j, columns.first_row)))}
    name, numeric = table.source.sheet or "BOM", certain & of_file | plain
    counted = {columns.by_quantity["qty"].index} if "qty" in columns.by_quantity else set()
    named = [one for one in columns.by_quantity.values() if one.index in certain & of_file and table.source.delimiter]
    commas = {one.index for one in named if one.has_decimal_comma(table, columns.first_row)}
    sheet = table_sheet(table, filling, name=name, numeric=numeric - commas, commas=commas, outline=outline)
    decimals = conventions.input_decimals(table, sorted(numeric - counted), columns.first_row, commas)
    formats = {j: conventions.decimals_format(count) for j, count in decimals.items() if count}
    looks = {(filling.header_row, j): CellLook.NUMBER_HEADER for j in numeric}
    return replace(sheet, number_formats=formats, looks=looks, text_indents=_text_indents(numeric))


def _text_indents(numbers: Collection[int]) -> dict[int, int]:
    """Return the indents of texts by column: on the right in a column of numbers, away from one on the left."""
    return {j + 1: 1 for j in numbers} | dict.fromkeys(numbers, -1)


def result_table_sheet(table: Table, name: str, title: str) -> OutputSheet:
    """Write a table that massprops made to a worksheet in the look of its own sheets."""
    numbers = {
        column: values
        for column in range(table.n_columns)
        if len(values := table.numbers([column], 1)[0].values) and np.isfinite(values).any()
    }
    sheet = table_sheet(table, name=name, numeric=set(numbers))
    heads = {column: table.text(0, column) for column in numbers}
    formats = {column: conventions.value_number_format(values) for column, values in numbers.items()}
    formats |= {column: "0.0%" for column, head in heads.items() if re.search(r"share|cumulative", head)}
    decimals = {
        column: np.concatenate([[-1], conventions.sigma_decimals(numbers[column])]).astype(np.int8)
        for column, head in heads.items()
        if head.startswith("σ")
    }
    return replace(
        sheet,
        number_formats={column: code for column, code in formats.items() if code},
        decimals=decimals,
        looks={(0, column): CellLook.NUMBER_HEADER for column in numbers},
        text_indents=_text_indents(numbers),
        own=True,
        page_header=(title[:LONGEST_TITLE], run_date()),
    )


def totals_sheet(rows: Sequence[tuple[str, float, float, float, str]], title: str) -> OutputSheet:
    """Write totals before and after to a worksheet, each row with six digits of its largest number."""
    sizes = np.array([[abs(one) for one in row[1:4]] for row in rows]).reshape(-1, 3)
    largest = np.nan_to_num(sizes).max(axis=1, initial=1e-9)
    digits = np.concatenate([[-1], np.clip(5 - np.floor(np.log10(largest)), 0, 9)]).astype(np.int8)
    return OutputSheet(
        "Totals",
        [["total", "before", "after", "change", "unit"], *rows],
        decimals=dict.fromkeys((1, 2, 3), digits),
        looks={(0, column): CellLook.NUMBER_HEADER for column in (1, 2, 3)},
        text_indents={4: 1},
        frozen_columns=1,
        autofilter=False,
        own=True,
        page_header=(title[:LONGEST_TITLE], run_date()),
    )


def _is_round_trip_text(text: str) -> bool:
    """Whether a text is blank, or a number in its shortest form."""
    if not text:
        return True
    number = read_number(text)
    return number is not None and text in (repr(number), repr(number).removesuffix(".0"))
