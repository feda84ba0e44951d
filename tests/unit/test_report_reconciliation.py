"""The totals of a sheet as a screen, as Markdown, as plain JSON values and in the workbook show them."""

from __future__ import annotations

import csv
import io

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.reports.limits import _reconciliation_markdown, reconciliation_blocks, reconciliation_cells
from massprops_cli.reports.page.page import symbols_for

SHEET = """id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm]
S,,,,,
a,S,1,100,0,0
b,S,3,500,40,60
Subtotal,,4,400,,
Total,,8,400,30,45
"""


def result(sheet: str = SHEET) -> Result:
    """Roll a sheet up from its text."""
    return rollup(Bom.from_records(list(csv.DictReader(io.StringIO(sheet)))))


def test_every_total_is_with_its_verdict() -> None:
    lines = _reconciliation_markdown(result())
    assert lines[3:] == [
        "| Subtotal mass | row 5 | 4 kg | ✔ |  | all rows above |",
        "| Subtotal Cx | row 5 | 400 mm | ✔ |  | all rows above |",
        "| Total mass | row 6 | 8 kg | ✘ | 4 | all rows above |",
        "| Total Cx | row 6 | 400 mm | ✔ |  | all rows above |",
        "| Total Cy | row 6 | 30 mm | ✔ |  | all rows above |",
        "| Total Cz | row 6 | 45 mm | ✔ |  | all rows above |",
    ]


def test_masses_alone_need_no_word_for_them() -> None:
    lines = _reconciliation_markdown(result("id,parent,mass [kg]\nS,,\na,S,1\nTotal,,1\n"))
    assert lines[3:] == ["| Total | row 4 | 1 | ✔ |  | all rows above |"]


def test_verdicts_have_words_where_marks_cannot_be_shown() -> None:
    (grid,) = [b for b in reconciliation_blocks(result(), symbols_for("ascii")) if hasattr(b, "rows")]
    assert [row[3].text for row in grid.rows] == ["ok", "ok", "failed", "ok", "ok", "ok"]


def test_json_names_the_quantity() -> None:
    printed = result().to_dict()["reconciliation"]
    assert [(one["label"], one["quantity"], one["unit"]) for one in printed][:3] == [
        ("Subtotal", "mass", "kg"),
        ("Subtotal", "Cx", "mm"),
        ("Total", "mass", "kg"),
    ]


def test_the_workbook_states_the_same() -> None:
    assert reconciliation_cells(result())[2] == ["Total, row 6", "mass 8 kg ✘ computed 4 from all rows above"]
    assert reconciliation_cells(result("id,parent,mass\nS,,\na,S,1\n")) == []
