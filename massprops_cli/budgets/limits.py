"""Check of each kind of limit: ranges, margins, envelopes of station and mass, coverage, maturity, probabilities.

A probability is that of the normal approximation, or of the sum of the distributions of bounded masses: its mean is
that of the value on the entry's basis, its sigma that of the basic value, because growth is not an uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isinf, isnan
from typing import Any

import numpy as np

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.budgets import model
from massprops_cli.findings.finding import ConfigError, Place, UsageError
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS
from massprops_cli.rollups.regions import Point, edge_abscissas, is_inside_polygon, probability_between
from massprops_cli.tables.cells.units import LENGTH, MASS

_ROUNDING_MARGIN = 1e-6  # margins below this share of a value are compared with the rounding error
_FULL_PERCENT = 100.0  # the total in percent


def margin_mass_basis(entry: model.BudgetEntry) -> model.Basis:
    """Return the basis of the mass in a margin."""
    return entry.basis if entry.margin_basis == "allocation" else entry.margin_basis


def _mass_ceiling(entry: model.BudgetEntry) -> model.LimitMeasure:
    """Return the limit of a margin: the entry's ``mass-max``."""
    return next(limit.high for limit in entry.limits if limit.subject == "mass-max")


def _greatest_mass(entry: model.BudgetEntry, percent: float) -> model.LimitMeasure:
    """Return the mass with exactly a margin in percent."""
    top, share = _mass_ceiling(entry), percent / 100
    number = top.number * (1 - share) if entry.margin_basis == "allocation" else top.number / (1 + share)
    return model.LimitMeasure(number, top.unit)


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """A ``limit`` of an ``entry`` for item ``i``; ``figures`` returns the values on a basis."""

    entry: model.BudgetEntry
    limit: model.Limit
    i: int
    figures: Callable[[model.Basis], model.BasisFigures]

    @property
    def here(self) -> model.BasisFigures:
        """The values on the basis of the entry."""
        return self.figures(self.entry.basis)

    @property
    def least(self) -> float:
        """The number at the low end of the limit."""
        return self.limit.low.number

    def verdict(self, requirement: str, message: str, **numbers: Any) -> model.Verdict:
        """Make the verdict, with its numbers and remedy: the limit is kept if the margin is known and not negative."""
        found: dict[str, Any] = {"value": None, "limit": None, "unit": "", "margin": None, **numbers}
        margin = found["margin"]
        bom = self.here.result.bom
        return model.Verdict(
            rule=_LIMIT_RULES[self.limit.subject],
            item=bom.ids[self.i],
            name="" if bom.names is None else bom.names[self.i],
            subject=self.limit.subject,
            requirement=requirement,
            kept=margin is not None and margin >= 0,
            message=f"{bom.ids[self.i]}: {message}",
            severity=self.entry.severity,
            place=self.limit.place,
            item_place=self.item_place(),
            **found,
        )

    def undecided(self, requirement: str, what: str, why: str, **numbers: Any) -> model.Verdict:
        """Make the verdict for a value that is unknown."""
        message = f"undecided: {what} is unknown: {why}"
        return self.verdict(requirement, message, **numbers)

    def at_least(self, requirement: str, words: str, value: float, rounding: float, unit: str = "%") -> model.Verdict:
        """Make the verdict for a value with a required least value; ``words`` are the message before the comparison."""
        spare = _margin_without_rounding(value - self.least, rounding)
        message = f"{words} {'at least' if spare >= 0 else 'less than'} {model.number_with_unit(self.least, unit)}"
        return self.verdict(requirement, message, value=value, limit=self.least, unit=unit, margin=spare)

    def item_place(self) -> Place:
        """Return the cell of the item in the column of the limit, or its row."""
        bom = self.here.result.bom
        columns = bom.columns.by_quantity
        column = columns.get(model.limit_quantity(self.limit.subject)) or columns.get("mass")
        index, header = (None, "") if column is None else (column.index, column.header)
        return item_cell_place(bom.table, int(bom.rows[self.i]), index, header)


def _margin_without_rounding(margin: float, rounding: float) -> float:
    """Return a margin, or 0 within the rounding error: a limit that is met exactly is kept."""
    return 0.0 if abs(margin) <= rounding else margin


