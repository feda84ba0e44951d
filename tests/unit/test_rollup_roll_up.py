"""Rolling up: closed forms, exact arithmetic, quantities, points, branches that cancel, what is missing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import _BLOCK, ItemQuantity, Tree


def bodies_of(ten: Any, is_point: Any = None, **masks: Any) -> Bodies:
    values = np.array(ten, dtype=float)
    point = np.zeros(len(values), bool) if is_point is None else np.array(is_point)
    return Bodies(values[:, 0], values[:, 1:4], values[:, 4:10], point, **masks)


def sigmas_of(ten: Any) -> Sigmas:
    values = np.array(ten, dtype=float)
    return Sigmas(values[:, 0], values[:, 1:4], values[:, 4:10])


def ten_of(rolled: Rollup, i: int = 0) -> np.ndarray:
    assert rolled.bodies.center is not None
    assert rolled.bodies.inertia is not None
    return np.array([rolled.bodies.mass[i], *rolled.bodies.center[i], *rolled.bodies.inertia[i]])


def sigma_ten_of(rolled: Rollup, i: int = 0) -> np.ndarray:
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    assert rolled.sigmas.inertia is not None
    return np.array([rolled.sigmas.mass[i], *rolled.sigmas.center[i], *rolled.sigmas.inertia[i]])


NOTHING = [0.0] * 10
A = [2.0, 1.0, -2.0, 3.0, 4.0, 5.0, 6.0, 0.1, -0.2, 0.3]
B = [3.0, -1.5, 0.5, 2.0, 2.0, 2.5, 3.0, 0.05, 0.1, -0.15]
C = [0.5, 10.0, 4.0, -6.0, 0.2, 0.3, 0.4, 0.0, 0.01, 0.02]
SA = [0.1, 0.2, 0.3, 0.15, 0.4, 0.5, 0.6, 0.01, 0.02, 0.03]
SB = [0.2, 0.1, 0.05, 0.25, 0.2, 0.25, 0.3, 0.005, 0.01, 0.015]
SC = [0.05, 0.4, 0.6, 0.3, 0.02, 0.03, 0.04, 0.001, 0.002, 0.003]


def two_halves_of_a_cube() -> tuple[Tree, Bodies]:
    """A cube of mass 12 and side 1 from two half cubes: I = m a²/6 = 2."""
    half = [6.0, 0.0, 0.0, 0.0, 1.0, 0.625, 0.625, 0.0, 0.0, 0.0]
    left, right = [*half], [*half]
    left[1], right[1] = -0.25, 0.25
    return Tree.from_parents([-1, 0, 0]), bodies_of([NOTHING, left, right])


def test_a_cube_of_two_halves() -> None:
    rolled = roll_up(RollupInputs.of(*two_halves_of_a_cube()), method="none")
    assert ten_of(rolled).tolist() == [12, 0, 0, 0, 2, 2, 2, 0, 0, 0]
    assert rolled.radii is not None
    assert rolled.radii[0] == pytest.approx(np.full(3, 6**-0.5), rel=1e-15)


def test_unknown_method_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="guess"):
        roll_up(RollupInputs.of(*two_halves_of_a_cube()), method="guess")


def by_the_formulas(children: list[tuple[list[float], list[float], float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """One level in plain Python from the published formulas: (ten, sigmas, count, variance weight) → ten, sigmas."""
    m = sum(n * v[0] for v, _, n, _ in children)
    c = [sum(n * v[0] * v[1 + a] for v, _, n, _ in children) / m for a in range(3)]
    six, var, var_m, var_c = [0.0] * 6, [0.0] * 6, 0.0, [0.0] * 3
    for v, s, n, w in children:
        d = [v[1 + a] - c[a] for a in range(3)]
        var_m += w * s[0] ** 2
        for a in range(3):
            b, e = (a + 1) % 3, (a + 2) % 3
            six[a] += n * (v[4 + a] + v[0] * (d[b] ** 2 + d[e] ** 2))
            var_c[a] += w * ((v[0] * s[1 + a]) ** 2 + (s[0] * d[a]) ** 2)
            var[a] += w * (
                s[4 + a] ** 2
                + (2 * v[0] * d[b] * s[1 + b]) ** 2
                + (2 * v[0] * d[e] * s[1 + e]) ** 2
                + (s[0] * (d[b] ** 2 + d[e] ** 2)) ** 2
            )
        for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)], start=3):
            six[k] += n * (v[4 + k] - v[0] * d[a] * d[b])
            var[k] += w * (
                s[4 + k] ** 2
                + (v[0] * d[a] * s[1 + b]) ** 2
                + (v[0] * d[b] * s[1 + a]) ** 2
                + (s[0] * d[a] * d[b]) ** 2
            )
    ten = np.array([m, *c, *six])
    return ten, np.array([var_m**0.5, *(x**0.5 / abs(m) for x in var_c), *(x**0.5 for x in var)])


@pytest.mark.spread(2)
@pytest.mark.parametrize("copies", [1, 20, 200], ids=["few", "some", "many"])
@pytest.mark.parametrize(
    ("count", "measured", "weight"),
    [
        ((1.0, 1.0, 1.0), (False, False, False), (1.0, 1.0, 1.0)),
        ((4.0, 1.0, 2.0), (False, False, False), (4.0, 1.0, 2.0)),
        ((4.0, 3.0, -2.0), (False, False, False), (4.0, 3.0, 2.0)),
        ((1.7, 1.0, 2.5), (True, False, True), (1.7**2, 1.0, 2.5**2)),
    ],
    ids=["one each", "several", "some removed", "measured"],
)
def test_one_level_by_the_formulas(
    copies: int, count: tuple[float, ...], measured: tuple[bool, ...], weight: tuple[float, ...]
) -> None:
    """``copies`` equal assemblies side by side make the level narrow or wide; each is compared."""
    tens, sigmas = [A, B, C], [SA, SB, SC]
    parent = [-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 3).tolist()]
    inner = [NOTHING] * (copies + 1)
    quantity = ItemQuantity(
        np.array([*[1.0] * (copies + 1), *count * copies]), np.array([*[False] * (copies + 1), *measured * copies])
    )
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            bodies_of([*inner, *tens * copies]),
            sigmas_of([*inner, *sigmas * copies]),
            quantity,
        ),
        method="massprops",
    )
    ten, sigma = by_the_formulas(list(zip(tens, sigmas, count, weight, strict=True)))
    for i in range(1, copies + 1):
        assert ten_of(rolled, i) == pytest.approx(ten, rel=1e-13, abs=1e-13)
        assert sigma_ten_of(rolled, i) == pytest.approx(sigma, rel=1e-13)
    # leaves are returned as they were given
    assert ten_of(rolled, copies + 1).tolist() == A
    assert sigma_ten_of(rolled, copies + 1).tolist() == SA


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_two_levels_with_quantities_at_both(copies: int) -> None:
    parent = [-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 2).tolist()]
    inner = [NOTHING] * (copies + 1)
    quantity = ItemQuantity(np.array([1.0, *[3.0] * copies, *[2.0, 1.0] * copies]), np.zeros(3 * copies + 1, bool))
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            bodies_of([*inner, *[A, B] * copies]),
            sigmas_of([*inner, *[SA, SB] * copies]),
            quantity,
        )
    )
    middle = by_the_formulas([(A, SA, 2, 2), (B, SB, 1, 1)])
    top = by_the_formulas([(middle[0].tolist(), middle[1].tolist(), 3, 3)] * copies)
    assert ten_of(rolled) == pytest.approx(top[0], rel=1e-13, abs=1e-12)
    assert sigma_ten_of(rolled) == pytest.approx(top[1], rel=1e-13)


def test_sigma_of_a_radius_from_the_direct_children_only() -> None:
    rolled = roll_up(
        RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies_of([NOTHING, A, B]), sigmas_of([NOTHING, SA, SB]))
    )
    ten, sigma = by_the_formulas([(A, SA, 1, 1), (B, SB, 1, 1)])
    assert rolled.sigma_radii is not None
    for a in range(3):
        b, e = (a + 1) % 3, (a + 2) % 3
        cov = sum(
            s[0] ** 2 * ((v[1 + b] - ten[1 + b]) ** 2 + (v[1 + e] - ten[1 + e]) ** 2) for v, s in ((A, SA), (B, SB))
        )
        m, i, s_i, s_m = ten[0], ten[4 + a], sigma[4 + a], sigma[0]
        expected = 0.5 * (s_i**2 / (m * i) + i * s_m**2 / m**3 - 2 * cov / m**2) ** 0.5
        assert rolled.sigma_radii[0, a] == pytest.approx(expected, rel=1e-13)
        m, i, s_i, s_m = A[0], A[4 + a], SA[4 + a], SA[0]
        leaf = 0.5 * (s_i**2 / (m * i) + i * s_m**2 / m**3) ** 0.5
        assert rolled.sigma_radii[1, a] == pytest.approx(leaf, rel=1e-13)


def exact_trace(mass: np.ndarray, center: np.ndarray) -> Fraction:
    """The trace of the tensor of point masses about their centre, in rational arithmetic on the doubles."""
    m = [Fraction(x) for x in mass.tolist()]
    total = sum(m, Fraction(0))
    trace = Fraction(0)
    for a in range(3):
        x = [Fraction(v) for v in center[:, a].tolist()]
        mean = sum((p * q for p, q in zip(m, x, strict=True)), Fraction(0)) / total
        trace += 2 * sum((p * (q - mean) ** 2 for p, q in zip(m, x, strict=True)), Fraction(0))
    return trace


@pytest.mark.spread(2)
@pytest.mark.parametrize("distance", [1e6, 1e9])
@pytest.mark.parametrize("nesting", ["flat", "pairs", "chain"])
def test_small_parts_far_away_keep_fourteen_digits(nesting: str, distance: float) -> None:
    k = 512
    rng = np.random.default_rng(7)
    mass = rng.uniform(0.5, 2.0, k)
    center = rng.uniform(-5e-4, 5e-4, (k, 3)) + distance * np.array([1.0, -0.7, 0.3])
    if nesting == "flat":
        parent = np.append([-1], np.zeros(k, int))
    elif nesting == "pairs":
        parent = np.append([-1], (np.arange(2 * k - 2)) // 2)
    else:  # assembly j holds leaf j and assembly j + 1
        parent = np.concatenate([np.arange(-1, k - 1), np.arange(k)])
    tree = Tree.from_parents(parent)
    leaves = np.flatnonzero(tree.is_leaf())
    assert len(leaves) == k
    n = len(tree)
    all_mass, all_center = np.zeros(n), np.zeros((n, 3))
    all_mass[leaves], all_center[leaves] = mass, center
    for size in (1, 0):  # also with a tensor of their own
        own = np.zeros((n, 6))
        own[leaves, :3] = size * 1e-9
        rolled = roll_up(RollupInputs.of(tree, Bodies(all_mass, all_center, own, np.zeros(n, bool))), method="none")
        assert rolled.bodies.inertia is not None
        ours = sum(Fraction(x) for x in rolled.bodies.inertia[0, :3].tolist())
        exact = exact_trace(mass, center) + 3 * k * Fraction(size * 1e-9)
        assert abs(ours / exact - 1) < Fraction(1, 10**14)


# points


@pytest.mark.parametrize("adjacent", [0, 1], ids=["alone", "beside a point"])
def test_a_stated_assembly_above_a_point_is_what_its_row_states(adjacent: int) -> None:
    """Its own tensor goes up, though all that is below it is a point."""
    parent = [-1, 0, 1, *[0] * adjacent]
    box, point = [5.0, 1, 1, 1, 2, 2, 2, 0, 0, 0], [4.0, 1, 1, 1, *[0.0] * 6]
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            bodies_of([NOTHING, box, *[point] * (1 + adjacent)], [False, False, *[True] * (1 + adjacent)]),
            sigmas_of([SA] * len(parent)),
            stated=np.array([False, True, *[False] * (1 + adjacent)]),
        )
    )
    assert not rolled.bodies.is_point[:2].any()
    assert ten_of(rolled)[4:].tolist() == box[4:]
    assert sigma_ten_of(rolled)[4:] == pytest.approx(SA[4:])


def point_pair(distance: float, copies: int) -> Rollup:
    """Assemblies of two point masses ``distance`` apart in a tree of extent 4, given with tensors that do not count."""
    parent = [-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 2).tolist(), 0]
    rows = [NOTHING] * (copies + 1)
    for _ in range(copies):
        rows += [[1.0, 5, 5, 5, *[9.0] * 6], [1.0, 5 + distance, 5, 5, *[9.0] * 6]]
    rows.append([1.0, 9.0, 5, 5, *[9.0] * 6])
    point = [False] * (copies + 1) + [True] * (2 * copies + 1)
    return roll_up(
        RollupInputs.of(Tree.from_parents(parent), bodies_of(rows, point), sigmas_of([[0.1] * 10] * len(rows)))
    )


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_points_at_one_place_are_a_point(copies: int) -> None:
    rolled = point_pair(4e-12, copies)
    assert rolled.bodies.is_point[1]
    assert not rolled.bodies.is_point[0]
    assert ten_of(rolled, 1)[4:].tolist() == [0.0] * 6
    assert sigma_ten_of(rolled, 1)[4:].tolist() == [0.0] * 6
    assert rolled.radii is not None
    assert rolled.sigma_radii is not None
    assert np.isnan(rolled.radii[1]).all()
    assert np.isnan(rolled.sigma_radii[1]).all()
    # the assembly's sigmas of inertia are 0 and the points' own cells do not count
    m = 2.0 * copies
    assert ten_of(rolled)[5] == pytest.approx(16 * m / (m + 1), rel=1e-7)


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_points_apart_are_none(copies: int) -> None:
    for gap in (6e-12, 8e-8):
        rolled = point_pair(gap, copies)
        assert not rolled.bodies.is_point[1]
        assert ten_of(rolled, 1)[5] == pytest.approx(0.5 * gap**2, rel=1e-3)


@pytest.mark.parametrize("depth", [1, 40])
@pytest.mark.parametrize("absent", [0, 1])
def test_a_point_that_does_not_count_is_not_a_place(depth: int, absent: int) -> None:
    """One point elsewhere with quantity 0, first or last in its family: the whole is the other point."""
    n = depth + 2
    tree = Tree.from_parents([*range(-1, depth - 1), depth - 1, depth - 1])
    center, count = np.zeros((n, 3)), np.ones(n)
    center[-1] = 5.0
    count[depth + absent] = 0.0
    points = Bodies(np.ones(n), center, np.zeros((n, 6)), tree.is_leaf())
    rolled = roll_up(RollupInputs.of(tree, points, quantity=ItemQuantity(count, np.zeros(n, bool))), method="none")
    assert rolled.bodies.is_point.all()
    assert rolled.radii is not None
    assert np.isnan(rolled.radii).all()


@pytest.mark.parametrize("copies", [1, 20, 200])
@pytest.mark.parametrize(("gap", "is_point"), [(2e-12, True), (4.9e-12, True), (5.2e-12, False)])
def test_points_within_points_within_points(copies: int, gap: float, is_point: bool) -> None:
    """Each assembly holds a point and an assembly of two points off by ``gap``; the largest coordinate is 5."""
    middle = range(1, copies + 1)
    lower = range(copies + 1, 2 * copies + 1)
    parent = [-1, *[0] * copies, *middle, *middle, *[k for k in lower for _ in range(2)], 0]
    rows = [NOTHING] * (2 * copies + 1)
    rows += [[1.0, 5, 5, 5, *[0.0] * 6]] * copies
    rows += [[1.0, 5, 5, 5 + gap, *[0.0] * 6], [1.0, 5, 5, 5 + gap, *[0.0] * 6]] * copies
    rows.append([1.0, 5.0, 9.0, 5, *[0.0] * 6])
    point = [False] * (2 * copies + 1) + [True] * (3 * copies + 1)
    rolled = roll_up(RollupInputs.of(Tree.from_parents(parent), bodies_of(rows, point)), method="none")
    assert rolled.bodies.is_point[copies + 1]
    assert rolled.bodies.is_point[1] == is_point
    assert not rolled.bodies.is_point[0]


@pytest.mark.parametrize("copies", [2, 20, 200])
def test_every_second_assembly_is_a_point(copies: int) -> None:
    """Each holds a point at 5 + 4.5e-12 and two at 5 and 5 + 1e-12, or at 5 − 4e-12 and 5; the limit is 5e-12."""
    middle = range(1, copies + 1)
    rows = [NOTHING] * (copies + 1) + [[1.0, 5.0 + 4.5e-12, 5, 5, *[0.0] * 6]] * copies + [NOTHING] * copies
    for k in range(copies):
        rows += [[1.0, 5, 5, 5, *[0.0] * 6], [1.0, 5 - 4e-12 if k % 2 else 5 + 1e-12, 5, 5, *[0.0] * 6]]
    rows.append([1.0, 9.0, 5, 5, *[0.0] * 6])
    # the direct points are before the assemblies of two in the file
    lower_items = range(2 * copies + 1, 3 * copies + 1)
    parent = [-1, *[0] * copies, *middle, *middle, *[k for k in lower_items for _ in range(2)], 0]
    point = [False] * (copies + 1) + [True] * copies + [False] * copies + [True] * (2 * copies + 1)
    rolled = roll_up(RollupInputs.of(Tree.from_parents(parent), bodies_of(rows, point)), method="none")
    assert rolled.bodies.is_point[1 : copies + 1].tolist() == [k % 2 == 0 for k in range(copies)]
    assert rolled.bodies.is_point[lower_items].all()


def test_a_missing_centre_does_not_stretch_the_tree() -> None:
    """Two points 1e-3 apart at 1e6 are not at one place because a third has no centre, which is not 0."""
    rows = [NOTHING, NOTHING, [1.0, 1e6, 0, 0, *[0.0] * 6], [1.0, 1e6 + 1e-3, 0, 0, *[0.0] * 6], [1.0, *[0.0] * 9]]
    has_center = np.array([True, True, True, True, False])
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, 0, 1, 1, 0]),
            bodies_of(rows, [False, False, True, True, True], has_center=has_center),
        ),
        method="none",
    )
    assert not rolled.bodies.is_point[1]
    assert ten_of(rolled, 1)[5] == pytest.approx(0.5e-6, rel=1e-6)


def test_a_point_has_no_tensor_of_its_own() -> None:
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, 0, 0]),
            bodies_of([NOTHING, A, B], [False, True, False]),
            sigmas_of([NOTHING, SA, SB]),
        )
    )
    bare_a, bare_sa = [*A[:4], *[0.0] * 6], [*SA[:4], *[0.0] * 6]
    ten, sigma = by_the_formulas([(bare_a, bare_sa, 1, 1), (B, SB, 1, 1)])
    assert ten_of(rolled) == pytest.approx(ten, rel=1e-13)
    assert sigma_ten_of(rolled) == pytest.approx(sigma, rel=1e-13)


# branches that cancel


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_a_branch_whose_masses_cancel_hands_up_its_moments(copies: int) -> None:
    """Root: ``copies`` branches of +A and −A' next to B; flat and nested must agree."""
    minus = [-A[0], A[1] + 1.0, A[2], A[3] - 2.0, *[-x for x in A[4:]]]
    nested = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 2).tolist(), 0]),
            bodies_of([*[NOTHING] * (copies + 1), *[A, minus] * copies, B]),
            sigmas_of([*[NOTHING] * (copies + 1), *[SA, SA] * copies, SB]),
        )
    )
    flat = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, *[0] * (2 * copies + 1)]),
            bodies_of([NOTHING, *[A, minus] * copies, B]),
            sigmas_of([NOTHING, *[SA, SA] * copies, SB]),
        )
    )
    assert ten_of(nested) == pytest.approx(ten_of(flat), rel=1e-12)
    assert sigma_ten_of(nested)[0] == pytest.approx(sigma_ten_of(flat)[0], rel=1e-13)
    assert nested.cancelled.tolist() == [False, *[True] * copies, *[False] * (2 * copies + 1)]
    assert nested.bodies.mass[1] == 0.0
    assert nested.bodies.has_center is not None
    assert nested.bodies.has_inertia is not None
    assert nested.bodies.has_center.tolist() == nested.bodies.has_inertia.tolist() == (~nested.cancelled).tolist()
    assert nested.radii is not None
    assert np.isnan(nested.radii[1]).all()


