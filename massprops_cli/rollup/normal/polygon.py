"""A polygon in a plane: whether a point lies in it, where its edges are at a height, whether they cross.

Even–odd rule: a ray from a point inside crosses the edges an odd number of times. A point on an edge is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

Point = tuple[float, float]
Edge = tuple[Point, Point]


def edges(corners: Sequence[Point]) -> list[Edge]:
    """Give the edges of a polygon; the last leads back to the first corner."""
    return list(pairwise([*corners, corners[0]]))


def abscissas_at(corners: Sequence[Point], height: float) -> list[float]:
    """Give where the edges are at a height, in ascending order; nothing above and below the polygon.

    >>> abscissas_at([(0.0, 0.0), (4.0, 0.0), (2.0, 2.0)], 1.0)
    [1.0, 3.0]
    """
    found: set[float] = set()
    for (x0, y0), (x1, y1) in edges(corners):
        if y0 == y1 == height:
            found |= {x0, x1}
        elif min(y0, y1) <= height <= max(y0, y1) and y0 != y1:
            found.add(x0 + (x1 - x0) * ((height - y0) / (y1 - y0)))
    return sorted(found)


def is_inside(corners: Sequence[Point], x: float, y: float) -> bool:
    """Tell whether a point lies in a polygon or on its edge.

    >>> square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    >>> is_inside(square, 2.0, 2.0), is_inside(square, 4.0, 1.0), is_inside(square, 4.1, 1.0)
    (True, True, False)
    """
    if x in abscissas_at(corners, y):
        return True
    crossed = False
    for (x0, y0), (x1, y1) in edges(corners):
        if y0 == y1 == y and min(x0, x1) <= x <= max(x0, x1):
            return True
        if (y0 > y) != (y1 > y) and x < x0 + (x1 - x0) * ((y - y0) / (y1 - y0)):
            crossed = not crossed
    return crossed


def crossing(corners: Sequence[Point]) -> tuple[int, int] | None:
    """Give the numbers of two edges, from 0, that cross each other; None for a polygon whose inside is one.

    >>> crossing([(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)])
    (0, 2)
    """
    for (i, (a, b)), (j, (c, d)) in combinations(enumerate(edges(corners)), 2):
        if turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0:
            return i, j
    return None


def is_flat(corners: Sequence[Point]) -> bool:
    """Tell whether all corners stand on one line, so that nothing is inside.

    >>> is_flat([(0.0, 0.0), (1.0, 1.0), (3.0, 3.0)])
    True
    """
    return all(turn(corners[0], b, c) == 0 for b, c in combinations(corners[1:], 2))


def turn(a: Point, b: Point, c: Point) -> int:
    """Give 1 where the way from a over b to c turns left, -1 where right, 0 on a line but for rounding."""
    one, other = (b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])
    if abs(one - other) <= 1e-12 * (abs(one) + abs(other)):
        return 0
    return 1 if one > other else -1
