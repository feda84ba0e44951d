"""The result of every layout, and its rows and ids, which are always text, compared exactly."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Rows, Table
from massprops_cli.findings.finding import Finding, Findings, Place, name_list, rule_finding
from massprops_cli.tables.cells.number_text import is_blank_mark, visible_text
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns

NO_PARENT, UNKNOWN_PARENT = -1, -2  # a blank, a text that is not an id

Index = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """n items in the order of the file, and their parents."""

    layout: str  # one of LAYOUTS, single for a table of one row, empty when none was found
    how: str  # how it was found, and where the ids come from
    rows: Rows  # (n,) table rows, −1 for a root that the table names without giving it a row
    ids: Sequence[str]
    parents: Index  # (n,) items, −1 for no parent, −2 for one that is named and not found
    names: Sequence[str] | None = None
    part: Rows | None = None  # (n,) the part each item is a piece of, where the table has parts in several places
    edge_rows: Rows | None = None  # (n,) rows that hold the quantities, where these are not rows (edges)
    parent_column: QuantityColumn | None = None  # for the address of a finding
    tops_are_parts: bool = False  # several rows without a parent are the parts of one product, as in a list
    piece: Rows | None = None  # (n,) number of a piece of a pattern, from 0; −1 for other items

    def __len__(self) -> int:
        return len(self.parents)


def empty_hierarchy(layout: str = "", how: str = "no layout was found") -> Hierarchy:
    """Make the hierarchy of a table in which none can be read."""
    return Hierarchy(layout, how, np.empty(0, np.intp), [], np.empty(0, np.int32))


def unused_id(name: str, ids: Sequence[str]) -> str:
    """Make a name that is not the id of an item: with a number behind it, from 2, if it is in use."""
    taken = set(ids) if name in ids else ()
    result, number = name, 2
    while result in taken:
        result, number = f"{name} {number}", number + 1
    return result


def column_texts(table: Table, columns: TableColumns, quantity: str) -> Sequence[str] | None:
    """Read the texts (n,) of a quantity from the first row of data on; None without a column."""
    column = columns.by_quantity.get(quantity)
    return None if column is None else table.texts(column.index, columns.first_row)


def data_rows(table: Table, columns: TableColumns, key: Sequence[str]) -> Rows:
    """List the table rows (k,) that hold data, ascending; complete rows are read only where the key (n,) is blank."""
    first = columns.first_row
    rows = np.arange(first, first + len(key), dtype=np.intp)
    if all(map(str.strip, key)):
        return rows
    blank = [i for i, text in enumerate(key) if not text or text.isspace()]
    keep = np.ones(len(key), bool)
    for i in blank:
        keep[i] = any(text and not text.isspace() for text in table.row(first + i))
    return rows[keep]


def texts_of_rows(texts: Sequence[str], rows: Rows, first_row: int) -> list[str]:
    """Select the texts (k,) of table rows (k,) from those of a column (n,)."""
    whole = texts if isinstance(texts, list) else list(texts)
    return whole if len(rows) == len(whole) else [whole[i] for i in (rows - first_row).tolist()]


def cell_place(table: Table, row: int, column: QuantityColumn | None = None) -> Place:
    """Find the address of a cell."""
    if row < 0:
        return Place(table.source.name, table.source.sheet)
    return table.place(row) if column is None else table.place(row, column.index, column.header)


_CYRILLIC = dict(zip("АВЕЅІЈКМНОРСТУХаеѕіјорсухԛԝһ", "ABESIJKMHOPCTYXaesijopcyxqwh", strict=True))
_GREEK = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲν", "ABEZHIKMNOPTYXocv", strict=True))
_DASHES = dict.fromkeys("‐‑‒–—−﹣", "-")
_QUOTES = dict.fromkeys("‘’ʼ′", "'")
_BLANKS = dict.fromkeys(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
)
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_INVISIBLE = dict.fromkeys(
    "\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufe0e\ufe0f\ufeff"
    + "".join(map(chr, range(0x2060, 0x2070))),
    "",
)  # without width, or marks of direction
_VISUAL_EQUIVALENTS = str.maketrans(
    {**_CYRILLIC, **_GREEK, **_DASHES, **_QUOTES, **_BLANKS, **_FULL_WIDTH, **_INVISIBLE}
)


def _visual_text(text: str) -> str:
    """Convert a text into the plain characters that it looks like; upper and lower case stay apart."""
    if text.isascii():
        return text
    seen = unicodedata.normalize("NFC", text).translate(_VISUAL_EQUIVALENTS)
    # an unseen character may have been between a letter and its accent
    return (seen if seen.isascii() else unicodedata.normalize("NFC", seen)).strip()


def _text_with_code_points(text: str) -> str:
    """Show a text with the code points of all but plain ASCII."""
    runs = re.findall(r"[ -~]+|[^ -~]", text)
    return " ".join(run if run[0].isascii() and run.isprintable() else f"U+{ord(run):04X}" for run in runs)


def _look_alike_ids(ids: Iterable[str], known: Sequence[str]) -> list[tuple[str, str]]:
    """Find pairs of different ids that look the same: (the odder one, the plainer one)."""
    # ``ids`` are distinct, ``known`` all of them as a sequence for one test of whether any needs comparison
    if all(map(str.isascii, known)):
        return []
    odd = {text: _visual_text(text) for text in ids if not text.isascii()}
    plain = set(odd.values())
    first: dict[str, str] = {text: text for text in known if text in plain}
    return [(text, twin) for text, seen in odd.items() if (twin := first.setdefault(seen, text)) != text]


_T = TypeVar("_T")
_MAX_FINDINGS = 1_000  # the maximum number of findings of one kind; the last one counts the others

_SPREADSHEET_ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!")
"""What a cell holds whose formula failed. [ECMA-376-1:2016, 18.17.3]"""

_MAX_SUGGESTIONS = 50  # texts for which the nearest id is searched, which is slow
_MAX_CANDIDATES = 20_000  # ids that are searched


class ItemIds(NamedTuple):
    """The ids of n items: ``texts (n,)`` trimmed, ``first`` the first item of each id."""

    texts: list[str]
    first: dict[str, int]


def read_ids(table: Table, column: QuantityColumn, raw: list[str], rows: Rows, findings: Findings) -> ItemIds:
    """Trim and check ids (n,); an empty one is named in brackets, so that the rest of its row is still checked."""
    texts = trim_ids(table, column, raw, rows, findings)
    empty = [i for i, text in enumerate(texts) if not text] if "" in texts else []
    for i in empty:
        texts[i] = f"(row {int(rows[i]) + 1})"

    def missing_id(i: int) -> Finding:
        return rule_finding("MP302", "row has no id", cell_place(table, int(rows[i]), column), item=texts[i])

    findings += limited_findings(empty, missing_id)
    if len(index := first_positions(texts)) < len(texts):
        findings += duplicate_id_findings(table, column, texts, rows)
    findings += look_alike_findings(table, column, ItemIds(texts, index), rows)
    findings += _date_findings(table, column, texts, rows)
    findings += _spreadsheet_error_findings(table, column, ItemIds(texts, index), rows)
    return ItemIds(texts, index)


def _date_findings(table: Table, column: QuantityColumn, texts: list[str], rows: Rows) -> list[Finding]:
    """Report ids that are dates in the workbook: a spreadsheet program converts part numbers such as 1-2 to dates."""
    if table.sheet_info is None or not table.sheet_info.dates:
        return []
    dates = {i for i, j in table.sheet_info.dates if j == column.index}

    def finding_of(i: int) -> Finding:
        message = f"id is a date, possibly converted from a part number: {texts[i]}"
        return rule_finding("MP226", message, cell_place(table, int(rows[i]), column), value=texts[i], item=texts[i])

    return limited_findings([i for i, row in enumerate(rows.tolist()) if row in dates] if dates else [], finding_of)


def _spreadsheet_error_findings(table: Table, column: QuantityColumn, ids: ItemIds, rows: Rows) -> list[Finding]:
    """Reject ids that are errors of a spreadsheet: the item is lost, and parents may be lost as well."""
    found = Findings()
    for text in (text for text in _SPREADSHEET_ERRORS if text in ids.first):
        place = cell_place(table, int(rows[ids.first[text]]), column)
        found.report("MP117", f"{column.header} is a spreadsheet error: {text}", place, item=text)
    return found


def first_positions(texts: Sequence[str]) -> dict[str, int]:
    """Map every text (n,) to its first position, from 0."""
    n = len(texts)
    index = dict(zip(texts, range(n), strict=True))
    if len(index) < n:
        index = dict(zip(reversed(texts), range(n - 1, -1, -1), strict=True))
    return index


def trim_ids(table: Table, column: QuantityColumn, raw: list[str], rows: Rows, findings: Findings) -> list[str]:
    """Remove blanks around texts (n,), and report them, each cell up to ``_MAX_FINDINGS`` of them."""
    if (texts := list(map(str.strip, raw))) == raw:
        return texts
    padded = [i for i, text in enumerate(texts) if text and len(text) != len(raw[i])]

    def finding_of(i: int) -> Finding:
        message = f"blanks around the text of column {column.header or column.quantity} were trimmed: {texts[i]}"
        return rule_finding("MP303", message, cell_place(table, int(rows[i]), column), value=raw[i], item=texts[i])

    findings += limited_findings(padded, finding_of)
    return texts


def limited_findings(
    items: Sequence[_T], finding_of: Callable[[_T], Finding], more: str = "the same in {:,} more rows"
) -> list[Finding]:
    """Make one finding per item up to ``_MAX_FINDINGS``; the last one states and counts ``more`` that follow."""
    made = [finding_of(item) for item in items[:_MAX_FINDINGS]]
    if left := len(items) - len(made):
        made[-1] = replace(made[-1], message=f"{made[-1].message}; {more.format(left)}", count=left + 1)
    return made


def duplicate_id_findings(
    table: Table, column: QuantityColumn, texts: list[str], rows: Rows, *, what: str = "id", remedy: str | None = None
) -> list[Finding]:
    """Report every text (n,) that is on several rows once, with all rows."""
    places: dict[str, list[int]] = {}
    first: dict[str, int] = {}
    for i, text in enumerate(texts):
        if first.setdefault(text, i) != i:
            places.setdefault(text, [first[text]]).append(i)

    def finding_of(repeated: tuple[str, list[int]]) -> Finding:
        text, at = repeated
        first_place, second, *others = (cell_place(table, int(rows[i]), column) for i in at)
        message, related = f"{what} is on {len(at):,} rows: {text}", (first_place, *others)
        return rule_finding(
            "MP301", message, second, value=text, item=text, remedy=remedy, count=len(at), related=related
        )

    return limited_findings(list(places.items()), finding_of, f"{{:,}} more {what}s are on several rows")


def look_alike_findings(table: Table, column: QuantityColumn, ids: ItemIds, rows: Rows) -> list[Finding]:
    """Report ids (n,) that resemble another one, with the code points that differ."""
    findings = Findings()
    for odd, plain in _look_alike_ids(ids.first, ids.texts):
        place = cell_place(table, int(rows[ids.first[odd]]), column)
        other = cell_place(table, int(rows[ids.first[plain]]), column)
        message = f"{odd} resembles {plain}: {_text_with_code_points(odd)}, not {_text_with_code_points(plain)}"
        findings.report("MP304", message, place, value=odd, item=odd, related=(other,))
    return findings


def match_parents(
    table: Table, column: QuantityColumn, raw: list[str], rows: Rows, ids: ItemIds, findings: Findings
) -> Index:
    """Find the item that each parent text (n,) names: -1 for a blank, -2 for an unknown one, a finding for each."""
    texts = trim_ids(table, column, raw, rows, findings)
    # no id is empty, so the blank may be among them for a moment: one look-up a row
    ids.first[""] = NO_PARENT
    parents = np.array(list(map(ids.first.get, texts, repeat(UNKNOWN_PARENT))), np.int32)
    del ids.first[""]
    unknown = np.flatnonzero(parents == UNKNOWN_PARENT)
    unseen = [i for i in unknown.tolist() if not visible_text(texts[i])]
    if marks := [i for i in unknown.tolist() if is_blank_mark(texts[i])]:
        what = f"{column.header} has placeholder text, read as blank: {name_list(sorted({texts[i] for i in marks}))}"
        places = [cell_place(table, int(rows[i]), column) for i in marks[:_MAX_FINDINGS]]
        findings.report("MP229", what, places[0], value=texts[marks[0]], count=len(marks), related=tuple(places[1:]))
    message = f"{column.header} contains only invisible characters, read as blank"
    findings += limited_findings(
        unseen, lambda i: rule_finding("MP303", message, cell_place(table, int(rows[i]), column))
    )
    parents[unseen + marks] = NO_PARENT
    unknown = np.flatnonzero(parents == UNKNOWN_PARENT)
    if len(unknown):
        named: dict[str, list[int]] = {}
        for i in unknown.tolist():
            named.setdefault(texts[i], []).append(i)
        findings += _unknown_parent_findings(table, column, named, rows, ids)
    return parents


def _unknown_parent_findings(
    table: Table, column: QuantityColumn, named: dict[str, list[int]], rows: Rows, ids: ItemIds
) -> list[Finding]:
    """Report every parent that is not an id once, with the id that is probably meant."""
    likely = _likely_ids(list(named), ids.texts)

    def finding_of(text: str) -> Finding:
        at = named[text]
        children = name_list([ids.texts[at[0]]], 1, count=len(at))
        message = f"parent of {children} is not the id of any row: {text}"
        if meant := likely.get(text, ""):
            message += f"; {meant} is the nearest id"
        if meant and not (text.isascii() and meant.isascii()) and _visual_text(text) == _visual_text(meant):
            message += f" ({_text_with_code_points(meant)}, not {_text_with_code_points(text)})"
        first, *others = (cell_place(table, int(rows[i]), column) for i in at[:_MAX_FINDINGS])
        remedy = f"write {meant} as the parent, or add a row for {text}" if meant else None
        item, count, related = ids.texts[at[0]], len(at), tuple(others)
        return rule_finding("MP305", message, first, value=text, item=item, remedy=remedy, count=count, related=related)

    return limited_findings(list(named), finding_of, "{:,} more parents are unknown")


def _likely_ids(texts: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Find the id each unknown text means: equal but for case, blanks or look-alikes, else the nearest."""
    # the nearest spelling is searched for only for the first few texts and among ids of about the same length
    if not texts:
        return {}
    wanted = {folded_text(text) for text in texts}
    alike: dict[str, str] = {}
    for name in ids:
        if (key := folded_text(name)) in wanted:
            alike.setdefault(key, name)
    result = {text: alike[folded_text(text)] for text in texts if folded_text(text) in alike}
    for text in [t for t in texts[:_MAX_SUGGESTIONS] if t not in result]:
        near = [name for name in ids[:_MAX_CANDIDATES] if abs(len(name) - len(text)) <= 2][:2_000]
        if closest := difflib.get_close_matches(text, near, n=1, cutoff=0.75):
            result[text] = closest[0]
    return result


