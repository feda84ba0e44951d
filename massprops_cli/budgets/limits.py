"""Check of each kind of limit: ranges, margins, envelopes of station and mass, coverage, maturity, probabilities.

A probability is that of the normal approximation: its mean is the value on the entry's basis, its sigma that of the
basic value, because growth is not an uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan

import numpy as np

from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.budgets.figures import BasisFigures
from massprops_cli.budgets.file import (
    CENTER_LIMITS,
    ENVELOPE_LIMIT,
    INERTIA_LIMITS,
    PROBABILITY_LIMITS,
    limit_dimension,
)
from massprops_cli.budgets.model import (
    Basis,
    BudgetEntry,
    Limit,
    LimitMeasure,
    Verdict,
    distinct_number_text,
    limit_inequality,
    limit_quantity,
    limit_words,
    measure_in_table_unit,
    number_with_unit,
    table_unit_factor,
)
from massprops_cli.findings.finding import Place
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS
from massprops_cli.rollups.regions import Point, edge_abscissas, is_inside_polygon, probability_between
from massprops_cli.tables.cells.unit_text import LENGTH, MASS
from massprops_cli.tables.cells.units import Units

_MARGIN_FORMULAS = {
    "predicted": "(limit − predicted) / predicted",
    "basic": "(limit − basic) / basic",
    "allocation": "(limit − {basis}) / limit",
}
"""Formula of each ``margin-basis``; for ``allocation`` the mass is on the basis of the entry."""


def _margin_mass_basis(entry: BudgetEntry) -> Basis:
    """Return the basis of the mass in a margin."""
    return entry.basis if entry.margin_basis == "allocation" else entry.margin_basis


def _mass_ceiling(entry: BudgetEntry) -> LimitMeasure:
    """Return the limit of a margin: the entry's ``mass-max``."""
    return next(limit.high for limit in entry.limits if limit.subject == "mass-max")


def _greatest_mass(entry: BudgetEntry, percent: float) -> LimitMeasure:
    """Return the mass with exactly a margin in percent."""
    top, share = _mass_ceiling(entry), percent / 100
    number = top.number * (1 - share) if entry.margin_basis == "allocation" else top.number / (1 + share)
    return LimitMeasure(number, top.unit)


_ROUNDING_MARGIN = 1e-6
"""Margins below this share of a value are compared with the rounding error."""


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """A ``limit`` of an ``entry`` for item ``i``; ``figures`` returns the values on a basis."""

    entry: BudgetEntry
    limit: Limit
    i: int
    figures: Callable[[Basis], BasisFigures]

    @property
    def here(self) -> BasisFigures:
        """The values on the basis of the entry."""
        return self.figures(self.entry.basis)

    @property
    def units(self) -> Units:
        """The table's units."""
        return self.here.result.bom.units

    @property
    def item(self) -> str:
        """The item's id."""
        return self.here.result.bom.ids[self.i]

    def verdict(
        self,
        rule: str,
        requirement: str,
        message: str,
        *,
        value: float | None = None,
        limit: float | None = None,
        unit: str = "",
        margin: float | None = None,
        remedy: str | None = None,
        at_least: float | None = None,
    ) -> Verdict:
        """Make the verdict: the limit is kept if the margin is known and not negative."""
        bom = self.here.result.bom
        return Verdict(
            rule,
            self.item,
            "" if bom.names is None else bom.names[self.i],
            self.limit.subject,
            requirement,
            value,
            limit,
            unit,
            margin,
            margin is not None and margin >= 0,
            f"{self.item}: {message}",
            self.entry.severity,
            None,
            self.limit.place,
            self.item_place(),
            remedy,
            at_least,
        )

    def undecided(
        self,
        rule: str,
        requirement: str,
        what: str,
        figures: BasisFigures,
        quantity: str,
        *,
        limit: float | None = None,
        unit: str = "",
        at_least: float | None = None,
    ) -> Verdict:
        """Make the verdict for a value that is unknown."""
        message = f"undecided: {what} is unknown: {figures.why(self.i, quantity)}"
        remedy = figures.remedy(self.i, quantity)
        return self.verdict(rule, requirement, message, limit=limit, unit=unit, remedy=remedy, at_least=at_least)

    def open(self, rule: str, requirement: str, what: str, limit: float) -> Verdict:
        """Make the verdict for a share of an item that may lack parts, because the tree has errors."""
        message = f"undecided: {what} is unknown: {self.here.why_of_the_tree()}"
        remedy = self.here.remedy(self.i, "mass")
        return self.verdict(rule, requirement, message, limit=limit, unit="%", remedy=remedy)

    def item_place(self) -> Place:
        """Return the cell of the item in the column of the limit, or its row."""
        bom = self.here.result.bom
        columns = bom.columns.by_quantity
        column = columns.get(limit_quantity(self.limit.subject)) or columns.get("mass")
        index, header = (None, "") if column is None else (column.index, column.header)
        return item_cell_place(bom.table, int(bom.rows[self.i]), index, header)


