"""Rational rotations of angles that a file states as decimals in radians.

An angle is a multiple of a quarter turn and a remainder r; a rational tangent of r/2 gives a rational rotation. The
multiples of a quarter turn, which no decimal states exactly, are recognised by the digits written.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction

_PI = Fraction("3.141592653589793238462643383279502884197169399375105820974944592307816406286209")
_DIGITS = 60  # of the tangent of half an angle
_SURE_DIGITS = 5
"""Significant digits from which on an angle that rounds a quarter turn is one."""
_DOUBLE_ROUNDING = Fraction(4, 10**15)
"""An angle computed in double precision is this near to its quarter turn."""
_NOISE = Fraction(1, 10**6)
"""Below this distance from a quarter turn an angle is a question."""
_COARSEST = Fraction(5, 100)
"""An angle without decimals is not a rounded quarter turn."""
_WIDEST = Fraction(5, 10**5)
"""An angle is not changed by more, in radians, however few digits it has."""
_AS_WRITTEN = Fraction(1, 10**12)
"""How far an angle that is not rounded may be changed."""
_DOUBLE = Fraction(1, 10**18)
"""How far an angle may be changed for computations in double precision."""


class AngleKind(Enum):
    """How a decimal angle is related to the multiples of a quarter turn."""

    OTHER = "other"
    EXACT = "exact"
    ROUNDED = "rounded"
    QUESTION = "question"


@dataclass(frozen=True)
class _RationalAngle:
    """A rotation: real and imaginary part of its quaternion, without a common divisor, and how its angle was read."""

    real: int
    imaginary: int
    kind: AngleKind


def rational_angle(text: str, snap: bool | None = None, *, is_double: bool = False) -> _RationalAngle:
    """Return the rational rotation of a decimal angle in radians; a question is answered by the angle as written."""
    written = Decimal(text)
    angle = Fraction(written)
    half_unit = Fraction(10) ** int(written.as_tuple().exponent) / 2
    quarters = round(angle / (_PI / 2))
    rest = angle - quarters * _PI / 2
    # a quarter turn within half a unit of the last of five or more digits, or within double rounding, is rounded;
    # with fewer digits, or within 1e-6 rad, it is a question: 1.5708 is a quarter turn, 1.57 a question
    kind = _kind(angle, rest, half_unit, len(str(abs(int(written.scaleb(-int(written.as_tuple().exponent)))))))
    reach = min(half_unit, _WIDEST if kind is AngleKind.OTHER else _AS_WRITTEN)
    if is_double:
        reach, snap = _DOUBLE, abs(rest) <= _DOUBLE_ROUNDING
    snaps = kind is AngleKind.ROUNDED if snap is None else snap and kind is not AngleKind.OTHER
    if snaps or kind is AngleKind.EXACT:
        tangent = Fraction(0)
    else:
        tangent = simplest_fraction(_half_tangent(rest - reach), _half_tangent(rest + reach))
    real, imaginary = tangent.denominator, tangent.numerator
    for _ in range(quarters % 8):
        real, imaginary = real - imaginary, real + imaginary
    divisor = math.gcd(real, imaginary)
    return _RationalAngle(real // divisor, imaginary // divisor, kind)


def _kind(angle: Fraction, rest: Fraction, half_unit: Fraction, digits: int) -> AngleKind:
    """Return how an angle is related to its nearest multiple of a quarter turn."""
    if not angle:
        return AngleKind.EXACT
    if abs(rest) <= _DOUBLE_ROUNDING or (abs(rest) <= half_unit and digits >= _SURE_DIGITS):
        return AngleKind.ROUNDED
    return AngleKind.QUESTION if abs(rest) <= max(min(half_unit, _COARSEST), _NOISE) else AngleKind.OTHER


def _half_tangent(angle: Fraction) -> Fraction:
    """Return the tangent of half an angle of at most an eighth of a turn, to 60 digits."""
    with localcontext(prec=_DIGITS + 10):
        half = Decimal(angle.numerator) / Decimal(angle.denominator) / 2
        sine, cosine, term, order = Decimal(0), Decimal(1), half, 1
        while abs(term) > Decimal(10) ** -_DIGITS:
            if order % 2:
                sine += term
            else:
                cosine += term
            order += 1
            # the signs of sine and cosine alternate in pairs: + - - +
            term = term * half / order * (-1 if order % 2 == 0 else 1)
        return Fraction(sine / cosine)


def simplest_fraction(least: Fraction, most: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator in an interval."""
    if least <= 0 <= most:
        return Fraction(0)
    if most < 0:
        return -simplest_fraction(-most, -least)
    whole = least.numerator // least.denominator
    if whole == least:
        return Fraction(whole)
    if whole + 1 <= most:
        return Fraction(whole + 1)
    return whole + 1 / simplest_fraction(1 / (most - whole), 1 / (least - whole))
