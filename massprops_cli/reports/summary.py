"""Summary of a roll-up: root, coverage, growth, and the review table; the values of one item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import item_quantity_values, single_item_rollup
from massprops_cli.bom.results.result_dict import LIMIT_NAMES, ReviewTable, derived_column, review_table
from massprops_cli.bom.results.table_edit import coherent_unit, result_header
from massprops_cli.files.table import short_numbers, shortest_number_text
from massprops_cli.findings.finding import count_with_noun, name_series
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.findings import csv_text
from massprops_cli.reports.page.page import ASCII, UNICODE, Grid, Line, Notes, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.rollups.inputs import Coverage

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.results.result import Result

_USUAL = (
    "axes of the table; CG coordinates from the origin 0,0,0",
    "about the centre of mass (CG) of each item",
    "part uncertainties independent",
    "covariance: first-order, full covariance",
    "none: the table states no sigma",
)  # conventions that a brief page does not state
_WIDE_ALIGNMENT = "l" + "lns" * 3 + "l"  # a label, three names with value and sigma, a unit
_CLOSE_SIGMAS = 3.0
"""Principal moments closer than this, in sigmas of their difference, are not significantly different."""
_MAX_LINE_WIDTH = 80  # maximum length of the comparison of correlation assumptions


def summary_blocks(
    result: Result, symbols: Symbols, view: conventions.RootView, *, is_brief: bool = False
) -> list[PageBlock]:
    """Lay out the root; a brief page has no radii of gyration where the values of a row are one below the other."""
    bom, i = result.bom, result.root_item
    name = bom.names[i] if bom.names is not None and bom.names[i] != bom.ids[i] else ""
    is_marked = view.sigma_level != 1 and result.rollup.sigmas is not None
    level = f"  {symbols.plus_minus} {conventions.level_text(view.sigma_level, symbols)}" if is_marked else ""
    head = text_line(
        TextSpan(bom.ids[i], "strong"),
        f"  {name}" if name else "",
        TextSpan("  (root)", "dim"),
        TextSpan(level, "warn"),
    )
    rows, closeness = root_rows(result, symbols, view)
    # on a narrow screen the three values of each row are one below the other
    shown = [row for row in rows if not is_brief or row[1].text != _RADII[0]]
    columns = [(row, k) for row in shown for k in (1, 4, 7) if row[k + 1].text]
    stack = [[row[0] if k == 1 else TextSpan(""), *row[k : k + 3], row[10]] for row, k in columns]
    grid = Grid(rows, _WIDE_ALIGNMENT, narrow=Grid(stack, "lldsl"))
    words = coverage_text(result, i)
    complete = all(part.endswith("of all") for part in words.split("; ")[1:])
    coverage = text_line("  ", TextSpan("coverage  ", "dim"), TextSpan(words, "" if complete else "warn"), hang=12)
    notes = [coverage, *maturity_lines(result, i), *growth_lines(result, i, symbols), *_margin_lines(result, symbols)]
    root: list[Line | Grid] = [grid, *closeness, *notes, *assumption_lines(result, view.sigma_level, symbols)]
    return [Line(), head, *(root if "mass" in result.bom.columns.by_quantity else ())]


def convention_notes(
    result: Result, symbols: Symbols, view: conventions.RootView, *, is_brief: bool = False
) -> list[PageBlock]:
    """Lay out the conventions of the numbers, in brief those that may surprise."""
    if "mass" not in result.bom.columns.by_quantity:
        return []
    about = view.about_words
    if about and view.shows_principal:
        about += "; principal moments and axes about its own centre of mass"
    rows = conventions.convention_rows(result, symbols, view.datum_words, about, view.sigma_level)
    usual = {"units", "layout"} if result.bom.units.stated else {"layout"}  # units are next to their numbers
    rows = [row for row in rows if not is_brief or (row[0] not in usual and row[1] not in _USUAL)]
    return [Notes(rows)] if rows else []


def root_rows(
    result: Result, symbols: Symbols, view: conventions.RootView
) -> tuple[list[list[TextSpan]], Sequence[Line]]:
    """Return the rows of the root, each a label, three named values with sigmas and a unit, and a warning on axes."""
    rows, i = _property_rows(result, result.root_item, symbols, view), result.root_item
    principal, closeness = _principal_rows(result, i, symbols, view.sigma_level) if view.shows_principal else ((), ())
    return [*rows, *principal], closeness


def _property_rows(result: Result, i: int, symbols: Symbols, view: conventions.RootView) -> list[list[TextSpan]]:
    """Return the rows of one item: a label, three named values with their sigmas, a unit."""
    units, of_inertia = result.bom.units, conventions.shown_inertia_unit(result.bom)[0]
    values = _item_values(result, i, view.datum, view.about, view.sigma_level)
    coverage = result.rollup.coverage
    share = CoverageWords(coverage, i, symbols)
    mass, sigma = conventions.number_and_sigma(*values["mass"], symbols)
    rows = [
        _property_row("mass", [("", share.bound(mass, coverage.mass_is_bound), sigma)], units.mass, symbols, share.mass)
    ]
    axes = tuple(name for name in CENTER if name in values and isfinite(values[name][0])) or CENTER
    only = f"{' and '.join(name[1:] for name in axes)} only" if len(axes) < len(CENTER) else ""
    kinds = [("CG", axes, units.length, ", ".join(filter(None, (share.center, only))))]
    kinds += [(label, names, of_inertia, share.inertia) for label, names in _ENTRY_ROWS]
    kinds.append(("radii", _RADII, units.length, share.inertia))
    for label, names, unit, part in kinds:
        if names[0] in values:
            texts = [(name, *conventions.number_and_sigma(*values[name], symbols)) for name in names]
            if names == MOMENTS and coverage.moments_are_bounds[i]:
                texts = [(name, share.bound(text, coverage.moments_are_bounds), spread) for name, text, spread in texts]
                rows.append(_property_row(label, texts, unit, symbols))
                continue
            rows.append(_property_row(label, texts, unit, symbols, part))
    return rows


def total_mass_text(result: Result, symbols: Symbols) -> str:
    """Write the mass of the root with its unit, and the predicted mass if growth is stated."""
    i, grown = result.root_item, result.predicted
    mass, _ = conventions.number_and_sigma(*_item_values(result, i, None)["mass"], symbols)
    share = CoverageWords(result.rollup.coverage, i, symbols)
    text = share.bound(mass, result.rollup.coverage.mass_is_bound)
    unit = conventions.unit_text(result.bom.units.mass, symbols)
    of_growth = ""
    if grown is not None and grown.coverage.mass_is_whole[i] and grown.bodies.mass[i] != result.rollup.bodies.mass[i]:
        number = conventions.formatted_number(float(grown.bodies.mass[i]), 5)
        of_growth = f", predicted {number} {unit}".rstrip()
    return "" if text == "-" else f"{text} {unit}".rstrip() + of_growth


class CoverageWords:
    """Coverage of a value that lacks some leaves: ``≥`` before it, or ``of 94 % of the mass`` behind it."""

    def __init__(self, coverage: Coverage, i: int, symbols: Symbols) -> None:
        self.i, self.sign = i, ">= " if symbols is ASCII else "≥ "
        rows = int(coverage.rows[i])
        whole = bool(coverage.mass_is_whole[i])
        self.mass = "" if whole or coverage.mass_is_bound[i] else known_leaves_text(int(coverage.known_mass[i]), rows)
        self.center, self.inertia = (
            ""
            if int(count[i]) == rows
            else f"of {conventions.percent_text(float(share[i]))} of the mass"
            if float(share[i]) < 1
            else known_leaves_text(int(count[i]), rows)
            for count, share in (
                (coverage.known_center, coverage.mass_share_center),
                (coverage.known_inertia, coverage.mass_share_inertia),
            )
        )

    def bound(self, text: str, is_bound: NDArray[np.bool_]) -> str:
        """Write ``≥`` before the number if it is a lower bound, by the flags of all items (n,)."""
        return self.sign + text if is_bound[self.i] and text != "-" else text


def known_leaves_text(count: int, rows: int) -> str:
    """Write the coverage of a value in leaves."""
    return f"of {count:,} of {rows:,} leaves"


def _property_row(
    label: str, texts: Sequence[tuple[str, str, str]], unit: str, symbols: Symbols, part: str = ""
) -> list[TextSpan]:
    """Make a row of the root's grid; ``part`` is the coverage of incomplete values."""
    cells = [TextSpan(text, "dim" if k == 0 else "") for named in texts for k, text in enumerate(named)]
    cells += [TextSpan("")] * (9 - len(cells))
    words = "  ".join(text for text in (conventions.unit_text(unit, symbols), part) if text)
    return [TextSpan(label, "dim"), *cells, TextSpan(words, "warn" if part else "dim")]


