"""Formulas of a workbook: which cells they read, and which add to their sums."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeVar

from massprops_cli.files.workbook.cells import (
    CellRange,
    CellRuns,
    ColumnConstants,
    RowRuns,
    Value,
    cell_position,
    cell_range,
    common_rows,
    merged_runs,
    row_runs,
)

_Area = tuple[str, int, int, int, int]  # cells of a sheet: its name in lower case, and a `CellRange`
Tables = Mapping[str, tuple[_Area, list[str]]]  # cells and columns of tables
_Cells = set[tuple[int, int]]
_Filled = Mapping[int, list[int]]  # rows of filled cells by column
_Constants = Mapping[int, Mapping[int, Value]]
"""Cells of a sheet by column and row; None is one whose value is not known, such as an error or a date."""
_T = TypeVar("_T")
_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")
    |(?P<sheet>(?:'(?:[^']|'')++'|(?:\[\d+\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
    (?:(?P<area>\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+)(?![\w(.\[])
    |(?P<call>[^\W\d][\w.]*)\(|(?P<name>[^\W\d][\w.\\?]*)(?P<part>\[(?:[^\[\]']|'.|\[(?:[^\]']|'.){,600}+\])*+\])?)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:E[-+]?\d+)?)|(?P<sign><=|>=|<>|[-+*/^&=<>,;(){}%:])|'(?:[^']|'')*+""",
    re.VERBOSE | re.IGNORECASE,
)  # a part of a formula
_CORNER = re.compile(r"(\$?)([A-Z]*)(\$?)(\d*)", re.IGNORECASE)  # $A$1, A, $1
FORMULA_CELL = re.compile(
    rb"(<(?:[\w.-]+:)?c\b)([^>]*)(>\s*<(?:[\w.-]+:)?f\b([^>]*?)(?:/>|>([^<]*)</(?:[\w.-]+:)?f>))"
    rb"(\s*<(?:[\w.-]+:)?v\b[^>]*>[^<]*</(?:[\w.-]+:)?v>)?"
)  # a cell with a formula: its attributes, those of the formula, its text, its saved value
_ADDRESS = re.compile(rb'\br="([A-Z]+\d+)"')  # r="A1"
_GROUP = re.compile(rb'\bsi="(\d+)"')  # si="0", the group of a shared formula
_ARRAY = re.compile(rb'(?=.*\bt="array").*\bref="([A-Z]+\d+:[A-Z]+\d+)"', re.DOTALL)  # cells of an array formula
_ROW_NUMBER = re.compile(
    r"""\"[^"]*"|'[^']*'|\[[^\]]*\]|(?<![\w.\\$])(\$?[A-Z]{1,3})(\d+)(?![\w(.\[!'])|(\d:\$?\d)""", re.IGNORECASE
)  # of D5 and $D5; whole rows; not in texts, names of sheets and columns
_SUMS = re.compile("SUM|AVERAGE|COUNT|MAX|MIN|MEDIAN|PRODUCT|STDEV|VAR|AGGREGATE|LAMBDA")  # begin names of functions
_PLACES = re.compile("X?MATCH|ROWS?|COLUMNS?")  # of no value of a cell
_LOOKUPS = {"INDEX": 0, "VLOOKUP": 1, "HLOOKUP": 1, "XLOOKUP": 2, "LOOKUP": -1}  # of a cell in an argument: its number
_CONDITIONAL = re.compile("(SUM|AVERAGE|COUNT|MAX|MIN)IF(S?)")
_SCALAR = re.compile("(?:IF(?:ERROR|NA)?|ABS|INT|N|VALUE|SQRT|POWER|MOD|TRUNC|ROUND(?:UP|DOWN)?)?")
"""Functions that an array formula calculates cell by cell."""
_DEEPEST = 64  # functions inside each other
_ROWS, _COLUMNS = 1_048_576, 16_384  # of a sheet
_OWN = "!"  # the sheet of the formula, in names
_FEW_CELLS = 10_000  # of array formulas, which may not be in the file


