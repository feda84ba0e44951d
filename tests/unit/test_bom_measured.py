"""Units of measure in quantities and masses: they multiply, or do not fit and are rejected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from tests.unit.bom_tables import only, reported


def rail(qty: str | None, mass: str, uom: str | None = None, **options: object) -> Bom:
    """Read a frame that holds a rail, and nothing else."""
    rows = [
        {"id": "Frame", "parent": None, "qty": "1", "UoM": None, "mass [kg]": None},
        {"id": "Rail", "parent": "Frame", "qty": qty, "UoM": uom, "mass [kg]": mass},
    ]
    return Bom.from_records(rows, **options)


def weight(*cells: str | None, **options: object) -> float:
    bom = rail(*cells, **options)
    assert not [f for f in bom.findings if f.severity.value == "error"]
    return float(mp.rollup(bom).root.mass)


@pytest.mark.parametrize(
    "qty", ["4 pcs", "4 ea", "4 EA", "4 Stk.", "4 off", "4x", "x4", "X 4", "4 ×", "4 шт.", "4個", "4pc"]
)
def test_pieces(qty: str) -> None:
    bom = rail(qty, "1.5")
    assert float(mp.rollup(bom).root.mass) == 6.0
    assert only(bom.findings, "MP230").message.startswith("qty has 1 cell with a unit")
    assert not reported(bom.findings, "MP219")


@pytest.mark.parametrize(
    ("qty", "uom", "mass", "weighs"),
    [
        ("3 m", None, "1.2 kg/m", 3.6),
        ("3", "m", "1.2 kg/m", 3.6),
        ("3", "MTR", "1200 g/m", 3.6),
        ("3000 mm", None, "1.2 kg/m", 3.6),
        ("3", "m", "1.2 kg per m", 3.6),
        ("10", "ft", "2 kg/m", 10 * 0.3048 * 2),
        ("2.5", "m²", "8 kg/m²", 20.0),
        ("0.5", "m3", "1000 kg/m^3", 500.0),
        ("3 m", "m", "1.2", 3.6),
        ("3", "EA", "1.2 kg/pc", 3.6),
        (None, None, "1.2 kg/ea", 1.2),
        ("3", "N/A", "1.2 kg", 3.6),
    ],
)
def test_units_of_measure_multiply(qty: str | None, uom: str | None, mass: str, weighs: float) -> None:
    assert weight(qty, mass, uom) == pytest.approx(weighs, rel=1e-15)


@pytest.mark.parametrize(
    ("qty", "uom", "mass"),
    [
        ("3", None, "1.2 kg/m"),
        ("3", "EA", "1.2 kg/m"),
        (None, None, "1.2 kg/m"),
        ("3 pcs", None, "1.2 kg/m"),
        ("3", "m", "8 kg/m²"),
        ("3 m", "EA", "1.2"),
        ("3 m", "mm", "1.2"),
        ("4 pcs", "m", "1.2"),
        ("3", "m", "1.2 kg/ea"),
    ],
)
def test_what_does_not_fit_is_rejected(qty: str | None, uom: str | None, mass: str) -> None:
    finding = only(rail(qty, mass, uom).findings, "MP237")
    assert (finding.item, finding.place.row) == ("Rail", 3)


@pytest.mark.parametrize("qty", ["2 pairs", "3 sets", "2 kg", "4 x 2", "x", "TBD", "1,234 m", "3'-4\""])
def test_other_words_are_no_quantity(qty: str) -> None:
    assert only(rail(qty, "1.5").findings, "MP205").item == "Rail"


def test_a_mass_of_a_line_is_not_per_metre() -> None:
    assert only(rail("3 m", "1.2 kg/m", mass_is="line").findings, "MP205").item == "Rail"


@pytest.mark.parametrize(
    ("unit", "per", "remedy"),
    [
        ("kg/m", "m", "write kg/m after each mass of one m, and a unit of mass in the header"),
        ("lb per ft", "ft", "write lb/ft after each mass of one ft, and a unit of mass in the header"),
        ("kg/pc", "pc", "pass --unit mass=kg if all quantities are in pieces"),
    ],
)
def test_a_header_of_masses_of_one_measure_is_rejected(unit: str, per: str, remedy: str) -> None:
    finding = only(Bom.from_records([{"part": "Rail", "qty": "3", f"mass [{unit}]": "1.2"}]).findings, "MP207")
    assert finding.message == (f"mass: unit is a mass per {per}, and the column includes masses of assemblies: {unit}")
    assert finding.remedy == remedy


def test_a_part_used_in_lengths_of_two_units() -> None:
    names = ("parent", "child", "qty", "UoM", "mass [kg]")
    rows = [("W", "A", "3", "m", "1.2 kg/m"), ("W", "V", "1", None, None), ("V", "A", "300", "cm", "1.2 kg/m")]
    bom = Bom.from_records([dict(zip(names, row, strict=True)) for row in rows], layout="edges")
    assert only(bom.findings, "MP237").severity.value == "error"


def test_a_mass_of_a_metre_stays_one_under_other_units(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    table, once, twice = tmp_path / "a.csv", tmp_path / "once.csv", tmp_path / "twice.csv"
    table.write_text("id,parent,qty,mass [kg]\nt,,1,\na,t,12500 mm,0.08 kg/m\nb,t,2 pcs,1.5\n")
    assert massprops("rollup", table, "-o", once, "--units", "g,mm").exit_code == 0
    assert once.read_text() == "id,parent,qty,mass [g]\nt,,1,4000\na,t,12500 mm,0.08 kg/m\nb,t,2 pcs,1500\n"
    assert massprops("rollup", once, "-o", twice).exit_code == 0
    assert twice.read_text() == once.read_text()


def test_a_total_does_not_make_a_mass_of_a_metre_one_of_a_line() -> None:
    names = ("part", "qty", "mass [kg]")
    rows = [("Rail", "3 m", "1.2 kg/m"), ("Bolt", "2", "1"), ("Total", None, "2.2")]
    bom = Bom.from_records([dict(zip(names, row, strict=True)) for row in rows])
    assert float(mp.rollup(bom).root.mass) == pytest.approx(5.6, rel=1e-15)
    assert not reported(bom.findings, "MP251")
