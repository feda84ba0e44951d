"""Envelopes of the centre of mass: polygons against mass, and boxes that are linear over mass, read and measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, Place, UsageError
from massprops_cli.rollups import regions
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.units import LENGTH, MASS, Units, ambiguous_unit, unit_of_dimension
from massprops_cli.tables.options import StatedKeys

_Floats = NDArray[np.float64]
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN})\s*(.*?)\s*", re.DOTALL)  # ``663 in``: number and unit
_LARGEST = 1e100  # of a number, which prevents overflow
_ON_BORDER = 1e-12  # a point this near, as a share of the extent of a polygon, is on its border
_AXES = "xyz"
_POINT, _BOX_ROW = '["2.1 m", "900 kg"]', '["900 kg", "2.0 m", "2.2 m"]'


class _Face(NamedTuple):
    """A polygon of two of the numbers m, x, y, z; coherent units."""

    across: int  # number of a coordinate, 1 to 3
    up: int  # 0: of the mass, or the number of another coordinate
    corners: tuple[regions.Point, ...]

    def measure(self, point: _Floats) -> tuple[bool, float, float]:
        """Return whether a point (4,) is inside, and its signed distances from the border, across and up."""
        # NaN: no border there; up from the end of the masses if none is at x; across in a plane: the least distance
        x, y = float(point[self.across]), float(point[self.up])
        extent = np.maximum(np.ptp(np.array(self.corners), axis=0), 1e-300)
        scaled = [(float(a / extent[0]), float(b / extent[1])) for a, b in self.corners]
        if regions.border_distance(scaled, (float(x / extent[0]), float(y / extent[1]))) <= _ON_BORDER:
            return True, 0.0, 0.0
        inside = regions.is_inside_polygon(self.corners, x, y)
        sign = 1.0 if inside else -1.0
        if self.up:
            return inside, sign * regions.border_distance(self.corners, (x, y)), float("nan")
        heights = regions.edge_abscissas([(b, a) for a, b in self.corners], x)
        masses = [b for _, b in self.corners]
        beyond = max(min(masses) - y, y - max(masses))
        near, over = (
            min((abs(each - at) for each in found), default=float("nan"))
            for found, at in ((regions.edge_abscissas(self.corners, y), x), (heights, y))
        )
        return inside, sign * near, sign * (beyond if beyond > 0 and not isfinite(over) else over)

    def stops(self, start: _Floats, end: _Floats) -> list[float]:
        """Return the shares of a segment of points (4,) at which its distance from the border may turn."""
        a, b = start[[self.across, self.up]], end[[self.across, self.up]]
        way = b - a
        found = {0.0, 1.0}
        for corner, following in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            edge = np.subtract(following, corner)
            if across := float(way[0] * edge[1] - way[1] * edge[0]):
                found.add(float(edge[1] * (corner[0] - a[0]) - edge[0] * (corner[1] - a[1])) / across)
            if self.up and (square := float(way @ way)):  # nearest to a corner
                found.add(float(way @ np.subtract(corner, a)) / square)
            elif not self.up and way[1]:
                found.add(float((corner[1] - a[1]) / way[1]))
        return [share for share in found if 0 <= share <= 1]


@dataclass(frozen=True, eq=False)
class Envelope:
    """A region of mass and centre: the intersection of its faces, and the rows of a box; coherent units."""

    name: str
    axes: tuple[str, ...]
    faces: tuple[_Face, ...]
    rows: _Floats | None  # (k, 7) mass, low (3,), high (3,), infinite for other axes; linear between
    place: Place

    @property
    def needed(self) -> list[int]:
        """Numbers of mass and of the coordinates."""
        return [0, *("xyz".index(axis) + 1 for axis in self.axes)]

    @property
    def masses(self) -> tuple[float, float]:
        """The least and the greatest mass; infinite if any mass is allowed."""
        found = [corner[1] for face in self.faces if not face.up for corner in face.corners]
        return (min(found), max(found)) if found else (-inf, inf)

    def measure(self, point: _Floats) -> tuple[bool, float, float]:
        """Return whether a point m, x, y, z (4,) is in all faces, and the least signed distances across and up."""
        each = [face.measure(point) for face in self.faces]
        inside = all(one[0] for one in each)
        of = [one for one in each if one[0] == inside]  # those that decide
        across, up = (min((one[k] for one in of if isfinite(one[k])), default=float("nan")) for k in (1, 2))
        return inside, float("nan") if any(np.isnan(one[1]) for one in of) else across, up

    def chances(self, mean: _Floats, covariance: _Floats) -> tuple[float, float]:
        """Return the probability of normal m, x, y, z, mean (4,), to be inside, and the σ to the border, signed."""
        sigmas = []
        for face in self.faces:
            at, picked = mean[[face.across, face.up]], np.ix_([face.across, face.up], [face.across, face.up])
            sign = 1.0 if regions.is_inside_polygon(face.corners, float(at[0]), float(at[1])) else -1.0
            sigmas.append(sign * regions.border_sigmas(at, covariance[picked], face.corners))
        if len(self.faces) == 1:
            share = regions.polygon_probability(at, covariance[picked], self.faces[0].corners)
        else:
            assert self.rows is not None
            share = regions.box_over_mass_probability(mean, covariance, self.rows)
        return share, min(sigmas)


class _EnvelopeError(UsageError):
    """A value of a key that is not valid, with its remedy."""


def read_envelopes(stated: Sequence[StatedKeys], units: Units, findings: Findings) -> list[Envelope]:
    """Read the envelopes of a configuration in the units of a table; what is wrong is in findings, at its line."""
    found: dict[str, Envelope] = {}
    for k, one in enumerate(stated):
        name = str(one.values.get("name", "")).strip() or str(k + 1)
        place = Place(one.path, line=one.lines.get(""))
        try:
            if name in found:
                raise _EnvelopeError("name", "is that of another envelope", "give each envelope its own name")
            found[name] = _read_envelope(name, one.values, units, place)
        except _EnvelopeError as fault:
            key, problem, remedy = fault.args
            at = Place(one.path, line=one.lines.get(key) or one.lines.get(""), column=key)
            findings.report("MP656", f"envelope {name}: {key} {problem}", at, value=name, remedy=remedy)
    return list(found.values())


def _read_envelope(name: str, given: Mapping[str, Any], units: Units, place: Place) -> Envelope:
    """Read one envelope; raises _EnvelopeError."""
    axis = given.get("axis", "x")
    axes = [text for text in axis if text not in (",", " ")] if isinstance(axis, list | str) else []
    if not axes or any(one not in ("x", "y", "z") or axes.count(one) > 1 for one in axes):
        expected = 'expected "x", "y", "z", or several such as "xy"'
        raise _EnvelopeError("axis", f"is not known: {axis} ({expected})", 'write an axis of the table: axis = "x"')
    if (rule := given.get("rule", "linear")) != "linear":
        raise _EnvelopeError("rule", f"is not known: {rule} (expected linear)", 'write rule = "linear", or omit it')
    if ("points" in given) == ("box" in given):
        problem = "and box are both stated" if "box" in given else "is missing, and so is box"
        raise _EnvelopeError("points", problem, f"state points = [{_POINT}, …] or box = [{_BOX_ROW}, …]")
    numbers = [_AXES.index(one) + 1 for one in axes]
    if "points" in given:
        if len(axes) > 2:
            raise _EnvelopeError("axis", "has three axes, and points are of one or two", "state a box")
        kinds = (LENGTH, LENGTH if len(axes) == 2 else MASS)
        listed = _rows("points", given["points"], _POINT if len(axes) == 1 else '["1 mm", "2 mm"]', 2, 3)
        corners = [(_measure("points", x, kinds[0], units), _measure("points", y, kinds[1], units)) for x, y in listed]
        face = _Face(numbers[0], numbers[1] if len(axes) == 2 else 0, _checked_corners(corners))
        return Envelope(name, tuple(axes), (face,), None, place)
    example = _BOX_ROW if len(axes) == 1 else '["900 kg", "-5 mm", "5 mm", "-9 mm", "9 mm"]'
    listed = _rows("box", given["box"], example, 1 + 2 * len(axes), 2)
    rows = np.tile([inf, *[-inf] * 3, *[inf] * 3], (len(listed), 1))
    for row, (mass, *limits) in zip(rows, listed, strict=True):
        row[0] = _measure("box", mass, MASS, units)
        row[[k + side for k in numbers for side in (0, 3)]] = [_measure("box", one, LENGTH, units) for one in limits]
    if not (np.diff(rows[:, 0]) > 0).all():
        raise _EnvelopeError("box", "has masses that are not ascending", "order its rows by mass")
    faces = []
    for k in numbers:
        if not ((rows[1:-1, k] < rows[1:-1, k + 3]).all() and (rows[:, k] <= rows[:, k + 3]).all()):
            problem = f"has a low limit of {_AXES[k - 1]} that is not below the high one"
            raise _EnvelopeError("box", problem, f"write box = [{example}, …]")
        around = [*zip(rows[:, k], rows[:, 0], strict=True), *zip(rows[::-1, k + 3], rows[::-1, 0], strict=True)]
        faces.append(_Face(k, 0, _checked_corners([(float(x), float(m)) for x, m in dict.fromkeys(around)], "box")))
    return Envelope(name, tuple(axes), tuple(faces), rows, place)


def _rows(key: str, given: object, example: str, width: int, least: int) -> list[list[Any]]:
    """Return the rows of points or of a box; raises _EnvelopeError."""
    rows: list[Any] = given if isinstance(given, list) else [given]
    remedy = f"write {key} = [{example}, …]"
    if faults := [row for row in rows if not isinstance(row, list) or len(row) != width]:
        raise _EnvelopeError(key, f"has a row that is not {example}: {faults[0]}", remedy)
    if len(rows) < least:
        nouns = "corners of a polygon" if key == "points" else "rows"
        raise _EnvelopeError(key, f"has {len(rows)} {nouns} (expected at least {least})", remedy)
    return rows


def _measure(key: str, value: object, kind: tuple[int, int, int], units: Units) -> float:
    """Read a number with its unit into that of the table, without one if the table states none; _EnvelopeError."""
    noun, example, own = ("length", "2.1 m", units.length) if kind == LENGTH else ("mass", "900 kg", units.mass)
    match, remedy = _MEASURE.fullmatch(str(value)), f'write such as "{example}"'
    number = None if match is None or isinstance(value, bool) else read_number(match[1])
    if match is None or number is None or abs(number) > _LARGEST:
        raise _EnvelopeError(key, f"has a value that is not a number with a unit: {value}", remedy)
    if not (unit := match[2]):
        if own:
            raise _EnvelopeError(key, f"has a {noun} without a unit: {value}", remedy)
        return number
    if kind == MASS and (sizes := ambiguous_unit(unit)) is not None:
        raise _EnvelopeError(key, f"has an ambiguous unit: {value} ({unit} is {sizes[0]})", sizes[1])
    if (size := unit_of_dimension(unit, kind)) is None:
        raise _EnvelopeError(key, f"has no unit of {noun}: {value}", remedy)
    if (of_table := unit_of_dimension(own, kind) if own else None) is None:
        remedy = f"write numbers without units, or state that of the table with --unit {noun}={unit}"
        raise _EnvelopeError(key, f"is in {unit}, and the table states no unit of {noun}", remedy)
    return number * size.over(of_table)


def border_unit(units: Units) -> tuple[str, float]:
    """Return the unit of distances from a border and its factor: mm for metric tables, or that of the table."""
    own, millimetre = (unit_of_dimension(text, LENGTH) for text in (units.length or "in", "mm"))
    assert own is not None
    assert millimetre is not None
    return ("mm", own.over(millimetre)) if units.length in ("m", "cm", "mm") else (units.length, 1.0)


def _checked_corners(corners: list[regions.Point], key: str = "points") -> tuple[regions.Point, ...]:
    """Return the corners of a simple polygon, without the first one at the end; raises _EnvelopeError."""
    if corners[-1] == corners[0]:
        corners = corners[:-1]
    shape, n = (np.array(corners) - np.min(corners, axis=0)), len(corners)
    shape /= np.maximum(shape.max(axis=0), 1e-300)
    scaled = [(float(x), float(y)) for x, y in shape]
    if n < 3 or regions.is_flat_polygon(scaled):
        raise _EnvelopeError(key, "is a polygon without area", "state three or more corners that are not on one line")
    found = regions.crossing_edges(scaled)
    for i in range(n) if found is None else ():
        others = [(k, scaled[k], scaled[(k + 1) % n]) for k in range(n) if i not in (k, (k + 1) % n)]
        touched = [k for k, a, b in others if regions.border_distance((a, b), scaled[i]) <= _ON_BORDER]
        found = (i, touched[0]) if touched else found
    if found is not None:
        first, second = (k + 1 for k in sorted(found))
        problem = f"is a polygon that crosses or touches itself, after corners {first} and {second}"
        raise _EnvelopeError(key, problem, "list the corners once around, in their order")
    return tuple(corners)
