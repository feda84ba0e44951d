"""Number columns: each cell is a number, blank, or rejected with its reason and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, TEXT, ColumnNumbers, Table
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS,
    DEFAULT_CELL_RULES,
    PLAIN_NUMBER,
    CellRules,
    CellText,
    DecimalReadings,
    NumberFault,
    common_decimal_mark,
    decimal_readings,
    displayed_text,
    half_unit_of_estimate,
    half_unit_of_last_digit,
    has_nonzero_digit,
    in_smaller_unit,
    is_number,
    is_one_set,
    is_piece_unit,
    is_placeholder,
    is_unknown_number,
    middle_of_range,
    number_fault,
    parse_measure,
    read_number,
    split_cell_text,
    split_unit_ratio,
    visible_text,
)
from massprops_cli.tables.cells.units import LENGTH, MASS, StatedUnit, ambiguous_unit, read_unit, unit_of_dimension

_PLACEHOLDER_READ, _UNIT_READ, SEPARATORS_READ, _ESTIMATE_READ, _HIDDEN_CHARACTERS_DROPPED = (
    "MP229", "MP230", "MP231", "MP232", "MP233",
)  # fmt: skip
_OTHER_NOTATION_READ = "MP238"

_TIMES_PIECES = r"(?i)[x×]\s*(?P<before>[0-9][0-9.,]*)|(?P<after>[0-9][0-9.,]*)\s*[x×]"
"""A quantity as parts lists write it."""


class NumberCell(NamedTuple):
    """A cell as read: ``value`` in the unit of the column, or None, ``rules`` that report it, ``factors`` of a product.

    ``measure`` is the unit that a quantity counts or measures in, or of which a mass is one: ``m`` of ``1.2 kg/m``.
    """

    value: float | None
    rules: tuple[str, ...] = ()
    blank: bool = False
    measure: str = ""
    factors: tuple[float, ...] = ()


class _DecimalMark(NamedTuple):
    """The decimal mark of a column: as stated, as its cells show, and what is certain of some of them."""

    stated: str = ""
    shown: str = ""
    commas: bool = False  # one is decimal
    groups: bool = False  # a point is between groups, before a decimal comma: 2.400,5

    def strict_number(self, number: str) -> str:
        """Return the strict number in a text; empty where there is none, or one of two."""
        read = decimal_readings(number)
        if self.stated:
            return read.by(self.stated)
        if read.point == read.comma or read.only:
            return read.point or read.comma
        if PLAIN_NUMBER.fullmatch(number) and not self.groups:
            return "" if self.commas else number  # next to decimal commas 1.234 may be 1234
        return read.by(self.shown) if self.shown else ""


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Return whether some text can be read with a decimal comma only, and not with commas between groups."""
    return any(
        decimal_readings(split_cell_text(text).number).only == "," for text in texts if "," in text or "." in text
    )


_POINT_NUMBER = re.compile(r"[+-]?(?:\d*\.(?:\d{1,2}|\d{4,})|0?\.\d+)")
"""A number whose point can only be decimal: three digits behind it may be a group."""


def table_decimal_mark(table: Table, columns: Iterable[int], start: int) -> str:
    """Find the only decimal mark in the first rows of some columns of numbers."""
    marks: set[str] = set()
    sample = range(start, min(table.n_rows, start + _SAMPLE_ROWS))
    for j in columns:
        # cell by cell: a long column is not converted for its first rows
        texts = {i: text for i in sample if "," in (text := table.text(i, j).strip()) or "." in text}
        typed = table.is_typed(j, start) if texts else ()
        for i, whole in texts.items():
            if not typed[i - start]:
                text = whole.removesuffix("%").rstrip()
                number = text if _POINT_NUMBER.fullmatch(text) else split_cell_text(text).number
                marks.add("." if _POINT_NUMBER.fullmatch(number) else decimal_readings(number).only)
    marks.discard("")
    return marks.pop() if len(marks) == 1 else ""


def _has_possible_decimal_comma(texts: Iterable[str]) -> bool:
    """Return whether a comma may be decimal in some text; plain numbers then show the meaning of a point."""
    read = (decimal_readings(split_cell_text(text).number) for text in texts if "," in text or "." in text)
    return any(number.comma and number.comma != number.point for number in read)


