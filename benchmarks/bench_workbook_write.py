"""Writing workbooks of 100,000 rows × 27 columns: in place, and new, against XlsxWriter in constant memory.

28 % of the rows get 20 numbers each; all other cells are there before. Both write the same cells to memory's disk.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xlsxwriter

sys.path.insert(0, str(Path(__file__).parent.parent))
from massprops_cli.files.table import ColumnEdit, TableEdit
from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook
from massprops_cli.files.workbook.sheet_xml import OutputSheet
from massprops_cli.files.workbook.writer import new_workbook

ROWS, COLUMNS, SHARE, RUNS = 100_000, 27, 0.28, 3
FILLED = range(4, 24)


def rows_of(rows: int) -> list[list[str | float | None]]:
    rng = np.random.default_rng(1)
    numbers = rng.normal(0, 100, (rows, len(FILLED))).tolist()
    texts = [[f"N{k}", f"N{k // 4}", f"Part {k}", "-"] for k in range(rows)]
    ends = [["false", f"S{k % 7}", "n"] for k in range(rows)]
    return [a + b + c for a, b, c in zip(texts, numbers, ends, strict=True)]


def by_xlsxwriter(
    path: Path, header: list[str], rows: list[list[str | float | None]], blank: frozenset[int] = frozenset()
) -> None:
    book = xlsxwriter.Workbook(path, {"constant_memory": True})
    sheet = book.add_worksheet("Parts")
    sheet.write_row(0, 0, header)
    for k, row in enumerate(rows):
        for j, value in enumerate(row):
            if k in blank and j in FILLED:
                continue
            if isinstance(value, str):
                sheet.write_string(k + 1, j, value)
            else:
                sheet.write_number(k + 1, j, value)
    book.close()


def timed(work: object) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    header = [f"column {k}" for k in range(COLUMNS)]
    rows = rows_of(ROWS)
    inner = np.arange(int(ROWS * SHARE))
    values = np.array([row[4:24] for row in rows[: len(inner)]])
    fills = tuple(ColumnEdit(column, inner + 1, values[:, k]) for k, column in enumerate(FILLED))
    with tempfile.TemporaryDirectory() as folder:
        given, annotated, fresh, peer = (Path(folder) / f"{name}.xlsx" for name in ("given", "edit", "new", "peer"))
        by_xlsxwriter(given, header, rows, frozenset(inner.tolist()))

        def edit() -> None:
            with annotated.open("wb") as out:
                edit_workbook(given, out, SheetEdit("Parts", TableEdit(fills)))

        def new() -> None:
            with fresh.open("wb") as out:
                new_workbook(out, [OutputSheet("Parts", [header, *rows])])

        runs = [(timed(edit), timed(new), timed(lambda: by_xlsxwriter(peer, header, rows))) for _ in range(RUNS)]
        sizes = [path.stat().st_size / 1e6 for path in (annotated, fresh, peer)]
    ours, created, other = (statistics.median(times) for times in zip(*runs, strict=True))
    edited, made = (
        statistics.median(a / c for a, c in pairs)
        for pairs in ([(a, c) for a, _, c in runs], [(b, c) for _, b, c in runs])
    )
    where = f"{ROWS:,} rows × {COLUMNS}"
    measured = f"{edited:.2f} × ({ours:.2f} s, {other:.2f} s; {sizes[0]:.1f} and {sizes[2]:.1f} MB)"
    print(f"| {where} xlsx annotated in place, against XlsxWriter in constant memory | {measured} | 0.5 × |")
    print(f"| {where} new xlsx, against the same | {made:.2f} × ({created:.2f} s; {sizes[1]:.1f} MB) | |")


if __name__ == "__main__":
    main()
