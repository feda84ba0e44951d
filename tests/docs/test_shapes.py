"""The page of shapes and materials shows the tables that the library uses."""

from __future__ import annotations

from pathlib import Path

from docs.make_shapes import text

PAGE = Path(__file__).parents[2] / "docs" / "shapes.md"


def test_page_is_up_to_date() -> None:
    page = PAGE.read_text("utf-8")
    assert text(page) == page
    assert "| cylinder | round bar, bar | `r` radius, `L` length along the axis |" in page
    assert "| EN 1993-1-2:2005, 3.2.2, unit mass of steel |" in page
