"""Poses with exact positions and rational attitudes, as robots state them in decimals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from massprops_cli.mechanisms.model import (
    ZERO_VECTOR,
    Matrix,
    MechanismBody,
    Vector,
    quaternion_matrix,
    rotated_vector,
    transposed_matrix,
    vector_sum,
)
from massprops_cli.mechanisms.robots.decimal_angles import AngleKind, rational_angle

if TYPE_CHECKING:
    from massprops_cli.robots.robot_model import InertialTexts, OriginTexts

_Quaternion = tuple[int, int, int, int]
_Tensor = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class ExactPose:
    """A position, and an attitude as a quaternion of whole numbers without a common divisor (w, x, y, z)."""

    position: Vector = ZERO_VECTOR
    quaternion: _Quaternion = (1, 0, 0, 0)

    @cached_property
    def rotation(self) -> Matrix:
        """The rotation matrix, exactly orthogonal."""
        return quaternion_matrix(self.quaternion)

    def __matmul__(self, other: ExactPose) -> ExactPose:
        """Return the pose of what has the pose ``other`` in this frame."""
        position = vector_sum(self.position, rotated_vector(self.rotation, other.position))
        return ExactPose(position, _reduced(_product(self.quaternion, other.quaternion)))

    def inverse(self) -> ExactPose:
        """Return the pose of the reference in this frame."""
        w, x, y, z = self.quaternion
        back = rotated_vector(transposed_matrix(self.rotation), self.position)
        return ExactPose((-back[0], -back[1], -back[2]), (w, -x, -y, -z))


@dataclass
class AngleReader:
    """Reader of angles in radians; ``found`` has those near multiples of a quarter turn, as text, by their kind."""

    snap: bool | None
    is_double: bool
    found: dict[AngleKind, list[tuple[str, str]]] = field(default_factory=dict)

    def pose(self, item: str, origin: OriginTexts) -> ExactPose:
        """Return a stated pose."""
        turn: _Quaternion = (1, 0, 0, 0)
        for place, text in enumerate(origin.rpy, 1):
            angle = rational_angle(text, self.snap, is_double=self.is_double)
            if item and not self.is_double and angle.kind in (AngleKind.ROUNDED, AngleKind.QUESTION):
                self.found.setdefault(angle.kind, []).append((item, text))
            one = [angle.real, 0, 0, 0]
            one[place] = angle.imaginary
            turn = _product((one[0], one[1], one[2], one[3]), turn)
        return ExactPose(exact_vector(origin.xyz), _reduced(turn))


def exact_vector(texts: Sequence[str]) -> Vector:
    """Return three exact numbers."""
    x, y, z = (Fraction(text) for text in texts)
    return x, y, z


def exact_body(name: str, pose: ExactPose, inertial: InertialTexts | None, angles: AngleReader) -> MechanismBody:
    """Return the body of a link."""
    w, x, y, z = (Fraction(value) for value in pose.quaternion)
    if inertial is None:
        return MechanismBody(name, pose.position, (w, x, y, z))
    mass = Fraction(inertial.mass) if inertial.mass else None
    center = exact_vector(inertial.pose.xyz)
    return MechanismBody(name, pose.position, (w, x, y, z), mass, center, _tensor(inertial, angles))


def _tensor(inertial: InertialTexts, angles: AngleReader) -> _Tensor:
    """Return the inertia of a link about its centre of mass, in the axes of the link."""
    xx, yy, zz, xy, xz, yz = (Fraction(text) if text else Fraction(0) for text in inertial.tensor)
    turn = angles.pose("", inertial.pose).rotation
    rows = [rotated_vector(turn, row) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
    own = [rotated_vector(turn, column) for column in transposed_matrix((rows[0], rows[1], rows[2]))]
    return own[0][0], own[1][1], own[2][2], own[0][1], own[0][2], own[1][2]


def _product(a: _Quaternion, b: _Quaternion) -> _Quaternion:
    """Return the product of two quaternions: first b, then a."""
    w, x, y, z = a
    u, p, q, r = b
    return (
        w * u - x * p - y * q - z * r,
        w * p + x * u + y * r - z * q,
        w * q - x * r + y * u + z * p,
        w * r + x * q - y * p + z * u,
    )


def _reduced(quaternion: _Quaternion) -> _Quaternion:
    """Return a quaternion without common divisors."""
    divisor = math.gcd(*quaternion)
    w, x, y, z = (value // divisor for value in quaternion)
    return w, x, y, z
