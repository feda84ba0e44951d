"""Exciting motions: harmonics within the limits of a robot at every sample, and the uncertainties that they promise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, UsageError, name_list
from massprops_cli.identifications.fit import collect_groups, weighted_fit
from massprops_cli.identifications.machine import Floats, IdentifySettings, Machine, read_machine
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import choose_filter, differentiate_runs, machine_regressor, require_scipy
from massprops_cli.mechanisms.model import AS_STATED, RobotReading

_USUAL = {"position": (-math.pi, math.pi), "velocity": (-2.0, 2.0), "acceleration": (-10.0, 10.0)}
"""Limits of a coordinate that states none: rad or m, and seconds."""
_MARGIN = 0.98  # share of each limit that a motion uses
_NOISE = 0.01  # noise of a torque, as a share of its largest value, where none is stated
_SIZES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1)  # of a motion, until it keeps the limits of torque
_POSES, _LIGHT = 400, 20  # tried at rest, and kept as middles: those of least torque
_HELD = 0.5  # share of a limit of torque that holding the middle of the limits may take


@dataclass(frozen=True, eq=False)
class Excitation:
    """An exciting motion of one period, SI units.

    Attributes
    ----------
    names : tuple of str
        Coordinates.
    times : array, shape (samples,)
        Even times.
    motion : array, shape (3, samples, coordinates)
        Positions, velocities and accelerations.
    torques : array, shape (samples, coordinates)
        What the file predicts, with the friction and armature that it states.
    condition : float
        Condition number of the regressor, columns of equal size.
    start : float
        That of the first motion within the limits, which the search improved.
    parameters : tuple of str
        Base parameters that a run of one period shows.
    sigmas : array
        σ of each in ``identify`` of this run, for white noise of the torques and exact positions.
    rate : float
        Sample rate of that run, Hz.
    noise : array, shape (coordinates,), N·m or N
        Its noise: that of ``[identify]``, or 1 % of the largest torque.
    limits : list of dict
        Of each coordinate and limit, what the motion uses.
    """

    names: tuple[str, ...]
    times: Floats
    motion: Floats
    torques: Floats
    condition: float
    start: float
    parameters: tuple[str, ...]
    sigmas: Floats
    rate: float
    noise: Floats
    limits: list[dict[str, Any]]

    def __repr__(self) -> str:
        """Return the numbers of coordinates and samples, and the condition number."""
        count = f"{len(self.names)} coordinates, {len(self.times)} samples"
        return f"<Excitation of {count}, condition {self.condition:.3g}>"

    def rows(self) -> list[list[Any]]:
        """Return a table of the motion.

        Returns
        -------
        list of list
            A header ``t, q_A, qd_A, qdd_A, …`` and a row for each sample.
        """
        heads = ["t", *(f"{mark}_{name}" for name in self.names for mark in ("q", "qd", "qdd"))]
        columns = self.motion.transpose(2, 0, 1).reshape(-1, len(self.times))
        return [heads, *np.column_stack([self.times, *columns]).tolist()]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values.

        Returns
        -------
        dict
            Condition number, promised sigmas, and what the motion uses of each limit.
        """
        sigmas = dict(zip(self.parameters, self.sigmas.tolist(), strict=True))
        return {
            "coordinates": list(self.names), "samples": len(self.times), "duration": float(self.times[-1]),
            "condition": self.condition, "condition_at_start": self.start, "sigmas": sigmas, "limits": self.limits,
            "rate": self.rate, "noise": dict(zip(self.names, self.noise.tolist(), strict=True)),
        }  # fmt: skip


