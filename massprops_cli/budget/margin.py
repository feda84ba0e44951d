"""The margin of a mass to its limit, and on which mass it is reckoned."""

from __future__ import annotations

from massprops_cli.budget.entries import Basis, Entry, Measure

MARGIN_FORMULAS = {
    "predicted": "(limit − predicted) / predicted",
    "basic": "(limit − basic) / basic",
    "allocation": "(limit − {basis}) / limit",
}
"""What each ``margin-basis`` means; under ``allocation`` the mass is that of the entry's own basis."""


def mass_basis_of(entry: Entry) -> Basis:
    """Give the mass that a margin is reckoned with."""
    return entry.basis if entry.margin_basis == "allocation" else entry.margin_basis


def ceiling_of(entry: Entry) -> Measure:
    """Give the mass that a margin is to: the entry's ``mass-max``."""
    return next(limit.high for limit in entry.limits if limit.subject == "mass-max")


def greatest_mass(entry: Entry, percent: float) -> Measure:
    """Give the mass that leaves a margin of just so many percent.

    >>> from massprops_cli.budget.entries import Limit, Selector
    >>> limits = (Limit("mass-max", high=Measure(840.0, "kg")),)
    >>> greatest_mass(Entry(Selector("SAT"), limits), 5.0), greatest_mass(
    ...     Entry(Selector("SAT"), limits, margin_basis="allocation"), 5.0
    ... )
    (Measure(number=800.0, unit='kg'), Measure(number=798.0, unit='kg'))
    """
    top, share = ceiling_of(entry), percent / 100
    number = top.number * (1 - share) if entry.margin_basis == "allocation" else top.number / (1 + share)
    return Measure(number, top.unit)
