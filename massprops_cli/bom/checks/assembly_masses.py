"""Masses in the rows of assemblies: a total near the sum of the children, or the mass of a body next to them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import item_cell_place, occurrence_counts
from massprops_cli.files.table import Floats, Mask, Rows
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.cells.number_text import PLAIN_NUMBER
from massprops_cli.tables.options import is_output_heading
from massprops_cli.tables.rows.total_rows import label_word_positions, possible_label_kind, row_commands

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom


_NEAR_TOLERANCE = 0.1  # a mass that differs by a larger share from the sum of the children is not their total
_SUM_ROUNDING = 1e-9  # relative rounding of the order of summation and of unit conversion


class _StatedAssemblyMasses(NamedTuple):
    """The k assemblies whose rows state a mass, and what is stated directly below them."""

    items: Rows  # (k,)
    masses: Floats  # (k,) as stated
    below: Floats  # (k,) Σ stated masses below × quantities
    is_whole: Mask  # (k,) none of those is blank
    over: Rows  # (n,) nearest such assembly above each item, −1: none


def check_own_masses(bom: Bom, findings: Findings) -> None:
    """Report that most assemblies state masses that are not totals of their children, with the command for each use."""
    if bom.options.assembly_values or bom.options.qty_column:  # of several variants, one alone has these totals
        return
    stating = stated_assembly_masses(bom)
    if not len(no_totals := _body_mass_positions(bom, stating)):
        return
    voters = _voter_count(stating, no_totals)
    if 2 * len(no_totals) <= voters or _is_rolled_up(bom):
        return
    if voters == 1 and _is_edited_mass(bom, int(stating.items[no_totals[0]])):
        return
    checked, own = _alternative_root_masses(bom, stating)
    if abs(own - checked) <= _SUM_ROUNDING * abs(own):
        return
    what = "mass of the assembly is" if voters == 1 else f"masses of {len(no_totals):,} of {voters:,} assemblies are"
    what = f"{what} not the sum of those of the children"
    _report_own_masses(bom, stating, (no_totals, what), (checked, own), findings)


def check_new_assemblies(before: Bom, bom: Bom, findings: Findings) -> None:
    """Report leaves with a mass that a change makes assemblies: the children replace it, or are next to it."""
    if bom.options.assembly_values or "mass" not in bom.written:
        return
    old = {name for name, is_leaf in zip(before.ids, before.tree.is_leaf().tolist(), strict=True) if not is_leaf}
    stating = stated_assembly_masses(bom)
    if len(new := np.flatnonzero([bom.ids[i] not in old for i in stating.items.tolist()])):
        totals = _alternative_root_masses(bom, stating)
        _report_own_masses(bom, stating, (new, "leaf with a mass of its own gets children"), totals, findings)


def _voter_count(stating: _StatedAssemblyMasses, no_totals: Rows) -> int:
    """Count the assemblies that distinguish totals from bodies."""
    # an assembly that agrees with one below it that is not a total is not counted: two links of a robot may be equal
    votes = stating.is_whole | (stating.below != 0)
    if len(no_totals) < 2:
        return int(votes.sum())
    above = stating.over[stating.items[no_totals]]
    agrees = np.ones(len(stating.items), bool)
    agrees[no_totals] = False
    return int((votes & ~(agrees & np.isin(stating.items, above))).sum())


def stated_assembly_masses(bom: Bom) -> _StatedAssemblyMasses:
    """Collect the assemblies, without weighed ones, that state a mass other than 0, with the sums below them."""
    items, mass, leaf = bom.written["mass"][0], bom.bodies.mass, bom.tree.is_leaf()
    weighed = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    states = np.zeros(len(bom), bool)
    states[items] = (mass[items] != 0) & np.isfinite(mass[items])
    ends = states | leaf | weighed
    over, times = _nearest_ancestors(bom.tree.parent, bom.quantity.count, ends)
    counted = np.flatnonzero(ends & (over >= 0) & (times != 0))
    has = bom.states_mass | states
    known = counted[has[counted]]
    below = np.bincount(over[known], times[known] * mass[known], minlength=len(bom)).astype(float)
    blank = np.zeros(len(bom), bool)
    blank[over[counted[~has[counted]]]] = True
    chosen = items[(states & ~weighed)[items]]
    return _StatedAssemblyMasses(chosen, mass[chosen], below[chosen], ~blank[chosen], over)


def _nearest_ancestors(parent: NDArray[np.integer], count: Floats, ends: Mask) -> tuple[Rows, Floats]:
    """Find for every item the nearest of some assemblies above it (-1: none), and how often that one counts it."""
    # ``ends (n,)`` are the items that the search stops at. The way up is halved in each step, so that a deep chain is
    # not slow; what is on a loop of parents counts 0 times.
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


def _body_mass_positions(bom: Bom, stating: _StatedAssemblyMasses) -> Rows:
    """Find the positions in ``stating`` of masses that cannot be totals, in the order of the table."""
    # with a blank mass below, only a mass smaller than what is known is none; a total rounded to its last digit is one
    off = stating.masses - stating.below
    beyond = np.abs(off) > _NEAR_TOLERANCE * np.abs(stating.below)
    suspects = np.flatnonzero(beyond & (stating.is_whole | ((stating.below > 0) & (off < 0))))
    column = bom.columns.by_quantity["mass"]
    pieces = np.ones(len(bom)) if bom.pieces is None else bom.pieces
    suspects = suspects[np.argsort(bom.rows[stating.items[suspects]], kind="stable")]
    half = [column.half_digit(bom.table, row) for row in bom.rows[stating.items[suspects]].tolist()]
    kept: Rows = suspects[np.abs(off[suspects]) > np.array(half, float) / pieces[stating.items[suspects]]]
    return kept


def _is_rolled_up(bom: Bom) -> bool:
    """Return whether a roll-up filled the assembly rows: the file has the name or the marks of an output."""
    # a table with columns of totals next to the rows' own numbers is an output of ``--config assembly-values=own``
    if any(text.startswith("total_") and is_output_heading(text) for text in map(str.strip, bom.columns.header)):
        return False
    if (info := bom.table.sheet_info) is not None:
        column, rows = bom.columns.by_quantity["mass"].index, bom.rows[bom.written["mass"][0]]
        return any((row, column) in info.computed for row in rows.tolist())
    return PurePath(bom.table.source.name).stem.endswith(".rollup")


def _is_edited_mass(bom: Bom, item: int) -> bool:
    """Return whether another mass of one leaf makes an assembly's mass and centre those of its children."""
    # so it is where a roll-up wrote both and a leaf was edited afterwards
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
    left = np.abs(moment + (mass - masses.sum()) * arms).max(axis=1)
    size = np.abs(center[[item, *children.tolist()]]).max() * max(abs(mass), float(np.abs(masses).sum()))
    apart = np.abs(arms).max(axis=1) > _SUM_ROUNDING * np.abs(arms).max(initial=0.0)  # at the centre any mass fits
    return bool((apart & (left <= _SUM_ROUNDING * size)).any())


