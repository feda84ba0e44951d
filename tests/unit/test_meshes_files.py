"""Mesh files: formats, units, limits, damaged content, and where files may be."""

from __future__ import annotations

import importlib.util
import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.meshes.mesh import Mesh, mesh_moments
from massprops_cli.bom.items import mesh_cells
from massprops_cli.files.meshes import mesh_file, mesh_file as stl
from massprops_cli.files.meshes.mesh_file import find_mesh, read_mesh
from massprops_cli.files.options import ReadCaps
from massprops_cli.findings.finding import Findings, UsageError
from tests.examples import first
from tests.mesh_examples import ball, box, parsed_by_process, write_obj, write_stl

TEXT_STL = (
    "solid part\n"
    + "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x:e} {y:E} {z}\n" for x, y, z in box()[0][face].tolist())
        + "endloop\nendfacet\n"
        for face in box()[1].tolist()
    )
    + "endsolid part\n"
)


def volume_of(path: Path, findings: Findings) -> float:
    """The volume of a file, in cubic metres where the file states a unit."""
    file = read_mesh(path, findings)
    assert file is not None, findings
    return mesh_moments(Mesh(file.vertices, file.faces)).amount * (file.meters or 1.0) ** 3


@pytest.fixture
def in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_file, "_answer", parsed_by_process)


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "off", "glb", "3mf", "dae"])
def test_formats_written_by_trimesh(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import trimesh

    points, faces = box()
    scale = 1000.0 if kind == "3mf" else 1.0
    mesh = trimesh.Trimesh(points * scale, faces, process=False)
    if kind == "dae":
        monkeypatch.setattr(type(mesh), "vertex_normals", property(lambda self: np.zeros_like(self.vertices)))
    mesh.export(tmp_path / f"part.{kind}")
    findings = Findings()
    if kind == "dae":
        monkeypatch.setattr(mesh_file, "_answer", parsed_by_process)
    file = read_mesh(tmp_path / f"part.{kind}", findings)
    assert file is not None, findings
    assert file.meters == {"3mf": 0.001, "dae": 1.0, "glb": 1.0}.get(kind)
    volume = mesh_moments(Mesh(file.vertices, file.faces)).amount * (file.meters or 1.0) ** 3
    assert volume == pytest.approx(0.006, rel=1e-6)
    assert {one.rule for one in findings} == ({"MP739"} if kind == "dae" else set())  # trimesh states that y is up


def test_gltf_reads_its_buffers_in_its_folder_only(tmp_path: Path) -> None:
    import trimesh

    folder = tmp_path / "inside"
    folder.mkdir()
    for name, content in trimesh.exchange.gltf.export_gltf(trimesh.Trimesh(*box(), process=False).scene()).items():
        (folder / name).write_bytes(content)
    findings = Findings()
    assert volume_of(folder / "model.gltf", findings) == pytest.approx(0.006, rel=1e-6)
    document = json.loads((folder / "model.gltf").read_text())
    for buffer in document["buffers"]:
        (folder / buffer["uri"]).rename(tmp_path / buffer["uri"])
        buffer["uri"] = f"../{buffer['uri']}"
    (folder / "model.gltf").write_text(json.dumps(document))
    assert read_mesh(folder / "model.gltf", findings) is None
    assert [one.rule for one in findings] == ["MP721"]


def test_scene_transforms_and_instances(tmp_path: Path) -> None:
    import trimesh

    scene, part = trimesh.Scene(), trimesh.Trimesh(*box(), process=False)
    mirror = np.diag([-1.0, 1.0, 1.0, 1.0])
    mirror[0, 3] = 1.0
    scene.add_geometry(part, node_name="one", geom_name="part")
    scene.graph.update(frame_to="two", geometry="part", matrix=mirror)
    scene.export(tmp_path / "scene.glb")
    assert volume_of(tmp_path / "scene.glb", Findings()) == pytest.approx(0.012, rel=1e-6)


@pytest.mark.parametrize(("unit", "meters"), [("inch", 0.0254), ("micron", 1e-6), ("meter", 1.0)])
def test_3mf_states_its_unit(unit: str, meters: float, tmp_path: Path) -> None:
    import trimesh

    trimesh.Trimesh(*box(), process=False).export(tmp_path / "a.3mf")
    with zipfile.ZipFile(tmp_path / "a.3mf") as old, zipfile.ZipFile(tmp_path / "b.3mf", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'unit="millimeter"', f'unit="{unit}"'.encode()))
    file = read_mesh(tmp_path / "b.3mf", Findings())
    assert file is not None
    assert file.meters == meters


