"""Interpretation of masses (per piece or row total), quantities (per parent or total) and margins, by stated totals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks.assembly_values import difference_digits
from massprops_cli.bom.checks.consistency import differing_cells
from massprops_cli.bom.checks.totals import (
    AGREEING_VERDICTS,
    ReconciledTotal,
    margin_masses,
    reconcile_masses,
    reconcile_totals,
    row_sums,
)
from massprops_cli.bom.items.item_rows import table_row_values
from massprops_cli.bom.items.numbers import measured_masses
from massprops_cli.bom.items.result_columns import INERTIA
from massprops_cli.files.table import Floats, file_table
from massprops_cli.findings.finding import NO_PLACE, Findings, UsageError, name_list
from massprops_cli.tables.columns.headings import map_option
from massprops_cli.tables.options import CENTER_COLUMNS
from massprops_cli.tables.rows.total_rows import TotalRow, row_command_name, row_commands

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom


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


def _reject_row_total_values(bom: Bom, count: Floats) -> None:
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
    stated = {"mass": bom.options.mass_is, "qty": bom.options.qty_is}
    is_requested = any(stated.values())
    if not (doubtful := frozenset(name for name in bom.columns.doubtful if not stated.get(name))):
        usual, of_totals = apply_stated_meanings(bom), Findings()
        report_differing_totals(reconcile_masses(usual), of_totals)
        if of_totals and (of_rows := _by_row_totals(bom)) is not None:
            line, total = bom.columns.by_quantity["line_mass"], reconcile_masses(of_rows)[-1]
            words = map_option(bom.table, bom.columns.header_row, line.index, "mass")
            message = f"{line.header} read as the mass: only its sum agrees with {total.label}: {total.stated:.12g}"
            findings.report("MP251", message, total.place, remedy=f"state it with {words} --mass-is line")
            return of_rows
        if is_requested or not of_totals:
            findings += of_totals
            return usual
    readings = _distinct_interpretations(bom, doubtful or frozenset(("mass", "qty")))
    if doubtful and not is_requested and totals and not any(reading.fits() for reading in readings):
        readings = _distinct_interpretations(bom, frozenset(("mass", "qty")))
    fitting = [one for one in readings if one.fits(exactly=True)] or [one for one in readings if one.fits()]
    if len(readings) == 1 or len(fitting) == 1:
        return _choose_interpretation(bom, (fitting or readings)[0], readings, doubtful, findings)
    usual = apply_stated_meanings(bom)
    if not fitting and not doubtful:
        report_differing_totals(reconcile_masses(usual), findings)
    else:
        _report_ambiguous_interpretation(bom, fitting or readings, doubtful, findings)
    return usual


def _by_row_totals(bom: Bom) -> Bom | None:
    """Read the row totals of a list as its masses, where every stated total is their sum, to its last digit."""
    named, options = dict(bom.columns.by_quantity), bom.options
    line = named.pop("line_mass", None)
    if line is None or bom.columns.mass_is != "each" or bom.layout != "flat" or "mass" in options.map:
        return None
    of_rows, leaves = table_row_values(bom, "line_mass")[bom.rows], np.flatnonzero(bom.tree.is_leaf())
    of_pieces = bom.bodies.mass * bom.quantity.count
    if np.isnan(of_rows[leaves]).any() or len(differing_cells(bom, "line_mass", leaves, of_pieces)):
        return None
    bodies = replace(bom.bodies, mass=np.where(bom.tree.is_leaf(), of_rows, bom.bodies.mass))
    columns = bom.columns._replace(by_quantity={**named, "mass": replace(line, quantity="mass")})
    as_rows = replace(bom, bodies=bodies, columns=columns, options=replace(options, mass_is="line"))
    try:
        reading = _Interpretation("line", options.qty_is, apply_stated_meanings(as_rows))
    except UsageError:  # inertias of pieces
        return None
    return reading.bom if reading.fits(exactly=True) else None


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
    report_differing_totals(reconcile_masses(reading.bom), differing)
    usual = (reading.mass_is, reading.qty_is) == (_MASS_MEANINGS[0], _QTY_MEANINGS[0])
    if len(readings) == 1 and usual:
        findings += differing
        return apply_stated_meanings(bom)
    words = " ".join(_interpretation_options(reading, readings, doubtful))
    why, place = "the only possible reading of the quantities", NO_PLACE
    if (totals := reading.totals()) and not differing:
        total = totals[-1]
        why, place = f"the only reading that agrees with {total.label}: {total.stated:.12g}", total.place
    findings += differing
    findings.report("MP251", f"table read with {words}, {why}", place, remedy=f"state it with {words}")
    return reading.bom


def _report_ambiguous_interpretation(
    bom: Bom, readings: Sequence[_Interpretation], doubtful: frozenset[str], findings: Findings
) -> None:
    """Report the possible readings, with the command for each."""
    ways = (" ".join(_interpretation_options(reading, readings, doubtful)) for reading in readings)
    columns, totals = bom.columns, readings[0].totals()
    if totals and all(reading.fits() for reading in readings):
        message = f"{totals[0].label} agrees with {len(readings)} readings of the rows: {totals[0].stated:.12g}"
        place = totals[0].place
    elif totals:
        k, total = next((k, total) for k, total in enumerate(totals) if not total.agrees)
        gives = ", ".join(f"{one.totals()[k].computed:.6g}" for one in readings if one.bom is not None)
        numbers = f"{total.stated:.12g} (computed for each reading: {gives})"
        message, place = f"{total.label} differs from the sum of the rows: {numbers}", total.place
    else:
        column = columns.by_quantity[min(doubtful)]
        message = f"meaning of column {column.header} is ambiguous: {_MEANINGS[column.quantity]}"
        place = bom.table.place(columns.header_row, column.index, column.header)
    findings.report("MP252", message, place, remedy=bom.table.source.run_remedy(*ways))


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


def report_differing_totals(totals: Iterable[ReconciledTotal], findings: Findings) -> None:
    """Report the totals of the sheet that differ from their rows."""
    for one in totals:
        if one.differs:
            _report_total(one, findings)


def _report_total(one: ReconciledTotal, findings: Findings) -> None:
    """Report a total and the sum of its rows; an error for a contradicted grand total."""
    header = re.split(r"[\[(]", one.place.column or "")[0].strip()
    name = one.quantity if one.quantity in CENTER_COLUMNS else header
    stated = f"{'' if one.quantity in ('mass', 'line_mass') else f'{name} '}{one.stated:.12g}"
    computed = f"{one.computed:.{difference_digits(one.computed, one.stated)}g}"
    message = f"{one.label} differs from the sum of {one.of}: {stated}{one.unit and f' {one.unit}'} "
    message += f"(computed: {computed})"
    is_grand = one.verdict == "contradicted" and one.quantity not in CENTER_COLUMNS and one.is_grand
    rule = "MP415" if is_grand and one.kind == "total" else "MP413"
    findings.report(rule, message, one.place, value=f"{one.stated:.12g}", item=one.label)


def check_margin_rows(bom: Bom, findings: Findings) -> None:
    """Ask whether a row of margin counts, where no stated total agrees, and no limit explains what is left of it."""
    of_limits = any(total.kind == "limit" for total in bom.totals) or any(f.rule == "MP257" for f in bom.findings)
    formulas = () if (info := file_table(bom.table).sheet_info) is None else info.formulas
    column, basic = bom.columns.by_quantity["mass"], float(row_sums(bom)[:, 0].sum())
    sums = (one for one in bom.totals if one.kind == "total" and one.mass is None)
    is_open = any((one.row, column.index) in formulas for one in sums)  # not calculated yet
    if of_limits or is_open or any(one.agrees and one.of.startswith("all rows") for one in reconcile_totals(bom)):
        return
    for margin, mass, _ in margin_masses(bom):
        without, whole = (f"{x / column.factor:.6g} {column.unit}".strip() for x in (basic, basic + mass))
        message = f"row of margin is in no stated total: {margin.label} ({without} without it, {whole} with it)"
        label = row_command_name(bom.table, bom.columns.first_row, margin.row)
        skipped = bom.table.source.run_remedy(f"--skip-row {label} if it does not count")
        remedy = f"{skipped}; else add a total that includes it"
        if bom.layout == "flat" and margin.mass is not None:
            remedy = row_commands(bom.table, bom.columns.first_row, [margin.row], ({margin.row}, ()))
        findings.report("MP257", message, bom.table.place(margin.row), value=margin.label, remedy=remedy)
