"""Exit codes: the one table, and the one place where what went wrong becomes a line and a code.

A finding's rank decides between 0 and 1, in ``selection``; everything here is about work that could not be
done.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from massprops_cli.findings.errors import FindingsError, MasspropsError, TableError

DONE = 0
"""Done; also when the reader of a pipe went away."""
FOUND = 1
"""A table was read and has findings at or above ``--fail-on``."""
CANNOT = 2
"""No table could be read, a wrong call or configuration, an output not written, or a fault of the tool."""
INTERRUPTED = 130
"""Ctrl-C."""
TERMINATED = 143
"""SIGTERM."""


class Terminated(BaseException):
    """The process was asked to end (SIGTERM); unwinds so that half-written files are removed."""


def carry_out(work: Callable[[], int]) -> int:
    """Do the work and give its exit code; whatever goes wrong is said in a line on stderr, never as a traceback."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        return abandon_pipe()
    except KeyboardInterrupt:
        return said("interrupted; nothing was left half written", INTERRUPTED)
    except Terminated:
        return said("terminated; nothing was left half written", TERMINATED)
    except SystemExit:
        return abandon_pipe()  # Rich leaves so when the reader of its help went away
    except Exception as error:
        return failed(error)
    return code


def failed(error: Exception) -> int:
    """Say what went wrong, in the words of its own kind."""
    if isinstance(error, (TableError, FindingsError)):
        return said_findings(error)
    if isinstance(error, MasspropsError):
        return said(str(error), CANNOT)
    if isinstance(error, OSError) and error.errno is not None:
        reason = (error.strerror or str(error)).lower()
        abandon_pipe()  # what is still held back for a full disk would fail once more while Python ends
        return said(f"cannot read or write{f' {error.filename}' if error.filename else ''}: {reason}", CANNOT)
    if isinstance(error, MemoryError):
        return said("there is not enough memory for this table", CANNOT)
    return unexpected(error)


def unexpected(error: Exception) -> int:
    """Say a wrong call of Typer's own kind, or else a fault of the tool."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return wrong_call(error)
    if type(error).__name__ == "Exit":
        return int(getattr(error, "exit_code", CANNOT))
    if type(error).__name__ == "Abort":
        return said("interrupted", INTERRUPTED)
    if os.environ.get("MASSPROPS_DEBUG"):
        raise error
    where = " ".join(f"{type(error).__name__}: {error}".split())
    return said(
        f"the tool has a fault: {where} [MP999 internal-fault]; with MASSPROPS_DEBUG=1 it shows where",
        CANNOT,
    )


def wrong_call(error: Any) -> int:
    """Say what is wrong with an option or an argument, and where help is."""
    context = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    message = re.sub(r"is not a valid int(eger)?( range)?$", "is not a whole number", message[:1].lower() + message[1:])
    if context is not None:
        message += f"; see {context.command_path} --help"
    return said(message, CANNOT)


def said_findings(error: TableError | FindingsError) -> int:
    """Say the findings that leave no table, or no result."""
    for finding in error.findings:
        said(str(finding), CANNOT)
        if finding.remedy:
            write_error(f"  {finding.remedy}\n")
    return CANNOT if isinstance(error, TableError) else FOUND


def said(message: str, code: int) -> int:
    """Write one line to stderr and give the code."""
    write_error(f"massprops: {message}\n")
    return code


def write_error(text: str) -> None:
    """Write to stderr if there is one that takes it."""
    try:
        sys.stderr.write(
            text.encode(sys.stderr.encoding or "utf-8", "backslashreplace").decode(sys.stderr.encoding or "utf-8")
        )
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def abandon_pipe() -> int:
    """Let go of a pipe whose reader went away, so that the interpreter does not complain while ending."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    return DONE


def heed_termination() -> None:
    """Turn SIGTERM into an exception, so that temporary files are removed on the way out."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, stop)
    hook = sys.unraisablehook
    if getattr(hook, "__name__", "") != "interrupt_again":
        sys.unraisablehook = lost_interrupts(hook)


def lost_interrupts(hook: Callable[[Any], object]) -> Callable[[Any], object]:
    """Make a hook that brings an interrupt back which fell into a callback, where Python drops exceptions."""

    def interrupt_again(unraisable: Any) -> None:
        lost = {KeyboardInterrupt: signal.SIGINT, Terminated: signal.SIGTERM}.get(unraisable.exc_type)
        if lost is None:
            hook(unraisable)
            return
        import threading

        # a moment later, when the callback is over
        timer = threading.Timer(0.01, os.kill, (os.getpid(), lost))
        timer.daemon = True
        timer.start()

    return interrupt_again
