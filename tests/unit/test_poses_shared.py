"""Shared uncertainties of parts whose axes are turned, against matrices from first principles."""

from __future__ import annotations

import io

import numpy as np
import pytest

import massprops_cli as mp
from tests.unit.pose_trees import PoseTree, tensor

ENTRIES = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]


def turn(R: np.ndarray) -> np.ndarray:
    """(m, h, J) in turned axes."""
    M = np.zeros((10, 10))
    M[0, 0], M[1:4, 1:4] = 1.0, R
    for k in range(6):
        M[4:, 4 + k] = (R @ tensor(np.eye(6)[k]) @ R.T)[ENTRIES]
    return M


def about(c: np.ndarray) -> np.ndarray:
    """(m, h, J) about a point from which the old one is c."""

    def moved(x: np.ndarray) -> np.ndarray:
        m, h = x[0], x[1:4]
        J = tensor(x[4:]) + 2 * (h @ c) * np.eye(3) - np.outer(c, h) - np.outer(h, c)
        J += m * ((c @ c) * np.eye(3) - np.outer(c, c))
        return np.concatenate([[m], h + m * c, J[ENTRIES]])

    return np.array([moved(e) for e in np.eye(10)]).T


@pytest.mark.spread(2)
@pytest.mark.parametrize("scope", ["none", "part", "all"])
@pytest.mark.parametrize("centers", [False, True])
@pytest.mark.parametrize("frame", ["own", "parent"])
def test_groups_of_turned_parts(scope, centers, frame):
    tree = PoseTree.random(3)
    column = {"none": "corr_group", "part": "part", "all": "remark"}[scope]
    label = [f"g{k % 2}" if leaf else "" for k, leaf in enumerate(tree.leaf.tolist())]
    lines = [f"{line},{end}" for line, end in zip(tree.table(frame, True).splitlines(), [column, *label], strict=True)]
    bom = mp.read_bom(io.StringIO("\n".join(lines)), format="csv")
    rolled = mp.rollup(bom, correlate=scope, correlate_centers=centers)
    V, shared = np.zeros((10, 10)), dict[tuple[str, int], np.ndarray]()
    C = tree.expected(0)[1:4]
    for i in tree.leaves_below(0):
        R, origin = tree.in_root(i)
        axes = R if frame == "own" else tree.in_root(int(tree.parent[i]))[0]
        s = tree.sigma[i].copy()
        s[1:4] *= tree.mass[i]
        A = about(R @ tree.center[i] + origin - C) @ turn(axes) * s
        for q in range(10):
            if not centers and q in (1, 2, 3):
                V += np.outer(A[:, q], A[:, q])
            else:
                key = ("" if scope == "all" else label[i], q)
                shared[key] = shared.get(key, np.zeros(10)) + A[:, q]
    V += sum(np.outer(one, one) for one in shared.values())
    assert rolled.rollup.covariance_of(0) == pytest.approx(V, abs=1e-13 * np.abs(V).max())


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", range(4))
def test_contributions_with_uncertain_poses_add_up_to_the_sigma_of_the_rollup(seed):
    tree = PoseTree.random(seed, pose_sigma=0.03)
    bom = tree.read(frame="own", sigmas=True, uncertain=True)
    rolled = mp.rollup(bom)
    inner = [bom.ids[i] for i in np.flatnonzero(~bom.tree.is_leaf())]
    for name in inner[:3]:
        V = rolled.rollup.covariance_of(bom.item(name))
        mass = rolled.rollup.bodies.mass[bom.item(name)]
        for k, of in enumerate(("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")):
            found = mp.contributions(bom, of, name)
            assert found.sigma == pytest.approx(np.sqrt(V[k, k]) / (mass if k in (1, 2, 3) else 1.0), rel=1e-11)
            assert sum(row.share for row in found.rows()) == pytest.approx(1.0, rel=1e-12)