class _Reference(NamedTuple):
    """Cells in a formula; ``free`` has 1 for each first row, column, last row and column that moves with it."""

    area: _Area
    free: tuple[int, int, int, int] = (0, 0, 0, 0)
    is_scalar: bool = False  # an array formula reads it cell by cell
    is_named: bool = False  # of a defined name, which counts from A1

    def placed(self, start: tuple[str, int, int], move: tuple[int, int], block: CellRange) -> _Area:
        """Return the cells for a formula at a start, after a move; ``block``: place in an array formula, last place."""
        (sheet, top, left, bottom, right), (row, column, last, end) = self.area, block
        rows, columns = start[1:] if self.is_named else move
        if any(self.free) and (rows or columns):
            a, b, c, d = self.free
            top, bottom = sorted(((top + a * rows) % _ROWS, (bottom + c * rows) % _ROWS))
            left, right = sorted(((left + b * columns) % _COLUMNS, (right + d * columns) % _COLUMNS))
        if self.is_scalar and bottom - top in (0, last) and right - left in (0, end):
            top, left = top + row * (bottom > top), left + column * (right > left)
            bottom, right = top, left
        return start[0] if sheet == _OWN else sheet, top, left, bottom, right


_UNRESOLVED = {name: [_Reference(("", 0, 0, _ROWS - 1, _COLUMNS - 1))] for name in ("INDIRECT", "OFFSET", ":")}
"""Parts of formulas that refer to cells which only a calculation finds: to any."""
_Block = tuple[str, int, int, int]
"""Formulas of a column of a sheet: level, number; those from ``16 * number * 16**level`` on."""
_Selection = tuple[int, tuple[tuple[str | _T, ...], ...]]
"""What is added, then cells and criterion by turns; 1: it is as large as these cells, 2: the same, but only a cell."""
_Item = _Reference | _Selection[_Reference]
_Node = int | _Area | _Block | _Selection[_Area] | tuple[()]
"""A formula, cells, formulas of a column, cells with criteria, or nothing."""
_Signed = list[tuple[_Item, bool]]  # with whether it is subtracted
_Token = tuple[str, str, list[Any]]
_Template = tuple[list[_Item], list[list[list[int]]]]
"""What a formula reads; which of these it reads, which add to its value, and those of the terms of each sum."""


