"""What is computed where numbers are missing: the sums over the leaves that have them, and what these leave open."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree

LEAVES: list[dict[str, Any]] = [
    {"m": 4.0, "c": [1.0, 0, 0], "i": [1.0, 2, 3, 0.1, 0, 0]},
    {"m": 2.0, "c": None, "i": [1.0, 1, 1, 0, 0, 0]},
    {"m": None, "c": [9.0, 9, 9], "i": [5.0, 5, 5, 0, 0, 0]},
    {"m": 3.0, "c": [0.0, 5, 1], "i": None},
]
"""Everything; no place; no mass; no tensor."""


def bodies_of(leaves: list[dict[str, Any]]) -> Bodies:
    """Make the leaves' bodies under a root, item 0."""
    rows = [{"m": 0.0, "c": [0.0] * 3, "i": [0.0] * 6}, *leaves]
    n = len(rows)
    return Bodies(
        np.array([r["m"] or 0.0 for r in rows]),
        np.array([r["c"] or [0.0] * 3 for r in rows]),
        np.array([r["i"] or [0.0] * 6 for r in rows]),
        np.zeros(n, bool),
        np.array([r["m"] is not None for r in rows]),
        np.array([r["c"] is not None for r in rows]),
        np.array([r["i"] is not None for r in rows]),
    )


def flat(leaves: list[dict[str, Any]]) -> tuple[list[Fraction], list[Fraction]]:
    """Give centre and tensor of the leaves with mass and place, in rational numbers, from the definitions."""
    kept = [leaf for leaf in leaves if leaf["m"] is not None and leaf["c"] is not None]
    mass = sum(Fraction(leaf["m"]) for leaf in kept)
    center = [sum(Fraction(leaf["m"]) * Fraction(leaf["c"][a]) for leaf in kept) / mass for a in range(3)]
    tensor = [Fraction(0)] * 6
    for leaf in kept:
        x, y, z = (Fraction(leaf["c"][a]) - center[a] for a in range(3))
        arm = (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
        own = [Fraction(v) for v in leaf["i"] or [0] * 6]
        tensor = [t + o + Fraction(leaf["m"]) * a for t, o, a in zip(tensor, own, arm, strict=True)]
    return center, tensor


@pytest.mark.parametrize("shift", [0.0, 4096.0])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 2, 3, 0], [3, 2, 1, 0], [2, 1, 0, 3]])
def test_each_quantity_is_that_of_the_leaves_that_have_it(order: list[int], shift: float) -> None:
    leaves = [dict(LEAVES[k]) for k in order]
    for leaf in leaves:
        leaf["c"] = None if leaf["c"] is None else [c + shift for c in leaf["c"]]
    rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0, 0, 0]), bodies_of(leaves)), method="none")
    center, tensor = flat(leaves)
    bodies, covered = rolled.bodies, rolled.coverage
    assert bodies.center is not None
    assert bodies.inertia is not None
    assert bodies.mass[0] == 9.0
    assert bodies.center[0] == pytest.approx([float(c) for c in center], rel=1e-14)
    assert bodies.inertia[0] == pytest.approx([float(t) for t in tensor], rel=1e-12)
    assert rolled.radii is not None
    assert rolled.radii[0] == pytest.approx([float(t / 7) ** 0.5 for t in tensor[:3]], rel=1e-12)
    counts = (covered.rows, covered.known_mass, covered.known_center, covered.known_inertia)
    assert [int(count[0]) for count in counts] == [4, 3, 2, 1]
    assert (covered.mass_share_center[0], covered.mass_share_inertia[0]) == pytest.approx((7 / 9, 4 / 9))
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == (True, True)


def test_a_leaf_without_mass_needs_no_place() -> None:
    leaves = [LEAVES[0], {"m": 0.0, "c": None, "i": [1.0, 1, 1, 0, 0, 0]}]
    rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies_of(leaves)), method="none")
    assert rolled.bodies.inertia is not None
    assert rolled.bodies.inertia[0].tolist() == [2.0, 3.0, 4.0, 0.1, 0.0, 0.0]
    assert bool(rolled.coverage.inertia_is_whole[0])


def test_an_assumed_point_makes_no_assembly_a_point() -> None:
    leaves = [{"m": 1.0, "c": [0.0, 0, 0], "i": None}, {"m": 2.0, "c": [0.0, 0, 0], "i": None}]
    rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies_of(leaves)), method="none")
    assert not rolled.bodies.is_point.any()
    assert rolled.bodies.inertia is not None
    assert rolled.bodies.inertia[0].tolist() == [0.0] * 6


