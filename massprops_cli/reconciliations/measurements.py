"""Measurements as lines or tables: item, quantity, value ± σ, and the geometry of stands, pendulums and scales."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, sqrt
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import TENSOR_ENTRIES
from massprops_cli.bodies.rotations import stated_frame
from massprops_cli.bom.changed_table import find_named_item
from massprops_cli.budgets.limits import products_sign
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Table, TableSource
from massprops_cli.findings.finding import Findings, Place, Severity, UsageError, nearest_name_hint
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.units import INERTIA, LENGTH, MASS, Unit, mass_unit_of_weight, unit_of_dimension

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
CENTERS = ("Cx", "Cy", "Cz")
_TENSORS = tuple(f"I{entry}" for entry in TENSOR_ENTRIES)
_QUANTITIES = ("mass", *CENTERS, *_TENSORS, "reaction", "period")
_OF_SCALES = ("bias", "gain")
_TIME, _STIFFNESS, _NUMBER = (0, 0, 1), (1, 2, -2), (0, 0, 0)
_GRAVITY = 9.80665  # m/s², 3rd CGPM, 1901
_KEYS = ("at", "axes", "down", "on", "scale", "axis", "length", "arm", "stiffness", "fixture", "each", "cost")
_FILE_SUFFIX = re.compile(r"\.[A-Za-z]\w*")  # .csv, and not the .05 kg of a line
_LINE = re.compile(
    rf"(?P<item>.+?)\s+(?P<quantity>{'|'.join((*_QUANTITIES, *_OF_SCALES))})\s+"
    rf"(?P<amount>(?:{NUMBER_PATTERN}|±|\+/?-).*)",
    re.DOTALL,
)  # SAT mass 151.9±0.05 kg scale A
_NEXT_KEY = re.compile(rf"\s+(?=(?:{'|'.join(_KEYS)})\b)")
_AMOUNT = re.compile(
    rf"\s*(?P<value>{NUMBER_PATTERN})?\s*(?P<early>[^\d\s±+(%-][^±+(]*?)?\s*"
    rf"(?:(?:±|\+/?-)\s*(?P<sigma>{NUMBER_PATTERN})\s*(?P<percent>%)?)?\s*(?P<unit>[^\d\s±+(%-][^(±]*|%)?\s*"
    r"(?:\((?P<level>[^)]*)\))?\s*(?P<late>[^\d\s±+(-][^(±]*)?\s*"
)  # 151.9±0.05 kg (2σ)
_LEVEL = re.compile(rf"(?:k\s*=\s*)?({NUMBER_PATTERN})?\s*(?:σ|s|sigma)?", re.IGNORECASE)  # 2σ, k=2, sigma
_TRIPLE = re.compile(rf"({NUMBER_PATTERN})\s*[,;]\s*({NUMBER_PATTERN})\s*[,;]\s*({NUMBER_PATTERN})\s*(.*)", re.DOTALL)
_YES = frozenset(("", "each", "all", "true", "yes", "y", "x", "1"))


@dataclass(frozen=True, slots=True)
class UncertainValue:
    """A parameter of a measurement with its σ, coherent units; ``source`` is what shares its deviation."""

    source: str
    value: float
    sigma: float
    unit: str = ""
    size: float = 1.0  # of that unit


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """A value that was measured, or is on offer, in coherent units of the table; lengths from its origin."""

    text: str
    place: Place
    item: int
    quantity: str
    value: float  # NaN on offer; periods in s
    sigma: float
    unit: str
    size: float  # of that unit, in coherent units; negative for products with the other sign
    point: _Floats | None = None  # (3,) of a moment, a coordinate or a reaction
    axes: _Floats = field(default_factory=lambda: np.eye(3))  # columns are the axes of the measurement
    stand: str = ""
    down: tuple[float, float, float] = (0.0, 0.0, -1.0)
    scale: str = ""
    each: bool = False  # the mean of all pieces was measured
    cost: float = 1.0
    pendulum: Mapping[str, UncertainValue] = field(default_factory=dict)
    gravity: float = _GRAVITY  # length/s²
    biases: tuple[UncertainValue, ...] = ()  # of the scale: bias, then gain
    points: _Floats | None = None  # (k, 3) all supports of the stand
    support: int = 0  # which of them it is

    @property
    def shares_by_springs(self) -> bool:
        """Whether statics alone do not give the reaction: four supports or more, or three in line."""
        if self.points is None or len(self.points) < 3:
            return False
        across = np.linalg.svd(np.array([self.down]))[2][1:]  # (2, 3) the plane normal to gravity
        arms = (self.points - self.points.mean(axis=0)) @ across.T
        return len(self.points) > 3 or int(np.linalg.matrix_rank(arms, tol=1e-9 * np.abs(arms).max())) < 2

    @property
    def label(self) -> str:
        """The line without its value."""
        words = {"reaction": f"reaction {self.stand} {self.support + 1}"}.get(self.quantity, self.quantity)
        return " ".join(words.split())


def read_measurements(
    given: Any, bom: Bom, findings: Findings, option: str = "--measured", known: Sequence[Measurement] = ()
) -> list[Measurement]:
    """Read lines, tables and mappings; scales and stands of ``known`` measurements are known to offers too."""
    reader = _Reader(bom, findings, is_offer=option != "--measured")
    items = [given] if isinstance(given, str | Mapping | PurePath) or hasattr(given, "to_dict") else list(given or ())
    for k, one in enumerate(items, 1):
        if isinstance(one, str) and _LINE.fullmatch(one.strip()):
            reader.read(_line_fields(one), Place(f"{option} {k}"), one.strip())
        elif isinstance(one, Mapping):
            reader.read_table(_records_table([one]))
        elif isinstance(one, PurePath) or (isinstance(one, str) and _FILE_SUFFIX.fullmatch(PurePath(one).suffix)):
            reader.read_table(read_file_table(str(one), FileOptions(), None, findings))
        elif hasattr(one, "to_dict"):
            reader.read_table(_records_table(one.to_dict("records")))
        else:
            findings.report("MP520", f"measurement is not read: {one or 'blank'}", Place(f"{option} {k}"), value=one)
    for one in known:
        reader.scales |= {bias.source: bias for bias in one.biases}
    return reader.finished(known)


def _line_fields(text: str) -> dict[str, str]:
    """Split a line into its fields."""
    match = _LINE.fullmatch(text.strip())
    assert match is not None
    first, *others = _NEXT_KEY.split(match["amount"])
    fields = {"item": match["item"], "quantity": match["quantity"], "value": first}
    for one in others:
        key, _, rest = one.partition(" ")
        fields[key] = rest.strip() or "yes"
    return fields


def _records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return mappings as a table."""
    header = list(dict.fromkeys(str(key) for record in records for key in record))
    rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
    return GridTable(TableSource("measurements", "records"), rows)


