"""A roll-up by parts of its tree, and what computes tasks: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module, metadata
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from operator import call
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION
from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.findings.finding import MasspropsError, UsageError
from massprops_cli.rollups.covariance import Covariances
from massprops_cli.rollups.inputs import Correlation, RollupInputs, tree_coverage, with_rows
from massprops_cli.rollups.rollup import Rollup, complete_rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree

_Index = NDArray[np.intp]
_Floats = NDArray[np.float64]
_Requests = Iterable[tuple[str, Any]]
PartRunner = Callable[[Callable[[Any], Any], _Requests], Iterable[Any]]
"""Calls a function with the argument of each request, and returns the results in order."""
_Task = Callable[[Any, Any], Any]  # of what all requests share, and a request
_REQUESTS_AHEAD = 2  # requests in progress or in the queue, per process
_ENDING_SECONDS = 10.0  # time in which a process that is not needed removes its temporary files
_TIMEOUT = 5  # seconds in which a scheduler answers and has a worker
_TASKS_AHEAD = 3  # tasks in progress or in the queue, per thread of the workers
_COMPARED_PACKAGES = ("numpy", "pandas", "pyarrow", "distributed")
_LOGS = ("distributed", "tornado.application", "asyncio")


def run_parts_here(function: Callable[[Any], Any], requests: _Requests) -> Iterator[Any]:
    """Call a function in this process."""
    for _, request in requests:
        yield function(request)


def roll_up_in_parts(
    inputs: RollupInputs,
    number: int,
    run: PartRunner = run_parts_here,
    *,
    method: str = "covariance",
    given: Covariances | None = None,
    reasons: list[str] | None = None,
) -> Rollup:
    """Compute what ``roll_up`` computes, by branches; equal to rounding, bitwise for one number of parts."""
    # reasons receives why a tree is one part, such as shared uncertainties: docs/formulas.md, section 5
    complete = partial(_divided_rollup, number, run, [] if reasons is None else reasons)
    return roll_up(inputs, method=method, given=given, complete=complete)


def _divided_rollup(
    number: int,
    run: PartRunner,
    reasons: list[str],
    inputs: RollupInputs,
    method: str,
    given: Covariances | None,
    turned: Covariances | None = None,
) -> Rollup:
    """Roll up bodies of which nothing is missing, in parts where that is possible."""
    causes = {
        "uncertainties are shared": not inputs.correlation.is_none or inputs.deviations is not None,
        "parts have poses and sigmas": inputs.placement is not None,
        "leaves represent branches": inputs.branches is not None or given is not None,
        "masses are negative": bool((inputs.bodies.mass < 0).any()),
        "quantities are negative": bool((inputs.quantity.count < 0).any()),
    }
    reason = next((reason for reason, is_true in causes.items() if is_true), "")
    parts = [] if reason else part_items(inputs.tree, number)
    if not parts:
        reasons.append(reason or f"no branch of two items or more has at most {len(inputs.tree) // number:,}")
        return complete_rollup(inputs, method, given, turned)
    requests = [(_forest_inputs(inputs, items), method) for items in parts]
    done = list(run(_roll_up_part, [(f"part {k} of the partition", one) for k, one in enumerate(requests, 1)]))
    pieces = [_Piece(items, 1 + np.arange(len(items)), rolled) for items, rolled in zip(parts, done, strict=True)]
    if (above := _items_above(inputs, parts, pieces, method)) is None:  # a branch without mass is not one body
        reasons.append("a branch has no mass")
        return complete_rollup(inputs, method, given, turned)
    return _joined(inputs, [*pieces, above], method)


def part_items(tree: Tree, number: int) -> list[_Index]:
    """Return the items of each part: the largest branches of at most n / number items, the large ones first."""
    size = tree.subtree_sums(np.ones(len(tree)))
    limit = len(tree) / number
    parent = tree.parent
    tops = np.flatnonzero((size <= limit) & (size > 1) & (parent >= 0) & (size[parent] > limit))
    if number < 2 or not len(tops):
        return []
    tops = tops[np.argsort(-size[tops], kind="stable")]
    loads, part_of = np.zeros(number), np.full(len(tree), -1)
    for top in tops.tolist():
        part = int(loads.argmin())
        part_of[top] = part
        loads[part] += size[top]
    for items, above in tree.levels_below_root():
        part_of[items] = np.where(part_of[items] < 0, part_of[above], part_of[items])
    return [np.flatnonzero(part_of == part) for part in range(number) if loads[part]]


class _Piece(NamedTuple):
    """Computed items, where they are in a roll-up, and this roll-up."""

    items: _Index
    at: _Index
    rolled: Rollup


def _roll_up_part(request: tuple[RollupInputs, str]) -> Rollup:
    """Roll up a part by a method."""
    return complete_rollup(*request, None)


def _forest_inputs(inputs: RollupInputs, items: _Index) -> RollupInputs:
    """Return the inputs of some branches below a made root, which is item 0."""
    row = np.zeros(len(inputs.tree) + 1, np.intp)
    row[items] = 1 + np.arange(len(items))
    parents = np.concatenate([[-1], row[inputs.tree.parent[items]]])
    # the numbers of the made root are those of an item, and are not read
    return _inputs_at(inputs, np.concatenate([items[:1], items]), Tree.from_parents(parents), inputs.bodies, made=1)


def _inputs_at(
    inputs: RollupInputs, at: _Index, tree: Tree, bodies: Bodies, sigmas: Sigmas | None = None, *, made: int = 0
) -> RollupInputs:
    """Return the inputs of some items as a tree; the first ``made`` are roots, one piece each."""
    quantity = inputs.quantity
    count, measured, weight = quantity.count[at], quantity.measured[at], quantity.variance_weight()[at]
    stated = None if inputs.stated is None else inputs.stated[at]
    for array, value in ((count, 1.0), (measured, False), (weight, 1.0), (stated, False)):
        if array is not None:
            array[:made] = value
    of_sigmas = inputs.sigmas if sigmas is None else sigmas
    return replace(
        inputs,
        tree=tree,
        bodies=at_items(bodies, at),
        sigmas=None if of_sigmas is None else at_items(of_sigmas, at),
        quantity=ItemQuantity(count, measured, weight),
        stated=stated,
        correlation=Correlation.none(len(at)),
    )


def _items_above(inputs: RollupInputs, parts: Sequence[_Index], pieces: Sequence[_Piece], method: str) -> _Piece | None:
    """Roll up the items above the parts, with a leaf for each branch; None if a branch is not one body."""
    tree, n = inputs.tree, len(inputs.tree)
    is_above = np.ones(n, bool)
    for items in parts:
        is_above[items] = False
    tops = np.flatnonzero(~is_above & (tree.parent >= 0) & is_above[tree.parent])
    known = _joined(inputs, pieces, method)
    masks = (known.bodies.has_mass, known.bodies.has_center, known.bodies.has_inertia)
    if any(mask is not None and not mask[tops].all() for mask in masks):
        return None
    members = np.flatnonzero(is_above | np.isin(np.arange(n), tops))
    row = np.full(n + 1, -1)
    row[members] = np.arange(len(members))
    bodies = replace(known.bodies, has_mass=None, has_center=None, has_inertia=None, has_products=None)
    sigmas = None if known.sigmas is None else replace(known.sigmas, known=None)
    sub = _inputs_at(inputs, members, Tree.from_parents(row[tree.parent[members]]), bodies, sigmas)
    branch = np.full(n, -1)
    branch[tops] = row[tops]
    given = None if known.covariances is None else known.covariances.renumbered(branch)
    kept = np.flatnonzero(is_above)
    return _Piece(kept, row[kept], complete_rollup(sub, method, given))


def _joined(inputs: RollupInputs, pieces: Sequence[_Piece], method: str) -> Rollup:
    """Return the roll-ups of pieces as one; items of none have the values of the inputs."""
    tree, given, below = inputs.tree, inputs.bodies, None
    bodies = with_rows(given, *((items, at_items(rolled.bodies, at)) for items, at, rolled in pieces))
    if any(rolled.below is not None for _, _, rolled in pieces):
        inner = [(items, at_items(rolled.below or rolled.bodies, at)) for items, at, rolled in pieces]
        below = with_rows(given, *inner)
    spreads = [(items, at_items(rolled.sigmas, at)) for items, at, rolled in pieces if rolled.sigmas is not None]
    sigmas = None if inputs.sigmas is None else with_rows(inputs.sigmas, *spreads)
    cancelled = np.zeros(len(tree), bool)
    for items, at, rolled in pieces:
        cancelled[items] = rolled.cancelled[at]
    mass_moments, covariances = None, None
    if moments := [(piece, of[0], of[1].T) for piece in pieces if (of := piece.rolled.mass_moments) is not None]:
        assemblies, values = _ordered(tree, moments)
        mass_moments = assemblies, values.T
    if exact := [(piece, one.items, one.packed) for piece in pieces if (one := piece.rolled.covariances) is not None]:
        covariances = Covariances(*_ordered(tree, exact))
    return Rollup(bodies, sigmas, tree_coverage(inputs), cancelled, below, method, mass_moments, covariances)


def _ordered(tree: Tree, found: Sequence[tuple[_Piece, Any, _Floats]]) -> tuple[NDArray[np.int32], _Floats]:
    """Return the columns of assemblies of pieces, by item and in the order of positions."""
    numbers, columns = [], []
    for (held, at, rolled), own, values in found:
        item_of = np.full(len(rolled.bodies.mass), -1)
        item_of[at] = held
        items = item_of[own]
        numbers.append(items[items >= 0])
        columns.append(values[:, items >= 0])
    items = np.concatenate(numbers)
    order = np.argsort(tree.position[items])
    return items[order].astype(np.int32), np.concatenate(columns, axis=1)[:, order]


class WorkerLostError(UsageError):
    """A worker process ended before it answered."""


class _WorkerStopped(BaseException):
    """The process is not needed any more; unwinds so that temporary files are removed."""


def process_results(function: _Task, shared: Any, requests: Iterable[Any], workers: int) -> Generator[Any]:
    """Yield ``function(shared, request)`` of each request in order, computed by processes that end with this one."""
    # a request on which a process ends is computed again alone, and its answer is a WorkerLostError if it ends again
    source, waiting = iter(requests), deque[tuple[Any, Future[Any]]]()
    pool = _WorkerPool(function, shared, workers)
    try:
        while True:
            for request in islice(source, _REQUESTS_AHEAD * workers - len(waiting)):
                waiting.append((request, pool.submit(request)))
            if not waiting:
                return
            request, answer = waiting.popleft()
            if lost := _is_lost(answer):
                pool.close()
                pool = _WorkerPool(function, shared, 1)
                lost = _is_lost(answer := pool.submit(request))
                pool.close()
                pool = _WorkerPool(function, shared, workers)
                waiting = deque((one, pool.submit(one) if _is_lost(done) else done) for one, done in waiting)
            yield WorkerLostError(_LOST) if lost else answer.result()
    finally:
        pool.close()


_LOST = "worker process ended before completion; it may lack memory: use fewer workers (a script needs the guard "
_LOST += 'if __name__ == "__main__":)'


def _is_lost(answer: Future[Any]) -> bool:
    """Wait for an answer; return whether its process ended before."""
    return answer.cancelled() or isinstance(answer.exception(), BrokenProcessPool)


class _WorkerPool:
    """Processes that call one function; they start with the first requests."""

    def __init__(self, function: _Task, shared: Any, workers: int) -> None:
        # a forked process may inherit a held lock; a spawned one works alike on every system
        context = get_context("spawn")
        self._reader, self._writer = context.Pipe(duplex=False)
        given = (function, shared), self._reader
        self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=given)

    def submit(self, request: Any) -> Future[Any]:
        """Give a request to the processes, with interrupts held back."""
        with _hold_interrupts():  # the pool starts its processes while it is given work
            try:
                return self._pool.submit(_worker_answer, request)
            except BrokenProcessPool as error:  # found when its answer is due
                lost: Future[Any] = Future()
                lost.set_exception(error)
                return lost

    def close(self) -> None:
        """End the processes, also those that still compute: they do when the pipe closes."""
        self._writer.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._reader.close()


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Block Ctrl-C, which a terminal sends to all of a job, for processes that start meanwhile, until the end."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """What a worker process computes, and whether it does."""

    task: tuple[_Task, Any]
    is_busy = False


def _start_worker(task: tuple[_Task, Any], alive: Connection) -> None:
    """Store the task of a new worker process, and end it when the other end of the pipe closes."""
    gc.set_threshold(200_000, 20, 100)  # as that of the command: __main__.py
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop_worker)
    _Worker.task = task
    threading.Thread(target=_exit_with_pipe, args=(alive,), daemon=True).start()


def _stop_worker(signum: int, frame: object) -> None:
    """End this process, after its temporary files are removed."""
    if not _Worker.is_busy:
        os._exit(0)
    raise _WorkerStopped


def _exit_with_pipe(alive: Connection) -> None:
    """Wait until the pipe closes, then end this process."""
    with suppress(EOFError, OSError):
        alive.recv()
    if _Worker.is_busy and hasattr(signal, "pthread_kill"):  # not on Windows, where a signal ends the process
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        time.sleep(_ENDING_SECONDS)
    os._exit(0)


def _worker_answer(request: Any) -> Any:
    """Return the answer of this process's function."""
    function, shared = _Worker.task
    try:
        _Worker.is_busy = True
        return function(shared, request)
    except _WorkerStopped:
        os._exit(0)
    finally:
        _Worker.is_busy = False


