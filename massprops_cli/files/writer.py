"""Partial files: the temporary file of an output, and those that runs that were killed left next to it."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from massprops_cli.files.table import Table, TableEdit, edited_header, has_filled_numbers, unique_header
from massprops_cli.findings.finding import Finding, OutputError, UsageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment] # Windows has no such module
_PARTIAL_FILE_SUFFIX = ".part"
_IDLE_SECONDS = 86_400.0  # age of a leftover where the system has no locks
_COLLECTOR: ContextVar[tuple[list[Path], bool] | None] = ContextVar("leftovers", default=None)
"""Partial files found next to the outputs of one run, and whether they are deleted."""
_MARKDOWN_ODD = r"(?i)[&\\|`<@#*_~\r\n]|\][(\[]|\[\^|://|www\.|gh-"  # what may have to be escaped


def _partial_file_prefix(target: Path) -> str:
    """Return how the name of the temporary file of an output begins."""
    return f".{target.name}.massprops-"


def _lock_partial_file(handle: int, path: str) -> int | None:
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


@contextmanager
def collect_leftovers(*, is_removed: bool = False) -> Iterator[list[Path]]:
    """Collect the partial files of killed runs next to every output that ``atomic_file`` writes in a block."""
    found: list[Path] = []
    token = _COLLECTOR.set((found, is_removed))
    try:
        yield found
    finally:
        _COLLECTOR.reset(token)


def _find_leftovers(target: Path) -> None:
    """Add the leftovers next to an output to the collector, where there is one."""
    if (collector := _COLLECTOR.get()) is None:
        return
    files, is_removed = collector
    named = re.compile(re.escape(_partial_file_prefix(target)) + "[a-z0-9_]{8}" + re.escape(_PARTIAL_FILE_SUFFIX))
    with suppress(OSError):
        for path in sorted(target.parent.iterdir()):
            if named.fullmatch(path.name) and path not in files and _is_leftover(path, is_removed):
                files.append(path)


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


@contextmanager
def atomic_file(
    path: str | os.PathLike[str], *, like: str | os.PathLike[str] = "", replaces: bool = True
) -> Iterator[BinaryIO]:
    """Open a file that replaces another if the block ends without exception, with its mode; pipes directly."""
    shown, target = Path(path), Path(os.path.realpath(path))
    try:
        found = shown.stat() if shown.exists() else None
        model = found or (Path(like).stat() if like else None)
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise OutputError(f"cannot write {shown}: it is a folder")
    # what /dev/fd names is open already, and a pipe has no other path
    if found is not None and not stat.S_ISREG(found.st_mode):
        try:
            with shown.open("wb") as file:
                yield file
        except OSError as error:
            raise _unwritable_file_error(shown, error) from error
        return
    try:
        handle, temporary, lock = _new_partial_file(target)
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if model is not None and hasattr(os, "chown"):
            with suppress(OSError):  # only root may give a file away
                os.chown(temporary, model.st_uid, model.st_gid)
        os.umask(mask := os.umask(0))  # it can only be read by setting it
        mode = stat.S_IMODE(model.st_mode) if model is not None else 0o666 & ~mask
        os.chmod(temporary, mode)  # noqa: PTH101 - as its twins
        if replaces:
            os.replace(temporary, target)  # noqa: PTH105 - the one step that is all or nothing
        else:
            _rename_without_replacing(temporary, target)
        _flush_folder(target.parent)
    except OSError as error:
        raise _unwritable_file_error(shown, error) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 - as its twins
        if lock is not None:
            with suppress(OSError):
                os.close(lock)


def _new_partial_file(target: Path) -> tuple[int, str, int | None]:
    """Make the temporary file of an output: its descriptor, its path, and the descriptor that keeps its lock."""
    _find_leftovers(target)
    while True:
        handle, temporary = tempfile.mkstemp(
            prefix=_partial_file_prefix(target), suffix=_PARTIAL_FILE_SUFFIX, dir=target.parent
        )
        try:
            return handle, temporary, _lock_partial_file(handle, temporary)
        except FileNotFoundError:  # deleted as a leftover before it was locked
            os.close(handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108 - as its twins
            os.close(handle)
            raise


def _rename_without_replacing(temporary: str, target: Path) -> None:
    """Rename a file to a name that is free: a hard link fails where the name is in use."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise OutputError(f"cannot write {target}: the file was created while this command ran, and is kept") from None
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise OutputError(f"cannot write {target}: the file exists, and is kept") from None
        os.replace(temporary, target)  # noqa: PTH105 - as its twins


