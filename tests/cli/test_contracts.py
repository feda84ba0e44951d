"""What every command keeps, run over the command table."""

from __future__ import annotations

import pytest

from massprops_cli.cli.app import _COMMANDS

TAKES_FILE = ("rollup", "validate", "tree", "convert", "whatif", "inspect")
MORE = {"whatif": ["--drop", "x"]}


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_works_and_begins_with_the_line_of_the_table(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert " ".join(_COMMANDS[name].split()[:5]) in " ".join(result.output.split())


def test_help_shows_brackets(run):
    assert "the [[budget]] of massprops.toml" in " ".join(run("check", "--help").output.split())


@pytest.mark.parametrize("name", _COMMANDS)
def test_unknown_option_is_a_wrong_call(run, name):
    result = run(name, "--no-such-option")
    assert result.exit_code == 2
    assert "--no-such-option" in result.stderr
    assert f"massprops {name} --help" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", TAKES_FILE)
def test_missing_file_is_said_in_a_line(run, name, tmp_path):
    result = run(name, tmp_path / "absent.csv", *MORE.get(name, []))
    assert result.exit_code == 2
    assert "MP101" in result.stderr
    assert "absent.csv" in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["rollup", "validate", "tree", "convert", "whatif"])
def test_rule_that_does_not_exist_is_refused(run, bom, name):
    result = run(name, bom, "--ignore", "MP7", *MORE.get(name, []))
    assert result.exit_code == 2
    assert "MP901" in result.stderr


def test_no_argument_shows_help(run):
    result = run()
    assert result.exit_code == 0
    for name in _COMMANDS:
        assert name in result.output


def test_misspelt_command_names_the_nearest(run):
    result = run("rolup")
    assert result.exit_code == 2
    assert "rollup" in result.stderr


def test_every_command_has_a_module_and_every_module_a_command():
    from importlib import import_module

    for name in _COMMANDS:
        module = import_module(f"massprops_cli.cli.commands.{name}")
        assert callable(module.command)
        assert module.MORE
