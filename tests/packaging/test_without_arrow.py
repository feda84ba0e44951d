"""Without the extra arrow: tables are read and written without PyArrow, and what needs it names the extra."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = """
import importlib.util, sys
from importlib.util import find_spec as real

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
importlib.util.find_spec = lambda name, package=None: None if name == "pyarrow" else real(name, package)
"""
RUN = START + "from massprops_cli.cli.app import run_command_line\nsys.exit(run_command_line(sys.argv[1:]))\n"
NEEDED = "PyArrow; pip install 'massprops[arrow]'"


def call(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return call(folder, RUN, *arguments)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of 1,200 parts of 1 to 1,200 g."""
    rows = "".join(f"P{k},R,{k},0.1\n" for k in range(1, 1201))
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [g],sigma_mass [g]\nR,,,\n{rows}", "utf-8")
    return tmp_path


def test_roll_up_into_the_formats_of_the_default(table: Path) -> None:
    done = run(table, "rollup", "bom.csv", "-o", "out.xlsx")
    assert (done.returncode, done.stderr) == (0, "")
    done = run(table, "convert", "out.xlsx", "-o", "back.csv")
    assert (done.returncode, done.stderr) == (0, "")
    with (table / "back.csv").open(encoding="utf-8") as file:
        first = next(row for row in csv.DictReader(file) if row["id"] == "R")
    assert float(first["mass [g]"]) == 1200 * 1201 / 2


@pytest.mark.slow
def test_table_of_the_size_that_arrow_reads(tmp_path: Path) -> None:
    """A file above 8 MiB, whose root is the sum of its parts; with PyArrow the output is the same."""
    n = 450_000
    rows = "".join(f"PART-{k},R,{k % 1000},1,2\n" for k in range(n))
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [g],Cx [mm],Cy [mm]\nR,,,,\n{rows}", "utf-8")
    assert (tmp_path / "bom.csv").stat().st_size > 2**23
    texts = []
    for code in (RUN, RUN.removeprefix(START) and f"import sys\n{RUN.removeprefix(START)}"):
        done = call(tmp_path, code, "rollup", "bom.csv", "-o", "out.csv", "-q")
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / "out.csv").read_bytes())
    assert texts[0] == texts[1]
    root = texts[0].split(b"\n")[1].split(b",")
    assert float(root[2]) == sum(k % 1000 for k in range(n))


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "bom.csv", "-o", "out.json"),
        pytest.param(("convert", "bom.csv", "-o", "out.parquet"), marks=pytest.mark.slow),
        pytest.param(("convert", "bom.csv", "-o", "out.md"), marks=pytest.mark.slow),
        pytest.param(("validate", "old.feather"), marks=pytest.mark.slow),
        pytest.param(("rollup", "bom.csv", "-o", "out.csv", "--covariance", "out.parquet"), marks=pytest.mark.slow),
        pytest.param(("parts", "partition", "bom.csv", "--into", "2"), marks=pytest.mark.slow),
        pytest.param(("rollup", "bom.csv", "--config", "partition=2", "-o", "out.csv"), marks=pytest.mark.slow),
    ],
)
def test_what_needs_it_names_the_extra(table: Path, arguments: tuple[str, ...]) -> None:
    (table / "old.feather").write_bytes(b"ARROW1\0\0")
    done = run(table, *arguments)
    assert done.returncode == 2
    assert NEEDED in done.stderr
    assert "MP999" not in done.stderr
    assert "Traceback" not in done.stderr
    whole = {"bom.csv", "old.feather", *(["out.csv"] if "--covariance" in arguments else [])}
    assert {path.name for path in table.rglob("*") if path.is_file()} <= whole


@pytest.mark.slow
def test_library_raises_a_usage_error(table: Path) -> None:
    code = START + (
        "import massprops as mp\nbom = mp.read_bom('bom.csv')\nassert mp.rollup(bom)['R'].mass == 720600\n"
        "try:\n    mp.rollup(bom).save('out.json')\nexcept mp.UsageError as error:\n    print(error)\n"
    )
    done = call(table, code)
    assert (done.returncode, done.stderr) == (0, "")
    assert NEEDED in done.stdout
