"""Time reading a 100,000-row workbook against calamine's own time for the same sheet, in pairs in one process."""

from __future__ import annotations

import argparse
import csv
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from massprops_cli.findings.finding import Findings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.made_tables import write_table
from massprops_cli.files.options import FileOptions
from massprops_cli.files.workbook.xlsx import read_workbook


def make_workbook(path: Path, rows: int) -> Path:
    """Write the generated table as a workbook with numeric cells; kept from one run to the next."""
    if path.exists():
        return path
    import xlsxwriter

    table = write_table(path.with_suffix(".csv"), rows)
    with xlsxwriter.Workbook(str(path)) as book, table.open(newline="") as stream:
        sheet = book.add_worksheet("Parts")
        for i, record in enumerate(csv.reader(stream)):
            for j, text in enumerate(record):
                try:
                    sheet.write_number(i, j, float(text))
                except ValueError:
                    sheet.write(i, j, text)
    return path


def calamine(path: Path) -> object:
    """Read the sheet with calamine only."""
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()


def ours(path: Path) -> object:
    """Read the table, its findings and its addresses."""
    findings = Findings()
    return read_workbook(str(path), path, "xlsx", FileOptions(), None, findings), findings


def timed(read: Callable[[Path], object], path: Path) -> float:
    """Seconds of one reading."""
    gc.collect()
    start = time.perf_counter()
    read(path)
    return time.perf_counter() - start


def main() -> None:
    """Print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "massprops_benchmarks")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    path = make_workbook(options.folder / f"workbook_{options.rows}.xlsx", options.rows)
    pairs = [(timed(ours, path), timed(calamine, path)) for _ in range(options.runs)]
    ratio = statistics.median(a / b for a, b in pairs)
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    what = f"{options.rows:,} rows × 27 xlsx read / calamine's own time"
    print(f"| {what} | {ratio:.2f} ({mine:.2f} s / {theirs:.2f} s) | 1.5 |")


if __name__ == "__main__":
    main()
