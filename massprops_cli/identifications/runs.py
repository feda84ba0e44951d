"""Measured runs: columns of time, positions and torques or currents by their names and units, with gaps and spikes."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import (
    Findings,
    Place,
    TableError,
    UsageError,
    count_with_noun,
    name_list,
    nearest_name_hint,
)
from massprops_cli.identifications.machine import Floats, Machine

_UNITS = {
    "t": {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "angle": {"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180, "rev": 2 * math.pi},
    "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254},
    "moment": {"n*m": 1.0, "nm": 1.0, "n*mm": 1e-3, "nmm": 1e-3, "mnm": 1e-3, "mn*m": 1e-3, "kn*m": 1e3, "n*cm": 1e-2,
               "lbf*in": 0.112984829, "lbf*ft": 1.35581795, "kgf*cm": 0.0980665, "kgf*m": 9.80665},
    "force": {"n": 1.0, "kn": 1e3, "mn": 1e-3, "lbf": 4.4482216, "kgf": 9.80665},
    "i": {"a": 1.0, "ma": 1e-3},
}  # fmt: skip
_FORMS = {
    "q": ("q_{}", "{}.q", "{}_q", "q.{}", "{}", "{}.position", "{}_position", "{}_pos", "pos_{}", "position_{}"),
    "tau": ("tau_{}", "{}.tau", "{}_tau", "tau.{}", "{}.torque", "{}_torque", "torque_{}", "{}.effort", "{}_effort",
            "effort_{}", "{}.f"),
    "i": ("i_{}", "{}.i", "{}_i", "{}.current", "{}_current", "current_{}"),
}  # fmt: skip
"""Headings of a quantity of a joint; ``q1``, ``tau1``, ``i1`` number the joints in the order of the file."""
_NUMBERED = {"q": ("q{}", "q_{}"), "tau": ("tau{}", "tau_{}", "torque{}"), "i": ("i{}", "i_{}", "current{}")}
_TIME_NAMES = ("t", "time", "timestamp", "times", "zeit")
_HEADING = re.compile(r"\s*(.*?)\s*(?:[\[(]\s*([^\])]*?)\s*[\])])?\s*")  # name [unit]
_OF_MEDIAN = 1.4826  # deviation of normal numbers, as a multiple of the median of their sizes
_LARGEST = 1e12  # SI units; larger numbers are not measured
_SPIKE = 8.0  # deviation from the median of five, as a multiple of usual deviations and steps
_GAP = 1.8  # a step of time above this multiple of the usual one is a gap
_SHORT = 0.02  # s; gaps up to it are interpolated
_LEAST = 50  # samples of a part between gaps
_JITTER = 0.02  # deviation of a step of time, as a share, above which samples are placed on even times
_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")  # columns of a free base, ``base.x`` … ``base.qz``


@dataclass(eq=False)
class Run:
    """One run, SI units: even times, positions ``(samples, f)``, forces of independent coordinates ``(samples, m)``."""

    name: str
    file: str
    times: Floats
    positions: Floats
    forces: Floats
    measured: NDArray[np.bool_]  # independent coordinates whose force is known ``(m,)``
    parts: list[slice]  # without a gap
    step: float  # s
    gaps: int = 0
    spikes: dict[str, int] = field(default_factory=dict)
    signals: Any = None  # filtered positions, velocities, accelerations (3, samples, f), once they are computed

    @property
    def samples(self) -> int:
        """Number of samples in parts without a gap."""
        return sum(part.stop - part.start for part in self.parts)

    @cached_property
    def noise(self) -> Floats:
        """White noise (m,) of the forces: fourth differences have √70 times that of a sample."""
        part = max(self.parts, key=lambda one: one.stop - one.start)
        size = np.median(np.abs(np.diff(self.forces[part], 4, axis=0)), axis=0)  # steps of friction are few
        return np.asarray(_OF_MEDIAN * size / math.sqrt(70))


def read_runs(machine: Machine, files: Sequence[str], findings: Findings) -> list[Run]:
    """Read the files of all runs; TableError after findings if one cannot be used."""
    if not files:
        raise UsageError("identify needs --data FILE: a csv or parquet file with time, positions and torques")
    runs = [_read_run(machine, file, findings) for file in files]
    if findings.has_errors:
        raise TableError(findings)
    kept: list[Run] = []
    for run in filter(None, runs):
        numbers = (run.times, run.positions, run.forces)
        pairs = ((one, zip(numbers, (one.times, one.positions, one.forces), strict=True)) for one in kept)
        same = next((one for one, both in pairs if all(np.array_equal(a, b) for a, b in both)), None)
        if same is None:
            kept.append(run)
        else:
            message = f"run has the numbers of {same.file}, and counts once"
            findings.report("MP897", message, Place(run.file), value=run.name, remedy="name each run once with --data")
    return kept


class _Columns(dict[str, Floats]):
    """Columns of numbers by their headings; ``texts`` has the row and the text of the first cell that is none."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, tuple[int, str]] = {}


