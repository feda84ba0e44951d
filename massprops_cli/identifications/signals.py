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

_NOISE_ALONE = 0.5  # of the variance: the noise of a joint is 0.4 of the amplitude of its motion
_ABOVE_NOISE = 30.0  # power, as a multiple of the noise floor, that is motion
_AT_REST = 1e-6  # rad or m of travel
_SHARE = 0.2  # largest cut-off, as a share of the sample rate: differences are exact to 4e-4 there
_ORDER = 4  # of the Butterworth filter, which runs forward and backward
_ROLLOFF = 0.3  # of the root raised cosine
_REACH = 10  # its half length, in samples of the decimated rate
# central differences of order 8 for the first and second derivative
_FIRST = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
_SECOND = (-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)


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
        import scipy.signal  # noqa: F401 - whether it is there
    except ImportError:
        raise UsageError("identify needs SciPy; install the extra: pip install 'massprops[identify]'") from None


def hold_resting_joints(machine: Machine, runs: Sequence[Run]) -> None:
    """Set joints whose positions are noise alone to their mean, one of runs at the same place."""
    # noise would be read as motion, and means that differ by noise as two places
    for k, name in enumerate(machine.model.names):
        held = [run.positions[:, k] for run in runs if name not in machine.free_names]
        # mean square of successive differences: 2 variances for noise, far less for a motion
        held = [one for one in held if np.mean(np.diff(one) ** 2) > _NOISE_ALONE * np.var(one) > 0]
        common = float(np.mean([one.mean() for one in held])) if held else 0.0
        for one in held:
            one[:] = common if abs(one.mean() - common) < np.std(one) else one.mean()


def choose_filter(machine: Machine, runs: Sequence[Run], findings: Findings) -> Filtering:
    """Choose the cut-off for all runs: above the motion of the positions, below their noise."""
    step = runs[0].step
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


