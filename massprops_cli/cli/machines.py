"""Formats for machines on the command line: which commands write them, and the step summary of GitHub Actions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.choices import Style
from massprops_cli.cli.exits import write_error
from massprops_cli.findings import UsageError

if TYPE_CHECKING:
    from massprops_cli.cli.streams import Screen
    from massprops_cli.report.formats.account import Account

MACHINES = (Style.junit, Style.sarif, Style.github, Style.gitlab, Style.openmetrics)
"""Formats of findings, and of limits where there is a budget."""
COMMANDS = ("check", "convert", "diff", "rollup", "validate")
"""The commands that write them; the others show what is no finding."""
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file that a step's summary goes to."""


def check_style(command: str, style: Style | None) -> None:
    """Refuse a format for machines where a command has something else to show.

    >>> check_style("validate", Style.sarif)
    """
    if style in MACHINES and command not in COMMANDS:
        rest = ", ".join(member.value for member in Style if member not in MACHINES)
        raise UsageError(f"--format is {style.value}, and {command} takes {rest}")


def tell_machines(screen: Screen, account: Account, style: Style, more: str = "") -> None:
    """Write an account in a format for machines; for GitHub, also the summary of the step, with ``more`` Markdown."""
    screen.write(text_of(account, style))
    if style is Style.github and os.environ.get(SUMMARY):
        add_summary(account, os.environ[SUMMARY], more)


def text_of(account: Account, style: Style) -> str:
    """Write an account in a format for machines."""
    from importlib import import_module

    module = import_module(f"massprops_cli.report.formats.{style.value}")
    text: str = getattr(module, f"{style.value}_text")(account)
    return text


def add_summary(account: Account, name: str, more: str = "") -> None:
    """Add the comment to the step's summary; one that cannot be written is said, and changes no exit code."""
    from massprops_cli.report.formats.comment import comment_text

    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("\n".join((comment_text(account), more)))
    except OSError as error:
        write_error(f"massprops: the step summary {name} is not written: {(error.strerror or str(error)).lower()}\n")
