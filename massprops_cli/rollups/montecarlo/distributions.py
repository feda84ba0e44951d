"""Distributions of the ten inputs of every item, as functions of a normal deviate that members of a group share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import (
    DISTRIBUTION_KINDS,
    KIND_NOT_STATED,
    NO_GROUP,
    PARAMETER_NAMES,
    Correlation,
    InputShapes,
)
from massprops_cli.rollups.regions import normal_cdf, normal_cdf_values
from massprops_cli.trees.tree import ItemQuantity, Tree

_Floats = NDArray[np.float64]
# M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988),
# routine PPND16: numerators and denominators, highest power first
_CENTRAL_POLYNOMIALS = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_MIDDLE_POLYNOMIALS = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR_POLYNOMIALS = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip
_LOWEST_SHARE, _HIGHEST_SHARE = 1e-300, 1.0 - 2.0**-53
"""Shares whose quantiles are those of 0 and 1: the latter is the largest double below 1."""
NORMAL, LOGNORMAL, _UNIFORM, _TRIANGULAR, _TRUNCATED = range(5)  # places in ``DISTRIBUTION_KINDS``
_HALF_WIDTH = {_UNIFORM: math.sqrt(3.0), _TRIANGULAR: math.sqrt(6.0)}
"""Half the width of a symmetrical distribution, in its sigmas."""
_BOUNDED = (_UNIFORM, _TRIANGULAR)
_Mask = NDArray[np.bool_]
_POSITIVE_INPUTS = (0, 4, 5, 6)  # mass and the three moments of inertia: what has a sign by nature
_MIDDLE_SHARES = (np.arange(2_000) + 0.5) / 2_000
_FREQUENCIES, _BLOCKS = 512, 128  # terms of a block of the Fourier series, and blocks at most
_NO_ROW = -1  # the row of an assembly that is a further copy of one, and the parent of an assembly that nothing counts


def _normal_quantiles(share: _Floats) -> _Floats:
    """Return the quantiles of a standard normal distribution, to about 1e-16; those of 0 and 1 are finite."""
    share = np.clip(share, _LOWEST_SHARE, _HIGHEST_SHARE)
    q = share - 0.5
    z = np.empty_like(q)
    central = np.abs(q) <= 0.425
    inner = q[central]
    z[central] = inner * _polynomial_ratio(_CENTRAL_POLYNOMIALS, 0.180625 - inner * inner)
    outer = ~central
    r = np.sqrt(-np.log(np.minimum(share[outer], 1.0 - share[outer])))
    size = np.where(
        r <= 5.0, _polynomial_ratio(_MIDDLE_POLYNOMIALS, r - 1.6), _polynomial_ratio(_FAR_POLYNOMIALS, r - 5.0)
    )
    z[outer] = np.copysign(size, q[outer])
    return z


def _polynomial_ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], r: _Floats) -> _Floats:
    """Return the ratio of two polynomials, highest power first, at ``r (k,)``."""
    numerator, denominator = (np.polyval(np.array(p), r) for p in polynomials)
    return numerator / denominator


class _InputDistribution(NamedTuple):
    """One input: its kind, value and sigma, and its bounds (NaN where none are given)."""

    kind: int
    value: float
    sigma: float
    low: float = math.nan
    likely: float = math.nan
    high: float = math.nan


def input_deviations(margin: _InputDistribution, z: _Floats) -> _Floats:
    """Return the deviations (b,) of an input from its stated value, for standard normal deviates (b,)."""
    if margin.kind == NORMAL:
        return margin.sigma * z
    if margin.kind == LOGNORMAL:
        # ln x ~ N(ln|v| − s²/2, s²) with s² = ln(1 + (sigma/v)²)
        ratio = margin.sigma / abs(margin.value)
        square = math.log1p(ratio * ratio) if ratio < 1.0 else 2.0 * math.log(math.hypot(1.0, ratio))
        return margin.value * np.expm1(math.copysign(1.0, margin.value) * math.sqrt(square) * z - square / 2)
    return deviations_at_shares(margin, normal_cdf_values(z))


def deviations_at_shares(margin: _InputDistribution, share: _Floats) -> _Floats:
    """Return the deviations (b,) of a uniform, triangular or truncated input at shares (b,), 0 … 1."""
    if margin.kind == _TRUNCATED:
        return _truncated_deviations(margin, share)
    if margin.kind == _UNIFORM:
        low, high = _bound_deviations(margin)
        return low + (high - low) * share
    return _triangular_deviations(margin, share)


def _bound_deviations(margin: _InputDistribution) -> tuple[float, float]:
    """Return both ends as deviations: the bounds, or the width that follows from the sigma."""
    half = _HALF_WIDTH[margin.kind] * margin.sigma
    low = -half if math.isnan(margin.low) else margin.low - margin.value
    return low, half if math.isnan(margin.high) else margin.high - margin.value


def _triangular_deviations(margin: _InputDistribution, share: _Floats) -> _Floats:
    """Return deviations of a triangle between both ends with its top at the most likely value."""
    low, high = _bound_deviations(margin)
    top = 0.0 if math.isnan(margin.likely) else margin.likely - margin.value
    if (width := high - low) <= 0.0:
        return np.full_like(share, low)
    rising = low + np.sqrt(share * width * (top - low))
    falling = high - np.sqrt((1.0 - share) * width * (high - top))
    return np.where(share * width < top - low, rising, falling)


def _truncated_deviations(margin: _InputDistribution, share: _Floats) -> _Floats:
    """Return deviations of a normal distribution truncated at the bounds, by its inverse."""
    center = 0.0 if math.isnan(margin.likely) else margin.likely - margin.value
    if margin.sigma == 0.0:
        return np.full_like(share, center)
    low = -math.inf if math.isnan(margin.low) else (margin.low - margin.value - center) / margin.sigma
    high = math.inf if math.isnan(margin.high) else (margin.high - margin.value - center) / margin.sigma
    if low > -high:  # a window in the upper tail is mirrored into the lower one, where shares keep their digits
        return center - margin.sigma * _deviates_between_cuts(-high, -low, 1.0 - share)
    return center + margin.sigma * _deviates_between_cuts(low, high, share)


def _deviates_between_cuts(low: float, high: float, share: _Floats) -> _Floats:
    """Return standard normal deviates between two cuts at given shares of what lies between them."""
    below, above = normal_cdf(low), normal_cdf(high)
    return np.clip(_normal_quantiles(below + share * (above - below)), low, high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InputDistributions:
    """The ten inputs of n items, in the order mass, Cx … Cz, Ixx … Iyz."""

    value: _Floats  # (10, n) centres from the origin of the table, tensors about the own centre; 0 where there is none
    sigma: _Floats  # (10, n) 0 where there is none
    kind: NDArray[np.int8] | None = None  # (10, n) index in ``DISTRIBUTION_KINDS``; None: all normal
    bounds: _Floats | None = None  # (3, 10, n) low, likely, high; NaN where not stated

    @classmethod
    def of(cls, bodies: Bodies, sigmas: Sigmas, shapes: InputShapes | None, distribution: str) -> InputDistributions:
        """Return the distributions of the inputs; UsageError for an unknown kind or bounds that are not in order."""
        if distribution not in DISTRIBUTION_KINDS:
            raise UsageError(
                f"distribution is unknown: {distribution} (expected one of {', '.join(DISTRIBUTION_KINDS)})"
            )
        value = input_rows(bodies.mass, bodies.center, bodies.inertia, bodies.is_point)
        sigma = input_rows(sigmas.mass, sigmas.center, sigmas.inertia, bodies.is_point)
        usual = DISTRIBUTION_KINDS.index(distribution)
        if shapes is None:
            if usual == NORMAL:
                return cls(value, sigma)
            shapes = InputShapes(np.full(len(bodies.mass), KIND_NOT_STATED, np.int8))
        stated = np.array([shapes.kinds_of(place) for place in range(len(value))])
        wanted = np.where(stated == KIND_NOT_STATED, usual, stated).astype(np.int8)
        if not wanted.any():
            return cls(value, sigma)
        bounds = _stated_bounds(shapes, stated, value, bodies.is_point)
        # kind of every input ``(10, n)`` from the kind ``wanted (10, n)``, and cut what is truncated at 0
        kind = wanted.copy()
        signed = np.zeros(10, bool)
        signed[list(_POSITIVE_INPUTS)] = True
        bounded = ~np.isnan(bounds[0]) | ~np.isnan(bounds[2])
        kind[(kind == LOGNORMAL) & (~signed[:, None] | (value == 0.0))] = NORMAL
        cut = (kind == _TRUNCATED) & ~bounded
        bounds[0][cut & signed[:, None] & (value >= 0.0)] = 0.0
        bounds[2][cut & signed[:, None] & (value < 0.0)] = 0.0
        kind[cut & ~signed[:, None]] = NORMAL
        kind[(sigma == 0.0) & ~bounded] = NORMAL
        kind[4:, bodies.is_point] = NORMAL
        return cls(value, sigma, kind, bounds)

    @property
    def scale(self) -> _Floats:
        """Factor of a row of deviates ``(10, n)``: sigma, or 1 where the distribution states the size."""
        return self.sigma if self.kind is None else np.where(self.kind == NORMAL, self.sigma, 1.0)

    def varies(self) -> _Mask:
        """Return which inputs are uncertain (10, n), order mass, Cx … Cz, Ixx … Iyz."""
        varies: _Mask = self.sigma != 0.0
        return varies if self.kind is None else varies | (self.kind != NORMAL)

    def margin(self, quantity: int, item: int) -> _InputDistribution:
        """Return the distribution of one input."""
        value, sigma = float(self.value[quantity, item]), float(self.sigma[quantity, item])
        if self.kind is None or self.bounds is None:
            return _InputDistribution(NORMAL, value, sigma)
        low, likely, high = self.bounds[:, quantity, item].tolist()
        return _InputDistribution(int(self.kind[quantity, item]), value, sigma, low, likely, high)

    def mean_deviations(self) -> _Floats:
        """Return the means of the inputs as deviations from their values (10, n): docs/formulas.md, section 11."""
        if self.kind is None:
            return np.zeros_like(self.value)
        with np.errstate(invalid="ignore"):
            mean = np.where(np.isin(self.kind, _BOUNDED), np.nanmean(self.ends(), axis=0), 0.0)
        for quantity, item in zip(*np.nonzero(self.kind == _TRUNCATED), strict=True):
            mean[quantity, item] = deviations_at_shares(self.margin(int(quantity), int(item)), _MIDDLE_SHARES).mean()
        return mean

    def ends(self) -> _Floats:
        """Return low, top (NaN if uniform) and high (3, 10, n) of bounded inputs as deviations from their values."""
        assert self.bounds is not None
        low, top, high = self.bounds - self.value
        flat = self.kind == _UNIFORM
        half = np.where(flat, _HALF_WIDTH[_UNIFORM], _HALF_WIDTH[_TRIANGULAR]) * self.sigma
        ends = np.where(np.isnan(low), -half, low), np.where(np.isnan(high), half, high)
        return np.array([ends[0], np.where(flat, np.nan, np.nan_to_num(top)), ends[1]])

    def bounded_masses(self) -> NDArray[np.intp]:
        """Return the items (k,) whose mass is uniform or triangular."""
        return np.flatnonzero(np.isin(self.kind[0], _BOUNDED)) if self.kind is not None else np.zeros(0, np.intp)


def sum_cdf(points: _Floats, ends: _Floats, times: _Floats, variance: float) -> tuple[_Floats, float]:
    """Return P(S ≤ points (p,)) and its error for a sum of independent deviations: docs/formulas.md, section 11."""
    # S has times (k,) uniform or triangular terms of low, top (NaN: uniform), high (3, k), and a normal one
    low, top, high = ends
    flat, mean, sigma = np.isnan(top), np.nanmean(ends, axis=0), math.sqrt(variance)
    square = np.where(flat, (high - low) ** 2 / 12, ((high - low) ** 2 + (top - low) ** 2 + (high - top) ** 2) / 36)
    widest = max(float(times @ (high - mean)), float(times @ (mean - low))) + 9 * sigma
    reach = min(widest, 15 * math.sqrt(float(times @ square) + variance))
    z = np.clip(points - float(times @ mean), -reach, reach)
    share, error = (z + reach) / (2 * reach), 0.0
    for first in range(1, _BLOCKS * _FREQUENCIES, _FREQUENCIES):
        k = np.arange(first, first + _FREQUENCIES)
        w = np.pi / reach * k
        phi = np.exp(-((sigma * w) ** 2) / 2).astype(complex)
        for j, n in enumerate(times):
            if flat[j]:
                phi *= np.sinc(w * (high[j] - low[j]) / (2 * np.pi)) ** n
                continue
            rising = (top[j] - low[j]) / (high[j] - low[j]) if high[j] > low[j] else 0.5
            form = rising * _ramp_transform(w * (low[j] - top[j]))
            form += (1 - rising) * _ramp_transform(w * (high[j] - top[j]))
            phi *= (np.exp(1j * w * (top[j] - mean[j])) * form) ** n
        turns = np.exp(-1j * np.outer(z, w)) - np.where(k % 2, -1.0, 1.0)
        share += np.real(turns * phi / (-1j * w)).sum(axis=1) / reach
        if (error := float(np.abs(phi).max())) < 1e-13:
            break
    return np.clip(share, 0.0, 1.0), max(error, 1e-12)


def _ramp_transform(s: _Floats) -> NDArray[np.complex128]:
    """Return ∫ 2 (1 − u) exp(i s u) du from 0 to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = 2 * (1 + 1j * s - np.exp(1j * s)) / s**2
    return np.where(np.abs(s) < 0.02, 1 + 1j * s / 3 - s**2 / 12 - 1j * s**3 / 60 + s**4 / 360, whole)


