"""Blocks of samples over cores or machines, their results in order, so that sums never depend on who was faster."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from massprops_cli.findings import UsageError
from massprops_cli.rollup.montecarlo.block import Counted, sample_block
from massprops_cli.rollup.montecarlo.model import Model

AHEAD = 2
"""Blocks under way or waiting to be taken, for every worker: enough to keep it busy, and bounded."""

_own: dict[str, Model] = {}
"""The model of a worker process, sent to it once."""


def counted_blocks(model: Model, workers: int, scheduler: str) -> Iterator[Counted]:
    """Give what every block counted, in the order of the blocks."""
    if scheduler:
        yield from on_cluster(model, scheduler)
    elif workers > 1 and model.blocks > 1:
        yield from in_processes(model, min(workers, model.blocks))
    else:
        for block in range(model.blocks):
            yield sample_block(model, block)


def in_processes(model: Model, workers: int) -> Iterator[Counted]:
    """Draw blocks in other processes of this machine, which end with this one or as soon as it stops asking."""
    from multiprocessing import get_context

    # a forked process may inherit a held lock; a spawned one works alike on every system
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin, initargs=(model, reader))
    try:
        yield from in_order(lambda block: pool.submit(own_block, block), model.blocks, AHEAD * workers)
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


def begin(model: Model, alive: Connection) -> None:
    """Take the model in a new worker process, and end when the other end of the pipe closes."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _own["model"] = model
    threading.Thread(target=end_with, args=(alive,), daemon=True).start()


def end_with(alive: Connection) -> None:
    """Wait until the pipe closes, then end this process."""
    try:
        alive.recv()
    except (EOFError, OSError):
        os._exit(0)


def own_block(block: int) -> Counted:
    """Draw one block of this process's model."""
    return sample_block(_own["model"], block)


def on_cluster(model: Model, scheduler: str) -> Iterator[Counted]:
    """Draw blocks on a Dask cluster; raises UsageError without the extra, or when nobody answers."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UsageError('a scheduler needs Dask: pip install "massprops[scale]"') from error
    try:
        client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        there = client.scatter(model, broadcast=True, hash=False)
        workers = max(sum(client.nthreads().values()), 1)
        yield from in_order(
            lambda block: client.submit(sample_block, there, block, pure=False), model.blocks, AHEAD * workers
        )


def in_order(submit: Callable[[int], Any], blocks: int, ahead: int) -> Iterator[Counted]:
    """Keep ``ahead`` blocks under way and give their results in order; what is under way is dropped at the end."""
    under_way: deque[Any] = deque()
    try:
        for block in range(blocks):
            under_way.append(submit(block))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()
