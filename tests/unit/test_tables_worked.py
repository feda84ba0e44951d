"""Worked examples of functions in the room tables."""

from __future__ import annotations

from massprops_cli.tables.options import TableOptions, combine_allowed_missing, parse_allowed_missing


def test_table_options_command_with_example() -> None:
    assert (TableOptions().command_with("my bom.csv", "mass-is")("line")) == (
        "massprops rollup 'my bom.csv' --mass-is line"
    )
    assert (TableOptions(typed=("tree", "a.csv", "--mass-is=each", "-v")).command_with("a.csv", "mass-is")("line")) == (
        "massprops tree a.csv -v --mass-is line"
    )


def test_table_options_command_line_example() -> None:
    from massprops_cli.files.table import TableSource

    assert (TableOptions(layout="flat").command_line(TableSource("my list.csv", "csv"), "--map", "mass=Weight")) == (
        "massprops rollup 'my list.csv' --layout flat --map mass=Weight"
    )


def test_table_options_completed_hint_example() -> None:
    from massprops_cli.files.table import TableSource

    of_file, given = TableSource("a.csv", "csv"), TableOptions(typed=("tree", "a.csv", "--layout", "flat"))
    assert (given.completed_hint("run massprops rollup a.csv --skip-row B", of_file)) == (
        "run massprops tree a.csv --layout flat --skip-row B"
    )


def test_table_options_root_name_example() -> None:
    from massprops_cli.files.table import TableSource

    assert ([TableOptions.root_name(TableSource(name, "csv")) for name in ("parts/bom.csv.gz", "-")]) == (
        ["bom", "(all)"]
    )


def test_table_options_of_variant_example() -> None:
    assert (TableOptions().of_variant("Variant B").map) == ({"qty": "Variant B"})


def test_parse_allowed_missing_example() -> None:
    assert (
        sorted(parse_allowed_missing("mass")),
        sorted(parse_allowed_missing("none")),
        len(parse_allowed_missing("all")),
    ) == ((["inertia", "mass", "sigma"], [], 4))


def test_combine_allowed_missing_example() -> None:
    assert (
        sorted(combine_allowed_missing(["mass", "center"])),
        sorted(combine_allowed_missing(["mass", "none", "center"])),
    ) == ((["center", "inertia", "mass", "sigma"], ["center"]))