def folded_text(text: str) -> str:
    r"""Convert a text into the form in which ids are compared, without case, blanks and look-alike letters."""
    return "".join(_visual_text(text).casefold().split())


_DOTTED_NUMBER = re.compile(r"[\d.]+")  # an item number


class _ItemLabels(NamedTuple):
    """``ids (n,)``, ``names (n,)`` where the table has them, and ``how``: where the ids come from."""

    ids: Sequence[str]
    names: Sequence[str] | None
    how: str


def label_items(
    table: Table,
    columns: TableColumns,
    rows: Rows,
    parents: Index,
    own: tuple[str, Sequence[str]] | None,
    findings: Findings,
) -> _ItemLabels:
    """Choose ids (n,): the id column, else part, name or item if all differ, else the layout's, else tree positions."""
    raw_names = column_texts(table, columns, "name")
    names = None if raw_names is None else [text.strip() for text in texts_of_rows(raw_names, rows, columns.first_row)]
    if (column := columns.by_quantity.get("id")) is not None:
        raw = texts_of_rows(table.texts(column.index, columns.first_row), rows, columns.first_row)
        if all(text.strip(" -–—") for text in set(raw)) or names is None or not _has_unique_texts(names):  # - is none
            ids = read_ids(table, column, raw, rows, findings)
            return _ItemLabels(ids.texts, names, f"ids from column {column.header}")
    for quantity in ("part", "name", "item"):
        if (texts := column_texts(table, columns, quantity)) is not None:
            stripped = [text.strip() for text in texts_of_rows(texts, rows, columns.first_row)]
            # column Item contains row numbers, less useful than the position in the tree, or the names
            if _has_unique_texts(stripped) and not (
                quantity == "item" and any(map(_DOTTED_NUMBER.fullmatch, stripped))
            ):
                return _ItemLabels(stripped, names, f"ids from column {columns.by_quantity[quantity].header}")
            # repeated texts are names, next to another id
            if names is None and not any(map(_DOTTED_NUMBER.fullmatch, stripped)):
                names = stripped
    if own is not None and _has_unique_texts(own[1]):
        return _ItemLabels(own[1], names, f"ids from {own[0]}")
    return _ItemLabels(_tree_position_numbers(parents), names, "ids from the position in the tree")


