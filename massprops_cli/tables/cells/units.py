"""One coherent unit system for all number columns: inertia = mass · length².

Where no unit is stated, numbers are used as given. Where columns state units, the system is the mass
column's unit and the centre's unit, and only columns that disagree with it are multiplied.

The canonical columns: their names, what kind each is, and which belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.cells.unit_text import (
    DIMENSIONLESS,
    FORCE,
    INERTIA,
    KILOGRAM,
    LENGTH,
    LENGTH_UNITS,
    MASS,
    MASS_UNITS,
    STANDARD_GRAVITY,
    WEIGHT_UNITS,
    Unit,
    simple_unit_names,
    unit_of_dimension,
)

CENTER_COLUMNS = ("Cx", "Cy", "Cz")
INERTIA_COLUMNS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
RADII_COLUMNS = ("kx", "ky", "kz")
TEXT_QUANTITIES = (
    "id", "parent", "child", "level", "item", "name", "part", "qty", "item_qty", "unit_qty", "uom", "mass_unit",
    "length_unit", "inertia_unit", "POIconv", "Ipoint", "weighed", "dist", "corr_group", "method", "mga",
    "category", "maturity",
)  # fmt: skip
SHAPE_QUANTITIES = ("shape", "dims", "axis", "wall", "density", "material", "lot")
"""Columns that describe solids by shapes; they are read where both ``shape`` and ``dims`` are present."""
MESH_QUANTITIES = (
    "mesh", "mesh_units", "mesh_scale", "surface_offset", "voxel_size", "wall", "density", "material", "lot",
)  # fmt: skip
"""Columns that describe solids by meshes; they are read where ``mesh`` and one of ``MESH_MARKS`` are present."""
MESH_MARKS = ("mesh_units", "density", "material")
SOLID_QUANTITIES = tuple(dict.fromkeys((*SHAPE_QUANTITIES, *MESH_QUANTITIES)))
"""Columns that describe solids."""
POSE_LENGTHS = ("tx", "ty", "tz")
POSE_ANGLES = ("roll", "pitch", "yaw")
POSE_QUATERNION = ("qw", "qx", "qy", "qz")
POSE_AXIS_ANGLE = ("ax", "ay", "az", "angle")
POSE_COSINES = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
POSE_SIGMAS = ("sigma_tx", "sigma_ty", "sigma_tz", "sigma_rx", "sigma_ry", "sigma_rz")
PATTERN_QUANTITIES = ("pattern", "pattern_pitch", "pattern_axis", "pattern_angle", "pattern_point")
POSE_QUANTITIES = (
    *POSE_LENGTHS, *POSE_ANGLES, *POSE_QUATERNION, *POSE_AXIS_ANGLE, *POSE_COSINES, *POSE_SIGMAS, "pose_covariance",
    "frame", *PATTERN_QUANTITIES,
)  # fmt: skip
"""Columns of poses and patterns; without ``--map`` they are read where a table has an origin or a frame."""
ANGLE_QUANTITIES = (*POSE_ANGLES, "angle", *POSE_SIGMAS[3:], "pattern_angle", "pose_covariance")
"""Columns whose unit is one of angles."""
NUMERIC_TEXT_QUANTITIES = ("qty", "mga")
"""Of the texts, those whose cells are numbers as a rule, though not of a physical quantity."""
UNIT_COLUMNS = {"mass_unit": "mass", "length_unit": "Cx", "inertia_unit": "Ixx"}
"""The columns that hold units row by row, each with a quantity that has such a unit."""
NUMBER_QUANTITIES = ("mass", *CENTER_COLUMNS, *INERTIA_COLUMNS, *RADII_COLUMNS)
SIGMA_QUANTITIES = tuple(f"sigma_{name}" for name in NUMBER_QUANTITIES)
BOUNDS = ("min", "likely", "max")
BOUND_QUANTITIES = tuple(f"{name}_{end}" for name in NUMBER_QUANTITIES[:10] for end in BOUNDS)
ROW_TOTAL_QUANTITIES = {"line_mass": "mass", "total_qty": "qty"}
"""Columns of row totals, and the quantity that they replace where it has no column."""
GROWTH_MASSES = ("growth_mass", "line_growth_mass", "mass_with_growth", "line_mass_with_growth")
"""Growth as a mass, and masses with their growth; of one piece, and of all pieces in a row."""
MASS_QUANTITIES = ("mass", "line_mass", *GROWTH_MASSES)
"""Every column of masses."""
QUANTITIES = (
    *TEXT_QUANTITIES, *NUMBER_QUANTITIES, *SIGMA_QUANTITIES, *BOUND_QUANTITIES, *ROW_TOTAL_QUANTITIES,
    *GROWTH_MASSES,
)  # fmt: skip
"""Every canonical column name."""

OUTPUT_PREFIXES = (
    "total_", "coverage_", "principal_", "sigma_principal_", "axis_", "rho_", "share_", "predicted_", "allowance_",
)  # fmt: skip
"""Prefixes of the columns that a roll-up adds to these."""


def base_quantity(quantity: str) -> str:
    """Find the quantity to which a column of sigmas or bounds belongs."""
    head, _, end = quantity.rpartition("_")
    return head if end in BOUNDS else quantity.removeprefix("sigma_")


def quantity_dimension(quantity: str) -> tuple[int, int, int] | None:
    """Look up the powers of mass, length and time of a number column."""
    base = base_quantity(quantity)
    if base in MASS_QUANTITIES:
        return MASS
    if base in CENTER_COLUMNS or base in RADII_COLUMNS or base in POSE_LENGTHS:
        return LENGTH
    return INERTIA if base in INERTIA_COLUMNS else None


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
        dimension = quantity_dimension(quantity)
        if dimension == MASS:
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
        mass = _equal_unit(inertia.unit.times(length.unit, -2), MASS_UNITS)
    elif inertia is not None and mass is not None and length is None:
        squared = inertia.unit.times(mass.unit, -1)
        length = next(
            (StatedUnit(name, unit) for name, unit in LENGTH_UNITS.items() if DIMENSIONLESS.times(unit, 2) == squared),
            None,
        )
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


def _equal_unit(unit: Unit, among: Mapping[str, Unit]) -> StatedUnit | None:
    """Find the first unit of the same size, with its name; None without one."""
    return next((StatedUnit(name, other) for name, other in among.items() if other == unit), None)


def _inertia_factors(inertia: StatedUnit) -> tuple[StatedUnit | None, StatedUnit | None]:
    """Split ``kg*m^2`` into its mass and its length, where it is written with one of each."""
    names = simple_unit_names(inertia.text)
    masses = [name for name in names if name in MASS_UNITS]
    lengths = [name for name in names if name in LENGTH_UNITS]
    if len(masses) != 1 or len(lengths) != 1:
        return None, None
    mass, length = StatedUnit(masses[0], MASS_UNITS[masses[0]]), StatedUnit(lengths[0], LENGTH_UNITS[lengths[0]])
    return (mass, length) if mass.unit.times(length.unit, 2) == inertia.unit else (None, None)


def mass_unit_of_weight(text: str) -> StatedUnit | None:
    """Convert a unit of force into the mass of that weight under standard gravity, 9.80665 m/s² (3rd CGPM, 1901)."""
    force = unit_of_dimension(text, FORCE)
    if force is None:
        return None
    unit = force.times(STANDARD_GRAVITY, -1)
    name = WEIGHT_UNITS.get(text.strip()) or WEIGHT_UNITS.get(text.strip().lower())
    return StatedUnit(name, unit) if name else StatedUnit(text.strip(), unit)


def coherent_mass_unit(stated: StatedUnit) -> StatedUnit:
    """Choose the mass unit of the results: kilogram for a force read as a weight, else the stated unit."""
    return (
        StatedUnit("kg", KILOGRAM)
        if stated.text not in MASS_UNITS and unit_of_dimension(stated.text, FORCE)
        else stated
    )


def _is_metric_unit(unit: Unit) -> bool:
    """Return whether a unit is a power of ten of its SI unit."""
    return all(re.fullmatch("10*", str(part)) is not None for part in (unit.numerator, unit.denominator))


def has_mixed_systems(stated: Iterable[StatedUnit]) -> bool:
    """Return whether metric units are mixed with others."""
    return len({_is_metric_unit(each.unit) for each in stated}) == 2


_LIKELY_UNITS = dict.fromkeys(("mt", "mton", "mtons", "te"), "t")
"""What people write for a unit that has another meaning, or none, in the table of units."""
_DIRECTION_WORDS = frozenset((
    "above", "abv", "aft", "ahead", "ap", "baseline", "behind", "below", "bl", "centerline", "centreline", "cl",
    "datum", "firewall", "fore", "forward", "fp", "from", "fwd", "keel", "left", "nose", "of", "off", "or", "port",
    "right", "starboard", "stbd", "the", "to",
))  # fmt: skip
"""Words behind the unit of a coordinate that name its direction and origin."""


def strip_unit_brackets(text: str) -> str:
    """Remove the brackets of a unit in a row or a column of units."""
    bare = text.strip()
    return bare[1:-1].strip() if re.fullmatch(r"\[[^\[\]]*\]|\([^()]*\)", bare) else bare


def unit_without_direction(text: str) -> str:
    """Return the unit of a length without the words for its direction and origin."""
    first, *words = strip_unit_brackets(text).split()
    return first if words and all(word.strip(".,+-").casefold() in _DIRECTION_WORDS for word in words) else text


def likely_unit(quantity: str, text: str) -> str:
    """Find the unit that a text abbreviates or begins with."""
    dimension, words = quantity_dimension(quantity), strip_unit_brackets(text).split()
    forms = [_LIKELY_UNITS.get(words[0].casefold().replace(".", ""), words[0])] if words else []
    return next((form for form in forms if dimension and unit_of_dimension(form, dimension) is not None), "")
