# ruff: noqa: E501  (one part a line or two keeps the list of parts readable)
"""Make ``spacecraft.csv`` and ``spacecraft.xlsx``: a small Earth-observation satellite, invented for this project.

Every tensor is computed from a simple solid (box, plate, tube, cylinder, sphere) of the part's mass and size, turned
where the part is mounted at an angle, and rounded to four digits of its largest entry, as a supplier's data sheet would.
Frame: origin at the centre of the separation plane, +X along flight, +Z up the launch axis; metres and kilograms.

    python sample_data/make_spacecraft.py

Needs XlsxWriter. The files come out the same, byte for byte, every time.
"""

from __future__ import annotations

import csv
import datetime
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xlsxwriter

HERE = Path(__file__).parent
Matrix = list[list[float]]
Vector = tuple[float, float, float]

TEXT_COLUMNS = ["id", "parent", "name", "subsystem", "supplier", "qty", "uom"]
ENTRIES = ["xx", "yy", "zz", "xy", "xz", "yz"]
CENTER = ["Cx [m]", "Cy [m]", "Cz [m]"]
INERTIA = [f"I{e} [kg*m^2]" for e in ENTRIES]
HEADER = [
    *TEXT_COLUMNS,
    "mass [kg]",
    *CENTER,
    *INERTIA,
    "POIconv",
    "Ipoint",
    "sigma_mass [kg]",
    *(f"sigma_{name}" for name in CENTER),
    *(f"sigma_{name}" for name in INERTIA),
    "power_W",
]


def diagonal(x: float, y: float, z: float) -> Matrix:
    """Give a diagonal matrix."""
    return [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]


def box(mass: float, a: float, b: float, c: float) -> Matrix:
    """Give the tensor of a solid box with edges a, b, c along x, y, z, about its centre."""
    return diagonal(mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12)


def cylinder(mass: float, radius: float, length: float) -> Matrix:
    """Give the tensor of a solid cylinder along z, about its centre."""
    across = mass * (3 * radius * radius + length * length) / 12
    return diagonal(across, across, mass * radius * radius / 2)


def tube(mass: float, radius: float, length: float) -> Matrix:
    """Give the tensor of a thin tube along z, about its centre."""
    across = mass * (6 * radius * radius + length * length) / 12
    return diagonal(across, across, mass * radius * radius)


def sphere(mass: float, radius: float, factor: float = 0.4) -> Matrix:
    """Give the tensor of a sphere; factor 2/5 is solid, 2/3 a thin shell."""
    value = factor * mass * radius * radius
    return diagonal(value, value, value)


SOLIDS = {"box": box, "cylinder": cylinder, "tube": tube, "sphere": sphere}


def turned(tensor: Matrix, axis: str, degrees: float) -> Matrix:
    """Give R I Rᵀ for a turn about one axis of the frame."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    r = diagonal(1.0, 1.0, 1.0)
    r[i][i], r[i][j], r[j][i], r[j][j] = c, -s, s, c
    half = [[sum(r[p][q] * tensor[q][k] for q in range(3)) for k in range(3)] for p in range(3)]
    return [[sum(half[p][q] * r[k][q] for q in range(3)) for k in range(3)] for p in range(3)]


@dataclass(frozen=True)
class Part:
    """One leaf: where it hangs, what it weighs, where it stands, and the solid that stands for it.

    ``known`` is how well its numbers are known: sigma of mass in percent, of the centre in millimetres, of the inertia in percent.
    """

    id: str
    parent: str
    name: str
    supplier: str
    mass: float
    center: Vector
    solid: tuple[Any, ...] = ()
    turns: tuple[tuple[str, float], ...] = ()
    sign: str = "-"
    known: Vector = (3.0, 2.0, 8.0)
    qty: str = "1"
    uom: str = ""
    power: float = 0.0

    def tensor(self) -> Matrix:
        """Give the tensor about the part's own centre, in the axes of the frame."""
        shape, *size = self.solid
        tensor = SOLIDS[shape](self.mass, *size)
        for axis, degrees in self.turns:
            tensor = turned(tensor, axis, degrees)
        return tensor