def _has_unique_texts(texts: Sequence[str]) -> bool:
    """Return whether texts are usable as ids: none blank, none twice."""
    distinct = set(texts)
    return len(distinct) == len(texts) and "" not in distinct


def _tree_position_numbers(parents: Index) -> list[str]:
    """Return the number of every item by its place in the tree: 1, 1.1, 1.2, 1.2.1."""
    # ids of a long chain would need gigabytes: below 100 levels an item is named after its row
    counts = [0] * (len(parents) + 1)
    numbers = [""] * len(parents)
    depths = [0] * len(parents)
    for i in _parents_first_order(parents):
        parent = int(parents[i])
        above = parent if parent >= 0 else len(parents)
        counts[above] += 1
        depths[i] = depths[parent] + 1 if parent >= 0 else 0
        if depths[i] > 100:
            numbers[i] = f"(item {i + 1})"
        else:
            numbers[i] = f"{numbers[parent]}.{counts[above]}" if parent >= 0 else str(counts[above])
    return numbers


def _parents_first_order(parents: Index) -> Sequence[int]:
    """Order the items so that parents come before their children, children in file order."""
    n = len(parents)
    if bool((parents < np.arange(n)).all()):
        return range(n)
    order = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[order], np.arange(n + 1))
    waiting = np.flatnonzero(parents < 0).tolist()
    for i in waiting:
        waiting.extend(order[starts[i] : starts[i + 1]].tolist())
    return waiting
