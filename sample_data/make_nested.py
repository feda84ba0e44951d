"""Make ``nested.csv``: assemblies in assemblies, to see what becomes of uncertainties on their way up.

Every assembly holds three parts, or two parts and two or three assemblies half its size. Masses, places and sizes are
drawn; a part is a solid box, its mass known to 5 %, its centre to 2 % of its size and its inertia to 10 %.

    python sample_data/make_nested.py

The file comes out the same, byte for byte, every time.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

LEVELS = 6
"""Levels of the tree, the parts among them."""
TEN = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
HEADER = ["id", "parent", *TEN, "POIconv", "Ipoint", *(f"sigma_{name}" for name in TEN)]
SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA = 0.05, 0.02, 0.10
Vector = tuple[float, ...]


def part(draw: random.Random, center: Vector, size: float) -> list[str]:
    """Give the cells of a solid box with edges of about half of ``size``, somewhere around a centre."""
    mass = 40.0 * size * draw.lognormvariate(0.0, 0.8)
    at = [c + draw.uniform(-size, size) for c in center]
    a, b, c = (size * draw.uniform(0.2, 0.8) for _ in "xyz")
    moments = [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]
    sigmas = [SIGMA_MASS * mass, *(SIGMA_CENTER * edge for edge in (a, b, c)), *(SIGMA_INERTIA * i for i in moments)]
    off_diagonal = [0.3 * SIGMA_INERTIA * max(moments)] * 3
    values = [mass, *at, *moments, 0.0, 0.0, 0.0]  # its edges lie along the axes
    return [*(f"{x:.5g}" for x in values), "-", "FALSE", *(f"{s:.2g}" for s in sigmas + off_diagonal)]


def rows(draw: random.Random, name: str, parent: str, center: Vector, size: float, level: int) -> Iterator[list[str]]:
    """Give an assembly's row and those of everything below it."""
    yield [name, parent, *[""] * 10, "-", "FALSE", *[""] * 10]
    inner = draw.choice((2, 3)) if level < LEVELS - 2 else 0
    for k in range(1, inner + (3 if inner else 4)):
        at = tuple(c + draw.uniform(-size, size) for c in center)
        if k <= inner:
            yield from rows(draw, f"{name}.{k}", name, at, size / 2, level + 1)
        else:
            yield [f"{name}.{k}", name, *part(draw, at, size / 2)]


def write(path: Path) -> None:
    """Write the table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEADER)
        table.writerows(rows(random.Random(16), "N", "", (0.0, 0.0, 0.0), 4.0, 0))


if __name__ == "__main__":
    write(Path(__file__).parent / "nested.csv")