def test_points_of_which_one_has_no_place_make_no_point() -> None:
    bodies = bodies_of([{"m": 1.0, "c": [1.0, 0, 0], "i": None}, {"m": 2.0, "c": None, "i": None}])
    bodies.is_point[1:] = True
    assert roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies), method="none").bodies.is_point.tolist() == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("counts", "mass", "bounds"),
    [
        ([1, 1, 1, 1], 1.0, (True, True)),
        ([1, 1, 1, -1], 1.0, (False, False)),  # what is missing is removed
        ([1, -1, 1, -1], 1.0, (True, True)),  # removed twice, it adds
        ([1, -1, 1, 1], 1.0, (False, False)),
        ([1, 1, -1, 1], 1.0, (True, True)),  # what is known is removed
        ([1, 1, 1, 0], 1.0, (False, False)),  # what is left out is not missing
    ],
)
def test_bounds(counts: list[int], mass: float, bounds: tuple[bool, bool]) -> None:
    """Top(1: A(3: no mass), 2: known)."""
    tree = Tree.from_parents([-1, 0, 0, 1, 0])
    ten = bodies_of([LEAVES[0], {**LEAVES[0], "m": mass}, {**LEAVES[0], "m": None}, {**LEAVES[0], "m": 50.0}])
    count = np.array([*map(float, counts), 1.0])
    covered = roll_up(RollupInputs.of(tree, ten, None, ItemQuantity(count, np.zeros(5, bool))), method="none").coverage
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == bounds


def test_a_missing_tensor_of_a_removed_body_is_not_a_bound() -> None:
    leaves = [{**LEAVES[0], "m": 40.0}, {**LEAVES[3], "m": -3.0}]
    covered = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies_of(leaves)), method="none").coverage
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == (False, False)
    assert bool(covered.mass_is_whole[0])


@pytest.mark.parametrize("method", ["covariance", "massprops"])
def test_a_sigma_needs_those_that_it_is_made_of(method: str) -> None:
    """Without sigma_Cx the sigmas of Cx, Iyy, Izz, Ixy and Ixz are not known, and the others are as ever."""
    leaves = [LEAVES[0], {**LEAVES[3], "i": [1.0, 1, 1, 0, 0, 0]}]
    bodies, tree = bodies_of(leaves), Tree.from_parents([-1, 0, 0])
    whole = Sigmas(np.full(3, 0.1), np.full((3, 3), 0.2), np.full((3, 6), 0.3))
    known = np.ones((3, 10), bool)
    known[2, 1] = False
    less = roll_up(
        RollupInputs.of(tree, bodies, Sigmas(whole.mass, whole.center, whole.inertia, known)), method=method
    ).sigmas
    full = roll_up(RollupInputs.of(tree, bodies, whole), method=method).sigmas
    assert less is not None
    assert full is not None
    assert less.known is not None
    assert less.known[0].tolist() == [True, False, True, True, True, False, False, False, False, True]
    assert less.center is not None
    assert full.center is not None
    assert less.inertia is not None
    assert full.inertia is not None
    assert (less.mass[0], less.center[0, 1], less.inertia[0, 0]) == (
        full.mass[0],
        full.center[0, 1],
        full.inertia[0, 0],
    )


def test_the_sigma_of_the_mass_is_that_of_all_and_of_the_centre_that_of_those_placed() -> None:
    bodies = bodies_of([LEAVES[0], LEAVES[1]])
    sigmas = Sigmas(np.array([0.0, 0.3, 0.4]), np.full((3, 3), 0.2), np.full((3, 6), 0.1))
    rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies, sigmas))
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    assert rolled.sigmas.mass[0] == pytest.approx(0.5)
    assert rolled.sigmas.center[0].tolist() == pytest.approx([0.2] * 3)
    assert rolled.placed is not None
    assert rolled.placed.bodies.mass[0] == 4.0


def test_an_assumed_point_has_no_known_sigmas_of_inertia() -> None:
    bodies = bodies_of([LEAVES[0], LEAVES[3]])
    sigmas = Sigmas(np.full(3, 0.1), np.full((3, 3), 0.2), np.full((3, 6), 0.3))
    rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies, sigmas))
    assert rolled.sigmas is not None
    assert rolled.sigmas.known is not None
    assert rolled.sigmas.known[0].tolist() == [True] * 4 + [False] * 6


@pytest.mark.parametrize("method", ["none", "covariance", "massprops"])
@pytest.mark.parametrize("missing", [False, True])
def test_without_any_centre_masses_add_up_and_tensors_do_not(method: str, missing: bool) -> None:
    """Of masses 2 and 3 (and one of 0 or none) with sigmas 3 and 4 the total is 5 ± 5; no tensor has a place."""
    mass = np.array([0.0, 2.0, 3.0, 0.0])
    has_mass = np.array([True, True, True, False]) if missing else None
    bodies = Bodies(mass, None, np.ones((4, 6)), np.zeros(4, bool), has_mass)
    sigmas = Sigmas(np.array([0, 3.0, 4.0, 0]), None, np.full((4, 6), 0.5))
    rolled = roll_up(
        RollupInputs.of(Tree.from_parents([-1, 0, 0, 0]), bodies, sigmas, ItemQuantity.one_each(4)), method=method
    )
    assert rolled.bodies.mass[0] == 5.0
    assert rolled.bodies.has_inertia is not None
    assert rolled.bodies.has_inertia.tolist() == [False, True, True, True]
    assert rolled.radii is not None
    assert np.isnan(rolled.radii[0]).all()
    assert rolled.coverage.known_inertia.tolist() == [0, 0, 0, 0]
    assert rolled.coverage.known_mass[0] == (2 if missing else 3)
    assert not rolled.coverage.moments_are_bounds.any()
    if method != "none":
        assert rolled.sigmas is not None
        assert rolled.sigmas.known is not None
        assert rolled.sigmas.mass[0] == pytest.approx(5.0)
        assert rolled.sigmas.known[0].tolist() == [True] + [False] * 9
