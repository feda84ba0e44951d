"""A table with poses against the same table without, read, rolled up and written: ratio of the times, in one run."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

import massprops_cli as mp

ROWS, RUNS = 10_000, 7
TEN = ("mass [kg]", "Cx [mm]", "Cy [mm]", "Cz [mm]", *(f"I{e} [kg*mm^2]" for e in ("xx", "yy", "zz", "xy", "xz", "yz")))
POSES = ("tx [mm]", "ty [mm]", "tz [mm]", "roll [deg]", "pitch [deg]", "yaw [deg]", "frame")


def write_table(path: Path, *, poses: bool, sigmas: bool) -> None:
    """Write a tree of eight children an assembly, every item turned and moved."""
    draw = random.Random(1)  # made numbers, no secrets
    header = ["id", "parent", *TEN, "POIconv", *(f"sigma_{name}" for name in TEN if sigmas), *(POSES if poses else ())]
    lines = [",".join(header)]
    for k in range(ROWS):
        leaf = 8 * k + 1 >= ROWS
        pose = [
            *(f"{draw.uniform(-100, 100):.2f}" for _ in range(3)),
            *(f"{draw.uniform(-180, 180):.2f}" for _ in range(3)),
        ]
        ten = [f"{draw.uniform(1, 5):.3f}", *(f"{draw.uniform(-500, 500):.3f}" for _ in range(3))]
        ten += ["500.1", "600.2", "700.3", "10", "20", "30"]
        spread = ["0.02", "0.1", "0.2", "0.3", "5", "6", "7", "1", "2", "3"]
        row = [f"i{k}", f"i{(k - 1) // 8}" if k else "", *(ten if leaf else [""] * 10), "-"]
        row += (spread if leaf else [""] * 10) if sigmas else []
        lines.append(",".join([*row, *([*pose, "own"] if poses else [])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds(path: Path, output: Path) -> float:
    """CPU time of reading, rolling up and writing a table."""
    start = time.process_time()
    mp.rollup(mp.read_bom(path)).save(output)
    return time.process_time() - start


def main() -> None:
    """Print one row for numbers alone, and one with sigmas."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sigmas in (False, True):
            plain, placed = folder / f"plain{sigmas}.csv", folder / f"poses{sigmas}.csv"
            write_table(plain, poses=False, sigmas=sigmas)
            write_table(placed, poses=True, sigmas=sigmas)
            pairs = [(seconds(placed, folder / "a.csv"), seconds(plain, folder / "b.csv")) for _ in range(RUNS + 1)][1:]
            ratio = statistics.median(a / b for a, b in pairs)
            times = f"{min(a for a, _ in pairs):.2f} s / {min(b for _, b in pairs):.2f} s"
            words = " with sigmas" if sigmas else ""
            print(f"| {ROWS:,} items with poses{words} / without | {ratio:.2f} ({times} of CPU) | 1.5 |")


if __name__ == "__main__":
    main()