def _content(file: str, findings: Findings) -> _Columns | None:
    """Read the columns of numbers of a csv or parquet file; a blank cell is NaN."""
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    place = Place(file)
    try:
        if Path(file).suffix.lower() in (".parquet", ".pq"):
            import pyarrow.parquet as pq

            table = pq.read_table(file)
        else:
            data = Path(file).read_bytes()
            head = data[:65536].decode("utf-8-sig", "replace").partition("\n")[0]
            mark = max(",;\t", key=head.count)
            nulls = ["", "nan", "NaN", "NA", "null", "-", "n/a"]
            comma = mark == ";" and re.search(rb"\d,\d", data[:65536])
            convert = pa_csv.ConvertOptions(decimal_point="," if comma else ".", null_values=nulls)
            parse = pa_csv.ParseOptions(delimiter=mark)
            table = pa_csv.read_csv(io.BytesIO(data), parse_options=parse, convert_options=convert)
    except FileNotFoundError:
        raise UsageError(f"file does not exist: {file} (--data)") from None
    except (OSError, pa.ArrowException) as error:
        message = str(error).partition("\n")[0].rstrip(".")
        findings.report("MP893", f"file of a run cannot be read: {message}", place)
        return None
    columns = _Columns()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or pa.types.is_null(column.type):
            values = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), float)
            columns[name.strip()] = values
        elif pa.types.is_string(column.type):
            columns[name.strip()] = np.full(table.num_rows, np.nan)
            columns.texts[name.strip()] = _first_text(column.to_pylist())
    if twice := [name for name in columns if name and table.column_names.count(name) > 1]:
        message = f"columns have the same heading: {name_list(twice)}"
        findings.report("MP893", message, place, value=twice[0], remedy="rename all but one of them, or delete them")
        return None
    if not columns or not table.num_rows:
        findings.report("MP893", "file of a run has no rows of numbers", place)
        return None
    return columns


def _first_text(cells: Sequence[Any]) -> tuple[int, str]:
    """Return the row and the text of the first cell that is not a number."""
    for k, cell in enumerate(cells):
        try:
            float(cell or 0)
        except ValueError:
            return k + 2, str(cell)
    return 2, str(cells[0])


def _find(columns: Mapping[str, Floats], names: Sequence[str]) -> str | None:
    """Return the heading that has one of the names, whatever its case and unit."""
    known: dict[str, str] = {}
    for heading in columns:
        match = _HEADING.fullmatch(heading)
        known.setdefault((match[1] if match else heading).lower(), heading)
    return next((known[name.lower()] for name in names if name.lower() in known), None)


