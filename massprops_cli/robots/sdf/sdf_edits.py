"""The inertials of an SDF file with the values of a table: only the numbers that differ are written.

All other bytes of the file are kept. An automatic inertial whose computed values differ from the table becomes one
with numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Findings, Place
from massprops_cli.robots.link_inertials import InertialText, SourceEdit, resolve_robot_table
from massprops_cli.robots.link_values import (
    ElementChanges,
    LinkValues,
    body_size,
    inertial_axes,
    is_different,
    number_texts,
)
from massprops_cli.robots.robot_model import TENSOR_ENTRIES
from massprops_cli.robots.sdf.sdf_table import SdfBody, SdfTable, read_sdf
from massprops_cli.robots.xml_source import SourceElement

_Floats = NDArray[np.float64]
_DEFAULT_MASS, _DEFAULT_TENSOR = 1.0, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
"""Inertial of a link that states none. [SDFormat specification, "inertial"]"""
_MARKUP = re.compile(rb"<!--.*?-->|<[^>]*>", re.DOTALL)  # "<!-- … -->" and tags
_WORD = re.compile(rb"\S+")  # numbers of a text with blanks between them


class SdfInertials:
    """The links of an SDF file, and the changes that give them other inertials."""

    def __init__(self, name: str, data: bytes, folders: Sequence[str]) -> None:
        options = FileOptions(folders=tuple(folders))
        table = resolve_robot_table(read_sdf(name, data, options, False, Findings()), Findings())
        assert isinstance(table, SdfTable)
        self._name, self._data, self._table = name, data, table
        self._bodies = {table.text(one.row, 1): one for one in table.bodies}
        self._included: dict[str, int] = {}

    @property
    def links(self) -> dict[str, SourceElement]:
        """Links by their ids, such as ``gripper::palm``; also those of included files."""
        return {id: one.link.element for id, one in self._bodies.items()}

    @property
    def own_links(self) -> dict[str, SourceElement]:
        """Links that the file itself states, by their ids."""
        return {id: one.link.element for id, one in self._bodies.items() if self._is_own(one)}

    def _is_own(self, one: SdfBody) -> bool:
        """Return whether a body is in the file itself, not in an included one."""
        return one.model.file is self._table.files[0]

    def changes(self, source: bytes, link: str, body: LinkValues) -> list[SourceEdit]:
        """Return the changes that state the values of a body."""
        one = self._bodies[link]
        if not self._is_different(one, body):
            return []
        if not self._is_own(one):
            file = one.model.file.name
            self._included[file] = self._included.get(file, 0) + 1
            return []
        if one.is_auto:
            return self._automatic_changes(one, body)
        return _SdfLinkEdit(source, one.link.element).stated(one, body)

    def report_included(self, findings: Findings) -> None:
        """Report links of included files whose values differ."""
        for file, count in self._included.items():
            noun = "inertial" if count == 1 else "inertials"
            message = f"{count} {noun} of the included file {file} cannot be written into this file"
            remedy = f"name the links as in {file}, and write them with --into {file}"
            findings.report("MP868", message, Place(self._name), value=file, remedy=remedy, count=count)

    def _is_different(self, one: SdfBody, body: LinkValues) -> bool:
        """Return whether a body differs from what the file states, computes or has as the default of the format."""
        texts = [self._table.text(one.row, j) for j in range(3, 20)]
        if not all(texts[:10]):  # an automatic inertial that cannot be computed
            return True
        ten = [float(text) for text in texts[:10]]
        center, angles = ten[1:4], [0.0] * 3
        if texts[11]:
            center, angles = ([float(text) for text in three] for three in (texts[11:14], texts[14:17]))
        tensor = body.inertia_along(inertial_axes(angles))
        return (
            is_different([body.mass], [ten[0]], abs(body.mass))
            or is_different(body.center, center, body_size(body))
            or is_different(tensor, ten[4:], float(np.abs(tensor).max()))
        )

    def _automatic_changes(self, one: SdfBody, body: LinkValues) -> list[SourceEdit]:
        """Return the changes of an automatic inertial, which becomes one with numbers."""
        inertial = one.link.inertial
        assert inertial is not None
        made = BodyArray.of([body.mass], [body.center], [body.inertia_along(np.eye(3))])
        return InertialText(self._data).sdf_edits(inertial.element, one.link.element, made)


class _SdfLinkEdit(ElementChanges):
    """The changes of one link with a stated inertial, or with none."""

    def stated(self, one: SdfBody, body: LinkValues) -> list[SourceEdit]:
        """Return the edits that state a body; what the file does not state has the default of the format."""
        inertial = one.link.inertial
        if inertial is None:
            self._add_inertial(body, body.inertia_along(np.eye(3)))
            return self.edits
        added: list[bytes] = []
        numbers = [0.0] * 6 if inertial.pose is None else inertial.pose.numbers
        if is_different([body.mass], [float(inertial.mass or _DEFAULT_MASS)], abs(body.mass)):
            added += self._set_words(inertial.element, "mass", [shortest_number_text(body.mass)])
        if is_different(body.center, numbers[:3], body_size(body)):
            pose = inertial.element.first("pose")
            is_quaternion = pose is not None and pose.attributes.get("rotation_format", "") == "quat_xyzw"
            turn = ["0", "0", "0", "1"] if is_quaternion else ["0", "0", "0"]
            added += self._set_words(inertial.element, "pose", number_texts(body.center).split(), turn)
        tensor = body.inertia_along(inertial_axes(numbers[3:]))
        added += self._set_tensor(inertial.element, inertial.tensor, tensor)
        if added:
            self.insert(inertial.element, added)
        return self.edits

    def _set_tensor(self, inertial: SourceElement, stated: Sequence[str], tensor: _Floats) -> list[bytes]:
        """Set the entries of the tensor that differ; return the lines to insert if there is no tensor."""
        largest = float(np.abs(tensor).max())
        old = [float(text or otherwise) for text, otherwise in zip(stated, _DEFAULT_TENSOR, strict=True)]
        pairs = zip(TENSOR_ENTRIES, tensor.tolist(), old, strict=True)
        values = {entry: shortest_number_text(new) for entry, new, one in pairs if is_different([new], [one], largest)}
        element = inertial.first("inertia")
        if element is None:
            return self._tensor_lines(inertial, tensor) if values else []
        added: list[bytes] = []
        for entry, text in values.items():
            added += self._set_words(element, entry, [text])
        if added:
            self.insert(element, added)
        return []

    def _tensor_lines(self, over: SourceElement, tensor: _Floats) -> list[bytes]:
        """Return the lines of a tensor."""
        step = self.step(over)
        texts = [shortest_number_text(value) for value in tensor.tolist()]
        entries = [f"<{entry}>{text}</{entry}>".encode() for entry, text in zip(TENSOR_ENTRIES, texts, strict=True)]
        return [b"<inertia>", *(step + entry for entry in entries), b"</inertia>"]

    def _add_inertial(self, body: LinkValues, tensor: _Floats) -> None:
        """Add an inertial to the link, in the axes of the link."""
        step = self.step(self.link)
        values = [
            f"<pose>{number_texts(body.center)} 0 0 0</pose>".encode(),
            f"<mass>{shortest_number_text(body.mass)}</mass>".encode(),
            *self._tensor_lines(self.link, tensor),
        ]
        self.insert(self.link, [b"<inertial>", *(step + value for value in values), b"</inertial>"])

    def _set_words(self, over: SourceElement, tag: str, words: Sequence[str], rest: Sequence[str] = ()) -> list[bytes]:
        """Replace the first words of the only child of a tag, which ``rest`` follows in a new text.

        Returns the line to insert if there is no such child.
        """
        element, text = over.first(tag), " ".join([*words, *rest]).encode()
        name = tag.encode()
        if element is None:
            return [b"<" + name + b">" + text + b"</" + name + b">"]
        if element.inner == element.end:  # an empty-element tag
            head = self.source[element.start : element.inner].rstrip(b"/>").rstrip()
            self.edits.append((element.start, element.end, head + b">" + text + b"</" + name + b">"))
            return []
        content = self.source[element.inner : element.close]
        found = list(_WORD.finditer(_MARKUP.sub(lambda one: b" " * len(one.group()), content)))
        if len(found) < len(words):
            self.edits.append((element.inner, element.close, text))
            return []
        for word, at in zip(words, found, strict=False):
            start, end = (element.inner + position for position in at.span())
            if self.source[start:end] != word.encode() and float(self.source[start:end]) != float(word):
                self.edits.append((start, end, word.encode()))
        return []
