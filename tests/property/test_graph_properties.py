"""Graphs of trees: every statement of the vocabulary on random graphs, by brute force and against NetworkX."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from massprops_cli import Digraph
from massprops_cli.findings.finding import UsageError
from massprops_cli.partitions.tree_partition import _divided_labels
from massprops_cli.trees.tree import Tree, aggregation_closure, items_between, serial_segments


@st.composite
def digraphs(draw, most: int = 7) -> Digraph:
    n = draw(st.integers(1, most))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []
    return Digraph.from_edges(n, edges)


@st.composite
def acyclic_graphs(draw, most: int = 7) -> Digraph:
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    pairs = [(order[a], order[b]) for a in range(n) for b in range(a + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []
    return Digraph.from_edges(n, edges)


@st.composite
def parent_lists(draw, most: int = 12) -> list[int]:
    """A labelled tree in any order."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    parents = [-1] * n
    for k in range(1, n):
        parents[order[k]] = order[draw(st.integers(0, k - 1))]
    return parents


def peer(graph: Digraph) -> nx.DiGraph:
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.n))
    made.add_edges_from(graph.edges)
    return made


def paths_stay_inside(graph: nx.DiGraph, nodes: set[int]) -> bool:
    """The definition: every simple path between two of the nodes remains among them."""
    return all(
        set(path) <= nodes for a, b in itertools.permutations(nodes, 2) for path in nx.all_simple_paths(graph, a, b)
    )


def subset(graph: Digraph, seed: int) -> set[int]:
    """A random set of nodes, one at least."""
    chosen = random.Random(seed)
    return set(chosen.sample(range(graph.n), chosen.randint(1, graph.n)))


@given(digraphs())
def test_kinds_of_graphs_agree_with_networkx(graph: Digraph) -> None:
    other = peer(graph)
    assert graph.is_acyclic == nx.is_directed_acyclic_graph(other)
    assert graph.is_connected == nx.is_weakly_connected(other)
    assert graph.is_polytree == (nx.is_tree(other))
    assert graph.is_tree == nx.is_arborescence(other)
    assert graph.is_forest == nx.is_branching(other)
    chain = nx.is_arborescence(other) and max(dict(other.out_degree).values()) <= 1
    assert graph.is_serial_chain == chain
    reached = [node for node in other if len(nx.descendants(other, node)) == graph.n - 1 and not other.in_degree(node)]
    assert graph.is_rooted == (len(reached) == 1)


@given(digraphs())
def test_adjacency_and_relations_agree_with_networkx(graph: Digraph) -> None:
    other = peer(graph)
    assert (graph.adjacency == nx.to_numpy_array(other, nodelist=range(graph.n), dtype=bool)).all()
    for a in range(graph.n):
        assert graph.descendants(a) - {a} == nx.descendants(other, a)
        assert graph.ancestors(a) - {a} == nx.ancestors(other, a)
        assert set(graph.children(a)) == set(other.successors(a))
        assert set(graph.parents(a)) == set(other.predecessors(a))
        for b in set(range(graph.n)) - {a}:
            assert graph.is_related(a, b) == (nx.has_path(other, a, b) or nx.has_path(other, b, a))


@given(digraphs())
def test_a_canonical_numbering_exists_if_and_only_if_the_graph_is_acyclic(graph: Digraph) -> None:
    if not graph.is_acyclic:
        with pytest.raises(UsageError, match="directed cycle"):
            graph.canonical_numbers()
        return
    numbers = graph.canonical_numbers()
    assert sorted(numbers) == list(range(graph.n))
    assert all(numbers[a] > numbers[b] for a, b in graph.edges)
    adjacency = graph.renumbered(numbers).adjacency.astype(int)
    assert (np.triu(adjacency) == 0).all()
    # so it is nilpotent, and 1 − S has the inverse 1 + S + S² + …, whose entries count paths
    power = np.linalg.matrix_power(adjacency, graph.n)
    assert (power == 0).all()
    inverse = np.linalg.inv(np.eye(graph.n) - adjacency)
    assert ((inverse - np.eye(graph.n) > 0.5) == graph.renumbered(numbers).reach).all()


