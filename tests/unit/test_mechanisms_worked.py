"""Worked examples of functions in the room mechanisms."""

from __future__ import annotations

from fractions import Fraction

from massprops_cli.mechanisms.prime_field import null_space, reconstructed_fraction, residue


def test_null_space_example() -> None:
    from fractions import Fraction

    assert (null_space([[Fraction(2), Fraction(1)]], 2)) == ([[Fraction(-1, 2), Fraction(1, 1)]])


def test_residue_example() -> None:
    assert (residue(Fraction(1, 2), 7)) == (4)


def test_reconstructed_fraction_example() -> None:
    assert (reconstructed_fraction(residue(Fraction(-3, 7), 8191), 8191)) == (Fraction(-3, 7))
