"""``massprops check``: exit codes, formats, and what the screen shows."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import assert_exit

FORMATS = ("full", "concise", "json", "jsonl", "md", "junit", "sarif", "github", "gitlab", "openmetrics")

# parts of 2 and 3 kg at x = −1 and 1 m: 5 kg, centre at (3 − 2) / 5 = 0.2 m
PARTS = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\ntop,,,,,\na,top,2,-1,0,0\nb,top,3,1,0,0\n"

TWO_SIGNS = """\
id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,Ipoint
S,,,,,,,,,,,,,
A,S,1,0,0,0,1,1,1,0.1,0,0,+,no
B,S,1,1,0,0,1,1,1,0.3,0,0,-,no
"""


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    path = tmp_path / "parts.csv"
    path.write_text(PARTS, encoding="utf-8")
    return path


@pytest.fixture
def budget(tmp_path: Path):
    """Write a budget file of one entry about the whole, or of the text given."""

    def write(limits: str, name: str = "budget.toml") -> Path:
        text = limits if "[[" in limits else f'[[budget]]\nitem = "top"\n{limits}\n'
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ('mass-max = "5.1 kg"', 0),
        ('mass-max = "4.9 kg"', 1),
        ('mass-max = "4.9"', 2),
        ('mass-maximum = "4.9 kg"', 2),
        ("mass-max = ", 2),
    ],
)
def test_exit_code_in_every_format(run, parts, budget, limits, code, style):
    done = run("check", parts, "--budget", budget(limits), "--format", style)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("command", ["check", "tree", "diff"])
def test_sign_to_write_is_not_requested_where_nothing_is_written(massprops, tmp_path, command):
    table, budget = tmp_path / "bom.csv", tmp_path / "budget.toml"
    table.write_text(TWO_SIGNS, encoding="utf-8")
    # a cell under + is −Ixy: −0.1 + 0.3 = 0.2
    budget.write_text('[[budget]]\nitem = "S"\nIxy = ["0.19 kg m2", "0.21 kg m2"]\nproducts = "-"\n', encoding="utf-8")
    files = {"check": [table, "--budget", budget], "tree": [table], "diff": [table, table]}[command]
    done = massprops(command, *map(str, files), "--unit", "mass=kg", "--unit", "length=m")
    assert done.exit_code == 0, done.output
    assert_exit(massprops("validate", str(table)), 1, "MP224", "POIconv")


def test_unknown_key_names_the_nearest_and_its_line(run, parts, budget):
    done = run("check", parts, "--budget", budget('mass-maxx = "5 kg"'))
    assert done.exit_code == 2
    assert "budget.toml:3" in done.stderr
    assert "mass-max" in done.stderr.replace("mass-maxx", "")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--budget", "absent.toml"], "absent.toml"),
        ([], "name its file (budget, --budget), or add [[budget]] to massprops.toml"),
        (["--uncertainty", "montecarlo"], "omit --uncertainty montecarlo"),
        (["--today", "tomorrow"], "today is not a date: 'tomorrow' (expected such as 2027-12-31"),
    ],
)
def test_wrong_calls(run, parts, budget, arguments, reported):
    given = ["--budget", budget('mass-max = "5.1 kg"')] if arguments and arguments[0] != "--budget" else []
    done = run("check", parts, *given, *arguments)
    assert done.exit_code == 2
    assert reported in done.stderr


def test_budget_of_the_configuration(run, parts, budget):
    budget('[[budget]]\nitem = "top"\nmass-max = "4.9 kg"\n[read]\nlayout = "parent"\n', "massprops.toml")
    done = run("check", parts)
    assert done.exit_code == 1
    assert "top: predicted mass 5 kg is above 4.9 kg by 0.1 kg" in " ".join(done.stdout.split())


def test_a_budget_that_is_named_comes_before_the_configuration(run, parts, budget):
    budget('[[budget]]\nitem = "top"\nmass-max = "4.9 kg"\n', "massprops.toml")
    assert run("check", parts, "--budget", budget('mass-max = "5.1 kg"')).exit_code == 0


def test_fail_on(run, parts, budget):
    soft = budget('mass-max = "4.9 kg"\nseverity = "warning"')
    assert run("check", parts, "--budget", soft).exit_code == 0
    assert_exit(run("check", parts, "--budget", soft, "--fail-on", "warning"), 1, "warning MP601", "4.9 kg")
    hard = budget('mass-max = "4.9 kg"')
    assert run("check", parts, "--budget", hard, "--fail-on", "never").exit_code == 0
    assert run("check", parts, "--budget", hard, "--ignore", "MP601").exit_code == 0


def test_waiver_holds_to_its_last_day(run, parts, budget):
    text = (
        '[[budget]]\nitem = "top"\nmass-max = "4.9 kg"\n[[waive]]\nrule = "MP601"\nitem = "top"\nreason = "a reason"\n'
    )
    path = budget(text + "expires = 2027-03-31\n")
    last = run("check", parts, "--budget", path, "--today", "2027-03-31")
    assert last.exit_code == 0
    assert "waived: a reason" in last.stdout
    after = run("check", parts, "--budget", path, "--today", "2027-04-01")
    assert after.exit_code == 1
    assert "MP612" in after.stdout


@pytest.mark.parametrize(("severity", "kept"), [("error", False), ("warning", True)])
def test_json_states_whether_it_is_kept_whatever_fails(run, parts, budget, severity, kept):
    path = budget(f'mass-max = "4.9 kg"\nseverity = "{severity}"')
    done = run("check", parts, "--budget", path, "--format", "json", "--fail-on", "never")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["kept"] is kept


def test_json_has_every_limit_with_its_numbers(run, parts, budget):
    path = budget('mass-max = "5100 g"\ncenter-x = ["*", "0.15 m"]')
    report = json.loads(run("check", parts, "--budget", path, "--format", "json").stdout)
    mass, center = report["verdicts"]
    assert report["kept"] is False
    assert (mass["value"], mass["limit"], mass["unit"], mass["kept"]) == (pytest.approx(5000), 5100, "g", True)
    assert center["value"] == pytest.approx(0.2)
    assert center["margin"] == pytest.approx(-0.05)
    assert [finding["rule"] for finding in report["findings"] if finding["severity"] == "error"] == ["MP604"]


def test_junit_has_a_case_for_each_limit(run, parts, budget):
    path = budget('mass-max = "5.1 kg"\nmass-min = "4 kg"\ncenter-x = ["*", "0.15 m"]')
    root = ElementTree.fromstring(run("check", parts, "--budget", path, "--format", "junit").stdout)
    cases = root.findall(".//testcase[@classname='top']")
    assert [case.find("failure") is not None for case in cases] == [False, False, True]
    assert root.get("failures") == "1"


def test_a_table_with_errors_and_no_unit_is_not_checked(run, bad, budget):
    done = run("check", bad, "--budget", budget('mass-max = "5 kg"'))
    assert done.exit_code == 1
    assert "not checked against" in done.stdout
    assert "MP305" in done.stdout
    assert "MP601" not in done.stdout


def test_no_table_is_2(run, tmp_path, budget):
    (tmp_path / "empty.csv").write_bytes(b"")
    done = run("check", tmp_path / "empty.csv", "--budget", budget('mass-max = "5 kg"'), "--format", "junit")
    assert done.exit_code == 2
    assert "MP111" in done.stdout


def test_screen_shows_limits_with_broken_ones_first(run, parts, budget):
    path = budget('mass-max = "5.1 kg"\ncenter-x = ["*", "0.15 m"]')
    lines = [
        line.split()[0] for line in run("check", parts, "--budget", path).stdout.splitlines() if line.startswith("  ")
    ]
    assert lines[1:3] == ["error", "kept"]


def test_standard_input(run, budget):
    path = budget('mass-max = "5.1 kg"')
    done = run("check", "-", "--from", "csv", "--budget", path, "--format", "concise", input=PARTS)
    assert done.exit_code == 0, done.output


def test_quiet_states_what_is_broken_and_nothing_else(run, parts, budget):
    assert run("check", parts, "--budget", budget('mass-max = "5.1 kg"'), "-q").stdout == ""
    assert run("check", parts, "--budget", budget('mass-max = "4.9 kg"'), "-q").stdout.count("\n") == 1


def test_reports_next_to_what_is_reported(run, parts, budget, tmp_path):
    path = budget('mass-max = "4.9 kg"')
    names = {style: tmp_path / f"report.{style}" for style in FORMATS[4:]}
    printed = run("check", parts, "--budget", path, "--format", "concise")
    requested = [word for style, name in names.items() for word in ("--report", f"{style}={name}")]
    done = run("check", parts, "--budget", path, "--format", "concise", *requested)
    assert (done.exit_code, done.stdout) == (1, printed.stdout)
    for style, name in names.items():
        alone = run("check", parts, "--budget", path, "--format", style)
        assert name.read_bytes() == alone.stdout.encode()


def test_a_table_with_errors_is_reported_too(run, bad, budget, tmp_path):
    report = tmp_path / "junit.xml"
    done = run("check", bad, "--budget", budget('mass-max = "5 kg"'), "--report", f"junit={report}")
    assert_exit(done, 1, "no unit of mass", "MP205", "MP305")
    assert ElementTree.parse(report).getroot().get("failures") == "3"  # the table, and two rules


@pytest.mark.parametrize(
    ("name", "reported"),
    [("xml=a.xml", "expected STYLE=FILE"), ("junit=", "expected STYLE=FILE"), ("junit={parts}", "file is an input")],
)
def test_reports_that_cannot_be(run, parts, budget, name, reported):
    done = run("check", parts, "--budget", budget('mass-max = "5.1 kg"'), "--report", name.format(parts=parts))
    assert done.exit_code == 2
    assert reported in done.stderr
    assert parts.read_text(encoding="utf-8") == PARTS


def test_two_reports_do_not_share_a_file(run, parts, budget, tmp_path):
    same = tmp_path / "report"
    requested = ["--report", f"junit={same}", "--report", f"sarif={same}"]
    done = run("check", parts, "--budget", budget('mass-max = "5.1 kg"'), *requested)
    assert done.exit_code == 2
    assert "names a file twice" in done.stderr
    assert not same.exists()


@pytest.mark.parametrize("basis", ["predicted", "basic", "allocation"])
def test_a_margin_to_a_limit_of_nothing_is_reported(run, parts, budget, basis):
    path = budget(f'mass-max = "0 kg"\nmargin-min = "5 %"\nmargin-basis = "{basis}"')
    done = run("check", parts, "--budget", path, "--format", "json")
    assert done.exit_code == 1
    assert [one["kept"] for one in json.loads(done.stdout)["verdicts"]] == [False, False]


def test_no_report_is_written_over_a_table(run, parts, bom, budget):
    before = bom.read_bytes()
    done = run("check", parts, "--budget", budget('mass-max = "5.1 kg"'), "--report", f"junit={bom}")
    assert done.exit_code == 2
    assert "names an existing table" in done.stderr
    assert bom.read_bytes() == before


def test_a_limit_of_a_workbook_points_into_the_budget_file(run, parts, budget, tmp_path):
    book = tmp_path / "parts.xlsx"
    assert run("convert", parts, "-o", book).exit_code == 0
    path = budget('mass-max = "4.9 kg"')
    done = run("check", book, "--budget", path, "--format", "github", "--ignore", "MP624")
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"::error file={path},line=3,title=MP601 mass-over-limit::{book}:")
    assert "!C2: top: predicted mass 5 kg is above 4.9 kg by 0.1 kg" in line


def test_waived_total_is_a_note_in_every_report(run, tmp_path: Path, budget) -> None:
    table = tmp_path / "bus.csv"
    table.write_text("Part,Mass [kg]\nWheel,2\nBody,10\nTotal,99\n", encoding="utf-8")
    waiver = '[[waive]]\nrule = "MP415"\nitem = "Tot*"\nreason = "of last year"\n'
    limits = budget('[[budget]]\nitem = "Body"\nmass-max = "11 kg"\n' + waiver)
    done = run("check", str(table), "--budget", str(limits), "--format", "json")
    assert done.exit_code == 0
    (total,) = [one for one in json.loads(done.stdout)["findings"] if one["rule"] == "MP415"]
    assert (total["severity"], total["item"], total["place"]["row"]) == ("note", "Total", 4)
    assert "waived: of last year" in total["message"]
    lines = run("check", str(table), "--budget", str(limits), "--format", "jsonl").stdout.splitlines()
    assert [one["severity"] for one in map(json.loads, lines) if one["rule"] == "MP415"] == ["note"]
    other = budget(limits.read_text(encoding="utf-8").replace("Tot*", "Sum"))
    assert_exit(run("check", str(table), "--budget", str(other)), 1, "error MP415", "99 kg", "warning MP611")


def test_more_than_two_notes_are_counted_on_one_line(run, tmp_path, budget):
    path = tmp_path / "titled.csv"
    # a title, a mass that is text for no number, a decimal comma and a total: one note each
    path.write_text('Car\n\nid,parent,mass [kg]\ntop,,\na,top,"2,5"\nb,top,3\nTotal,,5.5\n', encoding="utf-8")
    limits = budget('mass-max = "6 kg"\ncoverage-min = "100 %"')
    folded, listed = (run("check", path, "--budget", limits, *more).stdout for more in ((), ("-v",)))
    notes = listed.count(" note ")
    assert notes > 2
    assert f"{notes} notes: -v" in folded.splitlines()
    assert " note " not in folded


@pytest.mark.parametrize("turned", [False, True])
def test_limits_of_all_budget_files_are_checked(run, parts, budget, turned):
    """5 kg: above 1 kg of one file, below 6 kg of the other, in either order."""
    files = [budget('mass-max = "1 kg"', "strict.toml"), budget('mass-max = "6 kg"', "ok.toml")]
    first, second = reversed(files) if turned else files
    done = run("check", parts, "--budget", first, "--budget", second)
    assert_exit(done, 1, f"1 of 2 limits of {first}, {second} kept", "top: predicted mass 5 kg is above 1 kg by 4 kg")
    assert_exit(run("check", parts, "--budget", files[1], "--budget", files[1]), 0, "1 of 1 limit")
    assert_exit(run("check", parts, "--budget", files[1], "--budget", "no.toml"), 2, "no.toml")


def test_waiver_of_one_budget_file_does_not_waive_limits_of_another(run, parts, budget):
    entry, waiver = (
        '[[budget]]\nitem = "top"\nmass-max = "1 kg"\n',
        '[[waive]]\nrule = "MP601"\nitem = "*"\nreason = "so"\n',
    )
    waived, strict = budget(entry + waiver, "waived.toml"), budget(entry, "strict.toml")
    assert run("check", parts, "--budget", waived).exit_code == 0
    assert_exit(run("check", parts, "--budget", waived, "--budget", strict), 1, "1 waived")


def test_broken_limits_of_several_files_are_listed_and_reported(run, tmp_path, budget):
    """5 kg and 7 kg, and a limit of 6 kg."""
    names = []
    for name, mass in (("a", 3), ("b", 5)):
        path = tmp_path / f"{name}.csv"
        path.write_text(PARTS.replace("b,top,3", f"b,top,{mass}"), encoding="utf-8")
        names.append(path)
    reports = {style: tmp_path / style for style in ("junit", "sarif", "gitlab", "github", "md", "openmetrics")}
    options = [word for style, path in reports.items() for word in ("--report", f"{style}={path}")]
    done = run("check", *names, "--budget", budget('mass-max = "6 kg"'), *options)
    assert_exit(done, 1, "error top mass ≤ 6 kg (predicted) 7 kg -1 kg", "massprops check FILE prints the findings")
    assert done.output.count("mass ≤ 6 kg") == 1
    cases = ElementTree.parse(reports["junit"]).getroot().iter("testcase")
    limits = {case.get("classname"): case.find("failure") is not None for case in cases if "≤" in str(case.get("name"))}
    assert limits == {f"{names[0]}: top": False, f"{names[1]}: top": True}
    [entry] = [each for each in json.loads(reports["gitlab"].read_text("utf-8")) if "MP601" in each["check_name"]]
    assert entry["location"]["path"].endswith("b.csv")
    results = json.loads(reports["sarif"].read_text("utf-8"))["runs"][0]["results"]
    assert sum(one["ruleId"] == "MP601" for one in results) == 1
    assert "b.csv" in reports["github"].read_text("utf-8")
    assert [f"{name.name}`" in reports["md"].read_text("utf-8") for name in names] == [True, True]
    assert reports["openmetrics"].read_text("utf-8").count("massprops_limit_kept{") == 2


def test_reports_of_several_files_name_no_input(run, parts, tmp_path, budget):
    other = tmp_path / "other.csv"
    other.write_text(PARTS, encoding="utf-8")
    done = run("check", parts, other, "--budget", budget('mass-max = "6 kg"'), "--report", f"junit={other}")
    assert_exit(done, 2, "--report names an input file")


@pytest.mark.parametrize(
    ("condition", "code", "mass"), [("empty", 1, "2.25 kg"), ("full", 1, "8 kg"), ("usual", 0, "4 kg")]
)
def test_check_in_a_condition(run, parts, tmp_path, condition, code, mass):
    """The part b of 3 kg has 0.25, 6 and 2 kg; 3 to 7 kg are allowed."""
    lines = [
        f'[condition.{name}]\nset = ["b.mass={value}"]' for name, value in (("empty", 0.25), ("full", 6), ("usual", 2))
    ]
    lines += ['[[budget]]\nitem = "top"\nmass-max = "7 kg"\nmass-min = "3 kg"\n']
    (tmp_path / "massprops.toml").write_text("\n".join(lines), encoding="utf-8")
    assert_exit(run("check", parts, "--condition", condition), code, f"parts.csv in condition {condition}: ", mass)
    assert_exit(run("check", parts), 0, "5 kg")
    assert_exit(run("check", parts, "--condition", "emty"), 2, "unknown condition: emty; the nearest is empty")


def test_limits_of_columns_need_no_budget_file(run, tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass [kg],Mass limit [kg]\ntop,,,6\na,top,2,2.5\nb,top,3,2\n", encoding="utf-8")
    done = run("check", path, "--format", "json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert [(one["item"], one["margin"], one["kept"]) for one in found["verdicts"]] == [
        ("top", 1.0, True), ("a", 0.5, True), ("b", -1.0, False),
    ]  # fmt: skip
    assert found["budget"] == str(path)
