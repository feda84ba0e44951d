"""What-if analysis: numbers set, masses scaled and items dropped, and the effect on the assemblies above them.

Sigmas in percent of a value, by method or from bounds, tensors about a stated point and checks of a cell against its
neighbours follow from several cells of a row. So an edit is made in the table, and its rows are read as all others are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Never, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, Body, Sigmas
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.build import read_item_bodies
from massprops_cli.bom.change_values import (
    GROWTH,
    change_number,
    edited_table,
    find_named_item,
    finite_change_number,
    split_change_name,
)
from massprops_cli.bom.checks import quantities_per_parent
from massprops_cli.bom.items import (
    CENTER,
    INERTIA,
    MASS,
    ItemFlags,
    ItemRows,
    is_measured_quantity,
    masses_from_quantities,
    point_text,
    predicted_rollup,
    read_growth,
)
from massprops_cli.bom.results import PREDICTED_PREFIX, Result, body_numbers, finite_or_none, requested_correlation
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings import Finding, Findings, FindingsError, Severity, UsageError, html_table
from massprops_cli.options import CorrelationScope, RollupMethod, check_own_keywords, check_types, show_keywords
from massprops_cli.rollups import (
    ChangedAssemblies,
    Correlation,
    Coverage,
    Rollup,
    RollupInputs,
    path_quantities,
    recompute_rollup,
)
from massprops_cli.trees import ItemQuantity

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
class _WhatIfDraft:
    """All items with the changes in them.

    ``changed`` are item numbers, ``edits`` the numbers that were set of each in the units of their columns, ``counts``
    the quantities; ``notes`` describe the changes, and ``findings`` are those of the changed rows.
    """

    bom: Bom
    bodies: Bodies
    sigmas: Sigmas | None
    count: NDArray[np.float64]
    measured: _Mask
    growth: _Floats | None = None
    changed: set[int] = field(default_factory=set)
    edits: dict[int, dict[str, float]] = field(default_factory=dict)
    counts: dict[int, float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _whatif_draft(bom: Bom, rolled: Rollup) -> _WhatIfDraft:
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
    return _WhatIfDraft(bom, copied, sigmas, quantity.count.copy(), quantity.measured.copy(), _copy_array(bom.growth))


def _copy_array(array: NDArray[_T] | None) -> NDArray[_T] | None:
    """Copy an array that may be absent."""
    return None if array is None else array.copy()


def _set_number(draft: _WhatIfDraft, name: str, value: float | str) -> None:
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


def _resolve_quantities(draft: _WhatIfDraft) -> None:
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


def _check_row_total_counts(draft: _WhatIfDraft) -> None:
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


def _read_edits(draft: _WhatIfDraft) -> None:
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


def _update_rows(draft: _WhatIfDraft, rows: _EditedRows) -> None:
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
    if mask is None and new is None:
        return None
    result = np.ones(n, bool) if mask is None else mask.copy()
    result[at] = True if new is None else new
    return result


def _scale_mass(draft: _WhatIfDraft, name: str, factor: float) -> None:
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
    and_weighed = (
        f" and {len(weighed):,} weighed {'assembly' if len(weighed) == 1 else 'assemblies'}" if len(weighed) else ""
    )
    draft.notes.append(
        f"mass, inertia and their sigmas of {len(leaves):,} {'leaf' if len(leaves) == 1 else 'leaves'}{and_weighed} "
        f"at or below {bom.ids[item]} × {factor:g}"
    )


def _drop_item(draft: _WhatIfDraft, name: str) -> None:
    """Leave an item out, and all below it."""
    bom = draft.bom
    item = find_named_item(bom, name)
    if item == int(bom.tree.order[0]):
        raise UsageError(f"root cannot be dropped: {name}")
    draft.count[item] = 0.0
    draft.changed.add(item)
    draft.notes.append(f"{name} dropped")


def _apply_changes(draft: _WhatIfDraft) -> None:
    """Apply the numbers that were set, all together, whatever their order, and report which changes stay below."""
    for item, edits in draft.edits.items():
        _check_complete_set(draft, item, edits)
    _resolve_quantities(draft)
    _read_edits(draft)


def _report_weighed_assemblies(draft: _WhatIfDraft) -> None:
    """Report the weighed assemblies above what was changed, which go up with their own numbers."""
    stated = draft.bom.stated
    if stated is not None:
        above = {i for item in draft.changed for i in draft.bom.tree.ancestors(item) if stated[i]}
        draft.notes += [f"{draft.bom.ids[i]} is weighed: changes below it have no effect on it" for i in sorted(above)]


def _check_complete_set(draft: _WhatIfDraft, item: int, given: Mapping[str, float]) -> None:
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


_PREDICTED_MASS = f"{PREDICTED_PREFIX}mass"


@dataclass(frozen=True, repr=False)
class WhatIf:
    """The effect of a change on every assembly above it, root first.

    ``notes`` describe what was changed, and what was not. ``findings`` are those of the table and its roll-up
    before the change.
    """

    bom: Bom
    touched: ChangedAssemblies
    notes: tuple[str, ...]
    method: str
    findings: tuple[Finding, ...] = ()
    predicted: tuple[Rollup, Rollup] | None = None
    """Roll-ups with growth before and after; None where no growth is stated."""

    def __repr__(self) -> str:
        """Return what was changed, and the root's mass before and after."""
        notes = "; ".join(self.notes)
        if not self.ids:
            return f"<WhatIf {notes}>"
        return f"<WhatIf {notes}; mass of {self.ids[0]} {self.before(0).mass} → {self.after(0).mass}>"

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        unit = f" [{self.bom.units.mass}]" if self.bom.units.mass else ""
        pairs = ((name, self.before(k).mass, self.after(k).mass) for k, name in enumerate(self.ids))
        header = ["id", *(f"mass {words}{unit}" for words in ("before", "after", "change"))]
        rows = ([name, before, after, _value_change(before, after)] for name, before, after in pairs)
        return html_table("; ".join(self.notes), header, rows, len(self.ids))

    @property
    def ids(self) -> list[str]:
        """The assemblies' ids, root first."""
        return [self.bom.ids[int(i)] for i in self.touched.items[::-1]]

    def before(self, k: int) -> Body:
        """Return an assembly before the change.

        Parameters
        ----------
        k : int
            Position in ``ids``.

        Returns
        -------
        Body, coherent units
            Inertia as tensor entries about its own centre of mass, in the axes of the table.
        """
        return self._body(self.touched.before, self.touched.before_sigmas, k)

    def after(self, k: int) -> Body:
        """Return an assembly after the change.

        Parameters
        ----------
        k : int
            Position in ``ids``.

        Returns
        -------
        Body, coherent units
            Inertia as tensor entries about its own centre of mass, in the axes of the table.
        """
        return self._body(self.touched.after, self.touched.after_sigmas, k)

    def predicted_mass(self, k: int) -> tuple[float | None, float | None]:
        """Return the predicted mass of an assembly before and after the change.

        Parameters
        ----------
        k : int
            Number of the assembly in ``ids``.

        Returns
        -------
        tuple of (float or None, float or None)
            Masses; None where a growth is unknown.
        """
        at = int(self.touched.items[len(self.touched.items) - 1 - k])
        before, after = (
            None if one is None or not one.coverage.mass_is_whole[at] else float(one.bodies.mass[at])
            for one in self.predicted or (None, None)
        )
        return before, after

    def coverage(self, k: int) -> tuple[Coverage, Coverage]:
        """Return the coverage of an assembly before and after the change.

        Parameters
        ----------
        k : int
            Position in ``ids``.

        Returns
        -------
        before, after : Coverage, (1,)
            Leaves below the assembly, and those whose values are known.
        """
        at = np.array([len(self.touched.items) - 1 - k])
        return self.touched.before_coverage.picked(at), self.touched.after_coverage.picked(at)

    def _body(self, bodies: Bodies, sigmas: Sigmas | None, k: int) -> Body:
        """Return assembly ``k`` of ``ids`` from arrays of the affected items, which are in the opposite order."""
        at = len(self.touched.items) - 1 - k
        return Body.of(bodies, at, sigmas, name=self.ids[k], units=self.bom.units_of_body())

    def to_dict(self) -> dict[str, Any]:
        """Export the changes and every affected assembly as JSON values.

        Returns
        -------
        dict
            JSON values: before, after and difference in coherent units, and coverage.
        """
        units = self.bom.units
        return {
            "changes": list(self.notes),
            "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
            "uncertainty": self.method,
            "items": [self._item(k) for k in range(len(self.ids))],
        }

    def _item(self, k: int) -> dict[str, Any]:
        """Return assembly ``k`` of ``ids`` as JSON values."""
        before, after = body_numbers(self.before(k)), body_numbers(self.after(k))
        if self.predicted is not None:
            before[_PREDICTED_MASS], after[_PREDICTED_MASS] = self.predicted_mass(k)
        change = {name: _value_change(before[name], after[name]) for name in before}
        covered = [_coverage_numbers(one) for one in self.coverage(k)]
        return {
            "id": self.ids[k],
            "before": before,
            "after": after,
            "difference": change,
            "coverage": dict(zip(("before", "after"), covered, strict=True)),
        }


