"""Cells of workbooks and the sheets that they form, whatever the format."""

from __future__ import annotations

import datetime
import fnmatch
import operator
import re
import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

from massprops_cli.files.options import ReadCaps, cap_error, check_texts
from massprops_cli.files.workbook.package import SheetEntry
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, rule_finding

Value = str | float | bool | None  # a cell: text, number or truth value; a date or a time is ISO text; None is blank
CellRange = tuple[int, int, int, int]  # first row, first column, last row, last column, both ends included
RowRuns = list[tuple[int, int]]  # first and last rows, ascending
CellRuns = list[tuple[int, int, int]]  # cells of a sheet: column, first row, last row
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_CRITERION = re.compile(
    r"(?P<sign><=|>=|<>|=|<|>|)(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+))"
    r"|(?P<text>(?!(?:TRUE|FALSE)$|[A-Z]{3,9}[ ./-]*\d)[^\W\d_].*|[*?~].*))",
    re.DOTALL | re.IGNORECASE,
)  # a comparison with a number, or with a text that no program reads as a number or a date
_WILDCARD = re.compile(r"~([*?~])|(\[)|[*?]")
_MOST_TESTS = 10_000_000  # of the constants of a column
_SparseCells = dict[int, dict[int, Value]]  # values that are not blank, by row and column
PEEKED_ROWS = 40  # rows that show whether a sheet is a table
_PEEKED_COLUMNS = 1000  # columns of them, at most
_LARGE_GRID = 1_000_000  # a grid of so many cells is filled without a check of its blanks
_BLANKS_PER_CELL = 16  # a larger grid may hold so many blanks per value before its outliers count as stray
_ROW_GAP, _COLUMN_GAP = 1000, 100  # blank rows or columns that part a stray cell from a table


@dataclass(slots=True)
class SheetContent:
    """The dense grid of a worksheet, the position of its corner in the sheet, and other facts; cells: (row, column)."""

    rows: list[list[Value]] = field(default_factory=list)
    first_row: int = 0
    first_column: int = 0
    errors: list[tuple[int, int, str]] = field(default_factory=list)  # row, column, text of a spreadsheet error
    formulas: list[tuple[int, int]] = field(default_factory=list)
    unsaved: list[tuple[int, int]] = field(default_factory=list)  # formulas without a saved value
    merges: list[CellRange] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)  # first and last
    outline: dict[int, int] = field(default_factory=dict)  # level by row
    styles: dict[tuple[int, int], int] = field(default_factory=dict)  # numbers of the formats that matter
    stray: list[tuple[int, int]] = field(default_factory=list)  # cells far outside the table
    dates: list[tuple[int, int]] = field(default_factory=list)  # cells with a date or a time
    summary_below: bool | None = None

    def with_grid(self, rows: list[list[Value]], first_row: int, first_column: int) -> SheetContent:
        """Return the facts with the grid of their sheet."""
        self.rows, self.first_row, self.first_column = rows, first_row, first_column
        return self


@dataclass(frozen=True, slots=True)
class CellFormats:
    """Properties of cell formats, by their number in the style sheet; formats without a property are not listed."""

    indents: dict[int, int]  # levels of indent
    struck: frozenset[int]  # formats with a struck-out font
    formats: dict[int, str]  # number format codes other than General
    dates: frozenset[int]  # formats that show a number as a date or a time
    computed: frozenset[int] = frozenset()  # formats with the mark of a roll-up


