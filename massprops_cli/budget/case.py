"""One limit held against one item, before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from massprops_cli.bom.items.many import place_of
from massprops_cli.budget.entries import Basis, Entry, Limit
from massprops_cli.budget.figures import Figures
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.wording import quantity_of
from massprops_cli.findings import Place
from massprops_cli.tables.units.units import Units

CLOSE = 1e-12
"""A value beyond its limit by this share of what it is reckoned from is a matter of rounding, and keeps it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A ``limit`` of an ``entry``, and item ``i`` of what ``figures`` gives for a basis."""

    entry: Entry
    limit: Limit
    i: int
    figures: Callable[[Basis], Figures]

    @property
    def here(self) -> Figures:
        """The numbers on the entry's own basis."""
        return self.figures(self.entry.basis)

    @property
    def units(self) -> Units:
        """The table's units."""
        return self.here.result.bom.units

    @property
    def item(self) -> str:
        """The item's id."""
        return self.here.result.bom.ids[self.i]

    def verdict(
        self,
        rule: str,
        asked: str,
        message: str,
        *,
        value: float | None = None,
        limit: float | None = None,
        unit: str = "",
        margin: float | None = None,
        scale: float | None = None,
    ) -> Verdict:
        """Make the verdict: the limit is kept where the margin is known and, but for rounding, not negative.

        ``scale`` is how large numbers are that round, the limit itself by default: a limit of 0 tells nothing of it.
        """
        bom = self.here.result.bom
        return Verdict(
            rule,
            self.item,
            "" if bom.names is None else bom.names[self.i],
            self.limit.subject,
            asked,
            value,
            limit,
            unit,
            margin,
            keeps(margin, limit if scale is None else scale),
            f"{self.item}: {message}",
            self.entry.severity,
            None,
            self.limit.place,
            self.item_place(),
        )

    def item_place(self) -> Place:
        """Give the cell of the item that the limit is about, or its row where there is no such column."""
        bom = self.here.result.bom
        columns = bom.columns.by_quantity
        column = columns.get(quantity_of(self.limit.subject)) or columns.get("mass")
        index, header = (None, "") if column is None else (column.index, column.header)
        return place_of(bom.table, int(bom.rows[self.i]), index, header)


def keeps(margin: float | None, scale: float | None) -> bool:
    """Tell whether a margin is known and not negative, but for the rounding of numbers as large as ``scale``.

    >>> keeps(-1e-13, 850.0), keeps(-0.001, 850.0), keeps(None, 850.0)
    (True, False, False)
    """
    return margin is not None and margin >= -CLOSE * abs(scale or 0.0)
