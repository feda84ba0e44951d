"""A tree of items as arrays: order, levels, families of children, sums over branches, faults of a list of parents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

_Index = NDArray[np.int32]
Labels = Sequence[str] | tuple[Sequence[str], NDArray[np.integer]]
"""Labels of n items: a text each, or distinct texts and the number of that of each item ``(n,)``."""
_NO_PARENT, _UNKNOWN_PARENT = -1, -2  # codes in lists of parents, before they form a tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """n items with one root, by item number and by breadth-first position."""

    parent: _Index  # (n,) item number of the parent, −1 for the root
    order: _Index  # (n,) items breadth-first, children contiguous and in file order
    position: _Index  # (n,) inverse of order
    levels: _Index  # (depths + 1,) positions levels[d]:levels[d + 1] have depth d
    first_child: _Index  # (n,) position of the first child of each position
    n_children: _Index  # (n,) of each position

    @classmethod
    def from_parents(cls, parent: NDArray[np.integer] | list[int]) -> Tree:
        """Return the tree of parents (n,), −1 for the root; UsageError unless they are one tree of items."""
        parents = np.ascontiguousarray(parent, dtype=np.int32)
        if (n := len(parents)) == 0:
            raise UsageError("tree has no items")
        if int((parents == _NO_PARENT).sum()) != 1 or bool((parents < _NO_PARENT).any()) or int(parents.max()) >= n:
            raise UsageError("tree must have one root, and every other item a parent in the tree")
        depths = _tree_depths(parents)
        if int(depths.min()) < 0:
            raise UsageError("items are not below the root: their parents form a cycle")
        order, levels = _breadth_first_order(parents, depths)
        position = np.empty(n, np.int32)
        position[order] = np.arange(n, dtype=np.int32)
        counts = np.bincount(position[parents[order[1:]]], minlength=n).astype(np.int32)
        first = np.ones(n, np.int32)
        np.cumsum(counts[:-1], out=first[1:], dtype=np.int32)
        first[1:] += 1
        return cls(parents, order, position, levels, first, counts)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.parent)

    def is_leaf(self) -> NDArray[np.bool_]:
        """Return which items (n,) have no children."""
        leaf = np.empty(len(self.parent), bool)
        leaf[self.order] = self.n_children == 0
        return leaf

    def depth(self) -> _Index:
        """Return the steps to the root (n,) of every item."""
        depth = np.empty(len(self.parent), np.int32)
        depth[self.order] = np.repeat(np.arange(len(self.levels) - 1, dtype=np.int32), np.diff(self.levels))
        return depth

    def children(self, item: int) -> _Index:
        """Return the children (k,) of one item, in file order."""
        p = int(self.position[item])
        first = int(self.first_child[p])
        return self.order[first : first + int(self.n_children[p])]

    def ancestors(self, item: int) -> list[int]:
        """Return the items above one item."""
        above = []
        while (item := int(self.parent[item])) >= 0:
            above.append(item)
        return above

    def descendants(self, item: int) -> _Index:
        """Return one item and everything below it (k,), breadth-first."""
        start = int(self.position[item])
        parts = []
        first, last = start, start + 1
        while last > first:
            parts.append(self.order[first:last])
            if not len(inner := np.flatnonzero(self.n_children[first:last])):
                break
            # the children of a run of one level are a run of the next
            begin, end = first + int(inner[0]), first + int(inner[-1])
            first, last = int(self.first_child[begin]), int(self.first_child[end] + self.n_children[end])
        return np.concatenate(parts)

    def leaves(self, item: int) -> _Index:
        """Return the leaves (k,) at or below one item, breadth-first."""
        below = self.descendants(item)
        kept: _Index = below[self.n_children[self.position[below]] == 0]
        return kept

    def parent_position(self) -> _Index:
        """Return the position of the parent of every position (n,); 0 for the root."""
        above = np.repeat(np.arange(len(self.parent), dtype=np.int32), self.n_children)
        return np.concatenate([np.zeros(1, np.int32), above])

    def level_blocks(self) -> list[Families]:
        """Return the families of each level in blocks of about ``_BLOCK`` children."""
        return _blocks_between(self, np.searchsorted(np.flatnonzero(self.n_children), self.levels))

    def subtree_sums(
        self, values: NDArray[np.float64], weight: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return sums over every branch of values (n,) × weight (n,) in the parent → (n,); infinite beyond double."""
        total = np.asarray(values, dtype=np.float64)[self.order]
        weights = np.ones(len(self)) if weight is None else np.asarray(weight, dtype=np.float64)[self.order]
        parents = np.flatnonzero(self.n_children)
        with np.errstate(over="ignore", invalid="ignore"):  # too large sums become infinite; the caller looks for them
            for block in self.level_blocks():
                sums = block.add(total[block.low : block.high] * weights[block.low : block.high])
                total[parents[block.columns]] += sums
        return total[self.position]

    def preorder_items(self) -> _Index:
        """Return the items (n,) depth-first, children in file order, as an indented table lists them."""
        if len(self) == 1:
            return self.order.copy()
        up = self.parent_position()
        size = self.subtree_sums(np.ones(len(self)))[self.order].astype(np.int64)
        # a child starts after its parent and its elder siblings' branches
        before = np.cumsum(size) - size
        start = 1 + before - before[self.first_child[up]]
        start[0] = 0
        # steps add up along the path to the root, over twice the distance each time
        while bool(up.any()):
            start += start[up]
            up = up[up]
        listing = np.empty(len(self), np.int32)
        listing[start] = self.order
        return listing

    def family_blocks(self) -> list[Families]:
        """Return the families in blocks of about ``_BLOCK`` children, regardless of levels."""
        return _blocks_between(self, np.zeros(0, np.intp))

    def subtree_extremes(
        self, values: NDArray[np.float64], operation: np.ufunc, counts: NDArray[np.bool_], neutral: float
    ) -> NDArray[np.float64]:
        """Return extremes of every branch, values (n,) any unit → (n,); branches without ``counts`` are ``neutral``."""
        result = np.asarray(values, dtype=np.float64)[self.order]
        counted = counts[self.order]
        parents = np.flatnonzero(self.n_children)
        for block in self.level_blocks():
            children = np.where(counted[block.low : block.high], result[block.low : block.high], neutral)
            above = parents[block.columns]
            result[above] = operation(result[above], operation.reduceat(children, block.starts))
        return result[self.position]

    def end_items(self, stated: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """Return which items (n,) go up with their own values: ``stated`` (n,) ones, and leaves below none of them."""
        if stated is None or not stated.any():
            return self.is_leaf()
        return (self.is_leaf() | stated) & ~self.is_below(stated)

    def is_below(self, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which items (n,) are below ``starts`` (n,), at any level."""
        return is_at_or_below(self.parent, starts)[self.parent] & (self.parent >= 0)

    def levels_below_root(self) -> Iterator[tuple[_Index, _Index]]:
        """Yield the items (k,) of each level below the root and their parents (k,), parents before children."""
        for first, last in pairwise(self.levels[1:].tolist()):
            items = self.order[first:last]
            yield items, self.parent[items]

    def inherited_labels(self, column: Labels, otherwise: str) -> tuple[list[str], NDArray[np.intp]]:
        """Return labels, and that of every item (n,): its own, or that of the nearest labelled item above it."""
        distinct, codes = column if isinstance(column, tuple) else _coded_labels(column)
        labels = list(dict.fromkeys(["", *(text.strip() for text in distinct), otherwise]))
        known = {label: k for k, label in enumerate(labels)}
        result = np.array([known[text.strip()] for text in distinct], np.intp)[codes]
        if not result.all():
            result[self.order[0]] = result[self.order[0]] or known[otherwise]
            for items, above in self.levels_below_root():
                result[items] = np.where(result[items], result[items], result[above])
        return labels, result

    @staticmethod
    def label_numbers(
        filled: Sequence[tuple[list[str], NDArray[np.intp]]], items: NDArray[np.intp]
    ) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
        """Return the combinations of labels of items (k,), by first appearance, and that of all items, or −1."""
        key = filled[0][1]
        for texts, codes in filled[1:]:
            key = key * len(texts) + codes
            ordered = np.sort(key)
            key = np.searchsorted(ordered[np.append(True, ordered[1:] != ordered[:-1])], key)
        number = np.full(int(key.max(initial=0)) + 1, -1)
        number[key[items][::-1]] = np.arange(len(items))[::-1]  # the last one written is the first item
        at = np.sort(number[number >= 0])
        number = np.where(number >= 0, np.searchsorted(at, number), -1)
        return [tuple(texts[codes[i]] for texts, codes in filled) for i in items[at].tolist()], number[key]

    def branch(self, item: int, quantity: ItemQuantity) -> tuple[NDArray[np.intp], Tree, ItemQuantity]:
        """Return one item and all below it (k,), the first of them on top, as a tree of its own, with its quantity."""
        if self.parent[item] < 0:
            return np.arange(len(self)), self, quantity
        members = self.descendants(item).astype(np.intp)
        number = np.full(len(self) + 1, -1, np.int32)
        number[members] = np.arange(len(members), dtype=np.int32)
        parent = number[self.parent[members]]
        parent[0] = -1  # the parent of the top item is not a member
        return members, Tree.from_parents(parent), quantity.picked(members)

    def path_quantities(self, quantity: ItemQuantity) -> ItemQuantity:
        """Return the quantity of every item in the product: the product of the quantities on its path."""
        if quantity.weight is None and (quantity.count == 1.0).all() and not quantity.measured.any():
            return quantity
        times, measured, weight = quantity.count.copy(), quantity.measured.copy(), quantity.variance_weight().copy()
        root = self.order[0]  # the root has no parent
        times[root] = weight[root] = 1.0
        measured[root] = False
        for items, above in self.levels_below_root():
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows makes totals that are checked
                times[items] *= times[above]
                weight[items] *= weight[above]
            measured[items] |= measured[above]
        return ItemQuantity(times, measured, weight)


def _coded_labels(column: Sequence[str]) -> tuple[Sequence[str], NDArray[np.integer]]:
    """Return the distinct texts of a column, and the number of that of each item ``(n,)``."""
    if (coded := getattr(column, "coded", None)) is not None:
        distinct, codes = coded()
        return distinct, codes
    known = {text: k for k, text in enumerate(dict.fromkeys(column))}
    return [*known], np.array([known[text] for text in column], np.intp)


def _tree_depths(parents: _Index) -> _Index:
    """Return the depth of every item ``(n,)`` by pointer doubling; −1 for items that never reach a root."""
    n = len(parents)
    up = np.append(parents, n).astype(np.int32)
    up[up < 0] = n
    steps = (up != n).astype(np.int32)
    for _ in range(max(1, n.bit_length())):
        if bool((up == n).all()):
            break
        steps += steps[up]
        up = up[up]
    steps = steps[:n]
    return np.where(up[:n] == n, steps, -1).astype(np.int32)


def _breadth_first_order(parents: _Index, depths: _Index) -> tuple[_Index, _Index]:
    """Return items by depth, position of the parent and file order, and the bounds of the levels."""
    n = len(parents)
    n_levels = int(depths.max()) + 1
    levels = np.zeros(n_levels + 1, np.int32)
    np.cumsum(np.bincount(depths, minlength=n_levels), out=levels[1:])
    by_depth = _stable_order(depths)
    position = np.empty(n, np.int32)
    position[by_depth] = np.arange(n, dtype=np.int32)
    above = position[parents[by_depth[1:]]]
    if bool((above[1:] >= above[:-1]).all()):  # as in every table that lists assemblies in order
        return by_depth, levels
    order = np.empty(n, np.int32)
    order[0] = by_depth[0]
    position[by_depth[0]] = 0
    bounds = levels.tolist()
    for d in range(1, n_levels):
        a, b = bounds[d], bounds[d + 1]
        if b - a == 1:
            order[a] = by_depth[a]
            position[by_depth[a]] = a
            continue
        items = by_depth[a:b]
        above = position[parents[items]]
        ordered = items if bool((above[1:] >= above[:-1]).all()) else items[_stable_order(above)]
        order[a:b] = ordered
        position[ordered] = np.arange(a, b, dtype=np.int32)
    return order, levels


def _stable_order(keys: _Index) -> _Index:
    """Return the stable order of keys of 0 and more ``(n,)``; pairs of key and place sort faster."""
    pairs = (keys.astype(np.uint64) << np.uint64(32)) | np.arange(len(keys), dtype=np.uint64)
    pairs.sort()
    return (pairs & np.uint64(0xFFFFFFFF)).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemQuantity:
    """Quantity of every item in its parent; all pieces are at one place."""

    count: NDArray[np.float64]  # (n,) pieces, 0 excludes, negative removes; size of one piece where measured
    measured: NDArray[np.bool_]  # (n,) True where count is a size, such as 1.7 m of cable
    weight: NDArray[np.float64] | None = None
    """What variances are multiplied by, where counts and sizes are mixed along a path."""

    @classmethod
    def one_each(cls, n: int) -> ItemQuantity:
        """Return a quantity of 1 for every item."""
        return cls(np.ones(n), np.zeros(n, bool))

    def picked(self, items: NDArray[np.intp]) -> ItemQuantity:
        """Return the quantity of items (k,), in their order."""
        return ItemQuantity(self.count[items], self.measured[items], self.variance_weight()[items])

    def variance_weight(self) -> NDArray[np.float64]:
        """Return the factor (n,) of one piece's variance: |n|, or q² for size q; docs/formulas.md, sections 3 and 5."""
        return self.weight if self.weight is not None else np.where(self.measured, self.count**2, np.abs(self.count))


def tree_faults(parent: NDArray[np.integer]) -> tuple[list[int], list[list[int]], list[int], list[int]]:
    """Return self-parents, longer loops, roots and orphans of parents (n,), −1 without one, −2 with an unknown one."""
    # every item of a loop is followed by its parent; orphans are below a self-parent, a loop or an unknown parent
    parents = np.asarray(parent, dtype=np.int32)
    n = len(parents)
    items = np.arange(n, dtype=np.int32)
    own = parents == items
    loops = _is_on_loop(parents)
    fallen = own | loops | (parents == _UNKNOWN_PARENT)
    orphans = is_at_or_below(parents, fallen) & ~fallen
    of_own, roots, left = (np.flatnonzero(one).tolist() for one in (own, parents == _NO_PARENT, orphans))
    return of_own, _loop_walks(parents, np.flatnonzero(loops & ~own)), roots, left


def _is_on_loop(parents: _Index) -> NDArray[np.bool_]:
    """Return which items are on a loop of parents: those reached by 2^k ≥ n steps up."""
    n = len(parents)
    up = np.append(np.where(parents < 0, n, parents), n).astype(np.int32)
    for _ in range(max(1, n.bit_length())):
        if bool((up == n).all()):
            return np.zeros(n, bool)
        up = up[up]
    loops = np.zeros(n + 1, bool)
    loops[up] = True
    loops[n] = False
    # an item on a loop is reached from itself after some whole number of rounds, so every one of them is among the ends
    return loops[:n]


def is_at_or_below(parents: _Index, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which items (n,) are at or below ``starts`` (n,), by pointer doubling; parents (n,) may form loops."""
    n = len(parents)
    up = np.append(np.where(parents < 0, n, parents), n).astype(np.int32)
    up[:n][starts] = np.flatnonzero(starts)
    inside = np.append(starts, False)
    while True:
        wider = inside | inside[up]
        if np.array_equal(wider, inside):  # no item at twice the distance, so none further
            return inside[:n]
        inside, up = wider, up[up]


def _loop_walks(parents: _Index, items: NDArray[np.intp]) -> list[list[int]]:
    """Return every loop among ``items`` once, from its first item in file order."""
    waiting = set(items.tolist())
    loops = []
    for start in items.tolist():
        if start not in waiting:
            continue
        loop, item = [], start
        while item in waiting:
            waiting.discard(item)
            loop.append(item)
            item = int(parents[item])
        loops.append(loop)
    return loops


_BLOCK = 4_096  # children in one array operation: 28 rows of 32 KiB stay in the processor's cache


class Families(NamedTuple):
    """Adjacent families: f assemblies with all their children, at positions ``low:high``."""

    low: int
    high: int
    starts: NDArray[np.intp]  # (f,) first child of each family, counted from low
    sizes: _Index  # (f,) number of children
    first: int  # number of the first parent among the tree's assemblies, breadth-first

    @property
    def columns(self) -> slice:
        """Numbers of the parents, which are their columns in arrays of assemblies."""
        return slice(self.first, self.first + len(self.starts))

    def add(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums over every family, terms (…, children) any unit → (…, f)."""
        return np.add.reduceat(terms, self.starts, axis=-1)

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its parent's value for every child, values (…, f) any unit → (…, children)."""
        return values.repeat(self.sizes, axis=-1)

    def pieces(self) -> list[Families]:
        """Divide a family that is larger than two blocks."""
        if len(self.starts) > 1 or self.high - self.low <= 2 * _BLOCK:
            return [self]
        one, cuts = np.zeros(1, np.intp), [*range(self.low, self.high, _BLOCK), self.high]
        return [Families(a, b, one, np.array([b - a], np.int32), self.first) for a, b in pairwise(cuts)]


def _blocks_between(tree: Tree, cuts: NDArray[np.intp]) -> list[Families]:
    """Return the families in blocks, the last first; ``cuts`` are assemblies that always begin a block."""
    parents = np.flatnonzero(tree.n_children)
    starts, sizes = tree.first_child[parents].astype(np.intp), tree.n_children[parents]
    by_size = np.searchsorted(starts, np.arange(1, len(tree), _BLOCK))
    large = np.flatnonzero(sizes > 2 * _BLOCK)
    # np.unique of few numbers loads masked arrays, which takes longer than a small table
    bounds = sorted({len(parents), *cuts.tolist(), *by_size.tolist(), *large.tolist(), *(large + 1).tolist()})
    children = [*starts.tolist(), len(tree)]
    blocks = [Families(children[a], children[b], starts[a:b] - children[a], sizes[a:b], a) for a, b in pairwise(bounds)]
    return blocks[::-1]


_Mask = NDArray[np.bool_]
_Items = NDArray[np.intp]


def items_between(tree: Tree, members: _Mask) -> _Mask:
    """Return the items (n,) outside a region (n,) on a path between two of its items; none if it is path-induced."""
    return np.asarray(is_at_or_below(tree.parent, members) & ~members & (tree.subtree_sums(members.astype(float)) > 0))


def aggregation_closure(tree: Tree, members: _Mask) -> _Mask:
    """Return the smallest region (n,) around another that one item can replace; UsageError for an empty region."""
    if not members.any():
        raise UsageError("no items to aggregate")
    count = tree.subtree_sums(members.astype(float))
    above_all = count == count[int(tree.order[0])]
    # the items above or at all members are a chain from the root; the last of them is the lowest
    top = int(np.flatnonzero(above_all)[np.argmax(tree.position[above_all])])
    result = (count > 0) & ~above_all
    result[top] = members[top]
    return np.asarray(result)


def serial_segments(tree: Tree) -> tuple[_Items, Tree]:
    """Return the serial chain of greatest length in which each item (n,) is, and the tree of these chains."""
    n = len(tree)
    up = tree.parent_position()
    begins = np.ones(n, bool)
    begins[1:] = tree.n_children[up[1:]] > 1
    number = np.cumsum(begins) - 1
    head = np.where(begins, np.arange(n), up)
    while not bool(begins[head].all()):
        head = head[head]
    by_position = number[head]
    starts = np.flatnonzero(begins)
    return by_position[tree.position], Tree.from_parents(np.where(starts == 0, -1, by_position[up[starts]]))
