"""Worked examples of functions in the room bom/items."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.items.correlation_groups import GroupCorrelations, item_correlation
from massprops_cli.bom.items.growth import bodies_with_growth, predicted_rollup
from massprops_cli.bom.items.item_flags import parse_point, point_text


def test_item_correlation_example() -> None:
    from massprops_cli.bom.bom import Bom

    rows = [{"id": "top", "parent": ""}, *({"id": k, "parent": "top", "mass": 1, "part": "M6"} for k in "ab")]
    assert (item_correlation(Bom.from_records(rows), "part").group.tolist()) == ([-1, 0, 0])


def test_group_correlations_over_example() -> None:
    places, matrix, _ = GroupCorrelations(("x", "y"), np.ones((10, 2, 2))).over(["z", "y"])
    assert (places.tolist(), matrix.shape) == (([1], (10, 1, 1)))


def test_predicted_rollup_example() -> None:
    from massprops_cli.bom.bom import Bom

    parts = [{"id": "a", "parent": "top", "mass": 2.0, "mga [%]": 50}, {"id": "b", "parent": "top", "mass": 3.0}]
    rolled = predicted_rollup(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    assert (rolled.bodies.mass.tolist(), rolled.coverage.known_mass.tolist()) == (([6.0, 3.0, 3.0], [1, 1, 0]))


def test_bodies_with_growth_example() -> None:
    two = Bodies(np.array([2.0, 3.0]), None, np.array([[4.0] * 6, [1.0] * 6]), np.zeros(2, bool))
    grown = bodies_with_growth(two, np.array([0.5, 0.0]))
    assert (grown.mass.tolist(), grown.inertia[0, 0]) == (([3.0, 3.0], np.float64(6.0)))


def test_parse_point_example() -> None:
    assert (parse_point("own"), parse_point("origin"), parse_point("1, 0, -2.5")) == (
        (None, (0.0, 0.0, 0.0), (1.0, 0.0, -2.5))
    )


def test_point_text_example() -> None:
    assert (point_text((0.0, 0.0, 0.0)), point_text((1.0, 0.0, -2.5))) == (("the origin 0,0,0", "the point 1,0,-2.5"))
