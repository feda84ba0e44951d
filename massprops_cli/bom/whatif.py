"""What-if analysis: numbers set, masses scaled and items dropped, and the effect on the assemblies above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.bodies.body import Body
from massprops_cli.bom import whatif_draft as drafts
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.changed_table import (
    CELL_QUANTITIES,
    AddedItem,
    ChangedTable,
    changed_table,
    find_named_item,
    parse_added_item,
    restructure_bom,
)
from massprops_cli.bom.checks.assembly_masses import check_new_assemblies, stated_assembly_masses
from massprops_cli.bom.items.growth import predicted_rollup
from massprops_cli.bom.items.result_columns import body_numbers, finite_or_none
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.result_dict import PREDICTED_PREFIX
from massprops_cli.bom.results.uncertainty import requested_correlation
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    Severity,
    UsageError,
    error_of_function,
    html_table,
    name_list,
)
from massprops_cli.options import CorrelationScope, RollupMethod, check_own_keywords, check_types, show_keywords
from massprops_cli.rollups.inputs import Coverage, RollupInputs
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.rollups.subtotals import ChangedAssemblies, recompute_rollup
from massprops_cli.trees.tree import ItemQuantity

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
    old_items: NDArray[np.intp] | None = None
    """Item numbers ``(k,)`` of the assemblies before items were added or moved, −1 for new ones; None: the same."""
    draft: drafts.WhatIfDraft | None = None
    original: Bom | None = None

    def __repr__(self) -> str:
        """Return what was changed, and the root's mass before and after."""
        notes = "; ".join(self.notes)
        if not self.ids:
            return f"<WhatIf {notes}>"
        masses = " → ".join(str(one if isinstance(one, str) else float(f"{one:.12g}")) for one in self._masses(0))
        return f"<WhatIf {notes}; mass of {self.ids[0]} {masses}>"

    def _masses(self, k: int) -> tuple[float | str, float | str]:
        """Return the mass of an assembly before and after; a text where it is not whole."""
        ends = zip((self.before(k).mass, self.after(k).mass), self.coverage(k), strict=True)
        words = {"lower bound": "≥ {:g}", "partial": "{:g} (known parts)"}
        before, after = (words[of.known("mass")].format(m) if of.known("mass") in words else m for m, of in ends)
        return before, after

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        unit = f" [{self.bom.units.mass}]" if self.bom.units.mass else ""
        header = ["id", *(f"mass {words}{unit}" for words in ("before", "after", "change"))]
        rows = ([name, *self._masses(k), self.after(k).mass - self.before(k).mass] for k, name in enumerate(self.ids))
        return html_table("; ".join(self.notes), header, rows, len(self.ids))

    @cached_property
    def ids(self) -> list[str]:
        """The assemblies' ids, root first."""
        return [self.bom.ids[int(i)] for i in self.touched.items[::-1]]

    def before(self, k: int | str) -> Body:
        """Return an assembly before the change.

        Parameters
        ----------
        k : int or str
            Position in ``ids``, or an id of them.

        Returns
        -------
        Body, coherent units
            Inertia as tensor entries about its own centre of mass, in the axes of the table; nan of a new assembly.
        """
        return self._body(self.touched.before, self.touched.before_sigmas, k, self.touched.before_coverage)

    def after(self, k: int | str) -> Body:
        """Return an assembly after the change.

        Parameters
        ----------
        k : int or str
            Position in ``ids``, or an id of them.

        Returns
        -------
        Body, coherent units
            Inertia as tensor entries about its own centre of mass, in the axes of the table.
        """
        return self._body(self.touched.after, self.touched.after_sigmas, k, self.touched.after_coverage)

    def changed_table(self) -> ChangedTable:
        """Make the table with the changes in its cells, to be written.

        Returns
        -------
        ChangedTable
            Table with changed cells and added rows.
        """
        assert self.draft is not None
        assert self.original is not None
        return _table_of_draft(self.draft, self.original)

    def changed_bom(self) -> Bom:
        """Read the table with the changes.

        Returns
        -------
        Bom
            Its roll-up is the result after the changes.
        """
        return self.changed_table().read_again(self.bom)

    def predicted_mass(self, k: int | str) -> tuple[float | None, float | None]:
        """Return the predicted mass of an assembly before and after the change.

        Parameters
        ----------
        k : int or str
            Position in ``ids``, or an id of them.

        Returns
        -------
        tuple of (float or None, float or None)
            Masses; None where a growth is unknown.
        """
        at = self._position(k)
        new = int(self.touched.items[at])
        old = new if self.old_items is None else int(self.old_items[at])
        before, after = (
            None if one is None or i < 0 or not one.coverage.mass_is_whole[i] else float(one.bodies.mass[i])
            for one, i in zip(self.predicted or (None, None), (old, new), strict=True)
        )
        return before, after

    def coverage(self, k: int | str) -> tuple[Coverage, Coverage]:
        """Return the coverage of an assembly before and after the change.

        Parameters
        ----------
        k : int or str
            Position in ``ids``, or an id of them.

        Returns
        -------
        before, after : Coverage, (1,)
            Leaves below the assembly, and those whose values are known.
        """
        at = np.array([self._position(k)])
        return self.touched.before_coverage.picked(at), self.touched.after_coverage.picked(at)

    def _body(self, bodies: Bodies, sigmas: Sigmas | None, k: int | str, coverage: Coverage) -> Body:
        """Return assembly ``k`` of ``ids`` from arrays of the affected items."""
        at = self._position(k)
        body = Body.of(bodies, at, sigmas, name=self.ids[-1 - at], units=self.bom.units_of_body())
        return replace(body, lower_bounds=coverage.lower_bounds(at), coverage=coverage.mass_text(at))

    def _position(self, k: int | str) -> int:
        """Return the position of assembly ``k`` in the arrays of the affected items: the opposite order."""
        if isinstance(k, bool) or k not in (self.ids if isinstance(k, str) else range(len(self.ids))):
            raise UsageError(f"item is not an assembly above the changes: {k} (expected {name_list(self.ids, 5)})")
        return len(self.ids) - 1 - (self.ids.index(k) if isinstance(k, str) else k)

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
        pairs = [(name, old, after[name]) for name, old in before.items()]
        change = {k: None if old is None or new is None else finite_or_none(new - old) for k, old, new in pairs}
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
    return {
        "leaves": int(coverage.rows[0]),
        "mass": int(coverage.known_mass[0]),
        "center": int(coverage.known_center[0]),
        "inertia": int(coverage.known_inertia[0]),
        "center_share_of_mass": finite_or_none(float(coverage.mass_share_center[0])),
        "inertia_share_of_mass": finite_or_none(float(coverage.mass_share_inertia[0])),
        "mass_lower_bound": bool(coverage.mass_is_bound[0]),
        "moments_lower_bound": bool(coverage.moments_are_bounds[0]),
    }


