"""Reassembly: tables of parts become one tree; a part not given is its leaf, with its covariance in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.rollup import roll_up_branches
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings, FindingsError, Place, UsageError, name_list
from massprops_cli.options import CorrelationScope, check_own_keywords, check_types, show_keywords
from massprops_cli.partitions.part_table import BRANCH_COLUMN, PartTables
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    import pyarrow as pa

    from massprops_cli.bom.results.result import Result
from massprops_cli.partitions import branch_file

_AGREEMENT = 1e-9
"""Largest difference between a leaf and the file of branches, relative to the largest number of its kind."""
_Occurrence = tuple[int, int]  # a row: the number of the part, and of the item in it


def assemble(
    parts: Iterable[BomSource],
    branches: str | PathLike[str] = "",
    *,
    correlate: CorrelationScope | None = None,
    correlate_centers: bool = False,
    **unknown: Never,
) -> Result:
    """Join tables of parts and roll up the whole.

    Parameters
    ----------
    parts : iterable of BomSource
        Tables that ``partition`` wrote, or that have the same form, in any order.
    branches : str or path, optional
        File of branches: covariances of the leaves that represent parts which are not given.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared; default: as the file of branches states, else ``none``.
    correlate_centers : bool, optional
        Also share uncertainties of centres; that of the file of branches has priority.

    Returns
    -------
    Result
        Roll-up of the whole.

    Raises
    ------
    FindingsError
        The parts do not fit together, the file of branches does not belong to them, or a table has errors.
    TableError
        A file cannot be read.
    UsageError
        ``correlate`` differs from that of the file of branches.

    Notes
    -----
    The terms are those of docs/trees.md; covariances: docs/formulas.md, sections 5 and 6.

    Examples
    --------
    >>> from massprops_cli import Bom
    >>> top = Bom.from_records([{"id": "TOP"}, {"id": "A", "parent": "TOP", "mass": 5.0}])
    >>> below = Bom.from_records([{"id": "A"}, {"id": "A.1", "parent": "A", "mass": 5.5}])
    >>> assemble([top, below])["TOP"].mass
    5.5
    """
    check_own_keywords(unknown, assemble)
    check_types({"parts": parts}, assemble.__annotations__)
    if not (boms := [bom_from(part, "parts") for part in parts]):
        raise UsageError("no parts to assemble")
    findings = Findings([finding for bom in boms for finding in bom.findings])
    if any(bom.has_errors for bom in boms):
        raise FindingsError(findings)
    known = branch_file.read_branch_file(str(branches)) if branches else None
    correlate, centers = _resolve_correlation(known, correlate, correlate_centers=correlate_centers)
    joined, leaves = _joined_table(boms, findings)
    whole = Bom.from_table(joined)
    # findings of the joined table without those that its parts have already
    seen = {(one.rule, one.message) for one in findings}
    further = (one for one in whole.findings if (one.rule, one.message) not in seen)
    whole = replace(whole, findings=tuple(Findings([*findings, *further])))
    records = _branch_records(whole, known, Place(str(branches)), findings)
    lacking = [name for name in leaves if name not in {whole.ids[item] for item, _ in records}]
    if lacking and whole.sigmas is not None:
        message = f"sigmas above {name_list(lacking)} are level by level: covariance of the branch is not given"
        findings.report("MP843", message, Place(boms[0].table.source.name), item=lacking[0], count=len(lacking))
    if findings.has_errors:
        raise FindingsError(findings)
    new = [finding for finding in findings if finding.rule == "MP843"]
    whole = replace(whole.with_findings(new), branches=branch_file.branch_leaves(records) if records else None)
    return roll_up_branches(whole, np.zeros(0, np.intp), correlate, correlate_centers=centers)


show_keywords(assemble)


def _resolve_correlation(
    known: branch_file.BranchFile | None, correlate: CorrelationScope | None, *, correlate_centers: bool
) -> tuple[CorrelationScope, bool]:
    """Return whose uncertainties are shared: as stated, and as in the file of branches."""
    if known is None:
        return correlate or "none", correlate_centers
    if correlate is not None and correlate != known.correlate:
        raise UsageError(f"correlate differs from the file of branches: {correlate} (expected {known.correlate})")
    return known.correlate, known.correlate_centers  # type: ignore[return-value] # a word that the file states


def _joined_table(boms: Sequence[Bom], findings: Findings) -> tuple[GridTable, list[str]]:
    """Return the whole as one table, and the ids of leaves that represent branches; raises FindingsError."""
    if len(units := {bom.units_of_body() for bom in boms}) > 1:
        texts = ", ".join(" ".join(filter(None, one)) or "none" for one in sorted(units))
        findings.report("MP844", f"parts have different units: {texts}", Place(boms[0].table.source.name))
    tops = []  # the highest items of each part, without a root that the partition made
    for bom in boms:
        root = int(bom.tree.order[0])
        is_made = bom.ids[root].startswith(branch_file.FOREST_PREFIX)
        tops.append(bom.tree.children(root).tolist() if is_made else [root])
    owner = _owners(boms, tops, findings)
    # return, for tops of parts, the leaf that represents them in another part
    names = {boms[k].ids[item] for k, items in enumerate(tops) for item in items}
    held = {}
    for k, each in enumerate(boms):
        for item, name in enumerate(each.ids):
            if name in names and owner[name] != (k, item) and item not in tops[k]:
                held[name] = k, item
    roots = [name for name, one in owner.items() if one[1] in tops[one[0]] and name not in held]
    if len(roots) != 1:
        words = f"no part contains {name_list(roots)} below another item" if roots else "no part has the root"
        findings.report("MP844", f"parts do not form one tree: {words}", Place(boms[0].table.source.name))
    if findings.has_errors:
        raise FindingsError(findings)
    tables, leaves = [], []
    for part, bom in enumerate(boms):
        table, marked = _own_rows(bom, part, owner, {name: (boms[of], item) for name, (of, item) in held.items()})
        tables.append(table)
        leaves += marked
    import pyarrow as pa

    whole = pa.concat_tables(tables, promote_options="permissive") if len(tables) > 1 else tables[0]
    columns = [column.to_pylist() for column in whole.columns]
    rows = [list(whole.column_names), *map(list, zip(*columns, strict=True))]
    return GridTable(TableSource(boms[0].table.source.name, "csv"), rows), leaves


def _owners(boms: Sequence[Bom], tops: list[list[int]], findings: Findings) -> dict[str, _Occurrence]:
    """Return where each item is: as the top of a part, or else in the only part that has it."""
    owner: dict[str, _Occurrence] = {}
    is_top: set[str] = set()
    for part, bom in enumerate(boms):
        for item in tops[part]:
            name = bom.ids[item]
            if name in is_top:
                _report_duplicate(bom, item, boms[owner[name][0]], findings)
            is_top.add(name)
            owner[name] = part, item
    leaf_of = [bom.tree.is_leaf() for bom in boms]
    for part, bom in enumerate(boms):
        own_tops = set(tops[part])
        for item, name in enumerate(bom.ids):
            if item in own_tops or name.startswith(branch_file.FOREST_PREFIX):
                continue
            other = owner.setdefault(name, (part, item))
            if other != (part, item) and not (name in is_top and other[0] != part and leaf_of[part][item]):
                _report_duplicate(bom, item, boms[other[0]], findings)
    return owner


def _report_duplicate(bom: Bom, item: int, other: Bom, findings: Findings) -> None:
    """Report an item that is in two parts."""
    message = f"item is in two parts: {bom.ids[item]}, also in {other.table.source.name}"
    findings.report("MP844", message, item_cell_place(bom.table, int(bom.rows[item]), None), item=bom.ids[item])


def _own_rows(
    bom: Bom, part: int, owner: dict[str, _Occurrence], held: dict[str, tuple[Bom, int]]
) -> tuple[pa.Table, list[str]]:
    """Return the rows of a part that belong to it, with parents in other parts, and its leaves for branches."""
    items = np.array([i for i, name in enumerate(bom.ids) if owner.get(name) == (part, i)], np.intp)
    row = np.full(len(bom) + 1, -1)
    row[items] = np.arange(len(items))
    parents = row[bom.tree.parent[items]]
    count, measured = bom.quantity.count[items].copy(), bom.quantity.measured[items].copy()
    above: dict[int, str] = {}
    frames: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for k, item in enumerate(items.tolist()):
        if bom.ids[item] in held:
            other, leaf = held[bom.ids[item]]
            parent = int(other.tree.parent[leaf])
            above[k] = other.ids[parent]
            if other.poses is not None:
                frames[k] = other.poses.in_root.translation[parent], other.poses.in_root.rotation[parent]
            count[k], measured[k] = other.quantity.count[leaf], other.quantity.measured[leaf]
            parents[k] = -1
    quantity, none = ItemQuantity(count, measured), np.zeros(len(items), bool)
    rows = branch_file.PartRows(items, parents, none, parent_ids=above, quantity=quantity, parent_frames=frames)
    table = PartTables(bom).table(rows)
    marks = table.column(BRANCH_COLUMN).to_pylist() if BRANCH_COLUMN in table.column_names else []
    return table, [bom.ids[items[k]] for k, mark in enumerate(marks) if mark]


def _branch_records(
    whole: Bom, known: branch_file.BranchFile | None, place: Place, findings: Findings
) -> list[tuple[int, branch_file.BranchRecord]]:
    """Return the branches of the file that leaves of the whole represent; those of other numbers are errors."""
    if known is None:
        return []
    if known.units != whole.units_of_body():
        stated = (" ".join(filter(None, one)) or "none" for one in (known.units, whole.units_of_body()))
        findings.report("MP845", f"units of the file of branches and of the parts differ: {', '.join(stated)}", place)
        return []
    leaf, found = whole.tree.is_leaf(), []
    for one in known.branches:
        if (item := whole.find(one.name)) is None or not leaf[item]:
            continue
        # largest difference between a leaf and a branch, relative to the largest number of its kind
        body = whole.bodies
        pairs = [(body.mass[item : item + 1], np.array([one.mass]))]
        if body.center is not None:
            pairs.append((body.center[item], one.center))
        if body.inertia is not None:
            pairs.append((body.inertia[item], one.inertia))
        sizes = [max(float(np.abs(b).max()), np.finfo(float).tiny) for _, b in pairs]
        difference = max(float(np.abs(a - b).max()) / size for (a, b), size in zip(pairs, sizes, strict=True))
        if difference > _AGREEMENT:
            amount = f"differ by {difference:.2g} of the value"
            message = f"file of branches has other numbers than the leaf {one.name}: {amount}"
            findings.report("MP845", message, place, item=one.name)
        found.append((item, one))
    return found
