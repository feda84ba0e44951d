"""Directed graphs of a few thousand nodes, in the terms of A. Jain (2012): trees, chains, subgraphs, partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

if TYPE_CHECKING:
    import networkx as nx

_Mask = NDArray[np.bool_]


class _SpanningTree(NamedTuple):
    """A tree of edges of a digraph: ``parent (n,)``, −1 for the root, and the ``cut_edges`` that are not in it."""

    parent: tuple[int, ...]
    cut_edges: tuple[tuple[int, int], ...]


class _InducedPartition(NamedTuple):
    """Nodes by their position relative to a subgraph: below it, in it, and all others."""

    children: frozenset[int]
    members: frozenset[int]
    parents: frozenset[int]


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class Digraph:
    """A directed graph of n nodes, numbered from 0.

    Attributes
    ----------
    n : int
        Number of nodes.
    edges : tuple of tuple of int
        Pairs (parent, child), each once.

    Examples
    --------
    >>> graph = Digraph.from_parents([-1, 0, 0, 1])
    >>> graph.is_tree, graph.is_path_induced({0, 3}), sorted(graph.path_closure({0, 3}))
    (True, False, [0, 1, 3])
    """

    n: int
    edges: tuple[tuple[int, int], ...]

    @classmethod
    def from_edges(cls, n: int, edges: Iterable[tuple[int, int]]) -> Digraph:
        """Return the graph of a list of edges.

        Parameters
        ----------
        n : int
            Number of nodes.
        edges : iterable of tuple of int
            Pairs (parent, child); a repeated pair is one edge.

        Returns
        -------
        Digraph
            The graph.

        Raises
        ------
        UsageError
            An edge has a node that is not 0 … n − 1.
        """
        pairs = tuple(dict.fromkeys((int(a), int(b)) for a, b in edges))
        for a, b in pairs:
            if not (0 <= a < n and 0 <= b < n):
                raise UsageError(f"edge has an unknown node: {a}, {b} (expected 0 to {n - 1})")
        return cls(n, pairs)

    @classmethod
    def from_parents(cls, parents: Sequence[int] | NDArray[np.integer]) -> Digraph:
        """Return the forest of a list of parents.

        Parameters
        ----------
        parents : sequence or array of int, length n
            Number of the parent of each node; negative without a parent.

        Returns
        -------
        Digraph
            The graph.

        Raises
        ------
        UsageError
            A parent is not a node.
        """
        return cls.from_edges(len(parents), ((int(p), i) for i, p in enumerate(parents) if p >= 0))

    @cached_property
    def adjacency(self) -> _Mask:
        """The adjacency matrix ``(n, n)``: entry (a, b) is true if an edge goes from a to b."""
        matrix = np.zeros((self.n, self.n), bool)
        for a, b in self.edges:
            matrix[a, b] = True
        return matrix

    @cached_property
    def reach(self) -> _Mask:
        """The transitive closure ``(n, n)``: entry (a, b) is true if a path of one edge or more goes from a to b."""
        found = self.adjacency.copy()
        while True:
            one = found.astype(np.float32)
            wider = found | (one @ one > 0.5)
            if np.array_equal(wider, found):
                return found
            found = wider

    def children(self, node: int) -> list[int]:
        """Return the children of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        list of int
            In the order of the edges.
        """
        return [b for a, b in self.edges if a == node]

    def parents(self, node: int) -> list[int]:
        """Return the parents of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        list of int
            In the order of the edges.
        """
        return [a for a, b in self.edges if b == node]

    @property
    def roots(self) -> list[int]:
        """The nodes without a parent."""
        return np.flatnonzero(~self.adjacency.any(axis=0)).tolist()

    @property
    def is_acyclic(self) -> bool:
        """Whether no path returns to its start (directed acyclic graph)."""
        return not bool(self.reach.diagonal().any())

    @property
    def is_connected(self) -> bool:
        """Whether any two nodes are joined by edges, whatever their direction."""
        return self.n > 0 and len(self._component(0)) == self.n

    @property
    def is_rooted(self) -> bool:
        """Whether one node has no parent, and paths go from it to all others."""
        roots = self.roots
        return len(roots) == 1 and int(self.reach[roots[0]].sum()) == self.n - 1

    @property
    def is_polytree(self) -> bool:
        """Whether the graph is a tree if directions are disregarded: connected, with n − 1 edges and no loop."""
        return self.is_connected and len(self.edges) == self.n - 1

    @property
    def is_forest(self) -> bool:
        """Whether every node has at most one parent, and no path returns to its start."""
        return self.is_acyclic and bool((self.adjacency.sum(axis=0) <= 1).all())

    @property
    def is_tree(self) -> bool:
        """Whether one node has no parent, all others have exactly one, and all are connected."""
        return self.is_polytree and self.is_forest

    @property
    def is_serial_chain(self) -> bool:
        """Whether the graph is a tree in which every node has at most one child."""
        return self.is_tree and bool((self.adjacency.sum(axis=1) <= 1).all())

    def canonical_numbers(self) -> list[int]:
        """Return a canonical numbering, in which the number of a parent is greater than that of its children.

        Returns
        -------
        list of int
            New number of each node, 0 … n − 1; the adjacency matrix in this order is strictly lower triangular.

        Raises
        ------
        UsageError
            The graph has a directed cycle, so that there is none.
        """
        if not self.is_acyclic:
            raise UsageError("graph has a directed cycle, so that it has no canonical numbering")
        numbers: list[int] = np.argsort(np.argsort(self.reach.sum(axis=1), kind="stable")).tolist()
        return numbers

    def renumbered(self, numbers: Sequence[int]) -> Digraph:
        """Return the same graph with other numbers.

        Parameters
        ----------
        numbers : sequence of int, length n
            New number of each node.

        Returns
        -------
        Digraph
            The graph.

        Raises
        ------
        UsageError
            The numbers are not 0 … n − 1.
        """
        if sorted(numbers) != list(range(self.n)):
            raise UsageError(f"numbers are not 0 to {self.n - 1}, each once")
        return Digraph(self.n, tuple((numbers[a], numbers[b]) for a, b in self.edges))

    def ancestors(self, node: int) -> set[int]:
        """Return the nodes from which a path goes to a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        set of int
            Numbers; with the node itself only if it is on a cycle.
        """
        return set(np.flatnonzero(self.reach[:, node]).tolist())

    def descendants(self, node: int) -> set[int]:
        """Return the nodes to which a path goes from a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        set of int
            Numbers; with the node itself only if it is on a cycle.
        """
        return set(np.flatnonzero(self.reach[node]).tolist())

    def is_related(self, a: int, b: int) -> bool:
        """Return whether one node is an ancestor of another.

        Parameters
        ----------
        a, b : int
            Numbers of the nodes.

        Returns
        -------
        bool
            False for unrelated nodes.
        """
        return bool(self.reach[a, b] or self.reach[b, a])

    def spanning_tree(self) -> _SpanningTree:
        """Return a spanning tree of a rooted graph, breadth-first, and its cut edges.

        Returns
        -------
        _SpanningTree
            ``parent``, one for each node, and ``cut_edges``, without which the graph is this tree.

        Raises
        ------
        UsageError
            The graph is not rooted.
        """
        if not self.is_rooted:
            raise UsageError("graph is not rooted, so that no directed tree spans it")
        parent = [-1] * self.n
        queue, seen = self.roots, set(self.roots)
        for node in queue:
            for child in self.children(node):
                if child not in seen:
                    seen.add(child)
                    parent[child] = node
                    queue.append(child)
        return _SpanningTree(tuple(parent), tuple((a, b) for a, b in self.edges if parent[b] != a))

    def induced(self, nodes: Collection[int]) -> Digraph:
        """Return the subgraph of some nodes with all edges between them.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes.

        Returns
        -------
        Digraph
            The nodes in ascending order, renumbered from 0.
        """
        number = {node: k for k, node in enumerate(sorted(set(nodes)))}
        return Digraph(len(number), tuple((number[a], number[b]) for a, b in self.edges if a in number and b in number))

    def _between(self, nodes: Collection[int]) -> set[int]:
        """Return the nodes outside a set that are on a path from one of its nodes to another."""
        members = sorted(set(nodes))
        on_path = self.reach[members].any(axis=0) & self.reach[:, members].any(axis=1)
        return set(np.flatnonzero(on_path).tolist()) - set(members)

    def is_path_induced(self, nodes: Collection[int]) -> bool:
        """Return whether all paths between some nodes remain among them.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes.

        Returns
        -------
        bool
            Whether the subgraph that they induce is path-induced.
        """
        return not self._between(nodes)

    def path_closure(self, nodes: Collection[int]) -> set[int]:
        """Return the smallest path-induced set that contains some nodes.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes.

        Returns
        -------
        set of int
            Numbers.
        """
        return set(nodes) | self._between(nodes)

    def induced_partition(self, nodes: Collection[int]) -> _InducedPartition:
        """Divide the nodes by a path-induced subgraph S into children C, members S and parents P.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes of S.

        Returns
        -------
        _InducedPartition
            ``children``: the descendants of S outside it; ``members``: S; ``parents``: all other nodes. Each of the
            three is path-induced, and no edge goes from C to S or P, nor from S to P.

        Raises
        ------
        UsageError
            The subgraph is not path-induced.
        """
        members = frozenset(nodes)
        if between := self._between(members):
            missing = ", ".join(map(str, sorted(between)))
            raise UsageError(f"subgraph is not path-induced; nodes on paths between its nodes: {missing}")
        below = frozenset(np.flatnonzero(self.reach[sorted(members)].any(axis=0)).tolist()) - members
        return _InducedPartition(below, members, frozenset(range(self.n)) - members - below)

    def contracted(self, nodes: Collection[int]) -> Digraph:
        """Return the graph with some nodes replaced by one.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes, one at least.

        Returns
        -------
        Digraph
            The new node has the number of the first in ascending order; the others are removed and the rest is
            renumbered. Edges between the nodes are dropped, all others remain, each once.

        Raises
        ------
        UsageError
            There are no nodes.
        """
        if not (members := set(nodes)):
            raise UsageError("no nodes to contract")
        first = min(members)
        kept = [node for node in range(self.n) if node == first or node not in members]
        number = {node: k for k, node in enumerate(kept)} | dict.fromkeys(members, kept.index(first))
        edges = ((number[a], number[b]) for a, b in self.edges if not (a in members and b in members))
        return Digraph.from_edges(len(kept), edges)

    def is_aggregable(self, nodes: Collection[int]) -> bool:
        """Return whether a tree remains a tree when some nodes are replaced by one.

        Parameters
        ----------
        nodes : collection of int
            Numbers of the nodes, one at least.

        Returns
        -------
        bool
            True if and only if the nodes have one parent outside, an ancestor of all of them, or none and the root.

        Raises
        ------
        UsageError
            The graph is not a tree.
        """
        if not self.is_tree:
            raise UsageError("graph is not a tree, so that the aggregation condition does not apply")
        members = set(nodes)
        if not (outside := {a for a, b in self.edges if b in members and a not in members}):
            return self.roots[0] in members
        (parent, *others) = outside
        return not others and all(self.reach[parent, node] for node in members)

    def _component(self, start: int) -> set[int]:
        """Return the nodes that edges of any direction join to a start."""
        both = self.adjacency | self.adjacency.T
        seen, waiting = {start}, [start]
        while waiting:
            for node in np.flatnonzero(both[waiting.pop()]).tolist():
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return seen

    def to_networkx(self, names: Sequence[str] | None = None) -> nx.DiGraph[str]:
        """Export the graph to NetworkX.

        Parameters
        ----------
        names : sequence of str, length n, optional
            Names of the nodes; default: their numbers as text.

        Returns
        -------
        networkx.DiGraph
            Nodes are names.
        """
        import networkx as nx

        labels = _node_names(self.n, names)
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(labels)
        graph.add_edges_from((labels[a], labels[b]) for a, b in self.edges)
        return graph

    def to_dot(self, names: Sequence[str] | None = None, parts: Sequence[str] | None = None) -> str:
        """Export the graph in the DOT language of Graphviz.

        Parameters
        ----------
        names : sequence of str, length n, optional
            Names of the nodes; default: their numbers.
        parts : sequence of str, length n, optional
            Part of each node; each part is a cluster.

        Returns
        -------
        str
            Text of a DOT file.

        Examples
        --------
        >>> print(Digraph.from_parents([-1, 0]).to_dot(["TOP", "A"]), end="")
        digraph {
          "TOP";
          "A";
          "TOP" -> "A";
        }
        """
        labels = [_quoted(name) for name in _node_names(self.n, names)]
        lines = []
        for k, part in enumerate(dict.fromkeys(parts or ())):
            inside = [f"    {labels[i]};" for i, one in enumerate(parts or ()) if one == part]
            lines += [f"  subgraph cluster_{k} {{", f"    label={_quoted(part)};", *inside, "  }"]
        lines += [f"  {label};" for label in labels] if parts is None else []
        lines += [f"  {labels[a]} -> {labels[b]};" for a, b in self.edges]
        return "\n".join(["digraph {", *lines, "}"]) + "\n"

    def to_graphml(self, names: Sequence[str] | None = None, parts: Sequence[str] | None = None) -> str:
        """Export the graph as GraphML.

        Parameters
        ----------
        names : sequence of str, length n, optional
            Names of the nodes; default: their numbers.
        parts : sequence of str, length n, optional
            Part of each node, written as the attribute ``part``.

        Returns
        -------
        str
            Text of a GraphML file.
        """
        labels = [escape(name) for name in _node_names(self.n, names)]
        head = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
        head += ['  <key id="part" for="node" attr.name="part" attr.type="string"/>'] if parts is not None else []
        nodes = [
            f'    <node id="{label}"/>'
            if parts is None
            else f'    <node id="{label}"><data key="part">{escape(parts[i])}</data></node>'
            for i, label in enumerate(labels)
        ]
        edges = [f'    <edge source="{labels[a]}" target="{labels[b]}"/>' for a, b in self.edges]
        return "\n".join([*head, '  <graph edgedefault="directed">', *nodes, *edges, "  </graph>", "</graphml>"]) + "\n"


def _node_names(n: int, names: Sequence[str] | None) -> list[str]:
    """Return the names of n nodes; their numbers if there are none."""
    if names is None:
        return [str(i) for i in range(n)]
    if len(names) != n:
        raise UsageError(f"number of names differs from that of nodes: {len(names)} (expected {n})")
    return list(names)


def _quoted(text: str) -> str:
    """Return a text as a quoted string of DOT."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
