"""Sections on the body as a whole: centre of mass in its limits, inertia, and uncertainty."""

from __future__ import annotations

import math
from math import inf

import numpy as np
from numpy.typing import NDArray

from massprops_cli.budgets.model import limit_dimension, table_unit_factor
from massprops_cli.reports import summary
from massprops_cli.reports.page.conventions import (
    RootView,
    formatted_number,
    number_or_dash,
    percent_text,
    sigma_text,
    unit_text,
    value_with_sigma,
)
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures import views
from massprops_cli.reports.pictures.charts import histogram_chart, pareto_chart
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.reports.review.content import DataTable, Facts, Pictures, Review, ReviewBlock, Section, Words
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
        if any(math.isfinite(end) for pair in view.box for end in pair):
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
        sigma = math.sqrt(view.covariance[k, k]) if view.covariance is not None else float("nan")
        number, _, spread = value_with_sigma(float(view.center[k]), sigma, UNICODE).partition(" ± ")
        low, high = ("" if math.isinf(end) else formatted_number(end) for end in view.box[k])
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
