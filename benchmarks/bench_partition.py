"""Partition and aggregation of a table against reading it: times as multiples of it.

python benchmarks/bench_partition.py [rows]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from made_tables import write_table

from massprops_cli import aggregate, partition, read_bom

GOAL = 2.0
"""Largest time after reading, as a multiple of that of reading."""


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main(rows: int) -> int:
    path = write_table(Path(tempfile.gettempdir()) / f"bench_{rows}.csv", rows)
    reading = seconds(lambda: read_bom(path))
    bom = read_bom(path)
    inner = next(name for i, name in enumerate(bom.ids) if i > 20 and not bom.tree.is_leaf()[i])
    folder = Path(tempfile.mkdtemp())
    tasks: dict[str, Callable[[], object]] = {
        "partition --at": lambda: partition(bom, [inner]),
        "partition --at, written": lambda: partition(bom, [inner]).save(folder),
        "partition --into 8": lambda: partition(bom, into=8),
        "partition --into 8, written": lambda: partition(bom, into=8).save(folder),
        "aggregate": lambda: aggregate(bom, [bom.ids[1], bom.ids[2]], closure=True),
        "aggregate, written": lambda: aggregate(bom, [bom.ids[1], bom.ids[2]], closure=True).save(folder / "a.csv"),
    }
    print(f"{rows:,} rows; reading {reading:.2f} s")
    worst = 0.0
    for name, task in tasks.items():
        taken = seconds(task)
        worst = max(worst, taken / reading)
        print(f"{name:30} {taken:7.2f} s  {taken / reading:5.2f} × reading")
    return int(worst > GOAL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
