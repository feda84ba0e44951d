"""The observation matrix: trajectories that excite a mechanism, terms of joints, and its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings, Place, TableError, name_list, nearest_name_hint
from massprops_cli.mechanisms.inertia_forms import energy_form, twist_bracket
from massprops_cli.mechanisms.model import Mechanism
from massprops_cli.mechanisms.motion import body_twist, in_body_axes
from massprops_cli.mechanisms.observation.loop_motion import CoordinateTree, LoopMotion, series_term, stacked_array


def term_columns(tree: CoordinateTree, motion: LoopMotion) -> tuple[list[str], NDArray[Any]]:
    """Return names (such as ``viscous_A``) and unit generalized forces (samples, independent, names) of joint terms."""
    # A coordinate q with the rate q' has the force viscous·q' + coulomb·sign(q') + spring·q + preload
    names: list[str] = []
    columns: list[NDArray[Any]] = []
    for joint in tree.mechanism.joints:
        for index in coordinates_of(tree, joint.name) if joint.terms else ():
            series = motion.coordinates[index]
            for term, factor in _factors(joint.terms, series.terms[0], series.terms[1], motion):
                names.append(f"{term}_{tree.names[index]}")
                columns.append(motion.rates[:, index, :] * factor[:, None])
    count, width = motion.rates.shape[0], len(motion.independent)
    return names, np.stack(columns, axis=2) if columns else np.zeros((count, width, 0))


def coordinates_of(tree: CoordinateTree, joint: str) -> list[int]:
    """Return the coordinates of a joint."""
    return next((list(one.coordinates) for one in tree.exact.joints if one.name == joint), [])


def _factors(
    terms: Sequence[str], value: NDArray[Any], rate: NDArray[Any], motion: LoopMotion
) -> list[tuple[str, NDArray[Any]]]:
    """Return the parameters of a coordinate with their factors at all samples."""
    numbers = motion.numbers
    found = {
        "viscous": [("viscous", rate)],
        "coulomb": [("coulomb", numbers.array(np.sign(numbers.doubles(rate))))],
        "spring": [("spring", value), ("preload", numbers.array(np.ones(len(value))))],
    }
    return [one for term in terms for one in found[term]]


_Floats = NDArray[np.float64]
_AMPLITUDES = ((0.5, 0.1), (0.3, 0.7))
_FREQUENCIES = ((3.0, 10.0), (2**0.5, 17**0.5))
"""Of the first two coordinates, as published for the suspension of Iriarte et al."""
_FIRST_PRIME = 19  # frequencies of further coordinates are roots of primes from this on, the first after 17
_DURATION = 12.0  # seconds
_ROWS_A_PARAMETER = 8  # of the observation matrix
_LEAST_SAMPLES = 100  # of a motion without a stated number
_TIME_COLUMN = "time"


@dataclass(frozen=True)
class Trajectory:
    """Samples of independent coordinates: times ``(samples,)``; values, rates, accelerations ``(samples, names)``."""

    names: tuple[str, ...]
    times: _Floats
    values: _Floats
    rates: _Floats
    accelerations: _Floats
    has_differences: bool = False  # whether a rate or acceleration was computed from positions
    limited: tuple[str, ...] = ()  # coordinates whose harmonics are reduced to the limits of their joints


def fourier_trajectory(
    names: Sequence[str], sizes: Sequence[float], parameters: int, amplitude: float, samples: int
) -> Trajectory:
    """Return the motion of two harmonics in each coordinate."""
    wanted = max(_LEAST_SAMPLES, math.ceil(_ROWS_A_PARAMETER * parameters / max(1, len(names))))
    times: _Floats = np.arange(samples or wanted, dtype=float) * (_DURATION / (samples or wanted))
    values, rates, accelerations = (np.zeros((len(times), len(names))) for _ in range(3))
    primes = _primes_from(_FIRST_PRIME, 2 * len(names))
    for k, size in enumerate(sizes):
        frequencies = _FREQUENCIES[k] if k < 2 else (primes[2 * k - 4] ** 0.5, primes[2 * k - 3] ** 0.5)
        for share, frequency in zip(_AMPLITUDES[k % 2], frequencies, strict=True):
            a = amplitude * share * size
            values[:, k] += a * np.sin(frequency * times)
            rates[:, k] += a * frequency * np.cos(frequency * times)
            accelerations[:, k] -= a * frequency**2 * np.sin(frequency * times)
    return Trajectory(tuple(names), times, values, rates, accelerations)


def within_limits(trajectory: Trajectory, limits: Mapping[str, tuple[float, float]]) -> Trajectory:
    """Return a motion with coordinates scaled, and then shifted, into their limits (radians and lengths)."""
    moved = [one.copy() for one in (trajectory.values, trajectory.rates, trajectory.accelerations)]
    limited = []
    for k, name in enumerate(trajectory.names):
        low, high = limits.get(name, (-math.inf, math.inf))
        least, most = float(moved[0][:, k].min()), float(moved[0][:, k].max())
        if low >= high or (low <= least and most <= high):  # equal limits are those of a joint that states none
            continue
        limited.append(name)
        share = min(1.0, (high - low) / (most - least))
        for one in moved:
            one[:, k] *= share
        moved[0][:, k] += max(low - share * least, 0.0) + min(high - share * most, 0.0)
    values, rates, accelerations = moved
    return replace(trajectory, values=values, rates=rates, accelerations=accelerations, limited=tuple(limited))


def report_outside_limits(
    trajectory: Trajectory, limits: Mapping[str, tuple[float, float]], file: str, findings: Findings
) -> None:
    """Report the coordinates of a stated motion that leave the limits of their joints."""
    for k, name in enumerate(trajectory.names):
        low, high = limits.get(name, (-math.inf, math.inf))
        farthest = max(trajectory.values[:, k].tolist(), key=lambda value: max(low - value, value - high))
        if low < high and not low <= farthest <= high:
            message = f"position of joint {name} is outside its limits: {farthest:.6g} ({low:g} to {high:g})"
            findings.report("MP890", message, Place(file), value=f"{farthest:.6g}", item=name)


def _primes_from(first: int, count: int) -> list[int]:
    """Return primes, from the first one on."""
    found: list[int] = []
    while len(found) < count:
        if all(first % divisor for divisor in range(2, int(first**0.5) + 1)):
            found.append(first)
        first += 1
    return found


def read_trajectory(file: str | Path, known: Sequence[str], findings: Findings) -> Trajectory:
    """Read a table of time, independent coordinates, and if stated their rates and accelerations."""
    table = read_file_table(str(file), None, None, findings)
    rows = [[cell.strip() for cell in table.row(index)] for index in range(table.n_rows)]
    rows = [row for row in rows if any(row)]
    place = Place(str(file))
    header = rows[0] if rows else []
    names = [column for column in header if column in known]
    expected = [_TIME_COLUMN, *(f"{name}{end}" for name in known for end in ("", ".qd", ".qdd"))]
    if unknown := [column for column in header if column not in expected]:
        message = f"trajectory has an unknown column: {unknown[0]!r}{nearest_name_hint(unknown[0], expected)}"
        findings.report(
            "MP847", message, place, value=unknown[0], remedy=f"name coordinates of joints: {name_list(list(known))}"
        )
    alone = [one for one in header if one in expected and one.rpartition(".")[2] in ("qd", "qdd")]
    alone = [one for one in alone if one not in known and one.rpartition(".")[0] not in names]
    twice = [one for one in dict.fromkeys(header) if header.count(one) > 1]
    for found, what in ((alone, "has no positions"), (twice, "occurs twice")):
        if found:
            findings.report("MP847", f"column of the trajectory {what}: {found[0]}", place, value=found[0])
    if _TIME_COLUMN not in header or not names:
        what = "positions of independent coordinates" if _TIME_COLUMN in header else "column time"
        findings.report("MP847", f"trajectory has no {what}", place)
    if findings.has_errors:
        raise TableError(findings)
    columns = _number_columns(header, rows[1:], place, findings)
    if len(times := columns[_TIME_COLUMN]) < 3 or not bool((np.diff(times) > 0).all()):
        later = np.flatnonzero(np.diff(times) <= 0)
        where = f": row {int(later[0]) + 3}" if len(later) else f": {len(times)} rows"
        findings.report("MP847", f"times of the trajectory do not increase over three rows or more{where}", place)
        raise TableError(findings)
    return _trajectory(names, columns, times)


def _number_columns(header: list[str], rows: list[list[str]], place: Place, findings: Findings) -> dict[str, _Floats]:
    """Read all cells as numbers."""
    found = {column: np.zeros(len(rows)) for column in header}
    for index, row in enumerate(rows):
        for column, cell in zip(header, [*row, *[""] * (len(header) - len(row))], strict=False):
            try:
                value = float(cell)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                message = f"row {index + 2} of the trajectory: {column} is not a finite number: {cell!r}"
                findings.report("MP847", message, place, value=cell)
                raise TableError(findings)
            found[column][index] = value
    return found


def _trajectory(names: list[str], columns: dict[str, _Floats], times: _Floats) -> Trajectory:
    """Complete rates and accelerations by differences of second order."""
    values, rates, accelerations, computed = [], [], [], False
    for name in names:
        values.append(columns[name])
        given = [columns.get(f"{name}{end}") for end in (".qd", ".qdd")]
        computed |= any(one is None for one in given)
        rate = np.gradient(columns[name], times, edge_order=2) if given[0] is None else given[0]
        rates.append(rate)
        accelerations.append(np.gradient(rate, times, edge_order=2) if given[1] is None else given[1])
    arrays = [np.array(one).T for one in (values, rates, accelerations)]
    return Trajectory(tuple(names), times, arrays[0], arrays[1], arrays[2], computed)


def inertia_columns(mechanism: Mechanism, motion: LoopMotion, unit: float) -> NDArray[Any]:
    """Return the generalized forces (samples, independent, parameters) of unit parameters of the bodies."""
    numbers = motion.numbers
    count = motion.samples
    with numbers.precision():
        gravity = [numbers.constant(one) / unit for one in mechanism.gravity]
        blocks = []
        for body in range(len(mechanism.bodies)):
            # twist of the body, and its acceleration less gravity, in body axes at the origin of its frame
            moving = body_twist(mechanism, motion.state, body)
            velocity, acceleration = ([series_term(one, order) for one in moving] for order in (0, 1))
            for k, pull in enumerate(in_body_axes(mechanism, motion.state, body, gravity), 3):
                acceleration[k] = acceleration[k] - series_term(pull, 0)
            rows = []
            for twist in motion.partial_twists(body):
                parts = (in_body_axes(mechanism, motion.poses, body, part) for part in (twist[:3], twist[3:]))
                own = [value for part in parts for value in part]
                # P·(I A) − (V × P)·(I V), linear in the inertia I, with the twist V, the acceleration A less gravity,
                # and the twist P of a unit rate of the coordinate
                first = energy_form(own, acceleration)
                second = energy_form(twist_bracket(velocity, own), velocity)
                rows.append(stacked_array([a - b for a, b in zip(first, second, strict=True)], count))
            blocks.append(np.stack(rows, axis=1) if rows else np.zeros((count, 0, 10)))
        return numbers.midpoints(np.concatenate(blocks, axis=2))
