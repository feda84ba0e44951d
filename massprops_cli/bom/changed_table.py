"""Changes of a table: items, quantities and values such as ``TANK.mass=2.3 lb``, and the table with them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.bom.results.table_edit import format_edit_numbers
from massprops_cli.files import table as tables
from massprops_cli.findings.finding import UsageError, name_list, nearest_name_hint
from massprops_cli.tables import options
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.units import ambiguous_unit, quantity_dimension, unit_of_dimension

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

AddedItem = str | Mapping[str, object]
"""An item to add: ``"ID parent=SAT mass=2 kg"``, or a mapping with ``id``, ``parent`` and quantities."""
_Value = float | str
_Cells = dict[tuple[int, int], _Value]
_ADDED_FIELD = re.compile(r"(?:^|\s)([^\s=]+)\s*=")  # ``mass =`` in ``ID parent=SAT mass = 2 kg``
_SCALED = (
    "mass", "sigma_mass", "line_mass", *options.GROWTH_MASSES, *(f"mass_{end}" for end in options.BOUNDS),
    *INERTIA.columns,
    *(f"sigma_{name}" for name in INERTIA.columns), *(f"{name}_{end}" for name in INERTIA.columns for end in
    options.BOUNDS),
)  # fmt: skip
"""Quantities of a row that are proportional to its mass."""
_INSERTED = ("dotted", "level")  # layouts in which an added item is a row at the end of the branch of its parent
_SUMS = ("total", "subtotal", "margin")  # rows that a change of an item changes
GROWTH = "mga"  # quantity of the column of growth, which is ``growth`` in a change
_OWN_QUANTITIES = (*MASS.columns, *CENTER.columns, *INERTIA.columns)
_SETTABLE_QUANTITIES = (*_OWN_QUANTITIES, "qty", "growth")
CELL_QUANTITIES = (
    *options.POSE_QUANTITIES,
    *(name for name in options.SOLID_QUANTITIES if name not in _OWN_QUANTITIES),
)
"""Quantities whose cells are read again with the table: they move or make bodies."""
_READ_AGAIN = ("parent", *CELL_QUANTITIES)
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN})\s*(.*?)\s*", re.DOTALL)  # ``2.3 lb``: number and unit
# powers of mass, length and time → name and example
_DIMENSION_NAMES = {(1, 0, 0): ("mass", "2.3 lb"), (0, 1, 0): ("length", "25 mm"), (1, 2, 0): ("inertia", "1.2 kg m2")}


def find_named_item(bom: Bom, text: str) -> int:
    """Find an item by its id, or by its name or part number where only one item has it."""
    try:
        return bom.item(text)
    except UsageError:
        if len(found := bom.named_items(text)) == 1:
            return found[0]
        if found:
            ids = name_list([bom.ids[i] for i in found], 5)
            raise UsageError(f"name is not unique: {text} (ids: {ids})") from None
        near = difflib.get_close_matches(text, dict.fromkeys(bom.names or ()), 3) if len(bom) <= 100_000 else []
        near = [name for name in near if name not in bom.ids]
        if not near:
            raise
        raise UsageError(f"id or name is not in the table: {text} (nearest: {', '.join(near)})") from None


def find_changed_item(bom: Bom, text: str) -> int:
    """Find an item that the table itself states."""
    item = find_named_item(bom, text)
    if int(bom.rows[item]) >= tables.file_table(bom.table).n_rows:
        raise UsageError(f"{text} is in {bom.table.place(int(bom.rows[item]))}: change the robot there")
    return item


def is_change_name(text: str) -> bool:
    """Return whether a text ends in a quantity, such as ``P.1.mass``."""
    quantity = text.strip().rpartition(".")[2] if "." in text else ""
    known = quantity in (*_SETTABLE_QUANTITIES, *_READ_AGAIN)
    return known or quantity.removeprefix("sigma_") in _OWN_QUANTITIES


def split_change_name(bom: Bom, name: str) -> tuple[int, str]:
    """Split ``P.1.mass`` into an item and a quantity, at the last dot."""
    item, dot, quantity = name.rpartition(".")
    quantity = "growth" if quantity == GROWTH else quantity
    base = quantity.removeprefix("sigma_")
    if not dot or base not in _SETTABLE_QUANTITIES or (quantity != base and base not in _OWN_QUANTITIES):
        known = [*_SETTABLE_QUANTITIES, *(f"sigma_{one}" for one in _OWN_QUANTITIES)]
        near = nearest_name_hint(quantity, known) if dot else ""
        raise UsageError(
            f"name does not end in a quantity: {name}{near} "
            f"(ID.mass, or another of {', '.join(_SETTABLE_QUANTITIES)}, sigma_ and one of these, or a column of poses "
            "or solids such as tx and dims)"
        )
    return find_changed_item(bom, item), GROWTH if quantity == "growth" else quantity


def change_number(bom: Bom, item: int | None, quantity: str, value: object, name: str) -> float:
    """Return a value as a number in the unit of its column."""
    if not isinstance(value, str):
        return finite_change_number(name, value)
    match = _MEASURE.fullmatch(value)
    number = None if match is None else read_number(match[1])
    if match is None or number is None:
        raise UsageError(f"value of {name} is not a number: {value!r} (such as 2.2, or 2.2 with a unit)")
    number, unit = finite_change_number(name, float(number)), match[2]
    column = bom.columns.by_quantity.get(quantity)
    in_percent = quantity == GROWTH or (column is not None and column.percent)
    if not unit or (unit == "%" and in_percent):
        return number
    dimension = None if quantity in ("qty", GROWTH) else quantity_dimension(options.base_quantity(quantity))
    if dimension is None or in_percent:
        expected = "a percentage such as 10 %" if in_percent else "a number without a unit"
        raise UsageError(f"value of {name} has a unit: {value} (expected {expected})")
    words, example = _DIMENSION_NAMES[dimension]
    if dimension == (1, 0, 0) and (sizes := ambiguous_unit(unit)) is not None:
        raise UsageError(f"value of {name} has an ambiguous unit: {value} ({unit} is {sizes[0]}); {sizes[1]}")
    if (own := unit_of_dimension(unit, dimension)) is None:
        raise UsageError(f"value of {name} has no unit of {words}: {value} (expected a text such as {example})")
    of_cell = "" if column is None else column.unit if item is None else column.unit_at(int(bom.rows[item]))
    if item is None and column is not None and column.by_row is not None:
        of_cell = ""  # a column next to it states the unit of each row
    other = unit_of_dimension(of_cell, dimension) if of_cell else None
    if other is None:
        known = f"in {of_cell}, which is not a unit of {words}" if of_cell else "not stated in the table"
        raise UsageError(f"unit of {name} is {known}: {value} (omit the unit, or pass --unit {quantity}=UNIT)")
    return number * own.over(other)


def finite_change_number(name: str, value: object) -> float:
    """Return a value as a number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise UsageError(f"value of {name} is not a number: {value!r} (for instance 2.2)")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not np.isfinite(number):
        raise UsageError(f"value of {name} is not finite: {number}")
    return number


