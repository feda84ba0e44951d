"""All fuzz targets one after another: ``python -m tests.fuzz.run --minutes 40``; ``make fuzz MINUTES=40``.

Inputs found are kept in ``.fuzz`` for the next run. ``--keep`` copies the smallest of them that cover what all cover
into ``tests/fuzz/corpus``, which the ordinary tests run; inputs named ``fault-…`` that were faults once stay there.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.targets import LONGEST_INPUT, file_seeds, targets

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
WORK = ROOT / ".fuzz"

HANG_SECONDS = 60
"""Time by the clock after which an input hangs; the cap of processor time is in `targets`."""

MEMORY_MB = 1_500
"""Most memory of the fuzzing process, of which the libraries need about 300 MB."""

KEPT_BYTES_OF_TARGET = 6_000


def main() -> int:
    """Fuzz each target for its share of the time; print a line a target; 1 if a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="time by the clock, all targets together")
    parser.add_argument("--target", action="append", default=[], help="only this target; may be repeated")
    parser.add_argument("--keep", action="store_true", help="write tests/fuzz/corpus from what was found")
    given = parser.parse_args()
    every = targets()
    names = given.target or list(every)
    seeds = file_seeds(ROOT)
    for name in names:
        write_seeds(name, [*every[name].seeds, *seeds.get(name, [])])
    if given.keep:
        for name in names:
            keep_smallest(name)
        return 0
    faults = [fault for name in names for fault in fuzz_target(name, 60 * given.minutes / len(names))]
    for fault in faults:
        print(f"fault: {fault}")
    return int(bool(faults))


def write_seeds(name: str, seeds: list[bytes]) -> None:
    """Write the seeds of a target, and its kept corpus, to its working folder."""
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    for k, seed in enumerate(seeds):
        (folder / f"seed-{k}").write_bytes(seed)
    for path in (CORPUS / name).glob("*"):
        shutil.copyfile(path, folder / path.name)


def fuzz_target(name: str, seconds: float) -> list[str]:
    """Fuzz a target, again after the end of its process, and add the numbers of the run to the record."""
    end, executions, faults = time.monotonic() + seconds, 0, []
    found = WORK / "faults"
    before = {path.name for path in found.glob(f"{name}-*")}
    cpu = cpu_of_children()
    while (left := end - time.monotonic()) > 1:
        options = [
            str(WORK / name),
            f"-max_total_time={max(1, int(left))}",
            f"-timeout={HANG_SECONDS}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-max_len={LONGEST_INPUT}",
            "-print_final_stats=1",
            f"-artifact_prefix={found}/{name}-",
        ]
        found.mkdir(parents=True, exist_ok=True)
        output = run_engine(name, options)
        executions += int((re.findall(r"stat::number_of_executed_units:\s+(\d+)", output) or ["0"])[-1])
        if time.monotonic() < end - 30:
            (found / f"{name}-{int(time.time())}.log").write_text(output[-20_000:], "utf-8")
    faults = [path for path in sorted(found.glob(f"{name}-*")) if path.name not in before and path.suffix != ".txt"]
    line = {
        "target": name,
        "cpu_seconds": round(cpu_of_children() - cpu, 1),
        "executions": executions,
        "inputs": len(list((WORK / name).iterdir())),
        "faults": len(faults),
    }
    print(json.dumps(line), flush=True)
    with (WORK / "record.jsonl").open("a", encoding="utf-8") as record:
        record.write(json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **line}) + "\n")
    return [str(path) for path in faults]


def run_engine(name: str, options: list[str]) -> str:
    """Run the fuzzing process and return what it printed."""
    arguments = [sys.executable, "-m", "tests.fuzz.engine", name, str(WORK / "faults"), *options]
    done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode("utf-8", "replace")


def cpu_of_children() -> float:
    """Processor time of all processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def keep_smallest(name: str) -> None:
    """Merge the inputs of a target, and keep the smallest up to a size in the repository."""
    with tempfile.TemporaryDirectory() as merged:
        run_engine(
            name, ["-merge=1", f"-timeout={HANG_SECONDS}", f"-rss_limit_mb={MEMORY_MB}", merged, str(WORK / name)]
        )
        (CORPUS / name).mkdir(parents=True, exist_ok=True)
        for path in CORPUS.glob(f"{name}/*"):
            if not path.name.startswith("fault-"):
                path.unlink()
        size = 0
        for path in sorted(Path(merged).iterdir(), key=lambda path: (path.stat().st_size, path.name)):
            size += path.stat().st_size
            if size > KEPT_BYTES_OF_TARGET:
                break
            shutil.copyfile(path, CORPUS / name / path.name[:12])


if __name__ == "__main__":
    sys.exit(main())
