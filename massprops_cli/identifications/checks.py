"""What is wrong with measured runs: units, swapped and stuck joints, a payload that the table omits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from massprops_cli.findings.finding import Findings, Place, TableError, name_list
from massprops_cli.identifications.fit import Fit, Groups, fold_number
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import Prior, free_of_terms, parameters_of
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import machine_regressor, upper_factor

_LONGEST_STEP = 0.5  # s; slower runs show no dynamics
_MOST_TURNS = 2.5 * 2 * np.pi  # rad from the pose of the file; beyond it, and beyond the limits, positions are degrees
_STILL = 1e-4  # rad or m of travel: a joint at rest
_SAMPLES = 400  # of a run, for tests of columns
_BETTER = 0.4  # residual of swapped columns, as a share of that of the columns as they are
_ODD = 3.0  # factor of all torques by which a unit is suspected
_SCALES = {
    1e3: "N*mm", 1e-3: "kN*m", 0.112984829: "N*m where lbf*in was", 8.8507458: "lbf*in", 1 / 9.80665: "kgf*m",
    1e2: "N*cm",
}  # fmt: skip
_SURE = 40.0  # decrease of χ² by four parameters that shows a payload
_LEAST_PAYLOAD = 0.01  # of the mass of the machine: a smaller one is not reported


def check_units(machine: Machine, runs: Sequence[Run], findings: Findings) -> None:
    """Report time in milliseconds, positions in degrees and stuck joints; TableError after an error."""
    before = len(findings)
    for run in runs:
        place = Place(run.file)
        if run.step >= _LONGEST_STEP:
            unit = "ms" if run.step < 500 else "us"
            message = f"time has steps of {run.step:.4g} s: it is probably in {unit}"
            remedy = f"name the column t [{unit}]"
            findings.report("MP894", message, place, value=f"{run.step:.4g}", remedy=remedy)
        degrees, still = [], []
        for k, name in enumerate(machine.model.names):
            values = run.positions[:, k]
            largest, travel = float(np.abs(values).max()), float(np.ptp(values))
            low, high = machine.limits(name).get("position", (-_MOST_TURNS, _MOST_TURNS))
            most = max(abs(low), abs(high))
            is_outside = largest > max(3 * most, np.pi) and np.degrees(most) >= 0.9 * largest
            if machine.is_angle(name) and name not in machine.free_names and is_outside:
                degrees.append(name)
            elif travel < _STILL and k in machine.independent and name not in machine.free_names:
                still.append(name)
        if degrees:
            message = f"positions are beyond all limits, and are probably in degrees: {name_list(degrees)}"
            remedy = f"name the columns q_{degrees[0]} [deg]"
            findings.report("MP894", message, place, value=degrees[0], count=len(degrees), remedy=remedy)
        if still and len(still) < len(machine.independent):
            message = f"joints do not move: {name_list(still)}"
            remedy = "check whether the joint, or its encoder, is stuck; this run shows little of it"
            findings.report("MP895", message, place, value=still[0], item=still[0], count=len(still), remedy=remedy)
    if any(one.rule == "MP894" for one in findings[before:]):
        raise TableError(findings)


def check_columns(machine: Machine, runs: Sequence[Run], prior: Prior, findings: Findings) -> None:
    """Compare torques with those that the table predicts: their unit, and joints with the columns of others."""
    for run in runs:
        rows = _rows(run)
        tau = run.forces[rows]
        predicted, terms = _prediction(machine, run.signals[:, rows], prior)
        sizes = np.sqrt(((predicted - predicted.mean(axis=0)) ** 2).mean(axis=0))
        tested = [k for k in np.flatnonzero(run.measured).tolist() if sizes[k] > 0.02 * sizes.max()]
        if not sizes.max() > 0 or not tested:
            continue
        own = np.array([_residual(tau[:, k], predicted[:, k], terms[:, k]) for k in range(len(sizes))])
        _check_scale(run, tau, predicted, terms, tested, findings)
        poor = [k for k in tested if own[k] > 0.5]
        for i, j in combinations(poor, 2):
            first, second = machine.names[i], machine.names[j]
            swapped = [_residual(tau[:, b], predicted[:, a], terms[:, a]) for a, b in ((i, j), (j, i))]
            if max(swapped) < _BETTER * min(own[i], own[j]) + 0.02 and sum(swapped) < _BETTER * (own[i] + own[j]):
                _report_swap(run, first, second, "torques", findings)
                continue
            signals = run.signals[:, rows].copy()
            a, b = machine.independent[i], machine.independent[j]
            signals[:, :, [a, b]] = signals[:, :, [b, a]]
            other, other_terms = _prediction(machine, signals, prior)
            for what, pair in (("positions", (i, j)), ("columns", (j, i))):
                rest = [_residual(tau[:, m], other[:, k], other_terms[:, k]) for m, k in zip(pair, (i, j), strict=True)]
                if max(rest) < _BETTER * max(own[i], own[j]) and sum(rest) < _BETTER * (own[i] + own[j]):
                    _report_swap(run, first, second, what, findings)
                    break


def _report_swap(run: Run, first: str, second: str, what: str, findings: Findings) -> None:
    """Report two joints whose columns are exchanged."""
    message = f"{what} of {first} and {second} fit the table only if they are exchanged"
    remedy = f"exchange the columns of {first} and {second}"
    findings.report("MP895", message, Place(run.file), value=first, item=first, remedy=remedy)


def _check_scale(
    run: Run, tau: Floats, predicted: Floats, terms: Floats, tested: list[int], findings: Findings
) -> None:
    """Report torques that are a multiple of what the table predicts."""
    factors: list[float] = []
    for k in tested:
        columns = np.column_stack([predicted[:, k], terms[:, k]])
        found, *_ = np.linalg.lstsq(columns, tau[:, k], rcond=None)
        without, *_ = np.linalg.lstsq(terms[:, k], tau[:, k], rcond=None)
        rest, other = float(np.std(columns @ found - tau[:, k])), float(np.std(terms[:, k] @ without - tau[:, k]))
        if rest < 0.5 * min(other, float(np.std(tau[:, k]))):
            factors.append(float(found[0]))
    if 2 * len(factors) <= len(tested) or 1 / _ODD < np.median(factors) < _ODD or not all(factors):
        return
    if max(factors) - min(factors) > 0.5 * abs(np.median(factors)):
        return
    factor = float(np.median(factors))
    near = min(_SCALES, key=lambda one: abs(float(np.log(abs(factor) / one))))
    unit = f", probably in {_SCALES[near]}" if abs(np.log(abs(factor) / near)) < 0.4 and factor > 0 else ""
    remedy = ""
    if -_ODD < factor < 0:
        unit, remedy = ": their signs are probably opposite", "change the sign of all torques, or that of --gravity"
    message = f"torques are {factor:.3g} times those that the table predicts{unit}"
    findings.report("MP894", message, Place(run.file), value=f"{factor:.3g}", remedy=remedy)
    raise TableError(findings)


def _rows(run: Run) -> Floats:
    """Return samples spread over the inner part of the parts of a run."""
    ends = [(part.start, part.stop, (part.stop - part.start) // 20) for part in run.parts]
    inner = np.concatenate([np.arange(low + cut, high - cut) for low, high, cut in ends])
    return np.asarray(inner[:: max(1, len(inner) // _SAMPLES)])


def _prediction(machine: Machine, signals: Floats, prior: Prior) -> tuple[Floats, Floats]:
    """Return torques that the table predicts ``(samples, m)``, and the columns of friction ``(samples, m, terms)``."""
    W = machine_regressor(machine, *signals)
    n = 10 * len(machine.mechanism.bodies)
    predicted = W[:, :, :n] @ prior.values
    rates = signals[1][:, list(machine.independent)]
    terms = np.stack([rates, np.sign(rates), np.ones_like(rates), signals[2][:, list(machine.independent)]], axis=2)
    return predicted, terms


def _residual(tau: Floats, predicted: Floats, terms: Floats) -> float:
    """Return the residual of torques with free friction and armature, as a share of their deviation."""
    rest = tau - predicted
    found, *_ = np.linalg.lstsq(terms, rest, rcond=None)
    return float(np.std(rest - terms @ found)) / max(float(np.std(tau)), 1e-300)


def check_payload(
    machine: Machine, groups: Groups, fit: Fit, prior: Prior, runs: Sequence[Run], findings: Findings
) -> None:
    """Report a mass at the last links that the table, or the other runs, do not have."""
    parents = {joint.bodies[0] for joint in machine.mechanism.joints}
    ends = [k for k in range(len(machine.mechanism.bodies)) if k not in parents and not machine.settings.payload]
    n, p = 10 * len(machine.mechanism.bodies), len(groups.columns.kept)
    B = groups.columns.transform[:, :n]
    M = free_of_terms(groups.columns, fit.covariance + B @ prior.covariance @ B.T, n)
    for body in ends:
        name, own = machine.mechanism.bodies[body].name, B[:, 10 * body : 10 * body + 10]
        ten = prior.values[10 * body : 10 * body + 10]
        found = _added_mass(M @ own, M @ (fit.values - B @ prior.values), ten)
        if found is not None and found[3] < 0.5 * found[2]:
            size = f"{found[0]:.3g} ± {found[1]:.2g} kg"
            message = f"motion shows about {size} at link {name} that the table does not have"
            remedy = f'add it to the table, or write [identify.payload.tool] with link = "{name}" if it is a payload'
            findings.report("MP896", message, Place(runs[0].file), value=f"{found[0]:.3g}", item=name, remedy=remedy)
        for r, run in enumerate(runs if len(runs) > 1 else ()):
            R = None
            for key, factor in groups.factors.items():
                extra = factor[:, :p] @ own if fold_number(groups, key) == r else np.zeros((len(factor), 10))
                block = np.column_stack([factor[:, :p], extra, factor[:, p]]) / fit.noise[key[0], key[2]]
                R = upper_factor(block, R)
            assert R is not None
            found = _added_mass(R[p : p + 10, p : p + 10], R[p : p + 10, p + 10], ten)
            if found is not None and found[0] > _LEAST_PAYLOAD * prior.values[::10].sum():
                message = f"run has about {found[0]:.3g} ± {found[1]:.2g} kg more at link {name} than the other runs"
                remedy = f'write [identify.payload.tool] with link = "{name}" and runs = ["{run.name}"]'
                findings.report("MP896", message, Place(run.file), value=f"{found[0]:.3g}", item=name, remedy=remedy)


def _added_mass(A: Floats, b: Floats, ten: Floats) -> tuple[float, float, float, float] | None:
    """Return mass, σ, and χ² without and with a point mass at a link of parameters ``ten``; None if it is not clear."""
    from scipy.optimize import least_squares

    def off(x: Floats) -> Floats:
        """Return the residual with a mass x₀ at the point x₁, x₂, x₃ of the link."""
        point = np.array([*x[1:], 1.0])
        return np.asarray(A @ (x[0] * parameters_of(np.outer(point, point))) - b)

    center = ten[1:4] / ten[0] if ten[0] > 0 else np.zeros(3)
    best = least_squares(off, [0.1 * max(float(ten[0]), 0.1), *center], x_scale=[1.0, 0.1, 0.1, 0.1])
    sigma = float(np.linalg.norm(np.linalg.pinv(best.jac)[0]))
    before, after, mass = float(b @ b), 2 * float(best.cost), float(best.x[0])
    return (mass, sigma, before, after) if before - after > _SURE and mass > 4 * sigma else None
