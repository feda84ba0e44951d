"""Outlook of a curve: planned margins, pending changes, and a forecast with its prediction interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import atan, cos, floor, isfinite, nan, pi, sin, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.results.result import Result
from massprops_cli.budgets import plan as plans
from massprops_cli.findings.finding import ConfigError, Findings, Place, UsageError
from massprops_cli.tables.cells.units import KILOGRAM, MASS, unit_of_dimension
from massprops_cli.trends.points import TrendCurve, TrendPoint, place_of_date

ForecastModel = Literal["line", "growth"]
_FEWEST_POINTS = 3
_CONFIDENCE = 0.95
_STEPS = 2_000  # of the search for a crossing
_HORIZON = 5.0  # spans of the data beyond the last point, up to which a crossing is searched
_Floats = NDArray[np.float64]
_MilestoneState = Literal["kept", "missed", "due", "unknown"]
_SAME = 1e-9  # share of a mass within which it is that of the plan


@lru_cache(maxsize=64)
def _student_quantile(confidence: float, freedom: int) -> float:
    """Return the t with a two-sided probability, by bisection of the finite sums of Abramowitz and Stegun 26.7.3, 4."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _two_sided(middle, freedom) < confidence else (low, middle)
    return (low + high) / 2


def _two_sided(t: float, freedom: int) -> float:
    """Return the probability that the absolute value of Student's t is at most ``t``."""
    angle = atan(t / sqrt(freedom))
    odd, total, term = freedom % 2, 0.0, 1.0
    for k in range(odd, freedom - 1, 2):
        term = cos(angle) if k == 1 else 1.0 if k == 0 else term * (k - 1) / k * cos(angle) ** 2
        total += term
    if odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


@dataclass(frozen=True, slots=True)
class _FittedLine:
    """Least squares of n ≥ 3 points; ``interval`` is that of a further point: docs/formulas.md, section 17."""

    n: int
    center: float
    level: float
    slope: float
    spread: float  # sum of squared distances from ``center``
    residual: float  # standard deviation of the residuals

    @classmethod
    def of(cls, x: Sequence[float] | _Floats, y: Sequence[float] | _Floats) -> _FittedLine:
        """Fit a line to points ``(n,)``; UsageError if they are fewer than three, or all at one place."""
        at, values = np.asarray(x, float), np.asarray(y, float)
        n = len(at)
        away = at - at.mean() if n else at
        spread = float(away @ away)
        if n < _FEWEST_POINTS or spread <= 0:
            what = f"of {n} points" if n < _FEWEST_POINTS else "of points on one date"
            raise UsageError(f"no forecast {what} (expected at least {_FEWEST_POINTS}, on different dates)")
        level, slope = float(values.mean()), float(away @ values) / spread
        left = values - level - slope * away
        return cls(n, float(at.mean()), level, slope, spread, sqrt(float(left @ left) / (n - 2)))

    def interval(self, x: _Floats, confidence: float = _CONFIDENCE) -> tuple[_Floats, _Floats, _Floats]:
        """Return the line and the ends of the prediction interval at places ``(k,)``."""
        away = np.asarray(x, float) - self.center
        mean = self.level + self.slope * away
        half = (
            _student_quantile(confidence, self.n - 2) * self.residual * np.sqrt(1 + 1 / self.n + away**2 / self.spread)
        )
        return mean, mean - half, mean + half


@dataclass(frozen=True, slots=True)
class Forecast:
    """A fitted curve of one mass with its 95 % prediction interval; places are days, or numbers of revisions."""

    model: ForecastModel
    quantity: str  # basic or predicted
    line: _FittedLine
    final: float | None  # mass that a growth curve approaches
    last: float  # place of the last point
    span: float  # from the first point to the last

    def at(self, x: Sequence[float] | _Floats) -> tuple[_Floats, _Floats, _Floats]:
        """Return the curve and the ends of its interval at places ``(k,)``."""
        found = self.line.interval(np.asarray(x, float))
        if self.final is None:
            return found
        mean, low, high = (self.final / (1 + np.exp(-np.clip(one, -700, 700))) for one in found)
        return mean, low, high

    def crossings(self, limit: float) -> dict[str, float | None]:
        """Return where the upper end, the curve and the lower end of the interval reach a limit, None if they do not.

        The search begins at the last point, and ends five times as far beyond it as the points span.
        """
        places = np.linspace(self.last, self.last + _HORIZON * self.span, _STEPS)
        curves = self.at(places)
        return {
            name: self._first_crossing(k, places, curves[k] >= limit, limit)
            for name, k in (("earliest", 2), ("likely", 0), ("latest", 1))
        }

    def _first_crossing(self, k: int, places: _Floats, above: NDArray[np.bool_], limit: float) -> float | None:
        """Return the first place where a curve reaches a limit, by bisection between two places."""
        if not above.any():
            return None
        at = int(above.argmax())
        low, high = float(places[max(at - 1, 0)]), float(places[at])
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at([middle])[k][0] < limit else (low, middle)
        return high

    def to_dict(self, limit: float | None, text_of: Callable[[float], Any]) -> dict[str, Any]:
        """Return the forecast as plain JSON values; ``text_of`` writes a place."""
        ahead = [self.last + share * self.span for share in (0.25, 0.5, 1.0)]
        rows = zip(ahead, *(one.tolist() for one in self.at(ahead)), strict=True)
        crossed = None if limit is None else self.crossings(limit)
        return {
            "model": self.model,
            "of": self.quantity,
            "n": self.line.n,
            "confidence": _CONFIDENCE,
            "slope": self.line.slope if self.final is None else None,
            "residual": self.line.residual if self.final is None else None,
            "at": [{"at": text_of(x), "value": y, "low": low, "high": high} for x, y, low, high in rows],
            "limit": limit,
            "reaches_limit": None
            if crossed is None
            else {name: None if x is None else text_of(x) for name, x in crossed.items()},
        }


