"""Weighted least squares on triangular factors: base parameters, σ that hold for coloured residuals, essential ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import (
    Filtering,
    decimated_blocks,
    machine_regressor,
    term_names,
    upper_factor,
)
from massprops_cli.mechanisms.inertia_forms import body_parameters
from massprops_cli.mechanisms.model import QUANTITIES

_FOLDS = 5  # parts of a single run, each left out once
_DEPENDENT = 1e-7  # a column with less than this share of itself outside the span of others depends on them
_ROUNDS = 5  # of weights from residuals
_SIGNIFICANT = 1.959964  # |value| / σ below which a parameter is not essential: 95 %
_MOST_BLOCKS, _FEWEST_BLOCKS = 64, 8  # of all runs together, for σ of coloured residuals
_BLOCK_ROWS = 4  # least samples of a block and coordinate
_CORRELATED = 0.1  # correlation of neighbouring blocks above which pairs of them become one
_LEAST_FREEDOM, _LEAST_WIDENING = 2.0, 0.5  # of σ from blocks
_LEVERAGE = 1e-4  # least share of a residual that a fit leaves in a block


@dataclass(eq=False)
class Columns:
    """The parameters of a fit: ``transform`` (p, all) gives each as a sum of ``names``, those of bodies first."""

    names: list[str]  # ten for each body, terms of joints, ten for each unknown payload
    kept: list[int]  # columns that are fitted
    transform: Floats

    @property
    def heads(self) -> list[str]:
        """The names of the parameters that are fitted."""
        return [self.names[k] for k in self.kept]


@dataclass(frozen=True)
class _Payload:
    """A payload at a link in some runs; ``known`` has its ten parameters in the frame of the link, or None."""

    name: str
    body: int
    runs: tuple[int, ...]
    known: Floats | None


def read_payloads(machine: Machine, runs: Sequence[Run]) -> list[_Payload]:
    """Read ``[identify.payload.NAME]``; raises UsageError."""
    bodies, files = [body.name for body in machine.mechanism.bodies], [run.name for run in runs]
    found = []
    for name, given in machine.settings.payload.items():
        where = f"[identify.payload.{name}]"
        if not isinstance(given, dict) or any(key not in ("link", "runs", "mass", "c", "I") for key in given):
            raise UsageError(f"{where} is not a table with link, runs, mass, c and I")
        link, listed = str(given.get("link", "")), given.get("runs", files)
        if link not in bodies:
            raise UsageError(f"{where} names an unknown link: {link}{nearest_name_hint(link, bodies)}")
        if not isinstance(listed, list):
            raise UsageError(f"runs of {where} are not a list of files: {listed!r}")
        if unknown := [one for one in listed if one not in files]:
            raise UsageError(f"{where} names an unknown run: {unknown[0]}{nearest_name_hint(unknown[0], files)}")
        known = None
        if "mass" in given:
            try:
                xx, yy, zz, xy, xz, yz = map(float, given.get("I", [0.0] * 6))
                x, y, z = map(float, given.get("c", [0.0] * 3))
                body = replace(machine.mechanism.bodies[0], mass=float(given["mass"]), center=(x, y, z))
            except (TypeError, ValueError):
                raise UsageError(f"mass, c and I of {where} are not a number, three numbers and six") from None
            known = np.array(body_parameters(replace(body, inertia=(xx, yy, zz, xy, xz, yz))), float)
        found.append(_Payload(name, bodies.index(link), tuple(files.index(one) for one in listed), known))
    return found


@dataclass(eq=False)
class Groups:
    """Triangular factors of the rows of each run, fold and coordinate, with the forces as last column."""

    columns: Columns
    factors: dict[tuple[int, int, int], Floats]
    rows: dict[tuple[int, int, int], int]
    blocks: dict[tuple[int, int, int], Floats]  # the same by run, block of time and coordinate
    seconds: float  # of all runs
    places: list[int]  # of the columns among those of ``fit_rows``


def fit_rows(
    machine: Machine, r: int, run: Run, how: Filtering, payloads: Sequence[_Payload]
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield times, regressors ``(k, m, parameters)`` of ``_exact_columns`` and forces ``(k, m)`` of run r."""
    heads, n = list(machine.base_parameters), 10 * len(machine.mechanism.bodies)
    for times, W, measured in decimated_blocks(machine, run, how):
        parts, forces = [W[:, :, heads], W[:, :, n:]], measured
        for one in payloads:
            own = W[:, :, 10 * one.body : 10 * one.body + 10] * (r in one.runs)
            if one.known is None:
                parts.append(own)
            else:
                forces = forces - own @ one.known
        yield times, np.concatenate(parts, axis=2), forces


