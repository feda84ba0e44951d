"""Method ``covariance`` against two oracles, which agree with each other and with what can be worked out by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from massprops_cli.bodies.body import Body
from massprops_cli.bom.items.result_columns import ItemCovariance
from massprops_cli.rollups import covariance, shared_uncertainty
from tests.examples import first
from tests.oracles import precise
from tests.oracles.case import ALONE, Case
from tests.oracles.comparing import assert_flat, assert_same
from tests.oracles.flat import Node, six
from tests.oracles.random_case import comparable, random_case, tens
from tests.oracles.rolling import rolled

REMOVED = 5
PARENT = [-1, 0, 0, 1, 1, 2, 2, 0]


def case_of(seed: int = 1, **more: object) -> Case:
    """A tree of three levels with five leaves."""
    rng = np.random.default_rng(seed)
    ten = tens(rng, 8)
    ten[REMOVED, [0, *range(4, 10)]] *= 0.05  # a body is left where it is removed
    return Case.of(PARENT, ten, rng.uniform(0.01, 0.2, (8, 10)), **more)


def per_row(**at: object) -> np.ndarray:
    values = np.ones(8)
    for name, value in at.items():
        values[int(name[1:])] = value
    return values


POINTS = np.array([0, 0, 0, 0, 1, 0, 0, 1], bool)
GROUPS = np.array([ALONE, ALONE, ALONE, 0, 1, 0, ALONE, 1])
COUNTS = per_row(_1=2, _3=3, _6=2)
MATRIX = np.stack([np.array([[1, r], [r, 1]]) for r in np.linspace(-0.9, 0.9, 10)])
CASES = {
    "plain": case_of(),
    "points": case_of(is_point=POINTS),
    "quantities": case_of(count=COUNTS),
    "removed": case_of(count=per_row(_5=-1, _6=2)),
    "measured": case_of(count=per_row(_1=1.7, _5=0.3, _7=4), measured=np.isin(np.arange(8), [1, 5])),
    "groups": case_of(count=COUNTS, group=GROUPS),
    "groups with centres": case_of(count=COUNTS, group=GROUPS, shares_centers=True, is_point=POINTS),
    "removed from a group": case_of(count=per_row(_5=-2), group=GROUPS, shares_centers=True),
    "group inside a repeated assembly": case_of(count=COUNTS, group=np.where(np.isin(np.arange(8), [3, 4]), 0, ALONE)),
    "coupled": case_of(count=COUNTS, group=GROUPS, coupled=np.array([0, 1]), matrix=MATRIX),
    "stated": case_of(count=COUNTS, stated=np.arange(8) == 2),
}

MIXED_FIRST = sorted(CASES, key=lambda name: name not in ("measured", "groups with centres", "coupled"))


@cache
def precise_sigmas(name: str, item: int) -> np.ndarray:
    """Sigmas of the ten numbers of an item, by automatic differences."""
    return precise.sigmas(CASES[name], item, precise.TEN)


@pytest.mark.parametrize("name", first(MIXED_FIRST, 1))
def test_flat_oracle_agrees_with_automatic_differences(name: str) -> None:
    case = CASES[name]
    for item in (0, 1, 2, 3):
        node = Node.of(case, item)
        ten = precise.values(case, item, precise.TEN)
        assert [node.mass, *node.center, *node.tensor] == pytest.approx(ten, rel=1e-14, abs=1e-14)
        assert node.ten().astype(float) == pytest.approx(precise_sigmas(name, item), rel=1e-14)
    node, point = Node.of(case, 0), [3.0, -7.0, 0.5]
    there = [precise.about(point, a) for a in range(6)]
    expected = precise.sigmas(case, 0, [*precise.RADII, *precise.PRINCIPAL, *there])
    found = [*node.radii(), *node.principal()[1], *node.about(np.array(point))[1]]
    assert np.array(found, float) == pytest.approx(expected, rel=1e-12)


def toy() -> Case:
    """Two points at −1 and 1 as one assembly next to a point at 10; only the mass at 1 is uncertain, by 0.1."""
    ten = np.zeros((5, 10))
    ten[2:, 0], ten[2:, 1] = [1, 1, 2], [-1, 1, 10]
    sigma = np.zeros((5, 10))
    sigma[3, 0] = 0.1
    return Case.of([-1, 0, 1, 1, 0], ten, sigma, is_point=np.array([False, False, True, True, True]))


def test_toy_by_hand() -> None:
    """dC/dm = (x − C) / M = (1 − 5) / 4, so sigma is 0.1; with the levels cut apart it would be 0.12748."""
    assert Node.of(toy(), 0).center[0] == 5
    assert Node.of(toy(), 0).ten()[1] == pytest.approx(0.1, rel=1e-15)
    assert precise.sigmas(toy(), 0, precise.TEN)[1] == pytest.approx(0.1, rel=1e-15)


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", first(MIXED_FIRST, 3))
def test_the_package_agrees_with_automatic_differences(name: str) -> None:
    case = CASES[name]
    result = rolled(case)
    assert result.sigmas is not None
    assert result.sigmas.center is not None
    assert result.sigmas.inertia is not None
    for item in range(3):
        found = [result.sigmas.mass[item], *result.sigmas.center[item], *result.sigmas.inertia[item]]
        assert found == pytest.approx(precise_sigmas(name, item), rel=1e-12)
    assert result.sigma_radii is not None
    assert result.sigma_radii[0] == pytest.approx(precise.sigmas(case, 0, precise.RADII), rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_a_body_knows_what_follows_from_its_covariance(name: str) -> None:
    """Covariances of the ten numbers, sigmas of principal moments and of the tensor about any point."""
    case = CASES[name]
    result, node = rolled(case), Node.of(case, 0)
    per_mass = np.array([1.0, *[1 / float(node.mass)] * 3, *[1.0] * 6])
    covariance = ItemCovariance(result).matrix(0)
    assert covariance is not None
    assert_same(covariance, node.covariance * np.outer(per_mass, per_mass))
    body = Body.of(result.bodies, 0, result.sigmas, covariance=covariance)
    moments = body.principal_sigmas()
    assert moments is not None
    assert moments.sigmas == pytest.approx(node.principal()[1].astype(float), rel=1e-11)
    point = np.array([3.0, -7.0, 0.5])
    found = body.sigma_about(point)
    assert found is not None
    assert six(found) == pytest.approx(node.about(point)[1].astype(float), rel=1e-12)


def large_case(parent: list[int], groups: int = 6) -> Case:
    """Many items, some of them in groups that are spread over the tree."""
    rng, n = np.random.default_rng(11), len(parent)
    return Case.of(parent, tens(rng, n), rng.uniform(0.01, 0.1, (n, 10)), group=rng.integers(ALONE, groups, n))


def assert_root(case: Case) -> None:
    assert_same(rolled(case).covariance_of(0), Node.of(case, 0).covariance)


@pytest.fixture(params=first([10, 1], 1))
def share(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """By how much the cases below, and the numbers that are processed together, are smaller than in make slow."""
    monkeypatch.setattr(shared_uncertainty, "_PAIRS_PER_CHUNK", 2_048 // request.param)
    monkeypatch.setattr(covariance, "_MATRICES_TOGETHER", 1_024 // request.param)
    return int(request.param)


def test_more_children_than_are_processed_together(share: int) -> None:
    case = large_case([-1, *[0] * 5, *[1] * (4_500 // share)])
    assert_same(rolled(case).covariance_of(1), Node.of(case, 1).covariance)
    assert_root(case)


def test_chain_of_2_100_levels(share: int) -> None:
    """Assembly j holds part j and assembly j + 1."""
    chain = 2_100 // share
    assert_root(large_case([*range(-1, chain - 1), *range(chain)]))


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", range(4))
def test_wide_levels_with_all_that_can_happen(seed: int) -> None:
    case = random_case(seed, 3_000, 10_000)
    rollup = rolled(case)
    for item in comparable(case)[-3:]:
        assert_flat(rollup.covariance_of(item), case, item)


def test_more_shared_uncertainties_than_are_processed_together(share: int) -> None:
    families = 3_600 // share
    assert_root(large_case([-1, *[0] * families, *(1 + i // 3 for i in range(3 * families))]))


def test_many_groups_open_at_once(share: int) -> None:
    assert_root(large_case([-1, *(i // 4 for i in range(3_000 // share))], groups=700 // share))


@pytest.mark.spread(2)
@pytest.mark.parametrize("distance", [1e6, 1e9])
@pytest.mark.parametrize("nesting", ["flat", "pairs", "chain"])
def test_small_parts_far_away_keep_their_digits(nesting: str, distance: float) -> None:
    k = 200
    parent = {
        "flat": [-1, *[0] * k],
        "pairs": [-1, *(i // 2 for i in range(2 * k - 2))],
        "chain": [*range(-1, k - 1), *range(k)],
    }[nesting]
    case = large_case(parent)
    case.ten[:, 1:4] = case.ten[:, 1:4] * 1e-4 + distance * np.array([1.0, -0.7, 0.3])
    case.ten[:, 4:] *= 1e-8
    case.sigma[:, 1:] *= 1e-5
    case.sigma[:, 4:] *= 1e-4
    assert_root(case)
