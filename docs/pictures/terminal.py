"""Pictures of a terminal: what a command really shows, colours included, as SVG."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable
from html import unescape
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"
LETTER = 12.2  # width of a letter in the pictures of Rich, in px


def shown(command: str, folder: Path, columns: int) -> tuple[Text, int]:
    """Run one command on a terminal of fixed width; give what it shows, colours included, and its exit code."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    environment["PYTHONPATH"] = str(ROOT)
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    words = [sys.executable, "-m", "massprops_cli", *shlex.split(command)[1:]]
    process = subprocess.Popen(words, cwd=folder, env=environment, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    shows = b""
    while part := _read_some(outside):
        shows += part
    os.close(outside)
    return Text.from_ansi(shows.decode().replace("\r\n", "\n").rstrip("\n")), process.wait()


def _read_some(terminal: int) -> bytes:
    """Read what a terminal shows next; nothing when the program has left it."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


def picture_of(answers: Iterable[tuple[str, Text]], columns: int) -> str:
    """Draw commands and what the terminal showed for each; nothing is fetched to show the picture."""
    console = Console(record=True, width=columns, file=StringIO(), force_terminal=True)
    for command, answer in answers:
        console.print(Text(f"$ {command}", style="bold"))
        console.print(answer)
        console.print()
    picture = console.export_svg(title="massprops", unique_id="massprops")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return _without_leading_blanks(picture).replace("Fira Code, monospace", FONTS)


def _without_leading_blanks(picture: str) -> str:
    """Move texts to the right by the blanks they begin with, which not every viewer draws."""

    def moved(found: re.Match[str]) -> str:
        head, x, y, length, tail, blanks = found.groups()
        shift = LETTER * blanks.count("&")
        return f'{head}x="{float(x) + shift:.10g}" {y} textLength="{float(length) - shift:.10g}"{tail}'

    return re.sub(r'(<text [^>]*)x="(\S+)" (y="\S+") textLength="(\S+)"([^>]*>)((?:&#160;)+)(?=[^<&])', moved, picture)


def text_in(picture: str) -> list[str]:
    """Give the texts of a picture in the order they are drawn, blanks made plain.

    >>> text_in("<text>a&#160;b</text><rect/><text>&lt;c</text>")
    ['a b', '<c']
    """
    return [unescape(text).replace("\u00a0", " ") for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)]
