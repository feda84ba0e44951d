"""The table in a sheet: what is around it is left out and reported, and what may be an item never is."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource, TableView, Value
from massprops_cli.findings.finding import Finding, Findings, TableError, UsageError
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.layouts.detection import find_table_of_pages
from massprops_cli.tables.options import TableOptions

HEADER = ["id", "parent", "mass"]
ROWS: list[list[Value]] = [["Wing", None, None], ["Spar", "Wing", 12.5], ["Rib", "Wing", 0.4]]


def sheet(*rows: list[Value]) -> GridTable:
    return GridTable(TableSource("a.xlsx", "xlsx", sheet="BOM"), rows)


def found_in(*rows: list[Value]) -> tuple[GridTable | TableView, list[Finding]]:
    findings = Findings()
    table = find_table_of_pages(sheet(*rows), TableOptions(), findings)
    assert isinstance(table, GridTable | TableView)
    return table, findings


def mass_of(bom: Bom) -> float:
    assert not bom.has_errors, bom.findings
    return float(mp.rollup(bom).rollup.bodies.mass[int(bom.tree.order[0])])


def test_a_table_alone_is_read_unchanged() -> None:
    table = sheet(HEADER, *ROWS)
    findings = Findings()
    assert find_table(table, TableOptions(), findings) is table
    assert not findings


@pytest.mark.parametrize(
    "remarks",
    [
        [["Note: masses are estimates"]],
        [["* without fasteners"], ["prepared by J. Doe"]],
        [["1. All masses in kg"], [], ["see drawing 17"]],
    ],
)
def test_remarks_below_a_blank_row_are_no_items(remarks: list[list[Value]]) -> None:
    table, findings = found_in(HEADER, *ROWS, [], *remarks)
    assert [finding.rule for finding in findings] == ["MP258"]
    assert findings[0].count == sum(bool(row) for row in remarks)
    assert findings[0].place.row == 6
    assert all(text == "" for i in range(4, table.n_rows) for text in table.row(i))
    assert mass_of(Bom.from_table(sheet(HEADER, *ROWS, [], *remarks))) == pytest.approx(12.9)


@pytest.mark.parametrize("words", ["Notes:", "编制:张伟", "Note 1: as weighed", "1) Masses as weighed 2024-03-11"])
def test_remarks_may_be_in_the_column_of_levels(words: str) -> None:
    table = sheet(["Level", "id", "mass"], [0, "Wing", None], [1, "Spar", 12.5], [], [words], ["2) no paint"])
    bom = Bom.from_table(table)
    assert [(finding.rule, finding.count) for finding in bom.findings if finding.rule == "MP258"] == [("MP258", 2)]
    assert mass_of(bom) == 12.5


@pytest.mark.parametrize(
    "row",
    [
        ["Hinge"],
        ["Aileron, left hand"],
        ["Note: spare rib", "Wing"],
        ["Prepared by:", "J. Doe"],
        ["Note: spare rib", None, 0.4],
        ["Note: spare rib", None, "~0.4 kg"],
        ["a:1", "x", "y"],
    ],
)
def test_what_may_be_an_item_stays(row: list[Value]) -> None:
    table, findings = found_in(HEADER, *ROWS, [], row)
    assert (isinstance(table, GridTable), findings) == (True, [])


def test_a_row_that_others_name_as_their_parent_stays() -> None:
    rows = [["Spar", "Assy: Wing", 12.5], ["Rib", "Assy: Wing", 0.4], [], ["Assy: Wing"]]
    assert found_in(HEADER, *rows)[1] == []
    assert mass_of(Bom.from_table(sheet(HEADER, *rows))) == pytest.approx(12.9)


@pytest.mark.parametrize("layout", ["level", "dotted", "indented"])
def test_separator_rows_are_no_items(layout: str) -> None:
    tables: dict[str, list[list[Value]]] = {
        "level": [["level", "id", "mass"], ["0", "Wing"], [], ["1", "Spar", 12.5], [], [" "], ["1", "Rib", 0.4]],
        "dotted": [["item", "name", "mass"], ["1", "Wing"], [], ["1.1", "Spar", 12.5], [], ["1.2", "Rib", 0.4]],
        "indented": [["name", "mass"], ["Wing"], [], ["  Spar", 12.5], [], ["  Rib", 0.4]],
    }
    assert mass_of(Bom.from_table(sheet(*tables[layout]))) == pytest.approx(12.9)


TWO_ROWS: list[list[Value]] = [["id", "parent", "mass", "CG", None, None], [None, None, "kg", "X", "Y", "Z"]]


def test_groups_over_columns_are_read_together() -> None:
    rows: list[list[Value]] = [["Wing"], ["Spar", "Wing", 12.5, 1.0, 0.0, 0.5], ["Rib", "Wing", 7.5, 2.0, 0.0, 0.5]]
    table, findings = found_in(*TWO_ROWS, *rows)
    assert table.row(1) == ["id", "parent", "mass kg", "CG X", "CG Y", "CG Z"]
    assert [(finding.rule, finding.place.row) for finding in findings] == [("MP241", 1)]
    bom = Bom.from_table(sheet(*TWO_ROWS, *rows))
    assert mass_of(bom) == pytest.approx(20)
    # (12.5·1 + 7.5·2) / 20
    assert mp.rollup(bom).rollup.bodies.center[int(bom.tree.order[0])].tolist() == pytest.approx([1.375, 0, 0.5])
    assert bom.units.mass == "kg"


@pytest.mark.parametrize(
    ("over", "under", "joined"),
    [
        (["id", "parent", "mass", "CG [mm]", ""], ["", "", "", "X", "Y"], "CG Y [mm]"),
        (["Identity", "", "Mass properties", "", ""], ["id", "parent", "mass", "x", "CG y"], ""),
        (["id", "parent", "Mass", "", "CG"], ["", "", "kg", "CG X", "Y"], "CG Y"),
        (["", "", "", "Center of Gravity", ""], ["id", "parent", "mass", "X", "Y"], "Center of Gravity Y"),
        (["Kestrel mass list", "", "", "", ""], ["id", "parent", "mass", "Cx", "Cy"], ""),
        (["id", "parent", "mass", "", "Cx"], ["Wing", "", "", "", ""], ""),
        (["id", "parent", "mass", "Cx", ""], ["Spar", "Wing", "12", "1", "2"], ""),
    ],
)
def test_two_rows_are_joined_only_where_more_is_understood(over: list[Value], under: list[Value], joined: str) -> None:
    table, findings = found_in(over, under, ["Spar", "Wing", 12.5, 1.0, 2.0])
    assert [finding.rule for finding in findings] == (["MP241"] if joined else [])
    assert table.text(1, 4) == (joined or under[4])


def test_a_number_in_a_summary_next_to_the_header_does_not_part_its_two_rows() -> None:
    over: list[Value] = ["Part", "Parent", "Mass", "CG (mm)", None, None, None, "Budget", "150 kg"]
    under: list[Value] = [None, None, "[kg]", "X", "Y", "Z", None, "Used", 20.0]
    rows: list[list[Value]] = [["Wing"], ["Spar", "Wing", 12.5, 10.0, 0.0, 5.0], ["Rib", "Wing", 7.5, 20.0, 0.0, 5.0]]
    table, findings = found_in(over, under, *rows)
    assert table.row(1)[2:6] == ["Mass [kg]", "CG X (mm)", "CG Y (mm)", "CG Z (mm)"]
    assert table.row(1)[7:] == ["Budget", "150 kg"]
    assert [finding.rule for finding in findings] == ["MP241"]
    bom = Bom.from_table(sheet(over, under, *rows))
    # (12.5 * 10 + 7.5 * 20) / 20
    assert mp.rollup(bom).rollup.bodies.center[int(bom.tree.order[0])].tolist() == pytest.approx([13.75, 0, 5])


def test_a_number_next_to_no_header_leaves_the_rows_apart() -> None:
    _, findings = found_in(["id", "parent", "mass", None, "Colour", None], ["Spar", "Wing", 12.5, None, "red", "RAL"])
    assert findings == []


def test_names_of_columns_may_go_on_in_the_row_below() -> None:
    header: list[list[Value]] = [["Part", "Parent", "Mass"], ["Number", "Assembly", "(kg)"]]
    table, findings = found_in(*header, *ROWS)
    assert table.row(1)[::2] == ["Part Number", "Mass (kg)"]
    assert [finding.rule for finding in findings] == ["MP241"]
    assert mass_of(Bom.from_table(sheet(*header, *ROWS))) == pytest.approx(12.9)


@pytest.mark.parametrize("row", [["Wing", "Assembly", None], ["Number 1", "Wing", "TBD"], [None, "Wing", "(kg)"]])
def test_a_row_of_items_is_not_a_second_row_of_a_header(row: list[Value]) -> None:
    _, findings = found_in(["Part", "Parent", "Mass"], row, *ROWS)
    assert findings == []


def test_titles_may_be_above_a_header_of_two_rows() -> None:
    table, findings = found_in(["Kestrel"], ["", "", "", "CG", None], ["id", "parent", "mass", "X", "Y"], *ROWS)
    assert table.row(2) == ["id", "parent", "mass", "CG X", "CG Y"]
    assert [finding.rule for finding in findings] == ["MP241"]


def test_titles_may_be_above_two_rows_that_are_a_header_only_together() -> None:
    over: list[Value] = ["System", "Part", "Mass properties", None, None]
    under: list[Value] = [None, None, "Mass [kg]", "X", "Y"]
    rows: list[list[Value]] = [["Kestrel"], ["Rev C"], [], over, under, ["Power", "Cell", 2.0, 1.0, 0.0]]
    table, findings = found_in(*rows)
    assert table.row(4) == ["System", "Part", "Mass [kg]", "Mass properties X", "Mass properties Y"]
    assert [finding.rule for finding in findings] == ["MP241"]


TAIL: list[list[Value]] = [["Tail", None, None], ["Fin", "Tail", 3.1]]


@pytest.mark.parametrize("between", [[[]], [[], []], [[], ["Tail"]], [[], ["Tail"], []]])
def test_two_tables_below_each_other_are_rejected_with_both(between: list[list[Value]]) -> None:
    rows = [HEADER, *ROWS, *between, ["Part", "Parent ID", "Weight"], *TAIL]
    with pytest.raises(TableError) as rejected:
        found_in(*rows)
    (finding,) = rejected.value.findings
    assert finding.rule == "MP242"
    assert "--table 1 for id, parent, mass in row 1" in finding.remedy
    assert f"--table 2 for Part, Parent ID, Weight in row {5 + len(between)}" in finding.remedy
    assert mass_of(Bom.from_table(sheet(*rows), TableOptions(table=1))) == pytest.approx(12.9)
    assert mass_of(Bom.from_table(sheet(*rows), TableOptions(table=2))) == pytest.approx(3.1)


def test_two_tables_next_to_each_other_are_rejected_with_both() -> None:
    rows = [[*a, None, *b] for a, b in zip([HEADER, *ROWS[:2]], [HEADER, *TAIL], strict=True)]
    with pytest.raises(TableError) as rejected:
        found_in(*rows)
    assert [finding.rule for finding in rejected.value.findings] == ["MP242"]
    assert mass_of(Bom.from_table(sheet(*rows), TableOptions(table=1))) == pytest.approx(12.5)
    assert mass_of(Bom.from_table(sheet(*rows), TableOptions(table=2))) == pytest.approx(3.1)


@pytest.mark.parametrize("number", [2, -1])
def test_a_table_that_is_not_there_is_a_wrong_call(number: int) -> None:
    with pytest.raises(UsageError, match=r"--table .*: .* has 1 table"):
        find_table(sheet(HEADER, *ROWS), TableOptions(table=number), Findings())


def test_the_only_table_may_be_named() -> None:
    assert mass_of(Bom.from_table(sheet(HEADER, *ROWS), TableOptions(table=1))) == pytest.approx(12.9)


SIDES: dict[str, tuple[list[list[Value]], bool]] = {
    "longer than the table": ([["Summary", None], ["Total", 12.9], [], [], ["Parts", 2]], True),
    "without a name": ([[], [], [], [None, "by J. Doe"], ["Parts", 2]], True),
    "the mass again": ([["Mass", "Remark"], [12.9, "in all"]], True),
    "further columns": ([["Supplier", None], [], ["ACME", None], ["ACME", None]], False),
    "the centre": ([["Cx", "Cy", "Cz"], [], [1, 2, 3], [1, 2, 3]], False),
}


@pytest.mark.parametrize("name", SIDES)
def test_columns_behind_a_blank_one(name: str) -> None:
    side, left_out = SIDES[name]
    main: list[list[Value]] = [list(HEADER), *ROWS, *[[None] * 3 for _ in side[4:]]]
    rows = [[*row, None, *(side[i] if i < len(side) else [])] for i, row in enumerate(main)]
    _, findings = found_in(*rows)
    assert [finding.rule for finding in findings] == (["MP243"] if left_out else [])
    assert mass_of(Bom.from_table(sheet(*rows))) == pytest.approx(12.9)


def test_assemblies_below_blank_rows_are_no_second_table() -> None:
    rows = [HEADER, *ROWS, [], ["Tip", "Wing", 2.0], [], ["Level", "Wing", 1.0], [], ["Part mass", "Wing", 2.0]]
    assert found_in(*rows)[1] == []
