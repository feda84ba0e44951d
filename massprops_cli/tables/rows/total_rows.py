"""Rows that are not items: totals, margins and limits by label and place, masses stated below the table, remarks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from math import isnan
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import Floats, Table, TableView, file_table, row_reference
from massprops_cli.findings.finding import Finding, Findings, nearest_name_hint, rule_finding
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_first_words, label_kind
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, is_measure, read_number, split_cell_text, words
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.header import find_header_row
from massprops_cli.tables.columns.headings import MAX_HEADING_LENGTH, is_command_text, is_unit_of
from massprops_cli.tables.columns.mass_headings import is_possible_mass_heading, is_required_margin
from massprops_cli.tables.columns.table_location import named_quantities
from massprops_cli.tables.options import NUMBER_QUANTITIES, SIGMA_QUANTITIES, TableOptions

_LETTERS = re.compile(r"[^\W\d_]+")  # letters between other characters
_ROUNDED_PRODUCT = 1e-6  # the relative difference of a product with written digits
LEAST_LIMIT = 0.7  # the share of the other masses below which a row with a word for limits is none
_SUMMATION_TOLERANCE = 1e-12  # the relative difference that another order of summing explains
_TREE_POSITION_QUANTITIES = ("parent", "child", "level", "item")
"""Quantities whose cells give a row its place in the tree."""
ITEM_NAMES = ("id", "part", "child", "name", "item")
"""Quantities whose cells identify a row, so that rows below it may refer to it."""
FULL_SCAN_ROWS = 5_000
"""Maximum number of rows examined cell by cell; longer tables: rows without a place, and the ``_TAIL_ROWS``."""
_TAIL_ROWS = 200  # last rows of a long table


class TotalRow(NamedTuple):
    """A row that is not an item: its table row, ``kind`` (total, subtotal, margin, limit, figure) and label as written.

    ``mass`` is its number in the masses' unit, None without one; ``half`` of its last digit; ``first`` row summed.
    """

    row: int
    kind: str
    label: str
    mass: float | None
    half: float = 0.0
    first: int = -1  # -1 where the masses do not show it

    @property
    def noun(self) -> str:
        """The kind in words."""
        return "derived value" if self.kind == "figure" else self.kind

    def states(self, mass: float, digits: float = 1.0) -> bool:
        """Return whether its number is a mass, to its last digit."""
        off = np.inf if self.mass is None else abs(mass - self.mass)
        return bool(off <= digits * self.half + _SUMMATION_TOLERANCE * abs(mass))


def find_total_rows(
    table: Table, columns: TableColumns, kind: Callable[..., str], among: Iterable[int]
) -> list[TotalRow]:
    """Find the rows that are totals, subtotals, margins and limits; ``kind(text, alone)`` classifies a label."""
    rows: list[TotalRow] = []
    for i in among:
        texts = table.row(i)
        if (labelled := _row_label(texts, columns, kind)) is not None:
            j, named = labelled
            is_name = named == "subtotal" and not possible_label_kind(texts[j], alone=False)
            is_name = is_name and _counts_pieces(table, columns, i)
            if is_name or (kind is doubtful_label_kind and has_other_name(texts, columns, j)):
                continue
            named = "limit" if named == "margin" and is_required_margin(texts[j]) else named
            rows.append(TotalRow(i, named, texts[j].strip(), None))
    over = columns.having(("parent",) if rows else ())
    parents = {text.strip() for one in over for text in table.texts(one.index, columns.first_row)} - {""}
    parts = _parts_with_remarks(table, columns, rows) if any(row.kind == "limit" for row in rows) else ()
    return [row for row in rows if row.label not in parents and row not in parts]


def _parts_with_remarks(table: Table, columns: TableColumns, rows: Sequence[TotalRow]) -> list[TotalRow]:
    """List the limits that are a small mass with a name, and a word for limits elsewhere: foam, system requirement."""
    masses, own = quantity_values(table, columns, "mass", 0.0), quantity_indices(columns, ITEM_NAMES)
    others = masses.sum() - masses[[row.row - columns.first_row for row in rows]].sum()
    limits = ((row, {table.text(row.row, j).strip() for j in own}) for row in rows if row.kind == "limit")
    named = (row for row, names in limits if names - {""} and row.label not in names)
    return [row for row in named if 0 < masses[row.row - columns.first_row] < LEAST_LIMIT * others]


def read_total_masses(table: Table, columns: TableColumns, rows: list[TotalRow]) -> list[TotalRow]:
    """Read the masses that total rows state, in the unit of the masses: under these, else those of the rows."""
    # A limit may also be stated under the masses with growth
    named, first = columns.by_quantity, columns.first_row
    if "mass" not in named or not rows:
        return rows
    stated: dict[int, tuple[float, float]] = {}
    for name in ("mass_with_growth", "line_mass", "mass"):
        if (column := named.get(name)) is None:
            continue
        values = column.values(table, first) / named["mass"].factor
        for total in rows if name != "mass_with_growth" else (row for row in rows if row.kind == "limit"):
            value, half = float(values[total.row - first]), column.half_digit(table, total.row, total.label)
            stated |= {} if isnan(value) else {total.row: (value, half / named["mass"].factor)}
    found = ((total, *stated.get(total.row, (None, 0.0))) for total in rows)
    return [total._replace(mass=mass, half=half) for total, mass, half in found]


_AFTER_SIGN = r"[^(+:：=≈~]*[:：=≈~](?:.*=)?[=≈~\s]*(?P<mass>\d.*)"  # Total mass ≈ 1.2 kg (ready to fly)
_AFTER_WORDS = r"[^(+]*[^\W\d_]\s+(?P<mass>\d[\d.,]*\s?[^\W\d_]+)"  # Total 1.2 kg
_OF_SOME = (
    r"(?i)\b(?:of(?! all| the)|per|for|with\w*|incl\w*|excl\w*|each|je|pro|mit|ohne|par|avec|sans|con|sin|senza)\b"
)
"""Total per leg, with battery: not of everything above."""


def _mass_in_label(label: str) -> str:
    """Find the mass that the label of a total states, with its unit; nothing for one of some pieces or conditions."""
    text = label if len(label) <= MAX_HEADING_LENGTH else ""
    match = re.fullmatch(_AFTER_SIGN, text) or re.fullmatch(_AFTER_WORDS, text)
    if match is None or re.search(_OF_SOME, label) or "total" not in label_kind(label[: match.start("mass")]):
        return ""
    part = split_cell_text(re.split(r"\s*[(·;]|\s/\s|,\s", match["mass"])[0])
    is_mass = is_unit_of(part.unit, "mass") or (not part.unit and label.count(":") == 1)
    return f"{part.number} {part.unit}".strip() if is_mass else ""


def _states_mass(texts: Iterable[str]) -> bool:
    """Return whether a row has the label of a total that states its mass."""
    return any(_mass_in_label(text.strip()) for text in texts if any(map(str.isdigit, text)))


def with_masses_of_labels(table: Table, columns: TableColumns, rows: Iterable[TotalRow]) -> Table:
    """Put the numbers that labels of totals state under the masses, where these are blank: ``Total: 114.6 g``."""
    mass = columns.by_quantity.get("mass")
    found = {(one.row, mass.index): _mass_in_label(one.label) for one in rows if mass}
    cells = {place: text for place, text in found.items() if text and not table.text(*place).strip()}
    return TableView(table, cells=cells) if cells else table


def is_stated_total(totals: Sequence[TotalRow], masses: Floats, first: int, *, digits: float = 1.0) -> bool:
    """Return whether a total, or the only sum, is that of the masses (n,) above it, or of all, to its last digit."""
    sums = [one for one in totals if one.kind in ("total", "subtotal") and one.mass]
    above = ((one, masses[: max(one.row - first, 0)]) for one in sums if one.kind == "total" or len(sums) == 1)
    return any(one.states(float((rows if rows.any() else masses).sum()), digits) for one, rows in above)


def quantity_indices(columns: TableColumns, quantities: Iterable[str]) -> list[int]:
    """Return the places of the columns of some quantities, of those that the table has."""
    return [column.index for column in columns.having(quantities)]


def are_names_numbers(table: Table, columns: TableColumns) -> bool:
    """Return whether no name of an item has a letter, as where part numbers alone name them."""
    names = (table.texts(j, columns.first_row) for j in quantity_indices(columns, ITEM_NAMES))
    return not any(any(map(str.isalpha, text)) for texts in names for text in texts)


def row_masses(table: Table, columns: TableColumns) -> Iterator[Floats]:
    """Yield the masses (n,) of the rows in the column's unit, 0 for a blank: as given, then times the quantity."""
    masses = quantity_values(table, columns, "mass", 0.0)
    yield masses.copy()
    if "qty" in columns.by_quantity:
        with np.errstate(over="ignore"):  # numbers too large are reported where they are read
            products = masses * quantity_values(table, columns, "qty", 1.0)
        yield products


