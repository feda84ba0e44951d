"""Missing values from table to screen and file: what is computed, how it is marked, what is written, the exit codes."""

from __future__ import annotations

import csv
import io
import json

import pytest

from .conftest import assert_exit

PRODUCTS = (
    "Component,Mass (kg),CoG x (m),CoG y (m),CoG z (m),Ixx (kg m2),Iyy,Izz,Ixy,Ixz,Iyz\n"
    "Frame,100,0,0,1,40,50,60,,,\nMotor,50,1,0,1,10,12,11,,,\nCrane,20,2,0,2,,,,,,\n"
)
PLACES = "id,parent,mass,Cx,Cy,Cz\ntop,,,,,\na,top,6,1,0,0\nb,top,2,,,\nc,top,,5,5,5\n"
TENSORS = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\ntop,,,,,,,,,,,\n"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="bom.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def words_of(text):
    return " ".join(text.split())


def item(done, name="top"):
    return next(one for one in json.loads(done.stdout)["items"] if one["id"] == name)


def test_blank_products_and_a_part_without_inertia(run, table):
    """170 kg at (0·100 + 1·50 + 2·20)/170 = 9/17 and (100 + 50 + 40)/170 = 19/17 m, by hand from Ixx, Iyy, Izz."""
    done = run("rollup", table(PRODUCTS), "--format", "json")
    assert done.exit_code == 0, done.output
    root = item(done, "bom")
    assert root["mass"] == 170
    assert root["center"] == pytest.approx([9 / 17, 0, 19 / 17])
    along_z = 20 * 15 / 17**2 * 15 + 150 * 2 * 2 / 17**2  # 20 kg at 15/17 above, 150 kg at 2/17 below
    assert along_z == pytest.approx(20 * (15 / 17) ** 2 + 150 * (2 / 17) ** 2)
    along_x = 100 * (9 / 17) ** 2 + 50 * (8 / 17) ** 2 + 20 * (25 / 17) ** 2
    ixx, iyy, izz = 50 + along_z, 62 + along_z + along_x, 71 + along_x
    assert [root["inertia"][name] for name in ("Ixx", "Iyy", "Izz")] == pytest.approx([ixx, iyy, izz])
    ixz = -(100 * (-9 / 17) * (-2 / 17) + 50 * (8 / 17) * (-2 / 17) + 20 * (25 / 17) * (15 / 17))
    assert [root["inertia"][name] for name in ("Ixy", "Ixz", "Iyz")] == pytest.approx([0, ixz, 0])
    assert not root["is_point"]
    screen = words_of(run("rollup", table(PRODUCTS)).stdout)
    assert "Ixx ≥ 67.6471 Iyy ≥ 162 Izz ≥ 153.353" in screen
    assert "kg m2 of 88.2 % of the mass" in screen


def test_what_is_missing_hides_nothing_and_is_not_written(run, table, tmp_path):
    old = table("old", "bom.rollup.csv")
    done = run("rollup", table(PLACES))
    assert done.exit_code == 1
    screen = words_of(done.stdout)
    assert "bom.csv: partial, not written, 2 errors" in screen
    assert "bom.rollup.csv not updated" in screen
    assert "mass ≥ 8" in screen
    assert "CG Cx 1 Cy 0 Cz 0 of 75.0 % of the mass" in screen
    assert "--allow-missing mass,center" in screen
    assert "--allow-missing mass " not in screen
    assert "--allow-missing center" not in screen
    assert old.read_text() == "old"
    report = run("rollup", table(PLACES), "--format", "json")
    assert json.loads(report.stdout)["written"] is False
    assert item(report)["coverage"] == {
        "leaves": 3, "mass": 2, "center": 1, "inertia": 0, "center_share_of_mass": 0.75, "inertia_share_of_mass": 0,
        "mass_lower_bound": True, "moments_lower_bound": False,
    }  # fmt: skip


def test_allowed_it_is_written_with_its_coverage(run, table, tmp_path):
    done = run("rollup", table(PLACES), "--allow-missing", "mass,center", "-v")
    assert done.exit_code == 0
    assert done.stdout.count("MP290") == 1
    rows = list(csv.DictReader(io.StringIO((tmp_path / "bom.rollup.csv").read_text())))
    top = rows[0]
    assert (top["mass"], top["Cx"], top["coverage_leaves"], top["coverage_center"]) == ("8", "1", "3", "0.75")
    assert float(top["coverage_mass"]) == pytest.approx(2 / 3)
    again = run("rollup", tmp_path / "bom.rollup.csv", "-o", tmp_path / "again.csv", "--allow-missing", "mass,center")
    assert again.exit_code == 0
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "bom.rollup.csv").read_text()


