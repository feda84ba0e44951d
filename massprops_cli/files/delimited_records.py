"""Where the records of a large delimited file begin and end, found block by block on all cores.

A file is *plain* when every record has as many fields as the first, and quotes stand only around whole fields; a record
may span lines within quotes. Whatever is not plain is left to the reader for small files, which reports the findings
with it.

A delimited file's records unchanged, and the table that is read from them.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, TEXT, ColumnNumbers, GridTable, TableSource
from massprops_cli.findings import Place

_T = TypeVar("_T")


class RawRecords:
    """A file's records unchanged: record ``i`` is at ``starts[i]:ends[i]`` of the UTF-8 ``body``.

    What follows up to ``starts[i + 1]`` is its line break and blank lines.

    ``starts (n + 1,)``, ``ends (n,)`` byte offsets; ``starts[n]`` is the end of the body.
    """

    def __init__(self, body: bytes | memoryview, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        self.body, self.starts, self.ends = body, starts, ends

    def let_go(self) -> None:
        """Release the pages of a mapped file; later reads load them again."""
        mapped = self.body.obj if isinstance(self.body, memoryview) else None
        if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


class DelimitedTable(GridTable):
    """A table of texts with the first line of each row in the file."""

    def __init__(
        self, source: TableSource, rows: Sequence[Sequence[str]], lines: Sequence[int], raw: Callable[[], RawRecords]
    ) -> None:
        super().__init__(source, rows, lines=lines)
        self.lines: Sequence[int] = lines
        self._raw = raw
        self._columns: dict[int, Sequence[str]] = {}

    def raw(self) -> RawRecords:
        """Return the records of the file, unchanged.

        Returns
        -------
        RawRecords
            Bytes and offsets of the records.
        """
        return self._raw()

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on.

        Parameters
        ----------
        j : int
            Column, from 0.
        start : int, default 0
            First row.

        Returns
        -------
        sequence of str
            One text per row.
        """
        if j not in self._columns:  # every column is read for several questions
            try:
                self._columns[j] = [row[j] for row in self.rows]  # type: ignore[misc] # rows of texts only
            except IndexError:  # a short row, already reported
                self._columns[j] = super().texts(j)
        return self._columns[j][start:]

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Mark the blank cells of a column; the state of all others is TEXT.

        Parameters
        ----------
        j : int
            Column, from 0.
        start : int
            First row.

        Returns
        -------
        ColumnNumbers
            Numbers of the column.
        """
        texts = self.texts(j, start)
        states = np.where(np.fromiter(map(bool, texts), bool, len(texts)), TEXT, BLANK).astype(np.uint8)
        return ColumnNumbers(np.full(len(texts), np.nan), states)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row, and the number of a field in it.

        Parameters
        ----------
        i : int
            Row, from 0.
        j : int or None, optional
            Column, from 0; None for the row.
        column : str, optional
            Name of the column.

        Returns
        -------
        Place
            Address for findings.
        """
        position = None if j is None else j + 1
        return Place(self.source.name, row=i + 1, column=column, line=int(self.lines[i]), position=position)


_BLOCK = 2**20
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34
_HIDDEN_DELIMITER = 0xFF
"""A byte that is in no UTF-8 text."""

_Bytes = NDArray[np.uint8]
_Positions = NDArray[np.int64]


class _RecordSpans(NamedTuple):
    """Records of a file, blank lines included: ``starts (n,)``, ``ends (n,)`` without the break that ends them.

    ``marks (n,)`` are the delimiters in each, ``breaks (n,)`` the newlines within its quotes.
    """

    starts: _Positions
    ends: _Positions
    marks: _Positions
    breaks: _Positions


def record_spans(body: bytes | memoryview, delimiter: int) -> _RecordSpans | None:
    """Find all records of a plain file, blank lines included.

    Parameters
    ----------
    body : bytes or memoryview
        UTF-8 text.
    delimiter : int
        Code of the delimiter, one byte.

    Returns
    -------
    RecordSpans or None
        Offsets of the records; None if the file is not plain.

    Examples
    --------
    >>> record_spans(b'a,b\\n1,"2\\n,3"\\n', 44)
    _RecordSpans(starts=array([0, 4]), ends=array([ 3, 12]), marks=array([1, 1]), breaks=array([0, 1]))
    """
    whole = np.frombuffer(body, np.uint8)
    # the blocks of most files may be cut at any newline, which is the quicker to find
    return _record_spans_between(whole, delimiter, _block_bounds(whole)) or _record_spans_between(
        whole, delimiter, _record_block_bounds(whole)
    )


def _record_spans_between(whole: _Bytes, delimiter: int, bounds: list[int] | None) -> _RecordSpans | None:
    """Find all records of a file block by block; None if a block is not plain."""
    if bounds is None:
        return None
    parts = _map_in_threads(partial(_record_spans_of_block, whole, delimiter), bounds[:-1], bounds[1:])
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return _RecordSpans(*(np.concatenate([part[k] for part in known]) for k in range(4)))


def _map_in_threads(function: Callable[..., _T], *arguments: Sequence[Any]) -> list[_T]:
    """Call a function for each set of arguments, on all cores; one call needs no threads."""
    if len(arguments[0]) < 2:
        return list(map(function, *arguments))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(core_count()) as pool:
        return list(pool.map(function, *arguments))


