"""Start time of the command.

--version against bare Python, --help against a bare Typer application, a small table against pandas.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15

BARE_TYPER = """
import typer
app = typer.Typer(add_completion=False)
{commands}
app()
"""


def seconds(*arguments: str) -> float:
    """Smallest wall time of a command of this Python: the run with the least disturbance."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
        best = min(best, time.perf_counter() - start)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
    return best


def bare_typer_app(folder: str) -> str:
    """Write an empty Typer application with as many commands."""
    from massprops_cli.cli.command import command_records

    commands = "\n".join(
        f"@app.command({name!r})\ndef {name.replace('-', '_').replace(' ', '_')}(): {one.summary!r}"
        for name, one in command_records().items()
    )
    path = Path(folder) / "bare.py"
    path.write_text(BARE_TYPER.format(commands=commands), encoding="utf-8")
    return str(path)


def table(folder: str, header_units: bool) -> str:
    """Write a table of 1765 rows with sigmas."""
    ten = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    entries = [f"{s}{n}" for s in ("", "sigma_") for n in ten]
    units = {"m": "kg", "C": "m", "I": "kg*m^2"}
    names = [f"{e} [{units[e.removeprefix('sigma_')[0]]}]" for e in entries] if header_units else entries
    lines = [",".join(["id", "parent", "POIconv", "Ipoint", *names])]
    n = 1765
    for i in range(n):
        parent = "" if i == 0 else f"N{(i - 1) // 4}"
        is_leaf = 4 * i + 1 >= n
        values = [
            f"{1 + i % 7}.{i % 97}",
            f"{i % 13}.25",
            f"-{i % 11}.5",
            f"{i % 5}",
            "2.5",
            "2.75",
            "3.125",
            "0.0625",
            "-0.125",
        ]
        values.append("0.25")
        sigmas = ["0.0125"] * 10
        cells = [*values, *sigmas] if is_leaf else [""] * 20
        lines.append(",".join([f"N{i}", parent, "-", "false" if is_leaf else "", *cells]))
    path = Path(folder) / f"table{header_units}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def measure() -> list[tuple[str, float, float, float]]:
    """Return rows of (quantity, seconds, seconds of the reference, goal as a ratio)."""
    os.environ["COLUMNS"] = "80"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as in an installation
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_typer_app(folder)
        without, with_units = table(folder, False), table(folder, True)
        tool = ("-m", "massprops_cli")
        rollup = (*tool, "rollup", "-o", str(Path(folder) / "out.csv"))
        nothing, pandas = seconds("-c", "pass"), seconds("-c", "import pandas")
        return [
            ("--version / python -c pass", seconds(*tool, "--version"), nothing, 2.0),
            ("--help / bare Typer --help", seconds(*tool, "--help"), seconds(bare, "--help"), 0.85),
            ("1765 rows csv → csv / import pandas", seconds(*rollup, without), pandas, 0.55),
            ("the same with units in the header", seconds(*rollup, with_units), pandas, 0.8),
        ]


def main() -> None:
    """Print the table."""
    for what, took, yardstick, goal in measure():
        times = f"{1e3 * took:.0f} ms / {1e3 * yardstick:.0f} ms"
        print(f"| {what} | {took / yardstick:.2f} ({times}) | {goal} |")


if __name__ == "__main__":
    main()
