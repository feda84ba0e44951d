"""SARIF, held to the schema of OASIS."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from format_accounts import ALL, MANY, NASTY, NOTHING

from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Place, rule_finding
from massprops_cli.reports.formats.report_data import ReportData
from massprops_cli.reports.formats.sarif import _SCHEMA as URI, sarif_text

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def run_of(account: ReportData) -> dict[str, Any]:
    (run,) = json.loads(sarif_text(account))["runs"]
    return run


@pytest.mark.parametrize("account", [ALL, NOTHING, MANY, replace(ALL, source=NASTY)])
def test_schema(account: ReportData) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema needs jsonschema, the extra test")
    checker = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert list(checker.iter_errors(json.loads(sarif_text(account)))) == []
    assert list(checker.iter_errors({"version": "2.1.0"}))


def test_schema_is_the_one_named() -> None:
    assert SCHEMA["id"] == URI == json.loads(sarif_text(NOTHING))["$schema"]


def test_every_rule_can_be_reported() -> None:
    findings = [rule_finding(code, "m", Place("bom.csv")) for code in RULES]
    rules = run_of(ReportData("bom.csv", findings))["tool"]["driver"]["rules"]
    assert sorted((rule["id"], rule["defaultConfiguration"]["level"]) for rule in rules) == sorted(
        (rule.code, rule.severity) for rule in RULES.values()
    )


def test_results_point_at_their_rules() -> None:
    run = run_of(ALL)
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(ALL.findings) + sum(not verdict.kept for verdict in ALL.verdicts)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_line_and_cell() -> None:
    text = Place("parts/my bom.csv", line=7, position=2)
    cell = Place("bom.xlsx", sheet="Parts", row=7, cell="C7")
    first, second = run_of(ReportData("x", [rule_finding("MP205", "m", text), rule_finding("MP205", "m", cell)]))[
        "results"
    ]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "parts/my%20bom.csv"},
        "region": {"startLine": 7},
    }
    assert second["locations"][0] == {
        "physicalLocation": {"artifactLocation": {"uri": "bom.xlsx"}},
        "logicalLocations": [{"fullyQualifiedName": "Parts!C7", "kind": "cell"}],
    }


def test_waived_is_suppressed_with_its_reason() -> None:
    suppressed = [result for result in run_of(ALL)["results"] if "suppressions" in result]
    assert [result["suppressions"][0]["justification"] for result in suppressed] == ["until the composite tank is in"]
    assert suppressed[0]["level"] == "note"
