"""Worked examples of functions in the room tables/rows."""

from __future__ import annotations

from massprops_cli.tables.rows.hierarchy import folded_text, unused_id
from massprops_cli.tables.rows.row_filter import read_row_condition
from massprops_cli.tables.rows.total_rows import label_word_positions


def test_unused_id_example() -> None:
    assert (unused_id("all", ["a", "all"])) == ("all 2")


def test_folded_text_example() -> None:
    assert (folded_text("Scale 2") == folded_text("scale\u00a02")) is True


def test_read_row_condition_example() -> None:
    assert (read_row_condition("mass >= 2.5").sign) == (">=")
    assert (read_row_condition("subsystem in (Power, Thermal)").values, read_row_condition('"A = B" = c').column) == (
        (("Power", "Thermal"), "A = B")
    )


def test_label_word_positions_example() -> None:
    assert (sorted(label_word_positions(["Wing", "TOTAL", "Total station", "", "Totals2", "Totality"]))) == ([1, 2, 4])
