"""Aggregated columns and subtotals: on the screen, as plain JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import item_quantity_values
from massprops_cli.reports.page.conventions import level_text
from massprops_cli.reports.page.number_text import formatted_number, number_and_sigma, percent_text, unit_text
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.subtotals import ColumnRollup, LabelSubtotals


_TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_UNKNOWN = float("nan")
AGGREGATION_WORDS = {
    "sum": "sum",
    "max": "maximum",
    "min": "minimum",
    "mean": "mass-weighted mean",
    "rss": "root sum square",
}


class AggregatedColumns(NamedTuple):
    """Aggregated columns, each (header, roll-up), and subtotals by ``labels``."""

    columns: Sequence[tuple[str, ColumnRollup]] = ()
    labels: Sequence[str] = ()
    groups: LabelSubtotals | None = None
    group_columns: Sequence[tuple[str, ColumnRollup]] = ()
    """The same columns in every group; group g is item g."""

    def to_dict(self, result: Result, sigma_level: int = 1) -> dict[str, Any]:
        """Return the aggregated columns and subtotals as plain JSON values."""
        found: dict[str, Any] = {}
        if self.columns:
            found["columns"] = [_aggregated_column_dict(result, header, rolled) for header, rolled in self.columns]
        if self.groups is not None:
            found["groups"] = _groups_dict(result, self, sigma_level)
        return found


def aggregated_column_blocks(result: Result, columns: Sequence[tuple[str, ColumnRollup]]) -> list[PageBlock]:
    """Lay out the value of each aggregated column at the root, with its coverage in leaves."""
    if not columns:
        return []
    i = result.root_item
    rows = []
    for header, rolled in columns:
        known, leaves = int(rolled.known[i]), int(rolled.leaves[i])
        cover = "all leaves" if known == leaves else f"{known:,} of {leaves:,} leaves"
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        words, look = AGGREGATION_WORDS[rolled.aggregation], "" if known == leaves else "warn"
        rows.append([TextSpan(header), TextSpan(value, "strong"), TextSpan(words, "dim"), TextSpan(cover, look)])
    return [Line(), text_line(TextSpan("aggregated columns, root", "dim")), Grid(rows, "ldll")]


def group_blocks(result: Result, other: AggregatedColumns, symbols: Symbols, level: int = 1) -> list[PageBlock]:
    """Lay out subtotals, the heaviest first: coverage, share of mass, mass, centre, moments, other columns."""
    groups, labels, columns = other.groups, other.labels, other.group_columns
    if groups is None:
        return []
    order = range(len(groups.labels))
    shares = None
    if _has_mass_column(result):
        mass = np.abs(np.nan_to_num(groups.rollup.bodies.mass[: len(order)]))
        shares = mass / mass.sum() if mass.sum() > 0 else np.full(len(mass), np.nan)
        order = np.argsort(-mass, kind="stable").tolist()
    wide: list[list[TextSpan]] = []
    narrow: list[list[TextSpan]] = []
    for g in order:
        entries = group_entries(result, other, g, symbols, level)
        start = [TextSpan(text) for text in groups.labels[g]]
        start.append(coverage_cell(result, groups, columns, g))
        start += [] if shares is None else [TextSpan(percent_text(float(shares[g])))]
        if not wide:
            head = [*labels, "leaves", *([] if shares is None else ["share"])]
            wide.append([TextSpan(text, "dim") for text in [*head, *(t for name, *_ in entries for t in (name, ""))]])
            narrow.append([TextSpan(text, "dim") for text in (*head, "", "", "")])
        wide.append([*start, *(TextSpan(text) for _, *texts in entries for text in texts)])
        for k, (name, *texts) in enumerate(entries):
            blank = [TextSpan("")] * len(start)
            narrow.append([*(blank if k else start), TextSpan(name, "dim"), *map(TextSpan, texts)])
    align = "l" * len(labels) + ("r" if shares is None else "rr")
    small = Grid(narrow, align + "lns", shrink=0)
    grid = Grid(wide, align + "ds" * ((len(wide[0]) - len(align)) // 2) if wide else align, shrink=0, narrow=small)
    mark = f"  {symbols.plus_minus} {level_text(level, symbols)}" if level > 1 else ""
    return [Line(), text_line(TextSpan(f"by {', '.join(labels)}", "dim"), TextSpan(mark, "warn")), grid]


def _has_mass_column(result: Result) -> bool:
    """Whether the table has masses at all; without them only other columns are aggregated."""
    return "mass" in result.bom.columns.by_quantity


def group_entries(
    result: Result, other: AggregatedColumns, g: int, symbols: Symbols, level: int
) -> list[tuple[str, str, str]]:
    """Return the numbers of one group."""
    units, groups = result.bom.units, other.groups
    assert groups is not None
    entries = []
    for name in _TEN[:7] if _has_mass_column(result) else ():
        column, sigma = item_quantity_values(groups.rollup, name), item_quantity_values(groups.rollup, f"sigma_{name}")
        if column is not None:
            unit = unit_text(_quantity_unit(name, units.mass, units.length, units.inertia), symbols)
            texts = number_and_sigma(float(column[g]), _UNKNOWN if sigma is None else level * float(sigma[g]), symbols)
            entries.append((f"{name} {unit}".rstrip(), *texts))
    for header, rolled in other.group_columns:
        entries.append((f"{rolled.aggregation} {header}", formatted_number(float(rolled.values[g]), 8) or "-", ""))
    return entries


def _quantity_unit(name: str, mass: str, length: str, inertia: str) -> str:
    """Choose the unit of one of the ten numbers."""
    return mass if name == "mass" else length if name.startswith("C") else inertia


def coverage_cell(
    result: Result, groups: LabelSubtotals, columns: Sequence[tuple[str, ColumnRollup]], g: int
) -> TextSpan:
    """Count the leaves of a group, and those with a known value if some lack it."""
    coverage, bodies, whole = groups.rollup.coverage, groups.rollup.bodies, int(groups.rollup.coverage.rows[g])
    known: list[tuple[str, int, int]] = []
    if _has_mass_column(result):
        known = [("mass", int(coverage.known_mass[g]), whole)]
        known += [("CG", int(coverage.known_center[g]), whole)] if bodies.center is not None else []
        known += [("inertia", int(coverage.known_inertia[g]), whole)] if bodies.inertia is not None else []
    known += [(header, int(rolled.known[g]), int(rolled.leaves[g])) for header, rolled in columns]
    missing = [f"{words} of {count:,}" for words, count, whole in known if count < whole]
    return TextSpan("; ".join([f"{whole:,}", *missing]), "warn" if missing else "")


def _groups_dict(result: Result, other: AggregatedColumns, level: int) -> list[dict[str, Any]]:
    """Return subtotals as plain values: ten numbers, sigmas at a level, other columns, coverage."""
    groups, columns = other.groups, other.group_columns
    assert groups is not None
    coverage = groups.rollup.coverage
    values = _group_values(result, groups, level)
    found = []
    for g, texts in enumerate(groups.labels):
        entry: dict[str, Any] = {"labels": dict(zip(other.labels, texts, strict=True))}
        entry |= {name: _plain_value(column[g]) for name, column in values.items()}
        entry["coverage"] = {"leaves": int(coverage.rows[g])}
        if _has_mass_column(result):
            entry["coverage"] |= {
                "mass": int(coverage.known_mass[g]),
                "center": int(coverage.known_center[g]),
                "inertia": int(coverage.known_inertia[g]),
            }
        if columns:
            entry["columns"] = [
                {**_column_name_dict(header, rolled), **_item_value_dict(rolled, g)} for header, rolled in columns
            ]
        found.append(entry)
    return found


def _group_values(result: Result, groups: LabelSubtotals, level: int) -> dict[str, NDArray[np.float64]]:
    """Return the computed values of the ten numbers and their sigmas, one array over groups for each."""
    found: dict[str, NDArray[np.float64]] = {}
    for times, names in ((1, _TEN), (level, [f"sigma_{name}" for name in _TEN])) if _has_mass_column(result) else ():
        columns = {name: item_quantity_values(groups.rollup, name) for name in names}
        found |= {name: times * column for name, column in columns.items() if column is not None}
    return found


def _aggregated_column_dict(result: Result, header: str, rolled: ColumnRollup) -> dict[str, Any]:
    """Return one rolled-up column as plain values: every item, and how many leaves below the root are known."""
    items = dict(zip(result.bom.ids, map(_plain_value, rolled.values.tolist()), strict=True))
    at_root = _item_value_dict(rolled, result.root_item)
    return {**_column_name_dict(header, rolled), "known": at_root["known"], "leaves": at_root["leaves"], "items": items}


def _column_name_dict(header: str, rolled: ColumnRollup) -> dict[str, Any]:
    """Name a rolled-up column."""
    return {"column": header, "aggregation": rolled.aggregation}


def _item_value_dict(rolled: ColumnRollup, i: int) -> dict[str, Any]:
    """Return a rolled-up column's value and coverage at an item."""
    return {"value": _plain_value(rolled.values[i]), "known": int(rolled.known[i]), "leaves": int(rolled.leaves[i])}


def _plain_value(value: float) -> float | None:
    """Return a number, or None if it is unknown."""
    return float(value) if np.isfinite(value) else None
