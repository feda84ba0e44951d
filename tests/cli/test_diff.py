"""What changed between two revisions, on the command line."""

from __future__ import annotations

import json

import pytest

from .conftest import assert_exit

OLD = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],part
top,,,,,,
a,top,2,-1,0,0,A
b,top,3,1,0,0,B
c,top,1,0,0,0,C
"""
NEW = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],part
top,,,,,,
a,top,2.5,-1,0,0,A
x,top,,,,,X
c,x,1,0,0,0,C
d,x,4,0,0,0,D
"""


@pytest.fixture
def pair(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text(OLD)
    (tmp_path / "new.csv").write_text(NEW)
    return "old.csv", "new.csv"


def test_waterfall(run, pair):
    result = run("diff", *pair)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.replace("█", "").split()) for line in result.stdout.splitlines()]
    assert lines[0] == "✔ old.csv → new.csv: 5 items changed: 2 added, 1 removed, 1 re-parented, 1 mass"
    assert "mass 6 7.5 +1.5 kg" in lines
    assert "mass of top: 6 → 7.5 kg, +25 %" in lines
    at = lines.index("d +4.000 added")
    assert lines[at : at + 6] == [
        "d +4.000 added", "b -3.000 removed", "a +0.500 mass", "change +1.500", "added +4, removed -3, mass +0.5 kg",
        "also changed: x (added), c (re-parented)",
    ]  # fmt: skip


def test_bars_start_at_the_running_sum(run, pair):
    bars = [line[18:] for line in run("diff", *pair).stdout.splitlines() if "█" in line]
    spans = [(len(bar) - len(bar.lstrip()), bar.count("█")) for bar in bars]
    assert [count for _, count in spans] == [24, 18, 3, 9]
    assert spans[0][0] < spans[1][0] <= spans[2][0]


def test_level_and_item(run, pair):
    level = run("diff", *pair, "--level", "1", "--format", "concise").stdout.splitlines()
    assert level == ["x: +5.000 kg, added", "b: -3.000 kg, removed", "c: -1.000 kg, re-parented", "a: +0.500 kg, mass",
                     "change: +1.500 kg"]  # fmt: skip
    item = run("diff", *pair, "--item", "a", "--format", "concise")
    assert item.stdout.splitlines() == ["a: +0.5000 kg, mass", "change: +0.5000 kg"]
    assert_exit(run("diff", *pair, "--item", "d"), 2, "item is not in old.csv: d")


