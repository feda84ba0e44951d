"""Quantities of one variant: what a blank means in a column that says how many of each item a variant has.

Columns that hold the quantities of variants: found by their headers, asked about where no other quantity is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.item_rows import ItemRows, listed_of, place_of
from massprops_cli.bom.roots import Planting
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns import Column, Columns
from massprops_cli.tables.numbers import settle
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.words import words
from massprops_cli.trees.tree import Tree

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


NAMED = re.compile(
    r"\b(variant|version|konfiguration|configuration|config|cfg|option|model|mod[eè]le|qty|quantity|menge|anzahl)"
    r"(?:e|en|n|s|l)?\b",
    re.IGNORECASE,
)
"""Words in the header of a column that holds the quantities of a variant."""

DASH_NUMBER = re.compile(r"-\d{1,3}")
"""The header of quantities in one configuration of a drawing, ``-1`` or ``-501`` (ASME Y14.34, parts lists)."""

COUNT = "count"
COUNTING = frozenset({"qty", "quantity", "menge", "anzahl", COUNT})
"""Those of them that say by themselves that a column counts pieces: ``Qty Req'd``."""

BETWEEN = re.compile(r"[\W_]+")


def variant_columns(table: Table, columns: Columns) -> list[int]:
    """Find the columns that hold quantities of variants: named so, not read as anything else, and whole numbers."""
    read = {column.index for name, column in columns.by_quantity.items() if name != "qty"}
    named = [j for j, text in enumerate(columns.header) if j not in read and word_of(text)]
    return [j for j in named if holds_counts(table, j, columns.first_row)]


def word_of(header: str) -> str:
    """Give the word that makes a header one of a variant, or nothing.

    >>> word_of("Variant B"), word_of("Qty_Heavy"), word_of("Supplier"), word_of("-501"), word_of("No. of assys")
    ('variant', 'qty', '', 'dash number', 'count')
    """
    if DASH_NUMBER.fullmatch(header.strip()):
        return "dash number"
    match = NAMED.search(header.replace("_", " "))
    if match is None:
        return COUNT if BETWEEN.sub(" ", header.casefold()).strip().startswith(counting()) else ""
    return match[1].casefold()


@lru_cache(maxsize=1)
def counting() -> tuple[str, ...]:
    """Load how headers begin that count pieces, beside those of quantities."""
    return tuple(text for entry in words("counting").values() for text in entry["begins"])


def holds_counts(table: Table, column: int, first: int) -> bool:
    """Tell whether the cells of a column are whole numbers from 0, or blank."""
    (numbers,) = table.numbers([column], first)
    settled = settle(table, column, numbers, first)
    values = settled.values[~np.isnan(settled.values)]
    return not len(settled.bad) and bool(len(values)) and bool(((values >= 0) & (values == np.floor(values))).all())


def ask_for_variant(table: Table, columns: Columns, options: TableOptions) -> list[Finding]:
    """Ask which variant is meant, where columns count pieces and none of them is known as the quantity.

    Their headers share the word that tells: ``Variant A`` and ``Variant B``, but not ``Model`` and ``Version``. One
    column alone is asked about where its header speaks of a quantity: ``Qty per assy``.
    """
    if "qty" in columns.by_quantity or options.frozen or not telling_words(columns.header):
        return []
    columns_found = variant_columns(table, columns)
    telling = telling_words(columns.header[j] for j in columns_found)
    alike = [j for j in columns_found if word_of(columns.header[j]) in telling]
    if not alike:
        return []
    headers = [columns.header[j].strip() for j in alike]
    command = f"massprops rollup {shlex.quote(table.source.name)}"
    commands = [f'{command} --qty-column "{header}"' for header in headers[:4]]
    place = table.place(columns.header_row, alike[0], columns.header[alike[0]])
    if len(alike) == 1:
        message = f"{headers[0]} counts pieces by its name, is not known as the quantity, and there is no other"
        remedy = f"type {commands[0]}; or name what is to be read with --map, and pass --frozen"
    else:
        message = f"{', '.join(headers)} count pieces, each of one variant, and there is no other quantity"
        remedy = f"type {', or '.join(commands)}, or {command} --all-variants"
    return [found("MP253", message, place, count=len(alike), remedy=remedy)]


def telling_words(headers: Iterable[str]) -> set[str]:
    """Give the words of variants that stand in several headers, and those that count by themselves."""
    said = [word for word in map(word_of, headers) if word]
    return {word for word in said if said.count(word) > 1 or word in COUNTING}
