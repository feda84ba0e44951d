"""The items of a table with changes in them: cells are edited, and their rows are read as all others are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.bom import changed_table
from massprops_cli.bom.assembly import read_item_bodies
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.checks.interpretation import counts_per_parent
from massprops_cli.bom.items.growth import read_growth
from massprops_cli.bom.items.item_flags import ItemFlags, is_measured_quantity, masses_from_quantities, point_text
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.files import table as tables
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    Place,
    Severity,
    UsageError,
    nearest_name_hint,
)
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.trees.tree import ItemQuantity

_Holder = TypeVar("_Holder", Bodies, Sigmas)
_BODY_MASKS = ("has_mass", "has_center", "has_inertia", "has_products")
_Texts = Sequence[str]
_Value = TypeVar("_Value")
_WHATIF_CHANGES = ("set", "scale", "new", "move", "drop")


class _RowCopies(tables.GridTable):
    """Copies of some rows of a table below its header, of one row also several, each with the address of its row."""

    def __init__(self, bom: Bom, rows: Sequence[int]) -> None:
        table, columns = bom.table, bom.columns
        self.table, self.of = table, [*range(columns.first_row), *rows]
        grid: list[list[tables.Value]] = [[*table.row(i)] for i in self.of]
        first, at = columns.first_row, np.array(rows, np.intp) - columns.first_row
        for j in {column.index for column in columns.by_quantity.values()}:
            typed = np.flatnonzero(table.is_typed(j, first)[at])
            numbers = table.numbers([j], first)[0].values[at] if len(typed) else at
            for k in typed.tolist():
                grid[first + k][j] = float(numbers[k])
        info, copies = table.sheet_info, dict[int, list[int]]()
        for k, row in enumerate(self.of):
            copies.setdefault(row, []).append(k)
        if info is not None:
            codes = {(k, j): code for (i, j), code in info.number_formats.items() for k in copies.get(i, ())}
            formulas, dates = (
                frozenset((k, j) for i, j in spots for k in copies.get(i, ())) for spots in (info.formulas, info.dates)
            )
            info = tables.SheetInfo(
                info.first_row, info.first_column, None, {}, None, None, formulas, codes, dates=dates
            )
        super().__init__(table.source, grid, info)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of the row, or of the cell, that was copied."""
        return self.table.place(self.of[i], j, column)


def _read_edited_rows(
    bom: Bom, edits: Sequence[tuple[int, Mapping[str, float]]], quantity: ItemQuantity, findings: Findings
) -> tuple[Bodies, Sigmas | None, tables.Floats | None]:
    """Read items with edited cells, each a body (k,) of its own with its quantity (k,): bodies, sigmas and growth."""
    at, first, columns = np.array([item for item, _ in edits], np.intp), bom.columns.first_row, bom.columns.by_quantity
    copied = {
        name: replace(one, by_row=replace(one.by_row, codes=one.by_row.codes[bom.rows[at] - one.by_row.first]))
        for name, one in columns.items()
        if one.by_row is not None
    }
    values = {(first + k, columns[name].index): x for k, (_, new) in enumerate(edits) for name, x in new.items()}
    growth = columns[changed_table.GROWTH].index if changed_table.GROWTH in columns else None
    percent = {spot: f"{tables.shortest_number_text(x)} %" for spot, x in values.items() if spot[1] == growth}
    copies = tables.TableView(_RowCopies(bom, bom.rows[at].tolist()), cells=percent)
    table = tables.EditedTable(copies, {spot: x for spot, x in values.items() if spot not in percent})
    own_columns = bom.columns._replace(by_quantity={**columns, **copied})
    items = ItemRows(table, own_columns, first + np.arange(len(at)), [bom.ids[i] for i in at.tolist()])
    marks = _edited_item_flags(bom, at, quantity, items)
    bodies, sigmas = read_item_bodies(items, marks, bom.options, findings)
    if bom.pieces is not None:
        pieces = quantity.count if bom.options.qty_is != "total" else bom.pieces[at]
        bodies.mass[:] /= np.where(pieces == 0, 1.0, np.abs(pieces))
    return bodies, sigmas, None if bom.growth is None else read_growth(items, marks, bom.options, findings)


def _edited_item_flags(bom: Bom, at: NDArray[np.intp], quantity: ItemQuantity, items: ItemRows) -> ItemFlags:
    """Return the marks of some items whose own numbers go up; their flags and signs are not edited."""
    none = np.zeros(len(at), bool)
    return ItemFlags(
        quantity,
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
    measured: tables.Mask
    growth: tables.Floats | None = None
    changed: set[int] = field(default_factory=set)  # item numbers
    edits: dict[int, dict[str, float]] = field(default_factory=dict)  # by item, in the units of the columns
    counts: dict[int, float] = field(default_factory=dict)  # quantities by item
    scaled: list[tuple[list[int], float]] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)  # of the changed rows
    notes: list[str] = field(default_factory=list)  # describe the changes

    @property
    def quantity(self) -> ItemQuantity:
        """Quantities of the items ``(n,)`` in their parents."""
        return ItemQuantity(self.count, self.measured)


def whatif_draft(bom: Bom, rolled: Rollup | Bom) -> WhatIfDraft:
    """Start to change the numbers of all items, of assemblies those of a roll-up or of their rows."""
    quantity, growth = bom.quantity, None if bom.growth is None else bom.growth.copy()
    return WhatIfDraft(bom, rolled.bodies, rolled.sigmas, quantity.count.copy(), quantity.measured.copy(), growth)


def _copied(holder: _Holder) -> _Holder:
    """Copy the arrays of bodies or of sigmas."""
    arrays = {one.name: getattr(holder, one.name) for one in fields(holder)}
    return replace(holder, **{name: array.copy() for name, array in arrays.items() if array is not None})


