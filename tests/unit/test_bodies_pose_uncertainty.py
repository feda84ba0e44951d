"""Uncertain poses: derivatives against differences, and a branch of brackets against a sample of poses."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import phi
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.pose_uncertainty import PoseCovariances, _point_matrices, pose_derivatives
from massprops_cli.bodies.poses import Poses
from massprops_cli.findings.finding import UsageError
from tests.unit.test_bodies_poses import random_rotations


def cloud_parameters(mass: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Ten parameters of point masses ``(n,)`` at ``(…, n, 3)`` about the origin."""
    first = np.einsum("n,...na->...a", mass, points)
    second = np.einsum("n,...na->...a", mass, phi(points))
    return np.concatenate([np.broadcast_to(mass.sum(), first.shape[:-1])[..., None], first, second], axis=-1)


def rotated(points: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Points ``(n, 3)`` rotated about the origin by vectors ``(s, 3)``."""
    poses = Poses.from_axis_angle(np.zeros((len(turn), 3)), turn, np.linalg.norm(turn, axis=1), "rad")
    return np.einsum("sij,nj->sni", poses.rotation, points)


def test_derivatives_against_central_differences() -> None:
    rng = np.random.default_rng(1)
    mass, points, pivot = rng.uniform(1, 2, 6), rng.normal(size=(6, 3)), rng.normal(size=3)
    found = pose_derivatives(cloud_parameters(mass, points)[None], pivot[None])[0]
    h = 1e-5
    for k in range(3):
        step = h * np.eye(3)[k]
        slope = (cloud_parameters(mass, points + step) - cloud_parameters(mass, points - step)) / (2 * h)
        assert found[:, k] == pytest.approx(slope, abs=1e-8)
        turned = rotated(points - pivot, np.stack([step, -step])) + pivot
        up, down = cloud_parameters(mass, turned)
        assert found[:, 3 + k] == pytest.approx((up - down) / (2 * h), abs=1e-8)


def cloud_bodies(mass: np.ndarray, points: np.ndarray) -> BodyArray:
    """Point masses as one body."""
    return BodyArray.from_parameters(cloud_parameters(mass, points)[None])


def branches_of(masses: list[np.ndarray], points: list[np.ndarray], parent: np.ndarray) -> BodyArray:
    """Every item with all items below it, by direct sums."""
    n = len(parent)
    below = np.eye(n, dtype=bool)
    for k in reversed(range(1, n)):
        below[parent[k]] |= below[k]
    rows = [
        cloud_bodies(np.concatenate([masses[i] for i in at]), np.concatenate([points[i] for i in at]))
        for at in (np.flatnonzero(row) for row in below)
    ]
    return BodyArray(*(np.concatenate(a) for a in zip(*((b.mass, b.center, b.inertia) for b in rows), strict=True)))


def random_covariance(rng: np.random.Generator, size: float, turn: float) -> np.ndarray:
    """A full 6×6 covariance: shift and rotation are correlated."""
    factor = rng.normal(size=(6, 6)) * np.array([size] * 3 + [turn] * 3)[:, None]
    return np.asarray(factor @ factor.T / 6)


def test_one_bracket_moves_all_parts_on_it() -> None:
    """Root → bracket → arm, with parts on each: the covariance of the root's ten numbers against 100,000 samples."""
    rng = np.random.default_rng(2)
    parent = np.array([-1, 0, 1])  # root, bracket, arm
    poses = Poses(np.array([[0.0, 0, 0], [2, 0, 1], [1, 1, 0]]), random_rotations(rng, 3))
    poses.rotation[0] = np.eye(3)
    C = np.stack([np.zeros((6, 6)), random_covariance(rng, 2e-3, 1e-3), random_covariance(rng, 1e-3, 2e-3)])
    masses = [rng.uniform(1, 3, 4) for _ in range(3)]
    points = [rng.normal(size=(4, 3)) for _ in range(3)]

    # first order: each frame moves what is below it, about its own origin
    root = poses.in_root(parent)
    in_root = [root.translation[k] + points[k] @ root.rotation[k].T for k in range(3)]
    covariances = PoseCovariances(C).in_root(root, parent)
    found = covariances.in_assemblies(branches_of(masses, in_root, parent), root.translation, parent)
    assert (found[2] == 0).all()
    whole = cloud_bodies(np.concatenate(masses), np.concatenate(in_root))
    T = _point_matrices(-whole.center)
    V = T[0] @ found[0] @ T[0].T  # about the origin

    # the same by samples of both poses, composed
    n = 100_000
    at = {0: np.broadcast_to(in_root[0], (n, 4, 3))}
    R, t = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    for k in (1, 2):
        z = rng.multivariate_normal(np.zeros(6), C[k], size=n)
        turn = Poses.from_axis_angle(np.zeros((n, 3)), z[:, 3:], np.linalg.norm(z[:, 3:], axis=1), "rad").rotation
        t = t + np.einsum("nij,nj->ni", R, poses.translation[k] + z[:, :3])
        R = R @ turn @ poses.rotation[k]
        at[k] = t[:, None] + np.einsum("nij,kj->nki", R, points[k])
    sample = cloud_parameters(np.concatenate(masses), np.concatenate([at[k] for k in range(3)], axis=1))
    sigma = np.sqrt(np.diag(V))
    assert sigma[0] == 0
    assert sigma[1:] == pytest.approx(sample.std(axis=0)[1:], rel=0.012)
    correlation = np.corrcoef(sample[:, 1:].T)
    assert V[1:, 1:] / np.outer(sigma[1:], sigma[1:]) == pytest.approx(correlation, abs=0.015)

    # parts that each had a bracket of their own would spread less
    bracket = PoseCovariances(covariances.matrix[1:2])
    own = [
        bracket.parameter_covariances(cloud_parameters(masses[i], in_root[i])[None], root.translation[1:2])[0]
        for i in (1, 2)
    ]
    shared = bracket.parameter_covariances(
        cloud_parameters(np.concatenate(masses[1:]), np.concatenate(in_root[1:]))[None], root.translation[1:2]
    )[0]
    assert (np.diag(sum(own))[1:4] < 0.8 * np.diag(shared)[1:4]).all()


def test_a_covariance_about_another_point_is_moved() -> None:
    """The covariance about a point of the branch and that about the origin differ by the shift of the parameters."""
    rng = np.random.default_rng(3)
    mass, points, pivot = rng.uniform(1, 2, 6), rng.normal(size=(6, 3)), rng.normal(size=3)
    one = PoseCovariances(random_covariance(rng, 0.01, 0.02)[None])
    s = np.array([0.4, -1.0, 2.0])
    T = _point_matrices(s[None])[0]
    assert T @ cloud_parameters(mass, points) == pytest.approx(cloud_parameters(mass, points - s), abs=1e-13)
    about_origin = one.parameter_covariances(cloud_parameters(mass, points)[None], pivot[None])[0]
    about_s = one.parameter_covariances(cloud_parameters(mass, points - s)[None], (pivot - s)[None])[0]
    assert about_s == pytest.approx(T @ about_origin @ T.T, abs=1e-12)


def test_sigmas_of_a_pose() -> None:
    found = PoseCovariances.from_sigmas([[0.1, 0.2, 0.3]], [[180.0, 0, 0]], "deg").matrix[0]
    assert np.diag(found) == pytest.approx([0.01, 0.04, 0.09, np.pi**2, 0, 0], rel=1e-15)
    assert np.count_nonzero(found) == 4
    with pytest.raises(UsageError, match="negative"):
        PoseCovariances.from_sigmas([[0.1, -0.2, 0.3]], [[0, 0, 0]], "rad")
    with pytest.raises(UsageError, match="unit of an angle"):
        PoseCovariances.from_sigmas([[0.1, 0.2, 0.3]], [[0, 0, 0]], "gon")  # type: ignore[arg-type] # wrong on purpose


def test_a_tree_of_poses_against_each_pose_alone() -> None:
    """Poses are independent: the covariance of an assembly is the sum over the poses below it."""
    rng = np.random.default_rng(6)
    n = 12
    parent = np.array([-1] + [int(rng.integers(0, k)) for k in range(1, n)])
    masses = [rng.uniform(1, 3, 3) for _ in range(n)]
    points = [rng.normal(size=(3, 3)) * 2 for _ in range(n)]
    origins = rng.normal(size=(n, 3))
    C = np.stack([random_covariance(rng, 0.01, 0.01) for _ in range(n)])
    branches = branches_of(masses, points, parent)
    found = PoseCovariances(C).in_assemblies(branches, origins, parent)
    for item in range(n):
        expected = np.zeros((10, 10))
        for k in range(1, n):
            path = [k]
            while parent[path[-1]] >= 0:
                path.append(parent[path[-1]])
            if item in path[1:]:
                at = branches.center[item]
                one = PoseCovariances(C[k : k + 1])
                expected += one.parameter_covariances(branches[k].parameters(at), (origins[k] - at)[None])[0]
        assert found[item] == pytest.approx(expected, rel=1e-10, abs=1e-12 * max(np.abs(expected).max(), 1e-9))


def test_pieces_share_the_pose_of_their_item() -> None:
    """Two pieces at one place move together; the poses within each are independent of each other."""
    parent = np.array([-1, 0, 1])
    C = np.zeros((3, 6, 6))
    C[1, 0, 0], C[2, 1, 1] = 0.01, 0.04
    arm = BodyArray.of([1.0, 1.0, 1.0], np.zeros((3, 3)), np.zeros((3, 6)))
    branches = BodyArray.of([2.0, 1.0, 1.0], arm.center, arm.inertia)
    found = PoseCovariances(C).in_assemblies(branches, np.zeros((3, 3)), parent, [1, 2, 1])
    assert np.diag(found[0])[:4] == pytest.approx([0, 4 * 0.01, 2 * 0.04, 0], rel=1e-14)
    assert np.diag(found[1])[:4] == pytest.approx([0, 0, 0.04, 0], rel=1e-14)


def test_trees_that_cannot_be_followed_are_rejected() -> None:
    two = BodyArray.of([1.0, 1.0], np.zeros((2, 3)), np.zeros((2, 6)))
    one = PoseCovariances(np.zeros((2, 6, 6)))
    with pytest.raises(UsageError, match="the parents of item 0 form a loop"):
        one.in_assemblies(two, np.zeros((2, 3)), [1, 0])
    empty = BodyArray.of([1.0, 0.0], [[0.0, 0, 0], [np.nan] * 3], np.zeros((2, 6)))
    with pytest.raises(UsageError, match="item 1 has no centre of mass"):
        one.in_assemblies(empty, np.zeros((2, 3)), [-1, 0])
