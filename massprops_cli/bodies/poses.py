"""Poses: where the frame of a body is in the frame of its parent, x_parent = R x_own + t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies import rotations
from massprops_cli.bodies.bodies import Bodies, full_tensors, six_entries
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
AngleUnit = Literal["deg", "rad"]
_ROTATION_TOLERANCE = 1e-9  # largest defect ‖R Rᵀ − 1‖ of a rotation, unless the digits written explain more
_ROUNDING = 1e-14  # a defect below this is the rounding of double precision; the matrix is used as given
_AXES = {"x": 0, "y": 1, "z": 2}


class _RotationFault(NamedTuple):
    """A 3×3 matrix that is not a rotation."""

    row: int
    kind: str  # left-handed or not-orthonormal
    defect: float  # Frobenius norm of R Rᵀ − 1
    determinant: float
    message: str
    remedy: str


def rotation_faults(matrices: ArrayLike, tolerance: float | _Floats = _ROTATION_TOLERANCE) -> list[_RotationFault]:
    """Find the matrices that are not rotations.

    Parameters
    ----------
    matrices : array, shape (n, 3, 3), dimensionless
        Direction cosines; column k is own axis k in the axes of the parent.
    tolerance : float or array, shape (n,), dimensionless
        Largest accepted ‖R Rᵀ − 1‖.

    Returns
    -------
    list of _RotationFault
        One fault for each matrix that is left-handed or not orthonormal.

    Raises
    ------
    UsageError
        The shape is not (n, 3, 3).

    Notes
    -----
    With half a unit h of the last digit written, the nine cosines explain a defect up to 6 h + 9 h²: docs/formulas.md,
    section 12.

    Examples
    --------
    >>> [fault.message for fault in rotation_faults([np.diag([1.0, 1.0, -1.0])])]
    ['rotation matrix is left-handed: determinant -1']
    """
    if (R := np.asarray(matrices, dtype=float)).ndim != 3 or R.shape[1:] != (3, 3):
        raise UsageError(f"rotation matrices must have the shape (n, 3, 3), not {R.shape}")
    gram = R @ np.swapaxes(R, 1, 2)
    defect = np.sqrt(((gram - np.eye(3)) ** 2).sum(axis=(1, 2)))
    limit = np.broadcast_to(np.asarray(tolerance, dtype=float), defect.shape)
    with np.errstate(invalid="ignore"):
        determinant = np.linalg.det(R)
    # a matrix with a missing cosine compares false with every limit
    bad = ~(defect <= limit) | ~(determinant > 0)
    return [
        _rotation_fault(k, gram[k], float(defect[k]), float(determinant[k]), bool(defect[k] <= limit[k]))
        for k in np.flatnonzero(bad).tolist()
    ]


def _rotation_fault(row: int, gram: _Floats, defect: float, determinant: float, orthonormal: bool) -> _RotationFault:
    """Describe the defect of one matrix from R Rᵀ."""
    if not np.isfinite(defect):
        message, remedy = "rotation matrix has a missing cosine", "enter all nine direction cosines"
        return _RotationFault(row, "not-orthonormal", defect, determinant, message, remedy)
    if orthonormal:
        message = f"rotation matrix is left-handed: determinant {determinant:.6g}"
        remedy = "reverse one axis, or exchange two, to make the axes right-handed"
        return _RotationFault(row, "left-handed", defect, determinant, message, remedy)
    lengths = ", ".join(f"{length:.6g}" for length in np.sqrt(np.diag(gram)).tolist())
    products = ", ".join(f"{gram[a, b]:.3g}" for a, b in ((0, 1), (0, 2), (1, 2)))
    message = (
        f"rotation matrix is not orthonormal: defect {defect:.3g} "
        f"(lengths of the rows {lengths}; products of rows {products}; determinant {determinant:.6g})"
    )
    remedy = "enter nine direction cosines with unit rows at right angles"
    return _RotationFault(row, "not-orthonormal", defect, determinant, message, remedy)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Poses:
    """Poses of n frames in the frames of their parents, x_parent = R x_own + t.

    Attributes
    ----------
    translation : array, shape (n, 3), length
        Origins t of the own frames, axes of the parents.
    rotation : array, shape (n, 3, 3), dimensionless
        Rotations R; column k is own axis k in the axes of the parent.

    Examples
    --------
    >>> quarter = Poses.from_rpy([[1.0, 0, 0]], [[0, 0, 90]], "deg")
    >>> quarter.points([[2.0, 0, 0]]).round(12).tolist()
    [[1.0, 2.0, 0.0]]
    """

    translation: _Floats
    rotation: _Floats

    def __len__(self) -> int:
        return len(self.translation)

    def __repr__(self) -> str:
        """Return the number of poses."""
        return f"Poses of {len(self)} frames"

    def __getitem__(self, which: Any) -> Poses:
        """Return some of the poses; an integer gives an array of one."""
        rows = slice(which, which + 1 or None) if isinstance(which, int | np.integer) else which
        return Poses(self.translation[rows], self.rotation[rows])

    @classmethod
    def identity(cls, n: int = 1) -> Poses:
        """Return n frames that coincide with those of their parents.

        Parameters
        ----------
        n : int
            Number of poses.

        Returns
        -------
        Poses
            t = 0, R = 1.
        """
        return cls(np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)))

    @classmethod
    def from_rpy(cls, translation: ArrayLike, angles: ArrayLike, unit: AngleUnit) -> Poses:
        """Return poses from roll, pitch and yaw about the fixed axes of the parent.

        Parameters
        ----------
        translation : array, shape (n, 3), length
            Origins t.
        angles : array, shape (n, 3), ``unit``
            Roll about x first, then pitch about y, then yaw about z, all of the parent.
        unit : {"deg", "rad"}
            Unit of the angles.

        Returns
        -------
        Poses
            R = Rz(yaw) Ry(pitch) Rx(roll).

        Raises
        ------
        UsageError
            A number is missing, the shapes or the unit are wrong.

        Notes
        -----
        The convention of URDF and SDF; docs/formulas.md, section 12.
        """
        degrees = _rows(angles, 3, "roll, pitch, yaw")
        angle = radians(degrees, unit)
        cosines, sines = np.cos(angle), np.sin(angle)
        if unit == "deg":  # multiples of a quarter turn are exact
            is_quarter = np.remainder(degrees, 90) == 0
            cosines, sines = (np.where(is_quarter, np.round(one), one) for one in (cosines, sines))
        R: _Floats = np.array(rotations.roll_pitch_yaw_rows(cosines.T, sines.T))
        return cls._of(translation, np.moveaxis(R, -1, 0))

    @classmethod
    def from_quaternion(cls, translation: ArrayLike, quaternion: ArrayLike, order: Literal["wxyz", "xyzw"]) -> Poses:
        """Return poses from unit quaternions.

        Parameters
        ----------
        translation : array, shape (n, 3), length
            Origins t.
        quaternion : array, shape (n, 4), dimensionless
            Quaternions of length 1 within 1e-3; they are normalised.
        order : {"wxyz", "xyzw"}
            Place of the scalar part w.

        Returns
        -------
        Poses
            The rotation by 2 acos(w) about (x, y, z).

        Raises
        ------
        UsageError
            A number is missing, a length is not 1, or the order is unknown.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        if order not in ("wxyz", "xyzw"):
            raise UsageError(f"order of a quaternion must be wxyz or xyzw, not {order!r}")
        q = _rows(quaternion, 4, "quaternion")
        length = np.linalg.norm(q, axis=1)
        if wrong := np.flatnonzero(~(np.abs(length - 1) <= 1e-3)).tolist():
            raise UsageError(f"quaternion {wrong[0]} has the length {length[wrong[0]]:.6g}, not 1")
        w, x, y, z = (q / length[:, None])[:, [0, 1, 2, 3] if order == "wxyz" else [3, 0, 1, 2]].T
        R: _Floats = np.array(rotations.quaternion_rows(w, x, y, z))
        return cls._of(translation, np.moveaxis(R, -1, 0))

    @classmethod
    def from_axis_angle(cls, translation: ArrayLike, axis: ArrayLike, angle: ArrayLike, unit: AngleUnit) -> Poses:
        """Return poses from an axis and an angle.

        Parameters
        ----------
        translation : array, shape (n, 3), length
            Origins t.
        axis : array, shape (n, 3)
            Direction of the axis in the parent, of any length but 0.
        angle : array, shape (n,), ``unit``
            Angle, positive by the right-hand rule.
        unit : {"deg", "rad"}
            Unit of the angle.

        Returns
        -------
        Poses
            R = 1 + sin α [u]ₓ + (1 − cos α) [u]ₓ².

        Raises
        ------
        UsageError
            A number is missing, an axis has the length 0, or the unit is unknown.

        Notes
        -----
        Rodrigues' formula; docs/formulas.md, section 12.
        """
        u = _rows(axis, 3, "axis")
        if not ((length := np.linalg.norm(u, axis=1)) > 0).all():
            raise UsageError(f"axis {int(np.flatnonzero(~(length > 0))[0])} of a rotation has the length 0")
        alpha = np.broadcast_to(radians(np.atleast_1d(np.asarray(angle, dtype=float)), unit), len(u))
        K = rotations.cross_matrices(u / length[:, None])
        sine, versine = np.sin(alpha), 2 * np.sin(alpha / 2) ** 2
        if unit == "deg":  # multiples of a quarter turn are exact
            is_quarter = np.broadcast_to(np.remainder(np.asarray(angle, dtype=float), 90) == 0, alpha.shape)
            sine, versine = (np.where(is_quarter, np.round(values), values) for values in (sine, versine))
        sine, versine = sine[:, None, None], versine[:, None, None]
        return cls._of(translation, rotations.axis_rotations(K, sine, versine))

    @classmethod
    def from_cosines(
        cls, translation: ArrayLike, matrices: ArrayLike, tolerance: float | _Floats = _ROTATION_TOLERANCE
    ) -> Poses:
        """Return poses from nine direction cosines each.

        Parameters
        ----------
        translation : array, shape (n, 3), length
            Origins t.
        matrices : array, shape (n, 3, 3), dimensionless
            Direction cosines; column k is own axis k in the axes of the parent.
        tolerance : float or array, shape (n,), dimensionless
            Largest accepted ‖R Rᵀ − 1‖.

        Returns
        -------
        Poses
            With the nearest rotations where a matrix deviates by more than rounding.

        Raises
        ------
        UsageError
            A matrix is left-handed or not orthonormal; the message shows the defect.

        Notes
        -----
        Nearest rotation by singular values: docs/formulas.md, section 12.
        """
        R = np.asarray(matrices, dtype=float)
        if faults := rotation_faults(R, tolerance):
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise UsageError(f"pose {faults[0].row}: {faults[0].message}{more}")
        return cls._of(translation, _nearest_rotations(R))

    @classmethod
    def linear_pattern(cls, n: int, pitch: ArrayLike) -> Poses:
        """Return n pieces in a row.

        Parameters
        ----------
        n : int
            Number of pieces.
        pitch : array, shape (3,), length
            Step from a piece to the next, axes of the parent.

        Returns
        -------
        Poses
            t = 0, pitch, 2 pitch, …; no rotation.
        """
        return cls(np.arange(n)[:, None] * _rows(pitch, 3, "pitch"), np.tile(np.eye(3), (n, 1, 1)))

    @classmethod
    def circular_pattern(
        cls, n: int, axis: ArrayLike, angle: float | None, unit: AngleUnit, point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Poses:
        """Return n pieces around an axis; each piece turns with its place.

        Parameters
        ----------
        n : int
            Number of pieces.
        axis : array, shape (3,)
            Direction of the axis in the parent.
        angle : float or None, ``unit``
            Angle from a piece to the next; None: a full turn divided by n.
        unit : {"deg", "rad"}
            Unit of the angle.
        point : array, shape (3,), length
            A point of the axis.

        Returns
        -------
        Poses
            Rotations by 0, angle, 2 angle, … about the axis.

        Raises
        ------
        UsageError
            The axis has the length 0, or the unit is unknown.
        """
        step = angle if angle is not None else (360.0 if unit == "deg" else 2 * np.pi) / n
        turn = cls.from_axis_angle(np.zeros((n, 3)), np.tile(_rows(axis, 3, "axis"), (n, 1)), np.arange(n) * step, unit)
        p = _rows(point, 3, "point")[0]
        return cls(p - turn.rotation @ p, turn.rotation)

    @classmethod
    def _of(cls, translation: ArrayLike, rotation: _Floats) -> Poses:
        """Return poses of one number of rows, or raise."""
        if len(t := _rows(translation, 3, "translation")) != len(rotation):
            raise UsageError(f"{len(t)} translations for {len(rotation)} rotations")
        return cls(t, np.ascontiguousarray(rotation))

    def __matmul__(self, other: Poses) -> Poses:
        """Return the poses of ``other``'s frames, given in the frames of ``self``, in the parents of ``self``."""
        t = self.translation + np.einsum("nij,nj->ni", self.rotation, other.translation)
        return Poses(t, self.rotation @ other.rotation)

    def inverse(self) -> Poses:
        """Return the poses of the parents in the own frames.

        Returns
        -------
        Poses
            Rᵀ and −Rᵀ t.
        """
        back = np.swapaxes(self.rotation, 1, 2)
        return Poses(-np.einsum("nij,nj->ni", back, self.translation), back)

    def in_root(self, parent: ArrayLike) -> Poses:
        """Compose the poses down a tree.

        Parameters
        ----------
        parent : array of int, shape (n,)
            Number of the parent of each item, in any order; −1 for a root.

        Returns
        -------
        Poses
            Pose of each item in the frame in which its root's pose is given.

        Raises
        ------
        UsageError
            The tree has a loop, or another number of items.

        Notes
        -----
        By doubling: after k steps each pose reaches over 2ᵏ ancestors, so a tree of depth d needs log₂ d steps over
        all items. docs/formulas.md, section 12.

        Examples
        --------
        >>> chain = Poses.from_rpy([[1.0, 0, 0]] * 4, [[0, 0, 90]] * 4, "deg").in_root([-1, 0, 1, 2])
        >>> chain.translation.tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return composed_poses(self, parent)[0]

    def of_numbers(self, parent: ArrayLike, frames: str | Sequence[str]) -> Poses:
        """Return the poses that move the numbers of each item into the frame of the root.

        Parameters
        ----------
        parent : array of int, shape (n,)
            Number of the parent of each item; −1 for a root.
        frames : str or sequence of n str
            Frame in which the numbers of each item are given: ``own``, ``parent`` or ``root``.

        Returns
        -------
        Poses
            ``own``: the composed pose of the item; ``parent``: that of its parent; ``root``: no change.

        Raises
        ------
        UsageError
            A frame is unknown, or the tree has a loop.

        Notes
        -----
        The numbers of a root in the frame ``parent`` are those of the frame in which its own pose is given.

        Examples
        --------
        >>> step = Poses.linear_pattern(2, [0.0, 0, 0])
        >>> chain = Poses(np.array([[1.0, 0, 0], [2.0, 0, 0]]), step.rotation)
        >>> [chain.of_numbers([-1, 0], frame).translation[1].tolist() for frame in ("own", "parent", "root")]
        [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        names = np.full(len(self), frames) if isinstance(frames, str) else np.asarray(list(frames))
        known = np.isin(names, ("own", "parent", "root"))
        if names.shape != (len(self),) or not known.all():
            wrong = repr(str(names[~known][0])) if not known.all() else f"{names.size} frames for {len(self)} items"
            raise UsageError(f"frame must be own, parent or root: {wrong}")
        composed, above = self.in_root(parent), np.asarray(parent, dtype=np.intp)
        still = (names == "root") | ((names == "parent") & (above < 0))
        place = np.where(names == "parent", above, np.arange(len(self)))
        t = np.where(still[:, None], 0.0, composed.translation[place])
        return Poses(t, np.where(still[:, None, None], np.eye(3), composed.rotation[place]))

    def points(self, own: ArrayLike) -> _Floats:
        """Return points of the own frames in the frames of the parents.

        Parameters
        ----------
        own : array, shape (n, 3), length
            A point of each own frame.

        Returns
        -------
        array, shape (n, 3), length
            R x + t.
        """
        return np.asarray(self.translation + np.einsum("nij,nj->ni", self.rotation, np.asarray(own, dtype=float)))

    def tensors(self, own: ArrayLike) -> _Floats:
        """Return tensors in the axes of the parents.

        Parameters
        ----------
        own : array, shape (n, 6), any unit
            Tensor entries in own axes, order xx yy zz xy xz yz.

        Returns
        -------
        array, shape (n, 6)
            R I Rᵀ, about the same reference points.
        """
        turned = self.rotation @ full_tensors(np.asarray(own, dtype=float)) @ np.swapaxes(self.rotation, 1, 2)
        return six_entries(turned)

    def bodies(self, own: Bodies) -> Bodies:
        """Return bodies in the frames of the parents; what is not known stays unknown.

        Parameters
        ----------
        own : Bodies
            n bodies, each in its own frame.

        Returns
        -------
        Bodies
            Centres R c + t and tensors R I Rᵀ about the own centres. A tensor without products that is rotated by
            anything but quarter turns is not known.
        """
        center = None if own.center is None else self.points(own.center)
        if center is not None and own.has_center is not None:
            center[~own.has_center] = 0.0
        inertia, has_inertia = own.inertia, own.has_inertia
        if inertia is not None:
            inertia = self.tensors(inertia)
            if own.has_products is not None:
                size = np.abs(self.rotation)
                lost = ~own.has_products & ~(np.minimum(size, np.abs(size - 1)) < _ROUNDING).all(axis=(1, 2))
                has_inertia = ~lost if has_inertia is None else has_inertia & ~lost
            if has_inertia is not None:
                inertia[~has_inertia] = 0.0
        return Bodies(
            own.mass, center, inertia, own.is_point, own.has_mass, own.has_center, has_inertia, own.has_products
        )

    def parameter_matrices(self) -> _Floats:
        """Return the matrices that turn ten values with the bodies.

        Returns
        -------
        array, shape (n, 10, 10), dimensionless
            M with p_parent = M p_own for (mass, three components of a vector, six tensor entries); a covariance becomes
            M V Mᵀ. Values and covariances refer to the same point before and after.

        Notes
        -----
        docs/formulas.md, section 12. The same matrix holds for (m, h, J) and for (m, c, I).

        Examples
        --------
        >>> half = Poses.from_rpy([[0.0, 0, 0]], [[0, 0, 180]], "deg").parameter_matrices()[0]
        >>> np.diag(half).tolist()
        [1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0]
        """
        return rotations.turn_matrices(self.rotation)

    def rpy(self, unit: AngleUnit) -> _Floats:
        """Return roll, pitch and yaw about the fixed axes of the parents.

        Parameters
        ----------
        unit : {"deg", "rad"}
            Unit of the angles.

        Returns
        -------
        array, shape (n, 3), ``unit``
            Pitch within ±90°; at ±90° the roll is 0.

        Raises
        ------
        UsageError
            The unit is unknown.
        """
        return np.asarray(rotations.roll_pitch_yaw_angles(self.rotation) / radians(np.ones(1), unit))

    def quaternions(self) -> _Floats:
        """Return unit quaternions.

        Returns
        -------
        array, shape (n, 4), dimensionless
            Order w x y z, w not negative.
        """
        return rotations.quaternions(self.rotation)


def axis_rotation(axis: str | ArrayLike) -> _Floats:
    """Return the rotation (3, 3) that moves own z to x, -x … or a vector (3,); UsageError: not known, or length 0."""
    # x and y: cyclic exchange (z → x → y → z, and back); others: the shortest rotation; a half turn is about x
    if isinstance(axis, str):
        if (name := axis.strip().lower().replace("−", "-").removeprefix("+")).removeprefix("-") not in _AXES:
            raise UsageError(f"axis must be x, y, z, -x, -y, -z or three numbers, not {axis!r}")
        R = np.roll(np.eye(3), {"x": 1, "y": 2, "z": 0}[name.removeprefix("-")], axis=0)
        return R @ np.diag([1.0, -1.0, -1.0]) if name.startswith("-") else R
    u = _rows(axis, 3, "axis")[0]
    if not (length := float(np.linalg.norm(u))) > 0:
        raise UsageError("axis has the length 0")
    x, y, z = (u / length).tolist()
    if not (square := x * x + y * y) and z < 0:
        return np.diag([1.0, -1.0, -1.0])
    share = 1 / (1 + z) if z > 0 else (1 - z) / square  # 1 + z cancels near −z
    return rotations.axis_rotations(rotations.cross_matrices(np.array([-y, x, 0.0])), 1.0, share)


def axis_matrices(axis: str | ArrayLike | Sequence[str], n: int) -> _Floats:
    """Return the matrix (10, 10) that turns ten values to an axis, or one for each of n bodies (n, 10, 10)."""
    if isinstance(axis, str):
        return rotations.turn_matrices(axis_rotation(axis))
    listed = list(axis) if isinstance(axis, Sequence) else list(np.asarray(axis))
    if len(listed) == 3 and not isinstance(listed[0], str) and np.ndim(listed[0]) == 0:
        return rotations.turn_matrices(axis_rotation(np.asarray(listed, dtype=float)))
    if len(listed) != n:
        raise UsageError(f"{len(listed)} axes for {n} bodies")
    keys = [one if isinstance(one, str) else tuple(np.asarray(one, dtype=float).tolist()) for one in listed]
    known = {key: rotations.turn_matrices(axis_rotation(key)) for key in dict.fromkeys(keys)}
    return np.stack([known[key] for key in keys])


def _nearest_rotations(R: _Floats) -> _Floats:
    """Return the rotations nearest to nearly orthonormal matrices; those exact to rounding as given."""
    if not (off := np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2)) > _ROUNDING).any():
        return R
    result = R.copy()
    u, _, v = np.linalg.svd(R[off])
    result[off] = u @ v
    return result


