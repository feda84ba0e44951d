"""Numbers that a worksheet shows otherwise than its column says: ``0.3`` as ``30 %``, ``300`` as ``300 g`` under kg.

A cell's format is what its author saw. Where that contradicts the unit of the column, which of the two is meant cannot
be told from the number, and the cell is refused (MP239).
[ECMA-376-1:2016, 18.8.31, number formats: texts in quotes or behind a backslash, commas that divide by 1000]
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say
from massprops_cli.findings import Finding
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.units.quantities import dimension_of
from massprops_cli.tables.units.unit_table import Unit
from massprops_cli.tables.units.unit_text import read_unit, unit_for

Mask = NDArray[np.bool_]

_TEXT = re.compile(r'"(?P<quoted>[^"]*)"|(?P<escaped>(?:\\.)+)')
_THOUSANDS = re.compile(r"[0#?](,+)(?![0#?])")


class Shown(NamedTuple):
    """What a format adds to a number: a ``unit`` by name, or ``%``, or thousands; ``scale`` is its factor."""

    unit: str
    scale: float = 1.0


@lru_cache(maxsize=512)
def shown_by(code: str) -> Shown | None:
    """Read the unit that a number format shows; None where it shows none.

    >>> shown_by('0.0" kg"'), shown_by("0.0%"), shown_by('0.0,\\\\ \\\\t'), shown_by("#,##0.00")
    (Shown(unit='kg', scale=1.0), Shown(unit='%', scale=100.0), Shown(unit='t', scale=0.001), None)
    """
    positive = code.partition(";")[0]
    texts = "".join(m["quoted"] or (m["escaped"] or "").replace("\\", "") for m in _TEXT.finditer(positive))
    bare = _TEXT.sub("", positive)
    if "%" in bare:
        return Shown("%", 100.0)
    thousands = sum(len(commas) for commas in _THOUSANDS.findall(bare))
    if read_unit(texts.strip()) is None:
        return Shown("thousands", 1000.0**-thousands) if thousands else None
    return Shown(texts.strip(), 1000.0**-thousands)


def refuse_shown_otherwise(items: ItemRows, column: Column, given: Mask) -> tuple[Mask, list[Finding]]:
    """Tell which of the ``given (n,)`` numbers are shown in another unit than the column's ``(n,)``, and say so."""
    wrong = np.zeros(len(given), bool)
    dimension, first = dimension_of(column.quantity), items.columns.first_row
    formats = items.table.sheet_info.number_formats if items.table.sheet_info is not None else {}
    shown = {row: s for (row, at), code in formats.items() if at == column.index and (s := shown_by(code))}
    if dimension is None or not any(row >= first for row in shown):
        return wrong, []
    one = len({shown.get(row) for row in _typed_rows(items, column)}) == 1
    for i in np.flatnonzero(given & np.isin(items.rows, list(shown))).tolist():
        row = int(items.rows[i])
        stated = unit_for(column.unit_at(row), dimension) if column.unit_at(row) else None
        wrong[i] = not _agree(shown[row], stated, dimension, one)

    def message(i: int) -> str:
        row = int(items.rows[i])
        unit, cell = column.unit_at(row), items.table.text(row, column.index)
        beside = f"the column is in {unit}" if unit else "others otherwise"
        return f"{items.ids[i]}: {column.header} is {cell}, which the sheet shows in {shown[row].unit}, and {beside}"

    return wrong, say(items, Fault("MP239", column), np.flatnonzero(wrong), message)


def _typed_rows(items: ItemRows, column: Column) -> list[int]:
    first = items.columns.first_row
    typed: list[int] = (np.flatnonzero(items.table.is_typed(column.index, first)) + first).tolist()
    return typed


def _agree(shown: Shown, stated: Unit | None, dimension: tuple[int, int, int], one: bool) -> bool:
    """Tell whether a format shows a number in the unit that it has; where none is stated, if all do the same."""
    unit = unit_for(shown.unit, dimension)
    if unit is None:
        return False
    if stated is None:
        return one
    return abs(unit.over(stated) * shown.scale - 1) < 1e-12
