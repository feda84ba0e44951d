"""Worked examples of functions in the room tables/columns."""

from __future__ import annotations

from massprops_cli.findings.finding import Findings
from massprops_cli.tables.account import _nearest_quantity
from massprops_cli.tables.columns.cell_parts import (
    read_tuple_header,
    sign_side_cells,
    split_tuple_columns,
    stated_product_sign,
)
from massprops_cli.tables.columns.header import columns_by_reference, first_number
from massprops_cli.tables.columns.headings import (
    Heading,
    _split_heading_unit,
    _split_reference_point,
    _with_pose_headings,
    angle_unit,
    has_reference_point,
    heading_sigma_levels,
    heading_unit,
    inertia_reference,
    is_command_text,
    is_header_like,
    is_percent_unit,
    is_quantity_like,
    map_option,
    read_heading,
    read_headings,
    split_sigma_level,
    squeeze_text,
)
from massprops_cli.tables.columns.implied_columns import coordinate_of_header
from massprops_cli.tables.columns.mass_headings import is_heading_of_kind, is_possible_mass_heading
from massprops_cli.tables.columns.sigma_columns import (
    distribution_spellings,
    method_percentages,
    method_spellings,
    with_solid_columns,
    word_codes,
)
from massprops_cli.tables.layouts.detection import find_table_of_pages
from massprops_cli.tables.options import TableOptions


def test_read_tuple_header_example() -> None:
    assert (read_tuple_header("Center of Mass (mm)").names, read_tuple_header("Center of Mass (mm)").rest) == (
        (("Center of Mass X", "Center of Mass Y", "Center of Mass Z"), " (mm)")
    )
    assert (read_tuple_header("Inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg*m^2]").names) == (
        ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    )
    assert (read_tuple_header("Moments of inertia"), read_tuple_header("Mass (kg)")) == ((None, None))


def test_split_tuple_columns_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "CG (mm)", "mass"], ["a", "(1, 2, 3)", "5"]]
    view = split_tuple_columns(GridTable(TableSource("a.csv", "csv"), rows), 0)
    assert (view.row(0), view.row(1)) == (
        (["id", "CG X (mm)", "mass", "CG Y (mm)", "CG Z (mm)"], ["a", "1", "5", "2", "3"])
    )


def test_sign_side_cells_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "mass", "LCG [m]"], ["a", "2", "1.5A"], ["b", "1", "3F"]]
    table = GridTable(TableSource("a.csv", "csv"), rows)
    view = sign_side_cells(table, 0, TableOptions(positive=("F",)), Findings())
    assert (view.text(1, 2), view.text(2, 2)) == (("-1.5", "3"))


def test_stated_product_sign_example() -> None:
    assert (stated_product_sign(["inertia about the com; ixy = -integral(x*y dm) as in URDF"])) == ("-")
    assert (stated_product_sign(["Ixy = ∫xy dm"]), stated_product_sign(["Ixy"])) == (("+", ""))


def test_first_number_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    table = GridTable(TableSource("a", "csv"), [["4.5", "1", "x"], ["", "2", "3"], ["2", "3", "y"]])
    assert ([first_number(table, j, 0) for j in range(3)]) == (["4.5", "", ""])


def test_columns_by_reference_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    table = GridTable(TableSource("a", "csv"), [["id", "mass", "", ""]])
    assert (
        (
            columns_by_reference("col:D", table),
            columns_by_reference("col:2", table),
            columns_by_reference("col:E", table),
            columns_by_reference("mass", table),
        )
    ) == (([3], [1], [], []))


def test_split_reference_point_example() -> None:
    assert (
        _split_reference_point("Ixx about origin [kg*m^2]"),
        _split_reference_point("Lxx (taken at the center of mass)"),
    ) == ((("Ixx [kg*m^2]", "origin"), ("Lxx", "own")))
    assert (_split_reference_point("Ixx"), _split_reference_point("Flow at origin station")) == (
        (("Ixx", ""), ("Flow station", "origin"))
    )


def test_has_reference_point_example() -> None:
    assert (has_reference_point("Inertia about hinge"), has_reference_point("Inertia")) == ((True, False))


def test_inertia_reference_example() -> None:
    assert (inertia_reference("Ixx @ origin"), inertia_reference("Lxy [kg*mm^2]"), inertia_reference("Ixx")) == (
        ("origin", "own", "")
    )


def test_split_sigma_level_example() -> None:
    assert (split_sigma_level("sigma_mass [kg, k=2]"), split_sigma_level("3σ mass (lb)")) == (
        (("sigma_mass [kg]", (2.0,)), ("σ mass (lb)", (3.0,)))
    )
    assert (
        (
            split_sigma_level("sigma_mass [kg] (2σ)")[0],
            split_sigma_level("2-sigma mass")[0],
            split_sigma_level("mass [kg]")[1],
        )
    ) == (("sigma_mass [kg]", "sigma mass", ()))


def test_is_percent_unit_example() -> None:
    assert (is_percent_unit("%"), is_percent_unit("pct"), is_percent_unit("kg")) == ((True, True, False))


def test_squeeze_text_example() -> None:
    assert (squeeze_text("Part-No."), squeeze_text("Nº DO ITEM"), squeeze_text("# of Parts")) == (
        ("partno", "nodoitem", "#ofparts")
    )


