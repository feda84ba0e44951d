"""Units, and the one coherent system of a table: inertia = mass · length²."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd
from typing import NamedTuple

from massprops_cli.findings.finding import UsageError
from massprops_cli.tables import options


class Unit(NamedTuple):
    """A unit: the powers of mass, length and time in it, its size in SI ``numerator / denominator``."""

    mass: int
    length: int
    time: int
    numerator: int
    denominator: int

    def times(self, other: Unit, power: int = 1) -> Unit:
        """Multiply with a power of another unit."""
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
        """Compute the factor from a value in this unit to a value in the other."""
        return (self.numerator * other.denominator) / (self.denominator * other.numerator)


_DIMENSIONLESS = Unit(0, 0, 0, 1, 1)
KILOGRAM = Unit(1, 0, 0, 1, 1)
METRE = Unit(0, 1, 0, 1, 1)
_SECOND = Unit(0, 0, 1, 1, 1)

MASS, LENGTH, INERTIA, FORCE = (1, 0, 0), (0, 1, 0), (1, 2, 0), (1, 1, -2)


def _mass_unit(numerator: int, denominator: int = 1) -> Unit:
    """Make a unit of mass from its size in kg."""
    return _DIMENSIONLESS.times(Unit(1, 0, 0, numerator, denominator))


def _length_unit(numerator: int, denominator: int = 1) -> Unit:
    """Make a unit of length from its size in m."""
    return _DIMENSIONLESS.times(Unit(0, 1, 0, numerator, denominator))


def _unit_names(unit: Unit, *names: str) -> dict[str, Unit]:
    """Return one unit under several names."""
    return dict.fromkeys(names, unit)


_STANDARD_GRAVITY = Unit(0, 1, -2, 980665, 100000)  # 9.80665 m/s² (3rd CGPM, 1901)
_POUND = _mass_unit(45359237, 100_000_000)
_INCH = _length_unit(254, 10_000)
_FOOT = _length_unit(3048, 10_000)
_POUND_FORCE = _POUND.times(_STANDARD_GRAVITY)
_PER_SECOND_SQUARED = _DIMENSIONLESS.times(_SECOND, -2)

MASS_UNITS: dict[str, Unit] = {
    **_unit_names(_mass_unit(1, 10**9), "ug", "µg", "μg", "microgram", "micrograms"),
    **_unit_names(_mass_unit(1, 10**6), "mg", "milligram", "milligrams", "мг", "毫克"),
    **_unit_names(
        _mass_unit(1, 1000), "g", "gm", "gms", "gram", "grams", "gramme", "grammes", "Gramm", "г", "гр", "克", "グラム"
    ),
    **_unit_names(KILOGRAM, "kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramme", "Kilogramm"),
    **_unit_names(KILOGRAM, "kg.", "kgs.", "кг", "千克", "公斤", "キログラム"),
    **_unit_names(_mass_unit(1000), "t", "tonne", "tonnes", "Mg", "metric_ton", "т", "吨", "トン"),
    **_unit_names(_POUND.times(_DIMENSIONLESS._replace(numerator=2240)), "LT", "long_ton", "long_tons"),
    **_unit_names(_POUND, "lb", "lbs", "lb.", "lbs.", "lbm", "lb_m", "lbsm", "pound", "pounds"),
    **_unit_names(_POUND.times(_DIMENSIONLESS._replace(denominator=16)), "oz", "oz.", "ozm", "ounce", "ounces"),
    **_unit_names(_POUND_FORCE.times(_PER_SECOND_SQUARED, -1).times(_FOOT, -1), "slug", "slugs"),
    **_unit_names(_POUND_FORCE.times(_PER_SECOND_SQUARED, -1).times(_INCH, -1), "slinch", "slinches", "blob", "snail"),
}
_LENGTH_UNITS: dict[str, Unit] = {
    **_unit_names(_length_unit(1, 10**9), "nm", "nanometer", "nanometre"),
    **_unit_names(_length_unit(1, 10**6), "um", "µm", "μm", "micron", "microns", "micrometer", "micrometre"),
    **_unit_names(
        _length_unit(1, 1000), "mm", "mms", "millimeter", "millimeters", "millimetre", "millimetres", "Millimeter"
    ),
    **_unit_names(_length_unit(1, 1000), "мм", "毫米", "ミリメートル"),
    **_unit_names(
        _length_unit(1, 100), "cm", "cms", "centimeter", "centimeters", "centimetre", "centimetres", "см", "厘米"
    ),
    **_unit_names(_length_unit(1, 10), "dm", "decimeter", "decimetre"),
    **_unit_names(METRE, "m", "meter", "meters", "metre", "metres", "м", "米", "メートル"),
    **_unit_names(_length_unit(1000), "km", "kilometer", "kilometers", "kilometre", "kilometres"),
    **_unit_names(_INCH, "in", "in.", "inch", "inches", "ins", '"', "″"),
    **_unit_names(_length_unit(254, 10_000_000), "mil", "mils", "thou"),
    **_unit_names(_FOOT, "ft", "ft.", "foot", "feet", "'", "′"),
    **_unit_names(_length_unit(9144, 10_000), "yd", "yard", "yards"),
}
_FORCE_UNITS: dict[str, Unit] = {
    **_unit_names(Unit(1, 1, -2, 1, 1), "N", "newton", "newtons"),
    **_unit_names(Unit(1, 1, -2, 1000, 1), "kN", "kilonewton", "kilonewtons"),
    **_unit_names(Unit(1, 1, -2, 1, 1000), "mN", "millinewton"),
    **_unit_names(_POUND_FORCE, "lbf", "lbsf", "lb_f", "pound_force"),
    **_unit_names(_POUND_FORCE.times(_DIMENSIONLESS._replace(denominator=16)), "ozf", "ounce_force"),
    **_unit_names(KILOGRAM.times(_STANDARD_GRAVITY), "kgf", "kp", "kilogram_force", "kilopond"),
    **_unit_names(_mass_unit(1, 1000).times(_STANDARD_GRAVITY), "gf", "gram_force", "pond"),
    **_unit_names(_POUND_FORCE.times(_DIMENSIONLESS._replace(numerator=1000)), "kip", "kips"),
    **_unit_names(Unit(1, 1, -2, 1, 100_000), "dyn", "dyne", "dynes"),
}
_TIME_UNITS: dict[str, Unit] = _unit_names(_SECOND, "s", "sec", "secs", "second", "seconds")

SIMPLE_UNITS: dict[str, Unit] = {**_TIME_UNITS, **_FORCE_UNITS, **_LENGTH_UNITS, **MASS_UNITS}
"""Every simple unit by every way of writing it."""

_WEIGHT_UNITS: dict[str, str] = {
    "lbf": "lb", "lbsf": "lb", "lb_f": "lb", "pound_force": "lb", "ozf": "oz", "kgf": "kg", "kp": "kg", "gf": "g",
}  # fmt: skip
"""The mass unit whose number equals a weight's under standard gravity; other forces become kilograms."""


