"""``massprops validate``: everything that is wrong with a table."""

from __future__ import annotations

from massprops_cli.cli.exits import DONE
from massprops_cli.cli.options import Meaning, Method, Reading, Reporting, Stated
from massprops_cli.cli.reading import decided, read_explained
from massprops_cli.cli.reporting import exit_code, rules_of, tell_findings
from massprops_cli.cli.streams import report_screen
from massprops_cli.reports.findings import plural

MORE = """

Exit code 1 if a finding is at or above --fail-on (an error, by default), 2 if there is no table.
The table is rolled up as well, for some faults show only then; nothing is written.
"""


def command(reading: Reading, meaning: Meaning, stated: Stated, reporting: Reporting) -> int:
    """Read the table, roll it up, and tell all findings."""
    rules_of(reporting)
    uses_sigmas = stated.uncertainty is not Method.none
    bom = read_explained(reading, meaning, reporting, use_sigmas=uses_sigmas, sigma_level=stated.sigmas_are)
    from massprops_cli.bom.rollup import validate

    findings = validate(bom)
    code = exit_code(findings, reporting)
    screen = report_screen(data_on_stdout=False)
    did = f"{reading.file}: checked {plural(len(bom), 'item')}"
    more = decided(bom, reading, screen.symbols, is_verbose=reporting.verbose)
    tell_findings(screen, reading.file, findings, reporting, did, failed=code != DONE, more=more)
    return code
