"""Ids, names and parts of items in layouts that do not need an id column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.items.identity import read_ids
from massprops_cli.tables.items.shape import Index, Rows, column_texts, picked

_NUMBERED = re.compile(r"[\d.]+")
"""An item number."""


class Labels(NamedTuple):
    """``ids (n,)``, ``names (n,)`` where the table has them, and ``how``: where the ids come from."""

    ids: Sequence[str]
    names: Sequence[str] | None
    how: str


def label(
    table: Table, columns: Columns, rows: Rows, parents: Index, own: tuple[str, Sequence[str]] | None = None
) -> tuple[Labels, list[Finding]]:
    """Name the items: by the id column, else by part, name or item if all differ, else by place in the tree.

    ``own`` is what the layout itself offers, as (where from, texts): item numbers, indented names.
    """
    raw_names = column_texts(table, columns, "name")
    names = None if raw_names is None else [text.strip() for text in picked(raw_names, rows, columns.first_row)]
    column = columns.by_quantity.get("id")
    if column is not None:
        raw = picked(table.texts(column.index, columns.first_row), rows, columns.first_row)
        ids, findings = read_ids(table, column, raw, rows)
        return Labels(ids.texts, names, f"ids from column {column.header}"), findings
    for quantity in ("part", "name", "item"):
        texts = column_texts(table, columns, quantity)
        if texts is not None:
            stripped = [text.strip() for text in picked(texts, rows, columns.first_row)]
            # under Item stand running numbers, which tell less than the place in the tree, or the names themselves
            if all_differ(stripped) and not (quantity == "item" and any(map(_NUMBERED.fullmatch, stripped))):
                return Labels(stripped, names, f"ids from column {columns.by_quantity[quantity].header}"), []
    if own is not None and all_differ(own[1]):
        return Labels(own[1], names, f"ids from {own[0]}"), []
    return Labels(numbered(parents), names, "ids made from the place in the tree"), []


def all_differ(texts: Sequence[str]) -> bool:
    """Tell whether texts would serve as ids: none blank, none twice.

    >>> all_differ(["a", "b"]), all_differ(["a", ""]), all_differ(["a", "a"])
    (True, False, False)
    """
    distinct = set(texts)
    return len(distinct) == len(texts) and "" not in distinct


def numbered(parents: Index) -> list[str]:
    """Number items by their place in the tree: 1, 1.1, 1.2, 1.2.1.

    A chain of a hundred thousand items would make texts of gigabytes: below 100 levels an item is named after
    its row.

    >>> numbered(np.array([-1, 0, 0, 2], np.int32))
    ['1', '1.1', '1.2', '1.2.1']
    """
    counts = [0] * (len(parents) + 1)
    numbers = [""] * len(parents)
    depths = [0] * len(parents)
    for i in in_order(parents):
        parent = int(parents[i])
        above = parent if parent >= 0 else len(parents)
        counts[above] += 1
        depths[i] = depths[parent] + 1 if parent >= 0 else 0
        if depths[i] > 100:
            numbers[i] = f"(item {i + 1})"
        else:
            numbers[i] = f"{numbers[parent]}.{counts[above]}" if parent >= 0 else str(counts[above])
    return numbers


def in_order(parents: Index) -> Sequence[int]:
    """Give the items so that parents come before their children, children in file order.

    >>> list(in_order(np.array([2, 2, -1], np.int32)))
    [2, 0, 1]
    """
    n = len(parents)
    if bool((parents < np.arange(n)).all()):
        return range(n)
    order = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[order], np.arange(n + 1))
    waiting = np.flatnonzero(parents < 0).tolist()
    for i in waiting:
        waiting.extend(order[starts[i] : starts[i + 1]].tolist())
    return waiting
