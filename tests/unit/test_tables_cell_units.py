"""Units in every cell of a column, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from tests.unit.bom_tables import only, reported


def masses(*cells: Any) -> Bom:
    """Read leaves a, b, … with these masses below a blank top."""
    leaves = [{"id": "abcd"[k], "parent": "t", "mass": cell} for k, cell in enumerate(cells)]
    return Bom.from_records([{"id": "t", "parent": None, "mass": None}, *leaves])


@pytest.mark.parametrize(
    ("cells", "unit", "total"),
    [
        (["0.3 kg", "2kg"], "kg", 2.3),
        (["300 g", "2 kg"], "g", 2300.0),
        (["0,3 kg", "1 lb"], "kg", 0.75359237),
        (["TBD", "3 kg"], "kg", 3.0),
    ],
)
def test_where_every_cell_states_a_unit_the_first_is_the_columns(cells: list[str], unit: str, total: float) -> None:
    bom = masses(*cells)
    assert bom.units.mass == unit
    assert mp.rollup(bom, keep_going=True).root.mass == pytest.approx(total, rel=1e-15)
    only(bom.findings, "MP230")


@pytest.mark.parametrize("cells", [["3", "2 kg"], ["2 kg", "3"], ["2 kg", "3 mm"]])
def test_next_to_a_plain_number_such_a_cell_is_rejected(cells: list[str]) -> None:
    assert reported(masses(*cells).findings, "MP205")


@pytest.mark.parametrize("options", [[], ["--units", "SI"]])
def test_results_have_the_unit_too_and_read_back(
    options: list[str], tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    path, once, twice = tmp_path / "bom.csv", tmp_path / "once.csv", tmp_path / "twice.csv"
    path.write_text("id,parent,mass,Cx,Cy,Cz\nt,,,,,\na,t,300 g,10 mm,0 mm,0 mm\nb,t,1 kg,2 mm,0 mm,0 mm\n")
    assert massprops("rollup", path, "-o", once, *options).exit_code == 0
    if not options:
        assert once.read_text().splitlines()[1].split(",")[2] == "1300 g"
    assert massprops("rollup", once, "-o", twice, *options).exit_code == 0
    assert twice.read_text() == once.read_text()
