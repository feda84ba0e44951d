"""A roll-up → what is put into the table: assembly cells, and further columns when asked for.

Computed numbers go into a text file with the decimal mark of their column, so that it reads back as it was read.

Every number cell in other units (``--units SI``): the one option that rewrites what the user typed.

Cells of columns that hold units row by row: filled beside a result where blank, renamed by ``--units``.

Computed numbers go into columns that state a unit in every cell with that unit behind them, as all others there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.inertia_point import value_about
from massprops_cli.bom.quantity_sets import SETS
from massprops_cli.bom.result_columns import value_of_items
from massprops_cli.bom.result_dict import PREDICTED, PRINCIPAL, SIGMA_PRINCIPAL, further_column, further_names, is_sigma
from massprops_cli.files.fill import Added, Fill, Filling, number_text, texts_of
from massprops_cli.tables.columns import Column, Rewrite, converted_cells, row_units, unit_cells, units_row
from massprops_cli.tables.number_text import read_number, readings
from massprops_cli.tables.numbers import SEPARATORS_READ, has_decimal_comma
from massprops_cli.tables.quantities import dimension_of
from massprops_cli.tables.tuples import folded, in_one_cell, spread_below
from massprops_cli.tables.unit_text import LENGTH, MASS

if TYPE_CHECKING:
    from massprops_cli.bom.model import Content
    from massprops_cli.bom.outcome import Outcome


Cells = TypeVar("Cells", Fill, Added)


def with_decimal_marks(bom: Content, filling: Filling) -> Filling:
    """Write numbers with a comma into columns of a text file whose cells have decimal commas, or by ``--decimal ,``.

    A table that holds numbers as numbers, such as a worksheet, needs no mark.
    """
    every = bom.options.decimal == ","
    seen = {f.place.column for f in bom.findings if f.rule == SEPARATORS_READ}
    if not bom.table.source.delimiter or bom.options.decimal == "." or not (every or seen):
        return filling
    first = bom.columns.first_row
    columns = {
        column.index
        for column in bom.columns.by_quantity.values()
        if every
        or (
            bom.table.place(first, column.index, column.header).column in seen
            and any(has_decimal_comma(bom.table.texts(j, first)) for j in in_one_cell(bom.table, column.index))
        )
    }
    fills = tuple(written(fill, comma_text) if fill.column in columns else fill for fill in filling.fills)
    added = tuple(written(column, comma_text) for column in filling.added) if every else filling.added
    return replace(filling, fills=fills, added=added)


def written(cells: Cells, text: Callable[[float], str]) -> Cells:
    """Make texts of numbers that go into a column; texts stay."""
    if not isinstance(cells.values, np.ndarray):
        return cells
    return replace(cells, values=[text(value) for value in cells.values.tolist()])


def comma_text(value: float) -> str:
    """Write a number with a decimal comma, with one more digit where it could also be a separator of thousands.

    >>> comma_text(9.5), comma_text(9.534), comma_text(1.234e-05), comma_text(7.0)
    ('9,5', '9,5340', '1,2340e-05', '7')
    """
    text = number_text(value).replace(".", ",")
    read = readings(text)
    if read.point == read.comma or not read.point:
        return text
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}0{exponent}{power}"


def rewritten(bom: Content, rewrite: Rewrite) -> tuple[list[Fill], dict[int, str]]:
    """Give the input cells in the new units, and the header texts that name them; computed cells go over these."""
    converted = converted_cells(bom.table, bom.columns, rewrite)
    fills = [with_totals(bom, fill, rewrite.factors[fill.column]) for fill in converted] + units_row(rewrite)
    return fills, dict(rewrite.header)


def with_totals(bom: Content, fill: Fill, factor: float) -> Fill:
    """Add the cells of rows that are totals: no part of the tree, but numbers in the column's unit all the same."""
    table = spread_below(bom.table)
    if not bom.totals or fill.column >= table.n_columns:
        return fill
    read = {total.row: read_number(table.text(total.row, fill.column)) for total in bom.totals}
    stated = {row: number for row, number in read.items() if number is not None}
    rows, numbers = np.array(list(stated), np.intp), np.array(list(stated.values()), float)
    units = next((c.by_row for c in bom.columns.by_quantity.values() if c.index == fill.column), None)
    sizes = 1.0 if units is None else units.sizes(rows)
    return merged([Fill(fill.column, rows, numbers * (factor * sizes))], [fill])[0]


