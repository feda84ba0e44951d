"""The fuzzing of one target, in a process of its own: ``python -m tests.fuzz.engine TARGET FAULTS LIBFUZZER-OPTIONS``.

A fault is written as the input and its traceback, and the fuzzing continues; only a hang, too much memory or the end of
the process stops it.
"""

from __future__ import annotations

import hashlib
import pkgutil
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path


class SlowInputError(Exception):
    """An input needed more processor time than the cap."""


def watched(target: str, folder: Path):
    """The function that the fuzzer calls: a fault is recorded once for each place where it is raised."""
    from tests.fuzz.targets import CPU_SECONDS, targets

    run = targets()[target].run
    seen: set[str] = set()

    def call(data: bytes) -> None:
        started = time.process_time()
        try:
            run(data)
            if time.process_time() - started > CPU_SECONDS:
                raise SlowInputError(f"{time.process_time() - started:.1f} s of processor time")
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [f"{frame.filename}:{frame.lineno}" for frame in frames if "massprops_cli" in frame.filename]
            place = f"{type(error).__name__} {own[-1] if own else ''}"
            if place in seen:
                return
            seen.add(place)
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{target}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"
            (folder / name).write_bytes(data)
            (folder / f"{name}.txt").write_text(f"{place}\n{traceback.format_exc()}", "utf-8", "replace")

    return call


def fuzz(target: str, folder: Path, options: list[str]) -> None:
    """Instrument the package and run the fuzzer; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["massprops_cli"], enable_loader_override=False):
        import massprops_cli

        for module in pkgutil.walk_packages(massprops_cli.__path__, "massprops_cli."):
            if not module.name.endswith(("__main__", "xls_process")):
                import_module(module.name)
    call = watched(target, folder)
    atheris.Setup([f"fuzz-{target}", *options], call)
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
