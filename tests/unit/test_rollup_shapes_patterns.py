"""Shapes with tolerances in patterns, and what-if and budgets of tables with poses, against sums of this file."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from tests.unit.pose_trees import rotation, rpy

TEN = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
HEAD = (
    f"id,parent,{TEN},POIconv,shape,dims,density,qty,pattern,pattern_axis,pattern_angle [deg],pattern_pitch [m],"
    "tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame\n"
)
BOX = "a=0.1±0.002 m (1σ); b=0.2 m; c=0.3±0.004 m (1σ)"
TABLE = f"""{HEAD}T{"," * 27}
A,T{"," * 11}-,box,{BOX},1000±20 kg/m3 (1σ),4,circular,z,90,,0.5,0,0.1,10,20,30,own
B,T{"," * 11}-,cylinder,r=0.05±0.001 m (1σ); L=0.2 m,2700 kg/m3,3,linear,x,,0.2,0,0,0,0,0,0,own
"""
NOMINAL = [(0.1, 0.3, 1000.0)] * 4 + [(0.05, 0.0, 0.0)] * 3
SIGMAS = [(0.002, 0.004, 20.0)] * 4 + [(0.001, 0.0, 0.0)] * 3


def summed(pieces: list[tuple[float, float, float]]) -> np.ndarray:
    """Mass, centre and tensor of four boxes on a circle, and three rods in a row."""
    parts = []
    for k, (a, c, density) in enumerate(pieces[:4]):
        m, turn = density * a * 0.2 * c, rotation(2, np.deg2rad(90 * k))
        R = turn @ rpy(10, 20, 30)
        own = m / 12 * np.diag([0.2**2 + c**2, a**2 + c**2, a**2 + 0.2**2])
        parts.append((m, turn @ [0.5, 0, 0.1], R @ own @ R.T))
    for k, (r, *_) in enumerate(pieces[4:]):
        m = 2700 * np.pi * r**2 * 0.2
        own = m / 12 * np.diag([3 * r**2 + 0.2**2] * 2 + [6 * r**2])
        parts.append((m, np.array([0.2 * k, 0, 0]), own))
    mass = sum(m for m, _, _ in parts)
    center = sum(m * c for m, c, _ in parts) / mass
    J = sum(
        own + m * ((c - center) @ (c - center) * np.eye(3) - np.outer(c - center, c - center)) for m, c, own in parts
    )
    return np.array([mass, *center, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])


def variances() -> np.ndarray:
    """First order by central differences, each piece with its own dimensions."""
    found = np.zeros(10)
    for k, sigmas in enumerate(SIGMAS):
        for j, sigma in enumerate(sigmas):
            moved = []
            for side in (1, -1):
                pieces = [list(one) for one in NOMINAL]
                pieces[k][j] += side * 1e-3 * sigma
                moved.append(summed([tuple(one) for one in pieces]))
            found += ((moved[0] - moved[1]) / 2e-3) ** 2
    return found


def ten(item: mp.RolledItem) -> np.ndarray:
    six = np.asarray(item.inertia)
    six = six if six.ndim == 1 else six[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return np.array([item.mass, *item.center, *six])


def test_pieces_of_a_pattern_have_independent_tolerances() -> None:
    found = mp.rollup(mp.read_bom(io.StringIO(TABLE), format="csv"), "covariance")["T"]
    np.testing.assert_allclose(ten(found), summed(NOMINAL), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.sqrt(np.diagonal(found.covariance)), np.sqrt(variances()), rtol=1e-6, atol=1e-9)


PLACED = f"""{HEAD}T{"," * 27}
S,T{"," * 20}0.5,0.2,-0.3,20,-35,50,own
A,S,2,0.3,0.1,0.2,0.10,0.20,0.25,0.01,0.02,0.03,-{"," * 8},1,2,0.5,30,40,10,own
B,S,3,0,0.1,0,0.20,0.30,0.15,0,0,0.01,-{"," * 8},-1,0.4,0.1,-25,15,70,own
"""


def test_whatif_of_turned_parts_is_the_edited_table() -> None:
    bom = mp.read_bom(io.StringIO(PLACED), format="csv")
    edited = PLACED.replace("A,S,2,0.3,0.1,0.2", "A,S,5,0.3,0.1,0.7")
    expected = mp.rollup(mp.read_bom(io.StringIO(edited), format="csv"))
    found = mp.whatif(bom, set={"A.mass": 5.0, "A.Cz": 0.7})
    for k, name in enumerate(found.ids):
        np.testing.assert_allclose(ten(found.after(k)), ten(expected[name]), rtol=1e-12, err_msg=name)


def test_budget_of_turned_parts_is_in_the_frame_of_the_root(tmp_path: Path) -> None:
    R, t = rpy(20, -35, 50), np.array([0.5, 0.2, -0.3])
    first = rpy(30, 40, 10) @ [0.3, 0.1, 0.2] + [1, 2, 0.5]
    second = rpy(-25, 15, 70) @ [0, 0.1, 0] + [-1, 0.4, 0.1]
    x = float((2 * (R @ first + t) + 3 * (R @ second + t))[0]) / 5
    path = tmp_path / "budget.toml"
    lines = ["[[budget]]", 'item = "T"', f'center-x = ["{x - 0.001!r} m", "{x + 0.001!r} m"]']
    path.write_text("\n".join(lines) + f'\n[[budget]]\nitem = "S"\ncenter-x = ["{x + 0.001!r} m", "9 m"]\n')
    kept = {one.item: one for one in mp.check(mp.read_bom(io.StringIO(PLACED), format="csv"), str(path)).verdicts}
    assert kept["T"].kept
    assert not kept["S"].kept
    assert kept["T"].margin == pytest.approx(0.001, rel=1e-6)


def test_rounding_of_turned_parts_is_shown_as_zero(massprops, tmp_path: Path) -> None:
    rows = f"T{',' * 27}\nA,T,2,0.3,0,0,0.1,0.2,0.25,0,0,0,-{',' * 9}0,0,0,0,0,90,own\n"
    (tmp_path / "bom.csv").write_text(HEAD + rows)
    done = massprops("rollup", str(tmp_path / "bom.csv"), "-o", str(tmp_path / "out.json"))
    lines = [line.split() for line in done.output.splitlines()]
    # cos 90° is 6e-17 in double precision
    assert "CG Cx 0 Cy 0.3 Cz 0 m" in [" ".join(line) for line in lines]
    assert "products Ixy 0 Ixz 0 Iyz 0 kg·m²" in [" ".join(line) for line in lines]
