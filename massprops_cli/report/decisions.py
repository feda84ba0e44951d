"""What was decided on the way from a file to a table with a meaning: said with ``-v``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.report.number_text import unit_text
from massprops_cli.report.page import Block, Grid, Line, Span, Symbols

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.files.table import Source

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
Pairs = list[tuple[str, str]]


def decision_blocks(bom: Bom, configuration: Sequence[str], symbols: Symbols) -> list[Block]:
    """Say how a table was read: configuration, bytes, header, layout, units, and which column as what."""
    columns, table = bom.columns, bom.table
    root = bom.ids[int(bom.tree.order[0])] if len(bom) else ""
    words = [
        *configuration_words(configuration),
        *source_words(table.source),
        ("header", place_words(bom, columns.header_row)),
        ("first item", place_words(bom, columns.first_row) if columns.first_row < table.n_rows else "none"),
        ("layout", bom.layout + (f": {bom.how}" if bom.how else "")),
        ("root", root),
        ("units", unit_text(units_said(bom), symbols)),
        ("products", products_said(bom)),
        ("assembly values", bom.options.assembly_values),
        ("may be missing", ", ".join(sorted(bom.options.allow_missing)) or "nothing"),
    ]
    return [Line(), pairs_grid("decided", [pair for pair in words if pair[1]]), Line(), *column_blocks(bom, symbols)]


def table_decision_blocks(source: Source, configuration: Sequence[str]) -> list[Block]:
    """Say how bytes became a table, where nobody asked what it means."""
    return [Line(), pairs_grid("decided", [*configuration_words(configuration), *source_words(source)])]


def pairs_grid(title: str, pairs: Pairs) -> Grid:
    """Make a grid of names and what was decided."""
    return Grid([[Span(title, "dim"), Span("")], *([Span(name, "dim"), Span(words)] for name, words in pairs)], "ll")


def configuration_words(configuration: Sequence[str]) -> Pairs:
    """Name the configuration files, the last of which comes first; or say that there was none."""
    if not configuration:
        return [("configuration", "none: no massprops.toml beside the table, no --config")]
    return [("configuration" if k == 0 else "", words) for k, words in enumerate(configuration)]


def source_words(source: Source) -> Pairs:
    """Say how the file's bytes were read.

    >>> from massprops_cli.files.table import Source
    >>> source_words(Source("a.csv", "csv", encoding="utf-8", delimiter=";"))
    [('format', 'csv'), ('encoding', 'utf-8'), ('delimiter', 'semicolon')]
    """
    words = [("format", source.format + (", compressed" if source.compressed else ""))]
    if source.sheet:
        words.append(("sheet", source.sheet))
    if source.encoding:
        words.append(("encoding", source.encoding + (", with a byte order mark" if source.bom else "")))
    if source.delimiter:
        words.append(("delimiter", DELIMITERS.get(source.delimiter, source.delimiter)))
    return words


def place_words(bom: Bom, row: int) -> str:
    """Give a row's address without the file's name."""
    place = bom.table.place(row)
    return f"line {place.line}" if place.line is not None else f"row {place.row}" if place.row is not None else ""


def units_said(bom: Bom) -> str:
    """Name the coherent units that every number is brought into, or say that none are stated."""
    units = bom.units
    if not units.stated:
        return "not stated; taken as coherent"
    return ", ".join(dict.fromkeys(unit for unit in (units.mass, units.length, units.inertia) if unit))


def products_said(bom: Bom) -> str:
    """Say where the sign of the products of inertia comes from; nothing without products."""
    if not {"Ixy", "Ixz", "Iyz"} & set(bom.columns.by_quantity):
        return ""
    column = bom.columns.by_quantity.get("POIconv")
    if column is not None:
        return f"each row's sign from the column {column.header}"
    return f"sign {bom.options.poi} for all rows, as asked" if bom.options.poi else "no sign stated"


def column_blocks(bom: Bom, symbols: Symbols) -> list[Block]:
    """Say which column was read as what, in which unit, and which columns were left alone."""
    columns = sorted(bom.columns.by_quantity.values(), key=lambda column: column.index)
    rows = [[Span(text, "dim") for text in ("read as", "column", "unit")]]
    for column in columns:
        unit = unit_text(column.unit, symbols) or "-"
        factor = f"  {symbols.times} {column.factor!r}" if column.factor != 1 else ""
        rows.append([Span(column.quantity), Span(column.header), Span(unit + factor)])
    read = {column.index for column in columns}
    rows += [
        [Span("not read", "dim"), Span(text), Span("")] for j, text in enumerate(bom.columns.header) if j not in read
    ]
    return [Grid(rows, "lll", shrink=1)]
