"""Text files alone: read 1,000,000 × 27 and write it with its assemblies filled, against PyArrow doing both."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from made_tables import write_table
from measure import compare

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000

OURS = """
import sys, numpy as np
from massprops_cli.files.fill import Fill, Filling
from massprops_cli.files.options import FileOptions
from massprops_cli.files.read import read_table
from massprops_cli.files.table import BLANK
from massprops_cli.files.write import write_table
table, _ = read_table(sys.argv[1], FileOptions())
columns = [*range(4, 14), *range(15, 25)]
numbers = table.numbers(columns, 1)
ids, parents = table.texts(0, 1), table.texts(1, 1)
rows = np.flatnonzero(numbers[0].states == BLANK) + 1
values = np.random.default_rng(1).normal(size=len(rows))
with open(sys.argv[2], "wb") as out:
    write_table(table, Filling(tuple(Fill(j, rows, values) for j in columns)), out, "csv")
"""
PEER = """
import sys
from pyarrow import csv
csv.write_csv(csv.read_csv(sys.argv[1]), sys.argv[2])
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = write_table(Path(folder) / "made.csv", ROWS)
        out = str(Path(folder) / "out.csv")
        found = compare(
            [sys.executable, "-c", OURS, str(source), out], [sys.executable, "-c", PEER, str(source), out], runs=3
        )
        share = found.ours.peak / source.stat().st_size
    measured = f"{found.ratio:.2f} × PyArrow ({found.ours.wall:.1f} s)"
    print(f"| text read and written, {ROWS:,} rows | {measured} | part of 2.0 |")
    print(f"| its peak memory | {share:.1f} × the file | 4 |")


if __name__ == "__main__":
    main()
