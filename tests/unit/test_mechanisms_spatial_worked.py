"""Worked examples of functions in the room mechanisms/spatial."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.rotations import vector_rotations


def test_vector_rotations_example() -> None:
    assert (vector_rotations(np.array([[0.0, 0.0, np.pi / 2]])).round(12).tolist()) == (
        [[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]
    )