def test_a_whole_table_gets_no_coverage(run, table, tmp_path):
    assert run("rollup", table("id,parent,mass\ntop,,\na,top,1\n")).exit_code == 0
    assert "coverage" not in (tmp_path / "bom.rollup.csv").read_text()


@pytest.mark.parametrize("word", ["TBD", "n/a", "?"])
def test_a_placeholder_is_missing(run, table, word):
    done = run("rollup", table(f"id,parent,mass\ntop,,\na,top,1\nb,top,{word}\n"))
    assert done.exit_code == 1
    assert "mass ≥ 1" in words_of(done.stdout)


def test_a_removed_piece_makes_no_bound(run, table):
    text = "id,parent,mass,qty\ntop,,,\na,top,6,1\nb,top,,-1\n"
    screen = words_of(run("rollup", table(text), "--allow-missing", "mass").stdout)
    assert "≥" not in screen
    assert "mass 6 of 1 of 2 leaves" in screen


def test_keep_going_writes_and_gives_1(run, table, tmp_path):
    assert_exit(
        run("rollup", table(PLACES), "--keep-going"),
        1,
        "MP206",
        "mass of c is missing",
        "centre of mass of b is missing",
    )
    assert (tmp_path / "bom.rollup.csv").exists()


def test_a_tensor_of_no_body_is_used_and_written(run, table, tmp_path):
    done = run("rollup", table(f"{TENSORS}a,top,2,0,0,0,1,1,9,0,0,0\n"), "--poi", "-")
    assert done.exit_code == 1
    assert "MP404" in done.stdout
    top = next(csv.DictReader(io.StringIO((tmp_path / "bom.rollup.csv").read_text())))
    assert (top["mass"], top["Izz"]) == ("2", "9")


def test_a_product_without_sign_holds_back_products_alone(run, table, tmp_path):
    path = table(f"{TENSORS}a,top,2,0,0,0,4,4,4,1,0,0\nb,top,2,0,2,0,1,1,1,0,0,0\n")
    done = run("rollup", path)
    assert done.exit_code == 1
    screen = words_of(done.stdout)
    assert "--poi +" in screen
    assert "--poi -" in screen
    top = next(csv.DictReader(io.StringIO((tmp_path / "bom.rollup.csv").read_text())))
    assert [top[name] for name in ("mass", "Cy", "Ixx", "Iyy", "Izz")] == ["4", "1", "9", "5", "9"]
    assert [top[name] for name in ("Ixy", "Ixz", "Iyz")] == ["", "", ""]
    assert run("rollup", path, "--poi", "+").exit_code == 0


def test_computed_products_without_sign_are_left_out_with_a_warning(run, table, tmp_path):
    done = run("rollup", table(f"{TENSORS}a,top,2,1,0,0,4,4,4,0,0,0\nb,top,2,0,2,0,1,1,1,0,0,0\n"))
    assert done.exit_code == 0
    screen = words_of(done.stdout)
    assert "warning MP224" in screen
    assert "--poi -" in screen
    assert "Ixy 2" in screen  # -(1·0.5·-1 + …): 2·0.5·1 + 2·0.5·1
    top = next(csv.DictReader(io.StringIO((tmp_path / "bom.rollup.csv").read_text())))
    assert (top["mass"], top["Ixy"]) == ("4", "")


@pytest.mark.parametrize("row", ["a,top,2,1,,,1,1,1,0,0,0", "a,top,2,1,1,1,1,,,0,0,0", "a,top,2,1,1,1,1,1,1,0,,"])
def test_a_part_of_a_set_is_an_error_and_the_rest_is_printed(run, table, row):
    done = run("rollup", table(f"{TENSORS}{row}\nb,top,2,0,2,0,1,1,1,0,0,0\n"), "--poi", "-", "--allow-missing", "all")
    assert done.exit_code == 1
    assert "MP212" in done.stdout
    assert "mass 4" in words_of(done.stdout)


def test_missing_sigmas_leave_the_others(run, table):
    text = "id,parent,mass,Cx,Cy,Cz,sigma_mass\ntop,,,,,,\na,top,2,1,0,0,0.3\nb,top,2,0,0,0,0.4\n"
    done = run("rollup", table(text), "--format", "json")
    assert done.exit_code == 0
    assert item(done)["sigma_mass"] == pytest.approx(0.5)
    assert "sigma_center" not in item(done)
    assert_exit(run("rollup", table(text), "--strict"), 1, "MP504")


BUDGET = '[[budget]]\nitem = "top"\nmass-max = {top}\n{more}'


