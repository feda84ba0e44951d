"""Columns called X, Y, Z next to a mass."""

from __future__ import annotations

import numpy as np
import pytest
from bom_tables import bom_of, only, reported

from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings, Severity
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.options import TableOptions

ROWS = ["top . . . . .", "a top 2 1 0 0", "b top 6 5 4 -8"]


@pytest.mark.parametrize("axes", ["X Y Z", "x y z", "X_(in) Y_(in) Z_(in)", "X[mm] Y[mm] Z[mm]", "Z X Y"])
def test_three_axes_next_to_a_mass_are_the_centre(axes):
    rows = [
        row if axes[0] != "Z" else " ".join([*row.split()[:3], *(row.split()[i] for i in (5, 3, 4))]) for row in ROWS
    ]
    bom = bom_of(f"id parent mass {axes}", *rows)
    assert "read as the centre of mass: Cx, Cy, Cz" in only(bom.findings, "MP246").message
    # a quarter of the way from b to a
    assert list(rollup(bom).root.center) == pytest.approx([4, 3, -6])


def test_a_row_of_units_reports_what_they_are():
    rows = [["id", "mass", "X", "Y", "Z"], ["", "kg", "m", "m", "m"], ["a", "1", "2", "3", "4"]]
    findings = Findings()
    columns = read_columns(GridTable(TableSource("a.csv", "csv"), rows), TableOptions(), findings)
    assert (columns.by_quantity["Cz"].index, columns.units.length) == (4, "m")
    assert [finding.rule for finding in findings] == ["MP246"]
    rows[1] = ["", "kg", "V", "V", "V"]
    findings = Findings()
    columns = read_columns(GridTable(TableSource("a.csv", "csv"), rows), TableOptions(), findings)
    assert "Cx" not in columns.by_quantity


@pytest.mark.parametrize(
    ("header", "rows", "remedy"),
    [
        ("id parent mass X Y Z", ["top . . . . .", "a top 1 A B C"], "--map Cx=X"),
        ("id parent mass FS WL", ["top . . . .", "a top 1 2 3"], "add the columns that are missing"),
        ("id parent mass Xg Yg", ["top . . . .", "a top 1 2 3"], "add the columns that are missing"),
    ],
)
def test_what_only_looks_like_a_centre_is_reported(header, rows, remedy):
    bom = bom_of(header, *rows)
    finding = only(bom.findings, "MP247")
    assert "Cx" not in bom.columns.by_quantity
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    "header",
    [
        *("Xg_(mm) Yg_(mm) Zg_(mm)", "XG YG ZG", "xS yS zS", "X_CdG Y_CdG Z_CdG", "CDG_X CDG_Y CDG_Z", "Xцт Yцт Zцт"),
        *("重心X 重心Y 重心Z", "무게중심X 무게중심Y 무게중심Z", "E_(m) N_(m) EL_(m)", "Easting Northing Elevation"),
        *("STA BL WL", "FS BL WL", "FS_(in) BL_(in) WL_(in)", "X_śc Y_śc Z_śc"),
    ],
)
def test_coordinates_in_other_languages_and_trades_are_read_three_together(header):
    bom = bom_of(f"id parent mass {header}", "top . . . . .", "a top 1 2 3 4")
    assert rollup(bom).root.center == pytest.approx([2, 3, 4])


def test_a_kind_with_all_three_axes_comes_before_one_that_lacks_some():
    bom = bom_of("id parent mass X Y Xg Yg Zg", "top . . . . . . .", "a top 1 9 9 2 3 4")
    assert rollup(bom).root.center == pytest.approx([2, 3, 4])


@pytest.mark.parametrize(
    "header",
    [
        "id parent X Y Z Cost",
        "id parent mass FS Cost Maker",
        "id parent mass X_(V) Y_(V) Z_(V)",
        "id parent mass X . .",
    ],
)
def test_other_columns_of_these_names_are_left_alone(header):
    names = header.replace(". .", "Serial Maker").split()
    bom = bom_of(
        " ".join(names), " ".join(["top", *"." * (len(names) - 1)]), " ".join(["a", "top", *"1" * (len(names) - 2)])
    )
    assert not reported(bom.findings, "MP246")
    assert not reported(bom.findings, "MP247")


def test_a_centre_that_is_named_comes_first():
    bom = bom_of("id parent mass X Y Z Cx Cy Cz", "top" + " ." * 8, "a top 2 9 9 9 1 2 3")
    assert bom.bodies.center[bom.rows.argsort()][1].tolist() == [1, 2, 3]
    assert not reported(bom.findings, "MP246")


def test_a_ship_without_a_column_across_has_the_other_coordinates():
    rows = "top . . . .", "hull top 100 50 4", "engine top 20 20 3"
    finding = only(bom_of("id parent mass LCG_(m) VCG_(m)", *rows).findings, "MP212")
    assert finding.severity is Severity.WARNING
    assert finding.message == "incomplete centre of mass: column Cy missing (Cx, Cz are computed)"
    assert "add a column Cy, with 0" in finding.remedy
    x, y, z = rollup(bom_of("id parent mass LCG_(m) VCG_(m)", *rows)).root.center
    assert (x, z) == pytest.approx((5400 / 120, 460 / 120))
    assert np.isnan(y)


def test_a_tensor_needs_all_coordinates():
    bom = bom_of("id parent mass Cx Cz Ixx Iyy Izz", "top . . . . . . .", "a top 2 1 3 1 1 1")
    assert only(bom.findings, "MP212").severity is Severity.ERROR
    assert only(bom_of("id parent mass Cx", "top . . .", "a top 2 1", strict=True).findings, "MP212").severity is (
        Severity.ERROR
    )


def test_a_set_that_may_be_missing_has_the_coordinates_that_are_given():
    bom = bom_of("id parent mass Cx Cz", "top . . . .", "hull top 100 50 4", "mast top 100 . .", allow_missing="center")
    assert only(bom.findings, "MP212").severity is Severity.WARNING
    result = rollup(bom)
    assert result.root.mass == 200
    assert result.root.center[[0, 2]].tolist() == [50, 4]
    assert result.rollup.coverage.known_center[result.root_item] == 1


@pytest.mark.parametrize(
    ("header", "axis"),
    [
        *(("X_(mm)", 0), ("FS_(in)", 0), ("x_from_nose_(mm)", 0), ("z_above_base_[m]", 2), ("Arm_(in)", 0)),
        *(("HORIZ_ARM_[in]", 0), ("Vert_Arm_(mm)", 2), ("Lat._Arm_[in]", 1)),
    ],
)
def test_one_coordinate_is_read_alone(header, axis):
    bom = bom_of(f"id parent mass {header}", "top . . .", "a top 1 20", "b top 3 40")
    center = rollup(bom).root.center
    assert center[axis] == 35  # (1·20 + 3·40) / 4
    assert np.isnan(np.delete(center, axis)).all()


def test_a_kind_with_all_three_axes_comes_before_one_with_an_axis_twice():
    bom = bom_of("id parent mass X_(in) X_(mm) Y_(mm) Xg Yg Zg", "top . . . . . . . .", "a top 1 9 9 9 2 3 4")
    assert rollup(bom).root.center == pytest.approx([2, 3, 4])
