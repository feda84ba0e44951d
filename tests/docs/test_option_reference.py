"""The option reference of docs/cli.md agrees with the table of options: names, values, words and defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.make_cli import PAGES, text
from massprops_cli.options import OPTIONS, Option

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in PAGE.splitlines() if re.match(r"\|\[?`", line)]
"""Cells of every row of the reference."""


def rows_of(option: Option) -> list[tuple[str, str]]:
    """The rows whose first cell has an option: this cell, and the whole row."""
    name = re.compile(rf"`{option.name}=" if option.is_setting else rf"(?<![\w-])--{option.name}(?![\w-])")
    rows = ((cells[0].replace("\\|", "|"), " ".join(cells).replace("\\|", "|")) for cells in ROWS)
    return [(first, row) for first, row in rows if name.search(first)]


@pytest.mark.parametrize(
    "option", [one for one in OPTIONS if one.kind not in ("argument", "files")], ids=lambda one: one.name
)
def test_option_is_in_the_reference(option: Option) -> None:
    rows = rows_of(option)
    assert rows
    call = f"--{option.name} {option.metavar}".rstrip()
    call = f"{option.name}={option.metavar or 'true'}" if option.is_setting else call
    fitting = [row for first, row in rows if re.search(rf"{re.escape(call)}[`,]", first) or option.panel == "Limits"]
    assert fitting, f"{call} is {rows[0][0]} in docs/cli.md"
    words = [
        word for word in option.words if not any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", row) for row in fitting)
    ]
    assert words == []
    if option.default is not None:
        assert any(option.default_text in row for row in fitting), option.default_text


def test_reference_is_up_to_date() -> None:
    assert text() == PAGE, "run make cli"


def test_pages_of_options_are_of_options_that_exist() -> None:
    assert PAGES.keys() - {one.name for one in OPTIONS} == set(), "delete them from PAGES of docs/make_cli.py"


def test_reference_has_no_other_options() -> None:
    known = {one.name for one in OPTIONS}
    named = {name for cells in ROWS for name in re.findall(r"(?<![\w-])--([a-z-]+)", cells[0])}
    assert named - known == set()
