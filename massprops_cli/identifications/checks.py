"""What is wrong with measured runs: hypotheses on recordings, runs that disagree, what the table omits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops_cli.findings.finding import Findings, Place, TableError, name_list
from massprops_cli.identifications.fit import (
    Fit,
    Groups,
    Payload,
    RunDifference,
    differing_runs,
    null_columns,
    weighted_fit,
    with_robust_sigmas,
)
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.prior import Prior, free_of_terms, full_parameters, parameter_scales, parameters_of
from massprops_cli.identifications.recordings import ALIKE, Recording
from massprops_cli.identifications.runs import Run

_STILL = 1e-4  # rad or m of travel: a joint at rest
_COUNTED = 100  # independent samples of all torques together that they count as: the table is not exact
_INEXACT = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # σ of a table, or of a run, as shares of those that are stated or assumed
_OF_A_NUMBER = 5.0  # −2 log of the likelihood that a number has by chance a value that explains much
_CLEAR = 2 * math.log(1e2)  # that a mass or a gain explains more than none
_UNEXPLAINED, _ABOVE_NOISE = 0.5, 3.0  # least residual, as a multiple of the torque, and of its white noise
_NEGATIVE = 3.5  # σ below 0 of friction or armature


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
            is_suspect |= Recording(machine, run, carried, prior.values, spread, _COUNTED).report(findings)
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

    def check_residuals(self, findings: Findings) -> None:
        """Report torques that the motion does not explain, though they are more than noise."""
        for r, run in enumerate(self.runs):
            if found := self._unexplained(r):
                message = f"motion does not explain the torques of {name_list(found)}"
                remedy = "check whether they are recorded, and of this joint; omit the column if not"
                findings.report("MP895", message, Place(run.file), value=found[0], count=len(found), remedy=remedy)

    def _unexplained(self, r: int) -> list[str]:
        """Return the joints of a run whose residual is most of the torque, and more than noise, with both."""
        factors, found = self.groups.factors(), []
        for k in [k for one, k in factors if one == r]:
            rest, noise = self.fit.deviation[r, k], float(self.runs[r].noise[k])
            size = float(np.linalg.norm(factors[r, k][:, -1])) / math.sqrt(self.fit.rows[r, k])
            if rest > _UNEXPLAINED * size > 0 and rest > _ABOVE_NOISE * noise:
                found.append(f"{self.machine.names[k]} (residual {rest:.3g}, torque {size:.3g})")
        return found

    def check_omitted_masses(self, findings: Findings) -> None:
        """Report masses at links that the table does not have."""
        fit, prior, n = self.fit, self.prior, len(self.prior.values)
        B = self.groups.columns.transform[:, :n]
        M = free_of_terms(self.groups.columns, fit.covariance + B @ prior.covariance @ B.T, n)
        cause = _difference_cause(self.machine, M @ B, M @ (fit.values - B @ prior.values), prior, M @ fit.values)
        message = f"torques are probably {cause.words} times those of the table"
        remedy = "check the gains of the torques, and the masses of the table"
        if cause.link:
            message = f"motion shows about {cause.words} that the table does not have"
            remedy = f'add it to the table; of a payload write [identify.payload.tool] with link = "{cause.link}"'
        if cause.words:
            place = Place(self.runs[0].file)
            findings.report("MP896", message, place, value=cause.words, item=cause.link, remedy=remedy)

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

    def _cause(self, one: RunDifference) -> tuple[int, str, str]:
        """Return the run that is at fault, what explains it in words, and the link that carries a mass, if one does."""
        sides = [(one.run, one.others)] + [(one.others[0], [one.run])] * (len(one.others) == 1)
        faults = [(*found, r) for r, others in sides if (found := self._fault(r, others))]
        if faults:
            _, words, r = max(faults)
            return r, f"; compared with {'it' if len(one.others) == 1 else 'them'}, {words}", ""
        A = one.rows @ self.groups.columns.transform[:, : len(self.prior.values)]
        signs = ((r, 1.0 if r == one.run else -1.0) for r, _ in sides)
        masses = [(_difference_cause(self.machine, A, sign * one.rest, self.prior), r) for r, sign in signs]
        cause, r = min(masses, key=lambda found: found[0].unlikely)
        if any(self._unexplained(side) for side, _ in sides):
            return r, "", ""
        return r, f"; it probably carries {cause.words}" if cause.words else "", cause.link

    def _fault(self, r: int, others: Sequence[int]) -> tuple[float, str] | None:
        """Return what a recording probably is by the links that others show, and by how much it is more likely."""
        part, S = self.groups.part(self.groups.pairs(others))
        fit = with_robust_sigmas(part, weighted_fit(part, self.fit.noise))
        columns = replace(self.groups.columns, kept=part.columns.kept, transform=S @ self.groups.columns.transform)
        links = full_parameters(self.machine, columns, fit, self.prior, {}, Findings())
        sizes, vectors = np.linalg.eigh(links.covariance)
        carried, spread = [one for one in self.payloads if r in one.runs], vectors * np.sqrt(np.maximum(sizes, 0.0))
        found = Recording(self.machine, self.runs[r], carried, links.values, spread, math.inf).best()
        if found is None or found[1].hypothesis.loaded >= 0:
            return None
        return found[1].likelihood - found[0].likelihood, found[2]


@dataclass(frozen=True)
class _Cause:
    """What explains a difference of parameters: −2 log of its likelihood, words, and the link that carries a mass."""

    unlikely: float
    words: str
    link: str = ""


def _difference_cause(machine: Machine, A: Floats, rest: Floats, prior: Prior, whole: Floats | None = None) -> _Cause:
    """Return the mass at a link, or the gain of the torques ``whole`` (k,), that explains ``rest`` (k,) of links A."""
    # other than that all links differ by a share of their σ, and the rest by a multiple of its own, both unknown
    k, found = len(rest), dict[str, _Cause]()
    spread, unexplained = A @ prior.used @ A.T, math.inf
    bodies = [body for body in range(len(machine.mechanism.bodies)) if np.linalg.norm(A[:, 10 * body : 10 * body + 10])]

    def unlikely(square: float, numbers: int) -> float:
        """Return −2 log of the likelihood of a χ² with unknown numbers, the multiple of σ 1 or more."""
        multiple = max(1.0, square / k)
        return square / multiple + k * math.log(multiple) + log_size + _OF_A_NUMBER * numbers

    for share in _INEXACT:
        root = np.linalg.cholesky(np.eye(k) + share**2 * spread)
        log_size = 2 * float(np.log(np.diag(root)).sum())
        white = np.linalg.solve(root, np.column_stack([rest, A] if whole is None else [rest, A, whole]))
        b, columns = white[:, 0], white[:, 1 : 1 + A.shape[1]]
        unexplained = min(unexplained, unlikely(float(b @ b), 0))
        made = []
        for body in bodies:
            at, name = slice(10 * body, 10 * body + 10), machine.mechanism.bodies[body].name
            mass, sigma, square = _point_mass(columns[:, at], b, prior.values[at])
            sigma *= max(1.0, square / k) ** 0.5
            size = f"{mass:.3g} ± {sigma:.2g} kg" if mass > 3 * sigma else "some mass"
            made.append(_Cause(unlikely(square, 4), f"{size} at link {name}", name))
        if whole is not None:
            gain = float(white[:, -1] @ b / (white[:, -1] @ white[:, -1]))
            made.append(_Cause(unlikely(float(b @ b) - gain * float(white[:, -1] @ b), 1), f"{1 / (1 - gain):.3g}"))
        for one in made:
            found[one.link] = min(found.get(one.link, one), one, key=lambda cause: cause.unlikely)
    alike = sorted(found.values(), key=lambda one: one.unlikely)
    if not alike or unexplained - alike[0].unlikely < _CLEAR:
        return _Cause(math.inf, "")
    if not alike[0].link:
        return alike[0]
    some = [one.words for one in alike if one.link and one.unlikely - alike[0].unlikely < 2 * ALIKE][:4]
    within = f" (as likely within a factor of {math.exp(ALIKE):.0f})"
    return replace(alike[0], words=" or ".join(some) + within * (len(some) > 1))


def _point_mass(A: Floats, b: Floats, ten: Floats) -> tuple[float, float, float]:
    """Return the best positive mass at a point of a link of parameters (10,), its σ, and χ² of A x = b (k,)."""
    from scipy.optimize import least_squares

    units = [parameters_of((unit + unit.T) / 2) for unit in np.eye(16).reshape(16, 4, 4)]
    form = (A @ np.array(units).T).reshape(-1, 4, 4)  # a mass at a point is quadratic in (point, 1)

    def off(x: Floats) -> Floats:
        """Return the residual with a mass x₀ at the point x₁, x₂, x₃ of the link."""
        return np.asarray(x[0] * (form @ [*x[1:], 1.0] @ [*x[1:], 1.0]) - b)

    def slopes(x: Floats) -> Floats:
        """Return the derivatives of the residual (k, 4)."""
        half = form @ [*x[1:], 1.0]
        return np.column_stack([half @ [*x[1:], 1.0], 2 * x[0] * half[:, :3]])

    start = [0.1 * max(float(ten[0]), 0.1), *(ten[1:4] / ten[0] if ten[0] > 0 else np.zeros(3))]
    best = least_squares(off, start, slopes, bounds=([0.0, *[-np.inf] * 3], np.inf), x_scale=[1.0, 0.1, 0.1, 0.1])
    is_hidden = np.abs(null_columns(best.jac)[0]).max(initial=0.0) > 1e-6  # another mass at another point is as good
    sigma = np.inf if is_hidden else float(np.linalg.norm(np.linalg.pinv(best.jac)[0]))
    return float(best.x[0]), sigma, 2 * float(best.cost)
