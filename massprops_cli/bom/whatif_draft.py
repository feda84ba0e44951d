"""The items of a table with changes in them: numbers set, masses scaled, items dropped.

Sigmas in percent of a value, by method or from bounds, tensors about a stated point and checks of a cell against its
neighbours follow from several cells of a row. So an edit is made in the table, and its rows are read as all others are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.assembly import read_item_bodies
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.changed_table import (
    GROWTH,
    change_number,
    edited_table,
    find_named_item,
    finite_change_number,
    split_change_name,
)
from massprops_cli.bom.checks.interpretation import quantities_per_parent
from massprops_cli.bom.items.growth import read_growth
from massprops_cli.bom.items.item_flags import ItemFlags, is_measured_quantity, masses_from_quantities, point_text
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.findings.finding import Finding, Findings, FindingsError, Severity, UsageError, nearest_name_hint
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.rollups.subtotals import path_quantities
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.trees.tree import ItemQuantity

_Edits = Mapping[int, Mapping[str, float]]
"""Numbers by item and quantity, each in the unit of its column."""


class _EditedRows(NamedTuple):
    """Some ``items (k,)`` with the numbers that their edited rows give, and what is wrong with these rows."""

    items: NDArray[np.intp]
    bodies: Bodies
    sigmas: Sigmas | None
    growth: NDArray[np.float64] | None
    findings: Sequence[Finding]


def _read_edited_rows(bom: Bom, edits: _Edits, quantity: ItemQuantity) -> Iterator[_EditedRows]:
    """Read the rows of edited items again, those of one row one after another; ``quantity`` is what counts now."""
    remaining = sorted(edits)
    while remaining:
        by_row = {int(bom.rows[i]): i for i in reversed(remaining)}
        chosen = sorted(by_row.values())
        remaining = [i for i in remaining if i not in chosen]
        yield _read_distinct_rows(bom, {i: edits[i] for i in chosen}, quantity)


def _read_distinct_rows(bom: Bom, edits: _Edits, quantity: ItemQuantity) -> _EditedRows:
    """Read edited items again, of which each has a row of its own."""
    at = np.array(list(edits), np.intp)
    column = bom.columns.by_quantity
    values = {(int(bom.rows[i]), column[name].index): x for i, new in edits.items() for name, x in new.items()}
    table = edited_table(bom.table, values, column[GROWTH].index if GROWTH in column else None)
    items = ItemRows(table, bom.columns, bom.rows[at], [bom.ids[i] for i in at.tolist()])
    marks = _edited_item_flags(bom, at, quantity, items)
    findings = Findings()
    bodies, sigmas = read_item_bodies(items, marks, bom.options, findings)
    if bom.pieces is not None:
        pieces = quantity.count[at] if bom.options.qty_is != "total" else bom.pieces[at]
        bodies.mass[:] /= np.where(pieces == 0, 1.0, np.abs(pieces))
    growth = None if bom.growth is None else read_growth(items, marks, bom.options, findings)
    return _EditedRows(at, bodies, None if bom.sigmas is None else sigmas, growth, findings)


def _edited_item_flags(bom: Bom, at: NDArray[np.intp], quantity: ItemQuantity, items: ItemRows) -> ItemFlags:
    """Return the marks of some items whose own numbers go up; their flags and signs are not edited."""
    none = np.zeros(len(at), bool)
    return ItemFlags(
        replace(quantity, count=quantity.count[at], measured=quantity.measured[at]),
        bom.bodies.is_point[at],
        None if bom.point_blank is None else bom.point_blank[at],
        bom.sign[at],
        none,
        none,
        ~none,
        None if bom.layout == "edges" else masses_from_quantities(items),
    )


_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_T = TypeVar("_T", bound=np.generic)


@dataclass(eq=False, repr=False)
class WhatIfDraft:
    """All items with the changes in them."""

    bom: Bom
    bodies: Bodies
    sigmas: Sigmas | None
    count: NDArray[np.float64]
    measured: _Mask
    growth: _Floats | None = None
    changed: set[int] = field(default_factory=set)  # item numbers
    edits: dict[int, dict[str, float]] = field(default_factory=dict)  # by item, in the units of the columns
    counts: dict[int, float] = field(default_factory=dict)  # quantities by item
    scaled: list[tuple[list[int], float]] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)  # of the changed rows
    notes: list[str] = field(default_factory=list)  # describe the changes


def whatif_draft(bom: Bom, rolled: Rollup) -> WhatIfDraft:
    """Copy the numbers of all items, assemblies as they were rolled up, to be changed."""
    bodies, sigmas = rolled.bodies, rolled.sigmas
    copied = replace(
        bodies,
        mass=bodies.mass.copy(),
        center=_copy_array(bodies.center),
        inertia=_copy_array(bodies.inertia),
        has_mass=_copy_array(bodies.has_mass),
        has_center=_copy_array(bodies.has_center),
        has_inertia=_copy_array(bodies.has_inertia),
        has_products=_copy_array(bodies.has_products),
    )
    if sigmas is not None:
        sigmas = Sigmas(
            sigmas.mass.copy(), _copy_array(sigmas.center), _copy_array(sigmas.inertia), _copy_array(sigmas.known)
        )
    quantity = bom.quantity
    return WhatIfDraft(bom, copied, sigmas, quantity.count.copy(), quantity.measured.copy(), _copy_array(bom.growth))


def _copy_array(array: NDArray[_T] | None) -> NDArray[_T] | None:
    """Copy an array that may be absent."""
    return None if array is None else array.copy()


def set_number(draft: WhatIfDraft, name: str, value: float | str) -> None:
    """Change one number of an item whose own numbers go up: a leaf, or a weighed assembly."""
    bom = draft.bom
    item, quantity = split_change_name(bom, name)
    value = change_number(bom, item, quantity, value, name)
    if item in draft.edits and quantity in draft.edits[item]:
        raise UsageError(f"value is assigned twice: {quantity} of {bom.ids[item]}")
    draft.changed.add(item)
    if quantity == "qty":
        if item in draft.counts:
            raise UsageError(f"value is assigned twice: qty of {bom.ids[item]}")
        draft.counts[item] = value
        draft.notes.append(f"{name} {_stated_cell_text(bom, item, quantity) or f'{draft.count[item]:g}'} → {value:g}")
        return
    _check_number(bom, item, quantity, value)
    if quantity.startswith("sigma_") and draft.sigmas is None:
        raise UsageError(f"{quantity} is not read, because sigma columns are missing or --uncertainty none is given")
    column = bom.columns.by_quantity[quantity]
    draft.edits.setdefault(item, {})[quantity] = value
    unit = " %" if quantity == GROWTH else f" {column.unit_at(int(bom.rows[item]))}" if column.unit else ""
    before = _stated_cell_text(bom, item, quantity) or "blank"
    draft.notes.append(f"{name} {before} → {value:g}{unit}{_unchanged_note(bom, quantity)}")


def _stated_cell_text(bom: Bom, item: int, quantity: str) -> str:
    """Return the cell of an item's quantity as it is written; empty for none."""
    column = bom.columns.by_quantity.get(quantity)
    row = int(bom.rows[item])
    return "" if column is None or row < 0 else bom.table.text(row, column.index).strip()


