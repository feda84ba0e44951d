"""One revision of a comparison: values and number of pieces of every item below one assembly; kinds of change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntFlag
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import phi
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.findings.finding import UsageError
from massprops_cli.revisions.matching import Matching
from massprops_cli.rollups.inputs import NO_LOT, Coverage
from massprops_cli.rollups.variance_budget import LEAF_PART, POSE_PART, SHAPE_PART, variance_budget
from massprops_cli.tables.cells.units import LENGTH, MASS, Units, unit_of_dimension

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Index = NDArray[np.intp]
SAME_VALUE = 1e-12  # numbers that were converted from other units are the same within this share of their size


def _variance_shares(result: Result, top: int, of: str) -> _Floats | None:
    """Return the own part of every item, or its pose, in a variance of ``top`` ``(n,)``, in the units of the file."""
    bom = result.bom
    if bom.sigmas is None:
        return None
    try:
        budget = variance_budget(bom.rollup_inputs(result.correlation), of=of, item=top)
    except UsageError:
        return None
    parts = np.zeros(len(bom))
    own = np.isin(budget.kind, (LEAF_PART, SHAPE_PART, POSE_PART))
    np.add.at(parts, budget.number[own], budget.parts[:, own].sum(axis=0))
    parts[budget.flat.items] += budget.shared
    return parts


@dataclass(frozen=True, eq=False)
class ItemNumbers:
    """Rolled-up numbers of n items in one system of units; NaN for an unknown centre, tensor or sigma."""

    mass: _Floats  # (n,) of what is known
    center: _Floats | None  # (n, 3); None without columns
    inertia: _Floats | None  # (n, 6) about the own centre, 0 for points; None without columns
    sigmas: _Floats | None  # (n, 10) of all ten, NaN without a column; None without any
    predicted: _Floats | None = None  # (n,) mass with growth; None if neither file states growth
    factors: tuple[float, float] = (1.0, 1.0)  # of mass and length, applied to the file's own numbers


def shifted_first_moments(moments: _Floats, shift: _Floats) -> _Floats:
    """Return first moments (u, 3) a shift (3,) away, from m, h (u, 4 or 10): docs/formulas.md, section 5."""
    return moments[:, 1:4] - moments[:, :1] * shift


def shifted_tensors(moments: _Floats, shift: _Floats) -> _Floats:
    """Return tensors (u, 6) a shift (3,) away, from m, h, J (u, 10): docs/formulas.md, section 5."""
    return moments[:, 4:] - _first_moment_phi(moments[:, 1:4], shift) + moments[:, :1] * phi(shift)


def _first_moment_phi(first: _Floats, shift: _Floats) -> _Floats:
    """Return the mixed term of a shift ``(3,)`` of first moments ``(n, 3)``: Phi(c − s) = Phi(c) − this + Phi(s)."""
    twice = 2 * first * shift
    total = twice.sum(axis=1, keepdims=True)
    mixed = [-(first[:, a] * shift[b] + first[:, b] * shift[a]) for a, b in ((0, 1), (0, 2), (1, 2))]
    return np.concatenate([total - twice, np.stack(mixed, axis=1)], axis=1)


@dataclass(frozen=True, eq=False)
class Revision:
    """A revision below its item ``top``."""

    result: Result
    numbers: ItemNumbers
    top: int
    times: _Floats  # (n,) how often each item counts; 0 outside the revision and below stated items
    weight: _Floats  # (n,) factor of the variance
    depth: _Index  # (n,) steps below ``top``
    ends: _Mask  # (n,) items that go up with their own numbers

    def masses(self, items: _Index) -> _Floats:
        """Return the mass of all pieces in the total, items (u,) → (u,) mass; 0 for a missing item (−1)."""
        return np.where(items >= 0, self._added(self.numbers.mass)[items], 0.0)

    def predictions(self, items: _Index) -> _Floats:
        """Return items' mass with growth in the total, (u,) → (u,), 0 if missing (−1): docs/formulas.md, section 10."""
        assert self.numbers.predicted is not None
        added = np.where(self._coverage("predicted_mass").mass_is_whole, self._added(self.numbers.predicted), np.nan)
        return np.where(items >= 0, added[items], 0.0)

    def _coverage(self, of: str) -> Coverage:
        """Return what is known of a result: of a predicted mass that of the growth, where it is stated."""
        predicted = self.result.predicted if of == "predicted_mass" else None
        return (self.result.rollup if predicted is None else predicted).coverage

    def known(self, of: str) -> str:
        """Return how much of a result of the total is known: ``whole``, ``lower bound`` or ``partial``."""
        return self._coverage(of).known(of, self.top)

    @property
    def located_mass(self) -> float:
        """The mass of the whole whose centre is known, which its own centre is that of."""
        if (center := self.numbers.center) is None or np.isfinite(center[self._counted]).all():
            return float(self.numbers.mass[self.top])
        placed = np.asarray(np.isfinite(center).all(axis=1))
        return float(self._added(np.where(placed, self.numbers.mass, 0.0))[self.top])

    def moments_about(self, point: _Floats, items: _Index) -> _Floats:
        """Return parts (u, 4 or 10) of items in m, h, J of the sum about a point (3,): docs/formulas.md, section 2."""
        # those of a missing item (−1) are 0; there is no J if the file has none
        numbers, at = self.numbers, self._counted
        assert numbers.center is not None
        placed = np.asarray(np.isfinite(numbers.center[at]).all(axis=1))
        arm = np.where(placed[:, None], numbers.center[at] - point, 0.0)
        mass = np.where(placed, numbers.mass[at], 0.0)[:, None]
        # sums over items with numbers of their own: a branch whose masses (nearly) cancel has no centre to start from
        parts = [mass, mass * arm]
        if numbers.inertia is not None:
            own = np.where(placed[:, None], np.nan_to_num(numbers.inertia[at]), 0.0)
            parts.append(own + mass * phi(arm))
        return np.where(items[:, None] >= 0, self._added_at(np.concatenate(parts, axis=1))[items], 0.0)

    @cached_property
    def _counted(self) -> _Index:
        """The items ``(k,)`` with numbers of their own."""
        return np.asarray(np.flatnonzero(self.ends & (self.times != 0)))

    def _added(self, values: _Floats) -> _Floats:
        """Sum ``values (n,)`` of one piece over the counted items at and below every item ``(n,)``."""
        return self._added_at(values[self._counted, None])[:, 0]

    def _added_at(self, values: _Floats) -> _Floats:
        """Sum ``values (k, c)`` of one piece over the counted items at and below every item ``(n, c)``."""
        at, tree = self._counted, self.result.bom.tree
        spread = np.zeros((len(self.times), values.shape[1]))
        spread[at] = self.times[at, None] * values
        return np.stack([tree.subtree_sums(column) for column in spread.T], axis=1)

    def variances(self, items: _Index) -> _Floats:
        """Return parts of the variance of mass, (u,) → (u,), 0 if missing (−1): docs/formulas.md, section 6."""
        assert self.numbers.sigmas is not None
        spread = self.weight * self.numbers.sigmas[:, 0] ** 2
        if self.result.rollup.method != "massprops" and (_sharing_names(self) != "").any():
            spread = self.result.bom.tree.subtree_sums(self._own_variances("mass"))
        return np.where((items >= 0) & (self.times[items] != 0), spread[items], 0.0)

    def cut_variances(self, of: str, level: int | None) -> _Floats:
        """Return the parts (n,) of a cut in a variance of the total, and those of the poses above it; else 0."""
        own, cut = self._own_variances(of), self.cut(level)
        above = (self.times != 0) & ~self.ends & (True if level is None else self.depth < level)
        return np.where(cut, self.result.bom.tree.subtree_sums(own), np.where(above, own, 0.0))

    def _own_variances(self, of: str) -> _Floats:
        """Return each item's own part (n,) in a variance of the total; NaN if unknown: docs/formulas.md, section 6."""
        if (parts := _variance_shares(self.result, self.top, of)) is None:
            return np.full(len(self.times), np.nan)
        of_mass, of_length = self.numbers.factors
        factor = of_mass if of == "mass" else of_length if of.startswith("C") else of_mass * of_length**2
        return factor**2 * parts

    def cut(self, level: int | None) -> _Mask:
        """Return the items (n,) that add up to the total: those of a level and leaves above it, or all leaves."""
        if level is not None and level < 1:
            raise UsageError(f"level is not positive: {level} (expected 1 or more)")
        chosen = self.ends if level is None else (self.depth == level) | (self.ends & (self.depth < level))
        return np.asarray(chosen & (self.times != 0))


