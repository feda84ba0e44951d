"""Limits in columns of the table: the verdicts are those of a budget file with the same limits."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.budgets.check import Check
from massprops_cli.budgets.model import Verdict
from massprops_cli.cli.app import app
from massprops_cli.findings.finding import ConfigError
from massprops_cli.tables.columns.mass_headings import limit_subject
from tests.examples import first

ROOT = Path(__file__).parents[2]


def written(folder: Path, rows: list[list[Any]], name: str = "bom.csv") -> Path:
    path = folder / name
    path.write_text(
        "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows), "utf-8"
    )
    return path


def checked(folder: Path, *rows: list[Any], **options: Any) -> Check:
    return mp.check(mp.rollup(mp.read_bom(written(folder, list(rows)), **options), keep_going=True))


def brief(verdicts: Any) -> list[tuple[Any, ...]]:
    return [(one.item, one.value, one.limit, one.unit, one.margin, one.kept, one.message) for one in verdicts]


@pytest.mark.parametrize(
    "heading",
    [
        "Allocation",
        "Allocation (kg)",
        "Allocated mass [kg]",
        "Limit",
        "Mass limit",
        "NTE [kg]",
        "Not to exceed (kg)",
        "N.T.E.",
        "Max mass",
        "Maximum mass [kg]",
        "Max. mass (kg)",
        "Mass budget (kg)",
        "Budget",
        "Allowable mass [lb]",
        "Weight limit (lb)",
        "Grenzwert (kg)",
    ],
)
def test_heading_of_a_limit(heading: str, tmp_path: Path) -> None:
    assert limit_subject(heading)
    head = ["id", "parent", "mass [kg]", heading]
    done = checked(tmp_path, head, ["R", "", "", 100], ["A", "R", 4, 3], ["B", "R", 5, ""])
    assert [(one.item, one.kept) for one in done.verdicts] == [("R", True), ("A", False)]


@pytest.mark.parametrize(
    "heading",
    [
        "Power limit (W)",
        "Power budget",
        "Cost limit",
        "Budget ($)",
        "Target (kg)",
        "Goal",
        "Zielmasse (kg)",
        "Max power (W)",
        "Margin (kg)",
        "Margin to limit (kg)",
        "Headroom [kg]",
        "Remaining (kg)",
        "Unallocated mass [kg]",
        "Restmasse verbleibend (kg)",
        "Growth allowance (%)",
        "Limit (%)",
        "Temperature limit (°C)",
        "Max length (mm)",
        "Remark",
        "Mass (kg)",
    ],
)
def test_heading_of_no_limit(heading: str) -> None:
    assert not limit_subject(heading)


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_column_and_file_give_the_same_verdicts(seed: int, tmp_path: Path) -> None:
    expect_same_verdicts(seed, tmp_path)


@pytest.mark.slow
def test_thousand_budgets_in_columns_and_files(tmp_path: Path) -> None:
    for seed in range(12, 1012):
        expect_same_verdicts(seed, tmp_path)


def expect_same_verdicts(seed: int, tmp_path: Path) -> None:
    """Random trees, growth, units and limits, some within one part in 10¹² of the mass."""
    draw = random.Random(seed)
    table_unit, unit = draw.choice(["kg", "g", "lb"]), draw.choice(["kg", "g", "lb", "t"])
    in_grams = {"kg": 1000.0, "g": 1.0, "lb": 453.59237, "t": 1e6}
    grows, names = draw.random() < 0.7, ["R"]
    rows: list[list[Any]] = []
    masses: dict[str, float] = {}
    for k in range(12):
        over = draw.choice([name for name in names if name[0] != "P"])
        name = f"{'A' if draw.random() < 0.4 else 'P'}{k}"
        names.append(name)
        mass = round(draw.uniform(0.1, 50), 3) if name[0] == "P" else None
        rows.append([name, over, mass, draw.choice([0, 5, 12.5]) if grows and mass else None])
        at, grown = name, (mass or 0) * (1 + (rows[-1][3] or 0) / 100)
        while at:
            masses[at] = masses.get(at, 0) + grown
            at = next((row[1] for row in rows if row[0] == at), "")
    limits = {
        name: masses[name] * in_grams[table_unit] / in_grams[unit] * draw.choice([0.9, 1, 1 + 1e-12, 1.01, 1.3])
        for name in names
        if masses.get(name) and draw.random() < 0.7
    }
    required = {name: draw.choice([0, 2, 10]) for name in limits if draw.random() < 0.5}
    head = ["id", "parent", f"mass [{table_unit}]", "mga [%]"]
    every = [["R", "", None, None], *rows]
    plain = written(tmp_path, [head, *every], "plain.csv")
    full = [[*row, repr(limits[row[0]]) if row[0] in limits else None, required.get(row[0])] for row in every]
    columns = written(tmp_path, [[*head, f"Mass limit [{unit}]", "Margin required [%]"], *full], "columns.csv")
    lines = []
    for name in (row[0] for row in every if row[0] in limits):
        lines += ["[[budget]]", f'item = "{name}"', f'mass-max = "{limits[name]!r} {unit}"']
        lines += [f'margin-min = "{required[name]} %"'] if name in required else []
    (tmp_path / "budget.toml").write_text("\n".join(lines), encoding="utf-8")
    options = {"allow_missing": ("mass",)}
    of_columns = mp.check(mp.rollup(mp.read_bom(columns, **options), keep_going=True))
    of_file = mp.check(
        mp.rollup(mp.read_bom(plain, allow_missing=("mass",)), keep_going=True), tmp_path / "budget.toml"
    )
    assert of_columns.verdicts
    assert brief(of_columns.verdicts) == brief(of_file.verdicts)


def test_place_of_a_limit_is_its_cell(tmp_path: Path) -> None:
    done = checked(tmp_path, ["id", "parent", "mass [kg]", "Limit [g]"], ["R", "", "", ""], ["A", "R", 4, 3000])
    [one] = done.verdicts
    assert (one.place.line, one.place.position, one.item_place.position) == (3, 4, 3)
    assert (one.value, one.limit, one.unit) == (4000.0, 3000.0, "g")
    assert done.budget.endswith("bom.csv")


def test_limit_of_the_total_is_that_of_the_root(tmp_path: Path) -> None:
    """The list of the space trade: predicted 138 + 88 + 30 = 256 kg."""
    head = ["Item", "CBE (kg)", "MGA (%)", "MEV (kg)", "Allocation (kg)", "Margin (%)"]
    rows = [["Structure", 120, 15, 138, 150, 8.7], ["Power", 80, 10, 88, 95, "8.0"], ["Comms", 25, 20, 30, 32, 6.7]]
    done = checked(tmp_path, head, *rows, ["Total", 225, "", 256, 255, -0.4])
    assert [(one.value, one.limit, one.kept) for one in done.verdicts] == [
        (pytest.approx(138), 150, True),
        (pytest.approx(88), 95, True),
        (pytest.approx(30), 32, True),
        (pytest.approx(256), 255, False),
    ]
    assert not done.is_kept


def test_table_without_units_has_limits_in_its_own(tmp_path: Path) -> None:
    done = checked(tmp_path, ["id", "parent", "mass", "Limit"], ["R", "", "", 6], ["A", "R", 4, 3], ["B", "R", 2, 2])
    assert [(one.value, one.limit, one.margin) for one in done.verdicts] == [(6, 6, 0), (4, 3, -1), (2, 2, 0)]


@pytest.mark.parametrize(("cell", "kept"), [("0.5", False), ("0.05", True)])
def test_required_share_without_a_percent_sign(cell: str, kept: bool, tmp_path: Path) -> None:
    """11 kg and a limit of 12 kg: a margin of 9 %."""
    head = ["id", "parent", "mass [kg]", "Limit [kg]", "Required margin"]
    done = checked(tmp_path, head, ["R", "", "", 12, cell], ["A", "R", 11, "", ""])
    assert [one.subject for one in done.verdicts] == ["mass-max", "margin-min"]
    assert done.verdicts[1].kept == kept


def test_required_mass(tmp_path: Path) -> None:
    """A margin of 900 g to 12 kg is a limit of 11.1 kg."""
    head = ["id", "parent", "mass [kg]", "Limit [kg]", "Min margin [g]"]
    done = checked(tmp_path, head, ["R", "", "", 12, 900], ["A", "R", 11.2, "", ""])
    assert [(one.limit, one.kept) for one in done.verdicts] == [(12, True), (pytest.approx(11.1), False)]


@pytest.mark.parametrize(("limit", "undecided", "kept"), [(1.5, False, False), (3, True, False), (9, False, True)])
def test_limit_of_a_row_of_four_pieces(limit: float, undecided: bool, kept: bool, tmp_path: Path) -> None:
    """Four pieces of 2 kg: a limit of 3 kg is kept by one piece only."""
    done = checked(
        tmp_path, ["id", "parent", "qty", "mass [kg]", "Limit [kg]"], ["R", "", "", "", ""], ["A", "R", 4, 2, limit]
    )
    [one] = done.verdicts
    assert (one.is_undecided, one.kept) == (undecided, kept)


def test_limit_that_is_not_a_number_is_an_error(tmp_path: Path) -> None:
    done = checked(tmp_path, ["id", "parent", "mass [kg]", "Limit [kg]"], ["R", "", "", 9], ["A", "R", 4, "five"])
    assert [one.rule for one in done.budget_findings] == ["MP205", "MP624"]
    assert not done.is_kept


def test_column_of_texts_has_no_limits(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no budget is given"):
        checked(tmp_path, ["id", "parent", "mass [kg]", "Budget"], ["R", "", "", ""], ["A", "R", 4, "project X"])


def test_ignored_column_has_no_limits(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no budget is given"):
        checked(
            tmp_path,
            ["id", "parent", "mass [kg]", "Limit [kg]"],
            ["R", "", "", 9],
            ["A", "R", 4, 3],
            ignore_columns=["Limit [kg]"],
        )


def test_file_and_column_are_checked_together(tmp_path: Path) -> None:
    table = written(tmp_path, [["id", "parent", "mass [kg]", "Limit [kg]"], ["R", "", "", ""], ["A", "R", 4, 3]])
    file = tmp_path / "budget.toml"
    file.write_text('[[budget]]\nitem = "R"\nmass-max = "9 kg"\n', encoding="utf-8")
    assert [one.kept for one in mp.check(table, file).verdicts] == [True, False]
    with file.open("a", encoding="utf-8") as stream:
        stream.write('[[waive]]\nrule = "MP601"\nitem = "A"\nreason = "so"\n')
    done = mp.check(table, [file, file])
    assert [(one.kept, one.is_broken) for one in done.verdicts] == [(True, False), (False, False)]


def test_limit_of_the_file_has_priority(tmp_path: Path) -> None:
    """The file allows 9 kg for A, the column 3; B has its limit in the column alone."""
    rows = [["id", "parent", "mass [kg]", "Limit [kg]"], ["R", "", "", ""], ["A", "R", 4, 3], ["B", "R", 4, 3]]
    file = tmp_path / "budget.toml"
    file.write_text('[[budget]]\nitem = "A"\nmass-max = "9 kg"\nmass-min = "1 kg"\n', encoding="utf-8")
    done = mp.check(written(tmp_path, rows), file)
    assert [(one.item, one.subject, one.limit) for one in done.verdicts] == [
        ("A", "mass-max", 9),
        ("A", "mass-min", 1),
        ("B", "mass-max", 3),
    ]
    rows[0].append("Required margin (%)")
    margins = mp.check(written(tmp_path, [*rows[:1], *([*row, 5] for row in rows[1:])]), file)
    assert ("A", "margin-min") in [(one.item, one.subject) for one in margins.verdicts]  # which the file does not have
    [note] = [one for one in done.budget_findings if one.rule == "MP626"]
    assert (note.item, note.place.row, "mass ≤ 3 kg" in note.message) == ("A", 3, True)


@pytest.mark.parametrize("cells", [("5 %", "5 %"), ("5 %", "0.05"), ("5%", 5)])
def test_required_margins_with_a_sign_of_percent(cells: tuple[Any, Any], tmp_path: Path) -> None:
    """(5.2 − 5) / 5 is 4 %, less than 5."""
    rows = ["A", "R", 10, 11, cells[0]], ["B", "R", 5, 5.2, cells[1]]
    head = ["id", "parent", "mass [kg]", "Max mass (kg)", "Required margin"]
    done = checked(tmp_path, head, ["R", "", "", "", ""], *rows)
    kept = {one.item: one.kept for one in done.verdicts if one.subject == "margin-min"}
    assert kept == {"A": True, "B": False}


@pytest.mark.parametrize("growth", [(1, 0.5), (1, 0.7), (0, 1), (1, 1)])
def test_growth_in_kilograms_next_to_a_limit(growth: tuple[float, float], tmp_path: Path) -> None:
    """A growth of 1 kg is no share of 1: nothing would be left of a limit."""
    head = ["id", "parent", "mass [kg]", "MGA (kg)", "NTE (kg)"]
    done = checked(tmp_path, head, ["R", "", "", "", ""], ["A", "R", 10, growth[0], 10.5], ["B", "R", 5, growth[1], 6])
    assert [one.value for one in done.verdicts] == [10 + growth[0], 5 + growth[1]]


def test_limits_with_units_in_their_cells(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "Mass limit"]
    done = checked(tmp_path, head, ["R", "", "", ""], ["A", "R", 4, "3900 g"], ["B", "R", 4, "9 kg"])
    assert [(one.item, one.kept) for one in done.verdicts] == [("A", False), ("B", True)]
    wrong = checked(tmp_path, head, ["R", "", "", 90], ["A", "R", 4, "3 apples"])
    assert "MP205" in {one.rule for one in wrong.budget_findings}


@pytest.mark.parametrize("heading", ["Min mass (kg)", "Minimum weight [kg]", "Mindestmasse (kg)", "Masa mínima (kg)"])
def test_least_masses(heading: str, tmp_path: Path) -> None:
    """Masses of 4 and 8 kg, at least 5 kg each; the column is no mass and no question where rows count pieces."""
    head = ["id", "parent", "qty", "mass [kg]", heading, "Max mass (kg)"]
    rows = ["R", "", "", "", "", 30], ["A", "R", 1, 4, 5, 9], ["B", "R", 2, 8, 5, 20]
    done = checked(tmp_path, head, *rows)
    assert [(one.item, one.subject, one.kept) for one in done.verdicts] == [
        ("R", "mass-max", True),
        ("A", "mass-min", False),
        ("A", "mass-max", True),
        ("B", "mass-min", True),
        ("B", "mass-max", True),
    ]
    assert done.result.rollup.bodies.mass[done.result.root_item] == 20


@pytest.mark.parametrize(("least", "undecided", "kept"), [(1.5, False, True), (5, True, False), (9, False, False)])
def test_least_mass_of_a_row_of_four_pieces(least: float, undecided: bool, kept: bool, tmp_path: Path) -> None:
    """Four pieces of 2 kg: at least 5 kg is kept by all of them only."""
    head = ["id", "parent", "qty", "mass [kg]", "Min mass [kg]"]
    [one] = checked(tmp_path, head, ["R", "", "", "", ""], ["A", "R", 4, 2, least]).verdicts
    assert (one.is_undecided, one.kept) == (undecided, kept)


@pytest.mark.parametrize(
    ("headings", "ends", "verdicts"),
    [
        # centre at (10·100 + 30·200) / 40 = 175 mm
        (("CG x limit min (mm)", "CG x limit max (mm)"), (170, 180), [("center-x", True), ("center-x", True)]),
        (("X_CG lower limit [m]", "X_CG upper limit [m]"), (0.18, 0.19), [("center-x", False), ("center-x", True)]),
        (("CG x box max [cm]", "Remark"), (17, ""), [("center-x", False)]),
        (("CG fwd limit (mm)", "CG aft limit (mm)"), (180, 170), [("center-x", True)]),
        (("CG forward limit (mm)", "CG aft limit (mm)"), (160, 170), [("center-x", False)]),
    ],
)
def test_boxes_of_centres(
    headings: tuple[str, str], ends: tuple[Any, Any], verdicts: list[tuple[str, bool]], tmp_path: Path
) -> None:
    head = ["id", "parent", "mass [kg]", "Cx [mm]", *headings]
    done = checked(tmp_path, head, ["R", "", "", "", *ends], ["A", "R", 10, 100, "", ""], ["B", "R", 30, 200, "", ""])
    assert [(one.subject, one.kept) for one in done.verdicts] == verdicts
    assert all(one.value == pytest.approx(175 * {"mm": 1, "cm": 0.1, "m": 0.001}[one.unit]) for one in done.verdicts)


def test_one_end_without_direction_is_an_error(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "Cx [mm]", "CG aft limit (mm)", "Limit [kg]"]
    done = checked(tmp_path, head, ["R", "", "", "", 180, 90], ["A", "R", 10, 100, "", ""])
    assert [one.rule for one in done.budget_findings] == ["MP610", "MP624"]
    assert not done.is_kept


def test_columns_that_are_compared_are_not_called_unread(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "Limit [kg]", "Length [mm]"]
    table = written(tmp_path, [head, ["R", "", "", 9, ""], ["A", "R", 4, 5, 33]])
    [unread] = [one for one in mp.check(table).findings if one.rule == "MP271"]
    assert [unread.place.column, *(place.column for place in unread.related)] == ["Length [mm]"]
    of_rollup = [one for one in mp.rollup(table).findings if one.rule == "MP271"]
    [limits] = [one for one in of_rollup if one.place.column == "Limit [kg]"]
    assert limits.message == "limits of items are not part of the roll-up: Limit [kg]"
    assert "massprops check" in limits.remedy
    assert "--map" not in str(limits)
    assert len(of_rollup) == 2


def margins(folder: Path, unit: str, *cells: Any, **options: Any) -> list[str]:
    """Report the margins of 10 and 8 kg to limits of 12 and 9 kg that differ; growth 5 % and 0."""
    heading = f"Margin ({unit})" if unit else "Margin"
    rows = [[*row, cell] for row, cell in zip((["A", "R", 10, 5, 12], ["B", "R", 8, 0, 9]), cells, strict=True)]
    head = ["id", "parent", "mass [kg]", "mga [%]", "Limit [kg]", heading]
    done = checked(folder, head, ["R", "", "", "", "", ""], *rows, ignore_columns=[heading])
    return [one.message for one in done.budget_findings if one.rule == "MP625"]


@pytest.mark.parametrize(
    ("unit", "cells"),
    [
        ("kg", ("1.5", "1.0")),  # 12 − 10.5
        ("g", ("1500", "1000")),
        ("kg", ("2", "1")),  # of the basic mass
        ("%", ("14.3", "12.5")),  # 1.5 / 10.5
        ("%", ("20", "12.5")),
        ("%", ("12.5", "11.1")),  # 1.5 / 12
        ("", ("0.143", "0.125")),
        ("", ("1.5", "1.0")),
    ],
)
def test_stated_margins_agree_in_every_form(unit: str, cells: tuple[str, str], tmp_path: Path) -> None:
    assert margins(tmp_path, unit, *cells) == []


def test_stated_margin_that_differs_is_named(tmp_path: Path) -> None:
    [message] = margins(tmp_path, "kg", "1.5", "3.0")
    assert message == "Margin (kg) of B differs from (limit − predicted): 3.0 (computed: 1)"
    [message] = margins(tmp_path, "%", "20", "30")
    assert message == "Margin (%) of B differs from (limit − basic) / basic: 30 (computed: 12.5)"


def test_verdict_of_a_workbook(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["Item", "Mass (kg)", "NTE (kg)"], ["Frame", 10, 12], ["Tank", 8, 7.5], ["Total", 18, 20]):
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    found: list[Verdict] = list(mp.check(tmp_path / "bom.xlsx").verdicts)
    assert [(one.value, one.limit, one.kept) for one in found] == [(10, 12, True), (8, 7.5, False), (18, 20, True)]
    assert found[1].place.cell == "C3"


def test_headroom_is_compared_with_the_limit(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "Allocation [kg]", "Headroom [kg]"]
    done = checked(tmp_path, head, ["R", "", "", 10, 1], ["A", "R", 4, 5, 1], ["B", "R", 5, 5, 2])
    assert [(one.item, one.limit, one.kept) for one in done.verdicts] == [
        ("R", 10, True),
        ("A", 5, True),
        ("B", 5, True),
    ]
    assert [(one.rule, one.item) for one in done.findings if one.rule == "MP625"] == [("MP625", "B")]


TABLE = [["id", "parent", "mass [kg]", "Allocation [kg]"], ["S", "", "", 10], ["A", "S", "3.0", 4], ["B", "S", 5, 4]]
TABLE += [["C", "S", 1, ""]]


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json"])
def test_verdicts_are_written_next_to_the_limits(suffix: str, tmp_path: Path, massprops: Any) -> None:
    """Masses of 9, 3 and 5 kg: headroom of 1, 1 and −1 kg, computed by hand; twice is once."""
    source, out, again = written(tmp_path, TABLE), tmp_path / f"out.{suffix}", tmp_path / f"again.{suffix}"
    assert massprops("check", source, "-o", out).exit_code == 1
    read = (
        pd.read_json(out)
        if suffix == "json"
        else pd.read_excel(out, engine="openpyxl")
        if suffix == "xlsx"
        else pd.read_csv(out)
    )
    assert [None if pd.isna(one) else one for one in read["headroom [kg]"]] == [1, 1, -1, None]
    assert [one if isinstance(one, str) and one else None for one in read["verdict"]] == [
        "kept",
        "kept",
        "broken",
        None,
    ]
    assert massprops("check", out, "-o", again).exit_code == 1
    done = (
        pd.read_json(again)
        if suffix == "json"
        else pd.read_excel(again, engine="openpyxl")
        if suffix == "xlsx"
        else pd.read_csv(again)
    )
    pd.testing.assert_frame_equal(read, done)
    if suffix == "csv":
        assert out.read_text("utf-8").splitlines()[2] == "A,S,3.0,4,1,3 of 4 kg,kept"


def test_verdicts_of_a_workbook_are_coloured_and_keep_its_cells(tmp_path: Path, massprops: Any) -> None:
    book = openpyxl.Workbook()
    for row in [["Weights of the day"], [], *TABLE, ["Total", None, "=SUM(C5:C7)"]]:
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    assert massprops("check", tmp_path / "bom.xlsx", "-o", tmp_path / "out.xlsx", "--skip-row", "Total").exit_code == 1
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert [[cell.value for cell in row] for row in sheet["E3:G7"]] == [
        ["headroom [kg]", "checked", "verdict"],
        [1, "9 of 10 kg", "kept"], [1, "3 of 4 kg", "kept"], [-1, "5 of 4 kg", "broken"], [None, None, None],
    ]  # fmt: skip
    assert sheet["C8"].value == "=SUM(C5:C7)"
    kept, broken = (sheet[cell].fill.fgColor.rgb for cell in ("G5", "G6"))
    assert len({kept, broken, sheet["A5"].fill.fgColor.rgb}) == 3


def test_worst_verdict_and_smallest_headroom_of_an_item(tmp_path: Path, massprops: Any) -> None:
    (tmp_path / "budget.toml").write_text(
        '[[budget]]\nitem = "A"\nmass-max = "3500 g"\n[[budget]]\nitem = "B"\nmass-max = "4 kg"\n'
        '[[waive]]\nrule = "MP601"\nitem = "B"\nreason = "agreed"\n',
        encoding="utf-8",
    )
    source = written(tmp_path, [TABLE[0][:3], *(row[:3] for row in TABLE[1:])])
    done = massprops("check", source, "--budget", tmp_path / "budget.toml", "-o", tmp_path / "out.csv")
    assert done.exit_code == 0
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines()[2:4] == [
        "A,S,3.0,0.5,3000 of 3500 g,kept", "B,S,5,-1,5 of 4 kg,waived",
    ]  # fmt: skip


@pytest.mark.parametrize("more", [["--condition", "dry"], ["other.csv"]])
def test_verdicts_are_of_one_table_as_it_was_read(more: list[str], tmp_path: Path, massprops: Any) -> None:
    written(tmp_path, TABLE, "other.csv")
    more = [str(tmp_path / one) if one.endswith("csv") else one for one in more]
    done = massprops("check", written(tmp_path, TABLE), *more, "-o", tmp_path / "out.csv")
    assert done.exit_code == 2
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("heading", "total"), [("mga [%]", 13.5), ("Growth (%)", 13.5), ("Contingency [%]", 13.5), ("Margin [%]", 12)]
)
def test_growth_that_reaches_every_limit_is_growth(heading: str, total: float, tmp_path: Path) -> None:
    """Only a column named as a margin is what the limits leave: 4 × 1.25 + 8 × 1.0625 = 13.5."""
    head = ["id", "parent", "mass [kg]", heading, "Mass limit [kg]"]
    done = checked(tmp_path, head, ["R", "", "", "", ""], ["A", "R", 4, 25, 5], ["B", "R", 8, 6.25, 8.5])
    whole = done.result.predicted or done.result.rollup
    assert whole.bodies.mass[0] == total


def test_example_of_the_documentation_is_kept(tmp_path: Path) -> None:
    """138 ≤ 150 and 88 ≤ 95 kg, margins of 8.70 and 7.95 %, 226 ≤ 245 kg."""
    text = (ROOT / "docs/howto/budget_in_ci.md").read_text("utf-8").split("## Limits in the table")[1]
    path = tmp_path / "bom.csv"
    path.write_text(text.split("```csv\n")[1].split("```")[0], "utf-8")
    done = mp.check(path)
    assert [one.kept for one in done.verdicts] == [True] * 5
    assert [round(one.value, 2) for one in done.verdicts] == [138, 8.7, 88, 7.95, 226]


@pytest.mark.parametrize("heading", ["Required margin (kg)", "Min. margin [%]", "Margin requirement"])
def test_required_margin_is_no_mass_growth_or_quantity(heading: str, tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "mga [%]", "Mass limit [kg]", heading]
    done = checked(tmp_path, head, ["R", "", "", "", "", ""], ["A", "R", 10, 20, 13, 2], ["B", "R", 5, 10, 7, 3])
    assert done.result.root.mass == 15
    assert done.result.predicted is not None
    assert done.result.predicted.bodies.mass[0] == pytest.approx(17.5)
    assert len(done.verdicts) == 4


def test_limit_in_a_subtotal_is_named(tmp_path: Path) -> None:
    """16.5 kg of structure are above 16 kg: no item, so that the limit must not be passed in silence."""
    rows = "Item,CBE (kg),MGA (%),Mass limit (kg)\nFrame,10,10,12\nPanel,5,10,6\nSubtotal Structure,15,,16\n"
    path = tmp_path / "bom.csv"
    path.write_text(f"{rows}Cam,4,20,5\nTotal,19,,25\n", "utf-8")
    done = mp.check(path)
    assert not done.is_kept
    assert [(one.rule, str(one.place)) for one in done.budget_findings] == [("MP610", f"{path}:4:4")]


def test_limit_that_is_a_formula_without_a_value_is_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["id", "parent", "mass [kg]", "NTE [kg]"],
        ["S", None, None, 60],
        ["A", "S", 20, "=5*3"],
        ["B", "S", 30, 32],
    ):
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    done = mp.check(tmp_path / "bom.xlsx")
    assert [(one.rule, one.place.cell) for one in done.budget_findings if one.rule == "MP610"] == [("MP610", "D3")]
    assert not done.is_kept


def test_margin_of_a_row_of_several_pieces(tmp_path: Path) -> None:
    """Four pieces of 3.3 kg: 14 kg leave 324 % of one piece, and 6.06 % of all."""
    head = ["Item", "Qty", "CBE (kg)", "MGA (%)", "Mass limit (kg)", "Margin requirement [%]"]
    done = checked(tmp_path, head, ["Wheel", 4, 3, 10, 14, 7], ["Bus", 1, 80, 10, 95, 6])
    assert [(one.item, one.subject, one.kept) for one in done.verdicts] == [
        ("Wheel", "mass-max", True), ("Wheel", "margin-min", False),
        ("Bus", "mass-max", True), ("Bus", "margin-min", True),
    ]  # fmt: skip
    assert done.verdicts[1].is_undecided
    assert done.verdicts[0].margin == pytest.approx(0.8)  # 14 − 4 × 3.3


@pytest.mark.parametrize("stated", [2, 11])
def test_margin_of_one_piece_or_of_the_row(stated: float, tmp_path: Path) -> None:
    """14 − 4 × 3 = 2 and 14 − 3 = 11."""
    head = ["Item", "Qty", "CBE (kg)", "Mass limit (kg)", "Headroom (kg)"]
    done = checked(tmp_path, head, ["Wheel", 4, 3, 14, stated], ["Bus", 1, 80, 95, 15])
    assert "MP625" not in [one.rule for one in done.findings]


def test_limits_of_combined_files_are_named(tmp_path: Path, massprops: Any) -> None:
    """6 kg above 5 kg in both files; the table that --combine branch makes does not have the limits."""
    for name in "PQ":
        written(
            tmp_path,
            [["id", "parent", "mass [kg]", "Mass limit [kg]"], [name, "", "", 5], [f"{name}1", name, 6, ""]],
            f"{name}.csv",
        )
    (tmp_path / "budget.toml").write_text('[[budget]]\nitem = "P"\nmass-max = "100 kg"\n', "utf-8")
    files = [tmp_path / "P.csv", tmp_path / "Q.csv"]
    done = massprops("check", *files, "--combine", "branch", "--budget", tmp_path / "budget.toml")
    assert (done.exit_code, done.output.count("MP610")) == (1, 2)
    assert massprops("check", *files, "--combine", "id", "--make-root", "S").exit_code == 1


def test_cells_to_the_right_of_a_table_stay_and_the_file_is_named(tmp_path: Path, massprops: Any) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["Item", "CBE (kg)", "Mass limit (kg)", None, "mine"],
        ["A", 3, 4, "x", "mine"],
        ["B", 5, 4, None, "mine"],
    ):
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    done = massprops("check", tmp_path / "bom.xlsx", "-o", tmp_path / "out.xlsx")
    assert "out.xlsx" in done.output.splitlines()[0] + done.output.splitlines()[1]
    rows = [list(row) for row in openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(values_only=True)]
    assert [row[3:5] for row in rows] == [[None, "mine"], ["x", "mine"], [None, "mine"]]
    assert [row[5:] for row in rows] == [
        ["headroom [kg]", "checked", "verdict"], [1, "3 of 4 kg", "kept"], [-1, "5 of 4 kg", "broken"],
    ]  # fmt: skip


@pytest.mark.parametrize("first", [4, 9])
def test_item_with_several_limits_has_the_worst_verdict_and_the_smallest_headroom(
    first: float, tmp_path: Path, massprops: Any
) -> None:
    """5 kg with limits of 4 and 9 kg, in either order: −1 kg, broken; 3 kg with 7 and 4 kg: 1 kg, kept."""
    head = ["id", "parent", "mass [kg]", "Allocation [kg]", "NTE [kg]"]
    rows = [["S", "", "", "", ""], ["A", "S", 5, first, 13 - first], ["B", "S", 3, 7, 4]]
    assert massprops("check", written(tmp_path, [head, *rows]), "-o", tmp_path / "out.csv").exit_code == 1
    lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[-3::2] for line in lines[2:]] == [["-1", "broken"], ["1", "kept"]]


def test_broken_limit_has_priority_over_an_undecided_one(tmp_path: Path, massprops: Any) -> None:
    """Two pieces of 3 kg: above 2 kg whatever it limits; within 4 kg if that limits one piece."""
    rows = [["Item", "Qty", "CBE (kg)", "Allocation (kg)", "NTE (kg)"], ["Wheel", 2, 3, 2, 4], ["Bus", 1, 80, 90, 95]]
    assert massprops("check", written(tmp_path, rows), "-o", tmp_path / "out.csv").exit_code == 1
    verdicts = [line.split(",")[-1] for line in (tmp_path / "out.csv").read_text("utf-8").splitlines()]
    assert verdicts == ["verdict", "broken", "kept"]


@pytest.mark.parametrize(("label", "verdicts"), [("Limit", [("mass-max", False)]), ("Target", [])])
def test_limit_of_a_row_below_the_total(label: str, verdicts: list[tuple[str, bool]], tmp_path: Path) -> None:
    """8 kg of a limit of 7; a target is no limit."""
    path = tmp_path / "bom.csv"
    path.write_text(f"Item,Mass (kg),NTE (kg)\nA,3,4\nB,5,6\nTotal,8,\n{label},7,\n", encoding="utf-8")
    done = mp.check(path)
    assert [(one.subject, one.kept) for one in done.verdicts if one.item == "bom"] == verdicts


def test_limit_of_a_row_above_the_total_is_not_that_of_the_root(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text("Item,Mass (kg),NTE (kg)\nA,3,4\nLimit,7,\nB,5,6\nTotal,8,\n", encoding="utf-8")
    done = mp.check(path)
    assert [one.item for one in done.verdicts] == ["A", "B"]
    [found] = [one for one in done.budget_findings if one.rule == "MP610"]
    assert (found.place.line, "Limit" in found.message) == (3, True)


def test_shares_and_percentages_of_required_margins_are_not_mixed(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "Max mass (kg)", "Required margin"]
    done = checked(tmp_path, head, ["R", "", "", "", ""], ["A", "R", 10, 11, 5], ["B", "R", 5, 5.2, 0.05])
    assert "MP610" in {one.rule for one in done.budget_findings}
    assert not done.is_kept


@pytest.mark.parametrize("limits", [(10.5, 5), (11.5, 5.2)])
def test_greatest_mass_within_the_rounding_of_a_growth_is_a_limit(limits: tuple[float, float], tmp_path: Path) -> None:
    """10 kg with 10 % is 11 kg, which 10.5 and 11.5 are within the rounding of 10."""
    head = ["id", "parent", "mass [kg]", "MGA (%)", "Max mass (kg)"]
    done = checked(tmp_path, head, ["R", "", "", "", 15], ["A", "R", 10, 10, limits[0]], ["B", "R", 5, 0, limits[1]])
    assert [(one.item, one.value, one.kept) for one in done.verdicts] == [
        ("R", 16, False),
        ("A", 11, limits[0] > 11),
        ("B", 5, True),
    ]


def test_greatest_mass_by_a_factor_is_a_mass_with_its_growth(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text("Item,Mass (kg),Factor,Max mass (kg)\nA,10.0,1.1,11.0\nB,5.0,1.2,6.0\n", encoding="utf-8")
    result = mp.rollup(path)
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.root_item] == pytest.approx(17)


def test_growth_in_cells_with_kilograms(tmp_path: Path) -> None:
    head = ["id", "parent", "mass [kg]", "MGA", "NTE (kg)"]
    done = checked(tmp_path, head, ["R", "", "", "", ""], ["A", "R", 10, "1.2 kg", 10.5], ["B", "R", 5, "0.7 kg", 5.8])
    assert [(one.value, one.kept) for one in done.verdicts] == [(11.2, False), (5.7, True)]


def test_unknown_limit_is_named(tmp_path: Path) -> None:
    """Blanks and dashes are the absence of a limit; TBD is one that is not known yet."""
    head = ["id", "parent", "mass kg", "Max mass kg"]
    found = checked(tmp_path, head, ["R", "", "", 30], ["A", "R", 10, "TBD"], ["B", "R", 1, "-"], ["C", "R", 2, 3])
    (finding,) = (one for one in found.findings if one.rule == "MP610")
    assert (finding.message, finding.severity.value) == ("limit of A is not checked: TBD", "warning")
    assert found.is_kept


def test_limit_of_each_piece(tmp_path: Path) -> None:
    """The heading is the scope: two pieces of 10 kg are within 11 kg each, and not within 9 kg each."""
    for most, kept in ((11, True), (9, False)):
        rows = ["R", "", 1, "", ""], ["A", "R", 2, 10, most]
        found = checked(tmp_path, ["id", "parent", "qty", "mass kg", "Max mass each (kg)"], *rows)
        assert [(one.kept, one.is_undecided) for one in found.verdicts] == [(kept, False)]


def test_limits_that_are_ignored_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, [["id", "parent", "mass kg", "Max mass kg"], ["R", "", "", 20], ["A", "R", 22, ""]])
    run = CliRunner().invoke(app, ["check", str(path), "--ignore", "MP601"])
    assert run.exit_code == 0
    assert "0 of 0 limits" in run.output
    assert "1 left out by --ignore or --select" in run.output


def test_written_headroom_has_the_fewest_digits(tmp_path: Path, massprops: Any) -> None:
    """4500 − 4189.94 is 310.0600000000004 in doubles."""
    (tmp_path / "bom.csv").write_text("id,parent,mass [g],limit [g]\nS,,,4500\nA,S,4000,\nB,S,189.94,\n")
    assert massprops("check", tmp_path / "bom.csv", "-o", tmp_path / "out.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "S,,,4500,310.06,4189.94 of 4500 g,kept"


def test_item_of_a_budget_may_be_named_by_its_name_or_part_number(tmp_path: Path, massprops: Any) -> None:
    (tmp_path / "bom.csv").write_text(
        "Level,Part Number,Description,QTY,Mass (g)\n0,TOP,Arm,1,\n1,RB-1,Base,1,900\n"
        "1,MOT,Motor,1,200\n1,MOT,Motor,1,200\n"
    )
    budget = tmp_path / "budget.toml"
    for name, limit, code, words in (
        ("RB-1", "950 g", 0, "mass ≤ 950 g"),
        ("Base", "850 g", 1, "above 850 g by 50 g"),
        ("MOT", "500 g", 1, "name is not unique: MOT (ids: 1.2, 1.3; for their sum: item = { column"),
    ):
        budget.write_text(f'[[budget]]\nitem = "{name}"\nmass-max = "{limit}"\n', encoding="utf-8")
        done = massprops("check", tmp_path / "bom.csv", "--budget", budget)
        assert done.exit_code == code, done.output
        assert words in done.output
