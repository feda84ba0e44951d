"""Parameters of all links: the mass table as prior, bodies that exist, posterior covariance, χ² of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, Place, UsageError, name_list
from massprops_cli.identifications.machine import Floats, Machine
from massprops_cli.robots.link_values import link_owners

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.identifications.fit import Columns, Fit

_TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_TO_PARAMETERS = (0, 1, 2, 3, 4, 7, 8, 5, 9, 6)  # m, h, Jxx Jyy Jzz Jxy Jxz Jyz → the order of ``QUANTITIES``
_LEAST_SHARE = 1e-6  # of its mass properties: the least σ of a link in the solver
_WIDE = 1e3  # prior σ of parameters of joints, SI units: none
_UNCHANGED = 0.95  # ratio of σ after and before, above which the data show nothing of a link


def pseudo_inertia(ten: Floats) -> Floats:
    """Return the matrix (4, 4) of second moments Σ, first moments and mass of ten parameters about an origin."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = ten
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]])


def parameters_of(pseudo: Floats) -> Floats:
    """Return the ten parameters of a pseudo-inertia; the inverse of ``pseudo_inertia``."""
    trace = np.trace(pseudo[:3, :3])
    tensor = [(trace if i == j else 0.0) - pseudo[i, j] for i, j in _TENSOR]
    return np.array([pseudo[3, 3], *pseudo[:3, 3], *tensor])


def frame_change(rotation: Floats, offset: Floats) -> Floats:
    """Return the matrix (10, 10) of parameters in a frame where a point x is at rotation·x + offset."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, offset
    return np.column_stack([parameters_of(T @ pseudo_inertia(unit) @ T.T) for unit in np.eye(10)])


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
            findings.report("MP896", f"no link of the robot is an item of {source}", Place(source))
        elif missing := [name for name, k in names.items() if k not in found and machine.has_mass()[k]]:
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
        scale = _scales(values[at])
        share = _LEAST_SHARE if is_stated[k] else machine.settings.spread
        used[at, at] += np.diag((share * scale) ** 2)
    return Prior(values, covariance, used, is_stated, source)


def _scales(ten: Floats) -> Floats:
    """Return the sizes of the ten parameters of a body: mass, mass times a radius, and times its square."""
    if not ten[0] > 0:
        return np.zeros(10)
    pseudo = pseudo_inertia(ten)
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
    """Ten parameters of every link that exist as bodies, with the posterior covariance, and what the data show."""

    values: Floats  # (10 n,)
    covariance: Floats
    terms: dict[str, float]
    share: Floats  # (n,) least ratio of σ after and before over the directions of each link's parameters
    distance: float  # (θ − θ0)ᵀ Σ0⁻¹ (θ − θ0)
    is_physical: bool
    active: list[str]  # links whose pseudo-inertia is on the border


def full_parameters(machine: Machine, columns: Columns, fit: Fit, prior: Prior, findings: Findings) -> FullParameters:
    """Return the parameters of all links that are most probable given table and data, and belong to bodies."""
    n, p = len(machine.mechanism.bodies), len(columns.kept)
    total = len(columns.names)
    theta = np.zeros(total)
    theta[: 10 * n] = prior.values
    root = np.zeros((total, total))
    heavy = np.flatnonzero(prior.values.reshape(-1, 10)[:, 0] > 0).tolist()
    for k in heavy:
        at = slice(10 * k, 10 * k + 10)
        scale = _scales(prior.values[at])
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
    lowest = [_least_eigenvalue((theta + root @ u)[10 * k : 10 * k + 10]) for k in heavy]
    is_physical, active = bool(min(lowest, default=0.0) >= 0), list[str]()
    if not is_physical:
        solved = _conic_solution(H, A.T @ rest, theta, root, heavy)
        names = [machine.mechanism.bodies[k].name for k, low in zip(heavy, lowest, strict=True) if low < 0]
        if solved is None:
            message = f"identified links are not bodies: {name_list(names)}; the nearest bodies need a conic solver"
            findings.report(
                "MP899",
                message,
                value=names[0],
                count=len(names),
                remedy="install the extra: pip install 'massprops[identify]'",
            )
        else:
            u, is_physical, active = solved, True, names
    x = theta + root @ u
    covariance = root @ np.linalg.inv(H) @ root.T
    inertial = covariance[: 10 * n, : 10 * n]
    share = np.ones(n)
    for k in heavy:
        at = slice(10 * k, 10 * k + 10)
        inverse = np.linalg.inv(root[at, at])
        share[k] = float(np.sqrt(np.linalg.eigvalsh(inverse @ inertial[at, at] @ inverse.T)[0]))
    terms = dict(zip(columns.names[10 * n :], x[10 * n :].tolist(), strict=True))
    silent = [machine.mechanism.bodies[k].name for k in heavy if share[k] > _UNCHANGED]
    if silent:
        message = f"motion shows nothing of links: {name_list(silent)}; they are as in the table"
        findings.report("MP898", message, value=silent[0], count=len(silent))
    distance = float(u[: 10 * n] @ u[: 10 * n])
    return FullParameters(x[: 10 * n], inertial, terms, share, distance, is_physical, active)


def _least_eigenvalue(ten: Floats) -> float:
    """Return the least eigenvalue of a pseudo-inertia, in units of the body's mass and size."""
    scale = np.sqrt(np.maximum(np.diag(pseudo_inertia(_sized(ten))), 1e-300))
    return float(np.linalg.eigvalsh(pseudo_inertia(ten) / np.outer(scale, scale))[0])


