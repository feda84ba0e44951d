"""Rows that are totals, margins and limits: by their label and their place, never by an item's name alone."""

from __future__ import annotations

import time

import pytest

from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom
from massprops_cli.tables.rows.totals import kind_of, labels

BUS = [{"id": "SAT", "parent": ""}, {"id": "a", "parent": "SAT", "mass": 2}, {"id": "b", "parent": "SAT", "mass": 3.5}]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("TOTAL", "total"),
        (" Grand total: ", "total"),
        ("Total Mass [kg]", "total"),
        ("Gesamtgewicht", ""),  # one word that is no label; a cell with a mass beside it stays an item, and is refused
        ("Gesamt Gewicht", "total"),
        ("Total général", "total"),
        ("合計", "total"),
        ("Итого:", "total"),
        ("Sub-Total", "subtotal"),
        ("Zwischensumme", "subtotal"),
        ("Margin (20%)", "margin"),
        ("System margin", "margin"),
        ("Total with margin", "total"),
        ("Limit", "limit"),
        ("Not-to-exceed", "limit"),
        ("Total station", ""),
        ("Limit switch", ""),
        ("Reserve parachute", ""),
        ("Summer kit", ""),
        ("", ""),
    ],
)
def test_labels(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Harness total", "total"), ("Subtotal Harness", "subtotal"), ("Total: Harness", "total"), ("Total station", "")],
)
def test_a_label_that_stands_alone_may_name_what_it_sums(text: str, kind: str) -> None:
    assert kind_of(text, alone=True) == kind


def test_every_label_is_known_as_its_kind() -> None:
    for kind, words in labels():
        assert kind_of(" ".join(words)) == kind


@pytest.mark.parametrize("column", ["id", "name", "mass", "note"])
def test_the_label_may_stand_in_any_column(column: str) -> None:
    rows = [{"id": "", "parent": "", "name": "", "mass": "", "note": "", **row} for row in [*BUS, {column: "TOTAL"}]]
    bom = Bom.from_records(rows)
    assert [(total.row, total.kind, total.label) for total in bom.totals] == [(4, "total", "TOTAL")]
    assert rollup(bom).root.mass == 5.5


def test_a_row_with_a_place_in_the_tree_is_an_item() -> None:
    bom = Bom.from_records([*BUS, {"id": "Margin", "parent": "SAT", "mass": 0.5}])
    assert not bom.totals
    assert rollup(bom).root.mass == 6


def test_a_root_that_is_called_total_is_an_item() -> None:
    rows = [{"id": "TOTAL", "parent": ""}, {"id": "a", "parent": "TOTAL", "mass": 2}]
    assert not Bom.from_records(rows).totals


def test_a_row_with_a_part_number_is_an_item() -> None:
    rows = [{"level": 0, "part": "A", "name": "Kit"}, {"level": 1, "part": "TS-1", "name": "Total", "mass": 2}]
    assert not Bom.from_records(rows).totals


def test_totals_by_level_and_item_number() -> None:
    by_level = [
        {"level": 0, "part": "A"},
        {"level": 1, "part": "B", "mass": 2},
        {"level": "", "part": "Summe", "mass": 2},
    ]
    assert [total.mass for total in Bom.from_records(by_level).totals] == [2]
    by_item = [{"item": "1", "part": "A"}, {"item": "1.1", "part": "B", "mass": 2}, {"item": "Total", "mass": 2}]
    assert [total.mass for total in Bom.from_records(by_item).totals] == [2]


def test_a_long_clean_table_is_not_searched_cell_by_cell() -> None:
    n = 200_000
    rows = [{"id": "r", "parent": "", "mass": ""}, *({"id": f"p{k}", "parent": "r", "mass": 1} for k in range(n))]
    rows[n // 2] = {"id": "Subtotal", "parent": "", "mass": n // 2 - 1}
    bom = Bom.from_records(rows)
    from massprops_cli.tables.rows.totals import candidates

    start = time.perf_counter()
    found = list(candidates(bom.table, bom.columns))
    assert time.perf_counter() - start < 0.5
    assert len(found) < 500
    assert [total.label for total in bom.totals] == ["Subtotal"]
