"""An item as the leaves below it: a form of the roll-up that shares no code with it (docs/formulas.md, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, phi, principal_axes
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.combination import is_branch_without_center
from massprops_cli.rollups.covariance import PAIR_INDEX
from massprops_cli.rollups.inputs import PARAMETER_NAMES, RollupInputs, has_known_mass, is_placed_body
from massprops_cli.rollups.rollup import Rollup

_Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_CENTER_PARAMETERS = (1, 2, 3)  # positions of the first moments among the ten parameters of a body
_OTHER_AXES = ((1, 2), (0, 2), (0, 1))  # of the moments Ixx, Iyy, Izz
_PRODUCTS = ((0, 1), (0, 2), (1, 2))  # axes of Ixy, Ixz, Iyz
_RADIUS_NAMES = ("kx", "ky", "kz")
PRINCIPAL_MOMENT_NAMES = ("I1", "I2", "I3")
_RESULT_NAMES = (*PARAMETER_NAMES, *_RADIUS_NAMES, *PRINCIPAL_MOMENT_NAMES)
"""Every result whose variance can be divided into contributions."""
ROUNDING_OF_TERMS = 1e-12  # a difference below this share of the terms of a sum is rounding
_ULP = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class FlatItem:
    """The k leaves that count below one item, and their sums."""

    items: NDArray[np.intp]  # (k,) item numbers of the leaves
    times: _Floats  # (k,) quantity of each leaf in the item: the product along its path
    weight: _Floats  # (k,) factor of the variance of independent pieces
    mass: _Floats  # (k,) of one piece
    arm: _Floats | None  # (3, k) length, leaf's centre minus item's centre, axes of the table
    total: float  # mass of the item
    center: _Floats | None  # (3,) from the origin of the table
    inertia: _Floats | None  # (6,) about the own centre, order xx yy zz xy xz yz

    def __len__(self) -> int:
        """Return the number of leaves."""
        return len(self.items)


def flat_item(inputs: RollupInputs, item: int, *, needs: str = "inertia") -> FlatItem:
    """Return the leaves below an item, stated assemblies among them, and sums; docs/formulas.md, sections 2 and 9."""
    at, times, weight = _counted_leaves(inputs, item)
    if not len(at):
        raise UsageError("item has no counted leaves: all quantities below it are 0")
    bodies = inputs.bodies
    _check_known_leaves(bodies, at, needs)
    kept = (has_known_mass(bodies) if needs == "mass" else is_placed_body(bodies))[at]
    at, times, weight = at[kept], times[kept], weight[kept]
    mass = bodies.mass[at]
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are checked below
        total = float((times * mass).sum())
        arm = center = inertia = None
        if needs != "mass":
            assert bodies.center is not None
            from_pole, arm, center_from_pole, center = _placed_leaves(bodies.center[at], times * mass)
            if needs == "inertia":
                assert bodies.inertia is not None
                # tensors ``(6, k)`` of some leaves: 0 of points and where missing, NaN for products without sign
                assert bodies.inertia is not None
                own: _Floats = np.where(bodies.is_point[at], 0.0, bodies.inertia[at].T)
                if bodies.has_inertia is not None:
                    own = np.where(bodies.has_inertia[at], own, 0.0)
                if bodies.has_products is not None:
                    own[3:, ~bodies.has_products[at]] = np.nan
                about_pole = (times * (own + mass * np.ascontiguousarray(phi(from_pole.T).T))).sum(axis=1)
                inertia = about_pole - total * phi(center_from_pole)
    for numbers in (total, center, None if inertia is None else inertia[:3]):
        if numbers is not None:
            reject_overflow(numbers)
    return FlatItem(at, times, weight, mass, arm, total, center, inertia)


def _counted_leaves(inputs: RollupInputs, item: int) -> tuple[NDArray[np.intp], _Floats, _Floats]:
    """Return the leaves and stated assemblies ``(k,)`` at and below an item, their quantity, and variance's factor."""
    members, below, quantity = inputs.tree.branch(item, inputs.quantity)
    path = below.path_quantities(quantity)
    stated = None if inputs.stated is None else inputs.stated[members]
    ends = np.flatnonzero(below.end_items(stated) & (path.count != 0))
    return members[ends], path.count[ends], path.variance_weight()[ends]


