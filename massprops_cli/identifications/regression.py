"""The regressor of a motion in blocks, and the triangular factors that sum it up, one for each run and coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.rotations import vector_rotations
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.mechanisms.spatial.joint_columns import ROTATION, SECOND_ROTATION, SLIDE
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

_Vector = tuple[Floats, Floats, Floats]  # components (samples,)
BLOCK = 2048  # samples of one block: its arrays stay in the cache


def _cross(a: _Vector, b: _Vector) -> _Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: _Vector, b: _Vector) -> Floats:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _sum(*vectors: _Vector) -> _Vector:
    """Return the sum of vectors."""
    first, *rest = vectors
    x, y, z = first
    for one in rest:
        x, y, z = x + one[0], y + one[1], z + one[2]
    return x, y, z


def _scaled(a: _Vector, factor: Floats | float) -> _Vector:
    """Return a multiple of a vector."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def _turned(rotation: Floats, a: _Vector, *, back: bool = False) -> _Vector:
    """Return rotations (samples, 3, 3), or their inverses, times a vector."""
    x, y, z = (sum((rotation[:, k, i] if back else rotation[:, i, k]) * a[k] for k in range(3)) for i in range(3))
    return x, y, z  # type: ignore[return-value]


def _constant(vector: Floats, count: int) -> _Vector:
    """Return a constant vector as components."""
    return np.full(count, vector[0]), np.full(count, vector[1]), np.full(count, vector[2])


@dataclass(eq=False)
class _Motion:
    """The motion of one body: rotations to ground axes, origin, velocities, accelerations; ground axes."""

    rotation: Floats
    origin: _Vector
    spin: _Vector
    turning: _Vector  # angular acceleration
    moved: _Vector  # acceleration of the origin less gravity


