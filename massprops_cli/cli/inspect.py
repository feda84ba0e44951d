"""``massprops inspect``: what was understood of a table, column by column, and what was left out."""

from __future__ import annotations

from massprops_cli.cli.choices import Style
from massprops_cli.cli.exits import CANNOT, DONE
from massprops_cli.cli.explaining import understood
from massprops_cli.cli.options import Meaning, Reading, Reporting
from massprops_cli.cli.options_uncertain import Stated
from massprops_cli.cli.report import tell_findings
from massprops_cli.cli.selection import rules_of
from massprops_cli.cli.streams import report_screen
from massprops_cli.report.json_report import json_text
from massprops_cli.report.page import FULL, fenced

MORE = """

Exit code 0 if a tree of parts was read, also with errors in it; 2 if none was. Nothing is rolled up.
"""


def command(reading: Reading, meaning: Meaning, stated: Stated, reporting: Reporting) -> int:
    """Read, and show what was understood."""
    rules_of(reporting)
    seen, configuration = understood(reading, meaning, stated)
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
    return DONE if seen.is_bom else CANNOT