class ColumnConstants:
    """Constants of a column by row; None is a formula, or a value that is not known."""

    def __init__(self, values: Mapping[int, Value]) -> None:
        self.values, self.tests_left = values, _MOST_TESTS
        self.rows: dict[Value, list[int]] = {}  # of texts without a letter, which may be numbers, under None
        for row, value in values.items():
            is_unclear = isinstance(value, str) and not any(map(str.isalpha, value))
            key = None if is_unclear else value.lower() if isinstance(value, str) else value
            self.rows.setdefault(key, []).append(row)
        self.known: dict[str, RowRuns | None] = {}

    def matching_rows(self, criterion: str) -> RowRuns | None:
        """Return the rows that may meet a criterion of ``SUMIF``; None if programs may read it differently."""
        if criterion not in self.known:
            match = _CRITERION.fullmatch(criterion)
            is_readable = match and not (match["text"] and match["sign"] in _COMPARISONS)
            self.known[criterion] = self._matching_rows(**match.groupdict()) if match and is_readable else None
        return self.known[criterion]

    def _matching_rows(self, sign: str, number: str | None, text: str | None) -> RowRuns | None:
        """Return the rows of cells equal, unequal, less or greater."""
        text, limit, compare = (text or "").lower(), float(number or 0), _COMPARISONS.get(sign)
        keys: list[Value] = [text or limit]
        is_slow = compare or sign == "<>" or _WILDCARD.search(text)
        self.tests_left -= len(self.values if is_slow else self.rows.get(None, ()))
        if compare:
            keys = [key for key in self.rows if isinstance(key, float) and compare(key, limit)]
        elif _WILDCARD.search(text):
            plain = _WILDCARD.sub(lambda found: f"[{found[1] or found[2]}]" if found.lastindex else found[0], text)
            keys = [key for key in self.rows if isinstance(key, str) and fnmatch.fnmatchcase(key, plain)]
        rows = sorted(row for key in keys for row in self.rows.get(key, ()))
        if self.tests_left < 0:
            return None
        if sign != "<>":
            return row_runs(sorted(rows + self.rows.get(None, [])))
        return [(before + 1, after - 1) for before, after in pairwise([-1, *rows, 1_048_576]) if after > before + 1]


def row_runs(rows: Sequence[int]) -> RowRuns:
    """Join ascending rows that follow each other."""
    starts = [k for k, row in enumerate(rows) if not k or row > rows[k - 1] + 1]
    return [(rows[k], rows[end - 1]) for k, end in pairwise([*starts, len(rows)])]


def merged_runs(runs: CellRuns) -> CellRuns:
    """Join runs of cells that touch, in order."""
    if len(runs) < 2:
        return runs
    merged = CellRuns()
    for column, first, last in sorted(runs):
        if merged and merged[-1][0] == column and first <= merged[-1][2] + 1:
            merged[-1] = column, merged[-1][1], max(last, merged[-1][2])
        else:
            merged.append((column, first, last))
    return merged


def common_rows(one: RowRuns, other: RowRuns) -> RowRuns:
    """Return the rows that are in both."""
    common = RowRuns()
    for first, last in one:
        near = other[max(bisect_left(other, (first, 0)) - 1, 0) : bisect_left(other, (last + 1, 0))]
        common += [(max(first, start), min(last, end)) for start, end in near if end >= first]
    return common


def cell_address(row: int, column: int) -> str:
    """Return the address of a cell."""
    return f"{column_letters(column)}{row + 1}"


@cache
def column_letters(column: int) -> str:
    """Return the letters of a column."""
    letters, left = "", column + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def cell_position(reference: str) -> tuple[int, int] | None:
    """Return the row and the column of an address."""
    bare = reference.replace("$", "")
    letters = bare.rstrip("0123456789")
    digits = bare[len(letters) :]
    if not letters.isascii() or not letters.isalpha() or len(letters) > 3 or not 0 < len(digits) < 8:
        return None
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return (int(digits) - 1, column - 1) if digits != "0" else None


def cell_range(reference: str) -> CellRange | None:
    """Return the corners of a range such as ``A1:B2``, or of one cell."""
    first, _colon, last = reference.partition(":")
    start, end = cell_position(first), cell_position(last or first)
    return (*start, *end) if start and end else None


def date_text(serial: float, date1904: bool = False, elapsed: bool = False) -> str:
    """Return the ISO text of a date or a time of a spreadsheet."""
    milliseconds = round(serial * 86_400_000)
    if elapsed or milliseconds < 0:
        return _elapsed_text(datetime.timedelta(milliseconds=milliseconds))
    if serial < 1 and not date1904:
        moment = datetime.datetime(1899, 12, 30) + datetime.timedelta(milliseconds=milliseconds)
        return _moment_text(moment).rpartition("T")[2]
    # the calendar of 1900 counts a 29 February that never was
    start = datetime.datetime(1904, 1, 1) if date1904 else datetime.datetime(1899, 12, 31 if serial < 60 else 30)
    try:
        moment = start + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return repr(serial)
    return moment.date().isoformat() if milliseconds % 86_400_000 == 0 else _moment_text(moment)


def _elapsed_text(span: datetime.timedelta) -> str:
    """Write a duration as hours, minutes and seconds."""
    total = span.total_seconds()
    minutes, seconds = divmod(abs(total), 60)
    hours, minutes = divmod(int(minutes), 60)
    shown = f"{seconds:06.3f}".rstrip("0").rstrip(".") if seconds % 1 else f"{int(seconds):02d}"
    return f"{'-' if total < 0 else ''}{hours:02d}:{minutes:02d}:{shown}"


