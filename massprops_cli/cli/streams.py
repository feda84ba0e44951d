"""Streams of the command line: report, progress, errors and exit codes, and the command line as typed, for remedies."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TextIO

from massprops_cli.findings.finding import FindingsError, MasspropsError, TableError
from massprops_cli.reports.page import page

EXIT_OK = 0  # success; also if the reader of a pipe closed it
EXIT_FINDINGS = 1  # a table was read and has findings at or above ``--fail-on``
EXIT_FAILURE = 2  # no table could be read, invalid call or configuration, output not written, or internal error
_EXIT_INTERRUPTED = 130  # Ctrl-C
_EXIT_TERMINATED = 143  # SIGTERM
_EXIT_HUNG_UP = 129  # SIGHUP: the terminal was closed
INTERRUPTED_CODES = (_EXIT_INTERRUPTED, _EXIT_TERMINATED, _EXIT_HUNG_UP)
_SYMBOL_NAMES = {
    "σ": "sigma", "ρ": "rho", "±": "+/-", "→": "->", "×": "x", "−": "-", "–": "-", "—": "-", "·": "*", "…": "...",
    "²": "^2", "³": "^3", "½": "1/2", "√": "sqrt", "∫": "integral ", "≤": "<=", "≥": ">=", "°": " deg",
    "✔": "ok:", "✘": "failed:",
}  # fmt: skip
StreamTraits = tuple[str, str, bool]  # encoding, how characters that it lacks are written, whether it is a terminal
_PROGRESS_DELAY = 1.0  # seconds before progress is shown
_COMMAND_WORDS: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_COMMAND_START = ContextVar("command_start", default=0.0)


class _Terminated(BaseException):
    """SIGTERM was received; unwinds so that partial files are removed."""


class _HungUp(_Terminated):
    """SIGHUP was received."""


def run_guarded(work: Callable[[], int]) -> int:
    """Run a function; a failure is one line on stderr, never a traceback."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        return _abandon_pipe()
    except KeyboardInterrupt:
        return _print_error_line("interrupted; no partial file was written", _EXIT_INTERRUPTED)
    except _Terminated as end:
        did, code = ("terminal closed", _EXIT_HUNG_UP) if isinstance(end, _HungUp) else ("terminated", _EXIT_TERMINATED)
        return _print_error_line(f"{did}; no partial file was written", code)
    except SystemExit:
        return _abandon_pipe()  # Rich exits in this way if the reader of its help closed the pipe
    except Exception as error:
        return report_exception(error)
    return code


def report_exception(error: Exception, file: str = "") -> int:
    """Print the message of an exception, after the name of the file of several, and return the exit code."""
    if isinstance(error, (TableError, FindingsError)):
        from massprops_cli.reports.page.findings import full_finding_blocks

        show_on_stderr([*full_finding_blocks(error.findings)])
        return EXIT_FAILURE if isinstance(error, TableError) else EXIT_FINDINGS
    if isinstance(error, MasspropsError):
        return _print_error_line(str(error), EXIT_FAILURE)
    if isinstance(error, OSError) and error.errno is not None:
        is_closed = error.errno == errno.EBADF and not error.filename
        reason = "standard output is closed" if is_closed else (error.strerror or str(error)).lower()
        _abandon_pipe()  # buffered output for a full disk would fail again while Python exits
        return _print_error_line(
            f"cannot read or write{f' {error.filename}' if error.filename else ''}: {reason}", EXIT_FAILURE
        )
    if isinstance(error, MemoryError):
        return _print_error_line(f"{file}not enough memory for this table", EXIT_FAILURE)
    return _report_unexpected_exception(error, file)


def _report_unexpected_exception(error: Exception, file: str) -> int:
    """Report a usage error of Typer, or an internal error."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return _report_usage_error(error)
    if type(error).__name__ == "Exit":
        return int(getattr(error, "exit_code", EXIT_FAILURE))
    if type(error).__name__ == "Abort":
        return _print_error_line("interrupted", _EXIT_INTERRUPTED)
    if os.environ.get("MASSPROPS_DEBUG"):
        raise error
    where = f"{file}internal error: " + " ".join(f"{type(error).__name__}: {error}".split())
    return _print_error_line(
        f"{where} [MP999 internal-error]; set MASSPROPS_DEBUG=1 to print the traceback", EXIT_FAILURE
    )


def _report_usage_error(error: Any) -> int:
    """Report an invalid option or argument, and the command that prints the help."""
    context = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    message = re.sub(r"is not a valid int(eger)?( range)?$", "is not an integer", message[:1].lower() + message[1:])
    message = re.sub(r"is not in the range x>=(\d+)$", r"is not an integer of \1 or more", message)
    message = re.sub(r"is not in the range (\d+)<=x<=(\d+)$", r"is not an integer from \1 to \2", message)
    message = re.sub(r" \(Possible options: (\S+)\)$", r"; the nearest is \1", message)
    message = re.sub(r"^got unexpected extra argument\(?s?\)? \((.*)\)$", r"too many arguments: \1", message)
    message = message.replace(" (Possible options: ", " (similar options: ")
    if context is not None:
        message += f"; see {context.command_path} --help"
    return _print_error_line(message, EXIT_FAILURE)


def _print_error_line(message: str, code: int) -> int:
    """Write one line to stderr and return the code."""
    write_error(f"massprops: {page.shorten_echo(message)}\n")
    return code


def write_error(text: str) -> None:
    """Write to stderr if it is open."""
    try:
        sys.stderr.write(
            page.escape_control_characters(page.escape_workflow_commands(text))
            .encode(sys.stderr.encoding or "utf-8", "backslashreplace")
            .decode(sys.stderr.encoding or "utf-8")
        )
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def _abandon_pipe() -> int:
    """Redirect a pipe that its reader closed, so that the interpreter exits without a message."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK


