"""What every test may use: the reference numbers, the sample tables, and the command line in process."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parent.parent

# no deadlines: speed is measured in benchmarks/; the ordinary run draws fewer examples than make slow
settings.register_profile("ordinary", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=100)
settings.load_profile("ordinary")

# a run in the background ignores Ctrl-C and the end of the terminal, and so would the commands that the tests interrupt
for name in ("SIGINT", "SIGHUP"):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _commands_built_once() -> None:
    """Keep the parser of each command: a process builds it once, thousands of calls in process need no more."""
    from massprops_cli.cli import app

    app._load_command = cache(app._load_command)


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
