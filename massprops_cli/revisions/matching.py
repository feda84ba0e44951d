"""Which item of one revision is which of the other.

The roots are the whole of either file, so they always belong together, whatever their ids. All others are matched by
id, or by part number, the first of a part with the first of it under the same parent part, and what is left over in
the order of the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.read import Bom
from massprops_cli.findings import UsageError

Index = NDArray[np.intp]

WAYS = ("id", "part")
"""What items can be matched by."""
FOLLOWED = 100
"""Levels below an item that moved in which parts that stand several times are still followed."""


@dataclass(frozen=True, eq=False)
class Matching:
    """The items of two files side by side, u lines: those of the new file in its order, then those that are gone.

    ``old (u,)`` and ``new (u,)`` are item numbers, −1 where the file has no such item. ``in_order`` are the part
    numbers that stand several times in a file, so that the order of the rows decided which belongs to which.
    """

    old: Index
    new: Index
    in_order: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Give the number of lines."""
        return len(self.old)

    @property
    def both(self) -> NDArray[np.bool_]:
        """Tell which lines have an item in both files ``(u,)``."""
        return (self.old >= 0) & (self.new >= 0)

    @cached_property
    def line_of_old(self) -> Index:
        """The line of every item of the old file."""
        return inverse(self.old)

    @cached_property
    def line_of_new(self) -> Index:
        """The line of every item of the new file."""
        return inverse(self.new)


def inverse(items: Index) -> Index:
    """Give the line of every item, from the item of every line; −1 is no item.

    >>> inverse(np.array([2, -1, 0, 1])).tolist()
    [2, 3, 0]
    """
    lines = np.flatnonzero(items >= 0)
    where = np.empty(len(lines), np.intp)
    where[items[lines]] = lines
    return where


def matching_of(old: Bom, new: Bom, by: str = "id") -> Matching:
    """Match the items of two files by ``id`` or by ``part`` number.

    Where parts are used in several places (layout ``edges``) an id is the path to it, so what is left over there is
    matched by part number if it is the only such item left in either file: it moved, with what is below it. Raises
    UsageError for another way, and for part numbers where a file has no such column.

    >>> rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}]
    >>> revised = [{"id": "top", "parent": ""}, {"id": "b", "parent": "top", "mass": 2.0}]
    >>> found = matching_of(Bom.from_records(rows), Bom.from_records(revised))
    >>> found.old.tolist(), found.new.tolist()
    ([0, -1, 1], [0, 1, -1])
    """
    if by not in WAYS:
        raise UsageError(f"items are matched by {' or '.join(WAYS)}, not by {by}")
    partner = np.full(len(new), -1, np.intp)
    partner[new.tree.order[0]] = old.tree.order[0]
    in_order: tuple[str, ...] = ()
    if by == "part":
        of_old, of_new = part_numbers(old), part_numbers(new)
        pair_up(partner, len(old), keys_in_place(old, of_old), keys_in_place(new, of_new))
        pair_up(partner, len(old), *(counted(left) for left in left_over(partner, of_old, of_new)))
        in_order = tuple(sorted(repeated(of_old) | repeated(of_new)))
    else:
        pair_up(partner, len(old), old.ids, new.ids)
        if old.layout == new.layout == "edges":
            pair_moved(partner, old, new)
    is_gone = np.ones(len(old), bool)
    is_gone[partner[partner >= 0]] = False
    gone = np.flatnonzero(is_gone)
    items = np.arange(len(new))
    nobody = np.full(len(gone), -1, np.intp)
    return Matching(np.append(partner, gone), np.append(items, nobody), in_order)


def pair_up(partner: Index, n_old: int, old: Iterable[Hashable | None], new: Iterable[Hashable | None]) -> None:
    """Give new items without a ``partner (n,)`` the free old item with their key; the first where there are several.

    A key of None belongs to nobody.
    """
    free = np.ones(n_old, bool)
    free[partner[partner >= 0]] = False
    number: dict[Hashable, int] = {}
    for i, (key, is_free) in enumerate(zip(old, free.tolist(), strict=True)):
        if is_free and key is not None:
            number.setdefault(key, i)
    for j, (key, found) in enumerate(zip(new, partner.tolist(), strict=True)):
        if found < 0 and key is not None:
            partner[j] = number.pop(key, -1)


def pair_moved(partner: Index, old: Bom, new: Bom) -> None:
    """Pair what is left over where ids are paths: the only items left of a part, then what stands below those."""
    if old.part_numbers is None or new.part_numbers is None:
        return
    pair_up(partner, len(old), *map(only_ones, left_over(partner, old.part_numbers, new.part_numbers)))
    above_old, above_new = old.tree.parent.tolist(), new.tree.parent
    for _ in range(FOLLOWED):  # parents before children
        before = int((partner >= 0).sum())
        of_old, of_new = left_over(partner, old.part_numbers, new.part_numbers)
        places = np.where(above_new >= 0, partner[above_new], -1).tolist()
        under_old = [(i, part) if part else None for i, part in zip(above_old, of_old, strict=True)]
        under_new = [(i, part) if part and i >= 0 else None for i, part in zip(places, of_new, strict=True)]
        pair_up(partner, len(old), counted(under_old), counted(under_new))
        if int((partner >= 0).sum()) == before:
            return


def part_numbers(bom: Bom) -> list[str]:
    """Give the part number of every item, trimmed; raises UsageError where the file has none."""
    texts = bom.part_numbers
    if texts is None:
        name = bom.table.source.name
        raise UsageError(
            f"{name} has no column of part numbers; match by id, or name the column with --map part=HEADER"
        )
    return [text.strip() for text in texts]


def repeated(parts: Sequence[str]) -> set[str]:
    """Give the part numbers that stand more than once."""
    return {text for text, count in Counter(parts).items() if count > 1 and text}


def keys_in_place(bom: Bom, parts: Sequence[str]) -> list[Hashable | None]:
    """Give part, parent part and the number among those alike; the id of an item whose part is blank."""
    above = [parts[i] if i >= 0 else "" for i in bom.tree.parent.tolist()]
    keys = counted(zip(parts, above, strict=True))
    return [key if part else ("", name) for key, part, name in zip(keys, parts, bom.ids, strict=True)]


def counted(keys: Iterable[Hashable | None]) -> list[Hashable | None]:
    """Number equal keys, so that each is the first, the second … of its kind; None and a blank stay nobody's.

    >>> counted(["a", None, "a"])
    [('a', 0), None, ('a', 1)]
    """
    seen: Counter[Hashable] = Counter()
    found: list[Hashable | None] = []
    for key in keys:
        found.append((key, seen[key]) if key else None)
        seen[key] += 1
    return found


def left_over(partner: Index, old: Sequence[str], new: Sequence[str]) -> tuple[list[str | None], list[str | None]]:
    """Give the part numbers of the items that have no ``partner (n,)`` yet, None for the others."""
    taken = np.zeros(len(old), bool)
    taken[partner[partner >= 0]] = True
    return (
        [None if is_taken else part for part, is_taken in zip(old, taken.tolist(), strict=True)],
        [None if found >= 0 else part for part, found in zip(new, partner.tolist(), strict=True)],
    )


def only_ones(parts: Sequence[str | None]) -> list[Hashable | None]:
    """Keep the part numbers that stand once, None in the place of the others.

    >>> only_ones(["a", "b", "a", None])
    [None, 'b', None, None]
    """
    count = Counter(parts)
    return [part if part and count[part] == 1 else None for part in parts]
