"""A mechanism: bodies at an assembled pose, joints between them, and gravity; all numbers are exact.

Ten parameters of a body, about origin, axes of its frame: mass, first moments, tensor entries (minus the integral xy).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from massprops_cli.bodies.rotations import quaternion_rows
from massprops_cli.findings.finding import nearest_name_hint
from massprops_cli.options import RobotBase

Vector = tuple[Any, Any, Any]  # three numbers: fractions, or elements of another field where dimensions are symbols
Matrix = tuple[Vector, Vector, Vector]
GROUND = -1  # index of the ground in place of that of a body
QUANTITIES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The ten parameters of a body, in the order of all arrays of this room."""
JOINT_KINDS = {"R": 1, "P": 1, "helical": 1, "C": 2, "U": 2, "S": 3, "planar": 3, "fixed": 0, "free": 6}
"""Joint type → its degrees of freedom."""
AXIS_KINDS = ("R", "P", "helical", "C", "U", "planar")
"""Joint types with an axis; that of a planar joint is the normal of its plane."""
JOINT_TERMS = ("viscous", "coulomb", "spring")  # constitutive parameters that the force of a joint has linearly
JOINT_DYNAMICS = ("armature", "viscous", "coulomb")
"""Rotor inertia and friction of a joint, which an identification compares with motions."""
ZERO_VECTOR: Vector = (Fraction(0), Fraction(0), Fraction(0))
IDENTITY: Matrix = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?(\s*/\s*\d+)?", re.ASCII)  # -1.5e3, 1/3
_LONGEST_EXPRESSION = 400  # characters
_LONGEST_NUMBER = 4000  # characters
_LARGEST_POWER = 8  # exponent in an expression
_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


RotationDigits = Literal["simple", "precise", "double"]


@dataclass(frozen=True)
class RobotReading:
    """What a robot description does not state: gravity, the joint of its root, and what angles near 90° mean."""

    gravity: tuple[str, str, str] | None = None
    """Acceleration in ground axes; None: that of the file, and for a robot 0, 0, -9.81."""
    base: RobotBase = "fixed"
    assemble: bool = False  # whether the pose of a file is approximate, and joints may be open at it
    snap: bool | None = None
    """Whether angles near multiples of 90° are these multiples; None: where their digits show it."""
    rotations: RotationDigits = "simple"
    """Rational rotations: simple, with the digits of doubles, or such but for quarter turns, as digits show them."""


AS_STATED = RobotReading()  # gravity of the file, a fixed base, angles by their digits


class SingularPoseError(Exception):
    """The pose suggests motion that the loops do not have; ``joints``: each that opens, and the power of time."""

    def __init__(self, joints: dict[str, int]) -> None:
        super().__init__()
        self.joints = joints