def design_excitation(
    robot: str | PathLike[str] | bytes,
    *,
    joints: str = "",
    reading: RobotReading = AS_STATED,
    settings: Mapping[str, Any] | None = None,
    findings: Findings | None = None,
) -> Excitation:
    """Find a motion that shows the base parameters of a machine, within its limits at every sample.

    Parameters
    ----------
    robot : str, path or bytes
        URDF, SDF, MJCF or mechanism file without loops.
    joints : str, optional
        Table of joints, for a mechanism in tables.
    reading : RobotReading, optional
        Gravity, and whether the base is free.
    settings : mapping, optional
        The keys of ``[identify]``: harmonics, duration, samples, limits, criterion, trials, seed, noise, rate.
    findings : Findings, optional
        Receives what is reported.

    Returns
    -------
    Excitation
        The same for the same seed.

    Raises
    ------
    UsageError
        No motion within the limits of torque was found, the base is free, or SciPy is not installed.

    Notes
    -----
    Each coordinate is a sum of harmonics of one period that begins and ends at rest about the middle of its limits, or
    about poses of little torque where limits are low. A random search with shrinking steps minimises the condition
    number of the regressor with columns of equal size, or maximises its determinant.

    Examples
    --------
    >>> from massprops_cli import design_excitation
    >>> bar = b'''{"gravity": [0, 0, -10], "bodies": [{"id": "bar", "mass": 1, "c": [1, 0, 0],
    ...   "I": [0, 1, 1, 0, 0, 0]}], "joints": [{"name": "A", "type": "R", "i": 0, "j": "bar", "pi": [0, 0, 0],
    ...   "pj": [0, 0, 0], "ai": [0, -1, 0]}]}'''
    >>> found = design_excitation(bar, settings={"terms": [], "trials": 40})
    >>> found.condition < 10, bool(abs(found.motion[1]).max() <= 2.0)
    (True, True)
    """
    require_scipy()
    collected = Findings() if findings is None else findings
    stated = IdentifySettings.of(settings or {})
    machine = read_machine(robot if isinstance(robot, bytes) else fspath(robot), joints, reading, stated, collected)
    if machine.free_names:
        raise UsageError("--design moves no free or spherical joints: omit --base free")
    if not machine.names:
        raise UsageError("machine has no joint that moves")
    return _Search(machine).excitation(collected)


