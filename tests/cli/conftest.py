"""A small table to work on, and two ways to run the command: in process, and as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from massprops_cli.cli.app import app
from tests.warm import warm_command

ROOT = Path(__file__).parents[2]

# two point masses of 2 and 3 kg, 1 m either side: mass 5, centre 0.2, Iyy = Izz = 4.8 about it
TWO_POINTS = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],\
Ixz [kg*m^2],Iyz [kg*m^2],POIconv,Ipoint
top,,,,,,,,,,,,-,
a,top,2,-1,0,0,0,0,0,0,0,0,-,true
b,top,3,1,0,0,0,0,0,0,0,0,-,true
"""


def assert_exit(result: Result, code: int, *words: str) -> None:
    """Check the exit code, and that what is printed contains the words."""
    assert result.exit_code == code, result.output
    printed = " ".join(result.output.split())
    for word in words:
        assert word in printed


@pytest.fixture
def run():
    """Run a command line in process."""
    runner = CliRunner()

    def call(*arguments: object, input: str | None = None) -> Result:
        return runner.invoke(app, [str(argument) for argument in arguments], input=input)

    return call


@pytest.fixture
def process(tmp_path: Path):
    """Run a command line as a process of its own; one with an environment of its own as users start it."""

    def call(*arguments: object, input: bytes | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "massprops_cli"] if env else warm_command()
        return subprocess.run(
            [*command, *map(str, arguments)],
            input=input,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **env},
            timeout=60,
            check=False,
        )

    return call


@pytest.fixture
def bom(tmp_path: Path) -> Path:
    """Write the two points to a file."""
    path = tmp_path / "bom.csv"
    path.write_text(TWO_POINTS)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Write a table with two faults: an unknown parent and a mass that is no number."""
    path = tmp_path / "bad.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\nb,nowhere,3\nc,top,heavy\n")
    return path
