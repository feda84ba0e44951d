"""Groups of a list under rows of their own: a row with a name alone (``Power``) above the rows of the group.

Such a row would else be an item that lacks its mass, or counts its group twice. It names a group where the subtotal
that closes it says so (``Power subtotal``), or where the list begins with one and its items have more than a name and
numbers; if it has a mass, that has to be the sum of its group's.

Groups of a list: columns that name a group on its first row only (``Subsystem``), and are blank to the next.

The groups become assemblies that have no row of their own, a column at the right inside those of the columns at its
left. They change no total, for a list is summed whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.excluded_rows import column_values, is_near, row_masses
from massprops_cli.tables.headings import group_words, squeeze
from massprops_cli.tables.hierarchy import NO_PARENT, Hierarchy, Reading, listed, picked
from massprops_cli.tables.number_text import BLANKS
from massprops_cli.tables.quantities import NUMBER_QUANTITIES, PRODUCTS, SIGMA_QUANTITIES
from massprops_cli.tables.total_labels import doubtful_kind_of, kind_of, own_words
from massprops_cli.tables.total_rows import LOOKED_AT, TotalRow, find_totals

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

    The outermost column has to begin with a name and to have blanks. A column is filled by row, so that its blanks mean
    no group, where a name is on neighbouring rows or again after a blank, or where one blank is all it has.

    >>> filled_down([["Bus", "", "Payload"], ["Power", "Thermal", ""]])
    [('Bus', 'Power'), ('Bus', 'Thermal'), ('Payload',)]
    >>> filled_down([["Power", "Power"]]), filled_down([["", "Power"]]), filled_down([["Power", "", "Power"]])
    (None, None, None)
    >>> filled_down([["Bus", "", "Crane"], ["Power", "Power", ""]])
    [('Bus', 'Power'), ('Bus', 'Power'), ('Crane',)]
    """
    if not columns or not columns[0] or not columns[0][0] or "" not in columns[0] or by_row(columns[0]):
        return None
    rowwise = [by_row(texts) for texts in columns]
    current, paths = [""] * len(columns), []
    for i in range(len(columns[0])):
        for k, texts in enumerate(columns):
            if texts[i] and texts[i] != current[k]:
                current[k:] = [texts[i], *[""] * (len(columns) - k - 1)]
            elif texts[i] and i and not texts[i - 1] and not rowwise[k]:
                return None
        paths.append(
            tuple(
                name
                for name, texts, own in zip(current, columns, rowwise, strict=True)
                if name and (texts[i] or not own)
            )
        )
    return paths


MANY = 5
"""So many rows, of which one has a blank, are a column that is filled by row."""


def by_row(texts: Sequence[str]) -> bool:
    """Tell whether a column names the group of each row, so that a blank is no group.

    >>> by_row(["Power", "Power", ""]), by_row(["Power", "", "Thermal", ""])
    (True, False)
    """
    return any(one and one == other for one, other in pairwise(texts)) or (len(texts) >= MANY and texts.count("") == 1)


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


COMPUTED = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES)
"""Quantities of which a group's own are what the roll-up gives."""


NAMES = ("id", "part", "item", "child", "name")
"""Quantities that name or number a row."""


def under_titles(table: Table, columns: Columns, hierarchy: Hierarchy) -> Reading:
    """Put the items of a list under the rows that name their groups, and say so; the list itself where none does."""
    if not 2 < len(hierarchy) <= LOOKED_AT:
        return hierarchy, []
    closing = closing_rows(table, columns)
    heads = heads_among(table, columns, hierarchy, closing)
    ends = {int(np.searchsorted(hierarchy.rows, total.row)) for total in closing}
    groups = {i: range(i + 1, min([n for n in (*heads, *ends, len(hierarchy)) if n > i])) for i in heads}
    if not heads or not all(groups.values()):
        return hierarchy, []
    differing = differing_heads(table, columns, hierarchy, groups)
    if differing:
        stated = [i for i in heads if i not in differing]
        return hierarchy, [said_differing(table, hierarchy, stated[0], differing[0])] if stated else []
    parents = np.full(len(hierarchy), NO_PARENT, np.int32)
    for head, items in groups.items():
        parents[items] = head
    how = f"{hierarchy.how}; groups from rows with a name alone"
    return replace(hierarchy, how=how, parents=parents), [said_titles(table, hierarchy, heads)]


