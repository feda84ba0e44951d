"""What GitHub, GitLab and OpenMetrics read, and the comment under a change."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from format_accounts import ALL, MANY, NASTY, NOTHING, limit

import massprops_cli as mp
from massprops_cli.findings.finding import Place, rule_finding
from massprops_cli.reports.formats.comment import _MAX_COMMENT_LENGTH, comment_text
from massprops_cli.reports.formats.github import github_text
from massprops_cli.reports.formats.gitlab import gitlab_text
from massprops_cli.reports.formats.openmetrics import openmetrics_text
from massprops_cli.reports.formats.report_data import ReportData, entry_fingerprints


def unescaped(text: str) -> str:
    """What a runner makes of a command's message, by GitHub's own table."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def test_github_is_worst_first() -> None:
    lines = github_text(ALL).splitlines()
    kinds = [re.match(r"::(\w+) ", line)[1] for line in lines]
    assert kinds == sorted(kinds, key=("error", "warning", "notice").index)
    # not known at all, then by the excess over 100 kg: 50 %, 30 %, 1 %; then what is no limit
    order = [next(name for name in ("UNKNOWN", "FAR_OVER", "OVER", "130", "MP") if name in line) for line in lines[:6]]
    assert order == ["UNKNOWN", "FAR_OVER", "130", "OVER", "MP", "MP"]


def test_github_holds_any_text() -> None:
    lines = github_text(ALL).splitlines()
    assert all(
        re.fullmatch(r"::(error|warning|notice) file=[^:,]+(,line=\d+)?,title=[^:,]+::.*", line) for line in lines
    )
    (line,) = (line for line in lines if "MP205" in line)
    assert " ".join(NASTY.split()) in unescaped(line)


def test_github_points_into_the_budget_where_the_table_has_no_lines() -> None:
    (line,) = (line for line in github_text(ALL).splitlines() if "Parts!C7" in line)
    assert line.startswith("::error file=budget.toml,line=3,")


def test_standard_input_is_not_a_file_to_point_at() -> None:
    account = ReportData("-", [], [limit("OVER", 101.0, item_place=Place("-", line=7))])
    assert github_text(account).startswith("::error file=budget.toml,line=3,")
    [entry] = json.loads(gitlab_text(account))
    assert entry["location"] == {"path": "budget.toml", "lines": {"begin": 3}}


def test_github_states_what_a_step_does_not_show() -> None:
    lines = github_text(MANY).splitlines()
    assert len([line for line in lines if line.startswith("::error ")]) == 10
    assert lines[10] == "15 further errors without annotation:"
    assert len(lines) == 26
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in lines[10:])
    assert "P024" in lines[0]  # 25 kg over


def test_github_is_silent_where_nothing_is_found() -> None:
    assert github_text(NOTHING) == ""


def test_gitlab_has_what_is_required() -> None:
    issues = json.loads(gitlab_text(ALL))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 9
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith("./")


def prints(*values: float, line: int = 7) -> list[str]:
    place = Place("./bom.csv", line=line)
    return list(entry_fingerprints(ReportData("", [], [limit("SAT", v, item_place=place) for v in values]).entries, ""))


def test_fingerprints_are_stable() -> None:
    assert prints(101.0) == prints(130.0) == prints(101.0, line=90)
    assert len(set(prints(101.0, 102.0))) == 2
    assert prints(101.0, 102.0)[0] == prints(101.0)[0]


