"""URDF: the collision geometry of links, as numbers for checks. Geometry with faults is not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.parts_report import is_xml_number

if TYPE_CHECKING:
    from lxml.etree import _Element

_Three = tuple[float, float, float]

_SHAPES = {"box": "size", "sphere": "radius", "cylinder": "radius length", "capsule": "radius length", "mesh": ""}
"""Shape → attributes with its dimensions."""


@dataclass(frozen=True, slots=True)
class CollisionShape:
    """A collision of a link, in the frame of the link."""

    kind: str  # box, sphere, cylinder, capsule or mesh
    sizes: tuple[float, ...]  # m: edges of a box; radius, and length along z; empty for a mesh
    xyz: _Three  # m
    rpy: _Three  # rad, about the fixed axes of the link
    file: str = ""  # mesh file, as the robot names it
    scale: _Three = (1.0, 1.0, 1.0)  # factors of a mesh


def named_children(element: _Element, tag: str) -> Iterator[_Element]:
    """Yield the children of a tag, in the namespace of the element."""
    space = str(element.tag).rpartition("}")[0]
    yield from element.iterchildren(f"{space}}}{tag}" if space else tag)


def read_collisions(link: _Element) -> tuple[CollisionShape, ...]:
    """Read the collisions of a link."""
    found = [_shape(collision) for collision in named_children(link, "collision")]
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) else ()


def _shape(collision: _Element) -> CollisionShape | None:
    """Read a collision; None if it has faults."""
    geometry = next(named_children(collision, "geometry"), None)
    shapes = [] if geometry is None else [(kind, one) for kind in _SHAPES for one in named_children(geometry, kind)]
    if len(shapes) != 1:
        return None
    kind, element = shapes[0]
    sizes = [size for name in _SHAPES[kind].split() for size in _numbers(element.get(name, ""))]
    origin = next(named_children(collision, "origin"), None)
    xyz, rpy = (_numbers("0 0 0" if origin is None else origin.get(name, "0 0 0")) for name in ("xyz", "rpy"))
    scale = _numbers(element.get("scale", "1 1 1"))
    counts = {"box": 3, "sphere": 1, "mesh": 0}
    if len(sizes) != counts.get(kind, 2) or any(size <= 0 for size in sizes) or not len(xyz) == len(rpy) == 3:
        return None
    if len(scale) != 3:
        return None
    file = element.get("filename", "").strip()
    return CollisionShape(kind, tuple(sizes), _three(xyz), _three(rpy), file, _three(scale))


def _three(values: list[float]) -> _Three:
    """Return a list of three as a tuple."""
    x, y, z = values
    return x, y, z


def _numbers(text: str) -> list[float]:
    """Read numbers; none if one of them is not finite."""
    words = text.split()
    return [float(word) for word in words] if all(map(is_xml_number, words)) else []
