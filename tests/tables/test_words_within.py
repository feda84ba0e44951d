"""Units and words within headings, cells, names and documents, and what stands next to a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import massprops_cli as mp
from massprops_cli.bom.checks.totals import reconcile_totals

HEADINGS = [
    ("mass_g_each", "g"),
    ("carried_weight_oz_each", "oz"),
    ("Mass (g) est", "g"),
    ("Weight (lb) actual", "lb"),
    ("Mass [kg] CBE", "kg"),
    ("mass kg per piece", "kg"),
    ("wt_g_ea", "g"),
]


def _rolled(tmp_path: Path, text: str, name: str = "list.csv", **options: object) -> mp.Result:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return mp.rollup(mp.read_bom(path, **options))


@pytest.mark.parametrize(("heading", "unit"), HEADINGS)
def test_a_unit_is_read_in_front_of_a_further_word(heading: str, unit: str, tmp_path: Path) -> None:
    result = _rolled(tmp_path, f"item,quantity,{heading}\nDeck,1,40\nServo,2,9\n")
    assert (result.root.mass, result.bom.units.mass) == (58, unit)


def test_masses_in_two_units_are_added_in_one(tmp_path: Path) -> None:
    result = _rolled(tmp_path, "item,quantity,mass_kg_each,mass_g\nA,1,1,\nB,2,,500\n")
    assert (result.root.mass, result.bom.units.mass) == (2, "kg")


@pytest.mark.parametrize("heading", ["static_margin", "stability_margin_pct", "profit_margin_pct", "Link margin %"])
def test_margins_of_something_else_are_no_growth(heading: str, tmp_path: Path) -> None:
    result = _rolled(tmp_path, f"item,mass_kg,{heading}\nWing,2.8,12\nTail,3.0,40\n")
    assert result.root.mass == pytest.approx(5.8)
    assert result.predicted is None or result.predicted.bodies.mass.max() == pytest.approx(5.8)


@pytest.mark.parametrize("words", ["counted in tail budget", "counted under electrical", "budgeted under tail"])
def test_a_row_that_is_counted_elsewhere_is_not_added_below_a_subtotal(words: str, tmp_path: Path) -> None:
    rows = f"| Hull | 40 |\n| Deck | 20 |\n| **Subtotal** | **60** |\n| Fin ({words}) | 12 |\n"
    assert _rolled(tmp_path, f"| Part | Mass (kg) |\n|---|---|\n{rows}", "list.md").root.mass == 60


@pytest.mark.parametrize("key", ["base", "1"])
def test_a_list_of_json_is_chosen_by_its_key(key: str, tmp_path: Path) -> None:
    base = [{"name": "Bike", "grams": 9000}, {"name": "Water", "grams": 1500}]
    text = json.dumps({"base": base, "bags": [{"name": "Saddle bag", "grams": 400}]})
    assert _rolled(tmp_path, text, "list.json", sheet=key).root.mass == 10_500
    with pytest.raises(mp.TableError) as caught:
        _rolled(tmp_path, text, "list.json")
    assert caught.value.findings[-1].remedy == "pass --sheet base or --sheet bags"
    with pytest.raises(mp.TableError, match="of the name nose"):
        _rolled(tmp_path, text, "list.json", sheet="nose")
    with pytest.raises(mp.TableError, match="no lists with names"):
        _rolled(tmp_path, json.dumps(base), "list.json", sheet="base")


WITH_QUANTITIES = """| Item | Qty | Unit g | Total g |
|---|---|---|---|
| Frame | 1 | 1,200 | 1,200 |
| Motors | 8 | 135 | 1,080 |
| **All-up weight** | | | **2,280** |
"""


@pytest.mark.parametrize(
    "below", ["", "\n| Case | Thrust | Ratio |\n|---|---|---|\n| All 8 rotors | 24.2 kgf | 2.52 |\n"]
)
def test_row_totals_show_the_decimal_mark_whatever_is_below(below: str, tmp_path: Path) -> None:
    assert _rolled(tmp_path, WITH_QUANTITIES + below, "list.md").root.mass == 2280


@pytest.mark.parametrize("label", ["Crew allowance", "Gasket and adhesive allowance"])
def test_a_small_allowance_of_something_is_a_part(label: str, tmp_path: Path) -> None:
    assert _rolled(tmp_path, f"Item,Weight (kg)\nHull,1200\nEngine,300\n{label},160\n").root.mass == 1660


def test_temperatures_show_no_sums(tmp_path: Path) -> None:
    for bracket, total in ((3.0, 8), (4.5, 9.5)):
        rows = f"battery,1.5,-10\navionics,1.0,-20\npayload,2.0,-10\nbracket,{bracket},-40\nradiator,0.5,-100\n"
        assert _rolled(tmp_path, f"name,mass_kg,t_min_c\n{rows}").root.mass == total


def test_a_margin_that_the_total_includes_is_no_part(tmp_path: Path) -> None:
    rows = "Motor,1.25\nRail,2.5\nCover,5.75\nBeam,3.3\n"
    assert _rolled(tmp_path, f"Part,Mass (kg)\n{rows}Margin,1.28\nTotal,14.08\n").root.mass == pytest.approx(12.8)


def test_numbers_that_only_grow_count_nothing(tmp_path: Path) -> None:
    rows = [f"{2 * k + 3},{name},{k + 1}" for k, name in enumerate(("Hub", "Rim", "Spoke", "Tyre", "Tube", "Valve"))]
    assert _rolled(tmp_path, "\n".join(["Fig,Part,Mass (kg)", *rows, ""])).root.mass == 21


@pytest.mark.parametrize("cell", ["~900 lbs (408 kg) [ASSUMED]", "900 lbs (dry) (est)", "900 lbs (408 kg)"])
def test_a_number_may_have_two_remarks(cell: str, tmp_path: Path) -> None:
    assert _rolled(tmp_path, f"Part,Weight\nFrame,3750 lbs\nFinish,{cell}\n").root.mass == 4650


@pytest.mark.parametrize(("heading", "unit"), [("Peso", "gr"), ("Poids", "Gr."), ("Gewicht", "gr")])
def test_gr_is_a_gram_next_to_words_of_languages_with_decimal_commas(heading: str, unit: str, tmp_path: Path) -> None:
    result = _rolled(tmp_path, f"Item;{heading}\nMotor;12 {unit}\nAla;30 {unit}\n")
    assert (result.root.mass, result.bom.units.mass) == (42, "g")
    with pytest.raises((mp.TableError, mp.FindingsError)):
        _rolled(tmp_path, f"Item,Weight\nMotor,12 {unit}\nAla,30 {unit}\n")


def test_lengths_in_two_columns_are_no_hierarchy(tmp_path: Path) -> None:
    rows = "| Plate A | 10 mm | 20 mm | 5 |\n| Plate B | 20 mm | 40 mm | 9 |\n| Plate C | 15 mm | 10 mm | 7 |\n"
    head = "| Part | Length | Width | Mass (g) |\n|---|---|---|---|\n"
    assert _rolled(tmp_path, head + rows, "list.md").root.mass == 21
    inches = rows.replace(" mm", '"')
    assert _rolled(tmp_path, head + inches, "list.md").root.mass == 21


def test_two_neighbours_may_have_the_mass_of_the_next_part(tmp_path: Path) -> None:
    rows = "battery,1.5,steady\navionics,1.0,steady\npayload,2.0,cycle\nframe,3.0,none\nradiator,0.5,steady\n"
    assert _rolled(tmp_path, f"name,mass_kg,duty\n{rows}").root.mass == 8


def test_a_limit_alone_is_the_part_of_no_sum(tmp_path: Path) -> None:
    rows = "Part,Mass (g)\nArm,200\nHub,550\nTotal,750\nLimit,900\nPrevious total,900\n"
    assert _rolled(tmp_path, rows).root.mass == 750


def test_a_part_with_a_quantity_may_be_called_subtotal(tmp_path: Path) -> None:
    rows = "Part,Qty,Mass (g)\nCase,1,420\nSubtotal display,2,60.5\nKey,16,1.5\n"
    with pytest.raises((mp.TableError, mp.FindingsError)):
        _rolled(tmp_path, rows)
    assert _rolled(tmp_path, rows, count_rows="Subtotal display").root.mass == 565


def test_a_number_under_the_masses_is_that_of_the_total_and_not_one_in_its_label(tmp_path: Path) -> None:
    result = _rolled(tmp_path, "Part,Mass (kg)\nA,1.5\nB,2.5\nTotal: 9 kg,4.0\n")
    assert [total.stated for total in reconcile_totals(result.bom)] == [4]


def test_what_a_limit_leaves_of_the_parts_is_a_question_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass (g)\nArm,200\nHub,550\nLimit,900\nSpare,150\n", encoding="utf-8")
    assert "MP257" in [one.rule for one in mp.read_bom(path).findings]


def test_subtotals_count_the_pieces_above_them(tmp_path: Path) -> None:
    rows = "A,2,10,20\nB,3,20,60\nSubtotal structure,5,,80\nC,1,7,7\nD,4,2,8\nSubtotal power,5,,15\nTotal,10,,95\n"
    assert _rolled(tmp_path, f"Part,Qty,Unit (g),Total (g)\n{rows}").root.mass == 95
    assert _rolled(tmp_path, "Part,Qty,Mass (g)\nA,1,10\nB,1,20\nSubtotal structure,1,30\nC,1,7\n").root.mass == 37


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Variant", ("all", "Base", "Sport")),
        ("Valid for", ("both", "A", "B")),
        ("Trim level", ("all", "Lux", "Eco")),
        ("Part count", ("1", "4", "2")),
        ("Screw type count", ("1", "4", "2")),
    ],
)
def test_columns_that_choose_or_count_are_questions(heading: str, cells: tuple[str, ...], tmp_path: Path) -> None:
    rows = [
        f"{name},{mass},{cell}" for name, mass, cell in zip(("Frame", "Pack", "Bag"), (4, 3, 5), cells, strict=True)
    ]
    text = "\n".join([f"Part,Mass (g),{heading}", *rows, ""])
    if heading.startswith("Screw"):
        assert _rolled(tmp_path, text).root.mass == 12
        return
    with pytest.raises((mp.TableError, mp.FindingsError)) as caught:
        _rolled(tmp_path, text)
    assert [one.rule for one in caught.value.findings] == ["MP253"]


@pytest.mark.parametrize("heading", ["Mission", "Scenario", "Versione", "Edition"])
def test_repeated_parts_of_missions_are_a_question(heading: str, tmp_path: Path) -> None:
    rows = "Frame,420,LEO\nBattery,310,LEO\nFrame,440,GEO\nBattery,330,GEO\n"
    with pytest.raises((mp.TableError, mp.FindingsError)) as caught:
        _rolled(tmp_path, f"Part,Mass (g),{heading}\n{rows}")
    assert "MP253" in [one.rule for one in caught.value.findings]


@pytest.mark.parametrize("label", ["Noch frei", "What is left", "Grenze", "Must not exceed", "Plafond"])
def test_limits_and_rests_below_a_list_are_no_parts_without_a_question(label: str, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Mass (g)\nArm,200\nHub,550\n{label},900\n", encoding="utf-8")
    bom = mp.read_bom(path)
    assert "MP257" in [one.rule for one in bom.findings] or mp.rollup(bom).root.mass == 750
