"""The review table: masses of groups against sums done here, on the screen, in files and in the library."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.reports.page.conventions import tied_masses, tying_decimals
from tests.cli.test_screen import shown_on_terminal

PARTS = [  # subsystem, mass, growth in percent, sigma
    ("Power", 12.0, 10, 0.3), ("Power", 8.0, 5, 0.4), ("Payload", 20.5, 20, 1.2), ("", 1.5, 0, 0.1),
    ("Structure", 30.0, 2, 0.5),
]  # fmt: skip
EQUIPMENT = "name,Subsystem,mass [kg],mga [%],sigma_mass [kg]\n" + "".join(
    f"part {k},{group},{mass},{growth},{sigma}\n" for k, (group, mass, growth, sigma) in enumerate(PARTS)
)
TREE = """id,parent,name,qty,mass [g],mga [%]
SAT,,Satellite,,,
PWR,SAT,Power,2,,
BAT,PWR,Battery,3,100,10
PCB,PWR,Board,1,50,20
STR,SAT,Structure,1,700,0
"""


@pytest.fixture
def equipment(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_text(EQUIPMENT)
    return path


def on_terminal(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], columns: int) -> str:
    """Return what a command prints on a terminal, without its colours."""
    monkeypatch.chdir(Path(words[1]).parent)
    text = shown_on_terminal(monkeypatch, ("rollup", Path(words[1]).name, *words[2:]), columns)
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def cells(text: str, label: str) -> list[str]:
    """Return the numbers of the row with a label."""
    [line] = [line for line in text.splitlines() if line.strip().startswith(label)]
    return re.findall(r"≥?-?\d[\d.]*", line.partition(label)[2])


def group_sums(group: str) -> tuple[float, float, float]:
    """Add up the mass, the predicted mass and the variance of one group of PARTS."""
    own = [one for one in PARTS if one[0] == group]
    return (
        math.fsum(mass for _, mass, *_ in own),
        math.fsum(mass * (1 + growth / 100) for _, mass, growth, _ in own),
        math.fsum(sigma**2 for *_, sigma in own),
    )


def test_a_list_is_summed_by_its_subsystem(equipment: Path) -> None:
    table = mp.rollup(mp.read_bom(equipment)).table()
    assert table["Subsystem"].tolist()[:-1] == ["Structure", "Payload", "Power", "(no group)"]
    for _, row in table.iloc[:-1].iterrows():
        mass, predicted, variance = group_sums("" if row["Subsystem"] == "(no group)" else row["Subsystem"])
        assert row["mass"] == pytest.approx(mass)
        assert row["predicted_mass"] == pytest.approx(predicted)
        assert row["allowance_mass"] == pytest.approx(predicted - mass)
        assert row["allowance_percent"] == pytest.approx(100 * (predicted - mass) / mass)
        assert row["sigma_mass"] == pytest.approx(math.sqrt(variance))
        assert row["share"] == pytest.approx(mass / 72)
    assert table["mass"].iloc[:-1].sum() == pytest.approx(table["mass"].iloc[-1]) == pytest.approx(72)
    assert table.attrs["units"]["mass"] == "kg"
    assert table.attrs["units"]["allowance_percent"] == "%"


def test_printed_rows_add_up_to_the_printed_total(massprops: Callable[..., Any], equipment: Path) -> None:
    text = massprops("rollup", equipment).stdout
    assert "Subsystem (kg)" in text
    rows = [cells(text, label) for label in ("Structure", "Payload", "Power", "(no group)")]
    total = cells(text, "total")
    for column in (0, 3, 4):  # basic mass, growth, predicted mass
        assert sum(float(row[column]) for row in rows) == pytest.approx(float(total[column]), abs=1e-9)
    assert "heaviest" not in text


def test_pieces_and_levels_of_a_tree(tmp_path: Path) -> None:
    """Two PWR of three 100 g batteries and a 50 g board: 700 g, predicted 2 (3 · 110 + 60) = 780 g."""
    (tmp_path / "tree.csv").write_text(TREE)
    result = mp.rollup(mp.read_bom(tmp_path / "tree.csv"))
    table = result.table()
    assert table.columns[0] == "level:1"
    assert dict(zip(table["level:1"], table["mass"], strict=True)) == {"PWR": 700, "STR": 700, "SAT": 1400}
    assert table.set_index("level:1")["predicted_mass"].tolist() == pytest.approx([780, 700, 1480])
    assert table["name"].tolist()[:2] == ["Power", "Structure"]
    below = result.table("level:2").set_index("level:2")["mass"]
    assert below.to_dict() == {"BAT": 600, "PCB": 100, "STR": 700, "SAT": 1400}


BUDGET = """
[[budget]]
item = { column = "Subsystem", value = "Power" }
mass-max = "20000 g"
[[budget]]
item = { column = "Subsystem", value = "Payload" }
mass-max = "60 lb"
margin-basis = "allocation"
[[budget]]
item = { level = 0 }
mass-max = "0.09 t"
"""


def test_limits_in_other_units(massprops: Callable[..., Any], equipment: Path) -> None:
    budget = equipment.with_name("budget.toml")
    budget.write_text(BUDGET)
    table = mp.rollup(mp.read_bom(equipment)).table(limits=budget).set_index("Subsystem")
    power, payload, total = table.loc["Power"], table.loc["Payload"], table.iloc[-1]
    assert (power["limit"], power["margin"]) == pytest.approx((20, 20 - 21.6))
    assert power["margin_percent"] == pytest.approx(100 * (20 - 21.6) / 21.6)
    limit = 60 * 0.45359237
    assert (payload["limit"], payload["margin"]) == pytest.approx((limit, limit - 24.6))
    assert payload["margin_percent"] == pytest.approx(100 * (limit - 24.6) / limit)
    assert total["margin"] == pytest.approx(90 - (21.6 + 24.6 + 1.5 + 30.6))
    assert math.isnan(table.loc["Structure", "limit"])
    done = massprops("rollup", equipment, "--budget", budget, "--format", "json")
    rows = json.loads(done.stdout)["review"]
    assert [row.get("limit") for row in rows] == pytest.approx([None, limit, 20, None, 90])
    assert rows[-1]["total"] == json.loads(done.stdout)["root"]


def test_a_negative_margin_is_red(process: Callable[..., Any], equipment: Path) -> None:
    (equipment.with_name("budget.toml")).write_text(BUDGET)
    done = process("rollup", "list.csv", "--budget", "budget.toml", FORCE_COLOR="1", COLUMNS="200")
    [line] = [line for line in done.stdout.decode().splitlines() if "Power" in line]
    assert re.search(r"\x1b\[1;31m-1\.60?\x1b\[0m", line), line


def test_limit_of_an_item_is_that_of_all_its_pieces(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "limits.toml").write_text('[[budget]]\nitem = "PWR"\nmass-max = "400 g"\nbasis = "basic"\n')
    row = mp.rollup(mp.read_bom(tmp_path / "tree.csv")).table(limits=tmp_path / "limits.toml").iloc[0]
    assert (row["limit"], row["margin"]) == (800, 100)


def test_limits_of_the_configuration_and_of_columns(massprops: Callable[..., Any], equipment: Path) -> None:
    equipment.with_name("massprops.toml").write_text(BUDGET)
    table = mp.rollup(mp.read_bom(equipment)).table()
    assert table.set_index("Subsystem").loc["Power", "limit"] == pytest.approx(20)
    column = equipment.with_name("columns.csv")
    column.write_text("id,parent,mass [kg],Mass limit [kg]\nA,,,\nB,A,,9\nC,B,8,\nD,A,3,\n")
    found = mp.rollup(mp.read_bom(column, config=False)).table().set_index("level:1")
    assert (found.loc["B", "limit"], found.loc["B", "margin"]) == (9, 1)


def test_partial_growth_leaves_the_predicted_mass_open(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,Group,mass [kg],mga [%]\na,X,2,10\nb,X,3,\nc,Y,4,50\nd,Y,1,0\n")
    table = mp.rollup(mp.read_bom(path)).table("Group").set_index("Group")
    assert table.loc["Y", "predicted_mass"] == pytest.approx(7)
    assert math.isnan(table.loc["X", "predicted_mass"])
    text = massprops("rollup", path).stdout
    assert "1 part without a growth allowance" in text
    assert cells(text, "Y")[:4] == ["5", "40.0", "2", "7"]
    assert cells(text, "X")[:2] == ["5", "50.0"]  # mass, share


def test_missing_masses_are_lower_bounds(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,Group,mass [kg]\na,X,2\nb,X,\nc,Y,4\nd,Y,1\n")
    table = mp.rollup(mp.read_bom(path, allow_missing="mass")).table()
    assert table.attrs["lower_bounds"] == ["X", table["Group"].iloc[-1]]
    assert re.search(r"X +≥ 2 ", massprops("rollup", path, "--allow-missing", "mass").stdout)


def test_one_group_is_no_table(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,Group,mass [kg]\na,X,2\nb,X,3\n")
    done = massprops("rollup", path, "--format", "json")
    assert "review" not in json.loads(done.stdout)
    assert "By Group" not in massprops("rollup", path, "--format", "md").stdout
    assert "part (kg)" in massprops("rollup", path).stdout
    assert mp.rollup(mp.read_bom(path)).table().iloc[:, 1].tolist()[-1] == 5


def test_masses_of_zero(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,Group,mass [kg],mga [%]\na,X,0,10\nb,X,0,10\nc,Y,0,0\nd,Y,0,0\n")
    table = mp.rollup(mp.read_bom(path)).table()
    assert table["predicted_mass"].tolist() == [0, 0, 0]
    assert table["allowance_percent"].isna().all()
    assert re.search(r"total +0 ", massprops("rollup", path).stdout)


def test_forty_groups(monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any], tmp_path: Path) -> None:
    """Groups of k and k kg: the screen has the heaviest and the sum of the rest, JSON and Markdown have all."""
    path = tmp_path / "list.csv"
    path.write_text("name,Group,mass [kg]\n" + "".join(f"p{k}{s},G{k:02},{k}\n" for k in range(1, 41) for s in "ab"))
    text = on_terminal(monkeypatch, ("rollup", str(path)), 80)
    assert len(text.splitlines()) <= 24
    shown = [int(number) for number in re.findall(r"G\d\d +(\d+)", text)]
    assert shown == [2 * k for k in range(40, 40 - len(shown), -1)]
    rest = re.search(r"and (\d+) more +(\d+)", text)
    assert rest is not None
    assert (int(rest[1]), int(rest[2])) == (40 - len(shown), 1640 - sum(shown))
    assert massprops("rollup", path, "--format", "md").stdout.count("| G") == 41  # and the heading
    assert len(json.loads(massprops("rollup", path, "--format", "json").stdout)["review"]) == 41


def test_changes_to_an_earlier_revision(tmp_path: Path, equipment: Path) -> None:
    older = tmp_path / "older.csv"
    older.write_text("name,Subsystem,mass [kg]\na,Power,15\nb,Thermal,4\nc,Power,3\nd,Payload,20.5\n")
    table = mp.rollup(mp.read_bom(equipment)).table("Subsystem", previous=mp.rollup(mp.read_bom(older)))
    change = dict(zip(table["Subsystem"], table["change"], strict=True))
    total = table["Subsystem"].iloc[-1]
    expected = {"Structure": 30, "Payload": 0, "Power": 2, "(no group)": 1.5, "Thermal": -4, total: 72 - 42.5}
    assert change == pytest.approx(expected)
    grams = mp.rollup(mp.Bom.from_records([{"id": "a", "Subsystem": "Power", "mass [g]": 5.0}]))
    with pytest.raises(mp.UsageError, match="another unit of mass"):
        mp.rollup(mp.read_bom(equipment)).table("Subsystem", previous=grams)


def test_correlated_parts_share_their_errors(tmp_path: Path) -> None:
    """Sigmas of one part number add up within a group: 0.3 + 0.3 with 0.4 of another part is √(0.6² + 0.4²)."""
    rows = [("a", "X", "P1", 0.3), ("b", "X", "P1", 0.3), ("c", "X", "P2", 0.4), ("d", "Y", "P1", 0.3)]
    records = [{"id": i, "Group": g, "part": p, "mass": 5.0, "sigma_mass": s} for i, g, p, s in rows]
    table = mp.rollup(mp.Bom.from_records(records), correlate="part").table("Group").set_index("Group")
    assert table.loc["X", "sigma_mass"] == pytest.approx(math.sqrt(0.6**2 + 0.4**2))
    assert table.loc["Y", "sigma_mass"] == pytest.approx(0.3)


def test_sheet_review(massprops: Callable[..., Any], equipment: Path) -> None:
    from openpyxl import load_workbook

    equipment.with_name("budget.toml").write_text(BUDGET)
    target = equipment.with_name("out.xlsx")
    massprops("rollup", equipment, "--budget", equipment.with_name("budget.toml"), "-o", target)
    head, units, *rows = load_workbook(target)["Review"].iter_rows(values_only=True)
    assert head[:3] == ("Subsystem", "mass", "σ mass")
    assert (units[0], units[1], units[head.index("margin")]) == (None, "kg", "kg")
    found = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert found["Power"]["mass"] == pytest.approx(20)
    assert found["total"]["predicted mass"] == pytest.approx(21.6 + 24.6 + 1.5 + 30.6)


def test_csv_has_the_numbers_of_json(run: Callable[..., Any], massprops: Callable[..., Any], equipment: Path) -> None:
    """A row for each group and the total, headers with units and the level of σ, blanks for unknown numbers."""
    equipment.with_name("budget.toml").write_text(BUDGET)
    budget, output = equipment.with_name("budget.toml"), equipment.with_name("o.csv")
    more = ("--budget", budget, "--config", "sigma-level=2", "-o", output)
    rows = list(csv.DictReader(io.StringIO(run("rollup", equipment, "--format", "csv", *more).stdout)))
    data = json.loads(run("rollup", equipment, "--format", "json", *more).stdout)["review"]
    assert [one["Subsystem"] for one in rows] == [one.get("labels", {}).get("Subsystem", "total") for one in data]
    for row, one in zip(rows, data, strict=True):
        del row["Subsystem"]
        found = {head.partition(" ")[0]: float(text) for head, text in row.items() if text}
        assert found == pytest.approx({name: one[name] for name in found}, rel=1e-11)
        assert {one.get(head.partition(" ")[0]) for head, text in row.items() if not text} <= {None}
    assert {"mass [kg]", "sigma_mass [kg] (2σ)", "allowance_percent [%]", "margin [kg]", "share"} <= {*rows[0]}
    assert "--format csv applies to one file" in run("rollup", equipment, output, "--format", "csv").stderr
    of_variants = run("rollup", equipment, "--all-variants", "--format", "csv").stderr
    assert "invalid --format for --all-variants: csv" in of_variants


@pytest.mark.parametrize("columns", [80, 200])
def test_lines_are_never_wrapped(monkeypatch: pytest.MonkeyPatch, equipment: Path, columns: int) -> None:
    budget = equipment.with_name("budget.toml")
    budget.write_text(BUDGET)
    text = on_terminal(monkeypatch, ("rollup", str(equipment), "--budget", str(budget)), columns)
    assert max(map(len, text.splitlines())) <= columns
    assert len(text.splitlines()) <= 24
    assert len(cells(text, "Power")) == (7 if columns == 80 else 9)


def test_tree_is_a_view_of_a_rollup(run, tmp_path):
    """``--by tree`` prints the tree of ``massprops tree`` in place of the table; a column of that name is one."""
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass [kg]\nS,,\nA,S,\nB,A,3\nC,S,1\n")
    shown = run("rollup", path, "--by", "tree", "-o", tmp_path / "out.csv").stdout
    assert run("tree", path).stdout.strip() in shown
    assert "level 1" not in shown
    path.write_text("id,mass [kg],tree\nA,3,oak\nB,1,elm\n")
    shown = run("rollup", path, "--by", "tree", "-o", tmp_path / "out.csv").stdout
    assert "oak" in shown
    assert "elm" in shown


def test_changes_to_an_earlier_revision_are_in_the_table(run, tmp_path):
    """A grew from 3 to 5, B is new with 2, and C with 4 is gone: + 2, + 2, − 4, and 0 of the total."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    head = "id,parent,mass [kg]\nS,,\n"
    old.write_text(f"{head}A,S,\nA1,A,3\nC,S,\nC1,C,4\n")
    new.write_text(f"{head}A,S,\nA1,A,5\nB,S,\nB1,B,2\n")
    call = ("rollup", new, "--previous", old, "-o", tmp_path / "out.xlsx")
    review = json.loads(run(*call, "--format", "json").stdout)["review"]
    changes = {row.get("labels", {}).get("level:1", "total"): row["change"] for row in review}
    assert changes == {"A": 2.0, "B": 2.0, "C": -4.0, "total": 0.0}
    shown = run(*call).stdout
    assert [line.split()[-1] for line in shown.splitlines() if line.startswith(("  A ", "  B ", "  C "))] == [
        "+2",
        "+2",
        "-4",
    ]


