"""Triangle meshes for tests, rules and the gallery of defects: boxes, balls, tubes, and what can be wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from massprops_cli.files.meshes import mesh_file, mesh_process

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) and faces (m, 3)."""

_QUADS = [[3, 2, 1, 0], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]]
_SIDES = [[-1, -1], [-1, 1], [1, 1], [1, -1]]
_CORNERS = np.array([[*side, z] for z in (1, -1) for side in _SIDES])


def triangles_of(quads: Any) -> np.ndarray:
    """Two triangles for each quadrangle."""
    return np.array([one for a, b, c, d in quads for one in ((a, b, c), (a, c, d))])


def box(size: Any = (0.1, 0.2, 0.3), at: Any = (0.0, 0.0, 0.0)) -> Triangles:
    """A box with its centre at a point, 12 triangles facing outward."""
    return _CORNERS * np.asarray(size, float) / 2 + np.asarray(at, float), triangles_of(_QUADS)


def ball(radius: float = 1.0, n: int = 24) -> Triangles:
    """A ball of n rings of 2 n quadrangles, its vertices on the sphere."""
    polar, around = np.linspace(0, np.pi, n + 1)[1:-1], np.arange(2 * n) * np.pi / n
    rings = [[np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)] for p in polar for a in around]
    points = radius * np.array([*rings, [0, 0, 1], [0, 0, -1]])
    m, top, bottom = 2 * n, len(rings), len(rings) + 1
    faces = [[top, k, (k + 1) % m] for k in range(m)]
    for ring in range(n - 2):
        low, high = ring * m, (ring + 1) * m
        for k in range(m):
            j = (k + 1) % m
            faces += [[low + k, high + k, high + j], [low + k, high + j, low + j]]
    last = (n - 2) * m
    faces += [[bottom, last + (k + 1) % m, last + k] for k in range(m)]
    return points, np.array(faces)


def cylinder(radius: float = 1.0, length: float = 2.0, n: int = 48, lids: bool = True) -> Triangles:
    """A prism of n sides inscribed in a cylinder along z."""
    around = np.arange(n) * 2 * np.pi / n
    ring = np.column_stack([radius * np.cos(around), radius * np.sin(around)])
    points = np.vstack([np.column_stack([ring, np.full(n, z)]) for z in (-length / 2, length / 2)])
    points = np.vstack([points, [[0, 0, -length / 2], [0, 0, length / 2]]])
    nxt = (np.arange(n) + 1) % n
    faces = [[k, nxt[k], n + nxt[k]] for k in range(n)] + [[k, n + nxt[k], n + k] for k in range(n)]
    if lids:
        faces += [[2 * n, nxt[k], k] for k in range(n)] + [[2 * n + 1, n + k, n + nxt[k]] for k in range(n)]
    return points, np.array(faces)


def flipped(mesh: Triangles, which: Any = slice(None)) -> Triangles:
    """The mesh with some triangles reversed."""
    faces = mesh[1].copy()
    faces[which] = faces[which][:, ::-1]
    return mesh[0], faces


def joined(*meshes: Triangles) -> Triangles:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    return np.vstack([p for p, _ in meshes]), np.vstack([f + s for (_, f), s in zip(meshes, starts, strict=False)])


def without(mesh: Triangles, *faces: int) -> Triangles:
    """The mesh without some triangles."""
    return mesh[0], np.delete(mesh[1], faces, axis=0)


def write_stl(path: Path, mesh: Triangles) -> Path:
    """Write binary STL."""
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records = np.zeros(len(mesh[1]), record)
    with np.errstate(over="ignore"):
        records["corners"] = mesh[0][mesh[1]]
    path.write_bytes(b"binary".ljust(80, b"\0") + np.uint32(len(records)).tobytes() + records.tobytes())
    return path


def write_obj(path: Path, mesh: Triangles) -> Path:
    """Write OBJ with all digits."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh[0].tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh[1] + 1).tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def subdivided(mesh: Triangles) -> Triangles:
    """Four triangles for each."""
    points, faces = mesh
    corners = points[faces]
    middles = (corners + np.roll(corners, -1, axis=1)) / 2
    a, b, c = (corners[:, k] for k in range(3))
    p, q, r = (middles[:, k] for k in range(3))
    soup = np.concatenate([np.stack(one, axis=1) for one in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))])
    return soup.reshape(-1, 3), np.arange(12 * len(faces)).reshape(-1, 3)


INNER = box((0.08, 0.18, 0.28))
DEFECTS: dict[str, tuple[Triangles, tuple[str, ...]]] = {
    "MP724": (joined(box(), (np.array([[0.05, 0.1, 0.15]] * 3), np.array([[0, 1, 2]]))), ()),
    "MP725": (without(box(), 0, 1), ()),
    "MP726": (flipped(box()), ()),
    "MP727": (flipped(box(), slice(0, 6)), ()),
    "MP728": (joined(box(), INNER), ()),
    "MP729": (joined(box(), flipped(INNER)), ()),
    "MP730": (joined(box(), box(at=(0.05, 0, 0))), ()),
    "MP731": (joined(box((0.1, 0.2, 0.0))), ()),
    "MP732": (box((100, 200, 300)), ()),
    "MP733": (box(at=(1e4, 1e4, 1e4)), ()),
    "MP734": (cylinder(0.1, 0.2, 8), ()),
    "MP735": (joined(box(), flipped(box((0.098, 0.198, 0.298)))), ("--voxel-size", "5 mm")),
    "MP736": (joined(box(), box(at=(0.1, 0.2, 0))), ()),
    "MP738": (ball(0.1), ("--voxel-size", "5 mm")),
}
"""Rule → a mesh in metres that has the defect, and further options."""


parsed_by_process = mesh_file._answer
"""Parse a mesh in a process of its own, as for users; ``conftest.py`` has most tests parse in their own process."""


def parsed_here(path: Path, kind: str, most: int) -> tuple[Any, ...]:
    """Parse a mesh as the process of the parser does, in this one: its start takes more time than a small file."""
    head, arrays = mesh_process._answer({"path": str(path.absolute()), "format": kind, "triangles": most})
    return (head, *arrays) if arrays else (head, np.zeros((0, 3)), np.zeros((0, 3), np.int64))
