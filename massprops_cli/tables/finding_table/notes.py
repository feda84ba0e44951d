"""Remarks below the table: a note, a name, a date under a blank row, which are no items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.finding_table.named import Named

MOST_ROWS = 200
"""How many rows of remarks may stand below a table."""

_REMARK = re.compile(
    r"notes?\b|(?:prepared|checked|drawn|approved|issued|revised|printed) (?:by|on)\b|see\b|[*†‡]|\(?\d+[.)]\s"
    r"|.*:|.*\w\.$|\S+(?:\s+\S+){4}",
    re.IGNORECASE,
)
"""What reads as a remark: its usual first words, a footnote's mark, a colon, a full stop, or five words."""

_WORDS = re.compile(r"(?=.*[^\W\d_]{2})(?:.*\s|.*:$)")
"""Several words, or one before a colon: no level, no item number and no id of a parent above."""


def rows_of_remarks(table: Table, named: Named) -> list[int]:
    """Give the rows of remarks at the end of a table, below one or more blank rows.

    Each holds no number where the header names one, nothing that places it in the tree and at most two cells, and the
    first below a blank row reads as a remark. A remark may stand alone in the column of levels or item numbers. Only
    the end of the table is looked at, so a table without remarks costs one row.
    """
    remarks: list[int] = []
    block: list[int] = []
    for i in range(table.n_rows - 1, max(named.row, table.n_rows - MOST_ROWS), -1):
        texts = table.row(i)
        filled = [j for j, text in enumerate(texts) if text.strip()]
        if not filled:
            if block and not _REMARK.match(_words(table, block[-1])):
                break
            remarks += block
            block = []
        elif len(filled) > 2 or _is_placed(texts, filled, named) or any(_is_given(texts[j]) for j in named.numbers()):
            break
        else:
            block.append(i)
    return [] if _are_parents(table, named, remarks) else sorted(remarks)


def said_remarks(table: Table, rows: list[int]) -> Finding:
    """Say which rows below the table are no items."""
    words = _words(table, rows[0])
    shown = words if len(words) <= 60 else f"{words[:57]}…"
    others = {1: "", 2: ", and so is 1 row more"}.get(len(rows), f", and so are {len(rows) - 1} rows more")
    message = f"“{shown}” stands below the table and is no item{others}"
    places = [table.place(i) for i in rows]
    return found("MP240", message, places[0], value=words, count=len(rows), related=tuple(places[1:]))


def _is_placed(texts: Sequence[str], filled: Sequence[int], named: Named) -> bool:
    """Tell whether a row has a place in the tree; words alone in a row are none, wherever they stand."""
    if len(filled) == 1 and _WORDS.match(texts[filled[0]].strip()):
        return named.columns.get(filled[0]) == "child"
    return bool(set(filled) & set(named.placing()))


def _are_parents(table: Table, named: Named, rows: list[int]) -> bool:
    """Tell whether a row above names one of these as its parent."""
    over = next((j for j, name in named.columns.items() if name == "parent"), None)
    if over is None or not rows:
        return False
    parents = {text.strip() for text in table.texts(over, named.row + 1)} - {""}
    return any(text.strip() in parents for i in rows for text in table.row(i))


def _words(table: Table, row: int) -> str:
    return " ".join(text.strip() for text in table.row(row) if text.strip())


def _is_given(text: str) -> bool:
    """Tell whether a cell of a number column is filled with what may be a number.

    >>> _is_given("1,5 kg"), _is_given("by J. Doe")
    (True, False)
    """
    return any(map(str.isdigit, text))
