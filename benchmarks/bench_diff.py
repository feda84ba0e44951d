"""A comparison of two tables of 100,000 rows, against reading both: one run, alternately."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from made_tables import write_table

import massprops_cli as mp

ROWS, PAIRS = 100_000, 5


def revised(path: Path) -> Path:
    """Write a second revision: every hundredth leaf is 1 % heavier, every thousandth is removed."""
    new = path.with_name("revised.csv")
    lines = path.read_text().splitlines()
    at = lines[0].split(",").index("mass")
    kept = lines[: ROWS // 3]
    for k, line in enumerate(lines[ROWS // 3 :]):
        cells = line.split(",")
        if k % 100 == 0 and cells[at]:
            cells[at] = repr(1.01 * float(cells[at]))
        if k % 1000 != 500:
            kept.append(",".join(cells))
    new.write_text("\n".join(kept) + "\n")
    return new


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        old = write_table(Path(folder) / "table.csv", ROWS)
        new = revised(old)
        ratios, reads = [], []
        for _ in range(PAIRS + 1):
            start = time.perf_counter()
            boms = [mp.read_bom(path, poi="-") for path in (old, new)]
            middle = time.perf_counter()
            answer = mp.diff(*boms)
            rows = sum(1 for _ in answer.rows())
            answer.whole.rounding()
            end = time.perf_counter()
            reads.append(middle - start)
            ratios.append((end - start) / (middle - start))
    whole, read = statistics.median(ratios[1:]), statistics.median(reads[1:])  # the first is the warm-up
    print(
        f"| diff of two tables of {ROWS:,} rows, {rows:,} items changed | {whole * read:.2f} s, "
        f"{whole:.2f} times reading both ({read:.2f} s) | under 2 times |"
    )


if __name__ == "__main__":
    main()