@pytest.mark.parametrize(
    ("unit", "factor", "found", "remedy"),
    [
        (" [g]", 0.001, "are in g, those of the table in kg", ("--units", "kg")),
        ("", 1.0, "are in no unit, those of the table in kg", ("--unit", "mass=kg")),
    ],
)
def test_earlier_revision_in_another_unit(unit, factor, found, remedy, run, tmp_path):
    """The printed remedy gives the change in kilograms: 5 less 3 of the unit of the earlier file."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text(f"id,parent,mass{unit}\nS,,\nA,S,\nA1,A,3\nB,S,1\n")
    new.write_text("id,parent,mass [kg]\nS,,\nA,S,\nA1,A,5\nB,S,1\n")
    rejected = run("rollup", new, "--previous", old)
    assert rejected.exit_code == 2
    assert f"{found}; pass {' '.join(remedy)}" in rejected.output
    rows = json.loads(run("rollup", new, "--previous", old, *remedy, "--format", "json").stdout)["review"]
    [change] = [row["change"] for row in rows if row.get("labels", {}).get("level:1") == "A"]
    assert change == pytest.approx(5 - 3 * factor)


GROWING = "id,parent,mass [kg],MGA [%]\nSAT,,,\nA,SAT,20,12\nB,SAT,5,3\n"
GROWING_IN_PART = "id,parent,mass [kg],MGA [%]\nSAT,,,\nA,SAT,20,10\nB,SAT,5,\n"


@pytest.mark.parametrize(
    ("table", "limits", "row"),
    [
        # growth 2.4 + 0.15; 27.55 above 27.5, which whole kilograms would hide
        (GROWING, [("SAT", "27.5 kg", "")], "25.00 10.2 2.55 27.55 27.50 -0.05 -0.2"),
        # of two limits, that with the least margin: 27.1 is of the basic mass, 25
        (
            GROWING,
            [("SAT", "27.5 kg", ""), ("SAT", "27.1 kg", 'basis = "basic"')],
            "25.00 10.2 2.55 27.55 27.50 -0.05 -0.2",
        ),
        # 22 with growth and 5 without are above 25.5, and below 27.6 if that may be
        (GROWING_IN_PART, [("SAT", "25.5 kg", "")], "25.0 - - - 25.5 -1.5 -5.6"),
        (GROWING_IN_PART, [("SAT", "27.6 kg", 'incomplete = "allow"')], "25.0 - - - 27.6 0.6 2.2"),
        # B may grow above 27.6: the margin is not known
        (GROWING_IN_PART, [("SAT", "27.6 kg", "")], "25.0 - - - 27.6"),
    ],
)
def test_limits_are_those_of_check(table: str, limits: list[tuple[str, ...]], row: str, run, tmp_path):
    (tmp_path / "bom.csv").write_text(table)
    entries = (f'[[budget]]\nitem = "{item}"\nmass-max = "{most}"\n{more}\n' for item, most, more in limits)
    (tmp_path / "budget.toml").write_text("".join(entries))
    shown = run("rollup", tmp_path / "bom.csv", "--budget", tmp_path / "budget.toml", "-o", tmp_path / "out.csv").stdout
    (total,) = (line for line in shown.splitlines() if line.startswith("  total"))
    assert total.split()[1:-2] == row.split()


@pytest.mark.parametrize(
    ("masses", "most", "margin"),
    [
        (("6", ""), 7, None),  # 6 and more
        (("6", ""), 5, -1),
        (("6", "-2", ""), 3, None),  # the last one may be negative too
        (("6", "-2"), 3, -1),
    ],
)
def test_margins_where_masses_are_unknown(masses: tuple[str, ...], most: int, margin: int | None, run, tmp_path):
    """A margin is stated only where no value of the unknown mass changes its sign."""
    rows = "".join(f"P{k},S,{mass}\n" for k, mass in enumerate(masses))
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [kg]\nS,,\n{rows}")
    (tmp_path / "budget.toml").write_text(f'[[budget]]\nitem = "S"\nmass-max = "{most} kg"\n')
    call = (
        "rollup",
        tmp_path / "bom.csv",
        "--budget",
        tmp_path / "budget.toml",
        "--allow-missing",
        "mass,inertia,sigma",
    )
    call += ("--config", "allow-negative-mass=true", "--by", "level:1", "-o", tmp_path / "out.csv", "--format", "json")
    total = json.loads(run(*call).stdout)["review"][-1]
    assert (total["limit"], total["margin"]) == (most, margin)


def test_pieces_are_independent(tmp_path):
    """Three batteries in each of two boxes have six errors of 0.1 kg."""
    (tmp_path / "bom.csv").write_text(
        "id,parent,qty,mass [kg],sigma_mass [kg]\nS,,1,,\nBOX,S,2,,\nBAT,BOX,3,1,0.1\nB,S,1,1,0.3\n"
    )
    table = mp.rollup(mp.read_bom(tmp_path / "bom.csv")).table("level:1").set_index("level:1")["sigma_mass"]
    assert table.tolist() == pytest.approx([math.sqrt(6) * 0.1, 0.3, math.sqrt(0.06 + 0.09)])


@pytest.mark.parametrize(
    ("masses", "more", "level", "decimals"),
    [
        ([10, 20], {"sigma_mass": 14}, 1, 0),  # two digits of the sigma
        ([10, 20], {"sigma_mass": 4}, 1, 1),
        ([10, 20], {"sigma_mass": 4}, 3, 0),  # 12
        ([20, 5], {"sigma_mass": 14, "limit": 25.4, "margin": 0.4}, 1, 1),  # the digits of the limit
        ([20, 5], {"sigma_mass": 14, "limit": 76 / 3, "margin": 1 / 3}, 1, 1),  # a margin is not printed as 0
        ([20, 5], {"sigma_mass": 14, "limit": 29 + 1 / 3, "margin": 4 + 1 / 3}, 1, 0),
        ([10.4, 10.4], {"sigma_mass": 14}, 1, 1),  # 10 and 10 are not 21
        ([20.25, 5.5], {}, 1, 2),  # the digits of the input
    ],
)
def test_decimals_of_masses(masses: list[float], more: dict[str, float], level: int, decimals: int) -> None:
    columns = {"mass": np.array([*masses, sum(masses)])}
    columns |= {name: np.array([np.nan] * len(masses) + [value]) for name, value in more.items()}
    assert tying_decimals(columns, level) == decimals


def test_last_row_of_a_folded_table_is_the_rest() -> None:
    """Of 41.6 = 4 · 10.4, printed as 42, the rest of 10, 10 and 10 is 12."""
    columns = {"mass": np.array([10.4, 10.4, 10.4, 10.4, 41.6]), "sigma_mass": np.array([np.nan] * 4 + [14.0])}
    assert tying_decimals(columns, 1, is_folded=True) == 0
    assert columns["mass"][-2] == 12


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_printed_rows_and_columns_add_up(decimals: int) -> None:
    rng, unit = np.random.default_rng(5), 10.0**-decimals
    for _ in range(300):
        basic = rng.uniform(0, 30, rng.integers(1, 9))
        growth = basic * rng.choice([0, 0.05, 0.1, 0.2], len(basic))
        columns = {"mass": basic, "allowance_mass": growth, "predicted_mass": basic + growth}
        columns = {name: np.append(values, values.sum()) for name, values in columns.items()}
        printed = tied_masses(columns, decimals)
        mass, more, both = (printed[name] for name in columns)
        assert np.abs(mass + more - both).max() < unit / 4
        for name, values in printed.items():
            assert abs(values[:-1].sum() - values[-1]) < unit / 4
            assert np.abs(values - columns[name]).max() < (2 if name == "predicted_mass" else 1.01) * unit
        for name in ("mass", "predicted_mass"):
            assert printed[name][-1] == np.round(columns[name][-1], decimals)


def test_rows_that_are_not_the_parts_of_a_total_are_only_rounded() -> None:
    printed = tied_masses({"mass": np.array([1.26, 2.0, 90.0])}, 1)
    assert printed["mass"].tolist() == [1.3, 2.0, 90.0]


def test_shares_have_the_signs_of_the_masses(run, tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nS,,\nA,S,\nA1,A,12\nB,S,\nB1,B,-2\n")
    call = ("rollup", tmp_path / "bom.csv", "--config", "allow-negative-mass=true", "-o", "-", "--format", "json")
    review = json.JSONDecoder().raw_decode((out := run(*call).output)[out.index('{\n "massprops') :])[0]["review"]
    assert [row["share"] for row in review] == pytest.approx([1.2, -0.2, 1.0])


def test_sum_of_a_column_that_is_read_has_a_column_of_its_own(run, tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,qty,mass [kg]\nS,,1,\nA,S,4,\nB,A,2,1.5\n")
    assert run("rollup", tmp_path / "bom.csv", "--sum", "qty", "-o", tmp_path / "out.csv").exit_code == 0
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[0].endswith(",sum_qty")
    assert rows[2].startswith("A,S,4,3,")


def rolled(run: Callable[..., Any], tmp_path: Path, table: str, budget: str = "", *more: str) -> Any:
    """Roll up a table with a budget, and return the outcome."""
    (tmp_path / "list.csv").write_text(table)
    (tmp_path / "limits.toml").write_text(budget)
    given = ("--budget", tmp_path / "limits.toml") if budget else ()
    return run("rollup", tmp_path / "list.csv", *given, *more)


def test_broken_limit_never_has_a_margin_of_zero(run: Callable[..., Any], tmp_path: Path) -> None:
    """1000.00001 + 5 is 0.00001 above 1005: the margin shows its own digits, and a line states what is broken."""
    budget = '[[budget]]\nitem = "R"\nmass-max = "1005 kg"\n'
    text = rolled(run, tmp_path, "id,parent,mass [kg]\nR,,\na,R,1000.00001\nb,R,5\n", budget).stdout
    assert cells(text, "total")[:4] == ["1005.0", "1005.0", "-0.000010", "-0.0000010"]
    assert "mass limit broken in 1 row; massprops check" in text
    target = tmp_path / "out.xlsx"
    rolled(run, tmp_path, "id,parent,mass [kg]\nR,,\na,R,1000.00001\nb,R,5\n", budget, "-o", str(target))
    sheet = openpyxl.load_workbook(target)["Review"]
    [margin] = [cell for cell in sheet[sheet.max_row] if sheet.cell(1, cell.column).value == "margin"][:1]
    assert margin.number_format.count("0") >= 7
    assert sheet.print_title_rows == "$1:$2"


def test_limit_of_the_basic_mass_is_marked(run: Callable[..., Any], tmp_path: Path) -> None:
    """14 − 10 = 4 next to a predicted mass of 15."""
    table = "id,parent,mass [kg],mga [%]\nS,,,\nA,S,,\nA1,A,10,50\nB,S,1,0\n"
    budget = '[[budget]]\nitem = "A"\nmass-max = "14 kg"\nbasis = "basic"\n'
    text = rolled(run, tmp_path, table, budget).stdout
    assert "14*" in text
    assert "* limit of the basic mass" in text
    [row] = [
        one
        for one in csv.DictReader(io.StringIO(rolled(run, tmp_path, table, budget, "--format", "csv").stdout))
        if one["level:1"] == "A"
    ]
    assert (row["predicted_mass [kg]"], row["margin [kg]"], row["limit_of"]) == ("15", "4", "basic mass")
    result = mp.rollup(mp.read_bom(tmp_path / "list.csv"))
    assert result.table(limits=tmp_path / "limits.toml").attrs["limits_of_basic"] == ["A"]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("id,parent,mass [kg],mga [%],Mass limit (kg)\nS,,,,12\nA,S,10,50,\n", 2),
        ("part,mass [kg],mga [%],Mass limit (kg)\nA,10,50,12\nB,1,0,3\n", 1),
    ],
)
def test_limits_without_groups_are_in_the_review(
    table: str, rows: int, run: Callable[..., Any], tmp_path: Path
) -> None:
    """One child, or a flat list: 10 · 1.5 = 15 is above 12, on the screen and in the workbook."""
    shown = rolled(run, tmp_path, table, "", "-o", str(tmp_path / "out.xlsx")).stdout
    assert cells(shown, "A")[3:6] == ["15", "12", "-3"]
    assert f"mass limit broken in {rows} row" in shown
    head, _, first, *_ = openpyxl.load_workbook(tmp_path / "out.xlsx")["Review"].iter_rows(values_only=True)
    assert dict(zip(head, first, strict=True))["limit"] == 12


def test_sigma_of_a_missing_mass_is_not_known(run: Callable[..., Any], tmp_path: Path) -> None:
    table = "id,parent,mass [kg],sigma_mass [kg]\nS,,,\nA,S,3,0.1\nB,S,,0.2\n"
    found = rolled(run, tmp_path, table, "", "--format", "csv", "--allow-missing", "mass,center,inertia,sigma").stdout
    assert [row["sigma_mass [kg]"] for row in csv.DictReader(io.StringIO(found))][:2] == ["0.1", ""]


@pytest.mark.parametrize(
    ("masses", "most"),
    [((0.1, 0.2), "0.3 kg"), ((0.1,) * 10, "1 kg"), ((1.1, 2.2), "3.3 kg"), ((1.0,), "2.2046226218487757 lb")],
)
def test_rounding_breaks_no_limit(
    masses: tuple[float, ...], most: str, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Decimals that add up to the limit keep it, in the review as in check: 0.1 + 0.2 is 0.3."""
    table = "id,parent,mass [kg]\nS,,\nT,S,\n" + "".join(f"p{k},T,{one}\n" for k, one in enumerate(masses))
    budget = f'[[budget]]\nitem = "S"\nmass-max = "{most}"\n'
    found = rolled(run, tmp_path, table, budget, "--format", "csv").stdout
    *_, total = csv.DictReader(io.StringIO(found))
    assert (float(total["margin [kg]"]), float(total["margin_percent [%]"])) == (0, 0)
    assert "broken" not in rolled(run, tmp_path, table, budget).stdout
    assert run("check", tmp_path / "list.csv", "--budget", tmp_path / "limits.toml").exit_code == 0


