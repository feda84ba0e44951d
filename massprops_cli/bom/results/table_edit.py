"""A roll-up → what is put into the table: assembly cells, and further columns on request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_flags import value_about_point
from massprops_cli.bom.items.result_columns import QUANTITY_SETS, item_quantity_values
from massprops_cli.bom.results import result_dict
from massprops_cli.files import table as tables
from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import SEPARATORS_READ, has_decimal_comma
from massprops_cli.tables.cells.units import LENGTH, MASS, quantity_dimension
from massprops_cli.tables.columns import columns as table_columns
from massprops_cli.tables.columns.cell_parts import columns_sharing_cell, table_without_views

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result

_Cells = TypeVar("_Cells", tables.ColumnEdit, tables.AddedColumn)
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2},[0-9]{3}(?:e.*)?")  # 1,234 and 1,234e-05
_MANY_NUMBERS = 5_000  # from which on PyArrow is faster
_TRUTH_WORDS = "TRUE FALSE, True False, true false, T F, t f, YES NO, Yes No, yes no, Y N, y n, 1 0"
"""Pairs of words for truth values."""
_HEADER_SUFFIX = re.compile(r"( \[[^]]*\])?( \(\d+(σ| sigma)\))?")
"""What may follow a result's name in its header: its unit, how many sigmas."""


def _format_cells(cells: _Cells, is_decimal_comma: bool, unit: str) -> _Cells:
    """Write numbers with a decimal comma and with a unit behind; texts get no other mark, and blank cells no unit."""
    if not is_decimal_comma and not unit:
        return cells
    as_comma = is_decimal_comma and isinstance(cells.values, np.ndarray)
    texts = _comma_texts(np.asarray(cells.values)) if as_comma else tables.edit_value_texts(cells.values)
    return cells._replace(values=[f"{text} {unit}" if text else text for text in texts] if unit else texts)


def _decimal_comma_columns(bom: Bom, every: bool) -> set[int]:
    """Return the columns of a text file whose cells have decimal commas, or all columns of quantities."""
    seen = {f.place.column for f in bom.findings if f.rule == SEPARATORS_READ}
    if not bom.table.source.delimiter or bom.options.decimal == "." or not (every or seen):
        return set()
    first = bom.columns.first_row
    return {
        column.index
        for column in bom.columns.by_quantity.values()
        if every
        or (
            bom.table.place(first, column.index, column.header).column in seen
            and any(has_decimal_comma(bom.table.texts(j, first)) for j in columns_sharing_cell(bom.table, column.index))
        )
    }


def format_edit_numbers(bom: Bom, filling: tables.TableEdit) -> tables.TableEdit:
    """Write every number of an edit in the format of its column."""
    # A table that holds numbers as numbers, such as a worksheet, needs no decimal mark; ``--units`` puts the units of
    # cells into the header instead.
    every = bom.options.decimal == ","
    commas = _decimal_comma_columns(bom, every)
    units = {}
    if bom.columns.rewrite is None:
        units = {column.index: column.unit for column in bom.columns.by_quantity.values() if column.rules.in_cells}
    is_comma_added = every and bool(bom.table.source.delimiter)
    return replace(
        filling,
        fills=tuple(_format_cells(fill, fill.column in commas, units.get(fill.column, "")) for fill in filling.fills),
        added=tuple(_format_cells(column, is_comma_added, "") for column in filling.added),
    )


def _comma_texts(values: NDArray[np.float64]) -> Sequence[str]:
    """Write numbers (k,) with a decimal comma, and one more digit where the comma could separate thousands."""
    if len(values) < _MANY_NUMBERS:
        return [_comma_text(tables.shortest_number_text(value).replace(".", ",")) for value in values.tolist()]
    import pyarrow as pa
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import arrow_number_texts, converted_texts
    from massprops_cli.files.delimited_records import ArrowColumnTexts

    texts = pc.replace_substring(arrow_number_texts(values), ".", ",")
    return ArrowColumnTexts(pa.chunked_array([converted_texts(texts, f"^(?:{_GROUPED.pattern})$", _comma_text)]))


