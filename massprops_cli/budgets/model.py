"""Budgets as values: entries with their limits, measures with units, waivers and verdicts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import inf, isinf
from typing import Any, Literal

from massprops_cli.findings.finding import NO_PLACE, Finding, Place, Severity, UsageError, rule_finding
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.unit_text import INERTIA, LENGTH, MASS, ambiguous_unit, unit_of_dimension
from massprops_cli.tables.cells.units import Units

Dimension = tuple[int, int, int]
"""Powers of mass, length and time."""
_DIMENSION_NAMES = {MASS: "mass", LENGTH: "length", INERTIA: "inertia"}
_MEASURE_EXAMPLES = {MASS: "850 kg", LENGTH: "-5 mm", INERTIA: "120 kg m2"}
_LARGEST_MEASURE = 1e100
"""Upper limit of the numbers of a budget, which prevents overflow."""
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN})\s*(.*?)\s*", re.DOTALL)  # number with a unit: 12.5 kg


def read_measure(value: object, dimension: Dimension) -> LimitMeasure:
    """Parse a number with its unit."""
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = None if match is None else read_number(match[1])
    expected = f'(expected a text such as "{_MEASURE_EXAMPLES[dimension]}")'
    if match is None or number is None or not match[2]:
        raise UsageError(f"is not a number with a unit: {toml_text(value)} {expected}")
    if dimension == MASS and (sizes := ambiguous_unit(match[2])) is not None:
        raise UsageError(f"has an ambiguous unit: {toml_text(value)} ({match[2]} is {sizes[0]}); {sizes[1]}")
    if unit_of_dimension(match[2], dimension) is None:
        raise UsageError(f"has no unit of {_DIMENSION_NAMES[dimension]}: {toml_text(value)} {expected}")
    return LimitMeasure(_number_within_bounds(number, value), match[2])


def read_range(value: object, dimension: Dimension) -> tuple[LimitMeasure, LimitMeasure]:
    """Parse a range such as ``["-5 mm", "5 mm"]``; ``*`` is an open end."""
    example = _MEASURE_EXAMPLES[dimension]
    if not isinstance(value, list) or len(value) != 2 or value == ["*", "*"]:
        raise UsageError(f'is not a range: {toml_text(value)} (expected two ends, such as ["{example}", "*"])')
    low, high = (
        LimitMeasure(end) if text == "*" else read_measure(text, dimension)
        for text, end in zip(value, (-inf, inf), strict=True)
    )
    if is_greater_measure(low, high, dimension):
        raise UsageError(f"is a range whose low end is above its high end: {toml_text(value)}")
    return low, high


def read_percent_limit(value: object) -> float:
    """Parse a percentage such as ``"5 %"``; the sign is required, because a number could be a share."""
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = read_number(match[1]) if match is not None and match[2] == "%" else None
    if number is None:
        expected = 'expected a text with the percent sign, such as "5 %"'
        raise UsageError(f"is not a percentage: {toml_text(value)} ({expected})")
    return _number_within_bounds(number, value)


def _number_within_bounds(number: float, value: object) -> float:
    """Return a number; raises UsageError if it is too large."""
    if abs(number) > _LARGEST_MEASURE:
        raise UsageError(f"is too large: {toml_text(value)} (expected at most {_LARGEST_MEASURE:g})")
    return number


def is_greater_measure(one: LimitMeasure, other: LimitMeasure, dimension: Dimension) -> bool:
    """Compare two measures in any units."""
    if isinf(one.number) or isinf(other.number):
        return one.number > other.number
    return measure_in_unit(one, other.unit, dimension) > other.number


def measure_in_unit(measure: LimitMeasure, unit: str, dimension: Dimension) -> float:
    """Convert a measure to another unit."""
    own, other = unit_of_dimension(measure.unit, dimension), unit_of_dimension(unit, dimension)
    assert own is not None
    assert other is not None
    return measure.number * own.over(other)


def measure_in_table_unit(measure: LimitMeasure, dimension: Dimension, units: Units) -> float:
    """Convert a measure to the unit of the table."""
    number = measure.number
    return number if isinf(number) else number * table_unit_factor(measure.unit, dimension, units)


@lru_cache(maxsize=64)
def table_unit_factor(unit: str, dimension: Dimension, units: Units) -> float:
    """Return the factor from a unit to the unit of the table."""
    kind = _DIMENSION_NAMES[dimension]
    own = getattr(units, kind)
    read, coherent = unit_of_dimension(unit, dimension), unit_of_dimension(own, dimension) if own else None
    if read is None or coherent is None:
        raise UsageError(
            f"table states no unit of {kind}, and the limit is in {unit}; state it with --unit {kind}=UNIT"
        )
    return read.over(coherent)


def toml_text(value: object) -> str:
    """Write a value in the form of a TOML file."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_text(each)}" for key, each in value.items()) + " }"
    return str(value)