def _numbers(columns: _Columns, heading: str, kind: str, stated: str, place: Place, findings: Findings) -> Floats:
    """Return a column in SI units, by the stated unit or that of its heading."""
    if heading in columns.texts:
        row, cell = columns.texts[heading]
        where = Place(place.file, line=row)
        findings.report("MP893", f"cell of column {heading} is not a number: {cell!r}", where, value=cell)
    match = _HEADING.fullmatch(heading)
    unit = stated or (match[2] or "" if match else "")
    key = unit.lower().replace("·", "*").replace(" ", "").replace(".", "*")
    if not unit or key in _UNITS[kind]:
        return columns[heading] * _UNITS[kind].get(key, 1.0)
    message = f"unknown unit of column {heading}: {unit} (expected one of {', '.join(_UNITS[kind])})"
    findings.report("MP893", message, place, value=unit)
    return columns[heading]


def _read_run(machine: Machine, file: str, findings: Findings) -> Run | None:
    """Read one run."""
    columns, place, before = _content(file, findings), Place(file), len(findings)
    mapped, units = machine.settings.columns, machine.settings.units
    if columns is None:
        return None
    for quantity, heading in mapped.items():
        if heading not in columns:
            hint = nearest_name_hint(heading, columns)
            findings.report("MP893", f"column of {quantity} does not exist: {heading!r}{hint}", place, value=heading)
    if len(findings) > before:
        return None
    names = machine.model.names
    start = 0 if _find(columns, ["q0", "q_0"]) else 1

    def values(quantity: str, name: str, index: int, kind: str) -> Floats | None:
        """Return a column in SI units."""
        forms = [form.format(name) for form in _FORMS[quantity]]
        numbered = [form.format(index + start) for form in _NUMBERED[quantity]]
        heading = mapped.get(f"{name}.{quantity}") or _find(columns, forms) or _find(columns, numbered)
        unit = units.get(f"{name}.{quantity}", units.get(quantity, ""))
        return None if heading is None else _numbers(columns, heading, kind, unit, place, findings)

    of_time = mapped.get("t") or _find(columns, _TIME_NAMES)
    if of_time is None:
        words = f"run has no column of time: {name_list(list(columns))}"
        remedy = "name it t or time, in s, or t [ms]; or pass --map t=… with its heading"
        findings.report("MP893", words, place, remedy=remedy)
        return None
    times = _numbers(columns, of_time, "t", units.get("t", ""), place, findings)
    positions = np.zeros((len(times), len(names)))
    followers = np.ones(len(names), bool)
    followers[list(machine.independent)] = False
    based = _base_pose(machine, columns, positions, place, findings)
    missing = []
    for k, name in enumerate(names):
        if k in based or followers[k]:
            continue
        found = values("q", name, k, "angle" if machine.is_angle(name) else "length")
        if found is None and name not in machine.free_names:
            missing.append(name)
        elif found is not None:
            positions[:, k] = found
    if missing:
        message = f"run has no positions of joints: {name_list(missing)}"
        remedy = f"add a column q_{missing[0]}, in rad or m, or name it with --map {missing[0]}.q=…"
        findings.report("MP893", message, place, value=missing[0], remedy=remedy)
        return None
    driven = positions[:, list(machine.independent)]
    keeps = based | {k for k in range(len(names)) if not followers[k]}
    whole = driven @ machine.coupling.T + machine.offset
    positions = np.where([k in keeps for k in range(len(names))], positions, whole)
    forces, measured = _forces(machine, values, len(times), bool(based), place, findings)
    if not measured.any():
        message = "run has no torques or currents"
        remedy = f"add a column tau_{names[0]}, in N*m or N, or name it with --map {names[0]}.tau=…"
        findings.report("MP893", message, place, remedy=remedy)
    if len(findings) > before and any(one.rule == "MP893" for one in findings[before:]):
        return None
    return _placed_run(machine, file, (times, positions, forces), measured, findings)


