"""Whether masses are of lines and quantities of the whole: settled by the sheet's totals, or asked.

Masses of whole lines, and quantities that are already multiplied: brought to one piece, and to one parent.

A total that the rows do not give, and why: it leaves out rows that are hidden or struck out, or rows are sums.

Where one of these explains the difference exactly, the sheet has two readings with different masses: it is asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

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
from massprops_cli.bom.items import INERTIA, Content, measured_masses
from massprops_cli.findings import Findings, UsageError, name_list
from massprops_cli.tables import TotalRow
from massprops_cli.trees import ItemQuantity

_Floats = NDArray[np.float64]


class _UnevenQuantityError(UsageError):
    """Quantities are not those of the whole: they do not divide by those of the assemblies they stand in."""


_WHOLE_NUMBER_TOLERANCE = 1e-9
"""How far a quotient of counts may be from a whole number."""


def apply_stated_meanings(content: Content) -> Content:
    """Bring masses to one piece and quantities to one parent, as ``--mass-is`` and ``--qty-is`` say they are not.

    ``pieces (n,)`` of the result keeps how many pieces a mass cell holds. Raises UsageError where that cannot be.
    """
    count = content.quantity.count
    if content.extra is not None:  # an assembly's own numbers stand on its row
        count = np.where(content.extra, count[content.tree.parent], count)
    if content.options.qty_is == "total":
        content = replace(content, quantity=quantities_per_parent(content))
    if content.options.mass_is != "line":
        return content
    _reject_row_total_values(content, count)
    pieces = np.where(count == 0, 1.0, np.abs(count))
    bodies = replace(content.bodies, mass=content.bodies.mass / pieces)
    return replace(content, bodies=bodies, pieces=pieces)


def quantities_per_parent(content: Content) -> ItemQuantity:
    """Divide every item's quantity by its parent's: how many one parent holds.

    Raises UnevenError where a count of pieces does not divide: the pieces of a parent are all alike.
    """
    total, parent = content.quantity.count, content.tree.parent
    over = np.where(parent < 0, 1.0, total[parent])
    if content.extra is not None:
        over[content.extra] = 1.0
    count = np.divide(total, over, out=np.zeros(len(total)), where=over != 0)
    uneven = ~content.quantity.measured & (np.abs(count - np.round(count)) > _WHOLE_NUMBER_TOLERANCE)
    if uneven.any():
        cases = [f"{content.ids[i]}: {total[i]:g} in {over[i]:g}" for i in np.flatnonzero(uneven).tolist()]
        raise _UnevenQuantityError(
            f"the quantities are not already multiplied: they do not divide by their assembly's ({name_list(cases)}); "
            "leave out --qty-is total, or correct them"
        )
    return ItemQuantity(np.where(content.quantity.measured, count, np.round(count)), content.quantity.measured)


def _reject_row_total_values(content: Content, count: _Floats) -> None:
    """Reject inertias and sigmas of masses beside masses of whole lines: of the line or of a piece cannot be seen.

    A mass of one metre is none of a line.
    """
    named = content.columns.by_quantity
    for measure in measured_masses(content.table, content.columns).values():
        raise UsageError(f"--mass-is line: {named['mass'].header} has masses of one {measure}; leave the option out")
    wanted = (*INERTIA.columns, *(() if content.sigmas is None else ("sigma_mass",)))
    header = next((named[name].header for name in wanted if name in named), None)
    several = np.flatnonzero((count != 1) & (count != 0) & content.tree.is_leaf() & ~content.bodies.is_point)
    if header is not None and len(several):
        first = int(several[0])
        raise UsageError(
            f"--mass-is line: whether {header} of {content.ids[first]} is of the line or of one of {count[first]:g} "
            "pieces cannot be seen; write masses and the others per piece, and leave the option out"
        )


def _explain_total(bom: Content, findings: Findings) -> bool:
    """Ask which rows count, where that explains a total that is not what they give; tells whether something does."""
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
                message = f"{one.label} states {one.stated:.12g}, and the rows give {one.computed:.6g}: {why}"
                command = f"massprops rollup {shlex.quote(bom.table.source.name)} --mass-is each"
                to_do = f"{remedy}; to count every row type {command}"
                findings.report("MP252", message, one.place, remedy=to_do)
                return True
    return False


def _alternative_sums(bom: Content, masses: _Floats, counted: NDArray[np.bool_]) -> Iterator[tuple[str, str, float]]:
    """Return what else a total may be the sum of: why it differs, what to do if so, and the sum of those rows."""
    info = bom.table.sheet_info
    for what, rows in () if info is None else (("hidden", info.hidden), ("struck out", info.struck)):
        if rows is None or not len(rows):
            continue
        left = np.isin(np.arange(len(masses)), rows)
        if (n := np.count_nonzero(masses[left & counted])) > 0:
            which = "a row that is" if n == 1 else f"{n} rows that are"
            delete = "the row" if n == 1 else "the rows"
            yield (
                f"it leaves out {which} {what}",
                f"delete {delete} that the total leaves out",
                _row_sum(masses, ~left & counted),
            )
    if bom.layout == "flat":
        remedy = 'leave out the rows that are sums with --where "COLUMN != NAME"'
        yield "twice as much, so that rows may be sums of other rows", remedy, _row_sum(masses, counted) / 2


def _row_sum(masses: _Floats, rows: NDArray[np.bool_]) -> float:
    return float(masses[rows].sum())


_MASS_MEANINGS, _QTY_MEANINGS = ("each", "line"), ("per-parent", "total")
"""What masses and quantities can be, the usual first."""


@dataclass(frozen=True, slots=True)
class _Interpretation:
    """One way to read a table: what its masses and quantities are, and the table read so.

    ``content`` is None where the way is open and the table cannot say what it gives: inertias beside masses of lines.
    """

    mass_is: str
    qty_is: str
    content: Content | None

    def totals(self) -> list[ReconciledTotal]:
        """Return the sheet's totals beside what this way gives."""
        return [] if self.content is None else reconcile_masses(self.content)

    def fits(self, *, exactly: bool = False) -> bool:
        """Return whether the sheet states totals, and all of them are what this way gives, to their own last digit."""
        totals = self.totals()
        agreeing = ("agrees",) if exactly else AGREEING_VERDICTS
        return bool(totals) and all(total.verdict in agreeing for total in totals)

    def same(self, other: _Interpretation) -> bool:
        """Return whether another way gives the same numbers."""
        one, two = self.content, other.content
        if one is None or two is None:
            return False
        counts = np.array_equal(one.quantity.count, two.quantity.count)
        return counts and np.array_equal(one.bodies.mass, two.bodies.mass)


