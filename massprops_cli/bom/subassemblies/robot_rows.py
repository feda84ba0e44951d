"""Robots in a table: a row that names a robot file has the links of the robot as items below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from massprops_cli._front import room_function
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_item_faults
from massprops_cli.bom.subassemblies.link_sigmas import LinkSigmas, si_size
from massprops_cli.bom.subassemblies.robot_table import RobotTable
from massprops_cli.files.meshes.mesh_file import find_mesh
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import Table, Value
from massprops_cli.findings.finding import Findings, TableError, UsageError, name_list
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import ANGLE_UNITS, stated_angle_unit
from massprops_cli.tables.layouts.detection import ROBOT_OR_OTHER, is_robot_name
from massprops_cli.tables.options import (
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    POSE_ANGLES,
    POSE_LENGTHS,
    POSE_QUANTITIES,
    TableOptions,
)
from massprops_cli.tables.rows.hierarchy import Hierarchy


class _RobotError(Exception):
    """A robot that cannot be read."""

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class _Robot(NamedTuple):
    """The rows of a robot, with ids and parents as in its file."""

    table: Table
    ids: list[str]
    parents: list[int]  # places in ``ids``, −1 for the row that names the robot
    rows: list[dict[str, str]]  # by quantity


def with_robots(
    table: Table, columns: TableColumns, hierarchy: Hierarchy, options: TableOptions, findings: Findings
) -> tuple[RobotTable, TableColumns, Hierarchy]:
    """Add the links of robots as items below the rows that name them; report the robots that are not read."""
    uses = ItemRows(table, columns, hierarchy.rows, hierarchy.ids)
    column = columns.by_quantity["robot"]
    named = {i: text.strip() for i, text in enumerate(uses.texts(column.index)) if text.strip()}
    if " ".join(column.header.replace("_", " ").split()).casefold() in ROBOT_OR_OTHER:
        mass = columns.by_quantity.get("mass")
        masses = [""] * len(uses.rows) if mass is None else uses.texts(mass.index)
        named = {i: text for i, text in named.items() if is_robot_name(text) and not masses[i].strip()}
    positions = _positions_of_items({hierarchy.ids[i]: i for i in named}, options)
    reader = _RobotRows(table, columns, set(uses.rows[[*named]].tolist()), options, findings)
    shown = reader.table
    ids, parents, rows = list(hierarchy.ids), hierarchy.parents.tolist(), hierarchy.rows.tolist()
    names = None if hierarchy.names is None else list(hierarchy.names)
    for i, text in named.items():
        top, first = hierarchy.ids[i], len(ids)
        try:
            robot = reader.robot(text, tuple(positions.get(i, ())))
        except _RobotError as error:
            fault = ItemFault("MP891", column, error.remedy)
            report_item_faults(uses, fault, {i: f"robot of {top} is not read: {error}"}, findings)
            shown.reported.add(top)
            continue
        shown.robot_cells.append((int(uses.rows[i]), column.index))
        ids += [f"{top}/{id}" for id in robot.ids]
        parents += [i if parent < 0 else first + parent for parent in robot.parents]
        rows += range(shown.n_rows, shown.n_rows + len(robot.ids))
        names = None if names is None else [*names, *robot.ids]
        shown.reported |= {f"{top}/{id}" for id in getattr(robot.table, "incomplete", ())}
        reader.add_rows(robot, ids[first:], [ids[k] for k in parents[first:]])
    reader.report_unknown()
    old, of_rows = len(hierarchy), np.array(rows, np.intp)
    return shown, reader.columns(), replace(
        hierarchy,
        rows=of_rows,
        ids=ids,
        parents=np.array(parents, np.int32),
        names=names,
        part=None if hierarchy.part is None else np.append(hierarchy.part, np.arange(old, len(ids))),
        edge_rows=None if hierarchy.edge_rows is None else np.append(hierarchy.edge_rows, of_rows[old:]),
    )  # fmt: skip


def _positions_of_items(items: Mapping[str, int], options: TableOptions) -> dict[int, list[str]]:
    """Return the positions of joints of each item, from texts ``ID:JOINT=POSITION``."""
    found: dict[int, list[str]] = {}
    for text in options.robots.joint_positions:
        head = text.partition("=")[0]
        owners = [id for id in items if head.startswith(f"{id}:")]
        if not owners:
            known = name_list(list(items), 8) or "the rows that name a robot"
            raise UsageError(f"invalid --q: {text} (expected ID:JOINT=POSITION, with ID one of {known})")
        id = max(owners, key=len)
        found.setdefault(items[id], []).append(text.removeprefix(f"{id}:"))
    return found


class _RobotRows:
    """Robots of one table, each read once for its positions of joints."""

    def __init__(
        self, table: Table, columns: TableColumns, which: set[int], options: TableOptions, findings: Findings
    ) -> None:
        self._columns, self._options, self._findings = columns, options, findings
        self._of_quantity = dict(columns.by_quantity)
        self._names: list[str] = []
        self._with_inertial: list[str] = []  # ids of links that state a mass
        if self._has(CENTER_COLUMNS):
            for name in (*POSE_LENGTHS, *POSE_ANGLES, "frame"):
                self._require(name, table, f"{name} [rad]" if name in POSE_ANGLES else name)
        if self._has(INERTIA_COLUMNS) and not (options.poi or columns.poi):
            self._require("POIconv", table, "POIconv")
        self._sigmas = LinkSigmas(options, findings) if options.link_sigmas and options.use_sigmas else None
        for quantity in () if self._sigmas is None else self._sigmas.quantities:
            if quantity.removeprefix("sigma_") in self._of_quantity:
                self._require(quantity, table, quantity)
        self.table = RobotTable(table, self._names, columns.header_row)
        self._robots: dict[tuple[str, tuple[str, ...]], _Robot | _RobotError] = {}
        self._state_frames(table, which)

    def _has(self, names: Sequence[str]) -> bool:
        """Return whether the table has a column of some quantities."""
        return any(name in self._columns.by_quantity for name in names)

    def _require(self, quantity: str, table: Table, header: str) -> None:
        """Add a column of a quantity that the table lacks."""
        if quantity not in self._of_quantity:
            index = table.n_columns + len(self._names)
            self._of_quantity[quantity] = QuantityColumn(index, quantity, header)
            self._names.append(header)

    def _state_frames(self, table: Table, which: set[int]) -> None:
        """State that numbers are in the frame of the root, where the table has no poses but those of robots."""
        column = self._of_quantity.get("frame")
        if column is None or column.index < table.n_columns or self._options.frame:
            return
        known = self._columns.by_quantity
        poses = [table.texts(known[name].index) for name in POSE_QUANTITIES if name in known]
        rows = range(self._columns.first_row, table.n_rows)
        if not any(text[i].strip(" 0.") for text in poses for i in rows if i not in which):
            self.table.cells |= {(i, column.index): "root" for i in rows}

    def columns(self) -> TableColumns:
        """Return the columns, with those that were added."""
        added = len(self.table.links)
        shown = {
            name: replace(one, by_row=one.by_row.with_rows(added)) if one.by_row is not None else one
            for name, one in self._of_quantity.items()
        }
        return self._columns._replace(by_quantity=shown, header=[*self._columns.header, *self._names])

    def robot(self, text: str, positions: tuple[str, ...]) -> _Robot:
        """Return the rows of a robot, or raise."""
        if self._has(INERTIA_COLUMNS) and any(one.inertia_about is not None for one in (self._options, self._columns)):
            raise _RobotError("tensors of the table are not about centres of mass", remedy="convert the table first")
        for name, column in self._of_quantity.items():
            if name in (*NUMBER_QUANTITIES, *POSE_LENGTHS):
                self._size(name, column, {})  # raises if a unit is not stated
        key = (text, positions)
        if key not in self._robots:
            try:
                self._robots[key] = self._read(text, positions)
            except _RobotError as error:
                self._robots[key] = error
        if isinstance(found := self._robots[key], _RobotError):
            raise found
        return found

    def _read(self, text: str, positions: tuple[str, ...]) -> _Robot:
        """Read a robot, and add its rows to the table."""
        options, name = self._options, self.table.source.name
        folder, roots = Path() if name == "-" else Path(name).parent, [Path(one) for one in options.mesh_roots]
        found, remedy = Findings(), "correct the path, or allow its folder with --config mesh-root=…"
        try:
            path = find_mesh(text, folder, roots, "robot")
        except UsageError as error:
            raise _RobotError(str(error), remedy=remedy) from None
        if not path.is_file():
            raise _RobotError(f"no such file: {text}", remedy=remedy)
        try:
            read = replace(options.robots, joint_positions=positions, folders=options.mesh_roots, caps=options.caps)
            table = read_file_table(str(folder / text), read, None, found)
            if not table.source.is_robot:
                raise _RobotError(f"{text} is {table.source.format}, not URDF, SDF or MJCF")
            table = room_function("massprops_cli.robots.link_inertials", "resolve_robot_table")(table, found)
            room_function("massprops_cli.robots.robot_checks", "check_robot")(table, options, found)
        except TableError as error:
            first = error.findings[0]
            raise _RobotError(f"{first.place}: {first.message}", first.remedy) from None
        except UsageError as error:  # of positions of joints
            raise UsageError(f"{text}: {error}") from None
        self._findings += room_function("massprops_cli.robots.robot_checks", "robot_findings")(found, table)
        ids = [table.text(i, 0) for i in range(1, table.n_rows)]
        at = {id: k for k, id in enumerate(ids, 1)}
        parents = [at.get(table.text(i, 1), 0) - 1 for i in range(1, table.n_rows)]
        header = [one.split(" [")[0] for one in table.row(0)]
        return _Robot(table, ids, parents, [dict(zip(header, row, strict=True)) for row in map(table.row, at.values())])

    def add_rows(self, robot: _Robot, ids: Sequence[str], parents: Sequence[str]) -> None:
        """Add the rows of a robot to the table, with the ids (n,) of its items and those of the items above them."""
        for k, given in enumerate(robot.rows):
            sigmas = {} if self._sigmas is None or not given["mass"] else self._sigmas.of((ids[k], parents[k]), given)
            self._with_inertial += [parents[k]] if given["mass"] else []
            own = {"id": ids[k], "parent": parents[k]}
            self.table.add(self._cells({**given, **sigmas, **own}), robot.table, k + 1)

    def report_unknown(self) -> None:
        """Report the names of sigmas that no robot has."""
        if self._sigmas is not None:
            self._sigmas.report_unknown(self._with_inertial, self._findings)

    def _cells(self, given: Mapping[str, str]) -> dict[int, Value]:
        """Return the cells of a row of a robot, in the units and by the signs of the columns of the table."""
        cells: dict[int, Value] = {}
        sign = self._options.poi or self._columns.poi
        for name, text in given.items():
            if (column := self._of_quantity.get(name)) is None or not text:
                continue
            if name in ("id", "parent", "frame", "POIconv"):
                cells[column.index] = text
                continue
            value = float(text)
            if name in INERTIA_COLUMNS[3:] and sign == "+" and "POIconv" not in self._of_quantity:
                value = 0.0 - value
            size = self._size(name, column, given)
            if np.isfinite(size):
                cells[column.index] = value / size
        return cells

    def _size(self, name: str, column: QuantityColumn, given: Mapping[str, str]) -> float:
        """Return what 1 in a column is in kg, m and rad; of a share, in those of the value."""
        if name == "qty":
            return 1.0
        if name in POSE_ANGLES:
            below = self._columns.header_row + 1
            under = self.table.text(below, column.index) if below < self._columns.first_row else ""
            unit, _ = stated_angle_unit(column.header, name, under, self._options.unit)
            return ANGLE_UNITS.get(unit, 1.0) * (1.0 if unit in ("rad", "mrad") else float(np.pi / 180))
        if column.percent:
            value = abs(float(given.get(name.removeprefix("sigma_")) or "nan"))
            return value * column.factor / 100 if value else float("nan")
        if (size := si_size(name, self._columns.units)) is None:
            words = "--unit mass=… or --unit length=…"
            raise _RobotError(
                f"unit of {column.header} is not stated, and robots are in kg and m", remedy=f"pass {words}"
            )
        return column.factor * size
