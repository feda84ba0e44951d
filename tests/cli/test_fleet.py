"""Several tables, and the parts of one, on a Dask cluster: the same bits, exit codes and reports as on one machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.cli.stages import remedy_commands
from massprops_cli.rollups import division
from tests.examples import first
from tests.fleet_tables import table_text

pytestmark = pytest.mark.filterwarnings("ignore")  # what a cluster of another project warns of

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Give a cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask, the extra scale")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as local:
        yield local


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_data: Path) -> Path:
    """Give a folder with tables, workbooks, a table with an error, and one that is not a table."""
    folder = tmp_path / "fleet"
    folder.mkdir()
    for k in range(4):
        (folder / f"t{k}.csv").write_text(table_text(1.0 + k))
    (folder / "t4.csv").write_text(table_text(2.0).replace("A1.0,A1,2.0", "A1.0,A1,x"))
    (folder / "t5.csv").write_text("a,b\n")
    (folder / "w.xlsx").write_bytes((sample_data / "spacecraft.xlsx").read_bytes())
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_cluster_gives_the_files_and_the_report_of_one_machine(workers: Any, fleet: Path, massprops: Run) -> None:
    here = massprops("rollup", "fleet/*", "-o", "out")
    expected = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    Path("out").rename("here")
    there = massprops("rollup", "fleet/*", "-o", "out", "--config", f"scheduler={workers.scheduler_address}")
    assert (there.exit_code, there.output) == (here.exit_code, here.output)
    assert here.exit_code == 2  # one file is not a table
    found = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert set(found) == set(expected)
    assert len(found) == 5
    assert all(found[name] == expected[name] for name in found if name.endswith(".csv"))
    books = [openpyxl.load_workbook(Path(folder) / "w.rollup.xlsx") for folder in ("here", "out")]
    assert books[0].sheetnames == books[1].sheetnames
    for one, other in zip(*books, strict=True):
        rows = [[list(row) for row in sheet.values] for sheet in (one, other)]
        different = [(a, b) for a, b in zip(*rows, strict=True) if a != b]
        assert [a[0] for a, _ in different] in ([], ["command"])  # the sheet About has the words of the command


@pytest.mark.parametrize("options", first([["--format", "json"], ["--format", "concise"], ["-v"], ["--keep-going"]], 1))
def test_reports_of_a_cluster_are_those_of_one_machine(
    workers: Any, fleet: Path, massprops: Run, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remedy_commands, "_MAX_TRIAL_SECONDS", 1e6)  # a slow machine tries fewer commands
    calls = [["--config", f"scheduler={workers.scheduler_address}"], []]
    answers = [massprops("rollup", "fleet/t*.csv", "-o", "out", *options, *more) for more in calls]
    assert answers[0].exit_code == answers[1].exit_code == 2
    # commands that resolve an error have the words of the command line
    assert answers[0].output.replace(f" --config scheduler={workers.scheduler_address}", "") == answers[1].output


def test_tables_in_place_are_backed_up(workers: Any, fleet: Path, massprops: Run) -> None:
    before = (fleet / "t1.csv").read_bytes()
    result = massprops("rollup", "fleet/t[12].csv", "--in-place", "--config", f"scheduler={workers.scheduler_address}")
    assert result.exit_code == 0, result.output
    assert (fleet / "t1.bak.csv").read_bytes() == before
    assert mp.read_bom(fleet / "t1.csv")["TOP"].mass == 12.0  # six parts of 2 kg


@pytest.mark.slow
def test_other_files_of_a_table_need_not_be_on_the_workers(workers: Any, fleet: Path, massprops: Run) -> None:
    """Options that name files, and meshes in cells, are used where the files are."""
    Path("pairs.csv").write_text("a,b,quantity,rho\none,two,mass,0.5\n")
    text = table_text(2.0).splitlines()
    grouped = [f"{text[0]},corr_group", *(f"{line},{'one' if '.0,' in line else 'two'}" for line in text[1:])]
    for name in ("g1.csv", "g2.csv"):
        (fleet / name).write_text("\n".join(grouped) + "\n")
    cube = "\n".join(["solid a", "endsolid a"])
    (fleet / "part.stl").write_text(cube)
    (fleet / "g3.csv").write_text("id,parent,mass [kg],mesh\nTOP,,,\nA,TOP,2,part.stl\n")
    calls = [["--config", f"scheduler={workers.scheduler_address}"], []]
    answers = [
        massprops("rollup", "fleet/g*.csv", "-o", "out", "--config", "correlations=pairs.csv", *more) for more in calls
    ]
    assert answers[0].output == answers[1].output
    assert answers[0].exit_code == answers[1].exit_code


@pytest.mark.slow
def test_a_lost_worker_costs_no_answer(workers: Any, fleet: Path, massprops: Run) -> None:
    for k in range(16):
        (fleet / f"big{k:02}.csv").write_text(table_text(1.0 + k, rows=100))
    pids = [worker.pid for worker in workers.workers.values()]
    killed: list[int] = []

    def kill_after_first_output() -> None:
        for _ in range(600):
            if list(Path("out").glob("big*.csv")):
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])
                return
            time.sleep(0.02)

    killer = threading.Thread(target=kill_after_first_output)
    killer.start()
    result = massprops("rollup", "fleet/big*.csv", "-o", "out", "--config", f"scheduler={workers.scheduler_address}")
    killer.join()
    assert killed
    assert result.exit_code == 0, result.output
    for k in range(16):  # two parts in each of 100 assemblies
        assert mp.read_bom(f"out/big{k:02}.rollup.csv")["TOP"].mass == pytest.approx(200 * (1.0 + k), rel=1e-12)


def test_parts_on_a_cluster_give_the_bits_of_one_machine(workers: Any, tmp_path: Path, massprops: Run) -> None:
    path = tmp_path / "large.csv"
    path.write_text(table_text(2.0, rows=300))
    outputs = []
    for more in (["--config", f"scheduler={workers.scheduler_address}"], []):
        result = massprops("rollup", path, "--partition", "8", "-o", tmp_path / "out.csv", *more)
        assert result.exit_code == 0, result.output
        outputs.append((tmp_path / "out.csv").read_bytes())
    assert outputs[0] == outputs[1]
    scheduler = workers.scheduler_address
    assert mp.rollup(str(path), partition=8, scheduler=scheduler).root.mass == pytest.approx(1200.0, rel=1e-14)


def test_a_scheduler_without_several_files_is_rejected(tmp_path: Path, massprops: Run) -> None:
    path = tmp_path / "one.csv"
    path.write_text(table_text(2.0))
    result = massprops("rollup", path, "--config", "scheduler=tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "scheduler requires several files, --config partition=N or --uncertainty montecarlo" in result.output
    sampled = massprops("rollup", path, "--partition", "2", "--uncertainty", "montecarlo")
    assert sampled.exit_code == 2
    assert "mutually exclusive" in sampled.output


def test_without_dask_the_message_has_the_extra(fleet: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(division, "import_module", absent)
    result = massprops("rollup", "fleet/t*.csv", "--config", "scheduler=tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert 'pip install "massprops[scale]"' in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://[", ""])
def test_a_scheduler_that_does_not_respond_is_an_error(
    fleet: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    pytest.importorskip("distributed", reason="a cluster needs Dask, the extra scale")
    monkeypatch.setattr(division, "_TIMEOUT", 1)
    result = massprops("rollup", "fleet/t[01].csv", "--config", f"scheduler={address or 'tcp://'}")
    assert result.exit_code == 2
    assert "does not respond" in result.output
    assert "within 1 s" in result.output
    assert "Traceback" not in result.output
    assert not list(fleet.glob("*.rollup.csv"))


def test_a_scheduler_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask, the extra scale")
    monkeypatch.setattr(division, "_TIMEOUT", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as empty,
        pytest.raises(mp.UsageError, match=r"has no worker after 1 s"),
        division.connected_cluster(empty.scheduler_address),
    ):
        pass


def other_versions() -> dict[str, str]:
    """Return versions of a worker that nobody has."""
    return {**division._installed_versions(), "numpy": "0.1"}


def test_other_versions_on_a_worker_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "_installed_versions", lambda: {"numpy": "0.1"})
    client = SimpleNamespace(
        wait_for_workers=lambda *_a, **_k: None, run=lambda _function: {"tcp://one:1": {"numpy": "2.0"}}
    )
    with pytest.raises(mp.UsageError, match=r"versions of worker tcp://one:1 differ: numpy 2.0 \(here 0.1\)"):
        division._check_workers(client, "tcp://x:1")


def test_a_worker_that_joins_later_with_other_versions_is_an_error(workers: Any) -> None:
    with division.connected_cluster(workers.scheduler_address) as cluster:
        future = cluster._client.submit(division._checked_call, abs, -1, other_versions(), pure=False)
        with pytest.raises(mp.UsageError, match="versions of a worker differ: numpy"):
            cluster._result("t.csv", future)


def test_workers_without_massprops_are_an_error() -> None:
    def run(_function: object) -> None:
        raise ModuleNotFoundError("No module named 'massprops_cli'", name="massprops_cli")

    client = SimpleNamespace(wait_for_workers=lambda *_a, **_k: None, run=run)
    with pytest.raises(mp.UsageError, match="lacks massprops_cli"):
        division._check_workers(client, "tcp://x:1")


def test_workers_that_cannot_state_their_versions_are_an_error() -> None:
    def run(_function: object) -> None:
        raise RuntimeError("no memory")

    client = SimpleNamespace(wait_for_workers=lambda *_a, **_k: None, run=run)
    with pytest.raises(mp.UsageError, match=r"cannot state their versions \(RuntimeError: no memory\)"):
        division._check_workers(client, "tcp://x:1")


def test_a_package_that_is_not_installed_is_part_of_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker without it computes other bits than a client with it; equal versions compute."""

    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    installed = division._installed_versions()
    assert division._checked_call(abs, -1, dict(installed)) == 1
    with monkeypatch.context() as patch:
        patch.setattr(division.metadata, "version", absent)
        lacking = division._installed_versions.__wrapped__()
    assert lacking["numpy"] == "none"
    with pytest.raises(mp.UsageError, match=rf"a worker differ: .*numpy {installed['numpy']} \(here none\)"):
        division._compare_versions(installed, lacking, "a worker")