def _comma_text(text: str) -> str:
    """Add a digit to a number whose decimal comma could separate thousands."""
    if not _GROUPED.fullmatch(text):
        return text
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}0{exponent}{power}"


def _add_total_cells(bom: Bom, fill: tables.ColumnEdit, factor: float) -> tables.ColumnEdit:
    """Add the cells of rows that are totals: no part of the tree, but numbers in the column's unit all the same."""
    table = table_without_views(bom.table)
    if not bom.totals or fill.column >= table.n_columns:
        return fill
    read = {total.row: read_number(table.text(total.row, fill.column)) for total in bom.totals}
    stated = {row: number for row, number in read.items() if number is not None}
    rows, numbers = np.array(list(stated), np.intp), np.array(list(stated.values()), float)
    units = next((c.by_row for c in bom.columns.by_quantity.values() if c.index == fill.column), None)
    sizes = 1.0 if units is None else units.sizes(rows)
    return _merge_edits([tables.ColumnEdit(fill.column, rows, numbers * (factor * sizes))], [fill])[0]


def _merge_edits(under: list[tables.ColumnEdit], over: list[tables.ColumnEdit]) -> list[tables.ColumnEdit]:
    """Merge edits of the same columns: those of ``over`` replace those of ``under``, and rows stay ascending."""
    result = list(over)
    by_column = {fill.column: k for k, fill in enumerate(result) if isinstance(fill.values, np.ndarray)}
    for fill in under:
        k = by_column.get(fill.column)
        if k is None or not isinstance(fill.values, np.ndarray):
            result.append(fill)
            continue
        top = result[k]
        assert isinstance(top.values, np.ndarray)
        rest = ~np.isin(fill.rows, top.rows)
        rows = np.concatenate([fill.rows[rest], top.rows])
        values = np.concatenate([fill.values[rest], top.values])
        order = np.argsort(rows, kind="stable")
        result[k] = tables.ColumnEdit(fill.column, rows[order], values[order])
    return sorted(result, key=lambda fill: fill.column)


def _unit_column_edits(bom: Bom, rows: NDArray[np.intp]) -> list[tables.ColumnEdit]:
    """Return the cells of columns of units: those of ``rows`` that are blank, and all where units change."""
    changed = {fill.column: fill.rows for fill in table_columns.unit_cell_edits(bom.columns)}
    new = {} if bom.columns.rewrite is None else bom.columns.rewrite.row_units
    fills = []
    for index, units in sorted(table_columns.row_unit_columns(bom.columns).items()):
        every = np.union1d(rows[units.blank(rows)], changed.get(index, ()))
        fills.append(tables.ColumnEdit(index, every.astype(np.intp), [new.get(index, units.unit.text)] * len(every)))
    return [fill for fill in fills if len(fill.rows)]


def rollup_table_edit(result: Result, add: Sequence[str] = (), sigma_level: int = 1) -> tables.TableEdit:
    """Build the edit of the table: computed cells of assemblies, further columns: docs/formulas.md, section 1."""
    bom = result.bom
    in_table, result = result, replace(result, rollup=bom.in_row_frames(result.rollup))
    draft = _EditBuilder(result)
    assemblies, rows = assembly_item_rows(result)
    own = bom.options.assembly_values == "own"
    for name, column, values in _stated_quantities(result):
        chosen = _values_in_row_signs(result, name, values, assemblies)
        # a column of its own has one unit
        chosen = chosen / _output_cell_factor(result, replace(column, by_row=None) if own else column, assemblies)
        if own:
            new = _rewritten_unit(result, column)
            unit = "%" if column.percent else column.unit if new is None else new[0]
            draft.put(f"total_{name}", unit, rows, tables.short_numbers(chosen), column.level)
        else:
            draft.fills.append(tables.ColumnEdit(column.index, rows, tables.short_numbers(chosen)))
    if not own:
        draft.fills += _flag_column_edits(result, assemblies, rows) + _unit_column_edits(bom, rows)
    every, every_row = _first_item_rows(result)
    for name, values in _derived_columns(result, in_table, add):
        if (stated := bom.columns.by_quantity.get(name)) is None:
            level = sigma_level if result_dict.is_sigma_name(name) else 1
            draft.put(name, coherent_unit(result, name), every_row, level * values[every], level)
        else:
            draft.fills.append(
                tables.ColumnEdit(stated.index, every_row, values[every] / _output_cell_factor(result, stated, every))
            )
    converted, renames = [], draft.renames
    if (rewrite := bom.columns.rewrite) is not None:  # computed cells go over these
        inputs = table_columns.converted_cell_edits(bom.table, bom.columns, rewrite)
        converted = [_add_total_cells(bom, fill, rewrite.factors[fill.column]) for fill in inputs]
        converted += table_columns.units_row_edits(rewrite)
        renames = dict(rewrite.header) | renames
    fills = tuple(_merge_edits(converted, draft.fills))
    filling = tables.TableEdit(fills, tuple(draft.added), bom.columns.header_row, renames)
    return tables.edit_of_file(bom.table, format_edit_numbers(bom, filling))