def _envelope_verdict(case: LimitCheck) -> model.Verdict:
    """Check station and mass against the polygon; the margin is along the station, above and below it in mass."""
    limit, basis, quantity = case.limit, case.entry.basis, f"C{case.limit.axis}"
    requirement = f"{limit.axis} and mass in an envelope of {len(limit.corners)} corners ({basis})"
    station, mass = case.here.value(case.i, quantity), case.here.value(case.i, "mass")
    if station is None or mass is None:
        missing = quantity if station is None else "mass"
        why, remedy = case.here.why(case.i, missing), case.here.remedy(case.i, missing)
        return case.undecided(requirement, f"{basis} {model.limit_words(missing)}", why, remedy=remedy)
    length, heavy = (measure.unit for measure in limit.corners[0])
    per_length, per_mass = (
        model.table_unit_factor(length, LENGTH, case.here.units),
        model.table_unit_factor(heavy, MASS, case.here.units),
    )
    corners = [(x / per_length, m / per_mass) for x, m in _envelope_corners(case, limit)]
    slack = (case.here.rounding(case.i, quantity) / per_length, case.here.rounding(case.i, "mass") / per_mass)
    at = (station / per_length, mass / per_mass)
    inside = _inside_point(corners, at, slack)
    station, mass = inside or at
    place = f"{limit.axis} = {model.number_with_unit(station, length)}"
    point = f"{basis} mass {model.number_with_unit(mass, heavy)} at {place}"
    if (near := min(edge_abscissas(corners, mass), key=lambda edge: abs(edge - station), default=None)) is None:
        end = min((m for _, m in corners), key=lambda m: abs(mass - m))
        far = abs(mass - end)
        message = f"{point} is {model.number_with_unit(far, heavy)} outside the masses of the envelope"
        return case.verdict(requirement, message, value=mass, limit=end, unit=heavy, margin=-far)
    far = _margin_without_rounding(abs(near - station), slack[0])
    edge = (
        f"{model.number_with_unit(far, length)} from its edge at {limit.axis} = {model.number_with_unit(near, length)}"
    )
    message = f"{point} is {'inside' if inside else 'outside'} the envelope, {edge}"
    margin = far if inside else -far
    return case.verdict(requirement, message, value=station, limit=near, unit=length, margin=margin)


def _inside_point(corners: Sequence[Point], point: Point, slack: Point) -> Point | None:
    """Return a point in a polygon or on its edge, also if it is there within the slack of its coordinates."""
    heights = [point[1], *(y for _, y in corners if abs(y - point[1]) <= slack[1]), point[1] - slack[1]]
    for y in (*heights, point[1] + slack[1]):
        edges = [x for x in edge_abscissas(corners, y) if abs(x - point[0]) <= slack[0]]
        for x in (point[0], *edges):
            if is_inside_polygon(corners, x, y):
                return x, y
    return None


def _envelope_corners(case: LimitCheck, limit: model.Limit) -> list[Point]:
    """Return the corners of an envelope in the table's units."""
    return [
        (model.measure_in_table_unit(x, LENGTH, case.here.units), model.measure_in_table_unit(m, MASS, case.here.units))
        for x, m in limit.corners
    ]


def _range_verdict(case: LimitCheck) -> model.Verdict:
    """Check a mass, a coordinate of the centre of mass or a tensor entry against two ends."""
    limit, quantity = case.limit, model.limit_quantity(case.limit.subject)
    sign = f", products {case.here.poi}" if quantity in model.PRODUCTS else ""
    requirement = f"{model.limit_inequality(limit, quantity)} ({case.entry.basis}{sign})"
    what = f"{case.entry.basis} {model.limit_words(limit.subject)}"
    unit = limit.low.unit if isinf(limit.high.number) else limit.high.unit
    if sign and case.here.poi == "±":
        advice = 'state products = "+" or products = "-" in the entry'
        return case.undecided(requirement, what, "rows state products in both sign conventions", remedy=advice)
    value, least = case.here.value(case.i, quantity), case.here.least(case.i, quantity)
    if value is None and least is None:
        why, remedy = case.here.why(case.i, quantity), case.here.remedy(case.i, quantity)
        return case.undecided(requirement, what, why, unit=unit, remedy=remedy)
    per_unit = model.table_unit_factor(unit, model.limit_dimension(limit.subject), case.here.units)
    low, high = (end / per_unit for end in _limit_ends(case, limit))
    if value is None:
        assert least is not None
        return _lower_bound_verdict(case, requirement, what, least / per_unit, (high, unit))
    value /= per_unit
    is_high = high - value <= value - low
    end, margin = (high, high - value) if is_high else (low, value - low)
    if end == 0 or margin < _ROUNDING_MARGIN * abs(value):
        margin = _margin_without_rounding(margin, case.here.rounding(case.i, quantity) / per_unit)
        value = value if margin else end
    end_text, spare = model.number_with_unit(end, unit, value), model.number_with_unit(abs(margin), unit)
    side = "above" if is_high else "below"
    relation = f"within {end_text}, margin {spare}" if margin >= 0 else f"{side} {end_text} by {spare}"
    message = f"{what} {model.number_with_unit(value, unit, end)} is {relation}"
    sigma = None if (found := case.here.sigma(case.i, quantity)) is None else found / per_unit
    numbers = {"value": value, "limit": end, "unit": unit, "margin": margin, "sigma": sigma, "bounds": (low, high)}
    return case.verdict(requirement, message, **numbers)


