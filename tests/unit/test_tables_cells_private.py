"""Private functions of ``tables.cells``: worked examples."""

from __future__ import annotations

from massprops_cli.tables.cells.cell_words import _truth_vocabulary, _words_around_label
from massprops_cli.tables.cells.number_text import _plain_number_text
from massprops_cli.tables.cells.numbers import _DecimalMark, _has_possible_decimal_comma, _read_number_texts
from massprops_cli.tables.cells.units import _LENGTH_UNITS, MASS_UNITS, _is_metric_unit


def test_truth_vocabulary() -> None:
    assert _truth_vocabulary()["vrai"]
    assert not _truth_vocabulary()["false"]
    assert "t" not in _truth_vocabulary()


def test_words_around_label() -> None:
    assert _words_around_label(("harness", "total", "mass"), ("total",)) == (["harness"], False, True)


def test_plain_number_text() -> None:
    assert _plain_number_text("１２．５ kg") == "12.5 kg"
    assert _plain_number_text("−3") == "-3"
    assert _plain_number_text("'3.5") == "3.5"
    assert _plain_number_text("1/2") == "1/2"


def test_decimalmark_strict_number() -> None:
    assert _DecimalMark().strict_number("1,25") == "1.25"
    assert _DecimalMark().strict_number("1,234") == ""
    assert _DecimalMark(stated=",").strict_number("1,234") == "1.234"


def test_has_possible_decimal_comma() -> None:
    assert _has_possible_decimal_comma(["1,234"])
    assert _has_possible_decimal_comma(["1,25"])
    assert not _has_possible_decimal_comma(["1,234.5", "1 234"])


def test_read_number_texts() -> None:
    values, good = _read_number_texts(["1", "2.5", "x"])
    assert repr(values.tolist()) == "[1.0, 2.5, nan]"
    assert repr(good.tolist()) == "[True, True, False]"


def test_is_metric_unit() -> None:
    assert _is_metric_unit(MASS_UNITS["g"])
    assert not _is_metric_unit(_LENGTH_UNITS["in"])