@pytest.mark.parametrize("copies", [1, 20, 200])
@pytest.mark.parametrize(("excess", "cancels"), [(0.0, True), (1.9e-9, True), (2.1e-9, False)])
def test_masses_that_cancel_all_but_for_rounding(copies: int, excess: float, cancels: bool) -> None:
    """A branch of +1 and −1 (1 + excess) counts as massless below 1e-9 of the sizes, 2 and a little."""
    plus, minus = [1.0, *A[1:]], [-(1.0 + excess), *A[1:]]
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 2).tolist(), 0]),
            bodies_of([*[NOTHING] * (copies + 1), *[plus, minus] * copies, B]),
        ),
        method="none",
    )
    assert rolled.cancelled[1 : copies + 1].all() == cancels
    assert (rolled.bodies.mass[1] == 0.0) == cancels
    assert not rolled.cancelled[0]


# missing values and coverage


def test_what_is_missing_is_not_zero() -> None:
    """Top(1: S(3: A, 4: no mass), 2: T(5: no centre, 6: all), 7 left out)."""
    ten = [NOTHING, NOTHING, NOTHING, A, [0.0, *B[1:]], [3.0, 0, 0, 0, *B[4:]], C, C]
    known = np.ones(8, bool)
    has_mass, has_center, has_inertia = known.copy(), known.copy(), known.copy()
    has_mass[4] = has_center[5] = has_inertia[5] = False
    count = np.ones(8)
    count[7] = 0.0
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, 0, 0, 1, 1, 2, 2, 0]),
            bodies_of(ten, has_mass=has_mass, has_center=has_center, has_inertia=has_inertia),
            quantity=ItemQuantity(count, np.zeros(8, bool)),
        ),
        method="none",
    )
    assert rolled.bodies.mass[0] == A[0] + 3.0 + C[0]
    coverage = rolled.coverage
    assert coverage.rows.tolist()[:3] == [4, 2, 2]
    assert coverage.known_mass.tolist()[:3] == [3, 1, 2]
    assert coverage.known_center.tolist()[:3] == [2, 1, 1]
    assert coverage.known_inertia.tolist()[:3] == [2, 1, 1]
    assert coverage.known_sigma.tolist()[:3] == [0, 0, 0]
    assert coverage.mass_share_center[0] == pytest.approx((A[0] + C[0]) / (A[0] + 3.0 + C[0]))
    assert coverage.mass_share_inertia[2] == pytest.approx(C[0] / (3.0 + C[0]))
    assert rolled.bodies.has_mass is not None
    assert rolled.bodies.has_center is not None
    assert rolled.bodies.has_inertia is not None
    assert rolled.bodies.has_center.tolist() == [True, True, True, True, True, False, True, True]
    assert rolled.bodies.has_inertia.tolist() == [True, True, True, True, True, False, True, True]
    alone = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies_of([NOTHING, A, C])), method="none").bodies
    assert alone.center is not None
    assert alone.inertia is not None
    assert rolled.bodies.center is not None
    assert rolled.bodies.inertia is not None
    assert rolled.bodies.center[0] == pytest.approx(alone.center[0], rel=1e-14)
    assert rolled.bodies.inertia[0] == pytest.approx(alone.inertia[0], rel=1e-13)
    assert rolled.bodies.center[2].tolist() == C[1:4]
    assert rolled.radii is not None
    assert rolled.radii[0] == pytest.approx(np.sqrt(alone.inertia[0, :3] / (A[0] + C[0])), rel=1e-13)