def quantity_values(table: Table, columns: TableColumns, quantity: str, blank: float) -> Floats:
    """Read numbers (n,) from the first row of data on in the column's unit, with a value for other cells or rows."""
    if (column := columns.by_quantity.get(quantity)) is None:
        return np.full(table.n_rows - columns.first_row, blank)
    values = column.values(table, columns.first_row) / column.factor
    return np.where(np.isnan(values), blank, values)


def row_products(table: Table, columns: TableColumns) -> set[int]:
    """Find the rows that state the mass of several pieces, and of one: parts, whatever their words."""
    if not {"qty", "mass", "line_mass"} <= columns.by_quantity.keys():
        return set()
    counts, masses, lines = (quantity_values(table, columns, name, np.nan) for name in ("qty", "mass", "line_mass"))
    above = np.nancumsum(counts) - np.nan_to_num(counts)  # a total may state all pieces and their mean mass
    sizes = [columns.by_quantity[name].factor for name in ("mass", "line_mass")]
    is_product = (
        np.isclose(counts * masses * sizes[0], lines * sizes[1], _ROUNDED_PRODUCT) & (counts > 1) & (counts != above)
    )
    return {columns.first_row + k for k in np.flatnonzero(is_product).tolist()}


def total_row_candidates(table: Table, columns: TableColumns) -> Iterator[int]:
    """Yield the rows that may be totals; in a long table, without examining every cell."""
    first, placing = columns.first_row, quantity_indices(columns, _TREE_POSITION_QUANTITIES)
    is_long = table.n_rows - first > FULL_SCAN_ROWS
    if is_long and placing:
        last = table.n_rows - _TAIL_ROWS
        texts = table.texts(placing[0], first)
        blank = texts.positions("").tolist() if hasattr(texts, "positions") else None
        blank = [k for k, text in enumerate(texts) if not text] if blank is None else blank
        yield from (first + k for k in blank if first + k < last)
        yield from range(last, table.n_rows)
        return
    looked_at = quantity_indices(columns, ITEM_NAMES) if is_long else range(table.n_columns)
    hits = (label_word_positions(table.texts(j, first)) for j in looked_at)
    yield from (first + k for k in sorted(set[int]().union(*hits)))


