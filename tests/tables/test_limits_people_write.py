"""Limits, margins and growth in the forms of engineers' tables: each is checked, or a finding states that it is not."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from massprops_cli import UsageError, check, read_bom, rollup
from massprops_cli.tables.account import limit_of_heading

HEAD = "id,parent,mass [kg],Mass limit [kg]"


def checked(tmp_path: Path, text: str, **options: object):
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    return check(rollup(read_bom(path, **options), keep_going=True))


def verdicts(outcome) -> dict[str, tuple[bool, float | None]]:
    return {one.item: (one.kept, one.value) for one in outcome.verdicts}


def rules(outcome) -> set[str]:
    return {one.rule for one in (*outcome.of_table, *outcome.budget_findings)}


@pytest.mark.parametrize("label", ["Limit", "Mass limit", "Allocation", "Not-to-exceed", "NTE", "Not to exceed"])
@pytest.mark.parametrize("column", ["CBE", "MEV"])
def test_limit_row_in_either_column_of_masses_limits_the_root(tmp_path, label, column):
    cell = "16,," if column == "CBE" else ",,16"
    text = f"name,CBE [kg],MGA [%],MEV [kg]\nA,10,10,11\nB,5,10,5.5\nTotal,15,,16.5\n{label},{cell}\n"
    outcome = checked(tmp_path, text)
    assert verdicts(outcome) == {"list": (False, pytest.approx(16.5))}  # 11 + 5.5 > 16


@pytest.mark.parametrize(
    ("row", "finding"), [("Limit,TBD,", "limit is not checked: TBD"), ("Limit,,14 kg", "14 kg"), ("Limit,,14", "14")]
)
def test_limit_row_that_is_not_read_is_named(tmp_path, row, finding):
    outcome = checked(tmp_path, f"name,mass [kg],NTE [kg]\nA,10,12\nB,5,\nTotal,15,\n{row}\n")
    assert any(finding in one.message for one in outcome.budget_findings if one.rule == "MP610")


def test_minimum_in_a_row(tmp_path):
    outcome = checked(tmp_path, "name,mass [kg]\nA,10\nB,5\nTotal,15\nMin limit,16\n")
    assert verdicts(outcome) == {"list": (False, pytest.approx(15.0))}


@pytest.mark.parametrize(
    ("heading", "limit"),
    [
        ("Not-to-exceed [kg]", ("mass-max", "high")),
        ("MaxMass", ("mass-max", "high")),
        ("MassLimit [kg]", ("mass-max", "high")),
        ("Mass cap [kg]", ("mass-max", "high")),
        ("Ceiling (kg)", ("mass-max", "high")),
        ("Capacity [kg]", ("", "")),
        ("max_mass [kg]", ("mass-max", "high")),
        ("Cx limit min", ("center-x", "low")),
        ("Cz upper limit [mm]", ("center-z", "high")),
        ("Y limit max [mm]", ("center-y", "high")),
        ("Aft limit [mm]", ("center-x", "either")),
        ("Maximum expected mass [kg]", ("", "")),
        ("X max [mm]", ("", "")),
        ("Box X [mm]", ("", "")),
    ],
)
def test_headings_of_limits(heading, limit):
    assert limit_of_heading(heading) == limit


def workbook(path: Path, header: list[str], rows: list[list[object]], formats: dict[str, str]) -> Path:
    book = openpyxl.Workbook()
    for row in (header, *rows):
        book.active.append(row)
    for cell, code in formats.items():
        book.active[cell].number_format = code
    book.save(path)
    return path


@pytest.mark.parametrize("heading", ["Required margin [%]", "Required margin", "Min margin (%)"])
def test_percentage_format_of_a_required_margin_is_what_it_shows(tmp_path, heading):
    rows = [["S", None, None, None, None], ["A", "S", 10, 11, 0.2]]
    path = workbook(tmp_path / "b.xlsx", [*HEAD.split(","), heading], rows, {"E3": "0.0%"})
    outcome = check(path)
    (margin,) = (one for one in outcome.verdicts if one.rule == "MP603")
    assert not margin.kept  # (11 − 10)/10 is 10 %, and 20 % is required


@pytest.mark.parametrize(("code", "is_fault"), [('0" g"', True), ("0%", True), ('0" kg"', False), ("0.00", False)])
def test_number_format_of_a_limit_shows_its_unit_or_is_an_error(tmp_path, code, is_fault):
    rows = [["S", None, None, None], ["A", "S", 10, 9]]
    outcome = check(workbook(tmp_path / "b.xlsx", HEAD.split(","), rows, {"D3": code}))
    faults = [one.message for one in outcome.budget_findings if one.rule == "MP239"]
    shown = code.strip('0" ')
    assert faults == [f"number format of Mass limit [kg] shows {shown} (the column is in kg)"] * is_fault
    assert [one.kept for one in outcome.verdicts] == ([] if is_fault else [False])


def test_predicted_mass_of_the_only_assembly_is_growth(tmp_path):
    text = "id,parent,mass [kg],Predicted mass [kg],Mass limit [kg]\nS,,,17.25,16.6\nA,S,10,,\nB,S,5,,\n"
    assert verdicts(checked(tmp_path, text)) == {"S": (False, pytest.approx(17.25))}


@pytest.mark.parametrize(
    ("growth", "cells"),
    [
        ("Predicted mass [kg]", ("", "9", "6")),
        ("Growth [kg]", ("", "-1", "0.5")),
        ("Predicted mass [kg]", ("14", "", "")),
    ],
)
def test_negative_growth_as_a_mass_is_an_error(tmp_path, growth, cells):
    whole, first, second = cells
    text = f"id,parent,mass [kg],{growth},Mass limit [kg]\nS,,,{whole},15.4\nA,S,10,{first},\nB,S,5.5,{second},\n"
    assert "MP622" in rules(checked(tmp_path, text))


def test_predicted_mass_below_the_mass_by_rounding_is_no_fault(tmp_path):
    text = "id,parent,mass [kg],Predicted mass [kg],Mass limit [kg]\nS,,,,20\nA,S,10.02,10.0,\nB,S,5.5,6.0,\n"
    assert "MP622" not in rules(checked(tmp_path, text))


@pytest.mark.parametrize("unit", ["-", "1", "see note 3"])
def test_growth_column_with_a_remark_is_never_dropped(tmp_path, unit):
    text = f"id,parent,mass [kg],mga [{unit}],Mass limit [kg]\nS,,,,17\nA,S,10,20,\nB,S,5,10,\n"
    assert verdicts(checked(tmp_path, text)) == {"S": (False, pytest.approx(12 + 5.5))}


def test_growth_table_of_shares_is_ambiguous(tmp_path):
    (tmp_path / "g.csv").write_text("category,concept,design\nstructure,0.25,0.12\nelectronics,0.30,0.15\n")
    text = "id,parent,mass [kg],category,maturity\nS,,,,\nA,S,10,structure,design\nB,S,5,electronics,concept\n"
    with pytest.raises(UsageError, match=r"0\.3 % or 30 %"):
        checked(tmp_path, text, growth_table=str(tmp_path / "g.csv"))


def test_growth_table_with_semicolons(tmp_path):
    (tmp_path / "g.csv").write_text("category;concept;design\nstructure;25;12,5\nelectronics;30 %;15\n")
    text = f"{HEAD},category,maturity\nS,,,17.7,,\nA,S,10,,structure,design\nB,S,5,,electronics,concept\n"
    outcome = checked(tmp_path, text, growth_table=str(tmp_path / "g.csv"))
    assert verdicts(outcome) == {"S": (False, pytest.approx(10 * 1.125 + 5 * 1.3))}


def test_stated_total_of_predicted_masses_is_the_total_of_the_table(tmp_path):
    text = "name,mass [kg],Predicted mass [kg],NTE [kg]\nA,10.00,11.00,\nB,5.00,5.50,\nTotal,15.00,17.25,18\n"
    outcome = checked(tmp_path, text)
    (differs,) = (one for one in outcome.of_table if one.rule == "MP415")
    assert "17.25" in differs.message
    assert "16.5" in differs.message


def test_part_without_growth_counts_with_its_mass(tmp_path):
    text = f"{HEAD},mga [%]\nS,,,14,\nA,S,10,,10\nB,S,5,,\n"
    (verdict,) = checked(tmp_path, text).verdicts
    assert not verdict.kept
    assert not verdict.is_undecided  # 11 + 5 is above 14 whatever the growth of B


def test_required_margin_without_a_limit_is_named(tmp_path):
    text = f"{HEAD},Required margin [%]\nS,,,20,\nA,S,10,,5\nB,S,5,,5\n"
    found = [one.message for one in checked(tmp_path, text).budget_findings if one.rule == "MP610"]
    assert len(found) == 2
    assert all("its row states no limit of the mass" in message for message in found)


def test_root_named_by_a_letter_is_no_second_row_of_the_header(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("id,name,parent,mass [kg]\nSAT,S,,\n1,Box,SAT,10\n2,Lid,SAT,5\n")
    assert rollup(path)["SAT"].mass == 15


def test_shared_uncertainty_of_the_configuration_applies_to_check(tmp_path, monkeypatch):
    from math import erf, sqrt

    from typer.testing import CliRunner

    from massprops_cli.cli.app import app

    monkeypatch.chdir(tmp_path)
    Path("massprops.toml").write_text('[report]\ncorrelate = "all"\n')
    Path("b.csv").write_text("id,parent,mass [kg],sigma_mass [kg]\nS,,,\nA,S,10,0.3\nB,S,5,0.3\n")
    Path("budget.toml").write_text('[[budget]]\nitem = "S"\nmass-max = "15.5 kg"\nprobability-min = 0.85\n')
    done = CliRunner().invoke(app, ["check", "b.csv", "--budget", "budget.toml"])
    assert done.exit_code == 1
    assert f"{(1 + erf(0.5 / 0.6 / sqrt(2))) / 2:.6f}" in done.output  # σ = 0.3 + 0.3


LOW = [
    "Lower limit (kg)",
    "Low limit (kg)",
    "Limit low (kg)",
    "Mass lower limit (kg)",
    "Lower control limit (kg)",
    "Min limit",
]
HIGH = [
    "Ceiling",
    "Capability",
    "Hard limit",
    "Design limit",
    "Limit (max)",
    "Upper limit",
    "Alloc. (kg)",
    "DTM (kg)",
    "MPV (kg)",
]


@pytest.mark.parametrize("heading", LOW)
def test_lower_limits_are_the_least(tmp_path, heading):
    outcome = checked(tmp_path, f"id,parent,mass [kg],{heading}\nS,,,\nA,S,8.2,9\nB,S,8.2,7\n")
    assert verdicts(outcome) == {"A": (False, 8.2), "B": (True, 8.2)}


@pytest.mark.parametrize("heading", HIGH)
@pytest.mark.parametrize("cells", [("20 kg", "13 kg"), ("≤ 20 kg", "13 kg max")])
def test_limits_with_units_in_their_cells(tmp_path, heading, cells):
    outcome = checked(
        tmp_path, f"id,parent,mass [kg],{heading}\nS,,,{cells[0]}\nA,S,12.5,{cells[1]}\nB,S,9.25,no limit\n"
    )
    assert verdicts(outcome) == {"S": (False, 21.75), "A": (True, 12.5)}


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ("Lower limit,210,", False), ("Minimum mass,200,", True), ("NTE (lb),400,", False), ("Limit [lb],450,", True),
        ("NTE mass (g),210000,", True), ("GVWR,190,", False), ("Payload capacity,210,", True), ("Max,190,", False),
    ],
)  # fmt: skip
def test_every_row_of_limits_below_a_total_is_checked(tmp_path, row, kept):
    """120.5 + 80.2 = 200.7 kg; 400 lb = 181.4 kg, 450 lb = 204.1 kg."""
    outcome = checked(tmp_path, f"name,mass (kg),NTE (kg)\nA,120.5,130\nB,80.2,90\nTotal,200.7,\n{row}\n")
    assert verdicts(outcome) == {"A": (True, 120.5), "B": (True, 80.2), "list": (kept, pytest.approx(200.7))}


@pytest.mark.parametrize("row", ["NTE 190 kg,,", "Limit: 190,,", "Limit,#N/A,", "Min margin,15,", "NTE,22,,,75"])
def test_rows_of_limits_that_are_not_checked_are_named(tmp_path, row):
    head = "name,mass (kg),Cx (mm),Cy (mm),Cz (mm)"
    outcome = checked(tmp_path, f"{head}\nA,12.5,10,0,100\nB,8.2,120,5,50\nTotal,20.7,53.6,2,80.2\n{row}\n")
    assert "MP610" in rules(outcome)


def test_the_largest_of_a_column_is_no_limit(tmp_path):
    outcome = checked(tmp_path, "name,mass (kg),NTE\nA,120.5,121\nB,80.2,\nTotal,200.7,\nMax,120.5,\n")
    assert verdicts(outcome) == {"A": (True, 120.5)}


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ("Min margin,15", False),
        ("Min margin,9", True),
        ("Required margin (%),9", False),
        ("Required margin (%),10", False),
        ("Required margin,4 %", True),
        ("Required margin,9", True),  # kg
    ],
)
def test_required_margin_in_a_row(tmp_path, row, kept):
    """210 − 200.7 = 9.3 kg, 4.6 % of the mass."""
    outcome = checked(tmp_path, f"name,mass (kg)\nA,120.5\nB,80.2\nTotal,200.7\nLimit,210\n{row}\n")
    verdict = [one for one in outcome.verdicts if one.item == "list"][-1]
    assert verdict.kept == kept
    assert "margin" in verdict.requirement or verdict.limit != 210  # the row counts
    assert all(one.kept for one in outcome.verdicts) == kept


@pytest.mark.parametrize(
    "heading", ["Reqd margin (%)", "Margin >= (%)", "Margin not less than (%)", "Margin floor (%)"]
)
def test_required_margin_in_a_column(tmp_path, heading):
    """(11.1 − 10) / 10 = 11 %, (24.1 − 20) / 20 = 20.5 %."""
    outcome = checked(tmp_path, f"id,parent,mass [kg],NTE (kg),{heading}\nS,,,40,\nA,S,10,11.1,12\nB,S,20,24.1,20\n")
    margins = {one.item: one.kept for one in outcome.verdicts if "margin" in one.requirement}
    assert margins == {"A": False, "B": True}


@pytest.mark.parametrize(
    "heading", ["Conting. (%)", "Expected growth (%)", "Projected growth (%)", "CTG (%)", "growth_pct"]
)
@pytest.mark.parametrize("sign", ["", "%"])
def test_growth_by_any_word(tmp_path, heading, sign):
    """20.5 × 1.1 + 15.2 × 1.2 = 40.79."""
    outcome = checked(
        tmp_path, f"id,parent,CBE (kg),{heading},NTE (kg)\nS,,,,40\nA,S,20.5,10{sign},\nB,S,15.2,20{sign},\n"
    )
    assert verdicts(outcome) == {"S": (False, pytest.approx(40.79))}


def test_whole_numbers_show_no_growth_within_rounding(tmp_path):
    """10 × 1.1 is 10.5 only if 10 is 9.5: a limit of 10.5 is broken by 11, and the growth of C is unknown."""
    text = "id,parent,mass [kg],MGA (%),Do not exceed (kg)\nS,,,,\nA,S,10,10,10.5\nB,S,20,20,23\nC,S,5,,5.2\n"
    outcome = checked(tmp_path, text)
    assert verdicts(outcome) == {"A": (False, 11.0), "B": (False, 24.0), "C": (False, None)}


def test_a_heading_without_a_word_is_no_predicted_mass_within_rounding(tmp_path):
    path = tmp_path / "list.csv"
    for exact, cells in ((True, ("11", "24")), (False, ("10.5", "23"))):
        path.write_text(f"id,parent,mass [kg],MGA (%),Design [kg]\nS,,,,\nA,S,10,10,{cells[0]}\nB,S,20,20,{cells[1]}\n")
        assert ("MP280" in {one.rule for one in read_bom(path).findings}) == exact


def test_bounds_of_an_assembly_are_limits(tmp_path):
    text = "id,parent,mass [kg],Mass min (kg),Mass max (kg)\nS,,,20,24\nA,S,10,9,11\nB,S,15,13,17\n"
    assert {one.item: one.kept for one in checked(tmp_path, text).verdicts} == {"S": False}


@pytest.mark.parametrize("limit", [18, 17])
def test_removed_mass_with_unknown_growth_bounds_nothing(tmp_path, limit):
    """20.5 × 1.1 − 5 × (1 + g) ≤ 17.55 for every g of 0 or more."""
    text = f"id,parent,mass [kg],MGA (%),NTE (kg)\nS,,,,{limit}\nA,S,20.5,10,23\nR,S,-5,,\n"
    outcome = checked(tmp_path, text, allow_negative_mass=True)
    assert verdicts(outcome) == {"S": (False, None), "A": (True, pytest.approx(22.55))}


def test_growth_of_less_than_one_percent_in_all_rows_is_a_warning(tmp_path):
    text = "id,parent,mass [kg],MGA (%),NTE\nS,,,,40\nA,S,20.5,0.1,\nB,S,10.2,{},\n"
    found = [checked(tmp_path, text.format(share)).of_table for share in ("0.2", "5")]
    severities = [[one.severity.value for one in of_table if one.rule == "MP622"] for of_table in found]
    assert severities == [["warning"], []]


@pytest.mark.parametrize(("code", "kept"), [('0" lb"', None), ('0" kg"', True)])
def test_number_format_of_a_limit_in_a_row(tmp_path, code, kept):
    rows = [["S", None, None, None], ["A", "S", 10, None], ["Total", None, 10, None], ["Limit", None, 20, None]]
    outcome = check(workbook(tmp_path / "b.xlsx", HEAD.split(","), rows, {"C5": code}))
    assert [one.kept for one in outcome.verdicts] == ([] if kept is None else [kept])
    assert ("MP239" in rules(outcome)) == (kept is None)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("Launch mass limit:,30,kg", "Launch mass limit 30 kg"),
        ("NTE,30 kg,", "NTE 30 kg"),
        ("Mass limit (kg),30,", "Mass limit (kg) 30"),
        ("Mass budget,2026,", ""),
        ("Mass budget,Rev,3", ""),
    ],
)
def test_limit_above_the_table_is_named(tmp_path, row, named):
    outcome = checked(tmp_path, f"Satellite,,\n{row}\n,,\nid,parent,mass [kg],NTE [kg]\nS,,,32\nA,S,31\n")
    found = [one.message for one in outcome.budget_findings if one.rule == "MP610"]
    assert found == [f"limit is not checked: {named} is above the table"] * bool(named)


def test_growth_of_nothing_has_no_share(massprops, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("name,mass_kg,growth_pct\nA,0,20\nB,0,20\n", encoding="utf-8")
    assert "growth allowance 0 = predicted mass 0 kg" in massprops("rollup", str(path)).output


@pytest.mark.parametrize("cells", ["10%,20 %", "10 kg,12 kg", "10,12"])
def test_unknown_columns_of_amounts_are_in_the_account(tmp_path, cells):
    a, b = cells.split(",")
    path = tmp_path / "list.csv"
    path.write_text(f"id,parent,qty,mass [kg],Dunno\nS,,,,\nA,S,1,20.5,{a}\nB,S,1,15.2,{b}\n", encoding="utf-8")
    assert any("Dunno" in one.message for one in read_bom(path).findings if one.rule in ("MP271", "MP252"))