def forecast(
    model: ForecastModel, x: Sequence[float], basic: Sequence[float], predicted: Sequence[float | None]
) -> Forecast:
    """Fit a line to the predicted masses (else the basic ones), or a logistic curve to the basic ones."""
    grown = [one for one in predicted if one is not None]
    place = {"last": x[-1] if x else 0.0, "span": max(x) - min(x) if x else 0.0}
    if model == "line":
        is_whole = len(grown) == len(x)
        line = _FittedLine.of(x, grown if is_whole else basic)
        return Forecast(model, "predicted" if is_whole else "basic", line, None, **place)
    final = predicted[-1] if predicted else None
    if final is None or not all(0 < one < final for one in basic):
        words = "a basic mass is not between 0 and the last predicted mass"
        raise UsageError(f"no growth curve: {words} (use the model line)")
    values = np.asarray(basic, float)
    return Forecast(model, "basic", _FittedLine.of(x, np.log(values / (final - values))), final, **place)


@dataclass(frozen=True, slots=True)
class _MilestoneVerdict:
    """A milestone and the revision that was valid then; masses in the unit of the trend, margins in percent."""

    name: str
    day: str  # empty if it is a revision
    revision: str  # the last one until then; empty without one
    required_margin: float | None
    allowed: float | None
    mass: float | None
    margin: float | None
    state: _MilestoneState

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values, unknown ones None."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """A plan in the unit of the trend, the greatest mass that it allows at each point, and its milestones."""

    plan: plans.MarginPlan
    allowed: tuple[float | None, ...]
    milestones: tuple[_MilestoneVerdict, ...]


@dataclass(frozen=True, slots=True)
class PendingOutcome:
    """Pending changes of the last revision: expected sum, its 5 % and 95 % quantiles, and the changes."""

    expected: float
    low: float
    high: float
    changes: tuple[plans.PendingChange, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the changes as plain JSON values."""
        sums = {"expected": self.expected, "low": self.low, "high": self.high, "quantiles": [0.05, 0.95]}
        return {**sums, "unit_of_changes": "kg", "changes": [one.to_dict() for one in self.changes]}


def _kilogram_factor(unit: str, what: str) -> float:
    """Return the factor from kilogram to the unit of the trend."""
    read = unit_of_dimension(unit, MASS) if unit else None
    if read is None:
        raise ConfigError(f"{what} is in kilogram, and the table states no unit of mass; state it with --unit mass=kg")
    return KILOGRAM.over(read)


def plan_outcome(curve: TrendCurve, plan: plans.MarginPlan, findings: Findings) -> PlanOutcome:
    """Judge the milestones of a plan, and report those that are missed and a last revision below plan."""
    factor = _kilogram_factor(curve.units[0], "plan")
    listed = tuple(
        replace(one, allocation=None if one.allocation is None else factor * one.allocation) for one in plan.milestones
    )
    plan = replace(plan, limit=None if plan.limit is None else factor * plan.limit, milestones=listed)
    if plan.limit is None and curve.last.limit is None and any(one.margin is not None for one in listed):
        raise ConfigError(f"{plan.place}: no mass-max of {curve.item} is known for margins; add limit to [plan]")
    of_revision = {one.label: x for one, x in zip(curve.points, curve.places, strict=True)}
    places = list[tuple[float, plans.PlannedMilestone]]()
    for one in listed:
        if one.day is not None and curve.has_dates:
            places.append((place_of_date(one.day.isoformat()) + 1, one))  # the end of the day
        elif one.revision in of_revision:
            places.append((of_revision[one.revision], one))
    places.sort(key=lambda pair: pair[0])
    allowed = list[float | None]()
    for point, x in zip(curve.points, curve.places, strict=True):
        limit = point.limit if plan.limit is None else plan.limit
        days = [(at - 1 if one.day is not None and curve.has_dates else at, one) for at, one in places]
        most = plan.required_mass(days, floor(x) if curve.has_dates else x, nan if limit is None else limit)
        allowed.append(most if isfinite(most) and not point.fault else None)
    at = {id(one): x for x, one in places}
    made = PlanOutcome(
        plan, tuple(allowed), tuple(_milestone_verdict(curve, plan, one, at.get(id(one))) for one in listed)
    )
    _report_plan(curve, made, findings)
    return made


