"""The items of a table: their rows, their ids, the findings about their cells, and the contents of a table read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Floats, Mask, Table
from massprops_cli.findings.finding import (
    HTML_ROWS,
    Findings,
    Place,
    Severity,
    UsageError,
    html_table,
    name_list,
    nearest_name_hint,
)
from massprops_cli.tables.cells import number_text
from massprops_cli.tables.cells.numbers import ParsedColumn, cell_measure, split_quantity_text
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, columns_of_name

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.bom import Bom

_T = TypeVar("_T", bound=np.generic)
Indices = NDArray[np.intp]
_LEVEL = re.compile(r"\s*level(?::([1-9]\d{0,3}))?\s*")
_MANY_CELLS = 2_000  # above this number of faults of one kind in one column, consecutive rows share a finding
_MANY_CELLS = 10_000  # which PyArrow counts where they are its texts
_MOST_TEXTS = 3  # that a message names
_Default = TypeVar("_Default")
_FEW_SEARCHES = 20  # in a column of Arrow; a dictionary of its texts takes longer to make


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemRows:
    """The items of a table: ``rows (n,)`` their table rows (−1 for a root that has none), ``ids`` their names."""

    table: Table
    columns: TableColumns
    rows: Indices
    ids: Sequence[str]

    def is_whole(self, n_rows: int) -> bool:
        """Return whether the items are all data rows in file order, so that no reordering is needed."""
        return (
            len(self.rows) == n_rows > 0
            and int(self.rows[0]) == self.columns.first_row
            and bool((np.diff(self.rows) == 1).all())
        )

    def gather(self, column: NDArray[_T], absent: float | bool) -> NDArray[_T]:
        """Rearrange a column (n_rows,) from the first data row into item order (n,)."""
        if self.is_whole(len(column)):
            return column
        at = self.rows - self.columns.first_row
        without = self.rows < 0
        if not without.any():
            return column[at]
        gathered = column[np.where(without, 0, at)]
        gathered[without] = absent
        return gathered

    def texts(self, index: int) -> Sequence[str]:
        """Read a column's texts in item order (n,); empty for an item without a row."""
        texts = self.table.texts(index, self.columns.first_row)
        if self.is_whole(len(texts)):
            return texts
        first = self.columns.first_row
        return [texts[row - first] if row >= 0 else "" for row in self.rows.tolist()]

    def plain_column(self, index: int, options: Any) -> QuantityColumn:
        """Return a column of numbers outside the roll-up."""
        rules = number_text.CellRules(options.decimal, options.accept_approximate)
        return QuantityColumn(index, "", self.columns.header[index].strip(), rules=rules)

    def parsed(self, column: QuantityColumn) -> ParsedColumn:
        """Parse the data rows (n_rows,) of a number column."""
        return column.parse(self.table, self.columns.first_row)

    def values(self, column: QuantityColumn, parsed: ParsedColumn) -> Floats:
        """Compute the numbers (n,) of a parsed column in item order, coherent unit; NaN without a number."""
        return self.gather(parsed.values, np.nan) * column.sizes(self.rows)

    def mask_at(self, positions: Indices) -> Mask:
        """Mark the items (n,) in some rows (k,), counted from the first data row."""
        marked = np.zeros(max(self.table.n_rows - self.columns.first_row, 0), bool)
        marked[positions] = True
        return self.gather(marked, False)

    def in_file_order(self, which: Indices | Mask) -> Indices:
        """Sort item numbers (k,), or those that a mask (n,) marks, by their rows."""
        chosen: Indices = np.asarray(np.flatnonzero(which) if which.dtype == bool else which, np.intp)
        return chosen[np.argsort(self.rows[chosen], kind="stable")]

    def place(self, i: int, column: QuantityColumn) -> Place:
        """Find the address of an item's cell."""
        return item_cell_place(self.table, int(self.rows[i]), column.index, column.header)

    def at_rows(self, rows: Indices) -> Indices:
        """Find the first item in each of some table rows (k,); rows without items are omitted."""
        order = np.argsort(self.rows, kind="stable")
        at = np.searchsorted(self.rows[order], rows)
        found: Indices = order[np.minimum(at, len(order) - 1)]
        there: Indices = found[self.rows[found] == rows]
        return there