def test_tasks_that_nobody_waits_for_are_cancelled() -> None:
    cancelled = []

    def submit(_call: object, _function: object, request: int, *_arguments: object, **_options: object) -> Any:
        return SimpleNamespace(result=lambda: request, cancel=lambda: cancelled.append(request))

    cluster = division.Cluster(SimpleNamespace(nthreads=lambda: {"one": 1}, submit=submit), "tcp://x:1")
    requests = [(f"{k}.csv", k if k % 2 else None) for k in range(20)]  # each second one is no table
    results = cluster.ordered_results(abs, requests)
    assert [next(results), next(results)] == [None, 1]
    results.close()
    assert cancelled
    assert cancelled == list(range(3, 3 + 2 * len(cancelled), 2))


class KilledWorker(Exception):  # noqa: N818 - its name in Dask
    """As Dask raises it for a task on which several workers ended."""


@pytest.mark.parametrize(
    ("raised", "expected", "words"),
    [
        (KilledWorker("x"), mp.UsageError, "t.csv: workers ended each time"),
        (CancelledError(), division.ClusterLostError, "connection to the Dask scheduler at tcp://x:1 ended"),
        (ConnectionResetError(), division.ClusterLostError, "ended"),
        (mp.UsageError("wrong"), mp.UsageError, "wrong"),
        (ZeroDivisionError("fault"), ZeroDivisionError, "fault"),
    ],
)
def test_failures_of_tasks_are_named(raised: Exception, expected: type[Exception], words: str) -> None:
    def result() -> None:
        raise raised

    with pytest.raises(expected, match=words):
        division.Cluster(None, "tcp://x:1")._result("t.csv", SimpleNamespace(result=result))


