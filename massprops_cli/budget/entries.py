"""What a budget file says, as values: entries with their limits, and waivers. Numbers keep the units they have."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from massprops_cli.budget.waiver import Waiver
from massprops_cli.findings import Place, Severity

Basis = Literal["predicted", "basic"]
MarginBasis = Literal["predicted", "basic", "allocation"]


@dataclass(frozen=True, slots=True)
class Selector:
    """Which items an entry is about: those of a ``pattern`` (an id, or a glob), of a ``level``, or of a column's value.

    ``level`` counts from 0, the root. Of ``pattern``, ``level`` and ``column`` one is given.
    """

    pattern: str = ""
    level: int | None = None
    column: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit as they are written; infinite for an open end, whose unit is empty."""

    number: float
    unit: str = ""


OPEN = (Measure(-inf), Measure(inf))
"""A range without ends."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of an entry: ``subject`` is its key in the file, ``place`` its line there.

    ``low`` and ``high`` bound a number; ``corners`` are the polygon (station, mass) of ``center-envelope``, along
    ``axis``; ``word`` is the way of knowing a mass that ``maturity-min`` asks for.
    """

    subject: str
    low: Measure = OPEN[0]
    high: Measure = OPEN[1]
    place: Place = Place()  # noqa: RUF009  (a frozen value)
    corners: tuple[tuple[Measure, Measure], ...] = ()
    axis: str = "x"
    word: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``[[budget]]``: items, limits, and on which mass they are checked."""

    selector: Selector
    limits: tuple[Limit, ...]
    basis: Basis = "predicted"
    margin_basis: MarginBasis = "predicted"
    severity: Severity = Severity.ERROR
    place: Place = Place()  # noqa: RUF009  (a frozen value)


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget file: its name as it was given, its entries and its waivers, in the file's order."""

    file: str
    entries: tuple[Entry, ...]
    waivers: tuple[Waiver, ...] = ()
