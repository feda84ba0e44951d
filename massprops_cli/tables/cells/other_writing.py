"""Numbers that are written otherwise than in plain digits, and can be one number only.

Digits of other scripts (``１２``, ``١٢``), a minus sign that Unicode calls one (``−``, ``－``), an apostrophe before
the number (Excel's mark of a text), powers of ten (``1.5×10³``, Fortran's ``1.5D3``), binary fractions behind a whole
number (``1 1/2``, ``1½``), feet and inches (``3'-4 1/2"``). Not read: dashes and hyphens for a minus, ``(3)`` and
``3-`` for -3, ``1/2`` alone, which may have been a date, ``10³`` alone, which may be 10 with a footnote.
[The Unicode Standard 15.0, 4.6 Numeric Value, 6.2 Dashes and Hyphens; ISO 80000-1:2022, 7.3]
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

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
