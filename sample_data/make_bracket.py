"""Write ``bracket.stl``: an angle of 60 × 40 mm, 3 mm thick and 50 mm long, in millimetres.

python sample_data/make_bracket.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

PROFILE = np.array([[0, 0], [60, 0], [60, 3], [3, 3], [3, 40], [0, 40]], dtype=np.float32)
"""Corners of the profile, counterclockwise."""

LENGTH = 50.0
FACE = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def corners() -> np.ndarray:
    """Return the corners of the triangles: shape (20, 3, 3)."""
    n = len(PROFILE)
    points = np.vstack([np.column_stack([PROFILE, np.full(n, y)]) for y in (0.0, LENGTH)])
    faces = [(a, c, b) for a, b, c in FACE] + [(a + n, b + n, c + n) for a, b, c in FACE]
    for k in range(n):
        j = (k + 1) % n
        faces += [(k, j, n + j), (k, n + j, n + k)]
    return points[np.array(faces)].astype(np.float32)


def write(path: Path) -> None:
    """Write the mesh as binary STL."""
    found = corners()
    records = np.zeros(len(found), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = found
    path.write_bytes(b"bracket, mm".ljust(80, b"\0") + np.uint32(len(found)).tobytes() + records.tobytes())


if __name__ == "__main__":
    write(Path(__file__).with_name("bracket.stl"))
