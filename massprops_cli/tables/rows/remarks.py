"""Remarks between the rows of a table, with no blank row before them: notes, signatures, page numbers, comments.

Such a row holds no number and one or two cells, and reads as a remark: as an item it would be a leaf without a mass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.totals import LAST, LOOKED_AT, PLACING, named_parents
from massprops_cli.tables.units.quantities import NUMBER_QUANTITIES
from massprops_cli.tables.words import words

_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T][\d:.]+)?")
_SEVERAL_WORDS = re.compile(r"[^\W\d_]{2,}.*\s.*[^\W\d_]{2,}")
_POINT = re.compile(r"\(?\d{1,2}[.)]\s|[-•–]\s|\S+(?:\s+\S+){3}")
_FOOTNOTE = r"[*†‡]{1,3}\)?\s+\S|#(?=\s*[^\W\d_])"


def find_remarks(table: Table, columns: Columns) -> list[int]:
    """Give the rows of a table that are remarks; of a long one only the last rows are looked at."""
    first = columns.first_row
    start = first if table.n_rows - first <= LOOKED_AT else table.n_rows - LAST
    column = next((columns.by_quantity[name] for name in NUMBER_QUANTITIES if name in columns.by_quantity), None)
    if column is None:
        return []
    # a long table's last cells are looked at one by one: its columns of numbers are not read as text
    if start == first:
        cells = table.texts(column.index, start)
    else:
        cells = [table.text(i, column.index) for i in range(start, table.n_rows)]
    rows = [start + k for k, text in enumerate(cells) if not text.strip(BLANKS) or _DATE.fullmatch(text.strip(BLANKS))]
    numbering = cache(lambda: numbering_columns(table, columns))
    remarks = [i for i in rows if is_remark(table.row(i), columns, numbering)]
    if not remarks:
        return []
    remarks = [*remarks, *following(table, columns, max(remarks))]
    parents = named_parents(View(table, remarks), columns)
    return [i for i in remarks if not parents & {text.strip() for text in table.row(i)}]


def is_remark(texts: Sequence[str], columns: Columns, numbering: Callable[[], AbstractSet[int]]) -> bool:
    """Tell whether a row reads as a remark, and holds nothing that an item would.

    ``numbering`` gives the columns that hold no names, so that several words there are a remark.
    """
    filled = [j for j, text in enumerate(texts) if text.strip(BLANKS)]
    text = texts[filled[0]].strip(BLANKS) if filled else ""
    is_footnote = text.startswith("#")
    if not text or (len(filled) > 2 and not is_footnote) or holds_numbers(texts, columns):
        return False
    if is_footnote:
        return bool(re.match(_FOOTNOTE, text))
    if len(filled) == 1 and _SEVERAL_WORDS.search(text) and filled[0] in numbering():
        return True
    placing = {columns.by_quantity[name].index for name in PLACING if name in columns.by_quantity}
    return not placing & set(filled[1:]) and bool(pattern().match(text))


def numbering_columns(table: Table, columns: Columns) -> set[int]:
    """Give the columns of parents beside ids, and those of levels and item numbers, where these are no names."""
    named, numbering = columns.by_quantity, set()
    if "parent" in named and ("id" in named or "part" in named):
        numbering.add(named["parent"].index)
    for quantity in ("level", "item"):
        if quantity in named:
            texts = table.texts(named[quantity].index, columns.first_row)
            filled = [text for text in texts if text.strip(BLANKS)]
            if 2 * sum(any(map(str.isdigit, text)) for text in filled) > len(filled):
                numbering.add(named[quantity].index)
    return numbering


def holds_numbers(texts: Sequence[str], columns: Columns) -> bool:
    """Tell whether a row has a cell with a digit under a number, dates apart."""
    numbers = {column.index for name, column in columns.by_quantity.items() if name in (*NUMBER_QUANTITIES, "qty")}
    cells = (texts[j].strip(BLANKS) for j in numbers)
    return any(any(map(str.isdigit, cell)) and not _DATE.fullmatch(cell) for cell in cells)


def following(table: Table, columns: Columns, row: int) -> list[int]:
    """Give the rows after the last remark down to the end, where each is a point or a sentence in one cell."""
    rows: list[int] = []
    for i in range(row + 1, table.n_rows):
        texts = table.row(i)
        filled = [j for j, text in enumerate(texts) if text.strip(BLANKS)]
        if len(filled) > 1 or holds_numbers(texts, columns) or not all(_POINT.match(texts[j].strip()) for j in filled):
            return []
        rows += [i] if filled else []
    return rows


@cache
def pattern() -> re.Pattern[str]:
    """Give what remarks begin with.

    >>> [bool(pattern().match(text)) for text in ("Note 1: as weighed", "Page 1 of 3", "Noteboard", "Page holder")]
    [True, True, False, False]
    """
    said = {kind: "|".join(map(re.escape, entry[0]["texts"])) for kind, entry in words("remarks").items()}
    return re.compile(
        rf"(?:{said['opening']})\s*\d*\s*[:：]|(?:{said['signing']})\b|(?:{said['page']})\s*\d+\s*(?:\S+\s*\d+)?$"
        rf"|(?:{said['closing']})\W*$|notes$|[-–]\s*\d+\s*[-–]$|{_FOOTNOTE}",
        re.IGNORECASE,
    )


def said_remarks(table: Table, rows: Sequence[int]) -> Finding:
    """Say which rows of the table are remarks."""
    places = [table.place(i) for i in rows[:20]]
    value = next(text.strip() for text in table.row(rows[0]) if text.strip())
    shown = value if len(value) <= 60 else f"{value[:57]}…"
    others = {1: "", 2: ", and so is 1 row more"}.get(len(rows), f", and so are {len(rows) - 1} rows more")
    message = f"“{shown}” is a remark and no item{others}"
    return found("MP258", message, places[0], value=value, count=len(rows), related=tuple(places[1:]))