def closing_rows(table: Table, columns: Columns) -> list[TotalRow]:
    """Give the subtotals and totals that were left out, which end a group."""
    if not isinstance(table, View):
        return []
    among = [i for i in np.flatnonzero(table.left_out).tolist() if i >= columns.first_row]
    kinds = (doubtful_kind_of, kind_of)
    rows = {total.row: total for kind in kinds for total in find_totals(table.base, columns, kind, among)}
    return [rows[i] for i in sorted(rows) if rows[i].kind in ("subtotal", "total")]


def heads_among(table: Table, columns: Columns, hierarchy: Hierarchy, closing: Sequence[TotalRow]) -> list[int]:
    """Give the items that may name groups, by their cells or by the subtotals that name them; computed cells apart.

    A code beside the name says no more than the name where the other items have codes too. Then a row names a group
    only if each of its numbers is blank.
    """
    cells = [_own_cells(table, columns, row) for row in hierarchy.rows.tolist()]
    alone = [i for i, own in enumerate(cells) if len(own) == 1]
    if alone and alone[0] == 0 and len(alone) < len(cells):
        return alone
    blank = _without_numbers(table, columns, hierarchy)
    coded = code_columns(table, columns, hierarchy)
    titles = [i for i, own in enumerate(cells) if len(own) > 1 and len(own - coded) <= 1 and blank[i]]
    texts = {i: [table.text(int(hierarchy.rows[i]), j).strip() for j in sorted(cells[i])] for i in titles}
    if titles and titles[0] == 0 and _are_titles(table, hierarchy, cells, titles, coded, closing):
        return titles
    heads, start = [], 0
    for total in closing:
        end = int(np.searchsorted(hierarchy.rows, total.row))
        own = texts.get(start, [hierarchy.ids[start]]) if end > start else []
        if end > start and (len(cells[start]) == 1 or start in texts) and any(names(total.label, t) for t in own):
            heads.append(start)
        start = end
    return heads


def _are_titles(
    table: Table,
    hierarchy: Hierarchy,
    cells: Sequence[set[int]],
    titles: Sequence[int],
    coded: set[int],
    closing: Sequence[TotalRow],
) -> bool:
    """Tell whether rows with a code and a name are the titles of groups, and no parts whose mass is missing.

    Each is named by a subtotal, or has a code that those of its items begin with; or all other items have a cell that
    the titles lack, such as a quantity.
    """
    ends = [*titles[1:], len(hierarchy)]
    items = [i for i in range(len(hierarchy)) if i not in set(titles)]
    shared = set.intersection(*(cells[i] for i in items))
    if any(all(j not in cells[i] for i in titles) for j in shared):
        return True
    for start, end in zip(titles, ends, strict=True):
        own = [table.text(int(hierarchy.rows[start]), j).strip() for j in sorted(cells[start])]
        named = any(names(total.label, text) for total in closing for text in own)
        if not named and not any(_begins(table, hierarchy, j, start, end) for j in coded):
            return False
    return True


def _begins(table: Table, hierarchy: Hierarchy, j: int, start: int, end: int) -> bool:
    """Tell whether the code of a title, zeros at its end apart, begins those of its items: ``100``, ``110``."""
    code, *others = (table.text(int(hierarchy.rows[i]), j).strip() for i in range(start, end))
    stem = code.rstrip("0.-") or code
    return all(other.startswith(stem) and other != code for other in others)


