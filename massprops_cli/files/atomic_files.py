"""Atomic writing of files: a temporary file in the same folder is flushed to disk, then renamed."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from massprops_cli.findings import OutputError


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be written; it appears under its name only when the block ends well.

    Whatever goes wrong, an exception or Ctrl-C, the old file is intact and the temporary one is gone. A symbolic
    link is followed; pipes and devices are written directly. Raises OutputError with the reason.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"whole")
    ...     (Path(folder) / "a.txt").read_bytes()
    b'whole'
    """
    shown, target = Path(path), Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode if target.exists() else None
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise OutputError(f"cannot write {shown}: it is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        try:
            with target.open("wb") as file:
                yield file
        except OSError as error:
            raise _unwritable_file_error(shown, error) from error
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_current_umask())  # noqa: PTH101 - as its twins
        os.replace(temporary, target)  # noqa: PTH105 - the one step that is all or nothing
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 - as its twins


def _current_umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unwritable_file_error(path: Path, error: OSError) -> OutputError:
    """Return the error for a file that cannot be written, with its reason."""
    reasons = {
        errno.ENOSPC: "disk is full",
        errno.EDQUOT: "disk quota exceeded",
        errno.EACCES: "permission denied; the file may be open in another program, or the folder read-only",
        errno.EPERM: "permission denied; the file may be open in another program, or the folder read-only",
        errno.EROFS: "file system is read-only",
        errno.ENOENT: "folder does not exist",
        errno.ENOTDIR: "parent path is not a folder",
        errno.ENAMETOOLONG: "file name is too long",
        errno.EBUSY: "file is in use by another program",
    }
    reason = reasons.get(error.errno or 0, error.strerror or str(error))
    return OutputError(f"cannot write {path}: {reason}")
