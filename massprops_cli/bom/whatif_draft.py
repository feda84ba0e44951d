"""The items of a table with changes in them: cells are edited, and their rows are read as all others are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom import changed_table
from massprops_cli.bom.assembly import read_item_bodies
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.checks.interpretation import counts_per_parent
from massprops_cli.bom.items.growth import read_growth
from massprops_cli.bom.items.item_flags import ItemFlags, is_measured_quantity, masses_from_quantities, point_text
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.findings.finding import Finding, Findings, FindingsError, Severity, UsageError, nearest_name_hint
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.trees.tree import ItemQuantity

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Holder = TypeVar("_Holder", Bodies, Sigmas)
_BODY_MASKS = ("has_mass", "has_center", "has_inertia", "has_products")
_Edits = Mapping[int, Mapping[str, float]]  # numbers by item and quantity, each in the unit of its column


def _read_distinct_rows(
    bom: Bom, edits: _Edits, quantity: ItemQuantity, findings: Findings
) -> tuple[NDArray[np.intp], Bodies, Sigmas | None, _Floats | None]:
    """Read edited items (k,) again, of which each has a row of its own: items, bodies, sigmas and growth (k,)."""
    at = np.array(list(edits), np.intp)
    column = bom.columns.by_quantity
    values = {(int(bom.rows[i]), column[name].index): x for i, new in edits.items() for name, x in new.items()}
    table = changed_table.edited_table(
        bom.table, values, column[changed_table.GROWTH].index if changed_table.GROWTH in column else None
    )
    items = ItemRows(table, bom.columns, bom.rows[at], [bom.ids[i] for i in at.tolist()])
    marks = _edited_item_flags(bom, at, quantity, items)
    bodies, sigmas = read_item_bodies(items, marks, bom.options, findings)
    if bom.pieces is not None:
        pieces = quantity.count[at] if bom.options.qty_is != "total" else bom.pieces[at]
        bodies.mass[:] /= np.where(pieces == 0, 1.0, np.abs(pieces))
    return at, bodies, sigmas, None if bom.growth is None else read_growth(items, marks, bom.options, findings)


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
    sigmas = None if rolled.sigmas is None else _copied(rolled.sigmas)
    quantity, growth = bom.quantity, None if bom.growth is None else bom.growth.copy()
    return WhatIfDraft(bom, _copied(rolled.bodies), sigmas, quantity.count.copy(), quantity.measured.copy(), growth)


def _copied(holder: _Holder) -> _Holder:
    """Copy the arrays of bodies or of sigmas."""
    arrays = {one.name: getattr(holder, one.name) for one in fields(holder)}
    return replace(holder, **{name: array.copy() for name, array in arrays.items() if array is not None})


def set_number(draft: WhatIfDraft, name: str, value: float | str) -> None:
    """Change one number of an item whose own numbers go up: a leaf, or a weighed assembly."""
    bom = draft.bom
    item, quantity = changed_table.split_change_name(bom, name)
    value = changed_table.change_number(bom, item, quantity, value, name)
    if item in draft.edits and quantity in draft.edits[item]:
        raise UsageError(f"value is assigned twice: {quantity} of {bom.ids[item]}")
    draft.changed.add(item)
    if quantity == "qty":
        if item in draft.counts:
            raise UsageError(f"value is assigned twice: qty of {bom.ids[item]}")
        draft.counts[item] = value
        before = stated_cell_text(bom, item, quantity) or f"{draft.count[item]:g}"
        draft.notes.append(f"{name} {before} → {value:g}")
        return
    _check_number(bom, item, quantity, value)
    if quantity.startswith("sigma_") and draft.sigmas is None:
        raise UsageError(f"{quantity} is not read, because sigma columns are missing or --uncertainty none is given")
    column = bom.columns.by_quantity[quantity]
    draft.edits.setdefault(item, {})[quantity] = value
    unit = (
        " %" if quantity == changed_table.GROWTH else f" {column.unit_at(int(bom.rows[item]))}" if column.unit else ""
    )
    before = stated_cell_text(bom, item, quantity) or "blank"
    draft.notes.append(f"{name} {before} → {value:g}{unit}{_unchanged_note(bom, quantity)}")


def stated_cell_text(bom: Bom, item: int, quantity: str) -> str:
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
    for item, value in counts.items() if bom.options.mass_is == "line" else ():
        if value != 0 and bom.tree.is_leaf()[item] and "mass" not in draft.edits.get(item, {}):
            name = bom.ids[item]
            raise UsageError(f"{name}.mass is the mass of all pieces with --mass-is line; set {name}.mass as well")
    measured = {item: is_measured_quantity(bom, item, value) for item, value in counts.items()}
    whole = bom.options.qty_is == "total"
    stated = bom.tree.path_quantities(bom.quantity).count if whole else draft.count
    if whole and bom.extra is not None:
        stated = np.where(bom.extra, draft.count, stated)
    for item, value in counts.items():
        stated[item], draft.measured[item] = value, measured[item]
    if whole:
        after = counts_per_parent(replace(bom, quantity=ItemQuantity(stated, draft.measured)))
        draft.changed.update(np.flatnonzero(after != draft.count).tolist())
        draft.count[:] = after


def _check_number(bom: Bom, item: int, quantity: str, value: float) -> None:
    """Reject a number that is computed, has no column, or is invalid in a table."""
    name, label = bom.ids[item], "growth" if quantity == changed_table.GROWTH else quantity
    if not bom.tree.is_leaf()[item] and not (bom.stated is not None and bom.stated[item]):
        raise UsageError(f"{label} of assembly {name} is computed; set one of its leaves, or use --scale")
    if quantity not in bom.columns.by_quantity:
        raise UsageError(f"column is missing: {label}")
    if quantity.removeprefix("sigma_") in INERTIA.columns and bom.bodies.is_point[item]:
        raise UsageError(f"point mass {name} has no {quantity}")
    if quantity == changed_table.GROWTH and value < 0:
        raise UsageError(f"growth of {name} is negative: {value:g} %")
    if quantity == "mass" and value < 0 and not bom.options.allow_negative_mass:
        raise UsageError(f"value of {name}.mass is negative: {value:g} (needs --config allow-negative-mass=true)")
    if quantity.startswith("sigma_") and value < 0:
        raise UsageError(f"value of {name}.{quantity} is negative: {value:g}")


def _read_edits(draft: WhatIfDraft) -> None:
    """Read the rows with edited numbers again into the draft; raises FindingsError where a row has new errors."""
    bom = draft.bom
    leaf = bom.tree.is_leaf()
    counted: dict[int, dict[str, float]] = {i: {} for i in draft.counts if leaf[i] and bom.rows[i] >= 0}
    edits = {**counted, **draft.edits}  # several pieces of a body are checked as their row is
    quantity = ItemQuantity(draft.count, draft.measured)
    while edits:  # those of one row, one after another
        by_row = {int(bom.rows[i]): i for i in sorted(edits, reverse=True)}
        chosen = {i: edits.pop(i) for i in sorted(by_row.values())}
        findings = Findings()
        at, bodies, sigmas, growth = _read_distinct_rows(bom, chosen, quantity, findings)
        draft.findings += new_findings_of(findings, bom)
        draft.bodies = _with_rows(draft.bodies, bodies, at)
        if draft.growth is not None and growth is not None:
            draft.growth[at] = np.where(np.isnan(growth), draft.growth[at], growth)  # a blank: of its assembly
        if draft.sigmas is not None and sigmas is not None:
            draft.sigmas = _with_rows(draft.sigmas, sigmas, at)


def new_findings_of(findings: Iterable[Finding], old: Bom) -> list[Finding]:
    """List the findings, notes apart, that a table did not have before a change; FindingsError if one is an error."""
    known = {(finding.rule, finding.item) for finding in old.findings}
    new = Findings(f for f in findings if f.severity is not Severity.NOTE and (f.rule, f.item) not in known)
    if new.has_errors:
        raise FindingsError(new)
    return new


def _with_rows(holder: _Holder, new: _Holder, at: NDArray[np.intp]) -> _Holder:
    """Put other numbers into some rows (k,) of n bodies or of their sigmas, and other marks: no mask means all."""
    masks: dict[str, Any] = {}
    own: NDArray[Any] | None
    other: NDArray[Any] | None
    for name in ("mass", "center", "inertia"):
        own, other = getattr(holder, name), getattr(new, name)
        if own is not None and other is not None:
            own[at] = other
    for name in _BODY_MASKS if isinstance(holder, Bodies) else ("known",):
        own, other = getattr(holder, name), getattr(new, name)
        if own is not None or other is not None:
            shape: tuple[int, ...] = () if other is None else other.shape[1:]
            masks[name] = np.ones((len(holder.mass), *shape), bool) if own is None else own.copy()
            masks[name][at] = True if other is None else other
    return replace(holder, **masks)


def scale_mass(draft: WhatIfDraft, name: str, factor: float) -> None:
    """Scale mass, inertia and their sigmas of every leaf, and every weighed assembly, at or below an item."""
    bom = draft.bom
    item, quantity = changed_table.split_change_name(bom, name)
    if quantity != "mass":
        raise UsageError(f"--scale applies to mass only: {name} (inertia and sigmas are scaled with it)")
    if (factor := changed_table.finite_change_number(f"factor of {name}", factor)) < 0:
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
    if (item := changed_table.find_changed_item(bom, name)) == int(bom.tree.order[0]):
        raise UsageError(f"root cannot be dropped: {name}")
    draft.count[item] = 0.0
    draft.dropped.append(item)
    draft.changed.add(item)
    draft.notes.append(f"{name} dropped")


def apply_changes(draft: WhatIfDraft) -> None:
    """Apply the numbers that were set, all together, whatever their order, and report which changes stay below."""
    for item, edits in draft.edits.items():
        bom = draft.bom
        values = [s for s in (MASS, CENTER, INERTIA) if s.columns[0] in bom.columns.by_quantity]
        values = [s for s in values if s is not INERTIA or not bom.bodies.is_point[item]]
        for names in [s.columns[:3] for s in values]:
            set_of_them = [name for name in names if name in edits]
            absent = [name for name in names if name not in edits and not stated_cell_text(bom, item, name)]
            if set_of_them and absent:
                further = f"(set {', '.join(absent)} as well)"
                raise UsageError(f"values of {bom.ids[item]} are incomplete: {', '.join(set_of_them)} {further}")
    _resolve_quantities(draft)
    _read_edits(draft)


_Texts = Sequence[str]
_Value = TypeVar("_Value")


def condition_texts(conditions: Mapping[str, Mapping[str, _Texts]], name: str) -> Mapping[str, _Texts]:
    """Find the changes of a condition."""
    if name not in conditions:
        known = f" (expected one of {', '.join(conditions)})" if conditions else " (the configuration has no condition)"
        raise UsageError(f"unknown condition: {name}{nearest_name_hint(name, conditions) or known}")
    return conditions[name]


def parse_change_texts(texts: Mapping[str, _Texts]) -> dict[str, Any]:
    """Parse changes into the keywords of ``whatif``."""
    factors = _assignments(texts.get("scale", ()), "--scale")
    for name, factor in factors.items():
        if isinstance(factor, str):
            raise UsageError(f"factor of --scale {name} is not a number: {factor} (such as 1.1)")
    return {
        "set": _assignments(texts.get("set", ()), "--set"),
        "scale": cast("dict[str, float]", factors),
        "drop": tuple(texts.get("drop", ())),
        "new": tuple(texts.get("new", ())),
        "move": _moves(texts.get("move", ())),
    }


def _assignments(texts: _Texts, option: str) -> dict[str, float | str]:
    """Parse the assignments of a repeated option; each name may occur once."""
    return _once((_assignment(text, option) for text in texts), f"{option} assigns a value twice")


def _moves(texts: _Texts) -> dict[str, str]:
    """Parse ``ID=PARENT``; each item may be moved once."""

    def move_of(text: str) -> tuple[str, str]:
        """Split one text."""
        name, equals, parent = (part.strip() for part in text.rpartition("="))
        if not (name and equals and parent):
            raise UsageError(f"invalid --move: {text} (expected ID=PARENT)")
        return name, parent

    return _once(map(move_of, texts), "--move has an item twice")


def _once(pairs: Iterable[tuple[str, _Value]], fault: str) -> dict[str, _Value]:
    """Make a dictionary of pairs; UsageError for a name that occurs twice."""
    found: dict[str, _Value] = {}
    for name, value in pairs:
        if name in found:
            raise UsageError(f"{fault}: {name}")
        found[name] = value
    return found


def _assignment(text: str, option: str) -> tuple[str, float | str]:
    """Split ``ID.quantity=value`` of the command line into name and value: a number, or a text with a unit."""
    # the first = after a quantity: ids and values have = too, such as (k=2)
    ends = (k for k, sign in enumerate(text) if sign == "=" and changed_table.is_change_name(text[:k]))
    at = next(ends, text.rfind("="))
    name, equals, value = text[: max(at, 0)], at >= 0, text[at + 1 :]
    number = read_number(value)
    if not equals or not value.strip():
        raise UsageError(f"invalid {option}: {text} (expected ID.quantity=value, such as P.1.mass=2.2)")
    return name.strip(), value.strip() if number is None else number
