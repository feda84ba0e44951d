"""Sigmas that turn with the body and uncertain poses: against derivatives by differences, closed forms and samples."""

from __future__ import annotations

import io

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.items.result_columns import ItemCovariance
from massprops_cli.bom.results.table_edit import rollup_table_edit
from tests.unit.pose_trees import PoseTree, about_origin, results, rotation, rpy, sigma_results, ten_of, tensor


def bom_of(text: str, **options: object) -> mp.Bom:
    return mp.read_bom(io.StringIO(text), format="csv", **options)  # type: ignore[arg-type] # options are keywords


def turned(v: np.ndarray) -> np.ndarray:
    """The rotation by a vector of angles."""
    size = np.linalg.norm(v)
    if size == 0:
        return np.eye(3)
    x, y, z = v / size
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(size) * K + (1 - np.cos(size)) * K @ K)


def deviated(tree: PoseTree, k: int, own: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """Ten numbers of item k with deviations of the leaves ``own (n, 10)`` and of the poses below it ``(n, 6)``."""
    total = np.zeros(10)
    for i in tree.leaves_below(k):
        ten = np.concatenate([[tree.mass[i]], tree.center[i], tree.inertia[i]]) + own[i]
        c, J0, item = ten[1:4], tensor(ten[4:]), i
        while item >= 0:
            d = poses[item] if item != k and k in ancestors(tree, item) else np.zeros(6)
            R = turned(d[3:]) @ rpy(*tree.angles[item])
            c, J0 = R @ c + tree.t[item] + d[:3], R @ J0 @ R.T
            item = int(tree.parent[item])
        total += about_origin(ten[0], c, J0)
    return ten_of(total)


def ancestors(tree: PoseTree, i: int) -> list[int]:
    found = []
    while (i := int(tree.parent[i])) >= 0:
        found.append(i)
    return found


def expected_covariance(tree: PoseTree, k: int) -> np.ndarray:
    """First order by central differences: 10 × 10 covariance of mass, centre and tensor of item k."""
    n = len(tree.parent)
    V = np.zeros((10, 10))
    for size, which in ((10, "own"), (6, "pose")):
        for i in range(n):
            for a in range(size):
                sigma = (tree.sigma if which == "own" else tree.pose_sigma)[i, a]
                if sigma == 0 or (which == "own" and not tree.leaf[i]):
                    continue
                h = 1e-4 * (1.0 if which == "pose" else max(sigma, 1e-6))
                sides = []
                for sign in (1, -1):
                    own, poses = np.zeros((n, 10)), np.zeros((n, 6))
                    (own if which == "own" else poses)[i, a] = sign * h
                    sides.append(deviated(tree, k, own, poses))
                slope = (sides[0] - sides[1]) / (2 * h)
                V += sigma**2 * np.outer(slope, slope)
    return V


@pytest.mark.spread(2)
@pytest.mark.parametrize("pose_sigma", [0.0, 1e-3], ids=["exact poses", "uncertain poses"])
@pytest.mark.parametrize("turn", ["any", "quarter"])
def test_covariance_against_differences(pose_sigma: float, turn: str) -> None:
    tree = PoseTree.random(11, n=9, pose_sigma=pose_sigma)
    if turn == "quarter":
        tree.angles[1:] = [90.0, 0.0, 180.0]
    result = mp.rollup(tree.read(sigmas=True, uncertain=pose_sigma > 0))
    for k in np.flatnonzero(~tree.leaf):
        V = expected_covariance(tree, k)
        assert sigma_results(result.rollup, k) == pytest.approx(np.sqrt(np.diag(V)), rel=2e-6)


def covariance_of(result: mp.Result) -> np.ndarray:
    """The covariance of the root's mass, centre and tensor."""
    found = ItemCovariance(result.rollup).matrix(result.root_item)
    assert found is not None
    return np.asarray(found)


def test_full_covariance_of_the_root() -> None:
    tree = PoseTree.random(12, n=8, pose_sigma=2e-3)
    result = mp.rollup(tree.read(sigmas=True, uncertain=True))
    found = covariance_of(result)
    V = expected_covariance(tree, 0)
    scale = np.sqrt(np.outer(np.diag(V), np.diag(V)))
    assert found / scale == pytest.approx(V / scale, abs=1e-6)


def test_sigmas_commute_with_a_rotation_of_all() -> None:
    """Below a turned root, sigmas of the roll-up are those of its turned covariance."""
    tree = PoseTree.random(13, n=8, pose_sigma=1e-3)
    plain = covariance_of(mp.rollup(tree.read(sigmas=True, uncertain=True)))
    tree.t[0], tree.angles[0] = [1.0, 2.0, 3.0], [20.0, 30.0, 40.0]
    moved = mp.rollup(tree.read(sigmas=True, uncertain=True))
    R = rpy(*tree.angles[0])
    M = np.zeros((10, 10))
    M[0, 0], M[1:4, 1:4] = 1.0, R
    for column in range(6):
        M[4:, 4 + column] = (R @ tensor(np.eye(6)[column]) @ R.T)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    expected = M @ plain @ M.T
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert covariance_of(moved) / scale == pytest.approx(expected / scale, abs=1e-9)


def test_the_row_of_an_assembly_has_the_sigmas_of_its_frame() -> None:
    tree = PoseTree.random(13, n=8, pose_sigma=1e-3)
    expected = sigma_results(mp.rollup(tree.read(sigmas=True, uncertain=True)).rollup, 0)
    tree.t[0], tree.angles[0] = [1.0, 2.0, 3.0], [20.0, 30.0, 40.0]
    result = mp.rollup(tree.read(sigmas=True, uncertain=True))
    named = result.bom.columns.by_quantity
    fills = {fill.column: np.asarray(fill.values)[0] for fill in rollup_table_edit(result).fills}
    names = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    found = [fills[named[f"sigma_{name}"].index] for name in names]
    assert found == pytest.approx(expected, rel=1e-9)


HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]"
POSE = "tx [m],ty [m],tz [m],frame,sigma_tx [m],sigma_ty [m],sigma_tz [m],sigma_rx [deg],sigma_ry [deg],sigma_rz [deg]"