def _base_pose(machine: Machine, columns: _Columns, positions: Floats, place: Place, findings: Findings) -> set[int]:
    """Set the coordinates of a free base from its columns; return them, none if the base does not move."""
    names = machine.model.names
    prefix = next((name[:-3] for name in names if name.endswith(".wx") and f"{name[:-3]}.vx" in names), None)
    if prefix is None:
        return set()
    found = {end: _find(columns, [f"{prefix}.{end}", f"{prefix}_{end}"]) or "" for end in _POSE}
    if lacking := [f"{prefix}.{end}" for end, heading in found.items() if not heading]:
        if len(lacking) < len(_POSE):
            message = f"pose of the base lacks columns: {name_list(lacking)}"
            findings.report("MP893", message, place, remedy="state x, y, z in m and the quaternion qw, qx, qy, qz")
        return set()
    first = names.index(f"{prefix}.wx")
    for k, end in enumerate("xyz"):
        positions[:, first + 3 + k] = _numbers(columns, found[end], "length", "", place, findings)
    positions[:, first : first + 3] = _rotation_vectors(np.array([columns[found[end]] for end in _POSE[3:]]).T)
    return set(range(first, first + 6))


def _rotation_vectors(four: Floats) -> Floats:
    """Return rotation vectors ``(samples, 3)`` of quaternions w, x, y, z, without jumps."""
    unit = four / np.linalg.norm(four, axis=1, keepdims=True)
    flips = np.cumsum(np.concatenate([[unit[0, 0] < 0], (unit[1:] * unit[:-1]).sum(axis=1) < 0])) % 2
    unit = unit * np.where(flips, -1.0, 1.0)[:, None]
    size = np.linalg.norm(unit[:, 1:], axis=1)
    angle = 2 * np.arctan2(size, unit[:, 0])
    return np.asarray(unit[:, 1:] * np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 2.0)[:, None])


