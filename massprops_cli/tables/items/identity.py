"""Ids: text for ever, compared exactly; what is wrong with them, and which parent a text names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_text import visible
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.items.look_alike import code_points, look_alikes, seen_as
from massprops_cli.tables.items.shape import NO_PARENT, UNKNOWN_PARENT, Index, Rows, place_of

MOST = 1_000
"""Beyond so many findings of one kind the rest is said in one."""

SHEET_ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!")
"""What a cell holds whose formula failed. [ECMA-376-1:2016, 18.17.3]"""

_SUGGEST = 50
_CANDIDATES = 20_000


class Ids(NamedTuple):
    """The ids of n items: ``texts (n,)`` trimmed, ``first`` the first item of each id."""

    texts: list[str]
    first: dict[str, int]


def read_ids(table: Table, column: Column, raw: list[str], rows: Rows) -> tuple[Ids, list[Finding]]:
    """Trim and check ids: ``raw (n,)`` are the cells of ``column`` in table rows ``rows (n,)``.

    An empty id is given a name in brackets, so that the rest of its row is still looked at.
    """
    texts, findings = trimmed(table, column, raw, rows)
    if "" in texts:
        findings += _unnamed(table, column, texts, rows)
    index = first_of(texts)
    if len(index) < len(texts):
        findings += duplicates(table, column, texts, rows)
    findings += said_look_alikes(table, column, Ids(texts, index), rows)
    findings += _said_dates(table, column, texts, rows)
    findings += _said_errors(table, column, Ids(texts, index), rows)
    return Ids(texts, index), findings


def _said_dates(table: Table, column: Column, texts: list[str], rows: Rows) -> list[Finding]:
    """Say which ids are dates in the workbook: a spreadsheet program makes them of part numbers such as 1-2."""
    if table.sheet_info is None or not table.sheet_info.dates:
        return []
    dates = {i for i, j in table.sheet_info.dates if j == column.index}

    def say(i: int, count: int) -> Finding:
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        message = f"{texts[i]}: the cell holds a date, which may have been typed as a part number{more}"
        place = place_of(table, int(rows[i]), column)
        return found("MP226", message, place, value=texts[i], item=texts[i], count=count)

    return each_or_together([i for i, row in enumerate(rows.tolist()) if row in dates] if dates else [], say)


def _said_errors(table: Table, column: Column, ids: Ids, rows: Rows) -> list[Finding]:
    """Refuse ids that are errors of a spreadsheet: which item it was is lost, and parents may be lost as well."""
    return [
        found(
            "MP117", f"{column.header} is a spreadsheet error: {text}", place_of(table, int(rows[i]), column), item=text
        )
        for text in SHEET_ERRORS
        if (i := ids.first.get(text)) is not None
    ]


def first_of(texts: Sequence[str]) -> dict[str, int]:
    """Give the first position of every text."""
    n = len(texts)
    index = dict(zip(texts, range(n), strict=True))
    if len(index) < n:
        index = dict(zip(reversed(texts), range(n - 1, -1, -1), strict=True))
    return index


def trimmed(table: Table, column: Column, raw: list[str], rows: Rows) -> tuple[list[str], list[Finding]]:
    """Take surrounding blanks off, and say so, each cell up to ``MOST`` of them."""
    texts = list(map(str.strip, raw))
    if texts == raw:
        return texts, []
    padded = [
        i for i, (before, after) in enumerate(zip(raw, texts, strict=True)) if len(before) != len(after) and after
    ]

    def say(i: int, count: int) -> Finding:
        text = f"{texts[i]}: blanks around the text of column {column.header or column.quantity} were trimmed"
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        return found(
            "MP303",
            text + more,
            place_of(table, int(rows[i]), column),
            value=raw[i],
            item=texts[i],
            count=count,
        )

    return texts, each_or_together(padded, say)


def each_or_together(items: list[int], say: Callable[[int, int], Finding]) -> list[Finding]:
    """Say one finding an item up to ``MOST``, and the rest in one more; ``say`` takes an item and a count."""
    if len(items) <= MOST:
        return [say(i, 1) for i in items]
    return [*(say(i, 1) for i in items[: MOST - 1]), say(items[MOST - 1], len(items) - MOST + 1)]


def _unnamed(table: Table, column: Column, texts: list[str], rows: Rows) -> list[Finding]:
    empty = [i for i, text in enumerate(texts) if not text]

    def say(i: int, count: int) -> Finding:
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        return found(
            "MP302",
            f"{texts[i]} has no id{more}",
            place_of(table, int(rows[i]), column),
            item=texts[i],
            count=count,
        )

    for i in empty:
        texts[i] = f"(row {int(rows[i]) + 1})"
    return each_or_together(empty, say)


def duplicates(
    table: Table, column: Column, texts: list[str], rows: Rows, *, what: str = "id", remedy: str | None = None
) -> list[Finding]:
    """Say once for every text that stands on several rows, all of them named."""
    places: dict[str, list[int]] = {}
    first: dict[str, int] = {}
    for i, text in enumerate(texts):
        if first.setdefault(text, i) != i:
            places.setdefault(text, [first[text]]).append(i)

    def say(k: int, count: int) -> Finding:
        text, at = repeated[k]
        addresses = tuple(place_of(table, int(rows[i]), column) for i in at)
        more = f"; {count - 1:,} more {what}s stand on several rows" if count > 1 else ""
        return found(
            "MP301",
            f"{text}: the {what} stands on {len(at):,} rows{more}",
            addresses[1],
            value=text,
            item=text,
            remedy=remedy,
            count=len(at) if count == 1 else count,
            related=(addresses[0], *addresses[2:]),
        )

    repeated = list(places.items())
    return each_or_together(list(range(len(repeated))), say)


def said_look_alikes(table: Table, column: Column, ids: Ids, rows: Rows) -> list[Finding]:
    """Say which ids look like another one, with the code points that differ."""
    findings = []
    for odd, plain in look_alikes(ids.first, ids.texts):
        place = place_of(table, int(rows[ids.first[odd]]), column)
        other = place_of(table, int(rows[ids.first[plain]]), column)
        message = f"{odd} looks like {plain}, but is written {code_points(odd)} and not {code_points(plain)}"
        findings.append(found("MP304", message, place, value=odd, item=odd, related=(other,)))
    return findings


def match_parents(table: Table, column: Column, raw: list[str], rows: Rows, ids: Ids) -> tuple[Index, list[Finding]]:
    """Find the item that each parent text names: −1 for a blank, −2 for a text that is no id.

    ``raw (n,)`` are the cells of ``column``; one finding for each unknown text, with the id that is probably
    meant.
    """
    texts, findings = trimmed(table, column, raw, rows)
    # no id is empty, so the blank may stand among them for a moment: one look-up a row
    ids.first[""] = NO_PARENT
    parents = np.array(list(map(ids.first.get, texts, repeat(UNKNOWN_PARENT))), np.int32)
    del ids.first[""]
    unknown = np.flatnonzero(parents == UNKNOWN_PARENT)
    unseen = [i for i in unknown.tolist() if not visible(texts[i])]
    if unseen:
        findings += each_or_together(unseen, lambda i, count: _said_unseen(table, column, int(rows[i]), count))
        parents[unseen] = NO_PARENT
        unknown = np.flatnonzero(parents == UNKNOWN_PARENT)
    if len(unknown):
        named: dict[str, list[int]] = {}
        for i in unknown.tolist():
            named.setdefault(texts[i], []).append(i)
        findings += _said_unknown(table, column, named, rows, ids)
    return parents, findings


def _said_unseen(table: Table, column: Column, row: int, count: int) -> Finding:
    text = f"{column.header} holds characters that nobody sees and nothing else, and was read as blank"
    more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
    return found("MP303", text + more, place_of(table, row, column), count=count)


def _said_unknown(table: Table, column: Column, named: dict[str, list[int]], rows: Rows, ids: Ids) -> list[Finding]:
    likely = likely_ids(list(named), ids.texts)
    texts = list(named)

    def say(k: int, count: int) -> Finding:
        text, at = texts[k], named[texts[k]]
        children = f"{ids.texts[at[0]]}" + (f" and {len(at) - 1:,} more" if len(at) > 1 else "")
        more = f"; {count - 1:,} more parents are unknown" if count > 1 else ""
        message = f"{children}: the parent {text} is not the id of any row{more}"
        meant = likely.get(text, "")
        if meant:
            message += f"; {meant} is the nearest id"
        if meant and not (text.isascii() and meant.isascii()) and seen_as(text) == seen_as(meant):
            message += f", written {code_points(meant)} and not {code_points(text)}"
        return found(
            "MP305",
            message,
            place_of(table, int(rows[at[0]]), column),
            value=text,
            item=ids.texts[at[0]],
            remedy=f"write {meant} as the parent, or add a row for {text}" if meant else None,
            count=len(at) if count == 1 else count,
            related=tuple(place_of(table, int(rows[i]), column) for i in at[1:MOST]),
        )

    return each_or_together(list(range(len(texts))), say)


def likely_ids(texts: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Find the id each unknown text means: equal but for case, blanks or look-alikes, else the nearest.

    Nearest by spelling is looked for only for the first few texts and among ids of about the same length.

    >>> likely_ids(["wing", "Fusealge", "x"], ["Wing", "Fuselage"])
    {'wing': 'Wing', 'Fusealge': 'Fuselage'}
    """
    if not texts:
        return {}
    wanted = {folded(text) for text in texts}
    alike: dict[str, str] = {}
    for name in ids:
        key = folded(name)
        if key in wanted:
            alike.setdefault(key, name)
    result = {text: alike[folded(text)] for text in texts if folded(text) in alike}
    for text in [t for t in texts[:_SUGGEST] if t not in result]:
        near = [name for name in ids[:_CANDIDATES] if abs(len(name) - len(text)) <= 2][:2_000]
        closest = difflib.get_close_matches(text, near, n=1, cutoff=0.75)
        if closest:
            result[text] = closest[0]
    return result


def folded(text: str) -> str:
    """Give what a text looks like but for case and blanks.

    >>> folded("Scale 2") == folded("scale\u00a02")
    True
    """
    return "".join(seen_as(text).casefold().split())
