"""Points of a trend: an item in each revision, and the step from one to the next as contributions that add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta
from math import fsum, isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import check, configured_budgets
from massprops_cli.budgets.columns import limit_headings
from massprops_cli.budgets.model import BasisFigures, Budget, table_unit_factor
from massprops_cli.findings.finding import MasspropsError, UsageError
from massprops_cli.options import MatchKey, RollupMethod
from massprops_cli.revisions.attribution import COMPARED_RESULTS, ChangeBreakdown
from massprops_cli.revisions.comparison import results_diff, waterfall_steps
from massprops_cli.revisions.diff import Diff
from massprops_cli.tables.cells.units import MASS

_STEP_QUANTITIES = ("mass", "predicted_mass", "sigma_mass", "Cx", "Cy", "Cz")
"""Quantities of a step: basic mass, predicted mass, σ of the mass, centre."""
_Values = Mapping[str, float]


class TrendItem(NamedTuple):
    """An item of a step: what changed, its contribution to each quantity, and the reason of the change."""

    id: str
    name: str
    changes: tuple[str, ...]
    parts: _Values
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrendStep:
    """The step from a revision to the next: for each quantity items, rest and rounding add up to the change."""

    previous: str
    change: _Values
    items: tuple[TrendItem, ...] = ()
    n_rest: int = 0
    rest: _Values = field(default_factory=dict)
    rounding: _Values = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)  # changed items by kind of change
    notes: tuple[str, ...] = ()  # changes of unit, layout and file
    fault: str = ""  # why the revisions cannot be compared


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """An item in one revision, in the units of its table; None where unknown. ``fault``: why there are no numbers."""

    label: str
    date: str = ""  # ISO 8601; empty if unknown
    source: str = ""  # file, or commit and path
    subject: str = ""  # of the commit
    content: str = ""  # SHA-256 of the table
    fault: str = ""
    mass_unit: str = ""
    length_unit: str = ""
    item: str = ""
    items: int = 0
    coverage: float | None = None  # share of the parts with a known mass
    basic: float | None = None
    predicted: float | None = None  # None without growth
    sigma: float | None = None  # of the basic mass
    center: tuple[float | None, ...] = (None, None, None)
    inertia: tuple[float | None, ...] = (None,) * 6  # tensor entries about the centre
    shares: _Values = field(default_factory=dict)  # of the mass: estimated, calculated, weighed
    limit: float | None = None
    margin: float | None = None
    requirement: str = ""
    limit_fault: str = ""
    step: TrendStep | None = None

    @property
    def mass(self) -> float | None:
        """The predicted mass, or the basic one without growth."""
        return self.basic if self.predicted is None else self.predicted

    @property
    def growth(self) -> float | None:
        """Predicted less basic mass; None without growth."""
        return None if self.predicted is None or self.basic is None else self.predicted - self.basic

    def to_dict(self) -> dict[str, Any]:
        """Return the point as plain JSON values, which ``point_from_dict`` reads.

        Returns
        -------
        dict of str to object
            Numbers in the units of the point; unknown values are None.
        """
        found = asdict(self)
        if self.step is not None:
            found["step"]["items"] = [one._asdict() for one in self.step.items]
        return found


def place_of_date(day: str) -> float:
    """Return the days since 1970-01-01 of a date; NaN without one."""
    try:
        when = datetime.fromisoformat(day)
    except ValueError:
        return nan
    return (when.replace(tzinfo=UTC) if when.tzinfo is None else when).timestamp() / 86_400


@dataclass(frozen=True, eq=False, repr=False)
class TrendCurve:
    """The points of an item; ``places`` are days since 1970-01-01, or numbers of revisions if a date is unknown."""

    item: str
    points: tuple[TrendPoint, ...]
    places: tuple[float, ...]
    has_dates: bool

    @property
    def known(self) -> list[TrendPoint]:
        """The points with numbers."""
        return [one for one in self.points if not one.fault]

    @property
    def last(self) -> TrendPoint:
        """The last point with numbers."""
        return self.known[-1]

    @property
    def units(self) -> tuple[str, str]:
        """Units of mass and length: those of the last point."""
        return self.last.mass_unit, self.last.length_unit

    def place_text(self, place: float) -> str:
        """Write a place of the curve as a day, or as the number of a revision."""
        if not self.has_dates:
            return f"{place:.4g}"
        return (date(1970, 1, 1) + timedelta(days=min(place, 2_900_000))).isoformat()


def curve_of(item: str, points: Sequence[TrendPoint]) -> TrendCurve:
    """Return points with their places."""
    places = [place_of_date(one.date) for one in points]
    has_dates = all(isfinite(x) for x, one in zip(places, points, strict=True) if not one.fault)
    places = places if has_dates else [float(k) for k in range(1, len(points) + 1)]
    return TrendCurve(item, (*points,), (*places,), has_dates)


def scaled_point(point: TrendPoint, mass: float, length: float, units: tuple[str, str]) -> TrendPoint:
    """Return a point and its step in other units, by factors of mass and length."""
    factors = {"center": length, "inertia": mass * length**2}

    def times(name: str, value: Any) -> Any:
        factor = factors.get(name, length if name.startswith("C") else mass)
        if isinstance(value, tuple):
            return tuple(times(name, one) for one in value)
        if isinstance(value, Mapping):
            return {key: times(key, one) for key, one in value.items()}
        return None if value is None else factor * value

    names = ("basic", "predicted", "sigma", "limit", "margin", "center", "inertia")
    changes = {name: times(name, getattr(point, name)) for name in names}
    if (step := point.step) is not None:
        items = tuple(one._replace(parts=times("", one.parts)) for one in step.items)
        sums = {name: times("", getattr(step, name)) for name in ("change", "rest", "rounding")}
        changes["step"] = replace(step, items=items, **sums)
    return replace(point, mass_unit=units[0], length_unit=units[1], **changes)


def point_from_dict(given: Mapping[str, Any]) -> TrendPoint:
    """Return the point that ``TrendPoint.to_dict`` wrote; TypeError, ValueError or KeyError for other values."""
    known = {one.name for one in fields(TrendPoint)}
    values: dict[str, Any] = {name: value for name, value in given.items() if name in known}
    numbers = (values.get(name) for name in ("basic", "predicted", "sigma", "limit", "margin", "coverage"))
    if not isinstance(values["label"], str) or not all(one is None or isfinite(one) for one in numbers):
        raise ValueError("not a point")
    values |= {name: tuple(values.get(name) or ()) for name in ("center", "inertia")}
    if (step := values.get("step")) is not None:
        items = tuple(TrendItem(**{**one, "changes": tuple(one["changes"])}) for one in step["items"])
        values["step"] = TrendStep(**{**step, "items": items, "notes": tuple(step["notes"])})
    return TrendPoint(**values)


class TrendSource(NamedTuple):
    """A revision to read: ``read`` returns its table with its budgets; ``key`` identifies all that it depends on."""

    point: TrendPoint  # label, date and source; of a history all of it
    read: Callable[[], tuple[Bom, Sequence[Budget]]] | None = None
    key: str = ""  # empty: not kept in the cache
    notes: tuple[str, ...] = ()


class TrendRequest(NamedTuple):
    """What is computed of each revision: an item, how many items of a step, how items are matched, reasons."""

    item: str = ""
    top: int = 5
    match: MatchKey | None = None
    reasons: Mapping[str, str] | str = ""  # or column:HEADER
    uncertainty: RollupMethod = "auto"
    date_column: str = ""  # whose latest date is that of a revision


class TrendRevision(NamedTuple):
    """A revision that was rolled up, with its budgets; the result is None where the cache had its point."""

    source: TrendSource
    point: TrendPoint
    result: Result | None
    budgets: Sequence[Budget] = ()


def trend_revisions(
    sources: Sequence[TrendSource], request: TrendRequest, cache: Any = None
) -> Iterator[TrendRevision]:
    """Yield each revision with its point and the step to it; only two are in memory."""
    last: TrendRevision | None = None  # with numbers
    for k, source in enumerate(sources):
        key = "" if not source.key or (last is None and k) else f"{last.source.key if last else ''} {source.key}"
        key = key if last is None or last.source.key else ""
        is_stated = source.read is None  # a point of a history, or one with a fault
        made = TrendRevision(source, source.point, None) if is_stated else _cached_revision(source, key, cache)
        if made is None:
            made = read_revision(source, request)
            if last is not None and not made.point.fault:
                made = made._replace(point=replace(made.point, step=_step_between(last, made, request)))
            bom = None if made.result is None else made.result.bom
            may_change = bom is None or bom.table.source.is_robot or {"mesh", "robot"} & bom.columns.by_quantity.keys()
            if key and cache is not None and not may_change:
                cache.write(key, made.point.to_dict())
        elif last is not None and source.read is None and not made.point.fault and made.point.step is None:
            made = made._replace(point=replace(made.point, step=_unexplained_step(last.point, made.point)))
        yield made
        if not made.point.fault:
            last = made


def _cached_revision(source: TrendSource, key: str, cache: Any) -> TrendRevision | None:
    """Return a revision from the cache, with the label and date that it has now."""
    found = cache.read(key) if key and cache is not None else None
    if found is None:
        return None
    try:
        point = point_from_dict(found)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None
    now = source.point
    same = replace(point, label=now.label, date=now.date or point.date, source=now.source, subject=now.subject)
    return TrendRevision(source, same, None)


def read_revision(source: TrendSource, request: TrendRequest) -> TrendRevision:
    """Read and roll up a revision; one with a fault has a point without numbers."""
    assert source.read is not None
    try:
        bom, budgets = source.read()
        result = rollup(bom, request.uncertainty, keep_going=True)
        if wrong := next((one for one in result.findings if one.is_withholding), None):
            fault = f"{wrong.rule} {wrong.message}"
        else:
            item = bom.item(request.item) if request.item else result.root_item
            point = _point(source.point, result, item, budgets)
            if request.date_column:
                point = replace(point, date=_latest_date(bom, request.date_column))
            if point.basic is not None:
                return TrendRevision(source, point, result, budgets)
            fault = "no mass is known"
    except MasspropsError as error:
        wrong = next((one for one in error.findings if one.is_withholding), None)
        fault = f"{wrong.rule} {wrong.message}" if wrong else str(error).partition("\n")[0]
    except OSError as error:
        fault = (error.strerror or str(error)).lower()
    return TrendRevision(source, replace(source.point, fault=fault), None)


def _point(head: TrendPoint, result: Result, item: int, budgets: Sequence[Budget]) -> TrendPoint:
    """Return the numbers of an item."""
    bom, coverage = result.bom, result.rollup.coverage
    basic = BasisFigures(result, "basic", allows_missing=True)
    grown = None if result.predicted is None else BasisFigures(result, "predicted", allows_missing=True)
    rows, known = int(coverage.rows[item]), int(coverage.known_mass[item])
    shares = {name: float(values[item]) for name, values in result.shares_of_mass.items() if isfinite(values[item])}
    try:
        limit = _mass_limit(result, item, budgets)
    except UsageError as error:
        limit = {"limit_fault": str(error)}
    return replace(
        head, mass_unit=bom.units.mass, length_unit=bom.units.length, item=bom.ids[item], items=len(bom),
        coverage=known / rows if rows else None, basic=basic.value(item, "mass") if known else None,
        predicted=None if grown is None else grown.value(item, "mass"), sigma=basic.sigma(item, "mass"),
        center=tuple(basic.value(item, name) for name in ("Cx", "Cy", "Cz")),
        inertia=tuple(basic.value(item, name) for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),
        shares=shares, **limit,
    )  # fmt: skip


def _latest_date(bom: Bom, header: str) -> str:
    """Return the latest date in a column, ISO 8601; empty without one."""
    names = [text.strip().casefold() for text in bom.columns.header]
    cells = bom.table.texts(names.index(header.casefold())) if header.casefold() in names else []
    days = ((place_of_date(text.strip()), text.strip()) for text in cells)
    return max((pair for pair in days if isfinite(pair[0])), default=(0.0, ""))[1]


def _mass_limit(result: Result, item: int, budgets: Sequence[Budget]) -> dict[str, Any]:
    """Return the tightest mass limit of an item by the budgets of its revision; empty without one."""
    bom = result.bom
    given = [one for one in budgets if one.entries]
    if not given and not configured_budgets(bom) and not limit_headings(bom):
        return {}
    verdicts = check(result, given or None).verdicts
    of_item = [one for one in verdicts if one.subject == "mass-max" and one.item == bom.ids[item]]
    known = [one for one in of_item if one.limit is not None and one.margin is not None]
    if not known:
        return {}
    one = min(known, key=lambda each: (each.margin or 0.0) * table_unit_factor(each.unit, MASS, bom.units))
    factor = table_unit_factor(one.unit, MASS, bom.units)
    return {
        "limit": factor * (one.limit or 0.0), "margin": factor * (one.margin or 0.0), "requirement": one.requirement
    }  # fmt: skip


def _unexplained_step(before: TrendPoint, after: TrendPoint) -> TrendStep | None:
    """Return the step between points whose tables are not there: only the changes."""
    if before.mass_unit != after.mass_unit or before.basic is None or after.basic is None:
        return None
    change = {"mass": after.basic - before.basic}
    if before.mass is not None and after.mass is not None:
        change["predicted_mass"] = after.mass - before.mass
    return TrendStep(before.label, change, rest=change, fault="the tables of the history are not there")


def _step_between(last: TrendRevision, now: TrendRevision, request: TrendRequest) -> TrendStep | None:
    """Compare two revisions; the earlier one is read again if the cache had its point."""
    before = last if last.result is not None or last.source.read is None else read_revision(last.source, request)
    assert now.result is not None
    if before.result is None:
        return _unexplained_step(last.point, now.point)
    reasons = request.reasons
    column = reasons.removeprefix("column:") if isinstance(reasons, str) and reasons.startswith("column:") else ""
    header = [text.strip().casefold() for text in now.result.bom.columns.header]
    column = column if column.strip().casefold() in header else ""  # earlier revisions may not have it
    try:
        answer = results_diff(
            (before.result, now.result),
            request.match,
            reasons="" if isinstance(reasons, str) and reasons.startswith("column:") else reasons,
            reason_column=column,
        )
        breakdown = answer.at(request.item) if request.item else answer.whole
    except UsageError as error:
        return TrendStep(last.point.label, {}, fault=str(error).partition(";")[0])
    return _step(answer, breakdown, last.point.label, request.top, now.source.notes)


def _step(answer: Diff, breakdown: ChangeBreakdown, previous: str, top: int, notes: tuple[str, ...]) -> TrendStep:
    """Return the largest contributions, changed items that contribute nothing, and the rest as one."""
    columns = [COMPARED_RESULTS.index(name) for name in _STEP_QUANTITIES]
    values, change = breakdown.contributions()[:, columns], breakdown.change[columns]
    known = np.isfinite(change) & np.isfinite(values).all(axis=0)
    values = np.where(known, values, 0.0)
    size = np.abs(values[:, :2]).max(axis=1)
    pairs = _renamed_pairs(answer, values[:, 0])
    order = np.argsort(-size, kind="stable")
    is_twin = np.zeros(len(size), bool)
    is_twin[list(pairs.values())] = True
    contributing = [k for k in order.tolist() if values[k].any() and k not in pairs and not is_twin[k]]
    silent = np.flatnonzero((answer.changes != 0) & ~values.any(axis=1) & _in_branch(breakdown)).tolist()
    shown = contributing[:top] + list(pairs)[:top] + silent[:top]
    made = dict(zip(shown, waterfall_steps(answer, breakdown, shown, size), strict=True))
    items, listed = [], np.zeros(len(size), bool)
    for k in shown:
        one, lines = made[k], [k, *([pairs[k]] if k in pairs else [])]
        listed[lines] = True
        words = ("renamed",) if k in pairs else one.words
        name = f"{answer.id(pairs[k])} → {one.id}" if k in pairs else one.id
        items.append(TrendItem(name, one.name, words, _named(values[lines].sum(axis=0), known), one.reason))
    rest = [fsum(column) for column in np.where(listed[:, None], 0.0, values).T]
    sums = [fsum([*(one.parts.get(name, 0.0) for one in items), rest[k]]) for k, name in enumerate(_STEP_QUANTITIES)]
    n_rest = int((values.any(axis=1) & ~listed).sum())
    rounding = _named(np.where(known, change, 0.0) - np.array(sums), known)
    return TrendStep(
        previous, _named(change, known), tuple(items), n_rest, _named(np.array(rest), known), rounding,
        answer.counts(), (*notes, *_table_notes(answer)),
    )  # fmt: skip


def _named(values: NDArray[np.float64], known: NDArray[np.bool_]) -> _Values:
    """Return the known numbers of ``_STEP_QUANTITIES`` by name."""
    return {name: float(values[k]) for k, name in enumerate(_STEP_QUANTITIES) if known[k]}


def _in_branch(breakdown: ChangeBreakdown) -> NDArray[np.bool_]:
    """Mark the lines ``(u,)`` at or below the item in either revision."""
    sides = ((breakdown.old, breakdown.matching.old), (breakdown.new, breakdown.matching.new))
    found = [(items >= 0) & (side.depth[items] >= 0) for side, items in sides]
    return np.asarray(found[0] | found[1])


def _renamed_pairs(answer: Diff, mass: NDArray[np.float64]) -> dict[int, int]:
    """Pair added lines with removed ones that have the same parent and, alone among them, the same mass."""
    sides = ((answer.matching.old < 0, answer.new.bom, 1.0), (answer.matching.new < 0, answer.old.bom, -1.0))
    found: list[dict[tuple[str, str], int]] = []
    for mask, bom, sign in sides:
        of_side, seen = dict[tuple[str, str], int](), set[tuple[str, str]]()
        items = answer.matching.new if sign > 0 else answer.matching.old
        for line in np.flatnonzero(mask & (mass * sign > 0)).tolist():
            parent = int(bom.tree.parent[items[line]])
            # twelve digits: masses that were converted from another unit differ by rounding
            key = bom.ids[parent] if parent >= 0 else "", f"{mass[line] * sign:.12g}"
            if key in seen:
                of_side.pop(key, None)
            else:
                of_side[key] = line
            seen.add(key)
        found.append(of_side)
    return {line: found[1][key] for key, line in found[0].items() if key in found[1]}


def _table_notes(answer: Diff) -> list[str]:
    """List what changed of the table itself: units, layout and format."""
    one, other = answer.old.bom, answer.new.bom
    pairs = {
        "unit of mass": (one.units.mass, other.units.mass),
        "unit of length": (one.units.length, other.units.length),
        "layout": (one.layout, other.layout),
        "format": (one.table.source.format, other.table.source.format),
    }
    return [f"{what} {old or 'none'} → {new or 'none'}" for what, (old, new) in pairs.items() if old != new]
