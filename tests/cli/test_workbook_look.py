"""The look of the workbook that is written: formats, outline, print settings, origin; and what does not change."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

SAMPLES = Path(__file__).parents[2] / "sample_data"
ROWS = (
    ("id", "parent", "name", "qty", "mass [g]", "sigma_mass [g]", "MGA [%]"),
    ("a2", "A", "bracket", 2, 1.5, 0.012, 10),
    ("A", "top", "frame", 1, None, None, None),
    ("b", "top", "box", 1, 1234.25, 3, 5),
    ("top", None, "assembly", 1, None, None, None),
)
Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a workbook: parts before their assembly, numbers of three decimals, a narrow column."""
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Parts"
    for row in ROWS:
        sheet.append(row)
    for row in (2, 4):
        sheet.cell(row, 5).number_format = "#,##0.000"
    sheet.cell(5, 5).font = Font(bold=True)
    sheet.column_dimensions["E"].width = 6
    sheet.column_dimensions["C"].width = 20
    book.create_sheet("Notes").append(["kept"])
    book.save("bom.xlsx")
    return tmp_path


def rolled(run: Run, *arguments: str, name: str = "bom.rollup.xlsx") -> Any:
    done = run("rollup", "bom.xlsx", "-o", name, *arguments)
    assert done.exit_code == 0, done.output
    return openpyxl.load_workbook(name)


@pytest.mark.usefixtures("folder")
def test_computed_cells_take_format_and_width_of_their_column(massprops: Run) -> None:
    sheet = rolled(massprops)["Parts"]
    root, frame = sheet["E5"], sheet["E3"]
    assert (root.value, frame.value) == (pytest.approx(1237.25), pytest.approx(3.0))
    for cell in (root, frame):
        assert (cell.number_format, cell.fill.fgColor.rgb) == ("#,##0.000", "FFE2EFFB")
    assert (root.font.b, frame.font.b) == (True, False)
    # a column without a format gets one from its sigmas, 0.012 × √2 = 0.017 and 3.0
    assert (sheet["F5"].number_format, sheet["F4"].number_format) == ("0.000", "General")
    # 1,237.250 has nine characters
    assert sheet.column_dimensions["E"].width >= 9
    assert sheet.column_dimensions["C"].width == 20


@pytest.mark.usefixtures("folder")
def test_mark_goes_from_a_cell_that_is_not_computed_any_more(massprops: Run) -> None:
    book = rolled(massprops)
    sheet = book["Parts"]
    sheet["B4"], sheet["B2"], sheet["D3"] = "A", "A", 1
    sheet.delete_rows(5)
    sheet["B3"] = None
    sheet.insert_rows(5)
    for column, value in enumerate(("c", "A", "lid", 1, 7.0, 0.1, 0), 1):
        sheet.cell(5, column).value = value
    sheet["E5"]._style = sheet["E3"]._style
    book.save("bom.xlsx")
    again = rolled(massprops)["Parts"]
    assert again["E5"].fill.fgColor.rgb != "FFE2EFFB"
    assert again["E5"].number_format == "#,##0.000"
    assert again["E3"].value == pytest.approx(3 + 1234.25 + 7)


@pytest.mark.usefixtures("folder")
def test_rollup_lists_the_root_first_with_levels(massprops: Run) -> None:
    sheet = rolled(massprops)["Rollup"]
    assert [cell.value for cell in sheet["A"]] == ["id", "top", "A", "a2", "b"]
    assert [sheet.row_dimensions[row].outlineLevel for row in range(2, 6)] == [0, 1, 2, 1]
    assert [sheet.cell(row, 1).alignment.indent for row in range(2, 6)] == [0, 1, 2, 1]
    assert [bool(sheet.cell(row, 5).font.b) for row in range(2, 6)] == [True, True, False, False]


