"""Trees on the screen and as drawings: items with shares and bars, and the parts of a partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import body_numbers, item_quantity_values
from massprops_cli.findings.finding import UsageError, count_with_noun, name_list
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.page import ASCII, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.reports.plots import picture_format, require_matplotlib, save_figure
from massprops_cli.reports.summary import MOMENTS, CoverageWords, known_leaves_text
from massprops_cli.rollups.inputs import PARAMETER_NAMES, Coverage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from massprops_cli.bom.results.result import Result
    from massprops_cli.bom.results.variants import Variants
    from massprops_cli.bom.whatif import WhatIf
    from massprops_cli.partitions.aggregation import Aggregation
    from massprops_cli.partitions.tree_partition import Partition
    from massprops_cli.trees.tree import Tree

_MAX_INDENT_LEVELS = 40  # levels that are indented; a deeper item has its level as a number
_VARIANT_ASSEMBLIES_SHOWN = 40  # number of assemblies shown, nearest to the root first; the others are counted
_NAN = float("nan")
_MarkedValue = tuple[str, float | None, float | None]
"""A mark, such as that of a lower bound, a value and its sigma; None if unknown."""
_GRAPH_SUFFIXES = (".dot", ".graphml")
_MOST_ITEMS = 2_000  # in a picture
_MOST_LABELS = 120  # in a picture of more items no id is written
_COLORS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac")
_DIGITS = 9  # significant digits of a mass


def tree_blocks(result: Result, symbols: Symbols, depth: int | None, most: int | None = None) -> list[PageBlock]:
    """Lay out the tree, at most some rows, down to a depth, where assemblies have the number of items below them."""
    bom, order = result.bom, result.bom.tree.preorder_items()
    if depth is not None:
        order = order[bom.tree.depth()[order] <= depth]
    unit = conventions.unit_text(bom.units.mass, symbols)
    mass = f"mass {unit}" if unit else "mass"
    is_whole = bool(result.rollup.coverage.mass_is_whole[result.root_item])
    rows = [[TextSpan(text, "dim") for text in ("item", "name", "qty", mass, "", "share" if is_whole else "")]]
    bars = [0.0]
    for row, share in _tree_rows(result, symbols, depth, order, most):
        rows.append(row)
        bars.append(share)
    align = "llrdsr"
    unused = [j for j in (1, 2) if not any(row[j].text for row in rows[1:])]
    rows = [[cell for j, cell in enumerate(row) if j not in unused] for row in rows]
    align = "".join(letter for j, letter in enumerate(align) if j not in unused)
    blocks: list[PageBlock] = [Grid(rows, align, bars, shrink=0 if 1 in unused else 1, indent=0)]
    blocks += _rest_lines(len(order) - len(rows) + 1, "item")
    if not bom.units.stated:
        of_root = "; shares of the root mass" if is_whole else ""
        blocks += [Line(), text_line(TextSpan(f"units not stated{of_root}", "dim"))]
    return blocks


def _rest_lines(count: int, noun: str) -> list[PageBlock]:
    """Write how many items a terminal does not show."""
    counted = count_with_noun(count, noun).replace(" ", " more ")
    return [text_line(f"and {counted}; to print all: --config all-rows=true, or a pipe")] if count else []


def _tree_rows(
    result: Result, symbols: Symbols, depth: int | None, order: NDArray[np.int32], most: int | None
) -> Iterator[tuple[list[TextSpan], float]]:
    """Return the row and the share of the first items of an order, depth-first."""
    bom, tree, coverage = result.bom, result.bom.tree, result.rollup.coverage
    levels, leaf = tree.depth(), tree.is_leaf()
    mass, times = item_quantity_values(result.rollup, "mass"), tree.path_quantities(bom.quantity).count
    assert mass is not None
    whole, is_whole = float(mass[result.root_item]), bool(coverage.mass_is_whole[result.root_item])
    shares = mass * times / whole if whole and is_whole else np.full(len(mass), np.nan)
    # whether each item shown ``(n,)`` is the last child of its parent
    last = np.zeros(len(tree.parent), dtype=bool)
    backward = order[::-1]
    _, first = np.unique(tree.parent[backward], return_index=True)
    last[backward[first]] = True
    order = order[:most]
    inside = (
        (tree.subtree_sums(np.ones(len(tree))) - 1) * (~leaf & (levels == depth))
        if depth is not None
        else np.zeros(len(mass))
    )
    sigmas = item_quantity_values(result.rollup, "sigma_mass")
    sigmas = np.full(len(mass), np.nan) if sigmas is None else sigmas
    bound, known, rows = coverage.mass_is_bound, coverage.known_mass, coverage.rows
    is_partial = (known > 0) & (known < rows) & ~bound & (not is_whole)
    ids, names = list(bom.ids), list(bom.ids if bom.names is None else bom.names)
    columns = (levels, last, leaf, bom.quantity.count, inside, mass, sigmas, bound, is_partial, shares)
    open_levels: list[bool] = []
    for i, level, is_last, is_leaf, count, below, value, sigma, is_bound, partial, share in zip(
        order.tolist(), *(column[order].tolist() for column in columns), strict=True
    ):
        del open_levels[max(level - 1, 0) :]
        prefix = _branch_prefix(open_levels, level, is_last, symbols)
        open_levels.append(not is_last) if level else None
        number, spread = conventions.number_and_sigma(value, sigma, symbols)
        of_known = known_leaves_text(int(known[i]), int(rows[i])) if partial else ""
        yield (
            [
                TextSpan(
                    f"{prefix}{ids[i]}" + (f"  {symbols.rest}{int(below):,} below" if below else ""),
                    "" if is_leaf else "strong",
                ),
                TextSpan("" if names[i] == ids[i] else names[i]),
                TextSpan("" if count == 1 else conventions.formatted_number(count)),
                TextSpan(f"{'>=' if symbols is ASCII else '≥'} {number}" if is_bound else number),
                TextSpan(spread),
                TextSpan(conventions.percent_text(share) if is_whole else of_known),
            ],
            abs(share) if isfinite(share) else 0.0,
        )


def _branch_prefix(open_levels: list[bool], level: int, is_last: bool, symbols: Symbols) -> str:
    """Draw the branch lines before an item; a very deep item has its level instead."""
    if level == 0:
        return ""
    if level > _MAX_INDENT_LEVELS:
        return f"[level {level:,}] "
    more, end, through = symbols.branch
    return "".join(through if is_open else "   " for is_open in open_levels) + (end if is_last else more)


def variant_blocks(variants: Variants, symbols: Symbols) -> list[PageBlock]:
    """Lay out the masses of variants, one row per assembly, and the centres of the root, one row per variant."""
    bom, every = variants.bom, variants.assemblies
    depth = bom.tree.depth()
    nearest = set(sorted(every, key=lambda item: int(depth[item]))[:_VARIANT_ASSEMBLIES_SHOWN])
    items = [item for item in every if item in nearest]
    unit = f"mass {conventions.unit_text(bom.units.mass, symbols)}".rstrip() if bom.units.stated else "mass"
    rows = [[TextSpan(unit, "dim"), *(TextSpan(name, "dim") for name in variants.names)]]
    for item in items:
        numbers = [variants.numbers(k, item) for k in range(len(variants.names))]
        name = TextSpan("  " * int(depth[item]) + bom.ids[item], "strong" if item == items[0] else "")
        rows.append([name, *(TextSpan(conventions.number_or_dash(one["mass"])) for one in numbers)])
        if item == items[0] and "sigma_mass" in numbers[0]:
            sigmas = (TextSpan(conventions.number_or_dash(one["sigma_mass"]), "dim") for one in numbers)
            rows.append([TextSpan(f"  {symbols.sigma}", "dim"), *sigmas])
    blocks: list[PageBlock] = [Line(), Grid(rows, "l" + "d" * len(variants.names), shrink=0)]
    if more := len(every) - len(items):
        blocks.append(text_line(f"and {more:,} more assemblies; to list all: -o FILE or --format json"))
    if bom.bodies.center is not None:
        blocks += [Line(), *_variant_center_blocks(variants, symbols)]
    words = "units as shown" if bom.units.stated else "units not stated"
    return [*blocks, Line(), text_line(TextSpan(f"{words}; each quantity column rolled up separately", "dim"))]


def _variant_center_blocks(variants: Variants, symbols: Symbols) -> list[PageBlock]:
    """Show the root's centre of mass in every variant."""
    bom, root = variants.bom, variants.assemblies[0]
    unit = f", {conventions.unit_text(bom.units.length, symbols)}" if bom.units.stated else ""
    rows = [[TextSpan(text, "dim") for text in ("", "Cx", "Cy", "Cz")]]
    for k, name in enumerate(variants.names):
        numbers = variants.numbers(k, root)
        texts = [conventions.number_or_dash(numbers[axis]) for axis in ("Cx", "Cy", "Cz")]
        rows.append([TextSpan(text) for text in (name, *texts)])
    return [text_line(f"centre of mass (CG) of {bom.ids[root]}{unit}"), Grid(rows, "lddd", shrink=0)]


