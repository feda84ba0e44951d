"""Leaves added flat: sums in fractions of the typed digits, and variances by differences in 50 digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.verifications.cells import CellCount, TypedTable

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.items.pose_cells import ItemPoses
    from massprops_cli.rollups.inputs import Correlation

DIGITS = 50
_STEP = Decimal(10) ** -20  # of a difference, in σ: exact to 20 digits of the 50
_MOST_PAIRS = 300_000  # leaves × assemblies above them that are added; deeper assemblies beyond are not recomputed
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # axes of the six entries of a tensor
_ENTRY = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # entry at each place of the matrix
_Number = TypeVar("_Number", Decimal, Fraction)


class LeafPath(NamedTuple):
    """A leaf, the assemblies above it, and how often it is in each: pieces, and the factor of its variance."""

    leaf: int
    above: list[int]
    times: list[Fraction]
    weights: list[Fraction]


@dataclass
class _FlatSums:
    """The ten values of assemblies as fractions, by item; None where nothing is known."""

    values: dict[int, list[Fraction | None]]
    scales: dict[int, tuple[float, float, float]]
    """What the differences of an item are relative to: masses, coordinates, tensors."""
    paths: list[LeafPath]
    leaves: list[list[Fraction | None]]  # ten values of each item in the frame of the root
    skipped: int = 0  # assemblies above too many leaves


def branch_paths(bom: Bom, items: Sequence[int]) -> list[LeafPath]:
    """List items, leaves or not, with the assemblies above them; the times are of the item in its parent and up."""
    parent, ends = bom.tree.parent.tolist(), bom.ends.tolist()
    pieces, weights = bom.quantity.count.tolist(), bom.quantity.variance_weight().tolist()
    made = []
    for i in items:
        above, times, factors = [], [], []
        number, weight, item = Fraction(pieces[i]), Fraction(weights[i]), parent[i]
        while item >= 0 and not ends[item]:
            above.append(item)
            times.append(number)
            factors.append(weight)
            number, weight, item = number * Fraction(pieces[item]), weight * Fraction(weights[item]), parent[item]
        made.append(LeafPath(i, above, times, factors))
    return made


def _leaf_paths(bom: Bom) -> tuple[list[LeafPath], int]:
    """List the leaves that count with the assemblies above them, and the number of assemblies that are left out."""
    paths, pairs = branch_paths(bom, np.flatnonzero(bom.ends).tolist()), [0] * len(bom)
    for path in paths:
        for item in path.above:
            pairs[item] += 1
    if sum(pairs) <= _MOST_PAIRS:
        return paths, 0
    kept, total = set[int](), 0
    for item in bom.tree.order.tolist():  # from the root down
        if pairs[item] and total + pairs[item] <= _MOST_PAIRS:
            kept.add(item)
            total += pairs[item]
    chosen = []
    for path in paths:
        at = [k for k, item in enumerate(path.above) if item in kept]
        lists = ([values[k] for k in at] for values in (path.above, path.times, path.weights))
        chosen.append(LeafPath(path.leaf, *lists))  # type: ignore[arg-type]
    return chosen, sum(map(bool, pairs)) - len(kept)


def _common(values: Sequence[Fraction | None]) -> int:
    """Return the least common denominator."""
    return math.lcm(*{one.denominator for one in values if one is not None})


def _scaled(value: Fraction, size: int) -> int:
    """Return a fraction as an integer number of 1/size."""
    return value.numerator * (size // value.denominator)


def flat_sums(bom: Bom, typed: TypedTable) -> _FlatSums:
    """Add mass, first and second moments of the leaves about the origin, as integers of a common denominator."""
    rows = _rows_in_root(typed)
    sizes = [_common([row[k] for row in rows]) for k in range(10)]
    of_mass, of_place = sizes[0], math.lcm(*sizes[1:4])
    of_moment = of_mass * of_place
    of_tensor = math.lcm(of_moment * of_place, *sizes[4:])
    paths, skipped = _leaf_paths(bom)
    sums: dict[int, list[Fraction | int]] = {}
    scales: dict[int, list[float]] = {}
    for path in paths:
        mass, *rest = rows[path.leaf]
        center, tensor = rest[:3], rest[3:]
        axes = [x is not None for x in center]
        m = 0 if mass is None else _scaled(mass, of_mass)
        is_placed = mass is not None and (any(axes) or mass == 0)
        c = [0 if x is None else _scaled(x, of_place) for x in center]
        own = [0 if x is None else _scaled(x, of_tensor) for x in tensor]
        grow = of_tensor // (of_moment * of_place)
        h = [m * x for x in c]
        spread = [h[a] * c[b] * grow for a, b in PAIRS]
        trace = spread[0] + spread[1] + spread[2]
        second = [own[k] + (trace - spread[k] if k < 3 else -spread[k]) for k in range(6)]
        terms = [m, *([m, *h, *second] if is_placed else [0] * 10)]
        size, far = abs(m) / of_mass, max(abs(x) for x in c) / of_place
        most = max(abs(x) for x in own) / of_tensor
        for item, times in zip(path.above, path.times, strict=True):
            whole: Fraction | int = times.numerator if times.denominator == 1 else times
            total = sums.setdefault(item, [0] * 11)
            for k, term in enumerate(terms):
                total[k] += whole * term
            scale, factor = scales.setdefault(item, [0.0] * 4), abs(float(times))
            scale[0] += factor * size
            scale[1] = max(scale[1], far if is_placed else 0.0)
            scale[2] += factor * (most + size * far * far if is_placed else 0.0)
    places = _Sizes(of_mass, of_moment, of_tensor)
    known = _known_values(rows, paths)
    values = {item: _values_about_center(total, places, known[item]) for item, total in sums.items()}
    return _FlatSums(values, {i: _scale(one, values[i]) for i, one in scales.items()}, paths, rows, skipped)


def _rows_in_root(typed: TypedTable) -> list[list[Fraction | None]]:
    """Return the ten values of each item in the frame of the root: docs/formulas.md, section 12."""
    if not typed.frames:
        return typed.values
    made = []
    for row, (r, t) in zip(typed.values, typed.frames, strict=True):
        center, tensor = row[1:4], row[4:]
        new: list[Fraction | None] = list(row)
        if all(x is not None for x in center):
            new[1:4] = [t[a] + sum(r[a][b] * (center[b] or 0) for b in range(3)) for a in range(3)]
        if all(x is not None for x in tensor):
            new[4:] = turned_tensor(r, [x or Fraction(0) for x in tensor])
        made.append(new)
    return made


class _Sizes(NamedTuple):
    """Denominators of masses, first and second moments."""

    mass: int
    moment: int
    tensor: int


def _known_values(rows: Sequence[Sequence[Fraction | None]], paths: Sequence[LeafPath]) -> dict[int, list[bool]]:
    """Return of which of the ten values an assembly has a leaf that knows it."""
    known: dict[int, list[bool]] = {}
    for path in paths:
        row = [value is not None for value in rows[path.leaf]]
        for item in path.above:
            flags = known.setdefault(item, [False] * 10)
            for k, one in enumerate(row):
                flags[k] |= one
    return known


def _values_about_center(
    total: Sequence[Fraction | int], sizes: _Sizes, known: Sequence[bool]
) -> list[Fraction | None]:
    """Return mass, centre and tensor about the centre: docs/formulas.md, section 2."""
    mass, placed = Fraction(total[0]) / sizes.mass, Fraction(total[1]) / sizes.mass
    result: list[Fraction | None] = [mass if known[0] else None, *[None] * 9]
    if placed == 0:
        return result
    h = [Fraction(one) / sizes.moment for one in total[2:5]]
    for k in range(3):
        result[1 + k] = h[k] / placed if known[1 + k] else None
    squares = [h[a] * h[b] / placed for a, b in PAIRS]
    trace = squares[0] + squares[1] + squares[2]
    for k in range(6):
        second = Fraction(total[5 + k]) / sizes.tensor
        result[4 + k] = second - (trace - squares[k] if k < 3 else -squares[k])
    return result


def _scale(sums: Sequence[float], values: Sequence[Fraction | None]) -> tuple[float, float, float]:
    """Return what differences of mass, centre and tensor are relative to: docs/formulas.md, section 9."""
    mass = abs(float(values[0] or 0)) or 1.0
    cancelled = max(1.0, sums[0] / mass)  # removed masses lose digits
    entries = [abs(float(one)) for one in values[4:] if one is not None]
    return sums[0], (sums[1] or 1.0) * cancelled, max([*entries, 0.0]) * cancelled or sums[2] or 1.0


_Moments = list[Decimal]


def _decimal(value: Fraction | float) -> Decimal:
    """Return a fraction in 50 digits."""
    one = Fraction(value)
    return Decimal(one.numerator) / Decimal(one.denominator)


def _moments(mass: Decimal, center: Sequence[Decimal], tensor: Sequence[Decimal]) -> _Moments:
    """Return mass, first and second moments about the origin of one body."""
    x, y, z = center
    hx, hy, hz = mass * x, mass * y, mass * z
    xx, yy, zz = hx * x, hy * y, hz * z
    own = tensor
    return [
        mass, hx, hy, hz, own[0] + yy + zz, own[1] + xx + zz, own[2] + xx + yy,
        own[3] - hx * y, own[4] - hx * z, own[5] - hy * z,
    ]  # fmt: skip


def _results(p: _Moments) -> _Moments:
    """Return mass, centre, tensor about the centre, squares of the radii (13,), of the sums of ten moments."""
    m, hx, hy, hz = p[:4]
    cx, cy, cz = hx / m, hy / m, hz / m
    xx, yy, zz = hx * cx, hy * cy, hz * cz
    ten = [
        m, cx, cy, cz, p[4] - yy - zz, p[5] - xx - zz, p[6] - xx - yy, p[7] + hx * cy, p[8] + hx * cz, p[9] + hy * cz,
    ]  # fmt: skip
    return [*ten, ten[4] / m, ten[5] / m, ten[6] / m]


_Floats = NDArray[np.float64]
_OUT = 13  # ten values, and the squares of the radii of gyration


class FlatCovariances:
    """Covariances of assemblies as sums over all leaves, each derivative a difference in 50 digits."""

    def __init__(
        self,
        typed: TypedTable,
        paths: Sequence[LeafPath],
        correlation: Correlation | None,
        poses: ItemPoses | None = None,
        branches: Sequence[LeafPath] = (),
    ) -> None:
        self.typed, self.paths, self.correlation, self.poses, self.branches = typed, paths, correlation, poses, branches
        self._rows: dict[int, list[tuple[float, list[float]]]] = {}  # item → weights and deviations (13,)
        self._groups: dict[tuple[int, int], dict[int, _Floats]] = {}  # item, input → group → deviations (13,)

    def matrices(self) -> dict[int, _Floats]:
        """Return V (13, 13) of the ten values and the squares of the radii of every assembly."""
        with localcontext() as context:
            context.prec = DIGITS
            results = self._add_leaves()
            made = {}
            for item, rows in self._rows.items():
                weights, changes = np.array([one for one, _ in rows]), np.array([one for _, one in rows])
                made[item] = (changes.T * weights) @ changes if rows else np.zeros((_OUT, _OUT))
            self._add_groups(made)
            self._add_poses(made, results)
        return {item: V for item, V in made.items() if results[item] is not None}

    def _add_leaves(self) -> dict[int, _Moments | None]:
        """Collect the deviations of all leaves, those that groups share apart, and return the results."""
        totals: dict[int, _Moments] = {}
        leaves = []
        for path in self.paths:
            inputs = _LeafInputs(self.typed, path.leaf)
            leaves.append(inputs)
            for item, times in zip(path.above, path.times, strict=True):
                number, total = _decimal(times), totals.setdefault(item, [Decimal(0)] * 10)
                for k in range(10):
                    total[k] += number * inputs.moments[k]
        self._rows = {item: [] for item in totals}
        self._moments_of = {**totals, **{path.leaf: one.moments for path, one in zip(self.paths, leaves, strict=True)}}
        results = {item: _results(total) if total[0] else None for item, total in totals.items()}
        for path, inputs in zip(self.paths, leaves, strict=True):
            group = -1 if self.correlation is None else int(self.correlation.group[path.leaf])
            shared = () if group < 0 or self.correlation is None else self.correlation.shared_inputs.tolist()
            changes = inputs.changes()
            for item, times, weight in zip(path.above, path.times, path.weights, strict=True):
                if (result := results[item]) is None:
                    continue
                for k, change in changes:
                    deviation = _deviation(totals[item], change, result)
                    # one piece changes the sums; n pieces are independent, or deviate together
                    if k not in shared:
                        self._rows[item].append((float(weight), deviation))
                        continue
                    held = self._groups.setdefault((item, k), {})
                    held[group] = held.get(group, 0.0) + float(times) * np.array(deviation)
        return results

    def _add_groups(self, made: dict[int, _Floats]) -> None:
        """Add what the members of a group share, and the products of groups that are correlated."""
        if (of := self.correlation) is None:
            return
        coupled = {group: place for place, group in enumerate(of.coupled.tolist())}
        for (item, k), held in self._groups.items():
            for group, one in held.items():
                for other, two in held.items():
                    share = float(group == other)
                    if group != other and group in coupled and other in coupled:
                        share = float(of.matrix[of.matrix_of[k]][coupled[group], coupled[other]])
                    made[item] += share * np.outer(one, two)

    def _add_poses(self, made: dict[int, _Floats], results: Mapping[int, _Moments | None]) -> None:
        """Add the covariances of uncertain poses: a whole branch moves as one rigid body."""
        if self.poses is None or self.poses.covariance is None:
            return
        origins, covariances = self.poses.in_root.translation.tolist(), self.poses.covariance
        for path in self.branches:
            if not covariances[path.leaf].any() or not (own := self._moments_of[path.leaf])[0]:
                continue
            moves = _rigid_changes(own, [_decimal(x) for x in origins[path.leaf]])
            for item, weight in zip(path.above, path.weights, strict=True):
                if (result := results.get(item)) is not None:
                    moved = np.array([_deviation(self._moments_of[item], change, result) for change in moves])
                    made[item] += float(weight) * moved.T @ covariances[path.leaf] @ moved


def _deviation(total: _Moments, change: _Moments, result: _Moments) -> list[float]:
    """Return how far a small change of the sums moves the results (13,), for each step of one σ."""
    if not any(change[:4]):  # of tensors alone: linear
        six, mass = [float(one / _STEP) for one in change[4:]], float(total[0])
        return [0.0] * 4 + six + [one / mass for one in six[:3]]
    made = _results([a + b for a, b in zip(total, change, strict=True)])
    return [float((a - b) / _STEP) for a, b in zip(made, result, strict=True)]


def _rigid_changes(own: _Moments, origin: Sequence[Decimal]) -> list[_Moments]:
    """Return the changes of the moments of a branch for a small shift along, and a small turn about, each axis."""
    mass, *rest = _results(own)[:10]
    center, tensor = rest[:3], rest[3:]
    made, one = [], Decimal(1)
    for k in range(6):
        moved, turned = list(center), list(tensor)
        if k < 3:
            moved[k] += _STEP
        else:
            a, b = (k - 2) % 3, (k - 1) % 3
            turn = [[one if p == q else Decimal(0) for q in range(3)] for p in range(3)]
            turn[a][b], turn[b][a] = -_STEP, _STEP  # of second order in the step: beyond the digits used
            arm = [x - t for x, t in zip(center, origin, strict=True)]
            moved = [origin[p] + sum(turn[p][q] * arm[q] for q in range(3)) for p in range(3)]
            turned = turned_tensor(turn, tensor)
        changed = _moments(mass, moved, turned)
        made.append([p - q for p, q in zip(changed, own, strict=True)])
    return made


class _LeafInputs:
    """The moments of one leaf about the origin, and how its inputs change them."""

    def __init__(self, typed: TypedTable, leaf: int) -> None:
        self.ten = [_decimal(one) if one is not None else Decimal(0) for one in typed.values[leaf]]
        self.spread = [_decimal(one) for one in typed.sigmas[leaf]]
        frame = typed.frames[leaf] if typed.frames else None
        self.rotation = None if frame is None else [[_decimal(x) for x in row] for row in frame[0]]
        self.origin = None if frame is None else [_decimal(x) for x in frame[1]]
        self.moments = self._of(self.ten)

    def changes(self) -> list[tuple[int, _Moments]]:
        """Return the changes of the moments for a small step of each value."""
        made = []
        for k in range(10):
            if self.spread[k]:
                moved = list(self.ten)
                moved[k] += self.spread[k] * _STEP
                made.append((k, [a - b for a, b in zip(self._of(moved), self.moments, strict=True)]))
        return made

    def _of(self, ten: _Moments) -> _Moments:
        """Return the moments of ten values in the leaf's own frame."""
        if self.rotation is None or self.origin is None:
            return _moments(ten[0], ten[1:4], ten[4:])
        r, t = self.rotation, self.origin
        center = [t[a] + sum(r[a][b] * ten[1 + b] for b in range(3)) for a in range(3)]
        return _moments(ten[0], center, turned_tensor(r, ten[4:]))


