"""Ballast against brute force over whole pieces, and against the vertices of continuous programmes, in fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf, isfinite

import numpy as np
import pytest

from massprops_cli.ballasts.inputs import BallastLimit, BallastPoint, RemovableItem
from massprops_cli.ballasts.problem import BallastCondition, BallastProblem, LimitRow
from massprops_cli.ballasts.solver import solve_ballast
from tests.examples import first

SCIPY = pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")
SLOW = pytest.mark.slow


def random_problem(seed: int, *, pieces: bool) -> BallastProblem:
    """Make a small problem of whole numbers, in which centres are often exactly on a limit."""
    draw = random.Random(seed)
    axes = draw.choice((1, 1, 2))
    names = ["Cx", "Cy"][:axes]
    conditions = [
        BallastCondition(f"c{k}", float(draw.randint(5, 40)), np.array([draw.randint(-8, 8), draw.randint(-8, 8), 0.0]))
        for k in range(draw.choice((1, 1, 2)))
    ]
    limits = []
    for name in names:
        low = draw.randint(-4, 3)
        high = low + draw.choice((0, 1, 2, 4)) if pieces else low + draw.choice((0, 1, 3))
        ends = draw.choice(((low, high), (low, high), (-inf, high), (low, inf)))
        limits.append(BallastLimit(f"{name} {ends}", name, float(ends[0]), float(ends[1]), "", 1.0))
    count = draw.randint(2, 4)
    points = []
    for i in range(count):
        place = (float(draw.randint(-20, 20)), float(draw.randint(-20, 20)), 0.0)
        if pieces:
            points.append(BallastPoint(f"p{i}", place, inf, float(draw.choice((1, 2, 3))), float(draw.randint(1, 4))))
        else:
            points.append(BallastPoint(f"p{i}", place, draw.choice((inf, float(draw.randint(1, 15))))))
    removable = []
    if pieces and draw.random() < 0.4:
        mass = float(draw.choice((1, 2)))
        removable.append(RemovableItem("old", draw.randint(1, 2), mass, (float(draw.randint(-9, 9)), 0.0, 0.0), ()))
    return BallastProblem(conditions, limits, points, removable)


def sums(problem: BallastProblem, amounts: Sequence[Fraction]) -> Iterator[tuple[Fraction, list[Fraction]]]:
    """Yield mass and centre of every condition with amounts."""
    for one in problem.conditions:
        masses = [
            Fraction(one.mass),
            *(v * Fraction(m) for v, m in zip(amounts, problem.unit_mass.tolist(), strict=True)),
        ]
        places = [one.center.tolist(), *problem.place.tolist()]
        total = sum(masses)
        centers = [sum(m * Fraction(p[a]) for m, p in zip(masses, places, strict=True)) / total for a in range(3)]
        yield total, centers


def miss(problem: BallastProblem, amounts: Sequence[Fraction]) -> Fraction:
    """Return the largest distance of a centre beyond a limit."""
    worst = Fraction(0)
    for _, center in sums(problem, amounts):
        for limit in problem.limits:
            value = center["xyz".index(limit.quantity[1])]
            worst = max([worst, *(value - Fraction(e) for e in (limit.high,) if isfinite(e))])
            worst = max([worst, *(Fraction(e) - value for e in (limit.low,) if isfinite(e))])
    return worst


def every_count(problem: BallastProblem) -> Iterator[tuple[Fraction, ...]]:
    """Yield all whole amounts."""
    yield from itertools.product(*(map(Fraction, range(int(most) + 1)) for most in problem.most))


def added(problem: BallastProblem, amounts: Sequence[Fraction]) -> Fraction:
    """Return the added mass less the removed mass."""
    return sum((v * Fraction(m) for v, m in zip(amounts, problem.unit_mass.tolist(), strict=True)), Fraction(0))


def keeps(problem: BallastProblem, rows: Sequence[LimitRow], amounts: Sequence[Fraction]) -> bool:
    """Return whether some rows are kept."""
    found = list(sums(problem, amounts))
    return all(row.side * (found[row.condition][1][row.axis] - Fraction(row.end)) <= 0 for row in rows)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 2000), marks=SLOW)], ids=str)
def test_whole_pieces_against_brute_force(seeds: range) -> None:
    impossible = 0
    for seed in seeds:
        problem = random_problem(seed, pieces=True)
        every = list(every_count(problem))
        possible = [v for v in every if not miss(problem, v)]
        answer = solve_ballast(problem)
        if possible:
            assert answer.status == "least", seed
            assert answer.amounts is not None
            exact = [Fraction(x) for x in answer.amounts.tolist()]
            assert not miss(problem, exact), seed
            assert added(problem, exact) == min(added(problem, v) for v in possible), seed
            continue
        impossible += 1
        assert (answer.status, answer.amounts) == ("impossible", None), seed
        assert answer.attempt is not None
        nearest = miss(problem, [Fraction(x) for x in answer.attempt.tolist()])
        assert float(nearest) == pytest.approx(float(min(miss(problem, v) for v in every)), rel=1e-9), seed
        _check_clash(problem, answer.clash, every, seed)
    assert 0.1 * len(seeds) < impossible < 0.9 * len(seeds)


def _check_clash(
    problem: BallastProblem, clash: Sequence[LimitRow], every: Sequence[Sequence[Fraction]], seed: int
) -> None:
    """The clashing rows are not kept together; where no amounts of any size do it, none of them can be omitted."""
    assert clash
    assert not any(keeps(problem, clash, v) for v in every), seed
    if len(clash) > 1:
        for row in clash:
            rest = [one for one in clash if one is not row]
            vertices = any(keeps(problem, rest, v) for v in every) or least_vertex(problem, rest) is not None
            assert vertices, seed


def least_vertex(problem: BallastProblem, rows: Sequence[LimitRow]) -> Fraction | None:
    """Return the least mass over all vertices of the continuous programme, in fractions; None where it has none."""
    n = len(problem.most)
    unit = [Fraction(m) for m in problem.unit_mass.tolist()]
    planes: list[tuple[list[Fraction], Fraction]] = []  # a · v ≤ b
    for row in rows:
        one = problem.conditions[row.condition]
        a = [
            row.side * (Fraction(p[row.axis]) - Fraction(row.end)) * m
            for p, m in zip(problem.place.tolist(), unit, strict=True)
        ]
        planes.append((a, row.side * Fraction(one.mass) * (Fraction(row.end) - Fraction(one.center[row.axis]))))
    for i, most in enumerate(problem.most.tolist()):
        axis = [Fraction(int(i == j)) for j in range(n)]
        planes.append(([-x for x in axis], Fraction(0)))
        if isfinite(most):
            planes.append((axis, Fraction(most)))
    best: Fraction | None = None
    for chosen in itertools.combinations(planes, n):
        v = solution([a for a, _ in chosen], [b for _, b in chosen])
        if v is None or any(sum(x * y for x, y in zip(a, v, strict=True)) > b for a, b in planes):
            continue
        mass = sum((x * y for x, y in zip(unit, v, strict=True)), Fraction(0))
        best = mass if best is None or mass < best else best
    return best


def solution(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a square system by elimination; None where it is singular."""
    n = len(rows)
    system = [[*row, b] for row, b in zip(rows, right, strict=True)]
    for i in range(n):
        pivot = next((k for k in range(i, n) if system[k][i]), None)
        if pivot is None:
            return None
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [x / system[i][i] for x in system[i]]
        for k in range(n):
            if k != i and system[k][i]:
                system[k] = [x - system[k][i] * y for x, y in zip(system[k], system[i], strict=True)]
    return [row[-1] for row in system]


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 500), marks=SLOW)], ids=str)
def test_any_masses_against_vertices(seeds: range) -> None:
    impossible = 0
    for seed in seeds:
        problem = random_problem(seed, pieces=False)
        least, answer = least_vertex(problem, problem.center_rows), solve_ballast(problem)
        if least is None:
            impossible += 1
            assert answer.status == "impossible", seed
            for row in answer.clash:
                assert least_vertex(problem, [one for one in answer.clash if one is not row]) is not None, seed
            assert least_vertex(problem, answer.clash) is None, seed
            continue
        assert answer.status == "least", seed
        assert answer.amounts is not None
        assert float(problem.unit_mass @ answer.amounts) == pytest.approx(float(least), rel=1e-9, abs=1e-9), seed
        assert float(miss(problem, [Fraction(x) for x in answer.amounts.tolist()])) < 1e-11, seed
    assert 0 < impossible < 0.9 * len(seeds)