def resolve_interpretation(content: Content, totals: Sequence[TotalRow], findings: Findings) -> Content:
    """Read masses and quantities as requested, else as usual; another way where the sheet's totals fit that alone.

    It is an error that offers the commands where a header means two things (``Total mass``, ``Ext. Qty``), or a total
    contradicts the usual way, and no total settles which of several ways with different numbers is meant.
    """
    content = replace(content, totals=tuple(totals))
    is_requested = content.options.mass_is or content.options.qty_is
    doubtful = _ambiguous_headers(content)
    if not doubtful:
        usual, of_totals = apply_stated_meanings(content), Findings()
        check_mass_totals(usual, of_totals)
        if is_requested or not of_totals:
            findings += of_totals
            return usual
    readings = _distinct_interpretations(content, doubtful or frozenset(("mass", "qty")))
    if doubtful and not is_requested and totals and not any(reading.fits() for reading in readings):
        readings = _distinct_interpretations(content, frozenset(("mass", "qty")))
    fitting = [reading for reading in readings if reading.fits(exactly=True)] or [reading for reading in readings if reading.fits()]
    if totals and not fitting and not is_requested and _explain_total(apply_stated_meanings(content), findings):
        return apply_stated_meanings(content)
    if len(readings) == 1 or len(fitting) == 1:
        return _choose_interpretation(content, (fitting or readings)[0], readings, doubtful, findings)
    usual = apply_stated_meanings(content)
    if not fitting and not doubtful and _is_best_supported(readings):
        check_mass_totals(usual, findings)
    else:
        _report_ambiguous_interpretation(content, fitting or readings, doubtful, findings)
    return usual


def _ambiguous_headers(content: Content) -> frozenset[str]:
    """Return which of mass and qty have a header of two meanings, and no option that says which."""
    options = content.options
    stated = {"mass": options.mass_is, "qty": options.qty_is}
    return frozenset(name for name in content.columns.doubtful if not stated.get(name))


def _distinct_interpretations(content: Content, open_: frozenset[str]) -> list[_Interpretation]:
    """Read the table in every way that it can be read in, the usual first; of ways with the same numbers the first."""
    options, named = content.options, content.columns.by_quantity
    masses = _MASS_MEANINGS if "mass" in open_ and "line_mass" not in named else (options.mass_is or "each",)
    quantities = _QTY_MEANINGS if "qty" in open_ and "total_qty" not in named else (options.qty_is or "per-parent",)
    readings: list[_Interpretation] = []
    for mass_is, qty_is in product(masses, quantities):
        try:
            read = apply_stated_meanings(replace(content, options=replace(options, mass_is=mass_is, qty_is=qty_is)))
        except _UnevenQuantityError:
            continue
        except UsageError:
            readings += [_Interpretation(mass_is, qty_is, None)] if "mass" in content.columns.doubtful else []
            continue
        reading = _Interpretation(mass_is, qty_is, read)
        if not any(reading.same(other) for other in readings):
            readings.append(reading)
    return readings


