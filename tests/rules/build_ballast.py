"""Calls of ``ballast`` that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

import pytest

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

PARTS = """id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm]
TOP,,,,,
A,TOP,10,20,0,0
B,TOP,2,0,5,0
"""
POINTS = "id,x [mm],y [mm],z [mm],max mass [kg]\nP1,-100,0,0,5\n"


def ballast(folder: Path, *options: str, points: str = POINTS, limit: str = "Cx in -5..5 mm") -> list[str]:
    """Write both tables, and give the command line."""
    (folder / "bom.csv").write_text(PARTS)
    (folder / "points.csv").write_text(points)
    return ["ballast", str(folder / "bom.csv"), "--to", limit, "--at", str(folder / "points.csv"), *options]


@bad("MP670")
def an_empty_box(folder: Path) -> list[str]:
    return ballast(folder, limit="Cx in 5..-5 mm")


@bad("MP670")
def two_limits_that_leave_nothing(folder: Path) -> list[str]:
    return ballast(folder, "--to", "Cx >= 6 mm")


@bad("MP670")
def a_limit_without_a_unit(folder: Path) -> list[str]:
    return ballast(folder, limit="Cx in -5..5")


@bad("MP670")
def sigmas_that_the_table_does_not_state(folder: Path) -> list[str]:
    return ballast(folder, "--sigma", "2")


@good("MP670", "MP671", "MP672", "MP673")
def what_can_be_kept(folder: Path) -> list[str]:
    return ballast(folder, "--to", "Cx >= 1 mm", "--remove", "B")


@bad("MP671")
def a_point_without_a_place(folder: Path) -> list[str]:
    return ballast(folder, points=POINTS.replace("-100,0,0", "-100,,0"))


@bad("MP671")
def a_negative_stock(folder: Path) -> list[str]:
    return ballast(folder, points="id,x [mm],y [mm],z [mm],piece mass [kg],stock\nP1,-100,0,0,0.5,-2\n")


@good("MP671")
def stock_of_pieces(folder: Path) -> list[str]:
    return ballast(folder, points="id,x [mm],y [mm],z [mm],piece mass [kg],stock\nP1,-100,0,0,0.5,9\n")


@bad("MP672")
def an_item_that_is_not_there(folder: Path) -> list[str]:
    return ballast(folder, "--remove", "C")


@bad("MP672")
def the_root(folder: Path) -> list[str]:
    return ballast(folder, "--remove", "TOP")


@bad("MP673")
def too_little_mass(folder: Path) -> list[str]:
    pytest.importorskip("scipy", reason="ballast needs SciPy")
    return ballast(folder, points=POINTS.replace(",5\n", ",0.1\n"))
