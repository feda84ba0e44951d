"""How many random mutants of the computing rooms that change a printed number ``verify`` notices.

A mutant (benchmarks/mutants.py) changes one place of ``rollups``, ``bodies`` or ``bom/results`` on a line that the
sample tables execute. It counts if a number of a completed table with all further columns changes by more than 1e-11
of the largest one of its column, is lost or is new, and nothing stops; texts and further columns do not count. It is
noticed if the roll-up differs from its recomputation, or the table that the mutant wrote. A process a mutant; the
working copy is not changed.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mutants

ROOMS = ("rollups/*.py", "bodies/*.py", "bodies/meshes/*.py", "bom/results/*.py")
ADDED = ("radii", "sigma", "principal", "coverage", "rho", "growth")
GROUPED = """id,parent,qty,mass [kg],sigma_mass [kg],Cx [mm],Cy [mm],Cz [mm],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm],\
corr_group,method
TOP,,1,,,,,,,,,,
SUB,TOP,2,,,,,,,,,,
A,SUB,3,0.1,0.01,100,0,0,1,2,3,g,weighed
B,SUB,1,0.2,0.02,-50,30,0,1,1,1,g,estimated
C,TOP,1,0.7,0.03,0,0,250,2,2,2,,
"""
SHAPED = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],\
Iyz [kg*m^2],POIconv,shape,dims,axis,wall [mm],density [g/cm3]
T,,,,,,,,,,,,-,,,,,
BOX,T,,,,,,,,,,,-,box,a=100 mm; b=200 mm; c=50 mm,,,2.7
TUBE,T,,,,,,,,,,,-,tube,r=40 mm; L=300 mm,x,4,2.7
BALL,T,2.5,0.1,0.2,0.3,,,,,,,-,sphere,r=60 mm,,,
"""
REMOVED = """id,parent,qty,mass [lb],Cx [in],Cy [in],Cz [in],Ixx [lb*in^2],Iyy [lb*in^2],Izz [lb*in^2],Ixy [lb*in^2],\
Ixz [lb*in^2],Iyz [lb*in^2],POIconv,sigma_mass [lb],mga [%]
V,,,,,,,,,,,,,-,,
A,V,2,,,,,,,,,,,-,,
A1,A,3,1.25,3,1,0.5,2,3,4,0.1,0.2,0.3,+,0.05,10
A2,A,1,0.7,-2,1,4,1,1.5,1.2,0.1,-0.2,0.3,-,0.02,5
CUT,V,1,-0.3,1,1,1,-0.1,-0.1,-0.1,0,0,0,-,0.01,0
"""
TABLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("spacecraft.csv", "", {}),
    ("twelve_rows.csv", "", {}),
    ("sawe_example.csv", "", {"uncertainty": "massprops"}),
    ("rover.csv", "", {}),
    ("sawe_example.csv", "", {}),
    ("budget/bom.csv", "", {}),
    ("grouped.csv", GROUPED, {}),
    ("shaped.csv", SHAPED, {}),
    ("removed.csv", REMOVED, {"allow_negative_mass": True}),
)


def results(folder: Path) -> list[tuple[Any, Path]]:
    """Roll up every table, and write it with all further columns."""
    import massprops_cli as mp

    made = []
    for k, (name, _, options) in enumerate(TABLES):
        result = mp.rollup(folder / "sample_data" / name, **options)
        path = folder / f"out{os.getpid()}_{k}.csv"
        result.save(path, add=ADDED)
        made.append((result, path))
    return made


def cells(path: Path) -> list[list[str]]:
    """Return the cells of a written table."""
    return list(csv.reader(io.StringIO(path.read_text("utf-8"))))


def differs(one: list[list[str]], other: list[list[str]]) -> bool:
    """Return whether a number of the unchanged table differs by more than rounding, or is lost."""
    if len(one) != len(other) or set(map(bare, other[0])) - set(map(bare, one[0])):
        return True
    places = {bare(head): j for j, head in enumerate(one[0])}
    for k, head in enumerate(other[0]):
        new, old = (numbers(rows, at) for rows, at in ((one, places[bare(head)]), (other, k)))
        largest = max((abs(x) for x in old if x is not None), default=0.0)
        for x, was in zip(new, old, strict=True):
            if (x is None) != (was is None) or (x is not None and was is not None and abs(x - was) > 1e-11 * largest):
                return True
    return False


