"""Integrals, uncertainties and voxels of meshes against closed forms, fractions, differences and other libraries."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.bodies import full_tensors, six_entries
from massprops_cli.bodies.meshes.mesh import Mesh, mesh_moments, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import (
    MeshInput,
    _rounding_covariance,
    _tessellation_bias,
    mesh_body,
    unit_readings,
)
from massprops_cli.bodies.meshes.mesh_defects import voxel_moments
from massprops_cli.bodies.meshes.mesh_shells import MeshEdges
from massprops_cli.findings.finding import Findings, UsageError
from tests.examples import first
from tests.mesh_examples import Triangles, ball, box, cylinder, flipped, joined, subdivided, without

DENSITY = 1000.0


def body_of(mesh: Triangles, **options: Any) -> Any:
    """The body of a mesh."""
    body = mesh_body(MeshInput(Mesh(*mesh), **({"density": DENSITY} | options)), Findings())
    assert body is not None
    return body


def moved(mesh: Triangles, R: Any, t: Any) -> Triangles:
    """The mesh rotated or mirrored, and moved; a mirror reverses the triangles."""
    points, faces = mesh[0] @ np.asarray(R, float).T + np.asarray(t, float), mesh[1]
    return points, faces if np.linalg.det(R) > 0 else faces[:, ::-1]


def turn(seed: int) -> np.ndarray:
    """A random rotation."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(Q * np.sign(np.linalg.det(Q)))


def exact_moments(mesh: Triangles) -> list[Fraction]:
    """Volume and first moments about the origin in exact fractions of the stored coordinates."""
    total = [Fraction(0)] * 4
    for face in mesh[1].tolist():
        a, b, c = ([Fraction(x) for x in mesh[0][k].tolist()] for k in face)
        d = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        total[0] += d / 6
        for k in range(3):
            total[k + 1] += d * (a[k] + b[k] + c[k]) / 24
    return total


@pytest.mark.spread(2)
@pytest.mark.parametrize("away", [0.0, 1.0, 1e3, 1e6])
def test_sums_add_nothing_to_the_rounding_of_the_coordinates(away: float) -> None:
    mesh = moved(subdivided(subdivided(ball(0.3, 6))), turn(1), [away, -away, 2 * away])
    volume, *first = exact_moments(mesh)
    body = body_of(mesh)
    assert abs(body.ten[0] / DENSITY - float(volume)) <= 1e-14 * float(volume)
    for k in range(3):
        exact = first[k] / volume
        assert abs(body.ten[k + 1] - float(exact)) <= 1e-14 * 0.3 + np.spacing(abs(float(exact)))


@pytest.mark.parametrize("seed", range(4))
def test_rotated_moved_and_mirrored_boxes(seed: int) -> None:
    size = np.array([0.1, 0.2, 0.3])
    R = turn(seed) @ np.diag([1, 1, -1 if seed % 2 else 1])
    mesh = moved(box(size), R, [5.0, -7.0, 11.0])
    mass = DENSITY * size.prod()
    own = np.diag(mass / 12 * np.array([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2]))
    body = body_of(mesh)
    assert body.ten[0] == pytest.approx(mass, rel=1e-13)
    assert body.ten[1:4] == pytest.approx([5, -7, 11], rel=1e-14)
    assert full_tensors(body.ten[4:]) == pytest.approx(R @ own @ R.T, rel=1e-12, abs=1e-14)
    assert body.body().mass == body.ten[0]


def test_voxels_approach_the_closed_form_within_their_error() -> None:
    radius = 0.5
    mass = DENSITY * 4 / 3 * np.pi * radius**3
    for size in (0.05, 0.0125):
        body = body_of(moved(ball(radius, 48), turn(2), [3, 4, 5]), voxel=size)
        assert abs(body.ten[0] - mass) <= 3 * abs(body.deviations["voxels"][0]) + 0.002 * mass
        assert body.ten[4:7] == pytest.approx([0.4 * mass * radius**2] * 3, rel=3 * size)
    tube = joined(cylinder(1.0, 2.0, 96), flipped(cylinder(0.5, 2.5, 96)))
    found = voxel_moments(Mesh(*tube), 0.02)  # the inner cylinder is longer: parity counts its ends
    assert found.moments.amount == pytest.approx(np.pi * (2 * 0.75 + 0.5 * 0.25), rel=0.01)


