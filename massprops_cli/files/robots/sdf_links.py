"""SDF: links with their inertials and collisions, and poses, as a file states them."""

from __future__ import annotations

import math

import numpy as np

from massprops_cli.bodies.rotations import quaternion_rows, roll_pitch_yaw
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.files.robots.sdf_model import (
    RobotGeometry,
    SdfCollision,
    SdfFile,
    SdfInertial,
    SdfLink,
    SdfPose,
    Texts,
)
from massprops_cli.files.robots.xml_source import SourceElement
from massprops_cli.findings.finding import Findings

_TRUE, _FALSE = ("true", "1"), ("false", "0", "")
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_DIMENSIONS: dict[str, dict[str, tuple[int, Texts]]] = {
    "box": {"size": (3, ("1", "1", "1"))},
    "sphere": {"radius": (1, ("1",))},
    "ellipsoid": {"radii": (3, ("1", "1", "1"))},
    "cylinder": {"radius": (1, ("1",)), "length": (1, ("1",))},
    "capsule": {"radius": (1, ("0.5",)), "length": (1, ("1",))},
    "cone": {"radius": (1, ("0.5",)), "length": (1, ("1",))},
    "mesh": {},
}
"""Shapes with a volume → dimensions with their number of values and the default of the format."""
_QUATERNION_TOLERANCE = 1e-3  # difference of its length from 1


