"""Draw ``picture.svg``: what the terminal shows for the sample satellite, from a real run.

python docs/make_picture.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
COLUMNS = 100


def shown(command: str, folder: Path) -> Text:
    """Run one command as a terminal of fixed width would, and give what it shows, colours included."""
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    words = command.split()[1:]
    done = subprocess.run(
        [sys.executable, "-m", "massprops_cli", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return Text.from_ansi(done.stdout.rstrip("\n"))


def main() -> None:
    """Write the picture beside this file."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "sample_data" / "spacecraft.xlsx", folder)
        for command in ("massprops rollup spacecraft.xlsx", "massprops tree spacecraft.xlsx --depth 1"):
            console.print(Text(f"$ {command}", style="bold"))
            console.print(shown(command, folder))
            console.print()
    console.save_svg(str(ROOT / "docs" / "picture.svg"), title="massprops")


if __name__ == "__main__":
    main()
