"""Worked examples of private functions: comparison of revisions."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.bodies import phi
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.revisions.changes import _first_moment_phi, _variance_shares
from massprops_cli.revisions.comparison import _check_result_name, _read_threshold, _simplified_id, diff
from massprops_cli.revisions.diff import _texts_at_items
from massprops_cli.revisions.matching import _item_lines, _numbered_keys, _unique_part_numbers


def test_variance_shares() -> None:
    leaves = [{"id": i, "parent": "top", "mass": 5.0, "sigma_mass": s} for i, s in (("a", 3.0), ("b", 4.0))]
    assert _variance_shares(rollup(Bom.from_records([{"id": "top", "parent": ""}, *leaves])), 0, "mass").tolist() == [
        0.0,
        9.0,
        16.0,
    ]


def test_first_moment_phi() -> None:
    c, s = np.array([[1.0, 2.0, 3.0]]), np.array([4.0, 5.0, 6.0])
    assert bool((phi(c) - _first_moment_phi(c, s) + phi(s) == phi(c - s)).all())


def test_check_result_name() -> None:
    _check_result_name("sigma_Cx")


def test_read_threshold() -> None:
    bom = Bom.from_records([{"id": "SAT", "parent": "", "mass [kg]": 800.0}])
    assert _read_threshold("SAT: mass 1000 g", diff(bom, bom))[2] == 1.0


def test_texts_at_items() -> None:
    assert _texts_at_items(["a", "b"], np.array([1, -1])) == ["b", None]


def test_item_lines() -> None:
    assert _item_lines(np.array([2, -1, 0, 1])).tolist() == [2, 3, 0]


def test_numbered_keys() -> None:
    assert _numbered_keys(["a", None, "a"]) == [("a", 0), None, ("a", 1)]


def test_unique_part_numbers() -> None:
    assert _unique_part_numbers(["a", "b", "a", None]) == [None, "b", None, None]


def test_simplified_id() -> None:
    assert (_simplified_id("TNK-01 a"), _simplified_id("tnk-01A"), _simplified_id("007"), _simplified_id("7")) == (
        "tnk-01a",
        "tnk-01a",
        "7",
        "7",
    )
