"""The vocabulary: the prebuilt table has the words of the files that people edit."""

from __future__ import annotations

from docs.make_words import TABLES, words_text
from massprops_cli.tables.cells.number_text import words


def test_words_of_a_subject() -> None:
    assert sorted(words("totals")) == ["adjacent", "both", "doubtful", "exact", "label", "overall"]


def test_the_prebuilt_table_is_current() -> None:
    assert (TABLES / "words.json").read_text("utf-8") == words_text(), "run make words"
