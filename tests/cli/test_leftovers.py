"""Partial files of killed runs: named once, deleted on request, and no other file is."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from massprops_cli.files.writer import atomic_file
from tests.output_cases import CASES, make_inputs
from tests.warm import warm_command

fcntl = pytest.importorskip("fcntl")


def names_in(folder):
    return {path.name for path in folder.iterdir()}


KILLED = """
import os, signal, sys
from pathlib import Path
from massprops_cli.files.writer import atomic_file
with atomic_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
NUMBERS = itertools.count(10_000_000)


def killed_run(path):
    """Write what a process that was killed has left of an output; returns its name."""
    name = f".{path.name}.massprops-{next(NUMBERS)}.part"
    path.with_name(name).write_bytes(b"half")
    return name


def test_a_killed_process_leaves_such_a_file(folder, massprops):
    before = names_in(folder)
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder / "out.csv")], check=False)
    assert done.returncode == -signal.SIGKILL
    (name,) = names_in(folder) - before
    assert re.fullmatch(r"\.out\.csv\.massprops-[a-z0-9_]{8}\.part", name)
    assert (folder / name).read_bytes() == b"half"
    assert name in massprops("rollup", "bom.csv", "-o", "out.csv").stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_inputs(tmp_path / "inputs")
    monkeypatch.chdir(tmp_path / "inputs")
    return tmp_path / "inputs"


def test_leftovers_are_named_once_and_kept(folder, massprops):
    names = [killed_run(folder / "out.csv") for _ in range(3)]
    done = massprops("rollup", "bom.csv", "-o", "out.csv")
    assert done.exit_code == 0
    assert "MP134" not in done.stdout
    assert done.stderr.count("MP134") == 1
    assert "3 partial files of killed runs next to the output" in done.stderr
    assert "remove-leftovers" in done.stderr
    assert str(folder) in done.stderr
    assert all(name in done.stderr and (folder / name).read_bytes() == b"half" for name in names)


def test_leftovers_are_removed_on_request(folder, massprops):
    name, other = killed_run(folder / "out.csv"), killed_run(folder / "other.csv")
    done = massprops("convert", "bom.csv", "-o", "out.csv", "--remove-leftovers", "--fail-on", "note")
    assert done.exit_code == 0
    assert f"1 partial file of a killed run deleted: {name}" in done.stderr
    assert not (folder / name).exists()
    assert (folder / other).exists()
    assert "MP134" not in massprops("rollup", "bom.csv", "-o", "out.csv").stderr


# a history that has all revisions is not written again
@pytest.mark.spread(2, start=1, keep=("inertials of URDF",))
@pytest.mark.parametrize("case", [case for case in CASES if case != "history of a trend"])
def test_every_command_that_writes_names_and_removes_them(case, folder, massprops):
    words = CASES[case]
    before = names_in(folder)
    assert massprops(*words).exit_code == 0
    written = sorted({*names_in(folder) - before, *(("old.csv",) if "old.csv" in words else ())})
    if "--in-place" in words:
        written = [words[1]]
        make_inputs(folder.parent / "again")
        (folder / words[1]).write_bytes((folder.parent / "again" / words[1]).read_bytes())
    again = (*words, "--force") if "validate" in words else words
    names = {killed_run(folder / name) for name in written}
    done = massprops(*(word for word in again if word != "-q"))
    assert done.exit_code == 0
    assert all(name in done.stderr for name in names), done.stderr
    if "--in-place" not in words:
        assert massprops(*again, "--remove-leftovers").exit_code == 0
        assert not names & names_in(folder)


def test_file_of_a_running_process_is_kept(folder, massprops):
    with atomic_file(folder / "out.csv") as file:
        file.write(b"new")
        file.flush()
        seen = {path.name for path in folder.glob(".out.csv.*")}
        done = massprops("rollup", "bom.csv", "-o", "out.csv", "--remove-leftovers")
        assert "MP134" not in done.stderr
        assert {path.name for path in folder.glob(".out.csv.*")} == seen
    assert (folder / "out.csv").read_bytes() == b"new"


