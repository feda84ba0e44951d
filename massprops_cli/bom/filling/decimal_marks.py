"""Computed numbers go into a text file with the decimal mark of their column, so that it reads back as it was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from massprops_cli.files.fill import Added, Fill, Filling
from massprops_cli.files.filled import number_text
from massprops_cli.tables.cells.cell_reading import SEPARATORS_READ, has_decimal_comma
from massprops_cli.tables.cells.cell_separators import readings
from massprops_cli.tables.columns.tuples import in_one_cell

Cells = TypeVar("Cells", Fill, Added)

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content


def with_decimal_marks(bom: Content, filling: Filling) -> Filling:
    """Write numbers with a comma into columns of a text file whose cells have decimal commas, or by ``--decimal ,``.

    A table that holds numbers as numbers, such as a worksheet, needs no mark.
    """
    every = bom.options.decimal == ","
    seen = {f.place.column for f in bom.findings if f.rule == SEPARATORS_READ}
    if not bom.table.source.delimiter or bom.options.decimal == "." or not (every or seen):
        return filling
    first = bom.columns.first_row
    columns = {
        column.index
        for column in bom.columns.by_quantity.values()
        if every
        or (
            bom.table.place(first, column.index, column.header).column in seen
            and any(has_decimal_comma(bom.table.texts(j, first)) for j in in_one_cell(bom.table, column.index))
        )
    }
    fills = tuple(written(fill, comma_text) if fill.column in columns else fill for fill in filling.fills)
    added = tuple(written(column, comma_text) for column in filling.added) if every else filling.added
    return replace(filling, fills=fills, added=added)


def written(cells: Cells, text: Callable[[float], str]) -> Cells:
    """Make texts of numbers that go into a column; texts stay."""
    if not isinstance(cells.values, np.ndarray):
        return cells
    return replace(cells, values=[text(value) for value in cells.values.tolist()])


def comma_text(value: float) -> str:
    """Write a number with a decimal comma, with one more digit where it could also be a separator of thousands.

    >>> comma_text(9.5), comma_text(9.534), comma_text(1.234e-05), comma_text(7.0)
    ('9,5', '9,5340', '1,2340e-05', '7')
    """
    text = number_text(value).replace(".", ",")
    read = readings(text)
    if read.point == read.comma or not read.point:
        return text
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}0{exponent}{power}"