ASSEMBLIES = [
    ("SAT", "", "Kestrel Earth-observation satellite"),
    ("STR", "SAT", "Structure"),
    ("STR-100", "STR", "Primary structure"),
    ("STR-200", "STR", "Secondary structure"),
    ("PLD", "SAT", "Payload"),
    ("PLD-100", "PLD", "Telescope"),
    ("PLD-150", "PLD-100", "Focal plane assembly"),
    ("EPS", "SAT", "Electrical power"),
    ("EPS-100", "EPS", "Battery"),
    ("EPS-300", "EPS", "Solar array wing +Y"),
    ("EPS-400", "EPS", "Solar array wing -Y"),
    ("AOC", "SAT", "Attitude and orbit control"),
    ("AOC-100", "AOC", "Reaction wheel assembly"),
    ("PRP", "SAT", "Propulsion"),
    ("CDH", "SAT", "Command and data handling"),
    ("COM", "SAT", "Communications"),
    ("THM", "SAT", "Thermal control"),
    ("HRN", "SAT", "Harness"),
    ("BAL", "SAT", "Balance masses"),
]
"""Assemblies: (id, parent, name); their numbers are for the roll-up to fill in."""

WEIGHED: Vector = (0.2, 1.0, 4.0)
DESIGNED: Vector = (5.0, 5.0, 12.0)
PANEL = 0.70

