"""Mechanisms of published examples and of tests, as documents of mechanism files."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "mechanism"
SUSPENSION = json.loads((DATA / "sla_suspension.json").read_text())
SUSPENSION_EXPECTED = json.loads((DATA / "sla_expected.json").read_text())
CHAINS = json.loads((DATA / "open_chain_expected.json").read_text())
QUARTER_TURNS = {"0": (1, 0, 0, 0), "pi/2": (1, 1, 0, 0), "-pi/2": (1, -1, 0, 0)}


def product(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """The product of two quaternions."""
    w, x, y, z = a
    u, p, q, r = b
    return [
        w * u - x * p - y * q - z * r,
        w * p + x * u + y * r - z * q,
        w * q - x * r + y * u + z * p,
        w * r + x * q - y * p + z * u,
    ]


def turned(quaternion: Sequence[Any], vector: Sequence[Any]) -> list[Fraction]:
    """A vector rotated by a quaternion, from the definition q v q*/|q|²."""
    w, x, y, z = map(Fraction, quaternion)
    size = w * w + x * x + y * y + z * z
    return [one / size for one in product(product((w, x, y, z), (0, *map(Fraction, vector))), (w, -x, -y, -z))[1:]]


def added(a: Sequence[Any], b: Sequence[Any]) -> list[Fraction]:
    """The sum of two vectors."""
    return [Fraction(x) + Fraction(y) for x, y in zip(a, b, strict=True)]


def strings(values: Sequence[Any]) -> list[str]:
    """Numbers as a mechanism file has them."""
    return [str(Fraction(value)) for value in values]


def mdh_chain(rows: Sequence[Sequence[str]], gravity: Sequence[Any]) -> dict[str, Any]:
    """An open chain from modified Denavit-Hartenberg rows (alpha, a, d, type) at the pose with all angles 0."""
    position: list[Fraction] = [Fraction(0)] * 3
    attitude: list[Any] = [1, 0, 0, 0]
    bodies, joints = [], []
    for number, (alpha, a, d, kind) in enumerate(rows, 1):
        point = added([a, 0, 0], turned(QUARTER_TURNS[alpha], [0, 0, d]))
        axis = turned(QUARTER_TURNS[alpha], [0, 0, 1])
        position = added(position, turned(attitude, point))
        attitude = product(attitude, QUARTER_TURNS[alpha])
        bodies.append({"id": number, "p": strings(position), "q": strings(attitude)})
        joints.append(
            {"name": f"J{number}", "type": kind, "i": number - 1, "j": number, "pi": strings(point)}
            | {"pj": ["0", "0", "0"], "ai": strings(axis), "aj": ["0", "0", "1"]}
        )
    return {"name": "chain", "gravity": strings(gravity), "bodies": bodies, "joints": joints}


def planar_linkage(points: Sequence[Sequence[Any]], *, slider: bool = False) -> dict[str, Any]:
    """A crank, a rod, and a rocker or slider: bodies with frames at A, B, D (or C) parallel to the ground."""
    spots = [[Fraction(value) for value in (*point, 0)] for point in points]
    origins = [spots[0], spots[1], spots[2] if slider else spots[3]]
    ends = [("A", "R", 0, 1, spots[0]), ("B", "R", 1, 2, spots[1]), ("C", "R", 2, 3, spots[2])]
    ends.append(("D", "P", 0, 3, spots[2]) if slider else ("D", "R", 0, 3, spots[3]))
    joints = []
    for name, kind, i, j, spot in ends:
        axis = ["1", "0", "0"] if kind == "P" else ["0", "0", "1"]
        arms = [added(spot, [-v for v in origins[one - 1]]) if one else spot for one in (i, j)]
        joints.append(
            {"name": name, "type": kind, "i": i, "j": j, "pi": strings(arms[0]), "pj": strings(arms[1])}
            | {"ai": axis, "aj": axis}
        )
    bodies = [{"id": number, "p": strings(origin)} for number, origin in enumerate(origins, 1)]
    return {"name": "linkage", "gravity": ["0", "-9.81", "0"], "bodies": bodies, "joints": joints}


def random_chain(kinds: Sequence[str], seed: int, gravity: Sequence[Any] = (1, 2, -9)) -> dict[str, Any]:
    """An open chain with joints of given types, at random rational places and in random rational attitudes."""
    chance = random.Random(seed)

    def numbers(count: int) -> list[Fraction]:
        return [Fraction(chance.randint(-9, 9) or 1, chance.randint(1, 5)) for _ in range(count)]

    poses: list[tuple[list[Fraction], list[Any]]] = [([Fraction(0)] * 3, [1, 0, 0, 0])]
    bodies, joints = [], []
    for number, kind in enumerate(kinds, 1):
        origin, attitude = poses[-1]
        here, there, axis = numbers(3), numbers(3), numbers(3)
        quaternion = numbers(4)
        spot = added(origin, turned(attitude, here))
        position = added(spot, [-v for v in turned(quaternion, there)])
        poses.append((position, quaternion))
        back = [quaternion[0], *(-v for v in quaternion[1:])]
        other = turned(back, turned(attitude, axis))
        if kind == "U":
            side = [axis[1], -axis[0], Fraction(0)]
            other = turned(back, turned(attitude, side))
        bodies.append({"id": number, "p": strings(position), "q": strings(quaternion)})
        joints.append(
            {"name": f"J{number}", "type": kind, "i": number - 1, "j": number, "pi": strings(here)}
            | {"pj": strings(there), "ai": strings(axis), "aj": strings(other), "pitch": "1/7"}
        )
    return {"name": "random", "gravity": strings(gravity), "bodies": bodies, "joints": joints}
