"""Number formats of fresh worksheets, as an independent reader sees them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import openpyxl
import pytest

from massprops_cli.files.table import edit_value_texts, short_numbers


def test_typed_digits_show_and_cells_keep_theirs(massprops, tmp_path):
    table = tmp_path / "bom.csv"
    table.write_text("id,parent,qty,mass,Cx,Cy,Cz\nt,,,,,,\na,t,2,0.125,1e-3,0,3\nb,t,1,1.5,2,0,0.12345678\n")
    target = tmp_path / "bom.xlsx"
    assert massprops("rollup", table, "-o", target).exit_code == 0
    book = openpyxl.load_workbook(target)
    sheet = book.worksheets[0]
    formats = {sheet.cell(1, k).value: sheet.cell(3, k).number_format for k in range(1, 8)}
    assert formats["mass"] == "0.000"  # the most decimals typed
    assert formats["Cx"] == "0.000"  # 1e-3
    assert formats["Cy"] == "0"  # whole numbers only
    assert formats["Cz"] == "0.00000000"  # nine at most
    assert formats["qty"] == "General"
    assert sheet["C3"].value == 2
    assert sheet["D2"].value == 1.75
    assert sheet["G4"].value == 0.12345678
    rolled = book["Rollup"]
    names = [cell.value for cell in rolled[1]]
    assert rolled.cell(2, names.index("mass") + 1).number_format == "0.000"
    assert rolled.cell(2, names.index("mass known") + 1).number_format == "0%"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (150.33450000000002, "150.3345"),
        (2 / 3, "0.6666666666666666"),
        (0.1 + 0.2, "0.3"),
        (0.123456789012345, "0.123456789012345"),
        (-2.5e-7, "-2.5e-07"),
        (1e300, "1e+300"),
        (2.0**70, "1.1805916207174113e+21"),
    ],
)
def test_text_lacks_the_digits_of_rounding(number, text):
    written = short_numbers(np.array([number]))
    assert Decimal(edit_value_texts(written)[0]) == Decimal(text)
    assert written[0] == pytest.approx(number, rel=1e-15)


def test_written_totals_are_those_of_the_leaves_and_rounding_is_zero(massprops, tmp_path):
    """Two groups of three: sums of decimals, a centre that cancels, and a small centre that does not."""
    rows = [("L", "A", "0.1", "-1.1"), ("M", "A", "0.2", "0.3"), ("R", "A", "0.1", "0.5")]
    rows += [("N", "B", "1", "1e-9"), ("O", "B", "1e-9", "1000")]
    lines = ["t,,,,,", "A,t,,,,", "B,t,,,,", *(f"{one},{above},{m},{x},0,0" for one, above, m, x in rows)]
    (tmp_path / "a.csv").write_text("id,parent,mass,Cx,Cy,Cz\n" + "\n".join(lines) + "\n")
    assert massprops("rollup", tmp_path / "a.csv", "-o", tmp_path / "b.csv").exit_code == 0
    written = {line.split(",")[0]: line.split(",") for line in (tmp_path / "b.csv").read_text().splitlines()}
    assert (written["A"][2], written["A"][3]) == ("0.4", "0")  # −0.11 + 0.06 + 0.05
    center = (Decimal("1e-9") + Decimal("1e-9") * 1000) / (1 + Decimal("1e-9"))
    assert float(written["B"][3]) == pytest.approx(float(center), rel=1e-12)
    assert massprops("rollup", tmp_path / "b.csv", "-o", tmp_path / "c.csv").exit_code == 0
    assert (tmp_path / "c.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_pages_of_a_new_workbook(massprops, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    text = "Kite & tail,,,\nid,parent,mass [g],sigma_mass [g]\nt,,,\na,t,1.25,0.03\nb,t,2.5,0.04\n"
    (tmp_path / "kite.csv").write_text(text)
    assert massprops("rollup", tmp_path / "kite.csv", "-o", tmp_path / "kite.xlsx").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "kite.xlsx")
    for sheet in book:
        assert sheet.oddHeader.left.text == "Kite && tail · kite.csv", sheet.title
        assert sheet.oddHeader.right.text == "1970-01-02"
        assert sheet.oddFooter.right.text == "Page &P of &N"
        assert (sheet.sheet_properties.pageSetUpPr.fitToPage, sheet.page_setup.orientation) == (True, "landscape")
    sheet = book["BOM"]
    assert (sheet.print_title_rows, sheet.freeze_panes) == ("$2:$2", "B3")
    # σ of the root √(0.03² + 0.04²) = 0.05; its parts have the two decimals of the input
    assert [sheet.cell(row, 3).number_format for row in (3, 4, 5)] == ["0.000", "0.00_0", "0.00_0"]
    assert sheet["D3"].value == pytest.approx(0.05, rel=1e-15)
    assert sheet.row_dimensions[2].height >= 15


def test_headroom_is_red_below_zero(massprops, tmp_path):
    text = "id,parent,mass [kg],Mass limit [kg]\nt,,,4\na,t,1.5,1\nb,t,2.25,\n"
    (tmp_path / "a.csv").write_text(text)
    massprops("check", tmp_path / "a.csv", "-o", tmp_path / "a.xlsx")
    cells = {row[0].value: row[4] for row in openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0].iter_rows()}
    assert [cells[name].value for name in ("id", "t", "a")] == ["headroom [kg]", 0.25, -0.5]
    assert cells["a"].number_format == "0.000;[Red]-0.000"  # three digits of 0.5
