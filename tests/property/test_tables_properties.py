"""Numbers, headers and units hold for whatever is typed."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
from hypothesis import given, settings, strategies as st

from massprops_cli.files.table import TEXT, ColumnNumbers, GridTable, TableSource
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.tables.cells.cell_words import read_signs, read_truth_values
from massprops_cli.tables.cells.number_text import (
    INVISIBLE_CHARACTERS,
    half_unit_of_last_digit,
    is_number,
    is_placeholder,
    number_fault,
    read_number,
)
from massprops_cli.tables.cells.numbers import _read_number_texts, parse_column
from massprops_cli.tables.cells.units import (
    _LENGTH_UNITS,
    INERTIA,
    LENGTH,
    MASS,
    MASS_UNITS,
    read_unit,
    unit_of_dimension,
)
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.options import TableOptions

GRAMMAR = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NEAR_NUMBERS = st.text("0123456789.eE+-_ ,\u00a0\n٣xinfa", max_size=12)
ANY_TEXT = st.one_of(NEAR_NUMBERS, st.text(max_size=12), st.floats().map(repr), st.integers().map(str))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_reads_back_bit_equal(value: float) -> None:
    assert read_number(repr(value)) == value
    assert np.signbit(read_number(repr(value))) == np.signbit(value)


@given(ANY_TEXT)
def test_one_cell_is_a_number_by_the_grammar_alone(text: str) -> None:
    bare = text.strip(" \t\u00a0\u2007\u202f")
    value = read_number(text)
    if GRAMMAR.fullmatch(bare) is None:
        assert value is None
        assert not is_number(text)
    else:
        exact = Decimal(bare)
        lost = abs(float(bare)) == float("inf") or (float(bare) == 0 and exact != 0)
        assert (value is None) == lost
        assert is_number(text)


MARKS = ",'’ \u00a0\u2007\u2009\u202f"
INVISIBLE_MARKS = "".join(map(chr, INVISIBLE_CHARACTERS))


def readings_by_hand(text: str) -> set[float]:
    """Give every number that a text can be once its marks are removed, with a point or with a comma."""
    seen = "".join(c for c in text if c not in INVISIBLE_MARKS)
    with_point = "".join(c for c in seen if c not in MARKS)
    with_comma = "".join(c for c in seen if c == "," or c not in MARKS + ".").replace(",", ".")
    return {float(bare) for bare in (with_point, with_comma) if GRAMMAR.fullmatch(bare)}


@given(st.lists(ANY_TEXT, max_size=20))
def test_a_column_is_its_cells(texts: list[str]) -> None:
    table = GridTable(TableSource("b.csv", "csv"), [["x"], *[[text] for text in texts]])
    n = len(texts)
    resolved = parse_column(table, 0, ColumnNumbers(np.full(n, np.nan), np.full(n, TEXT, np.uint8)), 1)
    for i, text in enumerate(texts):
        value = read_number(text)
        if value is None:
            bare = text.strip(" \t\u00a0\u2007\u202f\r\n").replace("٣", "3")
            is_blank = not bare or is_placeholder(bare)
            if text.isascii() and not set(bare) & set(MARKS):
                emphasized = re.fullmatch(r"([*_]{1,2})(.+)\1", bare)  # as in a Markdown table
                assert np.isnan(resolved.values[i]) or GRAMMAR.fullmatch(emphasized[2] if emphasized else bare)
                assert resolved.blank[i] == is_blank
                assert (i in resolved.bad.tolist()) == (np.isnan(resolved.values[i]) and not is_blank)
            elif not np.isnan(resolved.values[i]) and set(bare) <= set(
                "0123456789.eE+-_\nxinfa" + MARKS + INVISIBLE_MARKS
            ):
                assert resolved.values[i] in readings_by_hand(bare)
        else:
            assert resolved.values[i] == value
            assert not resolved.blank[i]
            assert i not in resolved.bad.tolist()


@given(st.lists(NEAR_NUMBERS, min_size=1, max_size=8))
def test_many_texts_are_read_as_single_ones(texts: list[str]) -> None:
    bare = [text.strip(" \t\u00a0\u2007\u202f") for text in texts]
    values, good = _read_number_texts(bare)
    singly = [read_number(text) for text in bare]
    assert good.tolist() == [value is not None for value in singly]
    assert values[good].tolist() == [value for value in singly if value is not None]


@given(st.text(max_size=60))
def test_a_reason_can_always_be_given(text: str) -> None:
    if read_number(text) is None:
        reason = number_fault(text)
        assert reason.rule in RULES
        assert reason.message.isprintable()


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-1000000, max_value=1000000),
    st.integers(-20, 20),
)
def test_half_a_unit_of_the_last_digit_is_decimal_arithmetic(number: Decimal, exponent: int) -> None:
    written = f"{number:f}e{exponent}"
    last = Decimal(written).as_tuple().exponent
    assert isinstance(last, int)
    assert half_unit_of_last_digit(written) == float(Decimal(5).scaleb(last - 1))


@given(st.lists(st.text(max_size=6), max_size=12))
def test_flags_and_signs_fall_into_exactly_one_kind(texts: list[str]) -> None:
    flags, signs = read_truth_values(texts), read_signs(texts)
    for i in range(len(texts)):
        assert flags.values[i] + flags.blank[i] + (i in flags.bad.tolist()) <= 1
        assert (signs.signs[i] != 0) + signs.blank[i] + (i in signs.bad.tolist()) == 1


SEPARATORS = st.sampled_from(["*", "·", " ", "-", ".", "⋅", " * ", "×"])
POWERS = st.sampled_from(["^2", "²", "**2", "2"])


@settings(deadline=None)
@given(st.sampled_from(sorted(MASS_UNITS)), st.sampled_from(sorted(_LENGTH_UNITS)), SEPARATORS, POWERS)
def test_an_inertia_is_its_mass_times_its_length_squared(mass: str, length: str, separator: str, power: str) -> None:
    if mass.endswith(".") or length.endswith((".", "'", '"', "′", "″")):
        return
    unit = unit_of_dimension(f"{mass}{separator}{length}{power}", INERTIA, common_only=True)
    assert unit is not None
    assert unit == MASS_UNITS[mass].times(_LENGTH_UNITS[length], 2)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_unit_or_none(text: str) -> None:
    for dimension in (MASS, LENGTH, INERTIA):
        unit = unit_of_dimension(text, dimension, common_only=True)
        assert unit is None or unit.dimension == dimension
    read_unit(text)


NAMES = st.one_of(
    st.sampled_from(
        ["id", "parent", "mass", "Mass [kg]", "Cx [mm]", "Cx", "Ixx", "Ixx [kg*m^2]", "sigma_mass", "σ Cx"]
    ),
    st.text(max_size=8),
)


@settings(deadline=None)
@given(st.lists(st.lists(NAMES, min_size=3, max_size=3), min_size=1, max_size=3))
def test_any_header_gives_findings_and_never_a_traceback(rows: list[list[str]]) -> None:
    try:
        findings = Findings()
        columns = read_columns(GridTable(TableSource("b.csv", "csv"), rows), TableOptions(), findings)
    except TableError as error:
        findings = list(error.findings)
        assert findings
    else:
        assert 0 <= columns.header_row < columns.first_row <= columns.header_row + 2
        assert len({column.index for column in columns.by_quantity.values()}) == len(columns.by_quantity)
        assert all(column.factor > 0 for column in columns.by_quantity.values())
    assert all(finding.rule in RULES and finding.message for finding in findings)