def label_word_positions(texts: Sequence[str]) -> set[int]:
    """Find the positions of cells (n,) that contain a first word of a label; most columns contain none."""
    column, first = "\n".join(texts).casefold(), label_first_words()
    if not any(map(str.isalpha, {*column})) or first.isdisjoint(_LETTERS.findall(column)):
        return set()
    return {k for k, text in enumerate(texts) if not first.isdisjoint(_LETTERS.findall(text.casefold()))}


def _row_label(texts: Sequence[str], columns: TableColumns, kind: Callable[..., str]) -> tuple[int, str] | None:
    """Find the label in a row that has no place in the tree: its column, and the kind it names; else None."""
    # a filled cell makes the row an item: its place, and its id or part number
    named = columns.by_quantity
    markers = set(quantity_indices(columns, (*_TREE_POSITION_QUANTITIES, "id", "part")))
    if sum(any(map(str.isalnum, texts[k])) for k in markers) > 1:  # another cell makes the row an item
        return None
    numeric = {
        column.index for name, column in named.items() if name not in (*ITEM_NAMES, *_TREE_POSITION_QUANTITIES, "uom")
    }
    filled = [j for j, text in enumerate(texts) if any(map(str.isalnum, text))]  # -- is none
    words = [j for j in filled if not is_measure(texts[j])]
    words = [j for j in words if j not in numeric or not split_cell_text(texts[j]).number] or words  # not 3 g total
    own = quantity_indices(columns, ITEM_NAMES)
    for j in words:
        if is_side_label(texts, columns, j):
            continue
        is_alone = not [k for k in words if k != j and k not in numeric]
        label = kind(texts[j], alone=is_alone or j in own or j == min(words))  # ``Parts subtotal | sum of three``
        if label and not [k for k in filled if k != j and k in markers]:
            return j, label
    return None


def has_other_name(texts: Sequence[str], columns: TableColumns, j: int) -> bool:
    """Return whether a row has a name in front of a text in another column, with a word that is none of sums."""
    own = [texts[k] for k in quantity_indices(columns, ITEM_NAMES) if k < j and re.search(_WORD, texts[k])]
    return j not in quantity_indices(columns, ITEM_NAMES) and bool(own) and not any(map(possible_label_kind, own))


