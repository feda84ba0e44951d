"""Tables in which a word, a heading or a blank line alone would decide wrongly, smaller than where they were met."""

from __future__ import annotations

import shlex
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.columns.mass_headings import is_non_mass_heading
from massprops_cli.tables.rows import excluded_rows
from massprops_cli.tables.rows.indentation import parents_by_code

GEAR = "name,weight_g,cost_gbp,season\n{},{},,\nRain jacket,394,150,Winter\nTrousers,600,205,Winter\n"


def _read(tmp_path: Path, text: str, name: str = "table.csv", **options: Any) -> mp.Bom:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return mp.read_bom(path, **options)


def _mass(bom: mp.Bom) -> tuple[float, set[str]]:
    """Roll up: the mass of the root and the rules of the errors."""
    result = mp.rollup(bom)
    report = result.to_dict()
    root = next(one for one in report["items"] if one["id"] == report["root"])
    return root["mass"], {one.rule for one in result.findings if one.severity.value == "error"}


@pytest.mark.parametrize("name", ["Cap", "Foot rest", "Target drone", "Capability module"])
def test_a_small_mass_under_a_word_for_limits_is_a_part(name: str, tmp_path: Path) -> None:
    assert _mass(_read(tmp_path, GEAR.format(name, 61))) == (1055, set())


def test_a_mass_above_the_sum_of_the_others_may_be_their_limit(tmp_path: Path) -> None:
    bom = _read(tmp_path, GEAR.format("Rucksack capability", 1500))
    assert [one.message for one in bom.findings if one.rule == "MP257"] == [
        "row is ambiguous: Rucksack capability (a part of 1500 or a limit)"
    ]


def test_a_remark_about_requirements_makes_no_limit_of_the_part_that_it_is_about(tmp_path: Path) -> None:
    rows = "Actuator,1,published,165\nBracket,1,CAD,35\nFoam payload,1,system requirement,100\n"
    assert _mass(_read(tmp_path, f"component,quantity,basis,mass_g\n{rows}")) == (300, set())


SEGMENTS = "| Segment | Size | Mass (kg) |\n|---|---|---|\n| Coxa | 0.04 | 0.117 |\n| Tibia | 0.20 | 0.117 |\n"


@pytest.mark.parametrize(
    "other", ["| Joint | Min | Max |\n|---|---|---|\n| hip | 10 | 90 |\n", "| a | b | c |\n|-|-|-|\n"]
)
@pytest.mark.parametrize("between", ["\n", "\nThe joints.\n\n## Limits\n\n"])
def test_a_further_table_in_markdown_has_a_header_of_its_own(other: str, between: str, tmp_path: Path) -> None:
    assert _mass(_read(tmp_path, SEGMENTS + between + other, "doc.md")) == (pytest.approx(0.234), set())


def test_blank_rows_within_a_table_in_markdown_end_no_table(tmp_path: Path) -> None:
    text = SEGMENTS + "| | | |\n| Femur | 0.1 | 0.2 |\n| Foot | 0.1 | 0.3 |\n"
    assert _mass(_read(tmp_path, text, "doc.md")) == (pytest.approx(0.734), set())


def test_a_row_below_a_blank_line_belongs_to_the_table_above(tmp_path: Path) -> None:
    rows = "| Part | Qty | Weight |\n|---|---|---|\n| Wheel | 4 | 300g |\n| Hub | 4 | 80g |\n| Plate | 1 | 180g |\n"
    bom = _read(tmp_path, f"{rows}\n| **Total** | | **~560g** |\n", "doc.md")
    assert _mass(bom) == (560, set())  # of the row, and not 1700 of each piece
    assert [one.verdict for one in mp.rollup(bom).totals] == ["agrees"]


def test_one_column_is_no_table_in_markdown(tmp_path: Path) -> None:
    text = SEGMENTS + "\n| Total |\n|---|\n| 7 |\n"
    assert _mass(_read(tmp_path, text, "doc.md")) == (pytest.approx(0.234), set())


