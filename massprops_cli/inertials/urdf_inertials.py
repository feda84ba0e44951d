"""URDF: inertials of links from their visuals or collisions.

A link of URDF is in its own frame, and an origin is a pose in it, so that no joint is needed. [ROS, URDF specification,
"link"]
"""

from __future__ import annotations

from collections.abc import Iterator

from massprops_cli.bodies.rotations import stated_frame
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.files.robots.sdf_model import RobotGeometry
from massprops_cli.files.robots.xml_source import SourceElement
from massprops_cli.findings.finding import Findings, Place
from massprops_cli.inertials.geometry_bodies import LinkGeometry

_SHAPES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
"""Shapes of URDF with a volume → their attributes."""
_VALUES = {"size": 3}


class UrdfGeometries:
    """The geometries of the links of one URDF file at one density, kg/m³; faults are appended to ``findings``."""

    def __init__(self, name: str, density: float, findings: Findings) -> None:
        self._name, self._density, self._findings = name, density, findings

    def of_link(self, link: SourceElement, kind: str) -> Iterator[LinkGeometry]:
        """Yield the geometries of a link."""
        found = list(link.all(kind))
        label = link.attributes.get("name", "").strip()
        for number, element in enumerate(found, 1):
            own = element.attributes.get("name", "").strip() or (kind if len(found) == 1 else f"{kind} {number}")
            name = f"{label}/{own}"
            origin = element.first("origin")
            numbers = [0.0] * 6
            if origin is not None:
                xyz, rpy = (self._numbers(origin, word, 3, name) for word in ("xyz", "rpy"))
                numbers = [*map(float, xyz), *map(float, rpy)]
            over = element.first("geometry")
            shape = None if over is None or not over.children else self._shape(over.children[0], name)
            place = Place(self._name, line=element.line)
            yield LinkGeometry(name, place, shape, stated_frame(numbers), self._density)

    def _shape(self, element: SourceElement, name: str) -> RobotGeometry:
        """Read a shape."""
        dims = {word: self._numbers(element, word, _VALUES.get(word, 1), name) for word in _SHAPES.get(element.tag, ())}
        if element.tag != "mesh":
            return RobotGeometry(element.tag, element.line, dims)
        scale = ("1", "1", "1") if "scale" not in element.attributes else self._numbers(element, "scale", 3, name)
        return RobotGeometry("mesh", element.line, dims, element.attributes.get("filename", "").strip(), scale)

    def _numbers(self, element: SourceElement, word: str, count: int, name: str) -> tuple[str, ...]:
        """Read some numbers; an attribute that is missing is zeros."""
        text = element.attributes.get(word)
        if text is None:
            return ("0",) * count
        texts = tuple(text.split())
        if len(texts) == count and all(map(is_xml_number, texts)):
            return texts
        expected = "a number" if count == 1 else f"{count} numbers"
        place = Place(self._name, line=element.line)
        self._findings.report("MP205", f"{word} of {name} is not {expected}: {text!r}", place, value=text, item=name)
        return ("0",) * count
