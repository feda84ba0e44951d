"""What was read of a table → a bill of materials: arrays in the order of its tree, a row for every item.

Items that no root reaches are left out; a made root, and bodies that assemblies hold next to their children, are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.items.correlation_groups import CorrelationGroups
from massprops_cli.bom.items.item_flags import ItemFlags, sign_of_option
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.numbers import SetCells
from massprops_cli.bom.items.result_columns import (
    CENTER,
    INERTIA,
    MASS,
    QUANTITY_SETS,
    SIGMA_SETS,
    SIGMA_SLICES,
    VALUE_SETS,
)
from massprops_cli.bom.items.sigmas import SigmaInputs, mass_methods
from massprops_cli.bom.items.variant_columns import ItemTree
from massprops_cli.findings.finding import Finding
from massprops_cli.rollups.inputs import ShapeDeviations
from massprops_cli.rollups.montecarlo.samples import InputShapes
from massprops_cli.rollups.subtotals import bodies_at_items, sigmas_at_items
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.items.pose_cells import ItemPoses

_T = TypeVar("_T", bound=np.generic)
_Mask = NDArray[np.bool_]


class ItemData(NamedTuple):
    """Everything that was read of a table, in the order of its wanted items."""

    options: TableOptions
    hierarchy: Hierarchy
    item_tree: ItemTree
    items: ItemRows
    marks: ItemFlags
    cells: dict[str, SetCells]
    as_written: dict[str, SetCells]
    stated: SigmaInputs
    sharing: CorrelationGroups
    growth: NDArray[np.float64] | None
    deviations: ShapeDeviations | None = None
    poses: ItemPoses | None = None
    own_numbers: tuple[Bodies, Sigmas | None] | None = None


class ItemReindexer:
    """Takes arrays of the m wanted items to arrays of the n items of the tree; a made root comes last."""

    def __init__(self, item_tree: ItemTree) -> None:
        self.item_tree = item_tree
        self.whole = len(item_tree.kept) == len(item_tree.items)

    def take(self, values: NDArray[_T], of_made_root: object) -> NDArray[_T]:
        """Take an array (m, …) of the wanted items to the items of the tree (n, …), with a value for a made root."""
        kept = values if self.whole else values[self.item_tree.kept]
        if not self.item_tree.made:
            return kept
        last = np.full((1, *kept.shape[1:]), of_made_root, dtype=kept.dtype)
        return np.concatenate([kept, last])

    def texts(self, texts: Sequence[str], of_made_root: str) -> Sequence[str]:
        """Take texts (m,) of the wanted items to the items of the tree (n,), with a text for a made root."""
        kept = texts if self.whole else [texts[i] for i in self.item_tree.kept.tolist()]
        return [*kept, of_made_root] if self.item_tree.made else kept

    def bodies(self, cells: Mapping[str, SetCells], marks: ItemFlags) -> Bodies:
        """Build the bodies from cells (m, k): mass (n,), centre (n, 3) and inertia (n, 6), coherent units.

        Tensor entries about own centres, axes of the table; a mask is None if no item that goes up lacks its value.
        """
        mass, has_mass = self.numbers(cells.get(MASS.name), marks)
        center, has_center = self.numbers(cells.get(CENTER.name), marks)
        if center is not None:
            center = np.where(self._missing_axes(cells[CENTER.name]), np.nan, center)
        inertia, has_inertia = self.numbers(cells.get(INERTIA.name), marks, of_points=False)
        n = len(self.item_tree.kept) + bool(self.item_tree.made)
        return Bodies(
            mass=np.zeros(n) if mass is None else mass[:, 0],
            center=center,
            inertia=inertia,
            is_point=self.take(marks.is_point, False),
            has_mass=has_mass,
            has_center=has_center,
            has_inertia=has_inertia,
            has_products=self.products(cells.get(INERTIA.name), marks),
        )

    def _missing_axes(self, cells: SetCells) -> _Mask:
        """Mark the coordinates ``(3,)`` that the table does not give: no cell has one where others have a centre."""
        if not cells.has.any():
            return np.zeros(cells.given.shape[1], bool)
        return np.logical_not(cells.given.any(axis=0))

    def products(self, inertia: SetCells | None, marks: ItemFlags) -> _Mask | None:
        """Mark the items whose products of inertia are known (n,); None if those of all items that go up are."""
        if inertia is None or inertia.products is None:
            return None
        known = self.take(inertia.products | marks.is_point | ~marks.goes_up, True)
        return None if known.all() else known

    def sigmas(self, cells: Mapping[str, SetCells], marks: ItemFlags) -> Sigmas | None:
        """Build the sigmas of mass (n,), centre (n, 3) and inertia (n, 6), coherent units; None without columns.

        Unknown ones are 0 and marked; point masses have no sigma of inertia.
        """
        goes_up, is_point = (self.take(mask, False) for mask in (marks.goes_up, marks.is_point))
        known = np.ones((len(goes_up), 10), bool)
        arrays: list[NDArray[np.float64] | None] = []
        for value, sigma, columns in zip(VALUE_SETS, SIGMA_SETS, SIGMA_SLICES, strict=True):
            part = cells.get(sigma.name) if value.name in cells else None
            if part is None:
                arrays.append(None)
                known[goes_up, columns] = value.name not in cells
                continue
            values, given = self.take(part.values, 0.0), self.take(part.given, False)
            if value is INERTIA:
                given = given | is_point[:, None]
                values = np.where(is_point[:, None], 0.0, values)
            if value is MASS:  # a mass that is not known does not count, nor does its sigma
                given = given | self.take(~cells[MASS.name].has, False)[:, None]
                values = np.where(self.take(cells[MASS.name].has | ~marks.goes_up, True)[:, None], values, 0.0)
            known[:, columns] = given | ~goes_up[:, None]
            arrays.append(np.where((given | ~goes_up[:, None]), values, 0.0))
        if all(array is None for array in arrays):
            return None
        mass = np.zeros(len(goes_up)) if arrays[0] is None else arrays[0][:, 0]
        return Sigmas(mass, arrays[1], arrays[2], None if known.all() else known)

    def numbers(
        self, cells: SetCells | None, marks: ItemFlags, *, of_points: bool = True
    ) -> tuple[NDArray[np.float64] | None, _Mask | None]:
        """Take the values (n, k) of a set, coherent units, 0 where missing, and mark the items that have them (n,).

        No values without columns; no mask if all items that go up have one. Point masses are 0 unless ``of_points``.
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
        # what is missing or cannot be used is 0 under its mask; assemblies keep what their rows state
        return np.where((has | ~goes_up)[:, None], values, 0.0), has

    def shapes(self, shapes: InputShapes) -> InputShapes:
        """Take the distributions and bounds of m wanted items to the n items of the tree."""
        return shapes.over(self.take)

    def written(
        self, cells: Mapping[str, SetCells], columns: TableColumns
    ) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Collect the values that assembly rows state: column → items (k,) and values (k,) in coherent units."""
        inner = ~self.take(self.item_tree.is_leaf, True)
        stated = {}
        for quantity_set in QUANTITY_SETS:
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


def _shape_subset(shapes: InputShapes, at: NDArray[np.intp]) -> InputShapes:
    """Pick the distributions and bounds of some items."""
    return shapes.over(lambda values, _: values[at])


def text_subset(texts: Sequence[str], chosen: NDArray[np.intp]) -> Sequence[str]:
    """Select the texts at positions (k,); all of them are returned without a copy."""
    if len(chosen) == len(texts):
        return texts
    return [texts[i] for i in chosen.tolist()]


def assemble_bom(cls: type[Bom], read: ItemData, findings: Sequence[Finding]) -> Bom:
    """Build the table's Bom in the order of the tree's items, with a made root and own bodies of assemblies.

    Coherent units; inertia as tensor entries about own centres, in the axes of the table. The tree must be made.
    """
    (
        options,
        hierarchy,
        item_tree,
        items,
        marks,
        cells,
        as_written,
        stated,
        sharing,
        growth,
        deviations,
        poses,
        own_numbers,
    ) = read
    assert item_tree.tree is not None
    reindexer = ItemReindexer(item_tree)
    bom = cls(
        table=items.table,
        columns=items.columns,
        options=options,
        layout=hierarchy.layout,
        how=hierarchy.how,
        tree=item_tree.tree,
        ids=reindexer.texts(items.ids, item_tree.made),
        names=None if hierarchy.names is None else reindexer.texts(text_subset(hierarchy.names, item_tree.items), ""),
        rows=reindexer.take(items.rows, -1),
        bodies=reindexer.bodies(cells, marks),
        sigmas=reindexer.sigmas(cells, marks),
        quantity=ItemQuantity(
            reindexer.take(marks.quantity.count, 1.0), reindexer.take(marks.quantity.measured, False)
        ),
        stated=reindexer.take(marks.stated, False) if marks.stated.any() else None,
        extra=None,
        sign=reindexer.take(marks.sign, 0 if "POIconv" in items.columns.by_quantity else sign_of_option(options)),
        point_blank=None if marks.point_blank is None else reindexer.take(marks.point_blank, False),
        written=reindexer.written(as_written, items.columns),
        findings=tuple(findings),
        shapes=None if stated.shapes is None else reindexer.shapes(stated.shapes),
        groups=None if sharing.groups is None else reindexer.texts(sharing.groups, ""),
        part_numbers=None if sharing.parts is None else reindexer.texts(sharing.parts, ""),
        maturity=None if (words := mass_methods(items, stated.methods)) is None else reindexer.texts(words, ""),
        growth=None if growth is None else reindexer.take(growth, np.nan),
        deviations=None if deviations is None else deviations.picked(item_tree.kept),
        poses=None if poses is None else poses.over(reindexer.take),
        own_numbers=own_numbers,
    )
    return _add_own_bodies(bom, np.flatnonzero(reindexer.take(marks.own, False)))


def _add_own_bodies(bom: Bom, owners: NDArray[np.intp]) -> Bom:
    """Add a leaf with the row's own numbers next to the children of each of some assemblies ``owners (k,)``."""
    if not len(owners):
        return bom
    n, k = len(bom), len(owners)
    at = np.append(np.arange(n), owners)
    is_owner = np.isin(np.arange(n), owners)
    return replace(
        bom,
        tree=type(bom.tree).from_parents(np.append(bom.tree.parent, owners).astype(np.int32)),
        ids=[*bom.ids, *(f"{bom.ids[i]} (own)" for i in owners.tolist())],
        names=_texts_with_repeats(bom.names, owners),
        rows=bom.rows[at],
        bodies=bodies_at_items(bom.bodies, at),
        sigmas=None if bom.sigmas is None else sigmas_at_items(bom.sigmas, at),
        quantity=ItemQuantity(
            np.append(bom.quantity.count, np.ones(k)), np.append(bom.quantity.measured, np.zeros(k, bool))
        ),
        stated=None if bom.stated is None else np.append(bom.stated, np.zeros(k, bool)),
        extra=np.arange(n + k) >= n,
        sign=bom.sign[at],
        point_blank=None if bom.point_blank is None else bom.point_blank[at],
        shapes=None if bom.shapes is None else _shape_subset(bom.shapes, at),
        groups=_texts_with_repeats(bom.groups, owners),
        part_numbers=_texts_with_repeats(bom.part_numbers, owners),
        maturity=_texts_with_repeats(bom.maturity, owners),
        deviations=None
        if bom.deviations is None
        else bom.deviations.picked(np.where((np.arange(n + k) < n) & is_owner[at], -1, at)),
        growth=None if bom.growth is None else np.append(np.where(is_owner, np.nan, bom.growth), bom.growth[owners]),
        poses=None if bom.poses is None else bom.poses.with_own_bodies(owners),
        own_numbers=None if bom.own_numbers is None else _numbers_at_items(bom.own_numbers, at),
    )


def _numbers_at_items(numbers: tuple[Bodies, Sigmas | None], at: NDArray[np.intp]) -> tuple[Bodies, Sigmas | None]:
    """Return the bodies and the sigmas of some items."""
    bodies, sigmas = numbers
    return bodies_at_items(bodies, at), None if sigmas is None else sigmas_at_items(sigmas, at)


def _texts_with_repeats(texts: Sequence[str] | None, owners: NDArray[np.intp]) -> Sequence[str] | None:
    """Return the texts of n items, and those of some of them again."""
    return None if texts is None else [*texts, *(texts[i] for i in owners.tolist())]
