"""Parts of a tree: the largest is as small as cuts above assemblies permit, against all cuts of small trees."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import massprops_cli as mp
from tests.examples import first


def tree(parents: list[int]) -> mp.Bom:
    """Items N0 … with parents by number; leaves have the mass 1."""
    rows = [{"id": f"N{k}", "parent": "" if p < 0 else f"N{p}"} for k, p in enumerate(parents)]
    return mp.Bom.from_records([row if k in parents else {**row, "mass": 1.0} for k, row in enumerate(rows)])


def smallest_largest(parents: list[int], number: int) -> int:
    """Size of the largest part for the best of all ways to cut above number − 1 assemblies."""
    inner = [k for k in range(1, len(parents)) if k in parents]
    best = len(parents)
    for cut in combinations(inner, number - 1):
        head = [0] * len(parents)
        for k in range(1, len(parents)):
            head[k] = k if k in cut else head[parents[k]]
        best = min(best, int(np.bincount(head).max()))
    return best


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", first(range(8), 4))
def test_largest_part_of_small_trees_is_the_best_of_all_cuts(seed):
    random = np.random.default_rng(seed)
    for _ in range(12):
        n = int(random.integers(5, 13))
        deep = random.random() < 0.5
        parents = [-1, *(int(random.integers(max(0, k - 2) if deep else 0, k)) for k in range(1, n))]
        assemblies = len({*parents} - {-1})
        for number in range(2, min(5, assemblies) + 1):
            sizes = [part.items for part in mp.partition(tree(parents), into=number).parts]
            assert len(sizes) == number, parents
            assert max(sizes) == smallest_largest(parents, number), parents


def test_the_tree_of_the_trial_and_more_parts_than_assemblies():
    # R{N2, N3, N5, N7, N0{N1{N8, N4{N6}}}}
    parents = [-1, 0, 0, 0, 0, 0, 5, 6, 6, 8]
    assert sorted(part.items for part in mp.partition(tree(parents), into=3).parts) == [2, 3, 5]
    assert len(mp.partition(tree(parents), into=9).parts) == 4  # as many as there are assemblies