def requested_column(name: str, table: Table, columns: TableColumns, option: str = "") -> int:
    """Find a column by its header, the quantity it was read as, or its place; raises UsageError with the nearest."""
    same = columns_of_name(name, table, columns)
    if len(same) > 1:
        raise UsageError(f"header is on {len(same)} columns: {name}")
    if not same:
        names = [*(("level:1",) if option == "--by" else ()), *filter(None, map(str.strip, columns.header))]
        hint = nearest_name_hint(name, names) or f" (expected one of {name_list(names)})"
        raise UsageError(f"unknown column{option and f' in {option}'}: {name}{hint}")
    return same[0]


def is_level(by: str) -> bool:
    """Return whether a word of ``--by`` is a level of the tree."""
    return _LEVEL.fullmatch(by) is not None


def group_texts(bom: Bom, by: str) -> Sequence[str] | tuple[list[str], Indices]:
    """Return the group of every item (n,): its cell in a column, or its id or that of the item above it at a level."""
    if (match := _LEVEL.fullmatch(by)) is None:
        return bom.item_rows.texts(requested_column(by, bom.table, bom.columns, "--by"))
    level, depth, top = int(match[1] or 1), bom.tree.depth(), np.arange(len(bom))
    for items, above in bom.tree.levels_below_root():
        if depth[items[0]] > level:
            top[items] = top[above]
    top[(depth < level) & ~(bom.tree.is_leaf() | bom.ends)] = len(bom)
    used = np.zeros(len(bom) + 1, bool)
    used[top] = True
    return [bom.ids[k] if k < len(bom) else "" for k in np.flatnonzero(used).tolist()], (np.cumsum(used) - 1)[top]


class ItemFault(NamedTuple):
    """A fault of a column's cells; a remedy may be a function of the cell's place, defaults are of the rule."""

    rule: str
    column: QuantityColumn
    remedy: str | Callable[[int], str | None] | None = None
    severity: Severity | None = None

    def remedy_of(self, k: int) -> str | None:
        """Select the remedy of one cell."""
        return self.remedy(k) if callable(self.remedy) else self.remedy


def report_cells(
    fault: ItemFault,
    table: Table,
    rows: Indices,
    message: Callable[[int], str],
    findings: Findings,
    *,
    items: Callable[[int], str] = lambda _: "",
) -> None:
    """Report one fault for many cells (k,) of a column; above ``_MANY_CELLS`` each run of rows is one finding."""
    column = fault.column
    runs = ((k, k) for k in range(len(rows))) if len(rows) <= _MANY_CELLS else _consecutive_runs(rows)
    for first, last in runs:
        begin, count = int(rows[first]), last - first + 1
        text = message(first)
        if count > 1:
            end = item_cell_place(table, int(rows[last]), column.index, column.header)
            text += f"; {count - 1:,} more rows, to {end}"
        place = item_cell_place(table, begin, column.index, column.header)
        value, remedy = "" if begin < 0 else table.text(begin, column.index), fault.remedy_of(first)
        findings.report(
            fault.rule, text, place, value=value, item=items(first), remedy=remedy, severity=fault.severity, count=count
        )


def _consecutive_runs(rows: Indices) -> Iterator[tuple[int, int]]:
    """Yield the first and last position of every run of consecutive numbers."""
    breaks = np.flatnonzero(np.diff(rows) != 1)
    starts = [0, *(breaks + 1).tolist()]
    return zip(starts, [*breaks.tolist(), len(rows) - 1], strict=True)


def item_cell_place(table: Table, row: int, column: int | None, header: str = "") -> Place:
    """Find the address of a cell."""
    if row < 0:
        return Place(table.source.name, table.source.sheet)
    return table.place(row, column, header)


def report_items(
    items: ItemRows, fault: ItemFault, which: Indices | Mask, message: Callable[[int], str], findings: Findings
) -> None:
    """Report one fault of a column for some items (k,), or those that a mask (n,) marks, in file order."""
    ordered = items.in_file_order(which)
    rows, numbers = items.rows[ordered], ordered.tolist()
    report_cells(
        fault, items.table, rows, lambda k: message(numbers[k]), findings, items=lambda k: items.ids[numbers[k]]
    )