_AMBIGUOUS_UNITS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("ton", "tons"), ("907.18, 1000 or 1016.05 kg", "write t for 1000 kg, or lb or kg")),
    **dict.fromkeys(("st", "sts"), ("a stone, 6.35 kg, or a short ton, 907.18 kg", "write stone or short_ton")),
    **dict.fromkeys(("gr", "grs"), ("a gram, or a grain, 0.0648 g", "write g or grain")),
}
"""Names of more than one unit of mass: what each may be, and the remedy. None of them is read."""


def ambiguous_unit(text: str) -> tuple[str, str] | None:
    """Describe a name that several units have."""
    return _AMBIGUOUS_UNITS.get(_plain_unit_text(text).rstrip(".").lower())


MAX_UNIT_LENGTH = 60  # a longer text is not a unit
_SUPERSCRIPTS: dict[int, str] = str.maketrans({"²": "^2", "³": "^3", "⁴": "^4", "¹": "", "⁻": "^-", "−": "-", "–": "-"})
_PLAIN_CHARACTERS: dict[int, int | str] = {**_SUPERSCRIPTS, **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}}
"""Superscripts, and the wide letters of Chinese and Japanese keyboards, as plain characters."""
_UNIT_WITH_POWER = re.compile(r"((?:[^\W\d]|[\"'″′])+)(?:\^?\(?(-?[1-9])(?![0-9.])\)?)?")  # mm^2, s(-2)
_PRODUCT_SIGN = re.compile(r"[*·⋅•×∙.\s-]*")  # what may be between two factors: kg·m, kg m
_COMPOUND_SYMBOLS = (
    "kg", "g", "mg", "t", "lb", "lbm", "oz", "slug", "slinch", "lbf", "ozf", "kgf", "N", "m", "mm", "cm", "in",
    "ft", "s",
)  # fmt: skip
"""Symbols that may be side by side without a separator (``kgm2``, ``lbfins2``)."""
_TONS = re.compile(r"\b(short|long|metric)[ _-]tons?\b", re.IGNORECASE)  # short ton, metric-tons
_PINT_ATOM = r"[A-Za-zµμ][A-Za-zµμ_]*(?:\^-?[1-9])?"  # stone, yd^3
_FOR_PINT = rf"{_PINT_ATOM}(?: *[*/ ] *{_PINT_ATOM})*"  # stone*yd^2, stone/yd; no other text is evaluated


