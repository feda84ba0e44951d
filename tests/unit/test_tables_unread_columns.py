"""The one note on columns of numbers that are not read, and columns named by place."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.account import _nearest_quantity

TABLE = (
    "Part,,Mass,Price [EUR],Mass bus,Mass bus,Pos,Remark\na,3,1,2.5,7,8,1,x\nb,4.5,2,2.5,7,8,2,y\nc,4,2,2.5,7,8,3,z\n"
)


def read(tmp_path: Path, text: str = TABLE, **options: Any) -> Bom:
    path = tmp_path / "bom.csv"
    path.write_text(text, encoding="utf-8")
    return read_bom(path, **options)


def notes(bom: Bom) -> list[str]:
    return [f.message for f in bom.findings if f.rule == "MP271"]


def test_one_note_lists_all_with_an_example_and_an_option(tmp_path: Path) -> None:
    (message,) = notes(read(tmp_path))
    assert message == (
        "numeric columns are not read: col:2 (3), Price [EUR] (2.5), col:5 (7; --map mass=col:5 instead of Mass), "
        "col:6 (8; --map mass=col:6 instead of Mass)"
    )


@pytest.mark.parametrize(
    ("place", "mass"), [("col:B", 11.5), ("col:2", 11.5), ("col:F", 24), ("col:6", 24), ("col:c", 5)]
)
def test_a_column_is_named_by_place(place: str, mass: float, tmp_path: Path) -> None:
    assert rollup(read(tmp_path, map={"mass": place})).root.mass == mass


@pytest.mark.parametrize("place", ["col:Z", "col:0", "col:", "col:9"])
def test_a_place_outside_the_table_is_an_error(place: str, tmp_path: Path) -> None:
    assert "MP204" in {f.rule for f in read(tmp_path, map={"mass": place}).findings}


def test_a_header_of_that_text_goes_first(tmp_path: Path) -> None:
    assert rollup(read(tmp_path, "id,mass,col:2\na,1,5\n", map={"mass": "col:2"})).root.mass == 5


def test_places_in_a_worksheet_are_its_own(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for j, column in enumerate(("C", "D", "E")):
        for i, row in enumerate((("id", "mass", "mass 2"), ("a", 1, 5), ("b", 2, 6))):
            book.active[f"{column}{i + 3}"] = row[j]
    book.save(tmp_path / "b.xlsx")
    assert rollup(read_bom(tmp_path / "b.xlsx", map={"mass": "col:E"})).root.mass == 11
    assert rollup(read_bom(tmp_path / "b.xlsx", map={"mass": "col:5"})).root.mass == 11


def test_places_in_other_options(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    bom = read(tmp_path, where="col:B = 4", map={"mass": "Mass"})
    assert rollup(bom).root.mass == 2
    with pytest.raises(UsageError, match="no such column"):
        read(tmp_path, where="col:Q = 4")
    result = massprops("rollup", tmp_path / "bom.csv", "--sum", "col:B", "--map", "mass=Mass", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.output
    assert "col:2 (3)" not in result.output


@pytest.mark.parametrize("option", ["--sum", "--max"])
def test_columns_that_are_rolled_up_are_not_listed(option: str, tmp_path: Path, massprops: Callable[..., Any]) -> None:
    (tmp_path / "p.csv").write_text("id,mass,power_W\na,1,3\nb,2,4\n")
    result = massprops("rollup", tmp_path / "p.csv", option, "power_W", "-v", "-o", tmp_path / "o.csv")
    assert "MP271" not in result.output
    assert "MP271" in massprops("rollup", tmp_path / "p.csv", "-v", "-o", tmp_path / "q.csv").output


@pytest.mark.parametrize("header", ["total_mass", "coverage_leaves", "predicted_mass"])
def test_columns_of_a_roll_up_are_not_listed(header: str, tmp_path: Path) -> None:
    assert not notes(read(tmp_path, f"id,mass,{header}\na,1,3\nb,2,4\n"))


def test_text_and_row_numbers_are_not_listed(tmp_path: Path) -> None:
    assert not notes(read(tmp_path, "Row,id,mass,Remark\n10,a,1,3 off\n20,b,2,new\n30,c,2,1\n"))


@pytest.mark.parametrize("header", ["±", "Tolerance", "mass uncertainty [kg]"])
def test_spread_without_its_level_has_the_options_for_it(header: str) -> None:
    """σ of a sum of two independent masses at two σ of 0.1: 0.05·√2."""
    rows = [{"id": "t", "parent": "", "mass [kg]": "", header: ""}]
    rows += [{"id": name, "parent": "t", "mass [kg]": "2", header: "0.1"} for name in "ab"]
    (finding,) = [one for one in Bom.from_records(rows).findings if one.rule == "MP271"]
    assert "--sigmas-are 1 if the numbers are one standard deviation (2 and 3 likewise)" in finding.remedy
    assert "mass_min and mass_max" in finding.remedy
    words = shlex.split(finding.remedy)
    name, equals, text = words[words.index("--map") + 1].partition("=")
    assert (name, equals, text) == ("sigma_mass", "=", header)
    result = rollup(Bom.from_records(rows, map={name: text}, sigma_level=2))
    assert result.root.sigma_mass == pytest.approx(0.05 * 2**0.5, rel=1e-12)


def test_spreads_of_several_quantities_are_mapped_to_each() -> None:
    assert [_nearest_quantity(text) for text in ("± Cx", "± mass [kg]", "Ixx tolerance", "uncertainty CG z")] == [
        "sigma_Cx", "sigma_mass", "sigma_Ixx", "sigma_Cz",
    ]  # fmt: skip
