"""From the wanted items of a table to the items of its tree: some cannot be reached, a root may be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.cells import SetCells
from massprops_cli.bom.marks import Marks
from massprops_cli.bom.planting import Planting
from massprops_cli.bom.sets import CENTER, INERTIA, MASS, SETS, SIGMA_CENTER, SIGMA_INERTIA, SIGMA_MASS

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
        """Give the bodies of the items; a mask is made only where a leaf lacks a value."""
        n = len(self.planting.kept) + bool(self.planting.made)
        point = self.take(marks.is_point, False)
        mass = cells.get(MASS.name)
        center, inertia = cells.get(CENTER.name), cells.get(INERTIA.name)
        return Bodies(
            mass=np.zeros(n) if mass is None else self.take(mass.values[:, 0], 0.0),
            center=None if center is None else self.take(center.values, 0.0),
            inertia=None if inertia is None else self.tensors(inertia, point),
            is_point=point,
            has_mass=self.lacking(mass, marks, None),
            has_center=self.lacking(center, marks, None),
            has_inertia=self.lacking(inertia, marks, point),
        )

    def tensors(self, inertia: SetCells, point: Mask) -> NDArray[np.float64]:
        """Give the tensors, 0 for point masses whatever their cells hold."""
        values = self.take(inertia.values, 0.0)
        if point.any():
            values = np.where(point[:, None], 0.0, values)
        return values

    def sigmas(self, cells: Mapping[str, SetCells], marks: Marks) -> Sigmas | None:
        """Give the sigmas of the items, or None when there are none, or not of every quantity that there is."""
        pairs = ((MASS, SIGMA_MASS), (CENTER, SIGMA_CENTER), (INERTIA, SIGMA_INERTIA))
        mass, center, inertia = (cells.get(sigma.name) if value.name in cells else None for value, sigma in pairs)
        if mass is None or any(value.name in cells and sigma.name not in cells for value, sigma in pairs):
            return None
        point = self.take(marks.is_point, False)
        known = [self.lacking(part, marks, point if part is inertia else None) for part in (mass, center, inertia)]
        masks = [mask for mask in known if mask is not None]
        return Sigmas(
            mass=self.take(mass.values[:, 0], 0.0),
            center=None if center is None else self.take(center.values, 0.0),
            inertia=None if inertia is None else self.tensors(inertia, point),
            known=np.logical_and.reduce(masks) if masks else None,
        )

    def lacking(self, cells: SetCells | None, marks: Marks, point: Mask | None) -> Mask | None:
        """Give which items have a quantity, or None when all whose numbers go up do, those of quantity 0 included."""
        if cells is None:
            return None
        has = self.take(cells.has, False)
        if point is not None:
            has = has | point
        needed = self.take(marks.goes_up, False)
        return None if has[needed].all() else has

    def written(self, cells: Mapping[str, SetCells]) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Give what assembly rows state: quantity → (items, values)."""
        inner = ~self.take(self.planting.is_leaf, True)
        stated = {}
        for quantity_set in SETS:
            part = cells.get(quantity_set.name)
            if part is None:
                continue
            for axis, name in enumerate(quantity_set.columns):
                where = np.flatnonzero(self.take(part.given[:, axis], False) & inner)
                if len(where):
                    stated[name] = (where, self.take(part.values[:, axis], 0.0)[where])
        return stated
