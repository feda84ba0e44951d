"""One rigid body: mass, centre of mass, tensor of inertia and their uncertainties."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli._front import room_function
from massprops_cli.bodies.bodies import (
    TENSOR_ENTRIES,
    Bodies,
    PrincipalAxes,
    PrincipalSigmas,
    Sigmas,
    correlation_matrices,
    full_tensors,
    parallel_axis_derivatives,
    phi,
    principal_axes,
    principal_sigmas,
    six_entries,
)
from massprops_cli.bodies.body_array import BodyArray, TensorFactor
from massprops_cli.bodies.poses import Poses, rotation_faults
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.findings.finding import UsageError, checked_array, checked_type, checked_vector

_Floats = NDArray[np.float64]
_CENTER = ("Cx", "Cy", "Cz")


@dataclass(frozen=True, eq=False)
class Body:
    """Mass properties of one body in one frame; None means not known.

    Attributes
    ----------
    mass : float, mass
        Mass; NaN if not known.
    center : array, shape (3,), length, or None
        Centre of mass from the origin of the table.
    inertia : array, shape (3, 3), mass × length², or None
        Tensor entries (Ixy = −∫xy dm) about the own centre, axes of the table.
    sigma_mass : float, mass, or None
        One standard deviation of the mass.
    sigma_center : array, shape (3,), length, or None
        One standard deviation of each coordinate.
    sigma_inertia : array, shape (3, 3), mass × length², or None
        One standard deviation of each tensor entry.
    is_point : bool
        True for a point mass.
    name : str
        Name in messages.
    units : tuple of str
        Units of mass, length and inertia; empty if not stated.
    covariance : array, shape (10, 10), or None
        Covariance of mass, Cx, Cy, Cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz in this order; None if only the sigmas are known.
    placed_mass : float, mass, or None
        Mass to which centre and tensor apply, if some of the mass has no known place.
    lower_bounds : tuple of str
        ``mass`` and ``moments``, as far as missing values can only increase them; printed with ``≥``.
    coverage : str
        Of how many leaves the values of an assembly are, in words; empty if they are of all.

    Examples
    --------
    >>> rod = Body(2.0, np.zeros(3), np.diag([0.0, 6.0, 6.0]))
    >>> rod.about([1.0, 0.0, 0.0]).tolist()
    [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]]
    """

    mass: float
    center: _Floats | None = None
    inertia: _Floats | None = None
    sigma_mass: float | None = None
    sigma_center: _Floats | None = None
    sigma_inertia: _Floats | None = None
    is_point: bool = False
    name: str = ""
    units: tuple[str, str, str] = field(default=("", "", ""))
    covariance: _Floats | None = None
    placed_mass: float | None = None
    lower_bounds: tuple[str, ...] = ()
    coverage: str = ""

    @classmethod
    def of(
        cls,
        bodies: Bodies,
        i: int,
        sigmas: Sigmas | None = None,
        *,
        name: str = "",
        units: tuple[str, str, str] = ("", "", ""),
        covariance: _Floats | None = None,
        placed_mass: float | None = None,
    ) -> Body:
        """Return one of several bodies; an unknown product or sigma among known ones is NaN.

        Parameters
        ----------
        bodies : Bodies
            n bodies.
        i : int
            Number of the body.
        sigmas : Sigmas, optional
            Sigmas of the n bodies.
        name : str, optional
            Name in messages.
        units : tuple of str, optional
            Units of mass, length and inertia.
        covariance : array, shape (10, 10), optional
            Covariance of the body's ten values, in the order of ``Body.covariance``.
        placed_mass : float, mass, optional
            Mass to which centre and tensor apply.

        Returns
        -------
        Body
            The body.
        """
        center = None if bodies.center is None or _is_unknown(bodies.has_center, i) else bodies.center[i].copy()
        inertia = (
            None if bodies.inertia is None or _is_unknown(bodies.has_inertia, i) else full_tensors(bodies.inertia[i])
        )
        if inertia is not None and _is_unknown(bodies.has_products, i):
            inertia = np.where(np.eye(3, dtype=bool), inertia, np.nan)
        s_mass = s_center = s_inertia = None
        if sigmas is not None:
            known = np.ones(10, bool) if sigmas.known is None else sigmas.known[i]
            s_mass = float(sigmas.mass[i]) if known[0] else None
            s_center = None if center is None else _body_sigmas(sigmas.center, i, known[1:4])
            of_tensor = None if inertia is None else _body_sigmas(sigmas.inertia, i, known[4:])
            s_inertia = None if of_tensor is None else full_tensors(of_tensor)
        mass = float("nan") if _is_unknown(bodies.has_mass, i) else float(bodies.mass[i])
        point = bool(bodies.is_point[i])
        return cls(mass, center, inertia, s_mass, s_center, s_inertia, point, name, units, covariance, placed_mass)

    @property
    def radii(self) -> _Floats | None:
        """Radii of gyration ``(3,)``, length, about the own centre, k_a = √(I_aa / m); None where undefined."""
        mass = self.mass if self.placed_mass is None else self.placed_mass
        if self.inertia is None or self.is_point or not mass > 0:
            return None
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.inertia) / mass)

    def about(self, point: _Floats | list[float]) -> _Floats:
        """Return the tensor of inertia about another point P, I + m Φ(c − P).

        Parameters
        ----------
        point : array or list of float, shape (3,), length
            P, from the origin of the table.

        Returns
        -------
        array, shape (3, 3), mass × length²
            Tensor entries about P, axes of the table.

        Raises
        ------
        UsageError
            The body has no centre or no tensor.

        Notes
        -----
        Parallel-axis theorem: docs/formulas.md, section 2.
        """
        if self.center is None or self.inertia is None:
            raise UsageError(f"{self.name or 'the body'} has no centre of mass or no inertia tensor to transfer")
        mass = self.mass if self.placed_mass is None else self.placed_mass
        return self.inertia + mass * full_tensors(phi(self.center - checked_vector("point", point)))

    @property
    def correlation(self) -> _Floats | None:
        """Correlations ``(10, 10)`` of the ten values; NaN where a variance is 0, None without a covariance.

        Examples
        --------
        >>> Body(1.0, covariance=np.diag([4.0] * 10)).correlation[0, :2].tolist()
        [1.0, 0.0]
        """
        return None if self.covariance is None else correlation_matrices(self.covariance)

    def sigma_about(self, point: _Floats | list[float]) -> _Floats | None:
        """Return the first-order sigmas of the tensor of inertia about a fixed point P.

        Parameters
        ----------
        point : array or list of float, shape (3,), length
            P, from the origin of the table.

        Returns
        -------
        array, shape (3, 3), mass × length², or None
            Sigma of each tensor entry about P, axes of the table; None if not known.

        Notes
        -----
        The tensor's block of T(P − c) V T(P − c)ᵀ: docs/formulas.md, section 5. It is computed as D C Dᵀ with the
        covariance C of the ten values and the derivatives D of I + m Φ(c − P). Without a covariance the ten values are
        independent, as those of a child in section 3.

        Examples
        --------
        >>> ball = Body(2.0, np.zeros(3), np.eye(3), 0.1, np.full(3, 0.2), np.zeros((3, 3)))
        >>> bool(np.isclose(ball.sigma_about([3.0, 0, 0])[1, 1] ** 2, (9 * 0.1) ** 2 + (2 * 2 * 3 * 0.2) ** 2))
        True
        """
        if self.center is None or self.placed_mass is not None or (sigmas := self._sigmas()) is None:
            return None
        derivatives = parallel_axis_derivatives(self.mass, self.center - checked_vector("point", point))
        if self.covariance is None:
            variance = ((derivatives * sigmas) ** 2).sum(axis=1)
        else:
            variance = np.einsum("ik,kl,il->i", derivatives, self.covariance, derivatives)
        return full_tensors(np.sqrt(np.maximum(variance, 0.0)))

    def principal_sigmas(self) -> PrincipalSigmas | None:
        """Return the first-order sigmas of the principal moments.

        Returns
        -------
        PrincipalSigmas or None
            Sigmas (3,) of the moments and (2,) of the differences between neighbours, mass × length²; None if not
            known.

        Notes
        -----
        docs/formulas.md, section 5. Without a covariance the six tensor entries are independent.

        Examples
        --------
        >>> inertia, sigma = np.diag([1.0, 2.0, 3.0]), np.diag([0.1, 0.2, 0.3])
        >>> Body(1.0, inertia=inertia, sigma_inertia=sigma).principal_sigmas().sigmas
        array([0.1, 0.2, 0.3])
        """
        if self.inertia is None or self.sigma_inertia is None or not np.isfinite(self.inertia).all():
            return None
        block = np.diag(six_entries(self.sigma_inertia) ** 2) if self.covariance is None else self.covariance[4:, 4:]
        return principal_sigmas(self.principal().axes, block)

    def rotated(self, rotation: ArrayLike) -> Body:
        """Return the body rotated about the origin, c' = R c and I' = R I Rᵀ.

        Parameters
        ----------
        rotation : array, shape (3, 3), dimensionless
            Rotation matrix R.

        Returns
        -------
        Body
            Centre and tensor after the rotation; likewise those of the unmoved body in axes that are the rows of R.

        Raises
        ------
        UsageError
            R is not a rotation matrix; the message shows the defect.

        Notes
        -----
        docs/formulas.md, sections 2 and 12. Rotation mixes the axes, so that independent sigmas become a covariance.
        """
        if (R := checked_array("rotation", rotation).astype(float)).shape != (3, 3):
            raise UsageError(f"rotation must be a 3×3 matrix, not {R.shape}")
        if faults := rotation_faults(R[None]):
            raise UsageError(faults[0].message)
        return self._turned(R)

    def mirrored(self, axis: Literal["x", "y", "z"]) -> Body:
        """Return the body mirrored at a plane through the origin.

        Parameters
        ----------
        axis : {"x", "y", "z"}
            The coordinate that changes its sign.

        Returns
        -------
        Body
            The mirrored body, with its sigmas.

        Raises
        ------
        UsageError
            The axis is unknown.
        """
        if axis not in ("x", "y", "z"):
            raise UsageError(f"axis of a mirror must be x, y or z, not {axis!r}")
        return self._turned(np.diag([-1.0 if name == axis else 1.0 for name in "xyz"]))

    def _turned(self, R: _Floats) -> Body:
        """Return the body under an orthonormal matrix, with its uncertainty."""
        M = turn_matrices(R)
        center = None if self.center is None else R @ self.center
        inertia = None if self.inertia is None else R @ self.inertia @ R.T
        covariance = self._full_covariance()
        moved = replace(self, center=center, inertia=inertia)
        return moved.with_covariance(None if covariance is None else M @ covariance @ M.T)

    def translated(self, translation: ArrayLike) -> Body:
        """Return the body moved without rotation.

        Parameters
        ----------
        translation : array, shape (3,), length
            Shift, axes of the table.

        Returns
        -------
        Body
            c' = c + t; the tensor about the own centre and all sigmas are the same.
        """
        shift = checked_vector("translation", translation)
        return self if self.center is None else replace(self, center=self.center + shift)

    def transformed(self, pose: Poses) -> Body:
        """Return the body in the frame in which its frame is posed.

        Parameters
        ----------
        pose : Poses
            One pose.

        Returns
        -------
        Body
            c' = R c + t, I' = R I Rᵀ, with its uncertainty.

        Raises
        ------
        UsageError
            There is more than one pose.
        """
        if len(checked_type("pose", pose, Poses)) != 1:
            raise UsageError(f"{len(pose)} poses for one body")
        return self._turned(pose.rotation[0]).translated(pose.translation[0])

    def merged(self, other: Body, pose: Poses | None = None) -> Body:
        """Return the body with another one fixed to it.

        Parameters
        ----------
        other : Body
            The other body.
        pose : Poses, optional
            Pose of the other body's frame in this frame; default: the same frame.

        Returns
        -------
        Body
            The sum of both, as ``+``.
        """
        other = checked_type("other", other, Body)
        return self + (other if pose is None else other.transformed(pose))

    def __add__(self, other: Body) -> Body:
        """Return two independent bodies of one frame and unit system as one; docs/formulas.md, sections 2 and 5."""
        return self._joined(other, 1.0) if isinstance(other, Body) else NotImplemented

    def __sub__(self, other: Body) -> Body:
        """Return the body with an independent one cut out; docs/formulas.md, sections 2 and 8."""
        if not isinstance(other, Body):
            return NotImplemented
        if all(b.center is not None and b.inertia is not None and np.isfinite(b.inertia).all() for b in (self, other)):
            _ = self._array() - other._array()
        elif not self.mass > other.mass:
            raise UsageError(f"cut-out is not lighter than its body: mass left {self.mass - other.mass:.6g}")
        return self._joined(other, -1.0)

    def _joined(self, other: Body, sign: float) -> Body:
        """Return the sum or difference of two bodies, with their uncertainty."""
        if self.units != other.units:
            raise UsageError(f"{self.name or 'a body'} in {self.units} and {other.name or 'a body'} in {other.units}")
        name = (" + " if sign > 0 else " - ").join(part for part in (self.name, other.name) if part)
        mass = self.mass + sign * other.mass
        if self.center is None or other.center is None or mass == 0:
            return Body(mass, name=name, units=self.units)
        if self.inertia is None or other.inertia is None:
            center = (self.mass * self.center + sign * other.mass * other.center) / mass
            return Body(mass, center, name=name, units=self.units)
        one, two = (
            BodyArray.of(b.mass if b.placed_mass is None else b.placed_mass, b.center, six_entries(b.inertia))
            for b in (self, other)
            if b.center is not None and b.inertia is not None
        )
        both = one + BodyArray(sign * two.mass, two.center, sign * two.inertia)
        joined = Body(mass, both.center[0], full_tensors(both.inertia[0]), name=name, units=self.units)
        return joined.with_covariance(self._joined_covariance(other, joined))

    def _joined_covariance(self, other: Body, joined: Body) -> _Floats | None:
        """Return the first-order covariance of a sum or difference of independent bodies; None if not known."""
        V = np.zeros((10, 10))
        assert joined.center is not None
        for body in (self, other):
            if (covariance := body._full_covariance()) is None or body.center is None:
                return None
            arm = body.center - joined.center
            B = np.zeros((10, 10))
            B[0, 0] = 1.0
            B[1:4, 0], B[1:4, 1:4] = arm, body.mass * np.eye(3)
            B[4:] = parallel_axis_derivatives(body.mass, arm)
            V += B @ covariance @ B.T
        # at the common centre the first moment is 0: c = h/m, and I = J to first order
        scale = np.ones(10)
        scale[1:4] = 1 / joined.mass
        return V * scale[:, None] * scale

    def _full_covariance(self) -> _Floats | None:
        """Return the covariance ``(10, 10)`` of the ten values, from the sigmas if they are all that is known."""
        if self.covariance is not None:
            return self.covariance
        return None if (sigmas := self._sigmas()) is None else np.diag(sigmas**2)

    def _sigmas(self) -> _Floats | None:
        """Return the sigmas ``(10,)`` of the ten values, if all are known."""
        if self.sigma_mass is None or self.sigma_center is None or self.sigma_inertia is None:
            return None
        return np.concatenate([[self.sigma_mass], self.sigma_center, six_entries(self.sigma_inertia)])

    def with_covariance(self, covariance: _Floats | None) -> Body:
        """Return the body with a covariance and the sigmas that follow from it.

        Parameters
        ----------
        covariance : array, shape (10, 10), or None
            Covariance of (m, Cx, Cy, Cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz); None: only the sigma of the mass is kept.

        Returns
        -------
        Body
            The same body.
        """
        if covariance is None:
            return replace(self, sigma_center=None, sigma_inertia=None, covariance=None)
        sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        return replace(
            self,
            sigma_mass=float(sigma[0]),
            sigma_center=sigma[1:4],
            sigma_inertia=full_tensors(sigma[4:]),
            covariance=covariance,
        )

    def _array(self) -> BodyArray:
        """Return the body as an array of one, or raise."""
        if self.center is None or self.inertia is None or not np.isfinite(self.inertia).all():
            raise UsageError(f"{self.name or 'the body'} has no centre of mass or no inertia tensor")
        mass = self.mass if self.placed_mass is None else self.placed_mass
        return BodyArray.of(mass, self.center, six_entries(self.inertia))

    def spatial(self, point: ArrayLike = (0.0, 0.0, 0.0)) -> _Floats:
        """Return the 6×6 spatial inertia about a point.

        Parameters
        ----------
        point : array, shape (3,), length
            Reference point P from the origin of the table.

        Returns
        -------
        array, shape (6, 6)
            [[m 1, −[h]ₓ], [[h]ₓ, J]], linear velocities first; h = m (c − P), J about P, axes of the table.

        Raises
        ------
        UsageError
            The body has no centre or no tensor.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        return np.asarray(self._array().spatial(point)[0])

    def parameters(self, point: ArrayLike = (0.0, 0.0, 0.0)) -> _Floats:
        """Return ten numbers that add up over bodies.

        Parameters
        ----------
        point : array, shape (3,), length
            Reference point P from the origin of the table.

        Returns
        -------
        array, shape (10,)
            (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), h = m (c − P), J about P (tensor entries).

        Raises
        ------
        UsageError
            The body has no centre or no tensor.

        Notes
        -----
        docs/formulas.md, section 5.

        Examples
        --------
        >>> ball = Body(2.0, np.array([3.0, 0, 0]), np.eye(3))
        >>> back = Body.from_parameters(ball.parameters([1.0, 2, 3]), [1.0, 2, 3])
        >>> back.center.tolist(), back.inertia.diagonal().tolist()
        ([3.0, 0.0, 0.0], [1.0, 1.0, 1.0])
        """
        return np.asarray(self._array().parameters(point)[0])

    @classmethod
    def from_parameters(cls, parameters: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0), *, name: str = "") -> Body:
        """Return a body from ten numbers; the inverse of ``parameters``.

        Parameters
        ----------
        parameters : array, shape (10,)
            (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) about ``point``.
        point : array, shape (3,), length
            Reference point from the origin of the table.
        name : str, optional
            Name in messages.

        Returns
        -------
        Body
            The body, without sigmas.

        Raises
        ------
        UsageError
            There are not ten numbers, or the mass is 0.
        """
        one = BodyArray.from_parameters(checked_array("parameters", parameters).astype(float)[None], point)
        return cls(float(one.mass[0]), one.center[0], full_tensors(one.inertia[0]), name=name)

    def factor(self, size: float = 0.0) -> TensorFactor:
        """Return a square root of the tensor about the own centre, and its rank.

        Parameters
        ----------
        size : float, length
            Radius of gyration that counts as 0; default: only the tolerance counts.

        Returns
        -------
        TensorFactor
            L (3, 3) with L Lᵀ = I, and the rank: 3, 2 for a thin rod, 0 for a point.

        Raises
        ------
        UsageError
            The body has no tensor, or one with a negative principal moment.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        factor, rank = self._array().factor(size)
        return TensorFactor(factor[0], rank[0])

    @property
    def dimension(self) -> int:
        """In how many dimensions the mass extends: 3 a body, 2 a thin plate, 1 a thin rod, 0 a point."""
        return int(self._array().dimensions()[0])

    def principal(self) -> PrincipalAxes:
        """Return the principal moments and axes about the own centre.

        Returns
        -------
        PrincipalAxes
            Moments (3,), mass × length², ascending; unit axes (3, 3), one a row, in the axes of the table.

        Raises
        ------
        UsageError
            The body has no tensor, or products without a sign convention.

        Notes
        -----
        Eigenvalues and eigenvectors of the tensor: docs/formulas.md, section 2.
        """
        if self.inertia is None or not np.isfinite(self.inertia).all():
            raise UsageError(f"{self.name or 'the body'} has no {'tensor' if self.inertia is None else 'products'}")
        moments, axes = principal_axes(six_entries(self.inertia)[None])
        return PrincipalAxes(moments[0], axes[0])

    def __repr__(self) -> str:
        """Return the values with their sigmas and units as text."""
        mass_unit, length_unit, inertia_unit = (f" {u}" if u else "" for u in self.units)
        texts = {name: text or "-" for name, text in printed_values(self).items()}
        lines = [f"{self.name or 'body'}: {'point mass' if self.is_point else 'rigid body'}"]
        lines.append(f"  mass     {texts['mass']}{mass_unit}")
        if self.center is not None:
            lines.append(f"  centre   {'  '.join(texts[name] for name in _CENTER)}{length_unit}")
        if self.inertia is not None and not self.is_point:
            named = [f"I{e} {texts[f'I{e}']}" for e in TENSOR_ENTRIES]
            lines.append(f"  inertia  {'  '.join(named[:3])}{inertia_unit}")
            lines.append(f"           {'  '.join(named[3:])}  (about its own centre; Ixy = −∫xy dm)")
        return "\n".join([*lines, *([f"  coverage {self.coverage}"] if self.coverage else [])])


def printed_values(body: Body) -> dict[str, str]:
    """Return mass, centre and entries of the tensor as reports print them, by name; empty if unknown."""
    write = room_function("massprops_cli.reports.summary", "printed_number")
    texts = {"mass": write(body.mass, body.sigma_mass, is_bound="mass" in body.lower_bounds)}
    sets: list[tuple[tuple[str, ...], _Floats, _Floats | None, list[float], bool]] = []
    if body.center is not None:
        radii = [] if body.radii is None else body.radii.tolist()
        sets.append((_CENTER, body.center, body.sigma_center, [*body.center.tolist(), *radii], False))
    if body.inertia is not None:
        six, names = six_entries(body.inertia), tuple(f"I{entry}" for entry in TENSOR_ENTRIES)
        sigmas = None if body.sigma_inertia is None else six_entries(body.sigma_inertia)
        sets.append((names, six, sigmas, six.tolist(), "moments" in body.lower_bounds))
    for names, values, sigmas, scale, is_bound in sets:
        size = max((abs(value) for value in scale if value == value), default=0.0)  # noqa: PLR0124 - not NaN
        for k, name in enumerate(names):
            sigma = None if sigmas is None else float(sigmas[k])
            texts[name] = write(float(values[k]), sigma, size, is_bound=is_bound and k < 3)
    return texts


def _body_sigmas(array: _Floats | None, i: int, known: NDArray[np.bool_]) -> _Floats | None:
    """Return the sigmas of one body, NaN where not known; None if none is known."""
    return None if array is None or not known.any() else np.where(known, array[i], np.nan)


def _is_unknown(known: NDArray[np.bool_] | None, i: int) -> bool:
    """Return whether a mask ``(n,)`` marks one body as unknown; without a mask all are known."""
    return known is not None and not known[i]
