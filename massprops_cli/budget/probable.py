"""How probable it is that the limits of an entry are kept, by the normal approximation.

The mean is the value on the entry's basis; the sigma is that of the basic value, because growth is no uncertainty.
"""

from __future__ import annotations

from math import inf

from massprops_cli.budget.case import Case, keeps
from massprops_cli.budget.entries import Basis, Limit
from massprops_cli.budget.envelope import corners_of
from massprops_cli.budget.limits import PROBABLE, dimension_of_limit
from massprops_cli.budget.margin import ceiling_of, greatest_mass, mass_basis_of
from massprops_cli.budget.measures import in_table
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.wording import bounds, quantity_of, shown
from massprops_cli.rollup.normal.line import between
from massprops_cli.tables.units.unit_table import MASS


def judge_probability(case: Case) -> list[Verdict]:
    """Hold the probability of each other limit of the entry against the least that is asked."""
    limits = [limit for limit in case.entry.limits if limit.subject in PROBABLE]
    return [judge_envelope(case, limit) if limit.corners else judge_one(case, limit) for limit in limits]


def judge_one(case: Case, limit: Limit) -> Verdict:
    """Hold the probability of one limit of one number."""
    is_margin = limit.subject == "margin-min"
    basis = mass_basis_of(case.entry) if is_margin else case.entry.basis
    quantity = "mass" if is_margin else quantity_of(limit.subject)
    words = f"P({bounds(limit, 'margin' if is_margin else quantity)})"
    figures = case.figures(basis)
    value, sigma = figures.value(case.i, quantity), figures.sigma(case.i, quantity)
    if value is None or sigma is None:
        why = figures.why(case.i, quantity) if value is None else f"no sigma of its {quantity} is known"
        return judged(case, words, basis, why)
    if is_margin and (value <= 0 or ceiling_of(case.entry).number <= 0):
        return judged(case, words, basis, f"its {'mass' if value <= 0 else 'limit'} is not above 0")
    return judged(case, words, basis, between(value, sigma, *ends_of(case, limit)))


def judge_envelope(case: Case, limit: Limit) -> Verdict:
    """Hold the probability that station and mass, which err together, lie in an envelope."""
    import numpy as np

    from massprops_cli.rollup.normal.polygonal import in_polygon

    words, figures, axis = f"P({limit.axis} and mass in the envelope)", case.here, "xyz".index(limit.axis)
    station, mass = figures.value(case.i, f"C{limit.axis}"), figures.value(case.i, "mass")
    if station is None or mass is None:
        return judged(case, words, case.entry.basis, figures.why(case.i, "mass" if mass is None else f"C{limit.axis}"))
    covariance = figures.center_with_mass(case.i, axis)
    if covariance is None:
        return judged(case, words, case.entry.basis, "how its mass and its centre err together is not known")
    chance = in_polygon(np.array([station, mass]), covariance, corners_of(case, limit))
    return judged(case, words, case.entry.basis, chance)


def judged(case: Case, words: str, basis: Basis, chance: float | str) -> Verdict:
    """Hold a probability against the least that is asked; a text says why it is not known."""
    least = case.limit.low.number
    asked = f"{words} ≥ {shown(least)} ({basis})"
    if isinstance(chance, str):
        return case.verdict("MP608", asked, f"{words} is not known: {chance}", limit=least)
    side = "is at least" if keeps(chance - least, least) else "is less than"
    message = f"{words} = {shown(chance, least)} {side} {shown(least)}"
    return case.verdict("MP608", asked, message, value=chance, limit=least, margin=chance - least)


def ends_of(case: Case, limit: Limit) -> tuple[float, float]:
    """Give between which values a limit wants its quantity, in the table's units; a margin is a greatest mass."""
    if limit.subject == "margin-min":
        return -inf, in_table(greatest_mass(case.entry, limit.low.number), MASS, case.units)
    dimension = dimension_of_limit(limit.subject)
    return in_table(limit.low, dimension, case.units), in_table(limit.high, dimension, case.units)
