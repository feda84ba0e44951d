"""Worked examples of private functions."""

from __future__ import annotations

from massprops_cli.bom.configuration_file import _key_parts, _line_of_key


def test_key_parts() -> None:
    assert (_key_parts('file."bom.xlsx".read')) == (("file", "bom.xlsx", "read"))


def test_line_of_key() -> None:
    assert (
        _line_of_key("[read]\nsheet = 'B'\n[file.'a.csv'.read]\nsheet = 'C'\n", ("file", "a.csv", "read", "sheet"))
    ) == (4)
