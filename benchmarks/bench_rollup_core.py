"""The roll-up alone: CPU time of a million rows, growth with size, and narrow trees against a plain loop over items."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from made_tables import parents_of

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import Tree


def bodies_for(n: int) -> tuple[Bodies, Sigmas]:
    rng = np.random.default_rng(0)
    mass, center = rng.uniform(0.1, 1, n), rng.uniform(-100, 100, (n, 3))
    inertia = np.abs(rng.normal(5, 1, (n, 6)))
    return Bodies(mass, center, inertia, np.zeros(n, bool)), Sigmas(0.1 * mass, 0.1 * np.abs(center), 0.1 * inertia)


def comb(n: int) -> np.ndarray:
    """Make a chain in which every assembly contains one leaf and the next assembly."""
    parent = np.empty(n, int)
    parent[0] = -1
    parent[1::2] = np.arange(0, n - 1, 2)
    parent[2::2] = np.arange(0, n - 2, 2)
    return parent


def cpu_of(work: Callable[[], object], runs: int = 5) -> float:
    """Smallest CPU time of a few runs: other load on the machine can only increase it."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def plain_loop(parents: np.ndarray, bodies: Bodies, sigmas: Sigmas) -> list[list[float]]:
    """Compute the same sums in a plain loop: one item after the other, with its children in a list."""
    assert bodies.center is not None
    assert bodies.inertia is not None
    assert sigmas.center is not None
    assert sigmas.inertia is not None
    value = np.column_stack([bodies.mass, bodies.center, bodies.inertia]).tolist()
    sigma = np.column_stack([sigmas.mass, sigmas.center, sigmas.inertia]).tolist()
    children: list[list[int]] = [[] for _ in value]
    for i, p in enumerate(parents.tolist()):
        if p >= 0:
            children[p].append(i)
    for i in range(len(value) - 1, -1, -1):
        if children[i]:
            combine_children(value, sigma, i, children[i])
    return value


def combine_children(value: list[list[float]], sigma: list[list[float]], i: int, children: list[int]) -> None:
    """Equations of sections 1 and 2 of the formulas, for one assembly."""
    m = sum(value[k][0] for k in children)
    c = [sum(value[k][0] * value[k][a] for k in children) / m for a in (1, 2, 3)]
    t, v, s_m, s_c = [0.0] * 6, [0.0] * 6, 0.0, [0.0] * 3
    for k in children:
        w, s = value[k], sigma[k]
        d = [w[1] - c[0], w[2] - c[1], w[3] - c[2]]
        s_m += s[0] ** 2
        for a, b, e in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
            r = d[b] ** 2 + d[e] ** 2
            t[a] += w[4 + a] + w[0] * r
            s_c[a] += (w[0] * s[1 + a]) ** 2 + (s[0] * d[a]) ** 2
            near, far = 2 * w[0] * d[b] * s[1 + b], 2 * w[0] * d[e] * s[1 + e]
            v[a] += s[4 + a] ** 2 + near**2 + far**2 + (s[0] * r) ** 2
        for q, a, b in ((3, 0, 1), (4, 0, 2), (5, 1, 2)):
            t[q] += w[4 + q] - w[0] * d[a] * d[b]
            near, far = w[0] * d[a] * s[1 + b], w[0] * d[b] * s[1 + a]
            v[q] += s[4 + q] ** 2 + near**2 + far**2 + (s[0] * d[a] * d[b]) ** 2
    value[i] = [m, *c, *t]
    sigma[i] = [s_m**0.5, *(x**0.5 / m for x in s_c), *(x**0.5 for x in v)]


def against_plain_loop(name: str, parents: np.ndarray) -> None:
    bodies, sigmas = bodies_for(len(parents))
    ours = cpu_of(lambda: roll_up(RollupInputs.of(Tree.from_parents(parents), bodies, sigmas), method="massprops"))
    plain = cpu_of(lambda: plain_loop(parents, bodies, sigmas))
    assert bodies.inertia is not None
    print(f"| {name} | {ours:.2f} s, plain loop {plain:.2f} s: {ours / plain:.2f} | – |")


def main() -> None:
    seconds = {}
    for n in (500_000, 1_000_000, 2_000_000):
        parents = parents_of(n, int(0.28 * n), np.random.default_rng(1))
        tree, (bodies, sigmas) = Tree.from_parents(parents), bodies_for(n)
        seconds[n] = cpu_of(lambda t=tree, b=bodies, s=sigmas: roll_up(RollupInputs.of(t, b, s), method="massprops"))
    million = seconds[1_000_000]
    print(f"| roll-up of 1,000,000 rows with sigmas, method massprops | {million:.2f} s CPU | at most 0.5 s |")
    print(f"| twice the rows (0.5 to 1 million) | {million / seconds[500_000]:.2f} × | at most 2.2 |")
    print(f"| twice the rows (1 to 2 million) | {seconds[2_000_000] / million:.2f} × | at most 2.2 |")
    against_plain_loop("chain of 10,000 assemblies", np.arange(-1, 9_999))
    against_plain_loop("comb of 20,001 items, 10,000 deep", comb(20_001))


if __name__ == "__main__":
    main()
