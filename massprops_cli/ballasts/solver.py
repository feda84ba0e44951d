"""Least ballast by SciPy's HiGHS: linear and integer programmes for centres, successive ones for tensors.

A programme proposes; ``BallastProblem.failures`` decides in exact fractions. What fails is corrected on its active
limits, or its limits are tightened by what it misses, and solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.ballasts.problem import BallastProblem, LimitRow

_Floats = NDArray[np.float64]
_Rows = Sequence[LimitRow]
_SECONDS = 20.0  # of one integer programme; what is found by then is reported as such
_MANY, _FEW = 500, 300  # from how many amounts on an integer programme is first solved with the likeliest
_TRIALS = 8  # solutions that are corrected before an answer is given up
_DRAWN_STARTS = 4  # in addition to none and the least for centres, of a local optimum; a fixed seed
_STEPS = 80  # of successive linear programmes
_ROW_SIZE = 1e3  # largest coefficient of a row, so that the solver's absolute tolerances are small shares of it
_MOST_TRIED = 20  # places that are tried one by one with more mass
_LARGE = 1e3  # times the mass: what an attempt that misses may add at a place without a limit
_MARGINS = (0.0, 1e-9, 1e-6, 1e-3)  # shares by which limits of tensors are tightened, until an answer is exact


class BallastHelp(NamedTuple):
    """What would make limits possible, coherent units."""

    kind: str  # mass: more at a point; place: one beyond ``value`` along an axis; pieces: of any size
    name: str  # of the point, or the axis
    value: float  # mass that is enough; or coordinate
    limit: float = 0.0  # the most mass that the point has; or +1 for a place below the coordinate, −1 above


class BallastAnswer(NamedTuple):
    """Amounts (n,) in units of the problem, and what is known of them; without amounts the limits are not met."""

    amounts: _Floats | None
    status: str  # least, least found in 20 s, local optimum, impossible, not found
    attempt: _Floats | None = None  # the amounts that miss least, where the limits are not met
    clash: tuple[LimitRow, ...] = ()  # rows that are not met together, and that are without any one of them
    help: tuple[BallastHelp, ...] = ()


class _Programme(NamedTuple):
    """A linear or integer programme: cost · x least, with left x ≤ right and low ≤ x ≤ most."""

    cost: _Floats
    left: _Floats
    right: _Floats
    low: _Floats
    most: _Floats
    whole: NDArray[np.bool_]

    def solve(self) -> tuple[_Floats | None, bool]:
        """Return the solution (n,), None where there is none, and whether either is proven."""
        size = np.abs(self.left).max(axis=1, initial=0.0)
        if (self.right[size == 0] < 0).any():
            return None, True
        scale = np.divide(_ROW_SIZE, size, out=np.ones_like(size), where=size > 0)
        scaled = self._replace(left=self.left * scale[:, None], right=self.right * scale)
        is_large = len(self.cost) >= _MANY and bool(self.whole.any())
        return scaled._solve_few() if is_large else scaled._solve_all()

    def _solve_all(self) -> tuple[_Floats | None, bool]:
        """Solve the programme as it is; without a verdict once more, without presolving."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows = LinearConstraint(self.left, -inf, self.right) if len(self.right) else None
        for presolve in (True, False):
            found = milp(
                self.cost,
                integrality=self.whole.astype(int),
                bounds=Bounds(self.low, self.most),
                constraints=rows,
                options={"mip_rel_gap": 0, "time_limit": _SECONDS, "presolve": presolve},
            )
            if found.x is not None:
                x = np.where(self.whole, np.round(found.x), np.clip(found.x, self.low, self.most))
                return x, found.status == 0
            if found.status == 2:
                return None, True
        return None, False

    def _solve_few(self) -> tuple[_Floats | None, bool]:
        """Solve with the amounts that reduced costs do not exclude: first a few, then all that could be better."""
        from scipy.optimize import linprog

        bounds = np.column_stack([self.low, self.most])
        of_any_size = linprog(self.cost, self.left, self.right, bounds=bounds, method="highs")
        if of_any_size.x is None:
            return None, of_any_size.status == 2
        rates = np.maximum(of_any_size.lower.marginals, -of_any_size.upper.marginals)  # cost of leaving its bound
        fixed, near = np.round(of_any_size.x), np.argsort(rates, kind="stable")[:_FEW]
        found, is_proven = self._with_others_fixed(near, fixed)
        if found is None:
            return self._solve_all()
        gap = float(self.cost @ found) - of_any_size.fun + 1e-9 * max(abs(of_any_size.fun), 1.0)
        if np.isin(can_change := np.flatnonzero(rates <= gap), near).all():
            return found, is_proven
        better, is_proven = self._with_others_fixed(np.union1d(near, can_change), fixed)
        return (found, False) if better is None else (better, is_proven)

    def _with_others_fixed(self, free: NDArray[np.intp], fixed: _Floats) -> tuple[_Floats | None, bool]:
        """Solve with some amounts (k,) free, the others at bounds (n,)."""
        rest = fixed.copy()
        rest[free] = 0.0
        low, most, whole = self.low[free], self.most[free], self.whole[free]
        part = _Programme(self.cost[free], self.left[:, free], self.right - self.left @ rest, low, most, whole)
        found, is_proven = part._solve_all()
        if found is None:
            return None, is_proven
        rest[free] = found
        return rest, is_proven