def plain_cell_value(value: object) -> Value:
    """Convert a value of the calamine library to a cell: None for blanks, ISO texts for dates and times."""
    if value is None or value == "":
        return None
    if isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return _elapsed_text(value)
    if isinstance(value, (datetime.datetime, datetime.time)):
        return _moment_text(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _moment_text(value: datetime.datetime | datetime.time) -> str:
    """Return ISO text, with milliseconds where there are any."""
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")


def is_dense_grid(area: int, cells: int, caps: ReadCaps) -> bool:
    """Return whether a grid may be stored with all its blank cells."""
    return area <= caps.cells and area <= max(_LARGE_GRID, _BLANKS_PER_CELL * cells)


def head_texts(cells: _SparseCells) -> list[list[str]]:
    """Return the texts of the rows with a value, at most as wide as a table."""
    if not (columns := [c for across in cells.values() for c in across]):
        return []
    reach = range(min(columns), min(max(columns), min(columns) + _PEEKED_COLUMNS) + 1)
    return [[str(across.get(c, "")) for c in reach] for _row, across in sorted(cells.items()) if across]


def cell_grid(name: str, sheet: str, cells: _SparseCells, facts: SheetContent, caps: ReadCaps) -> SheetContent:
    """Arrange cells as a grid, without stray cells far outside the table."""
    if not (cells := {row: across for row, across in sorted(cells.items()) if across}):
        return facts
    number = sum(map(len, cells.values()))
    texts = [len(value) for across in cells.values() for value in across.values() if isinstance(value, str)]
    check_texts(name, sheet, max(texts, default=0), sum(texts), caps)
    rows = list(cells)
    columns = sorted({column for across in cells.values() for column in across})
    if not is_dense_grid((rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1), number, caps):
        rows = _main_group(rows, {r: len(cells[r]) for r in rows}, _ROW_GAP)
        counts = Counter(column for row in rows for column in cells[row])
        columns = _main_group(sorted(counts), counts, _COLUMN_GAP)
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    if (area := (bottom - top + 1) * (right - left + 1)) > caps.cells:
        raise cap_error(name, f"table spans {area} cells", "cells", caps.cells, sheet, area)
    facts.stray = [
        (row, column)
        for row, across in cells.items()
        for column in sorted(across)
        if not (top <= row <= bottom and left <= column <= right)
    ]
    width = right - left + 1
    grid: list[list[Value]] = []
    for row in range(top, bottom + 1):
        line: list[Value] = [""] * width
        for column, value in cells.get(row, {}).items():
            if left <= column <= right:
                line[column - left] = value
        grid.append(line)
    return facts.with_grid(grid, top, left)


def _main_group(ascending: list[int], weights: dict[int, int], gap: int) -> list[int]:
    """Return the group of numbers with the greatest weight; gaps wider than ``gap`` separate groups."""
    groups = [[ascending[0]]]
    for number in ascending[1:]:
        if number - groups[-1][-1] > gap:
            groups.append([number])
        else:
            groups[-1].append(number)
    return max(groups, key=lambda group: sum(weights[n] for n in group))


LooksLikeTable = Callable[[list[str]], bool]
"""Return whether the texts of a header row look like those of a table of parts."""
_Peek = Callable[[SheetEntry], list[list[str]]]  # gives the texts of a sheet's first rows that are not blank
SAMPLES_SHEET, SAMPLES_HEAD = "Samples", ("item", "statistic")
"""The sheet that only a simulation adds, and how its header begins."""
FORMULA_SHEET = "Rollup formulas"
_OWN_SHEETS = frozenset({"Review", "Rollup", SAMPLES_SHEET, FORMULA_SHEET, "Findings", "About"})
"""Sheets that a roll-up adds to a workbook; they are its own if `MARKER` is in cell A1 of the last."""
_OWN_MARKER = "massprops"
_MOST_LISTED = 5  # how many sheets a remedy names
_OWN_NAME = re.compile(rf"({'|'.join(sorted(_OWN_SHEETS, reverse=True))})(?: \({_OWN_MARKER}(?: \d+)?\))?")
"""Rollup, Rollup (massprops 2)."""


def choose_sheet(
    name: str,
    entries: Sequence[SheetEntry],
    wanted: str,
    peek: _Peek,
    looks_like_table: LooksLikeTable | None,
    findings: Findings,
) -> SheetEntry:
    """Choose the sheet with the table, and report other sheets except result sheets."""
    if wanted:
        return _requested_sheet(name, entries, wanted)
    own = _own_sheets(entries, peek)
    worksheets = [e for e in entries if e.kind == "worksheet" and e.state != "veryHidden" and e.name not in own]
    if len(worksheets) == 1:
        return worksheets[0]
    chosen = _only_table_sheet(name, entries, worksheets, peek, looks_like_table)
    others = _sheet_name_list([entry for entry in worksheets if entry is not chosen])
    message = f"sheet {chosen.name!r} contains the table; not read: {others}"
    remedy = f"state it with --sheet {shlex.quote(chosen.name)}"
    findings.report("MP142", message, Place(name, sheet=chosen.name), remedy=remedy)
    return chosen


def _only_table_sheet(
    name: str,
    entries: Sequence[SheetEntry],
    worksheets: Sequence[SheetEntry],
    peek: _Peek,
    looks_like_table: LooksLikeTable | None,
) -> SheetEntry:
    """Return the only worksheet that can be the table: texts in two rows and in two columns at least."""
    heads = {entry.name: peek(entry) for entry in worksheets}
    width = {name: len({j for row in head for j, text in enumerate(row) if text}) for name, head in heads.items()}
    candidates = [entry for entry in worksheets if len(heads[entry.name]) >= 2 and width[entry.name] >= 2]
    if looks_like_table and len(candidates) > 1:
        candidates = [e for e in candidates if any(map(looks_like_table, heads[e.name]))] or candidates
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        message = f"no sheet contains a table (sheets: {_sheet_name_list(entries)})"
        raise TableError([rule_finding("MP111", message, Place(name))])
    message = f"{len(candidates)} sheets could be the table: {_sheet_name_list(candidates)}"
    listed = " or ".join(f"--sheet {shlex.quote(entry.name)}" for entry in candidates[:_MOST_LISTED])
    remedy = f"name one: {listed}; or read all as one tree: --combine branch"
    value = "\n".join(entry.name for entry in candidates)
    raise TableError([rule_finding("MP112", message, Place(name), remedy=remedy, value=value)])


def _sheet_name_list(entries: Sequence[SheetEntry]) -> str:
    """Write the names of sheets for a message."""
    marks = {"hidden": " (hidden)", "veryHidden": " (hidden)"}
    return ", ".join(
        f"'{e.name}'" + marks.get(e.state, "" if e.kind == "worksheet" else f" ({e.kind})") for e in entries
    )


def _requested_sheet(name: str, entries: Sequence[SheetEntry], wanted: str) -> SheetEntry:
    """Return the sheet of a name, in any case, or of a number from 1; TableError if it is missing (MP113)."""
    exact = [e for e in entries if e.name == wanted]
    alike = exact or [e for e in entries if e.name.casefold() == wanted.casefold()]
    if not alike and wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(entries):
        alike = [entries[int(wanted[:9]) - 1]]
    if not alike:
        message = f"workbook has no sheet {wanted!r} (sheets: {_sheet_name_list(entries)})"
        raise TableError([rule_finding("MP113", message, Place(name), value=wanted)])
    if alike[0].kind != "worksheet":
        message = f"sheet {alike[0].name!r} is a {alike[0].kind}, not a worksheet (sheets: {_sheet_name_list(entries)})"
        raise TableError([rule_finding("MP113", message, Place(name), value=wanted)])
    return alike[0]


def _own_sheets(entries: Sequence[SheetEntry], peek: _Peek) -> frozenset[str]:
    """Return the names of the tool's sheets; if a sheet of the user has such a name, the tool's has a suffix."""
    own: dict[str, SheetEntry] = {}
    for entry in entries:
        known = _OWN_NAME.fullmatch(entry.name)
        if known and known[1] in (SAMPLES_SHEET, "Review"):
            head = tuple(next(iter(peek(entry)), []))
            is_review = {"mass", "share"} <= {*head} or head[:1] == ("review",)
            if not (is_review if known[1] == "Review" else head[: len(SAMPLES_HEAD)] == SAMPLES_HEAD):
                continue  # a user's sheet of the name does not imply a result sheet
        if known and entry.kind == "worksheet":  # names of the tool's sheets ascend by their numbers
            own[known[1]] = max(own.get(known[1], entry), entry, key=lambda one: (len(one.name), one.name))
    if "About" not in own:
        return frozenset()
    rows = peek(own["About"])
    is_marked = bool(rows and rows[0] and rows[0][0] == _OWN_MARKER)
    return frozenset(entry.name for entry in own.values()) if is_marked else frozenset()


def report_sheet_contents(sheet: Place, content: SheetContent, struck: Sequence[int], findings: Findings) -> None:
    """Report the contents of a sheet other than values."""
    for row, column, shown in sorted(content.errors):
        findings.report(
            "MP117", f"cell {cell_address(row, column)} contains {shown}", _cell_place(sheet, row, column), value=shown
        )
    for row, column in sorted(content.unsaved):
        message = f"formula in cell {cell_address(row, column)} has no saved value"
        findings.report("MP116", message, _cell_place(sheet, row, column))
    for merged in sorted(content.merges):
        if swallowed := _swallowed_values(content, merged):
            name = f"{cell_address(merged[0], merged[1])}:{cell_address(merged[2], merged[3])}"
            place = replace(sheet, row=merged[0] + 1, cell=name)
            findings.report("MP118", f"cells {name} are merged and {swallowed}", place)
    _report_hidden_cells(sheet, content, findings)
    if inside := [row for row in struck if 0 <= row - content.first_row < len(content.rows)]:
        findings.append(_rows_finding("MP120", "struck out, and included", sheet, inside))
    if content.stray:
        spots = [_cell_place(sheet, row, column) for row, column in content.stray]
        shown = ", ".join(place.cell for place in spots)
        verb = "is" if len(spots) == 1 else "are"
        message = f"{_count_text(len(spots), 'cell')} far outside the table {verb} not read: {shown}"
        findings.report("MP128", message, spots[0], count=len(spots), related=tuple(spots[1:]))


def _number_runs(numbers: Sequence[int]) -> str:
    """Write ascending numbers as runs."""
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in row_runs(numbers))