def core_count() -> int:
    """Count the cores that this process may use.

    Returns
    -------
    int
        Number of cores.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _block_bounds(whole: _Bytes) -> list[int] | None:
    """Cut a file into blocks of complete lines; None if a line is longer than a block."""
    bounds = [0]
    while bounds[-1] + _BLOCK < len(whole):
        nominal = bounds[-1] + _BLOCK
        ahead = whole[nominal : nominal + _BLOCK] == _NEWLINE
        step = int(ahead.argmax())
        if not ahead[step]:
            return None
        bounds.append(nominal + step + 1)
    return [*bounds, len(whole)] if bounds[-1] < len(whole) else bounds


def _record_block_bounds(whole: _Bytes) -> list[int] | None:
    """Cut a file into blocks of complete records, at newlines after an even number of quotes."""
    nominal = range(_BLOCK, len(whole), _BLOCK)
    counts = _map_in_threads(lambda end: np.count_nonzero(whole[end - _BLOCK : end] == _QUOTE), nominal)
    bounds = [0]
    is_within = False
    for begin, count in zip(nominal, counts, strict=True):
        is_within ^= bool(count & 1)
        ahead = whole[begin : begin + _BLOCK]
        for window in (ahead[: _BLOCK // 64], ahead):
            outside = (np.cumsum(window == _QUOTE) & 1) == is_within
            ends = np.flatnonzero(outside & (window == _NEWLINE))
            if len(ends):
                break
        if len(ends):
            bounds.append(begin + int(ends[0]) + 1)
        elif begin + _BLOCK < len(whole):
            return None
    return sorted({*bounds, len(whole)})


def _record_spans_of_block(whole: _Bytes, delimiter: int, begin: int, stop: int) -> _RecordSpans | None:
    """Find the records of one block; None if quotes or carriage returns are not as in plain files."""
    block = whole[begin:stop]
    ends = np.flatnonzero(block == _NEWLINE)
    marks = np.flatnonzero(block == delimiter)
    quotes = np.flatnonzero(block == _QUOTE)
    breaks = ends[:0]
    if len(quotes):
        inside = _quoted_separator_positions(block, delimiter)
        if not _has_field_quotes_only(block, quotes, delimiter):
            return None
        is_break = block[inside] == _NEWLINE
        breaks, inside = inside[is_break], inside[~is_break]
        marks = np.delete(marks, np.searchsorted(marks, inside))
        ends = np.delete(ends, np.searchsorted(ends, breaks))
    if not len(ends) or ends[-1] != len(block) - 1:
        ends = np.append(ends, len(block))
    starts = np.append(0, ends[:-1] + 1)
    counts = np.diff(np.searchsorted(marks, ends), prepend=0)
    broken = np.diff(np.searchsorted(breaks, ends), prepend=0)
    returns = np.count_nonzero(block == _RETURN)
    if returns:
        is_return = (ends > starts) & (block[ends - 1] == _RETURN)
        if np.count_nonzero(is_return) != returns or (is_return[-1] and ends[-1] == len(block)):
            return None
        ends = ends - is_return
    return _RecordSpans(starts + begin, ends + begin, counts, broken)


def _quoted_separator_positions(block: _Bytes, delimiter: int) -> _Positions:
    """Find the delimiters and newlines after an odd number of quotes."""
    at = np.flatnonzero((block == _QUOTE) | (block == delimiter) | (block == _NEWLINE))
    is_quote = block[at] == _QUOTE
    # the count runs over at 256, which is even
    is_within = (np.cumsum(is_quote, dtype=np.uint8) & 1).view(bool)
    within: _Positions = at[is_within & ~is_quote]
    return within


def _has_field_quotes_only(block: _Bytes, quotes: _Positions, delimiter: int) -> bool:
    """Return whether quotes are only around complete fields, or doubled within them."""
    # counted from 0 in a block, quotes of even number open: they begin a field, or are the second of a doubled quote;
    # those of odd number close in the same way
    if len(quotes) % 2:
        return False
    around = np.concatenate([[_NEWLINE], block, [_NEWLINE]]).astype(np.uint8)
    opening, closing = quotes[::2], quotes[1::2]
    before, after = around[opening], around[closing + 2]
    doubled = np.zeros(len(opening), bool)
    doubled[1:] = opening[1:] == closing[:-1] + 1
    opens = (before == delimiter) | (before == _NEWLINE) | doubled
    closes = (after == delimiter) | (after == _NEWLINE) | (after == _RETURN)
    closes[:-1] |= doubled[1:]
    return bool(opens.all() and closes.all())


def hide_delimiters(block: bytes, delimiter: int) -> bytes | None:
    """Replace the delimiters within quotes by another byte.

    Parameters
    ----------
    block : bytes
        Complete records.
    delimiter : int
        Code of the delimiter, one byte.

    Returns
    -------
    bytes or None
        Block of the same length; None if quotes are not only around complete fields.

    Examples
    --------
    >>> restore_delimiters(hide_delimiters(b'a,"2,3"', 44), 44)
    b'a,"2,3"'
    """
    view = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(view == _QUOTE)
    inside = _quoted_separator_positions(view, delimiter)
    if not _has_field_quotes_only(view, quotes, delimiter) or (view[inside] == _NEWLINE).any():
        return None
    if not len(inside):
        return block
    hidden = view.copy()
    hidden[inside] = _HIDDEN_DELIMITER
    return hidden.tobytes()


def restore_delimiters(data: bytes | memoryview, delimiter: int) -> bytes | memoryview:
    """Restore the delimiters that `hide_delimiters` replaced.

    Parameters
    ----------
    data : bytes or memoryview
        Text with hidden delimiters.
    delimiter : int
        Code of the delimiter, one byte.

    Returns
    -------
    bytes or memoryview
        Text of the same length.
    """
    view = np.frombuffer(data, np.uint8)
    hidden = view == _HIDDEN_DELIMITER
    return np.where(hidden, np.uint8(delimiter), view).tobytes() if hidden.any() else data
