"""Plausibility of valid bodies: against the geometry they are in, each other, and habits; a fault names its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies import bodies as rigid
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
_SLACK = 1e-9  # rounding of a bound, as a share of the size of the geometry
_POWERS = (3, -3, 6, -6, 2, -2, 4, -4, 9, -9)
"""Powers of ten by which units of moments and lengths differ (mm, cm, g), the usual ones first."""
_LEAST_CENTER = 0.005  # share of the box that a centre in another unit has at least
_LEAST_FACTOR = 3.0
"""Factor of a tensor, or its inverse, from which on only another mass explains it: a padded collision of 1.2 times the
sides gives 1.44, of 1.7 times 2.9, a core of 0.6 times 2.8; a cavity of the same shape 0.6."""
_SAME_MASS, _SAME_CENTER = 0.01, 0.03
"""Largest differences, as shares, of two parts of one kind, such as a left and a right one."""
SMALL_REPAIR = 0.01  # share of a tensor by which its nearest valid one may differ without a warning
UNCHANGED = 9  # kind of what is not a slip: the stated tensor, and the nearest valid one
_POWER = 1e-3  # logarithm within which a factor is a power of ten: the unit of the mass or of the tensor is wrong
_MOST_COMPARED = 5_000  # bodies up to which valid tensors are compared with those at mirrored places
_MIRRORS = np.array([(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1)])
"""Signs of the coordinates of a part in those of its counterpart; the opposite signs turn tensors in the same way."""
_APART = 0.1  # misfit from which on an exact geometry contradicts m d² as the only slip, or its digits are lost
_CHANCE = 0.5, 2.0
"""Shares of the tensor that m d² gives, between which it neither is a small change nor cancels: no evidence."""
_BALL = 1.1  # ratio of the second moments up to which a shape is as round as a ball, which many others are
_PLACEHOLDER_REPEATS = 3  # bodies of different masses with one tensor, from which on it was copied


class PlausibilityFault(NamedTuple):
    """Numbers that no body of this place and size has, or that were not measured."""

    row: int  # number of the body
    kind: str  # center-outside, moments-, radius-too-large, identity-, repeated-tensor, round-diagonal, equal-entries
    message: str  # with the value and the limit
    power: int | None = None  # power of ten of the tensor, or of the centre, that removes the fault
    related: tuple[int, ...] = ()  # numbers of the other bodies


def geometry_faults(
    bodies: BodyArray, low: ArrayLike, high: ArrayLike, farthest: ArrayLike | None = None
) -> list[PlausibilityFault]:
    """Find the bodies that their geometry cannot contain.

    Parameters
    ----------
    bodies : BodyArray
        n bodies.
    low, high : array, shape (n, 3) or (3,), length
        Corners of the box that encloses the geometry of each body, axes and origin of the bodies.
    farthest : array, shape (n,), length, optional
        Distance from each centre to the farthest vertex; default: to the farthest corner of the box.

    Returns
    -------
    list of PlausibilityFault
        Centres outside the box, second moments beyond the bound of Bhatia and Davis, radii of gyration beyond the
        farthest vertex; for each body the first of these only.

    Raises
    ------
    UsageError
        A box is empty: a low corner is above a high one.

    Notes
    -----
    Mass between low a and high b with the mean c has a variance of at most (b − c)(c − a) on each axis, whatever its
    distribution (Bhatia and Davis, American Mathematical Monthly 107 (2000) 353): docs/internals/numerical_methods.md.

    Examples
    --------
    >>> from massprops import BodyArray
    >>> rod = BodyArray.of([2.0], [[0.5, 0, 0]], [[0, 6.0, 6, 0, 0, 0]])
    >>> [(fault.kind, fault.power) for fault in geometry_faults(rod, [0, 0, 0], [1, 1, 1])]
    [('moments-too-large', -3)]
    """
    n = len(bodies)
    a = np.broadcast_to(np.asarray(low, dtype=float), (n, 3))
    b = np.broadcast_to(np.asarray(high, dtype=float), (n, 3))
    if not (a <= b).all():
        raise UsageError(f"box {int(np.flatnonzero(~(a <= b).all(axis=1))[0])} is empty: low above high")
    size = np.linalg.norm(b - a, axis=1)
    c, moments = bodies.center.astype(float), bodies.inertia[:, :3].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        # mean squares of x, y, z about the own centres ``(n, 3)``
        squares = (0.5 * moments.sum(axis=1)[:, None] - moments) / bodies.mass.astype(float)[:, None]
        outside = (c < a - _SLACK * size[:, None]) | (c > b + _SLACK * size[:, None])
        bound = np.maximum(b - c, 0.0) * np.maximum(c - a, 0.0)
        beyond = squares > bound + _SLACK * size[:, None] ** 2
    corner = np.linalg.norm(np.maximum(np.abs(b - c), np.abs(c - a)), axis=1)
    reach = corner if farthest is None else np.broadcast_to(np.asarray(farthest, dtype=float), (n,))
    radius = np.sqrt(np.maximum(squares.sum(axis=1), 0.0))
    found = []
    for k in range(n):
        if outside[k].any():
            found.append(_center_fault(k, c[k], a[k], b[k], outside[k]))
        elif beyond[k].any():
            found.append(_moment_fault(k, squares[k], c[k], a[k], b[k], bound[k]))
        elif radius[k] > reach[k] * (1 + _SLACK):
            text = f"radius of gyration {radius[k]:.6g} exceeds the distance {reach[k]:.6g} of the farthest vertex"
            found.append(PlausibilityFault(k, "radius-too-large", text, _fitting_power(radius[k] ** 2, reach[k] ** 2)))
    return found


def _fitting_power(squares: _Floats, limits: _Floats) -> int | None:
    """Return the usual power of ten by which mean squares come within their limits; None if there is none."""
    return next((power for power in _POWERS if power < 0 and (squares * 10.0**power <= limits).all()), None)


def _center_fault(row: int, c: _Floats, low: _Floats, high: _Floats, outside: NDArray[np.bool_]) -> PlausibilityFault:
    """Describe a centre outside its box."""
    axis = int(np.flatnonzero(outside)[0])
    # any coordinate is inside if it is made small enough
    box, far = np.abs([low, high]).max(), np.abs(c).max()
    scaled = {p: c * 10.0**p for p in _POWERS if p > 0 or (far > 5 * box and far * 10.0**p >= _LEAST_CENTER * box)}
    power = next((p for p, one in scaled.items() if ((one >= low) & (one <= high)).all()), None)
    text = f"centre {'xyz'[axis]} = {c[axis]:.6g} is outside the geometry, {low[axis]:.6g} to {high[axis]:.6g}"
    if power is not None:
        text += f"; inside if all three coordinates are multiplied by {10.0**power:g}"
    return PlausibilityFault(row, "center-outside", text, power)


def _moment_fault(
    row: int, squares: _Floats, c: _Floats, low: _Floats, high: _Floats, bound: _Floats
) -> PlausibilityFault:
    """Describe second moments that mass in a box cannot have."""
    axis = int(np.argmax(squares - bound))
    power = _fitting_power(squares, bound)
    text = (
        f"mean square of {'xyz'[axis]} about the centre is {squares[axis]:.6g}, but mass between {low[axis]:.6g} and "
        f"{high[axis]:.6g} with the centre {c[axis]:.6g} has at most {bound[axis]:.6g}"
    )
    if power is not None:
        text += f"; possible if the tensor is multiplied by {10.0**power:g}"
    return PlausibilityFault(row, "moments-too-large", text, power)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlipSearch:
    """The search for slips in the tensors of n bodies; docs/formulas.md, section 12."""

    ten: _Floats  # (n, 10) with masses that are not negative
    has: NDArray[np.bool_]  # (n, 10)
    arms: Sequence[_Floats]  # (n, 3) each: the centres from the points that a tensor may be about
    names: Sequence[str]
    invalid: NDArray[np.bool_]  # (n,) no body can have the tensor
    scaled: NDArray[np.bool_]  # (n,) the tensor is that of another mass
    cells: tuple[_Floats, _Floats]  # (n, 6) each: signs of the cells, and their m Φ(d): ``TensorContext``

    def pairs(self) -> dict[int, list[rigid.TensorSlip]]:
        """Return the slips of valid tensors that differ from those of parts at the mirrored place by m d²."""
        found = {}
        valid = np.flatnonzero(self.has.all(axis=1) & ~self.invalid & self.ten[:, 1:4].any(axis=1))
        for i in valid.tolist() if len(valid) <= _MOST_COMPARED else ():
            of = {j: self._mirrored(i, [j], at_its_place=True) for j in self._alike(i)}
            six, twins = self.ten[i, 4:], np.concatenate([np.zeros((0, 6)), *of.values()])
            if len(twins) and not _agrees(six, twins, rigid.SAME_TENSOR):
                slips = rigid.parallel_axis_slips(six, self._spreads(i))
                slips = [one for one in slips if _agrees(one.tensor, twins, rigid.SAME_SHAPE)]
                agree = [j for j in of if any(_agrees(one.tensor, of[j], rigid.SAME_SHAPE) for one in slips)]
                if len(agree) == 1:
                    words = f"valid if it is right, and that of {self.names[agree[0]]} is wrong"
                    slips.append(rigid.TensorSlip(words, "", six, UNCHANGED))
                found[i] = slips
        return {i: slips for i, slips in found.items() if slips}

    def slips(
        self, geometry: Mapping[int, rigid.TensorEvidence], pairs: Mapping[int, list[rigid.TensorSlip]]
    ) -> dict[int, list[rigid.TensorSlip]]:
        """Return the slips that explain the tensors of bodies by all evidence, those with equal tensors once."""
        found = {}
        for i in sorted({*np.flatnonzero(self.invalid).tolist(), *pairs, *geometry}):
            six, twins = self.ten[i, 4:], np.zeros((0, 6))
            if self.invalid[i]:
                known = rigid.TensorContext(self._spreads(i), self.cells[0][i], self.cells[1][i])
                slips, twins = rigid.tensor_slips(six, known), self._mirrored(i, self._alike(i))
                nearest = nearest_tensors(six[None])[0]
                change, size = (float(np.linalg.norm(rigid.full_tensors(one))) for one in (nearest - six, six))
                is_doubtful = change <= SMALL_REPAIR * size
                if slips and (is_doubtful or all(one.caution for one in slips)):
                    slips.append(rigid.TensorSlip("the nearest valid tensor", "", nearest, UNCHANGED))
            else:
                slips = self._shown_by(i, geometry[i]) if i in geometry else []
                slips = slips or pairs.get(i, [])
            if slips:
                of = geometry.get(i)
                kept = rigid.explained_tensors(np.array([one.tensor for one in slips]), twins, of, six)
                found[i] = [slips[k] for k in kept]
                if kept and i not in pairs:
                    found[i] += self._doubts(i, found[i], of, twins)
        return {i: kept for i, kept in found.items() if [one.kind for one in kept] not in ([], [UNCHANGED])}

    def _doubts(
        self, i: int, slips: Sequence[rigid.TensorSlip], of: rigid.TensorEvidence | None, twins: _Floats
    ) -> list[rigid.TensorSlip]:
        """Return why slips do not explain a tensor that neither its geometry nor a counterpart (t, 6) confirms."""
        misfit = np.inf if of is None else min(rigid.tensor_misfit(one.tensor, of.tensor) for one in slips)
        if any(_agrees(one.tensor, twins, rigid.SAME_TENSOR) for one in slips):
            misfit = rigid.SAME_TENSOR
        is_moved = len(slips) == 1 and "m d²" in slips[0].words
        if of is not None and of.is_exact and misfit > (_APART if is_moved else rigid.FITS):
            return [rigid.TensorSlip(f"it is that of {of.words}", "", of.tensor, UNCHANGED)]
        six, size, words = self.ten[i, 4:], np.abs(slips[0].tensor).max(), ""
        if len(slips) == 1 and np.isnan(size):
            words = "but Izz is not among them"
        elif is_moved and misfit > rigid.SAME_SHAPE and _half_digit(six) > _APART * size:
            words = "but few of its digits are left"
        elif is_moved and misfit > rigid.FITS and _CHANCE[0] < np.abs(slips[0].tensor - six).max() / size < _CHANCE[1]:
            words = "but m d² is of the size of that, and makes many tensors valid"
        return [rigid.TensorSlip(words, "", np.zeros(0), UNCHANGED)] if words else []

    def _shown_by(self, i: int, of: rigid.TensorEvidence) -> list[rigid.TensorSlip]:
        """Return the slips of a valid tensor whose tensor is that of an exact geometry."""
        six, slips = self.ten[i, 4:], []
        if not of.is_exact or rigid.tensor_misfit(six, of.tensor) <= rigid.SAME_TENSOR:
            return []
        factor = mass_factor(six, of.tensor) if self.scaled[i] else None
        if factor is not None:
            caution = "mass" if abs(np.log10(factor) - round(np.log10(factor))) < _POWER else ""
            words = factor_message(factor, float(self.ten[i, 0]))
            slips = [rigid.TensorSlip(words, "check the mass", six * factor, caution=caution)]
        slips += rigid.parallel_axis_slips(six, self._spreads(i))
        return [one for one in slips if rigid.tensor_misfit(one.tensor, of.tensor) <= rigid.SAME_SHAPE]

    def _spreads(self, i: int) -> list[_Floats]:
        """Return the m Φ(d) (6,) of a body."""
        return [self.ten[i, 0] * rigid.phi(arm[i]) for arm in self.arms] if self.has[i, :4].all() else []

    def _alike(self, i: int) -> list[int]:
        """Return the other bodies of the same mass that have a tensor, none of which is impossible."""
        near = np.abs(self.ten[:, 0] - self.ten[i, 0]) <= _SAME_MASS * self.ten[i, 0]
        return [j for j in np.flatnonzero(near & self.has[:, 4] & ~self.invalid).tolist() if j != i]

    def _mirrored(self, i: int, others: Sequence[int], *, at_its_place: bool = False) -> _Floats:
        """Return tensors (k, 6) of a body equal to others, or mirrored; places decide on signs, where they are."""
        of, center = self.ten[others], self.ten[i, 1:4]
        size = np.abs(center).max()
        x, y, z = (signs := np.vstack([_MIRRORS, -_MIRRORS])).T
        tensors = of[:, None, 4:] * np.column_stack([np.ones((8, 3)), x * y, x * z, y * z])
        is_mirrored = np.abs(of[:, None, 1:4] * signs - center).max(axis=2) <= _SAME_CENTER * size
        has_place = at_its_place or (size > 0 and is_mirrored.any())
        return np.asarray(tensors[is_mirrored] if has_place else tensors.reshape(-1, 6))


def nearest_tensors(tensors: _Floats) -> _Floats:
    """Return the nearest valid tensors (k, 6); those that are valid but for rounding as given."""
    k = len(tensors)
    found = BodyArray.of(np.ones(k), np.zeros((k, 3)), tensors).nearest_valid()
    is_off = found.distance > rigid.NEGLIGIBLE_VIOLATION * np.abs(tensors).max(axis=1)
    return np.where(is_off[:, None], found.inertia, tensors)


def _half_digit(tensor: _Floats) -> float:
    """Return half a unit of the last digit of the largest entry, if all (6,) have as many as the longest."""
    written = [Decimal(repr(float(one))).normalize() for one in tensor if one]
    digits = max((len(one.as_tuple().digits) for one in written), default=0)
    return 5 * 10.0 ** (max((one.adjusted() for one in written), default=0) - digits)


def _agrees(tensor: _Floats, others: _Floats, share: float) -> bool:
    """Return whether one of other tensors (k, 6) differs by a share of the largest entry at most."""
    return bool((np.abs(others - tensor).max(axis=1) <= share * np.abs(tensor).max()).any())


def mass_factor(tensor: _Floats, reference: _Floats) -> float | None:
    """Return the factor of a tensor (6,) of another mass in the same geometry (6,); docs/formulas.md, section 12."""
    # None if there is not exactly one, or if it also is that of a smaller body, of a hollow one or of a ball
    squares, right = (0.5 * six[:3].sum() - six[:3] for six in (tensor, reference))
    if not (squares.min() > 0 and right.min() > 0 and right.max() > _BALL * right.min()):
        return None
    each = right / squares
    factor = float(right.sum() / squares.sum())
    if max(factor, 1 / factor) < _LEAST_FACTOR or np.abs(each / factor - 1).max() > rigid.SAME_SHAPE:
        return None
    return float(f"{factor:.6g}") if rigid.tensor_misfit(tensor * factor, reference) <= rigid.SAME_SHAPE else None


def factor_message(factor: float, mass: float, unit: str = "") -> str:
    """Describe the tensor of another mass."""
    return (
        f"tensor is that of the mass {mass / factor:.6g}{unit} in its geometry, not {mass:g}{unit}; factor {factor:g}"
    )


def placeholder_faults(bodies: BodyArray) -> list[PlausibilityFault]:
    """Find tensors that look like defaults of a program instead of results.

    Parameters
    ----------
    bodies : BodyArray
        n bodies.

    Returns
    -------
    list of PlausibilityFault
        Tensors that are the identity, equal powers of ten on the diagonal without products, one number in all six
        entries, and one tensor repeated on three or more bodies of different masses.

    Raises
    ------
    UsageError
        A mass or a tensor has a missing number.

    Notes
    -----
    A fault does not prove an error: a ball may have a tensor of 1 on the diagonal. Zeros are not reported, because they
    are point masses.

    Examples
    --------
    >>> from massprops import BodyArray
    >>> [fault.kind for fault in placeholder_faults(BodyArray.of([1.0], [[0.0, 0, 0]], np.eye(3)))]
    ['identity-tensor']
    """
    return default_tensors(bodies.mass, bodies.inertia.astype(float))


def default_tensors(mass: NDArray[Any], inertia: _Floats) -> list[PlausibilityFault]:
    """Find tensors (n, 6) of masses (n,) that look like defaults."""
    if missing := np.flatnonzero(~np.isfinite(inertia).all(axis=1) | ~np.isfinite(mass)).tolist():
        raise UsageError(f"body {missing[0]} has a missing number")
    found = []
    equal = (inertia[:, 0] == inertia[:, 1]) & (inertia[:, 1] == inertia[:, 2]) & (inertia[:, 3:] == 0).all(axis=1)
    for k in np.flatnonzero(equal & (inertia[:, 0] > 0)).tolist():
        if (value := float(inertia[k, 0])) == 1.0:
            text = "tensor is the identity matrix, the default of many programs"
            found.append(PlausibilityFault(k, "identity-tensor", text))
        elif float(f"{value:.15g}") == float(f"1e{round(np.log10(value))}"):
            text = f"tensor is {value:g} on the diagonal without products, a usual default"
            found.append(PlausibilityFault(k, "round-diagonal", text))
    for k in np.flatnonzero((inertia[:, 0] != 0) & (inertia == inertia[:, :1]).all(axis=1)).tolist():
        text = f"all six entries of the tensor are {inertia[k, 0]:g}, which no body has"
        found.append(PlausibilityFault(k, "equal-entries", text))
    return sorted(found + _repeated_faults(mass, inertia + 0.0), key=lambda fault: fault.row)


def _repeated_faults(mass: NDArray[Any], inertia: _Floats) -> list[PlausibilityFault]:
    """Find one tensor on several bodies of different masses."""
    groups: dict[bytes, list[int]] = {}
    for k in np.flatnonzero((inertia != 0).any(axis=1)).tolist():
        groups.setdefault(inertia[k].tobytes(), []).append(k)
    found = []
    for rows in groups.values():
        if len({float(mass[k]) for k in rows}) >= _PLACEHOLDER_REPEATS:
            text = f"one tensor on {len(rows)} bodies of different masses"
            found.append(PlausibilityFault(rows[0], "repeated-tensor", text, related=tuple(rows[1:])))
    return found