_WORD = r"[^\W\d_]{3,}"  # not the letters of a code


def is_side_label(texts: Sequence[str], columns: TableColumns, j: int) -> bool:
    """Return whether a text is at the side of the table, in the row of an item: ``Frame, 12, , Total:, 40``."""
    naming = quantity_indices(columns, ITEM_NAMES)
    masses = quantity_indices(columns, (*NUMBER_QUANTITIES, "line_mass"))
    if j in naming or not masses:
        return False
    if columns.header[j].strip() and j < max(masses):
        return False
    own = [texts[k] for k in naming if texts[k].strip() and read_number(texts[k]) is None]
    return not all(map(possible_label_kind, own))


def possible_label_kind(text: str, *, alone: bool = True) -> str:
    """Return the kind of row that a text names, alone in it, or may name; else nothing."""
    return label_kind(text, alone=alone) or doubtful_label_kind(text, alone=alone)


def _counts_pieces(table: Table, columns: TableColumns, row: int) -> bool:
    """Return whether a row has several pieces, and not as many as the last rows above it together."""
    counts = quantity_values(table, columns, "qty", 0.0)[row - columns.first_row :: -1]
    return bool(counts[0] > 1 and counts[0] not in np.cumsum(counts[1:]))


def assembly_total_rows(table: Table, columns: TableColumns) -> list[TotalRow]:
    """Find the rows at the end of a table, after a blank one, that each name an item and state its mass."""
    mass, first = columns.by_quantity.get("mass"), columns.first_row
    if mass is None:
        return []
    start, rows = max(first, table.n_rows - _TAIL_ROWS), list[TotalRow]()
    blank = (i for i in range(table.n_rows - 1, start, -1) if not any(map(str.strip, table.row(i))))
    begin = next(blank, first - 1) + 1
    naming = quantity_indices(columns, (*ITEM_NAMES, *_TREE_POSITION_QUANTITIES))
    for i in range(begin, table.n_rows) if begin > first else ():
        filled = {j: text.strip() for j, text in enumerate(table.row(i)) if text.strip()}
        words = [j for j, text in filled.items() if read_number(text) is None and j not in naming]
        if len(words) != 1 or len(filled) != 2 or filled.keys() != {words[0], mass.index}:
            return []
        rows.append(TotalRow(i, "subtotal", filled[words[0]], None))
    names = {table.text(i, j).strip().casefold() for i in range(first, begin) for j in naming}
    return rows if all(row.label.casefold() in names for row in rows) else []


_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T][\d:.]+)?")  # 2024-05-01 12:30
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")  # of a word
_LIST_POINT = r"^(?:\(?\d{1,2}[.)]\s|[-•–]\s|\S+(?:\s+\S+){3})"  # 1) text, - text, or four words
_RULE_MARKS = "-–—_=*.+|"
_DRAWN_LINE = rf"[{_RULE_MARKS}]{{3,}}$"  # ---
_NUMBERS = frozenset((*NUMBER_QUANTITIES, *SIGMA_QUANTITIES, "qty"))
_FOOTNOTE = r"[*†‡¹²³⁴-⁹]{1,3}\)?\s+\S|#(?=\s*[^\W\d_])"  # * text, # text


_REMARK = (
    r"(?i)notes?\b|(?:prepared|checked|drawn|approved|issued|revised|printed) (?:by|on)\b|see\b|[*†‡]|\(?\d+[.)]\s"
    r"|.*[:：]|.*\w\.$|\S+(?:\s+\S+){4}"
)
"""What reads as a remark below a blank row: its usual first words, a mark, a colon, a full stop, or five words."""
_ONE_SENTENCE = r"(?=.*[^\W\d_]{2})(?:.*\s|.*:$|.*\S[:：]\S)"
"""Several words, or one next to a colon: no level, no item number and no id of a parent above."""


def without_remarks(table: Table, mapping: Mapping[str, str], findings: Findings) -> Table:
    """Leave out the rows of a table that are remarks, and report them; the table itself without any."""
    row = find_header_row(table, mapping)
    if not (rows := _Remarks(table, row, mapping).rows()):
        return table
    words = " ".join(text.strip() for text in table.row(rows[0]) if text.strip())
    shown = words if len(words) <= 60 else f"{words[:57]}…"
    findings.append(rows_finding("MP258", f"remark is excluded: “{shown}”{and_more(rows)}", table, rows, value=words))
    return TableView(table, rows)


