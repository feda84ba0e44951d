"""A rolled-up workbook that is rolled up again: the same file, or an edited one that is written once."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

TABLE = "id,parent,mass [kg]\nS,,\nA,S,1\nB,S,2\n"


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sheets About that are made while workbooks are edited."""
    from massprops_cli.files.workbook import editor as files

    made: list[str] = []
    edit = files.edit_workbook

    def counted(*arguments: object) -> object:
        made.append("edit")
        return edit(*arguments)  # type: ignore[arg-type] # passed on as they are

    monkeypatch.setattr(files, "edit_workbook", counted)
    return made


def rolled_up_twice(folder: Path, run) -> Path:
    (folder / "bom.csv").write_text(TABLE, encoding="utf-8")
    assert run("rollup", folder / "bom.csv", "-o", folder / "one.xlsx").exit_code == 0
    assert run("rollup", folder / "one.xlsx", "-o", folder / "two.xlsx").exit_code == 0
    return folder / "two.xlsx"


def test_the_same_workbook_stays_the_same(tmp_path: Path, run, writes: list[str]) -> None:
    two = rolled_up_twice(tmp_path, run)
    writes.clear()
    assert run("rollup", two, "-o", tmp_path / "three.xlsx").exit_code == 0
    assert (tmp_path / "three.xlsx").read_bytes() == two.read_bytes()
    assert writes == ["edit"]


def test_an_edited_workbook_is_written_once(tmp_path: Path, run, writes: list[str]) -> None:
    two = rolled_up_twice(tmp_path, run)
    book = openpyxl.load_workbook(two)
    sheet = book.worksheets[0]
    (cell,) = [row[2] for row in sheet.iter_rows(min_row=2) if row[0].value == "A"]
    cell.value = 5
    book.save(tmp_path / "edited.xlsx")
    writes.clear()
    assert run("rollup", tmp_path / "edited.xlsx", "-o", tmp_path / "three.xlsx").exit_code == 0
    assert writes == ["edit"]
    made = openpyxl.load_workbook(tmp_path / "three.xlsx")
    assert made.sheetnames == book.sheetnames
    assert [row[2] for row in made.worksheets[0].values if row[0] == "S"] == [7]
    about = {row[0]: row[1] for row in made["About"].values}
    assert "edited.xlsx" in about.values()


GROUPS = "Item,Mass [kg]\nStructure,\nPanel A,2.5\nPanel B,2.5\nPower,\nBattery,5\nCells,1.25\n"


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_results_of_groups_are_no_parts(tmp_path: Path, run, suffix: str) -> None:
    """Groups of 5 and 6.25 kg, which are sums of few digits: the marks or the name of the file decide."""
    list_, one, two = tmp_path / f"list.{suffix}", tmp_path / f"list.rollup.{suffix}", tmp_path / f"two.{suffix}"
    (tmp_path / "list.csv").write_text(GROUPS, encoding="utf-8")
    if suffix == "xlsx":
        book = openpyxl.Workbook()
        for line in GROUPS.splitlines():
            name, mass = line.split(",")
            book.active.append([name, float(mass) if mass[:1].isdigit() else mass or None])
        book.save(list_)
    assert run("rollup", list_).exit_code == 0
    done = run("rollup", one, "-o", two)
    assert (done.exit_code, "11.25" in done.output) == (0, True)
    assert one.read_bytes() == two.read_bytes()
    if suffix == "xlsx":  # the marks are known under another name, and after a change
        book = openpyxl.load_workbook(two)
        book.worksheets[0]["B3"] = 3
        book.save(tmp_path / "edited.xlsx")
        done = run("rollup", tmp_path / "edited.xlsx", "-o", two)
        assert (done.exit_code, "11.75" in done.output) == (0, True)
        assert openpyxl.load_workbook(two).worksheets[0]["B2"].value == 5.5
