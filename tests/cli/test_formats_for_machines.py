"""Reports for machines on the command line: what each command writes, exit codes, and a step of a real workflow."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import assert_exit

MACHINES = ("junit", "sarif", "github", "gitlab", "openmetrics")


def is_read(text: str, style: str) -> bool:
    """Return whether a text is of the format that it states, by its outline; unit tests hold each to its schema."""
    if style == "junit":
        return ElementTree.fromstring(text.encode()).tag == "testsuites"
    if style == "sarif":
        return json.loads(text)["version"] == "2.1.0"
    if style == "github":
        return all(line.startswith("::") for line in text.splitlines())
    if style == "gitlab":
        return isinstance(json.loads(text), list)
    return text.endswith("# EOF\n")


@pytest.mark.parametrize("style", MACHINES)
@pytest.mark.parametrize("command", ["validate", "rollup", "convert"])
def test_good_table(run, bom, tmp_path, command, style):
    to = ["-o", tmp_path / "out.csv"] if command != "validate" else []
    done = run(command, bom, "--format", style, *to)
    assert done.exit_code == 0, done.output
    assert is_read(done.stdout, style)


@pytest.mark.parametrize("style", MACHINES)
@pytest.mark.parametrize("command", ["validate", "rollup"])
def test_bad_table(run, bad, command, style):
    done = run(command, bad, "--format", style)
    assert done.exit_code == 1
    assert is_read(done.stdout, style)
    assert style == "openmetrics" or "MP305" in done.stdout


@pytest.mark.parametrize("style", MACHINES)
def test_no_table(run, tmp_path, style):
    (tmp_path / "empty.csv").write_bytes(b"")
    done = run("validate", tmp_path / "empty.csv", "--format", style)
    assert done.exit_code == 2
    assert is_read(done.stdout, style)


@pytest.mark.parametrize("command", ["tree", "contributions", "whatif"])
def test_what_has_more_to_show_rejects(run, bom, command):
    more = ["--drop", "a"] if command == "whatif" else []
    done = run(command, bom, "--format", "junit", *more)
    assert done.exit_code == 2
    assert "invalid --format: junit (expected one of full, concise, json, jsonl, md)" in done.stderr


def test_variants_reject(run, bom):
    assert_exit(
        run("rollup", bom, "--all-variants", "--format", "sarif"),
        2,
        "invalid --format for --all-variants: sarif",
        "--all-variants",
    )


def test_selection_holds_for_machines(run, bad):
    issues = json.loads(run("validate", bad, "--format", "gitlab", "--select", "MP205").stdout)
    assert [issue["check_name"] for issue in issues] == ["MP205 not-a-number"]


def test_a_step_of_github_actions(process, bad, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("### an earlier step\n", encoding="utf-8")
    done = process("validate", "bad.csv", "--format", "github", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"::error file=bad.csv,line=4,title=MP305 unknown-parent::" in done.stdout
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("### an earlier step\n")
    assert "### ✘ `bad.csv`: 2 errors" in text


def test_a_summary_that_cannot_be_written_changes_no_exit_code(process, bom, tmp_path):
    done = process("validate", "bom.csv", "--format", "github", GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "where"))
    assert done.returncode == 0
    assert b"step summary" in done.stderr
    assert b"Traceback" not in done.stderr


def test_paths_are_those_of_the_command_line(run, bad, monkeypatch):
    monkeypatch.chdir(Path(bad).parent)
    (issue, *_) = json.loads(run("validate", "./bad.csv", "--format", "gitlab").stdout)
    assert issue["location"]["path"] == "bad.csv"
