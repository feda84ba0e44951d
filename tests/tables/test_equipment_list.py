"""The equipment list gives mass, centre and inertia with their coverage in the first run, and every fault in it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.examples import singles_and_pairs
from tests.tables.writers.equipment import (
    EQUIPMENT,
    basic_mass,
    equipment_rows,
    grown_mass,
    number_of,
    write_csv,
    write_workbook,
)

PARTS = [part for parts in EQUIPMENT.values() for part in parts if part[2] != "TBD"]


def expected_center() -> list[float]:
    masses = [basic_mass(part) for part in PARTS]
    return [
        sum(m * float(part[4].split()[axis]) for m, part in zip(masses, PARTS, strict=True)) / sum(masses)
        for axis in range(3)
    ]


def expected_moments() -> list[float]:
    """Sum moments of inertia about the centre by the parallel axis theorem; parts without one are points."""
    center, sums = expected_center(), [0.0, 0.0, 0.0]
    for part in PARTS:
        at = [float(text) - c for text, c in zip(part[4].split(), center, strict=True)]
        own = [float(text) for text in part[5].split()] if part[5] else [0.0, 0.0, 0.0]
        for axis in range(3):
            distance = sum(x * x for k, x in enumerate(at) if k != axis)
            sums[axis] += part[1] * (own[axis] + number_of(part[2]) * distance)
    return sums


WRITERS = [write_csv, write_workbook]
SUFFIXES = {write_csv: "csv", write_workbook: "xlsx"}


@pytest.mark.parametrize("write", WRITERS)
def test_the_first_run_gives_the_numbers_and_every_fault(
    write: Callable[..., Path], massprops: Any, tmp_path: Path
) -> None:
    path = write(tmp_path / f"equipment.{SUFFIXES[write]}", list(equipment_rows()))
    result = massprops("rollup", path, "--format", "json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["written"]) == (1, False)
    root = next(item for item in report["items"] if item["parent"] is None)
    # 43 + 43.1 + 19.7 + 11.4 + 9.5, without the harness
    assert root["mass"] == pytest.approx(126.7, rel=1e-12)
    assert root["center"] == pytest.approx(expected_center(), rel=1e-12)
    assert [root["inertia"][name] for name in ("Ixx", "Iyy", "Izz")] == pytest.approx(expected_moments(), rel=1e-12)
    assert root["predicted_mass"] == pytest.approx(sum(map(grown_mass, PARTS)), rel=1e-12)
    faults = {(finding["rule"], finding.get("item", "")) for finding in report["findings"]}
    assert ("MP206", "Power harness") in faults
    assert {"MP223", "MP224", "MP229", "MP231"} <= {rule for rule, _ in faults}
    compared = [one for one in report["reconciliation"] if one["kind"] == "subtotal"]
    assert len(compared) == 10  # CBE and total of five groups
    assert all(one["agrees"] for one in compared)


@pytest.mark.parametrize("write", WRITERS)
def test_the_second_run_writes_it(
    write: Callable[..., Path], massprops: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(Path(f"equipment.{SUFFIXES[write]}"), list(equipment_rows()))
    first = massprops("rollup", path).output
    (command,) = re.findall(r"next: massprops (.*)", first)
    assert shlex.split(command) == ["rollup", path.name, "--allow-missing", "mass,center"]
    second = massprops(*shlex.split(command))
    assert second.exit_code == 0, second.output
    assert "mass          ≥ 126.7" in second.stdout


NAME, NUMBER, QUANTITY, CBE, SHARE, TOTAL, GROWN, Y, IXX, IYY, IXY, POINT = 0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 13, 16
SLIPS: dict[str, tuple[str, int, str, str]] = {
    "invalid tensor": ("Battery", IXX, "0.5", "MP404"),
    "product without sign": ("Battery", IXY, "0.01", "MP214"),
    "moment missing": ("PCDU", IYY, "", "MP212"),
    "coordinate missing": ("PCDU", Y, "", "MP212"),
    "text for a mass": ("PCDU", CBE, "see note 3", "MP205"),
    "two readings": ("PCDU", CBE, "8,100", "MP205"),
    "estimate": ("Radiator", CBE, "~2.2", "MP232"),
    "negative": ("Gyro", CBE, "-2.9", "MP401"),
    "flag": ("Brackets", POINT, "maybe", "MP215"),
    "growth": ("MLI", SHARE, "low", "MP622"),
    "row total": ("MLI", TOTAL, "5.5", "MP414"),
    "subtotal": ("Subtotal Thermal", TOTAL, "19.5", "MP413"),
    "grand total": ("Total", TOTAL, "120.0", "MP415"),
    "quantity": ("Gyro", QUANTITY, "one", "MP280"),
    "number twice": ("MLI", NUMBER, "3.3", "MP301"),
    "number as a date": ("Gyro", NUMBER, "4-Mar", "MP313"),
    "number without assembly": ("Antenna", NUMBER, "9.1.1", "MP322"),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("names", singles_and_pairs([*SLIPS]), ids=" and ".join)
def test_slips_and_pairs_of_slips_do_not_hide_the_numbers(
    names: tuple[str, ...], massprops: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = list(equipment_rows())
    for label, column, text, _ in (SLIPS[name] for name in names):
        next(row for row in rows if row[NAME] == label)[column] = text
    write_csv(Path("equipment.csv"), rows)
    result = massprops("rollup", "equipment.csv", "--format", "json")
    report = json.loads(result.stdout)
    root = next(item for item in report["items"] if item["parent"] is None)
    assert root["mass"] > 100
    assert None not in root["center"]
    assert None not in [root["inertia"][name] for name in ("Ixx", "Iyy", "Izz")]
    reported = {finding["rule"] for finding in report["findings"]}
    if not any(name in SUMS for name in names) or len(names) == 1:
        assert {SLIPS[name][3] for name in names} <= reported
        messages = [finding["message"] for finding in report["findings"]]
        computed = "Qty computed as Total CBE / Mass CBE: Gyro"
        if "quantity" in names:  # with a negative mass the row total is none of that quantity
            assert ("Qty of Gyro is not a number: one" if "negative" in names else computed) in messages
    for one in report.get("next", []) if len(names) == 1 else ():
        assert '"items"' in massprops(*shlex.split(one["command"])[1:]).stdout, one


SUMS = ("row total", "subtotal", "grand total")
"""Totals are not compared where a mass among their rows is rejected."""


def test_the_sample_is_this_list(tmp_path: Path) -> None:
    sample = load_workbook(Path(__file__).parents[2] / "sample_data" / "equipment_list.xlsx").active
    written = load_workbook(write_workbook(tmp_path / "list.xlsx", list(equipment_rows()))).active
    assert sample is not None
    assert written is not None
    assert list(sample.iter_rows(values_only=True)) == list(written.iter_rows(values_only=True))
