"""Text files only: read 1,000,000 × 27 and write it with completed assemblies, against PyArrow for both.

Plain, with every text in quotes, and with carriage returns, because the reader has a separate path for each.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
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
table.read_ahead([0, 1, 2, 3, 14], columns)
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


def quoted(line: bytes) -> bytes:
    """Quote the texts of a line."""
    fields = line.rstrip(b"\n").split(b",")
    for j in (0, 1, 2, 25, 26):
        fields[j] = b'"' + fields[j] + b'"'
    return b",".join(fields) + b"\n"


def returned(line: bytes) -> bytes:
    """End a line with a carriage return and a newline."""
    return line.rstrip(b"\n") + b"\r\n"


def variant(plain: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Write a copy of a table with each line changed."""
    path = plain.with_name(name)
    with plain.open("rb") as lines, path.open("wb") as out:
        out.writelines(map(change, lines))
    return path


def measured(what: str, source: Path) -> None:
    """Print the rows of one file: time as a ratio to PyArrow's, and memory as a ratio to the file."""
    out = str(source.with_name("out.csv"))
    ours, peer = [sys.executable, "-c", OURS, str(source), out], [sys.executable, "-c", PEER, str(source), out]
    found = compare(ours, peer, runs=3)
    times = f"{found.ratio:.2f} × PyArrow ({found.ours.wall:.1f} s, CPU {found.ours.cpu:.1f} s)"
    print(f"| text read and written, {ROWS:,} rows, {what} | {times} | part of 2.0 |")
    print(f"| its peak memory | {found.ours.peak / source.stat().st_size:.1f} × the file | 4 |")


def main() -> None:
    """Measure three files in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        plain = write_table(Path(folder) / "made.csv", ROWS)
        measured("plain", plain)
        measured("texts in quotes", variant(plain, "quoted.csv", quoted))
        measured("carriage returns", variant(plain, "returns.csv", returned))


if __name__ == "__main__":
    main()
