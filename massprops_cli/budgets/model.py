"""Budgets as values: limits, measures with units, waivers, verdicts, and the figures that limits apply to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property, lru_cache
from math import inf, isfinite, isinf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks.totals import margin_masses
from massprops_cli.bom.items.growth import bodies_with_growth
from massprops_cli.bom.items.result_columns import Floats, item_quantity_values, single_item_rollup
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.uncertainty import METHOD_WORDS, mass_shares_by_method
from massprops_cli.budgets.plan import MarginPlan, PendingChange, pending_masses
from massprops_cli.findings.finding import NO_PLACE, Finding, Place, Severity, UsageError, name_list, rule_finding
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS, item_magnitudes
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, half_unit_of_last_digit
from massprops_cli.tables.cells.units import INERTIA, LENGTH, MASS, Units, unit_of_dimension

Dimension = tuple[int, int, int]  # powers of mass, length and time
DIMENSION_NAMES = {MASS: "mass", LENGTH: "length", INERTIA: "inertia"}
CENTER_LIMITS = ("center-x", "center-y", "center-z")
INERTIA_LIMITS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
ENVELOPE_LIMIT = "center-envelope"
PROBABILITY_LIMITS = {"mass-max", "mass-min", "margin-min", *CENTER_LIMITS, ENVELOPE_LIMIT, *INERTIA_LIMITS}
"""The limits to which a required probability applies."""
_LIMIT_QUANTITIES = {"mass-max": "mass", "mass-min": "mass", "center-x": "Cx", "center-y": "Cy", "center-z": "Cz"}
"""Column of each limit; limits of inertia have the name of their column."""
_CENTER_WORDS = {"Cx": "centre x", "Cy": "centre y", "Cz": "centre z"}
Basis = Literal["predicted", "basic", "with-margin", "with-pending"]
MarginBasis = Literal["predicted", "basic", "with-margin", "with-pending", "allocation"]
_MOMENT_NAMES, PRODUCTS = ("Ixx", "Iyy", "Izz"), ("Ixy", "Ixz", "Iyz")


def limit_dimension(subject: str) -> Dimension:
    """Return the powers of mass, length and time of the number that a limit bounds."""
    return MASS if subject.startswith("mass") else LENGTH if subject in CENTER_LIMITS else INERTIA


def is_limit_unit(text: str, subject: str) -> bool:
    """Return whether a text is a unit of the number that a limit bounds."""
    return unit_of_dimension(text, limit_dimension(subject)) is not None


def is_within_rounding(text: str, value: float, computed: float) -> bool:
    """Return whether a computed value is that of a cell, within half a unit of the last digit of its text."""
    match = re.search(NUMBER_PATTERN, text)
    half = half_unit_of_last_digit(match[0]) if match else 0.0
    return abs(value - computed) <= half + 1e-9 * abs(computed)


def measure_in_unit(measure: LimitMeasure, unit: str, dimension: Dimension) -> float:
    """Convert a measure to another unit."""
    own, other = unit_of_dimension(measure.unit, dimension), unit_of_dimension(unit, dimension)
    assert own is not None
    assert other is not None
    return measure.number * own.over(other)


def measure_in_table_unit(measure: LimitMeasure, dimension: Dimension, units: Units) -> float:
    """Convert a measure to the unit of the table."""
    number = measure.number
    return number if isinf(number) or not measure.unit else number * table_unit_factor(measure.unit, dimension, units)


@lru_cache(maxsize=64)
def table_unit_factor(unit: str, dimension: Dimension, units: Units) -> float:
    """Return the factor from a unit to the unit of the table."""
    if not unit:  # of a column of the table, which states none
        return 1.0
    kind = DIMENSION_NAMES[dimension]
    own = getattr(units, kind)
    read, coherent = unit_of_dimension(unit, dimension), unit_of_dimension(own, dimension) if own else None
    if read is None or coherent is None:
        raise UsageError(
            f"table states no unit of {kind}, and the limit is in {unit}; state it with --unit {kind}=UNIT"
        )
    return read.over(coherent)


def limit_quantity(subject: str) -> str:
    """Return the canonical column that a limit bounds."""
    return _LIMIT_QUANTITIES.get(subject, subject)


def limit_words(subject: str) -> str:
    """Return the words for the quantity of a limit."""
    quantity = limit_quantity(subject)
    return _CENTER_WORDS.get(quantity, quantity)


def distinct_number_text(value: float, compared: float | None = None) -> str:
    """Write a number with six digits, or with as many as show two digits of its difference from another number."""
    for digits in range(6, 18):
        text = f"{value:.{digits}g}"
        if compared is None or abs(float(text) - value) <= abs(value - compared) / 20:
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


@dataclass(frozen=True, slots=True)
class Selector:
    """The items of an entry: those of a ``pattern`` (an id or a glob), of a ``level``, or of a value in a column.

    ``level`` counts from 0, the root. Of ``pattern``, ``level`` and ``column`` one is given.
    """

    pattern: str = ""
    level: int | None = None
    column: str = ""
    value: str = ""
    each: bool = False  # each item with the value, instead of their sum


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
    products: str = ""  # sign convention of limits of products, + or -; empty: that of the table
    allows_missing: bool = False
    """Whether limits are checked with the known values if values are missing (``incomplete = "allow"``)."""
    pieces: float = 1.0  # of the row whose cell is the limit


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget file: its name as given, entries and waivers in the file's order, planned margins, pending changes."""

    file: str
    entries: tuple[BudgetEntry, ...]
    waivers: tuple[Waiver, ...] = ()
    plan: MarginPlan | None = None
    pending: tuple[PendingChange, ...] = ()


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
    remedy: str | None = None  # the remedy; None for that of the rule
    at_least: float | None = None  # lower bound of an unknown value
    sigma: float | None = None  # standard deviation of the value, in ``unit``
    bounds: tuple[float, float] | None = None  # both ends of a range, in ``unit``, infinite where it is open

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
        message = self.message + why
        return rule_finding(
            self.rule, message, self.item_place, item=self.item, remedy=self.remedy, severity=severity, related=related
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


class BasisFigures:
    """Mass properties of every item in the table's units on a basis; sigmas are those of the basic values.

    Without growth predicted values are basic ones; rows of margins or expected ``pending`` changes may be added.
    """

    def __init__(
        self,
        result: Result,
        basis: Basis,
        *,
        allows_missing: bool = False,
        poi: str = "-",
        pending: tuple[PendingChange, ...] = (),
    ) -> None:
        self.result, self.poi, self.pending = result, poi, pending
        self.allows_missing = allows_missing
        self.basis = basis
        self.rollup: Rollup = (None if basis == "basic" else result.predicted) or result.rollup
        self._values = cache(lambda quantity: self._columns(self.rollup, quantity))
        self._sigmas = cache(lambda quantity: item_quantity_values(result.rollup, f"sigma_{quantity}"))
        self._magnitudes = cache(self._magnitudes_of)

    def _columns(self, rollup: Rollup, quantity: str) -> Floats | None:
        """Return a quantity of the items (n,); products in the sign convention of the limits."""
        values = item_quantity_values(rollup, quantity)
        if quantity == "mass" and values is not None and self.basis == "with-margin":
            values = values.copy()
            values[self.result.bom.tree.order[0]] += self.system_margin
        if quantity == "mass" and values is not None and self.basis == "with-pending" and self.pending:
            values = values + table_unit_factor("kg", MASS, self.units) * pending_masses(self.pending, self.result.bom)
        return -values if values is not None and self.poi == "+" and quantity in PRODUCTS else values

    @cached_property
    def system_margin(self) -> float:
        """The mass of the rows of margins, unit of the table."""
        listed = [mass for _, mass, _ in margin_masses(self.result.bom)]
        return sum(listed) / self.result.bom.columns.by_quantity["mass"].factor if listed else 0.0

    @property
    def units(self) -> Units:
        """The table's units."""
        return self.result.bom.units

    def value(self, i: int, quantity: str) -> float | None:
        """Return a value of an item."""
        # an incomplete value, or one of a tree with errors, is known only if missing values are allowed
        if self.is_open or (not self.allows_missing and any(self._lacks(i, quantity).values())):
            return None
        return _value_or_none(self._values(quantity), i)

    def mean(self, i: int, quantity: str) -> float | None:
        """Return the mean of a value of an item: the value, moved as the means of the inputs move the basic value."""
        value, at_means = self.value(i, quantity), self.result.at_means
        if value is None or at_means is None:
            return value
        rollups = (single_item_rollup(rollup, i) for rollup in (at_means, self.result.rollup))
        moved, basic = (_value_or_none(self._columns(rollup, quantity), 0) for rollup in rollups)
        return None if moved is None or basic is None else value + (moved - basic)

    def least(self, i: int, quantity: str) -> float | None:
        """Return a mass or a moment of an item that is a lower bound if values are missing."""
        coverage = self.rollup.coverage
        bounds = {"mass": coverage.mass_is_bound, **dict.fromkeys(_MOMENT_NAMES, coverage.moments_are_bounds)}
        if quantity not in bounds or not (bounds[quantity][i] or self._is_whole_but_for_the_tree(i, quantity)):
            return None
        return _value_or_none(self._values(quantity), i)

    def sigma(self, i: int, quantity: str) -> float | None:
        """Return the standard deviation of a value of an item."""
        return _value_or_none(self._sigmas(quantity), i)

    def rounding(self, i: int, quantity: str) -> float:
        """Return the rounding error of a value of an item: docs/formulas.md, section 10."""
        return ROUNDING_OF_TERMS * self._magnitudes(i)[quantity]

    def _magnitudes_of(self, i: int) -> dict[str, float]:
        """Return the sizes of the terms that sum to the values of an item."""
        bodies = self.rollup.bodies
        return item_magnitudes(replace(self.result.bom.rollup_inputs(), bodies=bodies), i, bodies)

    def center_with_mass(self, i: int, axis: int) -> NDArray[np.float64] | None:
        """Return the covariance (2, 2) of an item's centre coordinate and mass, units of the table; None if unknown."""
        # V[c, m] = V[h, m]/m and V[c] = V[h]/m²: docs/formulas.md, section 10
        rollup, center = self.result.rollup, f"C{'xyz'[axis]}"
        if self.sigma(i, "mass") is None or self.sigma(i, center) is None:
            return None
        if rollup.covariances is None and len(self.result.bom.tree.children(i)):
            return None
        picked = [axis + 1, 0]
        per_mass = np.array([1 / rollup.bodies.mass[i], 1.0])
        return np.asarray(rollup.covariance_of(i)[np.ix_(picked, picked)] * np.outer(per_mass, per_mass))

    def share_known(self, i: int) -> float | None:
        """Return the share of the parts at and below an item whose mass is known."""
        coverage = self.rollup.coverage
        rows = int(coverage.rows[i])
        return int(coverage.known_mass[i]) / rows if rows else None

    @cached_property
    def shares_of_mass(self) -> Mapping[str, Floats]:
        """Share of the mass below every item ``(n,)`` by method, on this basis."""
        bom = self.result.bom
        if self.basis == "basic" or bom.growth is None:
            return self.result.shares_of_mass
        return mass_shares_by_method(bom, bodies_with_growth(bom.bodies, bom.growth))

    method_words = ", ".join(METHOD_WORDS)

    def share_as_mature(self, i: int, word: str) -> float:
        """Return the share of the mass of an item that was found by a method, or by a more mature one."""
        words = METHOD_WORDS[METHOD_WORDS.index(word) :]
        return sum(float(self.shares_of_mass[name][i]) for name in words if name in self.shares_of_mass)

    def why(self, i: int, quantity: str) -> str:
        """Return the reason why a value of an item is unknown."""
        if self._values(quantity) is None:
            return "the table has no such column"
        whole = int(self.rollup.coverage.rows[i])
        reasons = [self.why_of_the_tree()] if self.is_open else []
        if not whole:
            return reasons[0] if reasons else "it contains no parts"
        for noun, parts in self._lacking(i, quantity).items():
            if parts:
                of = "" if reasons else f" of its {whole} part{'' if whole == 1 else 's'}"
                names = name_list([self.result.bom.ids[part] for part in parts], 3)
                reasons.append(f"{len(parts)}{of} {'has' if len(parts) == 1 else 'have'} no {noun} ({names})")
        return ", ".join(reasons) or "its masses cancel, or its row states none"

    def why_of_the_tree(self) -> str:
        """Return the errors of the tree as a reason."""
        return f"the table has errors ({', '.join(self.tree_errors)}), so items may be outside the tree"

    def remedy(self, i: int, quantity: str) -> str | None:
        """Return the remedy for an undecided limit of an item."""
        rows = [f"correct the rows of {', '.join(self.tree_errors)}"] if self.tree_errors else []
        has_column = self._values(quantity) is not None
        cells = ["enter the missing values"] if has_column and any(self._lacks(i, quantity).values()) else []
        if self.allows_missing or not (rows or cells):
            return None
        return f'{" and ".join(rows + cells)}, or state incomplete = "allow" in an entry of a budget file'

    @property
    def is_open(self) -> bool:
        """Whether parts may be missing because the tree has errors, and missing values are not allowed."""
        return bool(self.tree_errors) and not self.allows_missing

    @cached_property
    def tree_errors(self) -> tuple[str, ...]:
        """Rules of errors in the tree, because of which items may be missing."""
        errors = (f.rule for f in self.result.findings if f.is_withholding and f.rule.startswith("MP3"))
        return tuple(dict.fromkeys(errors))

    def _is_whole_but_for_the_tree(self, i: int, quantity: str) -> bool:
        """Return whether a value of item ``i`` covers all its leaves and is a lower bound."""
        can_be_bound = self.tree_errors and not self.result.bom.options.allow_negative_mass
        return bool(can_be_bound) and not any(self._lacks(i, quantity).values())

    def _lacking(self, i: int, quantity: str) -> dict[str, list[int]]:
        """List the parts at and below item ``i`` that themselves lack a mass, a centre or an inertia."""
        bodies, parts = self.rollup.bodies, self._parts(i)
        heavy = [part for part in parts if bodies.mass[part] != 0 or not _has_value(bodies.has_mass, part)]
        masks = {
            "mass": (parts, self.rollup.coverage.mass_is_whole),  # with its growth
            "centre": (heavy, bodies.has_center),
            "inertia": ([part for part in heavy if not bodies.is_point[part]], bodies.has_inertia),
        }
        found = {}
        for noun, count in self._lacks(i, quantity).items():
            of, mask = masks[noun.split()[0]]
            found[noun] = [part for part in of if not _has_value(mask, part)] if count else []
        return found

    def _parts(self, i: int) -> list[int]:
        """List the items at and below item ``i`` that the roll-up adds, in file order."""
        bom = self.result.bom
        found, waiting = [], [i]
        while waiting:
            item = waiting.pop()
            if not (children := bom.tree.children(item).tolist()) or (bom.stated is not None and bom.stated[item]):
                found.append(item)
            else:
                waiting += [child for child in children if bom.quantity.count[child] != 0]
        return sorted(found)

    def _lacks(self, i: int, quantity: str) -> dict[str, int]:
        """Count the parts at and below item ``i`` that lack what a quantity is computed from."""
        coverage, grows = self.rollup.coverage, self.rollup is not self.result.rollup
        known = {"mass or no growth" if grows else "mass": coverage.known_mass}
        if quantity != "mass":
            known["centre"] = coverage.known_center
        if quantity.startswith("I"):
            known["inertia"] = coverage.known_inertia
        return {noun: max(0, int(coverage.rows[i]) - int(count[i])) for noun, count in known.items()}


def _has_value(mask: NDArray[np.bool_] | None, item: int) -> bool:
    """Return whether a mask is true for an item; without a mask it is."""
    return mask is None or bool(mask[item])


def _value_or_none(values: Floats | None, i: int) -> float | None:
    """Return one number of a column, or None where it is not known."""
    return None if values is None or not isfinite(values[i]) else float(values[i])
