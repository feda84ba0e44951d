"""Random mutants of a room, and how many of them its tests detect.

One mutant changes one place: a comparison, `and` or `or`, `not`, an operator, a number, True or False, the branches
of a conditional expression, or the condition of `if` and `while`. Left out are annotations, the options of decorators
and `strict=` of `zip`. A mutant runs against the tests that execute its line (all tests of its module if the line runs
on import), the fastest first; what survives the first seconds runs against all of them. The working copy is not
changed: mutants are written to a copy in a temporary folder.
"""

from __future__ import annotations

import argparse
import ast
import bisect
import collections
import contextlib
import importlib
import itertools
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The modules of a room and the tests that are candidates for them; the doctests of the modules are added.
ROOMS: dict[str, tuple[list[str], list[str]]] = {
    "budgets": (["budgets/*.py"], ["unit/test_budget*.py", "property/test_budget*.py", "cli/test_check.py"]),
    "revisions": (
        ["revisions/*.py"],
        ["unit/test_diff*.py", "unit/test_revisions*.py", "property/test_diff.py", "cli/test_diff*.py"],
    ),
    "formulas": (
        ["files/workbook/formulas.py"],
        ["unit/test_files_workbook*.py", "cli/test_workbook_formulas.py", "cli/test_second_rollup.py"],
    ),
    "files": (
        ["files/delimited_*.py", "files/encoding.py", "files/json_records.py", "files/arrow.py"],
        ["unit/test_files_[!w]*.py", "property/test_files*.py", "cli/test_hard_text.py", "cli/test_hard_files.py"],
    ),
    "cells": (["tables/cells/*.py"], ["unit/test_tables*.py", "property/test_cells*.py"]),
    "columns": (["tables/columns/*.py"], ["unit/test_tables*.py", "tables/test_tables.py"]),
    "rows": (["tables/rows/*.py"], ["unit/test_tables*.py", "tables/test_tables.py"]),
    "bodies": (
        ["bodies/*.py", "bodies/meshes/*.py"],
        ["unit/test_bod*.py", "unit/test_mesh*.py", "unit/test_bom_solids.py", "unit/test_fix*.py", "peers/test_g*.py"],
    ),
    "rollups": (
        ["rollups/[!d]*.py", "rollups/montecarlo/*.py"],
        ["unit/test_rollup*.py", "unit/test_montecarlo*.py", "unit/test_bom_poses.py", "peers/test_[!g]*.py"],
    ),
}
WARM = [
    "pytest",
    "hypothesis",
    "numpy.random",
    "numpy.linalg",
    "pandas",
    "pyarrow.csv",
    "pyarrow.compute",
    "lxml.etree",
]
WARM += [
    "typer.testing",
    "rich.console",
    "openpyxl",
    "networkx",
    "tomlkit",
    "statistics",
    "fractions",
    "decimal",
    "zipfile",
]
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed place: module, lines, the bytes replaced and their replacement."""

    module: str
    first: int
    last: int
    start: int
    end: int
    old: str
    new: str


def changed_nodes(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the changed forms of a node."""
    match node:
        case ast.Compare(left, [operator, *more], comparators):
            yield ast.Compare(left, [COMPARISONS[type(operator)](), *more], comparators)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            yield ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.If(test) | ast.While(test) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield ast.UnaryOp(ast.Not(), test)


