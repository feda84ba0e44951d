"""Contributions of items to the change of an assembly, at any level below it (docs/diff.md); rounding is a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError
from massprops_cli.revisions import changes
from massprops_cli.revisions.matching import Matching

_Floats = NDArray[np.float64]
COMPARED_RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "sigma_mass", "predicted_mass")
"""Results with contributions: products are tensor entries, tensors are about the assembly's own centre of mass."""
COMPARED_SIGMAS = tuple(f"sigma_{name}" for name in COMPARED_RESULTS[1:10])
"""Results with contributions on request: the part of each item changes with the centre of mass."""
_Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _LineParts:
    """Parts of every line in a total before and after, columns of ``COMPARED_RESULTS``, NaN where unknown."""

    old: _Floats  # (u, 12)
    new: _Floats  # (u, 12)
    total_old: _Floats  # (12,) rolled up
    total_new: _Floats  # (12,) rolled up

    @property
    def change(self) -> _Floats:
        """Change of the total ``(12,)``."""
        return self.total_new - self.total_old

    @property
    def contributions(self) -> _Floats:
        """Contribution of every line ``(u, 12)``, with everything below it."""
        return self.new - self.old


def _line_parts(matching: Matching, old: changes.Revision, new: changes.Revision) -> _LineParts:
    """Return the parts of every line in a total; results that are unknown in either file are NaN."""
    before, after = _revision_totals(old), _revision_totals(new)
    masses, centers = (old.located_mass, new.located_mass), (before[1:4], after[1:4])
    middle = (centers[0] + centers[1]) / 2  # one point for both files: an unchanged item contributes exactly 0
    is_finite = bool(np.isfinite((*masses, sum(masses))).all() and np.isfinite(centers).all())
    has_centers = is_finite and 0 not in (*masses, sum(masses))
    has_tensors = has_centers and bool(np.isfinite((before[4:10], after[4:10])).all())
    sigmas = float(before[10] + after[10])

    def part_of(side: changes.Revision, items: NDArray[np.intp]) -> _Floats:
        part = np.full((len(items), len(COMPARED_RESULTS)), np.nan)
        part[:, 0] = side.masses(items)
        if has_centers:
            # ½ [m(c − C)/M' + m(c − C')/M] and (M J(C) + M' J(C')) / (M + M'), J(P) the item's tensor about P
            moments = side.moments_about(middle, items)
            one, other = (changes.shifted_first_moments(moments, center - middle) for center in centers)
            part[:, 1:4] = (one / masses[1] + other / masses[0]) / 2
        if has_tensors:
            one, other = (changes.shifted_tensors(moments, center - middle) for center in centers)
            part[:, 4:10] = (masses[0] * one + masses[1] * other) / sum(masses)
        if np.isfinite(sigmas):
            part[:, 10] = side.variances(items) / sigmas if sigmas > 0 else 0.0
        if side.numbers.predicted is not None:
            part[:, 11] = side.predictions(items)
        part[~np.isfinite(part)] = np.nan
        return part

    return _LineParts(part_of(old, matching.old), part_of(new, matching.new), before, after)


def _revision_totals(side: changes.Revision) -> _Floats:
    """Return the totals ``(12,)``, NaN where unknown."""
    numbers, top = side.numbers, side.top
    total = np.full(len(COMPARED_RESULTS), np.nan)
    total[0] = numbers.mass[top]
    if numbers.center is not None:
        total[1:4] = numbers.center[top]
        if numbers.inertia is not None:
            total[4:10] = numbers.inertia[top]
    if numbers.sigmas is not None:
        total[10] = numbers.sigmas[top, 0]
    if numbers.predicted is not None and side.known("predicted_mass") == "whole":
        total[11] = numbers.predicted[top]
    total[~np.isfinite(total)] = np.nan
    return total


class _MassSplit(NamedTuple):
    """Changes of mass ``(u,)`` by cause; ``pieces``, ``mass`` are 0 in one file only, ``presence`` is 0 in both."""

    pieces: _Floats
    mass: _Floats
    presence: _Floats


class _ResultChange(NamedTuple):
    """One total before and after, and the lines' parts of its change ``(u,)``; ``unchanged``: by the moved centre."""

    before: float
    after: float
    contributions: _Floats
    unchanged: float = 0.0

    @property
    def rounding(self) -> float:
        """Difference between the change and the contributions."""
        return self.after - self.before - float(self.contributions.sum()) - self.unchanged


