"""The elements of SDF read into models: links with their inertials, joints, frames, nested and included models."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path, PurePath

import numpy as np

from massprops_cli.bodies.rotations import quaternion_rows, roll_pitch_yaw
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, rule_finding
from massprops_cli.robots.robot_model import AT_ORIGIN, TENSOR_ENTRIES, SourceElement, parse_source
from massprops_cli.robots.sdf import sdf_model

_TRUE, _FALSE = ("true", "1"), ("false", "0", "")
_DIMENSIONS: dict[str, dict[str, tuple[int, sdf_model.Texts]]] = {
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
_DEEPEST_MODELS = 50  # levels of models in models, with those of included files
_MOST_INCLUDES = 1_000  # files that one file may include, with those that these include


class _SdfLinkReader:
    """Reader of links and poses of one file; faults are appended to ``findings``."""

    def __init__(self, file: sdf_model.SdfFile, findings: Findings) -> None:
        self._file, self._findings = file, findings

    def name(self, element: SourceElement) -> str:
        """Return the name of an element; a missing or reserved name is a fault."""
        if not (name := element.attributes.get("name", "").strip()):
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

    def pose(self, over: SourceElement, name: str) -> sdf_model.SdfPose | None:
        """Read the pose of an element in ``relative_to``, before 1.7 ``frame``. [SDFormat specification, "pose"]."""
        before = len(self._findings)
        if (element := self._only(over, "pose", name)) is None:
            return None
        texts, reference = self._pose_texts(element, name), self._reference(element, name)
        return sdf_model.SdfPose(element.line, texts, reference, len(self._findings) == before)

    def _pose_texts(self, element: SourceElement, name: str) -> sdf_model.Texts:
        """Read the six numbers of a pose; zeros if they are not stated or not valid."""
        format = element.attributes.get("rotation_format", "euler_rpy").strip() or "euler_rpy"
        is_degrees = self._truth(element.attributes.get("degrees", ""), element, "degrees")
        if (count := {"euler_rpy": 6, "quat_xyzw": 7}.get(format)) is None:
            message = f"rotation format of {name} is unknown: {format!r} (expected euler_rpy or quat_xyzw)"
            self._report("MP854", message, element, format, name)
            return AT_ORIGIN
        if not (texts := tuple(element.value.split())):
            return AT_ORIGIN
        if len(texts) != count or not all(is_xml_number(text) for text in texts):
            message = f"pose of {name} is not {count} numbers: {element.value!r}"
            self._report("MP854", message, element, element.value, name)
            return AT_ORIGIN
        if count == 7:
            return self._quaternion_texts(texts, is_degrees, element, name)
        return (*texts[:3], *(repr(math.radians(float(text))) for text in texts[3:])) if is_degrees else texts

    def _reference(self, element: SourceElement, name: str) -> str:
        """Return the frame that a pose is stated in; ``frame`` is read as its conversion to 1.7 does."""
        older, newer = (element.attributes.get(key, "").strip() for key in ("frame", "relative_to"))
        if not older or self._file.version < (1, 7):
            return older or newer
        message = f"pose of {name} states the attribute frame, which SDF has until 1.6: {older!r}"
        self._report("MP854", message, element, older, name, "write relative_to in place of frame")
        return newer

    def _quaternion_texts(
        self, texts: sdf_model.Texts, is_degrees: bool, element: SourceElement, name: str
    ) -> sdf_model.Texts:
        """Convert position and quaternion to position and angles."""
        quaternion = np.array([float(text) for text in texts[3:]])
        length = math.hypot(*quaternion.tolist())
        if is_degrees or not abs(length - 1) <= _QUATERNION_TOLERANCE:
            reason = "has degrees" if is_degrees else f"has the length {length:.6g} (expected 1)"
            self._report("MP854", f"quaternion of {name} {reason}", element, element.value, name)
            return (*texts[:3], "0", "0", "0")
        x, y, z, w = (quaternion / length).tolist()
        return (*texts[:3], *(repr(angle) for angle in roll_pitch_yaw(np.array(quaternion_rows(w, x, y, z)))))

    def link(self, element: SourceElement) -> sdf_model.SdfLink:
        """Read a link."""
        name = self.name(element)
        collisions = tuple(self.collision(child, name) for child in element.all("collision"))
        return sdf_model.SdfLink(name, element, self.pose(element, name), self._inertial(element, name), collisions)

    def _inertial(self, link: SourceElement, name: str) -> sdf_model.SdfInertial | None:
        """Read the inertial of a link; what it does not state is blank."""
        before = len(self._findings)
        if (element := self._only(link, "inertial", name)) is None:
            return None
        is_auto = self._truth(element.attributes.get("auto", ""), element, "auto")
        if (pose := self.pose(element, name)) is not None and pose.relative_to:
            message = f"pose of the inertial of {name} is relative to {pose.relative_to} (expected none: the link)"
            self._report("MP854", message, element, pose.relative_to, name)
            pose = replace(pose, is_valid=False)
        tensor = self._only(element, "inertia", name)
        entries = tuple("" if tensor is None else self._number(tensor, entry, name) for entry in TENSOR_ENTRIES)
        mass, density = (self._number(element, tag, name) for tag in ("mass", "density"))
        is_valid = all(finding.rule == "MP854" for finding in self._findings[before:])
        return sdf_model.SdfInertial(element, pose, is_auto, mass, entries, density, _parameters(element), is_valid)

    def collision(self, element: SourceElement, link: str) -> sdf_model.SdfCollision:
        """Read a collision or a visual of a link; one with faults has no geometry."""
        before = len(self._findings)
        name = element.attributes.get("name", "").strip() or "collision"
        full = f"{link}/{name}"
        geometry = self._only(element, "geometry", full)
        shape = None if geometry is None or not geometry.children else self._geometry(geometry.children[0], full)
        density, pose = self._number(element, "density", full), self.pose(element, full)
        if len(self._findings) > before:
            shape = None
        return sdf_model.SdfCollision(name, element.line, pose, shape, density, _parameters(element))

    def _geometry(self, element: SourceElement, name: str) -> sdf_model.RobotGeometry:
        """Read the shape of a collision."""
        dims = {
            dimension: self._numbers(element, dimension, count, otherwise, name)
            for dimension, (count, otherwise) in _DIMENSIONS.get(element.tag, {}).items()
        }
        if element.tag != "mesh":
            return sdf_model.RobotGeometry(element.tag, element.line, dims)
        submesh = element.first("submesh")
        return sdf_model.RobotGeometry(
            "mesh", element.line, dims, self.text(element, "uri", name),
            self._numbers(element, "scale", 3, ("1", "1", "1"), name),
            "" if submesh is None else self.text(submesh, "name", name) or "submesh",
        )  # fmt: skip

    def _numbers(
        self, over: SourceElement, tag: str, count: int, otherwise: sdf_model.Texts, name: str
    ) -> sdf_model.Texts:
        """Read some numbers; without the element they are the default of the format."""
        if (element := self._only(over, tag, name)) is None:
            return otherwise
        if len(texts := tuple(element.value.split())) == count and all(is_xml_number(text) for text in texts):
            return texts
        expected = "a number" if count == 1 else f"{count} numbers"
        self._report("MP205", f"{tag} of {name} is not {expected}: {element.value!r}", element, element.value, name)
        return otherwise

    def _number(self, over: SourceElement, tag: str, name: str) -> str:
        """Read one number; blank if the element is not there."""
        return self._numbers(over, tag, 1, ("",), name)[0]

    def _only(self, over: SourceElement, tag: str, name: str) -> SourceElement | None:
        """Return the child of a tag; several are a fault."""
        if len(found := list(over.all(tag))) > 1:
            self._report("MP866", f"{over.tag} {name} has {len(found)} elements {tag}", found[1], "", name)
        return found[0] if found else None

    def _truth(self, text: str, element: SourceElement, what: str) -> bool:
        """Read true or false."""
        if (word := text.strip().lower()) not in (*_TRUE, *_FALSE):
            self._report("MP854", f"{what} is not true or false: {text!r}", element, text, "", "write true or false")
        return word in _TRUE

    def _report(
        self, rule: str, message: str, element: SourceElement, value: str, item: str, remedy: str | None = None
    ) -> None:
        """Append a finding about an element."""
        self._findings.report(rule, message, self._file.place(element.line), value=value, item=item, remedy=remedy)


def read_visuals(file: sdf_model.SdfFile, link: SourceElement) -> list[sdf_model.SdfCollision]:
    """Read the visuals of a link, of which faults are not reported, because they have no effect on masses."""
    reader = _SdfLinkReader(file, Findings())
    return [reader.collision(one, link.tag) for one in link.all("visual")]


def _parameters(over: SourceElement) -> dict[str, str] | None:
    """Return the parameters of automatic inertia by their names, with the prefix of custom elements."""
    element = over.first("auto_inertia_params")
    return None if element is None else {child.tag: child.value for child in element.children}


def read_sdf_model(name: str, data: bytes, folders: sdf_model.RobotFolders, findings: Findings) -> sdf_model.SdfModel:
    """Read the model or the world of an SDF file, with the files that it includes."""
    path, files = Path(name), _SdfFiles(folders)
    if name != "-":
        files.open.append(path.resolve())
    found = files.read(name, path.parent, data)
    if found is None or any(finding.is_stopping for finding in files.findings):
        raise TableError(files.findings)
    findings += files.findings
    return found


class _SdfFiles:
    """The files of one robot: folders, those that are open, number of files read, and level of the model."""

    def __init__(self, folders: sdf_model.RobotFolders) -> None:
        self.folders, self.findings = folders, Findings()
        self.open: list[Path] = []
        self.count = self.depth = 0

    def read(self, name: str, folder: Path, data: bytes, *, is_top: bool = True) -> sdf_model.SdfModel | None:
        """Read one file; None with a finding."""
        root = parse_source(name, data, self.findings)
        if root.tag not in sdf_model.SDF_ROOTS:
            message = f"root element is {root.tag} (expected sdf)"
            self.findings.report("MP871", message, Place(name, line=root.line), value=root.tag)
            return None
        text = root.attributes.get("version", "")
        version = sdf_model.parse_version(text)
        if version is None or not sdf_model.OLDEST <= version <= sdf_model.NEWEST:
            what = f"version of SDF is not read: {text}" if text.strip() else "version of SDF is not stated"
            message = f"{what} (expected 1.2 to 1.12)"
            self.findings.report("MP870", message, Place(name, line=root.line), value=text)
            return None
        return _SdfReader(sdf_model.SdfFile(name, folder, version), self).file_model(root, is_top=is_top)


class _SdfReader:
    """Reader of the models of one file; faults are appended to the findings of all files."""

    def __init__(self, file: sdf_model.SdfFile, files: _SdfFiles) -> None:
        self._file, self._files, self._findings = file, files, files.findings
        self._links = _SdfLinkReader(file, files.findings)

    def file_model(self, root: SourceElement, *, is_top: bool) -> sdf_model.SdfModel | None:
        """Return the only world or model of the file, or a light or an actor, which has no links."""
        worlds, models = list(root.all("world")), [one for one in root.children if one.tag in ("model", "include")]
        found = (worlds if is_top else []) or models
        if not found and (others := [one for one in root.children if one.tag in ("light", "actor")]):
            return sdf_model.SdfModel(self._file, self._links.name(others[0]), others[0].line)
        if len(found) == 1 and found[0].tag != "include":
            return self._world(found[0]) if found[0].tag == "world" else self._model(found[0])
        if len(found) == 1:
            return self._included(found[0], is_static=False)
        if is_top and not worlds and found:
            message = f"file has {len(found)} models outside a world (expected one), which are read as one world"
            place, single = self._file.place(found[1].line), "put the models in one world"
            self._findings.report("MP871", message, place, severity=Severity.WARNING, remedy=single)
            named = {"name": Path(self._file.name).stem.strip("-") or "world"}
            return self._world(SourceElement("world", named, found[0].line, root.start, root.inner, children=found))
        what = "worlds" if worlds and is_top else "models"
        message = f"file has {len(found)} {what} (expected one)" if found else "file has no world and no model"
        line = found[1].line if found else root.line
        remedy = f"leave one of the {what}, or put the models in one world" if found else None
        self._findings.report("MP871", message, self._file.place(line), remedy=remedy)
        return None

    def _world(self, element: SourceElement) -> sdf_model.SdfModel:
        """Read a world."""
        world = sdf_model.SdfModel(
            self._file, element.attributes.get("name", "").strip() or "world", element.line, is_world=True
        )
        world.gravity = self._links.gravity(element)
        self._add_parts(world, element)
        return world

    def _model(self, element: SourceElement, *, is_static: bool = False) -> sdf_model.SdfModel:
        """Read a model with its parts."""
        name = self._links.name(element)
        model = sdf_model.SdfModel(self._file, name, element.line)
        model.pose = self._links.pose(element, name)
        model.placement_frame = element.attributes.get("placement_frame", "").strip()
        model.canonical_link = element.attributes.get("canonical_link", "").strip()
        model.is_static = is_static or self._links.flag(element, "static")
        self._add_parts(model, element)
        if model.canonical_link and not self._has_link(model, model.canonical_link):
            message = f"canonical link of model {name} does not exist: {model.canonical_link!r}"
            place = self._file.place(element.line)
            self._findings.report("MP872", message, place, value=model.canonical_link, item=name)
        return model

    def _has_link(self, model: sdf_model.SdfModel, name: str) -> bool:
        """Return whether a model has a link of a scoped name."""
        if model.is_missing or name in model.links:
            return True
        first, sign, rest = name.partition(sdf_model.SCOPE)
        merged = [one for one in model.models.values() if one.is_merged]
        nested = [model.models[first]] if sign and first in model.models else []
        return any(self._has_link(one, rest) for one in nested) or any(self._has_link(one, name) for one in merged)

    def _add_parts(self, model: sdf_model.SdfModel, element: SourceElement) -> None:
        """Add links, frames, joints and nested models in the order of the file."""
        # until 1.6 a joint may have the name of a link
        lines: dict[str, int] = {}
        links = {child.attributes.get("name", "").strip() for child in element.all("link")}
        for child in element.children:
            if child.tag == "link" and not model.is_world:
                link = self._links.link(child)
                if self._is_new(child, link.name, lines):
                    model.links[link.name] = link
            elif child.tag in ("frame", "joint"):
                frame = self._frame(child, child.tag == "joint")
                if frame.joined and frame.name in links and self._file.version < (1, 7):
                    frame = replace(frame, name=f"{frame.name}_joint")
                if self._is_new(child, frame.name, lines):
                    model.frames[frame.name] = frame
            elif child.tag in ("model", "include"):
                nested = self._nested(child, model)
                if nested is not None and self._is_new(child, nested.name, lines):
                    model.models[nested.name] = nested

    def _is_new(self, element: SourceElement, name: str, lines: dict[str, int]) -> bool:
        """Return whether a name is stated and not yet in use in its model."""
        if name in lines:
            message = f"two elements of a model have the name {name} (the first is in line {lines[name]})"
            related = (self._file.place(lines[name]),)
            place = self._file.place(element.line)
            self._findings.report("MP862", message, place, value=name, item=name, related=related)
        return bool(name) and lines.setdefault(name, element.line) == element.line

    def _frame(self, element: SourceElement, is_joint: bool) -> sdf_model.SdfFrame:
        """Read a frame or a joint; the frame of a joint is attached to its child."""
        name = self._links.name(element)
        pose = self._links.pose(element, name)
        if not is_joint:
            return sdf_model.SdfFrame(name, element.line, pose, element.attributes.get("attached_to", "").strip())
        roles = {role: self._links.text(element, role, name) for role in ("parent", "child")}
        kind = element.attributes.get("type", "").strip()
        return sdf_model.SdfFrame(
            name, element.line, pose, roles["child"], (roles["parent"], roles["child"]), kind, element
        )

    def _nested(self, element: SourceElement, over: sdf_model.SdfModel) -> sdf_model.SdfModel | None:
        """Read a model that is in another model or in a world, or that is included."""
        if self._files.depth >= _DEEPEST_MODELS:
            message = f"models are nested deeper than {_DEEPEST_MODELS} levels"
            self._findings.report("MP852", message, self._file.place(element.line))
            return None
        self._files.depth += 1
        if element.tag == "include":
            model = self._included(element, over.is_static)
        else:
            model = self._model(element, is_static=over.is_static)
        self._files.depth -= 1
        if model is not None:
            model.is_merged = element.attributes.get("merge", "").strip() in ("true", "1")
        return model

    def _included(self, element: SourceElement, is_static: bool) -> sdf_model.SdfModel:
        """Read the model of an included file, with the name, pose and placement frame that the include states."""
        uri = self._links.text(element, "uri", "include")
        path, reason = self._files.folders.find(uri, self._file.folder)
        if path is not None:
            path, reason = sdf_model.model_file(path, self._findings)
        if path is None:
            message = f"included model {reason}: {uri!r}"
            self._findings.report("MP850", message, self._file.place(element.line), value=uri)
        name = element.first("name")
        if path is None or (model := self._read_included(element, path, uri)) is None:
            model = sdf_model.SdfModel(self._file, PurePath(uri).name or "include", element.line, is_missing=True)
        model.name = (name.value if name is not None else "") or model.name
        pose = self._links.pose(element, model.name)
        placement = element.first("placement_frame")
        if pose is not None:
            model.pose = pose
            model.placement_frame = placement.value if placement is not None else model.placement_frame
        elif placement is not None and placement.value:
            message = f"include of {model.name} states a placement frame without a pose"
            remedy = "add a pose, such as <pose>0 0 0 0 0 0</pose>"
            place = self._file.place(placement.line)
            self._findings.report("MP854", message, place, value=placement.value, item=model.name, remedy=remedy)
        if is_static or self._links.flag(element, "static"):
            _make_static(model)
        return model

    def _read_included(self, element: SourceElement, path: Path, uri: str) -> sdf_model.SdfModel | None:
        """Read an included file that is not open already."""
        files, place = self._files, self._file.place(element.line)
        if path in files.open:
            names = [one.name for one in files.open[files.open.index(path) :]]
            message = f"file includes itself: {' → '.join([*names, path.name])}"
            self._findings.report("MP851", message, place, value=uri)
            return None
        files.count += 1
        if files.count > _MOST_INCLUDES:
            message = f"more than {_MOST_INCLUDES:,} files are included"
            raise TableError([rule_finding("MP852", message, place)])
        shown = sdf_model.included_place(path, files.folders).file
        outer, files.findings, model = files.findings, Findings(), None
        files.open.append(path)
        try:
            model = files.read(shown, path.parent, path.read_bytes(), is_top=False)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            files.findings.report("MP101", f"file cannot be read: {reason}", Place(shown))
        except TableError as error:
            files.findings += error.findings
        finally:
            files.open.pop()
        found, files.findings = files.findings, outer
        stops = [finding for finding in found if finding.is_stopping]
        if any(finding.rule in ("MP851", "MP852") for finding in stops):
            raise TableError(stops)
        if not stops:
            outer += found
            return model
        first = stops[0]
        message = f"included model is not read: {first.message}: {uri!r}"
        outer.report("MP850", message, place, value=uri, related=(first.place,), remedy=first.remedy)
        return None


def _make_static(model: sdf_model.SdfModel) -> None:
    """Make a model static, with those nested in it."""
    model.is_static = True
    for nested in model.models.values():
        _make_static(nested)
