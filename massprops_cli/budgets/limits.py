"""How each kind of limit is judged.

The margin of a mass to its limit, and on which mass it is reckoned.

One limit held against one item, before it is judged.

A polygon of station against mass: whether an item lies in it, and how far it is from the edge.

How probable it is that the limits of an entry are kept, by the normal approximation.

The mean is the value on the entry's basis; the sigma is that of the basic value, because growth is no uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan

import numpy as np

from massprops_cli.bom import (
    item_cell_place,
)
from massprops_cli.budgets.figures import BasisFigures
from massprops_cli.budgets.file import (
    CENTER_LIMITS,
    ENVELOPE_LIMIT,
    INERTIA_LIMITS,
    PROBABILITY_LIMITS,
    limit_dimension,
)
from massprops_cli.budgets.model import Basis, BudgetEntry, Limit, LimitMeasure, Verdict
from massprops_cli.budgets.units import (
    distinct_number_text,
    limit_inequality,
    limit_quantity,
    limit_words,
    measure_in_table_unit,
    number_with_unit,
    table_unit_factor,
)
from massprops_cli.findings import Place
from massprops_cli.rollups import (
    CLOSE,
    Point,
    edge_abscissas,
    is_inside_polygon,
    probability_between,
)
from massprops_cli.tables import LENGTH, MASS, Units

_MARGIN_FORMULAS = {
    "predicted": "(limit − predicted) / predicted",
    "basic": "(limit − basic) / basic",
    "allocation": "(limit − {basis}) / limit",
}
"""What each ``margin-basis`` means; under ``allocation`` the mass is that of the entry's own basis."""


def _margin_mass_basis(entry: BudgetEntry) -> Basis:
    """Give the mass that a margin is reckoned with."""
    return entry.basis if entry.margin_basis == "allocation" else entry.margin_basis


def _mass_ceiling(entry: BudgetEntry) -> LimitMeasure:
    """Give the mass that a margin is to: the entry's ``mass-max``."""
    return next(limit.high for limit in entry.limits if limit.subject == "mass-max")


def _greatest_mass(entry: BudgetEntry, percent: float) -> LimitMeasure:
    """Give the mass that leaves a margin of just so many percent.

    >>> from massprops_cli.budgets.model import Limit, Selector
    >>> limits = (Limit("mass-max", high=LimitMeasure(840.0, "kg")),)
    >>> _greatest_mass(BudgetEntry(Selector("SAT"), limits), 5.0), _greatest_mass(
    ...     BudgetEntry(Selector("SAT"), limits, margin_basis="allocation"), 5.0
    ... )
    (LimitMeasure(number=800.0, unit='kg'), LimitMeasure(number=798.0, unit='kg'))
    """
    top, share = _mass_ceiling(entry), percent / 100
    number = top.number * (1 - share) if entry.margin_basis == "allocation" else top.number / (1 + share)
    return LimitMeasure(number, top.unit)


_ROUNDING_MARGIN = 1e-6
"""A margin below this share of a value may be a matter of rounding, which is then computed."""


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """A ``limit`` of an ``entry``, and item ``i`` of what ``figures`` gives for a basis."""

    entry: BudgetEntry
    limit: Limit
    i: int
    figures: Callable[[Basis], BasisFigures]

    @property
    def here(self) -> BasisFigures:
        """The numbers on the entry's own basis."""
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
        asked: str,
        message: str,
        *,
        value: float | None = None,
        limit: float | None = None,
        unit: str = "",
        margin: float | None = None,
        remedy: str | None = None,
        at_least: float | None = None,
    ) -> Verdict:
        """Make the verdict: the limit is kept where the margin is known and not negative."""
        bom = self.here.result.bom
        return Verdict(
            rule,
            self.item,
            "" if bom.names is None else bom.names[self.i],
            self.limit.subject,
            asked,
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
        asked: str,
        what: str,
        figures: BasisFigures,
        quantity: str,
        *,
        limit: float | None = None,
        unit: str = "",
        at_least: float | None = None,
    ) -> Verdict:
        """Make the verdict on a limit of a number that ``figures`` do not know."""
        message = f"undecided: {what} is not known: {figures.why(self.i, quantity)}"
        remedy = figures.remedy(self.i, quantity)
        return self.verdict(rule, asked, message, limit=limit, unit=unit, remedy=remedy, at_least=at_least)

    def open(self, rule: str, asked: str, what: str, limit: float) -> Verdict:
        """Make the verdict on a share of an item that may lack parts, because the tree has errors."""
        message = f"undecided: {what} is not known: {self.here.why_of_the_tree()}"
        remedy = self.here.remedy(self.i, "mass")
        return self.verdict(rule, asked, message, limit=limit, unit="%", remedy=remedy)

    def item_place(self) -> Place:
        """Give the cell of the item that the limit is about, or its row where there is no such column."""
        bom = self.here.result.bom
        columns = bom.columns.by_quantity
        column = columns.get(limit_quantity(self.limit.subject)) or columns.get("mass")
        index, header = (None, "") if column is None else (column.index, column.header)
        return item_cell_place(bom.table, int(bom.rows[self.i]), index, header)


