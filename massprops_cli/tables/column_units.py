"""Where units are stated: in the header, in a units row below it, by ``--unit``; and whether these agree.

From stated units to factors: one system for the table, what a silent column is in, what cannot be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, found
from massprops_cli.findings.finding import nearest
from massprops_cli.tables.header import HeaderRow
from massprops_cli.tables.headings import is_percent
from massprops_cli.tables.number_text import counts_pieces, split_per
from massprops_cli.tables.numbers import is_number, top_rows, unit_of_cells
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.quantities import (
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    RADII_COLUMNS,
    base_of,
    dimension_of,
)
from massprops_cli.tables.quantities import QUANTITIES as ALL
from massprops_cli.tables.unit_text import FORCE, INERTIA, LENGTH, MASS, several_sizes, unit_for
from massprops_cli.tables.units import (
    Stated,
    System,
    Units,
    as_weight,
    coherent_mass,
    common_system,
    mixed_systems,
    system_named,
)

GROUPS: dict[str, tuple[str, ...]] = {
    "length": (*CENTER_COLUMNS, *RADII_COLUMNS),
    "center": CENTER_COLUMNS,
    "inertia": INERTIA_COLUMNS,
}
"""What ``--unit`` takes beside single columns, the widest first."""

NOTHING = ("", "-", "--", "–", "—", "[-]", "(-)", "n/a", "N/A", "none", "1")
_ROW_NAMES = ("unit", "units", "[unit]", "[units]", "einheit", "einheiten", "(units)", "units:", "unit:")
EXAMPLES = {"mass": "kg", "Cx": "mm", "Ixx": "kg*mm^2"}

Fault = tuple[str, str, str | None]
"""A rule, a message, and a remedy where it is not the rule's own."""


@dataclass(slots=True)
class StatedUnits:
    """What is stated: ``of`` quantity → unit; ``row_texts`` column → text of the units row, if any.

    ``refused`` are quantities that state something which is no unit of theirs, and that has been said; ``percent`` are
    sigmas in percent of their values, which need no unit. ``in_cells`` are those whose every cell states its unit.
    """

    of: dict[str, Stated] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    percent: set[str] = field(default_factory=set)
    in_cells: set[str] = field(default_factory=set)
    row_texts: dict[int, str] | None = None


def read_units_row(table: Table, header: HeaderRow) -> dict[int, str] | None:
    """Read the row below the header as a row of units; None where it is a row of data.

    It is one when no number column holds a number, one at least holds a fitting unit, and the columns that
    identify the item are blank, a dash or the word for units.
    """
    row = header.row + 1
    if row >= table.n_rows:
        return None
    texts = table.row(row)
    fits = False
    for quantity, column in header.columns.items():
        text = texts[column].strip()
        dimension = dimension_of(quantity)
        if dimension is None:
            named = quantity in ("id", "parent", "child", "name", "part", "item", "level")
            if named and text not in NOTHING and text.lower() not in _ROW_NAMES:
                return None
            continue
        if text in NOTHING[:-1]:
            continue
        if is_number(text):
            return None
        fits = fits or unit_for(text, dimension, common_only=True) is not None or _is_force(text, dimension)
    if not fits:
        return None
    return {j: text.strip() for j, text in enumerate(texts) if text.strip() not in NOTHING}


def _is_force(text: str, dimension: tuple[int, int, int]) -> bool:
    return dimension == MASS and unit_for(text, FORCE, common_only=True) is not None


def find_units(table: Table, header: HeaderRow, options: TableOptions) -> tuple[StatedUnits, list[Finding]]:
    """Find the unit of each number column, and say where units are unknown or contradict each other."""
    stated = StatedUnits(row_texts=read_units_row(table, header))
    asked, findings = units_asked_for(options.unit)
    top = cache(lambda: top_rows(table, header.row + 1))
    for quantity, column in header.columns.items():
        dimension = dimension_of(quantity)
        if dimension is None or (quantity != base_of(quantity) and not options.use_sigmas):
            continue
        places = [
            (header.units[quantity], header.row),
            ((stated.row_texts or {}).get(column, ""), header.row + 1),
        ]
        texts = [(text, row) for text, row in places if text]
        said_of_it = [asked.get(quantity, ""), *(text for text, _ in texts)]
        if quantity.startswith("sigma_") and any(map(is_percent, said_of_it)):
            stated.percent.add(quantity)
            texts = [(text, row) for text, row in texts if not is_percent(text)]
            findings += [_both(table, header, quantity, text, row) for text, row in texts]
            continue
        unit, said = _one_unit(table, header, quantity, texts, asked.get(quantity, ""), options)
        findings += said
        if unit is not None:
            stated.of[quantity] = unit
        elif said:
            stated.refused.add(quantity)
        elif (unit := unit_of_cells(table, column, header.row + 1, top(), dimension)) is not None:
            stated.of[quantity] = unit
            stated.in_cells.add(quantity)
    return stated, findings


def _both(table: Table, header: HeaderRow, quantity: str, text: str, row: int) -> Finding:
    """Refuse a column that is said to hold percentages and numbers with a unit."""
    column = header.columns[quantity]
    name = header.texts[column].strip()
    return found(
        "MP209", f"{name}: one place says %, and another says {text}", table.place(row, column, name), value=text
    )