def tensor_problem(seed: int) -> BallastProblem:
    """Make a problem in pieces with a box of the centre and a limit of a product or of a tilt."""
    draw = random.Random(seed)
    center = np.array([draw.randint(-3, 3) / 10 for _ in range(3)])
    tensor = np.array([40, 50, 45, draw.randint(-9, 9) / 3, draw.randint(-9, 9) / 3, 0])
    limits = [BallastLimit("Cx", "Cx", -0.3, 0.3, "", 1.0)]
    kind = draw.choice(("Ixy", "Ixz", "tilt xy"))
    low, high = (-inf, float(np.radians(3))) if kind == "tilt xy" else (-0.7, 0.7)
    limits.append(BallastLimit(kind, kind, low, high, "", 1.0))
    points = []
    for i in range(draw.randint(3, 5)):
        x, y, z = (draw.randint(-20, 20) / 10 for _ in range(3))
        points.append(BallastPoint(f"p{i}", (x, y, z), inf, 0.25, float(draw.randint(2, 4))))
    return BallastProblem([BallastCondition("c", float(draw.randint(20, 60)), center, tensor)], limits, points)


def keeps_tensor_limits(problem: BallastProblem, amounts: Sequence[float], slack: float) -> bool:
    """Return whether a box of the centre and the limit of the tensor are kept, by sums over point masses."""
    one, (box, limit) = problem.conditions[0], problem.limits
    assert one.inertia is not None
    masses = np.array([one.mass, *(np.array(amounts) * problem.unit_mass)])
    places = np.vstack([one.center, problem.place])
    center = masses @ places / masses.sum()
    xx, yy, zz, xy, xz, yz = one.inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    for mass, arm in zip(masses, places - center, strict=True):
        tensor = tensor + mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    if not box.low - slack <= center[0] <= box.high + slack:
        return False
    if limit.quantity == "tilt xy":
        principal = np.linalg.eigh(tensor[:2, :2])[1][:, 0]  # an axis of the plane, within 45° of x or of y
        angle = np.arctan2(min(abs(principal)), max(abs(principal)))
        return bool(angle <= limit.high + slack)
    entry = tensor[0, "xyz".index(limit.quantity[2])]
    return bool(limit.low - slack <= entry <= limit.high + slack)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 150), marks=SLOW)], ids=str)
