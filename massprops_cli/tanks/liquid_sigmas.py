"""Uncertain densities and fills of liquids as sources of the deviations of their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Sigmas, at_items, phi, six_entries
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.bom.bom import Bom
from massprops_cli.rollups.inputs import NO_LOT, PARAMETER_NAMES, ShapeDeviations, with_rows
from massprops_cli.tanks.tank import Liquid, Tank

_Floats = NDArray[np.float64]
_Source = tuple[str, str, _Floats, float]  # name, lot, ten values for one sigma in the frame of the root, sigma


def with_liquid_sigmas(table: Bom, dry: Bom, liquids: Sequence[tuple[Tank, Liquid]]) -> Bom:
    """Return a table with liquids whose items deviate with densities and fills; ``dry`` has the rows without them."""
    items = [
        dry.item(name)
        for name in dict.fromkeys(tank.item for tank, _ in liquids if tank.sigma_density or tank.sigma_fill)
    ]
    if not items or table.sigmas is None or dry.sigmas is None:
        return table
    sources = [list(_sources(table, dry, item, liquids)) for item in items]
    at, each = np.array(items, np.intp), [one for own in sources for one in own]
    owner = np.repeat(np.arange(len(items)), [len(own) for own in sources])
    vectors = np.array([vector for _, _, vector, _ in each])
    sigmas, own_numbers = (
        with_rows(table.sigmas, (at, _sigmas(table.sigmas, owner, vectors, len(at)))),
        table.own_numbers,
    )
    if own_numbers is not None and table.poses is not None and own_numbers[1] is not None:
        back = turn_matrices(table.poses.numbers.rotation[at[owner]].swapaxes(1, 2))
        vectors = np.einsum("sab,sb->sa", back, vectors)
        along_rows = with_rows(own_numbers[1], (at, _sigmas(own_numbers[1], owner, vectors, len(at))))
        own_numbers = (own_numbers[0], along_rows)
    nothing = ShapeDeviations(at[:0], vectors[:0], at[:0], np.zeros(0, str), np.zeros(0))
    old = table.deviations or nothing
    labels = list(dict.fromkeys([*old.labels, *(lot for _, lot, _, _ in each if lot)]))
    made = ShapeDeviations(
        np.append(old.items, at[owner]),
        np.vstack([old.vectors, vectors]),
        np.append(old.lot, [labels.index(lot) if lot else NO_LOT for _, lot, _, _ in each]),
        np.append(old.names, [name for name, _, _, _ in each]),
        np.append(old.sigmas, [sigma for _, _, _, sigma in each]),
        labels,
    )
    return replace(table, sigmas=sigmas, own_numbers=own_numbers, deviations=made)


def _sigmas(like: Sigmas, owner: NDArray[np.intp], vectors: _Floats, n: int) -> Sigmas:
    """Return the sigmas of n items of sources (s,) with their vectors (s, 10), in the columns of others."""
    ten = np.zeros((n, 10))
    np.add.at(ten, owner, vectors**2)
    ten = np.sqrt(ten)
    center, inertia = None if like.center is None else ten[:, 1:4], None if like.inertia is None else ten[:, 4:]
    return Sigmas(ten[:, 0], center, inertia, None if like.known is None else np.ones((n, 10), bool))


def _sources(table: Bom, dry: Bom, item: int, liquids: Sequence[tuple[Tank, Liquid]]) -> Iterator[_Source]:
    """Yield the sources of an item: densities and fills of its liquids, and the sigmas of a row that counts."""
    whole = float(table.bodies.mass[item])
    center = np.zeros(3) if table.bodies.center is None else np.nan_to_num(table.bodies.center[item])

    def vector(mass: float, place: _Floats, ten: _Floats) -> _Floats:
        """Return the change (10,) of the item with that of a part of it, of its mass, centre and own tensor (10,)."""
        d, dm, dc = np.nan_to_num(place) - center, ten[0], ten[1:4]
        mixed = 2 * (d @ dc) * np.eye(3) - np.outer(d, dc) - np.outer(dc, d)
        moved = (dm * d + mass * dc) / whole if whole else np.zeros(3)
        return np.concatenate([[dm], moved, ten[4:] + dm * phi(d) + mass * six_entries(mixed)])

    here = [(tank, liquid) for tank, liquid in liquids if tank.item == dry.ids[item]]
    for tank, liquid in here:
        if tank.sigma_density:  # the centre remains
            ten = np.concatenate([[liquid.mass], np.zeros(3), six_entries(liquid.inertia)])
            ten *= tank.sigma_density / tank.density
            yield f"density of {tank.name}", tank.lot, vector(liquid.mass, liquid.center, ten), tank.sigma_density
        if tank.sigma_fill:  # an equal fill in two conditions is one deviation
            rate = tank.capacity / 100 if tank.table is None else tank.table.mass_rate(liquid.fill)
            slopes = np.concatenate([[1.0], np.nan_to_num(liquid.d_center), six_entries(liquid.d_inertia)])
            ten, name = slopes * rate * tank.sigma_fill, f"fill {liquid.fill:g} of {tank.name}"
            yield name, "", vector(liquid.mass, liquid.center, ten), tank.sigma_fill
    mass = float(dry.bodies.mass[item])
    if not here[0][0].replaces and mass and dry.sigmas is not None:
        own, place = at_items(dry.sigmas, np.array([item])), dry.bodies.center
        holders = (own.mass[:, None], own.center, own.inertia)
        ten = np.concatenate(
            [np.zeros(n) if one is None else one[0] for one, n in zip(holders, (1, 3, 6), strict=True)]
        )
        for k in np.flatnonzero(ten).tolist():
            at = center if place is None else place[item]
            yield PARAMETER_NAMES[k], "", vector(mass, at, np.eye(10)[k] * ten[k]), float(ten[k])
