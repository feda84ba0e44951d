"""SARIF 2.1.0 (OASIS): findings as results; limits that are kept are left out, waived ones are suppressed results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Place
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, entry_fingerprints, repository_path
from massprops_cli.reports.page.findings import json_text

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_text(data: ReportData) -> str:
    """Write a SARIF log of one run."""
    from massprops_cli._front import VERSION

    entries = data.entries
    codes = sorted({entry.finding.rule for entry in entries})
    index = {code: k for k, code in enumerate(codes)}
    driver = {"name": "massprops", "version": VERSION, "rules": [_rule_descriptor(code) for code in codes]}
    results = [
        _sarif_result(entry, index, data.source, fingerprint)
        for entry, fingerprint in zip(entries, entry_fingerprints(entries, data.source), strict=True)
    ]
    run = {"tool": {"driver": driver}, "results": results}
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule_descriptor(code: str) -> dict[str, Any]:
    """Describe a rule."""
    rule = RULES[code]
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"{rule.summary}; {rule.remedy}" if rule.remedy else rule.summary},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(entry: ReportEntry, index: Mapping[str, int], source: str, fingerprint: str) -> dict[str, Any]:
    """Write one finding as a result; the hint is part of the message."""
    finding, verdict = entry.finding, entry.verdict
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": finding.severity.value,
        "message": {"text": finding.message + (f"; {finding.remedy}" if finding.remedy else "")},
        "locations": [_sarif_location(finding.place, source, finding.item)],
        "partialFingerprints": {"massprops/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [_sarif_location(place, source) for place in dict.fromkeys(finding.related)]
    if verdict is not None:
        names = ("subject", "value", "limit", "unit", "margin")
        result["properties"] = {name: getattr(verdict, name) for name in names} | {"requested": verdict.requirement}
        if verdict.waiver is not None:
            result["suppressions"] = [{"kind": "external", "justification": verdict.waiver.reason}]
    return result


def _sarif_location(place: Place, source: str, item: str = "") -> dict[str, Any]:
    """Write a place: file and line; a cell of a workbook, or an item, is a logical location."""
    from urllib.parse import quote

    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(repository_path(place, source), errors="replace")}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    logical = []
    if place.line is None and str(place) != place.file:
        spot = str(place).removeprefix(f"{place.file}:")
        logical.append({"fullyQualifiedName": spot, "kind": "cell" if place.cell else "row"})
    if item:
        logical.append({"name": item, "kind": "item"})
    return location | ({"logicalLocations": logical} if logical else {})
