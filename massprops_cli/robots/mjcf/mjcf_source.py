"""MJCF as it is stated: a file with those that it includes, its compiler options, classes of defaults and assets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.rotations import Floats, frame_matrix, quaternion_rows, vector_rotations
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.findings.finding import Findings, Place, TableError, nearest_name_hint, rule_finding
from massprops_cli.robots.robot_model import SourceElement, parse_source
from massprops_cli.robots.sdf.sdf_model import RobotFolders, included_place

MAIN = "main"  # class of defaults that every element has
_DEEPEST = 200  # levels of elements, with those of included files
_MOST_BYTES = 2**26  # largest included file
TURNS = {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
"""Attributes that state an orientation, and how many numbers each has; the last that is stated applies."""
Attributes = Mapping[str, str]


@dataclass(slots=True)
class MjcfSource:
    """A model: its elements with those of included files, and what applies to all of them."""

    name: str
    folder: Path  # of the model
    folders: RobotFolders
    findings: Findings
    root: SourceElement
    compiler: dict[str, str] = field(default_factory=dict)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})
    """Class → tag → attributes, with those of the classes around it."""
    assets: dict[tuple[str, str], SourceElement] = field(default_factory=dict)  # by tag and name

    def sections(self, tag: str) -> Iterator[SourceElement]:
        """Yield the elements in all sections of a tag."""
        return (element for section in self.root.all(tag) for element in section.children)

    def place(self, element: SourceElement) -> Place:
        """Return the address of an element."""
        return Place(element.file or self.name, line=element.line)

    def flag(self, name: str) -> bool:
        """Return whether a flag of the compiler is set."""
        return self.compiler.get(name, "false") == "true"

    def option(self, name: str, count: int = 1, default: Sequence[float] = (0.0,)) -> Sequence[float]:
        """Return numbers of the compiler, or those of the format."""
        section = next(self.root.all("compiler"), self.root)
        return self.numbers(section, self.compiler, name, count) or default

    def attributes(self, element: SourceElement, childclass: str) -> dict[str, str]:
        """Return the attributes of an element with the defaults of its class, else of the class around it."""
        name = element.attributes.get("class", childclass)
        if (known := self.classes.get(name)) is None:
            message = f"class of {element.tag} is not defined: {name!r}{nearest_name_hint(name, self.classes)}"
            self.findings.report("MP874", message, self.place(element), value=name)
            known = self.classes[MAIN]
        return _merged(known.get(element.tag, {}), element.attributes)

    def numbers(
        self, element: SourceElement, attributes: Attributes, name: str, count: int, least: int = 0
    ) -> list[float]:
        """Read the numbers of an attribute, ``least`` to ``count`` of them; none if it is missing or has a fault."""
        if (text := attributes.get(name)) is None:
            return []
        words = text.split()
        if (least or count) <= len(words) <= count and all(map(is_xml_number, words)):
            return [float(word) for word in words]
        expected = "a number" if count == 1 else f"{count} numbers" if not least else f"{least} to {count} numbers"
        message = f"{name} of {element.tag} is not {expected}: {text!r}"
        self.findings.report("MP205", message, self.place(element), value=text)
        return []

    def pose(self, element: SourceElement, attributes: Attributes) -> Floats:
        """Return the pose (4, 4) of an element in what is around it."""
        position = self.numbers(element, attributes, "pos", 3) or [0.0] * 3
        return frame_matrix(position, self.rotation(element, attributes))

    def rotation(self, element: SourceElement, attributes: Attributes) -> Floats:
        """Return the orientation (3, 3) that an element states in one of five forms."""
        name = next((name for name in reversed(TURNS) if name in attributes), "quat")
        if not (values := self.numbers(element, attributes, name, TURNS[name])):
            return np.eye(3)
        found = self.euler_rotation(values) if name == "euler" else self._stated_turn(name, np.array(values))
        if found is None or not np.isfinite(found).all():
            message = f"{name} of {element.tag} is not an orientation: {attributes[name]!r}"
            self.findings.report("MP854", message, self.place(element), value=attributes[name])
            return np.eye(3)
        return found

    def _stated_turn(self, name: str, values: Floats) -> Floats | None:
        """Return an orientation (3, 3) that is not stated by angles about axes; None without a direction."""
        size = float(np.linalg.norm(values[:3] if name != "quat" else values))
        if not 0 < size < math.inf:
            return None
        if name == "quat":
            return np.array(quaternion_rows(*(values / size).tolist()))
        axis = values[:3] / size
        if name == "axisangle":
            return _turn(axis * self.angle(float(values[3])))
        if name == "xyaxes":
            y = values[3:] - axis * (axis @ values[3:])
            if not 0 < (length := float(np.linalg.norm(y))) < math.inf:
                return None
            return np.column_stack([axis, y / length, np.cross(axis, y / length)])
        return axis_rotation(axis)

    def euler_rotation(self, angles: list[float]) -> Floats:
        """Return the rotation (3, 3) of angles in the sequence of the compiler: lower case about the moving axes."""
        rotation = np.eye(3)
        sequence = self.compiler.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
            message = f"eulerseq of compiler is not three of x, y, z, X, Y, Z: {sequence!r}"
            self.findings.report("MP854", message, self.place(next(self.root.all("compiler"))), value=sequence)
            sequence = "xyz"
        for letter, angle in zip(sequence, angles, strict=True):
            turn = _turn(np.eye(3)["xyz".index(letter.lower())] * self.angle(angle))
            rotation = rotation @ turn if letter.islower() else turn @ rotation
        return rotation

    def angle(self, value: float) -> float:
        """Return an angle in radians; the format has degrees unless the compiler states radians."""
        return value if self.compiler.get("angle") == "radian" else math.radians(value)

    def asset_file(self, element: SourceElement) -> tuple[Path | None, str]:
        """Return the path of the file of a mesh; None with the reason."""
        uri = element.attributes.get("file", "")
        if self.flag("strippath"):
            uri = PurePosixPath(uri.replace("\\", "/")).name
        folder = self.compiler.get("meshdir", self.compiler.get("assetdir", ""))
        return self.folders.find(uri, self.folder / folder.replace("\\", "/"))


def _turn(vector: Floats) -> Floats:
    """Return the rotation (3, 3) by a vector (3,) rad, axis times angle."""
    return np.asarray(vector_rotations(vector[None])[0])


def _merged(defaults: Attributes, own: Attributes) -> dict[str, str]:
    """Return attributes with defaults; an orientation replaces that of the defaults, whatever its form."""
    if any(name in own for name in TURNS):
        defaults = {name: text for name, text in defaults.items() if name not in TURNS}
    return {**defaults, **own}


def read_mjcf_source(
    name: str, data: bytes, folders: RobotFolders, findings: Findings, folder: Path | None = None
) -> MjcfSource:
    """Read an MJCF file and those that it includes; ``folder`` is that of the file unless its name has it."""
    folder = folder or (Path(name).parent if name != "-" else Path())
    source = MjcfSource(name, folder, folders, findings, parse_source(name, data))
    if source.root.tag != "mujoco":
        message = f"root element is {source.root.tag} (expected mujoco)"
        raise TableError([rule_finding("MP871", message, source.place(source.root), value=source.root.tag)])
    _Includes(source).expand(source.root, Path(), 1)
    for section in source.root.all("compiler"):
        source.compiler.update(section.attributes)
    for section in source.root.all("default"):
        _add_class(source, section, MAIN)
    for element in source.sections("asset"):
        stem = PurePosixPath(element.attributes.get("file", "").replace("\\", "/")).stem
        source.assets[element.tag, element.attributes.get("name", stem)] = element
    return source


def _add_class(source: MjcfSource, element: SourceElement, above: str) -> None:
    """Add a class of defaults, and those in it, which begin with its values."""
    name = element.attributes.get("class", MAIN if element in source.root.children else "")
    known = source.classes.setdefault(name, {})
    if name != above:
        known.update({tag: dict(values) for tag, values in source.classes[above].items()})
    for child in element.children:
        if child.tag != "default":
            known[child.tag] = _merged(known.get(child.tag, {}), child.attributes)
    for child in element.all("default"):
        _add_class(source, child, name)


def read_included_file(path: Path) -> bytes:
    """Return the bytes of a file that a model names; OSError also for one that is too large."""
    if path.stat().st_size > _MOST_BYTES:
        raise OSError(0, f"file has more than {_MOST_BYTES:,} bytes")
    return path.read_bytes()


class _Includes:
    """The files that a model includes, each at most once, as MuJoCo requires."""

    def __init__(self, source: MjcfSource) -> None:
        self._source, self._found = source, set[Path]()

    def expand(self, element: SourceElement, folder: Path, depth: int) -> None:
        """Replace the elements ``include`` in an element; ``folder`` is that of its own file, in that of the model."""
        if depth > _DEEPEST:
            message = f"elements are nested deeper than {_DEEPEST} levels"
            raise TableError([rule_finding("MP852", message, self._source.place(element), value=element.tag)])
        children = []
        for child in element.children:
            child.file = element.file
            if child.tag == "include":
                children += self._included(child, folder, depth)
            else:
                self.expand(child, folder, depth + 1)
                children.append(child)
        element.children = children

    def _included(self, include: SourceElement, folder: Path, depth: int) -> list[SourceElement]:
        """Return the elements of an included file, which is in the folder of the model or of the file around it."""
        source, uri = self._source, include.attributes.get("file", "")
        place = source.place(include)
        path, reason = source.folders.find(uri, source.folder)
        if path is None and folder != Path():
            path, reason = source.folders.find(uri, folder)
        if path is None:
            source.findings.report("MP850", f"included file {reason}: {uri!r}", place, value=uri)
            return []
        if path in self._found:
            source.findings.report("MP851", f"file is included twice: {uri!r}", place, value=uri)
            return []
        self._found.add(path)
        try:
            root = parse_source(included_place(path, source.folders).file, read_included_file(path))
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            source.findings.report("MP850", f"included file cannot be read: {reason}: {uri!r}", place, value=uri)
            return []
        root.file = included_place(path, source.folders).file
        self.expand(root, path.parent, depth)
        return root.children
