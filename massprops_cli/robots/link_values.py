"""What a table states for the links of a robot, and the bytes of its file that state it; all others are kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Findings, Severity, TableError, UsageError
from massprops_cli.robots.link_inertials import InertialText, SourceEdit, report_included, resolve_robot_table
from massprops_cli.robots.robot_model import DEFAULT_INERTIAL, TENSOR_ENTRIES, SourceElement
from massprops_cli.robots.sdf.sdf_table import SdfBody, SdfTable, read_sdf

_Floats = NDArray[np.float64]
_FRAMES_OF_LINKS = ("own", "parent")
SAME = 1e-12  # largest difference, as a share of the largest value of its kind, of numbers that are not written again
_INDENT = re.compile(rb"\n([ \t]*)$")  # blanks of a line before a tag
_ELEMENT_NAME = re.compile(rb"<[^\s/>]+")  # name of an element at its start tag
_MARKUP = re.compile(rb"<!--.*?-->|<[^>]*>", re.DOTALL)  # "<!-- … -->" and tags
_WORD = re.compile(rb"\S+")  # numbers of a text with blanks between them


@dataclass(frozen=True, slots=True, eq=False)
class LinkValues:
    """What a table states for one link."""

    mass: float  # kg
    center: _Floats  # (3,) m, in the frame of the link
    inertia: _Floats  # (6,) kg·m² xx yy zz xy xz yz about the centre of mass, along axes; products are tensor entries
    axes: _Floats  # (3, 3) of the tensor, in those of the link

    @property
    def is_finite(self) -> bool:
        """Whether all values are in double precision."""
        return bool(np.isfinite([self.mass, *self.center, *self.inertia, *self.axes.ravel()]).all())

    def inertia_along(self, axes: _Floats) -> _Floats:
        """Return the tensor (6,) kg·m² along axes (3, 3) of the link; as stated if they are the same to rounding."""
        turn = axes.T @ self.axes
        if np.abs(turn - np.eye(3)).max() < 1e-12:
            return self.inertia
        return without_noise(Poses(np.zeros((1, 3)), turn[None]).tensors(self.inertia[None])[0])


def link_values(bom: Bom, links: Collection[str], findings: Findings) -> dict[str, LinkValues]:
    """Join the parts whose nearest link, at or above, is each link of a robot; docs/formulas.md, sections 3 and 12."""
    if bom.poses is None and bom.options.frame not in _FRAMES_OF_LINKS:
        raise UsageError(
            f"frame of the numbers in {bom.table.source.name} is not stated, and it has no poses: pass "
            "--config frame=own if each row is in the frame of its link"
        )
    owner, count = link_owners(bom, links)
    leaves = bom.tree.is_leaf()
    unowned = leaves & (owner < 0)
    for i in np.flatnonzero(unowned & (bom.bodies.mass != 0)).tolist():
        at = item_cell_place(bom.table, int(bom.rows[i]), None)
        words = f"{bom.ids[i]} is not a link of the robot and is not below one; it is not written"
        findings.report("MP887", words, at, value=bom.ids[i], item=bom.ids[i])
    result = {}
    for link in sorted(set(owner[leaves & (owner >= 0)].tolist())):
        parts = np.flatnonzero(leaves & (owner == link) & (count != 0))
        with np.errstate(over="ignore", invalid="ignore"):
            body = _joined(bom, link, parts, count, findings)
        if body is not None and not body.is_finite:
            place = item_cell_place(bom.table, int(bom.rows[parts[0]]), None)
            message = f"mass, centre or inertia of link {bom.ids[link]} exceeds double precision; it is not written"
            findings.report("MP888", message, place, value=bom.ids[link], item=bom.ids[link])
        elif body is not None:
            result[bom.ids[link]] = body
    return result


def link_owners(bom: Bom, links: Collection[str]) -> tuple[NDArray[np.intp], _Floats]:
    """Return the nearest link at or above each item (n,), −1: none, and the item's pieces in that link."""
    is_link = np.array([id in links for id in bom.ids], bool)
    owner, count = np.full(len(bom), -1, np.intp), np.ones(len(bom))
    for i in bom.tree.order.tolist():
        above = int(bom.tree.parent[i])
        if is_link[i]:
            owner[i] = i
        elif above >= 0:
            owner[i], count[i] = owner[above], count[above] * bom.quantity.count[i]
    count[is_link & bom.tree.is_leaf() & (bom.quantity.count == 0)] = 0.0
    return owner, count


