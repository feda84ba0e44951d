"""The two oracles agree with each other, with published numbers and with what can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles import precise
from tests.oracles.case import ALONE, Case
from tests.oracles.flat import Node

REMOVED = 5
PARENT = [-1, 0, 0, 1, 1, 2, 2, 0]


def ten_of(seed: int, n: int) -> np.ndarray:
    """Random ten values of n bodies whose tensors are those of clouds of points."""
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(n, 6, 3))
    x, y, z = cloud[..., 0], cloud[..., 1], cloud[..., 2]
    entries = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
    tensor = np.stack([e.sum(axis=1) for e in entries], axis=1)
    ten = np.column_stack([rng.uniform(0.5, 2, n), rng.normal(size=(n, 3)) * 5, tensor])
    ten[REMOVED, [0, *range(4, 10)]] *= 0.05  # a body is left where it is removed
    return ten


def case_of(seed: int = 1, **more: object) -> Case:
    """A tree of three levels with five leaves."""
    rng = np.random.default_rng(seed + 1000)
    return Case.of(PARENT, ten_of(seed, 8), rng.uniform(0.01, 0.2, (8, 10)), **more)


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
    "coupled": case_of(count=COUNTS, group=GROUPS, coupled=np.array([0, 1]), matrix=MATRIX),
    "stated": case_of(count=COUNTS, stated=np.arange(8) == 2),
}


@pytest.mark.parametrize("name", CASES)
def test_flat_oracle_agrees_with_automatic_differences(name: str) -> None:
    case = CASES[name]
    for item in (0, 1, 2, 3):
        node = Node.of(case, item)
        ten = precise.values(case, item, precise.TEN)
        assert [node.mass, *node.center, *node.tensor] == pytest.approx(ten, rel=1e-14, abs=1e-14)
        assert node.ten().astype(float) == pytest.approx(precise.sigmas(case, item, precise.TEN), rel=1e-14)
    node, point = Node.of(case, 0), [3.0, -7.0, 0.5]
    there = [precise.about(point, a) for a in range(6)]
    expected = precise.sigmas(case, 0, [*precise.RADII, *precise.PRINCIPAL, *there])
    found = [*node.radii(), *node.principal()[1], *node.about(np.array(point))[1]]
    assert np.array(found, float) == pytest.approx(expected, rel=1e-12)


def toy() -> Case:
    """Two points at −1 and 1 as one assembly beside a point at 10; only the mass at 1 is uncertain, by 0.1."""
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