def read_number_cells(texts: Sequence[str], rules: CellRules) -> list[NumberCell]:
    """Parse cells (n,) of one column into its unit, together: one cell can resolve the decimal mark of the others."""
    apart = {text: split_quantity_text(text, rules) for text in set(texts)}
    written = [cell.number for cell in apart.values()]
    has_mark = any(decimal_readings(text).only for text in written)
    of_remarks = {
        cell.number: mark for cell in apart.values() if cell.remark and (mark := _mark_of_remark(cell, rules))
    }
    certain = of_remarks | {text: "," for text in written if "," in text and decimal_readings(text).only == ","}
    shown = common_decimal_mark(written) or ("" if has_mark else rules.shown)
    if not shown and len(marks := {*of_remarks.values()}) == 1:
        shown = marks.pop()
    is_grouped = any(mark == "," and "." in text for text, mark in certain.items())
    decimal = _DecimalMark(rules.decimal, shown or "," * is_grouped, "," in certain.values(), is_grouped)
    read = {text: _read_number_cell(text, cell, decimal, rules) for text, cell in apart.items()}
    return [read[text] for text in texts]


def split_quantity_text(text: str, rules: CellRules) -> CellText:
    """Split a cell into its parts; in a quantity, ``x4`` or ``4 ×`` means 4 pieces; elsewhere a range its middle."""
    if rules.of_measure != "quantity":
        middle = middle_of_range(text) if rules.approximate else None
        return split_cell_text(text) if middle is None else middle
    bare = visible_text(text)
    if (match := re.fullmatch(_TIMES_PIECES, bare)) is None and is_one_set(bare):
        return split_cell_text("1 x")
    return split_cell_text(text if match is None else f"{match['before'] or match['after']} x")


def _read_number_cell(text: str, cell: CellText, decimal: _DecimalMark, rules: CellRules) -> NumberCell:
    """Read one cell that has been split into its parts."""
    if not cell.number:
        if not (bare := visible_text(text)):
            return NumberCell(None, (_HIDDEN_CHARACTERS_DROPPED,) if text.strip(BLANK_CHARACTERS) else (), blank=True)
        return NumberCell(None, (_PLACEHOLDER_READ,), blank=True) if is_placeholder(bare) else NumberCell(None)
    mark = "" if decimal.stated or not cell.remark else _mark_of_remark(cell, rules)
    number = decimal_readings(cell.number).by(mark) if mark else decimal.strict_number(cell.number)
    value = read_number(number) if number else None
    factor, measure = _cell_unit_factor(cell.unit, rules), cell_measure(cell.unit, rules)
    if value is None or factor is None or (len(cell.factors) == 1 and not rules.mass_is):
        return NumberCell(None)
    if cell.remark and not _agrees_with_remark(value, number, cell, rules):
        return NumberCell(None)
    if len(cell.factors) == 1 and rules.mass_is == "each":
        value *= cell.factors[0]
    applied = (
        (_UNIT_READ, bool(cell.unit)),
        (SEPARATORS_READ, number != cell.number),
        (_ESTIMATE_READ, cell.estimated),
        (_HIDDEN_CHARACTERS_DROPPED, cell.hidden),
        (_OTHER_NOTATION_READ, cell.otherwise),
    )
    rules_applied = tuple(rule for rule, holds in applied if holds)
    return NumberCell(value if factor == 1.0 else value * factor, rules_applied, False, measure, cell.factors)


_SECOND_NUMBER = r"(?P<number>[0-9.,]*[0-9])\s*(?P<unit>[^\W\d_]+)"  # 1.07 lb
_HAND_ROUNDING = 0.005  # the relative difference between one mass in two units that rounding by hand explains


