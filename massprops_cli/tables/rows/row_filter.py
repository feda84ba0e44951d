"""Rows selected by their cells: the leaves that meet every condition, and the assemblies above them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Mask, Rows, Table
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    UsageError,
    count_with_noun,
    name_list,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.tables.cells.cell_words import read_truth_values
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, read_number
from massprops_cli.tables.cells.numbers import parse_column
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, columns_of_name
from massprops_cli.tables.columns.headings import ignore_option
from massprops_cli.tables.options import NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES
from massprops_cli.tables.rows.hierarchy import Hierarchy

_ORDER_SIGNS = ("<", "<=", ">", ">=")
_COMPARISONS: dict[str, Callable[[NDArray[np.float64], float], Mask]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
# mass >= 2.5, subsystem in (Power, Thermal)
_CONDITION_FORM = re.compile(
    r"""(?P<column>"[^"]+"\s*|'[^']+'\s*|.+?)(?:(?P<sign>!=|<=|>=|=|<|>|~)|\bin\b(?=\s*+\())(?P<value>.*)""",
    re.DOTALL | re.IGNORECASE,
)
_LIST_ENTRY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")  # Power, "a, b"


@dataclass(frozen=True, slots=True)
class _RowCondition:
    """One condition on a column: ``sign`` is ``= != < <= > >= ~`` or ``in``; ``values`` are what it compares with."""

    text: str
    column: str
    sign: str
    values: tuple[str, ...]

    def on_texts(self, cells: Sequence[str]) -> list[bool]:
        """Test cells as texts, blanks around them trimmed; each distinct text is examined only once."""
        part = self.values[0].casefold()
        tests: dict[str, Callable[[str], bool]] = {
            "=": lambda cell: cell == self.values[0],
            "!=": lambda cell: cell != self.values[0],
            "in": lambda cell: cell in self.values,
            "~": lambda cell: part in cell.casefold(),
        }
        test = tests[self.sign]
        known = {cell: test(cell.strip(BLANK_CHARACTERS)) for cell in set(cells)}
        return [known[cell] for cell in cells]


def read_row_condition(text: str) -> _RowCondition:
    """Parse a condition such as ``mass >= 2.5``."""
    if (form := _CONDITION_FORM.fullmatch(text.strip())) is None:
        remedy = '(a column, = != < <= > >= ~ or in, and a value: --where "subsystem = Power")'
        raise UsageError(f"--where is not a condition: {text} {remedy}")
    column, sign, value = _strip_quotes(form["column"]), form["sign"] or "in", form["value"].strip(BLANK_CHARACTERS)
    if sign == "in":
        if not value.endswith(")"):
            example = "subsystem in (Power, Thermal)"
            raise UsageError(f"--where has a list that is not closed: {text} ({example} was expected)")
        return _RowCondition(text, column, sign, tuple(map(_strip_quotes, _LIST_ENTRY.findall(value[1:-1]))))
    value = _strip_quotes(value)
    if sign in _ORDER_SIGNS and read_number(value) is None:
        given = value or "nothing"
        raise UsageError(f"--where {text}: {sign} compares numbers, and the value is not a number: {given}")
    if sign == "~" and not value:
        raise UsageError(f"--where has no text to search for: {text}")
    return _RowCondition(text, column, sign, (value,))


def _strip_quotes(text: str) -> str:
    """Remove blanks and one pair of quotes."""
    text = text.strip(BLANK_CHARACTERS)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _condition_column(condition: _RowCondition, columns: TableColumns, table: Table) -> int:
    """Find the column that a condition is on, by its header or by the quantity that it is read as."""
    if len(same := columns_of_name(condition.column, table, columns)) == 1:
        return same[0]
    if same:
        places = " or ".join(f"col:{j + 1}" for j in same)
        what = f"{len(same)} columns have the name {condition.column}; name one by place: {places}"
        raise UsageError(f"--where {condition.text}: {what}")
    header = [text.strip() for text in columns.header]
    hint = nearest_name_hint(condition.column, [*header, *columns.by_quantity])
    hint = hint or f"; the columns are {', '.join(text for text in header if text)}"
    raise UsageError(f"--where {condition.text}: no such column{hint}")