def _stated_quantities(result: Result) -> Iterator[tuple[str, table_columns.QuantityColumn, tables.Floats]]:
    """Yield the quantities of which the table has a column, with this and the results (n,)."""
    for name in (name for one in QUANTITY_SETS for name in one.columns):
        column = result.bom.columns.by_quantity.get(name)
        values = value_about_point(result.rollup, name, result.bom.options.inertia_about)
        if column is not None and values is not None:
            yield name, column, values


def prefixed_table_edit(result: Result, prefix: str) -> tables.TableEdit:
    """Build the edit that adds a column of each value and σ of all items, in row frames and coherent units."""
    draft = _EditBuilder(result)
    items, rows = _first_item_rows(result)
    for name, _, values in _stated_quantities(result):
        chosen = tables.short_numbers(_values_in_row_signs(result, name, values, items))
        draft.put(prefix + name, coherent_unit(result, name), rows, chosen)
    edit = tables.TableEdit(tuple(draft.fills), tuple(draft.added), result.bom.columns.header_row, draft.renames)
    return tables.edit_of_file(result.bom.table, format_edit_numbers(result.bom, edit))


def replaced_table_edit(result: Result, items: NDArray[np.intp], method: str) -> tables.TableEdit:
    """Build the edit that writes values of leaves (k,), in row frames, over those that their cells state."""
    bom, fills = result.bom, list[tables.ColumnEdit]()
    every, held = _first_item_rows(result)
    chosen = np.isin(every, items)
    items, rows = every[chosen], held[chosen]
    for name, column, values in _stated_quantities(result):
        texts = bom.table.texts(column.index)
        stated = np.array([bool(texts[row].strip()) for row in rows.tolist()], bool)
        numbers = _values_in_row_signs(result, name, values, items) / _output_cell_factor(result, column, items)
        stated &= np.isfinite(numbers)
        fills.append(tables.ColumnEdit(column.index, rows[stated], tables.short_numbers(numbers[stated])))
    words = np.array([bom.maturity is None or bom.maturity[i] != "weighed" for i in items.tolist()], bool)
    texts, of_method = [method] * int(words.sum()), bom.columns.by_quantity.get("method")
    if of_method is not None:
        fills.append(tables.ColumnEdit(of_method.index, rows[words], texts))
    added = (tables.AddedColumn("method", rows[words], texts),) if of_method is None and texts else ()
    edit = tables.TableEdit(tuple(one for one in fills if len(one.rows)), added, bom.columns.header_row)
    return tables.edit_of_file(bom.table, format_edit_numbers(bom, edit))


def requested_groups(result: Result, add: str | Iterable[str]) -> tuple[str, ...]:
    """Return the groups of columns to add; raises UsageError for an unknown one."""
    known = [group for group, _ in result_dict.derived_names(result)]
    if not isinstance(add, Iterable):
        raise UsageError(f"add is not a text or a list of texts: {add!r}")
    groups = tuple(add.split(",")) if isinstance(add, str) and add else tuple(add)
    for word in groups:
        if word not in known:
            raise UsageError(f"invalid add: {word} (expected some of {', '.join(known)})")
    return groups


