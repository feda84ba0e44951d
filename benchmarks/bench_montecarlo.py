"""Simulation: its time against sampling as many normal numbers, two workers against one, memory against samples."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from bench_rollup_core import bodies_for
from made_tables import parents_of

from massprops_cli.rollups.inputs import RollupInputs, SampleOptions
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.trees.tree import Tree

AT_ONCE = 8192
"""Normal numbers sampled into one array that remains in the processor cache: the generator at maximum speed."""


def draw(numbers: int) -> None:
    """Sample normal numbers with NumPy's fastest generator, without further use."""
    random = np.random.Generator(np.random.SFC64(0))
    row = np.empty(AT_ONCE)
    for _ in range(numbers // AT_ONCE):
        random.standard_normal(out=row)


def tree_of(rows: int) -> Tree:
    return Tree.from_parents(parents_of(rows, max(1, int(0.28 * rows)), np.random.default_rng(1)))


def sample(rows: int, samples: int, workers: int = 1) -> Callable[[], object]:
    tree = tree_of(rows)
    bodies, sigmas = bodies_for(rows)
    return lambda: simulate_tree(
        RollupInputs.of(tree, bodies, sigmas), sampling=SampleOptions(samples=samples, workers=workers)
    )


def ratio(ours: Callable[[], object], other: Callable[[], object], clock: Callable[[], float], runs: int = 3) -> float:
    """Time both alternately; the ratio is the median of the ratios of the pairs."""
    ratios = []
    for _ in range(runs):
        times = []
        for work in (ours, other):
            start = clock()
            work()
            times.append(clock() - start)
        ratios.append(times[0] / times[1])
    return statistics.median(ratios)


def against_the_generator(rows: int, samples: int) -> None:
    leaves = int(tree_of(rows).is_leaf().sum())
    # CPU time: both are one thread of arithmetic, and the load of other processes is excluded
    found = ratio(sample(rows, samples), lambda: draw(10 * leaves * samples), time.process_time)
    print(f"| {samples:,} samples of {leaves:,} parts / sampling as many normal numbers | {found:.2f} | 2.5 |")


def two_workers(rows: int, samples: int) -> None:
    found = 1 / ratio(sample(rows, samples, workers=2), sample(rows, samples), time.perf_counter)
    print(f"| {samples:,} samples of {rows:,} rows, one worker / two workers | {found:.2f} | at least 1.8 |")


def memory(rows: int) -> None:
    peaks = []
    for samples in (1_000, 10_000):
        work = sample(rows, samples)
        tracemalloc.start()
        work()
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    print(f"| {rows:,} rows, peak with 10,000 / 1,000 samples | {peaks[1] / peaks[0]:.2f} ({peaks[1]:.1f} MB) | 1 |")


def main() -> None:
    against_the_generator(16, 200_000)
    against_the_generator(2_000, 10_000)
    against_the_generator(50_000, 1_000)
    two_workers(2_000, 60_000)
    memory(2_000)


if __name__ == "__main__":
    main()
