"""The sample tables: made the same every time, and rolled up to numbers that plain arithmetic gives as well."""

from __future__ import annotations

import csv
import importlib.util
import os
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp

HERE = Path(__file__).parent
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


@pytest.fixture(scope="module")
def maker(sample_data: Path) -> Any:
    """Load the script that makes the satellite."""
    return script(sample_data / "make_spacecraft.py")


def script(path: Path) -> Any:
    """Load a script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkey = pytest.MonkeyPatch()
    monkey.setitem(sys.modules, spec.name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    monkey.undo()
    return module


@pytest.mark.parametrize("name", ["spacecraft.csv", "spacecraft.xlsx"])
def test_satellite_is_what_its_script_makes(name: str, maker: Any, sample_data: Path, tmp_path: Path) -> None:
    write = maker.write_csv if name.endswith(".csv") else maker.write_workbook
    write(maker.rows(), tmp_path / name)
    assert (tmp_path / name).read_bytes() == (sample_data / name).read_bytes()


def test_nested_table_is_what_its_script_makes(sample_data: Path, tmp_path: Path) -> None:
    script(sample_data / "make_nested.py").write(tmp_path / "nested.csv")
    assert (tmp_path / "nested.csv").read_bytes() == (sample_data / "nested.csv").read_bytes()


def leaves_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["mass [kg]"]]


def flat_sum(rows: list[dict[str, str]]) -> tuple[float, Any, Any]:
    """Sum leaves in one step: second moments of every piece about one point, no tree."""
    masses = np.array([float(row["mass [kg]"]) * float(row["qty"]) for row in rows])
    centers = np.array([[float(row[f"C{axis} [m]"]) for axis in "xyz"] for row in rows])
    center = masses @ centers / masses.sum()
    total = np.zeros((3, 3))
    for row, mass, offset in zip(rows, masses, centers - center, strict=True):
        total += mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        if row["Ipoint"] == "false":
            xx, yy, zz, xy, xz, yz = (float(row[f"I{e} [kg*m^2]"]) for e in ENTRIES)
            sign = -1 if row["POIconv"] == "+" else 1
            own = [[xx, sign * xy, sign * xz], [sign * xy, yy, sign * yz], [sign * xz, sign * yz, zz]]
            total += float(row["qty"]) * np.array(own)
    return float(masses.sum()), center, total


@pytest.mark.parametrize("name", ["spacecraft.csv", "spacecraft.xlsx"])
def test_satellite_is_the_sum_of_its_leaves(name: str, sample_data: Path) -> None:
    mass, center, tensor = flat_sum(leaves_of(sample_data / "spacecraft.csv"))
    root = mp.rollup(mp.read_bom(sample_data / name)).root
    assert root.mass == pytest.approx(mass, rel=1e-14)
    assert np.allclose(root.center, center, rtol=0, atol=1e-14)
    assert np.allclose(root.inertia, tensor, rtol=0, atol=1e-13 * np.abs(tensor).max())


@pytest.mark.parametrize("name", ["spacecraft.csv", "spacecraft.xlsx", "sawe_example.csv", "twelve_rows.csv"])
def test_samples_have_no_faults(name: str, sample_data: Path) -> None:
    reported = mp.validate(mp.read_bom(sample_data / name))
    assert not [finding for finding in reported if finding.severity is not mp.Severity.NOTE]


def test_house(sample_data: Path, tmp_path: Path, massprops: Callable[..., Any]) -> None:
    target = tmp_path / "house.csv"
    result = massprops("rollup", sample_data / "wbs.csv", "--sum", "work_days,cost_EUR", "-o", target)
    assert result.exit_code == 0, result.output
    with target.open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    for column in ("work_days", "cost_EUR"):
        for assembly in ("H", "H.1", "H.2", "H.2.1", "H.3", "H.4"):
            below = [float(row[column]) for id_, row in rows.items() if row["trade"] and id_.startswith(f"{assembly}.")]
            assert float(rows[assembly][column]) == sum(below)


@pytest.mark.parametrize(
    ("name", "method", "add"),
    [
        ("sawe_example", "massprops", "radii"),
        ("twelve_rows", "massprops", "radii"),
        ("sawe_example", "covariance", "radii,sigma"),
    ],
)
def test_rolled_up_as_reviewed(
    name: str, method: str, add: str, sample_data: Path, tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    """The whole file as it is written; its numbers are held to the published ones in tests/peers."""
    target, golden = tmp_path / "out.csv", HERE / f"{name}.{method}.golden.csv"
    result = massprops("rollup", sample_data / f"{name}.csv", "--uncertainty", method, "--add", add, "-o", target)
    assert result.exit_code == 0, result.output
    if os.environ.get("MASSPROPS_GOLDEN") == "write":
        golden.write_bytes(target.read_bytes())
    came, reviewed = cells_of(target), cells_of(golden)
    assert [len(row) for row in came] == [len(row) for row in reviewed]
    for one, other in zip(chain(*came), chain(*reviewed), strict=True):
        if one != other:  # the order of a sum may move the last digit of a computed number, and nothing else
            assert float(one) == pytest.approx(float(other), rel=1e-14)


def cells_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
