"""Draw lists, judge the tool's answers, and print the verdicts by kind and the smallest failing lists.

Run it as ``python -m tests.simulator.run --count 300 --config seed=1``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.simulator.drawing import KINDS, draw_list
from tests.simulator.formats import text_of
from tests.simulator.judge import VERDICTS, judge
from tests.simulator.shrink import smallest
from tests.simulator.truth import truth_of

GOOD = ("right", "asked rightly")
Result = dict[str, Any]


def one(case: tuple[str, int]) -> Result:
    """Draw and judge one list."""
    kind, seed = case
    spec = draw_list(kind, seed)
    verdict = judge(spec)
    result: Result = {"kind": kind, "seed": seed, "verdict": verdict.name, "reason": verdict.reason}
    if verdict.name not in GOOD:
        truth = truth_of(spec)
        result |= {
            "truth_kg": str(truth.mass),
            "predicted_kg": str(truth.predicted),
            "center_mm": [value and str(round(value, 6)) for value in truth.center],
            "alternatives_kg": [str(value) for value in truth.alternatives],
            "mass_kg": str(verdict.mass),
            "exit_code": verdict.exit_code,
            "rules": verdict.rules,
            "commands": verdict.commands,
            "format": spec.file_format,
            "ambiguity": spec.ambiguity,
            "list": text_of(spec),
        }
    return result


def cases_of(count: int, seed: int, kind: str = "") -> list[tuple[str, int]]:
    """As many kinds and seeds as requested, the kinds in turn."""
    kinds = [name for name in KINDS if kind in name]
    return [(kinds[place % len(kinds)], seed * 100_000 + place // len(kinds)) for place in range(count)]


def judge_all(cases: list[tuple[str, int]], workers: int = 2) -> list[Result]:
    """Judge lists in several processes; one process judges in this one."""
    if workers < 2:
        return [one(case) for case in cases]
    pool = multiprocessing.get_context("spawn").Pool(workers)
    try:
        return list(pool.imap(one, cases, chunksize=20))
    finally:  # terminate() would run the tool's own handler of signals
        pool.close()
        pool.join()


def table(results: list[Result]) -> str:
    """Verdicts by kind."""
    kinds = [kind for kind in KINDS if any(result["kind"] == kind for result in results)]
    width = max(len(kind) for kind in kinds)
    out = [" " * width + "".join(f"{name:>15}" for name in VERDICTS)]
    for kind in [*kinds, "all"]:
        counts = Counter(result["verdict"] for result in results if kind in ("all", result["kind"]))
        out.append(f"{kind:{width}}" + "".join(f"{counts[name] or '':>15}" for name in VERDICTS))
    shares = Counter(result["verdict"] for result in results)
    out.append(f"{'share':{width}}" + "".join(f"{100 * shares[name] / len(results):>13.1f} %" for name in VERDICTS))
    return "\n".join(out)


def show(result: Result) -> str:
    """A failing list, made as small as possible, with its truth and the answer."""
    spec = draw_list(result["kind"], result["seed"])
    spec = smallest(spec, judge(spec))
    verdict, truth = judge(spec), truth_of(spec)
    answer = f"exit {verdict.exit_code}, {' '.join(verdict.rules)}"
    total = f"tool {round(verdict.mass, 9).normalize():f} kg" if verdict.mass else "tool without a total"
    facts = [
        f"{result['kind']}, seed {result['seed']}: {verdict.name} ({verdict.reason}), {answer}",
        f"truth {truth.mass.normalize():f} kg, {total}",
    ]
    facts += [f"predicted {truth.predicted.normalize():f} kg"] if truth.predicted is not None else []
    facts += (
        [f"alternatives {', '.join(format(total.normalize(), 'f') for total in truth.alternatives)} kg"]
        if truth.alternatives
        else []
    )
    facts += [f"as {spec.file_format}"] if spec.file_format not in ("csv", "md") else []
    return "\n".join([*facts, *[f"  {command}" for command in verdict.commands], text_of(spec)])


def main() -> int:
    """Run the simulator from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of lists")
    parser.add_argument("--seed", type=int, default=1, help="seed of the lists")
    parser.add_argument("--kind", default="", help="part of the name of a kind")
    parser.add_argument(
        "--show-failures",
        type=int,
        default=0,
        metavar="N",
        help="print the N first failures, made small, of each verdict",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all failures to a file")
    parser.add_argument("--workers", type=int, default=2, help="number of processes")
    options = parser.parse_args()
    if not any(options.kind in kind for kind in KINDS):
        parser.error(f"no such kind: {options.kind} ({', '.join(KINDS)})")
    start = time.monotonic()
    results = judge_all(cases_of(options.count, options.seed, options.kind), options.workers)
    failures = [result for result in results if result["verdict"] not in GOOD]
    sys.stdout.write(f"{table(results)}\n{len(results)} lists in {time.monotonic() - start:.0f} s\n")
    if options.json:
        options.json.write_text(json.dumps(failures, ensure_ascii=False, indent=1), encoding="utf-8")
    for name in VERDICTS[2:]:
        for result in [failure for failure in failures if failure["verdict"] == name][: options.show_failures]:
            sys.stdout.write(f"\n{show(result)}")
            sys.stdout.flush()
    return int(any(failure["verdict"] != "asked wrongly" for failure in failures))


if __name__ == "__main__":
    sys.exit(main())
