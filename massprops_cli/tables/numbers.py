"""The strict number: which characters are a number, what a number column holds, and why a cell is none.

A number is ``[+-]?(digits[.digits] | .digits)[(e|E)[+-]digits]`` in ASCII digits, blanks around it trimmed, finite, and not a
non-zero text that double precision turns into 0. Python's ``float`` takes more (``1_000``, ``nan``, ``٣``), so the characters
are looked at first.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, TEXT, Numbers, Table

BLANKS = " \t\u00a0\u2007\u202f"
"""What is trimmed around a number: spaces, tabs and the no-break spaces."""

_PATTERN = r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_NUMBER = re.compile(_PATTERN)
_LINES = re.compile(rf"(?:{_PATTERN}\n)*+")
_PARTS = re.compile(r"[+-]?(?P<whole>[0-9]*)\.?(?P<decimals>[0-9]*)(?:[eE](?P<exponent>[+-]?[0-9]+))?")


class Settled(NamedTuple):
    """A number column read to its end, from ``start`` on.

    ``values (n,)`` float64, NaN where there is no number; ``blank (n,)`` bool; ``bad (k,)`` positions (from ``start``) of the
    cells that hold something which is no number.
    """

    values: NDArray[np.float64]
    blank: NDArray[np.bool_]
    bad: NDArray[np.intp]


def read_number(text: str) -> float | None:
    """Read one cell as a number; None where it is blank, no number, or lost in double precision.

    >>> read_number(" 12.50 "), read_number("1e3"), read_number("1_000"), read_number("nan"), read_number("1e-999")
    (12.5, 1000.0, None, None, None)
    """
    bare = text.strip(BLANKS)
    if not _NUMBER.fullmatch(bare):
        return None
    value = float(bare)
    return None if np.isinf(value) or (value == 0.0 and _is_written_nonzero(bare)) else value


def is_number(text: str) -> bool:
    """Tell whether a cell's characters are a number.

    >>> is_number("-.5"), is_number("1,5")
    (True, False)
    """
    return _NUMBER.fullmatch(text.strip(BLANKS)) is not None


def settle(table: Table, column: int, numbers: Numbers, start: int) -> Settled:
    """Read the cells of a column that its reader left open (TEXT) as text, by the strict rule."""
    blank = numbers.states == BLANK
    open_cells = np.flatnonzero(numbers.states == TEXT)
    if not len(open_cells):
        return Settled(numbers.values, blank, open_cells)
    texts = table.texts(column, start)
    chosen = [
        text.strip(BLANKS) for text in (texts if len(open_cells) == len(texts) else picked(texts, open_cells))
    ]
    read, good = read_texts(chosen)
    values = numbers.values.copy()
    values[open_cells] = read
    empty = np.fromiter((not text for text in chosen), bool, len(chosen))
    blank = blank.copy()
    blank[open_cells[empty]] = True
    return Settled(values, blank, open_cells[~(good | empty)])


def picked(texts: object, where: NDArray[np.intp]) -> list[str]:
    """Pick the texts at some positions."""
    return [texts[i] for i in where.tolist()]  # type: ignore[index]


def read_texts(texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read trimmed texts ``(n,)`` as numbers: values, NaN where not ``good``; and ``good (n,)``.

    One look at all texts joined together decides in the usual case that all are numbers.

    >>> values, good = read_texts(["1", "2.5", "x"])
    >>> values.tolist(), good.tolist()
    ([1.0, 2.5, nan], [True, True, False])
    """
    joined = "\n".join(texts) + "\n"
    if texts and _LINES.fullmatch(joined) and joined.count("\n") == len(texts):
        good = np.ones(len(texts), bool)
    else:
        match = _NUMBER.fullmatch
        good = np.fromiter((match(text) is not None for text in texts), bool, len(texts))
        texts = [text if fine else "nan" for text, fine in zip(texts, good.tolist(), strict=True)]
    values = np.array(list(map(float, texts)), dtype=np.float64)
    lost = np.isinf(values)
    for i in np.flatnonzero(values == 0.0).tolist():
        lost[i] = _is_written_nonzero(texts[i])
    values[lost] = np.nan
    return values, good & ~lost