PARTS = [
    Part("STR-110", "STR-100", "Bottom panel", "Aerolith", 5.8, (0, 0, 0.01), ("box", PANEL, PANEL, 0.02)),
    Part("STR-120", "STR-100", "Mid deck", "Aerolith", 4.6, (0, 0, 0.45), ("box", 0.66, 0.66, 0.02)),
    Part("STR-130", "STR-100", "Top panel", "Aerolith", 5.2, (0, 0, 0.94), ("box", PANEL, PANEL, 0.02)),
    Part("STR-140", "STR-100", "Shear panel +X", "Aerolith", 4.1, (0.34, 0, 0.475), ("box", 0.02, PANEL, 0.91)),
    Part("STR-141", "STR-100", "Shear panel -X", "Aerolith", 4.1, (-0.34, 0, 0.475), ("box", 0.02, PANEL, 0.91)),
    Part("STR-142", "STR-100", "Shear panel +Y", "Aerolith", 3.9, (0, 0.34, 0.475), ("box", 0.66, 0.02, 0.91)),
    Part("STR-143", "STR-100", "Shear panel -Y", "Aerolith", 3.9, (0, -0.34, 0.475), ("box", 0.66, 0.02, 0.91)),
    Part("STR-150", "STR-100", "Separation ring", "Clampworks", 3.42, (0, 0, -0.03), ("tube", 0.2515, 0.06),
         known=WEIGHED),
    Part("STR-160", "STR-100", "Panel inserts and fasteners", "Aerolith", 0.0062, (0, 0, 0.47), qty="240"),
    Part("STR-210", "STR-200", "Star tracker bracket", "Aerolith", 0.62, (-0.21, 0.18, 1.0), ("box", 0.18, 0.14, 0.1),
         (("y", 25.0),), known=DESIGNED),
    Part("STR-220", "STR-200", "Antenna bracket", "Aerolith", 0.48, (0.28, -0.2, 1.01), ("box", 0.12, 0.12, 0.14),
         (("z", 30.0),), known=DESIGNED),
    Part("PLD-110", "PLD-100", "Primary mirror", "Optica Nord", 7.4, (0, 0, 0.56), ("cylinder", 0.165, 0.045),
         sign="+", known=WEIGHED),
    Part("PLD-120", "PLD-100", "Secondary mirror", "Optica Nord", 0.65, (0, 0, 1.02), ("cylinder", 0.045, 0.03),
         sign="+", known=WEIGHED),
    Part("PLD-130", "PLD-100", "Metering tube", "Optica Nord", 4.9, (0, 0, 0.8), ("tube", 0.185, 0.52), sign="+"),
    Part("PLD-140", "PLD-100", "Baffle", "Optica Nord", 1.7, (0.006, 0, 1.19), ("tube", 0.19, 0.26), (("y", 6.0),),
         sign="+"),
    Part("PLD-151", "PLD-150", "Detector unit", "Pixelwerk", 0.92, (0.03, -0.015, 0.49), ("box", 0.11, 0.09, 0.06),
         (("z", 15.0),), sign="+", known=WEIGHED, power=14.0),
    Part("PLD-152", "PLD-150", "Cold strap and radiator", "Pixelwerk", 0.74, (-0.13, 0.02, 0.5),
         ("box", 0.26, 0.16, 0.02), (("y", -12.0), ("z", 15.0)), sign="+"),
    Part("PLD-153", "PLD-150", "Front-end electronics", "Pixelwerk", 1.62, (0.09, 0.1, 0.5), ("box", 0.2, 0.14, 0.05),
         (("z", 15.0),), sign="+", power=18.5),
    Part("PLD-200", "PLD", "Instrument control unit", "Pixelwerk", 4.2, (-0.2, -0.18, 0.55), ("box", 0.24, 0.2, 0.14),
         sign="+", power=32.0),
    Part("EPS-110", "EPS-100", "Battery module A", "Voltaria", 4.95, (0.16, 0.19, 0.11), ("box", 0.22, 0.16, 0.13),
         known=WEIGHED),
    Part("EPS-120", "EPS-100", "Battery module B", "Voltaria", 4.95, (0.16, -0.19, 0.11), ("box", 0.22, 0.16, 0.13),
         known=WEIGHED),
    Part("EPS-130", "EPS-100", "Cell balancing board", "Voltaria", 0.38, (0.16, 0, 0.18), power=0.6),
    Part("EPS-200", "EPS", "Power conditioning and distribution unit", "Voltaria", 6.3, (-0.17, 0.16, 0.14),
         ("box", 0.3, 0.22, 0.18), power=21.0),
    Part("EPS-310", "EPS-300", "Inner panel", "Helios Arrays", 3.1, (0, 0.74, 0.62), ("box", 0.62, 0.66, 0.022),
         (("y", 12.0),)),
    Part("EPS-320", "EPS-300", "Outer panel", "Helios Arrays", 3.05, (0, 1.43, 0.62), ("box", 0.62, 0.66, 0.022),
         (("y", 12.0),)),
    Part("EPS-330", "EPS-300", "Hinge", "Helios Arrays", 0.29, (0, 0.38, 0.62), qty="2", known=WEIGHED),
    Part("EPS-410", "EPS-400", "Inner panel", "Helios Arrays", 3.1, (0, -0.74, 0.62), ("box", 0.62, 0.66, 0.022),
         (("y", 12.0),)),
    Part("EPS-420", "EPS-400", "Outer panel", "Helios Arrays", 3.05, (0, -1.43, 0.62), ("box", 0.62, 0.66, 0.022),
         (("y", 12.0),)),
    Part("EPS-430", "EPS-400", "Hinge", "Helios Arrays", 0.29, (0, -0.38, 0.62), qty="2", known=WEIGHED),
    *(
        Part(f"AOC-11{k}", "AOC-100", f"Reaction wheel {k}", "Gyrotek", 1.55,
             (round(0.13 * math.cos(math.radians(90 * k - 45)), 4),
              round(0.13 * math.sin(math.radians(90 * k - 45)), 4), 0.3),
             ("cylinder", 0.075, 0.07), (("y", 54.7), ("z", 90.0 * k - 45)), known=WEIGHED, power=4.2)
        for k in (1, 2, 3, 4)
    ),
    Part("AOC-120", "AOC-100", "Wheel bracket", "Aerolith", 1.9, (0, 0, 0.25), ("box", 0.34, 0.34, 0.06)),
    Part("AOC-210", "AOC", "Star tracker 1", "Stellar Eye", 1.12, (-0.23, 0.16, 1.09), ("cylinder", 0.06, 0.2),
         (("y", -35.0),), sign="+", known=WEIGHED, power=5.5),
    Part("AOC-220", "AOC", "Star tracker 2", "Stellar Eye", 1.12, (-0.2, 0.24, 1.09), ("cylinder", 0.06, 0.2),
         (("y", -35.0), ("z", -70.0)), sign="+", known=WEIGHED, power=5.5),
    Part("AOC-310", "AOC", "Magnetorquer X", "Gyrotek", 0.78, (0, 0.3, 0.05), ("cylinder", 0.018, 0.33),
         (("y", 90.0),), power=1.1),
    Part("AOC-320", "AOC", "Magnetorquer Y", "Gyrotek", 0.78, (-0.3, 0, 0.05), ("cylinder", 0.018, 0.33),
         (("x", 90.0),), power=1.1),
    Part("AOC-330", "AOC", "Magnetorquer Z", "Gyrotek", 0.78, (0.29, 0.29, 0.25), ("cylinder", 0.018, 0.33), power=1.1),
    Part("AOC-400", "AOC", "Magnetometer", "Gyrotek", 0.12, (0.3, -0.3, 0.93), qty="2", known=WEIGHED, power=0.4),
    Part("AOC-500", "AOC", "Coarse sun sensor +X", "Stellar Eye", 0.045, (0.36, 0, 0.9), known=WEIGHED),
    Part("AOC-510", "AOC", "Coarse sun sensor -X", "Stellar Eye", 0.045, (-0.36, 0, 0.9), known=WEIGHED),
    Part("AOC-600", "AOC", "Navigation receiver", "Stellar Eye", 0.9, (0.22, 0.05, 0.5), ("box", 0.16, 0.12, 0.06),
         power=6.0),
    Part("PRP-100", "PRP", "Xenon tank, dry", "Ionix", 2.95, (0, 0, 0.13), ("sphere", 0.11, 2 / 3), known=WEIGHED),
    Part("PRP-110", "PRP", "Xenon", "Ionix", 9.5, (0, 0, 0.13), ("sphere", 0.105, 0.4), known=(1.0, 3.0, 10.0)),
    Part("PRP-200", "PRP", "Feed system", "Ionix", 1.85, (-0.05, -0.12, 0.08), ("box", 0.24, 0.1, 0.08),
         (("z", 20.0),), known=DESIGNED, power=2.0),
    Part("PRP-300", "PRP", "Hall thruster", "Ionix", 1.3, (0, 0, -0.07), ("cylinder", 0.055, 0.09), known=WEIGHED),
    Part("PRP-400", "PRP", "Thruster supply unit", "Ionix", 4.4, (-0.19, -0.17, 0.13), ("box", 0.26, 0.2, 0.12),
         power=16.0),
    Part("CDH-100", "CDH", "On-board computer", "Bitforge", 3.6, (0.2, -0.16, 0.55), ("box", 0.24, 0.18, 0.15),
         power=16.0),
    Part("CDH-200", "CDH", "Mass memory", "Bitforge", 2.8, (0.2, 0.2, 0.55), ("box", 0.22, 0.16, 0.12), power=12.0),
    Part("CDH-300", "CDH", "Remote terminal unit", "Bitforge", 2.2, (-0.22, 0.2, 0.54), ("box", 0.2, 0.16, 0.1),
         power=7.0),
    Part("COM-100", "COM", "X-band transmitter", "Radiant", 1.72, (0.27, -0.1, 0.8), ("box", 0.18, 0.12, 0.07),
         power=46.0),
    Part("COM-110", "COM", "X-band antenna", "Radiant", 0.88, (0.28, -0.2, 1.12), ("cylinder", 0.09, 0.06),
         (("y", 20.0),)),
    Part("COM-200", "COM", "S-band transponder", "Radiant", 1.4, (0.27, 0.14, 0.8), ("box", 0.16, 0.12, 0.07),
         power=9.0),
    Part("COM-210", "COM", "S-band antenna +Z", "Radiant", 0.21, (0.1, 0.3, 0.99), known=WEIGHED),
    Part("COM-220", "COM", "S-band antenna -Z", "Radiant", 0.21, (0.3, 0.1, -0.03), known=WEIGHED),
    Part("THM-100", "THM", "Multi-layer insulation", "Isotherm", 2.6, (0, 0, 0.48), ("box", 0.95, 0.95, 1.25),
         known=(10.0, 10.0, 15.0)),
    Part("THM-200", "THM", "Radiator -Y", "Isotherm", 1.45, (0, -0.36, 0.5), ("box", 0.5, 0.012, 0.6)),
    Part("THM-300", "THM", "Heater", "Isotherm", 0.035, (0, 0, 0.4), qty="18", known=DESIGNED, power=1.5),
    Part("THM-400", "THM", "Thermistor", "Isotherm", 0.004, (0, 0, 0.5), qty="48", known=DESIGNED),
    Part("HRN-100", "HRN", "Main harness", "Cablecraft", 5.9, (-0.03, 0.02, 0.42), ("box", 0.6, 0.6, 0.8),
         (("y", 8.0),), known=(8.0, 15.0, 15.0)),
    Part("HRN-200", "HRN", "Coaxial cable", "Cablecraft", 0.085, (0.2, 0, 0.85), qty="6.5", uom="m", known=DESIGNED),
    Part("HRN-300", "HRN", "Connector", "Cablecraft", 0.018, (-0.05, 0, 0.4), qty="64", known=DESIGNED),
    Part("BAL-100", "BAL", "Balance mass +X", "Aerolith", 0.75, (0.33, 0.05, 0.02), known=WEIGHED),
    Part("BAL-200", "BAL", "Balance mass -Y", "Aerolith", 0.4, (-0.1, -0.33, 0.02), known=WEIGHED),
]  # fmt: skip