@dataclass(frozen=True)
class MechanismBody:
    """A body at the assembled pose: the position of its origin and an unnormalised quaternion, body to ground."""

    name: str
    position: Vector
    quaternion: tuple[Fraction, Fraction, Fraction, Fraction]
    mass: Any = None  # None if the file does not state it
    center: Vector = (Fraction(0), Fraction(0), Fraction(0))  # centre of mass in the frame of the body
    inertia: tuple[Any, Any, Any, Any, Any, Any] = (Fraction(0),) * 6
    """Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass, axes of the body, products as tensor entries."""

    @cached_property
    def rotation(self) -> Matrix:
        """The rotation matrix from body axes to ground axes, exactly orthogonal."""
        return quaternion_matrix(self.quaternion)


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies, given by their indices; points and axes are in the frame of each body."""

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[Vector, Vector]
    axes: tuple[Vector, Vector]
    pitch: Any = Fraction(0)  # advance of a helical joint in lengths a radian
    terms: tuple[str, ...] = ()  # constitutive parameters: of ``JOINT_TERMS``
    limits: tuple[float, float] | None = None  # lowest and highest coordinate of a joint of a robot
    dynamics: tuple[tuple[str, Any], ...] = ()  # of ``JOINT_DYNAMICS``, as the file states them, SI units


@dataclass(frozen=True)
class Mechanism:
    """Bodies, joints and gravity; ``symbols`` has the joint points as expressions in the dimensions, if stated so."""

    name: str
    bodies: tuple[MechanismBody, ...]
    joints: tuple[Joint, ...]
    gravity: Vector
    document: Any = None  # the content of the file, from which symbolic dimensions are read again
    is_approximate: bool = False  # whether the pose only approximates that which closes all joints
    other_reading: Mechanism | None = None
    """The mechanism if angles near multiples of 90° have another meaning, with a third one in it; None without them."""
    other_option: str = ""  # the option that selects the other reading

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters: ``mx1`` for body 1, ``mx_arm`` for the body arm."""
        return tuple(
            f"{quantity}{'' if body.name[:1].isdigit() else '_'}{body.name}"
            for body in self.bodies
            for quantity in QUANTITIES
        )

    @property
    def loops(self) -> int:
        """The number of independent loops of a connected mechanism."""
        return len(self.joints) - len(self.bodies)

    def pose(self, body: int) -> tuple[Vector, Matrix]:
        """Return the position and the rotation matrix of a body.

        Parameters
        ----------
        body : int
            Index of the body, or GROUND.

        Returns
        -------
        position : Vector
            Origin of the body in ground axes.
        rotation : Matrix
            From body axes to ground axes.
        """
        return (ZERO_VECTOR, IDENTITY) if body == GROUND else (self.bodies[body].position, self.bodies[body].rotation)


def fixed_groups(mechanism: Mechanism) -> dict[int, int]:
    """Return the least of the bodies, the ground included, that fixed joints join to each body."""
    group = {body: body for body in range(GROUND, len(mechanism.bodies))}
    for joint in mechanism.joints:
        if joint.kind == "fixed":
            low, high = sorted(group[body] for body in joint.bodies)
            group = {body: low if one == high else one for body, one in group.items()}
    return group


def quaternion_matrix(quaternion: tuple[Any, Any, Any, Any]) -> Matrix:
    """Return the rotation matrix of an unnormalised quaternion."""
    w, x, y, z = (Fraction(value) for value in quaternion)
    return quaternion_rows(w, x, y, z, 2 / (w * w + x * x + y * y + z * z))


def dot_product(a: Vector, b: Vector) -> Any:
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross_product(a: Vector, b: Vector) -> Vector:
    """Return the vector product of two vectors."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def vector_sum(a: Vector, b: Vector, factor: Any = 1) -> Vector:
    """Return the first vector plus a multiple of the second."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


def rotated_vector(rotation: Matrix, vector: Vector) -> Vector:
    """Return a matrix times a vector."""
    first, second, third = (dot_product(row, vector) for row in rotation)
    return first, second, third


