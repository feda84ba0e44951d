"""What if: changed, scaled or dropped items of a bill of materials, and what that does to everything above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.body import Body
from massprops_cli.bom.answers.changes import draft_of, drop_item, scale_mass, set_number, settle
from massprops_cli.bom.answers.result import Result
from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.sets import AXES, ENTRIES
from massprops_cli.bom.uncertain.correlating import sharing_of
from massprops_cli.findings import Finding, UsageError
from massprops_cli.rollup.correlation import Correlation
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.whatif import Touched, recompute
from massprops_cli.tables.cells.numbers import read_number


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
    from massprops_cli.bodies.tensor import six

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
) -> WhatIf:
    """Change leaves and roll up again what stands above them.

    ``set`` maps ``ID.quantity`` to a number in the column's own unit, the name after the last dot being the quantity
    (``P.1.mass``, ``P.1.Cx``, ``P.1.sigma_mass``, ``P.1.qty``): that one number changes, and nothing else. ``scale``
    maps ``ID.mass`` to a factor for mass, inertia and their sigmas of every leaf at or below ID. ``drop`` leaves items
    out. ``uncertainty`` and whose errors are shared are those of ``rollup``, ``montecarlo`` excepted. Raises UsageError
    for an id or a quantity that is not there, for a number set on an assembly that is computed, and for numbers that no
    body has; FindingsError when the table has errors.

    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> change = whatif(Bom.from_records(rows), set={"a.mass": 4.0})
    >>> change.before(0).mass, change.after(0).mass
    (5.0, 7.0)
    """
    if uncertainty == "montecarlo":
        raise UsageError("whatif compares numbers, not samples; use uncertainty covariance, massprops or none")
    result = rollup(
        bom, uncertainty, correlate=correlate, correlate_centers=correlate_centers, correlations=correlations
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
