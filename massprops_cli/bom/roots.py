"""Which items stand in the tree: the root asked for or made, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.item_rows import listed
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.hierarchy import NO_PARENT
from massprops_cli.tables.layouts.detect import Hierarchy
from massprops_cli.tables.layouts.tree_findings import tree_findings
from massprops_cli.tables.options import TableOptions
from massprops_cli.trees.tree import Tree, faults, hangs_on

MADE_ROOT = "(all)"
"""The id of a made root that was not given a name."""


@dataclass(frozen=True, slots=True)
class Planting:
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


def plant(hierarchy: Hierarchy, table: Table, options: TableOptions) -> tuple[Planting, list[Finding]]:
    """Plant the hierarchy's items: choose or make the root, leave out what is not under it, say what is wrong.

    A table with faults still gets the largest well-formed tree, for ``--keep-going``.
    """
    options = under_sheet(options, hierarchy, table)
    parents = hierarchy.parents
    items = np.arange(len(parents), dtype=np.intp)
    findings: list[Finding] = []
    if options.root:
        chosen, findings = under_root(hierarchy, options.root)
        if chosen is not None:
            items = chosen
            # the root asked for has no parent here, whatever its cell names: rows outside, a loop, nobody
            parents = renumbered(np.asarray(parents), items, top=True)
            parents[next(k for k, i in enumerate(items.tolist()) if hierarchy.ids[i] == options.root)] = -1
    faulty = faults(parents)
    roots = np.asarray(faulty.roots, dtype=np.intp)
    makes_root = bool(options.make_root) or len(roots) > 1
    wanted_roots = roots[:1] if options.make_root else roots
    if items is not None and len(items) == len(hierarchy.parents):
        findings += tree_findings(
            hierarchy, table, faulty.self_parents, faulty.cycles, wanted_roots.tolist(), faulty.orphans, options
        )
    is_leaf = np.ones(len(items), bool)
    is_leaf[parents[parents >= 0]] = False
    kept = np.flatnonzero(hangs_on(parents, parents == -1))
    if not len(items):
        return Planting(items, kept, None, is_leaf, ""), findings
    planted, made = renumbered(np.asarray(parents), kept, top=False), ""
    # where nothing reaches a root, a made root alone is the tree: the cells are checked all the same
    if makes_root or not len(kept):
        made = free_name(options.make_root or MADE_ROOT, hierarchy.ids)
        tops = planted < 0
        planted = np.append(np.where(tops, len(planted), planted), -1).astype(np.int32)
        if options.make_root and len(kept):
            findings.append(made_root(made, [hierarchy.ids[i] for i in items[kept[tops]].tolist()]))
    tree = Tree.from_parents(planted)
    return Planting(items, kept, tree, is_leaf, made), findings + too_deep(tree, options.max_depth)


def under_sheet(options: TableOptions, hierarchy: Hierarchy, table: Table) -> TableOptions:
    """Put a list under a root named after its sheet, or its file, where the user names none.

    The top rows of a numbered or indented list are parts of one product too, if there are several of them.
    """
    if options.root or options.make_root:
        return options
    several = hierarchy.tops_are_parts and np.count_nonzero(np.asarray(hierarchy.parents) == NO_PARENT) > 1
    if hierarchy.layout != "flat" and not several:
        return options
    name = table.source.sheet or PurePath(table.source.name).name.partition(".")[0].strip("-")
    return replace(options, make_root=name or MADE_ROOT)


def made_root(made: str, tops: list[str]) -> Finding:
    """Say which root was made, and what it holds."""
    rows = "the row" if len(tops) == 1 else f"the {len(tops):,} rows"
    return found("MP317", f"{made} was made to hold {rows} without a parent: {listed(tops)}", item=made)


def too_deep(tree: Tree, cap: int) -> list[Finding]:
    """Refuse a tree with more levels below its root than the cap."""
    depth = len(tree.levels) - 2
    if depth <= cap:
        return []
    message = f"the tree is {depth:,} levels deep; the cap is {cap:,}"
    return [found("MP114", message, remedy=f"raise the cap with --max-depth {depth}")]


def under_root(hierarchy: Hierarchy, root: str) -> tuple[NDArray[np.intp] | None, list[Finding]]:
    """Find the items at and under the root asked for, without walking loops for ever."""
    ids = hierarchy.ids
    start = next((i for i, name in enumerate(ids) if name == root), None)
    if start is None:
        message = f"--root names {root}, which is not the id of any row"
        return None, [found("MP309", message, value=root, remedy="name the id of a row")]
    parents = np.array(hierarchy.parents, dtype=np.int32)
    parents[start] = -1
    inside = hangs_on(parents, np.arange(len(parents)) == start)
    left_out = len(ids) - int(inside.sum())
    outside = f"1 row outside {root} is" if left_out == 1 else f"{left_out:,} rows outside {root} are"
    said = [found("MP320", f"{outside} left out", item=root, count=left_out)] if left_out else []
    return np.flatnonzero(inside), said


def concerning(
    findings: Sequence[Finding], hierarchy: Hierarchy, planting: Planting, table: Table, root: str
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


def renumbered(parents: NDArray[np.int32], items: NDArray[np.intp], *, top: bool) -> NDArray[np.int32]:
    """Number the parents of some items by their position among them; ``top`` makes a parent outside them no parent."""
    place = np.full(len(parents) + 1, -1, dtype=np.int32)
    place[items] = np.arange(len(items), dtype=np.int32)
    chosen = parents[items]
    result = np.where(chosen >= 0, place[chosen], chosen if not top else -1)
    return result.astype(np.int32)


def free_name(name: str, ids: Sequence[str]) -> str:
    """Give a name that no item has."""
    taken = set(ids) if name in ids else ()
    result, number = name, 2
    while result in taken:
        result, number = f"{name} {number}", number + 1
    return result
