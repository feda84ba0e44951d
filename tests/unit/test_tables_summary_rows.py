"""Rows below a list that are no parts, by their label, whatever else the label states and wherever their number is."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind


def bom_of(text: str) -> Bom:
    rows = [line.split(";") for line in text.strip("\n").split("\n")]
    return Bom.from_table(GridTable(TableSource("list.csv", "csv"), [list(row) for row in rows]))


def mass_of(text: str) -> float:
    bom = bom_of(text)
    assert not bom.has_errors, bom.findings
    return float(mp.rollup(bom).root.mass or 0)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Limit (rule 4.2)", "limit"),
        ("Margin (10 %)", "margin"),
        ("Total (kg)", "total"),
        ("Total mass, predicted", "total"),
        ("Camera (limit switch)", ""),
    ],
)
def test_remarks_in_brackets_and_the_basis_do_not_change_a_label(label: str, kind: str) -> None:
    assert label_kind(label) == kind


def test_the_basis_of_a_dry_mass_leaves_it_one() -> None:
    assert doubtful_label_kind("Dry mass, basic", alone=True) == "total"
    assert doubtful_label_kind("Dry mass, predicted", alone=True) == "total"
    assert doubtful_label_kind("Basic dry bay", alone=True) == ""


WBS = """WBS;Element;Qty;Unit mass (kg);MGA (%)
1;Structure;;;
1.1;Truss;1;14.0;10
1.2;Panel;2;5.0;6
2;Power;;;
2.1;Battery;2;4.0;10
{}"""


@pytest.mark.parametrize(
    "label",
    [
        "Dry mass, basic",
        "Dry mass, predicted",
        "Allowable mass",
        "Limit (rule 4.2)",
        "Margin",
        "TOTAL",
        "Launch mass (max)",
    ],
)
@pytest.mark.parametrize("number", ["32.0", ""])
def test_summary_rows_below_a_numbered_list_need_no_number(label: str, number: str) -> None:
    if number and label == "Margin":  # no total decides whether it counts
        assert "MP257" in {finding.rule for finding in bom_of(WBS.format(f";{label};;{number};")).findings}
    else:
        assert mass_of(WBS.format(f";{label};;{number};")) == 32


def test_a_part_below_a_numbered_list_still_needs_its_number() -> None:
    assert "MP313" in {f.rule for f in bom_of(WBS.format(";Antenna;1;2;")).findings}


SUMS = """{} ;{};{};{}
Möbel;;;
Schrank;2;10.5;21
Bett;1;30;30
{} Möbel;;;51
Elektrik;;;
Batterie;1;22;22
{} Elektrik;;;22
{};;;73"""


@pytest.mark.parametrize(
    ("headers", "label", "closing"),
    [
        (("Bezeichnung", "Anzahl", "Gewicht je Stück [kg]", "Gewicht gesamt [kg]"), "Summe", "Gesamtgewicht"),
        (("Part", "Qty", "Mass each [kg]", "Total mass [kg]"), "Total", "TOTAL"),
        (("Désignation", "Qté", "Masse unitaire [kg]", "Masse totale [kg]"), "Total", "Masse totale"),
        (("Descrizione", "Quantità", "Peso unitario [kg]", "Peso totale [kg]"), "Totale", "Totale"),
    ],
)
def test_a_sum_with_its_number_in_the_other_column_is_not_a_part(
    headers: tuple[str, ...], label: str, closing: str
) -> None:
    text = SUMS.format(*headers, label, label, closing)
    assert mass_of(text) == 73
    assert len(bom_of(text)) == 6


def test_the_first_row_of_a_loading_list_is_a_part() -> None:
    assert mass_of("Item;Weight (lb)\nEmpty weight;1100\nCrew;180\nFuel;36\nTotal;1316") == 1316
    assert mass_of("Item;Weight (lb)\nBasic empty weight;1100\nCrew;180\nFuel;36") == 1316


def test_a_first_row_that_is_the_sum_of_the_others_stays_a_question() -> None:
    for text in ("Dry mass;330\nFrame;100\nShell;180\nSeat;50", "Dry mass;30\nFrame;10\nShell;20"):
        with pytest.raises(mp.MasspropsError) as caught:
            mp.rollup(bom_of(f"Item;Weight (lb)\n{text}"))
        assert "MP257" in str(caught.value)
