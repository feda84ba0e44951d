"""Columns of Arrow: Parquet and Feather, typed as they are, and the positions of texts of one column in another."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import table as file_table
from massprops_cli.files.options import FileOptions, ReadCaps, cap_error
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_NARROW_FLOATS = {"halffloat": np.float16, "float": np.float32}
"""Types of fewer digits than double precision, by their names in Arrow."""
_ROWS_PER_WRITE = 4_096
_Mask = NDArray[np.bool_]
_LONG_WHOLE = 1e10  # from which on Arrow writes whole numbers otherwise
_SHORT_EXPONENTS = 1.1e-6  # Arrow writes an exponent of one digit only below this
_COMMA_CHARACTERS = b"0123456789,+-eE"


class _ArrowTable:
    """Columns of an Arrow table below a header row of their names."""

    def __init__(self, source: file_table.TableSource, content: Any) -> None:
        self.source, self.content = source, content
        self.sheet_info: file_table.SheetInfo | None = None
        self.n_rows, self.n_columns = content.num_rows + 1, content.num_columns
        self.names: list[str] = content.column_names
        self._texts: dict[int, list[str]] = {}

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        return [self.text(i, j) for j in range(self.n_columns)]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        return self.names[j] if i == 0 else _arrow_value_text(_own_precision(self.content.column(j)[i - 1 : i])[0])

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        if j not in self._texts:
            values = _own_precision(self.content.column(j))
            self._texts[j] = [self.names[j], *(v if type(v) is str else _arrow_value_text(v) for v in values)]
        return self._texts[j][start:]

    def own_texts(self, j: int, start: int) -> Any:
        """Return the texts of a column of texts or doubles from a row of data on as Arrow's; None for other columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self.content.column(j)[start - 1 :].combine_chunks()
        if not start or column.type not in (pa.string(), pa.float64()):
            return None
        if column.type == pa.string():
            return column.fill_null("")
        is_plain = not pc.any(pc.is_nan(column)).as_py()  # which is written as such, unlike nothing
        return arrow_number_texts(numpy_values(column.fill_null(np.nan), np.float64)) if is_plain else None

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[file_table.ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; texts are left open."""
        return [self.one_column(j, start) for j in columns]

    def one_column(self, j: int, start: int) -> file_table.ColumnNumbers:
        """Read one column as numbers."""
        column = self.content.column(j)
        n = self.n_rows - 1
        null = numpy_values(column.is_null(), bool)
        values = np.full(n, np.nan)
        if self.is_number(j):
            known = column.drop_null()
            is_narrow = str(column.type) in _NARROW_FLOATS
            values[~null] = (
                _own_precision(known) if is_narrow else numpy_values(known.cast("float64", safe=False), float)
            )
        states = np.where(
            np.isfinite(values), file_table.NUMBER, np.where(null, file_table.BLANK, file_table.TEXT)
        ).astype(np.uint8)
        values[~np.isfinite(values)] = np.nan
        values, states = np.append(np.nan, values), np.append(np.uint8(file_table.TEXT), states)
        return file_table.ColumnNumbers(values[start:], states[start:])

    def is_number(self, j: int) -> bool:
        """Return whether a column is of a numeric type that double precision holds."""
        import pyarrow.types as kinds

        kind = self.content.column(j).type
        return bool(kinds.is_floating(kind) or kinds.is_integer(kind))

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers: (n_rows - start,); the header is none."""
        typed = np.full(self.n_rows, self.is_number(j))
        typed[:1] = False
        return typed[start:]

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the record's number, the first below the names being 1."""
        return Place(self.source.name, row=max(i, 1), column=column)


def _own_precision(column: Any) -> list[Any]:
    """Return the values of a column as Python's; narrow floats as the double of their shortest digits: 0.1."""
    narrow = _NARROW_FLOATS.get(str(column.type))
    values: list[Any] = column.to_pylist()
    return values if narrow is None else [value if value is None else float(str(narrow(value))) for value in values]


def _arrow_value_text(value: Any) -> str:
    """Write a value: shortest numbers, ISO dates, true and false."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return "NaN" if isinstance(value, float) and math.isnan(value) else file_table.typed_value_text(value)


def read_arrow(name: str, data: bytes, format: str, options: FileOptions, findings: Findings) -> _ArrowTable:
    """Read a Parquet or Feather file."""
    import pyarrow as pa
    import pyarrow.types as kinds

    try:
        if format == "parquet":
            content = _read_parquet(name, data, options.caps)
        else:
            content = _read_feather(name, data, options.caps)
        content.validate(full=True)
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, MemoryError) as error:
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")[:200]
        raise TableError([rule_finding("MP104", f"{format} file is corrupt: {reason}", Place(name))]) from None
    _check_cells(name, content.num_rows, content.num_columns, options.caps)
    _check_characters(name, content, options.caps)
    if not content.num_rows or not content.num_columns:
        raise TableError([rule_finding("MP111", "table has no rows of data", Place(name))])
    nested = [
        rule_finding(
            "MP127", f"column {field.name} contains lists or objects in place of values", Place(name, column=field.name)
        )
        for field in content.schema
        if kinds.is_nested(field.type)
    ]
    if nested:
        raise TableError(nested)
    return _ArrowTable(file_table.TableSource(name, format), content)


def _read_parquet(name: str, data: bytes, caps: ReadCaps) -> Any:
    """Read a Parquet file whose metadata is within the limits; texts that repeat remain coded."""
    import pyarrow as pa
    from pyarrow import parquet

    seen = parquet.ParquetFile(pa.BufferReader(data))
    rows, groups = seen.metadata.num_rows, range(seen.metadata.num_row_groups)
    _check_cells(name, rows, seen.metadata.num_columns, caps)
    if (size := sum(seen.metadata.row_group(group).total_byte_size for group in groups)) > caps.inflated:
        raise cap_error(name, f"uncompressed size is {size:,} bytes", "inflated", caps.inflated, needed=size)
    texts = [field.name for field in seen.schema_arrow if pa.types.is_string(field.type)]
    # one text may be the value of every row: decoded only after it is counted
    is_repeated = size * rows > caps.characters and size < rows * len(texts) * caps.cell_characters
    # its own table of columns; read_table would import pandas
    return (parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts) if is_repeated else seen).read()


def _read_feather(name: str, data: bytes, caps: ReadCaps) -> Any:
    """Read a Feather file batch by batch, up to the limit of cells."""
    import pyarrow as pa
    from pyarrow import feather

    if data[:4] == b"FEA1":
        return feather.read_table(pa.BufferReader(data))
    reader = pa.ipc.open_file(pa.BufferReader(data))
    batches, rows = [], 0
    for k in range(reader.num_record_batches):
        batches.append(reader.get_batch(k))
        rows += batches[-1].num_rows
        _check_cells(name, rows, len(reader.schema), caps)
    return pa.Table.from_batches(batches, reader.schema)


def _check_cells(name: str, rows: int, columns: int, caps: ReadCaps) -> None:
    """Reject a table with too many cells."""
    if rows * columns > caps.cells:
        raise cap_error(name, f"file has more than {caps.cells:,} cells", "cells", caps.cells, needed=rows * columns)


def _check_characters(name: str, content: Any, caps: ReadCaps) -> None:
    """Count the characters of texts that a dictionary states once."""
    import pyarrow as pa

    total = 0
    for column in content.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            if pa.types.is_string(chunk.type.value_type) or pa.types.is_large_string(chunk.type.value_type):
                lengths = np.array([len(text or "") for text in chunk.dictionary.to_pylist()] or [0], np.int64)
                total += int(lengths[np.asarray(chunk.indices.fill_null(0), np.int64)].sum())
    if total > caps.characters:
        raise cap_error(name, f"cells have {total:,} characters", "characters", caps.characters, needed=total)


def edited_columns(table: file_table.Table, filling: file_table.TableEdit) -> Iterator[Any]:
    """Yield the texts of each column of an edited table below its header as an Arrow column, blank where unknown."""
    if isinstance(table, file_table.PrefetchTable):
        table.read_ahead(range(table.n_columns), [])
    return (edited_column(table, filling, j) for j in range(table.n_columns + len(filling.added)))


def edited_column(table: file_table.Table, filling: file_table.TableEdit, column: int) -> Any:
    """Return the texts of one column of an edited table below its header."""
    import pyarrow as pa
    import pyarrow.compute as pc

    start = filling.header_row + 1
    held = table.own_texts(column, start) if isinstance(table, _ArrowTable) and column < table.n_columns else None
    if held is not None:
        cells = held
    elif column < table.n_columns:
        texts = table.texts(column, start)
        cells = texts.column if hasattr(texts, "column") else arrow_text_array([text.encode() for text in texts])
    else:
        cells = pa.repeat(arrow_text(""), table.n_rows - start)
    for fill in filling.columns(table.n_columns) if len(cells) else ():
        if fill.column == column:
            first, mask = int(np.searchsorted(fill.rows, start)), np.zeros(len(cells), bool)
            mask[fill.rows[first:] - start] = True
            values = fill.values[first:]
            if isinstance(values, np.ndarray):
                texts = arrow_number_texts(values)
            else:
                texts = arrow_text_array([text.encode() for text in values])
            cells = pc.replace_with_mask(cells, arrow_mask_array(mask), texts)
    return cells


def converted_texts(texts: Any, pattern: str, convert: Callable[[str], str]) -> Any:
    """Return Arrow texts of which those that match a pattern (RE2) are converted one by one."""
    import pyarrow.compute as pc

    mask = pc.match_substring_regex(texts, pattern)
    if not pc.any(mask).as_py():
        return texts
    new = arrow_text_array([convert(text).encode() for text in texts.filter(mask).to_pylist()])
    return pc.replace_with_mask(texts, mask, new)


def write_text_rows(out: BinaryIO, pieces: Sequence[Any], between: str = "") -> None:
    """Write rows, each of the texts of Arrow columns (n,) and of texts that all have, with a text between the rows."""
    skipped, count = len(between), next(len(piece) for piece in pieces if not isinstance(piece, str))
    for k in range(0, count, _ROWS_PER_WRITE):
        parts = [piece if isinstance(piece, str) else piece[k : k + _ROWS_PER_WRITE] for piece in pieces]
        joined = joined_texts(between, *parts)
        for rows in getattr(joined, "chunks", [joined]):
            at, data = text_offsets(rows)
            out.write(data[int(at[0]) + skipped : int(at[-1])])
            skipped = 0


def _arrow_float_array(values: NDArray[np.float64], unknown: _Mask | None = None) -> Any:
    """Return numbers ``(n,)`` as an Arrow array of float64, null where ``unknown``."""
    import pyarrow as pa

    valid = None if unknown is None else _packed_bits(~unknown)
    held = np.ascontiguousarray(values, np.float64)
    return pa.Array.from_buffers(pa.float64(), len(held), [valid, pa.py_buffer(held)])


def arrow_number_texts(values: NDArray[np.float64]) -> Any:
    """Return the texts of ``shortest_number_text`` as an Arrow array: numbers (k,), NaN → empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if (unknown := np.isnan(values)).any():
        texts = _arrow_float_array(values, unknown).cast(pa.string())
        _, offsets, data = texts.buffers()  # without the mask of nulls these are empty texts
        texts = pa.Array.from_buffers(pa.string(), len(texts), [None, offsets, data], offset=texts.offset)
    else:
        texts = _arrow_float_array(values).cast(pa.string())
    size = np.abs(values)
    # Arrow ends whole numbers with .0, and does not pad exponents
    if (whole := (values == np.rint(values)) & (size < _LONG_WHOLE)).any():
        integers = arrow_positions(values[whole]).cast(pa.string())
        texts = pc.replace_with_mask(texts, arrow_mask_array(whole), integers)
    if ((size > 0) & (size < _SHORT_EXPONENTS)).any():
        texts = pc.replace_substring_regex(texts, r"e-(\d)$", r"e-0\1")
    # and where one of Arrow and Python takes an exponent and the other does not, it is Python's text
    other = ((size >= _LONG_WHOLE) & (size < 1e16)) | ((size >= 9e-7) & (size < 1.1e-4))
    other |= (size == 0) & np.signbit(values)
    if not other.any():
        return texts
    return pc.replace_with_mask(
        texts,
        arrow_mask_array(other),
        arrow_text_array([file_table.shortest_number_text(one).encode() for one in values[other].tolist()]),
    )


def arrow_mask_array(mask: _Mask) -> Any:
    """Return truth values (n,) as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, _packed_bits(mask)])


def arrow_positions(positions: NDArray[np.number]) -> Any:
    """Return whole numbers (k,) as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(positions), [None, pa.py_buffer(positions.astype(np.int64))])