@pytest.mark.parametrize(
    "heading", ["total_mass_kg", "total_weight", "predicted_mass_kg", "reconciled_dynamics_mass_kg"]
)
def test_headings_of_other_programs_are_no_results_of_a_roll_up(heading: str, tmp_path: Path) -> None:
    assert _mass(_read(tmp_path, f"name,{heading}\nA,2\nB,1\n")) == (3, set())


def test_row_totals_in_snake_case_are_related_to_the_masses_of_a_piece(tmp_path: Path) -> None:
    bom = _read(tmp_path, "name,qty,mass_g,total_mass_g\na,2,3,6\nb,1,5,5\n")
    assert bom.columns.by_quantity["line_mass"].header == "total_mass_g"
    assert _mass(bom) == (11, set())


@pytest.mark.parametrize(
    "heading", ["total_mass [kg]", "coverage_mass", "rho_mass_Cx", "total_sigma_mass", "share_mass"]
)
def test_results_of_a_roll_up_are_no_masses(heading: str, tmp_path: Path) -> None:
    bom = _read(tmp_path, f"name,mass [kg],{heading}\nA,2,9\nB,1,9\n")
    assert bom.columns.by_quantity["mass"].header == "mass [kg]"
    assert _mass(bom) == (3, set())


def test_a_mass_that_an_option_names_is_no_question_where_growth_is_in_it(tmp_path: Path) -> None:
    text = "link,plan_kg,bolts_kg,contingency_kg,sum_kg\na,1.454,0.0188,0.096,1.550\nb,2.314,0.1,0.185,2.499\n"
    assert _mass(_read(tmp_path, text, map={"mass": "sum_kg"})) == (pytest.approx(4.049), set())


def test_a_number_by_mass_is_a_ratio_and_a_unit_may_be_followed_by_a_remark(tmp_path: Path) -> None:
    text = "Name,Weight / g (bare),Features / weight\nA,84,0.02\nB,115,0.01\nC,38,0.05\n"
    bom = _read(tmp_path, text)
    assert (bom.columns.by_quantity["mass"].header, bom.columns.by_quantity["mass"].unit) == ("Weight / g (bare)", "g")
    assert _mass(bom) == (237, set())


@pytest.mark.parametrize("blank", ["—", "-", ""])
def test_names_that_differ_are_ids_where_some_rows_have_none(blank: str, tmp_path: Path) -> None:
    text = f"Id,Name,Qty,Mass (g)\n456,Gear,3,0.4\n{blank},Differential,1,3.5\n{blank},Axle,2,0.3\n"
    bom = _read(tmp_path, text)
    assert _mass(bom) == (pytest.approx(5.3), set())
    assert {"Gear", "Differential", "Axle"} <= set(bom.ids)


def test_names_that_repeat_leave_a_missing_id_an_error(tmp_path: Path) -> None:
    bom = _read(tmp_path, "Id,Name,Mass (g)\n456,Gear,0.4\n,Axle,3.5\n7,Axle,0.3\n")
    assert {one.rule for one in bom.findings if one.severity.value == "error"} == {"MP302"}