@dataclass(frozen=True, eq=False)
class ChangeBreakdown:
    """Change of an assembly, and the contribution of every line of a matching.

    Rows are the lines of ``matching``; columns are the 12 ``COMPARED_RESULTS``, in the units of the new file.
    """

    matching: Matching
    old: changes.Revision
    new: changes.Revision

    def __repr__(self) -> str:
        """Return the number of lines and the change of mass."""
        return f"<ChangeBreakdown of {len(self.matching.old):,} lines: mass {float(self.change[0]):+g}>"

    @cached_property
    def parts(self) -> _LineParts:
        """Parts of every line before and after."""
        return _line_parts(self.matching, self.old, self.new)

    @property
    def before(self) -> _Floats:
        """Totals before ``(12,)``; NaN where unknown."""
        return self.parts.total_old

    @property
    def after(self) -> _Floats:
        """Totals after ``(12,)``; NaN where unknown."""
        return self.parts.total_new

    @property
    def change(self) -> _Floats:
        """Change of the totals ``(12,)``; NaN where unknown."""
        return self.parts.change

    def cuts(self, level: int | None) -> tuple[_Mask, _Mask]:
        """Return the lines that add up to the totals: those of a level, or all leaves.

        Parameters
        ----------
        level : int or None
            Level below the assembly, from 1; None for the leaves.

        Returns
        -------
        before : array of bool, shape (u,)
            Lines that add up to the total before.
        after : array of bool, shape (u,)
            Lines that add up to the total after.

        Raises
        ------
        UsageError
            Level below 1.
        """
        pair = ((self.old, self.matching.old), (self.new, self.matching.new))
        before, after = (np.where(items >= 0, side.cut(level)[items], False) for side, items in pair)
        return before, after

    def contributions(self, level: int | None = None) -> _Floats:
        """Return the contributions of every line; with ``rounding`` they add up to ``change``.

        A line at that level in one file only contributes its part there. Lines of other levels are 0.

        Parameters
        ----------
        level : int or None, optional
            Level below the assembly, from 1; None for the leaves.

        Returns
        -------
        array of float, shape (u, 12), units of the new file
            One column per result; NaN in unknown columns.

        Raises
        ------
        UsageError
            Level below 1.

        Notes
        -----
        Formulas: docs/diff.md, section "Contributions".
        """
        before, after = self.cuts(level)
        found = np.where(after[:, None], self.parts.new, 0.0) - np.where(before[:, None], self.parts.old, 0.0)
        found[:, np.isnan(self.change)] = np.nan
        return np.asarray(found)

    def rounding(self, level: int | None = None) -> _Floats:
        """Return the difference between the change and the sum of the contributions.

        Parameters
        ----------
        level : int or None, optional
            Level below the assembly, from 1; None for the leaves.

        Returns
        -------
        array of float, shape (12,), units of the new file
            Rounding of double precision.
        """
        return np.asarray(self.change - self.contributions(level).sum(axis=0))

    def column(self, of: str, level: int | None = None) -> _ResultChange:
        """Return the change of one result.

        Parameters
        ----------
        of : str
            One of ``COMPARED_RESULTS`` or ``COMPARED_SIGMAS``.
        level : int or None, optional
            Level below the assembly, from 1; None for the leaves.

        Returns
        -------
        _ResultChange
            Values before and after, and contributions; NaN if unknown.

        Raises
        ------
        UsageError
            Sigma of a centre or a tensor by the method massprops, which has no contributions.

        Notes
        -----
        The part of every item in the sigma of a centre or a tensor changes with the centre of the assembly. The sum
        over unchanged lines is ``unchanged``, and their contributions are 0.
        """
        if of in COMPARED_RESULTS:
            k = COMPARED_RESULTS.index(of)
            return _ResultChange(float(self.before[k]), float(self.after[k]), self.contributions(level)[:, k])
        k = COMPARED_RESULTS.index(of.removeprefix("sigma_"))
        sides_sigmas = [(side.numbers.sigmas, side.top) for side in (self.old, self.new)]
        before, after = (np.nan if sigmas is None else float(sigmas[top, k]) for sigmas, top in sides_sigmas)
        if not np.isfinite((before, after)).all():
            return _ResultChange(before, after, np.full(len(self.matching), np.nan))
        if "massprops" in (self.old.result.rollup.method, self.new.result.rollup.method):
            raise UsageError(f"contributions to {of} require uncertainty covariance, not massprops")
        name, sides = of.removeprefix("sigma_"), ((self.old, self.matching.old), (self.new, self.matching.new))
        parts = [np.where(at >= 0, side.cut_variances(name, level)[at], 0.0) for side, at in sides]
        sigmas = before + after
        given = (parts[1] - parts[0]) / sigmas if sigmas > 0 else np.zeros(len(self.matching))
        same = self.same()
        return _ResultChange(before, after, np.where(same, 0.0, given), float(given[same].sum()))

    def same(self) -> _Mask:
        """Mark the lines with the same values and the same number of pieces in both files.

        Returns
        -------
        array of bool, shape (u,)
            True if nothing changed.
        """
        i, j = self.matching.old, self.matching.new
        old, new = self.old.numbers, self.new.numbers
        same = self.matching.both & (self.old.times[i] == self.new.times[j])
        same &= self.old.weight[i] == self.new.weight[j]
        for name in ("mass", "center", "inertia", "sigmas"):
            one, other = getattr(old, name), getattr(new, name)
            if one is not None and other is not None:
                same &= ~changes.is_row_different(one[i], other[j])
        same &= ~changes.is_uncertainty_different((self.old, self.new), (i, j))
        return np.asarray(same)

    def split(self) -> _MassSplit:
        """Split the changes of mass of all leaves by cause.

        Returns
        -------
        _MassSplit
            Changes by quantity, by mass, and by items in one file only, each (u,), in the mass unit of the new file.

        Notes
        -----
        Δ(n m) = Δn (m + m')/2 + Δm (n + n')/2.
        """
        i, j = self.matching.old, self.matching.new
        both = self.matching.both & self.old.ends[i] & self.new.ends[j]
        times, times_new = self.old.times[i], self.new.times[j]
        mass, mass_new = self.old.numbers.mass[i], self.new.numbers.mass[j]
        with np.errstate(over="ignore", invalid="ignore"):  # of masses near the largest number; MP407 reports totals
            return _MassSplit(
                np.where(both, (times_new - times) * (mass / 2 + mass_new / 2), 0.0),
                np.where(both, (mass_new - mass) * (times / 2 + times_new / 2), 0.0),
                np.where(both, 0.0, self.contributions()[:, 0]),
            )

    def by_change(self) -> dict[str, float]:
        """Return the change of mass by cause.

        An item that is a leaf in one file and an assembly in the other counts as structure; items below it in one file
        only are added or removed.

        Returns
        -------
        dict of str to float
            Change by cause, in the mass unit of the new file; with ``rounding`` the values add up to the change.
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
