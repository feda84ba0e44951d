"""Regular expressions that are compiled at their first use: a run needs few of those that a table could need."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = (text, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._arguments)
        # from now on every method is the compiled pattern's own
        self.__dict__.update((own, getattr(compiled, own)) for own in dir(compiled) if not own.startswith("_"))
        return getattr(compiled, name)


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Make a regular expression that is compiled at its first use.

    Parameters
    ----------
    text : str
        The regular expression.
    flags : int
        As of ``re.compile``.

    Returns
    -------
    re.Pattern
        An object with the methods of a compiled pattern.

    Examples
    --------
    >>> lazy_pattern(r"[a-z]+").fullmatch("mass")[0]
    'mass'
    """
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
