"""Pieces → the order in which they are drawn and added up, with few sums waiting at any time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.montecarlo.pieces import Index, Mask, Pieces, first_of

Floats = NDArray[np.float64]
NOT_COUNTED = -1
"""The row of an assembly that is a further copy of one, and the parent of an assembly that nothing counts."""


@dataclass(frozen=True, slots=True)
class Plan:
    """F families, each after the families inside it.

    ``item (F,)`` is the assembly of a family; ``parent (F,)`` the family it is counted in, ``factor (F,)`` times.
    Its own parts are the pieces ``starts[f]:starts[f + 1]`` of ``part (L,)`` (items) and ``part_factor (L,)``.
    ``row (F,)`` is where its results go; ``assemblies (k,)`` are the items of those rows, ascending.
    """

    item: Index
    parent: NDArray[np.intp]
    factor: Floats
    starts: NDArray[np.intp]
    part: Index
    part_factor: Floats
    row: NDArray[np.intp]
    assemblies: Index


def plan_of(pieces: Pieces, inner: Mask, alone: Index) -> Plan:
    """Order the families of a forest of pieces, and note where each one's parts stand.

    ``inner (n,)`` are the items that are made of their children; ``alone`` are others whose own distribution is
    wanted: each is a family of itself.
    """
    is_inner = inner[pieces.item]
    families = np.flatnonzero(is_inner)
    order = heavy_first(families, pieces.parent, len(pieces.item))
    place = np.full(len(pieces.item) + 1, NOT_COUNTED, np.intp)
    place[order] = np.arange(len(order))
    part = np.flatnonzero(~is_inner & (pieces.parent >= 0))
    home = place[pieces.parent[part]]
    by_home = np.argsort(home, kind="stable")
    part, home = part[by_home], home[by_home]
    item = np.concatenate([pieces.item[order], alone])
    home = np.concatenate([home, len(order) + np.arange(len(alone))])
    first = first_of(item)
    assemblies = np.sort(item[first])
    row = np.where(first, np.searchsorted(assemblies, item), NOT_COUNTED)
    return Plan(
        item,
        np.concatenate([place[pieces.parent[order]], np.full(len(alone), NOT_COUNTED)]),
        np.concatenate([pieces.factor[order], np.ones(len(alone))]),
        np.searchsorted(home, np.arange(len(item) + 1)),
        np.concatenate([pieces.item[part], alone]),
        np.concatenate([pieces.factor[part], np.ones(len(alone))]),
        row,
        assemblies,
    )


def heavy_first(families: NDArray[np.intp], parent: Index, n: int) -> NDArray[np.intp]:
    """Order families so that each comes after those inside it, the largest of them first.

    A family's sum waits only while its lighter members are added up, so at most log2 of their number wait at a time,
    however deep the tree.
    """
    size = np.zeros(n, np.int64)
    size[families] = 1
    weights = size.tolist()
    above = parent.tolist()
    for piece in reversed(families.tolist()):
        if above[piece] >= 0:
            weights[above[piece]] += weights[piece]
    by_weight = families[np.argsort(-np.array(weights)[families], kind="stable")]
    children: dict[int, list[int]] = {}
    stack = []
    for piece in by_weight.tolist():
        if above[piece] >= 0:
            children.setdefault(above[piece], []).append(piece)
        else:
            stack.append(piece)
    backwards = []
    while stack:
        piece = stack.pop()
        backwards.append(piece)
        stack += children.get(piece, ())
    return np.array(backwards[::-1], np.intp)
