"""Sigmas of differences of conditions with uncertain shapes, lots, poses and groups: against shared draws."""

from __future__ import annotations

import io

import numpy as np
import pytest

import massprops as mp
from tests.unit.test_conditions import _drawn_totals
from tests.unit.test_rollup_shape_inputs import TABLE, turn

N = 60_000
HINGE = np.array([0.3, 0.0, 0.1])
MOTION = turn(0, 0, 90)  # of the branch S about a pivot, then a shift
SHIFT = np.array([0.0, 0.5, 0.2])


def placed(mass, tensor, chain):
    """Centre (n, 3) and tensor (n, 3, 3) of bodies at the origin of the first of some frames."""
    center = np.zeros((len(mass), 3))
    for place, R in chain:
        center, tensor = place + center @ R.T, R @ tensor @ R.T
    return mass, center, tensor


def diagonal(x, y, z):
    return np.stack([x, y, z], axis=1)[:, :, None] * np.eye(3)


def tube(r, ri, L, density):
    mass = density * np.pi * (r**2 - ri**2) * L
    across = mass * (3 * (r**2 + ri**2) + L**2) / 12
    return mass, diagonal(across, across, mass * (r**2 + ri**2) / 2)


def box(a, b, c, density):
    mass = density * a * b * c
    return mass, diagonal(mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12)


def test_shapes_lots_and_poses_are_shared() -> None:
    """One of three pieces of B remains, E is off, and the branch S is turned with its uncertain place."""
    bom = mp.read_bom(io.StringIO(TABLE), format="csv")
    pose = {"S": {"rotate": "z 90 deg", "pivot": "0.3,0,0.1 m", "translate": "0,0.5,0.2 m"}}
    answer = mp.conditions(bom, {"a": {}, "b": {"off": ["E"], "set": ["B.qty=1"], "pose": pose}})
    random = np.random.default_rng(11)

    def draw(value, sigma):
        return random.normal(value, sigma, N)

    one = np.ones(N)
    lot = draw(7800, 40)
    s_place = np.array([0.5, 0.2, -0.3]) + np.stack([draw(0, 0.002), 0 * one, 0 * one], axis=1)
    s, u = (s_place, turn(20, -35, 50)), (np.array([0.1, 0.4, 0.2]), np.eye(3))
    parts = {"A": placed(*tube(draw(0.2, 0.001), 0 * one, draw(1.5, 0.005), draw(2000, 30)),
                         [(np.array([1, 2, 0.5]), turn(30, 40, 10)), u, s])}  # fmt: skip
    for k in range(3):
        r = draw(0.4, 0.002) / 2
        wall, density = draw(0.01, 0.0003), draw(2700, 20)  # a closed shell: a cylinder without its inside
        whole, inside = tube(r, 0 * one, 0.8 * one, density), tube(r - wall, 0 * one, 0.8 - 2 * wall, density)
        shell = whole[0] - inside[0], whole[1] - inside[1]
        parts[f"B{k}"] = placed(*shell, [(np.array([-1, 0.4, 0.1]), turn(-25, 15, 70)), s])
    of_box = box(draw(0.3, 0.001), 0.5 * one, draw(0.2, 0.002), lot)
    parts["C"] = placed(*of_box, [(np.array([-2, 0.3, 0]), turn(0, 0, 45))])
    for k in range(2):
        of_box = box(0.1 * one, draw(0.2, 0.001), 0.4 * one, lot)
        parts[f"D{k}"] = placed(*of_box, [(np.array([0.2, -2, 0.7]), turn(10, 20, 30)), u, s])
    of_tube = tube(draw(0.3, 0.001), draw(0.25, 0.002), draw(0.6, 0.003), 1000 * one)
    parts["E"] = placed(*of_tube, [(np.array([1, -1, 1]), turn(0, 90, 0))])
    deployed = dict(parts)
    for name in ("A", "B0", "D0", "D1"):
        mass, center, tensor = parts[name]
        deployed[name] = mass, HINGE + (center - HINGE) @ MOTION.T + SHIFT, MOTION @ tensor @ MOTION.T
    for name in ("B1", "B2", "E"):
        del deployed[name]
    totals = [_drawn_totals(*map(np.array, zip(*of.values(), strict=True))) for of in (parts, deployed)]
    change = answer.difference("a", "b")
    drawn = totals[0] - totals[1]
    np.testing.assert_allclose(change.values, drawn.mean(axis=1), rtol=0.002, atol=1e-3 * np.abs(change.values).max())
    np.testing.assert_allclose(change.sigmas, drawn.std(axis=1), rtol=0.015)
    alone = [np.array(one.std(axis=1)) for one in totals]
    assert change.sigmas[0] < 0.9 * np.hypot(alone[0][0], alone[1][0])
    for name, sampled in zip(("a", "b"), alone, strict=True):  # and of the conditions themselves
        np.testing.assert_allclose(answer.totals.sigmas[answer.names.index(name)], sampled, rtol=0.015)