def _margin_without_rounding(margin: float, rounding: float) -> float:
    """Return a margin, or 0 within the rounding error: a limit that is met exactly is kept."""
    return 0.0 if abs(margin) <= rounding else margin


def _envelope_verdict(case: LimitCheck) -> Verdict:
    """Check station and mass against the polygon; the margin is along the station, above and below it in mass."""
    limit, basis = case.limit, case.entry.basis
    requirement = f"{limit.axis} and mass in an envelope of {len(limit.corners)} corners ({basis})"
    values = {name: case.here.value(case.i, name) for name in (f"C{limit.axis}", "mass")}
    station, mass = values.values()
    if station is None or mass is None:
        missing = next(name for name, value in values.items() if value is None)
        return case.undecided("MP605", requirement, f"{basis} {limit_words(missing)}", case.here, missing)
    first, heavy = limit.corners[0]
    per_length, per_mass = (
        table_unit_factor(first.unit, LENGTH, case.units),
        table_unit_factor(heavy.unit, MASS, case.units),
    )
    corners = [(x / per_length, m / per_mass) for x, m in _envelope_corners(case, limit)]
    slack = (case.here.rounding(case.i, f"C{limit.axis}") / per_length, case.here.rounding(case.i, "mass") / per_mass)
    at = (station / per_length, mass / per_mass)
    inside = _inside_point(corners, at, slack)
    station, mass = inside or at
    point = (
        f"{basis} mass {number_with_unit(mass, heavy.unit)} at {limit.axis} = {number_with_unit(station, first.unit)}"
    )
    near = min(edge_abscissas(corners, mass), key=lambda edge: abs(edge - station), default=None)
    if near is None:
        masses = [each for _, each in corners]
        end = max(masses) if mass > max(masses) else min(masses)
        far = abs(mass - end)
        message = f"{point} is {number_with_unit(far, heavy.unit)} outside the masses of the envelope"
        return case.verdict("MP605", requirement, message, value=mass, limit=end, unit=heavy.unit, margin=-far)
    far = _margin_without_rounding(abs(near - station), slack[0])
    edge = f"{number_with_unit(far, first.unit)} from its edge at {limit.axis} = {number_with_unit(near, first.unit)}"
    message = f"{point} is {'inside' if inside else 'outside'} the envelope, {edge}"
    margin = far if inside else -far
    return case.verdict("MP605", requirement, message, value=station, limit=near, unit=first.unit, margin=margin)


def _inside_point(corners: Sequence[Point], point: Point, slack: Point) -> Point | None:
    """Return a point in a polygon or on its edge, also if it is there within the slack of its coordinates."""
    heights = [point[1], *(y for _, y in corners if abs(y - point[1]) <= slack[1]), point[1] - slack[1]]
    for y in (*heights, point[1] + slack[1]):
        edges = [x for x in edge_abscissas(corners, y) if abs(x - point[0]) <= slack[0]]
        for x in (point[0], *edges):
            if is_inside_polygon(corners, x, y):
                return x, y
    return None


