"""The page on evidence lists every heuristic that can be patched out, and patching one out changes answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.count_rules import HEURISTICS, without
from massprops_cli.findings.catalogue import RULES
from tests.simulator.run import one

PAGE = (Path(__file__).parents[2] / "docs" / "internals" / "evidence.md").read_text(encoding="utf-8")
_NESTED_SUMS = ("nested sums", 100_002)


def test_the_page_lists_the_heuristics_that_are_counted() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(name.removeprefix("massprops_cli.") for name in HEURISTICS)


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_heuristic_that_is_counted_exists(name: str) -> None:
    with without(name):  # raises if there is no such function
        pass


def test_the_rules_of_the_page_are_in_the_catalogue_under_their_names() -> None:
    rows = re.findall(r"^\| \[(MP\d+)\]\(\S+\) ([\w-]+) \|", PAGE, re.MULTILINE)
    assert dict(rows) == {code: RULES[code].name for code, _ in rows}


def test_a_heuristic_that_is_patched_out_changes_an_answer() -> None:
    assert one(_NESTED_SUMS)["verdict"] == "right"
    with without("massprops_cli.tables.rows.row_readings._with_sum"):
        assert one(_NESTED_SUMS)["verdict"] != "right"
