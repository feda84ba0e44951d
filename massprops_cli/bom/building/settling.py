"""Whether masses are of lines and quantities of the whole, settled by the totals that the sheet states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops_cli.bom.building.quantities import as_stated
from massprops_cli.bom.building.reconciliation import differing_totals, reconcile
from massprops_cli.bom.items.content import Content
from massprops_cli.findings import Finding, UsageError, found
from massprops_cli.tables.rows.totals import TotalRow

READINGS = {
    "--mass-is line": {"mass_is": "line"},
    "--qty-is total": {"qty_is": "total"},
    "--mass-is line --qty-is total": {"mass_is": "line", "qty_is": "total"},
}
"""The readings beside the usual one, by what to type for them."""


def settled(content: Content, totals: Sequence[TotalRow]) -> Content:
    """Read masses and quantities as asked or as usual; another way where all the sheet's totals agree with that alone.

    Where several other readings agree, which give different numbers, it is an error that offers all of them.
    """
    content = replace(content, totals=tuple(totals))
    usual, options = as_stated(content), content.options
    if options.mass_is or options.qty_is or "qty" not in content.columns.by_quantity or not differing_totals(usual):
        return saying(usual, differing_totals(usual))
    fitting: dict[str, Content] = {}
    for words, given in READINGS.items():
        read = read_so(content, given)
        if read is not None and not any(same(read, other) for other in fitting.values()):
            fitting[words] = read
    if not fitting:
        return saying(usual, differing_totals(usual))
    total = reconcile(usual)[0]
    if len(fitting) == 1:
        words, read = next(iter(fitting.items()))
        message = f"read with {words}: only so do the rows give what {total.label} states, {total.stated:.12g}"
        return saying(read, [found("MP251", message, total.place, remedy=f"say it with {words}")])
    offered = ", or ".join(fitting)
    message = f"{total.label} states {total.stated:.12g}, which the rows give in {len(fitting)} ways of reading them"
    return saying(usual, [found("MP252", message, total.place, remedy=f"pass {offered}")])


def read_so(content: Content, given: dict[str, str]) -> Content | None:
    """Read the table in another way; None where that cannot be, or a total of the sheet differs."""
    try:
        read = as_stated(replace(content, options=replace(content.options, **given)))  # type: ignore[arg-type] # words
    except UsageError:
        return None
    return None if differing_totals(read) else read


def same(one: Content, other: Content) -> bool:
    """Tell whether two readings give the same numbers."""
    counts = np.array_equal(one.quantity.count, other.quantity.count)
    return counts and np.array_equal(one.bodies.mass, other.bodies.mass)


def saying(content: Content, findings: Sequence[Finding]) -> Content:
    """Add findings to those of a table."""
    return replace(content, findings=(*content.findings, *findings))