def _principal_rows(
    result: Result, i: int, symbols: Symbols, level: int
) -> tuple[Sequence[list[TextSpan]], Sequence[Line]]:
    """Return rows of principal moments and axes, and a warning on close ones: docs/formulas.md, sections 2 and 5."""
    body = result.body(i)
    if body.inertia is None or not np.isfinite(body.inertia).all():
        return (), ()
    moments, axes = body.principal()
    unit, size = conventions.shown_inertia_unit(result.bom)
    sigmas, close = np.full(3, _UNKNOWN), np.zeros(2, bool)
    if (spread := body.principal_sigmas()) is not None:
        sigmas, close = level * spread.sigmas / size, np.diff(moments) < _CLOSE_SIGMAS * spread.sigma_gaps
    # no axes are defined in the plane of two close moments, and first order does not apply
    names = [f"I{k + 1}" for k in range(3)]
    marked = [name for k, name in enumerate(names) if close[max(k - 1, 0) : k + 1].any()]
    values = zip(names, (moments / size).tolist(), sigmas.tolist(), strict=True)
    texts = [
        (name + "*" * (name in marked), *conventions.number_and_sigma(moment, sigma, symbols))
        for name, moment, sigma in values
    ]
    rows = [_property_row("principal", texts, unit, symbols)]
    for k, axis in enumerate(axes.tolist()):
        texts = [(name, f"{part:+.5f}", "") for name, part in zip("xyz", axis, strict=True)]
        rows.append(_property_row(f"axis {k + 1}", texts, "", symbols))
    if not marked:
        return rows, ()
    words = f"{name_series(marked)} differ by less than 3 {symbols.sigma}: their axes and sigmas are unreliable"
    return rows, (text_line("  ", TextSpan("*  ", "warn"), TextSpan(words, "warn"), hang=5),)


