"""Draw ``picture.svg``: what the terminal shows for the sample satellite, from a real run.

python docs/make_picture.py
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
COLUMNS = 100
FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"


def shown(command: str, folder: Path) -> Text:
    """Run one command on a terminal of fixed width, and give what it shows, colours included."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    words = [sys.executable, "-m", "massprops_cli", *command.split()[1:]]
    process = subprocess.Popen(words, cwd=folder, env=environment, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    shows = b""
    while part := read_some(outside):
        shows += part
    os.close(outside)
    if process.wait():
        raise SystemExit(f"{command} ended with {process.returncode}:\n{shows.decode()}")
    return Text.from_ansi(shows.decode().replace("\r\n", "\n").rstrip("\n"))


def read_some(terminal: int) -> bytes:
    """Read what a terminal shows next; nothing when the program has left it."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


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
    picture = console.export_svg(title="massprops", unique_id="massprops")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # nothing is fetched to show it
    picture = picture.replace("Fira Code, monospace", FONTS)
    (ROOT / "docs" / "picture.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
