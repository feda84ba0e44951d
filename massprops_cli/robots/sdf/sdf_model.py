"""SDF as it is stated: models, links, joints and frames, the files that include each other, and the poses of frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from massprops_cli.bodies.rotations import Floats, inverse_frame, roll_pitch_yaw, stated_frame
from massprops_cli.findings.finding import Findings, Place, TableError, nearest_name_hint
from massprops_cli.robots.robot_model import AT_ORIGIN, SHAPE_DIMS, SourceElement, parse_source

Texts = tuple[str, ...]
MODEL_FRAME = "__model__"
SCOPE = "::"  # text between the name of a model and a name in it
_SCHEMES = ("model", "package")
_CONFIGURATION = "model.config"
_MOST_BYTES = 2**26  # largest file of an included model
SDF_ROOTS = ("sdf", "gazebo")  # root elements; gazebo until 1.2
OLDEST, NEWEST = (1, 2), (1, 12)  # versions of SDF that are read
_WORLD = "world"
FrameKey = tuple[int, str]  # identity of a model, and the name of a frame in it
_Pose = Any  # a matrix (4, 4), or an exact pose; ``first @ second`` is a pose in a frame that has the first
MATRICES = np.eye(4), lambda pose: stated_frame(pose.numbers), inverse_frame
"""Poses as matrices: that which changes nothing, and functions for a stated pose and for the inverse of a pose."""


@dataclass(frozen=True, slots=True)
class SdfFile:
    """A file of models: its name in findings, its folder, and the version that it states."""

    name: str
    folder: Path
    version: tuple[int, int]

    def place(self, line: int) -> Place:
        """Return the address of a line."""
        return Place(self.name, line=line)


@dataclass(frozen=True, slots=True)
class SdfPose:
    """A pose as stated: x y z in metres, and roll pitch yaw in radians about the fixed axes of its reference.

    ``texts`` are those of the file if it states them in this form, else numbers converted from degrees or a quaternion.
    """

    line: int
    texts: Texts = AT_ORIGIN
    relative_to: str = ""
    is_valid: bool = True  # else its fault is a finding, and it is not known

    @property
    def numbers(self) -> list[float]:
        """The six numbers."""
        return [float(text) for text in self.texts]


@dataclass(frozen=True, slots=True)
class RobotGeometry:
    """The geometry of a collision or a visual: its kind, dimensions by the names of the format, and mesh."""

    kind: str
    line: int
    dims: dict[str, Texts] = field(default_factory=dict)
    uri: str = ""
    scale: Texts = ("1", "1", "1")
    submesh: str = ""

    @property
    def lengths(self) -> dict[str, float]:
        """Dimensions in m by their names in the table of shapes; none of a mesh."""
        texts = [text for one in self.dims.values() for text in one]
        return dict(zip(SHAPE_DIMS.get(self.kind, ""), map(float, texts), strict=True))

    @property
    def is_known(self) -> bool:
        """Whether it is a mesh, or a shape with a volume."""
        return self.kind == "mesh" or bool(self.dims)


@dataclass(frozen=True, slots=True)
class SdfCollision:
    """A collision of a link; ``density`` is empty and ``parameters`` None where it states none."""

    name: str
    line: int
    pose: SdfPose | None
    geometry: RobotGeometry | None
    density: str = ""
    parameters: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SdfInertial:
    """The inertial of a link; tensor entries Ixx, Iyy, Izz, Ixy, Ixz, Iyz, blank where the file states none."""

    element: SourceElement
    pose: SdfPose | None
    is_auto: bool
    mass: str
    tensor: Texts
    density: str = ""
    parameters: dict[str, str] | None = None
    is_valid: bool = True  # else a fault of its mass or tensor is a finding


@dataclass(frozen=True, slots=True)
class SdfLink:
    """A link of a model."""

    name: str
    element: SourceElement
    pose: SdfPose | None
    inertial: SdfInertial | None
    collisions: tuple[SdfCollision, ...]

    @property
    def line(self) -> int:
        """Line of the element."""
        return self.element.line


@dataclass(frozen=True, slots=True)
class SdfFrame:
    """A frame of a model or a world, or a joint, whose frame is that of its child unless its pose states another."""

    name: str
    line: int
    pose: SdfPose | None
    attached_to: str
    joined: tuple[str, str] | None = None  # parent and child of a joint
    kind: str = ""
    element: SourceElement | None = None


@dataclass(slots=True)
class SdfModel:
    """A model or a world: what it states directly, in the order of the file."""

    file: SdfFile
    name: str
    line: int
    is_world: bool = False
    pose: SdfPose | None = None
    placement_frame: str = ""
    canonical_link: str = ""
    is_static: bool = False
    is_merged: bool = False  # its names are names of the model that includes it
    is_missing: bool = False  # it is included, and its file is not read
    links: dict[str, SdfLink] = field(default_factory=dict)
    frames: dict[str, SdfFrame] = field(default_factory=dict)
    models: dict[str, SdfModel] = field(default_factory=dict)
    gravity: tuple[str, str, str] | None = None  # of a world, in m/s²; None if it states none

    @property
    def has_links(self) -> bool:
        """Whether it has a link, also in nested models; one that is missing may have."""
        return bool(self.links) or self.is_missing or any(model.has_links for model in self.models.values())


@dataclass(frozen=True, slots=True)
class RobotFolders:
    """Folders in which the files of a robot may be, with the folders below them."""

    roots: tuple[Path, ...]  # the folder of the file, and further ones

    @classmethod
    def of(cls, name: str, roots: Sequence[str] = ()) -> RobotFolders:
        """Return the folders for a file."""
        folder = Path(name).parent if name != "-" else Path()
        return cls((folder.resolve(), *(Path(root).resolve() for root in roots)))

    def find(self, uri: str, folder: Path) -> tuple[Path | None, str]:
        """Find a file or folder that a robot names; None with the reason."""
        scheme, sign, rest = uri.strip().partition("://")
        rest = unquote(rest) if sign else uri.strip()
        if not rest or "\0" in rest:
            return None, "is not a path"
        if sign and scheme not in (*_SCHEMES, "file"):
            return None, f"is not in a file: {scheme}:// is not fetched"
        if not sign or scheme == "file":
            tried = [one / rest.replace("\\", os.sep) for one in (folder, *(() if sign else self.roots))]
        else:
            # the first name is a folder in one of the roots, or a root, or a folder above that is in a root
            name, _, below = rest.partition("/")
            above = [one for one in (folder, *folder.parents) if one.name == name]
            tried = [root / rest for root in self.roots]
            tried += [one / below for one in (*self.roots, *above) if one.name == name]
        return self._allowed(tried)

    def _allowed(self, tried: Sequence[Path]) -> tuple[Path | None, str]:
        """Return the first path that exists in the roots."""
        is_outside = False
        for one in tried:
            try:
                path = one.resolve()
                exists = path.exists()
            except (OSError, RuntimeError, ValueError):
                return None, "is not a path"
            if not any(path.is_relative_to(root) for root in self.roots):
                is_outside = True
            elif exists:
                return path, ""
        return None, "is outside the allowed folders" if is_outside else "does not exist"


def model_file(path: Path, findings: Findings) -> tuple[Path | None, str]:
    """Return the SDF file of a model: the file, or the newest one that the configuration of its folder lists."""
    if path.is_file():
        too_large = path.stat().st_size > _MOST_BYTES
        return (None, f"has more than {_MOST_BYTES:,} bytes") if too_large else (path, "")
    configuration = path / _CONFIGURATION
    if not configuration.is_file():
        return None, f"is a folder without {_CONFIGURATION}"
    try:
        root = parse_source(configuration.name, configuration.read_bytes()[:_MOST_BYTES], findings)
    except TableError as error:
        findings += error.findings
        return None, f"has a {_CONFIGURATION} that cannot be read"
    listed = [(parse_version(one.attributes.get("version", "")), one.value) for one in root.all("sdf")]
    if not (usable := [(version, text) for version, text in listed if version is None or version <= NEWEST]):
        return None, f"has a {_CONFIGURATION} without an SDF file of a version that is read"
    text = max(usable, key=lambda one: one[0] or (0, 0))[1]
    found = (path / text).resolve()
    if not found.is_relative_to(path.resolve()) or not found.is_file():
        source = next((one.name for one in sorted(path.glob("*")) if one.name.startswith(f"{found.name}.")), "")
        reason = f"has a {_CONFIGURATION} that names a file that is not in the folder: {text}"
        return None, f"{reason} (a build step makes it from {source})" if source else reason
    return model_file(found, findings)


def parse_version(text: str) -> tuple[int, int] | None:
    """Read the version of a file."""
    major, _, minor = text.strip().partition(".")
    is_number = all(part.isascii() and part.isdigit() and len(part) < 6 for part in (major, minor))
    return (int(major), int(minor)) if is_number else None


def included_place(path: Path, folders: RobotFolders) -> Place:
    """Return the address of an included file: its path in the first root that contains it."""
    root = next((root for root in folders.roots if path.is_relative_to(root)), None)
    return Place(path.name if root is None else path.relative_to(root).as_posix())


class SdfPoses:
    """Poses of everything in a model or a world; unknown frames and cycles are appended to ``findings``."""

    def __init__(self, top: SdfModel, findings: Findings) -> None:
        self._findings, self._top = findings, top
        self._scopes: dict[int, SdfModel] = {id(model): model for model in _all_models(top)}
        self._known: dict[FrameKey, Floats] = {}
        self._reported: set[FrameKey] = set()
        self._unplaced: set[FrameKey] = set()  # frames whose pose is not known, with a finding
        for model in self._scopes.values():
            self._check_joints(model)
            for name in ("", *model.links, *model.frames, *model.models):
                self.frame(model, name, model.line)
            if model.placement_frame:
                self.frame(model, model.placement_frame, model.line)

    def is_placed(self, model: SdfModel, name: str) -> bool:
        """Return whether the pose of a frame in a model is known."""
        return (id(model), name) not in self._unplaced

    def is_valid(self, model: SdfModel, pose: SdfPose) -> bool:
        """Return whether a pose of a model is known."""
        self.frame(model, pose.relative_to, pose.line)
        return pose.is_valid and self.is_placed(model, pose.relative_to)

    def link_texts(self, model: SdfModel, link: SdfLink) -> Texts:
        """Return the pose of a link in its model."""
        return self._texts(link.pose, model, link.name)

    def model_texts(self, over: SdfModel, model: SdfModel) -> Texts:
        """Return the pose of a nested model."""
        if model.placement_frame:
            return pose_texts(self.frame(over, model.name, over.line))
        return self._texts(model.pose, over, model.name)

    def in_link(self, model: SdfModel, link: SdfLink, pose: SdfPose | None) -> Floats:
        """Return the pose (4, 4), in a link, of one of its elements such as a collision; None: that of the link."""
        if pose is None:
            return np.eye(4)
        matrix = stated_frame(pose.numbers)
        if pose.relative_to in ("", link.name):
            return matrix
        own = self.frame(model, link.name, link.line)
        return inverse_frame(own) @ self.frame(model, pose.relative_to, pose.line) @ matrix

    def frame(self, model: SdfModel, name: str, line: int) -> Floats:
        """Return the pose (4, 4) in a model of a link, joint, frame or model; identity, with a finding, if unknown."""
        path: list[FrameKey] = [(id(model), name)]
        while path:
            key = path[-1]
            needed = [factor for factor, _ in self._factors(key, line) if not isinstance(factor, SdfPose)]
            missing = next((other for other in needed if other not in self._known), None)
            if key in self._known:
                path.pop()
            elif missing is None:
                self._known[key] = self._product(key, self._known, *MATRICES)
                self._mark_unplaced(key)
                path.pop()
            elif missing in path:
                self._report_cycle(path[path.index(missing) :])
                self._known[missing] = np.eye(4)
                self._unplaced.add(missing)
            else:
                path.append(missing)
        return self._known[id(model), name]

    def _mark_unplaced(self, key: FrameKey) -> None:
        """Mark a frame whose pose is not valid, or is in a frame that is not placed."""
        for factor, _ in self._factors(key, 0):
            if not factor.is_valid if isinstance(factor, SdfPose) else factor in self._unplaced:
                self._unplaced.add(key)

    def composed(
        self, unit: _Pose, stated: Callable[[SdfPose], _Pose], inverse: Callable[[_Pose], _Pose]
    ) -> dict[FrameKey, _Pose]:
        """Return the poses of all frames that have been named, in the frame of the top model or world."""
        own: dict[FrameKey, _Pose] = {}
        for key in self._known:  # each after those that its pose is stated in
            own[key] = self._product(key, own, unit, stated, inverse)
        models = {id(self._top): unit}
        for over in self._scopes.values():
            for name, nested in over.models.items():
                models[id(nested)] = models[id(over)] @ own[id(over), name]
        return {key: models[key[0]] @ value for key, value in own.items()}

    def _product(
        self, key: FrameKey, known: Mapping[FrameKey, _Pose], unit: _Pose,
        stated: Callable[[SdfPose], _Pose], inverse: Callable[[_Pose], _Pose],
    ) -> _Pose:  # fmt: skip
        """Return the product of the factors of a pose whose references are known."""
        result = unit
        for factor, is_inverse in self._factors(key, 0):
            value = stated(factor) if isinstance(factor, SdfPose) else known[factor]
            result = result @ (inverse(value) if is_inverse else value)
        return result

    def _factors(self, key: FrameKey, line: int) -> list[tuple[FrameKey | SdfPose, bool]]:
        """Return the frames and stated poses whose product is the pose of a frame, and which of them are inverted."""
        model, name = self._scopes[key[0]], key[1]
        if self._is_origin(model, name):
            return []
        if name in model.links or name in model.frames:
            pose = (model.links.get(name) or model.frames[name]).pose
            return _factors_of((key[0], _reference(model, name, pose)), pose)
        if name in model.models:
            nested = model.models[name]
            outer = _factors_of((key[0], _reference(model, name, nested.pose)), nested.pose)
            return [*outer, ((id(nested), nested.placement_frame), True)]
        if (inner := _inner_name(model, name)) is not None:
            return [((key[0], inner[0].name), False), ((id(inner[0]), inner[1]), False)]
        self._report_unknown(key, line)
        return []

    def _is_origin(self, model: SdfModel, name: str) -> bool:
        """Return whether a name is the frame of its scope."""
        return name in ("", _WORLD if model.is_world else MODEL_FRAME)

    def _texts(self, pose: SdfPose | None, model: SdfModel, name: str) -> Texts:
        """Return the texts of a stated pose, or the numbers of a composed one."""
        if pose is None or self._is_origin(model, pose.relative_to):
            return AT_ORIGIN if pose is None else pose.texts
        return pose_texts(self.frame(model, name, model.line))

    def _check_joints(self, model: SdfModel) -> None:
        """Report joints whose parent or child is not a frame of the model."""
        for joint in model.frames.values():
            if joint.joined is None or joint.element is None:
                continue
            for axis in (*joint.element.all("axis"), *joint.element.all("axis2")):
                self.frame(model, axis_frame(axis), axis.line)
            for role, name in zip(("parent", "child"), joint.joined, strict=True):
                if (role == "parent" and name == _WORLD) or (name and _is_known(model, name)):
                    continue
                place = model.file.place(joint.line)
                hint = nearest_name_hint(name, (*model.links, *model.frames))
                message = f"{role} of joint {joint.name} is not a link or frame of the model: {name!r}{hint}"
                if not name:
                    message = f"joint {joint.name} states no {role}"
                self._findings.report("MP861", message, place, value=name, item=joint.name)
                self._reported.add((id(model), name))

    def _report_unknown(self, key: FrameKey, line: int) -> None:
        """Report a name that is not a frame of its scope, once; a missing model may have any."""
        self._unplaced.add(key)
        model, name = self._scopes[key[0]], key[1]
        if key in self._reported or model.is_missing:
            return
        self._reported.add(key)
        what = "world" if model.is_world else "model"
        hint = nearest_name_hint(name, (*model.links, *model.frames, *model.models))
        message = f"frame does not exist in {what} {model.name}: {name!r}{hint}"
        place = model.file.place(_naming_line(model, name, line))
        self._findings.report("MP872", message, place, value=name, item=model.name)

    def _report_cycle(self, path: list[FrameKey]) -> None:
        """Report frames that are stated in each other."""
        model, name = self._scopes[path[0][0]], path[0][1]
        names = [one for _, one in path if one] or [name]
        message = f"poses are stated in a cycle of frames: {' → '.join([*names, names[0]])}"
        element = model.links.get(name) or model.frames.get(name) or model.models.get(name) or model
        self._findings.report("MP873", message, model.file.place(element.line), value=name, item=name)


def pose_texts(matrix: Floats) -> Texts:
    """Return pose (4, 4) → x y z m, roll pitch yaw rad about fixed axes as text, with all digits."""
    numbers = (*matrix[:3, 3].tolist(), *roll_pitch_yaw(matrix[:3, :3]))
    return tuple(repr(number + 0.0) for number in numbers)


def axis_frame(axis: SourceElement) -> str:
    """Return the name of the frame that the axis of a joint is stated in."""
    element = axis.first("xyz")
    return "" if element is None else element.attributes.get("expressed_in", "").strip()


def _all_models(top: SdfModel) -> Iterator[SdfModel]:
    """Yield a model and those nested in it, parents first."""
    yield top
    for model in top.models.values():
        yield from _all_models(model)


def _factors_of(reference: FrameKey, pose: SdfPose | None) -> list[tuple[FrameKey | SdfPose, bool]]:
    """Return the factors of a pose that is stated in a frame."""
    return [(reference, False)] if pose is None else [(reference, False), (pose, False)]


def _reference(model: SdfModel, name: str, pose: SdfPose | None) -> str:
    """Return the frame that a pose is stated in: that of a frame or a joint is what it is attached to by default."""
    if pose is not None and pose.relative_to:
        return pose.relative_to
    return model.frames[name].attached_to if name in model.frames else ""


def _inner_name(model: SdfModel, name: str) -> tuple[SdfModel, str] | None:
    """Return the nested model and the name in it that a name of a scope means."""
    first, sign, rest = name.partition(SCOPE)
    if sign and rest and first in model.models:
        return model.models[first], rest
    return next(((one, name) for one in model.models.values() if one.is_merged and _is_known(one, name)), None)


def _is_known(model: SdfModel, name: str) -> bool:
    """Return whether a name is a frame of a scope."""
    if name == MODEL_FRAME or model.is_missing or any(name in one for one in (model.links, model.frames, model.models)):
        return True
    inner = _inner_name(model, name)
    return inner is not None and _is_known(*inner)


def _naming_line(model: SdfModel, name: str, line: int) -> int:
    """Return the line of the pose or element of a scope that names a frame."""
    elements: list[SdfLink | SdfFrame | SdfModel] = [*model.links.values(), *model.frames.values()]
    elements += model.models.values()
    for element in elements:
        if element.pose is not None and element.pose.relative_to == name:
            return element.pose.line
    return next((frame.line for frame in model.frames.values() if frame.attached_to == name), line)
