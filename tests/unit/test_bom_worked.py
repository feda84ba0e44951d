"""Worked examples of functions in the room bom."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.bom import Bom, bom_from, read_options_from_keywords
from massprops_cli.bom.changed_table import change_number, find_named_item, finite_change_number, parse_added_item
from massprops_cli.bom.motion import Motion, frame_of_axes
from massprops_cli.bom.results.variants import roll_up_variants
from massprops_cli.bom.whatif_draft import condition_texts, parse_change_texts
from massprops_cli.tables.options import StatedCondition, TableOptions


def test_read_options_from_keywords_example() -> None:
    assert (read_options_from_keywords({"sheet": "BOM", "layout": "level"})[0].sheet) == ("BOM")


def test_bom_from_example() -> None:
    bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}])
    assert (bom_from(bom) is bom) is True


def test_find_named_item_example() -> None:
    from massprops_cli.bom.bom import Bom

    rows = [{"id": "1", "parent": ""}, {"id": "2", "parent": "1", "name": "Tank", "mass": 2.0}]
    assert (find_named_item(Bom.from_records(rows), "Tank")) == (1)


def test_change_number_example() -> None:
    from massprops_cli.bom.bom import Bom

    rows = [{"id": "t", "parent": "", "mass [kg]": None}, {"id": "a", "parent": "t", "mass [kg]": 2.0}]
    assert (change_number(Bom.from_records(rows), 1, "mass", "500 g", "a.mass")) == (0.5)


def test_finite_change_number_example() -> None:
    assert (finite_change_number("a.mass", 2)) == (2.0)


def test_parse_added_item_example() -> None:
    assert (parse_added_item("NEW-1 parent=SAT mass=2 kg Cx=10")) == (
        {"id": "NEW-1", "parent": "SAT", "mass": "2 kg", "Cx": "10"}
    )


def test_motion_example() -> None:
    quarter = Motion.of_rotation(Poses.from_rpy([[0, 0, 0]], [[0, 0, 90]], "deg").rotation[0], about=[1, 0, 0])
    assert (quarter.points([[2.0, 0.0, 0.0]]).tolist()) == ([[1.0, 1.0, 0.0]])


def test_motion_of_mirror_example() -> None:
    assert (Motion.of_mirror("x", [2.0, 0, 0]).points([[5.0, 1.0, 0.0]]).tolist()) == ([[-1.0, 1.0, 0.0]])


def test_frame_of_axes_example() -> None:
    assert (frame_of_axes(np.eye(3), [1.0, 2.0, 3.0]).points([[1.0, 2.0, 4.0]]).tolist()) == ([[0.0, 0.0, 1.0]])


def test_roll_up_variants_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "parent", "mass", "Qty A", "Qty B"], ["top", "", "", "", ""], ["a", "top", "2", "1", "3"]]
    both = roll_up_variants(GridTable(TableSource("t.csv", "csv"), rows), TableOptions())
    assert (both.names, [both.numbers(k, 0)["mass"] for k in (0, 1)]) == ((("Qty A", "Qty B"), [2.0, 6.0]))


def test_condition_texts_example() -> None:
    assert (condition_texts({"dry": StatedCondition({"drop": ("Propellant",)})}, "dry")) == ({"drop": ("Propellant",)})


def test_parse_change_texts_example() -> None:
    changes = parse_change_texts({"set": ["P.1.mass=2.2", "P.2.mass=3 lb"], "move": ["A=B"]})
    assert (changes["set"], changes["move"]) == (({"P.1.mass": 2.2, "P.2.mass": "3 lb"}, {"A": "B"}))
