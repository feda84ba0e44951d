"""Columns apart from the table, labels in odd columns, and masses with growth of pieces and of rows."""

from __future__ import annotations

from typing import Any

import pytest

import massprops_cli as mp


def rolled(tmp_path: Any, text: str) -> Any:
    path = tmp_path / "list.csv"
    path.write_text(text, "utf-8")
    return mp.rollup(mp.read_bom(path))


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