def transposed_matrix(matrix: Matrix) -> Matrix:
    """Return the transpose of a matrix."""
    first, second, third = zip(*matrix, strict=True)
    return first, second, third


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices."""
    first, second, third = (rotated_vector(transposed_matrix(b), row) for row in a)
    return first, second, third


def perpendicular_vectors(axis: Vector) -> tuple[Vector, Vector]:
    """Return two vectors perpendicular to an axis and to each other, rational in its components."""
    least = min(range(3), key=lambda index: abs(axis[index]))
    first = cross_product(axis, IDENTITY[least])
    return first, cross_product(axis, first)


def simplest_fraction(least: Fraction, most: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator in an interval."""
    if least <= 0 <= most:
        return Fraction(0)
    if most < 0:
        return -simplest_fraction(-most, -least)
    if (whole := least.numerator // least.denominator) == least:
        return Fraction(whole)
    if whole + 1 <= most:
        return Fraction(whole + 1)
    return whole + 1 / simplest_fraction(1 / (most - whole), 1 / (least - whole))


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the tree from its parent to its child body; vectors are in ground axes at the assembled pose.

    The child's point moves in the parent from ``parent_arm``, and is at ``child_arm`` from the child's origin.
    """

    kind: str
    parent: int
    child: int
    first: int  # index of its first coordinate
    axis: Vector
    child_axis: Vector
    pitch: Any
    parent_arm: Vector
    child_arm: Vector
    slides: tuple[Vector, ...]  # the directions of its translations
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

    bodies: int  # number of bodies, with the auxiliary ones of helical loop joints
    joints: list[TreeJoint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    coordinates: int = 0

    def converted(
        self,
        number: Callable[[Any], Any],
        length: Callable[[Any], Any] | None = None,
        direction: Callable[[Vector], Vector] | None = None,
    ) -> SpanningTree:
        """Return the tree with all numbers converted, for instance to residues; by default alike, whatever they are."""
        scaled = length or number

        def vector(given: Vector, convert: Callable[[Any], Any] = number) -> Vector:
            return convert(given[0]), convert(given[1]), convert(given[2])

        turned = direction or vector
        joints = [
            replace(
                joint,
                axis=turned(joint.axis),
                child_axis=turned(joint.child_axis),
                pitch=scaled(joint.pitch),
                parent_arm=vector(joint.parent_arm, scaled),
                child_arm=vector(joint.child_arm, scaled),
                slides=tuple(map(turned, joint.slides)),
            )
            for joint in self.joints
        ]
        loops = [
            replace(
                loop,
                arms=(vector(loop.arms[0], scaled), vector(loop.arms[1], scaled)),
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
        for joint, side in neighbours.get(open_bodies.pop(0), ()):
            if (child := joint.bodies[1 - side]) not in seen:
                seen.add(child)
                open_bodies.append(child)
                _add_tree_joint(tree, mechanism, joint, side, child)


def _add_tree_joint(tree: SpanningTree, mechanism: Mechanism, joint: Joint, side: int, child: int) -> None:
    """Add one joint, whose parent is its body number ``side``."""
    parent = joint.bodies[side]
    point = joint_point(mechanism, joint, 1 - side)
    axis, child_axis = (joint_axis(mechanism, joint, one) for one in (side, 1 - side))
    own, other = (vector_sum(point, mechanism.pose(body)[0], -1) for body in (parent, joint.bodies[1 - side]))
    slides, first = joint_slides(joint.kind, axis), tree.coordinates
    added = TreeJoint(joint.kind, parent, child, first, axis, child_axis, joint.pitch, own, other, slides, joint.name)
    tree.joints.append(added)
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


def evaluate_expression(text: str, values: Mapping[str, Any], number: Callable[[str], Any]) -> Any:
    """Evaluate a number, or an expression of numbers, names, + - * / ** and parentheses."""
    text = text.strip()
    if len(text) > _LONGEST_NUMBER or (len(text) > _LONGEST_EXPRESSION and not _NUMBER.fullmatch(text)):
        raise ValueError(f"more than {_LONGEST_EXPRESSION} characters")
    if _NUMBER.fullmatch(text):
        top, _, bottom = text.partition("/")
        return number(top.strip()) / number(bottom.strip()) if bottom else number(top)
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("not a number or an expression") from None
    return _value(tree, text, values, number)


def _value(node: ast.expr, text: str, values: Mapping[str, Any], number: Callable[[str], Any]) -> Any:
    """Return the value of a part of an expression."""
    if isinstance(node, ast.Constant):
        digits = ast.get_source_segment(text, node) or ""
        if _NUMBER.fullmatch(digits):
            return number(digits)
    elif isinstance(node, ast.Name):
        if node.id in values:
            return values[node.id]
        raise ValueError(f"unknown dimension {node.id}{nearest_name_hint(node.id, list(values))}")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand, text, values, number)
        return value if isinstance(node.op, ast.UAdd) else -value
    elif isinstance(node, ast.BinOp):
        left = _value(node.left, text, values, number)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
            power = node.right.value
            if any(isinstance(inner, ast.Pow) for inner in ast.walk(node.left)):
                raise ValueError("power of a power")
            if isinstance(power, int) and 0 <= power <= _LARGEST_POWER:
                return left**power
        elif type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](left, _value(node.right, text, values, number))
    raise ValueError("not a number or an expression of + - * / ** and dimensions")
