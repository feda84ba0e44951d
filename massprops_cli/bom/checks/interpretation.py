"""Interpretation of masses (per piece or row total) and quantities (per parent or total), by the totals of the sheet.

Row totals and total quantities are converted to one piece and one parent. A total that differs from the rows may
exclude hidden or struck-out rows, or rows may be sums of others; such an ambiguity is reported with the commands.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks.totals import (
    AGREEING_VERDICTS,
    TOTAL_ROUNDING,
    ReconciledTotal,
    cell_half_digit,
    check_mass_totals,
    reconcile_masses,
    row_sums,
)
from massprops_cli.bom.items.numbers import measured_masses
from massprops_cli.bom.items.result_columns import INERTIA
from massprops_cli.findings.finding import Findings, UsageError, name_list
from massprops_cli.tables.rows.total_rows import TotalRow

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]


class _UnevenQuantityError(UsageError):
    """Quantities are not totals: they are not multiples of those of their assemblies."""


_WHOLE_NUMBER_TOLERANCE = 1e-9  # tolerance of an integer quotient of counts


def apply_stated_meanings(bom: Bom) -> Bom:
    """Convert masses to one piece and quantities to one parent as stated; UsageError if that is not possible."""
    count = bom.quantity.count
    if bom.extra is not None:  # an assembly's own values are in its row
        count = np.where(bom.extra, count[bom.tree.parent], count)
    if bom.options.qty_is == "total":
        bom = replace(bom, quantity=replace(bom.quantity, count=counts_per_parent(bom), weight=None))
    if bom.options.mass_is != "line":
        return bom
    _reject_row_total_values(bom, count)
    pieces = np.where(count == 0, 1.0, np.abs(count))
    return replace(bom, bodies=replace(bom.bodies, mass=bom.bodies.mass / pieces), pieces=pieces)


def counts_per_parent(bom: Bom) -> NDArray[np.float64]:
    """Divide every item's total quantity (n,) by its parent's; UsageError if it is not a multiple of that."""
    total, parent = bom.quantity.count, bom.tree.parent
    over = np.where(parent < 0, 1.0, total[parent])
    if bom.extra is not None:
        over[bom.extra] = 1.0
    count = np.divide(total, over, out=np.zeros(len(total)), where=over != 0)
    uneven = ~bom.quantity.measured & (np.abs(count - np.round(count)) > _WHOLE_NUMBER_TOLERANCE)
    if uneven.any():
        cases = [f"{bom.ids[i]}: {total[i]:g} in {over[i]:g}" for i in np.flatnonzero(uneven).tolist()]
        raise _UnevenQuantityError(
            f"quantities are not multiples of those of their assemblies: {name_list(cases)} "
            "(omit --qty-is total, or correct them)"
        )
    return np.where(bom.quantity.measured, count, np.round(count))


def _reject_row_total_values(bom: Bom, count: _Floats) -> None:
    """Reject inertias and sigmas next to row totals of mass, and masses per unit of measure."""
    # inertias and sigmas may be those of the row or of a piece
    named = bom.columns.by_quantity
    for measure in measured_masses(bom.table, bom.columns).values():
        raise UsageError(
            f"--mass-is line contradicts the masses per {measure} in {named['mass'].header}; omit the option"
        )
    wanted = ("shape", *INERTIA.columns, *(() if bom.sigmas is None else ("sigma_mass",)))
    header = next((named[name].header for name in wanted if name in named), None)
    several = np.flatnonzero((count != 1) & (count != 0) & bom.tree.is_leaf() & ~bom.bodies.is_point)
    if header is not None and len(several):
        first = int(several[0])
        raise UsageError(
            f"{header} of {bom.ids[first]} is ambiguous with --mass-is line: one piece or all "
            f"{count[first]:g} pieces (enter all values per piece, and omit the option)"
        )


def _explain_total(bom: Bom, findings: Findings) -> bool:
    """Report rows whose exclusion explains a total that differs; returns whether some do."""
    masses = row_sums(bom)[:, 0] / bom.columns.by_quantity["mass"].factor
    for one in reconcile_masses(bom):
        if one.kind != "total" or not one.differs:
            continue
        size = bom.columns.by_quantity[one.quantity].factor / bom.columns.by_quantity["mass"].factor
        total = next(total for total in bom.totals if total.label == one.label)
        allowed = cell_half_digit(bom, total.row, bom.columns.by_quantity[one.quantity])
        allowed = allowed / bom.columns.by_quantity["mass"].factor + TOTAL_ROUNDING * abs(one.stated * size)
        counted = np.zeros(len(masses), bool)
        counted[: total.row] = True
        for why, remedy, gives in _alternative_sums(bom, masses, counted):
            if abs(gives - one.stated * size) <= allowed:
                message = (
                    f"{one.label} differs from the sum of the rows: {one.stated:.12g} "
                    f"(computed: {one.computed:.6g}; {why})"
                )
                command = f"massprops rollup {shlex.quote(bom.table.source.name)} --mass-is each"
                findings.report("MP252", message, one.place, remedy=f"{remedy}; to count every row, run {command}")
                return True
    return False


def _alternative_sums(bom: Bom, masses: _Floats, counted: NDArray[np.bool_]) -> Iterator[tuple[str, str, float]]:
    """Yield other sums that a total may state: the reason of the difference, the remedy, and the sum."""
    info = bom.table.sheet_info
    for what, rows in () if info is None else (("hidden", info.hidden), ("struck-out", info.struck)):
        if rows is None or not len(rows):
            continue
        left = np.isin(np.arange(len(masses)), rows)
        if (n := np.count_nonzero(masses[left & counted])) > 0:
            which = f"1 {what} row" if n == 1 else f"{n} {what} rows"
            delete = "the row" if n == 1 else "the rows"
            yield (
                f"the total excludes {which}",
                f"delete {delete} that the total excludes",
                _row_sum(masses, ~left & counted),
            )
    if bom.layout == "flat":
        names = [bom.table.place(row) for row in _sum_rows(np.where(counted, masses, 0.0))]
        options = " ".join(f"--skip-row row:{place.line or place.row}" for place in names)
        remedy = f"exclude the rows that are sums{options and f' with {options}'}"
        yield "twice the total, so rows may be sums of other rows", remedy, _row_sum(masses, counted) / 2


def _sum_rows(masses: _Floats) -> list[int]:
    """Return the rows that are sums of the rows below them, or else above them, and half of the mass; or none."""
    filled = np.flatnonzero(masses)
    for rows in (filled, filled[::-1]):
        heads: list[int] = []
        k = 0
        while k < len(rows):
            below = np.cumsum(masses[rows[k + 1 :]])
            parts = np.flatnonzero(np.isclose(below, masses[rows[k]], rtol=TOTAL_ROUNDING))
            heads += [int(rows[k])] if len(parts) else []
            k += 1 + (int(parts[0]) + 1 if len(parts) else 0)
        if heads and np.isclose(masses[heads].sum() * 2, masses.sum(), rtol=TOTAL_ROUNDING):
            return sorted(heads)
    return []


def _row_sum(masses: _Floats, rows: NDArray[np.bool_]) -> float:
    """Add the masses (n,) of some rows."""
    return float(masses[rows].sum())


_MASS_MEANINGS, _QTY_MEANINGS = ("each", "line"), ("per-parent", "total")
"""The meanings of masses and quantities, the usual first."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Interpretation:
    """A reading of a table: meanings of masses and quantities, and the bom; None if its result is unknown."""

    mass_is: str
    qty_is: str
    bom: Bom | None

    def totals(self) -> list[ReconciledTotal]:
        """Compare the totals of the sheet with this reading."""
        return [] if self.bom is None else reconcile_masses(self.bom)

    def fits(self, *, exactly: bool = False) -> bool:
        """Return whether the sheet has totals and all agree; with ``exactly`` to their last digit."""
        totals = self.totals()
        agreeing = ("agrees",) if exactly else AGREEING_VERDICTS
        return bool(totals) and all(total.verdict in agreeing for total in totals)

    def same(self, other: _Interpretation) -> bool:
        """Return whether another reading gives the same numbers."""
        one, two = self.bom, other.bom
        if one is None or two is None:
            return False
        counts = np.array_equal(one.quantity.count, two.quantity.count)
        return counts and np.array_equal(one.bodies.mass, two.bodies.mass)


