"""What a table holds once it has been read: rows, tree and bodies together, and everything that was found.

Words. An *item* is one body of the tree; a *row* is a row of the table. Most items have a row of their own; a made root
has none, and parts that stand in several places (layout ``edges``) share theirs. Item numbers count from 0 in file
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Severity, UsageError
from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.montecarlo.samples import Shapes
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.total_rows import TotalRow
from massprops_cli.tables.units import Units
from massprops_cli.trees.tree import Quantity, Tree


@dataclass(frozen=True, slots=True, repr=False)
class Content:
    """A table that was read, with everything that was found in it.

    ``ids`` and ``rows (n,)`` (table row, −1 for a made root) belong to the n items of ``tree``; so do ``bodies``,
    ``sigmas`` (None when there are no sigma columns, or they were not asked for) and ``quantity``. Values of
    assemblies in ``bodies`` are what their rows state; the roll-up does not read them, except where ``stated (n,)``.
    ``sign (n,)`` int8 is +1 or −1 by the sign convention an item's products are written in, 0 where it has none.
    ``extra (n,)`` marks the leaves that hold an assembly's own numbers (``--assembly-values own``).

    What is said of uncertainties beside the sigmas is None without its column: ``shapes``, the distributions and bounds
    of inputs; ``groups (n,)``, the cells under ``corr_group``, blank on computed assemblies; ``part_numbers (n,)``;
    ``maturity (n,)``, the word under ``method`` in its canonical form, blank where nothing that is known is said.
    """

    table: Table
    columns: Columns
    options: TableOptions
    layout: str
    how: str
    tree: Tree
    ids: Sequence[str]
    names: Sequence[str] | None
    rows: NDArray[np.intp]
    bodies: Bodies
    sigmas: Sigmas | None
    quantity: Quantity
    stated: NDArray[np.bool_] | None
    extra: NDArray[np.bool_] | None
    sign: NDArray[np.int8] | None
    point_blank: NDArray[np.bool_] | None
    """Which items have a blank cell under Ipoint; None without the column."""
    written: Mapping[str, tuple[NDArray[np.intp], NDArray[np.float64]]]
    """What assembly rows state: column's quantity → (items, values in coherent units)."""
    findings: tuple[Finding, ...]
    shapes: Shapes | None = None
    groups: Sequence[str] | None = None
    part_numbers: Sequence[str] | None = None
    maturity: Sequence[str] | None = None
    growth: NDArray[np.float64] | None = None
    """Growth of the items whose own numbers go up as a share of their mass ``(n,)``, NaN where it is not known."""
    pieces: NDArray[np.float64] | None = None
    """How many pieces the mass in an item's cell is of ``(n,)`` (``--mass-is line``); None: one piece."""
    totals: tuple[TotalRow, ...] = ()
    """The rows that are no items: totals, subtotals, margins and limits."""
    numbers_by_id: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Item numbers by id, filled when an item is first asked for."""

    @property
    def units(self) -> Units:
        """The coherent units of every number in the arrays."""
        return self.columns.units

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_withheld(self) -> bool:
        """Whether a finding is an error that keeps results from being written."""
        return any(finding.is_withholding for finding in self.findings)

    def __repr__(self) -> str:
        """Give the table's name, its size and what was found, on one line."""
        count = Counter(finding.severity.value for finding in self.findings)
        found = ", ".join(f"{count[word]} {word}{'' if count[word] == 1 else 's'}" for word in count) or "no findings"
        root = self.ids[int(self.tree.order[0])]
        return f"<Bom {self.table.source.name}: {len(self):,} items under {root}, layout {self.layout}; {found}>"

    def __len__(self) -> int:
        """Give the number of items."""
        return len(self.ids)

    def item(self, name: str) -> int:
        """Give the number of the item with an id; raises UsageError with the nearest ids."""
        if not self.numbers_by_id:
            # of a duplicate id, which is an error, the first row holds
            self.numbers_by_id.update((text, i) for i, text in reversed(list(enumerate(self.ids))))
        found = self.numbers_by_id.get(name)
        if found is not None:
            return found
        import difflib

        near = [text for text in self.ids if text.casefold() == name.casefold()][:3]
        if not near and len(self.ids) <= 100_000:
            near = difflib.get_close_matches(name, list(self.ids), 3)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(f"no item has the id {name}{hint}")

    def rollup_inputs(self, correlation: Correlation | None = None) -> RollupInputs:
        """Give what a roll-up is computed from; ``correlation`` tells whose errors are shared, by default nobody's."""
        return RollupInputs.of(
            self.tree, self.bodies, self.sigmas, self.quantity, stated=self.stated, correlation=correlation
        )

    def saying(self, findings: Sequence[Finding]) -> Self:
        """Give the same with further findings."""
        return replace(self, findings=(*self.findings, *findings)) if findings else self

    def units_of_body(self) -> tuple[str, str, str]:
        """Give the units of mass, length and inertia for printing; empty texts when none are stated."""
        return self.units.mass, self.units.length, self.units.inertia
