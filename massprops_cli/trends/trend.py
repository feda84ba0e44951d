"""Trend of a table over its revisions: files, commits or a recorded history; plan, pending changes and forecast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Never

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.budgets.check import configured_budgets
from massprops_cli.budgets.file import join_budgets
from massprops_cli.budgets.model import Budget
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    Place,
    UsageError,
    checked_integer,
    count_with_noun,
    html_table,
)
from massprops_cli.options import MatchKey, RollupMethod, check_own_keywords, show_keywords, wrong_word_text
from massprops_cli.tables.cells.units import LENGTH, MASS, unit_of_dimension
from massprops_cli.trends import points as trend_points
from massprops_cli.trends.outlook import (
    Forecast,
    ForecastModel,
    PendingOutcome,
    PlanOutcome,
    forecast as fitted_forecast,
    pending_outcome,
    plan_outcome,
)
from massprops_cli.trends.sources import EveryRevision, RevisionOrder, TrendInputs, file_sources, git_sources

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Trend(trend_points.TrendCurve):
    """An item over the revisions of a table, in the units of the last one.

    ``points`` include revisions without numbers, whose ``fault`` states why. ``planned``, ``pending`` and ``forecast``
    are None where no budget states them, or they are not requested.

    >>> import massprops_cli as mp
    >>> def revision(mass):
    ...     return mp.Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": mass}])
    >>> made = mp.trend([revision(2.0), revision(3.5)])
    >>> made.points[1].step.change["mass"], [item.id for item in made.points[1].step.items]
    (1.5, ['a'])
    """

    findings: tuple[Finding, ...] = ()
    planned: PlanOutcome | None = None
    pending: PendingOutcome | None = None
    forecast: Forecast | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the trend as plain JSON values.

        Returns
        -------
        dict of str to object
            Numbers in the units of the last revision; unknown values are None.
        """
        found: dict[str, Any] = {
            "item": self.item,
            "units": {"mass": self.units[0], "length": self.units[1]},
            "revisions": [one.to_dict() | {"growth": one.growth} for one in self.points],
        }
        if self.planned is not None:
            for row, allowed in zip(found["revisions"], self.planned.allowed, strict=True):
                row["allowed_by_plan"] = allowed
            found["milestones"] = [one.to_dict() for one in self.planned.milestones]
        if self.pending is not None:
            found["pending"] = self.pending.to_dict()
        if self.forecast is not None:
            found["forecast"] = self.forecast.to_dict(self.last.limit, self.place_text)
        return found

    def margin_percent(self, point: trend_points.TrendPoint) -> float | None:
        """Return the margin of a point in percent, by the formula and the limit of the plan if there is one.

        Parameters
        ----------
        point : TrendPoint
            A point of the trend.

        Returns
        -------
        float or None
            Percent; None without a limit.
        """
        plan = None if self.planned is None else self.planned.plan
        limit = point.limit if plan is None or plan.limit is None else plan.limit
        mass = point.basic if plan is not None and plan.basis == "basic" else point.mass
        whole = limit if plan is not None and plan.of_limit else mass
        if limit is None or mass is None or not whole:
            return None
        margin = limit - mass if plan is not None or point.margin is None else point.margin  # by the basis of the limit
        return 100 * margin / whole

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each revision.

        Returns
        -------
        list of dict
            Columns of ``to_dataframe``; unknown values are None.
        """
        listed: list[dict[str, Any]] = []
        for k, one in enumerate(self.points):
            step = one.step.change if one.step else {}
            found = {
                "revision": one.label, "date": one.date, "items": one.items or None, "coverage": one.coverage,
                "basic": one.basic, "sigma": one.sigma, "growth": one.growth, "predicted": one.predicted,
                "change": step.get("mass"), "change_predicted": step.get("predicted_mass"),
                **dict(zip(("Cx", "Cy", "Cz"), one.center or (None,) * 3, strict=True)),
                **{name: one.shares.get(name) for name in ("estimated", "calculated", "weighed")},
                "limit": one.limit, "margin": one.margin, "margin_percent": self.margin_percent(one),
                "allowed_by_plan": self.planned.allowed[k] if self.planned else None,
                "source": one.source, "subject": one.subject, "fault": one.fault,
            }  # fmt: skip
            listed.append(found)
        return listed

    def to_dataframe(self) -> pd.DataFrame:
        """Export the trend.

        Returns
        -------
        pandas.DataFrame, a row for each revision
            Masses and centres in the units of the last revision, which ``attrs["units"]`` has by column; NaN if
            unknown.
        """
        import pandas as pd

        frame = pd.DataFrame(self.rows())
        texts = ("revision", "date", "source", "subject", "fault")
        frame = frame.astype({name: float for name in frame if name not in texts})
        masses = ("basic", "sigma", "growth", "predicted", "change", "change_predicted", "limit", "margin")
        units = dict.fromkeys((*masses, "allowed_by_plan"), self.units[0])
        frame.attrs["units"] = units | dict.fromkeys(("Cx", "Cy", "Cz"), self.units[1]) | {"margin_percent": "%"}
        return frame

    def step_rows(self) -> list[dict[str, Any]]:
        """Return a row for each item of each step, with its rest and rounding; they add up to the change.

        Returns
        -------
        list of dict
            Revision, item, what changed, reason, and the contributions to basic and predicted mass.
        """
        listed: list[dict[str, Any]] = []
        for one in self.known:
            if (step := one.step) is None:
                continue
            rows = [(item.id, ", ".join(item.changes), item.parts, item.reason) for item in step.items]
            rows += [(f"{step.n_rest} others", "rest", step.rest, "")] if any(step.rest.values()) else []
            rows += [("rounding", "rounding", step.rounding, "")] if any(step.rounding.values()) else []
            for name, words, parts, reason in rows:
                numbers = {"basic": parts.get("mass"), "predicted": parts.get("predicted_mass")}
                head = {"from": step.previous, "revision": one.label, "item": name, "change": words}
                listed.append({**head, **numbers, "reason": reason or one.subject})
        return listed

    def __repr__(self) -> str:
        """Return the item, the number of revisions and the change of the mass."""
        first, last = self.known[0], self.last
        words = count_with_noun(len(self.points), "revision")
        return f"<Trend of {self.item} over {words}: {first.mass:g} → {last.mass:g} {self.units[0]}>"

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        rows = ((one.label, one.date, one.basic, one.predicted, one.margin) for one in self.points)
        heads = ["revision", "date", *(f"{name} [{self.units[0]}]" for name in ("basic", "predicted", "margin"))]
        return html_table(repr(self).strip("<>"), heads, rows, len(self.points))


def made_trend(inputs: TrendInputs, model: ForecastModel | None = None) -> Trend:
    """Read the revisions, and compute their trend."""
    findings, current, points = Findings(), None, list[trend_points.TrendPoint]()
    request = inputs.request._replace(date_column=inputs.dates[7:] if inputs.dates.startswith("column:") else "")
    with ExitStack() as stack:
        sources = git_sources(inputs, findings, stack) if inputs.git else file_sources(inputs, findings)
        for one in trend_points.trend_revisions(sources, request, inputs.cache):
            points.append(one.point)
            current = current if one.point.fault else one
        if current is not None and current.result is None and current.source.read is not None:
            current = trend_points.read_revision(current.source, request)._replace(point=current.point)
    if current is None:
        raise UsageError(f"no revision has a mass: {'; '.join(f'{one.label}: {one.fault}' for one in points[:3])}")
    points = [_in_units_of(one, current.point) for one in points]
    for point in points:
        # report a revision without numbers, a limit or a step that cannot be computed
        place = Place(point.source)
        if point.fault:
            findings.report("MP680", f"revision {point.label} has no numbers: {point.fault}", place, value=point.label)
        if point.limit_fault:
            findings.report("MP682", f"limit of revision {point.label} is not known: {point.limit_fault}", place)
        if point.step is not None and point.step.fault and not point.step.change:
            message = f"step from {point.step.previous} to {point.label} has no contributions: {point.step.fault}"
            findings.report("MP684", message, place, value=point.label)
    curve = trend_points.curve_of(current.point.item, points)
    return Trend(**vars(curve), **_outlook(curve, current, inputs, model, findings), findings=tuple(findings))


def _outlook(
    curve: trend_points.TrendCurve,
    current: trend_points.TrendRevision,
    inputs: TrendInputs,
    model: ForecastModel | None,
    findings: Findings,
) -> dict[str, Any]:
    """Return plan and pending changes by the budgets of the last revision, and the forecast."""
    result, found = current.result, dict[str, Any]()
    budgets = inputs.read_budgets() if result is None else list(current.budgets)
    budgets += configured_budgets(result.bom, all_tables=True) if result is not None and not budgets else []
    budget = join_budgets(budgets)
    if budget.plan is not None:
        found["planned"] = plan_outcome(curve, budget.plan, findings)
    if budget.pending and result is not None:
        found["pending"] = pending_outcome(curve, budget.pending, result, findings)
    if model:
        xs = [x for x, one in zip(curve.places, curve.points, strict=True) if not one.fault]
        try:
            basic = [one.basic or 0.0 for one in curve.known]
            found["forecast"] = fitted_forecast(model, xs, basic, [one.predicted for one in curve.known])
        except UsageError as error:
            findings.report("MP687", str(error), Place(curve.last.source))
    return found


def _in_units_of(point: trend_points.TrendPoint, last: trend_points.TrendPoint) -> trend_points.TrendPoint:
    """Return a point in the units of the last one; without a unit of mass it has a fault."""
    if point.fault or (point.mass_unit, point.length_unit) == (last.mass_unit, last.length_unit):
        return point
    if bool(point.mass_unit) != bool(last.mass_unit):
        wrong, other = ("no unit", last.mass_unit) if last.mass_unit else (point.mass_unit, "no unit")
        fault = f"its masses have {wrong}, those of the last revision {other}; state the unit in the heading"
        return trend_points.TrendPoint(point.label, point.date, point.source, point.subject, point.content, fault)
    mass = _unit_factor(point.mass_unit, last.mass_unit, MASS)
    length = _unit_factor(point.length_unit, last.length_unit, LENGTH)
    return trend_points.scaled_point(point, mass, length, (last.mass_unit, last.length_unit))


def _unit_factor(own: str, other: str, dimension: tuple[int, int, int]) -> float:
    """Return the factor between two units; 1 where one is not stated."""
    one, last = (unit_of_dimension(text, dimension) if text else None for text in (own, other))
    return 1.0 if one is None or last is None else one.over(last)


def trend(
    revisions: BomSource | Iterable[BomSource],
    budget: Budget | str | PathLike[str] | Sequence[Budget | str | PathLike[str]] | None = None,
    *,
    item: str = "",
    git: bool = False,
    since: str = "",
    every: EveryRevision = "commit",
    branch: str = "",
    order: RevisionOrder | None = None,
    dates: str = "",
    forecast: ForecastModel | None = None,
    match: MatchKey | None = None,
    reasons: Mapping[str, str] | str = "",
    uncertainty: RollupMethod = "auto",
    top: int = 5,
    **unknown: Never,
) -> Trend:
    """Compute the trend of a table over its revisions.

    Parameters
    ----------
    revisions : BomSource or iterable of BomSource
        Tables, or a history that ``massprops trend --record`` wrote; with ``git`` the path of one table. A path is read
        with the defaults of ``read_bom``.
    budget : Budget, str, path or sequence of these, optional
        Budgets with limits, ``[plan]`` and ``[[pending]]``; of a file in the repository that of each commit.
    item : str, optional
        Id of the item; default: the root.
    git : bool, optional
        Read the commits of the table, along the first parents of a branch; renames are followed.
    since : str, optional
        The first commit, a revision or a date.
    every : {"commit", "merge", "tag", "week"}, optional
        Which commits are read.
    branch : str, optional
        Branch or other revision; default: HEAD.
    order : {"name", "given", "date"}, optional
        Order of files; default: by date where all have one, else by name with numbers in their order.
    dates : str, optional
        A csv file with the columns file and date, or ``column:HEADER``; default: the day in the name of a file.
    forecast : {"line", "growth"}, optional
        Fit a straight line, or a logistic curve towards the predicted mass, with its prediction interval.
    match : {"id", "part"}, optional
        As in ``diff``.
    reasons : mapping of str to str, or str, optional
        Reasons of changes by item, the name of a file of them, or ``column:HEADER``.
    uncertainty : {"auto", "covariance", "massprops", "none"}, optional
        As in ``rollup``.
    top : int, optional
        Number of items that a step lists; the others are its rest.

    Returns
    -------
    Trend
        A point for each revision in the units of the last one; contributions of a step add up to its change.

    Raises
    ------
    UsageError
        An unknown keyword or word, no repository, or no revision with a mass.
    ConfigError
        An invalid budget file, or a plan without a limit.

    Notes
    -----
    Contributions: docs/diff.md. Prediction interval: docs/formulas.md, section 17.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": mass}])
    >>> made = trend([revision(2.0), revision(3.5), revision(4.0)], forecast="line")
    >>> made.to_dataframe()["basic"].tolist()
    [2.0, 3.5, 4.0]
    """
    check_own_keywords(unknown, trend)
    words: dict[str, tuple[object, tuple[object, ...]]] = {
        "every": (every, ("commit", "merge", "tag", "week")),
        "order": (order, (None, "name", "given", "date")),
        "forecast": (forecast, (None, "line", "growth")),
        "match": (match, (None, "id", "part")),
        "uncertainty": (uncertainty, ("auto", "covariance", "massprops", "none")),
    }
    for name, (value, known) in words.items():
        if value not in known:
            raise UsageError(wrong_word_text(name, value, [str(one) for one in known if one is not None]))
    one_table = (
        isinstance(revisions, str | PathLike | Bom) or hasattr(revisions, "read") or hasattr(revisions, "columns")
    )
    listed: list[Any] = [revisions] if one_table else list(revisions)  # type: ignore[arg-type]  # of a table
    names = [fspath(one) if isinstance(one, str | PathLike) else bom_from(one, "revision") for one in listed]
    if not names:
        raise UsageError("no revision is given")
    given = [] if budget is None else [budget] if isinstance(budget, str | PathLike | Budget) else list(budget)
    budgets = [one if isinstance(one, Budget) else fspath(one) for one in given]
    request = trend_points.TrendRequest(item, checked_integer("top", top, 1), match, reasons, uncertainty)
    choice: dict[str, Any] = {"git": git, "since": since, "every": every, "branch": branch}
    inputs = TrendInputs(names, bom_from, request, budgets, order=order, dates=dates, **choice)
    return made_trend(inputs, forecast)


show_keywords(trend)
