"""Every printed command works as typed: on pairs of faults, and on tables of first contact.

Of two runs the second gives a result, and no error comes that the first run could have reported.
Those of each rule: ``tests/rules/test_effects.py``.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from massprops_cli.findings.catalogue import RULES
from tests.examples import singles_and_pairs

TESTS = Path(__file__).parents[1]


def next_commands(screen: str) -> list[list[str]]:
    """Give the words of every command that is printed after the findings."""
    _, _, below = screen.partition("\nnext: ")
    return [shlex.split(line)[1:] for line in re.findall(r"massprops rollup .*", below)]


def is_result(screen: str) -> bool:
    """Whether a roll-up was written."""
    return ": rolled up " in screen.split("\n", 1)[0]


def test_no_hint_has_a_placeholder() -> None:
    texts = [rule.remedy for rule in RULES.values()]
    texts += [
        path.read_text() for path in sorted((TESTS.parent / "massprops_cli").rglob("*.py")) if path.name not in HELP
    ]
    assert [found for text in texts for found in re.findall(r"--[a-z-]+[ =]\S*(?:HEADER|NAME|COLUMN)\b", text)] == []


HELP = ("options.py", "app.py")
"""Modules with the help of the options, whose metavariables are no hints."""

BASE = [
    [
        "No.",
        "Item",
        "Qty",
        "Mass [kg]",
        "CGx [m]",
        "CGy [m]",
        "CGz [m]",
        "Ixx [kg*m^2]",
        "Iyy [kg*m^2]",
        "Izz [kg*m^2]",
    ],
    ["1", "Craft", "", "", "", "", "", "", "", ""],
    ["1.1", "Bus", "", "", "", "", "", "", "", ""],
    ["1.1.1", "Tank", "2", "12.5", "1", "0", "0", "1", "1", "1"],
    ["1.1.2", "Valve", "4", "0.25", "2", "0", "0", "", "", ""],
    ["1.2", "Payload", "", "", "", "", "", "", "", ""],
    ["1.2.1", "Camera", "1", "8", "0", "1", "0", "0.2", "0.2", "0.3"],
    ["1.2.2", "Radio", "1", "3.5", "0", "0", "2", "0.1", "0.1", "0.1"],
]
FAULTS: dict[str, tuple[int, int, str]] = {
    "mass to be determined": (4, 3, "TBD"),
    "estimate": (7, 3, "~3.5"),
    "negative mass": (6, 3, "-8"),
    "two readings": (3, 3, "12,500"),
    "text for a mass": (7, 3, "see note"),
    "no centre": (6, 4, ""),
    "centre without x": (6, 5, ""),
    "moment without others": (4, 7, "0.01"),
    "invalid tensor": (3, 7, "5"),
    "text for a quantity": (4, 2, "four"),
    "item number twice": (7, 0, "1.2.1"),
    "item number without assembly": (7, 0, "1.3.1"),
    "force unit": (0, 3, "Mass [N]"),
    "column twice": (0, 4, "CGz [m]"),
    "no header of items": (0, 1, ""),
}


def faulty_table(*names: str) -> str:
    """Write the table with some faults; each replaces one cell."""
    rows = [list(row) for row in BASE]
    for name in names:
        i, j, text = FAULTS[name]
        rows[i][j] = text
    return "".join(",".join(f'"{text}"' if "," in text else text for text in row) + "\n" for row in rows)


@pytest.mark.spread(3)
@pytest.mark.parametrize("names", singles_and_pairs([*FAULTS]), ids=" and ".join)
def test_two_runs_are_enough_for_faults_and_pairs_of_faults(
    names: tuple[str, ...], run, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my list.csv").write_text(faulty_table(*names))
    first = run("rollup", "my list.csv").output
    commands = next_commands(first)
    assert is_result(first) or commands, first
    for command in commands:
        second = run(*command).output
        assert is_result(second), f"{shlex.join(command)}\n{second}"
        shown = set(re.findall(r" error (MP\d+)", first))
        if not any(RULES[code].effect == "stops" for code in shown):
            assert set(re.findall(r" error (MP\d+)", second)) <= shown | {"MP415"}, shlex.join(command)


def test_the_options_given_are_kept_and_quoted(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my list.csv").write_text("name,subsystem,mass\na,Power 1,2\nb,Power 1,TBD\nc,Thermal,4\n")
    screen = run("rollup", "my list.csv", "--where", "subsystem = Power 1", "-o", "o.csv").output
    (command,) = next_commands(screen)
    assert command == [
        "rollup",
        "my list.csv",
        "--where",
        "subsystem = Power 1",
        "-o",
        "o.csv",
        "--allow-missing",
        "mass",
    ]


def test_columns_without_a_name_or_with_a_repeated_one_are_named_by_position(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("Tank,X (kg),X (kg)\na,2,3\nb,4,5\n")
    commands = next_commands(run("rollup", "x.csv").output)
    assert [{"mass=col:2", "mass=col:3"} & {*command} for command in commands] == [{"mass=col:2"}, {"mass=col:3"}]
    assert "total 6 kg" in run("rollup", "x.csv").output
    for command in commands:
        assert is_result(run(*command).output)


def test_alternatives_are_printed_with_their_totals(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("door.csv").write_text("Part,Calculated (kg),Weighed (kg)\nDoor left,20,21\nDoor right,30,32\n")
    screen = run("rollup", "door.csv").output
    # 20 + 30 and 21 + 32
    assert "total 50 kg: massprops rollup door.csv --map 'mass=Calculated (kg)'" in screen
    assert "total 53 kg: massprops rollup door.csv --map 'mass=Weighed (kg)'" in screen


def test_a_reading_is_not_chosen_where_only_the_table_resolves_another_error(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("l.csv").write_text('name,mass\na,"1,234"\nb,see note\nc,2\n')
    (command,) = next_commands(run("rollup", "l.csv").output)
    assert command == ["rollup", "l.csv", "--keep-going"]


def test_errors_that_follow_each_other_need_one_more_run(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    # 'belongs to' is taken for the parents only on request, and then there are two roots
    Path("l.csv").write_text("Item,belongs to,Mass (kg)\nA,,\na1,A,3\nB,,\nb1,B,4\nb2,B,TBD\nTotal,,7\n")
    screen = run("rollup", "l.csv").output
    commands = next_commands(screen)
    assert is_result(screen) or commands
    for command in commands:
        assert is_result(run(*command).output)


def test_a_counted_row_is_not_a_question_again(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("l.csv").write_text("part,mass\na,20.25\nb,39.38\nZusammen,59.63\n")
    commands = next_commands(run("rollup", "l.csv").output)
    assert [command[-2:] for command in commands] == [["--skip-row", "Zusammen"], ["--count-row", "Zusammen"]]
    totals = []
    for command in commands:
        items = json.loads(run(*command, "--format", "json").stdout)["items"]
        totals += [item["mass"] for item in items if item["parent"] is None]
    assert totals == pytest.approx([59.63, 119.26], rel=1e-12)


def test_a_reading_that_contradicts_the_total_comes_last(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    # a winch of 5 kg is struck out, and the total is that of the others
    source = Path(__file__).parents[1] / "tables" / "traps" / "typed_struck_out.xlsx"
    Path("l.xlsx").write_bytes(source.read_bytes())
    screen = run("rollup", "l.xlsx").output
    first, second = screen.partition("\nnext: one of\n")[2].splitlines()
    assert first.startswith("  total 17 kg: massprops rollup l.xlsx --skip-row")
    assert second.startswith("  total 22 kg, contradicts the stated total: massprops rollup l.xlsx")
    for command in next_commands(screen):
        assert is_result(run(*command).output)


JSON_TABLES = {
    "id,parent,mass\nS,,\nA,S,2\nB,S,x\n": "partial",
    "id,parent,mass,Cx,Cy,Cz\nS,,,,,\nA,S,2,0,0,0\nB,S,3,,,\n": "one",
    "id;parent;mass\nS;;\nA;S;1,234\nB;S;2,345\n": "several",
    "id,mass\nA,1\nB,2\n": "none",
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("text", JSON_TABLES, ids=JSON_TABLES.values())
@pytest.mark.parametrize("command", ["rollup", "validate"])
def test_json_has_the_commands_of_the_screen(text: str, command: str, run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bom.csv").write_text(text, encoding="utf-8")
    output = run(command, "bom.csv", "--format", "json").output
    listed = json.JSONDecoder().raw_decode(output[output.index("{") :])[0].get("next", [])
    _, _, below = run(command, "bom.csv").output.partition("\nnext: ")
    shown = [shlex.split(line) for line in re.findall(rf"massprops {command} .*", below)]
    assert [shlex.split(one["command"]) for one in listed] == [
        [*words[:3], "--format", "json", *words[3:]] for words in shown
    ]
    assert all(f"total {one['total']}" in below for one in listed if len(listed) > 1)
    assert any(one.get("is_partial") for one in listed) == ("write what can be computed" in below)


def test_a_word_for_an_unknown_coordinate_is_never_zero(run, tmp_path):
    """Of 2 kg at 4 m and 6 kg at an unknown place, the known part is at 4 m; with 0 it would be at 1 m."""
    (tmp_path / "bom.csv").write_text("id,mass [kg],Cx [m],Cz [m]\nA,2,4,1\nB,6,TBC,1\n")
    call = ("rollup", tmp_path / "bom.csv", "-o", tmp_path / "out.csv", "--format", "json")
    first = json.loads(run(*call).stdout)
    (fault,) = [one for one in first["findings"] if one["severity"] == "error"]
    assert fault["message"].startswith("centre of mass of B is missing")
    for more in ((), ("--config", "blank-coordinate=0")):
        done = run(*call, "--allow-missing", "center", *more)
        assert done.exit_code == 0
        (root,) = [one for one in json.loads(done.stdout)["items"] if one["parent"] is None]
        assert (root["mass"], root["center"][0]) == (8, 4)
