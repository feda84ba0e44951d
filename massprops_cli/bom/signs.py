"""In which sign convention each row's products of inertia are written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.tree.tree import Tree


def written_signs(bom: Bom) -> NDArray[np.int8]:
    """Give +1, −1, or 0 where nobody says, for every item (``--write-poi``).

    ``keep``: a row's own cell; a blank assembly cell takes the sign its children share. Without the column, ``--poi``.
    """
    n = len(bom)
    if bom.options.write_poi in ("+", "-"):
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
    used = set(np.unique(sign).tolist()) - {0}
    signs = sign.copy()
    if len(used) == 1:
        signs[blank] = used.pop()
        return signs
    position_sign = signs[tree.order]
    for p in np.flatnonzero(blank[tree.order])[::-1].tolist():  # children stand after their parents
        first = int(tree.first_child[p])
        shared = set(np.unique(position_sign[first : first + int(tree.n_children[p])]).tolist()) - {0}
        if len(shared) == 1:
            position_sign[p] = shared.pop()
    signs[tree.order] = position_sign
    return signs
