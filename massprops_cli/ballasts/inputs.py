"""What a ballast calculation is given: limits in words, places with their stock, and items that may be removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, inf, isfinite, radians
from typing import Any, NamedTuple

import numpy as np

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.changed_table import find_named_item
from massprops_cli.budgets.file import read_measure
from massprops_cli.budgets.limits import products_sign
from massprops_cli.budgets.model import LimitMeasure, measure_in_table_unit, table_unit_factor
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Table, TableSource
from massprops_cli.findings.finding import Findings, Place, Severity, UsageError, nearest_name_hint
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number, split_cell_text
from massprops_cli.tables.cells.units import INERTIA, LENGTH, MASS, unit_of_dimension
from massprops_cli.tables.columns.headings import angle_unit, heading_unit, read_heading

_CENTERS, _TENSORS = ("Cx", "Cy", "Cz"), ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_LIMIT = re.compile(r"(?P<what>.+?)\s*(?P<sign>\bin\b|<=|≤|>=|≥|=)\s*(?P<rest>.+)", re.DOTALL)  # Cx in -5..5 mm
_ENDS = re.compile(rf"({NUMBER_PATTERN})\s*(.*?)\s*\.\.\s*({NUMBER_PATTERN})\s*(.*)", re.DOTALL)  # -5..5 mm
_ANGLE = re.compile(rf"({NUMBER_PATTERN})\s*(.+)", re.DOTALL)  # 1 deg
_TILT = re.compile(r"tilt\s+(?!xx|yy|zz)([xyz])([xyz])")
_PLANES = re.compile(rf"(?:([xyz])\s*[=:])?\s*({NUMBER_PATTERN})\s*,\s*({NUMBER_PATTERN})\s*(.*)")  # x=-0.6,1.1 m
_WORDS = (*_CENTERS, *_TENSORS, "tilt xy", "tilt xz", "tilt yz")
_EXPECTED = "expected a text such as 'Cx in -5..5 mm', 'Cy = 0 mm', 'Ixy <= 0.1 kg*m^2' or 'tilt xz <= 1 deg'"
_ANGLES = {"deg": radians(1), "rad": 1.0, "mrad": 1e-3, "arcmin": radians(1) / 60}
_YES = frozenset(("true", "t", "yes", "y", "1", "x", "✓"))


class BallastLimit(NamedTuple):
    """Ends of one quantity in coherent units, products as tensor entries; a tilt in radians has the high end only."""

    text: str
    quantity: str  # Cx, Ixy, tilt xz
    low: float
    high: float
    unit: str  # in which it is printed
    size: float  # of that unit, in coherent units; negative for products with the other sign


def read_ballast_limits(texts: Sequence[str], bom: Bom, findings: Findings) -> list[BallastLimit]:
    """Parse limits such as ``Cx in -5..5 mm``; those of one quantity apply together."""
    found: dict[str, BallastLimit] = {}
    for k, text in enumerate(texts, 1):
        try:
            one = _parse_limit(" ".join(text.split()), bom)
            if (other := found.get(one.quantity)) is not None:
                ends = max(one.low, other.low), min(one.high, other.high)
                one = one._replace(text=f"{other.text}, {one.text}", low=ends[0], high=ends[1])
            if one.low > one.high:
                raise UsageError(f"limits of {one.quantity} leave no value: {one.text}")
            found[one.quantity] = one
        except UsageError as error:
            findings.report("MP670", str(error), Place(f"--to {k}"), value=text)
    if not texts:
        findings.report("MP670", f"no limit is given ({_EXPECTED})", Place("--to"))
    return list(found.values())


def _parse_limit(text: str, bom: Bom) -> BallastLimit:
    """Parse one limit; raises UsageError."""
    if (match := _LIMIT.fullmatch(text)) is None:
        raise UsageError(f"limit is not read: {text or 'blank'} ({_EXPECTED})")
    what, sign, rest = match["what"], match["sign"].replace("≤", "<=").replace("≥", ">="), match["rest"]
    if (tilt := _TILT.fullmatch(what.lower())) is not None:
        return _parse_tilt(text, f"tilt {''.join(sorted(tilt[1] + tilt[2]))}", sign, rest, bom)
    quantity = {word.casefold(): word for word in _WORDS}.get(what.casefold()) or read_heading(what).quantity
    if quantity not in (*_CENTERS, *_TENSORS):
        raise UsageError(f"quantity of a limit is not known: {what}{nearest_name_hint(what, _WORDS)} ({_EXPECTED})")
    _check_limited_values(quantity, bom)
    low, high = _limit_ends(quantity, sign, rest, bom)
    unit, dimension = low.unit or high.unit, LENGTH if quantity in _CENTERS else INERTIA
    least, most = (measure_in_table_unit(end, dimension, bom.units) for end in (low, high))
    if least > most:
        raise UsageError(f"limit has its low end above its high end: {rest}")
    size = table_unit_factor(unit, dimension, bom.units)
    if quantity in _TENSORS[3:] and (poi := products_sign(bom)) != "-":
        if poi == "±" and least != -most:
            raise UsageError(f"limit of {quantity} has no sign convention: the table uses both (give -P..P)")
        size, least, most = -size, -most, -least
    return BallastLimit(text, quantity, least, most, unit, size)


def _limit_ends(quantity: str, sign: str, rest: str, bom: Bom) -> tuple[LimitMeasure, LimitMeasure]:
    """Read both ends of a limit; a number without a unit is accepted where the table states none."""

    def measure(text: str) -> LimitMeasure:
        number = read_number(text.strip())
        if number is not None and not (bom.units.length if quantity in _CENTERS else bom.units.inertia):
            return LimitMeasure(number)
        try:
            return read_measure(text, LENGTH if quantity in _CENTERS else INERTIA)
        except UsageError as error:
            raise UsageError(f"limit of {quantity} {error}") from None

    if sign == "in":
        if (ends := _ENDS.fullmatch(rest)) is None:
            raise UsageError(f"limit of {quantity} is not a range: {rest} ({_EXPECTED})")
        return measure(f"{ends[1]} {ends[2] or ends[4]}"), measure(f"{ends[3]} {ends[4]}")
    one = measure(rest)
    return LimitMeasure(-inf) if sign == "<=" else one, LimitMeasure(inf) if sign == ">=" else one


def _parse_tilt(text: str, quantity: str, sign: str, rest: str, bom: Bom) -> BallastLimit:
    """Parse a limit of the angle between the axes of a plane and the nearest principal axes in it."""
    match = _ANGLE.fullmatch(rest)
    size = None if match is None else _ANGLES.get(angle_unit(match[2]) or "")
    if sign != "<=" or match is None or size is None:
        raise UsageError(f"limit of {quantity} is not an angle: {text} (expected '{quantity} <= 1 deg')")
    if not 0 < float(match[1]) * size < radians(45):  # from there on the other axis is the nearest
        raise UsageError(f"limit of {quantity} is not between 0 and 45 degrees: {rest}")
    _check_limited_values(quantity, bom)
    return BallastLimit(text, quantity, -inf, float(match[1]) * size, match[2], size)


def _check_limited_values(quantity: str, bom: Bom) -> None:
    """Reject a limit of what the table does not state."""
    bodies = bom.bodies
    if bodies.center is None or (quantity in _CENTERS and bodies.missing_axes[_CENTERS.index(quantity)]):
        raise UsageError(f"limit of {quantity} needs a centre of mass that the table does not state")
    if quantity not in _CENTERS and (bodies.inertia is None or bodies.missing_axes.any()):
        raise UsageError(f"limit of {quantity} needs tensors of inertia, which the table does not state")


def read_balance_planes(text: str, bom: Bom) -> tuple[str, tuple[float, float]]:
    """Parse two planes across a spin axis, such as ``x=-0.6,1.1 m``: the axis, and lengths; raises UsageError."""
    if (match := _PLANES.fullmatch(text.strip())) is None:
        raise UsageError(f"planes are not two coordinates: {text} (expected such as -0.6,1.1 m, or x=0,2 m)")
    unit = match[4] or bom.units.length
    ends = [read_measure(f"{end} {unit}", LENGTH) if unit else LimitMeasure(float(end)) for end in match.group(2, 3)]
    first, second = (measure_in_table_unit(one, LENGTH, bom.units) for one in ends)
    if first == second:
        raise UsageError(f"planes are one plane: {text}")
    if bom.bodies.inertia is None or bom.bodies.missing_axes.any():
        raise UsageError("balancing needs centres and tensors of inertia, which the table does not state")
    return match[1] or "z", (first, second)


class BallastPoint(NamedTuple):
    """A place for ballast, coherent units; a piece of 0 means any mass."""

    name: str
    center: tuple[float, float, float]
    most: float = inf  # mass
    piece: float = 0.0  # mass
    pieces: float = inf  # that fit and are in stock
    parent: str = ""


_ROLES = {
    "id": ("id", "point", "place", "location", "name", "label"),
    "most mass": ("max mass", "most mass", "mass max", "maximum mass", "largest mass", "capacity", "limit"),
    "piece mass": ("piece mass", "mass of a piece", "mass of one piece", "unit mass", "mass each", "piece"),
    "stock": ("stock", "pieces", "pieces in stock", "in stock", "qty", "quantity", "count"),
    "parent": ("parent", "assembly"),
    **{axis: (axis.lower(), axis[1:], f"centre {axis[1:]}", f"center {axis[1:]}") for axis in _CENTERS},
}
"""Headings of a table of points."""
_BRACKETS = re.compile(r"\s*[\[(].*[\])]\s*$")  # the unit in a heading
_POINT_COLUMNS = "id, x, y, z, max mass, piece mass, stock, parent"
_HEAD_ROWS = 30  # in which the heading of a table of points may be


def _point_columns(texts: Sequence[str]) -> dict[str, int]:
    """Find the columns of a row of headings, the first of each role."""
    found: dict[str, int] = {}
    for j, text in enumerate(texts):
        bare = re.sub(r"[_\s-]+", " ", _BRACKETS.sub("", text)).strip().casefold()
        has_unit = heading_unit(text, "mass") or heading_unit(text, "Cx")  # such as x_mm
        forms = (bare, bare.rpartition(" ")[0] if has_unit else bare)
        read = read_heading(text).quantity
        named = [name for form in forms for name, words in _ROLES.items() if form in words]
        for role in [*named, *([read] if read in _CENTERS else [])][:1]:
            found.setdefault(role, j)
    return found


def read_ballast_points(source: Any, bom: Bom, findings: Findings) -> list[BallastPoint]:
    """Read places of ballast from a file, a DataFrame or a list of dictionaries, in the units of the table of parts."""
    records = source.to_dict("records") if hasattr(source, "to_dict") else source
    if isinstance(records, Sequence) and not isinstance(records, str):
        if not all(isinstance(one, Mapping) for one in records):
            raise UsageError("points are not a path, a DataFrame or a list of dictionaries")
        header = list(dict.fromkeys(str(key) for record in records for key in record))
        rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
        table: Table = GridTable(TableSource("points", "records"), rows)
    else:
        table = read_file_table(str(source), FileOptions(), None, findings)
    axes = [name for name, lacks in zip(_CENTERS, bom.bodies.missing_axes, strict=True) if not lacks]
    heads = (i for i in range(min(table.n_rows, _HEAD_ROWS)) if {"id", axes[0]} <= _point_columns(table.row(i)).keys())
    head = next(heads, 0)
    columns = _point_columns(table.row(head)) if table.n_rows else {}
    if missing := [name.removeprefix("C") for name in ("id", *axes) if name not in columns]:
        message = f"columns of the points are missing: {', '.join(missing)} (expected {_POINT_COLUMNS})"
        findings.report("MP671", message, table.place(head))
        return []
    reader = _PointReader(table, head, columns, bom, findings)
    rows_with_text = [i for i in range(head + 1, table.n_rows) if any(text.strip() for text in table.row(i))]
    points = [point for row in rows_with_text for point in reader.point(row, axes)]
    if others := [text for j, text in enumerate(table.row(head)) if text.strip() and j not in columns.values()]:
        message, remedy = f"columns of the points are not read: {', '.join(others)}", f"columns are {_POINT_COLUMNS}"
        findings.report("MP671", message, table.place(head), severity=Severity.NOTE, remedy=remedy)
    if not rows_with_text:
        findings.report("MP671", "table of points has no point", table.place(head))
    return points


class _PointReader:
    """Reads the rows of a table of points."""

    def __init__(self, table: Table, head: int, columns: Mapping[str, int], bom: Bom, findings: Findings) -> None:
        self.table, self.head, self.columns, self.bom, self.findings = table, head, columns, bom, findings
        self.names: set[str] = set()

    def point(self, row: int, axes: Sequence[str]) -> Iterator[BallastPoint]:
        """Yield the point of a row, or report its faults."""
        before = len(self.findings)
        name, parent = (self._text(row, role) for role in ("id", "parent"))
        if not name or name in self.names:
            self._fault(row, "id", f"id of a point is given twice: {name}" if name else "point has no id")
        self.names.add(name)
        values = {role: self._number(row, role, name) for role in (*axes, "most mass", "piece mass", "stock")}
        for axis in (one for one in axes if not self._text(row, one)):
            self._fault(row, axis, f"point {name} has no place: {axis[1:]} is blank")
        most, piece, stock = (values[role] for role in ("most mass", "piece mass", "stock"))
        for role in ("most mass", "piece mass", "stock"):
            if (value := values[role]) is not None and (value < 0 or (role == "piece mass" and value == 0)):
                self._fault(
                    row, role, f"{role} of {name} is {'negative' if value else 'zero'}: {self._text(row, role)}"
                )
        if stock is not None and (stock % 1 or piece is None):
            why = "is not a whole number" if stock % 1 else "has no piece mass"
            self._fault(row, "stock", f"stock of {name} {why}: {self._text(row, 'stock')}")
        if parent:
            try:
                item = find_named_item(self.bom, parent)
                parent, times = self.bom.ids[item], self.bom.tree.path_quantities(self.bom.quantity).count[item]
                if times != 1:
                    self._fault(row, "parent", f"parent of {name} occurs {times:g} times: {parent}")
            except UsageError as error:
                self._fault(row, "parent", f"parent of {name} is not in the table: {error}")
        if len(self.findings) > before:
            return
        x, y, z = (float(values.get(axis) or 0.0) for axis in _CENTERS)
        fitting = inf if most is None or not piece else floor(most / piece * (1 + 1e-12))  # 0.3 / 0.1 is 3 pieces
        pieces = min(inf if stock is None else stock, fitting)
        yield BallastPoint(name, (x, y, z), inf if most is None else most, piece or 0.0, float(pieces), parent)

    def _text(self, row: int, role: str) -> str:
        """Return the text of a cell; empty without the column."""
        return self.table.text(row, self.columns[role]).strip() if role in self.columns else ""

    def _fault(self, row: int, role: str, message: str) -> None:
        """Report a fault of a cell."""
        at = self.columns.get(role)
        header = "" if at is None else self.table.text(self.head, at).strip()
        self.findings.report("MP671", message, self.table.place(row, at, header), value=self._text(row, role))

    def _number(self, row: int, role: str, name: str) -> float | None:
        """Return a number in coherent units; None for a blank cell, and for one with a fault."""
        if not (text := self._text(row, role)):
            return None
        cell, label = split_cell_text(text), f"{role.removeprefix('C')} of {name}"
        number = read_number(cell.number or text)
        if number is None or not isfinite(number):
            self._fault(row, role, f"{label} is not a number: {text}")
            return None
        quantity, dimension = (role, LENGTH) if role in _CENTERS else ("mass", MASS)
        unit = cell.unit or heading_unit(self.table.text(self.head, self.columns[role]), quantity)
        if role == "stock":
            return number
        try:
            if unit and unit_of_dimension(unit, dimension) is None:
                raise UsageError(f"{label} has an unknown unit: {unit}")
            return number * table_unit_factor(unit, dimension, self.bom.units)
        except UsageError as error:
            self._fault(row, role, str(error).replace("the limit", label))
            return None


class RemovableItem(NamedTuple):
    """An item that may be removed: its pieces, and mass properties of one of them, coherent units."""

    name: str
    pieces: int
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, ...]  # six tensor entries about the own centre; empty if not known
    takes_all: bool = False  # one piece means all pieces of the item


def read_removable_items(names: Iterable[str], bom: Bom, bodies: Bodies, findings: Findings) -> list[RemovableItem]:
    """Return the items that ``ID`` or ``column:HEADER`` names, with their rolled-up bodies (n,)."""
    items: dict[int, Place] = {}
    for k, name in enumerate(names, 1):
        place, header = Place(f"--remove {k}"), name.removeprefix("column:")
        try:
            if header != name:
                headers = [text.strip() for text in bom.columns.header]
                texts = bom.item_rows.texts(headers.index(header)) if header in headers else ()
                chosen = [i for i, text in enumerate(texts) if text.strip().casefold() in _YES]
                if not chosen:
                    why = "marks no item as removable (yes, true, 1, x)" if header in headers else "is not in the table"
                    raise UsageError(f"column {why}: {header}{nearest_name_hint(header, headers)}")
            else:
                chosen = [find_named_item(bom, name)]
        except UsageError as error:
            findings.report("MP672", str(error), place, value=name)
            continue
        items |= dict.fromkeys(chosen, place)
    found, times = [], bom.tree.path_quantities(bom.quantity).count
    for i, place in items.items():
        name, count = bom.ids[i], float(bom.quantity.count[i])
        if fault := _removal_fault(bom, bodies, i, items, float(times[i])):
            findings.report("MP672", f"item cannot be removed: {name} ({fault})", place, value=name, item=name)
            continue
        by_pieces = times[i] == count and not count % 1 and not bom.quantity.measured[i]
        factor = 1.0 if by_pieces else float(times[i])
        assert bodies.center is not None
        x, y, z = np.nan_to_num(bodies.center[i]).tolist()
        inertia = () if bodies.inertia is None else tuple((np.nan_to_num(bodies.inertia[i]) * factor).tolist())
        pieces = int(count) if by_pieces else 1
        found.append(RemovableItem(name, pieces, float(bodies.mass[i]) * factor, (x, y, z), inertia, not by_pieces))
    return found


def _removal_fault(bom: Bom, bodies: Bodies, i: int, items: Mapping[int, Place], times: float) -> str:
    """Return why an item cannot be removed; empty if it can."""
    above = bom.tree.ancestors(i)
    if not above:
        return "it is the root"
    if inside := [j for j in above if j in items]:
        return f"it is below {bom.ids[inside[0]]}, which may be removed too"
    if bom.stated is not None and any(bom.stated[j] for j in above):
        return "it is below a weighed assembly, whose own numbers count"
    if not times > 0 or not bodies.mass[i] > 0:
        return "it has no mass"
    has_center = bodies.center is not None and (bodies.has_center is None or bool(bodies.has_center[i]))
    return "" if has_center else "it has no centre of mass"