@pytest.mark.parametrize(
    ("top", "more", "code", "state"),
    [
        ("9", "", 1, "undecided"),
        ("7", "", 1, "broken"),  # 8 known already
        ("9", 'incomplete = "allow"', 0, "kept"),
        ("7", 'incomplete = "allow"', 1, "broken"),
    ],
)
def test_a_limit_is_broken_or_undecided(run, table, top, more, code, state):
    budget = table(BUDGET.format(top=f'"{top} kg"', more=more), "budget.toml")
    path = table(PLACES.replace("mass,", "mass [kg],"))
    done = run("check", path, "--budget", budget, "--format", "json", "--allow-missing", "all")
    assert done.exit_code == code, done.output
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert verdict["kept"] == (state == "kept")
    assert verdict["undecided"] == (state == "undecided")


def test_a_centre_of_a_part_is_undecided(run, table):
    budget = table('[[budget]]\nitem = "top"\ncenter-x = ["0 m", "2 m"]\n', "budget.toml")
    path = table(PLACES.replace("mass,Cx,Cy,Cz", "mass [kg],Cx [m],Cy [m],Cz [m]"))
    done = run("check", path, "--budget", budget, "--allow-missing", "all")
    assert done.exit_code == 1
    assert "undecided" in done.stdout


@pytest.mark.parametrize("command", [("tree",), ("whatif", "--set", "a.mass=5"), ("validate",)])
def test_other_commands_go_on_and_give_1(run, table, command):
    done = run(command[0], table(PLACES), *command[1:])
    assert done.exit_code == 1
    assert "MP206" in done.output
    assert command[0] == "validate" or "top" in done.stdout


def test_cells_are_checked_where_no_tree_can_be_made(run, table):
    done = run("validate", table("level,id,mass\nx,a,1\ny,b,2..5\n"))
    assert done.exit_code == 2
    for rule in ("MP312", "MP205"):
        assert rule in done.output
    assert "2..5" in done.output


def test_rules_state_what_an_error_does(run):
    assert "As an error: written" in run("rules", "MP403").stdout
    assert "As an error: not written" in run("rules", "MP206").stdout
    shown = run("rules", "MP111").stdout
    assert "As an error: stops" in shown
    assert "\n\nRemedy: provide a table with a header and at least one row\n\n" in shown


def test_strict_excludes_what_may_be_missing(run, table):
    assert_exit(
        run("rollup", table(PLACES), "--strict", "--allow-missing", "mass"), 2, "--strict", "--allow-missing mass"
    )
    assert_exit(run("rollup", table(PLACES), "--allow-missing", "none,mass"), 2, "--allow-missing", "none,mass")


NO_CENTRES = "id,parent,mass,Ixx,Iyy,Izz\nR,,,,,\nA,R,10,1,1,1\nB,R,5,1,1,1\n"


def test_moments_without_centre_columns_give_no_tensor_of_an_assembly(run, table):
    """Without a place no tensor can be moved: 15 kg are known, Ixx is not, and 0 would be wrong."""
    path = table(NO_CENTRES)
    screen = words_of(run("rollup", path).stdout)
    assert "mass 15" in screen
    assert "moments Ixx - Iyy - Izz - of 0.0 % of the mass" in screen
    assert "radii kx - ky - kz - of 0.0 % of the mass" in screen
    assert "mass of all; inertia of 0 (0.0 % of mass)" in screen
    top = item(run("rollup", path, "--format", "json", "--keep-going"), "R")
    assert (top["mass"], top["inertia"], top["radii"], top["principal"]) == (15.0, None, None, None)
    assert (top["coverage"]["leaves"], top["coverage"]["inertia"]) == (2, 0)
    run("rollup", path, "--keep-going", "-o", "out.csv")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO((path.parent / "out.csv").read_text("utf-8")))}
    assert [rows["R"][name] for name in ("mass", "Ixx", "Iyy", "Izz")] == ["15", "", "", ""]
    assert [rows["A"][name] for name in ("mass", "Ixx", "Iyy", "Izz")] == ["10", "1", "1", "1"]
    assert (rows["R"]["coverage_leaves"], rows["R"]["coverage_inertia"]) == ("2", "0")


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("id,parent,qty,mass\ntop,,,\na,top,1,6\nb,top,-1,\n", "mass"),
        ("id,parent,mass,Cx,Cy,Cz\ntop,,,,,\na,top,6,1,0,0\nb,top,2,,,\n", "center"),
        (TENSORS + "a,top,6,1,0,0,1,1,1,0,0,0\nb,top,2,0,0,0,,,,,,\n", "inertia"),
    ],
)
def test_the_remedy_of_missing_values_promises_no_bound(run, table, text, allowed):
    """What is removed, and a centre, may move either way once it is known."""
    done = run("rollup", table(text), "--allow-missing", allowed)
    words = words_of(done.stdout + done.stderr)
    assert "MP223" in words
    assert "bound" not in words.split("MP223", 1)[1]
    assert "until then" in words.split("MP223", 1)[1]


