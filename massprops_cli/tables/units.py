"""One coherent unit system for all number columns: inertia = mass · length².

Nothing stated anywhere: the numbers are taken as they are. Where columns state units, the system is the mass
column's unit and the centre's unit, and only columns that disagree with it are multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from massprops_cli.findings import UsageError
from massprops_cli.tables.quantities import dimension_of
from massprops_cli.tables.unit_text import (
    FORCE,
    INERTIA,
    KILOGRAM,
    LENGTH,
    LENGTHS,
    MASS,
    MASSES,
    ONE,
    STANDARD_GRAVITY,
    WEIGHED,
    Unit,
    simple_names,
    unit_for,
)

SYSTEMS = {"SI": ("kg", "m"), "MKS": ("kg", "m"), "CGS": ("g", "cm")}
"""Unit systems by name; every other is written ``mass,length``."""


@dataclass(frozen=True, slots=True)
class Units:
    """The coherent system that the numbers are in; names are empty where nothing is stated."""

    mass: str = ""
    length: str = ""
    inertia: str = ""
    stated: bool = False


class Stated(NamedTuple):
    """A unit as it is written and as it is."""

    text: str
    unit: Unit


class System(NamedTuple):
    """A coherent system; ``mass`` and ``length`` are None where nothing says what they are."""

    mass: Stated | None
    length: Stated | None
    inertia: Stated | None

    def of(self, quantity: str) -> Stated | None:
        """Give the system's unit for a number column."""
        dimension = dimension_of(quantity)
        if dimension == MASS:
            return self.mass
        return self.length if dimension == LENGTH else self.inertia

    @property
    def units(self) -> Units:
        """Give the names."""
        mass, length, inertia = (part.text if part else "" for part in self)
        return Units(mass, length, inertia, any(part is not None for part in self))


def system_named(text: str) -> System:
    """Read what ``--units`` takes: ``SI``, or a mass and a length such as ``kg,mm``. Raises UsageError.

    >>> system_named("lb,in").units
    Units(mass='lb', length='in', inertia='lb*in^2', stated=True)
    """
    parts = SYSTEMS.get(text.strip().upper()) or tuple(part.strip() for part in text.split(","))
    if len(parts) == 2:
        mass, length = unit_for(parts[0], MASS), unit_for(parts[1], LENGTH)
        if mass is not None and length is not None:
            return _whole(Stated(parts[0], mass), Stated(parts[1], length), None)
    raise UsageError(f"--units is {text}; it takes SI, or a mass and a length such as kg,mm or lb,in")


def common_system(stated: Mapping[str, Stated]) -> System:
    """Choose the system of a table: the mass column's unit and the centre's, completed through the inertia's.

    A part that nothing states, and that no named unit makes coherent with the others, stays None.

    >>> read = lambda text, quantity: Stated(text, unit_for(text, dimension_of(quantity)))
    >>> common_system({"mass": read("kg", "mass"), "Ixx": read("kg*mm^2", "Ixx")}).units.length
    'mm'
    """
    mass, length, inertia = (_first(stated, dimension) for dimension in (MASS, LENGTH, INERTIA))
    if inertia is not None and mass is None and length is None:
        mass, length = _taken_apart(inertia)
    elif inertia is not None and mass is None and length is not None:
        mass = _equal(inertia.unit.times(length.unit, -2), MASSES)
    elif inertia is not None and mass is not None and length is None:
        squared = inertia.unit.times(mass.unit, -1)
        length = next((Stated(name, unit) for name, unit in LENGTHS.items() if ONE.times(unit, 2) == squared), None)
    return _whole(mass, length, inertia)


def _whole(mass: Stated | None, length: Stated | None, inertia: Stated | None) -> System:
    """Complete a system by its inertia, with the name the table uses where that is the coherent one."""
    if mass is None or length is None:
        return System(mass, length, inertia)
    unit = mass.unit.times(length.unit, 2)
    if inertia is None or inertia.unit != unit:
        inertia = Stated(f"{mass.text}*{length.text}^2", unit)
    return System(mass, length, inertia)


def _first(stated: Mapping[str, Stated], dimension: tuple[int, int, int]) -> Stated | None:
    """Give the first stated unit of a dimension, values before sigmas and radii."""
    fitting = [q for q in stated if dimension_of(q) == dimension]
    fitting.sort(key=lambda q: (q.startswith("sigma_"), q.startswith("k")))
    return stated[fitting[0]] if fitting else None


def _equal(unit: Unit, among: Mapping[str, Unit]) -> Stated | None:
    return next((Stated(name, other) for name, other in among.items() if other == unit), None)


def _taken_apart(inertia: Stated) -> tuple[Stated | None, Stated | None]:
    """Take ``kg*m^2`` apart into its mass and its length, where it is written with one of each."""
    names = simple_names(inertia.text)
    masses = [name for name in names if name in MASSES]
    lengths = [name for name in names if name in LENGTHS]
    if len(masses) != 1 or len(lengths) != 1:
        return None, None
    mass, length = Stated(masses[0], MASSES[masses[0]]), Stated(lengths[0], LENGTHS[lengths[0]])
    return (mass, length) if mass.unit.times(length.unit, 2) == inertia.unit else (None, None)


def as_weight(text: str) -> Stated | None:
    """Read a unit of force as the mass that weighs as much under standard gravity; None where it is no force.

    >>> as_weight("lbf").text, as_weight("N").unit.over(KILOGRAM) * 9.80665
    ('lb', 1.0)
    """
    force = unit_for(text, FORCE)
    if force is None:
        return None
    unit = force.times(STANDARD_GRAVITY, -1)
    name = WEIGHED.get(text.strip()) or WEIGHED.get(text.strip().lower())
    return Stated(name, unit) if name else Stated(text.strip(), unit)


def coherent_mass(stated: Stated) -> Stated:
    """Give the mass unit that results are told in: a force taken as a weight becomes kilograms."""
    return Stated("kg", KILOGRAM) if stated.text not in MASSES and unit_for(stated.text, FORCE) else stated


def is_metric(unit: Unit) -> bool:
    """Tell whether a unit is a power of ten of its SI unit.

    >>> is_metric(MASSES["g"]), is_metric(LENGTHS["in"])
    (True, False)
    """
    return all(re.fullmatch("10*", str(part)) is not None for part in (unit.numerator, unit.denominator))


def mixed_systems(stated: Iterable[Stated]) -> bool:
    """Tell whether metric units stand beside others."""
    return len({is_metric(each.unit) for each in stated}) == 2
