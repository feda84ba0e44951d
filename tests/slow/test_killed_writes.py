"""After a kill at any call of writing the old or the new file is whole, and only ``.part`` files are left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.output_cases import CASES, make_inputs

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")]

RUNNER = """
import os, sys
from pathlib import Path
import pytest
import massprops_cli.bom.rollup, massprops_cli.reports.table_files, pandas, pyarrow.csv
from massprops_cli.cli.app import run_command_line
from tests.failing_files import Disk

disk = Disk(int(sys.argv[1]), None)
os.chdir(sys.argv[2])
with pytest.MonkeyPatch.context() as patch:
    disk.insert(patch)
    code = run_command_line(sys.argv[3:])
print(code, len(disk.calls))
"""


@pytest.mark.parametrize("case", CASES)
def test_files_are_whole_after_a_kill(case: str, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    make_inputs(inputs)
    before = {path.name: path.read_bytes() for path in inputs.iterdir()}

    def run(k: int) -> tuple[subprocess.CompletedProcess[str], dict[str, bytes]]:
        folder = tmp_path / f"run{k}"
        shutil.copytree(inputs, folder)
        arguments = [sys.executable, "-c", RUNNER, str(k), str(folder), *CASES[case]]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
        return done, {path.name: path.read_bytes() for path in folder.iterdir()}

    done, after = run(-1)
    code, calls = done.stdout.split()[-2:]
    assert code == "0", done.stderr
    for k in range(int(calls)):
        done, left = run(k)
        assert done.returncode == -signal.SIGKILL, done.stderr
        whole = {name for name in left if not name.endswith(".part")}
        assert set(before) <= whole <= set(after)
        assert all(left[name] in (before.get(name), after[name]) for name in whole), f"killed after call {k}"
        assert all(name.startswith(".") for name in set(left) - whole), f"killed after call {k}"