@dataclass(frozen=True, eq=False, repr=False)
class ChangedTable:
    """A table with changed cells and added rows."""

    table: tables.Table  # as in the file
    filling: tables.TableEdit
    added: tuple[tuple[_Value | None, ...], ...]
    last: int  # the added rows come after this one

    @cached_property
    def grid(self) -> tables.GridTable:
        """All cells of the changed table; formulas of a workbook that depend on changed cells are blank."""
        grid, last, new = _grid_rows(self.table), self.last, list(map(list, self.added))
        for i, j in self._old_formulas():
            grid[i][j] = None
        for fill in self.filling.fills:
            for row, value in zip(fill.rows.tolist(), fill.values, strict=True):
                grid[row][fill.column] = value if isinstance(value, str) else float(value)
        grid[last + 1 : last + 1] = new
        for column in self.filling.added:
            rows = (row if row <= last else row + len(new) for row in column.rows.tolist())
            marked = dict(zip(rows, column.values, strict=True))
            for i, line in enumerate(grid):
                is_header = i == self.filling.header_row
                line.append(column.name if is_header else float(marked[i]) if i in marked else None)
        return tables.GridTable(self.table.source, grid)

    def read_again(self, before: Bom) -> Bom:
        """Read the table without its sums of before the change; what they decided about margins and parts remains."""
        grid, moved = self.grid, len(self.added)
        sums = [one for one in before.totals if one.kind in _SUMS]
        rows = [one.row + moved * (one.row > self.last) for one in sums]
        margins = [tables.row_reference(grid, i) for i, one in zip(rows, sums, strict=True) if one.kind == "margin"]
        parts = [one.value for one in before.findings if one.rule == "MP282"]
        skipped, counted = (*before.options.skip_rows, *margins), (*before.options.count_rows, *parts)
        options = replace(before.options, skip_rows=skipped, count_rows=counted)
        return type(before).from_table(_without_numbers(grid, rows), options)

    def _old_formulas(self) -> list[tuple[int, int]]:
        """Find the formulas of a workbook whose saved values are those before the change."""
        info, source = self.table.sheet_info, self.table.source
        data = source.content or Path(source.name)
        is_gone = isinstance(data, Path) and not data.is_file()
        if not info or not info.formulas or source.format not in ("xlsx", "xlsm") or is_gone:
            return []
        from massprops_cli.files.workbook.editor import dependent_cells

        top, left = info.first_row, info.first_column
        cells = [(int(row) + top, fill.column + left) for fill in self.filling.fills for row in fill.rows]
        found = dependent_cells(data, source.sheet, cells)
        return [(i, j) for i, j in info.formulas if (i + top, j + left) in found]

    @property
    def in_place(self) -> tables.Table:
        """The table of the file with the changed numbers, all at their places."""
        fills = self.filling.fills
        cells = {(int(i), one.column): x for one in fills for i, x in zip(one.rows, one.values, strict=True)}
        texts = {spot: x for spot, x in cells.items() if isinstance(x, str)}
        numbers = {spot: float(x) for spot, x in cells.items() if not isinstance(x, str)}
        return tables.EditedTable(tables.TableView(self.table, cells=texts), numbers)

    def added_fills(self) -> list[tables.ColumnEdit]:
        """Make edits of the cells of added rows, as rows below the table."""
        first = self.table.n_rows
        cells = {
            (first + k, j): cell for k, row in enumerate(self.added) for j, cell in enumerate(row) if cell is not None
        }
        return [*_column_edits(cells, float), *_column_edits(cells, str)]


