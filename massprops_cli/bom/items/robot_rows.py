"""Robots in a table: a row that names a robot file has the links of the robot as items below it, with their sigmas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import room_function
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_item_faults
from massprops_cli.files import table as tables
from massprops_cli.files.meshes.mesh_file import find_mesh
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Table, TableView, Value, shortest_number_text
from massprops_cli.findings.finding import (
    Findings,
    Place,
    TableError,
    UsageError,
    name_list,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.tables.cells.units import Units, quantity_dimension, unit_of_dimension
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, read_columns
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
    base_quantity,
)
from massprops_cli.tables.rows.hierarchy import Hierarchy


class _RobotTable(TableView):
    """A table with the links of robots in rows below its own, and columns of their poses to the right."""

    def __init__(self, table: Table, names: Sequence[str], header_row: int) -> None:
        self.base: Table = table
        self.source, self.sheet_info = table.source, table.sheet_info
        self.cells: dict[tuple[int, int], str] = {}  # of added columns, in rows of the table itself
        self.columns: frozenset[int] = frozenset()
        self.left_out = table.left_out if isinstance(table, TableView) else np.zeros(table.n_rows, bool)
        self.last, self.width = table.n_rows, table.n_columns
        self.names, self.header_row = tuple(names), header_row
        self.n_rows, self.n_columns = table.n_rows, table.n_columns + len(names)
        self.links: list[tuple[dict[int, Value], Table, int]] = []  # cells by column, and the row in a robot's table
        self.robot_cells: list[tuple[int, int]] = []  # that name a robot that is read
        self.reported: set[str] = set()  # ids of items whose missing mass has a cause that is reported

    def add(self, cells: dict[int, Value], robot: Table, row: int) -> None:
        """Add a row of a robot."""
        self.links.append((cells, robot, row))
        self.n_rows += 1
        if (info := self.sheet_info) is not None:
            outline = None if info.outline is None else np.append(info.outline, np.uint8(0))
            indent = {j: np.append(levels, np.uint8(0)) for j, levels in info.indent.items()}
            self.sheet_info = replace(info, outline=outline, indent=indent)

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        return [self.text(i, j) for j in range(self.n_columns)]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        if i >= self.last:
            return tables.typed_value_text(self.links[i - self.last][0].get(j, ""))
        if j < self.width:
            return self.base.text(i, j)
        return self.names[j - self.width] if i == self.header_row else self.cells.get((i, j), "")

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        added = [self.text(i, j) for i in range(max(start, self.last), self.n_rows)]
        if j < self.width:
            return [*self.base.texts(j, start), *added]
        return [*(self.text(i, j) for i in range(start, self.last)), *added]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[tables.ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; those of robots are numbers whatever the rules of a column."""
        own = [j for j in columns if j < self.width]
        below = dict(zip(own, self.base.numbers(own, start), strict=True))
        blank = np.full(self.last - start, np.nan), np.full(self.last - start, tables.BLANK, np.uint8)
        result = []
        for j in columns:
            values, states = below.get(j, blank)
            cells = [cells.get(j, "") for cells, _, _ in self.links]
            given = [float(cell) if isinstance(cell, float) else np.nan for cell in cells]
            kinds = [
                tables.NUMBER if isinstance(cell, float) else tables.TEXT if cell else tables.BLANK for cell in cells
            ]
            result.append(tables.ColumnNumbers(np.append(values, given), np.append(states, np.array(kinds, np.uint8))))
        return result

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers: (n_rows - start,)."""
        own = self.base.is_typed(j, start) if j < self.width else np.zeros(self.last - start, bool)
        return np.append(own, [isinstance(cells.get(j), float) for cells, _, _ in self.links]).astype(bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell; that of a link is in the file of its robot."""
        if i >= self.last:
            _, robot, row = self.links[i - self.last]
            return robot.place(row, None, column)
        return self.base.place(i, j, column) if j is None or j < self.width else self.base.place(i)

    def edit_of_base(self, filling: tables.TableEdit) -> tables.TableEdit:
        """Leave out the rows of links, and added columns: the file keeps its own."""
        fills: list[tables.ColumnEdit] = []
        for fill in filling.fills:
            rows, values = self._own_part(fill)
            if fill.column < self.width and len(rows):
                fills.append(tables.ColumnEdit(fill.column, rows, values))
        added = [tables.AddedColumn(one.name, *self._own_part(one)) for one in filling.added]
        return replace(filling, fills=tuple(fills), added=tuple(added))

    def _own_part(self, edit: tables.ColumnEdit | tables.AddedColumn) -> tuple[NDArray[np.intp], tables.Values]:
        """Return the rows and values of an edit without those of links; rows added to this table come after its own."""
        own = (edit.rows < self.last) | (edit.rows >= self.n_rows)
        rows = np.where(edit.rows < self.last, edit.rows, edit.rows - len(self.links))[own]
        values = edit.values
        if isinstance(values, np.ndarray):
            return rows, values[own]
        return rows, [value for value, is_own in zip(values, own.tolist(), strict=True) if is_own]


_UNIT_NAMES = {"mass": "kg"} | dict.fromkeys(CENTER_COLUMNS, "m") | dict.fromkeys(INERTIA_COLUMNS, "kg*m^2")
_HEADERS = {f"sigma_{name}": f"sigma_{name} [{unit}]" for name, unit in _UNIT_NAMES.items()}
_UNITS = (1, 0, 0), (0, 1, 0)  # powers of mass, length and time of a mass and of a length
_LINK_HEADINGS = ("link", "body", "name")  # of the column of names, where none is read as ids


