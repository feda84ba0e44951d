"""Accounts to write reports of: findings of a text file and of a workbook, limits kept, broken and waived."""

from __future__ import annotations

from datetime import date

from massprops_cli.budgets.model import Verdict, Waiver
from massprops_cli.findings.finding import Place, Severity, rule_finding
from massprops_cli.reports.formats.report_data import ReportData

NASTY = 'a"b\\c\n::error::d % ##[error] <&>,\x07é | @all'
"""What would break out of each format, did nothing hold it."""

BUDGET = Place("budget.toml", line=3)
FINDINGS = [
    rule_finding("MP305", "parent of b is not the id of any row: nowhere", Place("bom.csv", line=4), item="b"),
    rule_finding("MP219", "read as one piece of that size: x", Place("bom.csv", line=9), item="x"),
    rule_finding("MP205", NASTY, Place("bom.csv", line=5, position=3), item=NASTY, value=NASTY),
]


def limit(item: str, value: float | None, **more: object) -> Verdict:
    """A limit of 100 kg."""
    margin = None if value is None else 100.0 - value
    reported = f"{item}: mass {value} kg, limit 100 kg"
    given = {"severity": Severity.ERROR, "place": BUDGET, "item_place": Place("bom.csv", line=7)} | more
    kept = value is not None and value <= 100.0
    return Verdict(
        "MP601", item, "", "mass-max", "mass <= 100 kg (predicted)", value, 100.0, "kg", margin, kept, reported, **given
    )


WAIVER = Waiver("MP601", "TANK", "until the composite tank is in", date(2027, 3, 31))
VERDICTS = [
    limit("KEPT", 90.0),
    limit("OVER", 101.0),
    limit("FAR_OVER", 150.0),
    limit("TANK", 100.4, waiver=WAIVER),
    limit("SOFT", 120.0, severity=Severity.WARNING),
    limit("UNKNOWN", None),
    limit(NASTY, 130.0, item_place=Place("bom.xlsx", sheet="Parts", row=7, cell="C7")),
]
ALL = ReportData("bom.csv", FINDINGS, VERDICTS)
NOTHING = ReportData("bom.csv", [])
MANY = ReportData("bom.csv", [], [limit(f"P{k:03}", 101.0 + k) for k in range(25)])
