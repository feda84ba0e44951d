"""Which columns a header names, before anyone asks what their cells hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.headers import header_at
from massprops_cli.tables.columns.headings import read_heading, squeeze
from massprops_cli.tables.units.quantities import NUMBER_QUANTITIES, SIGMA_QUANTITIES

PLACING = ("parent", "child", "level", "item")
"""Quantities whose cells say where in the tree a row stands."""


@dataclass(frozen=True, slots=True)
class Named:
    """A header's ``row``, and the quantity of each column that it names, by column."""

    row: int
    columns: Mapping[int, str]

    def numbers(self) -> list[int]:
        """Give the columns whose cells are numbers."""
        return [j for j, name in self.columns.items() if name in NUMBER_QUANTITIES or name in SIGMA_QUANTITIES]

    def placing(self) -> list[int]:
        """Give the columns whose cells place a row in the tree."""
        return [j for j, name in self.columns.items() if name in PLACING]


def name_columns(table: Table, mapping: Mapping[str, str]) -> Named:
    """Find the header and what it names; ``mapping`` is quantity → header text (``--map``).

    Raises TableError when the table is empty.
    """
    row = header_at(table, mapping)
    return Named(row, named_in(table.row(row), mapping))


def named_in(texts: Sequence[str], mapping: Mapping[str, str]) -> dict[int, str]:
    """Give the quantity of each header text that names one, by column.

    >>> named_in(["Part", "Supplier", "Weight (lb)"], {})
    {0: 'part', 2: 'mass'}
    """
    asked = {squeeze(text): quantity for quantity, text in mapping.items()}
    named = {j: asked.get(squeeze(text)) or read_heading(text).quantity for j, text in enumerate(texts) if text.strip()}
    return {j: quantity for j, quantity in named.items() if quantity}
