"""Words for blank: which they are, and what becomes of the cells that hold them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import massprops_cli
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.tables.cells.number_text import is_placeholder
from tests.unit.bom_tables import bom_of, only, reported

WORDS = Path(massprops_cli.__file__).parent / "tables" / "words" / "blanks.toml"


@pytest.mark.parametrize(
    "text",
    [
        "No value",
        "- None -",
        "N/A",
        "NA",
        "n/a",
        "TBD",
        "tbc",
        "-",
        "--",
        "—",
        "–",
        "none",
        "nil",
        "?",
        "\u00a0TBD ",
        "#N/A",
        "nan",
        "NaN",
        "NULL",
        "\\N",
    ],
)
def test_words_for_blank(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["", "0", "x", "#REF!", "nanny", "none of it", "TBD 3", "-1", "+", "- (3)", "<N>"])
def test_what_is_not_a_word_for_blank(text: str) -> None:
    assert not is_placeholder(text)


def test_each_word_has_a_source() -> None:
    for entry in tomllib.loads(WORDS.read_text("utf-8"))["word"]:
        assert set(entry) == {"texts", "source"}
        assert entry["texts"]
        assert len(entry["source"]) > 10


def test_on_an_assembly_a_word_is_a_blank_and_reported_once_a_table() -> None:
    bom = bom_of("id parent mass Cx Cy Cz", "t . TBD - - -", "u t n/a . . .", "a u 3 1 0 0", "b t 1 0 0 0")
    finding = only(bom.findings, "MP229")
    columns = finding.message.split("; ")
    assert columns[0] == "mass has 2 cells with placeholder text, read as missing: TBD, n/a (t, u)"
    assert (finding.severity.value, finding.count, finding.place.row, finding.item) == ("note", 5, 2, "t")
    assert [text.split()[0] for text in columns] == ["mass", "Cx", "Cy", "Cz"]
    assert massprops_cli.rollup(bom).root.mass == 4.0


def test_on_a_leaf_a_word_is_missing_never_zero() -> None:
    bom = bom_of("id parent mass", "t . .", "a t TBD", "b t 1")
    assert only(bom.findings, "MP206").message == "mass of a is missing"
    only(bom.findings, "MP229")


def test_a_word_is_not_a_quantity() -> None:
    finding = only(bom_of("id parent mass qty", "t . . 1", "a t 1 TBD").findings, "MP205")
    assert finding.item == "a"
    assert "clear the cell" in finding.remedy


def test_ids_and_parents_are_text_whatever_they_state() -> None:
    bom = Bom.from_records([{"id": "NA", "mass": None}, {"id": "-", "parent": "NA", "mass": 2}])
    assert list(bom.ids) == ["NA", "-"]
    assert not reported(bom.findings, "MP229")


@pytest.mark.parametrize("mark", ["-", "--", "–", "—", "N/A", "na"])
def test_mark_of_an_empty_cell_is_a_quantity_of_one(mark: str) -> None:
    """1 × 2 + 3 × 4."""
    bom = bom_of("id parent qty mass", "t . . .", f"a t {mark} 2", "b t 3 4")
    assert rollup(bom).root.mass == 14
    assert [f.rule for f in bom.findings] == ["MP229", "MP216"]
    assert f"read as missing: {mark} (a)" in bom.findings[0].message


@pytest.mark.parametrize("word", ["TBC", "nil", "?"])
def test_word_for_an_unknown_quantity_is_an_error(word: str) -> None:
    assert only(bom_of("id parent qty mass", "t . . .", f"a t {word} 2").findings, "MP205").value == word
