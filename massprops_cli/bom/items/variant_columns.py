"""Columns with the quantities of variants, the meaning of their blanks, and the tree below the requested root."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_column_once
from massprops_cli.files.options import cap_remedy
from massprops_cli.files.table import Mask, Table
from massprops_cli.findings.finding import Finding, Findings, Severity, name_list
from massprops_cli.tables.cells.cell_words import may_count_in_heading
from massprops_cli.tables.cells.numbers import parse_column
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import column_command_name
from massprops_cli.tables.columns.mass_headings import is_required_margin
from massprops_cli.tables.counts import combinations_of_counts
from massprops_cli.tables.layouts.detection import tree_findings
from massprops_cli.tables.options import MADE_ROOT, TableOptions
from massprops_cli.tables.rows.hierarchy import NO_PARENT, Hierarchy, unused_id
from massprops_cli.trees.tree import Tree, is_at_or_below, tree_faults


class ItemTree(NamedTuple):
    """The tree of the items of a hierarchy."""

    items: NDArray[np.intp]  # (m,) selected, in file order; those outside ``--root`` are left out
    kept: NDArray[np.intp]  # (k,) positions in ``items`` that reach the root
    tree: Tree | None  # of the k, then the created root
    is_leaf: NDArray[np.bool_]  # (m,)
    made: str  # name of a created root

    @property
    def root(self) -> int | None:
        """The position of the root among ``items``; None for a created root, or without a tree."""
        return None if self.made or self.tree is None else int(self.kept[int(self.tree.order[0])])


def place_root(hierarchy: Hierarchy, table: Table, options: TableOptions, findings: Findings) -> ItemTree:
    """Build the tree below the requested or created root; a table with faults gives the largest valid tree."""
    options = _options_with_sheet_root(options, hierarchy, table)
    parents = hierarchy.parents
    items = np.arange(len(parents), dtype=np.intp)
    if options.root and (chosen := _items_under_root(hierarchy, options.root, findings)) is not None:
        items = chosen
        # the requested root has no parent in this tree, whatever its cell states
        parents = _renumber_parents(np.asarray(parents), items, top=True)
        parents[next(k for k, i in enumerate(items.tolist()) if hierarchy.ids[i] == options.root)] = -1
    self_parents, cycles, parentless, orphans = tree_faults(parents)
    roots = np.asarray(parentless, dtype=np.intp)
    makes_root = bool(options.make_root) or len(roots) > 1
    selected_roots = roots[:1] if options.make_root else roots
    if items is not None and len(items) == len(hierarchy.parents):
        findings += tree_findings(hierarchy, table, self_parents, cycles, selected_roots.tolist(), orphans, options)
    is_leaf = np.ones(len(items), bool)
    is_leaf[parents[parents >= 0]] = False
    kept = np.flatnonzero(is_at_or_below(parents, parents == -1))
    if not len(items):
        return ItemTree(items, kept, None, is_leaf, "")
    placed, made = _renumber_parents(np.asarray(parents), kept, top=False), ""
    # if no item reaches a root, the tree is a created root alone, and the cells are still checked
    if makes_root or not len(kept):
        made = unused_id(options.make_root or MADE_ROOT, hierarchy.ids)
        tops = placed < 0
        placed = np.append(np.where(tops, len(placed), placed), -1).astype(np.int32)
        if options.make_root and len(kept) and hierarchy.layout != "flat":  # a plain list has no other root
            names = [hierarchy.ids[i] for i in items[kept[tops]].tolist()]
            # several assemblies without a parent: a parent may be missing
            is_doubtful = not hierarchy.tops_are_parts and len(names) > 1
            severity = Severity.WARNING if is_doubtful else None
            rows = "the row" if len(names) == 1 else f"the {len(names):,} rows"
            message = f"root {made} was created above {rows} without a parent: {name_list(names)}"
            findings.report("MP317", message, item=made, severity=severity)
    tree = Tree.from_parents(placed)
    if (depth := len(tree.levels) - 2) > options.caps.depth:
        message = f"tree exceeds the maximum depth: {depth:,} levels (at most {options.caps.depth:,})"
        findings.report("MP114", message, remedy=cap_remedy("depth", depth))
    return ItemTree(items, kept, tree, is_leaf, made)


def _options_with_sheet_root(options: TableOptions, hierarchy: Hierarchy, table: Table) -> TableOptions:
    """Create a root named after the sheet or the file for a list, unless the user names one."""
    # Several top rows of a numbered or indented list are also parts of one product, and so are several assemblies with
    # a column of parents; a part without a parent among these, or a second row of level 0, may be a slip.
    if options.root or options.make_root:
        return options
    parents = np.asarray(hierarchy.parents)
    tops = np.flatnonzero(parents == NO_PARENT)
    may_add_root = hierarchy.layout == "parent" and not options.is_strict
    are_assemblies = may_add_root and bool(np.isin(tops, parents).all())
    several = len(tops) > 1 and (hierarchy.tops_are_parts or are_assemblies)
    if hierarchy.layout != "flat" and not several:
        return options
    return replace(options, make_root=options.root_name(table.source))


def _items_under_root(hierarchy: Hierarchy, root: str, findings: Findings) -> NDArray[np.intp] | None:
    """Return the items at and below the requested root; None if it is not an id."""
    ids = hierarchy.ids
    if (start := next((i for i, name in enumerate(ids) if name == root), None)) is None:
        findings.report("MP309", f"--root is not the id of any row: {root}", value=root, remedy="name the id of a row")
        return None
    parents = np.array(hierarchy.parents, dtype=np.int32)
    parents[start] = -1
    inside = is_at_or_below(parents, np.arange(len(parents)) == start)
    left_out = len(ids) - int(inside.sum())
    outside = f"1 row outside {root} is excluded" if left_out == 1 else f"{left_out:,} rows outside {root} are excluded"
    if left_out:
        findings.report("MP320", outside, item=root, count=left_out)
    return np.flatnonzero(inside)


def filter_parent_findings(
    findings: Sequence[Finding], hierarchy: Hierarchy, item_tree: ItemTree, table: Table, root: str
) -> list[Finding]:
    """Drop the findings on unknown parents of rows outside ``--root``, and of the root itself."""
    if not root or not any(finding.rule == "MP305" for finding in findings):
        return list(findings)
    rows = np.asarray(hierarchy.rows)
    inside = {table.place(int(rows[i])).row for i in item_tree.items.tolist() if hierarchy.ids[i] != root}

    def concerns(finding: Finding) -> bool:
        places = (finding.place, *finding.related)
        return len(places) < finding.count or any(place.row in inside for place in places)

    return [finding for finding in findings if finding.rule != "MP305" or concerns(finding)]


def _renumber_parents(parents: NDArray[np.int32], items: NDArray[np.intp], *, top: bool) -> NDArray[np.int32]:
    """Renumber the parents of some items by position; with ``top`` a parent outside them is dropped."""
    place = np.full(len(parents) + 1, -1, dtype=np.int32)
    place[items] = np.arange(len(items), dtype=np.int32)
    chosen = parents[items]
    return np.where(chosen >= 0, place[chosen], chosen if not top else -1).astype(np.int32)


def read_blank_counts(
    items: ItemRows, item_tree: ItemTree, options: TableOptions, findings: Findings
) -> tuple[NDArray[np.float64], str]:
    """Decide the count (n,) of blank cells in a variant's column, 0, 1 or NaN if ambiguous, and why in words."""
    column, tree = items.columns.by_quantity.get("qty"), item_tree.tree
    counts = np.ones(len(items.rows))
    if column is None or tree is None:
        return counts, ""
    cells = _VariantCells(items, item_tree, tree, column)
    undefined = cells.undefined()
    if options.blank_qty:
        counts[undefined] = float(options.blank_qty)
        return counts, " (--config blank-qty=…)"
    if not undefined.any():
        return counts, ""
    # a column with 1 and no 0 leaves 0 blank, one with 0 and no 1 leaves 1 blank; otherwise a blank is ambiguous
    zero, one = cells.writes(0), cells.writes(1)
    if zero == one:
        which = "both 0 and 1" if zero else "neither 0 nor 1"
        message = f"blank {column.header} may mean 0 or 1, because the column contains {which}"
        cells.report_unclear(undefined, message, findings)
        return np.where(undefined, np.nan, counts), ""
    counts[undefined] = 0.0 if one else 1.0
    why = f", because {column.header} contains {'1 and no 0' if one else '0 and no 1'}"
    conflicting = undefined & cells.assemblies_of_counted()
    if one and conflicting.any():
        message = f"{column.header} of an assembly is blank and items below it have a quantity"
        cells.report_unclear(conflicting, message, findings)
        return np.where(conflicting, np.nan, counts), why
    return counts, why