def whatif(
    bom: BomSource,
    *,
    set: Mapping[str, float | str] | None = None,
    scale: Mapping[str, float] | None = None,
    drop: Iterable[str] = (),
    new: Iterable[AddedItem] = (),
    move: Mapping[str, str] | None = None,
    condition: str = "",
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
    bom : BomSource
        A bill of materials, or a table (path, open file or DataFrame), read with the defaults of ``read_bom``.
    set : mapping of str to float or str, optional
        ``ID.quantity`` → number in the unit of the column, or text with a unit (``"2.3 lb"``). ID may be a name that
        one item has; the quantity follows the last dot (``P.1.mass``, ``P.1.Cx``, ``P.1.sigma_mass``, ``P.1.qty``,
        ``P.1.growth`` in percent). The result is that of the table with these numbers in its cells, in any order.
    scale : mapping of str to float, optional
        ``ID.mass`` → factor for mass, inertia and their sigmas of every leaf at or below ID, applied after ``set``.
    drop : iterable of str, optional
        Ids or names of items to exclude, with everything below them.
    new : iterable of str or mapping, optional
        Items to add, each with ``id``, ``parent`` and quantities: ``{"id": "X", "parent": "SAT", "mass": "2 kg"}``, or
        ``"X parent=SAT mass=2 kg"``. Items are added and moved first; in the layouts ``dotted`` and ``level``
        they are added, at the end of the branch of their parent.
    move : mapping of str to str, optional
        Item → new parent.
    condition : str, optional
        Make the changes of ``[condition.NAME]`` of the table's configuration first; keywords replace its values.
    uncertainty : {"auto", "covariance", "massprops", "none"}, optional
        As in ``rollup``, which also has ``montecarlo``.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``.
    correlate_centers : bool, optional
        Also share uncertainties of centres.
    correlations : str, optional
        File of correlations between groups.
    keep_going : bool, optional
        Compute what can be computed in spite of errors.

    Returns
    -------
    WhatIf
        Every affected assembly before and after, root first, in coherent units, about its own centre of mass.

    Raises
    ------
    UsageError
        An unknown keyword, condition, id or quantity, a number for an assembly that is computed, or no change at all.
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
    given = {"set": set, "scale": scale, "drop": drop, "new": new, "move": move, "condition": condition}
    check_types(given, whatif.__annotations__)
    if uncertainty == "montecarlo":
        raise UsageError("uncertainty montecarlo is not supported by whatif (covariance, massprops or none)")
    table = bom_from(bom)
    if condition:
        first = drafts.parse_change_texts(drafts.condition_texts(table.options.conditions, condition))
        set, scale, move = (
            {**first[name], **(own or {})} for name, own in (("set", set), ("scale", scale), ("move", move))
        )
        drop, new = [*first["drop"], *drop], [*first["new"], *new]
    rolled_up = partial(
        rollup,
        uncertainty=uncertainty,
        correlate=correlate,
        correlate_centers=correlate_centers,
        correlations=correlations,
    )
    try:
        result = rolled_up(table, keep_going=keep_going)
    except FindingsError as error:
        raise error_of_function(error, "whatif") from None
    before, added, moved = result, list(new), dict(move or {})
    texts = {name: value for name, value in (set or {}).items() if name.rpartition(".")[2] in CELL_QUANTITIES}
    original, inserted = table, added if table.layout != "parent" else []
    if added or moved or texts:
        original = restructure_bom(table, inserted, {}, {}) if inserted else table
        other = restructure_bom(original, [] if inserted else added, moved, texts)
        of_structure = Findings()
        check_new_assemblies(table, other, of_structure)
        drafts.new_findings_of(of_structure or other.findings, table)
        result = rolled_up(other, keep_going=True)
    draft = drafts.whatif_draft(result.bom, result.rollup)
    _note_structure(draft, table, added, moved, texts)
    for name, value in (set or {}).items():
        if name not in texts:
            drafts.set_number(draft, name, value)
    drafts.apply_changes(draft, *drafts.read_changes([draft]))
    for name, factor in (scale or {}).items():
        drafts.scale_mass(draft, name, factor)
    for name in drop:
        drafts.drop_item(draft, name)
    _check_emptied_assemblies(table, draft)
    again = None
    if result.bom.poses is not None:  # numbers move with the frames of their rows
        reread = type(table).from_table(_table_of_draft(draft, original).grid, draft.bom.options)
        drafts.new_findings_of((f for f in reread.findings if f.severity is Severity.ERROR), draft.bom)
        again = rolled_up(reread, keep_going=True)
    return replace(_recomputed_assemblies(before, result, draft, again), original=original)


show_keywords(whatif)


def _check_emptied_assemblies(table: Bom, draft: drafts.WhatIfDraft) -> None:
    """Reject an assembly with a stated mass that is left without children: it would be added as a leaf."""
    if table is draft.bom or "mass" not in table.written or table.options.assembly_values in ("own", "stated"):
        return
    leaf = draft.bom.tree.is_leaf()
    for name in (table.ids[i] for i in stated_assembly_masses(table).items.tolist()):
        item = draft.bom.item(name)
        if leaf[item] and draft.count[item] and "mass" not in draft.edits.get(item, {}):
            raise UsageError(f"assembly {name} states a mass and is left without children; set {name}.mass, or drop it")


def _table_of_draft(draft: drafts.WhatIfDraft, original: Bom) -> ChangedTable:
    """Make the table with the changes in its cells."""
    numbers = {item: dict(edits) for item, edits in draft.edits.items()}
    for item, count in draft.counts.items():
        numbers.setdefault(item, {})["qty"] = count
    return changed_table(original, draft.bom, numbers, draft.scaled, draft.dropped)


def _reread_changes(result: Result, draft: drafts.WhatIfDraft, again: Result) -> ChangedAssemblies:
    """Return the assemblies above the changed items, before and in the table that was read again."""
    tree, numbers = result.bom.tree, {name: i for i, name in enumerate(again.bom.ids)}
    above: dict[int, None] = {}
    for i in draft.changed:
        while (i := int(tree.parent[i])) >= 0 and result.bom.ids[i] in numbers:
            above[i] = None
    items = np.array(sorted(above, key=lambda i: -int(tree.position[i])), np.intp)
    place = np.array([numbers[result.bom.ids[i]] for i in items.tolist()], np.intp)
    return ChangedAssemblies.of(items, result.rollup, again.rollup, place, again.rollup.coverage.picked(place))


def _note_structure(
    draft: drafts.WhatIfDraft,
    old: Bom,
    add: Sequence[AddedItem],
    move: Mapping[str, str],
    texts: Mapping[str, float | str],
) -> None:
    """Mark the added and moved items, those that are left by them, and those with other cells as changed."""
    bom = draft.bom
    for name, value in texts.items():
        item = find_named_item(old, name.rpartition(".")[0])
        draft.changed |= {item, *bom.tree.children(item)[:1].tolist()}
        before = drafts.stated_cell_text(old, item, name.rpartition(".")[2]) or "blank"
        draft.notes.append(f"{name} {before} → {value:g}" if isinstance(value, float) else f"{name} {before} → {value}")
    for given in add:
        item = find_named_item(bom, str(parse_added_item(given)["id"]))
        draft.changed.add(item)
        draft.notes.append(f"{bom.ids[item]} added to {bom.ids[int(bom.tree.parent[item])]}")
    if add and old.layout != "parent" and (places := drafts.masses_as_before(old, bom, sorted(draft.changed))):
        draft.notes.append(f"sums of the sheet that do not count what is added: {name_list(places)}")
    for name in move:
        i = find_named_item(old, name)
        item, left = bom.item(old.ids[i]), bom.item(old.ids[int(old.tree.parent[i])])
        draft.changed |= {item, left, *bom.tree.children(left)[:1].tolist()}
        draft.notes.append(f"{bom.ids[item]} moved from {bom.ids[left]} to {bom.ids[int(bom.tree.parent[item])]}")


def _recomputed_assemblies(
    before: Result, result: Result, draft: drafts.WhatIfDraft, again: Result | None = None
) -> WhatIf:
    """Compute the assemblies above the changed items again; raises UsageError where nothing is changed."""
    if not draft.changed:
        raise UsageError("no change is stated: set, scale, drop, new or move")
    bom, rolled, stated = result.bom, result.rollup, draft.bom.stated
    if stated is not None:  # weighed assemblies go up with their own numbers
        above = {i for item in draft.changed for i in draft.bom.tree.ancestors(item) if stated[i]}
        draft.notes += [f"{draft.bom.ids[i]} is weighed: changes below it have no effect on it" for i in sorted(above)]
    quantity = ItemQuantity(draft.count, draft.measured)
    if again is not None:
        touched = _reread_changes(result, draft, again)
    else:
        touched = recompute_rollup(rolled, _changed_inputs(result, draft, quantity), np.array(sorted(draft.changed)))
    old = None
    if before is not result:
        numbers = {name: i for i, name in enumerate(before.bom.ids)}
        old = np.array([numbers.get(bom.ids[i], -1) for i in touched.items.tolist()], np.intp)
        # changes with the values of another tree before them; ``old`` are its items, −1 for none
        at, new, earlier = np.maximum(old, 0), old < 0, before.rollup
        bodies = at_items(earlier.bodies, at)
        sigmas = None if earlier.sigmas is None else at_items(earlier.sigmas, at)
        for holder in (bodies, sigmas):
            for values in () if holder is None else (holder.mass, holder.center, holder.inertia):
                if values is not None:
                    values[new] = np.nan
        touched = replace(touched, before=bodies, before_sigmas=sigmas, before_coverage=earlier.coverage.picked(at))
    growth_before = predicted_rollup(before.bom)
    growth_after = predicted_rollup(replace(draft.bom, bodies=draft.bodies, quantity=quantity, growth=draft.growth))
    predicted = None if growth_before is None or growth_after is None else (growth_before, growth_after)
    findings = (*before.findings, *draft.findings)
    return WhatIf(bom, touched, tuple(draft.notes), rolled.method, findings, predicted, old, draft, before.bom)


def _changed_inputs(result: Result, draft: drafts.WhatIfDraft, quantity: ItemQuantity) -> RollupInputs:
    """Return the inputs of the roll-up with the changes in them."""
    bom, request, correlation = result.bom, result.uncertainty_request, None
    if request.method == "covariance":  # of the changed quantities: one bolt is independent, eight are correlated
        correlation = requested_correlation(replace(bom, quantity=quantity), request, Findings())
    inputs = RollupInputs.of(bom.tree, draft.bodies, draft.sigmas, quantity, stated=bom.stated, correlation=correlation)
    if bom.deviations is None:
        return inputs
    return replace(inputs, deviations=bom.deviations.without(np.array(sorted(draft.changed))))
