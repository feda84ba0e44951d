"""File-system calls of the writer that fail, or that end the process, one after another."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from massprops_cli.files import writer

CALLS = ("open", "close", "fsync", "chmod", "chown", "link", "replace")


class Disk:
    """Counts the calls that write, and lets the call of number ``failing`` fail after the others succeed.

    ``number`` is the reason (``errno.ENOSPC``); None kills the process after the call has succeeded. The calls seen are
    in ``calls``.
    """

    def __init__(self, failing: int = -1, number: int | None = None) -> None:
        self.failing, self.number = failing, number
        self.calls: list[str] = []

    def call(self, name: str, run: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Run a call, or let it fail."""
        is_failing = len(self.calls) == self.failing
        self.calls.append(name)
        if is_failing and self.number is not None:
            if name == "close":  # a close that fails has closed the file
                run(*arguments, **options)
            raise OSError(self.number, os.strerror(self.number))
        result = run(*arguments, **options)
        if is_failing:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def insert(self, patch: pytest.MonkeyPatch) -> Disk:
        """Replace the calls of the module that writes files by these."""
        patch.setattr(writer, "os", _Calls(self))
        make = writer.tempfile.mkstemp
        patch.setattr(writer, "tempfile", SimpleNamespace(mkstemp=lambda **named: self.call("mkstemp", make, **named)))
        return self


class _Calls:
    """The module ``os``, whose calls that write are counted."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        value = getattr(os, name)
        if name == "fdopen":
            return lambda handle, mode: io.BufferedRandom(_RawFile(self._disk, handle))
        if name in CALLS:
            return lambda *arguments, **options: self._disk.call(name, value, *arguments, **options)
        return value


class _RawFile(io.FileIO):
    """A file whose writes and whose closing are counted."""

    def __init__(self, disk: Disk, handle: int) -> None:
        self._disk = disk
        super().__init__(handle, "w+b")

    def write(self, data: Any) -> int:
        return int(self._disk.call("write", super().write, data))

    def close(self) -> None:
        if not self.closed:
            self._disk.call("close", super().close)