def test_one_bracket_moves_all_parts_on_it() -> None:
    """Two exact parts of 1 kg at x = 2 m and 4 m on a bracket: the centre moves by δt + δθ × 3 m, at once for both."""
    rows = "A,Arm,1,2,0,0,0,0,0,0,0,0,0,own,,,,,,\nB,Arm,1,4,0,0,0,0,0,0,0,0,0,own,,,,,,\n"
    text = f"{HEAD},{POSE}\nTop{',' * 13}root{',' * 6}\nArm,Top{',' * 9}0,0,0,own,0.01,0.02,0,0,0,1\n{rows}"
    result = mp.rollup(bom_of(text))
    sigma = result.rollup.sigmas
    assert sigma is not None
    assert sigma.center is not None
    assert sigma.center[0] == pytest.approx([0.01, np.hypot(0.02, 3 * np.deg2rad(1)), 0.0], rel=1e-12)
    assert sigma.center[1] == pytest.approx([0, 0, 0], abs=1e-15)


def test_pieces_of_an_item_share_its_pose_and_those_of_a_pattern_do_not() -> None:
    head = f"{HEAD},{POSE},qty,pattern,pattern_pitch [m]"
    row = "A,Top,1,0,0,0,0,0,0,0,0,0,0,own,0.1,0,0,0,0,0"
    top = f"Top{',' * 13}root{',' * 9}"
    together = mp.rollup(bom_of(f"{head}\n{top}\n{row},4,,\n")).rollup.sigmas
    apart = mp.rollup(bom_of(f"{head}\n{top}\n{row},4,linear,0 0 1\n")).rollup.sigmas
    assert together is not None
    assert together.center is not None
    assert apart is not None
    assert apart.center is not None
    assert (together.center[0, 0], apart.center[0, 0]) == pytest.approx((0.1, 0.05), rel=1e-12)