def revision_from_item(result: Result, numbers: ItemNumbers, top: int) -> Revision:
    """Make the revision below one item of a rolled-up file."""
    bom = result.bom
    n, (members, below, quantity) = len(bom), bom.tree.branch(top, bom.quantity)
    stated = None if bom.stated is None else bom.stated[members]
    path = below.path_quantities(quantity)
    times, weight, depth, is_end = np.zeros(n), np.zeros(n), np.full(n, -1, np.intp), np.zeros(n, bool)
    times[members], weight[members] = path.count, path.variance_weight()
    depth[members], is_end[members] = below.depth(), below.end_items(stated)
    if stated is not None:  # whose values replace those of what is below
        times[members[below.is_below(stated)]] = 0.0
    return Revision(result, numbers, top, times, weight, depth, is_end)


def rolled_up_numbers(result: Result, factors: tuple[float, float]) -> ItemNumbers:
    """Return the numbers of every item in other units."""
    bodies = result.rollup.bodies
    of_mass, of_length = factors
    center, inertia = bodies.center, bodies.inertia
    if center is not None:
        known = ~result.rollup.cancelled if bodies.has_center is None else bodies.has_center & ~result.rollup.cancelled
        center = of_length * np.where(known[:, None], center, np.nan)
    if inertia is not None:
        inertia = of_mass * of_length**2 * np.where(bodies.is_point[:, None], 0.0, inertia)
        if bodies.has_inertia is not None:
            inertia[~bodies.has_inertia & ~bodies.is_point] = np.nan
        if bodies.has_products is not None:
            inertia[~bodies.has_products, 3:] = np.nan
    predicted = None if result.predicted is None else of_mass * result.predicted.bodies.mass
    return ItemNumbers(of_mass * bodies.mass, center, inertia, _rolled_up_sigmas(result, factors), predicted, factors)


