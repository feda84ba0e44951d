"""Patterns: rows of n pieces in a line or around an axis, as one item for each piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_item_faults
from massprops_cli.files.options import cap_remedy
from massprops_cli.files.table import Floats, Table, shortest_number_text
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.units import unit_of_dimension
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy, empty_hierarchy

_AngleReader = Callable[[QuantityColumn, Floats, NDArray[np.intp]], tuple[str | None, Floats]]
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_LENGTH = (0, 1, 0)  # powers of mass, length and time


class _PatternError(Exception):
    """A pattern that is not valid: the quantity of the column at fault, and why."""

    def __init__(self, quantity: str, message: str) -> None:
        super().__init__(message)
        self.quantity = quantity


class _PatternRow(NamedTuple):
    """The cells of one pattern, lengths in coherent units; ``angle`` is NaN where blank."""

    kind: str
    pitch: tuple[float, ...]
    axis: tuple[float, ...]
    point: tuple[float, ...]
    angle: float


def expanded_patterns(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> Hierarchy:
    """Make one item for each piece of a pattern, with everything below it."""
    if (column := columns.by_quantity.get("pattern")) is None or not len(hierarchy):
        return hierarchy
    rows = hierarchy.rows if hierarchy.edge_rows is None else hierarchy.edge_rows
    uses = ItemRows(table, columns, rows, hierarchy.ids)
    kinds = [text.strip() for text in uses.texts(column.index)]
    counts = _piece_counts(uses, np.flatnonzero([bool(kind) for kind in kinds]), options, findings)
    return _Expansion(hierarchy, counts).run(table, options, findings) if counts else hierarchy


def _piece_counts(uses: ItemRows, which: NDArray[np.intp], options: TableOptions, findings: Findings) -> dict[int, int]:
    """Return the number of pieces of each pattern; report quantities that are not whole numbers."""
    named = uses.columns.by_quantity
    column = named.get("qty", named["pattern"])
    counts, faults = {}, {}
    for i in which.tolist():
        text = uses.table.text(int(uses.rows[i]), column.index).strip() if "qty" in named and uses.rows[i] >= 0 else ""
        number = read_number(text)
        if options.qty_is == "total" or options.mass_is == "line":
            faults[i] = "cannot be combined with quantities of the product or masses of all pieces"
        elif number is None or number < 1 or number != int(number):
            faults[i] = f"needs a whole quantity of at least 1: {text or 'blank'}"
        else:
            counts[i] = int(number)
    _report_faults(uses, column, faults, findings)
    return counts


def _report_faults(uses: ItemRows, column: QuantityColumn, faults: dict[int, str], findings: Findings) -> None:
    """Report the patterns that are not valid."""
    messages = {i: f"pattern of {uses.ids[i]} {fault}" for i, fault in faults.items()}
    report_item_faults(uses, ItemFault("MP707", column), messages, findings)


class _Expansion:
    """A hierarchy that grows by the further pieces of its patterns, the deepest first."""

    def __init__(self, hierarchy: Hierarchy, counts: dict[int, int]) -> None:
        self.hierarchy, self.counts = hierarchy, counts
        self.source = list(range(len(hierarchy)))
        self.parents = np.asarray(hierarchy.parents).tolist()
        self.ids = list(hierarchy.ids)
        self.taken = set(self.ids)
        self.piece = [0 if i in counts else -1 for i in self.source]
        self.children: dict[int, list[int]] = {}
        for i, parent in enumerate(self.parents):
            self.children.setdefault(parent, []).append(i)

    def run(self, table: Table, options: TableOptions, findings: Findings) -> Hierarchy:
        """Add all pieces; the empty hierarchy above the cap of items."""
        cap = options.caps.items
        for i in sorted(self.counts, key=self._depth, reverse=True):
            branch = self._branch(i)
            more = len(branch) * (self.counts[i] - 1)
            if len(self.ids) + more > cap:
                message = f"number of items is above the limit: {len(self.ids) + more:,} (at most {cap:,})"
                findings.report("MP114", message, table.place(0), remedy=cap_remedy("items", len(self.ids) + more))
                return empty_hierarchy(self.hierarchy.layout, message)
            for k in range(1, self.counts[i]):
                self._add_piece(branch, k)
        return self._hierarchy()

    def _depth(self, i: int) -> int:
        """Return the number of ancestors of an item; items on a cycle have as many as there are items."""
        depth, above = 0, self.parents[i]
        while above >= 0 and depth < len(self.parents):
            depth, above = depth + 1, self.parents[above]
        return depth

    def _branch(self, i: int) -> list[int]:
        """Return an item and everything below it, parents first."""
        found, seen = [i], {i}
        for item in found:
            for child in self.children.get(item, ()):
                if child not in seen:
                    seen.add(child)
                    found.append(child)
        return found

    def _add_piece(self, branch: list[int], k: int) -> None:
        """Add piece k, from 0, of a branch."""
        top, new = branch[0], {}
        name = self.ids[top]
        for item in branch:
            new[item] = len(self.ids)
            old = self.ids[item]
            under = old.startswith(f"{name}/")
            text = f"{name}#{k + 1}{old[len(name) :]}" if item == top or under else f"{old}#{k + 1}"
            while text in self.taken:
                text += "'"
            self.taken.add(text)
            self.ids.append(text)
            self.source.append(self.source[item])
            self.parents.append(self.parents[item] if item == top else new[self.parents[item]])
            self.piece.append(k if item == top else self.piece[item])
            self.children.setdefault(self.parents[-1], []).append(new[item])

    def _hierarchy(self) -> Hierarchy:
        """Return the hierarchy with all pieces."""
        old, at = self.hierarchy, np.array(self.source, np.intp)
        return replace(
            old,
            rows=old.rows[at],
            ids=self.ids,
            parents=np.array(self.parents, np.int32),
            names=None if old.names is None else [old.names[i] for i in self.source],
            part=at if old.part is None else old.part[at],
            edge_rows=None if old.edge_rows is None else old.edge_rows[at],
            piece=np.array(self.piece, np.intp),
        )


def pattern_poses(uses: ItemRows, hierarchy: Hierarchy, angle_of: _AngleReader, findings: Findings) -> Poses | None:
    """Return the displacements (n,) of pieces from the first, in the parent's frame (docs/formulas.md, section 12)."""
    if hierarchy.piece is None:
        return None
    named = uses.columns.by_quantity
    result = Poses.identity(len(uses.rows))
    faults: dict[str, dict[int, str]] = {}
    known: dict[int, Poses | None] = {}
    total = {
        int(row): 1 + int(hierarchy.piece[uses.rows == row].max()) for row in np.unique(uses.rows[hierarchy.piece >= 0])
    }
    for i in np.flatnonzero(hierarchy.piece >= 0).tolist():
        row = int(uses.rows[i])
        if row not in known:
            try:
                known[row] = _piece_poses(_pattern_row(uses, i, angle_of), total[row])
            except (_PatternError, UsageError) as error:
                known[row] = None
                faults.setdefault(getattr(error, "quantity", "pattern"), {})[i] = f"is not valid: {error}"
        pieces, k = known[row], int(hierarchy.piece[i])
        if pieces is not None:
            result.translation[i], result.rotation[i] = pieces.translation[k], pieces.rotation[k]
    for quantity, of in faults.items():
        _report_faults(uses, named.get(quantity, named["pattern"]), of, findings)
    return result


