"""Each layout: the tree it gives, and the findings of rows that do not fit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from massprops_cli.files.options import ReadCaps
from massprops_cli.files.table import GridTable, SheetInfo, TableSource, Value
from massprops_cli.findings.finding import Finding, Findings
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy

NO_OPTIONS = TableOptions()


def read(
    rows: list[list[Value]], info: SheetInfo | None = None, options: TableOptions = NO_OPTIONS
) -> tuple[Hierarchy, list[Finding]]:
    table = GridTable(TableSource("t.csv", "csv"), rows, info)
    columns = read_columns(table, options, Findings())
    findings = Findings()
    return read_hierarchy(table, columns, options, findings), findings


def from_text(text: str, **options: object) -> tuple[Hierarchy, list[Finding]]:
    rows: list[list[Value]] = [list(line.split(",")) for line in text.strip("\n").split("\n")]
    return read(rows, options=TableOptions(**options))


def levels_of(*texts: str) -> tuple[Hierarchy, list[Finding]]:
    return read([["level", "id", "mass"], *([text, f"p{i}", "1"] for i, text in enumerate(texts))])


@pytest.mark.parametrize(
    "texts",
    [
        ("0", "1", "2", "1"),
        ("1", "2", "3", "2"),
        (".1", "..2", "...3", "..2"),
        ("+1", "+2", "+3", "+2"),
        ("L1", "L2", "L3", "L2"),
        ("Level 0", "Level 1", "Level 2", "Level 1"),
        (" 0", "1 ", " 2", "1"),
        ("0", ".1", "..2", ".1"),
        ("1.0", "2.0", "3.0", "2.0"),
    ],
)
def test_levels_in_every_writing(texts: tuple[str, ...]) -> None:
    hierarchy, findings = levels_of(*texts)
    assert findings == []
    assert hierarchy.layout == "level"
    assert hierarchy.parents.tolist() == [-1, 0, 1, 0]


def test_a_level_jump_names_both_levels() -> None:
    hierarchy, findings = levels_of("0", "1", "3", "1")
    assert [(f.rule, f.item, f.value, f.place.row) for f in findings] == [("MP311", "p2", "3", 4)]
    assert hierarchy.parents.tolist() == [-1, 0, 1, 0]


@pytest.mark.parametrize("text", ["x", "", "1.5", ".2", "-1.0e3", "1_0", "٣"])
def test_what_is_not_a_level_is_reported_once(text: str) -> None:
    hierarchy, findings = levels_of("0", "1", text, "2")
    assert [(f.rule, f.place.row, f.value) for f in findings] == [("MP312", 4, text)]
    assert hierarchy.parents.tolist() == [-1, 0, -2, 1]


def test_a_row_above_the_first_is_reported() -> None:
    _, findings = levels_of("1", "2", "0")
    assert [(f.rule, f.place.row) for f in findings] == [("MP312", 4)]


def test_several_rows_on_top_are_several_roots() -> None:
    hierarchy, findings = levels_of("0", "1", "0", "1")
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, 0, -1, 2]


def test_a_level_beyond_the_cap_names_the_option() -> None:
    _, findings = levels_of("0", "1", "10001")
    assert findings[0].rule == "MP114"
    assert findings[0].message == "level is above the limit: 10,001 (at most 10,000)"
    assert "--config cap=depth=10001" in findings[0].remedy


def numbers(*cells: Value) -> tuple[Hierarchy, list[Finding]]:
    return read([["item", "mass"], *([cell, "1"] for cell in cells)])


def test_item_numbers_are_text() -> None:
    hierarchy, findings = numbers("1", "1.1", "1.10", "1.10.1", "1.2")
    assert findings == []
    assert (hierarchy.layout, list(hierarchy.ids)) == ("dotted", ["1", "1.1", "1.10", "1.10.1", "1.2"])
    assert hierarchy.parents.tolist() == [-1, 0, 0, 2, 0]


def test_trailing_dots_and_a_zero_row_are_used() -> None:
    hierarchy, findings = numbers("0", "1.", "1.1.", "2.")
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, 0, 1, 0]


def test_a_blank_number_on_the_first_row_is_the_root() -> None:
    hierarchy, findings = read([["item", "name", "mass"], ["", "Car", "1"], ["1", "Axle", "1"], ["1.1", "Nut", "1"]])
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, 0, 1]


def test_numbers_without_a_common_top_are_several_roots() -> None:
    hierarchy, _ = numbers("1", "1.1", "2")
    assert hierarchy.parents.tolist() == [-1, 0, -1]


def test_a_numeric_cell_that_lost_its_zero() -> None:
    cells = [1.0, *(float(f"1.{k}") for k in range(1, 10)), 1.1, 1.11]
    _, findings = numbers(*cells)
    assert [(f.rule, f.place.row, f.value) for f in findings] == [("MP314", 12, "1.1")]
    assert "1.10" in findings[0].message


def test_a_numeric_cell_after_1_9_is_rejected_even_when_alone() -> None:
    _, findings = numbers("1", "1.8", "1.9", 1.1)
    assert [f.rule for f in findings] == ["MP314"]


def test_numeric_cells_below_ten_are_fine() -> None:
    hierarchy, findings = numbers(1.0, 1.1, 1.2, 1.3)
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, 0, 0, 0]


def test_an_assembly_without_a_row_is_reported_once() -> None:
    hierarchy, findings = numbers("1", "1.1", "1.2.1", "1.2.2")
    assert [(f.rule, f.count, f.place.row) for f in findings] == [("MP322", 2, 4)]
    assert "1.2" in findings[0].remedy
    assert hierarchy.parents.tolist() == [-1, 0, -2, -2]


@pytest.mark.parametrize(
    ("items", "ids"),
    [
        (("Robot", "Base", "4 mm plate"), ["Robot", "Base", "4 mm plate"]),
        (("1", "2", "3"), ["1", "1.1", "1.2"]),
        (("Robot", "Arm", "Arm"), ["1", "1.1", "1.2"]),
        (("Robot", "", "Arm"), ["1", "1.1", "1.2"]),
    ],
)
def test_names_under_item_are_ids_and_running_numbers_are_none(items: tuple[str, ...], ids: list[str]) -> None:
    rows = [[level, item, "1"] for level, item in zip("011", items, strict=True)]
    hierarchy, _ = read([["level", "item", "mass"], *rows], options=TableOptions(layout="level"))
    assert list(hierarchy.ids) == ids


@pytest.mark.parametrize("text", ["2009-01-01", "2009-01-01 00:00:00", "01. Feb", "1-Feb", "1-Feb-09", "02. Mrz."])
def test_a_date_among_item_numbers_is_reported_as_one(text: str) -> None:
    _, (finding,) = numbers("1", "1.1", text)
    assert (finding.rule, finding.place.row) == ("MP313", 4)
    assert finding.message == f"item number is a date: {text} (spreadsheets convert item numbers such as 1.2)"
    assert "as text" in finding.remedy


@pytest.mark.parametrize("text", ["1.a", "10 mm", "1.1.b", "2009-A"])
def test_what_is_not_a_date_is_reported_as_no_number(text: str) -> None:
    _, (finding,) = numbers("1", "1.1", text)
    assert finding.message == f"not a dotted item number: {text!r}"


def test_what_is_not_an_item_number_and_one_that_is_repeated() -> None:
    _, findings = numbers("1", "1.1", "1.a", "1.1")
    assert sorted((f.rule, f.place.row) for f in findings) == [("MP301", 5), ("MP313", 4)]


def test_indentation_off_the_step_is_reported() -> None:
    _, findings = from_text("name,mass\nA,1\n  B,1\n   C,1\n    D,1")
    assert [(f.rule, f.item) for f in findings] == [("MP312", "C")]


def test_tabs_and_blanks_do_not_mix() -> None:
    _, findings = from_text("name,mass\nA,1\n\tB,1\n C,1")
    assert [(f.rule, f.item) for f in findings] == [("MP312", "C")]


def test_one_name_a_row_in_level_columns() -> None:
    _, findings = from_text("Level 1,Level 2,mass\nA,,1\n,B,1\nC,D,1\n,,1")
    assert [(f.rule, f.place.row) for f in findings] == [("MP321", 4), ("MP312", 5)]


def test_neighbouring_columns_of_names_need_no_header_of_levels() -> None:
    hierarchy, findings = from_text("Product,Group,Piece,mass\nCar,,,\n,Axle,,\n,,Wheel,7\n,Body,,9")
    assert findings == []
    assert (hierarchy.layout, hierarchy.parents.tolist()) == ("columns", [-1, 0, 1, 0])


def test_outline_that_fits_both_ways_goes_as_the_sheet_states() -> None:
    outline = np.array([0, 1, 1, 0], np.uint8)
    rows = [["name", "mass"], ["X", "1"], ["b", "1"], ["c", "1"], ["Y", ""]]
    for below, parents in ((True, [-1, 3, 3, -1]), (False, [-1, 0, 0, -1]), (None, [-1, 0, 0, -1])):
        hierarchy, _ = read(rows, SheetInfo(outline=np.append(np.uint8(0), outline), summary_below=below))
        assert hierarchy.parents.tolist() == parents


def test_outline_jump_below_names_the_row_after() -> None:
    outline = np.array([0, 1, 1, 2, 0], np.uint8)
    _, findings = read([["name", "mass"], ["a", "1"], ["b", "1"], ["c", "1"], ["d", "1"]], SheetInfo(outline=outline))
    assert [(f.rule, f.item) for f in findings] == [("MP311", "c")]


CAR = "parent,child,qty,mass\n,CAR,,\nCAR,WHEEL,4,\nCAR,BODY,1,10\nWHEEL,BOLT,5,0.1\nBODY,BOLT,2,\n"


def test_a_part_in_two_places_is_two_items_named_by_their_paths() -> None:
    hierarchy, findings = from_text(CAR)
    assert findings == []
    assert sorted(hierarchy.ids) == ["CAR", "CAR/BODY", "CAR/BODY/BOLT", "CAR/WHEEL", "CAR/WHEEL/BOLT"]
    at = {name: i for i, name in enumerate(hierarchy.ids)}
    bolts = [at["CAR/WHEEL/BOLT"], at["CAR/BODY/BOLT"]]
    assert hierarchy.part is not None
    assert hierarchy.edge_rows is not None
    assert len(set(hierarchy.part[bolts].tolist())) == 1
    assert hierarchy.rows[bolts].tolist() == [4, 4]
    assert hierarchy.edge_rows[bolts].tolist() == [4, 5]


def test_a_root_without_a_row_is_used() -> None:
    hierarchy, findings = from_text("parent,child,mass\nCAR,WHEEL,1\nCAR,BODY,2")
    assert findings == []
    assert [hierarchy.rows[i] for i, p in enumerate(hierarchy.parents) if p == -1] == [-1]


def test_loops_of_uses_are_printed() -> None:
    _, findings = from_text("parent,child,mass\n,T,\nT,X,1\nT,X,1\nA,B,\nB,C,\nC,A,\nD,D,")
    assert [f.rule for f in findings] == ["MP307", "MP306"]
    printed = findings[0].message.split(": ")[-1].split(" → ")
    assert printed[0] == printed[-1]
    above = {"B": "A", "C": "B", "A": "C"}
    assert all(above[child] == parent for child, parent in pairwise(printed))


def test_expansion_is_capped() -> None:
    uses = "\n".join(f"p{i},p{i + 1},1\np{i},p{i + 1},1" for i in range(40))
    _, findings = from_text(f"parent,child,mass\n,p0,\n{uses}", caps=ReadCaps(items=1000))
    assert findings[-1].rule == "MP114"
    assert "--config cap=items=" in findings[-1].remedy


def test_other_numbers_on_a_second_row_of_a_part_are_reported() -> None:
    _, findings = from_text("parent,child,mass\n,T,\nT,A,\nT,B,\nA,N,2.0\nB,N,2")
    assert findings == []
    _, findings = from_text("parent,child,mass\n,T,\nT,A,\nT,B,\nA,N,2.0\nB,N,3")
    assert [(f.rule, f.value, f.place.row) for f in findings] == [("MP319", "3", 6)]


def test_chain_at_the_depth_cap() -> None:
    n = 10_000
    rows: list[list[Value]] = [["parent", "child", "mass"], ["", "p0", ""]]
    rows += [[f"p{i}", f"p{i + 1}", "1"] for i in range(n)]
    hierarchy, findings = read(rows)
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, *range(n)]
