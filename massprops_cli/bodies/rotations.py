"""Rotations: one formula each for angles, quaternions and axes, for doubles, for arrays and for exact fractions.

A rotation R turns vectors of the own axes into those of the parent; column k is own axis k. Angles are in radians.
Formulas: docs/formulas.md, section 12.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_Rows = tuple[tuple[Any, Any, Any], tuple[Any, Any, Any], tuple[Any, Any, Any]]
"""Rows of a rotation whose entries are numbers, fractions or arrays ``(n,)``."""
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Rows and columns of the six tensor entries, order xx yy zz xy xz yz."""


def cross_matrices(v: Floats) -> Floats:
    """Return the matrices [v]ₓ ``(…, 3, 3)`` with [v]ₓ w = v × w, of vectors v ``(…, 3)``."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in [[zero, -z, y], [z, zero, -x], [-y, x, zero]]], axis=-2)


def axis_rotations(cross: Floats, first: Floats | float, second: Floats | float) -> Floats:
    """Return 1 + first [u]ₓ + second [u]ₓ², Rodrigues' formula, ``(…, 3, 3)``."""
    # unit axes u: sin α and 1 − cos α; axes of length α: sin α / α and (1 − cos α) / α²
    return np.asarray(np.eye(3) + first * cross + second * (cross @ cross))


def vector_rotations(vectors: Floats) -> Floats:
    """Return the rotations ``(n, 3, 3)`` by rotation vectors ``(n, 3)``, axis times angle."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    # sin α / α and (1 − cos α) / α², without a division by 0
    return axis_rotations(cross_matrices(vectors), np.sinc(angle / np.pi), np.sinc(angle / (2 * np.pi)) ** 2 / 2)


def quaternion_rows(w: Any, x: Any, y: Any, z: Any, twice: Any = 2) -> _Rows:
    """Return the rotation of a quaternion; ``twice`` is 2 / |q|², exact for fractions."""
    return (
        (1 - twice * (y * y + z * z), twice * (x * y - w * z), twice * (x * z + w * y)),
        (twice * (x * y + w * z), 1 - twice * (x * x + z * z), twice * (y * z - w * x)),
        (twice * (x * z - w * y), twice * (y * z + w * x), 1 - twice * (x * x + y * y)),
    )


def roll_pitch_yaw_rows(cosines: Any, sines: Any) -> _Rows:
    """Return Rz(yaw) Ry(pitch) Rx(roll) from the cosines and sines of roll, pitch and yaw about fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = cosines, sines
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def roll_pitch_yaw(rotation: Floats) -> tuple[float, float, float]:
    """Return angles that give a rotation ``(3, 3)`` to rounding; where the pitch is a quarter turn, the yaw is free."""
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-rotation[2, 0], c * rotation[0, 0] + s * rotation[1, 0])
    # the second row after the yaw is removed is (0, cos roll, -sin roll)
    roll = math.atan2(s * rotation[0, 2] - c * rotation[1, 2], c * rotation[1, 1] - s * rotation[0, 1])
    return roll, pitch, yaw


def roll_pitch_yaw_angles(rotations: Floats) -> Floats:
    """Return roll, pitch and yaw ``(n, 3)`` of rotations ``(n, 3, 3)``; at a pitch of a quarter turn the roll is 0."""
    R = rotations
    level = np.hypot(R[:, 0, 0], R[:, 1, 0])
    locked = level < 1e-12  # below this the first column has no direction in the plane of x and y
    roll = np.where(locked, 0.0, np.arctan2(R[:, 2, 1], R[:, 2, 2]))
    yaw = np.where(locked, np.arctan2(-R[:, 0, 1], R[:, 1, 1]), np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    return np.stack([roll, np.arctan2(-R[:, 2, 0], level), yaw], axis=1)


def quaternions(rotations: Floats) -> Floats:
    """Return the unit quaternions ``(n, 4)`` of rotations ``(n, 3, 3)``, order w x y z, w not negative."""
    R = rotations
    trace = np.trace(R, axis1=1, axis2=2)
    xx, yy, zz = np.diagonal(R, axis1=1, axis2=2).T
    # four times each squared component; the largest one is the safe divisor
    squares = np.stack([1 + trace, 1 + 2 * xx - trace, 1 + 2 * yy - trace, 1 + 2 * zz - trace], axis=1)
    outer = np.zeros((len(R), 4, 4))
    outer[:, range(4), range(4)] = squares
    skew = R - np.swapaxes(R, 1, 2)
    both = R + np.swapaxes(R, 1, 2)
    for (a, b), values in zip(
        ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)),
        (skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0], both[:, 0, 1], both[:, 0, 2], both[:, 1, 2]),
        strict=True,
    ):
        outer[:, a, b] = outer[:, b, a] = values
    q = outer[np.arange(len(R)), squares.argmax(axis=1)]
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.asarray(np.where(q[:, :1] < 0, -q, q))


def turn_matrices(rotation: Floats) -> Floats:
    """Return matrices (…, 10, 10) that turn m, a vector, six entries by R (…, 3, 3): docs/formulas.md, section 12."""
    R = np.asarray(rotation, dtype=float)
    M = np.zeros((*R.shape[:-2], 10, 10))
    M[..., 0, 0] = 1.0
    M[..., 1:4, 1:4] = R
    for row, (a, b) in enumerate(_PAIRS):
        for column, (c, d) in enumerate(_PAIRS):
            entry = R[..., a, c] * R[..., b, d]
            M[..., 4 + row, 4 + column] = entry if c == d else entry + R[..., a, d] * R[..., b, c]
    return M


def frame_matrix(position: Any, rotation: Any = None) -> Floats:
    """Return the homogeneous matrix ``(4, 4)`` of a frame: its origin ``(3,)`` m and its rotation ``(3, 3)``."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix


def stated_frame(numbers: Any) -> Floats:
    """Return the matrix ``(4, 4)`` of a frame stated by x, y, z in m, and roll, pitch, yaw."""
    cosines, sines = ([f(angle) for angle in numbers[3:6]] for f in (math.cos, math.sin))
    return frame_matrix(numbers[:3], roll_pitch_yaw_rows(cosines, sines))


def inverse_frame(matrix: Floats) -> Floats:
    """Return the inverse ``(4, 4)`` of the matrix of a frame."""
    return frame_matrix(-matrix[:3, :3].T @ matrix[:3, 3], matrix[:3, :3].T)