@pytest.mark.parametrize("command", [("rollup",), ("tree",), ("validate",), ("whatif", "--set", "a.mass=5")])
def test_what_may_be_missing_adds_up(run, table, command):
    twice = ("--allow-missing", "mass", "--allow-missing", "center")
    assert run(command[0], table(PLACES), *command[1:], *twice).exit_code == 0
    none = run(command[0], table(PLACES), *command[1:], *twice, "--allow-missing", "none")
    assert_exit(none, 1, "MP206", "mass of c is missing", "centre of mass of b is missing")
    assert run(command[0], table(PLACES), *command[1:], "--allow-missing", "none", *twice).exit_code == 0


def test_the_remedy_keeps_what_is_allowed_already(run, table):
    screen = words_of(run("rollup", table(PLACES), "--allow-missing", "mass").stdout)
    assert "--allow-missing mass,center" in screen
    strict = run("rollup", table(PLACES), "--strict", "--allow-missing", "none", "--allow-missing", "mass")
    assert_exit(strict, 2, "--strict", "--allow-missing none,mass")


OUTSIDE = "id,parent,mass [kg]\nR,,\nA,R,1\nS,R,\nC,S,4\nB,Q,2\n"


@pytest.mark.parametrize(
    ("limit", "code", "state", "at_least"),
    [
        ('mass-max = "7 kg"', 1, "undecided", 5),  # 1 + 4 known, 2 outside
        ('mass-max = "4 kg"', 1, "broken", None),
        ('mass-min = "1 kg"', 1, "undecided", 5),
        ('coverage-min = "90 %"', 1, "undecided", None),
        ('mass-max = "7 kg"\nincomplete = "allow"', 1, "kept", None),  # the error of the table remains
    ],
)
def test_a_limit_on_a_tree_with_errors_is_never_just_kept(run, table, limit, code, state, at_least):
    budget = table(f'[[budget]]\nitem = "R"\n{limit}\n', "budget.toml")
    path = table(OUTSIDE)
    done = run("check", path, "--budget", budget, "--format", "json")
    assert done.exit_code == code, done.output
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert (verdict["kept"], verdict["undecided"]) == (state == "kept", state == "undecided")
    assert verdict.get("at_least") == at_least
    if state == "undecided":
        assert "MP305" in verdict["message"]
        assert "items may be outside the tree" in verdict["message"]
    whole = run("check", table(OUTSIDE.replace(",Q,", ",R,")), "--budget", budget, "--format", "json")
    assert not json.loads(whole.stdout)["verdicts"][0]["undecided"]


def test_an_undecided_limit_names_its_gaps_and_its_remedy(run, table):
    budget = table(BUDGET.format(top='"25 kg"', more='center-x = ["0 m", "3 m"]\nmargin-min = "2 %"\n'), "budget.toml")
    path = table(
        "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\ntop,,,,,\na,top,20,1,2,3\nb,top,,,,\nc,top,2,,,\nd,top,0,,,\n"
    )
    done = run("check", path, "--budget", budget)
    assert done.exit_code == 1
    screen = words_of(done.stdout)
    assert "≥ 22 kg" in screen
    assert "1 of its 4 parts has no mass (b), 2 have no centre (b, c)" in screen
    assert screen.count('enter the missing values, or state incomplete = "allow" in an entry of a budget file') == 3
    assert "waive it" not in screen


@pytest.mark.parametrize(("qty", "mark"), [("-1", "R 11 of 3 of 4 leaves"), ("1", "R ≥ 11")])
def test_a_tree_marks_what_is_not_whole_and_has_no_shares(run, table, qty, mark):
    text = f"id,parent,mass,qty\nR,,,\nA,R,6,1\nS,R,,1\nD,S,3,1\nE,S,2,1\nB,R,,{qty}\n"
    done = run("tree", table(text), "--allow-missing", "mass")
    assert done.exit_code == 0
    screen = words_of(done.stdout)
    assert mark in screen
    assert "%" not in screen
    assert "share" not in screen
    whole = words_of(run("tree", table(text.replace(f"B,R,,{qty}", "B,R,9,1"))).stdout)
    assert "share" in whole
    assert "R 20 100 %" in whole
