"""Contributors to an uncertainty, the heaviest leaves of a mass, and reconciled lists, in all report formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any

import numpy as np

from massprops_cli.bom.contributions import Contribution, Contributions, MassPareto, WeighingGain
from massprops_cli.bom.results.table_edit import coherent_unit, result_header
from massprops_cli.budgets.model import Verdict
from massprops_cli.findings.finding import count_with_noun, name_series
from massprops_cli.reconciliations.reconciliation import PREFIX, Reconciliation
from massprops_cli.reports.limits import limit_blocks
from massprops_cli.reports.page.conventions import (
    formatted_number,
    number_and_sigma,
    number_or_dash,
    percent_text,
    sigma_text,
    sign_words,
    unit_text,
    value_with_sigma,
)
from massprops_cli.reports.page.findings import csv_text, escape_markdown_cell, markdown_row, markdown_table
from massprops_cli.reports.page.page import UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line

_MAIN_SHARE, _MEMBERS_SHOWN = 0.8, 3
"""Share of the variance for the count in the first line; members of a group that are listed."""
_ContributionAnswer = Contributions | MassPareto
_MEASURED_SHOWN, _HYPOTHESES_SHOWN = 8, 4  # rows of a usual screen; full, JSON and CSV have all
_GOOD = 0.01  # p from which hypotheses are not shown on a usual screen


def _variance_grid(answer: Contributions, rows: Sequence[Contribution], symbols: Symbols) -> Grid:
    """Return the contributors as a grid; a narrow screen lacks the sigmas of inputs."""
    heads = ("contributor", "share", "cumulative", "main input", "", "input sigma", "", "derivative", "")
    cells, bars = [[TextSpan(text, "dim") for text in heads]], [0.0]
    for row in rows:
        cells.append(_contribution_cells(answer, row, symbols))
        bars.append(row.share)
        for part in row.parts[:_MEMBERS_SHOWN]:
            inside = [TextSpan(f"  {part.name}", "dim"), TextSpan(percent_text(part.share), "dim")]
            cells.append(inside + [TextSpan("")] * (len(heads) - 2))
            bars.append(0.0)
        if len(row.parts) > _MEMBERS_SHOWN:
            more = TextSpan(f"  {symbols.rest} and {len(row.parts) - _MEMBERS_SHOWN:,} more", "dim")
            cells.append([more] + [TextSpan("")] * (len(heads) - 1))
            bars.append(0.0)
    kept = (0, 1, 2, 3, 4, 7, 8)
    narrow = Grid([[row[j] for j in kept] for row in cells], "lrrlrdl", shrink=0)
    return Grid(cells, "lrrlrdldl", bars, shrink=0, narrow=narrow)


def _contribution_cells(answer: Contributions, row: Contribution, symbols: Symbols) -> list[TextSpan]:
    """Return the cells of one contributor."""
    name = row.name + (f"  {row.label}" if row.label else "")
    if row.parts:
        name += f"  ({count_with_noun(len(row.parts), 'group' if row.kind == 'coupled groups' else 'leaf')})"
    of, by = (unit_text(unit, symbols) for unit in (answer.unit, answer.unit_of(row.input)))
    per = (f"{of}/({by})" if "/" in by else f"{of}/{by}") if of and by and of != by else ""
    return [
        TextSpan(name),
        TextSpan(percent_text(row.share), "strong"),
        TextSpan(percent_text(min(row.cumulative, 1.0)), "dim"),
        TextSpan(row.input if row.share else ""),
        TextSpan(percent_text(row.input_share) if row.share else "", "dim"),
        TextSpan(number_or_dash(row.input_sigma, 3)),
        TextSpan(by if row.input_sigma is not None else "", "dim"),
        TextSpan(number_or_dash(row.derivative, 4)),
        TextSpan(per if row.derivative is not None else "", "dim"),
    ]


def _weighing_line(weighed: WeighingGain, unit: str, symbols: Symbols) -> Line:
    """Report the gain from weighing."""
    return text_line(
        "  weigh ",
        TextSpan(name_series(weighed.names), "strong"),
        ": sigma decreases from ",
        TextSpan(formatted_number(weighed.before, 3)),
        " to ",
        TextSpan(formatted_number(weighed.after, 3), "good"),
        f" {unit_text(unit, symbols)}".rstrip(),
        TextSpan(" (weighed masses used as exact)", "dim"),
        hang=2,
    )


def _variance_conventions(answer: Contributions, symbols: Symbols) -> list[str]:
    """Return the conventions of the numbers."""
    words = ["first-order, full covariance", "units as shown" if answer.bom.units.stated else "units not stated"]
    if answer.budget.sharing.is_none:
        words.append("part uncertainties independent")
    else:
        words.append("shared uncertainty of a group is one row, its members below it")
    if answer.of in ("Ixy", "Ixz", "Iyz"):
        words.append(f"products of inertia: {sign_words(symbols)}")
    if answer.of[0] in "Ik":
        words.append("inertia about the CG of the item")
    if answer.is_near:
        gap = formatted_number(answer.budget.gap, 2)
        words.append(f"{answer.of} is {gap} sigma from the next principal moment; first order is unreliable")
    return words


def _pareto_blocks(answer: MassPareto, symbols: Symbols, top: int, failed: bool) -> list[PageBlock]:
    """Show the heaviest leaves of an item with shares and bars."""
    unit = unit_text(answer.unit, symbols)
    rows = list(answer.rows(top))
    cells = [[TextSpan(text, "dim") for text in ("item", "pieces", f"mass {unit}".rstrip(), "share", "cumulative")]]
    cells += [
        [
            TextSpan(row.name + (f"  {row.label}" if row.label else "")),
            TextSpan("" if row.pieces == 1 else formatted_number(row.pieces), "dim"),
            TextSpan(formatted_number(row.mass, 5), "strong"),
            TextSpan(percent_text(row.share)),
            TextSpan(percent_text(row.cumulative), "dim"),
        ]
        for row in rows
    ]
    align = "lrdrr"
    if not any(row[1].text for row in cells[1:]):
        cells, align = [[row[0], *row[2:]] for row in cells], "ldrr"
    total = f"{formatted_number(answer.total)} {unit}".rstrip()
    blocks: list[PageBlock] = [
        text_line(symbols.mark(failed), " ", TextSpan(f"Contributors to mass, {answer.id}", "strong"), f": {total}"),
        Line(),
        Grid(cells, align, [0.0, *(abs(row.share) for row in rows)], shrink=0),
    ]
    if left := len(answer) - len(rows):
        rest = percent_text(1.0 - rows[-1].cumulative)
        blocks.append(text_line(TextSpan(f"  {symbols.rest} and {left:,} more, {rest} of mass", "dim")))
    return blocks


def _pareto_markdown(answer: MassPareto, top: int) -> str:
    """Write the heaviest leaves as Markdown."""
    unit = unit_text(answer.unit, UNICODE)
    lines = [
        f"# Contributors to mass, {escape_markdown_cell(answer.id)}",
        "",
        f"| item | mass {unit} | share | cumulative |",
        "|---|--:|--:|--:|",
    ]
    for row in answer.rows(top):
        numbers = formatted_number(row.mass), percent_text(row.share), percent_text(row.cumulative)
        lines.append(markdown_row((row.name, *numbers)))
    return "\n".join(lines) + "\n"


def contribution_title(answer: _ContributionAnswer) -> str:
    """Return the title of printed pages."""
    if isinstance(answer, MassPareto):
        return f"Contributors to mass, {answer.id}: {formatted_number(answer.total)} {answer.unit}".rstrip()
    value = f"{value_with_sigma(answer.value, answer.sigma, UNICODE)} {unit_text(answer.unit, UNICODE)}".rstrip()
    return f"Contributors to {answer.of.replace('_', ' ')} uncertainty, {answer.id}: {value}"


def contribution_heading(answer: _ContributionAnswer, name: str) -> str:
    """Return the heading of a column of a worksheet: its words, and its unit if all rows have one."""
    words = {"input": "main input", "input_share": "share of main input", "input_sigma": "σ of main input"}
    units = {answer.unit} if isinstance(answer, MassPareto) else {answer.unit_of(row.input) for row in answer.rows()}
    unit = unit_text(next(iter(units), ""), UNICODE) if len(units) == 1 and name in ("input_sigma", "mass") else ""
    return words.get(name, name) + (f" [{unit}]" if unit else "")


def contribution_blocks(
    answer: _ContributionAnswer, symbols: Symbols, top: int, weigh: int, *, failed: bool
) -> list[PageBlock]:
    """Lay out the largest contributions and the gain from weighing."""
    if isinstance(answer, MassPareto):
        return _pareto_blocks(answer, symbols, top, failed)
    n = len(answer)
    few = int((answer.budget.share.cumsum() < _MAIN_SHARE).sum()) + 1
    whole = f"{n:,} rows" if answer.budget.kind.any() else count_with_noun(n, "leaf")  # kind 0 is a leaf
    verb = "contributes" if few == 1 else "contribute"
    found = f"{few:,} of {whole} {verb} at least {100 * _MAIN_SHARE:.0f} % of the variance"
    if answer.sigma == 0:
        found = "no uncertainty, all sigmas are 0"
    unit = unit_text(answer.unit, symbols)
    value = f"{answer.of} = {value_with_sigma(answer.value, answer.sigma, symbols)} {unit}".rstrip()
    title = TextSpan(f"Contributors to {answer.of.replace('_', ' ')} uncertainty, {answer.id}", "strong")
    head = text_line(symbols.mark(failed), " ", title, f": {found}", hang=2)
    blocks: list[PageBlock] = [head, text_line("  ", TextSpan(value, "strong")), Line()]
    if answer.sigma > 0:
        rows = list(answer.rows(top))
        blocks.append(_variance_grid(answer, rows, symbols))
        if left := len(answer) - len(rows):
            rest = percent_text(max(1.0 - rows[-1].cumulative, 0.0))
            blocks.append(text_line(TextSpan(f"  {symbols.rest} and {left:,} more, {rest} of the variance", "dim")))
        weighed = answer.weighed(weigh)
        if weighed.names:
            blocks += [Line(), _weighing_line(weighed, answer.unit, symbols)]
    return [*blocks, Line(), text_line(TextSpan("; ".join(_variance_conventions(answer, symbols)), "dim"))]


def contribution_markdown(answer: _ContributionAnswer, top: int, weigh: int) -> str:
    """Write the largest contributions as Markdown."""
    if isinstance(answer, MassPareto):
        return _pareto_markdown(answer, top)
    value = f"{value_with_sigma(answer.value, answer.sigma, UNICODE)} {unit_text(answer.unit, UNICODE)}".rstrip()
    lines = [
        f"# Contributors to {answer.of.replace('_', ' ')} uncertainty, {escape_markdown_cell(answer.id)}",
        "",
        f"{answer.of} = {value}",
        "",
        *markdown_table(("contributor", "share", "cumulative", "main input", "input sigma", "derivative"), "lrrlrr"),
    ]
    for row in answer.rows(top):
        name, share, whole, source, part, sigma, unit, slope, per = (
            c.text for c in _contribution_cells(answer, row, UNICODE)
        )
        lines.append(markdown_row((name, share, whole, f"{source} {part}", f"{sigma} {unit}", f"{slope} {per}")))
    weighed = answer.weighed(weigh)
    if weighed.names:
        lines += ["", escape_markdown_cell(_weighing_line(weighed, answer.unit, UNICODE).text.strip() + ".")]
    return "\n".join([*lines, "", "; ".join(_variance_conventions(answer, UNICODE)) + "."]) + "\n"


def contribution_lines(answer: _ContributionAnswer, top: int) -> str:
    """Write the largest contributions, one on each line: name, share, main input."""
    if isinstance(answer, MassPareto):
        return "".join(f"{row.name}: {percent_text(row.share)} of the mass\n" for row in answer.rows(top))
    return "".join(
        f"{row.name}: {percent_text(row.share)} of the variance of {answer.of}, main input {row.input}\n"
        for row in answer.rows(top)
        if row.share
    )


def contribution_dict(answer: _ContributionAnswer, top: int | None, weigh: int) -> dict[str, Any]:
    """Return the contributions as plain JSON values."""
    return answer.to_dict(top) if isinstance(answer, MassPareto) else answer.to_dict(top, weigh)


def contribution_rows(answer: _ContributionAnswer, top: int | None) -> Iterator[dict[str, Any]]:
    """Yield contributions as plain values."""
    yield from contribution_dict(answer, top, 0)["shares" if isinstance(answer, MassPareto) else "contributions"]


def reconcile_blocks(
    answer: Reconciliation, symbols: Symbols, limits: Sequence[Sequence[Verdict]] = (), *, shows_all: bool = False
) -> list[PageBlock]:
    """Lay out an answer: fit, measurements, values of the root, limits before and after, hypotheses and plan."""
    is_bad = bool(answer.measured) and answer.p < _GOOD
    words = f"list and {count_with_noun(answer.degrees, 'measurement')} "
    words += "disagree" if is_bad else "agree" if answer.measured else "without fit"
    head = TextSpan(f"{answer.bom.table.source.name}: {words}", "strong")
    is_broken = any(one.is_broken for after in limits[1:] for one in after)
    # a cross is an exit code of 1
    mark = TextSpan("!", "warn") if is_bad and not is_broken else symbols.mark(is_broken)
    blocks: list[PageBlock] = [text_line(mark, " ", head)]
    if answer.measured:
        square = "chi2" if symbols.sigma == "sigma" else "χ²"
        fit = f"{square} {answer.chi2:.3g}, {count_with_noun(answer.degrees, 'degree')} of freedom, p {answer.p:.2g}"
        blocks += [text_line(f"  {fit}"), Line(), *_measured_blocks(answer, symbols, shows_all=shows_all), Line()]
        blocks += [Grid(_value_rows(answer, symbols), "lrsrsl", shrink=0)]
    if limits:
        blocks += limit_blocks(limits[1], symbols, shows_all=shows_all, before=limits[0])
    if is_bad or (shows_all and answer.hypotheses):
        most = None if shows_all else _HYPOTHESES_SHOWN
        rows = [[TextSpan(text, "dim") for text in ("hypothesis", "probability", "remaining misfit")]]
        rows += [
            [
                TextSpan(one.text, "strong" if k == 0 else ""),
                TextSpan(percent_text(one.share)),
                TextSpan(f"{one.chi2:.3g}"),
            ]
            for k, one in enumerate(answer.hypotheses[:most])
        ]
        blocks += [Line(), Grid(rows, "lrr", shrink=0)]
    if answer.plan is not None:
        blocks += [Line(), *_plan_blocks(answer, symbols)]
    return [*blocks, Line(), *(text_line(TextSpan(text, "dim")) for text in _closing_lines(answer, symbols))]


def _measured_blocks(answer: Reconciliation, symbols: Symbols, *, shows_all: bool) -> list[PageBlock]:
    """Return a table of the measurements, and of scales."""
    rows = [[TextSpan(text, "dim") for text in ("measured", "value", "", "listed", "reconciled", "", "residual")]]
    far = sorted(answer.measured, key=lambda one: -abs(one.residual))[:_MEASURED_SHOWN]
    measured = [one for one in answer.measured if shows_all or one in far]
    sigma = symbols.sigma
    for one in measured:
        value, spread = number_and_sigma(one.value, one.sigma, symbols)
        numbers = (formatted_number(one.expected), formatted_number(one.fitted), unit_text(one.unit, symbols))
        texts = (f"{one.item} {one.quantity}", value, spread, *numbers, f"{one.residual:+.1f} {sigma}")
        is_far = abs(one.residual) > 3
        rows.append([TextSpan(text, "bad" if is_far and j == 6 else "") for j, text in enumerate(texts)])
    blocks: list[PageBlock] = [Grid(rows, "ldsddlr", shrink=0)]
    if len(measured) < len(answer.measured):
        more = count_with_noun(len(answer.measured) - len(measured), "measurement")
        blocks.append(text_line(f"  and {more} with smaller residuals; to show all: -v"))
    for scale in answer.scales:
        before, after = (
            " ".join(number_and_sigma(x, s, symbols)) if s else formatted_number(x)
            for x, s in ((scale.before, scale.sigma_before), (scale.after, scale.sigma_after))
        )
        unit = unit_text(scale.unit, symbols)
        blocks.append(text_line(f"  {scale.name}: {before} {symbols.arrow} {after} {unit}".rstrip()))
    return blocks


def _value_rows(answer: Reconciliation, symbols: Symbols) -> list[list[TextSpan]]:
    """Return the values of the root before and after, with their σ."""
    root = answer.before.root_item
    rows = [[TextSpan(text, "dim") for text in (answer.bom.ids[root], "listed", "", "reconciled", "", "")]]
    frame = answer.to_dataframe().iloc[root]
    for name in (one for one in frame.index[1:] if not one.startswith((PREFIX, "sigma_"))):
        if not np.isfinite(frame[name]):
            continue
        sigmas = (frame.get(f"sigma_{name}", nan), frame.get(f"{PREFIX}sigma_{name}", nan))
        pairs = zip((frame[name], frame[PREFIX + name]), sigmas, strict=True)
        texts = [text for value, sigma in pairs for text in number_and_sigma(value, sigma, symbols)]
        unit = unit_text(coherent_unit(answer.before, name), symbols)
        rows.append([TextSpan(text) for text in (name, *texts, unit)])
    return rows


def _plan_blocks(answer: Reconciliation, symbols: Symbols) -> list[PageBlock]:
    """Return a table of the measurements to make next."""
    plan = answer.plan
    assert plan is not None
    sigma, has_costs = symbols.sigma, len({one.cost for one in plan.steps}) > 1
    unit = unit_text(coherent_unit(answer.before, plan.of.split()[-1]), symbols)
    rows = [[TextSpan(text, "dim") for text in ("measure next", f"{sigma} of {plan.of}", "", f"worth {sigma}", "")]]
    for one in plan.steps:
        label = f"{one.item} {one.quantity} {symbols.plus_minus} {formatted_number(one.sigma)} {one.unit}".rstrip()
        label += f", cost {formatted_number(one.cost)}" if has_costs else ""
        texts = (label, sigma_text(one.sigma_after), unit, sigma_text(one.sigma_worth), unit_text(one.unit, symbols))
        rows.append([TextSpan(text) for text in texts])
    first = f"  {sigma} of {plan.of} now {sigma_text(plan.sigma_before)} {unit}".rstrip()
    kind = ("best set" if plan.is_exact else "chosen one after the other") + (" for its cost" if has_costs else "")
    more = f"; {kind}; a scale below the worth {sigma} adds less than a tenth"
    if not plan.steps:
        return [text_line(f"{first}; no measurement on offer reduces it")]
    return [Grid(rows, "lrlrl", shrink=0), text_line(TextSpan(first + more, "dim"))]


def _closing_lines(answer: Reconciliation, symbols: Symbols) -> list[str]:
    """Return the shares of the mass by method before and after, and the convention of the values."""
    parts = [
        f"{word.replace('_', ' ')} {percent_text(a)} {symbols.arrow} {percent_text(b)}"
        for word, (a, b) in answer.shares.items()
        if a or b
    ]
    has_tensors = answer.result.rollup.bodies.inertia is not None
    words = ["about the own centres, axes of the table", *([sign_words(symbols)] if has_tensors else [])]
    springs = ["reactions on more than three supports, or on supports in line, are those of equal springs"]
    springs *= any(one.shares_by_springs for one in answer.update.measurements)
    return [*([f"mass: {', '.join(parts)}"] if parts else []), "; ".join(words), *springs]


def reconciliation_csv(answer: Reconciliation) -> str:
    """Return a row for each item: values and σ, listed and reconciled, coherent units of the table."""
    frame = answer.to_dataframe()
    names = [str(name) for name in frame]
    heads = [result_header(name, coherent_unit(answer.before, name.removeprefix(PREFIX))) for name in names[1:]]
    rows = frame.replace({np.nan: None}).to_numpy().tolist()
    return csv_text([["id", *heads], *rows])
