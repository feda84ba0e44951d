"""Exit codes, each pinned by a real process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm import warm_command, warm_words

from .conftest import ROOT, TWO_POINTS, assert_exit


def test_done_is_0(process, bom):
    done = process("rollup", bom)
    assert done.returncode == 0, done.stderr


def test_findings_are_1_and_nothing_is_written(process, bad, tmp_path):
    done = process("rollup", bad)
    assert done.returncode == 1
    assert not (tmp_path / "bad.rollup.csv").exists()
    for code in (b"MP305", b"MP205"):
        assert code in done.stdout


def test_keep_going_writes_and_is_still_1(run, bad, tmp_path):
    assert_exit(run("rollup", bad, "--keep-going"), 1, "error MP205", "error MP305")
    assert (tmp_path / "bad.rollup.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("rollup", "absent.csv"),
        ("rollup", "bom.csv", "--add", "colour"),
        ("rollup", "bom.csv", "-o", "bom.csv"),
        ("rollup", "bom.csv", "-o", "nofolder/out.csv"),
        ("rollup", "bom.csv", "--config", "absent.toml"),
        ("rollup", "bom.csv", "--sheet", "BOM"),
        ("convert", "bom.csv", "--sheet", "1", "--to", "json"),
        ("nocommand",),
    ],
)
def test_what_cannot_be_done_is_2(run, bom, monkeypatch, arguments):
    monkeypatch.chdir(bom.parent)
    done = run(*arguments)
    assert done.exit_code == 2
    assert re.match(r"massprops: |\S+  error MP\d{3}  ", done.stderr)
    assert "Traceback" not in done.stderr
    assert bom.read_text() == TWO_POINTS


def test_a_process_that_cannot_do_its_work_is_2(process):
    done = process("rollup", "absent.csv")
    assert done.returncode == 2
    assert done.stderr.startswith((b"massprops: ", b"absent.csv  error MP101  "))
    assert b"MP101" in done.stderr


@pytest.mark.parametrize("command", ["validate", "rollup", "tree"])
def test_no_table_is_reported_in_the_format_requested(run, tmp_path, command):
    (tmp_path / "empty.csv").write_bytes(b"")
    done = run(command, tmp_path / "empty.csv", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["summary"]["errors"], report["findings"][0]["rule"]) == (2, 1, "MP111")
    lines = run(command, tmp_path / "empty.csv", "--format", "jsonl")
    assert (lines.exit_code, json.loads(lines.stdout)["rule"]) == (2, "MP111")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_a_pipe_is_2(bom):
    command = [*warm_command(), "rollup", str(bom), "-o", "-"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
        )
    assert done.returncode == 2
    assert b"no space left" in done.stderr
    assert b"MP999" not in done.stderr


def test_help_into_a_closed_pipe_is_0():
    command = f"{warm_words()} rollup --help | true; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, check=True)
    assert done.stdout.strip() == b"0"


def test_closed_pipe_is_0(process, bom, tmp_path):
    rows = "".join(f"p{i},top,1,0,0,0,0,0,0,0,0,0,-,true\n" for i in range(20_000))
    big = tmp_path / "big.csv"
    big.write_text(TWO_POINTS + rows)
    command = f"{sys.executable} -m massprops_cli rollup {big} -o - 2>/dev/null | head -1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, check=True)
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("id,parent")
    assert lines[1] == "0"
    assert done.stderr == b""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_and_termination(tmp_path, sent, code):
    # the command waits for standard input when the signal comes
    with subprocess.Popen(
        [sys.executable, "-m", "massprops_cli", "rollup", "-", "--from", "csv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as running:
        time.sleep(1.0)
        running.send_signal(sent)
        running.wait(timeout=20)
        assert running.stderr is not None
        reported = running.stderr.read()
    assert running.returncode == code
    assert b"Traceback" not in reported
    assert reported.count(b"\n") == 1


def test_fault_of_the_tool_is_one_line(run, bom, monkeypatch):
    monkeypatch.delenv("MASSPROPS_DEBUG", raising=False)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("massprops_cli.bom.bom.Bom.read", broken)
    result = run("validate", bom)
    assert result.exit_code == 2
    assert "MP999" in result.stderr
    assert "MASSPROPS_DEBUG=1" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1), ("never", 0)])
def test_fail_on(run, tmp_path, fail_on, code):
    path = tmp_path / "warned.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\nb,top,0\n")  # a leaf of mass 0 is a warning
    assert_exit(run("validate", path, "--fail-on", fail_on), code, "warning MP402", "mass of b is 0")


def test_fail_on_heeds_ignore_and_select(run, bad):
    assert run("validate", bad, "--ignore", "MP2,MP3").exit_code == 0
    assert run("validate", bad, "--select", "MP4").exit_code == 0
    assert_exit(run("validate", bad, "--select", "MP305"), 1, "error MP305", "1 error")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
@pytest.mark.parametrize(("sign", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_interrupt_that_falls_into_a_callback_is_not_lost(sign, code):
    program = f"""
