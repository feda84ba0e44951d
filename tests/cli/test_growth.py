"""Growth on the command line: --config growth-table=…, [growth] of massprops.toml, --add growth, inspect."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TABLE = """\
id,parent,mass [kg],category,maturity
SAT,,,,
TANK,SAT,10,propulsion,estimated
BOX,SAT,20,box,new
"""
OWN = "category,estimated,new\nany,30,50\npropulsion,10,20\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bom.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "own.csv").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def predicted(result: Any) -> list[float]:
    assert result.exit_code == 0, result.output
    return [item["predicted_mass"] for item in json.loads(result.stdout)["items"]]


def test_table_of_the_user(folder: Path, massprops: Run) -> None:
    done = massprops("rollup", "bom.csv", "--growth-table", "own.csv", "--format", "json")
    assert predicted(done) == pytest.approx([10 * 1.1 + 20 * 1.5, 11.0, 30.0])


def test_table_of_the_configuration_lies_next_to_it(
    folder: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "massprops.toml").write_text('[growth]\ntable = "own.csv"\n', encoding="utf-8")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert predicted(massprops("rollup", "../bom.csv", "--format", "json"))[0] == pytest.approx(41.0)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[growth]\ntabel = 'own.csv'\n", "unknown key: growth.tabel; the nearest is table"),
        ("[growth]\ntable = 3\n", "growth.table is not a text: 3 (expected a file name"),
        ("growth = 'own.csv'\n", "growth is not a table; write [growth]"),
        ("[growth]\ntable = 'none.csv'\n", "growth table cannot be read: none.csv"),
    ],
)
def test_configuration_that_is_wrong(text: str, reported: str, folder: Path, massprops: Run) -> None:
    (folder / "massprops.toml").write_text(text, encoding="utf-8")
    done = massprops("rollup", "bom.csv")
    assert done.exit_code == 2
    assert reported in done.output


def test_word_that_is_not_in_the_table_is_an_error_and_never_zero(folder: Path, massprops: Run) -> None:
    done = massprops("rollup", "bom.csv", "--growth-table", "maturity-by-category")
    assert done.exit_code == 1
    assert "MP620" in done.output
    assert not (folder / "bom.rollup.csv").exists()


def test_columns_to_the_right(folder: Path, massprops: Run) -> None:
    done = massprops("rollup", "bom.csv", "--growth-table", "own.csv", "--add", "growth")
    assert done.exit_code == 0, done.output
    assert "basic mass 30 + growth allowance 11 (36.7 %) = predicted mass 41 kg" in done.output
    with (folder / "bom.rollup.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["predicted_mass [kg]"] for row in rows] == ["41", "11", "30"]
    assert [row["allowance_mass [kg]"] for row in rows] == ["11", "1", "10"]
    again = massprops("rollup", "bom.rollup.csv", "--growth-table", "own.csv", "-o", "again.csv")
    assert again.exit_code == 0, again.output
    assert (folder / "again.csv").read_bytes() == (folder / "bom.rollup.csv").read_bytes()


def test_check_takes_predicted_masses(folder: Path, massprops: Run) -> None:
    (folder / "budget.toml").write_text('[[budget]]\nitem = "SAT"\nmass-max = "40 kg"\n', encoding="utf-8")
    options = "--budget", "budget.toml", "--format", "full"
    assert massprops("check", "bom.csv", *options).exit_code == 0
    done = massprops("check", "bom.csv", *options, "--growth-table", "own.csv")
    assert done.exit_code == 1
    assert "predicted mass 41 kg is above 40 kg by 1 kg" in done.output


def test_frozen_map_keeps_the_growth_table(folder: Path, massprops: Run) -> None:
    done = massprops("validate", "bom.csv", "--growth-table", "own.csv", "--save-map", "map.toml")
    assert done.exit_code == 0, done.output
    assert '[growth]\ntable = "own.csv"' in (folder / "map.toml").read_text(encoding="utf-8")
    done = massprops("rollup", "bom.csv", "--config", "map.toml", "--format", "json")
    assert predicted(done)[0] == pytest.approx(41.0)


def test_subtotals_next_to_growth(folder: Path, massprops: Run) -> None:
    import openpyxl

    done = massprops("rollup", "bom.csv", "--growth-table", "own.csv", "--by", "category", "-o", "out.xlsx")
    assert done.exit_code == 0, done.output
    header, first, *others = openpyxl.load_workbook("out.xlsx")["Rollup"].iter_rows(values_only=True)
    at = header.index("predicted mass [kg]")
    assert first[at] == 41
    assert [row[at] for row in others if row[1] == "by category"] == [None, None]


def test_growth_is_a_number_where_formats_have_types(folder: Path, massprops: Run) -> None:
    (folder / "mga.csv").write_text("id,parent,mass,mga [%]\nSAT,,,\nA,SAT,2,7.5\n", encoding="utf-8")
    done = massprops("convert", "mga.csv", "--to", "json")
    assert json.loads(done.stdout)[1]["mga [%]"] == 7.5
    kept = massprops("rollup", "mga.csv", "--where", "mga [%] = 7.50", "--format", "json", "-o", "out.csv")
    assert len(json.loads(kept.stdout)["items"]) == 2


def test_inspect_names_the_growth_table(folder: Path, massprops: Run) -> None:
    def printed(*options: str) -> str:
        return json.loads(massprops("validate", "bom.csv", *options, "--format", "json").stdout)["reading"]["growth"]

    assert printed() == ""
    assert printed("--growth-table", "own.csv") == "the table own.csv, by category and maturity"
    head, *rows = TABLE.splitlines()
    (folder / "bom.csv").write_text("\n".join([f"{head},mga [%]", *(f"{row},5" for row in rows)]), encoding="utf-8")
    assert printed() == "the column mga [%]"
    assert (
        printed("--growth-table", "own.csv") == "the column mga [%], else the table own.csv, by category and maturity"
    )
    assert "the table own.csv" in massprops("validate", "bom.csv", "--growth-table", "own.csv").output
