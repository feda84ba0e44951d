"""What is being done, on stderr, when it takes more than a second and someone is looking."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

    from massprops_cli.report.terminal import console_for

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

    from massprops_cli.report.terminal import console_for

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console_for(sys.stderr), transient=True) as bar:
        bar.add_task(doing, total=None)
        done.wait()
