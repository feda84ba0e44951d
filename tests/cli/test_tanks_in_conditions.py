"""Tanks in loading conditions, schedules and ballast in all conditions, on the command line; answers in closed form."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp

Run = Callable[..., Any]

HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]"
TABLE = f"{HEAD}\nS,,,,,\nDRY,S,1000,0,0,1\nFUEL,S,0,0,0,0\n"
TANK = '[tank.T]\nitem = "FUEL"\nshape = "box"\ndims = "a=1 m; b=1 m; c=2 m"\ndensity = "1000 kg/m3"\nfill = 100\n'
CONDITIONS = "[condition.half]\nfill = { T = 50 }\n[condition.empty]\nfill = { FUEL = 0 }\n"
CONDITIONS += '[condition.full]\nset = ["DRY.mass=500"]\n'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A box of 2000 kg of fuel about the origin, with 1000 kg at z = 1 m."""
    (tmp_path / "bom.csv").write_text(TABLE)
    (tmp_path / "massprops.toml").write_text("root = true\n" + TANK + CONDITIONS)
    return tmp_path / "bom.csv"


def test_tanks_have_the_fill_of_the_condition_or_else_their_own(massprops: Run, table: Path) -> None:
    made = json.loads(massprops("conditions", table, "--format", "json").stdout)["conditions"]
    found = {one["name"]: (one["mass"], one["Cz"]) for one in made}
    # half: 1000 kg of fuel with its centre at −0.5 m; full: 2000 kg at 0, and 500 kg at 1 m
    assert found == {
        "half": (pytest.approx(2000), pytest.approx(0.25)),
        "empty": (pytest.approx(1000), pytest.approx(1)),
        "full": (pytest.approx(2500), pytest.approx(0.2)),
    }


def test_a_rollup_without_the_liquid_of_a_tank_has_a_warning(massprops: Run, table: Path) -> None:
    done = massprops("rollup", table)
    assert done.exit_code == 0
    assert "mass of FUEL is 0: the liquid of its tank is not in this roll-up" in done.output
    assert "1 warning" in done.output
    assert "liquid of its tank" not in massprops("conditions", table).output
    (table.parent / "massprops.toml").write_text("root = true\n")
    assert "1 warning" in massprops("rollup", table).output


@pytest.mark.parametrize("text", ["TT", "DRY"])
def test_a_fill_of_no_tank_is_an_error(massprops: Run, table: Path, text: str) -> None:
    with (table.parent / "massprops.toml").open("a") as file:
        file.write(f"[condition.wrong]\nfill = {{ {text} = 5 }}\n")
    done = massprops("conditions", table)
    assert done.exit_code == 1
    assert f"tank of condition wrong is not known: {text}" in done.output


def test_a_schedule_starts_from_a_condition(massprops: Run, table: Path) -> None:
    done = massprops("conditions", table, "--schedule", "T", "--condition", "half", "--steps", 2, "--format", "json")
    steps = json.loads(done.stdout)["steps"]
    # 1000, 500 and 0 kg of fuel: heights of 1, 0.5 and 0 m above z = −1 m
    masses = [2000, 1500, 1000]
    centers = [(1000 + m * (-1 + m / 2000)) / (1000 + m) for m in (1000, 500, 0)]
    assert [one["mass"] for one in steps] == pytest.approx(masses)
    assert [one["Cz"] for one in steps] == pytest.approx(centers)
    assert {one["Ixx"] for one in steps} == {None}  # the table states no inertia
    surface = [0.0, -0.5, -1.0]  # d(m c)/dm
    rates = [(z - c) / m for z, c, m in zip(surface, centers, masses, strict=True)]
    assert [one["dCz/dm"] for one in steps] == pytest.approx(rates)


@pytest.mark.parametrize("name", ["s.csv", "s.m", "s.mat", "s.xlsx"])
def test_a_schedule_is_written(massprops: Run, table: Path, name: str) -> None:
    done = massprops("conditions", table, "--schedule", "T", "--steps", 4, "-o", table.parent / name)
    assert done.exit_code == 0, done.output
    if name == "s.csv":
        rows = list(csv.DictReader((table.parent / name).read_text().splitlines()))
        assert [float(row["mass [kg]"]) for row in rows] == pytest.approx([3000, 2500, 2000, 1500, 1000])
    assert massprops("conditions", table, "--schedule", "T", "-o", table.parent / name, "--no-clobber").exit_code == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [("s.xml", "unknown format of a schedule"), ("s.py", "rocketpy needs the inertia of all parts")],
)
def test_a_schedule_that_a_programme_cannot_read(massprops: Run, table: Path, name: str, message: str) -> None:
    done = massprops("conditions", table, "--schedule", "T", "-o", table.parent / name)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (table.parent / name).exists()


