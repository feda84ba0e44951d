"""Time and memory of whole processes, in pairs, so that ratios are valid although the speed of the machine varies."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One finished process: wall and CPU seconds, peak memory in bytes, and CPU seconds without those of the system."""

    wall: float
    cpu: float
    peak: int
    user: float


def run(command: Sequence[str], cwd: Path | None = None) -> Run:
    """Run a command to its end, discard its output, and read its resource usage."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE")
    start = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(list(command), stdout=nowhere, stderr=nowhere, cwd=cwd, env=environment)
        _pid, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(wall, usage.ru_utime + usage.ru_stime, peak, usage.ru_utime)


def in_a_process(make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call a function in a process of its own: memory of this one counts in the peak of every process it starts."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(make, *arguments, **named).result()


@dataclass(frozen=True)
class Comparison:
    """Medians of two commands run alternately: ours against the named alternative."""

    ours: Run
    other: Run
    ratio: float


def compare(ours: Sequence[str], other: Sequence[str], runs: int = 5, cwd: Path | None = None) -> Comparison:
    """Run two commands alternately, after a warm-up of each; the ratio is the median ratio of wall times."""
    run(ours, cwd), run(other, cwd)
    pairs = [(run(ours, cwd), run(other, cwd)) for _ in range(runs)]
    return Comparison(
        middle([a for a, _ in pairs]),
        middle([b for _, b in pairs]),
        statistics.median(a.wall / b.wall for a, b in pairs),
    )


def middle(runs: Sequence[Run]) -> Run:
    """Return the medians of several runs; the peak is the largest."""
    return Run(
        statistics.median(r.wall for r in runs),
        statistics.median(r.cpu for r in runs),
        max(r.peak for r in runs),
        statistics.median(r.user for r in runs),
    )
