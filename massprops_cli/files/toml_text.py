"""TOML as tables, with bounds on its nesting, its keys and its integers."""

from __future__ import annotations

import re
from typing import Any

_MOST_PARTS = 1_000
"""Parts of a dotted key; the time to parse one grows with the square of them."""
_LARGEST_INTEGER = 2**63
_DOTTED_KEY = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){2,}+""")


def toml_tables(text: str) -> dict[str, Any]:
    """Parse a TOML document.

    Parameters
    ----------
    text : str
        Content of the file.

    Returns
    -------
    dict of str to object
        Tables and values by their keys.

    Raises
    ------
    ValueError
        Invalid TOML, or a document that nests too deeply, or has a key or an integer that is too long; the message
        has the reason.

    Examples
    --------
    >>> toml_tables("a.b = 1")
    {'a': {'b': 1}}
    >>> toml_tables("a = " + "9" * 5_000)
    Traceback (most recent call last):
    ...
    ValueError: an integer does not fit in 64 bits
    """
    import tomllib

    longest = max((key.group().count(".") for key in _DOTTED_KEY.finditer(text)), default=0)
    if longest >= _MOST_PARTS:
        raise ValueError(f"a dotted key has more than {_MOST_PARTS:,} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), which converts no more than 4,300 digits
        raise ValueError("an integer does not fit in 64 bits") from None
    _check_integers(tables)
    return tables


def _check_integers(tables: dict[str, Any]) -> None:
    """Raise ValueError for an integer that TOML does not provide for."""
    inner: list[Any] = [tables]
    while inner:
        value = inner.pop()
        if isinstance(value, dict):
            inner += value.values()
        elif isinstance(value, list):
            inner += value
        elif isinstance(value, int) and not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
            raise ValueError("an integer does not fit in 64 bits")
