"""Two columns of growth, and numbers that may be shares, factors or percentages: asked, with what each gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import massprops_cli as mp


def growth_of(folder: Path, headings: str, *cells: str) -> tuple[list[str], mp.Result | None]:
    """Roll up masses of 10 and 20 kg with the growth given: codes of the errors, and the result without any."""
    rows = [f"id,parent,mass [kg],{headings}", "S,,," + "," * headings.count(",")]
    rows += [f"{name},S,{mass},{cell}" for name, mass, cell in zip("AB", (10, 20), cells, strict=True)]
    path = folder / "bom.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    try:
        result = mp.rollup(path)
    except mp.FindingsError as error:
        return sorted({one.rule for one in error.findings if one.severity.value == "error"}), None
    return [], result


@pytest.mark.parametrize(
    ("headings", "cells"),
    [
        ("MGA (%),Contingency (%)", ("5,20", "10,20")),
        ("MGA (%),System margin (%)", ("5,20", "10,20")),
        ("System margin (%),MGA (%)", ("20,5", "20,10")),
        ("MGA (%),Growth (kg)", ("5,2", "10,3")),
        ("Growth (kg),MGA (%)", ("2,5", "5,10")),
    ],
)
def test_two_growths_that_differ_are_a_question(
    headings: str, cells: tuple[str, str], tmp_path: Path, massprops: Callable[..., Result], monkeypatch: Any
) -> None:
    assert growth_of(tmp_path, headings, *cells)[0] == ["MP202"]
    monkeypatch.chdir(tmp_path)
    shown = massprops("rollup", "bom.csv", "-o", "out.csv")
    totals = [line.split(":")[0].strip() for line in shown.stdout.splitlines() if line.startswith("  total 30 kg")]
    assert shown.exit_code == 1
    assert len(set(totals)) == 2
    assert all("predicted" in one for one in totals)


@pytest.mark.parametrize(
    ("headings", "cells", "predicted"),
    [
        ("MGA (%),System margin (%)", ("5,5", "10,10"), 32.5),
        ("MGA (%),Growth (kg)", ("5,0.5", "10,2"), 32.5),
        ("MGA (%),System margin (%)", ("5,0", "10,0"), 32.5),
        ("MGA (%),Mass with MGA (kg),System margin (%)", ("5,10.5,20", "10,22,20"), 32.5),
        ("MGA (%)", ("0.15", "20"), 34.015),
    ],
)
def test_growths_that_agree_are_none(headings: str, cells: tuple[str, str], predicted: float, tmp_path: Path) -> None:
    errors, result = growth_of(tmp_path, headings, *cells)
    assert errors == []
    assert result is not None
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.root_item] == pytest.approx(predicted)


@pytest.mark.parametrize("cells", [("0.15", "20"), ("1.15", "1.10"), ("0.15", "0.1"), ("1.5", "0.15")])
def test_growth_without_a_sign_of_percent_is_a_question(cells: tuple[str, str], tmp_path: Path) -> None:
    assert growth_of(tmp_path, "MGA", *cells)[0] == ["MP622"]


@pytest.mark.parametrize(("cells", "predicted"), [(("0.5", "20"), 34.05), (("15", "20"), 35.5), (("2", "1"), 30.4)])
def test_growth_that_is_certainly_in_percent(cells: tuple[str, str], predicted: float, tmp_path: Path) -> None:
    errors, result = growth_of(tmp_path, "MGA", *cells)
    assert errors == []
    assert result is not None
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.root_item] == pytest.approx(predicted)
