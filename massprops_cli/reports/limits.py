"""Budgets, review table and aggregated columns as blocks of a page, and a result as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from massprops_cli.bom.checks.assembly_values import difference_digits
from massprops_cli.bom.items.result_columns import item_quantity_values
from massprops_cli.bom.results.review import LIMIT_NAMES, ReviewTable, review_table, table_of_groups
from massprops_cli.findings.finding import Finding, count_with_noun, finding_counts_text
from massprops_cli.reports import summary
from massprops_cli.reports.page.conventions import (
    AggregatedColumns,
    RootView,
    convention_rows,
    decimal_exponent,
    formatted_number,
    level_text,
    number_and_sigma,
    percent_text,
    rounded_text,
    sigma_text,
    unit_text,
)
from massprops_cli.reports.page.findings import (
    escape_markdown_cell,
    findings_markdown,
    markdown_code,
    markdown_row,
    markdown_table,
)
from massprops_cli.reports.page.page import ASCII, UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.rollups.inputs import PARAMETER_NAMES, PERCENTILES

if TYPE_CHECKING:
    from massprops_cli.bom.checks.totals import ReconciledTotal
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.model import Verdict
    from massprops_cli.rollups.rollup import Rollup
    from massprops_cli.rollups.subtotals import ColumnRollup

_LIMITS_SHOWN = 40  # limits on the screen; further ones are counted


def limit_blocks(verdicts: Sequence[Verdict], symbols: Symbols, *, shows_all: bool = False) -> list[PageBlock]:
    """Lay out the limits: violated, waived, kept, each in the order of the budget file."""
    ordered = sorted(verdicts, key=lambda verdict: (verdict.kept, verdict.waiver is not None))
    shown = ordered if shows_all else ordered[:_LIMITS_SHOWN]
    rows = [
        [
            _limit_state(verdict, symbols),
            TextSpan(verdict.item, "strong"),
            TextSpan(
                verdict.requirement
                if symbols is not ASCII
                else verdict.requirement.replace("≤", "<=").replace("≥", ">=")
            ),
            TextSpan(limit_value_text(verdict, ">=" if symbols is ASCII else "≥")),
            TextSpan("" if verdict.margin is None else amount_text(verdict.margin, verdict.unit)),
        ]
        for verdict in shown
    ]
    head = [TextSpan("", "dim"), *(TextSpan(word, "dim") for word in ("item", "limit", "value", "margin"))]
    blocks: list[PageBlock] = [Line(), Grid([head, *rows], "lllrr", shrink=2)]
    if len(shown) < len(ordered):
        more = count_with_noun(len(ordered) - len(shown), "more limit")
        blocks.append(text_line(f"  {symbols.rest} and {more}; to show all: -v"))
    return blocks


def _limit_state(verdict: Verdict, symbols: Symbols) -> TextSpan:
    """Return the state of a limit: kept, waived, undecided, or the severity of its violation."""
    if verdict.kept:
        return TextSpan("kept", "good")
    if verdict.waiver is not None:
        return TextSpan("waived", "note")
    style = {"error": "bad", "warning": "warn", "note": "note"}[verdict.severity.value]
    return TextSpan("undecided" if verdict.is_undecided else verdict.severity.value, style)


def amount_text(value: float | None, unit: str) -> str:
    """Write a number with its unit."""
    return "not known" if value is None else f"{formatted_number(value)} {unit}".strip()


def limit_value_text(verdict: Verdict, sign: str = "≥") -> str:
    """Write the value that a limit applies to, or its lower bound."""
    if verdict.value is None and verdict.at_least is not None:
        return f"{sign} {amount_text(verdict.at_least, verdict.unit)}"
    return amount_text(verdict.value, verdict.unit)


def kept_limits_text(verdicts: Sequence[Verdict], budget: str, ignored: int) -> str:
    """Count the limits of a budget file that are kept, and those that are not reported."""
    kept = sum(verdict.kept for verdict in verdicts)
    waived = sum(not verdict.kept and verdict.waiver is not None for verdict in verdicts)
    undecided = sum(verdict.is_undecided and verdict.waiver is None for verdict in verdicts)
    counts = {"waived": waived, "undecided": undecided, "left out by --ignore or --select": ignored}
    more = "".join(f", {count:,} {words}" for words, count in counts.items() if count)
    return f"{kept:,} of {count_with_noun(len(verdicts), 'limit')} of {budget} kept{more}"


_DIFFERENCE_RULE = "MP411"  # rule for an assembly whose stated value differs from the sum of its parts
_ASSEMBLIES_SHOWN = 10  # number of differing assemblies that are listed; the others are counted


def reconciliation_blocks(result: Result, symbols: Symbols) -> list[PageBlock]:
    """Compare stated totals, and stated masses of assemblies that differ, with the computed values."""
    if not result.bom.totals and not any(finding.rule == _DIFFERENCE_RULE for finding in result.findings):
        return []
    totals, stated = result.totals, result.stated_masses
    differ = [one for one in stated if not one.agrees]
    if not (listed := [*totals, *differ[:_ASSEMBLIES_SHOWN]]):
        return []
    masses_only = all(one.quantity in ("mass", "line_mass") for one in listed)
    unit = unit_text(listed[0].unit, symbols) if len({one.unit for one in listed}) == 1 else ""
    head = f"{'stated totals' if totals else 'stated masses'}{f' ({unit})' if unit else ''}"
    agree, more, notes = len(stated) - len(differ), len(differ) - _ASSEMBLIES_SHOWN, list[Line]()  # not listed
    if more > 0:
        notes.append(text_line(f"  and {count_with_noun(more, 'assembly')} more with other stated masses"))
    if agree:
        notes.append(text_line(f"  {count_with_noun(agree, 'assembly')} with stated mass equal to the sum of parts"))
    rows = [
        _reconciliation_row(one, symbols, quantity="" if masses_only else one.quantity, with_unit=not unit)
        for one in listed
    ]
    return [Line(), text_line(TextSpan(head, "strong")), Grid(rows, "lldldl"), *notes]


def _reconciliation_row(
    one: ReconciledTotal, symbols: Symbols, *, quantity: str = "", with_unit: bool = False
) -> list[TextSpan]:
    """Lay out one total: label, address, stated value, verdict, computed value, rows added."""
    unit = f" {unit_text(one.unit, symbols)}" if with_unit and one.unit else ""
    good, bad = symbols.good.rstrip(":"), symbols.bad.rstrip(":")
    mark = TextSpan(good, "good") if one.agrees else TextSpan("?" if one.verdict == "open" else bad, "bad")
    of = {"rounding": f"{one.of}, within rounding", "open": f"{one.of}, missing masses excluded"}
    return [
        TextSpan(f"{one.label} {quantity}".rstrip()),
        TextSpan(_total_address(one), "dim"),
        TextSpan(f"{formatted_number(one.stated, 12)}{unit}"),
        mark,
        TextSpan("" if one.agrees else _computed_text(one)),
        TextSpan(of.get(one.verdict, one.of), "dim"),
    ]


_MAX_SHOWN_DIGITS = 12  # digits of a total; further ones are of the order of summation


def _computed_text(one: ReconciledTotal) -> str:
    """Write the computed value with enough digits to show its difference from the stated one."""
    return formatted_number(one.computed, min(difference_digits(one.computed, one.stated), _MAX_SHOWN_DIGITS))


def _total_address(one: ReconciledTotal) -> str:
    """Return the row of a worksheet, or the line of a text file."""
    return f"row {one.place.row}" if one.place.line is None else f"line {one.place.line}"


def _reconciliation_markdown(result: Result) -> list[str]:
    """Write the stated totals as a table in Markdown."""
    blocks = [block for block in reconciliation_blocks(result, UNICODE) if isinstance(block, Grid)]
    rows = [markdown_row(span.text for span in row) for block in blocks for row in block.rows]
    head = ["", "| total | place | stated | | computed | rows |", "|---|---|--:|---|--:|---|"]
    return [*head, *rows] if rows else []


def reconciliation_cells(result: Result) -> list[list[str]]:
    """Return a pair of cells for each stated total."""
    return [
        [
            f"{one.label}, {_total_address(one)}",
            f"{one.quantity} {formatted_number(one.stated, 12)} {one.unit}".rstrip()
            + f" {UNICODE.good if one.agrees else UNICODE.bad} computed {_computed_text(one)} from {one.of}",
        ]
        for one in result.totals
    ]


_UNKNOWN = float("nan")
_AGGREGATION_WORDS = {
    "sum": "sum", "max": "maximum", "min": "minimum", "mean": "mass-weighted mean", "rss": "root sum square",
}  # fmt: skip


def aggregated_columns_dict(result: Result, other: AggregatedColumns, level: int) -> dict[str, Any]:
    """Return aggregated columns and subtotals as plain JSON values."""
    found: dict[str, Any] = {}
    if other.columns:
        found["columns"] = []
        for header, rolled in other.columns:
            items = dict(zip(result.bom.ids, map(_plain_value, rolled.values.tolist()), strict=True))
            at_root = {name: _item_value_dict(rolled, result.root_item)[name] for name in ("known", "leaves")}
            found["columns"].append({**_column_name_dict(header, rolled), **at_root, "items": items})
    if other.groups is not None:
        found["groups"] = _groups_dict(result, other, level)
    if (other.groups is not None or other.budgets) and (made := review_of(result, other)) is not None:
        found["review"] = made.rows(level)
    return found


def aggregated_column_blocks(result: Result, columns: Sequence[tuple[str, ColumnRollup]]) -> list[PageBlock]:
    """Lay out the value of each aggregated column at the root, with its coverage in leaves."""
    if not columns:
        return []
    i = result.root_item
    rows = []
    for header, rolled in columns:
        known, leaves = int(rolled.known[i]), int(rolled.leaves[i])
        cover = "all leaves" if known == leaves else f"{known:,} of {leaves:,} leaves"
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        words, look = _AGGREGATION_WORDS[rolled.aggregation], "" if known == leaves else "warn"
        rows.append([TextSpan(header), TextSpan(value, "strong"), TextSpan(words, "dim"), TextSpan(cover, look)])
    return [Line(), text_line(TextSpan("aggregated columns, root", "dim")), Grid(rows, "ldll")]


_LEAST_ROWS, _GROUPS_SHOWN = 5, 40  # rows of a review table at least on a small screen, and at most by ``--by``
_MATURITY_WORDS = {"estimated": "est", "calculated": "calc", "not_stated": "?"}
_DROPPED = (
    "inertia",
    "center",
    "leaves",
    "maturity",
    "allowance_mass",
    "share",
    "sigma_mass",
    "margin",
    "change",
    "limit",
)
"""Columns that a narrow screen lacks, the first one first."""


class _ReviewColumn(NamedTuple):
    """A column of a review table as texts: name, heading, alignment, cells."""

    name: str
    head: str
    align: str
    cells: Sequence[str]


def review_of(result: Result, other: AggregatedColumns) -> ReviewTable | None:
    """Return the review table by the columns of ``--by``, or by those that group the items."""
    if other.groups is not None:
        return table_of_groups(result, other.labels, other.groups, other.budgets)
    return review_table(result, limits=other.budgets) if _has_mass_column(result) else None


def review_blocks(
    result: Result, other: AggregatedColumns, symbols: Symbols, level: int = 1, room: int | None = None
) -> list[PageBlock]:
    """Lay out the review table, or that of the heaviest parts; ``room`` is the number of free lines on the screen."""
    made = review_of(result, other)
    if is_of_parts := made is None and _has_mass_column(result):
        made = review_table(result, ("level:1",), other.budgets)
    if made is None or len(made.labels) < 2 - (other.groups is not None):
        return []
    least = 8 if is_of_parts and room is None else _LEAST_ROWS
    most = _GROUPS_SHOWN if other.groups is not None or (room is None and not is_of_parts) else max(room or 0, least)
    made = made if len(made.labels) <= most else made.folded(most - 1)
    columns = _review_columns(result, made, other, symbols, level)
    head = _review_head("part" if is_of_parts else made.by[0], result, symbols)
    columns[0] = columns[0]._replace(head=head)
    rows = [[TextSpan(column.head, "dim") for column in columns]]
    n, margins = len(made.labels), made.columns.get("margin")
    for k in range(n + 1):
        is_over = margins is not None and margins[k] < 0
        of_margin = {"margin": "bad", "margin_percent": "bad"} if is_over else {}
        look = "strong" if k == n else "dim" if made.numbers[k] < 0 else ""
        rows.append([TextSpan(column.cells[k], of_margin.get(column.name, look)) for column in columns])
    names = [column.name for column in columns]
    drops = [[j for j, each in enumerate(names) if each == name] for name in _DROPPED]
    mark = (
        [text_line("  ", TextSpan(f"{symbols.plus_minus} {level_text(level, symbols)}", "warn"))] if level > 1 else []
    )
    return [Line(), *mark, Grid(rows, "".join(column.align for column in columns), shrink=0, drops=drops)]


def _review_head(by: str, result: Result, symbols: Symbols) -> str:
    """Write the heading of the groups, with the unit of the masses."""
    unit = unit_text(result.bom.units.mass, symbols) if _has_mass_column(result) else ""
    return by.replace("level:", "level ") + (f" ({unit})" if unit else "")


def _review_columns(
    result: Result, made: ReviewTable, other: AggregatedColumns, symbols: Symbols, level: int
) -> list[_ReviewColumn]:
    """Return the columns of a review table as texts, the last row of each that of the root."""
    label = [texts[0] + (f"  {name}" if name else "") for texts, name in zip(made.labels, made.names, strict=True)]
    if made.labels and made.numbers[-1] < 0 and "change" not in made.columns:
        label[-1] = f"{symbols.rest} and {label[-1]}"
    found = [_ReviewColumn("label", made.by[0], "l", [*label, "total"])]
    for j, by in enumerate(made.by[1:], 1):
        found.append(_ReviewColumn("label", by, "l", [*(texts[j] for texts in made.labels), ""]))
    found += _mass_columns(made, symbols, level)
    if other.groups is not None:
        places = [(other.groups.rollup, g, other.group_columns) if g >= 0 else None for g in made.numbers]
        ends = [*places, (result.rollup, result.root_item, other.columns)]
        found.append(
            _ReviewColumn("leaves", "leaves", "l", [(one and _coverage_text(result, *one)) or "" for one in ends])
        )
        rows = [_group_entries(result, *one, symbols, level) if one else [] for one in ends]
        for j, (head, *_) in enumerate(rows[-1]):
            cells = list(zip(*(row[j][1:] if row else ("", "") for row in rows), strict=True))
            kind = "" if j >= len(rows[-1]) - len(other.columns) else "center" if head[0] == "C" else "inertia"
            found.append(_ReviewColumn(kind, head, "d", cells[0]))
            found += [_ReviewColumn(kind, "", "s", cells[1])] if kind else []
    return found


def _mass_columns(made: ReviewTable, symbols: Symbols, level: int) -> list[_ReviewColumn]:
    """Return the columns of masses, growth, limits and maturity as texts."""
    decimals, columns = _tying_decimals(made, level), made.columns
    sign = ">= " if symbols is ASCII else "≥ "

    def mass_texts(name: str) -> list[str]:
        return [_mass_text(value, decimals) for value in columns[name].tolist()]

    found, basic = list[_ReviewColumn](), "basic" if "predicted_mass" in columns else "mass"
    heads = {"mass": basic, "allowance_mass": "growth", "predicted_mass": "predicted"}
    for name in columns:
        cells = mass_texts(name) if name in (*heads, "limit", "margin", "change") else []
        if name == "mass":
            cells = [sign + text if bound else text for text, bound in zip(cells, made.is_bound.tolist(), strict=True)]
        elif name in LIMIT_NAMES:
            cells = ["" if text == "-" else text for text in cells]
        elif name == "change":
            cells = [text if text.startswith("-") or not text.strip("0.") else f"+{text}" for text in cells]
        elif name == "sigma_mass":
            texts = (f"{symbols.plus_minus} {sigma_text(level * one)}" for one in columns[name].tolist())
            spread = [text if np.isfinite(one) else "" for text, one in zip(texts, columns[name], strict=True)]
            head = f"{symbols.plus_minus} {level_text(level, symbols)}" if level > 1 else ""
            found.append(_ReviewColumn(name, head, "s", spread))
        if name.endswith("_percent"):
            shares = [rounded_text(one, -1) if np.isfinite(one) else "" for one in columns[name].tolist()]
            found.append(_ReviewColumn(name, f"{'growth' if name[0] == 'a' else 'margin'} %", "d", shares))
        elif name == "share":
            found.append(_ReviewColumn(name, name, "r", [percent_text(one) for one in columns[name].tolist()]))
        if cells:
            found.append(_ReviewColumn(name, heads.get(name, name), "d", cells))
    if words := [name.removeprefix("share_") for name in columns if name.startswith("share_")]:
        rows = zip(*(columns[f"share_{word}"].tolist() for word in words), strict=True)
        head = "/".join(_MATURITY_WORDS.get(word, word) for word in words) + " %"
        parts = ["/".join("-" if np.isnan(one) else f"{100 * one:.0f}" for one in row) for row in rows]
        found.append(_ReviewColumn("maturity", head, "l", parts))
    return found


_MOST_DECIMALS, _TOTAL_DIGITS = 9, 5


def _tying_decimals(made: ReviewTable, level: int) -> int | None:
    """Return the decimals with which the printed masses add up, by the sigma of the root or the digits of the input."""
    if not (columns := [v for name in _ADDED if (v := made.columns.get(name)) is not None and np.isfinite(v).all()]):
        return None
    total, sigma = float(columns[0][-1]), level * float(made.columns.get("sigma_mass", [np.nan])[-1])
    if total == 0 or not -4 <= decimal_exponent(total, _TOTAL_DIGITS) < 7:
        return None
    if sigma > 0:
        least = 1 - decimal_exponent(sigma, 2)
    else:
        most = max(_TOTAL_DIGITS - 1 - decimal_exponent(total, _TOTAL_DIGITS), 0)
        exact = (n for n in range(most) if np.allclose(np.round(columns[0], n), columns[0], rtol=1e-9, atol=0))
        least = next(exact, most)
    if least > _MOST_DECIMALS:
        return None
    for decimals in range(least, least + 3):
        printed = [np.round(column, decimals) for column in columns]
        slack = 0.5 * 10.0**-decimals
        ties = all(abs(column[:-1].sum() - column[-1]) < slack for column in printed)
        if ties and (len(printed) < 3 or (np.abs(printed[0] + printed[1] - printed[2]) < slack).all()):
            return decimals
    return least


_ADDED = ("mass", "allowance_mass", "predicted_mass")


def _mass_text(value: float, decimals: int | None) -> str:
    """Write a mass with decimals, or with five digits; a dash if it is unknown."""
    if not np.isfinite(value):
        return "-"
    return formatted_number(value, _TOTAL_DIGITS) if decimals is None else rounded_text(value, -decimals)


def _has_mass_column(result: Result) -> bool:
    """Whether the table has masses at all; without them only other columns are aggregated."""
    return "mass" in result.bom.columns.by_quantity


_Aggregated = Sequence[tuple[str, "ColumnRollup"]]


def _group_entries(
    result: Result, rollup: Rollup, i: int, columns: _Aggregated, symbols: Symbols, level: int
) -> list[tuple[str, str, str]]:
    """Return centre, moments and other columns of one group, or of the root: heading, number and sigma."""
    units, entries = result.bom.units, []
    for name in PARAMETER_NAMES[1:7] if _has_mass_column(result) else ():
        column, sigma = item_quantity_values(rollup, name), item_quantity_values(rollup, f"sigma_{name}")
        if column is not None:
            unit = unit_text(units.length if name.startswith("C") else units.inertia, symbols)
            texts = number_and_sigma(float(column[i]), _UNKNOWN if sigma is None else level * float(sigma[i]), symbols)
            entries.append((f"{name} {unit}".rstrip(), *texts))
    for header, rolled in columns:
        entries.append((f"{rolled.aggregation} {header}", formatted_number(float(rolled.values[i]), 8) or "-", ""))
    return entries


def _coverage_text(result: Result, rollup: Rollup, i: int, columns: _Aggregated) -> str:
    """Count the leaves of a group, and those with a known value if some lack it."""
    coverage, bodies, whole = rollup.coverage, rollup.bodies, int(rollup.coverage.rows[i])
    known: list[tuple[str, int, int]] = []
    if _has_mass_column(result):
        known = [("mass", int(coverage.known_mass[i]), whole)]
        known += [("CG", int(coverage.known_center[i]), whole)] if bodies.center is not None else []
        known += [("inertia", int(coverage.known_inertia[i]), whole)] if bodies.inertia is not None else []
    known += [(header, int(rolled.known[i]), int(rolled.leaves[i])) for header, rolled in columns]
    return "; ".join([f"{whole:,}", *(f"{words} of {count:,}" for words, count, whole in known if count < whole)])


def _groups_dict(result: Result, other: AggregatedColumns, level: int) -> list[dict[str, Any]]:
    """Return subtotals as plain values: ten numbers, sigmas at a level, other columns, coverage."""
    groups, columns = other.groups, other.group_columns
    assert groups is not None
    coverage = groups.rollup.coverage
    levels = dict.fromkeys(PARAMETER_NAMES, 1) | {f"sigma_{name}": level for name in PARAMETER_NAMES}
    numbers = {name: item_quantity_values(groups.rollup, name) for name in levels} if _has_mass_column(result) else {}
    values = {name: levels[name] * column for name, column in numbers.items() if column is not None}
    found = []
    for g, texts in enumerate(groups.labels):
        entry: dict[str, Any] = {"labels": dict(zip(other.labels, texts, strict=True))}
        entry |= {name: _plain_value(column[g]) for name, column in values.items()}
        entry["coverage"] = {"leaves": int(coverage.rows[g])}
        if _has_mass_column(result):
            entry["coverage"] |= {
                "mass": int(coverage.known_mass[g]),
                "center": int(coverage.known_center[g]),
                "inertia": int(coverage.known_inertia[g]),
            }
        if columns:
            entry["columns"] = [
                {**_column_name_dict(header, rolled), **_item_value_dict(rolled, g)} for header, rolled in columns
            ]
        found.append(entry)
    return found


def _column_name_dict(header: str, rolled: ColumnRollup) -> dict[str, Any]:
    """Name a rolled-up column."""
    return {"column": header, "aggregation": rolled.aggregation}


def _item_value_dict(rolled: ColumnRollup, i: int) -> dict[str, Any]:
    """Return a rolled-up column's value and coverage at an item."""
    return {"value": _plain_value(rolled.values[i]), "known": int(rolled.known[i]), "leaves": int(rolled.leaves[i])}


