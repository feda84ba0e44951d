"""A tank of a table, its liquid at any fill, and how several tanks empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.body import Body
from massprops_cli.bodies.liquids import Container, liquid_region
from massprops_cli.findings.finding import UsageError, checked_type, checked_vector, nearest_name_hint

_Floats = NDArray[np.float64]
_SLACK = 1e-12  # rounding of percentages, as a share of a full tank


@dataclass(frozen=True, eq=False)
class Liquid:
    """The liquid of a tank at rest, frozen: it moves with the tank as a rigid body. Coherent units.

    Attributes
    ----------
    fill : float, percent
        Share of the tank's volume.
    mass : float, mass
        Mass of the liquid.
    center : array, shape (3,), length
        Centre of mass; of an empty tank the place of the first drop.
    inertia : array, shape (3, 3), mass × length²
        Tensor entries about the own centre, of the frozen liquid. A liquid that does not turn with its tank has less.
    added_center : array, shape (3,), length
        d(m c)/dm, the centre of the layer that is added at the surface.
    d_inertia : array, shape (3, 3), length²
        dI/dm of the tensor about the own centre.
    volume, height, area : float or None
        Volume, height of the surface above the tank's origin against ``down``, area of the surface; None from a table.
    surface : array, shape (3, 3), length⁴, or None
        Second moments ∫ (x − s)(x − s)ᵀ dA of the surface about its centre s, which is ``added_center``.
    density : float, mass / length³
        Density; 0 from a table.
    """

    fill: float
    mass: float
    center: _Floats
    inertia: _Floats
    added_center: _Floats
    d_inertia: _Floats
    volume: float | None = None
    height: float | None = None
    area: float | None = None
    surface: _Floats | None = None
    density: float = 0.0

    @property
    def d_center(self) -> _Floats:
        """dc/dm ``(3,)``, length / mass; NaN for an empty tank."""
        return (self.added_center - self.center) / self.mass if self.mass else np.full(3, np.nan)

    def body(self, name: str = "") -> Body:
        """Return the frozen liquid as a body.

        Parameters
        ----------
        name : str, optional
            Name in messages.

        Returns
        -------
        Body
            Mass, centre and inertia, without sigmas.
        """
        return Body(self.mass, self.center, self.inertia, name=name)

    def free_surface_moment(self, axis: ArrayLike, gravity: float = 1.0) -> float | None:
        """Return the free-surface moment ρ g i for heel about an axis.

        Parameters
        ----------
        axis : array, shape (3,)
            Direction of the axis of heel: that along the ship for its stability across.
        gravity : float, optional
            Acceleration g; 1 gives the moment of naval architects, mass × length.

        Returns
        -------
        float or None
            ρ g i with i the second moment of the surface about the axis through its centre, mass × length × g for each
            radian of heel; divided by the displacement it is the rise of the centre. 0 for an empty or a full tank,
            None from a table.

        Raises
        ------
        UsageError
            The axis is not a vector.

        Notes
        -----
        docs/formulas.md, section 14. Small angles: the surface keeps its shape.
        """
        along = checked_vector("axis", axis)
        if self.surface is None:
            return None
        along = along / np.linalg.norm(along)
        moment = float(np.trace(self.surface) - along @ self.surface @ along)
        return 0.0 if self.fill in (0, 100) else self.density * gravity * moment


@dataclass(frozen=True, eq=False, repr=False)
class TankTable:
    """Fill → mass, centre and tensor about it, coherent units, in the frame of the tank."""

    fills: _Floats  # (k,) percent, ascending
    mass: _Floats  # (k,)
    center: _Floats  # (k, 3)
    inertia: _Floats  # (k, 3, 3)
    is_linear: bool

    def mass_rate(self, fill: float) -> float:
        """Return the change of mass with the fill, for each percent."""
        k = int(np.clip(np.searchsorted(self.fills, fill, "right") - 1, 0, len(self.fills) - 2))
        return float((self.mass[k + 1] - self.mass[k]) / (self.fills[k + 1] - self.fills[k]))

    def liquid(self, fill: float) -> Liquid:
        """Return the liquid of a fill in percent; UsageError between tabled fills without linear interpolation."""
        k = int(np.clip(np.searchsorted(self.fills, fill, "right") - 1, 0, len(self.fills) - 2))
        is_tabled = bool(np.isclose(self.fills, fill, rtol=0, atol=100 * _SLACK).any())
        if not self.fills[0] <= fill <= self.fills[-1] or not (is_tabled or self.is_linear):
            known = ", ".join(f"{one:g}" for one in self.fills)
            remedy = "" if self.is_linear else '; interpolate = "linear" gives those between them'
            raise UsageError(f"fill of {fill:g} % is not in the table of the tank ({known}{remedy})")
        share = (fill - self.fills[k]) / (self.fills[k + 1] - self.fills[k])
        m, c, tensor = ((1 - share) * one[k] + share * one[k + 1] for one in (self.mass, self.center, self.inertia))
        step = self.mass[k + 1] - self.mass[k]
        slopes = [
            (one[k + 1] - one[k]) / step if self.is_linear else one[k] * np.nan for one in (self.center, self.inertia)
        ]
        return Liquid(fill, float(m), c, tensor, c + m * slopes[0], slopes[1])


@dataclass(frozen=True, eq=False)
class Tank:
    """A tank of a table: its inside, its liquid, its place. Coherent units of the table.

    Attributes
    ----------
    name : str
        ``NAME`` of ``[tank.NAME]``.
    item : str
        Id of the item to whose numbers the liquid belongs.
    density : float, mass / length³
        Density of the liquid; 0 from a table.
    container : Container or None
        The inside; None for a tank given by a table.
    table : TankTable or None
        Fill → mass, centre and inertia.
    translation, rotation : array, shape (3,) and (3, 3)
        Pose of the tank's frame in the frame of the root.
    fill, residual : float, percent
        Fill where none is stated, and what cannot be used.
    down : array, shape (3,)
        Direction of the acceleration of rest, axes of the root.
    count : float
        Number of such tanks in the product: the quantity of the item, along the whole path.
    replaces : bool
        The liquid replaces the numbers of the item's row; False: it is added to them.
    groups : tuple of str
        Words that select the tank: ``fuel``, the name of its fluid.
    sigma_density : float, mass / length³
        One standard deviation of the density.
    sigma_fill : float, percent
        One standard deviation of the fill, in percent of the volume.
    lot : str
        The fluid whose density is one for all tanks and pieces of it; empty: each has its own.
    """

    name: str
    item: str
    density: float = 0.0
    container: Container | None = None
    table: TankTable | None = None
    translation: _Floats = field(default_factory=lambda: np.zeros(3))
    rotation: _Floats = field(default_factory=lambda: np.eye(3))
    fill: float = 100.0
    residual: float = 0.0
    down: _Floats = field(default_factory=lambda: np.array([0.0, 0.0, -1.0]))
    count: float = 1.0
    replaces: bool = True
    groups: tuple[str, ...] = ()
    sigma_density: float = 0.0
    sigma_fill: float = 0.0
    lot: str = ""

    @property
    def capacity(self) -> float:
        """Mass of the liquid of one full tank."""
        if self.container is None:
            return 0.0 if self.table is None else float(self.table.mass[-1])
        return self.density * float(self.container.whole()[0, 0])

    def liquid(self, fill: float | None = None, down: ArrayLike | None = None) -> Liquid:
        """Return the liquid at rest.

        Parameters
        ----------
        fill : float, percent, optional
            Share of the volume; default: that of the tank.
        down : array, shape (3,), optional
            Direction of the acceleration, axes of the root; default: that of the tank.

        Returns
        -------
        Liquid
            In the frame of the root.

        Raises
        ------
        UsageError
            The fill is not between 0 and 100, or is not in the table of the tank; ``down`` has the length 0.

        Notes
        -----
        docs/formulas.md, section 14.

        Examples
        --------
        >>> from massprops_cli import shape_container
        >>> tank = Tank("LOX", "T1", 1141.0, shape_container("box", {"a": 2.0, "b": 1.0, "c": 1.0}))
        >>> half = tank.liquid(50)
        >>> half.mass, half.center.tolist(), round(half.free_surface_moment([1, 0, 0]), 6)
        (1141.0, [0.0, 0.0, -0.25], 190.166667)
        """
        percent = checked_fill(self.name, self.fill if fill is None else fill)
        R, t = self.rotation, self.translation
        if self.table is not None:
            own = self.table.liquid(percent)
            c, s = (R @ one + t for one in (own.center, own.added_center))
            return Liquid(percent, own.mass, c, R @ own.inertia @ R.T, s, R @ own.d_inertia @ R.T)
        assert self.container is not None
        toward = self.down if down is None else checked_vector("down", down)
        if not (size := float(np.linalg.norm(toward))) > 0:
            raise UsageError("down has the length 0")
        region = liquid_region(self.container, percent / 100, -(R.T @ toward) / size).placed(t, R)
        arm = region.surface_center - region.center
        return Liquid(
            percent,
            self.capacity * percent / 100,
            region.center,
            self.density * _tensor_of(region.spread),
            region.surface_center,
            _tensor_of(region.surface_spread + np.outer(arm, arm)),
            region.volume,
            region.height,
            region.area,
            region.area * region.surface_spread,
            self.density,
        )


def _tensor_of(S: _Floats) -> _Floats:
    """Return tr(S) 1 − S of second moments (3, 3)."""
    return np.asarray(np.trace(S) * np.eye(3) - S)


def checked_fill(name: str, fill: float) -> float:
    """Return a fill in percent, or raise UsageError."""
    if isinstance(fill, bool) or not isinstance(fill, int | float | np.number) or not 0 <= fill <= 100:
        raise UsageError(f"fill of tank {name} is not a percentage from 0 to 100: {fill!r}")
    return float(fill)


def checked_fills(tanks: Mapping[str, Tank], fills: Mapping[str, float] | None) -> dict[str, float]:
    """Return the fill of every tank in percent, its own where none is given; UsageError: unknown tank, not a fill."""
    for name in fills or {}:
        if name not in tanks:
            raise UsageError(f"unknown tank: {name}{nearest_name_hint(name, tanks)}")
    return {name: checked_fill(name, (fills or {}).get(name, tank.fill)) for name, tank in tanks.items()}


def deplete(
    tanks: Mapping[str, Tank], burned: float, *, together: bool = False, fills: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the fills after some mass was used.

    Parameters
    ----------
    tanks : mapping of str to Tank
        The tanks that are used, in their order.
    burned : float, mass
        Mass that was used of all tanks together; each is used down to its residual.
    together : bool, optional
        All tanks lose the same share of what they can give; default: one after another.
    fills : mapping of str to float, optional
        Fills before, in percent; default: those of the tanks.

    Returns
    -------
    dict of str to float
        Fills after, in percent.

    Raises
    ------
    UsageError
        The tanks hold less than that above their residuals, or a tank is unknown.

    Notes
    -----
    The mass of a tank counts with the quantity of its item.

    Examples
    --------
    >>> from massprops_cli import shape_container
    >>> cube = shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0})
    >>> tanks = {name: Tank(name, name, 800.0, cube, residual=2.0) for name in ("front", "rear")}
    >>> deplete(tanks, 1000.0)
    {'front': 2.0, 'rear': 73.0}
    """
    before = checked_fills(tanks, fills)
    usable = usable_masses(tanks, before)
    whole = sum(usable.values())
    if not 0 <= burned <= whole * (1 + _SLACK):
        raise UsageError(f"burned mass is not between 0 and the usable mass of the tanks, {whole:.6g}: {burned!r}")
    after, left = {}, min(float(burned), whole)
    for name, tank in checked_type("tanks", dict(tanks), dict).items():
        used = usable[name] * min(burned / whole, 1.0) if together and whole else min(left, usable[name])
        left -= 0.0 if together else used
        after[name] = _fill_at(tank, _mass_at(tank, before[name]) - used) if used else before[name]
    return after