def _lower_bound_verdict(
    case: LimitCheck, requirement: str, what: str, known: float, ceiling: tuple[float, str]
) -> model.Verdict:
    """Check the known part of a value whose other parts are unknown; ``ceiling`` is the high end with its unit."""
    (high, unit), quantity = ceiling, model.limit_quantity(case.limit.subject)
    why = case.here.why(case.i, quantity)
    if known <= high:
        remedy = case.here.remedy(case.i, quantity)
        return case.undecided(requirement, what, why, unit=unit, remedy=remedy, at_least=known)
    far = known - high
    excess = f"is above {model.number_with_unit(high, unit, known)} by {model.number_with_unit(far, unit)}"
    message = f"known part of {what} {model.number_with_unit(known, unit, high)} {excess}, and {why}"
    return case.verdict(requirement, message, value=known, limit=high, unit=unit, margin=-far)


def _margin_verdict(case: LimitCheck) -> model.Verdict:
    """Check the margin to ``mass-max`` against the required margin, in percent of its basis."""
    is_allocation, basis, least = case.entry.margin_basis == "allocation", margin_mass_basis(case.entry), case.least
    formula = f"(limit − {basis}) / {'limit' if is_allocation else basis}"
    requirement = f"margin ≥ {model.number_with_unit(least, '%')}, {formula}"
    ceiling, figures = _mass_ceiling(case.entry), case.figures(basis)
    computed = figures.value(case.i, "mass")
    if computed is None and (least_mass := figures.least(case.i, "mass")) is not None and least_mass > 0:
        greatest = model.measure_in_table_unit(_greatest_mass(case.entry, least), MASS, case.here.units)
        computed = least_mass if least_mass > greatest else None
    if computed is None:
        why, remedy = figures.why(case.i, "mass"), figures.remedy(case.i, "mass")
        return case.undecided(requirement, "margin", why, limit=least, unit="%", remedy=remedy)
    if computed <= 0 or ceiling.number <= 0:
        why = f"its {'limit' if computed > 0 else 'mass'} is not above 0"
        return case.undecided(requirement, "margin", why, limit=least, unit="%")
    per_unit = model.table_unit_factor(ceiling.unit, MASS, case.here.units)
    top, mass = ceiling.number, computed / per_unit
    whole = top if is_allocation else mass
    margin = 100 * (top - mass) / whole
    terms = figures.rounding(case.i, "mass") / per_unit + ROUNDING_OF_TERMS * top
    difference = f"{model.distinct_number_text(top, mass)} − {model.distinct_number_text(mass, top)}"
    numbers = f"({difference}) / {model.number_with_unit(whole, ceiling.unit, mass if is_allocation else top)}"
    words = f"margin {model.number_with_unit(margin, '%', least)} = {formula} = {numbers} is"
    return case.at_least(requirement, words, margin, _FULL_PERCENT * terms / whole)


def _coverage_verdict(case: LimitCheck) -> model.Verdict:
    """Check the share of the parts with a known mass against the required share."""
    share, least, here = case.here.share_known(case.i), case.least, case.here
    requirement = f"coverage ≥ {model.number_with_unit(least, '%')} ({case.entry.basis})"
    if here.is_open or share is None:
        why = here.why_of_the_tree() if here.is_open else "it contains no parts"
        remedy = here.remedy(case.i, "mass")
        return case.undecided(requirement, "coverage", why, limit=least, unit="%", remedy=remedy)
    value = 100 * share
    words = f"{case.entry.basis} mass of {model.number_with_unit(value, '%', least)} of its parts is known,"
    return case.at_least(requirement, words, value, ROUNDING_OF_TERMS * _FULL_PERCENT)


