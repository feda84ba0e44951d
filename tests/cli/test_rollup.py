"""The main command: what is written where, and what is reported on which stream."""

from __future__ import annotations

import csv
import io
import json

import openpyxl
import pytest

from .conftest import TWO_POINTS, assert_exit


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


def test_two_points_give_their_closed_form(run, bom, tmp_path):
    result = run("rollup", bom)
    assert result.exit_code == 0, result.output
    top = rows_of((tmp_path / "bom.rollup.csv").read_text())["top"]
    assert float(top["mass [kg]"]) == 5
    assert float(top["Cx [m]"]) == pytest.approx(0.2, rel=1e-15)
    # reduced mass times distance squared: (2*3/5) * 2^2
    assert float(top["Izz [kg*m^2]"]) == pytest.approx(4.8, rel=1e-14)
    assert float(top["Ixx [kg*m^2]"]) == 0
    assert "rolled up 3 items" in result.stdout
    assert result.stderr == ""


def test_leaf_rows_keep_their_characters(run, bom, tmp_path):
    run("rollup", bom)
    written = (tmp_path / "bom.rollup.csv").read_text().splitlines()
    assert written[0] == TWO_POINTS.splitlines()[0]
    assert written[2:] == TWO_POINTS.splitlines()[2:]


def test_standard_input_gives_data_on_stdout_and_the_rest_on_stderr(run):
    result = run("rollup", "-", "--from", "csv", input=TWO_POINTS)
    assert result.exit_code == 0
    assert rows_of(result.stdout)["top"]["mass [kg]"] == "5"
    assert "rolled up" in result.stderr


def test_json_is_the_librarys_dictionary(run, bom):
    import massprops_cli as mp

    result = run("rollup", bom, "--format", "json")
    expected = mp.rollup(mp.read_bom(bom)).to_dict()
    assert json.loads(result.stdout) == json.loads(json.dumps(expected))


def test_about_and_datum(run, bom):
    # about the origin: 2*1 + 3*1 = 5
    about = run("rollup", bom, "--about", "0,0,0").stdout
    assert "Izz 5" in " ".join(about.split())
    assert "the point 0,0,0" in about
    item = run("rollup", bom, "--about", "item:a").stdout  # 3 kg at 2 m
    assert "Izz 12" in " ".join(item.split())
    assert "sigmas" not in item
    datum = run("rollup", bom, "--datum", "1,0,0").stdout
    assert "Cx -0.8" in " ".join(datum.split())
    assert "datum 1,0,0" in datum


def test_about_moves_the_root_and_states_what_it_does_not_move(run, tmp_path):
    path = tmp_path / "bom.csv"
    header = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,Ipoint"
    sigmas = ",".join(f"sigma_{name}" for name in header.split(",")[2:12])
    path.write_text(f"{header},{sigmas}\ntop{',' * 23}\na,top,2,0,3,0,1,1,1,0,0,0,-,no{',0.1' * 10}\n")
    options = ("rollup", path, "--about", "0,0,0")
    for more in (["--interval", "95%"], ["--probability", "Ixx <= 1"], ["--uncertainty", "montecarlo"]):
        shown = " ".join(run(*options, *more).stdout.split())
        assert "Ixx 19" in shown  # 1 + 2 * 3 * 3
        assert "other tensors are about the CG of their item" in shown
    assert "further down" not in run(*options).stdout


