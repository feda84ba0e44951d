"""Matching of the items of two revisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import named_option

_Index = NDArray[np.intp]
_MATCHING_KEYS = named_option("match").words
_DEEPEST_PAIRED_LEVEL = 100  # levels below a moved item in which repeated parts are matched


@dataclass(frozen=True, eq=False)
class Matching:
    """Matched items of two files, u lines: those of the new file in its order, then removed items."""

    old: _Index  # (u,) item numbers, −1 where the file has no such item
    new: _Index  # (u,) likewise
    in_order: tuple[str, ...] = ()  # repeated part numbers, matched in the order of the rows

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.old)

    @property
    def both(self) -> NDArray[np.bool_]:
        """Which lines have an item in both files ``(u,)``."""
        return (self.old >= 0) & (self.new >= 0)

    @cached_property
    def line_of_old(self) -> _Index:
        """The line of every item of the old file ``(n_old,)``."""
        return _item_lines(self.old)

    @cached_property
    def line_of_new(self) -> _Index:
        """The line of every item of the new file ``(n_new,)``."""
        return _item_lines(self.new)


def _item_lines(items: _Index) -> _Index:
    """Return the line of every item, from the item of every line; −1 is a missing item."""
    lines = np.flatnonzero(items >= 0)
    where = np.empty(len(lines), np.intp)
    where[items[lines]] = lines
    return where


def item_matching(old: Bom, new: Bom, by: str = "id") -> Matching:
    """Match the items of two files by id or by part number."""
    if by not in _MATCHING_KEYS:
        raise UsageError(f"invalid match: {by} (expected {' or '.join(_MATCHING_KEYS)})")
    partner = np.full(len(new), -1, np.intp)
    partner[new.tree.order[0]] = old.tree.order[0]
    in_order: tuple[str, ...] = ()
    if by == "part":
        of_old, of_new = part_numbers(old), part_numbers(new)
        _pair_items_by_key(partner, len(old), _place_keys(old, of_old), _place_keys(new, of_new))
        _pair_items_by_key(
            partner, len(old), *(_numbered_keys(left) for left in _unpaired_part_numbers(partner, of_old, of_new))
        )
        in_order = tuple(sorted(_repeated_part_numbers(of_old) | _repeated_part_numbers(of_new)))
    else:
        _pair_items_by_key(partner, len(old), old.ids, new.ids)
        # an id is a path: items without a match moved if their part number is unique among them in both files
        if old.layout == new.layout == "edges":
            _pair_moved_items(partner, old, new)
    is_gone = np.ones(len(old), bool)
    is_gone[partner[partner >= 0]] = False
    gone = np.flatnonzero(is_gone)
    return Matching(np.append(partner, gone), np.append(np.arange(len(new)), np.full(len(gone), -1, np.intp)), in_order)


def _pair_items_by_key(
    partner: _Index, n_old: int, old: Iterable[Hashable | None], new: Iterable[Hashable | None]
) -> None:
    """Match new items without a ``partner (n,)`` to the first free old item with their key; None matches nothing."""
    free = np.ones(n_old, bool)
    free[partner[partner >= 0]] = False
    number: dict[Hashable, int] = {}
    for i, (key, is_free) in enumerate(zip(old, free.tolist(), strict=True)):
        if is_free and key is not None:
            number.setdefault(key, i)
    for j, (key, found) in enumerate(zip(new, partner.tolist(), strict=True)):
        if found < 0 and key is not None:
            partner[j] = number.pop(key, -1)


def _pair_moved_items(partner: _Index, old: Bom, new: Bom) -> None:
    """Pair remaining items where ids are paths: unique items of a part, then the items below them."""
    if old.part_numbers is None or new.part_numbers is None:
        return
    _pair_items_by_key(
        partner,
        len(old),
        *map(_unique_part_numbers, _unpaired_part_numbers(partner, old.part_numbers, new.part_numbers)),
    )
    above_old, above_new = old.tree.parent.tolist(), new.tree.parent
    for _ in range(_DEEPEST_PAIRED_LEVEL):  # parents before children
        before = int((partner >= 0).sum())
        of_old, of_new = _unpaired_part_numbers(partner, old.part_numbers, new.part_numbers)
        places = np.where(above_new >= 0, partner[above_new], -1).tolist()
        under_old = [(i, part) if part else None for i, part in zip(above_old, of_old, strict=True)]
        under_new = [(i, part) if part and i >= 0 else None for i, part in zip(places, of_new, strict=True)]
        _pair_items_by_key(partner, len(old), _numbered_keys(under_old), _numbered_keys(under_new))
        if int((partner >= 0).sum()) == before:
            return


def part_numbers(bom: Bom) -> list[str]:
    """Return the part number of every item."""
    if (texts := bom.part_numbers) is None:
        name = bom.table.source.name
        raise UsageError(f"{name}: file has no column of part numbers; match by id, or name the column in both files")
    return [text.strip() for text in texts]


def _repeated_part_numbers(parts: Sequence[str]) -> set[str]:
    """Return the repeated part numbers."""
    return {text for text, count in Counter(parts).items() if count > 1 and text}


def _place_keys(bom: Bom, parts: Sequence[str]) -> list[Hashable | None]:
    """Return part, parent part and the number among those alike; the id of an item whose part is blank."""
    keys = _numbered_keys(zip(parts, [parts[i] if i >= 0 else "" for i in bom.tree.parent.tolist()], strict=True))
    return [key if part else ("", name) for key, part, name in zip(keys, parts, bom.ids, strict=True)]


def _numbered_keys(keys: Iterable[Hashable | None]) -> list[Hashable | None]:
    """Return each key with its occurrence, from 0; None and blank keys become None."""
    seen: Counter[Hashable] = Counter()
    found: list[Hashable | None] = []
    for key in keys:
        found.append((key, seen[key]) if key else None)
        seen[key] += 1
    return found


def _unpaired_part_numbers(
    partner: _Index, old: Sequence[str], new: Sequence[str]
) -> tuple[list[str | None], list[str | None]]:
    """Return the part numbers of the items that have no ``partner (n,)`` yet, None for the others."""
    taken = np.zeros(len(old), bool)
    taken[partner[partner >= 0]] = True
    left = [None if is_taken else part for part, is_taken in zip(old, taken.tolist(), strict=True)]
    return left, [None if found >= 0 else part for part, found in zip(new, partner.tolist(), strict=True)]


def _unique_part_numbers(parts: Sequence[str | None]) -> list[Hashable | None]:
    """Return the part numbers that occur once, None for the others."""
    count = Counter(parts)
    return [part if part and count[part] == 1 else None for part in parts]
