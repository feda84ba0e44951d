"""The header row: which column is which quantity, and what is wrong with the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, TableError, found
from massprops_cli.tables.cells.numbers import is_number
from massprops_cli.tables.columns.choosing import best_column, unlisted, unread_columns
from massprops_cli.tables.columns.coordinates import place_coordinates
from massprops_cli.tables.columns.headings import (
    Heading,
    read_heading,
    read_headings,
    squeeze,
    stated_levels,
    stated_unit,
)
from massprops_cli.tables.columns.looks import looks_like_header
from massprops_cli.tables.columns.mapped import mapped_columns
from massprops_cli.tables.columns.named_parents import place_parents
from massprops_cli.tables.columns.naming import place_names
from massprops_cli.tables.columns.stand_ins import place_stand_ins
from massprops_cli.tables.columns.unit_columns import place_unit_columns
from massprops_cli.tables.units.quantities import PRODUCTS

__all__ = ["HeaderRow", "looks_like_header", "read_header"]

NAMES_ITEMS = frozenset(("id", "child", "part", "name"))
"""What a column of parents may name; without any of them it names the items themselves."""
CHOOSES_FIRST = ("name", "part", "method", "mga", "category", "maturity")
"""Texts of which a table may well have several: of several columns the best known name is taken."""

TITLE_ROWS = 40
"""How many rows of titles may stand above a header."""


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """What the header says: its ``row``, the cells' ``texts``, and each quantity's column and unit text.

    ``levels`` are what sigma columns say of how many sigmas their numbers are, 0 where they leave it open. ``doubtful``
    are the quantities whose header can also mean a product: the mass of a whole line, a quantity in the whole.
    """

    row: int
    texts: list[str]
    columns: dict[str, int]
    units: dict[str, str]
    levels: dict[str, tuple[float, ...]] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()


def read_header(table: Table, mapping: Mapping[str, str], *, frozen: bool = False) -> tuple[HeaderRow, list[Finding]]:
    """Read the header: the first row that is not blank, or the first that is one below rows of titles.

    ``mapping`` is quantity → header text (``--map``); with ``frozen`` no other column is taken for a quantity.

    Raises TableError when the first row is no header: nothing in the table can be understood then.
    """
    first = first_filled(table)
    row = header_at(table, mapping)
    texts = table.row(row)
    if _is_data(texts, mapping):
        raise TableError([_no_header(table, row, texts)])
    chosen, findings = mapped_columns(table, row, texts, mapping)
    if row > first:
        findings.append(_said_titles(table, first, row))
    taken = set(chosen.values())
    headings = {j: heading for j, heading in enumerate(read_headings(texts)) if j not in taken}
    for place in (place_coordinates, place_unit_columns, place_names):
        headings, said = place(table, row, headings, chosen)
        findings += said
    units = {quantity: stated_unit(texts[j], quantity) for quantity, j in chosen.items()}
    levels = {quantity: stated_levels(texts[j], quantity) for quantity, j in chosen.items()}
    for quantity, columns in candidates(headings, chosen).items():
        if frozen:
            findings.append(unlisted(table, row, quantity, columns[0], texts))
            continue
        best, said = best_column(table, row, quantity, columns, headings)
        findings += said
        chosen[quantity], units[quantity], levels[quantity] = best, headings[best].unit, headings[best].levels
    read = set(chosen.values()) | {j for j, heading in headings.items() if heading.quantity}
    findings += [] if frozen else place_parents(table, row, chosen, units, read)
    findings += unread_columns(table, row, texts, read | set(chosen.values()), has_center="Cx" in chosen)
    findings += place_stand_ins(table, row, chosen, units, mapping)
    if "parent" in chosen and "item" in chosen and "item" not in mapping and not NAMES_ITEMS & set(chosen):
        chosen["id"], units["id"] = chosen.pop("item"), units.pop("item")  # what parents name is an id
    doubtful = frozenset(q for q, j in chosen.items() if PRODUCTS.get(read_heading(texts[j]).quantity) == q)
    told = {q: said for q, said in levels.items() if said}
    return HeaderRow(row, list(texts), chosen, units, told, doubtful), findings


def candidates(headings: Mapping[int, Heading], chosen: Mapping[str, int]) -> dict[str, list[int]]:
    """Give the columns whose headings name each quantity that is not chosen yet."""
    columns: dict[str, list[int]] = {}
    for j, heading in headings.items():
        if heading.quantity and heading.quantity not in chosen:
            columns.setdefault(heading.quantity, []).append(j)
    return columns


def first_filled(table: Table) -> int:
    """Give the first row with something in it; raises TableError when there is none."""
    for row in range(table.n_rows):
        if any(text.strip() for text in table.row(row)):
            return row
    raise TableError([found("MP111", "the table is empty", table.place(0))])


def header_at(table: Table, mapping: Mapping[str, str]) -> int:
    """Give the row of the header: the first that is not blank, unless it names next to nothing and one below is one.

    Raises TableError when the table is empty.
    """
    first = first_filled(table)
    wanted = {squeeze(text) for text in mapping.values()}
    texts = [text for text in table.row(first) if text.strip()]
    known = {read_heading(text).quantity for text in texts} - {""}
    if len(known) > 1 or any(squeeze(text) in wanted for text in texts):
        return first
    below = range(first + 1, min(first + TITLE_ROWS, table.n_rows))
    return next((row for row in below if looks_like_header(table.row(row))), first)


def _said_titles(table: Table, first: int, row: int) -> Finding:
    titles = [text.strip() for text in table.row(first) if text.strip()]
    message = f"the header was found below {titles[0]}; what stands above it was passed over"
    return found("MP228", message, table.place(first), value=titles[0], count=row - first)


def _is_data(texts: Sequence[str], mapping: Mapping[str, str]) -> bool:
    """Tell whether a row looks like data: it names nothing that is known, and holds numbers."""
    if any(is_number(text) for text in texts):
        wanted = {squeeze(text) for text in mapping.values()}
        return not any(read_heading(text).quantity or squeeze(text) in wanted for text in texts if not is_number(text))
    return False


def _no_header(table: Table, row: int, texts: Sequence[str]) -> Finding:
    number = next(text for text in texts if is_number(text))
    return found(
        "MP201",
        f"the first row is not a header: it names no known column, and holds the number {number.strip()}",
        table.place(row),
        value=number,
        remedy="put the column names in the first row, for instance id, parent, mass",
    )
