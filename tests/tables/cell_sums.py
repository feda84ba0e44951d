"""Plain sums over named cells of a table, without the package: they check the numbers of ``manifest.toml``.

``cells`` of a case names the rows of the parts (``2-5,8``) and columns by their letters: ``mass`` (several are added
up), ``quantity``, ``center``, ``inertia`` or ``radii`` of gyration, ``unit``. ``times`` multiplies rows by the pieces
of the assemblies above them. ``total`` is the cell with the ``stated`` total, compared within ``rounding``. Cells of a
text file are fields of a line; ``decimal = ","`` reads 1.250,5 and ``encoding`` is the text's.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils import column_index_from_string

MARKS = "~×*P "
"""Signs of an estimate, of a quantity and of bold text next to a number."""
SIDES = {"F": 1, "A": -1, "P": 1, "S": -1}
"""Signs of fore, aft, port and starboard, written behind a number."""


def read_cells(path: Path, encoding: str = "utf-8", decimal: str = ".") -> Callable[[str], Any]:
    """Return a function from an address such as B7 (in text files: field 2 of line 7) to the value of the cell."""
    if path.suffix == ".xlsx":
        sheet = load_workbook(path, data_only=True).worksheets[0]
        return lambda address: sheet[address].value
    lines = path.read_text(encoding=encoding).splitlines()
    if path.suffix == ".md":
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    else:
        delimiter = max(";\t,", key=lambda sign: sum(line.count(sign) > 0 for line in lines))
        rows = list(csv.reader(lines, delimiter=delimiter))

    def value(address: str) -> str:
        match = re.fullmatch(r"([A-Z]+)(\d+)", address)
        assert match is not None, address
        fields, index = rows[int(match[2]) - 1], column_index_from_string(match[1]) - 1
        text = fields[index] if index < len(fields) else ""
        return text.replace(".", "").replace(",", ".") if decimal == "," else text

    return value


def number(value: Any) -> float:
    """Return the number in a cell, 0 where it is blank or a placeholder; a unit behind it is left out."""
    text = re.sub(r"(?<=\d) kg$", "", str(value or "").strip(MARKS))
    if re.fullmatch(r"-?\d+,\d{1,2}", text):  # decimal comma
        text = text.replace(",", ".")
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def position(value: Any) -> float:
    """Return a coordinate; a letter F, A, P or S behind it is its sign."""
    text = str(value or "")
    return number(text[:-1]) * SIDES[text[-1]] if text[-1:] in SIDES else number(text)


def row_numbers(text: str) -> list[int]:
    """Return the row numbers of ``7-10, 13``."""
    return [row for part in text.split(",") for row in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]


def masses_of(cell: Callable[[str], Any], cells: dict[str, Any]) -> dict[int, float]:
    """Return the mass of each row of parts: quantity times mass."""
    masses = {}
    for row in row_numbers(cells["rows"]):
        pieces = number(cell(f"{cells['quantity']}{row}")) if "quantity" in cells else 1.0
        unit = {"G": 1e-3}.get(cell(f"{cells['unit']}{row}"), 1.0) if "unit" in cells else 1.0
        masses[row] = pieces * unit * sum(number(cell(f"{column}{row}")) for column in cells["mass"].split())
    for rows, factor in cells.get("times", {}).items():
        for row in row_numbers(rows):
            masses[row] *= factor
    return masses


def center_of(cell: Callable[[str], Any], cells: dict[str, Any], masses: dict[int, float]) -> list[float]:
    """Return the mass-weighted mean of the columns of ``center``."""
    return [
        sum(m * position(cell(f"{column}{row}")) for row, m in masses.items()) / sum(masses.values())
        for column in cells["center"].split()
    ]


def inertia_of(
    cell: Callable[[str], Any], cells: dict[str, Any], masses: dict[int, float], center: list[float]
) -> list[float]:
    """Return Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre (products as elements of the tensor)."""
    total = [0.0] * 6
    for row, m in masses.items():
        arms = [number(cell(f"{c}{row}")) - at for c, at in zip(cells["center"].split(), center, strict=True)]
        x, y, z = (*arms, 0.0, 0.0)[:3]
        if "radii" in cells:
            kx, ky = (number(cell(f"{c}{row}")) for c in cells["radii"].split())
            own = [m * kx**2, m * ky**2, m * ky**2, 0.0, 0.0, 0.0]
        else:
            own = [number(cell(f"{c}{row}")) for c in cells["inertia"].split()]
        moved = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        total = [t + o + m * a for t, o, a in zip(total, own, moved, strict=True)]
    return total


def disagreements(path: Path, case: dict[str, Any]) -> list[str]:
    """List where the numbers of a case are not the sums over its cells."""
    sums = [_disagreements(path, case, case["cells"])] if "cells" in case else []
    for mass, cells in zip(case.get("readings", ()), case.get("reading_cells", ()), strict=False):
        sums.append(_disagreements(path, {"mass": mass}, cells))
    return [line for lines in sums for line in lines]


def _disagreements(path: Path, case: dict[str, Any], cells: dict[str, Any]) -> list[str]:
    cell = read_cells(path, cells.get("encoding", "utf-8"), cells.get("decimal", "."))
    masses = masses_of(cell, cells)
    mass = sum(masses.values())
    found = [("mass", mass, case["mass"])]
    center = center_of(cell, cells, masses) if "center" in cells else []
    if center:
        found += [(f"center {i}", *pair) for i, pair in enumerate(zip(center, case["center"], strict=True))]
    if "inertia" in cells or "radii" in cells:
        listed = case.get("inertia", case.get("unread_inertia", ()))
        inertia = inertia_of(cell, cells, masses, center)
        found += [(f"inertia {i}", *pair) for i, pair in enumerate(zip(inertia, listed, strict=True))]
    if "total" in cells:
        found.append(("stated total", number(cell(cells["total"])), cells["stated"]))
    wrong = [f"{name}: {value!r}, manifest {listed!r}" for name, value, listed in found if not _close(value, listed)]
    if "total" in cells and abs(cells["stated"] - mass) > cells["rounding"]:
        wrong.append(f"stated total {cells['stated']} is not the sum {mass!r} within rounding")
    return wrong


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-11 * max(1.0, abs(one))
