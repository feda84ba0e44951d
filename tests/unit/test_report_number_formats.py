"""Number formats of fresh worksheets, as an independent reader sees them."""

from __future__ import annotations

import openpyxl


def test_typed_digits_show_and_cells_keep_theirs(massprops, tmp_path):
    table = tmp_path / "bom.csv"
    table.write_text("id,parent,qty,mass,Cx,Cy,Cz\nt,,,,,,\na,t,2,0.125,1e-3,0,3\nb,t,1,1.5,2,0,0.12345678\n")
    target = tmp_path / "bom.xlsx"
    assert massprops("rollup", table, "-o", target).exit_code == 0
    book = openpyxl.load_workbook(target)
    sheet = book.worksheets[0]
    formats = {sheet.cell(1, k).value: sheet.cell(3, k).number_format for k in range(1, 8)}
    assert formats["mass"] == "0.000"  # the most decimals typed
    assert formats["Cx"] == "General"  # an exponent was typed
    assert formats["Cy"] == "General"  # whole numbers only
    assert formats["Cz"] == "0.000000"  # six at most
    assert formats["qty"] == "General"
    assert sheet["C3"].value == 2
    assert sheet["D2"].value == 1.75
    assert sheet["G4"].value == 0.12345678
    rolled = book["Rollup"]
    names = [cell.value for cell in rolled[1]]
    assert rolled.cell(2, names.index("mass") + 1).number_format == "0.00000"
