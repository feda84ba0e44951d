"""Searches that must not test every pair: total rows, nearest ids, and column names in very long headers.

Each is measured in one run against a named alternative: reading the same rows, one call of difflib, a shorter header.
"""

from __future__ import annotations

import difflib
import statistics
import time
from collections.abc import Callable

from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.tables.columns.header import read_header
from massprops_cli.tables.rows.hierarchy import _likely_ids
from massprops_cli.tables.rows.total_rows import total_row_candidates

ROWS, WRONG, LENGTH, RUNS = 200_000, 5_000, 30_000, 5
PATTERNS = ("(", "mass ", "a_", "sigma ", "[")


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], other: Callable[[], object], runs: int = RUNS) -> tuple[float, float]:
    """Median ratio of alternating pairs after a warm-up, and our median time."""
    ours(), other()
    pairs = [(seconds(ours), seconds(other)) for _ in range(runs)]
    return statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs)


def total_rows() -> None:
    """Compare the search for total rows with reading the same records."""
    rows = [{"id": "r", "parent": "", "mass": ""}, *({"id": f"p{k}", "parent": "r", "mass": 1} for k in range(ROWS))]
    rows[ROWS // 2] = {"id": "Subtotal", "parent": "", "mass": ROWS // 2 - 1}
    bom = Bom.from_records(rows)
    found, ours = ratio(lambda: list(total_row_candidates(bom.table, bom.columns)), lambda: Bom.from_records(rows))
    print(f"| search for total rows, {ROWS:,} rows | {found:.3f} × reading them ({ours:.3f} s) | under 0.2 times |")


def near_ids() -> None:
    """Compare the nearest ids of thousands of unknown parents with difflib with one of them."""
    ids = [f"PART-{k:06d}" for k in range(ROWS)]
    wrong = [f"PXRT-{k:06d}" for k in range(WRONG)]
    found, ours = ratio(
        lambda: _likely_ids(wrong, ids), lambda: difflib.get_close_matches(wrong[0], ids, 1, 0.9), runs=3
    )
    print(
        f"| nearest of {ROWS:,} ids for {WRONG:,} unknown parents | {found:.2f} × difflib for one parent "
        f"({ours:.2f} s) | under 5 times |"
    )


def read_long_headers(length: int) -> None:
    """Read a header row for each pattern repeated to a length."""
    for pattern in PATTERNS:
        text = (pattern * length)[:length]
        table = GridTable(TableSource("b.csv", "csv"), [["id", "mass", text]])
        read_header(table, {"qty": text})


def long_headers() -> None:
    """Header cells of many characters, against cells of a tenth of them."""
    found, ours = ratio(lambda: read_long_headers(LENGTH), lambda: read_long_headers(LENGTH // 10))
    print(
        f"| {len(PATTERNS)} headers with a cell of {LENGTH:,} characters | {found:.1f} × cells of {LENGTH // 10:,} "
        f"({ours:.3f} s) | under 20 times |"
    )


def main() -> None:
    """Print the three rows."""
    total_rows()
    near_ids()
    long_headers()


if __name__ == "__main__":
    main()