def _without_numbers(table: tables.Table, rows: Sequence[int]) -> tables.TableView:
    """Show a table with blanks in place of the numbers of some rows."""
    numbers = {(i, j): "" for i in rows for j, text in enumerate(table.row(i)) if read_number(text) is not None}
    return tables.TableView(table, cells=numbers)


def parse_added_item(given: AddedItem) -> dict[str, object]:
    """Parse an item to add."""
    if not isinstance(given, str):
        fields = dict(given)
    else:
        found = list(_ADDED_FIELD.finditer(given))
        ends = [*(one.start() for one in found[1:]), len(given)][: len(found)]
        fields = {"id": given[: found[0].start()].strip() if found else given.strip()}
        for one, end in zip(found, ends, strict=True):
            if fields.get(one[1]):
                raise UsageError(f"added item has {one[1]} twice: {given}")
            fields[one[1]] = given[one.end() : end].strip()
    if not str(fields.get("id") or "").strip() or not str(fields.get("parent") or "").strip():
        raise UsageError(f"added item has no id or no parent: {given} (expected ID parent=ID mass=2.2 …)")
    return fields


def restructure_bom(
    bom: Bom, add: Sequence[AddedItem], move: Mapping[str, str], texts: Mapping[str, float | str]
) -> Bom:
    """Read the table again with added and moved items, and with other cells of poses and solids, by ``ID.tx``."""
    if bom.layout in _INSERTED:
        sums = [one.row for one in bom.totals if one.kind in _SUMS]
        while add:
            (bom, sums), add = _bom_with_row(bom, parse_added_item(add[0]), sums), add[1:]
    if bom.layout != "parent" and (add or move):
        where = "added in the layouts parent, dotted and level only" if add else "moved in the layout parent only"
        raise UsageError(f"items can be {where}, not in {bom.layout} (do it in the program that wrote the table)")
    cells: _Cells = {}
    rows: list[dict[int, _Value]] = []
    known = set(bom.ids)
    for name, value in texts.items():
        owner, _, quantity = name.rpartition(".")
        number = read_number(value) if isinstance(value, str) else value
        spot = int(bom.rows[find_changed_item(bom, owner)]), _added_column(bom, quantity)
        cells[spot] = str(value) if number is None else finite_change_number(name, number)
    for given in add:
        fields = parse_added_item(given)
        if str(fields["id"]) in known:
            raise UsageError(f"added item exists already: {fields['id']}")
        above = str(fields["parent"])
        fields["parent"] = above if above in known else bom.ids[find_changed_item(bom, above)]
        known.add(str(fields["id"]))
        rows.append({_added_column(bom, name): value for name, value in _added_values(bom, fields).items()})
    for name, target in move.items():
        item = find_changed_item(bom, name)
        if int(bom.rows[item]) < 0 or item == int(bom.tree.order[0]):
            raise UsageError(f"root cannot be moved: {name}")
        above = target if target in known else bom.ids[find_changed_item(bom, target)]
        if above in bom.ids and item in (i := bom.item(above), *bom.tree.ancestors(i)):
            raise UsageError(f"item cannot be moved below itself: {name} to {target}")
        if bom.ids[int(bom.tree.parent[item])] == above:
            raise UsageError(f"item is below {target} already: {name}")
        cells[int(bom.rows[item]), bom.columns.by_quantity["parent"].index] = above
    if not cells and not rows:
        return bom
    changed = _changed_table(bom, bom, cells, rows, ())
    return type(bom).from_table(changed.grid if rows else changed.in_place, bom.options)


