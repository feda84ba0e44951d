"""The curve of a trend as a picture: masses with σ, limit, plan, forecast and pending changes, and the margin."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from math import isfinite

import numpy as np

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.conventions import formatted_number
from massprops_cli.reports.pictures.svg import Picture, Scale, fitted_text, text_width
from massprops_cli.reports.review.content import DataTable, Pictures, Review, ReviewBlock, Section
from massprops_cli.trends.points import TrendPoint, place_of_date
from massprops_cli.trends.trend import Trend, trend
from massprops_cli.trends.view import forecast_title

_WIDTH, _LEFT, _RIGHT = 760.0, 70.0, 24.0
_TOP, _BOTTOM = 62.0, 300.0  # of the masses; the margin is below
_MARGIN_TOP, _MARGIN_BOTTOM = 352.0, 440.0
_MOST_MARKS = 7  # of dates
_K = 2.0  # sigmas of the band of the basic mass
_FORECAST_STEPS = 40
_Places = Sequence[tuple[float, float]]
_Marks = Sequence[tuple[float, str]]
_MASSES = ("basic", "predicted", "limit", "margin")


def history_section(review: Review) -> Section:
    """Return the curve over the revisions of a recorded history, and a table of their masses."""
    made = trend([review.settings.history], budget=review.budgets or ())
    unit, blocks = made.units[0], list[ReviewBlock]([Pictures([trend_picture(made)])])
    heads = ("revision", "date", *(f"{name} [{unit}]" if unit else name for name in _MASSES), "not read")
    masses = [[getattr(one, name) for name in _MASSES] for one in made.points]
    numbers = [["" if value is None else formatted_number(value) for value in row] for row in masses]
    texts = [(one.label, one.date[:10], *row, one.fault) for one, row in zip(made.points, numbers, strict=True)]
    columns = [one for one in zip(heads, "llddddl", *texts, strict=True) if any(one[2:])]
    names, align, *rows = zip(*columns, strict=True)
    return Section("history", "History", [*blocks, DataTable("Masses of the revisions", names, "".join(align), rows)])


def trend_picture(made: Trend) -> Picture:
    """Draw a trend; the margin is drawn where a limit is known."""
    pairs = [(x, one) for x, one in zip(made.places, made.points, strict=True) if not one.fault]
    margins = [(x, value) for x, one in pairs if (value := made.margin_percent(one)) is not None]
    title = f"Mass of {made.item} over {count_with_noun(len(made.points), 'revision')}"
    words = f"{made.known[0].label} to {made.last.label}; the table of the revisions has the numbers"
    picture = Picture(title, words, _WIDTH, (_MARGIN_BOTTOM if margins else _BOTTOM) + 36)
    picture.text(_LEFT, 22, fitted_text(title, _WIDTH - _LEFT - _RIGHT, 15), "ink", 15, bold=True)
    ahead, plan, lines = _forecast_curve(made), _plan_line(made), _mass_lines(pairs)
    known = [(x, one.basic, _K * one.sigma) for x, one in pairs if one.sigma is not None and one.basic is not None]
    banded = [(x, mass - half, mass + half) for x, mass, half in known] if any(half for *_, half in known) else []
    xs = [x for x, _ in pairs] + [x for x, *_ in ahead] + [x for x, _ in plan]
    across = Scale(min(xs), max(xs), _LEFT, _WIDTH - _RIGHT).widened(0.02)
    values = [y for _, curve, _, _ in lines for _, y in curve] + [y for _, y in plan]
    values += [y for _, *several in (*ahead, *banded) for y in several]
    if made.pending is not None:
        values += [(made.last.mass or 0.0) + one for one in (made.pending.low, made.pending.high)]
    up = Scale(min(values), max(values), _BOTTOM, _TOP).widened()
    marks = _date_marks(across) if made.has_dates else _number_marks(made, across)
    picture.y_axis(up, _LEFT, f"mass {made.units[0]}".rstrip(), _WIDTH - _RIGHT)
    picture.x_axis(across, _BOTTOM, marks=marks)
    if banded:
        at, lows, highs = zip(*((across(x), up(low), up(high)) for x, low, high in banded), strict=True)
        picture.band(at, lows, highs, "teal", f"basic mass ± {_K:g} σ")
    lines += _draw_outlook(picture, made, (across, up), ahead, plan)
    for name, curve, role, dash in lines:
        if curve:
            picture.line([(across(x), up(y)) for x, y in curve], role, 2, name, dash=dash)
    for x, one in pairs:
        role = "blue" if one.predicted is not None else "teal"
        picture.dot(across(x), up(one.mass or 0.0), role, 3.2, _tip(one, made.units[0]))
    for x, one in zip(made.places, made.points, strict=True):
        if one.fault and isfinite(x) and across.low <= x <= across.high:
            picture.dot(across(x), _BOTTOM, "red", 4, f"{one.label}: {one.fault}")
    _legend(picture, [(name, role, dash) for name, _, role, dash in lines])
    if margins:
        _margin_panel(picture, made, margins, across, marks)
    return picture


def _draw_outlook(
    picture: Picture, made: Trend, scales: tuple[Scale, Scale], ahead: Sequence[tuple[float, ...]], plan: _Places
) -> list[tuple[str, _Places, str, str]]:
    """Draw forecast and pending changes, and return their lines of the legend, and the curve of the plan."""
    (across, up), lines = scales, list[tuple[str, _Places, str, str]]()
    if ahead:
        at = [across(x) for x, *_ in ahead]
        low, high = ([up(row[k]) for row in ahead] for k in (2, 3))
        picture.band(at, low, high, "purple", forecast_title(made))
        picture.line([(x, up(row[1])) for x, row in zip(at, ahead, strict=True)], "purple", 1.5, dash="6 4")
        lines.append(("forecast, 95 %", [], "purple", "6 4"))
    if plan:
        lines.append(("plan", plan, "amber", "2 3"))
    if made.pending is not None:
        x, mass, unit = across(made.places[made.points.index(made.last)]) + 6, made.last.mass or 0.0, made.units[0]
        picture.line([(x, up(mass + made.pending.low)), (x, up(mass + made.pending.high))], "orange", 3)
        tip = f"pending changes: expected {made.pending.expected:+.4g} {unit}, 90 % on the line"
        picture.dot(x, up(mass + made.pending.expected), "orange", 4, tip)
        lines.append(("pending, 90 %", [], "orange", ""))
    return lines


def _mass_lines(pairs: Sequence[tuple[float, TrendPoint]]) -> list[tuple[str, _Places, str, str]]:
    """Return the curves of the masses and of the limit: name, points, colour and dash."""
    names = (("limit", "red", "8 3"), ("basic", "teal", ""), ("predicted", "blue", ""))
    known = {name: [(x, y) for x, one in pairs if (y := getattr(one, name)) is not None] for name, _, _ in names}
    return [(name, known[name], role, dash) for name, role, dash in names if known[name]]


def _tip(one: TrendPoint, unit: str) -> str:
    """Write the numbers of a revision."""
    numbers = {"basic": one.basic, "predicted": one.predicted, "limit": one.limit}
    texts = [f"{name} {value:.6g} {unit}".rstrip() for name, value in numbers.items() if value is not None]
    return f"{one.label} {one.date[:10]}: {', '.join(texts)}"


def _plan_line(made: Trend) -> list[tuple[float, float]]:
    """Return places and greatest masses of the plan: at its milestones and at the revisions."""
    if made.planned is None:
        return []
    found = [(x, y) for x, y in zip(made.places, made.planned.allowed, strict=True) if y is not None]
    dated = [one for one in made.planned.milestones if one.day and one.allowed is not None and made.has_dates]
    found += [(place_of_date(one.day), one.allowed or 0.0) for one in dated]
    return sorted(found)


def _forecast_curve(made: Trend) -> list[tuple[float, float, float, float]]:
    """Return places, forecast and the ends of its interval, from the first point to half a span beyond the last."""
    if made.forecast is None:
        return []
    start = made.forecast.last - made.forecast.span
    xs = np.linspace(start, made.forecast.last + made.forecast.span / 2, _FORECAST_STEPS)
    return list(zip(xs.tolist(), *(one.tolist() for one in made.forecast.at(xs)), strict=True))


def _date_marks(scale: Scale) -> list[tuple[float, str]]:
    """Return marks at the beginnings of months, or at days where there are fewer than two."""
    epoch = date(1970, 1, 1)
    first, last = (epoch + timedelta(days=max(min(x, 2_900_000), -719_000)) for x in (scale.low, scale.high))
    months = [date(k // 12, k % 12 + 1, 1) for k in range(first.year * 12 + first.month, last.year * 12 + last.month)]
    places = [(float((day - epoch).days), day.isoformat()[:7]) for day in months]
    if len(places) < 2:
        whole = dict.fromkeys(round(x) for x in scale.marks)
        places = [(float(x), (epoch + timedelta(days=x)).isoformat()) for x in whole]
    return [pair for k, pair in enumerate(places) if k % (1 + (len(places) - 1) // _MOST_MARKS) == 0]


def _number_marks(made: Trend, scale: Scale) -> list[tuple[float, str]]:
    """Return marks with the labels of revisions."""
    step = 1 + (len(made.points) - 1) // _MOST_MARKS
    room = (scale.end - scale.start) / max(len(made.points) / step, 1)
    listed = list(zip(made.places, made.points, strict=True))[::step]
    return [(x, fitted_text(one.label, room, 11)) for x, one in listed]


def _legend(picture: Picture, names: Sequence[tuple[str, str, str]]) -> None:
    """Write the names of the lines above the picture."""
    x = _LEFT + 60
    for name, role, dash in names:
        picture.line([(x, 44), (x + 22, 44)], role, 2.5, dash=dash)
        picture.text(x + 27, 48, name, "ink", 12)
        x += 27 + text_width(name, 12) + 22


def _margin_panel(picture: Picture, made: Trend, margins: _Places, across: Scale, marks: _Marks) -> None:
    """Draw the margin in percent, and the margin that the plan requires."""
    plan = None if made.planned is None else made.planned.plan
    limit = made.last.limit if plan is None or plan.limit is None else plan.limit
    needed = [(x, plan.margin_percent(most, limit)) for x, most in _plan_line(made)] if plan and limit else []
    values = [y for _, y in (*margins, *needed)]
    up = Scale(min(*values, 0.0), max(*values, 0.0), _MARGIN_BOTTOM, _MARGIN_TOP, 4)
    picture.y_axis(up, _LEFT, "margin %", _WIDTH - _RIGHT)
    picture.x_axis(across, _MARGIN_BOTTOM, marks=marks)
    for name, curve, role, dash in (("required by the plan", needed, "amber", "2 3"), ("margin", margins, "blue", "")):
        if curve:
            picture.line([(across(x), up(y)) for x, y in curve], role, 2, name, dash=dash)
    for x, y in margins:
        picture.dot(across(x), up(y), "blue", 3, f"margin {y:.2f} %")
