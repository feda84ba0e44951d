"""Rows of lists that may be parts or figures: the totals of the table decide, or the table is ambiguous."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.checks.totals import reconcile_totals


def list_of(*rows: tuple[str, float | str], **options: object) -> Bom:
    return Bom.from_records([{"component": name, "mass_kg": str(mass)} for name, mass in rows], **options)


def root_mass(bom: Bom) -> float:
    return float(mp.rollup(bom).root.mass or 0.0)


def requested(bom: Bom) -> list[str]:
    return [str(f.value) for f in bom.findings if f.rule == "MP257"]


WET = [("Fuel", 60), ("Wet mass", 240)]
PARTS = [("HGA", 8.5), ("{}", 0.6), ("LGA", 0.3)]


@pytest.mark.parametrize(
    "word", ["MGA", "Reserve", "Contingency", "Margin", "Limit", "Réserve", "Zuschlag", "Margen", "Riserva", "Marginal"]
)
@pytest.mark.parametrize("more", [[], [("Waveguide", 2.25), ("Horn", 0.125)]])
def test_a_part_that_a_total_counts_is_one(word: str, more: list[tuple[str, float]]) -> None:
    rows = [(name.format(word), mass) for name, mass in [*PARTS, *more]]
    total = sum(mass for _, mass in rows)
    bom = list_of(*rows, ("Total", f"{total:.12g}"))
    assert root_mass(bom) == pytest.approx(total)
    assert "MP282" in {f.rule for f in bom.findings}


def test_an_abbreviation_right_above_the_total_is_ambiguous() -> None:
    bom = list_of(("HGA", 8.5), ("LGA", 0.3), ("MGA", 0.6), ("Total", 9.4))
    assert requested(bom) == ["MGA"]
    rows = ("HGA", 8.5), ("LGA", 0.3), ("MGA", 0.6), ("Total", 9.4)
    assert root_mass(list_of(*rows, count_rows="MGA")) == pytest.approx(9.4)
    assert root_mass(list_of(*rows, skip_rows="MGA")) == pytest.approx(8.8)


@pytest.mark.parametrize(
    ("rows", "mass", "agreeing"),
    [
        ([("Frame", 12), ("Reserve", 5), ("Radio", 3), ("Mast", 3), ("Total", 23)], 23, 1),
        ([("Frame", 12), ("Radio", 3), ("Mast", 8), ("Total", 23), ("Reserve", 5), ("Total with reserve", 28)], 23, 2),
        ([("Hull", 120), ("Outfit", 15), ("Sum", 135), ("Margin 4 %", 5.4), ("Lightship incl. margin", 140.4)], 135, 2),
        ([("Camera", 3), ("Optics", 2), ("Limit", 6), ("Battery", 2), ("Panel", 4)], 11, 0),
        ([("a", "0.3"), ("b", "0.3"), ("c", "0.3"), ("Total", "1.0")], 0.9, 1),
        ([("Structure", 30), ("Dry mass", 30), ("Propellant", 5), ("Wet mass", 35)], 35, 2),
        ([("Hull", 100), ("Engine", 50), ("Water", 30), ("Lightship", 150), ("Full load", 180)], 180, 1),
        # margins that follow a sum, or are inside one, are growth in every total below
        (
            [("Hull", 100), ("Bus", 50), ("Dry mass", 150), ("Margin 20 %", 30), ("Total with margin", 180), *WET],
            210,
            3,
        ),
        (
            [
                ("a", 100),
                ("Margin 20 %", 20),
                ("Subtotal", 120),
                ("b", 50),
                ("Margin 10 %", 5),
                ("Subtotal", 55),
                ("Total", 175),
            ],
            150,
            3,
        ),
    ],
)
def test_readings_that_totals_decide(rows: list[tuple[str, float]], mass: float, agreeing: int) -> None:
    bom = list_of(*rows)
    assert root_mass(bom) == pytest.approx(mass)
    assert sum(one.agrees for one in reconcile_totals(bom)) == agreeing


@pytest.mark.parametrize("rows", [[("Camera", 3), ("Reserve", 6), ("Panel", 4)], [("a", 1), ("b", 2), ("Margin", 3)]])
def test_a_margin_that_no_total_decides_is_ambiguous(rows: list[tuple[str, float]]) -> None:
    (label,) = requested(list_of(*rows))
    everything = sum(mass for _, mass in rows)
    assert root_mass(list_of(*rows, count_rows=label)) == everything
    assert root_mass(list_of(*rows, skip_rows=label)) == everything - dict(rows)[label]


@pytest.mark.parametrize("name", ["Combined", "Widget and part"])
def test_a_last_row_that_is_the_sum_of_two_with_four_digits_is_ambiguous(name: str) -> None:
    assert requested(list_of(("Widget", "57.83"), ("2nd Part", "16.80"), (name, "74.63"))) == [name]


def test_a_word_for_both_makes_a_small_sum_a_question() -> None:
    assert requested(list_of(("a", 1), ("b", 2), ("Both", 3))) == ["Both"]
    assert root_mass(list_of(("a", 1), ("b", 2), ("c", 3))) == 6


def test_a_centre_that_fits_makes_a_small_sum_a_question() -> None:
    names = ("component", "mass_kg", "Cx", "Cy", "Cz")

    def rows(last: tuple[object, ...]) -> list[dict[str, object]]:
        return [dict(zip(names, row, strict=True)) for row in (("a", 1, 0, 0, 0), ("b", 2, 3, 0, 1.5), last)]

    assert requested(Bom.from_records(rows(("c", 3, 2, 0, 1.0)))) == ["c"]
    assert root_mass(Bom.from_records(rows(("c", 3, 5, 0, 1)))) == 6


def test_sums_in_sums_are_found_by_their_numbers() -> None:
    # 7.3 + 2.1 + 1.4 = 10.8, 10.8 + 0.55 = 11.35: each alone could be chance
    rows = [("Wing", "7.30"), ("Fuselage", "2.10"), ("Fin", "1.40"), ("Airframe", "10.80"), ("Battery", "0.55")]
    assert requested(list_of(*rows)) == ["Airframe"]
    assert root_mass(list_of(*rows, ("Rover", "11.35"))) == pytest.approx(11.35)


def test_a_sum_of_two_in_the_middle_of_a_list_is_a_question() -> None:
    rows = [("Wing left", "410.2"), ("Wing right", "412.1"), ("Wings", "822.3"), ("Tail", "95.4")]
    assert requested(list_of(*rows)) == ["Wings"]
    assert root_mass(list_of(*rows, skip_rows=("Wings",))) == pytest.approx(917.7)
    assert root_mass(list_of(*rows, count_rows=("Wings",))) == pytest.approx(1740)


def test_a_number_that_chance_makes_a_sum_is_a_part() -> None:
    rows = [(f"part {k}", mass) for k, mass in enumerate((12, 31, 43, 18, 25, 16, 41, 77, 9, 34))]
    assert requested(list_of(*rows)) == []  # 12 + 31 = 43 and 25 + 16 = 41
    assert root_mass(list_of(*rows)) == 306


def test_several_pieces_are_not_a_sum() -> None:
    rows = [("Axle", "10.25", "1"), ("Hub", "5.50", "1"), ("Wheel", "15.75", "4")]
    bom = Bom.from_records([dict(zip(("component", "mass_kg", "qty"), row, strict=True)) for row in rows])
    assert requested(bom) == []
    assert root_mass(bom) == pytest.approx(78.75)


BUILD = [
    ("Frame", "Structure", "12"),
    ("Deck", "Structure", "27.2"),
    ("Fridge", "Appliances", "40.6"),
    ("", "", ""),
    ("Structure subtotal", "", "39.2"),
    ("Appliances subtotal", "", "40.6"),
    ("BUILD TOTAL (added)", "", "79.8"),
    ("NET added vs stock", "", "79.8"),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_sums_without_the_cells_of_parts(order: tuple[int, ...]) -> None:
    rows = [*(BUILD[k] for k in order), *BUILD[3:]]
    bom = Bom.from_records([dict(zip(("Component", "Category", "Weight (lb)"), row, strict=True)) for row in rows])
    assert root_mass(bom) == pytest.approx(79.8)
    assert [one.verdict for one in reconcile_totals(bom)] == ["agrees"] * 4


@pytest.mark.parametrize("last", ["Spacecraft", "Raumfahrzeug", "Vaisseau"])
def test_a_last_row_with_its_number_in_the_other_column_is_a_sum(last: str) -> None:
    names = ("Item", "Qty", "Mass each [kg]", "Mass [kg]", "Cx [m]", "Cy [m]", "Cz [m]")
    rows = [("A", 2, 1, 2, 1, 0, 0), ("B", 1, 3, 3, 2, 0, 0), (last, "", "", 5, "", "", "")]
    result = mp.rollup(Bom.from_records([dict(zip(names, row, strict=True)) for row in rows]))
    assert result.root.mass == 5
    assert result.root.center is not None
    assert result.root.center.tolist() == pytest.approx([1.6, 0, 0])


def test_rows_below_a_total_of_all_parts_are_ambiguous() -> None:
    rows = [("Coach", 7120), ("Water", 255), ("Crew", 480), ("Total", 7855), ("GVWR", 8550), ("Capacity left", 695)]
    bom = list_of(*rows)
    assert requested(bom) == ["Capacity left"]
    assert root_mass(list_of(*rows, skip_rows="Capacity left")) == 7855
    assert root_mass(list_of(*rows, count_rows="Capacity left")) == 7855 + 695


def test_rows_below_a_total_that_a_later_one_counts_are_parts() -> None:
    rows = [("Coach", 7120), ("Water", 255), ("Total", 7375), ("Crew", 480), ("Grand total", 7855)]
    assert root_mass(list_of(*rows)) == 7855


def test_a_contradicted_total_is_written_and_fails(tmp_path: Path, massprops) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Component,Weight,Qty,Total Weight\nWheel,2,1,2\nBody,10,1,10\n,,,\nTOTAL WEIGHT:,,,99\n")
    result = massprops("rollup", path, "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "TOTAL WEIGHT: differs from the sum of all rows above: 99 (computed: 12)" in " ".join(result.stdout.split())
    assert (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "text",
    [
        "Level,Name,Mass (kg)\n1,Bus,17\n2,Panel,10\n2,Frame,7\n1,Payload,3\n2,Camera,3\n1,Total,20\n",
        "id,parent,mass\nCar,,\nBus,Car,17\nPayload,Car,3\nTotal,Car,20\n",
        "WBS,Element,Mass (kg)\n1,Bus,\n1.1,Panel,17\n2,Payload,\n2.1,Camera,3\n3,Total,20\n",
    ],
)
def test_a_total_with_a_place_in_the_tree_is_ambiguous(text: str) -> None:
    rows = [line.split(",") for line in text.strip().split("\n")]
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert requested(Bom.from_records(records)) == ["Total"]
    assert root_mass(Bom.from_records(records, skip_rows="Total")) == 20
    assert root_mass(Bom.from_records(records, count_rows="Total")) == 40


def test_dotted_numbers_next_to_items_make_the_tree() -> None:
    text = "No.,Item,Mass (kg)\n1,Bus,16\n1.1,Panel,10\n1.2,Frame,6\n2,Payload,3\n2.1,Camera,3\n"
    rows = [line.split(",") for line in text.strip().split("\n")]
    assert root_mass(Bom.from_records([dict(zip(rows[0], row, strict=True)) for row in rows[1:]])) == 19


def test_rows_are_named_by_their_number() -> None:
    rows = [("Camera", 3), ("Reserve", 6), ("Panel", 4), ("Reserve", 2)]
    bom = list_of(*rows)
    remedy = next(f.remedy for f in bom.findings if f.rule == "MP257")
    assert "row:3" in remedy
    assert root_mass(list_of(*rows, count_rows=("row:3",), skip_rows=("row:5",))) == 13


def test_a_first_row_that_is_loaded_on_is_a_part() -> None:
    assert root_mass(list_of(("Empty weight", 1100), ("Crew", 180), ("Fuel", 36))) == 1316
    assert requested(list_of(("Empty weight", 216), ("Crew", 180), ("Fuel", 36))) == ["Empty weight"]


def test_a_total_stated_again_with_its_reserve_is_not_a_part() -> None:
    parts = [("Servos", 210), ("Frame", 140), ("Battery", 95)]
    rows = [*parts, ("Parts subtotal", 445), ("Growth reserve", 60), ("Planning envelope", 505), ("Gap to 520", 15)]
    assert requested(list_of(*rows)) == ["Gap to 520"]
    assert root_mass(list_of(*rows, skip_rows="Gap to 520")) == 445


@pytest.mark.parametrize("n", [1, 2])
def test_a_table_without_masses_has_no_roles(n: int) -> None:
    bom = Bom.from_records(
        [{"component": f"Total {k}", "price": "3"} for k in range(n)] + [{"component": "a", "Cx": "1"}]
    )
    assert not requested(bom)


def test_more_margins_than_are_tried_together() -> None:
    rows = [(f"p{k}", 10 + k) for k in range(9)]
    mixed = [row for k, part in enumerate(rows) for row in (part, ("Margin", 1 + k / 8))]
    total = sum(mass for _, mass in mixed)
    assert root_mass(list_of(*mixed, ("Wheel", 7), ("Total", f"{total + 7:.12g}"))) == pytest.approx(total + 7)


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Left 2;Right 3", 5),
        ("Beam 4;Left 2;Right 3", 9),
        ("Left 2;Beam 4", 6),
        ("Left 2;Right 3;Total 5", 5),
        # what is left of a limit: 20 - 12
        ("Frame 5;Hull 7;Total 12;Limit 20;Left 8", 12),
    ],
)
def test_part_named_by_its_side_is_a_part(rows: str, mass: float) -> None:
    cells = [text.rpartition(" ") for text in rows.split(";")]
    bom = Bom.from_records([{"item": name, "mass [kg]": number} for name, _, number in cells])
    assert "MP257" not in [finding.rule for finding in bom.findings]
    assert root_mass(bom) == mass


GROUPS = """Name,Mass (kg)
Structure,
Panel,3.89
,{}
Power,
Battery,5.2
Array,2.5
,7.7
,11.59
"""


def test_a_nameless_sum_may_close_a_group_of_one_part() -> None:
    bom = mp.read_bom(io.BytesIO(GROUPS.format("3.89").encode()), format="csv")
    result = mp.rollup(bom)
    # 3.89 + 5.2 + 2.5: the three rows without a name are sums of what is above them
    assert root_mass(bom) == pytest.approx(11.59)
    assert result["Structure"].mass == pytest.approx(3.89)
    assert result["Power"].mass == pytest.approx(7.7)


def test_a_nameless_row_that_is_no_sum_is_not_lost() -> None:
    with pytest.raises(mp.TableError, match="MP257"):
        mp.read_bom(io.BytesIO(GROUPS.format("3.5").encode()), format="csv")