def _unchanged_note(bom: Bom, quantity: str) -> str:
    """State what a new mass or centre leaves as it is."""
    about = bom.options.inertia_about
    if bom.bodies.inertia is None or quantity not in (*MASS.columns, *(CENTER.columns if about is not None else ())):
        return ""
    return f", inertia about {point_text(about)} unchanged" if about is not None else ", inertia unchanged"


def _resolve_quantities(draft: WhatIfDraft) -> None:
    """Bring the quantities that were set, all together, to those of one parent."""
    bom, counts = draft.bom, draft.counts
    if not counts:
        return
    if bom.options.mass_is == "line":
        _check_row_total_counts(draft)
    measured = {item: is_measured_quantity(bom, item, value) for item, value in counts.items()}
    whole = bom.options.qty_is == "total"
    stated = path_quantities(bom.tree, bom.quantity).count if whole else draft.count
    if whole and bom.extra is not None:
        stated = np.where(bom.extra, draft.count, stated)
    for item, value in counts.items():
        stated[item], draft.measured[item] = value, measured[item]
    if whole:
        after = quantities_per_parent(replace(bom, quantity=ItemQuantity(stated, draft.measured))).count
        draft.changed.update(np.flatnonzero(after != draft.count).tolist())
        draft.count[:] = after


def _check_row_total_counts(draft: WhatIfDraft) -> None:
    """Reject a new quantity with a mass of all pieces, unless the mass is set too."""
    bom = draft.bom
    for item, value in draft.counts.items():
        if value != 0 and bom.tree.is_leaf()[item] and "mass" not in draft.edits.get(item, {}):
            name = bom.ids[item]
            raise UsageError(f"{name}.mass is the mass of all pieces with --mass-is line; set {name}.mass as well")