def filter_hierarchy(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, conditions: Sequence[str], findings: Findings
) -> Hierarchy:
    """Keep the leaves whose own cells meet every condition, and the assemblies that hold one of them."""
    # A leaf with a blank cell under an assembly whose cell would decide otherwise has two readings, and is a finding
    parents = np.asarray(hierarchy.parents)
    is_leaf = np.ones(len(parents), bool)
    is_leaf[parents[parents >= 0]] = False
    tests = []
    for condition in map(read_row_condition, conditions):
        on = _FilterColumn(hierarchy.rows, table, columns, _condition_column(condition, columns, table), is_leaf)
        met = on.met(condition, findings)
        if not (is_leaf & met).any():
            raise UsageError(f"--where {condition.text}: no leaf matches{on.offer(condition, hierarchy.ids)}")
        tests.append((condition, on, met))
    meets = np.logical_and.reduce([is_leaf, *(met for _, _, met in tests)])
    for condition, on, met in tests:
        others = np.logical_and.reduce([is_leaf, *(other for _, _, other in tests if other is not met)])
        findings += on.unclear(condition, met, others, hierarchy)
    if not meets.any():
        raise UsageError(f"no leaf meets every --where: {'; '.join(conditions)}")
    kept = _add_ancestors(parents, meets)
    findings += _partial_assembly_findings(hierarchy, table, columns, kept)
    findings += _row_filter_findings(hierarchy, table, columns, kept, meets)
    return _hierarchy_subset(hierarchy, np.flatnonzero(kept))


