"""Reports for machines: the format of a name."""

from __future__ import annotations

from massprops_cli.reports.formats.report_data import ReportData


def ci_report_text(data: ReportData, style: str) -> str:
    """Write a report in a format for machines."""
    match style:
        case "junit":
            from massprops_cli.reports.formats.junit import junit_text as text
        case "sarif":
            from massprops_cli.reports.formats.sarif import sarif_text as text
        case "openmetrics":
            from massprops_cli.reports.formats.openmetrics import openmetrics_text as text
        case "github":
            from massprops_cli.reports.formats.code_hosts import github_text as text
        case _:
            from massprops_cli.reports.formats.code_hosts import gitlab_text as text
    return text(data)
