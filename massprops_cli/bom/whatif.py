"""What if: changed, scaled or dropped items of a bill of materials, and what that does to everything above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.body import Body
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rolling import rollup
from massprops_cli.bom.sets import AXES, ENTRIES
from massprops_cli.findings import UsageError
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.whatif import Touched, recompute
from massprops_cli.tables.numbers import read_number

SETTABLE = ("mass", *(f"C{a}" for a in AXES), *(f"I{e}" for e in ENTRIES), "qty")


@dataclass(frozen=True)
class WhatIf:
    """What a change does to every assembly above it, root first.

    ``said`` tells what was changed, and what stayed. ``rows`` pairs each assembly's body before with the one after.
    """

    bom: Bom
    touched: Touched
    said: tuple[str, ...]
    method: str

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
    from massprops_cli.bodies.tensor import six

    numbers: dict[str, float | None] = {"mass": body.mass if np.isfinite(body.mass) else None}
    for name, array in (("C", body.center), ("sigma_C", body.sigma_center)):
        numbers |= {f"{name}{a}": None if array is None else float(array[i]) for i, a in enumerate(AXES)}
    for name, tensor in (("I", body.inertia), ("sigma_I", body.sigma_inertia)):
        flat = None if tensor is None else six(tensor).tolist()
        numbers |= {f"{name}{e}": None if flat is None else flat[i] for i, e in enumerate(ENTRIES)}
    numbers["sigma_mass"] = body.sigma_mass
    return numbers


@dataclass
class Draft:
    """The leaves' numbers with the changes in them."""

    bom: Bom
    bodies: Bodies
    sigmas: Sigmas | None
    count: NDArray[np.float64]
    measured: NDArray[np.bool_]
    changed: set[int] = field(default_factory=set)
    said: list[str] = field(default_factory=list)


def whatif(
    bom: Bom,
    *,
    set: Mapping[str, float] | None = None,
    scale: Mapping[str, float] | None = None,
    drop: Iterable[str] = (),
    uncertainty: str = "auto",
) -> WhatIf:
    """Change leaves and roll up again what stands above them.

    ``set`` maps ``ID.quantity`` to a number in the column's own unit, the name after the last dot being the quantity
    (``P.1.mass``, ``P.1.Cx``, ``P.1.sigma_mass``, ``P.1.qty``): that one number changes, and nothing else. ``scale``
    maps ``ID.mass`` to a factor for mass, inertia and their sigmas of every leaf at or below ID. ``drop`` leaves items
    out. Raises UsageError for an id or a quantity that is not there, and for a number set on an assembly;
    FindingsError when the table has errors.

    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> change = whatif(Bom.from_records(rows), set={"a.mass": 4.0})
    >>> change.before(0).mass, change.after(0).mass
    (5.0, 7.0)
    """
    rolled = rollup(bom, uncertainty).rollup
    draft = draft_of(bom, with_sigmas=rolled.sigmas is not None)
    for name, value in (set or {}).items():
        set_number(draft, name, value)
    for name, factor in (scale or {}).items():
        scale_mass(draft, name, factor)
    for name in drop:
        item = bom.item(name)
        if item == int(bom.tree.order[0]):
            raise UsageError(f"{name} is the root; without it nothing is left")
        draft.count[item] = 0.0
        draft.changed.add(item)
        draft.said.append(f"{name} dropped")
    if not draft.changed:
        raise UsageError("nothing is to be changed; say what with --set, --scale or --drop")
    touched = recompute(
        bom.tree,
        rolled,
        draft.bodies,
        draft.sigmas,
        Quantity(draft.count, draft.measured),
        np.array(sorted(draft.changed)),
    )
    return WhatIf(bom, touched, tuple(draft.said), rolled.method)


def draft_of(bom: Bom, *, with_sigmas: bool) -> Draft:
    """Copy the numbers of a bill of materials to be changed."""
    bodies, sigmas = bom.bodies, bom.sigmas
    copied = replace(
        bodies,
        mass=bodies.mass.copy(),
        center=None if bodies.center is None else bodies.center.copy(),
        inertia=None if bodies.inertia is None else bodies.inertia.copy(),
    )
    copied_sigmas = None
    if sigmas is not None and with_sigmas:
        copied_sigmas = replace(
            sigmas,
            mass=sigmas.mass.copy(),
            center=None if sigmas.center is None else sigmas.center.copy(),
            inertia=None if sigmas.inertia is None else sigmas.inertia.copy(),
        )
    return Draft(bom, copied, copied_sigmas, bom.quantity.count.copy(), bom.quantity.measured.copy())


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
    """Change one number of a leaf."""
    bom = draft.bom
    item, quantity = split_name(bom, name)
    if quantity != "qty" and not bom.tree.is_leaf()[item]:
        raise UsageError(
            f"{bom.ids[item]} is an assembly: its {quantity} is computed; set one of its leaves, or use --scale"
        )
    if not np.isfinite(value):
        raise UsageError(f"{name} is to be {value}, which is not finite")
    draft.changed.add(item)
    if quantity == "qty":
        draft.said.append(f"{name} {draft.count[item]:g} → {value:g}")
        draft.count[item], draft.measured[item] = value, draft.measured[item] or value != int(value)
        return
    column = bom.columns.by_quantity.get(quantity)
    if column is None:
        raise UsageError(f"the table has no column {quantity}")
    array, axis = place_of_quantity(draft, quantity)
    positive = bom.options.poi == "+" if bom.sign is None else bool(bom.sign[item] > 0)
    sign = -1.0 if positive and quantity in ("Ixy", "Ixz", "Iyz") else 1.0
    before = float(array[item] if axis is None else array[item, axis]) / column.factor * sign
    check_value(bom, item, quantity, value)
    if axis is None:
        array[item] = value * column.factor
    else:
        array[item, axis] = value * column.factor * sign
    stayed = ", its inertia stayed" if quantity == "mass" and bom.bodies.inertia is not None else ""
    unit = f" {column.unit}" if column.unit else ""
    draft.said.append(f"{name} {before:g} → {value:g}{unit}{stayed}")


def check_value(bom: Bom, item: int, quantity: str, value: float) -> None:
    """Refuse what the table itself would be refused for."""
    if quantity == "mass" and value < 0 and not bom.options.allow_negative_mass:
        raise UsageError(f"{bom.ids[item]}.mass is to be {value:g}; a negative mass needs --allow-negative-mass")
    if quantity.startswith("sigma_") and value < 0:
        raise UsageError(f"{bom.ids[item]}.{quantity} is to be {value:g}; a sigma is not negative")


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


def scale_mass(draft: Draft, name: str, factor: float) -> None:
    """Scale mass, inertia and their sigmas of every leaf at or below an item."""
    bom = draft.bom
    item, quantity = split_name(bom, name)
    if quantity != "mass":
        raise UsageError(f"--scale {name}: only mass can be scaled (with it go inertia and their sigmas)")
    if not np.isfinite(factor) or factor < 0:
        raise UsageError(f"--scale {name}: the factor is {factor:g}; it has to be positive")
    leaves = bom.tree.leaves(item)
    draft.bodies.mass[leaves] *= factor
    if draft.bodies.inertia is not None:
        draft.bodies.inertia[leaves] *= factor
    if draft.sigmas is not None:
        draft.sigmas.mass[leaves] *= factor
        if draft.sigmas.inertia is not None:
            draft.sigmas.inertia[leaves] *= factor
    draft.changed.update(leaves.tolist())
    draft.said.append(
        f"mass, inertia and their sigmas of {len(leaves):,} leaves at or below {bom.ids[item]} × {factor:g}"
    )


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
