"""Small tables written as text, for the tests of the bill of materials."""

from __future__ import annotations

from typing import Any

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import Finding

HEADER = "id parent mass Cx Cy Cz Ixx Iyy Izz Ixy Ixz Iyz POIconv Ipoint"


def bom_of(header: str, *rows: str, **options: Any) -> Bom:
    """Read a table whose cells are parted by blanks; a dot alone is a blank cell."""
    names = header.split()
    records = [dict(zip(names, (None if c == "." else c for c in row.split()), strict=True)) for row in rows]
    return Bom.from_records(records, **options)


def reported(findings: tuple[Finding, ...] | list[Finding], rule: str) -> list[Finding]:
    """Give the findings of one rule."""
    return [finding for finding in findings if finding.rule == rule]


def only(findings: tuple[Finding, ...] | list[Finding], rule: str) -> Finding:
    """Give the one finding of a rule."""
    (finding,) = reported(findings, rule)
    return finding
