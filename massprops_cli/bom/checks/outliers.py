"""Likely errors of mass: contradicted by a second number by a factor of units, or far above all other leaves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks import assembly_masses
from massprops_cli.bom.items.item_rows import occurrence_counts
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.cells.number_text import word_set

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_Rows = NDArray[np.intp]

_EXACT_TOLERANCE = 1e-9  # the relative difference that conversion and another order of summing explain
_COARSE_TOLERANCE, _FINE_TOLERANCE = 0.05, 0.005
"""The largest relative rounding at which a power of ten, and a factor of units, is evidence."""
_UNITS = (
    (1e3, _COARSE_TOLERANCE, "1000"),
    (1e6, _COARSE_TOLERANCE, "1,000,000"),
    (2.20462262185, _FINE_TOLERANCE, "2.2046 (lb per kg)"),
    (25.4, _FINE_TOLERANCE, "25.4 (mm per in)"),
    (25.4**2, _FINE_TOLERANCE, "25.4²"),
    (25.4**3, _FINE_TOLERANCE, "25.4³ (mm³ per in³)"),
)
_UNIT_FACTORS = tuple(
    (value, largest, text)
    for factor, largest, name in _UNITS
    for value, text in ((factor, name), (1 / factor, f"1/{name}"))
)
"""Factors of units: the factor, the largest rounding at which it is evidence, and the factor in words."""
_CHANCE_LIMIT = 0.1
"""The largest rounding of a total, as a share of its difference times the number of rows, that names one of them."""
# a leaf outweighs the others: share of all, times their median, and more leaves than this
_LARGEST_SHARE, _TIMES_MEDIAN, _FEWEST_OTHERS = 0.5, 300.0, 3
_HEAVY_SHARE = 0.1  # a leaf with a smaller share of the mass is not compared with its pair
_MOST_HEAVY, _MOST_NAMES = 10, 100_000
"""How many heavy leaves and names are checked."""


class _UnitSlip(NamedTuple):
    """A mass that is ``factor`` times that of a second number; ``because`` is that number in words."""

    item: int
    factor: float
    words: str
    because: str


class _LeafMasses(NamedTuple):
    """The leaves that count with a mass: ``items (k,)``, and the share ``(k,)`` of the whole that each holds."""

    items: _Rows
    parts: _Floats

    @property
    def total(self) -> float:
        """The mass of all of them."""
        return float(self.parts.sum())


def check_mass_outliers(bom: Bom, findings: Findings) -> None:
    """Report masses of assemblies that are not totals, and warn of masses that are likely slips."""
    if "mass" in bom.written and bom.options.assembly_values != "own":
        assembly_masses.check_own_masses(bom, findings)
    # as they add to the whole, without sign
    mass = np.abs(bom.bodies.mass)
    if (bom.quantity.count != 1).any() or bom.stated is not None:
        mass = mass * np.abs(occurrence_counts(bom))
    items = np.flatnonzero(bom.ends & (mass > 0) & np.isfinite(mass))
    leaves = _LeafMasses(items, mass[items])
    if len(leaves.items) < 2:
        return
    by_item: dict[int, _UnitSlip] = {}
    for slip in (*_slips_from_totals(bom), *_slips_from_pairs(bom, leaves)):
        by_item.setdefault(slip.item, slip)
    for slip in by_item.values():
        _report_slip(bom, leaves, slip, findings)
    if (largest := _dominant_leaf(leaves)) is not None:
        item = int(leaves.items[largest])
        if item not in by_item and not _is_load(bom, item):
            _report_dominant_leaf(bom, leaves, largest, findings)


def _dominant_leaf(leaves: _LeafMasses) -> int | None:
    """Find the position of a leaf with most of the mass and more than 300 times the median of the others."""
    largest = int(np.argmax(leaves.parts))
    if leaves.parts[largest] <= _LARGEST_SHARE * leaves.total or len(leaves.items) <= _FEWEST_OTHERS:
        return None
    return largest if leaves.parts[largest] > _TIMES_MEDIAN * _median(np.delete(leaves.parts, largest)) else None


def _unit_slip_factor(mass: float, other: float, rounding: float) -> tuple[float, str] | None:
    """Find the factor of units, and its words, by which a mass is larger or smaller than it should be."""
    # ``rounding`` is the relative difference that the digits of both explain
    for factor, largest, text in _UNIT_FACTORS if mass > 0 and other > 0 else ():
        if rounding <= largest and abs(mass / other / factor - 1) <= rounding + _EXACT_TOLERANCE:
            return factor, text
    return None


def _mass_rounding(bom: Bom, item: int) -> float:
    """Return half a unit of the last digit of an item's mass as a share of it."""
    column, row = bom.columns.by_quantity["mass"], int(bom.rows[item])
    if row < 0:
        return _EXACT_TOLERANCE
    half = column.half_digit(bom.table, row)
    pieces = 1.0 if bom.pieces is None else float(bom.pieces[item])
    return half / pieces / abs(float(bom.bodies.mass[item]))


