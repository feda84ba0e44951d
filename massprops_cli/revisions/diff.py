"""Comparison of two revisions: changed items, their changes, and the effect of each on the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.findings.finding import Finding, Findings, Place, UsageError, html_table
from massprops_cli.revisions.attribution import COMPARED_RESULTS, ChangeBreakdown
from massprops_cli.revisions.changes import ChangeKind, ItemNumbers, revision_from_item
from massprops_cli.revisions.matching import Matching
from massprops_cli.robots.link_comparison import LinkComparison, compare_links
from massprops_cli.tables.cells.units import Units

if TYPE_CHECKING:
    import pandas as pd

_Index = NDArray[np.intp]
_ValuePair = tuple[float | None, float | None]
_PAIRED_COLUMNS = ("parent", "quantity", "mass")


def _texts_at_items(texts: Sequence[str], at: _Index) -> list[str | None]:
    """Return some texts; None for a missing item (−1)."""
    return [texts[i] if i >= 0 else None for i in at.tolist()]


def _parent_ids(bom: Bom, at: _Index) -> list[str | None]:
    """Return the ids of the parents of some items; empty for a root, None for a missing item."""
    parent = bom.tree.parent[at]
    return [None if i < 0 else bom.ids[p] if p >= 0 else "" for i, p in zip(at.tolist(), parent.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """One item that differs.

    ``changes`` are words: added, removed, re-parented, structure, quantity, mass, center, inertia, sigma, growth, pose.
    ``parent``, ``quantity`` and ``mass`` (of one piece) are those before and after, None where the item is not there.
    ``contributions`` are those of the item, with everything below it, to each total, None where unknown.
    """

    id: str
    name: str
    changes: tuple[str, ...]
    parent: tuple[str | None, str | None]
    quantity: _ValuePair
    mass: _ValuePair
    contributions: Mapping[str, float | None]
    reason: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """Return the item as plain JSON values.

        Returns
        -------
        dict of str to object
            Values before and after, and contributions to the totals.
        """
        pairs = {key: dict(zip(("before", "after"), getattr(self, key), strict=True)) for key in _PAIRED_COLUMNS}
        reason = {"reason": self.reason} if self.reason else {}
        head = {"id": self.id, "name": self.name, "changes": list(self.changes)}
        return dict(json_values({**head, **pairs, "contributions": dict(self.contributions), **reason}))


@dataclass(frozen=True, repr=False, eq=False)
class Diff:
    """Two revisions compared, in the units of the new one; u lines of ``matching``.

    ``changes (u,)`` are sums of ``ChangeKind``. ``reasons`` are texts by line. ``comparison_findings`` are the
    findings about the
    comparison itself; those about either table are in ``old.findings`` and ``new.findings``.
    """

    old: Result
    new: Result
    matching: Matching
    by: str
    numbers: tuple[ItemNumbers, ItemNumbers]
    changes: NDArray[np.int16]
    reasons: Mapping[int, str] = field(default_factory=dict)
    comparison_findings: tuple[Finding, ...] = ()
    links: LinkComparison | None = None  # of two robots

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: of the comparison, of the new table, of the old table."""
        return (*self.comparison_findings, *self.new.findings, *self.old.findings)

    @property
    def units(self) -> Units:
        """The units of every number: those of the new file."""
        return self.new.bom.units

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two files."""
        return self.old.bom.table.source.name, self.new.bom.table.source.name

    @cached_property
    def lines(self) -> NDArray[np.intp]:
        """The lines whose items differ ``(k,)``."""
        return np.flatnonzero(self.changes)

    @cached_property
    def whole(self) -> ChangeBreakdown:
        """The change of the root."""
        return self.at()

    def at(self, item: str | None = None) -> ChangeBreakdown:
        """Return the change of an item.

        Parameters
        ----------
        item : str or None, optional
            Id of the item; None for the root.

        Returns
        -------
        ChangeBreakdown
            Totals before and after, and contributions.

        Raises
        ------
        UsageError
            The item is not in both files.
        """
        try:
            new = self.new.root_item if item is None else self.new.bom.item(item)
        except UsageError:
            self.old.bom.item(item or "")  # raises for an item that is in neither file
            raise UsageError(f"item is not in {self.names[1]}: {item} (a change requires it in both files)") from None
        if (old := int(self.matching.old[self.matching.line_of_new[new]])) < 0:
            raise UsageError(f"item is not in {self.names[0]}: {item} (a change requires it in both files)")
        of_old, of_new = self.numbers
        return ChangeBreakdown(
            self.matching, revision_from_item(self.old, of_old, old), revision_from_item(self.new, of_new, new)
        )

    def id(self, line: int) -> str:
        """Return the id of a line, in the new file if it is there.

        Parameters
        ----------
        line : int
            Line number.

        Returns
        -------
        str
            Id of the item.
        """
        new = int(self.matching.new[line])
        return self.new.bom.ids[new] if new >= 0 else self.old.bom.ids[int(self.matching.old[line])]

    def counts(self) -> dict[str, int]:
        """Count the items by kind of change; one item may count several times.

        Returns
        -------
        dict of str to int
            Number of items by kind of change, without zeros.
        """
        found = Counter[str]()
        for flags, count in zip(*np.unique(self.changes, return_counts=True), strict=True):
            for word in ChangeKind(int(flags)).words:
                found[word] += int(count)
        return {change.words[0]: found[change.words[0]] for change in ChangeKind if found[change.words[0]]}

    def rows(self) -> Iterator[ChangedItem]:
        """Return the changed items: those of the new file in its order, then removed ones.

        Yields
        ------
        ChangedItem
            Next item.
        """
        contributions = self.whole.parts.contributions
        for line in self.lines.tolist():
            yield self._row(line, contributions[line])

    def _row(self, line: int, contributions: NDArray[np.float64]) -> ChangedItem:
        """Return one line with its change and its contributions (12,)."""
        items = int(self.matching.old[line]), int(self.matching.new[line])
        boms = self.old.bom, self.new.bom
        there = [(bom, mass, i) if i >= 0 else None for bom, mass, i in zip(boms, self._masses, items, strict=True)]
        parents = [_parent_ids(bom, np.array([i]))[0] for bom, i in zip(boms, items, strict=True)]
        counts = [None if at is None else float(at[0].quantity.count[at[2]]) for at in there]
        masses = [None if at is None else json_values(float(at[1][at[2]])) for at in there]
        bom, item = (boms[1], items[1]) if items[1] >= 0 else (boms[0], items[0])
        named = bom.ids[item], "" if bom.names is None else bom.names[item], ChangeKind(int(self.changes[line])).words
        ends = (parents[0], parents[1]), (counts[0], counts[1]), (masses[0], masses[1])
        shares = dict(zip(COMPARED_RESULTS, json_values(contributions.tolist()), strict=True))
        return ChangedItem(*named, *ends, shares, self.reasons.get(line, ""), item_place(bom, item))

    def by_reason(self) -> dict[str, float]:
        """Return the change of mass by reason.

        Returns
        -------
        dict of str to float
            Change by reason, in the mass unit of the new file; an empty text is the part without a reason, with
            rounding.
        """
        found: dict[str, float] = {}
        values = self.whole.contributions()[:, 0]
        for line in np.flatnonzero(values).tolist():
            reason = self.reasons.get(line, "")
            found[reason] = found.get(reason, 0.0) + float(values[line])
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values.

        Returns
        -------
        dict of str to object
            Numbers in the units of the new file; unknown values are None.
        """
        whole = self.whole
        units = {"mass": self.units.mass, "length": self.units.length, "inertia": self.units.inertia}
        sums = zip(COMPARED_RESULTS, whole.before.tolist(), whole.after.tolist(), whole.change.tolist(), strict=True)
        rounding = dict(zip(COMPARED_RESULTS, whole.rounding().tolist(), strict=True))
        more: dict[str, Any] = {"by_reason": self.by_reason()} if self.reasons else {}
        more |= {} if self.links is None else {"links": self.links.to_dict()}
        return dict(json_values({
            "old": self.names[0],
            "new": self.names[1],
            "matched_by": self.by,
            "units": {**units, "stated": self.units.stated},
            "item": self.new.bom.ids[self.new.root_item],
            "total": {
                name: {"before": a, "after": b, "change": c, "rounding": rounding[name], **self._partial_ends(name)}
                for name, a, b, c in sums
            },
            "counts": self.counts(),
            "by_change": whole.by_change(),
            **more,
            "changes": [row.to_dict() for row in self.rows()],
            "findings": [finding.to_dict() for finding in self.comparison_findings],
        }))  # fmt: skip

    def _partial_ends(self, of: str) -> dict[str, str]:
        """Return which of both totals is known, but not whole: ``before_known`` and ``after_known``."""
        k, whole = COMPARED_RESULTS.index(of), self.whole
        ends = (("before", whole.old, whole.before[k]), ("after", whole.new, whole.after[k]))
        known = {f"{end}_known": side.known(of) for end, side, value in ends if isfinite(value)}
        return {end: words for end, words in known.items() if words != "whole"}

    @cached_property
    def _masses(self) -> tuple[NDArray[np.float64], ...]:
        """Mass of every item before and after, (n,) each; NaN where no mass at or below it is known."""
        ends = zip(self.numbers, (self.old.rollup.coverage, self.new.rollup.coverage), strict=True)
        return tuple(np.where((of.known_mass == 0) & (of.rows > 0), np.nan, numbers.mass) for numbers, of in ends)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the changed items as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per item; contributions are in columns ``d_mass`` …, in the units of the new file. Of two robots,
            one row per link.
        """
        import pandas as pd

        if self.links is not None:
            return pd.DataFrame(self.links.to_records())
        boms, at = (self.old.bom, self.new.bom), (self.matching.old[self.lines], self.matching.new[self.lines])
        ends = list(zip(("before", "after"), boms, at, self._masses, strict=True))
        changes, contributions = self.changes[self.lines], self.whole.parts.contributions[self.lines]
        words = {flags: ", ".join(ChangeKind(flags).words) for flags in np.unique(changes).tolist()}
        gone, here = (_texts_at_items(bom.ids, items) for _, bom, items, _ in ends)
        old_names, names = (_texts_at_items(bom.names or [""] * len(bom), items) for _, bom, items, _ in ends)
        columns: dict[str, Any] = {
            "id": [new if new is not None else old for new, old in zip(here, gone, strict=True)],
            "name": [new or old or "" for new, old in zip(names, old_names, strict=True)],
            "changes": [words[flags] for flags in changes.tolist()],
            "reason": [self.reasons.get(line, "") for line in self.lines.tolist()],
        }
        columns |= {f"parent_{end}": _parent_ids(bom, items) for end, bom, items, _ in ends}
        columns |= {
            f"qty_{end}": np.where(items >= 0, bom.quantity.count[items], np.nan) for end, bom, items, _ in ends
        }
        columns |= {f"mass_{end}": np.where(items >= 0, mass[items], np.nan) for end, _, items, mass in ends}
        columns |= {f"d_{name}": contributions[:, k] for k, name in enumerate(COMPARED_RESULTS)}
        frame = pd.DataFrame(columns)
        frame.attrs["known"] = {name: known for name in COMPARED_RESULTS if (known := self._partial_ends(name))}
        return frame

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        unit = f" [{self.units.mass}]" if self.units.mass else ""
        rows = ((row.id, ", ".join(row.changes), row.contributions.get("mass")) for row in self.rows())
        return html_table(repr(self).strip("<>"), ["id", "changes", f"change of the mass{unit}"], rows, len(self.lines))

    def __repr__(self) -> str:
        """Return the files, how many items differ, and the change of mass."""
        change = f"{float(self.whole.change[0]):+g} {self.units.mass}".strip()
        change += " (known parts only)" if self._partial_ends("mass") else ""
        return f"<Diff {' → '.join(self.names)}: {len(self.lines):,} items differ, mass {change}>"


def diff_with_links(answer: Diff, findings: Findings) -> Diff:
    """Compare the links of two robots too, and report those of which one is the other in another convention."""
    old, new = answer.old.bom, answer.new.bom
    if not (old.table.source.is_robot and new.table.source.is_robot):
        return answer
    links = compare_links(old, new)
    for link in () if links is None else links.different:
        for words in link.reasons:
            place = item_place(new, new.item(link.name))
            findings.report("MP647", f"link {link.name}: {words}", place, value=link.name, item=link.name)
    return replace(answer, links=links)


def item_place(bom: Bom, item: int) -> Place:
    """Return the place of the row of an item."""
    row = int(bom.rows[item])
    return bom.table.place(row) if row >= 0 else Place(bom.table.source.name)


def json_values(value: Any) -> Any:
    """Return a value for JSON, with None for every number in it that is not known."""
    if isinstance(value, dict):
        return {key: json_values(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value