def test_a_branch_left_out_does_not_matter_however_bad_it_is() -> None:
    count = np.array([1.0, 1.0, 1.0, 0.0, 1.0])
    tree = Tree.from_parents([-1, 0, 0, 0, 3])
    rows = [NOTHING, A, B, NOTHING, [1e100, *C[1:]]]
    rolled = roll_up(
        RollupInputs.of(
            tree, bodies_of(rows), sigmas_of([NOTHING, SA, SB, NOTHING, SC]), ItemQuantity(count, np.zeros(5, bool))
        )
    )
    ten, sigma = by_the_formulas([(A, SA, 1, 1), (B, SB, 1, 1)])
    assert ten_of(rolled) == pytest.approx(ten, rel=1e-13)
    assert sigma_ten_of(rolled) == pytest.approx(sigma, rel=1e-13)
    assert rolled.coverage.rows[0] == 2


def test_everything_left_out() -> None:
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, 0]),
            bodies_of([NOTHING, A]),
            quantity=ItemQuantity(np.array([1.0, 0.0]), np.zeros(2, bool)),
        ),
        method="none",
    )
    assert rolled.coverage.rows[0] == 0
    assert rolled.bodies.mass[0] == 0.0
    assert rolled.bodies.has_center is not None
    assert not rolled.bodies.has_center[0]
    assert not rolled.cancelled[0]