def test_read_heading_example() -> None:
    assert read_heading("Weight (lb)") == Heading("mass", "lb", 1, 2, source="public file")
    assert (read_heading("CG X [in]")[:2], read_heading("Ixx, kg·m²")[:2], read_heading("Total (kg)")[:2]) == (
        (("Cx", "in"), ("Ixx", "kg·m²"), ("line_mass", "kg"))
    )
    assert (read_heading("Ixx about origin [kg·m²]")[:2]) == (("Ixx", "kg·m²"))
    assert (
        read_heading("2σ mass [kg]")[:2],
        read_heading("2σ mass [kg]").levels,
        read_heading("sigma_Cx (%)").unit,
    ) == ((("sigma_mass", "kg"), (2.0,), "%"))
    assert (read_heading("Weighed").quantity, read_heading("Weighed (kg)").quantity) == (("weighed", ""))


def test_read_headings_example() -> None:
    assert ([heading.quantity for heading in read_headings(["Part Number", "LCG [in]", "TCG [in]", "VCG [in]"])]) == (
        ["part", "Cx", "Cy", "Cz"]
    )
    assert ([heading.quantity for heading in read_headings(["Part Number", "FS"])]) == (["part", ""])


def test_heading_unit_example() -> None:
    assert (heading_unit("Total / kg", "mass"), heading_unit("Total (g)", "mass"), heading_unit("Total", "mass")) == (
        ("kg", "g", "")
    )


def test_heading_sigma_levels_example() -> None:
    assert (
        (
            heading_sigma_levels("2σ mass", "sigma_mass"),
            heading_sigma_levels("U(mass)", "sigma_mass"),
            heading_sigma_levels("mass", "mass"),
        )
    ) == (((2.0,), (0.0,), ()))


def test_is_quantity_like_example() -> None:
    assert (is_quantity_like("Mass margin"), is_quantity_like("Supplier")) == ((True, False))


def test_is_header_like_example() -> None:
    assert (is_header_like(["Part Number", "Qty", "Weight (lb)"]), is_header_like(["Month", "Cost"])) == ((True, False))
    assert (is_header_like(["Group", "Weight (lb)"])) is True


def test_is_command_text_example() -> None:
    assert (is_command_text("mass [kg]"), is_command_text("a" * 81), is_command_text("a" + chr(7))) == (
        (True, False, False)
    )


def test_map_option_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    table = GridTable(TableSource("a.csv", "csv"), [["Part No", "", "X", "X"]])
    assert ([map_option(table, 0, j, "mass") for j in range(3)]) == (
        ["--map mass='Part No'", "--map mass=col:2", "--map mass=col:3"]
    )


def test_coordinate_of_header_example() -> None:
    assert (
        [coordinate_of_header(text) for text in ("East (mm)", "North (m)", "Elev. (mm)", "Length (m)", "N (pcs)")]
    ) == (["Cx", "Cy", "Cz", "", ""])


def test_is_heading_of_kind_example() -> None:
    assert (
        (
            is_heading_of_kind("growth", "Maturity margin"),
            is_heading_of_kind("limit", "Mass limit (kg)"),
            is_heading_of_kind("mass", "CBE total"),
        )
    ) == ((True, True, True))


def test_is_possible_mass_heading_example() -> None:
    assert (
        (
            is_possible_mass_heading("Total Weight"),
            is_possible_mass_heading("MEV [kg]"),
            is_possible_mass_heading("Supplier"),
        )
    ) == ((True, True, False))


def test_angle_unit_example() -> None:
    assert (angle_unit("[deg]"), angle_unit(" ° "), angle_unit("radians"), angle_unit("mm")) == (
        ("deg", "deg", "rad", None)
    )


def test_split_heading_unit_example() -> None:
    assert (_split_heading_unit("roll [deg]"), _split_heading_unit("yaw_rad"), _split_heading_unit("pitch")) == (
        (("roll ", "deg"), ("yaw", "rad"), ("pitch", ""))
    )


def test_with_pose_headings_example() -> None:
    texts = ["id", "tx [mm]", "ty [mm]", "tz [mm]", "yaw [deg]"]
    assert ([heading.quantity for heading in _with_pose_headings(texts, [Heading("id"), *[Heading("")] * 4])]) == (
        ["id", "tx", "ty", "tz", "yaw"]
    )


def test_method_percentages_example() -> None:
    assert (method_percentages({"Weighed": 0.5, "guessed": 30.0})) == (
        {"estimated": 10.0, "calculated": 5.0, "reconciled": 2.0, "weighed": 0.5, "guessed": 30.0}
    )


def test_method_spellings_example() -> None:
    assert (method_spellings({})["calc"], method_spellings({"Guessed": 30.0})["guessed"]) == (("calculated", "Guessed"))


def test_distribution_spellings_example() -> None:
    assert (distribution_spellings()["gaussian"]) == ("normal")


def test_word_codes_example() -> None:
    assert (word_codes(["Gauss", "", "flat", "odd"], distribution_spellings(), ["normal", "uniform"]).tolist()) == (
        [0, -1, 1, -2]
    )


def test_with_solid_columns_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "parent", "shape", "dims"], ["a", "", "sphere", "r=5 mm"]]
    assert (with_solid_columns(GridTable(TableSource("a.csv", "csv"), rows), 0, TableOptions()).row(0)[4:8]) == (
        ["mass [kg]", "Cx [m]", "Cy [m]", "Cz [m]"]
    )


def test_find_table_example() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "mass"], ["a", "1"], [], ["Note: estimates only"]]
    findings = Findings()
    table = find_table_of_pages(GridTable(TableSource("a.csv", "csv"), rows), TableOptions(), findings)
    assert (table.row(3), [finding.rule for finding in findings]) == ((["", ""], ["MP258"]))


def test_nearest_quantity_example() -> None:
    assert (
        [_nearest_quantity(text) for text in ("Mass CBE", "Margin [%]", "Izz about O", "Foo [kg]", "Price [€]", "CG Y")]
    ) == (["mass", "mga", "Izz", "mass", "", "Cy"])
