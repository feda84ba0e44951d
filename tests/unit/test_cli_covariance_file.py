"""``--covariance FILE``: the whole covariance of every item as parquet, json and csv."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import massprops_cli as mp
from massprops_cli.bom.items.result_columns import COVARIANCES, ItemCovariance
from massprops_cli.cli.stages import output_files as covariance_file


@pytest.fixture
def spacecraft(sample_data: Path) -> mp.Result:
    return mp.rollup(mp.read_bom(sample_data / "spacecraft.csv"))


def numbers_of(path: Path) -> tuple[list[str], np.ndarray]:
    """Read ids and numbers ``(n, 55)`` back, NaN for what is blank."""
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        rows = table.to_pylist()
    elif path.suffix == ".json":
        rows = json.loads(path.read_text(encoding="utf-8"))["items"]
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [{name.partition(" ")[0]: cell for name, cell in row.items()} for row in csv.DictReader(file)]
    cells = [[row[name] for name in COVARIANCES] for row in rows]
    return [row["id"] for row in rows], np.array(
        [[float(c) if c not in (None, "") else np.nan for c in row] for row in cells]
    )


@pytest.mark.parametrize("suffix", ["parquet", "json", "csv"])
@pytest.mark.parametrize("block", [10, 10_000])
def test_every_digit_of_every_item_is_there(
    spacecraft: mp.Result, tmp_path: Path, suffix: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(covariance_file, "_BLOCK", block)
    covariance_file.write_covariance(spacecraft, str(tmp_path / f"v.{suffix}"))
    ids, numbers = numbers_of(tmp_path / f"v.{suffix}")
    assert ids == list(spacecraft.bom.ids)
    np.testing.assert_array_equal(numbers, ItemCovariance(spacecraft.rollup).packed().T)
    i = ids.index("SAT")
    assert numbers[i, 0] == pytest.approx(spacecraft["SAT"].sigma_mass ** 2, rel=1e-12)


def test_units_and_method_are_in_the_head(spacecraft: mp.Result, tmp_path: Path) -> None:
    for suffix in ("parquet", "json", "csv"):
        covariance_file.write_covariance(spacecraft, str(tmp_path / f"v.{suffix}"))
    printed = json.loads(parquet.read_schema(tmp_path / "v.parquet").metadata[b"massprops"])
    head = json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))
    del head["items"]
    assert printed == head
    assert printed["units"] == {"mass": "kg", "length": "m", "inertia": "kg*m^2", "stated": True}
    assert printed["uncertainty"] == "covariance"
    header = (tmp_path / "v.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert header[:3] == ["id", "cov_mass_mass [kg^2]", "cov_mass_Cx [kg*m]"]
    assert header[-1] == "cov_Iyz_Iyz [kg^2*m^4]"


def test_without_covariances_it_is_a_wrong_call(spacecraft: mp.Result, tmp_path: Path) -> None:
    with pytest.raises(mp.UsageError, match="--uncertainty massprops computes none"):
        covariance_file.write_covariance(mp.rollup(spacecraft.bom, "massprops"), str(tmp_path / "v.csv"))
    assert not (tmp_path / "v.csv").exists()


def test_command_line_keeps_what_is_there(
    sample_data: Path, tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source, out = sample_data / "sawe_example.csv", tmp_path / "v.json"
    first = massprops("rollup", source, "-o", "out.csv", "--covariance", out)
    assert first.exit_code == 0, first.output
    assert numbers_of(out)[1].shape[1] == 55
    again = massprops("rollup", source, "-o", "new.csv", "--covariance", out, "--no-clobber")
    assert again.exit_code == 2
    assert "v.json: file exists" in again.output
    assert massprops("rollup", source, "-o", "out.csv", "--covariance", out).exit_code == 0
    for wrong, words in (("v.txt", "suffix"), ("new.csv", "-o and --covariance name the same file"), (source, "input")):
        rejected = massprops("rollup", source, "-o", "new.csv", "--covariance", wrong)
        assert rejected.exit_code == 2, wrong
        assert words in rejected.output
