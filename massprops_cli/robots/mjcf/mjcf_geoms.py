"""Bodies of the geoms of MJCF: primitive solids and shells, meshes, and primitives fitted to meshes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import Floats, frame_matrix, roll_pitch_yaw
from massprops_cli.bodies.solid_shapes import SHAPES
from massprops_cli.findings.finding import Findings
from massprops_cli.robots.mjcf.mjcf_meshes import LEAST_VOLUME, GeomSolid, MjcfMesh, read_mesh_asset
from massprops_cli.robots.mjcf.mjcf_source import MAIN, Attributes, MjcfSource, z_rotation
from massprops_cli.robots.robot_model import CollisionShape, SourceElement

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Primitive with a volume → how many of its sizes are used: radius, half length; half edges, semi-axes."""
_MESHES = ("mesh", "sdf")  # types whose body is that of their mesh
_DENSITY = "1000"  # kg/m³ of a geom that states neither density nor mass. [MuJoCo, XML reference, "geom"]
_THIN = 1e-6  # m by which MuJoCo expands an ellipsoid for the moments of its shell
_THOMSEN = 1.6075  # exponent of Thomsen's area of an ellipsoid


@dataclass(frozen=True, slots=True, eq=False)
class MjcfGeom:
    """A geom of a body, with the defaults of its class."""

    source: MjcfSource
    element: SourceElement
    attributes: Attributes
    frame: Floats  # (4, 4) of the elements around it, in the frame of the body

    @property
    def kind(self) -> str:
        """Its type."""
        return self.attributes.get("type", "sphere")

    @property
    def group(self) -> int:
        """Its group."""
        return int(next(iter(self.numbers("group")), 0.0))

    @property
    def label(self) -> str:
        """What it is called in messages."""
        name = self.attributes.get("name", "")
        return f"geom {name}" if name else f"geom ({self.kind})"

    def numbers(self, name: str, count: int = 1, least: int = 0) -> list[float]:
        """Return the numbers of an attribute; none if it is missing."""
        return self.source.numbers(self.element, self.attributes, name, count, least)

    def report(self, message: str, value: str = "", rule: str = "MP855") -> None:
        """Report that its body is not known."""
        place = self.source.place(self.element)
        self.source.findings.report(rule, message, place, value=value, item=self.attributes.get("name", ""))

    def pose_and_sizes(self) -> tuple[Floats, list[float]]:
        """Return the pose (4, 4) in the frames around it, and the three sizes; those that are missing are 0."""
        sizes = [*self.numbers("size", 3, 1), 0.0, 0.0, 0.0][:3]
        if not (ends := np.array(self.numbers("fromto", 6))).size:
            return self.source.pose(self.element, self.attributes), sizes
        along = ends[:3] - ends[3:]
        length = float(np.linalg.norm(along))
        pose = frame_matrix((ends[:3] + ends[3:]) / 2, z_rotation(along / length) if length > 0 else None)
        is_round = self.kind in ("capsule", "cylinder")
        return pose, [sizes[0], length / 2, 0.0] if is_round else [sizes[0], sizes[0], length / 2]


class GeomBodies:
    """Computes the bodies of geoms; each mesh is read once."""

    def __init__(self) -> None:
        self._meshes: dict[tuple[int, str], MjcfMesh | None] = {}

    def body(self, geom: MjcfGeom) -> BodyArray | None:
        """Return the body of a geom in the frame of its body, with the mass 0 if it has none; None with a finding."""
        if geom.kind == "plane":
            return _NOTHING
        pose, sizes = geom.pose_and_sizes()
        mass, density = geom.numbers("mass"), geom.numbers("density") or [float(_DENSITY)]
        if mass == [0.0] or (not mass and density == [0.0]):
            return _NOTHING
        mesh = None
        if "mesh" in geom.attributes or geom.kind in _MESHES:
            if (mesh := self._mesh(geom)) is None:
                return None
            if geom.kind not in _MESHES:
                fitted, sizes = mesh.fitted(geom.kind, geom.source.flag("fitaabb"))
                pose, scale = pose @ fitted, (geom.numbers("fitscale") or [1.0])[0]
                sizes = [size * scale for size in sizes]
        solid = mesh.solid if mesh and geom.kind in _MESHES else self._primitive(geom, sizes)
        if solid is None:
            return None
        amount = mass[0] if mass else density[0] * solid.volume
        if amount <= LEAST_VOLUME or solid.volume <= (LEAST_VOLUME if mass else 0.0):
            return _NOTHING
        own = BodyArray.of([amount], [solid.center], (amount * solid.tensor)[None])
        matrix = geom.frame @ pose
        return own.transformed(Poses(matrix[None, :3, 3], matrix[None, :3, :3]))

    def _primitive(self, geom: MjcfGeom, sizes: Sequence[float]) -> GeomSolid | None:
        """Return a primitive as a solid or as a shell."""
        kind = geom.kind
        if kind == "hfield":  # MuJoCo gives it the mass of its box
            name = geom.attributes.get("hfield", "")
            if (asset := geom.source.assets.get(("hfield", name))) is None:
                geom.report(f"hfield of {geom.label} is not defined: {name!r}", name, "MP874")
                return None
            x, y, up, base = geom.source.numbers(asset, asset.attributes, "size", 4) or [0.0] * 4
            kind, sizes = "box", [x, y, 0.25 * up + 0.5 * base]
        if kind not in _SIZES:
            geom.report(f"{geom.label} has a type whose body is not computed: {kind!r}", kind)
            return None
        if any(size <= 0 for size in sizes[: _SIZES[kind]]):
            used = " ".join(f"{size:g}" for size in sizes[: _SIZES[kind]])
            geom.report(f"size of {geom.label} is not positive: {used}", used)
            return None
        is_shell = geom.attributes.get("shellinertia", "false") == "true"
        volume, (xx, yy, zz) = (_shell_moments if is_shell else _solid_moments)(kind, sizes)
        return GeomSolid(volume, np.zeros(3), np.diag([yy + zz, xx + zz, xx + yy]))

    def _mesh(self, geom: MjcfGeom) -> MjcfMesh | None:
        """Return the mesh of a geom."""
        name, source = geom.attributes.get("mesh", ""), geom.source
        key = (id(source), name)
        if key not in self._meshes:
            self._meshes[key] = None
            if (asset := source.assets.get(("mesh", name))) is None:
                geom.report(f"mesh of {geom.label} is not defined: {name!r}", name, "MP874")
            else:
                found = Findings()
                self._meshes[key] = read_mesh_asset(source, asset, found)
                source.findings += [replace(one, place=source.place(asset), item=name) for one in found]
        elif self._meshes[key] is None:  # its fault is reported once
            return None
        return self._meshes[key]


