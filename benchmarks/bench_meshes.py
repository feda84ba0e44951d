"""Meshes: integrals against trimesh and against reading the arrays once, binary STL against numpy.fromfile, voxels."""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import trimesh
from bench_covariance import in_pairs

from massprops_cli.bodies.meshes.mesh import Mesh, mesh_moments, ten_values
from massprops_cli.bodies.meshes.mesh_defects import voxel_moments
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings


def peer_properties(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Mass properties by trimesh, without its cache."""
    _ = trimesh.Trimesh(vertices, faces, process=False).mass_properties


def main() -> None:
    """Print the rows."""
    ball = trimesh.creation.icosphere(subdivisions=8)
    vertices, faces = np.array(ball.vertices), np.array(ball.faces)

    def ours() -> None:
        ten_values(mesh_moments(Mesh(vertices, faces)), 1000.0)

    def read_once() -> float:
        return float(vertices.sum()) + float(faces.sum())

    a, b, ratio = in_pairs(lambda: peer_properties(vertices, faces), ours)
    size = f"{len(faces) / 1e6:.2f} million triangles"
    print(
        f"| {size}, `mass_properties` of trimesh / mass, centre and tensor | {ratio:.0f} ({a:.2f} s / {b:.3f} s) | 8 |"
    )
    a, b, ratio = in_pairs(ours, read_once)
    print(f"| the same / reading the arrays once | {ratio:.0f} ({a * 1e3:.0f} ms / {b * 1e3:.1f} ms) | 120 |")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ball.stl"
        ball.export(path)
        a, b, ratio = in_pairs(lambda: read_mesh(path, Findings()), lambda: np.fromfile(path, np.uint8), runs=15)
        print(f"| binary STL of {size} / `numpy.fromfile` | {ratio:.2f} ({a * 1e3:.0f} ms / {b * 1e3:.0f} ms) | 1.5 |")
    torus = trimesh.creation.torus(1.0, 0.3, major_sections=250, minor_sections=200)
    mesh = Mesh(np.array(torus.vertices), np.array(torus.faces))
    start = time.perf_counter()
    low, high = mesh.bounds
    voxel_moments(mesh, float((high - low).max()) / 128)
    seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {len(mesh.faces):,} triangles in 128 voxels along the longest side | {seconds:.2f} s | 10 s |")
    print(f"| peak memory of all these, with {size} in memory three times | {peak:.0f} MB | |")


if __name__ == "__main__":
    main()