def test_json_adds_up(run, pair):
    report = json.loads(run("diff", *pair, "--of", "Cx", "--format", "json").stdout)
    assert report["total"]["mass"] == {"before": 6, "after": 7.5, "change": 1.5, "rounding": 0}
    assert report["total"]["Ixx"]["change"] is None
    assert report["counts"] == {"added": 2, "removed": 1, "re-parented": 1, "mass": 1}
    fall = report["waterfall"]
    assert fall["of"] == "Cx"
    total = sum(step["value"] for step in fall["steps"]) + fall["rest"] + fall["rounding"]
    assert total == pytest.approx(fall["after"] - fall["before"], abs=1e-15)
    lines = run("diff", *pair, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == report["changes"]


def test_markdown(run, pair):
    page = run("diff", *pair, "--format", "md").stdout
    assert "| mass | 6 | 7.5 | +1.5 | kg |" in page
    assert "| d | added | +4.000 |  |" in page


def test_markdown_reports_what_is_crossed(run, pair):
    page = run("diff", *pair, "--format", "md", "--threshold", "mass 1").stdout
    assert "\n- **error** top: mass changed by +1.5 kg (threshold 1 kg) (MP640)\n" in page


def test_table_of_changes(run, pair):
    printed = run("diff", *pair, "-o", "-", "--to", "csv")
    rows = [line.split(",") for line in printed.stdout.splitlines()]
    assert rows[0][:4] == ["id", "name", "changes", "reason"]
    assert [row[0] for row in rows[1:]] == ["a", "x", "c", "d", "b"]
    assert "mass of top" in printed.stderr
    assert run("diff", *pair, "-o", "changes.csv", "-q").stdout == ""
    assert run("diff", *pair, "-q").output == ""


@pytest.mark.parametrize("name", ["old.csv", "new.csv"])
def test_no_input_is_written_over(run, pair, name, tmp_path):
    before = (tmp_path / name).read_text()
    result = run("diff", *pair, "-o", name)
    assert result.exit_code == 2
    assert f"{name}: output file is one of the files compared" in result.stderr
    assert (tmp_path / name).read_text() == before


def test_the_file_that_has_the_error_is_named(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = "id,parent,mass\ntop,,\na,top,1.7e308\n"
    (tmp_path / "old.csv").write_text(f"{head}b,top,1.7e308\n")  # the sum is beyond double precision
    (tmp_path / "new.csv").write_text(f"{head}b,top,3\n")
    for files in (("old.csv", "new.csv"), ("new.csv", "old.csv")):
        result = run("diff", *files)
        assert result.exit_code == 1
        assert "MP407" in result.output
        assert "old.csv" in result.output


def test_what_a_table_holds_does_not_steer_the_terminal(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, mass in (("old.csv", 1), ("new.csv", 2)):
        (tmp_path / name).write_text(f'id,parent,mass\ntop,,\n"a\x1b[31m\nb",top,{mass}\n')
    lines = run("diff", "old.csv", "new.csv").stdout.splitlines()
    assert not any("\x1b" in line for line in lines)
    assert any(line.startswith("  a [31m b  +1.000  █") for line in lines)


def test_the_summary_of_a_step_shows_what_changed(run, pair, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert_exit(run("diff", *pair, "--threshold", "mass 1 kg", "--format", "github"), 1, "MP640", "+1.5 kg")
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("### ✘ `new.csv`: 1 error, 0 warnings")
    assert "| d | added | +4.000 |  |" in text


def test_warnings_of_the_tables_count_where_requested(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("old.csv", "new.csv"):
        (tmp_path / name).write_text("id,parent,mass\ntop,,4.3\na,top,4.0\n")  # MP411: 4.3 is not 4.0
    assert run("diff", "old.csv", "new.csv").exit_code == 0
    printed = run("diff", "old.csv", "new.csv", "--fail-on", "warning", "--format", "junit")
    assert printed.exit_code == 1
    assert "<failure" in printed.stdout


@pytest.mark.parametrize(
    ("threshold", "printed"),
    [
        ("b: mass 1 kg", "item is not in new.csv: b"),
        ("d: mass 1 kg", "item is not in old.csv: d"),
        ("z: mass 1 kg", "id is not in the table: z"),
    ],
)
def test_thresholds_of_items_that_come_or_go(run, pair, threshold, printed):
    result = run("diff", *pair, "--threshold", threshold)
    assert result.exit_code == 2
    assert printed in result.stderr


def test_equal_files(run, pair):
    printed = run("diff", "old.csv", "old.csv")
    assert printed.exit_code == 0
    assert "no item changed" in printed.stdout
    assert "mass of top: no change" in printed.stdout


def test_a_workbook_and_standard_input(run, pair):
    assert run("convert", "old.csv", "-o", "old.xlsx").exit_code == 0
    other = run("diff", "old.xlsx", "new.csv", "--sheet", "1", "--format", "concise")
    assert other.stdout == run("diff", *pair, "--format", "concise").stdout
    piped = run("diff", "old.xlsx", "-", "--from", "csv", "--format", "concise", input=NEW)
    assert piped.exit_code == 0, piped.output
    assert piped.stdout == other.stdout


def test_formats_for_machines(run, pair):
    for style in ("junit", "sarif", "github", "gitlab", "openmetrics"):
        printed = run("diff", *pair, "--format", style)
        assert printed.exit_code == 0, printed.output


def test_match_by_part(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text(OLD)
    (tmp_path / "new.csv").write_text(OLD.replace("\na,", "\nq,").replace("\nb,", "\nr,"))
    assert "2 added, 2 removed" in run("diff", "old.csv", "new.csv").stdout
    assert "no item changed" in run("diff", "old.csv", "new.csv", "--match", "part").stdout


def test_wrong_calls(run, pair, bad):
    assert_exit(run("diff", "-", "-", input=OLD), 2, "standard input")
    assert_exit(run("diff", *pair, "--of", "masss"), 2, "masss", "nearest is mass")
    assert_exit(run("diff", *pair, "--of", "Ixx"), 2, "Ixx", "both files")
    assert_exit(run("diff", *pair, "--uncertainty", "montecarlo"), 2, "samples", "--uncertainty covariance")
    assert_exit(run("diff", "old.csv", "nowhere.csv"), 2, "MP101", "nowhere.csv")
    assert_exit(run("diff", "old.csv", bad), 1, "no unit", "MP205", "MP305")


def test_a_unit_in_one_file_only(run, pair, tmp_path):
    (tmp_path / "new.csv").write_text(NEW.replace(" [kg]", ""))
    printed = run("diff", *pair)
    assert printed.exit_code == 2
    assert "states no unit of mass" in printed.output


def test_thresholds(run, pair):
    kept = [
        "--threshold",
        "mass 1.5 kg",
        "--threshold",
        "mass 25 %",
        "--threshold",
        "a: mass 0.5",
        "--threshold",
        "Cx 700 mm",
    ]
    assert run("diff", *pair, *kept).exit_code == 0
    for text in ("mass 1499 g", "mass 24.9 %", "a: mass 0.49", "Ixx 1"):
        printed = run("diff", *pair, "--threshold", text)
        assert printed.exit_code == 1, text
        assert "MP640" in printed.stderr
        assert printed.stdout.startswith("✘")
    words = run("diff", *pair, "--threshold", "mass 1").stderr
    assert "top: mass changed by +1.5 kg (threshold 1 kg)" in words
    words = run("diff", *pair, "--threshold", "top: mass 0.5 %", "--format", "concise").stderr
    assert "top: mass changed by +1.5 kg, +25 % (threshold 0.5 %)" in words
    assert run("diff", *pair, "--threshold", "mass 1", "--ignore", "MP640").exit_code == 0
    assert run("diff", *pair, "--threshold", "mass 1", "--fail-on", "never").exit_code == 0


@pytest.mark.parametrize(
    ("option", "code", "mark"), [("", 1, "✘"), ("--ignore=MP640", 0, "✔"), ("--fail-on=never", 0, "✔")]
)
def test_the_mark_states_what_the_exit_code_does(run, pair, option, code, mark):
    result = run("diff", *pair, "--threshold", "mass 1 kg", *filter(None, [option]))
    assert result.exit_code == code
    assert {text[0] for text in (result.stdout, result.stderr) if text} == {mark}


def test_what_is_ignored_is_not_reported(run, pair):
    printed = run("diff", *pair, "--threshold", "mass 1 kg", "--ignore", "MP640", "--format", "md")
    assert printed.exit_code == 0
    assert "MP640" not in printed.output


def test_thresholds_that_are_none(run, pair):
    for text in (
        "mass",
        "masss 1 kg",
        "mass 1 mm",
        "Cx 5 %",
        "mass * kg",
        "mass -1 kg",
        "d: mass 1 kg",
        "z: mass 1",
        "a:",
    ):
        printed = run("diff", *pair, "--threshold", text)
        assert printed.exit_code == 2, text
        assert "Traceback" not in printed.output


def test_reasons_from_a_file_and_from_a_column(run, pair, tmp_path):
    (tmp_path / "why.csv").write_text("Item,Reason\na,ECR-1\nx,ECR-2\nb,ECR-3\n")
    printed = run("diff", *pair, "--reasons", "why.csv")
    assert printed.exit_code == 0
    assert "MP64" not in printed.output
    lines = [" ".join(line.replace("█", "").split()) for line in printed.stdout.splitlines()]
    assert "d +4.000 added: ECR-2" in lines
    at = lines.index("change of mass by reason")
    assert lines[at + 1 : at + 4] == ["ECR-2 +4 kg", "ECR-3 -3 kg", "ECR-1 +0.5 kg"]
    report = json.loads(run("diff", *pair, "--reasons", "why.csv", "--format", "json").stdout)
    assert sum(report["by_reason"].values()) == pytest.approx(1.5)
    assert {row["id"]: row["reason"] for row in report["changes"]}["d"] == "ECR-2"

    (tmp_path / "old.csv").write_text(
        OLD.replace("part", "Why").replace("B", "obsolete").replace(",C", ",").replace(",A", ",")
    )
    (tmp_path / "new.csv").write_text(NEW.replace("part", "why").replace(",A", ",ECR-9").replace(",X", ","))
    printed = run("diff", *pair, "--reason-column", "Why", "--format", "jsonl")
    reasons = {row["id"]: row.get("reason") for row in map(json.loads, printed.stdout.splitlines())}
    assert reasons == {"a": "ECR-9", "x": None, "c": "C", "d": "D", "b": "obsolete"}
    assert "MP643" in printed.stderr


def test_reasons_that_cannot_be_read(run, pair, tmp_path):
    (tmp_path / "wrong.csv").write_text("thing,reason\na,b\n")
    (tmp_path / "twice.csv").write_text("item,reason\na,b\na,c\n")
    (tmp_path / "wrong.toml").write_text("a = 1\n")
    (tmp_path / "broken.toml").write_text("a = \n")
    (tmp_path / "other.toml").write_text("reasons = 3\n")
    for name in ("wrong.csv", "twice.csv", "wrong.toml", "broken.toml", "other.toml", "absent.csv", "absent.toml"):
        printed = run("diff", *pair, "--reasons", name)
        assert_exit(printed, 2, name, "reason" if name.startswith(("w", "t", "o")) else "")
        assert "Traceback" not in printed.output
    assert_exit(run("diff", *pair, "--reason-column", "whyy"), 2, "column", "whyy")
    assert_exit(
        run("diff", *pair, "--reasons", "column:part", "--reasons", "wrong.csv"),
        2,
        "--reasons is given 2 times and has one value",
    )


def test_sigma_of_a_result(run, tmp_path, sample_data):
    revised = (sample_data / "spacecraft.csv").read_text().replace(",0.057,0.002,", ",0.2,0.002,")
    (tmp_path / "new.csv").write_text(revised)
    printed = run("diff", sample_data / "spacecraft.csv", tmp_path / "new.csv", "--of", "sigma_Cz", "--format", "json")
    fall = json.loads(printed.stdout)["waterfall"]
    assert fall["unit"] == "m"
    assert abs(fall["rounding"]) < 1e-12
    assert fall["after"] > fall["before"]


def test_written_contributions_have_the_fewest_digits(run, tmp_path):
    """2.79 − 2.781 is 0.008999999999999897 in doubles."""
    table = "id,parent,mass [kg]\nS,,\nA,S,2.781\nB,S,53.1\n"
    (tmp_path / "a.csv").write_text(table)
    (tmp_path / "b.csv").write_text(table.replace("2.781", "2.79"))
    assert run("diff", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "d.csv").exit_code == 0
    head, row = (line.split(",") for line in (tmp_path / "d.csv").read_text().splitlines())
    assert dict(zip(head, row, strict=True))["d_mass"] == "0.009"


def test_items_without_ids_are_matched_by_part_number(run, tmp_path):
    """An adapter of 350 g between two arms: by positions in the tree, each row after it would be another item."""
    head, rows = (
        "Level,Part Number,QTY,Mass (g)\n0,TOP,1,\n",
        ["1,ARM,1,\n2,MOT,1,200\n2,MOT,1,200\n", "1,LEG,1,\n2,MOT,1,900\n"],
    )
    (tmp_path / "a.csv").write_text(head + "".join(rows))
    (tmp_path / "b.csv").write_text(head + rows[0] + "1,ADP,1,350\n" + rows[1])
    answer = json.loads(run("diff", tmp_path / "a.csv", tmp_path / "b.csv", "--format", "json").stdout)
    assert answer["matched_by"] == "part"
    assert [(one["id"], one["changes"]) for one in answer["changes"]] == [("1.2", ["added"])]
    by_id = run("diff", tmp_path / "a.csv", tmp_path / "b.csv", "--match", "id", "--format", "json")
    found = [one for one in json.loads(by_id.stdout)["findings"] if one["rule"] == "MP641"]
    assert [(one["severity"], "inserted row" in one["message"]) for one in found] == [("warning", True)]
