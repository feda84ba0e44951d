"""What a wrong word may have been meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(wanted: str, names: Iterable[str]) -> str:
    """Give ``; the nearest is …`` for a message, or nothing.

    >>> nearest("mas", ["mass", "Cx"])
    '; the nearest is mass'
    """
    import difflib

    by_fold = {name.casefold(): name for name in names if name.strip()}
    near = difflib.get_close_matches(wanted.casefold(), list(by_fold), 1, cutoff=0.5)
    return f"; the nearest is {by_fold[near[0]]}" if near else ""
