"""Worked examples of functions in the room mechanisms/robots."""

from __future__ import annotations

from fractions import Fraction

from massprops_cli.mechanisms.robots.decimal_angles import simplest_fraction
from massprops_cli.mechanisms.robots.robot_file import is_robot_source


def test_simplest_fraction_example() -> None:
    assert (simplest_fraction(Fraction("0.3"), Fraction("0.4"))) == (Fraction(1, 3))


def test_is_robot_source_example() -> None:
    assert (is_robot_source(b"<robot name='arm'/>"), is_robot_source("arm.json")) == ((True, False))
