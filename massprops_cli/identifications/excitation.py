"""Exciting motions: harmonics within the limits of a robot at every sample, and the uncertainties that they promise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, UsageError, name_list
from massprops_cli.identifications.fit import Columns, base_columns
from massprops_cli.identifications.machine import Floats, IdentifySettings, Machine, read_machine
from massprops_cli.identifications.signals import machine_regressor
from massprops_cli.mechanisms.model import AS_STATED, RobotReading

_USUAL = {"position": (-math.pi, math.pi), "velocity": (-2.0, 2.0), "acceleration": (-10.0, 10.0)}
"""Limits of a coordinate that states none: rad or m, and seconds."""
_MARGIN = 0.98  # share of each limit that a motion uses
_NOISE = 0.01  # noise of a torque, as a share of its largest value, for the promised σ


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
        Base parameters.
    sigmas : array
        σ of each for noise of 1 % of the largest torque of each coordinate.
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
        The keys of ``[identify]``: harmonics, duration, samples, limits, criterion, trials, seed.
    findings : Findings, optional
        Receives what is reported.

    Returns
    -------
    Excitation
        The same for the same seed.

    Raises
    ------
    UsageError
        No motion within the limits of torque was found, or the base is free.

    Notes
    -----
    Each coordinate is a sum of harmonics of one period that begins and ends at rest. A random search with shrinking
    steps minimises the condition number of the regressor with columns of equal size, or maximises its determinant.

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
    collected = Findings() if findings is None else findings
    stated = IdentifySettings.of(settings or {})
    machine = read_machine(robot if isinstance(robot, bytes) else fspath(robot), joints, reading, stated, collected)
    if machine.free_names:
        raise UsageError("--design moves no free or spherical joints: omit --base free")
    if not machine.names:
        raise UsageError("machine has no joint that moves")
    search = _Search(machine, base_columns(machine))
    return search.excitation()


class _Search:
    """The search for the coefficients of the harmonics."""

    def __init__(self, machine: Machine, columns: Columns) -> None:
        self._machine, self._settings = machine, machine.settings
        self._chance = np.random.default_rng(machine.settings.seed)
        count, n = machine.settings.harmonics, machine.settings.samples
        if count < 3:
            raise UsageError(f"harmonics of [identify] are {count} (expected 3 or more: a motion begins at rest)")
        self._times: Floats = np.arange(n + 1, dtype=float) * (machine.settings.duration / n)
        phase = 2 * np.pi / machine.settings.duration * self._times
        k = np.arange(1, count + 1)
        sine, cosine = np.sin(np.outer(phase, k)), np.cos(np.outer(phase, k))
        w = 2 * np.pi / machine.settings.duration * k
        # (3, samples, 2 count): positions, velocities, accelerations of unit coefficients
        rates, seconds = [w * cosine, -w * sine], [-(w**2) * sine, -(w**2) * cosine]
        self._basis = np.stack([np.hstack(pair) for pair in ([sine, cosine], rates, seconds)])
        # at rest at the start and the end: velocity and acceleration 0
        rest = np.array([self._basis[1, 0], self._basis[2, 0]])
        self._free = np.linalg.svd(rest / np.linalg.norm(rest, axis=1, keepdims=True))[2][2:].T
        self._limits = [{**_USUAL, **machine.limits(name)} for name in machine.names]
        self._columns = columns
        self._stated = np.concatenate([machine.stated_values(), np.nan_to_num(machine.stated_terms())])

    def excitation(self) -> Excitation:
        """Search, and return the best motion."""
        m, size = len(self._machine.names), self._free.shape[1]
        best, coefficients, start, width = math.inf, np.zeros((m, size)), math.inf, 1.0
        for trial in range(self._settings.trials):
            fresh = trial < max(10, self._settings.trials // 10)
            step = self._chance.normal(size=(m, size))
            is_new = fresh or not math.isfinite(best)
            moved = step if is_new else coefficients + width * step * (self._chance.random((m, 1)) < 0.5)
            tried = self._scaled(moved)
            value = self._value(tried)
            start = value if not math.isfinite(start) else start
            if value < best:
                best, coefficients, width = value, tried, min(1.0, 1.5 * width)
            elif not fresh:
                width = max(0.02, 0.97 * width)
        if not math.isfinite(best):
            named = zip(self._machine.names, self._limits, strict=True)
            heavy = name_list([name for name, one in named if "torque" in one])
            raise UsageError(f"no motion keeps the limits of torque of {heavy}; check limits and masses")
        return self._result(coefficients, start)

    def _scaled(self, coefficients: Floats) -> Floats:
        """Return coefficients scaled so that each coordinate uses its limits of position, velocity and acceleration."""
        found = coefficients.copy()
        for k, limits in enumerate(self._limits):
            moved = self._basis @ (self._free @ found[k])
            low, high = limits["position"]
            rates = [min(-limits[key][0], limits[key][1]) for key in ("velocity", "acceleration")]
            room = np.array([(high - low) / 2, *rates])
            use = np.abs(moved).max(axis=1) / (_MARGIN * room)
            found[k] /= max(float(use.max()), 1e-12)
        return found

    def _motion(self, coefficients: Floats) -> Floats:
        """Return the motion ``(3, samples, f)`` of all coordinates of the model."""
        driven = np.einsum("dsk,mk->dsm", self._basis, coefficients @ self._free.T)
        driven[0] += [(low + high) / 2 for low, high in (one["position"] for one in self._limits)]
        moved = driven @ self._machine.coupling.T
        moved[0] += self._machine.offset
        return np.asarray(moved)

    def _value(self, coefficients: Floats) -> float:
        """Return what is minimised; infinite beyond a limit of torque."""
        W = machine_regressor(self._machine, *self._motion(coefficients))
        torques = W @ self._stated
        for k, limits in enumerate(self._limits):
            low, high = limits.get("torque", (-math.inf, math.inf))
            if torques[:, k].min() < low * _MARGIN or torques[:, k].max() > high * _MARGIN:
                return math.inf
        rows = W.reshape(-1, W.shape[2])[:, self._columns.kept]
        norms = np.linalg.norm(rows, axis=0)
        if self._settings.criterion == "D":
            sign, value = np.linalg.slogdet(rows.T @ rows + 1e-12 * np.eye(rows.shape[1]))
            return float(-value) if sign > 0 else math.inf
        return float(np.linalg.cond(rows / np.where(norms > 0, norms, 1.0)))

    def _result(self, coefficients: Floats, start: float) -> Excitation:
        """Return the motion with its promises."""
        motion = self._motion(coefficients)
        W = machine_regressor(self._machine, *motion)
        torques = W @ self._stated
        noise = _NOISE * np.maximum(np.abs(torques).max(axis=0), 1e-9)
        rows = (W[:, :, self._columns.kept] / noise[None, :, None]).reshape(-1, len(self._columns.kept))
        norms = np.linalg.norm(rows, axis=0)
        sigmas = np.linalg.norm(np.linalg.pinv(rows / norms), axis=1) / norms
        plain = W.reshape(-1, W.shape[2])[:, self._columns.kept]
        condition = float(np.linalg.cond(plain / np.linalg.norm(plain, axis=0)))
        own = motion[:, :, list(self._machine.independent)]
        used: list[dict[str, Any]] = []
        for k, (name, limits) in enumerate(zip(self._machine.names, self._limits, strict=True)):
            keys = ("position", "velocity", "acceleration", "torque")
            for key, values in zip(keys, [*own[..., k], torques[:, k]], strict=True):
                if key in limits:
                    low, high = limits[key]
                    span = {"low": low, "high": high, "least": float(values.min()), "most": float(values.max())}
                    used.append({"joint": name, "limit": key, **span})
        heads, promised = tuple(self._columns.heads), np.asarray(sigmas, np.float64)
        return Excitation(self._machine.names, self._times, own, torques, condition, start, heads, promised, used)
