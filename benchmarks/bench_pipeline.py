"""Complete commands on large files, against PyArrow reading and writing the same file; growth with size on request.

    python benchmarks/bench_pipeline.py             1,000,000 rows of csv: in tree order, shuffled, quoted;
                                                    100,000 rows of xlsx
    python benchmarks/bench_pipeline.py --large     1, 2 and 4 million rows of csv, one after another

Before the measurements the memory is accessed once: the first allocation of memory is slow in a virtual machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_workbook_read import make_workbook
from benchmarks.made_tables import write_shuffled_table, write_table
from benchmarks.measure import Run, compare, middle, run

ROOT = Path(__file__).resolve().parent.parent
TOOL = (sys.executable, "-m", "massprops_cli", "rollup")
GOALS = {"massprops": "1.2", "covariance": "1.4"}
ARROW = "import sys; from pyarrow import csv; csv.write_csv(csv.read_csv(sys.argv[1]), sys.argv[2])"
WARM = "import numpy as np; held = [np.ones(10**8) for _ in range(10)]"


def ours(table: Path, out: Path, method: str = "massprops") -> list[str]:
    """Return the command that rolls up a table."""
    return [*TOOL, "--uncertainty", method, str(table), "-o", str(out)]


def csv_against_arrow(folder: Path, rows: int, runs: int) -> None:
    """Compare csv → csv with PyArrow reading and writing the same file, for three tables and two methods."""
    in_tree_order = write_table(folder / f"table_{rows}.csv", rows)
    tables = {
        "in tree order": in_tree_order,
        "shuffled": write_shuffled_table(in_tree_order, folder / f"shuffled_{rows}.csv", quoted=False),
        "shuffled, quoted": write_shuffled_table(in_tree_order, folder / f"quoted_{rows}.csv", quoted=True),
    }
    for order, table in tables.items():
        for method in GOALS:
            _print_comparison(f"{rows:,} rows × 27 csv → csv, {order}, {method}", table, method, runs)


def _print_comparison(name: str, table: Path, method: str, runs: int) -> None:
    out = table.parent
    arrow = [sys.executable, "-c", ARROW, str(table), str(out / "arrow.csv")]
    compared = compare(ours(table, out / "ours.csv", method), arrow, runs, ROOT)
    ratio_of_cpu = compared.ours.cpu / compared.other.cpu
    times = f"{compared.ours.wall:.2f} s / {compared.other.wall:.2f} s"
    cpu = f"CPU {ratio_of_cpu:.2f}, {compared.ours.cpu:.2f} s / {compared.other.cpu:.2f} s"
    print(f"| {name} / PyArrow's read_csv + write_csv | {compared.ratio:.2f} ({times}; {cpu}) | {GOALS[method]} |")
    times_file = compared.ours.peak / table.stat().st_size
    print(f"| {name}, peak memory / file | {times_file:.2f} ({compared.ours.peak / 1e6:,.0f} MB) | 2.5 |", flush=True)


def workbook(folder: Path, rows: int, runs: int) -> None:
    """Time xlsx → annotated xlsx, the complete command."""
    book = make_workbook(folder / f"workbook_{rows}.xlsx", rows)
    took = middle([run(ours(book, folder / "ours.xlsx"), ROOT) for _ in range(runs)])
    print(f"| {rows:,} rows × 27 xlsx → annotated xlsx, the complete command | {shown(took)} | |")


def growth(folder: Path, sizes: list[int], runs: int) -> None:
    """Time the same command on files of increasing size."""
    before = None
    for rows in sizes:
        table = write_table(folder / f"table_{rows}.csv", rows)
        took = middle([run(ours(table, folder / "ours.csv"), ROOT) for _ in range(runs)])
        against = "" if before is None else f"{took.wall / before.wall:.2f} × ({took.cpu / before.cpu:.2f} × CPU), "
        goal = "" if before is None else "2.2 ×"
        print(f"| {rows:,} rows × 27 csv → csv | {against}{shown(took)} | {goal} |", flush=True)
        before = took


def shown(took: Run) -> str:
    """Text with time and memory of a run."""
    return f"{took.wall:.1f} s, CPU {took.cpu:.1f} s, {took.peak / 1e6:,.0f} MB"


def main() -> None:
    """Measure and print rows of the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="1, 2 and 4 times the rows instead")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "massprops_benchmarks")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    run([sys.executable, "-c", WARM])
    if options.large:
        growth(options.folder, [k * options.rows for k in (1, 2, 4)], min(options.runs, 2))
        return
    csv_against_arrow(options.folder, options.rows, options.runs)
    workbook(options.folder, options.rows // 10, 1)


if __name__ == "__main__":
    main()
