"""Numbers that are written otherwise than in plain digits, and can be one number only.

Digits of other scripts (``１２``, ``١٢``), a minus sign that Unicode calls one (``−``, ``－``), an apostrophe before
the number (Excel's mark of a text), powers of ten (``1.5×10³``, Fortran's ``1.5D3``), binary fractions behind a whole
number (``1 1/2``, ``1½``), feet and inches (``3'-4 1/2"``). Not read: dashes and hyphens for a minus, ``(3)`` and
``3-`` for -3, ``1/2`` alone, which may have been a date, ``10³`` alone, which may be 10 with a footnote.
[The Unicode Standard 15.0, 4.6 Numeric Value, 6.2 Dashes and Hyphens; ISO 80000-1:2022, 7.3]

The strict number: which characters are one, how finely it is written, what double precision loses.

A number is ``[+-]?(digits[.digits] | .digits)[(e|E)[+-]digits]`` in ASCII digits, blanks around it trimmed,
finite, and not a non-zero text that double precision turns into 0. Python's ``float`` takes more (``1_000``,
``nan``, ``٣``), so the characters are looked at first.

Commas, points and separators between digits: which numbers a text can be.

A text is looked at in two ways, with a decimal point and with a decimal comma. Digits may then stand in groups of three
with one other mark between them: the comma or the point, a blank (U+0020, U+00A0, U+2009, U+202F), an apostrophe.
``1,234`` can be read both ways and gives two numbers; ``1,25`` and ``1.234,5`` can be read in one way only.
[ISO 80000-1:2022, 7.3; CLDR, number symbols of de, de-CH, en, fr]

How the cells of one column of numbers may be written beside plain numbers.

One cell of a number column taken apart: characters nobody sees, marks of an estimate, the number, its unit.

Words that stand in a number's place where there is none: ``TBD``, ``N/A``, ``-``. Data, not code.

What a quantity is a number of: pieces (``4 pcs``, ``EA``, ``x4``), or a length, area or volume (``3 m``).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from massprops_cli.tables.unit_text import LONGEST, Unit, read_unit
from massprops_cli.tables.words import words

BLANKS = " \t\u00a0\u2007\u202f"
"""What is trimmed around a number: spaces, tabs and the no-break spaces."""

# without possessive quantifiers, which Python 3.11.2 gets wrong: there "1e" would match
PATTERN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = re.compile(PATTERN)
_PARTS = re.compile(r"[+-]?[0-9]*\.?(?P<decimals>[0-9]*)(?:[eE](?P<exponent>[+-]?[0-9]+))?")


def read_number(text: str) -> float | None:
    """Read one cell as a number; None where it is blank, no number, or lost in double precision.

    >>> read_number(" 12.50 "), read_number("1e3"), read_number("1_000"), read_number("nan")
    (12.5, 1000.0, None, None)
    """
    bare = text.strip(BLANKS)
    if not NUMBER.fullmatch(bare):
        return None
    value = float(bare)
    return None if math.isinf(value) or (value == 0.0 and is_written_nonzero(bare)) else value


def is_number(text: str) -> bool:
    """Tell whether a cell's characters are a number.

    >>> is_number("-.5"), is_number("1,5")
    (True, False)
    """
    return NUMBER.fullmatch(text.strip(BLANKS)) is not None


def half_unit_of_last_digit(text: str) -> float:
    """Give half a unit of the last digit written, in the unit of the cell; 0 for what is no number.

    >>> half_unit_of_last_digit("12.50"), half_unit_of_last_digit("1e3"), half_unit_of_last_digit("-")
    (0.005, 500.0, 0.0)
    """
    bare = text.strip(BLANKS)
    parts = _PARTS.fullmatch(bare) if NUMBER.fullmatch(bare) else None
    if parts is None:
        return 0.0
    exponent = parts["exponent"] or "0"
    if len(exponent) > 6:
        return 0.0
    return float(f"5e{int(exponent) - len(parts['decimals']) - 1}")


def is_written_nonzero(bare: str) -> bool:
    """Tell whether a number's text has a digit other than 0 before its exponent."""
    mantissa = re.split("[eE]", bare, maxsplit=1)[0]
    return any(digit in mantissa for digit in "123456789")


MARKS = ",'’ \u00a0\u2007\u2009\u202f"
"""What stands between groups of digits beside the point."""

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    """Give what a number looks like with a decimal mark, the other one between its groups."""
    point, others = re.escape(decimal), MARKS if decimal == "." else MARKS.replace(",", ".")
    grouped = rf"[1-9][0-9]{{0,2}}(?P<mark>[{others}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
    return re.compile(rf"[+-]?(?:(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}")


