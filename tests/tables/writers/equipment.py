"""An equipment list as it is sent round: title rows, two-row header with merged groups, a row of units, subtotals.

The same rows are written as a workbook and as csv. Contingency and totals are in columns of their own, the products of
inertia are blank, some leaves have no inertia, one mass is TBD, one number has a decimal comma, ``Ipoint`` is filled in
part, and the grand total is a little more than the sum of its rows.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font

TITLES = ("SMALL SATELLITE - EQUIPMENT LIST", "Issue 3, 12 May 2025", "Masses of one unit")
GROUPS = {0: "Equipment", 3: "Mass", 7: "Centre of gravity", 10: "Inertia about CoG"}
HEADER = (
    "Item", "No.", "Qty", "CBE", "Contingency", "Total CBE", "Total incl.", "X", "Y", "Z",
    "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "Ipoint",
)  # fmt: skip
UNITS = ("", "", "", "kg", "%", "kg", "kg", "m", "m", "m", *["kg m2"] * 6, "")

Part = tuple[str, int, str, int, str, str, str]
"""Name, quantity, mass, contingency, centre, moments of inertia, whether it is a point."""
EQUIPMENT: dict[str, tuple[Part, ...]] = {
    "Structure": (
        ("Panel +X", 1, "12.4", 5, "0.6 0 0.5", "1.10 0.55 0.56", ""),
        ("Panel -X", 1, "12.4", 5, "-0.6 0 0.5", "1.10 0.55 0.56", ""),
        ("Base plate", 1, "9.8", 5, "0 0 0.02", "0.90 0.92 1.80", ""),
        ("Top plate", 1, "7.2", 10, "0 0 1.0", "0.66 0.67 1.30", ""),
        ("Brackets", 8, "0.15", 20, "0.1 0.05 0.5", "", "yes"),
    ),
    "Power": (
        ("Battery", 2, "6.5", 5, "0.2 -0.1 0.25", "0.05 0.06 0.07", ""),
        ("PCDU", 1, "8.1", 10, "-0.2 -0.1 0.3", "0.06 0.08 0.07", ""),
        ("Solar array wing", 2, "11.0", 10, "0 0 0.7", "2.9 0.4 3.2", ""),
        ("Power harness", 1, "TBD", 30, "", "", ""),
    ),
    "Attitude control": (
        ("Reaction wheel", 4, "2.6", 5, "0.25 0.25 0.4", "0.011 0.011 0.02", ""),
        ("Star tracker", 2, "1.1", 5, "0.3 0.2 0.9", "", "yes"),
        ("Magnetorquer", 3, "1,4", 5, "0 0.3 0.45", "", ""),
        ("Gyro", 1, "2.9", 5, "-0.25 0.2 0.4", "0.01 0.01 0.012", ""),
    ),
    "Communication": (
        ("X-band transmitter", 2, "1.9", 10, "-0.3 0.15 0.6", "", ""),
        ("S-band transponder", 2, "3.2", 5, "-0.3 -0.15 0.6", "0.012 0.015 0.014", ""),
        ("Antenna", 2, "0.6", 20, "0 0 1.1", "", "yes"),
    ),
    "Thermal": (
        ("MLI", 1, "4.5", 20, "0 0 0.5", "", ""),
        ("Heaters", 12, "0.05", 20, "0 0 0.4", "", ""),
        ("Radiator", 2, "2.2", 10, "0 0.5 0.5", "0.09 0.03 0.11", ""),
    ),
}
EXCESS = 0.3
"""What the grand total states too much."""


def number_of(text: str) -> float:
    return 0.0 if text == "TBD" else float(text.replace(",", "."))


def basic_mass(part: Part) -> float:
    return part[1] * number_of(part[2])


def grown_mass(part: Part) -> float:
    return basic_mass(part) * (1 + part[3] / 100)


def equipment_rows() -> Iterator[list[str]]:
    """Give the rows below the header, as texts."""
    for number, (group, parts) in enumerate(EQUIPMENT.items(), 1):
        yield [group, str(number), *[""] * 15]
        for k, part in enumerate(parts, 1):
            name, quantity, mass, share, center, moments, point = part
            sums = ["TBD"] * 2 if mass == "TBD" else [f"{basic_mass(part):.3f}", f"{grown_mass(part):.3f}"]
            places = center.split() if center else [""] * 3
            inertia = moments.split() if moments else [""] * 3
            yield [name, f"{number}.{k}", str(quantity), mass, str(share), *sums, *places, *inertia, "", "", "", point]
        yield sum_row(f"Subtotal {group}", parts)
    yield sum_row("Total", [part for parts in EQUIPMENT.values() for part in parts], EXCESS)


def sum_row(label: str, parts: tuple[Part, ...] | list[Part], excess: float = 0.0) -> list[str]:
    sums = sum(map(basic_mass, parts)) + excess, sum(map(grown_mass, parts)) + excess
    return [label, "", "", "", "", *(f"{value:.1f}" for value in sums), *[""] * 10]


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    """Write the list as a spreadsheet exports it: merged groups leave blank cells."""
    blank = [""] * len(HEADER)
    groups = [GROUPS.get(j, "") for j in range(len(HEADER))]
    above = [[title, *blank[1:]] for title in TITLES]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*above, blank, groups, HEADER, UNITS, *rows])
    return path


def write_workbook(path: Path, rows: list[list[str]]) -> Path:
    """Write the list as a worksheet with its corner in B1, numbers as numbers, merged groups."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Equipment"
    for i, title in enumerate(TITLES, 1):
        sheet.cell(i, 2, title).font = Font(bold=i == 1, size=14 if i == 1 else 10)
    starts = [*GROUPS, len(HEADER)]
    for first, end in pairwise(starts):
        sheet.cell(5, first + 2, GROUPS[first]).font = Font(bold=True)
        # the last group ends before Ipoint
        sheet.merge_cells(start_row=5, end_row=5, start_column=first + 2, end_column=min(end, len(HEADER) - 1) + 1)
    for i, row in enumerate([HEADER, UNITS, *rows], 6):
        for j, text in enumerate(row, 2):
            if text:
                sheet.cell(i, j, float(text) if is_plain_number(text) and j > 3 else text)
    book.save(path)
    return path


def is_plain_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()
