"""Lists: every row is one level below a created root, or below a group that a row or a column names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from massprops_cli.files.table import Rows, Table, TableView, row_reference
from massprops_cli.findings.finding import Finding, Findings, name_list, rule_finding
from massprops_cli.tables.cells.cell_words import (
    begins_with_total,
    doubtful_label_kind,
    label_kind,
    leading_label_words,
)
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, is_measure, read_number, split_cell_text
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import group_header_words, heading_unit, map_option, squeeze_text
from massprops_cli.tables.options import NUMBER_QUANTITIES, ROW_TOTAL_QUANTITIES, SIGMA_QUANTITIES, TableOptions
from massprops_cli.tables.rows import total_rows
from massprops_cli.tables.rows.hierarchy import NO_PARENT, Hierarchy, data_rows, label_items, texts_of_rows
from massprops_cli.tables.rows.indentation import ambiguous_marks, parents_by_code
from massprops_cli.tables.rows.row_roles import title_rows
from massprops_cli.tables.rows.total_rows import read_total_masses, row_masses

_GroupPath = tuple[str, ...]  # the names of the groups that an item is in, from the outermost in


def _item_groups(
    table: Table, columns: TableColumns, hierarchy: Hierarchy
) -> tuple[list[str], list[_GroupPath]] | None:
    """Return the headers of the columns of groups, and the path of every item; None where no column is filled down."""
    read = {column.index for column in columns.by_quantity.values()}
    headers, named = [], []
    for j, header in enumerate(columns.header):
        if j in read or squeeze_text(header) not in group_header_words():
            continue
        texts = [t.strip() for t in texts_of_rows(table.texts(j, columns.first_row), hierarchy.rows, columns.first_row)]
        if any(texts):
            headers.append(header.strip())
            named.append(texts)
    paths = _fill_down_groups(named)
    return None if paths is None else (headers, paths)


def _fill_down_groups(columns: Sequence[Sequence[str]]) -> list[_GroupPath] | None:
    """Find the path of groups of every item, from columns that name groups on their first rows; None if none does."""
    # The outermost column has to begin with a name and to have blanks. A column is filled by row, so that its blanks
    # mean no group, where a name is on neighbouring rows or again after a blank, or where one blank is all it has.
    if not columns or not columns[0] or not columns[0][0] or "" not in columns[0] or _is_group_per_row(columns[0]):
        return None
    rowwise = [_is_group_per_row(texts) for texts in columns]
    current, paths = [""] * len(columns), []
    for i in range(len(columns[0])):
        for k, texts in enumerate(columns):
            if texts[i] and texts[i] != current[k]:
                current[k:] = [texts[i], *[""] * (len(columns) - k - 1)]
            elif texts[i] and i and not texts[i - 1] and not rowwise[k]:
                return None
        levels = zip(current, columns, rowwise, strict=True)
        paths.append(tuple(name for name, texts, own in levels if name and (texts[i] or not own)))
    return paths


_MIN_SINGLE_BLANK_ROWS = 5  # number of rows, one of them blank, that identify a column filled by row


def _is_group_per_row(texts: Sequence[str]) -> bool:
    """Return whether a column names the group of each row, so that a blank is not a group."""
    return any(one and one == other for one, other in pairwise(texts)) or (
        len(texts) >= _MIN_SINGLE_BLANK_ROWS and texts.count("") == 1
    )


def _nest_under_groups(
    table: Table, columns: TableColumns, hierarchy: Hierarchy, headers: Sequence[str], paths: Sequence[_GroupPath]
) -> Hierarchy:
    """Arrange the items of a list under their groups; a group precedes its first item, and has the row −1."""
    ids: list[str] = []
    names: list[str] = []
    rows: list[int] = []
    parents: list[int] = []
    groups: dict[_GroupPath, int] = {(): NO_PARENT}
    taken = set(hierarchy.ids)
    own = hierarchy.names or hierarchy.ids
    titles = {
        i
        for i, row in enumerate(hierarchy.rows.tolist())
        if paths[i]
        and not _states_mass(table, columns, row)
        and all(columns.header[j].strip() in headers for j in _own_cells(table, columns, row))
    }
    for i, path in enumerate(paths):
        for k in range(len(path)):
            if path[: k + 1] not in groups:
                groups[path[: k + 1]] = len(ids)
                parents.append(groups[path[:k]])
                ids.append(_unused_group_id(path[: k + 1], headers[k], taken))
                names.append(path[k])
                rows.append(-1)
        if i in titles:
            continue
        parents.append(groups[path])
        ids.append(hierarchy.ids[i])
        names.append(own[i])
        rows.append(int(hierarchy.rows[i]))
    of = f"columns {', '.join(headers)}" if len(headers) > 1 else f"column {headers[0]}"
    return replace(
        hierarchy,
        how=f"{hierarchy.how}; groups from {of}, filled down",
        rows=np.array(rows, np.intp),
        ids=ids,
        parents=np.array(parents, np.int32),
        names=None if hierarchy.names is None else names,
    )


def _unused_group_id(path: _GroupPath, header: str, taken: set[str]) -> str:
    """Assign a unique id to a group: its name, with its column, or with the groups above it."""
    name = path[-1]
    wanted = [name, "/".join(path), f"{name} ({header})", f"{'/'.join(path)} ({header})"]
    free = next((text for text in wanted if text not in taken), f"{'/'.join(path)} ({header}, group {len(taken)})")
    taken.add(free)
    return free


_COMPUTED_QUANTITIES = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES)
"""Quantities of which a group's own are what the roll-up gives."""