def run_parts_in_processes(workers: int, function: Callable[[Any], Any], requests: _Requests) -> Iterator[Any]:
    """Call a function in worker processes; raises UsageError where one ended."""
    for answer in process_results(call, function, (request for _, request in requests), workers):
        if isinstance(answer, WorkerLostError):
            raise answer
        yield answer


class ClusterLostError(MasspropsError):
    """The connection to the scheduler ended."""


class Cluster:
    """An open connection to a Dask scheduler, whose address appears in messages."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self.address = client, address

    def ordered_results(
        self, function: Callable[[Any], Any], requests: Iterable[tuple[str, Any | None]]
    ) -> Generator[Any, None, None]:
        """Call a function on the workers."""
        threads = max(sum(self._client.nthreads().values()), 1)
        waiting: deque[tuple[str, Any]] = deque()
        versions = _installed_versions()
        try:
            for name, request in requests:
                future = None if request is None else self._submit(function, request, versions)
                waiting.append((name, future))
                if len(waiting) >= _TASKS_AHEAD * threads:
                    yield self._result(*waiting.popleft())
            while waiting:
                yield self._result(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    with suppress(Exception):
                        future.cancel()

    def _submit(self, function: Callable[[Any], Any], request: Any, versions: dict[str, str]) -> Any:
        """Send a task; raises ClusterLostError where the connection has ended."""
        try:
            return self._client.submit(_checked_call, function, request, versions, pure=False)
        except Exception as error:
            raise self._lost_error(error) from None

    def _result(self, name: str, future: Any) -> Any:
        """Wait for a result."""
        if future is None:
            return None
        try:
            return future.result()
        except MasspropsError:
            raise
        except Exception as error:
            if (kind := type(error).__name__) == "KilledWorker":
                raise UsageError(f"{name}: workers ended each time they computed it; they may lack memory") from None
            if "Cancelled" in kind or isinstance(error, OSError):
                raise self._lost_error(error) from None
            raise

    def _lost_error(self, error: Exception) -> ClusterLostError:
        """Return the exception for a connection that ended."""
        return ClusterLostError(f"connection to the Dask scheduler at {self.address} ended ({type(error).__name__})")


@contextmanager
def connected_cluster(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, and disconnect at the end; tasks in progress are then cancelled."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError('scheduler needs Dask: pip install "massprops[scale]"') from None
    with _without_logs():
        try:
            client = distributed.Client(address, timeout=f"{_TIMEOUT}s", set_as_default=False)
        except Exception as error:  # whatever Dask raises for an address
            reason = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"Dask scheduler does not respond at {address} within {_TIMEOUT} s: {reason}") from None
        try:
            _check_workers(client, address)
            yield Cluster(client, address)
        finally:
            with suppress(Exception):
                client.close(timeout=_TIMEOUT)


@contextmanager
def _without_logs() -> Iterator[None]:
    """Keep logs and warnings of Dask from standard error: what matters is raised."""
    levels = [(logging.getLogger(name), logging.getLogger(name).level) for name in _LOGS]
    for logger, _ in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)


def _check_workers(client: Any, address: str) -> None:
    """Reject a cluster without workers, or with other versions than those of this process."""
    try:
        client.wait_for_workers(1, timeout=_TIMEOUT)
    except Exception:  # TimeoutError of Dask or of asyncio
        raise UsageError(
            f"Dask scheduler at {address} has no worker after {_TIMEOUT} s (start one: dask worker)"
        ) from None
    try:
        found = client.run(_installed_versions)
    except ImportError as error:
        message = f"a worker at {address} lacks {error.name or 'massprops'}: install massprops on every worker"
        raise UsageError(message) from None
    except Exception as error:
        message = f"workers at {address} cannot state their versions ({type(error).__name__}: {error})"
        raise UsageError(message) from None
    for worker, versions in found.items():
        _compare_versions(versions, _installed_versions(), f"worker {worker}")


@cache
def _installed_versions() -> dict[str, str]:
    """Return the versions on which the bits of a result depend; ``none`` where a package is not installed."""
    found = {"massprops": VERSION, "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in _COMPARED_PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def _compare_versions(theirs: dict[str, str], ours: dict[str, str], who: str) -> None:
    """Reject versions that differ; raises UsageError."""
    different = [f"{name} {theirs.get(name)} (here {own})" for name, own in ours.items() if theirs.get(name) != own]
    if different:
        raise UsageError(f"versions of {who} differ: {', '.join(different)}; install the same versions on all machines")


def _checked_call(function: Callable[[Any], Any], request: Any, versions: dict[str, str]) -> Any:
    """Call a function on a worker that has the versions of the client; it may have joined after the start."""
    _compare_versions(_installed_versions(), versions, "a worker")
    return function(request)
