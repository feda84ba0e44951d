"""Texts that a spreadsheet would run as a formula when it opens a text file."""

from __future__ import annotations

import re

# a sign is harmless before a word or a number, not before a call, a pipe or a cell reference
_RUNS = re.compile(
    r"[=@\t\r]|[+-](?=.*(?:\w\(|\||(?<![A-Za-z0-9_])\$?[A-Za-z]{1,3}\$?[0-9]+(?![A-Za-z0-9_])))", re.DOTALL
)
_NUMBER = re.compile(r"[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def is_run(text: str) -> bool:
    """Tell whether a spreadsheet would take a text for a formula that does something.

    >>> [is_run(t) for t in ("=1+1", "@SUM(A1)", "-A1", "+cmd|' /C calc'!A0", "-X panel", "+", "-1.5")]
    [True, True, True, True, False, False, False]
    """
    return bool(text) and text[0] in "=@\t\r+-" and bool(_RUNS.match(text)) and not _NUMBER.fullmatch(text)


def guarded(text: str) -> str:
    """Put an apostrophe before a text that would be run."""
    return f"'{text}" if is_run(text) else text


def bared(text: str) -> str:
    """Take off the apostrophe that `guarded` put there.

    >>> bared("'=A1"), bared("'tis")
    ('=A1', "'tis")
    """
    return text[1:] if text[:1] == "'" and is_run(text[1:]) else text
