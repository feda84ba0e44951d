"""Columns, headings and words that are about something other than masses and counts, and those that are about them."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.checks.totals import reconcile_totals
from massprops_cli.tables.columns.mass_headings import has_other_unit

MASSES = {"Motor": 1.25, "Rail": 2.5, "Cover": 5.75, "Beam": 3.3}


def _list(heading: str, cells: list[str]) -> str:
    rows = (f"{name},{mass},{cell}" for (name, mass), cell in zip(MASSES.items(), cells, strict=True))
    return "\n".join([f"Part,Mass (kg),{heading}", *rows, ""])


def _rolled(tmp_path: Path, text: str, name: str = "list.csv") -> mp.Result:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return mp.rollup(path)


UNITS = ("mAh", "W", "kWh", "J", "keV", "Hz", "rpm", "Nm", "Pa", "K", "degC", "m/s", "mm", "m²", "ml", "EUR", "hours")
FORMS = ["{0} ({1})", "{0} [{1}]", "{0}, {1}", "{0}/{1}"]
WORDS = [
    "power_w",
    "temp_k",
    "cell_mAh",
    "margin_wh",
    "Foo mAh",
    "total mAh",
    "Specific power W/kg",
    "Offset (in, to port)",
]


@pytest.mark.parametrize("heading", [*(form.format("margin", unit) for form in FORMS for unit in UNITS), *WORDS])
def test_units_of_other_quantities_make_no_counts_and_no_growth(heading: str, tmp_path: Path) -> None:
    assert has_other_unit(heading)
    quoted = f'"{heading}"' if "," in heading else heading
    assert _rolled(tmp_path, _list(quoted, ["12", "1", "40", "7"])).root.mass == pytest.approx(12.8)


@pytest.mark.parametrize(
    "heading", ["Mass A", "qty_a", "Config C", "mass_kg", "Weight g", "Mass, t", "kg/pc", "Built in"]
)
def test_variants_and_masses_have_no_other_unit(heading: str) -> None:
    assert not has_other_unit(heading) or heading == "Built in"


def test_a_column_without_a_word_counts_if_few_of_some_part_are_there(tmp_path: Path) -> None:
    assert _rolled(tmp_path, _list("alto", ["36", "37", "40", "31"])).root.mass == pytest.approx(12.8)
    for cells, heading in ((["4", "24", "2", "2"], "num_per_sat"), (["40", "30", "20", "20"], "gab"), (["28"] * 4, "")):
        with pytest.raises((mp.TableError, mp.FindingsError)) as caught:
            _rolled(tmp_path, _list(heading, cells))
        assert [one.rule for one in caught.value.findings] == ["MP253"]


def test_the_way_without_a_count_is_offered_next_to_many_columns(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("part,mass_g,eins,zwei,drei,vier\na,10,1,2,3,1\nb,20,2,1,1,4\nc,30,3,3,2,1\n", encoding="utf-8")
    assert "total 60 g: " in massprops("rollup", path).output


CENTRES = ["center_{}", "{} centroid", "mass center {}", "Barycentre {}", "Centre {}", "{} center of mass"]


@pytest.mark.parametrize(("form", "unit"), [*product(CENTRES, ["_mm", " (mm)", "/mm"])])
def test_words_for_centres_name_coordinates(form: str, unit: str, tmp_path: Path) -> None:
    heads = ",".join(form.format(axis) + unit for axis in "xyz")
    root = _rolled(tmp_path, f"part,mass_kg,{heads}\na,1,10,0,0\nb,3,20,4,8\n").root
    assert root.units[1] == "mm"
    assert root.center.tolist() == [17.5, 3.0, 6.0]


INERTIAS = ["MOI {}", "Moment of inertia {}", "inertia_tensor_{}", "MoI_CoM_{}", "I_cg_{}", "Trägheitsmoment {}"]


@pytest.mark.parametrize("form", INERTIAS)
def test_words_for_inertia_name_entries(form: str, tmp_path: Path) -> None:
    heads = ",".join(form.format(axes) for axes in ("xx", "yy", "zz"))
    text = f"part,mass,cg_x,cg_y,cg_z,{heads}\na,1,0,0,0,1,2,2.5\nb,1,2,0,0,1,1,1\n"
    inertia = _rolled(tmp_path, text).root.inertia
    assert inertia is not None
    assert inertia.diagonal().tolist() == [2.0, 5.0, 5.5]  # 1 + 1, and 2 · 1 · 1² of each part for y and z


def test_a_word_of_sums_behind_a_name_decides_nothing(tmp_path: Path, massprops: Any) -> None:
    head = "Item Name,desc,qty,weight,unit\nTent,Tarptent,1,564,g\n"
    for text in ("14 TOTAL 4 x Shepherd 8 x Easton", "Mittelwert"):
        assert _rolled(tmp_path, f"{head}Pegs,{text},1,157,g\n").root.mass == 721
    assert _rolled(tmp_path, f"{head}Basket,Subtotal rack parts,1,157,g\n").root.mass == 721
    with pytest.raises((mp.TableError, mp.FindingsError)):  # no word in the name
        _rolled(tmp_path, "name,remark,mass\nA1,frame,5.25\nA2,motor,7.5\nA3,Total bus,14\n")
    path = tmp_path / "list.csv"
    path.write_text("name,mass_g\na,5\nb,7\nTotal motor,3\n", encoding="utf-8")
    shown = massprops("rollup", path).output
    assert ("MP257" in shown, "MP316" in shown) == (True, False)  # once is enough
    assert '"mass": 15' in massprops("rollup", path, "--count-row", "Total motor", "--format", "json").output


def test_a_total_of_one_part_is_a_part_where_another_total_shows_it(tmp_path: Path) -> None:
    rows = "Component,Mass [kg]\nplatform,1000\ntower,200\nblades_total (3 blades),54\n"
    assert _rolled(tmp_path, f"{rows}combined,1254\n").root.mass == 1254
    for last in ("combined,1260\n", "combined,1250\n"):
        with pytest.raises((mp.TableError, mp.FindingsError)):
            _rolled(tmp_path, rows + last)


def test_a_name_for_all_parts_next_to_nearly_their_sum_is_a_question(tmp_path: Path) -> None:
    rows = "Component,Mass [kg]\nplatform,13470000\ntower,249700\nhub,56780\n"
    with pytest.raises((mp.TableError, mp.FindingsError)) as caught:
        _rolled(tmp_path, f"{rows}combined,13780000\n")
    assert [one.rule for one in caught.value.findings] == ["MP257"]
    assert _rolled(tmp_path, f"{rows}pontoon,13780000\n").root.mass == 27556480


def test_a_sum_of_the_last_rows_is_compared_with_them(tmp_path: Path) -> None:
    rows = ("lss,157.34,1", "rotor,1303.5,2", "stator,2384.9,2", "generator,3688.4,2", "hvac,93.81,3")
    text = "name,mass,x,y,z\n" + "".join(f"{row},0,0\n" for row in rows)
    result = _rolled(tmp_path, text)
    assert result.root.mass == pytest.approx(157.34 + 1303.5 + 2384.9 + 93.81)
    assert not [one for one in result.findings if one.rule == "MP413"]


def test_items_with_words_are_names_next_to_descriptions(tmp_path: Path) -> None:
    text = "weight_g, item, description\n402, tires, 700 x 38\n163, tube, Continental\n29, stove,\n58, skewer, tires\n"
    bom = mp.read_bom(tmp_path / "list.csv") if (tmp_path / "list.csv").write_text(text) else None
    assert bom is not None
    assert sorted(bom.ids)[-4:] == ["skewer", "stove", "tires", "tube"]
    assert mp.rollup(bom).root.mass == 652


@pytest.mark.parametrize("name", ["Gear (each)", "Gear (ea.)", "Rad (je)", "Gear, each"])
def test_a_mass_of_one_of_several_pieces_is_a_question(name: str, tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f'part,mass_g\nFuselage,42\n"{name}",28\n', encoding="utf-8")
    caught = massprops("rollup", path)
    assert caught.exit_code == 1
    assert "MP253" in caught.output
    assert "add a column with the number of pieces" in caught.output
    assert '"mass": 70' in massprops("rollup", path, "--mass-is", "each", "--format", "json").output


def test_the_name_of_an_index_is_below_a_blank_header(tmp_path: Path) -> None:
    bom = mp.read_bom(_written(tmp_path, ",Mass,cg_x\nComponent,,\nrotor,10,1\nstator,20,2\n"))
    assert (len(bom), bom.columns.header[0]) == (3, "Component")
    group = mp.read_bom(_written(tmp_path, ",Mass,cg_x\nWing,,\nrib,10,1\nspar,20,2\n"))
    assert "Wing" in group.ids


def _written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "index.csv"
    path.write_text(text, encoding="utf-8")
    return path


CODED = "CI_Number,Parent_CI,Weight_kg,Drawing\nCI-53,AMPEL,,53-00\nCI-531,CI-53,3.5,53-10\nCI-534,CI-53,41.5,53-40\n"


def test_parents_in_columns_that_nothing_reads_are_a_question(tmp_path: Path) -> None:
    with pytest.raises(mp.TableError) as caught:
        _rolled(tmp_path, CODED)
    finding = caught.value.findings[0]
    assert (finding.rule, "--map id=CI_Number --map parent=Parent_CI" in finding.remedy) == ("MP316", True)
    assert _rolled(tmp_path, CODED.replace(",CI-53,", ",Smith,").replace(",,", ",9,")).root.mass == 54


def test_some_cells_that_others_have_too_are_no_parents(tmp_path: Path) -> None:
    rows = "".join(f"K-{k},{'K-1' if k in (2, 3) else f'bolt {k}'},{k}.5,D{k}\n" for k in range(1, 8))
    assert _rolled(tmp_path, f"Mark,Fixed by,Weight_kg,Drawing\n{rows}").root.mass == 31.5


def test_moments_are_no_codes_of_groups(tmp_path: Path) -> None:
    text = "Item,Weight (kg),Arm (m),Moment\nBattery,6.4,0.26,1.664\nSensors,,,0\nFuselage,0.9,0.25,0.225\n"
    bom = mp.read_bom(_written(tmp_path, text))
    assert sorted(bom.tree.parent.tolist()) == [-1, 3, 3, 3]
    assert "MP206" in {one.rule for one in bom.findings}


def test_a_share_of_growth_and_its_predicted_mass_agree(tmp_path: Path) -> None:
    text = "component,cbe_kg,mga_frac,predicted_kg\nwheel,10.0,0.25,12.5\nchassis,70.0,0.2,84.0\n"
    result = _rolled(tmp_path, text)
    assert result.root.mass == 80
    assert result.bom.growth is not None
    assert sorted(result.bom.growth[:2].tolist()) == pytest.approx([0.2, 0.25])


def test_a_total_of_everything_is_compared_with_everything(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    rows = "Hip,20\nKnee,25\nLeg total,45\n2 legs,90\nBody,100\n"
    path.write_text(f"Part,Mass (g)\n{rows}Grand total,190\n", encoding="utf-8")
    assert massprops("rollup", path).exit_code == 1


def test_a_total_of_one_section_is_compared_with_it(tmp_path: Path) -> None:
    rows = "Cable,5\nBox,3\nAvionics total,8\nPump,2\nValve,4\nGeneral equipment total,6\n"
    result = _rolled(tmp_path, f"Item,Mass (kg)\n{rows}")
    assert (result.root.mass, [one.rule for one in result.findings if one.rule == "MP415"]) == (14, [])


def test_an_instrument_that_is_called_a_total_is_offered_as_a_part(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (kg)\nTripod,5\nTotal station,7\nCase,3\n", encoding="utf-8")
    commands = massprops("rollup", path).output.partition("next: one of\n")[2].splitlines()
    assert [line.split(":")[0] for line in commands] == ["  total 8 kg, contradicts the stated total", "  total 15 kg"]


def test_no_command_counts_two_heavy_totals(tmp_path: Path, massprops: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (kg)\nBattery,0.63\nTotal phase 1,9.3\nTotal phase 2,11.6\n", encoding="utf-8")
    commands = massprops("rollup", path).output.partition("next: one of\n")[2].splitlines()
    assert commands[0].startswith("  total 0.63 kg")
    assert all("--skip-row" in line for line in commands)


def test_a_total_that_is_named_twice_is_no_part(tmp_path: Path) -> None:
    bom = mp.read_bom(_written(tmp_path, "Part,Mass (g)\nFrame,20\nRotor,7\nTOTAL AUW,60\n"))
    assert {one.rule for one in bom.findings if one.severity.value == "error"} == {"MP415"}
    assert mp.rollup(bom, keep_going=True).root.mass == 27
    first = mp.read_bom(_written(tmp_path, "Item,Mass (kg)\nTotal empty weight,100\nPilot,80\nFuel,50\n"))
    assert "MP415" not in {one.rule for one in first.findings}


def test_products_of_inertia_in_words_are_read_with_the_moments(tmp_path: Path) -> None:
    moments = ",".join(f"Moment of inertia I{axes}" for axes in ("xx", "yy", "zz"))
    products = ",".join(f"Product of inertia I{axes}" for axes in ("xy", "xz", "yz"))
    path = _written(tmp_path, f"part,mass,cg_x,cg_y,cg_z,{moments},{products}\na,10,0,0,0,500,400,600,30,7,5\n")
    inertia = mp.rollup(path, poi="-").root.inertia
    assert inertia is not None
    assert (inertia[0, 1], inertia[0, 2], inertia[1, 2]) == (30, 7, 5)


@pytest.mark.parametrize("heading", ["mass_s", "Mass, m", "mass_w", "qty_a"])
def test_one_letter_behind_a_mass_or_a_count_is_a_variant(heading: str) -> None:
    assert not has_other_unit(heading)


SENTENCES = [
    "Total: {0} g",
    "**Total weight:** {0} g (ready to fly)",
    "*Estimated total mass* ≈ {0} g",
    "- TOTAL = 12 + 14 = {0} g / 30 €",
    "Nominal flying total: ~{0} g",
    "Gesamtgewicht: {0} g",
    "> Masse totale : {0} g",
    "総質量：{0} g",
    "## Total\n\n30 €\n{0} g",
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("mass", [114.6, 158.4])  # as masses of rows, and of one piece
def test_a_total_in_a_line_of_text_decides(sentence: str, mass: float, tmp_path: Path) -> None:
    rows = "| Part | Qty | Mass (g) |\n|---|---|---|\n| Motors | 4 | 14.6 |\n| Frame | 1 | 40 |\n| Battery | 1 | 60 |\n"
    text = f"# Drone\n\n{rows}\n{sentence.format(mass)}\n\nMore text.\n"
    result = _rolled(tmp_path, text, "list.md")
    assert result.root.mass == pytest.approx(mass)
    assert [total.agrees for total in reconcile_totals(result.bom)] == [True]


@pytest.mark.parametrize(
    "sentence",
    [
        "Total per leg: 31 g",
        "Old total: 114.6 g",
        "Total printed: 114.6 g",
        "Total (without battery): 98 g",
        "The total is kept under 300 g.",
        "Total cost: 31 €",
        "Gesamtschub: 7 kg",
        "总推力：7 kg",
        "Total thrust = 7 kg",
        "Sum of lifts: 7 kg",
        "AUW = 98 g",
        "## Total mass\n\nkept under 300 g",
    ],
)
def test_a_total_of_something_else_decides_nothing(sentence: str, tmp_path: Path) -> None:
    rows = "| Part | Qty | Mass (g) |\n|---|---|---|\n| Motors | 4 | 14.6 |\n| Frame | 1 | 40 |\n| Battery | 1 | 60 |\n"
    result = _rolled(tmp_path, f"{rows}\n{sentence}\n", "list.md")
    assert result.root.mass == pytest.approx(158.4)
    assert not result.has_errors


@pytest.mark.parametrize("label", ["Total: 114.6 g", "Total mass ~114.6 g", "Total weight = 0.1146 kg", "TOTAL: 114.6"])
def test_the_number_in_the_label_of_a_total_is_compared(label: str, tmp_path: Path) -> None:
    text = f"Part,Qty,Mass (g)\nMotors,4,14.6\nFrame,1,40\nBattery,1,60\n{label}\n(ready to fly)\n"
    result = _rolled(tmp_path, text)
    assert result.root.mass == pytest.approx(114.6)
    assert [total.stated for total in reconcile_totals(result.bom)] == [pytest.approx(114.6)]
    wrong = _rolled(tmp_path, text.replace("114.6", "300").replace("0.1146", "0.3"))
    assert "MP415" in {finding.rule for finding in wrong.findings}


RANGES = [
    ("Best (g)", "Nominal (g)", "Worst (g)"),
    ("mass_low", "mass_nom", "mass_high"),
    ("Optimistic mass", "Likely mass", "Pessimistic mass"),
    ("lower kg", "kg", "upper kg"),
    ("Mass min (g)", "Mass likely (g)", "Mass max (g)"),
    ("Masa mínima (g)", "Masa (g)", "Masa máxima (g)"),
]


@pytest.mark.parametrize("headings", RANGES)
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_the_mass_is_between_its_best_and_worst(
    headings: tuple[str, ...], order: tuple[int, ...], tmp_path: Path
) -> None:
    rows = [headings, ("10", "12", "20"), ("30", "40", "45"), ("5", "5", "5")]
    names = ("Part", "Motor", "Frame", "Plate")
    text = "\n".join(",".join([name, *(row[k] for k in order)]) for name, row in zip(names, rows, strict=True))
    assert _rolled(tmp_path, text + "\n").root.mass == pytest.approx(57)


def test_masses_that_are_not_in_order_are_no_range(tmp_path: Path) -> None:
    text = "Part,Best (g),Nominal (g),Worst (g)\nMotor,10,12,20\nFrame,30,29,45\n"
    with pytest.raises((mp.TableError, mp.FindingsError)):
        _rolled(tmp_path, text)


@pytest.mark.parametrize(
    "label", ["Total", "TOTAL MASS", "Robot total", "Gesamtgewicht", "合计", "All parts", "Calculated total"]
)
def test_a_total_may_have_a_number_of_its_own(label: str, tmp_path: Path) -> None:
    rows = [f"{i},{name},{mass}" for i, (name, mass) in enumerate(MASSES.items(), 1)]
    text = "\n".join(["No.,Part,Mass (kg)", *rows, f"5,{label},12.8", ""])
    assert _rolled(tmp_path, text).root.mass == pytest.approx(12.8)
    with pytest.raises((mp.TableError, mp.FindingsError)):
        _rolled(tmp_path, text.replace("12.8", "13.1"))


@pytest.mark.parametrize("label", ["All parts", "Overall", "Everything", "GTOW"])
def test_words_for_everything_are_no_parts(label: str, tmp_path: Path) -> None:
    text = _list("Note", [""] * 4) + f"{label},12.8,\n"
    assert _rolled(tmp_path, text).root.mass == pytest.approx(12.8)
    with pytest.raises((mp.TableError, mp.FindingsError)):
        _rolled(tmp_path, text.replace("12.8", "13.1"))


ALTERNATIVES = [
    (
        'name,missions,mass_kg\nWing,"M1,M2,M3",0.4\nPack,"M1,M2,M3",0.3\nBox,M2,0.2\nBanner,M3,0.15\n',
        "M1, M2, M3",
        [0.7, 0.85, 0.9, 1.05],
    ),
    ('Item,Configuration,Mass (g)\nFrame,"A,B",500\nCamera,A,120\nLidar,B,300\n', "A, B", [620, 800, 920]),
    (
        'id,name,phase,mass_kg\n1,Bus,"cruise,orbit",200\n2,Tank,cruise,50\n3,Probe,cruise,30\n',
        "cruise, orbit",
        [200, 280],
    ),
    (
        "family,component,mass_kg\nSmall,core,500\nSmall,coil,150\nLarge,core,8000\nLarge,coil,3000\n",
        "Large, Small",
        [650, 11000, 11650],
    ),
    (
        "Model,Component,Weight (kg)\nB 22,Hull,900\nB 22,Mast,40\nB 28,Hull,1800\nB 28,Mast,65\n",
        "B 22, B 28",
        [940, 1865, 2805],
    ),
    ("vehicle,part,mass_kg\nA,wheel,12\nA,chassis,80\nB,wheel,10\nB,chassis,60\n", "A, B", [70, 92, 162]),
]


@pytest.mark.parametrize(("text", "shown", "masses"), ALTERNATIVES)
def test_rows_of_alternatives_are_a_question(text: str, shown: str, masses: list[float], tmp_path: Path) -> None:
    with pytest.raises((mp.TableError, mp.FindingsError)) as caught:
        _rolled(tmp_path, text)
    (finding,) = [one for one in caught.value.findings if one.rule == "MP253"]
    assert f"({shown})" in finding.message
    ways = [shlex.split(way)[3:] for way in re.split(r", or |, (?=massprops)", finding.remedy.removeprefix("run "))]
    found = []
    for way in ways:
        wheres = [condition for name, condition in pairwise(way) if name == "--where"]
        options = {"where": wheres} if wheres else {"ignore_columns": [way[1]]}
        found.append(mp.rollup(mp.read_bom(tmp_path / "list.csv", **options)).root.mass)
    assert sorted(found) == pytest.approx(masses)


@pytest.mark.parametrize(
    "text",
    [
        'Part,Material,Mass (kg)\nWing,"Al, steel",0.4\nBox,Al,0.2\nBeam,steel,0.4\n',  # no heading of alternatives
        'Part,Missions,Mass (kg)\nWing,"M1,M2",0.4\nBox,"M1,M2",0.2\nBeam,"M1,M2",0.4\n',  # all in each
        "Wing,Part,Mass (kg)\nLeft,rib,0.1\nLeft,spar,0.4\nRight,rib,0.1\nRight,spar,0.4\n",
        "Model,Part,Mass (kg)\nX1,rib,0.1\nX1,spar,0.4\nY7,motor,0.1\nY7,rotor,0.4\n",  # models of different parts
    ],
)
def test_rows_of_one_product_are_no_alternatives(text: str, tmp_path: Path) -> None:
    assert _rolled(tmp_path, text).root.mass == pytest.approx(1)


def test_the_numbers_of_rows_are_no_codes_of_groups(tmp_path: Path) -> None:
    masses = [5, 4, 3, 5, 2, 1, 3, 8, 6, 50, 25, 25]  # the tenth is the sum of the last two
    for numbers in (range(1, 13), range(71, 83), [1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14]):
        rows = [f"{k},Part {chr(65 + i)},{m}" for i, (k, m) in enumerate(zip(numbers, masses, strict=True))]
        assert _rolled(tmp_path, "\n".join(["No,Item,Mass (g)", *rows, ""])).root.mass == sum(masses)
