"""The sample of identification: its runs are those of the script, and the fit finds the missing cable."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FILES = ("run1.csv", "run2.csv")


@pytest.mark.slow
def test_sample_runs_are_what_the_script_writes(tmp_path, monkeypatch):
    (tmp_path / "identify").mkdir()
    for name in ("arm.json", "links.csv", "make_runs.py"):
        shutil.copy(ROOT / "sample_data" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path("make_runs.py", run_name="__main__")
    for name in FILES:
        made, kept = ((folder / "identify" / name).read_text() for folder in (tmp_path, ROOT / "sample_data"))
        assert made.partition("\n")[0] == kept.partition("\n")[0]
        rows = [np.array([line.split(",") for line in text.splitlines()[1:]], float) for text in (made, kept)]
        assert rows[0] == pytest.approx(rows[1], abs=0.011)  # a unit of the last digit
    assert sum((ROOT / "sample_data" / "identify" / name).stat().st_size for name in FILES) < 150_000


def test_sample_shows_the_cable(monkeypatch):
    pytest.importorskip("scipy", reason="identify needs SciPy")
    from massprops_cli import identify

    folder = ROOT / "sample_data"
    found = identify(folder / "arm.json", [folder / "identify" / name for name in FILES], folder / "links.csv")
    of = {row["parameter"]: row for row in found.parameters()}
    # closed form: the cable of 0.25 kg is at 0.85, 0.02, 0.43 m; elbow 0.5 m, shoulder 0 m, both at 0.4 m height
    for name, truth in (("mx_upper", 2.75 + 0.5 * 0.25), ("mx_lower", 0.6 + 0.25 * 0.35), ("mz_lower", 0.25 * 0.03)):
        assert abs(of[name]["value"] - truth) < 3 * of[name]["sigma"]
    assert of["mx_lower"]["sigma"] < 0.002
    assert found.table["probability"] < 1e-6


def test_table_of_the_sample_is_that_of_exact_base_parameters():
    pytest.importorskip("scipy", reason="identify needs SciPy")
    from massprops_cli import base_parameters, identify, read_mechanism

    folder = ROOT / "sample_data"
    exact = base_parameters(read_mechanism(folder / "arm.json")).parameter_values()
    run = folder / "identify" / FILES[0]
    found = identify(folder / "arm.json", run, folder / "links.csv", settings={"terms": []})
    table = {row["parameter"]: row["table"] for row in found.parameters()}
    assert table == pytest.approx({name: exact[name] for name in table}, abs=1e-12)
    assert len(table) == len(exact) == 24
