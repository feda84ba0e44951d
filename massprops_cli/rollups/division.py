"""The roll-up of a tree in parts: disjoint branches of near to equal size first, then the items above them.

Each part is a forest of branches and needs nothing of another part; in the roll-up of the items above, a branch is a
leaf with its covariance. The parts depend on the tree and their number only, not on where they are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.covariance import Covariances
from massprops_cli.rollups.coverage import tree_coverage
from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.rollup import Rollup, complete_rollup, roll_up
from massprops_cli.rollups.subtotals import bodies_at_items, sigmas_at_items
from massprops_cli.trees.tree import ItemQuantity, Tree, subtree_sums

_Index = NDArray[np.intp]
_Floats = NDArray[np.float64]
_Requests = Iterable[tuple[str, Any]]
PartRunner = Callable[[Callable[[Any], Any], _Requests], Iterable[Any]]
"""Calls a function with the argument of each request, and returns the results in order."""


def run_parts_here(function: Callable[[Any], Any], requests: _Requests) -> Iterator[Any]:
    """Call a function in this process."""
    for _, request in requests:
        yield function(request)


def roll_up_in_parts(
    inputs: RollupInputs,
    number: int,
    run: PartRunner = run_parts_here,
    *,
    method: str = "covariance",
    given: Covariances | None = None,
    reasons: list[str] | None = None,
) -> Rollup:
    """Compute what ``roll_up`` computes, by branches; equal to rounding, bitwise for one number of parts.

    ``reasons`` receives why a tree is one part, such as shared uncertainties: docs/formulas.md, section 5.
    """
    complete = partial(_divided_rollup, number, run, [] if reasons is None else reasons)
    return roll_up(inputs, method=method, given=given, complete=complete)


def _divided_rollup(
    number: int,
    run: PartRunner,
    reasons: list[str],
    inputs: RollupInputs,
    method: str,
    given: Covariances | None,
    turned: Covariances | None = None,
) -> Rollup:
    """Roll up bodies of which nothing is missing, in parts where that is possible."""
    reason = _undivided_reason(inputs, given)
    parts = [] if reason else _part_items(inputs.tree, number)
    if not parts:
        reasons.append(reason or f"no branch of two items or more has at most {len(inputs.tree) // number:,}")
        return complete_rollup(inputs, method, given, turned)
    requests = [(_forest_inputs(inputs, items), method) for items in parts]
    done = list(run(_roll_up_part, [(f"part {k} of the partition", one) for k, one in enumerate(requests, 1)]))
    pieces = [_Piece(items, 1 + np.arange(len(items)), rolled) for items, rolled in zip(parts, done, strict=True)]
    above = _items_above(inputs, parts, pieces, method)
    if above is None:  # a branch without mass is not one body
        reasons.append("a branch has no mass")
        return complete_rollup(inputs, method, given, turned)
    return _joined(inputs, [*pieces, above], method)


def _undivided_reason(inputs: RollupInputs, given: Covariances | None) -> str:
    """Return why branches are not bodies with covariances of their own; empty if they are."""
    reasons = {
        "uncertainties are shared": not inputs.correlation.is_none or inputs.deviations is not None,
        "parts have poses and sigmas": inputs.placement is not None,
        "leaves represent branches": inputs.branches is not None or given is not None,
        "masses are negative": bool((inputs.bodies.mass < 0).any()),
        "quantities are negative": bool((inputs.quantity.count < 0).any()),
    }
    return next((reason for reason, is_true in reasons.items() if is_true), "")


def _part_items(tree: Tree, number: int) -> list[_Index]:
    """Return the items of each part: the largest branches of at most n / number items, the large ones first."""
    size = subtree_sums(tree, np.ones(len(tree)))
    limit = len(tree) / number
    parent = tree.parent
    tops = np.flatnonzero((size <= limit) & (size > 1) & (parent >= 0) & (size[parent] > limit))
    if number < 2 or not len(tops):
        return []
    tops = tops[np.argsort(-size[tops], kind="stable")]
    loads, part_of = np.zeros(number), np.full(len(tree), -1)
    for top in tops.tolist():
        part = int(loads.argmin())
        part_of[top] = part
        loads[part] += size[top]
    for low, high in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[low:high]
        part_of[items] = np.where(part_of[items] < 0, part_of[parent[items]], part_of[items])
    return [np.flatnonzero(part_of == part) for part in range(number) if loads[part]]


class _Piece(NamedTuple):
    """Computed items, where they are in a roll-up, and this roll-up."""

    items: _Index
    at: _Index
    rolled: Rollup


def _roll_up_part(request: tuple[RollupInputs, str]) -> Rollup:
    """Roll up a part by a method."""
    return complete_rollup(*request, None)


def _forest_inputs(inputs: RollupInputs, items: _Index) -> RollupInputs:
    """Return the inputs of some branches below a made root, which is item 0."""
    row = np.zeros(len(inputs.tree) + 1, np.intp)
    row[items] = 1 + np.arange(len(items))
    parents = np.concatenate([[-1], row[inputs.tree.parent[items]]])
    # the numbers of the made root are those of an item, and are not read
    return _inputs_at(inputs, np.concatenate([items[:1], items]), Tree.from_parents(parents), inputs.bodies, made=1)


def _inputs_at(
    inputs: RollupInputs, at: _Index, tree: Tree, bodies: Bodies, sigmas: Sigmas | None = None, *, made: int = 0
) -> RollupInputs:
    """Return the inputs of some items as a tree; the first ``made`` are roots, one piece each."""
    quantity = inputs.quantity
    count, measured, weight = quantity.count[at], quantity.measured[at], quantity.variance_weight()[at]
    stated = None if inputs.stated is None else inputs.stated[at]
    for array, value in ((count, 1.0), (measured, False), (weight, 1.0), (stated, False)):
        if array is not None:
            array[:made] = value
    of_sigmas = inputs.sigmas if sigmas is None else sigmas
    return replace(
        inputs,
        tree=tree,
        bodies=bodies_at_items(bodies, at),
        sigmas=None if of_sigmas is None else sigmas_at_items(of_sigmas, at),
        quantity=ItemQuantity(count, measured, weight),
        stated=stated,
        correlation=Correlation.none(len(at)),
    )


def _items_above(inputs: RollupInputs, parts: Sequence[_Index], pieces: Sequence[_Piece], method: str) -> _Piece | None:
    """Roll up the items above the parts, with a leaf for each branch; None if a branch is not one body."""
    tree, n = inputs.tree, len(inputs.tree)
    is_above = np.ones(n, bool)
    for items in parts:
        is_above[items] = False
    tops = np.flatnonzero(~is_above & (tree.parent >= 0) & is_above[tree.parent])
    known = _joined(inputs, pieces, method)
    masks = (known.bodies.has_mass, known.bodies.has_center, known.bodies.has_inertia)
    if any(mask is not None and not mask[tops].all() for mask in masks):
        return None
    members = np.flatnonzero(is_above | np.isin(np.arange(n), tops))
    row = np.full(n + 1, -1)
    row[members] = np.arange(len(members))
    bodies = replace(known.bodies, has_mass=None, has_center=None, has_inertia=None, has_products=None)
    sigmas = None if known.sigmas is None else replace(known.sigmas, known=None)
    sub = _inputs_at(inputs, members, Tree.from_parents(row[tree.parent[members]]), bodies, sigmas)
    given = None
    if known.covariances is not None:
        columns = known.covariances.columns
        branches = [(int(row[top]), columns[top]) for top in tops.tolist() if top in columns]
        leaves, at = (np.array([pair[side] for pair in branches], np.int32) for side in (0, 1))
        given = Covariances(leaves, known.covariances.packed[:, at])
    kept = np.flatnonzero(is_above)
    return _Piece(kept, row[kept], complete_rollup(sub, method, given))


def _joined(inputs: RollupInputs, pieces: Sequence[_Piece], method: str) -> Rollup:
    """Return the roll-ups of pieces as one; items of none have the values of the inputs."""
    tree, rolled = inputs.tree, [piece.rolled for piece in pieces]
    bodies = _bodies_of(inputs.bodies, pieces, [one.bodies for one in rolled])
    sigmas = None
    if inputs.sigmas is not None:
        given, parts = inputs.sigmas, [one.sigmas for one in rolled]
        names = ("mass", "center", "inertia")
        arrays = [_overlay(getattr(given, name), pieces, [getattr(one, name) for one in parts]) for name in names]
        known = _overlay_mask(
            given.known, pieces, [None if one is None else one.known for one in parts], (len(tree), 10)
        )
        sigmas = Sigmas(arrays[0], arrays[1], arrays[2], known)
    below = None
    if any(one.below is not None for one in rolled):
        below = _bodies_of(inputs.bodies, pieces, [one.below or one.bodies for one in rolled])
    cancelled = _overlay(np.zeros(len(tree), bool), pieces, [one.cancelled for one in rolled])
    moments = [(piece, *piece.rolled.mass_moments) for piece in pieces if piece.rolled.mass_moments is not None]
    mass_moments = None
    if moments:
        items, values = _ordered(tree, [(piece, own, array.T) for piece, own, array in moments])
        mass_moments = items, values.T
    exact = [(piece, one.items, one.packed) for piece in pieces if (one := piece.rolled.covariances) is not None]
    covariances = Covariances(*_ordered(tree, exact)) if exact else None
    return Rollup(bodies, sigmas, tree_coverage(inputs), cancelled, below, method, mass_moments, covariances)


def _ordered(tree: Tree, found: Sequence[tuple[_Piece, Any, _Floats]]) -> tuple[NDArray[np.int32], _Floats]:
    """Return the columns of assemblies of pieces, by item and in the order of positions."""
    numbers, columns = [], []
    for piece, own, values in found:
        item_of = np.full(len(piece.rolled.bodies.mass), -1)
        item_of[piece.at] = piece.items
        items = item_of[own]
        numbers.append(items[items >= 0])
        columns.append(values[:, items >= 0])
    items = np.concatenate(numbers)
    order = np.argsort(tree.position[items])
    return items[order].astype(np.int32), np.concatenate(columns, axis=1)[:, order]


def _bodies_of(given: Bodies, pieces: Sequence[_Piece], parts: Sequence[Bodies]) -> Bodies:
    """Return bodies with the values of pieces."""
    n = len(given.mass)
    names = ("mass", "center", "inertia", "is_point")
    arrays = [_overlay(getattr(given, name), pieces, [getattr(one, name) for one in parts]) for name in names]
    masks = ("has_mass", "has_center", "has_inertia", "has_products")
    known = [_overlay_mask(getattr(given, name), pieces, [getattr(one, name) for one in parts], (n,)) for name in masks]
    return Bodies(*arrays, *known)


def _overlay(given: Any, pieces: Sequence[_Piece], parts: Sequence[Any]) -> Any:
    """Return an array of all items with the rows of pieces; None where it is None."""
    if given is None:
        return None
    result = given.copy()
    for piece, part in zip(pieces, parts, strict=True):
        result[piece.items] = part[piece.at]
    return result


def _overlay_mask(given: Any, pieces: Sequence[_Piece], parts: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return a mask of all items with the rows of pieces; None means that all are known."""
    if given is None and all(part is None for part in parts):
        return None
    result = np.ones(shape, bool) if given is None else given.copy()
    for piece, part in zip(pieces, parts, strict=True):
        result[piece.items] = True if part is None else part[piece.at]
    return result
