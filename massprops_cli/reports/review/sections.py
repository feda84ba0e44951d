"""Sections of a design review: centre, inertia and uncertainty; changes, limits, findings, and how it was computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import inf, isfinite, isinf, sqrt

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION
from massprops_cli.budgets.model import Verdict, limit_dimension, table_unit_factor
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Finding, Severity, UsageError, count_with_noun
from massprops_cli.reports import summary
from massprops_cli.reports.diff import totals_table, waterfall_rows
from massprops_cli.reports.limits import limit_margin_text, limit_value_text
from massprops_cli.reports.page.conventions import (
    RootView,
    convention_rows,
    formatted_number,
    item_label,
    number_or_dash,
    percent_text,
    sigma_text,
    unit_text,
    value_with_sigma,
)
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures import views
from massprops_cli.reports.pictures.charts import histogram_chart, limit_chart, pareto_chart, waterfall_chart
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.reports.review.content import DataTable, Facts, Fold, Pictures, Review, ReviewBlock, Section, Words
from massprops_cli.reports.sheets import content_hash, run_date
from massprops_cli.revisions.comparison import result_waterfall
from massprops_cli.revisions.diff import Diff
from massprops_cli.rollups.inputs import SAMPLED_RESULTS

_Floats = NDArray[np.float64]
_MOST_BRANCHES, _MOST_ROWS, _MOST_WEIGHED = 12, 12, 5


def center_view(review: Review) -> views.CenterView | None:
    """Return what the views of the centre of mass show; None if it is unknown."""
    result = review.result
    rollup, i = result.rollup, result.root_item
    bodies = rollup.bodies
    is_known = rollup.with_place.bodies.has_center
    if bodies.center is None or not np.isfinite(bodies.center[i]).all() or rollup.with_place.cancelled[i]:
        return None
    if is_known is not None and not is_known[i]:
        return None
    covariance, mass = None, float(bodies.mass[i])
    if rollup.sigmas is not None and rollup.sigmas.center is not None and mass:
        found = rollup.covariance_of(i)[1:4, 1:4] / mass**2
        covariance = np.asarray(found) if np.isfinite(found).all() and found.any() else None
    axes = None
    if bodies.inertia is not None and np.isfinite(bodies.inertia[i]).all():
        axes = np.asarray(result.principal.axes[i])
    center, branches = np.asarray(bodies.center[i], float), _branches(review)
    checked = _checked_center(review)
    return views.CenterView(result.ids[i], center, covariance, _box(review), axes, branches, review.length, checked)


def _checked_center(review: Review) -> _Floats | None:
    """Return the centre (3,) that limits are compared with, in the unit of the table; None if it is the basic one."""
    result, found = review.result, {}
    i = result.root_item
    assert result.rollup.bodies.center is not None
    for one in () if review.check is None else review.check.verdicts:
        if one.item == result.ids[i] and one.subject.startswith("center-") and one.value is not None:
            size = table_unit_factor(one.unit, limit_dimension(one.subject), result.bom.units)
            found["xyz".index(one.subject[-1])] = one.value * size
    center = np.asarray(result.rollup.bodies.center[i], float)
    checked = np.array([found.get(k, center[k]) for k in range(3)])
    return None if np.allclose(checked, center, 1e-9, 0.0) else checked


def _box(review: Review) -> list[tuple[float, float]]:
    """Return the limits of the centre of the root on each axis, in the unit of the table."""
    box = [(-inf, inf)] * 3
    root = review.result.ids[review.result.root_item]
    for one in () if review.check is None else review.check.verdicts:
        if one.item == root and one.subject in ("center-x", "center-y", "center-z") and one.bounds is not None:
            k = "xyz".index(one.subject[-1])
            size = table_unit_factor(one.unit, limit_dimension(one.subject), review.result.bom.units)
            low, high = (end * size for end in one.bounds)
            box[k] = max(box[k][0], low), min(box[k][1], high)
    return box


def _branches(review: Review) -> list[tuple[str, _Floats, float]]:
    """Return the heaviest branches with a centre: id, centre (3,) and share of the mass."""
    result = review.result
    tree, bodies = result.bom.tree, result.rollup.bodies
    at, children = result.root_item, tree.children(result.root_item)
    while len(children) == 1:  # an assembly with one child only
        at = int(children[0])
        children = tree.children(at)
    assert bodies.center is not None
    masses = np.nan_to_num(bodies.mass[children]) * result.bom.quantity.count[children]
    whole = float(np.nan_to_num(bodies.mass[at])) or 1.0
    order = [k for k in np.argsort(-masses, kind="stable").tolist() if np.isfinite(bodies.center[children[k]]).all()]
    return [
        (result.ids[int(children[k])], np.asarray(bodies.center[children[k]]), float(masses[k]) / whole)
        for k in order[:_MOST_BRANCHES]
        if masses[k] > 0
    ]


def centre_section(review: Review) -> Section | None:
    """Return three views of the centre with branches, and three with its limits and σ ellipse."""
    if review.result.rollup.bodies.center is None:
        return None
    if (view := center_view(review)) is None:
        words = "The centre of mass is not known: no item below the root has one, or masses cancel."
        return Section("centre", "Centre of mass", [Words(words, "warn")])
    blocks: list[ReviewBlock] = []
    if view.has_detail:
        blocks.append(Pictures([views.center_picture(view, *axes, is_detail=True) for axes in views.VIEWS]))
        notes = ["red cross: centre of mass" + (" without growth" if view.checked is not None else "")]
        if view.checked is not None:
            notes.append("purple: predicted centre, which is compared with the limits")
        if any(isfinite(end) for pair in view.box for end in pair):
            notes.append("dashed lines: limits")
        if view.covariance is not None:
            notes.append(
                f"blue: σ ellipse, k = {views.COVERAGE_95:.4f}, covers 95 % of a normal distribution in the plane"
            )
        blocks.append(Words("; ".join(notes), "note"))
    blocks.append(Pictures([views.center_picture(view, *axes, is_detail=False) for axes in views.VIEWS]))
    axes = "; green: principal axes" if view.axes is not None else ""
    blocks.append(Words(f"dots: the heaviest branches, areas are masses{axes}", "note"))
    rows = []
    for k, name in enumerate(("Cx", "Cy", "Cz")):
        sigma = sqrt(view.covariance[k, k]) if view.covariance is not None else float("nan")
        number, _, spread = value_with_sigma(float(view.center[k]), sigma, UNICODE).partition(" ± ")
        low, high = ("" if isinf(end) else formatted_number(end) for end in view.box[k])
        predicted = "" if view.checked is None else formatted_number(float(f"{view.checked[k]:.6g}"))
        rows.append([name, number, spread, predicted, low, high])
    unit = f" [{view.unit}]" if view.unit else ""
    heads = ["coordinate", f"value{unit}", "σ", f"predicted{unit}", "lowest allowed", "highest allowed"]
    kept = [j for j in range(6) if j < 2 or any(row[j] for row in rows)]
    table = DataTable(
        "Centre of mass and its limits" if any(row[4] or row[5] for row in rows) else "Centre of mass",
        [heads[j] for j in kept],
        "l" + "d" * (len(kept) - 1),
        [[row[j] for j in kept] for row in rows],
    )
    return Section("centre", "Centre of mass", [*blocks, table])


def ellipsoid_pictures(review: Review) -> list[Picture]:
    """Return the shadows of the ellipsoid of the root on three views; nothing if no solid body has its inertia."""
    result, i = review.result, review.result.root_item
    if result.rollup.bodies.inertia is None or not np.isfinite(result.rollup.bodies.inertia[i]).all():
        return []
    found = result.principal
    matrix = views.ellipsoid_matrix(float(result.rollup.bodies.mass[i]), found.moments[i], found.axes[i])
    if matrix is None:
        return []
    return [views.ellipsoid_picture(result.ids[i], matrix, axes, review.length) for axes in views.VIEWS]


def inertia_section(review: Review) -> Section | None:
    """Return tensor, principal moments and axes, radii, and the shadows of the equivalent ellipsoid."""
    result = review.result
    if result.rollup.bodies.inertia is None:
        return None
    rows, closeness = summary.root_rows(result, UNICODE, RootView(shows_principal=True))
    words = {"moments": "moment", "products": "product", "radii": "radius of gyration", "principal": "principal moment"}
    texts = [
        [
            f"{words.get(row[0].text, row[0].text)} {row[k].text}",
            row[k + 1].text,
            row[k + 2].text.removeprefix("± "),
            row[10].text,
        ]
        for row in rows
        if row[0].text in words or row[0].text.startswith("axis")
        for k in (1, 4, 7)
        if row[k + 1].text
    ]
    if not texts:
        return Section("inertia", "Inertia", [Words("The inertia is not known.", "warn")])
    about = "Inertia about the centre of mass, axes of the table"
    blocks: list[ReviewBlock] = [DataTable(about, ("quantity", "value", "σ", "unit"), "lddl", texts)]
    blocks += [Words(line.text.strip(), "warn") for line in closeness]
    if pictures := ellipsoid_pictures(review):
        blocks.append(Pictures(pictures))
        caption = "Shadows of the solid ellipsoid of uniform density with the same mass and inertia."
        blocks.append(Words(caption, "note"))
    else:
        blocks.append(Words("No solid ellipsoid has this mass and inertia.", "note"))
    return Section("inertia", "Inertia", blocks)


def pareto_picture(review: Review) -> Picture | None:
    """Return the contributors to the uncertainty of the mass as a chart; None without σ."""
    found = review.contributors
    rows = [] if found is None else [one for one in found.rows(_MOST_ROWS) if one.share]
    if found is None or not rows:
        return None
    named = [(f"{one.name}  {one.label}".rstrip(), one.share, one.cumulative) for one in rows]
    text = f"Variance of the mass of {found.id}: " + ", ".join(
        f"{name} {percent_text(share)}" for name, share, _ in named[:6]
    )
    return pareto_chart(f"Contributors to the uncertainty of the mass of {found.id}", text, named)


def uncertainty_section(review: Review) -> Section | None:
    """Return the contributors to the uncertainty of the mass, the gain from weighing, and the histogram of samples."""
    blocks: list[ReviewBlock] = []
    if (picture := pareto_picture(review)) is not None and (found := review.contributors) is not None:
        unit = unit_text(found.unit, UNICODE)
        rows = [
            [
                f"{one.name}  {one.label}".rstrip(),
                percent_text(one.share),
                percent_text(min(one.cumulative, 1.0)),
                one.input,
                number_or_dash(one.input_sigma, 2),
            ]
            for one in found.rows(_MOST_ROWS)
            if one.share
        ]
        rest = len(found) - len(rows)
        heads = ("contributor", "share of variance", "cumulative", "input", "σ of the input")
        caption = "Contributors to the uncertainty of the mass" + (
            f"; {rest:,} more are not listed" if rest > 0 else ""
        )
        gains = [found.weighed(n) for n in range(1, _MOST_WEIGHED + 1)]
        named = [gain.names for gain in gains]
        steps = [
            [str(n + 1), gain.names[n], sigma_text(gain.after)]
            for n, gain in enumerate(gains)
            if len(gain.names) > n and (n == 0 or named[n] != named[n - 1])
        ]
        mass_head = f"σ that then remains [{unit}]" if unit else "σ that then remains"
        facts = Facts([("σ of the mass", f"{sigma_text(found.sigma)} {unit}".rstrip(), "first order, full covariance")])
        blocks += [facts, Pictures([picture]), DataTable(caption, heads, "lrrld", rows)]
        if steps:
            blocks.append(
                DataTable(
                    "Weigh these next; weighed masses are used as exact", ("order", "weigh", mass_head), "lld", steps
                )
            )
    blocks += [Pictures([one]) for one in histogram_pictures(review)]
    return Section("uncertainty", "Uncertainty", blocks) if blocks else None


def histogram_pictures(review: Review) -> list[Picture]:
    """Return the histogram of the samples of the mass of the root; nothing without samples."""
    result = review.result
    sampled = result.rollup.sampled
    drawn = () if sampled is None else sampled.watched
    watched = next((one for one in drawn if one.item == result.root_item), None)
    k = SAMPLED_RESULTS.index("mass")
    if watched is None or not len(watched.counts[k]) or not np.ptp(watched.edges[k]) > 0:
        return []
    unit = review.unit
    title = f"Samples of the mass of {result.ids[result.root_item]}"
    mean, sigma = float(watched.mean[k]), float(watched.sigma[k])
    words = f"{watched.n:,} Monte Carlo samples: mean {value_with_sigma(mean, sigma, UNICODE)} {unit}".rstrip() + "."
    axis = f"mass [{unit}]" if unit else "mass"
    return [histogram_chart(title, words, (watched.edges[k], watched.counts[k].astype(float)), (mean, sigma), axis)]


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
