"""What several columns of masses hold: found by relations between their numbers, not by their headings alone."""

from __future__ import annotations

import csv
import io

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom


def bom_of(text: str, **options: object) -> Bom:
    delimiter = ";" if ";" in text.split("\n", 1)[0] else ","
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    from massprops_cli.bom.bom import _table_options_from_keywords
    from massprops_cli.files.table import GridTable, TableSource

    return Bom.from_table(GridTable(TableSource("bom.csv", "csv"), rows), _table_options_from_keywords(options))


def basic_and_predicted(text: str, **options: object) -> tuple[float, float | None]:
    result = mp.rollup(bom_of(text, **options))
    root = result.root
    predicted = None if result.predicted is None else float(result.predicted.bodies.mass[result.bom.tree.order[0]])
    return float(root.mass or 0.0), predicted


ISSUE = """Component,Estimated Mass,Contingency,Total,Quantity,Line Contingency,Mass
Chassis,150,30,180,2,60,360
Magnetorquers,30,3,33,3,9,99
Batteries,60,0,60,1,0,60
"""


def test_contingency_is_a_mass_where_it_is_added() -> None:
    # 2·150 + 3·30 + 60 = 450; 2·180 + 3·33 + 60 = 519
    assert basic_and_predicted(ISSUE) == (450, pytest.approx(519))


@pytest.mark.parametrize("order", [(6, 5, 4, 3, 2, 1, 0), (3, 0, 6, 1, 4, 2, 5)])
def test_the_order_of_columns_does_not_matter(order: tuple[int, ...]) -> None:
    rows = [line.split(",") for line in ISSUE.strip().split("\n")]
    text = "\n".join(",".join(row[j] for j in order) for row in rows)
    assert basic_and_predicted(text) == (450, pytest.approx(519))


@pytest.mark.parametrize(
    ("text", "mass", "predicted"),
    [
        # totals of numbers that are shown rounded: 10 + 13.1 + 22.6, and 1.3 + 1.3 + 2.1 more
        ("Item,CBE (kg),Contingency (kg),Total (kg)\na,10.0,1.3,11.2\nb,13.1,1.3,14.4\nc,22.6,2.1,24.8\n", 45.7, 50.4),
        # 0.12 · 1.2 + 1.31 · 1.1 + 2.26 · 1.05 = 3.958
        ("Item,CBE (kg),Contingency (%),Total (kg)\na,0.12,20,0.15\nb,1.31,10,1.45\nc,2.26,5,2.37\n", 3.69, 3.958),
        # other words and languages: 2·4 + 3 = 11; growth 2·0.4 + 0.6 = 1.4
        ("Teil;Stück;Masse je Stück;Zuschlag;Masse mit Zuschlag\na;2;4;0,4;4,4\nb;1;3;0,6;3,6\n", 11, 12.4),
        ("Pièce,Qté,Masse unitaire,Masse totale\na,2,4,8\nb,3,1.5,4.5\n", 12.5, None),
        # the row total under the plain heading
        ("Item,Qty,Mass each [kg],Mass [kg]\na,2,4,8\nb,3,1.5,4.5\n", 12.5, None),
        ("Item,Qty,Total,Mass\na,2,4,8\nb,3,1.5,4.5\n", 12.5, None),
        # a share, of one piece and of the row
        (
            "Item,Qty,CBE unit (kg),CBE total (kg),DMM (%),Total incl. DMM (kg)\na,2,3,6,10,6.6\nb,1,2.5,2.5,5,2.625\n",
            8.5,
            9.225,
        ),
        # two shares that compound: 40·1.05·1.2 + 10·1.1·1.2 + 6·1.15·1.2 = 71.88
        (
            "Item,Basic (kg),Design margin (%),Project margin (%),MEV\na,40,5,20,50.4\nb,10,10,20,13.2\nc,6,15,20,8.28",
            56,
            71.88,
        ),
        # a factor
        ("Item,Net (t),Weight factor,Gross (t)\na,50,1.05,52.5\nb,6,1.1,6.6\n", 56, 59.1),
        # growth of the row next to the mass of one piece: 42 + 2·3 = 48, with 6.3 + 0.6 = 54.9
        ("Item,Qty,Mass each (kg),Margin (kg),Total (kg)\na,1,42,6.3,48.3\nb,2,3,0.6,6.6\n", 48, 54.9),
        # growth in percent without any other column
        ("Item,Mass [kg],Margin [%]\na,10,20\nb,15,30\n", 25, 31.5),
        ("Item,Mass,Margin [%],Predicted\na,10,20,12\nb,5,20,6\n", 15, 18),
    ],
)
def test_roles_by_arithmetic(text: str, mass: float, predicted: float | None) -> None:
    got = basic_and_predicted(text)
    assert got[0] == pytest.approx(mass, rel=1e-12)
    assert got[1] == (None if predicted is None else pytest.approx(predicted, rel=1e-12))


@pytest.mark.parametrize(
    "text",
    [
        "Item,Allocation,Mass,Margin [%]\nA,12,10,20\nB,6,5,20\n",  # (12 − 10) / 10
        "Item,Allocation,Mass,Margin [%]\nA,12.5,10,20\nB,6.25,5,20\n",  # (12.5 − 10) / 12.5
        "Posten,Masse (kg),Vorgabe (kg),Marge (%)\nA,10,12,20\nB,5,6,20\n",
    ],
)
def test_a_margin_that_an_allocation_leaves_is_not_a_growth(text: str) -> None:
    assert basic_and_predicted(text) == (15, None)


