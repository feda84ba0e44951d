"""What is wrong with measured runs: hypotheses on recordings, runs that disagree, what the table omits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, Place, TableError, name_list
from massprops_cli.identifications.fit import Fit, Groups, differing_runs, null_columns
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import Prior, free_of_terms, parameter_scales, parameters_of
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import machine_regressor

_STILL = 1e-4  # rad or m of travel: a joint at rest
_OF_A_POINT = 3  # more numbers that a mass at a point has than a gain
_SAMPLES = 200  # of a run, for hypotheses
_COUNTED = 100  # independent samples of all torques together that they count as: the table is not exact
_ROUNDS = 8  # of weights from residuals
_FRICTION = 10.0  # σ of each friction, as a share of the torque
_POOR = 0.4  # residual, as a share of the torques, that explains nothing
_LATEST = 0.3  # s, of torques
_NEEDED = math.log(1e6)  # logarithm of the likelihood of a hypothesis, as a multiple of that of the recording as it is
_ALIKE = math.log(20)  # of the most likely one, up to which others are named with it
_TIMES = {"ms": 1e-3, "us": 1e-6, "s": 1e3}
_TORQUES = {"N*mm": 1e-3, "N*cm": 1e-2, "lbf*in": 0.112984829, "kgf*m": 9.80665, "kN*m": 1e3}
_FORCES = {"mN": 1e-3, "lbf": 4.4482216, "kgf": 9.80665, "kN": 1e3}
_SURE = 40.0  # decrease of χ² that shows a mass, friction or a gain
_EXPLAINED = 50.0  # χ² that a mass removes by each of its four numbers, as a multiple of what it leaves by each other
_NEGATIVE = 3.5  # σ below 0 of friction or armature


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    """A recording that is not what its columns state: motion (3, samples, m), gravity, torques (samples, m)."""

    words: str
    rule: str
    remedy: str
    motion: Floats
    gravity: Floats
    torques: Floats


def _solution(H: Floats, g: Floats) -> tuple[Floats, float]:
    """Return u (p,) of H u = g, and the logarithm of the determinant, of H (p, p) whose eigenvalues are 1 or more."""
    values, vectors = np.linalg.eigh(H)
    values = np.maximum(values, 1.0)  # less is rounding, of data without noise
    return vectors @ (vectors.T @ g / values), float(np.log(values).sum())


class _Recording:
    """Samples of a run, and the likelihood of what they may be, given the table and free friction."""

    def __init__(self, machine: Machine, run: Run, prior: Prior) -> None:
        ends = [(part.start, part.stop, (part.stop - part.start) // 20) for part in run.parts]
        inner = np.concatenate([np.arange(low + cut, high - cut) for low, high, cut in ends])
        self._rows = inner[:: max(1, len(inner) // _SAMPLES)]
        self._reach = min(*(cut for *_, cut in ends), int(_LATEST / run.step), len(inner))
        self._machine, self._run, self._values = machine, run, prior.values
        self._last: tuple[Any, ...] = (None, None)
        self._scales = machine.settings.spread * np.concatenate(
            [parameter_scales(ten) for ten in prior.values.reshape(-1, 10)]
        )
        self._motion = np.asarray(run.signals[:, self._rows][:, :, list(machine.independent)])
        self._torques = run.forces[self._rows]
        self._known = np.flatnonzero(run.measured & (np.ptp(self._torques, axis=0) > 0)).tolist()

    def _regression(self, motion: Floats, gravity: Floats) -> tuple[Floats, Floats]:
        """Return torques (samples, known) that the table predicts, and what σ of table and friction add to them."""
        machine, n, known = self._machine, len(self._values), self._known
        mechanism = replace(machine.mechanism, gravity=tuple(gravity.tolist()))
        whole = motion @ machine.coupling.T
        whole[0] += machine.offset
        own = replace(machine, model=replace(machine.model, mechanism=mechanism))
        W = machine_regressor(own, *whole)[:, known, :n]
        friction = np.zeros((len(W), len(known), 3 * len(known)))
        for place, k in enumerate(known):
            rate = motion[1, :, k]
            columns = np.stack([rate, np.sign(rate), motion[2, :, k]], axis=1)
            size = _FRICTION * np.std(self._torques[:, k]) / np.maximum(np.std(columns, axis=0), 1e-300)
            friction[:, place, 3 * place : 3 * place + 3] = columns * size
        sensitivity = np.concatenate([W * self._scales, friction], axis=2)
        return W @ self._values, sensitivity - sensitivity.mean(axis=0)  # offsets are free

    def log_likelihood(self, one: _Hypothesis) -> tuple[float, Floats, float]:
        """Return log likelihood, residuals (known,) as shares of the deviations, and the distance from the table."""
        # θ = table + scales·u, u normal, that of friction not negative; noise of each torque unknown
        if self._last[0] is not one.motion or self._last[1] is not one.gravity:
            predicted, A = self._regression(one.motion, one.gravity)
            self._last = one.motion, one.gravity, predicted, A, np.einsum("skp,skq->kpq", A, A, optimize=True)
        _, _, predicted, A, gram = self._last
        n, sizes = len(self._values), np.var(one.torques[:, self._known], axis=0)
        rest = one.torques[:, self._known] - predicted
        rest -= rest.mean(axis=0)
        share = min(1.0, _COUNTED / rest.size)
        right = np.einsum("skp,sk->kp", A, rest)
        squares = np.mean(rest**2, axis=0)
        for _ in range(_ROUNDS):
            weights = share / np.maximum(squares, 1e-12 * sizes)
            H, g = np.eye(A.shape[2]) + np.tensordot(weights, gram, 1), weights @ right
            u, log_size = _solution(H, g)
            if (u[n:] < 0).any():
                kept = np.flatnonzero((np.arange(len(u)) < n) | (u > 0))
                u = np.zeros(len(u))
                u[kept] = _solution(H[np.ix_(kept, kept)], g[kept])[0]
            squares = np.mean((rest - A @ u) ** 2, axis=0)
        shares = np.sqrt(np.maximum(squares / sizes, 1e-12))
        distance = float(u @ u)
        value = -share * len(A) * float(np.log(shares).sum()) - (distance + log_size) / 2
        return value, shares, distance

    def hypotheses(self) -> Iterator[_Hypothesis]:
        """Yield what the recording may be, other than what its columns state."""
        machine, z, y = self._machine, self._motion, self._torques
        names, m = machine.names, len(machine.names)
        free = [k for k in range(m) if names[k] not in machine.free_names]
        known = [k for k in self._known if k in free]

        def scaled(array: Floats, joints: Sequence[int], factor: float) -> Floats:
            """Return columns of some joints times a factor."""
            return array * np.where(np.isin(np.arange(m), joints), factor, 1.0)

        for name, factor in _TIMES.items():
            motion = z / np.array([1.0, factor, factor**2])[:, None, None]
            yield self._other(f"time is in {name}", f"name the column t [{name}]", "MP894", motion=motion)
        angles = [k for k in free if machine.is_angle(names[k])]
        slides = [k for k in free if k not in angles]
        for every, mark, units, one in (
            (angles, "q", {"deg": math.pi / 180}, "positions"), (slides, "q", {"mm": 1e-3}, "positions"),
            ([k for k in angles if k in known], "tau", _TORQUES, "torques"),
            ([k for k in slides if k in known], "tau", _FORCES, "torques"),
        ):  # fmt: skip
            for some in [every] * bool(every) + [[k] for k in every if len(every) > 1]:
                listed, first = name_list([names[k] for k in some]), names[some[0]]
                for name, factor in units.items():
                    words = f"{one} of {listed} are in {name}"
                    remedy = f"name the columns {mark}_{first} [{name}], or pass --unit {first}.{mark}={name}"
                    other = {"motion": scaled(z, some, factor)} if mark == "q" else {"torques": scaled(y, some, factor)}
                    yield self._other(words, remedy, "MP894", **other)
        yield self._other("torques of all joints have the opposite sign", "change their sign", "MP894", torques=-y)
        for k in free:
            motion, torques = scaled(z, [k], -1.0), scaled(y, [k], -1.0)
            yield from self._of_columns(f"of {names[k]} have the opposite sign", "reverse them", [k], motion, torques)
        for i, j in combinations(free, 2):
            order = np.arange(m)
            order[[i, j]] = j, i
            motion, words = z[:, :, order], f"of {names[i]} and {names[j]} are exchanged"
            yield from self._of_columns(words, "exchange these columns", [i, j], motion, y[:, order])
        for late in [k for k in range(-self._reach, self._reach + 1) if k]:
            words = f"torques are {abs(late) * self._run.step:.2g} s ({abs(late)} samples)"
            words += " late" if late > 0 else " early"
            remedy = "shift the torques against the positions, or find the filter that delays one of them"
            yield self._other(words, remedy, "MP895", torques=self._run.forces[self._rows + late])
        for axis, size in product(np.eye(3), (-9.81, 9.81)):
            words = " ".join(f"{float(x):g}" for x in size * axis + 0.0)
            remedy = f"pass --gravity {words.replace(' ', ',')} if the machine is mounted so"
            yield self._other(f"gravity is {words} m/s²", remedy, "MP894", gravity=size * axis)

    def _other(self, words: str, remedy: str, rule: str, **change: Any) -> _Hypothesis:
        """Return a hypothesis that changes some of the arrays."""
        given = {"motion": self._motion, "gravity": self._machine.model.gravity, "torques": self._torques, **change}
        return _Hypothesis(words, rule, remedy, **given)

    def _of_columns(
        self, words: str, remedy: str, joints: Sequence[int], motion: Floats, torques: Floats
    ) -> Iterator[_Hypothesis]:
        """Yield that positions, torques or both of some joints are other columns."""
        yield self._other(f"positions {words}", remedy, "MP895", motion=motion)
        if len(self._machine.names) > 1 and set(joints) <= set(self._known):
            yield self._other(f"positions and torques {words}", remedy, "MP895", motion=motion, torques=torques)
            yield self._other(f"torques {words}", remedy, "MP895", torques=torques)

    def report(self, findings: Findings) -> bool:
        """Report the hypotheses that are far more likely than what the columns state; return whether there are any."""
        if not self._known:
            return False
        start, shares, distance = self.log_likelihood(self._other("", "", ""))
        part = max(self._run.parts, key=lambda one: one.stop - one.start)
        white = np.std(np.diff(self._run.forces[part], 4, axis=0), axis=0) / math.sqrt(
            70
        )  # noise of fourth differences
        floor = (white / np.maximum(np.std(self._torques, axis=0), 1e-300))[self._known]
        most = _COUNTED * float(np.log(np.maximum(shares / np.maximum(floor, 1e-9), 1.0)).mean()) + distance / 2
        if most < _NEEDED:
            return False
        every, far = (
            ((*self.log_likelihood(one), one) for one in self.hypotheses()),
            2 * len(self._machine.base_parameters),
        )
        tried = sorted(
            (one for one in every if one[2] < far and np.sqrt(np.mean(one[1] ** 2)) < _POOR), key=lambda one: -one[0]
        )
        if not tried or tried[0][0] - start < _NEEDED:
            return False
        best, rests, _, named = tried[0]
        words = " or ".join([one[3].words for one in tried if one[0] >= best - _ALIKE][:3])
        rest, before = (100 * float(np.sqrt((one**2).mean())) for one in (rests, shares))
        odds = f"1e{int((best - start) / math.log(10))} times as likely as what the columns state"
        message = f"{words}, probably: {odds}; residual {rest:.2g} % of the torques, not {before:.2g} %"
        findings.report(named.rule, message, Place(self._run.file), value=named.words, remedy=named.remedy)
        return True


def check_recordings(machine: Machine, runs: Sequence[Run], prior: Prior, findings: Findings) -> bool:
    """Report joints at rest, and what recordings probably are, which is returned; TableError after another unit."""
    before, is_suspect = len(findings), False
    for run in runs:
        travels = np.ptp(run.positions, axis=0)
        still = [machine.model.names[k] for k in machine.independent if travels[k] < _STILL]
        still = [name for name in still if name not in machine.free_names]
        if still and len(still) < len(machine.independent):
            message = f"joints do not move: {name_list(still)}"
            remedy = "check whether the joint, or its encoder, is stuck; this run shows little of it"
            place = Place(run.file)
            findings.report("MP895", message, place, value=still[0], item=still[0], count=len(still), remedy=remedy)
        if run.parts and prior.values[::10].any():
            is_suspect |= _Recording(machine, run, prior).report(findings)
    if any(one.rule == "MP894" for one in findings[before:]):
        raise TableError(findings)
    return is_suspect


def check_terms(groups: Groups, fit: Fit, findings: Findings) -> None:
    """Report friction and rotors that are negative beyond their σ."""
    columns = groups.columns
    found = []
    for k, name in enumerate(columns.heads):
        is_alone = np.count_nonzero(columns.transform[k]) == 1
        if name.startswith(("armature_", "viscous_", "coulomb_")) and is_alone:
            value, sigma = float(fit.values[k]), float(fit.sigmas[k])
            found += [f"{name} {value:.3g} ± {sigma:.2g}"] * (value < -_NEGATIVE * sigma)
    if found:
        message = f"friction or rotor inertia is negative, which no joint has: {name_list(found)}"
        remedy = "check signs, gains and the delay of the torques of these joints; terms of [identify] omits a term"
        findings.report("MP899", message, value=found[0], remedy=remedy)


def check_omitted_masses(
    machine: Machine, groups: Groups, fit: Fit, prior: Prior, runs: Sequence[Run], findings: Findings
) -> None:
    """Report masses at links that the table does not have."""
    n = len(prior.values)
    B = groups.columns.transform[:, :n]
    M = free_of_terms(groups.columns, fit.covariance + B @ prior.covariance @ B.T, n)
    rest = M @ (fit.values - B @ prior.values)
    after, words, link = _mass_words(machine, M @ B, rest, prior)
    if gain := _gain_words(M @ fit.values, rest, after, 1.0):
        message = f"torques are probably {gain} times those of the table"
        remedy = "check the gains of the torques, and the masses of the table"
        findings.report("MP896", message, Place(runs[0].file), value=gain, remedy=remedy)
    elif words:
        message = f"motion shows about {words} that the table does not have"
        remedy = f'add it to the table, or write [identify.payload.tool] with link = "{link}" if it is a payload'
        findings.report("MP896", message, Place(runs[0].file), value=words, item=link, remedy=remedy)


def check_agreement(
    machine: Machine, groups: Groups, fit: Fit, prior: Prior, runs: Sequence[Run], findings: Findings
) -> bool:
    """Report runs whose parameters are not those of the others, and a mass that explains it; return whether any."""
    differing, B = differing_runs(groups, fit), groups.columns.transform[:, : len(prior.values)]
    for one in differing:
        run, other = runs[one.run], runs[one.others[0]].name if len(one.others) == 1 else "the other runs"
        after, words, link = _mass_words(machine, one.rows @ B, one.rest, prior)
        reverse = _mass_words(machine, one.rows @ B, -one.rest, prior)
        gain = _gain_words(one.rows @ fit.values, one.rest, min(after, reverse[0]), 1 / len(runs))
        if gain:
            words, link = f"; its torques are probably {gain} times as large", ""
        else:
            if len(one.others) == 1 and reverse[0] < after:
                (_, words, link), run, other = reverse, runs[one.others[0]], run.name
            words = f"; it probably carries {words}" if words else ""
        worst = sorted(one.off, key=lambda name: -abs(one.off[name]))[:3]
        farthest = name_list([f"{name} by {abs(one.off[name]):.3g} σ" for name in worst])
        square = f"χ² {float(one.rest @ one.rest):.4g} for {len(one.rest)} parameters"
        message = f"run differs from {other}: {square}, residual {one.misfit:.3g} σ; farthest: {farthest}{words}"
        remedy = "identify the runs apart, or omit one; σ include the differences"
        if link:
            remedy = f'write [identify.payload.tool] with link = "{link}" and runs = ["{run.name}"]'
        findings.report("MP896", message, Place(run.file), item=link, remedy=remedy)
    return bool(differing)


def _gain_words(whole: Floats, rest: Floats, after: float, share: float) -> str:
    """Return the factor of all torques that explains ``rest`` (k,) as well as a mass with χ² ``after``; or nothing.

    ``whole`` (k,) is of torques of which ``share`` has the factor: 1 for those that are compared with a table.
    """
    size = float(whole @ whole)
    gain = float(whole @ rest) / size if size else 0.0
    left = float(rest @ rest) - gain**2 * size
    scale = max(left / max(len(rest) - 1, 1), 1.0)
    if gain**2 * size < max(_SURE, _EXPLAINED * scale) or left > after + 2 * _OF_A_POINT * max(after / len(rest), 1.0):
        return ""
    return f"{(1 + (1 - share) * gain) / (1 - share * gain):.3g}"


def _mass_words(machine: Machine, columns: Floats, rest: Floats, prior: Prior) -> tuple[float, str, str]:
    """Return χ² after a point mass that explains ``rest``, the links that are about as likely for it, and the first."""
    found = []
    for body, one in enumerate(machine.mechanism.bodies):
        at = slice(10 * body, 10 * body + 10)
        if np.linalg.norm(columns[:, at]):
            mass, sigma, after = _point_mass(columns[:, at], rest, prior.values[at])
            size = f"{mass:.3g} ± {sigma:.2g} kg" if mass > 3 * sigma else "some mass"
            found.append((after, f"{size} at link {one.name}", one.name))
    found.sort()
    scale = max(found[0][0] / max(len(rest) - 4, 1), 1.0) if found else 1.0  # of what no mass explains
    if not found or float(rest @ rest) - found[0][0] < max(_SURE, 4 * _EXPLAINED * scale):
        return math.inf, "", ""
    some = [words for after, words, _ in found if after - found[0][0] < 2 * _ALIKE * scale][:4]
    within = f" (as likely within a factor of {math.exp(_ALIKE):.0f})"
    return found[0][0], " or ".join(some) + within * (len(some) > 1), found[0][2]


def _point_mass(A: Floats, b: Floats, ten: Floats) -> tuple[float, float, float]:
    """Return the best positive mass at a point of a link of parameters (10,), its σ, and χ² of A x = b (k,)."""
    from scipy.optimize import least_squares

    def off(x: Floats) -> Floats:
        """Return the residual with a mass x₀ at the point x₁, x₂, x₃ of the link."""
        point = np.array([*x[1:], 1.0])
        return np.asarray(A @ (x[0] * parameters_of(np.outer(point, point))) - b)

    start = [0.1 * max(float(ten[0]), 0.1), *(ten[1:4] / ten[0] if ten[0] > 0 else np.zeros(3))]
    best = least_squares(off, start, bounds=([0.0, *[-np.inf] * 3], np.inf), x_scale=[1.0, 0.1, 0.1, 0.1])
    hidden = null_columns(best.jac)
    is_hidden = bool(hidden.size) and float(np.abs(hidden[0]).max()) > 1e-6  # another mass at another point is as good
    sigma = np.inf if is_hidden else float(np.linalg.norm(np.linalg.pinv(best.jac)[0]))
    return float(best.x[0]), sigma, 2 * float(best.cost)