class _Remarks:
    """The search for rows that hold one or two texts, and nothing of an item: no number, no place in the tree."""

    def __init__(self, table: Table, row: int, mapping: Mapping[str, str]) -> None:
        self.table, self.first = table, row + 1
        named = named_quantities(table.row(row), mapping)
        self.places = {quantity: j for j, quantity in named.items()}
        of_masses = (j for j, text in enumerate(table.row(row)) if text.strip() and is_possible_mass_heading(text))
        self.numbers = sorted({j for j, name in named.items() if name in _NUMBERS} | {*of_masses})

    def rows(self) -> list[int]:
        """List the remarks; in a long table, among its last rows only."""
        is_long = self.table.n_rows - self.first > FULL_SCAN_ROWS
        start = self.table.n_rows - _TAIL_ROWS if is_long else self.first
        rows = {i for i in range(start, self.table.n_rows) if self.numbers and self._reads_as_remark(i)}
        rows |= self._below(rows, max(start, self.table.n_rows - _TAIL_ROWS))
        over = self.places.get("parent")
        others = enumerate(self.table.texts(over)) if rows and over is not None else ()
        parents = {text.strip() for i, text in others if i >= self.first and i not in rows} - {""}
        return sorted(i for i in rows if parents.isdisjoint(text.strip() for text in self.table.row(i)))

    @cached_property
    def _numbering(self) -> set[int]:
        """The columns that hold no names, so that several words alone in one are a remark."""
        return numbering_columns(self.table, self.first, self.places)

    def _has_number(self, texts: Sequence[str]) -> bool:
        """Return whether a row has a cell with a digit under a number, dates apart."""
        cells = (texts[j].strip(BLANK_CHARACTERS) for j in self.numbers)
        return any(any(map(str.isdigit, cell)) and not _DATE.fullmatch(cell) for cell in cells)

    def _reads_as_remark(self, row: int) -> bool:
        """Return whether a row reads as a remark wherever it is."""
        cell = self.table.text(row, self.numbers[0]).strip(BLANK_CHARACTERS)
        if cell.strip(_RULE_MARKS) and not _DATE.fullmatch(cell):
            return False
        # three filled cells are enough to know that a row has more than two
        texts = self.table.row(row)
        filled = list(islice((j for j, text in enumerate(texts) if text.strip(BLANK_CHARACTERS)), 3))
        text = texts[filled[0]].strip(BLANK_CHARACTERS) if filled else ""
        is_footnote, is_alone = text.startswith("#"), len(filled) == 1
        if filled and all(re.match(_DRAWN_LINE, one.strip(BLANK_CHARACTERS) or "---") for one in texts):
            return True
        if not text or (len(filled) > 2 and not is_footnote) or self._has_number(texts) or _states_mass(texts):
            return False
        if is_footnote:
            return bool(re.match(_FOOTNOTE, text))
        is_group = filled[0] == self.places.get("category") and any(name in self.places for name in ITEM_NAMES)
        is_heading = is_group and not label_kind(text, alone=True)
        is_sentence = sum(map(bool, map(_TWO_LETTERS.search, text.split()))) > 1 and filled[0] in self._numbering
        placing = {self.places.get(quantity) for quantity in _TREE_POSITION_QUANTITIES}
        is_opened = placing.isdisjoint(filled[1:]) and _remark_pattern().match(text) is not None
        return is_opened or (is_alone and (is_heading or is_sentence))

    def _below(self, known: Collection[int], start: int) -> set[int]:
        """Find those at the end: below a blank row where the first reads as one, or the points below a remark."""
        rows, block = set[int](), list[int]()
        for i in range(self.table.n_rows - 1, start - 1, -1):
            texts = self.table.row(i)
            filled = [j for j, text in enumerate(texts) if text.strip()]
            placed = {quantity for quantity in _TREE_POSITION_QUANTITIES if self.places.get(quantity) in filled}
            if len(filled) == 1 and re.match(_ONE_SENTENCE, texts[filled[0]].strip()):
                placed &= {"child"}  # rows of words only have no place in the tree
            firsts = [next(filter(str.strip, self.table.row(k))).strip() for k in block]
            if not filled and block and not re.match(_REMARK, firsts[-1]):
                break
            is_end = not filled or _states_mass(texts)
            if is_end or (i in known and all(re.search(_LIST_POINT, text) for text in firsts)):
                rows |= {*block}
                block = []
            elif i in known:
                block.append(i)
            elif len(filled) > 2 or self._has_number(texts) or placed:
                break
            else:
                block.append(i)
        return rows