def _report_plan(curve: TrendCurve, made: PlanOutcome, findings: Findings) -> None:
    """Report milestones that are missed or have no place, and a last revision below plan."""
    unit, plan = curve.units[0], made.plan

    def words(mass: float, most: float) -> str:
        text = f"{plan.basis} mass {mass:.6g} {unit} is above {most:.6g} {unit} by {mass - most:.4g} {unit}"
        return " ".join(text.split())

    for one in made.milestones:
        if one.state == "missed":
            text = f"milestone {one.name} is missed by {one.revision}: {words(one.mass or 0.0, one.allowed or 0.0)}"
            findings.report("MP683", text, plan.place, item=curve.item, value=one.name)
        elif one.state == "unknown" and (one.revision or not (one.day and curve.has_dates)):  # else before the curve
            text = f"milestone {one.name} is not on the curve: dates of revisions, or its limit, are unknown"
            findings.report("MP683", text, plan.place, item=curve.item, value=one.name)
    mass, most = _planned_mass(plan, curve.last), made.allowed[curve.points.index(curve.last)]
    if mass is not None and most is not None and mass > most * (1 + _SAME):
        text = f"{curve.item}: revision {curve.last.label} is below plan: {words(mass, most)}"
        findings.report("MP681", text, Place(curve.last.source), item=curve.item, related=(plan.place,))


def _planned_mass(plan: plans.MarginPlan, point: TrendPoint) -> float | None:
    """Return the mass that a plan limits."""
    return point.basic if plan.basis == "basic" else point.mass


def _milestone_verdict(
    curve: TrendCurve, plan: plans.MarginPlan, milestone: plans.PlannedMilestone, place: float | None
) -> _MilestoneVerdict:
    """Judge the last revision until a milestone."""
    pairs = [(one, x) for one, x in zip(curve.points, curve.places, strict=True) if not one.fault]
    until = [one for one, x in pairs if place is not None and x <= place]
    now = until[-1] if until else None
    limit = (now or curve.last).limit if plan.limit is None else plan.limit
    allowed = plan.allowed_mass(milestone, nan if limit is None else limit)
    mass = None if now is None else _planned_mass(plan, now)
    state: _MilestoneState = "unknown"
    if milestone.revision if place is None else pairs[-1][1] < place:
        state = "due"
    elif mass is not None and isfinite(allowed):
        state = "kept" if mass <= allowed * (1 + _SAME) else "missed"
    return _MilestoneVerdict(
        milestone.name,
        "" if milestone.day is None else milestone.day.isoformat(),
        "" if now is None else now.label,
        milestone.margin,
        allowed if isfinite(allowed) else None,
        mass,
        None if mass is None or limit is None else plan.margin_percent(mass, limit),
        state,
    )


def pending_outcome(
    curve: TrendCurve, pending: Sequence[plans.PendingChange], result: Result, findings: Findings
) -> PendingOutcome:
    """Add up the pending changes of the item, and report those that are overdue or of an unknown item."""
    bom, kept, pieces = result.bom, list[plans.PendingChange](), list[float]()
    factor, top = _kilogram_factor(curve.units[0], "pending change"), bom.item(curve.item)
    count, below = bom.tree.path_quantities(bom.quantity).count, set(bom.tree.descendants(top).tolist())
    for one, item in zip(pending, plans.pending_items(pending, bom), strict=True):
        problem = ""
        if item is None:
            problem = f"pending change of an item that is not in {curve.last.label}: {one.item}"
        elif one.due is not None and curve.has_dates and place_of_date(one.due.isoformat()) + 1 <= curve.places[-1]:
            problem = f"pending change is overdue since {one.due}: {one.item or curve.item}"
        if problem:
            findings.report("MP688", f"{problem} ({one.reason})", one.place, item=one.item)
        if item in below:
            kept.append(one)
            pieces.append(float(count[item] / count[top]) if count[top] else 1.0)
    low, high = plans.pending_band(kept, pieces)
    expected = sum(one.mean * n for one, n in zip(kept, pieces, strict=True))
    return PendingOutcome(factor * expected, factor * low, factor * high, tuple(kept))
