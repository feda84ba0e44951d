"""Parts that stand in several places: one centre for all of them, or numbers that differ from row to row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cells import SetCells
from massprops_cli.bom.items.items import ItemRows, Which
from massprops_cli.bom.items.many import place_of
from massprops_cli.bom.items.saying import listed_of
from massprops_cli.bom.items.sets import CENTER, INERTIA, MASS
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.columns import Column


def check_uses(items: ItemRows, part: NDArray[np.intp] | None, cells: Mapping[str, SetCells]) -> list[Finding]:
    """Warn of parts that are used in several places with the one centre of their row (layout ``edges``)."""
    center = cells.get(CENTER.name)
    if part is None or center is None or not len(part):
        return []
    uses = np.bincount(part)
    several = np.flatnonzero((uses[part] > 1) & center.has)
    findings = []
    _, first = np.unique(part[several], return_index=True)
    for i in several[np.sort(first)].tolist():
        row = int(items.rows[i])
        column = items.columns.by_quantity[CENTER.columns[0]]
        name = items.ids[i].rpartition("/")[2]
        message = f"{name} stands in {int(uses[part[i]]):,} places, and its row has one centre for all of them"
        findings.append(found("MP318", message, place_of(items.table, row, column.index, column.header), item=name))
    return findings


def check_part_numbers(items: ItemRows, is_leaf: NDArray[np.bool_], cells: Mapping[str, SetCells]) -> list[Finding]:
    """Warn of leaves with one part number and different masses or tensors."""
    column = items.columns.by_quantity.get("part")
    mass = cells.get(MASS.name)
    if column is None or mass is None:
        return []
    texts = items.texts(column.index)
    if list(texts) == list(items.ids):
        return []
    parts = [mass.values]
    if (inertia := cells.get(INERTIA.name)) is not None:
        parts.append(inertia.values)
    return [
        difference(items, column, first, other)
        for first, other in differing(texts, np.flatnonzero(is_leaf & mass.has), parts)
    ]


def differing(
    texts: Sequence[str], leaves: Which, numbers: Sequence[NDArray[np.float64]]
) -> Iterator[tuple[int, Which]]:
    """Give, for each part number whose rows differ, its first item and the items that differ from it.

    ``texts (n,)`` are part numbers, ``leaves (k,)`` the items looked at, ``numbers`` arrays ``(n, …)``.
    """
    names: dict[str, int] = {"": 0}
    part = np.fromiter((names.setdefault(texts[i].strip(), len(names)) for i in leaves.tolist()), np.intp, len(leaves))
    first = np.full(len(names), len(texts), np.intp)
    np.minimum.at(first, part, leaves)
    differs = np.zeros(len(leaves), bool)
    for array in numbers:
        differs |= (array[leaves] != array[first[part]]).any(axis=1)
    differs &= part != 0
    others, of = leaves[differs], part[differs]
    order = np.argsort(of, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(of[order])) + 1) if len(order) else ():
        yield int(first[of[group[0]]]), others[group]


def difference(items: ItemRows, column: Column, first: int, other: Which) -> Finding:
    """Say that the rows of one part number have different numbers."""
    row = int(items.rows[other[0]])
    name = items.table.text(row, column.index).strip()
    have = "has" if len(other) == 1 else "have"
    return found(
        "MP319",
        f"part {name}: {listed_of(items, other)} {have} other numbers than {items.ids[first]}",
        place_of(items.table, row, column.index, column.header),
        value=name,
        item=items.ids[int(other[0])],
        count=len(other),
        related=tuple(
            place_of(items.table, int(items.rows[i]), column.index, column.header)
            for i in (first, *other[1:100].tolist())
        ),
    )
