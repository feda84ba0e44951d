"""The precise oracle: exact results as functions of every input, differentiated in 60 digits.

No formula of error propagation is used but the first, sigma² = Σ_ij (∂f/∂x_i) s_i ρ_ij s_j (∂f/∂x_j). Each piece of
each part is a body of its own, and the results come from textbook mechanics about the origin: 60 digits make that safe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp, mpf

from tests.oracles.case import ALONE, Case
from tests.oracles.flat import correlations

DIGITS = 60
STEP = mpf(10) ** -20
Number = Any
Result = Callable[[Number, list[Number], list[Number]], Number]
"""A number computed from mass, centre and the six entries of the tensor about that centre."""
Source = tuple[str, int, int]
"""Where an error comes from: a piece or a group, its number, and which of the ten quantities."""


@dataclass
class Piece:
    """One body of a tree: its ten values, its sigmas, how much of it counts, and where its errors come from."""

    ten: list[Number]
    sigma: list[Number]
    factor: Number
    sources: list[Source]


def pieces(case: Case, node: int) -> list[Piece]:
    """Write every piece below a node out, each copy of an assembly with copies of its parts."""
    found: list[Piece] = []
    waiting: list[tuple[int, Number]] = [(node, mpf(1))]
    while waiting:
        item, factor = waiting.pop()
        if case.is_end(item):
            found.append(piece(case, item, factor, len(found)))
            continue
        for child in case.children[item]:
            count = float(case.count[child])
            if case.measured[child]:
                waiting.append((child, factor * mpf(count)))
            else:
                assert count == int(count)
                waiting += [(child, factor if count > 0 else -factor)] * abs(int(count))
    return found


def piece(case: Case, item: int, factor: Number, number: int) -> Piece:
    """One piece of an item; its errors are its group's where they are shared."""
    ten = [mpf(float(x)) for x in (*case.ten[item, :4], *case.own_tensor(item))]
    group = int(case.group[item])
    shared = [group != ALONE and (case.shares_centers or not 1 <= k <= 3) for k in range(10)]
    sources = [("group", group, k) if shared[k] else ("piece", number, k) for k in range(10)]
    return Piece(ten, [mpf(float(s)) for s in case.own_sigma(item)], factor, sources)


def body(case: list[Piece], source: Source | None = None, deviate: Number = 0) -> tuple[Number, list, list]:
    """Mass, centre and tensor about it, where one source of errors is at ``deviate`` standard deviations."""
    mass, h, j = mpf(0), [mpf(0)] * 3, [mpf(0)] * 6
    for one in case:
        ten = [x + deviate * s if at == source else x for x, s, at in zip(one.ten, one.sigma, one.sources, strict=True)]
        m = one.factor * ten[0]
        mass += m
        h = [a + m * x for a, x in zip(h, ten[1:4], strict=True)]
        j = [a + one.factor * own + m * x for a, own, x in zip(j, ten[4:], steiner(ten[1:4]), strict=True)]
    center = [a / mass for a in h]
    return mass, center, [a - mass * x for a, x in zip(j, steiner(center), strict=True)]


def steiner(v: list[Number]) -> list[Number]:
    """The entries of |v|² 1 − v vᵀ."""
    x, y, z = v
    return [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]


def sigmas(case: Case, node: int, results: list[Result]) -> list[float]:
    """The standard deviations of some results of an item, to first order."""
    with mp.workdps(DIGITS):
        parts = pieces(case, node)
        slopes = {}
        for source in sorted({at for one in parts for at in one.sources}):
            high, low = body(parts, source, STEP), body(parts, source, -STEP)
            slopes[source] = [(result(*high) - result(*low)) / (2 * STEP) for result in results]
        related = [(s, t, r) for s in slopes for t in slopes if (r := rho(case, s, t))]
        variances = (sum((slopes[s][k] * r * slopes[t][k] for s, t, r in related), mpf(0)) for k in range(len(results)))
        return [float(mp.sqrt(max(variance, mpf(0)))) for variance in variances]


def values(case: Case, node: int, results: list[Result]) -> list[float]:
    """Some results of an item."""
    with mp.workdps(DIGITS):
        found = body(pieces(case, node))
        return [float(result(*found)) for result in results]


def rho(case: Case, one: Source, other: Source) -> float:
    """The correlation of two sources."""
    if one == other:
        return 1.0
    (kind, g, k), (other_kind, h, other_k) = one, other
    if kind == other_kind == "group" and k == other_k:
        return float(correlations(case, g, h)[k])
    return 0.0


def entry(a: int) -> Result:
    """Entry a of the tensor."""
    return lambda _m, _c, tensor: tensor[a]


def coordinate(a: int) -> Result:
    """Coordinate a of the centre."""
    return lambda _m, center, _t: center[a]


def radius(a: int) -> Result:
    """Radius of gyration about axis a through the centre."""
    return lambda mass, _c, tensor: mp.sqrt(tensor[a] / mass)


def principal(k: int) -> Result:
    """Principal moment k, ascending."""

    def moment(_m: Number, _c: list, tensor: list) -> Number:
        xx, yy, zz, xy, xz, yz = tensor
        return mp.eigsy(mp.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), eigvals_only=True)[k]

    return moment


def about(point: list[float], a: int) -> Result:
    """Entry a of the tensor about a fixed point."""

    def moment(mass: Number, center: list, tensor: list) -> Number:
        return tensor[a] + mass * steiner([x - p for x, p in zip(center, point, strict=True)])[a]

    return moment


def mass(m: Number, _c: list, _t: list) -> Number:
    """The mass itself."""
    return m


TEN: list[Result] = [mass, *map(coordinate, range(3)), *map(entry, range(6))]
RADII: list[Result] = [radius(a) for a in range(3)]
PRINCIPAL: list[Result] = [principal(k) for k in range(3)]
