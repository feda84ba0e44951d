"""Rows read again after some of their cells are edited: what the same table gives with other numbers in them.

Sigmas in percent of a value, by method or from bounds, tensors about a stated point and checks of a cell against its
neighbours follow from several cells of a row. So an edit is made in the table, and its rows are read as all others are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.build import Growth, read_cells
from massprops_cli.bom.item_rows import ItemRows
from massprops_cli.bom.marks import Marks, masses_of_units
from massprops_cli.bom.model import Content
from massprops_cli.bom.roots import Planting
from massprops_cli.files.view import Edited
from massprops_cli.findings import Finding
from massprops_cli.trees.tree import Quantity

Edits = Mapping[int, Mapping[str, float]]
"""Numbers by item and quantity, each in the unit of its column."""


class EditedRows(NamedTuple):
    """Some ``items (k,)`` with the numbers that their edited rows give, and what is wrong with these rows."""

    items: NDArray[np.intp]
    bodies: Bodies
    sigmas: Sigmas | None
    findings: Sequence[Finding]


def read_edited_rows(bom: Content, edits: Edits, quantity: Quantity) -> Iterator[EditedRows]:
    """Read the rows of edited items again, those of one row one after another; ``quantity`` is what counts now."""
    waiting = sorted(edits)
    while waiting:
        by_row = {int(bom.rows[i]): i for i in reversed(waiting)}
        chosen = sorted(by_row.values())
        waiting = [i for i in waiting if i not in chosen]
        yield _read_rows(bom, {i: edits[i] for i in chosen}, quantity)


def _read_rows(bom: Content, edits: Edits, quantity: Quantity) -> EditedRows:
    """Read edited items again, of which each has a row of its own."""
    at = np.array(list(edits), np.intp)
    column = bom.columns.by_quantity
    values = {(int(bom.rows[i]), column[name].index): x for i, new in edits.items() for name, x in new.items()}
    items = ItemRows(Edited(bom.table, values), bom.columns, bom.rows[at], [bom.ids[i] for i in at.tolist()])
    marks = _marks_of(bom, at, quantity, items)
    cells, _, _, findings = read_cells(items, marks, bom.options)
    everything = np.arange(len(at))
    grown = Growth(Planting(everything, everything, None, np.ones(len(at), bool), ""))
    bodies = grown.bodies(cells, marks)
    if bom.pieces is not None:
        pieces = quantity.count[at] if bom.options.qty_is != "total" else bom.pieces[at]
        bodies.mass[:] /= np.where(pieces == 0, 1.0, np.abs(pieces))
    return EditedRows(at, bodies, None if bom.sigmas is None else grown.sigmas(cells, marks), findings)


def _marks_of(bom: Content, at: NDArray[np.intp], quantity: Quantity, items: ItemRows) -> Marks:
    """Give the marks of some items whose own numbers go up; their flags and signs are not edited."""
    none = np.zeros(len(at), bool)
    return Marks(
        Quantity(quantity.count[at], quantity.measured[at]),
        bom.bodies.is_point[at],
        None if bom.point_blank is None else bom.point_blank[at],
        None if bom.sign is None else bom.sign[at],
        none,
        none,
        ~none,
        None if bom.layout == "edges" else masses_of_units(items),
    )