def test_mass_alone_and_mass_with_centre() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    mass, center = np.array([0.0, 1.0, 3.0]), np.array([[0, 0, 0], [0, 0, 0], [4.0, 0, 8.0]])
    points = np.zeros(3, bool)
    alone = roll_up(
        RollupInputs.of(tree, Bodies(mass, None, None, points), Sigmas(np.array([0, 3.0, 4.0]), None, None))
    )
    assert alone.bodies.mass[0] == 4.0
    assert alone.bodies.center is None
    assert alone.bodies.inertia is None
    assert alone.radii is None
    assert alone.sigmas is not None
    assert alone.sigmas.mass[0] == 5.0
    assert alone.sigmas.center is None
    placed = roll_up(
        RollupInputs.of(
            tree, Bodies(mass, center, None, points), Sigmas(np.array([0, 0.3, 0.4]), np.full((3, 3), 0.1), None)
        )
    )
    assert placed.bodies.center is not None
    assert placed.bodies.center[0].tolist() == [3.0, 0.0, 6.0]
    assert placed.sigmas is not None
    assert placed.sigmas.center is not None
    var = (0.1**2 + (0.3 * -3) ** 2) + ((3 * 0.1) ** 2 + (0.4 * 1) ** 2)
    assert placed.sigmas.center[0, 0] == pytest.approx(var**0.5 / 4)
    assert placed.sigmas.inertia is None


