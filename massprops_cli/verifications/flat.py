"""Leaves added flat: sums in fractions of typed digits, variances by differences in 50 digits, own samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.verifications.cells import CellCount, TypedTable

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.items.pose_cells import ItemPoses
    from massprops_cli.rollups.inputs import Correlation

DIGITS = 50
_STEP = Decimal(10) ** -20  # of a difference, in σ: exact to 20 digits of the 50
_FLOAT_STEP = 1e-20
_MOST_PAIRS = 300_000  # leaves × assemblies above them that are added; deeper assemblies beyond are not recomputed
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # axes of the six entries of a tensor
_ENTRY = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # entry at each place of the matrix


_Number = int | Fraction


class _LeafPath(NamedTuple):
    """A leaf, the assemblies above it, and how often it is in each: pieces, and the factor of its variance."""

    leaf: int
    above: list[int]
    times: list[_Number]
    weights: list[_Number]


_Typed = list[Fraction | None]  # ten values, None unknown
_Scale = tuple[float, float, float]  # what differences of masses, coordinates and tensors are relative to


def _exact(value: float) -> _Number:
    """Return a double as an integer or a fraction."""
    return int(value) if value.is_integer() else Fraction(value)


class BranchPaths:
    """The items of a tree below the assemblies that are recomputed: all of them, or the upper ones of a deep tree."""

    def __init__(self, bom: Bom) -> None:
        self.ends, self.parent, order = bom.ends.tolist(), bom.tree.parent.tolist(), bom.tree.order.tolist()
        self.pieces = [_exact(x) for x in bom.quantity.count.tolist()]
        self.weights = [_exact(x) for x in bom.quantity.variance_weight().tolist()]
        below = [int(is_end) for is_end in self.ends]
        for i in reversed(order):
            if self.parent[i] >= 0 and not self.ends[self.parent[i]]:
                below[self.parent[i]] += below[i]
        total, self.is_skipped = 0, np.zeros(len(bom), bool)
        for i in order:
            if not self.ends[i]:
                self.is_skipped[i] = total + below[i] > _MOST_PAIRS
                total += 0 if self.is_skipped[i] else below[i]
        # the nearest assembly from each item up that is recomputed, and the pieces and weights of those between
        self._up: list[tuple[int, _Number, _Number]] = [(-1, 1, 1)] * len(bom)
        for i in order:
            if self.is_skipped[i] and self.parent[i] >= 0:
                up, times, weight = self._up[self.parent[i]]
                self._up[i] = up, times * self.pieces[i], weight * self.weights[i]
            elif not (self.ends[i] or self.is_skipped[i]):
                self._up[i] = i, 1, 1

    @cached_property
    def leaves(self) -> list[_LeafPath]:
        """The leaves that count."""
        return self.of([i for i, is_end in enumerate(self.ends) if is_end])

    def of(self, items: Sequence[int]) -> list[_LeafPath]:
        """List items, leaves or not; the times are of the item in its parent and up."""
        made = []
        for i in items:
            path = _LeafPath(i, [], [], [])
            number, weight, item = self.pieces[i], self.weights[i], self.parent[i]
            while item >= 0:
                item, times, factor = self._up[item]
                if item >= 0:
                    number, weight = number * times, weight * factor
                    path.above.append(item)
                    path.times.append(number)
                    path.weights.append(weight)
                    number, weight, item = number * self.pieces[item], weight * self.weights[item], self.parent[item]
            made.append(path)
        return made


def flat_sums(
    typed: TypedTable, paths: Sequence[_LeafPath]
) -> tuple[dict[int, _Typed], dict[int, _Scale], list[_Typed]]:
    """Add moments of the leaves about the origin, as integers: values and scales of assemblies, and values of items."""
    rows = _rows_in_root(typed)
    sizes = [math.lcm(*{one.denominator for row in rows if (one := row[k]) is not None}) for k in range(10)]
    M, L = sizes[0], math.lcm(*sizes[1:4])
    M *= math.lcm(M * L * L, *sizes[4:]) // (M * L * L)
    units = [M, *[L] * 3, *[M * L * L] * 6]
    sums: dict[int, list[Any]] = {}
    scales, known = dict[int, list[float]](), dict[int, list[bool]]()
    for path in paths:
        row = rows[path.leaf]
        flags = [x is not None for x in row]
        ten = [0 if x is None else x.numerator * (u // x.denominator) for x, u in zip(row, units, strict=True)]
        is_placed = flags[0] and (any(flags[1:4]) or ten[0] == 0)
        terms = [ten[0], *(_moments(ten) if is_placed else [0] * 10)]
        size, far, most = abs(ten[0]) / M, max(map(abs, ten[1:4])) / L, max(map(abs, ten[4:])) / units[9]
        for item, times in zip(path.above, path.times, strict=True):
            sums[item] = [t + times * term for t, term in zip(sums.get(item, [0] * 11), terms, strict=True)]
            known[item] = [x or y for x, y in zip(known.get(item, flags), flags, strict=True)]
            scale, factor = scales.setdefault(item, [0.0] * 3), abs(float(times))
            scale[0] += factor * size
            scale[1] = max(scale[1], far if is_placed else 0.0)
            scale[2] += factor * (most + size * far * far if is_placed else 0.0)
    values = {item: _values_about_center(total, (M, L), known[item]) for item, total in sums.items()}
    return values, {i: _scale(one, values[i]) for i, one in scales.items()}, rows


def _in_root(ten: Sequence[Any], frame: tuple[Sequence[Sequence[Any]], Sequence[Any]]) -> list[Any]:
    """Return ten values, of any kind of numbers, in the frame of the root: docs/formulas.md, section 12."""
    r, t = frame
    center = [t[a] + sum(r[a][b] * ten[1 + b] for b in range(3)) for a in range(3)]
    return [ten[0], *center, *turned_tensor(r, ten[4:])]


def _rows_in_root(typed: TypedTable) -> list[_Typed]:
    """Return the ten values of each item in the frame of the root; incomplete centres and tensors as they are."""
    if not typed.frames:
        return typed.values
    made = []
    for row, frame in zip(typed.values, typed.frames, strict=True):
        moved = _in_root([x or Fraction(0) for x in row], frame)
        made.append([*row[:1], *(row if None in row[1:4] else moved)[1:4], *(row if None in row[4:] else moved)[4:]])
    return made


def _values_about_center(total: Sequence[Any], units: tuple[int, int], known: Sequence[bool]) -> _Typed:
    """Return mass, centre and tensor about the centre: docs/formulas.md, section 2."""
    M, L = units
    result: _Typed = [Fraction(total[0]) / M if known[0] else None, *[None] * 9]
    if total[1]:
        sizes = (M, *[M * L] * 3, *[M * L * L] * 6)
        found = _results([Fraction(one) / size for one, size in zip(total[1:], sizes, strict=True)])
        result[1:] = [one if k > 3 or known[k] else None for k, one in enumerate(found[1:10], 1)]
    return result


def _scale(sums: Sequence[float], values: _Typed) -> _Scale:
    """Return what differences of mass, centre and tensor are relative to: docs/formulas.md, section 9."""
    mass = abs(float(values[0] or 0)) or 1.0
    cancelled = max(1.0, sums[0] / mass)  # removed masses lose digits
    entries = [abs(float(one)) for one in values[4:] if one is not None]
    return sums[0], (sums[1] or 1.0) * cancelled, max([*entries, 0.0]) * cancelled or sums[2] or 1.0


_Moments = list[Decimal]


def _decimal(value: Fraction | float) -> Decimal:
    """Return a fraction in 50 digits."""
    one = value if isinstance(value, int) else Fraction(value)
    return Decimal(one.numerator) / one.denominator


def _moments(ten: Sequence[Any]) -> list[Any]:
    """Return mass, first and second moments about the origin of ten values of one body, or of arrays of them."""
    m, x, y, z = ten[:4]
    hx, hy, hz = m * x, m * y, m * z
    xx, yy, zz = hx * x, hy * y, hz * z
    sums = [ten[4] + yy + zz, ten[5] + xx + zz, ten[6] + xx + yy]
    return [m, hx, hy, hz, *sums, ten[7] - hx * y, ten[8] - hx * z, ten[9] - hy * z]


def _results(p: Sequence[Any]) -> list[Any]:
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
        paths: Sequence[_LeafPath],
        correlation: Correlation | None,
        poses: ItemPoses | None = None,
        branches: Sequence[_LeafPath] = (),
    ) -> None:
        self.typed, self.paths, self.correlation, self.poses, self.branches = typed, paths, correlation, poses, branches
        self._rows: dict[int, list[tuple[float, list[float]]]] = {}  # item → weights and deviations (13,)
        self._tensors: dict[int, _Floats] = {}  # item → what the sigmas of tensors add (6, 6), without groups
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
                if item in self._tensors:
                    J = np.eye(_OUT, 6, -4)
                    J[10:, :3] = np.eye(3) / float(self._moments_of[item][0])
                    made[item] += J @ self._tensors[item] @ J.T
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
            changes, linear = inputs.changes(), np.zeros((6, 6))
            for k, change in [one for one in changes if one[0] > 3 and one[0] not in shared]:
                changes.remove((k, change))
                six = np.array([float(one) / _FLOAT_STEP for one in change[4:]])
                linear += six[:, None] * six
            for item, times, weight in zip(path.above, path.times, path.weights, strict=True):
                if (result := results[item]) is None:
                    continue
                factor = float(weight)
                self._tensors[item] = self._tensors.get(item, 0.0) + factor * linear
                for k, change in changes:
                    deviation = _deviation(totals[item], change, result)
                    # one piece changes the sums; n pieces are independent, or deviate together
                    if k not in shared:
                        self._rows[item].append((factor, deviation))
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
        six, mass = [float(one) / _FLOAT_STEP if one else 0.0 for one in change[4:]], float(total[0])
        return [0.0] * 4 + six + [one / mass for one in six[:3]]
    made = _results([a + b for a, b in zip(total, change, strict=True)])
    return [float(a - b) / _FLOAT_STEP for a, b in zip(made, result, strict=True)]


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
        made.append([p - q for p, q in zip(_moments([mass, *moved, *turned]), own, strict=True)])
    return made


class _LeafInputs:
    """The moments of one leaf about the origin, and how its inputs change them."""

    def __init__(self, typed: TypedTable, leaf: int) -> None:
        self.ten = [_decimal(one or 0) for one in typed.values[leaf]]
        self.spread = [_decimal(one) for one in typed.sigmas[leaf]]
        turn, place = typed.frames[leaf] if typed.frames else ([], [])
        self.frame = [[_decimal(x) for x in row] for row in turn], [_decimal(x) for x in place]
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
        return _moments(_in_root(ten, self.frame) if self.frame[1] else ten)


def turned_tensor(r: Sequence[Sequence[Any]], six: Sequence[Any]) -> list[Any]:
    """Return R I Rᵀ of six entries (6,), any unit."""
    full = [[six[_ENTRY[a][b]] for b in range(3)] for a in range(3)]
    half = [[r[a][0] * full[0][b] + r[a][1] * full[1][b] + r[a][2] * full[2][b] for b in range(3)] for a in range(3)]
    return [half[a][0] * r[b][0] + half[a][1] * r[b][1] + half[a][2] * r[b][2] for a, b in PAIRS]


def level_inputs(bom: Bom, values: _Floats, sigmas: _Floats) -> tuple[TypedTable, list[_LeafPath]]:
    """Return the children of every assembly as leaves, values and sigmas (n, 10): docs/formulas.md, section 3."""
    parent, ends = bom.tree.parent.tolist(), bom.ends
    typed = TypedTable(
        [[None if math.isnan(x) else Fraction(x) for x in row] for row in values.tolist()],
        [[Fraction(x) for x in row] for row in np.nan_to_num(sigmas).tolist()],
        CellCount(),
    )
    counts, variance = bom.quantity.count.tolist(), bom.quantity.variance_weight().tolist()
    paths = [
        _LeafPath(i, [up], [_exact(counts[i])], [_exact(variance[i])])
        for i, up in enumerate(parent)
        if up >= 0 and not ends[up]
    ]
    return typed, paths


STANDARD_ERRORS = 6.0  # standard errors of two samplings by which sigmas may differ: 2e-9 by chance
_CHUNK = 2_000
_MOST_PIECES = 16  # pieces of one leaf that are sampled one by one; more deviate as one


def _sample_moments(ten: _Floats, frame: tuple[_Floats, _Floats] | None) -> _Floats:
    """Return mass, first and second moments about the origin of the root (10, n) of ten values (10, n)."""
    center, tensor = ten[1:4], list(ten[4:])
    if frame is not None:
        center = frame[0] @ center + frame[1][:, None]
        tensor = turned_tensor(frame[0].tolist(), tensor)
    return np.stack(_moments([ten[0], *center, *tensor]))


class LeafSamples:
    """Normal samples of all leaves by the generator SFC64, summed flat over every assembly."""

    def __init__(
        self, typed: TypedTable, paths: list[_LeafPath], correlation: Correlation | None, samples: int
    ) -> None:
        self.paths, self.correlation, self.samples = paths, correlation, samples
        self.random = np.random.Generator(np.random.SFC64(37))
        self.ten = np.array([[float(one or 0) for one in row] for row in typed.values])
        self.spread = np.array([[float(one) for one in row] for row in typed.sigmas])
        self.frames = [(np.array(r, float), np.array(t, float)) for r, t in typed.frames]
        self.shared: set[int] = set() if correlation is None else set(correlation.shared_inputs.tolist())

    def sigmas(self) -> dict[int, tuple[_Floats, _Floats]]:
        """Return sigmas and their standard errors (13,) by assembly."""
        powers: dict[int, _Floats] = {}
        origin: dict[int, _Floats] = {}
        for start in range(0, self.samples, _CHUNK):
            sums = self._chunk(min(_CHUNK, self.samples - start))
            with np.errstate(invalid="ignore", divide="ignore"):
                for item, total in sums.items():
                    found = np.stack(_results([*total]))
                    found[10:] = np.sqrt(found[10:])
                    d = found - origin.setdefault(item, np.nan_to_num(np.nanmean(found, axis=1)))[:, None]
                    terms = [np.nansum(d**k, axis=1) for k in range(5)]
                    terms[0] = (~np.isnan(d)).sum(axis=1)
                    powers[item] = powers.get(item, 0.0) + np.array(terms)
        return {item: _spread(one) for item, one in powers.items()}

    def _chunk(self, n: int) -> dict[int, _Floats]:
        """Return samples (10, n) of the moments of every assembly."""
        common, sums = self._common_deviates(n), dict[int, _Floats]()
        for path in self.paths:
            leaf, frame = path.leaf, self.frames[path.leaf] if self.frames else None
            group = -1 if self.correlation is None else int(self.correlation.group[leaf])
            for item, times, weight in zip(path.above, path.times, path.weights, strict=True):
                pieces = times if times > 0 else -times
                count = int(pieces) if weight == pieces and 1 < pieces <= _MOST_PIECES else 1
                deviates = self.random.standard_normal((10, count, n))
                if count == 1 and times:  # one piece for all: independent deviates of many pieces average
                    deviates *= float(weight) ** 0.5 / abs(float(times))
                if group >= 0:
                    for k in self.shared:
                        deviates[k] = common[group][k]
                ten = self.ten[leaf][:, None, None] + self.spread[leaf][:, None, None] * deviates
                made = _sample_moments(ten.reshape(10, -1), frame).reshape(10, count, n).sum(axis=1)
                made *= float(times) / count
                sums[item] = sums.get(item, 0.0) + made
        return sums

    def _common_deviates(self, n: int) -> dict[int, _Floats]:
        """Return the deviates (10, n) that the members of each group share; those of coupled groups are correlated."""
        of = self.correlation
        if of is None:
            return {}
        made = {int(g): self.random.standard_normal((10, n)) for g in np.unique(of.group[of.group >= 0])}
        coupled = [int(g) for g in of.coupled.tolist()]
        for k in range(10 if coupled else 0):
            values, vectors = np.linalg.eigh(of.matrix[of.matrix_of[k]])
            root: Any = vectors * np.sqrt(np.maximum(values, 0.0))
            drawn = root @ self.random.standard_normal((len(coupled), n))
            for group, one in zip(coupled, drawn, strict=True):
                if group in made:
                    made[group][k] = one
        return made


def _spread(powers: _Floats) -> tuple[_Floats, _Floats]:
    """Return sigmas and their standard errors (13,) of sums of powers 0 to 4 (5, 13) of deviations."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n = powers[0]
        a, b, c, d = powers[1:] / n
        variance = np.maximum(b - a * a, 0.0)
        fourth = d - 4 * a * c + 6 * a * a * b - 3 * a**4
        error = np.sqrt(np.maximum(fourth - variance**2, 0.0) / n) / (2 * np.sqrt(variance))
    return np.sqrt(variance * n / np.maximum(n - 1, 1)), np.nan_to_num(error)
