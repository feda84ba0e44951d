"""Which findings are told, and which make the exit code 1."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.cli.exits import DONE, FOUND
from massprops_cli.cli.options import Reporting, listed
from massprops_cli.findings import Finding, Severity, UsageError
from massprops_cli.findings.catalogue import RULES


def selected(findings: Sequence[Finding], reporting: Reporting) -> list[Finding]:
    """Keep the findings that ``--select`` names and ``--ignore`` does not; codes or blocks of them."""
    chosen, dropped = rules_of(reporting)
    kept = [finding for finding in findings if finding.rule in chosen and finding.rule not in dropped]
    if reporting.quiet:
        kept = [finding for finding in kept if finding.severity is Severity.ERROR]
    return kept


def rules_of(reporting: Reporting) -> tuple[set[str], set[str]]:
    """Give the rules selected and the rules ignored; a name that fits no rule is a wrong call."""
    chosen = expanded(listed(reporting.select)) if reporting.select else set(RULES)
    return chosen, expanded(listed(reporting.ignore))


def expanded(names: Sequence[str]) -> set[str]:
    """Turn codes, blocks (``MP4``) and rule names into codes.

    >>> sorted(expanded(["MP50", "duplicate-id"]))[:2]
    ['MP301', 'MP501']
    """
    rules: set[str] = set()
    for name in names:
        word = name.upper()
        fitting = {
            code
            for code, rule in RULES.items()
            if (word.startswith("MP") and code.startswith(word)) or rule.name == name
        }
        if not fitting:
            raise UsageError(f"{name} is not a rule, nor the start of one; see massprops rules [MP901 unknown-rule]")
        rules |= fitting
    return rules


def exit_code(findings: Sequence[Finding], reporting: Reporting) -> int:
    """Give 1 when a selected finding is as grave as ``--fail-on`` says, else 0."""
    limit = reporting.fail_on.value
    if limit == "never":
        return DONE
    chosen, dropped = rules_of(reporting)
    least = Severity(limit).rank
    grave = any(
        finding.severity.rank >= least and finding.rule in chosen and finding.rule not in dropped
        for finding in findings
    )
    return FOUND if grave else DONE
