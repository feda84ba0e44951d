"""Every call of writing fails in turn: the old or the new file is whole, and nothing else is left in the folder."""

from __future__ import annotations

import errno
import shutil
from itertools import cycle
from pathlib import Path

import pytest

from tests.examples import first
from tests.failing_files import Disk
from tests.output_cases import CASES, make_inputs

REASONS = (errno.ENOSPC, errno.EIO, errno.EACCES)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.spread(2, keep=("False-workbook in place",))
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("every", first([False, True], 1))
def test_files_are_whole_whatever_call_fails(case, every, massprops, tmp_path, monkeypatch):
    inputs = tmp_path / "inputs"
    make_inputs(inputs)

    def run(name: str, disk: Disk):
        folder = tmp_path / name
        shutil.copytree(inputs, folder)
        before = contents(folder)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            disk.insert(patch)
            return massprops(*CASES[case]), before, contents(folder)

    clean = Disk()
    done, before, after = run("clean", clean)
    assert done.exit_code == 0, done.output
    written = {name for name in after if after[name] != before.get(name)}
    assert written
    assert {"mkstemp", "write", "fsync", "chmod", "close"} <= set(clean.calls)
    kinds = sorted({*map(clean.calls.index, clean.calls), len(clean.calls) - 1})  # the first of each kind, and the last
    third = kinds[[*CASES].index(case) % 3 :: 3]  # another third of the kinds in each case
    for k, reason in zip(range(len(clean.calls)) if every else third, cycle(REASONS), strict=False):
        done, before, left = run(f"{k}", Disk(k, reason))
        what = f"{case}: call {k}, {clean.calls[k]}: {done.output}"
        assert done.exit_code in (0, 2), what
        if done.exit_code == 0:
            assert left == after, what
        else:
            assert "cannot write" in done.stderr, what
            assert set(left) <= set(after), what
            assert all(left[name] in (before.get(name), after[name]) for name in left), what
            assert set(before) <= set(left), what
