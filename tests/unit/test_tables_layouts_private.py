"""Private functions of ``tables.layouts``: worked examples."""

from __future__ import annotations

import numpy as np

from massprops_cli.tables.layouts.dotted_numbers import _bare_item_number
from massprops_cli.tables.layouts.edges import _expand_uses, _sort_uses, _uses_under
from massprops_cli.tables.layouts.item_lists import (
    _fill_down_groups,
    _is_group_label,
    _is_group_per_row,
    _unused_group_id,
)
from massprops_cli.tables.layouts.layout_output import _depth_first_order, _item_depths, _item_numbers
from massprops_cli.tables.layouts.levels import _is_summary_below, _parents_from_levels, _read_level_text


def test_bare_item_number() -> None:
    assert _bare_item_number(" 1.2. ") == "1.2"


def test_uses_under() -> None:
    uses = _sort_uses(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 1, 2]), 3)
    assert [a.tolist() for a in _uses_under(uses, np.array([1, 0]))] == [[0, 1, 1], [2, 0, 1]]


def test_expand_uses() -> None:
    uses = _sort_uses(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 1, 2]), 3)
    assert _expand_uses(uses, np.array([0]), np.ones(3, bool)).part.tolist() == [0, 1, 2, 2]


def test_fill_down_groups() -> None:
    assert _fill_down_groups([["Bus", "", "Payload"], ["Power", "Thermal", ""]]) == [
        ("Bus", "Power"),
        ("Bus", "Thermal"),
        ("Payload",),
    ]
    assert _fill_down_groups([["Power", "Power"]]) is None
    assert _fill_down_groups([["", "Power"]]) is None
    assert _fill_down_groups([["Power", "", "Power"]]) is None
    assert _fill_down_groups([["Bus", "", "Crane"], ["Power", "Power", ""]]) == [
        ("Bus", "Power"),
        ("Bus", "Power"),
        ("Crane",),
    ]


def test_is_group_per_row() -> None:
    assert _is_group_per_row(["Power", "Power", ""])
    assert not _is_group_per_row(["Power", "", "Thermal", ""])


def test_unused_group_id() -> None:
    taken = {"Radio"}
    assert [_unused_group_id(path, "Subsystem", taken) for path in [("Radio",), ("Power",), ("Aft", "Power")]] == [
        "Radio (Subsystem)",
        "Power",
        "Aft/Power",
    ]


def test_is_group_label() -> None:
    assert _is_group_label("Power subtotal", "POWER")
    assert not _is_group_label("Subtotal", "Power")
    assert _is_group_label("Total 10", "10")
    assert not _is_group_label("Total 10", "1")


def test_depth_first_order() -> None:
    assert _depth_first_order(np.array([-1, 0, 0, 1, -2], np.int32)).tolist() == [0, 1, 3, 2]


def test_item_depths() -> None:
    assert _item_depths(np.array([-1, 0, 1], np.int32), np.array([0, 1, 2])).tolist() == [0, 1, 2]


def test_item_numbers() -> None:
    assert _item_numbers(np.array([-1, 0, 0, 2], np.int32), np.array([0, 1, 2, 3])) == ["1", "1.1", "1.2", "1.2.1"]


def test_parents_from_levels() -> None:
    parents, jumps = _parents_from_levels(np.array([0, 1, 2, 2, 1, 3]))
    assert parents.tolist() == [-1, 0, 1, 1, 0, 4]
    assert jumps.tolist() == [5]


def test_read_level_text() -> None:
    assert [_read_level_text(text) for text in ("2", ".1", "..2", "+1", "L3", "2.0", ".2", "two", "1.1", "-1")] == [
        2,
        1,
        2,
        1,
        3,
        2,
        -1,
        -1,
        -1,
        -1,
    ]


def test_is_summary_below() -> None:
    assert [_is_summary_below(np.array(levels)) for levels in ([1, 1, 0], [0, 1, 1], [0, 1, 0])] == [True, False, False]
    assert [_is_summary_below(np.array(levels), True) for levels in ([1, 1, 0], [0, 1, 1], [0, 1, 0])] == [
        True,
        False,
        True,
    ]
