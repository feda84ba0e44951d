"""GitLab's code quality report: a list of issues, in the form of Code Climate.

Source: GitLab, "Code Quality", section "Code Quality report format".
"""

from __future__ import annotations

from massprops_cli.findings import Severity
from massprops_cli.report.formats.account import Account, path_of
from massprops_cli.report.formats.fingerprint import fingerprints
from massprops_cli.report.json_report import json_text

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab_text(account: Account) -> str:
    """Write the report; an empty list where nothing was found.

    A line is required, so a finding in a workbook stands at line 1 and names its cell.

    >>> gitlab_text(Account("bom.csv", []))
    '[]\\n'
    """
    entries = account.entries
    issues = []
    for entry, fingerprint in zip(entries, fingerprints(entries, account.source), strict=True):
        place = entry.place
        spot = f"{place}: " if place.line is None and str(place) != place.file else ""
        issues.append(
            {
                "description": spot + entry.message,
                "check_name": f"{entry.finding.rule} {entry.finding.name}",
                "fingerprint": fingerprint,
                "severity": SEVERITIES[entry.finding.severity],
                "location": {"path": path_of(place, account.source), "lines": {"begin": place.line or 1}},
            }
        )
    return json_text(issues)
