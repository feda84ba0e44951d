"""Origin of a result in the sheet About: input, SHA-256, date, command line, configuration files.

A roll-up that changes nothing in a rolled-up workbook keeps the record of the earlier run, so that the file stays the
same. The date is that of ``SOURCE_DATE_EPOCH`` if this variable is set, else today (UTC).
"""

from __future__ import annotations

import hashlib
import io
import os
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from massprops_cli.cli.streams import command_line_words
from massprops_cli.findings import Finding, UsageError
from massprops_cli.reports import RunRecord, recorded_run


def current_run(source: str, stdin: bytes | None, configuration: Sequence[str]) -> RunRecord:
    """Record the origin of the result of this run.

    Parameters
    ----------
    source : str
        Path of the input, or ``-``.
    stdin : bytes or None
        Content of standard input, if the table was read from it.
    configuration : sequence of str
        Configuration files.

    Returns
    -------
    RunRecord
        Name and SHA-256 of the input, date, command line, configuration files.

    Raises
    ------
    UsageError
        ``SOURCE_DATE_EPOCH`` is not a number of seconds.
    """
    words = command_line_words()
    return RunRecord(
        "standard input" if stdin is not None else Path(source).name,
        _content_hash(source, stdin),
        _run_date(),
        shlex.join(["massprops", *words]) if words else "",
        ", ".join(configuration) or "none",
    )


def _content_hash(source: str, stdin: bytes | None) -> str:
    """Return the SHA-256 of the input; empty where it is not one file."""
    if stdin is not None:
        return hashlib.sha256(stdin).hexdigest()
    if not Path(source).is_file():
        return ""
    with Path(source).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run_date() -> str:
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not stated:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(stated), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is not a number of seconds: {stated}") from None


def write_with_record(
    source: Path | bytes,
    out: BinaryIO,
    run: RunRecord,
    write: Callable[[BinaryIO, RunRecord], list[Finding]],
) -> list[Finding]:
    """Write an edited workbook; with the record of the earlier run if it is a roll-up that stays the same.

    Parameters
    ----------
    source : Path or bytes
        Path or content of the input.
    out : BinaryIO
        Open binary file.
    run : RunRecord
        Origin of the result of this run.
    write : callable
        Function that writes the workbook with a record.

    Returns
    -------
    list of Finding
        Findings of writing.
    """
    from massprops_cli.files import own_sheet_texts

    earlier = own_sheet_texts(source, "About")
    if not earlier:
        return write(out, run)
    same = io.BytesIO()
    findings = write(same, recorded_run(earlier))
    if same.getvalue() != (source if isinstance(source, bytes) else source.read_bytes()):
        return write(out, run)
    out.write(same.getvalue())
    return findings