def _bom_with_row(bom: Bom, fields: Mapping[str, object], sums: list[int]) -> tuple[Bom, list[int]]:
    """Read the file of a table, of item numbers or levels, again with a row at the end of the branch of the parent."""
    from massprops_cli.files.workbook.row_insertion import table_with_row
    from massprops_cli.tables.layouts.layout_output import new_item_cell

    name, columns, table = str(fields["id"]), bom.columns.by_quantity, tables.file_table(bom.table)
    if name in bom.ids or bom.named_items(name):
        raise UsageError(f"added item exists already: {name}")
    parent = find_changed_item(bom, str(fields["parent"]))
    branch = bom.rows[[parent, *bom.tree.descendants(parent).tolist()]]
    children = bom.rows[bom.tree.children(parent)].tolist()
    place, cell = new_item_cell(table, bom.columns, bom.layout, int(bom.rows[parent]), children)
    labels = [columns[one].index for one in ("id", "name", "part") if one in columns and columns[one].index != place]
    if not labels:
        raise UsageError(f"table has no column for the name of an added item: {name}")
    of_row: dict[str, object] = {**dict.fromkeys({"qty"} & {*columns}, 1), **fields}
    values = {key: value for key, value in of_row.items() if key != "parent"}
    cells: dict[int, _Value] = {place: cell, labels[0]: name}
    cells |= {_added_column(bom, key): value for key, value in _added_values(bom, values).items() if key != "id"}
    after = int(branch[branch < table.n_rows].max())
    if (read := table_with_row(table, after, cells)) is None:
        grid = _grid_rows(table)
        grid.insert(after + 1, [cells.get(j) for j in range(table.n_columns)])
        read = tables.GridTable(table.source, grid)
    sums = [row + (row > after) for row in sums]
    return type(bom).from_table(_without_numbers(read, sums), bom.options), sums


def _added_values(bom: Bom, fields: Mapping[str, object]) -> dict[str, _Value]:
    """Convert the values of an added item to those of its cells."""
    values: dict[str, _Value] = {}
    for name, value in fields.items():
        quantity = GROWTH if name == "growth" else name
        label = f"{fields['id']}.{name}"
        if quantity in options.NUMBER_QUANTITIES or quantity in ("qty", GROWTH) or quantity.startswith("sigma_"):
            if value is not None and value != "":
                values[name] = _number_cell(bom, -1, quantity, change_number(bom, None, quantity, value, label))
        elif value is not None:
            values[name] = str(value)
    return values