def _plain_value(value: float) -> float | None:
    """Return a number, or None if it is unknown."""
    return float(value) if np.isfinite(value) else None


def markdown_report(result: Result, findings: Sequence[Finding], view: RootView, other: AggregatedColumns) -> str:
    """Write verdict, root, conventions and findings as Markdown."""
    bom = result.bom
    source = markdown_code(bom.table.source.name)
    lines = [
        f"# Mass properties of {escape_markdown_cell(bom.ids[result.root_item])}",
        "",
        (f"{count_with_noun(len(bom), 'item')} rolled up from {source}: {finding_counts_text(findings)}."),
        "",
        *markdown_table(("quantity", "value", _sigma_heading(view.sigma_level), "unit"), "lrrl"),
    ]
    rows, closeness = summary.root_rows(result, UNICODE, view)
    notes = [*closeness, *summary.maturity_lines(result, result.root_item)]
    notes += summary.growth_lines(result, result.root_item, UNICODE)
    notes += summary.assumption_lines(result, view.sigma_level, UNICODE)
    for row in rows:
        for k in (1, 4, 7):
            name, value, sigma = (cell.text for cell in row[k : k + 3])
            if value:
                lines.append(markdown_row((_quantity_label(row[0].text, name), value, sigma, row[10].text)))
    lines += [""] * bool(notes)
    lines += [f"- {escape_markdown_cell(' '.join(line.text.strip(' *').split()))}" for line in notes]
    lines += _review_markdown(result, other, view.sigma_level)
    lines += ["", "| convention | |", "|---|---|"]
    conventions = convention_rows(result, UNICODE, view.datum_words, view.about_words, view.sigma_level)
    lines += map(markdown_row, conventions)
    if result.uncertainty_request.probability or result.uncertainty_request.intervals:
        from massprops_cli.reports.probability import answer_markdown

        lines += answer_markdown(result, view.datum)
    if result.bom.totals:
        lines += _reconciliation_markdown(result)
    lines += _sample_markdown(result, view.sigma_level)
    lines += _aggregation_markdown(result, other)
    return "\n".join(lines) + "\n\n## Findings\n\n" + findings_markdown(findings)


