"""From the command line to what was understood of a table: for ``inspect``, and for ``--explain`` beside others."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.asking import file_options_of, read_bom, stdin_of, table_options_of
from massprops_cli.cli.config import Settings, settings_for
from massprops_cli.cli.options import Reading, Reporting
from massprops_cli.cli.options_meaning import Meaning
from massprops_cli.cli.streams import screen_for
from massprops_cli.findings import TableError
from massprops_cli.report.page import Line

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.understanding.understanding import Understanding
    from massprops_cli.files.table import Table


def understood(
    reading: Reading, meaning: Meaning, stdin: bytes | None = None, **more: Any
) -> tuple[Understanding, list[str]]:
    """Read the table that the command line names, and say what is understood and which configuration was read.

    ``stdin`` is what was read of standard input already; ``more`` are further table options, as for ``read_bom``.
    """
    from massprops_cli.bom.understanding.understanding import inspect_file
    from massprops_cli.report.progress import progress

    settings = settings_for(reading.file, reading.config)
    given = {name: value for name, value in more.items() if value is not None}
    options = replace(table_options_of(reading, meaning, settings), **given)
    held = stdin if stdin is not None else stdin_of(reading)
    with progress(f"reading {reading.file}"):
        seen = inspect_file(
            reading.file,
            file_options_of(reading, settings),
            options,
            None if held is None else io.BytesIO(held),
            deciders(meaning, settings),
        )
    return seen, settings.words


def read_explained(
    reading: Reading, meaning: Meaning, reporting: Reporting, stdin: bytes | None = None, **more: Any
) -> Bom:
    """Read the table that the command line names; with ``--explain``, say on stderr what was understood of it.

    That is also said of a table of which no tree can be made, before the reason why.
    """
    held = stdin if stdin is not None else stdin_of(reading)
    try:
        bom = read_bom(reading, meaning, held, **more)
    except TableError:
        if reporting.explain:
            with suppress(TableError):
                show(*understood(reading, meaning, held, **more))
        raise
    explain(bom, reading, meaning, reporting)
    return bom


def explain(table: Bom | Table, reading: Reading, meaning: Meaning, reporting: Reporting) -> None:
    """With ``--explain``, say on stderr what was understood of a table that was read."""
    if not reporting.explain:
        return
    from massprops_cli.bom.items.content import Content
    from massprops_cli.bom.understanding.understanding import understanding_of, understanding_of_table

    settings = settings_for(reading.file, reading.config)
    settled = deciders(meaning, settings)
    if isinstance(table, Content):
        seen = understanding_of(table, settled)
    else:
        seen = understanding_of_table(table, table_options_of(reading, meaning, settings), settled=settled)
    show(seen, settings.words)


def show(seen: Understanding, configuration: list[str]) -> None:
    """Say on stderr what was understood."""
    from massprops_cli.report.inspect_view import inspect_blocks

    screen = screen_for(sys.stderr)
    screen.show([*inspect_blocks(seen, configuration, screen.symbols), Line()])


def deciders(meaning: Meaning, settings: Settings) -> dict[str, str]:
    """Tell who named the column of a quantity: the command line before the last file of options.

    >>> deciders(Meaning(map=["mass=W"]), Settings(columns={"id": "A", "mass": "B"}, files=("massprops.toml",)))
    {'id': 'massprops.toml', 'mass': '--map'}
    """
    of_files = dict.fromkeys(settings.columns, settings.files[-1] if settings.files else "")
    return of_files | dict.fromkeys((text.partition("=")[0].strip() for text in meaning.map or ()), "--map")
