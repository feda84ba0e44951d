"""Numbers and units as they are typed, in fractions."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

_PLAIN = re.compile(r"([+-]?\d+)(?:\.(\d*))?([eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_MARKED = re.compile(r"[+-]?[\d.,' ]*\d[\d.,' ]*(?:[eE][+-]?\d+)?")  # with separators of thousands or a decimal comma
_MINUS = str.maketrans({"−": "-", "\N{NO-BREAK SPACE}": " ", "\u202f": " ", "\u2009": " ", "’": "'", "%": " "})
HEADER = re.compile(r"(.*?)(?: \[([^]]*)\])?(?: \((\d+)(?:σ| sigma)\))?")  # name, unit and level of σ
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")

# exact sizes: the international pound, inch and standard gravity
_POUND, _INCH = Fraction("0.45359237"), Fraction("0.0254")
_SIZES = {
    "kg": Fraction(1), "g": Fraction(1, 1000), "mg": Fraction(1, 10**6), "t": Fraction(1000),
    "lb": _POUND, "lbm": _POUND, "oz": _POUND / 16, "slug": _POUND * Fraction("9.80665") / (12 * _INCH),
    "m": Fraction(1), "mm": Fraction(1, 1000), "cm": Fraction(1, 100), "km": Fraction(1000),
    "in": _INCH, "ft": 12 * _INCH, "yd": 36 * _INCH,
}  # fmt: skip
_FACTOR = re.compile(r"([A-Za-z]+)(?:(?:\^|\*\*)?([23²³]))?")
_POWERS = {"": 1, "2": 2, "²": 2, "3": 3, "³": 3}


def unit_size(text: str) -> Fraction | None:
    """Return the exact size of a unit such as ``lb*in^2`` in kg and m; None for another unit."""
    size = Fraction(1)
    for part in re.split(r"[*·. ]", text.strip()):
        found = _FACTOR.fullmatch(part)
        if found is None or found[1] not in _SIZES:
            return None
        size *= _SIZES[found[1]] ** _POWERS[found[2] or ""]
    return size


@lru_cache(100_000)
def typed_numbers(text: str) -> list[Fraction]:
    """Return the numbers that a text can be, from its digits: two for ``1,250``, three for ``(1, 2, 3)``."""
    if found := _PLAIN.fullmatch(text):
        whole, decimals, power = found.groups()
        if power is None:
            return [Fraction(int(whole + (decimals or "")), 10 ** len(decimals or ""))]
        return [Fraction(text)]
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).translate(_MINUS))
    forms = set()
    for found in _MARKED.findall(text):
        digits = found.replace(" ", "").replace("'", "")
        tried = (digits, digits.replace(",", ""), digits.replace(",", "."), digits.replace(".", "").replace(",", "."))
        several = digits.split(",") if digits.count(",") > 1 or text.lstrip()[:1] in ("(", "[") else []
        for form in (*tried, *several, *found.split()):
            if _NUMBER.fullmatch(form):
                forms.add(Fraction(form))
    return sorted(forms)


def last_digit(text: str) -> Fraction:
    """Return the unit of the last digit that a number is written with: 0.01 for ``12.50``."""
    mantissa, _, power = text.strip().lower().partition("e")
    _, mark, digits = mantissa.replace(",", ".").rpartition(".")
    decimals = len(digits) if mark else 0
    return Fraction(10) ** (int(power or 0) - decimals)


def unit_ratio(unit: str, to: str, power: int = 1) -> float | None:
    """Return the factor from a unit to a power of another, such as mm² to m; 1 for no unit; None for unknown ones."""
    if not unit:
        return 1.0
    own, base = unit_size(unit), unit_size(to)
    return None if own is None or base is None else float(own / base**power)


def density_ratio(unit: str, mass: str, length: str) -> float | None:
    """Return the factor from a unit of density such as g/cm^3 to coherent units; None for unknown ones."""
    above, _, below = unit.partition("/")
    own, volume = unit_ratio(above, mass), unit_ratio(below, length, 3)
    return None if own is None or volume is None else own / volume