EXACT = "0,0,0,0,0"  # Cy, Cz and sigmas of the centre
SIGMAS_OF_CENTERS = "sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]"
GROUPS = f"""id,parent,qty,mass [kg],Cx [m],sigma_mass [kg],corr_group,Cy [m],Cz [m],{SIGMAS_OF_CENTERS}
S,,,,,,,,,,,
A,S,1,10,0,0.1,batch,{EXACT}
B,S,2,5,1,0.05,batch,{EXACT}
C,S,1,20,2,0.2,,{EXACT}
D,S,3,4,3,0.03,,{EXACT}
"""


@pytest.mark.parametrize("correlate", ["none", "part", "all"])
def test_groups_are_shared(correlate: str) -> None:
    """A and B deviate together; all D too with ``part``, and everything with ``all``."""
    bom = mp.read_bom(io.StringIO(GROUPS), format="csv")
    given = {"a": {}, "b": {"off": ["A"], "set": ["D.qty=1", "B.mass=2.5"]}}
    answer = mp.conditions(bom, given, correlate=correlate)
    random = np.random.default_rng(5)
    batch, of_d, every, own = (random.standard_normal((k, N)) for k in (1, 1, 1, 4))
    d = {"none": own[:3], "part": of_d[[0, 0, 0]], "all": every[[0, 0, 0]]}[correlate]
    g, c = (every[0], every[0]) if correlate == "all" else (batch[0], own[3])
    masses = np.array([10 + 0.1 * g, 5 + 0.05 * g, 5 + 0.05 * g, 20 + 0.2 * c, *(4 + 0.03 * d)])
    after = np.array([2.5 + 0.05 * g, 2.5 + 0.05 * g, 20 + 0.2 * c, 4 + 0.03 * d[0]])
    x, y = np.array([0, 1, 1, 2, 3, 3, 3.0]), np.array([1, 1, 2, 3.0])
    drawn = np.array(
        [masses.sum(axis=0) - after.sum(axis=0), x @ masses / masses.sum(axis=0) - y @ after / after.sum(axis=0)]
    )
    change = answer.difference("a", "b")
    np.testing.assert_allclose(change.sigmas[:2], drawn.std(axis=1), rtol=0.02)
    exact = {"none": np.hypot(0.1, 0.03 * np.sqrt(2)), "part": np.hypot(0.1, 0.06), "all": 0.16}[correlate]
    assert change.sigmas[0] == pytest.approx(exact, rel=1e-12)


def test_tilts_of_a_pose_are_shared() -> None:
    """A mast of 2 m that is tilted by σ = 0.01 rad about y: the tip before and after a turn of 90° about x."""
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],frame,sigma_mass [kg],"
    head += f"{SIGMAS_OF_CENTERS},sigma_ry [rad]\n"
    rows = "S,,,,,,,,,,,,,,\nBUS,S,3,0,0,0,0,0,0,own,0,0,0,0,\nMAST,S,1,0,0,2,0,0,0,own,0,0,0,0,0.01\n"
    bom = mp.read_bom(io.StringIO(head + rows), format="csv")
    answer = mp.conditions(
        bom,
        {
            "up": {},
            "out": {"pose": {"MAST": {"rotate": "x 90 deg"}}},
            "round": {"pose": {"MAST": {"rotate": "z 180 deg"}}},
        },
    )
    assert answer.totals.sigmas[:, 1] == pytest.approx([0.005] * 3, rel=1e-9)
    # x of the tip is 2 sin(tilt) in both; turned by 180° about z it is −2 sin(tilt)
    assert answer.difference("up", "out").sigmas[1] == pytest.approx(0, abs=1e-9)
    assert answer.difference("up", "round").sigmas[1] == pytest.approx(0.01, rel=1e-9)
