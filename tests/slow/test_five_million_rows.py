"""Five million short rows from file to file: the right root, in no more memory than their arrays ask for."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

ROWS = 5_000_000


def test_five_million_rows(tmp_path: Path) -> None:
    table = tmp_path / "bom.csv"
    rng = np.random.default_rng(5)
    mass = rng.integers(1, 1000, ROWS)
    mass[0] = 0
    with table.open("w") as out:
        out.write("id,parent,mass,Cx,Cy,Cz,note\nP0,,,,,,top\n")
        for start in range(1, ROWS, 500_000):
            span = range(start, min(ROWS, start + 500_000))
            leaf = np.array(span) >= ROWS // 4
            place = rng.integers(-100, 100, len(span)).tolist()
            out.writelines(
                f"P{i},P{(i - 1) // 4},{m},{x},0,1,n\n" if is_leaf else f"P{i},P{(i - 1) // 4},,,,,a\n"
                for i, m, x, is_leaf in zip(span, mass[start : span.stop].tolist(), place, leaf.tolist(), strict=True)
            )
    target = tmp_path / "out.csv"
    command = [sys.executable, "-m", "massprops_cli", "rollup", str(table), "-o", str(target), "--uncertainty", "none"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, process.stderr.read() if process.stderr else ""
    if process.stderr:
        process.stderr.close()
    process.returncode = 0
    # a short row costs its ten numbers, ids and tree, whatever its length in the file
    assert usage.ru_maxrss * 1024 < 450 * ROWS
    with target.open() as file:
        rows = csv.reader(file)
        next(rows)
        root = next(rows)
    assert float(root[2]) == mass[ROWS // 4 :].sum()
