"""Files with triangles that the parser leaves out are rejected for that reason, and not as empty or flat meshes."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, mesh_body
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings

trimesh = pytest.importorskip("trimesh")

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"  # the volume is 1·2·3/6


def reason(path: Path) -> str:
    findings = Findings()
    assert read_mesh(path, findings) is None
    (one,) = findings
    assert one.rule == "MP721"
    return one.message


def gltf(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    for name, content in trimesh.creation.box().export(file_type="gltf").items():
        (folder / name).write_bytes(content)
    document = json.loads((folder / "model.gltf").read_text())
    change(document)
    (folder / "model.gltf").write_text(json.dumps(document))
    return folder / "model.gltf"


def test_compressed_triangles_are_not_triangles_without_area(tmp_path: Path) -> None:
    path = gltf(tmp_path, lambda one: one.update(extensionsRequired=["KHR_draco_mesh_compression"]))
    assert "compressed by KHR_draco_mesh_compression" in reason(path)


def test_other_required_extensions_are_read(tmp_path: Path) -> None:
    findings = Findings()
    mesh = read_mesh(gltf(tmp_path, lambda one: one.update(extensionsRequired=["KHR_materials_unlit"])), findings)
    assert mesh is not None
    assert not findings


def test_fans_are_not_an_empty_file(tmp_path: Path) -> None:
    path = gltf(tmp_path, lambda one: one["meshes"][0]["primitives"][0].update(mode=6))
    assert "triangle fans" in reason(path)


def test_items_in_other_parts_of_a_3mf_file_are_not_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.3mf"
    space = "http://schemas.microsoft.com/3dmanufacturing/"
    head = f'<model unit="millimeter" xmlns="{space}core/2015/02" xmlns:p="{space}production/2015/06">'
    with zipfile.ZipFile(path, "w") as archive:
        build = '<resources/><build><item objectid="1" p:path="/3D/Objects/one.model"/></build></model>'
        archive.writestr("3D/3dmodel.model", head + build)
        mesh = '<object id="1" type="model"><mesh><vertices/><triangles/></mesh></object>'
        archive.writestr("3D/Objects/one.model", f"{head}<resources>{mesh}</resources><build/></model>")
    assert "production extension" in reason(path)


def test_skinned_geometry_of_a_dae_file_is_not_an_empty_file(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    path = tmp_path / "a.dae"
    text = trimesh.creation.box().export(file_type="dae").decode()
    assert "<instance_geometry" in text
    path.write_text(text)
    assert read_mesh(path, Findings()) is not None
    path.write_text(text.replace("</node>", '<instance_controller url="#skin"/></node>', 1))
    assert "1 of 2 geometries" in reason(path)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_text_of_another_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.obj"
    path.write_bytes(("# Größe\n" + TETRAHEDRON).encode(encoding))
    findings = Findings()
    file = read_mesh(path, findings)
    assert file is not None
    body = mesh_body(MeshInput(Mesh(file.vertices.astype(float), file.faces), density=4.0), findings)
    assert body is not None
    assert body.ten[0] == pytest.approx(4.0, rel=1e-14)
    assert body.ten[1:4] == pytest.approx([0.25, 0.5, 0.75], rel=1e-14)
