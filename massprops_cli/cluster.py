"""A Dask cluster: connection, equal versions, results in order. Dask is loaded when a scheduler is named, not before.

A task carries all that it needs, so that a lost worker costs time only: the scheduler sends its tasks to another one.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module, metadata
from typing import Any

from massprops_cli._version import VERSION
from massprops_cli.findings.finding import MasspropsError, UsageError

_TIMEOUT = 5
"""Seconds in which a scheduler answers and has a worker."""
_TASKS_AHEAD = 3
"""Tasks in progress or in the queue, per thread of the workers."""
_COMPARED_PACKAGES = ("numpy", "pandas", "pyarrow", "distributed")
_LOGS = ("distributed", "tornado.application", "asyncio")


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
            kind = type(error).__name__
            if kind == "KilledWorker":
                message = f"{name}: workers ended each time they computed it; they may lack memory"
                raise UsageError(message) from None
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
        raise UsageError('--scheduler needs Dask: pip install "massprops[scale]"') from None
    with _without_logs():
        try:
            client = distributed.Client(address, timeout=f"{_TIMEOUT}s", set_as_default=False)
        except Exception as error:  # whatever Dask raises for an address
            reason = " ".join(str(error).split()) or type(error).__name__
            message = f"Dask scheduler does not respond at {address} within {_TIMEOUT} s: {reason}"
            raise UsageError(message) from None
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
        message = f"versions of {who} differ: {', '.join(different)}; install the same versions on all machines"
        raise UsageError(message)


def _checked_call(function: Callable[[Any], Any], request: Any, versions: dict[str, str]) -> Any:
    """Call a function on a worker that has the versions of the client; it may have joined after the start."""
    _compare_versions(_installed_versions(), versions, "a worker")
    return function(request)
