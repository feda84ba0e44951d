"""Masses that are likely slips: by a second number, or by their size alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.bom.rollup import rollup

SLIP = """\
Part No.,Part,Qty,Mass each [kg],Mass total [kg]
A-101,Bracket left,1,0.35,0.35
A-102,Bracket right,1,350,350
A-103,Arm,2,1.2,2.4
A-104,Plate,1,2.1,2.1
A-105,Cover,1,0.8,0.8
A-111,Base,1,11,11
,TOTAL,,,366.65
"""


def warnings(text: str, tmp_path: Path, **options: Any) -> list[tuple[str, str]]:
    path = tmp_path / "bom.csv"
    path.write_text(text, encoding="utf-8")
    bom = read_bom(path, **options)
    return [(f.rule, f.item) for f in bom.findings if f.rule in ("MP421", "MP422")]


def listing(*rows: str, header: str = "id,mass") -> str:
    return "\n".join([header, *rows]) + "\n"


def test_a_pair_a_thousand_times_apart(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(SLIP)
    (finding,) = [f for f in read_bom(tmp_path / "bom.csv").findings if f.rule == "MP421"]
    assert "350 kg (95.5 % of the mass)" in finding.message
    assert "Bracket left (the similar part) has 0.35 kg" in finding.message
    assert finding.place.line == 3


@pytest.mark.parametrize(
    ("left", "right"),
    [("Bracket LH", "Bracket RH"), ("Halter links", "Halter rechts"), ("Support gauche", "Support droit"),
     ("Панель левая", "Панель правая"), ("Panel -X", "Panel +X"), ("Tank 1", "Tank 2"),
     ("Flap, port", "Flap, starboard")],
)  # fmt: skip
def test_pairs_in_other_words(left: str, right: str, tmp_path: Path) -> None:
    rows = [f'"{left}",0.35', f'"{right}",350', "Arm,2", "Base,11"]
    assert warnings(listing(*rows), tmp_path) == [("MP421", right)]
    assert warnings(listing(*reversed(rows)), tmp_path) == [("MP421", right)]


@pytest.mark.parametrize("mass", ["345", "400", "35"])
def test_pairs_that_differ_otherwise_are_none(mass: str, tmp_path: Path) -> None:
    assert not warnings(listing("Bracket left,0.350", f"Bracket right,{mass}", "Arm,2", "Base,11"), tmp_path)


@pytest.mark.parametrize(
    ("typed", "total"),
    [("7400", "17.40"), ("7400000", "17.40"), ("0.0074", "17.40"), ("16.3142", "17.40"), ("3.3566", "17.40")],
)
def test_a_total_shows_the_slip(typed: str, total: str, tmp_path: Path) -> None:
    """7.4 in g, in mg, in t, in lb, and in kg where the others are in lb."""
    rows = [("Motor", "6.1"), ("Frame", "3.9"), ("Pump", typed)]
    text = listing(*(f"{name},{mass}" for name, mass in rows), f"Total,{total}")
    found = warnings(text, tmp_path)
    assert found == [("MP421", "Pump")]


def test_a_total_that_no_factor_gives_shows_none(tmp_path: Path) -> None:
    assert not warnings(listing("Motor,6.1", "Frame,3.9", "Pump,71", "Total,17.4"), tmp_path)


def test_a_total_that_several_masses_explain_names_none(tmp_path: Path) -> None:
    found = warnings(listing("Motor,6.1", "Pump,7400", "Valve,7400", "Total,7413.5"), tmp_path)
    assert not found


def test_one_leaf_outweighs_nine(tmp_path: Path) -> None:
    rows = [
        f"part {name},{mass}" for name, mass in zip("abcdefghi", (9, 10, 11, 12, 9.5, 10.5, 11.5, 9, 10), strict=True)
    ]
    found = warnings(listing("skid,20000", *rows), tmp_path)
    assert found == [("MP422", "skid")]


@pytest.mark.parametrize(
    "name",
    [
        "Propellant",
        "Xenon",
        "fuel (JP-8)",
        "Payload 2",
        "Kraftstoff",
        "Eau de ballast",
        "Combustible",
        "Топливо",
        "推进剤 燃料",
        "Hull",
    ],
)
def test_loads_are_none(name: str, tmp_path: Path) -> None:
    assert not warnings(listing(f'"{name}",20000', "a,9", "b,10", "c,11", "d,12"), tmp_path)


def test_a_load_by_the_assembly_above_it_is_none(tmp_path: Path) -> None:
    rows = ["s,,", "Ballast,s,", "block,Ballast,20000", "a,s,9", "b,s,10", "c,s,11"]
    assert not warnings(listing(*rows, header="id,parent,mass"), tmp_path)
    rows = [row.replace("Ballast", "Frame") for row in rows]
    assert warnings(listing(*rows, header="id,parent,mass"), tmp_path) == [("MP422", "block")]


def test_xenon_of_a_satellite_is_none(tmp_path: Path) -> None:
    rows = ["Structure,40", "Harness,9", "Tank,12", "Thruster,8", "Radio,0.4", "Screws,0.2", "Battery,7.4", "Xe,140"]
    assert not warnings(listing(*rows), tmp_path)


def test_three_hundred_times_and_half_of_the_mass(tmp_path: Path) -> None:
    """300 × 10 is not more than 300 times; 3001 is. Less than half of the mass is none, nor are two others."""
    assert not warnings(listing("x,3000", "a,10", "b,10", "c,10"), tmp_path)
    assert warnings(listing("x,3001", "a,10", "b,10", "c,10"), tmp_path) == [("MP422", "x")]
    assert not warnings(listing("x,3001", "y,3001", "a,10", "b,10", "c,10"), tmp_path)
    assert not warnings(listing("x,30010", "a,10", "b,10"), tmp_path)


def test_quantities_count(tmp_path: Path) -> None:
    header = "id,qty,mass"
    assert warnings(listing("x,310,10", "a,1,10", "b,1,10", "c,1,10", header=header), tmp_path) == [("MP422", "x")]
    assert not warnings(listing("x,1,3100", "a,20,10", "b,20,10", "c,20,10", header=header), tmp_path)


def test_a_slip_is_a_warning_and_the_total_is_as_typed() -> None:
    result = rollup(Bom.from_records([{"id": n, "mass": m} for n, m in (("x", 20000), ("a", 9), ("b", 10), ("c", 11))]))
    assert result.root.mass == 20030
    assert not result.has_errors