def input_rows(mass: _Floats, center: _Floats | None, inertia: _Floats | None, is_point: _Mask) -> _Floats:
    """Return mass (n,), centre (n, 3) and tensor (n, 6) as rows (10, n); absent values and tensors of points are 0."""
    ten = np.zeros((10, len(mass)))
    ten[0] = mass
    if center is not None:
        ten[1:4] = center.T
    if inertia is not None:
        ten[4:] = inertia.T
        ten[4:, is_point] = 0.0
    return ten


def _stated_bounds(shapes: InputShapes, kind: NDArray[np.int8], value: _Floats, is_point: _Mask) -> _Floats:
    """Return low, likely and high ``(3, 10, n)`` of inputs of a ``kind (10, n)``, NaN where no column states them."""
    bounds = np.full((3, *value.shape), np.nan)
    for quantity, stated in shapes.bounds.items():
        bounds[:, quantity] = stated
    bounds[:, 4:, is_point] = np.nan
    low, likely, high = bounds
    top = np.where(np.isnan(likely), value, likely)
    bad = (low > high) | (low > top) | (top > high)
    # a normal or lognormal input has no use for bounds, so it may keep odd ones
    bad &= ~np.isin(kind, (NORMAL, LOGNORMAL))
    if bad.any():
        quantity, item = (int(place[0]) for place in np.nonzero(bad))
        raise UsageError(f"bounds of {PARAMETER_NAMES[quantity]} of item {item} are not in the order low, likely, high")
    return bounds


