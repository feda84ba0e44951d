"""Parameters of all links: the mass table as prior, bodies that exist, posterior covariance, χ² of the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, Place, UsageError, name_list
from massprops_cli.identifications.fit import UNLIKELY, Columns, Fit
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.identifications.signals import machine_regressor
from massprops_cli.robots.link_values import link_owners

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
TABLE_ORDER = [4, 7, 9, 5, 6, 8]
"""Places of xx, yy, zz, xy, xz, yz among ten parameters."""
_TO_PARAMETERS = (0, 1, 2, 3, 4, 7, 8, 5, 9, 6)  # m, h, Jxx Jyy Jzz Jxy Jxz Jyz → the order of ``QUANTITIES``
_LEAST_SHARE = 1e-6  # of its mass properties: the least σ of a link in the solver
_WIDE = 1e3  # prior σ of parameters of joints, SI units: none
_INSIDE = 1e-3  # least eigenvalue at the start of the search, in units of the mass and the size of a body
_LEAST_BARRIER, _SHORTEST, _MOST_STEPS = 1e-8, 1e-9, 40  # of the search for bodies; objective in squares of σ
_UNCHANGED, _SHOWN = 0.95, 0.5  # σ after, as a share of that before: nothing is learned above, and much below
_WELL_SHOWN = 1e8  # squares of all that many motions show, as a multiple of what the table states
Boxes = Mapping[str, tuple[Floats, Floats]]
"""Low and high corner (3,) m of the collision geometry of links, in their frames."""


def _pseudo_inertia(ten: Floats) -> Floats:
    """Return the matrix (4, 4) of second moments Σ, first moments and mass of ten parameters about an origin."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = ten
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]])


def parameters_of(pseudo: Floats) -> Floats:
    """Return the parameters (10,) of a pseudo-inertia (4, 4); the inverse of ``_pseudo_inertia``."""
    trace = np.trace(pseudo[:3, :3])
    tensor = [(trace if i == j else 0.0) - pseudo[i, j] for i, j in _TENSOR]
    return np.array([pseudo[3, 3], *pseudo[:3, 3], *tensor])


