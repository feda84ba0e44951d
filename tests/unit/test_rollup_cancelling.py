"""Branches whose masses nearly cancel, poles and reference leaves: against exact rationals over all leaves together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import _BLOCK, ItemQuantity, Tree
from tests.unit.bom_tables import only, reported

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
NAMES = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


@dataclass
class Point:
    """A point mass: how often it counts, mass, place and the sigmas of the four, exact."""

    count: Fraction
    mass: Fraction
    place: tuple[Fraction, ...]
    sigma: tuple[Fraction, ...] = (Fraction(0),) * 4


def point(count: float, mass: float, place: tuple[float, ...], sigma: tuple[float, ...] = (0.0,) * 4) -> Point:
    return Point(Fraction(count), Fraction(mass), tuple(map(Fraction, place)), tuple(map(Fraction, sigma)))


def entry(d: list[Fraction], a: int, b: int) -> Fraction:
    """Of |d|² 1 − d dᵀ."""
    return (sum(x * x for x in d) if a == b else 0) - d[a] * d[b]


def slope(d: list[Fraction], a: int, b: int, axis: int) -> Fraction:
    """Its derivative by a coordinate."""
    step = (2 * d[axis] if a == b else 0) - (d[b] if a == axis else 0) - (d[a] if b == axis else 0)
    return Fraction(step)


def exact(points: list[Point]) -> tuple[Fraction, list[Fraction], list[Fraction], list[Fraction]]:
    """Mass, centre, the six entries about it, and their variances: one sum over all points (FORMULAS 1, 4)."""
    mass = sum((p.count * p.mass for p in points), Fraction(0))
    center = [sum(p.count * p.mass * p.place[k] for p in points) / mass for k in range(3)]
    tensor, variance = [Fraction(0)] * 6, [Fraction(0)] * 6
    for p in points:
        d = [x - c for x, c in zip(p.place, center, strict=True)]
        for k, (a, b) in enumerate(PAIRS):
            tensor[k] += p.count * p.mass * entry(d, a, b)
            variance[k] += abs(p.count) * (p.sigma[0] * entry(d, a, b)) ** 2
            for axis in range(3):
                variance[k] += abs(p.count) * (p.mass * p.sigma[1 + axis] * slope(d, a, b, axis)) ** 2
    return mass, center, tensor, variance


def swap(removed: dict[str, Any], new_mass: float = 1.00000001, where: str = "KIT") -> Bom:
    """A body of 10, and a kit: a new part, and the old one removed."""
    rows: list[dict[str, Any]] = [{"id": "SAT"}, {"id": "KIT", "parent": "SAT"}]
    rows += [{"id": "BODY", "parent": "SAT", "mass": 10, "Cx": 0, "Cy": 0, "Cz": 0}]
    rows += [{"id": "NEW", "parent": where, "mass": new_mass, "Cx": 1, "Cy": 0.3, "Cz": 0}]
    rows += [{"id": "OLD", "parent": where, "Cx": 0.4, "Cy": 0, "Cz": 0} | removed]
    columns = ["id", "parent", "qty", "mass", "Cx", "Cy", "Cz", *NAMES, "POIconv", "Ipoint"]
    kept = [row for row in rows if row["id"] != "KIT" or where == "KIT"]
    table = [{name: row.get(name) for name in columns} | {"POIconv": "-"} for row in kept]
    for row in table:
        row["Ipoint"] = "yes" if row["mass"] is not None else None
    return Bom.from_records(table, allow_negative_mass=True)


def tensor_of(result: Result, item: str = "SAT") -> list[float]:
    tensor = result[item].inertia
    assert tensor is not None
    return [float(tensor[a][b]) for a, b in PAIRS]


@pytest.mark.spread(2)
@pytest.mark.parametrize("removed", [{"mass": -1}, {"mass": 1, "qty": -1}], ids=["negative mass", "quantity −1"])
@pytest.mark.parametrize("new_mass", [2.0, 1.001, 1.00001, 1.00000001, 1.0 + 2**-50, 1.0])
def test_a_part_exchanged_in_a_kit(removed: dict[str, Any], new_mass: float) -> None:
    mass, center, tensor, _ = exact(
        [point(1, 10, (0, 0, 0)), point(1, new_mass, (1, 0.3, 0)), point(-1, 1, (0.4, 0, 0))]
    )
    results = [mp.rollup(swap(removed, new_mass, where)) for where in ("KIT", "SAT")]
    for result in results:
        assert result.root.mass == pytest.approx(float(mass), rel=1e-15)
        assert result.root.center == pytest.approx([float(x) for x in center], rel=1e-14)
        assert tensor_of(result) == pytest.approx([float(x) for x in tensor], rel=1e-14, abs=1e-15)
    if new_mass < 1.0001:
        assert [round(x, 4) for x in tensor_of(results[0])[:4]] == [0.0810, 0.8040, 0.8850, -0.2820]
    assert bool(reported(results[0].findings, "MP409")) == (new_mass - 1 < 2e-9)


def test_a_kit_whose_masses_cancel_is_shown_without_a_centre() -> None:
    kit = mp.rollup(swap({"mass": -1}, 1.0))["KIT"]
    assert (kit.mass, kit.center, kit.inertia, kit.radii) == (0.0, None, None, None)


SPREAD = (0.001, 0.001, 0.001, 0.001)
KIT = [
    point(1, 1000, (5, 0.1, 0.2), (0.5, 0.001, 0.001, 0.001)),
    point(1, 1.0001, (5.3, 0.2, 0.4), SPREAD),
    point(1, -1, (5.0, 0.1, 0.1), SPREAD),
]


def arrays(points: list[Point], parent: list[int]) -> tuple[Tree, Bodies, Sigmas, ItemQuantity]:
    """Points as the last items of a tree."""
    n, k = len(parent), len(points)
    mass, center, count = np.zeros(n), np.zeros((n, 3)), np.ones(n)
    spread = np.zeros((n, 4))
    mass[n - k :] = [float(p.mass) for p in points]
    center[n - k :] = [[float(x) for x in p.place] for p in points]
    count[n - k :] = [float(p.count) for p in points]
    spread[n - k :] = [[float(s) for s in p.sigma] for p in points]
    bodies = Bodies(mass, center, np.zeros((n, 6)), np.arange(n) >= n - k)
    sigmas = Sigmas(spread[:, 0], spread[:, 1:], np.zeros((n, 6)))
    return Tree.from_parents(parent), bodies, sigmas, ItemQuantity(count, np.zeros(n, bool))


def sigma_inertia(rolled: Rollup, i: int = 0) -> list[float]:
    assert rolled.sigmas is not None
    assert rolled.sigmas.inertia is not None
    return rolled.sigmas.inertia[i].tolist()


@pytest.mark.spread(2)
@pytest.mark.parametrize("new_mass", [1.5, 1.0001, 1.00001, 1.0000001, 1.0 + 2**-45, 1.0])
@pytest.mark.parametrize("copies", [1, 40])
def test_sigmas_above_a_kit(new_mass: float, copies: int) -> None:
    """The kit alone next to the body, or forty of them, so that levels are wide."""
    kits = [point(1, new_mass, (5.3, 0.2, 0.4), SPREAD), KIT[2]] * copies
    of_kits = [1 + k for k in range(copies) for _ in range(2)]
    nested = [-1, *[0] * copies, 0, *of_kits]
    rolled = roll_up(RollupInputs.of(*arrays([KIT[0], *kits], nested)))
    flat = roll_up(RollupInputs.of(*arrays([KIT[0], *kits], [-1, *[0] * (2 * copies + 1)])))
    _, _, tensor, variance = exact([KIT[0], *kits])
    theirs = [sqrt(v) for v in variance]
    for ours in (rolled, flat):
        assert sigma_inertia(ours) == pytest.approx(theirs, rel=1e-12)
        assert ours.bodies.inertia is not None
        # between 1e-3 kg parts and a body of 1000 at 5 m, the differences of places lose 1e-14 of themselves
        assert ours.bodies.inertia[0].tolist() == pytest.approx([float(x) for x in tensor], rel=1e-12)
    if (new_mass, copies) == (1.0001, 1):
        assert [round(x, 5) for x in theirs[:3]] == [0.0008, 0.00114, 0.0009]
        assert round(theirs[4], 5) == 0.00057


def test_published_sigmas_of_a_kit_are_evaluated_without_cancellation() -> None:
    """Method massprops level by level in exact rationals: its centre is far away, but every term is positive."""
    mass, center, _, variance = exact(KIT[1:])
    rolled = roll_up(
        RollupInputs.of(*arrays(KIT, [-1, 0, 0, 1, 1])), method="massprops"
    )  # items: root, kit, body, new, old
    var_m = sum(p.sigma[0] ** 2 for p in KIT[1:])
    var_h = [
        sum((p.mass * p.sigma[1 + k]) ** 2 + (p.sigma[0] * (p.place[k] - center[k])) ** 2 for p in KIT[1:])
        for k in range(3)
    ]
    assert sigma_inertia(rolled, 1) == pytest.approx([sqrt(v) for v in variance], rel=1e-11)
    body = KIT[0]
    whole = body.mass + mass
    root = [(body.mass * x + mass * c) / whole for x, c in zip(body.place, center, strict=True)]
    expected = []
    for k, (a, b) in enumerate(PAIRS):
        total = variance[k]
        for m_var, h_var, place in (
            (var_m, var_h, center),
            (body.sigma[0] ** 2, [(body.mass * s) ** 2 for s in body.sigma[1:]], body.place),
        ):
            d = [x - c for x, c in zip(place, root, strict=True)]
            total += m_var * entry(d, a, b) ** 2
            total += sum(h * slope(d, a, b, axis) ** 2 for axis, h in enumerate(h_var))
        expected.append(sqrt(total))
    assert sigma_inertia(rolled) == pytest.approx(expected, rel=1e-11)


def test_a_large_family_that_nearly_cancels_keeps_its_sigmas() -> None:
    """More children than a block holds, each part and as much of it removed, next to a body; nested and flat."""
    rng = np.random.default_rng(2)
    k = _BLOCK + 300
    place = rng.normal(size=(k, 3))
    parts = [point(1, 1.0, tuple(x), SPREAD) for x in place.tolist()]
    parts += [point(-1, 1 - 1e-7, (x + 0.25, y, z), SPREAD) for x, y, z in place.tolist()]
    nested = roll_up(RollupInputs.of(*arrays([KIT[0], *parts], [-1, 0, 0, *[1] * 2 * k])))
    flat = roll_up(RollupInputs.of(*arrays([KIT[0], *parts], [-1, *[0] * (2 * k + 1)])))
    assert sigma_inertia(nested) == pytest.approx(sigma_inertia(flat), rel=1e-12)
    # a single level is the same by the published formulas, about a centre that is known to 1e-9
    published = roll_up(RollupInputs.of(*arrays([KIT[0], *parts], [-1, 0, 0, *[1] * 2 * k])), method="massprops")
    assert sigma_inertia(published, 1) == pytest.approx(sigma_inertia(nested, 1), rel=1e-7)
    assert nested.bodies.inertia is not None
    assert flat.bodies.inertia is not None
    largest = float(np.abs(flat.bodies.inertia[0]).max())
    np.testing.assert_allclose(nested.bodies.inertia[0], flat.bodies.inertia[0], rtol=0, atol=1e-14 * largest)


# reference leaves: where a branch is measured from


@pytest.mark.parametrize("copies", [1, 40])
@pytest.mark.parametrize("useless", ["massless", "left out", "without a centre", "light"])
def test_a_first_leaf_that_is_far_away_costs_no_digits(copies: int, useless: str) -> None:
    """A marker of no mass, a part with quantity 0, one without a centre (stored as 0) and a gram, 1e6 off."""
    far = 1e6
    first = point(0 if useless == "left out" else 1, {"massless": 0.0, "light": 1e-9}.get(useless, 1.0), (far, far, 0))
    group = [first, point(1, 2.0, (1e-3, 0, 0)), point(1, 2.0, (0, 1e-3, 2e-3))]
    if useless == "without a centre":
        group = [point(1, 0.0, (0, 0, 0)), *(point(1, 2.0, (far + float(p.place[0]), 0, 0)) for p in group[1:])]
    parent = [-1, *[0] * copies, *[1 + k for k in range(copies) for _ in range(3)]]
    tree, bodies, sigmas, quantity = arrays(group * copies, parent)
    if useless == "without a centre":
        known = np.ones(len(parent), bool)
        known[1 + copies :: 3] = False
        bodies = Bodies(bodies.mass, bodies.center, bodies.inertia, bodies.is_point, has_center=known)
    rolled = roll_up(RollupInputs.of(tree, bodies, sigmas, quantity))
    _, _, tensor, _ = exact([p for p in group if p.count])
    assert rolled.bodies.inertia is not None
    theirs = [float(x) for x in tensor]
    assert rolled.bodies.inertia[copies].tolist() == pytest.approx(theirs, rel=1e-13, abs=1e-13 * max(theirs))


def test_a_reference_leaf_behind_a_stated_assembly_is_that_assembly() -> None:
    """Its children are elsewhere and do not go up."""
    rows = [(-1, 0.0, 0.0), (0, 2.0, 1e7), (1, 5.0, -1e7), (0, 2.0, 1e7 + 1e-3)]
    parent, mass, x = (np.array(column) for column in zip(*rows, strict=True))
    bodies = Bodies(mass, np.column_stack([x, 0 * x, 0 * x]), np.zeros((4, 6)), np.zeros(4, bool))
    stated = np.array([False, True, False, False])
    rolled = roll_up(RollupInputs.of(Tree.from_parents(parent), bodies, stated=stated), method="none")
    assert rolled.bodies.inertia is not None
    gap = float(Fraction(1e7 + 1e-3) - Fraction(1e7))
    assert rolled.bodies.inertia[0, 1] == pytest.approx(gap**2, rel=1e-14)


# points


def far_points(gap: float, away: float, adjacent: float, copies: int = 1) -> Rollup:
    """Branches of two points, ``gap`` apart at ``away``, and another point at ``adjacent``."""
    pair = [point(1, 10, (away, 0, 0)), point(1, 10, (away + gap, 0, 0))]
    parent = [-1, *[0] * copies, *[1 + k for k in range(copies) for _ in range(2)], 0]
    tree, bodies, sigmas, quantity = arrays([*pair * copies, point(1, 10, (adjacent, 0, 0))], parent)
    return roll_up(RollupInputs.of(tree, bodies, sigmas, quantity), method="none")


@pytest.mark.parametrize("copies", [1, 40])
@pytest.mark.parametrize(
    ("gap", "away", "is_point"),
    [(0.5, 0.0, False), (1e-9, 0.0, False), (0.0, 0.0, True), (0.9e-6, 1e6, True), (1.1e-6, 1e6, False)],
)
def test_points_next_to_one_far_item(gap: float, away: float, is_point: bool, copies: int) -> None:
    """What is elsewhere in the tree does not matter: only the branch's own coordinates do."""
    for adjacent in (1.0, 2e8, 1e15):
        rolled = far_points(gap, away, adjacent, copies)
        assert rolled.bodies.is_point[1 : copies + 1].tolist() == [is_point] * copies
        assert rolled.bodies.inertia is not None
        apart = float(Fraction(away + gap) - Fraction(away))
        expected = 0.0 if is_point else 5 * apart**2
        assert rolled.bodies.inertia[1].tolist() == pytest.approx([0, expected, expected, 0, 0, 0], rel=1e-13)


