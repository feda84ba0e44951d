"""The page docs/internals/ksl.md, sentence by sentence, against sums over points that use nothing of the package."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "ksl.md"
RNG = np.random.default_rng(11)
M = RNG.uniform(0.1, 1, (3, 8))
X = RNG.normal(size=(3, 8, 3))
"""Three clouds of eight points each: a body is what its points are."""
ANGLE = 0.7
Q = np.array([[np.cos(ANGLE), -np.sin(ANGLE), 0], [np.sin(ANGLE), np.cos(ANGLE), 0], [0, 0, 1]])
T = np.array([1.0, -2, 0.5])


def ten(m: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centroid and tensor about it, by sums over points."""
    c = m @ x / m.sum()
    d = x - c
    return m.sum(), c, sum(w * (v @ v * np.eye(3) - np.outer(v, v)) for w, v in zip(m, d, strict=True))


def bodies(m: np.ndarray = M, x: np.ndarray = X) -> mp.BodyArray:
    found = [ten(a, b) for a, b in zip(m, x, strict=True)]
    return mp.BodyArray.of(*(np.array([one[k] for one in found]) for k in range(3)))


def assert_same(one: mp.BodyArray, m: np.ndarray, x: np.ndarray) -> None:
    other = bodies(m, x)
    assert one.mass == pytest.approx(other.mass, rel=1e-13)
    assert one.center == pytest.approx(other.center, abs=1e-13)
    assert one.inertia == pytest.approx(other.inertia, abs=1e-12)


def test_rotation_translation_and_transformation_of_n_bodies() -> None:
    assert_same(bodies().rotated(Q), M, X @ Q.T)
    assert_same(bodies().translated(T), M, X + T)
    pose = mp.Poses.from_cosines(np.tile(T, (3, 1)), np.tile(Q, (3, 1, 1)))
    assert_same(bodies().transformed(pose), M, X @ Q.T + T)
    # chained in any order, and a value does not change
    a = bodies()
    assert_same(a.translated(T).rotated(Q), M, (X + T) @ Q.T)
    assert_same(a, M, X)
    assert_same(a.mirrored("x"), M, X * [-1, 1, 1])


def test_merge_sum_difference_and_total() -> None:
    a, b = bodies(), bodies(M[::-1], X[::-1])
    pose = mp.Poses.from_cosines(np.tile(T, (3, 1)), np.tile(Q, (3, 1, 1)))
    moved = np.concatenate([X, X[::-1] @ Q.T + T], axis=1)
    both = np.concatenate([M, M[::-1]], axis=1)
    assert_same(a.merged(b, pose), both, moved)
    assert_same(a + b, both, np.concatenate([X, X[::-1]], axis=1))
    assert_same((a + b) - b, M, X)
    assert_same(a.total(), M.reshape(1, -1), X.reshape(1, -1, 3))
    with pytest.raises(mp.UsageError):
        _ = a - (a + b)


def test_ten_numbers_about_any_point_and_back() -> None:
    P = np.array([0.3, -0.7, 2.0])
    own, ksl = bodies().parameters(P), bodies().parameters(P, form="KSL")
    for k in range(3):
        d = X[k] - P
        J = sum(w * (v @ v * np.eye(3) - np.outer(v, v)) for w, v in zip(M[k], d, strict=True))
        assert own[k] == pytest.approx([M[k].sum(), *(M[k] @ d), *J.diagonal(), J[0, 1], J[0, 2], J[1, 2]], abs=1e-12)
        _, _, I = ten(M[k], X[k])  # noqa: E741 # the tensor
        expected = [M[k].sum(), *(M[k] @ d), *I.diagonal(), I[0, 1], I[1, 2], I[0, 2]]
        assert ksl[k] == pytest.approx(expected, abs=1e-12)
    assert_same(mp.BodyArray.from_parameters(own, P), M, X)
    assert_same(mp.BodyArray.from_parameters(ksl, P, form="KSL"), M, X)


def test_spatial_inertia_gives_the_kinetic_energy() -> None:
    P, v, w = np.array([0.3, -0.7, 2.0]), np.array([1.0, 2, 3]), np.array([-0.2, 0.4, 0.1])
    S = bodies().spatial(P)
    for k in range(3):
        speed = v + np.cross(w, X[k] - P)
        energy = 0.5 * (M[k] * (speed**2).sum(axis=1)).sum()
        twist = np.concatenate([v, w])
        assert 0.5 * twist @ S[k] @ twist == pytest.approx(energy, rel=1e-13)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6, 1e3])
def test_rank_and_dimension_do_not_depend_on_the_size(size: float) -> None:
    plate = X[:1] * [1, 1, 0] @ Q.T
    rod = X[:1] * [1, 0, 0] @ Q.T
    point = np.zeros((1, 8, 3))
    for x, rank, dimension in ((X[:1], 3, 3), (plate, 3, 2), (rod, 2, 1), (point, 0, 0)):
        one = bodies(M[:1] * size**3, x * size)
        assert one.factor().rank.tolist() == [rank]
        assert one.dimensions().tolist() == [dimension]
    body = mp.Body(*ten(M[0], X[0]))
    assert (body.factor().rank, body.dimension) == (3, 3)


def test_single_precision_stays_single_with_its_loss_stated() -> None:
    small, loss = bodies().single()
    assert {small.mass.dtype, small.center.dtype, small.inertia.dtype} == {np.dtype(np.float32)}
    assert np.abs(small.mass - bodies().mass).max() <= 6e-8 * bodies().mass.max()
    assert 0 < loss.max() < 6e-8
    for result in (small.rotated(Q), small.translated(T), small + small, small.total()):
        assert result.mass.dtype == result.center.dtype == result.inertia.dtype == np.float32
    exact = X @ Q.T
    assert small.rotated(Q).center == pytest.approx(bodies(M, exact).center, abs=3e-7)
    assert np.linalg.norm(small.rotated(Q).inertia - bodies(M, exact).inertia) < 1e-5


def test_page_maps_every_function_of_the_module() -> None:
    text = PAGE.read_text("utf-8")
    stems = ["", "_alloc", "_copy", "_rotated", "_rotate", "_translated", "_translate", "_transformed", "_transform"]
    for stem in [*stems, "_merge", "_factor"]:
        for single in ("", "f"):
            assert f"`ksl_inertia{single}{stem}" in text, (single, stem)
    for name in set(re.findall(r"`a\.(\w+)\(", text)):
        assert callable(getattr(mp.BodyArray, name)), name