def test_voxels_of_broken_surfaces() -> None:
    rng = np.random.default_rng(3)
    points, faces = ball(1.0, 48)
    faces = faces[rng.random(len(faces)) > 0.01]
    faces = np.where(rng.random(len(faces))[:, None] < 0.4, faces[:, ::-1], faces)
    found = voxel_moments(Mesh(points, faces), 0.03)
    assert found.moments.amount == pytest.approx(4 / 3 * np.pi, rel=0.01)
    assert 0 < found.odd_share < 0.2


def test_voxels_count_overlaps_once() -> None:
    body = body_of(joined(box(), box(at=(0.05, 0, 0))), voxel=0.01)
    assert body.ten[0] == pytest.approx(9.0, rel=1e-12)


def test_voxels_have_a_cap() -> None:
    with pytest.raises(UsageError, match="67,108,864"):
        voxel_moments(Mesh(*box()), 1e-5)
    with pytest.raises(UsageError, match="positive"):
        voxel_moments(Mesh(*box()), 0.0)


def test_thin_shell_is_the_surface() -> None:
    body = body_of(ball(0.5, 96), wall=0.002)
    mass = DENSITY * 4 * np.pi * 0.5**2 * 0.002
    assert body.ten[0] == pytest.approx(mass, rel=1e-3)
    assert body.ten[4:7] == pytest.approx([2 / 3 * mass * 0.5**2] * 3, rel=2e-3)


def test_open_tube_with_error_bar() -> None:
    findings = Findings()
    body = mesh_body(MeshInput(Mesh(*cylinder(1.0, 2.0, 48, lids=False)), density=1.0), findings)
    closed = body_of(cylinder(1.0, 2.0, 48), density=1.0).ten[0]
    assert body is not None
    (finding,) = [one for one in findings if one.rule == "MP725"]
    assert "96 of 192 edges in 2 holes" in finding.message  # rims 2 × 48, sides 48, diagonals 48
    assert body.ten[0] == pytest.approx(closed * 2 / 3, rel=1e-12)  # without the cones from the centre to the lids
    assert body.deviations["open edges"][0] == pytest.approx(closed / 3, rel=1e-12)


def test_uniform_offset_against_differences() -> None:
    size, step = np.array([0.1, 0.2, 0.3]), 1e-6
    large, small = (body_of(box(size + 2 * sign * step)).ten for sign in (1, -1))
    found = body_of(box(size), sigmas={"offset": 1.0}).deviations["offset"]
    assert found == pytest.approx((large - small) / (2 * step), rel=1e-6, abs=1e-6)


def test_scale_density_and_mass() -> None:
    mesh = moved(box(), turn(5), [1, 2, 3])
    step = 1e-6
    large, small = (body_of((mesh[0] * (1 + sign * step), mesh[1])).ten for sign in (1, -1))
    found = body_of(mesh, sigmas={"scale": 1.0, "density": 10.0})
    assert found.deviations["scale"] == pytest.approx((large - small) / (2 * step), rel=1e-6, abs=1e-9)
    assert found.deviations["density"][0] == pytest.approx(0.06)
    assert found.deviations["density"][1:4].tolist() == [0, 0, 0]
    stated = body_of(mesh, density=None, mass=6.0, sigmas={"mass": 0.1, "scale": 0.01})
    assert np.sqrt(stated.covariance[0, 0]) == pytest.approx(0.1)
    assert stated.deviations["scale"][0] == pytest.approx(0.0, abs=1e-15)
    assert stated.deviations["scale"][4] == pytest.approx(2 * 0.01 * stated.ten[4])


def test_rounding_against_random_rounding() -> None:
    points, faces = ball(1.0, 24)
    step = 1e-3
    rng = np.random.default_rng(7)
    sums = [
        mesh_moments(Mesh(points + rng.uniform(-step / 2, step / 2, points.shape), faces), reference=np.zeros(3)).values
        for _ in range(1500)
    ]
    found = np.sqrt(np.diag(_rounding_covariance(Mesh(points, faces, step))))
    assert np.std(sums, axis=0) == pytest.approx(found, rel=0.12)


