"""MJCF files with other inertials: the bytes of inertials that differ, all others unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import FileOptions
from massprops_cli.findings.finding import Findings, Place, UsageError
from massprops_cli.robots import link_values as robot_values
from massprops_cli.robots.link_inertials import SourceEdit, report_included
from massprops_cli.robots.mjcf.mjcf_model import MjcfBody, read_mjcf_model
from massprops_cli.robots.mjcf.mjcf_source import TURNS
from massprops_cli.robots.robot_model import SourceElement

_COPIES = "elements replicate and attach"


class MjcfInertials:
    """The bodies of an MJCF file, and the changes that give them other inertials."""

    def __init__(self, name: str, data: bytes, folders: Sequence[str], findings: Findings | None = None) -> None:
        found = Findings() if findings is None else findings
        self._name = name
        self._model = read_mjcf_model(name, data, FileOptions(folders=tuple(folders)), found)
        self._bodies = {body.name: body for body in self._model.bodies[1:] if not body.is_unread}
        self._left = Counter[str]()
        compiler = self._model.source.compiler
        if compiler.get("inertiafromgeom") == "true":
            raise UsageError(f'{name}: inertiafromgeom="true" replaces all inertials; change it to "auto" first')
        if self._model.source.option("settotalmass")[0] > 0:
            raise UsageError(f"{name}: settotalmass scales all inertials; remove it first")

    @property
    def links(self) -> dict[str, SourceElement]:
        """Bodies by their names."""
        return {name: body.element for name, body in self._bodies.items()}

    @property
    def own_links(self) -> dict[str, SourceElement]:
        """Bodies that the file itself states once, by their names."""
        return {name: body.element for name, body in self._bodies.items() if not self._foreign(body)}

    def computed(self) -> Iterator[tuple[str, robot_values.LinkValues]]:
        """Yield the bodies of the file whose inertial MuJoCo computes from geoms, with its values."""
        for name, body in self._bodies.items():
            if body.inertial is None and (values := self._values(name)) is not None:
                if file := self._foreign(body):
                    self._left[file] += 1
                else:
                    yield name, values

    def changes(self, source: bytes, link: str, body: robot_values.LinkValues) -> list[SourceEdit]:
        """Return the changes that state the values of a body, if they differ from those that MuJoCo has."""
        old = self._values(link)
        if old is not None and not _is_different(body, old):
            return []
        if file := self._foreign(self._bodies[link]):
            self._left[file] += 1
            return []
        return self.stated(source, link, body)

    def stated(self, source: bytes, link: str, body: robot_values.LinkValues) -> list[SourceEdit]:
        """Return the changes that state the values of a body."""
        return _BodyEdit(source, self._bodies[link].element).stated(self._bodies[link], body, self._values(link))

    def report_included(self, findings: Findings) -> None:
        """Report bodies of other files, and copies, whose values differ."""
        copies = self._left.pop(_COPIES, 0)
        report_included(self._name, self._left, "inertial", "write them into {0}", findings)
        if copies:
            message = f"{copies} {'inertial' if copies == 1 else 'inertials'} of {_COPIES} cannot be written"
            remedy = "replace the elements by the bodies that they make"
            findings.report("MP868", message, Place(self._name), value="replicate", remedy=remedy, count=copies)

    def _foreign(self, body: MjcfBody) -> str:
        """Return the file, or what else, from which a body comes that the file does not state itself; else empty."""
        file = body.source.place(body.element).file
        return file if file != self._name else _COPIES if body.is_copy else ""

    def _values(self, link: str) -> robot_values.LinkValues | None:
        """Return what MuJoCo has for a body; None if it is not known, or none."""
        inertial = self._model.robot.links[link].inertial
        if inertial is None or not inertial.mass or not all(inertial.tensor):
            return None
        pose = [float(text) for text in inertial.pose]
        tensor = np.array([float(text) for text in inertial.tensor])
        axes = robot_values.inertial_axes(pose[3:])
        return robot_values.LinkValues(float(inertial.mass), np.array(pose[:3]), tensor, axes)


def _is_different(new: robot_values.LinkValues, old: robot_values.LinkValues) -> bool:
    """Return whether two bodies differ by more than rounding."""
    tensor = new.inertia_along(old.axes)
    return (
        robot_values.is_different([new.mass], [old.mass], abs(new.mass))
        or robot_values.is_different(new.center, old.center.tolist(), robot_values.body_size(new))
        or robot_values.is_different(tensor, old.inertia.tolist(), float(np.abs(tensor).max()))
    )


class _BodyEdit(robot_values.ElementChanges):
    """The changes of one body."""

    def stated(
        self, body: MjcfBody, new: robot_values.LinkValues, old: robot_values.LinkValues | None
    ) -> list[SourceEdit]:
        """Return the edits that state values in the inertial of the body, which is added if it is missing."""
        inertial = body.inertial
        axes = old.axes if inertial is not None and old is not None else np.eye(3)
        name, tensor = _tensor_texts(new, axes)
        center, mass = robot_values.number_texts(new.center), robot_values.number_texts(np.array([new.mass]))
        if inertial is None:
            text = f'<inertial pos="{center}" mass="{mass}" {name}="{tensor}"/>'
            self.insert(self.link, [text.encode()])
            return self.edits
        if old is None or robot_values.is_different(new.center, old.center.tolist(), robot_values.body_size(new)):
            self.edits.append(self.attribute_edit(inertial, "pos", center))
        if old is None or robot_values.is_different([new.mass], [old.mass], abs(new.mass)):
            self.edits.append(self.attribute_edit(inertial, "mass", mass))
        largest = float(np.abs(new.inertia).max())
        if old is None or robot_values.is_different(new.inertia_along(axes), old.inertia.tolist(), largest):
            others = {"diaginertia", "fullinertia"} - {name}
            others |= set(TURNS) if name == "fullinertia" or old is None else set()
            for other in sorted(others):
                self.edits += self.removed_attribute(inertial, other)
            self.edits.append(self.attribute_edit(inertial, name, tensor))
        return self.edits


def _tensor_texts(body: robot_values.LinkValues, axes: NDArray[np.float64]) -> tuple[str, str]:
    """Return the attribute of a tensor, and its text: moments along axes (3, 3), or six entries of the body."""
    along = body.inertia_along(axes)
    if np.abs(along[3:]).max() <= robot_values.SAME * np.abs(along).max():
        return "diaginertia", robot_values.number_texts(along[:3])
    return "fullinertia", robot_values.number_texts(body.inertia_along(np.eye(3)))
