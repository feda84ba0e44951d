"""A model of SDF as a robot of links and joints, and its links as a table with poses."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import NamedTuple

from massprops_cli.bodies.rotations import Floats, roll_pitch_yaw
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.files.table import TableSource, Value
from massprops_cli.findings.finding import Findings, Place, Severity, name_list
from massprops_cli.robots import robot_model
from massprops_cli.robots.sdf import sdf_model
from massprops_cli.robots.sdf.sdf_joints import moved_links, sdf_joints
from massprops_cli.robots.sdf.sdf_reader import read_sdf_model, read_visuals


def sdf_robot(table: SdfTable) -> robot_model.RobotModel:
    """Return the links of an SDF file that state a mass and a tensor, or whose inertial was computed."""
    links = {}
    for one in table.bodies:
        if table.text(one.row, 2) == "1" and table.text(one.row, 3) and not one.is_default:
            id = table.text(one.row, 1)
            file, visuals = one.model.file, read_visuals(one.model.file, one.link.element)
            collisions, seen = (
                robot_model.known_shapes([_shape(table, one, shape) for shape in listed])
                for listed in (one.link.collisions, visuals)
            )
            inertial = table_inertial(table, one)
            links[id] = robot_model.RobotLink(id, one.link.line, inertial, collisions, file.name, seen)
    return robot_model.RobotModel(table.text(1, 0), links, [], "")


def fixed_sdf_links(table: SdfTable) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the ids of the links of an SDF file, and pairs of them that do not move in each other."""
    ids = {(id(one.model), one.link.name): table.text(one.row, 1) for one in table.bodies}
    fixed = [one.links for one in sdf_joints(table.top, table.poses) if one.kind == robot_model.FIXED]
    ends = [[ids[end] for end in links if end is not None and end in ids] for links in fixed]
    return list(ids.values()), [(pair[0], pair[1]) for pair in ends if len(pair) == 2]


def table_inertial(table: SdfTable, one: SdfBody) -> robot_model.InertialTexts:
    """Return the inertial of a link as the table has it: stated, computed, or the default of the format."""
    texts = [table.text(one.row, j) for j in range(20)]
    pose = tuple(texts[14:]) if texts[14] else (*texts[4:7], *robot_model.ZERO_TEXTS)
    return robot_model.InertialTexts(one.inertial_line, pose, texts[3], tuple(texts[7:13]))


def _shape(table: SdfTable, one: SdfBody, collision: sdf_model.SdfCollision) -> robot_model.CollisionShape | None:
    """Return a collision in the frame of its link; None without a known shape."""
    if (geometry := collision.geometry) is None or not geometry.is_known or geometry.submesh:
        return None
    sizes = tuple(geometry.lengths.values())
    file = ""
    if geometry.kind == "mesh":
        path, _ = table.folders.find(geometry.uri, one.model.file.folder)
        if path is None:
            return None
        file = str(path)
    if any(size <= 0 for size in sizes):
        return None
    matrix = table.poses.in_link(one.model, one.link, collision.pose)
    x, y, z = matrix[:3, 3].tolist()
    a, b, c = (float(text) for text in geometry.scale)
    return robot_model.CollisionShape(geometry.kind, sizes, (x, y, z), roll_pitch_yaw(matrix[:3, :3]), file, (a, b, c))


def massless_joints(table: SdfTable) -> list[tuple[sdf_model.SdfModel, sdf_model.SdfFrame, str]]:
    """Return the moving joints whose child link, with all that is fixed to it, has the mass 0: model, joint, child."""
    models: dict[int, sdf_model.SdfModel] = {}
    ids: dict[int, dict[str, str]] = {}
    heavy: dict[int, set[str]] = {}
    for one in table.bodies:
        key = id(one.model)
        models[key] = one.model
        ids.setdefault(key, {})[one.link.name] = table.text(one.row, 1)
        mass = table.text(one.row, 3)
        if one.is_auto or not mass or float(mass) != 0:
            heavy.setdefault(key, set()).add(one.link.name)
    return [
        (model, joint, ids[key][joint.joined[1]])
        for key, model in models.items()
        if not model.is_static
        for joint in _joints_without_mass(model, ids[key], heavy.get(key, set()))
        if joint.joined is not None
    ]