@pytest.mark.parametrize("close", ["/>", "></item>"])
def test_supports_of_a_3mf_file_are_left_out(close: str, tmp_path: Path) -> None:
    """A box of 0.1 × 0.2 × 0.3 and a support of the same size: 0.006."""
    points, faces = box()
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in points.tolist())
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces.tolist())
    body = f"<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh></object>"
    objects = f'<object id="1" type="model">{body}<object type="support" id="12">{body}'
    head = '<model unit="meter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">'
    build = f'<build><item objectid="1"/><item objectid="12"{close}</build>'
    with zipfile.ZipFile(tmp_path / "a.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", f"{head}<resources>{objects}</resources>{build}</model>")
    findings = Findings()
    assert volume_of(tmp_path / "a.3mf", findings) == pytest.approx(0.006, rel=1e-6)
    assert [(one.rule, one.severity.name) for one in findings] == [("MP721", "WARNING")]
    assert "left out" in findings[0].message


def test_rounding_is_that_of_the_stored_numbers(tmp_path: Path) -> None:
    """A box at the origin that a node moves by 2²⁰ m is as exact as it was: 1/16 m is no step of its numbers."""
    import trimesh

    part = trimesh.Trimesh(*box((1, 2, 3)), process=False)
    scene, move = trimesh.Scene(), np.eye(4)
    move[0, 3] = 2.0**20
    scene.add_geometry(part, node_name="one", transform=move)
    scene.export(tmp_path / "far.glb")
    file = read_mesh(tmp_path / "far.glb", Findings())
    assert file is not None
    assert (file.vertices.dtype, file.is_text, file.step) == (np.float64, False, 2.0**-23)
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty {0} x\nproperty {0} y\nproperty {0} z\n"
    rest = "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    rest += "1048576 0 0\n1048577 0 0\n1048576 1 0\n3 0 1 2\n"
    for kind, dtype in (("double", np.float64), ("float", np.float32)):
        (tmp_path / "a.ply").write_text(head.format(kind) + rest)
        file = read_mesh(tmp_path / "a.ply", Findings())
        assert file is not None
        assert (file.vertices.dtype, file.is_text) == (dtype, kind == "double")


def test_text_stl(tmp_path: Path) -> None:
    (tmp_path / "part.STL").write_text(TEXT_STL.upper())
    assert volume_of(tmp_path / "part.STL", Findings()) == pytest.approx(0.006, rel=1e-6)


