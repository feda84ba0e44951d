"""Ballast on the screen and as CSV: masses at places, limits before and after, a balance in two planes."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from massprops_cli.ballasts.ballast import Ballast, BallastEffect
from massprops_cli.bom.results.table_edit import result_header
from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.conventions import formatted_number, number_and_sigma, sigma_text, unit_text
from massprops_cli.reports.page.findings import csv_text
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line

_PLACES_SHOWN, _EFFECTS_SHOWN = 8, 6  # rows of a usual screen; JSON and CSV have all
_WORDS = {
    "least": "least mass",
    "local optimum": "local optimum: less may be possible",
    "impossible": "masses of the best attempt",
    "not found": "masses of the best attempt",
}


def ballast_blocks(answer: Ballast, symbols: Symbols, *, shows_all: bool = False) -> list[PageBlock]:
    """Lay out an answer in at most 24 lines, or with all places and limits."""
    if answer.planes is not None:
        return _balance_blocks(answer, symbols)
    bom, every = answer.result.bom, [*answer.placed, *answer.removed]
    mass = f"{formatted_number(answer.mass)} {unit_text(bom.units.mass, symbols)}".rstrip()
    head = f"ballast {mass} at {count_with_noun(len(answer.placed), 'place')}" if every else "no ballast is needed"
    head += f", with {count_with_noun(len(answer.removed), 'item')} removed" if answer.removed else ""
    head = head if answer.is_possible else f"limits are not kept; best attempt: {mass}"
    mark = symbols.mark(not answer.is_possible)
    blocks: list[PageBlock] = [text_line(mark, " ", TextSpan(f"{bom.table.source.name}: {head}", "strong"))]
    length = unit_text(bom.units.length, symbols)
    axes = [k for k in range(3) if not bom.bodies.missing_axes[k]]
    heads = ("place", "mass", "pieces", *(f"{'xyz'[k]} {length}".rstrip() for k in axes))
    rows = [[TextSpan(text, "dim") for text in heads]]
    for one in sorted(every, key=lambda one: -abs(one.mass))[: None if shows_all else _PLACES_SHOWN]:
        mass = f"{formatted_number(one.mass)} {unit_text(bom.units.mass, symbols)}".rstrip()
        pieces, name = "" if one.pieces is None else f"{one.pieces:,}", one.id if one.mass > 0 else f"{one.id} removed"
        texts = (name, mass, pieces, *(formatted_number(one.center[k]) for k in axes))
        rows.append([TextSpan(text, "strong" if j == 1 else "") for j, text in enumerate(texts)])
    if every:
        blocks += [
            Line(),
            Grid(rows, "lrr" + "d" * len(axes), shrink=0),
            *_rest_of(len(every) - len(rows) + 1, "place"),
        ]
    worst = sorted(answer.effects, key=lambda one: -one.miss)[: None if shows_all else _EFFECTS_SHOWN]
    blocks += [Line(), Grid(_effect_rows(worst, answer, symbols), "lddsddl", shrink=0)]
    blocks += _rest_of(len(answer.effects) - len(worst), "limit")
    units = "units as shown" if bom.units.stated else "units not stated"
    words = (_WORDS.get(answer.status, answer.status), f"{answer.basis} masses", "checked in exact fractions", units)
    return [*blocks, Line(), text_line(TextSpan("; ".join(words), "dim"))]


def _rest_of(count: int, noun: str) -> list[PageBlock]:
    """Write how many rows the screen does not show."""
    return [text_line(f"  and {count_with_noun(count, noun)} more: --format full")] if count > 0 else []


def _effect_rows(effects: Sequence[BallastEffect], answer: Ballast, symbols: Symbols) -> list[list[TextSpan]]:
    """Return a heading, and rows of the masses and of limits in each condition."""
    several, unit = len(answer.masses) > 1, unit_text(answer.result.bom.units.mass, symbols)
    rows = [[TextSpan(text, "dim") for text in ("limit", "before", "after", "", "from", "to", "")]]
    if not several:
        (masses,) = answer.masses.values()
        rows.append([TextSpan(text) for text in ("mass", *map(formatted_number, masses), "", "", "", unit)])
    for one in effects:
        name = f"{one.quantity}  {one.condition}" if several else one.quantity
        number, spread = number_and_sigma(one.after, nan if one.sigma is None else one.sigma, symbols)
        words = unit_text(one.unit, symbols) + (f"  misses by {formatted_number(one.miss)}" if one.miss else "")
        texts = (name, formatted_number(one.before), number, spread, *map(formatted_number, (one.low, one.high)), words)
        rows.append([TextSpan(text, "bad" if one.miss and j == 6 else "") for j, text in enumerate(texts)])
    return rows


def _balance_blocks(answer: Ballast, symbols: Symbols) -> list[PageBlock]:
    """Lay out the corrections in two planes."""
    one, units = answer.planes, answer.result.bom.units
    assert one is not None
    spin, first, second = tuple(one.axes)
    unit, couple = (unit_text(f"{units.mass}*{units.length}{power}" * units.stated, symbols) for power in ("", "^2"))
    heads = (spin, "mass " + symbols.times + " radius", "", "angle", f"along {first}", f"along {second}", unit)
    rows = [[TextSpan(text, "dim") for text in heads]]
    for k, place in enumerate(one.planes):
        amount, angle = one.polar(k)
        sigma = "" if one.sigmas is None else f"{symbols.plus_minus} {sigma_text(max(one.sigmas[k]))}"
        parts = map(formatted_number, one.unbalances[k])
        texts = (formatted_number(place), formatted_number(amount), sigma, f"{angle:.2f} deg", *parts, "")
        rows.append([TextSpan(text) for text in texts])
    residual = "residual unbalance 0"
    if one.static_sigma is not None and one.couple_sigma is not None:
        residual += f" {symbols.plus_minus} {sigma_text(one.static_sigma)} {unit}".rstrip()
        residual += f", couple 0 {symbols.plus_minus} {sigma_text(one.couple_sigma)} {couple}".rstrip()
    head = f"{answer.result.bom.table.source.name}: balance in two planes, spin axis {spin} through the origin"
    words = f"to be added; angle from {first} toward {second}; {answer.basis} masses"
    lines = [text_line(f"  {residual}"), Line(), text_line(TextSpan(words, "dim"))]
    return [text_line(symbols.mark(False), " ", TextSpan(head, "strong")), Line(), Grid(rows, "ddsrddl"), *lines]


def ballast_csv(answer: Ballast) -> str:
    """Return a row for each place with ballast and each removed item, or for each plane, in the units of the table."""
    units = answer.result.bom.units
    if (one := answer.planes) is not None:
        unit = f"{units.mass}*{units.length}" * units.stated
        rows = [[place, *one.unbalances[k], *one.polar(k)] for k, place in enumerate(one.planes)]
        heads = [result_header(name, unit) for name in (*(f"along {axis}" for axis in one.axes[1:]), "amount")]
        return csv_text([[result_header("plane", units.length), *heads, "angle_deg"], *rows])
    masses = [[m.id, m.mass, m.pieces, *m.center, m.parent] for m in (*answer.placed, *answer.removed)]
    heads = [result_header("mass", units.mass), "pieces", *(result_header(name, units.length) for name in "xyz")]
    return csv_text([["place", *heads, "parent"], *masses])