def _joints_without_mass(
    model: sdf_model.SdfModel, ids: Mapping[str, str], heavy: set[str]
) -> list[sdf_model.SdfFrame]:
    """Return the moving joints of a model whose child is in a group of fixed links without mass."""
    joints = [frame for frame in model.frames.values() if frame.joined is not None]
    group = {name: name for name in model.links}

    def head(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    with_mass = set(heavy)
    for joint in joints:
        parent, child = joint.joined or ("", "")
        if joint.kind != robot_model.FIXED:
            continue
        if parent in group and child in group:
            group[head(child)] = head(parent)
        else:  # fixed to a nested model or to the world
            with_mass |= {parent, child}
    groups = {head(name) for name in with_mass if name in group}
    moving = [joint for joint in joints if joint.kind != robot_model.FIXED and joint.joined and joint.joined[1] in ids]
    return [joint for joint in moving if joint.joined and head(joint.joined[1]) not in groups]


class SdfBody(NamedTuple):
    """The row of a link's body in the table."""

    row: int  # from 0
    model: sdf_model.SdfModel
    link: sdf_model.SdfLink
    is_auto: bool  # the file leaves its inertial to be computed
    is_default: bool  # it has the default of the format, in mass or in tensor

    @property
    def states_tensor(self) -> bool:
        """Whether the file states the moments of inertia."""
        return self.link.inertial is not None and all(self.link.inertial.tensor[:3])

    @property
    def inertial_line(self) -> int:
        """Line of the inertial, or of the link if it has none."""
        return self.link.line if self.link.inertial is None else self.link.inertial.element.line


class SdfTable(ReportTable):
    """Table of an SDF file, with what automatic inertials need."""

    top: sdf_model.SdfModel  # model or world
    bodies: list[SdfBody]
    poses: sdf_model.SdfPoses
    folders: sdf_model.RobotFolders  # of meshes
    files: list[sdf_model.SdfFile]  # of each row
    calculator: str = ""  # custom calculator of meshes; empty for none
    is_resolved: bool = False  # automatic inertials were computed, or left out

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row in the file that states it."""
        return Place(self.files[i].name, row=i + 1, column=column, line=self.lines[i] if self.lines else None)

    def with_bodies(self, cells: Mapping[int, tuple[str, ...]], left_out: Mapping[int, str]) -> SdfTable:
        """Return the table with computed bodies."""
        rows: list[list[Value]] = [[self.value(i, j) for j in range(self.n_columns)] for i in range(self.n_rows)]
        for i, ten in cells.items():
            rows[i][3:14] = [*ten, "-"] if rows[i][0] not in self.incomplete else [ten[0], *robot_model.NO_MASS[1:]]
        for i, quantity in left_out.items():
            rows[i][2:14] = [quantity, *robot_model.MASSLESS]
        table = copy(self)
        table.rows, table.is_resolved = rows, True
        failed = {f"{rows[one.row][0]}" for one in self.bodies if one.is_auto and one.row not in {*cells, *left_out}}
        table.incomplete = self.incomplete | failed
        return table


def read_sdf(name: str, data: bytes, options: FileOptions | None, compressed: bool, findings: Findings) -> SdfTable:
    """Read the links of an SDF file, with those of files that it includes; ``rollups`` compose their poses."""
    options = options or FileOptions()
    folders = sdf_model.RobotFolders.of(name, options.folders)
    top = read_sdf_model(name, data, folders, findings)
    poses = sdf_model.SdfPoses(top, findings)
    rows = _SdfRows(poses, options.default_inertial, moved_links(top, poses, options.joint_positions, findings))
    rows.add_top(top)
    rows.report(findings)
    table = SdfTable(
        TableSource(name, "sdf", compressed=compressed), [robot_model.ROBOT_HEADER, *rows.rows], lines=[1, *rows.lines]
    )
    table.top, table.files = top, [top.file, *rows.files]
    table.bodies, table.poses, table.folders = rows.bodies, poses, folders
    table.calculator, table.incomplete = options.calculator, rows.incomplete
    return table


def _numbers_of(model: sdf_model.SdfModel) -> tuple[str, ...]:
    """Return the cells of the numbers of a model; one without links has the mass 0."""
    return robot_model.NO_MASS if model.has_links else robot_model.MASSLESS


class _SdfRows:
    """The rows of models, links and bodies, parents before their children."""

    def __init__(self, poses: sdf_model.SdfPoses, default: str, moved: Mapping[sdf_model.FrameKey, Floats]) -> None:
        self._poses, self._default, self._moved = poses, default, moved
        self.rows: list[list[Value]] = []
        self.lines: list[int] = []
        self.files: list[sdf_model.SdfFile] = []
        self.bodies: list[SdfBody] = []
        self.incomplete: set[str] = set()
        self._ids: set[str] = set()
        self._reserved: set[str] = set()
        self._static: list[SdfBody] = []
        self._massless: list[SdfBody] = []

    def add_top(self, top: sdf_model.SdfModel) -> None:
        """Add the rows of a model or world; its own pose is not applied."""
        self._reserved = set(top.links)
        id = self._unique(top.name)
        self._add(
            top.file,
            top.line,
            [id, "", "1" if self._counts(top) else "0", *_numbers_of(top), *robot_model.NO_POSE, "own"],
        )
        self._add_parts(top, id, "", is_placed=True)

    def _unique(self, id: str) -> str:
        """Return an id that no row has, and no link of the top model."""
        unique, n = id, 1
        while unique in self._ids or (n == 1 and unique in self._reserved):
            n += 1
            unique = f"{id} ({n})"
        self._ids.add(unique)
        return unique

    def _add(self, file: sdf_model.SdfFile, line: int, row: list[Value]) -> None:
        """Add a row with its place."""
        self.rows.append(row)
        self.lines.append(line)
        self.files.append(file)

    def _add_parts(self, model: sdf_model.SdfModel, parent: str, prefix: str, *, is_placed: bool) -> None:
        """Add the links of a model, and its nested models."""
        if model.is_missing:
            self.incomplete.add(parent)
        for link in model.links.values():
            self._add_link(model, link, parent, prefix, is_placed and self._poses.is_placed(model, link.name))
        for nested in model.models.values():
            pose = self._poses.model_texts(model, nested)
            id = self._unique(f"{prefix}{nested.name}")
            counts = self._counts(nested)
            row: list[Value] = [id, parent, "1" if counts else "0", *_numbers_of(nested), *pose, "own"]
            self._add(nested.file, nested.line, row)
            scope = prefix if nested.is_merged else f"{prefix}{nested.name}{sdf_model.SCOPE}"
            self._add_parts(nested, id, scope, is_placed=is_placed and self._poses.is_placed(model, nested.name))

    def _add_link(
        self, model: sdf_model.SdfModel, link: sdf_model.SdfLink, parent: str, prefix: str, is_placed: bool
    ) -> None:
        """Add a link and its body."""
        self._reserved.discard(link.name if not prefix else "")
        motion = self._moved.get((id(model), link.name))
        name = self._unique(f"{prefix}{link.name}")
        pose = self._poses.link_texts(model, link) if motion is None else sdf_model.pose_texts(motion)
        if not self._link_counts(model, link):
            body = SdfBody(len(self.rows) + 1, model, link, False, True)
            (self._static if model.is_static else self._massless).append(body)
            self._add(model.file, link.line, [name, parent, "0", *robot_model.MASSLESS, *pose, "own"])
            return
        self._add(model.file, link.line, [name, parent, "1", *robot_model.NO_MASS, *pose, "own"])
        inertial = link.inertial
        is_auto = inertial is not None and inertial.is_auto
        is_complete = inertial is not None and (is_auto or (inertial.mass and all(inertial.tensor[:3])))
        is_default = not is_complete and (inertial is None or inertial.is_valid)
        body = SdfBody(len(self.rows) + 1, model, link, is_auto, is_default)
        self.bodies.append(body)
        row = self._body_row(self._unique(f"{name}/body"), name, inertial)
        is_placed = is_placed and (inertial is None or inertial.pose is None or inertial.pose.is_valid)
        if not is_placed:
            row[4:] = [*robot_model.NO_MASS[1:], *robot_model.NO_POSE, "own"]
        if not is_placed or (inertial is not None and not inertial.is_valid):
            self.incomplete.add(f"{row[0]}")
        self._add(model.file, body.inertial_line, row)

    def _body_row(self, id: str, parent: str, inertial: sdf_model.SdfInertial | None) -> list[Value]:
        """Return the row of a body; what the file does not state has the default of the format."""
        mass, tensor = robot_model.DEFAULT_INERTIAL
        if inertial is None:
            return robot_model.body_row(id, parent, mass, tensor, "-", robot_model.AT_ORIGIN)
        if inertial.is_auto or not inertial.is_valid:
            return [id, parent, "1", *robot_model.NO_MASS, *robot_model.NO_POSE, "own"]
        stated = [text or otherwise for text, otherwise in zip(inertial.tensor, tensor, strict=True)]
        pose = robot_model.AT_ORIGIN if inertial.pose is None else inertial.pose.texts
        return robot_model.body_row(id, parent, inertial.mass or mass, stated, "-", pose)

    def _link_counts(self, model: sdf_model.SdfModel, link: sdf_model.SdfLink) -> bool:
        """Return whether a link has a body: static models have those that state their inertial only."""
        inertial = link.inertial
        if model.is_static:
            return inertial is not None and not inertial.is_auto
        return inertial is not None or self._default != "zero"

    def _counts(self, model: sdf_model.SdfModel) -> bool:
        """Return whether a model has a link with a body, or may have one."""
        return (
            model.is_missing
            or any(self._link_counts(model, link) for link in model.links.values())
            or any(self._counts(nested) for nested in model.models.values())
        )

    def report(self, findings: Findings) -> None:
        """Report links that do not count."""
        for bodies, what in (
            (self._static, "of static models state no inertial that counts, and have no mass"),
            (self._massless, "state no inertial, and have no mass"),
        ):
            if bodies:
                names = [body.link.name for body in bodies]
                noun = "link" if len(bodies) == 1 else "links"
                message = f"{len(bodies)} {noun} {what}: {name_list(names, 12)}"
                place = bodies[0].model.file.place(bodies[0].link.line)
                findings.report("MP863", message, place, value=names[0], item=names[0], count=len(bodies))
        if self._default == "error":
            for body in self.bodies:
                if body.is_default:
                    what = "no inertial" if body.link.inertial is None else "an incomplete inertial"
                    message = f"link {body.link.name} states {what}"
                    place = body.model.file.place(body.inertial_line)
                    findings.report("MP853", message, place, item=body.link.name, severity=Severity.ERROR)