def _joined(bom: Bom, link: int, parts: NDArray[np.intp], count: _Floats, findings: Findings) -> LinkValues | None:
    """Return the parts of a link as one body; None without a mass, or with a finding."""
    bodies = bom.bodies if bom.own_numbers is None else bom.own_numbers[0]
    if not len(parts) or not (bodies.mass[parts] * count[parts]).any():
        return None
    masks = (bom.bodies.has_mass, bom.bodies.has_center, bom.bodies.has_inertia)
    is_complete = all(mask is None or bool(mask[parts].all()) for mask in masks)
    if bodies.center is None or bodies.inertia is None or not is_complete:
        place = item_cell_place(bom.table, int(bom.rows[parts[0]]), None)
        message = f"mass, centre or inertia of link {bom.ids[link]} is not complete; its inertial is not written"
        findings.report("MP888", message, place, value=bom.ids[link], item=bom.ids[link])
        return None
    pose = _poses_in_link(bom, link, parts)
    center = pose.points(bodies.center[parts])
    if len(parts) == 1 and count[parts[0]] == 1:
        is_moved = bool((pose.translation != 0).any() or (pose.rotation != np.eye(3)).any())
        own = without_noise(center[0]) if is_moved else center[0]
        return LinkValues(float(bodies.mass[parts[0]]), own, bodies.inertia[parts[0]], pose.rotation[0])
    pieces = count[parts]
    masses, tensors = pieces * bodies.mass[parts], pieces[:, None] * pose.tensors(bodies.inertia[parts])
    whole = BodyArray.of(masses, center, tensors).total()
    joined_center, joined_inertia = without_noise(whole.center[0]), without_noise(whole.inertia[0])
    return LinkValues(float(whole.mass[0]), joined_center, joined_inertia, np.eye(3))


def _poses_in_link(bom: Bom, link: int, parts: NDArray[np.intp]) -> Poses:
    """Return what moves the numbers of parts into the frame of their link, without the rounding of the way to it."""
    if bom.poses is None:
        return Poses.identity(len(parts))
    above, numbers = bom.poses.in_root[np.full(len(parts), link)], bom.poses.numbers[parts]
    pose = above.inverse() @ numbers
    reach = np.abs(above.translation).sum(axis=1) + np.abs(numbers.translation).sum(axis=1)
    translation = pose.translation.copy()
    for row, size in zip(translation, reach.tolist(), strict=True):
        rounded = np.round(row, int(np.clip(np.floor(-np.log10(max(1e-14 * size, 1e-17))), 0, 17))) + 0.0
        is_noise = np.abs(rounded - row) <= 4 * np.finfo(float).eps * size
        row[is_noise] = rounded[is_noise]
    keeps_axes = np.abs(pose.rotation - np.eye(3)).max(axis=(1, 2)) <= 1e-12
    return Poses(translation, np.where(keeps_axes[:, None, None], np.eye(3), pose.rotation))


def without_noise(values: _Floats) -> _Floats:
    """Return values (k,), any unit, with 15 digits, and 0 for what is only rounding of the largest."""
    largest = float(np.abs(values).max(initial=0.0))
    return np.array([0.0 if abs(value) <= 1e-15 * largest else float(f"{value:.15g}") for value in values.tolist()])