def test_numbers_of_results_lack_the_digits_of_rounding(run: Callable[..., Any], tmp_path: Path) -> None:
    """Tables of check, diff and contributions: 1 − 0.9 is 0.1, and 1.1 · 3 is 3.3."""
    for name, mass in (("old", "0.9"), ("new", "1.0")):
        (tmp_path / f"{name}.csv").write_text(f"id,parent,qty,mass [kg],sigma_mass [kg]\nS,,,,\nA,S,3,{mass},0.1\n")
    (tmp_path / "b.toml").write_text('[[budget]]\nitem = "A"\nmass-max = "1 kg"\n')
    out = tmp_path / "out.csv"
    limited = ("check", "old.csv", "--budget", tmp_path / "b.toml")
    for words, expected in ((limited, "0.1"), (("diff", "old.csv", tmp_path / "new.csv"), "0.3")):
        assert run(words[0], tmp_path / str(words[1]), *words[2:], "-o", out).exit_code == 0
        numbers = re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.])", out.read_text("utf-8"))
        assert expected in numbers
        assert max(map(len, numbers)) <= 6
    assert run("contributions", tmp_path / "old.csv", "-o", out).exit_code == 0
    assert max(map(len, re.findall(r"\d+\.\d+", out.read_text("utf-8")))) <= 6


