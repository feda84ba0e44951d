"""Computed numbers go into columns that state a unit in every cell with that unit behind them, as all others there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from massprops_cli.files.fill import Fill, Filling
from massprops_cli.files.filled import texts_of

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content


def with_units(bom: Content, filling: Filling) -> Filling:
    """Put the unit behind each number that goes into such a column; ``--units`` puts it into the header instead."""
    if bom.columns.rewrite is not None:
        return filling
    units = {column.index: column.unit for column in bom.columns.by_quantity.values() if column.rules.in_cells}
    return replace(filling, fills=tuple(_with_unit(fill, units.get(fill.column, "")) for fill in filling.fills))


def _with_unit(fill: Fill, unit: str) -> Fill:
    """Put a unit behind the numbers of one column."""
    if not unit:
        return fill
    return replace(fill, values=[f"{text} {unit}" if text else "" for text in texts_of(fill.values)])
