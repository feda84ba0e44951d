"""Motions as texts: points and translations such as ``10,0,0 mm``, and rotations such as ``z 90 deg``."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.poses import Poses, axis_rotation
from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.units import unit_of_dimension

_MEASURED = re.compile(r"(?P<numbers>.*?)\s*(?P<unit>[A-Za-z][\w^*/]*)?\s*")  # lengths with a unit: 1,2,3 mm
_LARGEST_LENGTH = 1e300  # of a translation; sums of larger ones are not finite


def length_vector(text: str, label: str, length: str) -> NDArray[np.float64]:
    """Parse three lengths (3,), with or without a unit, into a unit of length, which is empty if none is stated."""
    match = _MEASURED.fullmatch(text)
    unit = match["unit"] if match is not None and match["unit"] else ""
    numbers = [read_number(part) for part in (text[: len(text.rstrip()) - len(unit)] if unit else text).split(",")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        raise UsageError(f"{label} is not a point: {text} (expected three numbers with commas, such as 0,0,1.5)")
    vector = np.array([float(number) for number in numbers if number is not None])
    if not np.isfinite(vector).all() or np.abs(vector).max() > _LARGEST_LENGTH:
        raise UsageError(f"{label} is not a length below {_LARGEST_LENGTH:g}: {text}")
    if not unit:
        return vector
    own = unit_of_dimension(length, (0, 1, 0)) if length else None
    if (given := unit_of_dimension(unit, (0, 1, 0))) is None:
        raise UsageError(f"unit of {label} is not a length: {unit}")
    if own is None:
        raise UsageError(f"{label} is in {unit}, and the table states no unit of length; write {label} without a unit")
    return np.asarray(vector * given.over(own))


def rotation_matrix(text: str, label: str) -> NDArray[np.float64]:
    """Parse a rotation (3, 3): an axis with an angle, three angles, or nine cosines."""
    expected = "expected 'z 90 deg', '0,0,90 deg' (roll, pitch, yaw), or nine cosines by rows"
    words = text.replace(",", " ").replace(";", " ").split()
    unit = words.pop() if words and words[-1] in ("deg", "rad") else ""
    axis = words.pop(0) if words and words[0].lstrip("+-") in ("x", "y", "z") else ""
    try:
        numbers = [float(word) for word in words]
        if not np.isfinite(numbers).all():
            raise ValueError
    except ValueError:
        raise UsageError(f"invalid {label}: {text} ({expected})") from None
    if axis and len(numbers) == 1:
        direction = axis_rotation(axis) @ np.array([0.0, 0.0, 1.0])
        if unit == "deg" and numbers[0] % 90 == 0:
            angles = np.where(np.abs(direction) > 0.5, direction * numbers[0], 0.0)
            return np.asarray(Poses.from_rpy(np.zeros((1, 3)), angles[None], "deg").rotation[0])
        turn = Poses.from_axis_angle(np.zeros((1, 3)), direction[None], numbers[0], _angle_unit(unit, text, label))
        return np.asarray(turn.rotation[0])
    if not axis and len(numbers) == 3:
        return np.asarray(
            Poses.from_rpy(np.zeros((1, 3)), np.array([numbers]), _angle_unit(unit, text, label)).rotation[0]
        )
    if not axis and not unit and len(numbers) == 9:
        matrix = np.array(numbers).reshape(3, 3)
        if np.linalg.det(matrix) < 0:
            raise UsageError(f"rotation matrix is left-handed: determinant {np.linalg.det(matrix):.6g}; use a mirror")
        return matrix
    raise UsageError(f"invalid {label}: {text} ({expected})")


def _angle_unit(unit: str, text: str, label: str) -> Literal["deg", "rad"]:
    """Return the unit of an angle; one that is not stated is an error."""
    if unit == "deg":
        return "deg"
    if unit == "rad":
        return "rad"
    raise UsageError(f"angle of {label} has no unit: {text} (add deg or rad)")