def merged(under: list[Fill], over: list[Fill]) -> list[Fill]:
    """Join fills of the same columns, where those of ``over`` hold; rows stay ascending.

    >>> one = Fill(0, np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    >>> merged([one], [Fill(0, np.array([2]), np.array([9.0]))])[0].values.tolist()
    [1.0, 9.0, 3.0]
    """
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
        result[k] = Fill(fill.column, rows[order], values[order])
    return sorted(result, key=lambda fill: fill.column)


def unit_fills(bom: Content, rows: NDArray[np.intp]) -> list[Fill]:
    """Give the cells of columns of units: those of ``rows`` that are blank, and all where units change."""
    changed = {fill.column: fill.rows for fill in unit_cells(bom.columns)}
    new = {} if bom.columns.rewrite is None else bom.columns.rewrite.row_units
    fills = []
    for index, units in sorted(row_units(bom.columns).items()):
        every = np.union1d(rows[units.blank(rows)], changed.get(index, ()))
        fills.append(Fill(index, every.astype(np.intp), [new.get(index, units.unit.text)] * len(every)))
    return [fill for fill in fills if len(fill.rows)]


def with_units(bom: Content, filling: Filling) -> Filling:
    """Put the unit behind each number that goes into such a column; ``--units`` puts it into the header instead."""
    if bom.columns.rewrite is not None:
        return filling
    units = {column.index: column.unit for column in bom.columns.by_quantity.values() if column.rules.in_cells}
    return replace(filling, fills=tuple(_with_unit(fill, units.get(fill.column, "")) for fill in filling.fills))


def _with_unit(fill: Fill, unit: str) -> Fill:
    """Put a unit behind the numbers of one column."""
    if not unit:
        return fill
    return replace(fill, values=[f"{text} {unit}" if text else "" for text in texts_of(fill.values)])


TRUTH_WORDS = (
    ("TRUE", "FALSE"),
    ("True", "False"),
    ("true", "false"),
    ("T", "F"),
    ("t", "f"),
    ("YES", "NO"),
    ("Yes", "No"),
    ("yes", "no"),
    ("Y", "N"),
    ("y", "n"),
    ("1", "0"),
)

Floats = NDArray[np.float64]

_AFTER_NAME = re.compile(r"( \[[^]]*\])?( \(\d+(σ| sigma)\))?")
"""What may stand behind a result's name in its header: its unit, how many sigmas."""


def filling_of(result: Outcome, add: Sequence[str] = (), sigma_level: int = 1) -> Filling:
    """Say what goes into the table: computed cells of assembly rows, and the columns of ``add`` on every row.

    A quantity whose column exists is filled on assembly rows; radii and other results whose columns exist from an
    earlier run are filled on every row. Numbers go out in each column's own unit, sigmas at the level its header
    states, products in each row's own sign convention. Added sigmas are ``sigma_level`` standard deviations.
    """
    bom = result.bom
    draft = Draft(result)
    assemblies, rows = assembly_rows(result)
    own = bom.options.assembly_values == "own"
    for quantity_set in SETS:
        for name in quantity_set.columns:
            column = bom.columns.by_quantity.get(name)
            values = value_about(result.rollup, name, bom.options.inertia_about)
            if column is None or values is None:
                continue
            chosen = written_products(result, name, values, assemblies)
            # a column of its own has one unit
            chosen = chosen / cell_size(result, replace(column, by_row=None) if own else column, assemblies)
            if own:
                draft.put(f"total_{name}", unit_of(result, column), rows, chosen, column.level)
            else:
                draft.fills.append(Fill(column.index, rows, chosen))
    if not own:
        draft.fills += flag_fills(result, assemblies, rows) + unit_fills(bom, rows)
    every, every_row = one_item_a_row(result)
    for name, values in further_columns(result, add):
        column = bom.columns.by_quantity.get(name)
        if column is None:
            level = sigma_level if is_sigma(name) else 1
            draft.put(name, coherent_unit(result, name), every_row, level * values[every], level)
        else:
            draft.fills.append(Fill(column.index, every_row, values[every] / cell_size(result, column, every)))
    converted, renames = ([], {}) if bom.columns.rewrite is None else rewritten(bom, bom.columns.rewrite)
    fills = tuple(merged(converted, draft.fills))
    filling = Filling(fills, tuple(draft.added), bom.columns.header_row, renames | draft.renames)
    return folded(bom.table, with_units(bom, with_decimal_marks(bom, filling)))