def number(value: float, digits: int) -> float | int:
    """Round to decimals and drop the fraction of a whole number, so that 5.0 is written 5."""
    rounded = round(value, digits) + 0.0
    return int(rounded) if rounded == int(rounded) else rounded


def decimals(largest: float, digits: int) -> int:
    """Give the decimals that leave so many significant digits of the largest entry."""
    return digits - 1 - math.floor(math.log10(largest))


def leaf_row(part: Part) -> list[Any]:
    """Give one leaf as a row: point masses have no inertia, products follow the row's own sign."""
    percent, millimetres, inertia_percent = part.known
    head = [part.id, part.parent, part.name, part.id[:3], part.supplier]
    quantity = float(part.qty) if "." in part.qty else int(part.qty)
    values: list[Any] = ["", "", "", "", "", ""]
    sigmas: list[Any] = ["", "", "", "", "", ""]
    if part.solid:
        i = part.tensor()
        sign = 1 if part.sign == "-" else -1
        six = [i[0][0], i[1][1], i[2][2], sign * i[0][1], sign * i[0][2], sign * i[1][2]]
        places = decimals(max(six), 4)
        values = [number(v, places) for v in six]
        spread = max(six) * inertia_percent / 100
        sigmas = [number(v * inertia_percent / 100, places + 1) for v in six[:3]]
        sigmas += [number(spread / 3, places + 1)] * 3
    return [
        *head, quantity, part.uom, part.mass, *(number(c, 4) for c in part.center), *values,
        part.sign, "false" if part.solid else "true",
        number(part.mass * percent / 100, decimals(part.mass * percent / 100, 2)),
        *[number(millimetres / 1000, 4)] * 3, *sigmas, number(part.power, 2),
    ]  # fmt: skip