def half_unit_of_last_digit(text: str) -> float:
    """Give half a unit of the last digit written, in the unit of the cell; 0 for what is no number.

    >>> half_unit_of_last_digit("12.50"), half_unit_of_last_digit("1e3"), half_unit_of_last_digit("7"), half_unit_of_last_digit("")
    (0.005, 500.0, 0.5, 0.0)
    """
    bare = text.strip(BLANKS)
    parts = _PARTS.fullmatch(bare) if _NUMBER.fullmatch(bare) else None
    if parts is None:
        return 0.0
    exponent = parts["exponent"] or "0"
    if len(exponent) > 6:
        return 0.0
    return float(f"5e{int(exponent) - len(parts['decimals']) - 1}")


def _is_written_nonzero(bare: str) -> bool:
    mantissa = re.split("[eE]", bare, maxsplit=1)[0]
    return any(digit in mantissa for digit in "123456789")


class Reason(NamedTuple):
    """Why a cell is no number: the rule, what to say after the cell's name, and the remedy (None: the rule's own)."""

    rule: str
    message: str
    remedy: str | None = None


_SPREADSHEET_ERRORS = re.compile(
    r"#(?:DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|SPILL!|CALC!|GETTING_DATA|FIELD!|BLOCKED!|UNKNOWN!|BUSY!)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[T ].*)?|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}")
_WORDS_FOR_NOTHING = {
    "na",
    "n/a",
    "n.a.",
    "nan",
    "null",
    "none",
    "nil",
    "-",
    "--",
    "–",
    "—",
    "?",
    "tbd",
    "tbc",
    "unknown",
    "x",
}
_INFINITE = {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "∞", "-∞", "+∞"}
_WITH_UNIT = re.compile(rf"({_PATTERN})[{BLANKS}]*([^\W\d_][^\d]*[²³]?\S*|\"|'|%)")
_COMMA = re.compile(r"([+-]?)([0-9]+),([0-9]+)((?:[eE][+-]?[0-9]+)?)")
_GROUPED = re.compile(
    r"[+-]?[0-9]{1,3}(?:([ ,'’.\u00a0\u2009\u202f])[0-9]{3})+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?"
)


def why_not_a_number(text: str) -> Reason:
    """Say why a cell is no number, in words that go after its name, and what to write instead.

    >>> why_not_a_number("3 kg").message
    "is not a number but a number with the unit 'kg': 3 kg"
    >>> why_not_a_number("1,234").message
    'is not one number: 1,234 is 1234 or 1.234'
    >>> why_not_a_number("1e999").rule
    'MP221'
    """
    bare = text.strip(BLANKS)
    if _NUMBER.fullmatch(bare):
        fault = "small" if abs(float(bare)) < 1 else "large"
        return Reason("MP221", f"is too {fault} for double precision: {bare}")
    if _SPREADSHEET_ERRORS.fullmatch(bare):
        return Reason("MP117", f"is a spreadsheet error: {bare}")
    for why in (_for_nothing, _for_separators, _for_characters, _for_surroundings):
        reason = why(bare)
        if reason is not None:
            return reason
    return Reason("MP205", f"is not a number: {_shown(bare)}")


def _for_nothing(bare: str) -> Reason | None:
    word = bare.lower()
    if word in _INFINITE:
        return Reason("MP407", f"is not finite: {bare}")
    if word in _WORDS_FOR_NOTHING:
        return Reason(
            "MP205",
            f"is not a number: {bare}",
            "clear the cell if the value is not known; a blank is a missing value",
        )
    if _DATE.fullmatch(bare):
        return Reason(
            "MP205",
            f"is a date, not a number: {bare}",
            "type the number again in a cell formatted as a number",
        )
    return None