_Index = NDArray[np.int32]

_MOST_PIECES = 20_000_000  # 320 MB of a _PieceForest

_PieceForest = tuple[_Index, _Index, _Floats]
"""N pieces, parents before children: item, piece of the parent, factor by which the parent counts it, (N,) each.

A parent of −1 is that of the root, of quantity 0, and of what a stated assembly hides.
"""


def is_same_in_every_piece(tree: Tree, inputs: InputDistributions, correlation: Correlation, ends: _Mask) -> _Mask:
    """Return the branches (n,) whose pieces share all uncertainties: n times one; docs/formulas.md, section 6."""
    varies = inputs.varies()
    own = varies.any(axis=0) & (correlation.group == NO_GROUP)
    if not correlation.shares_centers:
        own |= varies[1:4].any(axis=0)
    through = np.ones(len(tree))
    through[(tree.parent >= 0) & (ends & ~tree.is_leaf())[tree.parent]] = 0.0
    same: _Mask = tree.subtree_sums((own & ends).astype(float), through) == 0.0
    return same


def piece_forest(tree: Tree, quantity: ItemQuantity, same: _Mask, ends: _Mask) -> _PieceForest:
    """Return up to 20 million independent pieces, parents first; branches that are the ``same`` (n,) are multiplied."""
    count = quantity.count
    whole = (np.rint(count) == count) & ~quantity.measured & ~same
    repeats = np.where(whole, np.maximum(np.abs(count), 1.0), 1.0)
    factor = np.where(whole, np.sign(count), count)
    if bool((repeats == 1.0).all()):
        parent = tree.parent_position()
        parent[(factor == 0.0)[tree.order] | ends[tree.order[parent]]] = -1
        parent[0] = -1
        return tree.order, parent, factor[tree.order]
    return _repeated_branches(tree, repeats, factor, ends)


