"""The command line as typed, for remedies that print a whole command with the options already given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_TYPED: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())


@contextmanager
def typed_line(words: Sequence[str]) -> Iterator[None]:
    """Keep the words behind ``massprops`` while the command runs."""
    token = _TYPED.set(tuple(words))
    try:
        yield
    finally:
        _TYPED.reset(token)


def typed_words() -> tuple[str, ...]:
    """Give the words behind ``massprops`` of the command that runs; none where the library is called.

    >>> with typed_line(["tree", "a.csv"]):
    ...     typed_words()
    ('tree', 'a.csv')
    """
    return _TYPED.get()
