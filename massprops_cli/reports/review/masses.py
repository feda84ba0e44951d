"""Sections on masses: the headline, the status by subsystem, where the mass is, and the items."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import CENTER, body_column, first_order_sigma
from massprops_cli.bom.results.probability import query_probabilities
from massprops_cli.bom.results.result_dict import ReviewTable, derived_column
from massprops_cli.findings.finding import UsageError, count_with_noun, finding_counts_text, name_list
from massprops_cli.reports import summary
from massprops_cli.reports.limits import limit_margin_text, limit_value_text
from massprops_cli.reports.page.conventions import (
    formatted_number,
    number_and_sigma,
    percent_text,
    rounded_text,
    sigma_text,
    value_with_sigma,
)
from massprops_cli.reports.page.page import UNICODE, TextSpan
from massprops_cli.reports.pictures.shares import (
    amount_text,
    mass_branches,
    stated_differences,
    sunburst_picture,
    treemap_picture,
)
from massprops_cli.reports.review.content import (
    DataTable,
    Facts,
    ItemTable,
    Pictures,
    Review,
    ReviewBlock,
    Section,
    Words,
)
from massprops_cli.revisions.diff import item_place

_UNKNOWN = float("nan")
_Floats = NDArray[np.float64]
_STATUS_HEADS = {
    "sigma_mass": ("sigma", "σ"), "allowance_percent": ("growth", "growth %"), "allowance_mass": ("growth", "growth"),
    "predicted_mass": ("predicted", "predicted"), "limit": ("allocation", "allocation"), "margin": ("margin", "margin"),
    "margin_percent": ("margin", "margin %"), "share": ("share", "share"), "maturity": ("maturity", ""),
    "mass": ("", "basic"),
}  # fmt: skip
_ITEM_HEADS = ("item", "name", "qty", "mass each", "mass of all", "share", "σ each", "Cx", "Cy", "Cz", "row")
_ROUNDING = 1e-14  # share of the largest coordinate below which another one is rounding
_STATIC_ROWS = 200  # items of the page without a script; the heaviest of more


def headline_section(review: Review) -> Section:
    """Return basic, growth, predicted, limit, margin with its formula, probability, centre, and the verdict."""
    result, unit = review.result, review.unit
    i = result.root_item
    blocks: list[ReviewBlock] = [*_verdict(review)]
    rows: list[tuple[str, str, str]] = []
    mass, sigma = _root(review, "mass"), _root(review, "sigma_mass")
    text, spread = number_and_sigma(mass, sigma, UNICODE)
    bound = "≥ " if result.rollup.coverage.mass_is_bound[i] and text != "-" else ""
    predicted = _root(review, "predicted_mass")
    rows.append(("basic mass", f"{bound}{text} {unit}".rstrip(), f"{spread} (σ)" if spread else "no σ stated"))
    if result.predicted is not None and isfinite(predicted):
        gain, share = _root(review, "allowance_mass"), _root(review, "allowance_percent")
        rows.append(("growth", amount_text(gain, unit), f"{share:.1f} % of the basic mass" if isfinite(share) else ""))
        rows.append(("predicted mass", amount_text(predicted, unit), "basic mass + growth"))
    elif result.predicted is not None:
        rows.append(("predicted mass", "not known", "parts without a growth allowance"))
    rows += [*_limit_facts(review, mass, predicted), *_pending_facts(review)]
    if result.rollup.bodies.center is not None:
        for name in CENTER.columns:
            value, of_value = _root(review, name), _root(review, f"sigma_{name}")
            text = value_with_sigma(value, of_value, UNICODE)
            rows.append((f"centre {name[1:]}", f"{text} {review.length}".rstrip() if text else "not known", ""))
    coverage = result.rollup.coverage
    known = percent_text(int(coverage.known_mass[i]) / int(coverage.rows[i])) if coverage.rows[i] else "no parts"
    rows.append(("coverage", known, summary.coverage_text(result, i)))
    return Section("headline", "Headline", [*blocks, Facts(rows)])


def _root(review: Review, name: str) -> float:
    """Return a result of the root; NaN if it is unknown."""
    column = derived_column(review.result, name)
    return _UNKNOWN if column is None else float(column[review.result.root_item])


def _verdict(review: Review) -> Iterator[Words]:
    """Yield the verdict in words."""
    check, result = review.check, review.result
    counts = finding_counts_text(review.findings)
    if check is None:
        yield Words(f"No limits are stated. {count_with_noun(len(result.bom), 'item')}: {counts}.", "note")
        return
    broken = [one for one in check.verdicts if one.is_broken and not one.is_undecided]
    undecided = [one for one in check.verdicts if one.is_broken and one.is_undecided]
    waived = sum(one.waiver is not None and not one.kept for one in check.verdicts)
    kept = sum(one.kept for one in check.verdicts)
    number = count_with_noun(len(check.verdicts), "limit")
    words = f"{kept} of {number} kept" + (f", {waived} waived" if waived else "")
    words += f", {len(undecided)} undecided" if undecided else ""
    if broken:
        listed = [f"{one.item}: {one.requirement}" for one in broken]
        over = f" (margin {limit_margin_text(broken[0])})" if broken[0].margin is not None else ""
        yield Words(f"{len(broken)} of {number} not kept: {name_list(listed, 3)}{over}", "bad")
    else:
        yield Words("No limit is broken.", "warn") if undecided else Words("Every limit is kept or waived.", "good")
    yield Words(f"{words}; {counts}.", "note")


def _limit_facts(review: Review, mass: float, predicted: float) -> Iterator[tuple[str, str, str]]:
    """Yield the limit of the root, the margin with its formula, and the probability that the limit is kept."""
    made, unit = review.status, review.unit
    if made is None or not isfinite(limit := float(made.columns.get("limit", np.array([_UNKNOWN]))[-1])):
        return
    of_basic = bool(made.is_of_basic[-1]) or not isfinite(predicted)
    margin, percent = (float(made.columns[name][-1]) for name in ("margin", "margin_percent"))
    yield "limit", amount_text(limit, unit), "of the basic mass" if of_basic else "of the predicted mass"
    if isfinite(margin):
        words = _margin_formula(limit, mass, predicted if isfinite(predicted) else mass, percent)
        text = amount_text(margin, unit) + (f" ({formatted_number(percent, 3)} %)" if isfinite(percent) else "")
        yield "margin", text, f"margin = limit − {'basic' if of_basic else 'predicted'} mass{words}"
    question = f"{'basic ' if made.is_of_basic[-1] else ''}mass <= {limit!r} {review.result.bom.units.mass}".rstrip()
    try:
        (chance,) = query_probabilities(review.result, (question,))
    except UsageError:
        return
    if isfinite(chance.value):
        of = "basic mass" if made.is_of_basic[-1] else "mass"
        yield "probability of the limit", _probability_text(chance.value), f"P({of} ≤ {amount_text(limit, unit)})"


def _pending_facts(review: Review) -> Iterator[tuple[str, str, str]]:
    """Yield the limit of the root on its mass with the expected pending changes, which the status table lacks."""
    words = "predicted mass + expected pending changes"
    for one in () if review.check is None else review.check.verdicts:
        is_mass = one.subject == "mass-max" and one.requirement.endswith("(with-pending)")
        if is_mass and one.item == review.result.ids[review.result.root_item] and one.limit is not None:
            yield "mass with pending changes", limit_value_text(one), words
            yield "its limit", amount_text(one.limit, one.unit), ""
            if one.margin is not None:
                yield "its margin", limit_margin_text(one), "limit − mass with pending changes"


def _probability_text(value: float) -> str:
    """Write a probability; near 0 and 1 as a bound, never as certain."""
    return "> 0.9999" if value > 0.9999 else "< 0.0001" if value < 0.0001 else formatted_number(value, 4)


def _margin_formula(limit: float, basic: float, predicted: float, percent: float) -> str:
    """Return the formula of a margin in percent, by its numbers."""
    for of, mass in (("predicted", predicted), ("basic", basic)):
        for whole, size in ((of, mass), ("limit", limit)):
            if size and abs(100 * (limit - mass) / size - percent) <= 1e-9 * max(abs(percent), 1.0):
                return f"; in percent (limit − {of}) / {whole}"
    return ""


class _Column(NamedTuple):
    """A column of the status table: its word in ``status-columns``, heading, alignment, and cells."""

    word: str
    head: str
    align: str
    cells: list[str]


def status_section(review: Review) -> Section | None:
    """Return the status table by subsystem."""
    made = review.status
    if made is None or not made.columns:
        return None
    chosen = review.settings.columns
    columns = [one for one in _status_columns(review, made) if not (one.word and chosen) or one.word in chosen]
    n = len(made.labels)
    margins = made.columns.get("margin", np.full(n + 1, np.nan)).tolist()
    waived = {one.item for one in review.check.verdicts if one.waiver} if review.check is not None else set()
    words = ["warn" if texts[-1] in waived else "bad" for texts in made.labels]
    looks = [word if margin < 0 else "" for word, margin in zip(words, margins, strict=False)]
    looks.append("total")
    _, heads, align, cells = zip(*columns, strict=True)
    caption = "Masses in " + (review.unit or "the unit of the table")
    table = DataTable(caption, heads, "".join(align), list(zip(*cells, strict=True)), looks)
    texts = [note.text for note in summary.review_notes(made) if review.check is None or "broken" not in note.text]
    notes = [Words(text, "bad" if "broken" in text else "note") for text in texts]
    return Section("status", "Status by " + ", ".join(made.by).replace("level:", "level "), [table, *notes])


def _status_columns(review: Review, made: ReviewTable) -> Iterator[_Column]:
    """Yield the columns of the status table: those of the review table, and previous mass, reason and remark."""
    found = summary.review_columns(review.result, made, review.other, UNICODE, 1)
    labels = [*_piece_labels(review, made)]
    for k, one in enumerate(found):
        if one.name == "label":
            cells = [f"{text}{labels[j]}" for j, text in enumerate(one.cells)] if not k else one.cells
            yield _Column("", one.head.partition(" (")[0], "l", cells)
        elif one.name in _STATUS_HEADS:
            word, head = _STATUS_HEADS[one.name]
            texts = [text.removeprefix("± ") for text in one.cells]
            yield _Column(word, head or one.head, "m" if one.name == "maturity" else "d", texts)
            if one.name == "mass" and "change" in made.columns:
                yield from _change_columns(review, made, one.cells)
    remarks = [review.settings.remarks.get(texts[-1], "") for texts in made.labels]
    if any(remarks):
        yield _Column("remark", "remark", "l", [*remarks, ""])


def _change_columns(review: Review, made: ReviewTable, basic: list[str]) -> Iterator[_Column]:
    """Yield the previous mass and the change, with the decimals of the basic one, and the reasons."""
    change, mass = made.columns["change"], np.nan_to_num(made.columns["mass"])
    decimals = max(len(text.partition(".")[2]) for text in basic)
    texts = [[rounded_text(value, -decimals) for value in values.tolist()] for values in (mass - change, change)]
    signed = [f"+{text}" if value > 0 else text for text, value in zip(texts[1], change.tolist(), strict=True)]
    yield _Column("previous", "previous", "d", [text if text != "nan" else "-" for text in texts[0]])
    yield _Column("change", "change", "d", [text if text != "nan" else "-" for text in signed])
    reasons = _reasons_of_groups(review, made)
    if any(reasons):
        yield _Column("reason", "reason of the change", "l", [*reasons, ""])


def _reasons_of_groups(review: Review, made: ReviewTable) -> list[str]:
    """Return the reasons of the changes in each group (k), the largest change first."""
    found: list[dict[str, float]] = [{} for _ in made.labels]
    diff = review.diff
    if diff is None or not diff.reasons:
        return [""] * len(found)
    values = diff.whole.contributions()[:, 0]
    for line in np.flatnonzero(np.nan_to_num(values)).tolist():
        item, reason = int(diff.matching.new[line]), diff.reasons.get(line, "")
        if item >= 0 and reason and (group := int(made.group[item])) >= 0:
            found[group][reason] = found[group].get(reason, 0.0) + abs(float(values[line]))
    return ["; ".join(sorted(one, key=lambda word: -one[word])) for one in found]


def _piece_labels(review: Review, made: ReviewTable) -> Iterator[str]:
    """Yield for each group what one of repeated branches has: ``, 4 × 92 g``; nothing for the total."""
    result = review.result
    pieces = result.bom.tree.path_quantities(result.bom.quantity).count
    for texts in made.labels:
        item = result.bom.find(texts[0]) if len(made.by) == 1 and made.by[0].startswith("level:") else None
        times = 1.0 if item is None else float(pieces[item])
        mass = _UNKNOWN if item is None else float(result.rollup.bodies.mass[item])
        yield f", {formatted_number(times)} × {formatted_number(mass, 5)}" if times != 1 and isfinite(mass) else ""
    yield ""


def mass_section(review: Review) -> Section | None:
    """Return treemap and sunburst, a table of the branches, and what no part explains."""
    result, unit = review.result, review.unit
    if "mass" not in result.bom.columns.by_quantity:
        return None
    tree = mass_branches(result, max(review.settings.depth, 1))
    rows = [
        [part.label, amount_text(part.mass, ""), percent_text(part.mass / tree.mass) if tree.mass > 0 else "-"]
        for part in tree.parts
    ]
    head = f"mass [{unit}]" if unit else "mass"
    looks = ["warn" if part.kind == "unexplained" else "" for part in tree.parts]
    rows.append([tree.label, amount_text(tree.mass, ""), percent_text(1.0) if tree.mass > 0 else "-"])
    caption = "Branches below the root, masses of all pieces"
    table = DataTable(caption, ("branch", head, "share"), "ldr", rows, [*looks, "total"])
    notes: list[ReviewBlock] = [
        Words(f"{label}: its stated mass is {amount_text(-missing, unit)} less than the sum of its rows.", "warn")
        for label, missing in stated_differences(result)
        if missing < 0
    ]
    pieces = result.bom.tree.path_quantities(result.bom.quantity).count
    removed = np.flatnonzero((np.nan_to_num(result.rollup.bodies.mass) * pieces < 0) & result.bom.tree.is_leaf())
    if len(removed):
        names = name_list([result.ids[k] for k in removed.tolist()], 6)
        notes.append(Words(f"Negative masses have no area and are not drawn: {names}.", "warn"))
    pictures = Pictures([treemap_picture(tree, unit), sunburst_picture(tree, unit)], "mass")
    return Section("mass", "Where the mass is", [pictures, table, *notes])


class _ListedItems(NamedTuple):
    """The items in the order of the tree: levels, texts and numbers by column (n,) each; NaN where unknown."""

    level: list[int]
    ids: list[str]
    names: list[str]
    pieces: _Floats
    mass: _Floats
    total: _Floats
    sigma: _Floats | None
    center: list[_Floats]
    places: list[str]
    is_assembly: list[bool]


def item_rows(review: Review) -> _ListedItems:
    """Return all items, depth first."""
    result = review.result
    bom, tree, rollup = result.bom, result.bom.tree, result.rollup
    order = tree.preorder_items()
    known = rollup.coverage.known_mass > 0
    mass = np.where(known, rollup.bodies.mass, np.nan)
    sigma = first_order_sigma(rollup, "sigma_mass")
    centers = [one for name in CENTER.columns if (one := body_column(rollup.bodies, name)) is not None]
    pieces = tree.path_quantities(bom.quantity).count
    items = order.tolist()
    return _ListedItems(
        tree.depth()[order].tolist(),
        [TextSpan(bom.ids[i]).text for i in items],  # without control characters
        ["" if bom.names is None or bom.names[i] == bom.ids[i] else TextSpan(bom.names[i]).text for i in items],
        bom.quantity.count[order],
        mass[order],
        (mass * pieces)[order],
        None if sigma is None else np.asarray(sigma[order]),
        [np.where(abs(one) < _ROUNDING * np.nanmax(abs(one), initial=0.0), 0.0, one)[order] for one in centers],
        [TextSpan(str(item_place(bom, i)).removeprefix(f"{bom.table.source.name}:")).text for i in items],
        (~tree.is_leaf()[order]).tolist(),
    )


def items_section(review: Review) -> Section:
    """Return the table of the items; without a script it has the heaviest ones."""
    rows = item_rows(review)
    n = len(rows.ids)
    chosen = list(range(n))
    words = f"{count_with_noun(n, 'item')}, in the order of the tree"
    if n > _STATIC_ROWS:
        size = np.nan_to_num(np.abs(rows.total))
        chosen = sorted(np.argsort(-size, kind="stable")[:_STATIC_ROWS].tolist())
        words = f"The {_STATIC_ROWS} heaviest of {n:,} items, in the order of the tree"
    whole = float(np.nan_to_num(rows.total[0])) if n else 0.0
    texts = [_item_texts(rows, k, whole) for k in chosen]
    kept = [j for j in range(len(_ITEM_HEADS)) if any(one[j] for one in texts)]
    heads = [_with_unit(review, _ITEM_HEADS[j]) for j in kept]
    align = "".join("lldddddddd"[j] if j < 10 else "l" for j in kept)
    looks = ["total" if rows.is_assembly[k] else "" for k in chosen]
    table = DataTable(words, heads, align, [[one[j] for j in kept] for one in texts], looks)
    return Section("items", "Items", [ItemTable(table)])


def _with_unit(review: Review, head: str) -> str:
    """Return a heading of the items with its unit."""
    unit = review.unit if "mass" in head or "σ" in head else review.length if head in CENTER.columns else ""
    return f"{head} [{unit}]" if unit else head


def _item_texts(rows: _ListedItems, k: int, whole: float) -> list[str]:
    """Return the cells of one item."""
    sigma = _UNKNOWN if rows.sigma is None else float(rows.sigma[k])
    mass, total = float(rows.mass[k]), float(rows.total[k])
    text = value_with_sigma(mass, sigma, UNICODE).partition(" ")[0].lstrip("(") or "-"
    centers = [formatted_number(float(one[k]), 5) for one in rows.center] or ["", "", ""]
    count = float(rows.pieces[k])
    return [
        "\u2003" * min(rows.level[k], 8) + rows.ids[k],
        rows.names[k],
        "" if count == 1 else formatted_number(count),
        text,
        formatted_number(total, 6) if total != mass else "",
        rounded_text(100 * total / whole, -1) + " %" if whole > 0 and isfinite(total) else "",
        sigma_text(sigma) if isfinite(sigma) and sigma > 0 else "",
        *centers,
        rows.places[k],
    ]
