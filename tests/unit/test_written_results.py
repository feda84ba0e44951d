"""Written results against the table: good ones of every format and option, and one changed cell, row or column."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings
from massprops_cli.verifications.outputs import compare_output
from massprops_cli.verifications.recomputation import Recomputation
from tests.examples import first

SAMPLES = Path(__file__).parents[2] / "sample_data"
ADDED = ("radii", "sigma", "principal", "coverage", "rho", "growth")
FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "feather", "md", "xlsx")
LINE = "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m]\nV,,,,,,\nW,V,2,,,,\na,W,3,6,1,2,3\nb,W,1,2,0,1,1\n"
UNITS = """id,parent,qty,mass,mass_unit,Cx,Cy,Cz,length_unit,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,inertia_unit,POIconv,sigma_mass
V,,,,kg,,,,m,,,,,,,kg*m^2,+,
W,V,2,,lb,,,,in,,,,,,,lb*in^2,-,
a,W,1,500,g,100,20,-5,mm,1000,2000,2500,10,20,30,g*mm^2,+,5
b,W,3,1.5,lb,1,2,3,ft,10,20,25,1,-2,3,lb*in^2,-,0.1
"""
COMMAS = "id;parent;Masse [kg];X [mm];Y [mm];Z [mm]\nW;;;;;\nA;W;0,5;100;2,5;0\nB;W;1,5;101;0;0\nC;W;2,0;102;1,5;0\n"
GROWN = """id,parent,qty,mass [lb],Cx [in],Cy [in],Cz [in],Ixx [lb*in^2],Iyy [lb*in^2],Izz [lb*in^2],Ixy [lb*in^2],\
Ixz [lb*in^2],Iyz [lb*in^2],POIconv,sigma_mass [lb],mga [%],method
V,,,,,,,,,,,,,-,,,
A,V,2,,,,,,,,,,,-,,,
A1,A,3,1.25,3,1,0.5,2,3,4,0.1,0.2,0.3,+,0.05,10,weighed
A2,A,1,0.7,-2,1,4,1,1.5,1.2,0.1,-0.2,0.3,-,0.02,5,
B,V,1,3,1,1,1,5,5,6,0.5,0,0,-,0.1,20,estimated
"""
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "line masses": (LINE, {"mass_is": "line"}),
    "total quantities": (LINE.replace("a,W,3", "a,W,6").replace("b,W,1", "b,W,2"), {"qty_is": "total"}),
    "unit columns": (UNITS, {}),
    "unit columns, rewritten": (UNITS, {"units": "SI"}),
    "decimal commas": (COMMAS, {}),
    "two sigmas": (GROWN, {"sigma_level": 2}),
    "below a root": (GROWN, {"root": "A"}),
    "about the origin": (GROWN, {"inertia_about": "origin"}),
    "own values": (GROWN, {"assembly_values": "own"}),
    "other units": (GROWN, {"units": "kg,mm"}),
}
RULES = {"MP903", "MP904", "MP905", "MP906", "MP907"}


def faults(answer: mp.Verification) -> list[str]:
    return [str(one) for one in answer.findings if one.rule in RULES]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "bom.csv").write_text(GROWN, encoding="utf-8")
    return tmp_path / "bom.csv"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("every", first([False, True], 1))
def test_good_results_of_every_format_agree(tmp_path: Path, case: str, every: bool) -> None:
    """Every other format in each case, the others in the next one."""
    text, options = CASES[case]
    (tmp_path / "bom.csv").write_text(text, encoding="utf-8")
    result = mp.rollup(tmp_path / "bom.csv", **options)
    answer = mp.verify(result)
    assert faults(answer) == []
    number = [*CASES].index(case)
    for k, suffix in enumerate(FORMATS):
        if not every and (k + number) % 2:
            continue
        out = tmp_path / f"out.{suffix}"
        level = 3 if k % 3 == 2 else 1
        result.save(out, add=ADDED if (k // 2 + number) % 2 else (), sigma_level=level)
        found = Findings()
        assert compare_output(answer.recomputed, str(out), 1e-11, found) >= 20, suffix
        assert [str(one) for one in found if one.rule in RULES] == [], suffix


def test_other_units_are_read_from_the_headers(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    mp.rollup(table, units="kg,mm").save(out)
    assert faults(mp.verify(table, out)) == []
    text = out.read_text(encoding="utf-8")
    assert "mass [kg]" in text
    out.write_text(text.replace("mass [kg]", "mass [g]", 1), encoding="utf-8")
    assert faults(mp.verify(table, out)) != []


@pytest.mark.parametrize(
    "case",
    first([((), 11), (ADDED, 59), ((), 5), (ADDED, 29), ((), 1), (ADDED, 13)], 2),
    ids=["some", "added", "fifth", "29", "all", "13"],
)
def test_every_changed_cell_of_a_text_file_is_noticed(
    table: Path, tmp_path: Path, case: tuple[tuple[str, ...], int]
) -> None:
    added, step = case
    out, wrong = tmp_path / "out.csv", tmp_path / "wrong.csv"
    result = mp.rollup(table)
    result.save(out, add=added)
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    places = [(i, j) for i in range(len(rows)) for j in range(len(rows[0]))]
    recomputed = mp.verify(result).recomputed
    for k, (i, j) in enumerate(places[::step]):
        text = rows[i][j]
        try:
            other = ("", repr(float(text) * (1 + 1e-9)), repr(-float(text)))[k % 3] if float(text) else "1e-9"
        except ValueError:
            other = "3.3" if not text else ("", f"{text}x")[k % 2]
        changed = [list(row) for row in rows]
        changed[i][j] = other
        with wrong.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(changed)
        found = Findings()
        compare_output(recomputed, str(wrong), 1e-11, found)
        assert any(one.rule in RULES for one in found), (i + 1, rows[0][j], text, other)


def test_rows_and_columns_that_differ_are_named(table: Path, tmp_path: Path) -> None:
    out, result = tmp_path / "out.csv", mp.rollup(table)
    result.save(out)
    rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines()]
    cases = {
        "lacks A2": [row for row in rows if row[0] != "A2"],
        "has, and the table lacks, A1 A": [*rows[:4], rows[3], *rows[4:]],
        "lacks columns Cx [in]": [[*row[:4], *row[5:]] for row in rows],
        "lacks columns sigma_mass [lb]": [row[:-3] for row in rows],
    }
    for words, changed in cases.items():
        out.write_text("\n".join(map(",".join, changed)) + "\n", encoding="utf-8")
        assert any(words in text for text in faults(mp.verify(result, out))), words


@pytest.mark.parametrize("cells", first([[("Rollup", "C3"), ("BOM", "D3")], [("Rollup", "C1")]], 1), ids=str)
def test_sheets_of_a_workbook_are_compared(table: Path, tmp_path: Path, cells: list[tuple[str, str]]) -> None:
    out, result = tmp_path / "out.xlsx", mp.rollup(table)
    result.save(out)
    for sheet, cell in cells:
        book: Any = openpyxl.load_workbook(out)
        one = book[sheet][cell]
        one.value = one.value * (1 + 1e-9) if isinstance(one.value, float) else f"{one.value}x"
        book.save(tmp_path / "wrong.xlsx")
        found = faults(mp.verify(result, tmp_path / "wrong.xlsx"))
        assert any(sheet in text for text in found), (sheet, cell)


def test_axes_coverage_shares_and_growth_are_recomputed(table: Path) -> None:
    answer = mp.verify(table)
    recomputed, root = answer.recomputed, answer.result.root_item
    assert isinstance(recomputed, Recomputation)
    groups = {one.quantity for one in answer.checks}
    assert {"principal moments", "principal axes", "sigma_principal", "correlations", "coverage", "growth"} <= groups

    def value(name: str) -> float:
        found = recomputed.column(name)
        assert found is not None
        return float(found[root])

    body = answer.result.root
    assert body.inertia is not None
    moments = [value(f"principal_{k}") for k in (1, 2, 3)]
    assert moments == pytest.approx(np.linalg.eigvalsh(body.inertia), rel=1e-13)
    axes = np.array([[value(f"axis_{k}{a}") for a in "xyz"] for k in (1, 2, 3)])
    assert axes @ body.inertia @ axes.T == pytest.approx(np.diag(moments), abs=1e-12 * moments[2])
    assert np.linalg.det(axes) == pytest.approx(1)
    mass = 2 * (3 * 1.25 + 0.7) + 3
    assert value("coverage_leaves") == 3
    assert value("share_weighed") == pytest.approx(2 * 3 * 1.25 / mass)
    assert value("share_not_stated") == pytest.approx(2 * 0.7 / mass)
    grown = 2 * (3 * 1.25 + 0.7 * 1.05) + 3 * 1.2  # weighed parts do not grow
    assert value("predicted_mass") == pytest.approx(grown)
    assert value("allowance_percent") == pytest.approx(100 * (grown / mass - 1))


@pytest.mark.parametrize("name", ["principal_2", "axis_1x", "rho_mass_Cx", "sigma_principal_1"])
def test_a_changed_result_of_other_kinds_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    from massprops_cli.verifications import verification

    real = verification.derived_column

    def changed(result: Any, wanted: str) -> Any:
        found = real(result, wanted)
        return found * (1 + 1e-8) if wanted == name and found is not None else found

    monkeypatch.setattr(verification, "derived_column", changed)
    found = faults(mp.verify(SAMPLES / "spacecraft.csv"))
    assert len(found) == 1
    assert name in found[0]


def test_a_sigma_that_is_not_written_or_of_unknown_ones_is_noticed(table: Path, tmp_path: Path) -> None:
    result = mp.rollup(table)
    sigmas = result.rollup.sigmas
    assert sigmas is not None
    from dataclasses import replace

    without = replace(result, rollup=replace(result.rollup, sigmas=None, covariances=None))
    assert any("sigma_mass" in text for text in faults(mp.verify(without)))
    (tmp_path / "open.csv").write_text(GROWN.replace(",0.02,", ",,"), encoding="utf-8")
    partial = mp.rollup(tmp_path / "open.csv")
    assert faults(mp.verify(partial)) == []
    known = partial.rollup.sigmas
    assert known is not None
    all_known = replace(partial.rollup, sigmas=replace(known, known=None))
    assert any("sigma_mass" in text for text in faults(mp.verify(replace(partial, rollup=all_known))))


def test_the_certificate_is_a_section_of_a_report(table: Path, tmp_path: Path) -> None:
    result = mp.rollup(table)
    result.report(tmp_path / "with.md", sections=["headline", "certificate"])
    text = (tmp_path / "with.md").read_text(encoding="utf-8")
    assert "All numbers agree within 1e-11" in text
    assert "| principal axes | " in text
    result.report(tmp_path / "without.md")
    assert "Recomputation" not in (tmp_path / "without.md").read_text(encoding="utf-8")


def test_mass_without_a_method_is_not_mature(table: Path, tmp_path: Path) -> None:
    plan = '[[milestone]]\nname = "PDR"\n[[task]]\nname = "a"\nmilestone = "PDR"\nby = "maturity"\n'
    (tmp_path / "plan.toml").write_text(plan)
    (one,) = mp.control_plan(table, tmp_path / "plan.toml").tasks
    assert one.state == "open"
    assert one.value == pytest.approx(100 * (1 - 2 * 0.7 / (2 * (3 * 1.25 + 0.7) + 3)))


def test_axes_of_turned_parts_have_no_correlations_by_the_method_massprops(tmp_path: Path) -> None:
    result = mp.rollup(Path(__file__).parents[2] / "sample_data" / "rover.csv", "massprops")
    result.save(tmp_path / "out.csv", add=("principal",))
    assert faults(mp.verify(result, tmp_path / "out.csv")) == []


def test_a_result_without_a_table_is_an_error(table: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("\n\n", encoding="utf-8")
    with pytest.raises(mp.UsageError, match="result has no table"):
        mp.verify(table, tmp_path / "out.csv")


def test_a_column_named_in_a_row_above_the_header_is_missed(tmp_path: Path) -> None:
    table, out = tmp_path / "bom.csv", tmp_path / "out.csv"
    table.write_text(
        "Item,Qty,Mass,,Position,,\n,,unit (kg),line (kg),x (m),y (m),z (m)\nPump,2,30,60,1,0,0\nMotor,2,45,90,2,0,0\n"
    )
    result = mp.rollup(table)
    result.save(out)
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[row[0], *row[2:]] for row in rows])
    assert any("lacks columns column 2" in text for text in faults(mp.verify(result, out)))


def test_totals_of_a_list_in_other_units_agree(tmp_path: Path) -> None:
    table, out = tmp_path / "bom.csv", tmp_path / "out.csv"
    table.write_text("Item,Mass (kg)\nHull,540\nRibs,85\nSubtotal hull,625\nMotor,190\nTotal,815\n", encoding="utf-8")
    mp.rollup(table, units="lb,in").save(out)
    assert "Mass (lb)" in out.read_text(encoding="utf-8")
    assert faults(mp.verify(table, out)) == []


@pytest.mark.parametrize(("change", "is_noticed"), [(1e-8, True), (1e-10, False)])
def test_a_number_is_compared_to_the_tolerance(table: Path, tmp_path: Path, change: float, is_noticed: bool) -> None:
    written = tmp_path / "out.csv"
    mp.rollup(table).save(written)
    rows = list(csv.reader(written.read_text(encoding="utf-8").splitlines()))
    rows[1][5] = repr(float(rows[1][5]) * (1 + change))  # Cy of the root
    with written.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    assert bool(faults(mp.verify(table, written, tolerance=1e-9))) is is_noticed
