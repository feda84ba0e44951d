"""Arrays of bodies: sums and cut-outs, ten numbers and back, ranks, nearest valid tensors, single precision."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from massprops_cli.bodies.bodies import _is_valid_tensor, full_tensors, phi, six_entries
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses
from massprops_cli.findings.finding import UsageError
from tests.unit.test_bodies_poses import random_rotations


def clouds(rng: np.random.Generator, n: int, flat: int = 0, k: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Masses ``(n, k)`` and points ``(n, k, 3)``; ``flat`` of three dimensions are squeezed out."""
    points = rng.normal(size=(n, k, 3))
    points[:, :, 3 - flat :] = 0.0
    turn = random_rotations(rng, n)
    return rng.uniform(0.5, 1.5, (n, k)), np.einsum("nij,nkj->nki", turn, points)


def bodies_of(mass: np.ndarray, points: np.ndarray) -> BodyArray:
    """Bodies of point masses, by direct sums about their centres."""
    m = mass.sum(axis=1)
    c = np.einsum("nk,nka->na", mass, points) / m[:, None]
    return BodyArray(m, c, np.einsum("nk,nka->na", mass, phi(points - c[:, None])))


def assert_same(one: BodyArray, other: BodyArray, tolerance: float = 1e-13) -> None:
    assert one.mass == pytest.approx(other.mass, rel=tolerance)
    assert one.center == pytest.approx(other.center, rel=tolerance, abs=tolerance)
    assert one.inertia == pytest.approx(other.inertia, rel=tolerance, abs=tolerance * np.abs(other.inertia).max())


def test_sums_and_cut_outs_are_those_of_the_points() -> None:
    rng = np.random.default_rng(1)
    mass, points = clouds(rng, 20)
    whole, part, rest = (
        bodies_of(mass, points),
        bodies_of(mass[:, :3], points[:, :3]),
        bodies_of(mass[:, 3:], points[:, 3:]),
    )
    assert_same(part + rest, whole)
    assert_same(whole - part, rest)
    assert_same(bodies_of(mass.reshape(1, -1), points.reshape(1, -1, 3)), whole.total())


def test_transformed_bodies_are_those_of_moved_points() -> None:
    rng = np.random.default_rng(2)
    mass, points = clouds(rng, 20)
    poses = Poses(rng.normal(size=(20, 3)), random_rotations(rng, 20))
    moved = np.einsum("nij,nkj->nki", poses.rotation, points) + poses.translation[:, None]
    one = bodies_of(mass, points)
    assert_same(one.transformed(poses), bodies_of(mass, moved))
    assert_same(one.rotated(poses.rotation).translated(poses.translation), bodies_of(mass, moved))
    assert_same(one.transformed(poses[3]), one.rotated(poses.rotation[3]).translated(poses.translation[3]))
    mirrored = bodies_of(mass, points * np.array([1.0, -1.0, 1.0]))
    assert_same(one.mirrored("y"), mirrored)
    child = bodies_of(*clouds(rng, 20))
    assert_same(one.merged(child, poses), one + child.transformed(poses))
    assert_same(one.merged(child), child + one)


def test_ten_numbers_and_back() -> None:
    rng = np.random.default_rng(3)
    mass, points = clouds(rng, 20)
    bodies, P = bodies_of(mass, points), rng.normal(size=3)
    p = bodies.parameters(P)
    assert p[:, 1:4] == pytest.approx(np.einsum("nk,nka->na", mass, points - P), rel=1e-12, abs=1e-13)
    assert p[:, 4:] == pytest.approx(np.einsum("nk,nka->na", mass, phi(points - P)), rel=1e-12, abs=1e-12)
    assert_same(BodyArray.from_parameters(p, P), bodies)
    assert_same(BodyArray.from_parameters(bodies.parameters(P, "KSL"), P, "KSL"), bodies)
    # ten numbers about one point add up
    assert p.sum(axis=0) == pytest.approx(bodies.total().parameters(P)[0], rel=1e-12, abs=1e-12)
    ksl = bodies.parameters(form="KSL")[0]
    assert ksl[8:].tolist() == bodies.inertia[0, [5, 4]].tolist()
    with pytest.raises(UsageError, match="form must be"):
        bodies.parameters(form="mass")  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(UsageError, match="body 0 has the mass 0"):
        BodyArray.from_parameters(np.zeros((1, 10)))
    with pytest.raises(UsageError, match=r"\(n, 10\)"):
        BodyArray.from_parameters(np.zeros((1, 9)))


