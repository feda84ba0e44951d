"""The strict number, whole columns of it, and the words for what is none."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest

from massprops_cli.files.table import BLANK, NUMBER, TEXT, ColumnNumbers, GridTable, TableSource
from massprops_cli.findings.catalogue import RULES
from massprops_cli.tables.cells.number_text import (
    CellRules,
    half_unit_of_last_digit,
    is_number,
    number_fault,
    read_number,
)
from massprops_cli.tables.cells.numbers import _read_number_texts, parse_column

GOOD = ["0", "-0", "+1", "1.", ".5", "-.5e-3", "1E+10", "007", "12.50", "1e308", "0e-999", "0.000", "4.9e-324"]
BAD = [
    "1,5", "1 2", "1_000", "nan", "NaN", "inf", "-Infinity", "٣", "１２", "0x10", "1e", "e5", ".", "+", "-", "--1",
    "1.2.3", "1e5.0", "1f", "5L", "TBD", "½", "1e400", "-1e400", "1e-400", "0.1e-330", "−1", "\u200b1", "1\n", "1\n2",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_a_number_is_what_json_and_the_plain_grammar_state(text: str) -> None:
    assert read_number(text) == float(text)
    assert is_number(text)
    assert read_number(f" \u00a0{text}\u202f\t") == float(text)
    try:
        assert json.loads(text) == read_number(text)
    except json.JSONDecodeError:
        assert text.startswith(("+", ".", "-.", "0")) or text.endswith(".")


@pytest.mark.parametrize("text", BAD)
def test_what_is_not_a_number_is_rejected_alone_and_in_a_column(text: str) -> None:
    assert read_number(text) is None
    values, good = _read_number_texts(["1", text, "2"])
    assert good.tolist() == [True, False, True]
    assert np.isnan(values[1])
    assert values[[0, 2]].tolist() == [1.0, 2.0]


def test_a_column_resolves_what_its_reader_left_open() -> None:
    table = GridTable(TableSource("b.csv", "csv"), [["mass"], ["1"], [" "], ["x"], [" 2.5 "], [7], ["1_0"]])
    states = np.array([TEXT, TEXT, TEXT, TEXT, NUMBER, TEXT], np.uint8)
    numbers = ColumnNumbers(np.array([np.nan, np.nan, np.nan, np.nan, 7.0, np.nan]), states)
    resolved = parse_column(table, 0, numbers, 1)
    np.testing.assert_array_equal(resolved.values, [1.0, np.nan, np.nan, 2.5, 7.0, np.nan])
    assert resolved.blank.tolist() == [False, True, False, False, False, False]
    assert resolved.bad.tolist() == [2, 5]
    assert np.isnan(numbers.values[0]), "the reader's own arrays stay as they are"


def test_a_column_without_open_cells_is_read_as_it_is() -> None:
    table = GridTable(TableSource("b.csv", "csv"), [["mass"], [1.0], [None]])
    numbers = ColumnNumbers(np.array([1.0, np.nan]), np.array([NUMBER, BLANK], np.uint8))
    resolved = parse_column(table, 0, numbers, 1)
    assert resolved.values is numbers.values
    assert resolved.blank.tolist() == [False, True]
    assert resolved.bad.size == 0


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("12.50", 0.005), ("7", 0.5), ("-7.", 0.5), ("1e3", 500.0), ("1.25e-3", 0.5e-5), (".5", 0.05),
        (" 3.0 ", 0.05),
        ("0.1234567890123456", 0.5e-16), ("", 0.0), ("x", 0.0), ("1e99999999", 0.0),
    ],
)  # fmt: skip
def test_half_a_unit_of_the_last_digit(text: str, half: float) -> None:
    assert half_unit_of_last_digit(text) == pytest.approx(half, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "rule", "stated", "offers"),
    [
        ("1,234", "MP205", "1234 or 1.234", "without a comma"),
        ("-12,345e3", "MP205", "-12345e3 or -12.345e3", "without a comma"),
        ("0,123", "MP205", "decimal comma", "write 0.123"),
        ("1,5", "MP205", "decimal comma", "write 1.5"),
        ("1.234,5", "MP205", "separator", "without a separator"),
        ("3 kg", "MP205", "a unit, kg", "write 3"),
        ("2.5e1mm", "MP205", "a unit, mm", "write 2.5e1"),
        ("~3", "MP205", "estimate", "sigma"),
        ("3 ± 0.1", "MP205", "tolerance", "sigma"),
        ("1_000", "MP205", "underscore", "without"),
        ("nan", "MP205", "nan", "clear the cell"),
        ("TBD", "MP205", "TBD", "clear the cell"),
        ("inf", "MP407", "not finite", None),
        ("#DIV/0!", "MP117", "spreadsheet error", None),
        ("#N/A", "MP117", "spreadsheet error", None),
        ("٣", "MP205", "digits other than 0 to 9", "0 to 9"),
        ("1.2.3", "MP205", "more than one point", None),
        ("2024-01-02", "MP205", "date", "number"),
        ("1.2.2024", "MP205", "date", "number"),
        ("−5", "MP205", "minus", "write -5"),
        ("\u200b5", "MP205", "U+200B", "again"),
        ("1d5", "MP205", "Fortran", "write 1e5"),
        ("0x1F", "MP205", "hexadecimal", "decimal"),
        ("<5", "MP205", "limit", "number to use"),
        ("(3)", "MP205", "brackets", "write -3"),
        ("'5", "MP205", "apostrophe", "write 5"),
        ("=A1*2", "MP205", "formula", "result of the formula"),
        ("1e400", "MP221", "too large", None),
        ("1e-400", "MP221", "too small", None),
        ("hello", "MP205", "hello", None),
        ("{x}%s", "MP205", "{x}%s", None),
    ],
)
def test_the_message_states_why_a_cell_is_not_a_number(text: str, rule: str, stated: str, offers: str | None) -> None:
    reason = number_fault(text)
    assert reason.rule == rule
    assert reason.rule in RULES
    assert stated in reason.message
    assert (reason.remedy is None) if offers is None else (reason.remedy is not None and offers in reason.remedy)
    assert re.match(r"(is|has|holds) ", reason.message)
    assert not reason.message.endswith(".")


@pytest.mark.parametrize("text", ["9" * 5000 + "x", "1," * 20_000, "a\nb\x00c", "1" + " 234" * 9000 + "?"])
def test_a_long_or_wild_cell_is_reported_on_one_short_line(text: str) -> None:
    message = number_fault(text).message
    assert len(message) < 120
    assert message.isprintable()


class _ArrowTexts(list[str]):
    """Texts as the reader of large files returns them."""

    @property
    def column(self) -> pa.ChunkedArray:
        return pa.chunked_array([pa.array(self[:2], pa.string()), pa.array(self[2:], pa.string())])


@pytest.mark.parametrize(
    "odd", ["", "7", "1,234", "-1,5e-3", "+2,5", "1.234,5", "1,234,567", "2.5", "1,5 kg", "~3", "1e-400", "0,0"]
)
@pytest.mark.parametrize("certain", ["0,25", "1,234"])
@pytest.mark.parametrize("decimal", ["", ",", "."])
def test_decimal_commas_in_one_go_are_those_read_cell_by_cell(odd: str, certain: str, decimal: str) -> None:
    texts = ["", certain, "12", odd, "0", "-3,5" if certain == "0,25" else "9", ""]
    rules = CellRules(decimal)

    def parsed(column: list[str]) -> tuple[object, ...]:
        table = GridTable(TableSource("a.csv", "csv", delimiter=";"), [[text] for text in texts])
        table.texts = lambda j, start=0: column[start:] if start else column
        states = np.array([TEXT if text else BLANK for text in texts], np.uint8)
        read = parse_column(table, 0, ColumnNumbers(np.full(len(texts), np.nan), states), 0, rules)
        cells = {rule: at.tolist() for rule, at in read.rule_cells.items()}
        return [repr(x) for x in read.values.tolist()], read.blank.tolist(), read.bad.tolist(), cells

    assert parsed(_ArrowTexts(texts)) == parsed(list(texts))