def test_single_precision_far_from_the_origin_is_reported() -> None:
    points, faces = box(at=(1e4, 1e4, 1e4))
    findings = Findings()
    body = mesh_body(MeshInput(Mesh(points.astype(np.float32), faces), density=1000.0), findings)
    assert body is not None
    assert [one.rule for one in findings] == ["MP733"]
    assert abs(body.ten[0] - 6.0) <= 3 * np.sqrt(body.covariance[0, 0])
    assert np.sqrt(body.covariance[0, 0]) == pytest.approx(0.01, rel=0.9)


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [(ball(1.0, 16), 4 / 3 * np.pi), (cylinder(1.0, 2.0, 24), 2 * np.pi), (cylinder(1.0, 2.0, 200), 2 * np.pi)],
)
def test_facets_are_bounded(mesh: Triangles, volume: float) -> None:
    found = Mesh(*mesh).welded()
    missing = volume - mesh_moments(found).amount
    assert missing <= _tessellation_bias(MeshEdges(found)).amount <= 2 * missing


def test_facets_of_a_hole_have_the_other_sign() -> None:
    outer, inner = cylinder(1.0, 2.0, 64), cylinder(0.5, 1.0, 64)
    found = Mesh(*joined(outer, flipped(inner))).welded()
    missing = 2 * np.pi - np.pi * 0.25 - mesh_moments(found).amount
    assert missing <= _tessellation_bias(MeshEdges(found)).amount <= 1.6 * missing


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_random_hulls_against_trimesh_and_manifold(seed: int) -> None:
    import manifold3d
    import trimesh

    points = np.random.default_rng(seed).normal(size=(30, 3)) * [1.0, 2.0, 0.5]
    solid = manifold3d.Manifold.hull_points(points)
    mesh = solid.to_mesh64()
    vertices, faces = np.array(mesh.vert_properties[:, :3]), np.array(mesh.tri_verts, dtype=int)
    peer = trimesh.Trimesh(vertices, faces, process=False)
    peer.density = DENSITY
    body = body_of((vertices, faces))
    assert body.ten[0] == pytest.approx(DENSITY * solid.volume(), rel=1e-12)
    assert body.ten[1:4] == pytest.approx(peer.center_mass, rel=1e-10, abs=1e-12)
    largest = np.abs(peer.moment_inertia).max()
    assert np.abs(full_tensors(body.ten[4:]) - peer.moment_inertia).max() <= 1e-12 * largest
    surface = body_of((vertices, faces), wall=1.0)
    assert surface.amount == pytest.approx(solid.surface_area(), rel=1e-12)


def test_edges_shells_and_parts() -> None:
    mesh = Mesh(*joined(box(), box(at=(1, 0, 0)))).welded()
    edges = MeshEdges(mesh)
    assert (edges.n_shells, edges.n_edges, edges.is_closed, edges.n_flipped) == (2, 36, True, 0)
    opened = MeshEdges(Mesh(*without(box(), 0)).welded())
    assert (len(opened.open_edges), opened.is_closed) == (3, False)
    count, caps = opened.hole_caps()
    assert count == 1
    assert caps.amount == pytest.approx(0.001 / 2)  # half of one of six pyramids of the box of 0.006


def test_loose_triangles_are_one_finding() -> None:
    points = np.random.default_rng(1).normal(size=(300_000, 3))
    findings = Findings()
    mesh_body(MeshInput(Mesh(points, np.arange(300_000).reshape(-1, 3)), density=1.0), findings)
    (finding,) = [one for one in findings if one.rule == "MP725"]
    assert "300,000 of 300,000 edges in 100,000 holes" in finding.message


