"""How numbers, limits and formulas are written in verdicts."""

from __future__ import annotations

from math import isinf

from massprops_cli.budget.entries import Limit, Measure

QUANTITIES = {"mass-max": "mass", "mass-min": "mass", "center-x": "Cx", "center-y": "Cy", "center-z": "Cz"}
"""Which column a limit is about; moments have the name of their column."""
WORDS = {"Cx": "centre x", "Cy": "centre y", "Cz": "centre z"}


def quantity_of(subject: str) -> str:
    """Give the canonical column that a limit bounds."""
    return QUANTITIES.get(subject, subject)


def words_of(subject: str) -> str:
    """Name what a limit bounds.

    >>> words_of("center-x"), words_of("mass-max"), words_of("Ixx")
    ('centre x', 'mass', 'Ixx')
    """
    quantity = quantity_of(subject)
    return WORDS.get(quantity, quantity)


def shown(value: float, beside: float | None = None) -> str:
    """Write a number with six digits, or with as many as tell it from the one ``beside`` it.

    >>> shown(850.0), shown(850.0001, 850.0), shown(1 / 3)
    ('850', '850.0001', '0.333333')
    """
    for digits in range(6, 18):
        text = f"{value:.{digits}g}"
        if beside is None or value == beside or float(text) != float(f"{beside:.{digits}g}"):
            break
    return text


def with_unit(value: float, unit: str, beside: float | None = None) -> str:
    """Write a number and its unit.

    >>> with_unit(5.0, "%")
    '5 %'
    """
    return f"{shown(value, beside)} {unit}".strip()


def measured(measure: Measure) -> str:
    """Write a measure as it stands in the file."""
    return f"{measure.number:.15g} {measure.unit}".strip()


def bounds(limit: Limit, name: str) -> str:
    """Write a limit as an inequality.

    >>> bounds(Limit("mass-max", high=Measure(850.0, "kg")), "mass")
    'mass ≤ 850 kg'
    """
    low = "" if isinf(limit.low.number) else f"{measured(limit.low)} ≤ "
    high = "" if isinf(limit.high.number) else f" ≤ {measured(limit.high)}"
    return f"{name} ≥ {measured(limit.low)}" if low and not high else f"{low}{name}{high}"
