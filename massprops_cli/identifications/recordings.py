"""What a recording probably is, if it is not what its columns state: hypotheses, each with its likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from massprops_cli.findings.finding import Findings, Place, count_with_noun, name_list
from massprops_cli.identifications.fit import Payload
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import parameter_scales
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import machine_regressor

_SAMPLES = 200  # of a run, for hypotheses
_ROUNDS = 6  # of weights from residuals
_EXACT = 1e-3  # least residual, as a share of the torques
_ROUNDING = 1e-12  # of the diagonal: columns that depend on others leave it positive
_STEPS, _SMALL = 4, 1e-4  # of Gauss's and Newton's method, and for slopes: rad, m, or the logarithm of a gain
_MOST_GAIN, _MOST_ZERO = math.log(3), 0.8  # rad or m
_FLAT = 1e-6  # slope of a likelihood below which it shows nothing
_AT_REST = 1e-9  # rad/s or m/s: rounding
_FRICTION = 10.0  # σ of each friction, as a share of the torque
_POOR = 0.4  # residual, as a share of the torques, that explains nothing
_LATEST = 0.3  # s, of torques
_NEEDED = math.log(1e6)  # logarithm of the likelihood of a hypothesis, as a multiple of that of the recording as it is
ALIKE = math.log(20)
"""Logarithm of the likelihood of the most likely one, as a multiple of those that are named with it."""
_TIMES = {"ms": 1e-3, "us": 1e-6, "s": 1e3}
_TORQUES = {
    "N*mm": 1e-3, "N*cm": 1e-2, "kgf*cm": 0.0980665, "lbf*in": 0.112984829, "lbf*ft": 1.35581795, "kgf*m": 9.80665,
    "kN*m": 1e3,
}  # fmt: skip
_FORCES = {"mN": 1e-3, "lbf": 4.4482216, "kgf": 9.80665, "kN": 1e3}


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


class Recording:
    """Samples of a run, and the likelihood of what they may be, given what is known of the links and free friction."""

    def __init__(
        self, machine: Machine, run: Run, payloads: Sequence[Payload], values: Floats, spread: Floats, counted: float
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
            if np.std(rate) < _AT_REST:
                continue
            columns = np.stack([rate, np.sign(rate), one.motion[2, :, k]], axis=1)
            size = _FRICTION * np.std(self._torques[:, k]) / np.maximum(np.std(columns, axis=0), _AT_REST)
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
        from scipy.linalg import cho_factor

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
            u = np.linalg.solve(H, g)
            if (u[~is_link] < 0).any():  # of friction
                kept = np.flatnonzero(is_link | (u > 0))
                u = np.zeros(len(u))
                u[kept] = np.linalg.solve(H[np.ix_(kept, kept)], g[kept])
            squares = np.mean((rest - A @ u) ** 2, axis=0)
        return _Solution(u, rest, A, weights, cho_factor(H))

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
            near = (best + step * k for k in range(-width, width + 1))
            tried = {k: self.explained(make(k)).likelihood for k in near if abs(k) <= self._reach}
            best = max(tried, key=lambda k: tried[k])
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
                    if mark == "tau" and first in machine.settings.gains:
                        remedy = "check [identify.gains], and the unit of the currents"
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
        for gravity in [np.zeros(3), *(-9.81 * np.eye(3)), *(9.81 * np.eye(3))]:
            words = " ".join(f"{float(x):g}" for x in gravity + 0.0)
            remedy = f"pass --gravity {words.replace(' ', ',')} if the machine is mounted so"
            yield self._other(f"gravity is {words} m/s²", remedy, "MP894", gravity=gravity)

    def _named(self, joints: Sequence[int]) -> str:
        """Return joints as words; nothing if they are all whose torques are known."""
        named = name_list([self._machine.names[k] for k in joints])
        return "" if len(joints) == len(self._known) > 1 else f" of {named}"

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
        floor = self._run.noise / np.maximum(np.std(self._torques, axis=0), 1e-300)
        excess = np.maximum(start.shares / np.maximum(floor[self._known], _EXACT), 1.0)
        most = self._share * len(self._rows) * float(np.log(excess).sum()) + start.distance / 2
        if most < _NEEDED:
            return None
        far, every = 2 * len(self._machine.base_parameters), map(self.explained, self.hypotheses())
        tried = [one for one in every if one.distance < far and np.sqrt(np.mean(one.shares**2)) < _POOR]
        tried.sort(key=lambda one: -one.likelihood)
        if not tried or tried[0].likelihood - start.likelihood < _NEEDED:
            return None
        alike = [one.hypothesis for one in tried if one.likelihood >= tried[0].likelihood - ALIKE]
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
    return np.asarray(np.kron(np.eye(len(values) // 10)[:, [body]], np.diag(largest)), float)
