"""Several files and patterns: one summary line each, the output in a folder, the highest exit code."""

from __future__ import annotations

import json

import pytest

from .conftest import TWO_POINTS, assert_exit

BUDGET = '[[budget]]\nitem = "top"\nmass-max = "6 kg"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three tables: two that are valid (5 kg and 7 kg), and one without a valid mass."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(TWO_POINTS)
    (tmp_path / "b.csv").write_text(TWO_POINTS.replace("a,top,2", "a,top,4"))
    (tmp_path / "budget.toml").write_text(BUDGET)
    return tmp_path


@pytest.fixture
def broken(folder):
    (folder / "c.csv").write_text(TWO_POINTS.replace("a,top,2", "a,top,heavy"))
    return folder


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("*.csv",), ("[ab].csv",), ("?.csv",), ("**/*.csv",)])
def test_one_line_for_each_file(run, folder, names):
    for command, verb in (("rollup", "rolled up"), ("validate", "checked")):
        result = run(command, *names)
        assert_exit(result, 0)
        assert [line.split(":")[0][2:] for line in result.stdout.splitlines()] == ["a.csv", "b.csv"]
        assert result.stdout.count(verb) == 2
    assert sorted(path.name for path in folder.glob("*.rollup.*")) == ["a.rollup.csv", "b.rollup.csv"]


def test_output_is_a_folder(run, folder):
    for _ in range(2):
        assert_exit(run("rollup", "*.csv", "-o", "out"), 0, "out/a.rollup.csv")
        assert sorted(path.name for path in folder.glob("out/*")) == ["a.rollup.csv", "b.rollup.csv"]
    assert (folder / "out" / "b.rollup.csv").read_text().splitlines()[1].startswith("top,,7,")
    assert_exit(run("rollup", "a.*", "-o", "one", "--to", "json"), 0)  # one file matches, and -o is a folder
    assert [path.name for path in folder.glob("one/*")] == ["a.csv.rollup.json"]
    assert_exit(run("rollup", "*.csv", "-o", "a.csv"), 2, "with several files, -o is a folder")
    assert_exit(run("rollup", "*.csv", "-o", "-"), 2, "name a folder")
    words = "no/out: folder cannot be created: no such file or directory"
    assert_exit(run("rollup", "*.csv", "-o", "no/out"), 2, words)
    (folder / "old").mkdir()
    (folder / "old" / "a.csv").write_text(TWO_POINTS)
    assert_exit(run("rollup", "a.csv", "old/a.csv", "-o", "two"), 2, "one name: two/a.rollup.csv")
    assert not (folder / "two").exists()


def test_exit_code_is_the_highest(run, broken):
    result = run("validate", "*.csv")
    assert_exit(result, 1, "c.csv: checked 3 items, 1 error", "1 file of 3 with errors")
    result = run("rollup", "*.csv", "no.csv", "-o", "out")
    assert_exit(result, 2, "c.csv: partial, not written", "no.csv: no table (file does not exist")
    assert sorted(path.name for path in broken.glob("out/*")) == ["a.rollup.csv", "b.rollup.csv"]
    (broken / "d.csv").write_text(TWO_POINTS.replace("b,top", "d,top"))
    result = run("rollup", "a.csv", "d.csv", "--about", "item:b", "-o", "out")  # d.csv has no such item
    assert_exit(result, 2, "a.csv: rolled up", "massprops: d.csv: ")


def test_budget_of_several_files(run, folder):
    result = run("check", "*.csv", "--budget", "budget.toml")
    assert_exit(result, 1, "a.csv: 1 of 1 limit of budget.toml kept", "b.csv: 0 of 1 limit")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["✔", "✘", "item", "error", "1"]


def test_reports_of_several_files(run, broken):
    documents = json.loads(run("validate", "*.csv", "--format", "json").stdout)
    assert [one["source"]["file"] for one in documents] == ["a.csv", "b.csv", "c.csv"]
    assert len(json.loads(run("rollup", "*.csv", "no.csv", "--format", "json").stdout)) == 4
    lines = run("validate", "*.csv", "--format", "concise").stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["c.csv"]
    assert "MP205" in run("validate", "*.csv", "-v").stdout
    for options in (("--format", "junit"), ("--format", "sarif")):
        assert_exit(run("validate", "*.csv", *options), 2, f"{' '.join(options)} applies to one file")
    for options in (("--covariance", "a.json"), ("--plot", "a.svg")):
        assert_exit(run("rollup", "*.csv", *options), 2, f"{options[0]} applies to one file")
    assert_exit(run("validate", "*.csv", "--save-map", "a.toml"), 2, "--save-map applies to one file")


def test_a_pattern_without_a_file_is_an_error(run, folder):
    assert_exit(run("validate", "*.xlsx"), 2, "no file matches: *.xlsx")
    assert_exit(run("validate", "a.csv", "*.xlsx"), 2, "no file matches: *.xlsx")
    assert_exit(run("validate", "a.csv", "-"), 2, "standard input and pipes cannot be combined")


def test_outputs_of_an_earlier_run_are_left_out(run, folder):
    assert run("rollup", "*.csv", "--in-place").exit_code == 0
    assert run("rollup", "*.csv").exit_code == 0
    result = run("rollup", "*.csv")
    assert_exit(result, 0, "left out, outputs of the other files: a.bak.csv, a.rollup.csv, b.bak.csv, b.rollup.csv")
    assert not list(folder.glob("*.rollup.rollup.csv"))
    assert_exit(run("validate", "*.rollup.csv"), 0, "a.rollup.csv: checked 3 items")
    (folder / "~$a.csv").write_text("lock of an open workbook")
    assert "~$a" not in run("validate", "*.csv").output


def test_a_file_whose_name_has_signs_of_a_pattern(run, folder):
    (folder / "[ab].csv").write_text(TWO_POINTS)
    assert_exit(run("validate", "[ab].csv"), 0, "[ab].csv: checked 3 items")
    assert "a.csv:" not in run("validate", "[ab].csv").output.replace("[ab].csv:", "")
