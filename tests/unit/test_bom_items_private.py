"""Private functions of ``bom.items``: worked examples."""

from __future__ import annotations

from collections import Counter

import numpy as np

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.correlation_groups import _drop_single_groups
from massprops_cli.bom.items.growth import _read_growth_table
from massprops_cli.bom.items.item_rows import _consecutive_runs, _frequent_texts_text
from massprops_cli.bom.items.numbers import _parse_percent_cell, number_format_unit
from massprops_cli.bom.items.sigmas import _distribution_mean, _distribution_sigma
from massprops_cli.bom.items.variant_columns import _has_marked_below, _variant_word
from massprops_cli.trees.tree import Tree


def test_drop_single_groups() -> None:
    assert (
        repr(
            _drop_single_groups(
                np.array([0, 1, 1, 2], np.int32), np.array([False, False, False, True]), np.zeros(3, bool)
            )
        )
        == "(array([-1,  0,  0,  1], dtype=int32), array([False,  True,  True]))"
    )


def test_growthtable_of() -> None:
    table = _read_growth_table("maturity-by-category")
    assert table.of("Propulsion", "estimated") == 18.0
    assert table.of("life support", "Pre-released") == 12.0


def test_consecutive_runs() -> None:
    assert list(_consecutive_runs(np.array([3, 4, 5, 9, 11, 12]))) == [(0, 2), (3, 3), (4, 5)]


def test_frequent_texts_text() -> None:
    assert _frequent_texts_text(Counter(["TBD", "-", "TBD"])) == "TBD twice, -"


def test_parse_percent_cell() -> None:
    assert [_parse_percent_cell(text) for text in ("5%", " 0.5 % ", "5", "1,5 %")] == [5.0, 0.5, None, None]


def test_sigmas_from_percents() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": -40.0, "sigma_mass": "10 %"}]
    assert Bom.from_records(rows)["a"].sigma_mass == 4.0


def test_number_format_unit() -> None:
    assert repr(number_format_unit('0.0" kg"')) == "('kg', 1.0)"
    assert repr(number_format_unit("0.0%")) == "('%', 100.0)"
    assert repr(number_format_unit("0.0,\\ \\t")) == "('t', 0.001)"
    assert number_format_unit("#,##0.00") is None


def test_distribution_sigma() -> None:
    wide = np.array([[8.0, 0.0], [np.nan] * 2, [14.0, 6.0]])
    assert _distribution_sigma(wide, np.array([np.nan, 3.0])).round(4).tolist() == [1.7321, 1.2247]


def test_distribution_mean() -> None:
    wide = np.array([[8.0], [np.nan], [14.0]])
    assert _distribution_mean(wide, np.array([11.0])).tolist() == [11.0]


def test_has_marked_below() -> None:
    assert _has_marked_below(Tree.from_parents([-1, 0, 1, 0]), np.array([False, False, True, False])).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_variant_word() -> None:
    assert [_variant_word(text) for text in ("Variant B", "Qty_Heavy", "Supplier", "-501", "No. of assys")] == [
        "variant",
        "qty",
        "",
        "dash number",
        "count",
    ]
