"""Numbers whose unit stands beside them, row by row: those whose unit is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_once
from massprops_cli.findings import Finding
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.columns.row_units import RowUnits

Mask = NDArray[np.bool_]


def check_units(items: ItemRows, column: Column, units: RowUnits, given: Mask) -> tuple[Mask, list[Finding]]:
    """Tell which of the ``given (n,)`` numbers have no unit that can be read ``(n,)``, and say so, each by itself.

    A blank is none where the rows have different units; where all others share one it is taken, which is said once.
    """
    unknown = given & np.isnan(units.sizes(items.rows))
    blank = given & units.blank(items.rows)
    findings = refused(items, column, units, unknown)
    if not units.several:
        words = f"no unit stands beside {column.header}, which is taken in {units.unit.text} as all others are"
        return unknown, findings + say_once(items, "MP227", blank, column, words)
    where = replace(column, index=units.index, header=units.header)
    fault = Fault("MP207", where, f"write the unit under {units.header}")
    words = f"{column.header} has no unit beside it, and others are in {units.listed}"
    return unknown | blank, findings + say(items, fault, np.flatnonzero(blank), lambda i: f"{items.ids[i]}: {words}")


def refused(items: ItemRows, column: Column, units: RowUnits, unknown: Mask) -> list[Finding]:
    """Say which numbers have a text beside them that is no unit of theirs, and why it is none."""
    which = np.flatnonzero(unknown)
    texts = [units.text(row) for row in items.rows[which].tolist()]
    where = replace(column, index=units.index, header=units.header)
    findings = []
    for text in dict.fromkeys(texts):
        rule, message, remedy = units.faults[text]
        of = which[[k for k, other in enumerate(texts) if other == text]]
        words = f"{column.header} has no unit that is known: {message}"
        findings += say(items, Fault(rule, where, remedy), of, lambda i, words=words: f"{items.ids[i]}: {words}")  # type: ignore[misc] # has a default
    return findings