class Draft:
    """Columns beside the ten quantities and their sigmas, put where the table has them or added at its right."""

    def __init__(self, result: Outcome) -> None:
        self.header = result.bom.columns.header
        self.fills: list[Fill] = []
        self.added: list[Added] = []
        self.renames: dict[int, str] = {}
        self.sigma = sigma_sign(result.bom.table.source.encoding)

    def put(self, name: str, unit: str, rows: NDArray[np.intp], values: Floats, level: float = 1) -> None:
        """Fill the column of a name, whatever its header says of units and sigmas, or add one that says both."""
        named = headed(name, unit, level, self.sigma)
        at = place_in(self.header, name)
        if at is None:
            self.added.append(Added(named, rows, values))
            return
        self.fills.append(Fill(at, rows, values))
        if self.header[at].strip() not in (name, named) or (named != name and level != 1):
            self.renames[at] = named


def sigma_sign(encoding: str) -> str:
    """Choose what stands behind a number of sigmas in a header: the letter, or the word where a file cannot hold it.

    >>> sigma_sign("utf-8"), sigma_sign("cp1252"), sigma_sign("")
    ('σ', ' sigma', 'σ')
    """
    try:
        "σ".encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return " sigma"
    return "σ"


def headed(name: str, unit: str, level: float = 1, sigma: str = "σ") -> str:
    """Write a result's header: its name, its unit where one is stated, how many sigmas where that is not one.

    >>> headed("Cx", "mm"), headed("sigma_kx", "mm", 2)
    ('Cx [mm]', 'sigma_kx [mm] (2σ)')
    """
    return name + (f" [{unit}]" if unit else "") + ("" if level == 1 else f" ({level:g}{sigma})")


def place_in(header: Sequence[str], name: str) -> int | None:
    """Find the column of an earlier run's result, with or without a unit in brackets and a number of sigmas.

    >>> place_in(["id", "principal_1 [kg*mm^2]"], "principal_1"), place_in(["sigma_kx [m] (2σ)"], "sigma_kx")
    (1, 0)
    """
    for k, text in enumerate(header):
        bare = text.strip()
        if bare.startswith(name) and _AFTER_NAME.fullmatch(bare, len(name)):
            return k
    return None


def cell_size(result: Outcome, column: Column, items: NDArray[np.intp]) -> Floats | float:
    """Give what a cell 1 of these items means in what is written: a number is divided by it to become a cell.

    Sigmas in percent are so of the item's own value, at the level that the column states.
    """
    if not column.percent:
        one = column.sizes(result.bom.rows[items]) if result.bom.columns.rewrite is None else 1 / column.level
        pieces = result.bom.pieces if column.quantity == "mass" else None
        return one if pieces is None else one / pieces[items]
    value = value_of_items(result.rollup, column.quantity.removeprefix("sigma_"))
    assert value is not None
    size = np.abs(value[items]) / 100 * column.factor
    return np.where(size > 0, size, np.nan)


def unit_of(result: Outcome, column: Column) -> str:
    """Give the unit in which a column's numbers go out."""
    if column.percent:
        return "%"
    return column.unit if result.bom.columns.rewrite is None else coherent_unit(result, column.quantity)