def unit_of_dimension(text: str, dimension: tuple[int, int, int], *, common_only: bool = False) -> Unit | None:
    """Parse a unit that must have a given dimension; in an inertia such as ``lb·in·s²`` the pound is a force."""
    unit = read_unit(text)
    if unit is None and not common_only:
        unit = _read_with_pint(_plain_unit_text(text))
    if unit is None:
        return None
    if dimension == INERTIA and unit.dimension == (1, 1, 2):  # lb·in·s² has one meaning, with the pound a force
        unit = unit.times(_STANDARD_GRAVITY)
    return unit if unit.dimension == dimension else None


@lru_cache(maxsize=512)
def read_unit(text: str) -> Unit | None:
    """Parse a unit made of common ones."""
    bare = _plain_unit_text(text) if len(text) <= MAX_UNIT_LENGTH else ""
    if (whole := _simple_unit(bare)) is not None:
        return whole
    above, slash, below = bare.partition("/")
    top = _read_product(above) or _read_product(above.replace("_", " "))
    if not slash or top is None:
        return top
    if (bottom := _read_product(below)) is None or len(_UNIT_WITH_POWER.findall(below)) > 1:  # a/b·c has two readings
        return None
    return top.times(bottom, -1)


def _read_product(text: str) -> Unit | None:
    """Read units multiplied with each other, each with a power."""
    unit, position = _DIMENSIONLESS, 0
    bare = text.strip()
    while position < len(bare):
        if (match := _UNIT_WITH_POWER.match(bare, position)) is None:
            return None
        power = int(match[2] or 1)
        part = _simple_unit(match[1])
        part = _adjoined_units(match[1], power) if part is None else _DIMENSIONLESS.times(part, power)
        if part is None:
            return None
        unit = unit.times(part)
        separator = _PRODUCT_SIGN.match(bare, match.end())
        assert separator is not None
        if match.end() < len(bare) and separator.end() in (len(bare), match.end() if match[2] is None else -1):
            return None
        position = separator.end()
    return unit if unit != _DIMENSIONLESS else None


def _simple_unit_names(text: str) -> list[str]:
    """List the simple units in a unit."""
    names: list[str] = []
    for match in _UNIT_WITH_POWER.finditer(_plain_unit_text(text)):
        splits = _symbol_splits(match[1])
        names += [match[1]] if _simple_unit(match[1]) is not None or len(splits) != 1 else splits[0]
    return names


