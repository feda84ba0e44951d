"""Bodies from meshes against published cases: CAD programs, simulators, papers, defects."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.meshes.mesh import Mesh, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, mesh_body
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings
from tests.mesh_examples import Triangles, box, flipped, joined, subdivided, triangles_of

Case = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "meshes"
CASES: list[Case] = json.loads((DATA / "cases.json").read_text("utf-8"))["cases"]


def of_kind(*kinds: str) -> Any:
    """Run a test for each case of some kinds."""
    return pytest.mark.parametrize("case", [c for c in CASES if c["kind"] in kinds], ids=lambda one: one["name"])


def body_of(mesh: Triangles, density: float, **options: Any) -> tuple[Any, set[str]]:
    """The body of a mesh in metres, and the rules that it meets."""
    findings = Findings()
    given = MeshInput(Mesh(*mesh), density=density, meters=1.0, kilograms=1.0, **options)
    return mesh_body(given, findings), {one.rule for one in findings}


def rotation(axis: Any, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


def test_all_mesh_cases_are_there() -> None:
    assert len(CASES) == 13


@of_kind("mesh")
def test_files(case: Case, tmp_path: Path) -> None:
    inputs, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]
    path = DATA / inputs["file"]
    if not path.exists():
        path = tmp_path / inputs["file"]
        path.write_bytes(lzma.decompress((DATA / f"{inputs['file']}.xz").read_bytes()))
    findings = Findings()
    file = read_mesh(path, findings)
    assert file is not None, findings
    precision = text_precision(file.vertices) if file.is_text else None
    body = mesh_body(MeshInput(Mesh(file.vertices, file.faces, precision), density=inputs["density"]), findings)
    assert body is not None
    assert not findings.has_errors
    assert body.ten[0] == pytest.approx(expected["mass"], rel=tolerance.get("rel_mass", tolerance.get("rel")))
    assert body.ten[1:4] == pytest.approx(expected["com"], abs=tolerance.get("abs_com", 1e-6))
    tensor = full_tensors(body.ten[4:])
    largest = np.abs(expected["inertia_com"]).max()
    within = tolerance.get("abs_inertia", tolerance.get("rel", 0) * largest)
    assert np.abs(tensor - expected["inertia_com"]).max() <= within
    facets = np.abs(body.deviations.get("facets", np.zeros(10)))[0] * 3**0.5
    assert abs(body.ten[0] - expected["mass"]) <= facets + 1e-6 * expected["mass"]
    if "area" in expected:
        shell = mesh_body(MeshInput(Mesh(file.vertices, file.faces), density=1e4, wall=1e-4), findings)
        assert shell is not None
        assert shell.amount == pytest.approx(expected["area"], rel=tolerance["rel"])


@of_kind("mesh_inline")
def test_inline(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]
    faces = triangles_of(inputs["quads"]) if "quads" in inputs else np.array(inputs["faces"])
    body, rules = body_of((np.array(inputs["vertices"]), faces), inputs["density"])
    assert rules <= {"MP726", "MP732"}
    assert body.ten[0] == pytest.approx(expected.get("mass", body.ten[0]))
    assert body.ten[1:4] == pytest.approx(expected["com"], rel=case["tolerance"]["rel"], abs=1e-6)
    assert full_tensors(body.ten[4:]) == pytest.approx(np.array(expected["inertia_com"]), rel=case["tolerance"]["rel"])


@of_kind("mesh_box_posed")
def test_posed_boxes(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]
    mesh = box(inputs["size"])
    for _ in range(inputs.get("subdivide", 0)):
        mesh = subdivided(mesh)
    R = rotation(inputs.get("axis", [0, 0, 1]), inputs.get("angle", 0.0))
    body, _ = body_of((mesh[0] @ R.T + inputs["translation"], mesh[1]), inputs["density"])
    within = max(case["tolerance"]["rel"], 4e-14)
    assert body.ten[0] == pytest.approx(expected["mass"], rel=within)
    if "com" in expected:
        assert body.ten[1:4] == pytest.approx(expected["com"], rel=within)
        moments = np.linalg.eigvalsh(full_tensors(body.ten[4:]))
        assert moments == pytest.approx(expected["principal_sorted"], rel=within)
    else:
        tensor, largest = full_tensors(body.ten[4:]), np.max(expected["inertia_com"])
        assert np.abs(tensor - expected["inertia_com"]).max() <= within * largest


@of_kind("mesh_bad")
def test_defects(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]
    mesh, density = box(inputs["box"]), inputs["density"]
    if inputs.get("all_faces_flipped"):
        body, rules = body_of(flipped(mesh), density)
        assert rules == {"MP726"}
        assert body.ten[0] == pytest.approx(expected["mass"])
    elif inputs.get("half_faces_flipped"):
        body, rules = body_of(flipped(mesh, slice(0, 6)), density)
        assert "MP727" in rules
        voxels, _ = body_of(flipped(mesh, slice(0, 6)), density, voxel=0.01)
        assert voxels.ten[0] == pytest.approx(6.0, rel=1e-9)
    elif "inner" in inputs:
        body, rules = body_of(joined(mesh, flipped(box(inputs["inner"]))), density)
        assert rules == {"MP729"}
        assert body.ten[0] == pytest.approx(expected["mass"])
    else:
        both = joined(mesh, box(inputs["box"], at=inputs["second_box_offset"]))
        body, rules = body_of(both, density)
        assert rules == {"MP730"}
        assert body.ten[0] == pytest.approx(12.0)
        united, rules = body_of(both, density, use_union=True)
        assert rules == set()
        assert united.ten[0] == pytest.approx(9.0)
