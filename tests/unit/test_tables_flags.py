"""Truth values, sign conventions, quantities."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.tables.cells.cell_words import (
    read_piece_counts,
    read_signs,
    read_truth_values,
    sign_fault,
    truth_value_fault,
)
from massprops_cli.tables.cells.number_text import words
from massprops_cli.tables.cells.numbers import ParsedColumn, _read_number_texts


@pytest.mark.parametrize("text", ["true", "TRUE", "True", "t", "T", "yes", "Yes", "y", "Y", "1", " true\u00a0"])
def test_true(text: str) -> None:
    flags = read_truth_values([text])
    assert flags.values.tolist() == [True]
    assert not flags.blank.any()
    assert flags.bad.size == 0


@pytest.mark.parametrize("text", ["false", "FALSE", "f", "no", "N", "0"])
def test_false(text: str) -> None:
    flags = read_truth_values([text])
    assert flags.values.tolist() == [False]
    assert not flags.blank.any()
    assert flags.bad.size == 0


def test_blank_and_bad_flags() -> None:
    flags = read_truth_values(["1", "", " ", "maybe", "2", "-1", "1.0", "=A1"])
    assert flags.blank.tolist() == [False, True, True, False, False, False, False, False]
    assert flags.bad.tolist() == [3, 4, 5, 6, 7]
    assert flags.values.tolist() == [True] + [False] * 7


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=TRUE()", True),
        ("=true", True),
        ("=FALSE()", False),
        ("= WAHR ( )", True),
        ("falsch", False),
        ("VRAI", True),
        ("=FAUX()", False),
        ("Verdadero", True),
        ("DOĞRU", True),
        ("doğru", True),
        ("ЛОЖЬ", False),
        ("да", True),
        ("true\u200b", True),
    ],
)
def test_words_and_formulas_are_read_and_reported(text: str, value: bool) -> None:
    flags = read_truth_values(["1", text])
    assert (flags.values[1], flags.bad.size, flags.in_words.tolist()) == (value, 0, [1])


@pytest.mark.parametrize("text", ["=TRUE", "=T()", "=1", "=NOT(TRUE())", "=TRUE()+0", "TRUE()", "wahrlich", "=WAHR)"])
def test_other_formulas_and_words_are_no_truth_values(text: str) -> None:
    flags = read_truth_values([text])
    assert (flags.bad.tolist() == [0]) is (text != "=TRUE")


def test_no_word_is_both_true_and_false() -> None:
    both = [
        {text.casefold() for entry in words("truths")["word"] for text in entry[side]} for side in ("true", "false")
    ]
    assert not both[0] & both[1]


def test_signs() -> None:
    signs = read_signs(["+", "-", " + ", "\u00a0-", "−", "", "–", "plus", "+-", "‐", "＋"])
    assert signs.signs.tolist() == [1, -1, 1, -1, -1, 0, 0, 0, 0, 0, 0]
    assert np.flatnonzero(signs.blank).tolist() == [5]
    assert signs.bad.tolist() == [6, 7, 8, 9, 10]
    assert signs.unicode.tolist() == [4]


def test_a_wrong_sign_is_named() -> None:
    assert "en dash (U+2013)" in sign_fault("–")
    assert sign_fault("plus") == "is neither + nor -: plus"
    assert "maybe" in truth_value_fault("maybe")


def quantities(texts: list[str], units: list[str] | None = None):
    values, good = _read_number_texts(texts)
    blank = np.array([not text for text in texts])
    return read_piece_counts(ParsedColumn(values, blank, np.flatnonzero(~good & ~blank)), units)


def test_quantities() -> None:
    read = quantities(["2", "", "0", "-3", "0.5", "x", "-1.5"])
    assert read.count.tolist() == [2.0, 1.0, 0.0, -3.0, 0.5, 1.0, -1.5]
    assert read.measured.tolist() == [False, False, False, False, True, False, True]
    assert read.blank.tolist() == [False, True, False, False, False, False, False]
    assert read.bad.tolist() == [5]


@pytest.mark.parametrize(
    ("unit", "measured"),
    [("EA", False), ("each", False), ("pcs", False), ("Stk", False), ("", False), (" ", False), ("個", False),
     ("m", True), ("FT ", True), ("SQF", True), ("m^2", True), ("kg", True)],
)  # fmt: skip
def test_a_unit_of_measure_makes_one_piece_of_that_size(unit: str, measured: bool) -> None:
    assert quantities(["3"], [unit]).measured.tolist() == [measured]