def coverage_text(result: Result, i: int) -> str:
    """Write the number of leaves, and of leaves with a known mass, centre and inertia."""
    coverage, bodies = result.rollup.coverage, result.rollup.bodies
    leaves, known = int(coverage.rows[i]), int(coverage.known_mass[i])
    bound = " (a lower bound)" if coverage.mass_is_bound[i] else ""
    parts = [count_with_noun(leaves, "leaf"), "mass of all" if known == leaves else f"mass of {known:,}{bound}"]
    for words, array, share, count in (
        ("CG", bodies.center, coverage.mass_share_center, coverage.known_center),
        ("inertia", bodies.inertia, coverage.mass_share_inertia, coverage.known_inertia),
    ):
        if array is not None:
            whole = int(count[i]) == leaves
            of_mass = f" ({conventions.percent_text(float(share[i]))} of mass)" if isfinite(share[i]) else ""
            parts.append(f"{words} of all" if whole else f"{words} of {int(count[i]):,}{of_mass}")
    return "; ".join(parts)


def maturity_lines(result: Result, i: int) -> list[Line]:
    """Report the shares of mass that are estimated, calculated and weighed."""
    shares = {word.replace("_", " "): float(share[i]) for word, share in result.shares_of_mass.items()}
    parts = [f"{conventions.percent_text(share)} {word}" for word, share in shares.items() if share > 0]
    return [text_line("  ", TextSpan("maturity  ", "dim"), ", ".join(parts), hang=12)] if parts else []


