"""Bodies from shapes: mass, centre, tensor about the own centre, and their derivatives by every dimension.

Hollow bodies are the outer shape without the cavity. Derivatives are computed by a complex step, which has no
difference to cancel: they are exact to rounding (docs/formulas.md, section 12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.bodies import computed_body_faults, full_tensors
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import axis_matrices
from massprops_cli.bodies.solid_shapes import Moments, Shape, find_shape, widest_shell
from massprops_cli.findings.finding import UsageError, checked_array, nearest_name_hint

_Floats = NDArray[np.float64]
_STEP = 1e-20  # imaginary step as a share of the largest dimension: its square is lost in rounding
_SYNONYMS = {
    "d": ("r", 0.5), "diameter": ("r", 0.5), "d1": ("r1", 0.5), "d2": ("r2", 0.5), "di": ("ri", 0.5),
    "radius": ("r", 1.0), "sides": ("n", 1.0), "thickness": ("t", 1.0),
    "l": ("L", 1.0), "length": ("L", 1.0), "h": ("L", 1.0), "H": ("L", 1.0), "height": ("L", 1.0),
    "x": ("a", 1.0), "y": ("b", 1.0), "z": ("c", 1.0),
}  # fmt: skip
"""Other names of dimensions, with the factor to the dimension of the table."""
_Amounts = tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None]


class _SolidFault(NamedTuple):
    """A value with which a solid cannot exist."""

    row: int  # number of the body
    name: str  # the dimension, or wall, density, mass
    message: str  # with the value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Solids:
    """n bodies of one shape, each in its own frame.

    Attributes
    ----------
    shape : Shape
        Entry of the table.
    bodies : BodyArray
        Mass, centre and tensor about the own centre; the origin and the axes are those of the shape, turned to
        ``axis``.
    volume : array, shape (n,), length³
        Volume of the material; NaN for a thin shape without a thickness.
    derivatives : mapping of str to array, shape (n, 10)
        Derivatives of (m, Cx, Cy, Cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz) by each dimension under the name given, and by
        ``wall``, ``density`` or ``mass``.
    """

    shape: Shape
    bodies: BodyArray
    volume: _Floats
    derivatives: Mapping[str, _Floats]

    def deviations(self, name: str, sigma: ArrayLike) -> _Floats:
        """Return the deviations of the ten values for one sigma of one input.

        Parameters
        ----------
        name : str
            A dimension, ``wall``, ``density`` or ``mass``.
        sigma : float or array, shape (n,)
            One standard deviation, in the unit of the input.

        Returns
        -------
        array, shape (n, 10)
            Deviations of (m, Cx … Cz, Ixx … Iyz). Bodies that share the input, such as the density of one lot, share
            them: their deviations are added before they are squared.

        Raises
        ------
        UsageError
            The solids have no such input, or a sigma is negative.

        Notes
        -----
        docs/formulas.md, sections 6 and 12.
        """
        if name not in self.derivatives:
            raise UsageError(f"{self.shape.name} has no input {name!r}{nearest_name_hint(name, [*self.derivatives])}")
        size = np.broadcast_to(np.asarray(sigma, dtype=float), (len(self.bodies),))
        if not (size >= 0).all():
            raise UsageError(f"sigma of {name} is negative or missing")
        return np.asarray(self.derivatives[name] * size[:, None])

    def covariances(self, sigmas: Mapping[str, ArrayLike]) -> _Floats:
        """Return the first-order covariances of the ten values for independent inputs.

        Parameters
        ----------
        sigmas : mapping of str to float or array, shape (n,)
            One standard deviation by dimension, ``wall``, ``density`` or ``mass``; those not named are exact.

        Returns
        -------
        array, shape (n, 10, 10)
            Covariances of (m, Cx, Cy, Cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz).

        Raises
        ------
        UsageError
            The solids have no such input, or a sigma is negative.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        V = np.zeros((len(self.bodies), 10, 10))
        for name, sigma in sigmas.items():
            column = self.deviations(name, sigma)
            V += column[:, :, None] * column[:, None, :]
        return V

    def body(self, k: int, sigmas: Mapping[str, ArrayLike] | None = None, *, name: str = "") -> Body:
        """Return one of the solids as a body.

        Parameters
        ----------
        k : int
            Number of the solid.
        sigmas : mapping of str to float or array, shape (n,), optional
            One standard deviation by input; without them the body has no sigmas.
        name : str, optional
            Name in messages.

        Returns
        -------
        Body
            The body in its own frame.

        Raises
        ------
        UsageError
            The solids have no such input, or a sigma is negative.
        """
        one = self.bodies[k]
        body = Body(float(one.mass[0]), one.center[0], full_tensors(one.inertia[0]), name=name)
        return body if sigmas is None else body.with_covariance(self.covariances(sigmas)[k])


