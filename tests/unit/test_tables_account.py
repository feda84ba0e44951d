"""Columns of numbers that nothing explains: reported about, or used where a stated total decides."""

from __future__ import annotations

import io

import pytest

import massprops as mp
from massprops_cli.bom.bom import Bom


def read(text: str, **options: object) -> Bom:
    return mp.read_bom(io.BytesIO(text.encode()), format="csv", **options)


def ambiguous(bom: Bom) -> list[str]:
    return [finding.value for finding in bom.findings if finding.rule == "MP253"]


LIST = "Part,{},Mass (kg)\nPlate,1,2\nArm,6,3\nClamp,12,0.5\n"


@pytest.mark.parametrize("header", ["Zahl im Satz", "Set", "", "Trains per car"])
def test_whole_numbers_that_nothing_explains_are_a_question(header: str) -> None:
    text = LIST.format(header)
    assert len(ambiguous(read(text))) == 1
    # 1 · 2 + 6 · 3 + 12 · 0.5 = 26; 2 + 3 + 0.5 = 5.5
    assert mp.rollup(read(text, map={"qty": "col:2"})).root.mass == 26
    assert mp.rollup(read(text, ignore_columns=["col:2"])).root.mass == 5.5


@pytest.mark.parametrize(("total", "mass"), [("26", 26), ("26.0", 26)])
def test_a_stated_total_decides(total: str, mass: float) -> None:
    bom = read(LIST.format("Set") + f"Total,,{total}\n")
    assert ambiguous(bom) == []
    assert mp.rollup(bom).root.mass == mass
    assert "the stated total agrees only with it" in str([f.message for f in bom.findings])


def test_a_total_of_the_masses_alone_decides_too() -> None:
    bom = read(LIST.format("Set") + "Total,,5.5\n")
    assert ambiguous(bom) == []
    assert mp.rollup(bom).root.mass == 5.5


def test_a_total_that_nothing_gives_decides_nothing() -> None:
    assert ambiguous(read(LIST.format("Set") + "Total,,7\n")) == ["Set"]


@pytest.mark.parametrize(
    "header", ["Power (W)", "Cost", "TRL", "Year", "Lead time (weeks)", "Drawing", "Height", "Mass old (kg)", "Zone"]
)
def test_numbers_of_another_kind_are_not_ambiguous(header: str) -> None:
    assert ambiguous(read(LIST.format(header))) == []


@pytest.mark.parametrize("cells", ["123", "012", ("2019", "2021", "2020"), ("1.5", "2", "3"), "111", "101"])
def test_running_numbers_years_and_fractions_are_not_ambiguous(cells: str) -> None:
    rows = "".join(f"part {k},{cell},{k + 1.5}\n" for k, cell in enumerate(cells))
    assert ambiguous(read(f"Part,Set,Mass (kg)\n{rows}")) == []


def test_units_are_known_by_the_cells_whatever_the_header() -> None:
    text = "Part,Weight,Zusatz\nPlate,500,g\nArm,2,kg\n"
    assert mp.rollup(read(text)).root.mass in (2500, 2.5)