def _nest_under_titles(
    table: Table, columns: TableColumns, hierarchy: Hierarchy, heads: list[int], findings: Findings
) -> Hierarchy:
    """Arrange the items of a list under the rows that name their groups, and report it; unchanged without groups."""
    if not 2 < len(hierarchy) <= total_rows.FULL_SCAN_ROWS:
        return hierarchy
    closing = _group_end_rows(table, columns)
    heads = heads or _group_title_candidates(table, columns, hierarchy, closing)
    ends = {int(np.searchsorted(hierarchy.rows, row)) for row in closing}
    groups = {i: range(i + 1, min([n for n in (*heads, *ends, len(hierarchy)) if n > i])) for i in heads}
    if not heads or not all(groups.values()):
        return hierarchy
    if differing := _differing_group_titles(table, columns, hierarchy, groups):
        if stated := [i for i in heads if i not in differing]:
            # some state the sum of the rows below them, and others do not
            one, other = hierarchy.ids[stated[0]], hierarchy.ids[differing[0]]
            message = f"mass of {other} differs from the sum of the rows below it, and {one} is a group"
            remedy = f"correct or clear the mass of {other}, or pass --layout flat to include every row"
            findings.report("MP316", message, table.place(int(hierarchy.rows[differing[0]])), item=other, remedy=remedy)
        return hierarchy
    parents = np.full(len(hierarchy), NO_PARENT, np.int32)
    for head, items in groups.items():
        parents[items] = head
    how = f"{hierarchy.how}; groups from rows with a name only"
    findings.append(_group_titles_finding(table, hierarchy, heads))
    return replace(hierarchy, how=how, parents=parents)


def _group_end_rows(table: Table, columns: TableColumns) -> list[int]:
    """List the rows with a mass that were left out, which end a group."""
    if not isinstance(table, TableView):
        return []
    among = [i for i in np.flatnonzero(table.left_out).tolist() if i >= columns.first_row]
    masses = [columns.by_quantity[name].index for name in ("mass", "line_mass") if name in columns.by_quantity]
    return [i for i in among if any(read_number(table.base.text(i, j).split(" ")[0]) is not None for j in masses)]


