"""JUnit XML: a test case for each limit of the budget, and one for each rule that found something.

Held to the schema of Jenkins' xunit plugin, JUnit 10. No times and no host, so that equal runs give equal files.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from massprops_cli.findings import Finding
from massprops_cli.reports.findings import plural
from massprops_cli.reports.formats.account import Account

if TYPE_CHECKING:
    from massprops_cli.budgets.model import Verdict


_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(account: Account) -> str:
    """Write one suite, named by the table.

    Its first case is the table itself, so that no suite is ever empty. What makes the exit code 1 is a failure; a
    waived limit is skipped, with the reason; what is only worth a warning passes and says so in ``system-out``.

    >>> print(junit_text(Account("bom.csv", [])), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="massprops" tests="1" failures="0" errors="0">
      <testsuite name="bom.csv" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="table" name="is without errors" />
      </testsuite>
    </testsuites>
    """
    cases = [table_case(account)]
    cases += [verdict_case(account, verdict) for verdict in account.verdicts]
    by_rule = sorted(account.findings, key=lambda finding: finding.rule)
    cases += [rule_case(account, list(members)) for _, members in groupby(by_rule, key=lambda finding: finding.rule)]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
    }
    skipped = {"skipped": str(sum(case.find("skipped") is not None for case in cases))}
    root = ElementTree.Element("testsuites", {"name": "massprops"} | counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml_text(account.source)} | counts | skipped)
    suite.extend(cases)
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    written: bytes = ElementTree.tostring(root, encoding="us-ascii")
    return head + written.decode("ascii") + "\n"


def table_case(account: Account) -> ElementTree.Element:
    """Tell whether the table, and the budget file, are without findings that fail."""
    case = case_of("table", "is without errors")
    failing = [finding for finding in account.findings if account.fails(finding)]
    if failing:
        tell(case, "failure", "table", plural(len(failing), "finding"), lines_of(failing))
    return case


def verdict_case(account: Account, verdict: Verdict) -> ElementTree.Element:
    """Tell whether one limit is kept, is waived, or fails."""
    case = case_of(verdict.item, verdict.asked)
    kind = f"{verdict.rule} {verdict.subject}"
    finding = verdict.finding
    if not verdict.kept and verdict.waiver is not None:
        tell(case, "skipped", kind, f"waived: {verdict.waiver.reason}", lines_of([finding]))
    elif not verdict.kept and account.fails(finding):
        tell(case, "failure", kind, verdict.message, lines_of([finding]))
    else:
        ElementTree.SubElement(case, "system-out").text = xml_text(verdict.message if verdict.kept else str(finding))
    return case


def rule_case(account: Account, findings: list[Finding]) -> ElementTree.Element:
    """Tell what one rule found."""
    first = findings[0]
    case = case_of("table", f"{first.rule} {first.name}")
    failing = [finding for finding in findings if account.fails(finding)]
    if failing:
        tell(case, "failure", first.rule, failing[0].message, lines_of(findings))
    else:
        ElementTree.SubElement(case, "system-out").text = xml_text(lines_of(findings))
    return case


def case_of(classname: str, name: str) -> ElementTree.Element:
    """Make a test case."""
    return ElementTree.Element("testcase", classname=xml_text(classname), name=xml_text(name))


def tell(case: ElementTree.Element, tag: str, kind: str, message: str, text: str) -> None:
    """Put a failure, or what is skipped, into a test case."""
    told = ElementTree.SubElement(case, tag, type=xml_text(kind), message=xml_text(message))
    told.text = xml_text(text)


def lines_of(findings: list[Finding]) -> str:
    """Write findings, a line each, with their remedies."""
    return "\n".join(str(finding) + (f"; {finding.remedy}" if finding.remedy else "") for finding in findings)


def xml_text(text: str) -> str:
    r"""Write characters that XML cannot hold as code points.

    >>> print(xml_text("a" + chr(7)))
    a\x07
    """
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
