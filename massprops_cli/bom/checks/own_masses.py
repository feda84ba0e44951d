"""Assembly rows with a mass of their own, such as the links of a robot, which are bodies and not totals.

A mass in an assembly row is a total, or the mass of a body next to its children. A total is near the sum of the masses
of the children.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items import Content, item_cell_place
from massprops_cli.findings import Findings
from massprops_cli.tables import OUTPUT_PREFIXES, half_unit_of_cell

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Indices = NDArray[np.intp]

_NEAR_TOLERANCE = 0.1
"""A mass that differs by a larger share from the sum of the children is not their total."""
_SUM_ROUNDING = 1e-9
"""Relative rounding of the order of summation and of unit conversion."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StatedAssemblyMasses:
    """Assemblies whose rows state a mass, and what is stated directly below them.

    ``items (k,)`` are the assemblies, ``masses (k,)`` what their rows state; ``below (k,)`` is the sum of the masses
    below × quantities, of rows that state one. ``is_whole (k,)`` is True if none of these is blank. ``over (n,)`` is
    the nearest such assembly above every item (−1: none), which counts it ``times (n,)``.
    """

    items: _Indices
    masses: _Floats
    below: _Floats
    is_whole: _Mask
    over: _Indices
    times: _Floats


def check_own_masses(
    bom: Content, stating: StatedAssemblyMasses, explained: Collection[int], findings: Findings
) -> None:
    """Report that most assemblies state masses that are not totals of their children, with the command for each use.

    Those ``explained`` by a slip in one of their children state totals. Nothing is reported where ``--assembly-values``
    decides, for a table that a roll-up filled and of which one leaf was edited, and where both readings agree.
    """
    if bom.options.assembly_values or bom.options.qty_column:  # of several variants, one alone has these totals
        return
    no_totals = _body_mass_positions(bom, stating)
    no_totals = no_totals[[int(item) not in explained for item in stating.items[no_totals]]]
    if not len(no_totals):
        return
    voters = _voter_count(stating, no_totals)
    if 2 * len(no_totals) <= voters or _is_rolled_up(bom):
        return
    if voters == 1 and _is_edited_mass(bom, int(stating.items[no_totals[0]])):
        return
    checked, own = _alternative_root_masses(bom, stating)
    if abs(own - checked) <= _SUM_ROUNDING * abs(own):
        return
    _report_own_masses(bom, stating, (no_totals, voters), (checked, own), findings)


def _voter_count(stating: StatedAssemblyMasses, no_totals: _Indices) -> int:
    """Return the number of assemblies that distinguish totals from bodies.

    An assembly that agrees with one below it that is not a total is not counted: two links of a robot may be equal.
    """
    votes = stating.is_whole | (stating.below != 0)
    if len(no_totals) < 2:
        return int(votes.sum())
    above = stating.over[stating.items[no_totals]]
    agrees = np.ones(len(stating.items), bool)
    agrees[no_totals] = False
    return int((votes & ~(agrees & np.isin(stating.items, above))).sum())


def stated_assembly_masses(bom: Content) -> StatedAssemblyMasses:
    """Return the assemblies that state a mass other than 0, weighed ones left out, with the sums stated below them.

    An assembly that states no mass, or 0, is replaced by what is below it.
    """
    items, mass, leaf = bom.written["mass"][0], bom.bodies.mass, bom.tree.is_leaf()
    weighed = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    states = np.zeros(len(bom), bool)
    states[items] = (mass[items] != 0) & np.isfinite(mass[items])
    ends = states | leaf | weighed
    over, times = nearest_ancestors(bom.tree.parent, bom.quantity.count, ends)
    counted = np.flatnonzero(ends & (over >= 0) & (times != 0))
    has = np.ones(len(bom), bool) if bom.bodies.has_mass is None else bom.bodies.has_mass | states
    known = counted[has[counted]]
    below = np.bincount(over[known], times[known] * mass[known], minlength=len(bom)).astype(float)
    blank = np.zeros(len(bom), bool)
    blank[over[counted[~has[counted]]]] = True
    chosen = items[(states & ~weighed)[items]]
    return StatedAssemblyMasses(chosen, mass[chosen], below[chosen], ~blank[chosen], over, times)


