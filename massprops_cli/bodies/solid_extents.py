"""The boxes that enclose shapes, and what mass inside them cannot exceed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import PlausibilityFault, geometry_faults
from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.solid_inputs import SolidInput
from massprops_cli.bodies.solid_shapes import find_shape
from massprops_cli.bodies.solids import canonical_dims

_Size = tuple[float, float, float]
_Dims = Mapping[str, float]


def _round(d: _Dims) -> _Size:
    """Return the sides of the box around a shape of radius r and length L along z."""
    return 2 * d["r"], 2 * d["r"], d.get("L", 0.0)


def _sides(d: _Dims) -> _Size:
    """Return the sides a, b and c or L."""
    return d["a"], d["b"], d.get("c", d.get("L", 0.0))


def _semi_axes(d: _Dims) -> _Size:
    """Return the sides of the box around an ellipsoid."""
    return 2 * d["a"], 2 * d["b"], 2 * d["c"]


def _ring(d: _Dims) -> _Size:
    """Return the sides of the box around a torus."""
    return 2 * (d["R"] + d["r"]), 2 * (d["R"] + d["r"]), 2 * d["r"]


def _cap(d: _Dims) -> _Size:
    """Return the sides of the box around a spherical cap; up to half a sphere its base is the widest circle."""
    h, r = d["h"], d["r"]
    across = 2 * (r if h >= r else np.sqrt(h * (2 * r - h)))
    return across, across, h


_SIZES: Mapping[str, Callable[[_Dims], _Size]] = {
    "box": _sides,
    "sphere": lambda d: (2 * d["r"],) * 3,
    "ellipsoid": _semi_axes,
    "elliptic cylinder": lambda d: (2 * d["a"], 2 * d["b"], d["L"]),
    "capsule": lambda d: (2 * d["r"], 2 * d["r"], d["L"] + 2 * d["r"]),
    "frustum": lambda d: (2 * max(d["r1"], d["r2"]), 2 * max(d["r1"], d["r2"]), d["L"]),
    "pyramid": _sides,
    "wedge": _sides,
    "torus": _ring,
    "torus shell": _ring,
    "spherical cap": _cap,
    "hemisphere": lambda d: (2 * d["r"], 2 * d["r"], d["r"]),
    "hemisphere shell": lambda d: (2 * d["r"], 2 * d["r"], d["r"]),
    "half ellipsoid": lambda d: (2 * d["a"], 2 * d["b"], d["c"]),
    "half cylinder": lambda d: (d["r"], 2 * d["r"], d["L"]),
    "half cone": lambda d: (d["r"], 2 * d["r"], d["L"]),
    "half torus": lambda d: (d["R"] + d["r"], 2 * (d["R"] + d["r"]), 2 * d["r"]),
    "rod": lambda d: (0.0, 0.0, d["L"]),
    "plate": _sides,
    "sphere shell": lambda d: (2 * d["r"],) * 3,
    "box shell": _sides,
}
"""Size of the enclosing box of a shape; that of round ones is by their radius and length."""

_BALLS = ("sphere", "sphere shell")
_ROUND_ABOUT_Z = ("cylinder", "tube", "cone", "paraboloid", "disc", "ring", "cylinder shell", "closed cylinder shell")
"""Shapes whose farthest point is not a corner of the box, but on a circle about z."""


def _enclosing_size(shape: str, dims: Mapping[str, float]) -> tuple[float, float, float]:
    """Return the sides along x, y and z of the box around a shape in its own axes; a thickness enlarges all sides."""
    name = find_shape(shape).name
    x, y, z = _SIZES.get(name, _round)(dims)
    t = dims.get("t", 0.0)
    return float(x + t), float(y + t), float(z + t)


def shape_faults(inputs: list[SolidInput], bodies: BodyArray) -> list[PlausibilityFault]:
    """Find the bodies whose second moments, about own centres, no mass inside their shape has; centres are not used.

    Bound of Bhatia and Davis for the box (variance at most s²/4), and the farthest point; docs/formulas.md, section 12.
    """
    n = len(inputs)
    half, reach = np.zeros((n, 3)), np.zeros(n)
    for k, one in enumerate(inputs):
        shape = find_shape(one.shape)
        dims = canonical_dims(shape, one.values)
        x, y, z = _enclosing_size(shape.name, dims)
        half[k] = np.abs(axis_rotation(one.axis)) @ np.array([x, y, z]) / 2
        reach[k] = _farthest(shape.name, np.array([x, y, z]) / 2)
    centered = BodyArray(bodies.mass, np.zeros((n, 3)), bodies.inertia)
    return geometry_faults(centered, -half, half, reach)


_FLAT_FACE_AT_Z = ("spherical cap", "hemisphere", "hemisphere shell", "half ellipsoid")
_FLAT_FACE_AT_X = ("half cylinder", "half cone", "half torus")
"""Shapes whose origin is in a flat face, so that the box is on one side of it."""


def center_faults(inputs: list[SolidInput], centers: NDArray[np.float64]) -> list[PlausibilityFault]:
    """Find the centres (n, 3) length, own frames, outside the boxes around shapes; kind ``center-outside``."""
    low, high = np.zeros((len(inputs), 3)), np.zeros((len(inputs), 3))
    for k, one in enumerate(inputs):
        shape = find_shape(one.shape)
        dims = canonical_dims(shape, one.values)
        size = np.array(_enclosing_size(shape.name, dims))
        inner = size - dims.get("t", 0.0)
        middle = np.array(
            [inner[0] if shape.name in _FLAT_FACE_AT_X else 0, 0, inner[2] if shape.name in _FLAT_FACE_AT_Z else 0]
        )
        R = axis_rotation(one.axis)
        half = np.abs(R) @ size / 2
        low[k], high[k] = R @ middle / 2 - half, R @ middle / 2 + half
    n = len(inputs)
    found = geometry_faults(BodyArray(np.ones(n), np.asarray(centers, dtype=float), np.zeros((n, 6))), low, high)
    return [fault for fault in found if fault.kind == "center-outside"]


def _farthest(shape: str, half: NDArray[np.float64]) -> float:
    """Return the distance from the middle of the box to the farthest point of a shape."""
    if shape in _BALLS:
        return float(half[0])
    if shape in _ROUND_ABOUT_Z:
        return float(np.hypot(half[0], half[2]))
    return float(np.linalg.norm(half))