@given(acyclic_graphs())
def test_entries_of_powers_of_the_adjacency_count_paths(graph: Digraph) -> None:
    other, adjacency = peer(graph), graph.adjacency.astype(int)
    total = sum(np.linalg.matrix_power(adjacency, k) for k in range(1, graph.n + 1))
    for a, b in itertools.permutations(range(graph.n), 2):
        assert total[a, b] == len(list(nx.all_simple_paths(other, a, b)))


@given(digraphs())
def test_a_spanning_tree_and_its_cut_edges_are_the_graph(graph: Digraph) -> None:
    if not graph.is_rooted:
        with pytest.raises(UsageError, match="not rooted"):
            graph.spanning_tree()
        return
    tree = graph.spanning_tree()
    spanning = Digraph.from_parents(tree.parent)
    assert nx.is_arborescence(peer(spanning))
    assert sorted([*spanning.edges, *tree.cut_edges]) == sorted(graph.edges)
    assert len(tree.cut_edges) == len(graph.edges) - graph.n + 1


@given(digraphs(), st.integers(0, 10_000))
def test_induced_and_path_induced_subgraphs_agree_with_their_definitions(graph: Digraph, seed: int) -> None:
    nodes, other = subset(graph, seed), peer(graph)
    induced, names = graph.induced(nodes), sorted(nodes)
    assert {(names[a], names[b]) for a, b in induced.edges} == set(other.subgraph(nodes).edges)
    if graph.is_acyclic:  # a path through a node outside may use a node twice in a graph with cycles
        assert graph.is_path_induced(nodes) == paths_stay_inside(other, nodes)
    closure = graph.path_closure(nodes)
    assert graph.is_path_induced(closure)
    assert graph.path_closure(closure) == closure


@given(acyclic_graphs(6), st.integers(0, 10_000))
def test_the_path_closure_is_the_smallest_path_induced_set(graph: Digraph, seed: int) -> None:
    nodes, other = subset(graph, seed), peer(graph)
    rest = sorted(set(range(graph.n)) - nodes)
    larger = [nodes | set(more) for k in range(len(rest) + 1) for more in itertools.combinations(rest, k)]
    assert next(one for one in larger if paths_stay_inside(other, one)) == graph.path_closure(nodes)


@given(acyclic_graphs(), st.integers(0, 10_000))
def test_a_subgraph_is_path_induced_if_and_only_if_its_contraction_makes_no_cycle(graph: Digraph, seed: int) -> None:
    nodes = subset(graph, seed)
    assert graph.is_path_induced(nodes) == graph.contracted(nodes).is_acyclic


@given(parent_lists(8), st.integers(0, 10_000))
def test_a_connected_induced_subgraph_of_a_tree_is_path_induced_and_a_tree(parents: list[int], seed: int) -> None:
    tree = Digraph.from_parents(parents)
    nodes = subset(tree, seed)
    if tree.induced(nodes).is_connected:
        assert tree.is_path_induced(nodes)
        assert tree.induced(nodes).is_tree
    else:
        assert tree.induced(nodes).is_forest


@given(acyclic_graphs(), st.integers(0, 10_000))
def test_the_three_parts_of_a_partition_are_path_induced_and_ordered(graph: Digraph, seed: int) -> None:
    nodes = subset(graph, seed)
    if not graph.is_path_induced(nodes):
        with pytest.raises(UsageError, match="not path-induced"):
            graph.induced_partition(nodes)
        nodes = graph.path_closure(nodes)
    part = graph.induced_partition(nodes)
    other = peer(graph)
    assert part.children == set().union(*(nx.descendants(other, node) for node in nodes)) - nodes
    assert part.children | part.members | part.parents == set(range(graph.n))
    assert len(part.children) + len(part.members) + len(part.parents) == graph.n
    for nodes_of_part in part:
        assert graph.is_path_induced(nodes_of_part)
        assert paths_stay_inside(other, set(nodes_of_part))
    for a, b in graph.edges:
        assert not (a in part.children and b not in part.children)
        assert not (a in part.members and b in part.parents)