def _center_programme(
    problem: BallastProblem, rows: _Rows, sigmas: _Floats | None = None, *, whole: bool = True
) -> _Programme:
    """Return the programme of limits of centres, with sigmas (r,) of the rows: default, the least that they can be."""
    left, right = problem.center_system(rows)
    spread = np.array([problem.least_sigma(row) for row in rows]) if sigmas is None else sigmas
    none = np.zeros(len(problem.most))
    right = right - problem.sigma * spread
    return _Programme(problem.unit_mass, left, right, none, problem.most, problem.whole if whole else none != 0)


def _tightest_rows(problem: BallastProblem) -> list[LimitRow]:
    """Return the rows of centres that imply the others: of each end, that of the condition that leaves the least."""
    rows = problem.center_rows
    right, best = _center_programme(problem, rows).right, dict[tuple[int, int], int]()
    for i in sorted(range(len(rows)), key=lambda i: float(right[i])):
        best.setdefault((rows[i].limit, rows[i].side), i)
    return [rows[i] for i in sorted(best.values())]


def solve_ballast(problem: BallastProblem) -> BallastAnswer:
    """Find the least ballast, or why there is none."""
    rows = problem.center_rows if problem.sigma else _tightest_rows(problem)
    amounts, is_proven, is_possible = _least_for_centers(problem, rows)
    if not is_possible:
        return _explained_failure(problem)
    if problem.is_linear:
        if amounts is None:
            return BallastAnswer(None, "not found", _least_miss(problem))
        return BallastAnswer(amounts, "least" if is_proven else f"least found in {_SECONDS:g} s")
    reach = np.minimum(problem.most, 0.25 * problem.total_mass / np.abs(problem.unit_mass))
    drawn = np.random.default_rng(0).uniform(0.0, reach, (_DRAWN_STARTS, len(reach)))
    starts = [np.zeros(len(reach)), *([] if amounts is None else [amounts]), *drawn]
    found, nearest = _local_optimum(problem, starts)
    return BallastAnswer(None, "not found", nearest) if found is None else BallastAnswer(found, "local optimum")


def _least_for_centers(problem: BallastProblem, rows: _Rows) -> tuple[_Floats | None, bool, bool]:
    """Return the least amounts for the limits of centres, whether they are proven, and whether there can be any."""
    sigmas = np.array([problem.least_sigma(row) for row in rows])
    margins, has_answer = np.zeros(len(rows)), False
    for trial in range(_TRIALS):
        programme = _center_programme(problem, rows, sigmas)
        amounts, is_proven = programme._replace(right=programme.right - margins).solve()
        if amounts is None:
            return None, is_proven, has_answer or not is_proven
        has_answer = True
        for one in (amounts, _on_active_rows(problem, rows, amounts)):
            if not (failed := problem.failures(one)):
                is_fixed = not problem.sigma or bool(problem.whole.any())
                return one if is_fixed else _with_changing_sigmas(problem, one), is_proven, True
        if problem.sigma:  # sigmas at the centres that were found
            found = np.array([problem.row_sigma(row, amounts) for row in rows])
            sigmas = found if trial < _TRIALS // 2 else np.maximum(sigmas, found)
        for i, row in enumerate(rows):
            if row in failed and (trial or not problem.sigma):
                margins[i] += 2 * failed[row] + 1e-13 * 10**trial * problem.total_mass * problem.length
    return None, False, True


def _with_changing_sigmas(problem: BallastProblem, amounts: _Floats) -> _Floats:
    """Lessen amounts (n,) of any mass by programmes that have the change of sigmas with the centre."""
    best, at = amounts, amounts
    for _ in range(_TRIALS):
        found, _ = _linearised(problem, at, 0.0, inf).solve()
        if found is None:
            break
        for one in (found, _on_active_rows(problem, problem.center_rows, found)):
            if problem.unit_mass @ one < problem.unit_mass @ best and not problem.failures(one):
                best = one
        if np.abs(found - at).max() <= 1e-12 * problem.total_mass:
            break
        at = found
    return best


