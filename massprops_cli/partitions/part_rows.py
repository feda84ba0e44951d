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
    """The rows of a table of its own.

    Attributes
    ----------
    items : array of int, shape (k,)
        Number of the item of each row; −1 for a row that is made.
    parents : array of int, shape (k,)
        Row of the parent; −1 for the root.
    branches : array of bool, shape (k,)
        Rows of items that represent the branch below them, with the computed numbers.
    ids, parent_ids : dict of int to str
        Ids that differ from that of the item, and parents that are not in the table, by row.
    quantity : ItemQuantity or None
        Quantities of the rows; default: those of the items.
    numbered : array of int, shape (m,)
        Rows whose numbers are ``bodies`` and ``sigmas``, in place of those of their items.
    parent_frames : dict of int to tuple of 2 arrays
        Origin and axes of parents that are not in the table, in the frame of the root, by row.
    """

    items: _Index
    parents: _Index
    branches: _Mask
    ids: dict[int, str] = field(default_factory=dict)
    parent_ids: dict[int, str] = field(default_factory=dict)
    quantity: ItemQuantity | None = None
    numbered: _Index = field(default_factory=lambda: np.zeros(0, np.intp))
    bodies: Bodies | None = None
    sigmas: Sigmas | None = None
    parent_frames: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
