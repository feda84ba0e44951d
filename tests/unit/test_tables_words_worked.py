"""Worked examples of functions in the room tables/words."""

from __future__ import annotations

from massprops_cli.tables.words import words


def test_words_example() -> None:
    assert (sorted(words("totals"))) == (["adjacent", "both", "doubtful", "exact", "label"])
