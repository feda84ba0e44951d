"""Columns of ids and parents matched as bytes, against a dictionary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from massprops_cli.bom.results import table_edit
from massprops_cli.files import arrow
from massprops_cli.files.arrow import match_texts
from massprops_cli.files.delimited_records import ArrowColumnTexts
from massprops_cli.tables.cells.cell_words import PIECE_MARKS, pieces_in_name
from massprops_cli.trees.tree import Tree
from tests.examples import examples

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=70) | st.sampled_from(
    ["a", "b", "ab", "part-0001", "part-0002", "12345678", "123456789", "x y", "#N/A", " a", "ä", ""]
)


def column(texts: list[str]) -> ArrowColumnTexts:
    """Make a column of two chunks, the second of which has an offset."""
    half = len(texts) // 2
    chunks = [pa.array(texts[:half], pa.string()), pa.array(["before", *texts[half:]], pa.string())[1:]]
    return ArrowColumnTexts(pa.chunked_array(chunks))


def is_plain(text: str) -> bool:
    return text.isascii() and len(text) <= 64 and text[:1] > " " and text[:1] != "#" and text[-1:] > " "


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=12), st.data())
def test_positions_are_those_of_a_dictionary(texts, data):
    names = data.draw(st.lists(st.sampled_from([*texts, ""]) | TEXTS, min_size=1, max_size=12))
    index = {text: k for k, text in enumerate(texts)}
    found = match_texts(column(names), column(texts))
    if found is None:
        odd = [text for text in [*texts, *filter(None, names)] if not text or not is_plain(text)]
        unknown = [name for name in names if name and name not in index]
        assert odd or unknown or len(index) < len(texts) or not any(names)
        return
    assert found.tolist() == [index[name] if name else -1 for name in names]


def test_many_ids_in_any_order():
    rng = np.random.default_rng(3)
    texts = [f"N{k}" for k in rng.permutation(5000)]
    names = [texts[k] for k in rng.integers(0, 5000, 9000)]
    index = {text: k for k, text in enumerate(texts)}
    found = match_texts(column(names), column(texts))
    assert found is not None
    assert found.tolist() == [index[name] for name in names]


def test_texts_with_one_hash_are_distinguished(monkeypatch):
    monkeypatch.setattr(arrow, "_hashes", lambda texts, words: words[0] & np.uint64(0xFF))  # the first letter
    found = match_texts(column(["b", "a"]), column(["a", "b"]))
    assert found is not None
    assert found.tolist() == [1, 0]
    assert match_texts(column(["ac"]), column(["a", "bb"])) is None
    assert match_texts(column(["a"]), column(["a", "ab"])) is None


@pytest.mark.parametrize("odd", ["", " a", "a ", "#N/A", "é", "a" * 65])
def test_a_column_that_needs_a_closer_look_is_left_alone(odd):
    assert match_texts(column(["a"]), column(["a", odd])) is None
    assert match_texts(column(["a"]), column(["a", "b"])) is not None


def test_columns_in_memory_are_left_alone():
    assert match_texts(["a"], ["a"]) is None


NAMES = st.text("xX×2 ٣(l/r)+&left-right4.\u00a0", max_size=12)


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8))
def test_every_name_that_counts_pieces_is_found_by_its_marks(names):
    counted = {k for k, name in enumerate(names) if pieces_in_name(name)}
    assert counted <= {*column(names).rows_with(PIECE_MARKS).tolist()}


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-1000, 1000, places=3).map(float)))
def test_decimal_commas_of_many_numbers_are_those_of_one(values):
    numbers = np.array(values, float)
    some = table_edit._comma_texts(numbers)
    many = table_edit._comma_texts(np.tile(numbers, table_edit._MANY_NUMBERS))[: len(numbers)]
    assert list(many) == list(some)


LABELS = st.sampled_from(["", " ", "a", "a ", "b", "(no group)"])


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_combinations_of_labels_are_numbered_as_by_a_dictionary(data):
    n = data.draw(st.integers(1, 12))
    parents = [-1, *(data.draw(st.integers(0, k - 1)) for k in range(1, n))]
    columns = [data.draw(st.lists(LABELS, min_size=n, max_size=n)) for _ in range(data.draw(st.integers(1, 3)))]
    items = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))

    def label(texts, i):
        return texts[i].strip() or ("(no group)" if parents[i] < 0 else label(texts, parents[i]))

    expected = [tuple(label(texts, i) for texts in columns) for i in range(n)]
    tree = Tree.from_parents(parents)
    found, number = tree.label_numbers(
        [tree.inherited_labels(column(texts), "(no group)") for texts in columns], np.array(items)
    )
    assert found == list(dict.fromkeys(expected[i] for i in items))
    assert [found[k] if k >= 0 else None for k in number.tolist()] == [
        one if one in found else None for one in expected
    ]


@pytest.mark.parametrize("different", [3, 5_000])
def test_frequent_texts_have_the_counts_of_the_whole_column(different: int) -> None:
    texts = [f" {'often' if k % 4 == 0 else k % different} " for k in range(30_000)]
    rows = np.arange(10, 30_000)
    found = column(texts).frequent(rows, " ", 4)
    assert found["often"] == sum(texts[k] == " often " for k in rows)
    assert all(found[text] == sum(texts[k].strip() == text for k in rows) for text in found)
    assert len(found) == 4