def usable_masses(tanks: Mapping[str, Tank], fills: Mapping[str, float]) -> dict[str, float]:
    """Return what each tank, of all its pieces, can give from a fill down to its residual."""
    return {
        name: _mass_at(tank, fills[name]) - _mass_at(tank, min(tank.residual, fills[name]))
        for name, tank in tanks.items()
    }


def _mass_at(tank: Tank, fill: float) -> float:
    """Return the mass of all pieces at a fill in percent."""
    one = tank.capacity * fill / 100 if tank.table is None else tank.table.liquid(fill).mass
    return tank.count * one


def _fill_at(tank: Tank, mass: float) -> float:
    """Return the fill in percent at which all pieces together have a mass."""
    one = mass / tank.count
    if tank.table is not None:
        return float(np.interp(one, tank.table.mass, tank.table.fills))
    return float(np.clip(100 * one / tank.capacity, 0.0, 100.0))


def selected_tanks(tanks: Mapping[str, Tank], names: str | Sequence[str]) -> dict[str, Tank]:
    """Return tanks by their names, groups or fluids, in this order; UsageError: unknown name."""
    chosen: dict[str, Tank] = {}
    for name in [names] if isinstance(names, str) else list(names):
        found = {name: tanks[name]} if name in tanks else {k: one for k, one in tanks.items() if name in one.groups}
        if not found:
            known = [*tanks, *dict.fromkeys(word for one in tanks.values() for word in one.groups)]
            raise UsageError(
                f"unknown tank: {name}{nearest_name_hint(name, known) or ' (expected ' + ', '.join(known) + ')'}"
            )
        chosen |= found
    return chosen