def _check_number(bom: Bom, item: int, quantity: str, value: float) -> None:
    """Reject a number that is computed, has no column, or is invalid in a table."""
    name, label = bom.ids[item], "growth" if quantity == GROWTH else quantity
    if not bom.tree.is_leaf()[item] and not (bom.stated is not None and bom.stated[item]):
        raise UsageError(f"{label} of assembly {name} is computed; set one of its leaves, or use --scale")
    if quantity not in bom.columns.by_quantity:
        raise UsageError(f"column is missing: {label}")
    if quantity.removeprefix("sigma_") in INERTIA.columns and bom.bodies.is_point[item]:
        raise UsageError(f"point mass {name} has no {quantity}")
    if quantity == GROWTH and value < 0:
        raise UsageError(f"growth of {name} is negative: {value:g} %")
    if quantity == "mass" and value < 0 and not bom.options.allow_negative_mass:
        raise UsageError(f"value of {name}.mass is negative: {value:g} (needs --allow-negative-mass)")
    if quantity.startswith("sigma_") and value < 0:
        raise UsageError(f"value of {name}.{quantity} is negative: {value:g}")


def _read_edits(draft: WhatIfDraft) -> None:
    """Read the rows with edited numbers again into the draft; raises FindingsError where a row has new errors."""
    bom = draft.bom
    leaf = bom.tree.is_leaf()
    counted: dict[int, dict[str, float]] = {i: {} for i in draft.counts if leaf[i] and bom.rows[i] >= 0}
    edits = {**counted, **draft.edits}  # several pieces of a body are checked as their row is
    if not edits:
        return
    known = {(finding.rule, finding.item) for finding in bom.findings}
    for rows in _read_edited_rows(bom, edits, ItemQuantity(draft.count, draft.measured)):
        new = [f for f in rows.findings if f.severity is not Severity.NOTE and (f.rule, f.item) not in known]
        if any(finding.severity is Severity.ERROR for finding in new):
            raise FindingsError(new)
        draft.findings += new
        _update_rows(draft, rows)


def _update_rows(draft: WhatIfDraft, rows: _EditedRows) -> None:
    """Put the numbers of rows that were read again into the draft."""
    n, at = len(draft.bom), rows.items
    draft.bodies = replace(
        draft.bodies,
        mass=_replace_rows(draft.bodies.mass, rows.bodies.mass, at),
        center=_replace_rows(draft.bodies.center, rows.bodies.center, at),
        inertia=_replace_rows(draft.bodies.inertia, rows.bodies.inertia, at),
        has_mass=_replace_mask_rows(draft.bodies.has_mass, rows.bodies.has_mass, at, n),
        has_center=_replace_mask_rows(draft.bodies.has_center, rows.bodies.has_center, at, n),
        has_inertia=_replace_mask_rows(draft.bodies.has_inertia, rows.bodies.has_inertia, at, n),
        has_products=_replace_mask_rows(draft.bodies.has_products, rows.bodies.has_products, at, n),
    )
    draft.growth = _replace_rows(draft.growth, rows.growth, at)
    if draft.sigmas is not None and rows.sigmas is not None:
        draft.sigmas = Sigmas(
            _replace_rows(draft.sigmas.mass, rows.sigmas.mass, at),
            _replace_rows(draft.sigmas.center, rows.sigmas.center, at),
            _replace_rows(draft.sigmas.inertia, rows.sigmas.inertia, at),
            _replace_mask_rows(draft.sigmas.known, rows.sigmas.known, at, n),
        )


@overload
def _replace_rows(values: _Floats, new: _Floats, at: NDArray[np.intp]) -> _Floats: ...


@overload
def _replace_rows(values: _Floats | None, new: _Floats | None, at: NDArray[np.intp]) -> _Floats | None: ...


def _replace_rows(values: _Floats | None, new: _Floats | None, at: NDArray[np.intp]) -> _Floats | None:
    """Put other numbers into some rows, where both are known."""
    if values is not None and new is not None:
        values[at] = new
    return values


def _replace_mask_rows(mask: _Mask | None, new: _Mask | None, at: NDArray[np.intp], n: int) -> _Mask | None:
    """Put other marks into some rows of n; no mask means all."""
    if mask is not None:
        result = mask.copy()
    elif new is not None:
        result = np.ones((n, *new.shape[1:]), bool)
    else:
        return None
    result[at] = True if new is None else new
    return result