def test_a_schedule_for_jsbsim(massprops: Run, tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_data" / "tanks" / "stage.csv"
    done = massprops("conditions", sample, "--schedule", "LOX+RP1", "--steps", 3, "-o", tmp_path / "s.jsbsim.xml")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "s.jsbsim.xml").read_text().count("<tank ") == 2


def test_the_screen_has_some_of_the_steps(massprops: Run, table: Path) -> None:
    done = massprops("conditions", table, "--schedule", "T")
    assert "11 of 51 rows are shown: -v" in done.output
    assert len(massprops("conditions", table, "--schedule", "T", "-v").output.splitlines()) > 51


@pytest.mark.parametrize("more", [["--condition", "all"], ["--budget", "b.toml"], ["--steps", "0"]])
def test_calls_of_schedules_that_have_no_meaning(massprops: Run, table: Path, more: list[str]) -> None:
    assert massprops("conditions", table, "--schedule", "T", *more).exit_code == 2


def test_ballast_keeps_limits_in_all_conditions(massprops: Run, table: Path) -> None:
    pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")
    (points := table.parent / "points.csv").write_text("id,x [m],y [m],z [m]\nP,0,0,-2\n")
    call = ["ballast", table, "--to", "Cz <= 0.5 m", "--at", points, "--format", "json"]
    least = {}
    for name in ("half", "empty", "all"):
        done = json.loads(massprops(*call, "--condition", name).stdout)
        least[name] = sum(one["mass"] for one in done["placed"])
    # empty: 1000 kg at 1 m and b at −2 m: (1000 − 2 b)/(1000 + b) = 0.5, so b = 200; half keeps the limit
    assert least == {"half": 0, "empty": pytest.approx(200), "all": pytest.approx(200)}


def test_a_tank_that_is_off_weighs_nothing(massprops: Run, table: Path) -> None:
    with (table.parent / "massprops.toml").open("a") as file:
        file.write('[condition.dry]\noff = ["FUEL"]\n')
    made = json.loads(massprops("conditions", table, "--condition", "dry", "--format", "json").stdout)["conditions"]
    assert [one["mass"] for one in made] == [1000]


PARTS = "id,parent,mass [kg]\nS,,\nBOX,S,20\nTNK,S,40\nX,S,\n"


@pytest.mark.parametrize(
    ("of_base", "changes", "masses"),
    [
        ('burn = ["TNK=10 kg"]', 'set = ["TNK.mass=40 kg"]', [50, 60]),
        ('burn = ["TNK=10 kg"]', 'scale = ["TNK.mass=2"]', [50, 80]),
        ('scale = ["S.mass=1.1"]', 'set = ["BOX.mass=9 kg"]', [66, 53]),
    ],
)
def test_changes_of_a_base_come_first(
    massprops: Run, tmp_path: Path, of_base: str, changes: str, masses: list[float]
) -> None:
    (tmp_path / "bom.csv").write_text(PARTS)
    (tmp_path / "c.toml").write_text(f'[condition.a]\n{of_base}\n[condition.b]\nbase = "a"\n{changes}\n')
    call = ["conditions", tmp_path / "bom.csv", "--conditions", tmp_path / "c.toml", "--allow-missing", "mass"]
    report = json.loads(massprops(*call, "--format", "json").stdout)
    assert [one["mass"] for one in report["conditions"]] == pytest.approx(masses)


