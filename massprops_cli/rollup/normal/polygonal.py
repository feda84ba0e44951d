"""The probability that two normal variables lie in a polygon.

The variables are scaled and turned until they are independent, which leaves a polygon a polygon. By Green's theorem the
integral over it is one along its edges, ∮ Phi(x) phi(y) dy, which is taken by Gauss–Legendre, each edge cut where it
enters and leaves what a normal variable reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.normal.line import phi, phi_of
from massprops_cli.rollup.normal.polygon import Point, edges, is_inside
from massprops_cli.rollup.normal.quadrature import REACH, nodes_between

Floats = NDArray[np.float64]

FLAT = 1e-12
"""An eigenvalue of a correlation matrix below this is rounding: one variable follows from the other."""
STEPS = np.array([-REACH, -REACH / 3, 0.0, REACH / 3, REACH])
"""Between these, in standard deviations, Phi and phi are smooth enough for one piece."""


def in_polygon(center: Floats, covariance: Floats, corners: Sequence[Point]) -> float:
    """Give P(X in the polygon) for X normal about ``center (2,)`` with ``covariance (2, 2)``.

    ``corners (k, 2)`` go around once, either way, without crossing; the last need not be the first. The covariance may
    be singular: then X stands on a line, or is certain. Exact to about 1e-13.

    >>> square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    >>> f"{in_polygon(np.zeros(2), np.eye(2), square):.12f}", f"{0.682689492137 ** 2:.12f}"
    ('0.466064942674', '0.466064942674')
    """
    sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(sigma > 0, sigma, 1.0)
    spread, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    along = axes * np.sqrt(np.maximum(spread, 0.0)) * scale[:, None]
    moves = spread > FLAT
    if not moves.all():
        way = along[:, moves].sum(axis=1)
        return on_a_line((float(center[0]), float(center[1])), (float(way[0]), float(way[1])), corners)
    turned = ((np.array(corners) - center) / scale) @ axes / np.sqrt(spread)
    whole = sum(along_edge(start, end) for start, end in edges([(float(x), float(y)) for x, y in turned]))
    return float(np.clip(abs(whole), 0.0, 1.0))


def along_edge(start: Point, end: Point) -> float:
    """Give ∫ Phi(x) phi(y) dy along an edge, for independent standard normal variables."""
    (x0, y0), (x1, y1) = start, end
    low, high = np.clip([min(y0, y1), max(y0, y1)], -REACH, REACH).tolist()
    if low == high:
        return 0.0
    slope = (x1 - x0) / (y1 - y0)
    x, at = min(start, end, key=lambda corner: abs(corner[0]) + abs(corner[1]))  # the far one has fewer digits left
    passed = at + (STEPS - x) / slope if slope else STEPS
    y, weights = nodes_between(low, high, np.concatenate([STEPS, passed]))
    density = np.exp(-0.5 * y * y) / np.sqrt(2 * np.pi)
    area = float(np.sum(weights * density * phi_of(x + slope * (y - at))))
    return area if y1 > y0 else -area


def on_a_line(center: Point, way: Point, corners: Sequence[Point]) -> float:
    """Give the probability for X = center + way · t with one standard normal t: the stretches inside the polygon."""
    (x, y), (u, v) = center, way
    met = [-REACH, REACH]
    for (x0, y0), (x1, y1) in edges(corners):
        across = (x1 - x0) * v - (y1 - y0) * u
        if across:
            met.append(((x1 - x0) * (y0 - y) - (y1 - y0) * (x0 - x)) / across)
    stops = sorted({min(max(t, -REACH), REACH) for t in met})
    inside = [(a, b) for a, b in pairwise(stops) if is_inside(corners, x + u * (a + b) / 2, y + v * (a + b) / 2)]
    return min(1.0, sum(phi(b) - phi(a) for a, b in inside))