def _group_title_candidates(
    table: Table, columns: TableColumns, hierarchy: Hierarchy, closing: Sequence[int]
) -> list[int]:
    """List the items that may name groups, by their cells or by subtotals that name them; computed cells apart."""
    # A code next to the name adds nothing if the other items have codes too. Then a row names a group
    # only if each of its numbers is blank.
    cells = [_own_cells(table, columns, row) for row in hierarchy.rows.tolist()]
    if (alone := [i for i, own in enumerate(cells) if len(own) == 1]) and alone[0] == 0 and len(alone) < len(cells):
        return alone
    numbers = [
        column.index
        for name, column in columns.by_quantity.items()
        if name in (*_COMPUTED_QUANTITIES, *ROW_TOTAL_QUANTITIES, "qty")
    ]
    blank = [not any(table.text(row, j).strip(BLANK_CHARACTERS) for j in numbers) for row in hierarchy.rows.tolist()]
    labels = [total_rows.row_label(table.base, row) for row in closing] if isinstance(table, TableView) else []
    coded = _code_columns(table, columns, hierarchy, {i for i in alone if blank[i]})
    titles = [i for i, own in enumerate(cells) if len(own) > 1 and len(own - coded) <= 1 and blank[i]]
    if titles:  # a name without a code is a title too
        titles = sorted({*titles, *(i for i in alone if blank[i])})
    texts = {i: [table.text(int(hierarchy.rows[i]), j).strip() for j in sorted(cells[i])] for i in titles}
    if titles and titles[0] == 0 and _is_title_set(table, hierarchy, cells, titles, coded, labels):
        return titles
    ends = {0, *(int(np.searchsorted(hierarchy.rows, row)) for row in closing)}
    names = [i for i in alone if blank[i]]
    if names and names[0] in ends and (len(names) > 1 or closing) and (names[0] == 0 or ends.issuperset(names)):
        return names
    heads, start = [], 0
    for row, label in zip(closing, labels, strict=True):
        end = int(np.searchsorted(hierarchy.rows, row))
        own = texts.get(start, [hierarchy.ids[start]]) if end > start else []
        if own and (len(cells[start]) == 1 or start in texts) and any(_is_group_label(label, t) for t in own):
            heads.append(start)
        start = end
    return heads


def _is_title_set(
    table: Table,
    hierarchy: Hierarchy,
    cells: Sequence[set[int]],
    titles: Sequence[int],
    coded: set[int],
    labels: Sequence[str],
) -> bool:
    """Return whether rows with a code and a name are titles of groups, not parts whose mass is missing."""
    # Each is named by a subtotal, or has a code that those of its items begin with; or all other items have a cell that
    # the titles lack, such as a quantity.
    ends = [*titles[1:], len(hierarchy)]
    if not (items := [i for i in range(len(hierarchy)) if i not in set(titles)]):
        return False
    shared = set.intersection(*(cells[i] for i in items))
    if any(all(j not in cells[i] for i in titles) for j in shared):
        return True
    for start, end in zip(titles, ends, strict=True):
        own = [table.text(int(hierarchy.rows[start]), j).strip() for j in sorted(cells[start])]
        named = any(_is_group_label(label, text) for label in labels for text in own)
        if not named and not any(_is_code_prefix(table, hierarchy, j, start, end) for j in coded):
            return False
    return True


def _is_code_prefix(table: Table, hierarchy: Hierarchy, j: int, start: int, end: int) -> bool:
    """Return whether the code of a title, zeros at its end apart, begins those of its items: ``100``, ``110``."""
    code, *others = (table.text(int(hierarchy.rows[i]), j).strip() for i in range(start, end))
    stem = code.rstrip("0.-") or code
    return all(other.startswith(stem) and other != code for other in others)


def _own_cells(table: Table, columns: TableColumns, row: int) -> set[int]:
    """Return the columns in which a row is filled, those of computed quantities apart."""
    known = (*_COMPUTED_QUANTITIES, "line_mass")
    computed = {column.index for name, column in columns.by_quantity.items() if name in known}
    return {j for j, text in enumerate(table.row(row)) if text.strip(BLANK_CHARACTERS) and j not in computed}


def _code_columns(table: Table, columns: TableColumns, hierarchy: Hierarchy, names: set[int]) -> set[int]:
    """Find the columns of codes: an id, an item number, a part number, or one unread that differs in every row."""
    # every item has a code, those that are ``names`` alone excepted, and another column holds its name
    named = {name: column.index for name, column in columns.by_quantity.items() if name in _ITEM_NAMES}
    read = {column.index for column in columns.by_quantity.values()}
    free = [j for j, header in enumerate(columns.header) if j not in read and header.strip()]
    codes = set()
    for j in [*(index for name, index in named.items() if name != "name"), *free]:
        texts = [table.text(row, j).strip() for i, row in enumerate(hierarchy.rows.tolist()) if i not in names]
        others = set(named.values()) - {j}
        if others and all(texts) and len(set(texts)) == len(texts) and not any(" " in text for text in texts):
            codes.add(j)
    return codes


