"""The table of options: each door is made from it, and states nothing else."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.bom.bom import ReadKeywords, TableKeywords
from massprops_cli.cli.app import _load_command, app
from massprops_cli.cli.command import _EARLIER_OPTIONS, COMMAND_NAMES, command_record, command_records, current_words
from massprops_cli.options import OPTIONS, named_option
from massprops_cli.tables.options import TableOptions

ROOT = Path(__file__).parents[2]
PARTS = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}]
NOT_OPTIONS = {"use_sigmas", "sigma_percent", "pose"}
"""Keywords of reading that no option of the command line has."""
FUNCTIONS = ("read_bom", "inspect", "rollup", "whatif", "contributions", "diff", "check")


def bom() -> mp.Bom:
    return mp.Bom.from_records(PARTS)


@pytest.mark.parametrize("command", COMMAND_NAMES)
def test_command_has_the_options_of_the_table(command: str) -> None:
    of_table = [one for one in command_record(command).options if not one.is_setting]
    spelled = {spelling for one in of_table for spelling in one.spellings if one.kind not in ("argument", "files")}
    found = _load_command(command).params
    assert {text for one in found if one.param_type_name == "option" for text in one.opts} == spelled
    arguments = sum(one.kind in ("argument", "files") for one in of_table)
    assert sum(one.param_type_name == "argument" for one in found) == arguments


@pytest.mark.parametrize("command", COMMAND_NAMES)
def test_repeated_options_are_lists_or_errors(command: str) -> None:
    """No value on a command line is lost: an option takes several, or is rejected with several."""
    runner, lists, parameters = CliRunner(), 0, _load_command(command).params
    for one in command_record(command).options:
        if one.kind in ("argument", "files", "flag") or one.is_setting:
            continue
        if one.kind == "list":
            lists += 1
            found = next(each for each in parameters if f"--{one.name}" in each.opts)
            assert found.multiple
            continue
        ways = (one.spellings[0], one.spellings[-1]), (one.spellings[-1], f"--{one.name}")
        for first, second in dict.fromkeys(ways):
            done = runner.invoke(app, [*command.split(), "no.csv", first, "1", second, "2"])
            assert (done.exit_code, done.output) == (
                2,
                f"massprops: {one.spellings[0]} is given 2 times and has one value; omit the others\n",
            )
    assert lists or command in ("init", "rules", "help", "robot massmatrix")


@pytest.mark.parametrize("option", ["--map", "--unit", "--q"])
def test_assignments_to_one_name_are_errors(option: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,1\n", encoding="utf-8")
    for command in ("rollup", "check", "tree", "validate"):
        done = CliRunner().invoke(app, [command, str(path), option, "cells=1000", option, "cells=2000"])
        assert done.exit_code == 2, done.output
        assert f"{option} is given twice for cells: cells=1000 and cells=2000; omit one" in done.output
    done = CliRunner().invoke(app, ["tree", str(path), "--config", "cap=cells=1000,cells=2000"])
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["mesh-unit=mm"], "key of --config that this command does not have: mesh-unit; the nearest is mesh-units"),
        (["today=2026-01-01"], "does not have: today; massprops init writes a file with all keys"),  # of check
        (["=3"], "key of --config that this command does not have: blank"),
        (["positive"], "key of --config has no value: positive (write --config positive=VALUE)"),
        (["positive="], "positive has no value"),
        (["strict=maybe"], "invalid value of strict: maybe (expected one of true, false)"),
        (["seed=-1"], "invalid value of seed: -1 (expected an integer of 0 or more)"),
        (["encoding=utf-8", "encoding=cp1252"], "encoding is assigned twice; omit one"),
        (["a.toml", "b.toml"], "--config names 2 files and takes one: a.toml, b.toml"),
        (["layout=level", "--layout", "parent"], "--layout is given too; omit --config layout="),
    ],
)
def test_wrong_settings_are_errors(settings: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,1\n", encoding="utf-8")
    words = [word for one in settings for word in ([one] if "=" not in one and "." not in one else ["--config", one])]
    words = ["--config", *words] if words == ["positive"] else words
    done = CliRunner().invoke(app, ["rollup", str(path), *words])
    assert (done.exit_code, message in done.output) == (2, True), done.output
    assert sorted(tmp_path.iterdir()) == [path]


def test_settings_of_lists_are_added(tmp_path: Path) -> None:
    """Both columns are read: the highest of 5 and 7 is 7, and of 3 and 2 it is 3."""
    path = tmp_path / "t.csv"
    path.write_text("id,parent,mass,temperature,voltage\ntop,,,,\na,top,1,5,3\nb,top,1,7,2\n", encoding="utf-8")
    words = [word for name in ("temperature", "voltage") for word in ("--config", f"max={name}")]
    done = CliRunner().invoke(app, ["rollup", str(path), "-o", "-", *words])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1].split(",")[2:] == ["2", "7", "3"]


@pytest.mark.parametrize(
    ("typed", "current", "notes"),
    [
        ("inspect a.csv", "validate a.csv", ["massprops inspect is massprops validate now"]),
        (
            "partition a.csv --into 2",
            "parts partition a.csv --into 2",
            ["massprops partition is massprops parts partition now"],
        ),
        (
            "convert a.csv --into r.urdf",
            "convert a.csv --into-robot r.urdf",
            ["--into r.urdf is --into-robot r.urdf now"],
        ),
        (
            "convert a.csv --principal",
            "convert a.csv --to-frame principal",
            ["--principal is --to-frame principal now"],
        ),
        ("rollup a.csv --strict", "rollup a.csv --config strict=true", ["--strict is --config strict=true now"]),
        ("rollup a.csv --seed=7", "rollup a.csv --config seed=7", ["--seed=7 is --config seed=7 now"]),
        (
            "rollup a.csv --seed 7 --seed 7",
            "rollup a.csv --config seed=7 --config seed=7",
            ["--seed 7 is --config seed=7 now"],
        ),
        ("rollup --seed=7 a.csv", "rollup --config seed=7 a.csv", ["--seed=7 is --config seed=7 now"]),
        ("parts shape --list", "parts shape", ["--list is not needed"]),
        (
            "shape box a=1m --mass 2kg",
            "parts shape box a=1m mass=2kg",
            ["massprops shape is massprops parts shape now", "--mass 2kg is mass=2kg now"],
        ),
        ("fix a.csv -o b.csv", "convert --fix a.csv -o b.csv", ["massprops fix is massprops convert --fix now"]),
        (
            "robot base-params a.urdf --no-snap --digits=50",
            "robot base-params a.urdf --config angles=written --config digits=50",
            ["--no-snap is --config angles=written now", "--digits=50 is --config digits=50 now"],
        ),
        ("rollup a.csv -o --strict.csv", "rollup a.csv -o --strict.csv", []),
        ("", "", []),
    ],
)
def test_earlier_words_are_read_with_a_note(typed: str, current: str, notes: list[str]) -> None:
    assert current_words(typed.split()) == (current.split(), notes)


def test_earlier_option_without_its_value_is_an_error() -> None:
    with pytest.raises(mp.UsageError, match="--seed requires a value; it is --config seed=VALUE now"):
        current_words(["rollup", "a.csv", "--seed"])


@pytest.mark.parametrize("command", sorted(_EARLIER_OPTIONS))
def test_words_for_earlier_options_are_options(command: str) -> None:
    words = [form.partition(" ")[0] for form in _EARLIER_OPTIONS[command].values()]
    known = {text for one in command_record(command or "rollup").options for text in one.spellings}
    assert {word for word in words if word.startswith("-")} <= known


def test_one_row_a_command_and_name() -> None:
    pairs = [
        (name, one.name)
        for name, record in command_records().items()
        for one in record.options
        if one.kind not in ("argument", "files")
    ]
    assert len(set(pairs)) == len(pairs)


def test_keywords_of_reading_are_options() -> None:
    known = {one.keyword for one in OPTIONS if one.keyword}
    assert set(ReadKeywords.__annotations__) - known == NOT_OPTIONS
    meaning = {one.keyword for one in OPTIONS if one.keyword and one.panel in ("Meaning",)}
    assert meaning <= set(TableKeywords.__annotations__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_of_keywords_are_those_of_the_options(name: str) -> None:
    of_options = {one.keyword: one.value for one in OPTIONS if one.keyword and one.default is not None}
    for parameter in inspect.signature(getattr(mp, name)).parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        if parameter.name in of_options and parameter.name != "table":
            assert parameter.default == of_options[parameter.name], parameter.name


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: mp.read_bom("a.csv", layuot="level"), "unknown option: layuot; the nearest is layout"),
        (lambda: mp.read_bom("a.csv", layout="levl"), "invalid layout: levl; the nearest is level"),
        (lambda: mp.inspect("a.csv", ignore_column="x"), "the nearest is ignore_columns"),
        (lambda: mp.Bom.from_records(PARTS, mass_iss="each"), "the nearest is mass_is"),
        (lambda: mp.rollup(bom(), corelate="part"), "the nearest is correlate"),
        (lambda: mp.rollup(bom(), correlate="parts"), "invalid correlate: parts; the nearest is part"),
        (lambda: mp.rollup(bom(), "covarance"), "invalid uncertainty: covarance; the nearest is covariance"),
        (lambda: mp.whatif(bom(), sett={"a.mass": 1.0}), "the nearest is set"),
        (lambda: mp.contributions(bom(), correlates="all"), "the nearest is correlate"),
        (lambda: mp.diff(bom(), bom(), treshold=()), "the nearest is thresholds"),
        (lambda: mp.diff(bom(), bom(), match="parts"), "invalid match: parts; the nearest is part"),
        (lambda: mp.check(bom(), "a.toml", todays=None), "the nearest is today"),
    ],
)
def test_wrong_keyword_or_word_names_the_nearest(call: Any, near: str) -> None:
    with pytest.raises(mp.UsageError, match=re.escape(near)):
        call()


def test_words_agree_with_the_rooms_that_use_them() -> None:
    from massprops_cli.reports.table_files import OUTPUT_SUFFIXES
    from massprops_cli.rollups.inputs import DISTRIBUTION_KINDS
    from massprops_cli.tables.layouts.layout_output import _TARGET_LAYOUTS

    assert set(OUTPUT_SUFFIXES) == set(named_option("to").words)
    assert named_option("distribution").words == DISTRIBUTION_KINDS
    assert named_option("to-layout").words == _TARGET_LAYOUTS


def test_names_of_caps_agree_with_their_fields() -> None:
    assert [one.name.replace("_", "-") for one in fields(mp.ReadCaps)] == list(named_option("cap").words)
    assert TableOptions().caps == mp.ReadCaps()


@pytest.mark.parametrize("name", [name for name in dir(mp) if name[0].islower()])
def test_public_function_has_a_complete_docstring(name: str) -> None:
    function = getattr(mp, name)
    text = inspect.getdoc(function) or ""
    for heading in ("Parameters", "Returns", "Notes", "Examples"):
        assert f"\n{heading}\n{'-' * len(heading)}\n" in text, heading
    assert name == "validate" or "\nRaises\n------\n" in text
    assert ">>> " in text
    listed = {word for line in re.findall(r"^(\S.*) : ", text, re.MULTILINE) for word in line.split(", ")}
    if name != "inspect":  # its keywords are described in read_bom
        of_reading = set(ReadKeywords.__annotations__) if "**reading" in listed else set()
        assert set(inspect.signature(function).parameters) - of_reading <= listed


def test_public_names_are_documented() -> None:
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    for name in dir(mp):
        assert name.startswith("_") or re.search(rf"`(?:mp\.)?{name}\b", page), name