def _coverage_numbers(coverage: Coverage) -> dict[str, Any]:
    """Return the coverage of item 0 as plain JSON values, by the names that the dictionary of a roll-up has."""
    shares = [float(share[0]) for share in (coverage.mass_share_center, coverage.mass_share_inertia)]
    return {
        "leaves": int(coverage.rows[0]),
        "mass": int(coverage.known_mass[0]),
        "center": int(coverage.known_center[0]),
        "inertia": int(coverage.known_inertia[0]),
        "center_share_of_mass": finite_or_none(shares[0]),
        "inertia_share_of_mass": finite_or_none(shares[1]),
        "mass_lower_bound": bool(coverage.mass_is_bound[0]),
        "moments_lower_bound": bool(coverage.moments_are_bounds[0]),
    }


def _value_change(before: float | None, after: float | None) -> float | None:
    """Return after − before, where both are known."""
    return None if before is None or after is None else finite_or_none(after - before)


def whatif(
    bom: BomSource,
    *,
    set: Mapping[str, float | str] | None = None,
    scale: Mapping[str, float] | None = None,
    drop: Iterable[str] = (),
    uncertainty: RollupMethod = "auto",
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    correlations: str = "",
    keep_going: bool = False,
    **unknown: Never,
) -> WhatIf:
    """Change items and compute every assembly above them again.

    Parameters
    ----------
    bom : Bom, str, path, DataFrame or open file
        A bill of materials, or a table that is read with the defaults of ``read_bom``.
    set : mapping, optional
        ``ID.quantity`` → number in the unit of the column, or text with a unit (``"2.3 lb"``). ID may be a name that
        one item has; the quantity follows the last dot (``P.1.mass``, ``P.1.Cx``, ``P.1.sigma_mass``, ``P.1.qty``,
        ``P.1.growth`` in percent). The result is that of the table with these numbers in its cells, in any order.
    scale : mapping, optional
        ``ID.mass`` → factor for mass, inertia and their sigmas of every leaf at or below ID, applied after ``set``.
    drop : iterable of str, optional
        Ids of items to exclude, with everything below them.
    uncertainty, correlate, correlate_centers, correlations : optional
        As in ``rollup``, without ``montecarlo``.
    keep_going : bool, optional
        Compute what can be computed in spite of errors.

    Returns
    -------
    WhatIf
        Every affected assembly before and after, root first, in coherent units, about its own centre of mass.

    Raises
    ------
    UsageError
        An unknown keyword, id or quantity, a number for an assembly that is computed, or no change at all.
    FindingsError
        The table has errors, or would have them with these numbers.

    Notes
    -----
    Only the paths from the changed items to the root are computed again, by the formulas of
    ``rollup``: docs/formulas.md, sections 2 to 6.

    Examples
    --------
    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> change = whatif(Bom.from_records(rows), set={"a.mass": 4.0})
    >>> change.before(0).mass, change.after(0).mass
    (5.0, 7.0)
    """
    check_own_keywords(unknown, whatif)
    check_types({"set": set, "scale": scale, "drop": drop}, whatif.__annotations__)
    if uncertainty == "montecarlo":
        raise UsageError("uncertainty montecarlo is not supported by whatif (covariance, massprops or none)")
    table = bom_from(bom)
    result = rollup(
        table,
        uncertainty,
        keep_going=keep_going,
        correlate=correlate,
        correlate_centers=correlate_centers,
        correlations=correlations,
    )
    draft = _whatif_draft(table, result.rollup)
    for name, value in (set or {}).items():
        _set_number(draft, name, value)
    _apply_changes(draft)
    for name, factor in (scale or {}).items():
        _scale_mass(draft, name, factor)
    for name in drop:
        _drop_item(draft, name)
    return _recomputed_assemblies(result, draft)


