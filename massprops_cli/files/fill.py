"""What is put into a table: values into columns that exist, and whole columns to its right.

A writer takes a Table and a Filling. Everything that the Filling does not name goes out with the characters it came in
with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64] | Sequence[str]
"""Numbers (NaN is written as a blank cell, others as the shortest text that reads back the same), or texts."""


@dataclass(frozen=True, slots=True)
class Fill:
    """New values for some cells of one column: ``rows (k,)`` ascending row numbers of the table, ``values (k,)``."""

    column: int
    rows: NDArray[np.intp]
    values: Values


@dataclass(frozen=True, slots=True)
class Added:
    """A column to the right of the table: ``values (k,)`` belong to ``rows (k,)``; other rows stay blank."""

    name: str
    rows: NDArray[np.intp]
    values: Values


@dataclass(frozen=True, slots=True)
class Filling:
    """All that is put into one table. ``header_row`` is where the names of added columns go.

    ``renames {column: text}`` replaces header cells (``--units SI`` only).
    """

    fills: tuple[Fill, ...] = ()
    added: tuple[Added, ...] = ()
    header_row: int = 0
    renames: dict[int, str] = field(default_factory=dict)
