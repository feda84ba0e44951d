"""Worked examples of functions in the room inertials."""

from __future__ import annotations

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.robots.geometry_bodies import is_finite_body
from massprops_cli.robots.link_inertials import edited_source


def test_is_finite_body_example() -> None:
    assert (is_finite_body(BodyArray.of([1.0], [[0.0, 0, 0]], [[float("inf"), 1, 1, 0, 0, 0]]))) is False


def test_edited_source_example() -> None:
    assert (edited_source(b"<a/><b/>", [(4, 8, b"<c/>")])) == (b"<a/><c/>")
