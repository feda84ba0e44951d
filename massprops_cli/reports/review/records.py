"""Sections on records: changes against a baseline, limits, findings, and how the report was computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import isfinite, isinf

from massprops_cli._front import VERSION
from massprops_cli.budgets.model import Verdict
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Finding, Severity, UsageError, count_with_noun
from massprops_cli.reports.diff import totals_table, waterfall_rows
from massprops_cli.reports.limits import limit_margin_text, limit_value_text
from massprops_cli.reports.page.conventions import convention_rows, formatted_number, item_label, unit_text
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.charts import limit_chart, waterfall_chart
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.reports.review.content import DataTable, Facts, Fold, Pictures, Review, ReviewBlock, Section, Words
from massprops_cli.reports.sheets import content_hash, run_date
from massprops_cli.revisions.comparison import result_waterfall
from massprops_cli.revisions.diff import Diff

_MOST_STEPS, _MOST_PLACES = 12, 200


def changes_section(review: Review) -> Section | None:
    """Return the changes against the baseline as a waterfall whose steps add up exactly, with a table."""
    if (diff := review.diff) is None:
        return None
    blocks: list[ReviewBlock] = []
    old, new = diff.names
    counts = ", ".join(f"{n:,} {word}" for word, n in diff.counts().items()) or "no item changed"
    blocks.append(Words(f"{old} → {new}: {counts}", "note"))
    if errors := [one for one in diff.old.findings if one.severity is Severity.ERROR]:
        words = f"{old} has {count_with_noun(len(errors), 'error')}, the first is {errors[0].rule}: {errors[0].message}"
        blocks.append(Words(f"{words}; it is compared as far as it could be read", "bad"))
    totals = []
    for name, before, after, change, unit in totals_table(diff):
        ends = [formatted_number(one) or "-" for one in (before, after)]
        totals.append([name, *ends, f"{change:+.4g}" if isfinite(change) else "-", unit])
    try:
        rows = waterfall_rows(result_waterfall(diff, "mass", top=_MOST_STEPS))
    except UsageError as error:
        blocks.append(Words(str(error), "warn"))
        rows = []
    if rows:
        blocks.append(Pictures([waterfall_picture(diff)]))
        unit = unit_text(diff.units.mass, UNICODE)
        heads = ("item", "kind of change", f"change [{unit}]" if unit else "change", "reason")
        texts = [[label, words, change, reason] for label, words, change, reason, _ in rows]
        caption = "Change of the mass, largest steps first; the steps add up to the change"
        blocks.append(DataTable(caption, heads, "lldl", texts, [""] * (len(texts) - 1) + ["total"]))
    if totals:
        blocks.append(DataTable("Totals", ("total", "before", "after", "change", "unit"), "ldddl", totals))
    return Section("changes", "Changes against the baseline", blocks)


def waterfall_picture(diff: Diff) -> Picture:
    """Return the change of the mass as a waterfall."""
    fall = result_waterfall(diff, "mass", top=_MOST_STEPS)
    rows = waterfall_rows(fall)
    unit = unit_text(fall.unit, UNICODE)
    steps = [(label, float(change), change) for label, _, change, _, _ in rows[:-1]]
    words = f"{formatted_number(fall.before)} {unit} to {formatted_number(fall.after)} {unit}: "
    words += ", ".join(f"{label} {text}" for label, _, text in steps)
    ends, axis = (("before", fall.before), ("after", fall.after)), f"mass [{unit}]" if unit else "mass"
    return waterfall_chart(f"Change of the mass of {fall.item}", words, ends, steps, axis)


def _limit_state(one: Verdict) -> str:
    """Return the state of a limit: kept, waived, undecided or broken."""
    return "kept" if one.kept else "waived" if one.waiver else "undecided" if one.is_undecided else "broken"


def _limit_use(one: Verdict) -> float:
    """Return the share of a limit that is used; NaN if the value is unknown or the limit is 0."""
    value, limit = one.value, one.limit
    if value is None or limit is None:
        return float("nan")
    if one.bounds is not None and not any(map(isinf, one.bounds)) and one.bounds[0] != one.bounds[1]:
        low, high = one.bounds
        return abs(value - (low + high) / 2) / ((high - low) / 2)
    if one.subject == "probability-min":
        return (1 - value) / (1 - limit) if limit < 1 else float("nan")
    is_least = one.bounds is None or isinf(one.bounds[1])
    whole, part = (value, limit) if is_least else (limit, value)
    return part / whole if whole > 0 and part >= 0 else float("nan")


def limit_picture(review: Review) -> Picture | None:
    """Return the use of each limit as a chart; None without limits."""
    verdicts = [] if review.check is None else list(review.check.verdicts)[:40]
    if not verdicts:
        return None
    rows = []
    for one in verdicts:
        used, state = _limit_use(one), _limit_state(one)
        text = f"{100 * used:.0f} %, {state}" if isfinite(used) else state
        rows.append((f"{one.item} {one.requirement.partition(' (')[0]}", used if isfinite(used) else 0.0, text, state))
    words = ", ".join(f"{name} {text}" for name, _, text, _ in rows[:12])
    return limit_chart("Use of the limits", words, rows)


def limits_section(review: Review) -> Section | None:
    """Return a row for each limit, with how much is used, and the waivers with reason and expiry."""
    if review.check is None:
        return None
    verdicts = sorted(review.check.verdicts, key=lambda one: (one.kept, one.waiver is not None))
    if not verdicts:
        return Section("limits", "Limits", [Words("No limit applies.", "note")])
    rows, looks = [], []
    for one in verdicts:
        used, state = _limit_use(one), _limit_state(one)
        share = f"{100 * used:.0f} %" if isfinite(used) else "-"
        margin = "-" if one.margin is None else limit_margin_text(one)
        rows.append([state, item_label(one.item, one.name), one.requirement, limit_value_text(one), margin, share])
        looks.append({"kept": "", "waived": "warn", "undecided": "warn"}.get(state, "bad"))
    heads = ("state", "item", "limit", "value", "margin", "used")
    blocks: list[ReviewBlock] = []
    if (picture := limit_picture(review)) is not None:
        blocks.append(Pictures([picture]))
    blocks.append(DataTable(f"Limits of {review.check.budget}", heads, "lllrrr", rows, looks))
    waived = [
        [one.item, one.requirement, one.waiver.reason, str(one.waiver.expires or "no expiry")]
        for one in verdicts
        if one.waiver is not None and not one.kept
    ]
    if waived:
        blocks.append(DataTable("Waivers", ("item", "limit", "reason", "expires"), "llll", waived))
    return Section("limits", "Limits", blocks)


def findings_section(review: Review) -> Section:
    """Return the findings, folded by rule, with their cells and remedies."""
    groups = defaultdict[tuple[int, str], list[Finding]](list)
    for finding in review.findings:
        groups[-finding.severity.rank, finding.rule].append(finding)
    blocks = [_rule_fold(groups[key]) for key in sorted(groups)]
    return Section("findings", "Findings", blocks or [Words("No findings.", "good")])


def _rule_fold(findings: list[Finding]) -> Fold:
    """Return the findings of a rule as a part that opens."""
    first = findings[0]
    head = f"{first.severity.value} {first.rule} {first.name}: {count_with_noun(len(findings), 'finding')}"
    rows = [[str(one.place), one.item, one.message, one.remedy] for one in findings[:_MOST_PLACES]]
    more = len(findings) - len(rows)
    caption = f"{first.severity.value} {first.rule} {first.name}" + (f"; {more:,} more are not listed" if more else "")
    return Fold(head, [DataTable(caption, ("place", "item", "finding", "remedy"), "llll", rows)])


def method_section(review: Review) -> Section:
    """Return conventions, inputs with their SHA-256, command, version and date."""
    result = review.result
    rows = [(name or "…", text, "") for name, text in convention_rows(result, UNICODE, "", "", 1)]
    rows += [
        (f"input: {words}", name, f"SHA-256 {digest}" if digest else "") for words, name, digest in _inputs(review)
    ]
    if review.settings.command:
        rows.append(("command", review.settings.command, ""))
    rows.append(("version", f"massprops {VERSION}", ""))
    if date := report_date(review):
        rows.append(("date", date, ""))
    return Section("method", "How it was computed", [Facts(rows)])


def report_date(review: Review) -> str:
    """Return the date of the report; empty for a reproducible report that states none."""
    settings = review.settings
    return settings.date or ("" if settings.is_reproducible else run_date())


def _inputs(review: Review) -> Iterator[tuple[str, str, str]]:
    """Yield the input files: words, name and SHA-256."""
    source = review.result.bom.table.source
    yield "table", source.name + (f", sheet {source.sheet}" if source.sheet else ""), content_hash(source)
    if review.diff is not None:
        old = review.diff.old.bom.table.source
        yield "baseline", old.name, content_hash(old)
    budget = "" if review.check is None else review.check.budget
    files = {name.strip(): "limits" for name in budget.split(",")} | dict.fromkeys(
        review.result.bom.options.configuration, "configuration"
    )
    files |= {review.settings.history: "history"}
    for name, words in files.items():
        if name and name != source.name:
            yield words, name, content_hash(TableSource(name, format=""))
