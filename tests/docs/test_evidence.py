"""The page on evidence names rules that exist, and its counts can be reproduced."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.findings.catalogue import RULES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
COUNTS = {
    code: [int(number) for number in numbers.split(" | ")]
    for code, numbers in re.findall(r"^\| \[(MP\d+)\]\S+ \S+ \| ([\d |]+) \|$", PAGE, re.MULTILINE)
}


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("count_rules", ROOT / "benchmarks" / "count_rules.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_rule_of_the_page_is_in_the_catalogue_under_its_name() -> None:
    rows = re.findall(r"^\| \[(MP\d+)\]\(\S+\) ([\w-]+) \|", PAGE, re.MULTILINE)
    assert dict(rows) == {code: RULES[code].name for code, _ in rows}
    assert len({code for code, _ in rows}) == len(rows)
    assert "MP125" not in RULES


def test_no_count_is_above_the_number_of_files() -> None:
    files = [int(number) for number in re.findall(r"^\| (?:public|traps|lists) \| (\d+) \|", PAGE, re.MULTILINE)]
    assert len(files) == 3
    for code, counts in COUNTS.items():
        assert any(counts), code
        assert all(count <= number for count, number in zip(counts, files, strict=True)), code


def test_a_file_is_counted_with_the_command_that_is_proposed(script: Any, tmp_path: Path) -> None:
    """The error on the missing mass is resolved by the command; the rules of both runs are counted."""
    (tmp_path / "a.csv").write_text("id,parent,mass\ntop,,\na,top,2\nb,top,\n")
    number, counts = script.count_files(tmp_path)
    assert number == 1
    assert counts["MP206"] == 1
    assert counts["MP223"] == 1  # of the command with --allow-missing mass


@pytest.mark.slow
def test_counts_of_the_tables_with_traps(script: Any) -> None:
    number, counts = script.count_files(ROOT / "tests" / "tables" / "traps")
    assert f"| traps | {number} |" in PAGE
    assert {code: counts[code] for code in COUNTS} == {code: row[1] for code, row in COUNTS.items()}