def _has_uneven_quantities(content: Content) -> bool:
    """Return whether the quantities cannot be those of the whole, for they do not divide."""
    try:
        quantities_per_parent(content)
    except _UnevenQuantityError:
        return True
    return False


def _is_best_supported(readings: Sequence[_Interpretation]) -> bool:
    """Return whether more totals agree with the first way than with any other: what differs are errors of the sheet."""
    agreeing = [sum(total.agrees for total in reading.totals()) for reading in readings]
    return agreeing[0] > max(agreeing[1:], default=-1)


def _choose_interpretation(
    content: Content,
    reading: _Interpretation,
    readings: Sequence[_Interpretation],
    doubtful: frozenset[str],
    findings: Findings,
) -> Content:
    """Choose one way, and report why where it is not the usual one, or the header left it open."""
    if reading.content is None:  # what stands beside the masses forbids the only way left: let it say so
        options = replace(content.options, mass_is=reading.mass_is, qty_is=reading.qty_is)
        return apply_stated_meanings(replace(content, options=options))
    differing = Findings()
    check_mass_totals(reading.content, differing)
    usual = (reading.mass_is, reading.qty_is) == (_MASS_MEANINGS[0], _QTY_MEANINGS[0])
    if len(readings) == 1 and usual and not ("qty" in doubtful and _has_uneven_quantities(content)):
        findings += differing
        return apply_stated_meanings(content)
    words = " ".join(_interpretation_options(reading, readings, doubtful))
    totals = reading.totals()
    if totals and not differing:
        total = totals[-1]
        message = f"read with {words}: only so do the rows give what {total.label} states, {total.stated:.12g}"
        findings.report("MP251", message, total.place, remedy=f"say it with {words}")
        return reading.content
    message = f"read with {words}: the quantities can be read in no other way"
    findings += differing
    findings.report("MP251", message, remedy=f"say it with {words}")
    return reading.content


def _report_ambiguous_interpretation(
    content: Content, readings: Sequence[_Interpretation], doubtful: frozenset[str], findings: Findings
) -> None:
    """Ask which way is meant, with a whole command for each."""
    name = shlex.quote(content.table.source.name)
    commands = [f"massprops rollup {name} {' '.join(_interpretation_options(reading, readings, doubtful))}" for reading in readings]
    remedy = "type " + ", or ".join(commands)
    columns, totals = content.columns, readings[0].totals()
    if totals and all(reading.fits() for reading in readings):
        message = (
            f"{totals[0].label} states {totals[0].stated:.12g}, which the rows give in {len(readings)} ways of reading them"
        )
        findings.report("MP252", message, totals[0].place, remedy=remedy)
    elif totals:
        total = next(total for total in totals if not total.agrees)
        gives = " or ".join(f"{value:.6g}" for value in _interpretation_totals(readings, totals.index(total)))
        message = f"{total.label} states {total.stated:.12g}, and the rows give {gives}, by how they are read"
        findings.report("MP252", message, total.place, remedy=remedy)
    else:
        column = columns.by_quantity[min(doubtful)]
        place = content.table.place(columns.header_row, column.index, column.header)
        findings.report("MP252", f"{column.header} can mean {_MEANINGS[column.quantity]}", place, remedy=remedy)


_MEANINGS = {
    "mass": "the mass of one piece, or of all pieces in its row",
    "qty": "how many one parent holds, or how many there are in the whole",
}
"""What a header of two meanings can mean."""


def _interpretation_totals(readings: Sequence[_Interpretation], k: int) -> list[float]:
    """Return what every way gives for the sheet's total number ``k``."""
    return [reading.totals()[k].computed for reading in readings if reading.content is not None]


def _interpretation_options(
    reading: _Interpretation, readings: Sequence[_Interpretation], doubtful: frozenset[str]
) -> list[str]:
    """Return the options that tell a way from the others."""
    mass, qty = f"--mass-is {reading.mass_is}", f"--qty-is {reading.qty_is}"
    words = [mass] if "mass" in doubtful or reading.mass_is != _MASS_MEANINGS[0] else []
    words += [qty] if "qty" in doubtful or reading.qty_is != _QTY_MEANINGS[0] else []
    return words or ([mass] if len({other.mass_is for other in readings}) > 1 else [qty])