def turned_tensor(r: Sequence[Sequence[_Number]], six: Sequence[_Number]) -> list[_Number]:
    """Return R I Rᵀ of six entries (6,), any unit."""
    full = [[six[_ENTRY[a][b]] for b in range(3)] for a in range(3)]
    half = [[r[a][0] * full[0][b] + r[a][1] * full[1][b] + r[a][2] * full[2][b] for b in range(3)] for a in range(3)]
    return [half[a][0] * r[b][0] + half[a][1] * r[b][1] + half[a][2] * r[b][2] for a, b in PAIRS]


def level_inputs(bom: Bom, values: _Floats, sigmas: _Floats) -> tuple[TypedTable, list[LeafPath]]:
    """Return the children of every assembly as leaves, values and sigmas (n, 10): docs/formulas.md, section 3."""
    parent, ends = bom.tree.parent.tolist(), bom.ends
    typed = TypedTable(
        [[None if math.isnan(x) else Fraction(x) for x in row] for row in values.tolist()],
        [[Fraction(x) for x in row] for row in np.nan_to_num(sigmas).tolist()],
        CellCount(),
    )
    counts, variance = bom.quantity.count.tolist(), bom.quantity.variance_weight().tolist()
    paths = [
        LeafPath(i, [up], [Fraction(counts[i])], [Fraction(variance[i])])
        for i, up in enumerate(parent)
        if up >= 0 and not ends[up]
    ]
    return typed, paths
