"""A process of its own in which trimesh reads OBJ, PLY, OFF, glTF, 3MF and DAE, with limits of memory and of time."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import traceback
import zipfile
from pathlib import Path
from typing import Any


class _NeighborFiles:
    """Gives a parser the binary buffers next to a glTF file, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def get(self, name: str) -> bytes:
        """Return the bytes of a file named in a mesh file."""
        path = (self.folder / name).resolve()
        if path.suffix.lower() != ".bin" or not path.is_relative_to(self.folder):
            raise FileNotFoundError(name)
        return path.read_bytes()

    def __getitem__(self, name: str) -> bytes:
        """Return the same."""
        return self.get(name)

    def namespaced(self, _: str) -> _NeighborFiles:
        """Return the same, as parsers expect."""
        return self

    def keys(self) -> list[str]:
        """Return no names."""
        return []


def _as_utf_8(text: bytes) -> bytes:
    """Return a text file in UTF-8; others are UTF-16 with a mark, or Latin-1, whose digits are those of any code."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1").encode()
    return text


def _check_features(kind: str, data: bytes, parts: int) -> None:
    """Raise NotImplementedError for triangles that trimesh leaves out without an error."""
    if kind in ("gltf", "glb"):
        required = re.search(rb'"extensionsRequired"\s*:\s*\[([^\]]*)\]', data)
        packed = re.search(rb"\w+_compression", required[1]) if required else None
        if packed:
            raise NotImplementedError(f"triangles compressed by {packed[0].decode()}")
        if re.search(rb'"mode"\s*:\s*6\b', data):
            raise NotImplementedError("triangle fans")
    elif kind == "3mf":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            root = next(name for name in archive.namelist() if "3d/3dmodel.model" in name.lower())
            if re.search(rb"<(?:\w+:)?item\b[^>]*\bpath\s*=", archive.read(root)):
                raise NotImplementedError("items in other parts of the file (production extension)")
    elif kind == "dae" and not re.search(rb"<(?:lines|linestrips|library_nodes)\b", data):
        uses = len(re.findall(rb"<instance_(?:geometry|controller)\b", data))
        if parts < uses:
            raise NotImplementedError(f"{uses - parts} of {uses} geometries (skinned, or of damaged elements)")


def _without_supports(data: bytes) -> tuple[bytes, int]:
    """Return a 3MF file without the supports of a print, and how often they are placed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = next((name for name in archive.namelist() if "3d/3dmodel.model" in name.lower()), None)
        objects = re.findall(rb"<(?:\w+:)?object\b[^>]*>", model := archive.read(root) if root else b"")
        kind, number = rb"""\stype\s*=\s*["'](?:solid)?support["']""", rb"""\sid\s*=\s*["'](\w+)["']"""
        ids = [found[1] for one in objects if re.search(kind, one) and (found := re.search(number, one))]
        use = rb"""<(?:\w+:)?(item|component)\b[^>]*\sobjectid\s*=\s*["'](?:%s)["'][^>]*?(?:/>|>\s*</(?:\w+:)?\1\s*>)"""
        model, count = re.subn(use % b"|".join(ids), b"", model) if ids else (model, 0)
        if not count:
            return data, 0
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as copy:
            for name in archive.namelist():
                copy.writestr(name, model if name == root else archive.read(name))
    return out.getvalue(), count


def _read_scene(request: dict[str, Any]) -> tuple[dict[str, Any], Any, Any]:
    """Return the unit, the vertices and the faces of a file."""
    import numpy as np
    import trimesh

    path, kind = Path(request["path"]), request["format"]
    options: dict[str, Any] = {"skip_materials": True} if kind in ("obj", "glb", "gltf") else {}
    content, supports = path.read_bytes(), 0
    if kind == "3mf":
        content, supports = _without_supports(content)
    data = io.BytesIO(_as_utf_8(content) if kind in ("obj", "off") else content)
    files: Any = _NeighborFiles(path.parent)
    scene = trimesh.load_scene(data, file_type=kind, resolver=files, process=False, **options)
    unit = str(scene.units or "") if kind in ("3mf", "dae", "glb", "gltf") else ""
    nodes = [scene.graph[name] for name in scene.graph.nodes_geometry]
    parts = [(transform, scene.geometry[geometry]) for transform, geometry in nodes]
    parts = [(transform, part) for transform, part in parts if hasattr(part, "faces")]
    _check_features(kind, content, len(parts))
    if (count := sum(len(part.faces) for _, part in parts)) > request["triangles"]:
        return {"fault": "triangles", "count": count}, np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    lists, steps = [], [0.0]
    for transform, part in parts:
        vertices, faces = np.asarray(part.vertices), np.asarray(part.faces)
        stays, is_dae = np.array_equal(transform, np.eye(4)), kind == "dae"  # pycollada holds all in single precision
        if is_dae or not stays:  # coordinates are rounded as stored, before they are moved
            scale = np.linalg.norm(transform[:3, :3], 2)
            sizes = np.array([np.abs(vertices).max(initial=0.0), is_dae * np.abs(transform[:3, 3]).max()])
            steps.append(float(np.array([scale, float(is_dae)]) @ np.spacing(sizes.astype(np.float32))))
        if not stays:
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
            faces = faces[:, ::-1] if np.linalg.det(transform[:3, :3]) < 0 else faces
        lists.append((vertices, faces))
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in lists)])
    joined = np.vstack([np.zeros((0, 3)), *(vertices for vertices, _ in lists)])
    named = [faces + start for (_, faces), start in zip(lists, starts, strict=False)]
    up = re.search(rb"<up_axis>\s*([XY])_UP", content) if kind == "dae" else None
    return (
        {"unit": unit, "up": up[1].decode().lower() if up else "", "supports": supports, "step": max(steps)},
        joined,
        np.vstack([np.zeros((0, 3), np.int64), *named]).astype(np.int64),
    )


def _answer(request: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the unit or the fault of a file, and its vertices and faces."""
    try:
        head, *arrays = _read_scene(request)
        return head, arrays
    except MemoryError:
        head = {"fault": "memory"}
    except ImportError as error:
        head = {"fault": "import", "name": str(error.name or error)}
    except NotImplementedError as error:
        head = {"fault": "damaged", "is_plain": True, "reason": f"its version or a feature is not read: {error}"[:300]}
    except FileNotFoundError as error:
        name = Path(str(error.filename or error)).name
        head = {"fault": "damaged", "is_plain": True, "reason": f"a file that it names is missing: {name}"[:300]}
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1].name.strip("_<>").replace("_", " ")
        reason = f"{type(error).__name__} {error}".strip()
        head = {"fault": "damaged", "reason": f"{reason}, in the step {where!r}"[:300]}
    return head, []


def _run_process() -> None:
    """Read the request, limit this process, and answer."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    with contextlib.suppress(ImportError, ValueError, OSError):  # a system without limits: that of time remains
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    sys.setrecursionlimit(5000)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a parser prints is not an answer
    head, arrays = _answer(request)
    out.write(json.dumps(head).encode() + b"\n")
    if "fault" not in head:
        import numpy as np

        for array in arrays:
            packed = io.BytesIO()  # a pipe has no position, which NumPy needs to write an array
            np.save(packed, array, allow_pickle=False)
            out.write(packed.getbuffer())
    out.flush()


if __name__ == "__main__":
    _run_process()