def report_item_faults(items: ItemRows, fault: ItemFault, messages: Mapping[int, str], findings: Findings) -> None:
    """Report one fault of a column for each item, by its number, in file order."""
    report_items(items, fault, np.array(sorted(messages), np.intp), messages.__getitem__, findings)


def report_together(items: ItemRows, fault: ItemFault, which: Indices, message: str, findings: Findings) -> None:
    """Report a fault of a column for some items (k,) in one finding, at the first of them."""
    first = int(which[0])
    findings.report(
        fault.rule,
        message,
        items.place(first, fault.column),
        item=items.ids[first],
        remedy=fault.remedy_of(first),
        severity=fault.severity,
        count=len(which),
    )


def report_blank_items(
    items: ItemRows, fault: ItemFault, blank: Mask, needed: Mask, quantity: str, findings: Findings, effect: str = ""
) -> None:
    """Report the items without a quantity (n,): one finding each, or one for all if no item has it."""
    verb = "are" if quantity.startswith("products") else "is"
    effect = effect and f" ({effect})"
    if len(which := items.in_file_order(blank & needed)) < 2 or len(which) < int(needed.sum()):
        report_items(items, fault, which, lambda i: f"{quantity} of {items.ids[i]} {verb} missing{effect}", findings)
        return
    message = f"{quantity} of all {len(which):,} leaves {verb} missing{effect}: column {fault.column.header} is blank"
    report_together(items, fault, which, message, findings)


def report_column_once(
    items: ItemRows, fault: ItemFault, where: Indices | Mask, words: str, findings: Findings
) -> None:
    """Report a fault of a column in one finding that lists the items (k,), or those that a mask (n,) marks."""
    if len(which := items.in_file_order(where)):
        report_together(items, fault, which, f"{words}: {item_list_text(items.ids, which)}", findings)


def item_list_text(ids: Sequence[str], which: Indices) -> str:
    """List the ids of the first of some items (k,), and the number of the others."""
    return name_list([ids[i] for i in which[:6].tolist()], count=len(which))


_CELL_READING_WORDS = {
    "MP229": "with placeholder text, read as missing", "MP230": "with a unit, converted to the unit of the column",
    "MP231": "with a decimal comma or digit separators, converted",
    "MP232": "with an approximate value, a footnote mark or a remark, read as a plain number",
    "MP233": "with hidden characters, read without them",
    "MP238": "in another notation, converted to a plain number",
}  # fmt: skip
"""The reading of cells that are not plain numbers, by rule."""

_ONCE_A_TABLE, _MOST_COLUMNS = ("MP229", "MP232"), 4
"""Rules of which one finding is about all columns, and the number of columns that it names."""


def report_cell_readings(items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings) -> None:
    """Report the cells of a column that are not plain numbers, in one finding per rule, or one for all columns."""
    for rule, positions in parsed.rule_cells.items():
        if not len(which := items.at_rows(positions + items.columns.first_row)):
            continue
        rows = items.rows[which].tolist()
        texts = _cell_texts(items, column, items.rows[which])
        cells = "1 cell" if len(rows) == 1 else f"{len(rows):,} cells"
        message = (
            f"{column.header} has {cells} {_CELL_READING_WORDS[rule]}: {_frequent_texts_text(texts)} "
            f"({item_list_text(items.ids, which)})"
        )
        place, known = items.place(int(which[0]), column), None
        if rule in _ONCE_A_TABLE:
            same = (k for k, one in enumerate(findings) if one.rule == rule and one.place.file == place.file)
            known = next(same, None)
        if known is None:
            severity = Severity.NOTE if rule == "MP232" and column.rules.approximate else None
            report_together(items, ItemFault(rule, column, severity=severity), which, message, findings)
        elif place not in (findings[known].place, *findings[known].related):
            earlier = findings[known]
            related, count = (*earlier.related, place), earlier.count + len(which)
            tail = message if len(related) < _MOST_COLUMNS else "and cells of other columns"
            message = f"{earlier.message}; {tail}" if len(related) <= _MOST_COLUMNS else earlier.message
            findings[known] = replace(earlier, message=message, count=count, related=related)


