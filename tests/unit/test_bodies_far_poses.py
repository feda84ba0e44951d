"""Chains of frames far out whose translations cancel: the parts keep their differences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from massprops_cli.bodies.poses import Poses, composed_poses
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup

_POSE = ("tx [m]", "ty [m]", "tz [m]", "roll [deg]", "pitch [deg]", "yaw [deg]")


def _row(name: str, parent: str, pose: str, mass: str = "") -> dict[str, str]:
    """Return an item with its own frame; a leaf is a point at the origin of it."""
    numbers = dict.fromkeys(("Cx [m]", "Cy [m]", "Cz [m]", "Ixx [kg*m^2]", "Iyy [kg*m^2]", "Izz [kg*m^2]"), "0")
    own = {"mass [kg]": mass, **numbers} if mass else {}
    return {"id": name, "parent": parent, "frame": "own", **dict(zip(_POSE, pose.split(), strict=True)), **own}


@pytest.mark.parametrize("away", ["0", "1e3", "1e6", "1e9", "1e12"])
@pytest.mark.parametrize("is_pose", [True, False])
def test_two_points_one_metre_apart_in_far_frames(away: str, is_pose: bool) -> None:
    # A is 1 m from the origin of G, which coincides with B: a dumbbell of 1 kg each has the moments 0, ½, ½
    rows = [
        _row("R", "", "0 0 0 0 0 30"),
        _row("F", "R", f"{away} 0 0 10 20 30"),
        _row("G", "F", f"-{away} 0 0 40 50 60"),
        _row("A", "G", "1 0 0 0 0 0", "1"),
        _row("B", "F", f"-{away} 0 0 0 0 0" if is_pose else "0 0 0 0 0 0", "1"),
    ]
    if not is_pose:
        rows[-1]["Cx [m]"] = f"-{away}"
    xx, yy, zz, xy, xz, yz = rollup(Bom.from_records(rows)).rollup.bodies.inertia[0].tolist()
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert moments == pytest.approx([0, 0.5, 0.5], abs=1e-15)


@pytest.mark.parametrize("away", ["0", "1e6", "1e12"])
def test_a_removed_point_in_a_far_frame(away: str) -> None:
    # 3 kg of which 2 kg are removed, 1 m from 1 kg: the dumbbell of before
    rows = [
        _row("R", "", "0 0 0 0 0 30"),
        _row("F", "R", f"{away} 0 0 10 20 30"),
        _row("G", "F", f"-{away} 0 0 40 50 60"),
        _row("A", "G", "1 0 0 0 0 0", "3"),
        _row("HOLE", "G", "1 0 0 0 0 0", "-2"),
        _row("B", "F", f"-{away} 0 0 0 0 0", "1"),
    ]
    result = rollup(Bom.from_records(rows, allow_negative_mass=True))
    xx, yy, zz, xy, xz, yz = result.rollup.bodies.inertia[0].tolist()
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert result.root.mass == 2.0
    assert moments == pytest.approx([0, 0.5, 0.5], abs=1e-14)


def test_composed_poses_in_rational_numbers() -> None:
    # the chain in exact arithmetic, from the numbers of the poses as they are stored
    rng = np.random.default_rng(7)
    shifts, angles = 10.0 ** rng.integers(-3, 13, (9, 1)) * rng.normal(size=(9, 3)), rng.uniform(-180, 180, (9, 3))
    poses = Poses.from_rpy(shifts, angles, "deg")
    composed, rest = composed_poses(poses, np.arange(9) - 1)
    turn = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
    place = [Fraction(0)] * 3
    for k in range(9):
        own = [[Fraction(x) for x in row] for row in poses.rotation[k].tolist()]
        t = [Fraction(x) for x in poses.translation[k].tolist()]
        place = [p + sum(turn[i][j] * t[j] for j in range(3)) for i, p in enumerate(place)]
        turn = [[sum(turn[i][m] * own[m][j] for m in range(3)) for j in range(3)] for i in range(3)]
        for i in range(3):
            found = Fraction(float(composed.translation[k, i])) + Fraction(float(rest[k, i, 3]))
            assert abs(found - place[i]) <= 1e-28 * np.abs(shifts).max()
            for j in range(3):
                cosine = Fraction(float(composed.rotation[k, i, j])) + Fraction(float(rest[k, i, j]))
                assert abs(cosine - turn[i][j]) <= 1e-28
