"""Random trees with everything that can happen in them, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.oracles.case import ALONE, Case, Floats


def parents(rng: np.random.Generator, n: int, bush: int) -> Floats:
    """Parents of n items in random file order; a small ``bush`` gives long chains, a large one wide levels."""
    parent = np.array([-1, *(int(rng.integers(max(0, i - bush), i)) for i in range(1, n))])
    name = rng.permutation(n)
    shuffled = np.empty(n, int)
    shuffled[name] = np.where(parent >= 0, name[parent], -1)
    return shuffled


def tens(rng: np.random.Generator, n: int) -> Floats:
    """Ten values of n bodies whose tensors are those of clouds of points; coordinates are multiples of 2⁻²⁰."""
    cloud = rng.normal(size=(n, 5, 3))
    x, y, z = cloud[..., 0], cloud[..., 1], cloud[..., 2]
    entries = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
    center = np.round(rng.normal(size=(n, 3)) * 10 * 2**20) / 2**20
    return np.column_stack([rng.uniform(0.5, 2, n), center, *(e.sum(axis=1) for e in entries)])


def random_case(seed: int, n: int, bush: int, *, plain: bool = False) -> Case:
    """A tree of n items; with quantities, removed pieces, points, groups and stated items unless ``plain``."""
    rng = np.random.default_rng(seed)
    parent = parents(rng, n, bush)
    case = Case.of(parent.tolist(), tens(rng, n), rng.uniform(0.01, 0.1, (n, 10)))
    if plain:
        return case
    inner = np.isin(np.arange(n), parent)
    count = rng.choice([1.0, 1.0, 1.0, 2.0, 3.0, 0.0], n)
    count[rng.random(n) < 0.1] = -1.0
    measured = rng.random(n) < 0.1
    count[measured] = rng.uniform(0.5, 2.5, int(measured.sum()))
    groups = int(rng.choice([4, max(4, n // 3)]))  # spread over the tree, or small enough to lie inside a branch
    mix = rng.normal(size=(10, 3, 3))
    matrix = mix @ mix.transpose(0, 2, 1)
    scale = np.sqrt(np.einsum("kaa->ka", matrix))
    return replace(
        case,
        count=count,
        measured=measured,
        is_point=(rng.random(n) < 0.2) & ~inner,
        group=np.where(rng.random(n) < 0.3, ALONE, rng.integers(0, groups, n)),
        shares_centers=bool(rng.random() < 0.5),
        stated=inner & (rng.random(n) < 0.05),
        coupled=np.array([3, 0, 2]),
        matrix=matrix / scale[:, :, None] / scale[:, None, :],
    )


def comparable(case: Case) -> list[int]:
    """The assemblies that keep their digits: no masses nearly cancel there or below, so no centre is far from parts."""
    mass, size = case.ten[:, 0].copy(), case.ten[:, 0].copy()
    fine = np.ones(len(mass), bool)
    found = []
    for item in outwards(case)[::-1]:
        if case.is_end(item):
            continue
        below = case.children[item]
        mass[item] = case.count[below] @ mass[below]
        size[item] = np.abs(case.count[below]) @ size[below]
        fine[item] = fine[below].all() and abs(mass[item]) > 0.3 * size[item]
        if fine[item]:
            found.append(item)
    return found


def outwards(case: Case) -> list[int]:
    """All items, parents before their children."""
    order = np.flatnonzero(case.parent < 0).tolist()
    for item in order:
        order += case.children[item]
    return order