def growth_lines(result: Result, i: int, symbols: Symbols) -> list[Line]:
    """Report basic mass, mass growth allowance (MGA) and predicted mass, if growth is stated."""
    names = ("mass", "allowance_mass", "allowance_percent", "predicted_mass")
    columns = [derived_column(result, name) for name in names]
    basic, gain, share, predicted = (float("nan") if column is None else float(column[i]) for column in columns)
    if result.predicted is None:
        return []
    if not isfinite(predicted):
        coverage = result.predicted.coverage
        lacking = count_with_noun(int(result.rollup.coverage.known_mass[i] - coverage.known_mass[i]), "part")
        text, look = f"predicted mass not known: {lacking} without a growth allowance", "warn"
    else:
        unit = conventions.unit_text(result.bom.units.mass, symbols)
        texts = [conventions.formatted_number(value, 5) for value in (basic, gain, predicted)]
        allowance = f"growth allowance {texts[1]}" + (f" ({share:.1f} %)" if isfinite(share) else "")
        text = f"basic mass {texts[0]} + {allowance} = predicted mass {texts[2]} {unit}".rstrip()
        whole = result.rollup.coverage
        text += "" if whole.known_mass[i] == whole.rows[i] else ", parts with known mass only"
        look = ""
    return [text_line("  ", TextSpan("growth    ", "dim"), TextSpan(text, look), hang=12)]


def _margin_lines(result: Result, symbols: Symbols) -> list[Line]:
    """Name the rows of margins, and the stated totals that include them."""
    if not any(total.kind == "margin" for total in result.bom.totals):
        return []
    from massprops_cli.bom.checks.totals import margin_masses

    listed = margin_masses(result.bom)
    included = [one for one in listed if one[2]]
    stated = {
        one.quantity.removeprefix("line_"): one
        for one in result.totals
        if one.agrees and any(margin.label in one.of.partition(" including ")[2] for margin, *_ in included)
    }
    size, unit = result.bom.columns.by_quantity["mass"].factor, conventions.unit_text(result.bom.units.mass, symbols)
    texts = [f"{margin.label} {conventions.formatted_number(more / size, 5)}" for margin, more, _ in included]
    words = f"{', '.join(texts or [margin.label for margin, *_ in listed])} is not in the mass"
    for quantity, start in {"mass": "; with it ", "mass_with_growth": "; predicted with it "}.items():
        if quantity in stated:
            words += f"{start}{conventions.formatted_number(stated[quantity].stated, 7)} {unit}".rstrip()
    return [text_line("  ", TextSpan("margin    ", "dim"), TextSpan(words), hang=12)] if listed else []


def assumption_lines(result: Result, level: int, symbols: Symbols) -> list[Line]:
    """Compare the sigmas of the root for each value of the option ``correlate``."""
    if not (found := result.assumptions):
        return []
    sign = symbols.sigma if level == 1 else conventions.level_text(level, symbols)
    texts: list[str] = []
    for name in next(iter(found.values())):
        amounts = ", ".join(f"{word} {conventions.sigma_text(level * sigmas[name])}" for word, sigmas in found.items())
        text = f"{sign} {name}: {amounts} {conventions.unit_text(coherent_unit(result, name), symbols)}".rstrip()
        if texts and 12 + len("; ".join([*texts, text])) > _MAX_LINE_WIDTH:
            break
        texts.append(text)
    return [text_line("  ", TextSpan("correlate ", "dim"), "; ".join(texts), hang=12)]


CENTER = ("Cx", "Cy", "Cz")
MOMENTS = ("Ixx", "Iyy", "Izz")
_PRODUCTS = ("Ixy", "Ixz", "Iyz")
_RADII = ("kx", "ky", "kz")
_ENTRY_ROWS = (("moments", MOMENTS), ("products", _PRODUCTS))

