"""Columns apart from the table, labels in odd columns, and masses with growth of pieces and of rows."""

from __future__ import annotations

import io
from typing import Any

import pytest

import massprops_cli as mp


def rolled(tmp_path: Any, text: str) -> Any:
    return mp.rollup(mp.read_bom(_written(tmp_path, text)))


BELOW = {
    "nothing": "",
    "a remark after a blank row": ",,,,\nAuthor: Jones,,,,\n",
    "two remarks after a blank row": ",,,,\nAuthor: Jones,,,,\n* estimated,,,,\n",
}


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW)
def test_a_blank_column_within_a_table_does_not_end_it(tmp_path: Any, below: str) -> None:
    """The numbers in front of the blank column are those of the rows: 8 + 184 in 1.1 in 1."""
    rows = "No.,,Name,Qty,Mass [g]\n1,,All,1,\n1.1,,Load,1,\n1.1.1,,Lid,1,8\n1.1.2,,Wheel,2,184\n"
    result = rolled(tmp_path, rows + below)
    assert result.root.mass == pytest.approx(8 + 2 * 184)
    assert result.bom.layout == "dotted"


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW)
def test_names_in_front_of_a_blank_column(tmp_path: Any, below: str) -> None:
    result = rolled(tmp_path, "Part,,Pieces,Mass (kg),\nBattery,,1,31.59,\nSpar,,3,0.37,\n" + below)
    assert result.root.mass == pytest.approx(31.59 + 3 * 0.37)
    assert list(result)[:2] == ["Battery", "Spar"]


def test_a_list_next_to_the_table_is_not_part_of_it(tmp_path: Any) -> None:
    """It has cells in one row of two, and others after the table."""
    text = "Part,Mass (kg),,Summary,\nA,2,,,\nB,3,,Parts,2\n,,,,\n,,,Rev,B\n"
    result = rolled(tmp_path, text)
    assert result.root.mass == 5
    assert "MP243" in [finding.rule for finding in result.findings]


@pytest.mark.parametrize("label", ["Power", "Subtotal power"])
def test_labels_of_sums_in_the_column_of_the_quantities(tmp_path: Any, label: str) -> None:
    text = f"Item,Pieces,Mass (kg)\nRib,1,8.69\nPump,60,0.17\n,{label},18.89\nRod,1,1.24\nValve,1,1.71\n,Heat,2.95\n"
    result = rolled(tmp_path, text + ",Grand total,21.84\n")
    assert result.root.mass == pytest.approx(8.69 + 60 * 0.17 + 1.24 + 1.71)


def test_numbers_as_names_do_not_make_labels_of_quantities(tmp_path: Any) -> None:
    """No cell of these rows has a letter."""
    result = rolled(tmp_path, "Part No,Pieces,Mass (kg)\n1001,5,2\n1002,4,3\n")
    assert result.root.mass == 5 * 2 + 4 * 3


@pytest.mark.parametrize("mark", [".", ","])
def test_rows_without_words_that_repeat_the_only_part_of_a_group(tmp_path: Any, mark: str) -> None:
    text = "Part;Mass (g);Length (mm)\nLoad;;\nSeat;1,24;128\n;1,24;\nHull;;\nValve;402,81;326\n;402,81;\n"
    result = rolled(tmp_path, text.replace(",", mark))
    assert result.root.mass == pytest.approx(404.05)