def test_many_shells_are_not_compared() -> None:
    points, faces = box((0.5, 0.5, 0.5))
    n = 5000
    many = (
        (points[None] + np.arange(n)[:, None, None]).reshape(-1, 3),
        (faces[None] + 8 * np.arange(n)[:, None, None]).reshape(-1, 3),
    )
    findings = Findings()
    body = mesh_body(MeshInput(Mesh(*many), density=1.0), findings)
    assert body is not None
    assert body.ten[0] == pytest.approx(n * 0.125)
    assert [(one.rule, one.severity.value) for one in findings] == [("MP730", "warning")]
    assert Mesh(*subdivided(box())).welded().vertices.shape == (26, 3)


def test_wrong_meshes_and_inputs() -> None:
    for vertices, faces in ((np.zeros((2, 2)), np.zeros((0, 3), int)), (np.zeros((3, 3)), np.zeros((1, 4), int))):
        with pytest.raises(UsageError, match="shape"):
            Mesh(vertices, faces)
    with pytest.raises(UsageError, match="outside 0 to 7"):
        Mesh(box()[0], np.array([[0, 1, 8]]))
    for options in ({}, {"density": 1.0, "wall": 1.0, "voxel": 0.1}, {"density": 1.0, "voxel": 1.0, "use_union": True}):
        with pytest.raises(UsageError):
            mesh_body(MeshInput(Mesh(*box()), **options), Findings())


def test_readings_of_a_file_without_a_unit() -> None:
    parts = unit_readings(Mesh(*box((100, 200, 300))), 7850.0).split("; ")
    assert parts[0] == "mm: 100 × 200 × 300 mm, 47.1 kg"
    assert parts[2] == "m: 100 × 200 × 300 m, 4.71e+10 kg"
    assert parts[3].startswith("in: 100 × 200 × 300 in, 7.718e+05 kg")


def test_precision_of_text() -> None:
    values = np.sin(np.arange(200.0))
    assert text_precision(np.round(values, 5)) == pytest.approx(1e-5)
    assert text_precision(np.array([float(f"{x:.6e}") for x in values * 10.0 ** -np.arange(200)])) == 7
    assert text_precision(values) is None
    assert text_precision(box((100, 200, 300))[0]) is None


def test_text_that_was_held_in_single_precision_is_no_more_exact_than_that() -> None:
    values = np.sin(np.arange(200.0))
    digits = {n: np.array([float(f"{x:.{n - 1}e}") for x in values * 10.0 ** -np.arange(200)]) for n in (6, 9)}
    assert text_precision(np.round(values, 5), 1e-7) == pytest.approx(1e-5)
    assert text_precision(np.round(values, 5), 1e-3) == 1e-3
    assert text_precision(digits[6], 1e-7) == 6
    assert text_precision(digits[9], 1e-7) == 1e-7
    assert text_precision(values, 1e-7) == 1e-7


def test_library_body_has_its_covariance() -> None:
    given = mp.MeshInput(mp.Mesh(*box()), density=1000.0, sigmas={"density": 10.0})
    body = mp.mesh_body(given, mp.Findings()).body("Bar")
    assert body.sigma_mass == pytest.approx(0.06)
    assert six_entries(body.inertia)[0] == pytest.approx(0.065)
    assert body.name == "Bar"


