"""JUnit XML, held to the schema of Jenkins' xunit plugin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from format_accounts import ALL, MANY, NASTY, NOTHING
from lxml import etree

from massprops_cli.reports.formats.junit import junit_text
from massprops_cli.reports.formats.report_data import ReportData

SCHEMA = Path(__file__).parents[1] / "schemas" / "junit-10.xsd"


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(SCHEMA)))


def suites(account: ReportData) -> etree._Element:
    return etree.fromstring(junit_text(account).encode())


@pytest.mark.parametrize("account", [ALL, NOTHING, MANY, replace(ALL, source=NASTY)])
def test_schema(schema: etree.XMLSchema, account: ReportData) -> None:
    schema.assertValid(suites(account))


def test_the_schema_rejects_what_is_not_junit(schema: etree.XMLSchema) -> None:
    assert not schema.validate(etree.fromstring("<testsuites><testcase/></testsuites>"))


def test_counts_are_those_of_the_cases() -> None:
    root = suites(ALL)
    suite = root[0]
    cases = suite.findall("testcase")
    assert len(cases) == 1 + len(ALL.verdicts) + 3  # the table, the limits, the rules
    for element in (root, suite):
        assert int(element.get("tests")) == len(cases)
        assert int(element.get("failures")) == sum(case.find("failure") is not None for case in cases)
    assert int(suite.get("skipped")) == 1


def outcome(account: ReportData, item: str) -> list[str]:
    (case,) = suites(account).findall(f".//testcase[@classname='{item}']")
    return [child.tag for child in case]


@pytest.mark.parametrize(
    ("item", "tag"),
    [("KEPT", "system-out"), ("OVER", "failure"), ("TANK", "skipped"), ("SOFT", "system-out"), ("UNKNOWN", "failure")],
)
def test_limit(item: str, tag: str) -> None:
    assert outcome(ALL, item) == [tag]


def test_what_fails_follows_the_exit_code() -> None:
    assert outcome(replace(ALL, fail_on="warning"), "SOFT") == ["failure"]
    assert outcome(replace(ALL, fail_on="never"), "OVER") == ["system-out"]


def test_waiver_gives_its_reason() -> None:
    (skipped,) = suites(ALL).findall(".//skipped")
    assert skipped.get("message") == "waived: until the composite tank is in"


def test_is_ascii() -> None:
    assert junit_text(ALL).isascii()
