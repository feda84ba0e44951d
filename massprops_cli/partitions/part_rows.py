"""Which rows a table of parts has: items, made rows, and leaves that represent branches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.trees.tree import ItemQuantity

_Index = NDArray[np.intp]
_Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartRows:
    """The k rows of a table of its own."""

    items: _Index  # (k,) −1 for a row that is made
    parents: _Index  # (k,) row of the parent; −1 for the root
    branches: _Mask  # (k,) items that represent the branch below them, with the computed numbers
    ids: dict[int, str] = field(default_factory=dict)  # by row, if not that of the item
    parent_ids: dict[int, str] = field(default_factory=dict)  # by row, of parents that are not in the table
    quantity: ItemQuantity | None = None  # default: those of the items
    numbered: _Index = field(default_factory=lambda: np.zeros(0, np.intp))  # (m,) rows with ``bodies`` and ``sigmas``
    bodies: Bodies | None = None
    sigmas: Sigmas | None = None
    parent_frames: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
    """By row: origin (3,) and axes (3, 3) of parents that are not in the table, in the frame of the root."""
