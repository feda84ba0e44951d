"""Quantities of one variant: what a blank means in a column that says how many of each item a variant has.

Columns that hold the quantities of variants: found by their headers, asked about where no other quantity is.

Which items stand in the tree: the root asked for or made, and what cannot be reached.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import ItemRows, item_cell_place, item_list_text
from massprops_cli.files import Table
from massprops_cli.findings import Finding, Findings, name_list
from massprops_cli.tables import (
    NO_PARENT,
    Hierarchy,
    QuantityColumn,
    TableColumns,
    TableOptions,
    parse_column,
    tree_findings,
)
from massprops_cli.tables.words import words
from massprops_cli.trees import Tree, is_at_or_below, tree_faults

_MADE_ROOT = "(all)"
"""The id of a made root that was not given a name."""


@dataclass(frozen=True, slots=True)
class ItemTree:
    """Where the items of a hierarchy go.

    ``items (m,)`` are the hierarchy's items that are wanted, in file order (all but those left out by ``--root``);
    ``kept (k,)`` the positions among ``items`` that reach the root; ``tree`` has k items, and one more, the last, when
    ``made`` names a made root. ``is_leaf (m,)`` is known for every wanted item, in the tree or not.
    """

    items: NDArray[np.intp]
    kept: NDArray[np.intp]
    tree: Tree | None
    is_leaf: NDArray[np.bool_]
    made: str

    @property
    def root(self) -> int | None:
        """Give the position among ``items`` of the root; None when it is made, or there is no tree."""
        return None if self.made or self.tree is None else int(self.kept[int(self.tree.order[0])])


def place_root(hierarchy: Hierarchy, table: Table, options: TableOptions, findings: Findings) -> ItemTree:
    """Make the tree of the hierarchy's items: choose or make the root, leave out what is not under it, report faults.

    A table with faults still gets the largest well-formed tree, for ``--keep-going``.
    """
    options = _options_with_sheet_root(options, hierarchy, table)
    parents = hierarchy.parents
    items = np.arange(len(parents), dtype=np.intp)
    if options.root:
        chosen = _items_under_root(hierarchy, options.root, findings)
        if chosen is not None:
            items = chosen
            # the root asked for has no parent here, whatever its cell names: rows outside, a loop, nobody
            parents = _renumber_parents(np.asarray(parents), items, top=True)
            parents[next(k for k, i in enumerate(items.tolist()) if hierarchy.ids[i] == options.root)] = -1
    faulty = tree_faults(parents)
    roots = np.asarray(faulty.roots, dtype=np.intp)
    makes_root = bool(options.make_root) or len(roots) > 1
    wanted_roots = roots[:1] if options.make_root else roots
    if items is not None and len(items) == len(hierarchy.parents):
        findings += tree_findings(
            hierarchy, table, faulty.self_parents, faulty.cycles, wanted_roots.tolist(), faulty.orphans, options
        )
    is_leaf = np.ones(len(items), bool)
    is_leaf[parents[parents >= 0]] = False
    kept = np.flatnonzero(is_at_or_below(parents, parents == -1))
    if not len(items):
        return ItemTree(items, kept, None, is_leaf, "")
    planted, made = _renumber_parents(np.asarray(parents), kept, top=False), ""
    # where nothing reaches a root, a made root alone is the tree: the cells are checked all the same
    if makes_root or not len(kept):
        made = _free_name(options.make_root or _MADE_ROOT, hierarchy.ids)
        tops = planted < 0
        planted = np.append(np.where(tops, len(planted), planted), -1).astype(np.int32)
        if options.make_root and len(kept):
            _report_made_root(made, [hierarchy.ids[i] for i in items[kept[tops]].tolist()], findings)
    tree = Tree.from_parents(planted)
    _check_depth(tree, options.max_depth, findings)
    return ItemTree(items, kept, tree, is_leaf, made)


def _options_with_sheet_root(options: TableOptions, hierarchy: Hierarchy, table: Table) -> TableOptions:
    """Put a list under a root named after its sheet, or its file, where the user names none.

    The top rows of a numbered or indented list are parts of one product too, if there are several of them.
    """
    if options.root or options.make_root:
        return options
    several = hierarchy.tops_are_parts and np.count_nonzero(np.asarray(hierarchy.parents) == NO_PARENT) > 1
    if hierarchy.layout != "flat" and not several:
        return options
    name = table.source.sheet or PurePath(table.source.name).name.partition(".")[0].strip("-")
    return replace(options, make_root=name or _MADE_ROOT)


def _report_made_root(made: str, tops: list[str], findings: Findings) -> None:
    """Report which root was made, and what it holds."""
    rows = "the row" if len(tops) == 1 else f"the {len(tops):,} rows"
    message = f"{made} was made to hold {rows} without a parent: {name_list(tops)}"
    findings.report("MP317", message, item=made)


def _check_depth(tree: Tree, cap: int, findings: Findings) -> None:
    """Reject a tree with more levels below its root than the cap."""
    depth = len(tree.levels) - 2
    if depth > cap:
        message = f"the tree is {depth:,} levels deep; the cap is {cap:,}"
        findings.report("MP114", message, remedy=f"raise the cap with --max-depth {depth}")


def _items_under_root(hierarchy: Hierarchy, root: str, findings: Findings) -> NDArray[np.intp] | None:
    """Find the items at and under the requested root, without following loops endlessly; None where it is no id."""
    ids = hierarchy.ids
    start = next((i for i, name in enumerate(ids) if name == root), None)
    if start is None:
        message = f"--root names {root}, which is not the id of any row"
        findings.report("MP309", message, value=root, remedy="name the id of a row")
        return None
    parents = np.array(hierarchy.parents, dtype=np.int32)
    parents[start] = -1
    inside = is_at_or_below(parents, np.arange(len(parents)) == start)
    left_out = len(ids) - int(inside.sum())
    outside = f"1 row outside {root} is" if left_out == 1 else f"{left_out:,} rows outside {root} are"
    if left_out:
        findings.report("MP320", f"{outside} left out", item=root, count=left_out)
    return np.flatnonzero(inside)


def filter_parent_findings(
    findings: Sequence[Finding], hierarchy: Hierarchy, planting: ItemTree, table: Table, root: str
) -> list[Finding]:
    """Leave out the unknown parents of rows outside ``--root``, and of the root itself."""
    if not root or not any(finding.rule == "MP305" for finding in findings):
        return list(findings)
    rows = np.asarray(hierarchy.rows)
    inside = {table.place(int(rows[i])).row for i in planting.items.tolist() if hierarchy.ids[i] != root}

    def concerns(finding: Finding) -> bool:
        places = (finding.place, *finding.related)
        return len(places) < finding.count or any(place.row in inside for place in places)

    return [finding for finding in findings if finding.rule != "MP305" or concerns(finding)]


def _renumber_parents(parents: NDArray[np.int32], items: NDArray[np.intp], *, top: bool) -> NDArray[np.int32]:
    """Number the parents of some items by their position among them; ``top`` makes a parent outside them no parent."""
    place = np.full(len(parents) + 1, -1, dtype=np.int32)
    place[items] = np.arange(len(items), dtype=np.int32)
    chosen = parents[items]
    result = np.where(chosen >= 0, place[chosen], chosen if not top else -1)
    return result.astype(np.int32)


def _free_name(name: str, ids: Sequence[str]) -> str:
    """Give a name that no item has."""
    taken = set(ids) if name in ids else ()
    result, number = name, 2
    while result in taken:
        result, number = f"{name} {number}", number + 1
    return result


_Mask = NDArray[np.bool_]


class BlankCounts(NamedTuple):
    """What a blank quantity counts, ``counts (n,)`` 0, 1, or NaN where it is not clear, and words that say why."""

    counts: NDArray[np.float64]
    why: str


def read_blank_counts(items: ItemRows, planting: ItemTree, options: TableOptions, findings: Findings) -> BlankCounts:
    """Tell what a blank cell counts for every item, in the column of quantities of a variant.

    A column writes what it does not leave blank: where it writes 1 and never 0, a blank is 0; where it writes 0 and
    never 1, a blank is 1; else both can be, which is a finding unless ``blank_qty`` says it. What is below an assembly
    that counts, and says nothing of all that it holds, comes with it; and where no assembly has a cell, all count once.
    """
    column, tree = items.columns.by_quantity.get("qty"), planting.tree
    counts = np.ones(len(items.rows))
    if column is None or tree is None:
        return BlankCounts(counts, "")
    cells = _VariantCells(items, planting, tree, column)
    unsaid, above = cells.unsaid(), cells.assemblies()
    if options.blank_qty:
        counts[unsaid] = float(options.blank_qty)
        return BlankCounts(counts, ", as --blank-qty says")
    if not unsaid.any():
        return BlankCounts(counts, "")
    zero, one = cells.writes(0), cells.writes(1)
    if zero == one:
        which = "both 0 and 1" if zero else "neither 0 nor 1"
        message = f"a blank under {column.header} can mean 0 or 1, for the column writes {which}"
        cells.report_unclear(unsaid, message, findings)
        return BlankCounts(np.where(unsaid, np.nan, counts), "")
    counts[unsaid] = 0.0 if one else 1.0
    why = f", for {column.header} writes {'a 1 where it means one' if one else 'its zeros'}"
    torn = unsaid & above & cells.holds_counted() if one else np.zeros(len(counts), bool)
    if torn.any():
        message = f"{column.header} is blank for an assembly and counts what is below it"
        cells.report_unclear(torn, message, findings)
        return BlankCounts(np.where(torn, np.nan, counts), why)
    return BlankCounts(counts, why)


class _VariantCells:
    """The cells of a column of quantities, for the items of a tree; what is outside the tree says nothing."""

    def __init__(self, items: ItemRows, planting: ItemTree, tree: Tree, column: QuantityColumn) -> None:
        self.items, self.tree, self.column, self.kept = items, tree, column, planting.kept
        first = items.columns.first_row
        (numbers,) = items.table.numbers([column.index], first)
        settled = parse_column(items.table, column.index, numbers, first, column.rules)
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

    def of_items(self, mask: _Mask) -> _Mask:
        """Bring a mask of the tree's items into the order of the table's."""
        result = np.zeros(len(self.items.rows), bool)
        result[self.kept] = mask[: len(self.kept)]
        return result

    def unsaid(self) -> _Mask:
        """Tell whose blank cell must be understood ``(n,)``: what is above and around it does not say."""
        carried = has_marked_above(
            self.tree, self.counted & ~self.is_leaf & ~_has_marked_below(self.tree, self.written)
        )
        blank = self.asked & ~self.written & ~carried
        if not (self.written & ~self.is_leaf).any():
            blank &= self.is_leaf
        return self.of_items(blank)

    def assemblies(self) -> _Mask:
        """Tell which items hold others ``(n,)``."""
        return self.of_items(~self.is_leaf)

    def holds_counted(self) -> _Mask:
        """Tell below which items something is counted ``(n,)``."""
        return self.of_items(_has_marked_below(self.tree, self.counted))

    def writes(self, number: float) -> bool:
        """Tell whether a cell holds this number."""
        return bool((self.written & (self.count == number)).any())

    def report_unclear(self, where: _Mask, message: str, findings: Findings) -> None:
        """Reject blank cells that can be understood in two ways."""
        which = self.items.in_file_order(np.flatnonzero(where))
        item = int(which[0])
        place = item_cell_place(self.items.table, int(self.items.rows[item]), self.column.index, self.column.header)
        text = f"{message}: {item_list_text(self.items, which)}"
        findings.report("MP331", text, place, item=self.items.ids[item], count=len(which))


def _has_marked_below(tree: Tree, marked: _Mask) -> _Mask:
    """Tell which items ``(n,)`` have a marked one below them, at any depth.

    >>> _has_marked_below(Tree.from_parents([-1, 0, 1, 0]), np.array([False, False, True, False])).tolist()
    [True, True, False, False]
    """
    result = np.zeros(len(tree), bool)
    for d in range(len(tree.levels) - 2, 0, -1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        result[tree.parent[items[marked[items] | result[items]]]] = True
    return result


def has_marked_above(tree: Tree, marked: _Mask) -> _Mask:
    """Tell which items ``(n,)`` have a marked one above them, at any height.

    >>> has_marked_above(Tree.from_parents([-1, 0, 1, 0]), np.array([False, True, False, False])).tolist()
    [False, False, True, False]
    """
    result = np.zeros(len(tree), bool)
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        over = tree.parent[items]
        result[items] = marked[over] | result[over]
    return result


_VARIANT_HEADER = re.compile(
    r"\b(variant|version|konfiguration|configuration|config|cfg|option|model|mod[eè]le|qty|quantity|menge|anzahl)"
    r"(?:e|en|n|s|l)?\b",
    re.IGNORECASE,
)
"""Words in the header of a column that holds the quantities of a variant."""

_DASH_NUMBER = re.compile(r"-\d{1,3}")
"""The header of quantities in one configuration of a drawing, ``-1`` or ``-501`` (ASME Y14.34, parts lists)."""

_COUNT_WORD = "count"
_COUNTING_WORDS = frozenset({"qty", "quantity", "menge", "anzahl", _COUNT_WORD})
"""Those of them that say by themselves that a column counts pieces: ``Qty Req'd``."""