_LIMIT_QUANTITIES = {"mass-max": "mass", "mass-min": "mass", "center-x": "Cx", "center-y": "Cy", "center-z": "Cz"}
"""Column of each limit; limits of inertia have the name of their column."""
_CENTER_WORDS = {"Cx": "centre x", "Cy": "centre y", "Cz": "centre z"}


def limit_quantity(subject: str) -> str:
    """Return the canonical column that a limit bounds."""
    return _LIMIT_QUANTITIES.get(subject, subject)


def limit_words(subject: str) -> str:
    """Return the words for the quantity of a limit."""
    quantity = limit_quantity(subject)
    return _CENTER_WORDS.get(quantity, quantity)


def distinct_number_text(value: float, compared: float | None = None) -> str:
    """Write a number with six digits, or with as many as distinguish it from another number."""
    for digits in range(6, 18):
        text = f"{value:.{digits}g}"
        if compared is None or value == compared or float(text) != float(f"{compared:.{digits}g}"):
            break
    return text


def number_with_unit(value: float, unit: str, compared: float | None = None) -> str:
    """Write a number and its unit."""
    return f"{distinct_number_text(value, compared)} {unit}".strip()


def _measure_text(measure: LimitMeasure) -> str:
    """Write a measure in the form of the budget file."""
    return f"{measure.number:.15g} {measure.unit}".strip()


def limit_inequality(limit: Limit, name: str) -> str:
    """Write a limit as an inequality."""
    low = "" if isinf(limit.low.number) else f"{_measure_text(limit.low)} ≤ "
    high = "" if isinf(limit.high.number) else f" ≤ {_measure_text(limit.high)}"
    return f"{name} ≥ {_measure_text(limit.low)}" if low and not high else f"{low}{name}{high}"


@dataclass(frozen=True, slots=True)
class Waiver:
    """One ``[[waive]]`` of a budget file."""

    rule: str  # code, such as MP601
    item: str  # id, label of a total, or pattern
    reason: str
    expires: date | None = None  # last valid day; None: unlimited
    place: Place = Place()  # noqa: RUF009  (a frozen value)

    def has_expired(self, today: date) -> bool:
        """Return whether the last day of the waiver has passed."""
        return self.expires is not None and today > self.expires

    def to_dict(self) -> dict[str, Any]:
        """Return the waiver as plain JSON values."""
        expires = None if self.expires is None else self.expires.isoformat()
        return {"rule": self.rule, "item": self.item, "reason": self.reason, "expires": expires}


Basis = Literal["predicted", "basic"]
MarginBasis = Literal["predicted", "basic", "allocation"]