def _rows(values: ArrayLike, width: int, name: str) -> _Floats:
    """Return finite numbers as an array ``(n, width)``, or raise."""
    array = np.asarray(values, dtype=float)
    array = array[None] if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[1] != width:
        raise UsageError(f"{name} must have {width} numbers, not the shape {np.shape(values)}")
    if missing := np.flatnonzero(~np.isfinite(array).all(axis=1)).tolist():
        raise UsageError(f"{name} {missing[0]} has a missing number")
    return array


def radians(angles: _Floats, unit: str) -> _Floats:
    """Return angles (…, k) in radians, or raise."""
    if unit not in ("deg", "rad"):
        raise UsageError(f"unit of an angle must be deg or rad, not {unit!r}")
    return np.asarray(np.deg2rad(angles)) if unit == "deg" else angles


def composed_poses(poses: Poses, parent: ArrayLike) -> tuple[Poses, _Floats]:
    """Return ``poses.in_root(parent)``, and what rounding takes from its rotations and translations ``(n, 3, 4)``."""
    if (above := np.array(parent, dtype=np.intp)).shape != (len(poses),):
        raise UsageError(f"{len(poses)} poses for {above.size} items")
    t, R, rest = poses.translation.copy(), poses.rotation.copy(), np.zeros((len(poses), 3, 4))
    for _ in range(len(poses).bit_length() + 1):
        if not len(below := np.flatnonzero(above >= 0)):
            return Poses(t, R), rest
        up = above[below]
        outer, of_outer, own, of_own = Poses(t[up], R[up]), rest[up], R[below], rest[below]
        t[below], rest[below, :, 3] = points_with_rest(outer, t[below], of_outer, of_own[:, :, 3])
        outer, of_outer = Poses(np.zeros_like(outer.translation), outer.rotation), of_outer * [1.0, 1.0, 1.0, 0.0]
        for k in range(3):
            R[below, :, k], rest[below, :, k] = points_with_rest(outer, own[:, :, k], of_outer, of_own[:, :, k])
        above[below] = above[up]
    raise UsageError(f"the parents of item {int(np.flatnonzero(above >= 0)[0])} form a loop")


