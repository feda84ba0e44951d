"""A drawing of a tree with its parts, by Matplotlib; or the same graph for Graphviz and GraphML programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.plots import picture_format, require_matplotlib, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from massprops_cli.trees.tree import Tree

_GRAPH_SUFFIXES = (".dot", ".graphml")
_MOST_ITEMS = 2_000  # in a picture
_MOST_LABELS = 120  # in a picture of more items no id is written
_COLORS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac")


def check_tree_picture(name: str) -> None:
    """Reject a drawing that cannot be made."""
    if name and Path(name).suffix.lower() not in _GRAPH_SUFFIXES:
        picture_format(name, _GRAPH_SUFFIXES)
        require_matplotlib()


def draw_tree_parts(name: str, tree: Tree, ids: Sequence[str], parts: Sequence[str], *, replaces: bool = True) -> None:
    """Draw a tree, each part in its colour, and write it to a file."""
    suffix = Path(name).suffix.lower()
    if suffix in _GRAPH_SUFFIXES:
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
    from massprops_cli.trees.tree import preorder_items

    x = np.zeros(len(tree))
    order = preorder_items(tree)
    leaf = tree.is_leaf()
    x[order[leaf[order]]] = np.arange(int(leaf.sum()))
    for item in order[::-1].tolist():
        if not leaf[item]:
            children = tree.children(item)
            x[item] = (x[children[0]] + x[children[-1]]) / 2
    return x, tree.depth().astype(float)