_NOTHING = BodyArray.of([0.0], np.zeros((1, 3)), np.zeros((1, 6)))


def _solid_moments(kind: str, sizes: Sequence[float]) -> tuple[float, list[float]]:
    """Return the volume and the mean squares of x, y, z of a primitive."""
    a, b, c = sizes
    dims = {
        "sphere": {"r": a},
        "capsule": {"r": a, "L": 2 * b},
        "cylinder": {"r": a, "L": 2 * b},
        "ellipsoid": {"a": a, "b": b, "c": c},
        "box": {"a": 2 * a, "b": 2 * b, "c": 2 * c},
    }[kind]
    moments = SHAPES[kind].moments(dims)
    return float(moments.volume), [float(value) for value in moments.mean[:3]]


def _shell_moments(kind: str, sizes: Sequence[float]) -> tuple[float, list[float]]:
    """Return the area and the mean squares of x, y, z of the surface of a primitive, as MuJoCo computes them."""
    a, b, c = sizes
    if kind == "capsule":
        half, side, ends = b, 4 * math.pi * a * b, 4 * math.pi * a * a
        share = ends / (side + ends)
        xx = (1 - share) * a * a / 2 + share * a * a / 3
        zz = (1 - share) * half * half / 3 + share * (a * a / 12 + (half + a / 2) ** 2)
        return side + ends, [xx, xx, zz]
    if kind == "ellipsoid":  # Thomsen's area, and the moments of a solid that is a little larger minus its own
        p = _THOMSEN
        area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
        inner, outer = a * b * c, (a + _THIN) * (b + _THIN) * (c + _THIN)
        means = [(outer * (s + _THIN) ** 2 - inner * s * s) / (5 * (outer - inner)) for s in (a, b, c)]
        return area, means
    name, dims = {
        "sphere": ("sphere shell", {"r": a}),
        "cylinder": ("closed cylinder shell", {"r": a, "L": 2 * b}),
        "box": ("box shell", {"a": 2 * a, "b": 2 * b, "c": 2 * c}),
    }[kind]
    moments = SHAPES[name].moments(dims)
    return float(moments.volume), [float(value) for value in moments.mean[:3]]


def geom_shape(geom: MjcfGeom) -> CollisionShape | None:
    """Return a geom as the collision of a link, in the frame of its body; None of planes and unusual meshes."""
    kind, (pose, sizes) = geom.kind, geom.pose_and_sizes()
    matrix, file, scale = geom.frame @ pose, "", [1.0] * 3
    used = [size * (2.0 if kind == "box" or k else 1.0) for k, size in enumerate(sizes[: _SIZES.get(kind, 0)])]
    if kind == "ellipsoid":
        used = sizes
    if (asset := geom.source.assets.get(("mesh", geom.attributes.get("mesh", "")))) is not None:
        attributes = geom.source.attributes(asset, MAIN)
        path, _ = geom.source.asset_file(asset) if "file" in attributes else (None, "")
        if kind != "mesh" or path is None or "refpos" in attributes or "refquat" in attributes:
            return None
        file, scale = str(path), geom.source.numbers(asset, attributes, "scale", 3) or scale
    elif kind not in _SIZES or any(size <= 0 for size in used):
        return None
    x, y, z = matrix[:3, 3].tolist()
    return CollisionShape(
        kind, tuple(used), (x, y, z), roll_pitch_yaw(matrix[:3, :3]), file, (scale[0], scale[1], scale[2])
    )
