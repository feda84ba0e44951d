"""Where the report goes, and what that stream can show: colour, width, signs.

Data goes to stdout or to a file. As soon as data goes to stdout, everything else goes to stderr.

What is being done, on stderr, when it takes more than a second and someone is looking.

Exit codes: the one table, and the one place where what went wrong becomes a line and a code.

A finding's rank decides between 0 and 1, in ``selection``; everything here is about work that could not be
done.

The command line as typed, for remedies that print a whole command with the options already given.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any, TextIO

from massprops_cli.findings import FindingsError, MasspropsError, TableError
from massprops_cli.reports import PageBlock, Symbols, plain_text, symbols_for

EXIT_OK = 0
"""Done; also when the reader of a pipe went away."""
EXIT_FINDINGS = 1
"""A table was read and has findings at or above ``--fail-on``."""
EXIT_FAILURE = 2
"""No table could be read, a wrong call or configuration, an output not written, or a fault of the tool."""
_EXIT_INTERRUPTED = 130
"""Ctrl-C."""
_EXIT_TERMINATED = 143
"""SIGTERM."""


class _Terminated(BaseException):
    """The process was asked to end (SIGTERM); unwinds so that half-written files are removed."""


def run_guarded(work: Callable[[], int]) -> int:
    """Do the work and give its exit code; whatever goes wrong is said in a line on stderr, never as a traceback."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        return _abandon_pipe()
    except KeyboardInterrupt:
        return _print_error_line("interrupted; nothing was left half written", _EXIT_INTERRUPTED)
    except _Terminated:
        return _print_error_line("terminated; nothing was left half written", _EXIT_TERMINATED)
    except SystemExit:
        return _abandon_pipe()  # Rich leaves so when the reader of its help went away
    except Exception as error:
        return _report_exception(error)
    return code


def _report_exception(error: Exception) -> int:
    """Say what went wrong, in the words of its own kind."""
    if isinstance(error, (TableError, FindingsError)):
        return _report_exception_findings(error)
    if isinstance(error, MasspropsError):
        return _print_error_line(str(error), EXIT_FAILURE)
    if isinstance(error, OSError) and error.errno is not None:
        reason = (error.strerror or str(error)).lower()
        _abandon_pipe()  # what is still held back for a full disk would fail once more while Python ends
        return _print_error_line(
            f"cannot read or write{f' {error.filename}' if error.filename else ''}: {reason}", EXIT_FAILURE
        )
    if isinstance(error, MemoryError):
        return _print_error_line("there is not enough memory for this table", EXIT_FAILURE)
    return _report_unexpected_exception(error)


def _report_unexpected_exception(error: Exception) -> int:
    """Say a wrong call of Typer's own kind, or else a fault of the tool."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return _report_usage_error(error)
    if type(error).__name__ == "Exit":
        return int(getattr(error, "exit_code", EXIT_FAILURE))
    if type(error).__name__ == "Abort":
        return _print_error_line("interrupted", _EXIT_INTERRUPTED)
    if os.environ.get("MASSPROPS_DEBUG"):
        raise error
    where = " ".join(f"{type(error).__name__}: {error}".split())
    return _print_error_line(
        f"the tool has a fault: {where} [MP999 internal-fault]; with MASSPROPS_DEBUG=1 it shows where",
        EXIT_FAILURE,
    )


def _report_usage_error(error: Any) -> int:
    """Say what is wrong with an option or an argument, and where help is."""
    context = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    message = re.sub(r"is not a valid int(eger)?( range)?$", "is not a whole number", message[:1].lower() + message[1:])
    if context is not None:
        message += f"; see {context.command_path} --help"
    return _print_error_line(message, EXIT_FAILURE)


def _report_exception_findings(error: TableError | FindingsError) -> int:
    """Print the findings of an input without a table, or without a result, to stderr."""
    from massprops_cli.reports import full_finding_blocks

    with suppress(OSError, ValueError, AttributeError):  # a stream that is closed or missing
        screen_for(sys.stderr).show([*full_finding_blocks(error.findings)])
        sys.stderr.flush()
    return EXIT_FAILURE if isinstance(error, TableError) else EXIT_FINDINGS


def _print_error_line(message: str, code: int) -> int:
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


def _abandon_pipe() -> int:
    """Let go of a pipe whose reader went away, so that the interpreter does not complain while ending."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    return EXIT_OK