def _rolled_up_sigmas(result: Result, factors: tuple[float, float]) -> _Floats | None:
    """Return every item's sigmas ``(n, 10)``, multiplied by the ``factors`` of mass and length; NaN where not known."""
    bodies, sigmas = result.rollup.bodies, result.rollup.sigmas
    if sigmas is None:
        return None
    of_mass, of_length = factors
    ten = np.full((len(bodies.mass), 10), np.nan)
    ten[:, 0] = of_mass * sigmas.mass
    if sigmas.center is not None:
        ten[:, 1:4] = of_length * sigmas.center
    if sigmas.inertia is not None:
        ten[:, 4:] = of_mass * of_length**2 * np.where(bodies.is_point[:, None], 0.0, sigmas.inertia)
    if sigmas.known is not None:
        ten = np.where(sigmas.known, ten, np.nan)
    return ten


def revision_unit_factors(old: Units, new: Units, *, lengths: bool = True) -> tuple[float, float]:
    """Return the factors of mass and of length from the units of the old file to those of the new one."""
    mass = _column_unit_factor("mass", MASS, old.mass, new.mass)
    return mass, _column_unit_factor("Cx", LENGTH, old.length, new.length) if lengths else 1.0


def _column_unit_factor(column: str, dimension: tuple[int, int, int], old: str, new: str) -> float:
    """Return the factor from one unit to the other; 1 if neither is stated."""
    if old == new:
        return 1.0
    if not old or not new:
        silent, known = ("old", new) if new else ("new", old)
        raise UsageError(
            f"{silent} file states no unit of {column}, and the other file is in {known}; "
            f"state it in the header, or pass --unit {column}={known} if it is the same"
        )
    one, other = unit_of_dimension(old, dimension), unit_of_dimension(new, dimension)
    assert one is not None
    assert other is not None
    return one.over(other)


class ChangeKind(IntFlag):
    """Kinds of change; ``STRUCTURE``: a leaf in one file and an assembly in the other."""

    ADDED = 1
    REMOVED = 2
    MOVED = 4
    STRUCTURE = 8
    QUANTITY = 16
    MASS = 32
    CENTER = 64
    INERTIA = 128
    SIGMA = 256
    GROWTH = 512
    POSE = 1024

    @property
    def words(self) -> tuple[str, ...]:
        """Words of the changes, in order of importance."""
        singles = (single for single in ChangeKind if single in self)
        return tuple("re-parented" if one is ChangeKind.MOVED else str(one.name).lower() for one in singles)