def _single_slip(
    bom: Bom, candidates: _Rows, parts: _Floats, missing: float, allowed: float
) -> tuple[int, float, str] | None:
    """Find the one mass whose factor explains what a total has more than its rows; None where none or several do."""
    # ``parts (k,)`` are what the ``candidates (k,)`` add to the total, ``allowed`` is its rounding: the more rows there
    # are, the smaller a share of the difference it may be, for some row fits any difference by chance.
    rounding = allowed / abs(missing) if missing else np.inf
    if rounding * len(candidates) > _CHANCE_LIMIT:
        return None
    found = [
        (int(candidates[k]), factor, text)
        for factor, largest, text in _UNIT_FACTORS
        if rounding <= 2 * largest
        for k in np.flatnonzero(np.abs(parts / factor - parts - missing) <= allowed).tolist()
    ]
    return found[0] if len(found) == 1 else None


def _slips_from_totals(bom: Bom) -> Iterator[_UnitSlip]:
    """Find the mass whose factor explains a total in the sheet that its rows do not give."""
    if not bom.totals:
        return
    from massprops_cli.bom.checks.totals import reconcile_masses, row_sums

    sums = row_sums(bom)
    for reconciled in (one for one in reconcile_masses(bom) if one.differs):
        column, span = bom.columns.by_quantity[reconciled.quantity], reconciled.span
        assert span is not None
        rows = np.arange(bom.table.n_rows)[span.rows]
        rows = rows[sums[rows, 0] != 0]
        parts = sums[rows, 0] * span.factor / column.factor
        # what one of the column is in the total's
        unit = parts.sum() and reconciled.computed / (parts.sum() + span.more)
        missing = (reconciled.stated - reconciled.computed) / (unit or 1.0)
        allowed = reconciled.rounding + _EXACT_TOLERANCE * abs(reconciled.stated)
        if (slip := _single_slip(bom, rows, parts, missing, allowed)) is not None:
            items = np.flatnonzero(bom.rows == slip[0])
            stated = f"{reconciled.stated:.9g}{reconciled.unit and f' {reconciled.unit}'}"
            yield _UnitSlip(int(items[0]), slip[1], slip[2], f"{reconciled.label} is {stated}, which needs a mass of")


