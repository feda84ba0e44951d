"""Partition of a tree as tables; a branch that is cut off is a leaf above, its covariance in a file of branches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from heapq import merge
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import at_items
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import roll_up_branches
from massprops_cli.findings.finding import Findings, FindingsError, UsageError, name_list
from massprops_cli.options import CorrelationScope, check_own_keywords, check_types, show_keywords
from massprops_cli.partitions.branch_file import FOREST_PREFIX, BranchFile, PartRows, branch_records, write_branch_file
from massprops_cli.partitions.part_table import PART_FORMATS, PartTables, check_free_names, write_part_table
from massprops_cli.trees.tree import Tree, is_at_or_below, items_between

if TYPE_CHECKING:
    import pyarrow as pa

_Index = NDArray[np.intp]
_Mask = NDArray[np.bool_]
_ROUNDING = 1e-13  # share of the mass of a part below which its own mass is rounding
_NAMES = ("P", "S", "C")
# balanced division: S. Kundu, J. Misra, SIAM J. Comput. 6, 1977
_MOST_HEAVY = 50_000  # beyond this number of items that are larger than a part, branches are cut off one by one


@dataclass(frozen=True)
class PartSummary:
    """One part.

    Attributes
    ----------
    name : str
        ``P``, ``S``, ``C``, or a number.
    tops : tuple of str
        Ids of its highest items.
    items : int
        Number of its own items.
    branches : tuple of str
        Ids of the branches that were cut off below it, each a leaf of its table.
    mass : float
        Computed mass of its own items, in the unit of the table; without the branches.
    """

    name: str
    tops: tuple[str, ...]
    items: int
    branches: tuple[str, ...]
    mass: float


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """A tree in parts.

    Attributes
    ----------
    result : Result
        Roll-up of the whole.
    labels : array of int, shape (n,)
        Part of each item, an index in ``parts``.
    parts : tuple of PartSummary
        The parts.
    correlate : str
        Whose uncertainties are shared.
    correlate_centers : bool
        Whether those of centres are shared too.

    Examples
    --------
    >>> from massprops_cli import Bom, partition
    >>> rows = [{"id": "TOP"}, {"id": "A", "parent": "TOP"}, {"id": "A.1", "parent": "A", "mass": 2.0}]
    >>> parts = partition(Bom.from_records([*rows, {"id": "B", "parent": "TOP", "mass": 1.0}]), ["A"])
    >>> [(part.name, part.tops, part.branches) for part in parts.parts]
    [('P', ('TOP',), ('A',)), ('S', ('A',), ('A.1',)), ('C', ('A.1',), ())]
    """

    result: Result
    labels: _Index
    parts: tuple[PartSummary, ...]
    correlate: str = "none"
    correlate_centers: bool = False

    @property
    def findings(self) -> Findings:
        """The findings of the table and of the cuts."""
        return Findings(self.result.findings)

    @cached_property
    def _tables(self) -> PartTables:
        """The maker of tables."""
        return PartTables(self.result.bom, self.result.rollup)

    def table(self, name: str) -> pa.Table:
        """Return the table of a part.

        Parameters
        ----------
        name : str
            Name of the part.

        Returns
        -------
        pyarrow.Table
            Its items with a leaf for each branch below, coherent units in the names of the columns, products as
            tensor entries.

        Raises
        ------
        UsageError
            No part has the name.
        """
        names = [part.name for part in self.parts]
        if name not in names:
            raise UsageError(f"part is not in the partition: {name} (expected one of {', '.join(names)})")
        return self._tables.table(_part_rows(self.result.bom, self.labels, names.index(name), name))

    @cached_property
    def branch_items(self) -> _Index:
        """Numbers of the items whose branches are cut off ``(k,)``."""
        return _cut_items(self.result.bom, self.labels)

    def branches(self) -> BranchFile:
        """Return the branches with their covariances.

        Returns
        -------
        BranchFile
            The assemblies that are cut off; none without sigmas.
        """
        cut = self.branch_items
        bom, known = self.result.bom, self.result.rollup.covariances
        head = (bom.units_of_body(), self.correlate, self.correlate_centers, bom.table.source.name)
        if known is None or known.branches is None or bom.bodies.center is None or not len(cut):
            return BranchFile((), *head)
        number = np.full(len(bom), -1)
        number[cut] = np.arange(len(cut))
        local = known.branches.renumbered(number)
        leaves = [reference_leaf(bom, bom.tree.leaves(i)) for i in cut.tolist()]
        bodies = at_items(self.result.rollup.bodies, cut)
        return BranchFile(
            branch_records([bom.ids[i] for i in cut.tolist()], bodies, leaves, local, self.result.correlation), *head
        )

    def save(self, folder: str | PathLike[str], format: str = "csv", *, no_clobber: bool = False) -> list[str]:
        """Write every part to a file ``STEM.NAME.csv`` of a folder, and the branches to ``STEM.branches.json``.

        Parameters
        ----------
        folder : str or path
            The folder; it is created if it does not exist.
        format : str, optional
            ``csv`` or ``parquet``.
        no_clobber : bool, optional
            Reject files that exist, instead of replacing them.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        UsageError
            The format is unknown, or a file exists with ``no_clobber``.
        OutputError
            A file cannot be written.
        """
        if format not in PART_FORMATS:
            raise UsageError(f"unknown format of parts: {format} (expected one of {', '.join(PART_FORMATS)})")
        # name of a table's file without folder and suffix; ``table`` for standard input
        name = Path(self.result.bom.table.source.name).name.removesuffix(".gz")
        base, stem = Path(folder), (Path(name).stem.strip("-") or "table")
        base.mkdir(parents=True, exist_ok=True)
        paths = [base / f"{stem}.{part.name}.{format}" for part in self.parts]
        if (content := self.branches()).branches:
            paths.append(base / f"{stem}.branches.json")
        check_free_names(paths, no_clobber=no_clobber)
        for part, path in zip(self.parts, paths, strict=False):
            source = self.result.bom.table.source
            write_part_table(self.table(part.name), path, source, replaces=not no_clobber)
        if content.branches:
            write_branch_file(content, paths[-1], replaces=not no_clobber)
        return [str(path) for path in paths]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as plain values.

        Returns
        -------
        dict
            As ``massprops parts partition --format json`` prints it.
        """
        return {
            "source": self.result.bom.table.source.name,
            "items": len(self.result.bom),
            "unit": self.result.bom.units.mass,
            "parts": [
                {**asdict(part), "tops": list(part.tops), "branches": list(part.branches)} for part in self.parts
            ],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def partition(
    bom: BomSource,
    at: str | Iterable[str] = (),
    into: int = 0,
    *,
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    **unknown: Never,
) -> Partition:
    """Divide a tree into parts, each a bill of materials of its own.

    Parameters
    ----------
    bom : BomSource
        n items with their tree, or a table (path, open file or DataFrame), read with the defaults of ``read_bom``.
    at : str or iterable of str, optional
        Ids of a path-induced region S: C is everything below it, P all the rest.
    into : int, optional
        Number of parts, each of which begins with an assembly, the largest as small as possible; with ``at``, the
        largest of P, S and C are divided further.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``.
    correlate_centers : bool, optional
        Also share uncertainties of centres.

    Returns
    -------
    Partition
        The parts; the mass properties of the branches between them come from the roll-up of the whole.

    Raises
    ------
    FindingsError
        The region is not path-induced, or a branch has no centre of mass, or the table has errors.
    UsageError
        An id is not in the table, or neither ``at`` nor ``into`` is given.

    Notes
    -----
    The terms are those of docs/trees.md; covariances: docs/formulas.md, sections 5 and 6.

    Examples
    --------
    >>> from massprops_cli import Bom
    >>> rows = [{"id": "TOP"}, {"id": "a", "parent": "TOP"}, {"id": "b", "parent": "TOP"}]
    >>> rows += [{"id": f"{p}{k}", "parent": p, "mass": 1.0} for p in "ab" for k in (1, 2)]
    >>> [(part.name, part.items) for part in partition(Bom.from_records(rows), into=3).parts]
    [('1', 1), ('2', 3), ('3', 3)]
    """
    check_own_keywords(unknown, partition)
    check_types({"at": at, "into": into}, partition.__annotations__)
    read = bom_from(bom, "bom")
    if any(finding.is_stopping for finding in read.findings):
        raise FindingsError(read.findings)
    names = [at] if isinstance(at, str) else list(at)
    if not names and into < 1:
        raise UsageError("partition needs the ids of a region (at), or a number of parts (into)")
    if into > len(read):
        raise UsageError(f"number of parts is above the number of items: {into} (the table has {len(read):,})")
    labels = np.zeros(len(read), np.intp)
    if names:
        members = np.zeros(len(read), bool)
        members[[read.item(name) for name in names]] = True
        _check_region(read, members)
        labels[is_at_or_below(read.tree.parent, members)] = 2
        labels[members] = 1
    titles = [_NAMES[k] for k in range(3) if bool((labels == k).any())] if names else []
    labels = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    if into > len(titles):
        labels = _divided_labels(read.tree, labels, into)
        titles = [str(k + 1) for k in range(int(labels.max()) + 1)]
    cut = _cut_items(read, labels)
    result = roll_up_branches(read, cut, correlate, correlate_centers=correlate_centers)
    _check_branches(result, cut)
    return Partition(result, labels, _part_summaries(result, labels, titles), correlate, correlate_centers)


show_keywords(partition)


def _check_region(bom: Bom, members: _Mask) -> None:
    """Reject a region that is not path-induced; raises FindingsError."""
    between = items_between(bom.tree, members)
    if not between.any():
        return
    missing = [bom.ids[i] for i in np.flatnonzero(between).tolist()]
    everything = [bom.ids[i] for i in np.flatnonzero(between | members).tolist()]
    findings = Findings(bom.findings)
    findings.report(
        "MP840",
        f"region is not path-induced: {name_list(missing)} on paths between its items",
        item_cell_place(bom.table, int(bom.rows[int(np.flatnonzero(between)[0])]), None),
        item=missing[0],
        count=len(missing),
        remedy=f"add {name_list(missing)}" if len(everything) > 7 else f"pass --at {','.join(everything)}",
    )
    raise FindingsError(findings)


def _check_branches(result: Result, cut: _Index) -> None:
    """Reject branches that no leaf can represent, because their masses cancel; raises FindingsError."""
    if not len(bad := cut[result.rollup.cancelled[cut]]):
        return
    bom, findings = result.bom, Findings(result.findings)
    for i in bad.tolist():
        message = f"branch cannot be cut off, because its masses cancel: {bom.ids[i]}"
        findings.report("MP842", message, item_cell_place(bom.table, int(bom.rows[i]), None), item=bom.ids[i])
    raise FindingsError(findings)


def _cut_items(bom: Bom, labels: _Index) -> _Index:
    """Return the assemblies in another part than their parent ``(k,)``; a leaf needs no covariance."""
    parent = bom.tree.parent
    return np.flatnonzero((parent >= 0) & (labels != labels[parent]) & ~bom.tree.is_leaf())


def _part_summaries(result: Result, labels: _Index, titles: list[str]) -> tuple[PartSummary, ...]:
    """Return the parts with their tops, branches and masses."""
    bom = result.bom
    parent = bom.tree.parent
    is_top = (parent < 0) | (labels != labels[parent])
    found = []
    mass = np.where(is_top, result.rollup.bodies.mass, 0.0)
    for k, name in enumerate(titles):
        tops = np.flatnonzero(is_top & (labels == k))
        below = np.flatnonzero(is_top & (parent >= 0) & (labels[parent] == k))
        whole = float(mass[tops].sum())
        # how often each item is in the top of a part that it is directly or indirectly below ``(n,)``
        times = np.ones(len(bom))
        for items, above in bom.tree.levels_below_root():
            times[items] = np.where(labels[above] == k, times[above] * bom.quantity.count[items], 1.0)
        own = whole - float((times * mass)[below].sum())
        found.append(
            PartSummary(
                name,
                tuple(bom.ids[i] for i in tops.tolist()),
                int((labels == k).sum()),
                tuple(bom.ids[i] for i in below.tolist()),
                own if abs(own) > _ROUNDING * abs(whole) else 0.0,
            )
        )
    return tuple(found)


def _part_rows(bom: Bom, labels: _Index, part: int, name: str) -> PartRows:
    """Return the rows of a part: a made root over several tops, its items, and a leaf for each branch below."""
    parent = bom.tree.parent
    inside = labels == part
    is_leaf = (parent >= 0) & ~inside & inside[parent]
    items = np.flatnonzero(inside | is_leaf)
    made = int(np.count_nonzero(inside & ((parent < 0) | ~inside[parent])) > 1)
    row = np.full(len(bom) + 1, -1)
    row[items] = np.arange(len(items)) + made
    parents = np.where(inside[parent[items]] & (parent[items] >= 0), row[parent[items]], made - 1)
    if not made:
        return PartRows(items, parents, is_leaf[items] & ~bom.tree.is_leaf()[items])
    return PartRows(
        np.concatenate([[-1], items]),
        np.concatenate([[-1], parents]),
        np.concatenate([[False], is_leaf[items] & ~bom.tree.is_leaf()[items]]),
        ids={0: FOREST_PREFIX + name},
    )


def reference_leaf(bom: Bom, leaves: NDArray[np.integer]) -> tuple[str, NDArray[np.float64]]:
    """Return the first of leaves (k,) with mass and centre, else the first; and its centre (3,), 0 if unknown."""
    assert bom.bodies.center is not None
    has = bom.bodies.mass[leaves] != 0
    for mask in (bom.bodies.has_mass, bom.bodies.has_center):
        has = has if mask is None else has & mask[leaves]
    leaf = int(leaves[int(has.argmax())])
    return bom.ids[leaf], np.nan_to_num(bom.bodies.center[leaf])


def _divided_labels(tree: Tree, labels: _Index, number: int) -> _Index:
    """Return regions (n,) divided into ``number`` by cuts above assemblies; fewer if need be."""
    if number > 1 and not labels.any():
        return _cut_further(tree, _evenly_cut(tree, number), number)
    return _cut_further(tree, labels, number)


def _evenly_cut(tree: Tree, number: int) -> _Index:
    """Cut off assemblies, fewer than ``number``, so that the largest region is smallest."""
    size = tree.subtree_sums(np.ones(len(tree))).astype(np.intp)
    least = -(-len(tree) // number)
    if int((size > least).sum()) > _MOST_HEAVY:
        return np.zeros(len(tree), np.intp)
    heavy = _HeavyItems(tree, size, least)
    low, high = least, len(tree)
    while low < high:
        middle = (low + high) // 2
        if heavy.cuts(middle, number) is None:
            low = middle + 1
        else:
            high = middle
    # region of each item: 0 at the root, k below the k-th branch that is cut off
    cuts = sorted(heavy.cuts(low, number) or ())
    label = np.zeros(len(tree), np.intp)
    label[cuts] = np.arange(1, len(cuts) + 1)
    begins = (label > 0) | (tree.parent < 0)
    head = np.where(begins, np.arange(len(tree)), tree.parent).astype(np.intp)
    while not bool(begins[head].all()):
        head = head[head]
    return np.asarray(label[head])


class _HeavyItems:
    """Items whose branches exceed the size of a part, leaves first; smaller branches are never cut inside."""

    def __init__(self, tree: Tree, size: _Index, least: int) -> None:
        """Sort the branches of each item by size."""
        order = tree.order[::-1]
        self.items = order[size[order] > least].tolist()
        self.parent = {item: int(tree.parent[item]) for item in self.items}
        light = np.flatnonzero((size <= least) & (size > 1) & (tree.parent >= 0))
        light = light[size[np.maximum(tree.parent[light], 0)] > least]
        light = light[np.lexsort((-light, -size[light], tree.parent[light]))]
        above = tree.parent[light]
        edges = [0, *(np.flatnonzero(np.diff(above)) + 1).tolist(), len(light)]
        branches = list(zip(size[light].tolist(), light.tolist(), strict=True))
        self.light = {int(above[a]): branches[a:b] for a, b in pairwise(edges) if b > a}
        inner = np.isin(np.arange(len(tree)), self.items)
        heavy_sum = np.bincount(tree.parent[inner & (tree.parent >= 0)], size[inner & (tree.parent >= 0)], len(tree))
        self.own = {item: int(size[item] - heavy_sum[item]) for item in self.items}

    def cuts(self, bound: int, number: int) -> list[int] | None:
        """Return the fewest branches to cut off so that no region exceeds a bound; None if too many or impossible."""
        rest, found = dict(self.own), list[int]()
        heavy: dict[int, list[tuple[int, int]]] = {}
        for item in self.items:
            branches = merge(sorted(heavy.get(item, ()), reverse=True), self.light.get(item, ()), reverse=True)
            while rest[item] > bound and (branch := next(branches, None)):
                rest[item] -= branch[0]
                found.append(branch[1])
            if len(found) >= number or rest[item] > bound:  # only leaves are left
                return None
            if (parent := self.parent[item]) >= 0:
                rest[parent] += rest[item]
            heavy.setdefault(parent, []).append((rest[item], item))
        return found


def _cut_further(tree: Tree, labels: _Index, number: int) -> _Index:
    """Cut off branches of the largest region, one by one, until there are as many as requested."""
    result = labels.astype(np.intp).copy()
    target = len(tree) / number
    parent = np.where(tree.parent < 0, 0, tree.parent)
    count, leaf = int(result.max()) + 1, tree.is_leaf()
    closed: set[int] = set()
    while len(closed) < count < number:
        sizes = np.bincount(result, minlength=count).astype(float)
        sizes[sorted(closed)] = 0
        largest = int(sizes.argmax())
        inside = result == largest
        branch = tree.subtree_sums(inside.astype(float), np.asarray(result == result[parent], float))
        if not len(candidates := np.flatnonzero(inside & inside[parent] & (tree.parent >= 0) & ~leaf)):
            closed.add(largest)
            continue
        # the branch of the largest region whose size is nearest to n / number
        cut = int(candidates[np.abs(branch[candidates] - min(target, sizes[largest] / 2)).argmin()])
        start = np.zeros(len(tree), bool)
        start[cut] = True
        result[inside & is_at_or_below(tree.parent, start)] = count
        count += 1
    return result
