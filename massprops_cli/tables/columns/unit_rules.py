"""From stated units to factors: one system for the table, what a silent column is in, what cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, found
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.stated_units import StatedUnits
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import RADII_COLUMNS, base_of, dimension_of
from massprops_cli.tables.units.unit_table import INERTIA, LENGTH, MASS
from massprops_cli.tables.units.units import (
    Stated,
    System,
    Units,
    coherent_mass,
    common_system,
    mixed_systems,
    system_named,
)

NOTHING_STATED = System(None, None, None)


@dataclass(frozen=True, slots=True)
class Conversion:
    """How cells become coherent values: the system's names, each quantity's unit and factor."""

    units: Units
    texts: dict[str, str] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    system: System = NOTHING_STATED

    def target(self, quantity: str) -> str | None:
        """Give the name of the system's unit for a number column."""
        unit = self.system.of(quantity) if dimension_of(quantity) is not None else None
        return None if unit is None else unit.text


def convert(
    table: Table, header: HeaderRow, stated: StatedUnits, options: TableOptions
) -> tuple[Conversion, list[Finding]]:
    """Choose the table's coherent system and the factor of every number column."""
    numbers = [
        quantity
        for quantity in header.columns
        if dimension_of(quantity) is not None
        and quantity not in stated.percent
        and (options.use_sigmas or quantity == base_of(quantity))
    ]
    if not stated.of:
        if not options.units:
            return Conversion(Units()), []
        system_named(options.units)
        return Conversion(Units()), [
            found(
                "MP207",
                f"--units {options.units}: the table states no units to convert from",
                table.place(header.row),
                remedy="state them in the header, or with --unit mass=kg --unit length=mm",
            )
        ]
    known, assumed = _with_neighbours(numbers, stated.of)
    own = common_system({q: coherent_mass(unit) if dimension_of(q) == MASS else unit for q, unit in known.items()})
    # a column whose unit was refused has its story, and that of its sigmas follows from it
    silent = [q for q in numbers if not {q, base_of(q)} & stated.refused]
    findings = _silent(table, header, silent, known, assumed, own)
    if mixed_systems(known.values()):
        findings.append(_mixed(table, header, known))
    for quantity in numbers:
        unit = own.of(quantity)
        if quantity not in known and unit is not None:
            known[quantity] = unit
    target = system_named(options.units) if options.units else own
    return _factors(known, target), findings


def _with_neighbours(numbers: list[str], stated: dict[str, Stated]) -> tuple[dict[str, Stated], dict[str, str]]:
    """Give silent columns the unit of their own value's column, or the one that their whole group states.

    Also gives which quantity each silent column took its unit from.
    """
    known, taken_from = dict(stated), {}
    for quantity in numbers:
        if quantity in stated:
            continue
        base = base_of(quantity)
        alike = [q for q in stated if dimension_of(q) == dimension_of(quantity)]
        if base in stated:
            source = base
        elif alike and len({stated[q].unit for q in alike}) == 1:
            source = alike[0]
        else:
            continue
        known[quantity], taken_from[quantity] = stated[source], source
    return known, taken_from


def _silent(
    table: Table,
    header: HeaderRow,
    numbers: list[str],
    known: dict[str, Stated],
    taken_from: dict[str, str],
    system: System,
) -> list[Finding]:
    """Say in which unit columns are taken that state none, once a unit; an error where nothing tells."""
    findings: list[Finding] = []
    silent: dict[str, list[str]] = {}
    untold: list[str] = []
    for quantity in numbers:
        if base_of(quantity) in RADII_COLUMNS or (quantity in known and quantity not in taken_from):
            continue
        unit = known.get(quantity) or system.of(quantity)
        if unit is None or (quantity not in taken_from and _is_divided(quantity, known)):
            untold.append(quantity)
        else:
            silent.setdefault(unit.text, []).append(quantity)
    for text, quantities in silent.items():
        verbs = "states no unit and is" if len(quantities) == 1 else "state no unit and are"
        findings.append(
            found(
                "MP227",
                f"{', '.join(quantities)} {verbs} taken in {text}, as the other columns are",
                _place(table, header, quantities[0]),
                count=len(quantities),
            )
        )
    if untold:
        findings += _untold(table, header, untold, known)
    return findings


def _untold(table: Table, header: HeaderRow, untold: list[str], known: dict[str, Stated]) -> list[Finding]:
    """Say which columns have no unit that fits: harmless unless their numbers meet a stated unit in a sum."""
    tensor_stated = any(dimension_of(quantity) == INERTIA for quantity in known)
    findings = []
    for dimension, group, example in (
        (MASS, "mass", "kg"),
        (LENGTH, "length", "mm"),
        (INERTIA, "inertia", "kg*mm^2"),
    ):
        names = [quantity for quantity in untold if dimension_of(quantity) == dimension]
        if not names:
            continue
        state = f"{', '.join(names)} {'states' if len(names) == 1 else 'state'} no unit"
        place = _place(table, header, names[0])
        if _is_divided(names[0], known) or (dimension != INERTIA and tensor_stated):
            message = f"{state}, and no unit makes {'it' if len(names) == 1 else 'them'} fit the other columns"
            remedy = f"state it in the header, or with --unit {group}={example}"
            findings.append(found("MP207", message, place, remedy=remedy))
        else:
            findings.append(found("MP227", state, place, count=len(names)))
    return findings


def _is_divided(quantity: str, known: Mapping[str, Stated]) -> bool:
    """Tell whether the columns that a silent one would follow state different units, so that it has two readings."""
    dimension = dimension_of(quantity)
    meeting = (MASS, LENGTH, INERTIA) if dimension == INERTIA else (dimension,)
    return any(len({unit.unit for q, unit in known.items() if dimension_of(q) == each}) > 1 for each in meeting)


def _mixed(table: Table, header: HeaderRow, known: dict[str, Stated]) -> Finding:
    told = [q for q, u in known.items() if q == base_of(q) or base_of(q) not in known or u != known[base_of(q)]]
    units = ", ".join(f"{quantity} in {known[quantity].text}" for quantity in told)
    return found(
        "MP208",
        f"metric units and others stand side by side: {units}",
        _place(table, header, next(iter(known))),
        remedy="check the units in the header; the numbers are converted as they are stated",
    )


def _place(table: Table, header: HeaderRow, quantity: str) -> Place:
    column = header.columns[quantity]
    return table.place(header.row, column, header.texts[column].strip())


def _factors(known: dict[str, Stated], target: System) -> Conversion:
    factors = {}
    for quantity, unit in known.items():
        wanted = target.of(quantity)
        factors[quantity] = 1.0 if wanted is None else unit.unit.over(wanted.unit)
    texts = {quantity: unit.text for quantity, unit in known.items()}
    return Conversion(target.units, texts, factors, target)
