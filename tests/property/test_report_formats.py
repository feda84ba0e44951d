"""Whatever characters ids, cells and file names hold, every report for machines stays one that machines can read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given, strategies as st
from lxml import etree

from massprops_cli.budgets.model import Verdict
from massprops_cli.findings.finding import Place, Severity, rule_finding
from massprops_cli.reports.formats.comment import comment_text
from massprops_cli.reports.formats.github import github_text
from massprops_cli.reports.formats.gitlab import gitlab_text
from massprops_cli.reports.formats.junit import junit_text
from massprops_cli.reports.formats.openmetrics import openmetrics_text
from massprops_cli.reports.formats.report_data import ReportData, entry_fingerprints
from massprops_cli.reports.formats.sarif import sarif_text

SCHEMAS = Path(__file__).parents[1] / "schemas"
JUNIT = etree.XMLSchema(etree.parse(str(SCHEMAS / "junit-10.xsd")))

# what has a meaning in one of the formats comes up often; a lone surrogate is what a file name may hold
texts = st.text(
    st.sampled_from('a:%,=\r\n"\\<>&]#[|`@{}\x07\x85\u2028é\udcff\U0001f680') | st.characters(), max_size=12
)
names = texts.filter(bool)
places = st.builds(Place, texts, texts, st.none() | st.integers(1, 99), line=st.none() | st.integers(1, 99))
findings = st.builds(
    lambda message, place, item: rule_finding("MP205", message, place, item=item), texts, places, texts
)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    value = draw(st.none() | st.floats(-1e6, 1e6))
    margin = None if value is None else 100.0 - value
    kept = margin is not None and margin >= 0
    reported = {"severity": draw(st.sampled_from(Severity)), "place": draw(places), "item_place": draw(places)}
    item, name, requested, unit, message = draw(names), draw(texts), draw(texts), draw(texts), draw(texts)
    return Verdict("MP601", item, name, "mass-max", requested, value, 100.0, unit, margin, kept, message, **reported)


accounts = st.builds(ReportData, names, st.lists(findings, max_size=3), st.lists(verdicts(), max_size=3))


@given(accounts)
def test_junit(account: ReportData) -> None:
    JUNIT.assertValid(etree.fromstring(junit_text(account).encode("ascii")))


@given(accounts)
def test_sarif(account: ReportData) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema needs jsonschema, the extra test")
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    log = json.loads(sarif_text(account))
    assert list(jsonschema.Draft4Validator(schema).iter_errors(log)) == []
    for result in log["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert not re.search(r"[\s\"<>\\^`{|}]", uri)
        assert unquote(uri) is not None


@given(accounts)
def test_github(account: ReportData) -> None:
    lines = re.split(r"\r\n|\r|\n", github_text(account))  # as a runner reads them
    assert lines.pop() == ""
    assert len(lines) == len(account.entries)
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) file=[^:,]*(,line=\d+)?,title=[^:,]+::.*", line, re.DOTALL)


@given(accounts)
def test_gitlab(account: ReportData) -> None:
    issues = json.loads(gitlab_text(account))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(account.entries)


@given(accounts)
def test_openmetrics(account: ReportData) -> None:
    label = r'[a-z]+="(?:[^"\\\n]|\\["\\n])*"'
    *lines, mark, end = openmetrics_text(account).split("\n")
    assert (mark, end) == ("# EOF", "")
    assert all(re.fullmatch(rf"# .*|[a-z_]+\{{{label}(,{label})*\}} -?[0-9.e+-]+", line, re.DOTALL) for line in lines)


@example(ReportData("\n@", [], []))
@given(accounts)
def test_comment(account: ReportData) -> None:
    lines = comment_text(account).split("\n")
    assert "@" not in "".join(lines[1:])
    assert all(line.count("|") - line.count("\\|") in (5, 6) for line in lines[1:] if line.startswith("|"))


@given(accounts)
def test_equal_accounts_give_equal_fingerprints(account: ReportData) -> None:
    entries = account.entries
    assert list(entry_fingerprints(entries, account.source)) == list(entry_fingerprints(entries, account.source))