def test_binary_stl_that_begins_with_solid(tmp_path: Path) -> None:
    path = write_stl(tmp_path / "part.stl", box())
    path.write_bytes(b"solid part".ljust(80) + path.read_bytes()[80:])
    assert volume_of(path, Findings()) == pytest.approx(0.006, rel=1e-6)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (TEXT_STL.replace("endsolid part", "").encode(), "endsolid is missing"),
        (TEXT_STL.replace("vertex", "point", 1).encode(), "facet 1 does not have three vertices"),
        (TEXT_STL.replace("0.15", "0,15", 1).encode(), "coordinate is not a number: b'0,15'"),
        (b"abc", "file has 3 bytes"),
        (b"x" * 80 + b"\x05\0\0\0" + b"\0" * 100, "5 triangles are stated, 2 are present"),
    ],
)
def test_damaged_stl(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(content)
    findings = Findings()
    assert read_mesh(tmp_path / "part.stl", findings) is None
    (finding,) = findings
    assert finding.rule == "MP721"
    assert reason in finding.message


def test_bytes_after_the_last_triangle_are_a_warning(tmp_path: Path) -> None:
    path = write_stl(tmp_path / "part.stl", box())
    path.write_bytes(path.read_bytes() + b"attached")
    findings = Findings()
    assert volume_of(path, findings) == pytest.approx(0.006, rel=1e-6)
    assert [(one.rule, one.severity.value) for one in findings] == [("MP721", "warning")]


def test_files_that_are_not_meshes(tmp_path: Path) -> None:
    (tmp_path / "folder.stl").mkdir()
    (tmp_path / "part.step").write_text("ISO-10303-21;")
    (tmp_path / "part.obj").write_text("v 0 0 0\nf 1 2 9\n")
    (tmp_path / "part.glb").write_bytes(b"glTF" + b"\xff" * 40)
    for name in ("folder.stl", "part.step", "part.glb", "none.ply"):
        findings = Findings()
        assert read_mesh(tmp_path / name, findings) is None
        assert [one.rule for one in findings] == ["MP721"]
    file = read_mesh(tmp_path / "part.obj", Findings())
    assert file is None or not len(file.faces)


@pytest.mark.usefixtures("in_a_process")
def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, findings = write_stl(tmp_path / "part.stl", box()), Findings()
    assert read_mesh(path, findings, ReadCaps(mesh_triangles=11)) is None
    assert read_mesh(write_obj(tmp_path / "part.obj", box()), findings, ReadCaps(mesh_triangles=11)) is None
    monkeypatch.setattr(mesh_file, "_MOST_BYTES", 100)
    assert read_mesh(path, findings) is None
    assert ["at most" in one.message for one in findings] == [True] * 3
    assert ["--config cap=mesh-triangles=12" in str(one.remedy) for one in findings] == [True, True, False]


@pytest.mark.parametrize("at_once", [90, 97, 2**20])
def test_text_stl_piece_by_piece(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stl, "_TEXT_AT_ONCE", at_once)
    corners = stl._read_text_stl(io.BytesIO(TEXT_STL.encode()))
    np.testing.assert_array_equal(corners, box()[0][box()[1]].reshape(-1, 3))
    for fault, message in (
        (TEXT_STL[:-60], "facet 12 has no end"),
        (TEXT_STL.replace("endsolid part", ""), "endsolid is missing"),
        (TEXT_STL.replace("vertex", "vortex", 7), "facet 1 does"),
    ):
        with pytest.raises(stl._MeshError, match=message):
            stl._read_text_stl(io.BytesIO(fault.encode()))
    assert len(stl._read_text_stl(io.BytesIO(TEXT_STL.encode()), 2)) > 6


@pytest.mark.parametrize(("count", "spare"), first([(20_000, 8), (50_000, 20)], 1, several=True))
def test_text_stl_takes_memory_for_its_triangles_only(count: int, spare: int, tmp_path: Path) -> None:
    facet = b"facet normal 0 0 0\nouter loop\n" + b"vertex 0.25 0.5 0.125\n" * 3 + b"endloop\nendfacet\n"
    path = tmp_path / "large.stl"
    path.write_bytes(b"solid part\n" + facet * count + b"endsolid part\n")
    tracemalloc.start()
    assert read_mesh(path, Findings()) is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < count * 9 * 8 * 3 + spare * 2**20


def test_files_used_longest_ago_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [write_stl(tmp_path / f"part{k}.stl", box()).name for k in range(6)]
    file = read_mesh(tmp_path / names[0], Findings())
    assert file is not None
    size = file.vertices.nbytes + file.faces.nbytes
    monkeypatch.setattr(mesh_cells, "_FILES_BYTES", 2 * size)
    source = mesh_cells.MeshSource(tmp_path, (), lambda *_: 1.0)
    for name in (*names, names[0]):
        source._file(name, Findings())
    assert [path.name for path in source._files] == ["part4.stl", "part5.stl", "part0.stl"]


@pytest.mark.usefixtures("in_a_process")
def test_process_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_file, "_BASE_SECONDS", 0.01)
    findings = Findings()
    assert read_mesh(write_obj(tmp_path / "part.obj", box()), findings) is None
    assert "it takes more than" in findings[0].message


