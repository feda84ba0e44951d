"""Pipe tables of Markdown: which, and what their cells hold."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from massprops_cli.files.json_records import _line_cells, _pipe_tables

LOADING = """# Loading

As weighed on 3 May.

| Item | Weight (lb) | Arm (in) |
|---|---:|---:|
| Empty weight | 1100 | 80 |
| Crew | 180 | 85 |
| Reserve tank | 36 | 90 |
| Burned before start | -6 | 90 |
| **Total** | **1310** | **80.9** |

Signed: X
"""
OTHER = "| Rev | Date |\n|---|---|\n| A | 3 May |\n\n"
Run = Callable[..., Result]


def written(folder: Path, text: str, name: str = "loading.md") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def mass_of(result: Result) -> float:
    import json

    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    return float(next(item["mass"] for item in report["items"] if item["id"] == report["root"]))


@pytest.mark.parametrize(
    "text",
    [
        LOADING,
        LOADING.replace("|---|---:|---:|", "| :--- | ---: | :---: |"),
        LOADING.replace("| ", "|").replace(" |", "|"),
        LOADING.replace("**Total**", "__Total__").replace("**1310**", "*1310*"),
        LOADING.replace("| Crew |", "| `Crew` |"),
        OTHER + LOADING,
        LOADING + "\n" + OTHER,
        LOADING.replace("\n", "\r\n"),
    ],
)
def test_a_pipe_table_is_read_as_it_is_written(text: str, tmp_path: Path, massprops: Run) -> None:
    path = written(tmp_path, text)
    assert mass_of(massprops("rollup", path, "--allow-negative-mass", "--format", "json")) == 1310


def test_a_table_without_bars_at_its_ends_is_read(tmp_path: Path, massprops: Run) -> None:
    path = written(tmp_path, "Part | Mass [kg]\n--- | ---\nFrame | 12\nWheel \\| left | 3\n")
    result = massprops("rollup", path, "--format", "json")
    assert mass_of(result) == 15
    assert "Wheel | left" in result.stdout


def test_markdown_comes_from_standard_input_and_from_a_packed_file(tmp_path: Path, massprops: Run) -> None:
    options = ("--allow-negative-mass", "--format", "json")
    piped = massprops("validate", "-", "--from", "md", *options, stdin=LOADING.encode())
    assert piped.exit_code == 0, piped.output
    packed = tmp_path / "loading.md.gz"
    packed.write_bytes(gzip.compress(LOADING.encode()))
    assert mass_of(massprops("rollup", packed, *options)) == 1310


def test_two_tables_that_both_fit_are_a_question_whose_options_work(tmp_path: Path, massprops: Run) -> None:
    head = "| Part | Mass [kg] |\n|---|---|\n"
    text = f"{head}| A | 1 |\n| B | 2 |\n\nText.\n\n{head}| C | 5 |\n| D | 6 |\n"
    path = written(tmp_path, text)
    result = massprops("rollup", path)
    assert result.exit_code == 2
    assert "MP242" in result.output
    assert mass_of(massprops("rollup", path, "--table", "1", "--format", "json")) == 3
    assert mass_of(massprops("rollup", path, "--table", "2", "--format", "json")) == 11


def test_the_result_is_csv_unless_markdown_is_requested(tmp_path: Path, massprops: Run) -> None:
    path = written(tmp_path, LOADING)
    result = massprops("rollup", path, "--allow-negative-mass", "-v")
    assert result.exit_code == 0, result.output
    assert "MP123" in result.output
    assert (
        (tmp_path / "loading.md.rollup.csv").read_text().startswith("Item,Weight (lb),Arm (in)\nEmpty weight,1100,80\n")
    )
    assert path.read_text() == LOADING
    out = tmp_path / "out.md"
    result = massprops("rollup", path, "--allow-negative-mass", "-o", out)
    assert result.exit_code == 0, result.output
    assert out.read_text().splitlines()[2] == "| Empty weight | 1100 | 80 |"
    assert mass_of(massprops("rollup", out, "--allow-negative-mass", "--format", "json")) == 1310


def test_a_text_without_a_table_and_an_edit_in_place_are_rejected(tmp_path: Path, massprops: Run) -> None:
    result = massprops("rollup", written(tmp_path, "# Nothing\n\nNo table.\n"))
    assert result.exit_code == 2
    assert "no pipe table" in result.output
    result = massprops("rollup", written(tmp_path, LOADING), "--in-place", "--allow-negative-mass")
    assert result.exit_code == 2
    assert "format cannot be edited in place: md" in result.output
    assert "Traceback" not in result.output


def test_a_header_has_as_many_cells_as_its_rule_or_as_the_row_below_it() -> None:
    for rule in ("|---|", "|---|---|---|"):
        assert [rows for rows, _ in _pipe_tables(["| a | b |", rule, "| 1 | 2 |"])] == [[["a", "b"], ["1", "2"]]]
    assert [rows for rows, _ in _pipe_tables(["|| a | b |", "|---|---|", "| 1 | 2 |"])] == [[["a", "b"], ["1", "2"]]]
    assert _pipe_tables(["| a | b |", "|---|", "| 1 |"]) == []
    assert _pipe_tables(["a | b", "---", "c | d"]) == []  # a heading of a text
    assert [lines for _, lines in _pipe_tables(["x", "| a | b |", "|---|---|", "| 1 |", "y"])] == [[2, 4]]
    assert _line_cells("| a_b_c | `x` |") == ["a_b_c", "x"]


README = """# Quad

Weights from the kitchen scale.

# | Part | Mass<br>[g] | Qty | Shop
:-: | --- | ---: | ---: | :---
1 | **[Motor 2207](https://example.org/m_(2))** | **31.5 g** | 4 | [buy](https://example.org)
2 | Frame[^1] | 120 | 1 | [![shop](a.png)](https://example.org)
3 | `ESC` 30&nbsp;A ![photo](esc.png) | <b>12</b> | 1 |
| | **Total** | **258** | |

## License

| Option | Meaning |
|---|---|
| MIT | a licence |
"""


def test_a_readme_with_links_code_tags_and_pictures_is_read(tmp_path: Path, massprops: Run) -> None:
    import json

    result = massprops("rollup", written(tmp_path, README, "README.md"), "--format", "json")
    assert mass_of(result) == 4 * 31.5 + 120 + 12
    items = {item["id"]: item.get("mass") for item in json.loads(result.stdout)["items"]}
    assert {"Motor 2207", "Frame", "ESC 30\N{NO-BREAK SPACE}A"} <= set(items)


def test_an_estimate_of_a_readme_is_read_with_a_warning(tmp_path: Path, massprops: Run) -> None:
    path = written(tmp_path, README.replace("| 120 |", "| ~120 |"), "README.md")
    assert "MP232" in massprops("rollup", path, "--format", "concise").output
    assert mass_of(massprops("rollup", path, "--format", "json")) == 258


def test_a_table_in_a_block_quote_is_read(tmp_path: Path, massprops: Run) -> None:
    text = "> # Masses\n>\n> | Part | g |\n> |---|---|\n> | A | 1.5 |\n> | B | 2 |\n>\n> measured > calculated\n"
    assert mass_of(massprops("rollup", written(tmp_path, text, "q.md"), "--format", "json")) == 3.5