def _agrees_with_remark(value: float, number: str, cell: CellText, rules: CellRules) -> bool:
    """Return whether the remark behind a number states no other: ``484 g (1.07 lb)``, ``4.2 (weighed)``."""
    digits = 1 + (cell.remark[0] in "≈≃")  # half units of the last digit by which it may be off
    own, half = read_unit(cell.unit) if cell.unit else rules.unit, half_unit_of_last_digit(number)
    found = [(one["number"], one["unit"]) for one in re.finditer(_SECOND_NUMBER, in_smaller_unit(cell.remark))]
    of_unit = [
        (text, unit.over(own)) for text, name in found if own and (unit := unit_of_dimension(name, own.dimension))
    ]
    seconds = [[(float(one) * size, one, size) for one in decimal_readings(text) if one] for text, size in of_unit]
    return (bool(seconds) or not cell.remark[0].isdigit()) and all(
        any(
            abs(value - other) <= max(half + digits * half_unit_of_last_digit(one) * size, _HAND_ROUNDING * abs(value))
            for other, one, size in readings
        )
        for readings in seconds
    )


def _mark_of_remark(cell: CellText, rules: CellRules) -> str:
    """Return the only decimal mark by which a number agrees with the one behind it; empty where both or none do."""
    read = {mark: number for mark in (".", ",") if (number := decimal_readings(cell.number).by(mark))}
    fitting = [mark for mark, number in read.items() if _agrees_with_remark(float(number), number, cell, rules)]
    return fitting[0] if len(fitting) == 1 else ""


def _cell_unit_factor(unit: str, rules: CellRules) -> float | None:
    """Compute the factor from a cell's own unit to that of the column; None where it does not fit."""
    if not unit:
        return 1.0
    name = unit.rstrip(BLANK_CHARACTERS)
    if rules.of_measure == "quantity":
        return 1.0 if is_piece_unit(name) or parse_measure(name) else None
    own_name, per = split_unit_ratio(name) if rules.of_measure else (name, "")
    if per and not own_name:
        return 1.0
    if rules.unit is None:
        return None
    is_open = own_name[:2].lower() == "gr" and ambiguous_unit(own_name) is not None  # the column states which
    if is_open and rules.unit in (unit_of_dimension(one, MASS) for one in ("g", "grain")):
        return 1.0
    own = unit_of_dimension(own_name, rules.unit.dimension)
    return None if own is None else own.over(rules.unit)


def cell_measure(unit: str, rules: CellRules) -> str:
    """Find the unit of measure that a quantity counts in, or that a mass is of one of."""
    name = unit.rstrip(BLANK_CHARACTERS)
    return name if rules.of_measure == "quantity" else split_unit_ratio(name)[1] if rules.of_measure else ""


def half_unit_of_cell(text: str, rules: CellRules = DEFAULT_CELL_RULES, label: str = "") -> float:
    """Compute half a unit of the last digit of a cell in the column's unit; of an estimate, of the last one not 0."""
    cell = split_cell_text(text)
    read = decimal_readings(cell.number)
    half = min((half_unit_of_last_digit(number) for number in read if number), default=0.0)
    half = max(half, half_unit_of_estimate(text, label))
    return half * (_cell_unit_factor(cell.unit, rules) or 0.0)


_SAMPLE_ROWS = 200
"""Maximum number of blank rows before the first number of a column, which decides whether its cells state a unit."""


def sample_row_texts(table: Table, start: int) -> list[list[str]]:
    """Read the rows that are examined for the first number of every column."""
    return [table.row(i) for i in range(start, min(table.n_rows, start + _SAMPLE_ROWS))]


def shared_cell_unit(
    table: Table, column: int, start: int, top: Sequence[Sequence[str]], dimension: tuple[int, int, int]
) -> StatedUnit | None:
    """Find the unit that every number of a column states, the first cell among them."""
    first = next((texts[column] for texts in top if texts[column] and is_filled_text(texts[column])), "")
    stated = None if is_number(first) else _cell_unit(first, dimension)
    if stated is None:
        return None
    parts = map(split_cell_text, {text for text in table.texts(column, start) if is_filled_text(text)})
    return stated if all(part.unit for part in parts if part.number) else None


def is_filled_text(text: str) -> bool:
    """Return whether a cell has a text other than a placeholder."""
    bare = visible_text(text)
    return bool(bare) and not is_placeholder(bare)


def _cell_unit(text: str, dimension: tuple[int, int, int]) -> StatedUnit | None:
    """Read the unit of one cell."""
    name = split_cell_text(text).unit.strip(BLANK_CHARACTERS)
    name = split_unit_ratio(name)[0] if dimension == MASS else name
    unit = unit_of_dimension(name, dimension) if name else None
    return None if unit is None else StatedUnit(name, unit)