def _margin_without_rounding(margin: float, rounding: float) -> float:
    """Give a margin, 0 where rounding explains it: a limit that is met exactly is kept.

    >>> _margin_without_rounding(-1e-13, 850e-12), _margin_without_rounding(-0.001, 850e-12)
    (0.0, -0.001)
    """
    return 0.0 if abs(margin) <= rounding else margin


def _envelope_verdict(case: LimitCheck) -> Verdict:
    """Tell whether station and mass lie in the polygon, and how far the nearest edge is along the station.

    Above and below the polygon the distance is told in mass.
    """
    limit, basis = case.limit, case.entry.basis
    asked = f"{limit.axis} and mass in an envelope of {len(limit.corners)} corners ({basis})"
    values = {name: case.here.value(case.i, name) for name in (f"C{limit.axis}", "mass")}
    station, mass = values.values()
    if station is None or mass is None:
        lacking = next(name for name, value in values.items() if value is None)
        return case.undecided("MP605", asked, f"{basis} {limit_words(lacking)}", case.here, lacking)
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
        return case.verdict("MP605", asked, message, value=mass, limit=end, unit=heavy.unit, margin=-far)
    far = _margin_without_rounding(abs(near - station), slack[0])
    edge = f"{number_with_unit(far, first.unit)} from its edge at {limit.axis} = {number_with_unit(near, first.unit)}"
    message = f"{point} is {'inside' if inside else 'outside'} the envelope, {edge}"
    margin = far if inside else -far
    return case.verdict("MP605", asked, message, value=station, limit=near, unit=first.unit, margin=margin)


def _inside_point(corners: Sequence[Point], point: Point, slack: Point) -> Point | None:
    """Give a point that lies in a polygon or on its edge, or comes to after a change of its numbers by their slack.

    >>> square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    >>> _inside_point(square, (2.0, 4.25), (0.0, 0.25)), _inside_point(square, (2.0, 4.5), (0.0, 0.25))
    ((2.0, 4.0), None)
    """
    heights = [point[1], *(y for _, y in corners if abs(y - point[1]) <= slack[1]), point[1] - slack[1]]
    for y in (*heights, point[1] + slack[1]):
        edges = [x for x in edge_abscissas(corners, y) if abs(x - point[0]) <= slack[0]]
        for x in (point[0], *edges):
            if is_inside_polygon(corners, x, y):
                return x, y
    return None


def _envelope_corners(case: LimitCheck, limit: Limit) -> list[Point]:
    """Give the corners of an envelope in the table's units."""
    return [
        (measure_in_table_unit(x, LENGTH, case.units), measure_in_table_unit(m, MASS, case.units))
        for x, m in limit.corners
    ]


_FULL_PERCENT = 100.0
"""The whole in percent, which a margin is a small difference to."""