UNIT, ROW = "Unit mass (kg)", "Total mass (kg)"


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ((UNIT,), [(10, 3.17, 34.87), (1, 16.06, 17.666), (2, 5, 11)]),
        ((UNIT,), [(10, 3.17, 3.487), (1, 16.06, 17.666), (2, 5, 5.5)]),
        ((UNIT, ROW), [(10, 3.17, 31.7, 34.87), (2, 5, 10, 11)]),
        ((UNIT, ROW), [(10, 3.17, 31.7, 3.487), (2, 5, 10, 5.5)]),
        ((UNIT, "Estimated mass (kg)"), [(10, 3.17, 31.7, 34.87), (1, 16.06, 16.06, 17.666)]),
    ],
    ids=["row", "piece", "row next to row", "piece next to row", "row next to a mass of no known name"],
)
def test_a_mass_with_growth_is_of_the_row_or_of_a_piece(tmp_path: Any, columns: Any, rows: Any) -> None:
    """The growth is a tenth in every row, whichever mass the column includes."""
    lines = [f"Part,Qty,{','.join(columns)},Mass with margin (kg)"]
    lines += [f"P{i}," + ",".join(map(str, row)) for i, row in enumerate(rows)]
    result = rolled(tmp_path, "\n".join(lines))
    basic = sum(row[0] * row[1] for row in rows)
    assert result.root.mass == pytest.approx(basic)
    assert result.predicted.bodies.mass[result.root_item] == pytest.approx(1.1 * basic)


@pytest.mark.parametrize("mark", [".", ","])
def test_a_count_in_a_mass_has_two_answers_with_either_decimal_mark(tmp_path: Any, mark: str) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part;Mass (g)\nValve;22{mark}7\nCell;5{mark}5g (×4)\n", "utf-8")
    (error,) = [finding for finding in mp.read_bom(path).findings if finding.rule == "MP205"]
    assert "22 g or 5.5 g in all" in error.message


def test_ranges_are_numbers_below_a_unit_of_mass(tmp_path: Any) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,oz\nMotor,1.75\nArray,0.77–0.81\n", "utf-8")
    bom = mp.read_bom(path, accept_approximate=True)
    assert mp.rollup(bom).root.mass == pytest.approx(1.75 + 0.79)


@pytest.mark.parametrize(("heading", "count"), [("Off", 2), ("Off", 1)])
def test_a_column_of_units_that_has_masses_is_the_mass(tmp_path: Any, heading: str, count: int) -> None:
    result = rolled(tmp_path, f"Item,{heading},Unit\nRib,{count},1.9042t\nPlate,{count},1.5752t\n")
    assert result.root.mass == pytest.approx(count * (1.9042 + 1.5752))


def rules_of(result: Any) -> set[str]:
    return {finding.rule for finding in result.findings}


def rules_stated(tmp_path: Any, text: str) -> set[str]:
    try:
        return rules_of(rolled(tmp_path, text))
    except mp.FindingsError as error:
        return rules_of(error)


@pytest.mark.parametrize("name", ["Point mass", "Reaction mass", "Fuel Weight", "Flywheel mass", "Schwungmasse"])
def test_a_part_may_be_named_as_a_mass(tmp_path: Any, name: str) -> None:
    result = rolled(tmp_path, f"Part,Mass [kg]\nWheels,22\nBody,30\n{name},15\n")
    assert result.root.mass == 67
    assert not rules_of(result) & {"MP257", "MP415"}


@pytest.mark.parametrize(("name", "mass"), [("Aircraft weight", 53), ("Robot mass", 50), ("Launch mass", 15)])
def test_a_mass_near_the_sum_of_the_others_is_a_question(tmp_path: Any, name: str, mass: int) -> None:
    """A sum with a slip, of a vehicle or of anything within 10 %."""
    assert "MP257" in rules_stated(tmp_path, f"Part,Mass [kg]\nWheels,22\nBody,30\n{name},{mass}\n")


def test_a_sum_named_as_a_mass_is_one(tmp_path: Any) -> None:
    result = rolled(tmp_path, "Part,Mass [kg]\nWheels,22.4\nBody,30.3\nDriver,75.1\nVehicle weight,127.8\n")
    assert result.root.mass == pytest.approx(127.8)


@pytest.mark.parametrize(
    "row", ["TOTAL X,7.7 kg,6.5 L", "TOTAL X,7.7,6.5", "TOTAL X,7.7 kg,", "Total X,7.7 kg,6.5 m²", "TOTAL,7.7 kg,6.5 L"]
)
def test_measures_next_to_a_total_are_no_names(tmp_path: Any, row: str) -> None:
    result = rolled(tmp_path, f"Subsystem,Mass [kg],Volume [L]\nA,4.5,2.5\nB,3.2,4.0\n{row}\n")
    assert result.root.mass == pytest.approx(7.7)
    assert "MP415" not in rules_of(result)


