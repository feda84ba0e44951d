"""Changes of single items, tried out: numbers set, masses scaled, items dropped.

What if: changed, scaled or dropped items of a bill of materials, and what that does to everything above them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, judge_tensors
from massprops_cli.bodies.body import Body
from massprops_cli.bom.inertia_point import point_words
from massprops_cli.bom.quantity_sets import AXES, CENTER, ENTRIES, INERTIA, MASS
from massprops_cli.bom.read import Bom
from massprops_cli.bom.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.uncertainty import sharing_of
from massprops_cli.findings import Finding, UsageError
from massprops_cli.rollups.covariance import TEN, Correlation
from massprops_cli.rollups.recompute import Touched, recompute
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.flags import read_quantities
from massprops_cli.tables.numbers import Settled, read_number
from massprops_cli.tables.quantities import base_of
from massprops_cli.trees.tree import Quantity

SETTABLE = (*MASS.columns, *CENTER.columns, *INERTIA.columns, "qty")
Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass
class Draft:
    """All items with the changes in them.

    ``changed`` are item numbers, ``given`` the quantities that were set of each, ``said`` what was done, in words.
    """

    bom: Bom
    bodies: Bodies
    sigmas: Sigmas | None
    count: NDArray[np.float64]
    measured: Mask
    changed: set[int] = field(default_factory=set)
    given: dict[int, list[str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


def draft_of(bom: Bom, rolled: Rollup) -> Draft:
    """Copy the numbers of all items, assemblies as they were rolled up, to be changed."""
    bodies, sigmas = rolled.bodies, rolled.sigmas
    copied = replace(
        bodies,
        mass=bodies.mass.copy(),
        center=copy_of(bodies.center),
        inertia=copy_of(bodies.inertia),
        has_mass=copy_of(bodies.has_mass),
        has_center=copy_of(bodies.has_center),
        has_inertia=copy_of(bodies.has_inertia),
        has_products=copy_of(bodies.has_products),
    )
    if sigmas is not None:
        sigmas = Sigmas(sigmas.mass.copy(), copy_of(sigmas.center), copy_of(sigmas.inertia), copy_of(sigmas.known))
    return Draft(bom, copied, sigmas, bom.quantity.count.copy(), bom.quantity.measured.copy())


def copy_of(array: NDArray[T] | None) -> NDArray[T] | None:
    """Copy an array that may be absent."""
    return None if array is None else array.copy()


def split_name(bom: Bom, name: str) -> tuple[int, str]:
    """Take ``P.1.mass`` apart into an item and a quantity, at the last dot."""
    item, dot, quantity = name.rpartition(".")
    base = quantity.removeprefix("sigma_")
    if not dot or base not in SETTABLE or (quantity != base and base == "qty"):
        raise UsageError(
            f"{name} does not end in a quantity; write ID.mass, with one of {', '.join(SETTABLE)} or a sigma_ of them"
        )
    return bom.item(item), quantity


def set_number(draft: Draft, name: str, value: float) -> None:
    """Change one number of an item whose own numbers go up: a leaf, or a weighed assembly."""
    bom = draft.bom
    item, quantity = split_name(bom, name)
    if not np.isfinite(value):
        raise UsageError(f"{name} is to be {value}, which is not finite")
    draft.changed.add(item)
    if quantity == "qty":
        draft.said.append(f"{name} {draft.count[item]:g} → {value:g}")
        draft.count[item], draft.measured[item] = value, is_measured(bom, item, value)
        return
    check_number(bom, item, quantity, value)
    column = bom.columns.by_quantity[quantity]
    array, axis = place_of_quantity(draft, quantity)
    positive = bom.options.poi == "+" if bom.sign is None else bool(bom.sign[item] > 0)
    size = column.size(int(bom.rows[item]))
    factor = -size if positive and quantity in INERTIA.columns[3:] else size
    if quantity == "mass" and bom.pieces is not None:
        factor /= float(bom.pieces[item])
    at = item if axis is None else (item, axis)
    if column.percent:
        factor *= abs(float(place_of_quantity(draft, base_of(quantity))[0][at])) / 100
        if not factor:
            raise UsageError(f"{name} is a percentage of a value that is 0 or not known")
    before = "blank" if lacks(draft, item, quantity) else f"{array[at] / factor + 0.0:g}"
    array[at] = value * factor
    draft.given.setdefault(item, []).append(quantity)
    stayed = ", its inertia stayed" if quantity == "mass" and bom.bodies.inertia is not None else ""
    unit = f" {column.unit_at(int(bom.rows[item]))}" if column.unit else ""
    draft.said.append(f"{name} {before} → {value:g}{unit}{stayed}")


def is_measured(bom: Bom, item: int, count: float) -> bool:
    """Tell whether a quantity would be one piece of that size: it is not whole, or has a unit of measure."""
    unit = bom.columns.by_quantity.get("uom")
    text = "" if unit is None or bom.rows[item] < 0 else bom.table.text(int(bom.rows[item]), unit.index)
    none = np.zeros(0, np.intp)
    return bool(read_quantities(Settled(np.array([count]), np.zeros(1, bool), none), [text]).measured[0])


def check_number(bom: Bom, item: int, quantity: str, value: float) -> None:
    """Refuse a number that is computed, has no column, or would be refused in the table itself."""
    name = bom.ids[item]
    if not bom.tree.is_leaf()[item] and not (bom.stated is not None and bom.stated[item]):
        raise UsageError(f"{name} is an assembly: its {quantity} is computed; set one of its leaves, or use --scale")
    if quantity not in bom.columns.by_quantity:
        raise UsageError(f"the table has no column {quantity}")
    if quantity in INERTIA.columns and bom.options.inertia_about is not None:
        about = point_words(bom.options.inertia_about)
        raise UsageError(f"the cells of inertia are about {about}; {quantity} cannot be set without moving them")
    if quantity.removeprefix("sigma_") in INERTIA.columns and bom.bodies.is_point[item]:
        raise UsageError(f"{name} is a point mass, so it has no {quantity}")
    if quantity == "mass" and value < 0 and not bom.options.allow_negative_mass:
        raise UsageError(f"{name}.mass is to be {value:g}; a negative mass needs --allow-negative-mass")
    if quantity.startswith("sigma_") and value < 0:
        raise UsageError(f"{name}.{quantity} is to be {value:g}; a sigma is not negative")


def place_of_quantity(draft: Draft, quantity: str) -> tuple[NDArray[np.float64], int | None]:
    """Give the array that holds a quantity, and its column there (None for masses)."""
    base = quantity.removeprefix("sigma_")
    holder: Bodies | Sigmas | None = draft.sigmas if quantity != base else draft.bodies
    if holder is None:
        raise UsageError(f"{quantity} is not read: the sigma columns are incomplete, or --uncertainty none was given")
    if base == "mass":
        return holder.mass, None
    array = holder.center if base.startswith("C") else holder.inertia
    if array is None:
        raise UsageError(f"the table has no complete set of columns for {quantity}")
    return array, (AXES if base.startswith("C") else ENTRIES).index(base[1:])


def mask_of(draft: Draft, quantity: str) -> Mask | None:
    """Give the mask that tells which items have a quantity."""
    if quantity.startswith("sigma_"):
        if draft.sigmas is None or draft.sigmas.known is None:
            return None
        return draft.sigmas.known[:, TEN.index(quantity.removeprefix("sigma_"))]
    masks = {"m": draft.bodies.has_mass, "C": draft.bodies.has_center, "I": draft.bodies.has_inertia}
    return masks[quantity[0]]


def lacks(draft: Draft, item: int, quantity: str) -> bool:
    """Tell whether an item had no such number before."""
    mask = mask_of(draft, quantity)
    return mask is not None and not mask[item]


def scale_mass(draft: Draft, name: str, factor: float) -> None:
    """Scale mass, inertia and their sigmas of every leaf, and every weighed assembly, at or below an item."""
    bom = draft.bom
    item, quantity = split_name(bom, name)
    if quantity != "mass":
        raise UsageError(f"--scale {name}: only mass can be scaled (with it go inertia and their sigmas)")
    if not np.isfinite(factor) or factor < 0:
        raise UsageError(f"--scale {name}: the factor is {factor:g}; it has to be positive")
    leaves = bom.tree.leaves(item)
    weighed = np.zeros(0, np.intp)
    if bom.stated is not None:
        below = np.append(bom.tree.descendants(item), item)
        weighed = np.unique(below[bom.stated[below]])
    scaled = np.append(leaves, weighed)
    for holder in (draft.bodies, draft.sigmas):
        if holder is not None:
            holder.mass[scaled] *= factor
            if holder.inertia is not None:
                holder.inertia[scaled] *= factor
    draft.changed.update(scaled.tolist())
    and_weighed = (
        f" and {len(weighed):,} weighed {'assembly' if len(weighed) == 1 else 'assemblies'}" if len(weighed) else ""
    )
    draft.said.append(
        f"mass, inertia and their sigmas of {len(leaves):,} {'leaf' if len(leaves) == 1 else 'leaves'}{and_weighed} "
        f"at or below {bom.ids[item]} × {factor:g}"
    )


def drop_item(draft: Draft, name: str) -> None:
    """Leave an item out, and all below it."""
    bom = draft.bom
    item = bom.item(name)
    if item == int(bom.tree.order[0]):
        raise UsageError(f"{name} is the root; without it nothing is left")
    draft.count[item] = 0.0
    draft.changed.add(item)
    draft.said.append(f"{name} dropped")


def settle(draft: Draft) -> None:
    """Hold the changes, all together, to what the table itself is held to, and say which of them stay below."""
    if not draft.changed:
        raise UsageError("nothing is to be changed; say what with --set, --scale or --drop")
    for item, given in draft.given.items():
        complete(draft, item, given)
        if draft.bodies.inertia is not None and any(name in INERTIA.columns for name in given):
            for judged in judge_tensors(draft.bodies.inertia[[item]], lambda _row: np.zeros(6)):
                if judged.rule != "MP405":
                    raise UsageError(f"{draft.bom.ids[item]}: {judged.message}")
    stated = draft.bom.stated
    if stated is not None:
        above = {i for item in draft.changed for i in draft.bom.tree.ancestors(item) if stated[i]}
        draft.said += [f"{draft.bom.ids[i]} is weighed: what is below it does not go up" for i in sorted(above)]


def complete(draft: Draft, item: int, given: list[str]) -> None:
    """Make an item known that had blank cells, where its mass, its coordinates or its moments were all given.

    A sigma is known by itself, and products that are not given are 0 beside moments that are.
    """
    for name in given:
        known = mask_of(draft, name) if name.startswith("sigma_") else None
        if known is not None:
            known[item] = True
    for names in (MASS.columns, CENTER.columns, INERTIA.columns[:3]):
        set_of_them = [name for name in names if name in given]
        mask = mask_of(draft, names[0]) if set_of_them else None
        if mask is None or mask[item]:
            continue
        absent = [name for name in names if name not in given]
        if absent:
            name, there = draft.bom.ids[item], ", ".join(set_of_them)
            raise UsageError(f"{name} has blank cells beside {there}; set {', '.join(absent)} as well")
        mask[item] = True


@dataclass(frozen=True, repr=False)
class WhatIf:
    """What a change does to every assembly above it, root first.

    ``said`` tells what was changed, and what stayed. ``findings`` are those of the table and its roll-up
    before the change.
    """

    bom: Bom
    touched: Touched
    said: tuple[str, ...]
    method: str
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        """Give what was changed, and the root's mass before and after."""
        said = "; ".join(self.said)
        if not self.ids:
            return f"<WhatIf {said}>"
        return f"<WhatIf {said}; mass of {self.ids[0]} {self.before(0).mass} → {self.after(0).mass}>"

    @property
    def ids(self) -> list[str]:
        """The assemblies' ids, root first."""
        return [self.bom.ids[int(i)] for i in self.touched.items[::-1]]

    def before(self, k: int) -> Body:
        """Give assembly ``k`` of ``ids`` as it was."""
        return self._body(self.touched.before, self.touched.before_sigmas, k)

    def after(self, k: int) -> Body:
        """Give assembly ``k`` of ``ids`` as it would be."""
        return self._body(self.touched.after, self.touched.after_sigmas, k)

    def _body(self, bodies: Bodies, sigmas: Sigmas | None, k: int) -> Body:
        at = len(self.touched.items) - 1 - k
        return Body.of(bodies, at, sigmas, name=self.ids[k], units=self.bom.units_of_body())

    def to_dict(self) -> dict[str, Any]:
        """Give the changes and every assembly before, after and their difference as plain JSON values."""
        units = self.bom.units
        return {
            "changes": list(self.said),
            "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
            "uncertainty": self.method,
            "items": [self._item(k) for k in range(len(self.ids))],
        }

    def _item(self, k: int) -> dict[str, Any]:
        before, after = numbers_of(self.before(k)), numbers_of(self.after(k))
        change = {name: difference(before[name], after[name]) for name in before}
        return {"id": self.ids[k], "before": before, "after": after, "difference": change}


