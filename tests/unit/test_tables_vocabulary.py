"""The vocabulary: the prebuilt table has the words of the files that people edit."""

from __future__ import annotations

import pytest

from docs.make_words import TABLES, words_text
from massprops_cli.tables.cells.number_text import number_fault, words


def test_words_of_a_subject() -> None:
    assert sorted(words("totals")) == ["adjacent", "both", "doubtful", "exact", "label", "overall"]


def test_the_prebuilt_table_is_current() -> None:
    assert (TABLES / "words.json").read_text("utf-8") == words_text(), "run make words"


@pytest.mark.parametrize("form", words("faults")["form"], ids=lambda form: form["example"])
def test_every_form_of_a_faulty_cell_is_reported_for_its_example(form: dict[str, str]) -> None:
    fault = number_fault(form["example"])
    assert fault.message.startswith(form["message"].split("{")[0])
    assert fault.rule == form.get("rule", "MP205")
    assert bool(fault.remedy) == ("remedy" in form)