class WorkbookFormulas:
    """Formulas of sheets, and the cells that they read; ``constants`` reads the cells of a sheet."""

    def __init__(
        self,
        home: str,
        sheets: Mapping[str, bytes],
        names: Mapping[str, str],
        tables: Tables,
        constants: Callable[[str], _Constants | None],
        written: _Filled,
    ) -> None:
        self.home, self.tables, self.constants = home.lower(), tables, constants
        self.written = {self.home: written}
        self.sheets, self.titles = [title.lower() for title in sheets], [*sheets]
        self.names: dict[str, tuple[str, list[_Reference]]] = {}
        for name, text in [*names.items()] * 3:  # a name may refer to others
            found = [
                (kind, one._replace(is_named=True)) for kind, _, cells in self._tokens(text, _OWN, 0) for one in cells
            ]
            is_area = len(found) == 1 and found[0][0] == "area" and "(" not in text
            self.names[name] = "area" if is_area else "name", [one for _, one in dict.fromkeys(found)]
        self.places: list[tuple[str, int, int]] = []  # sheet, row, column of each formula
        self.formulas: list[tuple[_Template, tuple[tuple[str, int, int], tuple[int, int], CellRange]]] = []
        self.columns: dict[str, dict[int, list[int]]] = {}  # rows with formulas
        self.templates: dict[tuple[str, str], tuple[int, _Template]] = {}
        for sheet, rows in sheets.items():
            self._scan(sheet.lower(), rows)
        self.numbers = {place: k for k, place in enumerate(self.places)}
        self.nodes = [[self._node(item, place) for item in items] for (items, _), place in self.formulas]
        self.known_constants: dict[tuple[str, int], ColumnConstants | None] = {}

    def _scan(self, sheet: str, rows: bytes) -> None:
        """Collect the formulas of a sheet."""
        shared: dict[bytes, tuple[str, tuple[int, int]]] = {}
        columns, size = self.columns.setdefault(sheet, {}), rows.count(b' r="') + _FEW_CELLS
        for cell in FORMULA_CELL.finditer(rows):
            if (place := formula_cell(cell)) is None:
                continue
            text, start = html.unescape((cell[5] or b"").decode(errors="replace")), place
            if group := _GROUP.search(cell[4]):
                text, start = shared.setdefault(group[1], (text, place))
            origin, template = self._template(sheet, text, start[0])
            move, array = (place[0] - origin, place[1] - start[1]), _ARRAY.match(cell[4])
            top, left, bottom, right = (cell_range(array[1].decode()) if array else None) or (*place, *place)
            if (size := size - (bottom - top + 1) * (right - left + 1)) < 0:  # more cells than are there
                top, left, bottom, right = *place, *place
            for row, column in product(range(top, bottom + 1), range(left, right + 1)):
                columns.setdefault(column, []).append(row)
                self.places.append((sheet, row, column))
                block = row - top, column - left, bottom - top, right - left
                self.formulas.append((template, ((sheet, *place), move, block)))

    def _template(self, sheet: str, text: str, row: int) -> tuple[int, _Template]:
        """Divide a formula, once for all rows with the same relative addresses; return also the first of these rows."""

        def relative(found: re.Match[str]) -> str:
            return f"{found[1]}\0{int(found[2]) - row}" if found[1] else f"{found[0]}\0{row}" if found[3] else found[0]

        key = sheet, _ROW_NUMBER.sub(relative, text)
        if key not in self.templates:
            reads, sums, items = list[_Item](), list[list[list[_Item]]](), dict[_Item, int]()
            values = [item for item, _ in _summed_areas(self._tokens(text, sheet, row), reads, sums)]
            every = [[reads, values], *sums]
            lists = [[[items.setdefault(one, len(items)) for one in term] for term in terms] for terms in every]
            self.templates[key] = row, ([*items], lists)
        return self.templates[key]

    def _tokens(self, text: str, sheet: str, row: int) -> Iterator[_Token]:
        """Yield kind, text and cells of the parts of a formula."""
        for token in _TOKEN.finditer(text):
            name, part = (token["name"] or "").lower(), (token["part"] or "").lower()
            if token["area"]:
                home = (token["sheet"] or "")[:-1].strip("'").replace("''", "'").lower()
                first, _, last = (home or sheet).partition(":")
                if {first, last or first} <= {*self.sheets, _OWN}:  # others are of another workbook
                    index = self.sheets.index
                    within = [_OWN] if first == _OWN else self.sheets[index(first) : index(last or first) + 1]
                    corners, free = _area_corners(token["area"])
                    yield "area", token[0], [_Reference((one, *corners), free) for one in within]
            elif name in self.tables:
                yield "area", token[0], [_table_reference(*self.tables[name], part, row)]
            elif name in self.names:
                kind, cells = self.names[name]
                yield kind, name, cells
            elif token["text"]:
                yield "text", token[0][1:-1].replace('""', '"'), []
            else:
                found = re.sub(r"^_XL\w\w\.", "", (token["call"] or token[0]).upper())
                found = "LAMBDA" if token["call"] and found.lower() in self.names else found
                yield token.lastgroup or "", found, _UNRESOLVED.get(found, [])

    def _node(self, item: _Item, place: tuple[tuple[str, int, int], tuple[int, int], CellRange]) -> _Node:
        """Return the cells of an item; of one cell with a formula the number, of cells that never change ()."""
        if not isinstance(item, _Reference):
            arguments = ([p if isinstance(p, str) else p.placed(*place) for p in one] for one in item[1])
            return item[0], tuple(map(tuple, arguments))
        sheet, top, left, bottom, right = area = item.placed(*place)
        if (top, left) == (bottom, right):
            is_read = sheet == self.home and left in self.written[sheet]
            return self.numbers.get((sheet, top, left), area if is_read else ())
        return area

    def dependents(self, filled: _Filled) -> dict[str, _Cells]:
        """Return the formulas whose value depends on filled cells, by sheet."""

        def is_filled(area: _Area) -> CellRuns:
            sheet, top, left, bottom, right = area
            columns = filled if sheet in ("", self.home) else ()
            return [(0, 0, 0)] * any(left <= c <= right and rows_between(filled[c], top, bottom) for c in columns)

        content, found = self.contents(is_filled, 0), dict[str, _Cells]()
        for k, (sheet, row, column) in enumerate(self.places):
            if content(k, self.formulas[k][0][1][0][0]):
                found.setdefault(sheet, set()).add((row, column))
        return found

    def contents(
        self, own: Callable[[_Area], CellRuns], inner: int, first: Iterable[int] | None = None
    ) -> Callable[[int, Sequence[int]], CellRuns]:
        """Return a function for what is in some cells of a formula: ``own``, and in the ``inner`` lists there."""
        parts: dict[_Node, Sequence[_Node]] = {}
        known: dict[_Node, CellRuns] = {(): []}
        circular = list[_Node]()

        def joined(node: _Node) -> CellRuns:
            runs = [run for part in parts[node] for run in known.get(part, ())]
            if isinstance(node, int):
                sheet, row, column = self.places[node]
                runs += own((sheet, row, column, row, column))
            elif len(node) == 5:
                runs += own(node)
            return merged_runs(runs)

        def resolve(left: list[_Node]) -> None:
            while left:  # parts first
                if (node := left[-1]) in known:
                    left.pop()
                elif node in parts:
                    known[left.pop()] = joined(node)
                else:
                    parts[node] = self._parts(node, inner)
                    for part in parts[node]:
                        if part not in known:
                            (circular if part in parts else left).append(part)

        def content(k: int, items: Sequence[int]) -> CellRuns:
            nodes = [self.nodes[k][one] for one in items]
            resolve([node for node in nodes if node not in known])
            return merged_runs([run for node in nodes for run in known[node]])

        resolve([*range(len(self.places))] if first is None else [*first])
        before: dict[_Node, CellRuns] = {}
        while circular and before != known:
            before = known.copy()
            known.update((node, joined(node)) for node in parts)
        return content

    def _parts(self, node: _Node, inner: int) -> Sequence[_Node]:
        """Return the cells in a formula, the formulas in cells, those of a column in blocks; of criteria, the cells."""
        if isinstance(node, int):
            return [self.nodes[node][k] for k in self.formulas[node][0][1][0][inner]]
        if len(node) == 2:
            return self._selected(*node)
        if len(node) != 5:
            return self._blocks(*node[:3], node[3] * 16, node[3] * 16 + 16) if node else []
        (sheet, top, left, bottom, right), blocks = node, list[_Node]()
        for column, rows in self.columns.get(sheet, {}).items():
            if left <= column <= right:
                first, end, level = bisect_left(rows, top), bisect_left(rows, bottom + 1), 0
                while first < end:
                    start, stop = min(first + -first % 16, end), max(end - end % 16, first)
                    blocks += self._blocks(sheet, column, level, first, start)
                    blocks += self._blocks(sheet, column, level, max(start, stop), end)
                    first, end, level = -(-first // 16), end // 16, level + 1
        return blocks

    def _blocks(self, sheet: str, column: int, level: int, first: int, end: int) -> list[_Node]:
        """Return blocks of the formulas of a column; those of level 0 are the formulas."""
        if level:
            return [(sheet, column, level - 1, k) for k in range(first, end)]
        return [self.numbers[sheet, row, column] for row in self.columns[sheet][column][first:end]]

    def _selected(self, kind: int, arguments: tuple[tuple[str | _Area, ...], ...]) -> list[_Area]:
        """Return the cells that a sum with criteria adds, and those that decide about it and are not constant."""
        cells = [[part for part in parts if not isinstance(part, str)] for parts in arguments]
        tested, texts = [x for one in cells[1::2] for x in one] or cells[0], [x for one in cells[2::2] for x in one]
        height, width = tested[0][3] - tested[0][1], tested[0][4] - tested[0][2]
        total = [(*area[:3], area[1] + height, area[2] + width) if kind else area for area in cells[0]]
        if width or any(area[3] - area[1] != height or area[4] != area[2] for area in total + tested):
            return total + tested + texts
        rows, own = [(0, height)], [(area, [(0, height)]) for area in total]
        for area, criterion in zip(tested, arguments[2::2], strict=False):
            found = self._possible_rows(area, criterion)
            formulas = [row - area[1] for row in _column_rows(self.columns, area)]
            own.append((area, [(0, height)] if found is None else row_runs(formulas)))
            rows = rows if found is None else common_rows(rows, found)
        return texts + [
            (sheet, top + start, left, top + last, left)
            for (sheet, top, left, *_), within in own
            for start, last in common_rows(rows, within)
        ]

    def _possible_rows(self, cells: _Area, parts: tuple[str | _Area, ...]) -> RowRuns | None:
        """Return the rows of an area, from 0, that may meet a criterion; None if it is not known."""
        texts = [part if isinstance(part, str) else self._constant_text(part) for part in parts]
        known = self._constants(cells[0], cells[2]) if texts and all(texts) else None
        found = known.matching_rows("".join(texts)) if known else None
        if found is None or _column_rows(self.written, cells):
            return None
        return [(first - cells[1], last - cells[1]) for first, last in common_rows([(cells[1], cells[3])], found)]

    def _constants(self, sheet: str, column: int) -> ColumnConstants | None:
        """Return the constants of a column; None of a sheet that cannot be read."""
        if (sheet, column) not in self.known_constants:
            columns, formulas = self.constants(sheet), self.columns.get(sheet, {}).get(column, ())
            found = None if columns is None else ColumnConstants({**columns.get(column, {}), **dict.fromkeys(formulas)})
            self.known_constants[sheet, column] = found
        return self.known_constants[sheet, column]

    def _constant_text(self, cells: _Area) -> str:
        """Return the constant in a cell as text; nothing if there is none."""
        sheet, row, column, *end = cells
        known = self._constants(sheet, column) if end == [row, column] else None
        value = known.values.get(row) if known and not _column_rows(self.written, cells) else None
        return f"{value:.15g}" if isinstance(value, float) else str(value or "")


def _column_rows(rows: Mapping[str, _Filled], cells: _Area) -> Sequence[int]:
    """Return those rows of a column that are in an area of one column."""
    return rows_between(rows.get(cells[0], {}).get(cells[2], ()), cells[1], cells[3])


def rows_between(rows: Sequence[int], first: int, last: int) -> Sequence[int]:
    """Return the ascending rows from a first to a last one."""
    return rows[bisect_left(rows, first) : bisect_left(rows, last + 1)]


def formula_cell(cell: re.Match[bytes]) -> tuple[int, int] | None:
    """Return row and column of a formula."""
    address = _ADDRESS.search(cell[2])
    return cell_position(address[1].decode()) if address else None


def _area_corners(text: str) -> tuple[CellRange, tuple[int, int, int, int]]:
    """Return the corners of an address, and which are relative; whole columns and rows reach to the end of a sheet."""
    ends = [end for end in _CORNER.findall(text) if any(end)]
    rows = sorted((int(row) - 1, int(not (lock or (left and not name)))) for left, name, lock, row in ends if row)
    columns = sorted(((cell_position(f"{name}1") or (0, 0))[1], int(not left)) for left, name, *_ in ends if name)
    (top, a), *_, (bottom, c) = (rows or [(0, 0), (_ROWS - 1, 0)]) * 2
    (left, b), *_, (right, d) = (columns or [(0, 0), (_COLUMNS - 1, 0)]) * 2
    return (top, left, bottom, right), (a, b, c, d)


def _table_reference(area: _Area, columns: list[str], part: str, row: int) -> _Reference:
    """Return the cells of columns of a table: ``[Mass]``, ``[[#This Row],[Mass]]``; of all without one."""
    sheet, top, left, bottom, right = area
    words = [re.sub(r"'(.)", r"\1", word).strip() for word in re.findall(r"(?:[^\[\]@']|'.)+", part)]
    named = [columns.index(word) for word in words if word in columns] or [0, right - left]
    of_row = int("#this row" in words or "[@" in part)
    top, bottom = (row, row) if of_row else (top, bottom)
    return _Reference((sheet, top, left + min(named), bottom, left + max(named)), (of_row, 0, of_row, 0))


def _summed_areas(
    tokens: Iterator[_Token], reads: list[_Item], sums: list[list[list[_Item]]], calls: tuple[str, ...] = ("",)
) -> _Signed:
    """Add to ``reads`` and ``sums`` the cells in a formula and in each sum within it; return those of its value."""
    every, done, terms = _Signed(), list[list[_Signed]](), list[_Signed]([[]])
    is_operand = is_divisor = is_minus = is_test = False
    start, read, arguments = 0, len(reads), list[list[_Token]]([[]])  # start: of the argument among ``every``
    is_combined = not all(map(_SCALAR.fullmatch, calls))
    for kind, text, stated in tokens:
        sums += [[[*stated]]] * (kind == "name")  # its formula may be a sum
        opens = (kind == "call" or text in ("(", "{")) and kind != "text" and len(calls) < _DEEPEST
        areas: _Signed = [(one._replace(is_scalar=not is_combined), False) for one in stated]
        reads += [item for item, _ in areas]
        if opens:
            call = "LAMBDA" if is_operand and kind != "call" else text.strip("({")  # LAMBDA(x,x+1)(A1)
            areas = _summed_areas(tokens, reads, sums, (*calls, call))
        if (is_sign := kind == "sign" and not opens and text not in "^%:") and text in ")}":
            break
        arguments[-1].append((kind, text, [item for item, _ in areas]))
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
                every[start:] = [one for one in every[start:] if not is_test or (is_combined and _is_many(one[0]))]
                start, is_test = len(every), False
                arguments = [*arguments[:-1], arguments[-1][:-1], []]
            terms.append([])
        is_operand = not is_sign and text not in "^:"
        if not is_divisor:  # which is in no sum
            terms[-1] += [(item, minus ^ is_minus) for item, minus in areas]
            every += terms[-1][len(terms[-1]) - len(areas) :]
    for chain, sign in product((*done, terms), (False, True)):  # added, subtracted
        parts = [[item for item, minus in term if minus == sign] for term in chain]
        sums += [parts] * (sum(map(bool, parts)) > 1)
    every[start:] = [one for one in every[start:] if not is_test or (is_combined and _is_many(one[0]))]
    if selection := _selection(calls[-1], arguments):
        every, reads[read:] = [(selection, False)], [selection]
    reads += _UNRESOLVED.get(calls[-1], [])
    return _call_areas(calls[-1], arguments, every, sums)


def _is_many(item: _Item) -> bool:
    """Return whether an item is of more than one cell."""
    return item.area[1:3] != item.area[3:] if isinstance(item, _Reference) else item[0] < 2


def _call_areas(call: str, arguments: list[list[_Token]], every: _Signed, sums: list[list[list[_Item]]]) -> _Signed:
    """Return which of the cells in a call add to its value; add them to ``sums`` if it combines them."""
    items = [item for item, _ in every]
    if call in _LOOKUPS or call in _UNRESOLVED or _PLACES.fullmatch(call):
        return [(item, False) for item in _found_cells(call, arguments, items)]
    if _SUMS.match(call) or (call and any(map(_is_many, items))):
        sums.append([items])
    return every if _SCALAR.fullmatch(call) and call != "ABS" else [(item, False) for item in items]


def _found_cells(call: str, arguments: list[list[_Token]], items: list[_Item]) -> list[_Item]:
    """Return the cells of which a lookup finds one: those of a known row or column, or that meet a criterion."""
    texts = ["".join(part[1] for part in one) for one in arguments] + ["TRUE"] * 3  # FALSE and a blank one are 0
    numbers = [int(text) if text.isdecimal() else 0 if text in ("", "FALSE") else None for text in texts]
    parts = [*map(_criterion_parts, arguments), ()]
    table = [*parts[_LOOKUPS.get(call, 1) % len(arguments)], ""][0]
    if call in _UNRESOLVED or isinstance(table, str):
        items = [*_UNRESOLVED.get(call, ())] or items * (call in _LOOKUPS)
        return [(2, ((item,),)) if isinstance(item, _Reference) else item for item in items]
    row = numbers[1] if call == "INDEX" else numbers[2] if call == "HLOOKUP" else None
    line = _line(table, row, numbers[2] if call in ("INDEX", "VLOOKUP") else None)
    tested = (_line(table, None, 1),) if call == "VLOOKUP" else parts[1]
    exact = {"VLOOKUP": numbers[3] == 0, "XLOOKUP": len(arguments) == 3, "MATCH": numbers[2] == 0}
    criteria = [tested, ("=", *parts[0])] * bool(exact.get(call) and parts[0] and tested)
    if call == "INDEX" and [part[1] for part in [*arguments, []][1]] == ["MATCH"]:
        criteria = [one for item in arguments[1][0][2] for one in item[1][1:]]
    if call not in _LOOKUPS:
        return [(2, ((), *criteria))] * bool(criteria)
    return [(2, ((line,), *criteria * (line.area[2] == line.area[4])))]


def _line(cells: _Reference, row: int | None, column: int | None) -> _Reference:
    """Return a row, a column or a cell of an area, counted from 1; all of it for 0 and None."""
    (sheet, top, left, bottom, right), (a, b, c, d) = cells.area, cells.free
    if row and top + row <= bottom + 1:
        top, bottom, c = top + row - 1, top + row - 1, a
    if column and left + column <= right + 1:
        left, right, d = left + column - 1, left + column - 1, b
    return cells._replace(area=(sheet, top, left, bottom, right), free=(a, b, c, d), is_scalar=False)


def _selection(call: str, arguments: list[list[_Token]]) -> _Selection[_Reference] | None:
    """Return the cells of a sum with criteria; None of other functions and arguments."""
    if (match := _CONDITIONAL.fullmatch(call)) is None:
        return None
    parts = [_criterion_parts(tokens) for tokens in arguments]
    if not match[2]:  # what is summed is the last argument, or the first
        parts = [(parts[2:] or parts)[0], *parts[:2]]
    if match[1] == "COUNT":
        parts = [(), *parts[not match[2] :]]
    cells = [part for one in parts[: 1 if parts[0] else 0] + parts[1::2] for part in one or ("",)]
    is_known = len(parts) % 2 and len(parts) > 2 and all(isinstance(part, _Reference) for part in cells)
    return (int(not match[2]), tuple(parts)) if is_known else None


def _criterion_parts(tokens: list[_Token]) -> tuple[str | _Reference, ...]:
    """Return the texts and cells that an argument joins; () if it is something else."""
    kinds = ("text", "number", "area")
    parts = tuple(cells[0] if cells else text for kind, text, cells in tokens[::2] if kind in kinds)
    is_joined = all(text == "&" for _, text, _ in tokens[1::2]) and len(parts) == (len(tokens) + 1) // 2
    return parts if is_joined else ()
