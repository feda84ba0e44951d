"""Poses: every form of a rotation, composition down a tree, faults, bodies and covariances that turn with them."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, full_tensors, phi, six_entries
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses, axis_rotation, rotation_faults
from massprops_cli.bodies.rotations import cross_matrices, turn_matrices
from massprops_cli.findings.finding import UsageError

ZERO = np.zeros((1, 3))


def random_rotations(rng: np.random.Generator, n: int) -> np.ndarray:
    q = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    return q * np.sign(np.linalg.det(q))[:, None, None]


def test_roll_pitch_yaw_are_about_fixed_axes() -> None:
    """Roll first about x, then pitch about y, then yaw about z, multiplied out."""
    roll, pitch, yaw = 0.3, -0.7, 2.1
    rx = np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]])
    ry = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    rz = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    found = Poses.from_rpy(ZERO, [[roll, pitch, yaw]], "rad")
    assert found.rotation[0] == pytest.approx(rz @ ry @ rx, abs=1e-15)
    assert Poses.from_rpy(ZERO, np.rad2deg([[roll, pitch, yaw]]), "deg").rotation == pytest.approx(
        found.rotation, abs=1e-15
    )


def test_quarter_turns_in_degrees_are_exact() -> None:
    angles = np.array([[a, b, c] for a in (-90, 0, 90, 180) for b in (-90, 0, 90) for c in (-90, 270, 180, 360)], float)
    R = Poses.from_rpy(np.zeros((len(angles), 3)), angles, "deg").rotation
    assert set(np.unique(R + 0.0)) == {-1.0, 0.0, 1.0}


def test_all_forms_of_one_rotation_agree() -> None:
    rng = np.random.default_rng(3)
    axis, angle = rng.normal(size=(50, 3)), rng.uniform(0, 6, 50)
    t = rng.normal(size=(50, 3))
    first = Poses.from_axis_angle(t, axis, angle, "rad")
    unit = axis / np.linalg.norm(axis, axis=1)[:, None]
    q = np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * unit], axis=1)
    for other in (
        Poses.from_quaternion(t, q, "wxyz"),
        Poses.from_quaternion(t, q[:, [1, 2, 3, 0]] * 1.0001, "xyzw"),
        Poses.from_cosines(t, first.rotation),
        Poses.from_rpy(t, first.rpy("deg"), "deg"),
        Poses.from_quaternion(t, first.quaternions(), "wxyz"),
        Poses.from_axis_angle(t, axis, np.rad2deg(angle), "deg"),
    ):
        assert other.rotation == pytest.approx(first.rotation, abs=4e-15)
        assert (other.translation == t).all()
    assert np.einsum("nij,nj->ni", first.rotation, unit) == pytest.approx(unit, abs=1e-15)
    sign = np.sign(q[:, :1])
    assert first.quaternions() == pytest.approx(sign * q, abs=1e-14)


def test_half_turns_have_quaternions() -> None:
    for axis in np.eye(3):
        half = Poses.from_axis_angle(ZERO, [axis], 180.0, "deg")
        assert np.abs(half.quaternions()[0, 1:]) == pytest.approx(axis, abs=1e-15)


def test_pitch_of_a_quarter_turn_has_no_roll() -> None:
    given = Poses.from_rpy(ZERO, [[20.0, 90.0, 50.0]], "deg")
    angles = given.rpy("deg")
    assert angles[0] == pytest.approx([0.0, 90.0, 30.0], abs=1e-12)
    assert Poses.from_rpy(ZERO, angles, "deg").rotation == pytest.approx(given.rotation, abs=1e-15)


def test_composition_and_inverse() -> None:
    rng = np.random.default_rng(4)
    a = Poses(rng.normal(size=(5, 3)), random_rotations(rng, 5))
    b = Poses(rng.normal(size=(5, 3)), random_rotations(rng, 5))
    x = rng.normal(size=(5, 3))
    assert (a @ b).points(x) == pytest.approx(a.points(b.points(x)), abs=1e-14)
    assert (a @ a.inverse()).points(x) == pytest.approx(x, abs=1e-14)
    assert len(a[2]) == 1
    assert (a[-1].translation == a.translation[-1]).all()
    assert len(a[1:3]) == 2


@pytest.mark.parametrize("depth", [1, 2, 7, 8, 9, 1000])
def test_a_chain_is_composed(depth: int) -> None:
    """Steps of one length that turn by one angle end on a circle: a closed form for any depth."""
    turn = 0.01
    step = Poses.from_axis_angle(np.tile([1.0, 0, 0], (depth, 1)), np.tile([0, 0, 1.0], (depth, 1)), turn, "rad")
    found = step.in_root(np.arange(-1, depth - 1))
    k = np.arange(depth)
    # Σ exp(i j turn), j = 0 … k
    ends = (1 - np.exp(1j * turn * (k + 1))) / (1 - np.exp(1j * turn))
    assert found.translation[:, :2] == pytest.approx(np.stack([ends.real, ends.imag], axis=1), abs=1e-11)
    assert found.rpy("rad")[:, 2] == pytest.approx(np.angle(np.exp(1j * turn * (k + 1))), abs=1e-12)


def test_a_tree_in_any_order_is_composed() -> None:
    rng = np.random.default_rng(9)
    n = 200
    parent = np.array([-1] + [int(rng.integers(0, k)) for k in range(1, n)])
    order = rng.permutation(n)
    place = np.argsort(order)
    shuffled = np.where(parent[order] < 0, -1, place[parent[order]])
    poses = Poses(rng.normal(size=(n, 3)), random_rotations(rng, n))
    expected_t, expected_r = poses.translation.copy(), poses.rotation.copy()
    for k in range(1, n):
        up = parent[k]
        expected_t[k] = expected_t[up] + expected_r[up] @ poses.translation[k]
        expected_r[k] = expected_r[up] @ poses.rotation[k]
    found = poses[order].in_root(shuffled)
    assert found.translation == pytest.approx(expected_t[order], abs=1e-13)
    assert found.rotation == pytest.approx(expected_r[order], abs=1e-13)


def test_loops_and_lengths_are_rejected() -> None:
    with pytest.raises(UsageError, match="the parents of item 1 form a loop"):
        Poses.identity(3).in_root([-1, 2, 1])
    with pytest.raises(UsageError, match="3 poses for 2 items"):
        Poses.identity(3).in_root([-1, 0])


def test_numbers_of_three_frames_are_the_same_body() -> None:
    """One body given in its own frame, in its parent's and in the root's."""
    rng = np.random.default_rng(12)
    parent = np.array([-1, 0, 1, 1, 1])
    poses = Poses(rng.normal(size=(5, 3)), random_rotations(rng, 5))
    poses.translation[3:], poses.rotation[3:] = poses.translation[2], poses.rotation[2]
    own = rng.normal(size=3)
    in_parent = poses[2].points([own])[0]
    root = poses.in_root(parent)
    in_root = root[2].points([own])[0]
    frames = ["own", "own", "own", "parent", "root"]
    found = poses.of_numbers(parent, frames).points([own, own, own, in_parent, in_root])
    assert found[2:] == pytest.approx(np.tile(in_root, (3, 1)), abs=1e-14)
    assert (poses.of_numbers(parent, "parent").translation[0] == 0).all()
    with pytest.raises(UsageError, match="frame must be own, parent or root: 'base'"):
        poses.of_numbers(parent, "base")
    with pytest.raises(UsageError, match="2 frames for 5 items"):
        poses.of_numbers(parent, ["own", "root"])


def test_left_handed_rotation_shows_its_determinant() -> None:
    (fault,) = rotation_faults([np.eye(3), np.diag([1.0, -1.0, 1.0])])
    assert (fault.row, fault.kind, fault.determinant) == (1, "left-handed", -1.0)
    assert fault.message == "rotation matrix is left-handed: determinant -1"
    with pytest.raises(UsageError, match="pose 0: rotation matrix is left-handed: determinant -1"):
        Poses.from_cosines(ZERO, [np.diag([1.0, 1.0, -1.0])])


def test_non_orthonormal_rotation_shows_its_defect() -> None:
    scaled = np.diag([1.0, 1.0, 1.25])
    (fault,) = rotation_faults([scaled])
    assert fault.kind == "not-orthonormal"
    assert fault.defect == 1.25**2 - 1
    assert "lengths of the rows 1, 1, 1.25" in fault.message
    assert "determinant 1.25" in fault.message
    (missing,) = rotation_faults([np.full((3, 3), np.nan)])
    assert missing.message == "rotation matrix has a missing cosine"
    with pytest.raises(UsageError, match="shape"):
        rotation_faults(np.eye(3))


def test_rounded_cosines_need_their_tolerance() -> None:
    """Four digits of a turn by 45°: h = 5e-5 explains a defect of at most 6 h + 9 h²."""
    rng = np.random.default_rng(1)
    exact = random_rotations(rng, 2000)
    rounded = np.round(exact, 4)
    tolerance = 6 * 5e-5 + 9 * 5e-5**2
    assert rotation_faults(rounded, tolerance) == []
    assert len(rotation_faults(rounded)) == 2000
    t = np.zeros((2000, 3))
    nearest = Poses.from_cosines(t, rounded, tolerance).rotation
    assert np.abs(nearest @ np.swapaxes(nearest, 1, 2) - np.eye(3)).max() < 1e-14
    assert np.abs(nearest - exact).max() < 2e-4
    assert (Poses.from_cosines(t[:1], [np.eye(3)]).rotation == np.eye(3)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Poses.from_rpy(ZERO, [[0, 0, 90]], "grad"), "unit of an angle must be deg or rad, not 'grad'"),
        (lambda: Poses.from_rpy(ZERO, [[0, np.nan, 90]], "deg"), "roll, pitch, yaw 0 has a missing number"),
        (lambda: Poses.from_rpy(ZERO, [[0, 90]], "deg"), "roll, pitch, yaw must have 3 numbers"),
        (lambda: Poses.from_rpy(np.zeros((2, 3)), [[0, 0, 90]], "deg"), "2 translations for 1 rotations"),
        (lambda: Poses.from_quaternion(ZERO, [[1, 1, 0, 0]], "wxyz"), "quaternion 0 has the length 1.41421, not 1"),
        (lambda: Poses.from_quaternion(ZERO, [[1, 0, 0, 0]], "ijk"), "order of a quaternion must be wxyz or xyzw"),
        (lambda: Poses.from_axis_angle(ZERO, [[0, 0, 0]], 1.0, "rad"), "axis 0 of a rotation has the length 0"),
        (lambda: axis_rotation("q"), "axis must be x, y, z"),
    ],
)
def test_wrong_calls_raise(call, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_axis_rotation_moves_z_to_the_axis() -> None:
    rng = np.random.default_rng(2)
    for axis in [
        *rng.normal(size=(20, 3)),
        np.array([0, 0, -2.0]),
        np.array([0, 0, 3.0]),
        *(np.array([x, 2 * x, -1.0]) for x in (1e-9, 1e-6, 1e-4)),
    ]:
        R = axis_rotation(axis)
        assert pytest.approx(axis / np.linalg.norm(axis), abs=1e-15) == R @ [0, 0, 1]
        assert pytest.approx(np.eye(3), abs=1e-14) == R @ R.T
        assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


def test_turn_matrices_turn_tensors_and_their_covariance() -> None:
    rng = np.random.default_rng(6)
    R = random_rotations(rng, 20)
    ten = rng.normal(size=(20, 10))
    M = turn_matrices(R)
    found = np.einsum("nij,nj->ni", M, ten)
    assert (found[:, 0] == ten[:, 0]).all()
    assert found[:, 1:4] == pytest.approx(np.einsum("nij,nj->ni", R, ten[:, 1:4]), abs=1e-14)
    direct = R @ full_tensors(ten[:, 4:]) @ np.swapaxes(R, 1, 2)
    assert full_tensors(found[:, 4:]) == pytest.approx(direct, abs=1e-13)
    assert M @ turn_matrices(np.swapaxes(R, 1, 2)) == pytest.approx(np.tile(np.eye(10), (20, 1, 1)), abs=1e-14)
    assert (Poses(np.zeros((20, 3)), R).parameter_matrices() == M).all()
    v, w = rng.normal(size=(2, 4, 3))
    assert np.einsum("nij,nj->ni", cross_matrices(v), w) == pytest.approx(np.cross(v, w), abs=1e-15)


def test_bodies_of_a_table_in_their_parents() -> None:
    """Centres and tensors move; what is not known stays unknown, and products without a sign stop oblique turns."""
    rng = np.random.default_rng(7)
    tensors = np.abs(rng.normal(size=(4, 6)))
    known = np.array([True, True, False, True])
    products = np.array([True, False, True, False])
    own = Bodies(
        np.ones(4), rng.normal(size=(4, 3)), tensors, np.zeros(4, bool), has_center=known, has_products=products
    )
    poses = Poses.from_rpy(np.ones((4, 3)), [[0, 0, 30], [0, 0, 30], [0, 0, 30], [0, 0, 90]], "deg")
    found = poses.bodies(own)
    assert found.center is not None
    assert found.inertia is not None
    assert found.has_inertia is not None
    assert (found.center[2] == 0).all()
    assert found.center[3] == pytest.approx(poses[3].points(own.center[3:])[0], abs=1e-15)  # type: ignore[index] # an array of centres
    assert found.has_inertia.tolist() == [True, False, True, True]
    assert found.inertia[3, :3] == pytest.approx(tensors[3, [1, 0, 2]], abs=1e-15)
    assert full_tensors(found.inertia[0]) == pytest.approx(
        poses.rotation[0] @ full_tensors(tensors[0]) @ poses.rotation[0].T, abs=1e-15
    )
    bare = poses.bodies(Bodies(np.ones(4), None, None, np.zeros(4, bool)))
    assert bare.center is None
    assert bare.inertia is None


def test_patterns_place_pieces() -> None:
    ball = BodyArray.of(2.0, [3.0, 0, 0], np.eye(3) * 0.4)
    row = BodyArray.of(np.full(4, 2.0), np.tile(ball.center, (4, 1)), np.tile(ball.inertia, (4, 1)))
    placed = row.transformed(Poses.linear_pattern(4, [0.0, 1.5, 0]))
    assert placed.center.tolist() == [[3, 0, 0], [3, 1.5, 0], [3, 3, 0], [3, 4.5, 0]]
    ring = row.transformed(Poses.circular_pattern(4, [0, 0, 2.0], None, "deg", [1.0, 0, 0])).total()
    assert ring.mass[0] == 8
    assert ring.center[0] == pytest.approx([1.0, 0, 0], abs=1e-15)
    # four balls at the distance 2 of the axis
    assert ring.inertia[0] == pytest.approx([1.6 + 16, 1.6 + 16, 1.6 + 32, 0, 0, 0], abs=1e-13)
    radians = row.transformed(Poses.circular_pattern(4, [0, 0, 2.0], None, "rad", [1.0, 0, 0])).total()
    assert radians.inertia[0] == pytest.approx(ring.inertia[0], abs=1e-13)
    arc = Poses.circular_pattern(3, [0, 0, 1.0], 0.1, "rad")
    assert arc.rpy("rad")[:, 2] == pytest.approx([0.0, 0.1, 0.2], abs=1e-15)


def test_tensors_are_those_of_turned_points() -> None:
    rng = np.random.default_rng(8)
    cloud = rng.normal(size=(30, 3))
    R = random_rotations(rng, 1)
    turned = Poses(ZERO, R).tensors(phi(cloud).sum(axis=0)[None])
    assert turned[0] == pytest.approx(phi(cloud @ R[0].T).sum(axis=0), abs=1e-13)
    assert six_entries(full_tensors(turned)).shape == (1, 6)


def test_complete_bodies_turn_without_masks() -> None:
    """A quarter turn about z exchanges x and y: c = (−y, x, z) + t, Ixx ↔ Iyy, Ixy → −Ixy, (Ixz, Iyz) → (−Iyz, Ixz)."""
    own = Bodies(np.ones(1), np.array([[1.0, 2, 3]]), np.array([[5.0, 6, 7, 0.5, -0.4, 0.3]]), np.zeros(1, bool))
    turned = Poses.from_rpy([[10.0, 20, 30]], [[0, 0, 90]], "deg").bodies(own)
    assert turned.center[0] == pytest.approx([8.0, 21.0, 33.0], abs=1e-14)
    assert turned.inertia[0] == pytest.approx([6.0, 5.0, 7.0, -0.5, -0.3, -0.4], abs=1e-14)
    assert turned.has_inertia is None


def test_tensor_without_products_is_lost_by_other_than_quarter_turns() -> None:
    inertia, without = np.array([[5.0, 6, 7, 0, 0, 0]]), np.array([False])
    own = Bodies(np.ones(1), np.zeros((1, 3)), inertia, np.zeros(1, bool), has_products=without)
    assert Poses.from_rpy(ZERO, [[0, 0, 90]], "deg").bodies(own).has_inertia.tolist() == [True]
    assert Poses.from_rpy(ZERO, [[0, 0, 30]], "deg").bodies(own).has_inertia.tolist() == [False]
