"""The command base-params: styles, files, findings."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest

from tests.unit.mechanism_examples import CHAINS, SUSPENSION_EXPECTED, mdh_chain

from .conftest import ROOT

SUSPENSION = ROOT / "sample_data" / "suspension.json"
ELIMINATED = ",".join(SUSPENSION_EXPECTED["eliminated"])
EXACT = {row["head"]: {name: Fraction(v) for name, v in row["exact"].items()} for row in SUSPENSION_EXPECTED["base"]}


def test_json_has_the_published_result(run) -> None:
    result = run("base-params", SUSPENSION, "--eliminate", ELIMINATED, "--format", "json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert (report["parameters"], report["count"], report["upper_bound"]) == (70, 41, 41)
    assert (report["degrees_of_freedom"], report["loops"], report["certified"]) == (2, 3, True)
    found = {
        row["parameter"]: {name: Fraction(v) for name, v in row["exact"].items()} for row in report["base_parameters"]
    }
    assert found == EXACT
    assert report["base_parameters"][0]["decimal"]["Iyy1"] == 625 / 251


def test_csv_has_every_coefficient_and_the_kept_parameter_with_1(run, tmp_path) -> None:
    result = run("base-params", SUSPENSION, "--eliminate", ELIMINATED, "-o", tmp_path / "base.csv", "-q")
    assert result.exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "base.csv").read_text())))
    found: dict[str, dict[str, Fraction]] = {}
    for row in rows:
        found.setdefault(row["base"], {})[row["parameter"]] = Fraction(row["exact"])
    assert found == {head: {head: Fraction(1), **terms} for head, terms in EXACT.items()}


def test_standard_input_and_standard_output(run) -> None:
    chain = json.dumps(mdh_chain(CHAINS["robots"]["planar2r_vertical"]["mdh"], ["0", "-9.81", "0"]))
    result = run("base-params", "-", "--to", "tex", input=chain)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "\\begin{align}\n  \\varphi_{1} &= mx_{\\mathrm{1}} + \\tfrac{1}{2} m_{\\mathrm{2}} \\\\\n"
    )
    assert result.stdout.count("\\varphi") == 6


def test_markdown_and_concise(run) -> None:
    md = run("base-params", SUSPENSION, "--eliminate", ELIMINATED, "--format", "md").stdout
    assert "| 1 | `mx1 + (625/251)·Iyy1 - (32759/502000)·m7` | Iyy1 2.4900398, m7 -0.065256972 |" in md
    lines = run("base-params", SUSPENSION, "--eliminate", ELIMINATED, "--format", "concise").stdout.splitlines()
    assert len(lines) == 41
    assert lines[3] == "mz2"


def test_finding_names_joint_residual_and_remedy(run, tmp_path) -> None:
    document = json.loads(SUSPENSION.read_text())
    document["joints"][3]["pi"] = ["0", "0", "0.001"]
    (tmp_path / "off.json").write_text(json.dumps(document))
    result = run("base-params", tmp_path / "off.json")
    assert result.exit_code == 2
    assert "MP808" in result.stdout + result.stderr
    assert "joint G is not closed at the pose" in result.stdout + result.stderr
    assert "-1/1000" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--eliminate", "m9"], "m9"),
        (["-o", "base.xyz"], "base.xyz"),
        (["-o", "-"], "--to"),
        (["--method", "svd"], "exact"),
    ],
)
def test_wrong_calls(run, words, text) -> None:
    result = run("base-params", SUSPENSION, *words)
    assert result.exit_code == 2
    assert text in result.stderr


def test_missing_file_is_reported(run, tmp_path) -> None:
    result = run("base-params", tmp_path / "absent.json")
    assert result.exit_code == 2
    assert "MP101" in result.stdout + result.stderr
