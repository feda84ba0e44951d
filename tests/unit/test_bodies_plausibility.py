"""Plausibility: geometry that contains a body, and tensors that are defaults."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import geometry_faults, placeholder_faults
from massprops_cli.findings.finding import UsageError
from tests.unit.test_bodies_array import bodies_of


def test_bodies_in_their_boxes_have_no_faults() -> None:
    """Random bodies, and the extreme one: mass in two corners has exactly the largest variance."""
    rng = np.random.default_rng(1)
    mass, points = rng.uniform(0.1, 5, (300, 6)), rng.uniform(-1, 3, (300, 6, 3))
    bodies = bodies_of(mass, points)
    farthest = np.linalg.norm(points - bodies.center[:, None], axis=2).max(axis=1)
    assert geometry_faults(bodies, points.min(axis=1), points.max(axis=1), farthest) == []
    corners = np.array([[[0.0, 0, 0], [1.0, 2, 3]]]) + 1e6
    ends = bodies_of(np.array([[1.0, 4.0]]), corners)
    assert geometry_faults(ends, corners[0, 0], corners[0, 1]) == []


def test_centre_outside_with_its_power_of_ten() -> None:
    body = BodyArray.of([1.0, 1.0], [[500.0, 0, 0], [0.0, -7.0, 0]], np.full((2, 6), 1e-9) * [1, 1, 1, 0, 0, 0])
    first, second = geometry_faults(body, [0, -1, -1], [1, 1, 1])
    assert (first.kind, first.row, first.power) == ("center-outside", 0, -3)
    assert first.message == (
        "centre x = 500 is outside the geometry, 0 to 1; inside if all three coordinates are multiplied by 0.001"
    )
    assert (second.row, second.power) == (1, -3)
    far = BodyArray.of([1.0], [[-500.0, 0, 0]], [[1e-9, 1e-9, 1e-9, 0, 0, 0]])
    (fault,) = geometry_faults(far, [0.5, -1, -1], [1, 1, 1])
    assert fault.power is None
    assert fault.message.endswith("is outside the geometry, 0.5 to 1")


def test_moments_of_another_unit() -> None:
    """A bar of 1 m in kg·mm² beside metres: 1e6 too large."""
    tensor = np.array([[1 / 12, 1 / 12, 0.001, 0, 0, 0]])
    bar = BodyArray.of([1.0], [[0.0, 0, 0]], tensor * 1e6)
    (fault,) = geometry_faults(bar, [-0.1, -0.1, -0.5], [0.1, 0.1, 0.5])
    assert (fault.kind, fault.power) == ("moments-too-large", -6)
    assert "multiplied by 1e-06" in fault.message
    assert geometry_faults(BodyArray.of([1.0], [[0.0, 0, 0]], tensor), [-0.1, -0.1, -0.5], [0.1, 0.1, 0.5]) == []


def test_radius_of_gyration_beyond_the_farthest_vertex() -> None:
    """All mass in the corners of the box is possible for the box, not for a ball in it."""
    ends = BodyArray.of([1.0], [[0.0, 0, 0]], [[2.0, 2, 2, 0, 0, 0]])
    assert geometry_faults(ends, [-1, -1, -1], [1, 1, 1]) == []
    (fault,) = geometry_faults(ends, [-1, -1, -1], [1, 1, 1], 1.0)
    assert fault.kind == "radius-too-large"
    assert fault.message == "radius of gyration 1.73205 exceeds the distance 1 of the farthest vertex"


def test_empty_box_is_a_wrong_call() -> None:
    one = BodyArray.of([1.0], [[0.0, 0, 0]], [[0.0] * 6])
    with pytest.raises(UsageError, match="box 0 is empty"):
        geometry_faults(one, [1, 0, 0], [0, 1, 1])


def test_defaults_of_programs() -> None:
    tensors = np.zeros((9, 6))
    tensors[0, :3] = 1.0
    tensors[1, :3] = 1e-6
    tensors[2, :3] = 0.4
    tensors[3:6] = [0.3, 0.4, 0.5, 0.01, 0, 0]
    tensors[6:8] = [0.6, 0.4, 0.5, 0.01, 0, 0]
    mass = np.array([1.0, 2, 3, 1, 2, 3, 1, 1, 5])
    found = placeholder_faults(BodyArray.of(mass, np.zeros((9, 3)), tensors))
    assert [(f.row, f.kind, f.related) for f in found] == [
        (0, "identity-tensor", ()),
        (1, "round-diagonal", ()),
        (3, "repeated-tensor", (4, 5)),
    ]
    assert "1e-06 on the diagonal" in found[1].message


def test_missing_numbers_are_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="body 0 has a missing number"):
        placeholder_faults(BodyArray.of([1.0], [[0.0, 0, 0]], [[np.nan] * 6]))


def test_one_part_in_several_places_is_no_placeholder() -> None:
    same = BodyArray.of(np.full(5, 2.0), np.zeros((5, 3)), np.tile([0.3, 0.4, 0.5, 0, 0, 0], (5, 1)))
    assert placeholder_faults(same) == []


def test_moments_that_no_power_of_ten_explains() -> None:
    """All mass at x = ±1e6 in a box of ±1: no usual factor of units brings 1e12 within 1."""
    rod = BodyArray.of([1.0], [[0.0, 0, 0]], [[0.0, 1e12, 1e12, 0, 0, 0]])
    (fault,) = geometry_faults(rod, [-1, -1, -1], [1, 1, 1])
    assert (fault.kind, fault.power) == ("moments-too-large", None)
    assert fault.message.endswith("has at most 1")


@pytest.mark.parametrize(("x", "hint"), [(60, ""), (120, ""), (240, ""), (20000, "0.001"), (-20000, "0.001")])
def test_factor_of_units_only_of_centers_far_outside(x: float, hint: str) -> None:
    body = BodyArray.of([1.0], [[x, 0, 0]], [[0.0] * 6])
    (fault,) = geometry_faults(body, [-50] * 3, [50] * 3)
    assert fault.message.partition("multiplied by ")[2] == hint