def test_a_number_of_an_item_that_the_base_has_off_is_an_error(massprops: Run, tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(PARTS)
    (tmp_path / "c.toml").write_text(
        '[condition.a]\noff = ["BOX"]\n[condition.b]\nbase = "a"\nset = ["BOX.mass=9 kg"]\n'
    )
    done = massprops("conditions", tmp_path / "bom.csv", "--conditions", tmp_path / "c.toml", "--allow-missing", "mass")
    assert done.exit_code == 1
    assert "MP633" in done.output
    assert "is set, and BOX is off" in " ".join(done.output.split())


def test_a_number_in_a_sheet_switches_on_and_missing_masses_are_stated(massprops: Run, tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(PARTS)
    (tmp_path / "s.csv").write_text("id,empty,landing [kg]\nbase,,empty\nBOX,off,15\n")
    call = ["conditions", tmp_path / "bom.csv", "--conditions", tmp_path / "s.csv", "--allow-missing", "mass"]
    assert "known parts only: masses are missing" in massprops(*call).output
    report = json.loads(massprops(*call, "--format", "json").stdout)
    assert [one["mass"] for one in report["conditions"]] == [40, 55]
    assert report["incomplete"] == "known parts only: masses are missing"


@pytest.fixture
def two_tanks(tmp_path: Path) -> Path:
    """Boxes of 2000 and 1000 kg in one row, about z = 0 and z = 5 m."""
    (tmp_path / "bom.csv").write_text(TABLE)
    second = TANK.replace("[tank.T]", "[tank.U]").replace("1000 kg/m3", "500 kg/m3") + "at = [0, 0, 5]\n"
    (tmp_path / "massprops.toml").write_text(f"root = true\n{TANK}{second}[condition.full]\n")
    return tmp_path / "bom.csv"


def test_two_tanks_in_one_row_are_added(massprops: Run, two_tanks: Path) -> None:
    made = json.loads(massprops("conditions", two_tanks, "--format", "json").stdout)["conditions"]
    assert (made[0]["mass"], made[0]["Cz"]) == (pytest.approx(4000), pytest.approx((1000 + 5000) / 4000))


def test_tanks_empty_one_after_another_or_by_equal_shares(massprops: Run, two_tanks: Path) -> None:
    for tanks, fills in (("T,U", (25, 100)), ("U,T", (75, 0)), ("T+U", (50, 50))):
        done = massprops("conditions", two_tanks, "--schedule", tanks, "--steps", 2, "--format", "json")
        middle = json.loads(done.stdout)["steps"][1]  # 1500 of 3000 kg are left
        assert (middle["fill T"], middle["fill U"]) == pytest.approx(fills)


def test_headings_of_a_schedule_have_units_on_standard_output_too(massprops: Run, table: Path) -> None:
    head = massprops("conditions", table, "--schedule", "T", "--steps", 1, "-o", "-").stdout.splitlines()[0].split(",")
    assert {"burned [kg]", "mass [kg]", "Cz [m]", "dCz/dm [m/kg]", "fill T [%]"} <= {*head}


def test_a_row_that_has_its_tank_added_may_be_scaled(massprops: Run, table: Path) -> None:
    (table.parent / "bom.csv").write_text(TABLE.replace("FUEL,S,0", "FUEL,S,10"))
    text = f'root = true\n{TANK}row = "tank"\n[condition.heavy]\nscale = ["FUEL.mass=2"]\n'
    (table.parent / "massprops.toml").write_text(text)
    made = json.loads(massprops("conditions", table, "--format", "json").stdout)["conditions"]
    assert made[0]["mass"] == pytest.approx(1000 + 2 * 10 + 2000)


def test_a_branch_with_a_pose_is_turned_about_a_pivot(massprops: Run, tmp_path: Path) -> None:
    """A point at x = 2 of a frame turned by 90° about z and moved by (1, 0, 0), turned about x through (0, 0, 3)."""
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame"
    (tmp_path / "bom.csv").write_text(f"{head}\nS,,,,,,,,,,,,\nARM,S,4,2,0,0,1,0,0,0,0,90,own\n")
    (tmp_path / "c.toml").write_text(
        '[condition.out]\npose = { "ARM" = { rotate = "x 90 deg", pivot = "0,0,3 m", translate = "0,0,1 m" } }\n'
    )
    call = ["conditions", tmp_path / "bom.csv", "--conditions", tmp_path / "c.toml", "--format", "json"]
    made = json.loads(massprops(*call).stdout)["conditions"][0]
    # (1, 2, 0) − (0, 0, 3) is (1, 2, −3), turned (1, 3, 2), and back (1, 3, 5), and (1, 3, 6) after the translation
    assert [made[name] for name in ("Cx", "Cy", "Cz")] == pytest.approx([1, 3, 6])


def test_ballast_in_a_table_of_frames_is_in_that_of_the_root(massprops: Run, tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],frame"
    (tmp_path / "bom.csv").write_text(f"{head}\nS,,,,,,,,,\nA,S,100,0,0,0,0.1,0,0,own\n")
    (tmp_path / "p.csv").write_text("id,x [m],y [m],z [m]\nP,-1,0,0\n")
    call = ["ballast", tmp_path / "bom.csv", "--to", "Cx = 0 m", "--at", tmp_path / "p.csv", "-o", tmp_path / "out.csv"]
    assert massprops(*call).exit_code == 0
    root = mp.rollup(tmp_path / "out.csv").root
    assert root.mass == pytest.approx(110)
    assert root.center is not None
    assert root.center[0] == pytest.approx(0, abs=1e-12)


def test_tanks_empty_in_order_or_together(massprops: Run, table: Path) -> None:
    assert massprops("conditions", table, "--schedule", "T+U,V").exit_code == 2


def test_ballast_in_a_table_has_the_tensor_of_a_point(massprops: Run, tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")
    tensor = ",".join(f"I{name} [kg*m^2]" for name in ("xx", "yy", "zz", "xy", "xz", "yz"))
    head = f"id,parent,mass [kg],Cx [m],Cy [m],Cz [m],{tensor}"
    (tmp_path / "bom.csv").write_text(f"{head}\nS,,,,,,,,,,,\nA,S,100,0.1,0,0,5,5,5,0,0,0\n")
    (tmp_path / "p.csv").write_text("id,x [m],y [m],z [m]\nP,-1,0,0\n")
    call = ["ballast", tmp_path / "bom.csv", "--to", "Cx = 0 m", "--at", tmp_path / "p.csv", "-o", tmp_path / "out.csv"]
    assert massprops(*call).exit_code == 0
    root = mp.rollup(tmp_path / "out.csv").root
    # 10 kg at −1 m: the centre is 0, and Iyy = 5 + 100·0.1² + 10·1²
    assert root.inertia is not None
    assert root.inertia[1, 1] == pytest.approx(16)
    assert root.lower_bounds == ()


def test_numbers_of_a_row_that_its_tank_fills_are_an_error(massprops: Run, table: Path) -> None:
    with (table.parent / "massprops.toml").open("a") as file:
        file.write('[condition.wrong]\nscale = ["FUEL.mass=2"]\n')
    done = massprops("conditions", table)
    assert done.exit_code == 1
    assert "scale of FUEL has no effect, because tank T fills it" in " ".join(done.output.split())


def test_ballast_for_conditions_is_written_into_the_table(massprops: Run, table: Path) -> None:
    pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")
    (points := table.parent / "points.csv").write_text("id,x [m],y [m],z [m]\nP,0,0,-2\n")
    call = ["ballast", table, "--to", "Cz <= 0.5 m", "--at", points, "-o", table.parent / "out.csv"]
    assert massprops(*call, "--condition", "all").exit_code == 0
    assert mp.rollup(table.parent / "out.csv").root.mass == pytest.approx(1200)
    assert massprops(*call, "--condition", "empty").exit_code == 2


def test_ballast_has_no_place_below_what_occurs_twice(massprops: Run, tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(
        f"{HEAD.replace('mass', 'qty,mass')}\nS,,1,,,,\nA,S,1,9,1,0,0\nW,S,2,,,,\nW1,W,1,1,0,0,0\n"
    )
    (tmp_path / "p.csv").write_text("id,x [m],y [m],z [m],parent\nP,-1,0,0,W\n")
    done = massprops("ballast", tmp_path / "bom.csv", "--to", "Cx = 0 m", "--at", tmp_path / "p.csv")
    assert done.exit_code == 2
    assert "parent of P occurs 2 times: W" in done.output


def test_percentages_of_a_worksheet_are_fills(massprops: Run, table: Path) -> None:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet("cases")
    sheet.append(["id", "whole", "most"])
    sheet.append(["FUEL", 1, 0.6])
    for cell in sheet[2][1:]:
        cell.number_format = "0%"
    book.save(path := table.parent / "cases.xlsx")
    report = json.loads(massprops("conditions", table, "--conditions", path, "--format", "json").stdout)
    full, most = (one["mass"] - 1000 for one in report["conditions"])  # 1000 kg without the liquid
    assert full > 0
    assert most == pytest.approx(0.6 * full)


def test_the_budget_of_the_configuration_is_checked(massprops: Run, table: Path) -> None:
    with (table.parent / "massprops.toml").open("a") as file:
        file.write('[[budget]]\nitem = "S"\nmass-max = "1 kg"\n')
    done = massprops("conditions", table)
    assert done.exit_code == 1
    assert "MP601" in done.output
