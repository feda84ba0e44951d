"""Parquet and Feather, typed as they are: never through pandas."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.fill import Filling
from massprops_cli.files.filled import filled_texts, is_filled, number_text, unique_header
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import BLANK, NUMBER, TEXT, Numbers, SheetInfo, Source, Table
from massprops_cli.files.text.records_write import is_number_column
from massprops_cli.findings import Finding, Place, TableError, found


class ArrowTable:
    """Columns as Arrow holds them, below a header row of their names."""

    def __init__(self, source: Source, content: Any) -> None:
        self.source, self.content = source, content
        self.sheet_info: SheetInfo | None = None
        self.n_rows, self.n_columns = content.num_rows + 1, content.num_columns
        self.names: list[str] = content.column_names
        self._texts: dict[int, list[str]] = {}

    def row(self, i: int) -> list[str]:
        """Give the texts of row ``i``."""
        return [self.text(i, j) for j in range(self.n_columns)]

    def text(self, i: int, j: int) -> str:
        """Give the text of one cell."""
        return self.names[j] if i == 0 else text_of(self.content.column(j)[i - 1].as_py())

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Give the texts of column ``j`` from row ``start`` on."""
        if j not in self._texts:
            values = self.content.column(j).to_pylist()
            self._texts[j] = [self.names[j], *(v if type(v) is str else text_of(v) for v in values)]
        return self._texts[j][start:]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[Numbers]:
        """Read columns as numbers from row ``start`` on; texts are left open."""
        return [self.one_column(j, start) for j in columns]

    def one_column(self, j: int, start: int) -> Numbers:
        """Read one column as numbers."""
        column = self.content.column(j)
        n = self.n_rows - 1
        null = np.asarray(column.is_null())
        values = np.full(n, np.nan)
        if self.is_number(j):
            values[~null] = np.asarray(column.drop_null().cast("float64", safe=False), np.float64)
        states = np.where(np.isfinite(values), NUMBER, np.where(null, BLANK, TEXT)).astype(np.uint8)
        values[~np.isfinite(values)] = np.nan
        values, states = np.append(np.nan, values), np.append(np.uint8(TEXT), states)
        return Numbers(values[start:], states[start:])

    def is_number(self, j: int) -> bool:
        """Tell whether a column is of a numeric type that double precision holds."""
        import pyarrow.types as kinds

        kind = self.content.column(j).type
        return bool(kinds.is_floating(kind) or kinds.is_integer(kind))

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Tell which cells of column ``j`` are typed numbers."""
        typed = np.full(self.n_rows, self.is_number(j))
        typed[:1] = False
        return typed[start:]

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the record's number, the first below the names being 1."""
        return Place(self.source.name, row=max(i, 1), column=column)


def text_of(value: Any) -> str:
    """Give a value's text: shortest numbers, ISO dates, true and false."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else number_text(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def read_arrow(name: str, data: bytes, format: str, options: FileOptions) -> tuple[ArrowTable, list[Finding]]:
    """Read ``parquet`` or ``feather`` from bytes; raises TableError where they are damaged."""
    import pyarrow as pa
    import pyarrow.types as kinds
    from pyarrow import feather, parquet

    try:
        read = parquet.read_table if format == "parquet" else feather.read_table
        content = read(pa.BufferReader(data))
        content.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, MemoryError) as error:
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")[:200]
        raise TableError([found("MP104", f"the {format} file is damaged: {reason}", Place(name))]) from None
    if content.num_rows * content.num_columns > options.caps.cells:
        message = f"the file holds more than {options.caps.cells:,} cells"
        raise TableError([found("MP114", message, Place(name), remedy="raise the cap with --max-cells")])
    if not content.num_rows or not content.num_columns:
        raise TableError([found("MP111", "there is no row of data", Place(name))])
    findings = [
        found("MP127", f"{field.name} holds lists or objects where values belong", Place(name, column=field.name))
        for field in content.schema
        if kinds.is_nested(field.type)
    ]
    if findings:
        raise TableError(findings)
    return ArrowTable(Source(name, format), content), findings


def write_arrow(
    table: Table, filling: Filling, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write Parquet or Feather: float64 columns where every cell is a number that reads back the same, else texts."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    header = unique_header(table, filling, format)
    start = filling.header_row + 1
    arrays = []
    for j in range(len(header)):
        cells = filled_texts(table, filling, j, start)
        filled = is_filled(filling, j, table.n_columns) or (numeric is not None and j in numeric)
        wanted = j not in texts and (numeric is None or j in numeric)
        if wanted and is_number_column(cells, filled, same=True):
            arrays.append(pa.array([float(cell) if cell else None for cell in cells], pa.float64()))
        else:
            arrays.append(pa.array([cell or None for cell in cells], pa.string()))
    content = pa.table(arrays, names=header)
    sink = pa.PythonFile(out, "w")
    if format == "parquet":
        parquet.write_table(content, sink)
    else:
        feather.write_feather(content, sink)
    return []
