"""The items that changed as a table, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.budget.diff.changes import Change
from massprops_cli.budget.diff.contributing import RESULTS

if TYPE_CHECKING:
    import pandas as pd

Index = NDArray[np.intp]


class Sided(NamedTuple):
    """One file's part in k rows: its items ``at (k,)``, −1 where it has none, and their masses in the new units."""

    bom: Bom
    at: Index
    mass: NDArray[np.float64]


def frame_of(
    old: Sided, new: Sided, changes: NDArray[np.int16], reasons: Sequence[str], contributions: NDArray[np.float64]
) -> pd.DataFrame:
    """Give k items, a row each: what changed, before and after, and contributions ``(k, 12)`` as ``d_mass`` …"""
    import pandas as pd

    words = {flags: ", ".join(Change(flags).words) for flags in np.unique(changes).tolist()}
    ids = zip(picked(new.bom.ids, new.at), picked(old.bom.ids, old.at), strict=True)
    names = zip(names_of(new.bom, new.at), names_of(old.bom, old.at), strict=True)
    columns: dict[str, Any] = {
        "id": [here if here is not None else gone for here, gone in ids],
        "name": [here or gone or "" for here, gone in names],
        "changes": [words[flags] for flags in changes.tolist()],
        "reason": reasons,
    }
    ends = ("before", old), ("after", new)
    columns |= {f"parent_{end}": parents_of(side.bom, side.at) for end, side in ends}
    columns |= {f"qty_{end}": where_there(side, side.bom.quantity.count[side.at]) for end, side in ends}
    columns |= {f"mass_{end}": where_there(side, side.mass) for end, side in ends}
    columns |= {f"d_{name}": contributions[:, k] for k, name in enumerate(RESULTS)}
    return pd.DataFrame(columns)


def where_there(side: Sided, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Blank the rows in which a file has no item."""
    return np.where(side.at >= 0, values, np.nan)


def picked(texts: Sequence[str], at: Index) -> list[str | None]:
    """Give some texts; None where there is no item (−1).

    >>> picked(["a", "b"], np.array([1, -1]))
    ['b', None]
    """
    return [texts[i] if i >= 0 else None for i in at.tolist()]


def names_of(bom: Bom, at: Index) -> list[str | None]:
    """Give the names of some items."""
    return [None] * len(at) if bom.names is None else picked(bom.names, at)


def parents_of(bom: Bom, at: Index) -> list[str | None]:
    """Give the ids of the parents of some items; empty for a root, None where there is no item."""
    parent = bom.tree.parent[at]
    return [None if i < 0 else bom.ids[p] if p >= 0 else "" for i, p in zip(at.tolist(), parent.tolist(), strict=True)]