def left_out_nodes(tree: ast.AST) -> set[int]:
    """Return the ids of nodes that are not changed: annotations, decorators, strictness of zip, imports for types."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                roots += [node.returns, *node.decorator_list]
            case ast.ClassDef():
                roots += node.decorator_list
            case ast.arg() | ast.AnnAssign():
                roots.append(node.annotation)
            case ast.keyword(arg="strict"):
                roots.append(node.value)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                roots.append(node)
            case ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "cast")):
                roots.append(node)
    return {id(inner) for root in roots if root is not None for inner in ast.walk(root)}


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Return all mutants of a module, in the order of its text."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree, found = ast.parse(source), []
    left_out = left_out_nodes(tree)
    in_fstrings = {id(x) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for x in ast.walk(n)}
    for node in ast.walk(tree):
        if id(node) in left_out or id(node) in in_fstrings:  # places inside an f-string are not exact before 3.12
            continue
        for new in changed_nodes(node):
            place = node.test if isinstance(node, ast.If | ast.While) else node
            assert isinstance(place, ast.expr)
            assert place.end_lineno is not None
            assert place.end_col_offset is not None
            start = starts[place.lineno - 1] + place.col_offset
            end = starts[place.end_lineno - 1] + place.end_col_offset
            text = f"({ast.unparse(ast.fix_missing_locations(new))})"
            found.append(Mutant(module, place.lineno, place.end_lineno, start, end, source[start:end].decode(), text))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end))


def run_tests(copy: Path, arguments: list[str], log: Path, limit: float, plugins: tuple[object, ...] = ()) -> int:
    """Run pytest in a forked process on the copy; return its exit code, 99 after the time limit."""
    process = os.fork()
    if process == 0:
        code = 3
        try:
            os.setsid()
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.chdir(copy)
            sys.path[:] = [str(copy), *(p for p in sys.path if p not in ("", str(ROOT), str(ROOT / "benchmarks")))]
            import pytest

            fixed = [
                "-n",
                "0",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                "--no-header",
                "-W",
                "ignore::pytest.PytestWarning",
            ]
            code = int(pytest.main([*fixed, *arguments], plugins=list(plugins)))
        except BaseException as error:
            print(repr(error), flush=True)
        finally:
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return 99


class Recorder:
    """Plugin of pytest that records the duration of each test and the lines it executes."""

    def __init__(self, room: list[str], target: Path) -> None:
        import coverage

        self.coverage = coverage.Coverage(data_file=None, include=room, config_file=False)
        self.target, self.seconds = target, {}

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)
        self.seconds[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] = time.monotonic() - self.seconds[nodeid]

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {file: data.contexts_by_lineno(file) for file in data.measured_files()}
        self.target.write_text(json.dumps([lines, self.seconds]), encoding="utf-8")


def executed_lines(copy: Path, room: list[str], tests: list[str], folder: Path) -> tuple[dict, dict[str, float]]:
    """Run the candidate tests once; return the tests of each line of each module, and the duration of each test."""
    target = folder / "lines.json"
    modules = [str(copy / module) for module in room]
    code = run_tests(copy, [*tests, *room], folder / "record.log", 1800, (Recorder(modules, target),))
    if code:
        raise SystemExit(f"the tests of the unchanged copy ended with {code}; see {folder / 'record.log'}")
    lines, seconds = json.loads(target.read_text(encoding="utf-8"))
    by_line = {Path(file).relative_to(copy).as_posix(): found for file, found in lines.items()}
    return by_line, seconds


def tests_of(mutant: Mutant, lines: dict, seconds: dict[str, float], limit: float) -> tuple[list[str], list[str]]:
    """Return the tests that execute a line of the mutant, else all of its module: first tests, and the rest."""
    module = lines.get(mutant.module, {})
    found = {t for n in range(mutant.first, mutant.last + 1) for t in module.get(str(n), ()) if t}
    found = found or {t for tests in module.values() for t in tests if t}
    ordered = sorted(found, key=lambda name: (seconds.get(name, 0), name))
    sums = list(itertools.accumulate(seconds.get(test, 0) for test in ordered))
    cut = max(10, bisect.bisect_right(sums, limit))
    return ordered[:cut], ordered[cut:]


def wilson_interval(killed: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson for a proportion."""
    z, p = 1.959964, killed / total
    center, half = p + z * z / (2 * total), z * math.sqrt(p * (1 - p) / total + (z / (2 * total)) ** 2)
    return (center - half) / (1 + z * z / total), (center + half) / (1 + z * z / total)


def main() -> None:
    """Sample mutants of a room, run the tests on each, print the survivors and the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=6.0, help="estimated time of the first tests")
    options = parser.parse_args()
    patterns, candidates = ROOMS[options.room]
    package = ROOT / "massprops_cli"
    room = [p.relative_to(ROOT).as_posix() for pattern in patterns for p in sorted(package.glob(pattern))]
    tests = [p.relative_to(ROOT).as_posix() for pattern in candidates for p in sorted((ROOT / "tests").glob(pattern))]
    places = [mutant for module in room for mutant in mutants_of(ROOT / module, module)]
    sample = random.Random(options.seed).sample(places, min(options.number, len(places)))
    for name in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    folder = Path(tempfile.mkdtemp(prefix=f"mutants_{options.room}_"))
    copy = folder / "copy"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".hypothesis", ".*_cache")
    )
    os.environ["PYTHONPATH"] = str(copy)
    lines, seconds = executed_lines(copy, room, tests, folder)
    print(
        f"{options.room}: {len(places)} places, seed {options.seed}, {len(seconds)} tests; copy in {folder}", flush=True
    )
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    counts: collections.Counter[str] = collections.Counter()
    for mutant in sample:
        path = copy / mutant.module
        source, status = path.read_bytes(), path.stat()
        path.write_bytes(source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
        chosen, rest = tests_of(mutant, lines, seconds, options.seconds)
        began = time.monotonic()
        code = run_tests(copy, chosen, folder / "mutant.log", 60 + 20 * options.seconds) if chosen else 0
        if code == 0 and rest:
            chosen = rest
            code = run_tests(copy, chosen, folder / "mutant.log", 600)
        path.write_bytes(source)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        if code == 4 and run_tests(copy, chosen, folder / "mutant.log", 600):  # no test found: the mutant or the names?
            raise SystemExit(f"the chosen tests fail on the unchanged copy; see {folder / 'mutant.log'}")
        outcome = "survived" if code == 0 else "killed"
        counts[outcome] += 1
        line = source.splitlines()[mutant.first - 1].decode().strip()
        took = f"{len(chosen)} tests, exit code {code}, {time.monotonic() - began:.1f} s"
        print(f"{outcome} {mutant.module}:{mutant.first} {mutant.old!r} -> {mutant.new} | {line} | {took}", flush=True)
    low, high = wilson_interval(counts["killed"], len(sample))
    print(f"{options.room}: {counts['killed']} of {len(sample)} killed, {counts['killed'] / len(sample):.0%}, ", end="")
    print(f"95 % interval {low:.0%} to {high:.0%}; equivalent mutants are not taken out")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