def matching_items(text: str, table: Table, columns: TableColumns, rows: Rows) -> Mask:
    """Return which items (n,), assemblies included, have a cell in rows (n,) that meets a condition."""
    condition, findings = read_row_condition(text), Findings()
    column = _condition_column(condition, columns, table)
    met = _FilterColumn(rows, table, columns, column, np.ones(len(rows), bool)).met(condition, findings)
    if findings:
        raise UsageError(findings[0].message)
    return met & (rows >= 0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _FilterColumn:
    """A column of items in table rows (n,), on which conditions are evaluated."""

    rows: Rows
    table: Table
    columns: TableColumns
    column: int
    is_leaf: Mask

    @property
    def header(self) -> str:
        """The column's header."""
        return self.columns.header[self.column].strip()

    @property
    def read_as(self) -> list[QuantityColumn]:
        """The quantities that the column is read as."""
        return [column for column in self.columns.by_quantity.values() if column.index == self.column]

    def texts(self) -> list[str]:
        """Read the column's text for every item; empty for one without a row."""
        first = self.columns.first_row
        cells = self.table.texts(self.column, first)
        return [cells[row - first] if row >= 0 else "" for row in self.rows.tolist()]

    def met(self, condition: _RowCondition, findings: Findings) -> Mask:
        """Test a condition on every item ``(n,)``, and report ambiguities."""
        if self.compares_numbers(condition):
            numbers = [read_number(value) for value in condition.values]
            return self.met_by_number(condition, [number for number in numbers if number is not None], findings)
        return np.array(condition.on_texts(self.texts()), bool)

    def compares_numbers(self, condition: _RowCondition) -> bool:
        """Return whether a condition compares numbers, not texts."""
        # in a column of numbers 2 and 2.0 are the same
        quantities = {column.quantity for column in self.read_as}
        holds_numbers = not quantities <= set(TEXT_QUANTITIES) - set(NUMERIC_TEXT_QUANTITIES)
        are_numbers = holds_numbers and all(read_number(value) is not None for value in condition.values)
        return condition.sign in _ORDER_SIGNS or (are_numbers and condition.sign != "~")

    def met_by_number(self, condition: _RowCondition, numbers: Sequence[float], findings: Findings) -> Mask:
        """Compare numbers ``(n,)``; a blank meets only ``!=``, and a leaf's cell that is not a number is a finding."""
        first = self.columns.first_row
        (read,) = self.table.numbers([self.column], first)
        parsed = parse_column(self.table, self.column, read, first)
        rows = self.rows
        values = np.where(rows >= 0, parsed.values[np.where(rows >= 0, rows - first, 0)], np.nan)
        units = next((column.by_row for column in self.read_as), None)
        values = values if units is None else values * units.sizes(rows)
        order = _COMPARISONS["=" if condition.sign == "in" else condition.sign]
        met: Mask = np.any([order(values, number) for number in numbers], axis=0)
        bad = np.intersect1d(parsed.bad + first, rows[self.is_leaf])
        for row in bad[:1].tolist():
            text, place = self.table.text(row, self.column), self.table.place(row, self.column, self.header)
            message = f"--where {condition.text} compares numbers, and the cell is not a number: {text.strip()}"
            findings.report("MP205", message, place, value=text, count=len(bad))
        return met

    def unclear(self, condition: _RowCondition, met: Mask, others: Mask, hierarchy: Hierarchy) -> list[Finding]:
        """Report blank cells of leaves, masks ``(n,)``, where the cell of an assembly above would decide otherwise."""
        # leaves that another condition excludes are not in question: ``others`` are the remaining ones
        selects_blanks = condition.sign in ("=", "in") and "" in condition.values
        if self.read_as or selects_blanks or self.compares_numbers(condition):
            return []
        texts = self.texts()
        blank = np.array([not text.strip(BLANK_CHARACTERS) for text in texts], bool)
        above = np.asarray(hierarchy.parents, dtype=np.intp)
        leaves = np.flatnonzero(others & blank)
        over = above[leaves]
        for _ in range(len(texts)):  # a loop of parents is an error of its own, and ends here too
            on = (over >= 0) & blank[over]
            if not on.any():
                break
            over = np.where(on, above[over], over)
        differ = (over >= 0) & (met[over] != met[leaves]) & ~blank[over]
        if not differ.any():
            return []
        leaf, assembly = int(leaves[differ][0]), int(over[differ][0])
        ids, count = hierarchy.ids, int(differ.sum())
        more = f"; the same in {count - 1:,} more" if count > 1 else ""
        other = texts[assembly].strip()
        message = f"{self.header} of {ids[leaf]} is blank, and that of its assembly {ids[assembly]} is {other}: "
        message += f"--where {condition.text} is ambiguous{more}"
        place = self.table.place(int(self.rows[leaf]), self.column, self.header)
        return [rule_finding("MP330", message, place, item=ids[leaf], count=count)]

    def offer(self, condition: _RowCondition, ids: Sequence[str]) -> str:
        """Name a match for the hint: the nearest cell, or an assembly with that name."""
        texts = [text.strip(BLANK_CHARACTERS) for text in self.texts()]
        wanted = condition.values[0]
        if condition.sign == "=" and wanted in ids:
            return f"; {wanted} is an assembly; select it with --root {wanted}"
        cells = dict.fromkeys(text for text, leaf in zip(texts, self.is_leaf.tolist(), strict=True) if leaf and text)
        hint = nearest_name_hint(wanted, cells) if condition.sign in ("=", "in", "~") else ""
        return hint or f"; {self.header} contains {name_list(list(cells)) or 'blanks only'}"


def _add_ancestors(parents: NDArray[np.int32], chosen: Mask) -> Mask:
    """Add to the chosen items ``(n,)`` everything above them."""
    kept = chosen.copy()
    edge = np.flatnonzero(chosen)
    while len(edge):
        above = np.unique(parents[edge]).astype(np.intp)
        edge = above[above >= 0]
        edge = edge[~kept[edge]]
        kept[edge] = True
    return kept


def _hierarchy_subset(hierarchy: Hierarchy, kept: Rows) -> Hierarchy:
    """Copy the hierarchy of some items, which hold all that is above them."""
    place = np.full(len(hierarchy), -1, np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    above = np.asarray(hierarchy.parents)[kept]
    return replace(
        hierarchy,
        rows=hierarchy.rows[kept],
        ids=[hierarchy.ids[i] for i in kept.tolist()],
        parents=np.where(above >= 0, place[above], above).astype(np.int32),
        names=None if hierarchy.names is None else [hierarchy.names[i] for i in kept.tolist()],
        part=None if hierarchy.part is None else hierarchy.part[kept],
        edge_rows=None if hierarchy.edge_rows is None else hierarchy.edge_rows[kept],
        piece=None if hierarchy.piece is None else hierarchy.piece[kept],
    )


def _row_filter_findings(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, kept: Mask, meets: Mask
) -> list[Finding]:
    """Report how many rows are selected, how many of them as assemblies, and how many are excluded."""
    if not (left := int((~kept).sum())):
        return []
    match, holding = int(meets.sum()), int((kept & ~meets).sum())
    selected = f"{count_with_noun(match, 'row')} and {count_with_noun(holding, 'assembly')} above"
    excluded = f"{count_with_noun(left, 'row')} {'is' if left == 1 else 'are'} excluded"
    message = f"--where selects {selected}; {excluded}"
    return [rule_finding("MP320", message, table.place(columns.header_row), count=left)]


def _partial_assembly_findings(hierarchy: Hierarchy, table: Table, columns: TableColumns, kept: Mask) -> list[Finding]:
    """Reject an assembly that was weighed complete and of which only a part is selected."""
    if (column := columns.by_quantity.get("weighed")) is None:
        return []
    parents, rows = np.asarray(hierarchy.parents), np.asarray(hierarchy.rows)
    lost = parents[~kept]
    holds = np.zeros(len(parents), bool)
    holds[lost[lost >= 0]] = True
    items = np.flatnonzero(_add_ancestors(parents, holds & kept) & (rows >= 0))
    flags = read_truth_values([table.text(row, column.index) for row in rows[items].tolist()])
    option = ignore_option(table, columns.header_row, column.index)
    remedy = f"select the complete assembly, or pass {option} to sum the parts of each"
    findings = Findings()
    for i in items[flags.values].tolist():
        message = f"{hierarchy.ids[i]} was weighed as an assembly, and --where selects only a part of it"
        place = table.place(int(rows[i]), column.index, column.header)
        findings.report("MP330", message, place, item=hierarchy.ids[i], remedy=remedy)
    return findings