class ElementChanges:
    """Changes of one link of a robot."""

    def __init__(self, source: bytes, link: SourceElement) -> None:
        self.source, self.link = source, link
        self.edits: list[SourceEdit] = []

    def insert(self, over: SourceElement, lines: Sequence[bytes]) -> None:
        """Insert lines at the beginning of an element, indented as its children are."""
        outer, inner = self.indents(over)
        is_one_line = outer is None
        break_ = b"" if is_one_line else self._line_end() + (inner or b"")
        text = b"".join(break_ + line for line in lines)
        if over.close != over.inner or self.source[over.inner - 2 : over.inner] != b"/>":
            self.edits.append((over.inner, over.inner, text))
            return
        named = _ELEMENT_NAME.match(self.source, over.start)
        assert named is not None
        tag = named.group()[1:]
        tail = b"" if is_one_line else self._line_end() + (outer or b"")
        self.edits.append((over.inner - 2, over.inner, b">" + text + tail + b"</" + tag + b">"))

    def insert_inertial(self, values: Sequence[bytes]) -> None:
        """Insert an inertial with some elements."""
        step = self.step(self.link)
        self.insert(self.link, [b"<inertial>", *(step + value for value in values), b"</inertial>"])

    def attribute_edit(self, element: SourceElement, name: str, value: str) -> SourceEdit:
        """Return the edit of an attribute, which is added after the name of the element if it is missing."""
        if (found := self._attribute(element, name)) is None:
            named = _ELEMENT_NAME.match(self.source, element.start)
            at = named.end() if named else element.start
            return at, at, f' {name}="{value}"'.encode()
        group = 1 if found.group(1) is not None else 2
        return found.start(group), found.end(group), value.encode()

    def removed_attribute(self, element: SourceElement, name: str) -> list[SourceEdit]:
        """Return the edit that removes an attribute with the blanks before it; none if it is missing."""
        found = self._attribute(element, name)
        return [] if found is None else [(found.start(), found.end(), b"")]

    def _attribute(self, element: SourceElement, name: str) -> re.Match[bytes] | None:
        """Return the match of an attribute in a start tag, its value in group 1 or 2."""
        pattern = re.compile(rb"\s+" + name.encode() + rb"""\s*=\s*(?:"([^"]*)"|'([^']*)')""")
        return pattern.search(self.source, element.start, element.inner)

    def indents(self, over: SourceElement) -> tuple[bytes | None, bytes | None]:
        """Return the indents of an element and of its children."""
        outer = self._indent(over)
        inner = self._indent(over.children[0]) if over.children else None
        if outer is None:
            return None, None
        return outer, inner if inner is not None else outer + (b"\t" if outer.endswith(b"\t") else b"  ")

    def step(self, over: SourceElement) -> bytes:
        """Return the indent of one level in an element; none in a file of one line."""
        inner = self.indents(over)[1]
        return b"" if inner is None else b"\t" if inner.endswith(b"\t") else b"  "

    def _indent(self, element: SourceElement) -> bytes | None:
        """Return the blanks before an element on its line; None if something else is there."""
        found = _INDENT.search(self.source, max(0, element.start - 1000), element.start)
        return found.group(1) if found else None

    def _line_end(self) -> bytes:
        """Return the line end of the file."""
        return b"\r\n" if b"\r\n" in self.source[: self.link.end] else b"\n"


def inertial_axes(angles: Sequence[float]) -> _Floats:
    """Return the axes (3, 3) of an inertial in those of its link, from its angles (3,) rad."""
    axes: _Floats = Poses.from_rpy(np.zeros((1, 3)), [angles], "rad").rotation[0]
    return axes


def body_size(body: LinkValues) -> float:
    """Return the length to which the difference of two centres is compared."""
    gyration = float(np.sqrt(max(float(body.inertia[:3].sum()), 0.0) / (2 * abs(body.mass))))
    return max(float(np.abs(body.center).max()), gyration)


def is_different(new: Sequence[float] | _Floats, old: Sequence[float], size: float) -> bool:
    """Return whether numbers (k,) differ by more than rounding of a size of their unit, or are missing."""
    if len(old) != len(new):
        return True
    return not bool((np.abs(np.asarray(new) - np.asarray(old)) <= SAME * size).all())