def _range_verdict(case: LimitCheck) -> Verdict:
    """Hold a mass, a coordinate of the centre or an entry of the tensor between two ends."""
    limit, dimension = case.limit, limit_dimension(case.limit.subject)
    quantity, rule = limit_quantity(limit.subject), _LIMIT_RULES[limit.subject]
    asked = f"{limit_inequality(limit, quantity)} ({case.entry.basis})"
    what = f"{case.entry.basis} {limit_words(limit.subject)}"
    unit = limit.low.unit if isinf(limit.high.number) else limit.high.unit
    computed, least = case.here.value(case.i, quantity), case.here.least(case.i, quantity)
    if computed is None and least is None:
        return case.undecided(rule, asked, what, case.here, quantity, unit=unit)
    per_unit = table_unit_factor(unit, dimension, case.units)
    if computed is None and least is not None:
        ceiling = measure_in_table_unit(limit.high, dimension, case.units) / per_unit
        if least / per_unit > ceiling:
            known_part, far = least / per_unit, least / per_unit - ceiling
            told = f"{number_with_unit(known_part, unit, ceiling)} is above {number_with_unit(ceiling, unit)}"
            message = f"{what} of what is known {told} by {number_with_unit(far, unit)}, and {case.here.why(case.i, quantity)}"
            return case.verdict(rule, asked, message, value=known_part, limit=ceiling, unit=unit, margin=-far)
        return case.undecided(rule, asked, what, case.here, quantity, unit=unit, at_least=least / per_unit)
    assert computed is not None
    value = computed / per_unit
    low, high = (measure_in_table_unit(end, dimension, case.units) / per_unit for end in (limit.low, limit.high))
    is_high = high - value <= value - low
    end, margin = (high, high - value) if is_high else (low, value - low)
    if end == 0 or margin < _ROUNDING_MARGIN * abs(value):
        margin = _margin_without_rounding(margin, case.here.rounding(case.i, quantity) / per_unit)
        value = value if margin else end
    told, spare = number_with_unit(value, unit, end), number_with_unit(abs(margin), unit)
    if margin >= 0:
        message = f"{what} {told} keeps {number_with_unit(end, unit)}, {spare} to spare"
    else:
        message = f"{what} {told} is {'above' if is_high else 'below'} {number_with_unit(end, unit)} by {spare}"
    return case.verdict(rule, asked, message, value=value, limit=end, unit=unit, margin=margin)


def _margin_verdict(case: LimitCheck) -> Verdict:
    """Hold the margin to ``mass-max`` against the least that is asked, in percent of the margin's basis."""
    basis, mass_basis, least = case.entry.margin_basis, _margin_mass_basis(case.entry), case.limit.low.number
    formula = _MARGIN_FORMULAS[basis].format(basis=mass_basis)
    asked = f"margin ≥ {number_with_unit(least, '%')}, {formula}"
    ceiling, figures = _mass_ceiling(case.entry), case.figures(mass_basis)
    computed = figures.value(case.i, "mass")
    if computed is None and (least_mass := figures.least(case.i, "mass")) is not None and least_mass > 0:
        greatest = measure_in_table_unit(_greatest_mass(case.entry, least), MASS, case.units)
        computed = least_mass if least_mass > greatest else None
    if computed is None or computed <= 0 or ceiling.number <= 0:
        if computed is None:
            return case.undecided("MP603", asked, "margin", figures, "mass", limit=least, unit="%")
        why = f"its {'limit' if computed > 0 else 'mass'} is not above 0"
        return case.verdict("MP603", asked, f"undecided: margin is not known: {why}", unit="%", limit=least)
    top, mass = ceiling.number, computed / table_unit_factor(ceiling.unit, MASS, case.units)
    whole = top if basis == "allocation" else mass
    margin = 100 * (top - mass) / whole
    terms = figures.rounding(case.i, "mass") / table_unit_factor(ceiling.unit, MASS, case.units) + CLOSE * top
    spare = _margin_without_rounding(margin - least, _FULL_PERCENT * terms / whole)
    side = "is at least" if spare >= 0 else "is less than"
    numbers = (
        f"({distinct_number_text(top)} − {distinct_number_text(mass, top)}) / {number_with_unit(whole, ceiling.unit)}"
    )
    message = (
        f"margin {number_with_unit(margin, '%', least)} = {formula} = {numbers} {side} {number_with_unit(least, '%')}"
    )
    return case.verdict("MP603", asked, message, value=margin, limit=least, unit="%", margin=spare)


def _coverage_verdict(case: LimitCheck) -> Verdict:
    """Hold the share of the parts whose mass is known against the least that is asked."""
    share, least = case.here.share_known(case.i), case.limit.low.number
    asked = f"coverage ≥ {number_with_unit(least, '%')} ({case.entry.basis})"
    if case.here.is_open:
        return case.open("MP607", asked, "coverage", least)
    if share is None:
        unknown = "undecided: coverage is not known: no part of it counts"
        return case.verdict("MP607", asked, unknown, unit="%", limit=least)
    value = 100 * share
    spare = _margin_without_rounding(value - least, CLOSE * _FULL_PERCENT)
    side = "of at least" if spare >= 0 else "of less than"
    told = f"{number_with_unit(value, '%', least)} of its parts is known, {side} {number_with_unit(least, '%')}"
    message = f"the {case.entry.basis} mass of {told}"
    return case.verdict("MP607", asked, message, value=value, limit=least, unit="%", margin=spare)