def _for_separators(bare: str) -> Reason | None:
    if comma := _COMMA.fullmatch(bare):
        sign, whole, rest, exponent = comma.groups()
        if len(rest) == 3 and 1 <= len(whole) <= 3 and whole != "0":
            message = f"is not one number: {bare} is {sign}{whole}{rest}{exponent} or {sign}{whole}.{rest}{exponent}"
            return Reason("MP205", message, "write it without a comma, with a point for the decimals")
        plain = f"{sign}{whole}.{rest}{exponent}"
        return Reason(
            "MP205", f"has a decimal comma: {bare}", f"write {plain}, with a point for the decimals"
        )
    if grouped := _GROUPED.fullmatch(bare):
        if grouped[1] == "." and "," not in bare and bare.count(".") == 2:
            return Reason("MP205", f"is not one number: {bare} has two points")
        return Reason(
            "MP205", f"has a separator between digits: {bare}", "write the digits without a separator"
        )
    if re.fullmatch(r"[+-]?[0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9_]+)?", bare) and "_" in bare:
        return Reason("MP205", f"has an underscore between digits: {bare}", f"write {bare.replace('_', '')}")
    if re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]*){2,}", bare):
        return Reason("MP205", f"is not a number, it has {bare.count('.')} points: {bare}")
    return None


def _for_characters(bare: str) -> Reason | None:
    if bare[:1] in "−‐‑–—﹣－" and is_number(bare[1:]):
        return Reason("MP205", f"has a minus sign that is not the ASCII one: {bare}", f"write -{bare[1:]}")
    if any(c.isnumeric() and not c.isascii() for c in bare):
        return Reason("MP205", f"has digits that are not 0 to 9: {_shown(bare)}", "write the digits 0 to 9")
    visible = "".join(c for c in bare if c.isprintable() and c not in "\u00ad")
    if visible != bare and is_number(visible):
        hidden = ", ".join(sorted({f"U+{ord(c):04X}" for c in bare if c not in visible}))
        return Reason("MP205", f"has invisible characters ({hidden}): {visible}", "type the number again")
    if re.fullmatch(r"[+-]?[0-9.]+[dD][+-]?[0-9]+", bare):
        return Reason("MP205", f"has a Fortran exponent: {bare}", f"write {re.sub('[dD]', 'e', bare)}")
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", bare):
        return Reason("MP205", f"is a hexadecimal number: {bare}", "write it in decimal digits")
    return None


def _for_surroundings(bare: str) -> Reason | None:
    if bare[:1] in "~≈≃∼" or bare[:2].lower() == "ca" or bare[-1:] == "?":
        return Reason(
            "MP205",
            f"is an estimate, not a plain number: {bare}",
            "write the number alone; its doubt belongs in a sigma column",
        )
    if bare[:1] in "<>≤≥":
        return Reason("MP205", f"is a limit, not a number: {bare}", "write the number that is to count")
    if "±" in bare or "+/-" in bare:
        return Reason(
            "MP205", f"holds a number and its tolerance: {bare}", "put the tolerance into a sigma column"
        )
    if bare[:1] == "'" and is_number(bare[1:]):
        return Reason("MP205", f"is marked as text by a leading apostrophe: {bare}", f"write {bare[1:]}")
    if bare[:1] == "(" and bare[-1:] == ")" and is_number(bare[1:-1]):
        return Reason(
            "MP205",
            f"is a number in brackets: {bare}",
            f"write -{bare[1:-1]} if the brackets mean a negative number",
        )
    if unit := _WITH_UNIT.fullmatch(bare):
        message = f"is not a number but a number with the unit {unit[2]!r}: {bare}"
        return Reason("MP205", message, f"write {unit[1]}, and the unit in the header")
    if bare[:1] == "=":
        return Reason(
            "MP205", f"is a formula, not a number: {_shown(bare)}", "write the number that the formula gives"
        )
    return None


def _shown(bare: str, most: int = 40) -> str:
    """Show a cell's text on one line, not endlessly long."""
    line = bare if bare.isprintable() else ascii(bare)[1:-1]
    return line if len(line) <= most else f"{line[:most]}… ({len(bare)} characters)"