@pytest.mark.parametrize(
    "name",
    [
        ".out.csv.download.part",
        ".out.csv.massprops-abcdefgh.part.bak",
        ".out.csv.massprops-abcdefg.part",
        ".out.csv.massprops-ABCDEFGH.part",
        "out.csv.massprops-abcdefgh.part",
        ".xout.csv.massprops-abcdefgh.part",
        ".outxcsv.massprops-abcdefgh.part",
    ],
)
def test_other_files_are_kept(name, folder, massprops):
    (folder / name).write_text("mine")
    done = massprops("rollup", "bom.csv", "-o", "out.csv", "--remove-leftovers")
    assert "MP134" not in done.stderr
    assert (folder / name).read_text() == "mine"


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_only_regular_files_are_leftovers(kind, folder, massprops):
    path = folder / ".out.csv.massprops-abcdefgh.part"
    {"folder": path.mkdir, "link": lambda: path.symlink_to(folder / "old.csv"), "pipe": lambda: os.mkfifo(path)}[kind]()
    done = massprops("rollup", "bom.csv", "-o", "out.csv", "--remove-leftovers")
    assert "MP134" not in done.stderr
    assert os.path.lexists(path)
    assert (folder / "old.csv").read_text() == "old\n"


def test_leftovers_of_a_linked_output_are_in_its_folder(folder, tmp_path, massprops):
    (tmp_path / "real").mkdir()
    (folder / "out.csv").symlink_to(tmp_path / "real" / "rolled.csv")
    name = killed_run(tmp_path / "real" / "rolled.csv")
    done = massprops("rollup", "bom.csv", "-o", "out.csv", "--remove-leftovers")
    assert name in done.stderr
    assert names_in(tmp_path / "real") == {"rolled.csv"}


def test_note_counts_for_the_exit_code_and_is_selected(folder, massprops):
    killed_run(folder / "out.csv")
    words = ("convert", "bom.csv", "-o", "out.csv")
    assert massprops(*words, "--fail-on", "note").exit_code == 1
    for more in (("--ignore", "MP134"), ("--select", "MP4")):
        done = massprops(*words, "--fail-on", "note", *more)
        assert (done.exit_code, "MP134" in done.stderr) == (0, False)
    assert "MP134" not in massprops(*words, "-q").stderr
    report = massprops("rollup", "bom.csv", "-o", "out.csv", "--format", "json")
    assert json.loads(report.stdout)["items"]
    assert "MP134" in report.stderr


def test_writer_whose_file_is_deleted_before_its_lock_makes_another(folder, monkeypatch):
    lock, seen = fcntl.flock, []

    def late(handle, kind):
        if not seen:
            seen.extend(folder.glob(".out.csv.*"))
            seen[0].unlink()
        lock(handle, kind)

    monkeypatch.setattr(fcntl, "flock", late)
    with atomic_file(folder / "out.csv") as file:
        file.write(b"whole")
    assert (folder / "out.csv").read_bytes() == b"whole"
    assert not list(folder.glob(".out.csv.*"))


def test_file_system_without_locks_writes_and_removes_nothing(folder, massprops, monkeypatch):
    def without(handle, kind):
        raise OSError(95, "operation not supported")

    name = killed_run(folder / "out.csv")
    monkeypatch.setattr(fcntl, "flock", without)
    done = massprops("rollup", "bom.csv", "-o", "out.csv", "--remove-leftovers")
    assert (done.exit_code, "MP134" in done.stderr) == (0, False)
    assert (folder / name).exists()


def test_runs_at_the_same_time_that_remove_leftovers_all_write(folder):
    """Four processes write one output and remove leftovers: none takes the file of another for one."""
    command = [*warm_command(), "rollup", "bom.csv", "-o", "out.csv", "-q", "--remove-leftovers"]
    codes = []

    def run():
        codes.append(subprocess.run(command, check=False).returncode)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 4
    assert not list(folder.glob(".out.csv.*"))