def _plain_unit_text(text: str) -> str:
    """Write a unit in plain characters: powers as ``^2``, tons as one word, no brackets around it."""
    bare = text.strip().strip("\u00a0").translate(_PLAIN_CHARACTERS).replace("**", "^").strip()
    bare = _TONS.sub(lambda found: f"{found[1].lower()}_ton", bare)
    while len(bare) > 1 and (bare[0], bare[-1]) in (("[", "]"), ("(", ")")):
        bare = bare[1:-1].strip()
    if "/" not in bare:
        bare = re.sub(r"\(([^()]*)\)", r"\1", bare)
    return bare


def _simple_unit(name: str) -> Unit | None:
    """Look a simple unit up, in any case where one meaning is left (``MG`` may be mg or Mg)."""
    if name in SIMPLE_UNITS:
        return SIMPLE_UNITS[name]
    lower = name.lower()
    return None if lower in ("mg", "mn") else SIMPLE_UNITS.get(lower)


def _adjoined_units(word: str, power: int) -> Unit | None:
    """Read symbols without a separator, the power being the last one's; None with several readings."""
    found = _symbol_splits(word) or _symbol_splits(word.lower())
    readings = set()
    for names in found:
        unit = _DIMENSIONLESS
        for name in names[:-1]:
            unit = unit.times(SIMPLE_UNITS[name])
        unit = unit.times(SIMPLE_UNITS[names[-1]], power)
        if unit.dimension in (INERTIA, (1, 1, 2)):
            readings.add(unit)
    return readings.pop() if len(readings) == 1 else None


def _symbol_splits(word: str) -> list[tuple[str, ...]]:
    """List the ways to cut a word into two or three symbols: ``kgm`` into kg and m."""
    pairs = [(a, word[len(a) :]) for a in _COMPOUND_SYMBOLS if word.startswith(a) and len(word) > len(a)]
    found: list[tuple[str, ...]] = [(a, rest) for a, rest in pairs if rest in _COMPOUND_SYMBOLS]
    for a, rest in pairs:
        found += [
            (a, b, rest[len(b) :])
            for b in _COMPOUND_SYMBOLS
            if rest.startswith(b) and rest[len(b) :] in _COMPOUND_SYMBOLS
        ]
    return found


@lru_cache(maxsize=128)
def _read_with_pint(bare: str) -> Unit | None:
    """Read a rarer unit through Pint, after examining the text: Pint evaluates what it is given."""
    # a ton is 907, 1000 or 1016 kg, so it is not read at all
    if len(bare) > 40 or bare.lower() in _AMBIGUOUS_UNITS or not re.fullmatch(_FOR_PINT, bare):
        return None
    import pint

    registry = _pint_registry()
    try:
        quantity = registry.Quantity(1.0, re.sub(r"(?<=[A-Za-z0-9µμ]) +(?=[A-Za-zµμ])", "*", bare)).to_base_units()
    except (pint.PintError, AttributeError, ValueError, TypeError, SyntaxError, ArithmeticError, AssertionError):
        return None
    powers = {str(name): power for name, power in quantity.dimensionality.items()}
    size = float(quantity.magnitude)
    wanted = [powers.pop(f"[{name}]", 0) for name in ("mass", "length", "time")]
    if powers or not size > 0 or any(power != int(power) for power in wanted):
        return None
    numerator, denominator = size.as_integer_ratio()
    mass, length, time = (int(power) for power in wanted)
    return Unit(mass, length, time, numerator, denominator)


@lru_cache(maxsize=1)
def _pint_registry():  # type: ignore[no-untyped-def]  # Pint has no types for its registry
    """Load the units of Pint."""
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=False)


@cache
def quantity_dimension(quantity: str) -> tuple[int, int, int] | None:
    """Look up the powers of mass, length and time of a number column."""
    if (base := options.base_quantity(quantity)) in options.MASS_QUANTITIES:
        return MASS
    if base in options.CENTER_COLUMNS or base in options.RADII_COLUMNS or base in options.POSE_LENGTHS:
        return LENGTH
    return INERTIA if base in options.INERTIA_COLUMNS else None


