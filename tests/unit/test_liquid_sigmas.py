"""Uncertain densities and fills of tanks: totals and differences of conditions against shared draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops as mp
from tests.unit.pose_trees import rpy
from tests.unit.test_conditions import _drawn_totals
from tests.unit.test_tanks import read

N = 60_000
HEAD = (
    "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
    "Iyz [kg*m^2],POIconv,sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m],sigma_Ixx [kg*m^2],"
    "sigma_Iyy [kg*m^2],sigma_Izz [kg*m^2],sigma_Ixy [kg*m^2],sigma_Ixz [kg*m^2],sigma_Iyz [kg*m^2]"
)
TABLE = f"""{HEAD}
S,,,{"," * 9},-,{"," * 9}
BUS,S,1,100,0.1,0.2,0.3,10,11,12,0.1,0.2,0.3,-,0.5,0.001,0.002,0.003,0,0,0,0,0,0
LOX,S,1,0,0,0,0,0,0,0,0,0,0,-,0,0,0,0,0,0,0,0,0,0
POD,S,2,8,-1,0.5,0,1,2,3,0,0,0,-,0.2,0,0,0.01,0.02,0,0,0,0,0
"""
TANKS = """
[tank.OX]
item = "LOX"
shape = "box"
dims = "a=0.8 m; b=0.6 m; c=0.5 m"
at = [1, 0.02, 0.5]
density = "1141±11 kg/m3 (1σ)"
fill = "80±1.5 % (1σ)"
[tank.FUEL]
item = "POD"
row = "tank"
shape = "box"
dims = "a=0.4 m; b=0.4 m; c=0.3 m"
at = [-1, -0.3, 0.2]
density = "800±16 kg/m3 (2σ)"
fill = "50±1 (1σ)"
"""


def in_box(sides, place, density, share):
    """Mass, centre and tensor of liquid in the lower part of boxes (n,)."""
    a, b, c = sides
    height = c * share
    mass = density * a * b * height
    center = np.array(place) + np.stack([0 * share, 0 * share, (height - c) / 2], axis=1)
    moments = np.stack([b * b + height**2, a * a + height**2, a * a + b * b + 0 * share], axis=1) * mass[:, None] / 12
    return mass, center, moments[:, :, None] * np.eye(3)


def fixed(random, mass, center, moments, sigma_mass, sigma_center, sigma_moments):
    """A body with independent deviations."""
    tensor = random.normal(moments, sigma_moments, (N, 3))[:, :, None] * np.eye(3)
    return random.normal(mass, sigma_mass, N), random.normal(center, sigma_center, (N, 3)), tensor


def test_totals_and_differences_against_draws(tmp_path: Path) -> None:
    """POD occurs twice: each piece with its own density and fill; a fill that both conditions have is one deviation."""
    bom = read(tmp_path, TABLE, TANKS)
    answer = mp.conditions(bom, {"full": {}, "less": {"fill": {"OX": 30.0}}})
    random = np.random.default_rng(3)
    bus = fixed(random, 100, [0.1, 0.2, 0.3], [10, 11, 12], 0.5, [0.001, 0.002, 0.003], 0)
    products = np.array([[0, 0.1, 0.2], [0.1, 0, 0.3], [0.2, 0.3, 0]])
    same = [(*bus[:2], bus[2] + products)]
    for _ in range(2):
        same.append(fixed(random, 8, [-1, 0.5, 0], [1, 2, 3], 0.2, [0, 0, 0.01], [0.02, 0, 0]))
        density, share = random.normal(800, 8, N), random.normal(0.5, 0.01, N)
        same.append(in_box((0.4, 0.4, 0.3), [-1, -0.3, 0.2], density, share))
    density = random.normal(1141, 11, N)
    totals = []
    for fill in (0.8, 0.3):  # gauged once for each fill
        ox = in_box((0.8, 0.6, 0.5), [1, 0.02, 0.5], density, random.normal(fill, 0.015, N))
        totals.append(_drawn_totals(*map(np.array, zip(*same, ox, strict=True))))
    for k in range(2):
        np.testing.assert_allclose(answer.totals.values[k], totals[k].mean(axis=1), rtol=0.004, atol=0.02)
        np.testing.assert_allclose(answer.totals.sigmas[k], totals[k].std(axis=1), rtol=0.02)
    change = answer.difference("full", "less")
    np.testing.assert_allclose(change.sigmas, (totals[0] - totals[1]).std(axis=1), rtol=0.02)
    whole = 0.8 * 0.6 * 0.5  # of the mass in closed form
    exact = np.hypot(11 * whole * 0.5, np.sqrt(2) * 1141 * whole * 0.015)
    assert change.sigmas[0] == pytest.approx(exact, rel=1e-12)


def test_one_fluid_has_one_density(tmp_path: Path) -> None:
    """Tanks of one fluid, and all their pieces, deviate together; tanks that state a density alone do not."""
    tank = '[tank.{0}]\nitem = "{0}"\nshape = "box"\ndims = "a=1 m; b=1 m; c=1 m"\n{1}\nrow = "liquid"\n'
    density = 'density = "900±9 kg/m3 (1σ)"'
    for how, sigma in ((f'fluid = "water"\n{density}', 9 * (1 + 2)), (density, 9 * np.sqrt(1 + 2))):
        table = TABLE.replace("0.3,-,0.5,", "0.3,-,0,")
        bom = read(tmp_path, table, tank.format("LOX", how) + tank.format("POD", how))
        found = mp.rollup(mp.with_liquids(bom))["S"]
        assert found.sigma_mass == pytest.approx(sigma, rel=1e-12), how


def test_turned_rows_have_the_sigmas_along_their_axes(tmp_path: Path) -> None:
    """A liquid in a row with axes of its own: the sigmas of the root are those of the same row along the root's."""
    head = HEAD + ",tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame"
    rows = TABLE.splitlines()[1:4]
    turned = [rows[0] + ",0,0,0,0,0,0,own", rows[1] + ",0,0,0,0,0,0,own", rows[2] + ",0.3,0.2,0.1,20,30,40,own"]
    tanks = TANKS.partition("[tank.FUEL]")[0]
    R, t = rpy(20, 30, 40), np.array([0.3, 0.2, 0.1])
    found = mp.rollup(mp.with_liquids(read(tmp_path, "\n".join([head, *turned]), tanks)))
    place, angles = R @ [1, 0.02, 0.5] + t, "rpy = [20, 30, 40]"
    here = tanks.replace("at = [1, 0.02, 0.5]", f"at = {place.tolist()}\n{angles}")
    expected = mp.rollup(mp.with_liquids(read(tmp_path, "\n".join([HEAD, *rows]), here)))
    np.testing.assert_allclose(found["S"].sigma_center, expected["S"].sigma_center, rtol=1e-9)
    np.testing.assert_allclose(found["S"].sigma_inertia, expected["S"].sigma_inertia, rtol=1e-9)
    assert found["LOX"].sigma_mass == pytest.approx(expected["LOX"].sigma_mass, rel=1e-12)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('fill = "80±1.5 %"', "level of ±1.5 of fill is not stated"),
        ('fill = "80 kg"', "fill is not a percentage from 0 to 100: '80 kg'"),
        ('fill = "120±1 (1σ)"', "fill is not a percentage"),
        ('fill = "much"', "fill is not valid"),
    ],
)
def test_wrong_tolerances_are_reported(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(mp.FindingsError, match=message.replace("(", r"\(")):
        mp.read_tanks(read(tmp_path, TABLE, TANKS.replace('fill = "80±1.5 % (1σ)"', line)))


def test_tolerances_that_are_not_used_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(mp.FindingsError, match="tolerance of a is not used"):
        mp.read_tanks(read(tmp_path, TABLE, TANKS.replace("a=0.8 m", "a=0.8±0.01 m (1σ)")))