@pytest.mark.parametrize(
    "text",
    [
        "Item,Mass,Margin\nA,10,2\nB,5,1\n",  # percent, a mass, or what is left
        "Item,Allocation,Mass,Margin [%]\nA,12,10,7\nB,6,5,7\n",  # next to an allocation that does not give it
    ],
)
def test_a_margin_that_nothing_explains_is_ambiguous(text: str) -> None:
    bom = bom_of(text)
    (finding,) = [f for f in bom.findings if f.rule == "MP281"]
    assert "--map mga=" in finding.remedy
    assert basic_and_predicted(text, ignore_columns=finding.value) == (15, None)


@pytest.mark.parametrize(
    "text",
    [
        "Component,Qty,Mass g,Airborne Mass g,Notes\nmotor,4,208,208,52 g each\nlora radio,2,12,6,one stays\n",
        "Teil;Stück;Masse g;Flugmasse g\nMotor;4;248;248\nSender;2;18;9\nAkku;1;410;410\nZelle;1;530;530\n",
    ],
)
def test_masses_that_no_quantity_relates_are_ambiguous(text: str) -> None:
    (finding,) = [f for f in bom_of(text).findings if f.rule == "MP252"]
    assert "--mass-is each" in finding.remedy
    assert "--mass-is line" in finding.remedy


def test_a_line_with_a_slip_keeps_the_roles_and_is_reported() -> None:
    bom = bom_of("Part,Qty,Unit kg,Line kg\nBeam,4,12.0,48.0\nBrace,6,3.5,21.0\nFoot,4,2.2,9.8\nKit,2,1.1,2.2\n")
    assert "MP414" in {f.rule for f in bom.findings}
    assert float(mp.rollup(bom).root.mass or 0) == pytest.approx(4 * 12 + 6 * 3.5 + 4 * 2.2 + 2 * 1.1)


def test_net_and_packing_that_give_gross_are_ambiguous() -> None:
    text = "Artikel;Netto (kg);Verpackung (kg);Brutto (kg)\nPumpe;64;6;70\nVentil;18,5;1,5;20\n"
    with pytest.raises(mp.TableError) as caught:
        bom_of(text)
    (finding,) = [f for f in caught.value.findings if f.rule == "MP252"]
    assert basic_and_predicted(text, map={"mass": "Netto (kg)"}) == (82.5, None)
    assert "Brutto (kg) = Netto (kg) + Verpackung (kg)" in finding.message


def test_a_total_of_components_is_the_mass() -> None:
    text = "Item,Structure (kg),Systems (kg),Total (kg)\nFore,10,5.5,15.5\nAft,20,3.25,23.25\n"
    assert basic_and_predicted(text) == (38.75, None)


def test_what_was_found_is_reported() -> None:
    (finding,) = [f for f in bom_of(ISSUE).findings if f.rule == "MP280"]
    assert "Mass = Total × Quantity in 3 rows" in finding.message
    assert "Total = Estimated Mass + Contingency in 3 rows" in finding.message


def test_rows_that_are_totals_take_no_part_in_relations() -> None:
    text = "Part,Qty,Mass each,Mass\na,2,4,8\nb,3,1.5,4.5\nTotal,5,5.5,12.5\n"
    assert basic_and_predicted(text) == (12.5, None)


def test_mapped_columns_are_not_changed() -> None:
    assert basic_and_predicted(ISSUE, map={"mass": "Total"})[0] == 2 * 180 + 3 * 33 + 60


@pytest.mark.parametrize("options", [{}, {"map": {"qty": "Zzz"}}])
def test_a_column_that_row_totals_prove_is_the_quantity(options: dict[str, object]) -> None:
    assert basic_and_predicted("Part,Zzz,Mass each,Mass\na,2,4,8\nb,3,1.5,4.5\n", **options) == (12.5, None)


def test_a_column_of_sizes_is_not_a_quantity_by_itself() -> None:
    # lengths of 2.5 and 1.5 m: no count of pieces, so the masses are as they are
    text = "Part,Length,Mass per metre,Mass\na,2.5,4,10\nb,1.5,2,3\n"
    assert basic_and_predicted(text, map={"mass": "Mass"}) == (13, None)


def test_relations_hold_within_the_rounding_of_what_is_multiplied() -> None:
    # 3 · 0.33 = 0.99 is 1.00 within half a digit of 0.33
    bom = bom_of("Part,Qty,Mass each,Mass\na,3,0.33,1.00\nb,2,0.5,1.00\n")
    assert "MP280" in {f.rule for f in bom.findings}
    assert float(mp.rollup(bom).root.mass or 0) == pytest.approx(1.99)


def test_masses_in_two_units_are_one_mass() -> None:
    bom = bom_of("Item,Qty,Mass (kg),Mass (lb)\na,2,1.00,2.205\nb,3,2.00,4.409\n")
    assert "MP252" not in {f.rule for f in bom.findings}
    # 2 · 1.00 + 3 · 2.00 kg, read in the column of finer digits
    assert float(mp.rollup(bom).root.mass or 0) == pytest.approx(2 * 2.205 + 3 * 4.409)


def test_a_margin_of_nothing_needs_no_answer() -> None:
    assert basic_and_predicted("Item,Mass,Margin\nA,10,0\nB,5,0\n")[0] == 15
