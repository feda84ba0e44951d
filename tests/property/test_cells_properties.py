"""A cell of a number column is the number meant, whatever it is written in, or is rejected with a reason."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, strategies as st

from massprops_cli.findings.catalogue import RULES
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, PLAIN_NUMBER, CellRules
from massprops_cli.tables.cells.numbers import read_number_cells, rejected_cell_fault
from massprops_cli.tables.cells.units import _LENGTH_UNITS

SCRIPTS = st.sampled_from(["0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९"])
MINUSES = st.sampled_from(["-", "−", "－"])


@given(st.integers(-(10**6), 10**6), st.integers(0, 4), SCRIPTS, MINUSES)
def test_digits_of_any_script_are_the_number_they_write(digits: int, places: int, script: str, minus: str) -> None:
    number = Decimal(digits).scaleb(-places)
    written = f"{number:f}".translate(str.maketrans("0123456789-", script + minus))
    assert read_number_cells([written], CellRules())[0].value == float(number)


@given(
    st.text("0123456789.,'’ -−–+eExX×·/^²³½kgmft\"*()±~<１٢\u00a0\u200b", max_size=9), st.sampled_from(["", ".", ","])
)
def test_a_cell_is_read_or_rejected_with_a_reason(text: str, decimal: str) -> None:
    rules = CellRules(decimal=decimal, unit=_LENGTH_UNITS["in"])
    (cell,) = read_number_cells([text], rules)
    if cell.value is None and not cell.blank:
        reason = rejected_cell_fault(text, rules)
        assert reason.rule in RULES
        assert reason.message.isprintable()
    elif cell.value is not None and not PLAIN_NUMBER.fullmatch(text.strip(BLANK_CHARACTERS)) and not decimal:
        assert cell.rules  # never another number than the plain one without a word
