"""``massprops conditions``, and ``--condition`` of other commands."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from .conftest import ROOT, assert_exit

TABLE = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg]\nS,,,,,,\nA,S,2,0,0,0,0.3\nF,S,3,1,0,0,0.4\n"
CONDITIONS = '[condition.wet]\n[condition.dry]\nbase = "wet"\noff = ["F"]\n'


@pytest.fixture
def table(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("massprops.toml").write_text(CONDITIONS)
    Path("budget.toml").write_text('[[budget]]\nitem = "S"\nmass-max = "4 kg"\nbasis = "basic"\n')
    path = tmp_path / "bom.csv"
    path.write_text(TABLE)
    return path


def test_screen_json_and_tables(run, table):
    result = run("conditions", "bom.csv", "-v")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "wet 5.00 ± 0.50 0.6 0 0" in lines
    assert "dry 2.00 ± 0.30 0 0 0" in lines
    assert "dry wet -3.00 ± 0.40 -0.6 0 0" in lines
    report = json.loads(run("conditions", "bom.csv", "--format", "json", "--budget", "budget.toml").stdout)
    wet, dry = report["conditions"]
    assert (wet["mass"], wet["limits"], dry["mass"], dry["limits"]) == (5, "broken", 2, "kept")
    assert dry["from_base"]["mass"] == -3
    assert dry["from_base"]["sigma_mass"] == pytest.approx(0.4)
    assert wet["verdicts"][0]["limit"] == 4
    first = json.loads(run("conditions", "bom.csv", "--format", "jsonl").stdout.splitlines()[0])
    assert first["name"] == "wet"
    assert run("conditions", "bom.csv", "-o", "out.csv", "--budget", "budget.toml", "-q").exit_code == 1
    with Path("out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["condition"], row["mass [kg]"], row["limits"]) for row in rows] == [
        ("wet", "5", "broken"),
        ("dry", "2", "kept"),
    ]
    assert run("conditions", "bom.csv", "-o", "out.xlsx", "-q").exit_code == 0
    import openpyxl

    sheet = openpyxl.load_workbook("out.xlsx")["Conditions"]
    assert [cell.value for cell in sheet["A"]][-2:] == ["wet", "dry"]
    assert "dry" in run("conditions", "bom.csv", "--format", "md", "--condition", "dry").output


def test_one_condition_in_other_commands(run, table):
    result = run("rollup", "bom.csv", "--condition", "dry")
    assert result.exit_code == 0
    assert "rolled up 3 items in condition dry" in result.output
    assert not Path("bom.rollup.csv").exists()
    tree = json.loads(run("tree", "bom.csv", "--condition", "dry", "--format", "json").stdout)
    assert tree["items"][0]["mass"] == 2
    assert "mass = 2.00 ± 0.30" in run("contributions", "bom.csv", "--condition", "dry").output
    assert run("check", "bom.csv", "--budget", "budget.toml", "--condition", "dry").exit_code == 0
    assert run("check", "bom.csv", "--budget", "budget.toml", "--condition", "wet").exit_code == 1
    Path("new.csv").write_text(TABLE.replace("F,S,3", "F,S,9").replace("A,S,2", "A,S,2.5"))
    change = json.loads(run("diff", "bom.csv", "new.csv", "--condition", "dry", "--format", "json").stdout)
    assert change["waterfall"]["after"] - change["waterfall"]["before"] == 0.5
    everything = run("rollup", "bom.csv", "--condition", "all")
    assert everything.output.splitlines()[:5] == run("conditions", "bom.csv").output.splitlines()[:5]


ENVELOPE = (
    '[[envelope]]\nname = "flight"\npoints = [["0 m", "1 kg"], ["0.5 m", "1 kg"], ["0.7 m", "6 kg"], ["0 m", "6 kg"]]\n'
)


def test_envelopes(run, table):
    Path("massprops.toml").write_text(CONDITIONS + ENVELOPE)
    more = ["sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]", ",,", "0.01,0,0", "0.01,0,0"]
    table.write_text("".join(f"{row},{own}\n" for row, own in zip(TABLE.splitlines(), more, strict=True)))
    result = run("conditions", "bom.csv", "-o", "out.xlsx", "--plot", "out.svg")
    assert result.exit_code == 0
    assert "Cx" in Path("out.svg").read_text()
    lines = [" ".join(line.split()) for line in run("conditions", "bom.csv").output.splitlines()]
    assert "envelope flight at kg margin mm margin kg σ P inside" in lines
    wet = next(line for line in lines if line.startswith("wet inside"))
    # border at 0.5 + 0.2 · 4/5 m, and 6 kg; V[c] = 0.002372, V[m] = 0.25, V[c, m] = 0.002 along (1, −0.04)
    assert wet.startswith(f"wet inside 5 60 1 {0.06 / (0.002372 + 0.0016 * 0.25 - 0.08 * 0.002) ** 0.5:.2f} ")
    report = json.loads(run("conditions", "bom.csv", "--format", "json").stdout)
    assert [(one["condition"], one["inside"]) for one in report["envelopes"]] == [("wet", True), ("dry", True)]
    assert 0.5 < report["envelopes"][0]["probability"] < 1
    assert json.loads(run("conditions", "bom.csv", "--format", "jsonl").stdout.splitlines()[-1])["envelope"] == "flight"
    assert "flight" in run("conditions", "bom.csv", "--format", "md").output
    import openpyxl

    rows = [[cell.value for cell in row] for row in openpyxl.load_workbook("out.xlsx")["Conditions"]]
    head = next(row for row in rows if row[0] == "condition")
    at = head.index("flight margin [m]")
    assert rows[-2][at - 1 : at + 2] == ["inside", pytest.approx(0.06), 1]


def test_envelopes_of_a_budget_file_and_outside(run, table):
    with Path("budget.toml").open("a") as file:
        file.write(ENVELOPE.replace("0.7 m", "0.5 m"))
    result = run("conditions", "bom.csv", "--budget", "budget.toml", "--condition", "wet")
    assert result.exit_code == 1
    assert (
        "budget.toml:5  error MP657  condition wet: Cx 600 mm at 5 kg is outside envelope flight, 100 mm"
        in " ".join(result.output.split("\n"))
    )
    assert run("check", "bom.csv", "--budget", "budget.toml", "--condition", "dry").exit_code == 0
    Path("alone.toml").write_text(ENVELOPE)
    assert run("conditions", "bom.csv", "--budget", "alone.toml").exit_code == 0
    assert_exit(run("check", "bom.csv", "--budget", "alone.toml"), 2, "[[envelope]] is for massprops conditions")
    assert_exit(run("conditions", "bom.csv", "--plot", "x.svg"), 2, "--plot draws envelopes, and none is stated")
    Path("alone.toml").write_text(ENVELOPE + 'colour = "red"\n')
    assert_exit(run("conditions", "bom.csv", "--budget", "alone.toml"), 2, "alone.toml:4: unknown key: envelope.colour")


def test_table_of_a_condition(run, table):
    """Written cells roll up to the condition: parts that are off, set, scaled, burned and filled again."""
    more = '[condition.less]\nbase = "wet"\nscale = ["A.mass=1.5"]\nset = ["F.Cx=2 m"]\n'
    more += '[[mission]]\nstep = "burned"\nburn = ["F=2 kg"]\n[[mission]]\nstep = "filled"\nset = ["F.mass=2.5 kg"]\n'
    Path("massprops.toml").write_text(CONDITIONS + more)
    wanted = {
        one["name"]: one for one in json.loads(run("conditions", "bom.csv", "--format", "json").stdout)["conditions"]
    }
    for name, mass in (("dry", 2), ("less", 6), ("burned", 3), ("filled", 4.5)):
        result = run("rollup", "bom.csv", "--condition", name, "-o", "out.csv")
        assert result.exit_code == 0
        assert f"in condition {name}" in result.output
        read = run("tree", "out.csv", "--config", "none", "--format", "json")
        root = json.loads(read.stdout)["items"][0]
        assert root["mass"] == pytest.approx(mass) == pytest.approx(wanted[name]["mass"])
        with Path("out.csv").open(newline="") as file:
            top = next(csv.DictReader(file))
        assert float(top["mass [kg]"]) == pytest.approx(mass)
        assert float(top["Cx [m]"]) == pytest.approx(wanted[name]["Cx"], abs=1e-12)
        assert float(top["sigma_mass [kg]"]) == pytest.approx(wanted[name]["sigma_mass"])
    piped = run(
        "rollup", "-", "--from", "csv", "--config", "massprops.toml", "--condition", "dry", "-o", "-", input=TABLE
    )
    assert piped.stdout.splitlines()[1].startswith("S,,2,")
    turned = '[condition.turned]\npose = { A = { translate = "0,0,1 m" } }\n'
    Path("massprops.toml").write_text(CONDITIONS + turned)
    result = run("rollup", "bom.csv", "--condition", "turned", "-o", "new.csv")
    assert_exit(result, 2, "cells of a table cannot hold the motion of A; omit -o to see the condition")
    assert not Path("new.csv").exists()


def test_conditions_of_a_file_in_other_commands(run, table):
    Path("loads.csv").write_text("id,late [kg]\nF,1.5\n")
    result = run("tree", "bom.csv", "--condition", "late", "--config", "conditions=loads.csv", "--format", "json")
    assert json.loads(result.stdout)["items"][0]["mass"] == 3.5
    assert "late" in run("conditions", "bom.csv", "--conditions", "loads.csv").output


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (("tree", "--condition", "all"), 2, "--condition all is a table of conditions"),
        (("tree", "--condition", "dri"), 2, "unknown condition: dri; the nearest is dry"),
        (("rollup", "--condition", "dry", "--in-place"), 2, "-o FILE writes the table in the condition"),
        (("conditions", "--config", "none"), 2, "no condition is given"),
        (("conditions", "--conditions", "no.csv"), 2, "conditions are not a file, and not a sheet of bom.csv: no.csv"),
        (("whatif", "--condition", "dry"), 2, "condition dry has base, and what-if makes set"),
        (("conditions", "--uncertainty", "montecarlo"), 2, "montecarlo is not supported by conditions"),
    ],
)
def test_wrong_calls(run, table, call, code, words):
    name, *more = call
    assert_exit(run(name, "bom.csv", *more), code, words)


def test_faults_of_conditions_and_of_the_table(run, table):
    Path("massprops.toml").write_text(CONDITIONS + '[condition.x]\noff = ["G"]\nset = ["A.mass=-1"]\n')
    result = run("conditions", "bom.csv")
    assert result.exit_code == 1
    assert "massprops.toml:6  error MP630" in result.output
    assert "massprops.toml:7  error MP632" in result.output
    assert "not computed" in result.output or "no condition is computed" in result.output
    for command in ("tree", "rollup", "check", "contributions"):  # as faults of tables
        budget = ("--budget", "budget.toml") if command == "check" else ()
        assert_exit(run(command, "bom.csv", "--condition", "x", *budget), 1, "MP630")
    assert json.loads(run("tree", "bom.csv", "--condition", "x", "--format", "json").stdout)["findings"]
    budget = run("conditions", "bom.csv", "--condition", "wet", "--budget", "budget.toml")
    assert_exit(budget, 1, "condition wet: S: basic mass 5 kg is above 4 kg by 1 kg")
    assert run("tree", "bom.csv", "--condition", "dry").exit_code == 0  # faults of another condition do not matter
    table.write_text(TABLE.replace("A,S,2", "A,S,two"))
    result = run("conditions", "bom.csv")
    assert result.exit_code == 1
    assert "MP205" in result.output


def test_the_samples(run, monkeypatch):
    monkeypatch.chdir(ROOT / "sample_data" / "conditions")
    report = json.loads(run("conditions", "satellite.csv", "--conditions", "satellite.toml", "--format", "json").stdout)
    found = {one["name"]: one for one in report["conditions"]}
    assert found["stowed"]["mass"] == found["deployed"]["mass"] == 711
    assert found["dry"]["mass"] == 531
    assert found["operation"]["mass"] == pytest.approx(571, rel=1e-12)
    assert found["deployed"]["Izz"] > found["stowed"]["Izz"] + 70  # 2 · 18 kg, 0.9 m further out


def test_a_difference_that_cancels_has_no_sigma(run, table):
    """A turn about x moves no x: its σ is 0, and not the root of what rounding leaves of two variances."""
    head = (
        "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\nR,,,,,,,,,\n"
    )
    rows = ["A,R,79.9,-0.5,-2,.3,.73", "B,R,67.8,-.8,-.4,.1,.8", "C,R,52.6,-.6,-.1,-2.8,.14", "D,R,70.6,2.9,.6,-.6,.25"]
    Path("turn.csv").write_text(head + "".join(f"{row},.01,.01,.01\n" for row in rows))
    Path("turn.toml").write_text('[condition.a]\n[condition.b]\nbase = "a"\npose = { B = { rotate = "x 90 deg" } }\n')
    report = json.loads(run("conditions", "turn.csv", "--conditions", "turn.toml", "--format", "json").stdout)
    change = report["conditions"][1]["from_base"]
    assert change["sigma_Cx"] == 0
    assert change["sigma_Cy"] > 1e-3


def test_tensors_without_some_parts_are_named(run, table):
    Path("part.csv").write_text(
        "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx,Iyy,Izz,Ixy,Ixz,Iyz\nR,,,,,,,,,,,\nA,R,5,0,0,0,2,2,2,0,0,0\n"
    )
    Path("part.toml").write_text('[condition.more]\nnew = ["N parent=R mass=1 Cx=0 Cy=0 Cz=0"]\n')
    done = run("conditions", "part.csv", "--conditions", "part.toml", "-v", "--allow-missing", "inertia")
    assert "known parts only: tensors are missing" in " ".join(done.output.split())
