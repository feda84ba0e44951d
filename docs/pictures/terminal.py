"""Pictures of a terminal: the actual output of a command, with colours, as SVG."""

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
    """A terminal that stores its output."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Return true, so that colours and widths are those of a terminal."""
        return True


def shown(command: str, folder: Path, columns: int) -> tuple[Text, int]:
    """Run one command on a terminal of fixed width; return its output, with colours, and its exit code."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LINES")}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "COLUMNS": str(columns)}
    screen = Screen()
    surroundings = patch.dict(os.environ, environment, clear=True)
    with surroundings, chdir(folder), redirect_stdout(screen), redirect_stderr(screen):
        code = app.run_command_line(shlex.split(command)[1:])
    return Text.from_ansi(screen.getvalue().rstrip("\n")), code


def picture_of(answers: Iterable[tuple[str, Text]], columns: int) -> str:
    """Draw commands and their output; the picture refers to no external resources."""
    console = Console(record=True, width=columns, file=StringIO(), force_terminal=True)
    for command, answer in answers:
        console.print(Text(f"$ {command}", style="bold"))
        console.print(answer)
        console.print()
    picture = console.export_svg(title="massprops", unique_id="massprops")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return _without_leading_blanks(picture).replace("Fira Code, monospace", FONTS)


def _without_leading_blanks(picture: str) -> str:
    """Move texts to the right by their leading blanks, which some viewers omit."""

    def moved(found: re.Match[str]) -> str:
        head, x, y, length, tail, blanks = found.groups()
        shift = LETTER * blanks.count("&")
        return f'{head}x="{float(x) + shift:.10g}" {y} textLength="{float(length) - shift:.10g}"{tail}'

    return re.sub(r'(<text [^>]*)x="(\S+)" (y="\S+") textLength="(\S+)"([^>]*>)((?:&#160;)+)(?=[^<&])', moved, picture)


def text_in(picture: str) -> list[str]:
    """Return the texts of a picture in drawing order, with ordinary blanks.

    >>> text_in("<text>a&#160;b</text><rect/><text>&lt;c</text>")
    ['a b', '<c']
    """
    return [unescape(text).replace("\u00a0", " ") for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)]