@pytest.mark.parametrize("row", ["All-up weight ≈,1890", "All-up weight,≈ 1890", "AUW ~,1890", "Total,ca. 1900"])
def test_a_rounded_total_agrees(tmp_path: Any, row: str) -> None:
    result = rolled(tmp_path, f"Part,Mass (g)\nA,1000\nB,888\n{row}\n")
    assert result.root.mass == 1888
    assert not rules_of(result) & {"MP257", "MP415"}


@pytest.mark.parametrize("row", ["All-up weight ≈,1800", "Total,≈ 1890.0", "Total (range ≈ 3000 m),1890"])
def test_a_rounded_total_that_does_not_agree(tmp_path: Any, row: str) -> None:
    assert rules_stated(tmp_path, f"Part,Mass (g)\nA,1000\nB,888\n{row}\n") & {"MP257", "MP415"}


@pytest.mark.parametrize(
    ("heading", "axis"), [("LCG (m)", 0), ("VCG (m)", 2), ("Arm (m)", 0), ("Cx [m]", 0), ("CG station (m)", 0)]
)
def test_one_coordinate_is_enough(tmp_path: Any, heading: str, axis: int) -> None:
    result = rolled(tmp_path, f"Component,Mass (kg),{heading}\nHull,10,1\nMast,5,2\n")
    assert result.root.center[axis] == pytest.approx(20 / 15)
    assert not [finding for finding in result.findings if finding.severity.value != "note"]


@pytest.mark.parametrize("then", ["Previous mass (kg)", "Old mass (kg)", "Masse vorher (kg)", "Prior mass (kg)"])
@pytest.mark.parametrize("change", ["", ",Change (kg)", ",Delta (kg)"])
def test_the_mass_of_now_next_to_an_earlier_one(tmp_path: Any, then: str, change: str) -> None:
    numbers = (10, 11), (5, 5), (2, 2.2)
    rows = [f"P{i},{old},{new}" + (f",{new - old:.1f}" if change else "") for i, (old, new) in enumerate(numbers)]
    result = rolled(tmp_path, "\n".join([f"Item,{then},Mass now (kg){change}", *rows]))
    assert result.root.mass == pytest.approx(18.2)
    assert not rules_of(result) & {"MP252", "MP415"}


def test_blanks_of_a_program_among_parents_are_one_note(tmp_path: Any) -> None:
    rows = "".join(f"P{i},NULL,{i + 1}\n" for i in range(30))
    findings = mp.read_bom(_written(tmp_path, f"id,parent,mass\n{rows}")).findings
    (note,) = [finding for finding in findings if finding.rule == "MP229"]
    assert (note.count, note.value, note.place.line, note.place.column) == (30, "NULL", 2, "parent")


def _written(folder: Any, text: str) -> Any:
    path = folder / "list.csv"
    path.write_text(text, "utf-8")
    return path


def test_two_masses_without_a_relation_are_one_question(tmp_path: Any) -> None:
    with pytest.raises(mp.TableError) as caught:
        rolled(tmp_path, "Item,Estimated mass,Measured mass\nA,10,11\nB,5,\nC,2,2.2\n")
    errors = [finding.rule for finding in caught.value.findings if finding.severity.value == "error"]
    assert errors == ["MP252"]


@pytest.mark.parametrize(
    ("edges", "what"),
    [
        ("child,parent,qty\nB,A,2\nC,A,1\n", "column qty of the tree file is not read: 2"),
        ("child,parent,Qty.\nB,A,2\nC,A,1\n", "column Qty. of the tree file is not read: 2"),
        ("child,parent,tx [m],ty\nB,A,1,0\nC,A,0,1\n", "column tx [m] of the tree file is not read: 0"),
        ("child,parent\nB,A\nC,A\nB,A\n", "B has one parent twice"),
        ("child,parent,qty,remark\nB,A,1,left\nC,A,,right\n", ""),
    ],
)
def test_all_numbers_of_an_edge_list_count_or_stop(tmp_path: Any, edges: str, what: str) -> None:
    table, tree = tmp_path / "t.csv", tmp_path / "e.csv"
    table.write_text("id,mass\nA,\nB,2\nC,1\n")
    tree.write_text(edges)
    if not what:
        assert mp.rollup(mp.read_bom(table, tree=str(tree))).root.mass == 3
        return
    with pytest.raises(mp.TableError) as caught:
        mp.read_bom(table, tree=str(tree))
    assert what in caught.value.findings[0].message
    assert {finding.rule for finding in caught.value.findings} == {"MP325"}