class Readings(NamedTuple):
    """A text as a strict number, read with a decimal point and with a decimal comma; empty where it cannot be."""

    point: str
    comma: str

    def by(self, decimal: str) -> str:
        """Give the reading with one decimal mark."""
        return self.comma if decimal == "," else self.point

    @property
    def only(self) -> str:
        """Give the decimal mark of the only reading; empty where there are two numbers, one for both, or none."""
        return "" if bool(self.point) == bool(self.comma) else "," if self.comma else "."


@lru_cache(maxsize=4096)
def readings(text: str) -> Readings:
    """Read a trimmed text in both ways.

    >>> readings("1,234"), readings("1.234,5"), readings("1 234")
    (Readings(point='1234', comma='1.234'), Readings(point='', comma='1234.5'), Readings(point='1234', comma='1234'))
    """
    read = {}
    for decimal in (".", ","):
        match = _pattern(decimal).fullmatch(text)
        bare = "" if match is None else text.replace(match["mark"], "") if match["mark"] else text
        read[decimal] = bare.replace(",", ".")
    return Readings(read["."], read[","])


def decimal_of(texts: Iterable[str]) -> str:
    """Give the decimal mark of a column where some texts can be read with that one only, and none contradicts.

    >>> decimal_of(["1,25", "1,234", "7"]), decimal_of(["1,234.5", "1,234"]), decimal_of(["1,234"])
    (',', '.', '')
    >>> decimal_of(["1,25", "1.5"])
    ''
    """
    only = {readings(text).only for text in texts} - {""}
    return only.pop() if len(only) == 1 else ""


_SIGNS = str.maketrans({"−": "-", "－": "-", "﹣": "-", "＋": "+", "．": ".", "，": ","})
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8"}
_VULGAR_SIGNS = re.compile(f"(?P<whole>[0-9])?[ \u00a0]*(?P<sign>[{''.join(_VULGAR)}])")

_POWER = re.compile(
    r"(?P<mantissa>[+-]?[0-9][0-9.,]*)\s*[x×·⋅*]\s*10"
    r"(?:\^\s*(?P<flat>[+-]?[0-9]{1,3})|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))(?![0-9⁰¹²³⁴-⁹])"
)
_FORTRAN = re.compile(
    r"(?P<mantissa>[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[dD][+-])))[dD](?P<exponent>[+-]?[0-9]{1,3})(?![0-9])"
)
_INCHES = r"(?:\"|″|''|′′|\bin(?:ch(?:es)?)?\b\.?|(?<=[0-9])in(?:ch(?:es)?)?\b\.?)"
_BROKEN = r"(?:(?P<whole>[0-9]{1,6})[ \u00a0-])?(?P<top>[0-9]{1,3})/(?P<bottom>2|4|8|16|32|64|128)(?![0-9])"
_FRACTION = re.compile(rf"(?P<sign>[+-]?){_BROKEN}\s*(?P<unit>.*)", re.DOTALL)
_FEET = re.compile(
    rf"(?P<sign>[+-]?)(?P<feet>[0-9]{{1,6}})\s*(?:'|′|ft\.?)[ \u00a0]*-?[ \u00a0]*"
    rf"(?:{_BROKEN}|(?P<inches>[0-9]{{1,6}}(?:\.[0-9]*)?))\s*{_INCHES}"
)


def plainly(text: str) -> str:
    """Write a number, and what stands behind it, in plain digits; any other text comes back as it is.

    >>> plainly("１２．５ kg"), plainly("−3"), plainly("'3.5"), plainly("1.5×10⁻³ kg"), plainly("2.5D+01")
    ('12.5 kg', '-3', '3.5', '1.5e-3 kg', '2.5e+01')
    >>> plainly("1 1/2"), plainly("1½ in"), plainly("3'-4 1/2\\""), plainly("1/2"), plainly("3/8 in")
    ('15e-1', '15e-1 in', '405e-1 in', '1/2', '375e-3 in')
    """
    bare = text if text.isascii() else _in_ascii(text)
    if bare[:1] == "'" and bare[1:2] in "+-.0123456789" and bare[1:].strip():
        bare = bare[1:]
    for way in (_power, _fortran, _feet_and_inches, _fraction):
        if (plain := way(bare)) is not None:
            return plain
    return bare


