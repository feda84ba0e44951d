"""Draw every shape with its axes, for the page of shapes.

python docs/make_shape_drawings.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from massprops_cli.bodies.solid_shapes import SHAPES, Shape

FOLDER = Path(__file__).with_name("shapes")
DIMS = {
    "e": 0.3,
    "a": 2.0,
    "b": 1.4,
    "c": 1.0,
    "r": 0.8,
    "L": 2.0,
    "ri": 0.5,
    "r1": 0.9,
    "r2": 0.45,
    "R": 1.1,
    "h": 0.6,
    "n": 6,
}
_TORUS, _BODY = {"r": 0.35}, {"a": 1.2, "b": 0.8, "c": 0.6}
OWN = {"torus": _TORUS, "half torus": _TORUS, "torus shell": _TORUS, "ellipsoid": _BODY}
OWN |= {"half ellipsoid": {**_BODY, "c": 0.8}, "elliptic cylinder": {"a": 0.9, "b": 0.6}}
"""Dimensions that are drawn."""

_Lines = list[NDArray[np.float64]]


def revolved(profile: NDArray[np.float64], squeeze: float = 1.0, *, half: bool = False) -> _Lines:
    """Return meridians and parallels of a profile ``(n, 2)`` of radius and z; half of them at x ≥ 0."""
    low, high = (-np.pi / 2, np.pi / 2) if half else (0.0, 2 * np.pi)
    lines = []
    for angle in np.linspace(low, high, 7 if half else 13):
        x, y = profile[:, 0] * np.cos(angle), profile[:, 0] * np.sin(angle) * squeeze
        lines.append(np.column_stack([x, y, profile[:, 1]]))
    around = np.linspace(low, high, 49)
    for radius, z in profile[:: max(1, len(profile) // 8)].tolist() + profile[[1, -1]].tolist():
        line = np.column_stack([radius * np.cos(around), radius * np.sin(around) * squeeze, np.full(49, z)])
        lines.append(np.vstack([line, line[:1]]) if half else line)
    return lines


def polyhedron(corners: list[tuple[float, float, float]], faces: list[list[int]]) -> _Lines:
    """Return the outlines of faces."""
    points = np.array(corners)
    return [points[[*face, face[0]]] for face in faces]


def prism_lines(base: NDArray[np.float64], low: float, high: float) -> _Lines:
    """Return the edges of a prism over a polygon ``(n, 2)``."""
    rings = [np.column_stack([base, np.full(len(base), z)]) for z in (low, high)]
    closed = [np.vstack([ring, ring[:1]]) for ring in rings]
    return [*closed, *(np.array(pair) for pair in zip(*rings, strict=True))]


def arc(radius: float, start: float, end: float, center: tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
    """Return an arc of a profile, by the angle from the plane z = 0."""
    t = np.linspace(start, end, 17)
    return np.column_stack([center[0] + radius * np.cos(t), center[1] + radius * np.sin(t)])


def rectangle(a: float, b: float) -> NDArray[np.float64]:
    """Return the corners of a rectangle about the origin."""
    return np.array([[-a, -b], [a, -b], [a, b], [-a, b]]) / 2


def _box(d: dict[str, float]) -> _Lines:
    return prism_lines(rectangle(d["a"], d["b"]), -d["c"] / 2, d["c"] / 2)


def _prism(d: dict[str, float]) -> _Lines:
    t = 2 * np.pi * np.arange(d["n"]) / d["n"]
    return prism_lines(d["r"] * np.column_stack([np.cos(t), np.sin(t)]), -d["L"] / 2, d["L"] / 2)


def _wedge(d: dict[str, float]) -> _Lines:
    a, b, c = d["a"] / 2, d["b"] / 2, d["c"] / 2
    corners = [(-a, y, z) for y in (-b, b) for z in (-c, c)] + [(a, -b, -c), (a, b, -c)]
    return polyhedron(corners, [[0, 1, 4], [2, 3, 5], [0, 1, 3, 2], [0, 4, 5, 2]])


def _pyramid(d: dict[str, float]) -> _Lines:
    base = [(x, y, -d["L"] / 2) for x, y in rectangle(d["a"], d["b"]).tolist()]
    return polyhedron([*base, (0, 0, d["L"] / 2)], [[0, 1, 2, 3], [0, 1, 4], [2, 3, 4]])


def _half_ellipsoid(d: dict[str, float]) -> _Lines:
    profile = arc(1.0, 0, np.pi / 2) * [d["a"], d["c"]]
    return revolved(np.vstack([[0, 0], profile]), d["b"] / d["a"])


def _cap(d: dict[str, float]) -> _Lines:
    r, h = d["r"], d["h"]
    profile = arc(r, np.arcsin((r - h) / r), np.pi / 2) - [0, r - h]
    return revolved(np.vstack([[0, 0], profile]))


_DRAWN: dict[str, Callable[[dict[str, float]], _Lines]] = {
    "box": _box,
    "box shell": _box,
    "plate": lambda d: prism_lines(rectangle(d["a"], d["b"]), 0, 0),
    "prism": _prism,
    "wedge": _wedge,
    "pyramid": _pyramid,
    "rod": lambda d: [np.array([[0, 0, -d["L"] / 2], [0, 0, d["L"] / 2]])],
    "half ellipsoid": _half_ellipsoid,
    "spherical cap": _cap,
    "hemisphere": lambda d: _cap({**d, "h": d["r"]}),
    "hemisphere shell": lambda d: revolved(arc(d["r"], 0, np.pi / 2)),
}
"""Lines of the shapes that are not drawn as a profile about z."""


def shape_lines(name: str, d: dict[str, float]) -> _Lines:
    """Return the lines of one shape in its own axes."""
    if name in _DRAWN:
        return _DRAWN[name](d)
    half = name in ("half cylinder", "half cone", "half torus")
    return revolved(
        _profile(name, d), d["b"] / d["a"] if name in ("ellipsoid", "elliptic cylinder") else 1.0, half=half
    )


def _profile(name: str, d: dict[str, float]) -> NDArray[np.float64]:
    """Return the profile of a round shape."""
    q, r, L = np.pi / 2, d["r"], d["L"]
    z = np.linspace(-L / 2, L / 2, 9)
    ball, ring = arc(r, -q, q), arc(r, 0, 4 * q, (d["R"], 0))
    section = [[d["ri"], -L / 2], [r, -L / 2], [r, L / 2], [d["ri"], L / 2], [d["ri"], -L / 2]]
    found = {
        "torus": ring,
        "half torus": ring,
        "torus shell": ring,
        "ellipsoid": arc(1.0, -q, q) * [d["a"], d["c"]],
        "sphere": ball,
        "sphere shell": ball,
        "capsule": np.vstack([arc(r, -q, 0, (0, -L / 2)), arc(r, 0, q, (0, L / 2))]),
        "domed cylinder": np.vstack(
            [arc(r, -q, 0)[::2] * [1, d["e"] / r] - [0, L / 2], arc(r, 0, q)[::2] * [1, d["e"] / r] + [0, L / 2]]
        ),
        "paraboloid": np.column_stack([r * np.sqrt(0.5 - z / L), z]),
        "disc": np.array([[0.0, 0.0], [r, 0.0]]),
        "ring": np.array([[r, 0.0], [r, 0.0]]),
        "tube": np.array(section),
    }
    if name in found:
        return found[name]
    ends = {"frustum": (d["r1"], d["r2"]), "cone": (r, 0), "half cone": (r, 0), "cone shell": (r, 0)}
    low, high = ends.get(name, (d["a"] if name == "elliptic cylinder" else r,) * 2)
    side = np.array([[low, -L / 2], [high, L / 2]])
    open_ends = name in ("cylinder shell", "cone shell")
    return side if open_ends else np.vstack([[0, -L / 2], side, [0, L / 2]])


def drawing(shape: Shape, path: Path) -> None:
    """Draw one shape in an oblique view, with its own axes."""
    # view from x, with z upwards: x to the lower left, y to the right
    view = np.array([[-0.45, -0.33], [0.9, -0.14], [0.0, 0.95]])
    figure = Figure(figsize=(2.6, 2.2))
    axes = figure.add_subplot()
    for line in shape_lines(shape.name, {**DIMS, **OWN.get(shape.name, {})}):
        axes.plot(*(np.round(line, 3) @ view).T, color="#1f4e79", linewidth=0.8, solid_joinstyle="round")
    for k, name in enumerate("xyz"):
        tip = 1.55 * np.eye(3)[k] @ view
        axes.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": "#b03a2e", "linewidth": 1.0})
        axes.text(*(1.14 * tip), name, color="#b03a2e", ha="center", va="center", fontsize=9)
    axes.plot([0], [0], "o", color="#b03a2e", markersize=3)
    axes.set_aspect("equal")
    axes.set(xlim=(-1.75, 1.75), ylim=(-1.6, 1.8))
    axes.axis("off")
    with matplotlib.rc_context({"svg.hashsalt": "massprops"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight", pad_inches=0.02)


def file_name(shape: Shape) -> str:
    """Return the name of the drawing of a shape."""
    return shape.name.replace(" ", "_")


def main() -> None:
    """Draw all shapes."""
    FOLDER.mkdir(exist_ok=True)
    for shape in SHAPES.values():
        drawing(shape, FOLDER / f"{file_name(shape)}.svg")


if __name__ == "__main__":
    main()
