"""What every number on the screen must be read with: units, frame, datum, sign of products, method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.bom.cells.inertia_point import point_words
from massprops_cli.report.findings_text import plural
from massprops_cli.report.number_text import unit_text
from massprops_cli.report.page import ASCII, Block, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result

METHOD_WORDS = {
    "covariance": "covariance: exact to first order, whatever the nesting",
    "massprops": "massprops: level by level, to first order (SAWE 3360)",
    "montecarlo": "montecarlo",
}
LEVEL_WORDS = {2: "two", 3: "three"}
ROOT_WORDS = "for the root above; tensors further down are about their own centres of mass"
MOVED_WORDS = "its sigmas take the root as one body: errors of mass, centre and own tensor independent"


def convention_blocks(
    result: Result, symbols: Symbols, datum: str = "", about: str = "", level: int = 1
) -> list[Block]:
    """State units, frame, datum, sign convention, method and sigma level of a result, a line each."""
    rows = convention_rows(result, symbols, datum, about, level)
    widest = max(len(name) for name, _ in rows)
    return [say(Span(f"  {name:{widest}}  ", "dim"), Span(words, "dim"), hang=widest + 4) for name, words in rows]


def convention_rows(result: Result, symbols: Symbols, datum: str, about: str, level: int) -> list[tuple[str, str]]:
    """Give what the numbers are to be read with as pairs: of what, and the words."""
    rows = [
        ("units", units_words(result, symbols)),
        ("layout", result.bom.layout + (f": {result.bom.how}" if result.bom.how else "")),
    ]
    if result.rollup.bodies.center is not None:
        origin = f"the datum {datum}" if datum else "its origin 0,0,0"
        rows.append(("frame", f"the table's axes; centres from {origin}"))
    if result.rollup.bodies.inertia is not None:
        rows.append(("inertia", f"about {about or 'its own centre of mass'}"))
        point = result.bom.options.inertia_about
        why = "as asked" if result.bom.columns.inertia_about is None else "as its header says"
        rows += [] if point is None else [("", f"in the table about {point_words(point)}, {why}")]
        rows += [("", ROOT_WORDS)] if about and tells_more(result) else []
        rows += [("", MOVED_WORDS)] if about and result.rollup.method == "massprops" else []
        rows.append(("products", sign_words(symbols)))
    return rows + uncertainty_rows(result, symbols, level)


def tells_more(result: Result) -> bool:
    """Tell whether samples, probabilities or intervals stand below, whose tensors no option moves."""
    return result.rollup.sampled is not None or bool(result.asked.probability or result.asked.intervals)


def uncertainty_rows(result: Result, symbols: Symbols, level: int) -> list[tuple[str, str]]:
    """State the method, whose errors are shared, and how many standard deviations are shown."""
    rows = [("uncertainty", method_words(result))]
    if result.rollup.method != "none":
        shared = correlation_words(result)
        rows += [("shared errors", shared)] if shared else []
        rows += [("sigmas", level_words(level, symbols))] if level > 1 else []
    return rows


def method_words(result: Result) -> str:
    """Say how the sigmas came about, or why there are none."""
    method, sampled = result.rollup.method, result.rollup.sampled
    if method == "none":
        wanted = result.bom.sigmas is None and result.bom.options.use_sigmas
        return "none: the table states no sigma" if wanted else "none, as asked"
    if sampled is None:
        return METHOD_WORDS.get(method, method)
    asked = sampled.sampling
    where = "" if result.bom.shapes is None else " where a row does not say"
    return f"montecarlo: {asked.samples:,} samples, seed {asked.seed}, {asked.distribution} errors{where}"


def correlation_words(result: Result) -> str:
    """Say whose errors are shared; nothing where nothing is repeated, and where there are no sigmas."""
    correlation = result.correlation
    if correlation is None or correlation.is_none:
        if result.rollup.method == "massprops" and any(result.bom.groups or ()):
            return "none: level by level, no errors are shared, whatever corr_group says"
        return "every piece and every use of a part errs by itself" if result.assumptions else ""
    shared = "mass, centre and inertia" if correlation.shares_centers else "mass and inertia"
    groups = len(set(correlation.group[correlation.group >= 0].tolist()))
    among = "by all items" if result.asked.correlate == "all" else f"within each of {plural(groups, 'group')}"
    more = "; groups are correlated as the matrix says" if len(correlation.coupled) else ""
    return f"of {shared}, {among}{more}"


def level_words(level: int, symbols: Symbols) -> str:
    """Say what stands after the sign of plus or minus.

    >>> level_words(2, ASCII)
    'every +/- is two standard deviations (2 sigma)'
    """
    return f"every {symbols.plus_minus} is {LEVEL_WORDS[level]} standard deviations ({level_text(level, symbols)})"


def level_text(level: int, symbols: Symbols) -> str:
    """Write so many sigmas.

    >>> from massprops_cli.report.page import FULL
    >>> level_text(2, FULL), level_text(2, ASCII)
    ('2σ', '2 sigma')
    """
    return f"{level} {symbols.sigma}" if symbols is ASCII else f"{level}{symbols.sigma}"


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