# stated totals


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_stated_numbers_go_up_and_the_children_are_shown(copies: int) -> None:
    """``copies`` weighed assemblies state C for themselves; their children A and B give something else."""
    parent = [-1, *[0] * copies, *np.repeat(np.arange(copies) + 1, 2).tolist()]
    stated = np.array([False, *[True] * copies, *[False] * 2 * copies])
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            bodies_of([NOTHING, *[C] * copies, *[A, B] * copies]),
            sigmas_of([NOTHING, *[SC] * copies, *[SA, SB] * copies]),
            stated=stated,
        )
    )
    ten, sigma = by_the_formulas([(C, SC, 1, 1)] * copies)
    assert ten_of(rolled) == pytest.approx(ten, rel=1e-13, abs=1e-12)
    assert sigma_ten_of(rolled) == pytest.approx(sigma, rel=1e-12)
    assert ten_of(rolled, 1).tolist() == C
    assert rolled.coverage.rows[0] == copies
    assert rolled.below is not None
    assert rolled.below.center is not None
    assert rolled.below.inertia is not None
    given, _ = by_the_formulas([(A, SA, 1, 1), (B, SB, 1, 1)])
    ours = [rolled.below.mass[1], *rolled.below.center[1], *rolled.below.inertia[1]]
    assert ours == pytest.approx(given, rel=1e-13)