def difference(before: float | None, after: float | None) -> float | None:
    """Give after − before, where both are known."""
    return None if before is None or after is None else after - before


def numbers_of(body: Body) -> dict[str, float | None]:
    """Give a body's numbers by their canonical names; None where not known."""
    from massprops_cli.bodies.bodies import six

    numbers: dict[str, float | None] = {"mass": body.mass if np.isfinite(body.mass) else None}
    for name, array in (("C", body.center), ("sigma_C", body.sigma_center)):
        numbers |= {f"{name}{a}": None if array is None else float(array[i]) for i, a in enumerate(AXES)}
    for name, tensor in (("I", body.inertia), ("sigma_I", body.sigma_inertia)):
        flat = None if tensor is None else six(tensor).tolist()
        numbers |= {f"{name}{e}": None if flat is None else flat[i] for i, e in enumerate(ENTRIES)}
    numbers["sigma_mass"] = body.sigma_mass
    return numbers


def whatif(
    bom: Bom,
    *,
    set: Mapping[str, float] | None = None,
    scale: Mapping[str, float] | None = None,
    drop: Iterable[str] = (),
    uncertainty: str = "auto",
    correlate: str = "none",
    correlate_centers: bool = False,
    correlations: str = "",
    keep_going: bool = False,
) -> WhatIf:
    """Change leaves and roll up again what stands above them.

    ``set`` maps ``ID.quantity`` to a number in the column's own unit, the name after the last dot being the quantity
    (``P.1.mass``, ``P.1.Cx``, ``P.1.sigma_mass``, ``P.1.qty``): that one number changes, and nothing else. ``scale``
    maps ``ID.mass`` to a factor for mass, inertia and their sigmas of every leaf at or below ID. ``drop`` leaves items
    out. ``uncertainty`` and whose errors are shared are those of ``rollup``, ``montecarlo`` excepted. Raises UsageError
    for an id or a quantity that is not there, for a number set on an assembly that is computed, and for numbers that no
    body has; FindingsError when the table has errors, as ``rollup`` does without ``keep_going``.

    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> change = whatif(Bom.from_records(rows), set={"a.mass": 4.0})
    >>> change.before(0).mass, change.after(0).mass
    (5.0, 7.0)
    """
    if uncertainty == "montecarlo":
        raise UsageError("whatif compares numbers, not samples; use uncertainty covariance, massprops or none")
    result = rollup(
        bom,
        uncertainty,
        keep_going=keep_going,
        correlate=correlate,
        correlate_centers=correlate_centers,
        correlations=correlations,
    )
    rolled = result.rollup
    draft = draft_of(bom, rolled)
    for name, value in (set or {}).items():
        set_number(draft, name, value)
    for name, factor in (scale or {}).items():
        scale_mass(draft, name, factor)
    for name in drop:
        drop_item(draft, name)
    settle(draft)
    quantity = Quantity(draft.count, draft.measured)
    touched = recompute(
        bom.tree,
        rolled,
        draft.bodies,
        draft.sigmas,
        quantity,
        np.array(sorted(draft.changed)),
        stated=bom.stated,
        correlation=sharing_after(result, quantity),
    )
    return WhatIf(bom, touched, tuple(draft.said), rolled.method, result.findings)


def sharing_after(result: Result, quantity: Quantity) -> Correlation | None:
    """Say whose errors are shared with other quantities: one bolt shares with nobody, eight with each other."""
    if result.asked.method != "covariance":
        return None
    return sharing_of(replace(result.bom, quantity=quantity), result.asked)[0]


def assignment(text: str, option: str) -> tuple[str, float]:
    """Take ``ID.quantity=value`` of the command line apart.

    >>> assignment("P.1.mass=2.2", "--set")
    ('P.1.mass', 2.2)
    """
    name, equals, number = text.rpartition("=")
    value = read_number(number)
    if not equals or value is None:
        raise UsageError(f"{option} {text}: write {option} ID.quantity=number, for instance {option} P.1.mass=2.2")
    return name, value