def nearest_ancestors(parent: NDArray[np.integer], count: _Floats, ends: _Mask) -> tuple[_Indices, _Floats]:
    """Return for every item the nearest of some assemblies above it (−1: none), and how often that one counts it.

    ``ends (n,)`` are the items that the search stops at. The way up is halved in each step, so that a deep chain is
    not slow; what is on a loop of parents counts 0 times.

    >>> ends = np.array([True, False, False, True])
    >>> over, times = nearest_ancestors(np.array([-1, 0, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0]), ends)
    >>> over.tolist(), times.tolist()
    ([-1, 0, 0, 0], [1.0, 2.0, 6.0, 24.0])
    """
    n = len(parent)
    up = np.append(np.where(parent < 0, n, parent), n).astype(np.intp)
    times = np.append(count, 1.0)
    stops = np.append(ends, True)
    for _ in range(n.bit_length() + 1):  # no way up has more than n steps, unless it is a loop
        if not len(on := np.flatnonzero(~stops[up])):
            break
        with np.errstate(over="ignore", invalid="ignore"):
            times[on], up[on] = times[on] * times[up[on]], up[up[on]]
    over = up[:-1]
    return np.where(stops[over] & (over < n), over, -1), np.where(stops[over], times[:-1], 0.0)


def _body_mass_positions(bom: Content, stating: StatedAssemblyMasses) -> _Indices:
    """Return the positions in ``stating`` of masses that cannot be totals, in the order of the table.

    With a blank mass below, only a mass smaller than what is known is none; a total rounded to its last digit is one.
    """
    off = stating.masses - stating.below
    beyond = np.abs(off) > _NEAR_TOLERANCE * np.abs(stating.below)
    suspects = np.flatnonzero(beyond & (stating.is_whole | ((stating.below > 0) & (off < 0))))
    column = bom.columns.by_quantity["mass"]
    pieces = np.ones(len(bom)) if bom.pieces is None else bom.pieces
    kept = [
        k
        for k, item in zip(suspects.tolist(), stating.items[suspects].tolist(), strict=True)
        if abs(off[k]) > _mass_half_digit(bom, item) / pieces[item] * column.size(int(bom.rows[item]))
    ]
    return np.array(sorted(kept, key=lambda k: int(bom.rows[stating.items[k]])), np.intp)


def _mass_half_digit(bom: Content, item: int) -> float:
    column = bom.columns.by_quantity["mass"]
    return half_unit_of_cell(bom.table.text(int(bom.rows[item]), column.index), column.rules)


def _is_rolled_up(bom: Content) -> bool:
    """Return whether a roll-up filled the assembly rows: the file has the name or the marks of an output.

    A table with columns of totals next to the rows' own numbers is an output of ``--assembly-values own``.
    """
    if any(text.strip().startswith(OUTPUT_PREFIXES[0]) for text in bom.columns.header):
        return False
    info = bom.table.sheet_info
    if info is not None:
        column, rows = bom.columns.by_quantity["mass"].index, bom.rows[bom.written["mass"][0]]
        return any((row, column) in info.computed for row in rows.tolist())
    return PurePath(bom.table.source.name).stem.endswith(".rollup")


