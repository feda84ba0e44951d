"""What keeps the rows from being one tree, as findings: cycles, several roots, no root, orphans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from massprops_cli.files import Table
from massprops_cli.findings import Finding, Place, name_list, rule_finding
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows import UNKNOWN_PARENT, Hierarchy, cell_place

_MAX_SHOWN = 12
"""A longer cycle is printed with its middle left out; its rows are among the related places."""

_MAX_RELATED = 1_000


def tree_findings(
    hierarchy: Hierarchy,
    table: Table,
    self_parents: Sequence[int],
    cycles: Sequence[Sequence[int]],
    roots: Sequence[int],
    orphans: Sequence[int],
    options: TableOptions,
) -> list[Finding]:
    """Report why a hierarchy is not one tree.

    Items by number: ``self_parents`` are their own parent; ``cycles`` are the longer cycles, each item
    followed by its parent; ``roots`` have no parent; ``orphans`` are at any distance below an unknown parent, a
    self-parent or a cycle.
    """
    findings = [
        rule_finding(
            "MP306",
            f"{hierarchy.ids[i]} is its own parent",
            _item_place(hierarchy, table, i),
            value=hierarchy.ids[i],
            item=hierarchy.ids[i],
        )
        for i in self_parents
    ]
    findings += [_cycle_finding(hierarchy, table, cycle) for cycle in cycles]
    if len(roots) > 1 and not options.make_root:
        findings.append(_several_roots_finding(hierarchy, table, roots))
    if not len(roots) and len(hierarchy):
        message = f"all {len(hierarchy):,} rows have a parent"
        findings.append(rule_finding("MP309", message, _item_place(hierarchy, table, 0)))
    return findings + _orphan_findings(hierarchy, table, orphans)


def _item_place(hierarchy: Hierarchy, table: Table, item: int) -> Place:
    return cell_place(table, int(hierarchy.rows[item]), hierarchy.parent_column)


def _item_places(hierarchy: Hierarchy, table: Table, items: Sequence[int]) -> tuple[Place, ...]:
    return tuple(_item_place(hierarchy, table, i) for i in items[:_MAX_RELATED])


def _cycle_finding(hierarchy: Hierarchy, table: Table, cycle: Sequence[int]) -> Finding:
    names = [hierarchy.ids[i] for i in cycle]
    if len(names) > _MAX_SHOWN:
        left = len(names) - _MAX_SHOWN
        names = [*names[: _MAX_SHOWN - 2], f"({left:,} more)", *names[-2:]]
    printed = " → ".join([*names, names[0]])
    return rule_finding(
        "MP307",
        f"{names[0]}: parents form a cycle of {len(cycle):,} items: {printed}",
        _item_place(hierarchy, table, cycle[0]),
        value=hierarchy.ids[int(hierarchy.parents[cycle[0]])],
        item=names[0],
        count=len(cycle),
        related=_item_places(hierarchy, table, cycle[1:]),
    )


def _several_roots_finding(hierarchy: Hierarchy, table: Table, roots: Sequence[int]) -> Finding:
    names = [hierarchy.ids[i] for i in roots]
    return rule_finding(
        "MP308",
        f"{len(names):,} rows have no parent: {name_list(names, 20)} (one root was expected)",
        _item_place(hierarchy, table, roots[0]),
        item=names[0],
        remedy=(
            f"name the root with --root {_quoted_name(names[0])}, create one above them with --make-root NAME, "
            "or give all but one a parent"
        ),
        count=len(names),
        related=_item_places(hierarchy, table, roots[1:]),
    )


def _quoted_name(name: str) -> str:
    plain = name.isascii() and name.replace(".", "").replace("-", "").replace("_", "").isalnum()
    return name if plain else '"' + name.replace('"', '\\"') + '"'


def _orphan_findings(hierarchy: Hierarchy, table: Table, orphans: Sequence[int]) -> list[Finding]:
    """Group the orphans under the row above them, found by pointer doubling."""
    if not len(orphans):
        return []
    parents = np.asarray(hierarchy.parents)
    lost = np.asarray(orphans, np.intp)
    up = np.arange(len(parents), dtype=np.intp)
    # only an orphan has a step up; all others stay, so every orphan ends at the row above it
    up[lost] = np.where(parents[lost] >= 0, parents[lost], lost)
    while True:
        higher = up[up]
        if np.array_equal(higher, up):
            break
        up = higher
    order = np.argsort(up[lost], kind="stable")
    tops, starts = np.unique(up[lost][order], return_index=True)
    groups = np.split(lost[order], starts[1:])
    return [
        _orphan_group_finding(hierarchy, table, int(top), group.tolist())
        for top, group in zip(tops, groups, strict=True)
    ]


def _orphan_group_finding(hierarchy: Hierarchy, table: Table, top: int, items: list[int]) -> Finding:
    name = hierarchy.ids[top]
    unknown = int(hierarchy.parents[top]) == UNKNOWN_PARENT
    why = "whose parent is unknown" if unknown else "which is in a cycle"
    rows = "row is" if len(items) == 1 else "rows are"
    return rule_finding(
        "MP310",
        f"{name_list([hierarchy.ids[i] for i in items])}: {len(items):,} {rows} below {name}, {why}",
        _item_place(hierarchy, table, items[0]),
        item=hierarchy.ids[items[0]],
        remedy=f"correct the parent of {name}",
        count=len(items),
        related=_item_places(hierarchy, table, [top, *items[1:]]),
    )