@pytest.mark.slow
def test_chain_at_the_depth_cap_is_its_only_leaf() -> None:
    n = 10_001
    rows = np.zeros((n, 10))
    rows[-1] = A
    s = np.zeros((n, 10))
    s[-1] = SA
    rolled = roll_up(RollupInputs.of(Tree.from_parents(np.arange(-1, n - 1)), bodies_of(rows), sigmas_of(s)))
    assert ten_of(rolled).tolist() == A
    assert sigma_ten_of(rolled) == pytest.approx(SA, rel=1e-15)


def many_parts(k: int) -> tuple[list[list[float]], list[list[float]]]:
    rng = np.random.default_rng(3)
    ten = np.column_stack([rng.uniform(0.5, 2, k), rng.normal(size=(k, 3)), rng.uniform(1, 2, (k, 6))])
    return ten.tolist(), (0.1 * np.abs(ten)).tolist()


@pytest.mark.parametrize("extra", [0, 1, 5000])
def test_a_family_larger_than_a_block(extra: int) -> None:
    """One assembly of many thousand parts between two small ones, with quantities and measured sizes."""
    k = 2 * _BLOCK + extra
    tens, sigmas = many_parts(k + 4)
    parent = [-1, 0, 0, 0, 1, 1, *[2] * k, 3, 3]
    inner = [NOTHING] * 4
    n = len(parent)
    count, measured = np.ones(n), np.zeros(n, bool)
    count[10:20], count[30:40], measured[30:40] = 3.0, 0.5, True
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            bodies_of([*inner, *tens]),
            sigmas_of([*inner, *sigmas]),
            ItemQuantity(count, measured),
        )
    )
    weight = ItemQuantity(count, measured).variance_weight()
    for i, (first, last) in enumerate([(4, 6), (6, 6 + k), (6 + k, n)], start=1):
        rows = [(tens[j - 4], sigmas[j - 4], float(count[j]), float(weight[j])) for j in range(first, last)]
        ten, sigma = by_the_formulas(rows)
        assert ten_of(rolled, i) == pytest.approx(ten, rel=1e-11, abs=1e-11)
        assert sigma_ten_of(rolled, i) == pytest.approx(sigma, rel=1e-12)