def _is_edited_mass(bom: Content, item: int) -> bool:
    """Return whether another mass of one leaf makes an assembly's mass and centre those of its children.

    So it is where a roll-up wrote both and a leaf was edited afterwards.
    """
    center, has = bom.bodies.center, bom.bodies.has_center
    children = np.flatnonzero(bom.tree.parent == item)
    if center is None or not all(item in bom.written.get(name, ((),))[0] for name in ("Cx", "Cy", "Cz")):
        return False
    if not bom.tree.is_leaf()[children].all() or not (has is None or has[children].all()):
        return False
    masses = bom.bodies.mass[children] * bom.quantity.count[children]
    mass = float(bom.bodies.mass[item])
    # moments about the assembly's centre, in which a digit of the origin's distance is not lost
    arms = center[children] - center[item]
    moment = (masses[:, None] * arms).sum(axis=0)
    other = mass - masses.sum()
    left = np.abs(moment + other * arms).max(axis=1)
    size = np.abs(center[[item, *children.tolist()]]).max() * max(abs(mass), float(np.abs(masses).sum()))
    apart = np.abs(arms).max(axis=1) > _SUM_ROUNDING * np.abs(arms).max(initial=0.0)  # at the centre any mass fits
    return bool((apart & (left <= _SUM_ROUNDING * size)).any())


def _alternative_root_masses(bom: Content, stating: StatedAssemblyMasses) -> tuple[float, float]:
    """Return the mass of the whole with the assemblies' masses replaced (check), and with them added (own)."""
    n = len(bom)
    ends = np.zeros(n, bool)
    root = int(bom.tree.order[0])
    ends[root] = True
    _, times = nearest_ancestors(bom.tree.parent, bom.quantity.count, ends)
    times[root] = 1.0
    weighed = np.zeros(n, bool) if bom.stated is None else bom.stated
    if weighed.any():
        from massprops_cli.bom.checks.totals import occurrence_counts

        times = occurrence_counts(bom)
    mass = bom.bodies.mass * times
    has = np.ones(n, bool) if bom.bodies.has_mass is None else bom.bodies.has_mass
    checked = float(mass[(bom.tree.is_leaf() | weighed) & has].sum())
    return checked, checked + float(mass[stating.items].sum())


def _report_own_masses(
    bom: Content,
    stating: StatedAssemblyMasses,
    votes: tuple[_Indices, int],
    totals: tuple[float, float],
    findings: Findings,
) -> None:
    """Report which assemblies state masses that are not totals, and print both commands with their totals.

    ``votes`` are those assemblies and the number of all that count, ``totals`` the mass of the whole either way.
    """
    (no_totals, voters), (checked, own) = votes, totals
    column = bom.columns.by_quantity["mass"]
    row = int(bom.rows[stating.items[no_totals[0]]])
    number = mass_formatter(bom)
    cases = []
    for k in no_totals[:3].tolist():
        item = int(stating.items[k])
        cases.append(
            f"{bom.ids[item]} {number(float(stating.masses[k]))} (children: {number(float(stating.below[k]))})"
        )
    more = f"; and {len(no_totals) - len(cases):,} more" if len(no_totals) > len(cases) else ""
    what = "mass of the assembly is"
    if voters > 1:
        what = f"masses of {len(no_totals):,} of {voters:,} assemblies are"
    message = f"{what} not the sum of those of the children: {'; '.join(cases)}{more}"
    command = bom.options.command_with(bom.table.source.name, "--assembly-values")
    remedy = (
        f"type {command('own')} if each row has a mass of its own next to its children (total {number(own)}), "
        f"or {command('check')} if the children replace it (total {number(checked)})"
    )
    findings.report(
        "MP420",
        message,
        item_cell_place(bom.table, row, column.index, column.header),
        value=bom.table.text(row, column.index).strip(),
        item=bom.ids[int(stating.items[no_totals[0]])],
        count=len(no_totals),
        remedy=remedy,
    )


def mass_formatter(bom: Content) -> Callable[[float], str]:
    """Return what writes a mass in the unit of the masses' column."""
    column = bom.columns.by_quantity["mass"]
    size, unit = (column.factor, column.unit) if column.by_row is None else (1.0, bom.units.mass)

    def number(mass: float) -> str:
        return f"{mass / size:.9g}{unit and f' {unit}'}"

    return number
