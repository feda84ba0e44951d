"""Cars: loads of axles and corners, and load transfer."""

from __future__ import annotations

from typing import Any

import numpy as np

from massprops_cli.styles.style import AXIS_KEYS, LENGTH, RATIO, StyleRequest, StyleRows, StyleTable

_AXLES = ("front-axle", "rear-axle", "wheelbase", "track-front", "track-rear")
_DIAGONAL = "diagonal = right front + left rear; other springs or a twisted frame move load between diagonals"
_KEYS = (*AXIS_KEYS, *_AXLES, "centreline", "ground", "acceleration")


def car_tables(request: StyleRequest) -> list[StyleTable]:
    """Lay out axle and corner loads, and axle loads under acceleration (docs/formulas.md, section 15)."""
    keys, (mass, length, _) = request.keys, request.units
    keys.check(_KEYS, keys.values)
    axes = keys.axes(("forward", "left", "up"), ("", "centreline", "ground"), ("up",))
    side = -1.0 if axes.words[0] == "aft" else 1.0  # of forward on the axis of the table
    front, rear = _axle_places(request, side, is_stated=axes.stated[0])
    tracks = np.array([keys.positive(key, LENGTH) for key in _AXLES[3:]])
    for key, other in (_AXLES[3:], _AXLES[:2:-1]):
        keys.require(other, str(keys.values.get(key)), key)
    stated = np.ravel(np.array(keys.values.get("acceleration", []), object)).tolist()
    accelerations = np.array([keys.number("acceleration", RATIO, value=one) for one in stated])
    rows = request.totals(axes)
    size = abs(front - rear)
    if not axes.stated[0]:  # the axles show the direction
        words = ["forward" if front > rear else "aft", *axes.words[1:]]
        axes = axes._replace(words=words, stated=[True, *axes.stated[1:]])
    back = (rows.number(1) - front) / (rear - front)
    on_rear = rows.number(0) * back
    table = StyleTable("loads", request.head, rows)
    table.add("mass", mass, rows.number(0))
    table.add("front axle", mass, rows.number(0) - on_rear)
    table.add("rear axle", mass, on_rear)
    table.add("front share", "%", 100 - 100 * back)
    table.notes.append(axes.note(length))
    table.notes.append(f"rear axle = mass × x / L, x aft of the front axle, L = {size:g} {length}".rstrip())
    if np.isfinite(tracks).all() and np.isfinite(rows.values[:, 2]).any():
        _add_corners(table, mass, back, tracks * (-0.5 if axes.words[1] in ("right", "starboard") else 0.5))
    if np.isfinite(rows.values[:, 3]).any():
        table.add("CG height", length, rows.number(3))
    elif len(accelerations):
        keys.report("MP650", "acceleration", "load transfer requires the height of the CG, which is not known")
    for k in np.flatnonzero((back[0].real < 0) | (back[0].real > 1)).tolist():
        message = f"{rows.labels[k]}: CG is outside the wheelbase, and one axle load is negative"
        keys.report("MP654", "front-axle", message)
    return [table, *([_transfer_table(request, rows, back, accelerations, size)] if len(accelerations) else [])]


def _axle_places(request: StyleRequest, side: float, *, is_stated: bool) -> tuple[float, float]:
    """Return the places of both axles on the axis of the table; NaN after a finding."""
    keys, length = request.keys, request.units[1]
    front, rear = (keys.number(key, LENGTH) for key in _AXLES[:2])
    base = keys.positive("wheelbase", LENGTH)
    keys.require("front-axle", '"0 mm", its place on the axis of the table,')
    if "wheelbase" not in keys.values:
        keys.require("rear-axle", '"2700 mm"')
    if "rear-axle" not in keys.values:
        return front, front - side * base
    if front == rear:
        keys.report("MP651", "rear-axle", "wheelbase is 0", "correct the places of the axles")
    elif is_stated and (front - rear) * side < 0:
        text = "axes are contradictory: by forward or aft, the front axle is aft of the rear axle"
        keys.report("MP651", "front-axle", text, "correct the direction or the axles")
    elif abs(abs(front - rear) - base) > 1e-9 * base:
        text = f"wheelbase is not the distance of the axles: {base:g} and {abs(front - rear):g} {length}"
        keys.report("MP651", "wheelbase", text.rstrip(), "state one of them")
    return front, rear


def _add_corners(table: StyleTable, unit: str, back: Any, halves: Any) -> None:
    """Add the four corner loads p = a + b x + c y in equilibrium of force and two moments; half tracks (2,)."""
    # wheels at x = 0 in front and 1 at the rear; the coefficients follow from the sums of p, p x and p y
    places = np.array([[1.0, k // 2, halves[k // 2] * (1 - 2 * (k % 2))] for k in range(4)])
    shares = places @ np.linalg.inv(places.T @ places)
    rows = table.rows
    loads = np.einsum("wj,jsk->wsk", shares, [rows.number(0), rows.number(0) * back, rows.number(0) * rows.number(2)])
    for name, load in zip(("left front", "right front", "left rear", "right rear"), loads, strict=True):
        table.add(name, unit, load)
    table.add("left share", "%", (loads[0] + loads[2]) / rows.number(0) * 100.0)
    table.add("diagonal share", "%", (loads[1] + loads[2]) / rows.number(0) * 100.0)
    table.notes += ["corners: rigid car, four equal springs, plane floor: load = a + b x + c y", _DIAGONAL]


def _transfer_table(request: StyleRequest, rows: StyleRows, back: Any, accelerations: Any, size: float) -> StyleTable:
    """Return axle loads of each state under accelerations in g."""
    n, unit = len(rows.labels), request.units[0]
    order = np.repeat(np.arange(n), len(accelerations))
    each, a = StyleRows([rows.labels[k] for k in order], rows[1][order], rows[2][order]), np.tile(accelerations, n)
    rear, moved = each.number(0) * back[:, order], each.number(0) * each.number(3) * a / size
    table = StyleTable("load transfer", request.head, each)
    table.add("acceleration", "g", a)
    table.add("transfer", unit, moved)
    table.add("front axle", unit, each.number(0) - rear - moved)
    table.add("rear axle", unit, rear + moved)
    table.notes.append("transfer to the rear = mass × h a / L, a in g, positive forward; h above the ground")
    return table