def install_sigterm_handler() -> None:
    """Turn SIGTERM into an exception, so that temporary files are removed on the way out."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise _Terminated

    signal.signal(signal.SIGTERM, stop)
    hook = sys.unraisablehook
    if getattr(hook, "__name__", "") != "interrupt_again":
        sys.unraisablehook = _interrupt_hook(hook)


def _interrupt_hook(hook: Callable[[Any], object]) -> Callable[[Any], object]:
    """Make a hook that brings an interrupt back which fell into a callback, where Python drops exceptions."""

    def interrupt_again(unraisable: Any) -> None:
        lost = {KeyboardInterrupt: signal.SIGINT, _Terminated: signal.SIGTERM}.get(unraisable.exc_type)
        if lost is None:
            hook(unraisable)
            return
        import threading

        # a moment later, when the callback is over
        timer = threading.Timer(0.01, os.kill, (os.getpid(), lost))
        timer.daemon = True
        timer.start()

    return interrupt_again


@dataclass(frozen=True, slots=True)
class Screen:
    """A stream for people to read."""

    stream: TextIO
    is_terminal: bool
    width: int | None
    """None where nothing is to be wrapped or cut: a pipe or a file."""
    symbols: Symbols

    def show(self, blocks: Sequence[PageBlock]) -> None:
        """Write a page: in colour on a terminal, as plain characters elsewhere."""
        if not self.is_terminal or os.environ.get("TERM") == "dumb":
            self.tell(plain_text(blocks, self.width, self.symbols))
            return
        from massprops_cli.reports import console_for, print_page

        print_page(blocks, console_for(self.stream, self.width), self.symbols)

    def tell(self, text: str) -> None:
        """Write characters for people: signs that the encoding cannot hold are put into words, as σ into sigma."""
        encoding = self.stream.encoding or "utf-8"
        if not _is_encodable(encoding, text):
            text = text.translate(
                {ord(sign): word for sign, word in _SYMBOL_NAMES.items() if not _is_encodable(encoding, sign)}
            )
        self.write(text)

    def write(self, text: str) -> None:
        """Write characters; what the encoding cannot hold is written as JSON's escapes, so that JSON stays JSON."""
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(text)
        except UnicodeEncodeError:
            self.stream.write("".join(_escape_unencodable(encoding, character) for character in text))


_SYMBOL_NAMES = {
    "σ": "sigma", "ρ": "rho", "±": "+/-", "→": "->", "×": "x", "−": "-", "–": "-", "—": "-", "·": "*", "…": "...",
    "²": "^2", "³": "^3", "½": "1/2", "√": "sqrt", "∫": "integral ", "≤": "<=", "≥": ">=", "°": " deg",
    "✔": "ok:", "✘": "failed:",
}  # fmt: skip
"""What signs are called where an encoding does not have them."""


def _is_encodable(encoding: str, text: str) -> bool:
    """Tell whether an encoding has all characters of a text.

    >>> _is_encodable("ascii", "σ"), _is_encodable("latin-1", "×")
    (False, True)
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _escape_unencodable(encoding: str, character: str) -> str:
    r"""Give a character that an encoding can hold as it is, and any other as ``\uXXXX``, two of them beyond FFFF.

    >>> print(_escape_unencodable("ascii", "x"), _escape_unencodable("ascii", "×"), _escape_unencodable("latin-1", "×"), _escape_unencodable("ascii", "😀"))
    x \u00d7 × \ud83d\ude00
    """
    if _is_encodable(encoding, character):
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def screen_for(stream: TextIO) -> Screen:
    """Look at a stream; ``COLUMNS`` sets the width even of a pipe."""
    is_terminal = is_terminal_stream(stream)
    width: int | None = None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        width = max(int(columns), 40) if is_terminal else None
    elif is_terminal:
        import shutil

        width = max(shutil.get_terminal_size().columns, 40)
    return Screen(stream, is_terminal, width, symbols_for(stream.encoding))


def report_screen(data_on_stdout: bool) -> Screen:
    """Give the stream for summary and findings."""
    return screen_for(sys.stderr if data_on_stdout else sys.stdout)


def is_terminal_stream(stream: TextIO) -> bool:
    """Tell whether a person looks at a stream directly."""
    try:
        return stream.isatty()
    except (ValueError, AttributeError):
        return False


_PROGRESS_DELAY = 1.0
"""Seconds before anything is shown."""


@contextmanager
def progress_spinner(doing: str, *, shown: bool = True) -> Iterator[None]:
    """Show a spinner, what is being done and the time it has taken, once a second has gone by; leave no
    trace.

    >>> with progress_spinner("reading", shown=True):
    ...     pass
    """
    if not (shown and _has_terminal_stderr()):
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_draw_spinner, args=(doing, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Give what is to be told how many of all are done, and draw a bar of it once a second has gone by.

    >>> with progress_bar("drawing 100 samples") as advance:
    ...     advance(50, 100)
    """
    if not _has_terminal_stderr():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from massprops_cli.reports import console_for

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console_for(sys.stderr), transient=True)
    begun, task = time.monotonic(), bar.add_task(doing, total=None)

    def advance(done: int, total: int) -> None:
        if time.monotonic() - begun > _PROGRESS_DELAY:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()


def _has_terminal_stderr() -> bool:
    """Tell whether stderr is a terminal that can move its cursor."""
    import os

    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (ValueError, AttributeError):
        return False


def _draw_spinner(doing: str, done: threading.Event) -> None:
    """Wait, then draw until the work is done."""
    if done.wait(_PROGRESS_DELAY):
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from massprops_cli.reports import console_for

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console_for(sys.stderr), transient=True) as bar:
        bar.add_task(doing, total=None)
        done.wait()


_COMMAND_WORDS: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())


@contextmanager
def record_command_line(words: Sequence[str]) -> Iterator[None]:
    """Keep the words behind ``massprops`` while the command runs."""
    token = _COMMAND_WORDS.set(tuple(words))
    try:
        yield
    finally:
        _COMMAND_WORDS.reset(token)


def command_line_words() -> tuple[str, ...]:
    """Give the words behind ``massprops`` of the command that runs; none where the library is called.

    >>> with record_command_line(["tree", "a.csv"]):
    ...     command_line_words()
    ('tree', 'a.csv')
    """
    return _COMMAND_WORDS.get()
