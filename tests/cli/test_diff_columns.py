"""Columns of the sheet of a comparison, and comparisons of masses near the largest number."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import openpyxl
import pytest

HEADER = "id,parent,mass [kg]\n"


def test_sheet_has_no_blank_columns(tmp_path: Path, run) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text(f"{HEADER}S,,\nA,S,1\nB,S,2\n", encoding="utf-8")
    new.write_text(f"{HEADER}S,,\nA,S,1.5\nB,S,2\n", encoding="utf-8")
    for suffix in ("xlsx", "csv"):
        assert run("diff", old, new, "-o", tmp_path / f"d.{suffix}").exit_code == 0
    columns = list(zip(*openpyxl.load_workbook(tmp_path / "d.xlsx")["Diff"].values, strict=True))
    assert all(any(cell not in (None, "") for cell in column[1:]) for column in columns)
    heads = [str(column[0]) for column in columns]
    assert {"id", "mass before [kg]", "mass after [kg]", "Δ mass [kg]"} <= set(heads)
    assert not {"reason", "Δ predicted mass [kg]"} & set(heads)
    with (tmp_path / "d.csv").open(newline="", encoding="utf-8") as file:
        assert {"id", "mass_before", "mass_after", "d_mass"} <= set(next(csv.reader(file)))
    assert dict(zip(heads, [column[1] for column in columns], strict=True))["Δ mass [kg]"] == 0.5


@pytest.mark.parametrize(
    ("old", "new"), [("1e308 1e308", "1.5e308 1e308"), ("1e308 1", "1.5e308 1e308"), ("1e308 1e307", "1.7e308 1")]
)
def test_overflow_gives_no_warning_of_numpy(old: str, new: str, tmp_path: Path, run) -> None:
    names = []
    for name, masses in (("old.csv", old), ("new.csv", new)):
        one, other = masses.split()
        (tmp_path / name).write_text(f"{HEADER}S,,\nA,S,{one}\nB,S,{other}\n", encoding="utf-8")
        names.append(tmp_path / name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run("diff", *names)
    assert result.exit_code in (0, 1)
    assert ("exceeds double precision" in result.output) == (result.exit_code == 1)
    assert "Warning" not in result.output
