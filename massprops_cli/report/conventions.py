"""What every number on the screen must be read with: units, frame, datum, sign of products, method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.report.number_text import unit_text
from massprops_cli.report.page import ASCII, Block, Grid, Span, Symbols

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result

METHOD_WORDS = {
    "massprops": "massprops: level by level, to first order (SAWE 3360)",
    "none": "none",
}


MOVED_WORDS = "its sigmas take the root as one body: errors of mass, centre and own tensor independent"


def convention_blocks(result: Result, symbols: Symbols, datum: str = "", about: str = "") -> list[Block]:
    """State units, frame, datum, sign convention and method of a result, a row each."""
    method = result.rollup.method
    if method == "none" and result.bom.sigmas is None:
        why = "none: the table has no sigma columns"
    else:
        why = METHOD_WORDS.get(method, method)
    rows = [
        ("units", units_words(result, symbols)),
        ("layout", result.bom.layout + (f": {result.bom.how}" if result.bom.how else "")),
        (
            "frame",
            "the table's axes; centres from " + (f"the datum {datum}" if datum else "its origin 0,0,0"),
        ),
        ("inertia", f"about {about or 'its own centre of mass'}"),
        *([("", MOVED_WORDS)] if about and method != "none" else []),
        ("products", sign_words(symbols)),
        ("uncertainty", why),
    ]
    if result.rollup.bodies.inertia is None:
        rows = [row for row in rows if row[0] not in ("inertia", "products")]
    if result.rollup.bodies.center is None:
        rows = [row for row in rows if row[0] != "frame"]
    return [Grid([[Span(name, "dim"), Span(words, "dim")] for name, words in rows], "ll")]


def units_words(result: Result, symbols: Symbols) -> str:
    """Name the units, or say that none are stated."""
    units = result.bom.units
    if not units.stated:
        return "units not stated; taken as coherent (inertia = mass x length^2)".replace(
            "x length^2", "x length^2" if symbols is ASCII else "· length²"
        )
    return ", ".join(
        dict.fromkeys(unit_text(unit, symbols) for unit in (units.mass, units.length, units.inertia) if unit)
    )


def sign_words(symbols: Symbols) -> str:
    """State the sign of the products of inertia that are shown."""
    if symbols is ASCII:
        return "tensor entries, Ixy = -integral of xy dm"
    return "tensor entries, Ixy = −∫xy dm"