def _repeated_branches(tree: Tree, repeats: _Floats, factor: _Floats, ends: _Mask) -> _PieceForest:
    """Return a forest with every branch repeated by its quantity, level by level."""
    frontier, above = tree.order[:1], np.full(1, -1, np.int32)
    items, parents = [frontier], [above]
    total = 1
    while len(frontier):
        positions = tree.position[frontier]
        sizes = tree.n_children[positions]
        owner = np.repeat(np.arange(len(frontier), dtype=np.int32), sizes)
        ramp = np.arange(len(owner), dtype=np.int32) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        child = tree.order[tree.first_child[positions][owner] + ramp]
        detached = (factor[child] == 0.0) | ends[frontier[owner]]
        # a branch with a count of 0 is sampled as one, for its own results
        kept = ~detached | _is_first_occurrence(child)
        child, owner, detached = child[kept], owner[kept], detached[kept]
        times = np.where(detached, 1.0, repeats[child])
        if total + float(times.sum()) > _MOST_PIECES:
            raise UsageError(
                f"quantities give more than {_MOST_PIECES:,} independent pieces (with --correlate part the pieces "
                "of one part are fully correlated and are sampled as one)"
            )
        again = times.astype(np.int64)
        above = np.where(detached, -1, owner + (total - len(frontier))).astype(np.int32)
        frontier, above = np.repeat(child, again), np.repeat(above, again)
        total += len(frontier)
        items.append(frontier)
        parents.append(above)
    item = np.concatenate(items)
    return item, np.concatenate(parents), factor[item]


