"""Whose errors are shared: what the columns ``corr_group`` and ``part`` say, and the groups that a rule makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_once
from massprops_cli.findings import Finding, UsageError
from massprops_cli.rollup.correlation import ALONE, Correlation
from massprops_cli.rollup.groups import ends_of, path_quantities
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.items.identity import folded

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content
    from massprops_cli.bom.stating.correlation_file import Coupling

RULES = ("none", "part", "all")
"""What ``--correlate`` takes."""
EVERYTHING = "(all)"
"""The name of the group that ``--correlate all`` makes."""

Index = NDArray[np.intp]


class Sharing(NamedTuple):
    """The cells of n items under ``corr_group``, and their part numbers; None without such a column."""

    groups: Sequence[str] | None
    parts: Sequence[str] | None


def read_sharing(items: ItemRows, marks: Marks, part: Index | None) -> tuple[Sharing, list[Finding]]:
    """Read the groups of items whose own numbers go up, and the part numbers; ``part (n,)`` is that of layout edges."""
    named = items.columns.by_quantity
    column = named.get("corr_group")
    groups: list[str] | None = None
    findings: list[Finding] = []
    if column is not None:
        groups = [text.strip() for text in items.texts(column.index)]
        filled = np.fromiter(map(bool, groups), bool, len(groups))
        words = "a computed assembly takes its errors from its parts"
        findings = say_once(items, "MP514", filled & ~marks.goes_up, column, words)
        for i in np.flatnonzero(filled & ~marks.goes_up).tolist():
            groups[i] = ""
        findings += look_alikes(items, groups, column)
    if "part" in named:
        return Sharing(groups, items.texts(named["part"].index)), findings
    return Sharing(groups, None if part is None or "child" not in named else names_of_parts(items, part)), findings


def look_alikes(items: ItemRows, groups: Sequence[str], column: Column) -> list[Finding]:
    """Warn of groups whose names look the same but for case and blanks, since they share nothing with each other."""
    spelt: dict[str, dict[str, None]] = {}
    for text in dict.fromkeys(groups):
        spelt.setdefault(folded(text), {})[text] = None
    others = {text: next(iter(names)) for names in spelt.values() if len(names) > 1 for text in list(names)[1:]}
    if not others:
        return []
    which = np.flatnonzero(np.array([text in others for text in groups]))

    def words(i: int) -> str:
        return f"{items.ids[i]}: the group {groups[i]} is another one than {others[groups[i]]}"

    return say(items, Fault("MP519", column), which, words)


def names_of_parts(items: ItemRows, part: Index) -> list[str]:
    """Give the part behind every use, by the text of the table's column of children."""
    numbers, first = np.unique(part, return_index=True)
    index = items.columns.by_quantity["child"].index
    rows = items.rows[first].tolist()
    names = [items.table.text(row, index).strip() if row >= 0 else "" for row in rows]
    return [names[k] for k in np.searchsorted(numbers, part).tolist()]


def correlation_of(
    bom: Content, correlate: str = "none", correlate_centers: bool = False, matrix: Coupling | None = None
) -> Correlation:
    """Say which items of a bill of materials share their errors.

    The column ``corr_group`` is always in force. Of the other items, with ``none`` each has errors of its own, and so
    has each of its pieces; with ``part`` those of one part number share, and the pieces of an item without one; with
    ``all`` there is one group of every item, whatever its ``corr_group``. ``matrix`` couples groups (see
    ``correlation_file``). Raises UsageError for another rule, and for ``all`` with a ``matrix``.

    >>> from massprops_cli.bom.bom import Bom
    >>> rows = [{"id": "top", "parent": ""}, *({"id": k, "parent": "top", "mass": 1, "part": "M6"} for k in "ab")]
    >>> correlation_of(Bom.from_records(rows), "part").group.tolist()
    [-1, 0, 0]
    """
    if correlate not in RULES:
        raise UsageError(f"correlate is {correlate}; it can be {', '.join(RULES)}")
    if correlate == "all" and matrix is not None:
        raise UsageError("--correlate all puts every item into one group, so a file of correlations has none to couple")
    ends = ends_of(bom.tree, bom.stated)
    if correlate == "all":
        return Correlation(np.where(ends, 0, ALONE).astype(np.int32), [EVERYTHING], correlate_centers)
    labels: dict[tuple[str, str], int] = {}
    group = numbered(labels, "group", bom.groups, ends)
    pieces = in_pieces(bom)
    if correlate == "part":
        rest = ends & (group == ALONE)
        group = np.where(rest, numbered(labels, "part", bom.part_numbers, rest), group)
        for i in np.flatnonzero(rest & (group == ALONE) & pieces).tolist():
            group[i] = labels.setdefault(("item", bom.ids[i]), len(labels))
    used = matrix.names if matrix is not None else ()
    kept = np.array([kind == "group" and name in used for kind, name in labels], bool)
    group, kept = without_singles(group, pieces, kept)
    names = [name for (_, name), keep in zip(labels, kept.tolist(), strict=True) if keep]
    if matrix is None:
        return Correlation(group, names, correlate_centers)
    return Correlation(group, names, correlate_centers, *matrix.over(names))


def in_pieces(bom: Content) -> NDArray[np.bool_]:
    """Tell which items stand for several pieces in the whole ``(n,)``, so that sharing matters to each by itself."""
    whole = path_quantities(bom.tree, bom.quantity)
    with np.errstate(over="ignore", invalid="ignore"):
        one: NDArray[np.bool_] = np.abs(whole.variance_weight() - whole.count**2) <= 1e-12 * whole.count**2
    return ~one


def without_singles(
    group: NDArray[np.int32], pieces: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Leave out groups of one piece, which share with nobody, but for those ``kept``; the others are renumbered.

    >>> without_singles(np.array([0, 1, 1, 2], np.int32), np.array([False, False, False, True]), np.zeros(3, bool))
    (array([-1,  0,  0,  1], dtype=int32), array([False,  True,  True]))
    """
    members = group != ALONE
    size = np.bincount(group[members], minlength=len(kept))
    kept = kept | (size > 1)
    kept[group[members & pieces]] = True
    number = np.where(kept, np.cumsum(kept) - 1, ALONE).astype(np.int32)
    return np.where(members, np.append(number, ALONE)[group], ALONE).astype(np.int32), kept


def numbered(
    labels: dict[tuple[str, str], int], kind: str, texts: Sequence[str] | None, where: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Give the group ``(n,)`` that every item's text names, ``ALONE`` where blank; new names go into ``labels``."""
    group = np.full(len(where), ALONE, np.int32)
    if texts is None:
        return group
    for i in np.flatnonzero(where).tolist():
        if text := texts[i].strip():
            group[i] = labels.setdefault((kind, text), len(labels))
    return group