def _slips_from_pairs(bom: Bom, leaves: _LeafMasses) -> Iterator[_UnitSlip]:
    """Find a heavy leaf that differs by a factor of units from parts called alike but for a side or a number."""
    heavy = leaves.items[leaves.parts > _HEAVY_SHARE * leaves.total]
    if not len(heavy) or len(heavy) > _MOST_HEAVY or len(leaves.items) > _MOST_NAMES:
        return
    names = bom.ids if bom.names is None else bom.names
    if not (keys := {i: key for i in heavy.tolist() if (key := _pair_key(names[i]))}):
        return
    groups: dict[str, list[int]] = {}
    for i in leaves.items.tolist():
        if (key := _pair_key(names[i])) in keys.values():
            groups.setdefault(key, []).append(i)
    for items in groups.values():  # against the most frequent mass, of equally frequent ones the smallest
        count = Counter(float(bom.bodies.mass[i]) for i in items)
        usual = min(count, key=lambda mass: (-count[mass], mass))
        of = next(i for i in items if bom.bodies.mass[i] == usual)
        for i in (i for i in items if bom.bodies.mass[i] != usual):
            rounding = _mass_rounding(bom, i) + _mass_rounding(bom, of)
            if (slip := _unit_slip_factor(float(bom.bodies.mass[i]), usual, rounding)) is not None:
                yield _UnitSlip(i, *slip, f"{bom.ids[of]} (the similar part) has")


def _pair_key(name: str) -> str:
    """Find the common part of the names of a pair or a series; empty without a side or a number."""
    parts = re.findall(r"[^\W\d_]+|\d+", name.casefold())
    key = ["#" if part.isdigit() or len(part) == 1 or part in word_set("loads", "pair") else part for part in parts]
    return " ".join(key) if "#" in key and any(part != "#" for part in key) else ""


@cache
def _load_words() -> tuple[frozenset[str], tuple[str, ...]]:
    """Load the words of loads: those that are compared with whole words, and those without blanks between words."""
    texts = word_set("loads", "load")
    whole = frozenset(text for text in texts if text[0] < "\u3000")
    return whole, tuple(text for text in texts if text not in whole)


def _is_load(bom: Bom, item: int) -> bool:
    """Return whether an item, or an assembly above it but the root, is named propellant, payload, ballast, hull …."""
    whole, anywhere = _load_words()
    for at in [item, *bom.tree.ancestors(item)][:-1]:
        for name in (bom.ids[at], "" if bom.names is None else bom.names[at]):
            text = name.casefold()
            if whole & set(re.findall(r"[^\W_]+", text)) or any(word in text for word in anywhere):
                return True
    return False


def _median(values: _Floats) -> float:
    """Return the middle value, NaN if a value is."""
    # np.median and np.quantile load masked arrays, which takes longer than a small table
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[-1] if np.isnan(ordered[-1]) else (ordered[~half] + ordered[half]) / 2)


def _report_slip(bom: Bom, leaves: _LeafMasses, slip: _UnitSlip, findings: Findings) -> None:
    """Report a mass that a second number contradicts by a factor of units."""
    number, mass, name = assembly_masses.mass_formatter(bom), float(bom.bodies.mass[slip.item]), bom.ids[slip.item]
    right, share = number(mass / slip.factor), float(leaves.parts[leaves.items == slip.item].sum()) / leaves.total
    share_text = f" ({100 * share:.3g} % of the mass)" if share > _HEAVY_SHARE else ""
    message = f"mass of {name} differs from another number by a factor of {slip.words}: {number(mass)}{share_text}"
    message += f"; {slip.because} {right}"
    remedy = f"check whether the mass of {name} is {number(mass)} or {right}"
    assembly_masses.report_mass("MP421", bom, slip.item, message, findings, remedy=remedy)


def _report_dominant_leaf(bom: Bom, leaves: _LeafMasses, position: int, findings: Findings) -> None:
    """Report a leaf that outweighs all others."""
    number, item = assembly_masses.mass_formatter(bom), int(leaves.items[position])
    part, median = float(leaves.parts[position]), _median(np.delete(leaves.parts, position))
    others = f"the other {len(leaves.items) - 1:,} leaves, {number(median)}"
    message = f"mass of {bom.ids[item]} is {100 * part / leaves.total:.3g} % of the total: {number(part)} "
    message += f"({part / median:,.0f} times the median of {others})"
    assembly_masses.report_mass("MP422", bom, item, message, findings)
