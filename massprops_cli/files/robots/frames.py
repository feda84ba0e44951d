"""Frames of robots as matrices: rotations of angles and quaternions, and their composition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def frame_matrix(numbers: Sequence[float]) -> Matrix:
    """Return the matrix of a pose from its position and its angles.

    Parameters
    ----------
    numbers : sequence of float
        x, y, z in metres; roll, pitch, yaw in radians about the fixed axes of the reference.

    Returns
    -------
    array, shape (4, 4)
        Homogeneous matrix, from the frame to its reference: R = Rz(yaw) Ry(pitch) Rx(roll).
    """
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
    """Return the inverse of a pose.

    Parameters
    ----------
    matrix : array, shape (4, 4)
        Homogeneous matrix of a rotation and a translation.

    Returns
    -------
    array, shape (4, 4)
        Its inverse.
    """
    inverse = np.eye(4)
    inverse[:3, :3] = matrix[:3, :3].T
    inverse[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return inverse


def quaternion_rotation(quaternion: Matrix) -> Matrix:
    """Return the rotation of a unit quaternion.

    Parameters
    ----------
    quaternion : array, shape (4,)
        x, y, z, w; of length 1.

    Returns
    -------
    array, shape (3, 3)
        Rotation.
    """
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def roll_pitch_yaw(rotation: Matrix) -> tuple[float, float, float]:
    """Return the angles of a rotation; they give the rotation to rounding also where the pitch is a quarter turn.

    Parameters
    ----------
    rotation : array, shape (3, 3)
        Rotation.

    Returns
    -------
    tuple of float
        Roll, pitch and yaw in radians, about fixed axes.

    Notes
    -----
    Roll and yaw of a pitch of a quarter turn are not unique. The roll is therefore taken of what is left after yaw and
    pitch are removed.
    """
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-rotation[2, 0], c * rotation[0, 0] + s * rotation[1, 0])
    # the second row after the yaw is removed is (0, cos roll, -sin roll)
    roll = math.atan2(s * rotation[0, 2] - c * rotation[1, 2], c * rotation[1, 1] - s * rotation[0, 1])
    return roll, pitch, yaw
