"""n rigid bodies as one value: move, rotate, mirror, merge, cut out, other forms of the same numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.bodies import NEGLIGIBLE_VIOLATION, full_tensors, phi, six_entries
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import cross_matrices, turn_matrices
from massprops_cli.findings.finding import UsageError, checked_array, checked_type, checked_vector

_Floats = NDArray[Any]
_CUT_ROUNDING = 1e-13  # rounding of a difference, as a share of the larger of the two bodies
_RANK_TOLERANCES = {8: 1e-9, 4: 1e-5}
"""Smallest share of the largest eigenvalue that is not rounding, for double and single precision (bytes)."""
_PARAMETER_FORMS = ("first moment", "KSL")
_ASYMMETRY = 1e-6  # share of the largest entry by which two products may differ, as rounded numbers do


class TensorFactor(NamedTuple):
    """Square root L of tensors of inertia about the own centre, L Lᵀ = I."""

    factor: _Floats
    """(n, 3, 3) (mass × length²)^½: principal axes × roots of moments, ascending; columns of zero moments exactly 0."""
    rank: NDArray[np.intp]  # (n,) 3; 2 for a thin rod; 0 for a point


class _SinglePrecision(NamedTuple):
    """Bodies rounded to single precision."""

    bodies: BodyArray  # float32
    loss: NDArray[np.float64]
    """(n, 3) share lost: of the mass, of the largest coordinate of the centre, of the largest tensor entry."""


class _NearestTensors(NamedTuple):
    """Valid tensors next to tensors that no body can have."""

    inertia: _Floats  # (n, 6) mass × length², order xx yy zz xy xz yz; valid tensors unchanged
    distance: NDArray[np.float64]  # (n,) mass × length², Frobenius norm of the change


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BodyArray:
    """Mass properties of n bodies in one frame and one unit system, all numbers known.

    Attributes
    ----------
    mass : array, shape (n,), mass
        Masses.
    center : array, shape (n, 3), length
        Centres of mass from the origin of the frame; NaN where the mass is 0.
    inertia : array, shape (n, 6), mass × length²
        Tensor entries (Ixy = −∫xy dm) about the own centres, axes of the frame, order xx yy zz xy xz yz.

    Notes
    -----
    float32 arrays stay float32; everything else is float64.

    Examples
    --------
    >>> rods = BodyArray.of([2.0, 2.0], [[1.0, 0, 0], [3.0, 0, 0]], [[0, 6.0, 6, 0, 0, 0]] * 2)
    >>> rods.total().inertia[0, :3].tolist()
    [0.0, 16.0, 16.0]
    """

    mass: _Floats
    center: _Floats
    inertia: _Floats

    @classmethod
    def of(cls, mass: ArrayLike, center: ArrayLike, inertia: ArrayLike) -> BodyArray:
        """Return bodies from their numbers.

        Parameters
        ----------
        mass : array, shape (n,), mass
            Masses; one number is one body.
        center : array, shape (n, 3), length
            Centres of mass from the origin of the frame.
        inertia : array, shape (n, 6) or (n, 3, 3), mass × length²
            Tensor entries about the own centres, order xx yy zz xy xz yz, or symmetric matrices.

        Returns
        -------
        BodyArray
            float32 if all three arrays are, else float64.

        Raises
        ------
        UsageError
            The shapes do not match, or a matrix is not symmetric.
        """
        given = {"mass": mass, "center": center, "inertia": inertia}
        m, c, tensor = (checked_array(name, value) for name, value in given.items())
        m = np.atleast_1d(m)
        kind = np.float32 if m.dtype == c.dtype == tensor.dtype == np.float32 else np.float64
        if tensor.shape[-2:] == (3, 3) and tensor.ndim >= 2 and tensor.shape != (len(m), 6):
            full = tensor.reshape(-1, 3, 3)
            off = np.abs(full - full.transpose(0, 2, 1)) > _ASYMMETRY * np.abs(full).max(axis=(1, 2), keepdims=True)
            if bad := np.flatnonzero(off.any(axis=(1, 2))).tolist():
                raise UsageError(f"tensor of body {bad[0]} is not symmetric: {full[bad[0]].tolist()}")
            tensor = six_entries(tensor)
        c, tensor = np.atleast_2d(c), np.atleast_2d(tensor)
        if c.shape != (len(m), 3) or tensor.shape != (len(m), 6):
            raise UsageError(
                f"mass, center and inertia have the shapes {m.shape}, {c.shape} and {tensor.shape}, "
                "not (n,), (n, 3) and (n, 6) or (n, 3, 3)"
            )
        return cls(m.astype(kind), c.astype(kind), tensor.astype(kind))

    @classmethod
    def from_parameters(
        cls,
        parameters: ArrayLike,
        point: ArrayLike = (0.0, 0.0, 0.0),
        form: Literal["first moment", "KSL"] = "first moment",
    ) -> BodyArray:
        """Return bodies from ten numbers each; the inverse of ``parameters``.

        Parameters
        ----------
        parameters : array, shape (n, 10)
            Ten numbers about ``point``.
        point : array, shape (3,), length
            Reference point from the origin of the frame.
        form : {"first moment", "KSL"}
            Meaning and order of the numbers, as in ``parameters``.

        Returns
        -------
        BodyArray
            The bodies.

        Raises
        ------
        UsageError
            The shape or the form is wrong, or a mass is 0.
        """
        given = checked_array("parameters", parameters)
        if (p := np.atleast_2d(given).astype(np.float64)).ndim != 2 or p.shape[1] != 10:
            raise UsageError(f"parameters must have the shape (n, 10), not {given.shape}")
        if not (p[:, 0] != 0).all():
            raise UsageError(f"body {int(np.flatnonzero(p[:, 0] == 0)[0])} has the mass 0, and so no centre of mass")
        arm = p[:, 1:4] / p[:, :1]
        inertia = p[:, [4, 5, 6, 7, 9, 8]] if _is_ksl(form) else p[:, 4:] - p[:, :1] * phi(arm)
        made = cls(p[:, 0], arm + checked_vector("point", point, len(p)), inertia)
        return made._as(np.dtype(np.float32) if given.dtype == np.float32 else np.dtype(np.float64))

    def __len__(self) -> int:
        return len(self.mass)

    def __repr__(self) -> str:
        """Return the number of bodies, their precision and their total mass."""
        return f"BodyArray of {len(self)} bodies, {self.mass.dtype}, total mass {float(self.mass.sum()):.6g}"

    def __getitem__(self, which: Any) -> BodyArray:
        """Return some of the bodies; an integer gives an array of one."""
        rows = slice(which, which + 1 or None) if isinstance(which, int | np.integer) else which
        return BodyArray(self.mass[rows], self.center[rows], self.inertia[rows])

    def parameters(
        self, point: ArrayLike = (0.0, 0.0, 0.0), form: Literal["first moment", "KSL"] = "first moment"
    ) -> _Floats:
        """Return ten numbers for each body.

        Parameters
        ----------
        point : array, shape (3,), length
            Reference point P from the origin of the frame.
        form : {"first moment", "KSL"}
            ``first moment``: (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), h = m (c − P), J about P; they add up over
            bodies. ``KSL``: (m, mt_x, mt_y, mt_z, Ixx, Iyy, Izz, Ixy, Iyz, Izx), mt = m (c − P), I about the own
            centre.

        Returns
        -------
        array, shape (n, 10)
            The numbers, in the precision of the bodies; products are tensor entries.

        Raises
        ------
        UsageError
            The form is unknown.

        Notes
        -----
        docs/formulas.md, sections 5 and 12.

        Examples
        --------
        >>> BodyArray.of(2.0, [3.0, 0, 0], np.eye(3)).parameters().tolist()
        [[2.0, 6.0, 0.0, 0.0, 1.0, 19.0, 19.0, 0.0, 0.0, 0.0]]
        """
        m, c, inertia = self._double()
        arm = c - checked_vector("point", point, len(self))
        tensor = inertia[:, [0, 1, 2, 3, 5, 4]] if _is_ksl(form) else inertia + m[:, None] * phi(arm) + 0.0
        return np.concatenate([m[:, None], m[:, None] * arm, tensor], axis=1).astype(self.mass.dtype)

    def spatial(self, point: ArrayLike = (0.0, 0.0, 0.0)) -> _Floats:
        """Return the 6×6 spatial inertia about a point.

        Parameters
        ----------
        point : array, shape (3,), length
            Reference point P from the origin of the frame.

        Returns
        -------
        array, shape (n, 6, 6), mass, mass × length, mass × length²
            [[m 1, −[h]ₓ], [[h]ₓ, J]], linear velocities first; h = m (c − P), J about P, axes of the frame.

        Notes
        -----
        docs/formulas.md, section 12. Algorithms with angular velocities first use the blocks [[J, [h]ₓ], [−[h]ₓ, m 1]].

        Examples
        --------
        >>> BodyArray.of(2.0, [3.0, 0, 0], np.eye(3)).spatial()[0, :3, 3:].tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 6.0], [0.0, -6.0, 0.0]]
        """
        p = BodyArray(*self._double()).parameters(point)
        M = np.zeros((len(self), 6, 6))
        M[:, :3, :3] = p[:, 0, None, None] * np.eye(3)
        M[:, 3:, :3] = cross_matrices(p[:, 1:4])
        M[:, :3, 3:] = 0.0 - M[:, 3:, :3]
        M[:, 3:, 3:] = full_tensors(p[:, 4:])
        return M.astype(self.mass.dtype)

    def rotated(self, rotation: ArrayLike) -> BodyArray:
        """Return the bodies rotated about the origin of the frame.

        Parameters
        ----------
        rotation : array, shape (3, 3) or (n, 3, 3), dimensionless
            R, one for all bodies or one each; with the digits of its precision.

        Returns
        -------
        BodyArray
            c' = R c, I' = R I Rᵀ.

        Raises
        ------
        UsageError
            R is not a rotation; the message shows the defect.

        Notes
        -----
        docs/formulas.md, section 2. The same numbers are those of the unmoved bodies in axes whose rows are those of R.
        """
        R = np.asarray(rotation)
        stack = R[None] if R.ndim == 2 else R
        pose = Poses.from_cosines(np.zeros((len(stack), 3)), stack, 1e-5 if R.dtype == np.float32 else 1e-9)
        return self._turned(pose.rotation[0] if R.ndim == 2 else pose.rotation)

    def mirrored(self, axis: Literal["x", "y", "z"]) -> BodyArray:
        """Return the bodies mirrored at a plane through the origin.

        Parameters
        ----------
        axis : {"x", "y", "z"}
            The coordinate that changes its sign.

        Returns
        -------
        BodyArray
            c' = M c, I' = M I M.

        Raises
        ------
        UsageError
            The axis is unknown.
        """
        if axis not in ("x", "y", "z"):
            raise UsageError(f"axis of a mirror must be x, y or z, not {axis!r}")
        return self._turned(np.diag([-1.0 if name == axis else 1.0 for name in "xyz"]))

    def _turned(self, R: NDArray[np.float64]) -> BodyArray:
        """Return the bodies under an orthonormal matrix."""
        m, c, inertia = self._double()
        ten = np.concatenate([m[:, None], c, inertia], axis=1)
        ten = np.einsum("...ij,nj->ni" if R.ndim == 2 else "nij,nj->ni", turn_matrices(R), ten) + 0.0
        return BodyArray(m, ten[:, 1:4], ten[:, 4:])._as(self.mass.dtype)

    def translated(self, translation: ArrayLike) -> BodyArray:
        """Return the bodies moved without rotation.

        Parameters
        ----------
        translation : array, shape (3,) or (n, 3), length
            Shift of every body, axes of the frame.

        Returns
        -------
        BodyArray
            c' = c + t; the tensors about the own centres do not change.
        """
        m, c, inertia = self._double()
        shift = checked_vector("translation", translation, len(self))
        return BodyArray(m, c + shift, inertia)._as(self.mass.dtype)

    def transformed(self, poses: Poses) -> BodyArray:
        """Return the bodies in the frames in which their frames are posed.

        Parameters
        ----------
        poses : Poses
            One pose for all bodies, or one each.

        Returns
        -------
        BodyArray
            c' = R c + t, I' = R I Rᵀ.

        Raises
        ------
        UsageError
            The number of poses is neither 1 nor n.
        """
        if len(checked_type("poses", poses, Poses)) not in (1, len(self)):
            raise UsageError(f"{len(poses)} poses for {len(self)} bodies")
        rotation = poses.rotation[0] if len(poses) == 1 else poses.rotation
        return BodyArray(*self._double())._turned(rotation).translated(poses.translation)._as(self.mass.dtype)

    def merged(self, other: BodyArray, poses: Poses | None = None) -> BodyArray:
        """Return each body with one of ``other`` fixed to it.

        Parameters
        ----------
        other : BodyArray
            n bodies, or one.
        poses : Poses, optional
            Poses of the other bodies' frames in this frame; default: the same frame.

        Returns
        -------
        BodyArray
            Sums of masses, common centres, tensors about the common centres.
        """
        other = checked_type("other", other, BodyArray)
        return self + (other if poses is None else other.transformed(poses))

    def __add__(self, other: BodyArray) -> BodyArray:
        """Return each body joined with one of ``other``, in one frame."""
        return self._joined(other, 1.0) if isinstance(other, BodyArray) else NotImplemented

    def __sub__(self, other: BodyArray) -> BodyArray:
        """Return each body with one of ``other`` cut out; raise ``UsageError`` if no body can be what is left."""
        if not isinstance(other, BodyArray):
            return NotImplemented
        left = BodyArray(*self._double())._joined(BodyArray(*other._double()), -1.0)
        scale = np.abs(full_tensors(self.inertia.astype(float))).max(axis=(1, 2))
        scale = scale + np.abs(self.mass * (left.center - self.center).T ** 2).max(axis=0)
        share = _CUT_ROUNDING if self.mass.dtype == np.float64 else 4 * float(np.finfo(np.float32).eps)
        moments = np.linalg.eigvalsh(full_tensors(np.nan_to_num(left.inertia)))
        slack = np.minimum(moments[:, 0], moments[:, 0] + moments[:, 1] - moments[:, 2])
        allowed = NEGLIGIBLE_VIOLATION * np.abs(moments).max(axis=1) + share * np.nan_to_num(scale)
        if bad := np.flatnonzero(~((left.mass > 0) & (slack >= -allowed))).tolist():
            row, mass = bad[0], float(left.mass[bad[0]])
            if not mass > 0:
                raise UsageError(f"cut-out {row} is not lighter than its body: mass left {mass:.6g}")
            shown = ", ".join(f"{moment:.6g}" for moment in moments[row].tolist())
            raise UsageError(f"cut-out {row} is not inside its body: no body has the principal moments left, {shown}")
        return left._as(self.mass.dtype)

    def _joined(self, other: BodyArray, sign: float) -> BodyArray:
        """Return the sums or differences of bodies."""
        if len(other) not in (1, len(self)) and len(self) != 1:
            raise UsageError(f"{len(self)} bodies and {len(other)} bodies")
        (m1, c1, i1), (m2, c2, i2) = self._double(), other._double()
        m2, i2 = sign * m2, sign * i2
        mass = m1 + m2
        with np.errstate(divide="ignore", invalid="ignore"):
            # from the difference of the centres, so that a distant origin costs no digits
            step = np.where((m2 == 0)[:, None], 0.0, (m2 / mass)[:, None] * (c2 - c1))
            center = np.where((m1 == 0)[:, None], c2, c1 + step)
            center = np.where((mass == 0)[:, None], np.nan, center)
            reduced = np.where(m1 * m2 == 0, 0.0, m1 * m2 / mass)
            apart = np.where((m1 * m2 == 0)[:, None], 0.0, reduced[:, None] * phi(c2 - c1))
        return BodyArray(mass, center, i1 + i2 + apart)._as(np.result_type(self.mass, other.mass))

    def total(self) -> BodyArray:
        """Return all bodies as one.

        Returns
        -------
        BodyArray
            One body; the centre is NaN where the masses cancel.

        Notes
        -----
        docs/formulas.md, sections 2 and 9: in two passes, with differences from the first body.
        """
        m, c, inertia = self._double()
        origin = c[np.flatnonzero(m != 0)[0]] if (m != 0).any() else np.full(3, np.nan)
        d = np.where((m != 0)[:, None], c - origin, 0.0)
        mass = m.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (m @ d) / mass
            tensor = inertia.sum(axis=0) + np.where(m != 0, m, 0.0) @ phi(d - mean)
        return BodyArray(np.array([mass]), (origin + mean)[None], tensor[None])._as(self.mass.dtype)

    def factor(self, size: float = 0.0) -> TensorFactor:
        """Return a square root of the tensors, and their ranks.

        Parameters
        ----------
        size : float, length
            Radius of gyration that counts as 0, such as that of a wire; default: only the tolerance counts.

        Returns
        -------
        TensorFactor
            Factors (n, 3, 3) and ranks (n,): 3, 2 for a thin rod, 0 for a point.

        Raises
        ------
        UsageError
            A principal moment is negative.

        Notes
        -----
        A moment is 0 if it is at most 1e-9 (single precision: 1e-5) of the largest moment, so that the rank does not
        depend on the unit or the size of the body, or at most ``m size²``: docs/formulas.md, section 12.

        Examples
        --------
        >>> BodyArray.of([1e-12], [[0.0, 0, 0]], [[0, 1e-20, 1e-20, 0, 0, 0]]).factor().rank.tolist()
        [2]
        """
        moments, vectors = np.linalg.eigh(full_tensors(self.inertia.astype(float)))
        limit = self._zero_limit(np.abs(moments).max(axis=1), size)[:, None]
        if negative := np.flatnonzero((moments < -limit).any(axis=1)).tolist():
            raise UsageError(f"body {negative[0]} has a negative principal moment: {moments[negative[0], 0]:.6g}")
        kept = moments > limit
        factor = vectors * np.sqrt(np.where(kept, moments, 0.0))[:, None, :]
        return TensorFactor(factor.astype(self.mass.dtype), kept.sum(axis=1))

    def dimensions(self, size: float = 0.0) -> NDArray[np.intp]:
        """Return in how many dimensions the mass of each body extends.

        Parameters
        ----------
        size : float, length
            Radius of gyration that counts as 0; default: only the tolerance counts.

        Returns
        -------
        array of int, shape (n,)
            Rank of S = ½ tr(I) 1 − I: 3 for a body, 2 for a thin plate, 1 for a thin rod, 0 for a point.

        Notes
        -----
        Tolerance as in ``factor``; docs/formulas.md, section 12.

        Examples
        --------
        >>> BodyArray.of([1.0], [[0.0, 0, 0]], [[1.0, 2, 3, 0, 0, 0]]).dimensions().tolist()
        [2]
        """
        moments = np.linalg.eigvalsh(full_tensors(self.inertia.astype(float)))
        second = 0.5 * moments.sum(axis=1)[:, None] - moments
        limit = self._zero_limit(np.abs(moments).max(axis=1), size)[:, None]
        return np.asarray((second > limit).sum(axis=1))

    def _zero_limit(self, largest: NDArray[np.float64], size: float) -> NDArray[np.float64]:
        """Return the moments ``(n,)`` up to which one counts as 0."""
        tolerance = _RANK_TOLERANCES[self.mass.dtype.itemsize]
        return np.asarray(np.maximum(tolerance * largest, np.abs(self.mass.astype(float)) * size**2))

    def nearest_valid(self) -> _NearestTensors:
        """Return the nearest tensors that bodies can have.

        Returns
        -------
        _NearestTensors
            Tensors (n, 6) and the Frobenius norms of the changes (n,).

        Notes
        -----
        Closed form in the principal axes: a violation δ of λ₁ + λ₂ ≥ λ₃ moves each moment by δ/3; where the result
        would still not be valid, the nearest is a thin rod of moments (λ₂ + λ₃)/2, or a point: docs/formulas.md,
        section 12.

        Examples
        --------
        >>> fixed = BodyArray.of([55.0], [[0.0, 0, 0]], [[7.0, 15, 23, 0, 0, 0]]).nearest_valid()
        >>> fixed.inertia[0, :3].round(6).tolist(), float(fixed.distance[0].round(6))
        ([7.333333, 15.333333, 22.666667], 0.57735)
        """
        full = full_tensors(self.inertia.astype(float))
        moments, vectors = np.linalg.eigh(full)
        # project the ascending moments on the cone of those that bodies can have
        low, middle, high = moments.T
        third = (high - low - middle) / 3
        plate = moments + third[:, None] * np.array([1.0, 1.0, -1.0])
        rod = np.maximum(0.5 * (middle + high), 0.0)[:, None] * np.array([0.0, 1.0, 1.0])
        valid = (low >= 0) & (third <= 0)
        # on the face λ₁ + λ₂ = λ₃ a plate needs λ₁ ≥ 0
        flat = ~valid & (plate[:, 0] >= 0)
        fixed = np.asarray(np.where(valid[:, None], moments, np.where(flat[:, None], plate, rod)))
        # valid tensors come out as given, not as products of rounded axes
        changed = np.abs(fixed - moments).max(axis=1) > 0
        new = np.where(changed[:, None, None], (vectors * fixed[:, None, :]) @ np.swapaxes(vectors, 1, 2), full)
        return _NearestTensors(six_entries(new).astype(self.mass.dtype), np.sqrt(((fixed - moments) ** 2).sum(axis=1)))

    def equivalent_boxes(self) -> _Floats:
        """Return the sides of the boxes of the same mass and the same principal moments.

        Returns
        -------
        array, shape (n, 3), length
            Sides √(12 s_k/m) along the principal axes in ascending order of the moments: the first side is the longest.

        Raises
        ------
        UsageError
            A mass is not positive, or a tensor is impossible: a side would be the root of a negative number.
        """
        if not (self.mass > 0).all():
            raise UsageError(f"body {int(np.flatnonzero(~(self.mass > 0))[0])} has no positive mass")
        moments = np.linalg.eigvalsh(full_tensors(self.inertia.astype(float)))
        second = 0.5 * moments.sum(axis=1)[:, None] - moments
        largest = np.abs(moments).max(axis=1)
        rounding = max(NEGLIGIBLE_VIOLATION, 4 * float(np.finfo(self.mass.dtype).eps))
        if impossible := np.flatnonzero(~(second[:, 2] >= -rounding * largest)).tolist():
            shown = ", ".join(f"{one:.6g}" for one in moments[impossible[0]].tolist())
            raise UsageError(f"body {impossible[0]} is impossible: principal moments {shown}; see nearest_valid()")
        second = np.maximum(second, 0.0)
        return np.asarray(np.sqrt(12 * second / self.mass.astype(float)[:, None]).astype(self.mass.dtype))

    def single(self) -> _SinglePrecision:
        """Return the bodies in single precision, and what that loses.

        Returns
        -------
        _SinglePrecision
            Bodies as float32, and the loss (n, 3) of mass, centre and tensor; at most 6e-8 each.

        Raises
        ------
        UsageError
            A number is beyond the range of single precision.
        """
        with np.errstate(over="ignore"):
            rounded = self._as(np.dtype(np.float32))
        losses = []
        for before, after in zip(self._double(), rounded._double(), strict=True):
            if (np.isfinite(before) & ~np.isfinite(after)).any():
                raise UsageError("a number is beyond the range of single precision, 3.4e38")
            wide = before.reshape(len(self), -1)
            scale = np.abs(wide).max(axis=1)
            change = np.abs(after.reshape(len(self), -1) - wide).max(axis=1)
            losses.append(np.divide(change, scale, out=np.zeros(len(self)), where=scale > 0))
        return _SinglePrecision(rounded, np.stack(losses, axis=1))

    def _double(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return mass, centre and tensor in double precision."""
        return self.mass.astype(float), self.center.astype(float), self.inertia.astype(float)

    def _as(self, kind: np.dtype[Any]) -> BodyArray:
        """Return the bodies in a precision."""
        return BodyArray(self.mass.astype(kind), self.center.astype(kind), self.inertia.astype(kind))


def _is_ksl(form: str) -> bool:
    """Return whether ten numbers are in the form of KSL, or raise."""
    if form not in _PARAMETER_FORMS:
        raise UsageError(f"form must be 'first moment' or 'KSL', not {form!r}")
    return form == "KSL"
