"""Which cases of a test run the lines that others of its cases run: tests/same_lines.json, from a run with coverage.

A case is kept where it runs a line of the package that fewer than ``TIMES`` kept cases of its test run; the cases that
run most such lines in the least time are kept first. The others are left to ``make slow``. Only tests are looked at
whose cases take time together and each; those that compare a table of data row by row are left out.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tests" / "same_lines.json"
TIMES, LEAST = 2, 3
SECONDS, SECONDS_EACH = 0.8, 0.025  # under coverage
FOLDERS = ("cli", "tables", "unit", "property")
DATA = ("test_the_table_is_equal_to_pints", "test_units_as_headers", "heading_words", "test_identif")


class LineRecorder:
    """Plugin of pytest that records the lines of the package and the processor time of each test."""

    def __init__(self) -> None:
        self.coverage = coverage.Coverage(data_file=None, source=[str(ROOT / "massprops_cli")], config_file=False)
        self.seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)
        self.seconds[nodeid] = time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] = time.process_time() - self.seconds[nodeid]

    def lines(self) -> dict[str, set[tuple[str, int]]]:
        """Return the lines of each test."""
        self.coverage.stop()
        found: dict[str, set[tuple[str, int]]] = defaultdict(set)
        data = self.coverage.get_data()
        for file in data.measured_files():
            for line, tests in data.contexts_by_lineno(file).items():
                for test in tests:
                    found[test].add((file, line))
        return found


def left_out(lines: dict[str, set[tuple[str, int]]], seconds: dict[str, float]) -> list[str]:
    """Return the cases of one test whose lines are run often enough by the others."""
    counts = Counter(line for case in seconds for line in lines.get(case, ()))
    needed = Counter({line: min(TIMES, count) for line, count in counts.items() if count < len(seconds)})
    rest, kept = set(seconds), 0
    while rest:
        gains = {case: sum(line in needed for line in lines.get(case, ())) for case in rest}
        best = max(sorted(rest), key=lambda case: gains[case] / (seconds[case] + 0.005))
        if not gains[best] and kept >= LEAST:
            break
        rest.remove(best)
        kept += 1
        needed.subtract({line: 1 for line in lines.get(best, ()) if line in needed})
        needed = +needed
    return sorted(rest)


def main() -> None:
    """Run all cases, and write those that are left to ``make slow``."""
    TARGET.write_text("{}\n", encoding="utf-8")
    recorder = LineRecorder()
    folders = [str(ROOT / "tests" / name) for name in FOLDERS]
    if pytest.main(["-n", "0", "-p", "no:cacheprovider", *folders], plugins=[recorder]):
        raise SystemExit("the tests failed; tests/same_lines.json is empty")
    lines, tests = recorder.lines(), defaultdict[str, dict[str, float]](dict)
    for case, seconds in recorder.seconds.items():
        tests[case.partition("[")[0]][case] = seconds
    found = {}
    for name, cases in sorted(tests.items()):
        total = sum(cases.values())
        if (
            len(cases) > 4
            and total > SECONDS
            and total > SECONDS_EACH * len(cases)
            and not any(x in name for x in DATA)
        ):
            found[name] = [case.removeprefix(f"{name}[").removesuffix("]") for case in left_out(lines, cases)]
    found = {name: cases for name, cases in found.items() if cases}
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{sum(map(len, found.values()))} cases of {len(found)} tests are left to make slow")


if __name__ == "__main__":
    main()