def frame_change(rotation: Floats, offset: Floats) -> Floats:
    """Return the matrix (10, 10) of parameters in a frame where a point x is at rotation·x + offset."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, offset
    return np.column_stack([parameters_of(T @ _pseudo_inertia(unit) @ T.T) for unit in np.eye(10)])


@dataclass(eq=False)
class Prior:
    """Mass properties of the links: values and covariance ``(10 n,)``, ``(10 n, 10 n)`` in the frames of the links."""

    values: Floats
    covariance: Floats  # of what is stated; 0 without σ
    used: Floats  # covariance for the estimate, with an assumed σ where none is stated
    is_stated: NDArray[np.bool_]  # (n,) whether the table states σ of a link
    source: str


def table_prior(machine: Machine, bom: Bom | None, findings: Findings) -> Prior:
    """Return the prior of a table whose items are links, or of the robot file itself."""
    n = len(machine.mechanism.bodies)
    values, covariance = machine.stated_values(), np.zeros((10 * n, 10 * n))
    names = {body.name: k for k, body in enumerate(machine.mechanism.bodies)}
    source = machine.mechanism.name
    if bom is not None:
        source = bom.table.source.name
        found = _table_values(machine, bom, names)
        if not found:
            raise UsageError(f"{source}: no item is a link of the machine; --prior is a table of {name_list([*names])}")
        if missing := [name for name, k in names.items() if k not in found and machine.has_mass()[k]]:
            message = f"links with a mass are not in {source}, and are as in the robot: {name_list(missing)}"
            findings.report("MP896", message, Place(source), value=missing[0])
        for k, (ten, V) in found.items():
            at = slice(10 * k, 10 * k + 10)
            values[at], covariance[at, at] = ten, V
    used = covariance.copy()
    is_stated = np.zeros(n, bool)
    for k in range(n):
        at = slice(10 * k, 10 * k + 10)
        is_stated[k] = bool(covariance[at, at].any())
        if is_stated[k]:
            used[at, at] += np.diag((_LEAST_SHARE * parameter_scales(values[at])) ** 2)
        elif values[at][0] > 0:  # about the centre, so that a share of a tensor is one of its entries
            center = values[at][1:4] / values[at][0]
            m, *_, xx, _, _, yy, _, zz = frame_change(np.eye(3), -center) @ values[at]
            root = np.sqrt(np.maximum([xx, yy, zz], 1e-6 * max(xx, yy, zz)))
            own = [m, *[math.sqrt(m * float(root @ root) / 2)] * 3, *(root[i] * root[j] for i, j in _TENSOR)]
            M = frame_change(np.eye(3), center) * (machine.settings.spread * np.array(own))
            used[at, at] = M @ M.T
    return Prior(values, covariance, used, is_stated, source)


def parameter_scales(ten: Floats) -> Floats:
    """Return the sizes (10,) of the parameters of a body: mass, mass times a radius, and times its square."""
    if not ten[0] > 0:
        return np.zeros(10)
    pseudo = _pseudo_inertia(ten)
    square = max(float(np.trace(pseudo[:3, :3])) / ten[0], 1e-12)
    return np.asarray(ten[0] * np.array([1.0, *[square**0.5] * 3, *[square] * 6]))


def _table_values(machine: Machine, bom: Bom, names: dict[str, int]) -> dict[int, tuple[Floats, Floats]]:
    """Return ten parameters and covariance of each link of a table, in the frame of the link."""
    from massprops_cli.bom.rollup import rollup

    rolled = rollup(bom, "auto").rollup
    owner, count = link_owners(bom, list(names))
    bodies = rolled.bodies
    found: dict[int, tuple[Floats, Floats]] = {}
    for i in np.flatnonzero(bom.tree.is_leaf() & (owner >= 0) & (count != 0)).tolist():
        if not bodies.mass[i]:
            continue
        if bodies.center is None or bodies.inertia is None:
            raise UsageError(f"{bom.table.source.name} states no centres or no inertia, which a prior needs")
        k = names[bom.ids[int(owner[i])]]
        if bom.poses is None:
            position, rotation = machine.mechanism.pose(k)
            origin, axes = np.array(position, float), np.array(rotation, float)
        else:
            pose = bom.poses.in_root[np.array([int(owner[i])])]
            origin, axes = pose.translation[0], pose.rotation[0]
        xx, yy, zz, xy, xz, yz = bodies.inertia[i]
        own = np.array([bodies.mass[i], 0, 0, 0, xx, xy, xz, yy, yz, zz])
        M = frame_change(axes.T, axes.T @ (bodies.center[i] - origin))
        order = list(_TO_PARAMETERS)
        V = rolled.covariance_of(i)[np.ix_(order, order)]
        ten, total = found.get(k, (np.zeros(10), np.zeros((10, 10))))
        found[k] = ten + count[i] * (M @ own), total + count[i] ** 2 * (M @ V @ M.T)
    return found


@dataclass(eq=False)
class FullParameters:
    """Ten parameters of every link that exist as bodies, with the posterior covariance."""

    values: Floats  # (10 n,)
    covariance: Floats
    terms: dict[str, float]
    shown: list[int]  # of the ten directions of each link's parameters, those whose σ the data at least halve
    distance: float  # (θ − θ0)ᵀ Σ0⁻¹ (θ − θ0)
    active: list[str]  # links on the border of what is possible


def full_parameters(
    machine: Machine, columns: Columns, fit: Fit, prior: Prior, boxes: Boxes, findings: Findings
) -> FullParameters:
    """Return the parameters of all links that are most probable given table and data, and belong to bodies."""
    # those of links with a box, to bodies inside it
    names = [body.name for body in machine.mechanism.bodies]
    n, p = len(machine.mechanism.bodies), len(columns.kept)
    total = len(columns.names)
    theta = np.zeros(total)
    theta[: 10 * n] = prior.values
    root = np.zeros((total, total))
    heavy = np.flatnonzero(prior.values.reshape(-1, 10)[:, 0] > 0).tolist()
    for k in heavy:
        at = slice(10 * k, 10 * k + 10)
        scale = parameter_scales(prior.values[at])
        scaled = prior.used[at, at] / np.outer(scale, scale)
        w, v = np.linalg.eigh(scaled)
        root[at, at] = scale[:, None] * v * np.sqrt(np.maximum(w, _LEAST_SHARE**2))
    for k in range(10 * n, total):
        root[k, k] = _WIDE
    # x = θ0 + root·u: ½ |u|² + ½ |R B x − z|²
    R, z = fit.weighted[:p, :p], fit.weighted[:p, p]
    A = R @ columns.transform @ root
    rest = z - R @ columns.transform @ theta
    H = np.eye(total) + A.T @ A
    u = np.linalg.solve(H, A.T @ rest)
    links = {k: _possible(theta[10 * k : 10 * k + 10], boxes.get(names[k])) for k in heavy}
    best = theta + root @ u
    active = [names[k] for k, (bases, _) in links.items() if _margin(best[10 * k : 10 * k + 10], bases) < 0]
    if active:
        from scipy.stats import chi2

        free, u = u, _nearest_bodies(H, A.T @ rest, theta, root, links)
        is_far = chi2.sf((u - free) @ H @ (u - free), len(active)) < UNLIKELY
    if active and is_far:  # else noise alone put them beyond the border
        where = " inside their collision geometry" if boxes else ""
        message = f"best parameters of links belong to no bodies{where}, and are replaced by the nearest"
        findings.report("MP899", f"{message}: {name_list(active)}", value=active[0], count=len(active))
    x = theta + root @ u
    covariance = root @ np.linalg.inv(H) @ root.T
    inertial = covariance[: 10 * n, : 10 * n]
    shown, silent = [0] * n, []
    for k in heavy:
        ratios = _ratios(covariance, root, k)
        shown[k] = int((ratios < _SHOWN).sum())
        silent += [k] * bool(ratios[0] > _UNCHANGED)
    terms = dict(zip(columns.names[10 * n :], x[10 * n :].tolist(), strict=True))
    if silent := silent and _showable(machine, root, silent):
        message = f"motion shows nothing of links: {name_list([names[k] for k in silent])}; they are as in the table"
        findings.report("MP898", message, value=names[silent[0]], count=len(silent))
    distance = float(u[: 10 * n] @ u[: 10 * n])
    return FullParameters(x[: 10 * n], inertial, terms, shown, distance, active)


def _ratios(covariance: Floats, root: Floats, k: int) -> Floats:
    """Return σ of ten independent combinations of the parameters of a link, as shares of those of the table."""
    at = slice(10 * k, 10 * k + 10)
    inverse = np.linalg.inv(root[at, at])
    return np.sqrt(np.maximum(np.linalg.eigvalsh(inverse @ covariance[at, at] @ inverse.T), 0.0))


def _showable(machine: Machine, root: Floats, links: Sequence[int]) -> list[int]:
    """Return the links of which some motion shows something: most of all motions do."""
    states = np.random.default_rng(0).normal(size=(3, 3 * len(root), machine.model.degrees))
    W = machine_regressor(machine, *states)
    A = W.reshape(-1, W.shape[2]) @ root[: W.shape[2]]
    covariance = root @ np.linalg.inv(np.eye(len(root)) + _WELL_SHOWN * (A.T @ A) / np.trace(A.T @ A)) @ root.T
    return [k for k in links if _ratios(covariance, root, k)[0] < _UNCHANGED]


_BASIS = np.array([_pseudo_inertia(unit) for unit in np.eye(10)])  # (10, 4, 4)


_Possible = tuple[list[Floats], Floats]
"""Bases (10, k, k) whose sums with the parameters of a link are positive semidefinite for its bodies, and one body."""


def _possible(ten: Floats, box: tuple[Floats, Floats] | None) -> _Possible:
    """Return what holds for the bodies of a link, in units of its mass and size; inside a box if one is given."""
    m = max(abs(float(ten[0])), 1e-9)
    square = max(abs(float(np.trace(_pseudo_inertia(ten)[:3, :3]))), 1e-12 * m)
    size = np.sqrt([square, square, square, m])
    bases, middle, spread = [_BASIS / np.outer(size, size)], ten[1:4] / m, np.full(3, square / m)
    if box is not None:
        middle, spread = (box[0] + box[1]) / 2, (box[1] - box[0]) ** 2 / 12
        for k, (low, high) in enumerate(zip(*box, strict=True)):  # ∫ (x − low)(high − x) dm ≥ 0 along each axis
            slab = (low + high) * _BASIS[:, k, 3] - _BASIS[:, k, k] - low * high * _BASIS[:, 3, 3]
            bases.append(slab[:, None, None] / (m * (high - low) ** 2))
    point = np.array([*middle, 1.0])
    return bases, m * parameters_of(np.outer(point, point) + np.diag([*spread, 0.0]))


def _margin(ten: Floats, bases: Sequence[Floats]) -> float:
    """Return the least eigenvalue of what must be positive semidefinite."""
    return min(float(np.linalg.eigvalsh(np.tensordot(ten, basis, 1))[0]) for basis in bases)


def _nearest_bodies(H: Floats, g: Floats, theta: Floats, root: Floats, links: Mapping[int, _Possible]) -> Floats:
    """Return u of the least ½ uᵀ H u − gᵀ u for which θ + root·u are possible bodies."""
    # Newton's method with the barrier −μ Σ log det; root has a block of ten for each body
    places = {k: slice(10 * k, 10 * k + 10) for k in links}
    blocks = [(places[k], basis) for k, (bases, _) in links.items() for basis in bases]
    u = np.zeros(len(g))
    for k, (bases, inside) in links.items():
        if _margin(theta[places[k]], bases) < _INSIDE:
            u[places[k]] = np.linalg.solve(root[places[k], places[k]], inside - theta[places[k]])

    def value(u: Floats, mu: float) -> float:
        """Return the objective with the barrier; infinite where it does not apply."""
        total = float(u @ H @ u / 2 - g @ u)
        for at, scaled in blocks:
            sign, size = np.linalg.slogdet(pseudo := np.tensordot(theta[at] + root[at, at] @ u[at], scaled, 1))
            if sign <= 0 or np.linalg.eigvalsh(pseudo)[0] <= 0:
                return np.inf
            total -= mu * float(size)
        return total

    mu = max(1.0, abs(value(u, 0.0)))
    while mu > _LEAST_BARRIER:
        mu /= 4
        for _ in range(_MOST_STEPS):
            slope, curvature = H @ u - g, H.copy()
            for at, scaled in blocks:
                inverse = np.linalg.inv(np.tensordot(theta[at] + root[at, at] @ u[at], scaled, 1))
                turned = inverse @ scaled
                slope[at] -= mu * root[at, at].T @ np.trace(turned, axis1=1, axis2=2)
                own = np.einsum("aij,bji->ab", turned, turned)
                curvature[at, at] += mu * root[at, at].T @ own @ root[at, at]
            step = -np.linalg.lstsq(curvature, slope, rcond=None)[0]  # on the border it is nearly singular
            decrease, length, before = float(-slope @ step), 1.0, value(u, mu)
            while value(u + length * step, mu) > before - 0.1 * length * decrease and length > _SHORTEST:
                length /= 2
            u = u + length * step if length > _SHORTEST else u
            if decrease < 0.01 * mu or length <= _SHORTEST:
                break
    return u


def free_of_terms(columns: Columns, spread: Floats, n: int) -> Floats:
    """Return rows (k, p) that make differences white, and that no friction, armature or payload changes."""
    # n parameters of bodies are first in the transform; spread (p, p) is the covariance of the differences
    scale = np.sqrt(np.diag(spread))
    root = np.linalg.cholesky(spread / np.outer(scale, scale) + 1e-12 * np.eye(len(scale)))
    white = np.linalg.inv(root) / scale
    left, values, _ = np.linalg.svd(white @ columns.transform[:, n:])
    rank = int((values > 1e-9 * values.max(initial=0)).sum())
    return np.asarray(left[:, rank:].T @ white)


def table_chi_square(machine: Machine, columns: Columns, fit: Fit, prior: Prior) -> dict[str, Any]:
    """Compare base parameters with those of the table: χ², its degrees of freedom, its probability by F."""
    from scipy.stats import f

    n = 10 * len(machine.mechanism.bodies)
    B = columns.transform[:, :n]
    off = free_of_terms(columns, fit.covariance + B @ prior.covariance @ B.T, n) @ (fit.values - B @ prior.values)
    degrees = len(off)
    if not degrees:
        return {"chi_square": None, "degrees": 0, "probability": None, "sigmas_of_table": False}
    value = float(off @ off)
    return {
        "chi_square": value, "degrees": degrees,
        "probability": float(f.sf(value / degrees, degrees, fit.freedom)),
        "sigmas_of_table": bool(prior.is_stated.any()),
    }  # fmt: skip
