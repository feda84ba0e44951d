"""Findings on the screen: one line each, the hint of a rule after its findings, long names by place."""

from __future__ import annotations

from massprops_cli.findings.finding import Place, rule_finding
from massprops_cli.reports.page.findings import full_finding_blocks, grouped_finding_blocks
from massprops_cli.reports.page.page import UNICODE, plain_text


def not_numbers(count):
    return [
        rule_finding("MP205", f"mass of P.{k} is not a number", Place("bom.csv", line=k, position=3), value="x")
        for k in range(1, count + 1)
    ]


def test_hint_is_once_after_the_findings_of_its_rule():
    lines = plain_text([*full_finding_blocks(not_numbers(2))], None, UNICODE).splitlines()
    assert lines[:2] == [f"bom.csv:{k}:3  error MP205  mass of P.{k} is not a number: 'x'" for k in (1, 2)]
    assert [line.startswith("  hint: ") for line in lines] == [False, False, True]


def test_each_hint_follows_the_findings_that_it_applies_to():
    first, second, third = not_numbers(3)
    other = rule_finding("MP205", "unit of P.9 is unknown", Place("bom.csv", line=9), remedy="write kg")
    text = plain_text([*full_finding_blocks([first, other, second, third])], None, UNICODE)
    kinds = ["hint" if line.startswith("  hint") else line.split()[0] for line in text.splitlines()]
    assert kinds == ["bom.csv:9", "hint", "bom.csv:1:3", "bom.csv:2:3", "bom.csv:3:3", "hint"]


def test_folded_findings_are_counted():
    text = plain_text([*grouped_finding_blocks(not_numbers(5))], None, UNICODE)
    assert [line.partition(":")[0].strip() for line in text.splitlines()] == ["bom.csv", "hint", "4 more findings"]
    assert "'x' (and 4 more)\n" in text


def test_a_rule_with_two_hints_has_one_entry_for_each():
    other = [rule_finding("MP205", f"unit of P.{k} is unknown", remedy="write kg") for k in range(60)]
    lines = plain_text([*grouped_finding_blocks([*not_numbers(60), *other])], None, UNICODE).splitlines()
    assert [line.endswith("(and 59 more)") for line in lines] == [True, False, True, False, False]
    assert lines[-1] == "118 more findings: -v"


def test_warnings_have_no_more_lines_than_the_result_above_them():
    errors, warnings = not_numbers(1), [rule_finding("MP402", f"mass of {k} is 0") for k in range(9)]
    warnings += [rule_finding(rule, "of one kind") for rule in ("MP411", "MP412", "MP413", "MP421", "MP422", "MP503")]
    for below in (12, 20, 40):
        text = plain_text(grouped_finding_blocks([*warnings, *errors], below), None, UNICODE)
        assert " error MP205" in text
        assert len(text.splitlines()) <= below + 1
    # seven rules of two lines, of which six fit; MP402 has eight more
    assert "9 more findings" in plain_text(grouped_finding_blocks(warnings, 12), None, UNICODE)


def test_long_values_are_cut_and_unprintable_characters_are_escaped():
    long = rule_finding("MP205", "mass of P.1 is not a number", value="1O" * 100)
    bell = rule_finding("MP205", f"mass of P{chr(7)} is not a number", value=f"1{chr(0x200B)}")
    text = plain_text([*full_finding_blocks([long, bell])], None, UNICODE)
    assert f": '{'1O' * 40}…' (200 characters)\n" in text
    assert "error MP205  mass of P\\x07 is not a number: '1\\u200b'\n" in text


def test_place_without_a_file_leaves_no_blanks():
    text = plain_text([*full_finding_blocks([rule_finding("MP302", "the id is empty")])], None, UNICODE)
    assert text.startswith("error MP302  the id is empty\n")


def test_commands_name_long_columns_by_place(tmp_path, massprops):
    header = "W" * 120
    (tmp_path / "bom.csv").write_text(f"name,{header} mass,{header} weight\nA,2,1\nB,3,1\nC,4,5\n")
    result = massprops("rollup", tmp_path / "bom.csv")
    assert "--map mass=col:2" in result.output
    assert header not in result.output
