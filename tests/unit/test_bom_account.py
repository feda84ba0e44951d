"""The account of a table: every column and every row that is no item, with its role, reason and equation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from typer.testing import Result

import massprops_cli as mp

LIST = """Wing study,,,,,
Part,Qty,Unit mass (kg),Total mass (kg),Foo,Power (W)
Spar,2,10,20,7.5,1
Rib,4,2.5,10,8.25,2
Skin,1,6,6,9.75,
,,,,,
Total,,,36,,
MTOW limit,,,40,,
"""


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "wing.csv"
    path.write_text(LIST)
    return path


def test_columns_have_their_role_reason_equation_and_rows(listed: Path) -> None:
    account = mp.read_bom(listed).account
    columns = account[account.what == "column"]
    assert list(columns.place) == ["1", "2", "3", "4", "5", "6"]
    assert list(columns.role) == ["part", "qty", "mass", "line_mass", "unexplained", "explained"]
    assert list(columns.rows) == [3, 3, 3, 3, 3, 2]
    assert [text for text in columns.equation if text] == ["Total mass (kg) = Unit mass (kg) × Qty"]
    assert columns.reason.iloc[-1] == "names another quantity"


def test_rows_that_are_no_items_have_theirs(listed: Path) -> None:
    account = mp.read_bom(listed).account
    rows = account[account.what == "row"].itertuples(index=False)
    assert [(row.place, row.name, row.role, row.equation, row.rows) for row in rows] == [
        ("line 1", "Wing study", "excluded", "", 0),
        ("line 7", "Total", "total", "= the mass of all rows above", 3),
        ("line 8", "MTOW limit", "limit", "", 0),
    ]
    (items,) = account[account.what == "rows"].itertuples(index=False)
    assert (items.role, items.rows) == ("item", 3)


def test_a_total_that_differs_is_marked(listed: Path) -> None:
    listed.write_text(LIST.replace("Total,,,36", "Total,,,39"))
    account = mp.read_bom(listed).account
    assert account[account.role == "total"].equation.tolist() == ["≠ the mass of all rows above"]


def test_units_of_rows_and_margins_are_explained() -> None:
    rows = [{"Part": "a", "m": 2.0, "WUn": "kg"}, {"Part": "b", "m": 500.0, "WUn": "g"}]
    account = mp.Bom.from_records(rows, map={"mass": "m"}).account.set_index("name")
    assert (account.role["WUn"], account.reason["WUn"]) == ("explained", "units of its rows")


def test_account_is_in_json_and_in_the_sheet_about(
    listed: Path, tmp_path: Path, massprops: Callable[..., Result]
) -> None:
    shown = json.loads(massprops("validate", listed, "--format", "json").stdout)["reading"]["account"]
    account = mp.read_bom(listed).account
    assert shown == account.to_dict("records")
    assert massprops("rollup", listed, "-o", tmp_path / "o.xlsx").exit_code == 0
    about = {row[0]: row[1] for row in load_workbook(tmp_path / "o.xlsx")["About"].iter_rows(values_only=True)}
    assert about["column 4"].startswith("Total mass (kg): line_mass (")
    assert about["column 4"].endswith("Total mass (kg) = Unit mass (kg) × Qty, 3 rows)")
    assert about["line 8"] == "MTOW limit: limit (its label and its number)"
    assert about["rows"].startswith("3 items (")


def test_unexplained_columns_are_on_the_screen_without_v(listed: Path, massprops: Callable[..., Result]) -> None:
    lines = massprops("rollup", listed).output.splitlines()
    assert [line.split(maxsplit=2)[2] for line in lines if line.startswith("  not read")] == [
        "Foo: numbers that nothing explains"
    ]


def test_filled_cells_of_a_workbook_are_numbers_and_texts_without_blanks(tmp_path: Path) -> None:
    book: Any = Workbook()
    rows = [("id", "parent", "mass [kg]", "cost"), ("T", None, None, 1.5), ("A", "T", 2.0, "  "), ("B", "T", "3", "x")]
    for row in [*rows, ("C", "T", 4.0, None), ("D", "T", 0.0, 0)]:
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    account = mp.read_bom(tmp_path / "bom.xlsx").account
    counts = account[account.what == "column"].set_index("name").rows
    assert counts.to_dict() == {"id": 5, "parent": 4, "mass [kg]": 4, "cost": 3}