def _on_active_rows(problem: BallastProblem, rows: _Rows, amounts: _Floats) -> _Floats:
    """Move amounts of any mass by rounding errors of the solver, so that rows they are on hold exactly."""
    free = (amounts > 0) & (amounts < problem.most) & ~problem.whole
    over = np.array([_excess(problem, row, amounts) for row in rows])
    if not free.any() or not (active := np.flatnonzero(over > -1e-9)).size:
        return amounts
    slopes = np.array(
        [problem.gradient(rows[i], amounts)[free] / _row_scale(problem, rows[i]) for i in active.tolist()]
    )
    moved = amounts.copy()
    moved[free] -= np.linalg.lstsq(slopes, over[active], rcond=None)[0]
    return np.clip(moved, 0.0, problem.most)


def _local_optimum(problem: BallastProblem, starts: Sequence[_Floats]) -> tuple[_Floats | None, _Floats]:
    """Return the best amounts of successive programmes from some starts, and those that miss least."""
    best: _Floats | None = None
    nearest, least = starts[0], inf
    for margin in _MARGINS:
        for start in starts:
            found = _successive_programmes(problem, start, margin)
            if problem.whole.any():
                found = _whole_amounts(problem, found, margin)
            for _ in range(3):
                found = _on_active_rows(problem, _all_rows(problem, found), found)
            if (miss := _merit(problem, found, margin, 1.0)[1]) < least:
                nearest, least = found, miss
            is_less = best is None or problem.unit_mass @ found < problem.unit_mass @ best
            if is_less and not problem.failures(found):
                best = found
        if best is not None:
            break
    return best, nearest


def _all_rows(problem: BallastProblem, amounts: _Floats) -> list[LimitRow]:
    """Return the rows of centres and of tensors at amounts (n,)."""
    return [*problem.center_rows, *problem.tensor_rows(amounts)]


def _row_scale(problem: BallastProblem, row: LimitRow) -> float:
    """Return the size by which a row is divided."""
    return problem.total_mass * problem.length * (1.0 if row.is_center else problem.length)


def _excess(problem: BallastProblem, row: LimitRow, amounts: _Floats, margin: float = 0.0) -> float:
    """Return by how much amounts (n,) break a row, with its sigmas and a margin, as a share of its size."""
    over = problem.row_value(row, amounts) + problem.sigma * problem.row_sigma(row, amounts)
    return over / _row_scale(problem, row) + (0.0 if row.is_center else margin)


def _merit(problem: BallastProblem, amounts: _Floats, margin: float, penalty: float) -> tuple[float, float]:
    """Return the exact penalty of amounts (n,), and the sum of what rows are broken by."""
    miss = sum(max(_excess(problem, row, amounts, margin), 0.0) for row in _all_rows(problem, amounts))
    return float(problem.unit_mass @ amounts) / problem.total_mass + penalty * miss, miss


def _successive_programmes(problem: BallastProblem, start: _Floats, margin: float) -> _Floats:
    """Improve amounts (n,) by linear programmes in a trust region, with slacks at a penalty."""
    amounts, penalty, radius = start, 1e3, 0.25 * problem.total_mass
    for _ in range(_STEPS):
        merit, miss = _merit(problem, amounts, margin, penalty)
        base = _linearised(problem, amounts, margin, radius)
        count, free = len(base.right), np.zeros(len(base.right))
        elastic = _Programme(
            np.append(base.cost / problem.total_mass, free + penalty),
            np.hstack([base.left, -np.eye(count)]),
            base.right,
            np.append(base.low, free),
            np.append(base.most, free + inf),
            np.zeros(len(amounts) + count, bool),
        )
        found, _ = elastic.solve()
        if found is None or radius < 1e-13 * problem.total_mass:
            break
        step, wanted = found[: len(amounts)], merit - float(elastic.cost @ found)
        if wanted <= 1e-13 * max(abs(merit), 1.0):
            if miss <= 1e-12 or penalty >= 1e7:
                break
            penalty *= 100
            continue
        gain = merit - _merit(problem, step, margin, penalty)[0]
        amounts = step if gain > 0.1 * wanted else amounts
        radius *= 2 if gain > 0.7 * wanted else 1 if gain > 0.1 * wanted else 0.25
    return amounts


