"""Very many touched records at once: fields as Arrow columns, numbers formatted and records joined by Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from massprops_cli.files.delimited import DelimitedTable, Raw
from massprops_cli.files.fill import Filling

_PART = 50_000


def touched_at_once(table: DelimitedTable, filling: Filling, rows: Any, raw: Raw) -> Iterator[bytes] | None:
    """Give the new texts of touched records; None where one of them has quotes, so that its fields need looking at."""
    body = memoryview(raw.body)
    starts, ends = raw.starts[rows].tolist(), raw.ends[rows].tolist()
    for begin in range(0, len(rows), _PART):
        part = b"\n".join(
            [bytes(body[a:b]) for a, b in zip(starts[begin : begin + _PART], ends[begin : begin + _PART], strict=True)]
        )
        if b'"' in part or b"\r" in part or len(table.source.delimiter.encode()) > 1:
            return None
        short = part.count(table.source.delimiter.encode()) != (table.n_columns - 1) * (part.count(b"\n") + 1)
        if short or part.count(b"\n") + 1 != min(_PART, len(rows) - begin):
            return None
    return _parts(table, filling, rows, body, starts, ends)


def _parts(
    table: DelimitedTable, filling: Filling, rows: Any, body: memoryview, starts: list[int], ends: list[int]
) -> Iterator[bytes]:
    for begin in range(0, len(rows), _PART):
        stop = min(len(rows), begin + _PART)
        block = b"\n".join([bytes(body[a:b]) for a, b in zip(starts[begin:stop], ends[begin:stop], strict=True)])
        yield from _joined(table, filling, rows[begin:stop], block)


def _joined(table: DelimitedTable, filling: Filling, rows: Any, block: bytes) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.compute as pc

    delimiter = table.source.delimiter
    columns = _fields(block, delimiter, table.n_columns)
    if len(columns[0]) != len(rows):
        raise AssertionError("records and rows differ")
    for fill in filling.fills:
        begin, stop = np.searchsorted(fill.rows, [rows[0], rows[-1] + 1])
        if begin == stop:
            continue
        values = fill.values[begin:stop]
        if isinstance(values, np.ndarray):
            new = number_texts(values)
        else:
            new = pa.array([_quoted(text, delimiter) for text in values], pa.string())
        if stop - begin == len(rows):
            columns[fill.column] = new
        else:
            mask = np.zeros(len(rows), bool)
            mask[np.searchsorted(rows, fill.rows[begin:stop])] = True
            columns[fill.column] = pc.replace_with_mask(columns[fill.column], pa.array(mask), new)
    for column, name in filling.renames.items():
        if rows[0] <= filling.header_row <= rows[-1]:
            mask = np.asarray(rows == filling.header_row)
            columns[column] = pc.replace_with_mask(
                columns[column], pa.array(mask), pa.array([_quoted(name, delimiter)])
            )
    joined = pc.binary_join_element_wise(*columns, delimiter)
    yield from joined.cast(pa.binary()).to_pylist()


def number_texts(values: Any) -> Any:
    """Give numbers ``(k,)`` as an Arrow array of the shortest texts that read back the same; NaN is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.fill_null(pa.array(values, pa.float64(), from_pandas=True).cast(pa.string()), "")
    return pc.replace_substring_regex(texts, r"\.0$", "")


def _fields(block: bytes, delimiter: str, width: int) -> list[Any]:
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{j}" for j in range(width)]
    table = csv.read_csv(
        pa.BufferReader(block),
        read_options=csv.ReadOptions(column_names=names, block_size=max(len(block) + 1, 2**16), use_threads=True),
        parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
    )
    return [column.combine_chunks() for column in table.columns]


def _quoted(text: str, delimiter: str) -> str:
    from massprops_cli.files.delimited_write import quoted

    return quoted(text, delimiter).decode()