class SdfLinkReader:
    """Reader of links and poses of one file; faults are appended to ``findings``."""

    def __init__(self, file: SdfFile, findings: Findings) -> None:
        self._file, self._findings = file, findings

    def name(self, element: SourceElement) -> str:
        """Return the name of an element; a missing or reserved name is a fault."""
        name = element.attributes.get("name", "").strip()
        if not name:
            self._report("MP862", f"{element.tag} has no name", element, "", "")
        if name.startswith("__") and name.endswith("__"):
            remedy = "use a name without two underscores at both ends"
            self._report("MP862", f"name of {element.tag} is reserved: {name!r}", element, name, name, remedy)
        return name

    def text(self, over: SourceElement, tag: str, name: str) -> str:
        """Return the text of the only child of a tag."""
        element = self._only(over, tag, name)
        return "" if element is None else element.value

    def flag(self, over: SourceElement, tag: str) -> bool:
        """Return whether a child is true."""
        element = self._only(over, tag, over.tag)
        return element is not None and self._truth(element.value, element, tag)

    def gravity(self, world: SourceElement) -> tuple[str, str, str] | None:
        """Read the gravity of a world."""
        if world.first("gravity") is None:
            return None
        x, y, z = self._numbers(world, "gravity", 3, ("0", "0", "0"), "world")
        return x, y, z

    def pose(self, over: SourceElement, name: str) -> SdfPose | None:
        """Read the pose of an element, in ``relative_to``; before 1.7 also ``frame``, which then replaces it.

        [SDFormat specification, "pose"; conversion 1.6 to 1.7]
        """
        element = self._only(over, "pose", name)
        if element is None:
            return None
        reference = self._reference(element, name)
        format = element.attributes.get("rotation_format", "euler_rpy").strip() or "euler_rpy"
        is_degrees = self._truth(element.attributes.get("degrees", ""), element, "degrees")
        count = {"euler_rpy": 6, "quat_xyzw": 7}.get(format)
        if count is None:
            message = f"rotation format of {name} is unknown: {format!r} (expected euler_rpy or quat_xyzw)"
            self._report("MP854", message, element, format, name)
            return SdfPose(element.line, relative_to=reference)
        texts = tuple(element.value.split())
        if not texts:
            return SdfPose(element.line, relative_to=reference)
        if len(texts) != count or not all(is_xml_number(text) for text in texts):
            message = f"pose of {name} is not {count} numbers: {element.value!r}"
            self._report("MP854", message, element, element.value, name)
            return SdfPose(element.line, relative_to=reference)
        if count == 7:
            texts = self._quaternion_texts(texts, is_degrees, element, name)
        elif is_degrees:
            texts = (*texts[:3], *(repr(math.radians(float(text))) for text in texts[3:]))
        return SdfPose(element.line, texts, reference)

    def _reference(self, element: SourceElement, name: str) -> str:
        """Return the frame that a pose is stated in; ``frame`` is read as its conversion to 1.7 does."""
        older, newer = (element.attributes.get(key, "").strip() for key in ("frame", "relative_to"))
        if not older or self._file.version < (1, 7):
            return older or newer
        message = f"pose of {name} states the attribute frame, which SDF has until 1.6: {older!r}"
        remedy = "write relative_to in place of frame"
        self._report("MP854", message, element, older, name, remedy)
        return newer

    def _quaternion_texts(self, texts: Texts, is_degrees: bool, element: SourceElement, name: str) -> Texts:
        """Convert position and quaternion to position and angles."""
        quaternion = np.array([float(text) for text in texts[3:]])
        length = math.hypot(*quaternion.tolist())
        if is_degrees or not abs(length - 1) <= _QUATERNION_TOLERANCE:
            reason = "has degrees" if is_degrees else f"has the length {length:.6g} (expected 1)"
            self._report("MP854", f"quaternion of {name} {reason}", element, element.value, name)
            return (*texts[:3], "0", "0", "0")
        x, y, z, w = (quaternion / length).tolist()
        angles = roll_pitch_yaw(np.array(quaternion_rows(w, x, y, z)))
        return (*texts[:3], *(repr(angle) for angle in angles))

    def link(self, element: SourceElement) -> SdfLink:
        """Read a link."""
        name = self.name(element)
        collisions = tuple(self._collision(child, name) for child in element.all("collision"))
        return SdfLink(name, element, self.pose(element, name), self._inertial(element, name), collisions)

    def _inertial(self, link: SourceElement, name: str) -> SdfInertial | None:
        """Read the inertial of a link; what it does not state is blank."""
        element = self._only(link, "inertial", name)
        if element is None:
            return None
        is_auto = self._truth(element.attributes.get("auto", ""), element, "auto")
        pose = self.pose(element, name)
        if pose is not None and pose.relative_to:
            message = f"pose of the inertial of {name} is relative to {pose.relative_to} (expected none: the link)"
            self._report("MP854", message, element, pose.relative_to, name)
        tensor = self._only(element, "inertia", name)
        entries = tuple("" if tensor is None else self._number(tensor, entry, name) for entry in _TENSOR)
        return SdfInertial(
            element, pose, is_auto, self._number(element, "mass", name), entries,
            self._number(element, "density", name), _parameters(element),
        )  # fmt: skip

    def _collision(self, element: SourceElement, link: str) -> SdfCollision:
        """Read a collision of a link."""
        name = element.attributes.get("name", "").strip() or "collision"
        full = f"{link}/{name}"
        geometry = self._only(element, "geometry", full)
        shape = None if geometry is None or not geometry.children else self._geometry(geometry.children[0], full)
        density = self._number(element, "density", full)
        return SdfCollision(name, element.line, self.pose(element, full), shape, density, _parameters(element))

    def _geometry(self, element: SourceElement, name: str) -> RobotGeometry:
        """Read the shape of a collision."""
        dims = {
            dimension: self._numbers(element, dimension, count, otherwise, name)
            for dimension, (count, otherwise) in _DIMENSIONS.get(element.tag, {}).items()
        }
        if element.tag != "mesh":
            return RobotGeometry(element.tag, element.line, dims)
        submesh = element.first("submesh")
        return RobotGeometry(
            "mesh", element.line, dims, self.text(element, "uri", name),
            self._numbers(element, "scale", 3, ("1", "1", "1"), name),
            "" if submesh is None else self.text(submesh, "name", name) or "submesh",
        )  # fmt: skip

    def _numbers(self, over: SourceElement, tag: str, count: int, otherwise: Texts, name: str) -> Texts:
        """Read some numbers; without the element they are the default of the format."""
        element = self._only(over, tag, name)
        if element is None:
            return otherwise
        texts = tuple(element.value.split())
        if len(texts) == count and all(is_xml_number(text) for text in texts):
            return texts
        expected = "a number" if count == 1 else f"{count} numbers"
        self._report("MP205", f"{tag} of {name} is not {expected}: {element.value!r}", element, element.value, name)
        return otherwise

    def _number(self, over: SourceElement, tag: str, name: str) -> str:
        """Read one number; blank if the element is not there."""
        element = self._only(over, tag, name)
        if element is None or is_xml_number(element.value):
            return "" if element is None else element.value
        self._report("MP205", f"{tag} of {name} is not a number: {element.value!r}", element, element.value, name)
        return ""

    def _only(self, over: SourceElement, tag: str, name: str) -> SourceElement | None:
        """Return the child of a tag; several are a fault."""
        found = list(over.all(tag))
        if len(found) > 1:
            self._report("MP866", f"{over.tag} {name} has {len(found)} elements {tag}", found[1], "", name)
        return found[0] if found else None

    def _truth(self, text: str, element: SourceElement, what: str) -> bool:
        """Read true or false."""
        word = text.strip().lower()
        if word not in (*_TRUE, *_FALSE):
            self._report("MP854", f"{what} is not true or false: {text!r}", element, text, "", "write true or false")
        return word in _TRUE

    def _report(
        self, rule: str, message: str, element: SourceElement, value: str, item: str, remedy: str | None = None
    ) -> None:
        """Append a finding about an element."""
        self._findings.report(rule, message, self._file.place(element.line), value=value, item=item, remedy=remedy)


def _parameters(over: SourceElement) -> dict[str, str] | None:
    """Return the parameters of automatic inertia by their names, with the prefix of custom elements."""
    element = over.first("auto_inertia_params")
    return None if element is None else {child.tag: child.value for child in element.children}
