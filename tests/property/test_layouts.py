"""Any tree, written in any layout, reads back as the same tree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from massprops_cli.files.table import GridTable, SheetInfo, TableSource
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.layouts.layout_output import _TARGET_LAYOUTS, layout_rows
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy
from tests.examples import covering


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Draw the parents of a tree; items are in any order that the draw makes."""
    n = draw(st.integers(2, 25))
    parents = [-1, *(draw(st.integers(0, i - 1)) for i in range(1, n))]
    order = draw(st.permutations(range(n)))
    place = {old: new for new, old in enumerate(order)}
    return [-1 if parents[old] < 0 else place[parents[old]] for old in order]


def parent_table(parents: list[int]) -> GridTable:
    rows = [["id", "parent", "mass", "remark"]]
    rows += [[f"p{i}", f"p{p}" if p >= 0 else "", f"{i}.50", f"r {i} "] for i, p in enumerate(parents)]
    return GridTable(TableSource("t.csv", "csv"), rows)


def understood(rows: list[list[str]], info: SheetInfo | None = None, layout: str = "") -> tuple[GridTable, Hierarchy]:
    table = GridTable(TableSource("t.csv", "csv"), rows, info)
    return table, read(table, layout)


def read(table: GridTable, layout: str = "") -> Hierarchy:
    columns = read_columns(table, TableOptions(), Findings())
    findings = Findings()
    hierarchy = read_hierarchy(table, columns, TableOptions(layout=layout), findings)
    assert findings == []
    return hierarchy


def edges_of(hierarchy: Hierarchy) -> dict[str, str]:
    ids = hierarchy.ids
    return {ids[i]: ids[p] if p >= 0 else "" for i, p in enumerate(hierarchy.parents.tolist())}


def convert(table: GridTable, layout: str) -> GridTable:
    columns = read_columns(table, TableOptions(), Findings())
    hierarchy = read_hierarchy(table, columns, TableOptions(), Findings())
    findings = Findings()
    rows = layout_rows(hierarchy, table, columns, layout, findings)
    assert findings == []
    return GridTable(table.source, rows)


def depth_first(parents: list[int]) -> list[tuple[int, int]]:
    """Walk a small tree by hand: (item, level), children in the order of their numbers."""
    children: dict[int, list[int]] = {}
    for i, p in enumerate(parents):
        children.setdefault(p, []).append(i)
    walked, waiting = [], [(children[-1][0], 0)]
    while waiting:
        item, level = waiting.pop()
        walked.append((item, level))
        waiting += [(child, level + 1) for child in reversed(children.get(item, []))]
    return walked


@pytest.mark.spread(2)
@given(trees())
@pytest.mark.parametrize(("one", "other"), covering(_TARGET_LAYOUTS, [*_TARGET_LAYOUTS[1:], _TARGET_LAYOUTS[0]]))
def test_every_pair_of_written_layouts_keeps_tree_and_cells(one: str, other: str, parents: list[int]) -> None:
    start = parent_table(parents)
    there = convert(start, one)
    back = convert(there, other)
    truth = {f"p{i}": f"p{p}" if p >= 0 else "" for i, p in enumerate(parents)}
    for table, layout in ((there, one), (back, other)):
        hierarchy = read(table)
        assert hierarchy.layout == layout
        assert edges_of(hierarchy) == truth
        header = table.row(0)
        held = dict(zip(hierarchy.ids, map(table.row, hierarchy.rows.tolist()), strict=True))
        for i in range(len(parents)):
            row = held[f"p{i}"]
            assert (row[header.index("mass")], row[header.index("remark")]) == (f"{i}.50", f"r {i} ")


@given(trees(), st.sampled_from(["  ", " ", "\t", "\u00a0\u00a0\u00a0"]))
def test_indented_names_read_as_the_same_tree(parents: list[int], step: str) -> None:
    rows = [["name", "mass"], *([f"{step * level}p{i}", "1"] for i, level in depth_first(parents))]
    truth = {f"p{i}": f"p{p}" if p >= 0 else "" for i, p in enumerate(parents)}
    table, hierarchy = understood(rows)
    assert hierarchy.layout == "indented"
    assert edges_of(hierarchy) == truth
    assert edges_of(read(convert(table, "dotted"))) == truth


@given(trees())
def test_cell_indents_level_columns_and_edges_read_as_the_same_tree(parents: list[int]) -> None:
    walked = depth_first(parents)
    truth = {f"p{i}": f"p{p}" if p >= 0 else "" for i, p in enumerate(parents)}
    levels = np.array([0, *(level for _, level in walked)], np.uint8)
    plain = [["name", "mass"], *([f"p{i}", "1"] for i, _ in walked)]
    _, hierarchy = understood(plain, SheetInfo(indent={0: levels}))
    assert (hierarchy.layout, edges_of(hierarchy)) == ("indented", truth)

    width = int(levels.max()) + 1
    spread = [[f"Level {k}" for k in range(width)] + ["mass"]]
    spread += [[f"p{i}" if k == level else "" for k in range(width)] + ["1"] for i, level in walked]
    table, hierarchy = understood(spread)
    assert (hierarchy.layout, edges_of(hierarchy)) == ("columns", truth)
    assert edges_of(read(convert(table, "level"))) == truth

    used = [["parent", "child", "mass"], *([f"p{p}" if p >= 0 else "", f"p{i}", "1"] for i, p in enumerate(parents))]
    table, hierarchy = understood(used)
    assert (hierarchy.layout, edges_of(hierarchy)) == ("edges", truth)
    assert edges_of(read(convert(table, "parent"))) == truth


@given(trees(), st.booleans())
def test_outline_levels_read_as_the_same_tree(parents: list[int], below: bool) -> None:
    walked = depth_first(parents)
    if below:
        walked.reverse()
    levels = np.array([0, *(level for _, level in walked)], np.uint8)
    _, hierarchy = understood([["name", "mass"], *([f"p{i}", "1"] for i, _ in walked)], SheetInfo(outline=levels))
    assert edges_of(hierarchy) == {f"p{i}": f"p{p}" if p >= 0 else "" for i, p in enumerate(parents)}
    assert f"assemblies {'below' if below else 'above'}" in hierarchy.how


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_levels_with_jumps_hang_on_the_nearest_row_that_is_less_deep(levels: list[int]) -> None:
    from massprops_cli.tables.layouts.levels import _parents_from_levels

    parents, jumps = _parents_from_levels(np.array(levels))
    for i, level in enumerate(levels):
        higher = [j for j in range(i) if levels[j] < level]
        nearest = higher[-1] if higher else -1
        if not any(b > a + 1 for a, b in pairwise(levels)) and level > 0:
            exact = [j for j in range(i) if levels[j] == level - 1]
            nearest = exact[-1] if exact else -1
        assert parents[i] == nearest
    assert jumps.tolist() == [i for i in range(1, len(levels)) if levels[i] > levels[i - 1] + 1]