class _Search:
    """The search for the coefficients of the harmonics."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._settings = machine, machine.settings
        self._chance = np.random.default_rng(machine.settings.seed)
        count, n = machine.settings.harmonics, machine.settings.samples
        if count < 3:
            raise UsageError(f"harmonics of [identify] are {count} (expected 3 or more: a motion begins at rest)")
        self._times: Floats = np.arange(n + 1, dtype=float) * (machine.settings.duration / n)
        self._basis = self._harmonics(self._times)
        # at rest at the start and the end: velocity and acceleration 0
        rest = self._basis[1:, 0]
        self._free = np.linalg.svd(rest / np.linalg.norm(rest, axis=1, keepdims=True))[2][2:].T
        self._limits = [{**_USUAL, **machine.limits(name)} for name in machine.names]
        self._low, self._high = np.array([one["position"] for one in self._limits]).T
        rates = [[min(-one[key][0], one[key][1]) for key in ("velocity", "acceleration")] for one in self._limits]
        self._rates = _MARGIN * np.array(rates)
        self._torques = np.array([one.get("torque", (-math.inf, math.inf)) for one in self._limits])
        self._stated = np.concatenate([machine.stated_values(), np.nan_to_num(machine.stated_terms())])
        self._heads = list(machine.base_parameters)
        self._heads += range(10 * len(machine.mechanism.bodies), len(self._stated))

    def _harmonics(self, times: Floats) -> Floats:
        """Return positions, velocities and accelerations (3, samples, 2 harmonics) of unit coefficients."""
        w = 2 * np.pi / self._settings.duration * np.arange(1, self._settings.harmonics + 1)
        sine, cosine = np.sin(np.outer(times, w)), np.cos(np.outer(times, w))
        rates, seconds = [w * cosine, -w * sine], [-(w**2) * sine, -(w**2) * cosine]
        return np.stack([np.hstack(pair) for pair in ([sine, cosine], rates, seconds)])

    def excitation(self, findings: Findings) -> Excitation:
        """Search, and return the best motion."""
        m, size, middles = len(self._low), self._free.shape[1], self._middles()
        best, coefficients, center, start, width = math.inf, np.zeros((m, size)), middles[0], math.inf, 1.0
        for trial in range(self._settings.trials):
            fresh = trial < max(10, self._settings.trials // 10)
            step = self._chance.normal(size=(m, size))
            if fresh or not math.isfinite(best):
                moved, about = step, middles[trial % len(middles)]
            else:
                moved, about = coefficients + width * step * (self._chance.random((m, 1)) < 0.5), center
            value, tried = self._value(moved, about)
            start = value if not math.isfinite(start) else start
            if value < best:
                best, coefficients, center, width = value, tried, about, min(1.0, 1.5 * width)
            elif not fresh:
                width = max(0.02, 0.97 * width)
        if not math.isfinite(best):
            named = zip(self._machine.names, self._limits, strict=True)
            heavy = name_list([name for name, one in named if "torque" in one])
            words = (
                f"no motion keeps the limits of torque of {heavy}, not of a tenth of the size in poses of least torque"
            )
            raise UsageError(f"{words}; check limits and masses")
        return self._result(coefficients, center, start, findings)

    def _middles(self) -> Floats:
        """Return the middles of motions (k, m): that of the limits, or poses at rest that need little torque."""
        middle = (self._low + self._high) / 2
        some = np.vstack([middle, self._chance.uniform(self._low, self._high, (_POSES, len(middle)))])
        none = np.zeros((2, len(some), len(self._machine.coupling)))
        held = (
            machine_regressor(self._machine, some @ self._machine.coupling.T + self._machine.offset, *none)
            @ self._stated
        )
        use = np.where(held < 0, held / self._torques[:, 0], held / self._torques[:, 1]).max(axis=1)
        return some[:1] if use[0] < _HELD else some[np.argsort(use)[:_LIGHT]]

    def _motion(self, coefficients: Floats, center: Floats, basis: Floats) -> Floats:
        """Return the motion ``(3, samples, m)`` of the independent coordinates."""
        driven = np.einsum("dsk,mk->dsm", basis, coefficients @ self._free.T)
        driven[0] += center
        return np.asarray(driven)

    def _regressor(self, coefficients: Floats, center: Floats) -> Floats:
        """Return the regressor (samples, m, parameters) of a motion."""
        moved = self._motion(coefficients, center, self._basis) @ self._machine.coupling.T
        moved[0] += self._machine.offset
        return machine_regressor(self._machine, *moved)

    def _value(self, coefficients: Floats, center: Floats) -> tuple[float, Floats]:
        """Return what is minimised, infinite beyond limits of torque, and coefficients (m, k) that keep all limits."""
        room = np.column_stack([_MARGIN * np.minimum(center - self._low, self._high - center), self._rates])
        use = np.abs(self._motion(coefficients, 0 * center, self._basis)).max(axis=1).T / np.maximum(room, 1e-12)
        coefficients = coefficients / np.maximum(use.max(axis=1), 1e-12)[:, None]
        low, high = _MARGIN * self._torques.T
        for size in _SIZES:
            W = self._regressor(size * coefficients, center)
            torques = W @ self._stated
            if (torques >= low).all() and (torques <= high).all():
                break
        else:
            return math.inf, coefficients
        return self._criterion(W, self._settings.criterion), size * coefficients

    def _criterion(self, W: Floats, name: str) -> float:
        """Return the condition number of columns of equal size, or minus the logarithm of the determinant."""
        rows = W.reshape(-1, W.shape[2])[:, self._heads]
        norms = np.linalg.norm(rows, axis=0)
        rows = rows[:, norms > 1e-9 * norms.max()]
        R = np.asarray(np.linalg.qr(rows / np.linalg.norm(rows, axis=0), mode="r"))
        kept = np.abs(np.diag(R)) > 1e-7  # the others depend on those before them
        if name == "D":
            sign, value = np.linalg.slogdet(rows[:, kept].T @ rows[:, kept])
            return float(-value) if sign > 0 else math.inf
        return float(np.linalg.cond(R[:, kept]))

    def _result(self, coefficients: Floats, center: Floats, start: float, findings: Findings) -> Excitation:
        """Return the motion with its promises: σ of a fit of a run of one period."""
        own: Floats = self._motion(coefficients, center, self._basis)
        W = self._regressor(coefficients, center)
        machine, rate = self._machine, self._settings.rate
        torques = np.asarray(W @ self._stated)
        noise = _NOISE * np.maximum(np.abs(torques).max(axis=0), 1e-9)
        given = self._settings.noise
        noise = np.array([given.get(name, given.get("all", x)) for name, x in zip(machine.names, noise, strict=True)])
        times = np.arange(int(self._settings.duration * rate) + 1) / rate
        positions = self._motion(coefficients, center, self._harmonics(times))[0] @ machine.coupling.T + machine.offset
        known, parts = np.ones(len(noise), bool), [slice(0, len(times))]
        run = Run("motion", "motion", times, positions, np.zeros((len(times), len(noise))), known, parts, 1 / rate)
        how = choose_filter(machine, [run], findings)
        differentiate_runs(machine, [run], how, findings)
        groups = collect_groups(machine, [run], how, [])
        fit = weighted_fit(groups, {(0, k): float(x) for k, x in enumerate(noise)})
        used: list[dict[str, Any]] = []
        for k, (name, limits) in enumerate(zip(machine.names, self._limits, strict=True)):
            keys = ("position", "velocity", "acceleration", "torque")
            for key, values in zip(keys, np.vstack([own[:, :, k], torques[:, k]]), strict=True):
                if key in limits:
                    low, high = limits[key]
                    span = {"low": low, "high": high, "least": float(values.min()), "most": float(values.max())}
                    used.append({"joint": name, "limit": key, **span})
        condition, heads = self._criterion(W, "condition"), tuple(groups.columns.heads)
        return Excitation(
            machine.names, self._times, own, torques, condition, start, heads, fit.sigmas, rate, noise, used
        )  # fmt: skip
