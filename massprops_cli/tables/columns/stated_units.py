"""Where units are stated: in the header, in a units row below it, by ``--unit``; and whether these agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.findings.nearest import nearest
from massprops_cli.tables.cells.cell_units import top_rows, unit_of_cells
from massprops_cli.tables.cells.measures import counts_pieces, split_per
from massprops_cli.tables.cells.numbers import is_number
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.sigma_words import is_percent
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import (
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    RADII_COLUMNS,
    base_of,
    dimension_of,
)
from massprops_cli.tables.units.quantities import QUANTITIES as ALL
from massprops_cli.tables.units.unit_table import FORCE, MASS
from massprops_cli.tables.units.unit_text import unit_for
from massprops_cli.tables.units.units import Stated, as_weight

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
                    remedy=fault[2],
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
    if text.strip().lower() in ("ton", "tons"):
        return "MP207", f"{text} is 907.18, 1000 or 1016.05 kg", "write t for 1000 kg, or lb or kg"
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