def is_feet_and_inches(text: str) -> bool:
    """Tell whether a text is a length in feet and inches, which one unit does not say.

    >>> is_feet_and_inches("3'-4\\""), is_feet_and_inches("3 ft")
    (True, False)
    """
    return _FEET.fullmatch(text) is not None


def _in_ascii(text: str) -> str:
    """Put the digits and signs of other scripts into ASCII, and fractions of one character into three."""
    plain = "".join(str(unicodedata.decimal(c, c)) for c in text.translate(_SIGNS))
    return _VULGAR_SIGNS.sub(lambda m: f"{m['whole'] or '0'} {_VULGAR[m['sign']]}", plain)


def _power(text: str) -> str | None:
    match = _POWER.match(text)
    if match is None:
        return None
    exponent = match["flat"] or match["raised"].translate(_RAISED)
    return f"{match['mantissa']}e{exponent}{text[match.end() :]}"


def _fortran(text: str) -> str | None:
    match = _FORTRAN.match(text)
    return None if match is None else f"{match['mantissa']}e{match['exponent']}{text[match.end() :]}"


def _feet_and_inches(text: str) -> str | None:
    match = _FEET.fullmatch(text)
    if match is None:
        return None
    inches = Fraction(match["inches"]) if match["inches"] else _broken(match)
    if inches is None or inches >= 12:
        return None
    return f"{match['sign']}{_decimal(12 * int(match['feet']) + inches)} in"


def _fraction(text: str) -> str | None:
    match = _FRACTION.fullmatch(text)
    value = None if match is None else _broken(match)
    if match is None or value is None:
        return None
    hyphen = match["whole"] is not None and match[0][match.end("whole")] == "-"
    if not match["unit"] and (hyphen or match["whole"] is None):
        return None
    return f"{match['sign']}{_decimal(value)}{' ' * bool(match['unit'])}{match['unit']}"


def _broken(match: re.Match[str]) -> Fraction | None:
    """Add up a whole number and a fraction that is less than one; None where it is not."""
    top, bottom = int(match["top"]), int(match["bottom"])
    return int(match["whole"] or 0) + Fraction(top, bottom) if 0 < top < bottom else None


def _decimal(value: Fraction) -> str:
    """Write a fraction whose denominator is a product of twos and fives exactly, and without a decimal mark.

    A mark could be taken for a separator in a column of decimal commas.

    >>> _decimal(Fraction(3, 8)), _decimal(Fraction(40))
    ('375e-3', '40')
    """
    places = next(n for n in range(64) if 10**n % value.denominator == 0)
    return str(int(value * 10**places)) + (f"e-{places}" if places else "")


@dataclass(frozen=True, slots=True)
class CellRules:
    """What is known of a column before its cells are read.

    ``decimal`` is ``,`` or ``.`` where the user said which (``--decimal``), else empty; ``approximate`` takes ``~3`` as
    3. Cells that name a unit are converted to ``unit``, None where the column has none; ``in_cells`` where every cell
    names one and nothing else states it. ``of_measure`` is ``quantity`` where a cell may name what it counts or
    measures (``4 pcs``, ``3 m``), ``mass`` where it may be a mass of one such unit (``1.2 kg/m``), else empty.
    """

    decimal: str = ""
    approximate: bool = False
    unit: Unit | None = None
    in_cells: bool = False
    of_measure: str = ""


PLAIN = CellRules()


INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"))
"""Characters without width: the soft hyphen, joiners, marks of direction, the byte order mark."""
_EDGES = BLANKS + "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u3000\r\n"

ESTIMATE = re.compile(r"(?:[~≈≃∼]|(?:ca|circa|approx|about)(?:\.|\b))\s*(?=[+-]?[.,]?[0-9])", re.IGNORECASE)
_CELL_PARTS = re.compile(
    rf"(?P<number>[+-]?[0-9.,](?:[0-9.,{MARKS}]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)[{BLANKS}\u2009]*(?P<unit>(?:[^\W\d_]|[\"'″′]$).*)?"
)


class CellText(NamedTuple):
    """A cell's ``number`` as written, the ``unit`` after it, and whether it was ``estimated`` or held ``hidden`` marks.

    ``number`` is empty where the cell holds something else. ``otherwise`` is True where it was put into plain digits.
    """

    number: str
    unit: str = ""
    estimated: bool = False
    hidden: bool = False
    otherwise: bool = False


_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?P<text>[^*_]+)\1")


