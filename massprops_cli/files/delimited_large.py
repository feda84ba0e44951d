"""Large delimited files: the bytes stay where they are, PyArrow reads the columns that are asked for, on all cores.

Only plain files are taken here: every record as wide as the first, quotes only around whole fields. All others go to
the reader for small files, which says what is wrong, so the two can never differ in their findings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.arrow import floats_of, positions_of
from massprops_cli.files.delimited_records import DelimitedTable, Raw, lines_of
from massprops_cli.files.encoding import bared
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import BLANK, NUMBER, TEXT, Numbers, Source
from massprops_cli.findings import Place

_STEP = 2**24
_PARSED = 2**21
"""Bytes that PyArrow parses in one go."""


class FastTable(DelimitedTable):
    """A table whose cells are parsed when they are asked for; ``spans`` tells that some stand on several lines."""

    def __init__(
        self, source: Source, raw: Raw, lines: NDArray[np.int64], width: int, *, guards: bool, spans: bool
    ) -> None:
        super().__init__(source, [], [], lambda: raw)
        self.bytes, self.n_rows, self.n_columns = raw, len(raw.ends), width
        self.lines = lines  # type: ignore[assignment] # an array serves as the sequence
        self.guards = guards
        self.spans = spans
        self._columns: dict[int, Any] = {}
        self._numbers: dict[int, Any] = {}

    def row(self, i: int) -> list[str]:
        """Give the texts of row ``i``."""
        record = bytes(memoryview(self.bytes.body)[self.bytes.starts[i] : self.bytes.ends[i]]).decode()
        fields = next(csv.reader(io.StringIO(record, newline=""), delimiter=self.source.delimiter))
        return [bared(field) for field in fields]

    def text(self, i: int, j: int) -> str:
        """Give the text of one cell."""
        if j in self._columns and i > 0:
            return bared(self._columns[j][i - 1].as_py())
        return self.row(i)[j]

    def value(self, i: int, j: int) -> str:
        """Give one cell's value, which is its text."""
        return self.text(i, j)

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Give the texts of column ``j`` from row ``start`` on."""
        if j not in self._columns:
            self._columns[j] = self.parsed([j], ["string"])[0]
        if start and not self.guards:
            return ArrowTexts(self._columns[j][start - 1 :])
        below = self._columns[j][max(start - 1, 0) :].to_pylist()
        texts = below if start else [self.text(0, j), *below]
        return [bared(text) for text in texts] if self.guards else texts

    def read_ahead(self, texts: Sequence[int], numbers: Sequence[int]) -> None:
        """Read columns that will be asked for in one go; what cannot be read so is read when asked for."""
        import pyarrow as pa

        numbers = [j for j in numbers if j not in texts]
        try:
            read = self.parsed([*texts, *numbers], ["string"] * len(texts) + ["double"] * len(numbers))
        except pa.ArrowInvalid:
            return
        self.bytes.let_go()
        self._columns.update(zip(texts, read, strict=False))
        self._numbers = dict(zip(numbers, read[len(texts) :], strict=True))

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[Numbers]:
        """Read columns as numbers from row ``start`` on, all in one go where PyArrow takes every cell."""
        import pyarrow as pa

        if start == 0 or not columns:
            return [self.left_open(j, start) for j in columns]
        try:
            ahead = all(j in self._numbers for j in columns)
            read = [self._numbers.pop(j) for j in columns] if ahead else self.parsed(columns, ["double"] * len(columns))
        except pa.ArrowInvalid:
            return [self.one_column(j, start) for j in columns]
        result = []
        for j in range(len(columns)):
            result.append(self.settled(read[j], start))
            read[j] = None
        pa.default_memory_pool().release_unused()
        return result

    def one_column(self, j: int, start: int) -> Numbers:
        """Read one column by itself; left open as text where PyArrow refuses a cell."""
        import pyarrow as pa

        try:
            return self.settled(self.parsed([j], ["double"])[0], start)
        except pa.ArrowInvalid:
            return self.left_open(j, start)

    def settled(self, column: Any, start: int) -> Numbers:
        """Tell numbers from blanks; what is not finite, or may be an underflow, is left open."""
        values, null = floats_of(column)
        values = values[start - 1 :]
        states = np.zeros(len(values), np.uint8)
        if null is not None:
            values[null[start - 1 :]] = np.nan
        bad = ~np.isfinite(values)
        if bad.any():
            states[bad], values[bad] = TEXT, np.nan
        if null is not None:
            states[null[start - 1 :]] = BLANK
        zero = values == 0.0
        if zero.any() and self.may_underflow():
            states[zero], values[zero] = TEXT, np.nan
        assert NUMBER == 0
        return Numbers(values, states)

    def may_underflow(self) -> bool:
        """Tell whether some number may be too small for double precision: by its exponent or its many zeros."""
        if not hasattr(self, "_underflow"):
            self._underflow = has_long_exponents(self.bytes.body)
        return self._underflow

    def left_open(self, j: int, start: int) -> Numbers:
        """Leave a column to be read as text."""
        texts = self.texts(j, start)
        states = np.fromiter((BLANK if text == "" else TEXT for text in texts), np.uint8, len(texts))
        return Numbers(np.full(len(texts), np.nan), states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Tell that no cell of a text file is typed."""
        return np.zeros(self.n_rows - start, bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the line of a row, and a field's number in it."""
        position = None if j is None else j + 1
        return Place(self.source.name, row=i + 1, column=column, line=int(self.lines[i]), position=position)

    def parsed(self, columns: Sequence[int], kinds: Sequence[str]) -> list[Any]:
        """Parse some columns of all rows below the first with PyArrow, each as ``string`` or ``double``."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        names = [f"f{j}" for j in range(self.n_columns)]
        types = {"string": pa.string(), "double": pa.float64()}
        asked = {names[j]: types[kind] for j, kind in zip(columns, kinds, strict=True)}
        body = memoryview(self.bytes.body)[self.bytes.starts[1] :]
        content = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=_PARSED),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self.source.delimiter, ignore_empty_lines=True, newlines_in_values=self.spans
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=asked,
                include_columns=list(asked),
                null_values=[""],
                strings_can_be_null=False,
                quoted_strings_can_be_null=True,
            ),
        )
        if content.num_rows != self.n_rows - 1:
            raise pa.ArrowInvalid("records and rows differ")
        return [content.column(f"f{j}") for j in columns]


class ArrowTexts(Sequence[str]):
    """A column's texts ``(n,)`` as Arrow holds them; they become Python's when they are gone through, and no sooner."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self._list: list[str] | None = None
        self._found: dict[str, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, i: Any) -> Any:
        if self._list is None and isinstance(i, int):
            return self.column[i].as_py()
        return self.whole()[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __contains__(self, value: Any) -> bool:
        return bool(len(self.positions(value)))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Give the first place of a text, for all calls with one text in one search."""
        positions = self.positions(value)
        k = int(np.searchsorted(positions, start))
        if k == len(positions) or (stop is not None and positions[k] >= stop):
            raise ValueError(f"{value!r} is not in the column")
        return int(positions[k])

    def positions(self, value: Any) -> NDArray[np.int64]:
        """Give all places of a text ``(k,)``, ascending."""
        if value not in self._found:
            self._found[value] = positions_of(value, self.column)
        return self._found[value]

    def whole(self) -> list[str]:
        """Give all of them."""
        if self._list is None:
            self._list = self.column.to_pylist()
        return self._list

    def coded(self) -> tuple[list[str], NDArray[np.int32]]:
        """Give the distinct texts, and the number among them of every text ``(n,)``."""
        both = self.column.combine_chunks().dictionary_encode()
        return both.dictionary.to_pylist(), np.frombuffer(both.indices.buffers()[1], np.int32, len(both))


def read_fast(source: Source, body: bytes | memoryview, options: FileOptions) -> FastTable | None:
    """Find the records of a large plain file; None where it is to be read by the reader for small files."""
    delimiter = source.delimiter.encode()
    if len(delimiter) != 1 or source.newline == "\r":
        return None
    lines = lines_of(body, delimiter[0])
    if lines is None:
        return None
    filled = lines.ends > lines.starts
    width = int(lines.marks[0])
    if not width or not filled[0] or (lines.marks[filled] != width).any():
        return None
    if (lines.ends - lines.starts).max() > options.caps.text_cell_characters:
        return None
    kept = np.flatnonzero(filled)
    if len(kept) < 2:
        return None
    # a record's line is its number, and as many more as breaks stand within quotes before it
    numbers = kept + 1
    spans = bool(lines.breaks.any())
    if spans:
        numbers = numbers + (np.cumsum(lines.breaks) - lines.breaks)[kept]
    starts, ends = (lines.starts, lines.ends) if len(kept) == len(filled) else (lines.starts[kept], lines.ends[kept])
    raw = Raw(body, np.append(starts, len(body)), ends)
    return FastTable(source, raw, numbers, width + 1, guards=has_guards(body), spans=spans)


def has_guards(body: bytes | memoryview) -> bool:
    """Tell whether some cell may begin with an apostrophe that guards a formula."""
    for begin in range(0, len(body), _STEP):
        block = bytes(body[begin : begin + _STEP + 1])
        if b"'" in block and any(b"'" + c in block for c in (b"=", b"@", b"\t", b"\r", b"+", b"-")):
            return True
    return False


def has_long_exponents(body: bytes | memoryview) -> bool:
    """Tell whether the text holds ``e-`` before three digits, or 200 zeros in a row."""
    for begin in range(0, len(body), _STEP):
        block = np.frombuffer(bytes(body[begin : begin + _STEP + 250]), np.uint8)
        at = np.flatnonzero((block[:-4] | 32) == 101) if len(block) > 4 else np.zeros(0, np.intp)
        at = at[block[at + 1] == 45]
        digits = [(block[at + k] >= 48) & (block[at + k] <= 57) for k in (2, 3, 4)]
        if (digits[0] & digits[1] & digits[2]).any() or b"0" * 200 in block.tobytes():
            return True
    return False
