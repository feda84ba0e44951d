"""The command base-params: styles, files, findings."""

from __future__ import annotations

import csv
import io
import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.examples import first
from tests.unit.mechanism_examples import CHAINS, SUSPENSION_EXPECTED, mdh_chain

from .conftest import ROOT, assert_exit

SUSPENSION = ROOT / "sample_data" / "suspension.json"
CHAIN_FILE = ROOT / "sample_data" / "arm.json"
ELIMINATED = ",".join(SUSPENSION_EXPECTED["eliminated"])
EXACT = {row["head"]: {name: Fraction(v) for name, v in row["exact"].items()} for row in SUSPENSION_EXPECTED["base"]}


def test_json_has_the_published_result(run) -> None:
    result = run("base-params", SUSPENSION, "--config", f"eliminate={ELIMINATED}", "--format", "json")
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
    result = run("base-params", SUSPENSION, "--config", f"eliminate={ELIMINATED}", "-o", tmp_path / "base.csv", "-q")
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
    md = run("base-params", SUSPENSION, "--config", f"eliminate={ELIMINATED}", "--format", "md").stdout
    assert "| 1 | `mx1 + (625/251)·Iyy1 - (32759/502000)·m7` | Iyy1 2.4900398, m7 -0.065256972 |" in md
    lines = run(
        "base-params", SUSPENSION, "--config", f"eliminate={ELIMINATED}", "--format", "concise"
    ).stdout.splitlines()
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
        (["--config", "eliminate=m9"], "m9"),
        (["-o", "base.xyz"], "base.xyz"),
        (["-o", "-"], "--to"),
        (["--method", "qr"], "exact"),
        (["--config", "digits=30"], "--method svd"),
        (["--plot", "values.svg"], "--method svd"),
        (["--method", "svd", "--symbols"], "--method exact"),
        (["--method", "svd", "--config", "amplitude=x"], "amplitude is not"),
        (["--method", "svd", "--closure", "2"], "closure"),
        (["--method", "svd", "--trajectory", "t.csv", "--config", "samples=9"], "or samples"),
        (["--regressor", "w.txt"], "--regressor w.txt"),
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


def test_singular_values_are_listed_and_plotted(run, tmp_path) -> None:
    plot = tmp_path / "values.svg"
    result = run("base-params", SUSPENSION, "--method", "svd", "--plot", plot)
    assert result.exit_code == 0
    assert "70 parameters, 41 base parameters" in result.stdout
    assert "280 samples of F, K, double precision" in result.stdout
    assert plot.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("file", "parameters", "count"),
    first([(CHAIN_FILE, 40, 24), (SUSPENSION, 70, 41)], 1, several=True),
    ids=["chain", "suspension"],
)
def test_singular_values_in_json(run, file, parameters, count) -> None:
    report = json.loads(run("base-params", file, "--method", "svd", "--format", "json").stdout)
    assert report["count"] == report["exact_count"] == count
    assert len(report["singular_values"]) == parameters
    assert report["gap"] == pytest.approx(report["singular_values"][count - 1] / report["singular_values"][count])
    assert report["condition_number"] == pytest.approx(
        report["singular_values"][0] / report["singular_values"][count - 1]
    )


def test_rejected_rank_names_ratio_and_digits_and_is_plotted(run, tmp_path) -> None:
    plot = tmp_path / "values.svg"
    result = run("base-params", SUSPENSION, "--method", "svd", "--config", "amplitude=0.5", "--plot", plot)
    assert result.exit_code == 2
    assert "MP846" in result.output
    assert "digits=50" in result.output
    assert plot.exists()


def test_matrices_are_written_for_any_method(run, tmp_path) -> None:
    import pyarrow.parquet as pq

    files = {kind: tmp_path / f"w.{kind}" for kind in ("csv", "json", "parquet")}
    for method in ("exact", "svd"):
        for file in files.values():
            words = ("--regressor", file, "--observation", tmp_path / "all.json", "-q")
            assert run("base-params", CHAIN_FILE, "--method", method, *words).exit_code == 0
        tables = [
            {name: list(column) for name, column in pd.read_csv(files["csv"]).items()},
            json.loads(files["json"].read_text()),
            pq.read_table(files["parquet"]).to_pydict(),
        ]
        every = json.loads((tmp_path / "all.json").read_text())
        kept = [row["parameter"] for row in base_rows(run, method)]
        for table in tables:
            assert list(table) == ["time", "coordinate", *kept]
            for name in ("time", "coordinate", *kept):
                assert table[name] == pytest.approx(every[name]) if name != "coordinate" else every[name]