def test_spatial_inertia_gives_the_momentum_of_the_points() -> None:
    """M (v, ω) is the momentum and the angular momentum of points that move as one rigid body."""
    rng = np.random.default_rng(4)
    mass, points = clouds(rng, 5)
    P, v, w = rng.normal(size=(3, 3))
    M = bodies_of(mass, points).spatial(P)
    velocity = v + np.cross(w, points - P)
    momentum = np.einsum("nk,nka->na", mass, velocity)
    angular = np.einsum("nk,nka->na", mass, np.cross(points - P, velocity))
    assert M @ np.concatenate([v, w]) == pytest.approx(np.concatenate([momentum, angular], axis=1), abs=1e-12)
    assert (np.swapaxes(M, 1, 2) == M).all()


def test_cut_outs_that_leave_no_body_are_rejected() -> None:
    big = BodyArray.of([12.0], [[0.0, 0, 0]], [[2.0, 2, 2, 0, 0, 0]])
    with pytest.raises(UsageError, match="cut-out 0 is not lighter than its body: mass left 0"):
        _ = big - big
    outside = BodyArray.of([1.0], [[5.0, 0, 0]], [[0.1, 0.1, 0.1, 0, 0, 0]])
    with pytest.raises(UsageError, match="cut-out 0 is not inside its body: no body has the principal moments left"):
        _ = big - outside
    plate = BodyArray.of([12.0], [[0.0, 0, 0]], [[1.0, 1, 2, 0, 0, 0]])
    hole = BodyArray.of([3.0], [[0.25, 0.25, 0]], [[0.0625, 0.0625, 0.125, 0, 0, 0]])
    assert (plate - hole).dimensions().tolist() == [2]
    with pytest.raises(UsageError, match="2 bodies and 3 bodies"):
        _ = big[[0, 0]] + big[[0, 0, 0]]


def test_no_mass_has_no_centre() -> None:
    one = BodyArray.of([2.0], [[0.0, 0, 0]], [[0.0] * 6])
    minus = BodyArray.of([-2.0], [[1.0, 0, 0]], [[0.0] * 6])
    assert np.isnan((one + minus).center).all()
    nothing = BodyArray.of([0.0], [[9.0, 0, 0]], [[0.0] * 6])
    assert (one + nothing).center.tolist() == [[0.0, 0.0, 0.0]]
    assert (nothing + one).center.tolist() == [[0.0, 0.0, 0.0]]
    assert np.isnan(nothing.total().center).all()


@pytest.mark.parametrize(("flat", "rank", "dimension"), [(0, 3, 3), (1, 3, 2), (2, 2, 1), (3, 0, 0)])
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e12])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_rank_and_dimension_at_every_scale(flat: int, rank: int, dimension: int, scale: float, kind: type) -> None:
    mass, points = clouds(np.random.default_rng(5), 50, flat)
    made = bodies_of(mass, points - points.mean(axis=1, keepdims=True))
    bodies = BodyArray.of(made.mass.astype(kind), made.center.astype(kind), (made.inertia * scale).astype(kind))
    factor = bodies.factor()
    assert set(factor.rank.tolist()) == {rank}
    assert set(bodies.dimensions().tolist()) == {dimension}
    assert factor.factor.dtype == kind
    left = factor.factor.astype(float) @ np.swapaxes(factor.factor.astype(float), 1, 2)
    error = 1e-14 if kind is np.float64 else 1e-6
    size = float(np.abs(bodies.inertia).max())
    assert left == pytest.approx(full_tensors(bodies.inertia), abs=error * size)