def coherent_unit(result: Outcome, name: str) -> str:
    """Give the unit of a result in the table's coherent system; empty where none is stated, or it has none."""
    units = result.bom.units
    if name in PRINCIPAL or name in SIGMA_PRINCIPAL:
        return units.inertia
    if name == "allowance_percent":
        return "%"
    dimension = dimension_of(name.removeprefix("mean_").removeprefix(PREDICTED).removeprefix("allowance_"))
    return "" if dimension is None else {MASS: units.mass, LENGTH: units.length}.get(dimension, units.inertia)


def assembly_rows(result: Outcome) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give the assembly items that have a row of their own to be filled, and their rows, ascending."""
    bom = result.bom
    takes = ~bom.tree.is_leaf()
    if bom.stated is not None:
        takes &= ~bom.stated
    items, rows = one_item_a_row(result)
    chosen = takes[items]
    return items[chosen], rows[chosen]


def one_item_a_row(result: Outcome) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give one item for every row that has any, by ascending row: a part's first use stands for all."""
    bom = result.bom
    items = np.flatnonzero(bom.rows >= 0) if bom.extra is None else np.flatnonzero((bom.rows >= 0) & ~bom.extra)
    held = bom.rows[items]
    if (np.diff(held) > 0).all():
        return items, held
    rows, first = np.unique(held, return_index=True)
    return items[first], rows


def written_products(result: Outcome, name: str, values: Floats, items: NDArray[np.intp]) -> Floats:
    """Pick items' values, with products of inertia in the sign convention their rows are written in."""
    chosen = values[items]
    if name not in ("Ixy", "Ixz", "Iyz"):
        return chosen
    sign = result.written_sign[items]
    # 0 stays 0 in any convention; another number without one cannot be written; + 0.0 makes -0.0 a plain 0
    return np.where((sign == 0) & (chosen != 0), np.nan, chosen * -sign + 0.0)


def flag_fills(result: Outcome, items: NDArray[np.intp], rows: NDArray[np.intp]) -> list[Fill]:
    """Fill assembly cells of Ipoint and POIconv that are blank or say something else than what was computed."""
    bom = result.bom
    fills = []
    sign = bom.columns.by_quantity.get("POIconv")
    if sign is not None and bom.sign is not None:
        differs = result.written_sign[items] != bom.sign[items]
        if differs.any():
            texts = ["+" if s > 0 else "-" for s in result.written_sign[items[differs]].tolist()]
            fills.append(Fill(sign.index, rows[differs], texts))
    point = bom.columns.by_quantity.get("Ipoint")
    if point is not None:
        computed = result.rollup.bodies.is_point[items]
        differs = computed != bom.bodies.is_point[items]
        if bom.point_blank is not None:
            differs |= bom.point_blank[items]
        if differs.any():
            yes, no = truth_words(result, point.index)
            fills.append(Fill(point.index, rows[differs], [yes if p else no for p in computed[differs].tolist()]))
    return fills


def truth_words(result: Outcome, column: int) -> tuple[str, str]:
    """Write truth values as the table's first one is written."""
    pairs = {word: pair for pair in TRUTH_WORDS for word in pair}
    table = result.bom.table
    for row in range(result.bom.columns.first_row, min(table.n_rows, result.bom.columns.first_row + 1000)):
        if (text := table.text(row, column).strip()) in pairs:
            return pairs[text]
    return "true", "false"


def further_columns(result: Outcome, add: Sequence[str]) -> Iterator[tuple[str, Floats]]:
    """Give the results beside what the table has columns for: those asked for, and those an earlier run has added."""
    columns = result.bom.columns
    filled = {name for quantity_set in SETS for name in quantity_set.columns if name in columns.by_quantity}
    for group, names in further_names(result):
        for name in names:
            is_there = name in columns.by_quantity or place_in(columns.header, name) is not None
            if name in filled or not (group in add or is_there):
                continue
            values = further_column(result, name)
            if values is not None:
                yield name, values