def collect_groups(machine: Machine, runs: Sequence[Run], how: Filtering, payloads: Sequence[_Payload]) -> Groups:
    """Pass through the data once."""
    given = _exact_columns(machine, [one.name for one in payloads if one.known is None])
    blocks: dict[tuple[int, int, int], Floats] = {}
    factors: dict[tuple[int, int, int], Floats] = {}
    rows: dict[tuple[int, int, int], int] = {}
    most = [min(_MOST_BLOCKS // len(runs), run.samples // how.decimation // _BLOCK_ROWS) for run in runs]
    counts = [2 ** int(np.log2(max(one, 1))) for one in most]
    spans = [run.times[-1] - run.times[0] for run in runs]
    for r, run in enumerate(runs):
        for times, W, forces in fit_rows(machine, r, run, how, payloads):
            place = np.minimum((times - run.times[0]) / spans[r] * counts[r], counts[r] - 1).astype(int)
            for g in np.unique(place).tolist():
                mask = place == g
                for k in np.flatnonzero(run.measured).tolist():
                    block = np.column_stack([W[mask, k], forces[mask, k]])
                    blocks[r, g, k] = upper_factor(block, blocks.get((r, g, k)))
                    fold = r, g * _FOLDS // counts[r] if len(runs) == 1 else 0, k
                    rows[fold] = rows.get(fold, 0) + len(block)
    columns = _independent_columns(given, blocks)
    places = [given.kept.index(k) for k in columns.kept]
    for (r, g, k), factor in blocks.items():
        blocks[r, g, k] = factor[:, [*places, -1]]
        fold = r, g * _FOLDS // counts[r] if len(runs) == 1 else 0, k
        factors[fold] = upper_factor(blocks[r, g, k], factors.get(fold))
    return Groups(columns, factors, rows, blocks, float(sum(spans)), places)


def _exact_columns(machine: Machine, payloads: Sequence[str] = ()) -> Columns:
    """Return the exact base parameters of the bodies, and those of joints and payloads."""
    base = machine.base_parameters
    names = [*machine.mechanism.parameter_names, *term_names(machine)]
    names += [f"{quantity}@{name}" for name in payloads for quantity in QUANTITIES]
    kept = [*base, *range(len(machine.mechanism.bodies) * 10, len(names))]
    transform = np.zeros((len(kept), len(names)))
    for row, head in enumerate(kept):
        transform[row, head] = 1.0
        for index, value in base.get(head, {}).items():
            transform[row, index] = value
    return Columns(names, kept, transform)


def base_columns(machine: Machine) -> Columns:
    """Return the parameters that some motion shows, with terms of joints, by random motions."""
    chance = np.random.default_rng(1)
    given = _exact_columns(machine)
    driven = chance.uniform(-1, 1, (3, 4 * len(given.kept), len(machine.independent)))
    motion = driven @ machine.coupling.T
    motion[0] += machine.offset
    W = machine_regressor(machine, *motion)[:, :, given.kept].reshape(-1, len(given.kept))
    return _independent_columns(given, {0: np.column_stack([W, np.zeros(len(W))])})


def _independent_columns(columns: Columns, factors: Mapping[Any, Floats]) -> Columns:
    """Leave out columns that depend on those before them in these data; the others include their parameters."""
    R = None
    for factor in factors.values():
        R = upper_factor(factor[:, :-1], R)
    assert R is not None
    norms = np.linalg.norm(R, axis=0)
    R = np.asarray(np.linalg.qr(R / np.where(norms > 0, norms, 1.0), mode="r"))
    kept: list[int] = []
    basis = np.zeros((len(R), 0))
    shares: dict[int, Floats] = {}
    largest = norms.max(initial=0)
    for k in range(R.shape[1]):
        column = R[:, k]
        if norms[k] <= 1e-12 * largest:
            continue  # no motion shows it
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        if np.linalg.norm(rest) > _DEPENDENT:
            kept.append(k)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        else:
            found = np.linalg.lstsq(R[:, kept], column, rcond=None)[0] * norms[k] / norms[kept]
            shares[k] = np.where(np.abs(found) > 1e-6, np.round(found, 9), 0.0)
    transform = columns.transform[kept].copy()
    for k, share in shares.items():
        transform[: len(share)] += share[:, None] * columns.transform[k]
    return Columns(columns.names, [columns.kept[k] for k in kept], transform)


@dataclass(eq=False)
class Fit:
    """A weighted fit: values and covariance of p parameters, σ of the noise of each run and coordinate."""

    values: Floats
    covariance: Floats
    noise: dict[tuple[int, int], float]  # run, coordinate → N·m or N, of one sample
    rows: dict[tuple[int, int], int]
    condition: float
    weighted: Floats  # triangular factor of the weighted rows (p + 1 columns)
    deviation: dict[tuple[int, int], float] = field(default_factory=dict)  # rms residual
    # from blocks of time: σ as a multiple of those for white noise (p,), blocks, seconds of each, freedom of σ
    widening: Floats = field(default_factory=lambda: np.ones(1))
    blocks: int = 0
    seconds: float = 0.0
    freedom: float = np.inf

    @property
    def sigmas(self) -> Floats:
        """Standard deviations (p,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def correlation(self) -> Floats:
        """Correlation of the parameters (p, p)."""
        return np.asarray(self.covariance / np.outer(self.sigmas, self.sigmas))


def weighted_fit(groups: Groups, left_out: int | None = None) -> Fit:
    """Fit all runs, or all but one run or fold; the weights are the residuals of each run and coordinate."""
    keys = [key for key in groups.factors if left_out is None or fold_number(groups, key) != left_out]
    count: dict[tuple[int, int], int] = {}
    for r, f, k in keys:
        count[r, k] = count.get((r, k), 0) + groups.rows[r, f, k]
    p, total, noise = len(groups.columns.kept), sum(count.values()), dict.fromkeys(count, 1.0)
    if total <= p:
        raise UsageError(f"runs have {total} independent samples for {p} parameters; measure for longer")
    for last in range(_ROUNDS + 1):
        R = upper_factor(groups.factors[keys[0]] / noise[keys[0][0], keys[0][2]])
        for r, f, k in keys[1:]:
            R = upper_factor(groups.factors[r, f, k] / noise[r, k], R)
        scale = np.linalg.norm(R[:p, :p], axis=0)
        if not scale.all():
            raise UsageError("runs show some parameters only together with those that are left out")
        if last == _ROUNDS:
            break
        values = np.linalg.solve(R[:p, :p] / scale, R[:p, p]) / scale
        squares = dict.fromkeys(count, 0.0)
        for r, f, k in keys:
            factor = groups.factors[r, f, k]
            squares[r, k] += float(np.sum((factor[:, :p] @ values - factor[:, p]) ** 2))
        least = max(1e-24 * max(squares.values()), 1e-300)
        noise = {one: max(square / (count[one] * (1 - p / total)), least) ** 0.5 for one, square in squares.items()}
    inverse = np.linalg.inv(R[:p, :p] / scale) / scale[:, None]
    deviation = {one: float(np.sqrt(square / count[one])) for one, square in squares.items()}
    condition = float(np.linalg.cond(R[:p, :p] / scale))
    return Fit(values, inverse @ inverse.T, noise, count, condition, R, deviation)


def with_robust_sigmas(groups: Groups, fit: Fit) -> Fit:
    """Return a fit whose σ hold for coloured residuals: ±1.96 σ is the 95 % interval; docs/internals/proofs.md."""
    # clusters are blocks of time of a run and coordinate; Bell and McCaffrey, Bias reduction in standard errors, 2002
    from scipy.stats import t

    p, H, b = len(fit.values), fit.covariance, fit.values
    root = np.asarray(np.linalg.inv(fit.weighted[:p, :p]))  # H = root rootᵀ
    blocks = {key: factor / fit.noise[key[0], key[2]] for key, factor in groups.blocks.items()}
    while True:
        count, correlation = len({key[:2] for key in blocks}), _neighbour_correlation(blocks, b, root)
        pairs: dict[tuple[int, int, int], Floats] = {}
        for (r, g, k), rows in blocks.items():
            pairs[r, g // 2, k] = upper_factor(rows, pairs.get((r, g // 2, k)))
        if correlation < _CORRELATED or count < 2 * _FEWEST_BLOCKS or len(pairs) == len(blocks):
            break
        blocks = pairs
    variance, trace, square, gram = np.zeros(p), np.zeros(p), np.zeros(p), np.zeros((p, p, p))
    for rows in blocks.values():
        top = np.asarray(np.linalg.qr(rows, mode="r"))[:p]
        A = top[:, :p]
        w, v = np.linalg.eigh(np.eye(len(A)) - A @ H @ A.T)
        M = (v / np.sqrt(np.maximum(w, _LEVERAGE))) @ v.T
        D = H @ A.T @ M
        variance += (D @ (top[:, p] - A @ b)) ** 2
        own, others = (D**2).sum(axis=1), D @ A @ root
        shared = (others**2).sum(axis=1)
        trace, square = trace + own - shared, square + own**2 - 2 * own * shared
        gram += others[:, :, None] * others[:, None]
    freedom = np.maximum(trace**2 / (square + (gram**2).sum(axis=(1, 2))), _LEAST_FREEDOM)
    # neighbours that are correlated add to the variance of a sum
    sigmas = np.sqrt(variance * max(1 + 2 * correlation, 0.5)) * t.ppf(0.975, freedom) / _SIGNIFICANT
    widening = np.maximum(sigmas / fit.sigmas, _LEAST_WIDENING)
    weighted = fit.weighted.copy()
    weighted[:p, :p] /= widening
    weighted[:p, p] = weighted[:p, :p] @ b
    return replace(
        fit, covariance=H * np.outer(widening, widening), weighted=weighted, widening=widening, blocks=count,
        seconds=groups.seconds / count, freedom=float(np.median(freedom)),
    )  # fmt: skip


def _neighbour_correlation(blocks: Mapping[tuple[int, int, int], Floats], values: Floats, root: Floats) -> float:
    """Return the correlation of the scores of neighbouring blocks, less what the fit makes of white noise."""
    scores, shares = {}, {}
    for key, rows in blocks.items():
        turned = rows[:, :-1] @ root
        scores[key] = turned.T @ (rows[:, -1] - rows[:, :-1] @ values)
        shares[key] = turned.T @ turned
    pairs = [((r, g, k), (r, g + 1, k)) for r, g, k in blocks if (r, g + 1, k) in blocks]
    if not pairs:
        return 0.0
    found = sum(scores[a] @ scores[b] for a, b in pairs) / sum(one @ one for one in scores.values())
    white = sum(np.trace(G) - (G * G).sum() for G in shares.values())
    found += sum((shares[a] * shares[b]).sum() for a, b in pairs) / white
    return float(found * len(blocks) / len(pairs))


def fold_number(groups: Groups, key: tuple[int, int, int]) -> int:
    """Return the run of a group, or its fold where there is one run."""
    return key[0] if any(run for run, _, _ in groups.factors) else key[1]


def cross_validation(groups: Groups, fit: Fit) -> list[dict[str, Any]]:
    """Predict each run, or fifth of the only one, from all others: rms of the residual in σ of the noise."""
    found = []
    p = len(groups.columns.kept)
    for left in sorted({fold_number(groups, key) for key in groups.factors}):
        try:
            others = weighted_fit(groups, left)
        except (UsageError, np.linalg.LinAlgError):
            continue
        own = {key: one for key, one in groups.factors.items() if fold_number(groups, key) == left}
        rest = [(one[:, :p] @ others.values - one[:, p]) / fit.noise[r, k] for (r, _, k), one in own.items()]
        count, square = sum(groups.rows[key] for key in own), sum(float(one @ one) for one in rest)
        found.append({"left_out": left, "samples": count, "rms": float(np.sqrt(square / count))})
    return found


def essential_parameters(fit: Fit) -> NDArray[np.bool_]:
    """Return which parameters (p,) remain when those without significance are left out one by one."""
    p = len(fit.values)
    kept = list(range(p))
    R = fit.weighted
    while kept:
        part = np.asarray(np.linalg.qr(R[:, [*kept, p]], mode="r"))
        k = len(kept)
        inverse = np.linalg.pinv(part[:k, :k])
        values, sigmas = inverse @ part[:k, k], np.linalg.norm(inverse, axis=1)
        ratio = np.abs(values) / np.maximum(sigmas, 1e-300)
        if ratio.min() >= _SIGNIFICANT:
            break
        kept.pop(int(np.argmin(ratio)))
    result = np.zeros(p, bool)
    result[kept] = True
    return result
