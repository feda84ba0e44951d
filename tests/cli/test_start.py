"""What the command loads before it works, and that the version is in one place."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from massprops_cli._front import VERSION

from .conftest import ROOT

HEAVY = ("numpy", "pandas", "pyarrow", "polars", "openpyxl", "networkx", "pint", "lxml")


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(argument):
    code = f"""
import os, runpy, sys
os._exit = sys.exit
sys.argv = ["massprops", {argument!r}]
try:
    runpy.run_module("massprops_cli", run_name="__main__")
except SystemExit:
    pass
print(sorted(set(sys.modules) & {set(HEAVY)!r}), [m for m in sys.modules if m.startswith("massprops_cli.cli.")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    heavy, _, modules = done.stdout.splitlines()[-1].partition("] ")
    assert heavy == "["
    assert "rollup" not in modules
    if argument == "--version":
        assert "typer" not in modules
        assert modules == "[]"


def test_csv_to_csv_loads_neither_pandas_nor_rich(tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,mass\ntop,,\na,top,2\n")
    code = """
import os, sys
os._exit = sys.exit
sys.argv = ["massprops", "rollup", "bom.csv"]
from massprops_cli.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print([name for name in ("pandas", "pyarrow", "openpyxl", "rich.console", "pint", "lxml") if name in sys.modules])
"""
    import os

    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_is_one(process):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "massprops_cli._front.VERSION"
    assert process("--version", PYTHONUTF8="1").stdout.decode() == f"massprops {VERSION}\n"
    assert process("rules", "--help").returncode == 0