def _alternative_root_masses(bom: Bom, stating: _StatedAssemblyMasses) -> tuple[float, float]:
    """Return the mass of the whole with the assemblies' masses replaced (check), and with them added (own)."""
    mass, checked = _masses_in_root(bom)
    return checked, checked + float(mass[stating.items].sum())


def _masses_in_root(bom: Bom) -> tuple[Floats, float]:
    """Return every item's mass in one piece of the root (n,), and the sum of those that go up."""
    has_weighed = bom.stated is not None and bom.stated.any()
    mass = bom.bodies.mass * (occurrence_counts(bom) if has_weighed else bom.tree.path_quantities(bom.quantity).count)
    return mass, float(mass[bom.ends & bom.states_mass].sum())


def check_root_quantity(bom: Bom, findings: Findings) -> None:
    """Ask whether the only top row with a quantity other than 1 is one piece, or all of them."""
    root, column = int(bom.tree.order[0]), bom.columns.by_quantity.get("qty")
    if bom.options.root or column is None or bom.rows[root] < 0:
        return
    number = PLAIN_NUMBER.match(bom.table.text(int(bom.rows[root]), column.index).strip())  # 2 of "2 pcs"
    count = float(number[0]) if number else 1.0
    mass = 0.0 if count in (0.0, 1.0) else _masses_in_root(bom)[1]
    if mass == 0:
        return
    name, words = bom.ids[root], mass_formatter(bom)
    one, all_of_it = shlex.quote(name), shlex.quote(f"{name} x {count:g}")
    ways = f"--root {one} for one", f"--config make-root={all_of_it} for all"
    message = f"quantity of the root is {count:g}: mass of one {words(mass)}, of all {words(mass * count)}"
    remedy = f"{bom.table.source.run_remedy(*ways)}, or set the quantity to 1"
    place = item_cell_place(bom.table, int(bom.rows[root]), column.index, column.header)
    findings.report("MP252", message, place, item=name, value=f"{count:g}", remedy=remedy)


