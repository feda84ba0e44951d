"""Calls of transform and fix that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

HEAD = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,sigma_Cx,sigma_Cy,sigma_Cz\n"


def call(folder: Path, command: str, *options: str, tensor: str = "3,4,5,0,0,0", sigma: str = "1,0,0") -> list[str]:
    """Write a table of one part, and give the command line for it."""
    (folder / "table.csv").write_text(f"{HEAD}T,,,,,,,,,,,,-,,,\nA,T,55,1,0,0,{tensor},-,{sigma}\n")
    return [command, str(folder / "table.csv"), *options, "-o", str(folder / "out.csv")]


@bad("MP715")
def a_sigma_along_one_axis_turned_by_45_degrees(folder: Path) -> list[str]:
    return call(folder, "transform", "--rotate", "z 45 deg")


@good("MP715")
def a_quarter_turn(folder: Path) -> list[str]:
    return call(folder, "transform", "--rotate", "z 90 deg")


@good("MP715")
def equal_sigmas(folder: Path) -> list[str]:
    return call(folder, "transform", "--rotate", "z 45 deg", sigma="1,1,1")


@bad("MP716")
def moments_beyond_the_triangle(folder: Path) -> list[str]:
    return call(folder, "convert", "--fix", tensor="7.00,15.00,23.00,0,0,0")


@good("MP716")
def moments_on_the_triangle(folder: Path) -> list[str]:
    return call(folder, "convert", "--fix", tensor="8.00,15.00,23.00,0,0,0")