def test_tensors_against_brute_force(seeds: range) -> None:
    """A local optimum need not be the least; here it is, and it is never reported where there is none."""
    impossible, others = 0, 0
    for seed in seeds:
        problem = tensor_problem(seed)
        every = itertools.product(*(range(int(most) + 1) for most in problem.most))
        masses = [float(problem.unit_mass @ np.array(v)) for v in every if keeps_tensor_limits(problem, v, 0.0)]
        answer = solve_ballast(problem)
        if answer.amounts is None:
            impossible += 1
            assert not masses, seed
            continue
        assert answer.status == "local optimum"
        assert keeps_tensor_limits(problem, answer.amounts.tolist(), 1e-9), seed
        mass = float(problem.unit_mass @ answer.amounts)
        assert mass >= min(masses), seed
        others += mass > min(masses)
    assert others <= SCIPY.__version__.startswith("1.13.")  # the lowest version finds another one of seed 4
    assert 0 < impossible < len(seeds)


@pytest.mark.parametrize("seed", first(range(30), 10))
def test_sigmas_that_change_with_the_centre_are_used_up(seed: int) -> None:
    """One place: the least mass is the root of c + k σ = limit, with σ² (M + x)² = V_hh − 2 u V_hm + u² V_mm."""
    from scipy.optimize import brentq

    draw = np.random.default_rng(seed)
    mass, center, at, k = draw.uniform(300, 700), draw.uniform(0.02, 0.05), -draw.uniform(0.5, 1.5), 3.0
    root = np.diag([draw.uniform(3, 15), 1.0]) @ draw.normal(size=(2, 2))
    of_two, V = root @ root.T, np.zeros((10, 10))
    V[:2, :2] = of_two
    limit = center + k * np.sqrt(of_two[1, 1]) / mass - draw.uniform(0.001, 0.01)

    def excess(x: float) -> float:
        u = x * (at - center) / (mass + x)
        sigma = np.sqrt(of_two[1, 1] - 2 * u * of_two[0, 1] + u * u * of_two[0, 0]) / (mass + x)
        return float(center + u + k * sigma - limit)

    condition = BallastCondition("c", mass, np.array([center, 0.0, 0.0]), None, V)
    limits = [BallastLimit("Cx", "Cx", -np.inf, limit, "m", 1.0)]
    answer = solve_ballast(BallastProblem([condition], limits, [BallastPoint("P", (at, 0.0, 0.0))], (), k))
    assert answer.amounts is not None
    least = brentq(excess, 0.0, 100.0, xtol=1e-13, rtol=1e-14)
    assert answer.amounts[0] == pytest.approx(least, rel=1e-9)