def _quantity_label(row: str, name: str) -> str:
    """Name a value: its name, or row and name for the axes."""
    return f"{row} {name}" if row.startswith("axis") else name or row


def _sigma_heading(level: int) -> str:
    """Write the heading of the column of sigmas."""
    return "sigma" if level == 1 else f"sigma ({level_text(level, UNICODE)})"


def _sample_markdown(result: Result, level: int) -> list[str]:
    """Write the samples as tables in Markdown; nothing without samples."""
    if result.rollup.sampled is None:
        return []
    from massprops_cli.reports.probability import difference_lines, sampled_number_text, sampled_result_unit

    lines: list[str] = []
    heads = ["result", "mean", _sigma_heading(level), *(f"P{percent:g}" for percent in PERCENTILES), "unit"]
    for item in result.samples:
        lines += ["", f"## {escape_markdown_cell(result.bom.ids[item.item])}, Monte Carlo, {item.n:,} samples", ""]
        lines += markdown_table(heads, "lrrrrrrrl")
        for one in item.results:
            numbers = [sampled_number_text(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
            numbers.insert(1, sampled_number_text(level * one.sigma, level * one.sigma))
            lines.append(markdown_row([one.name, *numbers, unit_text(sampled_result_unit(result, one), UNICODE)]))
        differences = difference_lines(item.differences, UNICODE)
        lines += [""] * bool(differences) + [f"- {escape_markdown_cell(line.text.strip())}" for line in differences]
    return lines


def _aggregation_markdown(result: Result, other: AggregatedColumns) -> list[str]:
    """Write aggregated columns as a table in Markdown."""
    lines: list[str] = []
    i = result.root_item
    if other.columns:
        heads = ("column", "aggregation", "value", "leaves known")
        lines += ["", "## Aggregated columns, root", "", *markdown_table(heads, "llrr")]
    for header, rolled in other.columns:
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        known = f"{int(rolled.known[i]):,} of {int(rolled.leaves[i]):,}"
        lines.append(markdown_row((header, _AGGREGATION_WORDS[rolled.aggregation], value, known)))
    return lines


def _review_markdown(result: Result, other: AggregatedColumns, level: int) -> list[str]:
    """Write the review table in Markdown, with all rows and columns."""
    if (made := review_of(result, other)) is None or not made.labels:
        return []
    columns = _review_columns(result, made, other, UNICODE, level)
    heads = [_review_head(made.by[0], result, UNICODE), *(column.head for column in columns[1:])]
    mark = f", ± {level_text(level, UNICODE)}" if level > 1 else ""
    rows = zip(*(column.cells for column in columns), strict=True)
    align = "".join("l" if column.name in ("label", "leaves") else "r" for column in columns)
    title = escape_markdown_cell(", ".join(made.by).replace("level:", "level "))
    return ["", f"## By {title}{mark}", "", *markdown_table(heads, align, rows)]
