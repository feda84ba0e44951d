"""A page on a terminal, with Rich: colours where the terminal has them, none where ``NO_COLOR`` says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from massprops_cli.report.page import Block, Symbols, lay_out

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    "good": "bold green",
    "bad": "bold red",
    "warn": "yellow",
    "note": "cyan",
    "dim": "dim",
    "strong": "bold",
    "bar": "blue",
    "": "",
}
"""What the styles of a page look like."""


def console_for(stream: TextIO, width: int | None = None) -> Console:
    """Make a console of a terminal."""
    from rich.console import Console

    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def show(blocks: Sequence[Block], console: Console, symbols: Symbols) -> None:
    """Write a page to a terminal."""
    from rich.text import Text

    lines = [
        Text.assemble(*((span.text, STYLES[span.style]) for span in line.spans), no_wrap=True, overflow="ignore")
        for line in lay_out(blocks, console.width, symbols)
    ]
    console.print(Text("\n").join(lines), soft_wrap=True)