def _envelope_corners(case: LimitCheck, limit: Limit) -> list[Point]:
    """Return the corners of an envelope in the table's units."""
    return [
        (measure_in_table_unit(x, LENGTH, case.units), measure_in_table_unit(m, MASS, case.units))
        for x, m in limit.corners
    ]


_FULL_PERCENT = 100.0
"""The total in percent."""


def _range_verdict(case: LimitCheck) -> Verdict:
    """Check a mass, a coordinate of the centre of mass or a tensor entry against two ends."""
    limit, dimension = case.limit, limit_dimension(case.limit.subject)
    quantity, rule = limit_quantity(limit.subject), _LIMIT_RULES[limit.subject]
    requirement = f"{limit_inequality(limit, quantity)} ({case.entry.basis})"
    what = f"{case.entry.basis} {limit_words(limit.subject)}"
    unit = limit.low.unit if isinf(limit.high.number) else limit.high.unit
    computed, least = case.here.value(case.i, quantity), case.here.least(case.i, quantity)
    if computed is None and least is None:
        return case.undecided(rule, requirement, what, case.here, quantity, unit=unit)
    per_unit = table_unit_factor(unit, dimension, case.units)
    if computed is None and least is not None:
        ceiling = measure_in_table_unit(limit.high, dimension, case.units) / per_unit
        if least / per_unit > ceiling:
            known_part, far = least / per_unit, least / per_unit - ceiling
            excess = f"is above {number_with_unit(ceiling, unit)} by {number_with_unit(far, unit)}"
            known = f"known part of {what} {number_with_unit(known_part, unit, ceiling)}"
            message = f"{known} {excess}, and {case.here.why(case.i, quantity)}"
            return case.verdict(rule, requirement, message, value=known_part, limit=ceiling, unit=unit, margin=-far)
        return case.undecided(rule, requirement, what, case.here, quantity, unit=unit, at_least=least / per_unit)
    assert computed is not None
    value = computed / per_unit
    low, high = (measure_in_table_unit(end, dimension, case.units) / per_unit for end in (limit.low, limit.high))
    is_high = high - value <= value - low
    end, margin = (high, high - value) if is_high else (low, value - low)
    if end == 0 or margin < _ROUNDING_MARGIN * abs(value):
        margin = _margin_without_rounding(margin, case.here.rounding(case.i, quantity) / per_unit)
        value = value if margin else end
    value_text, spare = number_with_unit(value, unit, end), number_with_unit(abs(margin), unit)
    if margin >= 0:
        message = f"{what} {value_text} is within {number_with_unit(end, unit)}, margin {spare}"
    else:
        message = f"{what} {value_text} is {'above' if is_high else 'below'} {number_with_unit(end, unit)} by {spare}"
    return case.verdict(rule, requirement, message, value=value, limit=end, unit=unit, margin=margin)


def _margin_verdict(case: LimitCheck) -> Verdict:
    """Check the margin to ``mass-max`` against the required margin, in percent of its basis."""
    basis, mass_basis, least = case.entry.margin_basis, _margin_mass_basis(case.entry), case.limit.low.number
    formula = _MARGIN_FORMULAS[basis].format(basis=mass_basis)
    requirement = f"margin ≥ {number_with_unit(least, '%')}, {formula}"
    ceiling, figures = _mass_ceiling(case.entry), case.figures(mass_basis)
    computed = figures.value(case.i, "mass")
    if computed is None and (least_mass := figures.least(case.i, "mass")) is not None and least_mass > 0:
        greatest = measure_in_table_unit(_greatest_mass(case.entry, least), MASS, case.units)
        computed = least_mass if least_mass > greatest else None
    if computed is None or computed <= 0 or ceiling.number <= 0:
        if computed is None:
            return case.undecided("MP603", requirement, "margin", figures, "mass", limit=least, unit="%")
        why = f"its {'limit' if computed > 0 else 'mass'} is not above 0"
        return case.verdict("MP603", requirement, f"undecided: margin is unknown: {why}", unit="%", limit=least)
    top, mass = ceiling.number, computed / table_unit_factor(ceiling.unit, MASS, case.units)
    whole = top if basis == "allocation" else mass
    margin = 100 * (top - mass) / whole
    terms = (
        figures.rounding(case.i, "mass") / table_unit_factor(ceiling.unit, MASS, case.units) + ROUNDING_OF_TERMS * top
    )
    spare = _margin_without_rounding(margin - least, _FULL_PERCENT * terms / whole)
    side = "is at least" if spare >= 0 else "is less than"
    numbers = (
        f"({distinct_number_text(top)} − {distinct_number_text(mass, top)}) / {number_with_unit(whole, ceiling.unit)}"
    )
    message = (
        f"margin {number_with_unit(margin, '%', least)} = {formula} = {numbers} {side} {number_with_unit(least, '%')}"
    )
    return case.verdict("MP603", requirement, message, value=margin, limit=least, unit="%", margin=spare)


