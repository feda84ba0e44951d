"""What every command keeps, run over the command table."""

from __future__ import annotations

import re
import shlex
import shutil

import pytest

from massprops_cli.cli.command import (
    COMMAND_GROUPS,
    COMMAND_NAMES,
    COMMAND_PANELS,
    command_module,
    command_record,
    command_records,
)
from massprops_cli.options import OPTIONS, PANELS

from .conftest import ROOT, assert_exit

TAKES_FILE = ("rollup", "validate", "tree", "convert", "whatif")
MORE = {"whatif": ["--drop", "x"]}


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_help_works_and_begins_with_the_line_of_the_table(run, name):
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert " ".join(command_record(name).summary.split()[:5]) in " ".join(result.output.split())


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_brief_help_has_three_examples_and_ten_options(run, name):
    lines = run(*name.split(), "-h").output.splitlines()
    assert lines[0].startswith(f"Usage: massprops {name} ")
    assert lines[2] == command_record(name).summary
    examples = [line for line in lines if line.startswith(f"  massprops {name}")]
    assert len(set(examples)) == 3
    options = [line for line in lines if line.lstrip().startswith("-")]
    assert len(options) == len(set(options)) == len(_options_of_brief_help(name))
    assert lines[-1] == f"All options: massprops {name} --help"


def _options_of_brief_help(name):
    return [one for one in command_record(name).usual.split() if not command_record(name).option(one).is_setting]


def test_options_of_all_commands_and_of_rollup_are_few(run):
    assert len({one.name for one in OPTIONS if one.kind not in ("argument", "files") and not one.is_setting}) <= 123
    assert len(run("rollup", "--help").output.splitlines()) <= 70


@pytest.mark.parametrize("name", COMMAND_GROUPS)
def test_help_of_a_group_lists_its_commands(run, name):
    lines = run(name).output.splitlines()
    assert run(name, "--help").output.splitlines() == lines
    for record in (one for full, one in command_records().items() if full.split()[0] == name):
        assert any(line.split() == [record.name.split()[1], *record.summary.split()] for line in lines)
    assert_exit(run(name, "partitio"), 2, "invalid command of massprops")


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_examples_of_the_brief_help_run(run, name, tmp_path, monkeypatch):
    if name in ("ballast", "identify"):
        pytest.importorskip("scipy", reason=f"{name} needs SciPy")
    folders = [ROOT / "sample_data" / name for name in ("", "budget", "conditions")]
    for path in [path for folder in folders for path in folder.iterdir()]:
        if path.is_file():
            shutil.copy(path, tmp_path)
    for folder in ("ballast", "weighing", "identify"):
        shutil.copytree(ROOT / "sample_data" / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    if name == "identify":  # a third of the time
        for run_file in (tmp_path / "identify").glob("*.csv"):
            run_file.write_text("".join(run_file.read_text("utf-8").splitlines(keepends=True)[:500]), "utf-8")
        (tmp_path / "massprops.toml").write_text("[identify]\ntrials = 20\n", "utf-8")
    for call in command_record(name).examples:
        result = run(*name.split(), *shlex.split(call if "--symbols" in call else call.replace("suspension", "arm")))
        assert result.exit_code in ((0, 1) if "--threshold" in call or "--fail-on" in call else (0,)), call


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_full_help_lists_every_option_in_a_line_with_its_default(run, name):
    output = run(*name.split(), "--help").output
    headings = [line.removesuffix(":") for line in output.splitlines() if line.removesuffix(":") in PANELS]
    assert headings == [panel for panel in PANELS if panel in headings]
    for option in command_record(name).options:
        if option.kind not in ("argument", "files") and not (option.is_setting and name != "parts shape"):
            spelling = rf"{option.name}=" if option.is_setting else rf"(-\w, )?--{option.name}( |$)"
            (line,) = (one for one in output.splitlines() if re.match(rf"  {spelling}", one))
            assert option.help.removesuffix(".") in line
            assert not option.default_text or f"Default: {option.default_text}." in line


def test_help_of_an_option_is_short():
    for option in OPTIONS:
        assert option.help.endswith(".")
        assert option.help.count(". ") <= 1
        assert len(option.help) <= 88, option.name


def test_help_lists_every_command_in_a_panel(run):
    output = run("--help").output
    assert {one.panel for one in command_records().values()} == set(COMMAND_PANELS)
    assert all(f"{panel}:\n" in output for panel in COMMAND_PANELS)
    assert all(f"\n  {name.split()[0]} " in output for name in COMMAND_NAMES)
    assert len({name.split()[0] for name in COMMAND_NAMES}) <= 22
    assert run("-h").output == output


@pytest.mark.parametrize(
    ("option", "word", "hint"),
    [
        ("--format", "xlsx", "is a file format; use --to xlsx"),
        ("--to", "sarif", "is a report style; use --format sarif"),
        ("--from", "junit", "is a report style; use --format junit"),
        ("--format", "jsn", "the nearest is json"),
        ("--layout", "levl", "the nearest is level"),
    ],
)
def test_wrong_word_names_the_right_option(run, bom, option, word, hint):
    result = run("rollup", bom, option, word)
    assert result.exit_code == 2
    assert f"invalid {option}: {word}" in result.stderr
    assert hint in result.stderr


def test_help_shows_brackets(run):
    assert "the [[budget]] of massprops.toml" in " ".join(run("check", "--help").output.split())


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_unknown_option_is_a_wrong_call(run, name):
    result = run(*name.split(), "--no-such-option")
    assert result.exit_code == 2
    assert "--no-such-option" in result.stderr
    assert f"massprops {name} --help" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", TAKES_FILE)
def test_missing_file_is_reported_in_a_line(run, name, tmp_path):
    result = run(*name.split(), tmp_path / "absent.csv", *MORE.get(name, []))
    assert result.exit_code == 2
    assert "MP101" in result.stderr
    assert "absent.csv" in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["rollup", "validate", "tree", "convert", "whatif"])
def test_rule_that_does_not_exist_is_rejected(run, bom, name):
    result = run(*name.split(), bom, "--ignore", "MP0", *MORE.get(name, []))
    assert result.exit_code == 2
    assert "MP901" in result.stderr


def test_no_argument_shows_help(run):
    result = run()
    assert result.exit_code == 0
    for name in COMMAND_NAMES:
        assert name.split()[0] in result.output


def test_misspelt_command_names_the_nearest(run):
    result = run("rolup")
    assert result.exit_code == 2
    assert "rollup" in result.stderr


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_record_read_from_the_source_is_that_of_the_module(name):
    module = command_module(name)
    assert command_record(name) == module.COMMAND
    assert callable(module.command)


def test_every_module_is_a_command():
    modules = (ROOT / "massprops_cli" / "cli" / "commands").glob("[a-z]*.py")
    assert {path.stem.replace("_", "-") for path in modules} == {name.split()[-1] for name in COMMAND_NAMES}


def test_sets_of_options_are_those_of_the_table():
    users = {user for option in OPTIONS for user in option.users.split()}
    sets = {word for one in command_records().values() for word in one.sets.split()}
    assert users == {word for name in COMMAND_NAMES if (word := name.split()[-1]) in users} | sets