def test_about_has_the_sigmas_of_the_root_as_one_body(run, tmp_path):
    path = tmp_path / "parts.csv"
    path.write_text(GROUPED)
    shown = run("rollup", path, "--uncertainty", "massprops", "--root", "top", "--about", "0,7,0").stdout
    # 12 kg at (0, 1, 0); variances of mass and centre by the arms of a, b and c
    sigma_m2, sigma_cx2 = 0.23, (0.4**2 + 3 * 0.1**2 + (3 * 0.4) ** 2) / 144
    sigma_cy2 = (4 * 0.0 + 3 * 0.1**2 + 0.4**2 + (2 * 0.2) ** 2) / 144
    own_ixy2 = (4 * 2 * 0.1) ** 2 + 3 * 0.1**2 + (3 * 0.4) ** 2
    sigma_ixy = (own_ixy2 + (12 * 6) ** 2 * sigma_cx2) ** 0.5
    own_ixx2 = 3 * 0.1**2 + 0.4**2 + (4 * 0.2) ** 2
    sigma_ixx = (own_ixx2 + (2 * 12 * 6) ** 2 * sigma_cy2 + 36**2 * sigma_m2) ** 0.5
    words = " ".join(shown.split())
    assert f"Ixy 0.0 ± {sigma_ixy:.1f}" in words
    assert f"Ixx {1 + 4 * 4 + 8 * 1 + 12 * 36} ± {sigma_ixx:.0f}" in words
    assert "root as one body" in words
    both = run("rollup", path, "--about", "0,7,0", "--principal").stdout
    assert "about the point 0,7,0 of the table's frame; principal moments and axes about its own centre" in both


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--about", "1,2"], "--about is not a point: 1,2"),
        (["--about", "item:nobody"], "id is not in the table: nobody"),
        (["--datum", "x"], "datum is not a point: x"),
        (["--add", "all"], "invalid --add: all"),
    ],
)
def test_options_that_mean_nothing_are_rejected(run, bom, tmp_path, option, words):
    assert_exit(run("rollup", bom, *option), 2, words)
    assert not (tmp_path / "bom.rollup.csv").exists()


