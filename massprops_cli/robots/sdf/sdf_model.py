"""SDF as it is stated: models, links, joints and frames, and the files that include each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from massprops_cli.findings.finding import Findings, Place, TableError
from massprops_cli.robots.xml_source import SourceElement, parse_source

Texts = tuple[str, ...]
MODEL_FRAME = "__model__"
"""Name of the frame of a model in its own scope."""
SCOPE = "::"
"""Text between the name of a model and a name in it."""


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
    texts: Texts = ("0",) * 6
    relative_to: str = ""

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

    @property
    def line(self) -> int:
        """Line of the element."""
        return self.element.line


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
    joined: tuple[str, str] | None = None
    """Parent and child of a joint."""
    kind: str = ""
    """Type of a joint."""
    element: SourceElement | None = None
    """Element of a joint."""


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
    is_merged: bool = False
    """Its names are names of the model that includes it."""
    links: dict[str, SdfLink] = field(default_factory=dict)
    frames: dict[str, SdfFrame] = field(default_factory=dict)
    models: dict[str, SdfModel] = field(default_factory=dict)
    gravity: tuple[str, str, str] | None = None
    """Of a world, in m/s²; None if it states none."""

    @property
    def has_links(self) -> bool:
        """Whether it has a link, also in nested models."""
        return bool(self.links) or any(model.has_links for model in self.models.values())


_SCHEMES = ("model", "package")
_CONFIGURATION = "model.config"
_MOST_BYTES = 2**26
"""Largest file of an included model."""


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
            tried = [folder / rest.replace("\\", os.sep)]
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
        root = parse_source(configuration.name, configuration.read_bytes()[:_MOST_BYTES])
    except TableError as error:
        findings += error.findings
        return None, f"has a {_CONFIGURATION} that cannot be read"
    listed = [(parse_version(one.attributes.get("version", "")), one.value) for one in root.all("sdf")]
    usable = [(version, text) for version, text in listed if version is None or version <= NEWEST]
    if not usable:
        return None, f"has a {_CONFIGURATION} without an SDF file of a version that is read"
    found = (path / max(usable, key=lambda one: one[0] or (0, 0))[1]).resolve()
    if not found.is_relative_to(path.resolve()) or not found.is_file():
        return None, f"has a {_CONFIGURATION} that names a file that is not in the folder"
    return model_file(found, findings)


OLDEST, NEWEST = (1, 5), (1, 12)
"""Versions of SDF that are read."""


def parse_version(text: str) -> tuple[int, int] | None:
    """Read the version of a file."""
    major, _, minor = text.strip().partition(".")
    is_number = all(part.isascii() and part.isdigit() and len(part) < 6 for part in (major, minor))
    return (int(major), int(minor)) if is_number else None


def included_place(path: Path, folders: RobotFolders) -> Place:
    """Return the address of an included file: its path in the first root that contains it."""
    root = next((root for root in folders.roots if path.is_relative_to(root)), None)
    return Place(path.name if root is None else path.relative_to(root).as_posix())
