"""Formulas of a workbook: which cells they read, which add to their sums, and which saved values are old."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from massprops_cli.files.workbook.cells import CellRange, cell_address, cell_position

_Area = tuple[str, int, int, int, int]
"""Cells of a sheet: its name in lower case, and a `CellRange`."""
Tables = Mapping[str, tuple[_Area, list[str]]]
"""Cells and columns of tables."""
_Cells = set[tuple[int, int]]
_Filled = Mapping[int, list[int]]
"""Rows of filled cells by column."""
_Runs = list[tuple[int, int, int]]
"""Cells of the table's sheet: column, first row, last row."""
_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")
    |(?P<sheet>(?:'(?:[^']|'')++'|(?:\[\d+\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
    (?:(?P<area>\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+)(?![\w(.\[])
    |(?P<call>[^\W\d][\w.]*)\(|(?P<name>[^\W\d][\w.\\?]*)(?P<part>\[(?:[^\[\]']|'.|\[(?:[^\]']|'.){,600}+\])*+\])?)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:E[-+]?\d+)?)|(?P<sign><=|>=|<>|[-+*/^&=<>,;(){}%:])|'(?:[^']|'')*+""",
    re.VERBOSE | re.IGNORECASE,
)  # a part of a formula
_CORNER = re.compile(r"(\$?)([A-Z]*)(\$?)(\d*)", re.IGNORECASE)  # $A$1, A, $1
_FORMULA = re.compile(
    rb"(<(?:[\w.-]+:)?c\b)([^>]*)(>\s*<(?:[\w.-]+:)?f\b([^>]*?)(?:/>|>([^<]*)</(?:[\w.-]+:)?f>))"
    rb"(\s*<(?:[\w.-]+:)?v\b[^>]*>[^<]*</(?:[\w.-]+:)?v>)?"
)  # a cell with a formula: its attributes, those of the formula, its text, its saved value
_ADDRESS = re.compile(rb'\br="([A-Z]+\d+)"')  # r="A1"
_GROUP = re.compile(rb'\bsi="(\d+)"')  # si="0", the group of a shared formula
_SUMS = re.compile("SUM|AVERAGE|COUNT|MAX|MIN|MEDIAN|PRODUCT|STDEV|VAR|AGGREGATE")  # begin the names of such functions
_LOOKUPS = re.compile("[VHX]?LOOKUP|X?MATCH|INDEX|ROWS?|COLUMNS?|ISBLANK")  # of one cell's value, or of none
_UNRESOLVED = {name: [("", 0, 0, 1_048_575, 16_383)] for name in ("INDIRECT", "OFFSET", ":")}
"""Parts of formulas that refer to cells which only a calculation finds: to any."""
_DEEPEST = 64  # functions inside each other


class WorkbookFormulas:
    """Formulas of sheets, and the cells that they read."""

    def __init__(
        self, home: str, sheets: Sequence[str], texts: Mapping[str, bytes], names: Mapping[str, str], tables: Tables
    ) -> None:
        self.home, self.tables = home.lower(), tables
        self.sheets, self.titles = [title.lower() for title in sheets], sheets
        self.names: dict[str, list[_Area]] = {}
        for name, text in [*names.items()] * 3:  # a name may refer to others
            self.names[name] = [*{area for *_, areas in self._tokens(text, self.home, 0) for area in areas}]
        self.places: list[tuple[str, int, int]] = []  # sheet, row, column of each formula
        self.reads: list[list[_Area]] = []
        self.values: list[list[_Area]] = []  # cells that add to its value
        self.sums: list[list[list[_Area]]] = []  # cells of each sum in it
        self.columns: dict[str, dict[int, list[tuple[int, int]]]] = {}  # row and number of formulas
        for sheet, rows in texts.items():
            self._scan(sheet, rows)

    def _scan(self, sheet: str, rows: bytes) -> None:
        """Collect the formulas of a sheet."""
        shared: dict[bytes, tuple[str, tuple[int, int]]] = {}
        for cell in _FORMULA.finditer(rows):
            if (place := _formula_cell(cell)) is None:
                continue
            text, start = html.unescape((cell[5] or b"").decode(errors="replace")), place
            if group := _GROUP.search(cell[4]):
                text, start = shared.setdefault(group[1], (text, place))
            tokens = list(self._tokens(text, sheet, place[0], (place[0] - start[0], place[1] - start[1])))
            self.columns.setdefault(sheet, {}).setdefault(place[1], []).append((place[0], len(self.places)))
            self.places.append((sheet, *place))
            self.reads.append([area for *_, areas in tokens for area in areas])
            self.sums.append([])
            self.values.append(_summed_areas(iter(tokens), self.sums[-1]))

    def _tokens(
        self, text: str, sheet: str, row: int, move: tuple[int, int] = (0, 0)
    ) -> Iterator[tuple[str, str, list[_Area]]]:
        """Yield kind, text and cells of the parts of a formula; relative addresses are moved by rows and columns."""
        for token in _TOKEN.finditer(text):
            name, part = (token["name"] or "").lower(), (token["part"] or "").lower()
            if token["area"]:
                home = (token["sheet"] or "")[:-1].strip("'").replace("''", "'").lower()
                first, _, last = (home or sheet).partition(":")
                if first in self.sheets and (last or first) in self.sheets:  # others are of another workbook
                    within = self.sheets[self.sheets.index(first) : self.sheets.index(last or first) + 1]
                    yield "area", token[0], [(one, *_area_corners(token["area"], move)) for one in within]
            elif name in self.tables:
                yield "area", token[0], [_table_area(*self.tables[name], part, row)]
            elif name in self.names:
                yield "name", name, self.names[name]
            else:
                found = re.sub(r"^_XL\w\w\.", "", (token["call"] or token[0]).upper())
                yield token.lastgroup or "", found, _UNRESOLVED.get(found, [])

    def dependents(self, filled: _Filled) -> dict[str, _Cells]:
        """Return the formulas whose value depends on filled cells, by sheet."""
        found: dict[str, _Cells] = {}
        content = self._contents(self.reads, filled)
        for (sheet, row, column), areas in zip(self.places, self.reads, strict=True):
            if any(_between(filled[place], first, last) for place, first, last in content(areas)):
                found.setdefault(sheet, set()).add((row, column))
        return found

    def double_sums(self, filled: _Filled, parents: Iterable[tuple[int, int]]) -> tuple[_Cells, list[str]]:
        """Return the filled cells of assemblies that are summed together with their parts, and the formulas.

        Cells that an input of the roll-up reads are among them, because the roll-up would have to be repeated.
        """
        above: dict[int, set[int]] = {}
        for row, over in parents:
            above.setdefault(row, set()).add(over)
        items, leaves = sorted(above), above.keys() - set().union(*above.values())
        content, known = self._contents(self.values, filled), dict[tuple[object, ...], bool]()
        twice, formulas = _Runs(), list[str]()
        for (sheet, row, column), sums, value in zip(self.places, self.sums, self.values, strict=True):
            is_input = sheet == self.home and row in leaves and column in filled
            found = content(value) if is_input else []
            for runs in map(content, sums):
                key = tuple(runs)
                if key not in known:
                    known[key] = _is_double(runs, filled, items, above)
                found = found + runs if known[key] else found
            if any(_between(filled[place], first, last) for place, first, last in found):
                title = "" if sheet == self.home else f"{self.titles[self.sheets.index(sheet)]}!"
                formulas.append(title + cell_address(row, column))
                twice = _merged_runs(twice + found)
        return {
            (row, column) for column, first, last in twice for row in _between(filled[column], first, last)
        }, formulas

    def _contents(self, inner: Sequence[list[_Area]], columns: Iterable[int]) -> Callable[[list[_Area]], _Runs]:
        """Return a function for cells of some columns in areas, and in the ``inner`` areas of formulas there."""
        known: list[_Runs] = [[] for _ in inner]
        memo: dict[_Area, _Runs] = {}

        def content(areas: list[_Area]) -> _Runs:
            for area in areas:
                if area not in memo:
                    sheet, top, left, bottom, right = area
                    runs = [(column, top, bottom) for column in columns if left <= column <= right]
                    runs = runs if sheet in ("", self.home) else []
                    for column, found in self.columns.get(sheet, {}).items():
                        if left <= column <= right:
                            within = found[bisect_left(found, (top, 0)) : bisect_left(found, (bottom + 1, 0))]
                            runs += [run for _, k in within for run in known[k]]
                    memo[area] = _merged_runs(runs)
            return _merged_runs([run for area in areas for run in memo[area]])

        before, order = None, range(len(known))
        while known != before:  # forward and backward in turns, as formulas refer to cells above or below
            before, order = known.copy(), order[::-1]
            memo.clear()
            for k in order:
                known[k] = content(inner[k])
        return content


def _between(rows: Sequence[int], first: int, last: int) -> Sequence[int]:
    """Return the ascending rows from a first to a last one."""
    return rows[bisect_left(rows, first) : bisect_left(rows, last + 1)]


def _merged_runs(runs: _Runs) -> _Runs:
    """Join runs of cells that touch, in order."""
    merged = _Runs()
    for column, first, last in sorted(runs):
        if merged and merged[-1][0] == column and first <= merged[-1][2] + 1:
            merged[-1] = column, merged[-1][1], max(last, merged[-1][2])
        else:
            merged.append((column, first, last))
    return merged


def _is_double(runs: _Runs, filled: _Filled, items: Sequence[int], above: Mapping[int, set[int]]) -> bool:
    """Return whether a row of runs is below a row with a filled cell in them."""
    seen = set[int]()
    for row in (row for _, first, last in runs for row in _between(items, first, last)):
        left = [row]
        while left:
            over = above.get(left.pop(), set()) - seen
            if any(_between(filled[place], row, row) and a <= row <= b for row in over for place, a, b in runs):
                return True
            seen |= over
            left += over
    return False


def without_saved_values(rows: bytes, cells: _Cells) -> bytes:
    """Remove the saved values of formulas in some cells."""

    def changed(cell: re.Match[bytes]) -> bytes:
        is_old = _formula_cell(cell) in cells
        return cell[1] + re.sub(rb'\st="\w+"', b"", cell[2]) + cell[3] if is_old else cell[0]

    return _FORMULA.sub(changed, rows)


def _formula_cell(cell: re.Match[bytes]) -> tuple[int, int] | None:
    """Return row and column of a formula."""
    address = _ADDRESS.search(cell[2])
    return cell_position(address[1].decode()) if address else None


def _area_corners(text: str, move: tuple[int, int]) -> CellRange:
    """Return the corners of an address in a formula; whole columns and rows reach to the end of the sheet."""
    ends = [end for end in _CORNER.findall(text) if any(end)]
    rows = [int(row) - 1 + (0 if lock or (left and not name) else move[0]) for left, name, lock, row in ends if row]
    columns = [(cell_position(f"{name}1") or (0, 0))[1] + (0 if left else move[1]) for left, name, *_ in ends if name]
    rows, columns = rows or [0, 1_048_575], columns or [0, 16_383]
    return min(rows), min(columns), max(rows), max(columns)


def _table_area(area: _Area, columns: list[str], part: str, row: int) -> _Area:
    """Return the cells of columns of a table: ``[Mass]``, ``[[#This Row],[Mass]]``; of all without one."""
    sheet, top, left, bottom, right = area
    words = [re.sub(r"'(.)", r"\1", word).strip() for word in re.findall(r"(?:[^\[\]@']|'.)+", part)]
    named = [columns.index(word) for word in words if word in columns] or [0, right - left]
    top, bottom = (row, row) if "#this row" in words or "[@" in part else (top, bottom)
    return sheet, top, left + min(named), bottom, left + max(named)


def _summed_areas(
    tokens: Iterator[tuple[str, str, list[_Area]]], sums: list[list[_Area]], calls: tuple[str, ...] = ("",)
) -> list[_Area]:
    """Add to ``sums`` the cells of each sum within a formula; return those that add to its value.

    Divisors are in neither, subtracted terms are in no sum; of a lookup only one cell counts, which is not known here.
    """
    every, done, terms = list[_Area](), list[list[list[_Area]]](), list[list[_Area]]([[]])
    is_operand = is_divisor = is_minus = is_test = False
    start = 0  # of the argument among ``every``
    for kind, text, stated in tokens:
        sums += [stated] * (kind == "name")  # its formula may be a sum
        opens = (kind == "call" or text in ("(", "{")) and len(calls) < _DEEPEST
        areas = _summed_areas(tokens, sums, (*calls, text.strip("({"))) if opens else stated
        is_sign = kind == "sign" and not opens and text not in "^%:"
        if is_sign and text in ")}":
            break
        if is_sign and text in "*/":
            is_divisor = text == "/"
        elif is_sign and text in "+-" and not is_operand:
            is_minus ^= text == "-"
        elif is_sign:
            is_divisor, is_minus = False, text == "-"
            is_test |= text[0] in "<=>"
            if text not in "+-":
                done.append(terms)
                terms = []
            if text in ",;":
                every, is_test = every[:start] if is_test else every, False
                start = len(every)
            terms.append([])
        is_operand = not is_sign and text not in "^:"
        if not is_divisor:
            every += areas
            terms[-1] += areas * (not is_minus)
    sums += [[area for term in one for area in term] for one in (*done, terms) if sum(map(bool, one)) > 1]
    every = every[:start] if is_test else every  # a comparison adds nothing
    if calls[-1] in _UNRESOLVED:
        return _UNRESOLVED[calls[-1]] if any(map(_SUMS.match, calls)) else []
    if _LOOKUPS.fullmatch(calls[-1]):
        return []
    if _SUMS.match(calls[-1]) or (calls[-1] and any(area[1:3] != area[3:] for area in every)):
        sums.append(every)
    return every