def _check_known_leaves(bodies: Bodies, at: NDArray[np.intp], needs: str) -> None:
    """Raise if none of the leaves ``at (k,)`` has what is needed."""
    sets: list[tuple[str, _Floats | None, Mask]] = [("mass", bodies.mass, has_known_mass(bodies))]
    if needs != "mass":
        sets.append(("centre", bodies.center, is_placed_body(bodies)))
    if needs == "inertia":
        sets.append(("inertia", bodies.inertia, is_placed_body(bodies)))
    for words, values, has in sets:
        if values is None:
            raise UsageError(f"table has no columns of {words}, which are required")
        if not has[at].any():
            raise MissingError(f"none of the {len(at):,} leaves has a {words}; the total is unknown", at)


class MissingError(UsageError):
    """A quantity is unknown for the leaves ``items (k,)``, so that the total is unknown."""

    def __init__(self, message: str, items: NDArray[np.intp]) -> None:
        super().__init__(message)
        self.items = items


def _reject_gaps(known: Mask | None, flat: FlatItem, words: str) -> None:
    """Raise MissingError where something is not ``known (n,)`` of every leaf of an item."""
    lacking = flat.items[:0] if known is None else flat.items[~known[flat.items]]
    if len(lacking):
        raise MissingError(f"{len(lacking):,} of {len(flat):,} leaves have {words}; the total is unknown", lacking)


def reject_overflow(numbers: _Floats | float) -> None:
    """Raise UsageError if a number, of an array (…,) or alone, is not finite: beyond double precision."""
    if not np.isfinite(numbers).all():
        raise UsageError("numbers are too large for double precision; use larger units")


def _placed_leaves(places: _Floats, weights: _Floats) -> tuple[_Floats, _Floats, _Floats, _Floats]:
    """Return leaves ``(3, k)`` seen from pole and centre; the centre ``(3,)`` seen from the pole, and as it is."""
    # coordinates are first measured from the first leaf, so that no digits are lost far from the origin, and the
    # centre from the pole, because masses that nearly cancel move it far away (docs/formulas.md, section 9)
    total, sizes = float(weights.sum()), np.abs(weights)
    size = float(sizes.sum())
    if is_branch_without_center(total, size):
        raise UsageError("masses sum to 0; the centre of mass is undefined")
    offsets = np.ascontiguousarray((places - places[0]).T)
    pole = (sizes * offsets).sum(axis=1) / size
    from_pole = offsets - pole[:, None]
    center = (weights * from_pole).sum(axis=1) / total
    return from_pole, from_pole - center[:, None], center, places[0] + (pole + center)


def input_sigmas(flat: FlatItem, bodies: Bodies, sigmas: Sigmas, needs: str) -> _Floats:
    """Return the sigmas (10, k) of a piece of each leaf, 0 after ``needs``; UsageError if some are missing."""
    if sigmas.known is not None:
        used = {"mass": 1, "center": 4, "inertia": 10}[needs]
        known = sigmas.known[:, :used].all(axis=1) | (bodies.is_point & sigmas.known[:, :4].all(axis=1))
        stated = sigmas.known[:, : 1 if sigmas.center is None else 4]
        some = bool(stated[flat.items[~known[flat.items]]].any())
        _reject_gaps(known, flat, "incomplete sigmas" if some else "no sigmas")
    if needs == "inertia" and bodies.has_inertia is not None:
        _reject_gaps(bodies.has_inertia | bodies.is_point, flat, "no inertia and no sigmas of inertia")
    ten = np.zeros((10, len(flat)))
    ten[0] = sigmas.mass[flat.items]
    if needs == "mass":
        return ten
    if sigmas.center is None:
        raise UsageError("table has no sigmas of the centres of mass, which are required")
    ten[1:4] = sigmas.center[flat.items].T
    if needs == "inertia":
        if sigmas.inertia is None:
            raise UsageError("table has no sigmas of the inertia, which are required")
        ten[4:] = np.where(bodies.is_point[flat.items], 0.0, sigmas.inertia[flat.items].T)
    return ten


