"""Worked examples of functions in the room mechanisms/spatial."""

from __future__ import annotations

import numpy as np

from massprops_cli.mechanisms.spatial.joint_columns import rotation_matrices


def test_rotation_matrices_example() -> None:
    assert (rotation_matrices(np.array([[0.0, 0.0, np.pi / 2]])).round(12).tolist()) == (
        [[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]
    )