def base_rows(run, method: str) -> list[dict[str, Any]]:
    """The base parameters of the chain."""
    report = run("base-params", CHAIN_FILE, "--method", method, "--format", "json").stdout
    return json.loads(report)["base_parameters"]


def test_reduced_mechanism_is_written_and_read_again(run, tmp_path) -> None:
    chain = mdh_chain(CHAINS["robots"]["planar2r_vertical"]["mdh"], ["0", "-9.81", "0"])
    for body in chain["bodies"]:
        body |= {"mass": "2", "c": ["0.1", "0", "0.3"], "I": ["1", "1", "1", "0", "0", "0"]}
    (tmp_path / "arm.json").write_text(json.dumps(chain))
    result = run("base-params", tmp_path / "arm.json", "--reduce", "-o", tmp_path / "less.json", "-q")
    assert result.exit_code == 0
    less = json.loads((tmp_path / "less.json").read_text())
    assert [joint["pi"] for joint in less["joints"]] == [joint["pi"] for joint in chain["joints"]]
    # planar motion about z: no inertia but Izz, and no first moments along z
    assert all(body["I"][3:] == ["0", "0", "0"] for body in less["bodies"])
    first, second = (
        run("massmatrix", tmp_path / name, "--q", "0.3,0.4", "--format", "json").stdout
        for name in ("arm.json", "less.json")
    )
    flat = [[value for row in json.loads(text)["M"] for value in row] for text in (first, second)]
    assert flat[0] == pytest.approx(flat[1], rel=1e-12)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--reduce"], "-o"),
        (["--reduce", "-o", "x.csv"], "-o"),
        (["--reduce", "-o", "x.urdf"], "not a URDF"),
        (["--reduce", "-o", "x.json", "--method", "complex"], "exact"),
        (["--gravity", "0,1"], "--gravity"),
        (["--snap", "--no-snap"], "angles is assigned twice"),
    ],
)
def test_wrong_reductions_and_readings(run, words, text) -> None:
    result = run("base-params", SUSPENSION, *words)
    assert result.exit_code == 2
    assert text in result.stderr


def test_gravity_of_the_option_replaces_that_of_the_file(run) -> None:
    def count(gravity: str) -> int:
        words = (f"--gravity={gravity}", "--method", "structural", "--format", "json")
        found: int = json.loads(run("base-params", SUSPENSION, *words).stdout)["count"]
        return found

    counts = {gravity: count(gravity) for gravity in ("0,0,0", "0,1,0", "0,0,-1")}
    expected = SUSPENSION_EXPECTED["discriminating_ranks"]
    assert counts == {
        "0,0,0": expected["zero_gravity"],
        "0,1,0": expected["gravity_along_y1"],
        "0,0,-1": expected["vertical_gravity"],
    }


def test_settings_of_a_folder_are_used_and_those_of_a_matrix_only_with_one(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(CHAIN_FILE, "arm.json")
    text = '[robot]\ndigits = 30\namplitude = 0.5\neliminate = ["Izz_column"]\n'
    Path("massprops.toml").write_text(text, encoding="utf-8")
    found = [run("robot", "base-params", "arm.json", "--format", "json", *more) for more in ((), ("--config", "none"))]
    assert [one.exit_code for one in found] == [0, 0]
    assert ["Izz_column" in json.loads(one.stdout)["eliminated"] for one in found] == [True, False]
    assert {json.loads(one.stdout)["count"] for one in found} == {24}
    for text, message in (("digits = 301", "an integer from 1 to 300"), ("angles = 'write'", "the nearest is written")):
        Path("massprops.toml").write_text(f"[robot]\n{text}\n", encoding="utf-8")
        assert_exit(run("base-params", "arm.json"), 2, message)
