"""A design review, and one picture of it by its kind (``massprops plot``, ``result.plot``): svg, png or pdf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from massprops_cli._front import room_function
from massprops_cli.bom.bom import BomSource, bom_from
from massprops_cli.bom.items.result_columns import first_order_sigma
from massprops_cli.bom.results.result import Result
from massprops_cli.budgets.check import check, configured_budgets
from massprops_cli.budgets.columns import column_limits
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Finding, Findings, Severity, UsageError, checked_integer, rule_finding
from massprops_cli.options import PICTURE_KINDS, SECTION_NAMES, RollupMethod, wrong_word_text
from massprops_cli.reports.page.conventions import percent_text, value_with_sigma
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.charts import ChartBar, bar_chart
from massprops_cli.reports.pictures.shares import amount_text, mass_branches, sunburst_picture, treemap_picture
from massprops_cli.reports.pictures.svg import PALETTE, FigureShape, Picture
from massprops_cli.reports.pictures.views import VIEWS, center_picture, side_by_side
from massprops_cli.reports.plots import new_figure, picture_format, plot_style, save_figure
from massprops_cli.reports.review.content import Review, ReviewSettings, Section, review_format
from massprops_cli.reports.review.masses import headline_section, items_section, mass_section, status_section
from massprops_cli.reports.review.sections import (
    center_view,
    centre_section,
    changes_section,
    ellipsoid_pictures,
    findings_section,
    histogram_pictures,
    inertia_section,
    limit_picture,
    limits_section,
    method_section,
    pareto_picture,
    uncertainty_section,
    waterfall_picture,
)
from massprops_cli.revisions.comparison import diff

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _history_section(review: Review) -> Section | None:
    """Return the curve over the revisions of a recorded history; None without one."""
    make = room_function("massprops_cli.trends.picture", "history_section")
    return cast("Section", make(review)) if review.settings.history else None


def _certificate_section(review: Review) -> Section | None:
    """Return the recomputation of the roll-up; None where it is not requested."""
    make = room_function("massprops_cli.reports.certificates.verification", "certificate_section")
    return cast("Section", make(review)) if "certificate" in review.settings.sections else None


_SECTIONS: dict[str, Callable[[Review], Section | None]] = dict(
    zip(
        SECTION_NAMES,
        (
            headline_section, status_section, mass_section, centre_section, inertia_section, uncertainty_section,
            changes_section, _history_section, limits_section, findings_section, items_section, method_section,
            _certificate_section,
        ),
        strict=True,
    )
)  # fmt: skip


def review_sections(review: Review) -> list[Section]:
    """Return the sections whose data exist, in the order of the settings, each with the remark on it."""
    made = [_SECTIONS[name](review) for name in review.settings.sections or SECTION_NAMES]
    return [one._replace(blocks=[*review.remark(one.name), *one.blocks]) for one in made if one is not None]


def review_of_result(
    result: Result,
    budget: Any = None,
    baseline: BomSource | Result | None = None,
    settings: ReviewSettings | None = None,
    *,
    reasons: str = "",
    today: str = "",
) -> Review:
    """Check a roll-up against its limits, if there are some, and compare it with a baseline, for a report."""
    if reasons and baseline is None:
        raise UsageError("reasons are of the changes against a baseline; state --baseline too")
    checked, compared = None, None
    budgets = None if budget is None else budget if isinstance(budget, list | tuple) else [budget]
    if budgets or configured_budgets(result.bom) or column_limits(result, Findings()):
        checked = check(result, budgets, today=today or None)
    if baseline is not None:
        column = reasons.removeprefix("column:") if reasons.startswith("column:") else ""
        given = result.uncertainty_request.method
        method = cast("RollupMethod", given if given in ("massprops", "none") else "auto")
        old: Any = getattr(baseline, "bom", baseline)
        texts: dict[str, Any] = {"reasons": "" if column else reasons, "reason_column": column}
        compared = diff(old, result.bom, uncertainty=method, keep_going=True, **texts)
    findings = result.findings if checked is None else checked.findings
    findings = (*findings, *(() if compared is None else compared.comparison_findings))
    review = Review(result, checked, compared, findings, budgets, settings or ReviewSettings())
    return replace(review, findings=(*findings, *_unknown_remarks(review)))


def _unknown_remarks(review: Review) -> Iterator[Finding]:
    """Yield a warning for each remark on what is neither a section nor an item or a group of the status table."""
    groups = () if review.status is None else (texts[-1] for texts in review.status.labels)
    known = {*SECTION_NAMES, *review.result.ids, *groups}
    for name in (one for one in review.settings.remarks if one not in known):
        message = f"remark is not on a section, an item or a group of this report: {name}"
        yield rule_finding("MP902", message, item=name, severity=Severity.WARNING)


def report(
    table: BomSource | Result, path: str | PathLike[str], *, budget: Any = None, baseline: BomSource | Result | None
    = None, reasons: str = "", title: str = "", project: str = "", author: str = "", revision: str = "", logo: str =
    "", date: str = "", remarks: Mapping[str, str] | None = None, sections: Sequence[str] = (), by: Sequence[str] =
    (), depth: int = 3, static: bool = False, reproducible: bool = False, history: str = "",
) -> Findings:  # fmt: skip
    """Write a design review in one file, as ``massprops report`` does.

    Parameters
    ----------
    table : BomSource or Result
        A roll-up, a bill of materials, or a table that is read with the defaults of ``read_bom``.
    path : str or path
        The file: ``.html``, ``.pdf``, ``.md`` or ``.xlsx``; an existing file is replaced when the new one is complete.
    budget : object, optional
        Budgets, or their files, as in ``check``; default: ``[[budget]]`` of the configuration, and columns of limits.
    baseline : BomSource or Result, optional
        An earlier revision.
    reasons : str, optional
        File of reasons of changes, or ``column:HEADER``.
    title, project, author, revision, logo, date : str, optional
        Texts of the head; ``logo`` is an svg or png file.
    remarks : mapping of str to str, optional
        Markdown by section or by item.
    sections : sequence of str, optional
        Sections in their order; default: all.
    by : sequence of str, optional
        Text columns, or ``level:N``, of the status table.
    depth : int, optional
        Levels of the pictures of mass.
    static : bool, optional
        Leave out the live pictures.
    reproducible : bool, optional
        No date of the run.
    history : str, optional
        Revisions that ``massprops trend --record`` wrote, as a section with their curve.

    Returns
    -------
    Findings
        Those of the table, of the limits and of the comparison.

    Raises
    ------
    UsageError
        Unknown format or section, or a logo that is not an image.
    OutputError
        The file could not be written.

    Notes
    -----
    Margin = limit − predicted mass; σ to first order, contributors: docs/formulas.md, section 6.

    Examples
    --------
    >>> import os, tempfile
    >>> from massprops_cli.bom.bom import Bom
    >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": 2.0}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "review.html")
    ...     findings = report(bom, path, title="Design review", static=True)
    ...     os.path.getsize(path) < 250_000, len(findings)
    (True, 0)
    """
    from massprops_cli.bom.rollup import rollup

    if wrong := next((name for name in sections if name not in SECTION_NAMES), ""):
        raise UsageError(wrong_word_text("sections", wrong, SECTION_NAMES))
    settings = ReviewSettings(
        title, project, author, logo, revision, date, remarks or {}, tuple(sections), (), tuple(by),
        checked_integer("depth", depth, 1), is_static=static, is_reproducible=reproducible, history=history,
    )  # fmt: skip
    result = table if isinstance(table, Result) else rollup(bom_from(table, "table"), keep_going=True)
    review = review_of_result(result, budget, baseline, settings, reasons=reasons)
    write_review(review, fspath(path))
    return Findings(review.findings)


def write_review(review: Review, name: str, *, program: str = "", replaces: bool = True) -> None:
    """Write a report to a file, completely or not at all; a Markdown file has its pictures next to it."""
    from massprops_cli.reports.review.files import print_to_pdf, review_markdown, review_workbook
    from massprops_cli.reports.review.page import review_page

    kind, sections, pictures = review_format(name), review_sections(review), dict[str, str]()
    text = ""
    if kind == "md":
        text, pictures = review_markdown(review, sections, name)
    elif kind != "xlsx":
        text = review_page(review, sections, is_printed=kind == "pdf")
    content = text.encode("utf-8", "backslashreplace")
    content = print_to_pdf(text, program) if kind == "pdf" else content
    content = review_workbook(review, sections) if kind == "xlsx" else content
    for file, picture in pictures.items():
        with atomic_file(Path(name).with_name(file), replaces=replaces) as out:
            out.write(picture.encode("utf-8"))
    with atomic_file(name, replaces=replaces) as out:
        out.write(content)


_MOST_BARS = 24
_NEEDS = {
    "bars": "masses", "centre": "a known centre of mass", "ellipsoid": "an inertia that a solid body can have",
    "pareto": "masses with σ", "waterfall": "an earlier revision (--baseline)", "limits": "limits (--budget)",
    "histogram": "samples (--uncertainty montecarlo)",
}  # fmt: skip
_INCH = 96.0  # pixels
_POINT = 72.0 / _INCH  # points of a pixel


def review_picture(review: Review, kind: str) -> Picture:
    """Return one picture; UsageError if its data do not exist."""
    drawn: dict[str, Callable[[Review], Picture | None]] = {
        "treemap": lambda one: treemap_picture(mass_branches(one.result, one.settings.depth), one.unit),
        "sunburst": lambda one: sunburst_picture(mass_branches(one.result, one.settings.depth), one.unit),
        "bars": _mass_bars,
        "centre": _centre,
        "ellipsoid": _ellipsoid,
        "pareto": pareto_picture,
        "waterfall": lambda one: None if one.diff is None else waterfall_picture(one.diff),
        "limits": limit_picture,
        "histogram": lambda one: next(iter(histogram_pictures(one)), None),
    }
    if kind not in drawn:
        raise UsageError(wrong_word_text("picture", kind, PICTURE_KINDS))
    if (picture := drawn[kind](review)) is None:
        raise UsageError(f"nothing to draw: {kind} needs {_NEEDS[kind]}")
    return picture


def result_picture(
    result: Result, kind: str, budget: object = None, baseline: BomSource | None = None, depth: int = 3
) -> Picture:
    """Return one picture of a roll-up."""
    return review_picture(review_of_result(result, budget, baseline, ReviewSettings(depth=depth)), kind)


def _mass_bars(review: Review) -> Picture | None:
    """Return the masses of the branches below the root as bars, with ±1σ."""
    result = review.result
    tree, count = result.bom.tree, result.bom.quantity.count
    children = tree.children(result.root_item)
    masses = result.rollup.bodies.mass[children] * count[children]
    known = np.flatnonzero(np.isfinite(masses) & (result.rollup.coverage.known_mass[children] > 0))
    order = known[np.argsort(-np.abs(masses[known]), kind="stable")][:_MOST_BARS]
    found, rows = first_order_sigma(result.rollup, "sigma_mass"), list[ChartBar]()
    whole = float(np.nan_to_num(result.rollup.bodies.mass[result.root_item]))
    for k in order.tolist():
        item, mass = int(children[k]), float(masses[k])
        sigma = float("nan") if found is None or count[item] != 1 else float(found[item])
        text = f"{value_with_sigma(mass, sigma, UNICODE)} {review.unit}".rstrip()
        text += f", {percent_text(mass / whole)}" if whole > 0 else ""
        rows.append(ChartBar(result.ids[item], 0.0, mass, text, sigma=sigma if sigma > 0 else 0.0))
    if not rows:
        return None
    words = f"{amount_text(whole, review.unit)}: " + ", ".join(f"{row.name} {row.text}" for row in rows[:8])
    axis = f"mass [{review.unit}]" if review.unit else "mass"
    return bar_chart(f"Mass of the branches of {result.ids[result.root_item]}", words, rows, axis)


def _centre(review: Review) -> Picture | None:
    """Return the views of the centre of mass next to each other: with its limits and σ if there are some."""
    if (view := center_view(review)) is None:
        return None
    title, is_detail = f"Centre of mass of {view.name}", view.has_detail
    return side_by_side(title, [center_picture(view, *axes, is_detail=is_detail) for axes in VIEWS])


def _ellipsoid(review: Review) -> Picture | None:
    """Return the views of the equivalent ellipsoid next to each other."""
    pictures = ellipsoid_pictures(review)
    title = f"Equivalent ellipsoid of {review.result.ids[review.result.root_item]}"
    return side_by_side(title, pictures) if pictures else None


def _picture_figure(picture: Picture) -> Figure:
    """Draw a picture as a figure of the same size."""
    with plot_style():
        figure = new_figure(picture.width / _INCH, picture.height / _INCH)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, picture.width), ylim=(picture.height, 0))
        axes.set_axis_off()
        for order, shape in enumerate(picture.shapes):
            _draw_shape(axes, shape, order)
    return figure


def _draw_shape(axes: Axes, shape: FigureShape, order: int) -> None:
    """Draw a shape above those before it."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Polygon

    colour = PALETTE[shape.role][0]
    edge = PALETTE[shape.edge][0] if shape.edge else "none"
    if shape.kind == "text":
        side = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        weight = "bold" if shape.bold else "normal"
        x, y = shape.points[0]
        size = shape.size * _POINT
        axes.text(x, y, shape.text, color=colour, zorder=order + 1, ha=side, fontweight=weight, fontsize=size)
    elif shape.kind == "line":
        xs, ys = zip(*shape.points, strict=True)
        drawn = Line2D(xs, ys, color=colour, lw=shape.size * _POINT, zorder=order + 1)
        if shape.dash:
            drawn.set_dashes([float(one) / shape.size for one in shape.dash.split()])
        axes.add_line(drawn)
    elif shape.kind == "dot":
        axes.add_patch(Circle(shape.points[0], shape.size, facecolor=colour, edgecolor=edge, zorder=order + 1))
    else:
        width = 0.8 if shape.edge else 0.0
        area = Polygon(list(shape.points), closed=True, facecolor=colour, edgecolor=edge, lw=width, zorder=order + 1)
        area.set_alpha(shape.opacity)
        axes.add_patch(area)


def save_picture(picture: Picture, name: str, *, replaces: bool = True) -> None:
    """Write a picture to a file: svg by its shapes, png and pdf by Matplotlib."""
    if picture_format(name) != "svg":
        save_figure(name, lambda: _picture_figure(picture), replaces=replaces)
        return
    with atomic_file(name, replaces=replaces) as out:
        out.write(picture.svg(is_file=True).encode("utf-8"))
