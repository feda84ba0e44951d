"""The tool reads drawn mass lists of known mass: right, or asked rightly, and never wrong with exit code 0."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.simulator.run import Result, cases_of, judge_all, table

COUNT = 300


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return judge_all(cases_of(COUNT, 1), workers=1)


@pytest.mark.parametrize("verdict", ["wrong", "growth lost", "guessed"])
def test_no_drawn_list_is_read_falsely(results: list[Result], verdict: str) -> None:
    found = [(result["kind"], result["seed"], result["reason"]) for result in results if result["verdict"] == verdict]
    assert not found, table(results)


def test_most_drawn_lists_are_read_at_once(results: list[Result]) -> None:
    counts = Counter(result["verdict"] for result in results)
    assert counts["right"] >= 0.85 * COUNT, table(results)
    assert counts["right"] + counts["asked rightly"] >= 0.98 * COUNT, table(results)
