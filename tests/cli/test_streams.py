"""Standard input and pipes: the format is found by content, and a pipe is read like standard input."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading

import pytest

from tests.examples import covering, first

from .conftest import ROOT, TWO_POINTS, assert_exit


@pytest.mark.parametrize("format_name", ["csv", "tsv", "json", "jsonl", "md", "xlsx", "parquet", "feather"])
def test_format_of_standard_input_is_found_by_content(process, run, bom, tmp_path, format_name):
    path = tmp_path / f"table.{format_name}"
    if format_name == "tsv":
        path.write_text(TWO_POINTS.replace(",", "\t"))
    else:
        assert run("convert", bom, "-o", path).exit_code == 0
    words, data = ("rollup", "-", "--to", "json", "-q"), path.read_bytes()
    done = process(*words, input=data) if format_name == "xlsx" else run(*words, input=data)
    printed = done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
    assert '"mass [kg]": 5' in printed or '"mass [kg]":5' in printed, done.stderr


def test_output_of_standard_input_has_its_format(process):
    done = process("rollup", "-", "-q", input=TWO_POINTS.replace(",", "\t").encode())
    assert done.stdout.splitlines()[1].startswith(b"top\t\t5\t")


def test_text_in_utf_16_and_gzip(run):
    for data in (TWO_POINTS.encode("utf-16"), gzip.compress(TWO_POINTS.encode())):
        assert run("validate", "-", input=data).exit_code == 0


def test_bytes_that_are_no_table(run):
    assert_exit(run("validate", "-", input=bytes(range(255))), 2, "MP105")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes need a POSIX system")
@pytest.mark.parametrize("format_name", first(["xlsx", "csv"], 1))
def test_named_pipe(process, run, bom, tmp_path, format_name):
    path, pipe = tmp_path / f"table.{format_name}", tmp_path / "pipe"
    run("convert", bom, "-o", path)
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),))
    writer.start()
    done = process("rollup", pipe, "--to", "csv")
    writer.join()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith(b"top,,5,")  # data goes to standard output, the report to stderr
    assert b"rolled up 3 items" in done.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bom.csv", "pipe", path.name]


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="process substitution needs /dev/fd")  # noqa: PTH110 - a pipe, not a path
def test_process_substitution(bom, tmp_path):
    tool = f"{sys.executable} -m massprops_cli"
    call = f"{tool} diff <(cat bom.csv) <(sed s/a,top,2/a,top,4/ bom.csv) --format concise"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", call], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "+2" in done.stdout


def test_a_file_instead_of_a_command(run, bom, tmp_path):
    assert_exit(run(bom, "--units", "SI"), 2, f"is a file; to roll it up: massprops rollup {bom} --units SI")
    assert_exit(run("bom.xlsx"), 2, "massprops rollup bom.xlsx")
    assert_exit(run("rolup"), 2, "unknown command: rolup; the nearest is rollup")


def test_a_misspelt_file(run, bom, tmp_path, monkeypatch):
    assert_exit(run("rollup", tmp_path / "bon.csv"), 2, f"file does not exist; the nearest is {bom}")
    monkeypatch.chdir(tmp_path)
    assert_exit(run("rollup", "bom.cvs"), 2, "file does not exist; the nearest is bom.csv")
    assert "nearest" not in run("rollup", "wing.csv").output
    assert_exit(run("rollup", "no/bom.csv"), 2, "file does not exist")


LONG_WORK = """
import sys, time
import massprops_cli.cli.streams as streams
delay, name = float(sys.argv[1]), sys.argv[2]
streams._PROGRESS_DELAY = delay
if name == "bar":
    with streams.progress_bar("computing samples") as advance:
        time.sleep(0.05)
        advance(1, 2)
else:
    with streams.progress_spinner("computing samples"):
        time.sleep(0.05 if delay else 0.5)
print("rich.progress" in sys.modules)
"""


@pytest.mark.skipif(os.name == "nt", reason="a terminal of POSIX")
@pytest.mark.parametrize(("name", "delay"), covering(["bar", "spinner"], [0, 60]))
def test_progress_is_shown_on_a_terminal_during_long_work(name: str, delay: int) -> None:
    """Short work does not even load Rich's progress; a pipe gets nothing."""
    command = [sys.executable, "-c", LONG_WORK, str(delay), name]
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (piped.stdout, piped.stderr) == ("False\n", "")
    shown, terminal = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True, env=environment) as run:
        printed = run.communicate(timeout=60)[0]
    os.write(terminal, b".")
    text = os.read(shown, 65536).decode()
    os.close(terminal)
    os.close(shown)
    assert printed == f"{delay == 0}\n"
    assert ("computing samples" in text) is (delay == 0)
