"""Columns and rows that options and commands choose: nothing else is read as a mass, nothing counts twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from massprops_cli.tables.columns.mass_headings import has_other_unit

OWN_CHAIN = (
    "id,parent,mass\nleg,,0.10336\ncoxa,leg,0.10336\nfemur,coxa,0.016654\ntibia,femur,0.12021\nfoot,tibia,0.12021\n"
)


def write(folder: Path, text: str, name: str = "bom.csv") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return name


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "header", ["Cost [€]", "Cost $(of ordered quantity)", "Price EUR", "Voc (V)", "Pmp (W/m2)", "Size (mm)"]
)
def test_a_column_with_another_unit_is_not_offered_as_the_mass(run, tmp_path: Path, header: str) -> None:
    name = write(tmp_path, f"Part,{header}\nBattery,12\nMotor,30\n")
    shown = run("rollup", name).output
    assert "MP244" in shown
    assert "mass=" not in shown


def test_units_of_mass_are_offered() -> None:
    assert not any(map(has_other_unit, ("Dry (kg)", "Weight [lbf]", "Total / g", "Rated", "Actual (as weighed)")))


def test_a_count_is_not_offered_as_the_mass(run, tmp_path: Path) -> None:
    shown = run("rollup", write(tmp_path, "Part,Quantity Required\nTube,4\nScrew,20\n")).output
    assert "mass='Quantity Required'" not in shown


def test_a_mapped_row_total_is_not_multiplied(run, tmp_path: Path) -> None:
    result = run("rollup", write(tmp_path, "Part,Qty,Amount\nA,2,10\nB,3,9\n"), "--map", "line_mass=Amount")
    assert result.exit_code == 0
    assert "mass   19" in result.output  # 10 + 9


def test_a_mapped_column_called_total_is_a_question(run, tmp_path: Path) -> None:
    name = write(tmp_path, "Part,Qty,Total\nA,2,10\nB,3,9\n")
    result = run("rollup", name, "--map", "mass=Total")
    assert result.exit_code == 1
    assert "total 47: " in result.output  # 2 × 10 + 3 × 9
    assert "total 19: " in result.output
    assert run("rollup", name, "--map", "mass=Total", "--mass-is", "line").exit_code == 0


def test_two_columns_for_one_quantity_are_rejected(run, tmp_path: Path) -> None:
    name = write(tmp_path, "id,mass a,mass b\nA,1,2\n")
    result = run("rollup", name, "--map", "mass=mass a", "--map", "mass=mass b")
    assert result.exit_code == 2
    assert "--map is given twice for mass: mass=mass a and mass=mass b" in result.output
    assert run("rollup", name, "--map", "mass=mass a", "--map", "mass=mass a").exit_code == 0


@pytest.mark.parametrize("option", ["--skip-row", "--count-row"])
def test_a_row_that_does_not_exist_is_reported(run, tmp_path: Path, option: str) -> None:
    name = write(tmp_path, "Part,Mass\nTube,4\nScrew,20\n")
    result = run("rollup", name, option, "Tubes")
    assert result.exit_code == 1
    assert f"{option} Tubes: no such row; the nearest is Tube" in result.output
    assert run("rollup", name, option, "Tube").exit_code == 0
    assert run("rollup", name, option, "row:3").exit_code == 0


def test_no_command_counts_a_total_row_as_a_part(run, tmp_path: Path) -> None:
    rows = "".join(f"P{k},{k + 2},5\n" for k in range(6))  # 2 + 3 + … + 7 + 5.1 = 32.1
    below = "Contingency (5%),5.1,2.8\n,,\nTOTAL AUW,~60,100%\n"
    shown = run("rollup", write(tmp_path, f"Component,Mass (g),% of AUW\n{rows}{below}")).output
    assert "MP415  TOTAL AUW differs from the sum of all rows above" in shown
    assert "--layout flat" not in shown
    assert "--count-row 'TOTAL AUW'" not in shown.partition("\nnext:")[2]
    assert "total 32.1 g, contradicts the stated total: " in shown


def test_no_command_is_printed_where_no_mass_can_be_computed(run, tmp_path: Path) -> None:
    shown = run("rollup", write(tmp_path, "id,parent,colour\nA,,\nB,A,red\n")).output
    assert "column of masses is missing" in shown
    assert "--keep-going" not in shown


def test_a_maximum_mass_is_a_limit(run, tmp_path: Path) -> None:
    name = write(tmp_path, "Component,Mass (g)\nBus,1200\nRadio,90.5\nBattery,779\nTotal,2069.5\n3U Max Mass,4800\n")
    result = run("rollup", name)
    assert result.exit_code == 0
    assert "2069.5" in result.output
    assert "MP415" not in result.output


def test_own_masses_are_no_totals(run, tmp_path: Path) -> None:
    shown = run("rollup", write(tmp_path, OWN_CHAIN), "--assembly-values", "own").output
    assert "MP421" not in shown


def test_sheets_are_listed_once(run, tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for title in ("Bus", "Payload"):
        sheet = book.create_sheet(title)
        for row in (("id", "mass"), ("A", 1), ("B", 2)):
            sheet.append(row)
    book.save(tmp_path / "bom.xlsx")
    shown = run("rollup", "bom.xlsx").output
    assert "2 sheets could be the table: 'Bus', 'Payload'\n" in shown