def _piece_poses(pattern: _PatternRow, n: int) -> Poses:
    """Return the displacements of n pieces."""
    if pattern.kind == "circular":
        angle = None if np.isnan(pattern.angle) else pattern.angle
        if not any(pattern.axis):
            raise _PatternError("pattern_axis", "a circular pattern needs an axis, such as z or 0 0 1")
        return Poses.circular_pattern(n, pattern.axis, angle, "deg", pattern.point)
    if not any(pattern.pitch):
        raise _PatternError("pattern_pitch", "a linear pattern needs a pitch: three numbers, or one and an axis")
    if len(pattern.pitch) == 3:
        return Poses.linear_pattern(n, pattern.pitch)
    length = float(np.linalg.norm(pattern.axis)) if pattern.axis else 0.0
    if not length:
        raise _PatternError("pattern_axis", "a pitch of one number needs an axis, such as z or 0 0 1")
    return Poses.linear_pattern(n, np.array(pattern.axis) / length * pattern.pitch[0])


def _pattern_row(uses: ItemRows, i: int, angle_of: _AngleReader) -> _PatternRow:
    """Read the pattern of one item, or raise."""
    if (kind := _cell(uses, i, "pattern").lower()) not in ("linear", "circular"):
        raise _PatternError("pattern", f"{kind} (expected linear or circular)")
    angle = _numbers(uses, i, "pattern_angle", (0, 1))
    turned = np.nan
    if angle:
        unit, values = angle_of(uses.columns.by_quantity["pattern_angle"], np.array(angle), np.array([i], np.intp))
        turned = float(np.rad2deg(values[0]) if unit in ("rad", "mrad") else values[0])
    axis: tuple[float, ...] | None = _AXES.get(_cell(uses, i, "pattern_axis").lower().lstrip("+-"))
    if axis is not None and _cell(uses, i, "pattern_axis").startswith("-"):
        axis = tuple(-x + 0.0 for x in axis)
    return _PatternRow(
        kind,
        _lengths(uses, i, "pattern_pitch", (0, 1, 3)),
        axis or _numbers(uses, i, "pattern_axis", (0, 3)),
        _lengths(uses, i, "pattern_point", (0, 3)) or (0.0, 0.0, 0.0),
        turned,
    )