def test_a_point_assembly_hands_up_its_own_small_extent() -> None:
    """Two points 1e-7 apart at 1e6 count as one place; a third 1e-6 away still sees where each is."""
    gap = 2.0**-23
    pair = [point(1, 1, (2.0**20, 0, 0)), point(1, 1, (2.0**20 + gap, 0, 0))]
    third = point(1, 1, (2.0**20 + 16 * gap, 0, 0))
    nested = roll_up(RollupInputs.of(*arrays([*pair, third], [-1, 0, 1, 1, 0])[:2]), method="none")
    flat = roll_up(RollupInputs.of(*arrays([*pair, third], [-1, 0, 0, 0])[:2]), method="none")
    assert nested.bodies.is_point[1]
    assert not nested.bodies.is_point[0]
    assert nested.bodies.inertia is not None
    assert flat.bodies.inertia is not None
    _, _, tensor, _ = exact([*pair, third])
    assert nested.bodies.inertia[0].tolist() == flat.bodies.inertia[0].tolist()
    assert nested.bodies.inertia[0, 1] == pytest.approx(float(tensor[1]), rel=1e-14)


def test_a_point_without_a_centre_makes_no_assembly_a_point() -> None:
    tree, bodies, _, _ = arrays([point(1, 1, (0, 0, 0)), point(1, 1, (0, 0, 0))], [-1, 0, 0])
    known = np.array([True, True, False])
    lacking = Bodies(bodies.mass, bodies.center, bodies.inertia, bodies.is_point, has_center=known)
    assert roll_up(RollupInputs.of(tree, bodies), method="none").bodies.is_point[0]
    assert not roll_up(RollupInputs.of(tree, lacking), method="none").bodies.is_point[0]


# signs at the root


def test_a_whole_whose_masses_cancel_is_written_with_a_warning() -> None:
    rows = [
        {"id": "R", "parent": ""},
        {"id": "A", "parent": "R", "mass": 2.0},
        {"id": "B", "parent": "R", "mass": -2.0},
    ]
    result = mp.rollup(Bom.from_records(rows, allow_negative_mass=True))
    assert only(result.findings, "MP410").severity is mp.Severity.WARNING
    assert result.root.mass == 0.0
