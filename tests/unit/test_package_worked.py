"""Worked examples of functions in the room package."""

from __future__ import annotations

import inspect
import re

from massprops_cli.options import Layout, named_option, option_keys, show_keywords, wrong_word_text


def test_lazy_pattern_example() -> None:
    assert (re.compile(r"[a-z]+").fullmatch("mass")[0]) == ("mass")


def test_option_spellings_example() -> None:
    assert (named_option("output").spellings) == (("--output", "-o"))


def test_option_value_example() -> None:
    assert (named_option("samples").value, named_option("sheet").value, named_option("strict").value) == (
        (10000, "", False)
    )


def test_option_default_text_example() -> None:
    assert (named_option("samples").default_text, named_option("layout").default_text) == (("10000", "detected"))


def test_named_option_example() -> None:
    assert (named_option("item", "rollup").kind, named_option("item", "diff").kind) == (("list", "text"))


def test_option_keys_example() -> None:
    assert (option_keys("list")) == (("positive", "where", "ignore-column", "count-row", "skip-row", "cap"))


def test_wrong_word_text_example() -> None:
    assert (wrong_word_text("layout", "levl", ("parent", "level")), wrong_word_text("poi", "x", ("+", "-"))) == (
        ("invalid layout: levl; the nearest is level", "invalid poi: x (expected one of +, -)")
    )


def test_show_keywords_example() -> None:
    from typing import TypedDict

    def read(path: str, **options: object) -> None: ...

    class Keywords(TypedDict, total=False):
        layout: Layout

    show_keywords(read, Keywords)
    assert (list(inspect.signature(read).parameters)) == (["path", "layout"])
