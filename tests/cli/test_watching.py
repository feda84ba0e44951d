"""``--watch``: runs again after a change of the table, the configuration or the budget, and ends with Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import types
from collections import deque

import pytest

from .conftest import ROOT, TWO_POINTS, assert_exit

BUDGET = '[[budget]]\nitem = "top"\nmass-max = "6 kg"\n'


class FakeWatch:
    """The module watchfiles, with changes that the test supplies: each changes files, and names them."""

    def __init__(self, *steps):
        self.steps, self.folders, self.options = deque(steps), (), {}

    def watch(self, *folders, watch_filter, **options):
        self.folders, self.options = folders, options
        for step in self.steps:
            changes = {(2, str(path)) for path in step() if watch_filter(2, str(path))}
            if changes:
                yield changes
        raise KeyboardInterrupt


@pytest.fixture
def fake(monkeypatch):
    def install(*steps):
        module = FakeWatch(*steps)
        monkeypatch.setitem(sys.modules, "watchfiles", types.SimpleNamespace(watch=module.watch))
        return module

    return install


def test_runs_after_each_change_of_an_input(run, bom, tmp_path, fake):
    budget, other = tmp_path / "budget.toml", tmp_path / "other.csv"
    budget.write_text(BUDGET)

    def change(path, text):
        def step():
            path.write_text(text)
            return [path]

        return step

    heavy = TWO_POINTS.replace("a,top,2", "a,top,4")
    module = fake(
        change(bom, heavy),
        change(other, "not an input"),
        change(budget, BUDGET.replace("6", "8")),
        change(tmp_path / "massprops.toml", "[read]\nlayuot = 1\n"),
        change(tmp_path / "massprops.toml", "[read]\nlayout = 'parent'\n"),
    )
    result = run("check", bom, "--budget", budget, "--watch")
    assert result.exit_code == 130
    heads = [line for line in result.stdout.splitlines() if "limit of" in line]
    assert [line[0] for line in heads] == ["✔", "✘", "✔", "✔"]  # 5 of 6 kg, 7 of 6, 7 of 8, the same again
    assert "layuot" in result.stderr  # a faulty configuration is reported, and the next change is awaited
    assert "other.csv" not in result.stderr
    assert module.folders == (str(tmp_path),)
    assert module.options["debounce"] >= 100


def test_commands_are_tried_however_long_the_table_was_watched(run, tmp_path, fake, monkeypatch):
    table = tmp_path / "list.csv"
    table.write_text("Item,Mass (kg)\nA,2\nB,3\n")
    monkeypatch.setattr("massprops_cli.cli.stages.remedy_commands._MAX_TRIAL_SECONDS", 1.0)

    def step():
        time.sleep(1.0)
        table.write_text("Item,Mass (kg)\nA,2\nB,\n")
        return [table]

    fake(step)
    result = run("rollup", table, "--watch")
    assert "next: massprops rollup" in result.output
    assert "not tried" not in result.output


def test_without_the_extra(run, bom, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert_exit(run("validate", bom, "--watch"), 2, "--watch requires watchfiles", "pip install 'massprops[watch]'")


def test_what_cannot_be_watched(run, bom, fake):
    fake()
    assert_exit(run("rollup", bom, "--watch", "--in-place"), 2, "--watch and --in-place are mutually exclusive")
    assert_exit(run("validate", "-", "--watch", input=TWO_POINTS), 2, "--watch requires a file")
    assert_exit(run("tree", bom, "--watch"), 2, "No such option: --watch".lower()[:14])


def test_several_files(run, bom, tmp_path, fake):
    (tmp_path / "two.csv").write_text(TWO_POINTS)
    fake(lambda: [tmp_path / "two.csv"])
    result = run("rollup", tmp_path / "*.csv", "--watch", "-o", tmp_path / "out")
    assert result.exit_code == 130
    assert result.stdout.count("rolled up 3 items") == 4


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of a POSIX system")
def test_real_process(bom, tmp_path):
    pytest.importorskip("watchfiles", reason="the extra watch")
    call = [sys.executable, "-m", "massprops_cli", "rollup", "bom.csv", "--watch"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(call, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    assert process.stderr is not None
    reader = threading.Thread(target=lambda: lines.extend(iter(process.stderr.readline, "")))
    reader.start()
    out = tmp_path / "bom.rollup.csv"

    def wait_for(condition):
        end = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < end, lines
            time.sleep(0.05)

    try:
        wait_for(lambda: any("watching" in line for line in lines))
        assert "top,,5," in out.read_text()
        time.sleep(0.5)  # the watch begins after its message
        bom.write_text(TWO_POINTS.replace("a,top,2", "a,top,4"))
        wait_for(lambda: "top,,7," in out.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        process.kill()
        reader.join()
        process.stderr.close()
        process.stdout.close()
    assert any("interrupted" in line for line in lines)
