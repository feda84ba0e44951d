"""Trees as NetworkX graphs, held to the counts of its own algorithms."""

from __future__ import annotations

import networkx as nx
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup


def test_graph_of_the_twelve_rows(sample_data):
    result = rollup(Bom.from_table(Bom.read(str(sample_data / "twelve_rows.csv")).table))
    graph = result.to_networkx()
    assert nx.is_arborescence(graph)
    assert nx.descendants(graph, "A.2") == {"P.1", "P.2", "P.3", "P.4"}
    leaves = [node for node in graph if graph.out_degree(node) == 0]
    assert graph.nodes["A.1"]["mass"] == pytest.approx(sum(graph.nodes[node]["mass"] for node in leaves))
    assert graph.nodes["A.1"]["Ixy"] == pytest.approx(-4.8)


def test_edges_carry_quantities_and_unknown_numbers_are_absent():
    rows = [{"id": "t", "parent": ""}, {"id": "a", "parent": "t", "mass": 2.0, "qty": 3, "name": "bolt"}]
    bom = Bom.from_records(rows)
    assert bom.to_networkx().edges["t", "a"] == {"qty": 3.0}
    assert bom.to_networkx().nodes["a"] == {"name": "bolt"}
    assert rollup(bom).to_networkx().nodes["t"]["mass"] == 6.0
    assert "Cx" not in rollup(bom).to_networkx().nodes["t"]