@dataclass(frozen=True, slots=True)
class Selector:
    """The items of an entry: those of a ``pattern`` (an id or a glob), of a ``level``, or of a value in a column.

    ``level`` counts from 0, the root. Of ``pattern``, ``level`` and ``column`` one is given.
    """

    pattern: str = ""
    level: int | None = None
    column: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class LimitMeasure:
    """A number with its unit as written; infinite with an empty unit for an open end."""

    number: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of an entry of a budget file."""

    subject: str  # key in the file
    low: LimitMeasure = LimitMeasure(-inf)
    high: LimitMeasure = LimitMeasure(inf)
    place: Place = Place()  # noqa: RUF009  (a frozen value)
    corners: tuple[tuple[LimitMeasure, LimitMeasure], ...] = ()  # (station, mass), envelope along ``axis``
    axis: str = "x"
    word: str = ""  # method that ``maturity-min`` requires


@dataclass(frozen=True, slots=True)
class BudgetEntry:
    """One ``[[budget]]``: items, limits, and the basis of the mass."""

    selector: Selector
    limits: tuple[Limit, ...]
    basis: Basis = "predicted"
    margin_basis: MarginBasis = "predicted"
    severity: Severity = Severity.ERROR
    place: Place = Place()  # noqa: RUF009  (a frozen value)
    allows_missing: bool = False
    """Whether limits are checked with the known values if values are missing (``incomplete = "allow"``)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget file: its name as it was given, its entries and its waivers, in the file's order."""

    file: str
    entries: tuple[BudgetEntry, ...]
    waivers: tuple[Waiver, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit, checked for one item.

    ``subject`` is the key of the budget file, such as ``mass-max`` or ``center-x``; ``requirement`` is the limit with
    its unit. ``value`` and ``limit`` (the nearer of two) are in ``unit``, and so is ``margin``, the distance to the
    limit, negative if the limit is broken. Unknown values are None; a limit with an unknown value is not kept.
    ``place`` is the limit's line in the budget file, ``item_place`` the item's cell in the table.

    >>> verdict = Verdict("MP601", "SAT", "", "mass-max", "mass ≤ 850 kg", 860.0, 850.0, "kg", -10.0, False, "over")
    >>> verdict.finding.severity.value, verdict.to_dict()["margin"]
    ('error', -10.0)
    """

    rule: str
    item: str
    name: str
    subject: str
    requirement: str
    value: float | None
    limit: float | None
    unit: str
    margin: float | None
    kept: bool
    message: str
    severity: Severity = Severity.ERROR
    waiver: Waiver | None = None
    place: Place = NO_PLACE
    item_place: Place = NO_PLACE
    remedy: str | None = None
    """The remedy; None for that of the rule."""
    at_least: float | None = None
    """Lower bound of an unknown value."""

    @property
    def is_undecided(self) -> bool:
        """Whether values are missing, so that the limit is neither kept nor broken."""
        return not self.kept and self.margin is None

    @property
    def is_broken(self) -> bool:
        """Whether the limit is neither kept nor waived."""
        return not self.kept and self.waiver is None

    @property
    def finding(self) -> Finding:
        """The verdict as a finding at the item's place; a waived one is a note."""
        severity = self.severity if self.waiver is None else Severity.NOTE
        why = "" if self.waiver is None else f"; waived: {self.waiver.reason}"
        related = (self.place,) if str(self.place) else ()
        return rule_finding(
            self.rule,
            self.message + why,
            self.item_place,
            item=self.item,
            remedy=self.remedy,
            severity=severity,
            related=related,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values.

        Returns
        -------
        dict of str to object
            Numbers in ``unit``; unknown values are None.
        """
        return {
            **{key: getattr(self, key) for key in ("rule", "item", "name", "subject")},
            "requested": self.requirement,
            **{key: getattr(self, key) for key in ("value", "limit", "unit", "margin", "kept")},
            "undecided": self.is_undecided,
            **({} if self.at_least is None else {"at_least": self.at_least}),
            "severity": self.severity.value,
            "message": self.message,
            "waiver": None if self.waiver is None else self.waiver.to_dict(),
            "place": str(self.place),
            "item_place": str(self.item_place),
        }