SERIES = re.compile(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (-?[0-9.e+-]+)')


def series(text: str) -> dict[tuple[str, str], float]:
    """Read OpenMetrics text by its grammar; rejects anything else."""
    assert text.endswith("# EOF\n")
    read: dict[tuple[str, str], float] = {}
    named: list[str] = []
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            named.append(line.split()[2])
        if line.startswith("#"):
            assert line.split()[2] == named[-1]
            continue
        match = SERIES.fullmatch(line)
        assert match, line
        assert match[1] == named[-1]
        assert (match[1], match[2]) not in read
        read[match[1], match[2]] = float(match[3])
    assert len(set(named)) == len(named)
    return read


@pytest.mark.parametrize("account", [ALL, NOTHING, MANY, replace(ALL, source=NASTY)])
def test_openmetrics_grammar(account: ReportData) -> None:
    assert series(openmetrics_text(account))


@pytest.mark.parametrize("account", [ALL, NOTHING, MANY, replace(ALL, source=NASTY)])
def test_openmetrics_is_read_by_prometheus(account: ReportData) -> None:
    parser = pytest.importorskip(
        "prometheus_client.openmetrics.parser", reason="needs prometheus-client, the extra test"
    )
    text = openmetrics_text(account)
    families = list(parser.text_string_to_metric_families(text))
    samples = [sample for family in families for sample in family.samples]
    assert len(samples) == len(series(text))
    # no line has a command to a host of code, which the format cannot escape otherwise
    assert {sample.labels["file"] for sample in samples} == {account.source.replace("##[", "# #[")}
    assert {sample.labels["item"] for sample in samples if "item" in sample.labels} == {
        v.item.replace("##[", "# #[") for v in account.verdicts
    }


def test_openmetrics_limits() -> None:
    read = series(openmetrics_text(ReportData("b.csv", [], [limit("SAT", 101.0)])))
    label = 'file="b.csv",item="SAT",limit="mass-max",requested="mass <= 100 kg (predicted)"'
    assert read["massprops_limit_kept", label] == 0
    assert read["massprops_limit_margin", label + ',unit="kg"'] == -1
    assert read["massprops_findings", 'file="b.csv",severity="error"'] == 1


def test_openmetrics_is_in_base_units() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [g]": 250.0, "Cx [mm]": 40.0}]
    filled = [{"mass [g]": "", "Cx [mm]": "", "Cy [mm]": "", "Cz [mm]": "", **row} for row in rows]
    filled[1] |= {"Cy [mm]": 0.0, "Cz [mm]": 0.0}
    read = series(openmetrics_text(ReportData("b.csv", [], result=mp.rollup(mp.Bom.from_records(filled)))))
    assert read["massprops_mass_kilograms", 'file="b.csv",item="top",basis="basic"'] == pytest.approx(0.25)
    assert read["massprops_center_meters", 'file="b.csv",item="top",basis="basic",axis="x"'] == pytest.approx(0.04)


def test_openmetrics_without_stated_units_names_none() -> None:
    rows = [{"id": "top", "parent": "", "mass": ""}, {"id": "a", "parent": "top", "mass": 3.0}]
    read = series(openmetrics_text(ReportData("b.csv", [], result=mp.rollup(mp.Bom.from_records(rows)))))
    assert read["massprops_mass", 'file="b.csv",item="top",basis="basic"'] == 3


def test_comment() -> None:
    text = comment_text(ALL)
    assert text.startswith("### ✘ `bom.csv`: 1 of 7 limits kept, 6 errors, 1 warning")
    assert "#### Not kept" in text
    assert "waived: until the composite tank is in" in text
    assert "@" not in text
    assert {line.count(" | ") for line in text.splitlines() if line.startswith("| OVER")} == {4}


def test_comment_ends_in_time() -> None:
    many = ReportData("bom.csv", [rule_finding("MP205", "m" * 200, Place("bom.csv", line=k)) for k in range(5000)])
    text = comment_text(many)
    assert len(text) < _MAX_COMMENT_LENGTH + 200
    assert re.search(r"^4,\d{3} further rows not shown\.$", text, re.MULTILINE)


def test_openmetrics_reports_what_is_predicted() -> None:
    parts = [{"id": "a", "parent": "top", "mass [kg]": 2.0, "mga [%]": 50}]
    parts += [{"id": "b", "parent": "top", "mass [kg]": 3.0, "mga [%]": 10}]
    result = mp.rollup(mp.Bom.from_records([{"id": "top", "parent": "", "mass [kg]": "", "mga [%]": ""}, *parts]))
    read = series(openmetrics_text(ReportData("b.csv", [], result=result)))
    assert read["massprops_mass_kilograms", 'file="b.csv",item="top",basis="basic"'] == 5
    predicted = read["massprops_mass_kilograms", 'file="b.csv",item="top",basis="predicted"']
    assert predicted == pytest.approx(2 * 1.5 + 3 * 1.1)


def test_openmetrics_leaves_out_what_is_known_in_part() -> None:
    parts = [{"id": "a", "parent": "top", "mass [kg]": 2.0}, {"id": "b", "parent": "top", "mass [kg]": ""}]
    bom = mp.Bom.from_records([{"id": "top", "parent": "", "mass [kg]": ""}, *parts], allow_missing="mass")
    read = series(openmetrics_text(ReportData("b.csv", [], result=mp.rollup(bom))))
    assert not any(name.startswith("massprops_mass") for name, _ in read)
