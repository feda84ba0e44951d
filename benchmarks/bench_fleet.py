"""Tables rolled up on a local Dask cluster of one and of two workers, against the command on one machine.

python benchmarks/bench_fleet.py [tables] [rows]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_tables import write_table

from massprops_cli import read_bom

ROOT = Path(__file__).parent.parent


def roll_up(folder: Path, name: str, *options: str) -> tuple[float, float]:
    """Return the wall time and the CPU time of the command, for all tables."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    words = ["rollup", str(folder / "t*.csv"), "-o", str(folder / name), *options]
    subprocess.run([sys.executable, "-m", "massprops_cli", *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(tables: int, rows: int) -> int:
    import distributed

    folder = Path(tempfile.mkdtemp())
    first = write_table(folder / "made.csv", rows).read_bytes()
    for k in range(tables):
        (folder / f"t{k:05}.csv").write_bytes(first)
    print(f"{tables:,} tables of {len(read_bom(folder / 't00000.csv'))} items")
    wall, cpu = roll_up(folder, "here")
    print(f"one machine, no cluster: {wall:.1f} s by the clock, {cpu:.1f} s of CPU")
    times = {}
    for count in (1, 2):
        with (
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            before = sum(client.run(time.process_time).values())
            times[count], cpu = roll_up(folder, f"with{count}", "--scheduler", cluster.scheduler_address)
            used = sum(client.run(time.process_time).values()) - before
        print(f"{count} workers: {times[count]:.1f} s by the clock, CPU {cpu:.1f} s here and {used:.1f} s of workers")
    print(f"1 to 2 workers: {times[1] / times[2]:.2f} × as fast by the clock")
    expected = {path.name: path.read_bytes() for path in (folder / "here").iterdir()}
    same = all(
        {path.name: path.read_bytes() for path in (folder / f"with{count}").iterdir()} == expected for count in (1, 2)
    )
    print("outputs are equal" if same else "outputs differ")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else main(1_000, 200))
