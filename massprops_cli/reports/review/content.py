"""Content of a design review, apart from how it is written: texts, tables, pictures, folded parts; records of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, isinf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from massprops_cli._front import VERSION
from massprops_cli.bom.contributions import Contributions, contributions
from massprops_cli.bom.results.result_dict import ReviewTable, review_table
from massprops_cli.budgets.model import Verdict
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Finding, FindingsError, Severity, UsageError, count_with_noun
from massprops_cli.reports.diff import totals_table, waterfall_rows
from massprops_cli.reports.limits import limit_margin_text, limit_value_text
from massprops_cli.reports.page.conventions import (
    AggregatedColumns,
    convention_rows,
    formatted_number,
    item_label,
    unit_text,
)
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.charts import limit_chart, waterfall_chart
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.reports.sheets import content_hash, run_date
from massprops_cli.revisions.comparison import result_waterfall
from massprops_cli.revisions.diff import Diff
from massprops_cli.rollups.leaf_sums import MissingError

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.check import Check
    from massprops_cli.options import CorrelationScope
    from massprops_cli.revisions.diff import Diff

_FORMATS = ("html", "pdf", "md", "xlsx")


class Words(NamedTuple):
    """A paragraph; ``look`` is note, good, warn or bad."""

    text: str
    look: str = ""


class Remark(NamedTuple):
    """A text of the user in Markdown."""

    text: str


class DataTable(NamedTuple):
    """A table of texts; ``align`` has l, r or d (decimal mark) for each column, ``looks`` a word for each row."""

    caption: str
    heads: Sequence[str]
    align: str
    rows: Sequence[Sequence[str]]
    looks: Sequence[str] = ()


class Facts(NamedTuple):
    """Named values: name, value, explanation."""

    rows: Sequence[tuple[str, str, str]]


class Pictures(NamedTuple):
    """Pictures next to each other, as far as the page is wide; ``live`` names what the script replaces them by."""

    pictures: Sequence[Picture]
    live: str = ""


class Fold(NamedTuple):
    """Blocks that a click opens."""

    summary: str
    blocks: Sequence[ReviewBlock]


class ItemTable(NamedTuple):
    """The place of the table of all items, and its rows that are read without a script."""

    rows: DataTable


ReviewBlock = Words | Remark | DataTable | Facts | Pictures | Fold | ItemTable


class Section(NamedTuple):
    """A section: its name, its title and its blocks."""

    name: str
    title: str
    blocks: Sequence[ReviewBlock]


@dataclass(frozen=True)
class ReviewSettings:
    """Texts of a report: those of ``[report]`` of massprops.toml, and of the options."""

    title: str = ""
    project: str = ""
    author: str = ""
    logo: str = ""  # a file, svg or png
    revision: str = ""
    date: str = ""  # empty: that of the run, or none if the report is reproducible
    remarks: Mapping[str, str] = field(default_factory=dict)  # Markdown by section or item
    sections: Sequence[str] = ()
    columns: Sequence[str] = ()  # of the status table
    by: Sequence[str] = ()
    depth: int = 3  # levels of the pictures of mass, and of open items
    command: str = ""  # of the run; empty from Python
    is_static: bool = False  # without live pictures
    is_reproducible: bool = False
    history: str = ""  # a file of revisions


@dataclass(frozen=True, eq=False)
class Review:
    """What a report is made of: a roll-up, its limits, its changes, its findings, and the settings."""

    result: Result
    check: Check | None = None
    diff: Diff | None = None
    findings: Sequence[Finding] = ()
    budgets: Sequence[str] | None = None
    settings: ReviewSettings = field(default_factory=ReviewSettings)

    @property
    def unit(self) -> str:
        """The unit of masses, as text."""
        return unit_text(self.result.bom.units.mass, UNICODE)

    @property
    def length(self) -> str:
        """The unit of lengths, as text."""
        return unit_text(self.result.bom.units.length, UNICODE)

    @property
    def name(self) -> str:
        """Id and name of the root."""
        bom, i = self.result.bom, self.result.root_item
        name = "" if bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i]
        return f"{bom.ids[i]} {name}".rstrip()

    @property
    def title(self) -> str:
        """The title of the report."""
        return self.settings.title or f"Mass properties of {self.name}"

    @property
    def other(self) -> AggregatedColumns:
        """The columns and files of the status table."""
        previous = None if self.diff is None else self.diff.old
        if previous is not None and previous.bom.units.mass != self.result.bom.units.mass:
            previous = None  # the waterfall has the changes
        return AggregatedColumns(labels=tuple(self.settings.by), budgets=self.budgets, previous=previous)

    @cached_property
    def status(self) -> ReviewTable | None:
        """The masses by subsystem: by the columns of ``by``, those that group the items, or the parts."""
        if "mass" not in self.result.bom.columns.by_quantity:
            return None
        more = self.other.of_review
        made = review_table(self.result, *more)
        return made if made is not None and made.labels else review_table(self.result, ("level:1",), *more[1:])

    @cached_property
    def contributors(self) -> Contributions | None:
        """The contributors to the uncertainty of the mass; None without σ."""
        if self.result.rollup.sigmas is None:
            return None
        request = self.result.uncertainty_request
        try:
            return contributions(
                self.result.bom,
                correlate=cast("CorrelationScope", request.correlate),
                correlate_centers=request.correlate_centers,
                correlations=request.correlations,
                keep_going=True,
            )
        except (FindingsError, UsageError, MissingError):
            return None

    def remark(self, name: str) -> list[ReviewBlock]:
        """Return the remark on a section or an item as a block."""
        return [Remark(text)] if (text := self.settings.remarks.get(name, "")) else []


def review_format(name: str) -> str:
    """Return the format of a report by the suffix of its file; html for standard output."""
    found = "html" if name == "-" else Path(name).suffix.lower().removeprefix(".")
    if found not in _FORMATS:
        raise UsageError(f"{name}: unknown format of a report; the suffix is one of .{', .'.join(_FORMATS)}")
    return found


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
