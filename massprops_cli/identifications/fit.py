"""Weighted least squares on triangular factors: base parameters, σ that hold for coloured residuals, essential ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import Filtering, decimated_blocks, term_names, upper_factor
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
_NO_DIFFERENCE = 3.0  # σ of χ² of differences of runs, for white noise, up to which they are not tested
_MISFIT = 1.3  # residual in a fit of all runs, as a multiple of that in a fit of one, above which 0.01 is unlikely
UNLIKELY = 1e-3
"""Probability below which a table is rejected, and runs disagree."""
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
class Payload:
    """A payload at a link in some runs; ``known`` has its ten parameters in the frame of the link, or None."""

    name: str
    body: int
    runs: tuple[int, ...]
    known: Floats | None


def read_payloads(machine: Machine, runs: Sequence[Run]) -> list[Payload]:
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
        found.append(Payload(name, bodies.index(link), tuple(files.index(one) for one in listed), known))
    return found


@dataclass(eq=False)
class Groups:
    """Triangular factors of the rows of each run, block of time and coordinate, with the forces as last column."""

    columns: Columns
    blocks: dict[tuple[int, int, int], Floats]
    rows: dict[tuple[int, int, int], int]
    seconds: float  # of all runs
    places: list[int]  # of the columns among those of ``fit_rows``

    @property
    def runs(self) -> list[int]:
        """The runs that have rows."""
        return sorted({run for run, _, _ in self.blocks})

    def factors(self) -> dict[tuple[int, int], Floats]:
        """Return the triangular factor (p + 1, p + 1) of each run and coordinate."""
        found: dict[tuple[int, int], Floats] = {}
        for (r, _, k), rows in self.blocks.items():
            found[r, k] = upper_factor(rows, found.get((r, k)))
        return found

    def counts(self) -> dict[tuple[int, int], int]:
        """Return the number of rows of each run and coordinate."""
        found: dict[tuple[int, int], int] = {}
        for (r, _, k), count in self.rows.items():
            found[r, k] = found.get((r, k), 0) + count
        return found

    def pairs(self, runs: Collection[int]) -> set[tuple[int, int]]:
        """Return the blocks of time of some runs."""
        return {(r, g) for r, g, _ in self.blocks if r in runs}

    def part(self, kept: Collection[tuple[int, int]]) -> tuple[Groups, Floats]:
        """Return the rows of some blocks of time, and S (k, p) that makes their parameters of all."""
        blocks, p = {key: one for key, one in self.blocks.items() if key[:2] in kept}, len(self.columns.kept)
        own = _independent_columns(Columns(self.columns.heads, list(range(p)), np.eye(p)), blocks)
        blocks = {key: one[:, [*own.kept, p]] for key, one in blocks.items()}
        rows = {key: self.rows[key] for key in blocks}
        return replace(self, columns=own, blocks=blocks, rows=rows), own.transform


def fit_rows(
    machine: Machine, r: int, run: Run, how: Filtering, payloads: Sequence[Payload]
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


def collect_groups(machine: Machine, runs: Sequence[Run], how: Filtering, payloads: Sequence[Payload]) -> Groups:
    """Pass through the data once."""
    given = _exact_columns(machine, [one.name for one in payloads if one.known is None])
    blocks: dict[tuple[int, int, int], Floats] = {}
    rows: dict[tuple[int, int, int], int] = {}
    each = max(_MOST_BLOCKS // len(runs), _FEWEST_BLOCKS)
    most = [min(each, run.samples // how.decimation // _BLOCK_ROWS) for run in runs]
    counts = [2 ** int(np.log2(max(one, 1))) for one in most]
    spans = [run.times[-1] - run.times[0] for run in runs]
    for r, run in enumerate(runs):
        for times, W, forces in fit_rows(machine, r, run, how, payloads):
            place = np.minimum((times - run.times[0]) / spans[r] * counts[r], counts[r] - 1).astype(int)
            for g, k in product(np.unique(place).tolist(), np.flatnonzero(run.measured).tolist()):
                block = np.column_stack([W[place == g, k], forces[place == g, k]])
                blocks[r, g, k] = upper_factor(block, blocks.get((r, g, k)))
                rows[r, g, k] = rows.get((r, g, k), 0) + len(block)
    columns = _independent_columns(given, blocks)
    places = [given.kept.index(k) for k in columns.kept]
    blocks = {key: factor[:, [*places, -1]] for key, factor in blocks.items()}
    return Groups(columns, blocks, rows, float(sum(spans)), places)


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


def _stacked(factors: Mapping[tuple[int, int], Floats], noise: Mapping[tuple[int, int], float]) -> Floats:
    """Return the triangular factor (p + 1, p + 1) of weighted rows."""
    return upper_factor(np.concatenate([rows / noise[key] for key, rows in factors.items()]))


def _squares(factors: Mapping[tuple[int, int], Floats], values: Floats) -> dict[tuple[int, int], float]:
    """Return the sum of squared residuals of each run and coordinate for values (p,)."""
    return {key: float(np.sum((rows[:, :-1] @ values - rows[:, -1]) ** 2)) for key, rows in factors.items()}


def _residual_noise(
    factors: Mapping[tuple[int, int], Floats], count: Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], float]:
    """Return the noise of each coordinate of runs, in a fit of these alone with weights from it."""
    noise, total = dict.fromkeys(factors, 1.0), sum(count[key] for key in factors)
    for _ in range(_ROUNDS):
        R = _stacked(factors, noise)
        scale = np.linalg.norm(R[:, :-1], axis=0)
        scale[scale == 0] = 1.0
        found, _, rank, _ = np.linalg.lstsq(R[:, :-1] / scale, R[:, -1], rcond=1e-10)
        squares, share = _squares(factors, found / scale), max(1 - int(rank) / total, 1e-3)
        least = max(1e-24 * max(squares.values()), 1e-300)
        noise = {one: max(square / (count[one] * share), least) ** 0.5 for one, square in squares.items()}
    return noise


def weighted_fit(groups: Groups, noise: Mapping[tuple[int, int], float] | None = None) -> Fit:
    """Fit all rows; the weights are the residuals of each run and coordinate in a fit of this run alone."""
    # in a fit of all runs the residuals of runs that disagree would give all weight to one of them
    factors, count, p = groups.factors(), groups.counts(), len(groups.columns.kept)
    if (total := sum(count.values())) <= p:
        raise UsageError(f"runs have {total} independent samples for {p} parameters; measure for longer")
    if noise is None:
        single = [{key: rows for key, rows in factors.items() if key[0] == r} for r in groups.runs]
        long = [one for one in single if sum(count[key] for key in one) >= 2 * p]
        noise = {} if len(long) == len(single) else _residual_noise(factors, count)
        for one in long:
            noise |= _residual_noise(one, count)
    R = _stacked(factors, noise)
    scale = np.linalg.norm(R[:p, :p], axis=0)
    inverse = np.linalg.inv(R[:p, :p] / scale) / scale[:, None]
    values = inverse @ R[:p, p]
    deviation = {one: float(np.sqrt(square / count[one])) for one, square in _squares(factors, values).items()}
    condition = float(np.linalg.cond(R[:p, :p] / scale))
    own = {one: noise[one] for one in count}
    return Fit(values, inverse @ inverse.T, own, count, condition, R, deviation)


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
    seconds = groups.seconds / count
    return _widened(fit, widening, blocks=count, seconds=seconds, freedom=float(np.median(freedom)))


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


def cross_validation(groups: Groups, fit: Fit) -> list[dict[str, Any]]:
    """Predict each run, or fifth of the only one, from all others: rms of the residual in σ of the noise."""
    runs, found, p = groups.runs, [], len(groups.columns.kept)
    every = groups.pairs(runs)
    count = 1 + max(g for _, g in every)
    if len(runs) > 1:
        folds = [groups.pairs([r]) for r in runs]
    else:
        folds = [{(r, g) for r, g in every if g * _FOLDS // count == fold} for fold in range(_FOLDS)]
    for number, left in enumerate(one for one in folds if one):
        try:
            others, S = groups.part(every - left)
            values = np.linalg.pinv(S) @ weighted_fit(others, fit.noise).values
        except (UsageError, ValueError):
            continue
        own = {key: one for key, one in groups.blocks.items() if key[:2] in left}
        R = upper_factor(np.concatenate([rows / fit.noise[r, k] for (r, _, k), rows in own.items()]))
        # what the others do not show, such as a payload, is free
        free, rest = R[:, :p] @ null_columns(S), R[:, p] - R[:, :p] @ values
        rest -= free @ np.linalg.lstsq(free, rest, rcond=1e-9)[0]
        samples = sum(groups.rows[key] for key in own)
        rms = float(np.linalg.norm(rest) / np.sqrt(max(samples - free.shape[1], 1)))
        found.append({"left_out": number, "samples": samples, "rms": rms})
    return found


def null_columns(rows: Floats) -> Floats:
    """Return orthogonal columns (p, k) that rows (n, p) make 0."""
    _, sizes, turned = np.linalg.svd(rows)
    return np.asarray(turned[int((sizes > 1e-9 * sizes.max(initial=0)).sum()) :].T)


@dataclass(frozen=True, eq=False)
class RunDifference:
    """How a run differs from others: what both show as white rows (k, p) and rest (k,), and parameters by their σ."""

    run: int
    others: list[int]
    rows: Floats
    rest: Floats
    probability: float
    misfit: float  # residual in the fit of all, as a multiple of that in a fit of this run
    off: dict[str, float]


def differing_runs(groups: Groups, fit: Fit) -> list[RunDifference]:
    """Return the runs whose parameters are not those of the others, the farthest first, until the rest agree."""
    left, found, p = groups.runs, [], len(fit.values)
    excess = sum(fit.rows[one] * ((fit.deviation[one] / fit.noise[one]) ** 2 - 1) for one in fit.rows) + p * len(left)
    degrees = p * (len(left) - 1)  # of the excess, χ² if noise is white
    while len(left) > 1 and excess > degrees + _NO_DIFFERENCE * np.sqrt(2 * degrees):
        tests = [_difference(groups, fit, r, [one for one in left if one != r]) for r in left]
        most = min(tests, key=lambda one: (one.probability, -float(one.rest @ one.rest)))
        if most.probability > UNLIKELY * (10.0 if most.misfit > _MISFIT else 1.0) / len(left):
            break
        found.append(most)
        left.remove(most.run)
    return found


def _difference(groups: Groups, fit: Fit, run: int, others: list[int]) -> RunDifference:
    """Compare the parameters of a run with those of others."""
    from scipy.stats import f

    made = []
    for runs in ([run], others):
        part, S = groups.part(groups.pairs(runs))
        made.append((with_robust_sigmas(part, weighted_fit(part, fit.noise)), part.columns.heads, S))
    (a, heads, S), (b, names, T) = made
    both = null_columns(np.hstack([S.T, -T.T])).T
    X, Y = both[:, : len(S)], both[:, len(S) :]  # X S = Y T: what both show
    white = np.linalg.inv(np.linalg.cholesky(X @ a.covariance @ X.T + Y @ b.covariance @ Y.T))
    rest = white @ (X @ a.values - Y @ b.values)
    value = float(rest @ rest) / max(len(rest), 1)
    chance = float(f.sf(value, max(len(rest), 1), min(a.freedom, b.freedom)))
    same = [(i, names.index(name)) for i, name in enumerate(heads) if name in names]
    sizes = {heads[i]: (a.values[i] - b.values[j]) / np.hypot(a.sigmas[i], b.sigmas[j]) for i, j in same}
    misfit = max(fit.deviation[key] / fit.noise[key] for key in fit.noise if key[0] == run)
    return RunDifference(run, others, white @ X @ S, rest, chance, misfit, sizes)


def with_sigmas_of_runs(groups: Groups, fit: Fit) -> Fit:
    """Return a fit of runs that differ: σ are at least those of the jackknife over runs."""
    runs, squares = groups.runs, np.zeros(len(fit.values))
    for left in runs:
        part, S = groups.part(groups.pairs(runs) - groups.pairs([left]))
        squares += (np.linalg.pinv(S) @ (weighted_fit(part, fit.noise).values - S @ fit.values)) ** 2
    sigmas = np.sqrt((len(runs) - 1) / len(runs) * squares)
    return _widened(fit, np.maximum(sigmas / fit.sigmas, 1.0), freedom=min(fit.freedom, len(runs) - 1.0))


def _widened(fit: Fit, factors: Floats, **changes: Any) -> Fit:
    """Return a fit with σ multiplied by factors (p,), and the factor of its rows to match."""
    p, weighted = len(fit.values), fit.weighted.copy()
    weighted[:p, :p] /= factors
    weighted[:p, p] = weighted[:p, :p] @ fit.values
    covariance = fit.covariance * np.outer(factors, factors)
    return replace(fit, covariance=covariance, weighted=weighted, widening=fit.widening * factors, **changes)


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
