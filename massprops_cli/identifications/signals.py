"""Filters of measured motions, with the cut-off from the data, and regressors of the filtered motion in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.rotations import cross_matrices, vector_rotations
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.runs import Run
from massprops_cli.mechanisms.spatial.joint_columns import ROTATION, SECOND_ROTATION, SLIDE
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

_ABOVE_NOISE = 30.0  # power, as a multiple of the noise floor, that is motion
_AT_REST = 1e-6  # rad or m of travel
_SHARE = 0.2  # largest cut-off, as a share of the sample rate: differences are exact to 4e-4 there
_ORDER = 4  # of the Butterworth filter, which runs forward and backward
_ROLLOFF = 0.3  # of the root raised cosine
_REACH = 10  # its half length, in samples of the decimated rate
# central differences of order 8 for the first and second derivative, at 1, 2, 3, 4 steps; and at the sample
_FIRST = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
_SECOND, _MIDDLE = (8 / 5, -1 / 5, 8 / 315, -1 / 560), -205 / 72


@dataclass(frozen=True)
class Filtering:
    """The cut-off in Hz, why, and how many samples become one."""

    cutoff: float
    reason: str
    decimation: int
    step: float  # s, of the data

    @property
    def gain(self) -> float:
        """The factor of the filter before decimation on a constant: its energy, not its sum, is 1."""
        return float(_root_raised_cosine(self.decimation).sum())


def require_scipy() -> None:
    """Raise UsageError without SciPy."""
    try:
        import scipy.signal  # noqa: F401
    except ImportError:
        raise UsageError("identify needs SciPy; install the extra: pip install 'massprops[identify]'") from None


def choose_filter(machine: Machine, runs: Sequence[Run], findings: Findings) -> Filtering:
    """Choose the cut-off for all runs: above the motion of the positions, below their noise."""
    step = float(np.median([run.step for run in runs]))
    for run in runs:
        if abs(run.step / step - 1) > 0.01:
            message = f"runs have different sample rates: {1 / run.step:.5g} Hz and {1 / step:.5g} Hz"
            findings.report("MP893", message, Place(run.file), remedy="identify with runs of one sample rate")
            raise TableError(findings)
    rate, most = 1 / step, _SHARE / step
    if machine.settings.cutoff:
        cutoff, reason = min(machine.settings.cutoff, most), "stated in [identify]"
    else:
        shortest = min(part.stop - part.start for run in runs for part in run.parts) * step
        tried = np.geomspace(min(4 / shortest, most / 2), most, 80)
        spectra = [(run, k, one) for run in runs for k in machine.independent if (one := _spectrum(run, k, rate))]
        if not spectra:
            findings.report("MP893", "no coordinate moves", Place(runs[0].file))
            raise TableError(findings)
        errors = np.array([[_acceleration_errors(spectrum, one) for one in tried] for *_, spectrum in spectra])
        totals = errors[..., 0] + errors[..., 1] ** 2
        best = int(np.argmin(totals.max(axis=0)))
        worst = int(np.argmax(totals[:, best]))
        changed, noise = errors[worst, best]
        cutoff, name = float(tried[best]), machine.model.names[spectra[worst][1]]
        reason = f"least error: {name}'' has {100 * noise:.2g} % of noise, and is changed by {100 * changed:.2g} %"
    return Filtering(cutoff, reason, max(1, int(rate / (2 * cutoff))), step)


def _spectrum(run: Run, k: int, rate: float) -> tuple[Floats, Floats, float] | None:
    """Return frequencies, power of the motion of a coordinate, and the floor of its noise; None at rest."""
    from scipy.signal import welch

    part = max(run.parts, key=lambda one: one.stop - one.start)
    values = run.positions[part, k]
    if np.ptp(values) < _AT_REST:
        return None
    length = min(len(values), max(256, len(values) // 3))
    frequencies, power = welch(values, rate, "blackmanharris", length, detrend="linear")
    floor = float(np.median(power[len(power) // 2 :]))
    return frequencies, np.where(power > _ABOVE_NOISE * floor, power - floor, 0.0), floor


def _acceleration_errors(spectrum: tuple[Floats, Floats, float], cutoff: float) -> tuple[float, float]:
    """Return by what share a cut-off changes the acceleration, and the share of noise that it leaves."""
    # parameters are off by the first and by the square of the second
    frequencies, power, floor = spectrum
    passed = 1 / (1 + (frequencies / cutoff) ** (2 * _ORDER))  # forward and backward
    weight = frequencies**4
    size = float(weight @ power) or 1.0
    return float(weight @ (power * (1 - passed) ** 2) / size) ** 0.5, float(floor * (weight @ passed**2) / size) ** 0.5


def differentiate_runs(machine: Machine, runs: Sequence[Run], how: Filtering, findings: Findings) -> None:
    """Set the filtered positions, velocities and accelerations of the model of all runs."""
    from scipy.signal import butter, sosfiltfilt

    sections = butter(_ORDER, how.cutoff, fs=1 / how.step, output="sos")
    for run in runs:
        signals = np.zeros((3, *run.positions.shape))
        parts = []
        for part in run.parts:
            if part.stop - part.start <= 4 * _REACH * how.decimation:
                continue
            q = np.ascontiguousarray(sosfiltfilt(sections, run.positions[part], axis=0))
            signals[:, part] = _derivatives(machine, q, run.step)
            parts.append(part)
        if len(parts) < len(run.parts):
            count = len(run.parts) - len(parts)
            message = f"{count} of {len(run.parts)} parts between gaps are too short to filter at {how.cutoff:.3g} Hz"
            findings.report("MP897", message, Place(run.file), count=count)
        run.parts, run.signals = parts, signals
    if not any(run.parts for run in runs):
        message = f"no run is long enough to filter at {how.cutoff:.3g} Hz"
        findings.report(
            "MP893", message, Place(runs[0].file), remedy="measure for longer, or state a higher cutoff in [identify]"
        )
        raise TableError(findings)


def _differences(values: Floats, step: float, second: bool = False) -> Floats:
    """Return the first or second derivative of rows; 0 within four rows of an end."""
    found = np.zeros_like(values)
    inner = slice(4, len(values) - 4)
    total = _MIDDLE * values[inner] if second else np.zeros_like(values[inner])
    for k, factor in enumerate(_SECOND if second else _FIRST, 1):
        after, before = values[4 + k : len(values) - 4 + k], values[4 - k : len(values) - 4 - k]
        total += factor * (after + before if second else after - before)
    found[inner] = total / (step**2 if second else step)
    return found


def _derivatives(machine: Machine, q: Floats, step: float) -> Floats:
    """Return positions, velocities and accelerations ``(3, samples, f)`` as the model has them."""
    qd, qdd = _differences(q, step), _differences(q, step, second=True)
    columns, names = machine.model.columns, machine.model.names
    for k, name in enumerate(names):
        if not (name.endswith(".wx") and columns.in_body[k]):
            continue
        # rotation vector φ → angular velocity in body axes: ω = J(φ) φ'
        turn = slice(k, k + 3)
        phi = q[:, turn]
        angle = np.linalg.norm(phi, axis=1)[:, None, None]
        cross = cross_matrices(phi)
        small = np.maximum(angle, 1e-6)
        first, second = (1 - np.cos(small)) / small**2, (small - np.sin(small)) / small**3
        jacobian = np.eye(3) - first * cross + second * (cross @ cross)
        local = columns.local[turn]
        spin = np.einsum("ij,sjk,sk->si", local, jacobian, qd[:, turn])
        if k + 3 < len(names) and names[k + 3] == f"{name[:-3]}.vx":
            turned = np.eye(3) + np.sin(small) / small * cross + first * (cross @ cross)
            speed = np.einsum("ij,skj,sk->si", local, turned, qd[:, k + 3 : k + 6])
            qd[:, k + 3 : k + 6], qdd[:, k + 3 : k + 6] = speed, _differences(speed, step)
        qd[:, turn], qdd[:, turn] = spin, _differences(spin, step)
    return np.stack([q, qd, qdd])


def _root_raised_cosine(decimation: int) -> Floats:
    """Return the filter before decimation, of energy 1: white noise remains white at the lower rate."""
    if decimation == 1:
        return np.ones(1)
    t = np.arange(-_REACH * decimation, _REACH * decimation + 1) / decimation
    b = _ROLLOFF
    with np.errstate(divide="ignore", invalid="ignore"):
        h = (np.sin(np.pi * t * (1 - b)) + 4 * b * t * np.cos(np.pi * t * (1 + b))) / (
            np.pi * t * (1 - (4 * b * t) ** 2)
        )
    h[t == 0] = 1 - b + 4 * b / np.pi
    edge = np.abs(np.abs(4 * b * t) - 1) < 1e-9
    h[edge] = b / np.sqrt(2) * ((1 + 2 / np.pi) * np.sin(np.pi / 4 / b) + (1 - 2 / np.pi) * np.cos(np.pi / 4 / b))
    return np.asarray(h / np.linalg.norm(h))


def decimated_blocks(machine: Machine, run: Run, how: Filtering) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield times, regressors ``(k, m, parameters)`` and forces ``(k, m)``, both through the same filter."""
    h, d = _root_raised_cosine(how.decimation), how.decimation
    reach = len(h) // 2
    margin = max(8, int(2 / (how.cutoff * how.step)))  # samples at the ends that filters disturb
    at_once = max(1, _BLOCK // d)
    for part in run.parts:
        centers = np.arange(part.start + margin + reach, part.stop - margin - reach, d)
        for first in range(0, len(centers), at_once):
            some = centers[first : first + at_once]
            rows = slice(int(some[0]) - reach, int(some[-1]) + reach + 1)
            W = machine_regressor(machine, *run.signals[:, rows])
            if d == 1:
                yield run.times[some], W, run.forces[rows]
                continue
            smoothing = np.zeros((len(some), W.shape[0]))
            for k in range(len(some)):
                smoothing[k, k * d : k * d + len(h)] = h
            forces = smoothing @ run.forces[rows]
            yield run.times[some], (smoothing @ W.reshape(len(W), -1)).reshape(len(some), *W.shape[1:]), forces


_Vector = tuple[Floats, Floats, Floats]  # components (samples,)
_BLOCK = 2048  # samples of one block: its arrays stay in the cache


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


def _inertial_regressor(model: SpatialModel, q: Floats, qd: Floats, qdd: Floats) -> Floats:
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
    inertial = _inertial_regressor(machine.model, q, qd, qdd)
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
    """Return R (k, columns) of a QR factorisation of rows (n, columns) below an earlier factor."""
    stacked = rows if before is None else np.vstack([before, rows])
    if len(stacked) <= stacked.shape[1]:
        return stacked
    return np.asarray(np.linalg.qr(stacked, mode="r"))