def _differing_group_titles(
    table: Table, columns: TableColumns, hierarchy: Hierarchy, groups: Mapping[int, Sequence[int]]
) -> list[int]:
    """List the titles with a mass that is not the sum of their groups', in the reading that fits most of them."""
    if "mass" not in columns.by_quantity:
        return list(groups)
    rows = hierarchy.rows - columns.first_row
    titles = [total_rows.TotalRow(int(hierarchy.rows[i]), "subtotal", "", None) for i in groups]
    stated = dict(zip(groups, read_total_masses(table, columns, titles), strict=True))
    readings = []
    for masses in row_masses(table, columns):
        sums = {i: float(masses[rows[list(items)]].sum()) for i, items in groups.items()}
        readings.append([i for i, one in stated.items() if one.mass is not None and not one.states(sums[i])])
    return min(readings, key=len)


def _is_group_label(label: str, group: str) -> bool:
    """Return whether the label of a total contains a group's name or number."""
    if not (group_words := leading_label_words(group)):
        return bool(group) and group in label.split()
    return set(group_words) <= set(leading_label_words(label))


def _group_titles_finding(table: Table, hierarchy: Hierarchy, titles: Sequence[int]) -> Finding:
    """Report the rows that are read as names of groups."""
    places = [table.place(int(hierarchy.rows[i])) for i in titles[:20]]
    names = name_list([hierarchy.ids[i] for i in titles])
    message = f"rows with a name only, read as groups: {names}"
    item = hierarchy.ids[titles[0]]
    return rule_finding("MP259", message, places[0], item=item, count=len(titles), related=tuple(places[1:]))


_ITEM_NAMES = ("id", "part", "name", "item", "child")  # quantities that identify the item of a row


def item_name_column(columns: TableColumns) -> QuantityColumn | None:
    """Choose the column that identifies the item of a row."""
    return next(iter(columns.having(_ITEM_NAMES)), None)


def is_item_list(columns: TableColumns) -> bool:
    """Return whether a table has names of items and a number of theirs."""
    return item_name_column(columns) is not None and any(name in columns.by_quantity for name in NUMBER_QUANTITIES)


def read_item_list(
    table: Table, columns: TableColumns, options: TableOptions, findings: Findings, *, every_row: bool = False
) -> Hierarchy:
    """Read every row as an item without a parent, or under the group that a column or a row names above it."""
    column = item_name_column(columns)
    assert column is not None
    rows = data_rows(table, columns, table.texts(column.index, columns.first_row))
    parents = np.full(len(rows), NO_PARENT, np.int32)
    texts = [
        text.strip() for text in texts_of_rows(table.texts(column.index, columns.first_row), rows, columns.first_row)
    ]
    of_labels, of_titles = Findings(), Findings()
    labels = label_items(
        table, columns, rows, parents, (f"column {column.header or column.index + 1}", texts), of_labels
    )
    how = f"a list without assemblies; {labels.how}"
    hierarchy = Hierarchy("flat", how, rows, labels.ids, parents, labels.names)
    if (groups := _item_groups(table, columns, hierarchy)) is not None or every_row:
        findings += of_labels
        return hierarchy if groups is None else _nest_under_groups(table, columns, hierarchy, *groups)
    counted = {named.row for named in total_rows.rows_named_by_options(table, columns, options.count_rows)}
    heads = np.flatnonzero(np.isin(rows, title_rows(table, columns, options, counted))).tolist()
    hierarchy = _nest_under_titles(table, columns, hierarchy, heads, of_titles)
    if not (hierarchy.parents >= 0).any() and 1 < len(hierarchy) <= total_rows.FULL_SCAN_ROWS:
        hierarchy = _nest_under_codes(table, columns, hierarchy, of_titles)
    findings += of_labels + of_titles
    return hierarchy


