"""Readings of the rows of a list in order, each as a part, a sum or a figure, with the evidence for each reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from math import log10
from typing import NamedTuple

import numpy as np

SUMS = ("total", "subtotal")

# Evidence in decades: 2 is a chance of 1 %.
QUESTION = 1.5  # readings with another mass that have at most so much less evidence are a question
_FEW_ARE_SUMS, _FIRST_UNNAMED = -1.0, -2.5  # a row without a word of sums is a sum, and the first such row of a list
_TWO_OF_MORE = -1.0  # the sum of two neighbours below others, that its cells alone show: chance in lists of few digits
LIKELY_NAME = 2.0  # a name of several things (``Both wings``), a blank one or that of the group
_END_OF_LIST, _ALL_IN_SUMS = 2.0, 2.0
"""The last row is the exact sum of all others, three at least; several sums leave no row over."""
_OF_ONE, _OF_TWO = -2.1, 1.0
"""A sum of one part that no certain word names; the most for one of the only two parts that its name alone shows."""
_PART_OF_GROUP = 1.0  # against a row with a word of sums that is that of the last rows of its group alone
_SAME_CENTER, _OTHER_CENTER = 2.0, -3.0
_NO_SUM = -4.0  # of a row with a word of sums that is a sum of nothing
_LEAST_DECADES, MOST_DECADES = 1.0, 6.0
"""Of a sum stated again that no word names; and the most that digits are counted for."""
_MOST_READINGS = 16  # how many readings of the rows so far are kept
_LONG_LIST, _MOST_SUMMED = 300, 60
"""In a longer list a row without a word is tried as the sum of so many rows above it, or of all."""


class ListedRow(NamedTuple):
    """What a row adds as a part and states, and what its words and cells are evidence for."""

    row: int
    part: float
    stated: tuple[tuple[float, float], ...]
    kind: str = ""  # total, subtotal, margin, limit, heading, or blank
    is_certain: bool = False  # by its words
    as_part: float = 0.0
    as_sum: float = 0.0
    fixed: str = ""  # part or figure, by an option
    may_be_single: bool = False  # the sum of one part
    center: tuple[float, ...] = ()
    half_center: tuple[float, ...] = ()
    percent: float = 0.0
    times: float = 0.0
    is_result: bool = False  # its name ends with a unit: CG from front (in)


class _Entry(NamedTuple):
    """A part or a sum that is in no sum yet: its mass as stated, that of its parts, and the square of its rounding."""

    row: int
    first: int  # row of its first part
    mass: float
    of_parts: float
    square: float
    is_sum: bool
    moments: tuple[float, ...]
    is_limit: bool = False  # by its words: alone it is in no sum


class RowReading(NamedTuple):
    """The rows so far in one reading; ``group`` is where the rows of the last heading begin among the open ones."""

    open: tuple[_Entry, ...] = ()
    group: int = 0
    margins: tuple[tuple[float, float], ...] = ()  # below the last part: mass, and evidence until a sum includes it
    figures: tuple[tuple[int, str], ...] = ()
    first_parts: tuple[tuple[int, int], ...] = ()  # row of each part or sum that a sum includes, and of its first part
    score: float = 0.0
    n_unnamed: int = 0
    whole: float = 0.0  # the last total of all parts, where no part follows it
    is_labelled: bool = False  # a word names it
    has_repeat: bool = False  # a row without a word is a figure below it: no part follows

    @property
    def excluded(self) -> frozenset[int]:
        """The rows that are not parts."""
        return frozenset(row for row, _ in self.figures)

    @property
    def pending(self) -> float:
        """The evidence of margins that no sum includes yet."""
        return sum(evidence for _, evidence in self.margins)

    @property
    def mass(self) -> float:
        """The mass of all parts."""
        return sum(entry.of_parts for entry in self.open)


def row_readings(rows: Sequence[ListedRow], score: float = 0.0) -> list[RowReading]:
    """Read the rows in order, each as a part, a sum or a figure; the readings with most evidence, the best first."""
    readings = [RowReading(score=score)]
    is_long = len(rows) > _LONG_LIST
    for k, one in enumerate(rows):
        is_last = k == len(rows) - 1
        following = [
            new for reading in readings for new in _next_readings(reading, one, is_last=is_last, is_long=is_long)
        ]
        best: dict[object, RowReading] = {}
        for reading in sorted(following, key=lambda reading: (reading.pending - reading.score, len(reading.figures))):
            recent = (len(reading.open), reading.open[-_MOST_SUMMED:]) if is_long else reading.excluded
            best.setdefault((recent, reading.margins), reading)
        readings = list(best.values())[:_MOST_READINGS]
    return sorted(map(_with_closure, readings), key=lambda reading: -reading.score)


def sums_of_rows_below(rows: Sequence[ListedRow]) -> RowReading | None:
    """Return the reading in which every row without a word is below one that states the sum of its rows."""
    unnamed = [one._replace(kind="title") for one in rows if one.kind == "" and one.part]
    if not unnamed or not all(one.stated for one in unnamed):
        return None
    whole = (one for one in row_readings(unnamed[::-1]) if one.n_unnamed and all(entry.is_sum for entry in one.open))
    best = next(whole, None)
    return best if best and best.score > -QUESTION else None


def _with_closure(reading: RowReading) -> RowReading:
    """Add the evidence of two sums or more that include every row of the list."""
    n_sums = sum(kind in SUMS for _, kind in reading.figures)
    below = [entry.is_sum for entry in reading.open[1:]]  # one part below the sum of all others is a question
    is_closed = reading.n_unnamed and n_sums > 1 and reading.open[0].is_sum and (all(below) or below == [False])
    return reading._replace(score=reading.score + _ALL_IN_SUMS) if is_closed else reading


def _next_readings(reading: RowReading, one: ListedRow, *, is_last: bool, is_long: bool) -> Iterator[RowReading]:
    """Yield the readings that a further row makes."""
    if one.kind == "heading":
        yield reading._replace(group=len(reading.open))
        return
    if one.fixed == "figure":
        yield _with_figure(reading, one, "figure", 0.0)
        return
    may_be_part = not (reading.has_repeat and one.part)
    if one.fixed == "part" or may_be_part:
        yield _with_part(reading, one)
    if one.fixed == "part":
        return
    if one.kind == "margin":
        yield _with_margin(reading, one)
    elif one.kind == "limit":
        follows = QUESTION if reading.margins or (reading.open and reading.open[-1].is_sum) else 0.0
        yield _with_figure(reading, one, "limit", one.as_sum + follows)
    elif one.kind == "figure":
        yield _with_figure(reading, one, "figure", one.as_sum + (2 * QUESTION if reading.whole else 0.0))
    if one.kind != "figure":
        sums = list(_with_sum(reading, one, is_last=is_last, is_long=is_long))
        yield from sums
        if not sums and one.kind in SUMS:
            yield _with_figure(reading, one, one.kind, _NO_SUM if one.is_certain else -1.0)._replace(
                group=len(reading.open)
            )
    if (one.kind == "" or (one.is_result and one.kind in SUMS)) and reading.whole and reading.is_labelled:
        repeat = _with_figure(reading, one, "figure", LIKELY_NAME if one.is_result else -1.0)
        yield repeat._replace(has_repeat=not one.is_result)
    if one.times and reading.whole and one.stated:
        value, half = one.stated[0]
        if abs(value - one.times * reading.whole) <= half * (1 + one.times):
            yield _with_figure(reading, one, "figure", MOST_DECADES)


def _with_figure(reading: RowReading, one: ListedRow, kind: str, evidence: float) -> RowReading:
    """Return a reading with a row that adds nothing."""
    return reading._replace(figures=(*reading.figures, (one.row, kind)), score=reading.score + evidence)


def _with_part(reading: RowReading, one: ListedRow) -> RowReading:
    """Return a reading with one more part; below a total of all parts it is left out of it."""
    below = -1.0 if reading.whole and reading.is_labelled else 0.0
    half = one.stated[0][1] if one.stated else 0.0
    moments = tuple(one.part * x for x in one.center)
    entry = _Entry(one.row, one.row, one.part, one.part, half**2, False, moments, one.kind == "limit")
    below -= reading.pending  # a margin in front of parts is that of no sum
    return reading._replace(
        open=(*reading.open, entry), margins=(), whole=0.0, score=reading.score + one.as_part + below
    )


def _with_margin(reading: RowReading, one: ListedRow) -> RowReading:
    """Return a reading with a margin, which the totals below may include."""
    total = sum(entry.mass for entry in reading.open)
    since = sum(entry.mass for entry in takewhile(lambda entry: not entry.is_sum, reading.open[::-1]))
    value, half = one.stated[0] if one.stated else (total * one.percent / 100, 0.0)
    computed = [base * one.percent / 100 for base in (total, since)]
    fits = one.percent and any(abs(value - share) <= half + 1e-9 * abs(value) for share in computed)
    follows = QUESTION if reading.whole else 0.0
    evidence = one.as_sum + follows + (LIKELY_NAME if fits else 0.0)
    return _with_figure(reading, one, "margin", evidence)._replace(margins=(*reading.margins, (value, evidence)))


def _with_sum(reading: RowReading, one: ListedRow, *, is_last: bool, is_long: bool) -> Iterator[RowReading]:
    """Yield the readings in which a row is the sum of the last rows, alone or with the margins below them."""
    count = len(reading.open)
    named = one.kind in SUMS
    if not count or not one.stated:
        return
    entries = reading.open[-_MOST_SUMMED:] if is_long and not named else reading.open
    sums = {k: np.cumsum([getattr(entry, k) for entry in entries[::-1]]) for k in ("mass", "of_parts")}
    rounding = np.sqrt(np.cumsum([entry.square for entry in entries[::-1]]))
    margin = sum(mass for mass, _ in reading.margins)
    tried = set[tuple[int, float]]()
    for value, half in one.stated:
        for more in dict.fromkeys((0.0, margin) if named or reading.whole else (0.0,)):
            for total in sums.values():
                off = np.abs(total + more - value)
                for k in np.flatnonzero(off <= half + rounding).tolist():
                    if (k, more) in tried:
                        continue
                    tried.add((k, more))
                    yield from _sum_of(
                        reading, one, k + 1, (value, half, float(off[k]), float(rounding[k])), more, is_last
                    )


def _sum_of(
    reading: RowReading,
    one: ListedRow,
    parts: int,
    match: tuple[float, float, float, float],
    more: float,
    is_last: bool,
) -> Iterator[RowReading]:
    """Yield the reading in which a row is the sum of the last rows, if chance does not explain it."""
    value, half, off, rounding = match
    count, named = len(reading.open), one.kind in SUMS
    summed, rest = reading.open[count - parts :], reading.open[: count - parts]
    is_again = parts == 1 and summed[0].is_sum
    is_title_of_one = one.kind == "title" and parts == 1 and not is_again  # equal rows show nothing
    if parts == 1 and not (is_again and reading.whole) and not one.may_be_single and not is_title_of_one:
        return
    if not value or (is_again and not named and not reading.whole) or all(entry.is_limit for entry in summed):
        return
    n_parts = sum(not entry.is_sum for entry in summed)
    allowed = half if off <= half else half + rounding
    decades = min(MOST_DECADES, -log10(min(1.0, 2 * max(allowed, 1e-12 * abs(value)) / abs(value))))
    is_natural = parts in (count, count - reading.group)
    evidence = decades + one.as_sum
    if not is_natural:
        evidence -= log10(max(count - 1, 1)) + (_PART_OF_GROUP if named else 0.0)
    if not named and is_again and decades < _LEAST_DECADES:
        return
    is_of_one = parts == 1 and not is_again and reading.group in (0, count)
    if named and not one.is_certain and is_of_one:  # no owner names the sum of a group of one
        evidence += _OF_ONE
    if is_title_of_one:
        evidence = 0.0
    elif not named:
        evidence += _FEW_ARE_SUMS + (0.0 if reading.n_unnamed or reading.whole else _FIRST_UNNAMED)
        evidence -= (reading.pending if more else 0.0) + (off > half)  # an exact sum is more than one within rounding
        evidence += _END_OF_LIST if is_last and off <= half and parts == count and n_parts > 2 else 0.0
        evidence += _center_evidence(summed, one, value)
        evidence += _TWO_OF_MORE if parts == 2 and not is_natural and one.as_sum < LIKELY_NAME else 0.0
        evidence = min(evidence, _OF_TWO) if count == n_parts == 2 and one.as_sum <= LIKELY_NAME else evidence
        if evidence <= _FEW_ARE_SUMS + (0.0 if reading.n_unnamed else _FIRST_UNNAMED):
            return
    of_parts = sum(entry.of_parts for entry in summed)
    is_one = n_parts == 1 and one.kind == "total" and one.is_certain
    is_whole = parts == count and (is_one or n_parts + 2 * any(entry.is_sum for entry in summed) > 1)
    has_centers = one.center and all(len(entry.moments) == len(one.center) for entry in summed)
    moments = tuple(float(x) for x in np.sum([entry.moments for entry in summed], axis=0)) if has_centers else ()
    entry = _Entry(one.row, summed[0].first, value, of_parts, half**2, True, moments)
    kind = one.kind if named else "total" if parts == count else "subtotal"
    yield reading._replace(
        open=(*rest, entry),
        group=len(rest) + 1,
        figures=(*reading.figures, (one.row, kind)),
        first_parts=(*reading.first_parts, *((part.row, part.first) for part in summed)),
        score=reading.score + evidence,
        n_unnamed=reading.n_unnamed + (not named and not is_title_of_one),
        whole=value if is_whole else 0.0,
        is_labelled=is_whole and (one.kind == "total" or (is_again and (reading.is_labelled or more != 0))),
        margins=tuple((mass, 0.0) for mass, _ in reading.margins) if more else reading.margins,
    )


def _center_evidence(summed: Iterable[_Entry], one: ListedRow, value: float) -> float:
    """Compute the evidence, in decades, of a centre for a row as the sum of others."""
    center = np.array(one.center)
    moments = [entry.moments for entry in summed]
    if not len(center) or not np.isfinite(center).all() or any(len(m) != len(center) for m in moments):
        return 0.0
    off = np.abs(np.sum(moments, axis=0) / value - center)
    if not np.isfinite(off).all():
        return 0.0
    return _SAME_CENTER if bool((off <= 2 * np.array(one.half_center)).all()) else _OTHER_CENTER