def _maturity_verdict(case: LimitCheck) -> model.Verdict:
    """Check the share of the mass with a method or a more mature one against the required share."""
    word, least, here = case.limit.word, case.least, case.here
    requirement = f"mass at least {word} ≥ {model.number_with_unit(least, '%')} ({case.entry.basis})"
    shares = here.shares_of_mass
    value = 100 * here.share_as_mature(case.i, word)
    if shares and here.is_open:
        why, remedy = here.why_of_the_tree(), here.remedy(case.i, "mass")
        return case.undecided(requirement, "maturity", why, limit=least, unit="%", remedy=remedy)
    if not shares or isnan(value):
        why = "it has no mass" if shares else f"the table has no column method, {here.method_words}"
        return case.undecided(requirement, "maturity", why, limit=least, unit="%")
    share = f"{model.number_with_unit(value, '%', least)} of its {case.entry.basis} mass"
    words = f"{share} is {word} or more mature,"
    return case.at_least(requirement, words, value, ROUNDING_OF_TERMS * _FULL_PERCENT)


_LIMIT_RULES = {
    "mass-max": "MP601", "mass-min": "MP602", **dict.fromkeys(model.CENTER_LIMITS, "MP604"),
    **dict.fromkeys(model.INERTIA_LIMITS, "MP606"), "margin-min": "MP603", model.ENVELOPE_LIMIT: "MP605",
    "coverage-min": "MP607", "probability-min": "MP608", "maturity-min": "MP609",
}  # fmt: skip
_LIMIT_CHECKS: dict[str, Callable[[LimitCheck], model.Verdict]] = {
    "margin-min": _margin_verdict,
    model.ENVELOPE_LIMIT: _envelope_verdict,
    "coverage-min": _coverage_verdict,
    "maturity-min": _maturity_verdict,
}
"""Check of every limit except ranges, and probabilities, which apply to the others."""


class _UnknownProbabilityError(Exception):
    """The reason why a probability is unknown, and the remedy or None."""


def _probability_verdict(case: LimitCheck, limit: model.Limit) -> model.Verdict:
    """Check the probability that one limit is kept against the required probability."""
    is_margin = limit.subject == "margin-min"
    basis = margin_mass_basis(case.entry) if is_margin else case.entry.basis
    words = f"P({model.limit_inequality(limit, 'margin' if is_margin else model.limit_quantity(limit.subject))})"
    if limit.corners:
        words = f"P({limit.axis} and mass in the envelope)"
    requirement = f"{words} ≥ {model.distinct_number_text(case.least)} ({basis})"
    try:
        chance = (_envelope_probability if limit.corners else _range_probability)(case, limit, case.figures(basis))
    except _UnknownProbabilityError as error:
        why, remedy = error.args
        return case.undecided(requirement, words, why, limit=case.least, remedy=remedy)
    words = f"{words} = {model.distinct_number_text(chance, case.least)} is"
    return case.at_least(requirement, words, chance, ROUNDING_OF_TERMS, "")


def _range_probability(case: LimitCheck, limit: model.Limit, figures: model.BasisFigures) -> float:
    """Return the probability that one value is in a range."""
    is_margin = limit.subject == "margin-min"
    quantity = "mass" if is_margin else model.limit_quantity(limit.subject)
    if quantity in model.PRODUCTS and figures.poi == "±":
        raise _UnknownProbabilityError("rows state products in both sign conventions", None)
    value, sigma = figures.mean(case.i, quantity), figures.sigma(case.i, quantity)
    if value is None or sigma is None:
        why = figures.why(case.i, quantity) if value is None else f"the sigma of its {quantity} is unknown"
        raise _UnknownProbabilityError(why, figures.remedy(case.i, quantity))
    if is_margin and (value <= 0 or _mass_ceiling(case.entry).number <= 0):
        raise _UnknownProbabilityError(f"its {'mass' if value <= 0 else 'limit'} is not above 0", None)
    low, high = _limit_ends(case, limit)
    if quantity == "mass":
        basic = figures.value(case.i, quantity) or 0.0
        if (found := figures.result.mass_chance(case.i, low - basic, high - basic)) is not None:
            return found[0]
    slack = figures.rounding(case.i, quantity)
    slack = slack if sigma <= slack else 0.0  # without a sigma a limit that is met exactly is kept with certainty
    return probability_between(value, sigma, low - slack, high + slack)


