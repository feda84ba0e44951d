"""How the work of commands grows with the rows of a table, in calls of Python functions, which no load changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from massprops_cli.cli.app import app

pytestmark = pytest.mark.slow

SIZES = (4_000, 8_000)  # above those from which long columns are read and written at once
MOST = 2.4  # calls for a table over those for half of it; 2 is linear, 4 quadratic


def table(path: Path, rows: int, mass: str = "2") -> Path:
    """Write a tree of four children each, with uncertain masses of the leaves."""
    lines = (
        f"P{k},{'' if k == 0 else f'P{(k - 1) // 4}'},part,{mass if 4 * k + 1 >= rows else ''},1,2,3,0.1"
        for k in range(rows)
    )
    path.write_text("\n".join(["id,parent,name,mass,Cx,Cy,Cz,sigma_mass", *lines]) + "\n")
    return path


def sums(path: Path, rows: int) -> Path:
    """Write a list of parts of 1 kg with a sum of each twenty, fewer rows than are searched as a whole."""
    lines = (f"p{k},1" if k % 21 < 20 else f"Subtotal {k // 21},20" for k in range(rows // 2))
    path.write_text("\n".join(["part,mass [kg]", *lines]) + "\n")
    return path


def calls(function: Callable[[], object]) -> int:
    """Count the calls of Python functions within a call."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "words",
    [
        "rollup FILE -o out.csv",
        "rollup FILE -o out.json",
        "rollup FILE -o out.xlsx",
        "convert FILE -o out.parquet",
        "convert FILE -o out.md",
        "tree FILE",
        "validate FILE",
        "diff FILE OTHER",
        "whatif FILE --scale P0.mass=1.1",
        "whatif FILE --move P400=P1",
        "contributions FILE",
        "validate FAULTY",
        "rollup FAULTY --keep-going -o out.csv",
        "rollup SUMS -o out.csv",
    ],
)
def test_calls_grow_linearly_with_rows(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    counts = []
    for rows in (SIZES[0], *SIZES):  # the first run loads modules
        table(tmp_path / "FILE", rows).rename("bom.csv")
        table(tmp_path / "OTHER", rows, "3").rename("new.csv")
        table(tmp_path / "FAULTY", rows, "heavy").rename("bad.csv")
        sums(tmp_path / "SUMS", rows).rename("sums.csv")
        named = (
            words.replace("SUMS", "sums.csv")
            .replace("FILE", "bom.csv")
            .replace("OTHER", "new.csv")
            .replace("FAULTY", "bad.csv")
            .split()
        )
        counts.append(calls(lambda named=named: CliRunner().invoke(app, named)))
    assert counts[2] < MOST * counts[1], counts


def test_the_rows_of_a_large_csv_file_are_not_read_by_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    counts, rows = [], (120_000, 240_000)  # files from 8 MiB on
    for count in rows:
        path = table(tmp_path / "bom.csv", count)
        path.write_text(path.read_text().replace("part", "a part with a long name, as it is usual".replace(",", "")))
        counts.append(calls(lambda: CliRunner().invoke(app, ["rollup", "bom.csv", "-o", "out.csv"])))
    assert counts[1] - counts[0] < 4 * (rows[1] - rows[0]), counts
