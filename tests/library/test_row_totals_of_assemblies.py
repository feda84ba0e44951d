"""Masses of all pieces that rows of assemblies state: compared with their parts, and read again from a result."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import massprops_cli as mp


def differing(folder: Path, *rows: str) -> list[str]:
    """Roll up rows with masses and row totals; return the items whose row total differs, with its remedy."""
    path = folder / "bom.csv"
    path.write_text("\n".join(("level,id,qty,mass [kg],line mass [kg]", *rows)), encoding="utf-8")
    found = [one for one in mp.rollup(path).findings if one.rule == "MP411"]
    assert all("ignore" in one.remedy and "own" not in one.remedy for one in found)
    return [one.item for one in found]


LEAVES = "2,C,4,1.50,6.00", "2,D,2,3.00,6.00"


@pytest.mark.parametrize(
    ("top", "branch", "wrong"),
    [
        ("24.0", "24.0", []),
        ("24.0", "", []),
        ("24.0", "0", []),  # a product with a blank mass
        ("30.0", "24.0", ["S"]),
        ("24.0", "12.0", ["B"]),  # of one of the two pieces
        ("24.01", "24.01", []),  # rounded: row totals of 6.00 are 5.995 to 6.005
    ],
)
def test_row_totals_of_assemblies(top: str, branch: str, wrong: list[str], tmp_path: Path) -> None:
    assert differing(tmp_path, f"0,S,1,,{top}", f"1,B,2,,{branch}", *LEAVES) == wrong


def test_row_totals_in_the_product(tmp_path: Path) -> None:
    """Two B of three A: 6 B, and 24 C in the product."""
    rows = "0,S,1,,36.0", "1,A,3,,36.0", "2,B,2,,36.0", "3,C,4,1.50,36.0"
    assert differing(tmp_path, *rows) == []
    assert differing(tmp_path, *rows[:2], "2,B,2,,30.0", rows[3]) == ["B"]


def test_result_is_read_again_before_it_was_calculated(tmp_path: Path) -> None:
    """The formulas of assemblies have no saved values after a roll-up, because these values changed."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    rows = [["S", None, 1, None], ["A", "S", 2, 3], ["B", "S", 1, None], ["C", "B", 4, 1.5]]
    sheet.append(["id", "parent", "qty", "mass [kg]", "line mass [kg]"])
    for i, row in enumerate(rows, 2):
        sheet.append([*row, f"=C{i}*D{i}" if row[3] is None else row[2] * row[3]])
    book.save(tmp_path / "bom.xlsx")
    result = mp.rollup(tmp_path / "bom.xlsx")
    result.save(tmp_path / "result.xlsx")
    again = mp.rollup(tmp_path / "result.xlsx")
    assert again.rollup.bodies.mass[again.root_item] == 12
    assert {one.severity.value for one in again.findings if one.rule == "MP116"} == {"note"}


SHAPES = (
    "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],shape,dims,density [kg/m^3]\n"
    "R,,,,,,,,\nA,R,,0,0,0,box,a=50 mm; b=30 mm; c=20 mm,2700\n"
)


def test_shape_of_an_assembly_is_a_question(tmp_path: Path) -> None:
    """A box of 0.081 kg with an item of 1 kg below it: both, or the item alone."""
    path = tmp_path / "bom.csv"
    path.write_text(SHAPES + "P,A,1,0,0,0,,,\n", encoding="utf-8")
    with pytest.raises(mp.FindingsError, match="MP717"):
        mp.rollup(path)
    for meaning, mass in (("own", 1.081), ("check", 1.0)):
        result = mp.rollup(path, assembly_values=meaning)
        assert result.rollup.bodies.mass[result.root_item] == pytest.approx(mass)


def test_item_below_a_shape_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text(SHAPES, encoding="utf-8")
    with pytest.raises(mp.FindingsError, match="MP717"):
        mp.whatif(mp.read_bom(path), new=["P parent=A mass=1 kg"])