def _coverage_verdict(case: LimitCheck) -> Verdict:
    """Check the share of the parts with a known mass against the required share."""
    share, least = case.here.share_known(case.i), case.limit.low.number
    requirement = f"coverage ≥ {number_with_unit(least, '%')} ({case.entry.basis})"
    if case.here.is_open:
        return case.open("MP607", requirement, "coverage", least)
    if share is None:
        unknown = "undecided: coverage is unknown: it contains no parts"
        return case.verdict("MP607", requirement, unknown, unit="%", limit=least)
    value = 100 * share
    spare = _margin_without_rounding(value - least, ROUNDING_OF_TERMS * _FULL_PERCENT)
    side = "at least" if spare >= 0 else "less than"
    share_text = f"{number_with_unit(value, '%', least)} of its parts is known"
    message = f"{case.entry.basis} mass of {share_text}, {side} {number_with_unit(least, '%')}"
    return case.verdict("MP607", requirement, message, value=value, limit=least, unit="%", margin=spare)


def _maturity_verdict(case: LimitCheck) -> Verdict:
    """Check the share of the mass with a method or a more mature one against the required share."""
    from massprops_cli.bom.results.uncertainty import METHOD_WORDS

    word, least = case.limit.word, case.limit.low.number
    requirement = f"mass at least {word} ≥ {number_with_unit(least, '%')} ({case.entry.basis})"
    shares = case.here.shares_of_mass
    mature = [shares[name][case.i] for name in METHOD_WORDS[METHOD_WORDS.index(word) :] if name in shares]
    value = 100 * float(sum(mature))
    if shares and case.here.is_open:
        return case.open("MP609", requirement, "maturity", least)
    if not shares or isnan(value):
        why = "it has no mass" if shares else f"the table has no column method, {', '.join(METHOD_WORDS)}"
        return case.verdict("MP609", requirement, f"undecided: maturity is unknown: {why}", unit="%", limit=least)
    spare = _margin_without_rounding(value - least, ROUNDING_OF_TERMS * _FULL_PERCENT)
    side = "at least" if spare >= 0 else "less than"
    share = f"{number_with_unit(value, '%', least)} of its {case.entry.basis} mass"
    message = f"{share} is {word} or more mature, {side} {number_with_unit(least, '%')}"
    return case.verdict("MP609", requirement, message, value=value, limit=least, unit="%", margin=spare)


_LIMIT_RULES = {
    "mass-max": "MP601",
    "mass-min": "MP602",
    **dict.fromkeys(CENTER_LIMITS, "MP604"),
    **dict.fromkeys(INERTIA_LIMITS, "MP606"),
}
LIMIT_CHECKS: dict[str, Callable[[LimitCheck], Verdict]] = {
    **dict.fromkeys(_LIMIT_RULES, _range_verdict),
    "margin-min": _margin_verdict,
    ENVELOPE_LIMIT: _envelope_verdict,
    "coverage-min": _coverage_verdict,
    "maturity-min": _maturity_verdict,
}
"""Check of every limit except probabilities, which apply to the others."""


def probability_verdicts(case: LimitCheck) -> list[Verdict]:
    """Check each probability limit of the entry: docs/formulas.md, sections 10 and 11."""
    limits = [limit for limit in case.entry.limits if limit.subject in PROBABILITY_LIMITS]
    return [
        _envelope_probability_verdict(case, limit) if limit.corners else _single_limit_verdict(case, limit)
        for limit in limits
    ]