Point = tuple[float, float, float]
_Floats = NDArray[np.float64]
_UNKNOWN = float("nan")
_ROUNDING_SHARE = 1e-14  # share of the largest number of its kind below which a number is rounding


def _item_values(
    result: Result, i: int, datum: Point | None = None, about: Point | None = None, level: int = 1
) -> dict[str, tuple[float, float]]:
    """Return name → (value, sigma) of the computed quantities of item ``i``, NaN for unknown values."""
    # centre coordinates are from ``datum``; with ``about``, a point in the frame of the table, the tensor is about that
    # point, and its sigmas are from the covariance of the item, or of one body (``Body.sigma_about``)
    values: dict[str, tuple[float, float]] = {}
    rollup = single_item_rollup(result.rollup, i)
    for name in ("mass", *CENTER, *MOMENTS, *_PRODUCTS, *_RADII):
        if (column := item_quantity_values(rollup, name)) is None:
            continue
        sigmas = item_quantity_values(rollup, f"sigma_{name}")
        values[name] = float(column[0]), _UNKNOWN if sigmas is None else float(sigmas[0])
    if about is not None and "Ixx" in values and isfinite(values["Ixx"][0]):
        _shift_tensor(values, result.body(i), about)
    if datum is not None and "Cx" in values:
        for name, origin in zip(CENTER, datum, strict=True):
            values[name] = values[name][0] - origin, values[name][1]
    _clear_rounding(values, CENTER, (*CENTER, *_RADII))
    _clear_rounding(values, (*MOMENTS, *_PRODUCTS), (*MOMENTS, *_PRODUCTS))
    _, size = conventions.shown_inertia_unit(result.bom)
    sizes = dict.fromkeys((*MOMENTS, *_PRODUCTS), size)
    return {
        name: (value / sizes.get(name, 1.0), level * sigma / sizes.get(name, 1.0))
        for name, (value, sigma) in values.items()
    }


def printed_number(value: float, sigma: float | None = None, size: float = 0.0, *, is_bound: bool = False) -> str:
    """Write a number to the second digit of its sigma; next to numbers of ``size`` one that is rounding is 0."""
    value = 0.0 if abs(value) < _ROUNDING_SHARE * size else value
    text = conventions.value_with_sigma(value, _UNKNOWN if sigma is None else sigma, UNICODE)
    return f"≥ {text}" if is_bound and text else text


def _clear_rounding(values: dict[str, tuple[float, float]], names: Sequence[str], scale: Sequence[str]) -> None:
    """Replace numbers by 0 that are rounding next to the others of their kind; files keep all digits."""
    largest = max((abs(values[name][0]) for name in scale if name in values and isfinite(values[name][0])), default=0.0)
    for name in names:
        if name in values and abs(values[name][0]) < _ROUNDING_SHARE * largest:
            values[name] = 0.0, values[name][1]


def _shift_tensor(values: dict[str, tuple[float, float]], body: Body, point: Point) -> None:
    """Replace the tensor about the centre by the one about a point; radii of gyration are about the centre only."""
    tensor, sigmas = body.about(list(point)), body.sigma_about(list(point))
    for name in (*MOMENTS, *_PRODUCTS):
        row, column = "xyz".index(name[1]), "xyz".index(name[2])
        values[name] = float(tensor[row][column]), _UNKNOWN if sigmas is None else float(sigmas[row][column])
    for name in _RADII:
        values.pop(name, None)


_LEAST_ROWS, _PARTS_SHOWN, _GROUPS_SHOWN = 3, 8, 40  # rows on a small screen at least; in a pipe and by --by at most
_DROPPED = ("maturity", "allowance_mass", "share", "sigma_mass", "margin", "change")
"""Columns that a narrow screen lacks, the first one first."""
_HEADS = {
    "sigma_mass": "", "allowance_percent": "growth %", "allowance_mass": "growth", "predicted_mass": "predicted",
    "margin_percent": "margin %",
}  # fmt: skip
_MATURITY_WORDS = {"estimated": "est", "calculated": "calc", "not_stated": "?"}