def added_frame_columns(result: Result, add: str | Iterable[str]) -> dict[str, tuple[tables.Floats, str]]:
    """Return the further results of some groups of columns: name → values (n,) in coherent units, and the unit."""
    groups = requested_groups(result, add)
    names = [name for group, names in result_dict.derived_names(result) if group in groups for name in names]
    found = {name: result_dict.derived_column(result, name) for name in names}
    return {name: (values, coherent_unit(result, name)) for name, values in found.items() if values is not None}


class _EditBuilder:
    """Edits of the existing result columns, and columns added to the right."""

    def __init__(self, result: Result) -> None:
        self.header = result.bom.columns.header
        self.fills: list[tables.ColumnEdit] = []
        self.added: list[tables.AddedColumn] = []
        self.renames: dict[int, str] = {}
        self.sigma = _sigma_symbol(result.bom.table.source.encoding)

    def put(self, name: str, unit: str, rows: NDArray[np.intp], values: tables.Floats, level: float = 1) -> None:
        """Fill the column of a name with values (k,), whatever its header states, or add one with unit and sigmas."""
        named = result_header(name, unit, level, self.sigma)
        if (at := _result_column_index(self.header, name)) is None:
            self.added.append(tables.AddedColumn(named, rows, values))
            return
        self.fills.append(tables.ColumnEdit(at, rows, values))
        if self.header[at].strip() not in (name, named) or (named != name and level != 1):
            self.renames[at] = named


def _sigma_symbol(encoding: str) -> str:
    """Return the text after a number of sigmas in a header: the letter, or the word where the encoding lacks it."""
    try:
        "σ".encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return " sigma"
    return "σ"


def result_header(name: str, unit: str, level: float = 1, sigma: str = "σ") -> str:
    """Write the header of a result: its name, its unit if stated, and the number of sigmas if not 1."""
    return name + (f" [{unit}]" if unit else "") + ("" if level == 1 else f" ({level:g}{sigma})")


def _result_column_index(header: Sequence[str], name: str) -> int | None:
    """Find the column of an earlier run's result, with or without a unit in brackets and a number of sigmas."""
    for k, text in enumerate(header):
        bare = text.strip()
        if bare.startswith(name) and _HEADER_SUFFIX.fullmatch(bare, len(name)):
            return k
    return None


def _output_cell_factor(
    result: Result, column: table_columns.QuantityColumn, items: NDArray[np.intp]
) -> tables.Floats | float:
    """Return the value of a cell of 1 of these items as written: a number is divided by it to become a cell."""
    # a sigma in percent refers to the item's own value, at the level that the column states
    if not column.percent:
        new = _rewritten_unit(result, column)
        one = column.sizes(result.bom.rows[items]) if new is None else new[1] / column.level
        pieces = result.bom.pieces if column.quantity == "mass" else None
        return one if pieces is None else one / pieces[items]
    value = item_quantity_values(result.rollup, column.quantity.removeprefix("sigma_"))
    assert value is not None
    size = np.abs(value[items]) / 100 * column.factor
    return np.where(size > 0, size, np.nan)


def _rewritten_unit(result: Result, column: table_columns.QuantityColumn) -> tuple[str, float] | None:
    """Return the new unit of a column and what 1 in it is in coherent units; None if its unit does not change."""
    rewrite = result.bom.columns.rewrite
    if rewrite is None or (column.unit and column.index not in rewrite.written):
        return None
    return rewrite.written.get(column.index, (coherent_unit(result, column.quantity), 1.0))


def coherent_unit(result: Result, name: str) -> str:
    """Look up the unit of a result in the table's coherent system."""
    units = result.bom.units
    if name in result_dict.PRINCIPAL_NAMES or name in result_dict.SIGMA_PRINCIPAL_NAMES:
        return units.inertia
    if name == "allowance_percent":
        return "%"
    name = name.replace("about_I", "I").replace("about_", "C")
    dimension = quantity_dimension(
        name.removeprefix("mean_").removeprefix(result_dict.PREDICTED_PREFIX).removeprefix("allowance_")
    )
    return "" if dimension is None else {MASS: units.mass, LENGTH: units.length}.get(dimension, units.inertia)


