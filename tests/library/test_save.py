"""Results and tables are written to files as the commands write them."""

from __future__ import annotations

import hashlib
import io
import pickle
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import massprops_cli as mp
from massprops_cli.cli.app import run_command_line
from massprops_cli.files.workbook.editor import own_sheet_texts

TEXT = "id,parent,supplier,mass [kg],sigma_mass [kg]\nSAT,,,,\nTANK,SAT,0042,3,0.3\nPLD,SAT,ACME,5,0.4\n"
MASS, SIGMA = 8.0, 0.5
"""3 + 5 kg; √(0.3² + 0.4²) kg."""
FORMATS = ("csv", "tsv", "xlsx", "json", "jsonl", "parquet", "feather", "md")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "bom.csv"
    path.write_text(TEXT, "utf-8")
    return path


def workbook(folder: Path, name: str = "bom.xlsx") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in csv_rows():
        sheet.append(row)
    book.create_sheet("Notes")["A1"] = "kept"
    book.save(folder / name)
    return folder / name


def csv_rows() -> list[list[object]]:
    return [["id", "parent", "mass [kg]"], ["SAT", None, None], ["TANK", "SAT", 3], ["PLD", "SAT", 5]]


def run_rollup(*arguments: str | Path) -> None:
    assert run_command_line(["rollup", *map(str, arguments), "-q"]) == 0


@pytest.mark.parametrize("format", FORMATS)
def test_a_result_is_written_in_every_format(format: str, path: Path, tmp_path: Path) -> None:
    out = tmp_path / f"out.{format}"
    assert mp.rollup(path).save(out) == []
    read = mp.read_bom(out)
    assert (list(read), read["SAT"].mass, read["TANK"].mass) == (["SAT", "TANK", "PLD"], MASS, 3.0)
    assert read["SAT"].sigma_mass == pytest.approx(SIGMA)
    assert "0042" in read.table.texts(2)


@pytest.mark.parametrize("format", FORMATS)
def test_a_table_is_written_in_every_format(format: str, path: Path, tmp_path: Path) -> None:
    out = tmp_path / f"out.{format}"
    assert mp.read_bom(path).save(str(out)) == []
    read = mp.read_bom(out)
    assert mp.rollup(read).root.mass == MASS
    assert read.table.row(1) == ["SAT", "", "", "", ""]


@pytest.mark.parametrize("format", ["csv", "json", "parquet", "md"])
def test_a_result_is_written_as_by_the_command(format: str, path: Path, tmp_path: Path) -> None:
    one, other = tmp_path / f"one.{format}", tmp_path / f"other.{format}"
    mp.rollup(path).save(one, add="sigma,radii", sigma_level=3)
    run_rollup(path, "-o", other, "--add", "sigma,radii", "--sigma-level", "3")
    assert one.read_bytes() == other.read_bytes()


def test_a_workbook_is_edited_as_by_the_command(tmp_path: Path) -> None:
    source = workbook(tmp_path)
    mp.rollup(source).save(tmp_path / "one.xlsx")
    run_rollup(source, "-o", tmp_path / "other.xlsx")
    one, other = (zipfile.ZipFile(tmp_path / name) for name in ("one.xlsx", "other.xlsx"))
    with one, other:
        assert one.namelist() == other.namelist()
        sheet = "xl/worksheets/sheet1.xml"
        assert one.read(sheet) == other.read(sheet)
    book = openpyxl.load_workbook(tmp_path / "one.xlsx")
    assert book["Notes"]["A1"].value == "kept"
    assert book.worksheets[0]["C2"].value == MASS


def test_a_workbook_in_memory_is_edited_also_after_a_pickle(tmp_path: Path) -> None:
    result = mp.rollup(io.BytesIO(workbook(tmp_path).read_bytes()))
    for made in (result, pickle.loads(pickle.dumps(result))):
        made.save(tmp_path / "out.xlsx")
        book = openpyxl.load_workbook(tmp_path / "out.xlsx")
        assert (book["Notes"]["A1"].value, book.worksheets[0]["C2"].value) == ("kept", MASS)


