"""Budget files: every key, every rejection with its line."""

from __future__ import annotations

from datetime import date
from math import inf
from pathlib import Path

import pytest

from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.model import Budget, LimitMeasure, Selector
from massprops_cli.findings.finding import ConfigError, Severity

ISSUE = """\
# a comment
[[budget]]
item = "SAT"
mass-max = "850 kg"
basis = "predicted"
margin-min = "5 %"
center-x = ["-5 mm", "5 mm"]
Ixx = ["100 kg m2", "140 kg m2"]
coverage-min = "95 %"
probability-min = 0.95
severity = "error"

[[budget]]
item = { column = "subsystem", value = "Power" }
center-envelope = [
    ["x", "mass"],
    ["2.0 m", "900 kg"],
    ["2.4 m", "900 kg"],
    ["2.4 m", "1.2 t"],
]
severity = "note"

[[waive]]
rule = "MP601"
item = "TANK"
reason = "over by 0.4 kg until the composite tank is in"
expires = 2027-03-31
"""

MASS = 'mass-max = "1 kg"'
BOW = '["8 m", "1 t"], ["8 m", "0 kg"], ["0 m", "1000 kg"]'
LINE = '["0 m", "0 kg"], ["4 m", "0.5 t"], ["8 m", "1000 kg"]'


def read(folder: Path, text: str) -> Budget:
    path = folder / "budget.toml"
    path.write_text(text, encoding="utf-8")
    return read_budget(str(path))


def rejected(folder: Path, *lines: str) -> str:
    with pytest.raises(ConfigError) as rejection:
        read(folder, "\n".join(["[[budget]]", *lines]))
    return str(rejection.value).removeprefix(str(folder / "budget.toml"))


def test_file_of_the_issue(tmp_path: Path) -> None:
    budget = read(tmp_path, ISSUE)
    first, second = budget.entries
    assert first.selector == Selector("SAT")
    assert [limit.subject for limit in first.limits] == [
        "mass-max", "margin-min", "center-x", "Ixx", "coverage-min", "probability-min",
    ]  # fmt: skip
    assert [limit.place.line for limit in first.limits] == [4, 6, 7, 8, 9, 10]
    assert first.limits[2].low == LimitMeasure(-5.0, "mm")
    assert second.selector == Selector(column="subsystem", value="Power")
    assert second.severity is Severity.NOTE
    [envelope] = second.limits
    assert envelope.place.line == 15
    assert envelope.axis == "x"
    assert envelope.corners[2] == (LimitMeasure(2.4, "m"), LimitMeasure(1.2, "t"))
    [waiver] = budget.waivers
    assert (waiver.rule, waiver.item, waiver.expires, waiver.place.line) == ("MP601", "TANK", date(2027, 3, 31), 24)


def test_open_end_and_level(tmp_path: Path) -> None:
    [entry] = read(tmp_path, '[[budget]]\nitem = { level = 1 }\nIxy = ["*", "2 kg m2"]\n').entries
    assert entry.selector == Selector(level=1)
    assert entry.limits[0].low == LimitMeasure(-inf)


