"""Units of measure: quantities such as ``3 m`` and masses such as ``1.2 kg/m``, which must fit each other in every row.

What the mass column says of one metre is brought to one of the unit that the row's quantity is in, so that quantity
times mass is the mass of the row. Rows whose units of measure do not fit are refused (MP237).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.many import place_of
from massprops_cli.files.table import TEXT, Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_reading import apart_by, measure_of
from massprops_cli.tables.cells.cell_words import is_blank_word
from massprops_cli.tables.cells.measures import factor_between
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.cells.numbers import Settled, settle
from massprops_cli.tables.columns.columns import Column, Columns


def units_beside(items: ItemRows, column: Column, settled: Settled) -> tuple[Sequence[str] | None, list[Finding]]:
    """Give the unit of measure of every quantity, of its cell or else of its row; None where there is none.

    A cell and a column of units that say different things are an error.
    """
    unit = items.columns.by_quantity.get("uom")
    first = items.columns.first_row
    if not settled.measures:
        return (None if unit is None else list(items.table.texts(unit.index, first))), []
    units = [""] * len(settled.values) if unit is None else list(items.table.texts(unit.index, first))
    findings = []
    for i, measure in settled.measures.items():
        beside = _named(units[i])
        if unit is not None and beside and factor_between(beside, measure) != 1.0:
            cell = items.table.text(i + first, column.index).strip(BLANKS)
            findings += _refuse(items, column, i, f"is {cell}, and {unit.header} says {beside}", "write one of the two")
        units[i] = measure
    return units, findings


def masses_of_measures(items: ItemRows, column: Column, settled: Settled) -> tuple[Settled, list[int], list[Finding]]:
    """Bring masses such as ``1.2 kg/m`` to one of the unit that the row's quantity is in.

    Gives the masses, the positions of those that do not fit, which are NaN then, and the findings about these.
    """
    values, unfit, findings = settled.values.copy(), [], []
    for i, per in settled.measures.items():
        quantity = _measure_at(items, i + items.columns.first_row)
        factor = factor_between(quantity, per)
        if factor is None:
            cell = items.table.text(i + items.columns.first_row, column.index).strip(BLANKS)
            states = f"is in {quantity}" if quantity else "has no unit of measure"
            remedy = f"state the quantity in a unit that fits {per}, in its cell or in a column UoM"
            findings += _refuse(items, column, i, f"is {cell}, and the quantity of its row {states}", remedy)
            unfit.append(i)
        values[i] = np.nan if factor is None else values[i] * factor
    return settled._replace(values=values), unfit, findings


def check_measures(items: ItemRows, uses: ItemRows) -> list[Finding]:
    """Refuse masses such as ``1.2 kg/m`` of parts whose uses are counted in another unit than their own rows."""
    column = items.columns.by_quantity.get("mass")
    if column is None or uses is items:
        return []
    first, measured = items.columns.first_row, measured_masses(items.table, items.columns)
    findings = []
    for i, per in measured.items():
        own = _measure_at(items, i + first)
        for row in uses.rows[items.rows == i + first].tolist():
            other = _measure_at(items, row)
            if factor_between(own, per) is not None and factor_between(other, per) != factor_between(own, per):
                what = f"is of one {per}, and of its uses one is in {own or 'no unit'}, one in {other or 'no unit'}"
                findings += _refuse(items, column, i, what, "state all quantities of a part in one unit")
                break
    return findings


def measured_masses(table: Table, columns: Columns) -> Mapping[int, str]:
    """Give the masses that are of one metre or the like: position from the first item → the unit of measure."""
    column, first = columns.by_quantity.get("mass"), columns.first_row
    numbers = None if column is None else table.numbers([column.index], first)[0]
    if column is None or numbers is None or not (numbers.states == TEXT).any():
        return {}
    return settle(table, column.index, numbers, first, column.rules).measures


def _measure_at(items: ItemRows, row: int) -> str:
    """Give the unit that a row's quantity is in, of its own cell or of the column of units; empty for none."""
    named = items.columns.by_quantity
    if "qty" in named:
        rules = named["qty"].rules
        cell = apart_by(items.table.text(row, named["qty"].index), rules)
        if measure := measure_of(cell.unit, rules):
            return measure
    return _named(items.table.text(row, named["uom"].index)) if "uom" in named else ""


def _named(text: str) -> str:
    bare = text.strip(BLANKS)
    return "" if is_blank_word(bare) else bare


def _refuse(items: ItemRows, column: Column, position: int, what: str, remedy: str) -> list[Finding]:
    row = position + items.columns.first_row
    which = items.at_rows(np.array([row], np.intp))
    if not len(which):
        return []
    name = items.ids[int(which[0])]
    place = place_of(items.table, row, column.index, column.header)
    return [found("MP237", f"{name}: {column.header} {what}", place, item=name, remedy=remedy)]
