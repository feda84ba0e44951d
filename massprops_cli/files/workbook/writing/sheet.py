"""Worksheets that the tool writes, and comments on the user's own: content and looks, before any XML.

Rows and columns count from 0 within the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import Finding

CellValue = str | float | bool | None
"""What a written cell holds: text is written as text whatever it begins with; None and NaN are blank."""

LONGEST_TEXT = 32_767
"""Characters that a cell can hold (ECMA-376 and every spreadsheet program)."""


class Look(Enum):
    """How a cell looks. NUMBER takes its column's number format; so does COMPUTED, which bears the mark beside it."""

    TEXT = "text"
    NUMBER = "number"
    TITLE = "title"
    HEADER = "header"
    COMPUTED = "computed"
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    WRAPPED = "wrapped"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on the cell at ``row``, ``column`` of the user's own sheet."""

    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One worksheet to write.

    ``rows`` cells by row, shorter rows end in blanks; the first ``header_rows`` of them are the header, or stand above
    it. ``widths`` in characters by column (None: from the content). ``number_formats`` by column. ``looks`` of cells
    by (row, column), ``row_looks`` of rows, ``computed`` the rows of computed cells by column, ascending. ``outline``
    levels by row (0 is the top; 7 is the deepest that the format holds). ``frozen_columns`` stay in sight as the header
    rows do. ``own`` marks the sheet as the tool's, to be known and replaced the next time; with ``only_replaces`` it is
    written over one of an earlier run, and left out where there is none.

    >>> Sheet("Parts", [["id", "mass"], ["A", 1.5]]).header_rows
    1
    """

    name: str
    rows: Iterable[Sequence[CellValue]]
    header_rows: int = 1
    widths: Sequence[float] | None = None
    number_formats: Mapping[int, str] = field(default_factory=dict)
    looks: Mapping[tuple[int, int], Look] = field(default_factory=dict)
    row_looks: Mapping[int, Look] = field(default_factory=dict)
    computed: Mapping[int, NDArray[np.intp]] = field(default_factory=dict)
    outline: Sequence[int] | NDArray[np.uint8] | None = None
    frozen_columns: int = 0
    autofilter: bool = True
    own: bool = False
    only_replaces: bool = False


SheetsFor = Callable[[Sequence[Finding]], Sequence[Sheet]]
"""Makes sheets that say what the writing itself found; it may be called more than once."""