class _VariantCells:
    """The cells of a column of quantities, for the items of a tree."""

    def __init__(self, items: ItemRows, item_tree: ItemTree, tree: Tree, column: QuantityColumn) -> None:
        self.items, self.tree, self.column, self.kept = items, tree, column, item_tree.kept
        parsed = items.parsed(column)
        n, root = len(tree), int(tree.order[0])
        self.has_cell = np.zeros(n, bool)
        self.has_cell[: len(self.kept)] = items.rows[self.kept] >= 0
        self.has_cell[root] = False  # one piece: it has no parent
        self.written, self.count = np.zeros(n, bool), np.zeros(n)
        self.written[: len(self.kept)] = ~items.gather(parsed.blank, True)[self.kept]
        self.written &= self.has_cell
        self.count[: len(self.kept)] = np.nan_to_num(items.gather(parsed.values, 0.0)[self.kept])
        self.counted = self.written & (self.count != 0)
        self.is_leaf = tree.is_leaf()

    def of_items(self, mask: Mask) -> Mask:
        """Return a mask of the tree's items (k,) in the order of the table (n,)."""
        result = np.zeros(len(self.items.rows), bool)
        result[self.kept] = mask[: len(self.kept)]
        return result

    def undefined(self) -> Mask:
        """Return the blank cells ``(n,)`` whose count does not follow from the assemblies above."""
        carried = self.tree.is_below(self.counted & ~self.is_leaf & ~_has_marked_below(self.tree, self.written))
        blank = self.has_cell & ~self.written & ~carried
        if not (self.written & ~self.is_leaf).any():  # every assembly counts once
            blank &= self.is_leaf
        return self.of_items(blank)

    def assemblies_of_counted(self) -> Mask:
        """Find the assemblies with a counted item below them ``(n,)``."""
        return self.of_items(_has_marked_below(self.tree, self.counted) & ~self.is_leaf)

    def writes(self, number: float) -> bool:
        """Return whether a cell contains this number."""
        return bool((self.written & (self.count == number)).any())

    def report_unclear(self, where: Mask, message: str, findings: Findings) -> None:
        """Report blank cells (n,) with two possible meanings."""
        report_column_once(self.items, ItemFault("MP331", self.column), where, message, findings)


