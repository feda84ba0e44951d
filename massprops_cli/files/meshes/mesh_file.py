"""Mesh files: STL read by NumPy, other formats by trimesh in a process of its own with limits."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.meshes import mesh_process
from massprops_cli.files.options import ReadCaps, cap_remedy
from massprops_cli.findings.finding import Findings, Severity, UsageError

_HEAD = 84  # 80 bytes of title, 4 of the number of triangles
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""50 bytes for each triangle."""
_TEXT_AT_ONCE = 2**20  # bytes of one piece
_RECORDS_AT_ONCE = 2**15  # records of one step: 1.6 MB, which stay in the cache between reading and copying


class _MeshError(Exception):
    """A mesh file that cannot be read, with what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


def _is_binary_stl(path: Path) -> bool:
    """Return whether an STL file is binary."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(1024)
    if len(head) >= _HEAD and size == _HEAD + _RECORD.itemsize * struct.unpack_from("<I", head, 80)[0]:
        return True
    return not (head.lstrip()[:5].lower() == b"solid" and b"\0" not in head)


def _read_binary_stl(path: Path) -> tuple[NDArray[np.float32], int]:
    """Return corners (3 m, 3), three a triangle, and the bytes left; OSError, or MeshError if it ends early."""
    if (size := path.stat().st_size) < _HEAD:
        raise _MeshError(f"file has {size} bytes (a binary STL file has at least {_HEAD})")
    with path.open("rb", buffering=0) as stream:
        (count,) = struct.unpack_from("<I", stream.read(_HEAD), 80)
        if (has := (size - _HEAD) // _RECORD.itemsize) < count:
            raise _MeshError(f"file is truncated: {count:,} triangles are stated, {has:,} are present")
        corners = np.empty((count, 3, 3), np.float32)
        records = np.empty(min(count, _RECORDS_AT_ONCE), _RECORD)
        for start in range(0, count, _RECORDS_AT_ONCE):
            some = records[: min(_RECORDS_AT_ONCE, count - start)]
            if not _fill(stream, some):
                raise _MeshError("file changed while it was read")
            corners[start : start + len(some)] = some["corners"]
    return corners.reshape(-1, 3), size - _HEAD - count * _RECORD.itemsize


def _fill(stream: Any, records: NDArray[Any]) -> bool:
    """Read bytes until records are full; False at the end of the file."""
    room = memoryview(records.view(np.uint8).data)
    while room:
        if not (done := stream.readinto(room)):
            return False
        room = room[done:]
    return True


def _read_text_stl(stream: BinaryIO, most: int = 2**31) -> NDArray[np.float64]:
    """Return corners (3 m, 3) of triangles, unit of the file; m > ``most`` if reading stopped there; or MeshError."""
    pieces = [np.zeros((0, 3))]
    count, left, end = 0, b"", b""
    while text := stream.read(_TEXT_AT_ONCE):
        end = (end + text)[-1024:]
        *facets, left = (left + text.lower()).split(b"endloop")
        pieces.append(_facet_corners(facets, count))
        count += len(facets)
        if count > most:
            return np.concatenate(pieces)
        if len(left) > 2 * _TEXT_AT_ONCE:
            raise _MeshError(f"facet {count + 1:,} has more than {_TEXT_AT_ONCE:,} characters")
    if b"outer loop" in left:
        raise _MeshError(f"file is truncated: facet {count + 1:,} has no end")
    if b"endsolid" not in end.lower():
        raise _MeshError("file is truncated: endsolid is missing")
    return np.concatenate(pieces)


def _facet_corners(facets: list[bytes], before: int) -> NDArray[np.float64]:
    """Return the corners of facets, each of which ends before ``endloop``."""
    numbers: list[bytes] = []
    for k, facet in enumerate(facets, before + 1):
        if len(words := facet.partition(b"outer loop")[2].split()) != 12 or words[0::4] != [b"vertex"] * 3:
            raise _MeshError(f"facet {k:,} does not have three vertices with three coordinates")
        numbers += [*words[1:4], *words[5:8], *words[9:12]]
    try:
        return np.array([float(word) for word in numbers]).reshape(-1, 3)
    except ValueError as error:
        raise _MeshError(f"coordinate is not a number: {str(error).rpartition(': ')[2]}") from None


_MESH_FORMATS = ("stl", "obj", "ply", "off", "glb", "gltf", "3mf", "dae")
_UNITLESS = ("stl", "obj", "ply", "off")
_MODULES = {"3mf": ("trimesh", "networkx", "lxml"), "dae": ("trimesh", "collada", "lxml")}
_DEFAULT_CAPS = ReadCaps()
_MOST_BYTES = 2**30  # largest file
_BASE_MEMORY = 2**30  # limit of a trimesh process, bytes
_MEMORY_PER_BYTE = 12  # added to it for each byte of the file
_BASE_SECONDS = 30.0  # its limit of time
_BYTES_PER_SECOND = 2**19  # one second is added for as many bytes of the file
_METER_NAMES = {
    "micron": 1e-6, "millimeter": 1e-3, "millimeters": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048,
    "meter": 1.0, "meters": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254, "ft": 0.3048, "um": 1e-6,
    "inches": 0.0254, "feet": 0.3048, "centimeters": 1e-2,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeshFile:
    """The triangles of a file."""

    name: str  # in messages
    vertices: NDArray[np.floating[Any]]  # (n, 3) unit of the file, in the precision stored
    faces: NDArray[np.integer[Any]]  # (m, 3) numbers of the corners
    meters: float | None  # length of the unit that the file states; None: format without units
    is_text: bool  # coordinates are decimal text
    step: float | None = None  # of the numbers stored in single precision, before they were moved


def find_mesh(text: str, folder: Path, roots: Sequence[Path], what: str = "mesh") -> Path:
    """Return the path of a mesh, or another file, that a table or a robot names, inside the allowed folders."""
    if "\0" in text or not text.strip():
        raise UsageError(f"{what} path is not valid: {text!r}")
    allowed = [root.resolve() for root in (folder, *roots)]
    try:
        path = (folder / text.strip().replace("\\", os.sep)).resolve()
    except (OSError, RuntimeError):
        raise UsageError(f"{what} path is not valid: {text!r}") from None
    if not any(path.is_relative_to(root) for root in allowed):
        raise UsageError(f"{what} is outside the folder of the table: {text}")
    return path


def read_mesh(path: Path, findings: Findings, caps: ReadCaps = _DEFAULT_CAPS, *, name: str = "") -> MeshFile | None:
    """Read the triangles of a mesh file; others than STL in a process with limits; None and MP721 on failure."""
    shown, triangles = name or path.name, caps.mesh_triangles
    kind = path.suffix.lower().lstrip(".")
    try:
        if reason := _rejection(path, kind):
            findings.report("MP721", f"mesh {shown} cannot be read: {reason}", value=shown)
            return None
        return (_read_stl if kind == "stl" else _read_scene)(path, shown, triangles, findings)
    except (OSError, _MeshError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        remedy = error.remedy if isinstance(error, _MeshError) else None
        findings.report("MP721", f"mesh {shown} cannot be read: {reason}", value=shown, remedy=remedy or None)
        return None


def _rejection(path: Path, kind: str) -> str:
    """Return why a file is not opened; empty if it is."""
    if kind not in _MESH_FORMATS:
        return f"format {kind or 'without a suffix'} is not one of {', '.join(_MESH_FORMATS)}"
    if not path.exists():
        return "no such file"
    if not path.is_file():
        return "not a file"
    size = path.stat().st_size
    return f"file has {size:,} bytes (at most {_MOST_BYTES:,})" if size > _MOST_BYTES else ""


def _check_triangles(count: int, most: int) -> None:
    """Raise if there are too many triangles."""
    if count > most:
        remedy = f"reduce the mesh in the program that made it, or, {cap_remedy('mesh-triangles', count)}"
        raise _MeshError(f"{count:,} triangles (at most {most:,})", remedy)


def _read_stl(path: Path, name: str, most: int, findings: Findings) -> MeshFile:
    """Read an STL file."""
    vertices: NDArray[np.floating[Any]]
    if not _is_binary_stl(path):
        with path.open("rb") as stream:
            vertices = _read_text_stl(stream, most)
        is_text = True
    else:
        _check_triangles((path.stat().st_size - 84) // 50, most)
        vertices, more = _read_binary_stl(path)
        is_text = False
        if more:
            message = f"mesh {name} has {more:,} bytes after its last triangle"
            findings.report("MP721", message, value=name, severity=Severity.WARNING)
    _check_triangles(len(vertices) // 3, most)
    return MeshFile(name, vertices, np.arange(len(vertices), dtype=np.int32).reshape(-1, 3), None, is_text)


def _read_scene(path: Path, name: str, most: int, findings: Findings) -> MeshFile:
    """Read a file through trimesh, or raise."""
    kind = path.suffix.lower().lstrip(".")
    if missing := [module for module in _MODULES.get(kind, ("trimesh",)) if importlib.util.find_spec(module) is None]:
        raise _MeshError(
            f"{kind} needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed",
            "install the extra: pip install 'massprops[mesh]'",
        )
    head, vertices, faces = _answer(path, kind, most)
    if (fault := head.get("fault")) == "triangles":
        _check_triangles(int(head["count"]), most)
    if fault:
        reasons = {"memory": "it needs more memory than its size allows", "import": f"{head.get('name')} is missing"}
        reason = str(head.get("reason", "no reason given"))
        reasons["damaged"] = reason if head.get("is_plain") else f"file is damaged ({reason})"
        raise _MeshError(reasons.get(fault, reason))
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise _MeshError("a face names a vertex that is missing")
    if head.get("up"):
        findings.report("MP739", f"mesh {name} states that {head['up']} is up, which is not applied", value=name)
    if head.get("supports"):
        message = f"supports of a print are left out of mesh {name}: {head['supports']}"
        findings.report("MP721", message, value=name, severity=Severity.WARNING, remedy="state their mass as an item")
    with np.errstate(over="ignore", invalid="ignore"):
        single = vertices.astype(np.float32)
    step = float(head["step"]) or None if kind in ("dae", "glb", "gltf") else None
    is_double, is_text = _ply_numbers(path) if kind == "ply" else (step is not None, kind not in ("glb", "gltf"))
    is_single = kind in ("glb", "gltf", "ply") and not is_double and np.array_equal(single, vertices, equal_nan=True)
    meters = None if kind in _UNITLESS or not len(faces) else _unit_meters(str(head.get("unit", "")), name, findings)
    return MeshFile(name, single if is_single else vertices, faces, meters, is_text and not is_single, step)


def _ply_numbers(path: Path) -> tuple[bool, bool]:
    """Return whether a PLY file states coordinates in double precision, and as text."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    return re.search(rb"property\s+(?:double|float64)\s+x\b", head) is not None, b"format ascii" in head


def _answer(path: Path, kind: str, most: int) -> tuple[dict[str, Any], NDArray[Any], NDArray[Any]]:
    """Run the process that reads a file, or raise."""
    size = path.stat().st_size
    memory, seconds = _BASE_MEMORY + _MEMORY_PER_BYTE * size, _BASE_SECONDS + size / _BYTES_PER_SECOND
    request = {"path": str(path.absolute()), "format": kind, "triangles": most, "memory": memory}
    command = [sys.executable, "-P", str(Path(mesh_process.__file__))]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise _MeshError(f"it takes more than {seconds:.0f} s") from None
    line, _, rest = done.stdout.partition(b"\n")
    try:
        head = json.loads(line)
        if "fault" in head:
            return head, np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        stream = io.BytesIO(rest)
        vertices, faces = (np.load(stream, allow_pickle=False) for _ in range(2))
    except (ValueError, EOFError):
        raise _MeshError("the process that reads it ended without a result") from None
    return head, vertices, faces


def _unit_meters(text: str, name: str, findings: Findings) -> float | None:
    """Return the length of the unit that a file states; None with a finding if it is not known."""
    number = re.fullmatch(r"([0-9.eE+-]+) \* meters", text)
    try:
        meters = float(number[1]) if number else _METER_NAMES.get(text.strip().lower(), 0.0)
    except ValueError:
        meters = 0.0
    if not 0 < meters < 1e9:
        message = f"unit that mesh {name} states is not known, and not used: {text!r}"
        findings.report(
            "MP721", message, value=text, severity=Severity.WARNING, remedy="state it with --config mesh-units=…"
        )
        return None
    return meters
