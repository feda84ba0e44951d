"""What joints transfer, and the pattern of the mass matrix: by hand, and against the exact base parameters."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel
from massprops_cli.mechanisms.structural import joint_transfers
from tests.unit.spatial_examples import model_of

_JOINT = {"type": "R", "pj": [0, 0, 0], "ai": [0, 0, 1]}
PENDULUM: dict[str, Any] = {
    "name": "pendulum",
    "gravity": ["0", "-9.81", "0"],
    "bodies": [{"id": 1}, {"id": 2, "p": ["1/2", "0", "0"]}],
    "joints": [
        {"name": "A", "i": 0, "j": 1, "pi": [0, 0, 0], **_JOINT},
        {"name": "B", "i": 1, "j": 2, "pi": ["1/2", 0, 0], **_JOINT},
    ],
}


def test_transfers_of_a_revolute_joint_by_hand() -> None:
    """A mass at (1/2, 0, 0) has the first moment 1/2 and Iyy = Izz = 1/4; one along z has Ixx = Iyy = ∫z²."""
    found = [one for one in joint_transfers(model_of(PENDULUM).mechanism) if one.joint == "B"]
    assert {(one.donor, one.acceptor, one.kind) for one in found} == {("2", "1", "R")}
    assert {one.condition for one in found} == {"points of the axis move alike in both bodies"}
    mass, first, second = (one.parameters for one in found)
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    assert mass == {"m1": 1, "mx1": half, "Iyy1": quarter, "Izz1": quarter, "m2": -1}
    size = first["mz1"]  # a first moment s along z at x = 1/2 has Ixz = −s/2 about the origin
    assert first == {"mz1": size, "Ixz1": -size / 2, "mz2": -size}
    assert second == {"Ixx1": 1, "Iyy1": 1, "Ixx2": -1, "Iyy2": -1}
    assert [one.multipole.partition(":")[0] for one in found] == ["monopole", "dipole", "quadrupole"]


@pytest.mark.parametrize(("kind", "count"), [("R", 3), ("S", 1), ("P", 6), ("fixed", 10), ("free", 0), ("C", 1)])
def test_number_of_transfers(kind: str, count: int) -> None:
    """Products of the points that move alike: a point; a point and a direction; three directions; all four."""
    document = json.loads(json.dumps(PENDULUM))
    document["joints"][1] |= {"type": kind}
    found = [one for one in joint_transfers(model_of(document).mechanism) if one.joint == "B"]
    assert len(found) == count


def limbs() -> SpatialModel:
    """A trunk of two bodies with limbs of one and of two."""
    above = {"t1": 0, "t2": "t1", "a1": "t2", "b1": "t2", "b2": "b1"}
    numbers = {"mass": 1, "c": [0.1, 0.2, 0.3], "I": [1, 1, 1, 0, 0, 0]}
    joints = [{"name": f"j{name}", "i": up, "j": name, "pi": [0, 0, 0], **_JOINT} for name, up in above.items()]
    bodies = [{"id": name, **numbers} for name in above]
    return model_of({"name": "limbs", "gravity": [0, 0, -9], "bodies": bodies, "joints": joints})


def test_pattern_of_a_trunk_with_limbs() -> None:
    found = {row["coordinate"]: row for row in limbs().pattern()}
    trunk, everything = {"jt1", "jt2"}, {"jt1", "jt2", "ja1", "jb1", "jb2"}
    assert {name: set(row["related"]) for name, row in found.items()} == {
        "jt1": everything, "jt2": everything, "ja1": trunk | {"ja1"}, "jb1": trunk | {"jb1", "jb2"},
        "jb2": trunk | {"jb1", "jb2"},
    }  # fmt: skip
    segments = [row["segment"] for row in limbs().pattern()]
    assert segments == sorted(segments)
    assert found["jt1"]["segment"] == found["jt2"]["segment"] != found["ja1"]["segment"] != found["jb1"]["segment"]
    assert found["jb1"]["segment"] == found["jb2"]["segment"]


def test_reports(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "pendulum.json"
    body = {"mass": 1, "c": [0.5, 0, 0], "I": [0, 1, 1, 0, 0, 0]}
    bodies = [one | body for one in PENDULUM["bodies"]]
    path.write_text(json.dumps(PENDULUM | {"bodies": bodies}))
    done = massprops("robot", "base-params", path, "--transfers")
    assert "B (R): 2 to 1; points of the axis move alike in both bodies" in done.output
    assert "m1 +1 mx1 +1/2 Iyy1 +1/4 Izz1 +1/4 m2 -1" in done.output
    data = json.loads(massprops("robot", "base-params", path, "--transfers", "--format", "json").stdout)
    assert [one["joint"] for one in data["transfers"]] == ["A"] * 3 + ["B"] * 3
    assert "transfers" not in json.loads(massprops("robot", "base-params", path, "--format", "json").stdout)
    assert "A  █ █\nB  █ █" in massprops("robot", "massmatrix", path, "--pattern").output
    data = json.loads(massprops("robot", "massmatrix", path, "--pattern", "--format", "json").stdout)
    assert [row["related"] for row in data["pattern"]] == [["A", "B"]] * 2
