"""What measurements observe: values and gradients by m, h and J of an item (docs/formulas.md, section 16)."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import TENSOR_ENTRIES, phi
from massprops_cli.findings.finding import Findings, name_list
from massprops_cli.reconciliations.measurements import CENTERS, Measurement, UncertainValue
from massprops_cli.rollups.covariance import moved_parameters
from massprops_cli.rollups.inputs import tree_coverage
from massprops_cli.rollups.leaf_sums import leaf_gradients

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.reconciliations.prior import Linearization

_Floats = NDArray[np.float64]
_KINDS = ("mass", "center", "inertia")
_ROUNDING_OF_GEOMETRY = 1e-9  # share of the largest singular value of a stand, beyond which its points are on a line


def observed_values(one: Measurement, ten: _Floats, at: _Floats) -> _Floats:
    """Return what is observed of bodies (10, k) m, h, J about a point ``at`` (3,), each; coherent units, or s."""
    m, h = ten[0], ten[1:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = _plain_values(one, ten, at, m, h)
    return np.asarray((1 + _bias(one, "gain")) * value + _bias(one, "bias"))


def observed(one: Measurement, at: Linearization) -> float:
    """Return what is observed of the list at some values of it."""
    center = at.center[one.item]
    return float(observed_values(one, at.ten(np.array([one.item]), center), center)[0])


def _plain_values(one: Measurement, ten: _Floats, at: _Floats, m: _Floats, h: _Floats) -> _Floats:
    """Return the values without bias and gain of the scale."""
    if one.quantity == "mass":
        return m
    if one.quantity in CENTERS:
        e = one.axes[:, CENTERS.index(one.quantity)]
        return np.asarray(e @ (h / m + (at - _origin(one))[:, None]))
    if one.quantity == "reaction":
        of_mass, of_moment = _reaction_row(one, at)
        return np.asarray(of_mass * m + of_moment @ h)
    own = ten[4:] - phi((h / m).T).T * m
    if one.quantity == "period":
        return _period(one, _axis_weights(one) @ own, m)
    if one.point is None:
        return np.asarray(_tensor_weights(one) @ own)
    moved = moved_parameters(ten, (at - one.point)[:, None])
    return np.asarray(_tensor_weights(one) @ np.array(moved[4:]))


def observed_gradient(one: Measurement, mass: float, inertia: _Floats, at: _Floats) -> _Floats:
    """Return the derivatives (10,) by m, h, J about the own centre ``at`` (3,) of an item with its tensor (6,)."""
    row = np.zeros(10)
    if one.quantity == "mass":
        row[0] = 1.0
    elif one.quantity in CENTERS:
        row[1:4] = one.axes[:, CENTERS.index(one.quantity)] / mass
    elif one.quantity == "reaction":
        row[0], row[1:4] = _reaction_row(one, at)
    elif one.quantity == "period":
        weights = _axis_weights(one)
        moment = float(weights @ inertia)
        fixture = one.pendulum["fixture"].value if "fixture" in one.pendulum else 0.0
        half = float(_period(one, np.array(moment), np.array(mass))) / 2
        row[4:] = half / (moment + fixture) * weights
        row[0] = 0.0 if "stiffness" in one.pendulum else -half / mass
    else:
        row[4:] = _tensor_weights(one)
        if one.point is not None:
            row = leaf_gradients(row, (at - one.point)[:, None], 1)[:, 0]
    return np.asarray((1 + _bias(one, "gain")) * row)


class Nuisance(NamedTuple):
    """A deviation that measurements share: its source, and the change of the value for one σ of it."""

    of: UncertainValue
    change: float


def nuisances(one: Measurement, value: float) -> list[Nuisance]:
    """Return the deviations of scale and geometry that a measurement with an observed value shares with others."""
    plain = (value - _bias(one, "bias")) / (1 + _bias(one, "gain"))
    found = [Nuisance(of, of.sigma * (plain if of.source.endswith(" gain") else 1.0)) for of in one.biases]
    if one.quantity != "period":
        return found
    slopes = {"length": 0.5, "arm": -1.0, "stiffness": -0.5}  # ∂T/∂x = slope T / x
    for key, of in one.pendulum.items():
        if key == "fixture":  # T² = 4 π² (I + fixture) / k
            by = 2 * pi**2 / (one.pendulum["stiffness"].value * plain)
        else:
            by = slopes[key] * plain / of.value
        found.append(Nuisance(of, of.sigma * by * (1 + _bias(one, "gain"))))
    return found


def _bias(one: Measurement, what: str) -> float:
    """Return the stated bias or gain of the scale; 0 without one."""
    return sum((of.value for of in one.biases if of.source.endswith(f" {what}")), 0.0)


def _origin(one: Measurement) -> _Floats:
    """Return the point (3,) from which coordinates are measured."""
    return np.zeros(3) if one.point is None else one.point


def _period(one: Measurement, moment: _Floats, mass: _Floats) -> _Floats:
    """Return the period (k,) of small oscillations, s."""
    with np.errstate(invalid="ignore"):
        if (spring := one.pendulum.get("stiffness")) is not None:
            fixture = one.pendulum["fixture"].value if "fixture" in one.pendulum else 0.0
            return np.asarray(2 * pi * np.sqrt((moment + fixture) / spring.value))
        length, arm = one.pendulum["length"].value, one.pendulum["arm"].value
        return np.asarray(2 * pi * np.sqrt(moment * length / (mass * one.gravity * arm**2)))


def _tensor_weights(one: Measurement) -> _Floats:
    """Return the weights (6,) of a tensor entry along the axes of the measurement."""
    a, b = ("xyz".index(axis) for axis in TENSOR_ENTRIES[TENSOR_ENTRIES.index(one.quantity[1:])])
    return _pair_weights(one.axes[:, a], one.axes[:, b])


def _axis_weights(one: Measurement) -> _Floats:
    """Return the weights (6,) of the moment about the axis of a pendulum."""
    u = _origin(one)
    return _pair_weights(u, u)


def _pair_weights(u: _Floats, v: _Floats) -> _Floats:
    """Return w (6,) with w · (Ixx, …, Iyz) = uᵀ I v."""
    x, y, z = u * v
    mixed = [u[a] * v[b] + u[b] * v[a] for a, b in ((0, 1), (0, 2), (1, 2))]
    return np.array([x, y, z, *mixed])


def _reaction_row(one: Measurement, at: _Floats) -> tuple[float, _Floats]:
    """Return the derivatives of a reaction by the mass and by the first moment (3,) about ``at``."""
    # Σ R = m and Σ R (P − mean) = moment; more than three supports: equal springs, a plane (section 15)
    assert one.points is not None
    middle = one.points.mean(axis=0)
    across = np.linalg.svd(np.array([one.down]))[2][1:]  # (2, 3) the plane normal to gravity
    arms = across @ (one.points - middle).T
    of_moment = np.linalg.pinv(arms, rcond=_ROUNDING_OF_GEOMETRY)[one.support] @ across
    return 1 / len(one.points) + float(of_moment @ (at - middle)), of_moment


def vanishing_weights(vector: _Floats) -> _Floats:
    """Return w (6,) with w · (Ixx, …, Iyz) = vᵀ (½ tr(I) 1 − I) v, not negative for a body: section 8."""
    weights = -_pair_weights(vector, vector)
    weights[:3] += 0.5 * float(vector @ vector)
    return weights


def check_measured_items(bom: Bom, measurements: Sequence[Measurement], findings: Findings) -> None:
    """Report measurements of items of which not all leaves have the quantity."""
    inputs = bom.rollup_inputs()
    coverage, missing = tree_coverage(inputs), bom.bodies.missing_axes
    pieces = bom.tree.path_quantities(bom.quantity).count
    for one in measurements:
        if not pieces[one.item]:
            message = f"{bom.ids[one.item]} is not in the product: its quantity is 0"
            findings.report("MP521", message, one.place, value=one.text, item=bom.ids[one.item])
            continue
        needs = 0 if one.quantity == "mass" else 1 if one.quantity in (*CENTERS, "reaction") else 2  # tensor
        whole = (coverage.mass_is_whole, coverage.center_is_whole, coverage.inertia_is_whole)
        lacks = [name for name, of in zip(_KINDS[: needs + 1], whole, strict=False) if not of[one.item]]
        columns = [None, bom.bodies.center, bom.bodies.inertia][1 : needs + 1]
        if any(array is None for array in columns) or (needs and missing.any() and _uses_axes(one, missing)):
            lacks = lacks or [_KINDS[needs]]
        if lacks:
            words = {"mass": "mass", "center": "centre of mass", "inertia": "tensor of inertia"}[lacks[0]]
            message = f"{bom.ids[one.item]} has leaves without {words}, which {one.quantity} needs"
            findings.report("MP521", message, one.place, value=one.text, item=bom.ids[one.item])
            continue
        if len(without := _leaves_without_sigma(bom, one.item, needs)):
            names = name_list([bom.ids[i] for i in without[:3].tolist()], 3, count=len(without))
            message = f"{len(without):,} leaves of {bom.ids[one.item]} have no σ and remain as stated: {names}"
            findings.report("MP524", message, one.place, item=bom.ids[one.item])


def _uses_axes(one: Measurement, missing: NDArray[np.bool_]) -> bool:
    """Return whether a measurement needs a coordinate that the table does not give."""
    if one.quantity in CENTERS:
        return bool(np.any(missing & (one.axes[:, CENTERS.index(one.quantity)] != 0)))
    return True


def _leaves_without_sigma(bom: Bom, item: int, needs: int) -> Any:
    """Return the leaves (k,) of an item with a σ that is missing."""
    if bom.sigmas is None or bom.sigmas.known is None:
        return np.zeros(0, np.intp)
    members = bom.tree.descendants(item).astype(np.intp)
    inside = members[bom.ends[members] & (bom.quantity.count[members] != 0)]
    known = bom.sigmas.known[inside, : (1, 4, 10)[needs]].copy()
    known[:, 4:] |= bom.bodies.is_point[inside, None]
    stated = np.array(
        [bom.sigmas.mass is not None, *[bom.sigmas.center is not None] * 3, *[bom.sigmas.inertia is not None] * 6]
    )
    return inside[~(known | ~stated[: known.shape[1]]).all(axis=1)]