def _swallowed_values(content: SheetContent, merged: CellRange) -> str:
    """Return the effect of a merged range: hidden values, or one value for several rows; empty without one."""
    top, left, bottom, right = merged
    grid, first_row, first_column = content.rows, content.first_row, content.first_column
    hidden, corner = 0, False
    for i in range(max(0, top - first_row), min(len(grid), bottom - first_row + 1)):
        row = grid[i]
        for j in range(max(0, left - first_column), min(len(row), right - first_column + 1)):
            if row[j] in ("", None):
                continue
            if (i + first_row, j + first_column) == (top, left):
                corner = True
            else:
                hidden += 1
    if hidden:
        return f"hide {_count_text(hidden, 'value')}"
    # a heading merged with the row below it, such as a row of units, takes nothing from a part
    return f"apply one value to {bottom - top + 1} rows" if corner and bottom > top and top > first_row else ""


def _report_hidden_cells(sheet: Place, content: SheetContent, findings: Findings) -> None:
    """Report hidden rows and columns with values, which are read (MP119)."""
    rows = [r for r in content.hidden_rows if 0 <= r - content.first_row < len(content.rows)]
    if rows := sorted({r for r in rows if any(v not in ("", None) for v in content.rows[r - content.first_row])}):
        findings.append(_rows_finding("MP119", "hidden or filtered, and included", sheet, rows))
    width = len(content.rows[0]) if content.rows else 0
    columns = sorted(
        {
            c
            for first, last in content.hidden_columns
            for c in range(max(first, content.first_column), min(last, content.first_column + width - 1) + 1)
        }
    )
    columns = [c for c in columns if any(row[c - content.first_column] not in ("", None) for row in content.rows)]
    if columns:
        names = ", ".join(column_letters(c) for c in columns)
        verb = "is" if len(columns) == 1 else "are"
        message = f"{_count_text(len(columns), 'column')} {verb} hidden, and read: {names}"
        place = replace(sheet, cell=f"{column_letters(columns[0])}1")
        remedy = "unhide the columns, or exclude them with --ignore-column"
        findings.report("MP119", message, place, count=len(columns), remedy=remedy)


def _rows_finding(rule: str, what: str, sheet: Place, rows: Sequence[int]) -> Finding:
    """Make one finding for some rows."""
    verb = "is" if len(rows) == 1 else "are"
    message = f"{_count_text(len(rows), 'row')} {verb} {what}: {_number_runs([r + 1 for r in rows])}"
    return rule_finding(rule, message, replace(sheet, row=rows[0] + 1), count=len(rows))


def _cell_place(sheet: Place, row: int, column: int) -> Place:
    """Return the place of a cell."""
    return replace(sheet, row=row + 1, cell=cell_address(row, column))


def _count_text(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