def _spectrum(run: Run, k: int, rate: float) -> tuple[Floats, Floats, Floats] | None:
    """Return frequencies, and the power of the motion of a coordinate and of its noise; None at rest."""
    from scipy.signal import welch

    part = max(run.parts, key=lambda one: one.stop - one.start)
    values = run.positions[part, k]
    if np.ptp(values) < _AT_REST:
        return None
    length = min(len(values), max(256, len(values) // 3))
    frequencies, power = welch(values, rate, "blackmanharris", length, detrend="linear")
    least = _ABOVE_NOISE * float(np.median(power[len(power) // 2 :]))
    # the motion ends where an octave above its fastest part is noise, whose power may fall with the frequency
    fastest, end = max(int(np.argmax(frequencies**2 * power)), 1), len(power) - 1
    end = next((j for j in range(fastest, end // 2) if np.median(power[j : 2 * j]) < least), end)
    clear = min(2 * end, len(power) - 1)  # above the skirts of the motion
    noise = np.concatenate([np.full(clear, np.median(power[clear : 2 * clear])), power[clear:]])
    return frequencies, np.where((power > least) & (np.arange(len(power)) < end), power - noise, 0.0), noise


def _acceleration_errors(spectrum: tuple[Floats, Floats, Floats], cutoff: float) -> tuple[float, float]:
    """Return by what share a cut-off changes the acceleration, and the share of noise that it leaves."""
    # parameters are off by the first and by the square of the second
    frequencies, power, noise = spectrum
    eighth = np.square(np.square(np.square(frequencies / cutoff)))  # twice the order: forward and backward
    passed, weight = 1 / (1 + eighth), np.square(np.square(frequencies))
    size = float(weight @ power) or 1.0
    changed, left = weight @ (power * (1 - passed) ** 2), weight @ (noise * passed**2)
    return float(changed / size) ** 0.5, float(left / size) ** 0.5


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
    from scipy.ndimage import correlate1d

    found = correlate1d(values, _SECOND if second else _FIRST, axis=0) / (step**2 if second else step)
    found[:4] = found[-4:] = 0.0
    return np.asarray(found)


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


_BLOCK = 2048  # samples of one block: its arrays stay in the cache


def _cross(a: Floats, b: Floats) -> Floats:
    """Return the products of vectors (3, samples)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _turned(rotation: Floats, a: Floats, *, back: bool = False) -> Floats:
    """Return rotations (samples, 3, 3), or their inverses, times vectors (3, samples) or (3, 1)."""
    return np.asarray(np.einsum("sji,js->is" if back else "sij,js->is", rotation, a))


@dataclass(eq=False)
class _Motion:
    """The motion of one body, ground axes: rotations to them (samples, 3, 3), and vectors (3, samples)."""

    rotation: Floats
    origin: Floats
    spin: Floats
    turning: Floats  # angular acceleration
    moved: Floats  # acceleration of the origin less gravity


_Twists = dict[int, tuple[Floats, Floats, Floats]]  # of a unit rate: angular, linear, at this point


def _inertial_regressor(model: SpatialModel, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Return forces ``(samples, f, 10 n)`` of unit parameters of the bodies in the order of the file, SI units."""
    # positions, velocities and accelerations (samples, f) are those of ``SpatialModel``
    count, n = len(q), len(model.tree) - 1
    result, still = np.zeros((count, model.degrees, 10 * n)), np.zeros((3, count))
    ground = np.broadcast_to(np.eye(3), (count, 3, 3))
    motions = [_Motion(ground, still, still, still, still - model.gravity[:, None])]
    up = model.tree.parent_position().astype(np.intp)
    own = [np.flatnonzero(model.owner == k) for k in range(n + 1)]
    twists: _Twists = {}
    file_order = np.empty(n + 1, np.intp)
    file_order[model.order] = np.arange(n)
    path: list[list[int]] = [[]]
    for k in range(1, n + 1):
        one = _moved_body(model, k, own[k], motions[up[k]], (q, qd, qdd), twists)
        motions.append(one)
        path.append([*path[up[k]], *own[k].tolist()])
        at = int(file_order[k]) * 10
        spin, gain, moved = (_turned(one.rotation, a, back=True) for a in (one.spin, one.turning, one.moved))
        for column in path[k]:
            angular, linear, point = twists[column]
            v = _turned(one.rotation, linear + _cross(angular, one.origin - point), back=True)
            w = _turned(one.rotation, angular, back=True)
            # power for a unit twist (w, v), in body axes at the origin of the body
            out, lever = result[:, column, at : at + 10], _cross(w, spin)  # w·(ω × I ω) = (w × ω)·I ω
            out[:, 0] = (v * moved).sum(axis=0)
            out[:, 1:4] = (_cross(v, gain) + _cross(_cross(v, spin), spin) + _cross(moved, w)).T
            for entry, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), 4):
                out[:, entry] = w[i] * gain[j] + lever[i] * spin[j]
                if i != j:
                    out[:, entry] += w[j] * gain[i] + lever[j] * spin[i]
    return result


def _moved_body(
    model: SpatialModel, k: int, own: NDArray[np.intp], above: _Motion, motion: tuple[Floats, ...], twists: _Twists
) -> _Motion:
    """Return the motion of the body at position ``k``, and set the twists of its coordinates."""
    q, qd, qdd = motion
    columns = model.columns
    vectors = np.zeros((3, len(q), 3))
    for c in own:
        vectors[columns.what[c]] += q[:, c, None] * columns.axis[c]
        vectors[SLIDE] += q[:, c, None] * columns.axis[c] * columns.pitch[c]
    turn = vector_rotations(vectors[ROTATION])
    if vectors[SECOND_ROTATION].any():
        turn = turn @ vector_rotations(vectors[SECOND_ROTATION])
    rotation = above.rotation @ (turn @ model.turns[k])
    to_point = _turned(above.rotation, (model.points[0][k] + vectors[SLIDE]).T)
    from_point = _turned(rotation, -model.points[1][k][:, None])
    point = above.origin + to_point
    for c in own:
        axis = _turned(rotation if columns.in_body[c] else above.rotation, columns.local[c][:, None])
        is_slide = columns.what[c] == SLIDE
        twists[int(c)] = axis * (not is_slide), axis * (1.0 if is_slide else float(columns.pitch[c])), point
    spin = above.spin + sum(twists[c][0] * qd[:, c] for c in own.tolist())
    turning, moved, sliding = above.turning, above.moved, np.zeros_like(spin)
    for c in own.tolist():
        angular, linear, _ = twists[c]
        carrier = spin if columns.in_body[c] else above.spin
        turning = turning + angular * qdd[:, c] + _cross(carrier, angular) * qd[:, c]
        moved = moved + linear * qdd[:, c] + _cross(carrier - above.spin, linear) * qd[:, c]
        sliding = sliding + linear * qd[:, c]
    moved = moved + _cross(above.turning, to_point) + _cross(above.spin, _cross(above.spin, to_point) + 2 * sliding)
    moved = moved + _cross(turning, from_point) + _cross(spin, _cross(spin, from_point))
    return _Motion(rotation, point + from_point, spin, turning, moved)


def machine_regressor(machine: Machine, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Return forces ``(samples, m, 10 n + terms)`` of the independent coordinates; terms by ``term_names``."""
    inertial = _inertial_regressor(machine.model, q, qd, qdd)
    if len(machine.independent) < machine.model.degrees or bool(
        (machine.coupling != np.eye(len(machine.coupling))).any()
    ):
        inertial = np.einsum("jz,sjp->szp", machine.coupling, inertial)
    terms, m = machine.settings.terms, len(machine.independent)
    own = [one[:, list(machine.independent)] for one in (q, qd, qdd)]
    extra = np.zeros((len(q), m, len(machine.motors) * len(terms)))
    for at, turns in enumerate(machine.motors.values()):
        position, rate, second = (one @ turns for one in own)
        factors: dict[str, Any] = {
            "armature": second, "viscous": rate, "coulomb": np.sign(rate), "offset": np.ones(len(q)),
            "spring": position,
        }  # fmt: skip
        for j, term in enumerate(terms):
            extra[:, :, at * len(terms) + j] = factors[term][:, None] * turns
    return np.concatenate([inertial, extra], axis=2)


def term_names(machine: Machine) -> list[str]:
    """Return the names of the parameters of joints, such as ``viscous_elbow``."""
    return [f"{term}_{name}" for name in machine.motors for term in machine.settings.terms]


def upper_factor(rows: Floats, before: Floats | None = None) -> Floats:
    """Return R (k, columns) of a QR factorisation of rows (n, columns) below an earlier factor."""
    stacked = rows if before is None else np.vstack([before, rows])
    if len(stacked) <= stacked.shape[1]:
        return stacked
    return np.asarray(np.linalg.qr(stacked, mode="r"))
