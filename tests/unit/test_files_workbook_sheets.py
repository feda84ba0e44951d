"""Which of several sheets is read, and the findings on the others."""

from __future__ import annotations

import pytest

from massprops_cli.files.workbook.cells import choose_sheet
from massprops_cli.files.workbook.package import SheetEntry
from massprops_cli.findings.finding import Findings

HEADS = {
    "Cover": [["Mass budget"], ["Rev C"]],
    "Notes": [["checked by", "Ada"]],
    "BOM": [["id", "parent", "mass"], ["top", "", ""]],
    "About": [["massprops"]],
    "Rollup": [["id", "mass"], ["top", "1"]],
}


def chosen(*names: str, wanted: str = "") -> tuple[str, list[str]]:
    entries = [SheetEntry(name, "") for name in names]
    reported = Findings()
    entry = choose_sheet("bom.xlsx", entries, wanted, lambda e: HEADS[e.name], None, reported)
    return entry.name, [finding.message for finding in reported]


def test_the_only_sheet_that_fits_is_used_and_the_others_are_named() -> None:
    assert chosen("Cover", "BOM", "Notes") == ("BOM", ["sheet 'BOM' contains the table; not read: 'Cover', 'Notes'"])


@pytest.mark.parametrize(
    ("names", "wanted"), [(("BOM",), ""), (("BOM", "Rollup", "About"), ""), (("Cover", "BOM"), "BOM")]
)
def test_nothing_is_reported_where_nothing_was_chosen(names: tuple[str, ...], wanted: str) -> None:
    assert chosen(*names, wanted=wanted) == ("BOM", [])
