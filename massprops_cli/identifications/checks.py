"""What is wrong with measured runs: hypotheses on recordings, runs that disagree, what the table omits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, Place, TableError, name_list
from massprops_cli.identifications.fit import Difference, Fit, Groups, differing_runs, weighted_fit
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import Prior, free_of_terms, parameter_scales, parameters_of
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import machine_regressor, upper_factor

_STILL = 1e-4  # rad or m of travel: a joint at rest
_SAMPLES = 200  # of a run, for hypotheses
_COUNTED = 100  # independent samples of all torques together that they count as: the table is not exact
_ROUNDS = 8  # of weights from residuals
_FRICTION = 10.0  # σ of each friction, as a share of the torque
_GRAVITY = 1.0, 30.0  # m/s², of other gravity
_FITTED = 1.5 * math.log(_COUNTED)  # of three numbers
_POOR = 0.4  # residual, as a share of the torques, that explains nothing
_LATEST = 0.3  # s, of torques
_NEEDED = math.log(1e6)  # logarithm of the likelihood of a hypothesis, as a multiple of that of the recording as it is
_ALIKE = math.log(20)  # of the most likely one, up to which others are named with it
_TIMES = {"ms": 1e-3, "us": 1e-6, "s": 1e3}
_TORQUES = {"N*mm": 1e-3, "N*cm": 1e-2, "lbf*in": 0.112984829, "kgf*m": 9.80665, "kN*m": 1e3}
_FORCES = {"mN": 1e-3, "lbf": 4.4482216, "kgf": 9.80665, "kN": 1e3}
_SURE = 40.0  # decrease of χ² that shows a mass, friction or a gain
_LEAST_SHARE = 0.9  # of the χ² of a run that differs, which its cause removes
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
    penalty: float = 0.0  # of what it fits, in log likelihood


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

    @cached_property
    def _noise(self) -> Floats:
        """White noise of the torques by their fourth differences (m,): no hypothesis fits better."""
        part = max(self._run.parts, key=lambda one: one.stop - one.start)
        return np.asarray(np.std(np.diff(self._run.forces[part], 4, axis=0), axis=0) / math.sqrt(70))

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
        """Return log likelihood, residual of each torque as a share of its deviation, and distance from the table."""
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
            H, g, u = np.eye(A.shape[2]) + np.tensordot(weights, gram, 1), weights @ right, np.zeros(A.shape[2])
            u = np.linalg.solve(H, g)
            if (u[n:] < 0).any():
                kept = np.flatnonzero((np.arange(len(u)) < n) | (u > 0))
                u = np.zeros(len(u))
                u[kept] = np.linalg.solve(H[np.ix_(kept, kept)], g[kept])
            squares = np.mean((rest - A @ u) ** 2, axis=0)
        shares = np.sqrt(np.maximum(squares / sizes, 1e-12))
        log_size = float(np.linalg.slogdet(H)[1])
        distance = float(u @ u)
        value = -share * len(A) * float(np.log(shares).sum()) - (distance + log_size) / 2 - one.penalty
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
        words, remedy = "torques of all joints have the opposite sign", "change the sign of all torques"
        yield self._other(words, remedy, "MP894", torques=-y)
        for k in free:
            motion, torques = scaled(z, [k], -1.0), scaled(y, [k], -1.0)
            yield from self._of_columns(f"of {names[k]} have the opposite sign", "reverse them", [k], motion, torques)
        for i, j in combinations(free, 2):
            order = np.arange(m)
            order[[i, j]] = j, i
            motion, words = z[:, :, order], f"of {names[i]} and {names[j]} are exchanged"
            yield from self._of_columns(words, "exchange these columns", [i, j], motion, y[:, order])
        for late in [k for k in range(-self._reach, self._reach + 1) if k]:
            size = f"{abs(late) * self._run.step:.2g} s ({abs(late)} samples)"
            words = f"torques are {size} {'late' if late > 0 else 'early'}"
            remedy = "shift the torques against the positions, or find the filter that delays one of them"
            yield self._other(words, remedy, "MP895", torques=self._run.forces[self._rows + late])
        yield from self._other_gravity()

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

    def _other_gravity(self) -> Iterator[_Hypothesis]:
        """Yield gravity along other axes, and as the table gives it by least squares."""
        none, y = np.zeros(3), self._torques[:, self._known]
        predicted, A = self._regression(self._motion, none)
        columns = np.stack([self._regression(self._motion, axis)[0] - predicted for axis in np.eye(3)], axis=2)
        rest = np.concatenate([columns, A[:, :, len(self._values) :], (y - predicted)[:, :, None]], axis=2)
        rest = ((rest - rest.mean(axis=0)) / np.std(y, axis=0)[:, None]).reshape(-1, rest.shape[2])
        best = np.linalg.lstsq(rest[:, :-1], rest[:, -1], rcond=1e-6)[0][:3]
        size = float(np.linalg.norm(self._machine.model.gravity)) or 9.81
        others = [(sign * size * axis, 0.0) for axis in np.eye(3) for sign in (-1, 1)]
        others += [(np.round(best, 2), _FITTED)] * bool(_GRAVITY[0] < np.linalg.norm(best) < _GRAVITY[1])
        for one, penalty in others:
            words = " ".join(f"{x:.4g}" for x in one + 0.0)
            remedy = f"pass --gravity {words.replace(' ', ',')} if the machine is mounted so"
            yield self._other(f"gravity is {words} m/s²", remedy, "MP894", gravity=one, penalty=penalty)

    def report(self, findings: Findings) -> bool:
        """Report the hypotheses that are far more likely than what the columns state; return whether there are any."""
        if not self._known:
            return False
        start, shares, distance = self.log_likelihood(self._other("", "", ""))
        floor = self._noise[self._known] / np.std(self._torques[:, self._known], axis=0)
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


def check_masses(
    machine: Machine, groups: Groups, fit: Fit, prior: Prior, runs: Sequence[Run], findings: Findings
) -> None:
    """Report masses at links that the table does not have."""
    n = len(prior.values)
    B = groups.columns.transform[:, :n]
    M = free_of_terms(groups.columns, fit.covariance + B @ prior.covariance @ B.T, n)
    rest = M @ (fit.values - B @ prior.values)
    found = sorted(_masses(machine, M @ B, rest, prior), key=lambda one: one.chi_square)
    gain = float(rest @ rest) - found[0].chi_square if found else 0.0
    degrees = max(len(rest) - 4, 1)
    if gain > _SURE and gain / 4 > _EXPLAINED * max(found[0].chi_square / degrees, 1.0):
        words, link = _alike(found, degrees), found[0].link
        message = f"motion shows about {words} that the table does not have"
        remedy = f'add it to the table, or write [identify.payload.tool] with link = "{link}" if it is a payload'
        findings.report("MP896", message, Place(runs[0].file), value=words, item=link, remedy=remedy)


@dataclass(frozen=True)
class _Cause:
    """What may explain a contradiction: χ² that it leaves, with a penalty for its parameters, words, and its link."""

    chi_square: float
    words: str
    link: str = ""
    run: int = 0


def _alike(found: Sequence[_Cause], degrees: int) -> str:
    """Return the most likely cause and those at least a twentieth as likely."""
    scale = max(1.0, found[0].chi_square / max(degrees, 1))  # of what no cause explains
    some = [one.words for one in found if one.chi_square - found[0].chi_square < 2 * _ALIKE * scale]
    within = f" (as likely within a factor of {math.exp(_ALIKE):.0f})"
    return " or ".join(some[:4]) + within * (len(some) > 1)


def _masses(
    machine: Machine, columns: Floats, rest: Floats, prior: Prior, penalty: float = 0.0, more: str = ""
) -> list[_Cause]:
    """Return a point mass at each link as a cause of ``rest``."""
    found = []
    for body, one in enumerate(machine.mechanism.bodies):
        at = slice(10 * body, 10 * body + 10)
        if np.linalg.norm(columns[:, at]):
            mass, sigma, after = _point_mass(columns[:, at], rest, prior.values[at])
            size = f"{mass:.3g} ± {sigma:.2g} kg" if mass > 3 * sigma else "some mass"
            found.append(_Cause(after + 4 * penalty, f"{size}{more} at link {one.name}", one.name))
    return found


def _point_mass(A: Floats, b: Floats, ten: Floats) -> tuple[float, float, float]:
    """Return the best positive mass at a point of a link of parameters ``ten``, its σ, and χ²."""
    from scipy.optimize import least_squares

    def off(x: Floats) -> Floats:
        """Return the residual with a mass x₀ at the point x₁, x₂, x₃ of the link."""
        point = np.array([*x[1:], 1.0])
        return np.asarray(A @ (x[0] * parameters_of(np.outer(point, point))) - b)

    center = ten[1:4] / ten[0] if ten[0] > 0 else np.zeros(3)
    start, low = [0.1 * max(float(ten[0]), 0.1), *center], [0.0, -np.inf, -np.inf, -np.inf]
    best = least_squares(off, start, bounds=(low, np.inf), x_scale=[1.0, 0.1, 0.1, 0.1])
    null = np.linalg.svd(best.jac)[2][-1] if (np.linalg.cond(best.jac) > 1e8) else np.zeros(4)
    sigma = np.inf if abs(null[0]) > 1e-6 else float(np.linalg.norm(np.linalg.pinv(best.jac)[0]))
    return float(best.x[0]), sigma, 2 * float(best.cost)


def check_agreement(
    machine: Machine, groups: Groups, fit: Fit, prior: Prior, runs: Sequence[Run], findings: Findings
) -> bool:
    """Report runs whose parameters are not those of the others, and why; return whether there are any."""
    differing = differing_runs(groups, fit)
    for one in differing:
        pair = [one.run, *(one.others if len(one.others) == 1 else ())]
        causes = [cause for r in pair for cause in _causes(machine, groups, fit, prior, (r, one))]
        best = min(causes, key=lambda cause: cause.chi_square, default=_Cause(0.0, "", run=pair[-1]))
        other = runs[next(r for r in (*pair, *one.others) if r != best.run)].name if len(pair) > 1 else "the other runs"
        worst = sorted(one.off, key=lambda name: -abs(one.off[name]))[:3]
        farthest = name_list([f"{name} by {abs(one.off[name]):.3g} σ" for name in worst])
        rms = max(fit.deviation[key] / fit.noise[key] for key in fit.noise if key[0] == best.run)
        square = f"χ² {one.chi_square:.4g} for {one.degrees} parameters"
        message = f"run differs from {other}: {square}, residual {rms:.3g} σ; farthest: {farthest}"
        remedy = "identify the runs apart, or omit one; σ include the differences"
        if causes:
            own = sorted((cause for cause in causes if cause.run == best.run), key=lambda cause: cause.chi_square)
            message += f"; probably {_alike(own, one.degrees)}"
        if best.link:
            remedy = f'write [identify.payload.tool] with link = "{best.link}" and runs = ["{runs[best.run].name}"]'
        findings.report("MP896", message, Place(runs[best.run].file), item=best.link, remedy=remedy)
    return bool(differing)


def _causes(machine: Machine, groups: Groups, fit: Fit, prior: Prior, which: tuple[int, Difference]) -> list[_Cause]:
    """Return what may make a run differ: a mass at a link, friction of a joint, or the gain of its torque."""
    run, one = which
    n, p, columns = len(prior.values), len(fit.values), groups.columns
    rows = {key: factor for key, factor in groups.factors().items() if key[0] in (one.run, *one.others)}
    part, S = groups.part(groups.pairs({one.run, *one.others} - {run}))
    others = np.linalg.pinv(S) @ weighted_fit(part, fit.noise).values
    joints = sorted({k for _, k in rows})
    friction = {
        joint: [k for k, head in enumerate(columns.heads) if head.endswith(f"_{joint}") and columns.kept[k] >= n]
        for joint in machine.motors
    }
    terms = [k for ks in friction.values() for k in ks]
    R = None
    for (r, k), factor in rows.items():
        A = factor[:, :p]
        more = np.zeros((len(A), n + len(terms) + len(joints)))
        if r == run:
            more[:, :n], more[:, n : n + len(terms)] = A @ columns.transform[:, :n], A[:, terms]
            more[:, n + len(terms) + joints.index(k)] = A @ others
        R = upper_factor(np.column_stack([A, more, factor[:, p]]) / fit.noise[r, k], R)
    assert R is not None
    E, rest = R[p:-1, p:-1], R[p:-1, -1]
    penalty = math.log(sum(count for key, count in fit.rows.items() if key[0] == run))
    before, x = float(rest @ rest), np.linalg.lstsq(E, rest, rcond=1e-9)[0]
    most = before - float(np.sum((rest - E @ x) ** 2))
    found = _masses(machine, E, rest, prior, penalty, " more")
    choices = [([n + terms.index(k) for k in ks], f"other friction of {joint}") for joint, ks in friction.items()]
    gains = [(n + len(terms) + j, machine.names[k]) for j, k in enumerate(joints)]
    choices = [one for one in choices if one[0]]
    for at, words in [
        *choices,
        *(([column], f"torques of {joint} {{:.3g}} times those of the others") for column, joint in gains),
    ]:
        x, *_ = np.linalg.lstsq(E[:, at], rest, rcond=1e-9)
        square = float(np.sum((rest - E[:, at] @ x) ** 2)) + len(at) * penalty
        found.append(_Cause(square, words.format(1 + float(x[0]))))
    return [replace(one, run=run) for one in found if before - one.chi_square > max(_SURE, _LEAST_SHARE * most)]
