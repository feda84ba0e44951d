"""Blocks over processes and clusters: the same numbers, bounded memory, an end when no result is requested."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups import division
from massprops_cli.rollups.inputs import RollupInputs, SampleOptions
from massprops_cli.rollups.montecarlo import sampler as model, simulation as spread
from massprops_cli.rollups.montecarlo.distributions import piece_forest, sum_plan
from massprops_cli.rollups.montecarlo.samples import SampledRollup
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.regions import ResultRange
from massprops_cli.trees.tree import ItemQuantity, Tree


def made(n: int = 40) -> tuple[Tree, Bodies, Sigmas]:
    random = np.random.default_rng(0)
    tree = Tree.from_parents([-1, *(max(0, (i - 1) // 4) for i in range(1, n))])
    ten = random.uniform(1, 2, (n, 10))
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(n, bool))
    return tree, bodies, Sigmas(0.1 * ten[:, 0], 0.1 * ten[:, 1:4], 0.1 * ten[:, 4:])


@pytest.fixture(autouse=True)
def one_block_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small trees have chunks of many blocks; here there is to be something to share out."""
    monkeypatch.setattr(model, "_MOST_BLOCKS", 2)


def sampled(**options: Any) -> SampledRollup:
    tree, bodies, sigmas = made()
    return simulate_tree(
        RollupInputs.of(tree, bodies, sigmas),
        sampling=SampleOptions(samples=10_000, **options),
        events={0: [ResultRange(0, low=45.0)]},
    )


def assert_equal(one: SampledRollup, other: SampledRollup) -> None:
    for name in ("mean", "sigma", "covariance", "sigma_error", "shift", "n"):
        assert (getattr(one, name) == getattr(other, name)).all()
    ours, theirs = one.watched[0], other.watched[0]
    assert (ours.percentiles == theirs.percentiles).all()
    assert (ours.sigma == theirs.sigma).all()
    assert ours.event_counts == theirs.event_counts
    for a, b in zip(ours.counts, theirs.counts, strict=True):
        assert (a == b).all()


def test_two_workers_give_the_numbers_of_one() -> None:
    assert_equal(sampled(workers=2), sampled())


def test_progress_counts_blocks() -> None:
    printed: list[tuple[int, int]] = []
    tree, bodies, sigmas = made()
    simulate_tree(
        RollupInputs.of(tree, bodies, sigmas),
        sampling=SampleOptions(samples=10_000),
        progress=lambda done, total: printed.append((done, total)),
    )
    assert printed == [(1, 3), (2, 3), (3, 3)]


def test_workers_end_when_no_result_is_requested() -> None:
    """As after Ctrl-C: the first block is used, the rest of a long simulation is not."""
    tree, bodies, sigmas = made(200)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_tree(
            RollupInputs.of(tree, bodies, sigmas), sampling=SampleOptions(samples=10**7, workers=2), progress=interrupt
        )
    assert not multiprocessing.active_children()


def test_workers_that_die_are_a_wrong_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "_start_worker", exit)
    with pytest.raises(UsageError, match="worker process ended"):
        sampled(workers=2)