def _own_cells(table: Table, columns: Columns, row: int) -> set[int]:
    """Give the columns in which a row is filled, those of computed quantities apart."""
    computed = {column.index for name, column in columns.by_quantity.items() if name in COMPUTED}
    return {j for j, text in enumerate(table.row(row)) if text.strip(BLANKS) and j not in computed}


def _without_numbers(table: Table, columns: Columns, hierarchy: Hierarchy) -> list[bool]:
    """Tell which items have no number at all, neither a quantity nor a computed one."""
    numbers = [column.index for name, column in columns.by_quantity.items() if name in (*COMPUTED, *PRODUCTS, "qty")]
    return [not any(table.text(row, j).strip(BLANKS) for j in numbers) for row in hierarchy.rows.tolist()]


def code_columns(table: Table, columns: Columns, hierarchy: Hierarchy) -> set[int]:
    """Give the columns of codes: an id, an item number, a part number, or one unread that differs in every row.

    Every item has a code, and another column holds its name.
    """
    named = {name: column.index for name, column in columns.by_quantity.items() if name in NAMES}
    read = {column.index for column in columns.by_quantity.values()}
    free = [j for j, header in enumerate(columns.header) if j not in read and header.strip()]
    codes = set()
    for j in [*(index for name, index in named.items() if name != "name"), *free]:
        texts = [table.text(row, j).strip() for row in hierarchy.rows.tolist()]
        others = set(named.values()) - {j}
        if others and all(texts) and len(set(texts)) == len(texts) and not any(" " in text for text in texts):
            codes.add(j)
    return codes


def differing_heads(table: Table, columns: Columns, hierarchy: Hierarchy, groups: Mapping[int, range]) -> list[int]:
    """Give the heads that state a mass which is not the sum of their groups', in the reading that fits most of them."""
    if "mass" not in columns.by_quantity:
        return list(groups)
    rows, index = hierarchy.rows - columns.first_row, columns.by_quantity["mass"].index
    own = column_values(table, columns, "mass", np.nan)[rows]
    texts = {i: table.text(int(hierarchy.rows[i]), index) for i in groups}
    readings = []
    for masses in row_masses(table, columns):
        sums = {i: float(masses[rows[list(items)]].sum()) for i, items in groups.items()}
        readings.append([i for i in groups if not (np.isnan(own[i]) or is_near(sums[i], texts[i], own[i]))])
    return min(readings, key=len)


def said_differing(table: Table, hierarchy: Hierarchy, agreeing: int, differing: int) -> Finding:
    """Ask what rows are of which some state the sum of the rows below them, and others do not."""
    one, other = hierarchy.ids[agreeing], hierarchy.ids[differing]
    message = f"{one} stands above a group, and {other} states a mass that the rows below it do not add up to"
    remedy = f"correct the mass of {other} or clear it, or count every row with --layout flat"
    return found("MP316", message, table.place(int(hierarchy.rows[differing])), item=other, remedy=remedy)


def names(label: str, group: str) -> bool:
    """Tell whether the label of a total says a group's name or number.

    >>> names("Power subtotal", "POWER"), names("Subtotal", "Power"), names("Total 10", "10"), names("Total 10", "1")
    (True, False, True, False)
    """
    said = own_words(group)
    if not said:
        return bool(group) and group in label.split()
    return bool(said) and set(said) <= set(own_words(label))


def said_titles(table: Table, hierarchy: Hierarchy, titles: Sequence[int]) -> Finding:
    """Say which rows are read as the names of groups."""
    places = [table.place(int(hierarchy.rows[i])) for i in titles[:20]]
    names = listed([hierarchy.ids[i] for i in titles])
    message = f"{names}: a name alone in its row, read as the group of the rows below it"
    item = hierarchy.ids[titles[0]]
    return found("MP259", message, places[0], item=item, count=len(titles), related=tuple(places[1:]))
