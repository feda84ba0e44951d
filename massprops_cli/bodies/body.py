"""One rigid body as a value: what it weighs, where its centre is, how it resists turning, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
from massprops_cli.findings import UsageError

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Body:
    """Mass properties of one body in one frame.

    ``mass``; ``center (3,)`` or None; ``inertia (3, 3)`` or None: tensor entries (Ixy = −∫xy dm) about the
    body's own centre, in the axes of the frame. None means not known. ``sigma_mass``, ``sigma_center (3,)``,
    ``sigma_inertia (3, 3)`` are one standard deviation or None. ``covariance (10, 10)`` is that of mass, Cx, Cy, Cz,
    Ixx, Iyy, Izz, Ixy, Ixz, Iyz in this order, or None where only the sigmas are known. ``units`` are those of mass,
    length and inertia, empty when not stated. ``placed_mass`` is the mass that centre and tensor are of where some of
    it has no place, else None.

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
        """Take body ``i`` out of arrays of bodies; ``covariance (10, 10)`` is its own.

        An unknown product or sigma among known ones is NaN.
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
        """Radii of gyration about the own centre, k_a = sqrt(I_aa / m), ``(3,)``; None where they are undefined."""
        mass = self.mass if self.placed_mass is None else self.placed_mass
        if self.inertia is None or self.is_point or not mass > 0:
            return None
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.inertia) / mass)

    def about(self, point: _Floats | list[float]) -> _Floats:
        """Return the tensor ``(3, 3)`` about another point: I + m Phi(c − P)."""
        if self.center is None or self.inertia is None:
            raise UsageError(f"{self.name or 'the body'} has no centre of mass or no inertia tensor to transfer")
        mass = self.mass if self.placed_mass is None else self.placed_mass
        return self.inertia + mass * full_tensors(phi(self.center - np.asarray(point, dtype=float)))

    @property
    def correlation(self) -> _Floats | None:
        """Correlations ``(10, 10)`` of the ten numbers; NaN where a variance is 0, None without a covariance.

        >>> Body(1.0, covariance=np.diag([4.0] * 10)).correlation[0, :2].tolist()
        [1.0, 0.0]
        """
        return None if self.covariance is None else correlation_matrices(self.covariance)

    def sigma_about(self, point: _Floats | list[float]) -> _Floats | None:
        """Return the first-order sigmas ``(3, 3)`` of the tensor about a fixed point; None if unknown.

        The variances are those of D C Dᵀ, C the covariance of the ten numbers and D the derivatives of I + m Phi(d),
        d = c − P. That is the tensor's block of T(P − c) V T(P − c)ᵀ
        (formulas.md, section 5). A body without covariance counts as
        one piece whose ten numbers are independent, as a child does in SAWE 3360.

        >>> ball = Body(2.0, np.zeros(3), np.eye(3), 0.1, np.full(3, 0.2), np.zeros((3, 3)))
        >>> bool(np.isclose(ball.sigma_about([3.0, 0, 0])[1, 1] ** 2, (9 * 0.1) ** 2 + (2 * 2 * 3 * 0.2) ** 2))
        True
        """
        if self.center is None or self.sigma_mass is None or self.sigma_center is None or self.sigma_inertia is None:
            return None
        if self.placed_mass is not None:
            return None
        derivatives = parallel_axis_derivatives(self.mass, self.center - np.asarray(point, dtype=float))
        if self.covariance is None:
            sigmas = np.concatenate([[self.sigma_mass], self.sigma_center, six_entries(self.sigma_inertia)])
            variance = ((derivatives * sigmas) ** 2).sum(axis=1)
        else:
            variance = np.einsum("ik,kl,il->i", derivatives, self.covariance, derivatives)
        return full_tensors(np.sqrt(np.maximum(variance, 0.0)))

    def principal_sigmas(self) -> PrincipalSigmas | None:
        """Return the sigmas ``(3,)`` of the principal moments, and ``(2,)`` of their differences, to first order.

        Without covariance the six entries count as independent. None where the sigmas are not known.

        >>> inertia, sigma = np.diag([1.0, 2.0, 3.0]), np.diag([0.1, 0.2, 0.3])
        >>> Body(1.0, inertia=inertia, sigma_inertia=sigma).principal_sigmas().sigmas
        array([0.1, 0.2, 0.3])
        """
        if self.inertia is None or self.sigma_inertia is None or not np.isfinite(self.inertia).all():
            return None
        block = np.diag(six_entries(self.sigma_inertia) ** 2) if self.covariance is None else self.covariance[4:, 4:]
        return principal_sigmas(self.principal().axes, block)

    def rotated(self, rotation: _Floats) -> Body:
        """Return the same body in rotated axes: c' = R c, I' = R I Rᵀ; sigmas are left out, their axes would mix."""
        r = np.asarray(rotation, dtype=float)
        if r.shape != (3, 3) or not np.allclose(r @ r.T, np.eye(3), atol=1e-9) or np.linalg.det(r) < 0:
            raise UsageError("rotation must be a 3×3 matrix with R Rᵀ = 1 and determinant +1")
        center = None if self.center is None else r @ self.center
        inertia = None if self.inertia is None else r @ self.inertia @ r.T
        return Body(self.mass, center, inertia, is_point=self.is_point, name=self.name, units=self.units)

    def __add__(self, other: Body) -> Body:
        """Join two bodies of one frame and one unit system, about their common centre (parallel-axis theorem).

        Sigmas are left out: the roll-up carries them.

        >>> a, b = Body(1.0, np.zeros(3), np.zeros((3, 3))), Body(3.0, np.array([4.0, 0, 0]), np.zeros((3, 3)))
        >>> (a + b).center.tolist()
        [3.0, 0.0, 0.0]
        """
        if self.units != other.units:
            raise UsageError(f"{self.name or 'a body'} in {self.units} and {other.name or 'a body'} in {other.units}")
        mass, name = self.mass + other.mass, " + ".join(part for part in (self.name, other.name) if part)
        if self.center is None or other.center is None or mass == 0:
            return Body(mass, name=name, units=self.units)
        center = (self.mass * self.center + other.mass * other.center) / mass
        inertia = None
        if self.inertia is not None and other.inertia is not None:
            inertia = self.about(center) + other.about(center)
        return Body(mass, center, inertia, name=name, units=self.units)

    def principal(self) -> PrincipalAxes:
        """Return the principal moments ``(3,)``, ascending, and axes ``(3, 3)``, one a row, about the own centre."""
        if self.inertia is None or not np.isfinite(self.inertia).all():
            raise UsageError(f"{self.name or 'the body'} has no {'tensor' if self.inertia is None else 'products'}")
        moments, axes = principal_axes(six_entries(self.inertia)[None])
        return PrincipalAxes(moments[0], axes[0])

    def __repr__(self) -> str:
        """Print the numbers as an engineer writes them down, with their sigmas."""
        mass_unit, length_unit, inertia_unit = (f" {u}" if u else "" for u in self.units)
        lines = [f"{self.name or 'body'}: {'point mass' if self.is_point else 'rigid body'}"]
        lines.append(f"  mass     {_number_text(self.mass, self.sigma_mass)}{mass_unit}")
        if self.center is not None:
            sigma = [None] * 3 if self.sigma_center is None else self.sigma_center.tolist()
            values = "  ".join(_number_text(c, s) for c, s in zip(self.center.tolist(), sigma, strict=True))
            lines.append(f"  centre   {values}{length_unit}")
        if self.inertia is not None and not self.is_point:
            values6 = six_entries(self.inertia).tolist()
            sigma6 = [None] * 6 if self.sigma_inertia is None else six_entries(self.sigma_inertia).tolist()
            named = [f"I{e} {_number_text(v, s)}" for e, v, s in zip(TENSOR_ENTRIES, values6, sigma6, strict=True)]
            lines.append(f"  inertia  {'  '.join(named[:3])}{inertia_unit}")
            lines.append(f"           {'  '.join(named[3:])}  (about its own centre; Ixy = −∫xy dm)")
        return "\n".join(lines)


def _body_sigmas(array: _Floats | None, i: int, known: NDArray[np.bool_]) -> _Floats | None:
    """Return the sigmas of one body, NaN where they are not known; None where none is."""
    return None if array is None or not known.any() else np.where(known, array[i], np.nan)


def _is_unknown(known: NDArray[np.bool_] | None, i: int) -> bool:
    return known is not None and not known[i]


def _number_text(value: float, sigma: float | None) -> str:
    return f"{value:.6g}" if sigma is None else f"{value:.6g} ± {sigma:.2g}"