@given(parent_lists(9), st.integers(0, 10_000))
def test_arrays_and_graphs_give_the_same_regions(parents: list[int], seed: int) -> None:
    graph, tree = Digraph.from_parents(parents), Tree.from_parents(parents)
    nodes = subset(graph, seed)
    members = np.isin(np.arange(len(parents)), sorted(nodes))
    between = items_between(tree, members)
    assert set(np.flatnonzero(members | between).tolist()) == graph.path_closure(nodes)
    closure = set(np.flatnonzero(aggregation_closure(tree, members)).tolist())
    assert (closure == nodes) == graph.is_aggregable(nodes)
    assert graph.is_aggregable(closure)


@given(digraphs(), st.integers(0, 10_000))
def test_contraction_agrees_with_networkx(graph: Digraph, seed: int) -> None:
    nodes = sorted(subset(graph, seed))
    quotient = nx.quotient_graph(
        peer(graph), [set(nodes), *({node} for node in range(graph.n) if node not in nodes)], create_using=nx.DiGraph
    )
    made = peer(graph.contracted(nodes))
    assert made.number_of_nodes() == quotient.number_of_nodes()
    assert nx.is_isomorphic(made, quotient)


@given(parent_lists())
def test_contraction_of_an_edge_of_a_tree_is_a_tree(parents: list[int]) -> None:
    tree = Digraph.from_parents(parents)
    assert all(tree.contracted({a, b}).is_tree for a, b in tree.edges)


def labelled_trees(n: int):
    """All parent lists of n nodes that are trees: n ** (n − 1) of them."""
    for parents in itertools.product(range(-1, n), repeat=n):
        if parents.count(-1) == 1 and not any(p == i for i, p in enumerate(parents)) and reaches_root(parents):
            yield parents


def reaches_root(parents: tuple[int, ...]) -> bool:
    """Whether every node reaches the root."""
    for start in range(len(parents)):
        node, steps = start, 0
        while node >= 0 and steps <= len(parents):
            node, steps = parents[node], steps + 1
        if node >= 0:
            return False
    return True


def remains_a_tree(parents: tuple[int, ...], members: set[int]) -> bool:
    """Replace the members by one node and look at the result: one parent each but for the root, and no cycle."""
    one = -2
    name = [one if i in members else i for i in range(len(parents))]
    edges = {(name[p], name[i]) for i, p in enumerate(parents) if p >= 0 and name[p] != name[i]}
    above = {b: a for a, b in edges}
    if len(above) != len(edges) or len(edges) != len(set(name)) - 1:
        return False
    for start in set(name):
        node, steps = start, 0
        while node in above and steps <= len(name):
            node, steps = above[node], steps + 1
        if node in above:
            return False
    return True


def check_all_trees(n: int) -> int:
    """Compare condition and closure with brute force on all trees of n nodes and all their sets."""
    count = 0
    sets = [set(s) for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    for parents in labelled_trees(n):
        count += 1
        tree = Tree.from_parents(list(parents))
        legal = [one for one in sets if remains_a_tree(parents, one)]
        for nodes in sets:
            members = np.array([i in nodes for i in range(n)])
            closure = set(np.flatnonzero(aggregation_closure(tree, members)).tolist())
            assert (closure == nodes) == (nodes in legal)
            smallest = next(one for one in legal if nodes <= one)  # by size
            assert closure == smallest
            assert sum(nodes <= one and len(one) == len(smallest) for one in legal) == 1
    return count


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_aggregation_condition_by_brute_force_on_all_labelled_trees(n: int) -> None:
    assert check_all_trees(n) == n ** (n - 1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6])
def test_the_aggregation_condition_on_all_labelled_trees_of_five_and_six_nodes(n: int) -> None:
    assert check_all_trees(n) == n ** (n - 1)


@given(parent_lists())
def test_serial_segments_are_the_longest_chains(parents: list[int]) -> None:
    graph, tree = Digraph.from_parents(parents), Tree.from_parents(parents)
    segment, chains = serial_segments(tree)
    number = segment.tolist()
    groups = [[i for i, k in enumerate(number) if k == one] for one in range(max(number) + 1)]
    for nodes in groups:
        assert graph.induced(nodes).is_serial_chain
        assert graph.is_path_induced(nodes)
    for a, b in graph.edges:  # a chain ends only where it branches
        assert (number[a] == number[b]) == (len(graph.children(a)) == 1)
    # the tree of segments is the tree with every chain contracted
    quotient = nx.quotient_graph(peer(graph), [set(group) for group in groups], create_using=nx.DiGraph)
    assert nx.is_isomorphic(quotient, peer(Digraph.from_parents(chains.parent)))
    assert nx.is_arborescence(quotient)


