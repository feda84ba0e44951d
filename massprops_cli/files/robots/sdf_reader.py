"""SDF: a file with the files that it includes, as models. All faults are reported in one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from massprops_cli.files.robots.sdf_files import (
    NEWEST,
    OLDEST,
    RobotFolders,
    included_place,
    model_file,
    parse_version,
)
from massprops_cli.files.robots.sdf_links import SdfLinkReader
from massprops_cli.files.robots.sdf_model import SCOPE, SdfFile, SdfFrame, SdfModel
from massprops_cli.files.robots.xml_source import SourceElement, parse_source
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_DEEPEST_MODELS = 50
"""Levels of models in models, with those of included files."""
_MOST_INCLUDES = 1_000
"""Files that one file may include, with those that these include."""


@dataclass(slots=True)
class _Inclusion:
    """What the files of one robot share: folders, files that are open, and the number of files read."""

    folders: RobotFolders
    open: list[Path] = field(default_factory=list)
    count: int = 0
    depth: int = 0


def read_sdf_model(name: str, data: bytes, folders: RobotFolders) -> SdfModel:
    """Read the model or the world of an SDF file, with the files that it includes."""
    findings = Findings()
    path = Path(name)
    inclusion = _Inclusion(folders, [path.resolve()] if name != "-" else [])
    found = _read_file(name, path.parent, data, inclusion, findings)
    if findings or found is None:
        raise TableError(findings)
    return found


def _read_file(
    name: str, folder: Path, data: bytes, inclusion: _Inclusion, findings: Findings, *, is_top: bool = True
) -> SdfModel | None:
    """Read one file; None with a finding."""
    root = parse_source(name, data)
    if root.tag != "sdf":
        message = f"root element is {root.tag} (expected sdf)"
        findings.report("MP871", message, Place(name, line=root.line), value=root.tag)
        return None
    text = root.attributes.get("version", "")
    version = parse_version(text)
    if version is None or not OLDEST <= version <= NEWEST:
        what = f"version of SDF is not read: {text}" if text.strip() else "version of SDF is not stated"
        message = f"{what} (expected 1.5 to 1.12)"
        findings.report("MP870", message, Place(name, line=root.line), value=text)
        return None
    reader = _SdfReader(SdfFile(name, folder, version), inclusion, findings)
    return reader.file_model(root, is_top=is_top)


class _SdfReader:
    """Reader of the models of one file; faults are appended to ``findings``."""

    def __init__(self, file: SdfFile, inclusion: _Inclusion, findings: Findings) -> None:
        self._file, self._inclusion, self._findings = file, inclusion, findings
        self._links = SdfLinkReader(file, findings)

    def file_model(self, root: SourceElement, *, is_top: bool) -> SdfModel | None:
        """Return the only world or model of the file."""
        worlds, models = list(root.all("world")), list(root.all("model"))
        found = worlds or models
        if not is_top:
            found = models
        if len(found) == 1:
            return self._world(found[0]) if found[0].tag == "world" else self._model(found[0])
        what = "worlds" if worlds and is_top else "models"
        message = f"file has {len(found)} {what} (expected one)" if found else "file has no world and no model"
        line = found[1].line if found else root.line
        remedy = f"leave one of the {what}, or put the models in one world" if found else None
        self._findings.report("MP871", message, self._file.place(line), remedy=remedy)
        return None

    def _world(self, element: SourceElement) -> SdfModel:
        """Read a world."""
        world = SdfModel(self._file, element.attributes.get("name", "").strip() or "world", element.line, is_world=True)
        world.gravity = self._links.gravity(element)
        self._add_parts(world, element)
        return world

    def _model(self, element: SourceElement, *, is_static: bool = False) -> SdfModel:
        """Read a model with its parts."""
        name = self._links.name(element)
        model = SdfModel(self._file, name, element.line)
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

    def _has_link(self, model: SdfModel, name: str) -> bool:
        """Return whether a model has a link of a scoped name."""
        if name in model.links:
            return True
        first, sign, rest = name.partition(SCOPE)
        merged = [one for one in model.models.values() if one.is_merged]
        nested = [model.models[first]] if sign and first in model.models else []
        return any(self._has_link(one, rest) for one in nested) or any(self._has_link(one, name) for one in merged)

    def _add_parts(self, model: SdfModel, element: SourceElement) -> None:
        """Add links, frames, joints and nested models in the order of the file."""
        lines: dict[str, int] = {}
        for child in element.children:
            if child.tag == "link" and not model.is_world:
                link = self._links.link(child)
                if self._is_new(child, link.name, lines):
                    model.links[link.name] = link
            elif child.tag in ("frame", "joint"):
                frame = self._frame(child, child.tag == "joint")
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

    def _frame(self, element: SourceElement, is_joint: bool) -> SdfFrame:
        """Read a frame or a joint; the frame of a joint is attached to its child."""
        name = self._links.name(element)
        pose = self._links.pose(element, name)
        if not is_joint:
            return SdfFrame(name, element.line, pose, element.attributes.get("attached_to", "").strip())
        roles = {role: self._links.text(element, role, name) for role in ("parent", "child")}
        kind = element.attributes.get("type", "").strip()
        return SdfFrame(name, element.line, pose, roles["child"], (roles["parent"], roles["child"]), kind, element)

    def _nested(self, element: SourceElement, over: SdfModel) -> SdfModel | None:
        """Read a model that is in another model or in a world, or that is included."""
        if self._inclusion.depth >= _DEEPEST_MODELS:
            message = f"models are nested deeper than {_DEEPEST_MODELS} levels"
            self._findings.report("MP852", message, self._file.place(element.line))
            return None
        self._inclusion.depth += 1
        if element.tag == "include":
            model = self._included(element, over.is_static)
        else:
            model = self._model(element, is_static=over.is_static)
        self._inclusion.depth -= 1
        if model is not None:
            model.is_merged = element.attributes.get("merge", "").strip() in ("true", "1")
        return model

    def _included(self, element: SourceElement, is_static: bool) -> SdfModel | None:
        """Read the model of an included file, with the name, pose and placement frame that the include states."""
        uri = self._links.text(element, "uri", "include")
        path, reason = self._inclusion.folders.find(uri, self._file.folder)
        if path is not None:
            path, reason = model_file(path, self._findings)
        if path is None:
            message = f"included model {reason}: {uri!r}"
            self._findings.report("MP850", message, self._file.place(element.line), value=uri)
            return None
        model = self._read_included(element, path, uri)
        if model is None:
            return None
        name = element.first("name")
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

    def _read_included(self, element: SourceElement, path: Path, uri: str) -> SdfModel | None:
        """Read an included file that is not open already."""
        inclusion, place = self._inclusion, self._file.place(element.line)
        if path in inclusion.open:
            names = [one.name for one in inclusion.open[inclusion.open.index(path) :]]
            message = f"file includes itself: {' → '.join([*names, path.name])}"
            self._findings.report("MP851", message, place, value=uri)
            return None
        inclusion.count += 1
        if inclusion.count > _MOST_INCLUDES:
            message = f"more than {_MOST_INCLUDES:,} files are included"
            raise TableError([rule_finding("MP852", message, place)])
        shown = included_place(path, inclusion.folders).file
        inclusion.open.append(path)
        try:
            return _read_file(shown, path.parent, path.read_bytes(), inclusion, self._findings, is_top=False)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            self._findings.report("MP850", f"included model cannot be read: {reason}: {uri!r}", place, value=uri)
        except TableError as error:
            if any(finding.rule == "MP852" for finding in error.findings):
                raise
            self._findings += error.findings
        finally:
            inclusion.open.pop()
        return None


def _make_static(model: SdfModel) -> None:
    """Make a model static, with those nested in it."""
    model.is_static = True
    for nested in model.models.values():
        _make_static(nested)