def line_changes(matching: Matching, boms: tuple[Bom, Bom], sides: tuple[Revision, Revision]) -> NDArray[np.int16]:
    """Return ``ChangeKind`` sums (u,) of every line, same units; numbers compared are those of items with own ones."""
    found = np.zeros(len(matching), np.int16)
    found[matching.old < 0] = ChangeKind.ADDED
    found[matching.new < 0] = ChangeKind.REMOVED
    lines = np.flatnonzero(matching.both)
    i, j = matching.old[lines], matching.new[lines]
    old, new = sides
    own = old.ends[i] & new.ends[j]
    parents = (_parent_lines(boms[0], matching.line_of_old)[i], _parent_lines(boms[1], matching.line_of_new)[j])
    growth = [np.zeros(len(bom)) if bom.growth is None else bom.growth for bom in boms]
    found[lines[parents[0] != parents[1]]] |= ChangeKind.MOVED
    # mark the pairs of items with different quantities; the quantity of a root is ignored
    before, after = boms[0].quantity, boms[1].quantity
    differs = (before.count[i] != after.count[j]) | (before.measured[i] != after.measured[j])
    found[lines[np.asarray(differs & (boms[0].tree.parent[i] >= 0))]] |= ChangeKind.QUANTITY
    found[lines[old.ends[i] != new.ends[j]]] |= ChangeKind.STRUCTURE
    found[lines[own & is_row_different(growth[0][i], growth[1][j])]] |= ChangeKind.GROWTH
    stated = [_numbers_in_rows(side) for side in sides]
    in_rows = np.zeros(len(lines), bool)  # a pose that moves changes no numbers below it
    if stated[0] is not None and stated[1] is not None:
        if old.numbers.factors != new.numbers.factors:
            stated[0] = snapped_numbers(stated[0], stated[1], matching)
        frames = [bom.poses.frame[at] for bom, at in zip(boms, (i, j), strict=True) if bom.poses is not None]
        in_rows = frames[0] == frames[1]
        moved = _is_pose_different(boms, (i, j), (old.numbers.factors[1], new.numbers.factors[1]))
        found[lines[moved & (parents[0] == parents[1])]] |= ChangeKind.POSE
    found[lines[is_uncertainty_different(sides, (i, j))]] |= ChangeKind.SIGMA
    for change, name in _COMPARED_NUMBERS.items():
        for numbers, which in ((stated, in_rows), ([old.numbers, new.numbers], ~in_rows)):
            one, other = (getattr(side, name, None) for side in numbers)
            if one is not None and other is not None:
                found[lines[own & which & is_row_different(one[i], other[j])]] |= change
    return found


_COMPARED_NUMBERS = {
    ChangeKind.MASS: "mass", ChangeKind.CENTER: "center", ChangeKind.INERTIA: "inertia", ChangeKind.SIGMA: "sigmas"
}  # fmt: skip


def _is_pose_different(boms: tuple[Bom, Bom], at: tuple[_Index, _Index], factors: tuple[float, float]) -> _Mask:
    """Mark the pairs of items with different poses in their parents; that of a root has no effect below it."""
    shifts, turns, sizes = [], [], []
    for bom, items, factor in zip(boms, at, factors, strict=True):
        assert bom.poses is not None
        in_root, up = bom.poses.in_root, bom.tree.parent[items]
        pose = in_root[np.maximum(up, 0)].inverse() @ in_root[items]
        shifts.append(np.where(up[:, None] < 0, 0.0, factor * pose.translation))
        turns.append(np.where(up[:, None, None] < 0, np.eye(3), pose.rotation))
        sizes.append(factor * np.abs(in_root.translation[np.stack([items, up])]).max(axis=(0, 2)))
    distance, turn = np.abs(shifts[1] - shifts[0]).max(axis=1), np.abs(turns[1] - turns[0]).max(axis=(1, 2))
    return np.asarray((distance > SAME_VALUE * np.maximum(*sizes)) | (turn > SAME_VALUE))


