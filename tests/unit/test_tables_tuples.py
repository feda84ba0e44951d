"""Columns of tuples: read as columns of numbers, written back in the form they have."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import (
    BLANK,
    TEXT,
    ColumnEdit,
    GridTable,
    TableEdit,
    TableSource,
    TableView,
    edit_of_file,
    edited_row_texts,
    file_table,
)
from massprops_cli.tables.columns import cell_parts as tuples
from massprops_cli.tables.columns.cell_parts import (
    _replace_tuple_parts,
    _split_tuple,
    _SplitTuples,
    _tuple_parts,
    read_tuple_header,
    split_tuple_columns,
)
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.options import TableOptions

Rows = list[list[str]]


def grid(rows: Rows) -> GridTable:
    return GridTable(TableSource("b.csv", "csv", delimiter=";"), rows)


def bom_of(rows: Rows, **options: object) -> Bom:
    return Bom.from_table(grid(rows), TableOptions(**options))  # type: ignore[arg-type] # options are keywords


def written(rows: Rows, **options: object) -> Rows:
    """Roll a table up and give it as it would be written."""
    bom = bom_of(rows, **options)
    return edited_row_texts(file_table(bom.table), rollup(bom).filling())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("(1, 2, 3)", ["1", "2", "3"]), ("1;2;3", ["1", "2", "3"]), ("[1 2 3]", ["1", "2", "3"]),
        ("X=1 Y=2 Z=3", ["1", "2", "3"]), ("x: 1, y: 2, z: 3", ["1", "2", "3"]), ("X=1,Y=2,Z=3", ["1", "2", "3"]),
        ("Z=3; X=1; Y=2", ["1", "2", "3"]), (" { -1.5e3 ; +.5 ; 2. } ", ["-1.5e3", "+.5", "2."]),
        ("1,2,3", ["1", "2", "3"]), ("1\t2\t3", ["1", "2", "3"]), ("<0 0 0>", ["0", "0", "0"]),
        ("1,5; 2,0; 3,5", ["1,5", "2,0", "3,5"]), ("1,5 2,0 3,5", ["1,5", "2,0", "3,5"]),
        ("1,5, 2,0, 3,5", ["1,5", "2,0", "3,5"]), ("−1, 2, 3", ["−1", "2", "3"]),
    ],
)  # fmt: skip
def test_forms_of_a_tuple(text: str, parts: list[str]) -> None:
    assert _tuple_parts(text, 3) == parts


@pytest.mark.parametrize(
    "text",
    ["", " ", "5", "1, 2", "1, 2, 3, 4", "(1, 2, 3", "(1, 2, 3]", "1,,2,3", "1/2/3", "N/A", "- - -", "(,,)", "a, b, c",
     "X=1 Y=2", "X=1 X=2 Z=3", "about X=1 Y=2 Z=3", "1, 2, 3 mm", "1 2, 3", "1, 2, 3" + " " * 500],
)  # fmt: skip
def test_what_is_not_a_tuple_of_three(text: str) -> None:
    assert _tuple_parts(text, 3) is None


def test_other_numbers_in_the_same_form() -> None:
    text = "{X: 1, Y: 2, Z: 3}"
    spans = _split_tuple(text, 3)
    assert spans is not None
    assert _replace_tuple_parts(text, spans, ["10", "0.5", "-30"]) == "{X: 10, Y: 0.5, Z: -30}"


def test_every_name_of_a_centre_has_a_source_and_names_coordinates_with_an_axis() -> None:
    names = tomllib.loads((Path(tuples.__file__).parents[1] / "words" / "tuples.toml").read_text("utf-8"))
    for name, source in names.items():
        column = read_tuple_header(f"{name} (mm)")
        assert source.strip()
        assert column is not None
        headers = [f"{part}{column.rest}" for part in column.names]
        assert [read_heading(text)[:2] for text in headers] == [("Cx", "mm"), ("Cy", "mm"), ("Cz", "mm")]
        assert read_heading(name).quantity == ""


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ("CG (x, y, z) [in]", ("CG X", "CG Y", "CG Z"), " [in]"),
        ("Centroid (Cx, Cy, Cz)", ("Cx", "Cy", "Cz"), ""),
        ("Moments of inertia (Ixx; Iyy; Izz; Ixy; Ixz; Iyz) [kg*m^2]", ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"),
         " [kg*m^2]"),
    ],
)  # fmt: skip
def test_headers_that_list_what_the_parts_are(text: str, names: tuple[str, ...], rest: str) -> None:
    column = read_tuple_header(text)
    assert column is not None
    assert (column.names, column.rest, column.base + column.rest) == (names, rest, text)


@pytest.mark.parametrize(
    "text", ["Moments of inertia", "Inertia (kg, m)", "Mass (kg)", "CG X (mm)", "Size (x, y, z)", "Pair (Cx, Cx)", ""]
)
def test_other_headers_are_not_of_tuples(text: str) -> None:
    assert read_tuple_header(text) is None


def test_a_table_without_tuples_is_itself() -> None:
    for rows in ([["id", "mass", "CG"], ["a", "1", "5"]], [["id", "mass"], ["a", "(1, 2, 3)"]], [["id", "CG"]]):
        table = grid(rows)
        assert split_tuple_columns(table, 0) is table


def test_parts_have_the_address_and_the_header_of_the_tuple() -> None:
    table = grid([["id", "CG (mm)", "mass"], ["a", "(1, 2, 3)", "5"], ["b", "TBD", "7"]])
    view = split_tuple_columns(table, 0)
    assert isinstance(view, _SplitTuples)
    assert view.row(0) == ["id", "CG X (mm)", "mass", "CG Y (mm)", "CG Z (mm)"]
    assert [list(view.texts(j, 1)) for j in range(5)] == [["a", "b"], ["1", "TBD"], ["5", "7"], ["2", ""], ["3", ""]]
    assert [view.text(1, j) for j in range(5)] == view.row(1)
    assert view.place(1, 4, "CG Z (mm)") == table.place(1, 1, "CG (mm)")
    assert view.place(1, 2, "mass") == table.place(1, 2, "mass")
    assert not view.is_typed(3, 1).any()
    assert file_table(view) is table


def test_a_view_of_parts_shows_them_and_the_file_lies_below_both() -> None:
    table = grid([["id", "CG", "mass"], ["note", "", ""], ["a", "1;2;3", "5"], ["Total", "4;5;6", "5"]])
    over = TableView(split_tuple_columns(TableView(table, rows=[1]), 0), rows=[3])
    assert [over.row(i) for i in (1, 2, 3)] == [[""] * 5, ["a", "1", "5", "2", "3"], [""] * 5]
    assert [numbers.states.tolist() for numbers in over.numbers([1, 4], 2)] == [[TEXT, BLANK]] * 2
    assert list(over.texts(4, 1)) == ["", "3", ""]
    assert over.place(2, 4) == table.place(2, 1)
    assert file_table(over) is table
    fill = ColumnEdit(3, np.array([2]), np.array([7.0]))
    assert edited_row_texts(table, edit_of_file(over, TableEdit((fill,))))[2] == ["a", "1;7;3", "5"]


# Two bodies on a line: the centre is the mean weighted by mass, and the inertia of the pair is that of the bodies and
# μ·(d²·1 − d·dᵀ) with μ = m₁m₂/(m₁+m₂), d the vector between them (Goldstein, Classical Mechanics, 5.3).
M1, M2, D = 2.0, 6.0, np.array([4.0, 8.0, -12.0])
MU = M1 * M2 / (M1 + M2)
CENTRE = M2 * D / (M1 + M2)
TENSOR = np.eye(3) + np.eye(3) + MU * (D @ D * np.eye(3) - np.outer(D, D))
SIX = [TENSOR[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
PAIR = [
    ["id", "parent", "mass (kg)", "CG (mm)", "Inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg*mm^2]"],
    ["Top", "", "", "", ""],
    ["A", "Top", "2", "(0, 0, 0)", "1; 1; 1; 0; 0; 0"],
    ["B", "Top", "6", "(4, 8, -12)", "1; 1; 1; 0; 0; 0"],
]


def test_a_roll_up_of_tuples_is_that_of_their_numbers() -> None:
    bom = bom_of(PAIR, poi="-")
    assert {finding.rule for finding in bom.findings} == {"MP713"}  # cubes have the default tensor of programs
    rolled = rollup(bom).rollup.bodies
    assert rolled.center is not None
    assert rolled.inertia is not None
    np.testing.assert_allclose(rolled.center[0], CENTRE, rtol=1e-14)
    np.testing.assert_allclose(rolled.inertia[0], SIX, rtol=1e-14)


def test_assemblies_are_written_as_tuples_and_the_rest_stays() -> None:
    rows = written(PAIR, poi="-")
    assert (rows[0], rows[2:]) == (PAIR[0], PAIR[2:])
    assert rows[1][:3] == ["Top", "", "8"]
    assert [float(part) for part in _tuple_parts(rows[1][3], 3) or ()] == pytest.approx(CENTRE.tolist(), rel=1e-14)
    assert [float(part) for part in _tuple_parts(rows[1][4], 6) or ()] == pytest.approx(SIX, rel=1e-14)
    assert rows[1][3].startswith("(")
    assert ";" in rows[1][4]
    assert written(rows, poi="-") == rows


def test_an_assembly_cell_keeps_its_own_form() -> None:
    rows = [[*row[:4]] for row in PAIR]
    rows[1][3] = "X=3 Y=6 Z=-9"
    bom = bom_of(rows)
    assert [finding.rule for finding in rollup(bom).findings] == []
    assert written(rows)[1][3] == "X=3 Y=6 Z=-9"


def test_other_units_for_every_part_and_the_header() -> None:
    rows = written([row[:4] for row in PAIR], units="SI")
    assert rows[0][3] == "CG (m)"
    assert [float(part) for part in _tuple_parts(rows[3][3], 3) or ()] == pytest.approx((D / 1000).tolist(), rel=1e-15)


def test_a_row_of_units_belongs_to_every_part() -> None:
    rows = [["id", "parent", "mass", "CG"], ["", "", "kg", "mm"], *([*row[:4]] for row in PAIR[1:])]
    bom = bom_of(rows)
    assert (bom.units.mass, bom.units.length) == ("kg", "mm")
    assert [str(finding) for finding in bom.findings] == []
    assert written(rows)[1] == ["", "", "kg", "mm"]
    assert written(rows, units="SI")[1] == ["", "", "kg", "m"]


def test_decimal_commas_within_a_tuple() -> None:
    rows = [["id", "parent", "mass (kg)", "CG (mm)"], ["Top", "", "", ""], ["A", "Top", "2", "(0,5; 0; 0)"],
            ["B", "Top", "2", "(4,5; 8; -12)"]]  # fmt: skip
    assert written(rows)[1][2:] == written(rows, decimal=",")[1][2:] == ["4", "(2,5; 4; -6)"]
    rows[2][3] = "(0,5; 1; 0)"  # the middle one alone has no comma in the file, and gets one
    assert written(rows)[1][3] == "(2,5; 4,5; -6)"


def test_a_cell_that_is_not_a_tuple_is_reported_once() -> None:
    rows = [[*row[:4]] for row in PAIR]
    rows[3][3] = "(4, 8)"
    findings = [finding for finding in bom_of(rows).findings if finding.rule != "MP206"]
    assert [finding.rule for finding in findings] == ["MP205"]
    assert "(4, 8)" in findings[0].message
    assert findings[0].place.row == 4


def test_a_tuple_and_columns_of_the_same_are_rejected() -> None:
    rows = [["id", "parent", "mass", "CG", "COG X"], ["a", "", "1", "(1, 2, 3)", "1"]]
    assert "MP202" in [finding.rule for finding in bom_of(rows).findings]


def test_the_canonical_columns_go_before_a_tuple_and_it_is_reported() -> None:
    rows = [["id", "parent", "mass", "CG", "Cx", "Cy", "Cz"], ["a", "", "1", "(1, 2, 3)", "4", "5", "6"]]
    bom = bom_of(rows)
    assert [finding.rule for finding in bom.findings if finding.rule == "MP225"] == ["MP225"] * 3
    assert bom.bodies.center is not None
    assert bom.bodies.center.tolist() == [[4.0, 5.0, 6.0]]


SPREAD = [
    ["id", "parent", "mass (kg)", "sigma_mass", "CG (mm)", "Center of Mass sigma (mm)"],
    ["Top", "", "", "", "", ""],
    ["A", "Top", "2", "0", "(0, 0, 0)", "(3, 0, 0.6)"],
    ["B", "Top", "6", "0", "(4, 8, -12)", "(4, 1, 0.6)"],
]


@pytest.mark.parametrize(
    ("header", "level"),
    [("Center of Mass sigma (mm)", 1), ("sigma CG [mm]", 1), ("σ CoM (mm)", 1), ("2σ COG (x, y, z) [mm]", 2),
     ("CG std, mm", 1), ("(sigma_Cx, sigma_Cy, sigma_Cz) [mm]", 1),
     ("3 sigma of centre (Cx, Cy, Cz) [mm]", 3)],
)  # fmt: skip
def test_sigmas_of_centres_in_tuples(header: str, level: float) -> None:
    rows = [[*SPREAD[0][:5], header], *SPREAD[1:]]
    bom = bom_of(rows)
    assert bom.sigmas is not None
    assert bom.sigmas.center is not None
    assert bom.sigmas.center[np.argsort(bom.rows)][2] == pytest.approx(np.array([4, 1, 0.6]) / level)
    # masses are exact, so that the sigmas are those of a weighted mean: a quarter and three quarters
    mean = [np.hypot(0.25 * a, 0.75 * b) for a, b in ((3, 4), (0, 1), (0.6, 0.6))]
    assert [float(part) for part in _tuple_parts(written(rows)[1][5], 3) or ()] == pytest.approx(mean)


@pytest.mark.parametrize("header", ["Tolerance (Cx, Cy, Cz) [mm]", "CG margin (mm)", "Errors (Ixx, Iyy, Izz)"])
def test_other_spreads_are_not_read_as_values(header: str) -> None:
    assert read_tuple_header(header) is None


def test_sigmas_of_inertia_in_tuples() -> None:
    column = read_tuple_header("sigma inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg*m^2]")
    assert column is not None
    assert read_heading(column.names[0] + column.rest)[:2] == ("sigma_Ixx", "kg*m^2")