@pytest.mark.parametrize("heading", ["#", "No.", "Nr", "Pos", "Item"])
def test_numbers_of_rows_that_multiply_the_masses_are_quantities(tmp_path: Any, heading: str) -> None:
    """2 × 0.16 + 4 × 10.67 + 8 × 0.56 + 10 × 0.32, as the rows and the total state."""
    rows = "Harness,2,0.16,0.32\nFloor,4,10.67,42.68\nSeat,8,0.56,4.48\nHinge,10,0.32,3.20\n,,Grand total,50.68\n"
    assert rolled(tmp_path, f"Part,{heading},kg each,kg\n{rows}").root.mass == pytest.approx(50.68)


@pytest.mark.parametrize(
    "text",
    [
        "Part,n,m,ME\nBearing,10,37.34,kg\nControl,10,0.76,t\n",
        "Part,How many,Each\n,[-],[g]\nValve,1,4.4\nRadiator,1,759.7\n",
        "All masses in kg,,\n,,\nPart,# req,Subtotal\nPropeller,1,12.2\nHeater,1,7.5\n",
    ],
)
def test_numbers_are_offered_as_masses_where_the_table_states_masses(tmp_path: Any, text: str) -> None:
    with pytest.raises(mp.TableError) as caught:
        rolled(tmp_path, text)
    (finding,) = [one for one in caught.value.findings if one.rule == "MP244"]
    assert "--map mass=" in finding.remedy


@pytest.mark.parametrize("mark", ["\u202e", "\u202a", "\u2066", "\u2069", "\u206f", "\u200f"])
def test_marks_of_direction_make_no_other_id(mark: str) -> None:
    bom = mp.read_bom(io.StringIO(f"id,parent,mass [kg]\nS,,\nA{mark}B,S,1\nAB,S,2\n"))
    assert [finding.rule for finding in bom.findings if finding.severity.value == "error"] == ["MP304"]


def test_predicted_masses_that_contradict_the_growth_are_named() -> None:
    """10 kg and 20 kg with 10 % are 11 and 22 kg, not 12 and 24; the total of 41.5 kg is that of no growth of 38.5."""
    rows = "A,SAT,10.00,10,12.00\nB,SAT,20.00,10,24.00\nC,SAT,5.00,10,5.50\nTotal,,35.00,,41.50\n"
    bom = mp.read_bom(io.StringIO(f"id,parent,mass [kg],mga [%],predicted mass [kg]\nSAT,,,,\n{rows}"))
    result = mp.rollup(bom, keep_going=True)
    assert [one.item for one in result.findings if one.rule == "MP414"] == ["A", "B"]
    assert [(one.stated, one.agrees) for one in result.totals] == [(35, True), (41.5, False)]


@pytest.mark.parametrize("predicted", ["0.02,0.01", "11.0,5.8"])
def test_predicted_masses_within_rounding_are_right(predicted: str) -> None:
    masses = ["0.015,0.012"] if predicted.startswith("0.02") else ["10,5.25"]
    cells = zip(masses[0].split(","), predicted.split(","), strict=True)
    rows = "".join(f"P{k},SAT,{mass},10,{grown}\n" for k, (mass, grown) in enumerate(cells))
    bom = mp.read_bom(io.StringIO(f"id,parent,mass [kg],mga [%],predicted mass [kg]\nSAT,,,,\n{rows}"))
    assert "MP414" not in [one.rule for one in mp.rollup(bom).findings]