def is_uncertainty_different(sides: tuple[Revision, Revision], at: tuple[_Index, _Index]) -> _Mask:
    """Mark the pairs of items whose poses have other covariances, or that share uncertainties with other ones."""
    one, other = (_pose_covariances(side, items) for side, items in zip(sides, at, strict=True))
    size = np.maximum(np.abs(one), np.abs(other)).max(axis=(2, 4), keepdims=True)
    names = [_sharing_names(side)[items] for side, items in zip(sides, at, strict=True)]
    return np.asarray((np.abs(one - other) > SAME_VALUE * size).any(axis=(1, 2, 3, 4)) | (names[0] != names[1]))


def _pose_covariances(side: Revision, items: _Index) -> _Floats:
    """Return covariances (k or 1, 2, 3, 2, 3) of shift and rotation, in the axes of the parents; 0 for a root."""
    poses, up = side.result.bom.poses, side.result.bom.tree.parent[items]
    if poses is None or poses.covariance is None:
        return np.zeros((1, 2, 3, 2, 3))
    R, scale = poses.in_root.rotation[up] * (up >= 0)[:, None, None], np.array([side.numbers.factors[1], 1.0])
    blocks = poses.covariance[items].reshape(-1, 2, 3, 2, 3)
    return np.asarray(np.einsum("nca,nucvd,ndb,u,v->nuavb", R, blocks, R, scale, scale, optimize=True))


def _sharing_names(side: Revision) -> NDArray[Any]:
    """Return the groups and lots (n,) that share the uncertainties of items, as texts."""
    sharing, sources, names = side.result.correlation, side.result.bom.deviations, np.full(len(side.times), "", object)
    if sharing is not None and len(sharing.labels):
        names[:] = np.array([*sharing.labels, ""], object)[sharing.group]  # NO_GROUP is the last
    if sources is not None:
        of_lot = np.flatnonzero(sources.lot != NO_LOT)
        lots = np.array([f" lot {name}" for name in sources.labels], object)
        names[sources.items[of_lot]] += lots[sources.lot[of_lot]]
    return names


def _numbers_in_rows(side: Revision) -> ItemNumbers | None:
    """Return the numbers of the items in the frames of their rows; None without poses."""
    bom, rolled = side.result.bom, side.result.rollup
    if bom.poses is None or bom.own_numbers is None:
        return None
    bodies, sigmas = bom.own_numbers
    rolled = replace(rolled, bodies=bodies, sigmas=None if rolled.sigmas is None else sigmas)
    return rolled_up_numbers(replace(side.result, rollup=rolled), side.numbers.factors)


def _parent_lines(bom: Bom, line: _Index) -> _Index:
    """Return the line of every item's parent ``(n,)``; −1 for the root."""
    parent = bom.tree.parent
    return np.where(parent >= 0, line[parent], -1)


def is_row_different(one: _Floats, other: _Floats) -> _Mask:
    """Mark the rows that differ, (n,) or (n, k) in the same unit → (n,); unknown values (NaN) are equal."""
    unequal = (one != other) & ~(np.isnan(one) & np.isnan(other))
    return np.asarray(unequal if unequal.ndim == 1 else unequal.any(axis=1))


def predicted_numbers(before: ItemNumbers, after: ItemNumbers) -> tuple[ItemNumbers, ItemNumbers]:
    """Predict basic masses in a file without growth if the other one has it: docs/formulas.md, section 10."""
    if before.predicted is not None and after.predicted is None:
        after = replace(after, predicted=after.mass)
    elif after.predicted is not None and before.predicted is None:
        before = replace(before, predicted=before.mass)
    return before, after


def snapped_numbers(numbers: ItemNumbers, to: ItemNumbers, matching: Matching) -> ItemNumbers:
    """Replace converted values by those of the other file, in the same units, if they differ by rounding only."""
    lines = np.flatnonzero(matching.both)
    i, j = matching.old[lines], matching.new[lines]

    def fitted(one: _Floats | None, other: _Floats | None) -> _Floats | None:
        if one is None or other is None:
            return one
        copy = one.copy()
        limit = SAME_VALUE * np.maximum(np.abs(one[i]), np.abs(other[j]))
        copy[i] = np.where(np.abs(one[i] - other[j]) <= limit, other[j], one[i])
        return copy

    names = ("mass", "center", "inertia", "sigmas", "predicted")
    values: dict[str, Any] = {name: fitted(getattr(numbers, name), getattr(to, name)) for name in names}
    return replace(numbers, **values)
