"""Ballast at 10,000 places, of any mass and in pieces: centre in a box, one condition and fifty."""

from __future__ import annotations

import statistics
import time

import numpy as np

from massprops_cli.ballasts.inputs import BallastLimit, BallastPoint
from massprops_cli.ballasts.problem import BallastCondition, BallastProblem
from massprops_cli.ballasts.solver import solve_ballast

PLACES, RUNS = 10_000, 5


def problem(conditions: int, piece: float) -> BallastProblem:
    rng = np.random.default_rng(1)
    most = (0.0, float("inf")) if not piece else (piece, 8.0)
    places = rng.uniform(-1, 1, (PLACES, 3)).tolist()
    points = [BallastPoint(f"P{k}", (x, y, z), 2.0, *most) for k, (x, y, z) in enumerate(places)]
    centers = np.array([0.03, -0.02, 0.4]) + rng.uniform(-0.003, 0.003, (conditions, 3))
    cases = [BallastCondition(f"c{k}", 850.0 + k, center) for k, center in enumerate(centers)]
    limits = [BallastLimit(name, name, -0.005, 0.005, "m", 1.0) for name in ("Cx", "Cy")]
    return BallastProblem(cases, limits, points)


def main() -> None:
    for conditions, piece in ((1, 0.0), (1, 0.25), (50, 0.0)):
        seconds = []
        for _ in range(RUNS + 1):
            start = time.perf_counter()
            made = problem(conditions, piece)
            answer = solve_ballast(made)
            assert answer.status == "least", answer.status
            assert answer.amounts is not None
            made.check_by_rollup(answer.amounts)
            seconds.append(time.perf_counter() - start)
        what = f"pieces of {piece:g}" if piece else "any mass"
        median = statistics.median(seconds[1:])  # the first is the warm-up
        print(f"| ballast at {PLACES:,} places, {what}, {conditions} condition(s) | {median:.2f} s | 1 s |")


if __name__ == "__main__":
    main()
