"""Least ballast with k sigmas inside against cones, where cvxpy with Clarabel is installed.

For a given total the rows are second-order cones; a total a little below the answer must have no solution.
"""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.ballasts.inputs import BallastLimit, BallastPoint
from massprops_cli.ballasts.problem import BallastCondition, BallastProblem
from massprops_cli.ballasts.solver import solve_ballast

cp = pytest.importorskip("cvxpy")
pytest.importorskip("clarabel")
TIGHT = {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13, "tol_feas": 1e-13}


def drawn_problem(draw: np.random.Generator) -> BallastProblem:
    """One to three conditions with any covariance of mass and first moments, limits of one to three axes."""
    conditions = []
    for k in range(int(draw.integers(1, 4))):
        mass, center, V = draw.uniform(300, 700), draw.normal(0, 0.02, 3), np.zeros((10, 10))
        root = draw.normal(size=(4, 4)) * np.array([draw.choice([0.5, 3, 15]), 1, 1, 1])[:, None]
        V[:4, :4] = root @ root.T
        conditions.append(BallastCondition(f"c{k}", float(mass), center, None, V))
    limits = []
    for axis in draw.permutation(3)[: int(draw.integers(1, 4))]:
        middle, half = draw.normal(0, 0.01), draw.uniform(0.01, 0.03)
        limits.append(BallastLimit("limit", "C" + "xyz"[axis], float(middle - half), float(middle + half), "m", 1.0))
    places = [draw.uniform(-1, 1, 3).tolist() for _ in range(int(draw.integers(3, 7)))]
    points = [BallastPoint(f"P{i}", tuple(at), most=float(draw.uniform(2, 40))) for i, at in enumerate(places)]
    return BallastProblem(conditions, limits, points, (), float(draw.choice([1, 2, 3])))


def least_excess(problem: BallastProblem, total: float) -> float:
    """The least over all amounts of a total of the largest excess of c + k σ beyond its limit, length."""
    x, excess = cp.Variable(len(problem.most)), cp.Variable()
    rows = [x >= 0, x <= problem.most, problem.unit_mass @ x == total]
    for row in problem.center_rows:
        one, a = problem.conditions[row.condition], row.axis
        mass, moment = one.mass + total, problem.unit_mass * (problem.place[:, a] - one.center[a])
        factor = np.linalg.cholesky(one.covariance[np.ix_([0, a + 1], [0, a + 1])]).T
        sigma = cp.norm(factor @ cp.hstack([-(moment @ x) / mass, 1.0])) / mass
        rows.append(row.side * (one.center[a] + moment @ x / mass - row.end) + problem.sigma * sigma <= excess)
    return float(cp.Problem(cp.Minimize(excess), rows).solve(solver=cp.CLARABEL, **TIGHT))


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # digits beyond those that Clarabel promises
@pytest.mark.parametrize("seed", range(40))
def test_no_cone_has_an_answer_below_the_least_mass(seed: int) -> None:
    problem = drawn_problem(np.random.default_rng(seed))
    answer = solve_ballast(problem)
    if answer.amounts is None:
        totals = np.linspace(0, problem.most.sum(), 12)
        assert min(least_excess(problem, total) for total in totals) > 0
        return
    total = float(problem.unit_mass @ answer.amounts)
    if total:
        assert least_excess(problem, total * (1 + 1e-7)) < 1e-12
        assert min(least_excess(problem, total * share) for share in (0.9, 0.999, 1 - 1e-7)) > 0
