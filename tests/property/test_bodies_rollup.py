"""Rotation, translation and mirror commute with the roll-up, sigmas included, for any tree of bodies."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.rollups.covariance import Covariances, full_covariances, packed_covariances
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import Tree
from tests.examples import examples

seeds = st.integers(0, 2**32)


def rolled(parent: list[int], bodies: BodyArray, covariance: np.ndarray) -> Rollup:
    """Roll up a tree whose leaves have full covariances of (m, h, J) about their own centres."""
    tree = Tree.from_parents(parent)
    leaves = np.flatnonzero(tree.is_leaf())
    n = len(parent)
    given = Bodies(bodies.mass, bodies.center, bodies.inertia, np.zeros(n, bool))
    sigma = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    sigmas = Sigmas(sigma[:, 0], sigma[:, 1:4] / bodies.mass[:, None], sigma[:, 4:])
    packed = packed_covariances(covariance[leaves]).T
    return roll_up(RollupInputs.of(tree, given, sigmas), given=Covariances(leaves.astype(np.int32), packed))


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(3, 25), st.booleans())
def test_motion_commutes_with_the_rollup(seed: int, n: int, mirror: bool) -> None:
    rng = np.random.default_rng(seed)
    parent = [-1] + [int(rng.integers(max(0, k - 4), k)) for k in range(1, n)]
    points = rng.normal(size=(n, 8, 3))
    center = rng.normal(size=(n, 3)) * 3
    tensors = np.einsum("nka,nkb->nab", points, points)
    tensors = np.trace(tensors, axis1=1, axis2=2)[:, None, None] * np.eye(3) - tensors
    bodies = BodyArray.of(rng.uniform(0.5, 2, n), center, tensors)
    factor = rng.normal(size=(n, 10, 10)) * 0.05
    covariance = factor @ np.swapaxes(factor, 1, 2)

    axis, angle, step = rng.normal(size=(1, 3)), rng.uniform(0, 6), rng.normal(size=(1, 3))
    pose = Poses.from_axis_angle(step, axis, angle, "rad")
    R = pose.rotation[0] @ (np.diag([1.0, -1.0, 1.0]) if mirror else np.eye(3))
    M = turn_matrices(R)

    def moved(array: BodyArray) -> BodyArray:
        return (array.mirrored("y") if mirror else array).transformed(pose)

    before = rolled(parent, bodies, covariance)
    after = rolled(parent, moved(bodies), M @ covariance @ M.T)
    numbers = before.bodies
    assert numbers.center is not None
    assert numbers.inertia is not None
    assert after.bodies.center is not None
    assert after.bodies.inertia is not None
    expected = moved(BodyArray.of(numbers.mass, numbers.center, numbers.inertia))
    assert np.allclose(after.bodies.mass, expected.mass, rtol=1e-14)
    assert np.allclose(after.bodies.center, expected.center, rtol=0, atol=1e-12)
    assert np.allclose(after.bodies.inertia, expected.inertia, rtol=0, atol=1e-12 * np.abs(expected.inertia).max())
    assert before.covariances is not None
    assert after.covariances is not None
    turned = M @ full_covariances(before.covariances.packed.T) @ M.T
    found = full_covariances(after.covariances.packed.T)
    assert np.allclose(found, turned, rtol=0, atol=1e-11 * np.abs(turned).max())
