"""Runs of narrow levels, such as a chain 100,000 deep: one item at a time in plain floats.

An array operation on three items costs as much as on three hundred, so here the same terms are added up
without arrays.
"""

from __future__ import annotations

import numpy as np

from massprops_cli.rollup.cancelling import CANCELS, Cancelling
from massprops_cli.rollup.points import Points
from massprops_cli.rollup.state import (
    COUNT,
    COVARIANCE,
    MASS,
    OFFSET,
    REFERENCE,
    TENSOR,
    VAR_MASS,
    VAR_MOMENT,
    VAR_TENSOR,
    VAR_WEIGHT,
    Working,
)
from massprops_cli.rollup.terms import (
    first_moment_terms,
    moment_variance_terms,
    tensor_terms,
    tensor_variance_terms,
)
from massprops_cli.tree.tree import Tree

ZERO = (0.0, 0.0, 0.0)
Row = list[float]


def combine_narrow(working: Working, tree: Tree, low: int, high: int, cancelled: Cancelling, points: Points) -> None:
    """Fill in the parents at positions ``low:high``, deepest first, from children anywhere below."""
    centers, tensors = working.has_centers, working.has_tensors
    first = tree.first_child[low:high].tolist()
    count = tree.n_children[low:high].tolist()
    end = max((f + c for f, c in zip(first, count, strict=True) if c), default=high)
    rows: list[Row] = working.load(low, end).T.tolist()
    moments: dict[int, tuple[float, float, float]] = {}
    if cancelled.moment is not None:
        for p in (low + np.flatnonzero(cancelled.is_cancelled[low:end])).tolist():
            moments[p - low] = tuple(cancelled.moment[:, p].tolist())
    sizes = None if cancelled.size is None else cancelled.size[low:end].tolist()
    marked: list[tuple[int, tuple[float, float, float]]] = []
    is_point = points.is_point[low:end].tolist() if points.any else None
    for k in range(high - low - 1, -1, -1):
        if count[k] == 0:
            continue
        begin = first[k] - low
        if count[k] == 1 and begin not in moments and rows[begin][COUNT] == 1.0 and rows[begin][MASS] != 0.0:
            only_child(rows[k], rows[begin])
            if sizes is not None:
                sizes[k] = sizes[begin]
            if is_point is not None:
                is_point[k] = is_point[begin]
            continue
        children = range(begin, begin + count[k])
        size = None
        if sizes is not None:
            size = sizes[k] = sum(abs(rows[c][COUNT]) * sizes[c] for c in children)
        moment = combine_one(rows, k, children, moments, size, centers=centers, tensors=tensors)
        if moment is not None:
            moments[k] = moment
            marked.append((low + k, moment))
        if is_point is not None and centers and stands_at_one_place(rows, children, is_point, points.tolerance):
            is_point[k] = True
            rows[k][TENSOR] = [0.0] * 6
            if len(rows[k]) > VAR_WEIGHT:
                rows[k][VAR_TENSOR] = [0.0] * 6
    inner = low + np.flatnonzero(tree.n_children[low:high])
    working.sums[:, working.rank[inner]] = np.array([rows[k] for k in (inner - low).tolist()]).T
    if sizes is not None and cancelled.size is not None:
        cancelled.size[low:high] = sizes[: high - low]
    if is_point is not None:
        points.is_point[low:high] = is_point[: high - low]
    for p, moment in marked:
        cancelled.mark(np.array([p]), np.array(moment)[:, None])


def stands_at_one_place(rows: list[Row], children: range, is_point: list[bool], tolerance: float) -> bool:
    """Tell whether all children that count are point masses at the place of the first leaf."""
    reference = rows[children[0]][REFERENCE]
    counted = [c for c in children if rows[c][COUNT] != 0.0]
    return bool(counted) and all(
        is_point[c]
        and all(
            abs(own - first + offset) <= tolerance
            for own, first, offset in zip(rows[c][REFERENCE], reference, rows[c][OFFSET], strict=True)
        )
        for c in counted
    )


def only_child(row: Row, child: Row) -> None:
    """An assembly of one piece is that piece: it stands at its own centre, so nothing is moved."""
    kept, weight = row[COUNT], row[VAR_WEIGHT] if len(row) > VAR_WEIGHT else 0.0
    row[:] = child
    row[COUNT] = kept
    if len(row) > VAR_WEIGHT:
        row[VAR_WEIGHT] = weight
        row[COVARIANCE] = ZERO


def combine_one(
    rows: list[Row],
    k: int,
    children: range,
    moments: dict[int, tuple[float, float, float]],
    size: float | None,
    *,
    centers: bool,
    tensors: bool,
) -> tuple[float, float, float] | None:
    """Combine one family into row ``k``; gives the first moment when its masses cancel."""
    row = rows[k]
    with_sigmas = len(row) > VAR_WEIGHT
    total = sum(rows[c][COUNT] * rows[c][MASS] for c in children)
    gone = total == 0 if size is None else abs(total) <= CANCELS * size
    if gone:
        total = 0.0
    row[MASS] = total
    if with_sigmas:
        row[VAR_MASS] = sum(rows[c][VAR_WEIGHT] * rows[c][VAR_MASS] for c in children)
    if not centers:
        return None
    rx, ry, rz = reference = rows[children[0]][REFERENCE]
    places = []
    hx = hy = hz = 0.0
    for c in children:
        child = rows[c]
        x, y, z = child[1] - rx + child[4], child[2] - ry + child[5], child[3] - rz + child[6]
        places.append((x, y, z))
        n = child[COUNT]
        m = n * child[MASS]
        ax, ay, az = moments.get(c, ZERO)
        hx, hy, hz = hx + m * x + n * ax, hy + m * y + n * ay, hz + m * z + n * az
    ox, oy, oz = (0.0, 0.0, 0.0) if gone else (hx / total, hy / total, hz / total)
    row[REFERENCE] = reference
    row[OFFSET] = [ox, oy, oz]
    combine_one_about(rows, row, children, [(x - ox, y - oy, z - oz) for x, y, z in places], moments, tensors=tensors)
    return (hx, hy, hz) if gone else None


def combine_one_about(
    rows: list[Row],
    row: Row,
    children: range,
    places: list[tuple[float, float, float]],
    moments: dict[int, tuple[float, float, float]],
    *,
    tensors: bool,
) -> None:
    """Second pass of one family, about its centre."""
    with_sigmas = len(row) > VAR_WEIGHT
    tensor, var_h, var_i = [0.0] * 6, [0.0] * 3, [0.0] * 9
    for c, d in zip(children, places, strict=True):
        child = rows[c]
        if tensors:
            added = tensor_terms(child[COUNT], child[MASS], d, child[TENSOR])
            tensor = [a + b for a, b in zip(tensor, added, strict=True)]
            if c in moments:
                added = first_moment_terms(child[COUNT], d, moments[c])
                tensor = [a + b for a, b in zip(tensor, added, strict=True)]
        if with_sigmas:
            weight, var_m, moment = child[VAR_WEIGHT], child[VAR_MASS], child[VAR_MOMENT]
            added = moment_variance_terms(weight, var_m, moment, d)
            var_h = [a + b for a, b in zip(var_h, added, strict=True)]
            if tensors:
                added = tensor_variance_terms(weight, var_m, moment, child[VAR_TENSOR], d)
                var_i = [a + b for a, b in zip(var_i, added, strict=True)]
    if tensors:
        row[TENSOR] = tensor
    if with_sigmas:
        row[VAR_MOMENT] = var_h
        row[VAR_TENSOR] = var_i[:6]
        row[COVARIANCE] = var_i[6:]
