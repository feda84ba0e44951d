"""Conventions of the numbers (units, frame, datum, sign of products, uncertainty), and the reading of a table (-v)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from massprops_cli.bom.items.item_flags import point_text
from massprops_cli.reports.page.findings import count_with_noun
from massprops_cli.reports.page.number_text import unit_text
from massprops_cli.reports.page.page import ASCII, Grid, Line, PageBlock, Symbols, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.table import TableSource


_METHOD_WORDS = {
    "covariance": "covariance: first-order, full covariance",
    "massprops": "massprops: first-order, level by level (SAWE 3360)",
    "montecarlo": "montecarlo",
}
_LEVEL_WORDS = {2: "two", 3: "three"}
_ROOT_WORDS = "for the root above; other tensors are about the CG of their item"
_MOVED_TENSOR_WORDS = "its sigmas: root as one body, with independent mass, CG and inertia tensor"


def convention_blocks(
    result: Result, symbols: Symbols, datum: str = "", about: str = "", level: int = 1
) -> list[PageBlock]:
    """Lay out units, frame, datum, sign convention, method and sigma level of a result, one line each."""
    rows = convention_rows(result, symbols, datum, about, level)
    widest = max(len(name) for name, _ in rows)
    return [
        text_line(TextSpan(f"  {name:{widest}}  ", "dim"), TextSpan(words, "dim"), hang=widest + 4)
        for name, words in rows
    ]


def convention_rows(result: Result, symbols: Symbols, datum: str, about: str, level: int) -> list[tuple[str, str]]:
    """Return the conventions of the numbers as pairs of name and text."""
    rows = [
        ("units", units_words(result, symbols, shown_inertia_unit(result.bom).text)),
        ("layout", result.bom.layout + (f": {result.bom.how}" if result.bom.how else "")),
    ]
    if result.rollup.bodies.center is not None:
        origin = f"the datum {datum}" if datum else "the origin 0,0,0"
        poses = result.bom.poses
        rows.append(("frame", f"axes of the {'table' if poses is None else 'root'}; CG coordinates from {origin}"))
        if poses is not None:
            rows.append(("", f"in the table, CG and inertia are in the frame of each row: {poses.frames_text}"))
    if result.rollup.bodies.inertia is not None:
        rows.append(("inertia", f"about {about or 'the centre of mass (CG) of each item'}"))
        point = result.bom.options.inertia_about
        why = "by option" if result.bom.columns.inertia_about is None else "by its header"
        rows += [] if point is None else [("", f"in the table about {point_text(point)}, {why}")]
        rows += [("", _ROOT_WORDS)] if about and _has_further_results(result) else []
        rows += [("", _MOVED_TENSOR_WORDS)] if about and result.rollup.method == "massprops" else []
        rows.append(("products", sign_words(symbols)))
    return rows + uncertainty_rows(result, symbols, level) + configuration_rows(result)


def configuration_rows(result: Result) -> list[tuple[str, str]]:
    """Return the configuration files that were read as one pair of name and text; nothing without them."""
    files = result.bom.options.configuration
    return [("configuration", ", then ".join(reversed(files)))] if files else []


def _has_further_results(result: Result) -> bool:
    """Whether there are samples, probabilities or intervals, whose tensors keep their reference point."""
    return result.rollup.sampled is not None or bool(
        result.uncertainty_request.probability or result.uncertainty_request.intervals
    )


def uncertainty_rows(result: Result, symbols: Symbols, level: int) -> list[tuple[str, str]]:
    """Return method, correlation and sigma level of the uncertainty as pairs of name and text."""
    rows = [("uncertainty", _method_words(result))]
    if result.rollup.method != "none":
        shared = _correlation_words(result)
        rows += [("correlation", shared)] if shared else []
        rows += [("sigmas", _level_words(level, symbols))] if level > 1 else []
    return rows


def _method_words(result: Result) -> str:
    """Write the method of the sigmas, or the reason for none."""
    method, sampled = result.rollup.method, result.rollup.sampled
    if method == "none":
        is_absent = result.bom.sigmas is None and result.bom.options.use_sigmas
        if is_absent:
            return "none: the table states no sigma"
        return "none: the correlations are not valid" if result.uncertainty_request.is_correlated else "none, by option"
    if sampled is None:
        return _METHOD_WORDS.get(method, method)
    sampling = sampled.sampling
    default = "" if result.bom.shapes is None else " by default"
    return (
        f"montecarlo: {sampling.samples:,} samples, seed {sampling.seed}, {sampling.distribution} distribution{default}"
    )


def _correlation_words(result: Result) -> str:
    """Write which uncertainties are correlated; nothing without repeated parts or without sigmas."""
    correlation = result.correlation
    if correlation is None or correlation.is_none:
        if result.rollup.method == "massprops" and any(result.bom.groups or ()):
            return "none: the level-by-level method ignores corr_group"
        return "part uncertainties independent" if result.assumptions else ""
    shared = "mass, CG and inertia" if correlation.shares_centers else "mass and inertia"
    groups = len(set(correlation.group[correlation.group >= 0].tolist()))
    among = (
        "fully correlated, all items"
        if result.uncertainty_request.correlate == "all"
        else f"fully correlated within {count_with_noun(groups, 'group')}"
    )
    more = "; groups correlated by the matrix" if len(correlation.coupled) else ""
    return f"{shared} {among}{more}"


def _level_words(level: int, symbols: Symbols) -> str:
    """Write the meaning of the numbers after the plus-minus sign."""
    return f"every {symbols.plus_minus} is {_LEVEL_WORDS[level]} standard deviations ({level_text(level, symbols)})"


def level_text(level: int, symbols: Symbols) -> str:
    """Write a number of sigmas."""
    return f"{level} {symbols.sigma}" if symbols is ASCII else f"{level}{symbols.sigma}"


class _ShownUnit(NamedTuple):
    """A unit of the page, and its size in the coherent unit of the result."""

    text: str
    size: float = 1.0


def shown_inertia_unit(bom: Bom) -> _ShownUnit:
    """Choose the unit of moments and products of inertia on the page: that of the columns of the table."""
    moments = [bom.columns.by_quantity.get(name) for name in ("Ixx", "Iyy", "Izz")]
    stated = {(column.unit, column.factor) for column in moments if column is not None and column.by_row is None}
    if None in moments or len(stated) != 1 or bom.options.units:
        return _ShownUnit(bom.units.inertia)
    ((text, size),) = stated
    return _ShownUnit(text, size) if text and size != 1 else _ShownUnit(bom.units.inertia)


def units_words(result: Result, symbols: Symbols, inertia: str = "") -> str:
    """Write the units of a result, or that the table states none."""
    units = result.bom.units
    if not units.stated:
        return "not stated; read as coherent (inertia = mass x length^2)".replace(
            "x length^2", "x length^2" if symbols is ASCII else "· length²"
        )
    return ", ".join(
        dict.fromkeys(unit_text(unit, symbols) for unit in (units.mass, units.length, inertia or units.inertia) if unit)
    )


def sign_words(symbols: Symbols) -> str:
    """Write the sign convention of the products of inertia: docs/formulas.md, section 1."""
    if symbols is ASCII:
        return "tensor entries, Ixy = -integral of xy dm"
    return "tensor entries, Ixy = −∫xy dm"


_DELIMITER_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
WordPairs = list[tuple[str, str]]


def decision_blocks(bom: Bom, configuration: Sequence[str], symbols: Symbols) -> list[PageBlock]:
    """Lay out how a table was read: configuration, file, header, layout, units, columns."""
    from massprops_cli.bom.inspection import product_sign_source

    columns, table = bom.columns, bom.table
    root = bom.ids[int(bom.tree.order[0])] if len(bom) else ""
    sign = product_sign_source(columns, bom.options)
    words = [
        *_configuration_words(configuration),
        *source_words(table.source),
        ("header", _row_address(bom, columns.header_row)),
        ("first item", _row_address(bom, columns.first_row) if columns.first_row < table.n_rows else "none"),
        ("layout", bom.layout + (f": {bom.how}" if bom.how else "")),
        ("root", root),
        ("units", unit_text(_coherent_unit_words(bom), symbols)),
        ("products", f"sign convention {sign}" if sign else ""),
        ("assembly values", bom.options.assembly_values or "check"),
        ("may be missing", ", ".join(sorted(bom.options.allow_missing)) or "none (--strict)"),
    ]
    return [
        Line(),
        _decision_grid("reading", [pair for pair in words if pair[1]]),
        Line(),
        *_read_column_blocks(bom, symbols),
    ]


def table_decision_blocks(source: TableSource, configuration: Sequence[str]) -> list[PageBlock]:
    """Lay out how a file was read as a table."""
    return [Line(), _decision_grid("reading", [*_configuration_words(configuration), *source_words(source)])]


def _decision_grid(title: str, pairs: WordPairs) -> Grid:
    """Make a grid of names and readings."""
    return Grid(
        [[TextSpan(title, "dim"), TextSpan("")], *([TextSpan(name, "dim"), TextSpan(words)] for name, words in pairs)],
        "ll",
    )


def _configuration_words(configuration: Sequence[str]) -> WordPairs:
    """Name the configuration files, last one first; or write that there is none."""
    if not configuration:
        return [("configuration", "none (no massprops.toml for the table, no --config)")]
    return [("configuration" if k == 0 else "", words) for k, words in enumerate(configuration)]


def source_words(source: TableSource) -> WordPairs:
    """Return format, sheet, encoding and delimiter of a file, as far as they apply."""
    words = [("format", source.format + (", compressed" if source.compressed else ""))]
    if source.sheet:
        words.append(("sheet", source.sheet))
    if source.encoding:
        words.append(("encoding", source.encoding + (", with a byte order mark" if source.bom else "")))
    if source.delimiter:
        words.append(("delimiter", _DELIMITER_WORDS.get(source.delimiter, source.delimiter)))
    return words


def _row_address(bom: Bom, row: int) -> str:
    """Return a row's address without the file's name."""
    place = bom.table.place(row)
    return f"line {place.line}" if place.line is not None else f"row {place.row}" if place.row is not None else ""


def _coherent_unit_words(bom: Bom) -> str:
    """Name the coherent units of the results, or write that none are stated."""
    units = bom.units
    if not units.stated:
        return "not stated; read as coherent"
    return ", ".join(dict.fromkeys(unit for unit in (units.mass, units.length, units.inertia) if unit))


def _read_column_blocks(bom: Bom, symbols: Symbols) -> list[PageBlock]:
    """List the columns read with quantity and unit, and the columns not read."""
    columns = sorted(bom.columns.by_quantity.values(), key=lambda column: column.index)
    rows = [[TextSpan(text, "dim") for text in ("read as", "column", "unit")]]
    for column in columns:
        unit = unit_text(column.unit, symbols) or "-"
        factor = f"  {symbols.times} {column.factor!r}" if column.factor != 1 else ""
        rows.append([TextSpan(column.quantity), TextSpan(column.header), TextSpan(unit + factor)])
    read = {column.index for column in columns}
    rows += [
        [TextSpan("not read", "dim"), TextSpan(text), TextSpan("")]
        for j, text in enumerate(bom.columns.header)
        if j not in read
    ]
    return [Grid(rows, "lll", shrink=1)]
