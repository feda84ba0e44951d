"""Random trees of bodies with exact poses, and their dynamics by point masses, without spatial algebra."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import numpy as np

from massprops_cli import SpatialModel
from massprops_cli.mechanisms.model import (
    IDENTITY,
    ZERO_VECTOR,
    perpendicular_vectors,
    quaternion_matrix,
    rotated_vector,
    transposed_matrix,
    vector_sum,
)

KINDS = ("R", "P", "helical", "C", "U", "S", "planar", "free", "fixed")


def texts(vector: Any) -> list[str]:
    """Exact numbers as texts."""
    return [str(Fraction(one)) for one in vector]


def random_tree(
    seed: int, n: int, kinds: tuple[str, ...] = KINDS, shape: str = "tree"
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """A mechanism as a document, and the point masses of every body: rows of mass and place in the body's frame."""
    rng = random.Random(seed)

    def integers(low: int = -3, high: int = 3) -> tuple[Fraction, Fraction, Fraction]:
        while True:
            values = [Fraction(rng.randint(low, high)) for _ in range(3)]
            if any(values):
                return values[0], values[1], values[2]

    poses = [(ZERO_VECTOR, IDENTITY)]
    bodies, joints, clouds = [], [], []
    for k in range(1, n + 1):
        parent = {"chain": k - 1, "star": 0}.get(shape, rng.randrange(k))
        quaternion = [rng.randint(-2, 2) for _ in range(3)] + [1]
        position = integers()
        turn = quaternion_matrix(tuple(quaternion))
        poses.append((position, turn))
        cloud = np.array([[rng.uniform(0.5, 2), *(rng.uniform(-1, 1) for _ in range(3))] for _ in range(5)])
        clouds.append(cloud)
        mass = cloud[:, 0].sum()
        center = cloud[:, 0] @ cloud[:, 1:] / mass
        arm = cloud[:, 1:] - center
        tensor = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(cloud[:, 0], arm, strict=True))
        body = {"id": k, "p": texts(position), "q": texts(quaternion), "mass": str(mass), "c": [str(x) for x in center]}
        body["I"] = [str(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        bodies.append(body)
        kind = rng.choice(kinds)
        point, axis = integers(), integers()
        home, frame = poses[parent]
        world = vector_sum(home, rotated_vector(frame, point))
        there = rotated_vector(transposed_matrix(turn), vector_sum(world, position, Fraction(-1)))
        ends: dict[str, Any] = {"i": parent, "j": k, "pi": texts(point), "pj": texts(there)}
        if kind == "U":
            other = rotated_vector(transposed_matrix(turn), rotated_vector(frame, perpendicular_vectors(axis)[1]))
            ends |= {"ai": texts(axis), "aj": texts(other)}
        elif kind not in ("S", "free", "fixed"):
            ends["ai"] = texts(axis)
        if rng.random() < 0.4:  # the outer body is named first
            swap = {"i": "j", "j": "i", "pi": "pj", "pj": "pi", "ai": "aj", "aj": "ai"}
            ends = {swap[key]: value for key, value in ends.items()}
        joints.append({"name": f"J{k}", "type": kind, **ends, "pitch": "1/3" if kind == "helical" else "0"})
    rng.shuffle(joints)
    return {"gravity": ["0.5", "-9.81", "1"], "bodies": bodies, "joints": joints}, clouds


def model_of(document: dict[str, Any]) -> SpatialModel:
    return SpatialModel.read(json.dumps(document).encode())


def rotation(vector: Any) -> np.ndarray:
    """The exponential of a cross-product matrix, by its series."""
    x, y, z = vector
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    total, term = np.eye(3), np.eye(3)
    for k in range(1, 40):
        term = term @ cross / k
        total = total + term
    return total


class PointMasses:
    """Places of point masses along a motion that starts at a pose, from the document alone."""

    def __init__(self, document: dict[str, Any], clouds: list[np.ndarray]) -> None:
        self.clouds = clouds
        model = model_of(document)
        self.mechanism = model.mechanism
        self.gravity = np.array([float(x) for x in self.mechanism.gravity])
        self.pose = [(np.zeros(3), np.eye(3))] + [
            (np.array([float(x) for x in body.position]), np.array([[float(x) for x in row] for row in body.rotation]))
            for body in self.mechanism.bodies
        ]
        size = {"R": 1, "P": 1, "helical": 1, "C": 2, "U": 2, "S": 3, "planar": 3, "fixed": 0, "free": 6}
        self.first, total = {}, 0
        for joint in self.mechanism.joints:
            self.first[joint.name] = total
            total += size[joint.kind]
        self.degrees, self.size = total, size

    def places(self, q: np.ndarray, rate: np.ndarray, second: np.ndarray, t: float) -> np.ndarray:
        """Places of all points after a time, exact to the second order in it."""
        found = {-1: (np.zeros(3), np.eye(3))}
        while len(found) <= len(self.mechanism.bodies):
            for joint in self.mechanism.joints:
                one, other = joint.bodies
                for inner, outer, side in ((one, other, 0), (other, one, 1)):
                    if inner in found and outer not in found:
                        at = slice(self.first[joint.name], self.first[joint.name] + self.size[joint.kind])
                        found[outer] = self.moved(joint, side, found[inner], q[at], rate[at], second[at], t)
        parts = [found[k][0] + self.clouds[k][:, 1:] @ found[k][1].T for k in range(len(self.mechanism.bodies))]
        return np.concatenate(parts)

    def moved(self, joint: Any, side: int, home: Any, q: Any, rate: Any, second: Any, t: float) -> Any:
        """The pose of the outer body of a joint."""
        inner, outer = joint.bodies[side] + 1, joint.bodies[1 - side] + 1
        (p0, r0), (p1, r1) = self.pose[inner], self.pose[outer]
        turn = r0.T @ r1
        own = np.array([float(x) for x in joint.points[1 - side]])
        place = r0.T @ (p1 - p0) + turn @ own
        axis = np.array([float(x) for x in joint.axes[side]])
        axis = axis / (np.linalg.norm(axis) or 1)
        now, kind = q + rate * t + second * t * t / 2, joint.kind
        if kind == "R":
            turn = rotation(axis * now[0]) @ turn
        elif kind == "P":
            place = place + axis * now[0]
        elif kind == "helical":
            turn, place = rotation(axis * now[0]) @ turn, place + axis * now[0] * float(joint.pitch)
        elif kind == "C":
            turn, place = rotation(axis * now[0]) @ turn, place + axis * now[1]
        elif kind == "U":
            across = turn @ np.array([float(x) for x in joint.axes[1 - side]])
            turn = rotation(axis * now[0]) @ rotation(across / np.linalg.norm(across) * now[1]) @ turn
        elif kind == "planar":
            slides = [np.array([float(x) for x in one]) for one in perpendicular_vectors(joint.axes[side])]
            place = place + sum(s / np.linalg.norm(s) * x for s, x in zip(slides, now[:2], strict=True))
            turn = rotation(axis * now[2]) @ turn
        elif kind in ("S", "free"):
            turn = rotation(q[:3]) @ turn
            step = rate[:3] * t + second[:3] * t * t / 2
            if kind == "free":
                gain = second[3:] + np.cross(rate[:3], rate[3:])
                place = place + q[3:] + turn @ (rate[3:] * t + gain * t * t / 2)
            turn = turn @ rotation(step)
        axes = home[1] @ turn
        return home[0] + home[1] @ place - axes @ own, axes

    def joint_forces(self, q: np.ndarray, rate: np.ndarray, second: np.ndarray, *, gravity: bool = True) -> np.ndarray:
        """Joint forces by the principle of d'Alembert: Σ m (a − g) · ∂v/∂θ̇."""
        h = 4e-3
        far, near, here = (
            [self.places(q, rate, second, s * k * h) for s in (1, -1)] if k else self.places(q, rate, second, 0.0)
            for k in (2, 1, 0)
        )
        acceleration = (-sum(far) + 16 * sum(near) - 30 * here) / (12 * h * h)
        mass = np.concatenate([cloud[:, 0] for cloud in self.clouds])
        load = mass[:, None] * (acceleration - (self.gravity if gravity else 0))
        return np.array([(load * self.partial_velocity(q, k)).sum() for k in range(self.degrees)])

    def partial_velocity(self, q: np.ndarray, k: int) -> np.ndarray:
        """Velocities of all points for a unit rate of one coordinate."""
        h, unit, zero = 4e-3, np.eye(self.degrees)[k], np.zeros(self.degrees)
        p = [self.places(q, unit, zero, s * h) for s in (2, 1, -1, -2)]
        return (-p[0] + 8 * p[1] - 8 * p[2] + p[3]) / (12 * h)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Σ m ∂v/∂θ̇ · ∂v/∂θ̇."""
        mass = np.concatenate([cloud[:, 0] for cloud in self.clouds])
        partial = [self.partial_velocity(q, k) for k in range(self.degrees)]
        return np.array([[(mass[:, None] * a * b).sum() for b in partial] for a in partial])
