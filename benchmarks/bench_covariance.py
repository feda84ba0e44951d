"""Method ``covariance`` against the published formulas, level by level: time and memory for a million rows."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace

import numpy as np
from bench_rollup_core import bodies_for, comb, cpu_of
from made_tables import parents_of

from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import Tree

ROWS = 1_000_000


def in_pairs(one: Callable[[], object], other: Callable[[], object], runs: int = 7) -> tuple[float, float, float]:
    """Run two calls alternately; return their smallest times and the median ratio of the pairs."""
    times = []
    for _ in range(runs):
        pair = []
        for work in (one, other):
            start = time.perf_counter()
            work()
            pair.append(time.perf_counter() - start)
        times.append(pair)
    of = np.array(times[1:])  # the first pair is the warm-up
    return float(of[:, 0].min()), float(of[:, 1].min()), float(np.median(of[:, 0] / of[:, 1]))


def bytes_of(value: object, seen: set[int]) -> int:
    """Total size of the arrays of a result, each buffer once."""
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        if id(value) in seen:
            return 0
        seen.add(id(value))
        return value.nbytes
    if isinstance(value, tuple):
        return sum(bytes_of(part, seen) for part in value)
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, field.name), seen) for field in fields(value))
    return 0


def main() -> None:
    tree = Tree.from_parents(parents_of(ROWS, int(0.28 * ROWS), np.random.default_rng(1)))
    bodies, sigmas = bodies_for(ROWS)
    exact, published, ratio = in_pairs(
        lambda: roll_up(RollupInputs.of(tree, bodies, sigmas), method="covariance"),
        lambda: roll_up(RollupInputs.of(tree, bodies, sigmas), method="massprops"),
    )
    print(
        f"| roll-up of 1,000,000 rows, method covariance | {exact:.2f} s, massprops {published:.2f} s: "
        f"{ratio:.2f} | at most 4 times massprops |"
    )
    tracemalloc.start()
    result = roll_up(RollupInputs.of(tree, bodies, sigmas), method="covariance")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    returned = bytes_of(result, set())
    print(
        f"| the same, peak memory | {peak / 1e6:.0f} MB, arrays returned {returned / 1e6:.0f} MB: "
        f"{peak / returned:.2f} | at most 3 times the arrays returned |"
    )
    chain, (links, spread) = Tree.from_parents(comb(20_001)), bodies_for(20_001)
    deep = cpu_of(lambda: roll_up(RollupInputs.of(chain, links, spread), method="covariance"), 3)
    print(f"| comb of 20,001 items, 10,000 deep, method covariance | {deep:.2f} s CPU | at most 0.8 s |")
    rng = np.random.default_rng(5)
    for groups in (1, 1_000, 200_000):
        shared = Correlation(rng.integers(0, groups, ROWS).astype(np.int32), [str(g) for g in range(groups)])
        seconds = cpu_of(
            lambda c=shared: roll_up(RollupInputs.of(tree, bodies, sigmas, correlation=c), method="covariance"), 2
        )
        words = "one group" if groups == 1 else f"{groups:,} groups"
        print(f"| the million rows, correlated in {words} at random | {seconds:.1f} s CPU | – |")
    correlated_groups()


def correlated_groups() -> None:
    """Print the time of groups that are correlated with each other, against the same groups without."""
    for groups in (1_000, 3_000):
        ours, other = correlated_rollup(groups, joint=True), correlated_rollup(groups, joint=False)
        seconds, apart, ratio = in_pairs(ours, other)
        print(
            f"| {groups:,} groups of two, each correlated with the next | {seconds:.3f} s, "
            f"not correlated {apart:.3f} s: {ratio:.1f} | – |"
        )


def correlated_rollup(groups: int, *, joint: bool) -> Callable[[], object]:
    """Return the roll-up of groups of two parts, each correlated with the next if ``joint``."""
    tree = Tree.from_parents(np.r_[-1, np.zeros(2 * groups, np.int32)].astype(np.int32))
    bodies, sigmas = bodies_for(2 * groups + 1)
    matrix = np.eye(groups) + 0.3 * (np.eye(groups, k=1) + np.eye(groups, k=-1))
    group = np.r_[-1, np.tile(np.arange(groups), 2)].astype(np.int32)
    correlation = Correlation(group, [str(g) for g in range(groups)])
    if joint:
        matrices = np.array([matrix, np.eye(groups)])
        correlation = replace(correlation, coupled=np.arange(groups), matrix=matrices, matrix_of=(0, *(1,) * 9))
    inputs = RollupInputs.of(tree, bodies, sigmas, correlation=correlation)
    return lambda: roll_up(inputs, method="covariance")


if __name__ == "__main__":
    main()
