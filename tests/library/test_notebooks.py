"""Values are shown in notebooks as accessible tables, with every text of the user escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import massprops_cli as mp

EVIL = "<b>&\"'A"
ROWS: list[dict[str, Any]] = [
    {"id": "SAT", "parent": ""},
    {"id": EVIL, "parent": "SAT", "mass [kg]": 3.0, "sigma_mass [kg]": 0.3},
    {"id": "PLD", "parent": "SAT", "mass [kg]": 5.0, "sigma_mass [kg]": 0.4},
]
BOM = mp.Bom.from_records(ROWS)


def checked(folder: Path) -> mp.Check:
    file = folder / "budget.toml"
    file.write_text('[[budget]]\nitem = "SAT"\nmass-max = "7.5 kg"\n', "utf-8")
    return mp.check(BOM, file)


def table_rows(value: Any) -> list[list[str]]:
    """Read the table as XML: the texts of the header and of every row."""
    root = ElementTree.fromstring(value._repr_html_())
    caption = root.find("caption")
    assert root.tag == "table"
    assert caption is not None
    assert caption.text
    head, body = root.findall("thead/tr/th"), root.findall("tbody/tr")
    assert {cell.get("scope") for cell in head} == {"col"}
    assert all([cell.tag for cell in row] == ["th"] + ["td"] * (len(head) - 1) for row in body)
    assert all(row[0].get("scope") == "row" for row in body)
    return [["".join(cell.itertext()) for cell in row] for row in (head, *body)]


def test_tables_and_results() -> None:
    assert table_rows(BOM)[1:3] == [["SAT", "", "", "", "", ""], [EVIL, "3", "0.3", "", "", ""]]
    shown = table_rows(mp.rollup(BOM))
    assert shown[0][:3] == ["id", "mass [kg]", "sigma_mass [kg]"]
    assert [row[:3] for row in shown[1:]] == [["SAT", "8", "0.5"], [EVIL, "3", "0.3"], ["PLD", "5", "0.4"]]


def test_findings() -> None:
    shown = table_rows(mp.validate(mp.Bom.from_records([{"id": "t", "parent": ""}, {"id": EVIL, "parent": "x<y"}])))
    assert shown[0] == ["rule", "severity", "place", "message", "hint"]
    assert ["MP305", "error"] in [row[:2] for row in shown]
    assert any("x<y" in row[3] for row in shown)


def test_analyses(tmp_path: Path) -> None:
    assert table_rows(checked(tmp_path))[1][:3] == ["SAT", "mass-max", "not kept"]
    assert table_rows(mp.whatif(BOM, set={f"{EVIL}.mass": 4.0}))[1] == ["SAT", "8", "9", "1"]
    assert [row[2:] for row in table_rows(mp.contributions(BOM))[1:]] == [["64.0%", "64.0%"], ["36.0%", "100.0%"]]
    new = mp.Bom.from_records([*ROWS[:1], {**ROWS[1], "mass [kg]": 3.5}, ROWS[2]])
    assert table_rows(mp.diff(BOM, new))[1] == [EVIL, "mass", "0.5"]


@pytest.mark.parametrize("n", [40, 41, 1240])
def test_long_tables_are_cut(n: int) -> None:
    leaves = [{"id": f"P{k}", "parent": "SAT", "mass": 1.0} for k in range(n - 1)]
    bom = mp.Bom.from_records([{"id": "SAT", "parent": ""}, *leaves])
    text = bom._repr_html_()
    assert text.count('<th scope="row">') == 40
    assert (f"{n - 40:,} more rows" in text) == (n > 40)
