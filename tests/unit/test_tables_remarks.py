"""Remarks between the rows of a table, and the findings on rows that are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource, Value

TREE: list[list[Value]] = [["id", "parent", "mass"], ["T", None, None], ["a", "T", 3]]
LIST: list[list[Value]] = [["Part", "Qty", "Mass [kg]"], ["Battery", 2, 3]]


def bom_of(*rows: list[Value]) -> Bom:
    return Bom.from_table(GridTable(TableSource("a.xlsx", "xlsx", sheet="BOM"), rows))


@pytest.mark.parametrize(
    "remark",
    [
        ["Note: b is estimated"],
        ["Hinweis 2: geschätzt"],
        ["* without paint"],
        ["Page 1 of 3"],
        ["Blatt 2/5"],
        ["Prepared by J. Doe"],
        ["Checked by: A. N. Other", None, "2024-01-02"],
        ["# second group"],
        ["End of list"],
        [None, "as weighed in March"],
    ],
)
def test_a_remark_between_rows_is_not_an_item(remark: list[Value]) -> None:
    bom = bom_of(*TREE, remark, ["b", "T", 4])
    assert [(f.rule, f.place.row) for f in bom.findings if f.rule == "MP258"] == [("MP258", 4)]
    assert not bom.has_errors
    assert mp.rollup(bom)["T"].mass == 7


@pytest.mark.parametrize(
    "row", [["Page holder"], ["Notebook"], ["Legend plate"], ["#4 bolt"], ["Note: clip", None, 2], ["Sheet metal"]]
)
def test_what_may_be_an_item_stays_one(row: list[Value]) -> None:
    bom = bom_of(*LIST, row, ["Panel", 1, 4])
    assert len(bom) == 4
    assert not [f for f in bom.findings if f.rule == "MP258"]


def test_words_alone_in_a_column_of_indented_names_are_an_assembly() -> None:
    rows: list[list[Value]] = [["TELESCOPE", None, None], ["  MIRROR CELL", None, None], ["    PAD", 9, 0.5]]
    bom = bom_of(["Item", "Qty", "Mass [kg]"], *rows, ["    MIRROR 2", 1, 24])
    assert len(bom) == 4
    assert not bom.has_errors


def test_words_alone_in_a_column_of_item_numbers_are_a_remark() -> None:
    rows: list[list[Value]] = [["1", "A", None], ["1.1", "B", 2], ["as weighed in March"], ["1.2", "C", 3]]
    bom = bom_of(["Item No.", "Part Number", "Mass"], *rows)
    assert [f.place.row for f in bom.findings if f.rule == "MP258"] == [4]
    assert not bom.has_errors


def test_the_points_after_a_remark_go_with_it() -> None:
    bom = bom_of(*LIST, ["Panel", 1, 4], ["Notes:"], ["1) as weighed"], ["2) no paint"])
    assert [f.count for f in bom.findings if f.rule == "MP258"] == [3]
    assert not bom.has_errors


def test_a_parent_is_not_a_remark() -> None:
    bom = bom_of(*TREE[:2], ["Note: box", "T", None], ["b", "Note: box", 4])
    assert not [f for f in bom.findings if f.rule == "MP258"]


def test_a_comment_in_a_text_need_not_have_all_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,parent,mass\nT,,\n# one group\na,T,3\n# end\n", encoding="utf-8")
    bom = Bom.read(str(path))
    assert not bom.has_errors
    assert {f.rule for f in bom.findings} == {"MP133", "MP258"}


def test_a_total_whose_formula_has_no_value_is_not_an_error(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in [*LIST, ["Total", None, "=SUMPRODUCT(B2:B2,C2:C2)"]]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    bom = Bom.read(str(tmp_path / "a.xlsx"))
    assert not bom.has_errors
    assert [f.severity.value for f in bom.findings if f.rule == "MP116"] == ["note"]


def test_a_formula_without_a_value_on_an_item_stays_an_error(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in [*LIST, ["Panel", 1, "=1+3"], ["Total", None, "=C2"]]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert Bom.read(str(tmp_path / "a.xlsx")).has_errors


def test_remarks_of_a_long_table_are_in_its_last_rows() -> None:
    rows: list[list[Value]] = [[f"p{k}", "T", 0.5] for k in range(6_000)]
    bom = bom_of(TREE[0], TREE[1], *rows, ["Note: as weighed"], ["Prepared by J. Doe"])
    assert [(f.count, f.place.row) for f in bom.findings if f.rule == "MP258"] == [(2, 6_003)]
    assert mp.rollup(bom)["T"].mass == 3_000
    above = bom_of(TREE[0], TREE[1], ["Note: as weighed"], *rows)
    assert not [f for f in above.findings if f.rule == "MP258"]
    assert above.has_errors


@pytest.mark.parametrize(
    ("remarks", "words"),
    [
        (["Note: a"], "remark is excluded: “Note: a”"),
        (["Note: a", "Note: b"], "remark is excluded: “Note: a” (and 1 more)"),
        (["Note: a", "Note: b", "Note: c"], "remark is excluded: “Note: a” (and 2 more)"),
        (["Note: " + 54 * "x"], f"remark is excluded: “Note: {54 * 'x'}”"),
        (["Note: " + 55 * "x"], f"remark is excluded: “Note: {51 * 'x'}…”"),
    ],
)
def test_remarks_are_reported_once_and_shortened(remarks: list[str], words: str) -> None:
    bom = bom_of(*TREE, *([text] for text in remarks), ["b", "T", 4])
    (reported,) = [f for f in bom.findings if f.rule == "MP258"]
    assert reported.message == words
    assert [place.row for place in reported.related] == [5, 6][: len(remarks) - 1]


def test_a_column_of_words_is_not_a_numbering() -> None:
    # half of the cells have digits: the item column may as well hold names
    rows: list[list[Value]] = [["1", "A", 1.0], ["Top frame", "B", 2.0], ["as weighed in March", None, None]]
    assert not [f for f in bom_of(["Item", "Part Number", "Mass"], *rows).findings if f.rule == "MP258"]
