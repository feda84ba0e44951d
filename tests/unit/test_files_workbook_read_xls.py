"""Workbooks of the old format: what LibreOffice writes as whole numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from massprops_cli.bom.bom import Bom

xlwt = pytest.importorskip("xlwt", reason="xls files are written by xlwt, the extra test")


def test_a_whole_number_of_nought_is_not_a_blank_cell(tmp_path: Path) -> None:
    """A quantity of 0 leaves the part out; a blank one would count it once."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("BOM")
    rows = [["id", "parent", "mass", "qty"], ["top", "", "", ""], ["a", "top", 2, 3], ["b", "top", 7, 0]]
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if cell != "":
                sheet.write(i, j, cell)
    book.save(str(tmp_path / "bom.xls"))
    bom = Bom.read(str(tmp_path / "bom.xls"))
    assert bom.table.text(3, 3) == "0"
    assert bom.quantity.count.tolist() == [1, 3, 0]
