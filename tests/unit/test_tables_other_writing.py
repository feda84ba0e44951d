"""Numbers in other digits and signs: one number, or rejected."""

from __future__ import annotations

import pytest

from massprops_cli.tables.cells.number_text import CellRules
from massprops_cli.tables.cells.numbers import _OTHER_NOTATION_READ, read_number_cells, rejected_cell_fault
from massprops_cli.tables.cells.units import _LENGTH_UNITS, MASS_UNITS

KG = CellRules(unit=MASS_UNITS["kg"])
METRES = CellRules(unit=_LENGTH_UNITS["m"])
INCHES = CellRules(unit=_LENGTH_UNITS["in"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("１２．５", 12.5),
        ("１２，５", 12.5),
        ("١٢٣", 123.0),
        ("१२", 12.0),
        ("−3.5", -3.5),
        ("－3", -3.0),
        ("＋3", 3.0),
        ("'3.5", 3.5),
        ("'-3", -3.0),
    ],
)
def test_one_number_is_read_and_reported(text: str, value: float) -> None:
    (cell,) = read_number_cells([text], KG)
    assert cell.value == pytest.approx(value, rel=1e-15)
    assert _OTHER_NOTATION_READ in cell.rules


@pytest.mark.parametrize(("text", "inches"), [('12"', 12.0), ("3'", 36.0), ("3 ft", 36.0)])
def test_feet_or_inches_in_columns_of_lengths(text: str, inches: float) -> None:
    assert read_number_cells([text], INCHES)[0].value == pytest.approx(inches, rel=1e-15)
    assert read_number_cells([text], METRES)[0].value == pytest.approx(inches * 0.0254, rel=1e-15)
    assert read_number_cells([text], KG)[0].value is None
    assert read_number_cells([text], CellRules())[0].value is None


@pytest.mark.parametrize("text", ["3′4″", "3'4\"", "3 ft 4 in", "3ft 4in"])
def test_feet_and_inches_are_one_length(text: str) -> None:
    assert read_number_cells([text], INCHES)[0].value == 3 * 12 + 4
    assert read_number_cells([text], METRES)[0].value == pytest.approx(40 * 0.0254, rel=1e-15)
    assert read_number_cells([text], KG)[0].value is None


@pytest.mark.parametrize("rules", [KG, METRES, INCHES, CellRules(), CellRules(of_measure="quantity")])
@pytest.mark.parametrize(
    "text",
    [
        "1.5×10³", "1,5 x 10^3", "1.5*10^+2 kg", "2 x 10^3", "1.5D3", "-2D-01", "1 1/2", "2 11/16", "1 1/2 lb",
        "1½", "½",
        "3'-4\"", "3'-4 1/2\"", "3' 13\"", '3/8"', "1-1/2 in",
    ],
)  # fmt: skip
def test_powers_fractions_and_feet_with_inches_are_rejected(text: str, rules: CellRules) -> None:
    """No part of them is read as the number."""
    assert read_number_cells([text], rules)[0].value is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("–3.5", "minus sign"),
        ("(3.2)", "brackets"),
        ("3.2-", "trailing sign"),
        ("3–4", "range"),
        ("3 - 4 kg", "range"),
        ("3 to 4", "range"),
        ("3 ± 0.1", "tolerance"),
        ("±3", "tolerance"),
        ("1/2", "fraction"),
        ("1-1/2", "fraction"),
        ("2 3/2", "fraction"),
        ("O.5", "letters that look like digits"),
        ("l0", "letters that look like digits"),
        ("3.2**3", "not a number"),
        ("3.2 (±1)", "text after the number"),
        ("4 × 5.5 = 23", "product whose result differs"),
        ("5-6", "range"),
        ("2…3 kg", "range"),
        ("3²", "text after the number"),
        ("10³", "text after the number"),
        ("3.2 1)", "text after the number"),
        ("1.2.3", "more than one point"),
        ("3-Dec", "date"),
        ("May 24", "date"),
        ("01:30", "date or a time"),
        ("TRUE", "truth value"),
        ("=B2*C2", "formula"),
        ("0x10", "hexadecimal"),
        ("3 lb 20 oz", "two units"),
        ("4 x 150 g", "is a product: 4 x 150 g"),
        ("4 × 5.5", "is a product"),
        ("1\n2", "line break"),
        ("١٫٥", "digits other than 0 to 9"),
        ("≤3", "limit"),
        ("5 %", "has a unit, %"),
        ("3'-4\"", "feet and inches"),
        ("3/8 in", "fraction"),
        ("1½", "fraction"),
        ("2×10³", "power of ten"),
    ],
)
def test_what_has_no_one_number_is_rejected_with_its_reason(text: str, words: str) -> None:
    assert read_number_cells([text], METRES)[0].value is None
    reason = rejected_cell_fault(text, METRES)
    assert words in reason.message