def whatif_blocks(answer: WhatIf, symbols: Symbols, *, failed: bool, most: int | None = None) -> list[PageBlock]:
    """Lay out the changes and their effect on each assembly above them, the root first, in about ``most`` lines."""
    changes = answer.notes
    blocks: list[PageBlock] = [
        text_line(
            symbols.mark(failed),
            " ",
            TextSpan(count_with_noun(len(changes), "change"), "strong"),
            f" in {answer.bom.table.source.name}",
        )
    ]
    texts = [text if symbols is not ASCII else text.replace("→", "->").replace("×", "x") for text in changes]
    blocks += [text_line("  ", text, hang=4) for text in texts]
    lines, names = 0, dict(zip(answer.bom.ids, answer.bom.names or answer.bom.ids, strict=True))
    for k, name in enumerate(answer.ids):
        if most is not None and lines >= most:
            blocks += [Line(), *_rest_lines(len(answer.ids) - k, "assembly")]
            break
        blocks += [
            Line(),
            text_line(
                TextSpan(conventions.item_label(name, names.get(name, "")), "strong"),
                TextSpan("  (root)" if k == 0 else "", "dim"),
            ),
        ]
        if len(rows := _changed_quantity_rows(answer, k, symbols)) == 1:
            blocks.append(text_line("  no change"))
        else:
            blocks.append(Grid(rows, "ldsdsdl"))
        lines += 2 + len(rows)
    words = (
        "units as shown" if answer.bom.units.stated else "units not stated",
        "inertia about the CG of each assembly",
        f"products of inertia: {conventions.sign_words(symbols)}",
        f"uncertainty: {answer.method}",
    )
    return [*blocks, Line(), text_line(TextSpan("; ".join(words), "dim"))]