def _added_column(bom: Bom, name: str) -> int:
    """Return the column of a quantity, or of a header."""
    column = bom.columns.by_quantity.get(GROWTH if name == "growth" else name)
    header = [text.strip() for text in bom.columns.header]
    at = column.index if column is not None else header.index(name) if name in header else -1
    if not 0 <= at < tables.file_table(bom.table).n_columns:
        near = nearest_name_hint(name, [*bom.columns.by_quantity, *filter(None, header)])
        near = near if column is None else " in the file; its values are computed"
        raise UsageError(f"column is missing: {name}{near}")
    return at


def _number_cell(bom: Bom, row: int, quantity: str, number: float) -> _Value:
    """Return the value of a cell: a number, or a text where the cell states its unit."""
    if (column := bom.columns.by_quantity.get(quantity)) is None:
        return number
    text = "" if row < 0 else bom.table.text(row, column.index).strip()
    digits = tables.edit_value_texts(np.array([number]))[0]
    if quantity == GROWTH:
        return number if "%" in column.header else f"{digits} %"
    unit = "" if row < 0 else column.unit_at(row)
    return f"{digits} {unit}" if unit and unit in text else number


def changed_table(
    before: Bom,
    bom: Bom,
    numbers: Mapping[int, Mapping[str, float]],
    scaled: Sequence[tuple[Sequence[int], float]],
    dropped: Sequence[int],
) -> ChangedTable:
    """Return the table of a file with changes."""
    cells: _Cells = {}
    if bom.layout == "edges" and (dropped or any("qty" in values for values in numbers.values())):
        raise UsageError("changed quantities and dropped items of a list of uses are not written (layout edges)")
    for item, values in numbers.items():
        for quantity, number in values.items():
            cells[_own_row(bom, [item], item), bom.columns.by_quantity[quantity].index] = _number_cell(
                bom, int(bom.rows[item]), quantity, number
            )
    for items, factor in scaled:
        _scale_cells(bom, cells, items, factor)
    if (quantity_column := bom.columns.by_quantity.get("qty")) is not None:
        cells |= {(_own_row(bom, dropped, item), quantity_column.index): 0.0 for item in dropped}
    last = _last_item_row(before)
    rows: list[dict[int, _Value]] = []
    count = bom.table.n_rows - before.table.n_rows
    if bom is not before:
        for j in (column.index for name, column in before.columns.by_quantity.items() if name in _READ_AGAIN):
            moved = zip(range(before.table.n_rows), before.table.texts(j), bom.table.texts(j), strict=False)
            cells |= {(row, j): new for row, old, new in moved if row <= last and old != new}
        new_rows = _grid_rows(tables.file_table(bom.table))[last + 1 : last + 1 + count] if count else []
        rows = [{j: cell for j, cell in enumerate(row) if cell is not None and cell != ""} for row in new_rows]
        for row, column in [spot for spot in cells if spot[0] > last]:
            rows[row - last - 1][column] = cells.pop((row, column))
    return _changed_table(before, bom, cells, rows, dropped if quantity_column is None else ())


def _last_item_row(bom: Bom) -> int:
    """Return the last row of an item in the file."""
    return int(bom.rows[bom.rows < tables.file_table(bom.table).n_rows].max())


def table_with_cells(bom: Bom, cells: Mapping[tuple[int, int], float | str]) -> ChangedTable:
    """Return the table of a file with new cells."""
    quantity = {column.index: name for name, column in bom.columns.by_quantity.items()}
    written = {
        (row, j): value if isinstance(value, str) else _number_cell(bom, row, quantity[j], value)
        for (row, j), value in cells.items()
    }
    return _changed_table(bom, bom, written, [], ())