def install_sigterm_handler() -> None:
    """Convert SIGTERM and SIGHUP to exceptions, so that temporary files are removed; nohup is respected."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise _Terminated if signum == signal.SIGTERM else _HungUp

    signal.signal(signal.SIGTERM, stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, stop)
    hook = sys.unraisablehook
    if getattr(hook, "__name__", "") != "interrupt_again":
        sys.unraisablehook = _interrupt_hook(hook)


def _interrupt_hook(hook: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return a hook that raises an interrupt again that occurred in a callback, where Python drops exceptions."""

    def interrupt_again(unraisable: Any) -> None:
        lost = {
            KeyboardInterrupt: signal.SIGINT,
            _Terminated: signal.SIGTERM,
            _HungUp: getattr(signal, "SIGHUP", signal.SIGTERM),
        }.get(unraisable.exc_type)
        if lost is None:
            hook(unraisable)
            return
        # after the callback has returned
        timer = threading.Timer(0.01, os.kill, (os.getpid(), lost))
        timer.daemon = True
        timer.start()

    return interrupt_again


class Screen(NamedTuple):
    """A stream that is read by the user."""

    stream: TextIO
    is_terminal: bool
    width: int | None  # None where lines are not wrapped or cut: a pipe or a file
    symbols: page.Symbols

    def show(self, blocks: Sequence[page.PageBlock]) -> None:
        """Write a page: in colour on a terminal, as plain text elsewhere."""
        is_forced = is_color_forced()
        if not is_forced and (not self.is_terminal or os.environ.get("TERM") == "dumb"):
            self.write_text(page.plain_text(blocks, self.width, self.symbols))
            return
        console = page.console_for(self.stream, self.width, is_forced=is_forced)
        if console.legacy_windows:  # which colours by calls, not by characters
            page.print_page(blocks, console, self.symbols, self.width)
            return
        with console.capture() as captured:
            page.print_page(blocks, console, self.symbols, self.width)
        self._write_encoded(captured.get())

    def show_markdown(self, text: str) -> None:
        """Write Markdown: rendered on a terminal, as it is elsewhere."""
        if not self.is_terminal:
            self.write_text(text)
            return
        from rich.markdown import Markdown

        page.console_for(self.stream, self.width).print(Markdown(text))

    def write_text(self, text: str) -> None:
        """Write text; characters that the encoding lacks are spelled out, such as sigma for σ."""
        encoding = self.stream.encoding or "utf-8"
        if not _is_encodable(encoding, text):
            text = text.translate(
                {ord(sign): word for sign, word in _SYMBOL_NAMES.items() if not _is_encodable(encoding, sign)}
            )
        self._write_encoded(page.escape_control_characters(page.escape_workflow_commands(text)))

    def write(self, text: str) -> None:
        """Write data: in UTF-8 to files and pipes, whatever the locale; to a terminal with escapes of what it lacks."""
        if (buffer := getattr(self.stream, "buffer", None)) is None or self.is_terminal or not text.strip():
            self._write_encoded(page.escape_control_characters(text))
            return
        self.stream.flush()
        buffer.write(page.escape_control_characters(text).encode("utf-8", "backslashreplace"))
        buffer.flush()

    def _write_encoded(self, text: str) -> None:
        """Write text in the encoding of the stream, with JSON escapes of the characters that it lacks."""
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(text)
        except UnicodeEncodeError:
            self.stream.write("".join(_escape_unencodable(encoding, character) for character in text))