def _report_own_masses(
    bom: Bom, stating: _StatedAssemblyMasses, votes: tuple[Rows, str], totals: tuple[float, float], findings: Findings
) -> None:
    """Report which assemblies state masses that are not totals, and print both commands with their totals."""
    # ``votes`` are those assemblies and what they are, ``totals`` the mass of the whole either way
    (no_totals, what), (checked, own) = votes, totals
    number = mass_formatter(bom)
    cases = []
    for k in no_totals[:3].tolist():
        stated, below = number(float(stating.masses[k])), number(float(stating.below[k]))
        cases.append(f"{bom.ids[int(stating.items[k])]} {stated} (children: {below})")
    more = f"; and {len(no_totals) - len(cases):,} more" if len(no_totals) > len(cases) else ""
    message = f"{what}: {'; '.join(cases)}{more}"
    command = bom.options.command_with(bom.table.source.name, "assembly-values")
    remedy = f"run {command('own')} if each row has a mass of its own next to its children (total {number(own)}), "
    remedy += f"or {command('check')} if the children replace it (total {number(checked)})"
    if len(no_totals) < len(stating.items):
        remedy += "; where other rows state totals, add a mass next to the children as a row below, with check"
    item, count = int(stating.items[no_totals[0]]), len(no_totals)
    report_mass("MP420", bom, item, message, findings, remedy=remedy, count=count)


def report_mass(
    rule: str, bom: Bom, item: int, message: str, findings: Findings, *, remedy: str | None = None, count: int = 1
) -> None:
    """Report a finding about the mass in the row of an item."""
    column, row = bom.columns.by_quantity["mass"], int(bom.rows[item])
    place = item_cell_place(bom.table, row, column.index, column.header)
    value = bom.table.text(row, column.index).strip() if row >= 0 else ""
    findings.report(rule, message, place, value=value, item=bom.ids[item], remedy=remedy, count=count)


def mass_formatter(bom: Bom) -> Callable[[float], str]:
    """Make a function that writes a mass in the unit of the masses' column."""
    column = bom.columns.by_quantity["mass"]
    size, unit = (column.factor, column.unit) if column.by_row is None else (1.0, bom.units.mass)

    def number(mass: float) -> str:
        return f"{mass / size:.9g}{unit and f' {unit}'}"

    return number


def check_counted_totals(bom: Bom, findings: Findings) -> None:
    """Report leaves named as sums with the mass of their siblings, which ``--count-row`` confirms or ``--skip-row``."""
    names = bom.names if bom.names is not None and any(bom.names) else bom.ids
    leaf, over, counted = bom.tree.is_leaf(), bom.tree.parent, bom.options.count_rows
    possible = [i for i in sorted(label_word_positions(list(names))) if leaf[i] and over[i] >= 0 and bom.rows[i] >= 0]
    of_sums = [i for i in possible if possible_label_kind(names[i]) in ("total", "subtotal")]
    labelled = [i for i in of_sums if names[i] not in counted and bom.bodies.mass[i]]
    if not labelled:
        return
    masses = np.where(leaf, bom.bodies.mass * occurrence_counts(bom), 0.0)
    own = masses[labelled]
    masses[labelled] = 0.0
    masses = bom.tree.subtree_sums(masses)
    for i, mass in zip(labelled, own.tolist(), strict=True):
        row = int(bom.rows[i])
        # the parts above it: the last one or more, or those of the assembly above
        above = [k for k in bom.tree.children(int(over[i])).tolist() if bom.rows[k] < row and masses[k]]
        sums = np.append(np.cumsum(masses[above][::-1])[leaf[above[-1:]].sum() :], masses[over[i]])
        allowed = bom.columns.by_quantity["mass"].half_digit(bom.table, row) + _SUM_ROUNDING * abs(mass)
        if (np.abs(sums - mass) <= allowed).any():
            message = f"row named as a sum has the mass of other parts of {bom.ids[over[i]]}: {names[i]}"
            remedy = row_commands(bom.table, bom.columns.first_row, [row], ({row}, ()))
            findings.report("MP257", message, bom.table.place(row), value=names[i], remedy=remedy)
