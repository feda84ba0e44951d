"""Number formats that show another unit than the column states."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.numbers import number_format_unit
from tests.unit.bom_tables import reported


def book(path: Path, header: str, *cells: tuple[float, str]) -> Bom:
    """Write leaves whose masses have these values and formats, and read them."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in [["id", "parent", header], ["t"], *[["abc"[k], "t", value] for k, (value, _) in enumerate(cells)]]:
        sheet.append(row)
    for k, (_, code) in enumerate(cells):
        sheet.cell(3 + k, 3).number_format = code
    workbook.save(path / "bom.xlsx")
    return mp.read_bom(path / "bom.xlsx")


@pytest.mark.parametrize(
    ("code", "unit", "scale"),
    [
        ('0.0" kg"', "kg", 1.0),
        ('0.0\\ "kg"', "kg", 1.0),
        ("0.0\\ \\k\\g", "kg", 1.0),
        ('#,##0.0,,\\ "t"', "t", 1e-6),
        ('#,##0" g";-#,##0" g"', "g", 1.0),
        ("0.00%", "%", 100.0),
        ("#,##0,", "thousands", 1e-3),
    ],
)
def test_units_of_formats(code: str, unit: str, scale: float) -> None:
    assert number_format_unit(code) == (unit, scale)


@pytest.mark.parametrize(
    "code", ["General", "#,##0.00", '0.0" approx"', "0.00E+00", '_(* #,##0_);_(* "-"??_)', '0"%"', "@"]
)
def test_formats_without_a_unit(code: str) -> None:
    assert number_format_unit(code) is None


@pytest.mark.parametrize(
    ("header", "formats", "rejected"),
    [
        ("mass [kg]", ['0" kg"', "0", '0.000,\\ "t"'], []),
        ("mass [kg]", ['0" g"', "0", '0" kg"'], ["a"]),
        ("mass [kg]", ["0", "0%", '0" mm"'], ["b", "c"]),
        ("mass [g]", ['0.0, "kg"', '0.0" kg"', "0"], ["b"]),
        ("mass", ['0" g"', '0" g"', '0" g"'], []),
        ("mass", ['0" g"', "0", '0" kg"'], ["a", "c"]),
        ("mass [kg]", ["#,##0", "0,", "#,##0,,"], ["b", "c"]),
    ],
)
def test_a_unit_that_contradicts_is_rejected(
    tmp_path: Path, header: str, formats: list[str], rejected: list[str]
) -> None:
    bom = book(tmp_path, header, *[(300.0, code) for code in formats])
    assert [finding.item for finding in reported(bom.findings, "MP239")] == rejected
