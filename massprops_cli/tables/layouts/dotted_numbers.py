"""The layouts of dotted item numbers, whose parent is 1.2 for 1.2.10, and of ids with the id of the parent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import CodedTexts, Rows, Table
from massprops_cli.findings.finding import Finding, Findings, name_list, rule_finding
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT,
    UNKNOWN_PARENT,
    Hierarchy,
    Index,
    cell_place,
    column_texts,
    data_rows,
    duplicate_id_findings,
    first_positions,
    label_items,
    limited_findings,
    match_parents,
    read_ids,
    texts_of_rows,
)

_ITEM_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")  # 1.2.10
_DATE = (
    r"(?i)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?"
    r"|[0-9]{1,2}[.\-/ ]\s?(?:jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)"
    r"\.?(?:[.\-/ ][0-9]{2,4})?"
)
"""What a spreadsheet makes of 1.2 or 1.1.09: a date, or one in words."""

_ROOT_NUMBER = "0"  # the item number of a row above 1, 2, 3; a blank number on the first row means the same


def _bare_item_number(text: str) -> str:
    """Remove blanks and trailing dots of an item number."""
    return text.strip().rstrip(".")


def item_number_column(table: Table, columns: TableColumns, *, forced: bool) -> QuantityColumn | None:
    """Find the column of item numbers: the one called so, else the ids where all of them are dotted numbers."""
    for quantity in ("item", "id", "part"):
        column = columns.by_quantity.get(quantity)
        if column is None or (quantity != "item" and "parent" in columns.by_quantity and not forced):
            continue
        texts = [_bare_item_number(text) for text in table.texts(column.index, columns.first_row)]
        given = [text for text in texts if text]
        dotted = sum(1 for text in given if "." in text and _ITEM_NUMBER.fullmatch(text))
        if quantity == "item" and (forced or dotted):
            return column
        if quantity == "id" and given and all(map(_ITEM_NUMBER.fullmatch, given)) and (forced or dotted):
            return column
        if quantity == "part" and dotted and _is_complete_numbering(given):
            return column
    return None


def _is_complete_numbering(numbers: Sequence[str]) -> bool:
    """Return whether texts number a tree, from the top down: each below a number on a row above, no number twice."""
    known = {""}
    for number in numbers:
        if number in known or number.rpartition(".")[0] not in known or not _ITEM_NUMBER.fullmatch(number):
            return False
        known.add(number)
    return True


def read_item_numbers(table: Table, columns: TableColumns, findings: Findings) -> Hierarchy:
    """Read item numbers; without a row 0 the numbers without a dot have no parent."""
    column = item_number_column(table, columns, forced=True)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    rows = data_rows(table, columns, key)
    raw = texts_of_rows(key, rows, columns.first_row)
    if (numbers := [_bare_item_number(text) for text in raw]) and not numbers[0]:
        numbers[0] = _ROOT_NUMBER
    bad = [i for i, number in enumerate(numbers) if not _ITEM_NUMBER.fullmatch(number)]
    findings += _bad_number_findings(table, column, raw, bad, rows)
    lost = _lost_zero_items(numbers, table.is_typed(column.index, columns.first_row)[rows - columns.first_row])
    about = "item number may have lost a trailing zero"
    findings += row_findings(
        "MP314", lost, (table, column, rows), lambda i: f"{about}: {numbers[i]} ({numbers[i]}0 was expected)", numbers
    )
    parents, missing = _parents_by_number(numbers, bad)
    findings += _missing_assembly_findings(table, column, numbers, missing, rows)
    of_labels = Findings()
    labels = label_items(table, columns, rows, parents, (f"column {column.header}", numbers), of_labels)
    reported = {*lost, *bad}
    kept = [i for i in range(len(numbers)) if i not in reported] if reported else range(len(numbers))
    texts = [numbers[i] for i in kept]
    if len(set(texts)) < len(texts):
        remedy = "give each row its own item number"
        findings += duplicate_id_findings(
            table, column, texts, rows[np.asarray(kept, np.intp)], what="item number", remedy=remedy
        )
    how = f"column {column.header} contains dotted item numbers; {labels.how}"
    hierarchy = Hierarchy(
        "dotted", how, rows, labels.ids, parents, labels.names, parent_column=column, tops_are_parts=True
    )
    findings += [f for f in of_labels if columns.by_quantity.get("id") is not column or f.rule != "MP301"]
    return hierarchy


def _parents_by_number(numbers: Sequence[str], bad: Sequence[int]) -> tuple[Index, list[int]]:
    """Find the item one number shorter; returns the parents and the items that have none on any row."""
    index = first_positions(numbers)
    root = index.get(_ROOT_NUMBER, NO_PARENT)
    above = [number.rpartition(".")[0] for number in numbers]
    parents = np.array([index.get(text, UNKNOWN_PARENT) if text else root for text in above], np.int32)
    if root >= 0:
        parents[root] = NO_PARENT
    parents[bad] = UNKNOWN_PARENT
    return parents, sorted(set(np.flatnonzero(parents == UNKNOWN_PARENT).tolist()) - set(bad))


def row_findings(
    rule: str,
    items: Sequence[int],
    cells: tuple[Table, QuantityColumn | None, Rows],
    message: Callable[[int], str],
    values: Sequence[str] | Mapping[int, str],
    remedy: str | None = None,
) -> list[Finding]:
    """Report items for one reason, with their ``values (n,)``; ``cells`` are table, column and rows ``(n,)``."""
    table, column, rows = cells

    def finding_of(i: int) -> Finding:
        return rule_finding(rule, message(i), cell_place(table, int(rows[i]), column), value=values[i], remedy=remedy)

    return limited_findings(items, finding_of)


def _bad_number_findings(
    table: Table, column: QuantityColumn, raw: Sequence[str], bad: list[int], rows: Rows
) -> list[Finding]:
    """Reject cells that are not dotted item numbers: blanks, dates, other texts."""

    def message_of(i: int) -> str:
        text = raw[i].strip()
        if re.fullmatch(_DATE, text):
            return f"item number is a date: {text} (spreadsheets convert item numbers such as 1.2)"
        return f"not a dotted item number: {raw[i]!r}" if text else "item number is empty"

    remedy = "format the column as text, and enter the item numbers again"
    found = row_findings("MP313", bad, (table, column, rows), message_of, raw)
    return [replace(one, remedy=remedy) if re.fullmatch(_DATE, one.value.strip()) else one for one in found]


def _lost_zero_items(numbers: Sequence[str], typed: NDArray[np.bool_]) -> list[int]:
    """Find items such as 1.1 that follow 1.9, once 1.10; or a second 1.1 in a numeric cell."""
    last: dict[str, int] = {}
    seen: set[str] = set()
    lost = []
    for i, number in enumerate(numbers):
        above, _, end = number.rpartition(".")
        if above and "." not in above and end.isdecimal() and len(end) < 10:
            before = last.get(above)
            follows = before is not None and int(end) * 10 == before + 1
            if (follows and (typed[i] or number in seen)) or (typed[i] and number in seen):
                lost.append(i)
                last[above] = int(end) * 10
            else:
                last[above] = int(end)
        seen.add(number)
    return lost


def _missing_assembly_findings(
    table: Table, column: QuantityColumn, numbers: Sequence[str], missing: list[int], rows: Rows
) -> list[Finding]:
    """Report every assembly without a row once, with the rows that need it."""
    needed: dict[str, list[int]] = {}
    for i in missing:
        needed.setdefault(numbers[i].rpartition(".")[0], []).append(i)

    def finding_of(above: str) -> Finding:
        items = needed[above]
        id, count = numbers[items[0]], len(items)
        message = f"{name_list([id], 1, count=count)}: no row for the parent {above}"
        place, *related = (cell_place(table, int(rows[i]), column) for i in items[:1000])
        others, remedy = tuple(related), f"add a row for {above}"
        return rule_finding("MP322", message, place, value=id, item=id, remedy=remedy, count=count, related=others)

    return limited_findings(list(needed), finding_of, "{:,} more assemblies have no row")


def id_column(columns: TableColumns) -> QuantityColumn | None:
    """Choose the column that parents are named by: ids, else part numbers, else names."""
    named = columns.by_quantity
    return next((named[quantity] for quantity in ("id", "part", "name") if quantity in named), None)


_MOST_REFERRING_ROWS = 20_000  # a longer table is not searched for the column that its parents name


def with_referenced_ids(table: Table, columns: TableColumns) -> TableColumns:
    """Read the only column that has every parent, and no cell twice, as the ids, where that of the headings has not."""
    over, known, first = columns.by_quantity.get("parent"), id_column(columns), columns.first_row
    if over is None or known is None or "child" in columns.by_quantity or table.n_rows > _MOST_REFERRING_ROWS:
        return columns
    parents = {text.strip() for text in table.texts(over.index, first)} - {""}
    if not parents or not parents.isdisjoint(map(str.strip, table.texts(known.index, first))):
        return columns
    others = [j for j, header in enumerate(columns.header) if header.strip() and j not in (over.index, known.index)]
    texts = {j: [text for cell in table.texts(j, first) if (text := cell.strip())] for j in others}
    fitting = [j for j, one in texts.items() if parents <= {*one} and len({*one}) == len(one)]
    if len(fitting) != 1:
        return columns
    taken = (fitting[0], known.index)
    kept = {name: column for name, column in columns.by_quantity.items() if column.index not in taken}
    ids = replace(known, quantity="id", index=fitting[0], header=columns.header[fitting[0]].strip())
    name = {} if "name" in kept else {"name": replace(known, quantity="name")}
    return columns._replace(by_quantity={**kept, "id": ids, **name})


_POINT_ZERO = re.compile(r"[0-9]+\.0")  # 1.0
_WHOLE = re.compile(r"[0-9]+")  # 1


def _parents_as_written(
    table: Table, columns: TableColumns, parents: list[str], ids: list[str], rows: Rows, findings: Findings
) -> list[str]:
    """Write parents as the ids are, where one column has ``1`` throughout and the other ``1.0``."""
    filled = [text for text in parents if text]
    for of_ids, of_parents in ((_WHOLE, _POINT_ZERO), (_POINT_ZERO, _WHOLE)):
        if filled and all(map(of_parents.fullmatch, filled)) and all(map(of_ids.fullmatch, ids)):
            end = ".0" if of_ids is _POINT_ZERO else ""
            column, first = columns.by_quantity["parent"], next(i for i, text in enumerate(parents) if text)
            written = [text and text.removesuffix(".0") + end for text in parents]
            message = f"{column.header} has {parents[first]} for the id {written[first]}, as programs write numbers"
            place, remedy = cell_place(table, int(rows[first]), column), "write the parents as the ids are written"
            findings.report("MP303", message, place, value=parents[first], remedy=remedy, count=len(filled))
            return written
    return parents


def read_parent_column(table: Table, columns: TableColumns, findings: Findings) -> Hierarchy:
    """Read ids and parents; a blank is not a parent, and every other text, ``NA`` included, is an id."""
    column = id_column(columns)
    assert column is not None
    parent_column = columns.by_quantity["parent"]
    key, raw = (table.texts(of.index, columns.first_row) for of in (column, parent_column))
    ids: Sequence[str] = key
    parents = None
    if isinstance(raw, CodedTexts) and isinstance(key, CodedTexts):  # a large table: its columns are matched as bytes
        from massprops_cli.files.arrow import match_texts

        parents = match_texts(raw, key)
    if parents is None:  # a small table, or a cell needs a closer look
        rows = data_rows(table, columns, key)
        known = read_ids(table, column, texts_of_rows(key, rows, columns.first_row), rows, findings)
        raw = _parents_as_written(
            table, columns, texts_of_rows(raw, rows, columns.first_row), known.texts, rows, findings
        )
        ids, parents = known.texts, match_parents(table, parent_column, raw, rows, known, findings)
    else:
        rows = np.arange(columns.first_row, columns.first_row + len(key), dtype=np.intp)
    names = column_texts(table, columns, "name")
    if names is not None and len(names) != len(rows):
        names = texts_of_rows(names, rows, columns.first_row)
    how = f"column {parent_column.header} names the parent of column {column.header}"
    return Hierarchy("parent", how, rows, ids, parents, names, parent_column=parent_column)