class _LinkRow(NamedTuple):
    """The row of one link: sigmas in kg and m, or as shares of the link's own values."""

    place: Place
    values: dict[str, float]
    shares: dict[str, float]


class _LinkSigmas:
    """Sigmas by names of links or bodies; names that no robot has are reported at the end."""

    def __init__(self, options: TableOptions, findings: Findings) -> None:
        table = read_file_table(options.link_sigmas, replace(options.robots, joint_positions=()), None, findings)
        read = TableOptions(sigma_level=options.sigma_level, decimal=options.decimal, caps=options.caps)
        columns = read_columns(table, read, found := Findings())
        names = columns.by_quantity.get("id")
        folded = [text.strip().casefold() for text in columns.header]
        at = names.index if names else next((folded.index(one) for one in _LINK_HEADINGS if one in folded), None)
        self.quantities = [name for name in _HEADERS if name in columns.by_quantity]
        if at is None or not self.quantities:
            missing = "column of " + ("links (link)" if at is None else "sigmas (sigma_mass [kg])") + " is missing"
            raise TableError([*found, rule_finding("MP203", missing, table.place(columns.header_row))])
        first = columns.first_row
        ids = [text.strip() for text in table.texts(at, first)]
        self._rows = {id: _LinkRow(table.place(i, at), {}, {}) for i, id in enumerate(ids, first) if id}
        for quantity in self.quantities:
            column = columns.by_quantity[quantity]
            parsed = column.parse(table, first)
            for k in parsed.bad.tolist():
                place, value = table.place(first + k, column.index, column.header), table.text(first + k, column.index)
                found.report("MP205", f"{column.header} of {ids[k]} is not a number: {value!r}", place, value=value)
            size = 0.01 if column.percent else _si_size(quantity, columns.units) or 1.0
            values = parsed.values * column.sizes(np.arange(first, table.n_rows)) * size
            for id, value in zip(ids, values.tolist(), strict=True):
                if id and np.isfinite(value):
                    (self._rows[id].shares if column.percent else self._rows[id].values)[quantity] = value
        findings += [one for one in found if one.rule != "MP504"]  # the values are those of the robot
        self._used: set[str] = set()

    def of(self, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
        """Return the sigmas of the first known of some names, in kg and m; ``given`` has the values of shares."""
        if (name := next((one for one in names if one in self._rows), None)) is None:
            return {}
        self._used.add(name)
        row = self._rows[name]
        known = {one: given.get(base_quantity(one)) for one in row.shares}
        own = {one: row.shares[one] * abs(float(text)) for one, text in known.items() if text}
        return {one: shortest_number_text(value) for one, value in {**row.values, **own}.items()}

    def report_unknown(self, known: Iterable[str], findings: Findings) -> None:
        """Report the names that no link with an inertial has."""
        links = list(known)
        for name, row in self._rows.items():
            if name not in self._used:
                message = f"sigmas are of no link with an inertial: {name}{nearest_name_hint(name, links)}"
                findings.report("MP892", message, row.place, value=name)


def _si_size(quantity: str, units: Units) -> float | None:
    """Return what 1 in coherent units is in kg and m; None if one of these units is not stated."""
    size = 1.0
    for own, si, power, dimension in zip(
        (units.mass, units.length), ("kg", "m"), quantity_dimension(quantity) or (0, 0), _UNITS, strict=False
    ):
        if power:
            found, of_robot = (unit_of_dimension(one, dimension) if one else None for one in (own, si))
            if found is None or of_robot is None:
                return None
            size *= found.over(of_robot) ** power
    return size


def with_link_sigmas(table: GridTable, options: TableOptions, findings: Findings) -> GridTable:
    """Return the table of a robot with columns of sigmas."""
    sigmas = _LinkSigmas(options, findings)
    header = [str(text).split(" [")[0] for text in table.rows[0]]
    rows: list[list[Value]] = [[*table.rows[0], *(_HEADERS[one] for one in sigmas.quantities)]]
    links = []
    for i in range(1, table.n_rows):
        given = dict(zip(header, table.row(i), strict=True))
        of_link = sigmas.of((given["id"], given["parent"]), given) if given["Cx"] or given["mass"] else {}
        links += [given["parent"]] if given["mass"] else []
        rows.append([*table.rows[i], *(of_link.get(one, "") for one in sigmas.quantities)])
    sigmas.report_unknown(links, findings)
    result = copy(table)
    result.rows, result.n_columns = rows, len(rows[0])
    return result


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
) -> tuple[_RobotTable, TableColumns, Hierarchy]:
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
        self._sigmas = _LinkSigmas(options, findings) if options.link_sigmas and options.use_sigmas else None
        for quantity in () if self._sigmas is None else self._sigmas.quantities:
            if quantity.removeprefix("sigma_") in self._of_quantity:
                self._require(quantity, table, quantity)
        self.table = _RobotTable(table, self._names, columns.header_row)
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
        if (size := _si_size(name, self._columns.units)) is None:
            words = "--unit mass=… or --unit length=…"
            raise _RobotError(
                f"unit of {column.header} is not stated, and robots are in kg and m", remedy=f"pass {words}"
            )
        return column.factor * size
