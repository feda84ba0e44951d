"""Other columns and subtotals on the screen, and as plain JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.bom.arrays import value_of_items
from massprops_cli.report.number_text import number_and_sigma, number_text, percent, unit_text
from massprops_cli.report.page import Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result
    from massprops_cli.rollup.columns import ColumnRollup
    from massprops_cli.rollup.groups import Groups

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
WORDS = {
    "sum": "sum",
    "max": "greatest",
    "min": "least",
    "mean": "mean, weighted by mass",
    "rss": "root of sum of squares",
}


def column_blocks(result: Result, columns: Sequence[tuple[str, ColumnRollup]]) -> list[Block]:
    """Show what each rolled-up column gives at the root, and how many leaves are known."""
    if not columns:
        return []
    i = result.root_item
    rows = []
    for header, rolled in columns:
        known, leaves = int(rolled.known[i]), int(rolled.leaves[i])
        cover = "all leaves" if known == leaves else f"{known:,} of {leaves:,} leaves"
        value = number_text(float(rolled.values[i]), 8) or "-"
        rows.append(
            [
                Span(header),
                Span(value, "strong"),
                Span(WORDS[rolled.way], "dim"),
                Span(cover, "" if known == leaves else "warn"),
            ]
        )
    return [Line(), say(Span("other columns, at the root", "dim")), Grid(rows, "lrll")]


def group_blocks(result: Result, groups: Groups, labels: Sequence[str], symbols: Symbols) -> list[Block]:
    """Show subtotals: mass, share, centre, and how much is known; heaviest first."""
    rolled, n = groups.rollup, len(groups.labels)
    columns = {name: value_of_items(rolled, name) for name in (*TEN[:4], *(f"sigma_{t}" for t in TEN[:4]))}
    mass = columns["mass"]
    assert mass is not None
    whole = float(np.nansum(np.abs(mass[:n])))
    units = result.bom.units
    mass_unit, length_unit = unit_text(units.mass, symbols), unit_text(units.length, symbols)
    has_center = columns["Cx"] is not None
    head = [
        *labels,
        f"mass {mass_unit}".rstrip(),
        "",
        "share",
        *((x for a in "xyz" for x in (f"C{a} {length_unit}".rstrip(), "")) if has_center else ()),
        "leaves",
    ]
    rows = [[Span(text, "dim") for text in head]]
    nan = float("nan")
    for g in np.argsort(-np.abs(mass[:n]), kind="stable").tolist():
        row = [Span(text) for text in groups.labels[g]]
        for name in TEN[: 4 if has_center else 1]:
            column, sigma = columns[name], columns[f"sigma_{name}"]
            value = nan if column is None else float(column[g])
            row += [Span(text) for text in number_and_sigma(value, nan if sigma is None else float(sigma[g]), symbols)]
            if name == "mass":
                row.append(Span(percent(abs(value) / whole if whole else nan)))
        known, leaves = int(rolled.coverage.known_mass[g]), int(rolled.coverage.rows[g])
        row.append(
            Span(
                f"{leaves:,}" if known == leaves else f"{known:,} of {leaves:,}",
                "" if known == leaves else "warn",
            )
        )
        rows.append(row)
    align = "l" * len(labels) + "rsr" + ("rsrsrs" if has_center else "") + "r"
    narrow = Grid(stacked(rows, len(labels)), "l" * len(labels) + "lnsrr", shrink=0) if has_center else None
    return [Line(), say(Span(f"by {', '.join(labels)}", "dim")), Grid(rows, align, shrink=0, narrow=narrow)]


def stacked(rows: Sequence[Sequence[Span]], n: int) -> list[list[Span]]:
    """Set mass and centre of each group below each other, for a narrow screen; ``n`` columns are labels."""
    head, blank = rows[0], Span("")
    found = [[*head[:n], blank, blank, blank, head[n + 2], head[-1]]]
    for row in rows[1:]:
        found.append([*row[:n], head[n], *row[n : n + 2], row[n + 2], row[-1]])
        found += [[*[blank] * n, head[k], *row[k : k + 2], blank, blank] for k in (n + 3, n + 5, n + 7)]
    return found


def groups_dict(groups: Groups, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Give subtotals as plain values, with their coverage."""
    rolled = groups.rollup
    columns = {name: value_of_items(rolled, name) for name in (*TEN, *(f"sigma_{name}" for name in TEN))}
    found = []
    for g, texts in enumerate(groups.labels):
        entry: dict[str, Any] = {"labels": dict(zip(labels, texts, strict=True))}
        for name, column in columns.items():
            if column is not None:
                entry[name] = float(column[g]) if np.isfinite(column[g]) else None
        coverage = rolled.coverage
        entry["coverage"] = {
            "leaves": int(coverage.rows[g]),
            "mass": int(coverage.known_mass[g]),
            "center": int(coverage.known_center[g]),
            "inertia": int(coverage.known_inertia[g]),
        }
        found.append(entry)
    return found