def resolve_interpretation(bom: Bom, totals: Sequence[TotalRow], findings: Findings) -> Bom:
    """Read masses and quantities as requested, else as usual, or in the only way that agrees with the totals."""
    # an ambiguous header, or a total against the usual reading, that no total resolves is an error with the commands
    bom = replace(bom, totals=tuple(totals))
    is_requested = bom.options.mass_is or bom.options.qty_is
    options = bom.options
    stated = {"mass": options.mass_is, "qty": options.qty_is}
    if not (doubtful := frozenset(name for name in bom.columns.doubtful if not stated.get(name))):
        usual, of_totals = apply_stated_meanings(bom), Findings()
        check_mass_totals(usual, of_totals)
        if is_requested or not of_totals:
            findings += of_totals
            return usual
    readings = _distinct_interpretations(bom, doubtful or frozenset(("mass", "qty")))
    if doubtful and not is_requested and totals and not any(reading.fits() for reading in readings):
        readings = _distinct_interpretations(bom, frozenset(("mass", "qty")))
    fitting = [reading for reading in readings if reading.fits(exactly=True)] or [
        reading for reading in readings if reading.fits()
    ]
    if totals and not fitting and not is_requested and _explain_total(apply_stated_meanings(bom), findings):
        return apply_stated_meanings(bom)
    if len(readings) == 1 or len(fitting) == 1:
        return _choose_interpretation(bom, (fitting or readings)[0], readings, doubtful, findings)
    usual = apply_stated_meanings(bom)
    if not fitting and not doubtful:
        check_mass_totals(usual, findings)
    else:
        _report_ambiguous_interpretation(bom, fitting or readings, doubtful, findings)
    return usual


