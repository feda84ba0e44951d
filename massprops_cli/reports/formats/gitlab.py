"""The code quality report of GitLab, a list of issues in the format of Code Climate (GitLab, "Code Quality")."""

from __future__ import annotations

from massprops_cli.findings.finding import Severity
from massprops_cli.reports.formats.report_data import ReportData, entry_fingerprints, repository_path
from massprops_cli.reports.page.findings import json_text

_GITLAB_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab_text(data: ReportData) -> str:
    """Write the report of code quality: GitLab requires a line, so a finding in a workbook is on line 1."""
    entries = data.entries
    issues = []
    for entry, fingerprint in zip(entries, entry_fingerprints(entries, data.source), strict=True):
        place = entry.place
        spot = f"{place}: " if place.line is None and str(place) != place.file else ""
        issues.append(
            {
                "description": spot + entry.message,
                "check_name": f"{entry.finding.rule} {entry.finding.name}",
                "fingerprint": fingerprint,
                "severity": _GITLAB_SEVERITIES[entry.finding.severity],
                "location": {"path": repository_path(place, data.source), "lines": {"begin": place.line or 1}},
            }
        )
    return json_text(issues)