def test_entry_of_a_named_budget_without_an_item_is_reported(run, tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nS,,\nA,S,\nA1,A,2\nB,S,\nB1,B,3\n")
    (tmp_path / "budget.toml").write_text(
        '[[budget]]\nitem = "A"\nmass-max = "1 kg"\n[[budget]]\nitem = "C"\nmass-max = "1 kg"\n'
    )
    call = ("rollup", tmp_path / "bom.csv", "--budget", tmp_path / "budget.toml", "-o", tmp_path / "out.csv")
    for more in ((), ("--format", "md")):
        text = run(*call, *more).output
        assert "mass limit broken in 1 row" in text
        assert "entry of the budget without a limit here: id is not in the table: C" in text


@pytest.mark.parametrize(
    ("heading", "more", "is_stated"),
    [("Mass [kg]", "", True), ("Mass each [kg]", "", False), ("Mass [kg]", "Total,,11\n", False)],
)
def test_a_list_states_what_multiplies_and_the_other_total(run, tmp_path, heading, more, is_stated):
    """4 pieces of 2 kg and one of 3 kg are 11 kg; rows of 2 and 3 kg are 5 kg."""
    (tmp_path / "list.csv").write_text(f"Item,Qty,{heading}\nWheel,4,2\nBody,1,3\n{more}")
    text = run("rollup", tmp_path / "list.csv", "-o", tmp_path / "out.csv").output
    words = "of one piece, times Qty; as masses of rows they are 5 kg: --mass-is line"
    assert (words in " ".join(text.split())) == is_stated
    if is_stated:
        line = run("rollup", tmp_path / "list.csv", "-o", tmp_path / "out.csv", "--mass-is", "line", "--format", "json")
        assert [one["mass"] for one in json.loads(line.stdout)["items"] if one["parent"] is None] == [5]


def test_entry_of_a_budget_without_an_item_of_a_plain_list_is_reported(run, tmp_path):
    (tmp_path / "list.csv").write_text("Item,Mass [kg]\nA,2\nB,3\n")
    (tmp_path / "budget.toml").write_text('[[budget]]\nitem = "C"\nmass-max = "1 kg"\n')
    call = ("rollup", tmp_path / "list.csv", "--budget", tmp_path / "budget.toml", "-o", tmp_path / "out.csv")
    for more in ((), ("--format", "md")):
        assert "entry of the budget without a limit here: id is not in the table: C" in run(*call, *more).output


def test_tree_in_markdown_and_header_with_a_comma(run, tmp_path):
    (tmp_path / "bom.csv").write_text('id,parent,"Group, main",mass [kg]\nS,,,\nA,S,x,1\nB,S,y,2\n')
    call = ("rollup", tmp_path / "bom.csv", "-o", tmp_path / "out.csv", "--by")
    assert "## Tree" in (text := run(*call, "tree", "--format", "md").output)
    assert "└─ B" in text
    assert run(*call, '"Group, main"', "--format", "csv").output.startswith('"Group, main",mass [kg],share\ny,2,')
    assert "no --format csv; rollup -o FILE.csv" in run(*call, "tree", "--format", "csv").output
    assert "unknown column in --by: level=1; the nearest is level:1" in run(*call, "level=1").output