def units_asked_for(unit: Mapping[str, str]) -> tuple[dict[str, str], list[Finding]]:
    """Spread ``--unit`` over columns: a group's unit goes to its columns, a column's own is taken first."""
    findings: list[Finding] = []
    asked: dict[str, str] = {}
    numbers = [name for name in ALL if dimension_of(name) is not None]
    for name in unit:
        if name not in GROUPS and name not in numbers:
            near = nearest(name, (*GROUPS, *NUMBER_QUANTITIES))
            remedy = "use one of " + ", ".join((*GROUPS, *NUMBER_QUANTITIES)) + ", or one of these after sigma_"
            findings.append(
                found(
                    "MP204",
                    f"--unit names the quantity {name}, which has no unit{near}",
                    value=name,
                    remedy=remedy,
                )
            )
    for group, members in GROUPS.items():
        if group in unit:
            asked.update(dict.fromkeys(members, unit[group]))
    asked.update({name: text for name, text in unit.items() if name in numbers})
    return asked, findings


def _one_unit(
    table: Table,
    header: HeaderRow,
    quantity: str,
    texts: Iterable[tuple[str, int]],
    asked: str,
    options: TableOptions,
) -> tuple[Stated | None, list[Finding]]:
    """Bring together what is said about one column; ``--unit`` also stands in for a text that is no unit."""
    column = header.columns[quantity]
    name = header.texts[column].strip()
    read: list[Stated] = []
    if asked:
        unit, fault = understood(quantity, asked, options)
        if unit is None:
            return None, [found(fault[0], f"--unit {quantity}={asked}: {fault[1]}", value=asked, remedy=fault[2])]
        read.append(unit)
    for text, row in texts:
        unit, fault = understood(quantity, text, options)
        if unit is None and not asked:
            return None, [
                found(
                    fault[0],
                    f"{name}: {fault[1]}",
                    table.place(row, column, name),
                    value=text,
                    remedy=_or_passed(quantity, text, fault[2]),
                )
            ]
        if unit is None:
            continue
        if read and read[0].unit != unit.unit:
            first = f"--unit {quantity}={asked}" if asked else f"the header says {read[0].text}"
            what = f"{name}: {first}, and {'the header' if row == header.row else 'the units row'} says {text}"
            return read[0], [found("MP209", what, table.place(row, column, name), value=text)]
        read.append(unit)
    return (read[-1] if read else None), []


def _or_passed(quantity: str, text: str, remedy: str | None) -> str | None:
    """Offer the options too for a header that names one of several units."""
    if several_sizes(text) is None or remedy != "write stone or short_ton":
        return remedy
    return f"{remedy}, or pass --unit {quantity}=stone or --unit {quantity}=short_ton"


def without_brackets(text: str) -> str:
    """Take the brackets off a unit that stands in a row or a column of units.

    >>> without_brackets("[kg]"), without_brackets(" (mm) "), without_brackets("kg/(m s)")
    ('kg', 'mm', 'kg/(m s)')
    """
    bare = text.strip()
    return bare[1:-1].strip() if re.fullmatch(r"\[[^\[\]]*\]|\([^()]*\)", bare) else bare


def understood(quantity: str, text: str, options: TableOptions) -> tuple[Stated | None, Fault]:
    """Read one unit text for a quantity; else the rule, the message and the remedy.

    >>> understood("mass", "kg", TableOptions())[0].text, understood("mass", "mm", TableOptions())[1][:2]
    ('kg', ('MP207', 'mm is not a unit of mass'))
    """
    dimension = dimension_of(quantity)
    assert dimension is not None
    unit = unit_for(text, dimension)
    if unit is not None:
        return Stated(without_brackets(text), unit), ("", "", None)
    base = base_of(quantity)
    if base == "mass" and (weight := as_weight(text)) is not None:
        if options.as_weight:
            return weight, ("", "", None)
        return None, ("MP210", f"{text} is a unit of force, not of mass", None)
    return None, _no_unit(quantity, text)


def _no_unit(quantity: str, text: str) -> Fault:
    """Say why a text is no unit of a quantity."""
    base = base_of(quantity)
    if base == "mass" and (sizes := several_sizes(text)) is not None:
        return "MP207", f"{text} is {sizes[0]}", sizes[1]
    unit, per = split_per(without_brackets(text))
    if base == "mass" and per:
        remedy = f"pass --unit {quantity}={unit} if every row counts pieces"
        if not counts_pieces(per):  # totals of assemblies come into the same column, and are of no metre
            remedy = f"write {unit}/{per} behind each number that is of one {per}, and a unit of mass into the header"
        return "MP207", f"{text} is of one {per}, and the column holds masses of assemblies too", remedy
    example = EXAMPLES["mass" if base == "mass" else "Ixx" if base in INERTIA_COLUMNS else "Cx"]
    kind = {"kg": "mass", "mm": "length"}.get(example, "inertia (mass times length squared)")
    remedy = f"write a unit such as {example}, or say it with --unit {quantity}={example}"
    return "MP207", f"{text} is not a unit of {kind}", remedy


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