def number_texts(values: _Floats) -> str:
    """Return numbers (k,) as shortest texts that read back the same, with a blank between them."""
    return " ".join(shortest_number_text(value) for value in values.tolist())


class SdfInertials:
    """The links of an SDF file, and the changes that give them other inertials."""

    def __init__(self, name: str, data: bytes, folders: Sequence[str]) -> None:
        options = FileOptions(folders=tuple(folders))
        read = Findings()
        table = resolve_robot_table(read_sdf(name, data, options, False, read), Findings())
        assert isinstance(table, SdfTable)
        if any(one.severity is Severity.ERROR and one.rule != "MP850" for one in read):  # an include has no bytes here
            raise TableError(read)
        self._name, self._data, self._table = name, data, table
        self._bodies = {table.text(one.row, 1): one for one in table.bodies}
        self._included: Counter[str] = Counter()

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
            self._included[one.model.file.name] += 1
            return []
        if one.is_auto:
            assert one.link.inertial is not None
            made = BodyArray.of([body.mass], [body.center], [body.inertia_along(np.eye(3))])  # becomes one with numbers
            return InertialText(self._data).sdf_edits(one.link.inertial.element, one.link.element, made)
        return _SdfLinkEdit(source, one.link.element).stated(one, body)

    def report_included(self, findings: Findings) -> None:
        """Report links of included files whose values differ."""
        remedy = "name the links as in {0}, and write them with --into-robot {0}"
        report_included(self._name, self._included, "inertial", remedy, findings)

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


class _SdfLinkEdit(ElementChanges):
    """The changes of one link with a stated inertial, or with none."""

    def stated(self, one: SdfBody, body: LinkValues) -> list[SourceEdit]:
        """Return the edits that state a body; what the file does not state has the default of the format."""
        if (inertial := one.link.inertial) is None:
            self._add_inertial(body, body.inertia_along(np.eye(3)))
            return self.edits
        added: list[bytes] = []
        numbers = [0.0] * 6 if inertial.pose is None else inertial.pose.numbers
        if is_different([body.mass], [float(inertial.mass or DEFAULT_INERTIAL[0])], abs(body.mass)):
            added += self._set_words(inertial.element, "mass", [shortest_number_text(body.mass)])
        if is_different(body.center, numbers[:3], body_size(body)):
            pose = inertial.element.first("pose")
            is_quaternion = pose is not None and pose.attributes.get("rotation_format", "") == "quat_xyzw"
            turn = ["0", "0", "0", "1"] if is_quaternion else ["0", "0", "0"]
            added += self._set_words(inertial.element, "pose", number_texts(body.center).split(), turn)
        added += self._set_tensor(inertial.element, inertial.tensor, body.inertia_along(inertial_axes(numbers[3:])))
        if added:
            self.insert(inertial.element, added)
        return self.edits

    def _set_tensor(self, inertial: SourceElement, stated: Sequence[str], tensor: _Floats) -> list[bytes]:
        """Set the entries of the tensor that differ; return the lines to insert if there is no tensor."""
        largest = float(np.abs(tensor).max())
        old = [float(text or otherwise) for text, otherwise in zip(stated, DEFAULT_INERTIAL[1], strict=True)]
        pairs = zip(TENSOR_ENTRIES, tensor.tolist(), old, strict=True)
        values = {entry: shortest_number_text(new) for entry, new, one in pairs if is_different([new], [one], largest)}
        if (element := inertial.first("inertia")) is None:
            return self._tensor_lines(inertial, tensor) if values else []
        added = [line for entry, text in values.items() for line in self._set_words(element, entry, [text])]
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
        values = [
            f"<pose>{number_texts(body.center)} 0 0 0</pose>".encode(),
            f"<mass>{shortest_number_text(body.mass)}</mass>".encode(),
            *self._tensor_lines(self.link, tensor),
        ]
        self.insert_inertial(values)

    def _set_words(self, over: SourceElement, tag: str, words: Sequence[str], rest: Sequence[str] = ()) -> list[bytes]:
        """Replace the first words of the only child of a tag, before ``rest``; or return the line to insert."""
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
