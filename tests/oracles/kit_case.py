"""Random trees in which branches nearly cancel, and the same trees with an assembly dissolved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.oracles.case import Case, Floats
from tests.oracles.flat import Long, moved
from tests.oracles.random_case import outwards, random_case

ROWS = ("parent", "ten", "sigma", "count", "measured", "is_point", "group")


def kit_case(seed: int, n: int, bush: int, left: float, *, body: bool) -> Case:
    """A random tree of which some branches became a kit: the branch, and as much of it removed as leaves ``left``.

    The removed branch is elsewhere. It counts −1 times, or its masses and tensors are negative. With a ``body`` the
    root holds a part that weighs as much as all others, so that it has a centre whatever is left of the kits.
    """
    rng = np.random.default_rng(seed)
    case = with_pieces(random_case(seed, n, bush, plain=True), rng)
    for _ in range(int(rng.integers(1, 4))):
        case = with_kit(case, int(rng.integers(1, len(case.parent))), left, rng)
    if body:
        case = with_body(case, rng)
    return case


def with_pieces(case: Case, rng: np.random.Generator) -> Case:
    """Some quantities other than 1, measured pieces among the leaves, and points."""
    n = len(case.parent)
    leaf = np.array([case.is_end(i) for i in range(n)])
    count = rng.choice([1.0, 1.0, 1.0, 2.0, 0.0, -1.0], n, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])
    measured = leaf & (rng.random(n) < 0.1)
    count[measured] = rng.uniform(0.5, 2.5, int(measured.sum()))
    return replace(case, count=count, measured=measured, is_point=leaf & (rng.random(n) < 0.3))


def with_kit(case: Case, item: int, left: float, rng: np.random.Generator) -> Case:
    """Put an assembly in the place of an item, which holds the item and its like removed."""
    if case.parent[item] < 0:
        return case
    n = len(case.parent)
    branch = [i for i in outwards(case) if is_below(case, i, item)]
    like = picked(case, [*range(n), *branch, item])
    new = dict(zip(branch, range(n, n + len(branch)), strict=True))
    kit = n + len(branch)
    like.parent[n:kit] = [new.get(int(case.parent[i]), kit) for i in branch]
    like.parent[item], like.parent[kit], like.count[kit] = kit, case.parent[item], 1.0
    like.measured[kit] = like.is_point[kit] = False
    like.ten[n:kit, 1:4] += np.round(rng.normal(size=3) * 2**20) / 2**20
    like.ten[n:kit, 0] *= 1 - left
    if rng.random() < 0.5:
        like.count[n] *= -1
    else:
        like.ten[n:kit, [0, *range(4, 10)]] *= -1
    return like


def with_body(case: Case, rng: np.random.Generator) -> Case:
    """One more leaf under the root, as heavy as all others together."""
    root = int(np.flatnonzero(case.parent < 0)[0])
    leaf = next(i for i in range(len(case.parent)) if case.is_end(i))
    heavy = picked(case, [*range(len(case.parent)), leaf])
    heavy.parent[-1], heavy.count[-1], heavy.measured[-1] = root, 1.0, False
    heavy.ten[-1, 0] = 1 + sum(abs(factor) * abs(float(case.ten[i, 0])) for i, factor, _ in case.below(root))
    heavy.ten[-1, 1:4] = np.round(rng.normal(size=3) * 2**20) / 2**20
    return heavy


def is_below(case: Case, item: int, top: int) -> bool:
    """Whether an item is ``top`` or below it."""
    while item >= 0 and item != top:
        item = int(case.parent[item])
    return item == top


def picked(case: Case, rows: list[int]) -> Case:
    """Some rows of a case as a new one, parents not yet renumbered."""
    return replace(case, **{name: getattr(case, name)[rows].copy() for name in ROWS})  # type: ignore[arg-type] # arrays by name


def can_dissolve(case: Case, item: int) -> bool:
    """Whether its quantity times its children's is a quantity of pieces or of one measured piece, as theirs are."""
    if case.is_end(item) or case.parent[item] < 0:
        return False
    below = case.children[item]
    if case.measured[item]:
        return bool((np.abs(case.count[below]) == 1).all())
    return abs(float(case.count[item])) == 1 or not case.measured[below].any()


def dissolved(case: Case, item: int) -> Case:
    """The case without an assembly: its children belong to its parent, their quantities multiplied by its own."""
    other = picked(case, list(range(len(case.parent))))
    below = case.children[item]
    other.parent[below] = case.parent[item]
    other.count[below] *= case.count[item]
    other.measured[below] |= case.measured[item]
    rows = np.delete(np.arange(len(case.parent)), item)
    number = np.full(len(case.parent) + 1, -1)
    number[rows] = np.arange(len(rows))
    found = picked(other, rows.tolist())
    return replace(found, parent=number[found.parent])


def ten_about(case: Case, node: int, point: Floats) -> tuple[Floats, Floats]:
    """The ten moments of a node about a point ``(10,)``, summed over the leaves, and the sum of the terms' sizes."""
    total, size = np.zeros(10, Long), np.zeros(10, Long)
    for item, factor, _ in case.below(node):
        own = np.concatenate([case.ten[item, :1], np.zeros(3), case.own_tensor(item)]).astype(Long)
        arm = case.ten[item, 1:4].astype(Long) - point
        term = Long(factor) * (moved(-arm) @ own)
        total += term
        reach = np.abs(arm).max()
        mass = abs(factor) * abs(own[0])
        size += [mass, *[mass * reach] * 3, *[mass * reach**2 + abs(factor) * np.abs(own[4:]).max()] * 6]
    return total, size