_WORD_SEPARATORS = re.compile(r"[\W_]+")


def variant_columns(table: Table, columns: TableColumns) -> list[int]:
    """Find the columns that hold quantities of variants: named so, not read as anything else, and whole numbers."""
    read = {column.index for name, column in columns.by_quantity.items() if name != "qty"}
    named = [j for j, text in enumerate(columns.header) if j not in read and _variant_word(text)]
    return [j for j in named if _has_counts_only(table, j, columns.first_row)]


def _variant_word(header: str) -> str:
    """Give the word that makes a header one of a variant, or nothing.

    >>> _variant_word("Variant B"), _variant_word("Qty_Heavy"), _variant_word("Supplier"), _variant_word("-501"), _variant_word("No. of assys")
    ('variant', 'qty', '', 'dash number', 'count')
    """
    if _DASH_NUMBER.fullmatch(header.strip()):
        return "dash number"
    match = _VARIANT_HEADER.search(header.replace("_", " "))
    if match is None:
        return (
            _COUNT_WORD if _WORD_SEPARATORS.sub(" ", header.casefold()).strip().startswith(_counting_headers()) else ""
        )
    return match[1].casefold()


@lru_cache(maxsize=1)
def _counting_headers() -> tuple[str, ...]:
    """Load how headers begin that count pieces, beside those of quantities."""
    return tuple(text for entry in words("counting").values() for text in entry["begins"])