def rows() -> list[list[Any]]:
    """Give the whole table, depth first, without its header."""
    blank = [""] * len([*CENTER, *INERTIA])
    table: list[list[Any]] = []
    known = {part.id: part for part in PARTS}
    children: dict[str, list[str]] = {}
    for id_, parent, _ in ASSEMBLIES:
        children.setdefault(parent, []).append(id_)
    for part in PARTS:
        children.setdefault(part.parent, []).append(part.id)
    names = {id_: (parent, name) for id_, parent, name in ASSEMBLIES}
    stack = list(reversed(children[""]))
    while stack:
        id_ = stack.pop()
        if id_ in known:
            table.append(leaf_row(known[id_]))
            continue
        parent, name = names[id_]
        subsystem = "" if id_ == "SAT" else id_[:3]
        table.append([id_, parent, name, subsystem, "", 1, "", "", *blank, "-", "false", "", *blank, ""])
        stack.extend(sorted(children[id_], reverse=True))
    return table


def write_csv(table: list[list[Any]], path: Path) -> None:
    """Write the table as UTF-8 text with commas."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(table)


def write_workbook(table: list[list[Any]], path: Path) -> None:
    """Write the workbook: the table, a summary with formulas and a chart, and notes."""
    with xlsxwriter.Workbook(str(path)) as book:
        book.set_properties({"title": "Kestrel mass properties", "created": datetime.datetime(2026, 1, 5)})
        fill_bom(book, book.add_worksheet("BOM"), table)
        fill_summary(book, book.add_worksheet("Summary"), table)
        fill_notes(book, book.add_worksheet("Notes"))


def fill_bom(book: Any, sheet: Any, table: list[list[Any]]) -> None:
    """Write the parts table, indented by depth, with its number formats, filters and validations."""
    header = book.add_format(
        {"bold": True, "bg_color": "#1F3864", "font_color": "#FFFFFF", "text_wrap": True, "valign": "top", "border": 1}
    )
    depths: dict[str, int] = {}
    for row in table:
        depths[row[0]] = depths.get(row[1], -1) + 1
    last = len(table)
    sheet.set_row(0, 32)
    sheet.write_row(0, 0, HEADER, header)
    formats: dict[tuple[int, bool, int], Any] = {}
    for i, row in enumerate(table, start=1):
        depth = depths[row[0]]
        is_assembly = row[HEADER.index("power_W")] == ""
        for j, value in enumerate(row):
            key = (j, is_assembly, depth)
            if key not in formats:
                formats[key] = book.add_format(cell_format(j, is_assembly, depth))
            if value == "" and not is_assembly:
                continue
            if j < HEADER.index("qty") or isinstance(value, str):
                sheet.write(i, j, value or None, formats[key])
            else:
                sheet.write_number(i, j, value, formats[key])
        sheet.set_row(i, None, None, {"level": min(depth, 7)})
    sheet.outline_settings(True, False, True, False)
    sheet.freeze_panes(1, 3)
    sheet.autofilter(0, 0, last, len(HEADER) - 1)
    sheet.set_column(0, 1, 10)
    sheet.set_column(2, 2, 38)
    sheet.set_column(3, len(HEADER) - 1, 12)
    for name, allowed in (("POIconv", ["+", "-"]), ("Ipoint", ["true", "false"])):
        column = HEADER.index(name)
        sheet.data_validation(1, column, last, column, {"validate": "list", "source": allowed})
    mass = HEADER.index("mass [kg]")
    sheet.conditional_format(1, mass, last, mass, {"type": "data_bar", "bar_color": "#9DC3E6", "bar_solid": True})
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)


def cell_format(column: int, is_assembly: bool, depth: int) -> dict[str, Any]:
    """Give one cell's look: assemblies bold on a tint, names indented, numbers with the decimals of their kind."""
    look: dict[str, Any] = {}
    if is_assembly:
        look |= {"bold": True, "bg_color": ("#D9E2F3", "#E9EFF9", "#F4F7FC", "#F9FBFE")[min(depth, 3)]}
    name = HEADER[column]
    if name == "name":
        look["indent"] = depth
    elif "kg*m^2" in name:
        look["num_format"] = "0.00000"
    elif "[m]" in name:
        look["num_format"] = "0.0000"
    elif "mass" in name:
        look["num_format"] = "0.000"
    elif name == "power_W":
        look["num_format"] = "0.0"
    elif name in ("qty", "uom", "POIconv", "Ipoint"):
        look["align"] = "center"
    return look


