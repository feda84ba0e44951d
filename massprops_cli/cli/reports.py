"""``--report FORMAT=FILE``: reports beside what is told, so that one run gives a CI all that it wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.choices import Style
from massprops_cli.cli.machines import MACHINES, text_of
from massprops_cli.cli.outputs import format_of_name, same_file
from massprops_cli.findings import UsageError

if TYPE_CHECKING:
    from massprops_cli.report.formats.account import Account

WRITTEN = tuple(style.value for style in (*MACHINES, Style.md))
"""The formats of reports."""
TABLES = ("csv", "tsv", "xlsx", "xlsm", "parquet", "feather")
"""A file with a suffix of these is somebody's table, and no report is written over it."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report to be written: its format, and the file."""

    style: Style
    name: str


def reports_asked(texts: Sequence[str] | None, inputs: Sequence[str]) -> list[Report]:
    """Read the option; ``inputs`` are the files that are read, and not to be written over. Raises UsageError.

    >>> reports_asked(["junit=junit.xml"], ["bom.csv"])
    [Report(style=<Style.junit: 'junit'>, name='junit.xml')]
    """
    return list(_asked(texts or (), inputs))


def _asked(texts: Sequence[str], inputs: Sequence[str]) -> Iterator[Report]:
    names: set[str] = set()
    for text in texts:
        style, _, name = text.partition("=")
        if style not in WRITTEN or not name:
            raise UsageError(
                f"--report is {text}; it takes a format and a file, such as junit=junit.xml: {', '.join(WRITTEN)}"
            )
        path = Path(name)
        if any(same_file(path, Path(each)) for each in inputs):
            raise UsageError(f"--report is {text}, and {name} is what is read; give another name")
        if path.exists() and format_of_name(name) in TABLES:
            raise UsageError(f"--report is {text}, and {name} is a table; give another name")
        if name in names:
            raise UsageError(f"--report is {text}, and {name} is to hold another report already; give another name")
        names.add(name)
        yield Report(Style(style), name)


def write_reports(reports: Sequence[Report], account: Account) -> None:
    """Write every report, whole or not at all; one of an earlier run is replaced."""
    from massprops_cli.files.atomic import whole_or_not
    from massprops_cli.report.formats.comment import comment_text

    for report in reports:
        text = comment_text(account) if report.style is Style.md else text_of(account, report.style)
        with whole_or_not(report.name) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
