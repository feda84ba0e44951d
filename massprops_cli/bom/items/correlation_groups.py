"""Correlated uncertainties: groups from the columns ``corr_group`` and ``part``, and correlations between groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_flags import ItemFlags
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_column_once, report_items
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import Floats, Rows, Table
from massprops_cli.findings.finding import Findings, UsageError, nearest_name_hint
from massprops_cli.rollups.covariance import Covariances, SharedFactors
from massprops_cli.rollups.inputs import NO_GROUP, PARAMETER_NAMES, Correlation, UpwardSums
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import QuantityColumn
from massprops_cli.tables.rows.hierarchy import folded_text

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.trees.tree import Tree

_SHARING_RULES = ("none", "part", "all")
_ALL_ITEMS_GROUP = "(all)"


def read_correlation_groups(
    items: ItemRows, marks: ItemFlags, part: Rows | None, findings: Findings
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Read the groups (``corr_group``) and part numbers (n,) of rolled-up items; None without the column."""
    named = items.columns.by_quantity
    column = named.get("corr_group")
    groups: list[str] | None = None
    if column is not None:
        groups = [text.strip() for text in items.texts(column.index)]
        filled = np.fromiter(map(bool, groups), bool, len(groups))
        words = f"{column.header} of a computed assembly is not read"
        report_column_once(items, ItemFault("MP514", column), filled & ~marks.goes_up, words, findings)
        for i in np.flatnonzero(filled & ~marks.goes_up).tolist():
            groups[i] = ""
        _report_similar_groups(items, groups, column, findings)
    if "part" in named:
        return groups, items.texts(named["part"].index)
    if part is None or "child" not in named:
        return groups, None
    # the part of every use, by the text in the column of children
    numbers, first = np.unique(part, return_index=True)
    texts = items.table.texts(named["child"].index)
    names = [texts[row].strip() if row >= 0 else "" for row in items.rows[first].tolist()]
    return groups, [names[k] for k in np.searchsorted(numbers, part).tolist()]


def _report_similar_groups(items: ItemRows, groups: Sequence[str], column: QuantityColumn, findings: Findings) -> None:
    """Report groups whose names differ only in case and blanks; they are not correlated with each other."""
    spelt: dict[str, dict[str, None]] = {}
    for text in dict.fromkeys(groups):
        spelt.setdefault(folded_text(text), {})[text] = None
    others = {text: next(iter(names)) for names in spelt.values() if len(names) > 1 for text in list(names)[1:]}
    if not others:
        return

    def words(i: int) -> str:
        return f"group of {items.ids[i]} has a name similar to another group: {groups[i]} ({others[groups[i]]})"

    report_items(items, ItemFault("MP519", column), np.array([text in others for text in groups]), words, findings)


def item_correlation(
    bom: Bom, correlate: str = "none", correlate_centers: bool = False, matrix: GroupCorrelations | None = None
) -> Correlation:
    """Assign items to groups of correlated uncertainties by column and option (docs/formulas.md, section 6)."""
    if correlate not in _SHARING_RULES:
        raise UsageError(f"correlate has an unknown word: {correlate} ({', '.join(_SHARING_RULES)})")
    if correlate == "all" and matrix is not None:
        raise UsageError("--correlate all excludes a file of correlations, because all items form one group")
    ends = bom.tree.end_items(bom.stated)
    if correlate == "all":
        every = np.where(ends, 0, NO_GROUP).astype(np.int32)
        return Correlation(every, [_ALL_ITEMS_GROUP], correlate_centers, kinds=["all"])
    labels: dict[tuple[str, str], int] = {}
    group = _group_numbers(labels, "group", bom.groups, ends)
    # pieces of an item without a part number are correlated too, where there are several in an assembly above them;
    # a quantity of 0 counts as one piece, because the assembly itself is still rolled up
    count = np.where(bom.quantity.count == 0, 1.0, bom.quantity.count)
    whole = bom.tree.path_quantities(replace(bom.quantity, count=count))
    with np.errstate(over="ignore", invalid="ignore"):
        pieces = ~(np.abs(whole.variance_weight() - whole.count**2) <= 1e-12 * whole.count**2)
    if correlate == "part":
        rest = ends & (group == NO_GROUP)
        group = np.where(rest, _group_numbers(labels, "part", bom.part_numbers, rest), group)
        for i in np.flatnonzero(rest & (group == NO_GROUP) & pieces).tolist():
            group[i] = labels.setdefault(("item", bom.ids[i]), len(labels))
    used = {("group", name) for name in ([] if matrix is None else matrix.names)}
    if bom.branches is not None:  # groups that have members in a branch which one leaf represents
        used.update(bom.branches.groups)
        for label in bom.branches.groups:
            labels.setdefault(label, len(labels))
    kept = np.array([label in used for label in labels], bool)
    group, kept = _drop_single_groups(group, pieces, kept)
    names = [label for label, keep in zip(labels, kept.tolist(), strict=True) if keep]
    made = Correlation(group, [name for _, name in names], correlate_centers, kinds=[kind for kind, _ in names])
    if matrix is None:
        return made
    coupled, correlations, numbers = matrix.over(made.labels)
    return replace(made, coupled=coupled, matrix=correlations, matrix_of=numbers)