@pytest.mark.usefixtures("in_a_process")
def test_process_without_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_file, "_BASE_MEMORY", 2**22)
    findings = Findings()
    assert read_mesh(write_obj(tmp_path / "part.obj", ball(1.0, 64)), findings) is None
    assert [one.rule for one in findings] == ["MP721"]


def test_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "trimesh" else found(name))
    findings = Findings()
    assert read_mesh(write_obj(tmp_path / "part.obj", box()), findings) is None
    assert "obj needs trimesh, which is not installed" in findings[0].message
    assert findings[0].remedy == "install the extra: pip install 'massprops[mesh]'"


def test_meshes_are_inside_the_allowed_folders(tmp_path: Path) -> None:
    inside, other = tmp_path / "bom", tmp_path / "library"
    inside.mkdir()
    other.mkdir()
    (other / "part.stl").write_bytes(b"")
    (inside / "link.stl").symlink_to(other / "part.stl")
    assert find_mesh("a/part.stl", inside, []) == inside / "a" / "part.stl"
    assert find_mesh("../library/part.stl", inside, [other]) == other / "part.stl"
    for text in ("../library/part.stl", "link.stl", str(other / "part.stl"), "a\0b", " "):
        with pytest.raises(UsageError, match=r"outside the folder|not valid"):
            find_mesh(text, inside, [])


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "off", "glb", "3mf", "dae"])
def test_a_few_damaged_files(kind: str, tmp_path: Path) -> None:
    damage(kind, tmp_path, rounds=30 if kind == "stl" else 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "off", "glb", "3mf", "dae"])
def test_many_damaged_files(kind: str, tmp_path: Path) -> None:
    damage(kind, tmp_path, rounds=2000 if kind == "stl" else 60)


def damage(kind: str, folder: Path, rounds: int) -> None:
    """Read files with changed, missing and repeated bytes: a mesh with numbers, or one error."""
    import trimesh

    path = folder / f"part.{kind}"
    mesh: Any = trimesh.Trimesh(*box(), process=False)
    mesh.__dict__["_cache"].cache["vertex_normals"] = np.zeros((8, 3))
    mesh.export(path) if kind != "stl" else path.write_text(TEXT_STL)
    sound = path.read_bytes()
    rng = np.random.default_rng(len(kind))
    for k in range(rounds):
        data = bytearray(write_stl(folder / "b.stl", box()).read_bytes() if kind == "stl" and k % 2 else sound)
        for _ in range(int(rng.integers(1, 8))):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
        start = int(rng.integers(len(data)))
        data = data[:start] if k % 3 == 1 else data + data[start:] if k % 3 == 2 else data
        path.write_bytes(bytes(data))
        findings = Findings()
        file = read_mesh(path, findings)
        assert file is not None or [one.rule for one in findings] == ["MP721"]
        if file is not None and len(file.faces):
            assert file.faces.max() < len(file.vertices)


def gltf_of_other_kind(folder: Path, name: str, content: dict[str, object]) -> str:
    """Write a glTF file, read it, and return the messages."""
    (folder / name).write_text(json.dumps(content))
    findings = Findings()
    read_mesh(folder / name, findings)
    return " ".join(one.message for one in findings)


def test_version_that_is_not_read_and_missing_file_are_named(tmp_path: Path) -> None:
    message = gltf_of_other_kind(tmp_path, "one.gltf", {"asset": {"version": "1.0"}, "scenes": {}, "nodes": {}})
    assert "version or a feature is not read" in message
    assert "damaged" not in message
    content = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "gone.bin", "byteLength": 4}],
        "scenes": [],
        "nodes": [],
    }
    message = gltf_of_other_kind(tmp_path, "two.gltf", content)
    assert "a file that it names is missing: gone.bin" in message


def test_scene_without_triangles_has_no_fault_of_its_unit(tmp_path: Path) -> None:
    content = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": []}
    assert "unit" not in gltf_of_other_kind(tmp_path, "empty.gltf", content)
