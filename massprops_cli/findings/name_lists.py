"""Names in messages: shortened lists, and the nearest name to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def name_list(names: Sequence[str], most: int = 6, *, count: int | None = None) -> str:
    """Return the first names as text, and the number of the others.

    Parameters
    ----------
    names : sequence of str
        Names.
    most : int, optional
        Maximum number of names to list.
    count : int, optional
        Number of all names, if more than ``names``.

    Returns
    -------
    str
        Such as ``a, b and 1 more``.

    Examples
    --------
    >>> name_list(["a", "b", "c"], 2), name_list(["a", "b"], 2), name_list(["a"], 1, count=1_500)
    ('a, b and 1 more', 'a, b', 'a and 1,499 more')
    """
    more = (len(names) if count is None else count) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


_LEAST_SIMILARITY = 0.6
"""Least ratio of a similar name, from 0 to 1; ``colour`` and ``qty_column`` have 0.5."""


def nearest_name_hint(wanted: str, names: Iterable[str]) -> str:
    """Return the nearest name to an unknown one, as the end of a message.

    Parameters
    ----------
    wanted : str
        The unknown name.
    names : iterable of str
        Known names.

    Returns
    -------
    str
        ``; the nearest is …``, or an empty text if no name is similar.

    Examples
    --------
    >>> nearest_name_hint("mas", ["mass", "Cx"])
    '; the nearest is mass'
    >>> nearest_name_hint("colour", ["qty_column"])
    ''
    """
    near = nearest_name(wanted, names)
    return f"; the nearest is {near}" if near else ""


def nearest_name(wanted: str, names: Iterable[str]) -> str:
    """Return the most similar name.

    Parameters
    ----------
    wanted : str
        The unknown name.
    names : iterable of str
        Known names.

    Returns
    -------
    str
        Name; empty if no name is similar.

    Examples
    --------
    >>> nearest_name("mas", ["mass", "Cx"]), nearest_name("mas", ["Cx"])
    ('mass', '')
    """
    import difflib

    by_fold = {name.casefold(): name for name in names if name.strip()}
    near = difflib.get_close_matches(wanted.casefold(), list(by_fold), 1, cutoff=_LEAST_SIMILARITY)
    return by_fold[near[0]] if near else ""
