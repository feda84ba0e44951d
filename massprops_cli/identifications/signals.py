"""Filters of measured motions: cut-off from the data, zero phase, derivatives, decimation that keeps noise white."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from massprops_cli.bodies.rotations import cross_matrices
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.regression import BLOCK, machine_regressor
from massprops_cli.identifications.runs import Run

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
    settled = max(8, int(2 / (how.cutoff * how.step)))  # samples at the ends that filters disturb
    at_once = max(1, BLOCK // d)
    for part in run.parts:
        centers = np.arange(part.start + settled + reach, part.stop - settled - reach, d)
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
