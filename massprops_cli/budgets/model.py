"""Data of a budget: entries with limits, waivers, verdicts. Numbers keep their units."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import inf
from typing import Any, Literal

from massprops_cli.findings.finding import NO_PLACE, Finding, Place, Severity, rule_finding


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


_OPEN_RANGE = (LimitMeasure(-inf), LimitMeasure(inf))
"""A range without ends."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of an entry of a budget file."""

    subject: str  # key in the file
    low: LimitMeasure = _OPEN_RANGE[0]
    high: LimitMeasure = _OPEN_RANGE[1]
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