def _is_encodable(encoding: str, text: str) -> bool:
    """Return whether an encoding has all characters of a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _escape_unencodable(encoding: str, character: str) -> str:
    r"""Escape a character that an encoding lacks as ``\uXXXX`` (a surrogate pair above FFFF)."""
    if _is_encodable(encoding, character):
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def screen_for(stream: TextIO) -> Screen:
    """Make the screen of a stream; ``COLUMNS`` sets the width of a terminal."""
    is_terminal = is_terminal_stream(stream)
    width: int | None = None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        width = max(int(columns), 40) if is_terminal else None
    elif is_terminal:
        import shutil

        width = max(shutil.get_terminal_size().columns, 40)
    return Screen(stream, is_terminal, width, page.symbols_for(stream.encoding))


def show_on_stderr(blocks: Sequence[page.PageBlock]) -> None:
    """Write a page to stderr, unless this stream is closed or missing."""
    with suppress(OSError, ValueError, AttributeError):
        screen_for(sys.stderr).show(blocks)
        sys.stderr.flush()


def report_screen(data_on_stdout: bool) -> Screen:
    """Select the stream for summary and findings."""
    return screen_for(sys.stderr if data_on_stdout else sys.stdout)


def is_terminal_stream(stream: TextIO) -> bool:
    """Return whether a stream is a terminal."""
    try:
        return stream.isatty()
    except (ValueError, AttributeError):
        return False


def is_color_forced() -> bool:
    """Return whether ``FORCE_COLOR`` requests colour, also in a pipe; ``NO_COLOR`` has priority."""
    return bool(os.environ.get("FORCE_COLOR")) and not os.environ.get("NO_COLOR")


def is_stream_name(name: str) -> bool:
    """Return whether an input is a stream: ``-``, or a pipe such as the ``/dev/fd/63`` of a process substitution."""
    if name == "-":
        return True
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class RecordedStream(io.TextIOWrapper):
    """A standard stream of a worker process: keeps what is written, for a stream of the command with these traits."""

    def __init__(self, traits: StreamTraits) -> None:
        self.recorded = io.BytesIO()
        super().__init__(self.recorded, *traits[:2], write_through=True)
        self._is_terminal = traits[2]

    def isatty(self) -> bool:
        """Return whether the stream of the command is a terminal."""
        return self._is_terminal


def stream_traits(stream: TextIO) -> StreamTraits:
    """Return what a report depends on."""
    return stream.encoding or "utf-8", getattr(stream, "errors", None) or "strict", is_terminal_stream(stream)


def write_recorded(stream: TextIO, data: bytes) -> None:
    """Write what was recorded."""
    if (buffer := getattr(stream, "buffer", None)) is None:
        stream.write(data.decode(stream.encoding or "utf-8"))
        return
    stream.flush()
    buffer.write(data)
    buffer.flush()


@contextmanager
def progress_spinner(doing: str) -> Iterator[None]:
    """Show a spinner with a label and the elapsed time after one second; it is erased at the end."""
    if not _has_terminal_stderr():
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
    """Show a progress bar after one second."""
    if not _has_terminal_stderr():
        yield lambda done, total: None
        return
    begun, bars = time.monotonic(), list[Any]()

    def advance(done: int, total: int) -> None:
        if not bars and time.monotonic() - begun > _PROGRESS_DELAY:
            bars.append(_start_bar(doing))
        for bar in bars:
            bar.update(bar.task_ids[0], completed=done, total=total)

    try:
        yield advance
    finally:
        for bar in bars:
            bar.stop()


def _start_bar(doing: str) -> Any:
    """Start a progress bar on stderr."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=page.console_for(sys.stderr), transient=True)
    bar.add_task(page.escape_control_characters(doing), total=None)
    bar.start()
    return bar


def _has_terminal_stderr() -> bool:
    """Return whether stderr is a terminal that can move its cursor."""
    is_terminal = not isinstance(sys.stderr, RecordedStream) and is_terminal_stream(sys.stderr)
    return is_terminal and os.environ.get("TERM") != "dumb"


def _draw_spinner(doing: str, done: threading.Event) -> None:
    """Wait, then show the spinner until the work is done."""
    if done.wait(_PROGRESS_DELAY):
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=page.console_for(sys.stderr), transient=True) as bar:
        bar.add_task(page.escape_control_characters(doing), total=None)
        done.wait()


@contextmanager
def record_command_line(words: Sequence[str]) -> Iterator[None]:
    """Record the words after ``massprops`` while the command runs."""
    token, start = _COMMAND_WORDS.set(tuple(words)), _COMMAND_START.set(time.process_time())
    try:
        yield
    finally:
        _COMMAND_WORDS.reset(token)
        _COMMAND_START.reset(start)


def command_line_words() -> tuple[str, ...]:
    """Return the recorded command line, without the program's name."""
    return _COMMAND_WORDS.get()


def command_seconds() -> float:
    """Return the CPU time in seconds since the recorded command began."""
    start = _COMMAND_START.get()
    return time.process_time() - start if start else 0.0