def test_size_below_which_a_body_is_a_point() -> None:
    dust = BodyArray.of([1.0], [[1.0, 0, 0]], [[1e-30, 1e-30, 1e-30, 0, 0, 0]])
    assert dust.factor().rank.tolist() == [3]
    assert dust.factor(1e-12).rank.tolist() == [0]
    assert dust.dimensions(1e-12).tolist() == [0]
    with pytest.raises(UsageError, match="body 0 has a negative principal moment: -1"):
        BodyArray.of([1.0], [[0.0, 0, 0]], [[-1.0, 1, 1, 0, 0, 0]]).factor()


def cone_projection(moments: np.ndarray) -> np.ndarray:
    """The nearest point of the cone of a (0, 1, 1) + b (1, 0, 1) + c (1, 1, 0), by trying every face."""
    rays = np.ones((3, 3)) - np.eye(3)
    best, shortest = np.zeros(3), np.linalg.norm(moments)
    for chosen in product([False, True], repeat=3):
        A = rays[:, list(chosen)]
        if not A.size:
            continue
        share = np.linalg.lstsq(A, moments, rcond=None)[0]
        if (share >= -1e-12).all() and np.linalg.norm(A @ share - moments) < shortest:
            best, shortest = A @ share, float(np.linalg.norm(A @ share - moments))
    return best


def test_nearest_valid_tensor_is_the_projection_on_the_cone() -> None:
    rng = np.random.default_rng(6)
    tensors = rng.normal(size=(400, 6)) + np.array([2.0, 2, 2, 0, 0, 0]) * rng.uniform(-1, 1, (400, 1))
    found = BodyArray.of(np.ones(400), np.zeros((400, 3)), tensors).nearest_valid()
    fixed = 0
    for tensor, nearest, distance in zip(tensors, found.inertia, found.distance, strict=True):
        moments, axes = np.linalg.eigh(full_tensors(tensor))
        expected = axes @ np.diag(cone_projection(moments)) @ axes.T
        assert full_tensors(nearest) == pytest.approx(expected, abs=1e-12)
        assert distance == pytest.approx(np.linalg.norm(full_tensors(tensor) - expected), abs=1e-12)
        assert _is_valid_tensor(nearest)
        fixed += distance > 0
        if distance == 0:
            assert (nearest == tensor).all()
    assert 100 < fixed < 400


def test_single_precision_stays_single_and_states_its_loss() -> None:
    rng = np.random.default_rng(7)
    mass, points = clouds(rng, 50)
    double = bodies_of(mass, points + 5.0)
    single, loss = double.single()
    assert {a.dtype for a in (single.mass, single.center, single.inertia)} == {np.dtype(np.float32)}
    assert loss.shape == (50, 3)
    assert 0 < loss.max() <= 2.0**-24
    poses = Poses(rng.normal(size=(50, 3)), random_rotations(rng, 50))
    for one, other in (
        (single.transformed(poses), double.transformed(poses)),
        (single.rotated(poses.rotation), double.rotated(poses.rotation)),
        (single.mirrored("x"), double.mirrored("x")),
        (single + single.translated([1.0, 0, 0]), double + double.translated([1.0, 0, 0])),
        (single.total(), double.total()),
    ):
        assert {a.dtype for a in (one.mass, one.center, one.inertia)} == {np.dtype(np.float32)}
        assert one.center == pytest.approx(other.center, abs=3e-6)
        assert one.inertia == pytest.approx(other.inertia, abs=3e-6 * np.abs(other.inertia).max())
    ten = single.parameters()
    assert ten.dtype == np.float32
    assert BodyArray.from_parameters(ten).mass.dtype == np.float32
    assert single.spatial().dtype == np.float32
    assert (single + double).mass.dtype == np.float64
    outer = BodyArray.of(double.mass * 8, double.center, double.inertia * 32).single().bodies
    assert (outer - single).mass.dtype == np.float32
    with pytest.raises(UsageError, match="beyond the range"):
        BodyArray.of([1e39], [[0.0, 0, 0]], [[0.0] * 6]).single()


