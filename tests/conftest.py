"""What every test may use: the reference numbers, the sample tables, and the command line in process."""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parent.parent

# no deadlines: speed is measured in benchmarks/; the ordinary run draws fewer examples than make slow
settings.register_profile("ordinary", deadline=None, max_examples=2)
settings.register_profile("thorough", deadline=None, max_examples=100)
settings.load_profile("ordinary")

# products of small matrices need no threads: those of two workers would wait for the same cores
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# compiled modules are kept: the tests with rewritten assertions, and the package for the commands that tests start
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# a run in the background ignores Ctrl-C and the end of the terminal, and so would the commands that the tests interrupt
for name in ("SIGINT", "SIGHUP"):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


# the collector would look through all modules and collected tests again and again: a fifth of the time
gc.set_threshold(200_000, 50, 1000)


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Mark most cases of ``spread(every, keep=...)`` slow, and leave out slow ones before a test is made of each."""
    yield
    calls = getattr(metafunc, "_calls", [])  # private to pytest: without it they are left out later
    for spread in metafunc.definition.iter_markers("spread"):
        usual = [call for call in calls if not any(mark.name == "slow" for mark in call.marks)]
        for k, call in enumerate(usual, -spread.kwargs.get("start", 0)):
            if k % spread.args[0] and call.id not in spread.kwargs.get("keep", ()):
                call.marks.append(pytest.mark.slow.mark)
    if metafunc.config.option.markexpr == "not slow":
        usual = [call for call in calls if not any(mark.name == "slow" for mark in call.marks)]
        calls[:] = usual or calls


def pytest_collection_finish() -> None:
    """Leave what exists before the first test out of every search of the collector."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker report that a test passed, and not also that it was prepared and cleaned up."""
    wanted = item.config.option
    if not hasattr(item.config, "workerinput") or wanted.durations or getattr(wanted, "xmlpath", None):
        return None  # reports of files and of durations need all
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


FOLDERS = count(1)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an empty folder; that of pytest searches the folders of all earlier tests for a free number."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}_{next(FOLDERS)}"
    path.mkdir(0o700)
    return path


@pytest.fixture(scope="session", autouse=True)
def _process_of_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Prepare the process once; one fixture, since each test asks for all that it is under."""
    _build_commands_once()
    _parse_meshes_here()
    _fork_worker_processes()
    # the cache folder of the user stays as it is
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.getbasetemp() / "cache")
    # go on before the disk has what was written: no test pulls the plug, and thousands write
    os.fsync = lambda descriptor: None


def _build_commands_once() -> None:
    """Keep each command and its parser: a process builds it once, thousands of calls in process need no more."""
    import typer.testing
    from typer.core import TyperCommand

    from massprops_cli import options as option_table
    from massprops_cli.cli import app
    from massprops_cli.cli.command import Command

    app._load_command = cache(app._load_command)
    usual, options = Command.options.fget, dict[Any, Any]()

    def options_of(command: Command) -> Any:
        key = command.name, command.sets, id(option_table.OPTIONS)
        return options[key] if key in options else options.setdefault(key, usual(command))

    Command.options = property(options_of)
    typer.testing._get_command = cache(typer.testing._get_command)
    build, parsers = TyperCommand.make_parser, WeakKeyDictionary[Any, Any]()

    def make_parser(command: Any, context: Any) -> Any:
        if command not in parsers:
            parsers[command] = build(command, context)
        parsers[command].ctx = context
        return parsers[command]

    TyperCommand.make_parser = make_parser


def _parse_meshes_here() -> None:
    """Parse meshes in the process of the tests; the limits of the process of the parser have tests of their own."""
    from massprops_cli.files.meshes import mesh_file
    from tests.mesh_examples import parsed_here

    mesh_file._answer = parsed_here


def _fork_worker_processes() -> None:
    """Fork worker processes from one that has loaded what they need; those of commands in processes are spawned."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        from massprops_cli.rollups import division

        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["massprops_cli.cli.several_files", "massprops_cli.cli.commands.rollup"])
        division.get_context = lambda _: context


@pytest.fixture(scope="session")
def reference() -> Path:
    """Folder of published numbers; sources and licences in its README.md."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """Give the folder of sample tables; copy files for commands that write next to their input."""
    return ROOT / "sample_data"


@pytest.fixture
def massprops() -> Callable[..., Result]:
    """Give a function that runs ``massprops`` in process and gives its exit code and output."""
    from massprops_cli.cli.app import app

    def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)

    return run