@pytest.mark.parametrize("count", [21, 36])
def test_covariance_of_a_pose_in_one_cell(count: int) -> None:
    """A shift in y that follows the turn about z, by 3 m: σ of Cy is |3 + 3| σ_θ for a part at x = 3 m."""
    C, angle = np.zeros((6, 6)), 1e-3
    C[1, 1], C[1, 5], C[5, 1], C[5, 5] = 9 * angle**2, 3 * angle**2, 3 * angle**2, angle**2
    numbers = C.ravel() if count == 36 else C[np.triu_indices(6)]
    cell = " ".join(repr(float(x)) for x in numbers)
    head = f"{HEAD},tx [m],ty [m],tz [m],frame,pose_covariance [m; rad]"
    text = f"{head}\nTop{',' * 13}root,\nA,Top,1,3,0,0,0,0,0,0,0,0,0,own,{cell}\n"
    sigma = mp.rollup(bom_of(text)).rollup.sigmas
    assert sigma is not None
    assert sigma.center is not None
    assert sigma.center[0] == pytest.approx([0, 6e-3, 0], abs=1e-15)


@pytest.mark.parametrize("cell", ["1 2 3", "1 2 2 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0"])
def test_covariances_that_are_none(cell: str) -> None:
    head = f"{HEAD},tx [m],ty [m],tz [m],frame,pose_covariance [m; rad]"
    bom = bom_of(f"{head}\nTop{',' * 13}root,\nA,Top,1,3,0,0,0,0,0,0,0,0,0,own,{cell}\n")
    assert [f.rule for f in bom.findings if f.rule.startswith("MP7")] == ["MP709"]


def test_sigmas_at_two_standard_deviations() -> None:
    head = f"{HEAD},{POSE}".replace("sigma_tx [m]", "sigma_tx [m] (2σ)")
    sigma = mp.rollup(
        bom_of(f"{head}\nTop{',' * 13}root{',' * 6}\nA,Top,1,3,0,0,0,0,0,0,0,0,0,own,0.2,0,0,0,0,0\n")
    ).rollup.sigmas
    assert sigma is not None
    assert sigma.center is not None
    assert sigma.center[0, 0] == pytest.approx(0.1)


def test_massprops_reports_what_it_does_not_include() -> None:
    tree = PoseTree.random(14, n=6, pose_sigma=1e-3)
    result = mp.rollup(tree.read(sigmas=True, uncertain=True), "massprops")
    message = next(f.message for f in result.findings if f.rule == "MP708")
    assert "uncertain poses" in message
    assert "correlations" in message
    assert "MP708" not in {f.rule for f in mp.rollup(tree.read(sigmas=True, uncertain=True)).findings}


