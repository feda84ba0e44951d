"""What is understood of a table: columns and why, rows left out, coverage, what would resolve the errors."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp

TITLED = """Mass budget of the rig,,,,,,,
,,,,,,,
ITEM NO.,Part Number,Description,Weight (lb),CG X [in],CG Y [in],CG Z [in],Cost
1,A,Rig,,,,,5
,,,,,,,
1.1,B,Beam,2,1,2,3,5
1.2,C,Bolt,4,1,2,3,5
"""


@pytest.fixture
def titled(tmp_path: Path) -> Path:
    path = tmp_path / "titled.csv"
    path.write_text(TITLED)
    return path


def of_records(*records: dict[str, object], **options: object) -> mp.Bom:
    return mp.Bom.from_records([{"id": "top", "parent": ""}, *records], **options)


def test_every_column_has_its_meaning_unit_and_reason(titled: Path) -> None:
    seen = mp.inspect(titled)
    assert [(c.address, c.quantity, c.unit, c.sure) for c in seen.columns] == [
        ("1", "item", "", "synonym"),
        ("2", "part", "", "synonym"),
        ("3", "name", "", "synonym"),
        ("4", "mass", "lb", "synonym"),
        ("5", "Cx", "in", "synonym"),
        ("6", "Cy", "in", "synonym"),
        ("7", "Cz", "in", "synonym"),
    ]
    assert seen.columns[0].why == "a synonym (SolidWorks)"
    assert {c.unit_from for c in seen.columns[3:]} == {"header"}
    assert [(c.header, c.why) for c in seen.unread] == [("Cost", "names another quantity")]


def test_place_of_the_table_and_rows_left_out(titled: Path) -> None:
    seen = mp.inspect(titled)
    assert (seen.header, seen.first_item, seen.layout, seen.root) == ("line 3", "line 4", "dotted", "A")
    assert [(rows.why, rows.count, rows.rows) for rows in seen.left_out] == [
        ("above the header", 1, ("line 1 Mass budget of the rig",)),
        ("blank", 1, ("line 5",)),
    ]


def test_remarks_below_the_table_are_reported_with_their_text(tmp_path: Path) -> None:
    path = tmp_path / "remarks.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,1\n,,\nNote: estimates only,,\n")
    seen = mp.inspect(path)
    assert [(rows.why, rows.rows) for rows in seen.left_out] == [
        ("around the table", ("line 5 Note: estimates only",)),
        ("blank", ("line 4",)),
    ]


def test_row_of_groups_over_columns_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("Rig,,,,,\n,,,CG [mm],,\nid,parent,Mass [kg],X,Y,Z\ntop,,,,,\na,top,1,0,0,0\n")
    seen = mp.inspect(path)
    assert [(rows.why, rows.rows) for rows in seen.left_out] == [("above the header", ("line 1 Rig",))]
    assert [(c.quantity, c.unit) for c in seen.columns][3:] == [("Cx", "mm"), ("Cy", "mm"), ("Cz", "mm")]


def test_rows_outside_the_root_are_reported() -> None:
    bom = of_records(
        {"id": "a", "parent": "top"}, {"id": "b", "parent": "a", "mass": 1}, {"id": "c", "parent": "top"}, root="a"
    )
    assert [(rows.why, rows.count) for rows in mp.inspect(bom).left_out] == [("not selected", 2)]


def test_coverage_counts_leaves_that_are_known() -> None:
    bom = of_records(
        {"id": "a", "parent": "top", "mass": 1.0, "Cx": 1.0, "Cy": 0.0, "Cz": 0.0, "qty": 2},
        {"id": "b", "parent": "top", "mass": 1.0, "qty": 1},
        {"id": "c", "parent": "top", "mass": 1.0, "qty": 0},
    )
    seen = mp.inspect(bom)
    assert dict(seen.coverage) == {
        "rows": 4, "items": 4, "leaves": 2, "mass": 2, "center": 1, "inertia": 0, "sigma": 0,
    }  # fmt: skip
    assert [(rows.why, rows.rows) for rows in seen.left_out] == [("quantity 0", ("row 5 c",))]


def test_remedies_are_those_of_errors_once_each() -> None:
    bom = of_records({"id": "a", "parent": "top", "mass": "heavy"}, {"id": "b", "parent": "top", "mass": "light"})
    seen = mp.inspect(bom)
    assert seen.is_bom
    assert len(seen.remedies) == 1
    assert "number" in seen.remedies[0]


def test_units_row_and_option_are_reported_as_where_a_unit_is_stated() -> None:
    units = {"id": "unit", "mass": "kg", "Cx": "mm", "Cy": "mm", "Cz": "mm"}
    body = {"id": "a", "parent": "", "mass": "1", "Cx": "1", "Cy": "1", "Cz": "1"}
    seen = mp.inspect(mp.Bom.from_records([units, body]))
    assert {c.unit_from for c in seen.columns if c.unit} == {"units row"}
    assert [rows.why for rows in seen.left_out] == ["a row of units"]
    requested = mp.inspect(mp.Bom.from_records([body], unit={"mass": "g", "center": "mm"}))
    assert [(c.quantity, c.unit, c.unit_from) for c in requested.columns if c.unit] == [
        ("mass", "g", "--unit"),
        ("Cx", "mm", "--unit"),
        ("Cy", "mm", "--unit"),
        ("Cz", "mm", "--unit"),
    ]


def test_column_chosen_by_a_map_is_named_and_the_other_one_is_reported() -> None:
    rows = [{"id": "a", "parent": "", "mass": 1.0, "Measured": 2.0}]
    seen = mp.inspect(mp.Bom.from_records(rows, map={"mass": "Measured"}))
    chosen = next(column for column in seen.columns if column.quantity == "mass")
    assert (chosen.header, chosen.sure, chosen.why) == ("Measured", "named", "named by --map")
    assert [(c.header, c.why) for c in seen.unread] == [("mass", "Measured is read for mass")]


def test_levels_percent_and_bounds_of_sigmas_are_reported() -> None:
    row = {"id": "a", "parent": "top", "mass": 2.0, "2σ mass (%)": 1.0}
    assert mp.inspect(of_records(row)).sigmas == ("2 sigma in percent: mass",)
    bounded = {"id": "a", "parent": "top", "mass": 2.0, "mass_min": 1.0, "mass_max": 3.0, "dist": "uniform"}
    assert mp.inspect(of_records(bounded)).sigmas == ("bounds: mass", "distributions: dist")


@pytest.mark.parametrize(
    ("more", "options", "signs"),
    [
        ({"POIconv": "-"}, {}, "of each row, from column POIconv"),
        ({}, {"poi": "+"}, "+ for all rows, as requested"),
        ({}, {}, "not stated"),
    ],
)
def test_sign_of_products_is_reported(more: dict[str, str], options: dict[str, str], signs: str) -> None:
    numbers = dict.fromkeys(("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), 1.0)
    seen = mp.inspect(of_records({"id": "a", "parent": "top", **numbers, **more}, **options))
    assert seen.signs == signs
    assert seen.about == "each item's own centre of mass"


def test_point_that_was_requested_is_reported() -> None:
    numbers = dict.fromkeys(("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), 1.0)
    seen = mp.inspect(of_records({"id": "a", "parent": "top", **numbers}, poi="-", inertia_about="origin"))
    assert seen.about == "the origin 0,0,0, as requested"


def test_columns_are_reported_where_no_tree_can_be_made(tmp_path: Path) -> None:
    path = tmp_path / "no_rows.csv"
    path.write_text("id,parent,mass [kg]\n")
    seen = mp.inspect(path)
    assert not seen.is_bom
    assert [c.quantity for c in seen.columns] == ["id", "parent", "mass"]
    assert seen.remedies


def test_columns_of_levels_are_reported_as_what_defines_the_tree(tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    path.write_text("L1,L2,mass,Cost\nA,,,1\n,B,1,1\n,C,2,1\n")
    seen = mp.inspect(path, layout="columns")
    assert {column.header: column.why for column in seen.unread} == {
        "L1": "defines the tree", "L2": "defines the tree", "Cost": "names another quantity",
    }  # fmt: skip


def test_table_without_a_header_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("1,2,3\n4,5,6\n")
    with pytest.raises(mp.TableError):
        mp.inspect(path)
