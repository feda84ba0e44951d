"""Aggregation: some items of a tree become one, to which its children are attached, if the result is a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.rollup import branch_correlation
from massprops_cli.findings.finding import Findings, FindingsError, UsageError, name_list
from massprops_cli.options import CorrelationScope, check_own_keywords, check_types, show_keywords
from massprops_cli.partitions.branch_file import BranchFile, PartRows, branch_records, write_branch_file
from massprops_cli.partitions.part_table import PART_FORMATS, PartTables, check_free_names, write_part_table
from massprops_cli.partitions.tree_partition import reference_leaf
from massprops_cli.rollups.covariance import Covariances
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, Correlation, Placement, RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree, aggregation_closure

if TYPE_CHECKING:
    import pyarrow as pa

_Index = NDArray[np.intp]
_Mask = NDArray[np.bool_]
_OWN = "/own"
_LONGEST_LIST = 4  # ids in the name of the new item; of more, the first and the number of the others


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation:
    """A tree in which some items are one.

    Attributes
    ----------
    bom : Bom
        Table as read.
    members : array of bool, shape (n,)
        The items that are aggregated.
    name : str
        Id of the new item.
    own_name : str
        Id of the leaf with the numbers of the aggregated leaves: ``NAME/own``, or the new item itself; empty if no
        leaf is aggregated.
    children : tuple of str
        Ids of the children of the new item.
    rows : PartRows
        Rows of the new table.
    branches : BranchFile
        Covariance of the leaf; none without sigmas.

    Examples
    --------
    >>> from massprops_cli import Bom, aggregate
    >>> rows = [{"id": "TOP"}, {"id": "A", "parent": "TOP"}, {"id": "A.1", "parent": "A", "mass": 2.0}]
    >>> made = aggregate(Bom.from_records([*rows, {"id": "B", "parent": "TOP", "mass": 1.0}]), ["A", "B"])
    >>> made.name, made.own_name, made.children
    ('A+B', 'A+B/own', ('A.1', 'A+B/own'))
    """

    bom: Bom
    members: _Mask
    name: str
    own_name: str
    children: tuple[str, ...]
    rows: PartRows
    branches: BranchFile

    @property
    def findings(self) -> Findings:
        """The findings of the table."""
        return Findings(self.bom.findings)

    @cached_property
    def table(self) -> pa.Table:
        """The new table, in coherent units, products as tensor entries."""
        return PartTables(self.bom).table(self.rows)

    def save(self, path: str | PathLike[str], *, no_clobber: bool = False) -> list[str]:
        """Write the new table, and the covariance of its leaf to ``STEM.branches.json`` next to it.

        Parameters
        ----------
        path : str or path
            A csv or parquet file.
        no_clobber : bool, optional
            Reject files that exist, instead of replacing them.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        UsageError
            The suffix is unknown, or a file exists with ``no_clobber``.
        OutputError
            A file cannot be written.
        """
        target = Path(path)
        if target.suffix.lstrip(".") not in PART_FORMATS:
            raise UsageError(f"unknown suffix: {target} (expected .csv or .parquet)")
        paths = [target, target.with_suffix(".branches.json")][: 2 if self.branches.branches else 1]
        check_free_names(paths, no_clobber=no_clobber)
        write_part_table(self.table, target, self.bom.table.source, replaces=not no_clobber)
        if self.branches.branches:
            write_branch_file(self.branches, paths[1], replaces=not no_clobber)
        return [str(path) for path in paths]

    def to_dict(self) -> dict[str, Any]:
        """Return the aggregation as plain values.

        Returns
        -------
        dict
            As ``massprops parts aggregate --format json`` prints it.
        """
        return {
            "source": self.bom.table.source.name,
            "name": self.name,
            "own": self.own_name,
            "aggregated": [self.bom.ids[i] for i in np.flatnonzero(self.members).tolist()],
            "children": list(self.children),
            "items": len(self.rows.items),
            "findings": [finding.to_dict() for finding in self.findings],
        }


def aggregate(
    bom: BomSource,
    nodes: str | Iterable[str],
    *,
    closure: bool = False,
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    **unknown: Never,
) -> Aggregation:
    """Replace some items of a tree by one.

    Parameters
    ----------
    bom : BomSource
        n items with their tree, or a table (path, open file or DataFrame), read with the defaults of ``read_bom``.
    nodes : str or iterable of str
        Ids of the items.
    closure : bool, optional
        Use the smallest set with these items that can be aggregated.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``.
    correlate_centers : bool, optional
        Also share uncertainties of centres.

    Returns
    -------
    Aggregation
        The new tree; mass properties of all items outside are unchanged.

    Raises
    ------
    FindingsError
        The set cannot be aggregated, or the table has errors.
    UsageError
        An id is not in the table.

    Notes
    -----
    The terms are those of docs/trees.md; covariances: docs/formulas.md, sections 5 and 6.

    Examples
    --------
    >>> from massprops_cli import Bom
    >>> rows = [{"id": "TOP"}, {"id": "A", "parent": "TOP"}, {"id": "A.1", "parent": "A", "mass": 2.0}]
    >>> aggregate(Bom.from_records(rows), ["TOP", "A"]).children
    ('A.1',)
    """
    check_own_keywords(unknown, aggregate)
    check_types({"nodes": nodes}, aggregate.__annotations__)
    read = bom_from(bom, "bom")
    if read.is_withheld or any(finding.is_stopping for finding in read.findings):
        raise FindingsError(read.findings)
    names = [nodes] if isinstance(nodes, str) else list(nodes)
    members = np.zeros(len(read), bool)
    members[[read.item(name) for name in names]] = True
    complete = aggregation_closure(read.tree, members)
    if not closure and bool((complete != members).any()):
        _reject_set(read, members, complete)
    sharing = branch_correlation(read, correlate, correlate_centers=correlate_centers)
    return _Aggregator(read, complete, sharing).aggregation(correlate, correlate_centers)


show_keywords(aggregate)


def _reject_set(bom: Bom, members: _Mask, complete: _Mask) -> None:
    """Report a set that cannot be aggregated, with the smallest that can; raises FindingsError."""
    missing = [bom.ids[i] for i in np.flatnonzero(complete & ~members).tolist()]
    parent = bom.tree.parent
    outside = np.unique(parent[members & ~members[parent] & (parent >= 0)])
    parents = name_list([bom.ids[i] for i in outside.tolist()])
    findings = Findings(bom.findings)
    message = (
        f"items cannot be aggregated: parents outside are {parents} (expected one, above all items); "
        f"the smallest set that can be aggregated also has {name_list(missing)}"
    )
    place = item_cell_place(bom.table, int(bom.rows[int(np.flatnonzero(members)[0])]), None)
    findings.report("MP841", message, place, item=missing[0], count=len(missing))
    raise FindingsError(findings)


class _Aggregator:
    """The new tree: items outside, the new item, the leaf with its own numbers, below that the aggregated leaves."""

    def __init__(self, bom: Bom, members: _Mask, sharing: Correlation | None) -> None:
        self.bom, self.members, self.sharing = bom, members, sharing
        tree, parent = bom.tree, bom.tree.parent
        self.tops = np.flatnonzero(members & ~(members[parent] & (parent >= 0)))
        self.leaves = np.flatnonzero(members & tree.is_leaf())
        self.children = np.flatnonzero(~members & (parent >= 0) & members[parent])
        self.has_own = bool(len(self.leaves) and len(self.children))
        self.name = self._new_name()
        self._count_pieces()

    def _new_name(self) -> str:
        """Return the id of the new item."""
        if len(names := [self.bom.ids[i] for i in self.tops.tolist()]) == 1:
            return names[0]
        name = "+".join(names) if len(names) <= _LONGEST_LIST else f"{names[0]}+{len(names) - 1}"
        while self.bom.find(name) is not None:
            name += "'"
        return name

    def _count_pieces(self) -> None:
        """Compute how often leaves and children are in the new item, and the factors of their variances."""
        bom, parent = self.bom, self.bom.tree.parent
        count, measured = bom.quantity.count.copy(), bom.quantity.measured.copy()
        weight = bom.quantity.variance_weight().copy()
        if len(self.tops) == 1:
            count[self.tops] = weight[self.tops] = 1.0
            measured[self.tops] = False
        below = self.members.copy()
        below[self.children] = True
        below[self.tops] = False
        for level, _ in bom.tree.levels_below_root():
            items = level[below[level]]
            above = parent[items]
            count[items] *= count[above]
            weight[items] *= weight[above]
            measured[items] |= measured[above]
        self.quantity = ItemQuantity(count, measured, weight)

    def _check_quantities(self) -> None:
        """Reject children whose quantity no cell can state: pieces of a measured size; raises FindingsError."""
        quantity = self.quantity
        stated = np.where(quantity.measured, quantity.count**2, np.abs(quantity.count))
        wrong = np.abs(stated - quantity.variance_weight()) > 1e-12 * stated
        why = "cannot be stated in the new item: pieces of a measured size"
        bad = self.children[wrong[self.children]].tolist()
        self._reject({i: f"quantity of {self.bom.ids[i]} {why}" for i in bad}, self.bom.rows)

    def _reject(self, faults: Mapping[int, str], rows: _Index) -> None:
        """Report the faults of items, each at its row ``(n,)``; raises FindingsError if there are any."""
        findings = Findings(self.bom.findings)
        for i, message in faults.items():
            place = item_cell_place(self.bom.table, int(rows[i]), None)
            findings.report("MP842", message, place, item=self.bom.ids[i])
        if faults:
            raise FindingsError(findings)

    def _check_poses(self) -> None:
        """Reject uncertain poses of aggregated items: what is below them would no longer share their deviations."""
        poses, bom = self.bom.poses, self.bom
        if poses is None or poses.covariance is None or bom.sigmas is None:
            return
        uncertain = self.members & poses.covariance.any(axis=(1, 2)) & (bom.tree.parent >= 0)
        if len(self.tops) == 1:
            uncertain[self.tops] = False  # the new item has this pose
        # the pose of one aggregated leaf is part of the deviations of the sum
        single = self.quantity.count == bom.quantity.count
        uncertain[self.leaves] &= ~single[self.leaves]
        # pieces of one row share their pose, those in several pieces of an aggregated item do not
        uncertain[self.children] = poses.covariance[self.children].any(axis=(1, 2)) & ~single[self.children]
        faults = {}
        for i in np.flatnonzero(uncertain).tolist():
            why = "what is below shares it" if self.members[i] else "its pieces would share it"
            faults[i] = f"uncertain pose of {bom.ids[i]} cannot be stated in the new item: {why}"
        self._reject(faults, poses.rows)

    def aggregation(self, correlate: str, centers: bool) -> Aggregation:
        """Return the new tree with the numbers of its leaf."""
        self._check_quantities()
        self._check_poses()
        rows, own = self._rows()
        head = (self.bom.units_of_body(), correlate, centers, self.bom.table.source.name)
        branches: BranchFile = BranchFile((), *head)
        own_name = ""
        if len(self.leaves):
            own_name = self.name + _OWN if self.has_own else self.name
            body, sigmas, known = self._own_numbers()
            rows = replace(rows, numbered=np.array([own]), bodies=body, sigmas=sigmas)
            if known is not None and body.center is not None:
                leaf = reference_leaf(self.bom, self.leaves)
                branches = BranchFile(branch_records([own_name], body, [leaf], known, self.sharing), *head)
        names = [self.bom.ids[i] for i in self.children.tolist()] + ([own_name] if self.has_own else [])
        return Aggregation(self.bom, self.members, self.name, own_name, tuple(names), rows, branches)

    def _rows(self) -> tuple[PartRows, int]:
        """Return the rows of the new table in file order, and the row with the numbers of the aggregated leaves."""
        bom, members = self.bom, self.members
        first = int(np.flatnonzero(members)[0])
        shown = ~members
        shown[first] = True
        items = np.flatnonzero(shown)
        new = int(np.searchsorted(items, first))
        items[new] = int(self.tops[0]) if len(self.tops) == 1 else -1
        row = np.full(len(bom) + 1, -1)
        row[np.flatnonzero(shown)] = np.arange(len(items))
        row[np.flatnonzero(members)] = new
        parent = bom.tree.parent
        parents = row[parent[np.flatnonzero(shown)]]
        parents[new] = row[parent[self.tops[0]]] if parent[self.tops[0]] >= 0 else -1
        at = np.where(items < 0, 0, items)
        count, measured = self.quantity.count[at], self.quantity.measured[at]
        if len(self.tops) == 1:
            count[new] = bom.quantity.count[self.tops[0]]
            measured[new] = bom.quantity.measured[self.tops[0]]
        else:
            count[new], measured[new] = 1.0, False
        ids = {} if len(self.tops) == 1 else {new: self.name}
        branch = np.zeros(len(items), bool)
        branch[new] = bool(len(self.leaves)) and not self.has_own
        if not self.has_own:
            return PartRows(items, parents, branch, ids, quantity=ItemQuantity(count, measured)), new
        # the leaf follows the new item
        own = new + 1
        parents = np.where(parents >= own, parents + 1, parents)
        rows = PartRows(
            np.insert(items, own, -1),
            np.insert(parents, own, new),
            np.insert(branch, own, True),
            ids | {own: self.name + _OWN},
            quantity=ItemQuantity(np.insert(count, own, 1.0), np.insert(measured, own, False)),
        )
        return rows, own

    def _own_numbers(self) -> tuple[Bodies, Sigmas | None, Covariances | None]:
        """Return the sum of the aggregated leaves as one body, and its covariance apart from open groups."""
        bom, leaves, sharing = self.bom, self.leaves, self.sharing
        # the root, the sum and its leaves, and all other leaves that may be in a group with these
        others = np.zeros(0, np.intp)
        if sharing is not None:
            others = np.flatnonzero((sharing.group != NO_GROUP) & ~self.members)
        if bom.deviations is not None:
            of_lots = bom.deviations.items[bom.deviations.lot != NO_LOT]
            others = np.union1d(others, of_lots[~self.members[of_lots]])
        items = np.concatenate([leaves[:1], leaves[:1], leaves, others])
        parents = np.concatenate([[-1, 0], np.full(len(leaves), 1), np.zeros(len(others))]).astype(np.int32)
        ones = np.ones(2)
        quantity = ItemQuantity(
            np.concatenate([ones, self.quantity.count[leaves], np.ones(len(others))]),
            np.concatenate([ones < 0, self.quantity.measured[leaves], np.zeros(len(others), bool)]),
            np.concatenate([ones, self.quantity.variance_weight()[leaves], np.ones(len(others))]),
        )
        top = int(bom.tree.parent[self.tops[0]]) if len(self.tops) > 1 else int(self.tops[0])
        above = [top, *bom.tree.ancestors(top)] if top >= 0 else []
        if any(bom.quantity.count[i] != 1 for i in above if bom.tree.parent[i] >= 0):
            quantity.count[1] = 2.0  # pieces of the new item share their groups, which therefore remain open
        correlation = None
        if sharing is not None:
            group = sharing.picked(items).group.copy()
            group[:2] = NO_GROUP
            correlation = Correlation(group, sharing.labels, sharing.shares_centers, kinds=sharing.kinds)
        inputs = RollupInputs(
            Tree.from_parents(parents),
            at_items(bom.bodies, items),
            None if bom.sigmas is None else at_items(bom.sigmas, items),
            quantity,
            None,
            correlation or Correlation.none(len(items)),
            deviations=None if bom.deviations is None else bom.deviations.picked(items),
            placement=self._placement(items),
            branches=np.array([1]),
        )
        rolled = roll_up(inputs, method="none" if bom.sigmas is None else "covariance")
        if rolled.cancelled[1]:
            findings = Findings(bom.findings)
            findings.report("MP842", f"masses of the aggregated leaves cancel: {self.name}{_OWN}", item=self.name)
            raise FindingsError(findings)
        one = np.array([1])
        sigmas = None if rolled.sigmas is None else at_items(rolled.sigmas, one)
        known = None if rolled.covariances is None else rolled.covariances.branches
        if known is not None:
            known = known.renumbered(np.arange(len(items)) - 1)
        return at_items(rolled.bodies, one), sigmas, known

    def _placement(self, items: NDArray[np.intp]) -> Placement | None:
        """Return the placement of the sum's items; poses of the new item and of other leaves are exact."""
        if (placed := self.bom.rollup_inputs().placement) is None:
            return None
        covariance = None
        if placed.covariance is not None:
            covariance = placed.covariance[items].copy()
            exact = ~np.isin(items, self.leaves) | (len(self.tops) == 1) & np.isin(items, self.tops)
            exact[:2] = True
            covariance[exact] = 0.0
        return placed.picked(items, covariance)
