"""The bodies and joints of an MJCF model, their inertials as MuJoCo computes them, and the table of its bodies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from massprops_cli.bodies.bodies import full_tensors, six_entries
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.rotations import Floats, frame_matrix, roll_pitch_yaw
from massprops_cli.files.options import FileOptions, cap_error
from massprops_cli.files.table import TableSource, shortest_number_text
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding
from massprops_cli.robots import robot_model
from massprops_cli.robots.mjcf.mjcf_geoms import GeomBodies, MjcfGeom, geom_shape
from massprops_cli.robots.mjcf.mjcf_source import MAIN, MjcfSource, read_included_file, read_mjcf_source
from massprops_cli.robots.robot_model import SourceElement
from massprops_cli.robots.sdf.sdf_model import RobotFolders, included_place, pose_texts
from massprops_cli.robots.urdf import UrdfTable, robot_rows

_WORLD = "world"  # the body that has all others, and no mass
_DEEPEST = 200  # levels of bodies, frames and attached models
_KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
_UNREAD = ("composite", "flexcomp")  # elements that make bodies, and are not read
_GROUPS = (0.0, 5.0)  # groups of geoms that count unless the compiler states others
_FIELDS = ("mass", "center", "inertia")
_NOISE = 1e-15  # share of the largest entry of a tensor below which one is rounding
_STOPPING = ("MP205", "MP850", "MP854", "MP867")  # numbers, included files, orientations and joints that are not known


@dataclass(frozen=True, slots=True, eq=False)
class _MjcfJoint:
    """A joint of a body: its axis, and where it is, in the frame of the body; its position in the model, rad or m."""

    joint: robot_model.RobotJoint
    anchor: Floats  # (3,) m
    reference: float

    def motion(self, values: list[float]) -> Floats:
        """Return the pose (4, 4) that a position gives the body in its frame without the joint."""
        if self.joint.kind == "floating":
            return robot_model.joint_motion(self.joint, values)
        moved = robot_model.joint_motion(self.joint, [values[0] - self.reference])
        return frame_matrix(self.anchor) @ moved @ frame_matrix(-self.anchor)


@dataclass(slots=True, eq=False)
class MjcfBody:
    """A body of a model, or an element that is not read and is in place of the bodies that it makes."""

    name: str
    parent: str
    source: MjcfSource
    element: SourceElement
    pose: Floats  # (4, 4) in its parent
    is_copy: bool  # made by an element replicate or attach
    is_unread: bool = False
    inertial: SourceElement | None = None
    joints: list[_MjcfJoint] = field(default_factory=list)
    geoms: list[MjcfGeom] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Scope:
    """What applies to the elements in another one."""

    source: MjcfSource
    body: MjcfBody
    childclass: str = MAIN
    frame: Floats = field(default_factory=lambda: np.eye(4))  # (4, 4) of elements frame and replicate, in the body
    prefix: str = ""
    suffix: str = ""
    depth: int = 0
    is_copy: bool = False

    def name(self, element: SourceElement) -> str:
        """Return the name of an element, with what copies add to it; empty if it has none."""
        name = element.attributes.get("name", "")
        return f"{self.prefix}{name}{self.suffix}" if name else ""

    def inner(self, element: SourceElement, **changes: object) -> _Scope:
        """Return what applies in an element, whose class of defaults has priority."""
        childclass = element.attributes.get("childclass", self.childclass)
        if self.depth >= _DEEPEST:
            message = f"bodies and models are nested deeper than {_DEEPEST} levels"
            raise TableError([rule_finding("MP852", message, self.source.place(element), value=element.tag)])
        values = {"childclass": childclass, "depth": self.depth + 1, **changes}
        return dataclasses.replace(self, **values)  # type: ignore[arg-type]  # a value for each of several fields


class _BodyReader:
    """Reads the bodies of a model, those that elements replicate and attach make included."""

    def __init__(self, source: MjcfSource, most: int) -> None:
        self._source, self._most = source, most
        self._models: dict[int, MjcfSource | None] = {}
        self.bodies = [MjcfBody(_WORLD, "", source, source.root, np.eye(4), False)]
        self._places: dict[tuple[str, str], Place] = {("body", _WORLD): source.place(source.root)}
        self._count = 0
        for section in source.root.all("worldbody"):
            self._read(section.children, _Scope(source, self.bodies[0]))

    def _read(self, elements: Sequence[SourceElement], scope: _Scope) -> None:
        """Read the elements of a body, a frame or a copy."""
        self._count += self._checked_count(1 + len(elements))
        source, body = scope.source, scope.body
        for element in elements:
            match element.tag:
                case "inertial":
                    body.inertial = element
                case "joint" | "freejoint":
                    self._add_joint(element, scope)
                case "geom":
                    attributes = source.attributes(element, scope.childclass)
                    body.geoms.append(MjcfGeom(source, element, attributes, scope.frame))
                case "body":
                    self._add_body(element, scope)
                case "frame":
                    frame = scope.frame @ source.pose(element, element.attributes)
                    self._read(element.children, scope.inner(element, frame=frame))
                case "replicate":
                    self._replicate(element, scope)
                case "attach":
                    self._attach(element, scope)
                case tag if tag in _UNREAD:
                    self._add_unread(element, scope)

    def _checked_count(self, more: int) -> int:
        """Return how many elements come to those read so far; TableError if that is too many."""
        if (count := self._count + more) > self._most:
            raise cap_error(self._source.name, f"model has {count:,} elements", "items", self._most, needed=count)
        return more

    def _add_body(self, element: SourceElement, scope: _Scope) -> None:
        """Add a body, and those in it."""
        pose = scope.frame @ scope.source.pose(element, element.attributes)
        name = self._unique("body", scope.name(element), element, scope) or f"body {len(self.bodies)}"
        if not np.isfinite(pose).all():
            message, place = f"pose of body {name} exceeds double precision", scope.source.place(element)
            scope.source.findings.report("MP854", message, place, value=name, item=name)
        body = MjcfBody(name, scope.body.name, scope.source, element, pose, scope.is_copy)
        self.bodies.append(body)
        self._read(element.children, scope.inner(element, body=body, frame=np.eye(4)))

    def _add_unread(self, element: SourceElement, scope: _Scope) -> None:
        """Add an item without a known mass for an element that is not read."""
        source = scope.source
        name = f"{element.tag} {scope.name(element) or element.line}"
        message = f"element {element.tag} of body {scope.body.name} is not read: the mass is a lower bound"
        source.findings.report("MP875", message, source.place(element), value=element.tag, item=name)
        self.bodies.append(MjcfBody(name, scope.body.name, source, element, scope.frame, True, is_unread=True))

    def _add_joint(self, element: SourceElement, scope: _Scope) -> None:
        """Add a joint of a body."""
        source, body = scope.source, scope.body
        is_free = element.tag == "freejoint"
        attributes = element.attributes if is_free else source.attributes(element, scope.childclass)
        stated = "free" if is_free else attributes.get("type", "hinge")
        name = self._unique("joint", scope.name(element), element, scope)
        name = name or f"{body.name}/{element.tag}{len(body.joints) + 1}"
        if (kind := _KINDS.get(stated)) is None:
            message, remedy = f"type of joint {name} is unknown: {stated!r}", "write hinge, slide, ball or free"
            source.findings.report("MP867", message, source.place(element), value=stated, item=name, remedy=remedy)
            return
        axis = scope.frame[:3, :3] @ (source.numbers(element, attributes, "axis", 3) or [0.0, 0.0, 1.0])
        point = source.numbers(element, attributes, "pos", 3) or [0.0] * 3
        anchor = scope.frame[:3, :3] @ point + scope.frame[:3, 3]
        unit = source.angle if kind == "revolute" else float
        (reference,) = source.numbers(element, attributes, "ref", 1) or [0.0]
        limits = [shortest_number_text(unit(one)) for one in source.numbers(element, attributes, "range", 2)]
        is_limited = attributes.get("limited", "auto") != "false" and limits not in ([], ["0", "0"])
        texts = tuple(shortest_number_text(float(value)) for value in axis)
        joint = robot_model.RobotJoint(
            name, element.line, kind, body.parent, body.name, pose_texts(body.pose), texts,
            limits=(limits[0], limits[1]) if is_limited else None,
        )  # fmt: skip
        body.joints.append(_MjcfJoint(joint, anchor, unit(reference)))

    def _replicate(self, element: SourceElement, scope: _Scope) -> None:
        """Read the elements of a replicate as often as it states, each copy moved from the one before."""
        source, attributes = scope.source, element.attributes
        count = self._checked_count(int(next(iter(source.numbers(element, attributes, "count", 1)), 0.0)))
        offset = np.array(source.numbers(element, attributes, "offset", 3) or [0.0] * 3)
        angles = source.numbers(element, attributes, "euler", 3) or [0.0] * 3
        place = np.zeros(3)
        for k in range(count):
            turn = source.euler_rotation([k * angle for angle in angles])
            suffix = f"{attributes.get('sep', '')}{k:0{len(str(count))}}{scope.suffix}"
            frame = scope.frame @ frame_matrix(place, turn)
            self._read(element.children, scope.inner(element, frame=frame, suffix=suffix, is_copy=True))
            place = place + turn @ offset

    def _attach(self, element: SourceElement, scope: _Scope) -> None:
        """Read a body or a frame, or the bodies of a world, of another model or of the same one."""
        attributes, model = element.attributes, element.attributes.get("model", "")
        if (source := self._model(element, model, scope.source) if model else scope.source) is None:
            return
        inner = scope.inner(
            element, source=source, childclass=MAIN, prefix=scope.prefix + attributes.get("prefix", ""), is_copy=True
        )
        world = [one for section in source.root.all("worldbody") for one in section.children]
        tag = next((tag for tag in ("body", "frame") if tag in attributes), "")
        if not tag:
            self._read(world, inner)
            return
        named = {one.attributes.get("name"): (one, of) for one, of in _descendants(world) if one.tag == tag}
        if (found := named.get(attributes[tag])) is None:
            message = f"{tag} to attach is not in the model: {attributes[tag]!r}"
            scope.source.findings.report("MP874", message, scope.source.place(element), value=attributes[tag])
        else:
            self._read([found[0]], dataclasses.replace(inner, childclass=found[1]))

    def _model(self, element: SourceElement, name: str, over: MjcfSource) -> MjcfSource | None:
        """Return the model of the assets that has a name, which one without a name states itself; None if none has."""
        for (tag, _), asset in over.assets.items():
            stated = asset.attributes.get("name")
            if tag != "model" or stated not in (None, name):
                continue
            if (key := id(asset)) not in self._models:
                self._models[key] = _attached_source(asset, over)
            source = self._models[key]
            if stated or (source is not None and source.root.attributes.get("model") == name):
                return source
        message = f"model to attach is not defined: {name!r}"
        over.findings.report("MP874", message, over.place(element), value=name)
        return None

    def _unique(self, kind: str, name: str, element: SourceElement, scope: _Scope) -> str:
        """Return a name, and report one that another body or joint has."""
        place = scope.source.place(element)
        if name and (first := self._places.setdefault((kind, name), place)) is not place:
            message = f"two elements {kind} have the name {name} (the first is in line {first.line})"
            scope.source.findings.report("MP862", message, place, value=name, item=name, related=(first,))
        return name


def _attached_source(asset: SourceElement, over: MjcfSource) -> MjcfSource | None:
    """Read the file of a model of the assets; None with a finding."""
    uri = asset.attributes.get("file", "")
    path, reason = over.folders.find(uri, over.folder)
    try:
        if path is not None:
            shown = included_place(path, over.folders).file
            return read_mjcf_source(shown, read_included_file(path), over.folders, over.findings, path.parent)
    except OSError as error:
        reason = f"cannot be read: {(error.strerror or 'unknown reason').lower()}"
    over.findings.report("MP850", f"attached model {reason}: {uri!r}", over.place(asset), value=uri)
    return None


def _descendants(elements: Sequence[SourceElement]) -> Iterator[tuple[SourceElement, str]]:
    """Yield elements with all that are in them, and the class of defaults around each."""
    waiting = [(element, MAIN) for element in reversed(elements)]
    while waiting:
        element, around = waiting.pop()
        yield element, around
        inner = element.attributes.get("childclass", around)
        waiting += [(child, inner) for child in reversed(element.children)]


class _Inertials:
    """The inertials of bodies, by the rules of the compiler."""

    def __init__(self) -> None:
        self._geoms = GeomBodies()

    def of_body(self, body: MjcfBody) -> robot_model.InertialTexts | None:
        """Return the inertial of a body; blank where a value is not known, None without mass."""
        if body.name == _WORLD and not body.parent:
            return None
        if body.is_unread:
            return robot_model.InertialTexts(body.element.line, robot_model.AT_ORIGIN, "", ("",) * 6)
        source, mode = body.source, body.source.compiler.get("inertiafromgeom", "auto")
        found = None
        if mode == "true" or (mode == "auto" and body.inertial is None):
            found = self._of_geoms(body)
        if found is None and body.inertial is not None:
            found = _stated(source, body.inertial)
        return _bounded(body, found)

    def _of_geoms(self, body: MjcfBody) -> robot_model.InertialTexts | None:
        """Return the sum of the geoms in the groups that count; None if they have no mass."""
        low, high = body.source.option("inertiagrouprange", 2, _GROUPS)
        bodies = [self._geoms.body(geom) for geom in body.geoms if low <= geom.group <= high]
        line = body.element.line
        known = [one for one in bodies if one is not None and one.mass[0] > 0]
        if len([one for one in bodies if one is not None]) < len(bodies):
            return robot_model.InertialTexts(line, robot_model.AT_ORIGIN, "", ("",) * 6)
        if not known:
            return None
        whole = BodyArray(*(np.concatenate([getattr(one, name) for one in known]) for name in _FIELDS)).total()
        tensor = np.where(np.abs(whole.inertia[0]) > _NOISE * np.abs(whole.inertia[0]).max(), whole.inertia[0], 0.0)
        pose = (*_texts(whole.center[0]), *robot_model.ZERO_TEXTS)
        return robot_model.InertialTexts(line, pose, _texts(whole.mass)[0], _texts(tensor))


def _texts(values: Floats) -> tuple[str, ...]:
    """Return numbers as texts."""
    return tuple(shortest_number_text(float(value) + 0.0) for value in values)


def _stated(source: MjcfSource, element: SourceElement) -> robot_model.InertialTexts:
    """Return a stated inertial, with the texts of the file where they are numbers along its own axes."""
    attributes = element.attributes
    position = attributes.get("pos", "0 0 0").split() if source.numbers(element, attributes, "pos", 3) else ["0"] * 3
    mass = attributes["mass"].strip() if source.numbers(element, attributes, "mass", 1) else ""
    tensor: robot_model.Texts = ("",) * 6
    turn = source.rotation(element, attributes)
    for name, count in (("diaginertia", 3), ("fullinertia", 6)):
        if source.numbers(element, attributes, name, count):
            tensor = (*attributes[name].split(), *("0",) * (6 - count))
    angles = _texts(np.array(roll_pitch_yaw(turn))) if (turn != np.eye(3)).any() else robot_model.ZERO_TEXTS
    return robot_model.InertialTexts(element.line, (*position, *angles), mass, tensor)


def _bounded(body: MjcfBody, found: robot_model.InertialTexts | None) -> robot_model.InertialTexts | None:
    """Return an inertial with the least mass and moments that the compiler states, and balanced if it requests it."""
    source = body.source
    (least_mass,), (least,) = source.option("boundmass"), source.option("boundinertia")
    is_balanced = source.flag("balanceinertia")
    if not (least_mass or least or is_balanced) or (found is not None and not found.mass):
        return found
    if found is None:
        if not least_mass and not least:
            return None
        # MuJoCo gives it the frame that its body has in the parent
        found = robot_model.InertialTexts(body.element.line, pose_texts(body.pose), "0", ("0",) * 6)
    mass = max(float(found.mass), least_mass)
    moments, axes = np.linalg.eigh(full_tensors(np.array([float(text or "0") for text in found.tensor])))
    bounded = np.maximum(moments, least)
    if is_balanced and 2 * bounded.max() > bounded.sum():
        bounded = np.full(3, bounded.mean())
    tensor = found.tensor
    if (bounded != moments).any():
        tensor = _texts(six_entries((axes * bounded) @ axes.T))
    return dataclasses.replace(found, mass=found.mass if mass == float(found.mass) else str(mass), tensor=tensor)


def _with_total_mass(links: dict[str, robot_model.InertialTexts | None], total: float) -> None:
    """Scale masses and tensors so that the masses sum to a total; none is known if one of them is not."""
    known = {name: one for name, one in links.items() if one is not None and one.mass}
    if total > 0 and len(known) < sum(one is not None for one in links.values()):
        links |= {name: dataclasses.replace(one, mass="", tensor=("",) * 6) for name, one in known.items()}
    elif total > 0 and (mass := sum(float(one.mass) for one in known.values())) > 0:
        for name, one in known.items():
            tensor = tuple(text and shortest_number_text(float(text) * total / mass) for text in one.tensor)
            scaled = shortest_number_text(float(one.mass) * total / mass)
            links[name] = dataclasses.replace(one, mass=scaled, tensor=tensor)


@dataclass(frozen=True, slots=True, eq=False)
class _MjcfModel:
    """The bodies of a model from the world outwards, and its robot, with one joint for each body."""

    source: MjcfSource
    bodies: list[MjcfBody]
    robot: robot_model.RobotModel


def read_mjcf_model(name: str, data: bytes, options: FileOptions | None, findings: Findings) -> _MjcfModel:
    """Read an MJCF file, its joints at their references unless ``options`` moves them."""
    options = options or FileOptions()
    faults = Findings()
    source = read_mjcf_source(name, data, RobotFolders.of(name, options.folders), faults)
    reader = _Inertials()
    with np.errstate(all="ignore"):  # numbers too large are reported
        bodies = _BodyReader(source, options.caps.items).bodies
        inertials = {body.name: reader.of_body(body) for body in bodies}
    (total,) = source.option("settotalmass")
    _with_total_mass(inertials, total)
    links = {body.name: _link(source, body, inertials[body.name]) for body in bodies}
    if any(one.is_stopping or one.rule in _STOPPING for one in faults):
        raise TableError(faults)
    findings += faults
    moved = _positions(name, bodies, options.joint_positions, findings)
    joints = [_tree_joint(body, moved) for body in bodies[1:]]
    robot = robot_model.RobotModel(source.root.attributes.get("model", ""), links, joints, _WORLD)
    return _MjcfModel(source, bodies, robot)


def _link(source: MjcfSource, body: MjcfBody, inertial: robot_model.InertialTexts | None) -> robot_model.RobotLink:
    """Return the link of a body, with geoms that its stated inertial is compared with."""
    file = body.source.place(body.element).file
    shapes = robot_model.known_shapes([geom_shape(geom) for geom in body.geoms]) if body.inertial is not None else ()
    return robot_model.RobotLink(body.name, body.element.line, inertial, shapes, "" if file == source.name else file)


def _positions(
    name: str, bodies: Sequence[MjcfBody], given: Sequence[str], findings: Findings
) -> dict[str, list[float]]:
    """Return the positions of joints by their names, also those that are 0."""
    if not given:
        return {}
    joints = [joint.joint for body in bodies for joint in body.joints]
    stated = robot_model.joint_values(joints, given, name, findings)
    return {text.partition("=")[0].strip(): [0.0] * 6 for text in given} | stated


def _tree_joint(body: MjcfBody, moved: Mapping[str, list[float]]) -> robot_model.RobotJoint:
    """Return what joins a body to its parent: its pose after its joints have moved, and its first joint."""
    pose = body.pose
    for joint in body.joints:
        if (values := moved.get(joint.joint.name)) is not None:
            pose = joint.motion(values) if joint.joint.kind == "floating" else pose @ joint.motion(values)
    if not body.joints:
        line = body.element.line
        return robot_model.RobotJoint(body.name, line, robot_model.FIXED, body.parent, body.name, pose_texts(pose))
    return dataclasses.replace(body.joints[0].joint, pose=pose_texts(pose))


def joint_frames(model: _MjcfModel, *, is_free: bool) -> robot_model.RobotModel:
    """Return the robot with the frame of each link at its only joint; bodies fixed to the world move if it is free."""
    shifts = {body.name: body.joints[0].anchor if body.joints else np.zeros(3) for body in model.bodies}
    links, joints = dict(model.robot.links), []
    for body, joint in zip(model.bodies[1:], model.robot.joints, strict=True):
        pose = frame_matrix(-shifts[body.parent]) @ body.pose @ frame_matrix(shifts[body.name])
        kind = "floating" if is_free and body.parent == _WORLD and not body.joints else joint.kind
        joints.append(dataclasses.replace(joint, pose=pose_texts(pose), kind=kind))
        if (inertial := links[body.name].inertial) is not None and shifts[body.name].any():
            center = np.array([float(text) for text in inertial.pose[:3]]) - shifts[body.name]
            moved = dataclasses.replace(inertial, pose=(*_texts(center), *inertial.pose[3:]))
            links[body.name] = dataclasses.replace(links[body.name], inertial=moved)
    return dataclasses.replace(model.robot, links=links, joints=joints)


class _MjcfTable(UrdfTable):
    """Table of an MJCF file, with its bodies and the file of each row."""

    model: _MjcfModel
    files: list[str]

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row in the file that states it."""
        return Place(self.files[i], row=i + 1, column=column, line=self.lines[i] if self.lines else None)


def read_mjcf(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> _MjcfTable:
    """Read the bodies of an MJCF file, those that it includes and attaches; ``rollups`` compose the poses."""
    model = read_mjcf_model(name, data, options, findings)
    if not any(link.inertial for link in model.robot.links.values()):
        raise TableError([rule_finding("MP111", "model has no body with a mass", Place(name))])
    is_error = options.default_inertial == "error"
    rows, lines, files, incomplete = robot_rows(name, model.robot, findings, is_error=is_error, ground=_WORLD)
    table = _MjcfTable(TableSource(name, "mjcf", compressed=compressed), rows, lines=lines)
    table.robot, table.incomplete, table.model, table.files = model.robot, incomplete, model, files
    return table
