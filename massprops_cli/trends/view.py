"""A trend on the screen, in Markdown, as a sheet of steps, and as OpenMetrics with time stamps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, nan

from massprops_cli.files.workbook.sheet_xml import CellLook, OutputSheet
from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.formats.openmetrics import gauge_lines, metric_factor
from massprops_cli.reports.page.conventions import (
    decimal_exponent,
    formatted_number,
    number_and_sigma,
    rounded_text,
    unit_text,
)
from massprops_cli.reports.page.findings import escape_markdown_cell, markdown_table
from massprops_cli.reports.page.page import UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.trends.points import TrendPoint
from massprops_cli.trends.trend import Trend

_ROWS, _STEPS = 12, 3  # revisions and steps that a screen shows; -v shows all
_SPARKS = 40  # columns of a _sparkline
_STATE_STYLES = {"kept": "good", "missed": "bad", "due": "dim", "unknown": "warn"}


def trend_blocks(made: Trend, symbols: Symbols, *, failed: bool, in_full: bool) -> list[PageBlock]:
    """Lay out the curves, the revisions, the latest steps, plan, pending changes and forecast."""
    blocks: list[PageBlock] = [text_line(symbols.mark(failed), " ", TextSpan(_title(made), "strong"))]
    blocks += [Line(), _spark_grid(made, symbols), Line(), _point_grid(made, symbols, in_full=in_full)]
    for point in [one for one in made.known if one.step is not None][-(len(made.points) if in_full else _STEPS) :]:
        blocks += [Line(), *_step_blocks(made, point, symbols)]
    for title, grid in _outlook_grids(made, symbols):
        blocks += [Line(), text_line(TextSpan(title, "strong")), grid]
    notes = [f"{symbols.sigma} is of the basic mass", _margin_formula(made)]
    hidden = len(made.points) - _ROWS
    if hidden > 0 and not in_full:
        notes.append(f"first {count_with_noun(hidden, 'revision')} and earlier steps: -v")
    return [*blocks, Line(), text_line(TextSpan("; ".join(filter(None, notes)), "dim"))]


def _margin_formula(made: Trend) -> str:
    """Return the formula of the margin; empty without a limit."""
    of_limit = made.planned is not None and made.planned.plan.of_limit
    known = made.margin_percent(made.last) is not None
    return f"margin (limit − mass) / {'limit' if of_limit else 'mass'}" if known else ""


def _title(made: Trend) -> str:
    """Return the item, the number of revisions and the days."""
    days = [one.date[:10] for one in made.known if one.date]
    span = f", {days[0]} to {days[-1]}" if made.has_dates and len(days) > 1 else ""
    return f"{made.item} over {count_with_noun(len(made.points), 'revision')}{span}"


def _sparkline(values: Sequence[float | None], symbols: Symbols) -> str:
    """Draw values as blocks from the least to the greatest, at most forty; unknown ones are blanks."""
    picked = [values[k * len(values) // _SPARKS] for k in range(1, _SPARKS)] if len(values) > _SPARKS else list(values)
    picked += [values[-1]] if len(values) > _SPARKS else []
    known = [one for one in picked if one is not None]
    low, high, steps = min(known, default=0.0), max(known, default=0.0), len(symbols.heights) - 1
    spread = high - low if high - low > 1e-12 * max(abs(low), abs(high)) else 0.0  # rounding is flat
    return "".join(
        " " if one is None else symbols.heights[round((one - low) / spread * steps) if spread else steps // 2]
        for one in picked
    )


def _spark_grid(made: Trend, symbols: Symbols) -> Grid:
    """Return a row for each quantity: first and last value, and the curve between them."""
    mass, length = (unit_text(unit, symbols) for unit in made.units)
    percents = ("coverage", "estimated", "calculated", "weighed")
    rows, frame = [], made.rows()
    units = dict.fromkeys(("basic", "sigma", "growth", "predicted", "margin"), mass)
    for name in (*units, *percents, "Cx", "Cy", "Cz"):
        values = [row[name] for row in frame]
        known = [one for one in values if one is not None]
        if not known or (name in ("coverage",) and min(known) == 1):
            continue
        factor, unit = (100, "%") if name in percents else (1, units.get(name, length))
        ends = [TextSpan(formatted_number(factor * one, 6)) for one in (known[0], known[-1])]
        label = symbols.sigma if name == "sigma" else name
        curve = TextSpan(_sparkline(values, symbols), "bar")
        rows.append([TextSpan(label), ends[0], TextSpan(symbols.arrow, "dim"), ends[1], TextSpan(unit, "dim"), curve])
    return Grid(rows, "ldldll")


def _grid(heads: Sequence[str], align: str, rows: Sequence[Sequence[TextSpan]], drops: Sequence[int] = ()) -> Grid:
    """Return a grid without the columns that are blank; a narrow screen lacks those of ``drops``, the first first."""
    shown = [k for k in range(len(heads)) if any(row[k].text for row in rows if k < len(row))]
    cells = [[TextSpan(heads[k].rstrip(), "dim") for k in shown]]
    cells += [[row[k] if k < len(row) else TextSpan("") for k in shown] for row in rows]
    return Grid(
        cells, "".join(align[k] for k in shown), shrink=0, drops=[[shown.index(k)] for k in drops if k in shown]
    )


def _point_grid(made: Trend, symbols: Symbols, *, in_full: bool) -> Grid:
    """Return a row for each revision; those without numbers state so."""
    rows = []
    for one in made.points if in_full else made.points[-_ROWS:]:
        label, day = TextSpan(one.label, "" if one.fault else "strong"), TextSpan(one.date[:10], "dim")
        if one.fault:
            rows.append([label, day, TextSpan("-"), TextSpan("no numbers", "warn")])
            continue
        number, spread = number_and_sigma(one.basic or 0.0, nan if one.sigma is None else one.sigma, symbols)
        change = one.step.change.get("mass") if one.step is not None else None
        percent = made.margin_percent(one)
        style = "bad" if percent is not None and percent < 0 else ""
        texts = ["" if change is None else _signed(change, made.last.mass)]
        texts.append("" if one.predicted is None else _fixed_text(one.predicted, made.last.mass))
        last = [TextSpan("" if percent is None else f"{percent:.1f}", style), TextSpan(_plan_percent(made, one))]
        rows.append([label, day, TextSpan(number), TextSpan(spread, "dim"), *map(TextSpan, texts), *last])
    heads = ("revision", "date", f"basic {unit_text(made.units[0], symbols)}", "", "change", "predicted")
    return _grid((*heads, "margin %", "plan %"), "lldsdddd", rows, (1, 7, 5))


def _plan_percent(made: Trend, point: TrendPoint) -> str:
    """Write the margin that the plan requires at a revision."""
    limit = (made.planned.plan.limit or point.limit) if made.planned is not None else None
    allowed = None if made.planned is None else made.planned.allowed[made.points.index(point)]
    if made.planned is None or limit is None or allowed is None:
        return ""
    return f"{made.planned.plan.margin_percent(allowed, limit):.1f}"


def _fixed_text(value: float, total: float | None) -> str:
    """Write a mass to the last of six digits of a total."""
    return rounded_text(value, min(decimal_exponent(total, 6) - 5, 0)) if total else formatted_number(value, 6)


def _signed(value: float, total: float | None = None) -> str:
    """Write a change with its sign, to six digits of its total; one below the rounding of the total is 0."""
    if abs(value) <= 1e-12 * abs(total or 0.0):
        return "0"
    text = _fixed_text(value, total)
    text = text if text.strip("-0.") else formatted_number(value, 3)
    return text if text.startswith("-") else f"+{text}"


def _step_blocks(made: Trend, point: TrendPoint, symbols: Symbols) -> list[PageBlock]:
    """Lay out the step to a revision: each item with its contributions, the rest as one."""
    step = point.step
    assert step is not None
    head = f"{step.previous} {symbols.arrow} {point.label}"
    more = [text for text in (*step.notes, step.fault, point.subject) if text]
    title = text_line(TextSpan(head, "strong"), TextSpan(f"  {'; '.join(more)}" if more else "", "dim"), hang=2)
    rows = []
    names = [one.id if one.id.endswith(one.name) else f"{one.id} {one.name}" for one in step.items]
    listed = [(name, ", ".join(a.changes), a.parts, a.reason) for name, a in zip(names, step.items, strict=True)]
    if any(step.rest.values()) and not step.fault:
        listed.append((count_with_noun(step.n_rest, "other item"), "", step.rest, ""))
    shown = {
        "mass": True,
        "predicted_mass": any(one[2].get("predicted_mass") != one[2].get("mass") for one in listed),
        "sigma_mass": any(one[2].get("sigma_mass") and not one[2].get("mass") for one in listed),
    }
    for name, words, parts, reason in listed:
        texts = [_signed(parts[one], made.last.mass) if shown[one] and one in parts else "" for one in shown]
        rows.append([TextSpan(name), TextSpan(words, "dim"), *map(TextSpan, texts), TextSpan(reason, "dim")])
    if not rows:
        return [title, *([text_line(TextSpan("  no item changed", "dim"))] if not step.fault else [])]
    heads = ("item", "change", f"basic {unit_text(made.units[0], symbols)}", "predicted", symbols.sigma, "reason")
    return [title, _grid(heads, "lldddl", rows, (5, 3))]


def _outlook_grids(made: Trend, symbols: Symbols) -> Iterator[tuple[str, Grid]]:
    """Yield milestones, pending changes and the forecast as grids with their titles."""
    unit = unit_text(made.units[0], symbols)
    if made.planned is not None:
        rows = []
        for one in made.planned.milestones:
            numbers = [(one.margin, 3), (one.required_margin, 3), (one.allowed, 6)]
            texts = [TextSpan("" if x is None else formatted_number(x, digits)) for x, digits in numbers]
            state = TextSpan(one.state, _STATE_STYLES[one.state])
            rows.append([TextSpan(one.name), TextSpan(one.day, "dim"), TextSpan(one.revision), *texts, state])
        heads = ("milestone", "date", "revision", "margin %", "required %", f"allowed {unit}", "state")
        yield "plan", _grid(heads, "lllrrdl", rows, (1,))
    if made.pending is not None:
        rows = []
        for change in made.pending.changes:
            bounds = [TextSpan(formatted_number(x, 4)) for x in (change.low, change.likely, change.high)]
            more = [TextSpan(f"{100 * change.probability:.3g} %"), TextSpan(str(change.due or ""), "dim")]
            rows.append([TextSpan(change.item or made.item), *bounds, *more, TextSpan(change.reason, "dim")])
        sums = made.pending
        expected, low, high = (_signed(end, made.last.mass) for end in (sums.expected, sums.low, sums.high))
        total = f"expected {expected} {unit}, 90 % between {low} and {high} {unit}"
        heads = ("item", "low kg", "likely kg", "high kg", "probability", "due", "reason")
        yield f"threats and opportunities: {total}", _grid(heads, "ldddrll", rows, (5, 6))
    if made.forecast is not None:
        of = made.forecast.to_dict(made.last.limit, made.place_text)
        rows = []
        for row in of["at"]:
            ends = [TextSpan(formatted_number(row[name], 6)) for name in ("value", "low", "high")]
            rows.append([TextSpan(str(row["at"])), *ends])
        yield forecast_title(made), _grid(("at", f"{of['of']} {unit}", "from", "to"), "lddd", rows)


def forecast_title(made: Trend) -> str:
    """Describe the model of a forecast, and when its interval reaches the limit."""
    assert made.forecast is not None
    of = made.forecast.to_dict(made.last.limit, made.place_text)
    model = "straight line" if of["model"] == "line" else "curve of growth"
    text = f"forecast: {model} through {count_with_noun(of['n'], 'point')}, with its 95 % prediction interval"
    if (reached := of["reaches_limit"]) is None:
        return text
    if reached["earliest"] is None:
        return f"{text}; the interval does not reach the limit"
    ends = [f"{word} {reached[word] or 'never'}" for word in ("earliest", "likely", "latest")]
    return f"{text}; reaches the limit {', '.join(ends)}"


def trend_markdown(made: Trend) -> str:
    """Write the revisions, the last step and the outlook as Markdown, for a comment on a pull request."""
    lines = [f"# {escape_markdown_cell(_title(made))}", ""]
    grids = [("", _point_grid(made, UNICODE, in_full=True))]
    for point in [one for one in made.known if one.step is not None][-1:]:
        head, *more = _step_blocks(made, point, UNICODE)
        grids += [(head.text, one) for one in more if isinstance(one, Grid) and isinstance(head, Line)]
    grids += _outlook_grids(made, UNICODE)
    for title, grid in grids:
        heads, *rows = [[cell.text for cell in row] for row in grid.rows]
        align = "".join("l" if letter == "l" else "r" for letter in grid.align)
        lines += ["", f"**{escape_markdown_cell(title)}**", ""] if title else []
        lines += markdown_table(heads, align, [row + [""] * (len(heads) - len(row)) for row in rows])
    return "\n".join(lines) + "\n"


def steps_sheet(made: Trend) -> OutputSheet:
    """Write the steps to a worksheet: a row for each item, and one for the rest."""
    rows = [row for row in made.step_rows() if row["change"] != "rounding"]
    heads = ["from", "revision", "item", "change", f"basic [{made.units[0]}]", f"predicted [{made.units[0]}]", "reason"]
    names = ("from", "revision", "item", "change", "basic", "predicted", "reason")
    return OutputSheet(
        "Steps",
        [[head.removesuffix(" []") for head in heads], *([row[name] for name in names] for row in rows)],
        looks={(0, column): CellLook.NUMBER_HEADER for column in (4, 5)},
        number_formats={4: "+0.000;-0.000;0", 5: "+0.000;-0.000;0"},
        text_indents={6: 1},
        own=True,
    )


def trend_metrics(made: Trend) -> str:
    """Write masses, margins and centres as OpenMetrics in base units; points with a date have a time stamp."""
    lines: list[str] = []
    mass, per_mass = metric_factor(made.units[0], "kilograms")
    length, per_length = metric_factor(made.units[1], "meters")
    families: dict[tuple[str, str, str], dict[tuple[tuple[str, str], ...], list[tuple[float, float | None]]]] = {}

    ordered = sorted(zip(made.places, made.points, strict=True), key=lambda pair: pair[0])
    for x, one in ordered if made.has_dates else ordered[-1:]:  # without stamps a series has one point

        def add(name: str, words: str, value: float | None, x: float = x, **labels: str) -> None:
            if value is not None and isfinite(value):
                key = (("item", made.item), *labels.items())
                unit, factor = (length, per_length) if name == "center" else (mass, per_mass)
                number = factor * value, x * 86_400 if made.has_dates else None
                families.setdefault((f"massprops_{name}", unit, words), {}).setdefault(key, []).append(number)

        for basis, value in (("basic", one.basic), ("predicted", one.predicted)):
            add("mass", "Mass of an item, including its parts.", value, basis=basis)
        add("mass_sigma", "One standard deviation of the mass.", one.sigma)
        add("limit", "Largest mass by the budget.", one.limit)
        add("margin", "Limit less mass.", one.margin)
        for axis, value in zip("xyz", one.center or (None,) * 3, strict=True):
            add("center", "Centre of mass in the frame of the table.", value, axis=axis)
    for (name, unit, words), points in families.items():
        lines += gauge_lines(name, unit, words, points)
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))
