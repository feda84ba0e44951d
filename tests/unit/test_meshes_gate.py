"""What a closed-looking mesh can hide: repeated triangles, unpaired edges, islands in cavities, crossings of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import computed_body_faults
from massprops_cli.bodies.meshes import mesh_shells
from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_bodies import MeshBody, MeshInput, mesh_body
from massprops_cli.bodies.meshes.mesh_defects import voxel_moments
from massprops_cli.bodies.solid_inputs import SolidInput, solid_bodies
from massprops_cli.findings.finding import Findings
from tests.mesh_examples import Triangles, ball, box, cylinder, flipped, joined, triangles_of

TETRAHEDRON = np.vstack([np.zeros(3), 0.1 * np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
ISLAND = joined(box((0.3, 0.3, 0.3)), flipped(box((0.2, 0.2, 0.2))), box((0.1, 0.1, 0.1)))


def body_of(mesh: Triangles, **options: Any) -> tuple[MeshBody | None, list[str]]:
    """The body at 1000 kg/m³, and the rules above a note."""
    findings = Findings()
    found = mesh_body(MeshInput(Mesh(*mesh), density=1000.0, **options), findings)
    return found, [f"{one.rule} {one.severity.value}" for one in findings if one.severity.value != "note"]


@pytest.mark.parametrize("repeated", [[3], [0, 1, 2, 3], [1, 1, 2]])
@pytest.mark.parametrize("use_union", [False, True])
def test_repeated_triangles_count_once(repeated: list[int], use_union: bool) -> None:
    points, faces = TETRAHEDRON
    turned = np.roll(faces[repeated], 1, axis=1)  # the same triangle, from another corner
    found, rules = body_of((points, np.vstack([faces, turned])), use_union=use_union)
    assert rules == ["MP736 warning"]
    assert found is not None
    assert found.ten[0] == pytest.approx(1000 * 0.1**3 / 6, rel=1e-12)


def test_boxes_that_touch_keep_their_common_faces() -> None:
    found, rules = body_of(joined(box(at=(0.05, 0, 0)), box(at=(-0.05, 0, 0))))
    assert found is not None
    assert found.ten[0] == pytest.approx(12.0, rel=1e-12)
    assert [one for one in rules if not one.endswith("warning")] == []


def test_edge_of_three_triangles_is_an_error_as_an_open_edge_is() -> None:
    points, faces = TETRAHEDRON
    # a fin of two triangles back to back closes nothing and opens nothing
    fin = np.vstack([points, [[0.2, 0.2, 0.0]]]), np.vstack([faces, [[1, 2, 4]]])
    assert "MP736 error" in body_of(fin)[1]
    closed = fin[0], np.vstack([faces, [[1, 2, 4], [2, 1, 4]]])
    found, rules = body_of(closed)
    assert "MP736 error" not in rules
    assert found is not None
    assert found.ten[0] == pytest.approx(1 / 6, rel=1e-12)


@pytest.mark.parametrize("use_union", [False, True])
@pytest.mark.parametrize("exact", [True, False])
def test_solid_in_a_cavity_is_counted(use_union: bool, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exact and use_union:
        pytest.skip("a union needs manifold3d")
    if not exact:
        monkeypatch.setattr(mesh_shells, "_has_boolean_solids", lambda: False)
    found, rules = body_of(ISLAND, use_union=use_union)
    assert rules == []
    assert found is not None
    assert found.ten[0] == pytest.approx(27 - 8 + 1, rel=1e-12)
    assert found.ten[4] == pytest.approx(1000 * (0.3**5 - 0.2**5 + 0.1**5) / 6, rel=1e-9)


def test_cavity_in_an_island_and_the_same_mesh_inside_out() -> None:
    four = joined(ISLAND, flipped(box((0.05, 0.05, 0.05))))
    for mesh, expected in ((four, []), (flipped(four), ["MP726 warning"])):
        found, rules = body_of(mesh)
        assert rules == expected
        assert found is not None
        assert found.ten[0] == pytest.approx(20 - 0.125, rel=1e-12)


def test_shell_of_the_wrong_direction_at_its_depth_is_still_an_error() -> None:
    outward = joined(box((0.3, 0.3, 0.3)), box((0.2, 0.2, 0.2)))
    assert body_of(outward)[1] == ["MP728 error"]
    inward_twice = joined(box((0.3, 0.3, 0.3)), flipped(box((0.2, 0.2, 0.2))), flipped(box((0.1, 0.1, 0.1))))
    assert body_of(inward_twice)[1] == ["MP728 error"]
    assert body_of(joined(box((0.3, 0.3, 0.3)), flipped(box((0.1, 0.1, 0.1), (1, 0, 0)))))[1][0] == "MP726 error"


def ribbon(end: float) -> Triangles:
    """A ribbon 1 m wide and high along (0,0) (4,0) (4,3) (1,3) (1,end), mitred, as one closed shell."""
    left = [[0, 0.5], [3.5, 0.5], [3.5, 2.5], [1.5, 2.5], [1.5, end]]
    right = [[0, -0.5], [4.5, -0.5], [4.5, 3.5], [0.5, 3.5], [0.5, end]]
    points = np.array([[x, y, z] for z in (0.0, 1.0) for x, y in (*left, *right)])
    quads = [[5, 15, 10, 0], [4, 14, 19, 9]]  # the ends
    for k in range(4):
        quads += [[15 + k, 16 + k, 11 + k, 10 + k], [5 + k, k, 1 + k, 6 + k]]  # top and bottom
        quads += [[5 + k, 6 + k, 16 + k, 15 + k], [1 + k, k, 10 + k, 11 + k]]  # right and left
    return points, triangles_of(quads)


def test_shell_that_crosses_itself_is_an_error() -> None:
    assert body_of(ribbon(-2.0))[1] == ["MP730 error"]
    assert body_of(ribbon(-2.0), use_union=True)[1] == ["MP730 error"]  # one shell has no union with itself
    found, rules = body_of(ribbon(1.0))  # ends before its start
    assert rules == []
    assert found is not None
    assert found.ten[0] == pytest.approx(12_000, rel=1e-12)  # center line 4 + 3 + 3 + 2
    voxels, rules = body_of(ribbon(-2.0), voxel=0.05)
    assert rules == []
    assert voxels is not None
    assert voxels.ten[0] == pytest.approx(14_000, rel=0.01)


def test_ball_with_its_cap_pushed_through_has_no_body() -> None:
    points, faces = ball(0.05, 16)
    pushed = points - np.where(points[:, 2:] > 0.03, [[0, 0, 0.12]], 0.0)
    found, rules = body_of((pushed, faces))
    assert found is None
    assert {"MP721 error", "MP730 error"} <= {*rules}


@pytest.mark.parametrize("mesh", [box(), ball(), cylinder(), joined(box(), box(at=(0.1, 0.2, 0)))])
def test_sound_meshes_do_not_cross_themselves(mesh: Triangles) -> None:
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    for points in (mesh[0], mesh[0] @ turn.T + 3.0, mesh[0].astype(np.float32)):
        assert [one for one in body_of((points, mesh[1]))[1] if "MP730" in one] == []


@pytest.mark.parametrize("step", [0.00423, 0.004, 0.005, 0.0072])
def test_uncertainty_of_voxels_covers_their_deviation(step: float) -> None:
    mesh = Mesh(*ball(0.036, 40))
    found = voxel_moments(mesh, step)
    assert abs(found.moments.amount - 4 / 3 * np.pi * 0.036**3) <= 2 * abs(found.error[0])
    surface = 4 * np.pi * 0.036**2
    assert abs(found.error[0]) > 0.29 * np.sqrt(surface) * float(np.prod(found.size)) ** (2 / 3)


@pytest.mark.parametrize("size", [1e62, 1e-200, 1e-110])
def test_solid_beyond_double_precision_is_a_fault(size: float) -> None:
    ten, _, faults, _ = solid_bodies([SolidInput("sphere", {"r": size, "density": 1.0}, {}, "z", "density")])
    assert "beyond double precision" in faults[0][2]
    assert np.isnan(ten).all()


def test_rods_and_plates_pass_the_gate() -> None:
    tens = np.zeros((3, 10))
    tens[:, 0] = 1.0, 1.0, 1e-200
    tens[:, 4:7] = [0, 1, 1], [1, 1, 2], [1, 1, 1]
    assert computed_body_faults(tens) == {}
    tens[:, 4] *= 1 - 1e-5
    tens[0, 4] = -1e-5
    assert [*computed_body_faults(tens)] == [0, 1]


def test_a_mass_that_vanished_has_no_body_though_its_tensor_is_normal() -> None:
    """A sphere of 4e-310 kg and r = 1 km: 0.4 m r² = 1.6e-304 kg·m²; below 2.2e-308 a double loses digits."""
    sphere = np.array([[4e-310, 0, 0, 0, 1.6e-304, 1.6e-304, 1.6e-304, 0, 0, 0]])
    assert "beyond double precision" in computed_body_faults(sphere)[0]
    sphere[0, 0] = 4e-300
    assert computed_body_faults(sphere) == {}


@pytest.mark.parametrize(("scale", "expected"), [(1e110, "beyond"), (1e-110, "beyond"), (1.0, "")])
def test_mesh_beyond_double_precision_has_no_body(scale: float, expected: str) -> None:
    findings = Findings()
    found = mesh_body(MeshInput(Mesh(*box()), length=scale, density=1.0), findings)
    assert (found is None) == bool(expected)
    assert expected in " ".join(one.message for one in findings)


def test_overlapping_cavities_are_no_solid_in_voxels() -> None:
    """Two cavities of 10 mm in a box of 30 mm, 6 mm apart: 27000 − 1600 mm³ of 1000 kg/m³."""
    hollow = joined(box((0.03,) * 3), flipped(box((0.01,) * 3, (-3e-3, 0, 0))), flipped(box((0.01,) * 3, (3e-3, 0, 0))))
    found, _ = body_of(hollow, voxel=5e-4)
    assert found is not None
    assert found.ten[0] == pytest.approx(0.0254, rel=1e-6)


@pytest.mark.parametrize("height", [0.004, 0.007])
@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 1, 1)])
def test_uncertainty_of_voxels_of_an_open_mesh_covers_its_flat_cap(height: float, normal: tuple[int, ...]) -> None:
    """A ball of 10 mm without what is above a plane: rays along all axes pass an oblique hole."""
    points, faces = ball(0.01, 40)
    kept = faces[points[faces].mean(axis=1) @ np.array(normal) / np.linalg.norm(normal) < height]
    found, rules = body_of((points, kept), voxel=5e-4)
    assert found is not None
    assert rules == []
    h = 0.01 + height
    assert abs(found.ten[0] - 1000 * np.pi * h**2 * (0.03 - h) / 3) <= 1.1 * np.sqrt(found.covariance[0, 0])


def test_equal_boxes_that_face_opposite_ways_are_not_called_flat() -> None:
    opposite = joined(box((0.01,) * 3), flipped(box((0.01,) * 3, (0.05, 0, 0))))
    assert "MP726 error" in body_of(opposite)[1]
    assert "MP731 error" not in body_of(opposite)[1]


@pytest.mark.parametrize("repeated", [[3], [0, 1, 2, 3]])
def test_remedy_of_triangles_that_repeat_others_reversed(repeated: list[int]) -> None:
    points, faces = TETRAHEDRON
    findings = Findings()
    mesh = Mesh(points, np.vstack([faces, faces[repeated][:, ::-1]]))
    mesh_body(MeshInput(mesh, density=1000.0), findings)
    assert [one.remedy for one in findings if one.severity.value == "error"] == [
        "delete the repeated triangles in the program that made the mesh"
    ]