_NAMED_SYSTEMS = {"SI": ("kg", "m"), "MKS": ("kg", "m"), "CGS": ("g", "cm")}
"""Unit systems by name; every other is written ``mass,length``."""


@dataclass(frozen=True, slots=True)
class Units:
    """The coherent system that the numbers are in; names are empty where nothing is stated."""

    mass: str = ""
    length: str = ""
    inertia: str = ""
    stated: bool = False


class StatedUnit(NamedTuple):
    """A unit as it is written and as it is."""

    text: str
    unit: Unit


class UnitSystem(NamedTuple):
    """A coherent system; ``mass`` and ``length`` are None where they are not stated."""

    mass: StatedUnit | None
    length: StatedUnit | None
    inertia: StatedUnit | None

    def of(self, quantity: str) -> StatedUnit | None:
        """Select the system's unit for a number column."""
        if (dimension := quantity_dimension(quantity)) == MASS:
            return self.mass
        return self.length if dimension == LENGTH else self.inertia

    @property
    def units(self) -> Units:
        """Return the names."""
        mass, length, inertia = (part.text if part else "" for part in self)
        return Units(mass, length, inertia, any(part is not None for part in self))


def parse_unit_system(text: str) -> UnitSystem:
    """Parse ``--units``, or raise UsageError; inertia is in mass · length² (docs/formulas.md, section 1)."""
    parts = _NAMED_SYSTEMS.get(text.strip().upper()) or tuple(part.strip() for part in text.split(","))
    units = [
        unit_of_dimension(part, dimension) for part, dimension in zip(parts, (MASS, LENGTH, INERTIA), strict=False)
    ]
    stated = [StatedUnit(part, unit) for part, unit in zip(parts, units, strict=False) if unit is not None]
    if len(stated) != len(parts):
        raise UsageError(
            f"--units is not a unit system: {text} (expected SI, a mass such as kg, a mass and a length such as kg,mm,"
            " or these and an inertia such as kg,mm,kg*m^2)"
        )
    if len(stated) == 2:
        return _complete_system(stated[0], stated[1], None)
    return UnitSystem(*stated, *[None] * (3 - len(stated)))


def coherent_system(requested: UnitSystem, own: UnitSystem) -> UnitSystem:
    """Complete requested units by the table's own; inertia is in mass · length² (docs/formulas.md, section 1)."""
    return _complete_system(requested.mass, requested.length or own.length, requested.inertia or own.inertia)


def choose_unit_system(stated: Mapping[str, StatedUnit]) -> UnitSystem:
    """Choose a table's system: units of mass and centre, inertia in mass · length² (docs/formulas.md, section 1)."""
    mass, length, inertia = (_first_of_dimension(stated, dimension) for dimension in (MASS, LENGTH, INERTIA))
    if inertia is not None and mass is None and length is None:
        mass, length = _inertia_factors(inertia)
    elif inertia is not None and mass is None and length is not None:
        of_mass = inertia.unit.times(length.unit, -2)
        mass = next((StatedUnit(name, unit) for name, unit in MASS_UNITS.items() if unit == of_mass), None)
    elif inertia is not None and mass is not None and length is None:
        squared = inertia.unit.times(mass.unit, -1)
        named = (StatedUnit(name, unit) for name, unit in _LENGTH_UNITS.items())
        length = next((one for one in named if _DIMENSIONLESS.times(one.unit, 2) == squared), None)
    return _complete_system(mass, length, inertia)


def _complete_system(mass: StatedUnit | None, length: StatedUnit | None, inertia: StatedUnit | None) -> UnitSystem:
    """Complete a system by its inertia, with the name the table uses where that is the coherent one."""
    if mass is None or length is None:
        return UnitSystem(mass, length, inertia)
    unit = mass.unit.times(length.unit, 2)
    if inertia is None or inertia.unit != unit:
        inertia = StatedUnit(f"{mass.text}*{length.text}^2", unit)
    return UnitSystem(mass, length, inertia)