def test_rotations_in_single_precision_have_its_digits() -> None:
    """A float32 rotation is orthonormal to 1e-7; the nearest rotation is used, so that no defect adds up."""
    rng = np.random.default_rng(13)
    exact = random_rotations(rng, 1)[0]
    body = BodyArray.of([2.0], [[1.0, 2, 3]], [[3.0, 4, 5, 0.1, 0.2, 0.3]])
    found = body.rotated(exact.astype(np.float32))
    assert found.inertia == pytest.approx(body.rotated(exact).inertia, rel=1e-6, abs=1e-6)
    assert found.inertia[0, :3].sum() == pytest.approx(12.0, rel=1e-14)
    with pytest.raises(UsageError, match="not orthonormal"):
        body.rotated(exact.astype(np.float32).astype(float))


def test_arrays_and_poses_are_described() -> None:
    assert repr(BodyArray.of([2.0, 3.0], np.zeros((2, 3)), np.zeros((2, 6)))) == (
        "BodyArray of 2 bodies, float64, total mass 5"
    )
    assert repr(Poses.identity(3)) == "Poses of 3 frames"


def test_unknown_products_stay_unknown_in_sums_and_cut_outs() -> None:
    known = np.diag([5.0, 6.0, 7.0])
    unknown = np.where(np.eye(3, dtype=bool), known / 10, np.nan)
    for found in (
        Body(5.0, np.zeros(3), known) + Body(1.0, np.ones(3), unknown),
        Body(5.0, np.zeros(3), known) - Body(1.0, np.zeros(3), unknown),
    ):
        assert found.inertia is not None
        assert np.isfinite(np.diag(found.inertia)).all()
        assert np.isnan(found.inertia[0, 1])


def test_single_precision_rounds_once() -> None:
    """A distant body keeps the tensor that it has near the origin: it is not summed about the origin."""
    near = BodyArray.of(*(np.asarray(a, np.float32) for a in ([2.0], [[0.5, 0, 0]], [[1.0, 2, 2.5, 0, 0, 0]])))
    far = near.translated([1e6, 0, 0])
    assert (far.inertia == near.inertia).all()
    assert ((far + far).inertia == 2 * near.inertia).all()


@pytest.mark.parametrize(
    ("mass", "center", "inertia"),
    [([1.0, 2.0], [[0.0, 0, 0]], [[0.0] * 6]), ([1.0], [[0.0, 0]], [[0.0] * 6]), ([1.0], [[0.0, 0, 0]], [[0.0] * 5])],
)
def test_wrong_shapes_are_rejected(mass, center, inertia) -> None:
    with pytest.raises(UsageError, match="shapes"):
        BodyArray.of(mass, center, inertia)


