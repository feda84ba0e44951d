"""Design reviews of 10,000 and 100,000 items: seconds as a share of the roll-up to a workbook, and sizes of pages."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from massprops_cli.cli.app import run_command_line

RUNS = 3
HEAD = "id,parent,name,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\n"


def table(items: int, path: Path) -> None:
    draw = random.Random(1)
    rows = ["S,,Satellite,,,,,,,,\n"] + [f"A{a},S,Subsystem {a},,,,,,,,\n" for a in range(12)]
    groups = [f"A{a}-{b}" for a in range(12) for b in range(items // 1200)]
    rows += [f"{name},{name.partition('-')[0]},Assembly {name},,,,,,,,\n" for name in groups]
    for k in range(items - len(rows)):
        numbers = f"{draw.lognormvariate(-3, 1.2):.4f},0.005,{draw.uniform(-1, 1):.3f},{draw.uniform(-1, 1):.3f},0.5"
        rows.append(f"P{k:06d},{draw.choice(groups)},Part {k % 997},{numbers},0.01,0.01,0.01\n")
    path.write_text(HEAD + "".join(rows), "utf-8")


def seconds(*words: str) -> float:
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        assert run_command_line([*words, "-q"]) == 0
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for items in (10_000, 100_000):
            source, page = (Path(folder) / f"{items}{suffix}" for suffix in (".csv", ".html"))
            table(items, source)
            report = seconds("report", str(source), "-o", str(page))
            if items == 10_000:
                workbook = seconds("rollup", str(source), "-o", str(page.with_suffix(".xlsx")))
                print(f"| report of {items:,} items, of rollup -o x.xlsx | {report / workbook:.2f} | 1.5 |")
            print(f"| page of {items:,} items | {page.stat().st_size / 1e6:.2f} MB | 5 MB |")


if __name__ == "__main__":
    main()
