"""A roll-up → what is put into the table: assembly cells, and further columns when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.arrays import value_of_items
from massprops_cli.bom.rewriting import merged, rewritten
from massprops_cli.bom.sets import RADII, SETS, SIGMA_RADII
from massprops_cli.files.fill import Added, Fill, Filling

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result

ADDABLE = ("radii", "sigma", "principal", "coverage")
"""What ``--add`` takes."""

PRINCIPAL = ("principal_1", "principal_2", "principal_3")
AXIS_NAMES = tuple(f"axis_{k}{a}" for k in (1, 2, 3) for a in "xyz")
COVERAGE = ("coverage_leaves", "coverage_mass", "coverage_center", "coverage_inertia")

TRUTH_WORDS = (
    ("TRUE", "FALSE"),
    ("True", "False"),
    ("true", "false"),
    ("T", "F"),
    ("t", "f"),
    ("YES", "NO"),
    ("Yes", "No"),
    ("yes", "no"),
    ("Y", "N"),
    ("y", "n"),
    ("1", "0"),
)

Floats = NDArray[np.float64]


def filling_of(result: Result, add: Sequence[str] = ()) -> Filling:
    """Say what goes into the table: computed cells of assembly rows, and the columns of ``add`` on every row.

    A quantity whose column exists is filled on assembly rows; radii and other results whose columns exist from an
    earlier run are filled on every row. Numbers go out in each column's own unit, products in each row's own sign
    convention.
    """
    bom = result.bom
    assemblies, rows = assembly_rows(result)
    fills: list[Fill] = []
    added: list[Added] = []
    own = bom.options.assembly_values == "own"
    for quantity_set in SETS:
        for name in quantity_set.columns:
            column = bom.columns.by_quantity.get(name)
            values = value_of_items(result.rollup, name)
            if column is None or values is None:
                continue
            factor = column.factor if bom.columns.rewrite is None else 1.0
            chosen = written_products(result, name, values, assemblies) / factor
            if own:
                put(result, fills, added, f"total_{name}", rows, chosen)
            else:
                fills.append(Fill(column.index, rows, chosen))
    if not own:
        fills += flag_fills(result, assemblies, rows)
    every, every_row = one_item_a_row(result)
    for name, value in further_columns(result, add):
        put(result, fills, added, name, every_row, value[every])
    converted, renames = ([], {}) if bom.columns.rewrite is None else rewritten(bom, bom.columns.rewrite)
    return Filling(tuple(merged(converted, fills)), tuple(added), bom.columns.header_row, renames)


def assembly_rows(result: Result) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give the assembly items that have a row of their own to be filled, and their rows, ascending."""
    bom = result.bom
    takes = ~bom.tree.is_leaf()
    if bom.stated is not None:
        takes &= ~bom.stated
    items, rows = one_item_a_row(result)
    chosen = takes[items]
    return items[chosen], rows[chosen]


def one_item_a_row(result: Result) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give one item for every row that has any, by ascending row: a part's first use stands for all."""
    bom = result.bom
    items = np.flatnonzero(bom.rows >= 0) if bom.extra is None else np.flatnonzero((bom.rows >= 0) & ~bom.extra)
    rows, first = np.unique(bom.rows[items], return_index=True)
    return items[first], rows


def written_products(result: Result, name: str, values: Floats, items: NDArray[np.intp]) -> Floats:
    """Pick items' values, with products of inertia in the sign convention their rows are written in."""
    chosen = values[items]
    if name not in ("Ixy", "Ixz", "Iyz"):
        return chosen
    return chosen * -result.written_sign[items] + 0.0  # + 0.0 makes -0.0 a plain 0


def flag_fills(result: Result, items: NDArray[np.intp], rows: NDArray[np.intp]) -> list[Fill]:
    """Fill assembly cells of Ipoint and POIconv that are blank or say something else than what was computed."""
    bom = result.bom
    fills = []
    sign = bom.columns.by_quantity.get("POIconv")
    if sign is not None and bom.sign is not None:
        differs = result.written_sign[items] != bom.sign[items]
        if differs.any():
            texts = ["+" if s > 0 else "-" for s in result.written_sign[items[differs]].tolist()]
            fills.append(Fill(sign.index, rows[differs], texts))
    point = bom.columns.by_quantity.get("Ipoint")
    if point is not None:
        computed = result.rollup.bodies.is_point[items]
        differs = computed != bom.bodies.is_point[items]
        if bom.point_blank is not None:
            differs |= bom.point_blank[items]
        if differs.any():
            yes, no = truth_words(result, point.index)
            fills.append(Fill(point.index, rows[differs], [yes if p else no for p in computed[differs].tolist()]))
    return fills


def truth_words(result: Result, column: int) -> tuple[str, str]:
    """Write truth values as the table's first one is written."""
    pairs = {word: pair for pair in TRUTH_WORDS for word in pair}
    table = result.bom.table
    for row in range(result.bom.columns.first_row, min(table.n_rows, result.bom.columns.first_row + 1000)):
        if (text := table.text(row, column).strip()) in pairs:
            return pairs[text]
    return "true", "false"


def further_columns(result: Result, add: Sequence[str]) -> list[tuple[str, Floats]]:
    """Give the result columns beside the ten and their sigmas: those asked for, and those that exist already."""
    rollup = result.rollup
    offered: list[tuple[str, Sequence[str], Callable[[], Floats | None]]] = [
        ("radii", RADII, lambda: rollup.radii),
        ("sigma", SIGMA_RADII, lambda: rollup.sigma_radii),
        ("principal", PRINCIPAL, lambda: result.principal.moments),
        ("principal", AXIS_NAMES, lambda: result.principal.axes.reshape(-1, 9)),
        ("coverage", COVERAGE, lambda: np.column_stack([result.coverage_column(name) for name in COVERAGE])),
    ]
    header = set(result.bom.columns.header)
    chosen: list[tuple[str, Floats]] = []
    for group, names, compute in offered:
        wanted = [k for k, name in enumerate(names) if group in add or name in header]
        values = compute() if wanted and (group != "principal" or rollup.bodies.inertia is not None) else None
        if values is not None:
            chosen += [(names[k], values[:, k]) for k in wanted]
    return chosen


def put(
    result: Result, fills: list[Fill], added: list[Added], name: str, rows: NDArray[np.intp], values: Floats
) -> None:
    """Fill a column of that name when the table has one, else add it at the right."""
    header = result.bom.columns.header
    if name in header:
        fills.append(Fill(header.index(name), rows, values))
    else:
        added.append(Added(name, rows, values))
