"""The spanning tree of a mechanism, its coordinates, and the closure equations of the joints outside the tree.

Every body has an internal frame with the origin of its own frame, parallel to the ground axes at the assembled pose, so
that all rotations start as the identity and all axes and arms are constants in ground axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from massprops_cli.mechanisms.model import (
    GROUND,
    IDENTITY,
    JOINT_KINDS,
    Joint,
    Mechanism,
    Vector,
    perpendicular_vectors,
    rotated_vector,
    vector_sum,
)


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the tree from its parent to its child body; vectors are in ground axes at the assembled pose.

    The child's point moves in the parent from ``parent_arm``, and is at ``child_arm`` from the child's origin.
    """

    kind: str
    parent: int
    child: int
    first: int
    """Index of its first coordinate."""
    axis: Vector
    child_axis: Vector
    pitch: Any
    parent_arm: Vector
    child_arm: Vector
    slides: tuple[Vector, ...]
    """The directions of its translations."""
    name: str = ""

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The indices of its coordinates: translations first, then rotations."""
        return tuple(range(self.first, self.first + JOINT_KINDS[self.kind]))


@dataclass(frozen=True)
class LoopJoint:
    """A joint outside the tree: what remains constant between its two bodies."""

    bodies: tuple[int, int]
    arms: tuple[Vector, Vector]
    is_point: bool
    perpendicular: tuple[tuple[Vector, Vector], ...]
    """Vectors of the first and second body that remain perpendicular, up to a constant that vanishes at the pose."""
    slides: tuple[Vector, ...]  # directions of the first body without translation
    name: str = ""


@dataclass
class SpanningTree:
    """The tree joints in an order in which parents are first, and the loop joints."""

    bodies: int
    """Number of bodies, with the auxiliary ones of helical loop joints."""
    joints: list[TreeJoint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    coordinates: int = 0

    def converted(self, convert: Callable[[Any], Any]) -> SpanningTree:
        """Return the tree with all numbers converted, for instance to residues."""

        def vector(given: Vector) -> Vector:
            return convert(given[0]), convert(given[1]), convert(given[2])

        joints = [
            replace(
                joint,
                axis=vector(joint.axis),
                child_axis=vector(joint.child_axis),
                pitch=convert(joint.pitch),
                parent_arm=vector(joint.parent_arm),
                child_arm=vector(joint.child_arm),
                slides=tuple(map(vector, joint.slides)),
            )
            for joint in self.joints
        ]
        loops = [
            replace(
                loop,
                arms=(vector(loop.arms[0]), vector(loop.arms[1])),
                perpendicular=tuple((vector(one), vector(other)) for one, other in loop.perpendicular),
                slides=tuple(map(vector, loop.slides)),
            )
            for loop in self.loops
        ]
        return SpanningTree(self.bodies, joints, loops, self.coordinates)

    def path(self, body: int) -> dict[int, int]:
        """Return the coordinates between the ground and a body."""
        by_child = {joint.child: joint for joint in self.joints}
        found: dict[int, int] = {}
        while body != GROUND:
            joint = by_child[body]
            found |= dict.fromkeys(joint.coordinates, 1)
            body = joint.parent
        return found


def spanning_tree(mechanism: Mechanism, with_coordinates: Sequence[str] = ()) -> SpanningTree:
    """Choose the tree of a connected mechanism: joints with few degrees of freedom first, so that few are unknown."""
    order = sorted(
        mechanism.joints,
        key=lambda joint: (joint.name not in with_coordinates, joint.kind != "helical", JOINT_KINDS[joint.kind]),
    )
    group = {index: index for index in range(-1, len(mechanism.bodies))}

    def root(body: int) -> int:
        while group[body] != body:
            body = group[body]
        return body

    chosen, cut = [], []
    for joint in order:
        first, second = (root(body) for body in joint.bodies)
        if first == second:
            cut.append(joint)
        else:
            group[second] = first
            chosen.append(joint)
    tree = SpanningTree(len(mechanism.bodies))
    _add_tree_joints(tree, mechanism, chosen)
    for joint in cut:
        has_coordinates = joint.kind == "helical" or joint.name in with_coordinates
        add_loop_joint(tree, mechanism, joint, has_coordinates=has_coordinates)
    return tree


def _add_tree_joints(tree: SpanningTree, mechanism: Mechanism, chosen: list[Joint]) -> None:
    """Order the tree joints from the ground outwards."""
    neighbours: dict[int, list[tuple[Joint, int]]] = {}
    for joint in chosen:
        for side in (0, 1):
            neighbours.setdefault(joint.bodies[side], []).append((joint, side))
    open_bodies, seen = [GROUND], {GROUND}
    while open_bodies:
        parent = open_bodies.pop(0)
        for joint, side in neighbours.get(parent, ()):
            child = joint.bodies[1 - side]
            if child not in seen:
                seen.add(child)
                open_bodies.append(child)
                _add_tree_joint(tree, mechanism, joint, side, child)


def _add_tree_joint(tree: SpanningTree, mechanism: Mechanism, joint: Joint, side: int, child: int) -> None:
    """Add one joint, whose parent is its body number ``side``."""
    parent = joint.bodies[side]
    point = joint_point(mechanism, joint, 1 - side)
    origin = mechanism.pose(joint.bodies[1 - side])[0]
    tree.joints.append(
        TreeJoint(
            joint.kind,
            parent,
            child,
            tree.coordinates,
            joint_axis(mechanism, joint, side),
            joint_axis(mechanism, joint, 1 - side),
            joint.pitch,
            vector_sum(point, mechanism.pose(parent)[0], -1),
            vector_sum(point, origin, -1),
            joint_slides(joint.kind, joint_axis(mechanism, joint, side)),
            joint.name,
        )
    )
    tree.coordinates += JOINT_KINDS[joint.kind]


def joint_slides(kind: str, axis: Vector) -> tuple[Vector, ...]:
    """Return the directions of the translations of a joint."""
    if kind in ("P", "C"):
        return (axis,)
    if kind == "planar":
        return perpendicular_vectors(axis)
    return tuple(IDENTITY) if kind == "free" else ()


def joint_point(mechanism: Mechanism, joint: Joint, side: int) -> Vector:
    """Return the point of a joint on one of its bodies, in ground axes at the pose."""
    position, rotation = mechanism.pose(joint.bodies[side])
    return vector_sum(position, rotated_vector(rotation, joint.points[side]))


def joint_axis(mechanism: Mechanism, joint: Joint, side: int) -> Vector:
    """Return the axis of a joint on one of its bodies, in ground axes at the pose."""
    return rotated_vector(mechanism.pose(joint.bodies[side])[1], joint.axes[side])


def add_loop_joint(tree: SpanningTree, mechanism: Mechanism, joint: Joint, *, has_coordinates: bool) -> None:
    """Add the closure of a joint; one with coordinates gets an auxiliary body that is fixed to its second body."""
    first, second = joint.bodies
    points = [joint_point(mechanism, joint, side) for side in (0, 1)]
    axis, other = (joint_axis(mechanism, joint, side) for side in (0, 1))
    if has_coordinates:
        _add_tree_joint(tree, mechanism, joint, 0, tree.bodies)
        first, tree.bodies = tree.bodies, tree.bodies + 1
        points[0] = points[1]
        # the auxiliary body has the origin of the second body
        origins = [mechanism.pose(second)[0]] * 2
    else:
        origins = [mechanism.pose(body)[0] for body in (first, second)]
    if joint.kind == "fixed":
        points[1] = points[0]
    arms = (vector_sum(points[0], origins[0], -1), vector_sum(points[1], origins[1], -1))
    kind = "fixed" if has_coordinates else joint.kind
    perpendicular: tuple[tuple[Vector, Vector], ...] = ()
    slides: tuple[Vector, ...] = ()
    if kind in ("R", "C", "planar"):
        perpendicular = tuple((one, other) for one in perpendicular_vectors(axis))
    elif kind == "U":
        perpendicular = ((axis, other),)
    elif kind in ("P", "fixed"):
        perpendicular = tuple((IDENTITY[i], IDENTITY[(i + 1) % 3]) for i in range(3))
    if kind in ("P", "C"):
        slides = perpendicular_vectors(axis)
    elif kind == "planar":
        slides = (axis,)
    is_point = kind in ("R", "S", "U", "fixed")
    if kind != "free":
        tree.loops.append(LoopJoint((first, second), arms, is_point, perpendicular, slides, joint.name))
