"""``massprops inspect``: what was understood of a table, column by column, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from massprops_cli.cli.choices import Method, Style
from massprops_cli.cli.exits import CANNOT, DONE
from massprops_cli.cli.explaining import understood
from massprops_cli.cli.frozen import save_map
from massprops_cli.cli.options import OUT, Reading, Reporting
from massprops_cli.cli.options_meaning import Meaning
from massprops_cli.cli.options_uncertain import Stated
from massprops_cli.cli.report import tell_findings
from massprops_cli.cli.selection import rules_of
from massprops_cli.cli.streams import report_screen
from massprops_cli.report.json_report import json_text
from massprops_cli.report.page import FULL, fenced

MORE = """

Exit code 0 if a tree of parts was read, also with errors in it; 2 if none was. Nothing is rolled up.
With --save-map, a table that has errors is refused: a frozen map never guesses.
"""


@dataclass(frozen=True)
class Freezing:
    """Where decisions are kept."""

    save_map: Annotated[
        str,
        typer.Option(
            "--save-map",
            metavar="FILE",
            help="Write every decision to a file such as massprops.toml, which then is read instead of guessing.",
            rich_help_panel=OUT,
        ),
    ] = ""
    force: Annotated[bool, typer.Option("--force", help="Replace an existing map.", rich_help_panel=OUT)] = False


def command(reading: Reading, meaning: Meaning, stated: Stated, reporting: Reporting, freezing: Freezing) -> int:
    """Read, show what was understood, and keep it if asked to."""
    rules_of(reporting)
    uses_sigmas = stated.uncertainty is not Method.none
    seen, configuration = understood(reading, meaning, use_sigmas=uses_sigmas, sigma_level=stated.sigmas_are)
    from massprops_cli.report.inspect_view import inspect_blocks

    screen, style = report_screen(data_on_stdout=False), reporting.format
    if style is Style.json:
        screen.write(json_text(seen.to_dict()))
    elif style is Style.md:
        screen.write(fenced(inspect_blocks(seen, configuration, FULL)))
    elif style in (Style.jsonl, Style.concise):
        did = f"{reading.file}: inspected"
        tell_findings(screen, reading.file, seen.findings, reporting, did, failed=not seen.is_bom)
    else:
        screen.show(inspect_blocks(seen, configuration, screen.symbols))
    if freezing.save_map and seen.is_bom:
        save_map(seen, freezing.save_map, force=freezing.force)
    return DONE if seen.is_bom else CANNOT
