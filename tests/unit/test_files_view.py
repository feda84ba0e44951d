"""A view shows the table below it cell for cell, but for what is left out or replaced, and moves nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from massprops_cli.files.table import (
    BLANK,
    NUMBER,
    TEXT,
    ColumnEdit,
    GridTable,
    SheetInfo,
    TableEdit,
    TableSource,
    TableView,
    edit_with_file_names,
    file_table,
)
from massprops_cli.files.workbook.xlsx import _WorksheetTable

CELL = st.one_of(st.none(), st.sampled_from(["a", "TOTAL", " ", "1.5"]), st.floats(allow_nan=False, width=32))


@st.composite
def views(draw: st.DrawFn) -> tuple[GridTable, TableView]:
    """Draw a small worksheet that begins at some cell, and a view of it."""
    n_rows, n_columns = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rows = [[draw(CELL) for _ in range(n_columns)] for _ in range(n_rows)]
    info = SheetInfo(
        first_row=draw(st.integers(0, 3)),
        first_column=draw(st.integers(0, 3)),
        outline=np.ones(n_rows, np.uint8),
        formulas=frozenset((i, j) for i in range(n_rows) for j in range(n_columns)),
    )
    table = _WorksheetTable(TableSource("a.xlsx", "xlsx", sheet="BOM"), rows, info)
    left = draw(st.sets(st.integers(0, n_rows - 1)))
    columns = draw(st.sets(st.integers(0, n_columns - 1)))
    spots = st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_columns - 1))
    cells = draw(st.dictionaries(spots, st.sampled_from(["CG X", ""]), max_size=2))
    return table, TableView(table, sorted(left), columns, cells)


@given(views(), st.integers(0, 2))
def test_a_view_agrees_with_its_table_but_for_what_it_leaves_out(both: tuple[GridTable, TableView], start: int) -> None:
    table, view = both
    start = min(start, table.n_rows - 1)
    assert (view.n_rows, view.n_columns, view.source) == (table.n_rows, table.n_columns, table.source)
    for j in range(table.n_columns):
        texts, typed = view.texts(j, start), view.is_typed(j, start)
        numbers, below = view.numbers([j], start)[0], table.numbers([j], start)[0]
        for k, i in enumerate(range(start, table.n_rows)):
            assert view.place(i, j, "mass") == table.place(i, j, "mass")
            removed = bool(view.left_out[i]) or j in view.columns
            text = "" if removed else view.cells.get((i, j), table.text(i, j))
            assert view.text(i, j) == view.row(i)[j] == texts[k] == text
            if removed or (i, j) in view.cells:
                assert not typed[k]
                assert np.isnan(numbers.values[k])
                assert numbers.states[k] == (TEXT if text else BLANK)
            else:
                assert typed[k] == table.is_typed(j, start)[k]
                assert numbers.states[k] == below.states[k]
                assert numbers.states[k] != NUMBER or numbers.values[k] == below.values[k]


@given(views())
def test_a_view_reports_only_cells_it_shows(both: tuple[GridTable, TableView]) -> None:
    table, view = both
    assert view.sheet_info is not None
    assert table.sheet_info is not None
    assert view.sheet_info.first_row == table.sheet_info.first_row
    shown = {(i, j) for i, j in table.sheet_info.formulas if not view.left_out[i] and j not in view.columns}
    assert view.sheet_info.formulas == shown
    assert view.sheet_info.outline is not None
    assert (view.sheet_info.outline == ~view.left_out).all()


def test_a_view_of_a_view_leaves_out_what_either_does() -> None:
    table = GridTable(TableSource("a.csv", "csv"), [["id", "mass", "x"], ["a", "1", "2"], ["b", "3", "4"]])
    view = TableView(TableView(table, rows=[1], cells={(0, 1): "M"}), columns=[2])
    assert [view.row(i) for i in range(3)] == [["id", "M", ""], ["", "", ""], ["b", "3", ""]]
    assert file_table(view) is table
    assert file_table(table) is table


def test_new_names_of_columns_come_to_the_cells_of_the_file() -> None:
    table = GridTable(TableSource("a.csv", "csv"), [["", "CG"], ["id", "X"], ["a", "1"]])
    view = TableView(table, rows=[0], cells={(1, 1): "CG X"})
    filling = TableEdit(
        (ColumnEdit(1, np.array([2]), np.array([2.0])),), header_row=1, renames={0: "ID", 1: "CG X [m]"}
    )
    assert edit_with_file_names(view, filling).renames == {0: "ID", 1: "X [m]"}
    assert edit_with_file_names(view, filling).fills == filling.fills
    assert edit_with_file_names(table, filling) is filling