def masses_as_before(old: Bom, bom: Bom, added: Sequence[int]) -> list[str]:
    """List the masses of totals, and of assemblies above added items, that the file of a table states as before."""
    table, rows = tables.file_table(bom.table), [one.row for one in old.totals if "total" in one.kind]
    for new in sorted(bom.rows[added].tolist()):
        rows = [row + (row >= new) for row in rows]
    rows += [int(bom.rows[i]) for item in added for i in bom.tree.ancestors(item)]
    columns = [bom.columns.by_quantity[one].index for one in ("mass", "line_mass") if one in bom.columns.by_quantity]
    spots = [(i, j) for i in sorted({*rows}) for j in columns if i >= 0 and read_number(table.text(i, j)) is not None]
    return [str(table.place(i, j)) for i, j in spots]


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
    if bom.tree.n_children[bom.tree.position[item]] and not (bom.stated is not None and bom.stated[item]):
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


class EditedRows(NamedTuple):
    """The items ``at (k,)`` of a draft whose rows were read again: bodies (k,), sigmas, growth, and new findings."""

    at: NDArray[np.intp]
    bodies: Bodies
    sigmas: Sigmas | None
    growth: tables.Floats | None
    findings: list[Finding]


def read_changes(drafts: Sequence[WhatIfDraft]) -> list[EditedRows | None]:
    """Read the rows with numbers that were set in drafts of one table, all together; None without such a row.

    Raises UsageError for incomplete values, FindingsError for new errors.
    """
    edits, first = list[tuple[int, Mapping[str, float]]](), [0]
    for draft in drafts:
        _check_complete(draft)
        _resolve_quantities(draft)
        bom = draft.bom
        leaf = bom.tree.is_leaf() if draft.counts else ()
        counted: dict[int, dict[str, float]] = {i: {} for i in draft.counts if leaf[i] and bom.rows[i] >= 0}
        edits += sorted(
            {**counted, **draft.edits}.items(), key=lambda one: one[0]
        )  # pieces are checked as their row is
        first.append(len(edits))
    if not edits:
        return [None] * len(drafts)
    findings, bom = Findings(), drafts[0].bom
    at, blocks = np.array([item for item, _ in edits], np.intp), [slice(*ends) for ends in pairwise(first)]
    counts, sizes = (
        np.concatenate([getattr(draft, name)[at[block]] for draft, block in zip(drafts, blocks, strict=True)])
        for name in ("count", "measured")
    )
    bodies, sigmas, growth = _read_edited_rows(bom, edits, ItemQuantity(counts, sizes), findings)
    found, read = new_findings_of(findings, bom), list[EditedRows | None]()
    for block in blocks:
        rows, names = np.arange(*block.indices(len(at))), {bom.ids[i] for i in at[block].tolist()}
        own = [one for one in found if not one.item or one.item in names]
        of_sigmas = None if sigmas is None else at_items(sigmas, rows)
        of_growth = None if growth is None else growth[block]
        read.append(EditedRows(at[block], at_items(bodies, rows), of_sigmas, of_growth, own) if len(rows) else None)
    return read


def apply_changes(draft: WhatIfDraft, rows: EditedRows | None) -> None:
    """Enter rows that were read into a draft, whose numbers are its own from now on."""
    draft.bodies = _copied(draft.bodies)
    draft.sigmas = None if draft.sigmas is None else _copied(draft.sigmas)
    if rows is None:
        return
    draft.findings += rows.findings
    draft.bodies = _with_rows(draft.bodies, rows.bodies, rows.at)
    if draft.growth is not None and rows.growth is not None:  # a blank cell: that of its assembly
        draft.growth[rows.at] = np.where(np.isnan(rows.growth), draft.growth[rows.at], rows.growth)
    if draft.sigmas is not None and rows.sigmas is not None:
        draft.sigmas = _with_rows(draft.sigmas, rows.sigmas, rows.at)


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


def _check_complete(draft: WhatIfDraft) -> None:
    """Reject numbers that leave the values of an item incomplete."""
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


def condition_texts(conditions: Mapping[str, Any], name: str) -> Mapping[str, _Texts]:
    """Find the changes of a condition, as options of whatif."""
    if name not in conditions:
        known = f" (expected one of {', '.join(conditions)})" if conditions else " (the configuration has no condition)"
        raise UsageError(f"unknown condition: {name}{nearest_name_hint(name, conditions) or known}")
    stated = conditions[name]
    keys = ["base"] * bool(stated.base) + [*stated.texts, *stated.tables]
    others = [key for key in keys if key not in _WHATIF_CHANGES]
    if others:
        reason = f"condition {name} has {others[0]}, and what-if makes {', '.join(_WHATIF_CHANGES)} only"
        raise UsageError(f"{reason}; see it with massprops conditions, or rollup --condition {name}")
    return cast("Mapping[str, _Texts]", stated.texts)


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
    return _once((split_assignment(text, option) for text in texts), f"{option} assigns a value twice")


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


def split_assignment(text: str, option: str) -> tuple[str, float | str]:
    """Split ``ID.quantity=value`` of the command line into name and value: a number, or a text with a unit."""
    # the first = after a quantity: ids and values have = too, such as (k=2)
    ends = (k for k, sign in enumerate(text) if sign == "=" and changed_table.is_change_name(text[:k]))
    at = next(ends, text.rfind("="))
    name, equals, value = text[: max(at, 0)], at >= 0, text[at + 1 :]
    number = read_number(value)
    if not equals or not value.strip():
        raise UsageError(f"invalid {option}: {text} (expected ID.quantity=value, such as P.1.mass=2.2)")
    return name.strip(), value.strip() if number is None else number
