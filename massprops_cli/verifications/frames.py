"""Poses by an own rotation of the typed angles, quaternions, axes or cosines, composed down the tree."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AGREEMENT = 1e-12  # of entries of a rotation, and of places as a share of the largest
_ANGLES = {"deg": math.pi / 180, "°": math.pi / 180, "rad": 1.0, "mrad": 1e-3, "arcmin": math.pi / 10800}
_ANGLES |= {"degrees": math.pi / 180, "arcsec": math.pi / 648000}
_FORMS = (("roll", "pitch", "yaw"), ("qw", "qx", "qy", "qz"), ("ax", "ay", "az", "angle"))
_COSINES = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
_Floats = NDArray[np.float64]
_Frame = tuple[list[list[Fraction]], list[Fraction]]


def _about(axis: tuple[float, ...], angle: float) -> _Floats:
    """Return the rotation (3, 3) about an axis by quaternions; whole quarter turns are exact."""
    length = math.sqrt(sum(x * x for x in axis))
    quarters = angle / (math.pi / 2)
    if abs(quarters - round(quarters)) < 1e-15 * max(1.0, abs(quarters)) and sorted(map(abs, axis))[1] == 0:
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[round(quarters) % 4]
        x, y, z = (a / length for a in axis)
        rows = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        unit = np.array([x, y, z])
        return np.asarray(c * np.eye(3) + s * np.array(rows) + (1 - c) * np.outer(unit, unit))
    half = math.sin(angle / 2) / length
    return _of_quaternion((math.cos(angle / 2), *(a * half for a in axis)))


def _of_quaternion(q: tuple[float, ...]) -> _Floats:
    """Return the rotation (3, 3) of a quaternion w, x, y, z: the images q e q* of the axes."""
    n = sum(x * x for x in q)
    w, v = q[0], np.array(q[1:])
    images = [(w * w - v @ v) * e + 2 * (v @ e) * v + 2 * w * np.cross(v, e) for e in np.eye(3)]
    return np.array(images).T / n


def _rotation(form: tuple[str, ...], x: list[float]) -> _Floats:
    """Return the rotation (3, 3) of typed numbers, angles in radians."""
    if form == _FORMS[0]:
        made = _about((0, 0, 1), x[2]) @ _about((0, 1, 0), x[1]) @ _about((1, 0, 0), x[0])
    elif form == _FORMS[1]:
        made = _of_quaternion(tuple(x))
    elif form == _FORMS[2]:
        made = _about(tuple(x[:3]), x[3])
    else:
        made = np.array(x).reshape(3, 3)
        for _ in range(8):  # the nearest rotation, by Newton's iteration
            made = (made + np.linalg.inv(made).T) / 2
    return np.asarray(made)


class _Poses:
    """The typed poses of a table."""

    def __init__(self, reading: Any) -> None:
        self.reading, self.named = reading, reading.bom.columns.by_quantity

    def number(self, name: str, row: int) -> float | None:
        """Return a typed number, a length in coherent units or an angle in radians; None where blank."""
        if (column := self.named.get(name)) is None or not (text := self.reading.text(row, column.index)):
            return None
        if name[0] == "t":
            return float(Fraction(text) * self.reading.factor(column, name, row))
        if name in (*_FORMS[0], "angle"):
            unit = column.header.replace("(", "[").partition("[")[2].rstrip("]) ").strip() or column.unit
            return float(text) * _ANGLES[unit]
        return float(text)

    def local(self, row: int) -> tuple[_Floats, _Floats]:
        """Return rotation (3, 3) and origin (3,) of a row's frame in that of its parent."""
        turn, place = np.eye(3), np.array([self.number(name, row) or 0.0 for name in ("tx", "ty", "tz")])
        for form in (*_FORMS, _COSINES):
            found = [self.number(name, row) for name in form]
            numbers = [x for x in found if x is not None]
            if len(numbers) == len(form):
                turn = _rotation(form, numbers)
        return turn, place


def typed_frames(reading: Any) -> list[_Frame]:
    """Return rotation and origin of the frame of each item's numbers in that of the root; empty without poses."""
    bom = reading.bom
    if (poses := bom.poses) is None:
        return []
    turns, places = poses.numbers.rotation, poses.numbers.translation
    own = None
    try:
        if reading.cells is None or poses.is_bad.any():
            raise KeyError
        own = _composed(reading)
    except (KeyError, ValueError, np.linalg.LinAlgError):
        reading.not_verified.append("poses that the second reader does not know")
    if own is not None:
        patterned = own[2]
        if patterned.any():
            own[0][patterned], own[1][patterned] = turns[patterned], places[patterned]
            reading.not_verified.append(f"poses of {int(patterned.sum()):,} items of patterns")
        scale = float(np.abs(places).max(initial=0.0)) or 1.0
        gaps = np.maximum(np.abs(own[0] - turns).max(axis=(1, 2)), np.abs(own[1] - places).max(axis=1) / scale)
        reading.methods.append(f"{int((~patterned).sum()):,} poses by quaternions of the typed numbers")
        for i in np.flatnonzero(~(gaps <= _AGREEMENT)).tolist()[:1]:
            message = f"pose of {bom.ids[i]} differs from that of its typed numbers by {gaps[i]:.2g} (relative)"
            place = reading.table.place(int(poses.rows[i]))
            reading.findings.report("MP904", message, place, item=bom.ids[i], count=int((~(gaps <= _AGREEMENT)).sum()))
        turns, places = own[:2]
    return [
        ([[Fraction(x) for x in row] for row in turn], [Fraction(x) for x in place])
        for turn, place in zip(turns.tolist(), places.tolist(), strict=True)
    ]


def _composed(reading: Any) -> tuple[_Floats, _Floats, NDArray[np.bool_]]:
    """Return rotations (n, 3, 3) and origins (n, 3) of the frames of all numbers in that of the root; patterns (n,)."""
    bom, cells = reading.bom, _Poses(reading)
    assert bom.poses is not None
    n, parent, rows = len(bom), bom.tree.parent.tolist(), bom.poses.rows.tolist()
    turns, places = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    column = bom.columns.by_quantity.get("frame")
    pattern = bom.columns.by_quantity.get("pattern")
    numbers = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros(n, bool)
    for i in bom.tree.order.tolist():
        turn, place = cells.local(rows[i]) if rows[i] >= 0 else (np.eye(3), np.zeros(3))
        up = parent[i]
        if up >= 0:
            turn, place = turns[up] @ turn, turns[up] @ place + places[up]
        turns[i], places[i] = turn, place
        numbers[2][i] = bool(pattern is not None and reading.text(rows[i], pattern.index)) or (
            up >= 0 and numbers[2][up]
        )
        word = "" if column is None else (reading.text(int(bom.rows[i]), column.index) or "").lower()
        of = {"own": i, "parent": up, "root": -1}[word or bom.options.frame or "root"]
        if of >= 0:
            numbers[0][i], numbers[1][i] = turns[of], places[of]
    return numbers
