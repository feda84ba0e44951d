"""Recomputed numbers of all items: values, σ, principal axes, correlations, coverage and growth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.results.result_dict import derived_column
from massprops_cli.rollups.inputs import NO_GROUP, Correlation
from massprops_cli.verifications.cells import QUANTITIES, RADII, TypedTable
from massprops_cli.verifications.flat import DIGITS, BranchPaths, FlatCovariances, flat_sums, level_inputs
from massprops_cli.verifications.item_numbers import AXES, PRINCIPAL, RHO, RecomputedNumbers, with_squares

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result

_Floats = NDArray[np.float64]
_CANCELLED = 1e-9  # share of the sizes of the masses below which their sum is 0: docs/formulas.md, section 2
_DEPENDS = (
    (0,), *((0, k) for k in (1, 2, 3)),
    (0, 2, 3, 4), (0, 1, 3, 5), (0, 1, 2, 6), (0, 1, 2, 7), (0, 1, 3, 8), (0, 2, 3, 9),
)  # fmt: skip
"""On which of the ten values of a leaf each of those of an assembly depends, by their places."""
_NO_LABEL = "not_stated"
_USUAL_SHARES = ("share_estimated", "share_calculated", "share_weighed")  # also where they are 0
_POINT = ("about_x", "about_y", "about_z")
_ABOUT = (*(f"about_{name}" for name in QUANTITIES[4:]), *(f"sigma_about_{name}" for name in QUANTITIES[4:]))
GROUPS = {
    **{name: (name,) for name in (*QUANTITIES, *RADII)},
    **{f"sigma_{name}": (f"sigma_{name}",) for name in (*QUANTITIES, *RADII)},
    "principal moments": PRINCIPAL,
    "principal axes": AXES,
    "sigma_principal": tuple(f"sigma_{name}" for name in PRINCIPAL),
    "correlations": RHO,
    "tensors about a point": (*_POINT, *_ABOUT),
    "coverage": ("coverage_leaves", "coverage_mass", "coverage_center", "coverage_inertia"),
    "growth": ("allowance_percent", "allowance_mass", *(f"predicted_{q}" for q in QUANTITIES[:7])),
}
"""What is compared, and the names of its numbers; shares by method are in coverage too."""
_WAYS = {
    "sigma_": f"sum over all leaves of the squares of differences in {DIGITS} digits",
    "principal": "Jacobi's rotations of the recomputed tensor",
    "correlations": f"covariances of differences in {DIGITS} digits",
    "coverage": "leaves counted one by one",
    "growth": "leaves with their growth added flat",
}
_LEVEL = f"sum over the children of the squares of differences in {DIGITS} digits"


class Recomputation:
    """The recomputed numbers of all items, and the sums of assemblies as fractions."""

    def __init__(self, result: Result, typed: TypedTable) -> None:
        self.result, self.typed, self.paths = result, typed, BranchPaths(result.bom)
        self._sums, scales_of, self._leaves = flat_sums(typed, self.paths.leaves)
        self._columns: dict[tuple[str, bool], _Floats | None] = {}  # by name, and whether in the frames of the rows
        self._scales: dict[tuple[str, bool], _Floats] = {}
        self.not_verified: list[str] = []
        if typed.count.reader == "none":
            self.not_verified.append(f"cells of a {result.bom.table.source.format or 'table'}: no second reader")
        if typed.count.derived:
            self.not_verified.append(f"{typed.count.derived:,} values that are not numbers of one cell: used as read")
        self.not_verified += typed.not_verified
        if skipped := int(self.paths.is_skipped.sum()):
            self.not_verified.append(f"deep assemblies above many leaves: {skipped:,}")
        ten = _floats([self.values_of(i) for i in range(len(result.bom))])
        size = np.abs(np.nan_to_num(ten))
        scales = np.stack([size[:, 0], size[:, 1:4].max(axis=1), size[:, 4:].max(axis=1)], 1)
        for item, one in scales_of.items():
            scales[item] = one
        self.sizes = scales  # (n, 3) what masses, places and tensors are relative to
        cancels = np.abs(ten[:, 0]) < _CANCELLED * scales[:, 0]
        ten[cancels], ten[cancels, 0] = np.nan, 0.0
        ten[:, self._width :] = np.nan
        self.root = RecomputedNumbers(ten, self._covariances(ten), _printed_axes(result))
        self.root.is_apart = result.rollup.method == "massprops"

    @property
    def _width(self) -> int:
        """How many of the ten values the table has, in order."""
        bodies = self.result.bom.bodies
        return 10 if bodies.inertia is not None else 4 if bodies.center is not None else 1

    @cached_property
    def sharing(self) -> Correlation | None:
        """Which values deviate together, by the typed groups."""
        request, of, names = self.result.uncertainty_request, self.result.correlation, self.typed.groups
        numbers = {name: k for k, name in enumerate(dict.fromkeys(filter(None, names)))}
        if not numbers:
            return None
        group = np.array([numbers.get(name, NO_GROUP) for name in names], np.int32)
        made = Correlation(group, list(numbers), request.correlate_centers)
        if of is None or not len(of.coupled):
            return made
        coupled = np.array([numbers.get(f"group {of.labels[k]}", NO_GROUP) for k in of.coupled], np.intp)
        return replace(made, coupled=coupled, matrix=of.matrix, matrix_of=of.matrix_of)

    def _covariances(self, ten: _Floats) -> _Floats | None:
        """Return the covariances (n, 13, 13) of all items, by the method of the roll-up; NaN where not recomputed."""
        result, bom, typed = self.result, self.result.bom, self.typed
        if bom.sigmas is None or result.uncertainty_request.method == "none":
            return None
        spread = _floats(typed.sigmas)
        made = with_squares(ten, np.einsum("na,ab->nab", spread**2, np.eye(10)))
        if typed.frames:
            rotation, origin = self.frames
            back = np.swapaxes(rotation, 1, 2)
            own = RecomputedNumbers(_floats(typed.values), made).turned(back, -np.einsum("nab,nb->na", back, origin))
            made = own.covariance if own.covariance is not None else made
        made[~bom.ends] = np.nan
        if bom.deviations is not None or bom.branches is not None:
            self.not_verified.append("sigmas: shapes or branches state joint deviations")
            return np.full_like(made, np.nan)
        if result.rollup.method == "massprops":
            names = (*QUANTITIES, *(f"sigma_{one}" for one in QUANTITIES))
            tool = [derived_column(result, name) for name in names]
            table = np.array([np.full(len(bom), np.nan) if one is None else one for one in tool]).T
            found = FlatCovariances(*level_inputs(bom, table[:, :10], table[:, 10:]), None)
        else:
            moved = () if bom.poses is None or bom.poses.covariance is None else self.paths.of(range(len(bom)))
            found = FlatCovariances(typed, self.paths.leaves, self.sharing, bom.poses, moved)
        alone = np.eye(13) if result.rollup.method == "massprops" else 1.0  # without covariances
        for item, V in found.matrices().items():
            made[item] = V * alone
        unknown = ~self.knows_sigmas
        unknown = np.concatenate([unknown | np.isnan(ten), unknown[:, [4, 5, 6]] | unknown[:, :1]], axis=1)
        made[unknown[:, :, None] | unknown[:, None, :]] = np.nan
        return made

    @cached_property
    def knows_sigmas(self) -> NDArray[np.bool_]:
        """Which of the ten sigmas (n, 10) are known: those of assemblies where all they depend on is stated."""
        bom, n = self.result.bom, len(self.result.bom)
        bodies, sigmas = bom.bodies, bom.sigmas
        if sigmas is None:
            return np.zeros((n, 10), bool)
        own = np.ones((n, 10), bool) if sigmas.known is None else sigmas.known.copy()
        own[:, 1:4] &= sigmas.center is not None or bodies.center is None
        own[:, 4:] &= sigmas.inertia is not None or bodies.inertia is None
        if bodies.has_inertia is not None:
            own[~bodies.has_inertia, 4:] = False
        own[bodies.is_point, 4:] |= sigmas.inertia is not None
        found = own.copy()
        found[~bom.ends] = True
        for leaf, above, times, _ in self.paths.of(np.flatnonzero(bom.ends & ~own.all(axis=1)).tolist()):
            row = self._leaves[leaf]
            is_placed = row[0] is not None and (row[1:4] != [None] * 3 or row[0] == 0)
            lacks = [not all(own[leaf, j] for j in _DEPENDS[k]) and is_placed for k in range(10)]
            lacks[0] = not own[leaf, 0] and row[0] is not None
            for item, pieces in zip(above, times, strict=True):
                found[item] &= ~(np.array(lacks) & (pieces != 0))
        return found

    def must_be_known(self, name: str) -> NDArray[np.bool_]:
        """Return which items (n,) have inputs for a value, or for its sigma; only assemblies for inputs of leaves."""
        result, bom = self.result, self.result.bom
        found = self.column(name)
        if found is None or result.rollup.placed is not None:
            return np.zeros(len(bom), bool)
        is_input = name.removeprefix("sigma_") in QUANTITIES
        return np.isfinite(found) & ~(bom.ends & is_input) & ~result.rollup.cancelled

    @cached_property
    def frames(self) -> tuple[_Floats, _Floats]:
        """Rotations (n, 3, 3) and origins (n, 3) of the frames of the rows in that of the root."""
        turns = [np.array(r, float) for r, _ in self.typed.frames]
        return np.array(turns), np.array([np.array(t, float) for _, t in self.typed.frames])

    @cached_property
    def rows(self) -> RecomputedNumbers:
        """The numbers in the frames of the rows, as a table has them."""
        bom, result = self.result.bom, self.result
        if not self.typed.frames:
            return self.root
        made = self.root.turned(*self.frames)
        made.ten[bom.ends], made.is_apart = _floats(self.typed.values)[bom.ends], self.root.is_apart
        made.printed = _printed_axes(replace(result, rollup=bom.in_row_frames(result.rollup)))
        return made

    def set_point(self, about: tuple[float, float, float]) -> None:
        """State the point of ``--about`` that a written result has."""
        self.result = replace(self.result, about=about)
        self._columns.clear()
        self._scales.clear()
        self.__dict__.pop("_about", None)

    @cached_property
    def _about(self) -> RecomputedNumbers | None:
        """The numbers with tensors about the point of ``--about``."""
        return None if self.result.about is None else self.root.about(self.result.about)

    def _of_column(self, name: str, of_rows: bool) -> tuple[RecomputedNumbers | None, str]:
        """Return the numbers that a column is of, and its name among them."""
        numbers, point = self.rows if of_rows else self.root, self.result.bom.options.inertia_about
        if "about_" in name:
            return self._about, name.replace("about_", "")
        return numbers.about(point) if of_rows and point is not None and name in QUANTITIES[4:] else numbers, name

    def scale(self, name: str, *, of_rows: bool = False) -> _Floats:
        """Return what differences of a number are relative to (n,)."""
        if (name, of_rows) not in self._scales:
            self._scales[name, of_rows] = self._scale(name, of_rows)
        return self._scales[name, of_rows]

    def _scale(self, name: str, of_rows: bool) -> _Floats:
        """Return what differences of a number are relative to (n,)."""
        numbers, base = self._of_column(name, of_rows)
        numbers, sizes = numbers or self.root, self.sizes
        if "about_" in name:
            sizes = np.fmax(sizes, np.abs(numbers.ten[:, 4:]).max(axis=1)[:, None] * [0, 0, 1])
        return numbers.scale(base, sizes)

    def column(self, name: str, *, of_rows: bool = False) -> _Floats | None:
        """Return a recomputed number of every item (n,), NaN unknown; None for one that is not recomputed."""
        if (name, of_rows) not in self._columns:
            found = self._column(name, of_rows)
            self._columns[name, of_rows] = None if found is None else np.where(self.paths.is_skipped, np.nan, found)
        return self._columns[name, of_rows]

    def _column(self, name: str, of_rows: bool) -> _Floats | None:
        """Return a recomputed number of every item (n,), also of the assemblies that are skipped."""
        if name.startswith(("coverage_", "share_")):
            return self._coverage(name)
        if name.startswith(("predicted_", "allowance_")):
            return self._growth(name)
        if name in _POINT:
            at = self.result.about
            return None if at is None else np.full(len(self.result.bom), at[_POINT.index(name)])
        numbers, base = self._of_column(name, of_rows)
        is_apart = self.root.is_apart and name in RHO  # a method without correlations
        return None if numbers is None or is_apart else numbers.column(base)

    def method(self, group: str) -> str:
        """Return how the numbers of a group were recomputed, in words."""
        if group.startswith("sigma_") and self.result.rollup.method == "massprops":
            return _LEVEL
        way = next((words for start, words in _WAYS.items() if group.startswith(start)), "")
        return way or "leaves added flat in fractions of the typed digits"

    def values_of(self, item: int) -> list[Fraction | None]:
        """Return the ten recomputed values of an assembly, or the typed ones of a leaf, in the frame of the root."""
        return self._sums.get(item, self._leaves[item])

    @property
    def shares(self) -> list[str]:
        """Names of the shares of the mass, by what states it."""
        found = [word for word in self._leaf_sums if word.startswith("share_")]
        return sorted({*found, *_USUAL_SHARES}) if found else []

    @cached_property
    def _leaf_sums(self) -> dict[str, _Floats]:
        """Counts of leaves, and sums of their sizes (n,), by what is known of them or states their mass."""
        bom, values = self.result.bom, self._leaves
        has_centers, has_tensors = bom.bodies.center is not None, bom.bodies.inertia is not None
        counts, point = bom.quantity.count.tolist(), bom.bodies.is_point.tolist()
        items, owner, counted, weights = list[int](), list[int](), list[float](), list[float]()
        known, words = list[tuple[bool, ...]](), list[str]()
        for k, (leaf, above, times, _) in enumerate(self.paths.leaves):
            row = values[leaf]
            mass, is_placed = row[0], row[0] is not None and (row[1:4] != [None] * 3 or row[0] == 0)
            has_tensor = is_placed and (None not in row[4:] or point[leaf] or mass == 0)
            known.append((True, mass is not None, has_centers and is_placed, has_tensors and has_tensor))
            words.append("" if bom.maturity is None else f"share_{bom.maturity[leaf] or _NO_LABEL}")
            size = abs(float(mass or 0))
            items += [leaf, *above]
            owner += [k] * (1 + len(above))
            counted += [1.0, *(float(pieces != 0 and counts[leaf] != 0) for pieces in times)]
            weights += [size, *(abs(float(pieces)) * size for pieces in times)]
        at, of = np.array(items), np.array(owner)
        flags = dict(zip(("rows", "mass", "center", "inertia"), np.array(known).T, strict=True))
        of_sizes = {f"of {word}": flag for word, flag in flags.items()}
        of_sizes |= {word: np.array([one == word for one in words]) for word in {*words} - {""}}
        made = dict[str, _Floats]()
        for chosen, numbers in ((flags, np.array(counted)), (of_sizes, np.array(weights))):
            made |= {word: np.bincount(at, numbers * flag[of], len(bom)).astype(float) for word, flag in chosen.items()}
        return made

    def _coverage(self, name: str) -> _Floats | None:
        """Return a coverage or a share by method (n,): docs/formulas.md, section 10."""
        sums, zero = self._leaf_sums, np.zeros(len(self.result.bom))
        word = name.removeprefix("coverage_")
        with np.errstate(invalid="ignore", divide="ignore"):
            if word == "leaves":
                return sums["rows"]
            if word == "mass":
                return sums.get("mass", zero) / sums["rows"]
            of = sums.get(word if word[:6] == "share_" else "of " + word, zero)
            return np.asarray(of / sums.get("of mass", zero))

    @cached_property
    def _predicted(self) -> tuple[_Floats, NDArray[np.bool_]]:
        """Values (n, 10) of leaves with their growth added flat, and which items have a leaf of unknown growth (n,)."""
        bom, typed = self.result.bom, self.typed
        assert bom.growth is not None
        growth = [None if math.isnan(g) else Fraction(g) for g in bom.growth.tolist()]
        rows = []
        for row, g in zip(typed.values, growth, strict=True):
            factor = 1 + (g or 0)
            rows.append([None if x is None else x * factor if k == 0 or k > 3 else x for k, x in enumerate(row)])
        grown = TypedTable(rows, typed.sigmas, typed.count, frames=typed.frames)
        (sums, _, leaves), unknown = flat_sums(grown, self.paths.leaves), np.zeros(len(bom), bool)
        for path in self.paths.of([i for i in np.flatnonzero(bom.ends).tolist() if growth[i] is None]):
            unknown[[path.leaf, *path.above]] = True
        made = _floats([sums.get(i, leaves[i]) for i in range(len(bom))])
        made[:, self._width :] = np.nan
        return made, unknown

    def _growth(self, name: str) -> _Floats | None:
        """Return a predicted value or an allowance (n,): docs/formulas.md, section 10; NaN where growth is unknown."""
        if self.result.bom.growth is None:
            return None
        (values, unknown), basic = self._predicted, self.root.ten[:, 0]
        base = name.removeprefix("predicted_")
        with np.errstate(invalid="ignore", divide="ignore"):
            if name.startswith("allowance_"):
                mass = values[:, 0] - basic
                found = mass if name == "allowance_mass" else 100 * mass / basic
            elif base not in QUANTITIES:
                return None
            else:
                found = values[:, QUANTITIES.index(base)]
        return np.where(unknown, np.nan, found)


def _printed_axes(result: Result) -> _Floats | None:
    """Return the principal axes (n, 3, 3) of a roll-up."""
    found = [derived_column(result, name) for name in AXES]
    return None if found[0] is None else np.array(found).T.reshape(-1, 3, 3)


def _floats(rows: Sequence[Sequence[Fraction | None]]) -> _Floats:
    """Return fractions as doubles, NaN for unknown ones."""
    return np.array([[np.nan if x is None else float(x) for x in row] for row in rows], float)
