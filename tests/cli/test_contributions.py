"""The command contributions: what is shown, what is written, and what is a wrong call."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from .conftest import assert_exit

# sigmas 0.3 and 0.4 of the masses: variances 0.09 and 0.16 of 0.25, so 36 % and 64 %
TWO = """id,parent,mass [kg],sigma_mass [kg]
top,,,
a,top,2,0.3
b,top,3,0.4
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "two.csv"
    path.write_text(TWO)
    return path


def test_rows_weighing_and_conventions(run, table):
    result = run("contributions", table, "--weigh", "1")
    assert result.exit_code == 0, result.output
    words = " ".join(result.stdout.split())
    assert "Contributors to mass uncertainty, top: 2 of 2 leaves contribute at least 80 % of the variance" in words
    assert "b 64.0 % 64.0 % mass 100 % 0.4 kg 1" in words
    assert "a 36.0 % 100.0 % mass 100 % 0.3 kg 1" in words or "a 36.0 % 100 % mass 100 % 0.3 kg 1" in words
    assert "weigh b: sigma decreases from 0.5 to 0.3 kg" in words
    assert "first-order, full covariance" in words


def test_quiet_keeps_data_unless_they_are_in_a_file(run, table, tmp_path):
    assert run("contributions", table, "-q").output == ""
    assert json.loads(run("contributions", table, "-q", "--format", "json").stdout)["of"] == "mass"
    written = run("contributions", table, "-q", "-o", tmp_path / "rows.csv")
    assert (written.exit_code, written.output) == (0, "")


def test_json_is_the_library(run, table):
    import massprops_cli as mp

    result = run("contributions", table, "--format", "json")
    assert json.loads(result.stdout) == mp.contributions(mp.read_bom(str(table))).to_dict()


def test_machines_get_every_row_unless_top_is_given(run, table):
    assert [
        json.loads(line)["name"] for line in run("contributions", table, "--format", "jsonl").stdout.splitlines()
    ] == ["b", "a"]
    assert len(run("contributions", table, "--format", "jsonl", "--top", 1).stdout.splitlines()) == 1


def test_concise_and_markdown(run, table):
    lines = run("contributions", table, "--format", "concise").stdout.splitlines()
    assert lines[0] == "b: 64.0 % of the variance of mass, main input mass"
    page = run("contributions", table, "--format", "md").stdout
    assert "| b | 64.0 % | 64.0 % | mass 100 % | 0.4 kg | 1 |" in page
    assert "| b | 3 | 60.0 % | 60.0 % |" in run("contributions", table, "--value", "--format", "md").stdout
    assert run("contributions", table, "--value", "--format", "concise").stdout.startswith("b: 60.0 % of the mass")


def test_rows_are_written_as_a_table(run, table):
    done = run("contributions", table, "-o", "-", "--to", "csv")
    assert done.exit_code == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["name"], float(row["share"])) for row in rows] == [
        ("b", pytest.approx(0.64)),
        ("a", pytest.approx(0.36)),
    ]
    assert "weigh" in done.stderr  # the report makes way for the data


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet", "feather", "md", "xlsx"])
def test_every_format_is_written(run, table, tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    assert run("contributions", table, "-o", path).exit_code == 0
    assert path.stat().st_size > 0
    assert_exit(run("contributions", table, "--value", "-o", path, "--no-clobber"), 2, path.name, "file exists")
    assert run("contributions", table, "--value", "-o", path).exit_code == 0


def test_the_mass_itself(run, table):
    result = run("contributions", table, "--value", "--top", 1)
    words = " ".join(result.stdout.split())
    assert "Contributors to mass, top: 5 kg" in words
    assert "b 3 60.0 % 60.0 %" in words
    assert "and 1 more, 40.0 % of mass" in words
    assert json.loads(run("contributions", table, "--value", "--format", "json").stdout)["shares"][1]["name"] == "a"


def test_a_group_is_a_row_with_its_members(run, tmp_path):
    path = tmp_path / "bolts.csv"
    path.write_text("id,parent,mass,sigma_mass,part\ntop,,,,\na,top,2,0.3,bolt\nb,top,2,0.3,bolt\nc,top,3,0.8,nut\n")
    result = run("contributions", path, "--correlate", "part", "--weigh", "1")
    words = " ".join(result.stdout.split())
    assert "64.0 %" in words  # of 0.6² + 0.8²
    assert "bolt (2 leaves) 36.0 %" in words
    assert "a 18.0 %" in words
    assert "shared uncertainty of a group is one row" in words


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--of", "weight"], "result is unknown: weight"),
        (["--of", "Cx"], "no columns of centre"),
        (["--item", "wing"], "id is not in the table: wing"),
        (["--value", "--of", "Ixx"], "--value ranks contributions to the mass only"),
        (["--value", "--weigh", "2"], "--value excludes --weigh and the uncertainty options"),
        (["--value", "--correlate", "all"], "--value excludes --weigh and the uncertainty options"),
        (["--uncertainty", "massprops"], "--uncertainty covariance"),
        (["--plot", "shares.gif"], "the suffix is one of .svg, .png, .pdf"),
        (["--plot", "."], "output is a folder"),
    ],
)
def test_wrong_calls(run, table, arguments, reported):
    result = run("contributions", table, *arguments)
    assert result.exit_code == 2
    assert reported in " ".join(result.stderr.split())