class _Column(NamedTuple):
    """A column of texts: name, heading, alignment and cells."""

    name: str
    head: str
    align: str
    cells: list[str]


def review_of(result: Result, other: conventions.AggregatedColumns) -> ReviewTable | None:
    """Return the review table by the columns of ``--by``, or by those that group the items; None without groups."""
    made = review_table(result, *other.of_review)
    return made if made is not None and made.labels else None


def review_blocks(
    result: Result, other: conventions.AggregatedColumns, symbols: Symbols, level: int = 1, room: int | None = None
) -> list[PageBlock]:
    """Lay out the review table, or that of the heaviest parts; ``room`` is the number of free lines on the screen."""
    made, most, by = review_of(result, other), _GROUPS_SHOWN, ""
    if made is None and "mass" in result.bom.columns.by_quantity:
        made, most, by = review_table(result, ("level:1",), *other.of_review[1:]), _PARTS_SHOWN, "part"
    if made is None or len(made.labels) < 2 - bool(other.labels or "limit" in made.columns):
        return []
    most = most if other.labels or room is None else max(room, _LEAST_ROWS)
    is_folded = len(made.labels) > most
    made = made.folded(most - 1) if is_folded else made
    columns = review_columns(result, made, other, symbols, level, is_folded=is_folded)
    columns[0] = columns[0]._replace(head=columns[0].head.replace("level 1", by or "level 1"))
    if is_folded:
        columns[0].cells[-2] = f"{symbols.rest} and {columns[0].cells[-2]}"
    rows, n = [[TextSpan(column.head, "dim") for column in columns]], len(made.labels)
    for k, margin in enumerate(made.columns.get("margin", made.is_bound).tolist()):
        look = "strong" if k == n else "dim" if is_folded and k == n - 1 else ""
        over = LIMIT_NAMES[1:] if margin < 0 else ()
        rows.append([TextSpan(one.cells[k], "bad" if one.name in over else look) for one in columns])
    drops = [[j for j, one in enumerate(columns) if one.name == name] for name in _DROPPED]
    blocks: list[PageBlock] = [Line(), Grid(rows, "".join(column.align for column in columns), shrink=0, drops=drops)]
    return [*blocks, *(text_line("  ", note, hang=4) for note in review_notes(made))]


def review_notes(made: ReviewTable) -> list[TextSpan]:
    """Return what is to be read below a review table."""
    broken = int((made.columns.get("margin", np.zeros(1)) < 0).sum())
    words = f"mass limit broken in {count_with_noun(broken, 'row')}; massprops check has the verdicts"
    notes = [TextSpan(words, "bad")] if broken else []
    notes += [TextSpan("* limit of the basic mass")] if made.is_of_basic.any() else []
    return notes + [TextSpan(f"entry of the budget without a limit here: {reason}") for reason in made.absent]


def review_csv(result: Result, other: conventions.AggregatedColumns, level: int = 1) -> str:
    """Write the review table as CSV, or that of the branches below the root; unknown numbers are blank."""
    made = review_of(result, other) or review_table(result, ("level:1",), *other.of_review[1:])
    if made is None:
        return ""
    columns = [[*one, "" if j else "total"] for j, one in enumerate(zip(made.by, *made.labels, strict=True))]
    columns += [["name", *made.names, ""]] if any(made.names) else []
    for name, values in made.columns.items():
        times = level if name == "sigma_mass" else 1
        unit = "%" if name.endswith("percent") else "" if "share" in name else result.bom.units.mass
        texts = map(shortest_number_text, short_numbers(times * values).tolist())
        columns.append([result_header(name, unit, times), *texts])
    of_basic = ["basic mass" if one else "" for one in made.is_of_basic.tolist()]
    columns += [["limit_of", *of_basic]] if any(of_basic) else []
    columns += [["lower_bound", *("true" if one else "" for one in made.is_bound)]] if made.is_bound.any() else []
    return csv_text(zip(*columns, strict=True))


