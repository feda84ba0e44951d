"""A model of SDF as a robot of links and joints, and its joints that move no mass."""

from __future__ import annotations

from collections.abc import Mapping

from massprops_cli.bodies.rotations import roll_pitch_yaw
from massprops_cli.robots.robot_model import FIXED, CollisionShape, InertialTexts, OriginTexts, RobotLink, RobotModel
from massprops_cli.robots.sdf.sdf_model import SdfCollision, SdfFrame, SdfModel
from massprops_cli.robots.sdf.sdf_table import SdfBody, SdfTable

_SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "ellipsoid": ("radii",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "cone": ("radius", "length"),
    "mesh": (),
}
"""Shape → elements with its dimensions."""


def sdf_robot(table: SdfTable) -> RobotModel:
    """Return the links of an SDF file that state a mass and a tensor, or whose inertial was computed."""
    links = {}
    for one in table.bodies:
        is_counted = table.text(one.row, 2) == "1" and bool(table.text(one.row, 3))
        if is_counted and not one.is_default:
            id = table.text(one.row, 1)
            file = one.model.file.name
            links[id] = RobotLink(id, one.link.line, table_inertial(table, one), _collisions(table, one), file)
    return RobotModel(table.text(1, 0), links, [], "")


def table_inertial(table: SdfTable, one: SdfBody) -> InertialTexts:
    """Return the inertial of a link as the table has it: stated, computed, or the default of the format."""
    texts = [table.text(one.row, j) for j in range(20)]
    origin = OriginTexts((texts[14], texts[15], texts[16]), (texts[17], texts[18], texts[19]))
    if not texts[14]:
        origin = OriginTexts((texts[4], texts[5], texts[6]))
    return InertialTexts(one.inertial_line, origin, texts[3], tuple(texts[7:13]))


def _collisions(table: SdfTable, one: SdfBody) -> tuple[CollisionShape, ...]:
    """Return the collisions of a link; none if one of them has no known volume."""
    known = [shape for collision in one.link.collisions if (shape := _shape(table, one, collision)) is not None]
    return tuple(known) if len(known) == len(one.link.collisions) else ()


def _shape(table: SdfTable, one: SdfBody, collision: SdfCollision) -> CollisionShape | None:
    """Return a collision in the frame of its link; None without a known shape."""
    geometry = collision.geometry
    if geometry is None or geometry.kind not in _SIZES or geometry.submesh:
        return None
    sizes = tuple(float(text) for name in _SIZES[geometry.kind] for text in geometry.dims[name])
    file = ""
    if geometry.kind == "mesh":
        path, _ = table.folders.find(geometry.uri, one.model.file.folder)
        if path is None:
            return None
        file = str(path)
    if any(size <= 0 for size in sizes):
        return None
    matrix = table.poses.in_link(one.model, one.link, collision.pose)
    x, y, z = matrix[:3, 3].tolist()
    a, b, c = (float(text) for text in geometry.scale)
    return CollisionShape(geometry.kind, sizes, (x, y, z), roll_pitch_yaw(matrix[:3, :3]), file, (a, b, c))


def massless_joints(table: SdfTable) -> list[tuple[SdfModel, SdfFrame, str]]:
    """Return the moving joints whose child link, with all that is fixed to it, has the mass 0: model, joint, child."""
    models: dict[int, SdfModel] = {}
    ids: dict[int, dict[str, str]] = {}
    heavy: dict[int, set[str]] = {}
    for one in table.bodies:
        key = id(one.model)
        models[key] = one.model
        ids.setdefault(key, {})[one.link.name] = table.text(one.row, 1)
        mass = table.text(one.row, 3)
        if one.is_auto or not mass or float(mass) != 0:
            heavy.setdefault(key, set()).add(one.link.name)
    return [
        (model, joint, ids[key][joint.joined[1]])
        for key, model in models.items()
        if not model.is_static
        for joint in _joints_without_mass(model, ids[key], heavy.get(key, set()))
        if joint.joined is not None
    ]


def _joints_without_mass(model: SdfModel, ids: Mapping[str, str], heavy: set[str]) -> list[SdfFrame]:
    """Return the moving joints of a model whose child is in a group of fixed links without mass."""
    joints = [frame for frame in model.frames.values() if frame.joined is not None]
    group = {name: name for name in model.links}

    def head(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    with_mass = set(heavy)
    for joint in joints:
        parent, child = joint.joined or ("", "")
        if joint.kind != FIXED:
            continue
        if parent in group and child in group:
            group[head(child)] = head(parent)
        else:  # fixed to a nested model or to the world
            with_mass |= {parent, child}
    groups = {head(name) for name in with_mass if name in group}
    moving = [joint for joint in joints if joint.kind != FIXED and joint.joined and joint.joined[1] in ids]
    return [joint for joint in moving if joint.joined and head(joint.joined[1]) not in groups]