def inertial_regressor(model: SpatialModel, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Return forces ``(samples, f, 10 n)`` of unit parameters of the bodies in the order of the file, SI units."""
    # positions, velocities and accelerations (samples, f) are those of ``SpatialModel``
    count = len(q)
    n = len(model.tree) - 1
    result = np.zeros((count, model.degrees, 10 * n))
    zero = np.zeros((3,))
    still = _constant(zero, count)
    ground = np.broadcast_to(np.eye(3), (count, 3, 3))
    motions = [_Motion(ground, still, still, still, _constant(-model.gravity, count))]
    up = model.tree.parent_position().astype(np.intp)
    own = [np.flatnonzero(model.owner == k) for k in range(n + 1)]
    twists: dict[int, tuple[_Vector, _Vector, _Vector]] = {}  # of a unit rate: angular, linear, at this point
    file_order = np.empty(n + 1, np.intp)
    file_order[model.order] = np.arange(n)
    for k in range(1, n + 1):
        above = motions[up[k]]
        one = _moved_body(model, k, own[k], above, (q, qd, qdd), twists)
        motions.append(one)
        columns: list[int] = []
        position = k
        while position:
            columns += own[position].tolist()
            position = int(up[position])
        at = int(file_order[k]) * 10
        own_axes = _turned(one.rotation, one.spin, back=True), _turned(one.rotation, one.turning, back=True)
        moved = _turned(one.rotation, one.moved, back=True)
        for column in columns:
            angular, linear, point = twists[column]
            arm = _sum(one.origin, _scaled(point, -1.0))
            velocity = _turned(one.rotation, _sum(linear, _cross(angular, arm)), back=True)
            turn = _turned(one.rotation, angular, back=True)
            _set_row(result[:, column, at : at + 10], turn, velocity, own_axes, moved)
    return result


def _set_row(out: Floats, w: _Vector, v: _Vector, turning: tuple[_Vector, _Vector], moved: _Vector) -> None:
    """Set the power of the ten unit parameters for a unit twist (w, v), all in body axes at the origin of the body."""
    spin, gain = turning
    out[:, 0] = _dot(v, moved)
    first = _sum(_cross(v, gain), _cross(_cross(v, spin), spin), _cross(moved, w))
    for i in range(3):
        out[:, 1 + i] = first[i]
    lever = _cross(w, spin)  # w·(ω × I ω) = (w × ω)·I ω
    for column, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), 4):
        value = w[i] * gain[j] + lever[i] * spin[j]
        out[:, column] = value if i == j else value + w[j] * gain[i] + lever[j] * spin[i]


def _moved_body(
    model: SpatialModel,
    k: int,
    own: NDArray[np.intp],
    above: _Motion,
    motion: tuple[Floats, Floats, Floats],
    twists: dict[int, tuple[_Vector, _Vector, _Vector]],
) -> _Motion:
    """Return the motion of the body at position ``k``, and set the twists of its coordinates."""
    q, qd, qdd = motion
    count, columns = len(q), model.columns
    vectors = np.zeros((3, count, 3))
    for c in own:
        vectors[columns.what[c]] += q[:, c, None] * columns.axis[c]
        vectors[SLIDE] += q[:, c, None] * columns.axis[c] * columns.pitch[c]
    turn = vector_rotations(vectors[ROTATION])
    if vectors[SECOND_ROTATION].any():
        turn = turn @ vector_rotations(vectors[SECOND_ROTATION])
    rotation = above.rotation @ (turn @ model.turns[k])
    slide = model.points[0][k] + vectors[SLIDE]
    to_point = _turned(above.rotation, (slide[:, 0], slide[:, 1], slide[:, 2]))
    from_point = _turned(rotation, _constant(-model.points[1][k], count))
    point = _sum(above.origin, to_point)
    directions = []
    for c in own:
        axis = _turned(rotation if columns.in_body[c] else above.rotation, _constant(columns.local[c], count))
        is_slide = columns.what[c] == SLIDE
        angular = _scaled(axis, 0.0 if is_slide else 1.0)
        linear = _scaled(axis, 1.0 if is_slide else float(columns.pitch[c]))
        twists[int(c)] = angular, linear, point
        directions.append((angular, linear))
    pairs = list(zip(own, directions, strict=True))
    spin = _sum(above.spin, *(_scaled(angular, qd[:, c]) for c, (angular, _) in pairs))
    turning, moved = above.turning, above.moved
    sliding = _constant(np.zeros(3), count)
    for c, (angular, linear) in pairs:
        carrier = spin if columns.in_body[c] else above.spin
        turning = _sum(turning, _scaled(angular, qdd[:, c]), _scaled(_cross(carrier, angular), qd[:, c]))
        relative = _sum(carrier, _scaled(above.spin, -1.0))
        moved = _sum(moved, _scaled(linear, qdd[:, c]), _scaled(_cross(relative, linear), qd[:, c]))
        sliding = _sum(sliding, _scaled(linear, qd[:, c]))
    moved = _sum(
        moved,
        _cross(above.turning, to_point),
        _cross(above.spin, _cross(above.spin, to_point)),
        _scaled(_cross(above.spin, sliding), 2.0),
        _cross(turning, from_point),
        _cross(spin, _cross(spin, from_point)),
    )
    return _Motion(rotation, _sum(point, from_point), spin, turning, moved)


def machine_regressor(machine: Machine, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Return forces ``(samples, m, 10 n + terms)`` of the independent coordinates; terms by ``term_names``."""
    inertial = inertial_regressor(machine.model, q, qd, qdd)
    if len(machine.independent) < machine.model.degrees or bool(
        (machine.coupling != np.eye(len(machine.coupling))).any()
    ):
        inertial = np.einsum("jz,sjp->szp", machine.coupling, inertial)
    single = machine.single
    terms = machine.settings.terms
    extra = np.zeros((len(q), len(machine.independent), len(single) * len(terms)))
    for at, k in enumerate(single):
        c = machine.independent[k]
        factors: dict[str, Any] = {
            "armature": qdd[:, c], "viscous": qd[:, c], "coulomb": np.sign(qd[:, c]), "offset": 1.0, "spring": q[:, c],
        }  # fmt: skip
        for j, term in enumerate(terms):
            extra[:, k, at * len(terms) + j] = factors[term]
    return np.concatenate([inertial, extra], axis=2)


def term_names(machine: Machine) -> list[str]:
    """Return the names of the parameters of joints, such as ``viscous_elbow``."""
    return [f"{term}_{machine.names[k]}" for k in machine.single for term in machine.settings.terms]


def upper_factor(rows: Floats, before: Floats | None = None) -> Floats:
    """Return R of a QR factorisation of rows below an earlier factor."""
    stacked = rows if before is None else np.vstack([before, rows])
    if len(stacked) <= stacked.shape[1]:
        return stacked
    return np.asarray(np.linalg.qr(stacked, mode="r"))