def _single_limit_verdict(case: LimitCheck, limit: Limit) -> Verdict:
    """Check the probability of one limit of one value."""
    is_margin = limit.subject == "margin-min"
    basis = _margin_mass_basis(case.entry) if is_margin else case.entry.basis
    quantity = "mass" if is_margin else limit_quantity(limit.subject)
    words = f"P({limit_inequality(limit, 'margin' if is_margin else quantity)})"
    figures = case.figures(basis)
    value, sigma = figures.value(case.i, quantity), figures.sigma(case.i, quantity)
    if value is None or sigma is None:
        why = figures.why(case.i, quantity) if value is None else f"the sigma of its {quantity} is unknown"
        return _required_probability_verdict(case, words, basis, why, figures.remedy(case.i, quantity))
    if is_margin and (value <= 0 or _mass_ceiling(case.entry).number <= 0):
        return _required_probability_verdict(
            case, words, basis, f"its {'mass' if value <= 0 else 'limit'} is not above 0"
        )
    low, high = _limit_ends(case, limit)
    slack = figures.rounding(case.i, quantity)
    slack = slack if sigma <= slack else 0.0  # without a sigma a limit that is met exactly is kept with certainty
    return _required_probability_verdict(
        case, words, basis, probability_between(value, sigma, low - slack, high + slack)
    )


def _envelope_probability_verdict(case: LimitCheck, limit: Limit) -> Verdict:
    """Check the probability that station and mass, with their correlation, are in an envelope."""
    from massprops_cli.rollups.regions import polygon_probability

    words, figures, axis = f"P({limit.axis} and mass in the envelope)", case.here, "xyz".index(limit.axis)
    station, mass = figures.value(case.i, f"C{limit.axis}"), figures.value(case.i, "mass")
    if station is None or mass is None:
        missing = "mass" if mass is None else f"C{limit.axis}"
        return _required_probability_verdict(
            case, words, case.entry.basis, figures.why(case.i, missing), figures.remedy(case.i, missing)
        )
    covariance = figures.center_with_mass(case.i, axis)
    if covariance is None:
        return _required_probability_verdict(
            case, words, case.entry.basis, "the correlation of its mass and its centre of mass is unknown"
        )
    corners = _envelope_corners(case, limit)
    if covariance.any():
        chance = polygon_probability(np.array([station, mass]), covariance, corners)
    else:
        slack = figures.rounding(case.i, f"C{limit.axis}"), figures.rounding(case.i, "mass")
        chance = float(_inside_point(corners, (station, mass), slack) is not None)
    return _required_probability_verdict(case, words, case.entry.basis, chance)


def _required_probability_verdict(
    case: LimitCheck, words: str, basis: Basis, chance: float | str, remedy: str | None = None
) -> Verdict:
    """Check a probability against the required one; a text in its place is the reason why it is unknown."""
    least = case.limit.low.number
    requirement = f"{words} ≥ {distinct_number_text(least)} ({basis})"
    if isinstance(chance, str):
        unknown = f"undecided: {words} is unknown: {chance}"
        return case.verdict("MP608", requirement, unknown, limit=least, remedy=remedy)
    spare = _margin_without_rounding(chance - least, ROUNDING_OF_TERMS)
    side = "is at least" if spare >= 0 else "is less than"
    message = f"{words} = {distinct_number_text(chance, least)} {side} {distinct_number_text(least)}"
    return case.verdict("MP608", requirement, message, value=chance, limit=least, margin=spare)


def _limit_ends(case: LimitCheck, limit: Limit) -> tuple[float, float]:
    """Return the ends of a limit in the table's units; those of a margin are ends of the mass."""
    if limit.subject == "margin-min":
        return -inf, measure_in_table_unit(_greatest_mass(case.entry, limit.low.number), MASS, case.units)
    dimension = limit_dimension(limit.subject)
    return measure_in_table_unit(limit.low, dimension, case.units), measure_in_table_unit(
        limit.high, dimension, case.units
    )