def _changed_quantity_rows(answer: WhatIf, k: int, symbols: Symbols) -> list[list[TextSpan]]:
    """Return a header, and a row for each value of an assembly that changes."""
    units = answer.bom.units
    before, after = body_numbers(answer.before(k)), body_numbers(answer.after(k))
    rows = [[TextSpan(text, "dim") for text in ("", "before", "", "after", "", "difference", "")]]
    for name in PARAMETER_NAMES:
        old, new, old_sigma, new_sigma = (side.get(key) for key in (name, f"sigma_{name}") for side in (before, after))
        if (old is not None or new is not None) and (old != new or old_sigma != new_sigma):
            unit = units.mass if name == "mass" else units.length if name.startswith("C") else units.inertia
            marks, parts = zip(*(_coverage_marks(one, name, symbols) for one in answer.coverage(k)), strict=True)
            ends = (marks[0], old, old_sigma), (marks[1], new, new_sigma)
            rows.append(_changed_row(name, *ends, unit, symbols, _coverage_change_text(*parts)))
        if name == "mass" and answer.predicted is not None:  # growth is stated
            old, new = answer.predicted_mass(k)
            if old != new:
                rows.append(_changed_row("predicted mass", ("", old, None), ("", new, None), units.mass, symbols))
    return rows


def _changed_row(
    label: str, before: _MarkedValue, after: _MarkedValue, unit: str, symbols: Symbols, part: str = ""
) -> list[TextSpan]:
    """Return the row of a value before and after a change; ``part`` is the coverage of incomplete values."""
    cells, (_, old, _), (_, new, sigma) = [TextSpan(label, "dim")], before, after
    for (mark, *known), style in ((before, ""), (after, "strong")):
        value, deviation = (_NAN if one is None else one for one in known)
        number, spread = conventions.number_and_sigma(value, deviation, symbols)
        cells += [TextSpan(("" if known[0] is None else mark) + number, style), TextSpan(spread, style)]
    change = _NAN if old is None or new is None else new - old
    text = conventions.difference_text(change, _NAN if sigma is None else sigma)
    words = "  ".join(filter(None, (conventions.unit_text(unit, symbols), part)))
    return [*cells, TextSpan(text, "warn" if change else ""), TextSpan(words, "warn" if part else "dim")]


def _coverage_marks(coverage: Coverage, name: str, symbols: Symbols) -> tuple[str, str]:
    """Return the coverage of a value of item 0: ``≥`` before a lower bound, or words behind an incomplete value."""
    part = CoverageWords(coverage, 0, symbols)
    if name == "mass":
        return part.bound("", coverage.mass_is_bound), part.mass
    if name in MOMENTS and coverage.moments_are_bounds[0]:
        return part.sign, ""
    return "", part.center if name.startswith("C") else part.inertia


