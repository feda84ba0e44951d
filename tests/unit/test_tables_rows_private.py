"""Private functions of ``tables.rows``: worked examples."""

from __future__ import annotations

import numpy as np

from massprops_cli.tables.rows.hierarchy import (
    _has_unique_texts,
    _likely_ids,
    _look_alike_ids,
    _parents_first_order,
    _text_with_code_points,
    _tree_position_numbers,
    _visual_text,
)
from massprops_cli.tables.rows.row_filter import _add_ancestors, _strip_quotes, read_row_condition
from massprops_cli.tables.rows.total_rows import _remark_pattern


def test_visual_text() -> None:
    assert _visual_text("\u0410-1\u200b") == "A-1"
    assert _visual_text("e\u0301") == _visual_text("\u00e9")
    assert _visual_text("a") != _visual_text("A")


def test_text_with_code_points() -> None:
    assert _text_with_code_points("\u0410-1") == "U+0410 -1"


def test_look_alike_ids() -> None:
    assert _look_alike_ids(["A1", "\u04101"], ["A1", "\u04101"]) == [("А1", "A1")]


def test_likely_ids() -> None:
    assert _likely_ids(["wing", "Fusealge", "x"], ["Wing", "Fuselage"]) == {"wing": "Wing", "Fusealge": "Fuselage"}


def test_has_unique_texts() -> None:
    assert _has_unique_texts(["a", "b"])
    assert not _has_unique_texts(["a", ""])
    assert not _has_unique_texts(["a", "a"])


def test_tree_position_numbers() -> None:
    assert _tree_position_numbers(np.array([-1, 0, 0, 2], np.int32)) == ["1", "1.1", "1.2", "1.2.1"]


def test_parents_first_order() -> None:
    assert list(_parents_first_order(np.array([2, 2, -1], np.int32))) == [2, 0, 1]


def test_rowcondition_on_texts() -> None:
    assert read_row_condition("subsystem ~ pow").on_texts(["Power", " POW 2", "Thermal", ""]) == [
        True,
        True,
        False,
        False,
    ]


def test_strip_quotes() -> None:
    assert _strip_quotes(" 'a b' ") == "a b"
    assert _strip_quotes('"') == '"'


def test_add_ancestors() -> None:
    assert _add_ancestors(np.array([-1, 0, 0, 1], np.int32), np.array([False, False, False, True])).tolist() == [
        True,
        True,
        False,
        True,
    ]


def test_remark_pattern() -> None:
    assert [
        bool(_remark_pattern().match(text)) for text in ("Note 1: weighed", "Page 1 of 3", "Noteboard", "Page holder")
    ] == [True, True, False, False]