def test_a_lost_scheduler_costs_no_answer(fleet: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cluster has not answered is rolled up here."""

    class Lost:
        def nthreads(self) -> dict[str, int]:
            return {"one": 1}

        def submit(self, *_arguments: object, **_options: object) -> None:
            raise CancelledError

    @contextmanager
    def connected(address: str) -> Iterator[division.Cluster]:
        yield division.Cluster(Lost(), address)

    monkeypatch.setattr(division, "connected_cluster", connected)
    result = massprops("rollup", "fleet/t[0-3].csv", "-o", "out", "--config", "scheduler=tcp://x:1")
    assert result.exit_code == 0, result.output
    assert "connection to the Dask scheduler at tcp://x:1 ended (CancelledError); the other files" in result.output
    assert [mp.read_bom(f"out/t{k}.rollup.csv")["TOP"].mass for k in range(4)] == [6.0, 12.0, 18.0, 24.0]


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
def test_ctrl_c_ends_the_run(workers: Any, fleet: Path) -> None:
    for k in range(120):
        (fleet / f"big{k:03}.csv").write_text(table_text(1.0 + k, rows=100))
    words = ["rollup", "fleet/big*.csv", "-o", "out", "--config", f"scheduler={workers.scheduler_address}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "massprops_cli", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    for _ in range(600):
        if list(Path("out").glob("*.csv")):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"interrupted; no partial file was written" in text
    assert b"Traceback" not in text


def test_dask_is_not_loaded_without_a_scheduler(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(table_text(1.0))
    (tmp_path / "b.csv").write_text(table_text(1.0))
    code = (
        "import sys; from massprops_cli.cli.app import run_command_line; "
        "run_command_line(['rollup', 'a.csv', 'b.csv', '-q']); "
        "run_command_line(['rollup', 'a.csv', '--partition', '2', '-q']); "
        "print([name for name in ('distributed', 'dask') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == "[]"
