"""Rows below others by their names: by blanks, marks such as ``- `` and ``1.2 ``, the cell's indentation, codes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Rows, Table
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.options import NUMBER_QUANTITIES
from massprops_cli.tables.rows.hierarchy import NO_PARENT
from massprops_cli.tables.rows.total_rows import quantity_indices, quantity_values

_NAMING = ("name", "part", "id", "item")  # quantities whose texts may be indented
_MAX_STRAY_SHARE = 0.1  # the share of rows that a blank before the text may be on and still be a slip


def indented_column(table: Table, columns: TableColumns, *, forced: bool) -> QuantityColumn | None:
    """Find the column of indented texts: name, part, id or item, else any column that is not read."""
    order = columns.having(_NAMING)
    read = {column.index for column in columns.by_quantity.values()}
    order += [QuantityColumn(j, "name", text) for j, text in enumerate(columns.header) if j not in read]
    for column in order:
        if _is_indented(table, columns, column) and (
            column.index in read or _is_complete_name_column(table, columns, column)
        ):
            return column
    return order[0] if forced and order else None


def _is_complete_name_column(table: Table, columns: TableColumns, column: QuantityColumn) -> bool:
    """Return whether an unread column has a text in every row with a number, and no marks next to one of names."""
    if quantity_indices(columns, _NAMING) and "marks" in indentation_widths(table, columns, column)[0]:
        return False
    texts = table.texts(column.index, columns.first_row)
    numbers = quantity_indices(columns, ("mass", *NUMBER_QUANTITIES))
    given = table.texts(numbers[0], columns.first_row) if numbers else texts
    return all(text.strip() for text, number in zip(texts, given, strict=True) if number.strip())


def _is_indented(table: Table, columns: TableColumns, column: QuantityColumn) -> bool:
    """Return whether texts of a column are indented, numbers and lone blanks before a text apart."""
    texts = table.texts(column.index, columns.first_row)
    kinds, width = indentation_widths(table, columns, column)
    if "marks" in kinds:
        agreeing, differing = _marked_groups(table, columns, texts, width)
        return bool(agreeing) and not differing
    filled = [k for k, text in enumerate(texts) if text.strip()]
    indented = [k for k in filled if width[k] > 0]
    if len({*width[filled].tolist()}) < 2 or all(read_number(texts[k]) is not None for k in indented):
        return False
    return not _is_stray_indentation(table, columns, texts, width, indented)


def _is_stray_indentation(
    table: Table, columns: TableColumns, texts: Sequence[str], width: NDArray[np.int64], indented: Sequence[int]
) -> bool:
    """Return whether blanks before a few texts are slips: one each, below a row with a mass of its own."""
    # an indented row makes an assembly of the row above it, whose own mass would no longer count
    filled = [k for k, text in enumerate(texts) if text.strip()]
    mass = columns.by_quantity.get("mass")
    few = len(indented) == 1 or len(indented) <= _MAX_STRAY_SHARE * len(filled)
    if mass is None or not few or len(filled) < 3 or any(texts[k][: int(width[k])].strip(" ") for k in indented):
        return False
    if any(int(width[k]) > 1 for k in indented):
        return False
    masses = np.nan_to_num(mass.parse(table, columns.first_row).values)
    groups: dict[int, float] = {}
    for k in indented:
        over = max((i for i in filled if i < k and not width[i]), default=-1)
        groups[over] = groups.get(over, 0.0) + float(masses[k])
    return all(over < 0 or (masses[over] and not np.isclose(masses[over], sum_)) for over, sum_ in groups.items())


def _marked_groups(
    table: Table, columns: TableColumns, texts: Sequence[str], width: NDArray[np.int64]
) -> tuple[list[int], list[int]]:
    """Return the rows above marked ones whose mass is blank or their sum, and those with another mass."""
    if not (masses := columns.having(("mass", "line_mass"))):
        return [], []
    own, count = masses[0].parse(table, columns.first_row).values, quantity_values(table, columns, "qty", 1.0)
    children: dict[int, list[int]] = {}
    open_rows: list[int] = []
    for k in (k for k, text in enumerate(texts) if text.strip()):
        while open_rows and width[open_rows[-1]] >= width[k]:
            open_rows.pop()
        children.setdefault(open_rows[-1] if open_rows else -1, []).append(k)
        open_rows.append(k)
    groups: tuple[list[int], list[int]] = [], []
    for k, below in ((k, below) for k, below in children.items() if k >= 0):
        sums = [float(each[below].sum()) for each in (own, own * count)]
        is_sum = np.isnan(own[k]) or any(np.isclose(one, own[k], rtol=_SUM_ROUNDING) for one in sums)
        groups[not is_sum].append(columns.first_row + k)
    return groups


def ambiguous_marks(table: Table, columns: TableColumns) -> tuple[int, int] | None:
    """Return two rows above marked ones: the mass of one is blank or their sum, that of the other is not."""
    for column in columns.having(_NAMING):
        kinds, width = indentation_widths(table, columns, column)
        if "marks" in kinds:
            texts = table.texts(column.index, columns.first_row)
            agreeing, differing = _marked_groups(table, columns, texts, width)
            return (agreeing[0], differing[0]) if agreeing and differing else None
    return None


def top_level_rows(table: Table, columns: TableColumns) -> Rows | None:
    """Find the table rows (k,) that are indented least; None where names are not indented."""
    if (column := indented_column(table, columns, forced=False)) is None:
        return None
    texts, (_, width) = table.texts(column.index, columns.first_row), indentation_widths(table, columns, column)
    named = np.array([bool(text.strip()) for text in texts])
    return (np.flatnonzero(named & (width == width[named].min(initial=0))) + columns.first_row).astype(np.intp)


def indentation_widths(
    table: Table, columns: TableColumns, column: QuantityColumn
) -> tuple[list[str], NDArray[np.int64]]:
    """Measure indentation of the data: kind, empty if none (``cell``: a worksheet's own), and widths (n,)."""
    texts = table.texts(column.index, columns.first_row)
    info = table.sheet_info
    own = None if info is None else info.indent.get(column.index)
    if own is not None:
        width = np.asarray(own[columns.first_row :], np.int64)
        named = [bool(text.strip()) for text in texts]  # an indent of all names is a margin
        width = np.maximum(width - min(width[named], default=0), 0)
        if bool((width > 0).any()):
            return ["cell" if w else "" for w in width.tolist()], width
    width = np.fromiter((len(t) - len(t.lstrip()) if t.strip() else 0 for t in texts), np.int64, len(texts))
    kinds = [""] * len(texts)
    for i in np.flatnonzero(width).tolist():
        lead = texts[i][: int(width[i])]
        kinds[i] = "blanks" if "\t" not in lead else "tabs" if not lead.strip("\t") else "mixed"
    marks = _mark_widths(texts)
    if not any(marks) or not any(text.strip() and not mark for text, mark in zip(texts, marks, strict=True)):
        return kinds, width
    ranks = {size: k for k, size in enumerate(sorted({*marks, 0}))}
    return ["marks" if mark else "" for mark in marks], np.array([ranks[mark] for mark in marks], np.int64)


_SUM_ROUNDING = 1e-3  # rounding of a sum in four digits
_MARK = r"\s*(?:[│├└─|\s]*[├└][─\s]*|(?:[-–—•·▪>]\s?)+(?<=[\s•·▪>])|[-–—>]{2,}|\.{1,9}\s?(?=\D))(?=[^\W_])"
"""A mark before a name: ``- Rim``, ``-- Head``, ``.Hub``, ``├─ Arm``; not ``-X panel`` or ``.5 mm``."""
_NUMBERED = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)\.?\s+[^\W\d_]")  # 1.2 Floor


