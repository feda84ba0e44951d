"""The gallery of defects of meshes shows the messages and the pictures of today."""

from __future__ import annotations

from pathlib import Path

from docs.make_meshes import message_of, text, write_pictures
from massprops_cli.findings.catalogue import RULES
from sample_data.make_bracket import write
from tests.mesh_examples import DEFECTS

ROOT = Path(__file__).parents[2]
NOT_DRAWN = {"MP720", "MP721", "MP722", "MP723", "MP737", "MP739"}
"""Without a surface to draw: unit, file, no triangles, no numbers, calculator, axis that is up."""


def test_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "meshes.md").read_text("utf-8")
    assert text(page) == page
    assert "± 0.17 of the mass" in message_of("MP725").message  # a box without a side: 1/6


def test_pictures_are_up_to_date(tmp_path: Path) -> None:
    write_pictures(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_text() == (ROOT / "docs" / "pictures" / path.name).read_text(), path.name


def test_every_rule_of_meshes_has_a_picture() -> None:
    assert {code for code in RULES if "MP720" <= code <= "MP739"} == {*DEFECTS} | NOT_DRAWN


def test_sample_is_up_to_date(tmp_path: Path) -> None:
    write(tmp_path / "bracket.stl")
    assert (tmp_path / "bracket.stl").read_bytes() == (ROOT / "sample_data" / "bracket.stl").read_bytes()