def _has_marked_below(tree: Tree, marked: Mask) -> Mask:
    """Find the items ``(n,)`` with a marked one below them, at any depth."""
    result = np.zeros(len(tree), bool)
    for d in range(len(tree.levels) - 2, 0, -1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        result[tree.parent[items[marked[items] | result[items]]]] = True
    return result


_VARIANT_HEADER = re.compile(
    r"\b(variant|version|konfiguration|configuration|config|cfg|option|model|mod[eè]le|qty|quantity|menge|anzahl)"
    r"(?:e|en|n|s|l)?\b",
    re.IGNORECASE,
)
"""Words in the header of a column with the quantities of a variant."""

_DASH_NUMBER = re.compile(r"-\d{1,3}")
"""The header of quantities in one configuration of a drawing, ``-1`` or ``-501`` (ASME Y14.34, parts lists)."""

_COUNT_WORD = "count"
_COUNTING_WORDS = frozenset({"qty", "quantity", "menge", "anzahl", _COUNT_WORD})  # of pieces, in any heading


def variant_columns(table: Table, columns: TableColumns) -> list[int]:
    """Find the columns with quantities of variants: so named, not read as another quantity, of integers."""
    read = {column.index for name, column in columns.by_quantity.items() if name != "qty"}
    named = [j for j, text in enumerate(columns.header) if j not in read and _variant_word(text)]
    return [j for j in named if _has_counts_only(table, j, columns.first_row)]


def _variant_word(header: str) -> str:
    """Find the word that identifies a header of a variant, or return an empty text."""
    if _DASH_NUMBER.fullmatch(header.strip()):
        return "dash number"
    if (match := _VARIANT_HEADER.search(header.replace("_", " "))) is not None:
        return match[1].casefold()
    return _COUNT_WORD if may_count_in_heading(header) else ""


def _has_counts_only(table: Table, column: int, first: int) -> bool:
    """Return whether the cells of a column are integers of 0 or more, or blank."""
    (numbers,) = table.numbers([column], first)
    parsed = parse_column(table, column, numbers, first)
    values = parsed.values[~np.isnan(parsed.values)]
    return not len(parsed.bad) and bool(len(values)) and bool(((values >= 0) & (values == np.floor(values))).all())


def report_ambiguous_variants(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> None:
    """Report columns with the quantities of variants, if none of them is known as the quantity."""
    if "qty" in columns.by_quantity or options.frozen:
        return
    left = {j for j, text in enumerate(columns.header) if text.strip() in options.ignore_columns} | columns.explained
    found = [j for j in variant_columns(table, columns) if j not in left and not is_required_margin(columns.header[j])]
    named = [_variant_word(columns.header[j]) for j in found]
    # ``Variant A`` and ``Variant B``, but not ``Model`` and ``Version``
    alike = [j for j, word in zip(found, named, strict=True) if word in _COUNTING_WORDS or named.count(word) > 1]
    if len(alike) < 2:
        return
    headers = [columns.header[j].strip() for j in alike]
    names = (shlex.quote(column_command_name(table, columns.header_row, j)) for j in alike[:4])
    place = table.place(columns.header_row, alike[0], columns.header[alike[0]])
    message = f"{len(headers)} columns may be the quantity, such as those of variants: {', '.join(headers)}"
    added = combinations_of_counts(table, columns.header_row, alike, otherwise="")
    remedy = table.source.run_remedy(*(f"--qty-column {name}" for name in names), *added, "--all-variants")
    findings.report("MP253", message, place, count=len(alike), remedy=remedy)