def visible(text: str) -> str:
    """Leave out characters without width, blanks and line breaks at both ends, and the marks of bold text.

    >>> visible("**~482g**")
    '~482g'
    >>> visible("\u200b 3\u00a0kg\u3000")
    '3\\xa0kg'
    """
    bare = text.translate(INVISIBLE).strip(_EDGES)
    if bare[:1] in "*_" and (match := _EMPHASIS.fullmatch(bare)) is not None:
        return match["text"].strip(_EDGES)
    return bare


@lru_cache(maxsize=4096)
def take_apart(text: str) -> CellText:
    """Take a cell apart.

    >>> take_apart(" ~ 1,5 kg"), take_apart("1 234,5").number, take_apart("<3").number
    (CellText(number='1,5', unit='kg', estimated=True, hidden=False, otherwise=False), '1 234,5', '')
    """
    # many patterns, which most tables do not need

    bare = visible(text)
    number = ESTIMATE.sub("", bare, count=1) if ESTIMATE.match(bare) else bare
    plain = plainly(number)
    match = _CELL_PARTS.fullmatch(plain)
    if match is None or (match["unit"] or "m")[0].isnumeric():  # raised digits are letters to a pattern
        return CellText("")
    return CellText(match["number"], match["unit"] or "", number != bare, bare != text.strip(BLANKS), plain != number)


@lru_cache(maxsize=1)
def blank_words() -> frozenset[str]:
    """Load the words of ``words/blanks.toml``, in small letters."""
    return frozenset(text.casefold() for word in words("blanks")["word"] for text in word["texts"])


def is_blank_word(text: str) -> bool:
    """Tell whether a cell of a number column says in words that it holds no number; an empty cell does not.

    >>> is_blank_word(" n/a "), is_blank_word("- None -"), is_blank_word("0"), is_blank_word("")
    (True, True, False, False)
    """
    return text.strip(BLANKS).casefold() in blank_words()


_PER = re.compile(r"(?P<what>[^/]+?)\s*(?:/|\bper\b)\s*(?P<per>[^/]+)", re.IGNORECASE)


@lru_cache(maxsize=1)
def piece_words() -> frozenset[str]:
    """Load the words that count pieces, in small letters."""
    return frozenset(word.casefold() for entry in words("measures")["pieces"].values() for word in entry["words"])


@lru_cache(maxsize=1)
def _measure_words() -> dict[str, str]:
    return {word.casefold(): entry["unit"] for entry in words("measures")["measure"] for word in entry["words"]}


def counts_pieces(name: str) -> bool:
    """Tell whether a unit of measure counts pieces.

    >>> counts_pieces("EA"), counts_pieces("Stk."), counts_pieces("m"), counts_pieces("pair")
    (True, True, False, False)
    """
    return _bare(name) in piece_words()


@lru_cache(maxsize=512)
def measure_for(name: str) -> Unit | None:
    """Read a unit of length, area or volume; None for any other.

    >>> measure_for("MTR") == measure_for("m"), measure_for("sq ft").dimension, measure_for("kg")
    (True, (0, 2, 0), None)
    """
    known = _measure_words().get(_bare(name))
    unit = read_unit(visible(name) if known is None else known)
    return unit if unit is not None and unit.mass == unit.time == 0 < unit.length < 4 else None


def split_per(name: str) -> tuple[str, str]:
    """Part a unit such as ``kg/m`` into what there is, and of what it is one; the second is empty without a stroke.

    >>> split_per("kg/m"), split_per("lb per ft"), split_per("kg")
    (('kg', 'm'), ('lb', 'ft'), ('kg', ''))
    """
    match = _PER.fullmatch(name) if len(name) <= LONGEST else None
    if match is None or not (counts_pieces(match["per"]) or measure_for(match["per"])):
        return name, ""
    return match["what"], match["per"]


def factor_between(quantity: str, mass: str) -> float | None:
    """Give what a mass per unit ``mass`` is multiplied with where quantities are in ``quantity``; None if they differ.

    Pieces fit pieces and no unit at all; a length fits a length only.

    >>> factor_between("mm", "m"), factor_between("EA", "pc"), factor_between("", "pc"), factor_between("", "m")
    (0.001, 1.0, 1.0, None)
    """
    if counts_pieces(mass):
        return 1.0 if not quantity or counts_pieces(quantity) else None
    of_quantity, of_mass = measure_for(quantity), measure_for(mass)
    if of_quantity is None or of_mass is None or of_quantity.dimension != of_mass.dimension:
        return None
    return of_quantity.over(of_mass)


def _bare(name: str) -> str:
    return visible(name).rstrip(".").casefold()
