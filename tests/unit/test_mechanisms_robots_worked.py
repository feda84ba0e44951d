"""Worked examples of functions in the room mechanisms/robots."""

from __future__ import annotations

from fractions import Fraction

from massprops_cli.mechanisms.mechanism_file import _is_robot
from massprops_cli.mechanisms.model import simplest_fraction


def test_simplest_fraction_example() -> None:
    assert (simplest_fraction(Fraction("0.3"), Fraction("0.4"))) == (Fraction(1, 3))


def test_is_robot_example() -> None:
    assert (_is_robot(b"<robot name='arm'/>"), _is_robot("arm.json")) == ((True, False))