def test_units_not_stated_is_reported(run, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\n")
    assert "not stated; read as coherent" in run("rollup", path).stdout


def test_errors_are_all_reported_and_nothing_is_written(run, bad, tmp_path):
    result = run("rollup", bad)
    assert result.exit_code == 1
    for text in ("MP305", "MP205", "nowhere", "heavy", "partial, not written"):
        assert text in result.stdout
    assert list(tmp_path.iterdir()) == [bad]


def test_other_columns_and_subtotals(run, tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text("id,parent,mass,qty,cost,supplier\ntop,,,,,\na,top,2,3,10,Ada\nb,top,4,1,5,Bob\nc,top,1,1,1,Ada\n")
    result = run("rollup", path, "--sum", "cost", "--by", "supplier")
    assert result.exit_code == 0, result.output
    assert rows_of((tmp_path / "cost.rollup.csv").read_text())["top"]["cost"] == "36"
    words = " ".join(result.stdout.split())
    assert "Ada 7 63.6 % 31" in words  # 3 * 2 + 1 of 11
    assert "Bob 4 36.4 % 5" in words
    assert "total 11 100 % 36" in words


def test_columns_without_a_mass(run, tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("id,parent,days\ntop,,\na,top,2\nb,top,4\n")
    assert_exit(run("rollup", path), 1, "MP203", "column of masses is missing")
    assert run("rollup", path, "--sum", "days").exit_code == 0
    assert rows_of((tmp_path / "work.rollup.csv").read_text())["top"]["days"] == "6"


def test_column_that_is_not_a_number_is_an_error(run, tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("id,parent,mass,days\ntop,,,\na,top,2,soon\n")
    result = run("rollup", path, "--sum", "days")
    assert result.exit_code == 1
    assert "MP205" in result.stdout
    assert not (tmp_path / "work.rollup.csv").exists()


def test_formats_of_findings(run, bad):
    full = run("validate", bad).stdout
    assert "  hint: " in full
    concise = run("validate", bad, "--format", "concise").stdout.splitlines()
    assert all(line.startswith(str(bad)) for line in concise)
    lines = [json.loads(line) for line in run("validate", bad, "--format", "jsonl").stdout.splitlines()]
    assert {line["rule"] for line in lines} >= {"MP305", "MP205"}
    assert json.loads(run("validate", bad, "--format", "json").stdout)["findings"] == lines
    assert run("validate", bad, "--format", "md").stdout.startswith("| severity |")


def test_grouped_findings_state_how_many_more_there_are(run, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("id,parent,mass\ntop,,\n" + "".join(f"a{i},top,no\n" for i in range(10)))
    screen = run("rollup", path).stdout
    assert "(and 9 more)" in screen
    for every in (run("validate", path).stdout, run("rollup", path, "-v").stdout):
        assert all(f"{path}:{line}" in every for line in range(3, 13))


def test_notes_are_counted_on_one_line_and_listed_with_v(run, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("name,qty,mass\na,,1\nb,2,TBD\n")
    screen = run("rollup", path, "--allow-missing", "mass").stdout
    assert " note MP" not in screen
    assert screen.splitlines()[-1] == "3 notes: -v"
    assert run("rollup", path, "--allow-missing", "mass", "-v").stdout.count("note MP") == 3


def test_findings_are_no_longer_than_the_result(run, tmp_path):
    path = tmp_path / "points.csv"
    rows = "".join(f"a{i},top,{i + 1},0,0,0,{i},,,\n" for i in range(30))
    path.write_text(f"id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,qty\ntop,,,,,,,,,\n{rows}")
    lines = run("rollup", path).stdout.split("\n\n")
    shown = next(block for block in lines if " error MP" in block or " warning MP" in block)
    assert len(shown.splitlines()) <= sum(len(block.splitlines()) + 1 for block in lines[: lines.index(shown)]) + 1


def test_quiet_reports_nothing_when_all_is_well(run, bom):
    result = run("rollup", bom, "-q")
    assert result.output == ""


def test_the_verdict_counts_the_findings_that_are_shown(run, tmp_path):
    path = tmp_path / "zero.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\nb,top,0\n")
    assert "0 errors, 1 warning →" in run("rollup", path).stdout
    assert "0 errors, 0 warnings →" in run("rollup", path, "--ignore", "MP4").stdout


def test_quiet_suppresses_a_tree_and_verbose_adds_the_comparison_of_samples(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,parent,mass,sigma_mass\ntop,,,\na,top,2,0.1\n")
    assert run("tree", path, "-q").output == ""
    sampled = ("rollup", path, "--uncertainty", "montecarlo", "-o", tmp_path / "b.csv")
    assert "compared with first" not in run(*sampled).stdout
    assert "compared with first" in run(*sampled, "-v").stdout


def test_the_tree_shows_no_sigma_where_it_is_not_known(run, tmp_path):
    """b has no sigma, so the whole has none either; nothing is shown as 0, and samples are not for a tree."""
    path = tmp_path / "some.csv"
    path.write_text("id,parent,mass,sigma_mass\ntop,,,\na,top,2,0.5\nb,top,3,\n")
    shown = run("tree", path, "--allow-missing", "sigma").stdout
    assert shown.count("±") == 1
    assert "2.00 ± 0.50" in shown
    assert_exit(run("tree", path, "--uncertainty", "montecarlo"), 2, "tree", "--uncertainty covariance")


@pytest.mark.parametrize("method", ["massprops", "none"])
def test_correlations_are_rejected_where_there_are_none(run, bom, method):
    result = run("rollup", bom, "--add", "radii,rho", "--uncertainty", method)
    assert result.exit_code == 2
    assert "--add rho requires --uncertainty covariance or montecarlo" in result.stderr


@pytest.mark.parametrize("method", [(), ("--uncertainty", "massprops"), ("--uncertainty", "none")])
def test_a_plot_requires_samples(run, bom, method):
    result = run("rollup", bom, "--plot", "a.svg", *method)
    assert_exit(result, 2, "--plot requires samples; add --uncertainty montecarlo")


def test_verbose_states_which_column_is_what(run, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("Part,parent,W\ntop,,\na,top,2\n")
    words = " ".join(run("rollup", path, "-v", "--map", "id=Part", "--map", "mass=W").stdout.split())
    assert "1 Part id - named by --map" in words
    assert "3 W mass - named by --map" in words


# two suppliers; Ada's: a three times, c once, with no cost; Bob's: b. Numbers of the groups by hand
GROUPED = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],\
Ixz [kg*m^2],Iyz [kg*m^2],POIconv,Ipoint,sigma_mass,sigma_Cx,sigma_Cy,sigma_Cz,sigma_Ixx,sigma_Iyy,sigma_Izz,\
sigma_Ixy,sigma_Ixz,sigma_Iyz,qty,cost,hot,supplier
top,,,,,,,,,,,,-,,,,,,,,,,,,1,,,
a,top,2,1,0,0,0,0,0,0,0,0,-,true,0.1,0,0,0,0,0,0,0,0,0,3,10,40,Ada
b,top,4,0,3,0,1,2,2,0,0,0,-,false,0.2,0.1,0,0,0,0,0,0,0,0,1,5,60,Bob
c,top,2,-3,0,0,0,0,0,0,0,0,-,true,0.4,0,0,0,0,0,0,0,0,0,1,,80,Ada
"""
ADA = {
    "mass": 8.0, "Cx": 0.0, "Cy": 0.0, "Cz": 0.0, "Ixx": 0.0, "Iyy": 24.0, "Izz": 24.0,
    "sigma_mass": (3 * 0.1**2 + 0.4**2) ** 0.5, "sigma_Cx": (3 * 0.1**2 + 9 * 0.4**2) ** 0.5 / 8,
    "sigma_Iyy": (3 * 0.1**2 + 81 * 0.4**2) ** 0.5,
}  # fmt: skip
REQUESTED = ("--uncertainty", "massprops", "--sum", "cost", "--max", "hot", "--mean", "hot", "--by", "supplier")


def test_subtotals_have_all_numbers_and_their_coverage(run, tmp_path):
    path = tmp_path / "parts.csv"
    path.write_text(GROUPED)
    result = run("rollup", path, *REQUESTED, "--format", "json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    ada, bob = report["groups"]
    assert ada["labels"] == {"supplier": "Ada"}
    for name, value in ADA.items():
        assert ada[name] == pytest.approx(value, rel=1e-14, abs=1e-15), name
    assert (bob["mass"], bob["Cy"], bob["Ixx"], bob["sigma_Cx"]) == (4.0, 3.0, 1.0, 0.1)
    assert ada["coverage"] == {"leaves": 2, "mass": 2, "center": 2, "inertia": 2}
    assert ada["columns"] == [
        {"column": "cost", "aggregation": "sum", "value": 30.0, "known": 1, "leaves": 2},
        {"column": "hot", "aggregation": "max", "value": 80.0, "known": 2, "leaves": 2},
        {"column": "hot", "aggregation": "mean", "value": 50.0, "known": 2, "leaves": 2},  # (6 × 40 + 2 × 80) / 8
    ]
    assert [column["value"] for column in bob["columns"]] == [5.0, 60.0, 60.0]
    assert [(c["known"], c["leaves"], c["items"]["top"]) for c in report["columns"]] == [
        (2, 3, 35),
        (3, 3, 80),
        (3, 3, 160 / 3),
    ]


def test_subtotals_on_screen_and_in_markdown(run, tmp_path):
    path = tmp_path / "parts.csv"
    path.write_text(GROUPED)
    words = " ".join(run("rollup", path, *REQUESTED).stdout.split())
    assert "supplier (kg) mass share sum cost max hot mean hot" in words
    assert "Ada 8.00 ± 0.44 66.7 % 30 80 50" in words
    text = run("rollup", path, *REQUESTED, "--format", "md").stdout
    assert "| Ada | 8.00 | ± 0.44 | 66.7 % | 30 | 80 | 50 |" in text
    assert "| cost | sum | 35 | 2 of 3 |" in text


def test_subtotals_without_masses_show_none(run, tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("id,parent,days,who\ntop,,,\na,top,2,Ada\nb,top,4,Bob\nc,top,8,Ada\n")
    shown = run("rollup", path, "--sum", "days", "--by", "who").stdout
    assert "who sum days Ada 10 Bob 4 total 14" in " ".join(shown.split())
    assert "mass" not in shown.partition("who")[2]
    report = json.loads(run("rollup", path, "--sum", "days", "--by", "who", "--format", "json").stdout)
    assert all("mass" not in item and item["coverage"].keys() == {"leaves"} for item in report["items"])
    groups = report["groups"]
    assert groups[0] == {
        "labels": {"who": "Ada"},
        "coverage": {"leaves": 2},
        "columns": [{"column": "days", "aggregation": "sum", "value": 10.0, "known": 2, "leaves": 2}],
    }


def test_subtotals_are_below_the_items_of_the_sheet(run, tmp_path):
    from openpyxl import load_workbook

    path = tmp_path / "parts.csv"
    path.write_text(GROUPED)
    target = tmp_path / "parts.xlsx"
    assert run("rollup", path, *REQUESTED, "-o", target).exit_code == 0
    header, *rows = load_workbook(target)["Rollup"].iter_rows(values_only=True)
    assert [row[0] for row in rows] == ["top", "a", "b", "c", None, "Ada", "Bob"]
    top, ada = dict(zip(header, rows[0], strict=True)), dict(zip(header, rows[5], strict=True))
    assert (top["sum cost"], top["max hot"], top["mean hot"]) == (35, 80, 160 / 3)
    assert (ada["parent"], ada["sum cost"], ada["max hot"], ada["mean hot"]) == ("by supplier", 30, 80, 50)
    for name, value in ADA.items():
        column = next(text for text in header if text.partition(" [")[0] == name.replace("sigma_", "σ "))
        assert ada[column] == pytest.approx(value, rel=1e-14, abs=1e-15), name
    assert ada["leaves"] == 2


def test_about_is_in_json_and_in_every_file(run, bom, tmp_path):
    """2 kg at x = −1 and 3 kg at x = 1 (points): about the origin 5, about (1, 2, 0) 2·(4+4) + 3·4 = 28."""
    plain = json.loads(run("rollup", bom, "--format", "json").stdout)
    assert "about" not in plain
    assert "inertia_about" not in plain["items"][0]
    found = json.loads(run("rollup", bom, "--about", "1,2,0", "--format", "json").stdout)
    assert found["about"] == [1, 2, 0]
    expected = {
        one["id"]: one["mass"] * sum(c**2 for c in (one["center"][0] - 1, one["center"][1] - 2))
        for one in found["items"][1:]
    }
    assert {one["id"]: one["inertia_about"]["Izz"] for one in found["items"][1:]} == pytest.approx(expected)
    assert found["items"][0]["inertia_about"]["Izz"] == pytest.approx(sum(expected.values()))
    run("rollup", bom, "--about", "1,2,0", "-o", tmp_path / "a.csv")
    written = rows_of((tmp_path / "a.csv").read_text())
    assert float(written["top"]["about_Izz [kg*m^2]"]) == pytest.approx(sum(expected.values()))
    assert [written["a"][f"about_{axis} [m]"] for axis in "xyz"] == ["1", "2", "0"]
    # another point replaces the numbers; none leaves no old ones
    run("rollup", tmp_path / "a.csv", "--about", "0,0,0", "-o", tmp_path / "b.csv")
    assert float(rows_of((tmp_path / "b.csv").read_text())["top"]["about_Izz [kg*m^2]"]) == pytest.approx(5)
    run("rollup", tmp_path / "b.csv", "-o", tmp_path / "c.csv")
    assert rows_of((tmp_path / "c.csv").read_text())["top"]["about_Izz [kg*m^2]"] == ""
    run("rollup", bom, "--about", "item:a", "-o", tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["Rollup"]
    column = next(k for k, cell in enumerate(sheet[1]) if cell.value == "about Izz [kg·m²]")
    assert sheet[2][column].value == pytest.approx(12)  # 3 kg at 2 m
