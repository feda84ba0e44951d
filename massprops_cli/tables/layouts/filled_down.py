"""Groups of a list: a column that names a group on its first row only (``Subsystem``), and is blank to the next.

The groups become assemblies that have no row of their own. They change no total, for a list is summed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.columns.headings import squeeze
from massprops_cli.tables.items.shape import NO_PARENT, Hierarchy, picked

GROUPS = (
    "system",
    "subsystem",
    "group",
    "subgroup",
    "assembly",
    "subassembly",
    "module",
    "section",
    "category",
    "area",
)
"""Headers of columns that name groups, without blanks and punctuation."""


def groups_of(table: Table, columns: Columns, hierarchy: Hierarchy) -> tuple[str, list[str]] | None:
    """Give the header of the one column that is filled down, and its text at each item; None where there is none."""
    read = {column.index for column in columns.by_quantity.values()}
    found = []
    for j, header in enumerate(columns.header):
        if j in read or squeeze(header) not in GROUPS:
            continue
        texts = [t.strip() for t in picked(table.texts(j, columns.first_row), hierarchy.rows, columns.first_row)]
        if is_filled_down(texts):
            found.append((header.strip(), texts))
    return found[0] if len(found) == 1 else None


def is_filled_down(texts: Sequence[str]) -> bool:
    """Tell whether a column names groups on their first rows: the first is filled, some are blank, none comes twice.

    >>> is_filled_down(["Power", "", "Thermal"]), is_filled_down(["Power", "Power"]), is_filled_down(["", "Power"])
    (True, False, False)
    """
    named = [text for text in texts if text]
    return bool(texts) and bool(texts[0]) and len(named) < len(texts) and len(set(named)) == len(named)


def under_groups(hierarchy: Hierarchy, header: str, texts: Sequence[str]) -> Hierarchy:
    """Put the items of a list under their groups; a group stands before its first item, and has the row −1."""
    ids: list[str] = []
    names: list[str] = []
    rows: list[int] = []
    parents: list[int] = []
    taken = set(hierarchy.ids)
    own = hierarchy.names or hierarchy.ids
    for i, group in enumerate(texts):
        if group:
            above = len(ids)
            ids.append(group if group not in taken else f"{group} ({header})")
            names.append(group)
            rows.append(-1)
            parents.append(NO_PARENT)
        ids.append(hierarchy.ids[i])
        names.append(own[i])
        rows.append(int(hierarchy.rows[i]))
        parents.append(above)
    return replace(
        hierarchy,
        how=f"{hierarchy.how}; groups from column {header}, filled down",
        rows=np.array(rows, np.intp),
        ids=ids,
        parents=np.array(parents, np.int32),
        names=None if hierarchy.names is None else names,
    )
