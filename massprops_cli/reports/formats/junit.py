"""JUnit XML (JUnit 10 of Jenkins' xunit plugin): a case per limit and per rule with findings; no times, no host."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from massprops_cli.findings.finding import Finding, count_with_noun
from massprops_cli.reports.formats.report_data import ReportData

if TYPE_CHECKING:
    from massprops_cli.budgets.model import Verdict

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # forbidden in XML 1.0: NUL
_COMMAND = re.compile(r"^(?P<before>\s*)(?P<mark>:)(?=:)|#(?=#\[)", re.MULTILINE)
"""What a log of continuous integration runs as a command."""


def junit_text(data: ReportData) -> str:
    """Write one JUnit suite, named by the table, whose first case is the table, so that no suite is empty."""
    # A finding with exit code 1 fails; a waived limit is skipped, with its reason; others pass and are in system-out
    case = _case_element("table", "is without errors")
    if failing := [finding for finding in data.findings if data.fails(finding)]:
        _add_case_result(case, "failure", "table", count_with_noun(len(failing), "finding"), _findings_text(failing))
    cases = [case]
    cases += [_verdict_case(data, verdict) for verdict in data.verdicts]
    by_rule = sorted(data.findings, key=lambda finding: finding.rule)
    cases += [_rule_case(data, list(members)) for _, members in groupby(by_rule, key=lambda finding: finding.rule)]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
    }
    skipped = {"skipped": str(sum(case.find("skipped") is not None for case in cases))}
    root = ElementTree.Element("testsuites", {"name": "massprops"} | counts)
    ElementTree.SubElement(root, "testsuite", {"name": _xml_text(data.source)} | counts | skipped).extend(cases)
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    written: bytes = ElementTree.tostring(root, encoding="us-ascii")
    # the sign with which a command begins is spelled as an entity, which is the same text
    text = _COMMAND.sub(lambda m: "&#35;" if m["mark"] is None else f"{m['before']}&#58;", written.decode("ascii"))
    return f"{head}{text}\n"


def _verdict_case(data: ReportData, verdict: Verdict) -> ElementTree.Element:
    """Make the case of one limit: kept, waived, or failed."""
    case = _case_element(verdict.item, verdict.requirement)
    kind = f"{verdict.rule} {verdict.subject}"
    finding = verdict.finding
    if not verdict.kept and verdict.waiver is not None:
        _add_case_result(case, "skipped", kind, f"waived: {verdict.waiver.reason}", _findings_text([finding]))
    elif not verdict.kept and data.fails(finding):
        _add_case_result(case, "failure", kind, verdict.message, _findings_text([finding]))
    else:
        ElementTree.SubElement(case, "system-out").text = _xml_text(verdict.message if verdict.kept else str(finding))
    return case


def _rule_case(data: ReportData, findings: list[Finding]) -> ElementTree.Element:
    """Make the case of one rule with findings."""
    first = findings[0]
    case = _case_element("table", f"{first.rule} {first.name}")
    if failing := [finding for finding in findings if data.fails(finding)]:
        _add_case_result(case, "failure", first.rule, failing[0].message, _findings_text(findings))
    else:
        ElementTree.SubElement(case, "system-out").text = _xml_text(_findings_text(findings))
    return case


def _case_element(classname: str, name: str) -> ElementTree.Element:
    """Make a test case."""
    return ElementTree.Element("testcase", classname=_xml_text(classname), name=_xml_text(name))


def _add_case_result(case: ElementTree.Element, tag: str, kind: str, message: str, text: str) -> None:
    """Add a failure, or a skip, to a test case."""
    ElementTree.SubElement(case, tag, type=_xml_text(kind), message=_xml_text(message)).text = _xml_text(text)


def _findings_text(findings: list[Finding]) -> str:
    """Write findings, one on each line, with their hints."""
    return "\n".join(str(finding) + (f"; {finding.remedy}" if finding.remedy else "") for finding in findings)


def _xml_text(text: str) -> str:
    r"""Escape the characters that XML does not allow."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