def _maturity_verdict(case: LimitCheck) -> Verdict:
    """Hold the share of the mass that is at least as sure as a word under ``method`` against the least asked."""
    from massprops_cli.bom import METHOD_WORDS

    word, least = case.limit.word, case.limit.low.number
    asked = f"mass at least {word} ≥ {number_with_unit(least, '%')} ({case.entry.basis})"
    shares = case.here.shares_of_mass
    sure = [shares[name][case.i] for name in METHOD_WORDS[METHOD_WORDS.index(word) :] if name in shares]
    value = 100 * float(sum(sure))
    if shares and case.here.is_open:
        return case.open("MP609", asked, "maturity", least)
    if not shares or isnan(value):
        why = "it has no mass" if shares else f"the table has no column method, {', '.join(METHOD_WORDS)}"
        return case.verdict("MP609", asked, f"undecided: maturity is not known: {why}", unit="%", limit=least)
    spare = _margin_without_rounding(value - least, CLOSE * _FULL_PERCENT)
    side = "at least" if spare >= 0 else "less than"
    share = f"{number_with_unit(value, '%', least)} of its {case.entry.basis} mass"
    message = f"{share} is {word} or surer, {side} {number_with_unit(least, '%')}"
    return case.verdict("MP609", asked, message, value=value, limit=least, unit="%", margin=spare)


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
"""How every limit is judged, but for probabilities, which are about the others."""


def probability_verdicts(case: LimitCheck) -> list[Verdict]:
    """Hold the probability of each other limit of the entry against the least that is asked."""
    limits = [limit for limit in case.entry.limits if limit.subject in PROBABILITY_LIMITS]
    return [
        _envelope_probability_verdict(case, limit) if limit.corners else _single_limit_verdict(case, limit)
        for limit in limits
    ]


def _single_limit_verdict(case: LimitCheck, limit: Limit) -> Verdict:
    """Hold the probability of one limit of one number."""
    is_margin = limit.subject == "margin-min"
    basis = _margin_mass_basis(case.entry) if is_margin else case.entry.basis
    quantity = "mass" if is_margin else limit_quantity(limit.subject)
    words = f"P({limit_inequality(limit, 'margin' if is_margin else quantity)})"
    figures = case.figures(basis)
    value, sigma = figures.value(case.i, quantity), figures.sigma(case.i, quantity)
    if value is None or sigma is None:
        why = figures.why(case.i, quantity) if value is None else f"no sigma of its {quantity} is known"
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
    """Hold the probability that station and mass, which err together, lie in an envelope."""

    from massprops_cli.rollups import polygon_probability

    words, figures, axis = f"P({limit.axis} and mass in the envelope)", case.here, "xyz".index(limit.axis)
    station, mass = figures.value(case.i, f"C{limit.axis}"), figures.value(case.i, "mass")
    if station is None or mass is None:
        lacking = "mass" if mass is None else f"C{limit.axis}"
        return _required_probability_verdict(
            case, words, case.entry.basis, figures.why(case.i, lacking), figures.remedy(case.i, lacking)
        )
    covariance = figures.center_with_mass(case.i, axis)
    if covariance is None:
        return _required_probability_verdict(
            case, words, case.entry.basis, "how its mass and its centre err together is not known"
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
    """Hold a probability against the least that is asked; a text says why it is not known, ``remedy`` what to do."""
    least = case.limit.low.number
    asked = f"{words} ≥ {distinct_number_text(least)} ({basis})"
    if isinstance(chance, str):
        unknown = f"undecided: {words} is not known: {chance}"
        return case.verdict("MP608", asked, unknown, limit=least, remedy=remedy)
    spare = _margin_without_rounding(chance - least, CLOSE)
    side = "is at least" if spare >= 0 else "is less than"
    message = f"{words} = {distinct_number_text(chance, least)} {side} {distinct_number_text(least)}"
    return case.verdict("MP608", asked, message, value=chance, limit=least, margin=spare)


def _limit_ends(case: LimitCheck, limit: Limit) -> tuple[float, float]:
    """Give between which values a limit wants its quantity, in the table's units; a margin is a greatest mass."""
    if limit.subject == "margin-min":
        return -inf, measure_in_table_unit(_greatest_mass(case.entry, limit.low.number), MASS, case.units)
    dimension = limit_dimension(limit.subject)
    return measure_in_table_unit(limit.low, dimension, case.units), measure_in_table_unit(
        limit.high, dimension, case.units
    )
