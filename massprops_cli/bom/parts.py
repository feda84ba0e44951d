"""Parts that stand in several places: one centre for all of them, or numbers that differ from row to row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells import ItemRows, SetCells
from massprops_cli.bom.many import listed, place_of
from massprops_cli.bom.sets import CENTER, INERTIA, MASS
from massprops_cli.findings import Finding, found


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
    if all(isinstance(text, str) and text == id_ for text, id_ in zip(texts, items.ids, strict=True)):
        return []
    parts = [mass.values]
    if (inertia := cells.get(INERTIA.name)) is not None:
        parts.append(inertia.values)
    numbers = np.hstack(parts)
    return [
        difference(items, column.index, column.header, name, first, other)
        for name, first, other in differing(texts, np.flatnonzero(is_leaf & mass.has), numbers)
    ]


def differing(
    texts: Sequence[str], leaves: NDArray[np.intp], numbers: NDArray[np.float64]
) -> list[tuple[str, int, list[int]]]:
    """Give the part numbers whose rows differ: the name, its first item, the items that differ from it."""
    first: dict[str, int] = {}
    others: dict[str, list[int]] = {}
    for i in leaves.tolist():
        name = texts[i].strip()
        if not name:
            continue
        k = first.setdefault(name, i)
        if k != i and not np.array_equal(numbers[i], numbers[k]):
            others.setdefault(name, []).append(i)
    return [(name, first[name], items) for name, items in others.items()]


def difference(items: ItemRows, index: int, header: str, name: str, first: int, other: list[int]) -> Finding:
    """Say that the rows of one part number have different numbers."""
    names = listed([items.ids[i] for i in other])
    row = int(items.rows[other[0]])
    return found(
        "MP319",
        f"part {name}: {names} has other numbers than {items.ids[first]}",
        place_of(items.table, row, index, header),
        value=name,
        item=items.ids[other[0]],
        count=len(other),
        related=tuple(place_of(items.table, int(items.rows[i]), index, header) for i in (first, *other[1:])),
    )
