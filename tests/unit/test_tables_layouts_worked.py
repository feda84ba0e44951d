"""Worked examples of functions in the room tables/layouts."""

from __future__ import annotations

from massprops_cli.tables.layouts.levels import _LEVEL_HEADER


def test_level_columns_example() -> None:
    assert (
        (
            bool(_LEVEL_HEADER.fullmatch("Level 1")),
            bool(_LEVEL_HEADER.fullmatch("L0")),
            bool(_LEVEL_HEADER.fullmatch("Length 1")),
        )
    ) == ((True, True, False))
