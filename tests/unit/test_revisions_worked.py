"""Worked examples of functions in the room revisions."""

from __future__ import annotations

from massprops_cli.bom.bom import Bom
from massprops_cli.revisions.changes import revision_unit_factors
from massprops_cli.revisions.comparison import result_unit, result_waterfall
from massprops_cli.revisions.matching import item_matching
from massprops_cli.tables.cells.units import Units


def test_revision_unit_factors_example() -> None:
    assert (revision_unit_factors(Units("g", "mm", "", True), Units("kg", "mm", "", True))) == ((0.001, 1.0))


def test_result_waterfall_example() -> None:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.revisions.comparison import diff

    def revision(a, b):
        leaves = [{"id": "a", "parent": "top", "mass": a}, {"id": "b", "parent": "top", "mass": b}]
        return Bom.from_records([{"id": "top", "parent": ""}, *leaves])

    assert (
        [(step.id, step.value) for step in result_waterfall(diff(revision(1.0, 2.0), revision(1.5, 1.0))).steps]
    ) == ([("b", -1.0), ("a", 0.5)])


def test_result_unit_example() -> None:
    assert (result_unit("sigma_Cx", Units("kg", "mm", "kg*mm^2", True))) == ("mm")


def test_item_matching_example() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}]
    revised = [{"id": "top", "parent": ""}, {"id": "b", "parent": "top", "mass": 2.0}]
    found = item_matching(Bom.from_records(rows), Bom.from_records(revised))
    assert (found.old.tolist(), found.new.tolist()) == (([0, -1, 1], [0, 1, -1]))