def _mark_widths(texts: Sequence[str]) -> list[int]:
    """Return the widths (n,) of the marks before names, or the points of their numbers; 0 without any."""
    numbers = (
        [_NUMBERED.match(text) for text in texts] if next(filter(str.strip, texts), "").strip()[:1].isdigit() else []
    )
    known = {match[1] for match in numbers if match}
    is_complete = bool(known) and len(known) == sum(map(bool, map(str.strip, texts)))
    if is_complete and all(number.rpartition(".")[0] in known for number in known if "." in number):
        return [match[1].count(".") if match else 0 for match in numbers]
    found = (None if text[:1].isalnum() else re.match(_MARK, text) for text in texts)
    return [len(match[0].rstrip()) if match else 0 for match in found]


def parents_by_code(codes: Sequence[str]) -> NDArray[np.int32]:
    """Return the last row (n,) before each whose code, zeros at its end apart, begins that of the row."""
    parents, open_rows = np.full(len(codes), NO_PARENT, np.int32), list[tuple[str, str, int]]()
    for i, code in enumerate(codes):
        while open_rows and (not code.startswith(open_rows[-1][0]) or code in open_rows[-1][:2]):
            open_rows.pop()
        if open_rows:
            stem, own, over = open_rows[-1]
            is_below = len(code) == len(own) or not code[len(stem)].isdigit() or stem.isalpha()
            parents[i] = over if is_below else NO_PARENT
        parts = re.sub(r"(?:[-./]0+)+$", "", code)  # 21-00-00
        open_rows.append((parts if parts != code else code.rstrip("0") or code, code, i))
    return parents
