"""``--workers N``: several files, partitions and samples in processes, with the bytes and exit codes of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.cli import several_files, streams
from massprops_cli.cli.command import TableRun
from massprops_cli.rollups.division import WorkerLostError, process_results
from tests.examples import first
from tests.fleet_tables import answer_or_end, fail_by_file, table_text

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder of five tables, one with an error, and one that is not a table."""
    folder = tmp_path / "fleet"
    folder.mkdir()
    for k in range(5):
        (folder / f"t{k}.csv").write_text(table_text(1.0 + k, limit="20"))
    (folder / "t5.csv").write_text(table_text(2.0, limit="20").replace("A1.0,A1,2.0", "A1.0,A1,x"))
    (folder / "t6.csv").write_text("a,b\n")
    monkeypatch.chdir(tmp_path)
    return folder


CALLS = [
    ("rollup", "-o", "out", "--format", "json"),
    ("rollup", "-o", "out", "--uncertainty", "montecarlo", "--config", "samples=2000", "--config", "seed=7"),
    ("check", "--report", "junit=out.xml", "--report", "md=out.md"),
    ("rollup", "-o", "out", "-v", "--keep-going"),
    ("rollup", "-o", "out"),
    ("rollup", "-o", "out", "--format", "github"),
    ("validate", "--format", "concise"),
    ("validate", "--ignore", "MP2", "--fail-on", "warning"),
]


@pytest.mark.parametrize("words", first(CALLS, 3), ids=" ".join)
def test_processes_give_the_files_and_the_report_of_one(fleet: Path, massprops: Run, words: tuple[str, ...]) -> None:
    command, *options = words
    answers = []
    for count in ("1", "2"):
        done = massprops(command, "fleet/*.csv", *options, "--workers", count)
        made = [path for path in [*Path().glob("out*"), *Path().glob("out/*")] if path.is_file()]
        # the words of the command line are in remedies, and in the report for machines
        texts = [text.replace(f" --workers {count}", "") for text in (done.stdout, done.stderr)]
        answers.append((done.exit_code, texts, {str(path): path.read_bytes() for path in made}))
        for path in made:
            path.unlink()
    assert answers[0][0] == 2  # one file is not a table
    assert answers[0] == answers[1]
    assert command == "validate" or answers[0][2]


def test_workers_above_the_number_of_files(fleet: Path, massprops: Run) -> None:
    done = massprops("rollup", "fleet/t[01].csv", "-o", "out", "--workers", "64")
    assert done.exit_code == 0, done.output
    assert mp.read_bom("out/t1.rollup.csv")["TOP"].mass == 12.0  # six parts of 2 kg
    alone = massprops("rollup", "fleet/t1.csv", "--workers", "64", "-o", "-")
    assert alone.exit_code == 0
    assert alone.stdout.encode() == Path("out/t1.rollup.csv").read_bytes()


@pytest.mark.parametrize("command", ["rollup", "check", "validate"])
@pytest.mark.parametrize("count", ["0", "-2", "two"])
def test_wrong_numbers_of_workers_are_errors(fleet: Path, massprops: Run, command: str, count: str) -> None:
    done = massprops(command, "fleet/*.csv", f"--workers={count}")
    assert (done.exit_code, "--workers" in done.output, "integer" in done.output) == (2, True, True), done.output
    assert len(done.output.splitlines()) == 1


def test_workers_of_the_configuration(fleet: Path, massprops: Run) -> None:
    (fleet / "massprops.toml").write_text("[report]\nworkers = 2\n")
    done = massprops("rollup", "fleet/t[0-4].csv", "-o", "out")
    assert done.exit_code == 0, done.output
    assert massprops("rollup", "fleet/t0.csv", "-o", "-", "--config", "workers=2").exit_code == 0


def test_tables_in_place_are_backed_up_once(fleet: Path, massprops: Run) -> None:
    before = (fleet / "t1.csv").read_bytes()
    done = massprops("rollup", "fleet/t[123].csv", "--in-place", "--workers", "2")
    assert done.exit_code == 0, done.output
    assert (fleet / "t1.bak.csv").read_bytes() == before
    assert len(list(fleet.glob("*.bak*"))) == 3


