"""The tool reads drawn mass lists of known mass: right, or asked rightly, and never wrong with exit code 0."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.examples import first
from tests.simulator.run import cases_of, judge_all, table


@pytest.mark.parametrize("count", first([21, 300], 1))
def test_most_drawn_lists_are_read_at_once_and_none_falsely(count: int) -> None:
    results = judge_all(cases_of(count, 1), workers=1)
    found = [(result["kind"], result["seed"], result["verdict"], result["reason"]) for result in results]
    assert [one for one in found if one[2] in ("wrong", "growth lost", "guessed")] == [], table(results)
    counts = Counter(result["verdict"] for result in results)
    assert counts["right"] >= 0.85 * count, table(results)
    assert counts["right"] + counts["asked rightly"] >= 0.98 * count, table(results)
