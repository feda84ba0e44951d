"""Groups of a list: columns that name a group on its first row only (``Subsystem``), and are blank to the next.

The groups become assemblies that have no row of their own, a column at the right inside those of the columns at its
left. They change no total, for a list is summed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.columns.headings import squeeze
from massprops_cli.tables.columns.looks import group_words
from massprops_cli.tables.items.shape import NO_PARENT, Hierarchy, picked

Path = tuple[str, ...]
"""The names of the groups that an item is in, from the outermost in."""


def groups_of(table: Table, columns: Columns, hierarchy: Hierarchy) -> tuple[list[str], list[Path]] | None:
    """Give the headers of the columns of groups, and the path of every item; None where no column is filled down."""
    read = {column.index for column in columns.by_quantity.values()}
    headers, named = [], []
    for j, header in enumerate(columns.header):
        if j in read or squeeze(header) not in group_words():
            continue
        texts = [t.strip() for t in picked(table.texts(j, columns.first_row), hierarchy.rows, columns.first_row)]
        if any(texts):
            headers.append(header.strip())
            named.append(texts)
    paths = filled_down(named)
    return None if paths is None else (headers, paths)


def filled_down(columns: Sequence[Sequence[str]]) -> list[Path] | None:
    """Give the path of groups of every item, from columns that name groups on their first rows; None where none does.

    The outermost column has to begin with a name and to have blanks; one whose group is named again after
    a blank is filled by row, and its blanks mean nothing above.

    >>> filled_down([["Bus", "", "Payload"], ["Power", "Thermal", ""]])
    [('Bus', 'Power'), ('Bus', 'Thermal'), ('Payload',)]
    >>> filled_down([["Power", "Power"]]), filled_down([["", "Power"]]), filled_down([["Power", "", "Power"]])
    (None, None, None)
    """
    if not columns or not columns[0] or not columns[0][0] or "" not in columns[0]:
        return None
    current, paths = [""] * len(columns), []
    for i in range(len(columns[0])):
        for k, texts in enumerate(columns):
            if texts[i] and texts[i] != current[k]:
                current[k:] = [texts[i], *[""] * (len(columns) - k - 1)]
            elif texts[i] and i and not texts[i - 1]:
                return None
        paths.append(tuple(name for name in current if name))
    return paths


def under_groups(hierarchy: Hierarchy, headers: Sequence[str], paths: Sequence[Path]) -> Hierarchy:
    """Put the items of a list under their groups; a group stands before its first item, and has the row −1."""
    ids: list[str] = []
    names: list[str] = []
    rows: list[int] = []
    parents: list[int] = []
    groups: dict[Path, int] = {(): NO_PARENT}
    taken = set(hierarchy.ids)
    own = hierarchy.names or hierarchy.ids
    for i, path in enumerate(paths):
        for k in range(len(path)):
            if path[: k + 1] not in groups:
                groups[path[: k + 1]] = len(ids)
                parents.append(groups[path[:k]])
                ids.append(free_id(path[: k + 1], headers[k], taken))
                names.append(path[k])
                rows.append(-1)
        parents.append(groups[path])
        ids.append(hierarchy.ids[i])
        names.append(own[i])
        rows.append(int(hierarchy.rows[i]))
    columns = f"columns {', '.join(headers)}" if len(headers) > 1 else f"column {headers[0]}"
    return replace(
        hierarchy,
        how=f"{hierarchy.how}; groups from {columns}, filled down",
        rows=np.array(rows, np.intp),
        ids=ids,
        parents=np.array(parents, np.int32),
        names=None if hierarchy.names is None else names,
    )


def free_id(path: Path, header: str, taken: set[str]) -> str:
    """Give a group an id that nothing else has, and take it: its name, with its column, or with the groups above it.

    >>> taken = {"Radio"}
    >>> [free_id(path, "Subsystem", taken) for path in [("Radio",), ("Power",), ("Aft", "Power")]]
    ['Radio (Subsystem)', 'Power', 'Aft/Power']
    """
    name = path[-1]
    wanted = [name, "/".join(path), f"{name} ({header})", f"{'/'.join(path)} ({header})"]
    free = next((text for text in wanted if text not in taken), f"{'/'.join(path)} ({header}, group {len(taken)})")
    taken.add(free)
    return free