def _distinct_interpretations(bom: Bom, open_: frozenset[str]) -> list[_Interpretation]:
    """Return the readings of the table with different numbers, the usual first."""
    options, named = bom.options, bom.columns.by_quantity
    masses = _MASS_MEANINGS if "mass" in open_ and "line_mass" not in named else (options.mass_is or "each",)
    quantities = _QTY_MEANINGS if "qty" in open_ and "total_qty" not in named else (options.qty_is or "per-parent",)
    readings: list[_Interpretation] = []
    for mass_is, qty_is in product(masses, quantities):
        try:
            read = apply_stated_meanings(replace(bom, options=replace(options, mass_is=mass_is, qty_is=qty_is)))
        except _UnevenQuantityError:
            continue
        except UsageError:
            readings += [_Interpretation(mass_is, qty_is, None)] if "mass" in bom.columns.doubtful else []
            continue
        reading = _Interpretation(mass_is, qty_is, read)
        if not any(reading.same(other) for other in readings):
            readings.append(reading)
    return readings


def _has_uneven_quantities(bom: Bom) -> bool:
    """Return whether the quantities cannot be totals."""
    try:
        counts_per_parent(bom)
    except _UnevenQuantityError:
        return True
    return False


def _choose_interpretation(
    bom: Bom,
    reading: _Interpretation,
    readings: Sequence[_Interpretation],
    doubtful: frozenset[str],
    findings: Findings,
) -> Bom:
    """Return the chosen reading, and report why if it is not the usual one or the header is ambiguous."""
    if reading.bom is None:  # raises the error of the only reading left
        options = replace(bom.options, mass_is=reading.mass_is, qty_is=reading.qty_is)
        return apply_stated_meanings(replace(bom, options=options))
    differing = Findings()
    check_mass_totals(reading.bom, differing)
    usual = (reading.mass_is, reading.qty_is) == (_MASS_MEANINGS[0], _QTY_MEANINGS[0])
    if len(readings) == 1 and usual and not ("qty" in doubtful and _has_uneven_quantities(bom)):
        findings += differing
        return apply_stated_meanings(bom)
    words = " ".join(_interpretation_options(reading, readings, doubtful))
    if (totals := reading.totals()) and not differing:
        total = totals[-1]
        message = f"table read with {words}, the only reading that agrees with {total.label}: {total.stated:.12g}"
        findings.report("MP251", message, total.place, remedy=f"state it with {words}")
        return reading.bom
    message = f"table read with {words}, the only possible reading of the quantities"
    findings += differing
    findings.report("MP251", message, remedy=f"state it with {words}")
    return reading.bom


def _report_ambiguous_interpretation(
    bom: Bom, readings: Sequence[_Interpretation], doubtful: frozenset[str], findings: Findings
) -> None:
    """Report the possible readings, with the command for each."""
    name = shlex.quote(bom.table.source.name)
    commands = [
        f"massprops rollup {name} {' '.join(_interpretation_options(reading, readings, doubtful))}"
        for reading in readings
    ]
    remedy = "run " + ", or ".join(commands)
    columns, totals = bom.columns, readings[0].totals()
    if totals and all(reading.fits() for reading in readings):
        message = f"{totals[0].label} agrees with {len(readings)} readings of the rows: {totals[0].stated:.12g}"
        findings.report("MP252", message, totals[0].place, remedy=remedy)
    elif totals:
        total = next(total for total in totals if not total.agrees)
        k = totals.index(total)
        gives = ", ".join(f"{one.totals()[k].computed:.6g}" for one in readings if one.bom is not None)
        message = (
            f"{total.label} differs from the sum of the rows: {total.stated:.12g} (computed for each reading: {gives})"
        )
        findings.report("MP252", message, total.place, remedy=remedy)
    else:
        column = columns.by_quantity[min(doubtful)]
        place = bom.table.place(columns.header_row, column.index, column.header)
        findings.report(
            "MP252",
            f"meaning of column {column.header} is ambiguous: {_MEANINGS[column.quantity]}",
            place,
            remedy=remedy,
        )


_MEANINGS = {
    "mass": "the mass of one piece, or of all pieces in its row",
    "qty": "the quantity in one parent, or in the product",
}
"""The two meanings of an ambiguous header."""


def _interpretation_options(
    reading: _Interpretation, readings: Sequence[_Interpretation], doubtful: frozenset[str]
) -> list[str]:
    """Select the options that distinguish a reading from the others."""
    mass, qty = f"--mass-is {reading.mass_is}", f"--qty-is {reading.qty_is}"
    words = [mass] if "mass" in doubtful or reading.mass_is != _MASS_MEANINGS[0] else []
    words += [qty] if "qty" in doubtful or reading.qty_is != _QTY_MEANINGS[0] else []
    return words or ([mass] if len({other.mass_is for other in readings}) > 1 else [qty])
