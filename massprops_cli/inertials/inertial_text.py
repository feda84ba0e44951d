"""Inertials written into the source of a robot: everything else remains byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.files.robots.xml_source import SourceElement, utf8_source

_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_AUTO = re.compile(rb"""(\sauto\s*=\s*)("[^"]*"|'[^']*')""")  # the attribute auto="true" with its value in quotes


class SourceEdit(NamedTuple):
    """New bytes for a part of a source, from ``start`` to ``end``."""

    start: int
    end: int
    text: bytes


def edited_source(data: bytes, edits: Iterable[SourceEdit]) -> bytes:
    """Return a source with edits, in its own encoding."""
    source, codec = utf8_source(data)
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    made = b"".join([*parts, source[at:]])
    return made.decode().encode(codec) if codec else made


class InertialText:
    """Writer of inertials for one source."""

    def __init__(self, data: bytes) -> None:
        self._source = utf8_source(data)[0]
        self._line_end = "\r\n" if b"\r\n" in self._source else "\n"

    def sdf_edits(self, inertial: SourceElement, link: SourceElement, body: BodyArray) -> list[SourceEdit]:
        """Return the edits that state an automatic inertial of SDF as numbers."""
        own = self._indent(inertial)
        step = own.removeprefix(self._indent(link)) or "  "
        inner = own + step
        mass, center, moments = _texts(body)
        entries = [f"{inner}{step}<{name}>{text}</{name}>" for name, text in zip(_ENTRIES, moments, strict=True)]
        new = {
            "mass": f"<mass>{mass}</mass>",
            "pose": f"<pose>{' '.join(center)} 0 0 0</pose>",
            "inertia": self._line_end.join(["<inertia>", *entries, f"{inner}</inertia>"]),
        }
        known = {tag: element for tag in new if (element := inertial.first(tag)) is not None}
        edits = [SourceEdit(one.start, one.end, new[tag].encode()) for tag, one in known.items()]
        added = "".join(f"{self._line_end}{inner}{text}" for tag, text in new.items() if tag not in known)
        tag = _AUTO.sub(rb'\g<1>"false"', self._source[inertial.start : inertial.inner], count=1)
        if inertial.inner == inertial.end:
            tag = tag[:-2].rstrip() + b">" + f"{added}{self._line_end}{own}</inertial>".encode()
            return [SourceEdit(inertial.start, inertial.end, tag)]
        content = self._source[inertial.inner : inertial.close]
        last = inertial.inner + len(content.rstrip())
        tail = b"" if b"\n" in content[len(content.rstrip()) :] or not added else f"{self._line_end}{own}".encode()
        edits.append(SourceEdit(inertial.start, inertial.inner, tag))
        return [*edits, SourceEdit(last, last, added.encode() + tail)] if added else edits

    def urdf_edit(self, link: SourceElement, inertial: SourceElement | None, body: BodyArray) -> SourceEdit:
        """Return the edit that states the inertial of a link of URDF."""
        own = self._indent(link)
        child = link.children[0]
        inner = self._indent(child) if child.line > link.line else own + "  "
        step = inner.removeprefix(own) or "  "
        mass, center, moments = _texts(body)
        entries = " ".join(f'{name}="{text}"' for name, text in zip(_ENTRIES, moments, strict=True))
        lines = [
            "<inertial>",
            f'{inner}{step}<origin xyz="{" ".join(center)}" rpy="0 0 0"/>',
            f'{inner}{step}<mass value="{mass}"/>',
            f"{inner}{step}<inertia {entries}/>",
            f"{inner}</inertial>",
        ]
        text = self._line_end.join(lines)
        if inertial is not None:
            return SourceEdit(inertial.start, inertial.end, text.encode())
        return SourceEdit(link.inner, link.inner, f"{self._line_end}{inner}{text}".encode())

    def _indent(self, element: SourceElement) -> str:
        """Return the blanks before an element; one that is not the first of its line is two blanks deeper."""
        before = self._source[self._source.rfind(b"\n", 0, element.start) + 1 : element.start]
        blanks = before[: len(before) - len(before.lstrip())].decode("ascii", "ignore")
        return blanks if not before.strip() else f"{blanks}  "


def _texts(body: BodyArray) -> tuple[str, list[str], list[str]]:
    """Return mass, centre and the six entries of the tensor with all their digits."""
    center, moments = ([_number(value) for value in values] for values in (body.center[0], body.inertia[0]))
    return _number(body.mass[0]), center, moments


def _number(value: float) -> str:
    """Return the shortest text that reads back the same, whole numbers without a point."""
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0")