@given(parent_lists(20), st.integers(1, 6))
def test_divided_regions_are_connected_and_as_many_as_requested(parents: list[int], number: int) -> None:
    graph, tree = Digraph.from_parents(parents), Tree.from_parents(parents)
    labels = _divided_labels(tree, np.zeros(len(parents), np.intp), number)
    groups = [set(np.flatnonzero(labels == k).tolist()) for k in range(int(labels.max()) + 1)]
    assert all(graph.induced(nodes).is_tree for nodes in groups)
    assert len(groups) <= number
    if len(groups) < number:  # nothing of two items or more remains to cut off
        assert all(len(nodes) < 3 or max_branch(graph, nodes) < 2 for nodes in groups)


@example([-1, 0, 1, 0, 2], 3)
@given(parent_lists(10), st.integers(2, 4))
def test_the_largest_region_is_as_small_as_cuts_permit(parents: list[int], number: int) -> None:
    """Every set of cuts is tried, and sizes are counted by following parents."""

    def head(item: int, cuts: tuple[int, ...]) -> int:
        return item if parents[item] < 0 or item in cuts else head(parents[item], cuts)

    def largest(cuts: tuple[int, ...], fewest: int) -> int:
        sizes = Counter(map(head, range(len(parents)), itertools.repeat(cuts)))
        return max(sizes.values()) if min(sizes[cut] for cut in cuts) >= fewest else len(parents)

    branches = [i for i in range(len(parents)) if parents[i] >= 0]
    sets = [cuts for size in range(1, number) for cuts in itertools.combinations(branches, size)]
    labels = _divided_labels(Tree.from_parents(parents), np.zeros(len(parents), np.intp), number)
    # a single item is not cut off, but one may be left where the branch below it is
    least, of_two = (min((largest(cuts, fewest) for cuts in sets), default=len(parents)) for fewest in (1, 2))
    assert least <= np.bincount(labels).max() <= of_two + 1


def max_branch(graph: Digraph, nodes: set[int]) -> int:
    """The most items of a branch of an induced tree that is not all of it."""
    part = graph.induced(nodes)
    return max((len(part.descendants(i)) + 1 for i in range(part.n) if i not in part.roots), default=0)


@given(parent_lists())
def test_graphml_is_read_by_networkx(parents: list[int]) -> None:
    graph = Digraph.from_parents(parents)
    names = [f'<{i}> & "{i}"' for i in range(len(parents))]
    read = nx.parse_graphml(graph.to_graphml(names, ["P"] * len(parents)))
    made = graph.to_networkx(names)
    assert set(read.nodes) == set(made.nodes)
    assert set(read.edges) == set(made.edges)
    assert set(nx.get_node_attributes(read, "part").values()) == {"P"}


def test_dot_groups_nodes_by_part() -> None:
    text = Digraph.from_parents([-1, 0, 0]).to_dot(['say "A"', "B", "C"], ["P", "S", "S"])
    assert '"say \\"A\\"" -> "B";' in text
    assert text.count("subgraph cluster_") == 2
    assert text.index('label="S"') < text.index('"B";') < text.index('"C";')


def test_wrong_calls_are_rejected() -> None:
    graph = Digraph.from_edges(3, [(0, 1), (0, 2), (1, 2)])
    with pytest.raises(UsageError, match="unknown node"):
        Digraph.from_edges(2, [(0, 2)])
    with pytest.raises(UsageError, match="not a tree"):
        graph.is_aggregable({1})
    with pytest.raises(UsageError, match="no nodes"):
        graph.contracted(set())
    with pytest.raises(UsageError, match="number of names"):
        graph.to_dot(["a"])
    with pytest.raises(UsageError, match="numbers are not"):
        graph.renumbered([0, 0, 1])
    with pytest.raises(UsageError, match="no items"):
        aggregation_closure(Tree.from_parents([-1, 0]), np.zeros(2, bool))