def _flush_folder(folder: Path) -> None:
    """Flush the names of a folder to disk, where the system can; the file itself is written."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that ``atomic_file`` can write a file, by a temporary file in its folder that is deleted immediately."""
    target = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=_partial_file_prefix(target), suffix=_PARTIAL_FILE_SUFFIX, dir=target.parent
        )
        try:
            os.close(handle)
        finally:
            with suppress(FileNotFoundError):  # deleted as a leftover
                os.unlink(temporary)  # noqa: PTH108 - as its twins
    except OSError as error:
        raise _unwritable_file_error(Path(path), error) from error


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


def write_table(
    table: Table,
    filling: TableEdit,
    out: BinaryIO,
    format: str,
    *,
    compressed: bool | None = None,
    numeric_columns: Set[int] | None = None,
    text_columns: Set[int] = frozenset(),
) -> list[Finding]:
    """Write a table with its edit; unedited cells keep their characters, and columns of numbers are typed."""
    if compressed is None:
        compressed = ".gz" in str(getattr(out, "name", ""))[-24:] and format not in ("parquet", "feather")
    if compressed:
        import gzip

        with gzip.GzipFile("", "wb", 6, out, 0) as packed:
            return _write_uncompressed(table, filling, packed, format, numeric_columns, text_columns)  # type: ignore[arg-type] # gzip
    return _write_uncompressed(table, filling, out, format, numeric_columns, text_columns)


def _write_uncompressed(
    table: Table, filling: TableEdit, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write a table without compression."""
    if format in ("csv", "tsv"):
        from massprops_cli.files.delimited_writer import write_delimited

        return write_delimited(table, filling, out, format)
    if format == "md":
        from massprops_cli.files.arrow import converted_texts, edited_columns, write_text_rows

        header = edited_header(table, filling)
        out.write(f"| {' | '.join(map(_markdown_cell_text, header))} |\n|{'---|' * len(header)}\n".encode())
        pieces: list[Any] = []
        for column in edited_columns(table, filling):
            pieces += [" | ", converted_texts(column, _MARKDOWN_ODD, _markdown_cell_text)]
        write_text_rows(out, ["| ", *pieces[1:], " |\n"])
        return []
    if format in ("json", "jsonl"):
        from massprops_cli.files.json_records import write_records

        return write_records(table, filling, out, format, numeric, texts)
    if format in ("parquet", "feather"):
        return _write_arrow(table, filling, out, format, numeric, texts)
    raise UsageError(f"format cannot be written as a flat file: {format}")


def _markdown_cell_text(text: str) -> str:
    """Escape a cell, with its line breaks."""
    from massprops_cli.files.json_records import escape_markdown

    text = escape_markdown(text)
    return text.replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")


def _write_arrow(
    table: Table, filling: TableEdit, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write Parquet or Feather: float64 columns if every cell is a number that reads back the same, else texts."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import feather, parquet

    from massprops_cli.files.arrow import arrow_text, edited_columns
    from massprops_cli.files.json_records import is_json_number_column

    header = unique_header(table, filling, format)
    arrays = []
    for j, cells in enumerate(edited_columns(table, filling)):
        is_number = j not in texts and (numeric is None or j in numeric) and pc.max(pc.binary_length(cells)).as_py()
        if is_number and numeric is None:
            is_number = is_json_number_column(cells, has_filled_numbers(filling, j, table.n_columns), same=True)
        known = pc.if_else(pc.equal(cells, arrow_text("")), pa.nulls(1, cells.type)[0], cells)
        arrays.append(known.cast(pa.float64()) if is_number else known)
    content = pa.table(arrays, names=header).combine_chunks()
    sink = pa.PythonFile(out, "w")
    if format == "parquet":
        parquet.write_table(content, sink)
    else:
        feather.write_feather(content, sink)
    return []