def _cell(uses: ItemRows, i: int, quantity: str) -> str:
    """Return the text of a cell of one item; empty without the column."""
    column = uses.columns.by_quantity.get(quantity)
    return "" if column is None or uses.rows[i] < 0 else uses.table.text(int(uses.rows[i]), column.index).strip()


def _words_read(text: str) -> list[float | None]:
    """Read the words of a cell as numbers; None for a word that is none."""
    return [read_number(word) for word in re.split(r"[\s,;]+", text) if word]


def _numbers(uses: ItemRows, i: int, quantity: str, expected: tuple[int, ...]) -> tuple[float, ...]:
    """Return the numbers in one cell, separated by blanks, commas or semicolons, or raise."""
    text = _cell(uses, i, quantity)
    read = _words_read(text)
    numbers = tuple(number for number in read if number is not None)
    if len(numbers) != len(read) or len(numbers) not in expected:
        counts = " or ".join(str(count) for count in expected if count)
        unit = "; the unit is in the header, or --unit angle=deg" if quantity == "pattern_angle" else ""
        counts += f" number{'s' if expected[-1] > 1 else ''}{unit}"
        raise _PatternError(quantity, f"{quantity} {text} (expected {counts})")
    return numbers


def _lengths(uses: ItemRows, i: int, quantity: str, expected: tuple[int, ...]) -> tuple[float, ...]:
    """Return the lengths in one cell in coherent units, or raise; without a unit they are in that of tx, or of Cx."""
    numbers, units = _numbers(uses, i, quantity, expected), uses.columns.units
    stated, size = _length_size(uses, quantity)
    if not stated and units.stated and numbers:
        raise _PatternError(quantity, f"{quantity} states no unit (write {quantity} [{units.length or 'mm'}])")
    if size is None:
        raise _PatternError(quantity, f"unit of {quantity} is not a length that fits the table: {stated}")
    return tuple(number * size for number in numbers)


def _length_size(uses: ItemRows, quantity: str) -> tuple[str, float | None]:
    """Return the unit in a header, and the coherent length of a number 1 in its cells, None if it fits no unit."""
    named = uses.columns.by_quantity
    column = named.get(quantity)
    bracket = None if column is None else re.search(r"[\[(]([^\])]+)[\])]", column.header)
    if bracket is None:
        same = next((named[name] for name in ("tx", "Cx") if name in named), None)
        return "", 1.0 if same is None else same.factor
    texts = bracket[1].strip(), uses.columns.units.length
    unit, own = (unit_of_dimension(text, _LENGTH) if text else None for text in texts)
    return bracket[1], None if unit is None or own is None else float(unit.over(own))


def moved_pattern_cells(uses: ItemRows, i: int, rotation: Floats, translation: Floats) -> dict[str, str]:
    """Return the changed cells of a pattern under x' = R x + t, R (3, 3), t (3,): docs/formulas.md, section 12."""
    pattern = _pattern_row(uses, i, lambda _column, values, _items: (None, values))
    circular = pattern.kind == "circular"
    found: dict[str, Floats] = {}
    if pattern.axis and any(pattern.axis):
        axis = np.array(pattern.axis)
        found["pattern_axis"] = rotation @ axis * (np.linalg.det(rotation) if circular else 1.0)
    if not circular and len(pattern.pitch) == 3:
        pitch = np.array(_numbers(uses, i, "pattern_pitch", (3,)))
        found["pattern_pitch"] = rotation @ pitch
    if circular:
        point = np.array(pattern.point)
        moved = rotation @ point + translation
        if not np.array_equal(moved, point):
            found["pattern_point"] = moved / (_length_size(uses, "pattern_point")[1] or 1.0)
    cells = {}
    for quantity, numbers in found.items():
        text = " ".join(shortest_number_text(float(f"{x:.15g}") + 0.0) for x in numbers.tolist())
        same = quantity == "pattern_axis" and np.array_equal(numbers, np.array(pattern.axis))
        if not same and _words_read(_cell(uses, i, quantity)) != numbers.tolist():
            cells[quantity] = text
    return cells