_ROLES = {
    "item": ("item", "id", "part", "name", "what"),
    "quantity": ("quantity", "measured", "result", "of"),
    "value": ("value", "measured value", "reading", "amount"),
    "sigma": ("sigma", "uncertainty", "σ", "±", "tolerance"),
    "unit": ("unit", "units"),
    "level": ("level", "k"),
    **{key: (key,) for key in (*_KEYS, "x", "y", "z")},
    "at": ("at", "about", "point"),
    "on": ("on", "stand", "setup", "rig"),
    "each": ("each", "all pieces"),
}
"""Headings of a table of measurements."""
_BRACKETS = re.compile(r"\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")  # the unit in a heading
_HEAD_ROWS = 30  # in which the heading of a table of measurements may be


class _Reader:
    """Reads measurements, and joins them with their scales and stands."""

    def __init__(self, bom: Bom, findings: Findings, *, is_offer: bool) -> None:
        self.bom, self.findings, self.is_offer = bom, findings, is_offer
        self.found: list[Measurement] = []
        self.scales: dict[str, UncertainValue] = {}

    def read_table(self, table: Table) -> None:
        """Read the rows of a table of measurements."""
        heads = (i for i in range(min(table.n_rows, _HEAD_ROWS)) if {"item", "quantity"} <= _roles(table.row(i)).keys())
        if (head := next(heads, None)) is None:
            message = "columns of the measurements are missing: expected item, quantity, value, sigma, unit"
            self.findings.report("MP520", message, table.place(0))
            return
        columns, headings = _roles(table.row(head)), table.row(head)
        if others := [text for j, text in enumerate(headings) if text.strip() and j not in columns.values()]:
            message = f"columns of the measurements are not read: {', '.join(others)}"
            self.findings.report(
                "MP520", message, table.place(head), severity=Severity.NOTE, remedy=f"columns are {', '.join(_ROLES)}"
            )
        for i in range(head + 1, table.n_rows):
            fields = {role: text for role, j in columns.items() if (text := table.text(i, j).strip())}
            if not fields:
                continue
            in_heads = {role: match["unit"] for role, j in columns.items() if (match := _BRACKETS.search(headings[j]))}
            place = table.place(i, columns["item"], headings[columns["item"]].strip())
            self.read(_with_heading_units(fields, in_heads), place, " ".join(fields.values()))

    def read(self, fields: Mapping[str, str], place: Place, text: str) -> None:
        """Read one measurement, or a bias or gain of a scale; report its faults."""
        try:
            if fields.get("quantity", "") in _OF_SCALES:
                one = self._scale_value(fields)
                self.scales[one.source] = one
            else:
                self.found.append(self._measurement(fields, place, text))
        except UsageError as error:
            self.findings.report("MP520", str(error), place, value=text)

    def _scale_value(self, fields: Mapping[str, str]) -> UncertainValue:
        """Read a bias or a gain with its σ."""
        what, name = fields["quantity"], fields.get("item", "")
        kinds = (_NUMBER,) if what == "gain" else (MASS, LENGTH, INERTIA, _TIME)
        value, sigma, unit, size = self._amount(fields, f"{what} of scale {name}", kinds)
        return UncertainValue(f"{name} {what}", 0.0 if value is None else value, sigma, unit, size)

    def _measurement(self, fields: Mapping[str, str], place: Place, text: str) -> Measurement:
        """Read one measurement; raises UsageError."""
        bom, quantity = self.bom, fields.get("quantity", "")
        quantity = {word.casefold(): word for word in _QUANTITIES}.get(quantity.casefold(), quantity)
        if quantity not in _QUANTITIES:
            raise UsageError(f"measured quantity is not known: {quantity}{nearest_name_hint(quantity, _QUANTITIES)}")
        item = find_named_item(bom, fields.get("item", ""))
        kind = {"period": _TIME, "mass": MASS, "reaction": MASS}.get(quantity)
        kind = kind or (LENGTH if quantity in CENTERS else INERTIA)
        value, sigma, unit, size = self._amount(fields, f"{quantity} of {bom.ids[item]}", (kind,))
        point = self._point(fields["at"], "at") if "at" in fields else None
        if (value is None) != self.is_offer and not (quantity == "reaction" and point is not None):
            words = "a value, and an offer has only its σ" if self.is_offer else "no value"
            raise UsageError(f"{quantity} of {bom.ids[item]} has {words}")
        if quantity in _TENSORS[3:] and "axes" not in fields and products_sign(bom) == "+":
            size, value = -size, None if value is None else -value
        if quantity == "reaction" and point is None:
            raise UsageError(f"reaction of {bom.ids[item]} has no place (at 0.5,0,0 m)")
        down = _direction(fields.get("down", "-z"))
        made = Measurement(
            text, place, item, quantity, np.nan if value is None else value, sigma, unit, size, point,
            _axes(fields.get("axes", "")), fields.get("on", ""), down, fields.get("scale", ""),
            fields.get("each", "no").casefold() in _YES, _positive(fields.get("cost", "1"), "cost"),
        )  # fmt: skip
        return self._with_pendulum(made, fields) if quantity == "period" else made

    def _with_pendulum(self, one: Measurement, fields: Mapping[str, str]) -> Measurement:
        """Read the geometry of a bifilar pendulum (length, arm) or the stiffness of a torsion pendulum."""
        axis = _direction(fields.get("axis", "z"))
        torsion = "stiffness" in fields
        if not torsion and not {"length", "arm"} <= fields.keys():
            raise UsageError("period needs the length and arm of its filaments, or the stiffness of its torsion spring")
        rig = one.stand or f"{self.bom.ids[one.item]} period {fields['value']}"
        found = dict[str, UncertainValue]()
        kinds = {"stiffness": _STIFFNESS, "fixture": INERTIA} if torsion else {"length": LENGTH, "arm": LENGTH}
        for key in (name for name in kinds if name in fields):
            value, sigma, unit, size = self._amount({"value": fields[key]}, key, (kinds[key],), is_known=True)
            if value is None or not (value > 0 or (key == "fixture" and value == 0)):
                raise UsageError(f"{key} of a pendulum is not above 0: {fields[key]}")
            found[key] = UncertainValue(f"{rig} {key}", value, sigma, unit, size)
        length = unit_of_dimension(self.bom.units.length, LENGTH) if self.bom.units.length else None
        if length is None or not self.bom.units.mass:
            raise UsageError("period needs a table with units of mass and length (--unit mass=kg)")
        gravity = _GRAVITY * length.denominator / length.numerator
        return replace(one, point=np.array(axis), pendulum=found, gravity=gravity)

    def _amount(
        self, fields: Mapping[str, str], words: str, kinds: Sequence[tuple[int, int, int]], *, is_known: bool = False
    ) -> tuple[float | None, float, str, float]:
        """Parse value, σ, unit and its size in coherent units; ``is_known``: without ± there is no uncertainty."""
        text = _with_points(fields.get("value", ""), words)
        match = _AMOUNT.fullmatch(text)
        if match is None or (match["value"] is None and match["sigma"] is None and "sigma" not in fields):
            raise UsageError(f"{words} is not a number: {text or 'blank'}")
        value = None if match["value"] is None else read_number(match["value"])
        given = match["sigma"] or _with_points(fields.get("sigma", ""), words)
        sigma = read_number(given.rstrip("% ")) if given else 0.0 if is_known else None
        if sigma is None or sigma < 0 or not isfinite(sigma) or (value is not None and not isfinite(value)):
            raise UsageError(f"{words} has no σ: {text}")
        if match["percent"] or given.endswith("%"):
            sigma *= abs(value or 0.0) / 100
        sigma /= _level(match["level"] or fields.get("level", ""), text)
        unit = match["unit"] or match["early"] or match["late"] or fields.get("unit", "")
        size = self._unit_size(unit.strip(), words, kinds)
        return None if value is None else value * size, sigma * size, unit.strip(), size

    def _unit_size(self, unit: str, words: str, kinds: Sequence[tuple[int, int, int]]) -> float:
        """Return a unit in coherent units of the table, times in seconds; raises UsageError."""
        if kinds[0] == _NUMBER:
            if unit in ("", "%"):
                return 0.01 if unit else 1.0
            raise UsageError(f"{words} has a unit: {unit}")
        if not unit:
            if self.bom.units.stated or kinds[0] in (_TIME, _STIFFNESS):
                raise UsageError(f"{words} has no unit")
            return 1.0
        for kind in kinds:
            read = unit_of_dimension(unit, kind)
            if read is None and kind == MASS and (weight := mass_unit_of_weight(unit)) is not None:
                read = weight.unit
            if read is not None:
                return self._over_coherent(read, kind, words, unit)
        raise UsageError(f"{words} has another unit than expected: {unit}")

    def _over_coherent(self, read: Unit, kind: tuple[int, int, int], words: str, unit: str) -> float:
        """Return the factor from a unit to the coherent one of the table."""
        if kind == _TIME:
            return read.numerator / read.denominator
        names = self.bom.units
        of = {MASS: names.mass, LENGTH: names.length, INERTIA: names.inertia, _STIFFNESS: names.inertia}[kind]
        own = unit_of_dimension(of, INERTIA if kind == _STIFFNESS else kind) if of else None
        if own is None:
            raise UsageError(f"table states no unit for {words}, which is in {unit}; state it with --unit mass=kg")
        return (read.numerator * own.denominator) / (read.denominator * own.numerator)

    def _point(self, text: str, words: str) -> _Floats:
        """Parse three coordinates with a unit."""
        if (match := _TRIPLE.fullmatch(text.strip())) is None:
            raise UsageError(f"point is not three coordinates: {words} {text} (expected such as at 0.5,0,0 m)")
        size = self._unit_size(match[4].strip(), f"point {text}", (LENGTH,))
        return np.array([size * float(read_number(match[k]) or 0.0) for k in (1, 2, 3)])

    def finished(self, known: Sequence[Measurement]) -> list[Measurement]:
        """Return the measurements with the biases of their scales and the supports of their stands."""
        stands: dict[tuple[Any, ...], list[_Floats]] = {}
        for one in [*known, *self.found]:
            if one.quantity == "reaction" and one.point is not None:
                of_stand = stands.setdefault((one.item, one.stand, one.down), [])
                if not any(np.array_equal(one.point, other) for other in of_stand):
                    of_stand.append(one.point)
        done = []
        for one in self.found:
            names = [f"{one.scale} {what}" for what in _OF_SCALES] if one.scale else []
            biases = tuple(self.scales[name] for name in names if name in self.scales)
            if one.scale and not biases:
                message = f"scale has neither bias nor gain: {one.scale} (such as '{one.scale} bias 0±0.02 kg')"
                self.findings.report("MP520", message, one.place, value=one.text)
            made = replace(one, biases=biases)
            if one.quantity == "reaction" and one.point is not None:
                points = np.array(stands[one.item, one.stand, one.down])
                place = next(k for k, other in enumerate(points) if np.array_equal(other, one.point))
                if len(points) < 2:
                    message = f"reaction is the only one of its stand: {one.text} (expected those of all supports)"
                    self.findings.report("MP520", message, one.place, value=one.text)
                made = replace(made, points=points, support=place)
            if isfinite(one.value) or self.is_offer:
                done.append(made)
        return done