def solid_faults(
    shape: str,
    dims: Mapping[str, ArrayLike],
    *,
    density: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    wall: ArrayLike | None = None,
) -> list[_SolidFault]:
    """Find the values with which a solid cannot exist.

    Parameters
    ----------
    shape : str
        Name of the shape.
    dims : mapping of str to array, shape (n,), length
        Dimensions by name.
    density, mass, wall : array, shape (n,), optional
        As in ``solids``.

    Returns
    -------
    list of _SolidFault
        Dimensions that are missing, negative or 0, inner surfaces outside outer ones, walls that leave no cavity or
        that the shape does not define, densities and masses that are negative or 0.

    Raises
    ------
    UsageError
        The shape or a dimension is not known, or one is not given.

    Notes
    -----
    The table of shapes: docs/shapes.md.

    Examples
    --------
    >>> [fault.message for fault in solid_faults("tube", {"r": [2.0], "ri": [3.0], "L": [1.0]}, density=[1.0])]
    ['inner radius 3 of the tube is not smaller than the outer radius 2']
    """
    return _Inputs(find_shape(shape), dims, density, mass, wall).faults()


def solids(
    shape: str,
    dims: Mapping[str, ArrayLike],
    *,
    density: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    wall: ArrayLike | None = None,
    axis: str | ArrayLike | Sequence[str] = "z",
) -> Solids:
    """Return homogeneous bodies of one shape, with the derivatives of their ten values.

    Parameters
    ----------
    shape : str
        Name of the shape, such as ``cylinder``.
    dims : mapping of str to array, shape (n,), length
        Dimensions by name, in one unit of length; a diameter ``d`` replaces a radius ``r``.
    density : array, shape (n,), mass / length³, optional
        Density; not used where a mass is given.
    mass : array, shape (n,), mass, optional
        Mass of the body, without its cavity.
    wall : array, shape (n,), length, optional
        Wall thickness: of a hollow body with a closed cavity, of a tube, or of a thin shape.
    axis : str, array, shape (3,) or (n, 3), or sequence of n str, optional
        Direction of the shape's own z: ``x``, ``y``, ``z``, ``-x``, ``-y`` or ``-z``, or vectors.

    Returns
    -------
    Solids
        Bodies with the origin that the table of shapes states, volumes, derivatives.

    Raises
    ------
    UsageError
        The shape or a dimension is unknown, or no body can have these values.

    Notes
    -----
    Closed forms: docs/shapes.md. Derivatives by a complex step: docs/formulas.md, section 12.

    Examples
    --------
    >>> bar = solids("cylinder", {"d": 0.1, "L": 0.3}, density=7850.0, axis="x")
    >>> bar.bodies.mass.round(6).tolist(), bar.derivatives["d"][0, 0].round(3).tolist()
    ([18.496127], 369.923)
    >>> bar.bodies.inertia[0].round(6).tolist()
    [0.02312, 0.150281, 0.150281, 0.0, 0.0, 0.0]
    """
    found, ten = unchecked_solids(shape, dims, (density, mass, wall), axis)
    for row, message in computed_body_faults(ten).items():
        raise UsageError(f"body {row}: {message}")
    return found


