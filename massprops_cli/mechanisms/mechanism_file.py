"""Mechanism files in JSON and tables of bodies and joints: read, checked, made a mechanism."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from massprops_cli._front import room_function
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, name_list, nearest_name_hint
from massprops_cli.mechanisms import model
from massprops_cli.mechanisms.mechanism_document import TABLE_SUFFIXES, table_document

_POINT_KINDS = ("R", "S", "U")
_PARALLEL_KINDS = ("R", "P", "C", "helical", "planar")
_ON_AXIS_KINDS = ("P", "C", "helical")


def _check_mechanism(mechanism: model.Mechanism, place: Place, findings: Findings, reading: model.RobotReading) -> bool:
    """Report bodies without a joint, parts that are not connected, and joints that are not closed at the pose."""
    is_open = False
    jointed = {body for joint in mechanism.joints for body in joint.bodies}
    for index, body in enumerate(mechanism.bodies):
        if index not in jointed:
            findings.report("MP806", f"body {body.name} has no joint", place, item=body.name)
    # bodies that joints connect to the ground, with the ground
    reached, size = {model.GROUND}, 0
    while len(reached) != size:
        size = len(reached)
        for one in mechanism.joints:
            if reached & set(one.bodies):
                reached |= set(one.bodies)
    if apart := [mechanism.bodies[body].name for body in sorted(jointed - reached)]:
        message = f"bodies are not connected to the ground: {name_list(apart)}"
        findings.report("MP807", message, place, item=apart[0], count=len(apart))
    for joint in mechanism.joints:
        if joint.bodies[0] == joint.bodies[1]:
            findings.report("MP805", f"joint {joint.name} connects a body to the same body", place, item=joint.name)
            continue
        for what, residual in _residuals(mechanism, joint):
            is_open |= bool(residual)
            if residual and not reading.assemble:
                shown = f"{what} {_shown(residual)} (expected exactly 0)"
                message = f"joint {joint.name} is not closed at the pose: {shown}"
                findings.report("MP808", message, place, value=str(residual), item=joint.name)
    return is_open and reading.assemble


def _shown(value: Any) -> str:
    """Return a residual as the fraction, if it is short, and as a decimal."""
    text = str(value)
    return text if len(text) <= 12 else f"about {float(value):.3g}"


def _residuals(mechanism: model.Mechanism, joint: model.Joint) -> Iterator[tuple[str, Any]]:
    """Return what must vanish at the pose, the largest component of each condition."""
    points = [model.joint_point(mechanism, joint, side) for side in (0, 1)]
    axes = [model.joint_axis(mechanism, joint, side) for side in (0, 1)]
    gap = model.vector_sum(points[1], points[0], -1)
    if joint.kind in _POINT_KINDS:
        yield "distance of the points pi and pj along an axis of the ground", _largest(gap)
    elif joint.kind in _ON_AXIS_KINDS:
        yield (
            "distance of the point pj from the axis ai, times its length,",
            _largest(model.cross_product(gap, axes[0])),
        )
    elif joint.kind == "planar":
        yield "distance of the point pj from the plane, times the length of ai,", model.dot_product(gap, axes[0])
    if joint.kind in _PARALLEL_KINDS:
        yield "vector product of the axes ai and aj", _largest(model.cross_product(axes[0], axes[1]))
    elif joint.kind == "U":
        yield "scalar product of the axes ai and aj", model.dot_product(axes[0], axes[1])


def _largest(vector: tuple[Any, Any, Any]) -> Any:
    """Return the component with the largest magnitude."""
    return max(vector, key=abs)


_LARGEST_NUMBER = 10**100
_FULL_NAMES = {
    "revolute": "R", "prismatic": "P", "universal": "U", "spherical": "S", "ball": "S", "cylindrical": "C",
    "screw": "helical",
}  # fmt: skip
_GROUND_NAMES = ("0", "ground")
_BODY_KEYS = ("id", "p", "q", "mass", "c", "I")
_JOINT_KEYS = ("name", "type", "i", "j", "pi", "pj", "ai", "aj", "pitch", "terms", *model.JOINT_DYNAMICS)
_ROBOT_SUFFIXES = (".urdf", ".xacro", ".xml", ".sdf", ".world")


def _is_robot(source: str | Path | bytes) -> bool:
    """Return whether a mechanism file is a robot description."""
    if isinstance(source, bytes):
        is_utf16 = source[:2] in (b"\xff\xfe", b"\xfe\xff")
        head = source[2:200].replace(b"\0", b"") if is_utf16 else source.removeprefix(b"\xef\xbb\xbf")
        return head.lstrip().startswith(b"<")
    return Path(source).suffix.lower() in _ROBOT_SUFFIXES


def read_mechanism(
    source: str | Path | bytes,
    joints: str | Path = "",
    findings: Findings | None = None,
    reading: model.RobotReading = model.AS_STATED,
) -> model.Mechanism:
    """Read a mechanism file and check it.

    Parameters
    ----------
    source : str, Path or bytes
        Path of a JSON or URDF file, or its content as bytes; or path of a workbook with the sheets bodies and joints,
        or of a text table of bodies.
    joints : str or Path, optional
        Path of the text table of joints.
    findings : Findings, optional
        Receives warnings and notes.
    reading : RobotReading, optional
        Gravity in place of that of the file; of a robot description also its base and the meaning of its angles.

    Returns
    -------
    Mechanism
        Connected, and closed exactly at its pose.

    Raises
    ------
    TableError
        The file is not a mechanism without errors; contains all findings.
    UsageError
        A table of joints is given with a file that is not a table of bodies, or an option of robots with another file.

    Notes
    -----
    Numbers are read exactly: decimals, fractions, and expressions in the dimensions of the file.

    Examples
    --------
    >>> from massprops_cli import read_mechanism
    >>> read_mechanism(b'''{"gravity": [0, 0, 0], "bodies": [{"id": "arm"}],
    ...   "joints": [{"type": "S", "i": 0, "j": "arm", "pi": [1, 0, 0], "pj": ["2/2", 0, 0]}]}''').parameter_names[:2]
    ('m_arm', 'mx_arm')
    """
    collected = Findings() if findings is None else findings
    name = "-" if isinstance(source, bytes) else str(source)
    is_table = Path(name).suffix.lower() in TABLE_SUFFIXES
    if joints and not is_table:
        raise UsageError(f"{name}: a table of joints belongs to a table of bodies in csv")
    if not (is_robot := _is_robot(source)) and (reading.base == "free" or reading.snap is not None):
        what = "the meaning of angles" if reading.base == "fixed" else "a free base"
        raise UsageError(f"{name}: {what} is an option of robots (URDF, SDF, MJCF); state it in the mechanism file")
    mechanism: model.Mechanism | None
    if is_robot:
        read = room_function("massprops_cli.robots.robot_mechanism", "read_robot_mechanism")
        mechanism = read(source, reading, collected)
    else:
        document = table_document(name, str(joints), collected) if is_table else _read_document(source, name, collected)
        mechanism = None if document is None else _parse_document(document, name, reading, collected)
    if mechanism is not None and not collected.has_errors:
        mechanism = replace(mechanism, is_approximate=_check_mechanism(mechanism, Place(name), collected, reading))
    if mechanism is None or collected.has_errors:
        raise TableError(collected)
    return mechanism


def _read_document(source: str | Path | bytes, name: str, findings: Findings) -> dict[str, Any] | None:
    """Read the JSON text, numbers as text."""
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {error.strerror or error}", Place(name))
        return None
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        findings.report("MP801", f"file is not JSON: {error}", Place(name))
        return None
    message = "file is not a JSON object with bodies and joints"
    if isinstance(document, dict):
        lists = {key: document.get(key) for key in ("bodies", "joints")}
        wrong = [
            k for k, v in lists.items() if not (isinstance(v, list) and v and all(isinstance(one, dict) for one in v))
        ]
        if not wrong:
            return document
        message = f"file has no list of objects {' and '.join(wrong)}"
    findings.report("MP801", message, Place(name))
    return None


class _NumberReader:
    """Reads exact numbers of a document, and reports those that are not."""

    def __init__(self, dimensions: Mapping[str, Any], place: Place, findings: Findings) -> None:
        self._place, self._findings = place, findings
        self._values: dict[str, Fraction] = {}
        for name, text in dimensions.items():
            self._values[name] = self.number(text, f"dimension {name}", name)

    def number(self, value: Any, what: str, item: str) -> Fraction:
        """Read one number; 0 if it is not one, with a finding."""
        if isinstance(value, str):
            try:
                number = Fraction(model.evaluate_expression(value, self._values, Fraction))
                if number == 0 or Fraction(1, _LARGEST_NUMBER) <= abs(number) <= _LARGEST_NUMBER:
                    return number
                reason = "not between 1e-100 and 1e100"
            except ZeroDivisionError:
                reason = "division by 0"
            except ValueError as error:
                reason = str(error)
        else:
            reason = "expected a decimal, a fraction or an expression"
        self.report("MP802", f"{what}: {reason}: {value!r}", item, str(value))
        return Fraction(0)

    def report(self, rule: str, message: str, item: str = "", value: str = "") -> None:
        """Report a fault of the document."""
        self._findings.report(rule, message, self._place, value=value, item=item)

    def numbers(self, cells: Any, default: list[str], count: str, what: str, item: str) -> list[Fraction]:
        """Read as many numbers as the default has; if there are more or fewer, the default, with a finding."""
        if not isinstance(cells, list) or len(cells) != len(default):
            self.report("MP802", f"{what}: expected {count} numbers: {cells!r}", item)
            cells = default
        return [self.number(cell, what, item) for cell in cells]

    def vector(self, values: Any, what: str, item: str, default: model.Vector | None = None) -> model.Vector:
        """Read three numbers."""
        if values is None and default is not None:
            return default
        if not isinstance(values, list) or len(values) != 3:
            self.report("MP802", f"{what}: expected three numbers: {values!r}", item, str(values))
            return model.ZERO_VECTOR
        x, y, z = (self.number(value, what, item) for value in values)
        return x, y, z


def _parse_document(
    document: dict[str, Any], name: str, reading: model.RobotReading, findings: Findings
) -> model.Mechanism | None:
    """Return the mechanism of a document; None if a body or a joint cannot be read."""
    dimensions = document.get("dimensions", {})
    reader = _NumberReader(dimensions if isinstance(dimensions, dict) else {}, Place(name), findings)
    bodies: list[model.MechanismBody] = []
    indices = dict.fromkeys(_GROUND_NAMES, model.GROUND)
    for number, given in enumerate(document["bodies"], 1):
        if (body := _parse_body(given, number, reader, findings)).name in indices:
            reader.report("MP809", f"body {body.name} occurs twice, or has the name of the ground", body.name)
        indices.setdefault(body.name, len(bodies))
        bodies.append(body)
    joints: dict[str, model.Joint] = {}
    for number, given in enumerate(document["joints"], 1):
        if (joint := _parse_joint(given, number, bodies, indices, reader)) is None:
            continue
        if joint.name in joints:
            reader.report("MP809", f"joint {joint.name} occurs twice", joint.name)
        joints[joint.name] = joint
    stated = list(reading.gravity) if reading.gravity else document.get("gravity")
    gravity = reader.vector(stated, "gravity", "gravity", model.ZERO_VECTOR)
    if stated is None:
        reader.report("MP802", "gravity is missing", "gravity")
    if findings.has_errors:
        return None
    return model.Mechanism(str(document.get("name", "")), tuple(bodies), tuple(joints.values()), gravity, document)


def _parse_body(given: dict[str, Any], number: int, reader: _NumberReader, findings: Findings) -> model.MechanismBody:
    """Read one body: id, position p, quaternion q, mass, centre of mass c, inertia I."""
    if not (name := str(given.get("id", ""))):
        reader.report("MP801", f"body number {number} has no id")
    if unknown := sorted(set(given) - set(_BODY_KEYS)):
        hint = nearest_name_hint(unknown[0], _BODY_KEYS)
        reader.report("MP801", f"body {name} has an unknown key: {unknown[0]}{hint}", name)
    position = reader.vector(given.get("p"), f"position p of body {name}", name, model.ZERO_VECTOR)
    unit = ["1", "0", "0", "0"]
    w, x, y, z = reader.numbers(given.get("q", unit), unit, "four", f"quaternion q of body {name}", name)
    if not any((w, x, y, z)):
        if not findings.has_errors:
            reader.report("MP802", f"quaternion q of body {name} is zero", name)
        w = Fraction(1)
    mass = reader.number(given["mass"], f"mass of body {name}", name) if "mass" in given else None
    center = reader.vector(given.get("c"), f"centre c of body {name}", name, model.ZERO_VECTOR)
    none = ["0"] * 6
    xx, yy, zz, xy, xz, yz = reader.numbers(given.get("I", none), none, "six", f"inertia I of body {name}", name)
    return model.MechanismBody(name, position, (w, x, y, z), mass, center, (xx, yy, zz, xy, xz, yz))


def _parse_joint(
    given: dict[str, Any],
    number: int,
    bodies: list[model.MechanismBody],
    indices: dict[str, int],
    reader: _NumberReader,
) -> model.Joint | None:
    """Read one joint; None if its type or a body is unknown."""
    name = str(given.get("name", number))
    word = str(given.get("type", ""))
    kind = ({kind.lower(): kind for kind in model.JOINT_KINDS} | _FULL_NAMES).get(word.lower(), "")
    if not kind:
        known = f" (expected one of {', '.join(model.JOINT_KINDS)})"
        reader.report("MP803", f"joint {name} has an unknown type: {word!r}{known}", name, word)
    if unknown := sorted(set(given) - set(_JOINT_KEYS)):
        hint = nearest_name_hint(unknown[0], _JOINT_KEYS)
        reader.report("MP801", f"joint {name} has an unknown key: {unknown[0]}{hint}", name, unknown[0])
    ends = [str(given.get(side, "")) for side in ("i", "j")]
    for side, end in zip(("i", "j"), ends, strict=True):
        if end not in indices:
            hint = nearest_name_hint(end, list(indices))
            reader.report("MP805", f"joint {name}: {side} is not a body: {end!r}{hint}", name, end)
    if not kind or any(end not in indices for end in ends):
        return None
    default = model.ZERO_VECTOR if kind in ("free", "fixed") else None
    points = [reader.vector(given.get(key), f"point {key} of joint {name}", name, default) for key in ("pi", "pj")]
    pair = (indices[ends[0]], indices[ends[1]])
    axes = _parse_axes(given, kind, name, [bodies[one] if one != model.GROUND else None for one in pair], reader)
    for key, axis in zip(("ai", "aj"), axes, strict=True):
        if kind in model.AXIS_KINDS and not any(axis):
            reader.report("MP804", f"axis {key} of joint {name} is zero", name)
    pitch = reader.number(given.get("pitch", "0"), f"pitch of joint {name}", name)
    terms = _parse_terms(given.get("terms", ()), kind, name, reader)
    dynamics = tuple(
        (key, reader.number(given[key], f"{key} of joint {name}", name)) for key in model.JOINT_DYNAMICS if key in given
    )
    return model.Joint(name, kind, pair, (points[0], points[1]), axes, pitch, terms, dynamics=dynamics)


def _parse_terms(given: Any, kind: str, name: str, reader: _NumberReader) -> tuple[str, ...]:
    """Read the constitutive parameters of a joint, a list or a text of words."""
    words = re.split(r"[,;\s]+", given.strip()) if isinstance(given, str) else given
    for word in words if isinstance(words, list | tuple) else [given]:
        if word not in model.JOINT_TERMS:
            message = f"joint {name} has an unknown term: {word!r} (expected {', '.join(model.JOINT_TERMS)})"
            reader.report("MP801", message, name, str(word))
            return ()
    if words and kind not in model.AXIS_KINDS:
        reader.report("MP801", f"joint {name} has no coordinate for terms: a joint {kind}", name)
    return tuple(term for term in model.JOINT_TERMS if term in words)


def _parse_axes(
    given: dict[str, Any], kind: str, name: str, ends: list[model.MechanismBody | None], reader: _NumberReader
) -> tuple[model.Vector, model.Vector]:
    """Read the axes of a joint; where only one is stated and both coincide, the other follows from the pose."""
    if kind not in model.AXIS_KINDS:
        return model.ZERO_VECTOR, model.ZERO_VECTOR
    if kind == "U" or ("ai" in given and "aj" in given):
        first, second = (reader.vector(given.get(key), f"axis {key} of joint {name}", name) for key in ("ai", "aj"))
        return first, second
    key, here, there = ("ai", 0, 1) if "ai" in given or "aj" not in given else ("aj", 1, 0)
    axis = reader.vector(given.get(key), f"axis {key} of joint {name}", name)
    home, other = ends[here], ends[there]
    turned = axis if home is None else model.rotated_vector(home.rotation, axis)
    turned = turned if other is None else model.rotated_vector(model.transposed_matrix(other.rotation), turned)
    return (axis, turned) if here == 0 else (turned, axis)
