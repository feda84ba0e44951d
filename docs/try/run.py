"""What the page of docs/try runs: one command of massprops in a Python without threads, umask and calamine."""

import os
import sys
import types
from concurrent import futures

sys.path.append("/packages")
os.chdir("/work")


class _InlineExecutor(futures.Executor):
    """Run each call when it is submitted: WebAssembly in a page has no threads."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, call, /, *args, **values):
        """Return the finished future of a call."""
        done = futures.Future()
        try:
            done.set_result(call(*args, **values))
        except Exception as error:
            done.set_exception(error)
        return done


class CalamineError(Exception):
    """A workbook that calamine rejects; massprops then reads it with its own reader."""


def _reject(*_: object, **__: object) -> None:
    raise CalamineError("calamine is not in the browser")


calamine = types.ModuleType("python_calamine")
calamine.CalamineError = CalamineError
calamine.CalamineWorkbook = types.SimpleNamespace(from_object=_reject, from_path=_reject, from_filelike=_reject)
sys.modules["python_calamine"] = calamine
futures.ThreadPoolExecutor = _InlineExecutor
os.umask = lambda _: 0o022

from massprops_cli.__main__ import main  # noqa: E402 - after what it needs

main()