@pytest.mark.usefixtures("folder")
def test_rollup_has_main_columns_in_sight_and_the_others_closed(massprops: Run) -> None:
    sheet = rolled(massprops)["Rollup"]
    heads = [str(cell.value) for cell in sheet[1]]
    main = ["id", "name", "qty", "mass [g]", "σ mass [g]", "growth [%]", "predicted mass [g]"]
    assert heads[: len(main) + 2] == [*main, "mass known", "parent"]
    group = sheet.column_dimensions["I"]
    assert (group.hidden, group.outlineLevel) == (True, 1)
    assert sheet.column_dimensions["H"].collapsed
    assert not any(sheet.column_dimensions[letter].hidden for letter in "ABCDEFGH")
    assert all(len(str(sheet.cell(row, 2).value)) < sheet.column_dimensions["B"].width for row in range(1, 6))


def test_coordinates_that_no_item_has_get_no_column(massprops: Run, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("Item", "Mass [kg]", "Arm [m]"), ("Engine", 120, 1.5), ("Wing", 200, 2.25)):
        book.active.append(row)  # type: ignore[union-attr] # a new workbook has a sheet
    book.save(tmp_path / "arms.xlsx")
    written = tmp_path / "out.xlsx"
    massprops("rollup", str(tmp_path / "arms.xlsx"), "-o", str(written), "--keep-going")
    header = [cell.value for cell in openpyxl.load_workbook(written)["Rollup"][1]]
    assert "Cx [m]" in header
    assert not {"Cy [m]", "Cz [m]"} & set(header)


@pytest.mark.usefixtures("folder")
def test_numbers_have_two_digits_of_their_sigma(massprops: Run) -> None:
    sheet = rolled(massprops)["Rollup"]
    shown = {sheet.cell(row, 1).value: sheet.cell(row, 4).number_format.replace("_0", "") for row in range(2, 6)}
    # sigmas: 0.012 of one piece, 0.012 × √2 = 0.017 of two, 3.0 of the box and of the root
    assert shown == {"a2": "0.000", "A": "0.000", "b": "0.0", "top": "0.0"}
    assert sheet["E2"].number_format == sheet["D2"].number_format
    assert sheet["D2"].value == pytest.approx(1237.25)


@pytest.mark.usefixtures("folder")
def test_own_sheets_print_on_one_page_width(massprops: Run) -> None:
    book = rolled(massprops)
    for name in ("Rollup", "Findings", "About"):
        sheet = book[name]
        assert sheet.sheet_properties.pageSetUpPr.fitToPage, name
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
    assert book["Rollup"].freeze_panes == "C2"
    assert (book["Rollup"].print_title_rows, book["Rollup"].print_title_cols) == ("$1:$1", "$A:$B")
    assert book["Findings"].auto_filter.ref is not None
    assert book["Findings"]["G2"].alignment.wrap_text
    assert book["Parts"].print_title_rows is None


@pytest.mark.usefixtures("folder")
def test_new_workbook_has_print_titles(massprops: Run) -> None:
    Path("b.csv").write_text("id,parent,mass\nt,,\na,t,1\n", encoding="utf-8")
    assert massprops("rollup", "b.csv", "--to", "xlsx").exit_code == 0
    book = openpyxl.load_workbook("b.csv.rollup.xlsx")
    assert (book["Rollup"].print_title_rows, book["BOM"].print_title_rows) == ("$1:$1", "$1:$1")


@pytest.mark.usefixtures("folder")
def test_about_states_the_origin(massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(2 * 365 * 86400))  # two years after 1970-01-01
    Path("massprops.toml").write_text("[units]\n", encoding="utf-8")
    about = {row[0]: row[1] for row in rolled(massprops)["About"].values}
    assert about["input"] == "bom.xlsx"
    assert about["SHA-256"] == hashlib.sha256(Path("bom.xlsx").read_bytes()).hexdigest()
    assert about["date"] == "1972-01-01"
    assert about["command"] == "massprops rollup bom.xlsx -o bom.rollup.xlsx"
    assert about["configuration"] == "massprops.toml"
    assert "origin 0,0,0" in about["frame"]
    assert "∫xy dm" in about["products"]
    assert about["uncertainty"].startswith("covariance")