def assembly_item_rows(result: Result) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the assemblies (k,) with a row of their own to be filled, and these rows (k,), ascending."""
    bom = result.bom
    takes = ~bom.tree.is_leaf()
    if bom.stated is not None:
        takes &= ~bom.stated
    items, rows = _first_item_rows(result)
    chosen = takes[items]
    return items[chosen], rows[chosen]


def _first_item_rows(result: Result) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one item for every row that has any, by ascending row: a part's first use represents all."""
    bom = result.bom
    items = np.flatnonzero(bom.rows >= 0) if bom.extra is None else np.flatnonzero((bom.rows >= 0) & ~bom.extra)
    held = bom.rows[items]
    if (np.diff(held) > 0).all():
        return items, held
    rows, first = np.unique(held, return_index=True)
    return items[first], rows


def _values_in_row_signs(result: Result, name: str, values: tables.Floats, items: NDArray[np.intp]) -> tables.Floats:
    """Pick items' values, with products of inertia in the sign convention their rows are written in."""
    chosen = values[items]
    if name not in ("Ixy", "Ixz", "Iyz"):
        return chosen
    sign = result.written_sign[items]
    # 0 stays 0 in any convention; another number without one cannot be written; + 0.0 makes -0.0 a plain 0
    return np.where((sign == 0) & (chosen != 0), np.nan, chosen * -sign + 0.0)


def _flag_column_edits(result: Result, items: NDArray[np.intp], rows: NDArray[np.intp]) -> list[tables.ColumnEdit]:
    """Fill assembly cells of Ipoint and POIconv that are blank or differ from what was computed."""
    bom = result.bom
    fills = []
    if (sign := bom.columns.by_quantity.get("POIconv")) is not None:
        differs = result.written_sign[items] != bom.sign[items]
        if differs.any():
            texts = ["+" if s > 0 else "-" for s in result.written_sign[items[differs]].tolist()]
            fills.append(tables.ColumnEdit(sign.index, rows[differs], texts))
    if (point := bom.columns.by_quantity.get("Ipoint")) is not None:
        computed = result.rollup.bodies.is_point[items]
        differs = computed != bom.bodies.is_point[items]
        if bom.point_blank is not None:
            differs |= bom.point_blank[items]
        if differs.any():
            yes, no = _truth_value_words(result, point.index)
            fills.append(
                tables.ColumnEdit(point.index, rows[differs], [yes if p else no for p in computed[differs].tolist()])
            )
    return fills


def _truth_value_words(result: Result, column: int) -> tuple[str, str]:
    """Write truth values as the table's first one is written."""
    pairs = {word: (yes, no) for yes, no in map(str.split, _TRUTH_WORDS.split(",")) for word in (yes, no)}
    table = result.bom.table
    for row in range(result.bom.columns.first_row, min(table.n_rows, result.bom.columns.first_row + 1000)):
        if (text := table.text(row, column).strip()) in pairs:
            return pairs[text]
    return "true", "false"


def _derived_columns(result: Result, in_table: Result, add: Sequence[str]) -> Iterator[tuple[str, tables.Floats]]:
    """Return the results without an input column: those requested, and those an earlier run has added."""
    # in the frames of the rows, but for tensors about a point, which is in the frame of the table
    add = [*add, *(["about"] if result.about is not None else [])]
    columns = result.bom.columns
    filled = {name for quantity_set in QUANTITY_SETS for name in quantity_set.columns if name in columns.by_quantity}
    for group, names in result_dict.derived_names(result):
        for name in names:
            is_there = name in columns.by_quantity or _result_column_index(columns.header, name) is not None
            if name in filled or not (group in add or is_there):
                continue
            values = result_dict.derived_column(in_table if group == "about" else result, name)
            if values is not None:
                yield name, values