def _cell_texts(items: ItemRows, column: QuantityColumn, rows: Indices) -> Counter[str]:
    """Count the texts of the cells of some rows (k,), of many the most frequent ones."""
    first, blanks = items.columns.first_row, number_text.BLANK_CHARACTERS
    if len(rows) > _MANY_CELLS and hasattr(texts := items.table.texts(column.index, first), "frequent"):
        found: Counter[str] = texts.frequent(rows - first, blanks, _MOST_TEXTS + 1)
        return found
    return Counter(items.table.text(row, column.index).strip(blanks) for row in rows.tolist())


def _frequent_texts_text(texts: Counter[str], most: int = _MOST_TEXTS) -> str:
    """List the most frequent texts of cells, with their counts."""
    times = {1: "", 2: " twice"}
    named = [number_text.displayed_text(text) + times.get(n, f" {n:,} times") for text, n in texts.most_common(most)]
    return ", ".join(named) + (", …" if len(texts) > most else "")


def measure_units(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings
) -> Sequence[str] | None:
    """Find the unit of measure of every quantity, in its cell or its row; if they differ, it is an error."""
    unit, first = items.columns.by_quantity.get("uom"), items.columns.first_row
    if unit is None and not parsed.measures:
        return None
    units = [""] * len(parsed.values) if unit is None else list(items.table.texts(unit.index, first))
    for i, measure in parsed.measures.items():
        stated = _unit_label(units[i])
        if unit is not None and stated and number_text.measure_factor(stated, measure) != 1.0:
            cell = items.table.text(i + first, column.index).strip(number_text.BLANK_CHARACTERS)
            what = f"has another unit than column {unit.header}: {cell} ({stated})"
            report_measure(items, column, i, what, "state one unit", findings)
        units[i] = measure
    return units


def check_measures(items: ItemRows, uses: ItemRows, findings: Findings) -> None:
    """Reject masses such as ``1.2 kg/m`` of parts whose uses have another unit of quantity than their rows."""
    if (column := items.columns.by_quantity.get("mass")) is None or uses is items:
        return
    first = items.columns.first_row
    for i, per in items.parsed(column).measures.items():
        own = row_measure(items, i + first)
        for row in uses.rows[items.rows == i + first].tolist():
            other = row_measure(items, row)
            if number_text.measure_factor(own, per) is not None and number_text.measure_factor(
                other, per
            ) != number_text.measure_factor(own, per):
                what = f"is per {per}, and its uses have different units: {own or 'no unit'} and {other or 'no unit'}"
                report_measure(items, column, i, what, "state all quantities of a part in one unit", findings)
                break


def row_measure(items: ItemRows, row: int) -> str:
    """Return the unit of a row's quantity, from its cell or the column of units; empty without one."""
    named = items.columns.by_quantity
    if "qty" in named:
        rules = named["qty"].rules
        cell = split_quantity_text(items.table.text(row, named["qty"].index), rules)
        if measure := cell_measure(cell.unit, rules):
            return measure
    return _unit_label(items.table.text(row, named["uom"].index)) if "uom" in named else ""


def _unit_label(text: str) -> str:
    """Return the text of a unit; empty for a placeholder."""
    bare = text.strip(number_text.BLANK_CHARACTERS)
    return "" if number_text.is_placeholder(bare) else bare


def report_measure(
    items: ItemRows, column: QuantityColumn, position: int, what: str, remedy: str, findings: Findings
) -> None:
    """Report a fault in the unit of one row's quantity; a row without an item is skipped."""
    if len(which := items.at_rows(np.array([position + items.columns.first_row], np.intp))):
        message = f"{column.header} of {items.ids[int(which[0])]} {what}"
        report_together(items, ItemFault("MP237", column, remedy), which, message, findings)