def bare(head: str) -> str:
    """Return a heading without its unit and level."""
    return head.partition(" [")[0].partition(" (")[0]


def numbers(rows: list[list[str]], column: int) -> list[float | None]:
    """Return the numbers of a column, of one standard deviation where its heading states several; None for texts."""
    level = re.search(r"\((\d+)(?:σ| sigma)\)", rows[0][column])
    made: list[float | None] = []
    for row in rows[1:]:
        try:
            made.append(float(row[column]) / (1 if level is None else int(level[1])))
        except ValueError:
            made.append(None)
    return made


def in_process(work: Callable[[], Any], seconds: int, *, is_shown: bool = False) -> Any:
    """Return what a function returns in a process of its own; None where it stops or takes too long."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            signal.alarm(seconds)
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                answer = work()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(json.dumps(answer).encode())
        except Exception as error:  # a mutant may raise anything
            if is_shown:
                print(repr(error), file=sys.__stderr__)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(process, 0)
    return json.loads(data) if data else None


def prepared_copy() -> Path:
    """Copy the package and the tables to a folder from which they are imported."""
    folder = Path(tempfile.mkdtemp(prefix="verify_mutants_"))
    for name in ("massprops_cli", "sample_data"):
        shutil.copytree(mutants.ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text, _ in TABLES:
        if text:
            (folder / "sample_data" / name).write_text(text, encoding="utf-8")
    sys.dont_write_bytecode = True
    sys.path[:] = [str(folder), *(one for one in sys.path if one not in ("", str(mutants.ROOT)))]
    for name in ("numpy.random", "numpy.linalg", "openpyxl", "pyarrow.csv", "pyarrow.compute", "decimal", "difflib"):
        __import__(name)
    return folder


def outcomes(places: list[Any], work: Any, folder: Path, number: int) -> collections.Counter[str]:
    """Try mutants one after another until ``number`` of them change a number; print those that nothing notices."""
    counts: collections.Counter[str] = collections.Counter()
    for one in places:
        path = folder / one.module
        source = path.read_bytes()
        path.write_bytes(source[: one.start] + one.new.encode() + source[one.end :])
        outcome = in_process(work, 120) or "stopped"
        path.write_bytes(source)
        for left in folder.glob("out*.csv"):
            left.unlink()
        counts[outcome] += 1
        if outcome == "MISSED":
            line = source.splitlines()[one.first - 1].decode().strip()
            print(f"MISSED {one.module}:{one.first} {one.old!r} -> {one.new} | {line}", flush=True)
        if sum(counts.values()) % 50 == 0:
            print(dict(counts), flush=True)
        if counts["noticed"] + counts["MISSED"] >= number:
            break
    return counts


def main() -> None:
    """Draw mutants until N of them change a number, and count those that are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = prepared_copy()
    rooms = [path for pattern in ROOMS for path in sorted((folder / "massprops_cli").glob(pattern))]

    def base() -> list[Any]:
        import coverage

        seen = coverage.Coverage(data_file=None, include=[str(path) for path in rooms], config_file=False)
        seen.start()
        made = results(folder)
        seen.stop()
        data = seen.get_data()
        lines = {file: data.lines(file) for file in data.measured_files()}
        import massprops_cli as mp

        agree = all(mp.verify(result, path).agrees for result, path in made)
        return [agree, lines, [cells(path) for _, path in made]]

    agree, lines, old = in_process(base, 600, is_shown=True)
    assert agree, "verify finds a difference in the unchanged copy"
    places = []
    for path in rooms:
        on = set(lines.get(str(path), ()))
        found = mutants.mutants_of(path, path.relative_to(folder).as_posix())
        places += [one for one in found if any(k in on for k in range(one.first, one.last + 1))]
    random.Random(options.seed).shuffle(places)
    print(f"{len(places)} places on executed lines, seed {options.seed}", flush=True)

    def work() -> str:
        import massprops_cli as mp

        made = results(folder)
        if not any(differs(cells(path), was) for (_, path), was in zip(made, old, strict=True)):
            return "same"
        return "noticed" if any(not mp.verify(result, path).agrees for result, path in made) else "MISSED"

    counts = outcomes(places, work, folder, options.number)
    total = counts["noticed"] + counts["MISSED"]
    low, high = mutants.wilson_interval(counts["noticed"], max(total, 1))
    print(f"{counts['noticed']} of {total} noticed, 95 % interval {low:.1%} to {high:.1%}; {dict(counts)}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
