"""Partial files: the temporary file of an output, and those that runs that were killed left next to it.

A partial file has the name ``.OUTPUT.massprops-XXXXXXXX.part``. Its writer holds a lock on it (``flock``) until it is
renamed or deleted, and the system releases the lock of a process that ends in any way. A partial file is a leftover if
it has this name, belongs to this user, and no process holds its lock. A writer whose file was deleted before it had the
lock makes another one. Process ids are not used: they are reused, and unknown on other computers. Where the system has
no locks, a file that did not change for a day is a leftover.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PARTIAL_FILE_SUFFIX = ".part"
"""How the name of a temporary file ends."""
_IDLE_SECONDS = 86_400.0
"""Age of a leftover where the system has no locks."""


def partial_file_prefix(target: Path) -> str:
    """Return how the name of the temporary file of an output begins."""
    return f".{target.name}.massprops-"


def lock_partial_file(handle: int, path: str) -> int | None:
    """Lock the temporary file of an output."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileNotFoundError(errno.ENOENT, "temporary file was deleted") from None
    except OSError:  # a file system without locks
        return None
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, "temporary file was deleted")
    return os.dup(handle)


def release_partial_file(lock: int | None) -> None:
    """Release the lock of a temporary file."""
    if lock is not None:
        with suppress(OSError):
            os.close(lock)


@dataclass(frozen=True, slots=True)
class _Leftovers:
    """Partial files of runs that were killed, next to the outputs of one run."""

    is_removed: bool
    """Delete what is found."""
    files: list[Path]
    """The files found, in the order of the outputs."""


_COLLECTOR: ContextVar[_Leftovers | None] = ContextVar("leftovers", default=None)


@contextmanager
def collect_leftovers(*, is_removed: bool = False) -> Iterator[_Leftovers]:
    """Collect the leftovers next to every output that ``atomic_file`` writes in a block."""
    token = _COLLECTOR.set(_Leftovers(is_removed, []))
    try:
        found = _COLLECTOR.get()
        assert found is not None
        yield found
    finally:
        _COLLECTOR.reset(token)


def find_leftovers(target: Path) -> None:
    """Add the leftovers next to an output to the collector, where there is one."""
    collector = _COLLECTOR.get()
    if collector is None:
        return
    named = re.compile(re.escape(partial_file_prefix(target)) + "[a-z0-9_]{8}" + re.escape(PARTIAL_FILE_SUFFIX))
    with suppress(OSError):
        for path in sorted(target.parent.iterdir()):
            if named.fullmatch(path.name) and path not in collector.files and _is_leftover(path, collector.is_removed):
                collector.files.append(path)


def _is_leftover(path: Path, is_removed: bool) -> bool:
    """Return whether no process writes a partial file; delete it on request while its lock is held."""
    try:
        found = path.lstat()
        user = os.geteuid() if hasattr(os, "geteuid") else 0
        if not stat.S_ISREG(found.st_mode) or user not in (0, found.st_uid):
            return False
        if fcntl is None and time.time() - found.st_mtime < _IDLE_SECONDS:
            return False
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_removed:
                path.unlink()
        finally:
            os.close(handle)
    except OSError:  # locked, deleted meanwhile, or not ours to open
        return False
    return True
