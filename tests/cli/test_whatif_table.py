"""The table that whatif writes with -o, items that are added and moved, and conditions of the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app

TABLE = (
    '# head;;;\r\nid;parent;qty;mass [kg];"a;b"\r\nS;;;;\r\nA;S;2;"1,50";x\r\nB;S;1;2,25;"y"\r\nT;S;;;\r\nC;T;1;4;\r\n'
)


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_untouched_cells_keep_their_bytes(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(("\ufeff" + TABLE).encode())
    outcome = run("whatif", source, "--set", "B.mass=500 g", "--move", "A=T", "--drop", "C", "-o", out)
    assert outcome.exit_code == 0, outcome.output
    wanted = TABLE.replace("A;S;", "A;T;").replace("2,25", "0,5").replace("C;T;1", "C;T;0")
    assert out.read_bytes() == ("\ufeff" + wanted).encode()
    outcome = run("whatif", source, "--new", "N parent=T mass=500 g qty=2", "--set", "C.mass=3", "-o", out)
    assert outcome.exit_code == 0, outcome.output
    wanted = TABLE.replace("C;T;1;4;", "C;T;1;3;\r\nN;T;2;0,5;")
    assert out.read_bytes() == ("\ufeff" + wanted).encode()


def test_added_rows_are_above_a_total_and_other_encodings_remain(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    text = "id,parent,mass [kg],name\nS,,,Träger\nA,S,2,\n,,2,Total\nnote: ä,,,"
    source.write_bytes(text.encode("cp1252"))
    outcome = run("whatif", source, "--encoding", "cp1252", "--new", "N parent=Träger mass=1 name=Röhre", "-o", out)
    assert outcome.exit_code == 0, outcome.output
    assert out.read_bytes() == text.replace("A,S,2,\n", "A,S,2,\nN,S,1,Röhre\n").encode("cp1252")


def test_dropping_without_quantities_adds_their_column(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,parent,mass\nS,,\nA,S,2\nB,S,3\n")
    assert run("whatif", source, "--drop", "A", "-o", out).exit_code == 0
    assert out.read_text() == "id,parent,mass,qty\nS,,,\nA,S,2,0\nB,S,3,\n"
    assert mp.rollup(mp.read_bom(out)).root.mass == 3


def test_data_on_standard_output(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,parent,mass\nS,,\nA,S,2\nB,S,3\n")
    outcome = run("whatif", source, "--set", "A.mass=7", "-o", "-")
    assert outcome.stdout == "id,parent,mass\nS,,\nA,S,7\nB,S,3\n"
    assert "5" in outcome.stderr
    assert run("whatif", source, "--set", "A.mass=7", "-o", source).exit_code == 2


def test_a_workbook_is_edited(tmp_path: Path) -> None:
    import openpyxl

    source, out = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    book = openpyxl.Workbook()
    book.active.title = "BOM"
    rows = [("id", "parent", "qty", "mass [kg]", "x"), ("S",), ("A", "S", 1, 2, "=1+1")]
    for row in (*rows, ("B", "S", 2, 3), ("T", "S"), ("C", "T", 1, 1)):
        book.active.append(row)
    book.create_sheet("Other").append(["kept"])
    book.save(source)
    add = ["--new", "N parent=T mass=500 g qty=4", "--move", "B=T"]
    outcome = run("whatif", source, "--set", "A.mass=7 kg", "--scale", "C.mass=2", *add, "-o", out)
    assert outcome.exit_code == 0, outcome.output
    made = openpyxl.load_workbook(out)
    assert made.sheetnames == ["BOM", "Other"]
    cells = [list(row) for row in made["BOM"].values]
    assert cells[2] == ["A", "S", 1, 7, "=1+1"]
    assert cells[3] == ["B", "T", 2, 3, None]
    assert cells[5:] == [["C", "T", 1, 2, None], ["N", "T", 4, 0.5, None]]
    # 7 + 2·3 + 2 + 4·0.5
    assert mp.rollup(mp.read_bom(out)).root.mass == 17
    outcome = run("whatif", source, "--drop", "A", "-o", out)
    assert mp.rollup(mp.read_bom(out)).root.mass == 7
    book.active.delete_cols(3)
    book.save(source)
    assert "needs a quantity column" in run("whatif", source, "--drop", "A", "-o", out).output


def test_another_format_has_all_changes(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.json"
    source.write_text("id,parent,mass [kg]\nS,,\nA,S,2\nB,S,3\n")
    add = ["--new", "N parent=S mass=1"]
    assert run("whatif", source, "--set", "A.mass=7", *add, "-o", out).exit_code == 0
    assert mp.rollup(mp.read_bom(out)).root.mass == 11
    assert run("whatif", source, "--drop", "A", *add, "-o", tmp_path / "c.csv").exit_code == 0
    assert mp.rollup(mp.read_bom(tmp_path / "c.csv")).root.mass == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"new": ["N"]}, "added item has no id or no parent: N"),
        ({"new": ["N parent=S mas=3"]}, "column is missing: mas; the nearest is mass"),
        ({"new": ["N parent=Q"]}, "id is not in the table: Q"),
        ({"new": ["N parent=S parent=T"]}, "added item has parent twice"),
        ({"new": ["A parent=S mass=1"]}, "added item exists already: A"),
        ({"new": ["N parent=S mass=1 m"]}, "value of N.mass has no unit of mass: 1 m"),
        ({"move": {"T": "C"}}, "item cannot be moved below itself: T to C"),
        ({"move": {"T": "T"}}, "item cannot be moved below itself: T to T"),
        ({"move": {"S": "C"}}, "root cannot be moved: S"),
        ({"move": {"A": "Tt"}}, "id is not in the table: Tt (nearest: T)"),
    ],
)
def test_wrong_items(changes: dict[str, Any], words: str) -> None:
    rows = [{"id": "S", "parent": ""}, *({"id": i, "parent": p} for i, p in ("AS", "TS")), {"id": "C", "parent": "T"}]
    bom = mp.Bom.from_records([row | {"mass [kg]": 2 if row["id"] in "AC" else None} for row in rows])
    with pytest.raises(mp.UsageError) as raised:
        mp.whatif(bom, **changes)
    assert words in str(raised.value)


def test_other_layouts_name_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    path.write_text("level,id,mass\n0,S,\n1,A,2\n")
    outcome = run("whatif", path, "--move", "A=S")
    assert outcome.exit_code == 2
    assert "moved in the layout parent only, not in level (do it in the program" in outcome.output
    assert run("whatif", path, "--set", "A.mass=3", "-o", tmp_path / "b.csv").exit_code == 0
    assert (tmp_path / "b.csv").read_text() == "level,id,mass\n0,S,\n1,A,3\n"


def test_an_emptied_or_a_new_assembly(tmp_path: Path) -> None:
    rows = [{"id": "S", "parent": ""}, *({"id": i, "parent": p} for i, p in ("AS", "TS")), {"id": "C", "parent": "T"}]
    bom = mp.Bom.from_records([row | {"mass": 2 if row["id"] in "AC" else None} for row in rows])
    with pytest.raises(mp.FindingsError, match="T"):  # which is then a part without a mass
        mp.whatif(bom, move={"C": "S"})
    change = mp.whatif(bom, new=["N parent=S", "M parent=N mass=3"], move={"A": "N"})
    assert dict(zip(change.ids, (change.after(k).mass for k in range(2)), strict=True)) == {"S": 7, "N": 5}
    assert [change.before(k).mass for k in range(1)] == [4]
    assert change.to_dict()["items"][1]["before"]["mass"] is None


def test_conditions_of_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,parent,mass [kg]\nS,,\nA,S,2\nB,S,3\n")
    (tmp_path / "massprops.toml").write_text(
        '[condition.dry]\nset = ["A.mass=500 g"]\ndrop = "B"\nnew = ["N parent=S mass=1"]\n'
    )
    outcome = run("whatif", path, "--condition", "dry", "--format", "json")
    assert '"mass": 1.5' in outcome.stdout
    outcome = run("whatif", path, "--condition", "dry", "--scale", "A.mass=2", "--format", "json")
    assert '"mass": 2.0' in outcome.stdout
    assert "unknown condition: dri; the nearest is dry" in run("whatif", path, "--condition", "dri").output
    assert "has no condition" in run("whatif", path, "--condition", "dry", "--config", "none").output
    assert "assigned" not in outcome.output


def test_uses_of_a_part_are_not_written(tmp_path: Path) -> None:
    path, out = tmp_path / "uses.csv", tmp_path / "b.csv"
    path.write_text("parent,child,qty,mass\nS,A,2,\nS,B,1,3\nA,B,1,3\nA,C,1,1\n")
    assert "is also that of" in run("whatif", path, "--set", "S/B.mass=5", "-o", out).output
    assert "layout edges" in run("whatif", path, "--drop", "S/B", "-o", out).output
    assert "layout edges" in run("whatif", path, "--set", "S/B.qty=2", "-o", out).output
    assert not out.exists()


def test_cells_keep_the_unit_of_the_file(tmp_path: Path) -> None:
    """1 kg is 2.2046226218487757 lb (1 lb is 0.45359237 kg), whatever the units of the result."""
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("id,parent,mass [lb]\nS,,\nA,S,2\nB,S,3\n")
    for options in ([], ["--units", "SI"]):
        outcome = run("whatif", path, "--set", "A.mass=0.45359237 kg", "-o", out, *options)
        assert outcome.exit_code == 0, outcome.output
        assert out.read_text() == "id,parent,mass [lb]\nS,,\nA,S,1\nB,S,3\n"


def _numbered_book(path: Path) -> None:
    """Write a titled list with item numbers, formats, merged cells, totals, and a second sheet that reads it."""
    import openpyxl
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Mass list"
    rows = [("Rover",), (), ("Item", "Name", "Qty", "Mass [kg]"), ("1", "Rover", 1), ("1.1", "Chassis", 1)]
    rows += [("1.1.1", "Frame", 1, 10), ("1.1.2", "Plate", 2, 1.5), ("1.2", "Power", 1), ("1.2.1", "Battery", 1, 5)]
    for row in (*rows, (None, "Total", None, "=SUMPRODUCT(C6:C9,D6:D9)")):
        sheet.append(row)
    sheet["F10"] = '=IF(D10>0,"D9",B$4)'
    sheet["D7"].font, sheet["D7"].number_format = Font(bold=True), "0.000"
    sheet.merge_cells("A11:A12")
    other = book.create_sheet("Summary")
    other.append(["='Mass list'!D10", "=SUM('Mass list'!$D$6:$D$9)", "=D10", "=SUM('Mass list'!D6:D7)"])
    book.defined_names["total"] = openpyxl.workbook.defined_name.DefinedName("total", attr_text="'Mass list'!$D$10")
    book.save(path)


def test_new_item_of_a_numbered_workbook_is_a_row_at_the_end_of_its_branch(tmp_path: Path) -> None:
    import openpyxl

    source, out = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    _numbered_book(source)
    outcome = run(
        "whatif", source, "--new", "Bracket parent=Chassis mass=500 g qty=4", "--set", "Battery.mass=6", "-o", out
    )
    assert outcome.exit_code == 0, outcome.output
    made = openpyxl.load_workbook(out)
    cells = [list(row) for row in made["Mass list"].values]
    assert cells[0][:4] == ["Rover", None, None, None]
    rows = [["1.1.2", "Plate", 2, 1.5], ["1.1.3", "Bracket", 4, 0.5], ["1.2", "Power", 1, None]]
    assert [row[:4] for row in cells[6:10]] == [*rows, ["1.2.1", "Battery", 1, 6]]
    assert cells[10][3:] == ["=SUMPRODUCT(C6:C10,D6:D10)", None, '=IF(D11>0,"D9",B$4)']
    new = made["Mass list"]["D8"]
    assert (new.font.bold, new.number_format) == (True, "0.000")
    assert [str(one) for one in made["Mass list"].merged_cells.ranges] == ["A12:A13"]
    summary = ["='Mass list'!D11", "=SUM('Mass list'!$D$6:$D$10)", "=D10", "=SUM('Mass list'!D6:D7)"]
    assert [cell.value for cell in made["Summary"][1]] == summary
    assert made.defined_names["total"].attr_text == "'Mass list'!$D$11"
    # 10 + 2·1.5 + 4·0.5 + 6
    assert mp.rollup(mp.read_bom(out)).root.mass == 21


def test_workbook_whose_contents_would_not_move_is_not_changed(tmp_path: Path) -> None:
    import openpyxl
    from openpyxl.comments import Comment

    source, out = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    _numbered_book(source)
    book = openpyxl.load_workbook(source)
    book["Mass list"]["D9"].comment = Comment("weighed", "A")
    book.save(source)
    outcome = run("whatif", source, "--new", "Bracket parent=Chassis mass=1", "-o", out)
    assert outcome.exit_code == 2
    assert "a sheet with comments" in outcome.output
    assert "insert a row below row 7 in a spreadsheet program" in outcome.output
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "new", "written"),
    [
        ("Item,Name,Mass [kg]\n1,S,\n1.01,A,2\n1.02,B,3\n,Total,5\n", "C parent=S mass=1", "1.03,C,1"),
        ("Item,Name,Mass [kg]\n1,S,\n1.1,A,2\n1.9,B,3\n,Total,5\n", "C parent=S mass=1", "1.10,C,1"),
        ("Level,Id,Qty,Mass [kg]\n0,S,1,\n1,A,1,2\n1,B,1,3\n,Total,,5\n", "C parent=S mass=1", "1,C,1,1"),
    ],
)
def test_new_item_of_a_numbered_text_leaves_all_other_bytes(text: str, new: str, written: str, tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text(f"Mass list,,\n{text}", encoding="utf-8")
    outcome = run("whatif", source, "--new", new, "-o", out)
    assert outcome.exit_code == 0, outcome.output
    head, total = text.rsplit(",Total", 1)[0], text[text.index(",Total") :]
    assert out.read_text(encoding="utf-8") == f"Mass list,,\n{head}{written}\n{total}"
    assert "sums of the sheet that do not count what is added:" in outcome.output