show_keywords(whatif)


def _recomputed_assemblies(result: Result, draft: _WhatIfDraft) -> WhatIf:
    """Compute the assemblies above the changed items again; raises UsageError where nothing is changed."""
    if not draft.changed:
        raise UsageError("no change is stated (--set, --scale or --drop)")
    _report_weighed_assemblies(draft)
    bom, rolled = result.bom, result.rollup
    quantity = ItemQuantity(draft.count, draft.measured)
    correlation = _correlation_after_change(result, quantity)
    inputs = RollupInputs.of(bom.tree, draft.bodies, draft.sigmas, quantity, stated=bom.stated, correlation=correlation)
    touched = recompute_rollup(rolled, inputs, np.array(sorted(draft.changed)))
    predicted = _predicted_rollups(draft, quantity)
    return WhatIf(bom, touched, tuple(draft.notes), rolled.method, (*result.findings, *draft.findings), predicted)


def _predicted_rollups(draft: _WhatIfDraft, quantity: ItemQuantity) -> tuple[Rollup, Rollup] | None:
    """Roll up with growth before and after the changes; None where no growth is stated."""
    before = predicted_rollup(draft.bom)
    after = predicted_rollup(replace(draft.bom, bodies=draft.bodies, quantity=quantity, growth=draft.growth))
    return None if before is None or after is None else (before, after)


def _correlation_after_change(result: Result, quantity: ItemQuantity) -> Correlation | None:
    """Return the correlation after changed quantities: one bolt is independent, eight are correlated."""
    if result.uncertainty_request.method != "covariance":
        return None
    return requested_correlation(replace(result.bom, quantity=quantity), result.uncertainty_request, Findings())
