"""A column of parents in all but name: every cell of it names the item of another row.

Columns that name other items may mean much else: what a part is mounted on, or replaces. One is taken for the parent
only where nothing else is possible: what it names has no mass of its own, so that no list of items can be meant.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, MutableMapping, Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_units import is_filled

TREES = frozenset(("parent", "child", "level", "item"))
"""Quantities that say where in the tree a row stands."""
NAMES = ("id", "part", "name")
"""Quantities that parents are named by, the first that there is."""

LOOKED_AT = 200
"""So many rows with masses alone make a list, unread to its end."""


def place_parents(
    table: Table, row: int, chosen: MutableMapping[str, int], units: MutableMapping[str, str], read: Container[int]
) -> list[Finding]:
    """Take the one column that is not ``read`` and can only hold the parents, and say so; ``chosen`` is changed.

    The items are named once each, and the column makes one tree of them.
    """
    key = next((chosen[name] for name in NAMES if name in chosen), None)
    if key is None or "mass" not in chosen or TREES & set(chosen):
        return []
    head = range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))
    if all(is_filled(table.text(i, chosen["mass"])) for i in head):
        return []
    weighed = [is_filled(text) for text in table.texts(chosen["mass"], row + 1)]
    items = [text.strip() for text in table.texts(key, row + 1)]
    if len(set(items) - {""}) != len(items) - items.count(""):
        return []
    masses = dict(zip(items, weighed, strict=True))
    free = [j for j in range(table.n_columns) if j not in read]
    trees = [j for j in free if _is_one_tree(items, table.texts(j, row + 1), masses)]
    if len(trees) != 1:
        return []
    chosen["parent"], units["parent"] = trees[0], ""
    header, over = table.text(row, trees[0]).strip(), table.text(row, key).strip()
    message = f"{header or 'a column without a name'} names items of other rows, and is read as the parent of {over}"
    return [found("MP324", message, table.place(row, trees[0], header), value=header)]


def _is_one_tree(items: Sequence[str], texts: Sequence[str], weighed: Mapping[str, bool]) -> bool:
    """Tell whether a column names one parent of every item but the root, and just those that have no mass."""
    parents = {item: text.strip() for item, text in zip(items, texts, strict=True) if item}
    roots = [item for item, over in parents.items() if not over]
    named = set(parents.values()) - {""}
    if any(text.strip() for item, text in zip(items, texts, strict=True) if not item) or len(roots) != 1:
        return False
    if not all(over in parents and not weighed[over] for over in named):
        return False
    return all(item in named or weighed[item] for item in parents) and _reach_root(parents, roots[0])


def _reach_root(parents: Mapping[str, str], root: str) -> bool:
    """Tell whether every item stands below the root: no chain of parents closes on itself."""
    known = {root}
    for item in parents:
        chain, above = set[str](), item
        while above not in known:
            if above in chain:
                return False
            chain.add(above)
            above = parents[above]
        known |= chain
    return True