def test_no_row_is_offered_as_the_root_of_a_column_that_names_no_parent(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "usb.csv"
    path.write_text("VID,PID,ID,Name,Weight\n0xBC,0x01,Ring,LED,3.3g\n0xBC,0x02,Qi,Coil,5g\n")
    shown = massprops("rollup", path).output
    assert "--root" not in shown
    command = shlex.split(shown.partition("next: ")[2].strip())
    assert command[-2:] == ["--ignore-column", "PID"]
    assert "8.3" in massprops(*command[1:]).output


def test_the_remedy_for_a_list_without_a_header_gives_its_sum(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("NC,1506\nMain,387\nBay,1159\n")
    command = shlex.split(massprops("rollup", path).output.partition("next: ")[2].strip())
    assert command[-1] == "columns=name,mass"
    assert "3052" in massprops(*command[1:]).output


def test_inertia_in_one_cell_is_read_with_the_unit_in_front_of_its_list(tmp_path: Path) -> None:
    heading = '"Inertia (kg*mm^2, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)"'
    text = f'Name,Mass (kg),Center of Mass (mm),{heading}\nA,2,"(1, 2, 3)","(240, 250, 260, 0, 0, 0)"\n'
    bom = _read(tmp_path, text)
    assert bom.columns.by_quantity["Ixx"].unit == "kg*mm^2"
    root = mp.rollup(bom).to_dict()["items"][0]["inertia"]
    assert [root[name] for name in ("Ixx", "Iyy", "Izz")] == pytest.approx([240, 250, 260])


def test_tuples_that_nothing_reads_are_listed_as_numbers_not_read(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "table.csv"
    path.write_text('Name,Mass (kg),Mount,Seen\nA,2,"(1, 2, 3)",(May 2024)\nB,1,"(2.5, 1e3; 4)",(June 2024)\n')
    lines = [line for line in massprops("rollup", path).output.splitlines() if "not read" in line]
    assert len(lines) == 1
    assert "Mount" in lines[0]
    assert "Seen" not in lines[0]


@pytest.mark.parametrize("rows", [3, 400])
def test_decimal_commas_of_short_tables_are_read_together(rows: int, tmp_path: Path) -> None:
    cells = "".join(f"p{k};{k},5;-{k},25;{k}\n" for k in range(1, rows + 1))
    bom = _read(tmp_path, f"name;mass;Cx;Cy\n{cells}")
    assert _mass(bom)[0] == pytest.approx(sum(k + 0.5 for k in range(1, rows + 1)))
    texts = "".join(f"p{k};{k},5;-{k},25;{k} kg\n" for k in range(1, rows + 1))  # one by one
    with_units = _read(tmp_path, f"name;mass;Cx;note\n{texts}", "other.csv")
    assert _mass(with_units)[0] == _mass(bom)[0]


@pytest.mark.parametrize("cell", ["20.0 × 2", "20 g x2", "20.0 (×2)"])
def test_a_number_times_a_count_is_the_product_or_a_question(cell: str, tmp_path: Path) -> None:
    text = f"| Part | Mass (g) |\n|---|---|\n| base | 80.0 |\n| finger | {cell} |\n| **Total** | **120.0** |\n"
    bom = _read(tmp_path, text, "hand.md")
    assert [one.rule for one in bom.findings if one.severity.value == "error"] == ["MP205"]
    assert _mass(_read(tmp_path, text, "hand.md", mass_is="each")) == (120, set())


@pytest.mark.parametrize("cell", ["100 x 50", "2 × 20.0", "3.5 x 120"])
def test_other_products_are_no_counts(cell: str, tmp_path: Path) -> None:
    bom = _read(tmp_path, f"Part,Mass (g)\nbase,80\nplate,{cell}\n", mass_is="each")
    assert [one.rule for one in bom.findings if one.severity.value == "error"] == ["MP205"]


def test_a_large_mass_with_a_word_for_limits_in_another_column_stays_one(tmp_path: Path) -> None:
    bom = _read(tmp_path, "name,type,mass\nA,part,100\nB,part,200\nLauncher,limit,500\n")
    assert _mass(bom) == (300, set())
    assert any(one.rule == "MP250" and "limit" in one.message for one in bom.findings)


def test_a_number_that_begins_another_one_is_no_code_of_its_group(tmp_path: Path) -> None:
    """20 weeks above 2: what is left of 20 without its zero."""
    bom = _read(tmp_path, "Part,Qty,Mass (kg),Lead time (weeks)\nHarness,1,4.6,20\nSeat,1,47.8,2\n")
    assert _mass(bom) == (pytest.approx(52.4), set())


@pytest.mark.parametrize("first", range(1, 31))
def test_codes_of_groups_begin_those_of_their_rows(first: int) -> None:
    for second, third in product((*range(1, 31), 100, 110, 200, 210), repeat=2):
        codes = [str(first), str(second), str(third)]
        for i, over in enumerate(parents_by_code(codes).tolist()):
            assert over < i
            assert over < 0 or (codes[i].startswith(codes[over].rstrip("0")) and codes[i] != codes[over])


@pytest.mark.parametrize("price", ["가격(원)", "価格(円)", "价格(元)", "Цена", "Cena"])
@pytest.mark.parametrize("time", ["납기(주)", "納期(週)", "交期(周)", "Срок", "Termin"])
def test_prices_and_times_are_no_quantities(price: str, time: str, tmp_path: Path) -> None:
    bom = _read(tmp_path, f"품명,{price},중량(kg),{time}\n센서,445,9.472,14\n수신기,465,0.755,3\n탱크,62,1.5,20\n")
    assert _mass(bom) == (pytest.approx(11.727), set())


@pytest.mark.parametrize("below", ["", "| Limit | < 9 |\n"])
def test_a_bound_above_the_total_is_a_part_without_a_mass(below: str, tmp_path: Path) -> None:
    rows = "| Chamber | 5.0 |\n| Battery | 0.63 |\n| Bracket | < 0.4 |\n| Total | ~6 |\n"
    bom = _read(tmp_path, f"| Part | Mass (kg) |\n|---|---|\n{rows}{below}", "list.md")
    assert "Bracket" in bom.ids
    assert "Limit" not in bom.ids
    assert {one.rule for one in bom.findings if one.severity.value == "error"} == {"MP205"}


@pytest.mark.parametrize("blank", ["", "\t\t", "  "])
def test_rows_without_outer_pipes_go_on_below_a_blank_line(blank: str, tmp_path: Path) -> None:
    text = f"Item | Mass (g)\n---|---\nAntenna | 106\n{blank}\nParachute | 150\nTape | 5\n"
    assert _mass(_read(tmp_path, text, "list.md")) == (261, set())


@pytest.mark.parametrize("label", ["Total 2 legs", "Total (2 sides)", "Total for 2 x leg"])
def test_a_total_of_several_times_the_one_above_it_repeats_it(label: str, tmp_path: Path, massprops: Any) -> None:
    rows = f"part,mass_g\nMotor,880\nBracket,405\nTotal per leg,1285\n{label},"
    assert _mass(_read(tmp_path, f"{rows}2570\n")) == (1285, set())
    path = tmp_path / "other.csv"
    path.write_text(f"{rows}2600\n", encoding="utf-8")
    assert massprops("rollup", path).exit_code > 0


COMMON = "| Component | Total (g) |\n|---|---|\n| PCB | 12 |\n| Frame | 6 |\n| **Common subtotal** | **18** |\n"
VARIANTS = "| Component | 2S | 3S |\n|---|---|---|\n| Motors | {} | {} |\n| Battery | 30 g | 40 g |\n"


def test_a_table_with_masses_in_its_cells_is_a_list_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(mp.TableError) as error:
        _read(tmp_path, f"{COMMON}\n{VARIANTS.format('14 g', '20 g')}", "variants.md")
    assert [one.message for one in error.value.findings] == ["sheet contains 2 tables"]
    for cells in (("small", "large"), ("-14 g", "−20 g")):  # of words, of changes
        assert _mass(_read(tmp_path, f"{COMMON}\n{VARIANTS.format(*cells)}", "variants.md"))[0] == 18


@pytest.mark.parametrize(("total", "why"), [("", "no total is stated"), ("Total,61340\n", "the stated totals agree")])
def test_a_part_with_a_word_for_sums_has_its_reason(total: str, why: str, tmp_path: Path) -> None:
    bom = _read(tmp_path, f"Component,Mass (kg)\nEmpty Weight,41000\nCrew,340\nFuel,20000\n{total}")
    assert [why in one.message for one in bom.findings if one.rule == "MP282"] == [True]


@pytest.mark.parametrize("heading", ["#", "Lp.", "Pos."])
@pytest.mark.parametrize("last", ["", "—"])
def test_numbers_of_rows_name_nothing_next_to_words(heading: str, last: str, tmp_path: Path) -> None:
    rows = "1,Hull,1200,0.55\n2,Genset,200,0.3\n3,Mast,70,1.5\n4,Keel,9,0.1\n"
    bom = _read(tmp_path, f"{heading},Subsystem,Mass (kg),VCG (m)\n{rows}{last},LIGHTSHIP,1479,\n")
    assert {"Hull", "Genset", "Mast"} <= set(bom.ids)
    assert _mass(bom)[0] == 1479


def test_a_word_within_a_code_is_no_label(tmp_path: Path) -> None:
    assert _mass(_read(tmp_path, "Part Number,Qty,Mass (g)\nNUCLEO,1,30\nMAX-M10S,1,3\nANT-GPS,1,6\n")) == (39, set())


@pytest.mark.parametrize("text", ["Use a | b as a mark.", "| | |", "a sentence"])
def test_a_sentence_with_a_bar_below_a_table_is_no_row(text: str, tmp_path: Path) -> None:
    bom = _read(tmp_path, f"| Part | Mass (g) |\n|---|---|\n| Wheel | 4 |\n| Hub | 3 |\n\n{text}\n", "list.md")
    assert _mass(bom) == (7, set())


def test_a_small_limit_without_a_name_of_its_own_stays_one(tmp_path: Path) -> None:
    assert _mass(_read(tmp_path, "name,type,mass\nA,part,100\nB,part,200\n,limit,50\n")) == (300, set())


def test_codes_of_items_with_letters_name_them(tmp_path: Path) -> None:
    bom = _read(tmp_path, "Item,Subsystem,Mass (kg)\nP1,Hull,1200\nP2,Genset,200\nP3,Mast,70\nP4,Keel,9\n")
    assert {"P1", "P2", "P3", "P4"} <= set(bom.ids)
    assert "name" not in bom.columns.by_quantity


def test_columns_are_named_in_order_only_where_the_option_serves(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("NC,1506,est\nMain,387,\n")
    assert "columns=id,parent,mass" in massprops("rollup", path).output
    book = openpyxl.Workbook()
    for row in (("NC", 1506), ("Main", 387)):
        book.active.append(row)
    book.save(tmp_path / "list.xlsx")
    shown = massprops("rollup", tmp_path / "list.xlsx").output
    assert "MP201" in shown
    assert "columns=" not in shown


@pytest.mark.parametrize(
    ("heading", "quantity", "unit"),
    [("Weight / g (bare)", "mass", "g"), ("Weight / g (kg)", "", ""), ("mass_kg (dry)", "mass", "kg")],
)
def test_two_units_in_a_heading_are_none(heading: str, quantity: str, unit: str) -> None:
    found = read_heading(heading)
    assert (found.quantity, found.unit) == (quantity, unit)


@pytest.mark.parametrize(
    ("heading", "is_other"),
    [("Thrust / weight", True), ("Gewicht / Weight", False), ("Batch / mass (g)", False), ("Mass ±", True)],
)
def test_ratios_to_a_mass_are_other_numbers(heading: str, is_other: bool) -> None:
    assert is_non_mass_heading(heading) == is_other


def test_a_point_before_three_digits_next_to_decimal_commas_is_an_error(tmp_path: Path) -> None:
    bom = _read(tmp_path, "name;mass\na;1,5\nb;1.500\nc;2,25\n")
    assert {one.rule for one in bom.findings if one.severity.value == "error"} == {"MP205"}


def test_a_column_of_many_parents_is_no_column_of_statuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows of all parts of a long table are looked at: the first ones have few parents."""
    monkeypatch.setattr(excluded_rows, "_MOST_STATUSES", 20)
    rows = "".join(f"p{k},{'a' if k < 60 else f'a{k}'},{1 + k}\n" for k in range(400))
    counted = []
    monkeypatch.setattr(excluded_rows, "_excluding_flags", lambda name, distinct: counted.append(name) or set())
    _read(tmp_path, f"name,remarks of many,mass\n{rows}")
    assert "remarks of many" not in counted


def test_columns_of_uses_are_offered_for_a_layout_that_needs_them(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "uses.csv"
    path.write_text("what,where,mass\nAxle,Car,\nWheel,Axle,2\nWheel,Car,2\n")
    assert "--map child=what --map parent=where" in massprops("rollup", path, "--layout", "edges").output
    assert "omit --layout dotted" in massprops("rollup", path, "--layout", "dotted").output