def _scale_cells(bom: Bom, cells: _Cells, items: Sequence[int], factor: float) -> None:
    """Multiply the cells of items that are proportional to their masses; percentages remain."""
    rows = dict.fromkeys(_own_row(bom, items, item) for item in items if int(bom.rows[item]) >= 0)
    first = bom.columns.first_row
    for name in _SCALED:
        if (column := bom.columns.by_quantity.get(name)) is None or column.percent:
            continue
        values, products = column.parse(bom.table, first).values, dict[int, float]()
        for row in rows:
            text = bom.table.text(row, column.index).strip()
            given = cells.get((row, column.index))
            if (not text and given is None) or text.endswith("%"):
                continue
            number = float(values[row - first]) if given is None else float(str(given).split()[0])
            if not np.isnan(number):
                products[row] = number * factor
        for row, product in zip(products, tables.short_numbers(np.array([*products.values()])).tolist(), strict=True):
            cells[row, column.index] = _number_cell(bom, row, name, product)


def _own_row(bom: Bom, items: Sequence[int], item: int) -> int:
    """Return the row of an item; raises UsageError where it is also the row of an item that does not change."""
    row = int(bom.rows[item])
    others = [i for i in np.flatnonzero(bom.rows == row).tolist() if i not in items] if bom.layout == "edges" else []
    if others:
        raise UsageError(f"row of {bom.ids[item]} is also that of {bom.ids[others[0]]}: a change of one is not written")
    return row


def _changed_table(
    before: Bom, bom: Bom, cells: _Cells, rows: Sequence[Mapping[int, _Value]], dropped: Sequence[int]
) -> ChangedTable:
    """Make the changed table of cells of the file, of the cells of added rows, and of dropped items without a count."""
    table, last = tables.file_table(before.table), _last_item_row(before)
    every: _Cells = {
        **cells,
        **{(before.table.n_rows + k, j): value for k, row in enumerate(rows) for j, value in row.items()},
    }
    fills = [*_column_edits(every, float), *_column_edits(every, str)]
    added: tuple[tables.AddedColumn, ...] = ()
    if dropped:
        counts = np.zeros(len(dropped))
        order = np.sort(np.array([_own_row(bom, dropped, item) for item in dropped], np.intp))
        added = (tables.AddedColumn("qty", order, counts),)
    edit = tables.TableEdit(tuple(fills), added, before.columns.header_row)
    edit = tables.edit_of_file(before.table, format_edit_numbers(before, edit))
    new: list[list[_Value | None]] = [[None] * table.n_columns for _ in rows]
    for fill in edit.fills:
        for row, value in zip(fill.rows.tolist(), fill.values, strict=True):
            if row >= table.n_rows:
                new[row - table.n_rows][fill.column] = value if isinstance(value, str) else float(value)
    of_file = tuple(
        fill._replace(rows=fill.rows[here], values=[v for v, keep in zip(fill.values, here, strict=True) if keep])
        if isinstance(fill.values, list | tuple)
        else fill._replace(rows=fill.rows[here], values=np.asarray(fill.values)[here])
        for fill in edit.fills
        if (here := fill.rows < table.n_rows).any()
    )
    return ChangedTable(table, replace(edit, fills=of_file), tuple(map(tuple, new)), last)


def _column_edits(cells: _Cells, kind: type) -> list[tables.ColumnEdit]:
    """Sort the numbers or the texts of some cells into columns."""
    columns: dict[int, dict[int, _Value]] = {}
    for (row, column), value in sorted(cells.items(), key=lambda cell: cell[0]):
        if isinstance(value, kind):
            columns.setdefault(column, {})[row] = value
    return [
        tables.ColumnEdit(
            column,
            np.array(list(values), np.intp),
            np.array(list(values.values())) if kind is float else [str(value) for value in values.values()],
        )
        for column, values in columns.items()
    ]


def _grid_rows(table: tables.Table) -> list[list[_Value | None]]:
    """Return all cells of a table: typed numbers as numbers, others as texts."""
    columns: list[list[_Value | None]] = []
    for j in range(table.n_columns):
        typed, numbers = table.is_typed(j), table.numbers([j])[0].values
        texts = table.texts(j)
        columns.append(
            [float(numbers[i]) if is_typed else texts[i] or None for i, is_typed in enumerate(typed.tolist())]
        )
    return [list(row) for row in zip(*columns, strict=True)]