def points_with_rest(poses: Poses, own: _Floats, of_pose: _Floats, of_own: _Floats) -> tuple[_Floats, _Floats]:
    """Return R x + t (n, 3), and what rounding takes from it, with rests (n, 3, 4) of R and t and (n, 3) of x."""
    R, total = poses.rotation, poses.translation
    rest = of_pose[:, :, 3] + np.einsum("nij,nj->ni", of_pose[:, :, :3], own) + np.einsum("nij,nj->ni", R, of_own)
    with np.errstate(over="ignore", invalid="ignore"):  # MP407 reports numbers too large
        for j in range(3):  # error-free products and sums of Dekker
            a, b = R[:, :, j], own[:, j, None]
            product, (a1, a2), (b1, b2) = a * b, _halves(a), _halves(b)
            rest = rest + (((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
            added = total + product
            back = added - total
            total, rest = added, rest + ((total - (added - back)) + (product - back))
        rounded = total + rest
        rest = rest - (rounded - total)
    is_finite = np.isfinite(rest) & np.isfinite(rounded)
    return np.where(is_finite, rounded, total), np.where(is_finite, rest, 0.0)


def _halves(values: _Floats) -> tuple[_Floats, _Floats]:
    """Split numbers in two of 26 binary digits each, whose products are exact (Veltkamp)."""
    scaled = 134217729.0 * values  # 2²⁷ + 1
    high = scaled - (scaled - values)
    return high, values - high
