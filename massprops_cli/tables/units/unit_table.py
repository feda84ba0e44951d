"""The common units: what they are in SI, exactly, without loading a library of units.

Factors are ratios of whole numbers, so that equal units give a factor of exactly 1 and every other factor is
the double nearest to the true one. A test holds this table equal to Pint's.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit: the powers of mass, length and time in it, its size in SI ``numerator / denominator``."""

    mass: int
    length: int
    time: int
    numerator: int
    denominator: int

    def times(self, other: Unit, power: int = 1) -> Unit:
        """Multiply with a power of another unit.

        >>> KILOGRAM.times(METRE, 2).dimension
        (1, 2, 0)
        """
        up, down = (other.numerator, other.denominator) if power >= 0 else (other.denominator, other.numerator)
        top, bottom = self.numerator * up ** abs(power), self.denominator * down ** abs(power)
        common = gcd(top, bottom)
        return Unit(
            self.mass + power * other.mass,
            self.length + power * other.length,
            self.time + power * other.time,
            top // common,
            bottom // common,
        )

    @property
    def dimension(self) -> tuple[int, int, int]:
        """Powers of mass, length and time."""
        return self.mass, self.length, self.time

    def over(self, other: Unit) -> float:
        """Give the factor that takes a value in this unit to one in the other, correctly rounded.

        >>> METRE.over(METRE), LENGTHS["in"].over(LENGTHS["mm"])
        (1.0, 25.4)
        """
        return (self.numerator * other.denominator) / (self.denominator * other.numerator)


ONE = Unit(0, 0, 0, 1, 1)
KILOGRAM = Unit(1, 0, 0, 1, 1)
METRE = Unit(0, 1, 0, 1, 1)
SECOND = Unit(0, 0, 1, 1, 1)

MASS, LENGTH, INERTIA, FORCE = (1, 0, 0), (0, 1, 0), (1, 2, 0), (1, 1, -2)


def _mass(numerator: int, denominator: int = 1) -> Unit:
    return ONE.times(Unit(1, 0, 0, numerator, denominator))


def _length(numerator: int, denominator: int = 1) -> Unit:
    return ONE.times(Unit(0, 1, 0, numerator, denominator))


def named(unit: Unit, *names: str) -> dict[str, Unit]:
    """Give one unit under several names."""
    return dict.fromkeys(names, unit)


STANDARD_GRAVITY = Unit(0, 1, -2, 980665, 100000)
_POUND = _mass(45359237, 100_000_000)
_INCH = _length(254, 10_000)
_FOOT = _length(3048, 10_000)
_POUND_FORCE = _POUND.times(STANDARD_GRAVITY)
_PER_SECOND_SQUARED = ONE.times(SECOND, -2)

MASSES: dict[str, Unit] = {
    **named(_mass(1, 10**9), "ug", "µg", "μg", "microgram", "micrograms"),
    **named(_mass(1, 10**6), "mg", "milligram", "milligrams", "мг", "毫克"),
    **named(_mass(1, 1000), "g", "gm", "gms", "gram", "grams", "gramme", "grammes", "Gramm", "г", "гр", "克", "グラム"),
    **named(KILOGRAM, "kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramme", "Kilogramm"),
    **named(KILOGRAM, "кг", "千克", "公斤", "キログラム"),
    **named(_mass(1000), "t", "tonne", "tonnes", "Mg", "metric_ton", "т", "吨", "トン"),
    **named(_POUND.times(ONE._replace(numerator=2240)), "LT", "long_ton", "long_tons"),
    **named(_POUND, "lb", "lbs", "lb.", "lbs.", "lbm", "lb_m", "lbsm", "pound", "pounds"),
    **named(_POUND.times(ONE._replace(denominator=16)), "oz", "oz.", "ozm", "ounce", "ounces"),
    **named(_POUND_FORCE.times(_PER_SECOND_SQUARED, -1).times(_FOOT, -1), "slug", "slugs"),
    **named(_POUND_FORCE.times(_PER_SECOND_SQUARED, -1).times(_INCH, -1), "slinch", "slinches", "blob", "snail"),
}
LENGTHS: dict[str, Unit] = {
    **named(_length(1, 10**9), "nm", "nanometer", "nanometre"),
    **named(_length(1, 10**6), "um", "µm", "μm", "micron", "microns", "micrometer", "micrometre"),
    **named(_length(1, 1000), "mm", "mms", "millimeter", "millimeters", "millimetre", "millimetres", "Millimeter"),
    **named(_length(1, 1000), "мм", "毫米", "ミリメートル"),
    **named(_length(1, 100), "cm", "cms", "centimeter", "centimeters", "centimetre", "centimetres", "см", "厘米"),
    **named(_length(1, 10), "dm", "decimeter", "decimetre"),
    **named(METRE, "m", "meter", "meters", "metre", "metres", "м", "米", "メートル"),
    **named(_length(1000), "km", "kilometer", "kilometers", "kilometre", "kilometres"),
    **named(_INCH, "in", "in.", "inch", "inches", "ins", '"', "″"),
    **named(_length(254, 10_000_000), "mil", "mils", "thou"),
    **named(_FOOT, "ft", "ft.", "foot", "feet", "'", "′"),
    **named(_length(9144, 10_000), "yd", "yard", "yards"),
}
FORCES: dict[str, Unit] = {
    **named(Unit(1, 1, -2, 1, 1), "N", "newton", "newtons"),
    **named(Unit(1, 1, -2, 1000, 1), "kN", "kilonewton", "kilonewtons"),
    **named(Unit(1, 1, -2, 1, 1000), "mN", "millinewton"),
    **named(_POUND_FORCE, "lbf", "lbsf", "lb_f", "pound_force"),
    **named(_POUND_FORCE.times(ONE._replace(denominator=16)), "ozf", "ounce_force"),
    **named(KILOGRAM.times(STANDARD_GRAVITY), "kgf", "kp", "kilogram_force", "kilopond"),
    **named(_mass(1, 1000).times(STANDARD_GRAVITY), "gf", "gram_force", "pond"),
    **named(_POUND_FORCE.times(ONE._replace(numerator=1000)), "kip", "kips"),
    **named(Unit(1, 1, -2, 1, 100_000), "dyn", "dyne", "dynes"),
}
TIMES: dict[str, Unit] = named(SECOND, "s", "sec", "secs", "second", "seconds")

ATOMS: dict[str, Unit] = {**TIMES, **FORCES, **LENGTHS, **MASSES}
"""Every simple unit by every way of writing it."""

WEIGHED: dict[str, str] = {
    "lbf": "lb",
    "lbsf": "lb",
    "lb_f": "lb",
    "pound_force": "lb",
    "ozf": "oz",
    "kgf": "kg",
    "kp": "kg",
    "gf": "g",
}
"""The mass unit whose number equals a weight's under standard gravity; other forces become kilograms."""