def _has_counts_only(table: Table, column: int, first: int) -> bool:
    """Tell whether the cells of a column are whole numbers from 0, or blank."""
    (numbers,) = table.numbers([column], first)
    settled = parse_column(table, column, numbers, first)
    values = settled.values[~np.isnan(settled.values)]
    return not len(settled.bad) and bool(len(values)) and bool(((values >= 0) & (values == np.floor(values))).all())


def ask_for_variant(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> None:
    """Ask which variant is meant, where columns count pieces and none of them is known as the quantity.

    Their headers share the word that tells: ``Variant A`` and ``Variant B``, but not ``Model`` and ``Version``. One
    column alone is asked about where its header speaks of a quantity: ``Qty per assy``.
    """
    if "qty" in columns.by_quantity or options.frozen or not _distinctive_words(columns.header):
        return
    columns_found = variant_columns(table, columns)
    telling = _distinctive_words(columns.header[j] for j in columns_found)
    alike = [j for j in columns_found if _variant_word(columns.header[j]) in telling]
    if not alike:
        return
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
    findings.report("MP253", message, place, count=len(alike), remedy=remedy)


def _distinctive_words(headers: Iterable[str]) -> set[str]:
    """Give the words of variants that stand in several headers, and those that count by themselves."""
    said = [word for word in map(_variant_word, headers) if word]
    return {word for word in said if said.count(word) > 1 or word in _COUNTING_WORDS}