class ItemMapping(ABC):
    """Items in file order by id, as a dictionary; a duplicate id, an error, is its first row, and repeated."""

    __slots__ = ()

    if TYPE_CHECKING:  # of a table a field, of a result a property

        @property
        def ids(self) -> Sequence[str]:
            """Ids of the n items, in file order."""

        @property
        def numbers_by_id(self) -> dict[str, int]:
            """Numbers of the items by id; empty before the first query."""

    @abstractmethod
    def body(self, i: int) -> Body:
        """Return an item as a body."""

    def find(self, name: object) -> int | None:
        """Find the number of the item with an id, from 0 in file order; None if no item has the id."""
        if not self.numbers_by_id and getattr(self.ids, "searches", _FEW_SEARCHES) < _FEW_SEARCHES:
            return next(iter(self.ids.positions(name).tolist()), None) if isinstance(name, str) else None  # type: ignore[attr-defined] # ids with searches have positions
        if not self.numbers_by_id:
            # a duplicate id, which is an error, is that of its first row
            self.numbers_by_id.update((text, i) for i, text in reversed(list(enumerate(self.ids))))
        return self.numbers_by_id.get(name) if isinstance(name, str) else None

    @abstractmethod
    def __getitem__(self, name: str) -> Body: ...

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids, in file order."""
        return iter(self.ids)

    def __contains__(self, name: object) -> bool:
        """Return whether an item has an id."""
        return self.find(name) is not None

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.ids)

    def keys(self) -> list[str]:
        """List the ids."""
        return list(self.ids)

    def values(self) -> Iterator[Body]:
        """Iterate over the items."""
        return (self.body(i) for i in range(len(self.ids)))

    def items(self) -> Iterator[tuple[str, Body]]:
        """Iterate over ids and items."""
        return ((name, self.body(i)) for i, name in enumerate(self.ids))

    def _ipython_key_completions_(self) -> list[str]:
        """List the ids that complete ``result["``."""
        return self.keys()

    def get(self, name: str, default: _Default | None = None) -> Body | _Default | None:
        """Return an item by its id."""
        found = self.find(name)
        return default if found is None else self.body(found)


def items_html(items: ItemMapping, bom: Bom, caption: str) -> str:
    """Write a table for a notebook: the root first; of a long table the assemblies by level, before the leaves."""
    from massprops_cli.bodies.body import printed_values

    order = np.zeros(len(items), np.intp)
    if len(items) > HTML_ROWS:
        order = np.where(bom.tree.is_leaf(), len(items), bom.tree.depth())
    order[bom.tree.order[0]] = -1
    shown = np.argsort(order, kind="stable")[:HTML_ROWS].tolist()
    bodies = [items.body(i) for i in shown]
    numbers = [printed_values(body) for body in bodies]
    units = dict(zip("mCI", bom.units_of_body(), strict=True))
    columns = list(dict.fromkeys(name for row in numbers for name in row))
    header = ["id", *(f"{name} [{units[name[0]]}]" if units[name[0]] else name for name in columns)]
    texts = [[body.name, *(row.get(name, "") for name in columns)] for body, row in zip(bodies, numbers, strict=True)]
    if bom.names is not None:
        header.insert(1, "name")
        texts = [[row[0], bom.names[i], *row[1:]] for i, row in zip(shown, texts, strict=True)]
    if any(body.coverage for body in bodies):
        header.append("coverage")
        texts = [[*row, body.coverage] for body, row in zip(bodies, texts, strict=True)]
    return html_table(caption, header, texts, len(items))


def occurrence_counts(bom: Bom) -> Floats:
    """Count the pieces of every item in the product (n,); 0 below an assembly with own values."""
    tree, times = bom.tree, bom.quantity.count.copy()
    hides = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    for start, end in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[start:end]
        over = tree.parent[items]
        times[items] *= np.where(hides[over], 0.0, times[over])
    return times


def table_row_values(bom: Bom, name: str) -> Floats:
    """Read a column (n_rows,) in coherent units; NaN for a blank cell and above the first row of data."""
    column, first = bom.columns.by_quantity[name], bom.columns.first_row
    values = np.full(bom.table.n_rows, np.nan)
    parsed = column.parse(bom.table, first)
    values[first:] = np.where(parsed.blank, np.nan, parsed.values)
    return values * column.sizes(np.arange(bom.table.n_rows))