def test_wrong_calls_raise() -> None:
    one = BodyArray.of([1.0], [[0.0, 0, 0]], [np.eye(3)])
    with pytest.raises(UsageError, match="left-handed"):
        one.rotated(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(UsageError, match="x, y or z"):
        one.mirrored("w")  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(UsageError, match="2 poses for 1 bodies"):
        one.transformed(Poses.identity(2))
    with pytest.raises(UsageError, match="no positive mass"):
        BodyArray.of([0.0], [[0.0, 0, 0]], [[0.0] * 6]).equivalent_boxes()
    impossible = BodyArray.of([1.0, 2.0], np.zeros((2, 3)), [np.eye(3), [[2, -1, 0], [-1, 2, -1], [0, -1, 2]]])
    with pytest.raises(UsageError, match=r"body 1 is impossible: principal moments 0\.585786, 2, 3\.41421"):
        impossible.equivalent_boxes()
    sides = impossible.nearest_valid().inertia  # a plate, whose third side is 0
    assert BodyArray(impossible.mass, impossible.center, sides).equivalent_boxes()[1, 2] == pytest.approx(0, abs=1e-7)
    plate = BodyArray.of([3.0], np.zeros((1, 3)), np.diag([1.0, 4.0, 5.0])).single().bodies
    assert plate.equivalent_boxes()[0] == pytest.approx([4.0, 2.0, 0.0], abs=1e-3)
    assert len(one[0]) == len(one[-1]) == 1


def sigma_body(rng: np.random.Generator) -> Body:
    own = rng.uniform(0, 0.3, (3, 3))
    own += own.T + np.diag([5.0, 6.0, 7.0])
    factor = rng.normal(size=(10, 10)) * 0.01
    return Body(rng.uniform(1, 3), rng.normal(size=3), own).with_covariance(factor @ factor.T)


def test_rotation_and_translation_commute_with_the_sum_sigmas_included() -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        a, b = sigma_body(rng), sigma_body(rng)
        pose = Poses(rng.normal(size=(1, 3)), random_rotations(rng, 1))
        for combine in (lambda x, y: x + y, lambda x, y: x.merged(y)):
            first, last = combine(a, b).transformed(pose), combine(a.transformed(pose), b.transformed(pose))
            assert first.mass == last.mass
            assert first.center == pytest.approx(last.center, abs=1e-14)
            assert first.inertia == pytest.approx(last.inertia, abs=1e-13)
            assert first.covariance == pytest.approx(last.covariance, abs=1e-15)
            assert first.sigma_inertia == pytest.approx(last.sigma_inertia, rel=1e-11)


def test_covariance_of_a_sum_against_differences() -> None:
    rng = np.random.default_rng(9)
    a, b = sigma_body(rng), sigma_body(rng)

    def ten(body: Body) -> np.ndarray:
        return np.concatenate([[body.mass], body.center, six_entries(body.inertia)])

    for sign in (1.0, -1.0):
        big = Body(20.0, a.center, 40 * a.inertia).with_covariance(a.covariance)

        def joined(x: np.ndarray, sign: float = sign) -> np.ndarray:
            one, two = (Body(y[0], y[1:4], full_tensors(y[4:])) for y in (x[:10], x[10:]))
            return ten(one + two if sign > 0 else one - two)

        at = np.concatenate([ten(big), ten(b)])
        slopes = np.array([(joined(at + h) - joined(at - h)) / 2e-5 for h in 1e-5 * np.eye(20)]).T
        V = np.zeros((20, 20))
        V[:10, :10], V[10:, 10:] = big.covariance, b.covariance
        found = (big + b if sign > 0 else big - b).covariance
        assert found == pytest.approx(slopes @ V @ slopes.T, rel=1e-6, abs=1e-10)


def test_one_body_has_the_same_forms_as_an_array() -> None:
    rng = np.random.default_rng(10)
    body = sigma_body(rng)
    assert body.spatial([1.0, 2, 3])[3:, 3:] == pytest.approx(body.about([1.0, 2, 3]), rel=1e-14)
    assert body.dimension == 3
    assert body.factor().rank == 3
    assert Body(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0])).dimension == 2
    back = Body.from_parameters(body.parameters([1.0, 2, 3]), [1.0, 2, 3], name="back")
    assert back.inertia == pytest.approx(body.inertia, rel=1e-12)
    assert back.name == "back"
    mirrored = body.mirrored("z")
    assert mirrored.center == pytest.approx(body.center * [1, 1, -1])
    assert mirrored.sigma_inertia == pytest.approx(body.sigma_inertia, rel=1e-14)
    bare = Body(2.0, name="lump")
    for call in (bare.spatial, bare.parameters, bare.factor):
        with pytest.raises(UsageError, match="lump"):
            call()
    assert bare.translated([1.0, 0, 0]).center is None
    assert (Body(5.0) - bare).mass == 3.0
    with pytest.raises(UsageError, match="not lighter"):
        _ = bare - bare
    with pytest.raises(UsageError, match="2 poses for one body"):
        body.transformed(Poses.identity(2))
