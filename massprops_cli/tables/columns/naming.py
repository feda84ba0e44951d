"""Columns that name the items where no column is called so: the groups of a weight statement, the units of a budget."""

from __future__ import annotations

from collections.abc import Mapping

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding
from massprops_cli.tables.cells.cell_units import is_filled
from massprops_cli.tables.cells.measures import counts_pieces
from massprops_cli.tables.cells.number_text import BLANKS, is_number
from massprops_cli.tables.columns.headings import SYNONYM, Heading, squeeze
from massprops_cli.tables.columns.looks import NAMING, group_words
from massprops_cli.tables.units.unit_text import read_unit

EQUIPMENT = frozenset(("unit", "units"))
"""Headers that name a box of equipment where their cells are no units of measure."""


def place_names(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Take the rightmost column of groups for the names of the items, where no other column names them.

    The groups at its left stay groups. A table without masses is left alone; ``chosen`` has the columns of ``--map``.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    names = [j for j, heading in headings.items() if may_name(table, row, j, heading)]
    if known & NAMING or not known & {"mass", "line_mass"} or not names:
        return dict(headings), []
    return {**headings, max(names): Heading("name", rank=SYNONYM)}, []


def may_name(table: Table, row: int, j: int, heading: Heading) -> bool:
    """Tell whether a column may name items: it is called a group, or a unit, and its cells are words."""
    header = squeeze(table.text(row, j))
    if heading.quantity not in ("", "uom") or not (header in group_words() or header in EQUIPMENT):
        return False
    cells = {text.strip(BLANKS) for text in table.texts(j, row + 1) if is_filled(text)}
    texts = {text for text in cells if not is_number(text)}
    if header in EQUIPMENT:
        return bool(texts) and not any(counts_pieces(text) or read_unit(text) is not None for text in texts)
    return bool(cells)
