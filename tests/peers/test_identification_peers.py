"""Regressors against Pinocchio, and nearest bodies against Clarabel, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.identifications import prior as priors
from massprops_cli.identifications.signals import _inertial_regressor
from tests.identification_cases import machine_of, robot_text


def test_regressor_is_that_of_pinocchio():
    pinocchio = pytest.importorskip("pinocchio")
    text = robot_text(7)
    machine, peer = machine_of(text), pinocchio.buildModelFromXML(text)
    data, chance = peer.createData(), np.random.default_rng(2)
    # Pinocchio: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the joint
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
    for _ in range(5):
        q, qd, qdd = (chance.uniform(-2, 2, 7) for _ in range(3))
        own = _inertial_regressor(machine.model, q[None], qd[None], qdd[None])[0].reshape(7, 7, 10)
        other = np.array(pinocchio.computeJointTorqueRegressor(peer, data, q, qd, qdd)).reshape(7, 7, 10)
        assert own[:, :, order] == pytest.approx(other, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_nearest_bodies_are_those_of_clarabel(seed):
    clarabel = pytest.importorskip("clarabel")
    sparse = pytest.importorskip("scipy.sparse")
    chance = np.random.default_rng(seed)
    theta = np.concatenate([priors.parameters_of(np.diag([0.02, 0.03, 0.01, 2.0]) + 0.001) for _ in range(3)])
    root = np.diag(np.concatenate([0.3 * priors.parameter_scales(theta[k : k + 10]) for k in (0, 10, 20)]))
    A = chance.normal(size=(15, 30))
    H, g = np.eye(30) + A.T @ A, A.T @ chance.normal(size=15) * 8
    u = priors._nearest_bodies(H, g, theta, root, [0, 1, 2])
    pairs = [(i, j) for j in range(4) for i in range(j + 1)]
    factors = np.array([1.0 if i == j else 2**0.5 for i, j in pairs])[:, None]
    basis = factors * np.array([[priors._pseudo_inertia(unit)[i, j] for unit in np.eye(10)] for i, j in pairs])
    rows = sparse.csc_matrix(np.vstack([-basis @ root[k : k + 10] for k in (0, 10, 20)]))
    right = np.concatenate([basis @ theta[k : k + 10] for k in (0, 10, 20)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.PSDTriangleConeT(4)] * 3
    answer = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), -g, rows, right, cones, settings).solve()
    x = np.array(answer.x)
    best, found = (float(one @ H @ one / 2 - g @ one) for one in (x, u))
    assert found == pytest.approx(best, rel=1e-5)
    assert np.abs(u - x).max() < 1e-2