def test_seed_gives_the_samples_whatever_the_number_of_workers(tmp_path: Path, massprops: Run) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table_text(2.0, limit="20"))
    words = ["--uncertainty", "montecarlo", "--config", "samples=20000", "--config", "seed=3", "--format", "json"]
    answers = [massprops("rollup", path, *words, "-o", tmp_path / "o.csv", "--workers", count) for count in ("1", "3")]
    texts = {one.stdout.replace(f"--workers {k}", "") for k, one in zip("13", answers, strict=True)}
    assert len(texts) == 1


def test_parts_in_processes_give_the_bits_of_one(tmp_path: Path, massprops: Run) -> None:
    path = tmp_path / "large.csv"
    path.write_text(table_text(2.0, rows=300, limit="20"))
    outputs = []
    for count in ("1", "2"):
        words = ["--config", "partition=8", "-o", tmp_path / "out.csv", "--workers", count]
        done = massprops("rollup", path, *words)
        assert done.exit_code == 0, done.output
        outputs.append((tmp_path / "out.csv").read_bytes())
    assert outputs[0] == outputs[1]
    assert mp.read_bom(tmp_path / "out.csv")["TOP"].mass == 1200.0


def test_a_process_that_ends_costs_its_own_request_only() -> None:
    requests = ["a", "ends", "b", "c", "ends", "d"]
    answers = list(process_results(answer_or_end, "x", requests, 2))
    assert [one if isinstance(one, str) else "lost" for one in answers] == [
        "lost" if one == "ends" else "x" + one for one in requests
    ]
    assert isinstance(answers[1], WorkerLostError)


def test_failures_of_workers_are_lines_with_their_file(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MASSPROPS_DEBUG", raising=False)
    run = TableRun(file="0", workers=2)
    assert several_files.run_several_files(run, ["1", "0", "2", "1"], fail_by_file) == streams.EXIT_FAILURE
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == lines[3]
    assert lines[0].startswith("massprops: 1: internal error: ValueError: one [MP999 internal-error]")
    assert lines[1].startswith("massprops: 0: worker process ended before completion; it may lack memory")
    assert lines[2] == "massprops: 2: not enough memory for this table"
    assert len(lines) == 4


def is_group(number: int) -> bool:
    """Return whether a process of a group is left."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
@pytest.mark.parametrize("sent", first(product([True, False], [signal.SIGINT, signal.SIGTERM]), 1))
def test_interrupts_end_all_processes(fleet: Path, sent: tuple[bool, signal.Signals]) -> None:
    to_group, number = sent
    for k in range(4):
        (fleet / f"big{k}.csv").write_text(table_text(1.0 + k, rows=20_000, limit="20"))
    words = ["rollup", "fleet/big*.csv", "-o", "out", "--workers", "2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "massprops_cli", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for _ in range(1_200):
        if list(Path("out").glob("big*.csv")):
            break
        time.sleep(0.05)
    (os.killpg if to_group else os.kill)(run.pid, number)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 128 + number, (out, err)
    assert b"Traceback" not in err
    assert err.splitlines()[-1].endswith(b"no partial file was written")
    for _ in range(100):  # until the tracker of multiprocessing ends too
        if not is_group(run.pid):
            break
        time.sleep(0.05)
    assert not is_group(run.pid)
    assert not list(Path("out").glob(".*"))


@pytest.mark.parametrize("closed", first(["stdout", "stderr"], 1))
def test_a_reader_that_closes_its_pipe_ends_the_run(fleet: Path, closed: str) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "massprops_cli", "validate", "fleet/t[0-4].csv", "--workers", "2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    getattr(run, closed).close()
    rest = getattr(run, "stderr" if closed == "stdout" else "stdout").read()
    assert run.wait(60) == 0
    assert b"Traceback" not in rest
    for stream in (run.stdout, run.stderr):
        stream.close()


def test_streams_are_recorded_as_a_terminal_of_the_command() -> None:
    traits = ("latin-1", "strict", True)
    with redirect_stdout(streams.RecordedStream(traits)) as recorded:
        assert streams.stream_traits(sys.stdout) == traits
        sys.stdout.write("é")
        streams.report_screen(data_on_stdout=False).write_text("σ")
        sys.stdout.buffer.write(b"\xff")
    assert recorded.recorded.getvalue() == b"\xe9sigma\xff"
