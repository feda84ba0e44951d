"""Which items of a table an entry of a budget is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase, translate

import numpy as np

from massprops_cli.bom.items.content import Content
from massprops_cli.budget.entries import Selector
from massprops_cli.findings import UsageError
from massprops_cli.findings.nearest import nearest


def select(selector: Selector, bom: Content) -> list[int]:
    """Give the numbers of the items that fit, in file order; raises UsageError, which says why, where none does.

    An id is taken before a pattern, so that ids may hold ``*`` and ``[``.

    >>> from massprops_cli.bom.bom import Bom
    >>> rows = [{"id": "SAT", "parent": ""}, {"id": "TANK 1", "parent": "SAT"}, {"id": "TANK 2", "parent": "SAT"}]
    >>> select(Selector("TANK *"), Bom.from_records(rows)), select(Selector(level=0), Bom.from_records(rows))
    ([1, 2], [0])
    """
    if selector.level is not None:
        return of_level(selector.level, bom)
    return of_value(selector, bom) if selector.column else of_pattern(selector.pattern, bom)


def of_level(level: int, bom: Content) -> list[int]:
    """Give the items so many steps below the root."""
    found = counted(bom, np.flatnonzero(bom.tree.depth() == level).tolist())
    if not found:
        raise UsageError(f"no item stands on level {level}; the deepest is {len(bom.tree.levels) - 2}, the root 0")
    return found


def of_value(selector: Selector, bom: Content) -> list[int]:
    """Give the items whose cell in a column is a text; the column by its header, or by its canonical name."""
    column = column_named(selector.column, bom)
    texts = bom.table.texts(column, bom.columns.first_row)
    rows = (bom.rows - bom.columns.first_row).tolist()
    fits = [i for i, row in enumerate(rows) if row >= 0 and texts[row].strip() == selector.value.strip()]
    found = counted(bom, fits)
    if not found:
        values = sorted({texts[row].strip() for row in rows if row >= 0} - {""})
        hint = nearest(selector.value, values)
        raise UsageError(f"no item has {selector.value} under {selector.column}{hint}")
    return found


def of_pattern(pattern: str, bom: Content) -> list[int]:
    """Give the item with an id, or the items whose ids fit a pattern of ``*``, ``?`` and ``[…]``."""
    try:
        return [bom.item(pattern)]
    except UsageError:
        if not re.search(r"[*?[]", pattern):
            raise
    fits = re.compile(translate(pattern)).fullmatch
    found = counted(bom, [i for i, name in enumerate(bom.ids) if fits(name)])
    if not found:
        raise UsageError(f"no item has an id that fits {pattern}")
    return found


def column_named(name: str, bom: Content) -> int:
    """Give the place of a column; raises UsageError with the nearest header."""
    headers = [text.strip() for text in bom.columns.header]
    places = [j for j, text in enumerate(headers) if text == name.strip()]
    if len(places) > 1:
        raise UsageError(f"{len(places)} columns have the header {name}")
    if places:
        return places[0]
    if name in bom.columns.by_quantity:
        return bom.columns.by_quantity[name].index
    raise UsageError(f"no column has the header {name}{nearest(name, headers)}")


def counted(bom: Content, items: Sequence[int]) -> list[int]:
    """Leave out what is no row of the user's: the leaves that hold an assembly's own numbers."""
    return [i for i in items if bom.extra is None or not bom.extra[i]]


def fits(pattern: str, name: str) -> bool:
    """Tell whether an id is a pattern, or fits it.

    >>> fits("TANK*", "TANK 1"), fits("A[1]", "A[1]")
    (True, True)
    """
    return name == pattern or fnmatchcase(name, pattern)
