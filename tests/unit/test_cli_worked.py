"""Worked examples of functions in the room cli."""

from __future__ import annotations

from massprops_cli.cli.command import _parse_gravity, command_option, split_option_ids, split_option_values
from massprops_cli.cli.completion import _quantity_names
from massprops_cli.cli.several_files import is_pattern
from massprops_cli.cli.stages.output_files import default_output_name
from massprops_cli.cli.stages.report_output import check_style, parse_report_options
from massprops_cli.cli.stages.table_input import parse_point_option, settings_without_variant
from massprops_cli.cli.streams import is_stream_name, progress_bar, progress_spinner


def test_quantity_names_example() -> None:
    assert ({"id", "mass", "Ixx", "Cx"} <= set(_quantity_names())) is True


def test_command_option_example() -> None:
    assert (command_option("samples").default) == (10000)


def test_split_option_values_example() -> None:
    assert (split_option_values(["radii,sigma", "coverage"])) == (("radii", "sigma", "coverage"))


def test_split_option_ids_example() -> None:
    assert (split_option_ids(['A, "B,1"', "C"])) == (("A", "B,1", "C"))


def test_parse_gravity_example() -> None:
    assert (_parse_gravity("0,0,-9.81"), _parse_gravity("")) == ((("0", "0", "-9.81"), None))


def test_is_pattern_example() -> None:
    assert (is_pattern("parts/*.csv"), is_pattern("bom.csv")) == ((True, False))


def test_default_output_name_example() -> None:
    assert (default_output_name("parts/bom.csv", "csv"), default_output_name("bom.ods", "ods")) == (
        ("parts/bom.rollup.csv", "bom.ods.rollup.xlsx")
    )


def test_check_style_example() -> None:
    check_style("validate", "sarif")


def test_parse_report_options_example() -> None:
    assert (parse_report_options(["junit=junit.xml"], ["bom.csv"])) == ([("junit", "junit.xml")])


def test_settings_without_variant_example() -> None:
    from massprops_cli.bom.settings import Settings

    assert (
        settings_without_variant(Settings(read={"qty-column": "B"}, columns={"qty": "B", "id": "Part"})).columns
    ) == ({"id": "Part"})


def test_parse_point_option_example() -> None:
    assert (parse_point_option("1,2.5,-3e2", "--datum")) == ((1.0, 2.5, -300.0))


def test_is_stream_name_example() -> None:
    assert (is_stream_name("-"), is_stream_name("bom.csv")) == ((True, False))


def test_progress_spinner_example() -> None:
    with progress_spinner("reading"):
        pass


def test_progress_bar_example() -> None:
    with progress_bar("computing 100 samples") as advance:
        advance(50, 100)