def _nest_under_codes(table: Table, columns: TableColumns, hierarchy: Hierarchy, findings: Findings) -> Hierarchy:
    """Arrange items under those whose codes begin theirs, where masses show it: ``100`` is ``110`` and ``120``."""
    rows = hierarchy.rows.tolist()
    for j in sorted(_code_columns(table, columns, hierarchy, set())):
        codes = [table.text(row, j).strip() for row in rows]
        numbers = [read_number(code) for code in codes]
        steps = [(b or 0.0) - (a or 0.0) for a, b in pairwise(numbers)]
        is_numbering = all(map(str.isdigit, codes)) and max(steps) <= _NEXT_NUMBERS
        if None not in numbers and (min(steps) < 0 or is_numbering):
            continue  # moments, or numbers of rows, a few of which are missing
        parents = parents_by_code(codes)
        groups = {i: np.flatnonzero(parents == i).tolist() for i in sorted({*parents.tolist()} - {NO_PARENT})}
        differing = _differing_group_titles(table, columns, hierarchy, groups) if groups else []
        agreeing = [i for i in groups if i not in differing]
        stated = [i for i in agreeing if _states_mass(table, columns, rows[i])]
        is_shown = any(len(groups[i]) > 1 for i in stated)  # by a sum of several
        is_code = any(mark in code for code in codes for mark in "-./") or max(map(len, codes)) <= _LONGEST_GROUP_CODE
        if not agreeing or not (is_code or is_shown):
            continue
        if differing or (stated and not is_shown):
            one, below = hierarchy.ids[agreeing[0]], codes[groups[agreeing[0]][0]]
            message = f"mass of {one} is the sum of the rows whose codes begin with its own, such as {below}"
            skipped = " ".join(
                f"--skip-row {total_rows.row_command_name(table, columns.first_row, rows[i])}" for i in agreeing
            )
            remedy = f"pass {skipped} if it is, or --layout flat to include every row"
            findings.append(rule_finding("MP316", message, table.place(rows[agreeing[0]]), item=one, remedy=remedy))
            return hierarchy
        findings.append(_group_titles_finding(table, hierarchy, agreeing))
        return replace(hierarchy, how=f"{hierarchy.how}; groups from codes", parents=parents)
    return hierarchy


_NEXT_NUMBERS = 2  # 8, 9, 11: the largest step between numbers of rows
_LONGEST_GROUP_CODE = 3  # letters of codes of groups; longer ones are part numbers, of which neighbours may be alike


def _states_mass(table: Table, columns: TableColumns, row: int) -> bool:
    """Return whether a row has a mass."""
    masses = total_rows.quantity_indices(columns, ("mass", "line_mass", "mass_with_growth"))
    return any(table.text(row, j).strip(BLANK_CHARACTERS) for j in masses)


def nested_rows_finding(table: Table, columns: TableColumns, options: TableOptions) -> Finding | None:
    """Report evidence that the rows are of several levels, and would be counted twice."""
    column = item_name_column(columns)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    if len(rows := data_rows(table, columns, key)) > 1 and _is_unnamed_row(table, columns, int(rows[-1])):
        row = int(rows[-1])
        message = "last row has a mass and no name, and is not the sum of the rows above"
        remedy = f"name it, pass --skip-row {row_reference(table, row)}, or pass --layout flat to include it"
        return rule_finding("MP257", message, table.place(row), remedy=remedy)
    if (doubt := ambiguous_marks(table, columns)) is not None:
        one, other = (total_rows.row_label(table, row) for row in doubt)
        message = f"mass of {other} is not the sum of the rows marked below it, and {one} is a group"
        remedy = "pass --layout flat to include every row, or --layout indented if the marked rows are parts"
        return rule_finding("MP316", message, table.place(doubt[1]), item=other, remedy=remedy)
    names, parts = {text.strip() for text in key} - {""}, total_rows.row_products(table, columns)
    parts |= {one.row for one in total_rows.rows_named_by_options(table, columns, options.count_rows)}
    read = {c.index for quantity, c in columns.by_quantity.items() if quantity not in _ITEM_NAMES} | columns.explained
    for j, header in enumerate(columns.header):
        if j in read:
            continue
        texts = [text.strip() for text in texts_of_rows(table.texts(j, columns.first_row), rows, columns.first_row)]
        # of rows with an id of their own nothing else decides whether they are sums
        own = {columns.by_quantity[name].index for name in _ITEM_NAMES if name in columns.by_quantity} - {j}
        has_id = any(map(str.isalnum, "".join(table.text(int(row), k) for row in rows[-1:] for k in own)))
        labels = [k for k in sorted(total_rows.label_word_positions(texts)) if int(rows[k]) not in parts]
        alone = {k: not total_rows.has_other_name(table.row(int(rows[k])), columns, j) for k in labels}
        kinds = {k: label_kind(texts[k], alone=alone[k]) for k in labels}
        if has_id and alone.get(last := len(texts) - 1):
            kinds[last] = kinds[last] or doubtful_label_kind(texts[last], alone=True)
        named = (k for k in labels if kinds[k] in ("total", "subtotal") or (alone[k] and begins_with_total(texts[k])))
        sums = (k for k in named if not total_rows.is_side_label(table.row(int(rows[k])), columns, j))
        is_name = j in total_rows.quantity_indices(columns, _ITEM_NAMES)
        total = next((k for k in sums if not is_name or _states_mass(table, columns, int(rows[k]))), None)
        if total is not None:
            row, text = int(rows[total]), texts[total]
            message = f"row of a list is a total: {text} (the rows {'above' if total else 'below'} it count twice)"
            remedy = f"pass --skip-row {total_rows.row_command_name(table, columns.first_row, row)} to exclude it"
            return rule_finding("MP316", message, table.place(row), value=text, remedy=remedy)
        is_moment = heading_unit(header, "mass") != "" and all(map(is_measure, filter(None, texts)))
        if j != column.index and not is_moment and _has_references(texts, key, rows, columns.first_row, names):
            return _parent_names_finding(table, columns, j, header.strip())
    free = [j for j in range(len(columns.header)) if j not in read and j != column.index]
    return _unread_parents_finding(table, columns, free, rows)