def _packed_bits(mask: _Mask) -> Any:
    """Pack truth values as Arrow does, the first in the lowest bit."""
    import pyarrow as pa

    return pa.py_buffer(np.packbits(mask, bitorder="little"))


def arrow_text_array(texts: Sequence[bytes]) -> Any:
    """Return UTF-8 texts as an Arrow array."""
    import pyarrow as pa

    offsets = pa.py_buffer(np.cumsum([0, *map(len, texts)]).astype(np.int32))
    return pa.Array.from_buffers(pa.string(), len(texts), [None, offsets, pa.py_buffer(b"".join(texts))])


def arrow_text(text: str) -> Any:
    """Return a text as an Arrow value; PyArrow's own conversion would import pandas."""
    return arrow_text_array([text.encode()])[0]


def joined_texts(*pieces: Any) -> Any:
    """Join Arrow columns (n,) of texts and texts that all rows have, row by row."""
    import pyarrow.compute as pc

    parts = [arrow_text(piece) if isinstance(piece, str) else piece for piece in (*pieces, "")]
    return pc.binary_join_element_wise(*parts)


def numpy_values(column: Any, kind: Any) -> NDArray[Any]:
    """Return an Arrow column (n,) without nulls as NumPy's; PyArrow's own conversion would import pandas."""
    array = column.combine_chunks() if hasattr(column, "chunks") else column
    if not (n := len(array)):
        return np.zeros(0, kind)
    if kind is bool:
        held = np.frombuffer(array.buffers()[1], np.uint8)
        return np.unpackbits(held, bitorder="little", count=array.offset + n)[array.offset :].astype(bool)
    return np.frombuffer(array.buffers()[1], kind, array.offset + n)[array.offset :]


