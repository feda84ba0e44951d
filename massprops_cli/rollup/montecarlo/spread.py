"""Chunks of samples over cores or machines, their results in order, so that sums never depend on who was faster."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from massprops_cli.findings import UsageError
from massprops_cli.rollup.montecarlo.block import sample_chunk
from massprops_cli.rollup.montecarlo.counted import Counted
from massprops_cli.rollup.montecarlo.model import Model

AHEAD = 2
"""Chunks under way or waiting to be taken, for every worker: enough to keep it busy, and bounded."""

PATIENCE = "10s"
"""How long a scheduler may take to answer."""

_own: dict[str, Model] = {}
"""The model of a worker process, sent to it once."""


def counted_chunks(model: Model, workers: int, scheduler: str) -> Generator[Counted]:
    """Give what every chunk counted, in their order."""
    if scheduler:
        yield from on_cluster(model, scheduler)
    elif workers > 1 and model.chunks > 1:
        yield from in_processes(model, min(workers, model.chunks))
    else:
        for chunk in range(model.chunks):
            yield sample_chunk(model, chunk)


def in_processes(model: Model, workers: int) -> Generator[Counted]:
    """Draw chunks in other processes of this machine, which end with this one or as soon as it stops asking."""
    from multiprocessing import get_context

    # a forked process may inherit a held lock; a spawned one works alike on every system
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin, initargs=(model, reader))

    def submit(chunk: int) -> Future[Counted]:
        with interrupts_held():  # the pool starts its processes while it is given work
            return pool.submit(own_chunk, chunk)

    try:
        yield from in_order(submit, model.chunks, AHEAD * workers)
    except BrokenProcessPool as error:
        raise UsageError(
            "the worker processes ended before their work was done; a script that asks for workers has to stand under "
            'if __name__ == "__main__":, and they need memory of their own'
        ) from error
    finally:
        # workers that still draw end at once when the pipe closes
        writer.close()
        pool.shutdown(wait=True, cancel_futures=True)
        reader.close()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C, which a terminal sends to all of a job, from processes that start meanwhile; it is heeded after."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin(model: Model, alive: Connection) -> None:
    """Take the model in a new worker process, and end when the other end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _own["model"] = model
    threading.Thread(target=end_with, args=(alive,), daemon=True).start()


def end_with(alive: Connection) -> None:
    """Wait until the pipe closes, then end this process."""
    try:
        alive.recv()
    except (EOFError, OSError):
        os._exit(0)


def own_chunk(chunk: int) -> Counted:
    """Draw one chunk of this process's model."""
    return sample_chunk(_own["model"], chunk)


def on_cluster(model: Model, scheduler: str) -> Generator[Counted]:
    """Draw chunks on a Dask cluster; raises UsageError without the extra, or when nobody answers."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UsageError('a scheduler needs Dask: pip install "massprops[scale]"') from error
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        there = client.scatter(model, broadcast=True, hash=False)
        workers = max(sum(client.nthreads().values()), 1)
        yield from in_order(
            lambda chunk: client.submit(sample_chunk, there, chunk, pure=False), model.chunks, AHEAD * workers
        )


def in_order(submit: Callable[[int], Any], chunks: int, ahead: int) -> Generator[Counted]:
    """Keep ``ahead`` chunks under way and give their results in order; what is under way is dropped at the end."""
    under_way: deque[Any] = deque()
    try:
        for chunk in range(chunks):
            under_way.append(submit(chunk))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()
