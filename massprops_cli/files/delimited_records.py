"""Where the records of a large delimited file without open quotes begin and end, found on all cores."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, TEXT, ColumnNumbers, GridTable, TableSource
from massprops_cli.findings.finding import Place, TableError, rule_finding

_T = TypeVar("_T")
_Bytes = NDArray[np.uint8]
_BLOCK = 2**20  # bytes of a block
_NEWLINE, _RETURN, _QUOTE, _APOSTROPHE = 10, 13, 34, 39  # codes of ASCII
_Positions = NDArray[np.int64]
_Words = NDArray[np.uint64]
"""One bit for each byte of a block, 64 of them in a word, the first in the lowest bit; the last word is never full."""
_ONE, _LAST = np.uint64(1), np.uint64(63)
_FIRST_TEXTS, _MANY_TEXTS = 10_000, 1_000  # rows that choose the texts, of so many different ones, that are counted


class HeldBytes:
    """UTF-8 bytes in memory."""

    is_checked = True

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = memoryview(data)

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, part: slice) -> bytes:
        return bytes(self._data[part])

    def __reduce__(self) -> tuple[type[HeldBytes], tuple[bytes]]:
        held = self._data.obj
        return HeldBytes, (held if isinstance(held, bytes) and len(held) == len(self) else bytes(self._data),)

    def array(self, begin: int, stop: int) -> _Bytes:
        """Return the bytes of a part, not copied: (stop - begin,)."""
        return np.frombuffer(self._data[begin:stop], np.uint8)


class FileBytes:
    """The bytes of an open file, read part by part, never mapped; one that changes meanwhile is an error."""

    is_checked = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._handle = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._handle)
        self._own = threading.local()
        self._state = self._current_state()

    def __len__(self) -> int:
        return self._state[0]

    def __getitem__(self, part: slice) -> bytes:
        begin, stop, _ = part.indices(len(self))
        return self._read(np.empty(max(stop - begin, 0), np.uint8), begin).tobytes()

    def __bytes__(self) -> bytes:
        return self[:]

    def __reduce__(self) -> tuple[type[HeldBytes], tuple[bytes]]:
        return HeldBytes, (self[:],)

    def array(self, begin: int, stop: int) -> _Bytes:
        """Return a part's bytes, (stop - begin,), valid until this thread's next; TableError if it changed."""
        size = stop - begin
        buffer: _Bytes | None = getattr(self._own, "buffer", None)
        if buffer is None or len(buffer) < size:
            self._own.buffer = buffer = np.empty(max(_BUFFER_BYTES, size + size // 8), np.uint8)
        return self._read(buffer[:size], begin)

    def _read(self, target: _Bytes, begin: int) -> _Bytes:
        """Fill a buffer from an offset on; TableError if the file was changed (MP101)."""
        view, at = target.data, 0
        while at < len(target):
            if not (count := _read_at(self._handle, view[at:], begin + at)):
                break
            at += count
        if at < len(target) or self._current_state() != self._state:
            message = "file was changed while it was read"
            remedy = "run the command again when the other program has written the file"
            raise TableError([rule_finding("MP101", message, Place(self._name), remedy=remedy)])
        return target

    def _current_state(self) -> tuple[int, int]:
        """Return size and time of modification."""
        status = os.fstat(self._handle)
        return status.st_size, status.st_mtime_ns


_BUFFER_BYTES = 2**22  # least size of a thread's buffer

if hasattr(os, "preadv"):

    def _read_at(handle: int, target: memoryview, begin: int) -> int:
        return os.preadv(handle, [target], begin)

else:  # Windows has one position for all threads
    _READING = threading.Lock()

    def _read_at(handle: int, target: memoryview, begin: int) -> int:
        with _READING:
            os.lseek(handle, begin, os.SEEK_SET)
            data = os.read(handle, len(target))
        target[: len(data)] = data
        return len(data)


class RawRecords:
    """A file's records unchanged: record i is ``starts[i]:ends[i]`` (n,) of the UTF-8 body, before its line break."""

    def __init__(self, body: HeldBytes | FileBytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        self.body, self.starts, self.ends = body, starts, ends


class DelimitedTable(GridTable):
    """A table of texts with the first line of each row in the file."""

    def __init__(
        self,
        source: TableSource,
        rows: Sequence[Sequence[str]],
        lines: Sequence[int],
        raw: RawRecords | Callable[[], RawRecords],
    ) -> None:
        super().__init__(source, rows, lines=lines)
        self.lines: Sequence[int] = lines
        self._raw = raw
        self._columns: dict[int, Sequence[str]] = {}

    def raw(self) -> RawRecords:
        """Return the records of the file, unchanged."""
        return self._raw() if callable(self._raw) else self._raw

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        if j not in self._columns:  # every column is read for several questions
            try:
                self._columns[j] = [row[j] for row in self.rows]  # type: ignore[misc] # rows of texts only
            except IndexError:  # a short row, already reported
                self._columns[j] = super().texts(j)
        return self._columns[j][start:]

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Mark the blank cells of a column; the state of all others is TEXT."""
        texts = self.texts(j, start)
        states = np.where(np.fromiter(map(bool, texts), bool, len(texts)), TEXT, BLANK).astype(np.uint8)
        return ColumnNumbers(np.full(len(texts), np.nan), states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return False for every cell, since all are texts: (n_rows - start,)."""
        return np.zeros(self.n_rows - start, bool)


class _RecordSpans(NamedTuple):
    """Records of a file, blank lines included."""

    starts: _Positions  # (n,) byte offsets
    ends: _Positions  # (n,) without the line break
    marks: _Positions  # (n,) delimiters in each record
    breaks: _Positions  # (n,) newlines within its quotes
    apostrophes: bool  # whether there are any


def record_spans(body: HeldBytes | FileBytes, delimiter: int) -> _RecordSpans | None:
    """Find all records of a plain file, blank lines included."""
    # the blocks of most files may be cut at any newline, which is the quicker to find
    return _record_spans_between(body, delimiter, _block_bounds(body)) or (
        _record_spans_between(body, delimiter, _record_block_bounds(body)) if isinstance(body, HeldBytes) else None
    )


def _record_spans_between(body: HeldBytes | FileBytes, delimiter: int, bounds: list[int] | None) -> _RecordSpans | None:
    """Find all records of a file block by block; None if a block is not plain."""
    if bounds is None:
        return None
    parts = map_in_threads(partial(_record_spans_of_block, body, delimiter), bounds[:-1], bounds[1:])
    if len(known := [part for part in parts if part is not None]) < len(parts) or not known:
        return None
    starts, ends, marks, breaks = (np.concatenate([part[k] for part in known]) for k in range(4))
    return _RecordSpans(starts, ends, marks, breaks, any(part.apostrophes for part in known))


def map_in_threads(function: Callable[..., _T], *arguments: Sequence[Any]) -> list[_T]:
    """Return the results of a function for each set of arguments, in order, on all cores; one call needs no threads."""
    if len(arguments[0]) < 2:
        return list(map(function, *arguments))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(core_count()) as pool:
        return list(pool.map(function, *arguments))


def core_count() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _block_bounds(body: HeldBytes | FileBytes) -> list[int] | None:
    """Cut a file into blocks of complete lines; None if a line is longer than a block."""
    bounds = [0]
    while bounds[-1] + _BLOCK < len(body):
        nominal = bounds[-1] + _BLOCK
        # most lines are short
        step = next(
            (at for ahead in (_BLOCK // 64, _BLOCK) if (at := body[nominal : nominal + ahead].find(b"\n")) >= 0), -1
        )
        if step < 0:
            return None
        bounds.append(nominal + step + 1)
    return [*bounds, len(body)] if bounds[-1] < len(body) else bounds


def _record_block_bounds(body: HeldBytes) -> list[int] | None:
    """Cut a file into blocks of complete records, at newlines after an even number of quotes."""
    whole = body.array(0, len(body))
    nominal = range(_BLOCK, len(whole), _BLOCK)
    counts = map_in_threads(lambda end: np.count_nonzero(whole[end - _BLOCK : end] == _QUOTE), nominal)
    bounds = [0]
    is_within = False
    for begin, count in zip(nominal, counts, strict=True):
        is_within ^= bool(count & 1)
        ahead = whole[begin : begin + _BLOCK]
        for window in (ahead[: _BLOCK // 64], ahead):
            outside = (np.cumsum(window == _QUOTE) & 1) == is_within
            if len(ends := np.flatnonzero(outside & (window == _NEWLINE))):
                break
        if len(ends):
            bounds.append(begin + int(ends[0]) + 1)
        elif begin + _BLOCK < len(whole):
            return None
    return sorted({*bounds, len(whole)})


def _record_spans_of_block(body: HeldBytes | FileBytes, delimiter: int, begin: int, stop: int) -> _RecordSpans | None:
    """Find the records of one block; None if quotes or carriage returns are not as in plain files."""
    block = body.array(begin, stop)
    if not body.is_checked and not _is_text(block):
        return None
    if (separators := _find_separators(block, delimiter)) is None:
        return None
    newlines, marks, breaks = separators
    if not len(ends := _bit_positions(newlines)) or ends[-1] != len(block) - 1:
        ends = np.append(ends, len(block))
    starts = np.append(0, ends[:-1] + 1)
    counts = np.diff(_bits_before(marks, ends), prepend=0)
    broken = np.diff(_bits_before(breaks, ends), prepend=0) if breaks.any() else np.zeros(len(ends), np.int64)
    if returns := np.count_nonzero(block == _RETURN):
        is_return = (ends > starts) & (block[ends - 1] == _RETURN)
        if np.count_nonzero(is_return) != returns or (is_return[-1] and ends[-1] == len(block)):
            return None
        ends = ends - is_return
    return _RecordSpans(starts + begin, ends + begin, counts, broken, bool((block == _APOSTROPHE).any()))


def _is_text(block: _Bytes) -> bool:
    """Return whether a block of complete lines is UTF-8 without NUL bytes."""
    if int(block.view(np.int8).min(initial=1)) > 0:
        return True
    if not block.min():
        return False
    try:
        str(block.data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _find_separators(block: _Bytes, delimiter: int) -> tuple[_Words, _Words, _Words] | None:
    """Mark newlines and delimiters outside quotes, newlines in them; None if quotes are not only around fields."""
    newlines, marks, quotes = (_bits(block == code) for code in (_NEWLINE, delimiter, _QUOTE))
    if not quotes.any():
        return newlines, marks, np.zeros_like(newlines)
    if (within := _parity_of_bits(quotes)) is None:
        return None
    opening, closing = quotes & within, quotes & ~within
    breaks = newlines & within
    newlines, marks = newlines & ~within, marks & ~within
    # a quote opens a field, or is the second of a doubled one; it closes one in the same way
    bits = newlines | marks | closing
    before = bits << _ONE
    before[1:] |= bits[:-1] >> _LAST
    before[0] |= _ONE
    bits = newlines | marks | _bits(block == _RETURN) | opening
    bits[len(block) // 64] |= _ONE << np.uint64(len(block) % 64)  # the end of the block
    after = bits >> _ONE
    after[:-1] |= bits[1:] << _LAST
    if (opening & ~before).any() or (closing & ~after).any():
        return None
    return newlines, marks, breaks


def _bits(mask: NDArray[np.bool_]) -> _Words:
    """Pack truth values (n,) into words."""
    packed = np.packbits(mask, bitorder="little")
    words = np.zeros(len(mask) // 64 + 1, "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    return words


def _parity_of_bits(bits: _Words) -> _Words | None:
    """Mark the bytes up to which, themselves included, there is an odd number of bits; None if the last is so."""
    parity = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        parity ^= parity << np.uint64(shift)
    odd = np.bitwise_xor.accumulate((parity >> _LAST).astype(np.uint8))
    if odd[-1]:
        return None
    parity[1:] ^= np.uint64(0) - odd[:-1].astype(np.uint64)
    return parity


def _bit_positions(bits: _Words) -> _Positions:
    """Return the positions (k,) of the bits, ascending."""
    at = np.flatnonzero(bits)
    left, found = bits[at], [np.zeros(0, np.int64)]
    while len(at):
        lowest = left & (np.uint64(0) - left)
        found.append(at * 64 + np.bitwise_count(lowest - _ONE))
        left = left ^ lowest
        more = left != 0
        at, left = at[more], left[more]
    return np.sort(np.concatenate(found)) if len(found) > 2 else found[-1]


def _bits_before(bits: _Words, at: _Positions) -> _Positions:
    """Count the bits before each of some positions: (k,) → (k,)."""
    before = np.zeros(len(bits) + 1, np.int64)
    np.cumsum(np.bitwise_count(bits), out=before[1:])
    words = at >> 6
    below = (_ONE << (at & 63).astype(np.uint64)) - _ONE
    counts: _Positions = before[words] + np.bitwise_count(bits[words] & below)
    return counts


def delimiter_positions(block: _Bytes, delimiter: int) -> _Positions | None:
    """Return the byte offsets (k,) of delimiters in complete records (n,); None if quotes are within fields."""
    separators = _find_separators(block, delimiter)
    return None if separators is None else _bit_positions(separators[1])


class ArrowColumnTexts(Sequence[str]):
    """Texts ``(n,)`` of an Arrow column, converted to Python when they are iterated."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self._list: list[str] | None = None
        self._found: dict[str, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, i: Any) -> Any:
        return self.column[i].as_py() if self._list is None and isinstance(i, int) else self.whole()[i]

    def __iter__(self) -> Iterator[str]:
        if self._list is not None:
            return iter(self._list)
        return chain.from_iterable(chunk.to_pylist() for chunk in self.column.chunks)

    def __contains__(self, value: Any) -> bool:
        return bool(len(self.positions(value)))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the first place of a text, for all calls with one text in one search."""
        positions = self.positions(value)
        k = int(np.searchsorted(positions, start))
        if k == len(positions) or (stop is not None and positions[k] >= stop):
            raise ValueError(f"{value!r} is not in the column")
        return int(positions[k])

    @property
    def searches(self) -> int:
        """The number of texts that were searched for."""
        return len(self._found)

    def positions(self, value: Any) -> NDArray[np.int64]:
        """Return all places of a text ``(k,)``, ascending."""
        if value not in self._found:
            self._found[value] = _arrow_text_positions(value, self.column)
        return self._found[value]

    def rows_with(self, pattern: str) -> NDArray[np.intp]:
        """Return the places (k,) of the texts in which a pattern (RE2) is found."""
        import pyarrow.compute as pc

        from massprops_cli.files.arrow import numpy_values

        return np.flatnonzero(numpy_values(pc.match_substring_regex(self.column, pattern), bool))

    def frequent(self, rows: NDArray[np.intp], stripped: str, most: int) -> Counter[str]:
        """Count the texts of some rows (k,) without characters at their ends; those most frequent in the first rows."""
        import pyarrow.compute as pc

        from massprops_cli.files.arrow import arrow_positions, numpy_values

        texts = pc.utf8_trim(self.column.take(arrow_positions(rows)), stripped)
        if len(head := Counter(texts[:_FIRST_TEXTS].to_pylist())) > _MANY_TEXTS:
            return Counter({text: pc.sum(pc.equal(texts, text)).as_py() for text, _ in head.most_common(most)})
        found = pc.value_counts(texts.combine_chunks())
        first = np.argsort(-numpy_values(found.field("counts"), np.int64), kind="stable")[:most]
        return Counter({one["values"]: one["counts"] for one in found.take(arrow_positions(first)).to_pylist()})

    def whole(self) -> list[str]:
        """Return all of them."""
        if self._list is None:
            self._list = self.column.to_pylist()
        return self._list

    def coded(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the distinct texts, and the number among them of every text ``(n,)``."""
        both = self.column.combine_chunks().dictionary_encode()
        return both.dictionary.to_pylist(), np.frombuffer(both.indices.buffers()[1], np.int32, len(both))


def _arrow_text_positions(text: str, column: Any) -> NDArray[np.int64]:
    """Return the positions (k,) of a text in an Arrow column, ascending; lengths first, then bytes."""
    from massprops_cli.files.arrow import text_offsets

    sought, found, start = text.encode(), [np.zeros(0, np.int64)], 0
    for chunk in column.chunks:
        offsets, data = text_offsets(chunk)
        at = np.flatnonzero(np.diff(offsets) == len(sought))
        for k, byte in enumerate(sought):
            at = at[np.frombuffer(data, np.uint8)[offsets[at] + k] == byte]
        found.append(at + start)
        start += len(chunk)
    return np.concatenate(found)
