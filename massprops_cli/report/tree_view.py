"""The tree on the screen: indented, with mass, share of the whole and a bar."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.arrays import value_of_items
from massprops_cli.report.number_text import number_and_sigma, number_text, percent, unit_text
from massprops_cli.report.page import Block, Grid, Line, Span, Symbols, say
from massprops_cli.report.summary import masses
from massprops_cli.tree.preorder import preorder

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result

INDENT_MOST = 40
"""Levels deeper than this are not indented further; their level is written instead."""


def tree_blocks(result: Result, symbols: Symbols, depth: int | None) -> list[Block]:
    """Show the tree down to a depth; what lies deeper is counted on its assembly's row."""
    bom = result.bom
    unit = unit_text(bom.units.mass, symbols)
    mass = f"mass {unit}" if unit else "mass"
    rows = [[Span(text, "dim") for text in ("item", "name", "qty", mass, "", "share")]]
    bars = [0.0]
    for row, share in tree_rows(result, symbols, depth):
        rows.append(row)
        bars.append(share)
    align = "llrdsr"
    unused = [j for j in (1, 2) if not any(row[j].text for row in rows[1:])]
    rows = [[cell for j, cell in enumerate(row) if j not in unused] for row in rows]
    align = "".join(letter for j, letter in enumerate(align) if j not in unused)
    blocks: list[Block] = [Grid(rows, align, bars, shrink=0 if 1 in unused else 1, indent=0)]
    if not bom.units.stated:
        blocks += [Line(), say(Span("units not stated; share is of the root's mass", "dim"))]
    return blocks


def tree_rows(result: Result, symbols: Symbols, depth: int | None) -> Iterator[tuple[list[Span], float]]:
    """Give each shown item's row and share, in depth-first order."""
    bom, tree = result.bom, result.bom.tree
    levels = tree.depth()
    order = preorder(tree)
    if depth is not None:
        order = order[levels[order] <= depth]
    leaf = tree.is_leaf()
    mass, times = masses(result), path_quantity(result)
    whole = float(mass[result.root_item])
    inside = below_counts(result) if depth is not None else None
    last = last_children(tree.parent, order)
    sigmas = value_of_items(result.rollup, "sigma_mass")
    open_levels: list[bool] = []
    for i in order.tolist():
        level = int(levels[i])
        del open_levels[max(level - 1, 0) :]
        prefix = branch_prefix(open_levels, level, last[i], symbols)
        open_levels.append(not last[i]) if level else None
        hidden = inside is not None and level == depth and not leaf[i]
        name = bom.names[i] if bom.names is not None and bom.names[i] != bom.ids[i] else ""
        share = float(mass[i] * times[i] / whole) if whole else float("nan")
        count = float(bom.quantity.count[i])
        more = f"  {symbols.rest}{int(inside[i]):,} below" if hidden and inside is not None else ""
        sigma = float("nan") if sigmas is None else float(sigmas[i])
        yield (
            [
                Span(f"{prefix}{bom.ids[i]}{more}", "" if leaf[i] else "strong"),
                Span(name),
                Span("" if count == 1 else number_text(count)),
                *(Span(text) for text in number_and_sigma(float(mass[i]), sigma, symbols)),
                Span(percent(share)),
            ],
            abs(share) if isfinite(share) else 0.0,
        )


def branch_prefix(open_levels: list[bool], level: int, is_last: bool, symbols: Symbols) -> str:
    """Draw the lines before an item; very deep items carry their level instead of all of them."""
    if level == 0:
        return ""
    if level > INDENT_MOST:
        return f"[level {level:,}] "
    more, end, through = symbols.branch
    return "".join(through if is_open else "   " for is_open in open_levels) + (end if is_last else more)


def last_children(parent: NDArray[np.int32], order: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which of the shown items ``(n,)`` is its parent's last child."""
    last = np.zeros(len(parent), dtype=bool)
    backward = order[::-1]
    parents = parent[backward]
    _, first = np.unique(parents, return_index=True)
    last[backward[first]] = True
    return last


def path_quantity(result: Result) -> NDArray[np.float64]:
    """Give how many of each item ``(n,)`` stand in the whole tree: the product of quantities from the root down."""
    tree = result.bom.tree
    times = np.array(result.bom.quantity.count, dtype=float)
    times[result.root_item] = 1.0
    if (times == 1).all():
        return times
    for start, stop in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[start:stop]
        times[items] *= times[tree.parent[items]]
    return times


def below_counts(result: Result) -> NDArray[np.intp]:
    """Count the items below each item ``(n,)``."""
    tree = result.bom.tree
    counts = np.zeros(len(result.bom), dtype=np.intp)
    for start, stop in zip(tree.levels[-2:0:-1].tolist(), tree.levels[:1:-1].tolist(), strict=True):
        items = tree.order[start:stop]
        np.add.at(counts, tree.parent[items], counts[items] + 1)
    return counts
