"""Names in messages: lists that are cut short, and the name that a wrong word is probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def name_list(names: Sequence[str], most: int = 6, *, count: int | None = None) -> str:
    """List at most ``most`` names and count the others; ``count`` is the number of all names if more than ``names``.

    >>> name_list(["a", "b", "c"], 2), name_list(["a", "b"], 2), name_list(["a"], 1, count=1_500)
    ('a, b and 1 more', 'a, b', 'a and 1,499 more')
    """
    more = (len(names) if count is None else count) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def nearest_name_hint(wanted: str, names: Iterable[str], cutoff: float = 0.5) -> str:
    """Give ``; the nearest is …`` for a message, or nothing; ``cutoff`` is the least similarity, from 0 to 1.

    >>> nearest_name_hint("mas", ["mass", "Cx"])
    '; the nearest is mass'
    """
    near = nearest_name(wanted, names, cutoff)
    return f"; the nearest is {near}" if near else ""


def nearest_name(wanted: str, names: Iterable[str], cutoff: float = 0.5) -> str:
    """Return the most similar name, or nothing; ``cutoff`` is the least similarity, from 0 to 1.

    >>> nearest_name("mas", ["mass", "Cx"]), nearest_name("mas", ["Cx"])
    ('mass', '')
    """
    import difflib

    by_fold = {name.casefold(): name for name in names if name.strip()}
    near = difflib.get_close_matches(wanted.casefold(), list(by_fold), 1, cutoff=cutoff)
    return by_fold[near[0]] if near else ""
