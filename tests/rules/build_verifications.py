"""Calls of ``verify`` and ``plan`` that meet a rule, or nearly do."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import openpyxl

import massprops_cli as mp

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

TABLE = "id,parent,mass [kg]\nSAT,,\nA,SAT,0.1\nB,SAT,0.2\n"
RESULT = "id,parent,mass [kg]\nSAT,,0.3\nA,SAT,0.1\nB,SAT,0.2\n"
TASK = """now = "PDR"
[[milestone]]
name = "PDR"
[[milestone]]
name = "CDR"
[[task]]
name = "Half of the mass is weighed"
milestone = "PDR"
by = "weighed"
at-least = 50
"""


def verify(folder: Path, result: str = "", *options: str) -> list[str]:
    """Write the table and a result, and give the command line."""
    (folder / "bom.csv").write_text(TABLE)
    if result:
        (folder / "out.csv").write_text(result)
        options = ("--result", str(folder / "out.csv"), *options)
    return ["verify", str(folder / "bom.csv"), *options]


@good("MP903", "MP904", "MP905", "MP906", "MP907")
def a_result_that_agrees(folder: Path) -> list[str]:
    return verify(folder, RESULT)


@bad("MP903")
def digits_that_only_one_reader_knows(folder: Path) -> list[str]:
    book: Any = openpyxl.Workbook()
    for row in (["id", "parent", "mass [kg]", "stock"], ["SAT", "", None], ["A", "SAT", 2, 7], ["B", "SAT", 3, 8]):
        book.active.append(row)
    book.save(folder / "plain.xlsx")
    with zipfile.ZipFile(folder / "plain.xlsx") as plain, zipfile.ZipFile(folder / "bom.xlsx", "w") as changed:
        for name in plain.namelist():
            changed.writestr(name, plain.read(name).replace(b"<v>7</v>", b"<v>1_0</v>"))
    return ["verify", str(folder / "bom.xlsx")]


@bad("MP904")
def a_tolerance_below_double_precision(folder: Path) -> list[str]:
    return verify(folder, "", "--tolerance", "1e-30")


@bad("MP905")
def a_total_of_other_parts(folder: Path) -> list[str]:
    return verify(folder, RESULT.replace("SAT,,0.3", "SAT,,0.31"))


@bad("MP905")
def a_part_of_another_mass(folder: Path) -> list[str]:
    return verify(folder, RESULT.replace("A,SAT,0.1", "A,SAT,0.15"))


@bad("MP905")
def a_total_that_is_blank(folder: Path) -> list[str]:
    return verify(folder, RESULT.replace("SAT,,0.3", "SAT,,"))


@bad("MP906")
def a_result_without_a_part(folder: Path) -> list[str]:
    return verify(folder, RESULT.replace("B,SAT,0.2\n", ""))


@bad("MP906")
def a_result_with_another_part(folder: Path) -> list[str]:
    return verify(folder, RESULT + "C,SAT,0.4\n")


@bad("MP907")
def a_formula_with_a_factor(folder: Path) -> list[str]:
    line = verify(folder)
    mp.rollup(line[1]).save(folder / "out.xlsx", formulas=True)
    book: Any = openpyxl.load_workbook(folder / "out.xlsx")
    sheet = book["BOM"]
    sheet["C2"] = f"{sheet['C2'].value}*1.02"
    book.save(folder / "out.xlsx")
    return [*line, "--result", str(folder / "out.xlsx")]


@bad("MP909")
def a_task_that_is_due(folder: Path) -> list[str]:
    verify(folder)
    (folder / "plan.toml").write_text(TASK)
    return ["plan", str(folder / "bom.csv"), str(folder / "plan.toml")]


@good("MP909")
def a_task_of_a_later_milestone(folder: Path) -> list[str]:
    verify(folder)
    (folder / "plan.toml").write_text(TASK.replace('milestone = "PDR"', 'milestone = "CDR"'))
    return ["plan", str(folder / "bom.csv"), str(folder / "plan.toml")]
