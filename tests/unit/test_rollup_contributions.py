"""The uncertainty budget against the flat oracle, published tables, and what is left when an input is made certain."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas, phi
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import NO_GROUP, PARAMETER_NAMES, Correlation, RollupInputs
from massprops_cli.rollups.leaf_sums import _RADIUS_NAMES, _RESULT_NAMES, PRINCIPAL_MOMENT_NAMES, _placed_leaves
from massprops_cli.rollups.variance_budget import (
    _JOINED_GROUPS,
    GROUP_PART,
    JOINT_PART,
    LEAF_PART,
    VarianceBudget,
    _Sensitivities,
    _variance_partition,
    variance_budget,
)
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.oracles.case import Case
from tests.oracles.flat import Node
from tests.oracles.rolling import correlation, inputs, rolled

# 0 ─ 1 ─ 3, 4;  0 ─ 2 ─ 5, 6 ─ 8;  0 ─ 7
PARENT = [-1, 0, 0, 1, 1, 2, 2, 0, 6]
N = len(PARENT)
GROUPS = np.array([NO_GROUP, NO_GROUP, NO_GROUP, 0, 1, 0, NO_GROUP, 1, NO_GROUP])
MATRIX = np.stack([np.array([[1, r], [r, 1]]) for r in np.linspace(-0.9, 0.9, 10)])


def per_item(**at: float) -> np.ndarray:
    values = np.ones(N)
    for name, value in at.items():
        values[int(name[1:])] = value
    return values


def case_of(**more: object) -> Case:
    rng = np.random.default_rng(5)
    x, y, z = np.moveaxis(rng.normal(size=(N, 6, 3)), 2, 0)
    entries = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
    tensor = np.stack([entry.sum(axis=1) for entry in entries], axis=1)
    ten = np.column_stack([rng.uniform(0.5, 2, N), rng.normal(size=(N, 3)) * 5, tensor])
    return Case.of(PARENT, ten, rng.uniform(0.01, 0.2, (N, 10)), **more)


COUNTS = per_item(_1=2, _3=3, _6=2)
CASES = {
    "plain": case_of(),
    "points": case_of(is_point=np.isin(np.arange(N), [3, 7])),
    "quantities": case_of(count=COUNTS),
    "measured": case_of(count=per_item(_1=1.7, _5=0.3, _7=4), measured=np.isin(np.arange(N), [1, 5])),
    "left out": case_of(count=per_item(_4=0)),
    "groups": case_of(count=COUNTS, group=GROUPS),
    "groups with centres": case_of(count=COUNTS, group=GROUPS, shares_centers=True),
    "coupled": case_of(count=COUNTS, group=GROUPS, coupled=np.array([0, 1]), matrix=MATRIX),
    "coupled with one that is not here": case_of(group=GROUPS, coupled=np.array([1, 2]), matrix=MATRIX),
    "stated": case_of(count=COUNTS, stated=np.arange(N) == 2),
}


def budget(case: Case, of: str, item: int = 0) -> VarianceBudget:
    tree, quantity, sharing = Tree.from_parents(case.parent), ItemQuantity(case.count, case.measured), correlation(case)
    return variance_budget(
        RollupInputs.of(tree, *inputs(case), quantity, correlation=sharing, stated=case.stated), of=of, item=item
    )


def oracle(case: Case, item: int = 0) -> dict[str, float]:
    node = Node.of(case, item)
    sigmas = (*node.ten(), *node.radii(), *node.principal()[1])
    return {name: float(sigma) for name, sigma in zip(_RESULT_NAMES, sigmas, strict=True)}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("item", [0, 1, 2, 8])
def test_sigma_is_that_of_the_oracle(name: str, item: int) -> None:
    expected = oracle(CASES[name], item)
    for of in _RESULT_NAMES:
        found = budget(CASES[name], of, item)
        assert found.sigma == pytest.approx(expected[of], rel=1e-12), of
        assert found.share.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_roll_up(name: str) -> None:
    case = CASES[name]
    rollup = rolled(case, "none")
    assert rollup.bodies.center is not None
    assert rollup.bodies.inertia is not None
    assert rollup.radii is not None
    ten = [rollup.bodies.mass[0], *rollup.bodies.center[0], *rollup.bodies.inertia[0], *rollup.radii[0]]
    for of, value in zip((*PARAMETER_NAMES, *_RADIUS_NAMES), ten, strict=True):
        assert budget(case, of).value == pytest.approx(value, rel=1e-13, abs=1e-13)


def certain(case: Case, item: int, inputs: slice | list[int]) -> Case:
    """The case with some inputs of one item known for certain."""
    sigma = case.sigma.copy()
    sigma[item, inputs] = 0.0
    return replace(case, sigma=sigma)


def row(found: VarianceBudget, kind: int, number: int) -> int:
    return int(np.flatnonzero((found.kind == kind) & (found.number == number))[0])


@pytest.mark.parametrize("name", ["plain", "quantities", "measured", "points"])
def test_a_share_is_what_goes_when_a_leaf_is_certain(name: str) -> None:
    case = CASES[name]
    for of in ("mass", "Cy", "Iyy", "Ixz", "kz", "I2"):
        found, all_of_it = budget(case, of), oracle(case)[of] ** 2
        for leaf in (3, 4, 5, 7, 8):
            left = oracle(certain(case, leaf, slice(None)))[of] ** 2
            at = row(found, LEAF_PART, leaf)
            assert found.share[at] == pytest.approx((all_of_it - left) / all_of_it, abs=1e-12)
            k = int(found.input[at])
            removed = all_of_it - oracle(certain(case, leaf, [k]))[of] ** 2
            assert found.input_share[at] * found.share[at] == pytest.approx(removed / all_of_it, abs=1e-12)


@pytest.mark.parametrize("name", ["groups", "groups with centres"])
def test_a_group_is_one_row_and_its_members_make_it(name: str) -> None:
    case = CASES[name]
    shared = slice(None) if case.shares_centers else [0, *range(4, 10)]
    for of in ("mass", "Cx", "Izz", "Iyz", "kx", "I3"):
        found, all_of_it = budget(case, of), oracle(case)[of] ** 2
        left = oracle(certain(certain(case, 3, shared), 5, shared))[of] ** 2
        at = row(found, GROUP_PART, 0)
        assert found.share[at] == pytest.approx((all_of_it - left) / all_of_it, abs=1e-12)
        inside = found.members(at)
        assert sorted(found.flat.items[inside].tolist()) == [3, 5]
        assert found.shared[inside].sum() == pytest.approx(all_of_it - left, rel=1e-12)


def test_centres_of_members_are_their_own() -> None:
    found = budget(CASES["groups"], "Cx")
    own = {int(n) for n, kind in zip(found.number, found.kind, strict=True) if kind == LEAF_PART}
    assert own == {3, 4, 5, 7, 8}
    assert found.parts[[0, 2, 3], row(found, LEAF_PART, 3)].tolist() == [0, 0, 0]
    assert budget(CASES["groups"], "mass").number.tolist().count(3) == 0


def test_coupled_groups_are_one_row() -> None:
    case = CASES["coupled"]
    found, all_of_it = budget(case, "Ixx"), oracle(case)["Ixx"] ** 2
    shared, left = [0, *range(4, 10)], case
    for leaf in (3, 4, 5, 7):
        left = certain(left, leaf, shared)
    at = row(found, JOINT_PART, _JOINED_GROUPS)
    assert found.share[at] == pytest.approx(1 - oracle(left)["Ixx"] ** 2 / all_of_it, abs=1e-12)
    assert found.shared[found.members(at)].sum() == pytest.approx(found.parts[:, at].sum(), rel=1e-12)
    assert not (found.kind == GROUP_PART).any()
    assert np.isnan(found.derivative[at])


@pytest.mark.spread(3)
@pytest.mark.parametrize("of", _RESULT_NAMES)
def test_derivatives_are_differences(of: str) -> None:
    case = CASES["quantities"]
    found = budget(case, of)
    for leaf in (3, 8):
        at = row(found, LEAF_PART, leaf)
        for k in range(10):
            step = 1e-5
            values = []
            for sign in (-1, 1):
                ten = case.ten.copy()
                ten[leaf, k] += sign * step
                values.append(budget(replace(case, ten=ten), of).value)
            assert found.slope[k, at] == pytest.approx((values[1] - values[0]) / (2 * step), rel=1e-6, abs=1e-6)


def test_the_derivative_of_a_group_moves_all_members() -> None:
    case = CASES["groups"]
    sigma = case.sigma.copy()
    sigma[5, 0] = sigma[3, 0]
    found = budget(replace(case, sigma=sigma), "mass")
    assert found.derivative[row(found, GROUP_PART, 0)] == 2 * 3 + 1
    assert np.isnan(found.derivative[row(found, GROUP_PART, 1)])  # its members' sigmas differ


@pytest.mark.parametrize("of", ["mass", "Cz", "Ixy", "kx"])
def test_no_three_others_are_better_weighed(of: str) -> None:
    case = CASES["quantities"]
    rows, left = budget(case, of).weighed(3)
    sigmas = {}
    for three in combinations((3, 4, 5, 7, 8), 3):
        weighed = case
        for leaf in three:
            weighed = certain(weighed, leaf, [0])
        sigmas[frozenset(three)] = oracle(weighed)[of]
    best = min(sigmas, key=sigmas.__getitem__)
    assert set(budget(case, of).number[rows].tolist()) == best
    assert left == pytest.approx(sigmas[best], rel=1e-12)


@pytest.mark.parametrize("name", ["sawe_input", "test_unc_table", "mp_table_small", "mp_table"])
def test_published_tables(reference: Path, name: str) -> None:
    """Totals of the flat budget against exact first-order sigmas that were computed level by level, to 1e-12."""
    folder = reference / "massprops_r"
    rows, exact = (
        list(csv.DictReader((folder / file).read_text().splitlines()))
        for file in (f"{name}.csv", f"{name}_exact_sigma.csv")
    )
    number = {line["id"]: i for i, line in enumerate(rows)}
    tree = Tree.from_parents([number.get(line["parent"], -1) for line in rows])
    ten, sigma = (
        np.array([[float(line[prefix + name] or "nan") for name in PARAMETER_NAMES] for line in rows])
        for prefix in ("", "sigma_")
    )
    ten[np.array([line["POIconv"] == "+" for line in rows]), 7:] *= -1
    ten, sigma = np.nan_to_num(ten), np.nan_to_num(sigma)
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(len(rows), bool))
    sigmas = Sigmas(sigma[:, 0], sigma[:, 1:4], sigma[:, 4:])
    inner = [line for line in exact if not tree.is_leaf()[number[line["id"]]]]
    for line in inner[:: max(1, len(inner) // 20)]:
        for kind in (PARAMETER_NAMES[:1], PARAMETER_NAMES[1:4], PARAMETER_NAMES[4:], _RADIUS_NAMES):
            expected = np.array([float(line[f"sigma_{of}"]) for of in kind])
            found = [
                variance_budget(RollupInputs.of(tree, bodies, sigmas), of=of, item=number[line["id"]]).sigma
                for of in kind
            ]
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * expected.max())


def test_far_from_the_origin_nothing_changes() -> None:
    case = CASES["plain"]
    near = case.ten.copy()
    near[:, 1:4] = np.round(near[:, 1:4] * 1024) / 1024  # so that the shift is exact
    far = near.copy()
    far[:, 1:4] += 1e7
    for of in ("Cx", "Iyy", "Ixy", "kz"):
        one, other = budget(replace(case, ten=near), of), budget(replace(case, ten=far), of)
        assert other.share == pytest.approx(one.share, rel=1e-13, abs=1e-15)


def test_moments_that_meet_are_reported() -> None:
    case = CASES["plain"]
    sigma = case.sigma * 1e-6
    assert budget(replace(case, sigma=sigma), "I1").gap > 100
    cube = Case.of([-1, 0], np.array([np.zeros(10), [1, 0, 0, 0, 2, 2, 2, 0, 0, 0.0]]), np.full((2, 10), 0.1))
    assert budget(cube, "I2").gap == 0
    assert budget(case, "Ixx").gap == np.inf


def test_certain_inputs_make_no_shares() -> None:
    case = CASES["plain"]
    found = budget(replace(case, sigma=np.zeros_like(case.sigma)), "mass")
    assert found.sigma == 0
    assert not found.share.any()
    assert found.weighed(3)[0].tolist() == []


def test_what_is_not_known_is_a_wrong_call() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    mass, point, none = np.array([0.0, 1, -1]), np.zeros(3, bool), np.zeros(3)
    six, three = np.zeros((3, 6)), np.zeros((3, 3))
    sigmas = Sigmas(none, three, six)
    with pytest.raises(UsageError, match="result is unknown: Ixxx"):
        variance_budget(RollupInputs.of(tree, Bodies(mass, three, six, point), sigmas), of="Ixxx")
    with pytest.raises(UsageError, match="sum to 0"):
        variance_budget(RollupInputs.of(tree, Bodies(mass, three, six, point), sigmas), of="Cx")
    with pytest.raises(UsageError, match="no columns of centre"):
        variance_budget(RollupInputs.of(tree, Bodies(mass, None, None, point), sigmas), of="Cx")
    with pytest.raises(UsageError, match="none of the 2 leaves has a mass"):
        variance_budget(RollupInputs.of(tree, Bodies(none, None, None, point, np.zeros(3, bool)), sigmas))
    with pytest.raises(UsageError, match="1 of 2 leaves have no sigmas"):
        variance_budget(
            RollupInputs.of(tree, Bodies(mass, None, None, point), replace(sigmas, known=np.array([True, True, False])))
        )
    with pytest.raises(UsageError, match="kx is undefined"):
        variance_budget(RollupInputs.of(tree, Bodies(np.abs(mass), three, six, point), sigmas), of="kx")
    for of, less in (("Cx", replace(sigmas, center=None)), ("Ixx", replace(sigmas, inertia=None))):
        with pytest.raises(UsageError, match="no sigmas of"):
            variance_budget(RollupInputs.of(tree, Bodies(np.abs(mass), three, six, point), less), of=of)


@pytest.mark.parametrize("size", [1e160, 1e300])
@pytest.mark.parametrize("of", ["Cx", "Iyy", "kz", "I2"])
def test_numbers_too_large_are_a_wrong_call(size: float, of: str) -> None:
    case = CASES["plain"]
    with pytest.raises(UsageError, match="too large"):
        budget(replace(case, ten=case.ten * size, sigma=case.sigma * size), of)


def test_principal_moments_ascend() -> None:
    case = CASES["plain"]
    assert [budget(case, of).value for of in PRINCIPAL_MOMENT_NAMES] == pytest.approx(
        Node.of(case, 0).principal()[0], rel=1e-12
    )


def test_two_fully_correlated_units_have_variance_four() -> None:
    """(1 + 1)² in place of 1² + 1²."""
    pair = Correlation(np.array([0, 0], np.int32), ["pair"], shares_centers=True)
    one = np.ones((10, 2))
    assert _variance_partition(_Sensitivities(one, one, one[0], one[0]), pair).parts[0].tolist() == [4.0]


def test_leaves_are_measured_from_their_centre() -> None:
    """Masses 1 at 0 and 3 at 4: the centre is 12/4 = 3."""
    _, arms, center_from_pole, center = _placed_leaves(np.array([[0.0, 0, 0], [4, 0, 0]]), np.array([1.0, 3.0]))
    assert center.tolist() == [3.0, 0.0, 0.0]
    assert center_from_pole.tolist() == [0.0, 0.0, 0.0]
    assert arms[0].tolist() == [-3.0, 1.0]


def test_tensor_of_a_unit_mass() -> None:
    """At (1, 2, 3): y² + z² = 13, x² + z² = 10, x² + y² = 5, −xy = −2, −xz = −3, −yz = −6."""
    assert phi(np.array([1.0, 2.0, 3.0])).tolist() == [13.0, 10.0, 5.0, -2.0, -3.0, -6.0]
