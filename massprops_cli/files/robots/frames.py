"""Frames of robots as matrices: rotations of angles and quaternions, and their composition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def frame_matrix(numbers: Sequence[float]) -> Matrix:
    """Return x y z m, roll pitch yaw rad → (4, 4) frame to reference, R = Rz(yaw) Ry(pitch) Rx(roll), fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = ([f(angle) for angle in numbers[3:6]] for f in (math.cos, math.sin))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    matrix[:3, 3] = numbers[:3]
    return matrix


def inverse_frame(matrix: Matrix) -> Matrix:
    """Return the inverse of a rotation and translation: (4, 4) → (4, 4)."""
    inverse = np.eye(4)
    inverse[:3, :3] = matrix[:3, :3].T
    inverse[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return inverse


def quaternion_rotation(quaternion: Matrix) -> Matrix:
    """Return the rotation (3, 3) of a unit quaternion x y z w (4,)."""
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def roll_pitch_yaw(rotation: Matrix) -> tuple[float, float, float]:
    """Return roll, pitch, yaw in rad about fixed axes of a rotation (3, 3), exact also at a pitch of ±90°."""
    # roll and yaw are not unique at a pitch of a quarter turn: the roll is taken of what is left after yaw and pitch
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-rotation[2, 0], c * rotation[0, 0] + s * rotation[1, 0])
    # the second row after the yaw is removed is (0, cos roll, -sin roll)
    roll = math.atan2(s * rotation[0, 2] - c * rotation[1, 2], c * rotation[1, 1] - s * rotation[0, 1])
    return roll, pitch, yaw
