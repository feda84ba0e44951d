"""Faults met in sheets of real projects of which a manifest cannot state the result: verdicts, remedies, offers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.cli.stages import remedy_commands, report_output


def _root(path: Path) -> dict[str, Any]:
    """Roll up a table; return the results of its root."""
    report = mp.rollup(mp.read_bom(path, allow_missing="center")).to_dict()
    root: dict[str, Any] = next(one for one in report["items"] if one["id"] == report["root"])
    return root


def _totals(path: Path) -> dict[tuple[str, str], str]:
    """Return the verdict on each stated total, by its label and quantity."""
    return {(one.label, one.quantity): one.verdict for one in mp.rollup(mp.read_bom(path)).totals}


@pytest.mark.parametrize("word", ["Summe", "Total", "Somme", "Totale", "Suma"])
def test_sums_named_after_their_groups_are_totals(word: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(
        "Group,Part,Qty,Mass each (kg),Margin (%),Mass with margin (kg)\nDrive,Motor,2,5.0,10,11.0\n,Gear,1,4.0,5,4.2\n"
        f"{word} Drive,,,,,15.2\nPower,Cell,4,2.0,10,8.8\n,Cable,1,1.0,20,1.2\n{word} Power,,,,,10.0\n"
        f"{word},,,,,25.2\n"
    )
    bom = mp.read_bom(path)
    assert _root(path)["mass"] == pytest.approx(23.0)
    assert {one.label for one in bom.totals} == {f"{word} Drive", f"{word} Power", word}


def test_row_named_as_a_sum_with_another_number_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(
        "Group,Part,Qty,Mass each (kg),Margin (%),Mass with margin (kg)\nDrive,Motor,2,5.0,10,11.0\n,Gear,1,4.0,5,4.2\n"
        "Summe Drive,,,,,16.2\nPower,Cell,4,2.0,10,8.8\n,Cable,1,1.0,20,1.2\nSumme Power,,,,,10.0\n"
    )
    with pytest.raises(mp.TableError, match="Summe Drive"):
        mp.read_bom(path)
    assert {one.label for one in mp.read_bom(path, skip_rows=["Summe Drive", "Summe Power"]).totals} == {
        "Summe Drive",
        "Summe Power",
    }


@pytest.mark.parametrize("cell", ["3 (spare)", "4 (each)", "5 (15)", "487.8 ≈ 300", "6 ≈ 7"])
def test_cell_with_a_remark_that_may_change_the_number_is_rejected(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "remarks.csv"
    path.write_text(f"Item,Mass (kg)\nA,2.5\nB,{cell}\n")
    assert [one.rule for one in mp.read_bom(path).findings if one.severity.value == "error"] == ["MP205"]


def test_row_total_of_zero_is_no_mass(tmp_path: Path) -> None:
    path = tmp_path / "zero.csv"
    path.write_text("Item,Qty,Mass each (kg),Total (kg)\nA,2,3,6\nB,3,2,6\nC,2,,0\n")
    assert "MP206" in {one.rule for one in mp.read_bom(path).findings}


def test_total_with_growth_includes_the_margin_of_its_own_column(tmp_path: Path) -> None:
    path = tmp_path / "lander.md"
    path.write_text(
        "| Subsystem | CBE (kg) | Margin (%) | MEV (kg) |\n|---|---|---|---|\n| Chassis | 40.0 | 10 | 44.0 |\n"
        "| Power | 20.0 | 20 | 24.0 |\n| **TOTAL DRY MASS** | **60.0** | | **68.0** |\n"
        "| System Margin (15%) | 9.0 | | 10.2 |\n| **TOTAL WITH MARGIN** | **69.0** | | **78.2** |\n"
    )
    assert set(_totals(path).values()) == {"agrees"}


def test_center_of_a_total_agrees_within_the_rounding_of_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "cart.csv"
    # 12.8·430 + 8.0·203 + 12.0·576 = 14040; 14040 / 32.8 = 428.05, within 0.05 kg of each mass of 428.9
    path.write_text(
        "Item,Mass (kg),X (mm),Y (mm),Z (mm)\nFrame,12.8,0,0,430\nWheels,8.0,0,0,203\nPack,12.0,0,0,576\n"
        "Total,32.8,0,0,427.5\n"
    )
    assert _totals(path)["Total", "Cz"] == "rounding"
    path.write_text(path.read_text().replace("427.5", "426.0"))
    assert _totals(path)["Total", "Cz"] == "contradicted"


def test_unit_that_is_not_read_is_offered_as_the_likeliest(tmp_path: Path) -> None:
    path = tmp_path / "ship.csv"
    path.write_text("Group,Weight (MT)\nHull,412.5\nOutfit,74.1\n")
    (fault,) = [one for one in mp.read_bom(path).findings if one.rule == "MP207"]
    assert fault.remedy == "write a unit such as t, or state it with --unit mass=t"


def test_net_is_the_mass_where_gross_less_tare_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "weighing.csv"
    path.write_text("Wheel,Gross kg,Tare kg,Net kg\nLeft,251.5,1.5,250.0\nRight,249.0,1.0,248.0\nNose,98.3,0.3,98.0\n")
    assert mp.rollup(path, map={"name": "Wheel"}).root.mass == 596


def test_branches_of_unknown_share_are_counted_without_it(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (kg)\n" + "".join(f"P{k},{k}.5\n" for k in range(1, 11)) + "Q,\n")
    shown = massprops("rollup", path).output
    assert re.search(r"and 4 more +(≥|>=) 7\.5 ", shown)  # 3.5, 2.5, 1.5 and an unknown one


@pytest.mark.parametrize(
    "headers", ["East (mm),North (mm),Elev. (mm)", "E (m),N (m),EL (m)", "Station (in),BL (in),WL (in)"]
)
def test_axes_named_otherwise_are_offered_one_each(headers: str, tmp_path: Path) -> None:
    path = tmp_path / "module.csv"
    path.write_text(f"Tag,Dry Wt (kg),Op. Wt (kg),{headers}\nPump,8400,8900,2500,4100,5005\nTank,500,900,25,41,55\n")
    with pytest.raises(mp.TableError) as raised:
        mp.read_bom(path)
    (note,) = [one for one in raised.value.findings if one.rule == "MP271"]
    offered = [f"--map {axis}='{header}'" for axis, header in zip(("Cx", "Cy", "Cz"), headers.split(","), strict=True)]
    assert all(option in note.message for option in offered)


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("name", ["list.md", "list.csv"])
def test_file_of_a_bom_may_be_a_path(kind: type, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(
        "| Item | Mass (kg) |\n|---|---|\n| A | 2 |\n| B | 3 |\n" if ".md" in name else "Item,Mass (kg)\nA,2\nB,3\n"
    )
    assert list(mp.Bom.read(kind(path)).bodies.mass[:2]) == [2.0, 3.0]


def _findings(path: Path, rule: str) -> list[mp.Finding]:
    return [one for one in mp.read_bom(path).findings if one.rule == rule]


@pytest.mark.parametrize("cell", ["HOLD", "hold", "HOLD - vendor data", "TBD — weigh the first print"])
def test_mass_on_hold_is_missing(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "skid.csv"
    path.write_text(f"Item,Mass (kg)\nPump,12.5\nMotor,{cell}\n")
    assert [one.item for one in _findings(path, "MP206")] == ["Motor"]
    assert not _findings(path, "MP205")


def test_quantity_on_hold_is_not_one(tmp_path: Path) -> None:
    path = tmp_path / "skid.csv"
    path.write_text("Item,Qty,Mass (kg)\nPump,2,12.5\nMotor,HOLD,3\n")
    assert _findings(path, "MP205")


def test_numbers_below_unit_in_a_group_of_weights_are_masses(tmp_path: Path) -> None:
    path = tmp_path / "hull.csv"
    path.write_text("Item,Qty,Weight (kg),\n,,Unit,Total\nPlate,4,2.5,10\nFrame,2,6,12\nBolt,8,0.25,2\n")
    bom = mp.read_bom(path)
    assert (bom.columns.by_quantity["mass"].index, bom.columns.by_quantity["line_mass"].index) == (2, 3)
    assert _root(path)["mass"] == 24.0


def test_column_with_the_most_different_names_is_offered_first(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Colour,Thing,Dry Wt (kg),Op. Wt (kg)\nred,Pump,2,3\nred,Motor,3,4\nblue,Tank,4,5\n")
    shown = massprops("validate", path, "-v").output
    assert "--map name=Thing" in shown
    assert "name=Colour" not in shown


def test_a_command_is_printed_once_and_notes_of_a_question_are_counted(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass left (g),Mass right (g),Cost\nWing,120,122,9\nServo,9,10,4\n")
    shown = massprops("rollup", path).output
    commands = [line.partition(": ")[2].strip() for line in shown.splitlines() if line.startswith("  total ")]
    assert [shown.count(command.partition(" --map ")[2]) for command in commands] == [1, 1, 1]
    assert [line.partition(":")[0] for line in shown.splitlines() if line.startswith("  total ")] == [
        "  total 261 g",
        "  total 129 g",
        "  total 132 g",
    ]
    assert "hint:" not in shown
    assert "1 note: -v" in shown
    assert " note MP271 " not in shown
    full = massprops("rollup", path, "-v").output
    assert full.count(commands[1].partition(" --map ")[2]) >= 1
    assert " note MP271 " in full


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("run massprops robot inertials on a.urdf", "run massprops robot inertials on a.urdf"),
        ("run massprops rollup a.csv --map mass=A, or massprops rollup a.csv --map mass=B", ""),
        ("use headers such as ID, or run massprops rollup a.csv --map name=B", "use headers such as ID"),
        ("write g in the name; or run massprops rollup a.csv --skip-row B", "write g in the name"),
        (
            "run massprops rollup a -o b --mass-is each if x (2 kg), or massprops rollup a -o b --mass-is line if y",
            "pass --mass-is each if x (2 kg), or --mass-is line if y",
        ),
        ("pass --mass-is each to read 5 g", "pass --mass-is each to read 5 g"),
    ],
)
def test_hints_without_the_commands_below_them(hint: str, shown: str) -> None:
    assert report_output._without_commands(hint) == shown


def test_overridden_budgets_are_not_counted(tmp_path: Path, massprops: Any) -> None:
    path, more = tmp_path / "list.csv", tmp_path / "more.toml"
    path.write_text("Item,Mass (kg)\nPump,2\nMotor,3\n")
    budget = '[[budget]]\nitem = "list"\nmass = { max = "9 kg" }\n'
    (tmp_path / "massprops.toml").write_text(3 * budget)
    more.write_text(2 * budget)
    shown = " ".join(massprops("validate", path, "-v", "--config", more).output.split())
    assert f"configuration {tmp_path / 'massprops.toml'} {more} (2 [[budget]], used by massprops check)" in shown
    assert "(3 [[budget]], used" in massprops("validate", path, "-v").output


def test_commands_that_take_too_long_to_try_are_offered_untried(
    tmp_path: Path, massprops: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (kg)\nPump,2\nMotor,\n")
    command = f"massprops rollup {path} --allow-missing mass"
    tried = json.loads(massprops("rollup", path, "--format", "json").stdout)["next"]
    assert [(one["command"].partition(" --format")[0], "is_untried" in one) for one in tried]
    assert all("total" in one and "is_untried" not in one for one in tried)
    monkeypatch.setattr(remedy_commands, "_MAX_TRIAL_SECONDS", 0.0)
    assert f"next (not tried, because that takes too long): {command}" in massprops("rollup", path).output
    untried = json.loads(massprops("rollup", path, "--format", "json").stdout)["next"]
    assert untried
    assert all(one["is_untried"] and "total" not in one for one in untried)


def test_blank_cells_of_a_variant_are_no_piece_of_it(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    """Trip A takes 2000 + 900 + 2 × 200 g; the stove is one of trip B."""
    path = tmp_path / "gear.csv"
    path.write_text(
        "Name,Weight (g),Type,Trip A,Trip B\ntent,2000,Shelter,1,\nbag,900,Sleep,1,1\nstove,300,Cook,,1\n"
        "fuel,200,Cook,2,\n"
    )
    result = massprops("rollup", path, "-o", tmp_path / "out.csv")
    assert result.exit_code != 0
    assert "--qty-column 'Trip A'" in result.output
    assert mp.rollup(mp.read_bom(path, qty_column="Trip A")).root.mass == 3300
    assert mp.rollup(mp.read_bom(path, map={"qty": "Trip A"})).root.mass == 3600


def _total_of(path: Path, text: str) -> tuple[float | None, list[str], set[str]]:
    """Roll up a text; return the mass if nothing is withheld, the ids, and the rules of errors and warnings."""
    path.write_text(text, encoding="utf-8")
    try:
        bom = mp.read_bom(path, allow_missing="center")
    except mp.TableError as error:
        return None, [], {one.rule for one in error.findings}
    rules = {one.rule for one in bom.findings if one.severity.value != "note"}
    return None if bom.is_withheld else float(mp.rollup(bom).root.mass), list(bom.ids), rules


@pytest.mark.parametrize(
    ("name", "text", "mass", "ids"),
    [
        # a mass of a metre is no coordinate
        ("bars.csv", "part,kg/m,mass (kg)\nbar,1.2,17.4\nrod,0.6,5.8\n", 23.2, ["bar", "rod"]),
        ("loads.csv", "part,N/m,mass (kg)\nbar,12,17.4\nrod,6,5.8\n", 23.2, ["bar", "rod"]),
        # an inner diameter is no number of an item
        ("rings.csv", "Part,ID (mm),Mass (g)\nHTH-1,22,120\nHTH-2,28,280\n", 400.0, ["HTH-1", "HTH-2"]),
        # a point in a share is decimal: 5,648 are thousands
        (
            "rover.md",
            "| Subsystem | Weight (g) | % |\n|---|---|---|\n| Chassis | 5,648 | 73.3% |\n| Solar | 2,055 | 26.7% |\n",
            7703.0,
            ["Chassis", "Solar"],
        ),
        # the total states more than a number: the unit of the parts is still that of their cells
        (
            "parts.md",
            "| Part | Mass |\n|---|---|\n| CPU | 5 grams |\n| GPS | 12 grams |\n| Total | 17 grams (0.6 ounces) |\n",
            17.0,
            ["CPU", "GPS"],
        ),
        ("notes.csv", "Part,Mass\nCPU,5 grams\nGPS,12 grams\nTotal,see below\n", 17.0, ["CPU", "GPS"]),
        (
            "layers.md",
            "| Layer | Material | Mass |\n|---|---|---|\n| **1. Top** | PLA | 5.2 g |\n| **2.** | Foam | 6.4 g |\n",
            11.6,
            ["1. Top", "2."],
        ),
    ],
)
def test_columns_of_public_lists_are_what_they_state(
    name: str, text: str, mass: float, ids: list[str], tmp_path: Path
) -> None:
    found, names, _ = _total_of(tmp_path / name, text)
    assert found == pytest.approx(mass, rel=1e-12)
    assert names[:-1] == ids  # the root is the last one
    assert mp.read_bom(tmp_path / name).bodies.center is None


@pytest.mark.parametrize(
    "text",
    [
        "Condition,Mass (kg)\nFull,12.25\nHalf,11.65\nEmpty,11.05\n",
        "Loading condition,Mass (t)\nBallast,812\nDeparture,1430\n",
        "link,mass (kg)\nhead,0.15\nthigh_l/r,0.08\nfoot_l/r,0.07\n",
        "link,mass (kg)\nhead,0.15\nthigh (left + right),0.08\n",
    ],
)
def test_states_and_names_of_both_sides_are_a_question(text: str, tmp_path: Path) -> None:
    assert _total_of(tmp_path / "list.csv", text)[0] is None
    assert _total_of(tmp_path / "list.csv", text)[2] >= {"MP253"}


_STATES = "Condition,Mass (kg)\nFull,12.25\nHalf,11.65\n"


@pytest.mark.parametrize(
    ("text", "options", "mass"),
    [
        (_STATES, {"map": {"name": "Condition"}}, 23.9),  # parts, as the command of the question states
        (_STATES, {"where": ["Condition = Full"]}, 12.25),
        (f"{_STATES}Total,23.9\n", {}, 23.9),  # a stated total adds them
        ("State,Qty,Mass (kg)\nspare,2,3\nused,4,1\n", {}, 10.0),  # pieces are parts
    ],
)
def test_states_that_are_parts(text: str, options: dict[str, Any], mass: float, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text)
    assert mp.rollup(mp.read_bom(tmp_path / "list.csv", **options)).root.mass == pytest.approx(mass)


def test_numbers_with_and_without_a_unit_are_no_masses_of_one_unit(tmp_path: Path) -> None:
    assert _total_of(tmp_path / "list.csv", "Part,Mass\nCPU,5 grams\nGPS,12\n")[0] is None


def test_names_after_conditions_in_other_columns_are_parts(tmp_path: Path) -> None:
    text = "Part,Condition,Mass (kg)\nWing,new,12\nTail,used,3\n"
    assert _total_of(tmp_path / "list.csv", text)[:2] == (15.0, ["Wing", "Tail", "list"])


def test_a_computed_column_of_masses_is_not_in_the_file(tmp_path: Path) -> None:
    """The remedy with a computed column is tried on a sheet most of whose rows are blank."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for place, value in {"C2": "Weight of 200", "B7": "Controls", "C7": 281.2, "B22": "Bar", "C22": 0.3}.items():
        sheet[place] = value
    book.save(tmp_path / "sparse.xlsx")
    computed = mp.read_bom(tmp_path / "sparse.xlsx", map={"mass": "Weight of 200 / 200"})
    assert computed.bodies.mass.sum() == pytest.approx((281.2 + 0.3) / 200)


def test_the_account_of_a_table_in_markdown_is_as_wide_as_its_columns(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Mass (kg),{'Remark ' * 20}\nPump,2,{'long ' * 30}\nMotor,3,\n")
    text = massprops("validate", path, "--format", "md").stdout
    (block,) = re.findall(r"\n```\n(configuration .*?)\n```\n", text, re.DOTALL)
    assert ("Remark " * 20).strip() in block


def test_notes_of_a_question_about_rows_are_counted(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Rover 2026,,\nPart,Mass (g),Optional\nBattery,200,no\nCamera,40,yes\nFrame,100,no\n")
    result = massprops("rollup", path)
    assert result.exit_code == 1
    assert "1 note: -v" in result.output
    assert "note MP228" not in result.output
    assert "note MP228" in massprops("rollup", path, "-v").output


def test_masses_of_one_side_are_not_added(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass left (g),Mass of run 2 (g)\nWing,120,122\nServo,9,10\n")
    totals = [line for line in massprops("rollup", path).output.splitlines() if line.startswith("  total ")]
    assert totals
    assert not any(" + " in line for line in totals)