@pytest.mark.usefixtures("folder")
def test_twice_is_once_on_another_day(massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    rolled(massprops)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert massprops("rollup", "bom.rollup.xlsx", "-o", "twice.xlsx").exit_code == 0
    assert Path("twice.xlsx").read_bytes() == Path("bom.rollup.xlsx").read_bytes()
    # another result is another run
    assert massprops("rollup", "bom.rollup.xlsx", "--uncertainty", "none", "-o", "other.xlsx").exit_code == 0
    about = {row[0]: row[1] for row in openpyxl.load_workbook("other.xlsx")["About"].values}
    assert (about["input"], about["date"]) == ("bom.rollup.xlsx", "1970-01-02")


@pytest.mark.usefixtures("folder")
def test_invalid_date_is_a_usage_error(massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    done = massprops("rollup", "bom.xlsx")
    assert done.exit_code == 2
    assert "SOURCE_DATE_EPOCH is not a number of seconds: today" in done.output


def test_only_the_listed_members_change(massprops: Run, tmp_path: Path) -> None:
    """Sheet 2 has formulas of the cells that are filled: their old values are removed."""
    source = Path(shutil.copy(SAMPLES / "spacecraft.xlsx", tmp_path))
    assert massprops("rollup", source, "-o", tmp_path / "out.xlsx").exit_code == 0
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(tmp_path / "out.xlsx") as new:
        changed = {name for name in old.namelist() if old.read(name) != new.read(name)}
    listed = (
        r"\[Content_Types\].xml|docProps/app.xml|xl/(styles|workbook).xml|xl/_rels/workbook.xml.rels|xl/calcChain.xml"
    )
    sheet = r"xl/worksheets/(sheet[12].xml|_rels/sheet1.xml.rels)|xl/comments.*|xl/drawings/.*vml"
    assert {name for name in changed if not re.fullmatch(f"{listed}|{sheet}", name)} == set()
    assert "xl/worksheets/sheet1.xml" in changed


def test_diff_and_contributions_name_their_sheets(massprops: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,parent,mass [kg],sigma_mass\nt,,,\na,t,1.25,0.1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,parent,mass [kg],sigma_mass\nt,,,\na,t,2.5,0.1\n", encoding="utf-8")
    for _ in range(2):  # the second run replaces the file of the first
        assert massprops("diff", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "d.xlsx").exit_code == 0
        assert massprops("contributions", tmp_path / "a.csv", "-o", tmp_path / "c.xlsx").exit_code == 0
    for name, titles in (("d.xlsx", ["Totals", "Diff"]), ("c.xlsx", ["Contributions"])):
        book = openpyxl.load_workbook(tmp_path / name)
        assert book.sheetnames == titles
        title = titles[-1]
        sheet = book[title]
        assert (sheet.freeze_panes, sheet.print_title_rows) == ("B2", "$1:$1")
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet["A1"].fill.fgColor.rgb == "FF1F3A5F"
    book = openpyxl.load_workbook(tmp_path / "d.xlsx")
    heads, row = ([cell.value for cell in book["Diff"][k]] for k in (1, 2))
    assert dict(zip(heads, row, strict=True))["Δ mass [kg]"] == 1.25
    assert [list(row) for row in book["Totals"].values] == [
        ["total", "before", "after", "change", "unit"],
        ["mass", 1.25, 2.5, 1.25, "kg"],
    ]
    assert book["Totals"].oddHeader.left.text == "a.csv → b.csv"
    sheet = openpyxl.load_workbook(tmp_path / "c.xlsx")["Contributions"]
    assert {cell.value: sheet.cell(2, k).number_format for k, cell in enumerate(sheet[1], 1)} == {
        "kind": "General", "name": "General", "share": "0.0%", "cumulative": "0.0%", "main input": "General",
        "share of main input": "0.0%", "σ of main input [kg]": "0.00", "derivative": "General",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="requires LibreOffice")
def test_rollup_of_38_items_prints_on_two_pages(massprops: Run, tmp_path: Path) -> None:
    rows = [f"P{k},S{k % 5},part {k},{k + 0.5},0.1,{k},0.01,0,0.01,1,0.01,1,1,1,0,0,0,-" for k in range(32)]
    heads = "id,parent,name,mass [kg],sigma_mass,Cx [m],sigma_Cx,Cy [m],sigma_Cy,Cz [m],sigma_Cz,"
    heads += "Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2],POIconv"
    tops = ["T" + "," * 17, *(f"S{k},T" + "," * 16 for k in range(5))]
    (tmp_path / "b.csv").write_text("\n".join([heads, *tops, *rows]) + "\n", encoding="utf-8")
    assert massprops("rollup", tmp_path / "b.csv", "-o", tmp_path / "b.xlsx", "--allow-missing", "all").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "b.xlsx")
    assert book["Rollup"].max_row == 39
    for name in set(book.sheetnames) - {"Rollup"}:
        book[name].sheet_state = "hidden"
    book.active = book.sheetnames.index("Rollup")
    book.save(tmp_path / "b.xlsx")
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf"]
    subprocess.run([*command, "--outdir", tmp_path, tmp_path / "b.xlsx"], check=True, capture_output=True, timeout=120)
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "b.pdf").read_bytes())
    assert 1 <= len(pages) <= 2


