"""From the wanted items of a table to the items of its tree: some cannot be reached, a root may be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.cells.cells import SetCells
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.planting import Planting
from massprops_cli.bom.items.sets import CENTER, INERTIA, MASS, SETS, SIGMA_CENTER, SIGMA_INERTIA, SIGMA_MASS
from massprops_cli.rollup.montecarlo.shapes import NOT_STATED, Bounds, Shapes
from massprops_cli.tables.columns.columns import Columns

T = TypeVar("T", bound=np.generic)
Mask = NDArray[np.bool_]


class Growth:
    """Takes arrays of the m wanted items to arrays of the n items of the tree; a made root comes last."""

    def __init__(self, planting: Planting) -> None:
        self.planting = planting
        self.whole = len(planting.kept) == len(planting.items)

    def take(self, values: NDArray[T], of_made_root: object) -> NDArray[T]:
        """Take one value an item, ``(m, …)`` → ``(n, …)``."""
        kept = values if self.whole else values[self.planting.kept]
        if not self.planting.made:
            return kept
        last = np.full((1, *kept.shape[1:]), of_made_root, dtype=kept.dtype)
        return np.concatenate([kept, last])

    def texts(self, texts: Sequence[str], of_made_root: str) -> Sequence[str]:
        """Take one text an item."""
        kept = texts if self.whole else [texts[i] for i in self.planting.kept.tolist()]
        return [*kept, of_made_root] if self.planting.made else kept

    def bodies(self, cells: Mapping[str, SetCells], marks: Marks) -> Bodies:
        """Give the bodies of the items; a mask is made only where an item whose numbers go up lacks a value."""
        mass, has_mass = self.numbers(cells.get(MASS.name), marks)
        center, has_center = self.numbers(cells.get(CENTER.name), marks)
        inertia, has_inertia = self.numbers(cells.get(INERTIA.name), marks, of_points=False)
        n = len(self.planting.kept) + bool(self.planting.made)
        return Bodies(
            mass=np.zeros(n) if mass is None else mass[:, 0],
            center=center,
            inertia=inertia,
            is_point=self.take(marks.is_point, False),
            has_mass=has_mass,
            has_center=has_center,
            has_inertia=has_inertia,
        )

    def sigmas(self, cells: Mapping[str, SetCells], marks: Marks) -> Sigmas | None:
        """Give the sigmas of the items, or None when there are none, or not of every quantity that there is."""
        pairs = ((MASS, SIGMA_MASS), (CENTER, SIGMA_CENTER), (INERTIA, SIGMA_INERTIA))
        if any(value.name in cells and sigma.name not in cells for value, sigma in pairs):
            return None
        parts = [cells.get(sigma.name) if value.name in cells else None for value, sigma in pairs]
        mass, has_mass = self.numbers(parts[0], marks)
        center, has_center = self.numbers(parts[1], marks)
        inertia, has_inertia = self.numbers(parts[2], marks, of_points=False)
        if mass is None:
            return None
        masks = [mask for mask in (has_mass, has_center, has_inertia) if mask is not None]
        unknown = self.take(marks.goes_up & ~cells[MASS.name].has, False)
        if unknown.any():  # a mass that is not known does not count, nor does its error
            mass = np.where(unknown[:, None], 0.0, mass)
        return Sigmas(mass[:, 0], center, inertia, np.logical_and.reduce(masks) if masks else None)

    def numbers(
        self, cells: SetCells | None, marks: Marks, *, of_points: bool = True
    ) -> tuple[NDArray[np.float64] | None, Mask | None]:
        """Give a set's values ``(n, k)``, and which items have them; None when all whose numbers go up do.

        Unless it is a quantity ``of_points``, point masses have it, and it is 0 whatever their cells hold.
        """
        if cells is None:
            return None, None
        values, has = self.take(cells.values, 0.0), self.take(cells.has, False)
        point = self.take(marks.is_point, False)
        if not of_points and point.any():
            values, has = np.where(point[:, None], 0.0, values), has | point
        goes_up = self.take(marks.goes_up, False)
        if has[goes_up].all():
            return values, None
        # what is missing or cannot be used is 0 beside its mask; assemblies keep what their rows state
        return np.where((has | ~goes_up)[:, None], values, 0.0), has

    def shapes(self, shapes: Shapes) -> Shapes:
        """Take the distributions and bounds of inputs."""
        bounds = {place: Bounds(*(self.take(ends, np.nan) for ends in three)) for place, three in shapes.bounds.items()}
        return Shapes(self.take(shapes.kind, NOT_STATED), bounds)

    def written(
        self, cells: Mapping[str, SetCells], columns: Columns
    ) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Give what assembly rows state: quantity → (items, values)."""
        inner = ~self.take(self.planting.is_leaf, True)
        stated = {}
        for quantity_set in SETS:
            part = cells.get(quantity_set.name)
            if part is None:
                continue
            for axis, name in enumerate(quantity_set.columns):
                if name not in columns.by_quantity:
                    continue
                where = np.flatnonzero(self.take(part.given[:, axis], False) & inner)
                if len(where):
                    stated[name] = (where, self.take(part.values[:, axis], 0.0)[where])
        return stated


def picked_shapes(shapes: Shapes, at: NDArray[np.intp]) -> Shapes:
    """Pick the distributions and bounds of some items."""
    bounds = {place: Bounds(*(ends[at] for ends in three)) for place, three in shapes.bounds.items()}
    return Shapes(shapes.kind[at], bounds)
