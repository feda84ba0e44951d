"""Run every benchmark of this folder and print one table: what, measured, goal.

    python benchmarks/run.py            all of them
    python benchmarks/run.py start text those whose names contain one of the words

A benchmark is a script ``bench_*.py``; its output lines that start with ``|`` are rows of the table,
and other lines are printed unchanged.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = ("numpy", "pandas", "pyarrow", "python-calamine", "xlsxwriter", "typer")


def machine() -> str:
    """Return a description of the machine and the versions used."""
    model = next(
        (line.split(":", 1)[1].strip() for line in lines_of(Path("/proc/cpuinfo")) if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"{model}, {cores()} cores, {platform.system()}, Python {platform.python_version()}; {libraries}"


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lines_of(path: Path) -> list[str]:
    """Lines of a file; none if it does not exist."""
    return path.read_text().splitlines() if path.exists() else []


def environment() -> dict[str, str]:
    """Environment in which scripts import modules of their folder, and compiled modules are kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(HERE.parent)}


def main(words: list[str]) -> int:
    """Run the benchmarks in sequence and print their rows as one table."""
    scripts = [s for s in sorted(HERE.glob("bench_*.py")) if not words or any(w in s.name for w in words)]
    rows: list[str] = []
    failed: list[str] = []
    for script in scripts:
        print(f"-- {script.stem}", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, check=False, env=environment()
        )
        for line in done.stdout.splitlines():
            if line.startswith("|"):
                rows.append(line)
            else:
                print(line)
        if done.returncode:
            failed.append(script.stem)
    print(f"\n{machine()}\n\n| what | measured | goal |\n|---|---|---|")
    print("\n".join(rows))
    for name in failed:
        print(f"{name} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
