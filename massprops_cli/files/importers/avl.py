"""AVL: the mass file ``NAME.mass``.

Each line of numbers is an item: mass, x, y, z and, where given, Ixx Iyy Izz Ixy Ixz Iyz about the item's own centre of
mass; the products are the integrals +∫xy dm, and a missing value is 0 (AVL User Primer, "Mass-File").
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import PurePath

from massprops_cli.files.encoding import read_text
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import (
    FOOT,
    INCH,
    POUND,
    SLUG,
    ReportItem,
    ReportTable,
    report_items_with_mass,
    report_table,
    unique_names,
)
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)  # such as "1.5d-3": Fortran exponents too
_KEYWORD = re.compile(r"\s*(Lunit|Munit|Tunit|g|rho)\s*=\s*(\S+)\s*([^\s!#]*)")  # such as "Lunit = 0.0254 m"
_LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 0.01, "ft": FOOT, "in": INCH, "inch": INCH}
_MASSES = {"kg": 1.0, "g": 1e-3, "slug": SLUG, "slugs": SLUG, "lb": POUND, "lbm": POUND, "oz": POUND / 16}
_N_VALUES = 10  # mass, x y z, Ixx Iyy Izz Ixy Ixz Iyz
_LEAST_VALUES = 4  # mass and centre


@dataclass(slots=True)
class _MassFile:
    """What the lines of a file have given so far; ``units`` are the sizes and names of ``Lunit`` and ``Munit``."""

    name: str
    faults: Findings
    units: dict[str, tuple[float, str]] = field(default_factory=dict)
    factors: list[float] = field(default_factory=lambda: [1.0] * _N_VALUES)
    summands: list[float] = field(default_factory=lambda: [0.0] * _N_VALUES)
    rows: list[tuple[int, str, list[float]]] = field(default_factory=list)

    def read_line(self, number: int, line: str) -> None:
        """Read one line: a keyword, factors, summands, an item or a comment."""
        bare, _, comment = line.partition("!")
        bare = bare.partition("#")[0].strip()
        if not bare:
            return
        if "=" in bare:  # ``Lunit = 0.0254 m``; the time unit, gravity and density have no effect on masses
            if (stated := _KEYWORD.match(bare)) is None:
                self.faults.report("MP205", f"line is not a number or a keyword: {bare}", Place(self.name, line=number))
            elif stated[1] in ("Lunit", "Munit") and (sizes := self._line_values(number, stated[2])):
                self.units[stated[1]] = sizes[0], stated[3]
            return
        values = self._line_values(number, bare.lstrip("*+") if bare[0] in "*+" and bare[1:2].isspace() else bare)
        if values is None:
            return
        if bare[0] in "*+" and bare[1:2].isspace():
            kept = self.factors if bare[0] == "*" else self.summands
            kept[: len(values)] = values
        elif len(values) < _LEAST_VALUES:
            place, remedy = Place(self.name, line=number), "write mass, x, y and z"
            self.faults.report("MP212", f"line states no mass, x, y and z: {bare}", place, remedy=remedy)
        else:
            values += [0.0] * (_N_VALUES - len(values))
            row = [
                factor * value + more for factor, value, more in zip(self.factors, values, self.summands, strict=True)
            ]
            self.rows.append((number, comment.strip(), row))

    def _line_values(self, number: int, text: str) -> list[float] | None:
        """Return the numbers of a line, ten at most; None where one is not a number."""
        texts = text.replace(",", " ").split()[:_N_VALUES]
        bad = [word for word in texts if not _NUMBER.fullmatch(word)]
        values = [] if bad else [float(word.lower().replace("d", "e")) for word in texts]
        if bad := bad or [word for word, value in zip(texts, values, strict=True) if not math.isfinite(value)]:
            place = Place(self.name, line=number)
            self.faults.report("MP205", f"value is not a number: {bad[0]!r}", place, value=bad[0])
            return None
        return values


def read_avl(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> ReportTable:
    """Read the items of an AVL mass file."""
    text, source = read_text(name, data, "avl", options, compressed)
    read = _MassFile(name, Findings())
    for number, line in enumerate(text.splitlines(), 1):
        read.read_line(number, line)
    if read.faults:
        raise TableError(read.faults)
    factors, has_units = _unit_factors(read.units)
    if not read.rows:
        raise TableError([rule_finding("MP111", "file states no items (lines of mass, x, y, z)", Place(name))])
    root = PurePath(name.removesuffix(".gz")).stem if name != "-" else "aircraft"
    ids = unique_names([root, *(comment for _, comment, _ in read.rows)])
    items = [_mass_item(id, root, row, factors) for id, row in zip(ids[1:], read.rows, strict=True)]
    items = report_items_with_mass(items, "items", Place(name), findings)
    return report_table(source, [ReportItem(root, "", read.rows[0][0]), *items], has_units=has_units)


def _unit_factors(units: dict[str, tuple[float, str]]) -> tuple[tuple[float, float], bool]:
    """Return the factors of lengths and masses, and whether both are to SI units: their names are known."""
    length, of_length = units.get("Lunit", (1.0, ""))
    mass, of_mass = units.get("Munit", (1.0, ""))
    if of_length.lower() in _LENGTHS and of_mass.lower() in _MASSES:
        return (length * _LENGTHS[of_length.lower()], mass * _MASSES[of_mass.lower()]), True
    return (length, mass), False


def _mass_item(id: str, parent: str, row: tuple[int, str, list[float]], factors: tuple[float, float]) -> ReportItem:
    """Return the item of one line; without an inertia it is a point."""
    line, _, (mass, x, y, z, *own) = row
    length, of_mass = factors
    xx, yy, zz, xy, xz, yz = (value * of_mass * length * length for value in own)
    centre = x * length, y * length, z * length
    if not any(own):
        return ReportItem(id, parent, line, mass * of_mass, centre, point=True)
    return ReportItem(id, parent, line, mass * of_mass, centre, (xx, yy, zz, xy, xz, yz), "+", False)
