"""Columns that ``--map`` computes from others, of numbers or of the pieces that names state.

    --map qty='Qty/set * Sets'    --map mass='lb + oz'    --map mass='Weight per 100 / 100'    --map qty='count in Item'

A sum is in the unit of its first column; there a blank is 0 next to a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, NUMBER, ColumnNumbers, Table, shortest_number_text
from massprops_cli.tables.cells.cell_words import pieces_in_name
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import parse_column
from massprops_cli.tables.cells.units import MASS, unit_of_dimension
from massprops_cli.tables.columns.header import columns_by_name, columns_by_reference
from massprops_cli.tables.columns.headings import OPERATION_SIGNS, heading_unit
from massprops_cli.tables.columns.implied_columns import mass_unit_header
from massprops_cli.tables.columns.sigma_columns import WiderTable

_Floats = NDArray[np.float64]
_PIECES = "count in "
_SIGNIFICANT_DIGITS = 12  # of a computed number: beyond them is the rounding of binary fractions


def with_computed_columns(table: Table, header_row: int, mapping: Mapping[str, str]) -> Table:
    """Show the columns that a map computes to the right of the others."""
    texts, added = table.row(header_row), dict[str, _Floats]()
    for wanted in dict.fromkeys(mapping.values()):
        is_computed = wanted.startswith(_PIECES) or OPERATION_SIGNS.search(wanted) is not None
        if is_computed and not columns_by_name(wanted, texts) and (read := _computed(table, header_row, wanted)):
            added[read[0]] = read[1]
    return _ComputedColumns(table, header_row, added) if added else table


def _computed(table: Table, row: int, wanted: str) -> tuple[str, _Floats] | None:
    """Compute a column: its header with a unit, and its numbers (n_rows,); None where no such columns exist."""
    if wanted.startswith(_PIECES):
        columns = _columns(table, row, wanted.removeprefix(_PIECES))
        return (wanted, _pieces(table, row, columns[0])) if columns else None
    first, *rest = OPERATION_SIGNS.split(wanted)
    columns, values = _columns(table, row, first), _operand(table, row, first, "")
    if values is None or not columns:
        return None
    unit = _mass_unit(table.text(row, columns[0]))
    for sign, name in zip(rest[::2], rest[1::2], strict=True):
        other = _operand(table, row, name, unit if sign == "+" else "")
        if other is None:
            return None
        values = _combined(values, sign, other)
    return (f"{wanted} [{unit}]" if unit else wanted), values


def _combined(one: _Floats, sign: str, two: _Floats) -> _Floats:
    """Add, multiply or divide numbers; a blank is 0 in a sum with a number."""
    if sign == "+":
        return np.where(np.isnan(one) & np.isnan(two), np.nan, np.nan_to_num(one) + np.nan_to_num(two))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = one / two if sign == "/" else one * two
    return np.where(np.isfinite(result), result, np.nan)


def _mass_unit(header: str) -> str:
    """Return the unit of mass that a header states or is; empty for none."""
    bare = re.sub(r"\s*/\s*\d.*", "", header)  # kg/1000 pcs
    stated = mass_unit_header(bare)[0] or heading_unit(bare, "mass")
    return stated if unit_of_dimension(stated, MASS, common_only=True) is not None else ""


def _columns(table: Table, row: int, name: str) -> list[int]:
    """Find the column of an operand."""
    return columns_by_name(name, table.row(row)) or columns_by_reference(name, table)


def _operand(table: Table, row: int, name: str, unit: str) -> _Floats | None:
    """Read a column, in a unit of mass where both state one, or a number (n_rows,); None for neither."""
    columns = _columns(table, row, name)
    if not columns:
        number = read_number(name)
        return None if number is None else np.full(table.n_rows, number)
    values, first = np.full(table.n_rows, np.nan), row + 1
    values[first:] = parse_column(table, columns[0], table.numbers(columns[:1], first)[0], first).values
    stated = _mass_unit(table.text(row, columns[0]))
    own, wanted = (unit_of_dimension(text, MASS, common_only=True) for text in (stated, unit))
    return values * own.over(wanted) if own is not None and wanted is not None else values


def _pieces(table: Table, row: int, column: int) -> _Floats:
    """Read the numbers of pieces in names, 1 for none and NaN without a name (n_rows,)."""
    names = [text if i > row else "" for i, text in enumerate(table.texts(column))]
    return np.array([(pieces_in_name(name) or 1.0) if name.strip() else np.nan for name in names])


class _ComputedColumns(WiderTable):
    """A table with computed columns to the right of its own."""

    def __init__(self, table: Table, header_row: int, added: Mapping[str, _Floats]) -> None:
        super().__init__(table, header_row, list(added))
        self.values = {name: np.array([float(f"{x:.{_SIGNIFICANT_DIGITS}g}") for x in added[name]]) for name in added}

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on."""
        read = super().numbers(columns, start)
        for k, j in enumerate(columns):
            if j >= self.first:
                values = self.values[self.names[j - self.first]][start:]
                read[k] = ColumnNumbers(values, np.where(np.isnan(values), BLANK, NUMBER).astype(np.uint8))
        return read

    def _show(self, i: int, j: int, text: str) -> str:
        """Return the text of a computed column in a row."""
        name = self.names[j - self.first]
        value = float(self.values[name][i])
        return name if i == self.header_row else text if np.isnan(value) else shortest_number_text(value)
