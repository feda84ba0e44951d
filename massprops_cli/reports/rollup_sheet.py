"""Worksheet Rollup: items from the root down, the main results in sight, all others in closed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom import (
    ALLOWANCE_NAMES,
    AXIS_NAMES,
    CORRELATIONS,
    COVERAGE_NAMES,
    PREDICTED_PREFIX,
    PRINCIPAL_NAMES,
    SHARE_PREFIX,
    SIGMA_PRINCIPAL_NAMES,
    coherent_unit,
    derived_column,
    is_sigma_name,
    result_header,
)
from massprops_cli.files import CellLook, CellValue, OutputSheet
from massprops_cli.reports.page import value_number_format
from massprops_cli.reports.subtotals import AggregatedColumns
from massprops_cli.trees import preorder_items

if TYPE_CHECKING:
    from massprops_cli.bom import Result


_TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_RADII = ("kx", "ky", "kz")
_MAIN = (
    "mass",
    "sigma_mass",
    "Cx",
    "Cy",
    "Cz",
    "Ixx",
    "Iyy",
    "Izz",
    "allowance_percent",
    "predicted_mass",
    "coverage_mass",
)
"""Results in sight; the columns of all others are grouped and closed."""
_DEEPEST_OUTLINE = 7
_MOST_DECIMALS = 9
_SIGMA_DIGITS = 2
_LONGEST_TEXT_WIDTH = 36
_Floats = NDArray[np.float64]
_Items = NDArray[np.int32 | np.int64]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Origin of a result: names of the input and its SHA-256, date of the run, command line, configuration files."""

    source: str = ""
    sha256: str = ""
    date: str = ""
    command: str = ""
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """Optional contents of the tool's own sheets: aggregated columns, sigma level, correlations, origin."""

    other: AggregatedColumns
    sigma_level: int = 1
    correlations: bool = False
    record: RunRecord = field(default_factory=RunRecord)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of numbers: its name, header, values by row, and whether it is in sight."""

    name: str
    header: str
    values: _Floats
    is_main: bool


def rollup_sheet(result: Result, options: SheetOptions) -> OutputSheet:
    """Write the results of all items to a sheet, depth first, in coherent units, products as tensor entries.

    Parameters
    ----------
    result : Result
        Result of a roll-up.
    options : SheetOptions
        Optional contents of the sheet.

    Returns
    -------
    OutputSheet
        Worksheet to write.
    """
    bom = result.bom
    order = preorder_items(bom.tree)
    columns = sorted(_number_columns(result, options, order), key=lambda column: not column.is_main)
    parents = bom.tree.parent.tolist()
    ids = [bom.ids[i] for i in order.tolist()]
    above = [bom.ids[parents[i]] if parents[i] >= 0 else None for i in order.tolist()]
    names = None if bom.names is None else [bom.names[i] for i in order.tolist()]
    main = sum(column.is_main for column in columns)
    heads: list[CellValue] = ["id", "parent" if names is None else "name", *(column.header for column in columns)]
    cells: list[Sequence[CellValue]] = [ids, above if names is None else names]
    cells += [column.values.tolist() for column in columns]
    if names is not None:  # first of the closed columns
        heads.insert(2 + main, "parent")
        cells.insert(2 + main, above)
    rows: list[Sequence[CellValue]] = [heads, *zip(*cells, strict=True)]
    places = {column.name: k + 2 + (names is not None and k >= main) for k, column in enumerate(columns)}
    below = _subtotal_rows(result, options, places, len(heads))
    depth = np.minimum(bom.tree.depth()[order], _DEEPEST_OUTLINE)
    outline = np.concatenate([[0], depth, np.zeros(len(below))]).astype(np.uint8)
    digits = _decimals(columns)
    formats = {places[column.name]: _column_format(column) for column in columns}
    return OutputSheet(
        "Rollup",
        [*rows, *below],
        widths=_column_widths(heads, cells, outline, formats, {places[name]: one for name, one in digits.items()}),
        number_formats={k: code for k, code in formats.items() if code},
        decimals={places[name]: np.concatenate([[-1], one]).astype(np.int8) for name, one in digits.items()},
        outline=outline,
        looks={(0, k): CellLook.NUMBER_HEADER for k in formats},
        indents=outline,
        bold_rows=set((np.flatnonzero(~bom.tree.is_leaf()[order]) + 1).tolist()),
        folded_columns=range(2 + main, len(heads)),
        frozen_columns=2,
        autofilter=not below,  # a filter would sort the subtotals in among the items
        own=True,
    )


def _number_columns(result: Result, options: SheetOptions, order: _Items) -> list[_Column]:
    """Return the columns of numbers: quantity, results, aggregated columns; one value per item in an order."""
    level, bom = options.sigma_level, result.bom
    found = []
    if "qty" in bom.columns.by_quantity:
        found.append(_Column("qty", "qty", bom.quantity.count[order], is_main=True))
    for name, values in zip(*_result_columns(result, options), strict=True):
        header = result_header(name, coherent_unit(result, name), level if is_sigma_name(name) else 1)
        found.append(_Column(name, header, values[order], name in _MAIN))
    for name, rolled in options.other.columns:
        header = f"{rolled.aggregation} {name}"
        found.append(
            _Column(f"{rolled.aggregation} of {name}", header, np.asarray(rolled.values, float)[order], is_main=True)
        )
    return found


def _subtotal_rows(
    result: Result, options: SheetOptions, places: Mapping[str, int], width: int
) -> list[Sequence[CellValue]]:
    """Return a blank row, and a row per group under the columns of the items."""
    other, groups = options.other, options.other.groups
    if groups is None:
        return []
    grouped = replace(result, rollup=groups.rollup)
    found = dict(zip(*_result_columns(grouped, options, of_groups=True), strict=True))
    found |= {f"{rolled.aggregation} of {name}": rolled.values for name, rolled in other.group_columns}
    by = "by " + ", ".join(other.labels)
    rows: list[Sequence[CellValue]] = [[None] * width]
    for k, label in enumerate(groups.labels):
        row: list[CellValue] = [", ".join(label), by, *[None] * (width - 2)]
        for name, values in found.items():
            if name in places:
                row[places[name]] = float(values[k])
        rows.append(row)
    return rows


def _result_columns(
    result: Result, options: SheetOptions, *, of_groups: bool = False
) -> tuple[list[str], list[_Floats]]:
    """Return the names and values of all computed quantities, one value per item; sigmas at a level."""
    # ``of_groups`` omits the quantities of items only: growth, and shares by method
    if "mass" not in result.bom.columns.by_quantity:  # only aggregated columns
        return ["coverage_leaves"], [result.coverage_column("coverage_leaves")]
    names = [quantity for name in (*_TEN, *_RADII) for quantity in (name, f"mean_{name}", f"sigma_{name}")]
    names += [quantity for both in zip(PRINCIPAL_NAMES, SIGMA_PRINCIPAL_NAMES, strict=True) for quantity in both]
    names += [*ALLOWANCE_NAMES, *(PREDICTED_PREFIX + name for name in _TEN)]
    names += [*AXIS_NAMES, *COVERAGE_NAMES, *(SHARE_PREFIX + word for word in result.shares_of_mass)]
    names += CORRELATIONS if options.correlations else ()
    if of_groups:
        names = [name for name in names if not name.startswith((SHARE_PREFIX, PREDICTED_PREFIX, *ALLOWANCE_NAMES))]
    level = options.sigma_level
    found = [(name, values) for name in names if (values := derived_column(result, name)) is not None]
    return [name for name, _ in found], [level * values if is_sigma_name(name) else values for name, values in found]


def _column_format(column: _Column) -> str:
    """Return the number format of a column without sigmas: shares as percentages, else six digits of the largest."""
    if column.name.startswith((SHARE_PREFIX, "coverage_")) and column.name != "coverage_leaves":
        return "0%" if bool(np.isin(column.values[np.isfinite(column.values)], (0.0, 1.0)).all()) else "0.0%"
    if column.name == "qty":
        return ""
    if column.name == "allowance_percent":
        return "0.0"
    return value_number_format(column.values)


def _decimals(columns: Sequence[_Column]) -> dict[str, NDArray[np.int8]]:
    """Return the decimals of quantities with a sigma, and of the sigmas: two digits of the sigma, row by row."""
    by_name = {column.name: column for column in columns}
    found = {}
    for column in columns:
        spread = by_name.get(f"sigma_{column.name}")
        if spread is None or "E" in value_number_format(column.values):
            continue
        sigma = spread.values
        known = np.isfinite(sigma) & (sigma > 0)
        if not known.any():
            continue
        exponent = np.zeros(len(sigma))
        exponent[known] = np.floor(np.log10(sigma[known] * (1 + 0.5 * 10.0**-_SIGMA_DIGITS)))
        digits = np.clip(_SIGMA_DIGITS - 1 - exponent, 0, _MOST_DECIMALS)
        # an exact number has the decimals of the others
        digits[~known] = min(np.median(digits[known]), _MOST_DECIMALS)
        found[column.name] = found[spread.name] = digits.astype(np.int8)
    return found


def _column_widths(
    heads: Sequence[CellValue],
    cells: Sequence[Sequence[CellValue]],
    outline: NDArray[np.uint8],
    formats: Mapping[int, str],
    digits: Mapping[int, NDArray[np.int8]],
) -> list[float]:
    """Return the widths of columns in characters: the longest text, or the longest number in its format."""
    widths: list[float] = []
    for k, (head, column) in enumerate(zip(heads, cells, strict=True)):
        word = max(map(len, str(head).split()), default=0)
        if k in formats:
            values = np.abs(np.array(column, float))
            largest = float(values[np.isfinite(values)].max(initial=0.0))
            decimals = int(digits[k].max(initial=0)) if k in digits else len(formats[k].partition(".")[2])
            needed = len(f"{largest:.0f}") + decimals + 2 if "E" not in formats[k] else 12
        else:
            steps = outline[1:].tolist() if k == 0 else [0] * len(column)
            texts = zip(column, steps, strict=False)
            needed = max((len(str(text or "")) + 2 * step for text, step in texts), default=0)
        widths.append(float(min(max(word + 4, needed + 2, 9), _LONGEST_TEXT_WIDTH)))
    return widths
