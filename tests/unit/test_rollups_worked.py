"""Worked examples of functions in the room rollups."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.rollups.combination import is_without_center, tensor_terms
from massprops_cli.rollups.covariance import full_covariances, moved_parameters, packed_covariances
from massprops_cli.rollups.division import roll_up_in_parts, run_parts_here
from massprops_cli.rollups.inputs import (
    NO_GROUP,
    Correlation,
    InputShapes,
    RollupInputs,
    SampleOptions,
    ShapeDeviations,
)
from massprops_cli.rollups.leaf_sums import (
    expected_shifts,
    flat_item,
    item_magnitudes,
    principal_moment_gradients,
    result_needs,
)
from massprops_cli.rollups.montecarlo.distributions import _UNIFORM, _InputDistribution, input_deviations
from massprops_cli.rollups.montecarlo.samples import StreamingHistogram
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.regions import (
    _NODE_COUNT,
    _integration_nodes,
    _probability_outside,
    crossing_edges,
    edge_abscissas,
    is_flat_polygon,
    is_inside_polygon,
    normal_cdf,
    normal_cdf_values,
    normal_interval,
    polygon_probability,
    probability_between,
)
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import _AGGREGATIONS, roll_up_column
from massprops_cli.rollups.variance_budget import variance_budget
from massprops_cli.trees.tree import ItemQuantity, Tree


def test_tensor_terms_example() -> None:
    one = np.ones(1)
    assert (tensor_terms(one, 2 * one, np.array([[1.0], [0.0], [0.0]]), np.zeros((6, 1)))[:3, 0].tolist()) == (
        [0.0, 2.0, 2.0]
    )


def test_is_without_center_example() -> None:
    assert (is_without_center(np.array([2e-9, 1.9e-9, 0.0]), np.array([2.0, 2.0, 0.0])).tolist()) == (
        [False, True, True]
    )


def test_moved_parameters_example() -> None:
    assert (moved_parameters((2.0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1.0, 3.0, 0.0))) == (
        (2.0, 2.0, 6.0, 0.0, 18.0, 2.0, 20.0, -6.0, 0.0, 0.0)
    )


def test_full_covariances_example() -> None:
    assert (bool((packed_covariances(full_covariances(np.arange(55.0))) == np.arange(55.0)).all())) is True


def test_run_parts_here_example() -> None:
    assert (list(run_parts_here(abs, [("one", -1), ("two", 2)]))) == ([1, 2])


def test_roll_up_in_parts_example() -> None:
    tree = Tree.from_parents([-1, 0, 0, 1, 1, 2, 2])
    bodies = Bodies(np.array([0.0, 0, 0, 1, 2, 3, 4]), None, None, np.zeros(7, bool))
    assert (roll_up_in_parts(RollupInputs.of(tree, bodies), 2, method="none").bodies.mass.tolist()) == (
        [10.0, 3.0, 7.0, 1.0, 2.0, 3.0, 4.0]
    )


def test_correlation_example() -> None:
    two_bolts = Correlation(np.array([NO_GROUP, 0, 0], np.int32), ["bolt"])
    assert (two_bolts.is_none, Correlation.none(3).is_none) == ((False, True))


def test_correlation_factors_example() -> None:
    one = Correlation(np.zeros(0, np.int32), coupled=np.arange(2), matrix=np.ones((1, 2, 2)))
    assert ((one.factors() @ one.factors().transpose(0, 2, 1)).round(12).tolist()) == ([[[1.0, 1.0], [1.0, 1.0]]])


def test_shape_deviations_picked_example() -> None:
    of = ShapeDeviations(
        np.array([5, 2]), np.eye(10)[:2], np.array([-1, -1]), np.array(["r", "L"]), np.array([0.1, 0.2])
    )
    assert (of.picked(np.array([2, 7, 5])).items.tolist()) == ([0, 2])


def test_rollup_inputs_of_example() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    two = Bodies(np.array([0.0, 1.0, 3.0]), None, None, np.zeros(3, bool))
    assert (RollupInputs.of(tree, two, stated=np.array([False, True, False])).ends.tolist()) == ([False, True, True])


def test_flat_item_example() -> None:
    two = Bodies(np.array([0, 1.0, 3.0]), np.array([[0, 0, 0], [0, 0, 0], [4.0, 0, 0]]), None, np.zeros(3, bool))
    flat = flat_item(RollupInputs.of(Tree.from_parents([-1, 0, 0]), two), 0, needs="center")
    assert (flat.total, flat.arm[0].tolist()) == ((4.0, [-3.0, 1.0]))


def test_expected_shifts_example() -> None:
    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.rollups.rollup import roll_up

    tree = Tree.from_parents([-1, 0, 0])
    two = Bodies(np.array([0, 1.0, 1]), np.zeros((3, 3)), np.zeros((3, 6)), np.zeros(3, bool))
    along_x = Sigmas(np.zeros(3), np.array([[0.0, 0, 0], [2, 0, 0], [2, 0, 0]]), np.zeros((3, 6)))
    inputs = RollupInputs.of(tree, two, along_x)
    assert (expected_shifts(inputs, roll_up(inputs))[1][:, 3:].tolist()) == ([[0.0, 4.0, 4.0, 0.0, 0.0, 0.0]])


def test_result_needs_example() -> None:
    assert (result_needs("mass"), result_needs("Cy"), result_needs("kx")) == (("mass", "center", "inertia"))


def test_principal_moment_gradients_example() -> None:
    assert (
        next((value, row[4:].tolist()) for value, row in principal_moment_gradients(np.array([3.0, 2.0, 1.0, 0, 0, 0])))
    ) == ((1.0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))


def test_item_magnitudes_example() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    centers = np.array([[0.0, 0, 0], [1.0, 0, 0], [-3.0, 0, 0]])
    two = Bodies(np.array([0.0, 3.0, 1.0]), centers, None, np.zeros(3, bool))
    total = Bodies(np.array([4.0, 3.0, 1.0]), centers, None, np.zeros(3, bool))
    found = item_magnitudes(RollupInputs.of(tree, two), 0, total)
    assert list(found.values())[:4] == [4.0, 3.0, 0.0, 0.0]


def test_input_deviations_example() -> None:
    assert (input_deviations(_InputDistribution(_UNIFORM, 5.0, 0.0, low=4.0, high=8.0), np.zeros(1)).tolist()) == (
        [1.0]
    )


def test_streaming_histogram_example() -> None:
    two = StreamingHistogram.of(np.array([1.0, 3.0]))
    two.add(StreamingHistogram.of(np.array([-1.0, 0.0])))
    assert (two.n, two.share_below(0.0), two.share_below(2.0)) == ((4, 0.5, 0.75))


def test_input_shapes_kinds_of_example() -> None:
    assert (InputShapes(np.array([-1, 2], np.int8), bounded={0: np.array([3, 2], np.int8)}).kinds_of(0).tolist()) == (
        [3, 2]
    )


def test_simulate_tree_example() -> None:
    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.trees.tree import Tree

    tree = Tree.from_parents([-1, 0, 0])
    mass, center = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 0, 0], [0, 0, 0], [4, 0, 0]])
    two = Bodies(mass, center, np.zeros((3, 6)), np.zeros(3, bool))
    spread = Sigmas(np.array([0, 0.03, 0.04]), np.zeros((3, 3)), np.zeros((3, 6)))
    found = simulate_tree(RollupInputs.of(tree, two, spread), sampling=SampleOptions(samples=40_000))
    assert (found.items.tolist(), found.mean[0, :2].round(2).tolist(), found.sigma[0, 0].round(3).tolist()) == (
        ([0], [4.0, 3.0], 0.05)
    )


def test_normal_cdf_example() -> None:
    assert (normal_cdf(0.0), f"{normal_cdf(-10.0):.10e}") == ((0.5, "7.6198530242e-24"))


def test_normal_cdf_values_example() -> None:
    assert (normal_cdf_values(np.array([0.0, 1.0])).round(12).tolist()) == ([0.5, 0.841344746069])


def test_probability_between_example() -> None:
    assert (f"{probability_between(0.0, 1.0, -1.0, 1.0):.12f}", f"{probability_between(0.0, 1.0, 9.0, 10.0):.6e}") == (
        ("0.682689492137", "1.128512e-19")
    )


def test_probability_outside_example() -> None:
    assert (f"{_probability_outside(0.0, 1.0, -8.0, 8.0):.6e}") == ("1.244192e-15")


def test_normal_interval_example() -> None:
    low, high = normal_interval(100.0, 1.0, 0.95)
    assert (f"{low:.3f} {high:.3f}") == ("98.040 101.960")


def test_integration_nodes_example() -> None:
    x, w = _integration_nodes(0.0, 3.0, np.array([1.0, 7.0]))
    assert (len(x) == 2 * _NODE_COUNT, f"{np.sum(w * x**2):.12f}") == ((True, "9.000000000000"))


def test_edge_abscissas_example() -> None:
    assert (edge_abscissas([(0.0, 0.0), (4.0, 0.0), (2.0, 2.0)], 1.0)) == ([1.0, 3.0])


def test_is_inside_polygon_example() -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert (
        is_inside_polygon(square, 2.0, 2.0),
        is_inside_polygon(square, 4.0, 1.0),
        is_inside_polygon(square, 4.1, 1.0),
    ) == ((True, True, False))


def test_crossing_edges_example() -> None:
    assert (crossing_edges([(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)])) == ((0, 2))


def test_is_flat_polygon_example() -> None:
    assert (is_flat_polygon([(0.0, 0.0), (1.0, 1.0), (3.0, 3.0)])) is True


def test_polygon_probability_example() -> None:
    square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    assert (f"{polygon_probability(np.zeros(2), np.eye(2), square):.12f}", f"{0.682689492137**2:.12f}") == (
        ("0.466064942674", "0.466064942674")
    )


def test_roll_up_example() -> None:
    from massprops_cli.trees.tree import Tree

    tree = Tree.from_parents([-1, 0, 0])
    mass, center = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 0, 0], [0, 0, 0], [4, 0, 0]])
    two = Bodies(mass, center, np.zeros((3, 6)), np.zeros(3, bool))
    rolled = roll_up(RollupInputs.of(tree, two), method="none")
    assert (rolled.bodies.mass[0], rolled.bodies.center[0].tolist(), rolled.bodies.inertia[0].tolist()) == (
        (np.float64(4.0), [3.0, 0.0, 0.0], [0.0, 12.0, 12.0, 0.0, 0.0, 0.0])
    )


def test_roll_up_column_example() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    cost, twice = np.array([np.nan, 3.0, 5.0]), ItemQuantity(np.array([1.0, 2.0, 1.0]), np.zeros(3, bool))
    assert (
        [float(roll_up_column(tree, cost, way, twice, np.array([0.0, 1.0, 2.0])).values[0]) for way in _AGGREGATIONS]
    ) == ([11.0, 5.0, 3.0, 4.0, 6.557438524302])


def test_variance_budget_example() -> None:
    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.trees.tree import Tree

    tree = Tree.from_parents([-1, 0, 0])
    two = Bodies(np.array([0, 1.0, 3.0]), None, None, np.zeros(3, bool))
    budget = variance_budget(RollupInputs.of(tree, two, Sigmas(np.array([0, 0.3, 0.4]), None, None)))
    assert (budget.sigma, budget.number.tolist(), budget.share.round(2).tolist()) == ((0.5, [2, 1], [0.64, 0.36]))
