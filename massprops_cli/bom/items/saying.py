"""Findings about items: one each, one for a whole column, or a note said once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.items import ItemRows, Which
from massprops_cli.bom.items.many import cell_findings, place_of
from massprops_cli.findings import Finding, Severity, found
from massprops_cli.tables.columns.columns import Column

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is said of every item that has one fault; remedy and severity are the rule's own where none is given."""

    rule: str
    column: Column
    remedy: str | None = None
    severity: Severity | None = None


def say(items: ItemRows, fault: Fault, which: Which, message: Callable[[int], str]) -> list[Finding]:
    """Say one fault of a column for some items, in file order; ``message`` takes the item number."""
    if not len(which):
        return []
    which = items.in_file_order(which)
    return cell_findings(
        fault.rule,
        items.table,
        items.rows[which],
        fault.column.index,
        lambda k: message(int(which[k])),
        header=fault.column.header,
        items=lambda k: items.ids[int(which[k])],
        remedy=fault.remedy,
        severity=fault.severity,
    )


def say_blank(items: ItemRows, fault: Fault, blank: Mask, needed: Mask, words: str) -> list[Finding]:
    """Say which of the ``needed`` items lack something: each by itself, or all at once where none of them has it."""
    which = np.flatnonzero(blank & needed)
    if len(which) < 2 or len(which) < int(needed.sum()):
        return say(items, fault, which, lambda i: f"{items.ids[i]} has no {words}")
    first = int(which[np.argmin(items.rows[which])])
    return [
        found(
            fault.rule,
            f"none of the {len(which):,} leaves has {'an' if words[0] in 'aeiouAEIOU' else 'a'} {words}: "
            f"{fault.column.header} is blank",
            place_of(items.table, int(items.rows[first]), fault.column.index, fault.column.header),
            item=items.ids[first],
            remedy=fault.remedy,
            severity=fault.severity,
            count=len(which),
        )
    ]


def say_once(items: ItemRows, rule: str, where: Mask, column: Column, words: str) -> list[Finding]:
    """Say a note once for a column, with its count and first place."""
    which = np.flatnonzero(where)
    if not len(which):
        return []
    which = items.in_file_order(which)
    place = place_of(items.table, int(items.rows[which[0]]), column.index, column.header)
    message = f"{words}: {listed_of(items, which)}"
    return [found(rule, message, place, item=items.ids[int(which[0])], count=len(which))]


def listed_of(items: ItemRows, which: Which) -> str:
    """List the first of some items; the others are counted."""
    shown = ", ".join(items.ids[i] for i in which[:6].tolist())
    return shown + (f" and {len(which) - 6:,} more" if len(which) > 6 else "")