def samples(tree: PoseTree, n: int, seed: int) -> np.ndarray:
    """Means of squares of the root's ten numbers over samples drawn by this test alone ``(n, 10)``."""
    rng = np.random.default_rng(seed)
    total, count = np.zeros((n, 10)), len(tree.parent)
    poses = rng.normal(size=(n, count, 6)) * tree.pose_sigma
    for i in np.flatnonzero(tree.leaf):
        ten = (
            np.concatenate([[tree.mass[i]], tree.center[i], tree.inertia[i]]) + rng.normal(size=(n, 10)) * tree.sigma[i]
        )
        xx, yy, zz, xy, xz, yz = ten[:, 4:].T
        J0 = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
        c, item = ten[:, 1:4], int(i)
        while item > 0:
            R = _turned_all(poses[:, item, 3:]) @ rpy(*tree.angles[item])
            c = np.einsum("nij,nj->ni", R, c) + tree.t[item] + poses[:, item, :3]
            J0 = R @ J0 @ R.transpose(0, 2, 1)
            item = int(tree.parent[item])
        m = ten[:, :1]
        J = J0 + m[:, :, None] * ((c * c).sum(axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
        total += np.concatenate([m, m * c, J[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]], axis=1)
    c = total[:, 1:4] / total[:, :1]
    inner = total[:, :1, None] * ((c * c).sum(axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
    return np.concatenate([total[:, :1], c, total[:, 4:] - inner[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]], axis=1)


def _turned_all(angles: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(angles, axis=1)
    u = angles / np.where(size > 0, size, 1)[:, None]
    zero = np.zeros(len(size))
    K = np.array([[zero, -u[:, 2], u[:, 1]], [u[:, 2], zero, -u[:, 0]], [-u[:, 1], u[:, 0], zero]]).transpose(2, 0, 1)
    s, v = np.sin(size)[:, None, None], (1 - np.cos(size))[:, None, None]
    return np.asarray(np.eye(3) + s * K + v * (K @ K))


def assert_samples_agree(n: int, seed: int) -> None:
    """Sigmas of both methods against n samples of the test: within five of their statistical errors, σ/√(2n)."""
    tree = PoseTree.random(15, n=10, pose_sigma=2e-3)
    drawn = samples(tree, n, seed)
    sigma, error = drawn.std(axis=0), drawn.std(axis=0) / np.sqrt(2 * n)
    bom = tree.read(sigmas=True, uncertain=True)
    first = sigma_results(mp.rollup(bom).rollup, 0)
    # what is of second order in sigmas of 1 % is below 0.1 % of a sigma
    assert np.all(np.abs(first - sigma) < 5 * error + 1e-3 * sigma)
    sampled = mp.rollup(bom, "montecarlo", samples=n, progress=False).rollup.sampled
    assert sampled is not None
    assert np.all(np.abs(sampled.sigma[0, :10] - sigma) < 5 * np.sqrt(2) * error)
    assert np.all(np.abs(sampled.mean[0, :10] - drawn.mean(axis=0)) < 5 * np.sqrt(2) * sigma / np.sqrt(n))


def test_samples_of_poses() -> None:
    assert_samples_agree(20_000, 1)


@pytest.mark.slow
def test_million_samples_of_poses() -> None:
    assert_samples_agree(1_000_000, 2)


def test_shared_sigmas_turn_with_their_parts() -> None:
    """Two parts of one number at half a turn: what is shared in x cancels, what is shared in z adds."""
    head = f"{HEAD},part,tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame"
    row = "{},Top,1,1,0,0,0,0.1,0.2,0.3,P,0,0,0,0,0,{},own"
    text = f"{head}\nTop{',' * 17}root\n{row.format('A', 0)}\n{row.format('B', 180)}\n"
    sigma = mp.rollup(bom_of(text), correlate="part", correlate_centers=True).rollup.sigmas
    assert sigma is not None
    assert sigma.center is not None
    assert sigma.center[0] == pytest.approx([0, 0, 0.3], abs=1e-15)
    alone = mp.rollup(bom_of(text)).rollup.sigmas
    assert alone is not None
    assert alone.center is not None
    assert alone.center[0] == pytest.approx(np.array([0.1, 0.2, 0.3]) / np.sqrt(2), rel=1e-12)


def test_contributions_add_up_to_the_variance() -> None:
    tree = PoseTree.random(16, n=9)
    bom = tree.read(sigmas=True)
    V = expected_covariance(tree, 0)
    for k, name in enumerate(("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")):
        found = mp.contributions(bom, of=name)
        assert found.sigma == pytest.approx(np.sqrt(V[k, k]), rel=2e-6)


def test_contributions_include_uncertain_poses() -> None:
    tree = PoseTree.random(16, n=9, pose_sigma=1e-3)
    bom = tree.read(sigmas=True, uncertain=True)
    sigmas = mp.rollup(bom, uncertainty="covariance").root.sigma_center
    assert sigmas is not None
    assert mp.contributions(bom, of="Cx").sigma == pytest.approx(sigmas[0], rel=1e-11)
    assert mp.contributions(bom, of="mass").sigma > 0


def test_what_if_is_the_roll_up_of_the_changed_table() -> None:
    tree = PoseTree.random(17, n=9, pose_sigma=1e-3)
    leaf = int(np.flatnonzero(tree.leaf)[0])
    changed = mp.whatif(tree.read(sigmas=True, uncertain=True), set={f"i{leaf}.mass": 7.0, f"i{leaf}.Cx": 0.5})
    tree.mass[leaf], tree.center[leaf, 0] = 7.0, 0.5
    after = changed.after(0)
    expected = tree.expected(0)
    assert after.mass == pytest.approx(expected[0])
    assert after.center == pytest.approx(expected[1:4], rel=1e-12)
    assert results(mp.rollup(tree.read()).rollup, 0)[1:4] == pytest.approx(after.center, rel=1e-12)
    assert rotation(0, 0.0).trace() == 3
