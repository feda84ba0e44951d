"""Pictures of a terminal: what a command really shows, colours included, as SVG."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from contextlib import chdir, redirect_stderr, redirect_stdout
from html import unescape
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from rich.console import Console
from rich.text import Text

from massprops_cli.cli import app

ROOT = Path(__file__).parents[2]
FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"
LETTER = 12.2  # width of a letter in the pictures of Rich, in px


class Screen(StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Say yes, so that colours and widths are those of a terminal."""
        return True


def shown(command: str, folder: Path, columns: int) -> tuple[Text, int]:
    """Run one command on a terminal of fixed width; give what it shows, colours included, and its exit code."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LINES")}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "COLUMNS": str(columns)}
    screen = Screen()
    surroundings = patch.dict(os.environ, environment, clear=True)
    with surroundings, chdir(folder), redirect_stdout(screen), redirect_stderr(screen):
        code = app.run_command_line(shlex.split(command)[1:])
    return Text.from_ansi(screen.getvalue().rstrip("\n")), code


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
