"""What a header looks like: a row that names items and something to add up, a name that speaks of a quantity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from massprops_cli.tables.columns.headings import LONGEST, read_heading, squeeze
from massprops_cli.tables.units.quantities import OWN_OUTPUT
from massprops_cli.tables.words import words

NAMING = frozenset(("id", "parent", "child", "level", "item", "name", "part"))
"""Quantities that say which item a row is, or where in the tree it stands."""

_LOOKS = (
    r"mass|weight|gewicht|inertia|gyration|quantity|ipoint|poi\s?conv|sigma|center of|centre of"
    r"|(?:^|[^a-z])(?:qty|moi|poi|wt|cg|cog|com|[cijk][xyz]|[ijl][xyz]{2})(?:$|[^a-z])"
)


@lru_cache(maxsize=1)
def group_words() -> frozenset[str]:
    """Load the headers of columns that name groups, squeezed."""
    return frozenset(squeeze(text) for entry in words("groups")["group"] for text in entry["texts"])


def looks_like_quantity(text: str) -> bool:
    """Tell whether a header that was not read has the look of a quantity.

    >>> looks_like_quantity("Mass margin"), looks_like_quantity("Supplier")
    (True, False)
    """
    words = text.strip().replace("_", " ")[:LONGEST]
    return not text.strip().startswith(OWN_OUTPUT) and re.search(_LOOKS, words, re.IGNORECASE) is not None


def looks_like_header(texts: Sequence[str]) -> bool:
    """Tell whether a row names something to identify items by and something to add up.

    >>> looks_like_header(["Part Number", "Qty", "Weight (lb)"]), looks_like_header(["Month", "Cost"])
    (True, False)
    >>> looks_like_header(["Group", "Weight (lb)"])
    True
    """
    named = {read_heading(text).quantity for text in texts}
    names_items = bool(named & NAMING) or any(squeeze(text) in group_words() for text in texts if text.strip())
    return names_items and bool(named & {"mass", "line_mass", "Cx", "Ixx", "sigma_mass"})
