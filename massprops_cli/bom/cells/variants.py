"""Quantities of one variant: what a blank means in a column that says how many of each item a variant has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.many import place_of
from massprops_cli.bom.items.planting import Planting
from massprops_cli.bom.items.saying import listed_of
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.options import TableOptions
from massprops_cli.tree.tree import Tree

Mask = NDArray[np.bool_]


class Blanks(NamedTuple):
    """What a blank quantity counts, ``counts (n,)`` 0, 1, or NaN where it is not clear, and words that say why."""

    counts: NDArray[np.float64]
    why: str


def read_blanks(items: ItemRows, planting: Planting, options: TableOptions) -> tuple[Blanks, list[Finding]]:
    """Say what a blank cell counts for every item, in the column of quantities of a variant.

    A column writes what it does not leave blank: where it writes 1 and never 0, a blank is 0; where it writes 0 and
    never 1, a blank is 1; else both can be, which is a finding unless ``blank_qty`` says it. What is below an assembly
    that counts, and says nothing of all that it holds, comes with it; and where no assembly has a cell, all count once.
    """
    column, tree = items.columns.by_quantity.get("qty"), planting.tree
    counts = np.ones(len(items.rows))
    if column is None or tree is None:
        return Blanks(counts, ""), []
    cells = Cells(items, planting, tree, column)
    unsaid, above = cells.unsaid(), cells.assemblies()
    if options.blank_qty:
        counts[unsaid] = float(options.blank_qty)
        return Blanks(counts, ", as --blank-qty says"), []
    if not unsaid.any():
        return Blanks(counts, ""), []
    zero, one = cells.writes(0), cells.writes(1)
    if zero == one:
        which = "both 0 and 1" if zero else "neither 0 nor 1"
        message = f"a blank under {column.header} can mean 0 or 1, for the column writes {which}"
        return Blanks(np.where(unsaid, np.nan, counts), ""), [cells.unclear(unsaid, message)]
    counts[unsaid] = 0.0 if one else 1.0
    why = f", for {column.header} writes {'a 1 where it means one' if one else 'its zeros'}"
    torn = unsaid & above & cells.holds_counted() if one else np.zeros(len(counts), bool)
    if torn.any():
        message = f"{column.header} is blank for an assembly and counts what is below it"
        return Blanks(np.where(torn, np.nan, counts), why), [cells.unclear(torn, message)]
    return Blanks(counts, why), []


class Cells:
    """The cells of a column of quantities, for the items of a tree; what is outside the tree says nothing."""

    def __init__(self, items: ItemRows, planting: Planting, tree: Tree, column: Column) -> None:
        self.items, self.tree, self.column, self.kept = items, tree, column, planting.kept
        first = items.columns.first_row
        (numbers,) = items.table.numbers([column.index], first)
        settled = settle(items.table, column.index, numbers, first, column.rules)
        n, root = len(tree), int(tree.order[0])
        self.asked = np.zeros(n, bool)
        self.asked[: len(self.kept)] = items.rows[self.kept] >= 0
        self.asked[root] = False  # one piece: there is no parent that could count it
        self.written, self.count = np.zeros(n, bool), np.zeros(n)
        self.written[: len(self.kept)] = ~items.gather(settled.blank, True)[self.kept]
        self.written &= self.asked
        self.count[: len(self.kept)] = np.nan_to_num(items.gather(settled.values, 0.0)[self.kept])
        self.counted = self.written & (self.count != 0)
        self.is_leaf = tree.is_leaf()

    def of_items(self, mask: Mask) -> Mask:
        """Bring a mask of the tree's items into the order of the table's."""
        result = np.zeros(len(self.items.rows), bool)
        result[self.kept] = mask[: len(self.kept)]
        return result

    def unsaid(self) -> Mask:
        """Tell whose blank cell must be understood ``(n,)``: what is above and around it does not say."""
        carried = below(self.tree, self.counted & ~self.is_leaf & ~holds(self.tree, self.written))
        blank = self.asked & ~self.written & ~carried
        if not (self.written & ~self.is_leaf).any():
            blank &= self.is_leaf
        return self.of_items(blank)

    def assemblies(self) -> Mask:
        """Tell which items hold others ``(n,)``."""
        return self.of_items(~self.is_leaf)

    def holds_counted(self) -> Mask:
        """Tell below which items something is counted ``(n,)``."""
        return self.of_items(holds(self.tree, self.counted))

    def writes(self, number: float) -> bool:
        """Tell whether a cell holds this number."""
        return bool((self.written & (self.count == number)).any())

    def unclear(self, where: Mask, message: str) -> Finding:
        """Refuse blank cells that can be understood in two ways."""
        which = self.items.in_file_order(np.flatnonzero(where))
        item = int(which[0])
        place = place_of(self.items.table, int(self.items.rows[item]), self.column.index, self.column.header)
        text = f"{message}: {listed_of(self.items, which)}"
        return found("MP331", text, place, item=self.items.ids[item], count=len(which))


def holds(tree: Tree, marked: Mask) -> Mask:
    """Tell which items ``(n,)`` have a marked one below them, at any depth.

    >>> holds(Tree.from_parents([-1, 0, 1, 0]), np.array([False, False, True, False])).tolist()
    [True, True, False, False]
    """
    result = np.zeros(len(tree), bool)
    for d in range(len(tree.levels) - 2, 0, -1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        result[tree.parent[items[marked[items] | result[items]]]] = True
    return result


def below(tree: Tree, marked: Mask) -> Mask:
    """Tell which items ``(n,)`` have a marked one above them, at any height.

    >>> below(Tree.from_parents([-1, 0, 1, 0]), np.array([False, True, False, False])).tolist()
    [False, False, True, False]
    """
    result = np.zeros(len(tree), bool)
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        over = tree.parent[items]
        result[items] = marked[over] | result[over]
    return result
