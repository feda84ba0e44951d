"""Where the report goes, and what that stream can show: colour, width, signs.

Data goes to stdout or to a file. As soon as data goes to stdout, everything else goes to stderr.

What is being done, on stderr, when it takes more than a second and someone is looking.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from massprops_cli.reports.page import Block, Symbols, plain, symbols_for


@dataclass(frozen=True, slots=True)
class Screen:
    """A stream for people to read."""

    stream: TextIO
    is_terminal: bool
    width: int | None
    """None where nothing is to be wrapped or cut: a pipe or a file."""
    symbols: Symbols

    def show(self, blocks: Sequence[Block]) -> None:
        """Write a page: in colour on a terminal, as plain characters elsewhere."""
        if not self.is_terminal or os.environ.get("TERM") == "dumb":
            self.tell(plain(blocks, self.width, self.symbols))
            return
        from massprops_cli.reports.page import console_for, show

        show(blocks, console_for(self.stream, self.width), self.symbols)

    def tell(self, text: str) -> None:
        """Write characters for people: signs that the encoding cannot hold are put into words, as σ into sigma."""
        encoding = self.stream.encoding or "utf-8"
        if not holds(encoding, text):
            text = text.translate({ord(sign): word for sign, word in IN_WORDS.items() if not holds(encoding, sign)})
        self.write(text)

    def write(self, text: str) -> None:
        """Write characters; what the encoding cannot hold is written as JSON's escapes, so that JSON stays JSON."""
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(text)
        except UnicodeEncodeError:
            self.stream.write("".join(held_by(encoding, character) for character in text))


IN_WORDS = {
    "σ": "sigma", "ρ": "rho", "±": "+/-", "→": "->", "×": "x", "−": "-", "–": "-", "—": "-", "·": "*", "…": "...",
    "²": "^2", "³": "^3", "½": "1/2", "√": "sqrt", "∫": "integral ", "≤": "<=", "≥": ">=", "°": " deg",
    "✔": "ok:", "✘": "failed:",
}  # fmt: skip
"""What signs are called where an encoding does not have them."""


def holds(encoding: str, text: str) -> bool:
    """Tell whether an encoding has all characters of a text.

    >>> holds("ascii", "σ"), holds("latin-1", "×")
    (False, True)
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def held_by(encoding: str, character: str) -> str:
    r"""Give a character that an encoding can hold as it is, and any other as ``\uXXXX``, two of them beyond FFFF.

    >>> print(held_by("ascii", "x"), held_by("ascii", "×"), held_by("latin-1", "×"), held_by("ascii", "😀"))
    x \u00d7 × \ud83d\ude00
    """
    if holds(encoding, character):
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def screen_for(stream: TextIO) -> Screen:
    """Look at a stream; ``COLUMNS`` sets the width even of a pipe."""
    is_terminal = has_terminal(stream)
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


def has_terminal(stream: TextIO) -> bool:
    """Tell whether a person looks at a stream directly."""
    try:
        return stream.isatty()
    except (ValueError, AttributeError):
        return False


AFTER = 1.0
"""Seconds before anything is shown."""


@contextmanager
def progress(doing: str, *, shown: bool = True) -> Iterator[None]:
    """Show a spinner, what is being done and the time it has taken, once a second has gone by; leave no
    trace.

    >>> with progress("reading", shown=True):
    ...     pass
    """
    if not (shown and is_terminal()):
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=watch, args=(doing, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def counted(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Give what is to be told how many of all are done, and draw a bar of it once a second has gone by.

    >>> with counted("drawing 100 samples") as advance:
    ...     advance(50, 100)
    """
    if not is_terminal():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from massprops_cli.reports.page import console_for

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console_for(sys.stderr), transient=True)
    begun, task = time.monotonic(), bar.add_task(doing, total=None)

    def advance(done: int, total: int) -> None:
        if time.monotonic() - begun > AFTER:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()


def is_terminal() -> bool:
    """Tell whether stderr is a terminal that can move its cursor."""
    import os

    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (ValueError, AttributeError):
        return False


def watch(doing: str, done: threading.Event) -> None:
    """Wait, then draw until the work is done."""
    if done.wait(AFTER):
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from massprops_cli.reports.page import console_for

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console_for(sys.stderr), transient=True) as bar:
        bar.add_task(doing, total=None)
        done.wait()