def test_a_large_family_with_removed_parts_that_cancels() -> None:
    """Every part and its negative: no mass; next to a body the moments still count."""
    k = _BLOCK + 10
    tens, _ = many_parts(k)
    minus = [[-t[0], t[1] + 0.5, t[2], t[3], *(-x for x in t[4:])] for t in tens]
    nested = roll_up(
        RollupInputs.of(Tree.from_parents([-1, 0, 0, *[1] * 2 * k]), bodies_of([NOTHING, NOTHING, B, *tens, *minus])),
        method="none",
    )
    flat = roll_up(
        RollupInputs.of(Tree.from_parents([-1, *[0] * (2 * k + 1)]), bodies_of([NOTHING, B, *tens, *minus])),
        method="none",
    )
    assert nested.cancelled.tolist()[:3] == [False, True, False]
    assert ten_of(nested) == pytest.approx(ten_of(flat), rel=1e-9)
    shift = -0.5 * sum(t[0] for t in tens) / B[0]
    assert ten_of(flat)[1] == pytest.approx(B[1] + shift, rel=1e-9)


def test_a_large_family_of_points_and_of_masses_alone() -> None:
    k = 2 * _BLOCK + 7
    mass = np.append(0.0, np.full(k, 0.25))
    tree = Tree.from_parents([-1, *[0] * k])
    point = np.ones(k + 1, bool)
    alone = roll_up(RollupInputs.of(tree, Bodies(mass, None, None, point), Sigmas(np.full(k + 1, 0.5), None, None)))
    assert alone.bodies.mass[0] == k / 4
    assert alone.sigmas is not None
    assert alone.sigmas.mass[0] == pytest.approx(0.5 * k**0.5)
    one_place = roll_up(
        RollupInputs.of(tree, Bodies(mass, np.ones((k + 1, 3)), np.ones((k + 1, 6)), point)), method="none"
    )
    assert one_place.bodies.is_point[0]
    assert ten_of(one_place).tolist() == [k / 4, 1, 1, 1, *[0.0] * 6]