def _unread_parents_finding(table: Table, columns: TableColumns, free: Sequence[int], rows: Rows) -> Finding | None:
    """Report a column that names rows by the cells of another one, which differ, where neither is read."""
    few = free[:20] if len(rows) <= total_rows.FULL_SCAN_ROWS else ()  # each is compared with each
    cells = {j: [table.text(row, j).strip() for row in rows.tolist()] for j in few}
    ids = {j: {*texts} for j, texts in cells.items() if not all(split_cell_text(text).number for text in texts)}
    for j, k in ((j, k) for k in ids for j in cells if j != k and len(ids[k] - {""}) == len(rows)):
        named = [text in ids[k] and text != own for text, own in zip(cells[j], cells[k], strict=True) if text]
        if sum(named) > 1 and 2 * sum(named) >= len(named):
            return _parent_names_finding(table, columns, j, columns.header[j].strip(), k)
    return None


def _is_unnamed_row(table: Table, columns: TableColumns, row: int) -> bool:
    """Return whether a row contains a mass, no quantity and no text: an unlabelled total, or an item without a name."""
    named, texts = columns.by_quantity, table.row(row)
    if not _states_mass(table, columns, row) or ("qty" in named and texts[named["qty"].index].strip()):
        return False
    names = {named[name].index for name in _ITEM_NAMES if name in named}  # 3 Box is a name
    if any(texts[j].strip() for j in names) and total_rows.are_names_numbers(table, columns):
        return False
    filled = [(j, text) for j, text in enumerate(texts) if text.strip()]
    return all(read_number(text) is not None or (j not in names and is_measure(text)) for j, text in filled)


def _has_references(texts: Sequence[str], key: Sequence[str], rows: Rows, first: int, names: set[str]) -> bool:
    """Return whether some row of a column names another row's item, which is not in a group of its own name."""
    pairs = [(text, key[row - first].strip()) for text, row in zip(texts, rows.tolist(), strict=True)]
    others = names - {text for text, name in pairs if text == name}
    return any(text in others and text != name for text, name in pairs)


def _parent_names_finding(table: Table, columns: TableColumns, j: int, header: str, ids: int = -1) -> Finding:
    """Report a column that is not read and names items of other rows."""
    name = f"column {header or j + 1}"
    message = f"hierarchy is not read: items of other rows are named in {name}"
    named = map_option(table, columns.header_row, ids, "id") + " " if ids >= 0 else ""
    option = named + map_option(table, columns.header_row, j, "parent")
    remedy = f"pass {option} if it contains parents; --layout flat includes every row"
    return rule_finding("MP316", message, table.place(columns.header_row, j, header), value=header, remedy=remedy)
