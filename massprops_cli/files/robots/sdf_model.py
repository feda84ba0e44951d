"""SDF: models, links, frames and joints as their files state them, before poses are composed.

Numbers remain texts, in metres, kilograms and radians. [SDFormat specification, "sdf", "model", "link", "pose"]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from massprops_cli.files.robots.xml_source import SourceElement
from massprops_cli.findings.finding import Place

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