def _is_first_occurrence(values: _Index) -> _Mask:
    """Return the first occurrences of every value ``(n,)``."""
    first = np.zeros(len(values), bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SumPlan:
    """F families, each after the families inside it."""

    item: _Index  # (F,) assembly of each family
    parent: NDArray[np.intp]  # (F,) family in which it is counted, or −1
    factor: _Floats  # (F,) quantity in that family
    starts: NDArray[np.intp]  # (F + 1,) family f has the parts starts[f]:starts[f + 1]
    part: _Index  # (L,) item of each part
    part_factor: _Floats  # (L,) quantity of each part in its family
    row: NDArray[np.intp]  # (F,) row of its results, −1 for further copies of an assembly
    assemblies: _Index  # (k,) item of each row, ascending


def sum_plan(pieces: _PieceForest, inner: _Mask, alone: _Index) -> SumPlan:
    """Return the order of the sums and their parts; ``alone`` (a,) are further items, each a family of one part."""
    piece, parent, factor = pieces
    is_inner = inner[piece]
    order = _heaviest_first_order(np.flatnonzero(is_inner), parent, len(piece))
    place = np.full(len(piece) + 1, _NO_ROW, np.intp)
    place[order] = np.arange(len(order))
    part = np.flatnonzero(~is_inner & (parent >= 0))
    home = place[parent[part]]
    by_home = np.argsort(home, kind="stable")
    part, home = part[by_home], home[by_home]
    item = np.concatenate([piece[order], alone])
    home = np.concatenate([home, len(order) + np.arange(len(alone))])
    first = _is_first_occurrence(item)
    assemblies = np.sort(item[first])
    row = np.where(first, np.searchsorted(assemblies, item), _NO_ROW)
    return SumPlan(
        item,
        np.concatenate([place[parent[order]], np.full(len(alone), _NO_ROW)]),
        np.concatenate([factor[order], np.ones(len(alone))]),
        np.searchsorted(home, np.arange(len(item) + 1)),
        np.concatenate([piece[part], alone]),
        np.concatenate([factor[part], np.ones(len(alone))]),
        row,
        assemblies,
    )


def _heaviest_first_order(families: NDArray[np.intp], parent: _Index, n: int) -> NDArray[np.intp]:
    """Return families so that each follows those inside it, the largest of them first."""
    # the sum of a family is in memory only while its lighter siblings are summed, so at most log2 of their number
    # at a time, however deep the tree is
    weights = [1] * n
    above = parent.tolist()
    for piece in reversed(families.tolist()):
        if above[piece] >= 0:
            weights[above[piece]] += weights[piece]
    by_weight = families[np.argsort(-np.array(weights)[families], kind="stable")]
    children: dict[int, list[int]] = {}
    stack = []
    for piece in by_weight.tolist():
        if above[piece] >= 0:
            children.setdefault(above[piece], []).append(piece)
        else:
            stack.append(piece)
    backwards = []
    while stack:
        piece = stack.pop()
        backwards.append(piece)
        stack += children.get(piece, ())
    return np.array(backwards[::-1], np.intp)
