"""Cells of one column that are no plain numbers, read together: what one of them shows settles the others.

Each cell is read one way and told, or refused. Rules of telling: MP229 a word for blank, MP230 a unit, MP231 a decimal
comma or separators, MP232 an estimate, MP233 characters that nobody sees, MP238 other digits and signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from massprops_cli.tables.cells.cell_rules import PLAIN, CellRules
from massprops_cli.tables.cells.cell_separators import decimal_of, readings
from massprops_cli.tables.cells.cell_text import CellText, take_apart, visible
from massprops_cli.tables.cells.cell_words import is_blank_word
from massprops_cli.tables.cells.measures import counts_pieces, measure_for, split_per
from massprops_cli.tables.cells.number_text import BLANKS, NUMBER, half_unit_of_last_digit, read_number
from massprops_cli.tables.units.unit_text import unit_for

BLANK_WORD, UNIT_READ, SEPARATORS_READ, ESTIMATE_TAKEN, HIDDEN_DROPPED = "MP229", "MP230", "MP231", "MP232", "MP233"
OTHERWISE_WRITTEN = "MP238"

TIMES = re.compile(r"[x×]\s*(?P<before>[0-9][0-9.,]*)|(?P<after>[0-9][0-9.,]*)\s*[x×]", re.IGNORECASE)
"""A quantity as parts lists write it."""


class Cell(NamedTuple):
    """What a cell says: a ``value`` in the column's unit, or nothing (None); ``said`` are the rules to tell it by.

    ``measure`` is the unit that a quantity counts or measures in, or of which a mass is one: ``m`` of ``1.2 kg/m``.
    """

    value: float | None
    said: tuple[str, ...] = ()
    blank: bool = False
    measure: str = ""


class Decimal(NamedTuple):
    """The decimal mark of a column: as ``asked`` for, as its cells ``show``; ``commas`` where one is surely decimal."""

    asked: str = ""
    shown: str = ""
    commas: bool = False

    def settle(self, number: str) -> str:
        """Give the strict number that a text is; empty where it is none, or one of two.

        >>> Decimal().settle("1,25"), Decimal().settle("1,234"), Decimal(asked=",").settle("1,234")
        ('1.25', '', '1.234')
        """
        read = readings(number)
        if self.asked:
            return read.by(self.asked)
        if read.point == read.comma or read.only:
            return read.point or read.comma
        if NUMBER.fullmatch(number):
            return "" if self.commas else number  # beside decimal commas 1.234 may be 1234
        return read.by(self.shown) if self.shown else ""


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Tell whether some text can be read with a decimal comma only.

    >>> has_decimal_comma(["1,234", "0,5 kg"]), has_decimal_comma(["1,234"])
    (True, False)
    """
    return any(readings(take_apart(text).number).only == "," for text in texts if "," in text or "." in text)


def asks_for_marks(texts: Iterable[str]) -> bool:
    """Tell whether a comma may be decimal in some text: plain numbers of its column then show what their point is.

    >>> asks_for_marks(["1,234"]), asks_for_marks(["1,25"]), asks_for_marks(["1,234.5", "1 234"])
    (True, True, False)
    """
    read = (readings(take_apart(text).number) for text in texts if "," in text or "." in text)
    return any(number.comma and number.comma != number.point for number in read)


def read_cells(texts: Sequence[str], rules: CellRules) -> list[Cell]:
    """Read cells of one column ``(n,)`` together.

    >>> [cell.value for cell in read_cells(["1,25", "1,234", "TBD", "~3"], CellRules())]
    [1.25, 1.234, None, None]
    """
    apart = {text: apart_by(text, rules) for text in set(texts)}
    written = [cell.number for cell in apart.values()]
    decimal = Decimal(rules.decimal, decimal_of(written), has_decimal_comma(written))
    read = {text: _read(text, cell, decimal, rules) for text, cell in apart.items()}
    return [read[text] for text in texts]


def apart_by(text: str, rules: CellRules) -> CellText:
    """Take a cell apart, a quantity also where ``x4`` or ``4 ×`` stand for 4 pieces.

    >>> apart_by("x4", CellRules(of_measure="quantity")).number, apart_by("x4", CellRules()).number
    ('4', '')
    """
    if rules.of_measure != "quantity":
        return take_apart(text)
    from massprops_cli.tables.cells.other_writing import is_feet_and_inches

    bare = visible(text)
    if is_feet_and_inches(bare):
        return CellText("")  # a mass of one may be that of a foot, or of an inch
    match = TIMES.fullmatch(bare)
    return take_apart(text if match is None else f"{match['before'] or match['after']} x")


def _read(text: str, cell: CellText, decimal: Decimal, rules: CellRules) -> Cell:
    """Read one cell that has been taken apart."""
    if not cell.number:
        bare = visible(text)
        if not bare:
            return Cell(None, (HIDDEN_DROPPED,) if text.strip(BLANKS) else (), blank=True)
        return Cell(None, (BLANK_WORD,), blank=True) if is_blank_word(bare) else Cell(None)
    number = decimal.settle(cell.number)
    value = read_number(number) if number else None
    factor, measure = factor_of(cell.unit, rules), measure_of(cell.unit, rules)
    if value is None or factor is None or (cell.estimated and not rules.approximate):
        return Cell(None)
    told = (
        (UNIT_READ, bool(cell.unit)),
        (SEPARATORS_READ, number != cell.number),
        (ESTIMATE_TAKEN, cell.estimated),
        (HIDDEN_DROPPED, cell.hidden),
        (OTHERWISE_WRITTEN, cell.otherwise),
    )
    return Cell(
        value if factor == 1.0 else value * factor, tuple(rule for rule, holds in told if holds), False, measure
    )


def factor_of(unit: str, rules: CellRules) -> float | None:
    """Give what a cell's number is multiplied with for its own unit; None where that does not fit the column."""
    if not unit:
        return 1.0
    name = unit.rstrip(BLANKS)
    if rules.of_measure == "quantity":
        return 1.0 if counts_pieces(name) or measure_for(name) else None
    if rules.unit is None:
        return None
    own = unit_for(split_per(name)[0] if rules.of_measure else name, rules.unit.dimension)
    return None if own is None else own.over(rules.unit)


def measure_of(unit: str, rules: CellRules) -> str:
    """Give the unit that a quantity is a number of, or that a mass is of one of; empty where the cell names none.

    >>> measure_of("pcs", CellRules(of_measure="quantity")), measure_of("kg/m", CellRules(of_measure="mass"))
    ('pcs', 'm')
    """
    name = unit.rstrip(BLANKS)
    return name if rules.of_measure == "quantity" else split_per(name)[1] if rules.of_measure else ""


def half_unit_of_cell(text: str, rules: CellRules = PLAIN) -> float:
    """Give half a unit of the last digit written in a cell, in the unit of its column; 0 for what is no number.

    Of two readings it is the finer one.

    >>> half_unit_of_cell("1,25"), half_unit_of_cell("1,250"), half_unit_of_cell("~3"), half_unit_of_cell("TBD")
    (0.005, 0.0005, 0.5, 0.0)
    """
    cell = take_apart(text)
    read = readings(cell.number)
    half = min((half_unit_of_last_digit(number) for number in read if number), default=0.0)
    return half * (factor_of(cell.unit, rules) or 0.0)