def _first_of_dimension(stated: Mapping[str, StatedUnit], dimension: tuple[int, int, int]) -> StatedUnit | None:
    """Return the first stated unit of a dimension, values before sigmas and radii."""
    fitting = [q for q in stated if quantity_dimension(q) == dimension]
    fitting.sort(key=lambda q: (q.startswith("sigma_"), q.startswith("k")))
    return stated[fitting[0]] if fitting else None


def _inertia_factors(inertia: StatedUnit) -> tuple[StatedUnit | None, StatedUnit | None]:
    """Split ``kg*m^2`` into its mass and its length, where it is written with one of each."""
    names = _simple_unit_names(inertia.text)
    masses = [name for name in names if name in MASS_UNITS]
    lengths = [name for name in names if name in _LENGTH_UNITS]
    if len(masses) != 1 or len(lengths) != 1:
        return None, None
    mass, length = StatedUnit(masses[0], MASS_UNITS[masses[0]]), StatedUnit(lengths[0], _LENGTH_UNITS[lengths[0]])
    return (mass, length) if mass.unit.times(length.unit, 2) == inertia.unit else (None, None)


def mass_unit_of_weight(text: str) -> StatedUnit | None:
    """Convert a unit of force into the mass of that weight under standard gravity, 9.80665 m/s² (3rd CGPM, 1901)."""
    if (force := unit_of_dimension(text, FORCE)) is None:
        return None
    unit = force.times(_STANDARD_GRAVITY, -1)
    name = _WEIGHT_UNITS.get(text.strip()) or _WEIGHT_UNITS.get(text.strip().lower())
    return StatedUnit(name, unit) if name else StatedUnit(text.strip(), unit)


def coherent_mass_unit(stated: StatedUnit) -> StatedUnit:
    """Choose the mass unit of the results: kilogram for a force read as a weight, else the stated unit."""
    is_force = stated.text not in MASS_UNITS and unit_of_dimension(stated.text, FORCE) is not None
    return StatedUnit("kg", KILOGRAM) if is_force else stated


def _is_metric_unit(unit: Unit) -> bool:
    """Return whether a unit is a power of ten of its SI unit."""
    return all(re.fullmatch("10*", str(part)) is not None for part in (unit.numerator, unit.denominator))


def has_mixed_systems(stated: Iterable[StatedUnit]) -> bool:
    """Return whether metric units are mixed with others."""
    return len({_is_metric_unit(each.unit) for each in stated}) == 2


_LIKELY_UNITS = dict.fromkeys(("mt", "mton", "mtons", "te"), "t")
"""What people write for a unit that has another meaning, or none, in the table of units."""


def strip_unit_brackets(text: str) -> str:
    """Remove the brackets of a unit in a row or a column of units."""
    bare = text.strip()
    return bare[1:-1].strip() if re.fullmatch(r"\[[^\[\]]*\]|\([^()]*\)", bare) else bare


def unit_without_direction(text: str) -> str:
    """Return the unit of a length without the words behind it, which state its direction and origin: ``m fwd AP``."""
    first, *words = strip_unit_brackets(text).split() or [""]
    if not words or unit_of_dimension(first, LENGTH, common_only=True) is None:
        return text
    is_named = all(not re.search(r"[\d*/^·()]", word) and read_unit(word) is None for word in words)
    return first if is_named else text


def likely_unit(quantity: str, text: str) -> str:
    """Find the unit that a text abbreviates or begins with."""
    dimension, words = quantity_dimension(quantity), strip_unit_brackets(text).split()
    form = _LIKELY_UNITS.get(words[0].casefold().replace(".", ""), words[0]) if words else ""
    return form if dimension and unit_of_dimension(form, dimension, common_only=True) else ""