def _linearised(problem: BallastProblem, amounts: _Floats, margin: float, radius: float) -> _Programme:
    """Return the programme of rows linearised at amounts (n,), in a region about them."""
    rows = _all_rows(problem, amounts)
    slopes = np.array([problem.gradient(row, amounts) / _row_scale(problem, row) for row in rows])
    over = np.array([_excess(problem, row, amounts, margin) for row in rows])
    far = radius / np.abs(problem.unit_mass)
    low, most = np.maximum(amounts - far, 0.0), np.minimum(amounts + far, problem.most)
    return _Programme(problem.unit_mass, slopes, slopes @ amounts - over, low, most, problem.whole)


def _whole_amounts(problem: BallastProblem, start: _Floats, margin: float) -> _Floats:
    """Return whole pieces near amounts (n,): integer programmes linearised at the last answer, then tightened."""
    best, least, at = np.where(problem.whole, np.round(start), start), inf, start
    for _ in range(_TRIALS):
        found, _ = _linearised(problem, at, margin, inf).solve()
        if found is None:
            break
        for _ in range(2):
            found = _on_active_rows(problem, _all_rows(problem, found), found)
        if (merit := _merit(problem, found, 0.0, 1e6)[0]) < least:
            best, least = found, merit
        if (found == at).all():
            if not problem.failures(found):
                break
            margin = 2 * margin + 1e-9
        at = found
    return best


def _least_miss(problem: BallastProblem) -> _Floats | None:
    """Return the amounts whose largest distance of a centre beyond its limits is least (Dinkelbach's method)."""
    base, rows = _center_programme(problem, problem.center_rows), problem.center_rows
    own = np.array([problem.conditions[row.condition].mass for row in rows])
    most = np.minimum(problem.most, _LARGE * problem.total_mass / np.abs(problem.unit_mass))
    low, high, whole = np.append(base.low, -inf), np.append(most, inf), np.append(base.whole, False)
    cost, far, best = np.append(base.low, 1.0), 0.0, None
    for _ in range(30):  # t least, the largest over all rows of excess − far × mass
        rates = np.column_stack([base.left - far * problem.unit_mass, -np.ones(len(rows))])
        found, _ = _Programme(cost, rates, base.right + far * own, low, high, whole).solve()
        if found is None:
            return best
        misses = (base.left @ found[:-1] - base.right) / (own + problem.unit_mass @ found[:-1])
        if best is not None and misses.max() >= far - 1e-12 * problem.length:
            return best
        best, far = found[:-1], float(misses.max())
    return best


def _explained_failure(problem: BallastProblem) -> BallastAnswer:
    """Return which limits of centres clash, the attempt that misses least, and what would help."""
    rows = _tightest_rows(problem)
    relaxed, _ = _center_programme(problem, rows, whole=False).solve()
    clash = list(rows)
    for row in rows:  # deletion filter: what remains is not met, and is met without any one of its rows
        rest = [one for one in clash if one is not row]
        if _center_programme(problem, rest, whole=relaxed is not None).solve()[0] is None:
            clash = rest
    if relaxed is None:
        helps = _helpful_places(problem, rows, clash)
    else:
        helps = (BallastHelp("pieces", "", float(problem.unit_mass @ relaxed)),)
    return BallastAnswer(None, "impossible", _least_miss(problem), tuple(clash), helps)


def _helpful_places(problem: BallastProblem, rows: _Rows, clash: _Rows) -> tuple[BallastHelp, ...]:
    """Return what would make the limits possible: more mass at a place, at several, or a place elsewhere."""
    programme, (left, _) = _center_programme(problem, rows), problem.center_system(clash)
    reach = (-left / np.abs(problem.unit_mass)).max(axis=0, initial=0.0)
    capped = [i for i in range(len(problem.points)) if isfinite(problem.most[i])]
    single = [[i] for i in sorted(capped, key=lambda i: -reach[i]) if reach[i] > 0][:_MOST_TRIED]
    for chosen in (*single, capped):
        most = problem.most.copy()
        most[chosen] = inf
        if chosen and (found := programme._replace(most=most).solve()[0]) is not None:
            more = [i for i in chosen if found[i] > problem.most[i]]
            masses, limits = found * problem.unit_mass, problem.most * problem.unit_mass
            return tuple(BallastHelp("mass", problem.points[i].name, float(masses[i]), float(limits[i])) for i in more)
    nothing = np.zeros(len(problem.most))
    unmet = [row for row in clash if problem.row_value(row, nothing) + problem.sigma * problem.least_sigma(row) > 0]
    return tuple(BallastHelp("place", "xyz"[row.axis], row.end, float(row.side)) for row in unmet)