def fill_summary(book: Any, sheet: Any, table: list[list[Any]]) -> None:
    """Write formulas over the assembly rows of the table, and a bar chart of them."""
    title = book.add_format({"bold": True, "font_size": 14, "font_color": "#1F3864"})
    header = book.add_format({"bold": True, "bottom": 1})
    kilograms = book.add_format({"num_format": "0.00"})
    share = book.add_format({"num_format": "0.0%"})
    total = book.add_format({"bold": True, "top": 1, "num_format": "0.00"})
    sheet.write(0, 0, "Kestrel: subsystem masses (filled in by massprops rollup)", title)
    sheet.write_row(2, 0, ["Subsystem", "Rolled up", "Share", "Allocated", "Left"], header)
    column = chr(ord("A") + HEADER.index("mass [kg]"))
    rows_of = {row[0]: i for i, row in enumerate(table, start=2)}
    allocated = {"STR": 46, "PLD": 24, "EPS": 32, "AOC": 17, "PRP": 22, "CDH": 9.5, "COM": 5, "THM": 5.5, "HRN": 8.5,
                 "BAL": 2}  # fmt: skip
    names = {id_: name for id_, _, name in ASSEMBLIES}
    first, last = 4, 3 + len(allocated)
    for k, (id_, limit) in enumerate(allocated.items(), start=first):
        sheet.write(k - 1, 0, names[id_])
        sheet.write_formula(k - 1, 1, f"=BOM!{column}{rows_of[id_]}", kilograms, 0)
        sheet.write_formula(k - 1, 2, f"=IF(B${last + 1}=0,0,B{k}/B${last + 1})", share, 0)
        sheet.write_number(k - 1, 3, limit, kilograms)
        sheet.write_formula(k - 1, 4, f"=D{k}-B{k}", kilograms, limit)
    sheet.write(last, 0, "Satellite", total)
    sheet.write_formula(last, 1, f"=BOM!{column}{rows_of['SAT']}", total, 0)
    sheet.write_formula(
        last, 2, f"=SUM(C{first}:C{last})", book.add_format({"bold": True, "top": 1, "num_format": "0.0%"}), 0
    )
    sheet.write_formula(last, 3, f"=SUM(D{first}:D{last})", total, sum(allocated.values()))
    sheet.write_formula(last, 4, f"=D{last + 1}-B{last + 1}", total, sum(allocated.values()))
    sheet.set_column(0, 0, 28)
    sheet.set_column(1, 4, 12)
    chart = book.add_chart({"type": "bar"})
    for letter, label, colour in (("B", "rolled up", "#2E75B6"), ("D", "allocated", "#C9C9C9")):
        chart.add_series(
            {
                "name": label,
                "categories": f"=Summary!$A${first}:$A${last}",
                "values": f"=Summary!${letter}${first}:${letter}${last}",
                "fill": {"color": colour},
                "gap": 60,
            }
        )
    chart.set_title({"name": "Mass by subsystem [kg]"})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 640, "height": 400})
    sheet.insert_chart("G3", chart)


def fill_notes(book: Any, sheet: Any) -> None:
    """Write what a reader must know to use the numbers."""
    bold = book.add_format({"bold": True})
    notes = [
        ("Vehicle", "Kestrel is invented; its numbers are of the right size and describe no real satellite."),
        ("Frame", "origin at the centre of the separation plane; +X along flight, +Z up the launch axis"),
        ("Inertia", "about each row's own centre of mass, in the axes of the frame"),
        ("Products", "POIconv '-': the cell is the tensor entry, -∫xy dm; '+': the cell is +∫xy dm (optics suppliers)"),
        ("Quantity", "a row shows one piece; its parent counts it qty times"),
        ("Sigma", "one standard deviation of one piece"),
    ]
    for i, (name, text) in enumerate(notes):
        sheet.write(i, 0, name, bold)
        sheet.write(i, 1, text)
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, 1, 100)


if __name__ == "__main__":
    everything = rows()
    write_csv(everything, HERE / "spacecraft.csv")
    write_workbook(everything, HERE / "spacecraft.xlsx")