@pytest.mark.parametrize("format", FORMATS)
def test_the_roll_up_of_a_frame_is_written(format: str, tmp_path: Path) -> None:
    frame = pd.read_csv(io.StringIO(TEXT), dtype={"supplier": str})
    mp.rollup(frame).save(tmp_path / f"out.{format}")
    assert mp.read_bom(tmp_path / f"out.{format}")["SAT"].mass == MASS


def test_format_and_suffix_may_differ(path: Path, tmp_path: Path) -> None:
    mp.rollup(path).save(tmp_path / "out.txt", format="json")
    assert pd.read_json(tmp_path / "out.txt")["mass [kg]"].tolist() == [8, 3, 5]


def test_an_existing_file_is_replaced_and_the_input_is_not(path: Path, tmp_path: Path) -> None:
    result, out = mp.rollup(path), tmp_path / "out.csv"
    out.write_text("old", "utf-8")
    result.save(out)
    assert mp.read_bom(out)["SAT"].mass == MASS
    for save in (result.save, result.bom.save):
        with pytest.raises(mp.UsageError, match="output file is the input file"):
            save(path)
    assert path.read_text("utf-8") == TEXT


def test_findings_of_writing_are_returned(tmp_path: Path) -> None:
    rows = [{"id": "SAT", "parent": ""}, {"id": "A", "parent": "SAT", "mass [kg]": 3.0}, {"id": "B", "parent": "SAT"}]
    bom = mp.Bom.from_records(rows, allow_missing="all")
    found = mp.rollup(bom).save(tmp_path / "out.csv")
    assert [finding.rule for finding in found] == ["MP290"]
    assert "coverage_mass" in (tmp_path / "out.csv").read_text("utf-8").splitlines()[0]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.docx", {}, r"suffix is not that of an output format: '.docx' \(expected csv"),
        ("out.csv", {"format": "xls"}, r"invalid format: xls \(expected one of csv"),
        ("out.csv", {"add": "colour"}, "invalid add: colour"),
        ("out.csv", {"sigma_level": 0}, "sigma_level is not an integer from 1 to 3: 0"),
    ],
)
def test_wrong_outputs_are_usage_errors(
    name: str, options: dict[str, object], message: str, path: Path, tmp_path: Path
) -> None:
    with pytest.raises(mp.UsageError, match=message):
        mp.rollup(path).save(tmp_path / name, **options)  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(mp.UsageError, match="path is not a file name: 3"):
        mp.rollup(path).save(3)  # type: ignore[arg-type] # wrong on purpose
    assert not (tmp_path / name).exists()


def test_a_file_that_cannot_be_written_is_an_output_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(mp.OutputError):
        mp.rollup(path).save(tmp_path / "none" / "out.csv")
    source = workbook(tmp_path)
    result = mp.rollup(source)
    source.unlink()
    with pytest.raises(mp.MasspropsError, match=r"bom\.xlsx"):
        result.save(tmp_path / "out.xlsx")
    assert not (tmp_path / "out.xlsx").exists()


@pytest.mark.parametrize("is_open", [False, True])
def test_the_sheet_about_states_the_input_and_no_command(
    is_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    table = tmp_path / "bom.csv"
    table.write_text("id,parent,mass [kg]\nSAT,,\nTANK,SAT,3\n", "utf-8")
    source = io.BytesIO(table.read_bytes()) if is_open else table
    mp.rollup(source).save(tmp_path / "out.xlsx")
    stated = {row[0]: row[1] for row in own_sheet_texts(tmp_path / "out.xlsx", "About") if len(row) > 1}
    assert stated["input"] == ("file" if is_open else "bom.csv")
    assert stated["SHA-256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert stated["date"] == "1970-01-02"
    assert stated["configuration"] == "none"
    assert "command" not in stated


def test_a_workbook_that_was_saved_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first.xlsx", tmp_path / "second.xlsx"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    mp.rollup(mp.Bom.from_records([{"id": "SAT", "parent": ""}, {"id": "A", "parent": "SAT", "mass [kg]": 1.0}])).save(
        first
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "864000")
    mp.rollup(first).save(second)
    mp.rollup(second).save(first)
    assert first.read_bytes() == second.read_bytes()
