"""A list of 10,000 items reconciled with 100 measurements of 20 assemblies: values, σ and covariances of all items."""

from __future__ import annotations

import statistics
import time

import numpy as np

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import Place
from massprops_cli.reconciliations.measurements import Measurement
from massprops_cli.reconciliations.prior import PriorModel
from massprops_cli.reconciliations.update import Estimator
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.trees.tree import Tree

ITEMS, BRANCHES, RUNS = 10_000, 8, 5
QUANTITIES = ("mass", "Cx", "Cy", "Cz", "Ixx")


def list_of_items() -> RollupInputs:
    rng = np.random.default_rng(1)
    parents = np.array([-1, *((i - 1) // BRANCHES for i in range(1, ITEMS))])
    bodies = Bodies(
        rng.uniform(1, 5, ITEMS),
        rng.uniform(-1, 1, (ITEMS, 3)),
        np.hstack([rng.uniform(0.1, 0.15, (ITEMS, 3)), np.zeros((ITEMS, 3))]),
        np.zeros(ITEMS, bool),
    )
    sigmas = Sigmas(np.full(ITEMS, 0.05), np.full((ITEMS, 3), 0.01), np.full((ITEMS, 6), 0.003))
    return RollupInputs.of(Tree.from_parents(parents), bodies, sigmas)


def measurements(prior: PriorModel) -> list[Measurement]:
    at = prior.at(prior.inputs.bodies)
    assert at.bodies.inertia is not None
    made = []
    for k in range(100):
        item, quantity = k // 5, QUANTITIES[k % 5]
        mass = float(at.bodies.mass[item])
        value = {"mass": mass, "Ixx": float(at.bodies.inertia[item, 0])}.get(quantity)
        value = float(at.center[item, "xyz".index(quantity[1])]) if value is None else value
        place = {"mass": 0, "Ixx": 4}.get(quantity, 1)
        sigma = float(at.own[item, place, place]) ** 0.5 / (mass if quantity[0] == "C" else 1)
        made.append(Measurement("", Place(""), item, quantity, value + sigma / 2, sigma / 3, "", 1.0))
    return made


def main() -> None:
    inputs, seconds = list_of_items(), []
    given = measurements(PriorModel(inputs))
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        made = Estimator(PriorModel(inputs), given).run()
        assert made.converged
        made.covariances()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds[1:])  # the first is the warm-up
    print(f"| reconcile {ITEMS:,} items with 100 measurements | {median:.2f} s | 2 s |")


if __name__ == "__main__":
    main()
