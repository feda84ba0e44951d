"""Which layout a table has, and what keeps its rows from being one tree."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.files.table import GridTable, TableSource, Value
from massprops_cli.findings.finding import Finding, Findings, UsageError
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy, tree_findings
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy


def table_of(text: str) -> GridTable:
    rows: list[list[Value]] = [list(line.split(",")) for line in text.strip("\n").split("\n")]
    return GridTable(TableSource("t.csv", "csv"), rows)


def read(text: str, **options: object) -> tuple[Hierarchy, list[Finding]]:
    table = table_of(text)
    wanted = TableOptions(**options)
    columns = read_columns(table, wanted, Findings())
    findings = Findings()
    return read_hierarchy(table, columns, wanted, findings), findings


def test_columns_of_the_tree_that_agree_need_no_choice() -> None:
    hierarchy, findings = read("id,parent,level,mass\na,,0,1\nb,a,1,1\nc,b,2,1")
    assert findings == []
    assert hierarchy.layout == "parent"


def test_columns_that_disagree_are_rejected_with_both_choices() -> None:
    _, findings = read("id,parent,level,mass\na,,0,1\nb,a,1,1\nc,b,1,1")
    assert [(f.rule, f.place.row, f.count) for f in findings] == [("MP315", 4, 1)]
    assert "--layout parent or --layout level" in findings[0].remedy


@pytest.mark.parametrize(("layout", "parents"), [("parent", [-1, 0, 1]), ("level", [-1, 0, 0])])
def test_a_choice_resolves_it(layout: str, parents: list[int]) -> None:
    hierarchy, findings = read("id,parent,level,mass\na,,0,1\nb,a,1,1\nc,b,1,1", layout=layout)
    assert findings == []
    assert (hierarchy.layout, hierarchy.parents.tolist()) == (layout, parents)


@pytest.mark.parametrize("column", ["item,1,2,3", "level,1,1,1"])
def test_a_running_number_or_a_constant_level_is_not_a_layout(column: str) -> None:
    header, *cells = column.split(",")
    rows = [f"a,,{cells[0]},1", f"b,a,{cells[1]},1", f"c,b,{cells[2]},1"]
    hierarchy, findings = read(f"id,parent,{header},mass\n" + "\n".join(rows))
    assert findings == []
    assert hierarchy.layout == "parent"


def test_a_slip_in_the_parents_is_not_passed_over_for_another_column() -> None:
    hierarchy, findings = read("id,parent,level,mass\na,,0,1\nb,x,1,1\nc,b,2,1")
    assert (hierarchy.layout, [f.rule for f in findings]) == ("parent", ["MP305"])


def test_part_numbers_serve_as_ids_of_a_parent_column() -> None:
    hierarchy, findings = read("Part Number,Parent,mass\na,,1\nb,a,1")
    assert findings == []
    assert (hierarchy.layout, list(hierarchy.ids), hierarchy.parents.tolist()) == ("parent", ["a", "b"], [-1, 0])


def test_rows_of_which_nothing_states_where_they_belong_are_a_list() -> None:
    hierarchy, findings = read("name,supplier,mass\nA,ACME,1\nB,A. Smith,1\nSubtotaliser,,2")
    assert (hierarchy.layout, findings) == ("flat", [])
    assert (hierarchy.parents.tolist(), list(hierarchy.ids)) == ([-1, -1, -1], ["A", "B", "Subtotaliser"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("name,mass\nA,1\nB,1\nTotal,2", "Total"),
        ("name,remark,mass\nA,,1\nB,,1\nAll,Sub-total:,2", "Sub-total:"),
        ("name,mounted on,mass\nA,,2\nB,A,1\nC,A,1", "mounted on"),
    ],
)
def test_a_list_in_which_a_row_may_hold_others_is_rejected(text: str, value: str) -> None:
    hierarchy, findings = read(text)
    assert [(f.rule, f.value) for f in findings] == [("MP316", value)]
    # a total is never offered as a part
    assert ("--skip-row" if "otal" in value else "--layout flat") in findings[0].remedy
    assert len(hierarchy) == 0
    forced, findings = read(text, layout="flat")
    assert (len(forced), findings) == (text.count("\n"), [])


def test_groups_that_are_filled_down_are_assemblies() -> None:
    hierarchy, findings = read(
        "System,Part,mass\nPower,Cell,2\n,Cable,3\nThermal,Heater,4\nCable,Clamp,1", layout="flat"
    )
    assert findings == []
    assert list(hierarchy.ids) == ["Power", "Cell", "Cable", "Thermal", "Heater", "Cable (System)", "Clamp"]
    assert hierarchy.parents.tolist() == [-1, 0, 0, -1, 3, -1, 5]
    assert hierarchy.rows.tolist() == [-1, 1, 2, -1, 3, -1, 4]
    assert "System" in hierarchy.how


@pytest.mark.parametrize("texts", [("A", "B", "C"), ("A", "", "A"), ("", "A", ""), ("", "", "")])
def test_other_columns_make_no_groups(texts: tuple[str, str, str]) -> None:
    hierarchy, _ = read("System,Part,mass\n{},Cell,2\n{},Cable,3\n{},Heater,4".format(*texts))
    assert list(hierarchy.ids) == ["Cell", "Cable", "Heater"]


@pytest.mark.parametrize("text", ["Month,Cost\nMay,1\nJune,2", "Name,Phone\nMay,1\nJune,2", "mass,Cx\n1,1\n2,2"])
def test_a_table_without_items_is_not_a_bill_of_materials(text: str) -> None:
    hierarchy, findings = read(text)
    assert [f.rule for f in findings] == ["MP244"]
    assert "Part Number" in findings[0].remedy
    assert len(hierarchy) == 0


def test_one_row_needs_no_layout() -> None:
    hierarchy, findings = read("name,mass\nA,1")
    assert findings == []
    assert (hierarchy.parents.tolist(), list(hierarchy.ids)) == ([-1], ["A"])


@pytest.mark.parametrize("layout", ["parent", "level", "dotted", "edges", "outline"])
def test_a_forced_layout_states_what_it_lacks(layout: str) -> None:
    _, findings = read("thing,mass\nA,1\nB,1", layout=layout)
    assert [(f.rule, f.value) for f in findings] == [("MP316", layout)]


def test_an_unknown_layout_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="parent, level"):
        read("id,parent,mass\na,,1", layout="tree")


def test_ids_come_from_parts_or_names_that_differ_else_from_the_place() -> None:
    text = "level,part,name,mass\n0,X,top,1\n1,Y,{},1\n1,Y,right,1"
    assert list(read(text.format("left"))[0].ids) == ["top", "left", "right"]
    same, _ = read(text.format("right"))
    assert list(same.ids) == ["1", "1.1", "1.2"]
    assert "position in the tree" in same.how


def hierarchy_of(parents: list[int]) -> tuple[Hierarchy, GridTable]:
    n = len(parents)
    names = [chr(ord("A") + i) for i in range(n)]
    table = table_of("id,mass\n" + "\n".join(f"{name},1" for name in names))
    return Hierarchy("parent", "", np.arange(1, n + 1), names, np.array(parents, np.int32)), table


def test_a_loop_is_printed_from_child_to_parent() -> None:
    hierarchy, table = hierarchy_of([1, 2, 0])
    (loop, no_root) = tree_findings(hierarchy, table, [], [[0, 1, 2]], [], [], TableOptions())
    assert (loop.rule, no_root.rule) == ("MP307", "MP309")
    assert "A → B → C → A" in loop.message
    assert {loop.place.row, *(p.row for p in loop.related)} == {2, 3, 4}


def test_a_long_loop_is_cut_in_its_message_only() -> None:
    n = 26
    hierarchy, table = hierarchy_of([*range(1, n), 0])
    loop = tree_findings(hierarchy, table, [], [list(range(n))], [], [], TableOptions())[0]
    assert "14 more" in loop.message
    assert len(loop.related) == n - 1


def test_several_roots_are_listed_with_both_remedies() -> None:
    hierarchy, table = hierarchy_of([-1, 0, -1])
    (several,) = tree_findings(hierarchy, table, [], [], [0, 2], [], TableOptions())
    assert several.rule == "MP308"
    assert "A, C" in several.message
    assert "--root A" in several.remedy
    assert "--config make-root=" in several.remedy
    assert tree_findings(hierarchy, table, [], [], [0, 2], [], TableOptions(make_root="all")) == []


def test_orphans_are_grouped_under_the_row_they_hang_on() -> None:
    hierarchy, table = hierarchy_of([-1, -2, 1, 2, 4, 4])
    findings = tree_findings(hierarchy, table, [4], [], [0], [2, 3, 5], TableOptions())
    assert [(f.rule, f.count) for f in findings] == [("MP306", 1), ("MP310", 2), ("MP310", 1)]
    assert "are below B" in findings[1].message
    assert "is below E" in findings[2].message


USES = "Parent,{},Qty,Mass\n,Car,,\nCar,Axle,2,\nCar,Body,1,\nAxle,Bolt,4,0.1\nBody,Bolt,8,0.1"


@pytest.mark.parametrize("header", ["Component", "Part", "Part Number"])
def test_parts_under_several_parents_are_uses_where_nothing_else_fits(header: str) -> None:
    hierarchy, findings = read(USES.format(header))
    assert hierarchy.layout == "edges"
    assert sorted(hierarchy.ids) == ["Car", "Car/Axle", "Car/Axle/Bolt", "Car/Body", "Car/Body/Bolt"]
    assert [(f.rule, f.severity.value) for f in findings] == [("MP323", "note")]


def test_uses_may_leave_out_the_row_of_the_top() -> None:
    hierarchy, _ = read(USES.format("Component").replace("\n,Car,,", ""))
    assert (hierarchy.layout, hierarchy.ids[0], hierarchy.rows.tolist().count(-1)) == ("edges", "Car", 1)


@pytest.mark.parametrize(
    ("table", "rules"),
    [
        (USES.format("id"), ["MP301"]),
        (USES.format("Part").replace("8,0.1", "8,0.2"), ["MP301"]),
        (USES.format("Part").replace("Body,Bolt", "Bodie,Bolt"), ["MP301", "MP305"]),
    ],
)
def test_ids_and_parts_that_differ_and_unknown_parents_are_no_uses(table: str, rules: list[str]) -> None:
    hierarchy, findings = read(table)
    assert hierarchy.layout == "parent"
    assert [f.rule for f in findings] == rules
    assert "--layout edges" in findings[0].remedy


def test_a_use_written_twice_is_a_slip() -> None:
    hierarchy, findings = read(USES.format("Part").replace("Body,Bolt", "Axle,Bolt"))
    assert hierarchy.layout == "parent"
    assert [f.rule for f in findings] == ["MP301"]
    assert "--layout edges" not in findings[0].remedy
