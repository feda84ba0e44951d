"""Worked examples of functions in the room inertials."""

from __future__ import annotations

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.robots.geometry_bodies import computed_fault
from massprops_cli.robots.link_inertials import edited_source


def test_values_beyond_double_precision_and_impossible_tensors_are_faults() -> None:
    def fault(*six: float, mass: float = 1.0) -> str:
        return computed_fault(BodyArray.of([mass], [[0.0, 0, 0]], [list(six)]))

    assert "beyond double precision" in fault(float("inf"), 1, 1, 0, 0, 0)
    assert "beyond double precision" in fault(1, 1, 1, 0, 0, 0, mass=0.0)
    assert "no body has" in fault(1, 1, 2.1, 0, 0, 0)
    assert fault(1, 1, 2, 0, 0, 0) == fault(0, 1, 1, 0, 0, 0) == fault(-1, -1, -2, 0, 0, 0, mass=-1.0) == ""


def test_edited_source_example() -> None:
    assert (edited_source(b"<a/><b/>", [(4, 8, b"<c/>")])) == (b"<a/><c/>")
