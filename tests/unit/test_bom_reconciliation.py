"""Totals of a sheet beside sums that were added by hand."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.building.reconciliation import reconcile

SHEET = """id,parent,qty,mass [kg]
SAT,,,
Bus,SAT,2,
Panel,Bus,4,1.5
Battery,Bus,2,3.25
Subtotal,,,25
Radio,SAT,1,0.25
Antenna,SAT,3,0.1
Subtotal payload,,,0.55
Total,,,25.55
Margin 10 %,,,2.555
Total incl. margin,,,28.1
Limit,,,30
"""


def read(sheet: str = SHEET, **options: object) -> Bom:
    """Read a sheet from its text."""
    return Bom.from_records(list(csv.DictReader(io.StringIO(sheet))), **options)


def test_totals_agree_with_the_rows_they_add_up() -> None:
    got = [(one.label, one.computed, one.agrees, one.of) for one in reconcile(read())]
    assert got == [
        ("Subtotal", pytest.approx(2 * (4 * 1.5 + 2 * 3.25)), True, "all rows above"),
        ("Subtotal payload", pytest.approx(0.55), True, "the rows below Subtotal"),
        ("Total", pytest.approx(25.55), True, "all rows above"),
        ("Total incl. margin", pytest.approx(28.105), True, "all rows above, with Margin 10 %"),
    ]
    assert not [finding for finding in read().findings if finding.rule == "MP413"]


def test_a_total_that_differs_is_said_with_its_address() -> None:
    (finding,) = [f for f in read(SHEET.replace("Total,,,25.55", "Total,,,25.65")).findings if f.rule == "MP413"]
    assert finding.message == "Total states 25.65 kg, and all rows above give 25.55"
    assert finding.place is not None
    assert finding.place.column == "mass [kg]"


@pytest.mark.parametrize(
    ("text", "agrees"), [("26", True), ("25.6", True), ("25.5", True), ("25.50", False), ("27", False)]
)
def test_half_a_unit_of_the_last_digit_is_rounding(text: str, agrees: bool) -> None:
    totals = reconcile(read(SHEET.replace("Total,,,25.55", f"Total,,,{text}")))
    assert totals[2].agrees is agrees


def test_a_weighed_assembly_counts_and_its_children_do_not() -> None:
    sheet = "id,parent,mass,weighed\nS,,,\nA,S,7,yes\na,A,2,\nb,A,3,\nc,S,1,\nTotal,,8,\n"
    assert [one.agrees for one in reconcile(read(sheet))] == [True]


def test_nothing_is_compared_where_rows_are_left_out() -> None:
    assert reconcile(read(root="Bus")) == []
    assert [finding.rule for finding in read(root="Bus").findings] == ["MP250", "MP320"]


def test_numbers_of_totals_follow_the_units_asked_for() -> None:
    from massprops_cli.bom.answers.rolling import rollup
    from massprops_cli.bom.filling.filling import filling_of

    bom = read(units="g,mm")
    fill = next(fill for fill in filling_of(rollup(bom)).fills if fill.column == 3)
    written = dict(zip(fill.rows.tolist(), list(fill.values), strict=True))
    assert written[9] == pytest.approx(25550)
    assert written[12] == pytest.approx(30000)
