"""Why a cell of a number column was refused although a number can be seen in it, and what settles it."""

from __future__ import annotations

import re

from massprops_cli.tables.cells.cell_reading import apart_by, factor_of
from massprops_cli.tables.cells.cell_rules import CellRules
from massprops_cli.tables.cells.cell_separators import Readings, readings
from massprops_cli.tables.cells.cell_text import CellText
from massprops_cli.tables.cells.number_faults import Reason, shown, why_not_a_number
from massprops_cli.tables.cells.number_text import is_number, read_number
from massprops_cli.tables.units.unit_text import read_unit

_UNIT_LIKE = re.compile(r"(?!e$)[^\d]*(?:[^\W\d_]\^?[0-9]|[²³])?(?:/.*)?", re.IGNORECASE)
"""What else stands behind a number may be a part of it: ``x10``, ``d3``."""


def why_not_read(text: str, rules: CellRules) -> Reason:
    """Say why a cell was refused in a column with these rules, in words that go after its name.

    >>> why_not_read("1,234", CellRules()).message
    'is not one number: 1,234 is 1234 or 1.234'
    >>> why_not_read("~3", CellRules()).remedy
    'pass --accept-approximate to take it as 3, or write the number alone'
    """
    cell = apart_by(text, rules)
    if not cell.number:
        return why_not_a_number(text)
    return (
        _of_the_unit(text, cell, rules)
        or _of_the_separators(cell.number, readings(cell.number), rules.decimal)
        or _of_the_estimate(text, cell, rules)
        or why_not_a_number(text)
    )


def _of_the_unit(text: str, cell: CellText, rules: CellRules) -> Reason | None:
    if not cell.unit or factor_of(cell.unit, rules) is not None:
        return None
    if not _UNIT_LIKE.fullmatch(cell.unit):
        return None
    number, unit, whole = shown(cell.number), shown(cell.unit), shown(text.strip())
    if rules.of_measure == "quantity":
        what = f"is not a number of pieces, nor of a unit of length, area or volume: {whole}"
        return Reason("MP205", what, f"write {number} if that many pieces are meant")
    if rules.unit is None:
        what = f"is not a number but a number with a unit, {unit}: {whole}"
        if read_unit(cell.unit) is not None:
            return Reason("MP205", what, "say what numbers without a unit are in, such as --unit mass=kg")
        return Reason("MP205", what, f"write {number}, and the unit in the header")
    what = f"has the unit {unit}, which is none of this column: {whole}"
    return Reason("MP205", what, "write the number in the unit of the column")


def _of_the_separators(number: str, read: Readings, decimal: str) -> Reason | None:
    if decimal and not read.by(decimal) and (read.point or read.comma):
        other, plain = ("comma", read.comma) if decimal == "." else ("point", read.point)
        fits = f"is no number with --decimal {decimal}, for its decimal mark is the {other}: {number}"
        return Reason("MP205", fits, f"write {plain.replace('.', decimal)}, or leave out --decimal")
    if decimal or not (read.point and read.comma) or read.point == read.comma:
        return None
    offer = f"pass --decimal . to read {read.point}, or --decimal , to read {read.comma}"
    return Reason("MP205", f"is not one number: {number} is {read.point} or {read.comma}", offer)


def _of_the_estimate(text: str, cell: CellText, rules: CellRules) -> Reason | None:
    if not cell.estimated or rules.approximate:
        return None
    offer = f"pass --accept-approximate to take it as {shown(cell.number)}, or write the number alone"
    if is_number(cell.number) and read_number(cell.number) is None:
        return None
    return Reason("MP205", f"is an estimate, not a plain number: {shown(text.strip())}", offer)