def put_arrow_floats(column: Any, values: NDArray[np.float64], null: _Mask) -> None:
    """Copy a column of float64 into values (n,), undefined where null, and set null (n,), given False, to True."""
    at = 0
    for chunk in column.chunks:
        n, first = len(chunk), chunk.offset
        valid, data = chunk.buffers()
        if n:
            values[at : at + n] = np.frombuffer(data, np.float64, n, 8 * first)
        if chunk.null_count:
            held = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little", count=first + n)
            np.equal(held[first:], 0, out=null[at : at + n])
        at += n


def text_offsets(texts: Any) -> tuple[NDArray[np.int64], Any]:
    """Return an Arrow array of n texts as offsets (n + 1,) and UTF-8 bytes: text i is ``data[at[i]:at[i + 1]]``."""
    _, offsets, data = texts.buffers()
    at = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    return at.astype(np.int64), memoryview(data) if data else b""


def read_comma_numbers(texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """Read an Arrow column (n,) of whole numbers and of such with one comma: numbers, NaN if blank, and commas (n,)."""
    import pyarrow as pa

    if (column := getattr(texts, "column", None)) is None or not 0 < column.nbytes < _MOST_BYTES:
        return None
    at, held = text_offsets(column.combine_chunks())
    data = bytes(held[at[0] : at[-1]])
    if data.translate(None, _COMMA_CHARACTERS):
        return None
    at, blank = at - at[0], np.diff(at) == 0
    points = pa.py_buffer(data.translate(bytes.maketrans(b",", b".")))
    values, filled = np.full(len(blank), np.nan), np.append(at[:-1][~blank], at[-1]).astype(np.int32)
    cells = pa.Array.from_buffers(pa.string(), len(filled) - 1, [None, pa.py_buffer(filled), points])
    try:
        values[~blank] = numpy_values(cells.cast(pa.float64()), np.float64)
    except pa.ArrowInvalid:
        return None
    commas = np.zeros(len(blank), bool)
    commas[np.searchsorted(at, np.flatnonzero(np.frombuffer(data, np.uint8) == ord(",")), "right") - 1] = True
    return values, commas


_LONGEST_TEXT = 64  # bytes of a text that is matched here
_MOST_BYTES = 2**31 - 1  # Arrow's offsets of texts have 32 bits
_BLANK, _NUMBER_SIGN = 32, 35
_WORD_MASKS = np.array([(1 << 8 * k) - 1 for k in range(9)], np.uint64)
"""The first k bytes of a word of eight, in little-endian order."""
_FACTORS = tuple(np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""Odd factors of the generator SplitMix64, which spread the bits of a word. [Steele, Lea, Flood 2014]"""

_Texts = tuple[NDArray[np.int64], NDArray[np.uint8]]  # offsets ``(n + 1,)`` and bytes of texts
_Words = NDArray[np.uint64]


def match_texts(names: Sequence[str], texts: Sequence[str]) -> NDArray[np.int32] | None:
    """Return the position of each name (n,) in different texts (m,), −1 if blank; None if Arrow cannot decide."""
    columns = [getattr(column, "column", None) for column in (texts, names)]
    if sys.byteorder != "little" or any(column is None or column.nbytes > _MOST_BYTES for column in columns):
        return None
    known, named = (_plain_texts(column, may_be_blank=k == 1) for k, column in enumerate(columns))
    if known is None or named is None or (most := np.diff(known[0]).max()) < np.diff(named[0]).max():
        return None
    # texts are words of eight bytes: their hash is sorted and searched, then the words are compared
    count = -(-int(most) // 8)
    known_words, named_words = _text_words(known, count), _text_words(named, count)
    if (positions := hash_positions(_hashes(named, named_words), _hashes(known, known_words))) is None:
        return None
    blank = np.diff(named[0]) == 0
    positions[blank] = -1
    if (positions[~blank] < 0).any():
        return None
    # a hash may be that of another text: the words decide
    for one, other in zip(known_words, named_words, strict=True):
        if ((one.take(positions, mode="wrap") != other) & ~blank).any():
            return None
    return positions


def text_hashes(column: Any, *, may_be_blank: bool) -> _Words | None:
    """Return hashes (n,) of an Arrow column's texts, the same in any column, 0 if blank; None as of ``match_texts``."""
    if (texts := _plain_texts(column, may_be_blank=may_be_blank)) is None:
        return None
    return np.where(np.diff(texts[0]) == 0, np.uint64(0), _hashes(texts, _text_words(texts, _LONGEST_TEXT // 8)))


def _plain_texts(column: Any, *, may_be_blank: bool) -> _Texts | None:
    """Return offsets and bytes of texts that need no trimming and resemble no other; None if some may."""
    offsets, held = text_offsets(column.combine_chunks())
    data = np.frombuffer(held, np.uint8)[: offsets[-1]]
    sizes = np.diff(offsets)
    if not len(data) or sizes.max() > _LONGEST_TEXT or (not may_be_blank and not sizes.min()):
        return None
    if int(data.view(np.int8).min()) < 0:
        return None
    first, last = data[np.minimum(offsets[:-1], len(data) - 1)], data[np.maximum(offsets[1:] - 1, 0)]
    # a text that begins with # may be the error of a spreadsheet
    odd = (first <= _BLANK) | (last <= _BLANK) | (first == _NUMBER_SIGN)
    return None if (odd & (sizes > 0)).any() else (offsets, data)


def _text_words(texts: _Texts, count: int) -> list[_Words]:
    """Return the bytes of texts ``(n,)`` as ``count`` words each, with zeros behind their ends."""
    offsets, data = texts
    data = np.concatenate([data, np.zeros(16, np.uint8)])
    word_at = np.lib.stride_tricks.as_strided(data[:8].view(np.uint64), (len(data) - 7,), (1,))
    begins, sizes = offsets[:-1], np.diff(offsets)
    return [
        word_at[np.minimum(begins + at, len(word_at) - 1)] & _WORD_MASKS[np.clip(sizes - at, 0, 8)]
        for at in range(0, 8 * count, 8)
    ]


def _hashes(texts: _Texts, words: list[_Words]) -> _Words:
    """Return hashes (n,) of texts from their lengths and words."""
    result: _Words = np.diff(texts[0]).astype(np.uint64) * _FACTORS[0]
    for word in words:
        result = (result ^ word) * _FACTORS[1]
        result ^= result >> np.uint64(29)
    result *= _FACTORS[2]
    result ^= result >> np.uint64(32)
    return result


def hash_positions(sought: _Words, among: _Words) -> NDArray[np.int32] | None:
    """Find the position of each hash ``(n,)`` among others; −1 if it is not there, None if two of those are equal."""
    order = np.argsort(among)
    ordered = among[order]
    if (ordered[1:] == ordered[:-1]).any():
        return None
    ascending = np.argsort(sought)
    sought = sought[ascending]
    # equal ones stand together; one of each is searched for, in ascending order
    first = np.flatnonzero(np.concatenate([[True], sought[1:] != sought[:-1]]))
    at = np.minimum(np.searchsorted(ordered, sought[first]), len(ordered) - 1)
    found = np.where(ordered[at] == sought[first], order[at], -1).astype(np.int32)
    positions = np.empty(len(sought), np.int32)
    positions[ascending] = np.repeat(found, np.diff(np.append(first, len(sought))))
    return positions