import os, signal, sys, time, weakref
from massprops_cli.cli import streams
class Kept: pass
def work():
    kept = Kept()
    note = weakref.ref(kept, lambda _: (os.kill(os.getpid(), signal.{sign}), time.sleep(0)))
    del kept
    time.sleep(20)
    return 0
streams.install_sigterm_handler()
sys.exit(streams.run_guarded(work))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=15, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1


def test_a_number_that_is_not_whole_is_rejected_in_plain_words(run, bom):
    result = run("rollup", bom, "--uncertainty", "montecarlo", "--samples", "1e4")
    assert result.exit_code == 2
    assert "invalid value of samples: 1e4 (expected an integer of 2 or more)" in result.stderr


@pytest.mark.parametrize(
    ("platform", "variable", "calls"),
    [
        ("linux", "", [(-8, 1), (-3, 2**30), (-1, 2**31 - 1)]),
        ("linux", "4", [(-3, 2**30), (-1, 2**31 - 1)]),
        ("win32", "", []),
    ],
)
def test_threads_use_one_heap_and_keep_it_unless_the_user_states_otherwise(
    platform: str, variable: str, calls: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctypes

    from massprops_cli.cli.stages import table_input

    made: list[tuple[int, int]] = []
    library = type("Library", (), {"mallopt": staticmethod(lambda *values: made.append(values))})
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(table_input.sys, "platform", platform)
    for name in ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv("MALLOC_ARENA_MAX", variable)
    table_input._share_heap_among_threads()
    assert made == calls
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    table_input._share_heap_among_threads()


IMPOSSIBLE = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\nR,,,,,,,,,,,\nA,R,1,0,0,0,1,1,9,0,0,0\n"
SOUND = IMPOSSIBLE.replace(",9,", ",1.5,")
OPTIONS = {
    "rollup": ("-o", "out.csv"),
    "validate": (),
    "tree": (),
    "convert": ("-o", "out.csv"),
    "transform": ("--translate", "1,0,0", "-o", "out.csv"),
    "partition": ("--into", "2", "-o", "parts"),
    "whatif": ("--set", "A.mass=2"),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("text", [IMPOSSIBLE, SOUND], ids=["impossible", "sound"])
@pytest.mark.parametrize("severity", ["error", "never"])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_tick_is_printed_with_exit_code_0_only(run, tmp_path, monkeypatch, name, text, severity):
    monkeypatch.chdir(tmp_path)
    Path("bom.csv").write_text(text)
    done = run(name, "bom.csv", *OPTIONS[name], "--fail-on", severity)
    assert done.exit_code == (1 if text is IMPOSSIBLE and severity == "error" and name != "convert" else 0)
    assert ("✘" if done.exit_code == 0 else "✔") not in done.output
    if name == "rollup":
        assert ("items, written, 1 error" in done.output) == (done.exit_code == 1)
        assert Path("out.csv").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "{long}"),
        ("rollup", "{long}", "-o", "{out}"),
        ("tree", "{long}"),
        ("validate", "{long}", "--format", "concise"),
        ("rollup", "{bom}", "--where", "x" * 50_000),
        ("rollup", "{bom}", "--root", "x " * 50_000),
        ("rollup", "{bom}", "--probability", "y" * 50_000),
        ("rollup", "z" * 50_000),
        ("rollup", "{bom}", "--config", "{config}"),
    ],
)
def test_no_echo_is_long(run, bom, tmp_path, words):
    files = {name: tmp_path / name for name in ("long", "out", "config")}
    files["long"].write_text(f"id,parent,mass\nR,,\n{'A' * 100_000},R,x\n")
    files["config"].write_text(f'[read]\nwhere = "{"w" * 50_000}"\n')
    done = run(*(word.format(bom=bom, **files) for word in words))
    assert done.exit_code in (1, 2)
    assert 0 < len(done.output) < 8_000
