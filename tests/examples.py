"""How much of a long proof the ordinary run takes; ``make slow`` takes all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import settings


def examples(thorough: int) -> int:
    """Examples under the profile in force: the whole number under ``thorough`` (make slow), else a share of it."""
    return max(2, thorough * settings.default.max_examples // 100)


def first(cases: Iterable[Any], count: int, several: bool = False) -> list[Any]:
    """Values of one parameter, or of ``several`` together; those after the first ones are slow."""
    marks = pytest.mark.slow
    return [
        case if k < count else pytest.param(*case, marks=marks) if several else pytest.param(case, marks=marks)
        for k, case in enumerate(cases)
    ]


def singles_and_pairs(names: Sequence[str]) -> list[Any]:
    """Names alone and in pairs, as values of one parameter; slow are most pairs."""
    near = {(names[0], names[1]), (names[-2], names[-1])}
    pairs = [pytest.param(pair, marks=() if pair in near else pytest.mark.slow) for pair in combinations(names, 2)]
    return [*((name,) for name in names), *pairs]


def covering(*factors: Iterable[Any]) -> list[Any]:
    """Combinations of several parameters; slow are all but those that go through every factor at the same time.

    The shorter factors begin anew until the longest is at its end, so the ordinary run has every value of each.
    """
    values = [list(factor) for factor in factors]
    longest = max(map(len, values))
    kept = {tuple(k % len(factor) for factor in values) for k in range(longest)}
    return [
        pytest.param(*(values[i][k] for i, k in enumerate(at)), marks=() if at in kept else pytest.mark.slow)
        for at in product(*(range(len(factor)) for factor in values))
    ]
