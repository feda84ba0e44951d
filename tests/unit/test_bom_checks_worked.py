"""Worked examples of functions in the room bom/checks."""

from __future__ import annotations

from massprops_cli.bom.checks.assembly_values import difference_digits


def test_difference_digits_example() -> None:
    assert (difference_digits(50419.6217, 50419.601817), difference_digits(2.0, 5.0)) == ((8, 6))
