"""One quantity in two columns of different units."""

from __future__ import annotations

import pytest

from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.columns.header import read_header


def taken(*rows: list[str]) -> tuple[int, list[str]]:
    """Give the column read as the mass, and the rules that were reported."""
    findings = Findings()
    header = read_header(GridTable(TableSource("a.csv", "csv"), [list(row) for row in rows]), {}, findings)
    return header.columns["mass"], [finding.rule for finding in findings]


@pytest.mark.parametrize("pounds", ["0.75", "0.750"])
def test_the_same_numbers_in_two_units_are_read_once(pounds):
    # 340 g are 0.7496 lb; 0.75 is that to two digits
    assert taken(["id", "Mass (g)", "Mass (lb)"], ["top", "", ""], ["a", "340", pounds]) == (1, ["MP225"])


def test_of_rounded_numbers_the_column_with_much_smaller_digits_is_read():
    # 0.5 kg and 0.3 kg are 523 g and 287 g to one digit: their sum is 0.81 kg, not 0.8 kg
    rows = ["top", "", ""], ["a", "0.5", "523"], ["b", "0.3", "287"]
    assert taken(["id", "Mass (kg)", "Mass (g)"], *rows) == (2, ["MP225"])
    assert taken(["id", "Mass (g)", "Mass (kg)"], *([name, grams, kilos] for name, kilos, grams in rows))[0] == 1


@pytest.mark.parametrize(("grams", "pounds"), [("340", "0.85"), ("340", ""), ("340.0", "0.752")])
def test_numbers_that_differ_are_rejected(grams, pounds):
    assert taken(["id", "Mass (g)", "Mass (lb)"], ["a", grams, pounds])[1] == ["MP202"]


def test_two_columns_of_one_unit_are_read_where_they_hold_the_same_numbers():
    assert taken(["id", "Mass (g)", "mass [g]"], ["a", "1", "1"]) == (1, [])
    assert taken(["id", "Mass (g)", "mass [g]"], ["a", "1", "2"])[1] == ["MP202"]
    assert taken(["id", "Mass (g)", "MASS"], ["a", "1", "1"])[1] == ["MP202"]
