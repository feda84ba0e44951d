"""Private functions of ``cli``: worked examples."""

from __future__ import annotations

import inspect

from massprops_cli.bom.configuration_file import _key_words
from massprops_cli.bom.settings import Settings
from massprops_cli.bom.whatif_draft import split_assignment
from massprops_cli.cli.app import _flatten_options, _help_table, _option_row, _wrapped_paragraphs
from massprops_cli.cli.command import InputOptions
from massprops_cli.cli.commands.rules import COMMAND, command
from massprops_cli.cli.commands.validate import _option_keys
from massprops_cli.cli.stages.output_files import (
    _backup_name,
    _covariance_format,
    _covariance_unit,
    default_output_name,
)
from massprops_cli.cli.stages.report_output import _expand_rule_names
from massprops_cli.cli.stages.table_input import _column_map_origins, _named_columns, parse_quantity_pairs
from massprops_cli.cli.streams import _escape_unencodable, _is_encodable
from massprops_cli.options import named_option
from massprops_cli.tables.options import TableOptions


def test_help_table() -> None:
    rows = [("--sheet NAME", "Worksheet."), ("-q", "Print errors only.")]
    assert _help_table(rows) == "  --sheet NAME  Worksheet.\n  -q            Print errors only."


def test_option_row() -> None:
    assert (
        _option_row(named_option("fail-on"))[1]
        == "Lowest severity that gives exit code 1: error | warning | note | never. Default: error."
    )


def test_wrapped_paragraphs() -> None:
    assert _wrapped_paragraphs("one" + chr(10) + "two" + chr(10) * 2 + "three") == ["one two", "three"]


def test_flatten_options() -> None:
    assert list(inspect.signature(_flatten_options(command, COMMAND)).parameters) == ["context", "code"]


def test_option_keys() -> None:
    assert _option_keys(TableOptions(poi="-", sigma_level=2, allow_missing=frozenset({"sigma", "mass"}))) == {
        "sigmas-are": 2,
        "poi": "-",
        "allow-missing": "mass,sigma",
    }


def test_assignment() -> None:
    assert split_assignment("P.1.mass=2.2", "--set") == ("P.1.mass", 2.2)


def test_default_output_name() -> None:
    assert default_output_name("x/a.csv.gz", "csv") == "x/a.rollup.csv.gz"
    assert default_output_name("bom.xls", "xlsx") == "bom.xls.rollup.xlsx"
    assert default_output_name("bom.ods", "xlsx") == "bom.ods.rollup.xlsx"
    assert default_output_name("bom.xlsx", "xlsx") == "bom.rollup.xlsx"
    assert default_output_name("bom", "csv") == "bom.rollup.csv"


def test_backup_name() -> None:
    assert _backup_name("a.csv.gz") == "a.bak.csv.gz"
    assert _backup_name("bom.xlsx") == "bom.bak.xlsx"
    assert _backup_name("bom.xlsx", 2) == "bom.bak2.xlsx"


def test_covariance_format() -> None:
    assert _covariance_format("a.parquet") == "parquet"
    assert _covariance_format("b.JSON") == "json"


def test_covariance_unit() -> None:
    assert _covariance_unit("kg", "m", 0, 4) == "kg^2*m^2"
    assert _covariance_unit("kg", "m", 1, 1) == "m^2"
    assert _covariance_unit("", "", 0, 0) == ""


def test_expand_rule_names() -> None:
    assert sorted(_expand_rule_names(["MP50", "duplicate-id"]))[:2] == ["MP301", "MP501"]


def test_key_words() -> None:
    assert _key_words(named_option("sigmas-are")) == ("1", "2", "3")


def test_named_columns() -> None:
    settings = Settings(columns={"id": "Part", "qty": "Variant A"})
    assert _named_columns(InputOptions(file="", map=["mass=W"], qty_column=["Variant B"]), settings) == {
        "id": "Part",
        "mass": "W",
    }


def test_parse_quantity_pairs() -> None:
    assert parse_quantity_pairs(["id=Part Number", "mass=W=kg"], "--map", "HEADER") == {
        "id": "Part Number",
        "mass": "W=kg",
    }


def test_column_map_origins() -> None:
    run = InputOptions(file="", map=["mass=W"])
    vars(run)["settings"] = Settings(columns={"id": "A", "mass": "B"}, files=("massprops.toml",))
    assert _column_map_origins(run) == {"id": "massprops.toml", "mass": "--map"}


def test_is_encodable() -> None:
    assert not _is_encodable("ascii", "σ")
    assert _is_encodable("latin-1", "×")


def test_escape_unencodable() -> None:
    assert _escape_unencodable("ascii", "x") == "x"
    assert _escape_unencodable("ascii", "×") == "\\u00d7"
    assert _escape_unencodable("ascii", "😀") == "\\ud83d\\ude00"
    assert _escape_unencodable("latin-1", "×") == "×"