def expected_shifts(inputs: RollupInputs, rolled: Rollup) -> tuple[NDArray[np.int32], _Floats]:
    """Return assemblies (k,) and the shifts (k, 9) of their means, Cx … Iyz, NaN without mass."""
    # E[c] − c ≈ −V[m,h]/m², E[I] − I ≈ tr(X) 1 − X about the own centre: docs/formulas.md, section 7
    assert rolled.covariances is not None
    assert rolled.sigmas is not None
    computed = ~inputs.ends[rolled.covariances.items]
    items, packed = rolled.covariances.items[computed], rolled.covariances.packed[:, computed]
    mass = rolled.bodies.mass[items]
    spread = np.zeros((len(items), 3, 3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        center = -np.array([packed[PAIR_INDEX[0, a]] for a in _CENTER_PARAMETERS]).T / mass[:, None] ** 2
        for a in range(3):
            for b in range(3):
                spread[:, a, b] = -packed[PAIR_INDEX[1 + a, 1 + b]] / mass
    if rolled.sigmas.center is not None:
        spread += _center_scatter(inputs, rolled)[items]
    tensor = np.empty((len(items), 6))
    for entry, (a, b) in enumerate(_OTHER_AXES):
        tensor[:, entry] = spread[:, a, a] + spread[:, b, b]
    for entry, (a, b) in enumerate(_PRODUCTS, 3):
        tensor[:, entry] = 0.0 - spread[:, a, b]
    undefined = ~np.isfinite(center).all(axis=1)
    center[undefined] = tensor[undefined] = np.nan
    return items, np.hstack([center, tensor])


def _center_scatter(inputs: RollupInputs, rolled: Rollup) -> _Floats:
    """Return Σ n m V_c over the leaves below every item ``(n, 3, 3)``; shared uncertainties as independent ones."""
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    tree, stated, ends = inputs.tree, inputs.stated, inputs.ends
    weight = inputs.quantity.count
    if stated is not None:  # what is below a stated assembly does not go up
        weight = np.where((tree.parent >= 0) & stated[tree.parent], 0.0, weight)
    mass = np.where(ends, rolled.bodies.mass, 0.0)
    own = np.where(ends[:, None], rolled.sigmas.center**2, 0.0)[:, :, None] * np.eye(3)
    if (placed := inputs.placement) is not None and placed.sigmas is not None and placed.sigmas.center is not None:
        R, counts = placed.rotation, rolled.sigmas.center.any(axis=1)
        turned = (R * (placed.sigmas.center**2)[:, None, :]) @ np.swapaxes(R, 1, 2)
        own = np.where((ends & counts)[:, None, None], turned, 0.0)
    sums = [tree.subtree_sums(mass * own[:, a, b], weight) for a in range(3) for b in range(3)]
    return np.array(sums).T.reshape(len(tree), 3, 3)


def result_needs(of: str) -> str:
    """Return the last quantity of the leaves that a result needs."""
    if of not in _RESULT_NAMES:
        raise UsageError(f"result is unknown: {of} (expected one of {', '.join(_RESULT_NAMES)})")
    return "mass" if of == "mass" else "center" if of in PARAMETER_NAMES[1:4] else "inertia"


def result_gradient(of: str, flat: FlatItem) -> tuple[float, _Floats]:
    """Return a result, its derivatives (10,) by m, hx … hz, Jxx … Jyz about the centre: docs/formulas.md, section 5."""
    # ∂c/∂h = 1/m, ∂k/∂(m, J) = (−k², 1)/(2 k m), ∂λ/∂J = v vᵀ; UsageError for an undefined radius of gyration
    row = np.zeros(10)
    if of == "mass":
        row[0] = 1.0
        return flat.total, row
    if of in PARAMETER_NAMES[1:4]:
        assert flat.center is not None
        place = PARAMETER_NAMES.index(of)
        row[place] = 1.0 / flat.total
        return float(flat.center[place - 1]), row
    assert flat.inertia is not None
    if of in PARAMETER_NAMES:
        place = PARAMETER_NAMES.index(of)
        row[place] = 1.0
        return float(flat.inertia[place - 4]), row
    if of in PRINCIPAL_MOMENT_NAMES:
        return principal_moment_gradients(flat.inertia)[PRINCIPAL_MOMENT_NAMES.index(of)]
    axis = _RADIUS_NAMES.index(of)
    mass = flat.total
    if not (moment := float(flat.inertia[axis])) * mass > 0:
        raise UsageError(f"{_RADIUS_NAMES[axis]} is undefined: mass {mass:g}, moment of inertia {moment:g}")
    k = float(np.sqrt(moment / mass))
    gradient = np.zeros(10)
    gradient[0], gradient[4 + axis] = -k * k / (2 * k * mass), 1 / (2 * k * mass)
    return k, gradient


def principal_moment_gradients(inertia: _Floats) -> list[tuple[float, _Floats]]:
    """Return the principal moments of a tensor (6,), ascending, with derivatives (10,), if well separated."""
    # g = (v_x², v_y², v_z², 2 v_x v_y, 2 v_x v_z, 2 v_y v_z) by Jxx … Jyz: docs/formulas.md, section 5
    values, axes = principal_axes(inertia[None])
    found = []
    for value, (x, y, z) in zip(values[0].tolist(), axes[0], strict=True):
        row = np.zeros(10)
        row[4:] = x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z
        found.append((value, row))
    return found


def leaf_gradients(row: _Floats, arm: _Floats | None, n: int) -> _Floats:
    """Return q T(c − c_i) (10, n), derivatives by a leaf's parameters about its centre: docs/formulas.md, section 5."""
    # gradient q (10,); arms (3, n), length, are leaf's minus item's centre, None if only the mass matters
    down = np.repeat(row[:, None], n, axis=1)
    if arm is None:
        return down
    xx, yy, zz, xy, xz, yz = row[4:]
    quadric = np.array([[yy + zz, -xy / 2, -xz / 2], [-xy / 2, xx + zz, -yz / 2], [-xz / 2, -yz / 2, xx + yy]])
    down[0] += row[1:4] @ arm + row[4:] @ np.ascontiguousarray(phi(arm.T).T)
    down[1:4] += 2 * quadric @ arm
    return down


def item_magnitudes(inputs: RollupInputs, item: int, total: Bodies) -> dict[str, float]:
    """Return the magnitudes of the ten sums of an item: Σ|n m|, max |c_i| × Σ|n m|/|M|, Σ|n|(|I| + |m||d_a d_b|)."""
    # 0 without columns; a result is exact within ``ROUNDING_OF_TERMS`` times its magnitude; d includes the rounding of
    # the coordinates: docs/formulas.md, section 10
    found = dict.fromkeys(PARAMETER_NAMES, 0.0)
    bodies, (leaves, times, _) = inputs.bodies, _counted_leaves(inputs, item)
    mass = np.abs(times * bodies.mass[leaves])
    if bodies.has_mass is not None:
        mass = mass * bodies.has_mass[leaves]
    found["mass"] = whole = float(mass.sum())
    if bodies.center is None or total.center is None or not len(leaves):
        return found
    placed = np.ones(len(leaves), bool) if bodies.has_center is None else bodies.has_center[leaves]
    center = np.where(placed[:, None], bodies.center[leaves], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_center = np.abs(center).max(axis=0) * (whole / abs(float(total.mass[item])))
    found |= zip(PARAMETER_NAMES[1:4], of_center.tolist(), strict=True)
    if bodies.inertia is None:
        return found
    own = np.abs(times)[:, None] * np.abs(bodies.inertia[leaves]) * ~bodies.is_point[leaves, None]
    arm = np.abs(center - total.center[item]) * placed[:, None]
    reach = np.abs(center) + np.abs(center[0]) + np.abs(total.center[item])
    moved = mass @ _phi_magnitudes(arm, arm) + (_ULP / ROUNDING_OF_TERMS) * (mass @ _phi_magnitudes(arm, reach))
    return found | dict(zip(PARAMETER_NAMES[4:], (own.sum(axis=0) + moved).tolist(), strict=True))


def _phi_magnitudes(one: _Floats, other: _Floats) -> _Floats:
    """Return the magnitudes ``(k, 6)`` of the terms of Φ, for arms ``(k, 3)`` of sizes ``one`` and ``other``."""
    x, y, z = (one * other).T
    mixed = [(one[:, a] * other[:, b] + one[:, b] * other[:, a]) / 2 for a, b in ((0, 1), (0, 2), (1, 2))]
    return np.stack([y + z, x + z, x + y, *mixed], axis=-1)