def review_columns(
    result: Result,
    made: ReviewTable,
    other: conventions.AggregatedColumns,
    symbols: Symbols,
    level: int,
    *,
    is_folded: bool = False,
) -> list[_Column]:
    """Return the columns as texts, the last row of each that of the root."""
    unit = conventions.unit_text(result.bom.units.mass, symbols) if made.columns else ""
    found = [_Column("label", name.replace("level:", "level "), "l", [*texts]) for name, texts in made.label_columns()]
    found[0] = found[0]._replace(head=found[0].head + (f" ({unit})" if unit else ""))
    found += _number_columns(made, symbols, level, is_folded=is_folded)
    at = {} if other.groups is None else {texts: g for g, texts in enumerate(other.groups.labels)}
    for (header, rolled), (_, whole) in zip(other.group_columns, other.columns, strict=False):
        values = [*(rolled.values[at[texts]] if texts in at else np.nan for texts in made.labels)]
        texts = [conventions.formatted_number(float(v), 8) or "-" for v in (*values, whole.values[result.root_item])]
        found.append(_Column("", f"{rolled.aggregation} {header}", "d", texts))
    return found


def _number_columns(made: ReviewTable, symbols: Symbols, level: int, *, is_folded: bool) -> Iterator[_Column]:
    """Yield the columns of masses, growth, limits and maturity as texts."""
    decimals = conventions.tying_decimals(made.columns, level, is_folded=is_folded)
    tied = {} if decimals is None else conventions.tied_masses(made.columns, decimals)
    sign = ">= " if symbols.sigma == "sigma" else "≥ "
    heads = _HEADS | {"mass": "basic" if "predicted_mass" in made.columns else "mass"}
    heads |= {"sigma_mass": f"{symbols.plus_minus} {conventions.level_text(level, symbols)}"} if level > 1 else {}
    for name, exact in made.columns.items():
        head, align, values = heads.get(name, name), "d", tied.get(name, exact)
        if name.startswith("share_"):
            continue
        if name == "share":
            texts, align = [conventions.percent_text(value) for value in values.tolist()], "r"
        elif name == "sigma_mass":
            spread = (conventions.sigma_text(level * value) if value == value else "" for value in values.tolist())  # noqa: PLR0124 - NaN
            texts, align = [f"{symbols.plus_minus} {text}" if text else "" for text in spread], "s"
        else:
            blank = "" if name in LIMIT_NAMES else "-"
            most = 1 if name.endswith("_percent") else decimals
            places: Sequence[int | None] = [most] * len(values)
            if name.startswith("margin") and most is not None:
                places = conventions.margin_decimals(values, most)
            texts = [_number_text(value, n) or blank for value, n in zip(values.tolist(), places, strict=True)]
        if name == "limit":
            texts = [text + "*" * of_basic for text, of_basic in zip(texts, made.is_of_basic.tolist(), strict=True)]
        if name == "mass":
            texts = [sign + text if bound else text for text, bound in zip(texts, made.is_bound.tolist(), strict=True)]
        elif name == "change":
            texts = [f"+{text}" if value > 0 else text for text, value in zip(texts, values.tolist(), strict=True)]
        yield _Column(name, head, align, texts)
    if words := [name for name in made.columns if name.startswith("share_")]:
        head = "/".join(_MATURITY_WORDS.get(word, word) for word in (name.removeprefix("share_") for name in words))
        rows = zip(*(made.columns[word].tolist() for word in words), strict=True)
        texts = ["/".join(_number_text(100 * share, 0) or "-" for share in row) for row in rows]
        yield _Column("maturity", f"{head} %", "l", texts)


def _number_text(value: float, decimals: int | None) -> str:
    """Write a number with decimals, or with five digits; nothing if it is unknown."""
    if decimals is None or not np.isfinite(value):
        return conventions.formatted_number(value, 5)
    return conventions.rounded_text(value, -decimals)