def _forces(
    machine: Machine, values: Any, count: int, is_floating: bool, place: Place, findings: Findings
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the forces of the independent coordinates, and which are known; a follower without a column adds 0."""
    names = machine.model.names
    every, known = np.zeros((count, len(names))), np.zeros(len(names), bool)
    lacking = []
    for k, name in enumerate(names):
        kind = "moment" if machine.is_angle(name) else "force"
        found = values("tau", name, k, kind)
        if found is None and (current := values("i", name, k, "i")) is not None:
            found = current * machine.settings.gains.get(name, math.nan)
            lacking += [name] * (name not in machine.settings.gains)
        if found is None and is_floating and name in machine.free_names:
            found = np.zeros(count)  # nothing acts on a free base
        if found is not None:
            every[:, k], known[k] = found, True
    if lacking:
        message = f"joints have currents without a gain: {name_list(lacking)}"
        what = "torque of 1 A in N*m" if machine.is_angle(lacking[0]) else "force of 1 A in N"
        remedy = f"write [identify.gains] with {lacking[0]} = the {what}"
        findings.report("MP893", message, place, value=lacking[0], remedy=remedy)
    every[~np.isfinite(every)] = math.nan
    forces = every @ machine.coupling
    recorded = [k for k in np.flatnonzero(known).tolist() if names[k] not in machine.free_names]
    finite = {k: every[np.isfinite(every[:, k]), k] for k in recorded}
    constant = [names[k] for k, one in finite.items() if len(one) and not np.ptp(one)]
    if constant:
        rule = "MP893" if len(constant) == len(recorded) else "MP895"
        message = f"torques never change, are probably not recorded, and are left out: {name_list(constant)}"
        remedy = f"check what was recorded: {constant[0]}"
        findings.report(rule, message, place, value=constant[0], count=len(constant), remedy=remedy)
        known &= np.array([rule == "MP893" or name not in constant for name in names])
    return forces, known[list(machine.independent)]


def _placed_run(
    machine: Machine, file: str, arrays: tuple[Floats, Floats, Floats], measured: NDArray[np.bool_], findings: Findings
) -> Run | None:
    """Find gaps and spikes, and place the samples on even times."""
    times, positions, forces = arrays
    place = Place(file)
    whole = (np.abs(np.column_stack([times, positions, forces[:, measured]])) < _LARGEST).all(axis=1)
    blank = int((~whole).sum())
    if blank == len(times):
        findings.report("MP893", "no row of the run has all numbers", place)
        return None
    times, positions, forces = times[whole], positions[whole], forces[whole]
    rows = np.flatnonzero(whole) + 2
    steps = np.diff(times)
    if len(times) < _LEAST or not bool((steps > 0).all()):
        later, what = np.flatnonzero(steps <= 0), f"run has {len(times)} rows (expected {_LEAST} or more)"
        what = f"time does not increase at row {int(rows[later[0] + 1])}" if len(later) else what
        findings.report("MP893", what, place, value=f"{times[later[0] + 1]:.6g}" if len(later) else "")
        return None
    step = float(np.median(steps))
    holes = steps > _GAP * step
    cuts = np.flatnonzero(holes & (steps > _SHORT)) + 1
    short = int(holes.sum()) - len(cuts)
    ends = [0, *cuts.tolist(), len(times)]
    parts = [slice(low, high) for low, high in pairwise(ends) if high - low >= _LEAST]
    dropped = len(times) - sum(part.stop - part.start for part in parts)
    names = [machine.model.names[k] for k in machine.independent]
    spikes = _replaced_spikes(forces, [f"torque of {name}" for name in names], parts)
    spikes |= _replaced_spikes(positions, [f"position of {name}" for name in machine.model.names], parts)
    pieces = [_even_samples(times[part], positions[part], forces[part], step) for part in parts]
    places = np.cumsum([0, *(len(piece[0]) for piece in pieces)]).tolist()
    if pieces:
        times, positions, forces = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    parts = [slice(low, high) for low, high in pairwise(places)]
    run = Run(Path(file).name, file, times, positions, forces, measured, parts, step, len(cuts), spikes)
    words = [count_with_noun(blank, "row") + " with blank cells"] * bool(blank)
    words += [count_with_noun(len(cuts), "gap") + " in time"] * bool(len(cuts))
    words += [count_with_noun(short, "short gap") + " interpolated"] * bool(short)
    words += [count_with_noun(dropped, "sample") + " between gaps too short to filter"] * bool(dropped)
    words += [f"{count_with_noun(count, 'spike')} in the {what}" for what, count in spikes.items()]
    if words:
        findings.report("MP897", f"samples are left out or replaced: {'; '.join(words)}", place, count=len(words))
    if not parts:
        findings.report("MP893", f"no part of the run has {_LEAST} samples without a gap", place)
        return None
    return run


def _even_samples(times: Floats, positions: Floats, forces: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    """Return a part between gaps at even times: positions by cubic splines, forces between neighbours."""
    from scipy.interpolate import CubicSpline

    if np.abs(np.diff(times) / step - 1).max() <= _JITTER:
        return times, positions, forces
    even = np.arange(times[0], times[-1], step)
    between = [np.interp(even, times, values) for values in forces.T]
    return even, CubicSpline(times, positions)(even), np.column_stack(between)


def _replaced_spikes(array: Floats, names: Sequence[str], parts: Sequence[slice]) -> dict[str, int]:
    """Replace single samples far from the median of five by it; return how many, by name."""
    from scipy.ndimage import median_filter

    found: dict[str, int] = {}
    for k, name in enumerate(names):
        for part in parts:
            values = array[part, k]
            middle = median_filter(values, 5, mode="mirror")
            rest = np.abs(values - middle)
            size = float(np.quantile(rest, 0.9) + np.quantile(np.abs(np.diff(values)), 0.9))
            if size and len(wrong := np.flatnonzero(rest > _SPIKE * size)) and len(wrong) < 0.02 * len(values):
                array[part.start + wrong, k] = middle[wrong]
                found[name] = found.get(name, 0) + len(wrong)
    return found
