"""Trees as NetworkX graphs, for drawing and for the algorithms that stand there ready; NetworkX is loaded here only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.bom.items.arrays import value_of_items
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.sets import SETS
from massprops_cli.rollup.rolled import Rollup

if TYPE_CHECKING:
    import networkx as nx


def graph_of_items(bom: Content, rollup: Rollup | None = None) -> nx.DiGraph[str]:
    """Give the tree as a directed graph, from every assembly to its children.

    Nodes are ids, with ``name`` where the table has names, and with the mass, centre, tensor and sigmas that
    ``rollup`` knows under their canonical names; edges carry ``qty``.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    names = bom.names
    for i, item in enumerate(bom.ids):
        graph.add_node(item, **({} if names is None else {"name": names[i]}))
    if rollup is not None:
        for quantity in (name for quantity_set in SETS for name in quantity_set.columns):
            values = value_of_items(rollup, quantity)
            if values is not None:
                for item, value in zip(bom.ids, values.tolist(), strict=True):
                    if value == value:  # noqa: PLR0124 - NaN is not known
                        graph.nodes[item][quantity] = value
    count = bom.quantity.count.tolist()
    for i, parent in enumerate(bom.tree.parent.tolist()):
        if parent >= 0:
            graph.add_edge(bom.ids[parent], bom.ids[i], qty=count[i])
    return graph
