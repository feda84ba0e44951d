"""What is wrong with measured runs: hypotheses on recordings, runs that disagree, what the table omits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, Place, TableError, count_with_noun, name_list
from massprops_cli.identifications.fit import (
    Difference,
    Fit,
    Groups,
    Payload,
    differing_runs,
    null_columns,
    weighted_fit,
    with_robust_sigmas,
)
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import Prior, free_of_terms, full_parameters, parameter_scales, parameters_of
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import machine_regressor

_STILL = 1e-4  # rad or m of travel: a joint at rest
_OF_A_POINT = 3  # more numbers that a mass at a point has than a gain
_SAMPLES = 200  # of a run, for hypotheses
_COUNTED = 100  # independent samples of all torques together that they count as: the table is not exact
_ROUNDS = 6  # of weights from residuals
_EXACT = 1e-3  # least residual, as a share of the torques
_ROUNDING = 1e-12  # of the diagonal: columns that depend on others leave it positive
_STEPS, _SMALL = 4, 1e-4  # of Gauss's and Newton's method, and for slopes: rad, m, or the logarithm of a gain
_MOST_GAIN, _MOST_ZERO = math.log(3), 0.8  # rad or m
_FLAT = 1e-6  # slope of a likelihood below which it shows nothing
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
_MOST = 10.0  # χ² that a gain of all torques removes, as a multiple of what it leaves
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
    loaded: int = -1  # a body that carries something unknown


@dataclass(frozen=True, eq=False)
class _Explanation:
    """What a hypothesis explains: log likelihood, residuals as shares of the torques, distance from what is known."""

    hypothesis: _Hypothesis
    likelihood: float
    shares: Floats  # (known,)
    distance: float


@dataclass(frozen=True, eq=False)
class _Solution:
    """The most likely parameters of links and friction under a hypothesis."""

    u: Floats  # (p,)
    before: Floats  # (samples, known): torques that what is known does not predict, offsets apart
    sensitivity: Floats  # (samples, known, p)
    weights: Floats  # (known,)
    factor: Any  # of I + Aᵀ W A by Cholesky

    def step(self, slope: Floats) -> float:
        """Return the number that explains most, of which ``slope`` (samples, known) is that of ``before``; or NaN."""
        from scipy.linalg import cho_solve

        A, weighted = self.sensitivity, slope * self.weights
        free = slope - A @ cho_solve(self.factor, np.einsum("skp,sk->p", A, weighted))
        size = float((free * weighted).sum())
        return -float((free * self.weights * self.before).sum()) / size if size > _FLAT else math.nan


class _Recording:
    """Samples of a run, and the likelihood of what they may be, given what is known of the links and free friction."""

    def __init__(
        self,
        machine: Machine,
        run: Run,
        payloads: Sequence[Payload],
        values: Floats,
        spread: Floats,
        counted: float = math.inf,
    ) -> None:
        # links are values (10 n,) + spread (10 n, k) · u, u normal, with the payloads of the run
        values, of_links = values.copy(), values
        for one in payloads:
            at = slice(10 * one.body, 10 * one.body + 10)
            values[at] += 0.0 if one.known is None else one.known
            spread = np.hstack([spread, _loads(of_links, one.body)]) if one.known is None else spread
        ends = [(part.start, part.stop, (part.stop - part.start) // 20) for part in run.parts]
        inner = np.concatenate([np.arange(low + cut, high - cut) for low, high, cut in ends])
        self._rows = inner[:: max(1, len(inner) // _SAMPLES)]
        self._reach = min(*(cut for *_, cut in ends), int(_LATEST / run.step), len(inner))
        self._motion = np.asarray(run.signals[:, self._rows][:, :, list(machine.independent)])
        self._torques = run.forces[self._rows]
        self._known = np.flatnonzero(run.measured & (np.ptp(self._torques, axis=0) > 0)).tolist()
        self._machine, self._run, self._values, self._spread = machine, run, values, spread
        self._share = min(1.0, counted / max(len(self._rows) * len(self._known), 1))  # of independent samples
        self._last: tuple[Any, Any, Any] = None, None, None

    def _regression(self, one: _Hypothesis) -> tuple[Floats, Floats]:
        """Return the regressor (samples, known, 10 n) of the links, and that of friction (samples, known, 3 known)."""
        if one.motion is self._last[0] and one.gravity is self._last[1]:
            return self._last[2]  # type: ignore[no-any-return] # what this function returned
        machine, known = self._machine, self._known
        mechanism = replace(machine.mechanism, gravity=tuple(one.gravity.tolist()))
        whole = one.motion @ machine.coupling.T
        whole[0] += machine.offset
        own = replace(machine, model=replace(machine.model, mechanism=mechanism))
        W = machine_regressor(own, *whole)[:, known, : len(self._values)]
        friction = np.zeros((len(W), len(known), 3 * len(known)))
        for place, k in enumerate(known):
            rate = one.motion[1, :, k]
            columns = np.stack([rate, np.sign(rate), one.motion[2, :, k]], axis=1)
            size = _FRICTION * np.std(self._torques[:, k]) / np.maximum(np.std(columns, axis=0), 1e-300)
            friction[:, place, 3 * place : 3 * place + 3] = columns * size
        self._last = one.motion, one.gravity, (W, friction)
        return W, friction

    def _before(self, one: _Hypothesis) -> Floats:
        """Return the torques (samples, known) that what is known does not predict, offsets apart."""
        rest = one.torques[:, self._known] - self._regression(one)[0] @ self._values
        return np.asarray(rest - rest.mean(axis=0))

    def explained(self, one: _Hypothesis) -> _Explanation:
        """Return what a hypothesis explains; the noise of each torque is unknown."""
        found = self._solution(one)
        squares = np.mean((found.before - found.sensitivity @ found.u) ** 2, axis=0)
        shares = np.maximum(np.sqrt(squares / np.var(one.torques[:, self._known], axis=0)), _EXACT)
        distance, log_size = float(found.u @ found.u), 2 * float(np.log(np.diag(found.factor[0])).sum())
        value = -self._share * len(self._rows) * float(np.log(shares).sum()) - (distance + log_size) / 2
        return _Explanation(one, value, shares, distance)

    def _solution(self, one: _Hypothesis) -> _Solution:
        """Return the most likely parameters."""
        from scipy.linalg import cho_factor, cho_solve

        rest, (W, friction) = self._before(one), self._regression(one)
        load = [_loads(self._values, one.loaded)] if one.loaded >= 0 else []
        A = np.concatenate([W @ np.hstack([self._spread, *load]), friction], axis=2)
        A -= A.mean(axis=0)
        gram, right = np.einsum("skp,skq->kpq", A, A, optimize=True), np.einsum("skp,sk->kp", A, rest)
        sizes, squares = np.var(one.torques[:, self._known], axis=0), np.mean(rest**2, axis=0)
        is_link = np.arange(A.shape[2]) < A.shape[2] - friction.shape[2]
        for _ in range(_ROUNDS):
            weights = self._share / np.maximum(squares, _EXACT**2 * sizes)
            H, g = np.eye(len(is_link)) + np.tensordot(weights, gram, 1), weights @ right
            H[np.diag_indices(len(H))] *= 1 + _ROUNDING
            factor = cho_factor(H)
            u = cho_solve(factor, g)
            if (u[~is_link] < 0).any():  # of friction
                kept = np.flatnonzero(is_link | (u > 0))
                u = np.zeros(len(u))
                u[kept] = cho_solve(cho_factor(H[np.ix_(kept, kept)]), g[kept])
            squares = np.mean((rest - A @ u) ** 2, axis=0)
        return _Solution(u, rest, A, weights, factor)

    def _by_number(self, make: Callable[[float], _Hypothesis], most: float) -> Iterator[_Hypothesis]:
        """Yield the hypothesis of one number up to ``most`` that explains most, by Gauss's and Newton's method."""
        x = 0.0
        for _ in range(_STEPS):
            here = self._solution(make(x))
            x += here.step((self._before(make(x + _SMALL)) - here.before) / _SMALL)
            if not abs(x) < most:
                return
        yield make(x)

    def _by_samples(self, make: Callable[[int], _Hypothesis]) -> Iterator[_Hypothesis]:
        """Yield the hypothesis of a number of samples within reach that explains most: steps of it become smaller."""
        best, step, width = 0, math.ceil(self._reach / 8), 8
        while step:
            tried = [best + step * k for k in range(-width, width + 1)]
            best = max(
                (k for k in tried if abs(k) <= self._reach), key=lambda k: self.explained(make(k)).likelihood, default=0
            )
            step, width = (math.ceil(step / 4) if step > 1 else 0), 4
        if best:
            yield make(best)

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
        for some in [known] * (len(known) > 1) + [[k] for k in known]:
            yield from self._by_samples(partial(self._late, some))
            yield from self._by_number(partial(self._gained, some), _MOST_GAIN)
        for k in free:
            yield from self._by_number(partial(self._shifted, k), _MOST_ZERO)
        for body in np.flatnonzero(self._values[::10]).tolist():
            yield self._other(f"link {machine.mechanism.bodies[body].name} carries something", "", "", loaded=body)
        for axis, size in product(np.eye(3), (-9.81, 9.81)):
            words = " ".join(f"{float(x):g}" for x in size * axis + 0.0)
            remedy = f"pass --gravity {words.replace(' ', ',')} if the machine is mounted so"
            yield self._other(f"gravity is {words} m/s²", remedy, "MP894", gravity=size * axis)

    def _named(self, joints: Sequence[int]) -> str:
        """Return joints as words; nothing if they are all whose torques are known."""
        return (
            "" if len(joints) == len(self._known) > 1 else f" of {name_list([self._machine.names[k] for k in joints])}"
        )

    def _late(self, joints: Sequence[int], late: int) -> _Hypothesis:
        """Return that torques of some joints are a number of samples late."""
        torques = self._torques.copy()
        torques[:, joints] = self._run.forces[self._rows + late][:, joints]
        count = count_with_noun(abs(late), "sample")
        words = f"torques{self._named(joints)} are {abs(late) * self._run.step:.2g} s ({count}) "
        remedy = "shift the torques against the positions, or find the filter that delays one of them"
        return self._other(words + ("late" if late > 0 else "early"), remedy, "MP895", torques=torques)

    def _gained(self, joints: Sequence[int], size: float) -> _Hypothesis:
        """Return that torques of some joints are exp(size) times as large."""
        torques = self._torques * np.where(np.isin(np.arange(self._torques.shape[1]), joints), math.exp(-size), 1.0)
        words = f"torques{self._named(joints)} are {math.exp(size):.3g} times the true ones"
        return self._other(words, "check the gain, and the masses of the table", "MP895", torques=torques)

    def _shifted(self, joint: int, size: float) -> _Hypothesis:
        """Return that positions of a joint have another zero."""
        motion, name = self._motion.copy(), self._machine.names[joint]
        motion[0, :, joint] -= size
        unit = "rad" if self._machine.is_angle(name) else "m"
        words = f"positions of {name} are {abs(size):.3g} {unit} too {'large' if size > 0 else 'small'}"
        return self._other(words, "check the zero of the encoder", "MP895", motion=motion)

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

    def best(self) -> tuple[_Explanation, _Explanation, str] | None:
        """Return what explains the recording as it is, what is far more likely, and words for all alike; or none."""
        if not self._known:
            return None
        start = self.explained(self._other("", "", ""))
        part = max(self._run.parts, key=lambda one: one.stop - one.start)
        fourth = np.diff(self._run.forces[part], 4, axis=0)  # whose noise is √70 times that of a sample
        floor = np.std(fourth, axis=0) / math.sqrt(70) / np.maximum(np.std(self._torques, axis=0), 1e-300)
        excess = np.maximum(start.shares / np.maximum(floor[self._known], _EXACT), 1.0)
        most = self._share * len(self._rows) * float(np.log(excess).sum()) + start.distance / 2
        if most < _NEEDED:
            return None
        far, every = 2 * len(self._machine.base_parameters), map(self.explained, self.hypotheses())
        tried = [one for one in every if one.distance < far and np.sqrt(np.mean(one.shares**2)) < _POOR]
        tried.sort(key=lambda one: -one.likelihood)
        if not tried or tried[0].likelihood - start.likelihood < _NEEDED:
            return None
        alike = [one.hypothesis for one in tried if one.likelihood >= tried[0].likelihood - _ALIKE]
        return start, tried[0], " or ".join([one.words for one in alike if one.words][:3])

    def report(self, findings: Findings) -> bool:
        """Report what is far more likely than what the columns state; return whether there is anything."""
        found = self.best()
        if found is None or found[1].hypothesis.loaded >= 0:
            return False
        start, best, words = found
        k = int(np.argmax(start.shares / best.shares))
        name, rest, before = self._machine.names[self._known[k]], 100 * best.shares[k], 100 * start.shares[k]
        power = int((best.likelihood - start.likelihood) / math.log(10))
        message = f"{words}, probably: 1e{power} times as likely as what the columns state"
        message += f"; residual of {name} is {rest:.2g} % of its torque, not {before:.2g} %"
        named = best.hypothesis
        findings.report(named.rule, message, Place(self._run.file), value=named.words, remedy=named.remedy)
        return True


def _loads(values: Floats, body: int) -> Floats:
    """Return σ (10 n, 10) of something unknown at a body: those of the heaviest and largest link."""
    largest = np.max([parameter_scales(ten) for ten in values.reshape(-1, 10)], axis=0)
    wide = np.zeros((len(values), 10))
    wide[10 * body : 10 * body + 10] = np.diag(largest)
    return wide


def check_recordings(
    machine: Machine, runs: Sequence[Run], payloads: Sequence[Payload], prior: Prior, findings: Findings
) -> bool:
    """Report joints at rest, and what recordings probably are, which is returned; TableError after another unit."""
    before, is_suspect = len(findings), False
    scales = [parameter_scales(ten) for ten in prior.values.reshape(-1, 10)]
    spread = machine.settings.spread * np.diag(np.concatenate(scales))
    for r, run in enumerate(runs):
        travels = np.ptp(run.positions, axis=0)
        still = [machine.model.names[k] for k in machine.independent if travels[k] < _STILL]
        still = [name for name in still if name not in machine.free_names]
        if still and len(still) < len(machine.independent):
            message = f"joints do not move: {name_list(still)}"
            remedy = "check whether the joint, or its encoder, is stuck; this run shows little of it"
            place = Place(run.file)
            findings.report("MP895", message, place, value=still[0], item=still[0], count=len(still), remedy=remedy)
        if run.parts and prior.values[::10].any():
            carried = [one for one in payloads if r in one.runs]
            is_suspect |= _Recording(machine, run, carried, prior.values, spread, _COUNTED).report(findings)
    if any(one.rule == "MP894" for one in findings[before:]):
        raise TableError(findings)
    return is_suspect


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a fit is made of, the fit, and the table that it is compared with."""

    machine: Machine
    runs: Sequence[Run]
    payloads: Sequence[Payload]
    prior: Prior
    groups: Groups
    fit: Fit

    def check_terms(self, findings: Findings) -> None:
        """Report friction and rotors that are negative beyond their σ."""
        columns, found = self.groups.columns, []
        for k, name in enumerate(columns.heads):
            is_alone = np.count_nonzero(columns.transform[k]) == 1
            if name.startswith(("armature_", "viscous_", "coulomb_")) and is_alone:
                value, sigma = float(self.fit.values[k]), float(self.fit.sigmas[k])
                found += [f"{name} {value:.3g} ± {sigma:.2g}"] * (value < -_NEGATIVE * sigma)
        if found:
            message = f"friction or rotor inertia is negative, which no joint has: {name_list(found)}"
            remedy = "check signs, gains and the delay of the torques of these joints; terms of [identify] omits a term"
            findings.report("MP899", message, value=found[0], remedy=remedy)

    def check_omitted_masses(self, findings: Findings) -> None:
        """Report masses at links that the table does not have."""
        fit, prior, n = self.fit, self.prior, len(self.prior.values)
        B = self.groups.columns.transform[:, :n]
        M = free_of_terms(self.groups.columns, fit.covariance + B @ prior.covariance @ B.T, n)
        rest = M @ (fit.values - B @ prior.values)
        after, words, link = _mass_words(self.machine, M @ B, rest, prior)
        place = Place(self.runs[0].file)
        if gain := _gain_words(M @ fit.values, rest, after):
            message = f"torques are probably {gain} times those of the table"
            remedy = "check the gains of the torques, and the masses of the table"
            findings.report("MP896", message, place, value=gain, remedy=remedy)
        elif words:
            message = f"motion shows about {words} that the table does not have"
            remedy = f'add it to the table, or write [identify.payload.tool] with link = "{link}" if it is a payload'
            findings.report("MP896", message, place, value=words, item=link, remedy=remedy)

    def check_agreement(self, findings: Findings) -> bool:
        """Report runs whose parameters are not those of the others, and what explains it; return whether any."""
        differing = differing_runs(self.groups, self.fit)
        for one in differing:
            r, words, link = self._cause(one)
            run, other = self.runs[r], "the other runs"
            if len(one.others) == 1:
                other = self.runs[one.run + one.others[0] - r].name
            worst = sorted(one.off, key=lambda name: -abs(one.off[name]))[:3]
            farthest = name_list([f"{name} by {abs(one.off[name]):.3g} σ" for name in worst])
            square = f"χ² {float(one.rest @ one.rest):.4g} for {len(one.rest)} parameters"
            message = f"run differs from {other}: {square}, residual {one.misfit:.3g} σ; farthest: {farthest}{words}"
            remedy = "identify the runs apart, or omit one; σ include the differences"
            if link:
                remedy = f'write [identify.payload.tool] with link = "{link}" and runs = ["{run.name}"]'
            findings.report("MP896", message, Place(run.file), item=link, remedy=remedy)
        return bool(differing)

    def _cause(self, one: Difference) -> tuple[int, str, str]:
        """Return the run that is at fault, what explains it in words, and the link that carries a mass, if one does."""
        sides = [(one.run, one.others)] + [(one.others[0], [one.run])] * (len(one.others) == 1)
        faults = [(*found, r) for r, others in sides if (found := self._fault(r, others))]
        if faults:
            _, words, r = max(faults)
            return r, f"; compared with {'it' if len(one.others) == 1 else 'them'}, {words}", ""
        A = one.rows @ self.groups.columns.transform[:, : len(self.prior.values)]
        signs = ((r, 1.0 if r == one.run else -1.0) for r, _ in sides)
        masses = [(*_mass_words(self.machine, A, sign * one.rest, self.prior), r) for r, sign in signs]
        _, words, link, r = min(masses, key=lambda found: found[0])
        return r, f"; it probably carries {words}" if words else "", link

    def _fault(self, r: int, others: Sequence[int]) -> tuple[float, str] | None:
        """Return what a recording probably is by the links that others show, and by how much it is more likely."""
        part, S = self.groups.part(self.groups.pairs(others))
        fit = with_robust_sigmas(part, weighted_fit(part, self.fit.noise))
        columns = replace(self.groups.columns, kept=part.columns.kept, transform=S @ self.groups.columns.transform)
        links = full_parameters(self.machine, columns, fit, self.prior, {}, Findings())
        sizes, vectors = np.linalg.eigh(links.covariance)
        carried, spread = [one for one in self.payloads if r in one.runs], vectors * np.sqrt(np.maximum(sizes, 0.0))
        found = _Recording(self.machine, self.runs[r], carried, links.values, spread).best()
        if found is None or found[1].hypothesis.loaded >= 0:
            return None
        return found[1].likelihood - found[0].likelihood, found[2]


def _gain_words(whole: Floats, rest: Floats, after: float) -> str:
    """Return the factor of torques ``whole`` (k,) that explains ``rest`` (k,) as well as a mass with χ² ``after``."""
    size = float(whole @ whole)
    gain = float(whole @ rest) / size if size else 0.0
    left = float(rest @ rest) - gain**2 * size
    is_best = left <= after + 2 * _OF_A_POINT * max(after / len(rest), 1.0)
    if gain**2 * size < max(_SURE, _MOST * left) or not is_best:
        return ""
    return f"{1 / (1 - gain):.3g}"


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