def scale_mass(draft: WhatIfDraft, name: str, factor: float) -> None:
    """Scale mass, inertia and their sigmas of every leaf, and every weighed assembly, at or below an item."""
    bom = draft.bom
    item, quantity = split_change_name(bom, name)
    if quantity != "mass":
        raise UsageError(f"--scale applies to mass only: {name} (inertia and sigmas are scaled with it)")
    factor = finite_change_number(f"factor of {name}", factor)
    if factor < 0:
        raise UsageError(f"factor of --scale {name} is negative: {factor:g}")
    leaves = bom.tree.leaves(item)
    weighed = np.zeros(0, np.intp)
    if bom.stated is not None:
        below = np.append(bom.tree.descendants(item), item)
        weighed = np.unique(below[bom.stated[below]])
    scaled = np.append(leaves, weighed)
    for holder in (draft.bodies, draft.sigmas):
        if holder is not None:
            holder.mass[scaled] *= factor
            if holder.inertia is not None:
                holder.inertia[scaled] *= factor
    draft.changed.update(scaled.tolist())
    draft.scaled.append((scaled.tolist(), factor))
    and_weighed = (
        f" and {len(weighed):,} weighed {'assembly' if len(weighed) == 1 else 'assemblies'}" if len(weighed) else ""
    )
    draft.notes.append(
        f"mass, inertia and their sigmas of {len(leaves):,} {'leaf' if len(leaves) == 1 else 'leaves'}{and_weighed} "
        f"at or below {bom.ids[item]} × {factor:g}"
    )


def drop_item(draft: WhatIfDraft, name: str) -> None:
    """Leave an item out, and all below it."""
    bom = draft.bom
    item = find_named_item(bom, name)
    if item == int(bom.tree.order[0]):
        raise UsageError(f"root cannot be dropped: {name}")
    draft.count[item] = 0.0
    draft.dropped.append(item)
    draft.changed.add(item)
    draft.notes.append(f"{name} dropped")


def apply_changes(draft: WhatIfDraft) -> None:
    """Apply the numbers that were set, all together, whatever their order, and report which changes stay below."""
    for item, edits in draft.edits.items():
        _check_complete_set(draft, item, edits)
    _resolve_quantities(draft)
    _read_edits(draft)


def _check_complete_set(draft: WhatIfDraft, item: int, given: Mapping[str, float]) -> None:
    """Reject an incomplete set of values in place of blank cells."""
    bom = draft.bom
    values = [s for s in (MASS, CENTER, INERTIA) if s.columns[0] in bom.columns.by_quantity]
    values = [s for s in values if s is not INERTIA or not bom.bodies.is_point[item]]
    for names in [s.columns[:3] for s in values]:
        set_of_them = [name for name in names if name in given]
        absent = [name for name in names if name not in given and not _stated_cell_text(bom, item, name)]
        if set_of_them and absent:
            raise UsageError(
                f"values of {bom.ids[item]} are incomplete: {', '.join(set_of_them)} (set {', '.join(absent)} as well)"
            )


_Texts = Sequence[str]


def condition_texts(conditions: Mapping[str, Mapping[str, _Texts]], name: str) -> Mapping[str, _Texts]:
    """Find the changes of a condition."""
    if name not in conditions:
        known = f" (expected one of {', '.join(conditions)})" if conditions else " (the configuration has no condition)"
        raise UsageError(f"unknown condition: {name}{nearest_name_hint(name, conditions) or known}")
    return conditions[name]


def parse_change_texts(texts: Mapping[str, _Texts]) -> dict[str, Any]:
    """Parse changes into the keywords of ``whatif``."""
    return {
        "set": _assignments(texts.get("set", ()), "--set"),
        "scale": _factors(texts.get("scale", ())),
        "drop": tuple(texts.get("drop", ())),
        "add": tuple(texts.get("add", ())),
        "move": _moves(texts.get("move", ())),
    }


def _assignments(texts: _Texts, option: str) -> Mapping[str, float | str]:
    """Parse the assignments of a repeated option; each name may occur once."""
    found: dict[str, float | str] = {}
    for text in texts:
        name, value = _assignment(text, option)
        if name in found:
            raise UsageError(f"{option} assigns a value twice: {name}")
        found[name] = value
    return found


def _moves(texts: _Texts) -> Mapping[str, str]:
    """Parse ``ID=PARENT``; each item may be moved once."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, parent = (part.strip() for part in text.rpartition("="))
        if not (name and equals and parent):
            raise UsageError(f"invalid --move: {text} (expected ID=PARENT)")
        if name in found:
            raise UsageError(f"--move has an item twice: {name}")
        found[name] = parent
    return found


def _factors(texts: _Texts) -> Mapping[str, float]:
    """Parse the factors of --scale, which are numbers without a unit."""
    found = {}
    for name, factor in _assignments(texts, "--scale").items():
        if isinstance(factor, str):
            raise UsageError(f"factor of --scale {name} is not a number: {factor} (such as 1.1)")
        found[name] = factor
    return found


def _assignment(text: str, option: str) -> tuple[str, float | str]:
    """Split ``ID.quantity=value`` of the command line into name and value: a number, or a text with a unit."""
    name, equals, value = text.rpartition("=")
    number = read_number(value)
    if not equals or not value.strip():
        raise UsageError(f"invalid {option}: {text} (expected ID.quantity=value, such as P.1.mass=2.2)")
    return name.strip(), value.strip() if number is None else number
