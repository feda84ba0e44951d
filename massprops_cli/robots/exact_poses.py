"""Poses with exact positions and rational attitudes, of what robots state as decimals in radians.

An angle is a multiple of a quarter turn and a remainder r; a rational tangent of r/2 gives a rational rotation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from massprops_cli.mechanisms import model

if TYPE_CHECKING:
    from massprops_cli.robots.robot_model import InertialTexts, Texts

_PI = Fraction("3.141592653589793238462643383279502884197169399375105820974944592307816406286209")
_DIGITS = 60  # of the tangent of half an angle
_SURE_DIGITS = 5  # significant digits from which on an angle that rounds a quarter turn is one
_DOUBLE_ROUNDING = Fraction(4, 10**15)  # an angle computed in double precision is this near to its quarter turn
_NOISE = Fraction(1, 10**6)  # below this distance from a quarter turn an angle is a question
_COARSEST = Fraction(5, 100)  # an angle without decimals is not a rounded quarter turn
_WIDEST = Fraction(5, 10**5)  # an angle is not changed by more, in radians, however few digits it has
_AS_WRITTEN = Fraction(1, 10**12)  # how far an angle that is not rounded may be changed
_DOUBLE = Fraction(1, 10**18)  # how far an angle may be changed for computations in double precision
_Quaternion = tuple[int, int, int, int]


class AngleKind(Enum):
    """How a decimal angle is related to the multiples of a quarter turn."""

    OTHER = "other"
    EXACT = "exact"
    ROUNDED = "rounded"
    QUESTION = "question"


def _rational_angle(
    text: str, snap: bool | None = None, digits: model.RotationDigits = "simple"
) -> tuple[int, int, AngleKind]:
    """Return the rational rotation of a decimal angle in radians; a question is answered by the angle as written."""
    # real and imaginary part of its quaternion, without a common divisor, and how its angle was read
    written = Decimal(text)
    angle = Fraction(written)
    half_unit = Fraction(10) ** int(written.as_tuple().exponent) / 2
    quarters = round(angle / (_PI / 2))
    rest = angle - quarters * _PI / 2
    # a quarter turn within half a unit of the last of five or more digits, or within double rounding, is rounded;
    # with fewer digits, or within 1e-6 rad, it is a question: 1.5708 is a quarter turn, 1.57 a question
    kind = _kind(angle, rest, half_unit, len(str(abs(int(written.scaleb(-int(written.as_tuple().exponent)))))))
    reach = min(half_unit, _WIDEST if kind is AngleKind.OTHER else _AS_WRITTEN)
    if digits == "double":
        reach, snap = _DOUBLE, abs(rest) <= _DOUBLE_ROUNDING
    elif digits == "precise" and kind is AngleKind.OTHER:
        reach = _DOUBLE
    snaps = kind is AngleKind.ROUNDED if snap is None else snap and kind is not AngleKind.OTHER
    if snaps or kind is AngleKind.EXACT:
        tangent = Fraction(0)
    else:
        tangent = model.simplest_fraction(_half_tangent(rest - reach), _half_tangent(rest + reach))
    real, imaginary = tangent.denominator, tangent.numerator
    for _ in range(quarters % 8):
        real, imaginary = real - imaginary, real + imaginary
    divisor = math.gcd(real, imaginary)
    return real // divisor, imaginary // divisor, kind


def _kind(angle: Fraction, rest: Fraction, half_unit: Fraction, digits: int) -> AngleKind:
    """Return how an angle is related to its nearest multiple of a quarter turn."""
    if not angle:
        return AngleKind.EXACT
    if abs(rest) <= _DOUBLE_ROUNDING or (abs(rest) <= half_unit and digits >= _SURE_DIGITS):
        return AngleKind.ROUNDED
    return AngleKind.QUESTION if abs(rest) <= max(min(half_unit, _COARSEST), _NOISE) else AngleKind.OTHER


def _half_tangent(angle: Fraction) -> Fraction:
    """Return the tangent of half an angle of at most an eighth of a turn, to 60 digits."""
    with localcontext(prec=_DIGITS + 10):
        half = Decimal(angle.numerator) / Decimal(angle.denominator) / 2
        sine, cosine, term, order = Decimal(0), Decimal(1), half, 1
        while abs(term) > Decimal(10) ** -_DIGITS:
            if order % 2:
                sine += term
            else:
                cosine += term
            order += 1
            # the signs of sine and cosine alternate in pairs: + - - +
            term = term * half / order * (-1 if order % 2 == 0 else 1)
        return Fraction(sine / cosine)


@dataclass(frozen=True)
class ExactPose:
    """A position, and an attitude as a quaternion of whole numbers without a common divisor (w, x, y, z)."""

    position: model.Vector = model.ZERO_VECTOR
    quaternion: _Quaternion = (1, 0, 0, 0)

    @cached_property
    def rotation(self) -> model.Matrix:
        """The rotation matrix, exactly orthogonal."""
        return model.quaternion_matrix(self.quaternion)

    def __matmul__(self, other: ExactPose) -> ExactPose:
        """Return the pose of what has the pose ``other`` in this frame."""
        position = model.vector_sum(self.position, model.rotated_vector(self.rotation, other.position))
        return ExactPose(position, _reduced(_product(self.quaternion, other.quaternion)))

    def inverse(self) -> ExactPose:
        """Return the pose of the reference in this frame."""
        w, x, y, z = self.quaternion
        back = model.rotated_vector(model.transposed_matrix(self.rotation), self.position)
        return ExactPose((-back[0], -back[1], -back[2]), (w, -x, -y, -z))


@dataclass
class AngleReader:
    """Reader of angles in radians; ``found`` has those near multiples of a quarter turn, as text, by their kind."""

    snap: bool | None
    digits: model.RotationDigits
    found: dict[AngleKind, list[tuple[str, str]]] = field(default_factory=dict)

    def pose(self, item: str, origin: Texts) -> ExactPose:
        """Return a stated pose."""
        turn: _Quaternion = (1, 0, 0, 0)
        for place, text in enumerate(origin[3:], 1):
            real, imaginary, kind = _rational_angle(text, self.snap, self.digits)
            if item and self.digits != "double" and kind in (AngleKind.ROUNDED, AngleKind.QUESTION):
                self.found.setdefault(kind, []).append((item, text))
            one = [real, 0, 0, 0]
            one[place] = imaginary
            turn = _product((one[0], one[1], one[2], one[3]), turn)
        return ExactPose(exact_vector(origin[:3]), _reduced(turn))


def exact_vector(texts: Sequence[str]) -> model.Vector:
    """Return three exact numbers."""
    x, y, z = (Fraction(text) for text in texts)
    return x, y, z


def exact_body(name: str, pose: ExactPose, inertial: InertialTexts | None, angles: AngleReader) -> model.MechanismBody:
    """Return the body of a link."""
    w, x, y, z = (Fraction(value) for value in pose.quaternion)
    if inertial is None:
        return model.MechanismBody(name, pose.position, (w, x, y, z))
    # inertia of a link about its centre of mass, in the axes of the link
    xx, yy, zz, xy, xz, yz = (Fraction(text) if text else Fraction(0) for text in inertial.tensor)
    turn = angles.pose("", inertial.pose).rotation
    turned = model.matrix_product(turn, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    own = model.matrix_product(turned, model.transposed_matrix(turn))
    tensor = own[0][0], own[1][1], own[2][2], own[0][1], own[0][2], own[1][2]
    mass, center = Fraction(inertial.mass) if inertial.mass else None, exact_vector(inertial.pose[:3])
    return model.MechanismBody(name, pose.position, (w, x, y, z), mass, center, tensor)


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