def _coverage_change_text(before: str, after: str) -> str:
    """Join the coverage before and after a change."""
    if before == after:
        return before
    return ", ".join(f"{side}: {words}" for side, words in (("before", before), ("after", after)) if words)


def check_tree_picture(name: str) -> None:
    """Reject a drawing that cannot be made."""
    if name and Path(name).suffix.lower() not in _GRAPH_SUFFIXES:
        picture_format(name, _GRAPH_SUFFIXES)
        require_matplotlib()


def draw_tree_parts(name: str, tree: Tree, ids: Sequence[str], parts: Sequence[str], *, replaces: bool = True) -> None:
    """Draw a tree, each part in its colour, and write it to a file."""
    if (suffix := Path(name).suffix.lower()) in _GRAPH_SUFFIXES:
        from massprops_cli.files.writer import atomic_file
        from massprops_cli.trees.digraph import Digraph

        graph = Digraph.from_parents(tree.parent)
        text = graph.to_dot(ids, parts) if suffix == ".dot" else graph.to_graphml(ids, parts)
        with atomic_file(name, replaces=replaces) as out:
            out.write(text.encode())
        return
    if len(tree) > _MOST_ITEMS:
        raise UsageError(f"tree is too large to draw: {len(tree):,} items (at most {_MOST_ITEMS:,}); write .dot")
    save_figure(name, lambda: _tree_parts_figure(tree, ids, parts), replaces=replaces)


def _tree_parts_figure(tree: Tree, ids: Sequence[str], parts: Sequence[str]) -> Figure:
    """Draw the tree with the root at the top; edges between parts are dashed."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    x, y = _positions(tree)
    size = 6.0 + 0.32 * float(np.ptp(x)), 1.6 + 0.9 * float(np.ptp(y))
    figure = Figure(figsize=(min(size[0], 40.0), min(size[1], 30.0)))
    axes: Any = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axes.axis("off")
    titles = list(dict.fromkeys(parts))
    color = {title: _COLORS[k % len(_COLORS)] for k, title in enumerate(titles)}
    for child, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            same = parts[child] == parts[parent]
            line = {"color": "#777777" if same else "#c03030", "linestyle": "-" if same else (0, (3, 3))}
            axes.plot([x[parent], x[child]], [-y[parent], -y[child]], linewidth=1.0, zorder=1, **line)
    axes.scatter(x, -y, s=90, c=[color[part] for part in parts], zorder=2)
    if len(tree) <= _MOST_LABELS:
        for i, text in enumerate(ids):
            axes.annotate(text, (x[i], -y[i]), xytext=(6, 5), textcoords="offset points", fontsize=7)
    marks = [Line2D([], [], marker="o", linestyle="", color=color[title], label=title) for title in titles]
    axes.legend(handles=marks, loc="upper left", frameon=False, fontsize=8)
    return figure


def _positions(tree: Tree) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the places of the items: leaves side by side in preorder, assemblies above their children."""
    x = np.zeros(len(tree))
    order = tree.preorder_items()
    leaf = tree.is_leaf()
    x[order[leaf[order]]] = np.arange(int(leaf.sum()))
    for item in order[::-1].tolist():
        if not leaf[item]:
            children = tree.children(item)
            x[item] = (x[children[0]] + x[children[-1]]) / 2
    return x, tree.depth().astype(float)


def partition_blocks(parts: Partition) -> list[PageBlock]:
    """Lay out the parts of a partition."""
    unit = parts.result.bom.units.mass
    head = ["part", "items", f"own mass [{unit}]" if unit else "own mass", "top items", "represented branches"]
    rows = [[TextSpan(text, "dim") for text in head]]
    rows += [
        [
            TextSpan(part.name, "strong"),
            TextSpan(f"{part.items:,}"),
            TextSpan(f"{part.mass:.{_DIGITS}g}"),
            TextSpan(_names(part.tops)),
            TextSpan(_names(part.branches)),
        ]
        for part in parts.parts
    ]
    return [Line(), Grid(rows, "lrrll", shrink=4)]


def aggregation_blocks(made: Aggregation) -> list[PageBlock]:
    """Lay out what became one item."""
    items = [name for name, is_member in zip(made.bom.ids, made.members.tolist(), strict=True) if is_member]
    return [
        Line(),
        text_line(TextSpan("aggregated: ", "strong"), _names(items), hang=2),
        text_line(TextSpan("new item: ", "strong"), made.name, hang=2),
        text_line(TextSpan("its children: ", "strong"), _names(made.children), hang=2),
    ]


def _names(names: Sequence[str]) -> str:
    """Return names as one text, a dash without any."""
    return name_list(list(names)) if names else "-"
