"""Rigid bodies as arrays: tensors of inertia, principal axes and their sigmas, validity of tensors.

*Centre* is the centre of mass. *Tensor entries* are Ixx = ∫(y² + z²) dm and Ixy = −∫xy dm; the six distinct ones are in
the order xx, yy, zz, xy, xz, yz, about each body's own centre, in the axes of the table. A *point mass* has no tensor
of its own (docs/formulas.md, section 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
TENSOR_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")  # the order of the six distinct tensor entries everywhere
_NAMES = tuple(f"I{entry}" for entry in TENSOR_ENTRIES)
_ROWS = np.array([0, 1, 2, 0, 0, 1])  # row of each of the six entries xx yy zz xy xz yz
_COLUMNS = np.array([0, 1, 2, 1, 2, 2])  # column of each of them
_FULL = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])  # entry at each place of the matrix
OTHER_SIGN_REMEDY = "write the other sign in POIconv of the row"
"""Hint for a tensor that is valid with the other sign of its products."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bodies:
    """Mass properties of n bodies in one coherent unit system and one frame.

    A mask is None if every value is known. Where it is False, the array has 0 and the value is missing.
    """

    mass: _Floats  # (n,) mass
    center: _Floats | None  # (n, 3) length, from the origin; None: no columns; all rows NaN: coordinate not given
    inertia: _Floats | None  # (n, 6) mass × length², about the own centre, axes of the table, order xx yy zz xy xz yz
    is_point: _Mask  # (n,)
    has_mass: _Mask | None = None  # (n,)
    has_center: _Mask | None = None  # (n,)
    has_inertia: _Mask | None = None  # (n,)
    has_products: _Mask | None = None  # (n,) False: products without a sign convention; the moments are known

    @property
    def missing_axes(self) -> _Mask:
        """Which coordinates of the centre the table does not give, shape (3,)."""
        if (center := self.center) is None or not len(center) or not np.isnan(center[0]).any():
            return np.zeros(3, bool)
        return np.asarray(np.isnan(center).all(axis=0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sigmas:
    """One standard deviation of each of the ten values of n bodies, never negative."""

    mass: _Floats  # (n,) mass
    center: _Floats | None  # (n, 3) length, axes of the table
    inertia: _Floats | None  # (n, 6) mass × length², about the own centre, order xx yy zz xy xz yz
    known: _Mask | None = None  # (n, 10), order mass, Cx … Cz, Ixx … Iyz, or (n,) for all ten; None: all known

    def __post_init__(self) -> None:
        """Expand a mask ``(n,)`` to all ten sigmas."""
        if self.known is not None and self.known.ndim == 1:
            object.__setattr__(self, "known", np.repeat(self.known[:, None], 10, axis=1))


def full_tensors(six: _Floats) -> _Floats:
    """Return six (…, 6) xx yy zz xy xz yz, any unit → symmetric matrices (…, 3, 3); docs/formulas.md, section 1."""
    return np.asarray(six)[..., _FULL]


def six_entries(full: _Floats) -> _Floats:
    """Return symmetric (…, 3, 3), any unit → xx yy zz xy xz yz (…, 6); docs/formulas.md, section 1."""
    return np.asarray(full)[..., _ROWS, _COLUMNS]


def phi(v: _Floats) -> _Floats:
    """Return Φ(v) = |v|² 1 − v vᵀ of the parallel axis theorem: (…, 3) → (…, 6); docs/formulas.md, section 1."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    return np.stack([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z], axis=-1)


def parallel_axis_derivatives(mass: float, arm: _Floats) -> _Floats:
    """Return ∂(I + m Φ(d)) about a fixed P, d = c − P (3,) length, by the ten values of a body: (6, 10)."""
    # rows xx yy zz xy xz yz; columns mass, Cx … Cz, Ixx … Iyz about the own centre; docs/formulas.md, section 2
    x, y, z = 2 * mass * arm
    by_center = np.array(
        [[0, y, z], [x, 0, z], [x, y, 0], [-y / 2, -x / 2, 0], [-z / 2, 0, -x / 2], [0, -z / 2, -y / 2]]
    )
    return np.hstack([phi(arm)[:, None], by_center, np.eye(6)])


def correlation_matrices(covariance: _Floats) -> _Floats:
    """Return covariances (…, n, n) → correlations −1 … 1 (…, n, n), diagonal 1; NaN where a variance is 0."""
    sigma = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    scale = sigma[..., :, None] * sigma[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        # rounding must not make a correlation larger than one
        return np.where(scale > 0, np.clip(covariance / scale, -1.0, 1.0), np.nan)


_Record = TypeVar("_Record", Bodies, Sigmas)


def at_items(record: _Record, at: NDArray[np.intp]) -> _Record:
    """Return the bodies or the sigmas of items (k,), in their order."""
    arrays = {one.name: getattr(record, one.name) for one in fields(record)}
    return replace(record, **{name: array[at] for name, array in arrays.items() if array is not None})


class PrincipalAxes(NamedTuple):
    """Principal moments and axes of n bodies, or of one body without the first dimension."""

    moments: _Floats  # (n, 3) mass × length², about the own centre, ascending
    axes: _Floats  # (n, 3, 3) row k: unit axis of moment k in the axes of the table; right-handed


def principal_axes_of_bodies(bodies: Bodies) -> PrincipalAxes:
    """Return principal moments (n, 3) and axes (n, 3, 3) about the own centres; docs/formulas.md, section 2."""
    # NaN where the tensor is not known; a point mass has moments 0 and the axes of the table
    n = len(bodies.mass)
    if bodies.inertia is None:
        return PrincipalAxes(np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan))
    known = np.isfinite(bodies.inertia).all(axis=1)
    for mask in (bodies.has_inertia, bodies.has_products):
        if mask is not None:
            known &= mask
    moments, axes = np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan)
    moments[known], axes[known] = principal_axes(bodies.inertia[known])
    return PrincipalAxes(moments, axes)


def principal_axes(six: _Floats) -> PrincipalAxes:
    """Solve I v = λ v: six (k, 6) mass × length² → moments (k, 3), axes (k, 3, 3); docs/formulas.md, section 2."""
    # moments ascend; the largest component of the first two axes is positive, the third makes a right-handed frame
    if not len(full := full_tensors(six)):
        return PrincipalAxes(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    moments, vectors = np.linalg.eigh(full)
    axes = np.swapaxes(vectors, 1, 2)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=2)[..., None], axis=2)
    axes = axes * np.where(largest < 0, -1.0, 1.0)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return PrincipalAxes(moments, axes + 0.0)


class PrincipalSigmas(NamedTuple):
    """First-order sigmas of principal moments."""

    sigmas: _Floats  # (…, 3) mass × length², in the order of the moments
    sigma_gaps: _Floats  # (…, 2) mass × length², of the difference between neighbouring moments


def principal_sigmas(axes: _Floats, covariance: _Floats) -> PrincipalSigmas:
    """Return √(g V gᵀ): unit axes (…, 3, 3) by rows, V (…, 6, 6) → sigmas (…, 3), of gaps (…, 2), mass × length²."""
    # valid for moments that are well separated, which the gaps check; docs/formulas.md, section 5
    x, y, z = np.moveaxis(axes, -1, 0)
    # ∂λ/∂(Ixx, Iyy, Izz, Ixy, Ixz, Iyz) of the moment of the unit axis v
    g = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z], axis=-1)
    block = g @ covariance @ np.swapaxes(g, -1, -2)
    variance = np.diagonal(block, axis1=-2, axis2=-1)
    neighbors = np.diagonal(block, offset=1, axis1=-2, axis2=-1)
    gaps = variance[..., :-1] + variance[..., 1:] - 2 * neighbors
    return PrincipalSigmas(np.sqrt(np.maximum(variance, 0.0)), np.sqrt(np.maximum(gaps, 0.0)))


NEGLIGIBLE_VIOLATION = 1e-9  # a violation below this share of λ3 is not reported

_INVARIANT_ROUNDING = 1e-13  # a determinant above this share of its scale is positive in spite of rounding

_LEAST_NORMAL = np.finfo(float).tiny  # masses and tensors below it have lost digits, or all of them

_TENSORS_PER_BLOCK = 16_384  # tensors of one step: bounds the memory of intermediate arrays

_SECOND_MOMENTS = 0.5 * np.eye(6, 1)[[0, 0, 0, 1, 1, 1], :, None] * np.eye(3) - full_tensors(np.eye(6))
"""S = ½ tr(I) 1 − I, the second moments of the mass, of each of the six entries (6, 3, 3)."""
_MOST_CUTS, _BARRIER_DECADES, _CENTERED = 20, 12, 0.1
"""Steps of the search for a valid tensor within rounding; then factors of ten, and when one of them is done."""

_LARGEST_EXPONENT = 300
"""Binary exponent of the largest entry up to which sums and squares of a tensor are in double precision."""

_ROW_ORDER = [0, 3, 5, 1, 2, 4]
"""Six cells that were filled in row order (xx, xy, xz, yy, yz, zz), read back into xx, yy, zz, xy, xz, yz."""
_FIRST_SIX = [0, 4, 2, 1, 2, 5], [0, 5, 2, 3, 4, 2]
"""The same of the first six of nine (xx, xy, xz, yx, yy, yz), under headers in the order of cells and in row order."""
_LEAST_LEFT = 1e-3, 0.1
"""Share of m d² that is left of a tensor from which m d² was subtracted; if no moment is negative, which is rarer."""
SAME_SHAPE, SAME_TENSOR, _ROUNDING = 0.01, 0.05, 1e-3
"""Differences, as shares, up to which tensors are those of one shape, of two parts of one kind, or equal."""
_TIMES_CLOSER = 4  # differences that are so many times the least one are those of other bodies
FITS, _MISFITS = np.log([3.0, 10.0])  # misfit up to which a tensor fits a geometry, and that of a contradiction
_DIGITS = 5e-3  # violation of a valid tensor by the rounding of three digits
_LEAST_OF_POWERS = 0.01  # violation from which on a power of ten explains a tensor; a smaller one is rounding


class _TensorFault(NamedTuple):
    """One tensor that is not certainly valid; remedy None: that of the rule."""

    row: int
    rule: str
    message: str
    remedy: str | None


def _boundary_rows(tensors: _Floats) -> NDArray[np.intp]:
    """Return the rows of ``tensors (n, 6)`` whose validity the invariants do not prove."""
    # S = ½ tr(I) 1 − I is the second moment of the mass. A body's S has no negative eigenvalue: its trace, the sum
    # of its 2×2 minors and its determinant are all positive exactly when all three eigenvalues are.
    found = []
    for start in range(0, len(tensors), _TENSORS_PER_BLOCK):
        xx, yy, zz, xy, xz, yz = tensors[start : start + _TENSORS_PER_BLOCK].T
        # cubes beyond double precision compare false, and so are left to the eigenvalues
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            trace = 0.5 * (xx + yy + zz)
            a, b, c = trace - xx, trace - yy, trace - zz
            xy2, xz2, yz2 = xy * xy, xz * xz, yz * yz
            minors = a * b + a * c + b * c - xy2 - xz2 - yz2
            determinant = a * b * c - 2 * xy * xz * yz - a * yz2 - b * xz2 - c * xy2
            # where the determinant is clear, the minors are either positive or far below 0
            sure = (trace > 0) & (minors > 0) & (determinant > _INVARIANT_ROUNDING * trace**3)
        found.append(start + np.flatnonzero(~sure))
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def tensor_faults(
    tensors: _Floats, half_units: Callable[[int], _Floats], known: Callable[[int], TensorContext] | None = None
) -> Iterator[_TensorFault]:
    """Yield the tensors (n, 6) mass × length² about the own centre of no body: MP403, MP404, MP405 if rounding."""
    # half_units gives half a last digit (6,) of a row, known what is known of it: docs/formulas.md, section 8
    rows = _boundary_rows(tensors)
    rows = rows[np.isfinite(tensors[rows]).all(axis=1)]  # numbers too large for double precision are reported elsewhere
    if not len(rows):
        return
    scales = _safe_scales(tensors[rows])  # whatever its unit, a tensor is valid or not
    scaled = tensors[rows] * scales[:, None]
    moments = np.linalg.eigvalsh(full_tensors(scaled))
    largest = np.abs(moments).max(axis=1)
    slack = moments[:, 0] + moments[:, 1] - moments[:, 2]
    bad = (moments[:, 0] < -NEGLIGIBLE_VIOLATION * largest) | (slack < -NEGLIGIBLE_VIOLATION * largest)
    for k in np.flatnonzero(bad).tolist():
        row = int(rows[k])
        unit = 1.0 / float(scales[k])
        halves, low, gap = half_units(row) / unit, float(moments[k, 0]), float(slack[k])
        shown = ", ".join(f"{m * unit:.6g}" for m in moments[k].tolist())
        silent = NEGLIGIBLE_VIOLATION * float(largest[k])
        if _rounds_to_valid_tensor(scaled[k], halves, silent / 2):
            broken = f"principal moments {shown} violate the triangle inequality by {-gap * unit:.2g}"
            yield _TensorFault(row, "MP405", f"{broken}, within the rounding of the digits written", None)
            continue
        words = f"smallest of the principal moments {shown} is negative"
        if low >= -silent:
            words = f"largest of the principal moments {shown} exceeds the sum of the other two by {-gap * unit:.3g}"
        cause = _suspected_cause(scaled[k], known(row) if known is not None and unit == 1 else TensorContext())
        rule, because = "MP403" if low < -silent else "MP404", "" if cause is None else f"; {cause[0]}"
        yield _TensorFault(row, rule, words + because, cause and cause[1])


def computed_body_faults(ten: _Floats) -> dict[int, str]:
    """Return the rows of computed bodies (n, 10), mass, centre, tensor entries, that no body has, with the reason."""
    found: dict[int, str] = {}
    finite: _Mask = np.asarray(np.isfinite(ten).all(axis=1))
    size = np.abs(np.where(finite[:, None], ten, 1.0))
    vanished = (size[:, 0] < _LEAST_NORMAL) | (size[:, 4:].max(axis=1) < _LEAST_NORMAL)
    beyond = "mass, centre or inertia is beyond double precision (2.2e-308 to 1.8e308)"
    found |= dict.fromkeys(np.flatnonzero(~finite | vanished).tolist(), beyond)
    rows = np.flatnonzero(finite & ~vanished)
    sign = np.where(ten[:, :1] < 0, -1.0, 1.0)
    rows = rows[_boundary_rows((ten * sign)[rows, 4:])]
    for row in rows.tolist():
        if not _is_valid_tensor(sign[row] * ten[row, 4:] * _safe_scales(ten[row, None, 4:])):
            moments = np.linalg.eigvalsh(full_tensors(ten[row, 4:])).tolist()
            found[row] = f"no body has its principal moments {', '.join(f'{one:.6g}' for one in moments)}"
    return found


def _safe_scales(tensors: _Floats) -> _Floats:
    """Return a power of two for each tensor that keeps its sums and squares in double precision; 1 if they are."""
    _, exponents = np.frexp(np.abs(tensors).max(axis=1))
    return np.ldexp(1.0, np.where(np.abs(exponents) > _LARGEST_EXPONENT, -np.clip(exponents, -1000, 1000), 0))


def _rounds_to_valid_tensor(tensor: _Floats, halves: _Floats, tolerance: float) -> bool:
    """Return whether a tensor within ``halves`` of each entry (6,) is that of a body; docs/formulas.md, section 8."""
    at = tensor
    for _ in range(_MOST_CUTS):
        squares, axes = np.linalg.eigh(np.tensordot(at, _SECOND_MOMENTS, 1))
        if squares[0] >= -tolerance:
            return True
        slope = axes[:, 0] @ _SECOND_MOMENTS @ axes[:, 0]
        if slope @ tensor + halves @ np.abs(slope) < -tolerance:
            return False  # negative about this axis, whatever the digits that follow
        step = 1.5 * squares[0] / (halves**2 @ slope**2) * halves**2 * slope
        at = np.clip(at - step, tensor - halves, tensor + halves)
    # the greatest smallest eigenvalue of S in the box, by the barrier −log det(S − level 1) − Σ log(1 − u²)
    size, free = np.abs(tensor).max(), halves > 0
    slopes = (halves[free] / size)[:, None, None] * _SECOND_MOMENTS[free]
    second = np.tensordot(tensor / size, _SECOND_MOMENTS, 1)
    u, level = np.zeros(len(slopes)), np.linalg.eigvalsh(second)[0] - 1
    directions = np.concatenate([slopes, -np.eye(3)[None]])
    for weight in 10.0 ** np.arange(_BARRIER_DECADES):
        decrement = np.inf
        while decrement > _CENTERED:
            at = second + np.tensordot(u, slopes, 1)
            if np.linalg.eigvalsh(at)[0] * size >= -tolerance:
                return True
            parts = np.linalg.solve(at - level * np.eye(3), directions)
            gradient = np.append(2 * u / (1 - u**2), -weight) - np.trace(parts, axis1=1, axis2=2)
            hessian = np.einsum("aij,bji->ab", parts, parts)
            hessian[np.diag_indices(len(u))] += 2 * (1 + u**2) / (1 - u**2) ** 2
            step = np.linalg.solve(hessian, -gradient)
            decrement = np.sqrt(max(float(-gradient @ step), 0.0))
            u, level = u + step[:-1] / (1 + decrement), level + step[-1] / (1 + decrement)
        if (level + 2 * (3 + 2 * len(u)) / weight) * size < -tolerance:
            return False  # the bound of the dual problem: no digits that follow reach it
    return False


class TensorEvidence(NamedTuple):
    """What the geometry of a body shows of its tensor."""

    tensor: _Floats  # (6,) of the stated mass in it
    words: str  # such as "the visual"
    is_exact: bool = True  # False: of a box around it, or of a visual
    clearer: float = 2.0  # factor by which the best tensor is closer than all that it excludes


class TensorContext(NamedTuple):
    """What is known of a stated tensor; its cells are signs × (tensor + moved)."""

    spreads: Sequence[_Floats] = ()  # (6,) each: m Φ(d) of the points that it may be about
    signs: _Floats = np.ones(6)  # −1 for the products of POIconv +
    moved: _Floats = np.zeros(6)  # m Φ(d) of the point of its cells
    geometry: TensorEvidence | None = None


class TensorSlip(NamedTuple):
    """A valid tensor from which one slip makes the stated one."""

    words: str
    remedy: str
    tensor: _Floats  # (6,)
    kind: int = 0  # the likeliest first
    caution: str = ""  # "mass": its unit may be wrong instead; "size": the entry is of the size of the others


@cache
def tensor_rearrangements() -> list[tuple[int, str, str, list[int], _Floats]]:
    """Return kind, words, remedy, order (6,) and factors (6,) of the slips within six numbers, likeliest kind first."""
    every, own = list(range(6)), "enter the six numbers under their own headers"
    found = [
        (1, "if the six numbers are in row order (xx, xy, xz, yy, yz, zz)", own, order, np.ones(6))
        for order in (_ROW_ORDER, [_ROW_ORDER.index(k) for k in every])
    ]
    found.append((2, "if the last two products are exchanged (order xy, yz, zx)", own, [0, 1, 2, 3, 5, 4], np.ones(6)))
    of_products = np.where(np.arange(6) < 3, 1.0, -1.0)
    found.append((0, "with the other sign of the products", OTHER_SIGN_REMEDY, every, of_products))
    for power in (1e-3, 1e-6, 0.1, 0.01):  # a greater share of them leaves a tensor impossible
        words = f"if the products are multiplied by {power:g}"
        found.append((5, words, "check the unit of the products", every, np.where(of_products > 0, 1.0, power)))
    for k, name in enumerate(_NAMES):
        words, remedy = f"with the other sign of {name}", f"check the sign of {name}"
        found.append((3 if k < 3 else 6, words, remedy, every, 1 - 2 * np.eye(6)[k]))
        for power in (0.1, 10, 0.01, 100, 1e-3, 1e3, 1e-6, 1e6):  # of digits or units (mm, g), the nearest first
            words, remedy = f"if {name} is multiplied by {power:g}", f"check the digits and the unit of {name}"
            found.append((4 if k < 3 else 8, words, remedy, every, np.where(np.eye(6)[k], power, 1.0)))
    for i, j in ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5)):
        words, order = f"{_NAMES[i]} and {_NAMES[j]}", [{i: j, j: i}.get(k, k) for k in every]
        found.append((7, f"if {words} are exchanged", f"check the order of {words}", order, np.ones(6)))
    return sorted(found, key=lambda one: one[0])


def tensor_slips(tensor: _Floats, known: TensorContext) -> list[TensorSlip]:
    """Return all single slips, also of its cells, that explain an impossible tensor (6,), the likeliest kind first."""
    violation, every, moments = float(_violations(tensor[None])[0]), tensor_rearrangements(), tensor[:3]
    if violation <= _DIGITS:
        return []
    least, cells = max(NEGLIGIBLE_VIOLATION, min(_DIGITS, violation / 10)), known.signs * (tensor + known.moved)
    made = cells[np.array([one[3] for one in every])] * np.array([one[4] for one in every]) * known.signs - known.moved
    found = []
    for (kind, words, remedy, _, factors), six, off in zip(every, made, _violations(made), strict=True):
        k, power = int(np.abs(np.log(np.abs(factors))).argmax()), float(np.abs(factors).prod())
        if off <= least and (power == 1 or (violation > _LEAST_OF_POWERS and six[k] * (k < 3) >= 0)):
            is_odd = 4 * moments[k % 3] > 3 * moments.sum() if power < 1 else 10 * moments[k % 3] <= np.sort(moments)[1]
            found.append(TensorSlip(f"valid {words}", remedy, six, kind, "" if kind != 4 or is_odd else "size"))
    is_rare = bool(moments.min() >= 0)
    found += parallel_axis_slips(tensor, known.spreads, least, _LEAST_LEFT[is_rare], 8 if is_rare else 3)
    for order in _FIRST_SIX if np.isclose(cells[1], cells[3], rtol=1e-12, atol=0) else ():
        six = cells[order] * known.signs - known.moved
        if six[1] > 0 and _is_valid_but_for_Izz(six, least):
            words = "if the six numbers are the first six of nine (xx, xy, xz, yx, yy, yz), without Izz"
            six[2], remedy = np.nan, "enter Ixx, Iyy, Izz, Ixy, Ixz and Iyz under their own headers"
            found.append(TensorSlip(words, remedy, six, -1))
    return sorted(found, key=lambda one: one.kind)


def parallel_axis_slips(
    tensor: _Floats, spreads: Sequence[_Floats], least: float = NEGLIGIBLE_VIOLATION, left: float = 0.0, kind: int = 0
) -> list[TensorSlip]:
    """Return the valid tensors (6,) with one m Φ(d) (6,) more or less, of which a share is left."""
    words, remedy = "if the term of the parallel axis theorem, m d², was", "enter the tensor about the centre of mass"
    return [
        TensorSlip(f"valid {words} {how} once too often", remedy, tensor + sign * spread, kind)
        for spread in spreads
        for sign, how in ((1, "subtracted"), (-1, "added"))
        if np.abs(tensor).max() > max(left, _LEAST_LEFT[0]) * np.abs(spread).max() > 0
        and _violations((tensor + sign * spread)[None])[0] <= least
    ]


def tensor_misfit(tensor: _Floats, reference: _Floats) -> float:
    """Return how far a tensor (6,) is from another: largest |ln| of the ratios of moments, or share of a product."""
    size = np.sqrt(reference[[0, 1, 2, 0, 0, 1]] * reference[[0, 1, 2, 1, 2, 2]])
    with np.errstate(divide="ignore", invalid="ignore"):
        moments = np.abs(np.log(tensor[:3] / reference[:3]))
        misfit = max(float(moments.max()), float(np.abs((tensor - reference)[3:] / size[3:]).max()))
    return misfit if np.isfinite(misfit) else np.inf


def explained_tensors(tensors: _Floats, twins: _Floats, of: TensorEvidence | None, stated: _Floats) -> list[int]:
    """Return which tensors (k, 6) agree with counterparts (t, 6) and with the geometry; equal ones once."""
    # no slip changes stated entries (6,) that agree with an exact geometry: docs/formulas.md, section 12
    left = np.arange(len(tensors))
    if of is not None and of.is_exact:
        size = np.sqrt(of.tensor[[0, 1, 2, 0, 0, 1]] * of.tensor[[0, 1, 2, 1, 2, 2]])
        agrees = np.abs(stated - of.tensor) <= SAME_SHAPE * size
        left = left[(np.abs(tensors - of.tensor) <= SAME_TENSOR * size)[:, agrees].all(axis=1)]
    if len(twins) and len(left):  # Izz of the first six of nine is any
        away = np.abs(np.nan_to_num(twins - tensors[:, None])).max(axis=2).min(axis=1)
        least = (away := away / np.nanmax(np.abs(tensors), axis=1)).min()
        if least <= SAME_TENSOR:
            left = left[away[left] <= max(_TIMES_CLOSER * least, _ROUNDING)]
    if of is not None and len(left):
        whole = np.where(np.isnan(tensors), of.tensor, tensors)
        misfits = np.array([tensor_misfit(whole[k], of.tensor) for k in left.tolist()])
        least = misfits.min()
        if of.is_exact and least <= SAME_SHAPE:
            most = max(_TIMES_CLOSER * least, SAME_SHAPE)
        else:
            most = least + np.log(of.clearer) if least <= FITS else np.inf if least <= _MISFITS else 0.0
        left = left[misfits <= most]
    kept: list[int] = []
    for k in left.tolist():
        same = _ROUNDING * np.abs(tensors[kept]) + NEGLIGIBLE_VIOLATION * np.abs(tensors[k]).max()
        if not (np.abs(tensors[kept] - tensors[k]) <= same).all(axis=1).any():
            kept.append(k)
    return kept


def _suspected_cause(tensor: _Floats, known: TensorContext) -> tuple[str, str] | None:
    """Return the likeliest mistake in a tensor ``(6,)`` and its remedy."""
    slips = [one for one in tensor_slips(tensor, known) if not one.caution]
    tensors = np.array([one.tensor for one in slips]).reshape(-1, 6)
    if kept := explained_tensors(tensors, np.zeros((0, 6)), known.geometry, tensor):
        first, *others = (slips[k] for k in kept)
        more = " (other slips would explain it too: massprops convert --fix lists them)" if others else ""
        is_one = all(other.remedy == first.remedy for other in others if other.kind == first.kind)
        return (first.words + more, first.remedy) if is_one else None
    if zeros := [name for name, value in zip(_NAMES, tensor[:3].tolist(), strict=False) if value == 0]:
        return f"{' and '.join(zeros)} {'is' if len(zeros) == 1 else 'are'} 0", "enter the missing moments of inertia"
    return None


def _violations(tensors: _Floats) -> _Floats:
    """Return by how much tensors (n, 6) are out of the limits of a body, as shares of their sizes; 0 within them."""
    low, middle, high = np.linalg.eigvalsh(full_tensors(tensors)).T
    size = np.maximum(np.maximum(-low, high), _LEAST_NORMAL)
    return np.asarray(np.maximum(np.maximum(-low, high - low - middle), 0.0) / size)


def _is_valid_but_for_Izz(six: _Floats, least: float) -> bool:
    """Return whether some Izz makes a tensor (6,) that of a body, up to a violation."""
    # s = Szz = (Ixx + Iyy − Izz)/2 leaves Iyy − s and Ixx − s; where the valid s begin and end, det S = 0
    xx, yy, _, xy, xz, yz = six
    ends = np.linalg.eigvals([[yy, -xy, -xz], [-xy, xx, -yz], [xz, yz, 0]]).real
    completed = np.where(np.arange(6) == 2, (xx + yy - 2 * ends)[:, None], six)
    return bool(_violations(completed).min() <= least)


def _is_valid_tensor(tensor: _Floats) -> bool:
    """Return whether a tensor ``(6,)`` can be that of a body, within ``NEGLIGIBLE_VIOLATION``."""
    return bool(_violations(tensor[None])[0] <= NEGLIGIBLE_VIOLATION)