def numbering_columns(table: Table, first: int, places: Mapping[str, int]) -> set[int]:
    """Find the columns of parents next to ids, and those of levels and item numbers, where these are not names."""
    numbering = set()
    if "parent" in places and ("id" in places or "part" in places):
        numbering.add(places["parent"])
    for quantity in ("level", "item"):
        if quantity in places:
            filled = [text for text in table.texts(places[quantity], first) if text.strip(BLANK_CHARACTERS)]
            if 2 * sum(any(map(str.isdigit, text)) for text in filled) > len(filled):
                numbering.add(places[quantity])
    return numbering


@cache
def _remark_pattern() -> re.Pattern[str]:
    """Compile the pattern of the words with which remarks begin."""
    patterns = {kind: "|".join(map(re.escape, entry[0]["texts"])) for kind, entry in words("remarks").items()}
    return re.compile(
        rf"(?:{patterns['opening']})\s*\d*\s*[:：]|(?:{patterns['signing']})\b"
        rf"|(?:{patterns['page']})\s*\d+\s*(?:\S+\s*\d+)?$"
        rf"|(?:{patterns['closing']})\W*$|notes$|[-–]\s*\d+\s*[-–]$|{_FOOTNOTE}",
        re.IGNORECASE,
    )


def and_more(rows: Sequence[object]) -> str:
    """State how many follow the first of some rows."""
    return f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""


def rows_finding(
    rule: str, message: str, table: Table, rows: Sequence[int], value: str = "", remedy: str | None = None
) -> Finding:
    """Report some rows of a table in one finding."""
    first, *related = (table.place(row) for row in rows[:20])
    return rule_finding(rule, message, first, value=value, remedy=remedy, count=len(rows), related=tuple(related))


def row_commands(table: Table, first: int, rows: Sequence[int], skipped: Iterable[Collection[int]]) -> str:
    """Write the remedy of a question about some rows: a command for each set of rows that are not parts."""
    names = {row: row_command_name(table, first, row) for row in rows}
    options = ([f"--{'skip' if row in one else 'count'}-row {names[row]}" for row in rows] for one in skipped)
    return table.source.run_remedy(*map(" ".join, options))


def row_label(table: Table, row: int) -> str:
    """Return the first text of a row that is neither a number nor a truth value, or else its place."""
    texts = (text.strip() for text in table.row(row) if any(map(str.isalnum, text)))
    names = (text for text in texts if read_number(text) is None and text.casefold() not in ("true", "false"))
    return next(names, f"row {row + 1}")


def row_command_name(table: Table, first: int, row: int) -> str:
    """Name a row in a command: by its label if that is in one cell only, else by place."""
    label = row_label(table, row)
    texts = (text.strip() for other in range(first, table.n_rows) for text in table.row(other))
    is_usable = is_command_text(label) and sum(text == label for text in texts) == 1
    return shlex.quote(label if is_usable else row_reference(table, row))


def rows_named_by_options(table: Table, columns: TableColumns, names: Sequence[str]) -> list[TotalRow]:
    """Find the rows that ``--count-row`` or ``--skip-row`` name."""
    rows = []
    for i in range(columns.first_row, table.n_rows) if names else ():
        texts = [text.strip() for text in table.row(i)]
        label = next((name for name in names if name in texts or name == row_reference(table, i)), None)
        if label is not None:
            label = next((text for text in texts if text and read_number(text) is None), texts[0])
            rows.append(TotalRow(i, possible_label_kind(label) or "figure", label, None))
    return rows


def unmatched_row_findings(table: Table, columns: TableColumns, options: TableOptions) -> list[Finding]:
    """Report labels of ``--count-row`` and ``--skip-row`` that no row has."""
    findings, whole = Findings(), file_table(table)
    for option, names in (("--count-row", options.count_rows), ("--skip-row", options.skip_rows)):
        for name in names:
            if rows_named_by_options(whole, columns, [name]):
                continue
            labels = [text.strip() for i in range(columns.first_row, whole.n_rows) for text in whole.row(i)]
            near = nearest_name_hint(name, [text for text in labels if text and read_number(text) is None])
            remedy = "use the text of a cell of the row, or its place, such as row:12"
            place = table.place(columns.first_row)
            findings.report("MP204", f"{option} {name}: no such row{near}", place, value=name, remedy=remedy)
    return list(findings)
