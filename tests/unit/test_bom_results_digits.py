"""Cells of assemblies without the noise of rounding, against decimal sums by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import massprops_cli as mp

HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nS,,,,,,,,,,,,-\n"


def cells_of_root(tmp_path: Path, rows: str, name: str = "out.csv") -> list[str]:
    mp.rollup(mp.read_bom(io.StringIO(HEAD + rows))).save(tmp_path / name)
    return (tmp_path / name).read_text("utf-8").splitlines()[1].split(",")


def test_terms_that_cancel_leave_nothing(tmp_path: Path) -> None:
    """0.1 - 0.3 + 0.2 = 0 and 0.001 - 0.001 = 0 in decimals, not in doubles."""
    root = cells_of_root(
        tmp_path,
        "A,S,0.1,0.1,0.3,0,0.01,0.02,0.03,0.001,0,0,-\nB,S,0.1,-0.3,-0.3,0,0.01,0.02,0.03,-0.013,0,0,-\n"
        "C,S,0.1,0.2,0,0,0.01,0.02,0.03,0,0,0,-\nD,S,50.1115,0,0,0,0.01,0.02,0.03,0,0,0,-\n"
        "E,S,100.223,0,0,0,0.01,0.02,0.03,0,0,0,-\n",
    )
    # Ixx = 0.05 + 0.1 (0.3² + 0.3²), Iyy = 0.1 + 0.1 (0.1² + 0.3² + 0.2²), Izz = 0.15 + both;
    # Ixy = -(0.1 · 0.1 · 0.3 + 0.1 · 0.3 · 0.3) + 0.001 - 0.013
    assert root[2:12] == ["150.6345", "0", "0", "0", "0.068", "0.114", "0.182", "-0.024", "0", "0"]


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_small_numbers_that_are_stated_stay(scale: float, tmp_path: Path) -> None:
    root = cells_of_root(tmp_path, f"A,S,1,{1e-13 * scale!r},{scale!r},0,1,1,1,0,0,0,-\n")
    assert (float(root[3]), float(root[4])) == (1e-13 * scale, scale)


def test_a_part_far_away_does_not_round_the_others(tmp_path: Path) -> None:
    text = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nS,,,,,\nT,S,,,,\nA,T,1,1e-9,0,0\nB,T,1,3e-9,0,0\nF,S,1,1e9,0,0\n"
    mp.rollup(mp.read_bom(io.StringIO(text))).save(tmp_path / "out.csv")
    assert float((tmp_path / "out.csv").read_text("utf-8").splitlines()[2].split(",")[3]) == pytest.approx(
        2e-9, rel=1e-15
    )


def test_numbers_with_more_than_twelve_digits_read_back_the_same(tmp_path: Path) -> None:
    text = "id,parent,mass [kg]\nS,,\nA,S,0.1234567890123\nB,S,7.77777777777777\n"
    result = mp.rollup(mp.read_bom(io.StringIO(text)))
    result.save(tmp_path / "out.csv")
    assert float((tmp_path / "out.csv").read_text("utf-8").splitlines()[1].split(",")[2]) == result.root.mass


def test_what_cancels_is_0_in_the_result_its_files_and_its_report(
    massprops: Callable[..., Result], tmp_path: Path
) -> None:
    rows = "A,TOP,0.1,0.1,0,0\nB,TOP,0.2,0.3,0,0\nC,TOP,0.7,-0.1,0.3,0\nD,TOP,0.3,0,-0.7,0\n"
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nTOP,,,,,\n{rows}")
    assert 0.1 * 0.1 + 0.2 * 0.3 - 0.7 * 0.1 != 0  # in decimals it is 0
    center = mp.rollup(tmp_path / "bom.csv").root.center
    assert center is not None
    assert list(center) == [0, 0, 0]
    printed = massprops("rollup", tmp_path / "bom.csv", "--format", "json").stdout
    assert json.loads(printed)["items"][0]["center"] == [0, 0, 0]
    assert "e-1" not in massprops("rollup", tmp_path / "bom.csv").stdout


def test_a_small_centre_next_to_smaller_ones_is_kept(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text("id,parent,mass,Cx,Cy,Cz\nTOP,,,,,\nA,TOP,1,3e-17,0,0\nB,TOP,1,1e-17,0,1\n")
    center = mp.rollup(tmp_path / "bom.csv").root.center
    assert center is not None
    assert list(center) == pytest.approx([2e-17, 0, 0.5], rel=1e-15)


def test_what_cancels_in_the_frame_of_a_turned_row_is_0(tmp_path: Path) -> None:
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame\n"
    rows = "T,,,,,,,,,,,,own\nS,T,,,,,0.1,0.2,0.3,10,20,30,own\n"
    parts = "A,S,0.1,0.1,0.7,0,0,0,0,0,0,0,own\nB,S,0.2,0.3,0.7,0,0,0,0,0,0,0,own\nC,S,0.7,-0.1,0.7,0,0,0,0,0,0,0,own\n"
    (tmp_path / "bom.csv").write_text(head + rows + parts, encoding="utf-8")
    mp.rollup(tmp_path / "bom.csv").save(tmp_path / "out.csv")
    cells = (tmp_path / "out.csv").read_text("utf-8").splitlines()[2].split(",")
    assert (cells[3], cells[5]) == ("0", "0")
    assert float(cells[4]) == pytest.approx(0.7, rel=1e-15)


def test_next_to_what_cancels_a_small_centre_keeps_its_digits(tmp_path: Path) -> None:
    rows = (
        "S,T,,,,\nA,S,0.1,0.1,0,0\nB,S,0.2,0.3,0,0\nC,S,0.7,-0.1,0,0\nU,T,,,,\nD,U,1,1,0,0\nE,U,1,-0.9999999998,0,0\n"
    )
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nT,,,,,\n{rows}", encoding="utf-8")
    found = {body.name: body.center for body in (mp.rollup(tmp_path / "bom.csv")[name] for name in ("S", "U"))}
    assert found["S"] is not None
    assert found["U"] is not None
    assert found["S"][0] == 0
    assert found["U"][0] == pytest.approx(1e-10, rel=1e-5)  # rounding of 1 is 2e-16