def _sized(ten: Floats) -> Floats:
    """Return the parameters of a ball of about the mass and size of a body."""
    m = max(abs(float(ten[0])), 1e-9)
    square = max(abs(float(np.trace(pseudo_inertia(ten)[:3, :3]))), 1e-12 * m)
    return parameters_of(np.diag([square, square, square, m]))


def _conic_solution(H: Floats, g: Floats, theta: Floats, root: Floats, heavy: Sequence[Any]) -> Floats | None:
    """Minimise ½ uᵀ H u − gᵀ u with positive semi-definite pseudo-inertias; None without the solver."""
    try:
        import clarabel
    except ImportError:
        return None
    from scipy.sparse import csc_matrix

    rows, right = [], []
    for k in heavy:
        at = slice(10 * k, 10 * k + 10)
        scale = np.sqrt(np.diag(pseudo_inertia(_sized(theta[at]))))
        # upper triangle by columns, off-diagonal entries times √2
        pairs = [(i, j) for j in range(4) for i in range(j + 1)]
        factors = np.array([(1.0 if i == j else 2**0.5) / (scale[i] * scale[j]) for i, j in pairs])
        basis = np.array([[pseudo_inertia(unit)[i, j] for unit in np.eye(10)] for i, j in pairs]) * factors[:, None]
        rows.append(-basis @ root[at])
        right.append(basis @ theta[at] - 1e-9 * np.array([float(i == j) for i, j in pairs]))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.PSDTriangleConeT(4)] * len(rows)
    P, A = csc_matrix(np.triu(H)), csc_matrix(np.vstack(rows))
    answer = clarabel.DefaultSolver(P, -g, A, np.concatenate(right), cones, settings).solve()
    return np.array(answer.x) if str(answer.status) in ("Solved", "AlmostSolved") else None


def table_chi_square(machine: Machine, columns: Columns, fit: Fit, prior: Prior) -> dict[str, Any]:
    """Compare base parameters with those of the table: χ², its degrees of freedom and its probability."""
    from scipy.stats import chi2

    n = 10 * len(machine.mechanism.bodies)
    B = columns.transform[:, :n]
    only = ~columns.transform[:, n:].any(axis=1)  # parameters that include no friction, armature or payload
    if not only.any():
        return {"chi_square": None, "degrees": 0, "probability": None}
    expected = B @ prior.values
    difference = (fit.values - expected)[only]
    spread = fit.covariance + B @ prior.covariance @ B.T
    S = spread[np.ix_(only, only)]
    scale = np.sqrt(np.diag(S))
    value = float(difference / scale @ np.linalg.solve(S / np.outer(scale, scale), difference / scale))
    degrees = int(only.sum())
    return {
        "chi_square": value, "degrees": degrees, "probability": float(chi2.sf(value, degrees)),
        "sigmas_of_table": bool(prior.is_stated.any()),
    }  # fmt: skip