@dataclass(frozen=True, eq=False)
class BranchLeaves:
    """The k leaves that represent whole branches: covariances, and their parts in groups with other members."""

    items: Rows  # (k,)
    packed: Floats  # (55, k) of the ten additive parameters about own centres, without those groups
    pairs: Rows  # (p, 2) an index in ``items`` and one in ``groups``
    groups: tuple[tuple[str, str], ...]  # kind and name
    columns: Floats  # (c, 10, p) deviations for one sigma of masses, and of shared centre coordinates
    tensor: Floats  # (6, p) deviations of the tensor entries, mass × length²
    upward: UpwardSums | None = None

    @classmethod
    def independent(cls, packed: Floats, upward: UpwardSums) -> BranchLeaves:
        """Return branches (k) that have no groups with other members: ``packed`` (55, k)."""
        none = np.zeros((0, 2), np.intp), (), np.zeros((1, 10, 0)), np.zeros((6, 0))
        return cls(upward.items, packed, *none, upward)

    def covariances(self, tree: Tree, correlation: Correlation | None) -> Covariances:
        """Return what a roll-up uses."""
        order = np.argsort(tree.position[self.items])
        factors = None
        if correlation is not None and len(self.pairs):
            number = {label: k for k, label in enumerate(zip(correlation.kinds, correlation.labels, strict=True))}
            group = np.array([number[label] for label in self.groups], np.intp)
            factors = SharedFactors(self.items[self.pairs[:, 0]], group[self.pairs[:, 1]], self.columns, self.tensor)
        return Covariances(self.items[order].astype(np.int32), self.packed[:, order], factors)