def test_shells_without_manifold3d(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    inner = box((0.08, 0.18, 0.28))
    for mesh, rule, severity in (
        (joined(box(), flipped(inner)), "MP729", "note"),
        (joined(box(), inner), "MP728", "error"),
        (joined(box(), box(at=(0.05, 0, 0))), "MP730", "warning"),
    ):
        findings = Findings()
        mesh_body(MeshInput(Mesh(*mesh), density=1000.0), findings)
        assert [(one.rule, one.severity.value) for one in findings] == [(rule, severity)]
    assert "manifold3d is not installed" in findings[0].message
    with pytest.raises(UsageError, match="needs the extra mesh"):
        mesh_body(MeshInput(Mesh(*box()), density=1000.0, use_union=True), Findings())


@pytest.mark.parametrize("voxel", [0.05, 0.08])
@pytest.mark.parametrize("seed", first(range(8), 3))
def test_sigmas_of_voxels_hold_for_each_of_the_ten_values(seed: int, voxel: float) -> None:
    """A hollow box in any direction, against its closed surface: entries near 0 have the σ of chance."""
    outer, inner = box((1, 1.2, 0.9)), box((0.6, 0.7, 0.5), (0.05, -0.03, 0.02))
    mesh = moved(joined(outer, flipped(inner)), turn(seed), [0.0, 0.0, 0.0])
    found = body_of(mesh, density=1000.0, voxel=voxel)
    sigma = np.sqrt(np.diag(found.covariance))
    assert (np.abs(found.ten - body_of(mesh, density=1000.0).ten) < 4 * sigma).all()
    assert sigma[0] < 0.1 * found.ten[0]


def test_sigmas_of_voxels_of_a_flipped_face() -> None:
    mesh = joined(box(), flipped(box((0.05, 0.11, 0.17))))
    true = body_of(mesh, density=1000.0).ten
    found = body_of(flipped(mesh, [3]), density=1000.0, voxel=0.02)
    assert (np.abs(found.ten - true) < 5 * np.sqrt(np.diag(found.covariance))).all()


def findings_of(mesh: Triangles, **options: Any) -> tuple[Any, dict[str, Any]]:
    findings = Findings()
    found = mp.mesh_body(mp.MeshInput(Mesh(*mesh), density=1000.0, **options), findings)
    return found, {one.rule: one for one in findings}


def test_a_union_states_only_cavities_that_it_has() -> None:
    outer, inner = box((1, 1, 1)), box((0.6, 0.6, 0.6))
    body, rules = findings_of(joined(outer, inner, flipped(box((0.1, 0.1, 0.1)))), use_union=True)
    assert body.ten[0] == pytest.approx(1000.0)
    assert "MP729" not in rules
    body, rules = findings_of(joined(outer, flipped(inner)), use_union=True)
    assert body.ten[0] == pytest.approx(1000 * (1 - 0.6**3))
    assert "MP729" in rules


def test_an_island_that_faces_inward_is_to_be_reversed() -> None:
    outer, cavity, island = (box((one, one, one)) for one in (1.0, 0.6, 0.2))
    _, rules = findings_of(joined(outer, flipped(cavity), flipped(island)))
    assert "--union" not in rules["MP728"].remedy
    assert "reverse" in rules["MP728"].remedy
    body, rules = findings_of(joined(outer, flipped(cavity), island))
    assert body.ten[0] == pytest.approx(1000 * (1 - 0.6**3 + 0.2**3))
    assert "MP728" not in rules
    _, rules = findings_of(joined(outer, cavity))
    assert "--union" in rules["MP728"].remedy


def test_an_inward_shell_partly_outside_is_to_be_cut_out_or_reversed() -> None:
    pair = box((1, 1, 1)), box((0.4, 0.4, 0.4), (0.5, 0.0, 0.0))
    _, rules = findings_of(joined(pair[0], flipped(pair[1])))
    assert "shell 2" in rules["MP730"].remedy
    assert "reverse it and pass --union" in rules["MP730"].remedy
    body, _ = findings_of(joined(*pair), use_union=True)
    assert body.ten[0] == pytest.approx(1000 * (1 + 0.4**3 / 2))
    body, _ = findings_of(joined(pair[0], flipped(pair[1])), use_union=True)
    assert body.ten[0] == pytest.approx(1000 * (1 - 0.4**3 / 2))


def test_bodies_that_share_a_face_have_no_repeated_triangles() -> None:
    _, rules = findings_of(joined(box((1, 1, 1)), box((1, 1, 1), (1.0, 0.0, 0.0))))
    assert "separate the bodies" in rules["MP736"].remedy
    points, faces = box((1, 1, 1))
    _, rules = findings_of((points, np.vstack([faces, faces[:1, ::-1]])))
    if "MP736" in rules:
        assert "repeated" in rules["MP736"].remedy


def test_shells_that_cancel_have_the_volume_of_rounding() -> None:
    one, other = box((1, 1, 1)), flipped(box((1, 1, 1), (3.0, 0.1, 0.2)))
    body, rules = findings_of(joined(one, other))
    assert body is None
    assert "principal moments" not in " ".join(found.message for found in rules.values())
