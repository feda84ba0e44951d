"""In which sign convention each row's products of inertia are written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.content import Content
from massprops_cli.findings import UsageError
from massprops_cli.tree.tree import Tree


def written_signs(bom: Content) -> NDArray[np.int8]:
    """Give +1, −1, or 0 where nobody says, for every item (``--write-poi``).

    ``keep``, and ``none`` where nothing is written: a row's own cell; a blank assembly cell takes the sign its children
    share. Without the column, ``--poi``.
    """
    n = len(bom)
    if bom.options.write_poi in ("+", "-"):
        if bom.sign is None and bom.options.write_poi != bom.options.poi and bom.bodies.inertia is not None:
            raise UsageError(
                f"--write-poi {bom.options.write_poi} needs a column POIconv: without it nobody could tell the "
                "assemblies' products of inertia from the leaves'"
            )
        fixed = 1 if bom.options.write_poi == "+" else -1
        signs = np.full(n, fixed, np.int8)
        if bom.sign is not None:  # a leaf's cell stays as it stands in the file
            leaf = bom.tree.is_leaf()
            signs[leaf] = bom.sign[leaf]
        return signs
    if bom.sign is None:
        return np.full(n, {"+": 1, "-": -1}.get(bom.options.poi, 0), np.int8)
    return shared_signs(bom.tree, bom.sign)


def shared_signs(tree: Tree, sign: NDArray[np.int8]) -> NDArray[np.int8]:
    """Give every assembly without a sign the one that all its children have.

    >>> shared_signs(Tree.from_parents(np.array([-1, 0, 0], np.int32)), np.array([0, 1, 1], np.int8)).tolist()
    [1, 1, 1]
    """
    blank = (sign == 0) & ~tree.is_leaf()
    if not blank.any():
        return sign
    used = {s for s in (-1, 1) if (sign == s).any()}
    signs = sign.copy()
    if len(used) == 1:
        signs[blank] = used.pop()
        return signs
    at = signs[tree.order].tolist()
    where = np.flatnonzero(blank[tree.order])[::-1]  # children stand after their parents
    first = tree.first_child[where]
    ends = first + tree.n_children[where]
    for p, start, end in zip(where.tolist(), first.tolist(), ends.tolist(), strict=True):
        shared = set(at[start:end]) - {0}
        if len(shared) == 1:
            at[p] = shared.pop()
    signs[tree.order] = at
    return signs
