"""Which leaves make the mass of an item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.findings import Finding, FindingsError
from massprops_cli.rollup.flat import flat_of

if TYPE_CHECKING:
    import pandas as pd


class MassShare(NamedTuple):
    """A leaf with its mass in the item, all its pieces together, its share, and that of all leaves down to it."""

    name: str
    label: str
    pieces: float
    mass: float
    share: float
    cumulative: float


@dataclass(frozen=True, repr=False, eq=False)
class MassPareto:
    """The leaves of one item, the heaviest first.

    ``items (k,)`` are their numbers, ``pieces (k,)`` how often each counts, ``mass (k,)`` that of all its pieces.
    """

    bom: Bom
    item: int
    items: NDArray[np.intp]
    pieces: NDArray[np.float64]
    mass: NDArray[np.float64]

    def __len__(self) -> int:
        """Give the number of leaves."""
        return len(self.items)

    def __repr__(self) -> str:
        """Give the item's mass, and the heaviest leaf."""
        first = next(self.rows(1), None)
        head = f"<MassPareto of {self.id}: {self.total:g} {self.unit}".rstrip()
        return head + ("" if first is None else f"; {100 * first.share:.1f} % is {first.name}") + ">"

    @property
    def id(self) -> str:
        """The id of the item."""
        return self.bom.ids[self.item]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the table."""
        return self.bom.findings

    @property
    def unit(self) -> str:
        """The unit of the masses, empty when the table states none."""
        return self.bom.units.mass

    @property
    def total(self) -> float:
        """The mass of the item."""
        return float(self.mass.sum())

    def rows(self, top: int | None = None) -> Iterator[MassShare]:
        """Give the leaves, the heaviest first; ``top`` so many of them."""
        bom, total = self.bom, self.total
        share = self.mass / total if total else np.zeros(len(self))
        cumulative = np.cumsum(share)
        for k, i in enumerate(self.items[:top].tolist()):
            label = "" if bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i]
            numbers = (float(array[k]) for array in (self.pieces, self.mass, share, cumulative))
            yield MassShare(bom.ids[i], label, *numbers)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Give the leaves as plain JSON values; ``top`` limits them."""
        rows = [row._asdict() for row in self.rows(top)]
        return {"item": self.id, "mass": self.total, "unit": self.unit, "leaves": len(self), "shares": rows}

    def to_dataframe(self) -> pd.DataFrame:
        """Give the leaves as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(MassShare._fields))


def mass_pareto(bom: Bom, item: str | None = None) -> MassPareto:
    """Sort the leaves of an item, the root without ``item``, by the mass that they add to it.

    A leaf that stands in assemblies with quantities counts with all its pieces. Raises UsageError where a mass is not
    known, FindingsError when the table has errors.

    >>> parts = [{"id": "a", "parent": "top", "mass": 1.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> mass_pareto(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    <MassPareto of top: 4; 75.0 % is b>
    """
    if bom.has_errors:
        raise FindingsError(bom.findings)
    number = int(bom.tree.order[0]) if item is None else bom.item(item)
    flat = flat_of(bom.tree, bom.bodies, bom.quantity, number, stated=bom.stated, needs="mass")
    mass = flat.times * flat.mass
    order = np.argsort(-np.abs(mass), kind="stable")
    return MassPareto(bom, number, flat.items[order], flat.times[order], mass[order])