_NUMBER_CHARACTERS = b"0123456789.eE+-\n"
"""Of texts in these characters alone, ``float`` takes those that are numbers here, and no others."""


class ParsedColumn(NamedTuple):
    """A number column read to its end; positions count from its first row of data."""

    values: NDArray[np.float64]  # (n,) in the unit of the column, NaN without a number
    blank: NDArray[np.bool_]  # (n,)
    bad: NDArray[np.intp]  # (k,) positions of cells that are not numbers
    rule_cells: Mapping[str, NDArray[np.intp]] = MappingProxyType({})
    """Rule → positions of the cells that it reports, once."""
    measures: Mapping[int, str] = MappingProxyType({})  # position → unit of measure that the cell names
    factors: Mapping[int, tuple[float, ...]] = MappingProxyType({})  # position → those of a product


def parse_column(
    table: Table, column: int, numbers: ColumnNumbers, start: int, rules: CellRules = DEFAULT_CELL_RULES
) -> ParsedColumn:
    """Parse a number column, values (n,) in its unit: strictly, and the remaining texts by the rules of its cells."""
    blank = numbers.states == BLANK
    if not len(open_cells := np.flatnonzero(numbers.states == TEXT)) and rules.decimal != ",":
        return ParsedColumn(numbers.values, blank, open_cells)
    texts = table.texts(column, start)
    if (parsed := _parse_decimal_commas(texts, blank, rules)) is not None:
        return parsed
    chosen = [
        text.strip(BLANK_CHARACTERS)
        for text in (texts if len(open_cells) == len(texts) else _texts_at(texts, open_cells))
    ]
    read, good = _read_number_texts(chosen)
    values = numbers.values.copy()
    values[open_cells] = read
    odd = open_cells[~good]
    if rules.decimal == "," or (len(odd) and _has_possible_decimal_comma(_texts_at(texts, odd))):
        written = np.flatnonzero(~np.isnan(values) & ~table.is_typed(column, start))
        with_point = [i for i in written.tolist() if "." in texts[i]]  # 412.5 shows what 2,450 is
        odd = np.union1d(odd, np.array(with_point, np.intp))
    return _merge_cells(values, blank, odd, read_number_cells(_texts_at(texts, odd), rules))


_FIRST_COMMAS = 1_000  # cells among which one can have a decimal comma only


def _parse_decimal_commas(texts: Sequence[str], blank: NDArray[np.bool_], rules: CellRules) -> ParsedColumn | None:
    """Parse a column of plain numbers with decimal commas; None if its cells must be read one by one."""
    if rules.decimal == "." or rules.approximate or rules.of_measure == "quantity":
        return None
    if (read := _read_comma_numbers(texts)) is None:
        return None
    values, commas = read
    if rules.decimal != "," and not has_decimal_comma(_texts_at(texts, np.flatnonzero(commas)[:_FIRST_COMMAS])):
        return None
    zeros = {texts[i] for i in np.flatnonzero(values == 0.0).tolist()}
    if not np.array_equal(np.isfinite(values), ~blank) or any(map(has_nonzero_digit, zeros)):
        return None
    found = {SEPARATORS_READ: np.flatnonzero(commas)} if commas.any() else {}
    return ParsedColumn(values, blank, np.zeros(0, np.intp), found)


