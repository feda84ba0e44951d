"""Links of a robot against their collision geometry: centres outside, implausible densities, tensors too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import geometry_faults, placeholder_faults
from massprops_cli.bodies.poses import Poses
from massprops_cli.files.meshes.mesh_file import find_mesh, read_mesh
from massprops_cli.files.options import ReadCaps
from massprops_cli.findings.finding import Findings, Place, UsageError
from massprops_cli.robots.robot_model import CollisionShape, RobotLink, RobotModel

_Floats = NDArray[np.float64]
_LIGHTEST, _DENSEST = 10.0, 25000.0
"""Densities between which solids are, kg/m³: of foams and of the densest metals, with a margin."""
_MARGIN = 0.1
"""Part of the diagonal of its box by which a collision may be smaller than the link."""
_LARGEST_EXCESS = 10.0
"""Factor from which on second moments do not fit a simplified geometry."""
_GYRATION = 0.15, 0.45
"""Radii of gyration of ordinary bodies, as shares of the diagonal of their box."""
_Report = Callable[..., None]
"""Reports a rule and a message on the inertial of a link, with ``value`` and ``remedy``."""
_UNTURNED = np.eye(3)
_PACKAGE = ("package://", "model://", "file://")


@dataclass(frozen=True, eq=False)
class LinkBodies:
    """The n links that state a mass above 0, with their bodies in the frames of the links."""

    links: list[RobotLink]
    mass: _Floats  # (n,) kg
    center: _Floats  # (n, 3) m
    inertia: _Floats  # (n, 6) kg·m², tensor entries about the centres; NaN if not stated


def robot_link_bodies(robot: RobotModel) -> LinkBodies:
    """Return the bodies of the links of a robot."""
    with_mass = [(link, link.inertial) for link in robot.links.values() if link.inertial and link.inertial.mass]
    heavy = [(link, inertial) for link, inertial in with_mass if float(inertial.mass) > 0]
    links, stated = [link for link, _ in heavy], [inertial for _, inertial in heavy]
    mass = np.array([float(one.mass) for one in stated])
    center = np.array([[float(text) for text in one.pose.xyz] for one in stated]).reshape(-1, 3)
    angles = np.array([[float(text) for text in one.pose.rpy] for one in stated]).reshape(-1, 3)
    own = np.array([[float(text or "nan") for text in one.tensor] for one in stated]).reshape(-1, 6)
    turned = angles.any(axis=1)
    inertia = own.copy()
    inertia[turned] = Poses.from_rpy(center[turned], angles[turned], "rad").tensors(own[turned])
    return LinkBodies(links, mass, center, inertia)


class _Geometry(NamedTuple):
    """Box ``low (3,)``, ``high (3,)`` of the collisions of a link, and their volume; None if a mesh is among them."""

    low: _Floats
    high: _Floats
    volume: float | None


def check_link_geometry(file: str, bodies: LinkBodies, boxes: MeshBoxes, findings: Findings) -> None:
    """Report links whose mass, centre or tensor does not fit their collisions (docs/formulas.md, section 12)."""
    for k, link in enumerate(bodies.links):
        found = _geometry(link.collisions, boxes)
        if found is None or link.inertial is None:
            continue
        place = Place(link.file or file, line=link.inertial.line)
        report = partial(findings.report, place=place, item=link.name)
        mass, center, tensor = float(bodies.mass[k]), bodies.center[k], bodies.inertia[k]
        if _has_odd_density(link.name, mass, found, report):
            continue
        margin = _MARGIN * float(np.linalg.norm(found.high - found.low))  # a collision is often simpler than the link
        low, high = found.low - margin, found.high + margin
        if ((center < low) | (center > high)).any():
            _report_center(link.name, center, found, report)
            continue
        # wherever the centre is in the box
        body = BodyArray.of([mass], [(low + high) / 2], [np.nan_to_num(tensor)])
        reduced = BodyArray(body.mass, body.center, body.inertia / _LARGEST_EXCESS)
        if np.isfinite(tensor).all() and geometry_faults(reduced, low, high) and not placeholder_faults(body):
            _report_tensor(link.name, tensor, mass, found, report)


def _has_odd_density(link: str, mass: float, geometry: _Geometry, report: _Report) -> bool:
    """Return whether a mass does not fit the volume, and report it; of meshes only the box is known."""
    exact = geometry.volume is not None
    volume = float(np.prod(geometry.high - geometry.low)) if geometry.volume is None else geometry.volume
    density = mass / volume if volume > 0 else _LIGHTEST
    is_odd = density > _DENSEST or (exact and density < _LIGHTEST)
    if is_odd:
        bound = f"at most {_DENSEST:,.0f}" if density > _DENSEST else f"at least {_LIGHTEST:g}"
        what = "collision geometry" if exact else "box of the collision geometry"
        message = (
            f"density of {link} is {density:.3g} kg/m³: {mass:g} kg in the {volume:.3g} m³ of its {what} "
            f"(expected {bound})"
        )
        report("MP883", message, value=f"{mass:g}", remedy=_unit_remedy(density))
    return is_odd


def _unit_remedy(density: float) -> str | None:
    """Return the hint on a mass in grams, or on a geometry in millimetres."""
    if _LIGHTEST * 30 <= density / 1000 <= _DENSEST / 2:
        return "the mass is probably in grams: divide it by 1000"
    if _LIGHTEST * 30 <= density * 1e9 <= _DENSEST / 2:
        return "the geometry is probably in millimetres: write metres"
    return None


def _report_center(link: str, center: _Floats, geometry: _Geometry, report: _Report) -> None:
    """Report a centre outside the box of the collisions."""
    outside = np.maximum(geometry.low - center, center - geometry.high)
    axis = int(np.argmax(outside))
    message = (
        f"centre of mass of {link} is {outside[axis]:.3g} m outside its collision geometry: "
        f"{'xyz'[axis]} = {center[axis]:g} m is not in {geometry.low[axis]:.4g} to {geometry.high[axis]:.4g} m"
    )
    other_sign = np.where(np.arange(3) == axis, -center, center)
    remedy = None
    if float(np.linalg.norm(center)) > 10 * float(np.linalg.norm(geometry.high - geometry.low)):
        remedy = "the centre is probably in millimetres: write metres"
    elif ((geometry.low <= other_sign) & (other_sign <= geometry.high)).all():
        remedy = f"the {'xyz'[axis]} of the centre has probably the wrong sign"
    report("MP882", message, value=f"{center[axis]:g}", remedy=remedy)


def _report_tensor(link: str, tensor: _Floats, mass: float, geometry: _Geometry, report: _Report) -> None:
    """Report a tensor that mass in the geometry cannot have."""
    radius = float(np.sqrt(0.5 * tensor[:3].sum() / mass))
    size = float(np.linalg.norm(geometry.high - geometry.low))
    message = (
        f"inertia tensor of {link} is more than {_LARGEST_EXCESS:g} times what mass in its collision geometry "
        f"can have: radius of gyration {radius:.3g} m, diagonal of the geometry {size:.3g} m"
    )
    factors = {1e-3: "g·m² or kg·m·mm", 1e-6: "kg·mm²", 1e-9: "g·mm²"}
    low, high = _GYRATION
    fits = [unit for power, unit in factors.items() if low < radius * power**0.5 / size < high]
    remedy = f"the tensor is probably in {fits[0]}: write kg·m²" if fits else None
    report("MP884", message, value=", ".join(f"{value:g}" for value in tensor.tolist()), remedy=remedy)


def _geometry(collisions: Sequence[CollisionShape], meshes: MeshBoxes) -> _Geometry | None:
    """Return the box and the volume of the collisions of a link; None if they are not all known."""
    if not collisions:
        return None
    lows, highs = [], []
    volume: float | None = 0.0
    for one in collisions:
        middle, half = np.zeros(3), np.zeros(3)
        rotation = Poses.from_rpy([one.xyz], [one.rpy], "rad").rotation[0] if any(one.rpy) else _UNTURNED
        if one.kind == "mesh":
            box = meshes.box(one)
            if box is None:
                return None
            middle, half = rotation @ (box[0] + box[1]) / 2, np.abs(rotation) @ (box[1] - box[0]) / 2
            volume = None
        else:
            half = _half_extents(one, rotation)
            volume = None if volume is None else volume + _volume(one)
        lows.append(np.array(one.xyz) + middle - half)
        highs.append(np.array(one.xyz) + middle + half)
    return _Geometry(np.min(lows, axis=0), np.max(highs, axis=0), volume)


def _half_extents(shape: CollisionShape, rotation: _Floats) -> _Floats:
    """Return half the edges ``(3,)`` of the box around a turned shape."""
    if shape.kind == "box":
        return np.asarray(np.abs(rotation) @ np.array(shape.sizes) / 2)
    if shape.kind == "sphere":
        return np.full(3, shape.sizes[0])
    if shape.kind == "ellipsoid":
        return np.asarray(np.linalg.norm(rotation * np.array(shape.sizes), axis=1))
    radius, length = shape.sizes
    axis = np.abs(rotation[:, 2])
    # the box of a cone is that of its cylinder
    ends = np.ones(3) if shape.kind == "capsule" else np.sqrt(np.maximum(1 - axis**2, 0))
    return np.asarray(axis * length / 2 + radius * ends)


def _volume(shape: CollisionShape) -> float:
    """Return the volume of a shape, m³."""
    if shape.kind == "box":
        return float(np.prod(shape.sizes))
    if shape.kind == "ellipsoid":
        return 4 / 3 * np.pi * float(np.prod(shape.sizes))
    radius = np.float64(shape.sizes[0])  # whose powers may be infinite
    ball = 4 / 3 * np.pi * radius**3
    if shape.kind == "sphere":
        return float(ball)
    cylinder = np.pi * radius**2 * shape.sizes[1]
    return float(cylinder / 3 if shape.kind == "cone" else cylinder + (ball if shape.kind == "capsule" else 0.0))


class MeshBoxes:
    """Boxes around the meshes of a robot in allowed folders, each read once within limits."""

    def __init__(self, roots: Sequence[str], caps: ReadCaps) -> None:
        self._roots, self._caps = [Path(root) for root in roots], caps
        self._known: dict[str, tuple[_Floats, _Floats] | None] = {}

    def box(self, shape: CollisionShape) -> tuple[_Floats, _Floats] | None:
        """Return the corners (3,), (3,) of the box of a mesh in metres; None if it is not found or cannot be read."""
        if shape.file not in self._known:
            self._known[shape.file] = self._read(shape.file)
        known = self._known[shape.file]
        if known is None:
            return None
        corners = np.array(known) * np.array(shape.scale)
        return corners.min(axis=0), corners.max(axis=0)

    def _read(self, file: str) -> tuple[_Floats, _Floats] | None:
        """Read a mesh from the first allowed folder that has it."""
        name = file
        for prefix in _PACKAGE:
            name = name.removeprefix(prefix)
        for root in self._roots:
            try:
                path = find_mesh(name, root, ())
            except UsageError:
                continue
            if path.is_file():
                mesh = read_mesh(path, Findings(), self._caps)
                if mesh is None or not len(mesh.vertices):
                    return None
                points = mesh.vertices.astype(float) * (mesh.meters or 1.0)
                return points.min(axis=0), points.max(axis=0)
        return None
