"""The report as JSON: the library's own dictionary, a number's every digit kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from massprops_cli.findings import Finding


def json_text(report: Any) -> str:
    """Write a dictionary of plain values as JSON, ending with a newline.

    >>> json_text({"mass": 0.1})
    '{\\n "mass": 0.1\\n}\\n'
    """
    import json

    return json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def json_line(report: Any) -> str:
    """Write a dictionary of plain values as JSON on one line.

    >>> json_line({"mass": 0.1})
    '{"mass": 0.1}\\n'
    """
    import json

    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def findings_report(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Give findings as plain values, where there is no result to report.

    >>> findings_report("bom.csv", [])["summary"]
    {'errors': 0, 'warnings': 0, 'notes': 0}
    """
    from massprops_cli._version import VERSION

    severities = [finding.severity.value for finding in findings]
    return {
        "massprops": VERSION,
        "source": {"file": name},
        "summary": {f"{word}s": severities.count(word) for word in ("error", "warning", "note")},
        "findings": [finding.to_dict() for finding in findings],
    }