def test_maturity_with_and_without_a_share(tmp_path: Path) -> None:
    head = '[[budget]]\nitem = "A"\nmaturity-min = '
    text = f'{head}"weighed"\n{head}["calculated", "80 %"]\n'
    limits = [entry.limits[0] for entry in read(tmp_path, text).entries]
    assert [(limit.word, limit.low.number) for limit in limits] == [("weighed", 100.0), ("calculated", 80.0)]


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (['item = "A"', 'mass-mx = "1 kg"'], ":3: budget.mass-mx is not a known key; the nearest is mass-max [MP902"),
        (['item = "A"', "mass-max = 850"], ":3: budget.mass-max is not a number with a unit: 850 (expected a text"),
        (['item = "A"', 'mass-max = "850"'], ':3: budget.mass-max is not a number with a unit: "850" (expected a text'),
        (['item = "A"', 'mass-max = "850 mm"'], 'budget.mass-max has no unit of mass: "850 mm" (expected'),
        (
            ['item = "A"', 'mass-max = "850 ton"'],
            'budget.mass-max has an ambiguous unit: "850 ton" (ton is 907.18, 1000 or 1016.05 kg); write t for 1000 kg',
        ),
        (['item = "A"', 'coverage-min = "100.5 %"'], "above 0 and at most 100"),
        (['item = "A"', 'center-x = ["5 mm", "-5 mm"]'], "whose low end is above its high end"),
        (['item = "A"', 'center-x = ["5 mm", "0.1 in"]'], "whose low end is above its high end"),
        (['item = "A"', 'center-x = ["*", "*"]'], 'budget.center-x is not a range: ["*", "*"] (expected two ends'),
        (['item = "A"', 'mass-max = "1 kg"', "margin-min = 0.05"], ":4: budget.margin-min is not a percentage: 0.05"),
        (['item = "A"', 'margin-min = "5 %"'], "requires mass-max in the same entry"),
        (['item = "A"', 'coverage-min = "120 %"'], "above 0 and at most 100"),
        (['item = "A"', 'mass-max = "1 kg"', "probability-min = 95"], "between 0 and 1, such as 0.95"),
        (['item = "A"', 'mass-max = "1 kg"', "probability-min = 1.5"], "between 0 and 1, such as 0.95"),
        (['item = "A"', "probability-min = 0.9"], "has no limit (expected one of mass-max"),
        (['item = "A"', 'coverage-min = "5 %"', "probability-min = 0.9"], "requires a limit (one of mass-max"),
        (['item = "A"', 'maturity-min = "wheighed"'], "the nearest is weighed"),
        (
            ['item = "A"', 'center-envelope = [["1 m", "2 kg"]]'],
            'is not a polygon: [["1 m", "2 kg"]] (expected three or more corners',
        ),
        (['item = "A"', 'center-envelope = [["a", "mass"], ["1 m", "2 kg"]]'], 'has an unknown axis: "a"'),
        (
            ['item = "A"', f'center-envelope = [["0 m", "0 kg"], {BOW}]'],
            "is a polygon with crossing edges, after corners 1 and 3: ",
        ),
        (['item = "A"', f"center-envelope = [{LINE}]"], 'is a polygon without area: [["0 m"'),
        (['item = "A"'], "has no limit (expected one of mass-max"),
        (['mass-max = "1 kg"'], ":1: budget.item is missing (expected an id or a pattern"),
        (["item = { level = -1 }", 'mass-max = "1 kg"'], "budget.item is not valid: { level = -1 } (expected"),
        (["item = { level = true }", 'mass-max = "1 kg"'], "budget.item is not valid: { level = true } (expected"),
        (
            ['item = "A"', 'mass-max = "1 kg"', 'basis = "dry"'],
            'budget.basis is not valid: "dry" (expected predicted, basic, with-margin or with-pending)',
        ),
        (['item = "A"', MASS, "[[waive]]", 'rule = "MP601"', 'item = "A"'], ":4: waive.reason is missing"),
        (
            ['item = "A"', MASS, "[[waive]]", 'rule = "MP999"', 'item = "A"', 'reason = "so"'],
            ":5: waive.rule is not a rule that can be waived: MP999 (expected MP601 to MP609, MP413 or MP415)",
        ),
        (
            ['item = "A"', MASS, "[[waive]]", 'rule = "MP601"', 'item = "A"', 'reason = "so"', "expires = 3"],
            ":8: waive.expires is not valid: 3 (expected a day such as 2027-03-31)",
        ),
        (
            ['item = "A"', 'mass-max = "1 kg"', 'mass-min = "2 lb"', 'margin-basis = ""'],
            'budget.margin-basis is not valid: "" (expected predicted, basic, with-margin, with-pending or allocation)',
        ),
        (
            ['item = "A"', 'mass-max = "1 kg"', 'mass-min = "3 lb"'],
            ':4: budget.mass-min is above mass-max of the same entry: "3 lb"',
        ),
        (['item = "A"', 'mass-max = "1e308 t"'], 'budget.mass-max is too large: "1e308 t" (expected at most 1e+100)'),
        (
            ['item = "A"', MASS, 'margin-min = "1e308 %"'],
            'budget.margin-min is too large: "1e308 %" (expected at most 1e+100)',
        ),
        (['item = "A"', MASS, 'margin-min = "-100 %"'], 'is not a margin: "-100 %" (expected a percentage above -100)'),
        (['item = "A"', 'mass-max = "1 kg"', "[budgets]"], "budgets is not a known key; the nearest is budget"),
        (["item ="], ": file is not valid TOML: "),
    ],
)  # fmt: skip
def test_what_is_not_understood(lines: list[str], reported: str, tmp_path: Path) -> None:
    assert reported in rejected(tmp_path, *lines)


def test_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "budget.toml"
    path.write_bytes('[[budget]]\nitem = "Réservoir"\nmass-max = "1 kg"\n'.encode("cp1252"))
    with pytest.raises(ConfigError, match="file is not UTF-8 text; save it as UTF-8"):
        read_budget(str(path))
    path.write_bytes(path.read_bytes().decode("cp1252").replace("\n", "\r\n").encode("utf-8-sig"))
    assert read_budget(str(path)).entries[0].selector == Selector("Réservoir")


def test_no_budget_at_all(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"file has no \[\[budget\]\] entry"):
        read(tmp_path, "")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_budget(str(tmp_path / "none.toml"))
    with pytest.raises(ConfigError, match="write \\[\\[budget\\]\\]"):
        read(tmp_path, "[budget]\n")


def test_tables_that_others_read(tmp_path: Path) -> None:
    path = tmp_path / "massprops.toml"
    path.write_text('[units]\nmass = "kg"\n[[budget]]\nitem = "A"\nmass-max = "1 kg"\n')
    assert len(read_budget(str(path), within=()).entries) == 1


def test_entries_written_in_line_have_no_lines(tmp_path: Path) -> None:
    [entry] = read(tmp_path, 'budget = [{ item = "A", mass-max = "1 kg" }]\n').entries
    assert entry.place.line is None