def test_a_table_without_sigmas(run, bom):
    result = run("contributions", bom)
    assert result.exit_code == 2
    assert "sigma columns" in result.stderr


def test_correlations_that_cannot_be_are_reported(run, tmp_path):
    path, rho = tmp_path / "bolts.csv", tmp_path / "rho.csv"
    path.write_text("id,parent,mass,sigma_mass,corr_group\ntop,,,,\na,top,2,0.3,g\nb,top,2,0.3,h\nc,top,3,0.8,k\n")
    rho.write_text("a,b,quantity,rho\ng,h,mass,0.9\nh,k,mass,0.9\ng,k,mass,-0.9\n")
    result = run("contributions", path, "--correlations", rho, "--format", "json")
    assert result.exit_code == 1
    assert [finding["rule"] for finding in json.loads(result.stdout)["findings"]] == ["MP517"]


def test_errors_are_reported(run, bad):
    result = run("contributions", bad)
    assert result.exit_code == 1
    assert "not rolled up" in result.output


def test_pictures_are_replaced(run, table, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib, the extra plot")
    path = tmp_path / "shares.svg"
    assert run("contributions", table, "--plot", path).exit_code == 0
    assert path.read_text().startswith("<?xml")
    rejected = run("contributions", table, "--plot", path, "--no-clobber")
    assert (rejected.exit_code, "--no-clobber" in rejected.stderr) == (2, True)
    assert run("contributions", table, "--plot", path).exit_code == 0


def test_what_is_weighed_already_is_not_to_be_weighed(run, tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass,sigma_mass,method\ntop,,,,\na,top,1,0.5,weighed\nb,top,2,0.1,estimated\n")
    words = " ".join(run("contributions", path).output.split())
    assert "weigh b: sigma decreases from 0.51 to 0.5" in words


def test_leaves_without_sigmas_are_named(run, tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass,sigma_mass\ntop,,,\na,top,1,0.5\nb,top,2,\n")
    result = run("contributions", path, "--allow-missing", "sigma")
    assert result.exit_code == 1
    words = " ".join(result.output.split())
    assert "1 of 2 leaves have no sigmas; the total is unknown: b; enter them" in words
    assert "MP223" in words


@pytest.mark.parametrize(("of", "count", "names"), [("mass", 1, "B"), ("Cx", 2, "B, C")])
def test_leaves_with_incomplete_sigmas_are_findings(run, tmp_path, of, count, names):
    path = tmp_path / "bom.csv"
    head = "id,parent,mass,sigma_mass,Cx,Cy,Cz,sigma_Cx,sigma_Cy,sigma_Cz\nR,,,,,,,,,\n"
    path.write_text(f"{head}A,R,1,.1,1,1,1,.1,.1,.1\nB,R,2,,1,1,1,.1,.1,.1\nC,R,2,.1,1,1,1,,.1,.1\n")
    result = run("contributions", path, "--of", of)
    assert result.exit_code == 1
    words = " ".join(result.output.split())
    assert f"{count} of 3 leaves have incomplete sigmas; the total is unknown: {names}; enter them" in words
    assert "MP223" in words
    assert run("contributions", path, "--of", of, "--item", "A").exit_code == 0
    assert_exit(run("contributions", path, "--of", "weight"), 2, "weight", "mass, Cx")


@pytest.mark.parametrize("mean", [(), ("--value",)])
def test_a_table_with_errors_has_no_tick(run, tmp_path, mean):
    path = tmp_path / "k.csv"
    for stated, code, mark in (("30", 1, "✘"), ("15", 0, "✔")):  # 10 + 5
        path.write_text(f"id,parent,mass [kg],sigma_mass [kg]\nR,,{stated},\nA,R,10,0.1\nB,R,5,0.1\n")
        done = run("contributions", path, *mean)
        assert done.exit_code == code
        assert done.stdout.startswith(f"{mark} Contributors")
