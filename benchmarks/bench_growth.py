"""Growth: user CPU time of every command with the size of its input; beyond linear is a failure.

python benchmarks/bench_growth.py [--large] [WORD ...]

Tables have 1,000, 3,000 and 10,000 rows, with --large 3,000, 30,000 and 300,000; a WORD selects commands whose names
contain it. The time of the same command with the least input is subtracted; the exponent is of the two largest sizes.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench_base_params import robot
from made_tables import HEADER, write_table
from measure import middle, run

LARGEST_EXPONENT, LARGEST_BASE_EXPONENT = 1.15, 2.0
LEAST_SECONDS = 0.15  # of the second largest size, below which an exponent is noise
SMALL, LARGE = (30, 1_000, 3_000, 10_000), (30, 3_000, 30_000, 300_000)
_Maker = Callable[[Path, int], Path]


class Case(NamedTuple):
    """A command with FILE, OTHER (a second file) and LEAF (its last row), the input of a size, and the sizes."""

    name: str
    command: str
    make: _Maker
    sizes: Sequence[int]
    most: float = LARGEST_EXPONENT


def table(folder: Path, rows: int) -> Path:
    """Write a clean table, and next to it a revision of which every hundredth leaf is heavier."""
    path = folder / f"table{rows}.csv"
    if not path.exists():
        write_table(path, rows)
        head, *lines = path.read_text().splitlines()
        at = head.split(",").index("mass")
        for k in range(len(lines) // 3, len(lines), 100):
            cells = lines[k].split(",")
            cells[at] = repr(1.01 * float(cells[at] or 1))
            lines[k] = ",".join(cells)
        path.with_suffix(".new.csv").write_text("\n".join([head, *lines]) + "\n")
    return path


def faulty(folder: Path, rows: int) -> Path:
    """Write a table in which every row is at fault: its mass is not a number."""
    path = folder / f"faulty{rows}.csv"
    header, *lines = table(folder, rows).read_text().splitlines()
    at = header.split(",").index("mass")
    cells = (line.split(",") for line in lines)
    path.write_text("\n".join([header, *(",".join([*row[:at], "heavy", *row[at + 1 :]]) for row in cells)]) + "\n")
    return path


def names(folder: Path, rows: int) -> Path:
    """Write a list of parts without a tree, next to columns of texts that nothing reads."""
    path = folder / f"names{rows}.csv"
    lines = (f"Bracket {k},part {k % 977},{1 + k % 89}.5,S{k % 50},fine {k % 7}" for k in range(rows))
    path.write_text("\n".join(["name,description,mass_kg,supplier,note", *lines]) + "\n")
    return path


def other_format(suffix: str, folder: Path, rows: int) -> Path:
    """Write a clean table in another format."""
    path = folder / f"table{rows}.{suffix}"
    if not path.exists():
        run(command_words(f"convert {table(folder, rows)} -o {path}"))
    return path


def tree(parent_of: Callable[[int], int], folder: Path, rows: int) -> Path:
    """Write a chain or a star with uncertainties."""
    path = folder / f"tree{parent_of(3)}-{rows}.csv"
    numbers = ",".join(["1"] * 3 + ["0"] + ["1"] * 3 + ["0"] * 3 + ["FALSE"] + ["0.1"] * 10)
    leaf = rows - 1 if parent_of(3) == 2 else 1
    lines = (
        f"N{k},{'' if k == 0 else f'N{parent_of(k)}'},p,-,{numbers if k >= leaf else ',' * 20},S,n" for k in range(rows)
    )
    path.write_text("\n".join([",".join(HEADER), *lines]) + "\n")
    return path


def arm(folder: Path, joints: int) -> Path:
    """Write an arm with revolute joints."""
    path = folder / f"arm{joints}.urdf"
    path.write_text(robot({"arm": joints}))
    return path


def sphere(folder: Path, triangles: int) -> Path:
    """Write a sphere as a binary STL file: bands of triangles."""
    import numpy as np

    n = max(4, round(math.sqrt(triangles / 2)))
    polar, around = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, n + 1)[:-1], indexing="ij")
    at = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], -1)
    at[0], at[-1] = (0, 0, 1), (0, 0, -1)
    a, b = at[:-1], at[1:]
    c, d = np.roll(a, -1, 1), np.roll(b, -1, 1)
    faces = np.concatenate(
        [np.stack([a, b, d], 2)[:-1].reshape(-1, 3, 3), np.stack([a, d, c], 2)[1:].reshape(-1, 3, 3)]
    )
    record = np.zeros(len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    record["corners"] = faces
    path = folder / f"sphere{triangles}.stl"
    path.write_bytes(b" " * 80 + len(faces).to_bytes(4, "little") + record.tobytes())
    return path


def cases(sizes: Sequence[int]) -> Iterator[Case]:
    """List the commands."""
    outputs = ("csv", "tsv", "json", "jsonl", "parquet", "feather", "md")
    for suffix in outputs:
        yield Case(f"rollup to {suffix}", f"rollup FILE --uncertainty massprops -o out.{suffix}", table, sizes)
        yield Case(f"convert to {suffix}", f"convert FILE -o out.{suffix}", table, sizes)
    for suffix in ("json", "jsonl", "parquet", "feather"):
        for to in ("csv", "json", "parquet"):
            yield Case(f"convert {suffix} to {to}", f"convert FILE -o out.{to}", partial(other_format, suffix), sizes)
    for method in ("covariance", "none"):
        yield Case(f"rollup, {method}", f"rollup FILE --uncertainty {method} -o out.csv", table, sizes)
    for words in (
        "validate FILE",
        "tree FILE",
        "tree FILE --format md",
        "tree FILE --format json",
        "fix FILE -o out.csv",
    ):
        yield Case(words.replace(" FILE", ""), words, table, sizes)
    yield Case("diff", "diff FILE OTHER", table, sizes)
    for change in ("--set LEAF.mass=1", "--move LEAF=N0", "--drop LEAF"):
        yield Case(f"whatif {change.split()[0]}", f"whatif FILE {change}", table, sizes)
    yield Case(
        "whatif --scale of the root", "whatif FILE --scale N0.mass=1.1", table, [n for n in sizes if n <= 30_000]
    )
    yield Case("contributions", "contributions FILE", table, sizes)
    yield Case("parts partition", "parts partition FILE --into 8 -o parts", table, sizes)
    yield Case("every row at fault, validate", "validate FILE", faulty, sizes)
    yield Case("every row at fault, rollup", "rollup FILE --keep-going -o out.csv", faulty, sizes)
    yield Case("rollup of a chain", "rollup FILE -o out.csv", partial(tree, lambda k: k - 1), (30, 1_000, 3_000, 9_999))
    yield Case("rollup of a star", "rollup FILE -o out.csv", partial(tree, lambda k: 0), sizes)
    yield Case("rollup of a list with texts", "rollup FILE -o out.csv", names, sizes)
    for command in ("rollup FILE -o out.csv", "validate FILE"):
        yield Case(f"{command.split()[0]} of robot links", command, arm, (2, 10, 100, 1_000))
    yield Case("base-params of joints", "robot base-params FILE", arm, (2, 5, 10, 20, 40), LARGEST_BASE_EXPONENT)
    yield Case("massmatrix of joints", "robot massmatrix FILE", arm, (2, 5, 10, 20, 40))
    triangles = (100, 10_000, 100_000, 1_000_000)
    yield Case("shape of triangles", "shape FILE mesh-units=m density=2700kg/m3", sphere, triangles)


def command_words(text: str) -> list[str]:
    """Return the command line of a process."""
    return [sys.executable, "-m", "massprops_cli", *text.split()]


def measured_growth(case: Case, folder: Path, repeats: int) -> tuple[list[float], float]:
    """Return the user seconds of each size, the least input subtracted, and the exponent; 0 where it is noise."""
    seconds = []
    for size in case.sizes:
        path = case.make(folder, size)
        words = case.command.replace("FILE", str(path)).replace("OTHER", str(path.with_suffix(".new.csv")))
        words = words.replace("LEAF", f"N{size - 1}")
        count = 1 if seconds and seconds[-1] > 0.5 else repeats
        seconds.append(middle([run(command_words(words), folder) for _ in range(count)]).user)
    net = [one - seconds[0] for one in seconds[1:]]
    if net[-2] < LEAST_SECONDS:
        return net, 0.0
    return net, math.log(net[-1] / net[-2]) / math.log(case.sizes[-1] / case.sizes[-2])


def main(words: list[str]) -> int:
    """Print a row for each command, and return 1 if one grows too quickly."""
    sizes, words = LARGE if "--large" in words else SMALL, [word for word in words if word != "--large"]
    failed = False
    with tempfile.TemporaryDirectory() as name:
        for case in cases(sizes):
            if words and not any(word in case.name for word in words):
                continue
            net, exponent = measured_growth(case, Path(name), 3)
            failed |= exponent > case.most
            each = ", ".join(f"{size:,}: {one:.2f} s" for size, one in zip(case.sizes[1:], net, strict=True))
            rate = f"{1e6 * net[-1] / case.sizes[-1]:.1f} µs each"
            shown = f"exponent {exponent:.2f}" if exponent else "too short for an exponent"
            print(f"| {case.name} | {each}; {rate}; {shown} | {case.most} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