def test_memory_does_not_grow_with_samples() -> None:
    tree, bodies, sigmas = made(100)
    peaks = []
    for samples in (1_000, 10_000):
        tracemalloc.start()
        simulate_tree(RollupInputs.of(tree, bodies, sigmas), sampling=SampleOptions(samples=samples))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_few_sums_wait_in_a_deep_tree() -> None:
    """A chain with a part at every level needs one sum at a time, a balanced tree of 2^12 parts no more than 12."""
    chain = np.empty(2001, int)
    chain[0] = -1
    chain[1::2] = chain[2::2] = np.arange(0, 2000, 2)
    balanced = np.array([-1, *((i - 1) // 2 for i in range(1, 2**13 - 1))])
    for parents, most in ((chain, 1), (balanced, 12)):
        tree = Tree.from_parents(parents)
        nothing = np.zeros(len(tree), bool)
        pieces = piece_forest(tree, ItemQuantity.one_each(len(tree)), nothing, tree.is_leaf())
        plan = sum_plan(pieces, ~tree.is_leaf(), np.zeros(0, np.int32))
        waiting: set[int] = set()
        longest = 0
        for family, parent in enumerate(plan.parent.tolist()):
            waiting.discard(family)
            assert parent == -1 or parent > family
            waiting.add(parent)
            longest = max(longest, len(waiting))
        assert longest <= most


def test_a_scheduler_that_does_not_answer_is_a_wrong_call(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="a cluster needs Dask, the extra scale")
    monkeypatch.setattr(spread, "_CLUSTER_TIMEOUT", "1s")
    with pytest.raises(UsageError, match="Dask scheduler does not respond"):
        sampled(scheduler="tcp://127.0.0.1:1")


def test_without_dask_a_scheduler_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(spread, "import_module", absent)
    with pytest.raises(UsageError, match=r"massprops\[scale\]"):
        sampled(scheduler="tcp://127.0.0.1:1")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what a cluster of another project warns of
def test_a_cluster_gives_the_numbers_of_one_worker() -> None:
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask, the extra scale")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert_equal(sampled(scheduler=cluster.scheduler_address), sampled())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_what_starts_while_interrupts_are_held_never_gets_one() -> None:
    """A worker that is still importing would show a traceback, because it does not yet ignore Ctrl-C."""
    with division._hold_interrupts():
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stderr=subprocess.PIPE)
    child.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.5)
    child.kill()
    assert child.communicate()[1] == b""
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


class EndedError(Exception):
    """In the place of the end of a process."""


def test_worker_ends_when_its_pipe_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(code: int) -> None:
        raise EndedError(code)

    monkeypatch.setattr(division.os, "_exit", end)
    reader, writer = multiprocessing.Pipe(duplex=False)
    writer.close()
    with pytest.raises(EndedError, match="0"):
        division._exit_with_pipe(reader)
    with pytest.raises(EndedError, match="0"):  # what computes nothing has nothing to remove
        division._stop_worker(signal.SIGTERM, None)
    monkeypatch.setattr(division._Worker, "is_busy", True)
    with pytest.raises(division._WorkerStopped):
        division._stop_worker(signal.SIGTERM, None)


def test_worker_has_its_model_and_ignores_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[object] = []
    monkeypatch.setattr(division, "_exit_with_pipe", watched.append)
    monkeypatch.setattr(division._Worker, "task", None, raising=False)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    collected = gc.get_threshold()
    try:
        division._start_worker((lambda model, chunk: (model, chunk), "model"), "pipe")
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        gc.set_threshold(*collected)
        for number, handler in before.items():
            signal.signal(number, handler)
    assert division._worker_answer(3) == ("model", 3)
    assert not division._Worker.is_busy
    for _ in range(500):
        if watched:
            break
        time.sleep(0.01)
    assert watched == ["pipe"]


def test_without_signal_masks_nothing_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    before = signal.getsignal(signal.SIGINT)
    with division._hold_interrupts():
        assert signal.getsignal(signal.SIGINT) is before


class Cluster:
    """A cluster in this process: it carries out what it is given."""

    def __init__(self, scheduler: str, **_options: object) -> None:
        self.scheduler = scheduler

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def scatter(self, model: object, **_options: object) -> object:
        return model

    def nthreads(self) -> dict[str, int]:
        return {"one": 2, "two": 2}

    def submit(self, run: Any, *arguments: object, pure: bool) -> Future[Any]:
        assert not pure
        done: Future[Any] = Future()
        done.set_result(run(*arguments))
        return done


def test_chunks_of_a_cluster_are_added_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "import_module", lambda name: SimpleNamespace(Client=Cluster))
    assert_equal(sampled(scheduler="tcp://127.0.0.1:1"), sampled())


def test_chunks_of_one_process_come_in_order_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread.sampler, "sample_chunk", lambda model, chunk: chunk)
    assert list(spread._chunk_sums(SimpleNamespace(chunks=3), 1, "")) == [0, 1, 2]


def test_results_of_other_processes_come_in_order_and_end() -> None:
    given: list[Future[int]] = []

    def submit(chunk: int) -> Future[int]:
        given.append(Future())
        given[-1].set_result(10 * chunk)
        return given[-1]

    assert list(spread._ordered_chunk_sums(submit, 4, 2)) == [0, 10, 20, 30]
    assert len(given) == 4
