"""Complete commands on large files, against PyArrow reading and writing the same file; growth with size on request.

    python benchmarks/bench_pipeline.py             1,000,000 rows of csv: in tree order, shuffled, quoted, with zeros,
                                                    with CRLF, with decimal commas; 100,000 rows of xlsx
    python benchmarks/bench_pipeline.py --large     1, 2 and 4 million rows of csv, one after another; 2.5 and 5

Ratios are those of user times in alternating pairs, which depend least on other programs.

Before the measurements the memory is accessed once: the first allocation of memory is slow in a virtual machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_workbook_read import make_workbook
from benchmarks.made_tables import write_shuffled_table, write_table, write_variant
from benchmarks.measure import Run, compare, in_a_process, middle, run

ROOT = Path(__file__).resolve().parent.parent
TOOL = (sys.executable, "-m", "massprops_cli", "rollup")
GOALS = {"massprops": "1.2", "covariance": "1.4"}
OTHER_GOALS = {"in tree order": "1.0", "with zeros": "1.3", "with CRLF": "1.3", "with decimal commas": "1.3"}
PEAKS = {"massprops": "1.7", "covariance": "1.9"}
ARROW = """import sys; from pyarrow import csv
mark, delimiter = (",", ";") if "commas" in sys.argv[1] else (".", ",")
options = csv.ParseOptions(delimiter=delimiter), csv.ConvertOptions(decimal_point=mark)
csv.write_csv(csv.read_csv(sys.argv[1], None, *options), sys.argv[2])"""
WARM = "import numpy as np; held = [np.ones(10**8) for _ in range(10)]"


def ours(table: Path, out: Path, method: str = "massprops") -> list[str]:
    """Return the command that rolls up a table."""
    return [*TOOL, "--uncertainty", method, str(table), "-o", str(out)]


def csv_against_arrow(folder: Path, rows: int, runs: int) -> None:
    """Compare csv → csv with PyArrow reading and writing the same file, for six tables and two methods."""
    in_tree_order = in_a_process(write_table, folder / f"table_{rows}.csv", rows)
    shuffled = in_a_process(write_shuffled_table, in_tree_order, folder / f"shuffled_{rows}.csv", quoted=False)
    tables = {
        "in tree order": in_tree_order,
        "shuffled": shuffled,
        "shuffled, quoted": in_a_process(
            write_shuffled_table, in_tree_order, folder / f"quoted_{rows}.csv", quoted=True
        ),
        **{f"with {kind}": in_a_process(write_variant, shuffled, kind) for kind in ("zeros", "CRLF", "decimal commas")},
    }
    for order, table in tables.items():
        for method, usual in GOALS.items():
            goal = OTHER_GOALS.get(order, usual) if method == "massprops" else usual
            _print_comparison(f"{rows:,} rows × 27 csv → csv, {order}, {method}", table, method, runs, goal)


def _print_comparison(name: str, table: Path, method: str, runs: int, goal: str) -> None:
    out = table.parent
    arrow = [sys.executable, "-c", ARROW, str(table), str(out / "arrow.csv")]
    compared = compare(ours(table, out / "ours.csv", method), arrow, runs, ROOT)
    a, b = compared.ours, compared.other
    user = f"{a.user / b.user:.2f} (user {a.user:.2f} s / {b.user:.2f} s; system {a.cpu - a.user:.2f} s / "
    clock = f"{b.cpu - b.user:.2f} s; {compared.ratio:.2f} by the clock, {a.wall:.2f} s / {b.wall:.2f} s)"
    print(f"| {name} / PyArrow's read_csv + write_csv | {user}{clock} | {goal} |")
    times_file = compared.ours.peak / table.stat().st_size
    print(
        f"| {name}, peak memory / file | {times_file:.2f} ({compared.ours.peak / 1e6:,.0f} MB) | {PEAKS[method]} |",
        flush=True,
    )


def workbook(folder: Path, rows: int, runs: int) -> None:
    """Time xlsx → annotated xlsx, the complete command."""
    book = in_a_process(make_workbook, folder / f"workbook_{rows}.xlsx", rows)
    took = middle([run(ours(book, folder / "ours.xlsx"), ROOT) for _ in range(runs)])
    print(f"| {rows:,} rows × 27 xlsx → annotated xlsx, the complete command | {shown(took)} | 6 s of CPU |")
    larger = (folder / "ours.xlsx").stat().st_size / book.stat().st_size
    print(f"| the same, output / input | {larger:.2f} | 1.6 |")


def growth(folder: Path, sizes: list[int], runs: int) -> None:
    """Time the same command on files of increasing size."""
    before = None
    for rows in sizes:
        table = in_a_process(write_table, folder / f"table_{rows}.csv", rows)
        took = middle([run(ours(table, folder / "ours.csv"), ROOT) for _ in range(runs)])
        against = "" if before is None else f"{took.wall / before.wall:.2f} × ({took.cpu / before.cpu:.2f} × CPU), "
        goal = "" if before is None else "2.2 ×"
        print(f"| {rows:,} rows × 27 csv → csv | {against}{shown(took)} | {goal} |", flush=True)
        before = took


def shown(took: Run) -> str:
    """Text with time and memory of a run."""
    return f"{took.wall:.1f} s, CPU {took.cpu:.1f} s, user {took.user:.1f} s, {took.peak / 1e6:,.0f} MB"


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
        growth(options.folder, [5 * options.rows // 2, 5 * options.rows], min(options.runs, 2))
        return
    csv_against_arrow(options.folder, options.rows, options.runs)
    workbook(options.folder, options.rows // 10, 1)


if __name__ == "__main__":
    main()
