"""Worked examples of functions in the room bodies."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.bodies import (
    correlation_matrices,
    full_tensors,
    parallel_axis_derivatives,
    phi,
    principal_axes,
    principal_sigmas,
    six_entries,
    tensor_faults,
)
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.meshes.mesh import Mesh, mesh_moments, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import unit_readings
from massprops_cli.bodies.meshes.mesh_shells import MeshEdges
from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.rotations import cross_matrices, turn_matrices
from massprops_cli.bodies.solid_inputs import SolidInput, parse_mesh, parse_solid, solid_bodies
from massprops_cli.bodies.solid_shapes import find_shape
from massprops_cli.bodies.solids import canonical_dims


def test_full_tensors_example() -> None:
    assert (full_tensors(np.array([1.0, 2, 3, 4, 5, 6])).tolist()) == (
        [[1.0, 4.0, 5.0], [4.0, 2.0, 6.0], [5.0, 6.0, 3.0]]
    )


def test_six_entries_example() -> None:
    assert (six_entries(full_tensors(np.array([1.0, 2, 3, 4, 5, 6]))).tolist()) == ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def test_phi_example() -> None:
    assert (phi(np.array([1.0, 2.0, 0.0])).tolist()) == ([4.0, 1.0, 5.0, -2.0, -0.0, -0.0])


def test_parallel_axis_derivatives_example() -> None:
    assert (parallel_axis_derivatives(2.0, np.array([3.0, 0.0, 0.0]))[1, :4].tolist()) == ([9.0, 12.0, 0.0, 0.0])


def test_correlation_matrices_example() -> None:
    assert (correlation_matrices(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()) == ([[1.0, 0.5], [0.5, 1.0]])


def test_principal_axes_example() -> None:
    moments, axes = principal_axes(np.array([[3.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
    assert (moments[0].tolist(), np.linalg.det(axes[0]).round(12)) == (([1.0, 2.0, 3.0], np.float64(1.0)))


def test_principal_sigmas_example() -> None:
    axes, covariance = np.eye(3), np.diag([0.01, 0.04, 0.09, 0.5, 0.5, 0.5])
    assert ([array.round(12).tolist() for array in principal_sigmas(axes, covariance)]) == (
        [[0.1, 0.2, 0.3], [0.22360679775, 0.360555127546]]
    )


def test_tensor_faults_example() -> None:
    assert ([j.rule for j in tensor_faults(np.array([[1.0, 3.0, 1.0, 0, 0, 0]]), lambda row: np.zeros(6))]) == (
        ["MP404"]
    )


def test_body__add_example() -> None:
    a, b = Body(1.0, np.zeros(3), np.zeros((3, 3))), Body(3.0, np.array([4.0, 0, 0]), np.zeros((3, 3)))
    assert ((a + b).center.tolist()) == ([3.0, 0.0, 0.0])


def test_body__sub_example() -> None:
    ball, core = Body(5.0, np.zeros(3), 2 * np.eye(3)), Body(1.0, np.zeros(3), 0.1 * np.eye(3))
    assert ((ball - core).mass) == (4.0)


def test_text_precision_example() -> None:
    angles = np.arange(100.0)
    assert (
        text_precision(np.round(np.sin(angles), 4)),
        text_precision(np.sin(angles)),
        text_precision(np.array([0.5])),
    ) == ((0.0001, None, None))


def test_unit_readings_example() -> None:
    corner = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    assert (unit_readings(corner, 6000.0).split("; ")[2]) == ("m: 1 × 1 × 1 m, 1000 kg")


def test_mesh_edges_example() -> None:
    corner = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    edges = MeshEdges(corner)
    assert (edges.is_closed, edges.n_shells, MeshEdges(corner.part(np.arange(4) < 3)).open_edges.tolist()) == (
        (True, 1, [[2, 1], [1, 3], [3, 2]])
    )


def test_mesh_moments_example() -> None:
    corner = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    assert (round(mesh_moments(corner).amount * 6, 12), mesh_moments(corner).center.round(12).tolist()) == (
        (1.0, [0.25, 0.25, 0.25])
    )


def test_cross_matrices_example() -> None:
    assert ((cross_matrices(np.array([1.0, 2, 3])) @ [4.0, 5, 6]).tolist()) == ([-3.0, 6.0, -3.0])


def test_turn_matrices_example() -> None:
    assert (np.diag(turn_matrices(np.diag([-1.0, 1, 1])))[4:].tolist()) == ([1.0, 1.0, 1.0, -1.0, -1.0, 1.0])


def test_axis_rotation_example() -> None:
    assert ((axis_rotation("x") @ [1.0, 2, 3]).tolist()) == ([3.0, 1.0, 2.0])


def test_parse_solid_example() -> None:
    one = parse_solid({"shape": "sphere", "dims": "r=50 mm", "density": "1000 kg/m3"}, lambda *_: 0.001)
    assert (one.values, one.source) == (({"r": 0.05, "density": 1.0}, "density"))


def test_parse_mesh_example() -> None:
    cells = {"mesh": "a.stl", "mesh_units": "mm", "mesh_scale": "1±0.002 (2σ)", "density": "1000 kg/m3"}
    one = parse_mesh(cells, lambda name, unit, _: 0.001 if unit == "mm" else 1.0)
    assert (one.unit, one.scale, one.values, one.sigmas) == ((0.001, 1.0, {"density": 1000.0}, {"scale": 0.001}))


def test_solid_bodies_example() -> None:
    ball = SolidInput("sphere", {"r": 2.0, "mass": 5.0}, {"mass": 0.1}, "z", "mass")
    ten, covariances, _, _ = solid_bodies([ball])
    assert (ten[0, 4:7].tolist(), covariances[0, 0, 0].round(12).tolist()) == (([8.0, 8.0, 8.0], 0.01))


def test_find_shape_example() -> None:
    assert (find_shape("Hollow_Cylinder").name) == ("tube")


def test_canonical_dims_example() -> None:
    assert (canonical_dims(find_shape("cylinder"), {"d": 4.0, "h": 3.0, "mass": 2.0})) == ({"r": 2.0, "L": 3.0})