def _envelope_probability(case: LimitCheck, limit: model.Limit, figures: model.BasisFigures) -> float:
    """Return the probability that station and mass, with their correlation, are in an envelope."""
    from massprops_cli.rollups.regions import polygon_probability

    quantity = f"C{limit.axis}"
    station, mass = figures.mean(case.i, quantity), figures.mean(case.i, "mass")
    if station is None or mass is None:
        missing = "mass" if mass is None else quantity
        raise _UnknownProbabilityError(figures.why(case.i, missing), figures.remedy(case.i, missing))
    if (covariance := figures.center_with_mass(case.i, "xyz".index(limit.axis))) is None:
        raise _UnknownProbabilityError("the correlation of its mass and its centre of mass is unknown", None)
    corners = _envelope_corners(case, limit)
    if covariance.any():
        return polygon_probability(np.array([station, mass]), covariance, corners)
    slack = figures.rounding(case.i, quantity), figures.rounding(case.i, "mass")
    return float(_inside_point(corners, (station, mass), slack) is not None)


def _limit_ends(case: LimitCheck, limit: model.Limit) -> tuple[float, float]:
    """Return the ends of a limit in the table's units; those of a margin are ends of the mass."""
    if limit.subject == "margin-min":
        return -inf, model.measure_in_table_unit(_greatest_mass(case.entry, limit.low.number), MASS, case.here.units)
    dimension = model.limit_dimension(limit.subject)
    low, high = (model.measure_in_table_unit(end, dimension, case.here.units) for end in (limit.low, limit.high))
    return low, high


def products_sign(bom: Bom) -> str:
    """Return the sign convention of the products that rows state: + or -, ± for both, - without any."""
    inertia = bom.bodies.inertia
    states = np.ones(len(bom), bool) if inertia is None else (inertia[:, 3:] != 0).any(axis=1) & bom.tree.is_leaf()
    signs = set((bom.sign[states] if states.any() else bom.sign).tolist()) - {0}
    return {1: "+", -1: "-", 0: "±"}[sum(signs)] if signs else "-"


def limit_verdicts(case: LimitCheck) -> list[model.Verdict]:
    """Check one limit of one item; a probability applies to every other limit of the entry."""
    subject = case.limit.subject
    try:
        if subject in ("mass-max", "mass-min", "margin-min") and case.entry.pieces not in (0, 1):
            return [_limit_of_pieces(case)]
        if subject == "probability-min":
            limits = [limit for limit in case.entry.limits if limit.subject in model.PROBABILITY_LIMITS]
            return [_probability_verdict(case, limit) for limit in limits]  # docs/formulas.md, sections 10 and 11
        return [_LIMIT_CHECKS.get(subject, _range_verdict)(case)]
    except UsageError as error:
        raise ConfigError(f"{case.limit.place}: {subject}: {error}") from None


def _limit_of_pieces(case: LimitCheck) -> model.Verdict:
    """Check the limit of a row of several pieces: undecided if it is kept by one piece, and not by all of them."""
    subject, n = case.limit.subject, case.entry.pieces
    limits = tuple(_limit_of_one(one, n) for one in case.entry.limits)
    of_row = replace(case, entry=replace(case.entry, limits=limits), limit=limits[case.entry.limits.index(case.limit)])
    one, every = (_LIMIT_CHECKS.get(subject, _range_verdict)(each) for each in (case, of_row))
    if every.kept != one.kept:
        remedy = "state the limit of one piece"
        return case.undecided(
            one.requirement, "scope of the limit", f"it may be of one piece or of all {n:g}", remedy=remedy
        )
    if subject != "margin-min" and one.kept and one.margin is not None and every.margin is not None:
        return replace(one, margin=min(one.margin, n * every.margin))
    return one


def _limit_of_one(limit: model.Limit, n: float) -> model.Limit:
    """Divide a limit of mass by a number of pieces; a margin in percent is that of each of them."""
    low, high = (model.LimitMeasure(end.number / n, end.unit) for end in (limit.low, limit.high))
    return replace(limit, low=low, high=high) if limit.subject in ("mass-max", "mass-min") else limit
