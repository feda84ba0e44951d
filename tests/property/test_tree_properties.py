"""What holds for any tree, against plain walks over it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from massprops_cli.trees.tree import Tree, tree_faults
from tests.examples import examples


@st.composite
def parents(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(1, 80))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    bush = draw(st.sampled_from([1, 3, 100]))
    parent = np.array([-1, *(int(rng.integers(max(0, i - bush), i)) for i in range(1, n))])
    name = rng.permutation(n)
    shuffled = np.empty(n, int)
    shuffled[name] = np.where(parent >= 0, name[parent], -1)
    return shuffled


@settings(max_examples=examples(80), deadline=None)
@given(parents())
def test_arrays_give_what_a_walk_gives(parent: np.ndarray) -> None:
    tree = Tree.from_parents(parent)
    n = len(parent)
    children = [[i for i in range(n) if parent[i] == p] for p in range(n)]
    listing: list[int] = []
    waiting = [int(np.flatnonzero(parent == -1)[0])]
    while waiting:
        item = waiting.pop()
        listing.append(item)
        waiting += children[item][::-1]
    assert tree.preorder_items().tolist() == listing
    sizes = tree.subtree_sums(np.ones(n))
    for item in range(n):
        assert tree.children(item).tolist() == children[item]
        below = {i for i in range(n) if i == item or item in tree.ancestors(i)}
        assert set(tree.descendants(item).tolist()) == below
        assert sizes[item] == len(below)
        assert tree.depth()[item] == len(tree.ancestors(item))
    assert tree_faults(parent.astype(np.int32)) == ([], [], np.flatnonzero(parent < 0).tolist(), [])
    assert (parent < 0).sum() == 1


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.integers(-2, 12), min_size=1, max_size=13))
def test_faults_state_what_a_walk_gives(listed: list[int]) -> None:
    n = len(listed)
    parent = [min(p, n - 1) for p in listed]
    self_parents, cycles, roots, orphans = tree_faults(np.array(parent, dtype=np.int32))

    def ends(item: int) -> tuple[int, bool]:
        """Where the walk up ends or runs into itself, and whether the item itself is met again."""
        seen = [item]
        while parent[seen[-1]] >= 0:
            above = parent[seen[-1]]
            if above in seen:
                return above, above == item
            seen.append(above)
        return parent[seen[-1]], False

    assert roots == [i for i in range(n) if parent[i] == -1]
    assert self_parents == [i for i in range(n) if parent[i] == i]
    in_loops = sorted(i for loop in cycles for i in loop)
    assert in_loops == [i for i in range(n) if ends(i)[1] and parent[i] != i]
    for loop in cycles:
        assert [parent[i] for i in loop] == [*loop[1:], loop[0]]
    assert orphans == [i for i in range(n) if parent[i] != -2 and ends(i)[0] != -1 and not ends(i)[1]]
