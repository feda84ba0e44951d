"""The change of one assembly taken apart, at any level below it: contributions, and rounding in a row of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.budget.diff.changes import differs
from massprops_cli.budget.diff.contributing import RESULTS, Parts, parts_of
from massprops_cli.budget.diff.matching import Matching
from massprops_cli.budget.diff.side import Side
from massprops_cli.findings import UsageError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


class Split(NamedTuple):
    """Changes of mass ``(u,)`` by what changed: how often an item counts, what one piece weighs, whether it is there.

    ``pieces`` and ``mass`` are 0 where the item makes up the whole in one file only, and ``presence`` is 0 elsewhere.
    """

    pieces: Floats
    mass: Floats
    presence: Floats


class Column(NamedTuple):
    """One result of the whole before and after, and what every line contributes to its change ``(u,)``.

    ``unchanged`` is what items that did not change add to it, because the centre that they are seen from moved.
    """

    before: float
    after: float
    contributions: Floats
    unchanged: float = 0.0

    @property
    def rounding(self) -> float:
        """What the contributions leave of the change."""
        return self.after - self.before - float(self.contributions.sum()) - self.unchanged


def sigma_of(side: Side, of: str) -> float:
    """Give a sigma of the whole; NaN where it is not known."""
    sigmas = side.numbers.sigmas
    return np.nan if sigmas is None else float(sigmas[side.top, RESULTS.index(of.removeprefix("sigma_"))])


@dataclass(frozen=True, eq=False)
class Breakdown:
    """How an assembly changed, and what every line of a matching contributes to that.

    Rows are the lines of ``matching``; columns are the 12 ``RESULTS``. Numbers are in the units of the new file.
    """

    matching: Matching
    old: Side
    new: Side

    @cached_property
    def parts(self) -> Parts:
        """What every line takes away and brings."""
        return parts_of(self.matching, self.old, self.new)

    @property
    def before(self) -> Floats:
        """The whole before ``(12,)``; NaN where it is not known."""
        return self.parts.total_old

    @property
    def after(self) -> Floats:
        """The whole after ``(12,)``; NaN where it is not known."""
        return self.parts.total_new

    @property
    def change(self) -> Floats:
        """How the whole changed ``(12,)``; NaN where either is not known."""
        return self.parts.change

    def cuts(self, level: int | None) -> tuple[Mask, Mask]:
        """Tell which lines make up the whole before and after ``(u,)``: so many levels down, or everything that ends.

        Raises UsageError for a level that is none.
        """
        if level is not None and level < 1:
            raise UsageError(f"the level is {level}; the first one below an item is 1")
        pair = ((self.old, self.matching.old), (self.new, self.matching.new))
        before, after = (np.where(items >= 0, side.cut(level)[items], False) for side, items in pair)
        return before, after

    def contributions(self, level: int | None = None) -> Floats:
        """Give what every line contributes ``(u, 12)`` at a level: with ``rounding``, they add up to ``change``.

        A line that stands at that level in one file only contributes what it is there. Lines of other levels are 0, and
        columns that are not known are NaN.
        """
        before, after = self.cuts(level)
        found = np.where(after[:, None], self.parts.new, 0.0) - np.where(before[:, None], self.parts.old, 0.0)
        found[:, np.isnan(self.change)] = np.nan
        return np.asarray(found)

    def rounding(self, level: int | None = None) -> Floats:
        """Give what contributions leave of the change ``(12,)``: what double precision rounds away."""
        return np.asarray(self.change - self.contributions(level).sum(axis=0))

    def column(self, of: str, level: int | None = None) -> Column:
        """Take one result apart, one of ``RESULTS`` or ``SIGMAS``; NaN where it is not known.

        In the sigma of a centre or a tensor the part of every item changes when the centre does; what lines that did
        not change make of it is ``unchanged``, so that theirs are 0 here too. Raises UsageError for a sigma of a centre
        or a tensor that was rolled up level by level, which has no parts.
        """
        if of in RESULTS:
            k = RESULTS.index(of)
            return Column(float(self.before[k]), float(self.after[k]), self.contributions(level)[:, k])
        before, after = (sigma_of(side, of) for side in (self.old, self.new))
        if not np.isfinite((before, after)).all():
            return Column(before, after, np.full(len(self.matching), np.nan))
        if "massprops" in (self.old.result.rollup.method, self.new.result.rollup.method):
            raise UsageError(f"{of} has parts that add up with uncertainty covariance, not with massprops")
        cuts, sides = self.cuts(level), ((self.old, self.matching.old), (self.new, self.matching.new))
        name = of.removeprefix("sigma_")
        parts = [np.where(cut, side.variances(at, name), 0.0) for cut, (side, at) in zip(cuts, sides, strict=True)]
        sigmas = before + after
        given = (parts[1] - parts[0]) / sigmas if sigmas > 0 else np.zeros(len(self.matching))
        same = self.same()
        return Column(before, after, np.where(same, 0.0, given), float(given[same].sum()))

    def same(self) -> Mask:
        """Tell which lines have the same numbers in both files, and count as often ``(u,)``."""
        i, j = self.matching.old, self.matching.new
        old, new = self.old.numbers, self.new.numbers
        same = (
            self.matching.both & (self.old.times[i] == self.new.times[j]) & (self.old.weight[i] == self.new.weight[j])
        )
        for one, other in (
            (old.mass, new.mass),
            (old.center, new.center),
            (old.inertia, new.inertia),
            (old.sigmas, new.sigmas),
        ):
            if one is not None and other is not None:
                same &= ~differs(one[i], other[j])
        return np.asarray(same)

    def split(self) -> Split:
        """Take the changes of mass of everything that ends apart: Δ(n m) = Δn (m + m')/2 + Δm (n + n')/2."""
        i, j = self.matching.old, self.matching.new
        both = self.matching.both & self.old.ends[i] & self.new.ends[j]
        times, times_new = self.old.times[i], self.new.times[j]
        mass, mass_new = self.old.numbers.mass[i], self.new.numbers.mass[j]
        return Split(
            np.where(both, (times_new - times) * (mass + mass_new) / 2, 0.0),
            np.where(both, (mass_new - mass) * (times + times_new) / 2, 0.0),
            np.where(both, 0.0, self.contributions()[:, 0]),
        )

    def by_change(self) -> dict[str, float]:
        """Give the change of mass by what happened; with the rounding in it, the values add up to the change.

        What was a leaf and is an assembly, or the other way round, counts as structure; what stands below it in one
        file only is added or removed.
        """
        split = self.split()
        is_added, is_removed = self.matching.old < 0, self.matching.new < 0
        found = {
            "added": split.presence[is_added].sum(),
            "removed": split.presence[is_removed].sum(),
            "structure": split.presence[~is_added & ~is_removed].sum(),
            "quantity": split.pieces.sum(),
            "mass": split.mass.sum(),
        }
        named = {word: float(value) for word, value in found.items()}
        return {**named, "rounding": float(self.change[0]) - sum(named.values())}
