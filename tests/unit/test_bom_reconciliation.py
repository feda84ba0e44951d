"""Totals of a sheet next to sums that were added by hand."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.checks.totals import reconcile_masses, reconcile_totals

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
    got = [(one.label, one.computed, one.agrees, one.of) for one in reconcile_masses(read())]
    assert got == [
        ("Subtotal", pytest.approx(2 * (4 * 1.5 + 2 * 3.25)), True, "all rows above"),
        ("Subtotal payload", pytest.approx(0.55), True, "the rows below Subtotal"),
        ("Total", pytest.approx(25.55), True, "all rows above"),
        ("Total incl. margin", pytest.approx(28.105), True, "all rows above including Margin 10 %"),
    ]
    assert not [finding for finding in read().findings if finding.rule == "MP413"]


def test_a_total_above_the_items_is_of_the_rows_below() -> None:
    (one,) = reconcile_masses(read("name,qty,mass [kg]\nTotal,,10\nBattery,2,3\nPanel,1,4\n"))
    assert (one.label, one.computed, one.agrees, one.of) == ("Total", 10, True, "all rows below")


def test_a_total_that_differs_is_reported_with_its_address() -> None:
    (finding,) = [f for f in read(SHEET.replace("Total,,,25.55", "Total,,,27.55")).findings if f.rule == "MP415"]
    assert finding.message == "Total differs from the sum of all rows above: 27.55 kg (computed: 25.55)"
    assert finding.place is not None
    assert finding.place.column == "mass [kg]"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("26", "agrees"),
        ("25.6", "agrees"),
        ("25.50", "rounding"),
        # 8 panels of 1.5 and 4 batteries of 3.25, 1 radio of 0.25, 3 antennas of 0.1: halves of 8·0.05, 4·0.005, 0.005
        # and 3·0.05; the root of their squares is 0.428, their sum 0.575, and half a digit of the total 0.005
        ("25.98", "rounding"),
        ("25.99", "off"),
        ("26.12", "off"),
        ("26.14", "contradicted"),
    ],
)
def test_a_total_agrees_within_the_rounding_of_what_is_written(text: str, verdict: str) -> None:
    totals = reconcile_masses(read(SHEET.replace("Total,,,25.55", f"Total,,,{text}")))
    assert totals[2].verdict == verdict


@pytest.mark.parametrize(("total", "verdict"), [("30", "open"), ("25", "agrees"), ("24", "contradicted")])
def test_a_total_next_to_a_missing_mass_is_contradicted_below_the_others_only(total: str, verdict: str) -> None:
    sheet = f"name,mass [kg]\na,10.00\nb,15.00\nc,\nTotal,{total}\n"
    assert [one.verdict for one in reconcile_masses(read(sheet, allow_missing="mass"))] == [verdict]


def test_a_weighed_assembly_counts_and_its_children_do_not() -> None:
    sheet = "id,parent,mass,weighed\nS,,,\nA,S,7,yes\na,A,2,\nb,A,3,\nc,S,1,\nTotal,,8,\n"
    assert [one.agrees for one in reconcile_masses(read(sheet))] == [True]


def test_nothing_is_compared_where_rows_are_left_out() -> None:
    assert reconcile_masses(read(root="Bus")) == []
    assert [finding.rule for finding in read(root="Bus").findings] == ["MP250", "MP320"]


@pytest.mark.parametrize("mass", ["-0.25", "abc"])
def test_nothing_is_compared_where_a_mass_is_rejected(mass: str) -> None:
    bom = read(SHEET.replace("Radio,SAT,1,0.25", f"Radio,SAT,1,{mass}"))
    assert bom.has_errors
    assert reconcile_totals(bom) == []
    assert not [finding for finding in bom.findings if finding.rule in ("MP413", "MP252")]


def test_a_rejected_mass_that_is_allowed_is_in_the_sums() -> None:
    sheet = SHEET.replace("Radio,SAT,1,0.25", "Radio,SAT,1,-0.25")
    differing = [one.computed for one in reconcile_masses(read(sheet, allow_negative_mass=True)) if not one.agrees]
    assert differing[:2] == [pytest.approx(0.05), pytest.approx(25.05)]


def test_numbers_of_totals_follow_the_units_requested() -> None:
    from massprops_cli.bom.results.table_edit import rollup_table_edit
    from massprops_cli.bom.rollup import rollup

    bom = read(units="g,mm")
    fill = next(fill for fill in rollup_table_edit(rollup(bom)).fills if fill.column == 3)
    written = dict(zip(fill.rows.tolist(), list(fill.values), strict=True))
    assert written[9] == pytest.approx(25550)
    assert written[12] == pytest.approx(30000)


def agreeing(sheet: str) -> list[tuple[str, bool, str]]:
    """Give the verdicts on the totals of a sheet."""
    return [(f"{one.label} {one.quantity}", one.agrees, one.of) for one in reconcile_totals(read(sheet))]


def test_a_margin_in_percent_of_a_total() -> None:
    sheet = "id,parent,mass\nS,,\na,S,2.5\nb,S,1.5\nTotal,,4.0\nMargin,,10 %\nTotal with margin,,4.4\n"
    assert agreeing(sheet)[-1] == ("Total with margin mass", True, "all rows above including Margin")
    labelled = sheet.replace("Margin,,10 %", "Margin 7.5 %,,").replace("4.4", "4.3")
    assert agreeing(labelled)[-1] == ("Total with margin mass", True, "all rows above including Margin 7.5 %")


def test_subtotals_of_groups_within_groups() -> None:
    sheet = (
        "id,parent,mass\nS,,\na,S,2\nSubtotal 1.1,,2\nb,S,3\nSubtotal 1.2,,3\nSubtotal 1,,5\nc,S,4\n"
        "Subtotal 2.1,,4\nd,S,6\nSubtotal 2.2,,6\nSubtotal 2,,10\nTotal,,15\n"
    )
    assert [agrees for _, agrees, _ in agreeing(sheet)] == [True] * 7
    assert agreeing(sheet)[5] == ("Subtotal 2 mass", True, "the rows below Subtotal 1")


def test_subtotals_at_the_foot_are_those_of_the_assemblies_they_name() -> None:
    sheet = (
        "id,parent,mass\nS,,\nPayload,S,\nBus,S,\na,Payload,2\nb,Bus,3\nc,Payload,4\n"
        "Subtotal Payload,,6\nSubtotal Bus,,3\nTotal,,9\n"
    )
    assert agreeing(sheet) == [
        ("Subtotal Payload mass", True, "the rows of Payload"),
        ("Subtotal Bus mass", True, "the rows of Bus"),
        ("Total mass", True, "all rows above"),
    ]


def test_a_total_under_the_row_totals() -> None:
    sheet = "id,parent,qty,mass [kg],Total mass [g]\nS,,,,\na,S,4,2.5,10000\nb,S,1,3,3000\nTotal,,,,{total}\n"
    assert [
        (one.stated, one.computed, one.unit, one.agrees) for one in reconcile_masses(read(sheet.format(total=13000)))
    ] == [(13000, pytest.approx(13000), "g", True)]
    assert [one.agrees for one in reconcile_masses(read(sheet.format(total=13100)))] == [False]


CENTRES = (
    "id,parent,qty,mass [kg],Cx [mm],Cy [mm],Cz [mm]\nS,,,,,,\n"
    "a,S,2,1.5000,100.00,0.00,-20.00\nb,S,1,1.0000,500.00,40.00,60.00\n{total}\n"
)


@pytest.mark.parametrize(
    ("total", "verdicts"),
    [
        # (3 kg · 100 + 1 kg · 500) / 4 kg = 200; 40/4 = 10; (−60 + 60)/4 = 0
        ("Total,,,4.0,200.0,10.0,0.0", [True] * 4),
        ("Total,,,4.0,200.4,10.0,0.0", [True, False, True, True]),
        ("Total,,,4.0,200,,", [True, True]),
        ("Total,,,,200.0,10.0,1.0", [True, True, False]),
        ("Total,,,5.0,200.0,10.0,0.0", [False, True, True, True]),
    ],
)
def test_centres_of_totals(total: str, verdicts: list[bool]) -> None:
    bom = read(CENTRES.format(total=total), mass_is="each")
    printed = reconcile_totals(bom)
    assert [one.agrees for one in printed] == verdicts
    assert sum(f.rule in ("MP413", "MP415") for f in bom.findings) == verdicts.count(False)
    assert {one.unit for one in printed if one.quantity == "Cx"} == {"mm"}


def test_a_centre_that_differs_is_reported() -> None:
    bom = read(CENTRES.format(total="Total,,,4.0,200.4,10.0,0.0"))
    (finding,) = [f for f in bom.findings if f.rule == "MP413"]
    assert finding.message == "Total differs from the sum of all rows above: Cx 200.4 mm (computed: 200)"


def test_digits_of_a_centre_are_those_of_its_cell() -> None:
    # the centre is 200 mm: 200.4 and 199.5 are written to a tenth, 200 to a whole
    for text, agrees in (("200", True), ("201", False), ("199.9", False), ("200.04", False), ("200.00", True)):
        printed = reconcile_totals(read(CENTRES.format(total=f"Total,,,4.0,{text},,")))
        assert [one.agrees for one in printed] == [True, agrees]


def test_a_centre_within_the_rounding_of_its_rows() -> None:
    # b weighs 0.5 to 1.5 kg, so that its 300 mm from the centre move this by 0.5 · 300 / 4 = 37.5 mm
    coarse = CENTRES.replace("1.0000", "1").format(total="Total,,,4.0,{x},,")
    for x, verdict in (("200.4", "rounding"), ("237.4", "rounding"), ("237.7", "contradicted")):
        printed = reconcile_totals(read(coarse.format(x=x)))
        assert [one.verdict for one in printed] == ["agrees", verdict]


def test_a_total_of_masses_without_any_centre() -> None:
    sheet = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm]\nS,,,,,\na,S,2,,,\nb,S,3,,,\nTotal,,5.0,10,,\n"
    assert [(one.quantity, one.agrees) for one in reconcile_totals(read(sheet, allow_missing="center"))] == [
        ("mass", True)
    ]


def test_a_row_without_a_centre_leaves_that_of_the_total_open_unless_it_weighs_nothing() -> None:
    sheet = "id,parent,mass,Cx,Cy,Cz\nS,,,,,\na,S,2,4,4,4\nb,S,{mass},,,\nTotal,,{total},4,,\n"
    open_ = reconcile_totals(read(sheet.format(mass=3, total=5), allow_missing="center"))
    assert [one.quantity for one in open_] == ["mass"]
    known = reconcile_totals(read(sheet.format(mass=0, total=2), allow_missing="center"))
    assert [(one.quantity, one.agrees) for one in known] == [("mass", True), ("Cx", True)]


def test_a_total_of_lines_is_compared_in_its_own_unit() -> None:
    sheet = "id,parent,qty,mass [g],Total mass [kg]\nS,,,,\na,S,4,2500,10\nb,S,1,3000,3\nTotal,,,,13.0\n"
    (one,) = reconcile_masses(read(sheet))
    assert (one.stated, one.computed, one.unit, one.agrees) == (13, pytest.approx(13), "kg", True)


def test_margins_count_for_the_totals_below_them_only() -> None:
    sheet = "name,mass [kg]\na,2\nb,3\nMargin,1\nSubtotal,6\nc,4\nMargin 50 %,\nSubtotal,6.0\nGrand total,13.5\n"
    assert agreeing(sheet) == [
        ("Subtotal mass", True, "all rows above including Margin"),
        ("Subtotal mass", True, "the rows below Subtotal including Margin 50 %"),
        # 9 · 1.5 + 1 = 14.5 is nearest to what is stated, and 1 more than it
        ("Grand total mass", False, "all rows above including Margin, Margin 50 %"),
    ]


@pytest.mark.parametrize("units", ["g,mm", "kg,m", "lb,in"])
def test_what_a_total_states_is_the_same_under_any_units(units: str) -> None:
    sheet = "id,parent,qty,mass [g],Total mass [kg]\nS,,,,\na,S,4,2500,10\nb,S,1,3000,3\nTotal,,,,13.0\n"
    (one,) = reconcile_masses(read(sheet, units=units))
    assert (one.stated, one.computed, one.unit, one.agrees) == (pytest.approx(13), pytest.approx(13), "kg", True)
    lines = CENTRES.format(total="Total,,,4.0,200.0,10.0,0.0")
    assert [(one.stated, one.agrees) for one in reconcile_totals(read(lines, units=units))] == [
        (pytest.approx(stated), True) for stated in (4, 200, 10, 0)
    ]


def test_a_column_of_centres_is_read_once_for_all_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    bom = read(CENTRES.format(total="Total,,,4.0,200.0,10.0,0.0\nTotal,,,4.0,200.0,10.0,0.0"), mass_is="each")
    base, requested = bom.table.base, list[int]()
    numbers = base.numbers
    monkeypatch.setattr(base, "numbers", lambda columns, start: requested.extend(columns) or numbers(columns, start))
    assert len(reconcile_totals(bom)) == 8
    assert len(requested) == len(set(requested)) == 4  # masses and three coordinates


def test_totals_that_agree_are_below_the_result(massprops, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("part,mass [kg]\nbattery,3\npanel,4\nTotal,7\n")
    shown = massprops("rollup", path, "-o", tmp_path / "out.csv").stdout
    assert "stated totals (kg)" in shown
    assert "MP411" not in shown