@pytest.mark.parametrize("copies", [1, 20, 200])
def test_an_assembly_of_one_part_counted_several_times(copies: int) -> None:
    """Chains root − assembly − part: two pieces of the part, and a part of no mass."""
    parent = [-1, *[0] * copies, *range(1, copies + 1)]
    inner = [NOTHING] * (copies + 1)
    for number, weight, measured in ((2.0, 2.0, False), (1.0, 1.0, False), (0.5, 0.25, True)):
        count = np.array([*[1.0] * (copies + 1), *[number] * copies])
        rolled = roll_up(
            RollupInputs.of(
                Tree.from_parents(parent),
                bodies_of([*inner, *[A] * copies]),
                sigmas_of([*inner, *[SA] * copies]),
                ItemQuantity(count, np.array([False] * (copies + 1) + [measured] * copies)),
            )
        )
        ten, sigma = by_the_formulas([(A, SA, number, weight)])
        assert ten_of(rolled, 1) == pytest.approx(ten, rel=1e-14)
        assert sigma_ten_of(rolled, 1) == pytest.approx(sigma, rel=1e-14)
        assert rolled.sigma_radii is not None
    massless = [0.0, *A[1:]]
    rolled = roll_up(
        RollupInputs.of(Tree.from_parents(parent), bodies_of([*inner, *[massless] * copies])), method="none"
    )
    assert not rolled.cancelled.any()  # nothing and nothing do not cancel
    assert rolled.bodies.has_center is not None
    assert not rolled.bodies.has_center[: copies + 1].any()


def test_numbers_beyond_double_precision_come_out_without_a_word() -> None:
    huge = [1e300, 1e200, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    for copies in (1, 40):
        parent = [-1, *[0] * copies, *[1] * 2]
        rolled = roll_up(
            RollupInputs.of(
                Tree.from_parents(parent),
                bodies_of([NOTHING, *[NOTHING] * copies, huge, A]),
                sigmas_of([[0.0] * 10] * (copies + 1) + [huge, SA]),
            )
        )
        assert not np.isfinite(ten_of(rolled, 1)).all()


def test_stated_assemblies_in_a_deep_chain_are_processed_alone() -> None:
    """A chain 3,000 deep with weighed rows gives what the same chain cut at them gives."""
    n = 3_000
    parent = np.arange(-1, n - 1)
    rng = np.random.default_rng(7)
    bodies = Bodies(
        rng.uniform(1, 2, n), rng.normal(size=(n, 3)), np.tile([2.0, 2, 2, 0, 0, 0], (n, 1)), np.zeros(n, bool)
    )
    stated = np.zeros(n, bool)
    stated[[700, 701, 2_000]] = True
    rolled = roll_up(RollupInputs.of(Tree.from_parents(parent), bodies, stated=stated), method="none")
    for top, weighed in ((0, 700), (702, 2_000), (2_001, n - 1)):
        assert rolled.bodies.mass[top] == bodies.mass[weighed]
        assert rolled.bodies.center is not None
        assert bodies.center is not None
        np.testing.assert_allclose(rolled.bodies.center[top], bodies.center[weighed], rtol=1e-14)
    assert rolled.below is not None
    assert rolled.below.mass[700] == bodies.mass[701]
    assert rolled.below.mass[2_000] == bodies.mass[n - 1]
