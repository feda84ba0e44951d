"""A frozen map: it gives the same result as finding out, and what has changed since is an error, not a guess."""

from __future__ import annotations

import json
import shutil
import tomllib
import zipfile
from dataclasses import fields
from pathlib import Path

import pytest

from massprops_cli.cli.commands.validate import _OPTION_FIELDS, _READ_KEYS
from massprops_cli.tables.options import TableOptions

from .conftest import assert_exit

SAMPLES = Path(__file__).parents[2] / "sample_data"
TABLES = {
    "titled.csv": "Rig,,,\n,,,\nITEM NO.,Part Number,Weight (lb),Cost\n1,A,,\n,,,\n1.1,B,2,5\n1.2,C,3,5\n",
    "percent.csv": "id;parent;Gewicht [kg];2σ Gewicht (%)\ntop;;;\na;top;1;5\nb;top;2;5\n",
    "units.tsv": "id\tparent\tmass\tCx\tCy\tCz\n\t\tkg\tmm\tmm\tmm\ntop\t\t\t\t\t\na\ttop\t2\t1\t0\t0\n",
    "several.csv": "id,parent,mass\ntop,,\na,top,2\n,,\n,,\nid,parent,mass\ntop,,\na,top,3\n",
    "marked.csv": "\ufeffid,parent,mass\ntop,,\na,top,2\n",
}
OPTIONS = {
    "several.csv": ["--table", "2"],
    "spacecraft.xlsx": ["--sheet", "BOM"],
    "percent.csv": ["--sigmas-are", "2"],
    "marked.csv": ["--unit", "mass=g", "--allow-missing", "sigma"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Work in a folder with all the tables."""
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("spacecraft.xlsx", "twelve_rows.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parts_without_configuration(name: str) -> object:
    """Return the bytes of a file; of a workbook its parts, without the sheet About, which names the configuration."""
    if not zipfile.is_zipfile(name):
        return Path(name).read_bytes()
    with zipfile.ZipFile(name) as book:
        parts = {part: book.read(part) for part in book.namelist()}
    about = [part for part, data in parts.items() if b"coloured cells of the table are computed" in data]
    assert len(about) == 1
    return {part: data for part, data in parts.items() if part not in about}


@pytest.mark.parametrize("name", [*TABLES, "spacecraft.xlsx", "twelve_rows.csv"])
def test_frozen_map_gives_the_same_bytes(run, name):
    options = OPTIONS.get(name, [])
    assert run("validate", name, *options, "--save-map", "map.toml").exit_code == 0
    suffix = Path(name).suffix
    assert run("rollup", name, *options, "-o", f"found{suffix}").exit_code == 0
    result = run("rollup", name, "--config", "map.toml", "-o", f"frozen{suffix}")
    assert result.exit_code == 0, result.output
    assert parts_without_configuration(f"frozen{suffix}") == parts_without_configuration(f"found{suffix}")


def test_map_states_every_decision(run):
    run("validate", "titled.csv", "--save-map", "map.toml")
    printed = tomllib.loads(Path("map.toml").read_text(encoding="utf-8"))
    assert printed == {
        "columns": {"item": "ITEM NO.", "part": "Part Number", "mass": "Weight (lb)"},
        "units": {"mass": "lb"},
        "read": {
            "from": "csv", "encoding": "utf-8", "delimiter": ",", "layout": "dotted", "assembly-values": "check",
            "frozen": True,
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("Weight (lb)", "Weight (kg)", "MP204"),
        ("Weight (lb)", "Mass", "MP204"),
        ("Part Number", "Drawing", "MP204"),
        ("Cost", "Qty", "MP245"),
        ("Cost", "Description", "MP245"),
    ],
)
def test_header_that_changed_is_an_error(run, old, new, rule):
    run("validate", "titled.csv", "--save-map", "map.toml")
    table = Path("titled.csv")
    table.write_text(table.read_text().replace(old, new))
    assert_exit(run("rollup", "titled.csv", "--config", "map.toml", "-o", "out.csv"), 1, f"error {rule}")
    assert rule in run("validate", "titled.csv", "--config", "map.toml", "--format", "concise").output
    assert not Path("out.csv").exists()


def test_unit_in_a_units_row_that_changed_is_an_error(run):
    run("validate", "units.tsv", "--save-map", "map.toml")
    table = Path("units.tsv")
    table.write_text(table.read_text().replace("\tkg\t", "\tlb\t"))
    assert_exit(run("rollup", "units.tsv", "--config", "map.toml", "-o", "out.tsv"), 1, "MP209", "--unit mass=kg", "lb")
    assert not Path("out.tsv").exists()


def test_table_that_is_not_a_number_is_rejected(run):
    Path("map.toml").write_text('[read]\ntable = "second"\n')
    result = run("rollup", "titled.csv", "--config", "map.toml")
    assert result.exit_code == 2
    assert "invalid read.table: second" in result.stderr


VARIANTS = "id,parent,mass,Qty A,Qty B\ntop,,,1,1\nwing,top,2,1,2\ntail,top,5,1,\n"


@pytest.mark.parametrize(
    ("options", "mass"),
    [
        (["--where", "mass < 3", "--where", "id != tail", "--map", "qty=Qty B"], 4),
        (["--qty-column", "Qty B", "--blank-qty", "0"], 4),
        (["--qty-column", "Qty B", "--blank-qty", "1"], 9),
    ],
)
def test_a_choice_of_rows_or_of_a_variant_is_kept(run, options, mass):
    Path("variants.csv").write_text(VARIANTS)
    assert run("validate", "variants.csv", *options, "--save-map", "map.toml").exit_code == 0
    report = json.loads(run("rollup", "variants.csv", "--config", "map.toml", "--format", "json").stdout)
    assert next(item for item in report["items"] if item["id"] == "top")["mass"] == mass


def test_a_variant_on_the_command_line_comes_before_the_frozen_one(run):
    Path("variants.csv").write_text(VARIANTS)
    run("validate", "variants.csv", "--qty-column", "Qty B", "--blank-qty", "0", "--save-map", "map.toml")
    result = run("rollup", "variants.csv", "--config", "map.toml", "--qty-column", "Qty A", "--format", "json")
    report = json.loads(result.stdout)
    assert next(item for item in report["items"] if item["id"] == "top")["mass"] == 7
    both = run("rollup", "variants.csv", "--config", "map.toml", "--all-variants", "--format", "json")
    assert json.loads(both.stdout)["variants"] == ["Qty A", "Qty B"]


def test_every_option_of_meaning_has_a_key():
    kept_elsewhere = {"map", "unit", "sigma_percent", "growth_table", "inertia_own"}
    not_of_the_table = {"use_sigmas", "write_poi", "caps", "used", "typed", "configuration"}
    kept_elsewhere |= {"conditions", "tanks", "styles", "envelopes", "robots"}  # tables such as [condition.NAME]
    not_of_the_table.add("use_auto_inertials")  # what a command does, not what a table means
    not_of_the_table.add("mesh_roots")  # a permission, which no file found next to a table may give
    keys = {_OPTION_FIELDS.get(key, key.replace("-", "_")) for key in _READ_KEYS}
    assert {f.name for f in fields(TableOptions)} - kept_elsewhere - not_of_the_table <= keys


def test_other_tables_and_comments_of_the_file_stay(run):
    mine = '# our budget\n[[budget]]\nitem = "Rig" # the whole\nmass-max = "9 lb"\n\n[units]\nCx = "mm"\n'
    Path("map.toml").write_text(mine)
    assert run("validate", "titled.csv", "--save-map", "map.toml", "--force").exit_code == 0
    text = Path("map.toml").read_text()
    assert text.startswith('# our budget\n[[budget]]\nitem = "Rig" # the whole\n')
    printed = tomllib.loads(text)
    assert printed["budget"] == [{"item": "Rig", "mass-max": "9 lb"}]
    assert printed["units"] == {"mass": "lb"}
    assert printed["read"]["frozen"] is True


def test_a_file_that_is_not_a_configuration_is_never_replaced(run):
    before = Path("titled.csv").read_bytes()
    Path("other.csv").write_bytes(before)
    for name, words in (("titled.csv", "file is an input"), ("other.csv", "not TOML")):
        result = run("validate", "titled.csv", "--save-map", name, "--force")
        assert result.exit_code == 2
        assert words in result.stderr
        assert Path(name).read_bytes() == before


def test_the_configuration_that_was_read_may_be_written(run):
    Path("map.toml").write_text("[units]\nmass = 'lb'\n")
    result = run("validate", "titled.csv", "--config", "map.toml", "--save-map", "map.toml", "--force")
    assert result.exit_code == 0, result.stderr
    assert "frozen = true" in Path("map.toml").read_text()


def test_existing_file_is_kept_unless_forced(run):
    Path("map.toml").write_text("# mine\n")
    result = run("validate", "titled.csv", "--save-map", "map.toml")
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert Path("map.toml").read_text() == "# mine\n"
    assert run("validate", "titled.csv", "--save-map", "map.toml", "--force").exit_code == 0
    assert "frozen = true" in Path("map.toml").read_text()


def test_table_with_errors_is_not_frozen(run):
    Path("bad.csv").write_text("id,parent,mass\ntop,,\na,top,heavy\n")
    result = run("validate", "bad.csv", "--save-map", "map.toml")
    assert result.exit_code == 2
    assert "1 error" in result.stderr
    assert not Path("map.toml").exists()


def test_frozen_without_a_map_reads_no_column(run):
    assert "MP245" in run("validate", "marked.csv", "--frozen", "--format", "concise").output


def test_a_table_of_the_map_that_holds_nothing_any_more_goes(run):
    Path("map.toml").write_text("[sigma-percent]\nestimated = 15\n")
    assert run("validate", "titled.csv", "--save-map", "map.toml", "--force").exit_code == 0
    assert "sigma-percent" not in tomllib.loads(Path("map.toml").read_text())