def unchecked_solids(
    shape: str, dims: Mapping[str, ArrayLike], amounts: _Amounts, axis: str | ArrayLike | Sequence[str]
) -> tuple[Solids, _Floats]:
    """Return ``solids`` of density, mass and wall (n,), and ten values (n, 10) that may be beyond double precision."""
    inputs = _Inputs(find_shape(shape), dims, *amounts)
    if faults := inputs.faults():
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise UsageError(f"body {faults[0].row}: {faults[0].message}{more}")
    if amounts[0] is None and amounts[1] is None:
        raise UsageError("a solid needs a density or a mass")
    with np.errstate(over="ignore", invalid="ignore"):
        volume, ten, derivatives = inputs.values()
        M = axis_matrices(axis, len(ten))
        path = "...ij,nj->ni" if M.ndim == 2 else "nij,nj->ni"
        ten = np.einsum(path, M, ten) + 0.0
        turned = {name: np.einsum(path, M, value) + 0.0 for name, value in derivatives.items()}
    return Solids(inputs.shape, BodyArray(ten[:, 0], ten[:, 1:4], ten[:, 4:]), volume, turned), ten


class _Inputs:
    """The inputs of n solids, checked and as arrays of one length."""

    def __init__(
        self,
        shape: Shape,
        dims: Mapping[str, ArrayLike],
        density: ArrayLike | None,
        mass: ArrayLike | None,
        wall: ArrayLike | None,
    ) -> None:
        self.shape = shape
        if not isinstance(dims, Mapping):
            raise UsageError(f"dims is not a mapping: {dims!r}")
        given = {name: checked_array(name, value) for name, value in dims.items()}
        if wall is not None:
            if "wall" in given:
                raise UsageError(f"wall of a {shape.name} is given twice")
            given["wall"] = checked_array("wall", wall)
        self.canonical = {name: _canonical(shape, name) for name in given}
        self.source = "density" if mass is None else "mass"
        amount = mass if mass is not None else density
        self.amount = checked_array(self.source, 1.0 if amount is None else amount)
        length = np.broadcast_shapes((1,), self.amount.shape, *(value.shape for value in given.values()))
        if len(length) > 1:
            raise UsageError(f"inputs of solids must have the shape (n,), not {length}")
        self.n = length[0]
        self.given = {name: np.broadcast_to(value, length) for name, value in given.items()}
        self.amount = np.broadcast_to(self.amount, length)
        self._check_names(density is not None or mass is None)

    def _check_names(self, has_density: bool) -> None:
        """Raise if a dimension is missing, or given twice."""
        names = [name for name, _ in self.canonical.values()]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"dimension {twice[0]} of a {self.shape.name} is given twice")
        needed = list(self.shape.dims)
        if self.shape.name == "tube" and "wall" in names:
            if "ri" in names:
                raise UsageError("a tube has an inner radius or a wall, not both")
            needed.remove("ri")
        missing = [name for name in needed if name not in names]
        thickness = self.shape.thickness
        if thickness and thickness not in names and self.source == "density" and has_density:
            missing.append(thickness)
        if missing:
            meaning = self.shape.dims.get(missing[0], "thickness" if missing[0] == "t" else "area of the section")
            raise UsageError(f"a {self.shape.name} needs the dimension {missing[0]} ({meaning})")

    def faults(self) -> list[_SolidFault]:
        """Return the values with which a solid cannot exist."""
        found: list[_SolidFault] = []
        for name, values in self.given.items():
            own, _ = self.canonical[name]
            if own in self.shape.can_be_zero:
                self._report(found, name, values, ~(values >= 0), "is negative")
            elif own in self.shape.counts:
                bad = ~((values >= 3) & (values == np.round(values)))
                self._report(found, name, values, bad, "is not a whole number from 3 on")
            else:
                self._report(found, name, values, ~(values > 0), "is not positive")
        self._report(found, self.source, self.amount, ~(self.amount > 0), "is not positive")
        if not found:
            found += self._nesting_faults()
        return sorted(found, key=lambda fault: fault.row)

    def _report(self, found: list[_SolidFault], name: str, values: _Floats, bad: NDArray[np.bool_], what: str) -> None:
        """Add a fault for each bad value."""
        bad = bad | ~np.isfinite(values)
        for row in np.flatnonzero(bad).tolist():
            value = float(values[row])
            text = f"{name} = {value:.6g} of the {self.shape.name} {'is not finite' if value == np.inf else what}"
            found.append(_SolidFault(row, name, f"{name} is missing, or not a number" if np.isnan(value) else text))

    def _nesting_faults(self) -> list[_SolidFault]:
        """Return the bodies whose surfaces do not fit into each other."""
        d = self._dims({name: value.astype(complex) for name, value in self.given.items()})
        real = {name: np.real(value) for name, value in d.items()}
        name, found = self.shape.name, []
        limits = {
            "tube": ("ri", "r", "inner radius {0:.6g} of the tube is not smaller than the outer radius {1:.6g}", 1.0),
            "torus": ("r", "R", "radius {0:.6g} of the section of the {2} is larger than {1:.6g}", 1.0),
            "spherical cap": ("h", "r", "height {0:.6g} of the {2} is larger than the diameter {1:.6g}", 2.0),
        }
        limits["torus shell"] = limits["half torus"] = limits["torus"]
        if name in limits:
            small, large, text, factor = limits[name]
            limit = factor * real[large]
            bad = real[small] >= limit if name == "tube" else real[small] > limit
            bad = bad | (real[small] < 0)
            found = [
                _SolidFault(k, small, text.format(real[small][k], limit[k], name)) for k in np.flatnonzero(bad).tolist()
            ]
        if name == "frustum":
            both = (real["r1"] == 0) & (real["r2"] == 0)
            found = [_SolidFault(k, "r1", "both radii of the frustum are 0") for k in np.flatnonzero(both).tolist()]
        if "t" in real and (widest := widest_shell(self.shape, real)) is not None:
            given = next(name for name, (own, _) in self.canonical.items() if own == "t")
            self._report(
                found, given, self.given[given], real["t"] > widest, "leaves no cavity" + " or no hole" * ("R" in real)
            )
        return found + self._wall_faults(d)

    def _wall_faults(self, d: dict[str, Any]) -> list[_SolidFault]:
        """Return the bodies whose wall leaves no cavity, or has no meaning."""
        if not self._is_hollow():
            return []
        walls = self.given["wall"]
        if self.shape.inner is None:
            text = f"a {self.shape.name} with a wall is not defined"
            text += "; enter the cavity as a body with a negative quantity"
            return [_SolidFault(k, "wall", text) for k in range(self.n)]
        cavity, _ = self.shape.inner(d, d["wall"])
        thick = np.zeros(self.n, dtype=bool)
        for name in cavity.keys() - {"wall", *self.shape.counts}:
            may_vanish = name in self.shape.can_be_zero
            thick |= np.real(cavity[name]) < 0 if may_vanish else np.real(cavity[name]) <= 0
        return [
            _SolidFault(k, "wall", f"wall = {walls[k]:.6g} leaves no cavity in the {self.shape.name}")
            for k in np.flatnonzero(thick).tolist()
        ]

    def _is_hollow(self) -> bool:
        """Return whether a wall means a closed cavity."""
        return "wall" in self.given and self.canonical["wall"][0] == "wall" and self.shape.name != "tube"

    def _dims(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the dimensions of the table from those given."""
        d = {own: given[name] * factor for name, (own, factor) in self.canonical.items()}
        if self.shape.name == "tube" and "wall" in d:
            d["ri"] = d["r"] - d["wall"]
        return d

    def values(self) -> tuple[_Floats, _Floats, dict[str, _Floats]]:
        """Return volumes (n,), ten values (n, 10) in own axes, and their derivatives by name."""
        names = [name for name in self.given if self.canonical[name][0] not in self.shape.counts]
        step = _STEP * np.max([self.given[name] for name in names], axis=0)
        # row 0 holds the values, row j + 1 a step of dimension j in the imaginary direction
        stacked = {name: np.tile(value.astype(complex), (len(names) + 1, 1)) for name, value in self.given.items()}
        for j, name in enumerate(names):
            stacked[name][j + 1] += 1j * step
        d = self._dims(stacked)
        moments = self.shape.moments(d)
        if self._is_hollow():
            moments = _hollow(self.shape, d, moments)
        ten, volume = self._ten(moments, d)
        values = np.real(ten[0])
        derivatives = {name: np.imag(ten[j + 1]) / step[:, None] for j, name in enumerate(names)}
        by_amount = np.zeros((self.n, 10))
        by_amount[:, 0] = values[:, 0] / self.amount
        by_amount[:, 4:] = values[:, 4:] / self.amount[:, None]
        derivatives[self.source] = by_amount
        return volume, values, derivatives

    def _ten(self, moments: Moments, d: Mapping[str, Any]) -> tuple[Any, _Floats]:
        """Return ten values (k, n, 10) of complex inputs, and the real volumes (n,)."""
        shape = next(iter(d.values())).shape
        volume = moments.volume
        if thickness := self.shape.thickness:
            volume = volume * d[thickness] if thickness in d else np.full(shape, np.nan + 0j)
        m = self.amount * volume if self.source == "density" else np.broadcast_to(self.amount + 0j, shape)
        ten = np.zeros((*shape, 10), dtype=complex)
        ten[..., 0] = m
        for k in range(3):
            ten[..., 1 + k] = moments.center[k]
        xx, yy, zz, xy, xz, yz = moments.mean
        for k, value in enumerate((yy + zz, xx + zz, xx + yy, -xy, -xz, -yz)):
            ten[..., 4 + k] = m * value
        return ten, np.real(np.broadcast_to(volume, shape)[0])


def canonical_dims(shape: Shape, given: Mapping[str, float]) -> dict[str, float]:
    """Return dimensions, length, under the names of the table of shapes; UsageError: a dimension is unknown."""
    of = {name: _canonical(shape, name) for name in given if name not in ("mass", "density")}
    return {own: given[name] * factor for name, (own, factor) in of.items()}


def _canonical(shape: Shape, name: str) -> tuple[str, float]:
    """Return the dimension of the table that a name means, and the factor to it, or raise."""
    if (key := name.strip()) in shape.dims or key == shape.thickness:
        return key, 1.0
    if key in ("wall", "w"):
        return ("t" if shape.thickness == "t" else "wall"), 1.0
    if key == "t" and shape.name == "tube":
        return "wall", 1.0
    own, factor = _SYNONYMS.get(key, ("", 1.0))
    if own in shape.dims or (own and own == shape.thickness):
        return own, factor
    known = [*shape.dims, *([shape.thickness] if shape.thickness else [])]
    raise UsageError(f"a {shape.name} has no dimension {name!r}; it has {', '.join(known)}")


def _hollow(shape: Shape, d: Mapping[str, Any], outer: Moments) -> Moments:
    """Return the moments of an outer shape without its cavity."""
    assert shape.inner is not None
    dims, origin = shape.inner(d, d["wall"])
    inner = shape.moments(dims)
    volume = outer.volume - inner.volume
    apart = [a + o - b for a, o, b in zip(inner.center, origin, outer.center, strict=True)]
    share = inner.volume / volume
    # c = c_o − share · apart; products about c by the parallel-axis theorem with the volumes V_o and −V_i
    center = tuple(b - share * gap for b, gap in zip(outer.center, apart, strict=True))
    reduced = share * (1 + share)
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    mean = tuple(
        o + share * (o - i) - reduced * apart[a] * apart[b]
        for o, i, (a, b) in zip(outer.mean, inner.mean, pairs, strict=True)
    )
    return Moments(volume, center, mean)
