"""Private functions of ``bom.checks``: worked examples."""

from __future__ import annotations

import numpy as np

from massprops_cli.bom.checks.assembly_masses import _nearest_ancestors
from massprops_cli.bom.checks.assembly_values import _inherited_product_signs
from massprops_cli.bom.checks.outliers import _dominant_leaf, _LeafMasses, _median, _pair_key, _unit_slip_factor
from massprops_cli.trees.tree import Tree


def test_inherited_product_signs() -> None:
    tree = Tree.from_parents(np.array([-1, 0, 0], np.int32))
    signs, differ = _inherited_product_signs(tree, np.array([0, 1, 1], np.int8))
    assert signs.tolist() == [1, 1, 1]
    assert not differ.any()
    assert _inherited_product_signs(tree, np.array([0, 1, -1], np.int8))[1].tolist() == [True, False, False]


def test_nearest_ancestors() -> None:
    ends = np.array([True, False, False, True])
    over, times = _nearest_ancestors(np.array([-1, 0, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0]), ends)
    assert over.tolist() == [-1, 0, 0, 0]
    assert times.tolist() == [1.0, 2.0, 6.0, 24.0]


def test_dominant_leaf() -> None:
    assert _dominant_leaf(_LeafMasses(np.arange(5), np.array([10.0, 9.0, 20e3, 11.0, 12.0]))) == 2
    assert _dominant_leaf(_LeafMasses(np.arange(5), np.array([20.0, 15.0, 140.0, 30.0, 12.0]))) is None


def test_unit_slip_factor() -> None:
    assert _unit_slip_factor(7400, 7.4, 0.01) == (1000.0, "1000")
    assert _unit_slip_factor(7.4, 16.3142, 0.001) == (0.4535923699997481, "1/2.2046 (lb per kg)")
    assert _unit_slip_factor(7400, 7.3, 0.001) is None


def test_pair_key() -> None:
    assert [_pair_key(name) for name in ("Bracket left", "bracket RIGHT", "Panel +X", "Camera", "A-101")] == [
        "bracket #",
        "bracket #",
        "panel #",
        "",
        "",
    ]


def test_median_of_odd_and_even_numbers_and_without_a_number() -> None:
    assert _median(np.array([3.0, 1.0, 2.0])) == 2.0
    assert _median(np.array([4.0, 1.0, 2.0, 3.0])) == 2.5
    assert np.isnan(_median(np.array([4.0, np.nan, 2.0])))
