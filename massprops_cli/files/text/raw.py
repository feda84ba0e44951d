"""A delimited file's records as they stand, and the table that is read from them."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.grid import GridTable
from massprops_cli.files.table import BLANK, TEXT, Numbers, Source
from massprops_cli.findings import Place


class Raw:
    """A file's records as they stand: record ``i`` is at ``starts[i]:ends[i]`` of the UTF-8 ``body``.

    What follows up to ``starts[i + 1]`` is its line break and blank lines.

    ``starts (n + 1,)``, ``ends (n,)`` byte offsets; ``starts[n]`` is the end of the body.
    """

    def __init__(self, body: bytes | memoryview, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        self.body, self.starts, self.ends = body, starts, ends

    def let_go(self) -> None:
        """Take a mapped file out of the process's memory; what is looked at again comes back from the system's."""
        mapped = self.body.obj if isinstance(self.body, memoryview) else None
        if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


class DelimitedTable(GridTable):
    """A table of texts, with the line of the file on which each row begins."""

    def __init__(
        self, source: Source, rows: Sequence[Sequence[str]], lines: Sequence[int], raw: Callable[[], Raw]
    ) -> None:
        super().__init__(source, rows, lines=lines)
        self.lines: Sequence[int] = lines
        self._raw = raw

    def raw(self) -> Raw:
        """Give the records as they stand in the file."""
        return self._raw()

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Give the texts of column ``j`` from row ``start`` on."""
        try:
            return [row[j] for row in self.rows[start:]]  # type: ignore[misc] # rows of texts only
        except IndexError:  # a short row, which has been said
            return super().texts(j, start)

    def one_column(self, j: int, start: int) -> Numbers:
        """Leave a column to be read as text; what is blank is known."""
        texts = self.texts(j, start)
        states = np.where(np.fromiter(map(bool, texts), bool, len(texts)), TEXT, BLANK).astype(np.uint8)
        return Numbers(np.full(len(texts), np.nan), states)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the line of a row, and a field's number in it."""
        position = None if j is None else j + 1
        return Place(self.source.name, row=i + 1, column=column, line=int(self.lines[i]), position=position)