def _with_points(text: str, words: str) -> str:
    """Return a text with decimal points for decimal commas; a comma before three digits can be either."""
    for number in re.findall(r"\d[\d.,]*,[\d.,]*\d", text):
        if not re.fullmatch(r"\d+,\d+", number) or re.fullmatch(r"[1-9]\d{0,2},\d{3}", number):
            plain = number.replace(",", "")
            raise UsageError(f"{words} has a comma that can separate thousands: {number} (expected such as {plain})")
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def _roles(texts: Sequence[str]) -> dict[str, int]:
    """Find the columns of a row of headings, the first of each role."""
    found: dict[str, int] = {}
    for j, text in enumerate(texts):
        bare = " ".join(re.split(r"[_\s-]+", _BRACKETS.sub("", text).strip().casefold()))
        for role in [role for role, words in _ROLES.items() if bare in words][:1]:
            found.setdefault(role, j)
    return found


def _with_heading_units(fields: Mapping[str, str], in_heads: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row with the units of their headings, and three coordinates as one point."""
    made = dict(fields)
    if "σ" in in_heads.get("sigma", ""):
        made.setdefault("level", in_heads["sigma"])
    if "value" in in_heads and "unit" not in made:
        made["unit"] = in_heads["value"]
    if "at" not in made and any(axis in made for axis in "xyz"):
        made["at"] = f"{', '.join(made.get(axis, '0') for axis in 'xyz')} {in_heads.get('x', '')}"
    elif "at" in made and "at" in in_heads:
        made["at"] += f" {in_heads['at']}"
    for key in ("length", "arm", "stiffness", "fixture"):
        if key in made and key in in_heads:
            made[key] += f" {in_heads[key]}"
    return made


def _level(text: str, whole: str) -> float:
    """Return by what a half width is divided to become one standard deviation."""
    if text.strip().casefold() == "uniform":
        return sqrt(3)
    match = _LEVEL.fullmatch(text.strip())
    level = None if match is None else read_number(match[1]) if match[1] else 1.0
    if level is None or not level > 0:
        raise UsageError(f"level of σ is not known: {whole} (expected (2σ), (k=2) or (uniform))")
    return level


def _positive(text: str, words: str) -> float:
    """Parse a number above 0."""
    number = read_number(text)
    if number is None or not number > 0 or not isfinite(number):
        raise UsageError(f"{words} is not a number above 0: {text}")
    return number


def _direction(text: str) -> tuple[float, float, float]:
    """Parse an axis such as -z, or three numbers, as a unit vector."""
    bare = text.strip().casefold()
    if len(bare.lstrip("+-")) == 1 and bare[-1] in "xyz":
        x, y, z = (-1.0 if bare[0] == "-" else 1.0) * np.eye(3)["xyz".index(bare[-1])]
        return float(x), float(y), float(z)
    match = _TRIPLE.fullmatch(bare)
    vector = np.array([float(read_number(match[k]) or 0.0) for k in (1, 2, 3)]) if match and not match[4] else None
    if vector is None or not (size := float(np.linalg.norm(vector))) > 0:
        raise UsageError(f"direction is not an axis: {text} (expected x, -z, or three numbers)")
    x, y, z = (vector / size).tolist()
    return x, y, z


def _axes(text: str) -> _Floats:
    """Parse axes of a measurement: roll, pitch and yaw about the axes of the table, such as 0,0,30 deg."""
    if not text:
        return np.eye(3)
    match = _TRIPLE.fullmatch(text.strip())
    size = {"deg": np.pi / 180, "°": np.pi / 180, "rad": 1.0}.get(match[4].strip()) if match else None
    if match is None or size is None:
        raise UsageError(f"axes are not three angles: {text} (expected such as axes 0,0,30 deg)")
    angles = np.array([size * float(read_number(match[k]) or 0.0) for k in (1, 2, 3)])
    return np.asarray(stated_frame([0.0, 0.0, 0.0, *angles.tolist()])[:3, :3])
