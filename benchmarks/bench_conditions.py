"""50 loading conditions of 10,000 items against one roll-up: one run, alternately, processor time.

Each condition has three items off, a mass and a quantity in cells, and an assembly that is scaled.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from pathlib import Path

from made_tables import write_table

import massprops_cli as mp

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does
ROWS, CONDITIONS, PAIRS = 10_000, 50, 15


def drawn_conditions(bom: mp.Bom) -> dict[str, dict[str, list[str]]]:
    """Draw the changes of all conditions."""
    draw, leaf = random.Random(7), bom.tree.is_leaf()
    leaves = [name for name, is_leaf in zip(bom.ids, leaf.tolist(), strict=True) if is_leaf]
    inner = [name for i, name in enumerate(bom.ids) if not leaf[i] and len(bom.tree.leaves(i)) < 100]
    made = {}
    for k in range(CONDITIONS):
        one, other, *off = draw.sample(leaves, 5)
        cells = [f"{one}.mass={1 + k / 8}", f"{other}.qty=3"]
        made[f"condition {k}"] = {"off": off, "set": cells, "scale": [f"{draw.choice(inner)}.mass=1.1"]}
    return made


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bom = mp.read_bom(write_table(Path(folder) / "table.csv", ROWS), poi="-")
        given = drawn_conditions(bom)
        ratios, alone = [], []
        for _ in range(PAIRS + 3):
            start = time.process_time()
            mp.rollup(bom)
            middle = time.process_time()
            answer = mp.conditions(bom, given)
            totals = answer.totals
            end = time.process_time()
            ratios.append((end - middle) / (middle - start))
            alone.append(middle - start)
        name = answer.names[-1]
        assert abs(totals.values[-1, 0] / answer[name].root.mass - 1) < 1e-12
    whole, one = statistics.median(ratios[3:]), statistics.median(alone[3:])  # the first are the warm-up
    print(
        f"| {CONDITIONS} conditions of {ROWS:,} items | {1000 * whole * one:.0f} ms, {whole:.1f} times one roll-up "
        f"({1000 * one:.0f} ms) | at most 5 times |"
    )


if __name__ == "__main__":
    main()