def _drop_single_groups(
    group: NDArray[np.int32], pieces: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Drop groups of a single piece, except those ``kept``, and renumber the others."""
    members = group != NO_GROUP
    kept = kept | (np.bincount(group[members], minlength=len(kept)) > 1)
    kept[group[members & pieces]] = True
    number = np.where(kept, np.cumsum(kept) - 1, NO_GROUP).astype(np.int32)
    return np.where(members, np.append(number, NO_GROUP)[group], NO_GROUP).astype(np.int32), kept


def _group_numbers(
    labels: dict[tuple[str, str], int], kind: str, texts: Sequence[str] | None, where: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return the group ``(n,)`` of every item's text, ``NO_GROUP`` if blank; new names are added to ``labels``."""
    group = np.full(len(where), NO_GROUP, np.int32)
    if texts is None:
        return group
    for i in np.flatnonzero(where).tolist():
        if text := texts[i].strip():
            group[i] = labels.setdefault((kind, text), len(labels))
    return group


_CORRELATION_COLUMNS = ("a", "b", "quantity", "rho")
# places in ``PARAMETER_NAMES``
_CENTER_PLACES, _INERTIA_PLACES = (1, 2, 3), (4, 5, 6, 7, 8, 9)
_QUANTITY_GROUPS = {
    "center": _CENTER_PLACES,
    "centre": _CENTER_PLACES,
    "inertia": _INERTIA_PLACES,
    "all": tuple(range(10)),
}
"""Words for several of the ten quantities, by their places in ``PARAMETER_NAMES``."""
_CORRELATION_ROUNDING = 1e-9  # the rounding of correlations allows eigenvalues that are negative by this amount


class GroupCorrelations(NamedTuple):
    """Correlations between groups: ``names`` of c groups, ``matrix (d, c, c)``, and which is that of each quantity."""

    names: tuple[str, ...]
    matrix: Floats
    matrix_of: tuple[int, ...] = tuple(range(10))

    def over(self, names: Sequence[str]) -> tuple[NDArray[np.intp], Floats, tuple[int, ...]]:
        """Select coupled groups: places (c',), matrices (d, c', c') and use (10,): docs/formulas.md, section 6."""
        # the last are matrix numbers of the ten parameters; a name of a group and a part number is the first of them
        at = {name: k for k, name in reversed(list(enumerate(names)))}
        found = [k for k, name in enumerate(self.names) if name in at]
        places = np.array([at[self.names[k]] for k in found], np.intp)
        matrix = self.matrix if len(found) == len(self.names) else self.matrix[:, found][:, :, found]
        return places, matrix, self.matrix_of


class _StatedCorrelation(NamedTuple):
    """A valid row of the file: two groups, the places of its quantities in ``PARAMETER_NAMES``, a correlation."""

    row: int
    a: str
    b: str
    places: tuple[int, ...]
    rho: float


def read_correlations(
    bom: Bom, name: str, findings: Findings, *, correlate_centers: bool = False
) -> GroupCorrelations | None:
    """Read a file of correlations between the groups of a table (docs/formulas.md, section 6); None with errors."""
    table = read_file_table(name, FileOptions(), None, findings)
    groups = dict.fromkeys(text for text in bom.groups or () if text)
    return _read_correlation_table(table, groups, findings, correlate_centers=correlate_centers)


def _read_correlation_table(
    table: Table, groups: Mapping[str, None], findings: Findings, *, correlate_centers: bool = False
) -> GroupCorrelations | None:
    """Read a table of correlations between groups of these names; None when it has errors."""
    n_before = len(findings)
    header = [text.strip().casefold() for text in table.row(0)]
    if missing := [column for column in _CORRELATION_COLUMNS if column not in header]:
        message = (
            f"columns of the file of correlations are missing: {', '.join(missing)} "
            f"({', '.join(_CORRELATION_COLUMNS)} expected)"
        )
        findings.report("MP203", message, table.place(0), remedy=f"add the columns {', '.join(missing)} to this file")
        return None
    at = {column: header.index(column) for column in _CORRELATION_COLUMNS}
    rows: list[_StatedCorrelation] = []
    for row in range(1, table.n_rows):
        cells = {column: table.text(row, index).strip() for column, index in at.items()}
        if not any(cells.values()):
            continue
        if isinstance((stated := _parse_correlation_row(row, cells, groups, correlate_centers)), _StatedCorrelation):
            rows.append(stated)
        else:
            rule, column, message = stated
            findings.report(rule, message, table.place(row, at[column], column), value=cells[column])
    coupling = _group_correlation_matrices(table, rows, findings)
    return coupling if len(findings) == n_before else None


def _parse_correlation_row(
    row: int, cells: dict[str, str], groups: Mapping[str, None], centers: bool
) -> _StatedCorrelation | tuple[str, str, str]:
    """Read one row, or return the rule, the column and the message of its fault."""
    for column in ("a", "b"):
        if cells[column] not in groups:
            hint = nearest_name_hint(cells[column], tuple(groups))
            return "MP516", column, f"group is not in the table: {cells[column] or 'blank'}{hint}"
    word = cells["quantity"].casefold()
    places = _QUANTITY_GROUPS.get(word) or tuple(k for k, name in enumerate(PARAMETER_NAMES) if name.casefold() == word)
    if not places:
        hint = nearest_name_hint(cells["quantity"], (*PARAMETER_NAMES, "center", "inertia", "all"))
        return "MP515", "quantity", f"quantity is not known: {cells['quantity'] or 'blank'}{hint}"
    if not centers:
        if set(places) <= set(_CENTER_PLACES):
            return "MP515", "quantity", "correlation of centres requires --config correlate-centers=true"
        places = tuple(k for k in places if k not in _CENTER_PLACES)
    if (rho := read_number(cells["rho"])) is None or abs(rho) > 1:
        return "MP515", "rho", f"rho is not a correlation: {cells['rho'] or 'blank'} (-1 to 1)"
    if cells["a"] == cells["b"] and rho != 1:
        return "MP515", "rho", f"rho of {cells['a']} with itself is not 1: {cells['rho']}"
    return _StatedCorrelation(row, cells["a"], cells["b"], places, rho)


def _group_correlation_matrices(
    table: Table, rows: Sequence[_StatedCorrelation], findings: Findings
) -> GroupCorrelations:
    """Assemble the matrices of all rows; report rows that differ, or else indefinite matrices."""
    names = tuple(dict.fromkeys(name for stated in rows for name in (stated.a, stated.b)))
    at = {name: k for k, name in enumerate(names)}
    both = np.array([(at[row.a], at[row.b]) for row in rows], np.intp).reshape(-1, 2)
    first_of, second_of, rho = both.min(axis=1), both.max(axis=1), np.array([row.rho for row in rows], float)
    stated_of = np.array([[k in row.places for row in rows] for k in range(10)], bool)
    conflicts: dict[int, tuple[int, int, int]] = {}
    for k, chosen in enumerate(stated_of):
        for before, after in _conflicting_rows(first_of, second_of, rho, chosen):
            conflicts.setdefault(after, (k, before, after))
    for k, before, after in map(conflicts.__getitem__, sorted(conflicts)):
        first, row = rows[before], rows[after]
        quantity = PARAMETER_NAMES[k]
        message = f"pair {row.a}, {row.b} has two correlations of {quantity}: {first.rho:g} and {row.rho:g}"
        related = (table.place(first.row), table.place(row.row))
        findings.report("MP515", message, table.place(row.row), related=related)
    different, matrix_of = np.unique(stated_of, axis=0, return_inverse=True)
    of = tuple(int(k) for k in matrix_of.reshape(-1))
    if conflicts:
        return GroupCorrelations(names, np.zeros((len(different), 0, 0)), of)
    matrix = np.zeros((len(different), len(names), len(names)))
    for k, chosen in enumerate(different):
        np.fill_diagonal(matrix[k], 1.0)
        i, j = first_of[chosen], second_of[chosen]
        matrix[k, i, j] = matrix[k, j, i] = rho[chosen]
    coupling = GroupCorrelations(names, matrix, of)
    _report_indefinite_matrices(table, coupling, findings)
    return coupling


def _conflicting_rows(i: Rows, j: Rows, rho: Floats, chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return successive chosen rows (m,) of one pair of groups that state different correlations."""
    where = np.flatnonzero(chosen)
    where = where[np.lexsort((where, j[where], i[where]))]
    before, after = where[:-1], where[1:]
    differ = (i[before] == i[after]) & (j[before] == j[after]) & (rho[before] != rho[after])
    return list(zip(before[differ].tolist(), after[differ].tolist(), strict=True))


def _negative_eigenvalue(matrix: Floats) -> float:
    """Return the smallest eigenvalue if it is negative beyond rounding, else 0."""
    # a matrix has a Cholesky factor if it is positive definite: a thirtieth of the time of the eigenvalues
    shifted = matrix.copy()
    np.fill_diagonal(shifted, 1 + _CORRELATION_ROUNDING)
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(matrix)[0])
        return smallest if smallest < -_CORRELATION_ROUNDING else 0.0
    return 0.0


def _report_indefinite_matrices(table: Table, coupling: GroupCorrelations, findings: Findings) -> None:
    """Report the quantities whose correlation matrix has a negative eigenvalue."""
    if not coupling.matrix.size:
        return
    smallest = np.array([_negative_eigenvalue(matrix) for matrix in coupling.matrix])[list(coupling.matrix_of)]
    if not len(wrong := np.flatnonzero(smallest < 0)):
        return
    least = float(smallest[wrong].min())
    names = ", ".join(PARAMETER_NAMES[k] for k in wrong.tolist())
    # 1 + f (R - 1) has the eigenvalues 1 + f (λ - 1)
    factor = np.floor(1e4 / (1 - least)) / 1e4
    findings.report(
        "MP517",
        f"correlation matrix of {names} is not positive semi-definite: smallest eigenvalue {least:.6g}",
        table.place(0),
        remedy=f"state the correlations of the other pairs, or multiply all by at most {factor:.4f}",
    )
