"""Very many touched records at once: fields as Arrow columns, numbers formatted and records joined by Arrow, on all
cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.arrow_arrays import arrow_floats, arrow_mask, arrow_texts, offsets_of, repeated, without_nulls
from massprops_cli.files.fill import Filling, Values
from massprops_cli.files.filled import number_text
from massprops_cli.files.text.lines import cores, hide_delimiters, show_delimiters
from massprops_cli.files.text.raw import DelimitedTable, Raw
from massprops_cli.files.text.touched import Rows, Touched, are_apart, quoted, touched_one_by_one

_PART = 8_192
_SHORT_EXPONENTS = 1.1e-6
"""Arrow writes an exponent of one digit only below this."""


def touched_at_once(table: DelimitedTable, filling: Filling, rows: Rows, raw: Raw) -> Iterator[Touched]:
    """Give the new texts of touched records, part by part in order; the next parts are made meanwhile."""
    parts = [rows[begin : begin + _PART] for begin in range(0, len(rows), _PART)]
    with ThreadPoolExecutor(cores()) as pool:
        yield from in_order(pool, [partial(touched_part, table, filling, part, raw) for part in parts], cores() + 1)


def in_order(pool: ThreadPoolExecutor, tasks: Iterable[Any], ahead: int) -> Iterator[Any]:
    """Give the results of tasks in their order, with never more than ``ahead`` of them begun."""
    waiting: deque[Future[Any]] = deque()
    for task in tasks:
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
        waiting.append(pool.submit(task))
    while waiting:
        yield waiting.popleft().result()


def touched_part(table: DelimitedTable, filling: Filling, rows: Rows, raw: Raw) -> Touched:
    """Give the new texts of some touched records; those with quotes are gone through one by one."""
    newline = table.source.newline.encode()
    delimiter = table.source.delimiter.encode()
    block = records_of(raw, rows, newline)
    if len(delimiter) > 1 or (b"\r" in block and newline != b"\r\n"):
        return touched_one_by_one(table, filling, rows, raw)
    has_quotes = b'"' in block
    plain = hide_delimiters(block, delimiter[0]) if has_quotes else block
    columns = None if plain is None else fields_of(plain, table, len(rows))
    if columns is None:
        return touched_one_by_one(table, filling, rows, raw)
    touched = joined(table, filling, rows, columns, newline)
    return touched._replace(data=show_delimiters(touched.data, delimiter[0])) if has_quotes else touched


def records_of(raw: Raw, rows: Rows, newline: bytes) -> bytes:
    """Give the records as they stand, one after another; neighbours are taken together."""
    body = memoryview(raw.body)
    last = np.flatnonzero(are_apart(raw, rows, newline))
    first = np.append(0, last[:-1] + 1)
    starts, ends = raw.starts[rows[first]].tolist(), raw.ends[rows[last]].tolist()
    return b"\n".join([body[a:b] for a, b in zip(starts, ends, strict=True)])


def fields_of(block: bytes, table: DelimitedTable, count: int) -> list[Any] | None:
    """Split records into columns of texts as they stand, quotes and all; None where widths need a closer look."""
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{j}" for j in range(table.n_columns)]
    try:
        fields = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=names, block_size=max(len(block) + 1, 2**16), use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=table.source.delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [column.combine_chunks() for column in fields.columns] if fields.num_rows == count else None


def joined(table: DelimitedTable, filling: Filling, rows: Rows, columns: list[Any], newline: bytes) -> Touched:
    """Put the new values into columns of texts, and join them to records."""
    import pyarrow.compute as pc

    delimiter, n = table.source.delimiter, len(rows)
    header = np.array([filling.header_row])
    for column, name in filling.renames.items():
        columns[column] = put_in(columns[column], rows, header, [name], delimiter)
    for fill in filling.fills:
        columns[fill.column] = put_in(columns[fill.column], rows, fill.rows, fill.values, delimiter)
    for added in filling.added:
        named = put_in(repeated(b"", n), rows, header, [added.name], delimiter)
        columns.append(put_in(named, rows, added.rows, added.values, delimiter))
    columns[-1] = pc.binary_join_element_wise(columns[-1], repeated(newline, n), repeated(b"", n))
    offsets, data = offsets_of(pc.binary_join_element_wise(*columns, repeated(delimiter.encode(), n)))
    return Touched(rows, data, offsets)


def put_in(column: Any, rows: Rows, where: Rows, values: Values, delimiter: str) -> Any:
    """Put the values that belong to some of the ``rows (k,)`` into their column of texts."""
    import pyarrow.compute as pc

    begin, stop = np.searchsorted(where, [rows[0], rows[-1] + 1])
    if begin == stop:
        return column
    chosen = values[begin:stop]
    new = number_texts(chosen) if isinstance(chosen, np.ndarray) else quoted_texts(chosen, delimiter)
    if stop - begin == len(rows):
        return new
    mask = np.zeros(len(rows), bool)
    mask[np.searchsorted(rows, where[begin:stop])] = True
    return pc.replace_with_mask(column, arrow_mask(mask), new)


def number_texts(values: NDArray[np.float64]) -> Any:
    """Give numbers ``(k,)`` as an Arrow array of the texts that `number_text` gives them; NaN is empty.

    >>> number_texts(np.array([0.1, 5.0, np.nan, 2e-7, 3e10])).to_pylist()
    ['0.1', '5', '', '2e-07', '30000000000']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    unknown = np.isnan(values)
    if unknown.any():
        texts = without_nulls(arrow_floats(values, unknown).cast(pa.string()))
    else:
        texts = arrow_floats(values).cast(pa.string())
    size = np.abs(values)
    # Arrow ends whole numbers with .0, and does not pad exponents
    if (values == np.rint(values)).any():
        texts = pc.replace_substring_regex(texts, r"\.0$", "")
    if ((size > 0) & (size < _SHORT_EXPONENTS)).any():
        texts = pc.replace_substring_regex(texts, r"e-(\d)$", r"e-0\1")
    # and where one of Arrow and Python takes an exponent and the other does not, it is Python's text
    other = ((size >= 1e10) & (size < 1e16)) | ((size >= 9e-7) & (size < 1.1e-4))
    if not other.any():
        return texts
    return pc.replace_with_mask(texts, arrow_mask(other), arrow_texts(list(map(number_bytes, values[other].tolist()))))


def number_bytes(value: float) -> bytes:
    """Give the bytes of `number_text`."""
    return number_text(value).encode()


def quoted_texts(texts: Sequence[str], delimiter: str) -> Any:
    """Give texts ``(k,)`` as an Arrow array, in quotes where they need them; each distinct text is looked at once."""
    known = {text: quoted(text, delimiter) for text in set(texts)}
    return arrow_texts([known[text] for text in texts])
