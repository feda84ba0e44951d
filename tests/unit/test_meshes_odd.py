"""Meshes without anything, shells that no solid has, and the paths of rare input."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.meshes import mesh as mesh_module, mesh_bodies as calculators, mesh_shells
from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, mesh_body
from massprops_cli.bodies.meshes.mesh_defects import voxel_moments
from massprops_cli.bodies.meshes.mesh_shells import MeshEdges
from massprops_cli.findings.finding import Findings, UsageError
from tests.mesh_examples import Triangles, box, flipped, joined

EMPTY = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.intp))


def test_empty_mesh_has_bounds_and_no_positions() -> None:
    assert EMPTY.bounds.tolist() == [[0.0] * 3] * 2
    assert EMPTY.welded() is EMPTY


def test_step_of_a_text_has_its_digits() -> None:
    steps = Mesh(np.array([[123.4, 0.5, 0.0]]), np.zeros((0, 3), np.intp), 4).coordinate_steps()
    np.testing.assert_allclose(steps[0, :2], [0.1, 0.0001])
    assert Mesh(np.ones((1, 3)), np.zeros((0, 3), np.intp), 0.25).coordinate_steps().tolist() == [[0.25] * 3]


def test_positions_of_one_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    points, faces = box()
    twice = Mesh(np.vstack([points, points]), np.vstack([faces, faces[:, ::-1] + 8]))
    expected = twice.welded()
    monkeypatch.setattr(mesh_module, "_MIXER", np.uint64(0))  # every position has the hash of its last coordinate
    found = twice.welded()
    assert len(found.vertices) == len(expected.vertices) == 8
    np.testing.assert_array_equal(found.vertices[found.faces], expected.vertices[expected.faces])


def test_surface_without_area_is_an_error() -> None:
    line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    findings = Findings()
    assert mesh_body(MeshInput(Mesh(line, np.array([[0, 1, 2]])), density=1.0, wall=0.1), findings) is None
    assert "MP731" in [one.rule for one in findings]


def test_size_of_a_mesh_of_known_density_is_still_checked() -> None:
    findings = Findings()
    # 20 km of air: no such part, but no density that is unknown either
    huge = MeshInput(Mesh(*box((2e4, 2e4, 2e4))), mass=2e4**3 * 1000.0, kilograms=1.0, meters=1.0)
    assert mesh_body(huge, findings) is not None
    assert any("has a size of" in one.message for one in findings if one.rule == "MP732")
    findings = Findings()
    foam = MeshInput(Mesh(*box((1, 1, 1))), mass=1e-3, kilograms=1.0, meters=1.0)
    assert mesh_body(foam, findings) is not None
    assert any("implied density of 0.001" in one.message for one in findings if one.rule == "MP732")


def shells_of(*meshes: Triangles) -> MeshEdges:
    return MeshEdges(Mesh(*joined(*meshes)).welded())


def test_boxes_that_meet_at_corners_of_bounds_do_not_overlap() -> None:
    # bounding boxes that have common points, bodies that do not: a wedge in the free corner of another
    points, faces = (
        np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    far = 1.0 - points * 0.3
    found = mesh_shells.shell_relations(shells_of((points, faces), (far, faces[:, ::-1])))
    assert found.is_exact
    assert (found.cavities, found.nested, found.overlaps) == ([], [], [])


def test_shells_that_are_no_solids(monkeypatch: pytest.MonkeyPatch) -> None:
    open_box = box()[0], box()[1][2:]
    edges = shells_of(open_box, box((0.05, 0.05, 0.05)))
    assert not mesh_shells.shell_relations(edges).is_exact
    with pytest.raises(UsageError, match="needs closed shells"):
        mesh_shells.mesh_union(edges)
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    with pytest.raises(UsageError, match="needs the extra mesh"):
        mesh_shells.mesh_union(edges)


def test_union_without_a_cavity_is_the_sum_less_the_cavity() -> None:
    union = mesh_shells.mesh_union(shells_of(box((2, 2, 2)), flipped(box((1, 1, 1))), box((1, 1, 1), (5, 0, 0))))
    from massprops_cli.bodies.meshes.mesh import mesh_moments

    assert mesh_moments(union).amount == pytest.approx(8 - 1 + 1, rel=1e-12)


def test_voxels_of_a_mesh_that_no_ray_meets() -> None:
    speck = np.array([[0.0, 0, 0], [1e-3, 0, 0], [0, 1e-3, 0], [0, 0, 1e-3]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    rods = [(speck + at, faces) for at in ((0.0, 0, 0), (10.0, 10, 10))]
    assert voxel_moments(Mesh(*joined(*rods)), 4.0).moments.amount == 0.0


def test_calculator_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Any:
        raise ImportError("no module named printer")

    monkeypatch.setattr(calculators, "entry_points", lambda group: [SimpleNamespace(name="printed", load=load)])
    with pytest.raises(UsageError, match="printed cannot be loaded: ImportError: no module named printer"):
        calculators.calculated_body("printed", EMPTY, 1.0, {}, Findings())


def test_double_sided_sheet_with_a_wall_counts_once() -> None:
    """1 m × 1 m × 10 mm at 1000 kg/m³: 10 kg, m/12 about the axes in the plane."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [0, 3, 2]])
    findings = Findings()
    found = mesh_body(MeshInput(Mesh(corners, faces), density=1000.0, wall=0.01), findings)
    assert found is not None
    assert found.ten[[0, 4, 5, 6]] == pytest.approx([10, 10 / 12, 10 / 12, 10 / 6])
    assert [one.rule for one in findings] == ["MP736"]


@pytest.mark.parametrize(("wall", "is_body"), [(1.0, True), (2.0, False)])
def test_wall_of_a_closed_mesh_is_at_most_its_smallest_side(wall: float, is_body: bool) -> None:
    findings = Findings()
    found = mesh_body(MeshInput(Mesh(*box((1, 2, 3))), density=1.0, wall=wall), findings)
    assert (found is not None) is is_body
    assert [one.rule for one in findings] == ([] if is_body else ["MP721"])
    assert is_body or "wall 2 is larger than the smallest side 1" in findings[0].message


def test_triangles_without_area_on_an_edge_leave_a_cube_closed() -> None:
    """A cube of 4 with a triangle on one edge, and another one on that: 64, (4, 4, 4)² 64/12 each."""
    corners, faces = box((4, 4, 4))
    points = np.vstack([corners, (corners[0] + corners[1]) / 2, (3 * corners[0] + corners[1]) / 4])
    findings = Findings()
    found = mesh_body(MeshInput(Mesh(points, np.vstack([faces, [[0, 8, 1], [0, 9, 8]]])), density=1.0), findings)
    assert found is not None
    assert found.ten[[0, 4, 5, 6]] == pytest.approx([64, *[64 * 32 / 12] * 3])
    assert [one.rule for one in findings] == ["MP724"]


def test_triangle_without_area_that_closes_a_mesh_is_kept() -> None:
    """A face of the box has a corner on its edge: the triangle of no area joins it to its neighbour."""
    corners, faces = box((4, 4, 4))
    points = np.vstack([corners, (corners[3] + corners[2]) / 2])
    split = np.vstack([faces[1:], [[3, 8, 1], [8, 2, 1], [3, 2, 8]]])
    findings = Findings()
    assert faces[0].tolist() == [3, 2, 1]
    found = mesh_body(MeshInput(Mesh(points, split), density=1.0), findings)
    assert found is not None
    assert found.ten[0] == pytest.approx(64)
    assert [one.rule for one in findings] == ["MP724"]