def test_revision_is_at_the_top_of_the_pages_and_in_the_record(run: Run, folder: Path) -> None:
    (folder / "massprops.toml").write_text('[report]\nrevision = "C & D"\n')
    for revision in ("C & D", "E"):  # a result of the same table with another revision is written again
        more = () if revision == "C & D" else ("--config", f"revision={revision}")
        assert run("rollup", "bom.xlsx", "-o", "out.xlsx", *more).exit_code == 0
        book = openpyxl.load_workbook("out.xlsx")
        assert book["Rollup"].oddHeader.left.text == f"bom.xlsx · revision {revision}".replace("&", "&&")
        assert {row[0].value: row[1].value for row in book["About"].iter_rows()}["revision"] == revision
    assert run("rollup", "out.xlsx", "-o", "again.xlsx", "--config", "revision=F").exit_code == 0
    assert openpyxl.load_workbook("again.xlsx")["Review"].oddHeader.left.text.endswith("revision F")


def test_place_of_a_finding_in_a_text_file_is_in_words(run: Run, folder: Path) -> None:
    (folder / "bom.csv").write_text("id,parent,mass [kg]\nS,,\nA,S,\nB,S,2\n")
    run("rollup", "bom.csv", "-o", "out.xlsx", "--keep-going")
    places = [row[3].value for row in openpyxl.load_workbook("out.xlsx")["Findings"].iter_rows(min_row=2)]
    assert "line 3, column 3" in places


def test_decimal_commas_become_numbers_of_a_workbook_that_is_read_again(run: Run, folder: Path) -> None:
    """Column Part is next to a column of numbers, so that all its cells are indented by one: no level of a tree."""
    (folder / "list.csv").write_text(
        "Code;Part;Mass [kg]\n1;BODY;\n11;Shell;1.204,5\n12;Deck;3,25\n"
        "2;DRIVE;\n21;Motor;5,5\n22;Gear;1\n;TOTAL;1214,25\n"
    )
    assert run("rollup", "list.csv", "-o", "list.xlsx").exit_code == 0
    sheet = openpyxl.load_workbook("list.xlsx")["BOM"]
    masses = [sheet.cell(row, 3).value for row in range(2, 9)]
    assert masses == [1207.75, 1204.5, 3.25, 6.5, 5.5, 1, 1214.25]
    assert {sheet.cell(row, 3).number_format for row in range(2, 9)} == {"0.00"}
    assert {sheet.cell(row, 2).alignment.indent for row in range(2, 9)} == {1}
    assert run("rollup", "list.xlsx", "-o", "again.xlsx").exit_code == 0
    assert [cell.value for cell in openpyxl.load_workbook("again.xlsx")["BOM"]["C"][1:]] == masses
