"""Views of bodies along the axes: centre of mass in its box with its σ ellipse, and the ellipsoid of inertia."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.reports.pictures.svg import Picture, Scale

_Floats = NDArray[np.float64]
VIEWS = ((0, 1), (0, 2), (1, 2))
"""Axes across and up of the three views."""
_SIDE, _EDGE = 300.0, 46.0  # of a view, and of the space around its drawing
COVERAGE_95 = math.sqrt(-2 * math.log(0.05))
"""k of the ellipse of k σ that covers 95 % of a normal distribution in two dimensions: 2.4477."""


class CenterView(NamedTuple):
    """What the views of a centre show; branches have id, centre (3,) and share of the mass."""

    name: str
    center: _Floats  # (3,)
    covariance: _Floats | None  # (3, 3)
    box: Sequence[tuple[float, float]]  # lowest and highest coordinate of each axis, infinite without a limit
    axes: _Floats | None  # (3, 3), a unit vector a row
    branches: Sequence[tuple[str, _Floats, float]]
    unit: str
    checked: _Floats | None = None  # (3,), where its limits are those of another centre: the predicted one

    @property
    def has_detail(self) -> bool:
        """Whether there is a limit or a σ to show near the centre."""
        return self.covariance is not None or any(math.isfinite(end) for pair in self.box for end in pair)


def _shadow_ellipse(
    matrix: _Floats, across: int, up: int, k: float = 1.0, points: int = 72
) -> list[tuple[float, float]]:
    """Return points of the shadow of an ellipsoid with a matrix (3, 3) on a view, about 0: P S Pᵀ with the same k."""
    part = matrix[np.ix_([across, up], [across, up])]
    values, vectors = np.linalg.eigh(part)
    turned = vectors * np.sqrt(np.maximum(values, 0.0)) * k
    angles = np.linspace(0, 2 * math.pi, points, endpoint=False)
    found = turned @ np.vstack([np.cos(angles), np.sin(angles)])
    return [(float(x), float(y)) for x, y in found.T]


def _scales(across: Sequence[float], up: Sequence[float]) -> tuple[Scale, Scale]:
    """Return scales of both axes with the same size of a unit."""
    ends = [(min(one), max(one)) for one in (across, up)]
    size = max(high - low for low, high in ends) or max(abs(v) for pair in ends for v in pair) or 1.0
    size *= 1.2
    middles = [(low + high) / 2 for low, high in ends]
    x = Scale(middles[0] - size / 2, middles[0] + size / 2, _EDGE, _SIDE - 14, 4)
    return x, Scale(middles[1] - size / 2, middles[1] + size / 2, _SIDE - _EDGE, 26, 5)


def _frame(title: str, description: str, names: tuple[str, str], scales: tuple[Scale, Scale]) -> Picture:
    """Draw the axes of a view."""
    picture = Picture(title, description, _SIDE, _SIDE)
    picture.x_axis(scales[0], _SIDE - _EDGE, names[0], top=26)
    picture.y_axis(scales[1], _EDGE, "", right=_SIDE - 14)
    picture.text(6, 16, names[1], "muted", 11)
    return picture


def center_picture(view: CenterView, across: int, up: int, *, is_detail: bool) -> Picture:
    """Draw the centre of mass along an axis: with its limits and σ ellipse, or with branches and principal axes."""
    names = tuple(f"C{'xyz'[k]} [{view.unit}]" if view.unit else f"C{'xyz'[k]}" for k in (across, up))
    words = f"{names[1]} over {names[0]}"
    x0, y0 = float(view.center[across]), float(view.center[up])
    ellipse: list[tuple[float, float]] = []
    if is_detail and view.covariance is not None:
        ellipse = [(x0 + x, y0 + y) for x, y in _shadow_ellipse(view.covariance, across, up, COVERAGE_95)]
    ends = [[v for v in view.box[k] if math.isfinite(v)] if is_detail else [] for k in (across, up)]
    spots = [] if is_detail else [(float(c[across]), float(c[up])) for _, c, _ in view.branches]
    if is_detail and view.checked is not None:
        spots = [(float(view.checked[across]), float(view.checked[up]))]
    xs = [x0, *ends[0], *(x for x, _ in ellipse), *(x for x, _ in spots)]
    ys = [y0, *ends[1], *(y for _, y in ellipse), *(y for _, y in spots)]
    scales = _scales(xs, ys)
    x, y = scales
    description = f"Centre of mass at {x0:.5g}, {y0:.5g} {view.unit}."
    if is_detail:
        limits = [f"{end:.5g}" for pair in ends for end in pair]
        description += f" Limits drawn as dashed lines: {', '.join(limits)}." if limits else " No limits."
        title = f"Centre of mass of {view.name}, limits and σ, {words}"
    else:
        listed = [f"{name} {share:.0%}" for name, _, share in view.branches[:6]]
        description += f" Dots: {', '.join(listed)}." if listed else ""
        title = f"Centre of mass of {view.name} and its branches, {words}"
    picture = _frame(title, description, (names[0], names[1]), scales)
    if is_detail:
        _draw_box(picture, view, (across, up), scales)
        for a, b in spots:
            picture.dot(x(a), y(b), "purple", 4.0, f"predicted centre {a:.5g}, {b:.5g}", edge="paper")
        if ellipse:
            picture.area(
                [(x(a), y(b)) for a, b in ellipse], "blue", "95 % ellipse, k = 2.448", opacity=0.2, edge="blue"
            )
    else:
        _draw_branches(picture, view, (across, up), scales)
        _draw_axes(picture, view, (across, up), scales)
    picture.line(((x(x0) - 6, y(y0)), (x(x0) + 6, y(y0))), "red", 1.8)
    picture.line(((x(x0), y(y0) - 6), (x(x0), y(y0) + 6)), "red", 1.8)
    return picture


def _draw_box(picture: Picture, view: CenterView, axes: tuple[int, int], scales: tuple[Scale, Scale]) -> None:
    """Draw each limit of a view as a dashed line."""
    x, y = scales
    for end in view.box[axes[0]]:
        if math.isfinite(end):
            picture.line(((x(end), y.start), (x(end), y.end)), "orange", 1.5, f"limit {end:.6g}", dash="6 3")
    for end in view.box[axes[1]]:
        if math.isfinite(end):
            picture.line(((x.start, y(end)), (x.end, y(end))), "orange", 1.5, f"limit {end:.6g}", dash="6 3")


def _draw_branches(picture: Picture, view: CenterView, axes: tuple[int, int], scales: tuple[Scale, Scale]) -> None:
    """Draw the branches as dots whose areas are their masses; a label is drawn where no other one is."""
    x, y = scales
    used: list[tuple[float, float]] = []
    for name, center, share in view.branches:
        at = x(float(center[axes[0]])), y(float(center[axes[1]]))
        picture.dot(
            *at, "blue", 2.5 + 11 * math.sqrt(max(share, 0.0)), f"{name}, {share:.1%} of the mass", edge="paper"
        )
        width = 7.0 * min(len(name), 10)
        is_left = at[0] + 9 + width > _SIDE
        place = at[0] - 9 - width if is_left else at[0] + 9
        if all(abs(place - u) > 58 or abs(at[1] - v) > 12 for u, v in used):
            picture.text(
                at[0] - 8 if is_left else at[0] + 8, at[1] - 4, name[:10], size=10, anchor="end" if is_left else "start"
            )
            used.append((place, at[1]))


def _draw_axes(picture: Picture, view: CenterView, axes: tuple[int, int], scales: tuple[Scale, Scale]) -> None:
    """Draw the shadows of the principal axes through the centre."""
    if view.axes is None or not np.isfinite(view.axes).all():
        return
    x, y = scales
    at = np.array([x(float(view.center[axes[0]])), y(float(view.center[axes[1]]))])
    for k, axis in enumerate(view.axes):
        reach = 42 * np.array([axis[axes[0]], -axis[axes[1]]])
        if np.hypot(*reach) > 6:
            ends = [tuple((at - reach).tolist()), tuple((at + reach).tolist())]
            picture.line(ends, "green", 1.2, f"principal axis {k + 1}")
            picture.text(
                float(at[0] + 1.15 * reach[0]), float(at[1] + 1.15 * reach[1]) + 4, str(k + 1), "green", 11, "middle"
            )


def ellipsoid_matrix(mass: float, moments: _Floats, axes: _Floats) -> _Floats | None:
    """Return the matrix (3, 3) of the solid ellipsoid of the same mass and moments (3,); None if there is none."""
    # half axes a_i = √(5 (I_j + I_k − I_i) / 2 m)
    if not (mass > 0 and np.isfinite(moments).all() and np.isfinite(axes).all()):
        return None
    squares = 5 * (moments.sum() - 2 * moments) / (2 * mass)
    if (squares < -1e-9 * abs(squares).max()).any():
        return None
    return np.asarray(axes.T @ np.diag(np.maximum(squares, 0.0)) @ axes)


def ellipsoid_picture(name: str, matrix: _Floats, axes: tuple[int, int], unit: str) -> Picture:
    """Draw the shadow of the equivalent ellipsoid (3, 3) on a view, about the centre of mass."""
    across, up = axes
    names = tuple(f"{'xyz'[k]} [{unit}]" if unit else "xyz"[k] for k in axes)
    points = _shadow_ellipse(matrix, across, up)
    scales = _scales([x for x, _ in points], [y for _, y in points])
    reach = [math.sqrt(float(matrix[k, k])) for k in axes]
    text = f"It reaches ±{reach[0]:.4g} across and ±{reach[1]:.4g} {unit} up from the centre of mass.".replace(
        "  ", " "
    )
    title = f"Equivalent ellipsoid of {name}, {names[1]} over {names[0]}"
    picture = _frame(title, text, (names[0], names[1]), scales)
    x, y = scales
    picture.area(
        [(x(a), y(b)) for a, b in points], "teal-tint", "solid ellipsoid of the same mass and inertia", edge="teal"
    )
    picture.dot(x(0.0), y(0.0), "red", 3, "centre of mass")
    return picture


def side_by_side(title: str, pictures: Sequence[Picture]) -> Picture:
    """Put pictures next to each other in one."""
    width, height = sum(one.width for one in pictures), max(one.height for one in pictures)
    whole, x = Picture(title, " ".join(one.description for one in pictures), width, height), 0.0
    for one in pictures:
        moved = [shape._replace(points=tuple((a + x, b) for a, b in shape.points)) for shape in one.shapes]
        whole.shapes += moved
        x += one.width
    return whole
