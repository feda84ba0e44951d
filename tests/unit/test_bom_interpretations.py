"""Readings of masses and quantities, resolved by a total typed next to them."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup

# two boxes with six nuts and a mass of 0.5: the total states how they are meant
SHEET = "id,parent,qty,mass\ntop,,,\nbox,top,2,\nnut,box,6,0.5\nTotal,,,{total}\n"


def requested_with(*options: str) -> str:
    """Give the remedy that offers a whole command for each of some options."""
    return "run " + ", or ".join(f"massprops rollup records {option}" for option in options)


def read(sheet: str, **options: object) -> Bom:
    """Read a sheet from its text."""
    return Bom.from_records(list(csv.DictReader(io.StringIO(sheet))), **options)


@pytest.mark.parametrize(
    ("total", "rules", "remedy"),
    [
        ("6.0", [], ""),
        ("3.0", ["MP251"], "state it with --qty-is total"),
        ("1.0", ["MP251"], "state it with --mass-is line"),
        ("0.5", ["MP251"], "state it with --mass-is line --qty-is total"),
    ],
)
def test_one_reading_that_agrees_is_used(total: str, rules: list[str], remedy: str) -> None:
    bom = read(SHEET.format(total=total))
    printed = [finding for finding in bom.findings if finding.rule in ("MP251", "MP252", "MP413")]
    assert [finding.rule for finding in printed] == rules
    assert rollup(bom).root.mass == pytest.approx(float(total))
    if remedy:
        assert printed[0].remedy == remedy


def test_several_readings_that_agree_are_offered() -> None:
    bom = read(SHEET.format(total="6").replace("6,0.5", "2,3"))
    (finding,) = [finding for finding in bom.findings if finding.rule == "MP252"]
    assert finding.remedy == ("run massprops rollup records --qty-is total, or massprops rollup records --mass-is line")


def test_a_total_that_no_way_gives_is_contradicted() -> None:
    bom = read(SHEET.format(total="7.0"))
    (finding,) = [f for f in bom.findings if f.rule in ("MP251", "MP252", "MP413", "MP415")]
    assert finding.rule == "MP415"
    assert "7 (computed: 6)" in finding.message


def test_a_wrong_subtotal_next_to_a_right_total_is_not_a_question() -> None:
    bom = read(SHEET.format(total="6.0").replace("Total,,,6.0", "Subtotal,,,9\nTotal,,,6.0"))
    assert [f.rule for f in bom.findings if f.rule in ("MP251", "MP252", "MP413", "MP415")] in (["MP413"], ["MP415"])


def test_a_total_that_one_reading_gives_needs_no_option() -> None:
    bom = read("id,parent,qty,mass\ntop,,,\na,top,1,2\nTotal,,,5\n")
    assert [f.rule for f in bom.findings if f.rule in ("MP251", "MP252", "MP413", "MP415")] in (["MP413"], ["MP415"])


DOUBLE = "id,parent,qty,{mass}\ntop,,,\na,top,4,10\nb,top,1,3\n"


@pytest.mark.parametrize(
    "header",
    ["Total mass", "Ext. mass [kg]", "Line weight (kg)", "Extended Weight", "Gesamtgewicht", "Total (kg)", "Ext. / kg"],
)
def test_a_mass_with_a_double_header_is_ambiguous(header: str) -> None:
    bom = read(DOUBLE.format(mass=header))
    (finding,) = [finding for finding in bom.findings if finding.rule == "MP252"]
    assert finding.remedy == requested_with("--mass-is each", "--mass-is line")
    assert rollup(read(DOUBLE.format(mass=header), mass_is="line")).root.mass == pytest.approx(13)
    assert rollup(read(DOUBLE.format(mass=header), mass_is="each")).root.mass == pytest.approx(43)


def test_a_total_resolves_what_a_double_header_means() -> None:
    bom = read(DOUBLE.format(mass="Total mass") + "Total,,,13\n")
    assert [f.remedy for f in bom.findings if f.rule in ("MP251", "MP252")] == ["state it with --mass-is line"]
    assert rollup(bom).root.mass == 13


def test_a_double_header_without_several_pieces_is_not_a_question() -> None:
    bom = read(DOUBLE.format(mass="Total mass").replace("4,10", "1,10"))
    assert [f.rule for f in bom.findings if f.rule in ("MP251", "MP252")] == []


WHOLE = "id,parent,{qty},mass\ntop,,1,\nbox,top,2,\nnut,box,{nuts},0.5\n"


@pytest.mark.parametrize("header", ["Total Qty", "Ext. Qty", "Qty Total", "Gesamtmenge"])
def test_a_quantity_with_a_double_header_is_ambiguous(header: str) -> None:
    sheet = WHOLE.format(qty=header, nuts=6)
    (finding,) = [finding for finding in read(sheet).findings if finding.rule == "MP252"]
    assert finding.remedy == requested_with("--qty-is per-parent", "--qty-is total")
    assert rollup(read(sheet, qty_is="total")).root.mass == 3
    assert rollup(read(sheet, qty_is="per-parent")).root.mass == 6


def test_quantities_that_do_not_divide_are_per_parent() -> None:
    bom = read(WHOLE.format(qty="Total Qty", nuts=5))
    assert not [f for f in bom.findings if f.rule == "MP252"]
    assert rollup(bom).root.mass == 5


def test_inertias_leave_the_question_open() -> None:
    sheet = "id,parent,qty,Total mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\ntop,,,,,,,,,,,,\na,top,4,10,0,0,0,1,1,1,0,0,0\n"
    (finding,) = [f for f in read(sheet).findings if f.rule == "MP252"]
    assert "--mass-is line" in str(finding.remedy)


def test_stated_options_are_not_inferred_again() -> None:
    bom = read(SHEET.format(total="3.0"), mass_is="each")
    assert [finding.rule for finding in bom.findings if finding.rule in ("MP251", "MP415")] == ["MP415"]
    assert rollup(bom).root.mass == 6


def test_inertias_next_to_row_totals_leave_one_way_only_where_a_total_requires_it() -> None:
    sheet = (
        "id,parent,qty,Total mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\n"
        "top,,,,,,,,,,,,\na,top,4,10,0,0,0,1,1,1,0,0,0\nTotal,,,{total},,,,,,,,,\n"
    )
    bom = read(sheet.format(total=40))
    assert [f.remedy for f in bom.findings if f.rule in ("MP251", "MP252")] == ["state it with --mass-is each"]
    assert rollup(bom).root.mass == 40
    assert [f.rule for f in read(sheet.format(total=10)).findings if f.rule in ("MP251", "MP252")] == ["MP252"]


def test_stated_options_are_in_the_commands_for_open_ones() -> None:
    sheet = DOUBLE.format(mass="Total mass").replace("qty", "Total Qty")
    (finding,) = [f for f in read(sheet, qty_is="total").findings if f.rule == "MP252"]
    assert finding.remedy == requested_with("--mass-is each --qty-is total", "--mass-is line --qty-is total")
