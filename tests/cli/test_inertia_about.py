"""``--config inertia-about=…``: on the command line and in the file of options."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

TABLE = """id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz
top,,,,,,,,,,,
a,top,2,1,0,0,0.5,2.5,2.5,0,0,0
b,top,3,0,2,0,13,1,13,0,0,0
"""
MOMENTS = ("Ixx", "Iyy", "Izz")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write two bodies whose tensors are about the origin."""
    path = tmp_path / "bom.csv"
    path.write_text(TABLE)
    return path


def moments(text: str) -> list[float]:
    """Give the moments of the first row of a table."""
    row = next(csv.DictReader(text.splitlines()))
    return [float(row[name]) for name in MOMENTS]


def test_assemblies_are_written_about_the_same_point(run, table: Path) -> None:
    result = run("rollup", table, "--poi", "-", "--inertia-about", "origin", "-o", "-")
    assert result.exit_code == 0
    assert moments(result.stdout) == pytest.approx([13.5, 3.5, 15.5])
    assert "in the table about the origin 0,0,0, by option" in result.stderr


def test_the_file_of_options_states_it_too(run, table: Path) -> None:
    (table.parent / "massprops.toml").write_text('[read]\ninertia-about = "0,0,0"\n')
    assert moments(run("rollup", table, "--poi", "-", "-o", "-").stdout) == pytest.approx([13.5, 3.5, 15.5])
    own = run("rollup", table, "--poi", "-", "--inertia-about", "own", "-o", "-")
    # about the common centre (0.4, 1.2, 0): the own tensors and m a b/(a + b) d² for the distance d² = 1 + 4
    assert moments(own.stdout) == pytest.approx([13.5 + 1.2 * 4, 3.5 + 1.2 * 1, 15.5 + 1.2 * 5])


def test_a_rolled_up_table_states_the_same_again(run, table: Path, tmp_path: Path) -> None:
    once, twice = tmp_path / "once.csv", tmp_path / "twice.csv"
    options = ("--poi", "-", "--inertia-about", "origin")
    assert run("rollup", table, *options, "-o", once).exit_code == 0
    assert run("rollup", once, *options, "-o", twice, "--fail-on", "warning", "--ignore", "MP713").exit_code == 0
    assert once.read_text() == twice.read_text()


@pytest.mark.parametrize("where", ["line", "file"])
def test_what_is_not_a_point_is_a_wrong_call(run, table: Path, where: str) -> None:
    (table.parent / "massprops.toml").write_text('[read]\ninertia-about = "tip"\n' if where == "file" else "")
    result = run("rollup", table, *(["--inertia-about", "tip"] if where == "line" else []))
    assert result.exit_code == 2
    assert "inertia-about is not a point: tip (own, origin or three numbers" in " ".join(result.stderr.split())
