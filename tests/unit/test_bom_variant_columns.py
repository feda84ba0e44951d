"""Columns of variants: which look like ones, and when they are ambiguous."""

from __future__ import annotations

import csv
import io
import shlex

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.variant_columns import _variant_word, variant_columns
from massprops_cli.bom.results.variants import Variants, roll_up_variants
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.tables.options import TableOptions


def read(header: str, *rows: str, **options: object) -> Bom:
    """Read a table of a root and two parts, its last columns in question."""
    sheet = "\n".join([f"id,parent,mass,{header}", "top,,,", *rows])
    return Bom.from_records(list(csv.DictReader(io.StringIO(sheet), restval="")), **options)


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ("Variant A", "variant"),
        ("Varianten 1", "variant"),
        ("Qty_Heavy", "qty"),
        ("Menge Typ 2", "menge"),
        ("Modelling", ""),
        ("Number of holes", ""),
        ("No. of layers", ""),
        ("Nombre", ""),
    ],
)
def test_words_of_variants(header: str, word: str) -> None:
    assert _variant_word(header) == word


@pytest.mark.parametrize("header", ["Variant A,Variant B", "Qty Standard,Qty Heavy", "Anzahl X,Anzahl Y"])
def test_two_columns_of_variants_are_a_question(header: str) -> None:
    (finding,) = [f for f in read(header, "a,top,2,1,0", "b,top,3,1,4").findings if f.rule == "MP253"]
    first, second = header.split(",")
    assert finding.remedy == (
        f"run massprops rollup records --qty-column {shlex.quote(first)}, "
        f"or massprops rollup records --qty-column {shlex.quote(second)}, "
        "or massprops rollup records --all-variants"
    )


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("Model,Version", ("a,top,2,1,0", "b,top,3,1,4")),
        ("Variant A,Variant B", ("a,top,2,yes,no", "b,top,3,yes,yes")),
        ("Variant A,Variant B", ("a,top,2,0.5,1", "b,top,3,1,1")),
        ("Variant A,qty", ("a,top,2,1,1", "b,top,3,1,4")),
        ("Variant,Note", ("a,top,2,1,1", "b,top,3,1,4")),
    ],
)
def test_what_is_not_a_question(header: str, rows: tuple[str, ...]) -> None:
    assert [f for f in read(header, *rows).findings if f.rule == "MP253"] == []


@pytest.mark.parametrize(
    "header",
    [
        "Qty per wing",
        "QTY PER TRAGWERK",
        "Quantity Spare",
        "Menge je Flügel",
        "No. of assys",
        "Number per wing",
        "Anzahl je Flügel",
        "Stück je Rippe",
        "Nombre par aile",
        "Quantité par voilure",
        "Cantidad por ala",
        "Ilość na wyrób",
        "Кол-во на крыло",
        "数量/翼",
    ],
)
def test_one_column_that_counts_is_a_question(header: str) -> None:
    (finding,) = [f for f in read(header, "a,top,2,1", "b,top,3,4").findings if f.rule == "MP253"]
    assert header in finding.message
    assert f"--map qty={shlex.quote(header)}" in finding.remedy
    assert read(header, "a,top,2,1", "b,top,3,4", map={"qty": header}).quantity.count.tolist() == [1, 1, 4]
    assert read(header, "a,top,2,1", "b,top,3,4", qty_column=header).quantity.count.tolist() == [1, 1, 4]


def test_one_column_that_counts_next_to_a_quantity_is_not_a_question() -> None:
    bom = read("qty,Spare Qty", "a,top,2,1,5", "b,top,3,4,5")
    assert [f for f in bom.findings if f.rule == "MP253"] == []


def test_a_variant_that_is_named_is_not_a_question() -> None:
    bom = read("Variant A,Variant B", "a,top,2,1,0", "b,top,3,1,4", qty_column="Variant B")
    assert [f for f in bom.findings if f.rule == "MP253"] == []
    assert bom.quantity.count.tolist() == [1, 0, 4]


def test_columns_are_given_in_order() -> None:
    bom = read("Variant B,Variant A", "a,top,2,1,0", "b,top,3,1,4")
    assert variant_columns(bom.table, bom.columns) == [3, 4]


GROUPED = [
    ["Part Number", "Mass [kg]", "Quantity", "", ""],
    ["", "", "A", "B", "C"],
    ["AXLE", "45", "2", "3", "1"],
    ["WHEEL", "20", "4", "6", "4"],
    ["FRAME", "130", "1", "1", "1"],
]


def grouped(**options: object) -> Variants:
    """Roll up variants whose columns are under one group."""
    return roll_up_variants(GridTable(TableSource("t.csv", "csv"), GROUPED), TableOptions(**options))


def test_columns_under_a_group_of_quantities_are_variants() -> None:
    both = grouped()
    assert both.names == ("Quantity A", "Quantity B", "Quantity C")
    masses = [both.numbers(k, both.assemblies[0])["mass"] for k in range(3)]
    assert masses == [2 * 45 + 4 * 20 + 130, 3 * 45 + 6 * 20 + 130, 45 + 4 * 20 + 130]
    assert both.records()[0] == ["id", "parent", *(f"mass Quantity {name} [kg]" for name in "ABC")]


def test_rows_are_left_out_of_every_variant() -> None:
    both = grouped(where=("Part Number = WHEEL",))
    assert [both.numbers(k, both.assemblies[0])["mass"] for k in range(3)] == [80, 120, 80]


def test_a_group_of_one_column_is_a_quantity() -> None:
    rows = [["Part Number", "Mass [kg]", "Quantity"], ["AXLE", "45", "2"], ["", "20", "4"]]
    bom = Bom.from_table(GridTable(TableSource("t.csv", "csv"), rows), TableOptions())
    assert bom.columns.by_quantity["qty"].index == 2


def test_dash_numbers_are_variants_of_a_drawing() -> None:
    rows = [("1", "", "Skin LH", "2"), ("", "1", "Skin RH", "2"), ("4", "4", "Rivet", "0.1")]
    records = [dict(zip(("-1", "-3", "Part Number", "Wt Ea (lb)"), row, strict=True)) for row in rows]
    (requested,) = [finding for finding in Bom.from_records(records).findings if finding.rule == "MP253"]
    assert "--qty-column -1" in requested.remedy
    assert rollup(Bom.from_records(records, qty_column="-1")).root.mass == pytest.approx(2 + 4 * 0.1)


def test_a_list_of_one_item_counts_it() -> None:
    def mass(qty: str) -> float:
        return rollup(Bom.from_records([{"Part Number": "A", "Qty": qty, "Mass": "5"}])).root.mass

    assert [mass("2"), mass("1"), mass("")] == [10, 5, 5]