def _read_comma_numbers(texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """Read texts (n,) that are whole numbers and such with one comma: numbers, NaN if blank, and commas (n,)."""
    if hasattr(texts, "column"):
        from massprops_cli.files.arrow import read_comma_numbers

        return read_comma_numbers(texts)
    filled = [text.replace(",", ".") for text in texts if text]
    if "." in "".join(texts) or (read := _read_plain_numbers(filled)) is None:
        return None
    values = np.full(len(texts), np.nan)
    values[[text != "" for text in texts]] = read
    return values, np.array(["," in text for text in texts], bool)


def _merge_cells(
    values: NDArray[np.float64], blank: NDArray[np.bool_], odd: NDArray[np.intp], cells: Sequence[NumberCell]
) -> ParsedColumn:
    """Insert the values of cells that are not plain numbers."""
    if not len(odd):
        return ParsedColumn(values, blank, odd)
    values[odd] = [np.nan if cell.value is None else cell.value for cell in cells]
    empty = np.array([cell.blank for cell in cells])
    blank = blank.copy()
    blank[odd[empty]] = True
    rule_positions: dict[str, list[int]] = {}
    for i, cell in zip(odd.tolist(), cells, strict=True):
        for rule in cell.rules:
            rule_positions.setdefault(rule, []).append(i)
    rule_cells = {rule: np.array(positions, np.intp) for rule, positions in sorted(rule_positions.items())}
    measures = {i: cell.measure for i, cell in zip(odd.tolist(), cells, strict=True) if cell.measure}
    factors = {i: cell.factors for i, cell in zip(odd.tolist(), cells, strict=True) if cell.factors}
    return ParsedColumn(values, blank, odd[np.isnan(values[odd]) & ~empty], rule_cells, measures, factors)


def reject_unknown_numbers(parsed: ParsedColumn, text: Callable[[int], str]) -> ParsedColumn:
    """Reject TBD and the like in quantities, where a blank is a number; dashes and ``N/A`` remain blank."""
    if (placeholders := parsed.rule_cells.get(_PLACEHOLDER_READ)) is None:
        return parsed
    is_unknown = np.array([is_unknown_number(text(i)) for i in placeholders.tolist()], bool)
    blank = parsed.blank.copy()
    blank[placeholders[is_unknown]] = False
    others = {rule: positions for rule, positions in parsed.rule_cells.items() if rule != _PLACEHOLDER_READ}
    if not is_unknown.all():
        others[_PLACEHOLDER_READ] = placeholders[~is_unknown]
    return parsed._replace(blank=blank, bad=np.union1d(parsed.bad, placeholders[is_unknown]), rule_cells=others)


def _texts_at(texts: Sequence[str], where: NDArray[np.intp]) -> list[str]:
    """Pick the texts at some positions."""
    return [texts[i] for i in where.tolist()]


def _read_number_texts(texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read trimmed texts ``(n,)`` as numbers: values, NaN where not ``good``; and ``good (n,)``."""
    read = _read_plain_numbers(texts)
    if read is None:
        match = PLAIN_NUMBER.fullmatch
        read = [float(text) if match(text) else np.nan for text in texts]
    values = np.array(read, dtype=np.float64)
    lost = np.isinf(values)
    for i in np.flatnonzero(values == 0.0).tolist():
        lost[i] = has_nonzero_digit(texts[i])
    values[lost] = np.nan
    return values, ~np.isnan(values)


def _read_plain_numbers(texts: list[str]) -> list[float] | None:
    """Read texts that are all numbers, the usual case, with one look at their characters."""
    joined = "\n".join(texts)
    if not joined.isascii() or joined.encode().translate(None, _NUMBER_CHARACTERS) or joined.count("\n") >= len(texts):
        return None
    try:
        return list(map(float, texts))
    except ValueError:
        return None


# pairs and dozens
_SETS = {
    2: r"(?i)(?:pairs?|pr|paar|paires?|pares|par|coppi[ae]|对|組)\.?",
    12: r"(?i)(?:dozens?|doz|dz|dutzend|douzaines?|docenas?|dozzin[ae])\.?",
}
_UNIT_LIKE = r"(?i)(?!e$)[^\d]*(?:[^\W\d_]\^?[0-9]|[²³])?(?:/.*)?"
"""What else is behind a number may be a part of it: ``x10``, ``d3``."""


def rejected_cell_fault(text: str, rules: CellRules) -> NumberFault:
    """Describe why a cell was rejected in a column with these rules."""
    cell = split_quantity_text(text, rules)
    if not cell.number:
        return _range_fault(text, rules) or number_fault(text)
    one = displayed_text(f"{cell.number} {cell.unit}".rstrip())
    two = NumberFault("MP205", f"states two numbers that differ: {one} and {cell.remark}", "write the one that counts")
    return (
        _range_fault(text, rules)
        or _unit_fault(text, cell, rules)
        or _separator_fault(cell.number, decimal_readings(cell.number), rules.decimal)
        or _count_fault(text, cell, rules)
        or (two if cell.remark else number_fault(text))
    )


def _range_fault(text: str, rules: CellRules) -> NumberFault | None:
    """Describe a range with the option that reads it; None for other texts, and in quantities."""
    middle = None if rules.of_measure == "quantity" else middle_of_range(text)
    if middle is None:
        return None
    value = f"{middle.number} {middle.unit}".rstrip()
    remedy = f"to read {value}, its middle, pass --config accept-approximate=true; else enter bounds, such as mass_min"
    return NumberFault("MP205", f"is a range, not one number: {displayed_text(text.strip())}", remedy)


def _unit_fault(text: str, cell: CellText, rules: CellRules) -> NumberFault | None:
    """Describe a unit after the number that the column does not accept; None where the unit is accepted."""
    if not cell.unit or _cell_unit_factor(cell.unit, rules) is not None or not re.fullmatch(_UNIT_LIKE, cell.unit):
        return None
    number, unit, whole = displayed_text(cell.number), displayed_text(cell.unit), displayed_text(text.strip())
    sizes = ambiguous_unit(cell.unit) if rules.of_measure == "mass" else None
    if sizes is not None:
        of_cells = "pass --unit mass=g to read grams, or --unit mass=grain to read grains"
        remedy = of_cells if "grain" in sizes[1] else sizes[1]
        return NumberFault("MP205", f"has an ambiguous unit, {unit}: {whole} ({sizes[0]})", remedy)
    if rules.of_measure == "quantity":
        size = next((size for size, words in _SETS.items() if re.fullmatch(words, cell.unit)), 0)
        if size and (count := read_number(cell.number)):
            remedy = f"write {size * count:g} if the mass is of one piece, {count:g} if it is of {size}"
            return NumberFault("MP205", f"counts sets of {size}: {whole} ({size * count:g} pieces)", remedy)
        what = f"has a unit other than pieces, length, area or volume: {whole}"
        return NumberFault("MP205", what, f"write {number} if the mass is of one of them")
    if rules.unit is None:
        own, remedy = read_unit(cell.unit), f"write {number}, and the unit in the header"
        if own is not None:
            stated = {MASS: f"mass={cell.unit}", LENGTH: f"length={cell.unit}"}.get(own.dimension, "mass=kg")
            remedy = f"state the unit of the other numbers, for instance with --unit {stated}"
        return NumberFault("MP205", f"has a unit, {unit}: {whole}", remedy)
    what = f"has a unit that does not fit the column, {unit}: {whole}"
    return NumberFault("MP205", what, "write the number in the unit of the column")


def _separator_fault(number: str, read: DecimalReadings, decimal: str) -> NumberFault | None:
    """Describe a number that contradicts ``--decimal`` or has two readings; None for others."""
    if decimal and not read.by(decimal) and (read.point or read.comma):
        other, plain = ("comma", read.comma) if decimal == "." else ("point", read.point)
        what = f"is not a number with --decimal {decimal}: {number} (its decimal mark is the {other})"
        return NumberFault("MP205", what, f"write {plain.replace('.', decimal)}, or omit --decimal")
    if decimal or not (read.point and read.comma) or read.point == read.comma:
        return None
    offer = f"pass --decimal . to read {read.point}, or --decimal , to read {read.comma}"
    return NumberFault("MP205", f"is ambiguous: {number} ({read.point} or {read.comma})", offer)


def _count_fault(text: str, cell: CellText, rules: CellRules) -> NumberFault | None:
    """Describe a number next to a count of pieces, ``140 g (×4)``: of one piece, or of all; None for others."""
    read = decimal_readings(cell.number)
    value = read_number(read.by(rules.decimal or read.only))
    if len(cell.factors) != 1 or value is None or rules.of_measure != "mass":
        return None
    one, total = (f"{number:.12g} {cell.unit}".rstrip() for number in (value, value * cell.factors[0]))
    what = f"may be of one piece or of all: {displayed_text(text.strip())} ({total} or {one} in all)"
    return NumberFault("MP205", what, f"pass --mass-is each to read {total}, or --mass-is line to read {one}")
